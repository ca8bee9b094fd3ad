//! Pairs of edges that must differ, turned into predicates where they could be the same edge at all.
//!
//! Two patterns can match one edge only if they have an edge table in common that fits the tables of their ends; along a chain, only if that
//! edge is a loop.

use trimorph_algebra::{Direction, EdgePattern, EdgeRange, Expr, Op, QuantifierKind, QueryGraph, VarId};
use trimorph_base::TableId;
use trimorph_catalog::Catalog;
use trimorph_types::LogicalType;

use crate::Optimizer;
use crate::tables::{Tables, edge_tables};

/// Whether two edges of a pattern can be the same edge of the data.
pub(crate) struct Coincidence<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) tables: &'a Tables,
}

impl Coincidence<'_> {
    /// Indices of the edge tables that an edge pattern can match, and whether one of them has self loops.
    fn feasible(&self, edge: &EdgePattern) -> Vec<(usize, bool)> {
        let all = edge_tables(self.catalog, edge);
        let tables = |v: &VarId| self.tables.get(v);
        let fits = |source: TableId, targets: &[TableId], from: &VarId, to: &VarId| {
            tables(from).is_none_or(|t| t.contains(&source))
                && tables(to).is_none_or(|t| targets.iter().any(|x| t.contains(x)))
        };
        (self.catalog.edge_tables.iter().enumerate())
            .filter(|(_, info)| all.iter().any(|a| std::ptr::eq(*a, *info)))
            .filter(|(_, info)| {
                let targets: Vec<TableId> = info.backward.iter().map(|b| b.target).collect();
                (edge.direction != Direction::In && fits(info.source, &targets, &edge.from, &edge.to))
                    || (edge.direction != Direction::Out && fits(info.source, &targets, &edge.to, &edge.from))
            })
            .map(|(i, info)| (i, info.self_loops > 0))
            .collect()
    }

    pub(crate) fn possible(&self, a: &EdgePattern, b: &EdgePattern) -> bool {
        if a.range != EdgeRange::One || b.range != EdgeRange::One {
            return true;
        }
        let (fa, fb) = (self.feasible(a), self.feasible(b));
        let common: Vec<_> = fa.iter().filter(|t| fb.contains(t)).collect();
        if common.is_empty() {
            return false;
        }
        let ends = |e: &EdgePattern| match e.direction {
            Direction::Out => Some((e.from, e.to)),
            Direction::In => Some((e.to, e.from)),
            Direction::Both => None,
        };
        if let (Some((source_a, target_a)), Some((source_b, target_b))) = (ends(a), ends(b)) {
            // In a chain, one edge twice is a loop.
            let chained = target_a == source_b || target_b == source_a;
            if chained && common.iter().all(|(_, loops)| !loops) {
                return false;
            }
        }
        true
    }
}

impl Optimizer<'_> {
    /// Turns the pairs of edges that must differ into predicates, where they could coincide at all.
    pub(crate) fn tell_apart(&mut self, graph: &mut QueryGraph, tables: &Tables) {
        let coincidence = Coincidence { catalog: self.catalog, tables };
        let pairs = std::mem::take(&mut graph.distinct);
        for (a, b) in pairs {
            let edge = |v: VarId| graph.edges.iter().find(|e| e.var == v);
            let (Some(x), Some(y)) = (edge(a), edge(b)) else { continue };
            if !coincidence.possible(x, y) {
                continue;
            }
            let predicate = match (x.range == EdgeRange::One, y.range == EdgeRange::One) {
                (true, true) => Expr::op(Op::Ne, vec![Expr::Var(a), Expr::Var(b)]),
                (one, other) => {
                    let (list, single) = if one { (b, a) } else { (a, b) };
                    let item = self.vars.anonymous(LogicalType::Relationship);
                    let inner = if one || other {
                        Expr::op(Op::Eq, vec![Expr::Var(item), Expr::Var(single)])
                    } else {
                        Expr::op(Op::In, vec![Expr::Var(item), Expr::Var(single)])
                    };
                    Expr::Quantifier {
                        kind: QuantifierKind::None,
                        var: item,
                        list: Box::new(Expr::Var(list)),
                        predicate: Box::new(inner),
                    }
                }
            };
            graph.predicates.push(predicate);
        }
    }
}
