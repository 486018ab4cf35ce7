//! What a file holds, by its header, its shape and its types.

use super::Args;
use super::questions::{Question, Questions};
use crate::Failure;
use karcher::manifold::{FAMILIES, Layout, Verdict};
use karcher::{Manifold, Space};
use karcher_io::{Stream, layout};
use std::fmt;
use std::sync::Arc;

/// A space, and how a record of it stands in the file.
#[derive(Clone)]
pub struct Reading {
    /// The space.
    pub manifold: Arc<dyn Manifold>,
    /// What it is for, in words.
    about: &'static str,
    layout: Layout,
    /// The names of the columns, or all columns.
    columns: Option<String>,
}

const WHAT: Question = Question {
    asks: "What is one record?",
    help: "The space says what the distance between two records is. These fit the names of the columns, or their \
           number. Directions are on a sphere; axes, whose two ends mean the same, on a projective space.",
    options: "--manifold, --layout and --columns",
};

const WHICH_COLUMNS: Question = Question {
    asks: "Which columns are a record's numbers?",
    help: "Type names, in the order of the layout, separated by commas, or numbers from 1: latitude,longitude or 2-4.",
    options: "--columns",
};

const WHICH_SPACE: Question = Question {
    asks: "Which space?",
    help: "Type its name, such as sphere:2 or spd-log-euclidean:22. karcher mean --help lists all spaces.",
    options: "--manifold",
};

/// The most proposals that are shown.
const SHOWN: usize = 8;
/// The most columns of tables in which runs of columns are looked at.
const MOST_COLUMNS: usize = 64;
/// The largest size of a space that a proposal has, beyond the examples of its family.
const LARGEST: usize = 64;

impl Reading {
    /// The reading that options give, or that is chosen among the proposals.
    pub fn of(file: &Stream, args: &Args, questions: &Questions) -> Result<Self, Failure> {
        if let Some(space) = &args.manifold {
            let manifold = space.manifold()?;
            let layout = layout(&*manifold, args.layout.as_deref())?;
            let found = proposals(file).into_iter().find(|one| {
                one.manifold.space() == space && (args.layout.is_none() || one.layout.name() == layout.name())
            });
            return Ok(match (&args.columns, found) {
                (None, Some(found)) => found,
                (columns, _) => Self { about: about(&*manifold), manifold, layout, columns: columns.clone() },
            });
        }
        let found = proposals(file);
        let other = "something else".to_owned();
        let answers: Vec<String> = found.iter().map(ToString::to_string).chain([other]).collect();
        match found.into_iter().nth(questions.choice(&WHAT, &answers)?) {
            Some(reading) => Ok(reading),
            None => Self::asked(questions),
        }
    }

    /// One that no proposal has.
    fn asked(questions: &Questions) -> Result<Self, Failure> {
        let manifold = questions.typed(&WHICH_SPACE, |text| {
            let space = text.parse::<Space>().and_then(|space| space.manifold());
            space.map_err(|error| error.to_string())
        })?;
        let layouts = manifold.layouts();
        let names: Vec<&str> = layouts.iter().map(Layout::name).collect();
        let chosen = if names.len() > 1 { questions.choice(&WHICH_LAYOUT, &names)? } else { 0 };
        let layout = layout(&*manifold, names.get(chosen).copied())?;
        let columns = questions.typed(&WHICH_COLUMNS, |text| match text.is_empty() {
            true => Err("the names of columns are missing".to_owned()),
            false => Ok(text.to_owned()),
        })?;
        Ok(Self { about: about(&*manifold), manifold, layout, columns: Some(columns) })
    }

    /// The options that choose the numbers of a record.
    pub fn columns(&self) -> Vec<String> {
        let columns = self.columns.iter().flat_map(|columns| ["--columns".to_owned(), columns.clone()]);
        let is_default = self.manifold.layouts().first().is_none_or(|first| first.name() == self.layout.name());
        let layout = ["--layout".to_owned(), self.layout.name().to_owned()].into_iter().filter(|_| !is_default);
        columns.chain(layout).collect()
    }

