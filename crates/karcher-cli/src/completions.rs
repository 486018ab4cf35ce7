//! `karcher completions`: what a shell needs to complete commands and options.

use crate::output::write_out;
use crate::{Cli, Failure};
use clap::CommandFactory;
use clap_complete::Shell;

/// Print a script that lets your shell complete commands and options with the tab key.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher completions bash

Put it where your shell looks for it:
  bash        karcher completions bash > ~/.local/share/bash-completion/completions/karcher
  zsh         karcher completions zsh > ~/.zfunc/_karcher        (with fpath+=~/.zfunc before compinit in ~/.zshrc)
  fish        karcher completions fish > ~/.config/fish/completions/karcher.fish")]
pub struct Args {
    /// Name of the shell.
    shell: Shell,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "karcher", &mut script);
    write_out(&script)
}
