//! Planning one pattern: components, look-ups, join order, cycles, filters, paths.

use std::sync::Arc;

use trimorph_algebra::{
    EdgePattern, EdgeRange, Expr, Extend, KeyLookup, LabelExpr, NodeScan, Op, PathStep, Plan, QueryGraph,
    ScanPredicate, VarId,
};
use trimorph_base::TableId;
use trimorph_catalog::Catalog;

use crate::estimate::{Statistics, estimate_rows, joint_selectivity, rows_of, selectivity};
use crate::hang_counts::hang_counts;
use crate::hash_joins::Parts;
use crate::order_joins::{Component, Order};
use crate::tables::{Tables, is_too_long, narrow_tables};
use crate::walks::{Walks, asks_of_rows, take_walks, var_extend};
use crate::{HashJoins, Optimizer, VarSet, conjuncts, vars_of};

/// Part of a node's rows below which a predicate makes it an anchor.
const ANCHOR: f64 = 0.02;

/// Part of a node's rows below which an end of a shortest path is scanned for before the search. The searches are the same, and paths to
/// other nodes are not made; measured on SNB 0.1, targets that are half of the nodes cost as much as all.
const ENDS: f64 = 0.25;

/// Whether some node of the pattern is one of few.
pub(crate) fn anchored(known: Statistics<'_>, graph: &QueryGraph, tables: &Tables) -> bool {
    graph.nodes.iter().any(|n| {
        let own = tables.get(&n.var).map_or(&[][..], Vec::as_slice);
        graph.predicates.iter().any(|p| {
            let vars = vars_of([p]);
            vars.len() == 1 && vars.contains(&n.var) && selectivity(known, p, n.var, own) < ANCHOR
        }) || lookup_of(known.catalog, graph, n.var, own, &VarSet::new()).is_some()
    })
}

/// How a node can be looked up.
enum Lookup {
    Key { property: Arc<str>, key: Expr, predicate: usize },
    Id { id: Expr, predicate: usize },
}

fn lookup_of(
    catalog: &Catalog,
    graph: &QueryGraph,
    var: VarId,
    tables: &[TableId],
    available: &VarSet,
) -> Option<Lookup> {
    let is_key = |name: &str| {
        !tables.is_empty()
            && tables.iter().all(|t| {
                let info = &catalog.node_tables[t.0 as usize];
                info.key.is_some_and(|k| *catalog.property_name(info.properties[k].id) == *name)
            })
    };
    graph.predicates.iter().enumerate().find_map(|(i, p)| {
        let Expr::Op(Op::Eq, args, _) = p else { return None };
        let [a, b] = &args[..] else { return None };
        [(a, b), (b, a)].into_iter().find_map(|(side, other)| {
            if !vars_of([other]).is_subset(available) {
                return None;
            }
            match side {
                Expr::Property(base, name, _)
                    if matches!(&**base, Expr::Var(v) if *v == var) && is_key(name) =>
                {
                    Some(Lookup::Key { property: Arc::clone(name), key: other.clone(), predicate: i })
                }
                Expr::Call(name, args, _)
                    if &**name == "id" && matches!(&args[..], [Expr::Var(v)] if *v == var) =>
                {
                    Some(Lookup::Id { id: other.clone(), predicate: i })
                }
                _ => None,
            }
        })
    })
}

/// The pattern being planned.
pub(crate) struct Planner<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) known: Statistics<'a>,
    pub(crate) intersect: bool,
    pub(crate) graph: QueryGraph,
    pub(crate) tables: Tables,
    pub(crate) plan: Plan,
    pub(crate) available: VarSet,
    /// Variables looked at above, or by predicates not placed yet.
    pub(crate) wanted: VarSet,
    /// Variables looked at above, or by counts that hang at them.
    pub(crate) kept: VarSet,
    /// What is asked of walks as wholes.
    pub(crate) walks: Walks,
}

