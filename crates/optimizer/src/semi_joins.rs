//! A condition on a node just reached, and on what it leads to along single-cardinality edges, becomes a set of nodes that is found once
//! and asked many times.
//!
//! 1. the subtree at the node: nodes reached by edges of which each has one at most, that nobody looks at, with their predicates
//! 2. if the node's tables have fewer rows than reach it, the subtree is planned by itself and gives the set
//! 3. the subtree leaves the graph
//!
//! Each node of the subtree is reached once at most, so leaving it out changes no count.
//!
//! Source: design §7 (semi-join filters).

use trimorph_algebra::{Direction, EdgePattern, EdgeRange, Expr, Op, Plan, QueryGraph, VarId};
use trimorph_types::Value;

use crate::estimate::{estimate_rows, rows_of};
use crate::plan_match::Planner;
use crate::tables::edge_tables;
use crate::{Optimizer, VarSet, vars_of};

impl Planner<'_> {
    /// Filters the rows that have just reached `node` by a set, if that pays.
    pub(crate) fn semi_join(&mut self, node: VarId, optimizer: &mut Optimizer<'_>) {
        let rows = rows_of(self.catalog, &self.tables[&node]);
        if estimate_rows(&self.plan, self.catalog) < rows {
            return;
        }
        let mut subtree = self.functional(node);
        if !self.is_closed(&subtree, node) {
            subtree = Subtree::of(node);
        }
        let predicates = self.predicates_within(&subtree);
        if predicates.is_empty() || !predicates.iter().all(is_harmless) {
            return;
        }
        let taken = |v: &VarId| subtree.nodes.contains(v) || subtree.edges.contains(v);
        let graph = QueryGraph {
            nodes: self.graph.nodes.iter().filter(|n| subtree.nodes.contains(&n.var)).cloned().collect(),
            edges: self.graph.edges.iter().filter(|e| subtree.edges.contains(&e.var)).cloned().collect(),
            predicates: predicates.clone(),
            ..QueryGraph::default()
        };
        self.graph.predicates.retain(|p| vars_of([p]).is_empty() || !vars_of([p]).iter().all(taken));
        self.graph.edges.retain(|e| !subtree.edges.contains(&e.var));
        self.available.extend(subtree.nodes.iter().chain(&subtree.edges));
        let wanted = VarSet::from([node]);
        let filter = optimizer.plan_match(Plan::Unit, graph, &wanted);
        let input = Box::new(std::mem::replace(&mut self.plan, Plan::Unit));
        self.plan = Plan::SemiJoin { input, filter: Box::new(filter), var: node };
    }

    /// The subtree at `node` that single-cardinality edges reach.
    fn functional(&self, node: VarId) -> Subtree {
        let mut subtree = Subtree::of(node);
        let mut at = 0;
        while let Some(here) = subtree.order.get(at).copied() {
            at += 1;
            for edge in &self.graph.edges {
                let other = match (edge.from == here, edge.to == here) {
                    (true, false) => edge.to,
                    (false, true) => edge.from,
                    _ => continue,
                };
                if !subtree.edges.contains(&edge.var)
                    && !subtree.nodes.contains(&other)
                    && !self.available.contains(&other)
                    && !self.kept.contains(&other)
                    && !self.kept.contains(&edge.var)
                    && self.is_single(edge, here)
                {
                    subtree.edges.insert(edge.var);
                    subtree.nodes.insert(other);
                    subtree.order.push(other);
                }
            }
        }
        subtree
    }

    /// Whether nothing but `node` joins the subtree to the rest.
    fn is_closed(&self, subtree: &Subtree, node: VarId) -> bool {
        let inner = |v: &VarId| *v != node && subtree.nodes.contains(v);
        self.graph.edges.iter().all(|e| subtree.edges.contains(&e.var) || (!inner(&e.from) && !inner(&e.to)))
            && self.graph.predicates.iter().all(|p| {
                let vars = vars_of([p]);
                let touches = vars.iter().any(|v| inner(v) || subtree.edges.contains(v));
                !touches || vars.iter().all(|v| subtree.nodes.contains(v) || subtree.edges.contains(v))
            })
    }

    fn predicates_within(&self, subtree: &Subtree) -> Vec<Expr> {
        (self.graph.predicates.iter())
            .filter(|p| {
                let vars = vars_of([*p]);
                !vars.is_empty()
                    && vars.iter().all(|v| subtree.nodes.contains(v) || subtree.edges.contains(v))
            })
            .cloned()
            .collect()
    }

    /// Whether a node at the end `here` of `edge` has one such edge at most.
    fn is_single(&self, edge: &EdgePattern, here: VarId) -> bool {
        let outward = match edge.direction {
            Direction::Out => edge.from == here,
            Direction::In => edge.to == here,
            Direction::Both => return false,
        };
        let own = &self.tables[&here];
        let mut by_table = std::collections::BTreeMap::new();
        for info in edge_tables(self.catalog, edge) {
            if outward {
                if own.contains(&info.source) {
                    by_table.entry(info.source).or_insert_with(Vec::new).push(info.single);
                }
            } else {
                for b in info.backward.iter().filter(|b| own.contains(&b.target)) {
                    by_table.entry(b.target).or_insert_with(Vec::new).push(b.single);
                }
            }
        }
        edge.range == EdgeRange::One && by_table.values().all(|singles| singles[..] == [true])
    }
}

/// Nodes and edges reached from one node.
struct Subtree {
    nodes: VarSet,
    edges: VarSet,
    /// The nodes in the order they were reached.
    order: Vec<VarId>,
}

impl Subtree {
    fn of(node: VarId) -> Self {
        Self { nodes: VarSet::from([node]), edges: VarSet::new(), order: vec![node] }
    }
}

/// Whether a predicate gives the same whenever it is asked, and never an error: it is asked of nodes that no row may reach.
pub(crate) fn is_harmless(predicate: &Expr) -> bool {
    match predicate {
        Expr::Op(Op::And | Op::Or | Op::Not | Op::Xor, parts, _) => parts.iter().all(is_harmless),
        Expr::Op(Op::In, parts, _) => match &parts[..] {
            [item, Expr::List(items)] => is_plain(item) && items.iter().all(is_plain),
            [item, Expr::Const(Value::List(_))] => is_plain(item),
            _ => false,
        },
        Expr::Op(
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::IsNull | Op::IsNotNull,
            parts,
            _,
        ) => parts.iter().all(is_plain),
        Expr::HasLabel(base, _) => matches!(&**base, Expr::Var(_)),
        _ => false,
    }
}

fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::Param(_) => true,
        Expr::Property(base, _, _) => matches!(&**base, Expr::Var(_)),
        _ => false,
    }
}
