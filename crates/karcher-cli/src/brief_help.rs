//! `-h`: an example, and the usual options in a line each. `--help` has all of them, with all that is to be known.

use clap::{Arg, Command};

/// Options that few need.
const RARE: [&str; 28] = [
    "assume-in-ball",
    "bound",
    "calibration",
    "columns-by",
    "comments",
    "decimal-comma",
    "delimiter",
    "denoise",
    "encoding",
    "expected-spread",
    "format",
    "memory",
    "missing-values",
    "multiply-by",
    "normalize",
    "numerics",
    "on-invalid",
    "quantile",
    "shrink",
    "skip-after-header",
    "skip-lines",
    "spec-only",
    "spool",
    "spread-clip",
    "steps",
    "template",
    "tolerance",
    "trust-layout",
];

/// Longest help of an option.
const LONGEST: usize = 90;

/// The commands with their short help, if the arguments ask for it.
pub fn brief(command: Command) -> Command {
    match std::env::args_os().any(|argument| argument == "-h") {
        true => command.mut_subcommands(of_command),
        false => command,
    }
}

fn of_command(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let example = command.get_after_help().and_then(|examples| first_example(&examples.to_string()));
    let command = command.mut_args(of_argument).after_help(format!("karcher {name} --help has all options."));
    match example {
        Some(example) => command.before_help(format!("Example:\n{example}")),
        None => command,
    }
}

fn of_argument(argument: Arg) -> Arg {
    let help = argument.get_help().map(|help| line(&help.to_string()));
    let is_rare = argument.get_long().is_some_and(|option| RARE.contains(&option));
    let argument = argument.help_heading(None::<&'static str>).hide_short_help(is_rare);
    match help {
        Some(help) => argument.help(help),
        None => argument,
    }
}

/// The first of the examples, which may go on over several lines.
fn first_example(examples: &str) -> Option<String> {
    let mut lines = examples.lines().skip_while(|line| !line.trim_start().starts_with("karcher "));
    let mut example = vec![];
    loop {
        let line = lines.next()?;
        example.push(line);
        if !line.ends_with('\\') {
            return Some(example.join("\n"));
        }
    }
}

/// The first sentence of a help; of a long one what stands before the first list or reason.
fn line(help: &str) -> String {
    let sentence = help.split(". ").next().unwrap_or_default().trim_end_matches('.');
    match sentence.chars().count() > LONGEST {
        true => sentence.split([':', ';', '(']).next().unwrap_or_default().trim_end().to_owned(),
        false => sentence.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_help_is_cut_at_the_end_of_a_sentence_or_before_a_list() {
        assert_eq!(line("Radius of the ball. It is public."), "Radius of the ball");
        assert_eq!(line(&format!("Space: {}", "sphere:2, ".repeat(20))), "Space");
        assert_eq!(
            first_example("Examples:\n  karcher a \\\n  b\n  karcher c").as_deref(),
            Some("  karcher a \\\n  b")
        );
    }
}
