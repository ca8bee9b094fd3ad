//! Table 3: edge properties in pages in forward order against a column in insertion order.
//!
//! Edge columns: the edges of the graph come in random order and are numbered as they come; a property is an
//! 8-byte value at the edge's number, lists are (4-byte neighbour, 8-byte edge number) in flat arrays.
//! Property pages: the storage of the engine. 1 hop: edges with `ts > c`. 2 hops: pairs of edges of which the
//! second is later, from a sample of first vertices. Forward goes over out-lists, backward over in-lists.
//! Three contestants:
//! * `edge columns`, in flat arrays;
//! * `flat pages`: the same flat arrays and 8-byte values, but in forward order by pages of 128 sources,
//!   in-lists with 4-byte positions in the page. Against edge columns it is the layout alone that differs, as
//!   in the paper;
//! * `engine`: the storage itself, with packed values, segments, nulls and a vector made for each list.
//!
//! Source: GF-CL §8.3, table 3.

use trimorph_base::PAGE_ROWS;
use trimorph_store::{AdjacencyView, ColumnView, CsrView, EdgeTableView, Main, Reader, Snapshot};
use trimorph_vector::{Values, Vector};

use crate::Failure;
use crate::clock::race;
use crate::graph::{Graph, Random};
use crate::report::Report;

/// The paper's COL / PAGE: 1 hop on LDBC, WIKI, FLICKR; then 2 hops.
const PAPER: [(&str, &str); 4] = [
    ("forward 1 hop", "3.4 3.1 4.5"),
    ("forward 2 hops", "1.9 2.6 4.7"),
    ("backward 1 hop", "0.9 1.0 1.1"),
    ("backward 2 hops", "1.0 1.1 0.9"),
];
/// Edges of short lists that are read together.
const BATCH: usize = 1024;
const PAIRS_MAX: u64 = 20_000_000;

/// The baseline: (neighbour, edge number) lists in both directions and a column by edge number.
struct EdgeColumns {
    forward: Vec<u64>,
    backward: Vec<u64>,
    column: Vec<i64>,
}

impl EdgeColumns {
    fn build(graph: &Graph) -> Self {
        let mut order: Vec<u32> = (0..graph.edges() as u32).collect();
        Random(7).shuffle(&mut order);
        let mut column = vec![0; order.len()];
        let mut backward = vec![0; order.len()];
        // The graph is symmetric, so in-lists have the same offsets; sources come in order, so they are
        // sorted.
        let mut next: Vec<u32> = graph.offsets[..graph.nodes()].to_vec();
        for (edge, number) in order.iter().enumerate() {
            column[*number as usize] = graph.ts[edge];
            let at = &mut next[graph.targets[edge] as usize];
            backward[*at as usize] = u64::from(*number);
            *at += 1;
        }
        Self { forward: order.into_iter().map(u64::from).collect(), backward, column }
    }

    fn one_hop(&self, graph: &Graph, lists: &[u64], bound: i64) -> u64 {
        let later =
            |v| lists[graph.range(v)].iter().filter(|e| self.column[**e as usize] > bound).count() as u64;
        (0..graph.nodes()).map(later).sum()
    }

    /// Forward, the second edge is to be later than the first; backward the plan starts with the second.
    fn two_hops(&self, graph: &Graph, lists: &[u64], sample: &[u32], backward: bool) -> u64 {
        let mut count = 0;
        for v in sample {
            for i in graph.range(*v as usize) {
                let first = self.column[lists[i] as usize];
                // In a symmetric graph the in-neighbours are the out-neighbours.
                let second = &lists[graph.range(graph.targets[i] as usize)];
                let ts = second.iter().map(|e| self.column[*e as usize]);
                count += if backward {
                    ts.filter(|t| *t < first).count()
                } else {
                    ts.filter(|t| *t > first).count()
                } as u64;
            }
        }
        count
    }
}

/// Property pages in flat arrays: 8-byte values in forward order.
struct FlatPages<'g> {
    graph: &'g Graph,
    /// By in-list: position within the page of the source.
    positions: Vec<u32>,
    /// The first slot of each page.
    pages: Vec<u32>,
}

