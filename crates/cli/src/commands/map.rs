//! `trimorph map`: a mapping for the files of a directory, to look at, change and load.

use std::io::{Write as _, stderr, stdout};
use std::path::PathBuf;

use clap::Args;
use trimorph::GuessedMapping;

use super::load::told_of_text;
use crate::failure::Failure;
use crate::output::one_line;
use crate::terminal::Terminal;

/// Write a mapping file for the CSV, JSON and Parquet files of a directory
#[derive(Args)]
#[command(after_help = "Examples:
  trimorph map films/
  trimorph map films/ --out films/mapping.json && trimorph load films.tm films/mapping.json

Files with two columns that name ends (source and target, or the names of two other
files) become relationships, the others nodes; labels are the files' names. Files that
cannot be read are left out, with a notice. Look at it and change what is not as you
want it: it is a proposal.")]
pub(crate) struct Arguments {
    /// Directory with .csv, .tsv, .jsonl, .json or .parquet files, compressed or not
    dir: PathBuf,
    /// Write it to this file, which must be in the directory [default: stdout]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write over a file that is there
    #[arg(long, requires = "out")]
    force: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<(), Failure> {
    let GuessedMapping { text, fell, left_out, odd_headers, .. } = trimorph::guess_mapping(&arguments.dir)?;
    for (file, name) in &odd_headers {
        // If stderr is closed, the mapping is what was asked for.
        let _ = writeln!(
            stderr().lock(),
            "{} {file}: the first line was taken for the names of columns, and one is called \"{}\" \
             (if it is a row, give the names: \"header\": [\"id\", \"name\"])",
            terminal.err.yellow("notice:"),
            one_line(name)
        );
    }
    for file in &left_out {
        // If stderr is closed, the mapping is what was asked for.
        let _ = writeln!(stderr().lock(), "{} left out: {file}", terminal.err.yellow("notice:"));
    }
    for (file, column) in &fell {
        if let Some(fell) = told_of_text(column) {
            // If stderr is closed, the mapping is what was asked for.
            let _ = writeln!(stderr().lock(), "{} {file}: {fell}", terminal.err.yellow("notice:"));
        }
    }
    let Some(path) = &arguments.out else {
        return Ok(stdout().lock().write_all(text.as_bytes())?);
    };
    let shown = path.display();
    if path.exists() && !arguments.force {
        return Err(Failure::message(format!("{shown} is there already; --force writes over it")));
    }
    std::fs::write(path, text).map_err(|e| Failure::message(format!("{shown}: {e}")))?;
    let hint = terminal.err.dim(format!("look at it, then: trimorph load DB {shown}"));
    // If stderr is closed, the file is there all the same.
    let _ = writeln!(stderr().lock(), "{shown} written; {hint}");
    Ok(())
}
