//! `trimorph completions`: a script that teaches a system's shell our commands and options.

use std::io::{Write as _, stdout};

use clap::Args;
use clap_complete::Shell;

use crate::failure::Failure;

/// Write a completion script for a shell
#[derive(Args)]
#[command(after_help = "Examples:
  trimorph completions bash > ~/.local/share/bash-completion/completions/trimorph
  trimorph completions zsh > \"${fpath[1]}/_trimorph\"
  trimorph completions fish > ~/.config/fish/completions/trimorph.fish")]
pub(crate) struct Arguments {
    /// Which shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, mut commands: clap::Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut commands, "trimorph", &mut script);
    Ok(stdout().lock().write_all(&script)?)
}
