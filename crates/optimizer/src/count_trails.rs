//! A lone `count(*)` over edges that must differ, as a sum of counts over edges that need not.
//!
//! By inclusion and exclusion over the pairs that must differ: the matches in which every pair of a set S
//! coincides are the matches of the pattern with those edges made one, and each set counts with the sign of
//! its size. A pattern free of such pairs is counted by passing counts along its edges (`hang_counts`) and
//! never enumerated; merged patterns are smaller, and many of them are empty (no self loops in the data).
//!
//! A walk of a few lengths, as `-[:T*1..3]-`, is counted length by length: the sum is over all of them.

use trimorph_algebra::{
    Aggregate, AggregateKind, Direction, EdgePattern, EdgeRange, Expr, Op, Plan, QueryGraph, VarId, Vars,
};
use trimorph_catalog::CatalogView;
use trimorph_types::LogicalType;

use crate::fixed_walks::{COUNTED, written_out};
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::selectivity::{Statistics, is_anchored};
use crate::tables::{edge_tables, tables_of};
use crate::tell_apart::Coincidence;
use crate::{Halt, calls_volatile, conjuncts, vars_of};

/// Most pairs for which the sum is made: 2^3 patterns.
const PAIRS_MAX: usize = 3;

/// Pairs up to which the pattern is looked at, before those are left out that cannot be the same edge.
const PAIRS_LOOKED_AT_MAX: usize = 2_000;

/// The pass.
pub(crate) fn count_trails(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    if !planning.options.count {
        return Ok(plan);
    }
    let (catalog, known) = (planning.catalog, planning.statistics());
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        let Plan::Aggregate { input, keys, aggregates } = &plan else { return Ok(plan) };
        let [(result, Aggregate { kind: AggregateKind::CountStar, .. })] = &aggregates[..] else {
            return Ok(plan);
        };
        let Some(all) = keys.is_empty().then(|| trails(input, known, vars)).flatten() else {
            return Ok(plan);
        };
        Ok(sum(&all, *result, catalog, vars).unwrap_or(plan))
    })
}

/// A pattern and the few pairs of its edges that must differ and could be the same; none where all do.
struct Trails {
    graph: QueryGraph,
    pairs: Vec<(VarId, VarId)>,
}

/// The trails that a lone count counts, where the sum suits them: of each length of a walk for themselves.
fn trails(input: &Plan, known: Statistics<'_>, vars: &mut Vars) -> Option<Vec<Trails>> {
    let (pairs, has_walk) = pairs_of(input)?;
    if pairs > PAIRS_LOOKED_AT_MAX || (pairs == 0 && !has_walk) {
        return None;
    }
    let graph = pattern(input)?;
    if has_walk {
        return walks_written_out(&graph, vars)?.into_iter().map(|graph| of_pattern(graph, known)).collect();
    }
    let trails = of_pattern(graph, known)?;
    (!trails.pairs.is_empty()).then(|| vec![trails])
}

/// The trails of a pattern, where the sum suits them.
fn of_pattern(mut graph: QueryGraph, known: Statistics<'_>) -> Option<Trails> {
    graph.tables = tables_of(known.catalog, &graph);
    let mut pairs = std::mem::take(&mut graph.distinct);
    let coincidence = Coincidence::new(known.catalog, &graph.tables, &graph);
    pairs.retain(|(a, b)| coincidence.is_possible(*a, *b));
    // An undirected edge can be another in two ways, which are told apart only where no edge is a loop.
    let single = |v: VarId| {
        coincidence.edge(v).is_some_and(|e| {
            e.range == EdgeRange::One && (e.direction != Direction::Both || !may_be_loop(known.catalog, e))
        })
    };
    let suits = pairs.len() <= PAIRS_MAX
        && pairs.iter().all(|(a, b)| single(*a) && single(*b))
        && graph.paths.is_empty()
        && graph.edges.iter().all(|e| e.whole.is_empty())
        && !is_anchored(known, &graph);
    suits.then_some(Trails { graph, pairs })
}

