//! `{ ?a :knows ?b } UNION { ?b :knows ?a }`, also with what the statements say of themselves: one edge
//! without a direction, which is planned with the patterns around it.
//!
//! That holds where the alternatives differ in nothing but the ends of the one edge, nothing else is asked of
//! these ends, and no edge leads from a node to itself, which both alternatives would find.
//!
//! Source: SPARQL 1.1 §18.5 (a union keeps what both find); `docs/design/one-graph.md`.

use std::collections::HashMap;

use spargebra::algebra::GraphPattern;
use spargebra::term::{BlankNode, TermPattern, TriplePattern};
use trimorph_algebra::Direction;

use super::relation::{Active, Relation};
use super::scope::names_of;
use super::triple_terms::bound_name;
use super::triples::{Kinds, Way, labels_asked};
use super::{Binder, Bound};

/// The triple patterns of the first of two alternatives that differ in the direction of one edge only.
pub(super) fn either_way(pattern: &GraphPattern) -> Option<&[TriplePattern]> {
    let GraphPattern::Union { left, right } = pattern else { return None };
    let (GraphPattern::Bgp { patterns: a }, GraphPattern::Bgp { patterns: b }) = (&**left, &**right) else {
        return None;
    };
    if a.len() != b.len() {
        return None;
    }
    let (mut blanks, mut turned) = (HashMap::new(), None);
    for (a, b) in a.iter().zip(b) {
        let edge = match (&a.object, &b.object) {
            _ if is_turned(a, b) => a,
            _ if a.predicate != b.predicate || !are_alike(&a.subject, &b.subject, &mut blanks) => {
                return None;
            }
            (TermPattern::Triple(a), TermPattern::Triple(b)) if is_turned(a, b) => a,
            (a, b) if are_alike(a, b, &mut blanks) => continue,
            _ => return None,
        };
        if *turned.get_or_insert(edge) != edge {
            return None;
        }
    }
    let edge = turned?;
    let ends = [&edge.subject, &edge.object].map(bound_name);
    let is_of_edge = |triple: &TriplePattern| {
        triple == edge || matches!(&triple.object, TermPattern::Triple(inner) if **inner == *edge)
    };
    let names_no_end = |triple: &TriplePattern| {
        let names = names_of(triple);
        ends.iter().flatten().all(|end| !names.contains(end))
    };
    a.iter().all(|triple| is_of_edge(triple) || names_no_end(triple)).then_some(a)
}

/// Whether a statement is another one with its ends exchanged.
fn is_turned(a: &TriplePattern, b: &TriplePattern) -> bool {
    let is_end = |term: &TermPattern| matches!(term, TermPattern::Variable(_) | TermPattern::NamedNode(_));
    a.predicate == b.predicate
        && a.subject == b.object
        && a.object == b.subject
        && a.subject != a.object
        && is_end(&a.subject)
        && is_end(&a.object)
}

/// Whether two terms are the same, blank nodes up to their labels.
fn are_alike(a: &TermPattern, b: &TermPattern, blanks: &mut HashMap<BlankNode, BlankNode>) -> bool {
    match (a, b) {
        (TermPattern::BlankNode(a), TermPattern::BlankNode(b)) => match blanks.get(a) {
            Some(known) => known == b,
            None => {
                let is_new = blanks.values().all(|other| other != b);
                blanks.insert(a.clone(), b.clone());
                is_new
            }
        },
        (a, b) => a == b && !matches!(a, TermPattern::Triple(_)),
    }
}

impl Binder<'_> {
    /// The edge that two alternatives are, if they are one.
    pub(super) fn edge_either_way(
        &mut self,
        relation: &mut Relation,
        pattern: &GraphPattern,
        active: &Active,
    ) -> Bound<bool> {
        let Some(patterns) = either_way(pattern) else { return Ok(false) };
        self.with_given(relation, patterns.iter().flat_map(names_of));
        let labels = labels_asked(patterns);
        let mut ways: Vec<Way> = patterns.iter().map(|triple| self.way(triple, active, &labels)).collect();
        if self.find_reified(relation, patterns, &mut ways, active, (&labels, &Kinds::new())).is_some() {
            return Ok(false);
        }
        let mut edges = 0;
        for way in &ways {
            match way {
                Way::Edge(name) | Way::Reified(name) => {
                    let tables = self.catalog.edge_tables(Some(std::slice::from_ref(name)));
                    if tables.iter().any(|table| self.catalog.may_have_loops(*table)) {
                        return Ok(false);
                    }
                    edges += 1;
                }
                Way::Said(..) | Way::Implied => {}
                _ => return Ok(false),
            }
        }
        if edges != 1 {
            return Ok(false);
        }
        let asked = patterns.iter().zip(&ways).filter(|(_, way)| !matches!(way, Way::Implied));
        let asked: Vec<_> = asked.collect();
        let before = std::mem::replace(relation, Relation::unit());
        *relation = self.query_graph(before, &asked, Direction::Both)?;
        Ok(true)
    }
}
