//! What a file holds, by its header, its shape and its types.

use super::Args;
use super::questions::{Question, Questions};
use crate::Failure;
use karcher::manifold::{FAMILIES, Layout, Verdict};
use karcher::{Manifold, Space};
use karcher_io::{Stream, layout};
use std::cmp::Reverse;
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
    /// Whether names or the shape say the layout.
    is_named: bool,
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
            let fits = |one: &Self| {
                one.manifold.space() == space && (args.layout.is_none() || one.layout.name() == layout.name())
            };
            let found = if args.columns.is_some() { None } else { proposals(file).into_iter().find(fits) };
            return Ok(match (&args.columns, found) {
                (None, Some(found)) => found,
                (columns, _) => {
                    Self { about: about(&*manifold), manifold, layout, columns: columns.clone(), is_named: true }
                }
            });
        }
        let found = proposals(file);
        let other = "something else".to_owned();
        let answers: Vec<String> = found.iter().map(ToString::to_string).chain([other]).collect();
        match found.into_iter().nth(questions.choice(&WHAT, &answers)?) {
            Some(reading) => reading.arranged(questions),
            None => Self::asked(questions),
        }
    }

    /// The same in the layout that is chosen, where names do not say it.
    fn arranged(self, questions: &Questions) -> Result<Self, Failure> {
        let layouts = self.manifold.layouts();
        let fits: Vec<&Layout> = layouts.iter().filter(|other| other.numbers() == self.layout.numbers()).collect();
        if self.is_named || fits.len() < 2 {
            return Ok(self);
        }
        let names: Vec<&str> = fits.iter().map(|layout| layout.name()).collect();
        let layout = fits[questions.choice(&WHICH_LAYOUT, &names)?].clone();
        Ok(Self { layout, ..self })
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
        Ok(Self { about: about(&*manifold), manifold, layout, columns: Some(columns), is_named: true })
    }

    /// The options that choose the numbers of a record.
    pub fn columns(&self) -> Vec<String> {
        let columns = self.columns.iter().map(|columns| format!("--columns={columns}"));
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

/// The readings that the file suggests: those that agree with the names of columns or with the shape, the best first.
/// If there are none, a space of each family whose records have as many numbers.
fn proposals(file: &Stream) -> Vec<Reading> {
    let (names, numbers) = (file.names(), file.numbers());
    let axes: Vec<usize> = file.axes().iter().filter_map(|axis| usize::try_from(*axis).ok()).collect();
    suggested(names.as_deref().unwrap_or_default(), numbers, &axes)
}

fn suggested(names: &[String], numbers: usize, axes: &[usize]) -> Vec<Reading> {
    let (mut agreeing, mut possible): (Vec<(Reading, Fit)>, Vec<Reading>) = (vec![], vec![]);
    for manifold in spaces(numbers) {
        let layouts = manifold.layouts();
        let reading = |layout: &Layout, columns: &[&str], is_named| Reading {
            about: about(&*manifold),
            manifold: manifold.clone(),
            layout: layout.clone(),
            columns: (!columns.is_empty() && columns.iter().copied().ne(names.iter().map(String::as_str)))
                .then(|| columns.join(",")),
            is_named,
        };
        for layout in &layouts {
            if let Some(columns) = named(layout, &layouts, names) {
                let fit = Fit::of(layout, &columns);
                let same = |(one, _): &(Reading, Fit)| one.manifold.space() == manifold.space();
                match agreeing.iter_mut().find(|known| same(known)) {
                    Some(known) if known.1 < fit => *known = (reading(layout, &columns, true), fit),
                    Some(_) => {}
                    None => agreeing.push((reading(layout, &columns, true), fit)),
                }
            } else if axes.len() > 2 && layout.check_array(&layouts, &axes[1..]) == Verdict::Agreement {
                agreeing.push((reading(layout, &[], true), Fit::default()));
            }
        }
        if let Some(layout) = layouts.iter().find(|layout| layout.numbers() == numbers && axes.len() <= 2) {
            let is_new = possible.iter().all(|one: &Reading| one.about != about(&*manifold));
            possible.extend(is_new.then(|| reading(layout, &[], false)));
        }
    }
    agreeing.sort_by_key(|(_, fit)| Reverse(*fit)); // stable: equals stay in the order of the families
    let agreeing: Vec<Reading> = agreeing.into_iter().map(|(reading, _)| reading).take(SHOWN).collect();
    if agreeing.is_empty() { possible } else { agreeing }
}

/// How well a layout fits the names of some columns.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// The columns that it takes.
    columns: usize,
    /// Those whose names are in its own.
    in_name: usize,
}

