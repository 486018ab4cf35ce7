//! The page itself: its words, with its script and its style.

use super::data::four_digits;
use super::{BallPicture, Planner, PlannerAxis};
use crate::html::{Shown, columns, number};
use crate::page::{PAGE_STYLE, STYLE, head};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// What begins with a file listens to what shows the plan.
const SCRIPT: &str = concat!(include_str!("start.js"), include_str!("planner.js"));
const PLANNER_STYLE: &str = include_str!("planner.css");

/// The names of the axes in ids of the page.
const IDS: [&str; 3] = ["radius", "records", "budget"];

impl Planner {
    /// The page: one file, which fetches nothing. Its script is the only one that may run.
    pub fn page(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    (PreEscaped(head(Some(SCRIPT))))
                    title { (Shown(&self.title)) }
                    style { (PreEscaped(STYLE)) (PreEscaped(PAGE_STYLE)) (PreEscaped(PLANNER_STYLE)) }
                }
                body class="karcher planner" {
                    header {
                        h1 { (Shown(&self.title)) }
                        p {
                            "Try radii, numbers of records and budgets before you spend any. No record was read: \
                            everything here is public."
                        }
                    }
                    main {
                        (self.without_script())
                        div id="live" hidden {
                            (self.choice()) (self.ball()) (self.errors()) (self.curves()) (self.file()) (self.code())
                        }
                    }
                    footer {
                        p {
                            "Made by karcher " (env!("CARGO_PKG_VERSION")) ", which computed each number beforehand. \
                            Sliders move between these points; nothing is interpolated. Errors are rounded up to four \
                            digits. The page fetches nothing."
                        }
                    }
                    script type="application/json" id="plan" { (PreEscaped(self.data())) }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        };
        page.into_string() + "\n"
    }

    fn choice(&self) -> Markup {
        html! {
            section aria-labelledby="choose-heading" {
                h2 id="choose-heading" { "Choose" }
                @for (axis, id) in self.axes.iter().zip(IDS) { (slider(axis, id)) }
                p id="summary" class="lead" role="status" {}
            }
        }
    }

    fn ball(&self) -> Markup {
        html! {
            @if self.picture != BallPicture::None {
                section aria-labelledby="ball-heading" {
                    h2 id="ball-heading" { "The ball" }
                    figure {
                        svg id="ball" class="ball" role="img" aria-labelledby="ball-words" viewBox="-1.1 -1.1 2.2 2.2" {}
                        figcaption id="ball-words" {}
                    }
                }
            }
        }
    }

    fn errors(&self) -> Markup {
        html! {
            section aria-labelledby="errors-heading" {
                h2 id="errors-heading" { "Errors at this point" }
                p { "Expected " (Shown(&self.error)) ", in " (Shown(&self.unit)) "." }
                div class="wide" role="region" aria-labelledby="errors-heading" tabindex="0" {
                    table id="errors" class="columns" {
                        caption { "Mechanisms, the smallest error first" }
                        thead { tr { th scope="col" { "mechanism" } th scope="col" { "expected error" } th scope="col" { "notes" } } }
                        tbody {}
                    }
                }
            }
        }
    }

    fn curves(&self) -> Markup {
        html! {
            section aria-labelledby="curves-heading" {
                h2 id="curves-heading" { "What changes it" }
                p { "Each curve changes one number and keeps the others. The table has the colors; the ring marks your point." }
                div class="charts" {
                    @for (axis, id) in self.axes.iter().zip(IDS) {
                        @if axis.values.len() > 1 {
                            figure {
                                svg id={ "chart-" (id) } role="img" aria-labelledby={ "chart-" (id) "-words" }
                                    aria-describedby={ "chart-" (id) "-ends" } viewBox="0 0 320 240" {}
                                figcaption {
                                    span id={ "chart-" (id) "-words" } { "Expected error over the " (axis.name.to_lowercase()) }
                                    p id={ "chart-" (id) "-ends" } {}
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The questions about a file, whose header the script reads.
    fn file(&self) -> Markup {
        html! {
            @if self.start.is_some() {
                section aria-labelledby="file-heading" {
                    h2 id="file-heading" { "Your file" }
                    p {
                        "Choose a table, or drop it on this page. The browser reads its first line, or the shape of an array \
                        of NumPy, and no record. Nothing leaves this page: it cannot send anything."
                    }
                    div class="asked" {
                        label for="table" { "File of the records" }
                        input id="table" type="file";
                    }
                    p id="file-words" role="status" {}
                    div id="file-questions" hidden {
                        (asked("reading", "What is one record?", &html! { select id="reading" {} }))
                        (asked("person", "How many records does one person have?", &html! { select id="person" {} }))
                        @if self.picture != BallPicture::None {
                            (asked("center", "Center of the ball, from public knowledge", &html! {
                                input id="center" type="text" autocomplete="off" aria-describedby="center-help";
                            }))
                            p id="center-help" class="help" {
                                "A point in the layout of a record, such as 25,80 for 25° N 80° E; " code { "origin" } "; \
                                or " code { "2*identity" } ". Never compute it from these records."
                            }
                        }
                        pre tabindex="0" role="region" aria-label="Command for this file" { code id="start" {} }
                        p id="start-words" {}
                    }
                }
            }
        }
    }

    fn code(&self) -> Markup {
        html! {
            section aria-labelledby="code-heading" {
                h2 id="code-heading" { "Plan this point again" }
                h3 { "In the command" }
                pre tabindex="0" role="region" aria-label="Command" { code id="command" {} }
                @if self.python.is_some() {
                    h3 { "In Python" }
                    pre tabindex="0" role="region" aria-label="Python" { code id="python" {} }
                }
            }
        }
    }

    /// The errors at the planned point, where scripts do not run.
    fn without_script(&self) -> Markup {
        let point = self.planned();
        let words: Vec<&str> =
            self.axes.iter().zip(point).filter_map(|(axis, at)| Some(axis.words.get(at)?.as_str())).collect();
        let row = |mechanism: &super::PlannedMechanism| match &mechanism.errors[self.place(point)] {
            Ok(point) => vec![mechanism.name.clone(), number(four_digits(point.error)), point.note.clone()],
            Err(reason) => vec![mechanism.name.clone(), "–".to_owned(), format!("does not apply: {reason}")],
        };
        let rows: Vec<Vec<String>> = self.mechanisms.iter().map(row).collect();
        html! {
            noscript {
                p { "The sliders need JavaScript, which is switched off. These are the errors for your own numbers." }
                (columns(&format!("Expected {}, in {}: {}", self.error, self.unit, words.join(", ")),
                    &["mechanism", "expected error", "notes"], &rows))
            }
        }
    }
}

/// A question with its label above.
fn asked(id: &str, words: &str, input: &Markup) -> Markup {
    html! { div class="asked" { label for=(id) { (words) } (input) } }
}

/// A slider with its label and its value, or the value alone.
fn slider(axis: &PlannerAxis, id: &str) -> Markup {
    html! {
        @match axis.words.len() {
            0 => {},
            1 => p { (axis.name) ": " strong { (Shown(&axis.words[0])) } " (fixed)" },
            many => div class="slider" {
                label for=(id) { (axis.name) }
                output id={ (id) "-words" } for=(id) { (Shown(&axis.words[axis.planned])) }
                input id=(id) type="range" min="0" max=(many - 1) step="1" value=(axis.planned) autocomplete="off"
                    aria-valuetext=(axis.words[axis.planned]);
            },
        }
    }
}
