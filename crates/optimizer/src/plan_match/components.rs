//! Connected parts of a pattern: which comes next, and how each begins.
//!
//! A part that touches nodes that are there comes first, then one that can be looked up, then the smallest. A
//! part that has nothing in common with the rows there are is planned by itself and multiplied with them.

use std::collections::HashSet;
use std::sync::Arc;

use trimorph_algebra::{
    EdgeLookup, EdgePattern, EdgeRange, Expr, KeyLookup, LabelExpr, NodeScan, Plan, Together, VarId,
};
use trimorph_base::TableId;

use super::Planner;
use super::component::Component;
use super::costs::CACHED_ROWS;
use super::hash_joins::Parts;
use super::one_row::gives_one_row;
use super::reads::Read;
use crate::counted::Of;
use crate::degrees::{degree, rows_of};
use crate::edge_lookups::{EdgeFound, edge_lookup};
use crate::estimate::Estimate;
use crate::lookups::{LOOKUP_ROWS, Lookup, RANGE_ROWS, lookup_of, prune_of, range_of, together_of};
use crate::planning::poll;
use crate::selectivity::selectivity;
use crate::tables::edge_tables;
use crate::walks::asks_of_rows;
use crate::{Halt, HashJoins, VarSet, vars_of};

/// Part of a node's rows below which an end of a shortest path is scanned for before the search. The searches
/// are the same, and paths to other nodes are not made; measured on SNB 0.1, targets that are half of the
/// nodes cost as much as all.
const ENDS: f64 = 0.25;

/// Edges of a node from which on another end that can be looked up is searched among them. Chosen: a look-up
/// and a search take as long as some ten neighbours that are made and compared.
const SEARCHED_DEGREE: f64 = 12.0;

/// Rows that wait to be joined with a part that is planned by itself, and their variables.
pub(super) type Outer = Option<(Plan, Estimate, VarSet)>;

/// A connected part that is not planned yet.
struct Part {
    nodes: Vec<VarId>,
    rows: f64,
    touches: bool,
}

