//! Join order: dynamic programming over the connected sets of nodes of one component.
//!
//! A plan for a set is a start node (or the rows given) and extends, each to one new node, or two plans joined by hash on the one node
//! they share; where rows are given, they are probed and the other side is planned as if there were none. Edges that close a cycle are checked, or intersected, as soon as both ends are there. Cost is the sum of the rows made; a row reached over a vertex column costs less
//! than one from a list (GF-CL §7: sequential against random). Above 12 nodes the cheapest next step is taken instead.

use trimorph_algebra::{EdgePattern, EdgeRange, VarId};
use trimorph_catalog::Catalog;

use crate::HashJoins;
use crate::estimate::{are_picked, degree, degree_of_few, rows_of};
use crate::tables::Tables;

/// Most nodes for which all connected sets are looked at: 2^12 sets.
const EXHAUSTIVE_MAX: usize = 12;

/// A row reached over a vertex column, which is read along; one from a list, a jump shared with its neighbours in it, costs 1.
const COLUMN_COST: f64 = 0.6;
/// A look for an edge between two nodes that are there: a binary search in a list. Measured on SNB BI 18: 70 to 85 ns against 10 to 15
/// for a row made.
const PROBE_COST: f64 = 6.0;

/// A row put into a hash table, and one looked up there: set beside [`PROBE_COST`], not measured.
const BUILD_COST: f64 = 8.0;
const LOOKUP_COST: f64 = 4.0;
/// Most nodes for which hash joins are tried: 7 × 3^6 pairs of sets. Chosen by that number, not measured.
const BUSHY_MAX: usize = 7;

/// What the order is made for.
pub(crate) struct Component<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) nodes: &'a [VarId],
    pub(crate) edges: &'a [EdgePattern],
    pub(crate) tables: &'a Tables,
    /// For each node, the part that its own predicates let through.
    pub(crate) selectivity: &'a [f64],
    /// For each node, whether it can be looked up by key or id.
    pub(crate) lookup: &'a [bool],
    /// Nodes that the input rows have.
    pub(crate) bound: u64,
    /// Input rows.
    pub(crate) rows: f64,
    /// Whether parts may be planned by themselves and joined.
    pub(crate) bushy: HashJoins,
    /// Keep the order of the text.
    pub(crate) textual: bool,
}

/// One step of an order.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Reach a new node over the edge of this index.
    Follow(usize),
    /// Join with the rows of another order, which has one node in common.
    Join {
        /// The other order; its rows are kept in a hash table.
        build: Box<Order>,
        /// The node that both have.
        node: usize,
    },
}

/// The order found: where to start and which edge to follow next; edges not named close cycles.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// The first node, if the input rows have none.
    pub(crate) start: Option<usize>,
    /// What is done next, in order.
    pub(crate) steps: Vec<Step>,
    pub(crate) cost: f64,
    pub(crate) rows: f64,
    /// Nodes of which there are few, whatever the number of rows: who starts from one tag comes back to one tag.
    picked: u64,
}

impl Order {
    /// An order that nothing is known of.
    pub(crate) fn textual(start: Option<usize>, steps: Vec<usize>) -> Self {
        let steps = steps.into_iter().map(Step::Follow).collect();
        Self { start, steps, cost: 0.0, rows: 0.0, picked: 0 }
    }
}

