//! Rows counted by what depends on their tables only, as `type(r)` or `labels(n)`: one count for each
//! combination of tables, which looks at no row, and the sum of these by key.
//!
//! For patterns of one node or one relationship that ask nothing else.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_algebra::{
    Aggregate, AggregateKind, Direction, EdgeRange, Expr, Op, Plan, QueryGraph, VarId, Vars,
};
use trimorph_base::TableId;
use trimorph_catalog::CatalogView;
use trimorph_types::{LogicalType, Value};

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::tables::edge_tables;
use crate::{Halt, VarSet, vars_of};

/// Counts that are made at most: a plan has an operator or two for each.
const COUNTS_MAX: usize = 256;

/// The pass.
pub(crate) fn count_by_table(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    if !planning.options.count {
        return Ok(plan);
    }
    let catalog = planning.catalog;
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        Ok(match &plan {
            Plan::Aggregate { input, keys, aggregates } => {
                counts(input, keys, aggregates, catalog, vars).unwrap_or(plan)
            }
            _ => plan,
        })
    })
}

/// Tables that the parts of a pattern have in the rows of one count.
struct Combination {
    /// Of nodes.
    nodes: BTreeMap<VarId, TableId>,
    /// The relationship and its type.
    edge: Option<(VarId, Arc<str>)>,
}

fn counts(
    input: &Plan,
    keys: &[(VarId, Expr)],
    aggregates: &[(VarId, Aggregate)],
    catalog: &CatalogView<'_>,
    vars: &mut Vars,
) -> Option<Plan> {
    let span = aggregates.first()?.1.span;
    let all_rows = aggregates.iter().all(|(_, a)| a.kind == AggregateKind::CountStar);
    let Plan::Match { input, graph } = input else { return None };
    if keys.is_empty() || aggregates.is_empty() || !all_rows || !matches!(**input, Plan::Unit) {
        return None;
    }
    // Labels are told by tables only where no row has others.
    if !catalog.varying().is_empty() {
        return None;
    }
    let combinations = combinations(graph, &vars_of(keys.iter().map(|(_, key)| key)), catalog)?;
    if combinations.len() > COUNTS_MAX || !keys.iter().all(|(_, key)| is_of_tables(key)) {
        return None;
    }
    let parts: Vec<VarId> = keys.iter().map(|_| vars.anonymous(LogicalType::Any)).collect();
    let count = vars.anonymous(LogicalType::Int);
    let branches = combinations.iter().map(|combination| {
        let one =
            Aggregate { kind: AggregateKind::CountStar, arg: None, parameter: None, distinct: false, span };
        let counted = Plan::Aggregate {
            input: Box::new(Plan::Match { input: Box::new(Plan::Unit), graph: combination.narrowed(graph) }),
            keys: Vec::new(),
            aggregates: vec![(count, one)],
        };
        // What has no rows has no group.
        let some = Expr::op(Op::Gt, vec![Expr::Var(count), Expr::Const(Value::Int(0))]);
        let mut items: Vec<(VarId, Expr)> = (parts.iter().zip(keys))
            .map(|(part, (_, key))| (*part, combination.told(key, catalog)))
            .collect();
        items.push((count, Expr::Var(count)));
        Plan::Project { input: Box::new(Plan::Filter { input: Box::new(counted), predicate: some }), items }
    });
    let union =
        Plan::Union { inputs: branches.collect(), vars: parts.iter().copied().chain([count]).collect() };
    let sum = Aggregate {
        kind: AggregateKind::Sum,
        arg: Some(Expr::Var(count)),
        parameter: None,
        distinct: false,
        span,
    };
    Some(Plan::Aggregate {
        input: Box::new(union),
        keys: keys.iter().zip(&parts).map(|((key, _), part)| (*key, Expr::Var(*part))).collect(),
        aggregates: aggregates.iter().map(|(result, _)| (*result, sum.clone())).collect(),
    })
}