impl Optimizer<'_> {
    /// Plans a pattern over the rows of `input`.
    pub(crate) fn plan_match(&mut self, input: Plan, mut graph: QueryGraph, needed: &VarSet) -> Plan {
        let mut parts = Vec::new();
        for predicate in std::mem::take(&mut graph.predicates) {
            conjuncts(predicate, &mut parts);
        }
        graph.predicates = parts;
        let bound: VarSet = input.vars().into_iter().collect();
        for node in &mut graph.nodes {
            if bound.contains(&node.var) && node.labels != LabelExpr::True {
                graph.predicates.push(Expr::HasLabel(Box::new(Expr::Var(node.var)), node.labels.clone()));
            }
        }
        // A null from an optional match before is no node: edges find nothing at it, a node alone must be asked.
        for node in graph.nodes.iter().filter(|n| bound.contains(&n.var)) {
            if graph.edges.iter().all(|e| e.from != node.var && e.to != node.var) {
                graph.predicates.push(Expr::op(Op::IsNotNull, vec![Expr::Var(node.var)]));
            }
        }
        let tables = narrow_tables(self.catalog, &graph);
        if tables.values().any(Vec::is_empty) || graph.edges.iter().any(|e| is_too_long(self.catalog, e)) {
            return Plan::Empty(Plan::Match { input: Box::new(input), graph }.vars());
        }
        let walks = take_walks(&mut graph, &bound);
        let mut needed = needed.clone();
        needed.extend(walks.iter().flat_map(|(edges, walk)| walk.free_vars(Some(*edges))));
        for edge in graph.edges.iter().filter(|e| walks.get(&e.var).is_some_and(|w| w.condition.is_some())) {
            needed.extend([edge.from, edge.to]);
        }
        // A path that a predicate looks at is made first, then looked at.
        let looked_at = vars_of(&graph.predicates);
        needed.extend(graph.paths.iter().map(|p| p.var).filter(|v| looked_at.contains(v)));
        for path in graph.paths.iter().filter(|p| needed.contains(&p.var)).cloned().collect::<Vec<_>>() {
            needed.extend(path.steps.iter().map(|s| match s {
                PathStep::Node(v) | PathStep::Edge(v) => *v,
            }));
        }
        self.tell_apart(&mut graph, &tables);
        let from_unit = matches!(input, Plan::Unit);
        let is_anchored = !from_unit || anchored(self.statistics(), &graph, &tables);
        let hanging = if self.options.count {
            let mut kept = needed.clone();
            for p in &graph.predicates {
                let vars = vars_of([p]);
                // Predicates that join things keep them.
                if vars.len() > 1 {
                    kept.extend(vars);
                }
            }
            hang_counts(&mut graph, &kept, &bound, &tables, is_anchored)
        } else {
            Vec::new()
        };
        let mut wanted = needed.clone();
        wanted.extend(vars_of(&graph.predicates));
        let paths = graph.paths.clone();
        let mut kept = needed.clone();
        kept.extend(hanging.iter().map(|(at, _)| *at));
        let planner = Planner {
            catalog: self.catalog,
            known: self.statistics(),
            intersect: self.options.intersect,
            graph,
            tables,
            plan: input,
            available: bound,
            wanted,
            kept,
            walks,
        };
        let (mut plan, later) = planner.run(self, hanging);
        let items: Vec<(VarId, Expr)> = (paths.into_iter())
            .filter(|p| needed.contains(&p.var))
            .map(|p| {
                let parts = p.steps.iter().map(|s| match s {
                    PathStep::Node(v) | PathStep::Edge(v) => Expr::Var(*v),
                });
                (p.var, Expr::Path(parts.collect()))
            })
            .collect();
        if !items.is_empty() {
            plan = Plan::Extra { input: Box::new(plan), items };
        }
        match later.into_iter().reduce(and) {
            Some(predicate) => Plan::Filter { input: Box::new(plan), predicate },
            None => plan,
        }
    }
}

