//! `trimorph demo`: a social network out of nothing, in memory; what it occupies; questions in both languages
//! with answers and times.

use std::io::{Write, stdout};
use std::time::{Duration, Instant};

use clap::Args;
use trimorph::generate::SNB_NOTICE;
use trimorph::{CancelToken, Config, Connection, Database, LoadOptions, LoadReport, Params, Stats};

use super::demo_questions::{IN_SPARQL, PATHS, QUESTIONS, Question};
use super::{bytes_chart, demo_profile, generate};
use crate::database::Resources;
use crate::failure::Failure;
use crate::interrupt::on_interrupt;
use crate::output::{Frame, Limits, Table};
use crate::progress::Bar;
use crate::terminal::Terminal;
use crate::text::columns::{Align, align, wrap};
use crate::text::highlight::highlight;
use crate::text::quantity;

/// Make a social network in memory, load it, ask it questions, show times and memory
#[derive(Args)]
#[command(
    after_help = "Examples:\n  trimorph demo\n  trimorph demo --scale 1\n\nNothing is written to disk."
)]
pub(crate) struct Arguments {
    /// Size: 0.1 has 1,700 persons, 0.3 has 3,500, 1 has 11,000
    #[arg(long, value_name = "F", default_value_t = 0.3, value_parser = generate::parse_scale)]
    scale: f64,
    /// The same seed makes the same network
    #[arg(long, value_name = "N", default_value_t = 42)]
    seed: u64,
    #[command(flatten)]
    resources: Resources,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<(), Failure> {
    let start = Instant::now();
    let out = &mut stdout().lock();
    let paint = terminal.out;
    let version = env!("CARGO_PKG_VERSION");
    let scale = arguments.scale;
    writeln!(
        out,
        "{} a social network of scale {scale}, in memory\n",
        paint.bold(format!("Trimorph {version}:"))
    )?;
    let config = arguments.resources.config(false);
    let database = Database::in_memory(config.clone());
    let report = load(arguments, &database, terminal)?;
    let stats = database.stats();
    write_loaded(&config, &report, &stats, terminal, out)?;
    writeln!(out, "{}", paint.bold("Memory"))?;
    writeln!(out, "{}", bytes_chart::draw(&stats, paint))?;
    let connection = database.connect();
    for (i, question) in QUESTIONS.iter().enumerate() {
        ask(&connection, i + 1, question, terminal, out)?;
    }
    let mut number = QUESTIONS.len() + 1;
    if cfg!(feature = "rdf") {
        ask(&connection, number, &IN_SPARQL, terminal, out)?;
        number += 1;
    }
    ask(&connection, number, &PATHS, terminal, out)?;
    demo_profile::write(&connection, PATHS.text, terminal, out)?;
    writeln!(out, "{} {}", paint.bold("Everything took"), quantity::duration(start.elapsed()))?;
    writeln!(
        out,
        "Your own data: {}, then {}",
        paint.green("trimorph load my.tm FILES…"),
        paint.green("trimorph shell my.tm")
    )?;
    writeln!(out)?;
    for line in wrap(&format!("The data is {SNB_NOTICE}."), terminal.width().unwrap_or(100).min(100)) {
        writeln!(out, "{}", paint.dim(line))?;
    }
    Ok(())
}

fn load(arguments: &Arguments, database: &Database, terminal: &Terminal) -> Result<LoadReport, Failure> {
    let cancel = CancelToken::default();
    let options = LoadOptions { cancel: cancel.clone(), ..database.load_options() };
    let _guard = on_interrupt(move || cancel.cancel());
    let bar = Bar::new(terminal);
    Ok(database.generate_snb_with(arguments.scale, arguments.seed, &options, &bar)?)
}

fn write_loaded(
    config: &Config,
    report: &LoadReport,
    stats: &Stats,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let paint = terminal.out;
    let seconds = report.seconds.max(1e-6);
    let rate = quantity::per_second(report.values, seconds);
    writeln!(
        out,
        "{} {} and {} in {}",
        paint.bold("Loaded"),
        quantity::plural(stats.nodes(), "node", "nodes"),
        quantity::plural(stats.edges(), "edge", "edges"),
        paint.green(quantity::duration(Duration::from_secs_f64(seconds))),
    )?;
    writeln!(
        out,
        "  {}\n",
        paint.dim(format!(
            "{} values, {}/s with {}, the generator's work included",
            quantity::short(report.values),
            quantity::short(rate),
            quantity::plural(config.threads as u64, "thread", "threads"),
        )),
    )?;
    let nodes = sums(stats.node_tables.iter().map(|t| (t.labels.last().map_or("", String::as_str), t.rows)));
    let edges = sums(stats.edge_tables.iter().map(|t| (t.label.as_str(), t.edges)));
    let rows: Vec<Vec<String>> = (0..nodes.len().max(edges.len()))
        .map(|i| {
            let cells = |list: &[(String, u64)]| match list.get(i) {
                Some((name, count)) => [name.clone(), paint.cyan(quantity::grouped(*count))],
                None => Default::default(),
            };
            let ([node, rows], [edge, count]) = (cells(&nodes), cells(&edges));
            vec![node, rows, String::new(), edge, count]
        })
        .collect();
    let aligns = [Align::Left, Align::Right, Align::Left, Align::Left, Align::Right];
    writeln!(out, "{}", align(&rows, &aligns, 2))?;
    Ok(())
}

/// Rows by name, the largest first.
fn sums<'a>(tables: impl Iterator<Item = (&'a str, u64)>) -> Vec<(String, u64)> {
    let mut by_name = std::collections::BTreeMap::new();
    for (name, rows) in tables {
        *by_name.entry(name.to_owned()).or_insert(0) += rows;
    }
    let mut list: Vec<(String, u64)> = by_name.into_iter().collect();
    list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    list
}

/// Asks a question once, plan included, and shows the text, the answer and the time.
fn ask(
    connection: &Connection,
    number: usize,
    question: &Question,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let paint = terminal.out;
    writeln!(out, "{}", paint.bold(format!("{number}. {}", question.title)))?;
    for line in highlight(question.text, paint).lines() {
        writeln!(out, "   {line}")?;
    }
    out.flush()?;
    let start = Instant::now();
    let mut result = match question.is_sparql {
        true => crate::rdf::ask(connection, question.text, Params::new(), CancelToken::default())?,
        false => connection.query(question.text, &[])?,
    };
    let limits = Limits {
        rows: Some(6),
        width: terminal.width().map(|w| w.saturating_sub(3)),
        color: paint.on,
        ..Limits::default()
    };
    let table = Table::read(&mut result, &limits, &|column| column != "year")?;
    let time = start.elapsed();
    for line in table.draw(Frame::Round, &limits).0.lines() {
        writeln!(out, "   {line}")?;
    }
    if table.hidden() > 0 {
        writeln!(out, "   {}", quantity::more_rows(table.hidden()))?;
    }
    writeln!(out, "   {}\n", paint.green(quantity::duration(time)))?;
    Ok(())
}
