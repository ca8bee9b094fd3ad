//! What PROFILE says about a query, as a table: operators, the tuples they stand for, the positions that were
//! looked at.

use std::io::Write;

use trimorph::Connection;

use crate::failure::Failure;
use crate::terminal::Terminal;
use crate::text::columns::{Align, align, cut, wrap};
use crate::text::quantity;

/// One operator of a profile.
struct Line {
    operator: String,
    tuples: u64,
    positions: u64,
}

/// Runs the query again with PROFILE and shows it.
pub(crate) fn write(
    connection: &Connection,
    text: &str,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let result = connection.query(&format!("PROFILE {text}"), &[])?;
    let tree = result.plan_tree();
    let line = |operator: &trimorph::PlanOperator| {
        let measured = operator.measured?;
        let text = format!("{}{}", "  ".repeat(operator.depth), operator.text);
        Some(Line { operator: text, tuples: measured.rows, positions: measured.positions })
    };
    let lines: Vec<Line> = tree.operators.iter().filter_map(line).collect();
    let Some(most) = lines.iter().max_by_key(|l| l.tuples) else { return Ok(()) };
    let paint = terminal.out;
    let mut table = vec![vec![paint.dim("PROFILE"), paint.dim("tuples"), paint.dim("in positions")]];
    // The numbers need 30 columns.
    let operator_width = terminal.width().map_or(usize::MAX, |w| w.saturating_sub(33).max(20));
    for line in &lines {
        let numbers = [line.tuples, line.positions].map(quantity::grouped);
        let [tuples, positions] = numbers;
        table.push(vec![cut(&line.operator, operator_width), paint.cyan(tuples), paint.cyan(positions)]);
    }
    out.write_all(align(&table, &[Align::Left, Align::Right, Align::Right], 3).as_bytes())?;
    if most.positions > 0 && most.tuples > most.positions {
        let ratio = most.tuples / most.positions;
        let text = format!(
            "Neighbour lists stay lists: each of these {} positions stands for {} paths on average.",
            quantity::grouped(most.positions),
            quantity::short(ratio).trim(),
        );
        for line in wrap(&text, terminal.width().unwrap_or(100).saturating_sub(3)) {
            writeln!(out, "   {line}")?;
        }
    }
    writeln!(out)?;
    Ok(())
}
