//! Patterns that nothing but a predicate connects: which predicates two classes share asks
//! `SELECT DISTINCT ?p { ?a a :Post ; ?p ?x . ?b a :Comment ; ?p ?y }`.
//!
//! There are few predicates, and each has many statements on both sides, so that a join of them pairs nearly
//! all with all. Each side is asked for its predicates alone, each once, and these are joined:
//!
//! * where only the different values of what is selected are wanted, [`parted`] says so as a pattern;
//! * where an `EXISTS` has only predicates in common with rows that come from statements of any predicate,
//!   it is asked once for all of them.

use std::sync::Arc;

use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern, Variable};
use trimorph_algebra::{Plan, PredicateTerm, VarId};

use super::expression::conjuncts;
use super::relation::{Active, Name, Relation, Slot};
use super::scope::{Names, any_exists, asked, mentioned, name_of, names_of, sharing, visible};
use super::{Binder, Bound};

/// A projection whose different rows are those of several sub-queries, if only predicates connect its parts.
pub(super) fn parted(projected: &GraphPattern) -> Option<GraphPattern> {
    use GraphPattern as P;
    let P::Project { inner, variables } = projected else { return None };
    let (patterns, conditions) = filtered_triples(inner)?;
    let selected: Names = variables.iter().map(name_of).collect();
    let predicates = &predicates_of(patterns) & &selected;
    if predicates.is_empty() {
        return None;
    }
    let parts = sharing(patterns, &predicates);
    if parts.len() < 2 {
        return None;
    }
    let mut joined: Option<P> = None;
    let mut is_asked = vec![false; conditions.len()];
    for patterns in parts {
        let names: Names = patterns.iter().flat_map(names_of).collect();
        let variables: Vec<Variable> =
            variables.iter().filter(|variable| names.contains(&name_of(variable))).cloned().collect();
        if variables.is_empty() {
            return None;
        }
        let mut part = P::Bgp { patterns };
        for (condition, is_asked) in conditions.iter().zip(&mut is_asked) {
            let mut of = Names::new();
            asked(condition, &mut of);
            if of.is_subset(&names) {
                *is_asked = true;
                part = P::Filter { expr: (*condition).clone(), inner: Box::new(part) };
            }
        }
        let part = P::Distinct { inner: Box::new(P::Project { inner: Box::new(part), variables }) };
        joined = Some(match joined {
            None => part,
            Some(left) => P::Join { left: Box::new(left), right: Box::new(part) },
        });
    }
    if !is_asked.into_iter().all(|is_asked| is_asked) {
        return None;
    }
    Some(P::Project { inner: Box::new(joined?), variables: variables.clone() })
}

/// Triple patterns, and the conditions on what they find.
fn filtered_triples(pattern: &GraphPattern) -> Option<(&[TriplePattern], Vec<&Expression>)> {
    let (mut pattern, mut conditions) = (pattern, Vec::new());
    loop {
        match pattern {
            GraphPattern::Filter { expr, inner } => {
                conjuncts(expr, &mut conditions);
                pattern = inner;
            }
            GraphPattern::Bgp { patterns } => return Some((patterns, conditions)),
            _ => return None,
        }
    }
}

/// Variables that stand for predicates.
fn predicates_of(patterns: &[TriplePattern]) -> Names {
    let variables = patterns.iter().filter_map(|triple| match &triple.predicate {
        NamedNodePattern::Variable(variable) => Some(name_of(variable)),
        NamedNodePattern::NamedNode(_) => None,
    });
    variables.collect()
}

/// Whether a variable has the predicates of statements that an operator of a plan reads, of no one thing.
fn is_read_as_predicate(plan: &Plan, var: VarId) -> bool {
    let mut left = vec![plan];
    while let Some(plan) = left.pop() {
        if let Plan::Statements { input, pattern } = plan
            && matches!(&pattern.predicate, PredicateTerm::Var(own) if *own == var)
        {
            return ![pattern.subject, pattern.object].into_iter().any(|end| is_constant(input, end));
        }
        left.extend(plan.children());
    }
    false
}

/// Whether a variable has one value, which stands in the text.
fn is_constant(plan: &Plan, var: VarId) -> bool {
    let mut left = vec![plan];
    while let Some(plan) = left.pop() {
        if let Plan::Extra { items, .. } = plan
            && let Some((_, value)) = items.iter().find(|(own, _)| *own == var)
        {
            let mut of = Vec::new();
            value.free_vars(&mut of);
            return of.is_empty();
        }
        left.extend(plan.children());
    }
    false
}

impl Binder<'_> {
    /// The pattern of an `EXISTS`, asked for all rows at once, where it has only predicates in common with
    /// them.
    pub(super) fn exists_by_predicate(
        &mut self,
        relation: &Relation,
        pattern: &GraphPattern,
        active: &Active,
    ) -> Bound<Option<Plan>> {
        // A graph that is found is one more thing that they have in common.
        let is_one_graph = matches!(active, Active::Default | Active::Named(NamedNodePattern::NamedNode(_)));
        let Some((patterns, conditions)) = filtered_triples(pattern).filter(|_| is_one_graph) else {
            return Ok(None);
        };
        let names = mentioned(pattern);
        let shared: Vec<Name> =
            names.iter().filter(|name| relation.slots.contains_key(*name)).map(Arc::clone).collect();
        let own = visible(pattern);
        let is_predicate = |name: &Name| {
            let ends = patterns.iter().flat_map(|triple| [&triple.subject, &triple.object]);
            let is_end = ends.clone().any(|end| match end {
                TermPattern::Variable(variable) => name_of(variable) == *name,
                TermPattern::Triple(_) => true,
                _ => false,
            });
            let slot = relation.slots.get(name);
            let read = slot.filter(|slot| slot.certain).and_then(Slot::carrier);
            !is_end && read.is_some_and(|var| is_read_as_predicate(&relation.plan, var))
        };
        let predicates = predicates_of(patterns);
        let is_apart = !shared.is_empty()
            && shared.iter().all(|name| predicates.contains(name) && is_predicate(name))
            && names.is_subset(&own)
            && conditions.iter().all(|condition| !any_exists(condition, &mut |_| true));
        if !is_apart {
            return Ok(None);
        }
        let variables = shared.iter().map(|name| Variable::new_unchecked(&**name)).collect();
        let inner = Box::new(GraphPattern::Project { inner: Box::new(pattern.clone()), variables });
        let alone = self.alone(&GraphPattern::Distinct { inner }, active)?;
        let mut row = relation.argument(active);
        row.slots.retain(|name, _| shared.contains(name));
        Ok(Some(self.join(row, alone)?.plan))
    }
}