/// The patterns in which the one walk of a pattern, of a few lengths, has each of them. None where there is
/// another, where somebody looks at its edges as a list, or where a condition compares two things: then all
/// would be enumerated once for each length.
fn walks_written_out(graph: &QueryGraph, vars: &mut Vars) -> Option<Vec<QueryGraph>> {
    let mut walks = graph.edges.iter().enumerate().filter(|(_, edge)| edge.range != EdgeRange::One);
    let (Some((place, walk)), None) = (walks.next(), walks.next()) else { return None };
    let EdgeRange::Variable { min: min @ 1.., max: Some(max @ ..=COUNTED), shortest: None } = walk.range
    else {
        return None;
    };
    if graph.predicates.iter().any(|predicate| vars_of([predicate]).len() > 1) {
        return None;
    }
    let lengths = (min..=max).map(|len| {
        let mut graph = graph.clone();
        graph.edges[place].range = EdgeRange::Variable { min: len, max: Some(len), shortest: None };
        written_out(&mut graph, vars).then_some(graph)
    });
    lengths.collect()
}

/// The sum of the counts of all patterns that sets of pairs can become.
fn sum(all: &[Trails], result: VarId, catalog: &CatalogView<'_>, vars: &mut Vars) -> Option<Plan> {
    let mut plan: Option<Plan> = None;
    let mut sum: Option<Expr> = None;
    let sets = all.iter().flat_map(|trails| (0..1u32 << trails.pairs.len()).map(move |set| (trails, set)));
    for (trails, set) in sets {
        let op = if set.count_ones() % 2 == 1 { Op::Sub } else { Op::Add };
        for graph in trails.coinciding(set, catalog) {
            let count = vars.anonymous(LogicalType::Int);
            let term = counted(graph, count);
            plan = Some(match plan {
                None => term,
                Some(left) => Plan::HashJoin { left: Box::new(left), right: Box::new(term), on: Vec::new() },
            });
            sum = Some(match sum {
                None => Expr::Var(count),
                Some(left) => Expr::op(op, vec![left, Expr::Var(count)]),
            });
        }
    }
    Some(Plan::Project { input: Box::new(plan?), items: vec![(result, sum?)] })
}

impl Trails {
    /// The patterns in which the pairs of a set coincide.
    fn coinciding(&self, set: u32, catalog: &CatalogView<'_>) -> Vec<QueryGraph> {
        let chosen = self.pairs.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).map(|(_, p)| *p);
        // Each pattern that the chosen pairs can become, with the names that merged edges go on under.
        let mut merged: Vec<(QueryGraph, Vec<(VarId, VarId)>)> = vec![(self.graph.clone(), Vec::new())];
        for (a, b) in chosen {
            merged = (merged.into_iter())
                .flat_map(|(graph, mut names)| {
                    let name =
                        |v: VarId| names.iter().fold(v, |v, (gone, kept)| if v == *gone { *kept } else { v });
                    let (a, b) = (name(a), name(b));
                    let options = if a == b { vec![graph] } else { merge(catalog, &graph, a, b) };
                    names.push((b, a));
                    options.into_iter().map(move |g| (g, names.clone()))
                })
                .collect();
        }
        merged.into_iter().map(|(graph, _)| graph).collect()
    }
}

/// `count(*)` of a pattern.
fn counted(graph: QueryGraph, count: VarId) -> Plan {
    let star = Aggregate {
        kind: AggregateKind::CountStar,
        arg: None,
        parameter: None,
        distinct: false,
        order: None,
        span: Default::default(),
    };
    let input = Box::new(Plan::Match { input: Box::new(Plan::Unit), graph });
    Plan::Aggregate { input, keys: Vec::new(), aggregates: vec![(count, star)] }
}

