//! `trimorph check`: verifies every checksum and invariant.

use std::io::{Write as _, stdout};
use std::path::PathBuf;
use std::time::Instant;

use trimorph::Database;

use crate::failure::Failure;
use crate::terminal::Terminal;
use crate::text::quantity;

/// Verify every checksum and invariant of a database
#[derive(clap::Args)]
#[command(after_help = "Example:
  trimorph check social.tm && echo sound

The exit code is 1 if anything is missing or damaged; what it is goes to
stderr, by file name.")]
pub(crate) struct Arguments {
    /// Directory of the database
    db: PathBuf,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<(), Failure> {
    let start = Instant::now();
    let stats = Database::check(&arguments.db)?;
    let tables = stats.node_tables.len() + stats.edge_tables.len();
    writeln!(
        stdout().lock(),
        "{} {}: {}, {}, {}, {} verified {}",
        terminal.out.green("sound"),
        arguments.db.display(),
        quantity::plural(tables as u64, "table", "tables"),
        quantity::plural(stats.nodes(), "node", "nodes"),
        quantity::plural(stats.edges(), "edge", "edges"),
        quantity::bytes(stats.piece_bytes as u64),
        terminal.out.dim(quantity::duration(start.elapsed())),
    )?;
    Ok(())
}
