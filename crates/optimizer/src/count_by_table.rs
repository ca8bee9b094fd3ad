//! Rows aggregated by what depends on their tables only, as `type(r)` or `labels(n)`, or over relationships
//! of several types: one aggregation for each combination of tables, and the aggregates of these by key.
//!
//! 1. Counts by tables alone look at no row. For patterns of one node or one relationship that ask nothing
//!    else.
//! 2. Counts, least and largest values by other keys besides, and of relationships that something is asked
//!    of, are made type by type: the relationships of one type are read where they lie, one after the other,
//!    while those of several are gathered.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use trimorph_algebra::{
    Aggregate, AggregateKind, Direction, EdgeRange, Expr, Op, Plan, QueryGraph, VarId, Vars,
};
use trimorph_base::TableId;
use trimorph_catalog::CatalogView;
use trimorph_types::{LogicalType, Value};

use crate::merging::{merged, of_parts};
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::tables::{edge_tables, tables_of};
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

/// Relationships of several types are aggregated apart where there are no more types than this: each is
/// planned by itself.
const APART_MAX: usize = 32;

fn counts(
    input: &Plan,
    keys: &[(VarId, Expr)],
    aggregates: &[(VarId, Aggregate)],
    catalog: &CatalogView<'_>,
    vars: &mut Vars,
) -> Option<Plan> {
    let Plan::Match { input, graph } = input else { return None };
    if !matches!(**input, Plan::Unit) {
        return None;
    }
    // Labels are told by tables only where no row has others.
    if !catalog.varying().is_empty() {
        return None;
    }
    let all_rows = aggregates.iter().all(|(_, a)| a.kind == AggregateKind::CountStar);
    let of_tables = keys.iter().all(|(_, key)| is_of_tables(key));
    let combinations = match graph.predicates.is_empty() && all_rows && of_tables {
        true if keys.is_empty() || aggregates.is_empty() => return None,
        true => combinations(graph, &vars_of(keys.iter().map(|(_, key)| key)), catalog)
            .filter(|all| all.len() <= COUNTS_MAX)
            .or_else(|| types(graph, catalog))?,
        false => types(graph, catalog).filter(|_| aggregates.iter().all(|(_, a)| merged(a).is_some()))?,
    };
    let parts: Vec<VarId> = keys.iter().map(|_| vars.anonymous(LogicalType::Any)).collect();
    let partial: Vec<VarId> = aggregates.iter().map(|_| vars.anonymous(LogicalType::Any)).collect();
    let branch = |combination: &Combination| {
        let told = keys.iter().map(|(_, key)| combination.told(key, catalog));
        let (known, asked): (Vec<_>, Vec<_>) =
            parts.iter().copied().zip(told).partition(|(_, key)| vars_of([key]).is_empty());
        // What has no rows has no group.
        let is_asked = asked.is_empty() && !keys.is_empty();
        let count = is_asked.then(|| (vars.anonymous(LogicalType::Int), count_of_rows(aggregates)));
        let own = partial.iter().copied().zip(aggregates.iter().map(|(_, aggregate)| aggregate.clone()));
        let items: Vec<(VarId, Expr)> = (known.iter().cloned())
            .chain(
                asked.iter().map(|(part, _)| *part).chain(partial.iter().copied()).map(|v| (v, Expr::Var(v))),
            )
            .collect();
        let counted = count.as_ref().map(|(count, _)| *count);
        let narrowed = combination.narrowed(graph, catalog);
        let is_empty = narrowed.tables.values().any(Vec::is_empty);
        let pattern = Plan::Match { input: Box::new(Plan::Unit), graph: narrowed };
        let rows = if is_empty { Plan::Empty(pattern.vars()) } else { pattern };
        let mut plan =
            Plan::Aggregate { input: Box::new(rows), keys: asked, aggregates: own.chain(count).collect() };
        if let Some(count) = counted {
            let some = Expr::op(Op::Gt, vec![Expr::Var(count), Expr::Const(Value::Int(0))]);
            plan = Plan::Filter { input: Box::new(plan), predicate: some };
        }
        Plan::Project { input: Box::new(plan), items }
    };
    let branches: Vec<Plan> = combinations.iter().map(branch).collect();
    let whole =
        |((result, aggregate), part): (&(VarId, Aggregate), &VarId)| (*result, of_parts(aggregate, *part));
    Some(Plan::Aggregate {
        input: Box::new(Plan::Union {
            inputs: branches,
            vars: parts.iter().chain(&partial).copied().collect(),
        }),
        keys: keys.iter().zip(&parts).map(|((key, _), part)| (*key, Expr::Var(*part))).collect(),
        aggregates: aggregates.iter().zip(&partial).map(whole).collect(),
    })
}

fn count_of_rows(aggregates: &[(VarId, Aggregate)]) -> Aggregate {
    let span = aggregates.first().map(|(_, a)| a.span).unwrap_or_default();
    Aggregate {
        kind: AggregateKind::CountStar,
        arg: None,
        parameter: None,
        distinct: false,
        order: None,
        span,
    }
}

/// The types of the only relationship of a pattern, where there are several, and what is asked is asked of
/// the relationship alone: where a node is found by something, all its relationships are found by that.
fn types(graph: &QueryGraph, catalog: &CatalogView<'_>) -> Option<Vec<Combination>> {
    let ([a, b], [edge]) = (&graph.nodes[..], &graph.edges[..]) else { return None };
    let is_plain = graph.paths.is_empty() && graph.walks.is_empty() && graph.counts.is_empty();
    let is_step = edge.range == EdgeRange::One && edge.each.is_none() && edge.whole.is_empty();
    let of_edge = |predicate: &Expr| vars_of([predicate]).iter().all(|var| *var == edge.var);
    let names: BTreeSet<Arc<str>> =
        edge_tables(catalog, edge).iter().map(|table| catalog.type_name(*table)).collect();
    let is_apart = is_plain && is_step && a.var != b.var && graph.predicates.iter().all(of_edge);
    (is_apart && (2..=APART_MAX).contains(&names.len())).then(|| {
        let of = |name| Combination { nodes: BTreeMap::new(), edge: Some((edge.var, name)) };
        names.into_iter().map(of).collect()
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
    fn narrowed(&self, graph: &QueryGraph, catalog: &CatalogView<'_>) -> QueryGraph {
        let mut graph = graph.clone();
        for (var, table) in &self.nodes {
            graph.tables.insert(*var, vec![*table]);
        }
        if let (Some((_, label)), [edge]) = (&self.edge, &mut graph.edges[..]) {
            edge.types = vec![Arc::clone(label)];
        }
        if self.nodes.is_empty() {
            graph.tables = tables_of(catalog, &graph);
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
