//! `:help`: the commands, one of them, a clause, or a function.

use std::io::Write;

use clap::ValueEnum as _;

use super::clause_help;
use super::settings::SETTINGS;
use crate::failure::Failure;
use crate::output::Format;
use crate::terminal::Terminal;
use crate::text::columns::{Align, align, wrap};
use crate::text::near;

/// What follows a command, for completion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Takes {
    /// Nothing.
    Nothing,
    /// Something that nobody can guess.
    Words,
    /// A file or a directory.
    File,
    /// A statement.
    Statement,
    /// A command, a clause or a function.
    Topic,
    /// A setting, and its value.
    Setting,
    /// A label or a relationship type.
    Name,
}

/// A command: name, arguments, what it does, what completes it.
pub(super) struct Command {
    pub(super) name: &'static str,
    pub(super) arguments: &'static str,
    pub(super) does: &'static str,
    pub(super) takes: Takes,
}

const fn command(name: &'static str, arguments: &'static str, does: &'static str, takes: Takes) -> Command {
    Command { name, arguments, does, takes }
}

/// Groups of commands.
pub(super) const COMMANDS: &[(&str, &[Command])] = &[
    (
        "What there is",
        &[
            command("tables", "", "node and relationship tables with their rows", Takes::Nothing),
            command("labels", "", "labels and how many nodes have them", Takes::Nothing),
            command("types", "", "relationship types and how many relationships have them", Takes::Nothing),
            command("schema", "", "labels, relationship types, properties", Takes::Nothing),
            command("indexes", "", "indexes", Takes::Nothing),
            command("constraints", "", "constraints", Takes::Nothing),
            command("stats", "", "rows, encodings, bytes by component", Takes::Nothing),
        ],
    ),
    (
        "Queries",
        &[
            command("explain", "[QUERY]", "the plan of a query, or of the last one", Takes::Statement),
            command("profile", "[QUERY]", "the same, run, with what every operator did", Takes::Statement),
            command("param", "NAME=VALUE", "set a parameter: :param id=7, then use $id", Takes::Words),
            command("params", "[clear]", "show or forget the parameters", Takes::Words),
            command(
                "edit",
                "[QUERY]",
                "write a query, or the last one, in $EDITOR and run it",
                Takes::Statement,
            ),
            command("history", "[N]", "what was typed in", Takes::Words),
        ],
    ),
    (
        "Files",
        &[
            command("open", "DB", "another database: a directory, or :memory:", Takes::File),
            command("load", "PATH…", "load files into this database; :load --help", Takes::File),
            command("read", "FILE", "run the commands and statements of a file", Takes::File),
            command(
                "export",
                "FILE",
                "write the last answer to a file, in the format of its suffix",
                Takes::File,
            ),
            command(
                "once",
                "FILE",
                "write the next answer to a file, in the format of its suffix",
                Takes::File,
            ),
            command(
                "output",
                "[FILE]",
                "write all answers to a file, in the format of its suffix, or to the screen again",
                Takes::File,
            ),
            command("cd", "[DIR]", "go to another directory", Takes::File),
            command(
                "preload",
                "[NAME]…",
                "bring labels and relationship types, or all, into memory",
                Takes::Name,
            ),
        ],
    ),
    (
        "The shell",
        &[
            command("set", "[NAME [VALUE]]", "show or change settings; :NAME VALUE does too", Takes::Setting),
            command("!", "COMMAND", "run a command of the system", Takes::Words),
            command(
                "help",
                "[TOPIC]",
                "this list, a command, a clause or a function: :help MATCH, :help round",
                Takes::Topic,
            ),
            command("version", "", "which version this is", Takes::Nothing),
            command("clear", "", "clear the screen", Takes::Nothing),
            command("quit", "", "leave; so do :exit, quit, exit and Ctrl-D", Takes::Nothing),
        ],
    ),
];

/// All commands.
pub(super) fn commands() -> impl Iterator<Item = &'static Command> + Clone {
    COMMANDS.iter().flat_map(|(_, commands)| *commands)
}

/// Writes the list, or what there is about a topic.
pub(super) fn write(topic: &str, terminal: &Terminal, out: &mut dyn Write) -> Result<(), Failure> {
    if topic.is_empty() { list(terminal, out) } else { about(topic, terminal, out) }
}

