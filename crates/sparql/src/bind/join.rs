//! Joins within groups: takes their parts, gives the order in which they are matched.
//!
//! 1. What has few rows by its text: `VALUES`, and `BIND` at the begin of a group.
//! 2. Sub-queries, which have counted and chosen: patterns begin at their rows. One about other things than
//!    what is there waits until something connects it, and so does one that takes what there is where the
//!    rest begins at a constant.
//! 3. Triple patterns, by what connects them; paths, of which an end is known by then; other groups.
//! 4. `{ SELECT DISTINCT ?x { … } }` of which the rest binds `?x` only tells whether a row stays: it is asked
//!    of the rows that are there, as `EXISTS` is, unless it finds few and they are many.
//!
//! Triple patterns that conditions or other parts stand between are matched as if they stood together: which
//! of them finds few is asked of all. Not where there are paths or sub-queries, which may be what connects
//! them.
//!
//! Triple patterns beside one `UNION` are matched within each of its alternatives, where they are planned
//! with what stands there: a join with a union is the union of the joins.
//!
//! What may leave unbound all that it has in common with triple patterns comes before these (`by_case.rs`).
//!
//! A join is the same in any order. What only a path or a group of another graph connects is not paired
//! first: it is searched from the one end, and what it reaches is joined with the other.

use std::collections::VecDeque;
use std::sync::Arc;

use spargebra::algebra::GraphPattern;
use spargebra::term::{TriplePattern, Variable};
use trimorph_algebra::{ApplyKind, Plan};

use super::by_case::leads;
use super::either_way::either_way;
use super::pattern::alternatives;
use super::relation::{Active, Name, Relation, Slot};
use super::scope::{Names, certain, connected, is_sub_query, may_be_bound, name_of, names_of, visible};
use super::triple_terms::bound_name;
use super::triples::constants_of;
use super::{Binder, Bound};

/// Alternatives of a union that triple patterns are matched within, and such patterns, at most: each is
/// planned as often as there are alternatives.
const ALTERNATIVES_MAX: usize = 8;
const SPREAD_MAX: usize = 16;

/// Parts of a join, by when they are matched.
#[derive(Default)]
struct Parts<'p> {
    /// What has few rows, then sub-queries that come before patterns.
    first: Vec<&'p GraphPattern>,
    /// Triple patterns that hang together.
    groups: Vec<GraphPattern>,
    paths: Vec<&'p GraphPattern>,
    others: VecDeque<&'p GraphPattern>,
    /// Sub-queries that only tell which rows stay.
    tests: Vec<&'p GraphPattern>,
}

