//! Takes a plan, gives about how many rows each of its operators gives. For EXPLAIN, for patterns that start
//! from other rows, and while a pattern grows.
//!
//! An estimate is made from those of the inputs, bottom up and without recursion, so that growing a plan
//! costs nothing for what is below, and all operators of a plan are estimated in one walk.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use trimorph_algebra::{
    ApplyKind, BandKind, CountStep, EdgePattern, EdgeRange, Expr, Extend, Op, Plan, PredicateTerm,
    TriplePattern, VarId, Wanted,
};
use trimorph_base::{EdgeTableId, TableId};
use trimorph_catalog::{Catalog, CatalogView};
use trimorph_types::Value;

use crate::counted::Of;
use crate::degrees::{are_picked, degree, degree_of_few, rows_of};
use crate::samples::{Estimator, Samples};
use crate::selectivity::{RANGE, Statistics, joint_selectivity};
use crate::tables::joined_tables;

/// The part of rows in which two things are not equal.
const NOT_EQUAL: f64 = 0.9;

/// The part of the nodes in one list that another list has, too, and of pairs of nodes that an edge joins.
const IN_BOTH: f64 = 0.5;

/// What is thought of the rows of a plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct Estimate {
    /// How many there are.
    pub(crate) rows: f64,
    /// Rows of the tables that the plan starts from scanning, if it does.
    scanned: Option<f64>,
    /// The node that it starts from scanning, and how many of them there are among the rows at most.
    start: Option<(VarId, f64)>,
    /// The tables that node variables can be in, where the plan says.
    tables: HashMap<VarId, Rc<[TableId]>>,
    /// The same of relationships.
    edges: HashMap<VarId, Arc<[EdgeTableId]>>,
}

/// Rows that each operator of a plan gives, about, by what the plan was made with: the catalog, and the
/// `estimator` that knows more; in the order in which EXPLAIN shows them.
pub fn estimate_all(plan: &Plan, catalog: &Catalog, estimator: Option<&dyn Estimator>) -> Vec<f64> {
    let known = Statistics { catalog: &CatalogView::new(catalog), samples: &Samples::new(estimator) };
    Estimate::of_each(plan, known)
}

impl Estimate {
    /// The estimate of a whole plan.
    pub(crate) fn of(plan: &Plan, known: Statistics<'_>) -> Self {
        Self::walk(plan, known, &mut Vec::new())
    }

    /// The rows of each operator of a plan: of one, then of its inputs, one after the other.
    pub(crate) fn of_each(plan: &Plan, known: Statistics<'_>) -> Vec<f64> {
        let mut rows = Vec::new();
        Self::walk(plan, known, &mut rows);
        rows
    }

    /// The part of the rows that a predicate on one node or relationship lets through.
    pub(crate) fn passing(&self, predicate: &Expr, known: Statistics<'_>) -> Option<f64> {
        let var = entity_of(self, predicate)?;
        Some(joint_selectivity(known, &[predicate], var, self.kind_of(var)))
    }

