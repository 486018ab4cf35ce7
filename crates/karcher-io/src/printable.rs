//! Text from files, fit for a terminal.

use std::borrow::Cow;

/// Returns `text` with escape sequences for characters that a terminal would obey instead of showing.
///
/// Control characters can move the cursor, recolor or retitle a terminal, and direction marks can reorder text. A cell
/// or a name in a file must do neither.
///
/// ```
/// assert_eq!(karcher_io::printable("\u{1b}[2Jé"), "\\u{1b}[2Jé");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let show = |c: char| if is_obeyed(c) { c.escape_default().collect() } else { String::from(c) };
    Cow::Owned(text.chars().map(show).collect())
}

fn is_obeyed(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