impl Binder<'_> {
    pub(super) fn joined(
        &mut self,
        relation: Relation,
        pattern: &GraphPattern,
        active: &Active,
    ) -> Bound<Relation> {
        use GraphPattern as P;
        let mut all = Vec::new();
        flatten(pattern, &mut all);
        self.order_graphs(&relation, &mut all);
        if let Some(spread) = spread(&all).filter(|_| relation.is_unit()) {
            return self.pattern(relation, &spread, active);
        }
        // What a path or a sub-query may connect stays apart: together it would be paired.
        let connects = |part: &&GraphPattern| matches!(part, P::Path { .. }) || is_sub_query(part);
        let triples = if all.iter().any(connects) { None } else { all_triples(&all) };
        if let Some(triples) = &triples {
            let first = all.iter().position(|part| has_triples(part)).unwrap_or(0);
            all.retain(|part| !has_triples(part));
            all.insert(first, triples);
        }
        let sub_queries = all.iter().filter(|part| is_sub_query(part)).count();
        if sub_queries > 0 || all.iter().any(|part| matches!(part, P::Path { .. })) || is_linked(&all) {
            return self.in_turn(relation, sorted_out(&all), active);
        }
        let triples: Vec<&P> = all.iter().copied().filter(|part| has_triples(part)).collect();
        all.sort_by_key(|part| match part {
            part if is_few_rows(part) => 0,
            P::Bgp { .. } => 2,
            // It may be planned with those.
            part if either_way(part).is_some() => 2,
            // Who is asked may be told by what stands behind.
            P::Service { .. } => 4,
            part if leads(part, triples.iter().copied()) => 1,
            _ => 3,
        });
        all.into_iter().try_fold(relation, |relation, part| self.pattern(relation, part, active))
    }

    /// Brings parts that ask named graphs into the order in which each finds the fewest statements for what
    /// is bound by then; where they stand among other parts stays.
    fn order_graphs(&self, relation: &Relation, all: &mut [&GraphPattern]) {
        let places: Vec<usize> = (0..all.len()).filter(|at| patterns_in_graph(all[*at]).is_some()).collect();
        if places.len() < 2 {
            return;
        }
        let mut left: Vec<&GraphPattern> = places.iter().map(|at| all[*at]).collect();
        let is_certain = |(name, slot): (&Name, &Slot)| slot.certain.then(|| Arc::clone(name));
        let mut bound: Names = relation.slots.iter().filter_map(is_certain).collect();
        let others = all.iter().filter(|part| is_few_rows(part) || has_triples(part));
        others.for_each(|part| bound.append(&mut certain(part)));
        for at in places {
            let found = |part: &&GraphPattern| {
                let patterns = patterns_in_graph(part).unwrap_or_default();
                let found = patterns.iter().map(|triple| self.found_by(triple, &bound));
                found.fold(f64::INFINITY, f64::min)
            };
            let next = (0..left.len()).min_by(|a, b| found(&left[*a]).total_cmp(&found(&left[*b])));
            let part = left.remove(next.unwrap_or(0));
            bound.append(&mut certain(part));
            all[at] = part;
        }
    }

    /// A join of which some parts connect others.
    fn in_turn(&mut self, mut relation: Relation, mut parts: Parts<'_>, active: &Active) -> Bound<Relation> {
        for part in std::mem::take(&mut parts.first) {
            // Two sub-queries about different things make no pairs.
            let is_apart = is_sub_query(part) && !relation.is_unit() && !knows(&relation, part);
            match is_apart {
                true => parts.others.push_back(part),
                false => relation = self.pattern(relation, part, active)?,
            }
        }
        loop {
            let next = parts.groups.iter().position(|part| knows(&relation, part));
            if let Some(at) = next {
                let group = parts.groups.remove(at);
                relation = self.pattern(relation, &group, active)?;
                continue;
            }
            let is_ready = |part: &&GraphPattern| match part {
                GraphPattern::Path { subject, object, .. } => {
                    bound_name(subject).is_none() || bound_name(object).is_none() || knows(&relation, part)
                }
                _ => false,
            };
            if let Some(at) = parts.paths.iter().position(is_ready) {
                // A path between two others searches from one end; with both ends it finds fewer.
                let path = parts.paths.remove(at);
                relation = self.pattern(relation, path, active)?;
                continue;
            }
            let links = |part: &&GraphPattern| {
                let names = visible(part);
                !matches!(part, GraphPattern::Service { .. })
                    && knows(&relation, part)
                    && parts.groups.iter().any(|group| !with_blanks(group).is_disjoint(&names))
            };
            let link = parts.others.iter().position(links);
            let lead = || {
                let is_lead = |part: &&GraphPattern| {
                    !matches!(part, GraphPattern::Service { .. }) && leads(part, parts.groups.iter())
                };
                relation.is_unit().then(|| parts.others.iter().position(is_lead)).flatten()
            };
            let known = || parts.others.iter().position(|part| knows(&relation, part));
            let other = link.or_else(lead).or_else(|| parts.groups.is_empty().then(|| known().unwrap_or(0)));
            if let Some(part) = other.and_then(|at| parts.others.remove(at)) {
                relation = self.pattern(relation, part, active)?;
            } else if !parts.groups.is_empty() {
                // One that rows without a value may agree with, rather than one about other things.
                let is_shared = |name: &Name| relation.slots.contains_key(name);
                let shares = |group: &GraphPattern| with_blanks(group).iter().any(is_shared);
                let group = parts.groups.remove(parts.groups.iter().position(shares).unwrap_or(0));
                relation = self.pattern(relation, &group, active)?;
            } else if !parts.paths.is_empty() {
                let path = parts.paths.remove(0);
                relation = self.pattern(relation, path, active)?;
            } else {
                break;
            }
        }
        for part in parts.tests {
            relation = self.kept(relation, part, active)?;
        }
        Ok(relation)
    }

    /// The rows for which a sub-query has a solution with the same values of what it selects; its other
    /// variables are its own.
    fn kept(&mut self, mut relation: Relation, part: &GraphPattern, active: &Active) -> Bound<Relation> {
        let is_certain =
            |variable: &Variable| relation.slots.get(&name_of(variable)).is_some_and(|slot| slot.certain);
        let Some((inner, variables)) = distinct_of(part).filter(|(_, names)| names.iter().all(is_certain))
        else {
            return self.pattern(relation, part, active);
        };
        let names: Names = variables.iter().map(name_of).collect();
        let mut row = relation.argument(active);
        row.slots.retain(|name, _| names.contains(name));
        let around = std::mem::take(&mut self.substituted);
        let found = self.pattern(row, inner, active)?;
        self.substituted = around;
        let subplan = Box::new(found.plan);
        relation.grow(|input| Plan::Apply { input, subplan, kind: ApplyKind::Semi });
        Ok(relation)
    }
}