impl Planner<'_> {
    /// The plan, and the predicates that could not be placed because they look at paths.
    fn run(
        mut self,
        optimizer: &mut Optimizer<'_>,
        mut hanging: Vec<(VarId, trimorph_algebra::CountStep)>,
    ) -> (Plan, Vec<Expr>) {
        // What is asked of whole paths is asked once all else is there: their ends, and what it may speak of.
        let asked = |e: &EdgePattern, walks: &Walks| walks.get(&e.var).is_some_and(|w| w.condition.is_some());
        let (last, edges) =
            std::mem::take(&mut self.graph.edges).into_iter().partition(|e| asked(e, &self.walks));
        let last: Vec<EdgePattern> = last;
        self.graph.edges = edges;
        self.start_shortest();
        self.place_filters();
        self.hang(&mut hanging);
        let mut left: Vec<VarId> =
            self.graph.nodes.iter().map(|n| n.var).filter(|v| !self.available.contains(v)).collect();
        // Edges between nodes that are all there already.
        let closed: Vec<EdgePattern> = self.closing_edges(None);
        for edge in closed {
            self.close(&edge);
        }
        while !left.is_empty() || self.open_edges().next().is_some() {
            let component = self.component(&left);
            if component.is_empty() {
                break;
            }
            self.plan_component(&component, optimizer, &mut hanging);
            left.retain(|v| !self.available.contains(v));
        }
        for edge in last {
            self.close(&edge);
        }
        self.place_filters();
        (self.plan, self.graph.predicates)
    }

    /// Looks up both ends of shortest paths, or scans for one of few, where that is possible: then a search has a target, where it would else find a path to every
    /// node there is.
    fn start_shortest(&mut self) {
        let edges: Vec<EdgePattern> = (self.graph.edges.iter())
            .filter(|e| matches!(e.range, EdgeRange::Variable { shortest: Some(_), .. }))
            .cloned()
            .collect();
        for edge in edges {
            let is_there =
                |var: VarId| self.available.contains(&var) || self.lookup(var, &self.available).is_some();
            let none = VarSet::new();
            let ends = [edge.from, edge.to].map(|v| (v, is_there(v), self.selectivity(v, &none)));
            // Ends are scanned for only where nothing else may find them from rows or over edges. A condition on each edge may look at
            // the row, and then every row is a walk of its own.
            let is_lone = self.graph.edges.len() == 1
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
            // One walk serves all targets of a start that follow each other: the start is the outer loop, and the rarer end.
            let mut scanned: Vec<_> = ends.iter().filter(|(_, there, _)| !there).collect();
            scanned.sort_by(|a, b| {
                let rows = |end: &(VarId, bool, f64)| rows_of(self.catalog, &self.tables[&end.0]) * end.2;
                rows(a).total_cmp(&rows(b))
            });
            for (var, _, _) in scanned.iter().copied() {
                self.scan_beside(*var);
            }
            if let [.., (last, _, _)] = scanned[..] {
                let from = if *last == edge.to { edge.from } else { edge.to };
                self.graph.edges.retain(|e| e.var != edge.var);
                self.close_from(&edge, from);
            }
        }
    }

    /// The product of the rows there are and of the nodes that pass the predicates on `var` alone.
    fn scan_beside(&mut self, var: VarId) {
        self.place_filters();
        let outer = self.start(var);
        self.place_filters();
        self.beside(outer);
    }

    /// The product with the rows there were.
    fn beside(&mut self, outer: Option<(Plan, VarSet)>) {
        if let Some((left, vars)) = outer {
            let right = std::mem::replace(&mut self.plan, Plan::Unit);
            self.plan = Plan::HashJoin { left: Box::new(left), right: Box::new(right), on: Vec::new() };
            self.available.extend(vars);
            self.place_filters();
        }
    }

    /// Edges that are not planned yet.
    fn open_edges(&self) -> impl Iterator<Item = &EdgePattern> {
        self.graph.edges.iter()
    }

    /// The next component: one that touches nodes that are there, else one that can be looked up, else the smallest.
    fn component(&self, left: &[VarId]) -> Vec<VarId> {
        let mut components: Vec<Vec<VarId>> = Vec::new();
        let mut seen = VarSet::new();
        for start in left {
            if seen.contains(start) {
                continue;
            }
            let mut nodes = vec![*start];
            seen.insert(*start);
            let mut at = 0;
            while at < nodes.len() {
                let here = nodes[at];
                at += 1;
                for edge in &self.graph.edges {
                    for (a, b) in [(edge.from, edge.to), (edge.to, edge.from)] {
                        if a == here && seen.insert(b) {
                            nodes.push(b);
                        }
                    }
                }
            }
            components.push(nodes);
        }
        let touches = |c: &Vec<VarId>| c.iter().any(|v| self.available.contains(v));
        if let Some(i) = components.iter().position(touches) {
            return components.swap_remove(i);
        }
        let looked_up = |c: &Vec<VarId>| c.iter().any(|v| self.lookup(*v, &self.available).is_some());
        if let Some(i) = components.iter().position(looked_up) {
            return components.swap_remove(i);
        }
        let size = |c: &Vec<VarId>| -> f64 { c.iter().map(|v| rows_of(self.catalog, &self.tables[v])).sum() };
        components.into_iter().min_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or_default()
    }

    /// How `var` can be looked up by what is `known`.
    fn lookup(&self, var: VarId, known: &VarSet) -> Option<Lookup> {
        lookup_of(self.catalog, &self.graph, var, &self.tables[&var], known)
    }

    /// The part of `var`'s nodes that pass the predicates on it and on what is `known`.
    fn selectivity(&self, var: VarId, known: &VarSet) -> f64 {
        let own: Vec<&Expr> = (self.graph.predicates.iter())
            .filter(|p| {
                let vars = vars_of([*p]);
                vars.contains(&var) && vars.iter().all(|v| *v == var || known.contains(v))
            })
            .collect();
        joint_selectivity(self.known, &own, var, &self.tables[&var])
    }

    fn plan_component(
        &mut self,
        nodes: &[VarId],
        optimizer: &mut Optimizer<'_>,
        hanging: &mut Vec<(VarId, trimorph_algebra::CountStep)>,
    ) {
        let edges: Vec<EdgePattern> = self
            .graph
            .edges
            .iter()
            .filter(|e| nodes.contains(&e.from) && nodes.contains(&e.to))
            .cloned()
            .collect();
        let bound = nodes
            .iter()
            .enumerate()
            .filter(|(_, v)| self.available.contains(v))
            .fold(0u64, |m, (i, _)| m | 1 << i.min(63));
        let lookup: Vec<bool> = nodes.iter().map(|v| self.lookup(*v, &self.available).is_some()).collect();
        let any_lookup = lookup.iter().any(|l| *l);
        let rows =
            if bound != 0 || any_lookup { estimate_rows(&self.plan, self.catalog).max(1.0) } else { 1.0 };
        let selectivity: Vec<f64> = nodes.iter().map(|v| self.selectivity(*v, &self.available)).collect();
        let asks = edges.iter().any(|e| asks_of_rows(e, self.walks.get(&e.var)));
        let none = VarSet::new();
        let own_selectivity: Vec<f64> = nodes.iter().map(|v| self.selectivity(*v, &none)).collect();
        let own_lookup: Vec<bool> = nodes.iter().map(|v| self.lookup(*v, &none).is_some()).collect();
        let component = Component {
            catalog: self.catalog,
            nodes,
            edges: &edges,
            tables: &self.tables,
            selectivity: &selectivity,
            lookup: &lookup,
            bound,
            rows,
            bushy: match self.plan {
                // A build side has nothing of the rows that its walks may ask about.
                _ if asks => HashJoins::Off,
                Plan::Unit => optimizer.options.hash_join,
                _ if bound != 0 => optimizer.options.hash_join,
                _ => HashJoins::Off,
            },
            textual: !optimizer.options.reorder,
        };
        // What rows from outside may be joined with is planned without them.
        let apart = Component {
            selectivity: &own_selectivity,
            lookup: &own_lookup,
            bound: 0,
            rows: 1.0,
            ..component
        };
        let order = component
            .order((bound != 0).then_some(&apart))
            .unwrap_or_else(|| textual_order(nodes, &edges, &self.available));
        let mut outer = None;
        if let Some(start) = order.start {
            outer = self.start(nodes[start]);
            if asks {
                self.place_filters();
                self.beside(outer.take());
            }
        }
        self.follow_order(&order, &Parts { nodes, edges: &edges }, optimizer, hanging);
        self.finish();
        self.beside(outer);
    }

    /// Checks the edges whose ends are all there.
    pub(crate) fn finish(&mut self) {
        for edge in self.closing_edges(None) {
            self.close(&edge);
            self.place_filters();
        }
    }

    /// Starts a component. Where it cannot start from the rows there are, gives these (and their variables) to be joined after.
    pub(crate) fn start(&mut self, var: VarId) -> Option<(Plan, VarSet)> {
        let tables = self.tables[&var].clone();
        let labels =
            self.graph.nodes.iter().find(|n| n.var == var).map_or(LabelExpr::True, |n| n.labels.clone());
        match self.lookup(var, &self.available) {
            Some(Lookup::Key { property, key, predicate }) => {
                self.graph.predicates.remove(predicate);
                let input = Box::new(std::mem::replace(&mut self.plan, Plan::Unit));
                self.plan = Plan::KeyLookup { input, lookup: KeyLookup { var, tables, property, key } };
                self.available.insert(var);
                return None;
            }
            Some(Lookup::Id { id, predicate }) => {
                self.graph.predicates.remove(predicate);
                let input = Box::new(std::mem::replace(&mut self.plan, Plan::Unit));
                self.plan = Plan::IdLookup { input, var, id, tables };
                self.available.insert(var);
                return None;
            }
            None => {}
        }
        let prune = self.graph.predicates.iter().filter_map(|p| prune_of(p, var)).collect();
        let scan = Plan::NodeScan(NodeScan { var, labels, tables, prune });
        let before = std::mem::replace(&mut self.plan, scan);
        let outer = match before {
            Plan::Unit => None,
            plan => Some((plan, std::mem::take(&mut self.available))),
        };
        self.available.insert(var);
        outer
    }

    /// Places every predicate whose variables are there.
    pub(crate) fn place_filters(&mut self) {
        let (ready, later): (Vec<Expr>, Vec<Expr>) = std::mem::take(&mut self.graph.predicates)
            .into_iter()
            .partition(|p| vars_of([p]).is_subset(&self.available));
        self.graph.predicates = later;
        if let Some(predicate) = ready.into_iter().reduce(and) {
            let input = Box::new(std::mem::replace(&mut self.plan, Plan::Unit));
            self.plan = Plan::Filter { input, predicate };
        }
    }

    /// Places the counting steps whose node is there.
    pub(crate) fn hang(&mut self, hanging: &mut Vec<(VarId, trimorph_algebra::CountStep)>) {
        let (ready, later) =
            std::mem::take(hanging).into_iter().partition(|(at, _)| self.available.contains(at));
        *hanging = later;
        for (_, step) in ready {
            let input = Box::new(std::mem::replace(&mut self.plan, Plan::Unit));
            self.plan = Plan::ExtendCount { input, step };
        }
    }

    /// Open edges whose ends are both there (with `node`, only those that touch it), taken off the graph.
    fn closing_edges(&mut self, node: Option<VarId>) -> Vec<EdgePattern> {
        let (closed, open) = std::mem::take(&mut self.graph.edges).into_iter().partition(|e| {
            self.available.contains(&e.from)
                && self.available.contains(&e.to)
                && node.is_none_or(|n| e.from == n || e.to == n)
        });
        self.graph.edges = open;
        closed
    }

    fn step(&self, edge: &EdgePattern, from: VarId) -> Extend {
        let (to, direction) = if edge.from == from {
            (edge.to, edge.direction)
        } else {
            (edge.from, edge.direction.reversed())
        };
        let tables = &self.tables[&to];
        let all = tables.len() == self.catalog.node_tables.len();
        Extend {
            from,
            edge: Some(edge.var),
            to,
            types: edge.types.clone(),
            direction,
            to_tables: (!all).then(|| tables.clone()),
        }
    }

    /// Reaches a new node over `edge`, and closes or intersects the cycles it closes.
    pub(crate) fn follow(&mut self, edge: &EdgePattern, optimizer: &mut Optimizer<'_>) {
        self.graph.edges.retain(|e| e.var != edge.var);
        let from = if self.available.contains(&edge.from) { edge.from } else { edge.to };
        let step = self.step(edge, from);
        let to = step.to;
        let unseen = |s: &Self, e: &EdgePattern| e.range == EdgeRange::One && !s.wanted.contains(&e.var);
        if self.intersect && unseen(self, edge) {
            let cycle: Vec<EdgePattern> = (self.graph.edges.iter())
                .filter(|e| {
                    (e.from == to) != (e.to == to)
                        && self.available.contains(if e.from == to { &e.to } else { &e.from })
                        && unseen(self, e)
                })
                .cloned()
                .collect();
            if !cycle.is_empty() {
                let mut steps = vec![step];
                for e in &cycle {
                    let other = if e.from == to { e.to } else { e.from };
                    steps.push(self.step(e, other));
                    self.graph.edges.retain(|x| x.var != e.var);
                }
                let input = Box::new(std::mem::replace(&mut self.plan, Plan::Unit));
                self.plan = Plan::Intersect { input, steps };
                self.available.insert(to);
                self.available.extend([edge.var].into_iter().chain(cycle.iter().map(|e| e.var)));
                for edge in self.closing_edges(Some(to)) {
                    self.close(&edge);
                }
                return;
            }
        }
        let input = Box::new(std::mem::replace(&mut self.plan, Plan::Unit));
        self.plan = match edge.range {
            EdgeRange::One => Plan::Extend { input, step },
            EdgeRange::Variable { .. } => {
                var_extend(input, step, edge, false, from != edge.from, self.walks.get(&edge.var))
            }
        };
        self.available.extend([to, edge.var]);
        if optimizer.options.semi_join && edge.range == EdgeRange::One {
            self.semi_join(to, optimizer);
        }
        for edge in self.closing_edges(Some(to)) {
            self.close(&edge);
        }
    }

    /// Checks an edge between two nodes that are there.
    fn close(&mut self, edge: &EdgePattern) {
        self.close_from(edge, edge.from);
    }

    fn close_from(&mut self, edge: &EdgePattern, from: VarId) {
        let step = self.step(edge, from);
        let input = Box::new(std::mem::replace(&mut self.plan, Plan::Unit));
        self.plan = match edge.range {
            EdgeRange::One => Plan::ExtendInto { input, step },
            EdgeRange::Variable { .. } => {
                var_extend(input, step, edge, true, from != edge.from, self.walks.get(&edge.var))
            }
        };
        self.available.insert(edge.var);
    }
}

