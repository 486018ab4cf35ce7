//! Names that say places: entries of a matrix, and coordinates of landmarks.

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

    /// Those of a symmetric matrix, where `(i, j)` is `(j, i)` as well.
    pub(in crate::manifold) fn symmetric(places: Vec<(usize, usize)>, k: usize) -> Self {
        Self { symmetric: true, ..Self::new(places, (k, k)) }
    }

    /// All entries, row by row.
    pub(in crate::manifold) fn row_by_row(rows: usize, columns: usize) -> Self {
        let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))).collect();
        Self::new(places, (rows, columns))
    }

    /// The order of names in which they are these entries, if they are. A name says an entry by two letters x, y or z
    /// at its end, `Dxy`, or by two numbers from 0 or 1 on, `c[1,2]`, which may be written together, `r12`.
    pub(super) fn order(&self, names: &[Vec<String>]) -> Option<Vec<usize>> {
        let (rows, columns) = self.size;
        let found = letters(names, rows.max(columns)).or_else(|| numbers(names, rows.max(columns)))?;
        let same = |(i, j): (usize, usize)| if self.symmetric && i > j { (j, i) } else { (i, j) };
        // a whole symmetric matrix has two of each, any of them
        let mut at: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
        for (name, place) in found.into_iter().enumerate().rev() {
            at.entry(same(place)).or_default().push(name);
        }
        let mut order = vec![None; names.len()];
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
}

impl fmt::Display for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 9;
        let comma = if self.size.0.max(self.size.1) > 9 { "," } else { "" };
        let shown: Vec<String> =
            self.places.iter().take(SHOWN).map(|(i, j)| format!("{}{comma}{}", i + 1, j + 1)).collect();
        write!(f, "{}{}", shown.join(" "), if self.places.len() > SHOWN { " …" } else { "" })
    }
}

type Places = Vec<(usize, usize)>;

/// Entries by two letters at the end of a token, before which all names are the same.
fn letters(names: &[Vec<String>], size: usize) -> Option<Places> {
    let axis = |letter: char| "xyz".chars().take(size).position(|axis| axis == letter);
    let parse = |name: &Vec<String>| {
        name.iter().enumerate().find_map(|(at, token)| {
            let mut end = token.chars().rev();
            let (column, row) = (axis(end.next()?)?, axis(end.next()?)?);
            let mut rest = name.clone();
            rest[at] = end.collect();
            Some(((row, column), rest.concat()))
        })
    };
    let parsed: Option<Vec<_>> = if size <= 3 { names.iter().map(parse).collect() } else { None };
    let parsed = parsed?;
    let same_rest = parsed.iter().all(|(_, rest)| *rest == parsed[0].1);
    same_rest.then(|| parsed.into_iter().map(|(place, _)| place).collect())
}

/// Entries by two numbers, from 0 or from 1 on.
fn numbers(names: &[Vec<String>], size: usize) -> Option<Places> {
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
    let parsed: Vec<((usize, usize), String)> = names.iter().map(parse).collect::<Option<_>>()?;
    if parsed.iter().any(|(_, words)| *words != parsed[0].1) {
        return None;
    }
    let places = || parsed.iter().map(|(place, _)| *place);
    let (least, most) = (places().map(|(i, j)| i.min(j)).min()?, places().map(|(i, j)| i.max(j)).max()?);
    let base = if least == 0 { 0 } else { 1 };
    (most < size + base).then(|| places().map(|(i, j)| (i - base, j - base)).collect())
}

fn is_number(token: &str) -> bool {
    token.bytes().all(|b| b.is_ascii_digit())
}

/// Where the coordinates of landmarks stand.
pub(super) struct Landmarks {
    pub(super) misplaced: bool,
    pub(super) order: Option<Vec<usize>>,
}

/// Whether names are those of landmarks in the plane, interleaved or blocked, if they are such names: each has one of
/// the letters x, y and z as a part, and what is left names the landmark, `x1`, `nose_y`.
pub(super) fn landmarks(names: &[Vec<String>], blocked: bool) -> Option<Landmarks> {
    let parse = |name: &Vec<String>| {
        let axis = |token: &String| AXES.iter().position(|axis| axis == token);
        let mut found = name.iter().enumerate().filter_map(|(at, token)| Some((at, axis(token)?)));
        let (at, axis) = found.next()?;
        let rest = [&name[..at], &name[at + 1..]].concat().join(" ");
        found.next().is_none().then_some((rest, axis))
    };
    let parsed: Vec<(String, usize)> = names.iter().map(parse).collect::<Option<_>>()?;
    if parsed.iter().any(|(_, axis)| *axis == 2) {
        let in_space = (0..2).all(|axis| parsed.iter().any(|(_, of)| *of == axis));
        return in_space.then_some(Landmarks { misplaced: true, order: None });
    }
    let mut ids: HashMap<&str, usize> = HashMap::new();
    let mut at: Vec<[Option<usize>; 2]> = vec![];
    for (name, (id, axis)) in parsed.iter().enumerate() {
        let id = *ids.entry(id).or_insert(at.len());
        if id == at.len() {
            at.push([None; 2]);
        }
        if at[id][*axis].replace(name).is_some() {
            return None;
        }
    }
    let of = |axis: usize| at.iter().map(move |landmark| landmark[axis]);
    let order: Option<Vec<usize>> = match blocked {
        true => of(0).chain(of(1)).collect(),
        false => at.iter().flatten().copied().collect(),
    };
    let order = order?;
    let misplaced = order.iter().enumerate().any(|(i, &name)| i != name);
    Some(Landmarks { misplaced, order: Some(order) })
}