    /// What a node or relationship can be.
    fn kind_of(&self, var: VarId) -> Of<'_> {
        match self.edges.get(&var) {
            Some(tables) => Of::Edges(tables),
            None => Of::Nodes(self.tables.get(&var).map_or(&[][..], |tables| tables)),
        }
    }

    /// Fills `rows`, by place in a walk from the top.
    fn walk(plan: &Plan, known: Statistics<'_>, rows: &mut Vec<f64>) -> Self {
        // From the top: operators and where their input is in the list. Backwards, every input comes before
        // what stands on it.
        let mut order: Vec<&Plan> = Vec::new();
        let mut left = vec![plan];
        while let Some(plan) = left.pop() {
            order.push(plan);
            left.extend(plan.children().into_iter().rev());
        }
        // What spools keep comes before what reads it, too: it stands behind the query.
        let spools: HashMap<*const Plan, u32> = order.iter().filter_map(|plan| spool_of(plan)).collect();
        let mut kept: HashMap<u32, f64> = HashMap::new();
        *rows = vec![0.0; order.len()];
        let mut done: Vec<Self> = Vec::new();
        for (place, plan) in order.into_iter().enumerate().rev() {
            // The inputs are the last that were done, the first of them last.
            let mut inputs = done.split_off(done.len() - plan.children().len());
            inputs.reverse();
            let mut estimate = Self::over(plan, inputs, known);
            if let Plan::SpoolRead { number, .. } = plan {
                estimate.rows = kept.get(number).copied().unwrap_or(1.0);
            }
            if let Some(number) = spools.get(&std::ptr::from_ref(plan)) {
                kept.insert(*number, estimate.rows);
            }
            rows[place] = estimate.rows;
            done.push(estimate);
        }
        done.pop().unwrap_or_default()
    }

    /// The estimate of an operator, from those of its inputs; of `plan` only the operator itself is looked
    /// at.
    pub(crate) fn over(plan: &Plan, inputs: Vec<Self>, known: Statistics<'_>) -> Self {
        let rows = rows_over(plan, &inputs, known);
        let mut inputs = inputs.into_iter();
        let mut own = inputs.next().unwrap_or_default();
        own.rows = rows;
        for other in inputs {
            own.add(other.tables);
            for (var, tables) in other.edges {
                own.edges.entry(var).or_insert(tables);
            }
        }
        let mut at = |var: VarId, tables: &[TableId]| own.tables.insert(var, tables.into());
        match plan {
            Plan::NodeScan(scan) => {
                at(scan.var, &scan.tables);
                own.scanned = Some(rows);
                own.start = Some((scan.var, rows));
            }
            Plan::KeyLookup { lookup, .. } => drop(at(lookup.var, &lookup.tables)),
            Plan::IdLookup { var, tables, .. } => drop(at(*var, tables)),
            Plan::EdgeLookup { lookup, .. } => {
                if let Some(tables) = &lookup.from_tables {
                    drop(at(lookup.step.from, tables));
                }
                own.reach(&lookup.step, known.catalog);
            }
            Plan::Extend { step, .. } => own.reach(step, known.catalog),
            Plan::VarExtend { step, .. } => own.reach(&step.step, known.catalog),
            Plan::Intersect { steps, .. } => {
                steps.iter().rev().for_each(|step| own.reach(step, known.catalog));
            }
            Plan::Project { items, .. } | Plan::Extra { items, .. } => own.rename(items),
            Plan::Aggregate { keys, .. } => own.rename(keys),
            _ => {}
        }
        if let Some((_, nodes)) = &mut own.start {
            *nodes = nodes.min(rows);
        }
        own
    }

    /// The tables that the node of a variable is in, where that is known.
    pub(crate) fn tables_of(&self, var: VarId) -> Option<&[TableId]> {
        self.tables.get(&var).map(|tables| &**tables)
    }

    /// How many different nodes a variable has at most.
    fn different(&self, var: VarId) -> f64 {
        match self.start {
            Some((start, nodes)) if start == var => nodes,
            _ => self.rows,
        }
    }

    /// Variables that are others under new names are in the same tables.
    fn rename(&mut self, items: &[(VarId, Expr)]) {
        for (name, expr) in items {
            let Expr::Var(var) = expr else { continue };
            if let Some(tables) = self.tables.get(var).cloned() {
                self.tables.insert(*name, tables);
            }
            if let Some(tables) = self.edges.get(var).cloned() {
                self.edges.insert(*name, tables);
            }
        }
    }

    /// What is said of variables by another input: the first one counts.
    fn add(&mut self, mut other: HashMap<VarId, Rc<[TableId]>>) {
        if self.tables.len() < other.len() {
            other.extend(self.tables.drain());
            self.tables = other;
        } else {
            for (var, tables) in other {
                self.tables.entry(var).or_insert(tables);
            }
        }
    }

    fn reach(&mut self, step: &Extend, catalog: &CatalogView<'_>) {
        if let Some(edge) = step.edge {
            self.edges.insert(edge, catalog.edge_tables((!step.types.is_empty()).then_some(&*step.types)));
        }
        let tables = match &step.to_tables {
            Some(tables) => tables.as_slice().into(),
            None => catalog.statistics().table_ids().collect(),
        };
        self.tables.insert(step.to, tables);
    }
}

