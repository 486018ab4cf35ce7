//! A selection of columns: `PLAT,PLONG`, `2-529`, `1,3,5-7`.

use crate::error::{Error, Result};
use karcher::key::composed;
use karcher::list::{Item as Listed, items};
use std::ops::Range;

/// What a number in a selection of columns is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnsBy {
    /// The name of a column.
    Name,
    /// The position of a column, from 1.
    Position,
}

/// Columns by name, by number from 1, or by a range of numbers, in the order given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Selection {
    items: Vec<Item>,
    by: Option<ColumnsBy>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Item {
    /// The first and the last number, as they are written.
    Numbers(usize, usize, String),
    Name(String),
}

impl Selection {
    /// A name in double quotes may hold commas and digits alone.
    pub(crate) fn parse(selection: &str) -> Result<Self> {
        let listed =
            items(selection).map_err(|reason| Error::InvalidSelection { selection: selection.to_owned(), reason })?;
        let items: Result<_> = listed.iter().map(|item| parse_item(selection, item)).collect();
        Ok(Self { items: items?, by: None })
    }

    /// The same, where numbers are names or positions as the user says.
    pub(crate) fn by(self, by: Option<ColumnsBy>) -> Self {
        Self { by, ..self }
    }

    /// Number of chosen columns, if it does not overflow.
    pub(crate) fn len(&self) -> Option<usize> {
        self.items.iter().try_fold(0_usize, |sum, item| match item {
            Item::Name(_) => sum.checked_add(1),
            Item::Numbers(first, last, _) => sum.checked_add((last - first).checked_add(1)?),
        })
    }

    /// Number of chosen columns, and of names that stand for an unknown number of columns. `width` returns the number
    /// of columns of a name.
    #[cfg(feature = "parquet")]
    pub(crate) fn known(&self, width: impl Fn(&str) -> Option<usize>) -> (usize, usize) {
        self.items.iter().fold((0, 0), |(known, unknown), item| match item {
            Item::Numbers(first, last, _) => (known.saturating_add(last - first + 1), unknown),
            Item::Name(name) => {
                width(name).map_or((known, unknown + 1), |width| (known.saturating_add(width), unknown))
            }
        })
    }

    /// The first column that is chosen by its name.
    pub(crate) fn first_name(&self) -> Option<&str> {
        self.items.iter().find_map(|item| match item {
            Item::Numbers(_, _, text) if self.by == Some(ColumnsBy::Name) => Some(text.as_str()),
            Item::Numbers(..) => None,
            Item::Name(name) => Some(name.as_str()),
        })
    }

    /// The names, if all columns are chosen by name.
    pub(crate) fn names(&self) -> Option<Vec<String>> {
        let name = |item: &Item| match item {
            Item::Name(name) => Some(name.clone()),
            Item::Numbers(first, last, text) => {
                (self.by == Some(ColumnsBy::Name) && first == last).then(|| text.clone())
            }
        };
        self.items.iter().map(name).collect()
    }

    /// The one number that it is, as it is written, unless numbers are positions.
    pub(crate) fn may_be_name(&self) -> Option<&str> {
        match &self.items[..] {
            [Item::Numbers(_, _, text)] if self.by.is_none() => Some(text),
            _ => None,
        }
    }

    /// Positions from 0 among `columns` columns.
    pub(crate) fn resolve(&self, file: &str, columns: usize, names: Option<&[String]>) -> Result<Vec<usize>> {
        let mut chosen = Vec::new();
        for item in &self.items {
            match item {
                Item::Numbers(first, last, text) if self.by == Some(ColumnsBy::Name) => {
                    if names.is_some_and(|names| names.contains(text)) {
                        chosen.extend(find(file, columns, names, text)?);
                        continue;
                    }
                    for number in *first..=*last {
                        chosen.extend(named(file, columns, names, number)?);
                    }
                }
                Item::Numbers(first, last, text) => {
                    let is_other = |(at, name): (usize, &String)| {
                        let number = number_of(name).filter(|number| (first..=last).contains(&number));
                        number.is_some_and(|number| number != at + 1) || name == text && first != last
                    };
                    let names = names.filter(|_| self.by.is_none()).unwrap_or_default();
                    if let Some(at) = names.iter().enumerate().position(is_other) {
                        let (file, column, other) = (file.to_owned(), text.clone(), names[at].clone());
                        return Err(Error::NameOrPosition { file, column, name: other, position: at + 1 });
                    }
                    if *last > columns {
                        return Err(Error::ColumnOutOfRange { file: file.to_owned(), column: *last, columns });
                    }
                    chosen.extend(first - 1..*last);
                }
                Item::Name(name) => chosen.extend(find(file, columns, names, name)?),
            }
        }
        Ok(chosen)
    }
}