impl Fit {
    fn of(layout: &Layout, columns: &[&str]) -> Self {
        let in_name = |name: &&&str| layout.name().contains(&name.to_lowercase());
        Self { columns: columns.len(), in_name: columns.iter().filter(in_name).count() }
    }
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

/// The columns that are the numbers of a layout by their names.
fn named<'a>(layout: &Layout, layouts: &[Layout], names: &'a [String]) -> Option<Vec<&'a str>> {
    let agree = |names: &[&str]| layout.check_names(layouts, names) == Verdict::Agreement;
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    if all.is_empty() || layout.numbers() > all.len() {
        return None;
    }
    if layout.numbers() == all.len() {
        return match layout.check_names(layouts, names) {
            Verdict::Agreement => Some(all),
            Verdict::Contradiction(found) => {
                found.ordered(names).filter(|ordered| found.layout.is_none() && agree(ordered))
            }
            Verdict::Silence => None,
        };
    }
    let found = layout.find_in(names).map(|found| found.into_iter().map(|i| all[i]).collect::<Vec<_>>());
    if let Some(found) = found.filter(|found| agree(found)) {
        return Some(found);
    }
    if all.len() > MOST_COLUMNS || layout.numbers() < 2 {
        return None;
    }
    all.windows(layout.numbers()).find(|run| agree(run)).map(<[&str]>::to_vec)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first proposal for a table with these columns.
    fn first(columns: &str) -> String {
        let names: Vec<String> = columns.split(' ').map(str::to_owned).collect();
        let all = suggested(&names, names.len(), &[]);
        format!("{} {}", all[0].manifold.space(), all[0].columns().join(" "))
    }

    #[test]
    fn the_first_proposal_is_the_one_that_the_columns_name() {
        for (columns, proposal) in [
            ("city country latitude longitude population", "sphere:2 --columns=latitude,longitude --layout latlon"),
            ("lon lat", "sphere:2 --columns=lat,lon --layout latlon"),
            ("participant elevation azimuth", "sphere:2 --columns=elevation,azimuth --layout elevation-azimuth"),
            ("trend plunge", "projective:2 --layout trend-plunge"),
            ("x y z w", "rotations:3 --layout quaternions-last"),
            (
                "age sex site dxx dxy dxz dyy dyz dzz",
                "spd-log-euclidean:3 --columns=dxx,dxy,dxz,dyy,dyz,dzz --layout upper-row",
            ),
        ] {
            assert_eq!(first(columns), proposal, "{columns}");
        }
    }

    #[test]
    fn an_array_is_proposed_by_its_shape() {
        let of = |axes: &[usize]| suggested(&[], axes[1..].iter().product(), axes)[0].manifold.space().to_string();
        assert_eq!(of(&[25, 24, 24]), "spd-log-euclidean:24");
        assert_eq!(of(&[40, 12, 2]), "kendall:12");
    }

    /// Names that say nothing get a space of each family, and not only spheres.
    #[test]
    fn two_numbers_without_names_may_be_of_many_spaces() {
        let all = suggested(&[], 2, &[]);
        let spaces: Vec<String> = all.iter().map(|one| one.manifold.space().to_string()).collect();
        for space in ["euclidean:2", "sphere:2", "hyperbolic:2", "projective:2", "torus:2"] {
            assert!(spaces.iter().any(|known| known == space), "{space}: {spaces:?}");
        }
    }
}
