//! `trimorph query`: one text, or the statements of a file, and their answers.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal as _, Read as _, Write, stdin, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use trimorph::Value;

use crate::answer::{Asking, ROWS_DEFAULT, write_notices};
use crate::database::{Resources, is_memory, open_to_read, open_to_write};
use crate::failure::{Failure, Source};
use crate::language::Language;
use crate::output::{Format, Limits};
use crate::params;
use crate::terminal::Terminal;

/// Ask one question, or all statements of a file
#[derive(Args)]
#[command(after_help = "Examples:
  trimorph query social.tm 'MATCH (p:Person) RETURN count(p)'
  trimorph query social.tm 'MATCH (p:Person {id: $id}) RETURN p' --param id=933
  trimorph query social.tm --file all.cypher --format parquet --output all.parquet
  trimorph query :memory: 'UNWIND range(1, 3) AS x RETURN x' --format jsonl
  trimorph query social.tm --lang sparql 'SELECT (COUNT(*) AS ?n) { ?p a :Person }'

Values of parameters are literals of openCypher or JSON, also
date('2012-01-01') and its like; words are strings.")]
pub(crate) struct Arguments {
    /// Directory of the database, or :memory:
    db: PathBuf,
    /// The query; read from stdin if neither it nor --file is given
    #[arg(conflicts_with = "file")]
    text: Option<String>,
    /// Read the query from a file; statements end with a semicolon
    #[arg(long, short, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Language; by default what the file's suffix says, else openCypher
    #[arg(long, value_enum)]
    lang: Option<Language>,
    /// A parameter; may be given more than once
    #[arg(long = "param", short, value_name = "NAME=VALUE", value_parser = params::parse_pair)]
    params: Vec<(String, Value)>,
    /// How the answer is written [default: what the suffix of --output says, else a table]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write the answer to a file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Rows of a table that are shown, 0 for all [default: 40 on a terminal, else all]
    #[arg(long, value_name = "N")]
    rows: Option<usize>,
    #[command(flatten)]
    resources: Resources,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<(), Failure> {
    let suffix = arguments.file.as_deref().and_then(Language::of_suffix);
    let language = arguments.lang.or(suffix).unwrap_or(Language::Cypher);
    language.require()?;
    let text = read_text(arguments)?;
    let statements = language.statements(&text);
    if statements.is_empty() {
        return Err(Failure::message("there is no query in the text"));
    }
    let is_file = arguments.output.is_some();
    let format = match (arguments.format, &arguments.output) {
        (Some(format), _) => format,
        (None, Some(path)) => Format::of_output(path)?,
        (None, None) => Format::Table,
    };
    if format.is_binary() {
        if !is_file && terminal.is_terminal {
            return Err(Failure::message("this format is not for a terminal; give --output FILE"));
        }
        if statements.len() > 1 {
            return Err(Failure::message("this format holds one answer; the text has several statements"));
        }
    }
    let database = if language.is_update(&text) && !is_memory(&arguments.db) {
        open_to_write(&arguments.db, &arguments.resources)?.0
    } else {
        open_to_read(&arguments.db, &arguments.resources)?
    };
    let limits = Limits {
        rows: match arguments.rows {
            Some(0) => None,
            Some(rows) => Some(rows),
            None => (terminal.is_terminal && !is_file).then_some(ROWS_DEFAULT),
        },
        width: if is_file { None } else { terminal.width() },
        rows_hint: "--rows 0 shows all",
        width_hint: "--format line shows all",
        is_file,
        is_sparql: language == Language::Sparql,
        color: terminal.out.on && !is_file,
        types: terminal.is_terminal && !is_file,
        null: None,
    };
    let asking = Asking {
        connection: Arc::new(database.connect()),
        language,
        params: Arc::new(params::collect(&arguments.params)),
        format,
        limits,
        timer: true,
        err: terminal.err,
    };
    let other = if arguments.text.as_deref().is_none_or(|t| t == "-") { "stdin" } else { "TEXT" };
    let name = arguments.file.as_deref().map_or(other.into(), Path::to_string_lossy);
    let source = Source { name: &name, line: 1, is_file: arguments.file.is_some() };
    let mut out = open_output(arguments)?;
    for (i, statement) in statements.iter().enumerate() {
        if i > 0 && format.has_footer() {
            writeln!(out)?;
        }
        // Answers that are complete stand, whatever becomes of the next.
        let answered = asking.answer(statement, &mut out).map_err(|e| source.blame(e, &text, statement));
        let flushed = out.flush();
        write_notices(&answered?);
        flushed?;
    }
    Ok(())
}

fn open_output(arguments: &Arguments) -> Result<Box<dyn Write + Send>, Failure> {
    Ok(match &arguments.output {
        None => Box::new(BufWriter::new(stdout())),
        Some(path) => {
            let file =
                File::create(path).map_err(|e| Failure::message(format!("{}: {e}", path.display())))?;
            Box::new(BufWriter::new(file))
        }
    })
}

fn read_text(arguments: &Arguments) -> Result<String, Failure> {
    if let Some(text) = arguments.text.as_deref().filter(|t| *t != "-") {
        return Ok(text.to_owned());
    }
    if let Some(path) = &arguments.file {
        return std::fs::read_to_string(path)
            .map_err(|e| Failure::message(format!("{}: {e}", path.display())));
    }
    if stdin().is_terminal() {
        return Err(Failure::message("no query given; write it behind the database, or give --file FILE"));
    }
    let mut text = String::new();
    stdin().read_to_string(&mut text).map_err(|e: io::Error| Failure::message(format!("stdin: {e}")))?;
    Ok(text)
}