impl Component<'_> {
    fn index(&self, var: VarId) -> Option<usize> {
        self.nodes.iter().position(|n| *n == var)
    }

    fn tables_of(&self, node: usize) -> &[trimorph_base::TableId] {
        self.tables.get(&self.nodes[node]).map_or(&[], Vec::as_slice)
    }

    fn ends(&self, edge: usize) -> Option<(usize, usize)> {
        Some((self.index(self.edges[edge].from)?, self.index(self.edges[edge].to)?))
    }

    fn starts(&self) -> Vec<(u64, Order)> {
        if self.bound != 0 {
            let rows = self.rows;
            let picked = if rows <= 1.0 { self.bound } else { 0 };
            return vec![(self.bound, Order { start: None, steps: Vec::new(), cost: 0.0, rows, picked })];
        }
        (0..self.nodes.len())
            .map(|n| {
                let all = rows_of(self.catalog, self.tables_of(n));
                let (cost, rows) = if self.lookup[n] {
                    (self.rows, self.rows)
                } else {
                    (all * self.rows.max(1.0), all * self.selectivity[n] * self.rows)
                };
                let few =
                    self.lookup[n] || are_picked(self.catalog, all * self.selectivity[n], self.tables_of(n));
                let picked = if few { 1 << n } else { 0 };
                (1 << n, Order { start: Some(n), steps: Vec::new(), cost: cost * 0.3 + rows, rows, picked })
            })
            .collect()
    }

    /// The order with one more node reached over `edge`.
    fn extend(&self, mask: u64, order: &Order, edge: usize) -> Option<(u64, Order)> {
        let (from, to) = self.ends(edge)?;
        let (reversed, from, to) = match (mask >> from & 1 == 1, mask >> to & 1 == 1) {
            (true, false) => (false, from, to),
            (false, true) => (true, to, from),
            _ => return None,
        };
        let pattern = &self.edges[edge];
        let (tables, targets) = (self.tables_of(from), self.tables_of(to));
        let per_row = match order.picked >> from & 1 == 1 {
            true => degree_of_few(self.catalog, pattern, tables, targets, reversed),
            false => degree(self.catalog, pattern, tables, targets, reversed),
        };
        let made = order.rows * per_row;
        let mask = mask | 1 << to;
        let mut rows = made * self.selectivity[to];
        let mut closing_cost = 0.0;
        // Each edge that closes a cycle lets a part through: its edges over all pairs.
        for (i, closing) in self.edges.iter().enumerate() {
            if i == edge || closing.range != EdgeRange::One {
                continue;
            }
            if let Some((a, b)) = self.ends(i)
                && (a == to || b == to)
                && mask >> a & 1 == 1
                && mask >> b & 1 == 1
            {
                let (other, reversed) = if a == to { (b, true) } else { (a, false) };
                let d = degree(self.catalog, closing, self.tables_of(other), self.tables_of(to), reversed);
                closing_cost += rows * if d <= 1.0 { COLUMN_COST } else { PROBE_COST };
                rows *= (d / rows_of(self.catalog, self.tables_of(to)).max(1.0)).min(1.0);
            }
        }
        let weight = if per_row <= 1.0 { COLUMN_COST } else { 1.0 };
        let cost = order.cost + made * weight + closing_cost + rows * 0.2;
        let mut steps = order.steps.clone();
        steps.push(Step::Follow(edge));
        let few = are_picked(self.catalog, rows, targets);
        let picked = order.picked | if few { 1 << to } else { 0 };
        Some((mask, Order { start: order.start, steps, cost, rows, picked }))
    }

    /// The cheapest order that reaches every node. `apart` is the same pattern with nothing from outside: the parts that rows from outside
    /// may be joined with.
    pub(crate) fn order(&self, apart: Option<&Component<'_>>) -> Option<Order> {
        if self.nodes.len() >= 64 {
            return None;
        }
        let all = (1u64 << self.nodes.len()) - 1;
        if self.textual || self.nodes.len() > EXHAUSTIVE_MAX {
            return self
                .starts()
                .into_iter()
                .filter_map(|start| self.greedy(start, all))
                .reduce(|a, b| if self.textual || a.cost <= b.cost { a } else { b });
        }
        let apart = apart.filter(|a| a.is_bushy()).map(|a| a.search(None));
        self.search(apart.as_deref()).swap_remove(all as usize)
    }

    fn is_bushy(&self) -> bool {
        self.bushy != HashJoins::Off && self.nodes.len() <= BUSHY_MAX
    }

    /// The cheapest order of each set of nodes; what is joined with it comes from `apart`, or from the same search.
    fn search(&self, apart: Option<&[Option<Order>]>) -> Vec<Option<Order>> {
        let mut best: Vec<Option<Order>> = vec![None; 1 << self.nodes.len()];
        for (mask, order) in self.starts() {
            keep_cheaper(&mut best[mask as usize], order);
        }
        for mask in 1..1u64 << self.nodes.len() {
            if self.is_bushy() && (self.bound == 0 || apart.is_some()) {
                self.joins(mask, &mut best, apart);
            }
            let Some(order) = best[mask as usize].clone() else { continue };
            for edge in 0..self.edges.len() {
                if let Some((next, order)) = self.extend(mask, &order, edge) {
                    keep_cheaper(&mut best[next as usize], order);
                }
            }
        }
        best
    }

    /// The cheapest hash join that gives exactly the nodes of `mask`: two orders with one node in common and no edge between the others.
    fn joins(&self, mask: u64, best: &mut [Option<Order>], apart: Option<&[Option<Order>]>) {
        for node in (0..self.nodes.len()).filter(|n| mask >> n & 1 == 1) {
            let rest = mask & !(1 << node);
            let mut part = rest & rest.wrapping_sub(1);
            while part != rest {
                if let Some(order) = self.join(part, rest & !part, node, best, apart)
                    && (best[mask as usize].as_ref()).is_none_or(|s| order.cost < s.cost)
                {
                    best[mask as usize] = Some(order);
                }
                // After the empty set comes the whole, which ends it: nothing is left to join with.
                part = part.wrapping_sub(1) & rest;
            }
        }
    }

    /// The hash join on `node` of the orders that have, beside it, the nodes of `probe` and those of `build`.
    fn join(
        &self,
        probe: u64,
        build: u64,
        node: usize,
        best: &[Option<Order>],
        apart: Option<&[Option<Order>]>,
    ) -> Option<Order> {
        let from_outside = apart.is_some();
        // Rows from outside can be joined as they are; a lone scan would only be read twice.
        if build & self.bound != 0 || (probe == 0 && !from_outside) || self.crosses(probe, build) {
            return None;
        }
        let sides = apart.unwrap_or(best);
        let (probe, build) =
            (best[(probe | 1 << node) as usize].as_ref()?, sides[(build | 1 << node) as usize].as_ref()?);
        if probe.rows < build.rows && !from_outside {
            return None;
        }
        let nodes = rows_of(self.catalog, self.tables_of(node)) * self.selectivity[node];
        let rows = probe.rows * build.rows / nodes.max(1.0);
        let cost = probe.cost + build.cost + build.rows * BUILD_COST + probe.rows * LOOKUP_COST + rows * 1.2;
        let cost = if self.bushy == HashJoins::Always { 0.0 } else { cost };
        let mut steps = probe.steps.clone();
        steps.push(Step::Join { build: Box::new(build.clone()), node });
        Some(Order { start: probe.start, steps, cost, rows, picked: probe.picked | build.picked })
    }

    /// Whether an edge goes between two sets of nodes.
    fn crosses(&self, a: u64, b: u64) -> bool {
        (0..self.edges.len()).filter_map(|e| self.ends(e)).any(|(from, to)| {
            (a >> from & 1 == 1 && b >> to & 1 == 1) || (b >> from & 1 == 1 && a >> to & 1 == 1)
        })
    }

    fn greedy(&self, (mut mask, mut order): (u64, Order), all: u64) -> Option<Order> {
        while mask != all {
            let mut options = (0..self.edges.len()).filter_map(|e| self.extend(mask, &order, e));
            let next = if self.textual {
                options.next()
            } else {
                options.min_by(|a, b| a.1.cost.total_cmp(&b.1.cost))
            };
            (mask, order) = next?;
        }
        Some(order)
    }
}

fn keep_cheaper(slot: &mut Option<Order>, order: Order) {
    if slot.as_ref().is_none_or(|s| order.cost < s.cost) {
        *slot = Some(order);
    }
}