/// The plan that makes the rows of a spool, and the spool's number.
fn spool_of(plan: &Plan) -> Option<(*const Plan, u32)> {
    match plan {
        Plan::Spool { rows, number, .. } => Some((std::ptr::from_ref(&**rows), *number)),
        _ => None,
    }
}

/// About how long a plan takes, in nanoseconds, where an apply around it hands in so many rows.
pub(crate) fn work_of(plan: &Plan, argument: f64, known: Statistics<'_>) -> f64 {
    let mut order: Vec<&Plan> = Vec::new();
    let mut left = vec![plan];
    while let Some(plan) = left.pop() {
        order.push(plan);
        left.extend(plan.children().into_iter().rev());
    }
    let (mut done, mut work): (Vec<Estimate>, f64) = (Vec::new(), 0.0);
    for plan in order.into_iter().rev() {
        let children = plan.children();
        let mut inputs = done.split_off(done.len() - children.len());
        inputs.reverse();
        let taken: f64 = inputs.iter().map(|input| input.rows).sum();
        let below = inputs.first().cloned().unwrap_or_default();
        let kept = inputs.get(1).map_or(0.0, |input| input.rows);
        let mut estimate = Estimate::over(plan, inputs, known);
        if matches!(plan, Plan::Argument(_)) {
            estimate.rows = argument;
        }
        work += match (plan, &children[..]) {
            // A range: nothing is read.
            (Plan::NodeScan(_) | Plan::Argument(_), _) => 0.0,
            // Encoded values that lie one after the other.
            (Plan::Filter { .. }, [Plan::NodeScan(_)]) => taken * SCANNED_NANOS,
            // Values of rows anywhere.
            (Plan::Filter { .. }, _) => taken * GATHERED_NANOS,
            // A node is looked for among the neighbours of another.
            (Plan::ExtendInto { .. }, _) => taken * GATHERED_NANOS,
            // Lists of neighbours are gone through beside each other.
            (Plan::Intersect { steps, .. }, _) => {
                let each = |step| degree_of(&below, step, taken, known.catalog);
                taken * steps.iter().map(each).sum::<f64>() * MADE_NANOS
            }
            // Rows that are put into a table, or looked up there.
            (Plan::HashJoin { .. }, _) => {
                let looked_up = if kept > CACHED_KEYS { FAR_NANOS } else { GATHERED_NANOS };
                taken * looked_up + estimate.rows * MADE_NANOS
            }
            (Plan::Statements { input, pattern }, _) => {
                taken * looked_for_nanos(pattern, input, known.catalog) + estimate.rows * STATEMENT_NANOS
            }
            _ => taken + estimate.rows * MADE_NANOS,
        };
        done.push(estimate);
    }
    work
}

/// What asking a row of a scan takes, one that lies anywhere, and making one.
const SCANNED_NANOS: f64 = 1.0;
const GATHERED_NANOS: f64 = 8.0;
const MADE_NANOS: f64 = 4.0;

/// Keys up to which a hash table stays in a cache, and what a look into one that does not takes. Measured on
/// SNB at scale 1: 3 million looks for two nodes among a million, 64 ns each with what is put in.
const CACHED_KEYS: f64 = 131_072.0;
const FAR_NANOS: f64 = 50.0;

/// What a statement takes that is found, one that is looked for by its predicate, one of any predicate (each
/// column that its subject may have is read), and one of a literal (columns are searched). Measured on a
/// catalogue with 30 predicates.
const STATEMENT_NANOS: f64 = 100.0;
const OF_PREDICATE_NANOS: f64 = 250.0;
const OF_ANY_NANOS: f64 = 3_000.0;
const OF_LITERAL_NANOS: f64 = 10_000.0;