impl<'g> FlatPages<'g> {
    fn build(graph: &'g Graph) -> Self {
        let pages: Vec<u32> = graph.offsets.iter().copied().step_by(PAGE_ROWS as usize).collect();
        let mut positions = vec![0; graph.edges()];
        let mut next: Vec<u32> = graph.offsets[..graph.nodes()].to_vec();
        for source in 0..graph.nodes() {
            for slot in graph.range(source) {
                let at = &mut next[graph.targets[slot] as usize];
                positions[*at as usize] = slot as u32 - pages[source / PAGE_ROWS as usize];
                *at += 1;
            }
        }
        Self { graph, positions, pages }
    }

    #[inline]
    fn backward(&self, i: usize) -> i64 {
        let source = self.graph.targets[i] as usize;
        self.graph.ts[(self.pages[source / PAGE_ROWS as usize] + self.positions[i]) as usize]
    }

    fn one_hop(&self, bound: i64, backward: bool) -> u64 {
        let later = |v| {
            let range = self.graph.range(v);
            if backward {
                range.filter(|i| self.backward(*i) > bound).count() as u64
            } else {
                self.graph.ts[range].iter().filter(|t| **t > bound).count() as u64
            }
        };
        (0..self.graph.nodes()).map(later).sum()
    }

    fn two_hops(&self, sample: &[u32], backward: bool) -> u64 {
        let mut count = 0;
        for i in sample.iter().flat_map(|v| self.graph.range(*v as usize)) {
            let second = self.graph.range(self.graph.targets[i] as usize);
            count += if backward {
                let first = self.backward(i);
                second.filter(|i| self.backward(*i) < first).count() as u64
            } else {
                let first = self.graph.ts[i];
                self.graph.ts[second].iter().filter(|t| **t > first).count() as u64
            };
        }
        count
    }
}

/// The engine's storage of the same edges.
struct Pages<'r, 's> {
    edges: &'r EdgeTableView<'s>,
    forward: &'r CsrView<'s>,
    backward: &'r CsrView<'s>,
    column: &'r ColumnView<'s>,
}

fn ints<'v>(vector: &'v Vector<'_>) -> &'v [i64] {
    match &vector.values {
        Values::Int(values) => values,
        _ => &[],
    }
}

impl<'s> Pages<'_, 's> {
    fn forward_list(&self, row: u64) -> Vector<'s> {
        let list = self.forward.list(row);
        self.column.scan(self.forward.slot(list), list.len)
    }

    fn backward_list(&self, row: u64) -> Vector<'s> {
        let list = self.backward.list(row);
        let mut slots = Vec::with_capacity(list.len);
        self.edges.append_backward_slots(self.backward, list, &mut slots);
        self.column.gather_rows(&slots)
    }

    fn list(&self, row: u64, backward: bool) -> Vector<'s> {
        if backward { self.backward_list(row) } else { self.forward_list(row) }
    }

    fn one_hop(&self, nodes: u64, bound: i64, backward: bool) -> u64 {
        if backward {
            // Lists are short: properties are read for many at once, as the engine does (decision 0004).
            let (mut slots, mut count) = (Vec::with_capacity(2 * BATCH), 0);
            for row in 0..nodes {
                self.edges.append_backward_slots(self.backward, self.backward.list(row), &mut slots);
                if slots.len() >= BATCH || row + 1 == nodes {
                    count += ints(&self.column.gather_rows(&slots)).iter().filter(|t| **t > bound).count();
                    slots.clear();
                }
            }
            return count as u64;
        }
        let later = |row| ints(&self.list(row, backward)).iter().filter(|t| **t > bound).count() as u64;
        (0..nodes).map(later).sum()
    }

    fn two_hops(&self, sample: &[u32], backward: bool) -> u64 {
        let mut count = 0;
        let lists = if backward { self.backward } else { self.forward };
        for v in sample {
            let first = self.list(u64::from(*v), backward);
            let list = lists.list(u64::from(*v));
            for (i, first) in ints(&first).iter().enumerate() {
                let second = self.list(lists.node(list, i).row(), backward);
                let ts = ints(&second).iter();
                count += if backward {
                    ts.filter(|t| *t < first).count()
                } else {
                    ts.filter(|t| *t > first).count()
                } as u64;
            }
        }
        count
    }
}

