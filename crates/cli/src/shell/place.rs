//! `:open` and `:cd`: another database, another directory.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trimorph::Value;

use super::session::{Place, Session};
use super::words;
use crate::database::{NewDirectory, Resources, open_to_read, open_to_write};
use crate::failure::Failure;
use crate::text::quantity;

impl Place {
    /// Opens a database for writing, or read-only if that is asked for or somebody else writes it.
    pub(super) fn open(path: &Path, read_only: bool, resources: &Resources) -> Result<Self, Failure> {
        let place =
            |database, made, is_read_only| Self { path: path.to_owned(), database, is_read_only, made };
        if read_only {
            return Ok(place(open_to_read(path, resources)?, NewDirectory::none(), true));
        }
        match open_to_write(path, resources) {
            Ok((database, made)) => Ok(place(database, made, false)),
            Err(refused) => match open_to_read(path, resources) {
                Ok(database) => Ok(place(database, NewDirectory::none(), true)),
                Err(_) => Err(refused),
            },
        }
    }

    /// Closes the database; a directory that was made and has nothing in it goes.
    pub(super) fn close(self) {
        drop(self.database);
        self.made.discard();
    }

    /// What is in the database, in a few words.
    pub(super) fn holds(&self) -> String {
        let (nodes, edges) = self.counts();
        let holds = match (nodes, edges) {
            (0, 0) => "empty".to_owned(),
            (nodes, edges) => format!(
                "{}, {}",
                quantity::plural(nodes, "node", "nodes"),
                quantity::plural(edges, "relationship", "relationships")
            ),
        };
        let mode =
            if self.is_read_only { ", read-only: what another process commits is followed" } else { "" };
        format!("({holds}{mode})")
    }
}

impl Place {
    /// Nodes and relationships.
    fn counts(&self) -> (u64, u64) {
        let stats = self.database.stats();
        if stats.delta_bytes == 0 {
            return (stats.nodes(), stats.edges());
        }
        let connection = self.database.connect();
        let count = |text: &str| match connection.query(text, &[]).and_then(|mut result| result.next_row()) {
            Ok(Some(row)) => row.first().map_or(0, |value| match value {
                Value::Int(count) => count.unsigned_abs(),
                _ => 0,
            }),
            _ => 0,
        };
        (count("MATCH (n) RETURN count(*)"), count("MATCH ()-[r]->() RETURN count(*)"))
    }
}

/// Opens another database in the place of this one.
pub(super) fn open(session: &mut Session, argument: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let words = words::split(argument)?;
    let (flags, paths): (Vec<&String>, Vec<&String>) = words.iter().partition(|w| w.starts_with("--"));
    let read_only = match flags[..] {
        [] => false,
        [flag] if flag == "--read-only" => true,
        _ => return Err(Failure::message("write :open DB, or :open DB --read-only")),
    };
    let path = match paths[..] {
        [path] => Session::file_name(path),
        [] => {
            writeln!(out, "{} {}", session.place.path.display(), session.place.holds())?;
            return Ok(());
        }
        _ => return Err(Failure::message("write :open DB; a name with blanks stands in quotes")),
    };
    if session.asking.connection.in_transaction() {
        return Err(Failure::message("a transaction is open; COMMIT or ROLLBACK it first"));
    }
    let place = Place::open(&path, read_only, &session.resources)?;
    session.asking.connection = Arc::new(place.database.connect());
    std::mem::replace(&mut session.place, place).close();
    session.is_schema_old = true;
    if session.terminal.is_terminal {
        let holds = session.terminal.out.dim(session.place.holds());
        writeln!(out, "{} {holds}", session.place.path.display())?;
    }
    Ok(())
}

/// Goes to another directory, or says where we are.
pub(super) fn change_directory(
    session: &Session,
    argument: &str,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let words = words::split(argument)?;
    let shown = match &words[..] {
        [] => true,
        [dir] => {
            let dir = Session::file_name(dir);
            std::env::set_current_dir(&dir)
                .map_err(|e| Failure::message(format!("{}: {e}", dir.display())))?;
            session.terminal.is_terminal
        }
        _ => return Err(Failure::message("write :cd DIR; a name with blanks stands in quotes")),
    };
    if shown {
        let here: PathBuf = std::env::current_dir().map_err(|e| Failure::message(e.to_string()))?;
        writeln!(out, "{}", here.display())?;
    }
    Ok(())
}
