//! What the clause of a shortest path asks of it: conditions say which path is meant, the shortest that meets
//! them.
//!
//! 1. Plain conditions on one path become part of its edge ([`EdgePattern::whole`]).
//! 2. A path of which more is asked than an expression can say leaves the pattern. For each match of the rest
//!    an apply searches all paths in order of length, asks above the search what takes subqueries, and takes
//!    the shortest that come through.
//! 3. Conditions on two paths are asked of the pair, above.

use std::collections::{BTreeMap, HashMap};

use trimorph_algebra::{
    ApplyKind, EdgePattern, EdgeRange, Expr, LabelExpr, NodePattern, PathStep, Plan, QuantifierKind,
    QueryGraph, ShortestKind, VarId,
};

use super::Binder;
use super::bind_where::Conjunct;
use super::report::Bound;
use super::scope::Scope;
use super::trim_argument::trim;

/// A shortest path that left its pattern.
pub(super) struct Search {
    /// Its ends, its edge and its name.
    graph: QueryGraph,
    edges: VarId,
    all: bool,
    conditions: Vec<Conjunct>,
}

impl Binder<'_> {
    /// The rows of the rest of a pattern, with the paths searched for each.
    pub(super) fn search(&mut self, mut plan: Plan, searches: Vec<Search>, outer: &Scope) -> Bound<Plan> {
        for Search { graph, edges, all, conditions } in searches {
            let mut visible = plan.vars();
            visible.extend(outer.vars());
            let input = Box::new(Plan::Argument(Vec::new()));
            let found = self.grow(Plan::Match { input, graph })?;
            let met = self.filter_by(found, conditions)?;
            let shortest = self.grow(Plan::Shortest { input: Box::new(met), edges, all })?;
            let (subplan, _) = trim(shortest, &visible, None);
            let (input, subplan) = (Box::new(plan), Box::new(subplan));
            plan = self.grow(Plan::Apply { input, subplan, kind: ApplyKind::Inner })?;
        }
        Ok(plan)
    }
}

fn is_shortest(edge: &EdgePattern) -> bool {
    matches!(edge.range, EdgeRange::Variable { shortest: Some(_), .. })
}

/// Takes the shortest paths that `conjuncts` ask about off a pattern, each with what it is asked, and all
/// conditions that must wait for them; leaves the others.
pub(super) fn take_searches(
    graph: &mut QueryGraph,
    conjuncts: &mut Vec<Conjunct>,
) -> (Vec<Search>, Vec<Conjunct>) {
    let mut after = Vec::new();
    if conjuncts.is_empty() || !graph.edges.iter().any(is_shortest) {
        return (Vec::new(), after);
    }
    // Lists of edges and names of paths, with the list.
    let mut owners: HashMap<VarId, VarId> =
        graph.edges.iter().filter(|e| is_shortest(e)).map(|e| (e.var, e.var)).collect();
    for path in &graph.paths {
        let owner = path.steps.iter().find_map(|step| match step {
            PathStep::Edge(v) => owners.get(v).copied(),
            PathStep::Node(_) => None,
        });
        owners.extend(owner.map(|owner| (path.var, owner)));
    }
    let mut asked: BTreeMap<VarId, Vec<Conjunct>> = BTreeMap::new();
    for conjunct in std::mem::take(conjuncts) {
        let mut vars = Vec::new();
        conjunct.free_vars(&mut vars);
        let mut of: Vec<VarId> = vars.iter().filter_map(|v| owners.get(v).copied()).collect();
        of.sort_unstable();
        of.dedup();
        match of[..] {
            [one] => asked.entry(one).or_default().push(conjunct),
            [] => conjuncts.push(conjunct),
            _ => after.push(conjunct),
        }
    }
    if asked.is_empty() {
        return (Vec::new(), after);
    }
    owners.retain(|_, owner| asked.contains_key(owner));
    // What looks at the paths that leave is asked once these are found.
    let looks = |expr: &Expr| {
        let mut vars = Vec::new();
        expr.free_vars(&mut vars);
        vars.iter().any(|v| owners.contains_key(v))
    };
    for edge in &mut graph.edges {
        if let Some((var, each)) = edge.each.take_if(|(_, each)| looks(each)) {
            let (list, predicate) = (Box::new(Expr::Var(edge.var)), Box::new(each));
            let each = Expr::Quantifier { kind: QuantifierKind::All, var, list, predicate };
            after.push(Conjunct::Plain(each));
        }
    }
    after.extend(graph.predicates.extract_if(.., |p| looks(p)).map(Conjunct::Plain));
    let taken: Vec<EdgePattern> = graph.edges.extract_if(.., |e| asked.contains_key(&e.var)).collect();
    let searches = (taken.into_iter())
        .map(|mut edge| {
            let mut all = false;
            if let EdgeRange::Variable { shortest, .. } = &mut edge.range {
                all = shortest.replace(ShortestKind::Ordered) == Some(ShortestKind::All);
            }
            let edges = edge.var;
            let mut ends = vec![edge.from, edge.to];
            ends.dedup();
            let nodes = ends.into_iter().map(|var| NodePattern { var, labels: LabelExpr::True }).collect();
            let paths = graph.paths.extract_if(.., |p| owners.get(&p.var) == Some(&edges)).collect();
            let graph = QueryGraph { nodes, edges: vec![edge], paths, ..QueryGraph::default() };
            Search { graph, edges, all, conditions: asked.remove(&edges).unwrap_or_default() }
        })
        .collect();
    (searches, after)
}

/// Conditions on shortest paths that their own clause sets become part of these: they say which is meant, not
/// whether it is wanted. One that speaks of two of them is asked of the pair.
pub(super) fn conditions_on_wholes(graph: &mut QueryGraph) {
    let QueryGraph { edges, paths, predicates, .. } = graph;
    if !edges.iter().any(is_shortest) {
        return;
    }
    // A path is what it is made of.
    let parts: HashMap<VarId, Expr> = (paths.iter())
        .map(|path| {
            let steps = path.steps.iter().map(|s| match s {
                PathStep::Node(v) | PathStep::Edge(v) => Expr::Var(*v),
            });
            (path.var, Expr::Path(steps.collect()))
        })
        .collect();
    for predicate in std::mem::take(predicates) {
        let whole = with_parts(predicate.clone(), &parts);
        let mut vars = Vec::new();
        whole.free_vars(&mut vars);
        let mut walks = edges.iter_mut().filter(|e| is_shortest(e) && vars.contains(&e.var));
        match (walks.next(), walks.next()) {
            (Some(edge), None) => edge.whole.push(whole),
            _ => predicates.push(predicate),
        }
    }
}

fn with_parts(expr: Expr, parts: &HashMap<VarId, Expr>) -> Expr {
    match expr {
        Expr::Var(v) => parts.get(&v).cloned().unwrap_or(Expr::Var(v)),
        other => other.map_children(&mut |child| with_parts(child, parts)),
    }
}
