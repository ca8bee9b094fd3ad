//! `trimorph man`: the manual pages, one on stdout or all in a directory.

use std::io::{Write as _, stdout};
use std::path::PathBuf;

use clap::Args;
use clap_mangen::Man;

use crate::failure::Failure;

/// Write the manual page, or with --out those of all commands
#[derive(Args)]
#[command(after_help = "Examples:
  trimorph man | man -l -
  trimorph man --out ~/.local/share/man/man1")]
pub(crate) struct Arguments {
    /// Write trimorph.1, trimorph-load.1 and so on into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, commands: clap::Command) -> Result<(), Failure> {
    let mut command = commands.disable_help_subcommand(true);
    command.build();
    let Some(dir) = &arguments.out else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        return Ok(stdout().lock().write_all(&page)?);
    };
    let failed = |path: &PathBuf| {
        let path = path.display().to_string();
        move |e: std::io::Error| Failure::message(format!("{path}: {e}"))
    };
    std::fs::create_dir_all(dir).map_err(failed(dir))?;
    let subcommands: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    for command in std::iter::once(command).chain(subcommands) {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        let path = dir.join(format!("{name}.1"));
        std::fs::write(&path, page).map_err(failed(&path))?;
    }
    Ok(())
}