/// The order of the text, for patterns too large to look at sets of nodes.
fn textual_order(nodes: &[VarId], edges: &[EdgePattern], available: &VarSet) -> Order {
    let mut there: VarSet = nodes.iter().copied().filter(|v| available.contains(v)).collect();
    let start = there.is_empty().then_some(0);
    there.extend(start.map(|i| nodes[i]));
    let mut steps = Vec::new();
    while let Some(i) = edges.iter().position(|e| there.contains(&e.from) != there.contains(&e.to)) {
        there.extend([edges[i].from, edges[i].to]);
        steps.push(i);
    }
    Order::textual(start, steps)
}

/// The conjunction, flat: a tree of thousands would be too deep to walk.
pub(crate) fn and(a: Expr, b: Expr) -> Expr {
    match a {
        Expr::Op(Op::And, mut parts, span) => {
            parts.push(b);
            Expr::Op(Op::And, parts, span)
        }
        a => Expr::op(Op::And, vec![a, b]),
    }
}

/// The comparison of a property with a value known when the scan starts, if the predicate is one.
fn prune_of(predicate: &Expr, var: VarId) -> Option<ScanPredicate> {
    let Expr::Op(op @ (Op::Eq | Op::Lt | Op::Le | Op::Gt | Op::Ge), args, _) = predicate else { return None };
    let [a, b] = &args[..] else { return None };
    let flipped = match op {
        Op::Lt => Op::Gt,
        Op::Le => Op::Ge,
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        other => *other,
    };
    [(a, b, *op), (b, a, flipped)].into_iter().find_map(|(side, value, op)| match side {
        Expr::Property(base, name, _)
            if matches!(&**base, Expr::Var(v) if *v == var) && vars_of([value]).is_empty() =>
        {
            Some(ScanPredicate { property: Arc::clone(name), op, value: value.clone() })
        }
        _ => None,
    })
}