/// First vertices whose 2-hop paths are at most [`PAIRS_MAX`] together, drawn at random.
fn sample(graph: &Graph) -> Vec<u32> {
    let mut order: Vec<u32> = (0..graph.nodes() as u32).collect();
    Random(3).shuffle(&mut order);
    let mut pairs = 0;
    let within = |v: &u32| {
        let degree = |w: &u32| graph.range(*w as usize).len() as u64;
        pairs += graph.targets[graph.range(*v as usize)].iter().map(degree).sum::<u64>();
        pairs <= PAIRS_MAX
    };
    order.into_iter().take_while(within).collect()
}

/// Prints table 3 over `graph`, loaded as `main`.
pub(crate) fn table_3(report: &mut Report, graph: &Graph, main: Main) -> Result<(), Failure> {
    let (columns, flat) = (EdgeColumns::build(graph), FlatPages::build(graph));
    let snapshot = Snapshot::new(std::sync::Arc::new(main));
    let reader = Reader::new(&snapshot);
    let view = reader.unrecorded().edge_table(0);
    let (AdjacencyView::Csr(forward), AdjacencyView::Csr(backward)) = (&view.forward, &view.backward[0].1)
    else {
        return Err("the graph was not loaded as lists".into());
    };
    let pages = Pages { edges: view, forward, backward, column: reader.unrecorded().edge_column(0, 0) };
    let (bound, sample) = (graph.median_ts(), sample(graph));
    let title = format!(
        "Table 3: property pages, RMAT, {} edges; CPU s; 2 hops from {} vertices",
        graph.edges(),
        sample.len()
    );
    report.title(&title);
    report.row(&["", "edge columns", "flat pages", "ratio", "engine", "ratio", "paper"].map(String::from));
    let mut goals = Vec::new();
    for (k, (name, paper)) in PAPER.iter().enumerate() {
        let (back, hops) = (k >= 2, k % 2 + 1);
        let lists = if back { &columns.backward } else { &columns.forward };
        let nodes = graph.nodes() as u64;
        let mut theirs = || {
            if hops == 1 {
                columns.one_hop(graph, lists, bound)
            } else {
                columns.two_hops(graph, lists, &sample, back)
            }
        };
        let mut ours =
            || if hops == 1 { pages.one_hop(nodes, bound, back) } else { pages.two_hops(&sample, back) };
        let mut layout = || if hops == 1 { flat.one_hop(bound, back) } else { flat.two_hops(&sample, back) };
        let times = race(&mut [&mut theirs, &mut layout, &mut ours]);
        if times.iter().any(|(_, count)| *count != times[0].1) {
            return Err(format!("{name}: the counts are {times:?}").into());
        }
        let seconds = [times[0].0, times[1].0, times[2].0];
        let ratios = [seconds[0] / seconds[1], seconds[0] / seconds[2]];
        report.row(&[
            (*name).into(),
            format!("{:.3}", seconds[0]),
            format!("{:.3}", seconds[1]),
            format!("{:.2}x", ratios[0]),
            format!("{:.3}", seconds[2]),
            format!("{:.2}x", ratios[1]),
            (*paper).into(),
        ]);
        let figures =
            [("edge_columns_s", seconds[0]), ("flat_pages_s", seconds[1]), ("engine_s", seconds[2])];
        report.json("3", name, &figures);
        let least = if back { 0.95 } else { 2.0 };
        goals.push((format!("{name}, layout alone"), ratios[0], least));
        goals.push((format!("{name}, engine's storage"), ratios[1], least));
    }
    for (what, ratio, least) in goals {
        report.target(&what, ratio, least);
    }
    Ok(())
}
