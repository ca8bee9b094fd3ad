//! A plan as JSON: an object for each operator, its inputs within it.
//!
//! ```json
//! {"profiled": true, "pieces_read": 0, "plan": {"operator": "Limit 10", "done_by": ["limit"],
//!  "access_patterns": [], "estimated_rows": 10.0, "rows": 10, "positions": 10, "chunks": 1,
//!  "own_ms": 0.006, "total_ms": 4.307, "share": 0.001, "inputs": [ … ]}}
//! ```
//!
//! What was not measured is not there. Names may be added, none is taken away.

use std::fmt::Write as _;
use std::time::Duration;

use super::tree::{PlanTree, share};

pub(super) fn write(tree: &PlanTree) -> String {
    let mut out =
        format!("{{\"profiled\": {}, \"pieces_read\": {}, \"plan\": ", tree.is_measured(), tree.pieces_read);
    if tree.operators.is_empty() {
        out.push_str("null}\n");
        return out;
    }
    // Each operator opens an object; it is closed when one comes that is not below it.
    let mut open: Vec<usize> = Vec::new();
    for (at, operator) in tree.operators.iter().enumerate() {
        while open.last().is_some_and(|depth| *depth >= operator.depth) {
            open.pop();
            out.push_str("]}");
        }
        if at > 0 && !out.ends_with('[') {
            out.push_str(", ");
        }
        let _ = write!(out, "\n{}", " ".repeat(operator.depth + 1));
        operator_head(tree, at, &mut out);
        open.push(operator.depth);
    }
    out.push_str(&"]}".repeat(open.len()));
    out.push_str("}\n");
    out
}

/// The object of an operator, up to its inputs.
fn operator_head(tree: &PlanTree, at: usize, out: &mut String) {
    let operator = &tree.operators[at];
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let list = |items: Vec<String>| items.iter().map(|i| string(i)).collect::<Vec<_>>().join(", ");
    let names = operator.done_by.iter().map(ToString::to_string).collect();
    let estimated = operator.estimated_rows;
    // Infallible, all of it: it is a text.
    let _ = write!(out, "{{\"operator\": {}, \"done_by\": [{}]", string(&operator.text), list(names));
    let _ = write!(out, ", \"access_patterns\": [{}]", list(operator.codes.clone()));
    match estimated.is_finite() {
        true => _ = write!(out, ", \"estimated_rows\": {estimated:?}"),
        false => out.push_str(", \"estimated_rows\": null"),
    }
    if let Some(m) = operator.measured {
        let _ =
            write!(out, ", \"rows\": {}, \"positions\": {}, \"chunks\": {}", m.rows, m.positions, m.chunks);
        let part = share(m.own, tree.whole());
        let _ = write!(out, ", \"own_ms\": {:?}, \"total_ms\": {:?}", millis(m.own), millis(m.total));
        let _ = write!(out, ", \"share\": {part:.4}");
        if m.looked_up > 0 {
            let _ = write!(out, ", \"looked_up_at_once\": {}", m.looked_up);
        }
        if m.asked.0 > 0 {
            let _ = write!(out, ", \"asked_for_join\": {}, \"may_be_joined\": {}", m.asked.0, m.asked.1);
        }
        if m.spilled_bytes > 0 {
            let _ = write!(out, ", \"spilled_bytes\": {}", m.spilled_bytes);
        }
    }
    out.push_str(", \"inputs\": [");
}

/// A string of JSON.
fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if u32::from(c) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
