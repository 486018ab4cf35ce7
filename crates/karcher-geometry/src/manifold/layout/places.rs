//! Names that say places: entries of a matrix, and coordinates of landmarks.

use super::fit::Fit;
use super::tokens::are_a_series;
use std::collections::HashMap;
use std::fmt;

/// The letters that name axes.
const AXES: [&str; 3] = ["x", "y", "z"];

/// Entries of a matrix, in the order in which a record holds them.
#[derive(Clone)]
pub(in crate::manifold) struct Entries {
    places: Vec<(usize, usize)>,
    /// Rows and columns.
    size: (usize, usize),
    symmetric: bool,
}

impl Entries {
    /// Entries `(row, column)`, counted from 0.
    pub(in crate::manifold) fn new(places: Vec<(usize, usize)>, size: (usize, usize)) -> Self {
        Self { places, size, symmetric: false }
    }

    /// The same of a symmetric matrix, where `(i, j)` is `(j, i)` as well.
    pub(in crate::manifold) fn symmetric(self) -> Self {
        Self { symmetric: true, ..self }
    }

    /// All entries, row by row.
    pub(in crate::manifold) fn row_by_row(rows: usize, columns: usize) -> Self {
        let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))).collect();
        Self::new(places, (rows, columns))
    }

    /// The entries, in order.
    pub(super) fn places(&self) -> &[(usize, usize)] {
        &self.places
    }

    /// Rows and columns of the matrix.
    pub(super) fn size(&self) -> (usize, usize) {
        self.size
    }

    /// Whether `(i, j)` is `(j, i)` as well.
    pub(super) fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// How names suit these entries, if they are such. A name says an entry by two letters x, y or z at its end, `Dxy`,
    /// or by two numbers from 0 or 1 on, `c[1,2]`, which may be written together, `r12`.
    pub(super) fn fit(&self, names: &[Vec<String>]) -> Option<Fit> {
        let size = self.size.0.max(self.size.1);
        let found = letters(names, size).or_else(|| numbers(names, size))?;
        match found.iter().copied().collect::<Option<Vec<Place>>>() {
            Some(all) => self.order(&all).map(|order| Fit::in_order(names.len(), order)),
            None => self.with_strangers(&found),
        }
    }

    /// An entry by which `(j, i)` may be meant as well.
    fn same(&self, (i, j): Place) -> Place {
        if self.symmetric && i > j { (j, i) } else { (i, j) }
    }

    /// The fit of names where some are no entries.
    fn with_strangers(&self, found: &[Option<Place>]) -> Option<Fit> {
        let mut missing: Vec<Place> = self.places.clone();
        for place in found.iter().flatten() {
            missing.remove(missing.iter().position(|known| self.same(*known) == self.same(*place))?);
        }
        let wanted: Vec<String> = missing.iter().map(|place| self.label(*place)).collect();
        let s = if wanted.len() == 1 { "y" } else { "ies" };
        Some(Fit::with_strangers(found, format!("the entr{s} {}", wanted.join(" "))))
    }

    /// The order of names of places in which they are these entries, if they are.
    fn order(&self, found: &[Place]) -> Option<Vec<usize>> {
        let same = |place| self.same(place);
        // a whole symmetric matrix has two of each, any of them
        let mut at: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
        for (name, place) in found.iter().enumerate().rev() {
            at.entry(same(*place)).or_default().push(name);
        }
        let mut order = vec![None; found.len()];
        let mut places: Vec<usize> = (0..self.places.len()).collect();
        // names that are where they belong stay there
        places.retain(|&i| {
            let here = at.get_mut(&same(self.places[i]));
            let stays = here.and_then(|names| Some(names.remove(names.iter().position(|&name| name == i)?)));
            order[i] = stays;
            stays.is_none()
        });
        for i in places {
            order[i] = Some(at.get_mut(&same(self.places[i]))?.pop()?);
        }
        order.into_iter().collect()
    }

    /// `12`, or `1,12` where numbers have two digits.
    fn label(&self, (i, j): Place) -> String {
        let comma = if self.size.0.max(self.size.1) > 9 { "," } else { "" };
        format!("{}{comma}{}", i + 1, j + 1)
    }
}

