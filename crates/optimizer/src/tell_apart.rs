//! Pairs of edges that must differ: those stay that could be the same edge at all. Where one is a list of
//! edges, the pair becomes a predicate.
//!
//! Two patterns can match one edge only if they have an edge table in common that fits the tables of their
//! ends; along a chain, only if that edge is a loop; and only if no condition tells their ends apart: where
//! `a.id < b.id`, no edge is one of `a` and the same of `b`. Who need not be told apart need not be known by
//! their ids, which cost a search where edges are followed backward.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use trimorph_algebra::{
    Direction, EdgePattern, EdgeRange, Expr, Op, Plan, QuantifierKind, QueryGraph, VarId, Vars,
};
use trimorph_base::{EdgeTableId, TableId};
use trimorph_catalog::CatalogView;
use trimorph_types::LogicalType;

use crate::Halt;
use crate::needed::bottom_up;
use crate::planning::{Planning, poll};
use crate::tables::{Tables, edge_tables};

/// Pairs looked at between two looks at the flag that cancels.
const POLLED_PAIRS: usize = 4_096;

/// Which edges of a pattern can be the same edge of the data.
pub(crate) struct Coincidence<'g> {
    edges: HashMap<VarId, (&'g EdgePattern, Vec<Feasible>)>,
    /// Nodes of the pattern that are different in all its matches, the smaller variable first.
    apart: HashSet<(VarId, VarId)>,
}

/// An edge table that an edge pattern can match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Feasible {
    table: EdgeTableId,
    has_loops: bool,
}

impl<'g> Coincidence<'g> {
    pub(crate) fn new(catalog: &CatalogView<'_>, tables: &Tables, graph: &'g QueryGraph) -> Self {
        let edges: HashMap<VarId, (&EdgePattern, Vec<Feasible>)> =
            (graph.edges.iter()).map(|e| (e.var, (e, feasible(catalog, tables, e)))).collect();
        let mut apart = HashSet::new();
        let mut note = |a: VarId, b: VarId| {
            apart.insert((a.min(b), a.max(b)));
        };
        for (edge, feasible) in edges.values() {
            if edge.range == EdgeRange::One && feasible.iter().all(|table| !table.has_loops) {
                note(edge.from, edge.to);
            }
        }
        for predicate in &graph.predicates {
            if let Expr::Op(op @ (Op::Ne | Op::Lt | Op::Gt | Op::Differs), operands, _) = predicate
                && let Some((first, others)) = operands.split_first()
            {
                let equals_itself = |node, key: &str| equals_itself(catalog, tables.get(&node), key);
                let pairs = others.iter().filter_map(|other| unequal(*op, (first, other), equals_itself));
                pairs.for_each(|(a, b)| note(a, b));
            }
        }
        Self { edges, apart }
    }

    /// The edge pattern of a variable.
    pub(crate) fn edge(&self, var: VarId) -> Option<&'g EdgePattern> {
        self.edges.get(&var).map(|(edge, _)| *edge)
    }

    /// Whether two edges of the pattern can be the same; of edges that it does not have, nothing is known.
    pub(crate) fn is_possible(&self, a: VarId, b: VarId) -> bool {
        let (Some((a, fa)), Some((b, fb))) = (self.edges.get(&a), self.edges.get(&b)) else { return true };
        if a.range != EdgeRange::One || b.range != EdgeRange::One {
            return true;
        }
        let mut common = fa.iter().filter(|t| fb.contains(t)).peekable();
        if common.peek().is_none() {
            return false;
        }
        if let (Some((source_a, target_a)), Some((source_b, target_b))) = (ends(a), ends(b)) {
            // In a chain, one edge twice is a loop.
            let chained = target_a == source_b || target_b == source_a;
            if chained && common.all(|table| !table.has_loops) {
                return false;
            }
        }
        // Two edges are the same one way round or the other: both ends are the same then.
        let are_apart = |x: VarId, y: VarId| self.apart.contains(&(x.min(y), x.max(y)));
        let along = !are_apart(a.from, b.from) && !are_apart(a.to, b.to);
        let across = !are_apart(a.from, b.to) && !are_apart(a.to, b.from);
        match (a.direction, b.direction) {
            (Direction::Both, _) | (_, Direction::Both) => along || across,
            (a, b) if a == b => along,
            _ => across,
        }
    }
}

