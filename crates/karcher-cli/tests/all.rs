//! The command as users run it: one program, so that the libraries are linked once.

mod advice;
mod aggregate;
mod center;
mod commands;
mod covariance;
mod exact;
mod extremes;
mod files;
mod groups;
mod guide;
mod hostile;
mod keys;
mod ledger;
mod limits;
mod locate;
mod neighbours;
mod output;
mod persons;
mod planner;
mod planning;
mod plot;
mod pool;
mod real_data;
mod regress;
mod report;
mod score;
mod series;
mod spec;
mod spread;
mod start;
mod streams;
mod synthesize;
mod terms;
mod texts;
mod verify;

/// Printed lines as one, with single blanks: long lines of words go on below.
fn one_line(printed: &str) -> String {
    printed.split_whitespace().collect::<Vec<_>>().join(" ")
}