/// What it takes to look for the statements of a row.
fn looked_for_nanos(pattern: &TriplePattern, input: &Plan, catalog: &CatalogView<'_>) -> f64 {
    let given = input.vars();
    let [subject, object] = [pattern.subject, pattern.object].map(|var| given.contains(&var));
    match &pattern.predicate {
        // All there are: each is found.
        _ if !subject && !object => 0.0,
        PredicateTerm::Iri(iri) if !subject && catalog.may_have_literals(iri) => OF_LITERAL_NANOS,
        PredicateTerm::Var(var) if !given.contains(var) => OF_ANY_NANOS,
        _ => OF_PREDICATE_NANOS,
    }
}

/// Edges that a step follows from one of so many rows.
fn degree_of(input: &Estimate, step: &Extend, rows: f64, catalog: &CatalogView<'_>) -> f64 {
    let pattern = EdgePattern {
        var: step.to,
        from: step.from,
        to: step.to,
        types: step.types.clone(),
        direction: step.direction,
        range: EdgeRange::One,
        each: None,
        whole: Vec::new(),
    };
    let wanted = |t: &TableId| step.to_tables.as_ref().is_none_or(|ts| ts.contains(t));
    let found;
    let from: &[TableId] = match input.tables.get(&step.from) {
        Some(tables) => tables,
        None => {
            let pairs = joined_tables(catalog, &pattern);
            let mut from: Vec<TableId> = pairs.iter().filter(|p| wanted(&p.1)).map(|p| p.0).collect();
            from.sort_unstable();
            from.dedup();
            found = from;
            &found
        }
    };
    let to: Vec<TableId> = catalog.statistics().table_ids().filter(wanted).collect();
    match are_picked(catalog, rows, from) {
        true => degree_of_few(catalog, &pattern, from, &to, false),
        false => degree(catalog, &pattern, from, &to, false),
    }
}

