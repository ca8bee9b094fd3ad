//! Each pattern becomes scans, extends and joins.
//!
//! ```text
//! mod.rs      one pattern from start to end
//! components  which connected part comes next, and how it begins
//! steps       one step along an edge, cycles closed or intersected
//! conditions  predicates not placed yet         open_edges   edges not planned yet
//! pairs       pairs of edges not told apart yet
//! reads       how many properties of each node are read
//! order_joins the order of a connected part by cost (costs): all of few nodes, greedily for many (greedy)
//! hash_joins  parts planned by themselves and joined
//! value_joins parts with nothing in common but values; the product where there are none
//! total       expressions that give a value or null whatever the row
//! alternatives the same where one of several equalities must hold
//! one_row     plans that give one row
//! semi_joins  conditions on a node, and on what it leads to, become a set of nodes
//! harmless    predicates that may be asked of nodes that no row reaches
//! apart       statements that each row would look for and that could be found once (joined_apart)
//! exists      what is asked of rows and could be asked in another way: EXISTS of a node by a set of nodes,
//!             EXISTS and COUNT of two nodes once for those that share one (paired)
//! ```
//!
//! A pattern is planned without a look at what stands above it but which variables are needed, and asks no
//! other pass.

mod alternatives;
mod apart;
mod component;
mod components;
mod conditions;
mod costs;
mod exists;
mod greedy;
mod harmless;
mod hash_joins;
mod joined_apart;
mod one_row;
mod open_edges;
mod order_joins;
mod paired;
mod pairs;
mod reads;
mod semi_joins;
mod steps;
mod total;
mod value_joins;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use trimorph_algebra::{
    ApplyKind, CountStep, Direction, EdgePattern, EdgeRange, Expr, LabelExpr, NodePattern, PathPattern,
    PathStep, Plan, QueryGraph, VarId,
};
use trimorph_base::CancelToken;
use trimorph_catalog::CatalogView;
use trimorph_types::LogicalType;

use crate::asked_first::{Weight, asked_first, takes_long};
use crate::degrees::rows_of;
use crate::estimate::{Estimate, work_of};
use crate::needed::{bottom_up_within, made_of};
use crate::planning::{Planning, poll};
use crate::selectivity::Statistics;
use crate::tables::{Tables, tables_of};
use crate::walks::Walks;
use crate::{Halt, Options, VarSet, conjunction, set_of, vars_of};

use apart::Apart;
use conditions::Conditions;
use costs::CACHED_ROWS;
use exists::Candidates;
pub(crate) use one_row::gives_one_row;
use open_edges::OpenEdges;
use paired::{different, is_followed, renamed};
use reads::Reads;

/// The pass.
pub(crate) fn plan_match(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let made = Made { first: planning.vars.count(), names: RefCell::default() };
    let (known, options, cancel) = (planning.statistics(), planning.options, planning.cancel);
    let reads = Reads::of(&plan);
    let vars = u32::try_from(planning.vars.count()).unwrap_or(u32::MAX);
    let types: Vec<LogicalType> = (0..vars).map(|var| planning.vars.get(VarId(var)).ty).collect();
    let with = With { known, options, cancel, made: &made, reads: &reads, types: &types, outer_rows: 1.0 };
    // Of applies within each other, the rows that each hands in for all rows of the one around.
    let outer_rows = RefCell::new(vec![1.0]);
    let rows_now = || outer_rows.borrow().last().copied().unwrap_or(1.0);
    let mut within = |input: Option<&Plan>| match input {
        Some(input) => {
            let rows = Estimate::of(input, known).rows;
            let around = if stands_on_rows(input) { rows_now() } else { 1.0 };
            outer_rows.borrow_mut().push((rows * around).max(1.0));
        }
        None => drop(outer_rows.borrow_mut().pop()),
    };
    let (candidates, apart) = (Candidates::of(&plan), Apart::of(&plan, planning.vars));
    let mut plan = plan;
    let planned =
        bottom_up_within(&mut plan, &planning.needed, &mut within, &mut |plan, needed| match plan {
            Plan::Match { input, graph } => {
                plan_pattern(*input, graph, needed, With { outer_rows: rows_now(), ..with })
            }
            Plan::Statements { input, pattern } => {
                let around = if stands_on_rows(&input) { rows_now() } else { 1.0 };
                Ok(With { outer_rows: around, ..with }.statements(input, pattern, &apart))
            }
            Plan::Apply { input, subplan, kind } => {
                let around = if stands_on_rows(&input) { rows_now() } else { 1.0 };
                let with = With { outer_rows: around, ..with };
                let Some(candidate) = candidates.find(&subplan) else {
                    let subplan = Box::new(with.subplan(&input, *subplan, &apart)?);
                    return Ok(Plan::Apply { input, subplan, kind });
                };
                match (&candidate.nodes[..], &kind) {
                    ([node], _) if let Some(equal) = &candidate.equal => {
                        asked_by_value((input, subplan, kind), *node, &candidate.graph, equal, with)
                    }
                    ([node], ApplyKind::Semi | ApplyKind::Anti) => {
                        asked_by_set((input, subplan, kind), (*node, &candidate.graph), with)
                    }
                    ([a, b], _) => asked_by_pairs((input, subplan, kind), [*a, *b], &candidate.graph, with),
                    _ => Ok(Plan::Apply { input, subplan, kind }),
                }
            }
            other => Ok(other),
        });
    let planned = planned.map(|()| plan);
    for name in made.names.into_inner() {
        planning.vars.named(name, LogicalType::Any);
    }
    planned
}

