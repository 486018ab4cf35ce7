//! Checks of column names against a layout: they agree with it, contradict it, or are silent.

use super::fit::{Columns, Fit};
use super::lists::written_out;
use super::other_columns::{Signs, contradiction};
use super::places::Entries;
use super::{AngleUnit, Layout};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

/// The names of one number of a record in tables.
///
/// A *word* alone names the content of a column; a *symbol* does so only if every column has one: `x` is a longitude
/// where the other column is called `y`. Both are in lower case and without spaces: `dipdirection`.
///
/// ```
/// use karcher_geometry::manifold::{Called, Layout, Verdict};
/// const HEIGHT: Called = Called::new("height", &["height", "altitude"], &["h"]);
/// const SPEED: Called = Called::new("speed", &["speed", "velocity"], &["v"]);
/// let layout = Layout::plain("flight", 2).called(&[HEIGHT, SPEED]);
/// assert_eq!(layout.check_names(&[], &["flightAltitude", "v"]), Verdict::Agreement);
/// assert_eq!(layout.check_names(&[], &["a", "b"]), Verdict::Silence);
/// let Verdict::Contradiction(found) = layout.check_names(&[], &["v", "h"]) else { panic!("no contradiction") };
/// assert_eq!(found.order, Some(vec![1, 0])); // the second column, then the first
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Called {
    pub(super) name: &'static str,
    pub(super) words: &'static [&'static str],
    pub(super) symbols: &'static [&'static str],
}

impl Called {
    /// A number that is shown as `name`, with its words and symbols.
    pub const fn new(name: &'static str, words: &'static [&'static str], symbols: &'static [&'static str]) -> Self {
        Self { name, words, symbols }
    }

    /// Its symbols.
    pub(in crate::manifold) const fn symbols(self) -> &'static [&'static str] {
        self.symbols
    }

    pub(super) fn is_said(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    pub(super) fn is_symbol(&self, token: &str) -> bool {
        self.symbols.contains(&token)
    }
}

/// The verdict of column names on a layout.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// They are the names of the layout.
    Agreement,
    /// They name something else.
    Contradiction(Contradiction),
    /// They do not show anything about it.
    Silence,
}

/// The input that a layout takes instead of the given columns or array.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Contradiction {
    /// The columns that the layout takes, in words.
    pub takes: String,
    /// The layout that takes the columns.
    pub layout: Option<String>,
    /// The columns in the order in which that layout, or else the one that was chosen, takes them: places from 0.
    pub order: Option<Vec<usize>>,
    /// Columns in another unit than the layout's, by their places, with the factors that bring them into it.
    pub factors: Vec<(usize, f64)>,
    /// The advice where none of these helps.
    pub remedy: Option<String>,
}

/// How the options of a program are written in its advice.
pub trait Wording {
    /// The option that chooses a layout.
    fn layout(&self, name: &str) -> String;
    /// The option that chooses columns in this order.
    fn columns(&self, names: &[&str]) -> String;
    /// The option that multiplies columns; `None` stands for all of them.
    fn factors(&self, factors: &[(Option<&str>, f64)]) -> String;
    /// The word between two options.
    fn and(&self) -> &'static str;
    /// A name from a file, made safe to show.
    fn shown(&self, name: &str) -> String;
}

