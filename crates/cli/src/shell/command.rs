//! The shell's own commands, `:x` or `.x`: the `match` is the index.

use std::io::Write;

use trimorph::CancelToken;

use super::session::{Next, Session};
use super::{counts, files, help, look, parameters, place, schema, settings, system};
use crate::commands::stats::write_stats;
use crate::failure::Failure;
use crate::interrupt::on_interrupt;

/// Runs a command.
pub(super) fn run(session: &mut Session, text: &str, out: &mut (dyn Write + Send)) -> Result<Next, Failure> {
    let text = text.trim().trim_end_matches(';').trim_end();
    let text = text.strip_prefix([':', '.', '\\']).unwrap_or(text);
    // `:!ls` and `:! ls` are the same.
    let (name, argument) = match text.strip_prefix('!') {
        Some(rest) => ("!", rest),
        None => text.split_once(char::is_whitespace).unwrap_or((text, "")),
    };
    let argument = argument.trim();
    match name.to_ascii_lowercase().as_str() {
        "help" | "h" | "?" => help::write(argument, &session.terminal, out)?,
        "quit" | "q" | "exit" => return Ok(Next::Quit),
        "tables" => look::tables(session, out)?,
        "labels" => look::labels(session, out)?,
        "types" => look::types(session, out)?,
        "indexes" => session.ask("SHOW INDEXES", out)?,
        "constraints" => session.ask("SHOW CONSTRAINTS", out)?,
        "schema" => schema::write(&counts::stats_now(session)?, &session.terminal, out)?,
        "stats" => write_stats(&session.place.database.stats(), &session.terminal, out)?,
        "preload" => preload(session, argument)?,
        "explain" => prefixed(session, "EXPLAIN", argument, out)?,
        "profile" => prefixed(session, "PROFILE", argument, out)?,
        "param" => parameters::set(session, argument, out)?,
        "params" => parameters::list(session, argument, out)?,
        "set" => settings::run(session, argument, out)?,
        "open" => place::open(session, argument, out)?,
        "cd" => place::change_directory(session, argument, out)?,
        "load" => files::load(session, argument, out)?,
        "read" => return files::read(session, argument, out),
        "export" => files::export(session, argument, out)?,
        "once" => files::output(session, argument, true)?,
        "output" => files::output(session, argument, false)?,
        "!" | "shell" | "sh" => system::run(argument)?,
        "edit" => return system::edit(session, argument, out),
        "history" => look::history(session, argument, out)?,
        "version" => writeln!(out, "Trimorph {}", env!("CARGO_PKG_VERSION"))?,
        "clear" => write!(out, "\x1b[H\x1b[2J\x1b[3J")?,
        other => match settings::find(other) {
            Some(setting) => settings::one(session, setting, argument, out)?,
            None => return Err(unknown(other)),
        },
    }
    Ok(Next::Continue)
}

fn unknown(name: &str) -> Failure {
    let near = help::nearest(name).map_or(String::new(), |n| format!("; did you mean :{n}?"));
    Failure::message(format!("there is no command \":{name}\"{near} (:help lists all)"))
}

/// Brings what is named, or everything, into memory. Ctrl-C stops it, and what has come by then stays.
fn preload(session: &Session, names: &str) -> Result<(), Failure> {
    let names: Vec<&str> = names.split_whitespace().map(|name| name.trim_start_matches(':')).collect();
    let names = (!names.is_empty()).then_some(&names[..]);
    let cancel = CancelToken::default();
    let watched = cancel.clone();
    let _guard = on_interrupt(move || watched.cancel());
    Ok(session.place.database.preload(names, &cancel)?)
}

/// Runs the statement, or the last one if there is none, with a word before it.
fn prefixed(
    session: &mut Session,
    word: &str,
    statement: &str,
    out: &mut (dyn Write + Send),
) -> Result<(), Failure> {
    let statement = match (statement, &session.last) {
        ("", Some(last)) => last.clone(),
        ("", None) => {
            return Err(Failure::message("there is no statement yet; write one behind the command"));
        }
        (statement, _) => statement.to_owned(),
    };
    session.last = Some(statement.clone());
    session.ask(&format!("{word} {statement}"), out)
}