/// The triple patterns that a part asks of named graphs.
fn patterns_in_graph(part: &GraphPattern) -> Option<&[TriplePattern]> {
    let GraphPattern::Graph { inner, .. } = part else { return None };
    let GraphPattern::Bgp { patterns } = &**inner else { return None };
    (!patterns.is_empty()).then_some(patterns)
}

/// What a sub-query that gives each solution once selects, and of what.
fn distinct_of(part: &GraphPattern) -> Option<(&GraphPattern, &[Variable])> {
    use GraphPattern as P;
    let (P::Distinct { inner } | P::Reduced { inner }) = part else { return None };
    let P::Project { inner, variables } = &**inner else { return None };
    Some((inner, variables))
}

/// Whether a part has a name that is bound.
fn knows(relation: &Relation, part: &GraphPattern) -> bool {
    let is_certain = |name: &Name| relation.slots.get(name).is_some_and(|slot| slot.certain);
    with_blanks(part).iter().any(is_certain)
}

fn sorted_out<'p>(all: &[&'p GraphPattern]) -> Parts<'p> {
    use GraphPattern as P;
    let mut parts = Parts::default();
    for (at, part) in all.iter().copied().enumerate() {
        let rest = || all.iter().enumerate().filter(move |(other, _)| *other != at).map(|(_, part)| *part);
        let begins_elsewhere = || rest().any(is_narrow) && !is_narrow(part);
        match part {
            P::Bgp { patterns } => {
                parts.groups.extend(connected(patterns).into_iter().map(|own| P::Bgp { patterns: own }));
            }
            P::Path { .. } => parts.paths.push(part),
            part if is_few_rows(part) => parts.first.push(part),
            part if is_sub_query(part) && only_tells(part, rest()) => parts.tests.push(part),
            part if is_sub_query(part) && begins_elsewhere() => parts.others.push_front(part),
            part if is_sub_query(part) => parts.first.push(part),
            other => parts.others.push_back(other),
        }
    }
    // Who is asked may be told by what stands behind.
    parts.others.make_contiguous().sort_by_key(|part| matches!(part, P::Service { .. }));
    parts.first.sort_by_key(|part| !is_few_rows(part));
    // What has a constant besides its class is the most selective as a rule.
    parts.groups.sort_by_key(|group| std::cmp::Reverse(constants(group)));
    parts
}

/// Whether asking rows is all that a sub-query does: its solutions are told apart by variables that others
/// bind in every row, and it is worth to ask it of these.
fn only_tells<'p>(part: &'p GraphPattern, rest: impl Iterator<Item = &'p GraphPattern>) -> bool {
    let Some((inner, variables)) = distinct_of(part) else { return false };
    let (mut bound, mut narrow) = (Names::new(), false);
    // Two that only tell do not bind for each other.
    for other in rest.filter(|other| distinct_of(other).is_none()) {
        bound.append(&mut certain(other));
        narrow |= is_narrow(other);
    }
    let names: Names = variables.iter().map(name_of).collect();
    let is_wide = !is_narrow(inner) && (narrow || !has_condition(inner));
    // A solution that leaves one unbound is a further one beside those that bind it.
    let are_sure = names.is_subset(&bound) && names.is_subset(&certain(inner));
    !names.is_empty() && are_sure && is_wide && may_be_bound(inner, &names)
}

/// Whether a pattern begins at something: a constant that is no class, values, so many rows.
pub(super) fn is_narrow(pattern: &GraphPattern) -> bool {
    use GraphPattern as P;
    match pattern {
        P::Bgp { .. } => constants(pattern) > 0,
        P::Path { subject, object, .. } => bound_name(subject).is_none() || bound_name(object).is_none(),
        P::Values { .. } | P::Slice { .. } => true,
        P::Join { left, right } => is_narrow(left) || is_narrow(right),
        P::Union { left, right } => is_narrow(left) && is_narrow(right),
        P::LeftJoin { left, .. } | P::Minus { left, .. } => is_narrow(left),
        P::Filter { inner, .. }
        | P::Extend { inner, .. }
        | P::OrderBy { inner, .. }
        | P::Project { inner, .. }
        | P::Distinct { inner }
        | P::Reduced { inner }
        | P::Group { inner, .. }
        | P::Graph { inner, .. } => is_narrow(inner),
        P::Service { .. } => false,
    }
}

