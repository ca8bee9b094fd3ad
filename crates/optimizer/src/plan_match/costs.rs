//! What a step of an order costs: degrees of the edges of a component, each found once, and the rows that a
//! step makes.

use std::cell::OnceCell;

use trimorph_algebra::{Direction, EdgeRange};
use trimorph_base::TableId;

use super::component::Component;
use crate::degrees::{degree, degree_of_few, rows_of};
use crate::tables::is_single;

/// A row reached over a vertex column, which is read along; one from a list, a jump shared with its
/// neighbours in it, costs 1.
const COLUMN_COST: f64 = 0.6;
/// What is added where an edge that is looked at is reached from its target: its id is made of a position,
/// and its properties lie anywhere. From its source they follow each other.
const BACKWARD_COST: f64 = 1.5;
/// An edge of which a property is asked: where lists are read one after the other from their sources, and
/// where they are jumped to. Measured on transfers by amount (`bench/payments`): 2 ns an edge in order, 50 of
/// accounts that are anywhere.
const ASKED_IN_ORDER_COST: f64 = 0.3;
const ASKED_COST: f64 = 2.0;
/// A row that is handed on: of lists that rows have in common, what takes them apart is all that is done for
/// a row. Measured on pairs of likes of a person: 1.5 ns, a condition on both included.
const ROW_COST: f64 = 0.2;
/// A property of a node that is scanned, and of one that is reached in any order: of few nodes the column
/// stays in a cache. Measured on SNB at scale 1, lengths of messages: 1 ns a value in order, 7 from lists of
/// their creators; properties of persons from messages 2. Of very many
/// nodes the column is in no cache: counts of likes at scale 10, 32 million messages, 36 ns from lists of
/// their creators.
const SCANNED_COST: f64 = 0.2;
const GATHERED_COST: f64 = 1.5;
const FAR_COST: f64 = 3.5;
const CACHED_COST: f64 = 0.4;
/// Mean length from which the executor keeps lists as lists (`trimorph-exec`, `lower/extend`).
pub(super) const LIST_LENGTH_MIN: f64 = 128.0;
/// Nodes up to which they are few.
pub(super) const CACHED_ROWS: f64 = 65_536.0;
/// Nodes from which they are very many: a few bytes of each are more than a cache has.
const FAR_ROWS: f64 = 8_388_608.0;
/// A look for an edge between two nodes that are there: a binary search in a list. Measured on SNB BI 18: 70
/// to 85 ns against 10 to 15 for a row made.
const PROBE_COST: f64 = 6.0;
/// The same where a node at one end has one such edge at most. By itself it is a load of a vertex column;
/// what is added is for the two lists that an intersection reads instead, and for rows that are more than was
/// estimated: with the cost of a load, likes that went both ways were looked for pair by pair, in 4.3 of the
/// time of a hash join.
const SINGLE_PROBE_COST: f64 = 3.5;

/// What is known of the edges and nodes of a component.
pub(super) struct Costs<'c> {
    component: &'c Component<'c>,
    /// The nodes at both ends of each edge.
    pub(super) ends: Vec<(usize, usize)>,
    /// The edges at each node, in order.
    pub(super) at: Vec<Vec<usize>>,
    /// Edges from one node, read forward and backward.
    mean: Vec<[OnceCell<f64>; 2]>,
    /// The same from one of few nodes.
    few: Vec<[OnceCell<f64>; 2]>,
    /// Whether a node at either end has one such edge at most.
    single: Vec<OnceCell<bool>>,
    node_rows: Vec<f64>,
}

/// A node that is reached over an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached {
    pub(super) to: usize,
    pub(super) cost: f64,
    pub(super) rows: f64,
}

/// Rows at some point of an order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub(super) cost: f64,
    pub(super) rows: f64,
    /// How many times the list of a node that a step goes from is made: once for each row, unless rows have
    /// it in common.
    pub(super) lists: f64,
    /// Whether the node that a step goes from is one of few.
    pub(super) from_picked: bool,
    /// Whether it is the node that was scanned, and nothing else has been done.
    pub(super) in_order: bool,
}

impl<'c> Costs<'c> {
    pub(super) fn new(component: &'c Component<'c>) -> Self {
        let places: std::collections::HashMap<_, usize> =
            component.nodes.iter().enumerate().map(|(i, v)| (*v, i)).collect();
        let end = |v| places.get(&v).copied().unwrap_or(0);
        let ends: Vec<(usize, usize)> = component.edges.iter().map(|e| (end(e.from), end(e.to))).collect();
        let mut at = vec![Vec::new(); component.nodes.len()];
        for (edge, (from, to)) in ends.iter().enumerate() {
            at[*from].push(edge);
            if to != from {
                at[*to].push(edge);
            }
        }
        let cells = || vec![[OnceCell::new(), OnceCell::new()]; component.edges.len()];
        let single = vec![OnceCell::new(); component.edges.len()];
        let node_rows = component
            .nodes
            .iter()
            .map(|v| rows_of(component.catalog, component.tables.get(v).map_or(&[][..], Vec::as_slice)));
        Self { component, ends, at, mean: cells(), few: cells(), single, node_rows: node_rows.collect() }
    }

    pub(super) fn tables_of(&self, node: usize) -> &[TableId] {
        self.component.tables.get(&self.component.nodes[node]).map_or(&[], Vec::as_slice)
    }

