//! Cells that are no numbers, by what wrote them: an error of a spreadsheet, a list, a decimal comma.

/// Whether a cell is an error of a spreadsheet, in any language: `#DIV/0!`, `#REF!`, `#WERT!`, `#NV`, `#N/D`.
pub(crate) fn is_spreadsheet_error(cell: &str) -> bool {
    let Some(rest) = cell.trim().strip_prefix('#') else { return false };
    let is_loud = rest.chars().all(|c| c.is_uppercase() || "/!?¡¿0123456789".contains(c));
    let has_letter = rest.chars().any(char::is_uppercase);
    has_letter && is_loud && rest.ends_with(['!', '?']) || ["NV", "N/A", "N/D", "DIV/0"].contains(&rest)
}

/// Whether a cell holds several numbers: `[0.6, 0.8]`, `(1 2)`, `POINT (2.35 48.85)`, `1;2;3`.
pub(crate) fn holds_several_numbers(cell: &str) -> bool {
    const BRACKETS: [char; 6] = ['[', ']', '(', ')', '{', '}'];
    let cell = cell.trim();
    let inner = cell.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '.' || c == ' ');
    let is_bracketed = inner.starts_with(BRACKETS);
    let is_separator = |c: char| BRACKETS.contains(&c) || ";| \t".contains(c) || is_bracketed && c == ',';
    let numbers = if is_bracketed { inner } else { cell };
    let words = || numbers.split(is_separator).map(str::trim).filter(|word| !word.is_empty());
    words().count() > 1 && words().all(|word| word.parse::<f64>().is_ok())
}

/// A value as an argument of `--missing-values`, if it can be one: there a comma separates values, and `=` a column.
pub(crate) fn as_missing_value(cell: &str) -> Option<String> {
    let is_one = !cell.is_empty()
        && cell.len() <= 20
        && !cell.contains([',', '=', '\'', '"'])
        && !cell.contains(char::is_control);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._+".contains(c);
    match is_one {
        true if cell.chars().all(is_plain) => Some(cell.to_owned()),
        true => Some(format!("'{cell}'")),
        false => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_spreadsheets_are_no_comments() {
        for error in [
            "#DIV/0!",
            "#N/A",
            "#REF!",
            "#NAME?",
            "#NULL!",
            "#NUM!",
            "#VALUE!",
            "#WERT!",
            "#ZAHL!",
            "#BEZUG!",
            "#NV",
            "#¡DIV/0!",
            "#N/D",
            "#VALEUR!",
            "#ЗНАЧ!",
            "#SPILL!",
        ] {
            assert!(is_spreadsheet_error(error), "{error}");
        }
        for comment in ["#", "# the end", "#ff0000", "#!", "#1", "DIV/0!", "#TIME", "# DIV/0!", "#x!"] {
            assert!(!is_spreadsheet_error(comment), "{comment}");
        }
    }

    #[test]
    fn lists_are_told_from_numbers_with_commas() {
        for list in [
            "[0.6, 0.8, 0.0]",
            "[0.6 0.8]",
            "(1,2)",
            "{1,2}",
            "[[1, 2], [3, 4]]",
            "1;2",
            "1 2 3",
            "POINT (2.35 48.85)",
            "array([1.0, 2.0])",
            "np.array([1,2])",
        ] {
            assert!(holds_several_numbers(list), "{list}");
        }
        for other in ["48,85", "1", "", "a b", "1,234,567", "[1]", "(2)", "5 km", "2001-02-03 10:00"] {
            assert!(!holds_several_numbers(other), "{other}");
        }
    }

    #[test]
    fn missing_values_are_quoted_for_a_shell() {
        for (cell, argument) in
            [("MM", Some("MM")), ("#DIV/0!", Some("'#DIV/0!'")), ("--", Some("'--'")), ("a,b", None), ("a=b", None)]
        {
            assert_eq!(as_missing_value(cell).as_deref(), argument);
        }
    }
}
