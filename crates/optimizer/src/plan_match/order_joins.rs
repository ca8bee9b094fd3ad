//! Join order: dynamic programming over the connected sets of nodes of one component.
//!
//! A plan for a set is a start node (or the rows given) and extends, each to one new node, or two plans
//! joined by hash on the node or the two that they share, and on values that must be equal; where rows are
//! given, they are probed and the other side is planned as if there were none. Edges that close a cycle are
//! checked, or intersected, as soon as both ends are there. Cost is the sum of the rows made; a row reached
//! over a vertex column costs less than one from a list (GF-CL §7: sequential against random). Above 12
//! nodes, or with very many edges among fewer, the cheapest next step is taken instead (`greedy`).

use super::component::Component;
use super::costs::{Costs, LIST_LENGTH_MIN, Rows};
use crate::degrees::are_picked;
use crate::planning::poll;
use crate::{Halt, HashJoins};

/// Most nodes for which all connected sets are looked at: 2^12 sets.
const EXHAUSTIVE_MAX: usize = 12;
/// Most edges for which they are: each set tries each edge.
const EXHAUSTIVE_EDGES_MAX: usize = 48;

/// A row put into a hash table, and one looked up there: compared with the cost of a look for an edge, not
/// measured.
const BUILD_COST: f64 = 8.0;
const LOOKUP_COST: f64 = 4.0;
/// A row whose values are compared, both taken out at random, and one that a value is a key of. In rows made,
/// measured on persons of the same city and year of birth: 11 ns against 2.
const EQUAL_COST: f64 = 5.0;
const KEY_COST: f64 = 2.0;
/// Most nodes for which hash joins are tried: 7 × 3^6 pairs of sets. Chosen by that number, not measured.
const BUSHY_MAX: usize = 7;

/// One step of an order.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Reach a new node over the edge of this index.
    Follow(usize),
    /// Join with the rows of another order, which has nodes in common.
    Join {
        /// The other order; its rows are kept in a hash table.
        build: Box<Order>,
        /// The nodes that both have.
        shared: Vec<usize>,
    },
}

/// The order found: where to start and which edge to follow next; edges not named close cycles.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// The first node, if the input rows have none.
    pub(super) start: Option<usize>,
    /// Rows of that node, or those given.
    pub(super) started: f64,
    /// What is done next, in order.
    pub(super) steps: Vec<Step>,
    pub(super) cost: f64,
    pub(super) rows: f64,
    /// Nodes of which there are few, whatever the number of rows: who starts from one tag comes back to one
    /// tag. Of the first 64.
    pub(super) picked: u64,
}

