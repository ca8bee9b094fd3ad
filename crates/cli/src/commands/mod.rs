//! The subcommands, one per file.

pub(crate) mod bench;
mod bytes_chart;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod demo;
mod demo_profile;
mod demo_questions;
#[cfg(feature = "rdf")]
pub(crate) mod export;
pub(crate) mod generate;
pub(crate) mod load;
pub(crate) mod man;
pub(crate) mod map;
pub(crate) mod query;
pub(crate) mod stats;

use std::path::Path;

use crate::failure::Failure;
use crate::text::near::nearest;

/// Words that a query begins with.
const BEGINNINGS: &[&str] = &[
    "MATCH",
    "OPTIONAL",
    "RETURN",
    "CREATE",
    "MERGE",
    "UNWIND",
    "WITH",
    "CALL",
    "COPY",
    "SHOW",
    "EXPLAIN",
    "PROFILE",
    "FOREACH",
    "SELECT",
    "ASK",
    "CONSTRUCT",
    "DESCRIBE",
    "PREFIX",
    "INSERT",
    "DELETE",
];

/// Refuses a database that does not exist and is spelled almost like one of the `commands`, or as a query:
/// `trimorph laod` and `trimorph 'RETURN 1'` mean no directory.
pub(crate) fn or_a_typo(db: &Path, commands: &clap::Command) -> Result<(), Failure> {
    let words = db.to_str().unwrap_or_default().trim_start();
    let first = words.split_once(char::is_whitespace).map(|(first, _)| first);
    if first.is_some_and(|first| BEGINNINGS.iter().any(|word| word.eq_ignore_ascii_case(first)))
        && !db.exists()
    {
        return Err(Failure::message(
            "the first argument is a database, and this is a query: trimorph DB 'QUERY', or trimorph -c 'QUERY' \
             without a database",
        ));
    }
    let Some(name) = db.to_str().filter(|name| name.chars().all(|c| c.is_ascii_alphabetic())) else {
        return Ok(());
    };
    let names: Vec<&str> = commands.get_subcommands().map(clap::Command::get_name).collect();
    match nearest(name, names.iter().copied()) {
        Some(near) if !db.exists() => Err(Failure::message(format!(
            "there is no command and no database \"{name}\"; did you mean \"trimorph {near}\"? (./{name} makes a \
             database)"
        ))),
        _ => Ok(()),
    }
}
