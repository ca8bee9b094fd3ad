//! `:schema`: labels, relationship types and their properties, as patterns.

use std::io::Write;

use trimorph::{LogicalType, Stats};

use crate::failure::Failure;
use crate::terminal::{Paint, Terminal};
use crate::text::columns::{Align, align, wrap};
use crate::text::quantity;

type Column = (String, LogicalType, Vec<(&'static str, usize)>);

/// Writes the schema.
pub(super) fn write(stats: &Stats, terminal: &Terminal, out: &mut dyn Write) -> Result<(), Failure> {
    let paint = terminal.out;
    if stats.nodes() == 0 {
        writeln!(out, "the database is empty: CREATE something, or :load files")?;
        return Ok(());
    }
    let width = terminal.width().unwrap_or(100).saturating_sub(6).max(30);
    for table in stats.node_tables.iter().filter(|t| t.rows > 0) {
        let rows = vec![vec![node(&table.labels, paint), quantity::plural(table.rows, "node", "nodes")]];
        out.write_all(align(&rows, &[Align::Left; 2], 0).as_bytes())?;
        properties(&table.columns, width, paint, out)?;
    }
    writeln!(out)?;
    for table in stats.edge_tables.iter().filter(|t| t.edges > 0) {
        for (target, edges) in &table.targets {
            let pattern = format!(
                "{}-[{}]->{}",
                node(&table.source, paint),
                paint.yellow(format!(":{}", table.label)),
                node(target, paint)
            );
            writeln!(out, "{pattern}  {}", quantity::plural(*edges, "relationship", "relationships"))?;
        }
        properties(&table.columns, width, paint, out)?;
    }
    Ok(())
}

fn node(labels: &[String], paint: Paint) -> String {
    let labels: String = labels.iter().map(|l| format!(":{l}")).collect();
    format!("({})", paint.yellow(labels))
}

fn properties(columns: &[Column], width: usize, paint: Paint, out: &mut dyn Write) -> Result<(), Failure> {
    // A name and its type stay on one line.
    let glue = |text: String| text.replace(' ', "\u{a0}");
    let list: Vec<String> =
        columns.iter().map(|(name, ty, _)| glue(format!("{name} {}", ty.name()))).collect();
    for line in wrap(&list.join(", "), width).iter().filter(|l| !l.is_empty()) {
        writeln!(out, "    {}", paint.dim(line.replace('\u{a0}', " ")))?;
    }
    Ok(())
}
