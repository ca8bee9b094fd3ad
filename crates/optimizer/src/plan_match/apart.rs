//! Statements that each row would look for are found once, apart from the rows, and joined with them.
//!
//! 1. Statements between two terms of the rows, as the second pattern of `?a ?p ?b . ?a ?q ?b`: looked up,
//!    each row goes through all predicates of its subject. And statements of a predicate with an object of
//!    the rows, as `?a :name ?l . ?b :name ?l`: looked up, a literal is searched for in columns.
//! 2. `EXISTS { … }`, and its negation, over triple patterns: what the pattern asks of the rows is that terms
//!    are the same. The pattern is planned as if there were no rows, from wherever it is found best.
//!
//! Before patterns are planned, those that could be asked so are put by, named by a variable of their own;
//! once the inputs are planned, the less work is taken.
//!
//! Invariant: a term that rows have and statements give is the same term in both forms, so that the keys of a
//! join tell terms apart as statements do. So predicates and graphs that rows have are left alone, unless
//! statements gave the graph.
//!
//! Source: Neumann and Kemper, "Unnesting Arbitrary Queries", BTW 2015.

use std::collections::{BTreeSet, HashMap};

use trimorph_algebra::{ApplyKind, Plan, PredicateTerm, TriplePattern, VarId, Vars};

use super::exists::{harmless_nodes, may_end_early};
use crate::cannot_fail::cannot_fail;
use crate::{VarSet, calls_volatile, set_of, vars_of};

/// Operators of a subplan that are looked through.
const OPERATORS_MAX: usize = 32;

/// What may be found apart from the rows.
#[derive(Default)]
pub(super) struct Apart {
    /// Statements about terms of the rows, by the predicate or the subject that is found.
    pub(super) found: VarSet,
    /// Subplans by a variable of their own.
    asked: HashMap<VarId, Asked>,
    /// Subjects and objects of the subplans that ask for one statement between terms of the rows.
    pub(super) between: BTreeSet<(VarId, VarId)>,
}

/// A subplan that asks for terms which are the same.
pub(super) struct Asked {
    /// The variables of the rows.
    pub(super) outer: Vec<VarId>,
    /// Those that are asked for.
    pub(super) on: Vec<VarId>,
    /// The subplan without the rows.
    pub(super) free: Plan,
    /// Subjects and objects of the statements, from the top.
    ends: Vec<(VarId, VarId)>,
}

impl Apart {
    /// What may be of a plan whose patterns are not planned yet.
    pub(super) fn of(plan: &Plan, vars: &Vars) -> Self {
        let mut apart = Self::default();
        let mut left = vec![(plan, false)];
        while let Some((plan, ends_early)) = left.pop() {
            let below = may_end_early(plan, ends_early);
            left.extend(plan.children().into_iter().map(|child| (child, below)));
            if ends_early {
                continue;
            }
            match plan {
                Plan::Statements { input, pattern } => apart.found.extend(found_var(input, pattern)),
                Plan::Apply {
                    subplan, kind: ApplyKind::Semi | ApplyKind::Anti | ApplyKind::Mark(_), ..
                } => {
                    apart.asked.extend(Asked::of(subplan, vars));
                    apart.between.extend(between(subplan).map(|(_, one)| (one.subject, one.object)));
                }
                _ => {}
            }
        }
        apart
    }

    /// What a planned subplan was.
    pub(super) fn find(&self, subplan: &Plan) -> Option<&Asked> {
        if self.asked.is_empty() {
            return None;
        }
        let ends = ends_of(subplan);
        let own = ends.iter().flat_map(|(subject, object)| [subject, object]);
        own.filter_map(|var| self.asked.get(var)).find(|asked| asked.ends == ends)
    }
}

/// What is found by statements about terms of the rows that are worth finding apart: a predicate between two
/// of them, of which the first is a subject, or the subject of an object.
fn found_var(input: &Plan, pattern: &TriplePattern) -> Option<VarId> {
    let there = input.vars();
    let has = |var: VarId| there.contains(&var);
    let mut all = Vec::new();
    statements_of(input, &mut all);
    let graph = pattern.graph.var().filter(|graph| has(*graph));
    let is_graph = graph.is_none_or(|graph| all.iter().any(|below| below.graph.var() == Some(graph)));
    if !is_graph || !has(pattern.object) || !is_plain(pattern) {
        return None;
    }
    match pattern.predicate {
        // Of what is no subject nothing is looked for.
        PredicateTerm::Var(predicate) if !has(predicate) => {
            let is_subject = all.iter().any(|below| below.subject == pattern.subject);
            (is_subject && has(pattern.subject)).then_some(predicate)
        }
        PredicateTerm::Iri(_) if !has(pattern.subject) => Some(pattern.subject),
        _ => None,
    }
}

/// The rows and the statement of a subplan that asks for one of a predicate between two of their terms.
pub(super) fn between(mut subplan: &Plan) -> Option<(&[VarId], &TriplePattern)> {
    while let Plan::Project { input, .. } | Plan::Distinct { input, .. } = subplan {
        subplan = input;
    }
    let Plan::Statements { input, pattern } = subplan else { return None };
    let Plan::Argument(outer) = &**input else { return None };
    let is_one = matches!(pattern.predicate, PredicateTerm::Iri(_)) && pattern.graph.var().is_none();
    let are_given = outer.contains(&pattern.subject) && outer.contains(&pattern.object);
    (is_one && are_given && is_plain(pattern)).then_some((outer, pattern))
}