    /// The option that names the space.
    pub fn space(&self) -> Vec<String> {
        vec!["--manifold".to_owned(), self.manifold.space().to_string()]
    }

    /// How a record is arranged.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// What it is for, in words.
    pub fn about(&self) -> &'static str {
        self.about
    }
}

const WHICH_LAYOUT: Question = Question {
    asks: "Which layout?",
    help: "The layout says how the numbers of a record are arranged.",
    options: "--layout",
};

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.columns.as_ref().map(|columns| format!("{columns}: ")).unwrap_or_default();
        write!(f, "{columns}{} ({}, layout {})", self.about, self.manifold.space(), self.layout.name())
    }
}

/// What the family of a space is for.
fn about(manifold: &dyn Manifold) -> &'static str {
    let name = manifold.space().to_string();
    let family = FAMILIES.iter().find(|family| name.split(':').next() == Some(family.name));
    family.map_or("points of several spaces", |family| family.about)
}

/// The readings that the file suggests: those that names agree with first, then those of the same shape or number.
fn proposals(file: &Stream) -> Vec<Reading> {
    let (names, numbers) = (file.names(), file.numbers());
    let axes: Vec<usize> = file.axes().iter().filter_map(|axis| usize::try_from(*axis).ok()).collect();
    let mut by_names: Vec<Reading> = vec![];
    let mut by_number: Vec<Reading> = vec![];
    for manifold in spaces(numbers) {
        let layouts = manifold.layouts();
        for layout in &layouts {
            let reading = |columns| Reading {
                manifold: manifold.clone(),
                about: about(&*manifold),
                layout: layout.clone(),
                columns,
            };
            if let Some(columns) = names.as_deref().and_then(|names| named(layout, &layouts, names)) {
                let is_there = by_names.iter().any(|one| one.columns == columns && one.about == about(&*manifold));
                if !is_there {
                    by_names.push(reading(columns));
                }
            } else if axes.len() > 2 && layout.check_array(&layouts, &axes[1..]) == Verdict::Agreement {
                by_names.push(reading(None));
            } else if layout.numbers() == numbers && axes.len() <= 2 {
                by_number.push(reading(None));
            }
        }
    }
    let numbered = if by_names.is_empty() { by_number } else { vec![] };
    by_names.into_iter().chain(numbered).take(SHOWN).collect()
}

/// The spaces whose records may have so many numbers.
fn spaces(numbers: usize) -> impl Iterator<Item = Arc<dyn Manifold>> {
    FAMILIES.iter().flat_map(move |family| {
        let sizes = (1..=numbers.min(LARGEST)).map(|size| format!("{}:{size}", family.name));
        let names = family.examples.iter().map(|&name| name.to_owned()).chain(sizes);
        let mut seen: Vec<String> = vec![];
        let fresh = names.filter(move |name| {
            let is_new = !seen.contains(name);
            seen.push(name.clone());
            is_new
        });
        fresh.filter_map(|name| name.parse::<Space>().ok()?.manifold().ok())
    })
}

/// The columns that are the numbers of a layout by their names: `None` within if they are all.
#[expect(clippy::option_option)]
fn named(layout: &Layout, layouts: &[Layout], names: &[String]) -> Option<Option<String>> {
    let chosen = |at: &[usize]| at.iter().map(|&i| names[i].as_str()).collect::<Vec<_>>().join(",");
    let agree = |names: &[String]| layout.check_names(layouts, names) == Verdict::Agreement;
    if layout.numbers() == names.len() {
        return agree(names).then_some(None);
    }
    if let Some(found) = layout.find_in(names) {
        return Some(Some(chosen(&found)));
    }
    let is_small = names.len() <= MOST_COLUMNS && layout.numbers() > 1 && layout.numbers() < names.len();
    let mut runs = (0..=names.len().saturating_sub(layout.numbers())).filter(|_| is_small);
    let first = runs.find(|&first| agree(&names[first..first + layout.numbers()]))?;
    Some(Some(chosen(&(first..first + layout.numbers()).collect::<Vec<_>>())))
}