impl fmt::Display for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 9;
        let shown: Vec<String> = self.places.iter().take(SHOWN).map(|place| self.label(*place)).collect();
        write!(f, "{}{}", shown.join(" "), if self.places.len() > SHOWN { " …" } else { "" })
    }
}

type Place = (usize, usize);

/// Most names are known, so that the others are strangers among them and are no series with them.
fn most_are_known<T>(names: &[Vec<String>], found: &[Option<T>]) -> bool {
    let known = || names.iter().zip(found).filter(|(_, found)| found.is_some()).map(|(name, _)| name);
    let mut strangers = names.iter().zip(found).filter(|(_, found)| found.is_none()).map(|(name, _)| name);
    2 * known().count() > names.len() && !strangers.any(|name| known().any(|other| are_a_series(name, other)))
}

/// The place in each name whose remainder is the same as that of the first: of the others there are few.
fn alike(names: &[Vec<String>], parsed: Vec<Option<(Place, String)>>) -> Option<Vec<Option<Place>>> {
    let rest = parsed.iter().flatten().next()?.1.clone();
    let found: Vec<Option<Place>> =
        parsed.into_iter().map(|found| found.filter(|(_, of)| *of == rest).map(|(place, _)| place)).collect();
    let enough = found.iter().flatten().count() > 2 || found.iter().all(Option::is_some);
    (enough && most_are_known(names, &found)).then_some(found)
}

/// Entries by two letters at the end of a token, before which names are the same.
fn letters(names: &[Vec<String>], size: usize) -> Option<Vec<Option<Place>>> {
    let axes = if size <= 3 { axes(names, size) } else { return None };
    let axis = |letter: char| axes.iter().position(|axis| *axis == letter);
    let parse = |name: &Vec<String>| {
        name.iter().enumerate().find_map(|(at, token)| {
            let mut end = token.chars().rev();
            let (column, row) = (axis(end.next()?)?, axis(end.next()?)?);
            let mut rest = name.clone();
            rest[at] = end.collect();
            Some(((row, column), rest.concat()))
        })
    };
    alike(names, names.iter().map(parse).collect())
}

/// The letters of axes: x, y and z, or those that names have twice at their end, as `Mrr`, `Mtt` and `Mpp`.
fn axes(names: &[Vec<String>], size: usize) -> Vec<char> {
    let twice = |name: &Vec<String>| {
        let mut end = name.last()?.chars().rev();
        end.next().filter(|letter| letter.is_alphabetic() && end.next() == Some(*letter))
    };
    let found: Vec<char> = names.iter().filter_map(twice).collect();
    let are_distinct = (1..found.len()).all(|i| !found[..i].contains(&found[i]));
    match found.len() == size && are_distinct && !found.iter().any(|letter| "xyz".contains(*letter)) {
        true => found,
        false => "xyz".chars().take(size).collect(),
    }
}

/// Entries by two numbers, from 0 or from 1 on.
fn numbers(names: &[Vec<String>], size: usize) -> Option<Vec<Option<Place>>> {
    let parse = |name: &Vec<String>| {
        let words: String = name.iter().filter(|token| !is_number(token)).cloned().collect();
        let numbers: Vec<&String> = name.iter().filter(|token| is_number(token)).collect();
        let place = match numbers[..] {
            [row, column] => (row.parse().ok()?, column.parse().ok()?),
            [both] if both.len() == 2 && size <= 9 => (both[..1].parse().ok()?, both[1..].parse().ok()?),
            _ => return None,
        };
        Some((place, words))
    };
    let found = alike(names, names.iter().map(parse).collect())?;
    let places = || found.iter().copied().flatten();
    let (least, most) = (places().map(|(i, j)| i.min(j)).min()?, places().map(|(i, j)| i.max(j)).max()?);
    let base = if least == 0 { 0 } else { 1 };
    (most < size + base).then(|| found.iter().map(|place| place.map(|(i, j)| (i - base, j - base))).collect())
}

fn is_number(token: &str) -> bool {
    token.bytes().all(|b| b.is_ascii_digit())
}

