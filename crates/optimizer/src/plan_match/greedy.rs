//! The order of a component of many nodes: from a start the cheapest next step, again and again; or the order
//! of the text.
//!
//! The edges with one end reached are kept; a step looks at these and no others. Where there are very many
//! nodes only the starts with the fewest rows are tried.

use std::collections::BTreeSet;

use super::component::Component;
use super::costs::{Costs, Reached, Rows};
use super::order_joins::{Order, Step};
use crate::Halt;
use crate::degrees::are_picked;
use crate::planning::poll;

/// Nodes up to which every start is tried.
const ALL_STARTS_MAX: usize = 63;
/// Starts tried where there are more.
const STARTS_MAX: usize = 4;
/// Edges that steps may look at until no further start is tried. 50 ns each.
const LOOKS_MAX: usize = 2_000_000;

impl Component<'_> {
    /// The order that greedy steps give, or that of the text.
    pub(super) fn greedy(&self, costs: &Costs<'_>) -> Result<Option<Order>, Halt> {
        let mut starts = self.starts(costs);
        if self.textual {
            starts.truncate(1);
        } else if self.nodes.len() > ALL_STARTS_MAX {
            starts.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            starts.truncate(STARTS_MAX);
        }
        let (mut best, mut looks): (Option<Order>, usize) = (None, 0);
        for start in starts {
            if looks > LOOKS_MAX {
                break;
            }
            poll(self.cancel)?;
            if let Some(order) = self.greedy_from(start, costs, &mut looks)?
                && best.as_ref().is_none_or(|b| order.cost < b.cost)
            {
                best = Some(order);
            }
        }
        Ok(best)
    }

    fn greedy_from(
        &self,
        mut order: Order,
        costs: &Costs<'_>,
        looks: &mut usize,
    ) -> Result<Option<Order>, Halt> {
        let mut there = vec![false; self.nodes.len()];
        let mut picked = vec![false; self.nodes.len()];
        let mut frontier = BTreeSet::new();
        let mut left = self.nodes.len();
        for (node, there) in there.iter_mut().enumerate() {
            if self.bound[node] || order.start == Some(node) {
                *there = true;
                left -= 1;
                picked[node] = order.picked >> node.min(63) & 1 == 1;
                frontier.extend(&costs.at[node]);
            }
        }
        while left > 0 {
            poll(self.cancel)?;
            let Some((edge, reached)) = self.next(&order, &there, &picked, &mut frontier, costs, looks)
            else {
                return Ok(None);
            };
            (order.cost, order.rows) = (reached.cost, reached.rows);
            order.steps.push(Step::Follow(edge));
            there[reached.to] = true;
            left -= 1;
            picked[reached.to] = are_picked(self.catalog, reached.rows, costs.tables_of(reached.to));
            frontier.extend(&costs.at[reached.to]);
        }
        Ok(Some(order))
    }

    /// The cheapest next step; the first, in the order of the text.
    fn next(
        &self,
        order: &Order,
        there: &[bool],
        picked: &[bool],
        frontier: &mut BTreeSet<usize>,
        costs: &Costs<'_>,
        looks: &mut usize,
    ) -> Option<(usize, Reached)> {
        let mut best: Option<(usize, Reached)> = None;
        let mut closed = Vec::new();
        for edge in frontier.iter().copied() {
            let Some((from, to, reversed)) = costs.open_ends(edge, |n| there[n]) else {
                closed.push(edge);
                continue;
            };
            *looks += 1;
            let in_order = order.steps.is_empty() && order.start == Some(from) && self.lookup[from].is_none();
            let (rows, from_picked) = (order.rows, picked[from]);
            let before = Rows { cost: order.cost, rows, lists: rows, from_picked, in_order };
            let reached = costs.reach(before, edge, (to, reversed), |n| there[n]);
            if best.as_ref().is_none_or(|(_, b)| reached.cost.total_cmp(&b.cost).is_lt()) {
                best = Some((edge, reached));
            }
            if self.textual {
                break;
            }
        }
        for edge in closed {
            frontier.remove(&edge);
        }
        best
    }
}