impl Contradiction {
    /// The names in the order in which they are taken, if that is another one.
    pub fn ordered<'a, S: AsRef<str>>(&self, names: &'a [S]) -> Option<Vec<&'a str>> {
        self.order.as_ref()?.iter().map(|&i| names.get(i).map(AsRef::as_ref)).collect()
    }

    /// The same with the missing columns, and those with another meaning.
    fn remedied(self, fit: &Fit, names: &[impl AsRef<str>]) -> Self {
        let strangers: Vec<&str> = fit.strangers.iter().filter_map(|&i| names.get(i).map(AsRef::as_ref)).collect();
        let instead =
            if strangers.is_empty() { String::new() } else { format!(" instead of {}", strangers.join(", ")) };
        let choice = fit.wanted.as_ref().map(|wanted| format!("choose {wanted}{instead}"));
        Self { remedy: fit.remedy.clone().or(choice), ..self }
    }

    /// The advice, in the words of a program: the options that would be right for columns with these names.
    pub fn advice(&self, names: &[impl AsRef<str>], wording: &dyn Wording) -> String {
        let layout = self.layout.as_ref().map(|layout| wording.layout(layout));
        let columns = self.ordered(names).map(|names| wording.columns(&names));
        let all = (self.factors.len() == names.len()).then(|| self.factors.first()).flatten();
        let factors: Vec<(Option<&str>, f64)> = match all.filter(|all| self.factors.iter().all(|one| one.1 == all.1)) {
            Some((_, factor)) => vec![(None, *factor)],
            None => self.factors.iter().filter_map(|(i, by)| Some((Some(names.get(*i)?.as_ref()), *by))).collect(),
        };
        let factors = (!factors.is_empty()).then(|| wording.factors(&factors));
        match [layout, columns, factors].into_iter().flatten().collect::<Vec<_>>().join(wording.and()) {
            none if none.is_empty() => match &self.remedy {
                Some(remedy) => wording.shown(remedy),
                None => "choose other columns".to_owned(),
            },
            options => format!("give {options}"),
        }
    }
}

/// The known names of a layout's columns.
#[derive(Clone, Default)]
pub(in crate::manifold) struct Names {
    pub(super) parts: Vec<Part>,
    /// Words that name the layout itself.
    kind: &'static [&'static str],
    foreign: Vec<Foreign>,
    /// The places of columns that may be in any unit.
    pub(super) in_any_unit: Vec<usize>,
    /// The names of all columns of the table, in its order.
    pub(super) all: Vec<String>,
}

/// Some columns in a row: those of a factor of a product.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) numbers: usize,
    pub(super) naming: Naming,
    /// Sizes of the groups of numbers that stand side by side, each named by itself. None of one group.
    pub(super) groups: Vec<usize>,
    /// Other columns that may change what these say.
    pub(super) signs: Signs,
    pub(super) unit: Option<AngleUnit>,
}

/// How columns are named.
#[derive(Clone)]
pub(super) enum Naming {
    Unknown,
    /// Parts of a whole, which may be called anything.
    Composition,
    Called(Arc<[Called]>),
    Entries(Arc<Entries>),
    /// Landmarks: whether all first coordinates come first, and how many each has.
    Landmarks {
        blocked: bool,
        axes: usize,
    },
}

/// Words of something that no layout of the space holds, how many of them are needed, and the advice.
#[derive(Clone, Copy, PartialEq)]
struct Foreign {
    words: &'static [&'static str],
    enough: usize,
    /// Whether they say something even of names of the layout's own numbers.
    of_own: bool,
    remedy: &'static str,
}

impl Names {
    pub(super) fn new(numbers: usize) -> Self {
        Self {
            parts: vec![Part { numbers, naming: Naming::Unknown, groups: vec![], signs: Signs::None, unit: None }],
            ..Self::default()
        }
    }

