//! The shell's own commands, `:x` or `.x`: the `match` is the index.

use std::io::Write;
use std::sync::Arc;

use clap::ValueEnum as _;
use trimorph::{CancelToken, Value};

use super::session::{Next, Session};
use super::{files, help, schema};
use crate::commands::stats::write_stats;
use crate::failure::Failure;
use crate::interrupt::on_interrupt;
use crate::language::Language;
use crate::output::Format;
use crate::params;

/// Runs a command.
pub(super) fn run(session: &mut Session, text: &str, out: &mut (dyn Write + Send)) -> Result<Next, Failure> {
    let text = text.trim().trim_end_matches(';').trim_end();
    let (name, argument) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let argument = argument.trim();
    match name[1..].to_ascii_lowercase().as_str() {
        "help" | "h" | "?" => help::write(&session.terminal, out)?,
        "quit" | "q" | "exit" => return Ok(Next::Quit),
        "schema" => schema::write(&session.database.stats(), &session.terminal, out)?,
        "stats" => write_stats(&session.database.stats(), &session.terminal, out)?,
        "preload" => preload(session, argument)?,
        "explain" => prefixed(session, "EXPLAIN", argument, out)?,
        "profile" => prefixed(session, "PROFILE", argument, out)?,
        "lang" => lang(session, argument, out)?,
        "timer" => timer(session, argument, out)?,
        "mode" => mode(session, argument, out)?,
        "rows" => rows(session, argument, out)?,
        "param" => param(session, argument, out)?,
        "params" => list_params(session, argument, out)?,
        "read" => files::read(session, argument, out)?,
        "export" => files::export(session, argument, out)?,
        other => {
            let near = help::nearest(other).map_or(String::new(), |n| format!("; did you mean :{n}?"));
            return Err(Failure::message(format!(
                "there is no command \":{other}\"{near} (:help lists all)"
            )));
        }
    }
    Ok(Next::Continue)
}

/// Brings what is named, or everything, into memory. Ctrl-C stops it, and what has come by then stays.
fn preload(session: &Session, names: &str) -> Result<(), Failure> {
    let names: Vec<&str> = names.split_whitespace().map(|name| name.trim_start_matches(':')).collect();
    let names = (!names.is_empty()).then_some(&names[..]);
    let cancel = CancelToken::default();
    let watched = cancel.clone();
    let _guard = on_interrupt(move || watched.cancel());
    Ok(session.database.preload(names, &cancel)?)
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
    session.asking.answer(&format!("{word} {statement}"), out)
}

fn lang(session: &mut Session, argument: &str, out: &mut dyn Write) -> Result<(), Failure> {
    if argument.is_empty() {
        let name = session.asking.language.to_possible_value();
        writeln!(out, "{}", name.as_ref().map_or("", |name| name.get_name()))?;
        return Ok(());
    }
    match Language::from_str(argument, true) {
        Ok(language) => {
            language.require()?;
            session.asking.language = language;
            Ok(())
        }
        Err(_) => {
            Err(Failure::message(format!("unknown language \"{argument}\"; one of cypher, sparql, sql")))
        }
    }
}

fn timer(session: &mut Session, argument: &str, out: &mut dyn Write) -> Result<(), Failure> {
    session.asking.timer = match argument {
        "" => !session.asking.timer,
        "on" => true,
        "off" => false,
        _ => return Err(Failure::message("write :timer on or :timer off")),
    };
    if session.terminal.is_terminal {
        writeln!(out, "timer {}", if session.asking.timer { "on" } else { "off" })?;
    }
    Ok(())
}

fn mode(session: &mut Session, argument: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let name = |f: Format| f.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default();
    if argument.is_empty() {
        writeln!(out, "{}", name(session.asking.format))?;
        return Ok(());
    }
    match Format::from_str(argument, true) {
        Ok(format) if !format.is_binary() => session.asking.format = format,
        Ok(format) => {
            let name = name(format);
            return Err(Failure::message(format!("{name} is not for a screen; use :export FILE.{name}")));
        }
        Err(_) => {
            let text = format!(
                "unknown mode \"{argument}\"; one of table, csv, json, jsonl, line, markdown, and for SPARQL xml, tsv, \
                 turtle, trig, ntriples, nquads, rdfxml, jsonld"
            );
            return Err(Failure::message(text));
        }
    }
    Ok(())
}

fn rows(session: &mut Session, argument: &str, out: &mut dyn Write) -> Result<(), Failure> {
    match argument.parse::<usize>() {
        Ok(0) => session.asking.limits.rows = None,
        Ok(rows) => session.asking.limits.rows = Some(rows),
        Err(_) if argument.is_empty() => match session.asking.limits.rows {
            Some(rows) => writeln!(out, "{rows}")?,
            None => writeln!(out, "all")?,
        },
        Err(_) => return Err(Failure::message("write :rows N; 0 shows all")),
    }
    Ok(())
}

/// `name=value`, also `name => value` and `name value`.
fn param(session: &mut Session, argument: &str, out: &mut dyn Write) -> Result<(), Failure> {
    if argument.is_empty() {
        return list_params(session, "", out);
    }
    let pair = match argument.split_once("=>") {
        Some((name, value)) => format!("{}={}", name.trim(), value.trim()),
        None if argument.contains('=') => argument.to_owned(),
        None => argument.replacen(char::is_whitespace, "=", 1),
    };
    let (name, value) = params::parse_pair(&pair).map_err(Failure::message)?;
    Arc::make_mut(&mut session.asking.params).insert(name.into(), value);
    Ok(())
}

fn list_params(session: &mut Session, argument: &str, out: &mut dyn Write) -> Result<(), Failure> {
    if argument == "clear" {
        session.asking.params = Arc::default();
        return Ok(());
    }
    // Only a result can put a value into words.
    let result = session.asking.connection.query("RETURN 1", &[])?;
    for (name, value) in session.asking.params.iter() {
        // In a list strings are quoted, so that '7' and 7 look different.
        let text = result.format(&Value::list(vec![value.clone()]));
        let text = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(&text);
        writeln!(out, "${name} = {text}")?;
    }
    Ok(())
}
