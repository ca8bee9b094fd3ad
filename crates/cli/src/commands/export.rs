//! `trimorph export`: a database, one graph of it or what a query constructs, as a file of RDF.

use std::io::{BufWriter, Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use trimorph::{CancelToken, ExportOptions};

use crate::database::{Resources, open_to_read};
use crate::failure::Failure;
use crate::interrupt::on_interrupt;
use crate::terminal::Terminal;
use crate::text::quantity;

/// Write statements of RDF to a file
#[derive(Args)]
#[command(after_help = "Examples:
  trimorph export people.tm people.nq.zst
  trimorph export people.tm page.ttl --graph http://example.org/page
  trimorph export people.tm names.ttl --prefix foaf=http://xmlns.com/foaf/0.1/ \\
    --query 'CONSTRUCT { ?s foaf:name ?n } WHERE { ?s foaf:name ?n }'
  trimorph export people.tm - --format ntriples | sort | uniq -c

The file's suffix says its format (.ttl, .trig, .nt, .nq, .rdf, .jsonld), and behind that how it is
compressed (.gz, .zst, .bz2). Turtle, N-Triples and RDF/XML have no named graphs.
Nothing takes the place of an old file before all is written.")]
pub(crate) struct Arguments {
    /// Directory of the database
    db: PathBuf,
    /// The file, or - for stdout
    file: PathBuf,
    /// The format; by default what the suffix says, and N-Quads on stdout
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// Only the statements of this named graph
    #[arg(long, value_name = "IRI", conflicts_with_all = ["query", "query_file"])]
    graph: Option<String>,
    /// Only what this CONSTRUCT or DESCRIBE query gives
    #[arg(long, value_name = "TEXT", conflicts_with = "query_file")]
    query: Option<String>,
    /// The same, from a file
    #[arg(long, value_name = "FILE")]
    query_file: Option<PathBuf>,
    /// A prefix for Turtle, TriG, RDF/XML and JSON-LD, also of the query; may be given more than once
    #[arg(long = "prefix", value_name = "NAME=IRI", value_parser = prefix)]
    prefixes: Vec<(String, String)>,
    /// Leave out what only RDF 1.2 has: triple terms, and properties of relationships
    #[arg(long)]
    without_triple_terms: bool,
    #[command(flatten)]
    resources: Resources,
}

fn prefix(text: &str) -> Result<(String, String), String> {
    let (name, iri) = text.split_once('=').ok_or("write NAME=IRI")?;
    let iri = iri.trim().trim_start_matches('<').trim_end_matches('>');
    Ok((name.trim().trim_end_matches(':').to_owned(), iri.to_owned()))
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<(), Failure> {
    let query = match &arguments.query_file {
        Some(path) => Some(
            std::fs::read_to_string(path)
                .map_err(|error| Failure::message(format!("{}: {error}", path.display())))?,
        ),
        None => arguments.query.clone(),
    };
    let declared: String =
        arguments.prefixes.iter().map(|(name, iri)| format!("PREFIX {name}: <{iri}> ")).collect();
    let database = open_to_read(&arguments.db, &arguments.resources)?;
    let cancel = CancelToken::default();
    let options = ExportOptions {
        format: arguments.format.clone(),
        graph: arguments.graph.clone(),
        // In the same line, so that errors name the lines of the text.
        query: query.map(|query| format!("{declared}{query}")),
        prefixes: arguments.prefixes.clone(),
        without_triple_terms: arguments.without_triple_terms,
        cancel: cancel.clone(),
    };
    let guard = on_interrupt(move || cancel.cancel());
    let start = Instant::now();
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("  {spinner} {msg}") {
        bar.set_style(style);
    }
    let progress = |statements: u64| {
        bar.set_message(quantity::plural(statements, "statement", "statements"));
        bar.tick();
    };
    let connection = Arc::new(database.connect());
    let is_stdout = arguments.file == Path::new("-");
    let done = if is_stdout {
        let mut out = BufWriter::new(stdout().lock());
        let done = connection.export_rdf_to(&mut out, &options, &progress);
        match done {
            Err(trimorph::Error::Load(trimorph::LoadError::Io { error, .. })) => Err(Failure::from(error)),
            Err(error) => Err(Failure::from(error)),
            Ok(report) => out.flush().map(|()| report).map_err(Failure::from),
        }
    } else {
        connection.export_rdf(&arguments.file, &options, &progress).map_err(Failure::from)
    };
    bar.finish_and_clear();
    drop(guard);
    let report = done?;
    if !is_stdout {
        let statements = quantity::plural(report.statements, "statement", "statements");
        writeln!(stdout().lock(), "{statements} written in {}", quantity::duration(start.elapsed()))?;
    }
    for notice in &report.notices {
        // If stderr is closed, the file stands all the same.
        let _ = writeln!(stderr().lock(), "{} {notice}", terminal.err.yellow("notice:"));
    }
    Ok(())
}
