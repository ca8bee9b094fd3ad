//! `trimorph stats`: tables, rows, encodings, bytes by component.

use std::io::{Write, stdout};
use std::path::PathBuf;

use clap::Args;
use trimorph::{LogicalType, Stats};

use super::bytes_chart;
use crate::database::{Resources, open_to_read};
use crate::failure::Failure;
use crate::terminal::Terminal;
use crate::text::columns::{Align, align};
use crate::text::quantity;

/// Show what a database holds: tables, rows, encodings, bytes by component
#[derive(Args)]
#[command(after_help = "Example:\n  trimorph stats social.tm")]
pub(crate) struct Arguments {
    /// Directory of the database
    db: PathBuf,
    #[command(flatten)]
    resources: Resources,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<(), Failure> {
    let database = open_to_read(&arguments.db, &arguments.resources)?;
    write_stats(&database.stats(), terminal, &mut stdout().lock())
}

type Column = (String, LogicalType, Vec<(&'static str, usize)>);

/// Writes everything there is to know about a database.
pub(crate) fn write_stats(stats: &Stats, terminal: &Terminal, out: &mut dyn Write) -> Result<(), Failure> {
    let paint = terminal.out;
    writeln!(
        out,
        "{}",
        paint.bold(format!(
            "{} in {}, {} in {}",
            quantity::plural(stats.nodes(), "node", "nodes"),
            quantity::plural(stats.node_tables.len() as u64, "table", "tables"),
            quantity::plural(stats.edges(), "edge", "edges"),
            quantity::plural(stats.edge_tables.len() as u64, "table", "tables"),
        ))
    )?;
    for table in &stats.node_tables {
        let labels: String = table.labels.iter().map(|l| format!(":{l}")).collect();
        let rows = quantity::plural(table.rows, "row", "rows");
        writeln!(out, "\n{}  {rows}", paint.bold(format!("({labels})")))?;
        write_columns(&table.columns, table.key.as_deref(), terminal, out)?;
    }
    for table in &stats.edge_tables {
        let label = |labels: &[String]| labels.iter().map(|l| format!(":{l}")).collect::<String>();
        let single =
            if table.single_forward { paint.dim("  one per source: a vertex column") } else { String::new() };
        let source = label(&table.source);
        let name = paint.bold(format!("({source})-[:{}]->", table.label));
        writeln!(out, "\n{name}  {}{single}", quantity::plural(table.edges, "row", "rows"))?;
        let targets: Vec<Vec<String>> = (table.targets.iter())
            .map(|(labels, edges)| vec![format!("to ({})", label(labels)), quantity::grouped(*edges)])
            .collect();
        out.write_all(align(&targets, &[Align::Left, Align::Right], 2).as_bytes())?;
        write_columns(&table.columns, None, terminal, out)?;
    }
    writeln!(out, "\n{}", paint.bold("Bytes by component"))?;
    out.write_all(bytes_chart::draw(stats, paint).as_bytes())?;
    let pieces = quantity::bytes(stats.piece_bytes as u64);
    let (read, resident) = (
        quantity::plural(stats.pieces_read, "piece", "pieces"),
        quantity::bytes(stats.resident_bytes as u64),
    );
    let text = format!("  {pieces} in pieces; {read} read so far, {resident} in memory");
    writeln!(out, "{}", paint.dim(text))?;
    Ok(())
}

fn write_columns(
    columns: &[Column],
    key: Option<&str>,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let row = |(name, ty, encodings): &Column| {
        let encodings: Vec<String> =
            encodings.iter().map(|(name, segments)| format!("{name} ×{segments}")).collect();
        let key = if key == Some(name.as_str()) { "key" } else { "" };
        vec![name.clone(), format!("{ty:?}"), key.into(), terminal.out.dim(encodings.join(", "))]
    };
    let rows: Vec<Vec<String>> = columns.iter().map(row).collect();
    out.write_all(align(&rows, &[Align::Left; 4], 2).as_bytes())?;
    Ok(())
}