impl Planner<'_> {
    /// Plans all connected parts that have one of these nodes.
    pub(super) fn plan_components(&mut self, left: &[VarId]) -> Result<(), Halt> {
        let mut parts: Vec<Option<Part>> = self.parts(left).into_iter().map(Some).collect();
        let mut waiting: Vec<usize> = (0..parts.len()).collect();
        // Touching rows and being small do not change, so that the order by these is made once.
        let size = |i: &usize| {
            parts[*i].as_ref().map_or((true, 0.0), |p| (!p.touches, if p.touches { 0.0 } else { p.rows }))
        };
        waiting.sort_by(|a, b| {
            let (a, b) = (size(a), size(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let mut looked_up: Vec<usize> = (0..parts.len())
            .filter(|i| {
                parts[*i].as_ref().is_some_and(|p| p.nodes.iter().any(|v| self.conditions.has_lookup(*v)))
            })
            .collect();
        let by_value = self.has_equalities(left);
        let mut next = 0;
        while let Some(first) = waiting.get(next).copied() {
            poll(self.with.cancel)?;
            let Some(smallest) = &parts[first] else {
                next += 1;
                continue;
            };
            let mut chosen = first;
            if !smallest.touches {
                looked_up.retain(|i| parts[*i].is_some());
                let can_be = |i: &&usize| {
                    let nodes = parts[**i].as_ref().map_or(&[][..], |p| &p.nodes);
                    nodes.iter().any(|v| self.lookup(*v, &self.available).is_some())
                };
                // What values join comes before what only multiplies.
                let joins = |i: &&usize| parts[**i].as_ref().is_some_and(|p| self.is_equal_to_some(&p.nodes));
                let joined = || waiting[next..].iter().find(joins).filter(|_| by_value);
                chosen = looked_up.iter().find(can_be).or_else(joined).copied().unwrap_or(first);
            }
            if let Some(part) = parts[chosen].take() {
                self.plan_component(&part.nodes)?;
            }
        }
        Ok(())
    }

    /// The connected parts, each in the order its nodes are met from the first of `left`.
    fn parts(&self, left: &[VarId]) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut seen = HashSet::new();
        for start in left {
            if !seen.insert(*start) {
                continue;
            }
            let mut nodes = vec![*start];
            let mut at = 0;
            while let Some(here) = nodes.get(at).copied() {
                at += 1;
                for (_, edge) in self.edges.at(here) {
                    for (a, b) in [(edge.from, edge.to), (edge.to, edge.from)] {
                        if a == here && seen.insert(b) {
                            nodes.push(b);
                        }
                    }
                }
            }
            let rows = nodes.iter().map(|v| rows_of(self.with.known.catalog, self.tables_of(*v))).sum();
            let touches = nodes.iter().any(|v| self.available.contains(v));
            parts.push(Part { nodes, rows, touches });
        }
        parts
    }

    pub(super) fn tables_of(&self, var: VarId) -> &[trimorph_base::TableId] {
        self.tables.get(&var).map_or(&[], Vec::as_slice)
    }

    /// How `var` can be looked up by what is `known`, and by which predicate.
    fn lookup(&self, var: VarId, known: &VarSet) -> Option<(Option<usize>, Lookup)> {
        let tables = self.tables_of(var);
        let all = rows_of(self.with.known.catalog, tables);
        let mut of_any = None;
        for (place, c) in self.conditions.lookups(var) {
            match lookup_of(self.with.known.catalog, &c.expr, var, tables, known) {
                Some(lookup) if lookup.is_of_one() => return Some((Some(place), lookup)),
                Some(lookup) if self.is_unique(var, &lookup) => return Some((Some(place), lookup.of_one())),
                // Of tables that were never merged nothing is counted: what is there is little.
                Some(lookup) if all == 0.0 || self.found_by(var, &lookup) * LOOKUP_ROWS < all => {
                    of_any.get_or_insert((Some(place), lookup));
                }
                _ => {}
            }
        }
        let single = of_any.or_else(|| self.range(var, tables, all).map(|lookup| (None, lookup)));
        let together = self.together(var, known, tables, all);
        let is_better = |together: &Lookup| {
            let rows = self.found_by(var, together);
            single.as_ref().is_none_or(|(_, single)| rows < self.found_by(var, single))
        };
        match together.filter(is_better) {
            Some(together) => Some((None, together)),
            None => single,
        }
    }

    /// How `var` can be looked up by an index of several properties, if that finds few nodes.
    fn together(&self, var: VarId, available: &VarSet, tables: &[TableId], all: f64) -> Option<Lookup> {
        let known = self.with.known;
        if tables.is_empty() || known.catalog.has_no_indexes() {
            return None;
        }
        let conditions: Vec<&Expr> = self.conditions.on(var).map(|(_, c)| &c.expr).collect();
        let mut best: Option<Lookup> = None;
        for properties in known.catalog.composite_indexes(tables) {
            let found = together_of(&properties, &conditions, var, available);
            let Some((equal, then, used)) = found else { continue };
            let part: f64 = used.iter().map(|c| selectivity(known, c, var, Of::Nodes(tables))).product();
            let rows = part * all;
            let is_few = rows * LOOKUP_ROWS < all || all == 0.0;
            if is_few && best.as_ref().is_none_or(|best| rows < self.found_by(var, best)) {
                best = Some(Lookup::Together { properties, equal, then: Box::new(then), rows });
            }
        }
        best
    }

    /// How `var` can be looked up by bounds of an indexed property, if that finds few nodes.
    fn range(&self, var: VarId, tables: &[TableId], all: f64) -> Option<Lookup> {
        let known = self.with.known;
        if tables.is_empty() || known.catalog.has_no_indexes() {
            return None;
        }
        let conditions = self.conditions.on(var).map(|(_, c)| &c.expr);
        let is_indexed = |name: &str| known.catalog.is_indexed(tables, name);
        let (lookup, of) = range_of(conditions, var, &is_indexed)?;
        let part = |condition: &&Expr| selectivity(known, condition, var, Of::Nodes(tables));
        let part: f64 = of.iter().map(part).product();
        (part * RANGE_ROWS < 1.0 || all == 0.0).then_some(lookup)
    }

    /// Whether a constraint says that a look-up finds one node at most.
    fn is_unique(&self, var: VarId, lookup: &Lookup) -> bool {
        let Lookup::Key { property, any_of: false, .. } = lookup else { return false };
        let catalog = self.with.known.catalog;
        self.labels
            .get(&var)
            .is_some_and(|labels| labels.demanded().iter().any(|label| catalog.is_unique(label, property)))
    }

    /// How many nodes a look-up of a node finds for a row.
    fn found_by(&self, var: VarId, lookup: &Lookup) -> f64 {
        let known = self.with.known;
        match lookup {
            Lookup::Key { property, key, any_of, is_key } => {
                let keys = if *any_of { known.elements(key) } else { 1.0 };
                let each = if *is_key { 1.0 } else { known.rows_by_value(self.tables_of(var), property) };
                keys * each
            }
            Lookup::Together { rows, .. } => *rows,
            Lookup::Id { .. } => 1.0,
            Lookup::Range { .. } | Lookup::Prefix { .. } => {
                rows_of(known.catalog, self.tables_of(var)) / RANGE_ROWS
            }
        }
    }

    /// Whether a row finds one node at most.
    fn is_one(&self, var: VarId) -> bool {
        self.lookup(var, &self.available).is_some_and(|(_, lookup)| lookup.is_of_one())
    }

    fn selectivity(&self, var: VarId, known: &VarSet) -> f64 {
        self.conditions.selectivity(self.with.known, var, known, Of::Nodes(self.tables_of(var)))
    }

    /// The part of an edge's relationships that its own predicates let through.
    fn edge_part(&self, edge: &EdgePattern, known: &VarSet) -> f64 {
        let tables = edge_tables(self.with.known.catalog, edge);
        match edge.range {
            EdgeRange::One => {
                self.conditions.selectivity(self.with.known, edge.var, known, Of::Edges(&tables))
            }
            _ => 1.0,
        }
    }

    fn plan_component(&mut self, nodes: &[VarId]) -> Result<(), Halt> {
        self.start_at_edge(nodes);
        if self.with.options.reorder {
            self.start_ends(nodes);
        }
        if nodes.iter().all(|v| self.available.contains(v)) {
            self.finish(nodes);
            return Ok(());
        }
        let own: HashSet<VarId> = nodes.iter().copied().collect();
        let places = self.edges.touching(nodes, |e| own.contains(&e.from) && own.contains(&e.to));
        let edges: Vec<EdgePattern> = places.iter().filter_map(|p| self.edges.get(*p).cloned()).collect();
        let bound: Vec<bool> = nodes.iter().map(|v| self.available.contains(v)).collect();
        let is_bound = bound.contains(&true);
        let none = VarSet::new();
        let found =
            |v: VarId, known: &VarSet| self.lookup(v, known).map(|(_, lookup)| self.found_by(v, &lookup));
        let lookups = |known: &VarSet| nodes.iter().map(|v| found(*v, known)).collect();
        let selectivities = |known: &VarSet| nodes.iter().map(|v| self.selectivity(*v, known)).collect();
        let (lookup, own_lookup): (Vec<Option<f64>>, Vec<Option<f64>>) =
            (lookups(&self.available), lookups(&none));
        let (selectivity, own_selectivity): (Vec<f64>, Vec<f64>) =
            (selectivities(&self.available), selectivities(&none));
        let parts = |known: &VarSet| edges.iter().map(|edge| self.edge_part(edge, known)).collect();
        let (edge_parts, own_edge_parts): (Vec<f64>, Vec<f64>) = (parts(&self.available), parts(&none));
        let starts_from_rows = is_bound || lookup.iter().any(Option::is_some);
        let asks = edges.iter().any(|e| asks_of_rows(e, self.walks.get(&e.var)));
        let options = self.with.options;
        let equal = self.equal_parts(nodes, &edges);
        let looked_at: Vec<bool> = edges.iter().map(|edge| self.wanted.contains(&edge.var)).collect();
        let read = |node: &VarId| {
            self.with.reads.of_node(*node, self.conditions.on(*node).map(|(_, condition)| &condition.expr))
        };
        let reads: Vec<Read> = nodes.iter().map(read).collect();
        let component = Component {
            catalog: self.with.known.catalog,
            nodes,
            edges: &edges,
            tables: &self.tables,
            selectivity: &selectivity,
            edge_parts: &edge_parts,
            lookup: &lookup,
            bound: &bound,
            looked_at: &looked_at,
            reads: &reads,
            grouped: self.grouped(nodes),
            only: None,
            equal: &equal,
            rows: if starts_from_rows { self.estimate.rows.max(1.0) } else { 1.0 },
            bushy: match self.plan {
                // A build side has nothing of the rows that its walks may ask about.
                _ if asks => HashJoins::Off,
                Plan::Unit => options.hash_join,
                _ if is_bound => options.hash_join,
                _ => HashJoins::Off,
            },
            textual: !options.reorder,
            cancel: self.with.cancel,
        };
        // What rows from outside may be joined with is planned without them.
        let unbound = vec![false; nodes.len()];
        let apart = Component {
            selectivity: &own_selectivity,
            edge_parts: &own_edge_parts,
            lookup: &own_lookup,
            bound: &unbound,
            rows: 1.0,
            ..component
        };
        let Some(order) = component.order(is_bound.then_some(&apart))? else { return Ok(()) };
        let mut outer = None;
        if let Some(start) = order.start {
            outer = self.start(nodes[start]);
            if asks || self.is_bounded_by_one(nodes[start], &outer) {
                self.place_filters();
                self.beside(outer.take());
            }
        }
        self.follow_order(&order, &Parts { nodes, edges: &places, patterns: &edges })?;
        self.finish(nodes);
        self.beside(outer);
        Ok(())
    }

    /// The node of many that rows are grouped by, and what each costs where those of one node do not come
    /// together; of several, the one of most.
    fn grouped(&self, nodes: &[VarId]) -> Option<(usize, f64)> {
        let catalog = self.with.known.catalog;
        let tables = |node: VarId| self.tables.get(&node).map_or(&[][..], Vec::as_slice);
        // Of what is no node of these, nothing is known.
        let different = |(of, name): &(VarId, Arc<str>)| {
            let stats = Of::Nodes(tables(*of)).stats(catalog, name);
            stats.iter().map(|(stats, _)| stats.distinct as f64).sum::<f64>().max(1.0)
        };
        let groups = |node: VarId| {
            let scattered = self.with.reads.scattered(node)?;
            let count =
                rows_of(catalog, tables(node)) * scattered.values.iter().map(different).product::<f64>();
            Some((scattered.cost, count))
        };
        let all = nodes.iter().enumerate().filter_map(|(at, node)| {
            let (cost, count) = groups(*node)?;
            Some((at, cost, count))
        });
        let most = all.max_by(|(.., a), (.., b)| a.total_cmp(b))?;
        (most.2 > CACHED_ROWS).then_some((most.0, most.1))
    }

    /// Whether there is one row, as of `WITH max(n.x) AS last`, with values that a node just started from is
    /// compared with: then it is beside that row before steps are taken from more nodes than pass.
    fn is_bounded_by_one(&self, node: VarId, outer: &Outer) -> bool {
        let Some((plan, _, vars)) = outer else { return false };
        let is_bound = |condition: &VarSet| {
            condition.iter().all(|var| *var == node || vars.contains(var))
                && condition.iter().any(|var| vars.contains(var))
        };
        gives_one_row(plan) && self.conditions.on(node).any(|(_, c)| is_bound(&vars_of([&c.expr])))
    }

    /// Starts a part that touches no rows from one of its edges, where an index finds fewer of these than any
    /// look-up finds nodes.
    fn start_at_edge(&mut self, nodes: &[VarId]) {
        let known = self.with.known;
        if known.catalog.has_no_indexes() || nodes.iter().any(|v| self.available.contains(v)) {
            return;
        }
        let own: HashSet<VarId> = nodes.iter().copied().collect();
        let places = self.edges.touching(nodes, |e| own.contains(&e.from) && own.contains(&e.to));
        let mut best: Option<(usize, EdgeFound)> = None;
        for place in places {
            let Some(edge) = self.edges.get(place) else { continue };
            let conditions = self.conditions.on(edge.var).map(|(at, c)| (at, &c.expr));
            if let Some(found) = edge_lookup(known, conditions, edge, &self.available)
                && best.as_ref().is_none_or(|(_, other)| found.rows < other.rows)
            {
                best = Some((place, found));
            }
        }
        let of_node = |v: &VarId| Some(self.found_by(*v, &self.lookup(*v, &self.available)?.1));
        let by_node = nodes.iter().filter_map(of_node).min_by(f64::total_cmp);
        let Some((place, found)) = best else { return };
        if by_node.is_some_and(|rows| rows <= found.rows) {
            return;
        }
        let Some(edge) = self.edges.take(place) else { return };
        if let Some(condition) = found.condition {
            self.conditions.remove(condition);
        }
        let step = self.step(&edge, edge.from);
        let tables = self.tables_of(edge.from);
        let from_tables = (!known.catalog.are_all(tables.len())).then(|| tables.to_vec());
        let (property, key, by) = (found.property, found.key, found.by);
        let lookup = EdgeLookup { step, from_tables, property, key, by };
        self.put(|input| Plan::EdgeLookup { input, lookup });
        self.reach([edge.from, edge.to, edge.var]);
        self.place_filters();
        self.hang();
    }

    /// Checks the edges between these nodes that are left.
    pub(super) fn finish(&mut self, nodes: &[VarId]) {
        let is_closing = |e: &EdgePattern| self.available.contains(&e.from) && self.available.contains(&e.to);
        for place in self.edges.touching(nodes, is_closing) {
            if let Some(edge) = self.edges.take(place) {
                self.close(&edge, edge.from);
                self.place_filters();
            }
        }
    }

    /// Starts a part. Where it cannot start from the rows there are, gives these to be joined after.
    pub(super) fn start(&mut self, var: VarId) -> Outer {
        let tables = self.tables_of(var).to_vec();
        if let Some((place, lookup)) = self.lookup(var, &self.available) {
            if let Some(place) = place {
                self.conditions.remove(place);
            }
            let together = match &lookup {
                Lookup::Together { properties, equal, .. } => {
                    Some(Together { properties: properties.clone(), equal: equal.clone() })
                }
                _ => None,
            };
            match lookup.parts() {
                Ok((property, key, by)) => {
                    let lookup = KeyLookup { var, tables, property, key, by, together };
                    self.put(|input| Plan::KeyLookup { input, lookup });
                }
                Err(id) => self.put(|input| Plan::IdLookup { input, var, id, tables }),
            }
            self.reach([var]);
            return None;
        }
        let labels = self.labels.get(&var).cloned().unwrap_or(LabelExpr::True);
        let prune = self.conditions.on(var).filter_map(|(_, c)| prune_of(&c.expr, var)).collect();
        let scan = Plan::NodeScan(NodeScan { var, labels, tables, prune });
        let estimate = Estimate::over(&scan, Vec::new(), self.with.known);
        let before =
            (std::mem::replace(&mut self.plan, scan), std::mem::replace(&mut self.estimate, estimate));
        let outer = match before {
            (Plan::Unit, _) => None,
            (plan, estimate) => Some((plan, estimate, std::mem::take(&mut self.available))),
        };
        self.reach([var]);
        outer
    }

    /// The product of the rows there are and of the nodes that pass the predicates on `var` alone.
    fn scan_beside(&mut self, var: VarId) {
        self.place_filters();
        let outer = self.start(var);
        self.place_filters();
        self.beside(outer);
    }

    /// Looks up both ends of an edge where each is one node, and either has many such edges: whether they are
    /// joined is then searched for in the shorter list, and not all neighbours made.
    fn start_ends(&mut self, nodes: &[VarId]) {
        let own: HashSet<VarId> = nodes.iter().copied().collect();
        let places = self.edges.touching(nodes, |e| own.contains(&e.from) && own.contains(&e.to));
        for place in places {
            let Some(edge) = self.edges.get(place).cloned() else { continue };
            let is_there = |var: &VarId| self.available.contains(var) || self.is_one(*var);
            if edge.range != EdgeRange::One || edge.from == edge.to || !is_there(&edge.from) {
                continue;
            }
            let (catalog, [from, to]) =
                (self.with.known.catalog, [edge.from, edge.to].map(|end| self.tables_of(end)));
            let least = degree(catalog, &edge, from, to, false).min(degree(catalog, &edge, to, from, true));
            if !is_there(&edge.to) || least < SEARCHED_DEGREE {
                continue;
            }
            for end in [edge.from, edge.to] {
                if !self.available.contains(&end) {
                    self.start(end);
                    self.place_filters();
                }
            }
            self.edges.take(place);
            self.close(&edge, edge.from);
            self.place_filters();
        }
    }

    /// Looks up both ends of shortest paths, or scans for one of few, where that is possible: then a search
    /// has a target, where it would else find a path to every node there is.
    pub(super) fn start_shortest(&mut self) {
        let is_shortest = |e: &EdgePattern| matches!(e.range, EdgeRange::Variable { shortest: Some(_), .. });
        let edges: Vec<(usize, EdgePattern)> =
            self.edges.iter().filter(|(_, e)| is_shortest(e)).map(|(place, e)| (place, e.clone())).collect();
        for (place, edge) in edges {
            let is_there = |var: VarId| self.available.contains(&var) || self.is_one(var);
            let none = VarSet::new();
            let ends = [edge.from, edge.to].map(|v| (v, is_there(v), self.selectivity(v, &none)));
            // Ends are scanned for only where nothing else may find them from rows or over edges. A condition
            // on each edge may look at the row, and then every row is a walk of its own.
            let is_lone = self.edges.count() == 1
                && edge.each.is_none()
                && !self.walks.contains_key(&edge.var)
                && (matches!(self.plan, Plan::Unit) || ends.iter().any(|(_, there, _)| *there));
            if !ends.iter().all(|(_, there, part)| *there || is_lone && edge.from != edge.to && *part < ENDS)
            {
                continue;
            }
            for (var, _, _) in ends.iter().filter(|(_, there, _)| *there) {
                if !self.available.contains(var) {
                    self.start(*var);
                }
            }
            // One walk serves all targets of a start that follow each other: the start is the outer loop, and
            // the rarer end.
            let mut scanned: Vec<_> = ends.iter().filter(|(_, there, _)| !there).collect();
            scanned.sort_by(|a, b| {
                let rows = |end: &(VarId, bool, f64)| {
                    rows_of(self.with.known.catalog, self.tables_of(end.0)) * end.2
                };
                rows(a).total_cmp(&rows(b))
            });
            for (var, _, _) in scanned.iter().copied() {
                self.scan_beside(*var);
            }
            if let [.., (last, _, _)] = scanned[..] {
                let from = if *last == edge.to { edge.from } else { edge.to };
                self.edges.take(place);
                self.close(&edge, from);
            }
        }
    }
}