/// The patterns in which edge `b` is the same as edge `a`: none where their labels differ, two where one is
/// undirected.
fn merge(catalog: &CatalogView<'_>, graph: &QueryGraph, a: VarId, b: VarId) -> Vec<QueryGraph> {
    let find = |v: VarId| graph.edges.iter().find(|e| e.var == v);
    let (Some(x), Some(y)) = (find(a), find(b)) else { return Vec::new() };
    let types = match (x.types.is_empty(), y.types.is_empty()) {
        (true, _) => y.types.clone(),
        (_, true) => x.types.clone(),
        _ => {
            let both: Vec<_> = x.types.iter().filter(|t| y.types.contains(t)).cloned().collect();
            if both.is_empty() {
                return Vec::new();
            }
            both
        }
    };
    // `a` read from `x.from`; `b` read the same way or the other way round.
    let readings = [(y.from, y.to, y.direction), (y.to, y.from, y.direction.reversed())];
    (readings.into_iter())
        .filter_map(|(from, to, direction)| {
            let direction = match (x.direction, direction) {
                (Direction::Both, d) | (d, Direction::Both) => d,
                (d, e) if d == e => d,
                _ => return None,
            };
            let mut merged = graph.clone();
            merged.edges.retain(|e| e.var != b);
            let kept = merged.edges.iter_mut().find(|e| e.var == a)?;
            kept.types = types.clone();
            kept.direction = direction;
            rename(&mut merged, b, a);
            rename(&mut merged, from, x.from);
            // The first renaming may have touched the second pair.
            let same = |v: VarId| if v == from { x.from } else { v };
            rename(&mut merged, same(to), same(x.to));
            // One edge from a node to itself, where the data has none, matches nothing; several may come
            // back, and none stays.
            let possible =
                |e: &EdgePattern| e.range != EdgeRange::One || e.from != e.to || may_be_loop(catalog, e);
            merged.edges.iter().all(possible).then_some(merged)
        })
        .collect()
}

/// Whether an edge may lead from a node to itself.
fn may_be_loop(catalog: &CatalogView<'_>, edge: &EdgePattern) -> bool {
    edge_tables(catalog, edge).iter().any(|table| catalog.may_have_loops(*table))
}

/// Pairs of edges that must differ in the pattern of a plan that is one, and whether it has a walk.
fn pairs_of(plan: &Plan) -> Option<(usize, bool)> {
    match plan {
        Plan::Match { graph, .. } => {
            Some((graph.distinct.len(), graph.edges.iter().any(|edge| edge.range != EdgeRange::One)))
        }
        Plan::Filter { input, .. } | Plan::Project { input, .. } => pairs_of(input),
        _ => None,
    }
}

/// The pattern of a plan that is one, filters included.
fn pattern(plan: &Plan) -> Option<QueryGraph> {
    match plan {
        Plan::Match { input, graph } if matches!(**input, Plan::Unit) => Some(graph.clone()),
        Plan::Filter { input, predicate } if !calls_volatile(predicate) => {
            let mut graph = pattern(input)?;
            conjuncts(predicate.clone(), &mut graph.predicates);
            Some(graph)
        }
        // Names given to things that a count does not look at.
        Plan::Project { input, items }
            if items.iter().all(|(_, e)| matches!(e, Expr::Var(_) | Expr::Const(_))) =>
        {
            pattern(input)
        }
        _ => None,
    }
}

/// Replaces a variable everywhere in a pattern; two nodes that become one must satisfy both label conditions.
fn rename(graph: &mut QueryGraph, from: VarId, to: VarId) {
    if from == to {
        return;
    }
    let swap = |v: &mut VarId| {
        if *v == from {
            *v = to;
        }
    };
    if let Some(i) = graph.nodes.iter().position(|n| n.var == from) {
        let gone = graph.nodes.remove(i);
        match graph.nodes.iter_mut().find(|n| n.var == to) {
            Some(node) => node.labels = node.labels.clone().and(gone.labels),
            None => graph.nodes.push(trimorph_algebra::NodePattern { var: to, ..gone }),
        }
    }
    for edge in &mut graph.edges {
        swap(&mut edge.from);
        swap(&mut edge.to);
    }
    for predicate in &mut graph.predicates {
        if vars_of([&*predicate]).contains(&from) {
            *predicate = substitute(std::mem::replace(predicate, Expr::truth()), from, to);
        }
    }
}

fn substitute(expr: Expr, from: VarId, to: VarId) -> Expr {
    match expr {
        Expr::Var(v) if v == from => Expr::Var(to),
        other => other.map_children(&mut |child| substitute(child, from, to)),
    }
}
