//! A plan with its access patterns, one line per operator, indented below its parent:
//! `Extend (p)-[:KNOWS]->(f)  [batch extend v_[]Pv_^_^; ~60 rows]`.

use std::fmt::Write as _;

use super::tree::{PlanOperator, PlanTree};

pub(super) fn write(tree: &PlanTree) -> String {
    let mut out = String::new();
    for operator in &tree.operators {
        // Infallible: it is a text.
        let _ = writeln!(out, "{}{}  [{}]", "  ".repeat(operator.depth), operator.text, note(operator));
    }
    if tree.pieces_read > 0 {
        let _ = writeln!(out, "pieces read from files: {}", tree.pieces_read);
    }
    out
}

/// What an operator is done by, what that reads by, how many rows it is thought to give and what it gave.
fn note(operator: &PlanOperator) -> String {
    let mut parts: Vec<String> = Vec::new();
    if !operator.done_by.is_empty() {
        let codes: String = operator.codes.iter().map(|code| format!(" {code}")).collect();
        parts.push(operator.done_by.join(", ") + &codes);
    }
    parts.push(format!("~{} rows", readable(operator.estimated_rows)));
    if let Some(line) = operator.measured {
        parts.push(format!(
            "{} tuples in {} positions, {} chunks, {:.3} ms",
            line.rows,
            line.positions,
            line.chunks,
            line.total.as_secs_f64() * 1e3
        ));
        if line.looked_up > 0 {
            parts.push(format!("looked up {} at once", line.looked_up));
        }
        if line.spilled_bytes > 0 {
            parts.push(format!("spilled {} bytes", line.spilled_bytes));
        }
        if line.asked.0 > 0 {
            parts.push(format!("{} of {} may be joined", line.asked.1, line.asked.0));
        }
    }
    parts.join("; ")
}

fn readable(rows: f64) -> String {
    match rows {
        r if r >= 1e9 => format!("{:.1}G", r / 1e9),
        r if r >= 1e6 => format!("{:.1}M", r / 1e6),
        r if r >= 1e4 => format!("{:.0}k", r / 1e3),
        r => format!("{r:.0}"),
    }
}
