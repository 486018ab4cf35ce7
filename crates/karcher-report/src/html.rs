//! Elements of all parts of a page. The markup is both HTML and XML.

use crate::picture::view::label;
use maud::{Escaper, Markup, Render, html};
use std::fmt::Write;

/// Text from a file: markup in it stays text, and direction marks and invisible characters become escape sequences.
pub struct Shown<'a>(pub &'a str);

impl Render for Shown<'_> {
    fn render_to(&self, page: &mut String) {
        let mut page = Escaper::new(page);
        for c in self.0.chars() {
            let written = if is_seen(c) { page.write_char(c) } else { write!(page, "{}", c.escape_default()) };
            debug_assert!(written.is_ok(), "a string takes all that is written to it");
        }
    }
}

fn is_seen(c: char) -> bool {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_none = matches!(c, '\u{fdd0}'..='\u{fdef}') || u32::from(c) & 0xfffe == 0xfffe;
    matches!(c, '\n' | '\t') || !(c.is_control() || turns || is_none)
}

/// A number for people: four significant digits.
pub fn number(x: f64) -> String {
    label(x)
}

/// A heading of a level from 1 to 6.
pub fn heading(level: u8, words: impl Render) -> Markup {
    match level {
        1 => html! { h1 { (words) } },
        2 => html! { h2 { (words) } },
        3 => html! { h3 { (words) } },
        4 => html! { h4 { (words) } },
        5 => html! { h5 { (words) } },
        _ => html! { h6 { (words) } },
    }
}

/// A description list: names with their descriptions.
pub fn facts(caption: &str, rows: &[(&str, String)]) -> Markup {
    html! {
        table class="facts" {
            caption { (caption) }
            tbody {
                @for (name, words) in rows {
                    tr { th scope="row" { (name) } td { (Shown(words)) } }
                }
            }
        }
    }
}

/// A table with a head, which may be wider than a narrow page. The first cell of a row is its heading.
pub fn columns(caption: &str, heads: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        div class="wide" role="region" aria-label=(caption) tabindex="0" {
            table class="columns" {
                caption { (caption) }
                thead { tr { @for head in heads { th scope="col" { (head) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (i, cell) in row.iter().enumerate() {
                                @if i == 0 { th scope="row" { (Shown(cell)) } } @else { td { (Shown(cell)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A section that is folded on a screen and unfolded on paper.
pub fn folded_on_screen(summary: &str, content: &Markup) -> Markup {
    html! { details class="printed" { summary { (summary) } (content) } }
}

/// A section that is folded on a screen and left out on paper.
pub fn folded(summary: &str, content: &Markup) -> Markup {
    html! { details { summary { (summary) } (content) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        let text = Shown("<script>alert('&\"')</script>\u{202e}\u{1b}[2J\u{0}\u{ffff}é").render().into_string();
        assert!(text.starts_with("&lt;script&gt;alert(") && !text.contains('"'), "{text}");
        assert!(text.ends_with(r"\u{202e}\u{1b}[2J\u{0}\u{ffff}é"), "{text}");
    }
}
