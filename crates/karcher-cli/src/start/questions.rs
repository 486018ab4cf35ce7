//! Questions in a terminal.

use crate::failure::{Failure, say, shown};
use dialoguer::console::Term;
use dialoguer::theme::ColorfulTheme;
use dialoguer::{Input, Select};
use std::io::IsTerminal;

/// A question, and the options that answer it beforehand.
pub struct Question {
    /// The question.
    pub asks: &'static str,
    /// What helps to answer it, with an example.
    pub help: &'static str,
    /// The options that answer it.
    pub options: &'static str,
}

const STOPPED: &str = "stopped: nothing was written";

/// The failure of a question. After Ctrl-C the cursor, which a question hides, is shown again.
fn stopped(error: dialoguer::Error) -> Failure {
    let dialoguer::Error::IO(error) = error;
    if error.kind() != std::io::ErrorKind::Interrupted {
        return error.into();
    }
    let _ = Term::stderr().show_cursor();
    STOPPED.into()
}

/// The user at a terminal.
pub struct Questions {
    has_terminal: bool,
}

impl Questions {
    /// The user at the terminal, if there is one.
    pub fn new() -> Self {
        Self { has_terminal: std::io::stdin().is_terminal() && std::io::stderr().is_terminal() }
    }

    /// Whether there is someone to ask.
    pub fn can_ask(&self) -> bool {
        self.has_terminal
    }

    /// Says something, line by line.
    pub fn say(&self, text: &str) {
        text.lines().for_each(say);
    }

    /// The place of the answer that is chosen.
    pub fn choice(&self, question: &Question, answers: &[impl ToString]) -> Result<usize, Failure> {
        self.begin(question)?;
        let chosen = Select::with_theme(&ColorfulTheme::default())
            .with_prompt(question.asks)
            .items(answers.iter().map(|answer| shown(&answer.to_string())))
            .default(0)
            .interact_opt()
            .map_err(stopped)?;
        chosen.ok_or_else(|| STOPPED.into())
    }

    /// The text that is typed, once `parsed` accepts it.
    pub fn typed<T>(&self, question: &Question, parsed: impl Fn(&str) -> Result<T, String>) -> Result<T, Failure> {
        self.begin(question)?;
        let theme = ColorfulTheme::default();
        loop {
            let input = Input::<String>::with_theme(&theme).with_prompt(question.asks).allow_empty(true);
            match parsed(input.interact_text().map_err(stopped)?.trim()) {
                Ok(answer) => return Ok(answer),
                Err(reason) => say(&format!("{reason}; once more:")),
            }
        }
    }

    /// Says what helps, or refuses where there is no one to ask.
    fn begin(&self, question: &Question) -> Result<(), Failure> {
        if !self.has_terminal {
            let Question { asks, options, .. } = question;
            return Err(format!("there is no terminal to ask in: {asks} Answer with {options}").into());
        }
        self.say(&format!("\n{}", question.help));
        Ok(())
    }
}
