//! Bytes by component as a small bar chart.

use trimorph::Stats;

use crate::terminal::Paint;
use crate::text::columns::{Align, align, bar, pad};
use crate::text::quantity;

const BAR_CELLS: usize = 18;

/// The chart, every line indented by two spaces.
pub(crate) fn draw(stats: &Stats, paint: Paint) -> String {
    let largest = stats.components.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0).max(1);
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (name, bytes) in &stats.components {
        let share = *bytes as f64 / largest as f64;
        rows.push(vec![
            (*name).to_owned(),
            quantity::bytes(*bytes as u64),
            paint.cyan(pad(&bar(share, BAR_CELLS), BAR_CELLS, Align::Left)),
            per_entity(name, *bytes, stats),
        ]);
    }
    rows.push(vec![
        paint.bold("total"),
        paint.bold(quantity::bytes(stats.total_bytes as u64)),
        String::new(),
        match stats.nodes() + stats.edges() {
            0 => String::new(),
            all => format!("{:.1} B per node or edge", stats.total_bytes as f64 / all as f64),
        },
    ]);
    align(&rows, &[Align::Left, Align::Right, Align::Left, Align::Left], 2)
}

/// What a component costs per node or edge, whichever it belongs to.
fn per_entity(component: &str, bytes: usize, stats: &Stats) -> String {
    let (count, unit) = match component {
        "node properties" | "key indexes" => (stats.nodes(), "node"),
        "edge properties" | "forward adjacency" | "backward adjacency" => (stats.edges(), "edge"),
        _ => return String::new(),
    };
    if count == 0 { String::new() } else { format!("{:.1} B per {unit}", bytes as f64 / count as f64) }
}