/// The part of the work for all rows up to which finding a set is worth it: it is kept in memory, and its
/// estimate has another pattern's errors.
const SET_WORTH: f64 = 0.7;

/// An apply that asks whether there are rows, its inputs planned, as a join with the set of the nodes that
/// have some, if that is less work.
fn asked_by_set(
    (input, subplan, kind): (Box<Plan>, Box<Plan>, ApplyKind),
    (node, graph): (VarId, &QueryGraph),
    with: With<'_>,
) -> Result<Plan, Halt> {
    let rows = Estimate::of(&input, with.known).rows * with.outer_rows;
    let graph = searched(graph.clone(), node, with.known.catalog);
    let filter = match graph.tables.values().any(Vec::is_empty) {
        true => Plan::Empty(vec![node]),
        false => plan_pattern(Plan::Unit, graph, &VarSet::from([node]), With { outer_rows: 1.0, ..with })?,
    };
    if work_of(&filter, 1.0, with.known) + rows > work_of(&subplan, rows, with.known) * SET_WORTH {
        return Ok(Plan::Apply { input, subplan, kind });
    }
    let (filter, anti) = (Box::new(filter), matches!(kind, ApplyKind::Anti));
    Ok(Plan::SemiJoin { input, filter, var: node, anti })
}

/// What it takes to read a property of a node that is reached in any order, and of a relationship that is
/// reached from its target (`costs`), in nanoseconds.
const GATHER_NANOS: f64 = 6.0;
const JUMP_NANOS: f64 = 25.0;
/// What looking a row up takes, in nanoseconds: about; by a value, a key has to be made of it.
const PAIR_NANOS: f64 = 20.0;
const VALUE_NANOS: f64 = 50.0;

/// An apply that asks about two nodes of each row, its inputs planned, as one that is run once for each of
/// the nodes at one end, if that is less work.
fn asked_by_pairs(
    (input, subplan, kind): (Box<Plan>, Box<Plan>, ApplyKind),
    [a, b]: [VarId; 2],
    graph: &QueryGraph,
    with: With<'_>,
) -> Result<Plan, Halt> {
    let rows = Estimate::of(&input, with.known).rows * with.outer_rows;
    let mut least = work_of(&subplan, rows, with.known) * SET_WORTH;
    let mut best = None;
    for (shared, node) in [(a, b), (b, a)] {
        let runs = different(&input, shared, with.known) * with.outer_rows;
        if runs * 2.0 > rows {
            continue;
        }
        let found = with.made.var("found".to_owned());
        let graph = searched(renamed(graph.clone(), node, found), found, with.known.catalog);
        if graph.tables.values().any(Vec::is_empty) {
            continue;
        }
        let argument = Plan::Argument(vec![shared]);
        let plan = plan_pattern(argument, graph, &VarSet::from([found]), With { outer_rows: runs, ..with })?;
        let work = work_of(&plan, runs, with.known) + rows * PAIR_NANOS;
        if is_followed(&plan) && work < least {
            least = work;
            best = Some((plan, node, found));
        }
    }
    Ok(match best {
        Some((plan, node, found)) => {
            let kind = ApplyKind::Paired { answer: Box::new(kind), node, found };
            Plan::Apply { input, subplan: Box::new(plan), kind }
        }
        None => Plan::Apply { input, subplan, kind },
    })
}

