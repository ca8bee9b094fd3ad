//! `trimorph query`: one text, or the statements of a file, and their answers.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal as _, Read as _, Write, stdin, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::{Args, ValueEnum};
use trimorph::{Connection, Params, Value};

use crate::database::{Resources, is_memory, open_to_read, open_to_write};
use crate::failure::Failure;
use crate::interrupt::on_interrupt;
use crate::output::{self, Format, Limits};
use crate::params;
use crate::terminal::Terminal;
use crate::text::{quantity, scan};

/// Rows of a table on a terminal.
pub(crate) const ROWS_DEFAULT: usize = 40;

/// Ask one question, or all statements of a file
#[derive(Args)]
#[command(after_help = "Examples:
  trimorph query social.tm 'MATCH (p:Person) RETURN count(p)'
  trimorph query social.tm 'MATCH (p:Person {id: $id}) RETURN p' --param id=933 --format line
  trimorph query social.tm --file report.cypher --format parquet --output report.parquet
  trimorph query :memory: 'UNWIND range(1, 3) AS x RETURN x, x * x AS y' --format jsonl

Values of parameters are literals of openCypher or JSON, also date('2012-01-01') and its like; words are strings.")]
pub(crate) struct Arguments {
    /// Directory of the database, or :memory:
    db: PathBuf,
    /// The query; read from stdin if neither it nor --file is given
    #[arg(conflicts_with = "file")]
    text: Option<String>,
    /// Read the query from a file; statements end with a semicolon
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Language; by default what the file's suffix says, else openCypher
    #[arg(long, value_enum)]
    lang: Option<Language>,
    /// A parameter; may be given more than once
    #[arg(long = "param", short, value_name = "NAME=VALUE", value_parser = params::parse_pair)]
    params: Vec<(String, Value)>,
    /// How the answer is written
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Write the answer to a file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Rows of a table that are shown, 0 for all [default: 40 on a terminal, else all]
    #[arg(long, value_name = "N")]
    rows: Option<usize>,
    #[command(flatten)]
    resources: Resources,
}

/// Query languages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Language {
    /// openCypher.
    Cypher,
    /// SPARQL.
    Sparql,
    /// SQL.
    Sql,
}

impl Language {
    /// Refuses what does not exist yet.
    pub(crate) fn require(self) -> Result<(), Failure> {
        let name = match self {
            Self::Cypher => return Ok(()),
            Self::Sparql => "SPARQL",
            Self::Sql => "SQL",
        };
        Err(Failure::message(format!("{name} is not available yet; this version speaks openCypher (--lang cypher)")))
    }

    fn of_suffix(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "cypher" | "cyp" | "cql" => Some(Self::Cypher),
            "rq" | "sparql" => Some(Self::Sparql),
            "sql" => Some(Self::Sql),
            _ => None,
        }
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<(), Failure> {
    let suffix = arguments.file.as_deref().and_then(Language::of_suffix);
    arguments.lang.or(suffix).unwrap_or(Language::Cypher).require()?;
    let text = read_text(arguments)?;
    let statements = scan::statements(&text);
    if statements.is_empty() {
        return Err(Failure::message("there is no query in the text"));
    }
    let is_file = arguments.output.is_some();
    if arguments.format.is_binary() {
        if !is_file && terminal.is_terminal {
            return Err(Failure::message("this format is not for a terminal; give --output FILE"));
        }
        if statements.len() > 1 {
            return Err(Failure::message("this format holds one answer; the text has several statements"));
        }
    }
    let database = if scan::is_update(&text) && !is_memory(&arguments.db) {
        open_to_write(&arguments.db, &arguments.resources)?.0
    } else {
        open_to_read(&arguments.db, &arguments.resources)?
    };
    let connection = Arc::new(database.connect());
    let params = Arc::new(params::collect(&arguments.params));
    let limits = Limits {
        rows: match arguments.rows {
            Some(0) => None,
            Some(rows) => Some(rows),
            None => (terminal.is_terminal && !is_file).then_some(ROWS_DEFAULT),
        },
        width: if is_file { None } else { terminal.width() },
        is_file,
        color: terminal.out.on && !is_file,
    };
    let mut out = open_output(arguments)?;
    for (i, statement) in statements.iter().enumerate() {
        if i > 0 && arguments.format == Format::Table {
            writeln!(out)?;
        }
        // Answers that are complete stand, whatever becomes of the next.
        let answered = answer(&connection, statement, &params, arguments.format, &limits, terminal, &mut out);
        let flushed = out.flush();
        answered?;
        flushed?;
    }
    Ok(())
}

fn open_output(arguments: &Arguments) -> Result<Box<dyn Write + Send>, Failure> {
    Ok(match &arguments.output {
        None => Box::new(BufWriter::new(stdout())),
        Some(path) => {
            let file = File::create(path).map_err(|e| Failure::message(format!("{}: {e}", path.display())))?;
            Box::new(BufWriter::new(file))
        }
    })
}

fn read_text(arguments: &Arguments) -> Result<String, Failure> {
    if let Some(text) = arguments.text.as_deref().filter(|t| *t != "-") {
        return Ok(text.to_owned());
    }
    if let Some(path) = &arguments.file {
        return std::fs::read_to_string(path).map_err(|e| Failure::message(format!("{}: {e}", path.display())));
    }
    if stdin().is_terminal() {
        return Err(Failure::message("no query given; write it behind the database, or give --file FILE"));
    }
    let mut text = String::new();
    stdin().read_to_string(&mut text).map_err(|e: io::Error| Failure::message(format!("stdin: {e}")))?;
    Ok(text)
}

/// Runs one statement and writes its answer, with a footer if it is for people. Ctrl-C stops it.
pub(crate) fn answer(
    connection: &Arc<Connection>,
    text: &str,
    params: &Arc<Params>,
    format: Format,
    limits: &Limits,
    terminal: &Terminal,
    out: &mut (dyn Write + Send),
) -> Result<(), Failure> {
    let watched = Arc::clone(connection);
    let _guard = on_interrupt(move || watched.interrupt());
    let start = Instant::now();
    let mut result = connection.execute(text, Arc::clone(params))?;
    if result.columns() == ["plan"] && format == Format::Table && is_plan(text) {
        return write_plan(&mut result, out);
    }
    let columns = result.columns().len() as u64;
    let rows = output::write(&mut result, format, limits, out)?;
    if matches!(format, Format::Table) {
        let shape =
            format!("({}, {})", quantity::plural(rows, "row", "rows"), quantity::plural(columns, "column", "columns"));
        let time = quantity::duration(start.elapsed());
        let paint = crate::terminal::Paint { on: limits.color && terminal.out.on };
        writeln!(out, "{}", paint.dim(format!("{shape} {time}")))?;
    }
    Ok(())
}

/// Whether the statement asks for its plan.
fn is_plan(text: &str) -> bool {
    let first = scan::tokens(text).into_iter().find(|t| !matches!(t.kind, scan::Kind::Space | scan::Kind::Comment));
    first.is_some_and(|t| ["EXPLAIN", "PROFILE"].iter().any(|w| w.eq_ignore_ascii_case(&text[t.start..t.end])))
}

/// A plan is a text, not a table.
fn write_plan(result: &mut trimorph::QueryResult, out: &mut dyn Write) -> Result<(), Failure> {
    while let Some(row) = result.next_row()? {
        for line in &row {
            writeln!(out, "{}", result.format(line))?;
        }
    }
    Ok(())
}