/// Whether a pattern asks for statements, and for different things at its places.
fn is_plain(pattern: &TriplePattern) -> bool {
    pattern.count.is_none() && set_of(pattern.vars()).len() == pattern.vars().count()
}

/// The statements that a plan goes through one after the other, from the top.
fn statements_of<'p>(mut plan: &'p Plan, out: &mut Vec<&'p TriplePattern>) {
    loop {
        if let Plan::Statements { pattern, .. } = plan {
            out.push(pattern);
        }
        plan = match plan.children()[..] {
            [input] => input,
            _ => return,
        };
    }
}

fn ends_of(plan: &Plan) -> Vec<(VarId, VarId)> {
    let mut all = Vec::new();
    statements_of(plan, &mut all);
    all.into_iter().map(|pattern| (pattern.subject, pattern.object)).collect()
}

impl Asked {
    /// A subplan that asks for terms, by a variable of its own.
    fn of(subplan: &Plan, vars: &Vars) -> Option<(VarId, Self)> {
        let mut top = subplan;
        // Only whether there are rows is asked.
        while let Plan::Project { input, .. } | Plan::Distinct { input, .. } = top {
            top = input;
        }
        let mut chain = Vec::new();
        let mut at = top;
        let outer = loop {
            if chain.len() > OPERATORS_MAX {
                return None;
            }
            chain.push(at);
            at = match at {
                Plan::Argument(outer) => break outer,
                Plan::Statements { input, .. }
                | Plan::Filter { input, .. }
                | Plan::Extra { input, .. }
                | Plan::Match { input, .. } => input,
                _ => return None,
            };
        };
        let is_outer = |var: &VarId| outer.contains(var);
        let is_certain = |expr: &_| cannot_fail(expr, vars) && !calls_volatile(expr);
        let (mut on, mut there, mut objects) = (VarSet::new(), VarSet::new(), VarSet::new());
        for plan in chain.into_iter().rev() {
            let (found, read) = match plan {
                Plan::Statements { pattern, .. } if is_plain(pattern) => {
                    let ends = VarSet::from([pattern.subject, pattern.object]);
                    if pattern.vars().any(|var| is_outer(&var) && !ends.contains(&var)) {
                        return None;
                    }
                    // Two subjects of one object may be all pairs of many, which no estimate tells.
                    if objects.contains(&pattern.object) && !there.contains(&pattern.subject) {
                        return None;
                    }
                    objects.insert(pattern.object);
                    (ends, VarSet::new())
                }
                Plan::Filter { predicate, .. } if is_certain(predicate) => {
                    (VarSet::new(), vars_of([predicate]))
                }
                Plan::Extra { items, .. } if items.iter().all(|(_, expr)| is_certain(expr)) => {
                    (VarSet::new(), vars_of(items.iter().map(|(_, expr)| expr)))
                }
                Plan::Match { graph, .. } => {
                    objects.extend(graph.edges.iter().map(|edge| edge.to));
                    (harmless_nodes(graph)?, vars_of(&graph.predicates))
                }
                Plan::Argument(_) => continue,
                _ => return None,
            };
            on.extend(found.iter().filter(|var| is_outer(var)));
            there.extend(found);
            // What is asked of the rows themselves is asked row by row.
            if read.iter().any(|var| is_outer(var) && !on.contains(var)) {
                return None;
            }
        }
        let ends = ends_of(top);
        let own = ends.iter().flat_map(|(subject, object)| [*subject, *object]).find(|var| !is_outer(var))?;
        let on = on.into_iter().collect::<Vec<VarId>>();
        let asked = Self { outer: outer.clone(), on, free: without_rows(top), ends };
        (!asked.on.is_empty()).then_some((own, asked))
    }

    /// What is looked at of the subplan without the rows.
    pub(super) fn needed(&self) -> VarSet {
        let mut needed = set_of(self.on.iter().copied());
        let mut at = &self.free;
        loop {
            match at {
                Plan::Statements { pattern, .. } => needed.extend(pattern.vars()),
                Plan::Filter { predicate, .. } => needed.append(&mut vars_of([predicate])),
                Plan::Extra { items, .. } => {
                    needed.append(&mut vars_of(items.iter().map(|(_, expr)| expr)));
                }
                _ => {}
            }
            at = match at.children()[..] {
                [input] => input,
                _ => return needed,
            };
        }
    }
}

/// The same plan on one row instead of those of an apply.
fn without_rows(plan: &Plan) -> Plan {
    let mut free = plan.clone();
    let mut at = &mut free;
    loop {
        if matches!(at, Plan::Argument(_)) {
            *at = Plan::Unit;
            return free;
        }
        match at {
            Plan::Statements { input, .. }
            | Plan::Filter { input, .. }
            | Plan::Extra { input, .. }
            | Plan::Match { input, .. } => at = input,
            _ => return free,
        }
    }
}
