//! What a file holds, by its header, its shape and its types.

use super::Args;
use super::header::Header;
use super::questions::{Question, Questions};
use crate::Failure;
use karcher::manifold::{FAMILIES, Layout, Proposal, Shape, about};
use karcher::{Manifold, Space};
use karcher_io::{ColumnsBy, layout};
use std::fmt;
use std::sync::Arc;

/// A space, and how a record of it stands in the file.
#[derive(Clone)]
pub struct Reading {
    /// The space.
    pub manifold: Arc<dyn Manifold>,
    layout: Layout,
    /// The columns as they are typed, or all columns.
    columns: Option<Columns>,
    /// Whether names or the shape say the layout.
    is_named: bool,
}

/// The columns of a record.
#[derive(Clone)]
struct Columns {
    /// As --columns takes them.
    list: String,
    /// Whether numbers in the list are positions, although columns may have such names.
    by_position: bool,
    /// The columns for people.
    words: String,
}

const WHAT: Question = Question {
    asks: "What is one record?",
    help: "The space says what the distance between two records is. These fit the names of the columns, or their \
           number. Directions are on a sphere; axes, whose two ends mean the same, on a projective space.",
    options: "--manifold, --layout and --columns",
};

const WHICH_COLUMNS: Question = Question {
    asks: "Which columns are a record's numbers?",
    help: "Type names, in the order of the layout, separated by commas, or numbers from 1: latitude,longitude or 2-4. \
           Nothing takes all columns.",
    options: "--columns",
};

const WHICH_SPACE: Question = Question {
    asks: "Which space?",
    help: "Type its name, such as sphere:2 or spd-log-euclidean:22. karcher mean --help lists all spaces.",
    options: "--manifold",
};

const WHICH_LAYOUT: Question = Question {
    asks: "Which layout?",
    help: "The layout says how the numbers of a record are arranged.",
    options: "--layout",
};

impl Columns {
    fn typed(list: &str) -> Self {
        Self { list: list.to_owned(), by_position: false, words: list.to_owned() }
    }

    /// The columns in these places of the header. Names are typed as they are, unless that would choose others.
    fn of(places: &[usize], header: &Header<'_>) -> Self {
        const SHOWN: usize = 9;
        let (numbers, all) = (header.numbers(), header.names());
        let names: Vec<&str> = places.iter().filter_map(|&i| numbers.get(i)).map(String::as_str).collect();
        let is_plain = |name: &&str| {
            let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
            begins && !name.contains([',', '"']) && name.trim() == *name
        };
        let are_plain = names.len() == places.len() && names.iter().all(is_plain);
        // where columns of texts are left out, places among the others are no positions
        let is_position = all.is_empty() || all.len() == numbers.len();
        let in_a_row = places.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        let (first, last) = (places.first().map_or(0, |i| i + 1), places.last().map_or(0, |i| i + 1));
        let by_position = is_position && (!are_plain || (in_a_row && places.len() > SHOWN));
        let list = match (by_position, in_a_row && places.len() > 1) {
            (false, _) => names.join(","),
            (true, true) => format!("{first}-{last}"),
            (true, false) => places.iter().map(|i| (i + 1).to_string()).collect::<Vec<_>>().join(","),
        };
        let words = match &names[..] {
            [first, .., last] if names.len() > SHOWN => format!("{first}, …, {last} ({} columns)", names.len()),
            [] => list.clone(),
            names => names.join(","),
        };
        // such a name would be taken for a position, or the reverse
        let has_numbers = all.iter().any(|name| name.starts_with(|c: char| c.is_ascii_digit()));
        Self { list, by_position: by_position && has_numbers, words }
    }
}

impl Reading {
    /// The reading that options give, or that is chosen among the proposals.
    pub fn of(header: &Header<'_>, args: &Args, questions: &Questions) -> Result<Self, Failure> {
        let given = args.columns.as_deref().map(Columns::typed);
        let found = header.proposals().into_iter().map(|found| Self::proposed(found, header, given.as_ref()));
        let is_wanted = |one: &Self| {
            let wants_space = args.manifold.as_ref().is_none_or(|space| one.manifold.space() == space);
            wants_space && args.layout.as_ref().is_none_or(|name| one.layout.name() == name.trim())
        };
        let found: Vec<Self> = found.filter(is_wanted).collect();
        if let Some(space) = &args.manifold {
            let manifold = space.manifold()?;
            let layout = layout(&*manifold, args.layout.as_deref())?;
            // what is typed is taken as it is, or refused
            let reading = match (given, found.into_iter().next()) {
                (None, Some(found)) => found,
                (columns, _) => Self { manifold, layout, columns, is_named: true },
            };
            header.check(&reading, None)?;
            return Ok(reading);
        }
        if !questions.can_ask() {
            return Err(Self::missing(&found));
        }
        let other = "something else".to_owned();
        let answers: Vec<String> = found.iter().map(ToString::to_string).chain([other]).collect();
        loop {
            let chosen = match found.get(questions.choice(&WHAT, &answers)?) {
                Some(reading) => reading.clone().arranged(args, questions)?,
                None => return Self::asked(header, given, questions),
            };
            match header.check(&chosen, None) {
                Ok(()) => return Ok(chosen),
                Err(reason) => questions.say(&format!("\n{reason}; choose another")),
            }
        }
    }