/// All combinations of tables of a pattern of one node, or of one relationship, that asks nothing else. Where
/// relationships end is told apart only if it is `asked`: an edge table has one source.
fn combinations(graph: &QueryGraph, asked: &VarSet, catalog: &CatalogView<'_>) -> Option<Vec<Combination>> {
    if !graph.predicates.is_empty()
        || !graph.paths.is_empty()
        || !graph.walks.is_empty()
        || !graph.counts.is_empty()
    {
        return None;
    }
    match (&graph.nodes[..], &graph.edges[..]) {
        ([node], []) => {
            let tables = graph.tables.get(&node.var)?;
            let of = |table: &TableId| Combination { nodes: [(node.var, *table)].into(), edge: None };
            Some(tables.iter().map(of).collect())
        }
        ([_, _], [edge])
            if edge.range == EdgeRange::One
                && edge.direction != Direction::Both
                && edge.from != edge.to
                && edge.each.is_none()
                && edge.whole.is_empty() =>
        {
            let (from, to) = (graph.tables.get(&edge.from)?, graph.tables.get(&edge.to)?);
            let is_out = edge.direction == Direction::Out;
            let (start, end) = if is_out { (edge.from, edge.to) } else { (edge.to, edge.from) };
            let is_end_asked = asked.contains(&end);
            let mut found = BTreeMap::new();
            for table in &*edge_tables(catalog, edge) {
                let source = catalog.source(*table);
                for target in catalog.targets(*table) {
                    let (a, b) = if is_out { (source, target) } else { (target, source) };
                    if from.contains(&a) && to.contains(&b) {
                        // Two edge tables of one type between the same tables are one combination.
                        found.insert((catalog.type_name(*table), source, is_end_asked.then_some(target)), ());
                    }
                }
            }
            let of = |(label, source, target): (Arc<str>, TableId, Option<TableId>)| Combination {
                nodes: [(start, source)].into_iter().chain(target.map(|target| (end, target))).collect(),
                edge: Some((edge.var, label)),
            };
            Some(found.into_keys().map(of).collect())
        }
        _ => None,
    }
}

/// Whether an expression looks at variables only to ask for their labels or type.
fn is_of_tables(expr: &Expr) -> bool {
    match expr {
        Expr::Call(name, args, _) if is_table_function(name) => matches!(&args[..], [Expr::Var(_)]),
        Expr::Const(_) => true,
        Expr::Op(_, args, _) => args.iter().all(is_of_tables),
        Expr::Call(_, args, _) => {
            !args.is_empty() && args.iter().all(is_of_tables) && !vars_of(args).is_empty()
        }
        _ => false,
    }
}

fn is_table_function(name: &str) -> bool {
    name.eq_ignore_ascii_case("labels") || name.eq_ignore_ascii_case("type")
}

impl Combination {
    /// The pattern in these tables alone.
    fn narrowed(&self, graph: &QueryGraph) -> QueryGraph {
        let mut graph = graph.clone();
        for (var, table) in &self.nodes {
            graph.tables.insert(*var, vec![*table]);
        }
        if let (Some((_, label)), [edge]) = (&self.edge, &mut graph.edges[..]) {
            edge.types = vec![Arc::clone(label)];
        }
        graph
    }

    /// An expression with the labels and the type that the tables have.
    fn told(&self, expr: &Expr, catalog: &CatalogView<'_>) -> Expr {
        match expr {
            Expr::Call(name, args, _) if is_table_function(name) => match &args[..] {
                [Expr::Var(var)] => self.labels(*var, catalog).map_or_else(|| expr.clone(), Expr::Const),
                _ => expr.clone(),
            },
            Expr::Call(name, args, span) => {
                Expr::Call(name.clone(), args.iter().map(|a| self.told(a, catalog)).collect(), *span)
            }
            Expr::Op(op, args, span) => {
                Expr::Op(*op, args.iter().map(|a| self.told(a, catalog)).collect(), *span)
            }
            other => other.clone(),
        }
    }

    fn labels(&self, var: VarId, catalog: &CatalogView<'_>) -> Option<Value> {
        if let Some((edge, label)) = &self.edge
            && *edge == var
        {
            return Some(Value::String(Arc::clone(label)));
        }
        let labels = catalog.label_names(*self.nodes.get(&var)?);
        Some(Value::list(labels.into_iter().map(Value::String).collect()))
    }
}