impl Component<'_> {
    /// The nodes that the input rows have, of the first 64.
    fn bound_mask(&self) -> u64 {
        self.bound.iter().take(64).enumerate().fold(0, |mask, (i, bound)| mask | u64::from(*bound) << i)
    }

    /// The orders to begin with.
    pub(super) fn starts(&self, costs: &Costs<'_>) -> Vec<Order> {
        if self.bound.contains(&true) {
            let rows = self.rows;
            let picked = if rows <= 1.0 { self.bound_mask() } else { 0 };
            return vec![Order { start: None, started: rows, steps: Vec::new(), cost: 0.0, rows, picked }];
        }
        (0..self.nodes.len())
            .filter(|n| self.only.is_none_or(|only| only == *n))
            .map(|n| {
                let all = costs.node_rows(n);
                let (cost, rows) = match self.lookup[n] {
                    Some(found) => (self.rows * found, self.rows * found),
                    None => (all * self.rows.max(1.0), all * self.selectivity[n] * self.rows),
                };
                let one = self.lookup[n].map_or(all * self.selectivity[n], |found| found);
                let few = self.lookup[n] == Some(1.0) || are_picked(self.catalog, one, costs.tables_of(n));
                let picked = if few { 1 << n.min(63) } else { 0 };
                let cost = cost * 0.3 + rows + costs.scanned_cost(n, cost, rows);
                Order { start: Some(n), started: rows, steps: Vec::new(), cost, rows, picked }
            })
            .collect()
    }

    /// The order with one more node reached over `edge`, for the set of nodes that it then has.
    fn extend(&self, mask: u64, order: &Order, edge: usize, costs: &Costs<'_>) -> Option<(u64, Order)> {
        let is_there = |node: usize| mask >> node & 1 == 1;
        let (from, to, reversed) = costs.open_ends(edge, is_there)?;
        let in_order = order.steps.is_empty() && order.start == Some(from) && self.lookup[from].is_none();
        let from_picked = order.picked >> from & 1 == 1;
        // What one step has reached is a list of the node that both start from, and so is what the next one
        // does: it is made once for each such node, not for each row.
        let is_start = order.start.map_or(self.bound[from], |start| start == from);
        let is_list = is_start
            && matches!(order.steps[..], [Step::Follow(_)])
            && order.rows >= order.started * LIST_LENGTH_MIN;
        let lists = if is_list { order.started } else { order.rows };
        let before = Rows { cost: order.cost, rows: order.rows, lists, from_picked, in_order };
        let reached = costs.reach(before, edge, (to, reversed), is_there);
        let mut steps = order.steps.clone();
        steps.push(Step::Follow(edge));
        let few = are_picked(self.catalog, reached.rows, costs.tables_of(to));
        let picked = order.picked | if few { 1 << to } else { 0 };
        let (equal, part) = self.equal_part(mask | 1 << to, &[mask]);
        let (cost, rows) = (reached.cost + reached.rows * equal * EQUAL_COST, reached.rows * part);
        Some((mask | 1 << to, Order { steps, cost, rows, picked, ..*order }))
    }

    /// The cheapest order that reaches every node. `apart` is the same pattern with nothing from outside: the
    /// parts that rows from outside may be joined with.
    pub(super) fn order(&self, apart: Option<&Component<'_>>) -> Result<Option<Order>, Halt> {
        let costs = Costs::new(self);
        let is_small = self.nodes.len() <= EXHAUSTIVE_MAX && self.edges.len() <= EXHAUSTIVE_EDGES_MAX;
        if self.textual || !is_small {
            return self.greedy(&costs);
        }
        let all = (1usize << self.nodes.len()) - 1;
        let apart = match apart.filter(|a| a.is_bushy()) {
            Some(apart) => Some(apart.search(None, &Costs::new(apart))?),
            None => None,
        };
        let best = self.search(apart.as_deref(), &costs)?.swap_remove(all);
        let (Some(order), Some((node, cost))) = (&best, self.grouped) else { return Ok(best) };
        if self.bound.contains(&true) || order.start == Some(node) {
            return Ok(best);
        }
        // Rows of one node come together where it is what is started from, and no other rows are put in
        // between.
        let only = Component { only: Some(node), bushy: HashJoins::Off, ..*self };
        let together = only.search(None, &Costs::new(&only))?.swap_remove(all);
        let is_less = |together: &Order| together.cost < order.cost + order.rows * cost;
        Ok(if together.as_ref().is_some_and(is_less) { together } else { best })
    }

    fn is_bushy(&self) -> bool {
        self.bushy != HashJoins::Off && self.nodes.len() <= BUSHY_MAX
    }

    /// The cheapest order of each set of nodes; what is joined with it comes from `apart`, or from the same
    /// search.
    fn search(&self, apart: Option<&[Option<Order>]>, costs: &Costs<'_>) -> Result<Vec<Option<Order>>, Halt> {
        let mut best: Vec<Option<Order>> = vec![None; 1 << self.nodes.len()];
        let bound = self.bound_mask();
        for order in self.starts(costs) {
            let mask = order.start.map_or(bound, |n| 1 << n);
            keep_cheaper(&mut best[mask as usize], order);
        }
        for mask in 1..1u64 << self.nodes.len() {
            if mask % 64 == 0 {
                poll(self.cancel)?;
            }
            if self.is_bushy() && (bound == 0 || apart.is_some()) {
                self.joins(mask, &mut best, apart, costs);
            }
            let Some(order) = best[mask as usize].take() else { continue };
            for edge in 0..self.edges.len() {
                if let Some((next, order)) = self.extend(mask, &order, edge, costs) {
                    keep_cheaper(&mut best[next as usize], order);
                }
            }
            best[mask as usize] = Some(order);
        }
        Ok(best)
    }

    /// How many values must be equal in rows with the nodes of `mask` that no part had together, and the part
    /// of rows in which they are.
    fn equal_part(&self, mask: u64, parts: &[u64]) -> (f64, f64) {
        let is_new = |nodes: u64| nodes & !mask == 0 && parts.iter().all(|part| nodes & !part != 0);
        let new = self.equal.iter().filter(|(nodes, _)| is_new(*nodes));
        new.fold((0.0, 1.0), |(count, all), (_, part)| (count + 1.0, all * part))
    }

    /// The cheapest hash join that gives exactly the nodes of `mask`: two orders with a node or two in common
    /// and no edge between the others, nor between the two.
    fn joins(
        &self,
        mask: u64,
        best: &mut [Option<Order>],
        apart: Option<&[Option<Order>]>,
        costs: &Costs<'_>,
    ) {
        // Of a node that is looked up there is one, and only the side that starts from it has it so.
        let nodes = || (0..self.nodes.len()).filter(|n| mask >> n & 1 == 1 && self.lookup[*n].is_none());
        let ones = nodes().map(|n| 1u64 << n);
        let twos = nodes().flat_map(|a| nodes().filter(move |b| a < *b).map(move |b| (1 << a, 1 << b)));
        let twos = twos.filter(|(a, b)| !crosses(costs, *a, *b)).map(|(a, b)| a | b);
        for shared in ones.chain(twos) {
            let rest = mask & !shared;
            let mut part = rest & rest.wrapping_sub(1);
            while part != rest {
                if let Some(order) = self.join((part, rest & !part), shared, best, apart, costs)
                    && (best[mask as usize].as_ref()).is_none_or(|s| order.cost < s.cost)
                {
                    best[mask as usize] = Some(order);
                }
                // After the empty set comes the whole, which ends it: nothing is left to join with.
                part = part.wrapping_sub(1) & rest;
            }
        }
    }

    /// The hash join on the nodes of `shared` of the orders that have, besides it, those of `probe` and
    /// `build`.
    fn join(
        &self,
        (probe, build): (u64, u64),
        shared: u64,
        best: &[Option<Order>],
        apart: Option<&[Option<Order>]>,
        costs: &Costs<'_>,
    ) -> Option<Order> {
        let from_outside = apart.is_some();
        // Rows from outside can be joined as they are; a lone scan would only be read twice.
        if build & self.bound_mask() != 0 || (probe == 0 && !from_outside) || crosses(costs, probe, build) {
            return None;
        }
        let sides = apart.unwrap_or(best);
        let masks = [probe | shared, build | shared];
        let (probe, build) = (best[masks[0] as usize].as_ref()?, sides[masks[1] as usize].as_ref()?);
        if probe.rows < build.rows && !from_outside {
            return None;
        }
        let shared: Vec<usize> = (0..self.nodes.len()).filter(|n| shared >> n & 1 == 1).collect();
        let nodes = shared.iter().map(|n| (costs.node_rows(*n) * self.selectivity[*n]).max(1.0));
        let (equal, part) = self.equal_part(masks[0] | masks[1], &masks);
        let rows = probe.rows * build.rows / nodes.product::<f64>() * part;
        let cost = probe.cost + build.cost + build.rows * BUILD_COST + probe.rows * LOOKUP_COST + rows * 1.2;
        let cost = cost + (probe.rows + build.rows) * equal * KEY_COST;
        let cost = if self.bushy == HashJoins::Always { 0.0 } else { cost };
        let mut steps = probe.steps.clone();
        steps.push(Step::Join { build: Box::new(build.clone()), shared });
        Some(Order { steps, cost, rows, picked: probe.picked | build.picked, ..*probe })
    }
}

/// Whether an edge goes between two sets of nodes.
fn crosses(costs: &Costs<'_>, a: u64, b: u64) -> bool {
    costs.ends.iter().any(|(from, to)| {
        (a >> from & 1 == 1 && b >> to & 1 == 1) || (b >> from & 1 == 1 && a >> to & 1 == 1)
    })
}

fn keep_cheaper(slot: &mut Option<Order>, order: Order) {
    if slot.as_ref().is_none_or(|s| order.cost < s.cost) {
        *slot = Some(order);
    }
}
