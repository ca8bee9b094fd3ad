//! `trimorph load`: files in, a database out; all or nothing unless bad rows may be skipped.

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use trimorph::{
    CancelToken, ColumnReport, Database, FileGroup, Format, IdType, LoadOptions, LoadReport, OnConflict,
    Stats,
};

use crate::database::{Resources, is_memory, open_to_write};
use crate::failure::Failure;
use crate::interrupt::on_interrupt;
use crate::output::one_line;
use crate::progress::Bar;
use crate::rdf;
use crate::terminal::Terminal;
use crate::text::columns::{Align, align, wrap};
use crate::text::quantity;

/// Load files into a database, new or old: all or nothing, unless bad rows may be skipped
#[derive(Args)]
#[command(after_help = "Examples:
  trimorph load social.tm social-network/
  trimorph load films.tm films/             # a directory of CSV, JSON, Parquet files
  trimorph load films.tm nodes.csv edges.csv --format neo4j-csv
  trimorph load shop.tm mapping.json --skip-bad-rows --rejects bad.csv
  trimorph load films.tm more/ --on-conflict merge
  trimorph load films.tm --nodes Film=header.csv,films1.csv,films2.csv \\
                --nodes Actor=actors.csv --relationships ACTED_IN=roles.csv

What the files are is found out from them if --format is not given; a directory
stands for its only mapping file, or for all its files: nodes, keys and relationships
are then those that their names and columns suggest, as trimorph map DIR writes them
down. A row that does not fit ends the load with its file, line and reason; nothing is changed.

  ldbc-snb   a directory in the layout of the LDBC Social Network Benchmark
  neo4j-csv  headers as neo4j-admin database import reads them (:ID, :LABEL, …)
  csv        one mapping file, which names CSV files in its folder:
             { \"nodes\": [ { \"file\": \"person.csv\", \"labels\": [\"Person\"],
                            \"key\": \"id\" } ],
               \"edges\": [ { \"file\": \"knows.csv\", \"type\": \"KNOWS\",
                            \"from\": { \"space\": \"Person\", \"column\": \"a\" },
                            \"to\": { \"space\": \"Person\", \"column\": \"b\" } } ] }
  parquet    the same; a mapping names CSV, JSON (.json, .jsonl) and Parquet files
             of any number, with wildcards; trimorph map DIR writes a first one")]
pub(crate) struct Arguments {
    /// Directory of the database; it is made if it does not exist
    db: PathBuf,
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    resources: Resources,
}

/// What is loaded, and how.
#[derive(Args)]
pub(crate) struct What {
    /// Files, or directories with files
    #[arg(required_unless_present_any = ["nodes", "relationships"], value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Neo4j-style files of nodes with labels, as neo4j-admin takes them: the first has the header, names may
    /// have wildcards or be regular expressions
    #[arg(long, value_name = "[LABEL:…=]FILE,…")]
    nodes: Vec<String>,
    /// The same for relationships of a type
    #[arg(long, value_name = "[TYPE=]FILE,…")]
    relationships: Vec<String>,
    /// What is between the fields of neo4j-style files: a character, TAB or U+XXXX [default: ,]
    #[arg(long, value_name = "CHAR", value_parser = character)]
    delimiter: Option<u8>,
    /// What is between the elements of an array of neo4j-style files [default: ;]
    #[arg(long, value_name = "CHAR", value_parser = character)]
    array_delimiter: Option<u8>,
    /// What is around fields of neo4j-style files that hold a delimiter [default: "]
    #[arg(long, value_name = "CHAR", value_parser = character)]
    quote: Option<u8>,
    /// The type of keys of neo4j-style files whose header does not say one
    #[arg(long, value_enum, value_name = "TYPE", default_value = "string", ignore_case = true)]
    id_type: IdTypeName,
    /// What the files are
    #[arg(long, value_enum)]
    format: Option<FormatName>,
    /// What relative IRIs of RDF are relative to [default: the file's own place]
    #[arg(long, value_name = "IRI")]
    base_iri: Option<String>,
    /// Put statements of RDF that are in no graph into this named graph
    #[arg(long, value_name = "IRI")]
    graph: Option<String>,
    /// Leave bad rows out and go on
    #[arg(long)]
    skip_bad_rows: bool,
    /// What to do with a row whose key a node of the database has already
    #[arg(long, value_enum, value_name = "WHAT", default_value = "error")]
    on_conflict: Conflicts,
    /// Write bad rows to this file, as CSV with file, line, reason and the row [default: DB.rejects.csv]
    #[arg(long, value_name = "FILE", requires = "skip_bad_rows")]
    rejects: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum IdTypeName {
    /// Texts
    String,
    /// Integers
    #[value(alias = "actual")]
    Integer,
}

/// One ASCII character: itself, `TAB`, `\t` or `U+0009`.
fn character(text: &str) -> Result<u8, String> {
    let code = text.strip_prefix("U+").or_else(|| text.strip_prefix("u+"));
    let byte = match (text.as_bytes(), code) {
        ([byte], _) => Some(*byte),
        (b"TAB" | b"tab" | b"\\t", _) => Some(b'\t'),
        (_, Some(code)) => u8::from_str_radix(code.trim_start_matches('0'), 16).ok(),
        _ => None,
    };
    byte.filter(|byte| byte.is_ascii() && !matches!(byte, b'\n' | b'\r' | 0))
        .ok_or_else(|| "give one ASCII character that is no line end, TAB, or U+ and its code".to_owned())
}

/// The groups of files that are named.
fn groups(what: &What) -> Result<Vec<FileGroup>, Failure> {
    let nodes = what.nodes.iter().map(|text| FileGroup::parse(text, false));
    let all = nodes.chain(what.relationships.iter().map(|text| FileGroup::parse(text, true)));
    all.collect::<Result<_, _>>().map_err(Failure::message)
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Conflicts {
    /// Refuse it
    Error,
    /// Leave it out
    Skip,
    /// Give its properties to the node
    Merge,
}

impl Conflicts {
    fn option(self) -> OnConflict {
        match self {
            Self::Error => OnConflict::Error,
            Self::Skip => OnConflict::Skip,
            Self::Merge => OnConflict::Merge,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatName {
    LdbcSnb,
    Csv,
    Neo4jCsv,
    Parquet,
    Turtle,
    Trig,
    Ntriples,
    Nquads,
    Rdfxml,
    Jsonld,
}

impl FormatName {
    /// The name of a format of RDF.
    fn rdf(self) -> Option<&'static str> {
        Some(match self {
            Self::Turtle => "turtle",
            Self::Trig => "trig",
            Self::Ntriples => "ntriples",
            Self::Nquads => "nquads",
            Self::Rdfxml => "rdfxml",
            Self::Jsonld => "jsonld",
            _ => return None,
        })
    }

    fn format(self) -> Option<Format> {
        Some(match self {
            Self::LdbcSnb => Format::LdbcSnb,
            Self::Csv => Format::Csv,
            Self::Neo4jCsv => Format::Neo4jCsv,
            Self::Parquet => Format::Parquet,
            _ => return None,
        })
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<(), Failure> {
    let (database, made) = open_to_write(&arguments.db, &arguments.resources)?;
    let done = into(&database, &arguments.db, &arguments.what, terminal, &mut stdout().lock());
    if done.is_err() {
        drop(database);
        made.discard();
    }
    done
}

/// Loads files into a database that is open, and reports to `out`.
pub(crate) fn into(
    database: &Database,
    db: &Path,
    what: &What,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let named = what.format.and_then(FormatName::rdf);
    let is_rdf = |path: &PathBuf| what.format.is_none() && rdf::is_rdf_file(path);
    let groups = groups(what)?;
    if named.is_some() || (groups.is_empty() && what.paths.iter().all(is_rdf)) {
        return load_rdf(what, named, database, out);
    }
    let cancel = CancelToken::default();
    let usual = database.load_options();
    let options = LoadOptions {
        groups,
        id_type: match what.id_type {
            IdTypeName::String => IdType::String,
            IdTypeName::Integer => IdType::Integer,
        },
        delimiter: what.delimiter.unwrap_or(usual.delimiter),
        array_delimiter: what.array_delimiter.unwrap_or(usual.array_delimiter),
        quote: what.quote.unwrap_or(usual.quote),
        skip_bad_rows: what.skip_bad_rows,
        on_conflict: what.on_conflict.option(),
        rejects_path: rejects_path(db, what),
        cancel: cancel.clone(),
        ..usual
    };
    let guard = on_interrupt(move || cancel.cancel());
    let bar = Bar::new(terminal);
    let format = what.format.and_then(FormatName::format);
    let loaded = database.load(&what.paths, format, &options, &bar);
    bar.clear();
    drop(guard);
    write_report(db, what, &loaded?, &database.stats(), terminal, out)
}

/// Loads files of statements.
fn load_rdf(
    what: &What,
    format: Option<&str>,
    database: &Database,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let cancel = CancelToken::default();
    let options = rdf::RdfOptions {
        format: format.map(str::to_owned),
        base: what.base_iri.clone(),
        graph: what.graph.clone(),
        skip_bad: what.skip_bad_rows,
        cancel: cancel.clone(),
        ..rdf::RdfOptions::default()
    };
    let guard = on_interrupt(move || cancel.cancel());
    let start = std::time::Instant::now();
    let report = rdf::load(&database.connect(), &what.paths, &options)?;
    drop(guard);
    let statements = quantity::plural(report.statements, "statement", "statements");
    writeln!(out, "{statements} read in {}: {}", quantity::duration(start.elapsed()), report.effects)?;
    if report.skipped > 0 {
        writeln!(out, "{} left out:", quantity::plural(report.skipped, "statement", "statements"))?;
        report.errors.iter().try_for_each(|error| writeln!(out, "  {error}"))?;
    }
    Ok(())
}

/// Where bad rows go: what was asked for, else a file next to the database.
fn rejects_path(db: &Path, what: &What) -> Option<PathBuf> {
    let default = || {
        let mut name = db.file_name()?.to_owned();
        name.push(".rejects.csv");
        Some(db.with_file_name(name))
    };
    match &what.rejects {
        Some(path) => Some(path.clone()),
        None if what.skip_bad_rows && !is_memory(db) => default(),
        None => None,
    }
}

fn write_report(
    db: &Path,
    what: &What,
    report: &LoadReport,
    stats: &Stats,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let paint = terminal.out;
    let files = report.files.iter().map(|f| {
        let name = f.path.display().to_string();
        vec![f.table.clone(), quantity::grouped(f.rows), paint.dim(name)]
    });
    let files: Vec<Vec<String>> = files.collect();
    out.write_all(align(&files, &[Align::Left, Align::Right, Align::Left], 2).as_bytes())?;
    write_columns(report, terminal, out)?;
    if let Some(directory) = &report.guessed {
        let dir = directory.display();
        writeln!(
            out,
            "{} {dir} has no mapping, so labels, keys and relationships are those that its files suggest (to change \
             them: trimorph map {dir} --out {dir}/mapping.json, then trimorph load DB {dir}/mapping.json)",
            paint.yellow("notice:")
        )?;
    }
    write_headers(what, report, terminal, out)?;
    let seconds = report.seconds.max(1e-6);
    let rate = quantity::per_second(report.values, seconds);
    writeln!(
        out,
        "{} and {} from {} {}",
        paint.bold(quantity::plural(stats.nodes(), "node", "nodes")),
        paint.bold(quantity::plural(stats.edges(), "edge", "edges")),
        quantity::plural(report.files.len() as u64, "file", "files"),
        paint.dim(format!(
            "({}, {} values at {}/s, format {})",
            quantity::duration(Duration::from_secs_f64(seconds)),
            quantity::short(report.values),
            quantity::short(rate),
            report.format.name()
        )),
    )?;
    let place = if is_memory(db) { "in memory, gone when this program ends" } else { "" };
    writeln!(
        out,
        "{} {} {}",
        quantity::bytes(stats.piece_bytes as u64),
        if place.is_empty() { format!("in {}", db.display()) } else { place.to_owned() },
        paint.dim(format!("({} of CSV and the like)", quantity::bytes(report.bytes))),
    )?;
    if report.without_end > 0 {
        let rows = quantity::plural(report.without_end, "row", "rows");
        writeln!(out, "{rows} of relationships without an end, which make none")?;
    }
    if report.rejected > 0 {
        write_rejected(rejects_path(db, what), report, terminal, out)?;
    }
    Ok(())
}

/// What the columns of files were read as, where that was found out or written in headers, and which of them
/// are text because of one value.
fn write_columns(report: &LoadReport, terminal: &Terminal, out: &mut dyn Write) -> Result<(), Failure> {
    let paint = terminal.out;
    if !matches!(report.format, Format::Csv | Format::Neo4jCsv | Format::Parquet) {
        return Ok(());
    }
    let width = terminal.width().unwrap_or(100).saturating_sub(4).max(30);
    let mut last = None;
    for file in report.files.iter().filter(|file| !file.columns.is_empty()) {
        // A name and its type stay on one line.
        let glue = |text: String| text.replace(' ', "\u{a0}");
        let list: Vec<String> =
            file.columns.iter().map(|c| glue(format!("{} {}", c.name, c.ty.name()))).collect();
        let shown = (&file.table, list.join(", "));
        // Of files that are alike, as parts of a large one, once.
        if last.as_ref() != Some(&shown) {
            writeln!(out, "  {}", paint.bold(&file.table))?;
            for line in wrap(&shown.1, width) {
                writeln!(out, "    {}", paint.dim(line.replace('\u{a0}', " ")))?;
            }
        }
        last = Some(shown);
        for column in &file.columns {
            if let Some(text) = told_of_text(column) {
                writeln!(out, "    {} {text}", paint.yellow("notice:"))?;
            }
        }
    }
    Ok(())
}

/// Files of which the first line may be a row, and those that have no other line.
fn write_headers(
    what: &What,
    report: &LoadReport,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let notice = terminal.out.yellow("notice:");
    if let Some((file, name)) = report.odd_header() {
        let hint = match report.format {
            Format::Neo4jCsv => "give the header as a file of its own: --nodes Label=header.csv,rows.csv",
            _ => "give the names in the mapping: \"header\": [\"id\", \"name\"]",
        };
        let path = file.path.display();
        writeln!(
            out,
            "{notice} the first line of {path} was taken for the names of columns, and one is called \"{}\" ({hint})",
            one_line(name)
        )?;
    }
    // The file that has only the header of those behind it is meant to.
    let groups = groups(what)?;
    let is_header =
        |path| groups.iter().any(|group| group.files.len() > 1 && group.files.first() == Some(path));
    let empty = report.files.iter().filter(|file| file.rows == 0 && !is_header(&file.path));
    let empty: Vec<_> = empty.map(|file| file.path.display()).collect();
    match empty.as_slice() {
        // Where rows were refused, these are no news.
        _ if report.rejected > 0 => {}
        [] => {}
        [path] => writeln!(out, "{notice} {path} has no rows")?,
        [path, ..] => writeln!(out, "{notice} {} files have no rows, such as {path}", empty.len())?,
    }
    Ok(())
}

/// Why a column is text that looked like something else.
pub(super) fn told_of_text(column: &ColumnReport) -> Option<String> {
    let fell = column.fell.as_ref()?;
    let (name, value, was) = (&column.name, one_line(&fell.value), fell.was.name());
    Some(format!("\"{name}\" is text because of \"{value}\"; before that it looked like {was}"))
}

fn write_rejected(
    path: Option<PathBuf>,
    report: &LoadReport,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let samples = report.rejects.samples();
    writeln!(
        out,
        "{}",
        terminal.out.red(quantity::plural(report.rejected, "row rejected:", "rows rejected:"))
    )?;
    for sample in &samples {
        writeln!(out, "  {sample}")?;
    }
    let more = report.rejected.saturating_sub(samples.len() as u64);
    if more > 0 {
        writeln!(out, "  … and {} more", quantity::grouped(more))?;
    }
    match path {
        Some(path) => writeln!(out, "all of them are in {}", path.display())?,
        None => writeln!(out, "--rejects FILE writes all of them down")?,
    }
    Ok(())
}
