//! `trimorph shell`, and `trimorph` with a database only: questions typed in, given with `-c`, or read from a
//! pipe.

mod clause_help;
mod command;
mod complete;
mod complete_command;
mod complete_sparql;
mod counts;
mod edit;
mod files;
mod help;
mod hint;
mod interactive;
mod known;
mod look;
mod parameters;
mod place;
mod schema;
mod script;
mod session;
mod settings;
mod system;
mod take;
mod words;

use std::fs::File;
use std::io::{BufWriter, IsTerminal as _, Write as _, stdin, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use trimorph::Value;

use crate::database::{Resources, must_be_there};
use crate::failure::{Failure, Source};
use crate::language::Language;
use crate::output::Format;
use crate::params;
use crate::terminal::Terminal;
use session::{Next, Output, Place, Session, is_command};

/// What a database is asked, and how.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Run this and leave, as -c does
    text: Option<String>,
    /// Write nothing, and follow what another process commits
    #[arg(long)]
    read_only: bool,
    /// Run this and leave: statements, or a command of the shell; may be given more than once
    #[arg(long, short, value_name = "TEXT")]
    command: Vec<String>,
    /// Run the statements and commands of a file and leave
    #[arg(long, short, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Language of the statements
    #[arg(long, value_enum, default_value_t = Language::Cypher)]
    lang: Language,
    /// A parameter; may be given more than once
    #[arg(long = "param", short, value_name = "NAME=VALUE", value_parser = params::parse_pair)]
    params: Vec<(String, Value)>,
    /// How answers look at first [default: table]
    #[arg(long, value_enum, visible_alias = "mode")]
    format: Option<Format>,
    /// Write the answer to a file; its suffix says how, unless --format does
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Run a file of settings first [default: $TRIMORPH_RC, or trimorph/rc where configuration is kept, if
    /// the shell is interactive]
    #[arg(long, value_name = "FILE")]
    init: Option<PathBuf>,
    /// Run no file of settings
    #[arg(long, conflicts_with = "init")]
    no_init: bool,
    #[command(flatten)]
    resources: Resources,
}

/// Ask questions one after the other
#[derive(Args)]
#[command(after_help = "Examples:
  trimorph shell social.tm
  trimorph shell :memory:
  trimorph shell social.tm -c 'MATCH (p:Person) RETURN count(*)' --format csv
  trimorph shell social.tm < report.cypher

Statements end with a semicolon, typed in also with an empty line; :help lists the
commands. Tab completes, Ctrl-C stops a query (twice: ends the shell), Ctrl-D
leaves. With stdin from a pipe the first error ends the shell with exit code 1.")]
pub(crate) struct ShellArguments {
    /// Directory of the database, made if it does not exist; or :memory:
    #[arg(default_value = ":memory:", hide_default_value = true)]
    db: PathBuf,
    #[command(flatten)]
    arguments: Arguments,
}

/// Runs `trimorph shell`.
pub(crate) fn run_shell(arguments: &ShellArguments, terminal: &Terminal) -> Result<(), Failure> {
    run(&arguments.db, &arguments.arguments, terminal)
}

/// Runs a shell on a database.
pub(crate) fn run(db: &Path, arguments: &Arguments, terminal: &Terminal) -> Result<(), Failure> {
    arguments.lang.require()?;
    let format = format(arguments)?;
    if only_reads(arguments) {
        must_be_there(db)?;
    }
    let place = Place::open(db, arguments.read_only, &arguments.resources)?;
    let mut session = Session::new(place, &arguments.resources, arguments.lang, terminal);
    session.asking.params = Arc::new(params::collect(&arguments.params));
    if let Some(format) = format {
        session.asking.format = format;
    }
    if let Some(path) = &arguments.output {
        let name = path.display().to_string();
        let file = File::create(path).map_err(|e| Failure::message(format!("{name}: {e}")))?;
        session.output = Some(Output { name, file: BufWriter::new(file), is_once: false });
    }
    let done = answer(&mut session, arguments);
    let failed = session.has_failed;
    let Session { asking, place, .. } = session;
    drop(asking);
    place.close();
    match done {
        Ok(()) if failed => Err(Failure::Told),
        other => other,
    }
}

/// Whether it is known beforehand that nothing is written, so that a misspelt name is none of a new database.
fn only_reads(arguments: &Arguments) -> bool {
    let texts = || arguments.text.iter().chain(&arguments.command);
    let reads =
        |text: &String| !is_command(text) && !text.trim().is_empty() && !arguments.lang.is_update(text);
    texts().next().is_some() && arguments.file.is_empty() && texts().all(reads)
}

/// How answers look, if somebody said so.
fn format(arguments: &Arguments) -> Result<Option<Format>, Failure> {
    let format = match (arguments.format, &arguments.output) {
        (None, Some(path)) => Some(Format::of_output(path)?),
        (given, _) => given,
    };
    let texts: Vec<&String> = arguments.text.iter().chain(&arguments.command).collect();
    if arguments.output.is_some() && texts.is_empty() && arguments.file.is_empty() {
        return Err(Failure::message("--output is for a text: trimorph DB 'TEXT' --output FILE"));
    }
    if format.is_some_and(Format::is_binary) {
        let statements = texts.iter().map(|text| arguments.lang.statements(text).len()).sum::<usize>();
        if arguments.output.is_none() {
            return Err(Failure::message("this format is for a file; give --output FILE"));
        }
        if statements != 1 || !arguments.file.is_empty() {
            return Err(Failure::message("this format holds one answer; the text has several statements"));
        }
    }
    Ok(format)
}

/// Runs what was given with the command line, else what stdin has.
fn answer(session: &mut Session, arguments: &Arguments) -> Result<(), Failure> {
    let texts = || arguments.text.iter().chain(&arguments.command);
    let has_texts = texts().next().is_some() || !arguments.file.is_empty();
    let is_interactive = !has_texts && stdin().is_terminal() && session.terminal.is_terminal;
    let rc = match &arguments.init {
        Some(path) => Some(path.clone()),
        None if arguments.no_init || !is_interactive => None,
        None => interactive::rc_path().filter(|path| path.exists()),
    };
    let mut out = BufWriter::new(stdout());
    if let Some(rc) = rc {
        let done = session.script(&rc, &mut out);
        out.flush()?;
        match done {
            Ok(Next::Continue) => {}
            Ok(Next::Quit) => return Ok(()),
            // A mistake in it is told, and the shell is there to look into it.
            Err(failure) if is_interactive && arguments.init.is_none() => {
                failure.write(&mut std::io::stderr().lock(), &session.terminal)?;
            }
            Err(failure) => return Err(failure),
        }
    }
    if is_interactive {
        drop(out);
        return interactive::run(session);
    }
    for path in &arguments.file {
        if session.script(path, &mut out)? == Next::Quit {
            return Ok(());
        }
    }
    for text in texts() {
        let source = Source { name: "-c", line: 1, is_file: false };
        let next = session.take(text, Some(&source), &mut out);
        out.flush()?;
        if next? == Next::Quit {
            return Ok(());
        }
    }
    if !has_texts {
        session.lines("stdin", false, &mut stdin().lock(), &mut out)?;
    }
    Ok(out.flush()?)
}