/// How names suit landmarks with so many axes, interleaved or blocked, if they are such names: each has one of the
/// letters x, y and z as a part, and the remainder names the landmark, `x1`, `nose_y`.
pub(super) fn landmarks(names: &[Vec<String>], blocked: bool, axes: usize) -> Option<Fit> {
    let parsed = coordinates(names);
    let of_landmarks = || parsed.iter().flatten();
    if axes == 2 && are_in_space(names) {
        return Some(Fit::without_order(
            names.len(),
            "two coordinates of each landmark: shapes are of the plane; or take landmarks:K,3".to_owned(),
        ));
    }
    if axes == 3 && are_in_plane(names) {
        return Some(Fit::without_order(
            names.len(),
            format!(
                "three coordinates of each landmark, or a space of size {},2: these are in the plane",
                names.len() / 2
            ),
        ));
    }
    if axes == 3 && are_in_plane_with_confidences(names) {
        return Some(Fit::without_order(
            names.len(),
            format!(
                "three coordinates of each landmark: these are two and a confidence, so choose the columns of x and y, \
                 and a space of size {},2",
                names.len() / 3
            ),
        ));
    }
    let mut ids: HashMap<&str, usize> = HashMap::new();
    let mut at: Vec<Vec<Option<usize>>> = vec![];
    for (name, found) in parsed.iter().enumerate() {
        let Some((id, axis)) = found.as_ref().filter(|(_, axis)| *axis < axes) else { continue };
        let id = *ids.entry(id).or_insert(at.len());
        if id == at.len() {
            at.push(vec![None; axes]);
        }
        if at[id][*axis].replace(name).is_some() {
            return None;
        }
    }
    let is_whole = |landmark: &Vec<Option<usize>>| landmark.iter().all(Option::is_some);
    if !at.iter().any(is_whole) {
        return None; // the letters name something else
    }
    if of_landmarks().count() < names.len() {
        let wanted = "coordinates of landmarks".to_owned();
        return most_are_known(names, &parsed).then(|| Fit::with_strangers(&parsed, wanted));
    }
    let of = |axis: usize| at.iter().map(move |landmark| landmark[axis]);
    let order: Option<Vec<usize>> = match blocked {
        true => (0..axes).flat_map(of).collect(),
        false => at.iter().flatten().copied().collect(),
    };
    Some(match order {
        Some(order) => Fit::in_order(names.len(), order),
        None => Fit::without_order(names.len(), "all coordinates of each landmark".to_owned()),
    })
}

/// Whether names are those of landmarks in space.
pub(super) fn are_in_space(names: &[Vec<String>]) -> bool {
    let parsed = coordinates(names);
    parsed.iter().all(Option::is_some) && (0..3).all(|axis| parsed.iter().flatten().any(|(_, of)| *of == axis))
}

/// Whether names are those of landmarks in the plane: each has x and y, and nothing else.
fn are_in_plane(names: &[Vec<String>]) -> bool {
    let parsed: Option<Vec<(String, usize)>> = coordinates(names).into_iter().collect();
    parsed.is_some_and(|parsed| {
        let is_there =
            |id: &String, axis: usize| parsed.iter().filter(|other| other.0 == *id && other.1 == axis).count() == 1;
        !parsed.is_empty() && parsed.iter().all(|(id, axis)| *axis < 2 && is_there(id, 0) && is_there(id, 1))
    })
}

/// Whether names are those of landmarks in the plane, each with a confidence, as detectors of poses write them.
fn are_in_plane_with_confidences(names: &[Vec<String>]) -> bool {
    const CONFIDENCES: [&str; 11] =
        ["c", "conf", "confidence", "likelihood", "p", "prob", "probability", "s", "score", "v", "visibility"];
    let is_confidence = |name: &&Vec<String>| name.last().is_some_and(|word| CONFIDENCES.contains(&word.as_str()));
    let (confidences, others): (Vec<_>, Vec<_>) = names.iter().partition(is_confidence);
    let others: Vec<Vec<String>> = others.into_iter().cloned().collect();
    2 * confidences.len() == others.len() && are_in_plane(&others)
}

/// The landmark of each name and the axis of its coordinate.
fn coordinates(names: &[Vec<String>]) -> Vec<Option<(String, usize)>> {
    let parse = |name: &Vec<String>| {
        let axis = |token: &String| AXES.iter().position(|axis| axis == token);
        let mut found = name.iter().enumerate().filter_map(|(at, token)| Some((at, axis(token)?)));
        let (at, axis) = found.next()?;
        let rest = [&name[..at], &name[at + 1..]].concat().join(" ");
        found.next().is_none().then_some((rest, axis))
    };
    names.iter().map(parse).collect()
}
