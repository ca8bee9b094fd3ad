//! `:help`, and the names of the commands.

use std::io::Write;

use crate::failure::Failure;
use crate::terminal::Terminal;
use crate::text::columns::{Align, align};

/// The commands: name, arguments, what they do.
pub(super) const COMMANDS: [(&str, &str, &str); 16] = [
    ("help", "", "this list"),
    ("schema", "", "labels, relationship types, properties"),
    ("stats", "", "rows, encodings, bytes by component"),
    ("preload", "[NAME]…", "bring labels and relationship types, or all, into memory"),
    ("explain", "[QUERY]", "the plan of a query, or of the last one"),
    ("profile", "[QUERY]", "the same, run, with what every operator did"),
    ("param", "NAME=VALUE", "set a parameter: :param id=7, then use $id"),
    ("params", "[clear]", "show or forget the parameters"),
    ("mode", "[MODE]", "how answers look: table, csv, json, jsonl, line, markdown"),
    ("rows", "[N]", "rows of a table that are shown, 0 for all"),
    ("timer", "[on|off]", "whether times are shown"),
    ("lang", "[LANGUAGE]", "language of the statements: cypher"),
    ("read", "FILE", "run the statements of a file"),
    ("export", "FILE", "write the last answer to .csv, .json, .jsonl, .arrow, .parquet or .md"),
    ("quit", "", "leave; so does Ctrl-D"),
    ("exit", "", "the same"),
];

/// Writes the list.
pub(super) fn write(terminal: &Terminal, out: &mut dyn Write) -> Result<(), Failure> {
    let rows = COMMANDS.iter().filter(|(name, ..)| *name != "exit").map(|(name, arguments, does)| {
        vec![terminal.out.bold(format!(":{name}")), (*arguments).to_owned(), (*does).to_owned()]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    out.write_all(align(&rows, &[Align::Left; 3], 2).as_bytes())?;
    writeln!(
        out,
        "A statement ends with a semicolon, typed in also with an empty line. Tab completes, Ctrl-R searches the history,"
    )?;
    writeln!(out, "Ctrl-C stops a query, Ctrl-D leaves. A dot does for the colon: .help")?;
    Ok(())
}

/// The command that begins like `name`, or begins the same as far as two letters go.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let start: String = name.chars().take(2).collect();
    let names = || COMMANDS.iter().map(|(n, ..)| *n);
    names().find(|n| n.starts_with(name)).or_else(|| names().find(|n| n.starts_with(&start)))
}