/// Whether something is asked of what a pattern finds.
fn has_condition(pattern: &GraphPattern) -> bool {
    use GraphPattern as P;
    match pattern {
        P::Filter { .. } | P::Minus { .. } => true,
        P::Join { left, right } | P::Union { left, right } => has_condition(left) || has_condition(right),
        P::LeftJoin { left: inner, .. } | P::Extend { inner, .. } | P::Graph { inner, .. } => {
            has_condition(inner)
        }
        other => is_sub_query(other),
    }
}

/// Whether a part of a join has the rows that its text has: values, and what is computed from them. `BIND` at
/// the begin of a group is one row.
fn is_few_rows(part: &GraphPattern) -> bool {
    match part {
        GraphPattern::Values { .. } => true,
        GraphPattern::Bgp { patterns } => patterns.is_empty(),
        GraphPattern::Extend { inner, .. } => is_few_rows(inner),
        _ => false,
    }
}

fn has_triples(part: &GraphPattern) -> bool {
    matches!(part, GraphPattern::Bgp { patterns } if !patterns.is_empty())
}

/// The triple patterns of all parts as one, where they stand in several.
fn all_triples(all: &[&GraphPattern]) -> Option<GraphPattern> {
    let mut patterns = Vec::new();
    for part in all {
        if let GraphPattern::Bgp { patterns: own } = part {
            patterns.extend_from_slice(own);
        }
    }
    let is_split = all.iter().filter(|part| has_triples(part)).count() > 1;
    is_split.then_some(GraphPattern::Bgp { patterns })
}

/// A union whose alternatives have the triple patterns beside it, where a join is one union and these.
fn spread(all: &[&GraphPattern]) -> Option<GraphPattern> {
    use GraphPattern as P;
    let (unions, others): (Vec<&P>, Vec<&P>) =
        all.iter().copied().partition(|part| matches!(part, P::Union { .. }));
    let ([union], false) = (&unions[..], others.is_empty()) else { return None };
    if either_way(union).is_some() || !others.iter().all(|part| has_triples(part)) {
        return None;
    }
    let mut triples = Vec::new();
    for part in others {
        if let P::Bgp { patterns } = part {
            triples.extend_from_slice(patterns);
        }
    }
    let mut branches = Vec::new();
    alternatives(union, &mut branches);
    if branches.len() > ALTERNATIVES_MAX || triples.len() > SPREAD_MAX {
        return None;
    }
    let joined = branches.into_iter().map(|branch| P::Join {
        left: Box::new(P::Bgp { patterns: triples.clone() }),
        right: Box::new(branch.clone()),
    });
    joined.reduce(|left, right| P::Union { left: Box::new(left), right: Box::new(right) })
}

/// The parts of joins within joins.
fn flatten<'p>(pattern: &'p GraphPattern, out: &mut Vec<&'p GraphPattern>) {
    let mut left = vec![pattern];
    while let Some(pattern) = left.pop() {
        match pattern {
            GraphPattern::Join { left: a, right: b } => {
                left.push(b);
                left.push(a);
            }
            other => out.push(other),
        }
    }
}

/// Whether triple patterns of a join have nothing in common but what another part has with each of them.
fn is_linked(parts: &[&GraphPattern]) -> bool {
    let mut triples = Vec::new();
    let mut others = Vec::new();
    for part in parts {
        match part {
            GraphPattern::Bgp { patterns } => triples.extend_from_slice(patterns),
            GraphPattern::Service { .. } => {}
            // These come first in any case.
            part if is_few_rows(part) || is_sub_query(part) => {}
            other => others.push(visible(other)),
        }
    }
    if others.is_empty() {
        return false;
    }
    let groups = connected(&triples).into_iter().map(|own| own.iter().flat_map(names_of).collect());
    let groups: Vec<Names> = groups.collect();
    let linked = |names: &Names| groups.iter().filter(|group| !group.is_disjoint(names)).count();
    others.iter().any(|names| linked(names) > 1)
}

/// The names that a part of a join may bind, those of blank nodes too.
fn with_blanks(part: &GraphPattern) -> Names {
    match part {
        GraphPattern::Bgp { patterns } => patterns.iter().flat_map(names_of).collect(),
        GraphPattern::Path { subject, object, .. } => {
            [subject, object].into_iter().filter_map(bound_name).collect()
        }
        other => visible(other),
    }
}

/// How many constants besides predicates and classes stand in triple patterns.
fn constants(pattern: &GraphPattern) -> usize {
    let GraphPattern::Bgp { patterns } = pattern else { return 0 };
    patterns.iter().map(constants_of).sum()
}