    /// Rows of the tables of a node.
    pub(super) fn node_rows(&self, node: usize) -> f64 {
        self.node_rows[node]
    }

    /// What it takes to read the properties of a node that are read, once in a scan.
    pub(super) fn scanned_cost(&self, node: usize, all: f64, passing: f64) -> f64 {
        let read = self.component.reads[node];
        (read.asked * all + read.passing * passing) * SCANNED_COST
    }

    /// The same of one that is reached.
    fn gathered_cost(&self, node: usize, all: f64, passing: f64) -> f64 {
        let one = match self.node_rows[node] {
            ..=CACHED_ROWS => CACHED_COST,
            ..=FAR_ROWS => GATHERED_COST,
            _ => FAR_COST,
        };
        let read = self.component.reads[node];
        (read.asked * all + read.passing * passing) * one
    }

    /// Matches of an edge from one node at the end it is read from.
    fn degree(&self, edge: usize, reversed: bool, few: bool) -> f64 {
        let cells = if few { &self.few } else { &self.mean };
        *cells[edge][usize::from(reversed)].get_or_init(|| {
            let (from, to) = self.ends[edge];
            let (from, to) = if reversed { (to, from) } else { (from, to) };
            let pattern = &self.component.edges[edge];
            let of = if few { degree_of_few } else { degree };
            of(self.component.catalog, pattern, self.tables_of(from), self.tables_of(to), reversed)
        })
    }

    /// Matches of an edge from one of the nodes of some rows: the more of them were picked, the nearer they
    /// are to the mean, as that of a sample is, by the root of their number.
    fn degree_of(&self, edge: usize, reversed: bool, rows: Rows) -> f64 {
        let mean = self.degree(edge, reversed, false);
        if !rows.from_picked {
            return mean;
        }
        mean + (self.degree(edge, reversed, true) - mean) / rows.rows.max(1.0).sqrt()
    }

    /// Whether a node at an end of an edge has one such edge at most: that is asked, not searched for.
    fn is_single(&self, edge: usize) -> bool {
        *self.single[edge].get_or_init(|| {
            let pattern = &self.component.edges[edge];
            let of = |here: usize| {
                is_single(self.component.catalog, pattern, self.component.nodes[here], self.tables_of(here))
            };
            of(self.ends[edge].0) || of(self.ends[edge].1)
        })
    }

    /// The ends of an edge of which one has been reached: from, to, and whether it is read backward.
    pub(super) fn open_ends(
        &self,
        edge: usize,
        is_there: impl Fn(usize) -> bool,
    ) -> Option<(usize, usize, bool)> {
        let (from, to) = self.ends[edge];
        match (is_there(from), is_there(to)) {
            (true, false) => Some((from, to, false)),
            (false, true) => Some((to, from, true)),
            _ => None,
        }
    }

    /// What it takes to reach node `to` over an edge; `is_there` says which nodes were reached before.
    pub(super) fn reach(
        &self,
        before: Rows,
        edge: usize,
        (to, reversed): (usize, bool),
        is_there: impl Fn(usize) -> bool,
    ) -> Reached {
        let per_row = self.degree_of(edge, reversed, before);
        let made = before.rows * per_row;
        let is_list = per_row >= LIST_LENGTH_MIN && before.rows > 0.0;
        let shared = if is_list { before.lists / before.rows } else { 1.0 };
        let mut rows = made * self.component.edge_parts[edge] * self.component.selectivity[to];
        let mut closing_cost = 0.0;
        // Each edge that closes a cycle lets a part through: its edges over all pairs.
        for closing in self.at[to].iter().copied() {
            let (a, b) = self.ends[closing];
            let other = if a == to { b } else { a };
            let is_closing = closing != edge
                && self.component.edges[closing].range == EdgeRange::One
                && (other == to || is_there(other));
            if is_closing {
                let d = self.degree(closing, a == to, false);
                let one = if self.is_single(closing) { SINGLE_PROBE_COST } else { PROBE_COST };
                closing_cost += rows * one;
                rows *= (d / self.node_rows[to].max(1.0)).min(1.0) * self.component.edge_parts[closing];
            }
        }
        let mut weight = if per_row <= 1.0 { COLUMN_COST } else { 1.0 };
        let pattern = &self.component.edges[edge];
        let is_backward = match pattern.direction {
            Direction::Out => reversed,
            Direction::In => !reversed,
            Direction::Both => false,
        };
        if self.component.edge_parts[edge] < 1.0 {
            weight = match (before.in_order, is_backward) {
                (true, false) => ASKED_IN_ORDER_COST,
                // The lists are in order, and what is asked is counted below.
                (true, true) => weight,
                (false, _) => ASKED_COST,
            };
        }
        if is_backward && pattern.range == EdgeRange::One && self.component.looked_at[edge] {
            weight += BACKWARD_COST;
        }
        // How many a walk of any length reaches is too rough a guess to be multiplied.
        // What is asked of the edge comes first, where few pass it.
        let asked = made * self.component.edge_parts[edge];
        let read = if pattern.range == EdgeRange::One { self.gathered_cost(to, asked, rows) } else { 0.0 };
        let of_lists = (made * weight + read) * shared;
        Reached { to, cost: before.cost + of_lists + closing_cost + rows * ROW_COST, rows }
    }
}