/// The whole number that a name is: `1`, `01` or `1.0`.
fn number_of(name: &str) -> Option<usize> {
    let number = name.parse::<f64>().ok().filter(|x| x.fract() == 0.0 && (0.0..9e15).contains(x));
    number.map(|x| x as usize)
}

/// The column whose name is a number.
fn named(file: &str, columns: usize, names: Option<&[String]>, number: usize) -> Result<Range<usize>> {
    let written = names.unwrap_or_default().iter().find(|name| number_of(name) == Some(number));
    find(file, columns, names, written.unwrap_or(&number.to_string()))
}

/// The positions that `selection` chooses, or all.
pub(crate) fn select(
    file: &str,
    selection: Option<&Selection>,
    columns: usize,
    names: Option<&[String]>,
) -> Result<Vec<usize>> {
    selection.map_or_else(|| Ok((0..columns).collect()), |s| s.resolve(file, columns, names))
}

/// A name without byte-order mark, spaces and quotes around it.
pub(crate) fn trim_name(name: &str) -> &str {
    name.trim_start_matches('\u{feff}').trim().trim_matches(['"', '\'']).trim()
}

/// The column of that name, or the columns `name[0]`, `name[1]`, … of a list.
pub(crate) fn find(file: &str, columns: usize, names: Option<&[String]>, name: &str) -> Result<Range<usize>> {
    let (file, column) = (file.to_owned(), name.to_owned());
    let Some(names) = names else { return Err(Error::NoColumnNames { file, column, columns }) };
    let is_same = |other: &str| other == name || !other.is_ascii() && composed(other) == composed(name);
    let of_the_name: Vec<usize> = (0..names.len()).filter(|&at| is_same(&names[at])).collect();
    match of_the_name[..] {
        [] => {}
        [position] => return Ok(position..position + 1),
        _ => {
            let numbers = of_the_name.iter().map(|at| (at + 1).to_string()).collect::<Vec<_>>().join(" and ");
            return Err(Error::AmbiguousColumn { file, column, numbers });
        }
    }
    let first = format!("{name}[0]");
    let Some(begin) = names.iter().position(|n| *n == first) else {
        return Err(Error::UnknownColumn { file, column, available: names.to_vec() });
    };
    let further = names[begin..].iter().enumerate().take_while(|(i, n)| **n == format!("{name}[{i}]"));
    Ok(begin..begin + further.count())
}

