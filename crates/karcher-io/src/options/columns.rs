//! A selection of columns: `PLAT,PLONG`, `2-529`, `1,3,5-7`.

use crate::error::{Error, Result};
use std::ops::Range;

/// Columns by name, by number from 1, or by a range of numbers, in the order given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Selection(Vec<Item>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Item {
    Numbers(usize, usize),
    Name(String),
}

impl Selection {
    pub(crate) fn parse(selection: &str) -> Result<Self> {
        let items: Result<_> = selection.split(',').map(|item| parse_item(selection, item.trim())).collect();
        Ok(Self(items?))
    }

    /// The same, but a text in double quotes is one name, with all commas in it.
    pub(crate) fn parse_one(column: &str) -> Result<Self> {
        let quoted = column.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        match quoted.filter(|name| !name.is_empty()) {
            Some(name) => Ok(Self(vec![Item::Name(trim_name(name).to_owned())])),
            None => Self::parse(column),
        }
    }

    /// Number of chosen columns, if it does not overflow.
    pub(crate) fn len(&self) -> Option<usize> {
        self.0.iter().try_fold(0_usize, |sum, item| match item {
            Item::Name(_) => sum.checked_add(1),
            Item::Numbers(first, last) => sum.checked_add((last - first).checked_add(1)?),
        })
    }

    /// Number of chosen columns, and of names that stand for an unknown number of columns. `width` returns the number
    /// of columns of a name.
    #[cfg(feature = "parquet")]
    pub(crate) fn known(&self, width: impl Fn(&str) -> Option<usize>) -> (usize, usize) {
        self.0.iter().fold((0, 0), |(known, unknown), item| match item {
            Item::Numbers(first, last) => (known.saturating_add(last - first + 1), unknown),
            Item::Name(name) => {
                width(name).map_or((known, unknown + 1), |width| (known.saturating_add(width), unknown))
            }
        })
    }

    /// The first column that is chosen by its name.
    pub(crate) fn first_name(&self) -> Option<&str> {
        self.0.iter().find_map(|item| match item {
            Item::Name(name) => Some(name.as_str()),
            Item::Numbers(..) => None,
        })
    }

    /// Positions from 0 among `columns` columns.
    pub(crate) fn resolve(&self, file: &str, columns: usize, names: Option<&[String]>) -> Result<Vec<usize>> {
        let mut chosen = Vec::new();
        for item in &self.0 {
            match item {
                Item::Numbers(_, last) if *last > columns => {
                    return Err(Error::ColumnOutOfRange { file: file.to_owned(), column: *last, columns });
                }
                Item::Numbers(first, last) => chosen.extend(first - 1..*last),
                Item::Name(name) => chosen.extend(find(file, columns, names, name)?),
            }
        }
        Ok(chosen)
    }
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
    let of_the_name: Vec<usize> = (0..names.len()).filter(|&at| names[at] == name).collect();
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

fn parse_item(selection: &str, item: &str) -> Result<Item> {
    let invalid = |fault: String| {
        let expected = "expected names or numbers from 1, for example latitude,longitude or 1,3,5-7";
        Error::InvalidSelection { selection: selection.to_owned(), reason: format!("{fault}; {expected}") }
    };
    let is_number = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let (first, last) = item.split_once('-').map_or((item, item), |(a, b)| (a.trim(), b.trim()));
    if item.is_empty() {
        return Err(invalid("there is nothing between two commas".to_owned()));
    }
    if !is_number(first) || !is_number(last) {
        return Ok(Item::Name(trim_name(item).to_owned()));
    }
    let number = |s: &str| s.parse().map_err(|_| invalid(format!("{s} is too large")));
    match (number(first)?, number(last)?) {
        (0, _) => Err(invalid("columns are counted from 1".to_owned())),
        (first, last) if first > last => Err(invalid(format!("the range {item} runs backwards"))),
        (first, last) => Ok(Item::Numbers(first, last)),
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
