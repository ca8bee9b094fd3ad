//! `trimorph shell`: questions typed in, or read from a pipe.

mod command;
mod complete;
mod complete_sparql;
mod edit;
mod files;
mod help;
mod interactive;
mod piped;
mod schema;
mod session;
mod take;

use std::io::{IsTerminal as _, stdin};
use std::path::PathBuf;

use clap::Args;
use trimorph::Database;

use crate::database::{NewDirectory, Resources, open_to_read, open_to_write};
use crate::failure::Failure;
use crate::language::Language;
use crate::terminal::Terminal;
use session::Session;

/// Ask questions one after the other
#[derive(Args)]
#[command(after_help = "Examples:
  trimorph shell social.tm
  trimorph shell :memory:
  trimorph shell social.tm < report.cypher

Statements end with a semicolon, typed in also with an empty line; :help lists the
commands. Tab completes, Ctrl-C stops a query (twice: ends the shell), Ctrl-D
leaves. With stdin from a pipe the first error ends the shell with exit code 1.")]
pub(crate) struct Arguments {
    /// Directory of the database, made if it does not exist; or :memory:
    db: PathBuf,
    /// Write nothing, and follow what another process commits
    #[arg(long)]
    read_only: bool,
    /// Language of the statements
    #[arg(long, value_enum, default_value_t = Language::Cypher)]
    lang: Language,
    #[command(flatten)]
    resources: Resources,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<(), Failure> {
    arguments.lang.require()?;
    let (database, made, is_read_only) = open(arguments)?;
    let mut session = Session::new(database, arguments.lang, terminal);
    let done = if stdin().is_terminal() && terminal.is_terminal {
        interactive::run(&mut session, &arguments.db, is_read_only)
    } else {
        piped::run(&mut session)
    };
    drop(session);
    made.discard();
    done
}

/// Opens the database for writing, or read-only if that is asked for or somebody else writes it.
fn open(arguments: &Arguments) -> Result<(Database, NewDirectory, bool), Failure> {
    if arguments.read_only {
        let database = open_to_read(&arguments.db, &arguments.resources)?;
        return Ok((database, NewDirectory::none(), true));
    }
    match open_to_write(&arguments.db, &arguments.resources) {
        Ok((database, made)) => Ok((database, made, false)),
        Err(refused) => match open_to_read(&arguments.db, &arguments.resources) {
            Ok(database) => Ok((database, NewDirectory::none(), true)),
            Err(_) => Err(refused),
        },
    }
}