fn list(terminal: &Terminal, out: &mut dyn Write) -> Result<(), Failure> {
    let paint = terminal.out;
    let row = |mark: &str, name: &str, arguments: &str, does: &str| {
        vec![
            format!("{} {arguments}", paint.bold(format!("{mark}{name}"))).trim_end().to_owned(),
            does.to_owned(),
        ]
    };
    // All groups are aligned together, then taken apart.
    let mut rows: Vec<Vec<String>> = commands().map(|c| row(":", c.name, c.arguments, c.does)).collect();
    rows.extend(SETTINGS.iter().map(|s| row(":", s.name, s.values, s.does)));
    let lines = align(&rows, &[Align::Left; 2], 2);
    let mut lines = lines.lines();
    let groups = COMMANDS.iter().map(|(title, commands)| (*title, commands.len()));
    for (title, count) in groups.chain([("Settings", SETTINGS.len())]) {
        writeln!(out, "{}", paint.bold(title))?;
        for line in lines.by_ref().take(count) {
            writeln!(out, "{line}")?;
        }
    }
    clause_help::list(terminal, out)?;
    writeln!(
        out,
        "A statement ends with a semicolon, typed in also with an empty line. A dot does for the colon: .help"
    )?;
    writeln!(out, "Tab completes, Ctrl-R searches the history, Ctrl-C stops a query, Ctrl-D leaves.")?;
    Ok(())
}

fn about(topic: &str, terminal: &Terminal, out: &mut dyn Write) -> Result<(), Failure> {
    let paint = terminal.out;
    let name = topic.trim_start_matches([':', '.']).trim_end_matches(['(', ')']);
    let is_command_only = topic.starts_with([':', '.']);
    let mut found = false;
    if let Some(command) = commands().find(|c| c.name.eq_ignore_ascii_case(name)) {
        found = true;
        writeln!(out, "{} {}", paint.bold(format!(":{}", command.name)), command.arguments)?;
        writeln!(out, "  {}", command.does)?;
    }
    if let Some(setting) = SETTINGS.iter().find(|s| s.name.eq_ignore_ascii_case(name)) {
        found = true;
        writeln!(out, "{} {}", paint.bold(format!(":{}", setting.name)), setting.values)?;
        writeln!(out, "  {}", setting.does)?;
        if setting.name == "mode" {
            let modes: Vec<String> = Format::value_variants()
                .iter()
                .filter(|f| !f.is_binary())
                .filter_map(|f| f.to_possible_value())
                .map(|v| {
                    format!("{}|{}", v.get_name(), v.get_help().map(ToString::to_string).unwrap_or_default())
                })
                .collect();
            let rows: Vec<Vec<String>> =
                modes.iter().map(|m| m.splitn(2, '|').map(str::to_owned).collect()).collect();
            out.write_all(align(&rows, &[Align::Left; 2], 2).as_bytes())?;
        }
    }
    if !is_command_only {
        for doc in clause_help::named(name) {
            found = true;
            clause_help::write(&doc, terminal, out)?;
        }
        for f in trimorph::functions().iter().filter(|f| f.name.eq_ignore_ascii_case(name)) {
            found = true;
            writeln!(out, "{}", paint.bold(f.signature))?;
            for line in wrap(f.summary, terminal.width().unwrap_or(100).saturating_sub(4)) {
                writeln!(out, "  {line}")?;
            }
            let (statement, result) = f.example;
            writeln!(out, "  {}", paint.dim(format!("{statement}  →  {result}")))?;
        }
    }
    if found {
        return Ok(());
    }
    if let Some(instead) = trimorph::instead_of(name).filter(|_| !is_command_only) {
        writeln!(out, "{name} is not there: {instead}")?;
        return Ok(());
    }
    let near = near_topic(name).map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
    Err(Failure::message(format!(
        "there is no command, setting, clause or function \"{name}\"{near} (:help lists them)"
    )))
}

/// A topic that begins like `name`, or is spelled almost like it.
fn near_topic(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    let clauses = trimorph::clauses();
    let functions = trimorph::functions();
    let names = || clauses.iter().map(|doc| doc.name).chain(functions.iter().map(|f| f.name));
    let lower_names: Vec<String> = names().map(str::to_lowercase).collect();
    let as_written = |found: &str| names().find(|name| name.to_lowercase() == found).map(str::to_owned);
    let near_name = || near::nearest(&lower, lower_names.iter().map(String::as_str)).and_then(as_written);
    nearest(name).map(|n| format!(":{n}")).or_else(near_name)
}

/// The command or setting that is spelled almost like `name`, or begins like it.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    near::nearest(name, commands().map(|c| c.name).chain(SETTINGS.iter().map(|s| s.name)))
}
