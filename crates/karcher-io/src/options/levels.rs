//! Levels of a column: a public list of the values that its cells may have.

use crate::formats::cell::{Cell, is_missing};
use crate::printable::printable;
use karcher::Key;

/// The levels of a column, in their order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Levels(Vec<Key>);

impl Levels {
    /// Levels as users list them, or the reason why they are none.
    pub(crate) fn new(levels: &[String]) -> Result<Self, String> {
        if levels.is_empty() {
            return Err("it has no levels: list them, or read its cells as numbers".to_owned());
        }
        if let Some((_, again)) = Key::repeated(levels.iter().map(String::as_str)) {
            return Err(format!("its level `{}` is listed twice: list each once", printable(again.trim())));
        }
        let keys = levels.iter().map(|level| Key::of(level)).collect::<Option<_>>();
        keys.map(Self)
            .ok_or_else(|| "one of its levels is empty, and an empty cell is missing: leave it out".to_owned())
    }

    /// The number of a cell's level, or the number of levels if it has none.
    pub(crate) fn number(&self, cell: Cell) -> Cell {
        let key = match &cell {
            Cell::NotANumber(word) => Key::of(word),
            Cell::Number(x) => Key::of_number(*x),
            Cell::Missing | Cell::OfOtherLength(_) => return cell,
        };
        match (self.0.iter().position(|level| Some(level) == key.as_ref()), &cell) {
            (Some(level), _) => Cell::Number(level as f64),
            (None, Cell::NotANumber(word)) if is_none(word.trim()) => Cell::Missing,
            (None, Cell::Number(x)) if x.is_nan() => cell,
            (None, _) => Cell::Number(self.0.len() as f64),
        }
    }
}

/// Whether a word that is no level stands for a missing value.
fn is_none(word: &str) -> bool {
    is_missing(word) || word.parse::<f64>().is_ok_and(f64::is_nan)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(levels: &[&str]) -> Result<Levels, String> {
        Levels::new(&levels.iter().map(|level| (*level).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn texts_are_compared_as_texts_and_else_as_numbers() {
        let levels = of(&["F", " M ", "1", "0.5", "none"]).unwrap();
        for (word, level) in
            [("F", 0.0), (" M", 1.0), ("1", 2.0), ("none", 4.0), ("f", 5.0), ("1.0", 2.0), ("01", 2.0), ("inf", 5.0)]
        {
            assert_eq!(levels.number(Cell::NotANumber(word.to_owned())), Cell::Number(level), "{word}");
        }
        for (x, level) in [(1.0, 2.0), (0.5, 3.0), (2.0, 5.0), (f64::INFINITY, 5.0)] {
            assert_eq!(levels.number(Cell::Number(x)), Cell::Number(level), "{x}");
        }
        for word in ["", " ", "NA", "null", "NaN", "?"] {
            assert_eq!(levels.number(Cell::NotANumber(word.to_owned())), Cell::Missing, "{word}");
        }
        assert!(matches!(levels.number(Cell::Number(f64::NAN)), Cell::Number(x) if x.is_nan()));
        assert_eq!(levels.number(Cell::Missing), Cell::Missing);
    }

    #[test]
    fn truth_values_are_numbers() {
        let truths = of(&["False", "true"]).unwrap();
        for (cell, level) in
            [(Cell::Number(1.0), 1.0), (Cell::Number(0.0), 0.0), (Cell::NotANumber("TRUE".to_owned()), 1.0)]
        {
            assert_eq!(truths.number(cell), Cell::Number(level));
        }
    }

    #[test]
    fn levels_that_are_none_are_refused() {
        for (levels, reason) in
            [(&[][..], "no levels"), (&["F", " F"], "`F` is listed twice"), (&["F", " "], "one of its levels is empty")]
        {
            assert!(of(levels).unwrap_err().contains(reason), "{levels:?}");
        }
    }
}