/// Rows of an operator, from its inputs.
fn rows_over(plan: &Plan, inputs: &[Estimate], known: Statistics<'_>) -> f64 {
    let catalog = known.catalog;
    let first = inputs.first().map_or(1.0, |input| input.rows);
    let second = inputs.get(1).map_or(1.0, |input| input.rows);
    match (plan, inputs) {
        (Plan::Unit | Plan::Argument(_), _) => 1.0,
        (Plan::Empty(_), _) => 0.0,
        (Plan::NodeScan(scan), _) => rows_of(catalog, &scan.tables),
        (Plan::EdgeLookup { lookup, .. }, _) => first * known.found_by_edges(lookup),
        (Plan::Filter { predicate, .. }, [input]) => first * filtered_part(input, predicate, known),
        (Plan::Extend { step, .. }, [input]) => first * degree_of(input, step, first, catalog),
        (Plan::ExtendInto { .. }, _) => first * IN_BOTH,
        // No more than the shortest of the lists, less what is missing in the others.
        (Plan::Intersect { steps, .. }, [input]) => {
            let lists = steps.iter().map(|step| degree_of(input, step, first, catalog));
            let others = i32::try_from(steps.len()).map_or(0, |steps| steps - 1);
            first * lists.fold(f64::INFINITY, f64::min) * IN_BOTH.powi(others)
        }
        (Plan::VarExtend { step, .. }, [input]) => {
            let one = degree_of(input, &step.step, f64::MAX, catalog);
            first * if step.into { 1.0 } else { (one + one * one).max(1.0) }
        }
        (Plan::ExtendCount { step, .. }, [input]) if step.predicate.is_some() => {
            first * matches_of(input, step, first, known).min(1.0)
        }
        (Plan::Aggregate { keys, .. }, _) if keys.is_empty() => first.min(1.0),
        (Plan::Aggregate { keys, .. }, [input]) => groups(keys.iter().map(|(_, key)| key), input, catalog),
        (Plan::Distinct { vars, .. }, [input]) => {
            let keys: Vec<Expr> = vars.iter().map(|var| Expr::Var(*var)).collect();
            groups(keys.iter(), input, catalog)
        }
        (Plan::Sort { of_group: Some(limit), .. }, [input]) if limit.exact => first.min(
            groups(limit.keys.iter(), input, catalog) * (f64::from(limit.first) + f64::from(limit.last)),
        ),
        (Plan::Limit { count, .. }, _) => match count {
            Expr::Const(Value::Int(n)) => first.min(*n as f64),
            _ => first.min(100.0),
        },
        (Plan::Unwind { list, .. }, [input]) => first * elements(list, input, known),
        (Plan::ProcedureCall { call, .. }, _) if !call.procedure.signature().is_void() => first * 10.0,
        (Plan::Statements { input, pattern }, [below]) => {
            first * statements_for(pattern, input, below, catalog)
        }
        (Plan::PropertyPath { .. }, _) => first * 10.0,
        (Plan::Union { .. }, _) => inputs.iter().map(|input| input.rows).sum(),
        // The part of the node's rows that the filter gives, whichever node it starts from.
        (Plan::SemiJoin { anti, var, .. }, [_, filter]) => {
            let all = || catalog.statistics().node_tables.iter().map(|t| t.rows as f64).sum();
            let own = filter.tables.get(var).map(|tables| rows_of(catalog, tables));
            let part = (second / own.or(filter.scanned).unwrap_or_else(all).max(1.0)).min(1.0);
            first * if *anti { 1.0 - part } else { part }
        }
        (Plan::HashJoin { on, .. }, [left, right]) => {
            let product = first * second;
            match on[..] {
                [] => product,
                // Each side has as many nodes as it has rows, but no more than it starts from or than there
                // are.
                [node] if let Some(tables) = left.tables.get(&node).or(right.tables.get(&node)) => {
                    let nodes = left.different(node).max(right.different(node));
                    product / nodes.min(rows_of(catalog, tables)).max(1.0)
                }
                _ => product.sqrt(),
            }
        }
        // A row meets those that hang on the same node: no more than are wanted, or about half of them.
        (Plan::RangeJoin { on, band, .. }, [left, right]) if let [node] = on[..] => {
            let nodes = left.different(node).max(right.different(node)).max(1.0);
            let met = second / nodes * 0.5;
            first
                * match band.wanted {
                    Wanted::All => met,
                    Wanted::First(rows) | Wanted::Last(rows) => met.min(f64::from(rows)),
                }
        }
        // Two bounds and a beginning let little through, one bound about half.
        (Plan::RangeJoin { band, .. }, _) if band.kind != BandKind::Between || band.bounds().count() > 1 => {
            (first * second).sqrt()
        }
        (Plan::RangeJoin { .. }, _) => first * second * 0.5,
        (Plan::Apply { kind, .. }, _) => match kind.answer() {
            ApplyKind::Inner => first * second.max(0.1),
            ApplyKind::Optional => first * second.max(1.0),
            ApplyKind::Semi | ApplyKind::Anti => first * 0.5,
            _ => first,
        },
        _ => first,
    }
}

/// How many statements a pattern finds for a row.
fn statements_for(pattern: &TriplePattern, input: &Plan, below: &Estimate, catalog: &CatalogView<'_>) -> f64 {
    let given = input.vars();
    let [subject, object] = [pattern.subject, pattern.object].map(|var| given.contains(&var));
    let tables = below.tables.get(&pattern.subject).map(|tables| &**tables);
    let found = |iri: Option<&str>| catalog.statement_counts(iri, tables).found(subject, object);
    match (&pattern.predicate, &pattern.among) {
        (PredicateTerm::Iri(iri), _) => found(Some(iri)),
        (_, Some(among)) if among.is_in => among.iris.iter().map(|iri| found(Some(iri))).sum(),
        _ => found(None),
    }
}

/// How many matches of what is counted hang at a node, one of so many rows.
fn matches_of(input: &Estimate, counted: &CountStep, rows: f64, known: Statistics<'_>) -> f64 {
    let mut reached = Estimate::default();
    reached.reach(&counted.step, known.catalog);
    let part = counted.predicate.as_ref().map_or(1.0, |predicate| filtered_part(&reached, predicate, known));
    let matches = degree_of(input, &counted.step, rows, known.catalog) * part;
    counted.next.iter().fold(matches, |all, next| all * matches_of(&reached, next, f64::MAX, known))
}