/// The nodes that are different where these expressions compare so.
fn unequal(
    op: Op,
    compared: (&Expr, &Expr),
    equals_itself: impl Fn(VarId, &str) -> bool,
) -> Option<(VarId, VarId)> {
    match compared {
        (Expr::Var(a), Expr::Var(b)) if matches!(op, Op::Ne | Op::Differs) => Some((*a, *b)),
        (Expr::Property(a, key, _), Expr::Property(b, other, _)) if key == other => match (&**a, &**b) {
            // Nothing is less than itself; but there are values that differ from themselves.
            (Expr::Var(a), Expr::Var(b)) if matches!(op, Op::Lt | Op::Gt) || equals_itself(*a, key) => {
                Some((*a, *b))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether no value of a property of a node of these tables differs from itself, as NaN does and what it is
/// in.
fn equals_itself(catalog: &CatalogView<'_>, tables: Option<&Vec<TableId>>, key: &str) -> bool {
    let Some(tables) = tables else { return false };
    let columns = catalog.node_columns(Some(&[Arc::from(key)]));
    (columns.into_iter().filter(|(table, _)| tables.contains(table))).all(|(table, column)| {
        let ty = catalog.column_type(table, column);
        matches!(ty, Some(LogicalType::Int | LogicalType::String | LogicalType::Date))
            && catalog.has_one_type(table, column)
    })
}

/// Source and target of a directed edge pattern.
fn ends(edge: &EdgePattern) -> Option<(VarId, VarId)> {
    match edge.direction {
        Direction::Out => Some((edge.from, edge.to)),
        Direction::In => Some((edge.to, edge.from)),
        Direction::Both => None,
    }
}

/// The edge tables that an edge pattern can match.
fn feasible(catalog: &CatalogView<'_>, tables: &Tables, edge: &EdgePattern) -> Vec<Feasible> {
    let tables = |v: &VarId| tables.get(v);
    let fits = |source: TableId, targets: &[TableId], from: &VarId, to: &VarId| {
        tables(from).is_none_or(|t| t.contains(&source))
            && tables(to).is_none_or(|t| targets.iter().any(|x| t.contains(x)))
    };
    (edge_tables(catalog, edge).iter())
        .filter(|table| {
            let (source, targets) = (catalog.source(**table), catalog.targets(**table).collect::<Vec<_>>());
            (edge.direction != Direction::In && fits(source, &targets, &edge.from, &edge.to))
                || (edge.direction != Direction::Out && fits(source, &targets, &edge.to, &edge.from))
        })
        .map(|table| Feasible { table: *table, has_loops: catalog.may_have_loops(*table) })
        .collect()
}

/// The pass.
pub(crate) fn tell_apart(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let (catalog, cancel) = (planning.catalog, planning.cancel);
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        if let Plan::Match { graph, .. } = &mut plan
            && !graph.distinct.is_empty()
        {
            let pairs = std::mem::take(&mut graph.distinct);
            let (mut single, mut predicates) = (Vec::new(), Vec::new());
            let coincidence = Coincidence::new(catalog, &graph.tables, graph);
            for (i, (a, b)) in pairs.into_iter().enumerate() {
                if i % POLLED_PAIRS == 0 {
                    poll(cancel)?;
                }
                if let (Some(x), Some(y)) = (coincidence.edge(a), coincidence.edge(b))
                    && coincidence.is_possible(a, b)
                {
                    match x.range == EdgeRange::One && y.range == EdgeRange::One {
                        true => single.push((a, b)),
                        false => predicates.push(differ(x, y, vars)),
                    }
                }
            }
            graph.distinct = single;
            graph.predicates.append(&mut predicates);
        }
        Ok(plan)
    })
}

/// The condition that two lists of edges, or a list and an edge, have none in common.
fn differ(x: &EdgePattern, y: &EdgePattern, vars: &mut Vars) -> Expr {
    let (one, other) = (x.range == EdgeRange::One, y.range == EdgeRange::One);
    let (list, single) = if one { (y.var, x.var) } else { (x.var, y.var) };
    let item = vars.anonymous(LogicalType::Relationship);
    let op = if one || other { Op::Eq } else { Op::In };
    let inner = Expr::op(op, vec![Expr::Var(item), Expr::Var(single)]);
    Expr::Quantifier {
        kind: QuantifierKind::None,
        var: item,
        list: Box::new(Expr::Var(list)),
        predicate: Box::new(inner),
    }
}