fn parse_item(selection: &str, Listed { text, is_quoted }: &Listed) -> Result<Item> {
    let item = text.as_str();
    let invalid = |fault: String| {
        let expected = "expected names or numbers from 1, for example latitude,longitude or 1,3,5-7";
        Error::InvalidSelection { selection: selection.to_owned(), reason: format!("{fault}; {expected}") }
    };
    let is_number = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let (first, last) = item.split_once('-').map_or((item, item), |(a, b)| (a.trim(), b.trim()));
    if item.is_empty() {
        return Err(invalid("there is nothing between two commas".to_owned()));
    }
    if *is_quoted || !is_number(first) || !is_number(last) {
        return Ok(Item::Name(trim_name(item).to_owned()));
    }
    let number = |s: &str| s.parse().map_err(|_| invalid(format!("{s} is too large")));
    match (number(first)?, number(last)?) {
        (0, _) => Err(invalid("columns are counted from 1".to_owned())),
        (first, last) if first > last => Err(invalid(format!("the range {item} runs backwards"))),
        (first, last) => Ok(Item::Numbers(first, last, text.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(selection: &str, columns: usize, names: Option<&[String]>) -> Result<Vec<usize>> {
        Selection::parse(selection)?.resolve("f.csv", columns, names)
    }

    #[test]
    fn numbers_and_ranges_keep_their_order() {
        assert_eq!(resolve("3, 1,5-7", 7, None), Ok(vec![2, 0, 4, 5, 6]));
    }

    #[test]
    fn names_keep_their_order_and_mix_with_numbers() {
        let names = ["a", "b-c", "d"].map(str::to_owned);
        assert_eq!(resolve("d,b-c,1", 3, Some(&names)), Ok(vec![2, 1, 0]));
    }

    #[test]
    fn numbers_that_are_names_of_other_columns_are_refused() {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let by = |selection: &str, of: &[&str], by| {
            Selection::parse(selection).unwrap().by(by).resolve("f.csv", of.len(), Some(&names(of)))
        };
        let (name, position) = (Some(ColumnsBy::Name), Some(ColumnsBy::Position));
        for of in [["id", "1", "2", "3"], ["id", "1.0", "2.0", "3.0"], ["id", "01", "02", "03"]] {
            for selection in ["1,2,3", "1-3", "id,2"] {
                let error = by(selection, &of, None).unwrap_err().to_string();
                assert!(error.contains("--columns-by"), "{error}");
            }
            assert_eq!(by("1-3", &of, name), Ok(vec![1, 2, 3]));
            assert_eq!(by("3,id", &of, name), Ok(vec![3, 0]));
            assert_eq!(by("1-3", &of, position), Ok(vec![0, 1, 2]));
            assert!(matches!(by("4", &of, name), Err(Error::UnknownColumn { .. })));
        }
        assert_eq!(by("\"1\"", &["id", "1"], None), Ok(vec![1]));
        assert_eq!(by("1-2", &["1", "2", "x"], None), Ok(vec![0, 1])); // both are the same
        assert_eq!(by("3", &["1", "2", "x"], None), Ok(vec![2]));
        assert_eq!(by("2-3", &["a", "b", "2-3"], name), Ok(vec![2]));
        assert!(matches!(by("2-3", &["a", "b", "2-3"], None), Err(Error::NameOrPosition { .. })));
        assert!(matches!(by("2000", &["1990", "2000"], None), Err(Error::NameOrPosition { .. })));
        assert!(matches!(by("1", &["1", "1"], None), Err(Error::NameOrPosition { .. })));
        assert!(matches!(by("1", &["1", "1"], name), Err(Error::AmbiguousColumn { .. })));
    }

    #[test]
    fn names_with_commas_are_quoted_and_accents_may_be_composed() {
        let names = ["lat, deg", "h\u{f6}he"].map(str::to_owned);
        assert_eq!(resolve("\"lat, deg\",ho\u{308}he", 2, Some(&names)), Ok(vec![0, 1]));
        assert!(matches!(resolve("\"lat, deg", 2, Some(&names)), Err(Error::InvalidSelection { .. })));
    }

    #[test]
    fn unknown_name_lists_the_names_there_are() {
        let names = ["lat", "lng"].map(str::to_owned);
        let error = resolve("lon", 2, Some(&names)).unwrap_err();
        assert_eq!(error.to_string(), "f.csv has no column `lon`: its columns are lat, lng");
    }

    #[test]
    fn the_name_of_a_list_stands_for_all_of_it() {
        let names = ["a", "x[0]", "x[1]", "y[0]", "x[2]"].map(str::to_owned);
        assert_eq!(resolve("x,a", 5, Some(&names)), Ok(vec![1, 2, 0]));
        assert_eq!(resolve("x[2],y", 5, Some(&names)), Ok(vec![4, 3]));
    }

    #[test]
    fn long_lists_of_names_are_shortened() {
        let names: Vec<String> = (1..=528).map(|i| format!("V{i}")).collect();
        let error = resolve("W", 528, Some(&names)).unwrap_err().to_string();
        assert!(error.ends_with("V10, … V526, V527, V528 (528 in all)"), "{error}");
    }

    #[test]
    fn nonsense_is_refused() {
        for selection in ["", ",", "0", "0-3", "3-1", "99999999999999999999999", "1,,2"] {
            let error = resolve(selection, 9, None).unwrap_err();
            assert!(matches!(error, Error::InvalidSelection { .. }), "{selection}");
            assert!(
                error
                    .to_string()
                    .ends_with("expected names or numbers from 1, for example latitude,longitude or 1,3,5-7")
            );
        }
        for selection in ["10", "1-10", "1-18446744073709551615"] {
            assert!(matches!(resolve(selection, 9, None), Err(Error::ColumnOutOfRange { .. })), "{selection}");
        }
        for selection in ["x", "-1", "1-", "1-2-3"] {
            assert!(matches!(resolve(selection, 9, None), Err(Error::NoColumnNames { .. })), "{selection}");
        }
    }
}