    /// Those of a product's factors, one after the other.
    pub(super) fn joined<'a>(factors: impl Iterator<Item = &'a Names>) -> Self {
        factors.fold(Self::default(), |mut all, factor| {
            all.parts.extend(factor.parts.iter().cloned());
            for foreign in &factor.foreign {
                if !all.foreign.contains(foreign) {
                    all.foreign.push(*foreign);
                }
            }
            all
        })
    }

    fn set(mut self, naming: Naming) -> Self {
        self.parts.iter_mut().for_each(|part| part.naming = naming.clone());
        self
    }

    pub(super) fn called(self, called: &[Called]) -> Self {
        self.set(Naming::Called(called.into()))
    }

    /// All numbers as one part, in groups.
    pub(super) fn called_in_groups(mut self, groups: &[&[Called]]) -> Self {
        let (naming, groups) =
            (Naming::Called(groups.concat().into()), groups.iter().map(|group| group.len()).collect());
        let numbers = self.parts.iter().map(|part| part.numbers).sum();
        self.parts = vec![Part { numbers, naming, groups, signs: Signs::None, unit: None }];
        self
    }

    pub(super) fn entries(self, entries: Entries) -> Self {
        self.set(Naming::Entries(Arc::new(entries)))
    }

    pub(super) fn landmarks(self, blocked: bool, axes: usize) -> Self {
        self.set(Naming::Landmarks { blocked, axes })
    }

    pub(super) fn composition(self) -> Self {
        self.set(Naming::Composition)
    }

    pub(super) fn in_unit(mut self, unit: AngleUnit) -> Self {
        self.parts.iter_mut().for_each(|part| part.unit = Some(unit));
        self
    }

    pub(super) fn in_any_unit(self, columns: Vec<usize>) -> Self {
        Self { in_any_unit: columns, ..self }
    }

    pub(super) fn with_signs(mut self, signs: Signs) -> Self {
        self.parts.iter_mut().for_each(|part| part.signs = signs);
        self
    }

    pub(super) fn among(self, all: Vec<String>) -> Self {
        Self { all, ..self }
    }

    pub(super) fn kind(self, kind: &'static [&'static str]) -> Self {
        Self { kind, ..self }
    }

    pub(super) fn foreign(mut self, words: &'static [&'static str], enough: usize, remedy: &'static str) -> Self {
        self.foreign.push(Foreign { words, enough, of_own: false, remedy });
        self
    }

    /// Words that contradict a layout in the names of its own numbers.
    pub(super) fn never(mut self, words: &'static [&'static str], remedy: &'static str) -> Self {
        self.foreign.push(Foreign { words, enough: 1, of_own: true, remedy });
        self
    }

    /// What the numbers are called, if all are one part with names.
    pub(super) fn called_alone(&self) -> Option<&[Called]> {
        match &self.parts[..] {
            [Part { naming: Naming::Called(called), .. }] => Some(called),
            _ => None,
        }
    }

    /// The entries of a matrix that the numbers are, if all are one part with such names.
    pub(super) fn entries_alone(&self) -> Option<&Entries> {
        match &self.parts[..] {
            [Part { naming: Naming::Entries(entries), .. }] => Some(entries),
            _ => None,
        }
    }

    /// Of landmarks alone: whether all first coordinates come first, and how many each has.
    pub(super) fn landmarks_alone(&self) -> Option<(bool, usize)> {
        match self.parts[..] {
            [Part { naming: Naming::Landmarks { blocked, axes }, .. }] => Some((blocked, axes)),
            _ => None,
        }
    }

    fn are_landmarks_in_the_plane(&self) -> bool {
        matches!(&self.parts[..], [Part { naming: Naming::Landmarks { axes: 2, .. }, .. }])
    }

    /// Columns that have names.
    fn named(&self) -> usize {
        let named = self.parts.iter().filter(|part| !matches!(part.naming, Naming::Unknown));
        named.map(|part| part.numbers).sum()
    }

    /// All words that say something alone.
    fn words(&self) -> impl Iterator<Item = &'static str> {
        let foreign = self.foreign.iter().flat_map(|foreign| foreign.words).copied();
        self.called_words().chain(foreign).chain(self.kind.iter().copied())
    }

    /// The words and symbols of the columns.
    fn called_names(&self) -> impl Iterator<Item = &'static str> {
        self.parts.iter().flat_map(|part| match &part.naming {
            Naming::Called(called) => called.iter().flat_map(|one| [one.words, one.symbols].concat()).collect(),
            Naming::Unknown | Naming::Entries(_) | Naming::Landmarks { .. } | Naming::Composition => vec![],
        })
    }

    /// Whether it has latitudes, or longitudes.
    fn is_on_a_map(&self) -> bool {
        self.called_words().any(|word| word == "latitude")
    }

    /// The words of the columns.
    fn called_words(&self) -> impl Iterator<Item = &'static str> {
        self.parts.iter().flat_map(|part| match &part.naming {
            Naming::Called(called) => called.iter().flat_map(|called| called.words).copied().collect(),
            _ => vec![],
        })
    }

    /// The columns as the layout takes them, in words.
    fn takes(&self) -> Option<String> {
        let [part] = &self.parts[..] else { return None };
        let names = match &part.naming {
            Naming::Unknown => None,
            Naming::Composition => Some("parts of one whole in one unit".to_owned()),
            Naming::Called(called) => Some(called.iter().map(|called| called.name).collect::<Vec<_>>().join(", ")),
            Naming::Entries(entries) => Some(format!("the entries {entries}")),
            Naming::Landmarks { blocked, axes } => Some(match (blocked, axes) {
                (false, 2) => "x1, y1, x2, y2, …".to_owned(),
                (false, _) => "x1, y1, z1, x2, …".to_owned(),
                (true, 2) => "x1, x2, …, y1, y2, …".to_owned(),
                (true, _) => "x1, x2, …, y1, y2, …, z1, z2, …".to_owned(),
            }),
        };
        match (names, part.unit) {
            (Some(names), Some(unit)) => Some(format!("{names} in {unit}")),
            (None, Some(unit)) => Some(format!("angles in {unit}")),
            (names, None) => names,
        }
    }
}