/// The same of one that asks about a node of each row, and about a value that must equal one of the row.
fn asked_by_value(
    (input, subplan, kind): (Box<Plan>, Box<Plan>, ApplyKind),
    shared: VarId,
    graph: &QueryGraph,
    (of_row, own): &(Expr, Expr),
    with: With<'_>,
) -> Result<Plan, Halt> {
    let rows = Estimate::of(&input, with.known).rows * with.outer_rows;
    let runs = different(&input, shared, with.known) * with.outer_rows;
    // A property of anything else may fail where nothing is compared with it.
    let is_entity = |expr: &Expr| {
        let ty = if let Expr::Var(var) = expr { with.types.get(var.0 as usize) } else { None };
        matches!(ty, Some(LogicalType::Node | LogicalType::Relationship))
    };
    let is_safe = !matches!(of_row, Expr::Property(base, _, _) if !is_entity(base));
    if runs * 2.0 > rows || !is_safe {
        return Ok(Plan::Apply { input, subplan, kind });
    }
    let argument = Plan::Argument(vec![shared]);
    let plan = plan_pattern(argument, graph.clone(), &vars_of([own]), With { outer_rows: runs, ..with })?;
    let work = work_of(&plan, runs, with.known) + rows * VALUE_NANOS;
    if !is_followed(&plan) || work > work_of(&subplan, rows, with.known) * SET_WORTH {
        return Ok(Plan::Apply { input, subplan, kind });
    }
    let (node, input) = match of_row {
        Expr::Var(var) => (*var, input),
        value => {
            let var = with.made.var("value".to_owned());
            (var, Box::new(Plan::Extra { input, items: vec![(var, value.clone())] }))
        }
    };
    let found = with.made.var("found".to_owned());
    let subplan = Box::new(Plan::Extra { input: Box::new(plan), items: vec![(found, own.clone())] });
    Ok(Plan::Apply { input, subplan, kind: ApplyKind::Paired { answer: Box::new(kind), node, found } })
}

/// A pattern that is to find a node which rows had brought, and with it the tables that the node can be in.
fn searched(mut graph: QueryGraph, node: VarId, catalog: &CatalogView<'_>) -> QueryGraph {
    if graph.nodes.iter().all(|n| n.var != node) {
        graph.nodes.push(NodePattern { var: node, labels: LabelExpr::True });
    }
    let narrowed = std::mem::take(&mut graph.tables);
    graph.tables = tables_of(catalog, &graph);
    for (var, tables) in &mut graph.tables {
        if let Some(narrowed) = narrowed.get(var) {
            tables.retain(|table| narrowed.contains(table));
        }
    }
    graph
}

/// What every pattern is planned with.
#[derive(Clone, Copy)]
struct With<'a> {
    known: Statistics<'a>,
    options: Options,
    cancel: &'a CancelToken,
    made: &'a Made,
    reads: &'a Reads,
    /// The types of the query's variables, by their numbers.
    types: &'a [LogicalType],
    /// Rows that the apply around hands in, in all.
    outer_rows: f64,
}

/// Variables that the pass makes, by name: the query gets them at the end.
struct Made {
    first: usize,
    names: RefCell<Vec<String>>,
}

impl Made {
    fn var(&self, name: String) -> VarId {
        let mut names = self.names.borrow_mut();
        names.push(name);
        VarId(u32::try_from(self.first + names.len() - 1).unwrap_or(u32::MAX))
    }
}

/// The pattern being planned.
struct Planner<'a> {
    with: With<'a>,
    labels: Rc<HashMap<VarId, LabelExpr>>,
    /// Nodes, and edges that are one: what has properties.
    entities: Rc<VarSet>,
    tables: Rc<Tables>,
    edges: OpenEdges,
    conditions: Conditions,
    hanging: Hanging,
    plan: Plan,
    estimate: Estimate,
    /// Variables that the rows have. Rows that wait to be joined are not among them.
    available: VarSet,
    /// Variables looked at above, or by predicates not placed yet.
    wanted: Rc<VarSet>,
    /// Variables looked at above, or by counts that hang at them.
    kept: Rc<VarSet>,
    /// What is asked of walks as wholes.
    walks: Rc<Walks>,
    /// Whether the pattern stands on the rows of an apply.
    is_from_rows: bool,
}