/// Elements of a list whose length nothing tells.
const ELEMENTS: f64 = 10.0;

/// How many elements a list has, on the mean.
fn elements(list: &Expr, input: &Estimate, known: Statistics<'_>) -> f64 {
    match list {
        Expr::List(items) => items.len() as f64,
        Expr::Const(Value::List(items)) => items.len() as f64,
        Expr::Call(name, args, _) if &**name == "coll.distinct" => match &args[..] {
            [list] => elements(list, input, known),
            _ => ELEMENTS,
        },
        Expr::Property(base, name, _) if let Expr::Var(var) = **base => {
            let tables = input.tables.get(&var);
            tables.and_then(|tables| known.samples.elements(tables, name)).unwrap_or(ELEMENTS)
        }
        _ => ELEMENTS,
    }
}

/// How many groups the rows of `input` are of. By nodes and their properties there are no more than there
/// are nodes: of these, those that so many draws meet. Other keys are thought to tell rows apart as they
/// mostly do.
fn groups<'e>(keys: impl Iterator<Item = &'e Expr>, input: &Estimate, catalog: &CatalogView<'_>) -> f64 {
    let usual = input.rows.powf(0.75);
    let (mut nodes, mut by_node, mut are_known) = (Vec::new(), false, true);
    for key in keys {
        let var = match key {
            Expr::Var(var) => Some(*var),
            Expr::Property(base, ..) => {
                if let Expr::Var(var) = **base {
                    Some(var)
                } else {
                    None
                }
            }
            _ => None,
        };
        match var.and_then(|var| Some((var, input.tables.get(&var)?))) {
            Some((var, tables)) => {
                by_node |= matches!(key, Expr::Var(_));
                if nodes.iter().all(|(known, _)| *known != var) {
                    nodes.push((var, rows_of(catalog, tables).max(1.0)));
                }
            }
            None => are_known = false,
        }
    }
    let all = nodes.iter().map(|(_, rows)| rows).product::<f64>();
    let met = all * -(-input.rows / all).exp_m1();
    match (nodes.is_empty(), are_known, by_node) {
        (false, true, true) => met.min(input.rows),
        (false, true, false) => usual.min(met),
        (false, false, true) => usual.max(met).min(input.rows),
        _ => usual,
    }
}

/// The part of a plan's rows that a predicate lets through. Conditions on one node or relationship are taken
/// together, as they are where joins are ordered.
fn filtered_part(input: &Estimate, predicate: &Expr, known: Statistics<'_>) -> f64 {
    let parts = match predicate {
        Expr::Op(Op::And, parts, _) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut on_one: BTreeMap<VarId, Vec<&Expr>> = BTreeMap::new();
    let mut passing = 1.0;
    for part in parts {
        match entity_of(input, part) {
            Some(var) => on_one.entry(var).or_default().push(part),
            None => passing *= guess(part),
        }
    }
    for (var, parts) in on_one {
        passing *= joint_selectivity(known, &parts, var, input.kind_of(var));
    }
    passing
}

/// The node or relationship that a predicate looks at, if that is all it looks at and its tables are known.
fn entity_of(input: &Estimate, predicate: &Expr) -> Option<VarId> {
    let mut vars = Vec::new();
    predicate.free_vars(&mut vars);
    match vars[..] {
        [var] if input.tables.contains_key(&var) || input.edges.contains_key(&var) => Some(var),
        _ => None,
    }
}

/// The part of rows that a predicate lets through which looks at several things.
fn guess(predicate: &Expr) -> f64 {
    match predicate {
        Expr::Op(Op::Eq, _, _) => 0.05,
        Expr::Op(Op::Ne, _, _) => NOT_EQUAL,
        Expr::Op(Op::Differs, args, _) => {
            NOT_EQUAL.powi(i32::try_from(args.len().saturating_sub(1)).unwrap_or(i32::MAX))
        }
        _ => RANGE,
    }
}