    fn proposed(found: Proposal, header: &Header<'_>, given: Option<&Columns>) -> Self {
        // all columns of numbers are not all columns where others are texts
        let all = || (given.is_none() && header.leaves_out()).then(|| (0..header.numbers().len()).collect::<Vec<_>>());
        let places = found.columns.clone().or_else(all);
        let columns = places.map(|places| Columns::of(&places, header)).or_else(|| given.cloned());
        Self { columns, manifold: found.manifold, layout: found.layout, is_named: found.is_named }
    }

    /// The refusal where there is no one to ask, with the options of the best proposal.
    fn missing(found: &[Self]) -> Failure {
        let best = found.first().filter(|best| best.is_named);
        let options = best.map(|best| [best.space(), best.columns()].concat().join(" "));
        let advice = options.map(|options| format!("; the header suggests {options}")).unwrap_or_default();
        let Question { asks, options, .. } = WHAT;
        format!("there is no terminal to ask in: {asks} Answer with {options}{advice}").into()
    }

    /// The same in the layout that is chosen, where names do not say it.
    fn arranged(self, args: &Args, questions: &Questions) -> Result<Self, Failure> {
        let layouts = self.manifold.layouts();
        let fits: Vec<&Layout> = layouts.iter().filter(|other| other.numbers() == self.layout.numbers()).collect();
        if self.is_named || fits.len() < 2 || args.layout.is_some() {
            return Ok(self);
        }
        let names: Vec<&str> = fits.iter().map(|layout| layout.name()).collect();
        let layout = fits[questions.choice(&WHICH_LAYOUT, &names)?].clone();
        Ok(Self { layout, ..self })
    }

    /// One that no proposal has.
    fn asked(header: &Header<'_>, given: Option<Columns>, questions: &Questions) -> Result<Self, Failure> {
        let manifold = questions.typed(&WHICH_SPACE, |text| {
            let space = text.parse::<Space>().and_then(|space| space.manifold());
            space.map_err(|error| error.to_string())
        })?;
        let layouts = manifold.layouts();
        let names: Vec<&str> = layouts.iter().map(Layout::name).collect();
        let chosen = if names.len() > 1 { questions.choice(&WHICH_LAYOUT, &names)? } else { 0 };
        let layout = layout(&*manifold, names.get(chosen).copied())?;
        let reading = |columns: Option<Columns>| Self {
            manifold: manifold.clone(),
            layout: layout.clone(),
            columns,
            is_named: true,
        };
        if let Some(given) = given {
            let reading = reading(Some(given));
            header.check(&reading, None)?;
            return Ok(reading);
        }
        questions.typed(&WHICH_COLUMNS, |text| {
            let reading = reading((!text.is_empty()).then(|| Columns::typed(text)));
            header.check(&reading, None).map(|()| reading).map_err(|error| error.to_string())
        })
    }

    /// The same matrices with other metrics.
    pub fn with_other_metrics(&self) -> Vec<Self> {
        let (shape, name) = (self.manifold.shape(), self.manifold.space().as_str());
        let is_matrix = matches!(shape, Shape::PositiveDefinite(_) | Shape::HermitianPositiveDefinite(_));
        let Some((own, size)) = name.split_once(':').filter(|_| is_matrix) else { return vec![] };
        let others = FAMILIES.iter().filter(|family| family.name != own).filter_map(|family| {
            let manifold = format!("{}:{size}", family.name).parse::<Space>().ok()?.manifold().ok()?;
            let layout = manifold.layouts().into_iter().find(|layout| layout.name() == self.layout.name())?;
            (manifold.shape() == shape).then(|| Self { manifold, layout, ..self.clone() })
        });
        others.collect()
    }

    /// The options that choose the numbers of a record.
    pub fn columns(&self) -> Vec<String> {
        let columns = self.columns.iter().map(|columns| format!("--columns={}", columns.list));
        let by = self.columns_by().map(|_| "--columns-by=position".to_owned());
        let is_default = self.manifold.layouts().first().is_none_or(|first| first.name() == self.layout.name());
        let layout = ["--layout".to_owned(), self.layout.name().to_owned()].into_iter().filter(|_| !is_default);
        columns.chain(by).chain(layout).collect()
    }

    /// The columns as --columns takes them, unless they are all.
    pub fn list(&self) -> Option<&str> {
        self.columns.as_ref().map(|columns| columns.list.as_str())
    }

    /// What a number in the list is.
    pub fn columns_by(&self) -> Option<ColumnsBy> {
        self.columns.as_ref().filter(|columns| columns.by_position).map(|_| ColumnsBy::Position)
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
        about(&*self.manifold)
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.columns.as_ref().map(|columns| format!("{}: ", columns.words)).unwrap_or_default();
        let unit = self.layout.angle_unit().map(|unit| unit.to_string()).filter(|unit| unit != self.layout.name());
        let unit = unit.map(|unit| format!(" in {unit}")).unwrap_or_default();
        write!(f, "{columns}{} ({}, layout {}{unit})", self.about(), self.manifold.space(), self.layout.name())
    }
}
