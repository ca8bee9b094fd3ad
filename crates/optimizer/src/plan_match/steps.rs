//! One step along an edge: to a new node, with the cycles that it closes, or between two nodes that are
//! there.

use trimorph_algebra::{EdgePattern, EdgeRange, Expr, Extend, Op, Plan, VarId, Walk};

use super::Planner;
use super::harmless::is_harmless;
use crate::degrees::{degree, rows_of};
use crate::walks::{Element, each_of, joined, renamed, var_extend};
use crate::{Halt, conjunction};

/// Edges of a node up to which it pays to look for them before anything that takes long is asked of the node:
/// a look takes some ten nanoseconds, to search in a text or to make one sixty and more (chosen).
const FEW_DEGREE: f64 = 0.5;

impl Planner<'_> {
    pub(super) fn step(&self, edge: &EdgePattern, from: VarId) -> Extend {
        let (to, direction) = if edge.from == from {
            (edge.to, edge.direction)
        } else {
            (edge.from, edge.direction.reversed())
        };
        let tables = self.tables.get(&to).map_or(&[][..], Vec::as_slice);
        let all = self.with.known.catalog.are_all(tables.len());
        Extend {
            from,
            edge: Some(edge.var),
            to,
            types: edge.types.clone(),
            direction,
            to_tables: (!all).then(|| tables.to_vec()),
        }
    }

    /// Whether following the edge of this place leaves less than half of the rows.
    pub(super) fn leaves_few(&self, place: usize) -> bool {
        let Some(edge) = self.edges.get(place).filter(|edge| edge.range == EdgeRange::One) else {
            return false;
        };
        let (from, to) = self.ends(edge);
        let tables = [from, to].map(|node| self.tables.get(&node).map_or(&[][..], Vec::as_slice));
        let catalog = self.with.known.catalog;
        // Where nothing was counted yet, nothing is known of edges either.
        rows_of(catalog, tables[0]) > 0.0
            && degree(catalog, edge, tables[0], tables[1], from != edge.from) < FEW_DEGREE
    }

    /// Reaches a new node over the edge of this place, and closes or intersects the cycles it closes.
    pub(super) fn follow(&mut self, place: usize) -> Result<(), Halt> {
        // A semi-join filter may have taken it in.
        let Some(edge) = self.edges.get(place) else { return Ok(()) };
        let (to, is_unseen) = (self.ends(edge).1, self.is_unseen(edge));
        let others: Vec<usize> = self.cycle(to).into_iter().filter(|other| *other != place).collect();
        // A node that one edge at most leads to is there as soon as that was followed: nothing to intersect.
        let leads_to_one = |place: &usize| {
            self.edges.get(*place).is_some_and(|edge| self.is_single(edge, self.ends(edge).0))
        };
        let single = std::iter::once(place).chain(others.iter().copied()).find(leads_to_one);
        let Some(edge) = self.edges.take(single.unwrap_or(place)) else { return Ok(()) };
        let (from, _) = self.ends(&edge);
        let step = self.step(&edge, from);
        if self.with.options.intersect && single.is_none() && is_unseen && !others.is_empty() {
            self.intersect(&edge, step, &others);
            self.close_all(&[to]);
            return Ok(());
        }
        match edge.range {
            EdgeRange::One => self.put(|input| Plan::Extend { input, step }),
            EdgeRange::Variable { .. } | EdgeRange::Reachable { .. } => {
                let (edge, walk) = self.with_conditions(&edge, from);
                self.put(|input| var_extend(input, step, &edge, false, from != edge.from, walk.as_ref()));
            }
        }
        self.reach([to, edge.var]);
        if self.with.options.semi_join && edge.range == EdgeRange::One {
            self.semi_join(to)?;
        }
        self.place_harmless(to);
        self.close_all(&[to]);
        Ok(())
    }

    /// A walk with the predicates on each of its edges and nodes that can be asked while it is walked; the
    /// node it starts from is asked before. Of a shortest path they are asked once it is found: which one is
    /// meant does not depend on them.
    fn with_conditions(&mut self, edge: &EdgePattern, from: VarId) -> (EdgePattern, Option<Walk>) {
        let mut edge = edge.clone();
        let mut walk = self.walks.get(&edge.var).cloned();
        if matches!(edge.range, EdgeRange::Variable { shortest: None, .. }) {
            let found: Vec<_> = (self.conditions.on(edge.var))
                .filter_map(|(place, c)| Some((place, each_of(&c.expr, &edge, &self.available)?)))
                .collect();
            for (place, (element, var, each)) in found {
                self.conditions.remove(place);
                if let Element::Edge = element {
                    edge.each = joined(edge.each.take(), var, each);
                    continue;
                }
                let of_first = renamed(each.clone(), var, from);
                self.put(|input| Plan::Filter { input, predicate: of_first });
                let walk = walk.get_or_insert_default();
                walk.nodes = joined(walk.nodes.take(), var, each);
            }
        }
        (edge, walk)
    }

    /// The end of an edge that is there, and the other.
    fn ends(&self, edge: &EdgePattern) -> (VarId, VarId) {
        if self.available.contains(&edge.from) { (edge.from, edge.to) } else { (edge.to, edge.from) }
    }

    /// Whether a single edge is looked at by nobody.
    fn is_unseen(&self, edge: &EdgePattern) -> bool {
        edge.range == EdgeRange::One && !self.wanted.contains(&edge.var)
    }

    /// The edges that lead from other nodes that are there to a new one, and that nobody looks at.
    fn cycle(&self, to: VarId) -> Vec<usize> {
        self.edges.touching(&[to], |e| {
            (e.from == to) != (e.to == to)
                && self.available.contains(if e.from == to { &e.to } else { &e.from })
                && self.is_unseen(e)
        })
    }

    /// Reaches a node over `edge` and over those of `cycle` at once.
    fn intersect(&mut self, edge: &EdgePattern, step: Extend, cycle: &[usize]) {
        let (to, mut steps, mut reached) = (step.to, vec![step], vec![edge.var]);
        for place in cycle {
            if let Some(edge) = self.edges.take(*place) {
                let other = if edge.from == to { edge.to } else { edge.from };
                steps.push(self.step(&edge, other));
                reached.push(edge.var);
            }
        }
        self.put(|input| Plan::Intersect { input, steps });
        self.reach([to]);
        self.reach(reached);
    }

    /// The edges at some nodes whose ends are both there.
    fn closing(&self, nodes: &[VarId]) -> Vec<usize> {
        let is_closing = |e: &EdgePattern| self.available.contains(&e.from) && self.available.contains(&e.to);
        self.edges.touching(nodes, is_closing)
    }

    /// Before edges are looked for at a node that was reached: places the predicates that may be asked of
    /// rows which have no such edge. They cost less, and leave fewer rows to look for edges of.
    fn place_harmless(&mut self, node: VarId) {
        if self.closing(&[node]).is_empty() {
            return;
        }
        // What is only to be another value lets nearly all rows through, and is asked of those that are left.
        let is_worth_it =
            |condition: &Expr| is_harmless(condition) && !matches!(condition, Expr::Op(Op::Ne, ..));
        let ready = self.conditions.take_ready_if(&self.available, is_worth_it);
        if let Some(predicate) = conjunction(ready) {
            self.put(|input| Plan::Filter { input, predicate });
        }
    }

    /// Checks the edges at some nodes whose ends are both there.
    pub(super) fn close_all(&mut self, nodes: &[VarId]) {
        for place in self.closing(nodes) {
            if let Some(edge) = self.edges.take(place) {
                self.close(&edge, edge.from);
            }
        }
    }

    /// Checks an edge between two nodes that are there, starting at one of them.
    pub(super) fn close(&mut self, edge: &EdgePattern, from: VarId) {
        let step = self.step(edge, from);
        match edge.range {
            EdgeRange::One => self.put(|input| Plan::ExtendInto { input, step }),
            EdgeRange::Variable { .. } | EdgeRange::Reachable { .. } => {
                let (edge, walk) = self.with_conditions(edge, from);
                self.put(|input| var_extend(input, step, &edge, true, from != edge.from, walk.as_ref()));
            }
        }
        self.reach([edge.var]);
    }
}