/// Whether a plan starts from the rows of an apply around.
fn stands_on_rows(plan: &Plan) -> bool {
    let mut left = vec![plan];
    while let Some(plan) = left.pop() {
        match plan {
            Plan::Argument(_) => return true,
            // What is applied inside has rows of its own.
            Plan::Apply { input, .. } => left.push(input),
            other => left.extend(other.children()),
        }
    }
    false
}

/// Plans a pattern over the rows of `input`.
fn plan_pattern(input: Plan, graph: QueryGraph, needed: &VarSet, with: With<'_>) -> Result<Plan, Halt> {
    poll(with.cancel)?;
    let needed = made_of(&graph, needed);
    let QueryGraph { nodes, edges, paths, predicates, distinct, tables, counts, walks } = graph;
    let mut wanted = needed.clone();
    wanted.extend(vars_of(&predicates));
    wanted.extend(set_of(distinct.iter().flat_map(|(a, b)| [*a, *b])));
    let mut kept = needed.clone();
    kept.extend(counts.iter().map(|(at, _)| *at));
    let left: Vec<VarId> = nodes.iter().map(|n| n.var).collect();
    let is_from_rows = stands_on_rows(&input);
    let mut estimate = Estimate::of(&input, with.known);
    if is_from_rows {
        estimate.rows *= with.outer_rows;
    }
    let single = edges.iter().filter(|edge| edge.range == EdgeRange::One).map(|edge| edge.var);
    let entities = set_of(left.iter().copied().chain(single));
    let mut planner = Planner {
        with,
        entities: Rc::new(entities),
        labels: Rc::new(nodes.into_iter().map(|n| (n.var, n.labels)).collect()),
        tables: Rc::new(tables),
        edges: OpenEdges::new(edges),
        conditions: Conditions::new(predicates, distinct),
        hanging: Hanging::new(counts),
        estimate,
        is_from_rows,
        available: VarSet::new(),
        plan: input,
        wanted: Rc::new(wanted),
        kept: Rc::new(kept),
        walks: Rc::new(walks),
    };
    planner.reach(planner.plan.vars());
    planner.run(left)?;
    Ok(planner.finished(paths, &needed))
}

impl<'a> Planner<'a> {
    fn run(&mut self, mut left: Vec<VarId>) -> Result<(), Halt> {
        // What is asked of whole paths is asked once all else is there: their ends, and what it may speak of.
        let last = self.take_asked();
        self.start_shortest();
        self.place_filters();
        self.hang();
        left.retain(|v| !self.available.contains(v));
        // Edges between nodes that are all there already.
        let there: Vec<VarId> = self.available.iter().copied().collect();
        self.close_all(&there);
        self.plan_components(&left)?;
        last.iter().for_each(|edge| self.close(edge, edge.from));
        self.place_filters();
        Ok(())
    }

    /// The edges whose walks are asked about as wholes, taken off those to be planned.
    fn take_asked(&mut self) -> Vec<EdgePattern> {
        let is_asked = |v: &VarId| self.walks.get(v).is_some_and(|walk| walk.condition.is_some());
        let places: Vec<usize> =
            self.edges.iter().filter(|(_, e)| is_asked(&e.var)).map(|(place, _)| place).collect();
        places.into_iter().filter_map(|place| self.edges.take(place)).collect()
    }

    /// The plan with its paths made, and what looks at them asked.
    fn finished(self, paths: Vec<PathPattern>, needed: &VarSet) -> Plan {
        let Self { mut plan, conditions, .. } = self;
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
        match conjunction(conditions.rest()) {
            Some(predicate) => Plan::Filter { input: Box::new(plan), predicate },
            None => plan,
        }
    }

    /// Puts an operator on the plan.
    fn put(&mut self, operator: impl FnOnce(Box<Plan>) -> Plan) {
        let input = Box::new(std::mem::replace(&mut self.plan, Plan::Unit));
        self.plan = operator(input);
        let below = std::mem::take(&mut self.estimate);
        self.estimate = Estimate::over(&self.plan, vec![below], self.with.known);
    }

