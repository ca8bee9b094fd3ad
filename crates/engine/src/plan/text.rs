//! A plan for people: numbers in aligned columns to the left, operators as an indented tree to the right, so
//! that long ones move nothing.
//!
//! ```text
//!   rows  estimate      own    total  share      operator
//!     10       ~10   6.0 µs  4.31 ms        0 %  Limit 10 · ends after so many rows
//! ```

use super::tree::{PlanOperator, PlanTree, share};
use super::words::{count, done_by, estimate, pieces, remarks, time};
use crate::text_width;

/// Cells of a bar.
const BAR: usize = 5;

pub(super) fn write(tree: &PlanTree) -> String {
    let is_measured = tree.is_measured();
    let whole = tree.whole();
    let numbers = |operator: &PlanOperator| -> Vec<String> {
        let estimated = estimate(operator.estimated_rows);
        match operator.measured {
            None if is_measured => {
                vec![String::new(), estimated, String::new(), String::new(), String::new()]
            }
            None => vec![estimated],
            Some(m) => {
                let part = share(m.own, whole);
                let percent = format!("{} {:>3.0} %", bar(part), part * 100.0);
                vec![count(m.rows), estimated, time(m.own), time(m.total), percent]
            }
        }
    };
    let head = match is_measured {
        true => ["rows", "estimate", "own", "total", "share"].map(str::to_owned).to_vec(),
        false => vec!["estimate".to_owned()],
    };
    let mut lines: Vec<(Vec<String>, String)> = vec![(head, "operator".to_owned())];
    for operator in &tree.operators {
        let mut parts = vec![format!("{}{}", "  ".repeat(operator.depth), operator.text)];
        parts.extend(Some(done_by(operator)).filter(|words| !words.is_empty()));
        parts.extend(remarks(operator));
        lines.push((numbers(operator), parts.join(" · ")));
    }
    let columns = lines.first().map_or(0, |(cells, _)| cells.len());
    let widths: Vec<usize> = (0..columns)
        .map(|c| {
            lines.iter().filter_map(|(cells, _)| cells.get(c)).map(|cell| text_width(cell)).max().unwrap_or(0)
        })
        .collect();
    let mut out = String::new();
    for (cells, operator) in &lines {
        for (cell, width) in cells.iter().zip(&widths) {
            out.push_str(&" ".repeat(width - text_width(cell)));
            out.push_str(cell);
            out.push_str("  ");
        }
        out.push_str(operator);
        out.push('\n');
    }
    if let Some(read) = pieces(tree.pieces_read) {
        out.push_str(&read);
        out.push('\n');
    }
    out
}

/// A bar for a share of 0 to 1, in eighths of a cell, filled up with blanks.
fn bar(share: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "small"
    )]
    let eighths = (share.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize;
    let bar = format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8]);
    let blanks = BAR - eighths.div_ceil(8);
    format!("{bar}{}", " ".repeat(blanks))
}