/// A bit for each letter from a to z that a text has.
fn letters(text: &str) -> u32 {
    let letters = text.bytes().map(|b| b.to_ascii_lowercase()).filter(u8::is_ascii_lowercase);
    letters.fold(0, |all, letter| all | 1 << (letter - b'a'))
}

/// Whether a name may say one of these words, given with their letters: false only if none of them stands in it, letter
/// after letter, whatever is in between.
fn may_say(name: &str, words: &[(u32, &str)]) -> bool {
    let holds = |word: &str| {
        let mut letters = name.bytes().map(|b| b.to_ascii_lowercase());
        word.bytes().all(|letter| letters.any(|b| b == letter))
    };
    let own = letters(name);
    // signs that are written out have other letters
    let is_written_out = !name.is_ascii() || name.contains('%') || name.ends_with('-');
    is_written_out || words.iter().any(|(letters, word)| letters & !own == 0 && holds(word))
}

impl Layout {
    /// Checks the names of columns, in the order in which they are read, against the layout. `others` are the layouts
    /// of the space, among which the right one is looked for.
    ///
    /// A name is split at changes of case, between letters and digits, and at every other character. It has a meaning
    /// if one of its parts is a word of a layout, or if every column has one of its symbols. A name that merely
    /// contains a word has none. A stranger among names with a meaning contradicts the layout if it is a quantity such
    /// as a speed, or unlike most of the others. So do names of errors, rates and units that the layout does not have,
    /// even if all names are such: `lat_err`, `pmRA`, `lat_dms`.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Rotations, Verdict};
    /// let layouts = Rotations::new(3)?.layouts();
    /// let Verdict::Contradiction(found) = layouts[0].check_names(&layouts, &["qx", "qy", "qz", "qw"]) else {
    ///     return Err("no contradiction".into());
    /// };
    /// assert_eq!((found.takes.as_str(), found.layout.as_deref()), ("w, x, y, z", Some("quaternions-last")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_names(&self, others: &[Layout], names: &[impl AsRef<str>]) -> Verdict {
        let others: Vec<&Layout> = others.iter().filter(|other| other.name() != self.name()).collect();
        let vocabulary: HashSet<&str> =
            others.iter().chain([&self]).flat_map(|layout| layout.names().words()).collect();
        let columns = self.columns_of(&others, names, &vocabulary);
        let found = match names.len() == self.numbers() {
            true => self.of_something_else(&others, &columns, names),
            false if self.names().are_landmarks_in_the_plane() && columns.are_landmarks_in_space() => {
                let fit = columns.fit(self.names());
                Some(self.contradiction(None, None).remedied(&fit, names))
            }
            false => return Verdict::Silence, // which is refused as such
        };
        let verdict = found.map_or_else(|| self.in_their_places(&others, &columns, names), Verdict::Contradiction);
        match (verdict, contradiction(self.names(), names)) {
            (Verdict::Agreement | Verdict::Silence, Some(fit)) => {
                Verdict::Contradiction(self.contradiction(None, None).remedied(&fit, names))
            }
            (verdict, _) => verdict,
        }
    }

    /// The columns. A list is read as the names in its own name if these are all numbers of one layout.
    fn columns_of(&self, others: &[&Layout], names: &[impl AsRef<str>], vocabulary: &HashSet<&str>) -> Columns {
        let layouts = || [self].into_iter().chain(others.iter().copied());
        let known: Vec<&str> = layouts().flat_map(|layout| layout.names().called_names()).collect();
        let is_explained = |columns: &Columns| {
            let same = layouts().filter(|layout| layout.numbers() == names.len());
            let mut fits = same.map(|layout| columns.fit(layout.names()));
            fits.any(|fit| fit.is_whole() && (!fit.misplaced || fit.order.is_some()))
        };
        let read = written_out(names, &known, self.names().is_on_a_map()).into_iter();
        let mut read = read.map(|names| Columns::new(&names, vocabulary));
        read.find(is_explained).unwrap_or_else(|| Columns::new(names, vocabulary))
    }

    /// The columns among others, by their places, whose names say that they are the layout's numbers: one for each.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere};
    /// let layouts = Sphere::new(2)?.layouts();
    /// let latlon = layouts.iter().find(|layout| layout.name() == "latlon").ok_or("no such layout")?;
    /// assert_eq!(latlon.find_in(&["time", "lon", "lat", "speed"]), Some(vec![2, 1]));
    /// assert_eq!(latlon.find_in(&["time", "lon", "speed"]), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find_in(&self, names: &[impl AsRef<str>]) -> Option<Vec<usize>> {
        let called = self.names().called_alone()?;
        if self.numbers() >= names.len() {
            return None;
        }
        let words: HashSet<&str> = self.names().words().collect();
        // of a table with thousands of columns, most would be split in vain
        let wanted: Vec<(u32, &str)> =
            called.iter().flat_map(|one| one.words).map(|&word| (letters(word), word)).collect();
        let likely: Vec<usize> = (0..names.len()).filter(|&i| may_say(names[i].as_ref(), &wanted)).collect();
        let said: Vec<&str> = likely.iter().map(|&i| names[i].as_ref()).collect();
        let found = Columns::new(&said, &words).each_of(called)?;
        Some(found.into_iter().map(|i| likely[i]).collect())
    }

    /// Whether names may agree with it: it knows some of its own.
    pub(in crate::manifold) fn knows_names(&self) -> bool {
        let is_known = |part: &Part| !matches!(part.naming, Naming::Unknown | Naming::Composition);
        self.names().parts.iter().any(is_known)
    }

    /// Whether each of its numbers is named by a word, once.
    pub(in crate::manifold) fn is_said(&self, names: &[impl AsRef<str>]) -> bool {
        let columns = || Columns::new(names, &self.names().words().collect());
        self.names().called_alone().is_some_and(|called| columns().each_of(called).is_some())
    }

    /// The columns that this layout takes, and another layout or order for the given ones.
    fn contradiction(&self, layout: Option<&Layout>, order: Option<Vec<usize>>) -> Contradiction {
        let takes = self.names().takes().unwrap_or_else(|| self.name().to_owned());
        let layout = layout.map(|layout| layout.name().to_owned());
        Contradiction { takes, layout, order, factors: vec![], remedy: None }
    }

    /// Whether the columns say that they are nothing the space holds, or name another layout.
    fn of_something_else(
        &self,
        others: &[&Layout],
        columns: &Columns,
        names: &[impl AsRef<str>],
    ) -> Option<Contradiction> {
        // the latitude and the longitude of a lightning strike are no plane
        let is_own = columns.each_says(&self.names().called_words().collect());
        let is_foreign =
            |foreign: &&Foreign| foreign.words.iter().filter(|word| columns.say(&[*word])).count() >= foreign.enough;
        if let Some(foreign) =
            self.names().foreign.iter().find(|foreign| (foreign.of_own || !is_own) && is_foreign(foreign))
        {
            return Some(Contradiction { remedy: Some(foreign.remedy.to_owned()), ..self.contradiction(None, None) });
        }
        if let Some(fit) = columns.misnamed(self.names()) {
            let found = self.contradiction(None, None).remedied(&fit, names);
            return Some(Contradiction { factors: fit.factors, ..found });
        }
        if columns.say(self.names().kind) {
            return None;
        }
        let own: Vec<&str> = self.names().called_words().collect();
        let named = others
            .iter()
            .filter(|other| other.numbers() == self.numbers() && columns.say_besides(other.names().kind, &own));
        let fits = named.map(|other| (other, columns.fit(other.names())));
        let (other, fit) = fits.min_by_key(|(_, fit)| fit.factors.len())?;
        let order = fit.order.clone().filter(|_| fit.is_whole());
        Some(Contradiction { factors: fit.factors, ..self.contradiction(Some(other), order) })
    }

    /// Whether the columns stand where the layout takes them. The layout and the order that explain most names are
    /// right. If there are several, columns as they are come first, then the layout that was chosen.
    fn in_their_places(&self, others: &[&Layout], columns: &Columns, names: &[impl AsRef<str>]) -> Verdict {
        let own = columns.fit(self.names());
        if own.suits() && own.known > 0 && own.known == self.names().named() {
            return Verdict::Agreement;
        }
        let explains = |fit: &Fit| {
            let all = fit.is_whole() && fit.known >= own.known;
            let unit = !own.factors.is_empty() && fit.in_unit > 0 && fit.known >= own.known;
            match fit.suits() {
                true => all || unit,
                false => all && fit.factors.is_empty() && fit.order.is_some(),
            }
        };
        let as_many = others.iter().copied().filter(|other| other.numbers() == self.numbers());
        let fits = as_many.map(|other| (other, columns.fit(other.names())));
        let mut right: Vec<(Option<&Layout>, &Fit)> = vec![];
        let explaining: Vec<(&Layout, Fit)> = fits.filter(|(_, fit)| explains(fit)).collect();
        if own.order.is_some() && own.factors.is_empty() {
            right.push((None, &own));
        }
        right.extend(explaining.iter().map(|(other, fit)| (Some(*other), fit)));
        right.sort_by_key(|(layout, fit)| (Reverse(fit.known), !fit.suits(), layout.is_some(), Reverse(fit.words)));
        match right.first() {
            Some((layout, fit)) if !own.suits() || fit.known > own.known => {
                // a column that is not known is in no place
                let order = fit.order.clone().filter(|_| fit.is_whole());
                Verdict::Contradiction(self.contradiction(*layout, order))
            }
            _ if !own.suits() => Verdict::Contradiction(Contradiction {
                order: own.order.clone().filter(|_| own.is_whole()),
                factors: own.factors.clone(),
                ..self.contradiction(None, None).remedied(&own, names)
            }),
            _ if own.known > 0 => Verdict::Agreement,
            _ => match others.iter().find_map(|other| Some((other, columns.filled(other)?))) {
                Some((other, order)) => Verdict::Contradiction(self.contradiction(Some(other), Some(order))),
                None => Verdict::Silence,
            },
        }
    }

    /// Checks the axes of an array of one record, without the one that counts records, against the layout. Axes of
    /// length 1 are ignored.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Kendall, Manifold, Verdict};
    /// let layouts = Kendall::new(8)?.layouts();
    /// let interleaved = &layouts[0];
    /// assert_eq!(interleaved.check_array(&layouts, &[8, 2]), Verdict::Agreement);
    /// assert_eq!(interleaved.check_array(&layouts, &[16]), Verdict::Silence);
    /// let Verdict::Contradiction(found) = interleaved.check_array(&layouts, &[2, 8]) else {
    ///     return Err("no contradiction".into());
    /// };
    /// assert_eq!(found.layout.as_deref(), Some("blocked"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_array(&self, others: &[Layout], axes: &[usize]) -> Verdict {
        let long = |axes: &[usize]| axes.iter().copied().filter(|&n| n != 1).collect::<Vec<_>>();
        let given = long(axes);
        let Some(own) = self.array() else { return Verdict::Silence };
        if given.len() < 2 {
            return Verdict::Silence;
        }
        if long(own) == given {
            return Verdict::Agreement;
        }
        let other = others
            .iter()
            .find(|other| other.numbers() == self.numbers() && other.array().is_some_and(|array| long(array) == given));
        let list = |axes: &[usize]| axes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        Verdict::Contradiction(Contradiction {
            takes: format!("arrays of shape (n, {}) and not (n, {})", list(own), list(axes)),
            layout: other.map(|other| other.name().to_owned()),
            order: None,
            factors: vec![],
            remedy: other.is_none().then(|| "choose the size of the space by the shape of a record".to_owned()),
        })
    }
}