    /// Puts an operator with a second input on the plan.
    fn put_beside(&mut self, second: (Plan, Estimate), operator: impl FnOnce(Box<Plan>, Box<Plan>) -> Plan) {
        let input = Box::new(std::mem::replace(&mut self.plan, Plan::Unit));
        self.plan = operator(input, Box::new(second.0));
        let below = std::mem::take(&mut self.estimate);
        self.estimate = Estimate::over(&self.plan, vec![below, second.1], self.with.known);
    }

    /// Notes that the rows have some variables.
    fn reach(&mut self, vars: impl IntoIterator<Item = VarId>) {
        for var in vars {
            if self.available.insert(var) {
                self.conditions.reach(var);
                self.hanging.reach(var);
            }
        }
    }

    /// Places every predicate whose variables are there.
    fn place_filters(&mut self) {
        let ready = self.conditions.take_ready(&self.available);
        self.place(ready);
    }

    /// The same before an edge is followed: where that leaves few rows, what takes long is asked of these.
    fn place_filters_before(&mut self, next: Option<usize>) {
        let ready = match next.is_some_and(|edge| self.leaves_few(edge)) {
            true => self.conditions.take_ready_if(&self.available, |predicate| !takes_long(predicate)),
            false => self.conditions.take_ready(&self.available),
        };
        self.place(ready);
    }

    fn place(&mut self, mut ready: Vec<Expr>) {
        let known = self.with.known;
        let weigh = |predicate: &Expr| Weight {
            passing: self.estimate.passing(predicate, known),
            reading: vars_of([predicate]).into_iter().map(|var| self.reading(var)).sum(),
        };
        asked_first(&mut ready, &|var| self.entities.contains(var), Some(known.catalog), &weigh);
        if let Some(predicate) = conjunction(ready) {
            self.put(|input| Plan::Filter { input, predicate });
        }
    }

    /// What it takes to reach what the step on top gives, in nanoseconds: properties of a node are anywhere,
    /// those of a relationship follow each other from its source.
    fn reading(&self, var: VarId) -> f64 {
        let mut top = &self.plan;
        while let Plan::SemiJoin { input, .. } = top {
            top = input;
        }
        match top {
            Plan::Extend { step, .. } if step.edge == Some(var) && step.direction != Direction::Out => {
                JUMP_NANOS
            }
            Plan::Extend { step, .. } if step.to == var => {
                let tables = self.tables.get(&var).map_or(&[][..], Vec::as_slice);
                if rows_of(self.with.known.catalog, tables) > CACHED_ROWS { GATHER_NANOS } else { 0.0 }
            }
            _ => 0.0,
        }
    }

    /// Places the counting steps whose node is there.
    fn hang(&mut self) {
        for step in self.hanging.take_ready(&self.available) {
            self.put(|input| Plan::ExtendCount { input, step });
        }
    }
}

/// Counting steps that are not placed yet.
#[derive(Default)]
struct Hanging {
    items: Vec<Option<(VarId, CountStep)>>,
    by_node: HashMap<VarId, Vec<usize>>,
    ready: Vec<usize>,
}

impl Hanging {
    fn new(steps: impl IntoIterator<Item = (VarId, CountStep)>) -> Self {
        let mut hanging = Self::default();
        steps.into_iter().for_each(|(at, step)| hanging.add(at, step));
        hanging
    }

    fn add(&mut self, at: VarId, step: CountStep) {
        self.by_node.entry(at).or_default().push(self.items.len());
        self.items.push(Some((at, step)));
    }

    /// Notes that a node is there.
    fn reach(&mut self, node: VarId) {
        self.ready.extend(self.by_node.get(&node).into_iter().flatten());
    }

    /// Those whose node the rows have, in order, taken out.
    fn take_ready(&mut self, available: &VarSet) -> Vec<CountStep> {
        let mut places = std::mem::take(&mut self.ready);
        places.sort_unstable();
        let mut taken = Vec::new();
        for place in places {
            match self.items[place].take() {
                Some((at, step)) if available.contains(&at) => taken.push(step),
                Some(other) => {
                    self.items[place] = Some(other);
                    self.ready.push(place);
                }
                None => {}
            }
        }
        taken
    }

    /// Those at some nodes, taken out.
    fn take_at(&mut self, wanted: impl Fn(&VarId) -> bool) -> Vec<(VarId, CountStep)> {
        let is_wanted =
            |item: &&mut Option<(VarId, CountStep)>| item.as_ref().is_some_and(|(at, _)| wanted(at));
        self.items.iter_mut().filter(is_wanted).filter_map(Option::take).collect()
    }
}
