//! Variables that a filter fixes: `?a ?p ?o FILTER(?p = ex:name)` asks for `?a ex:name ?o`, of which more is
//! known before anything is read.
//!
//! An IRI is equal to itself only, so that a solution passes such a filter exactly if the variable is the
//! IRI. It is put in the place of the variable where only triple patterns and paths of the group itself name
//! it: what stands deeper may have another scope.
//!
//! Source: SPARQL 1.1 §17.4.1.7 (RDFterm-equal).

use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::{NamedNode, NamedNodePattern, TermPattern, TriplePattern, Variable};

use super::expression::conjuncts;
use super::relation::{Active, Relation, Shape, Slot};
use super::scope::{mentioned, name_of};
use super::{Binder, Bound};

impl Binder<'_> {
    /// A filter over a pattern, with what it fixes put into the pattern.
    pub(super) fn filtered(
        &mut self,
        relation: Relation,
        expression: &Expression,
        inner: &GraphPattern,
        active: &Active,
    ) -> Bound<Relation> {
        let mut parts = Vec::new();
        conjuncts(expression, &mut parts);
        let mut fixed: Vec<(&Variable, &NamedNode)> = Vec::new();
        parts.retain(|part| match fixes(part) {
            Some((variable, iri))
                if may_be_replaced(inner, variable)
                    && !fixed.iter().any(|(own, _)| *own == variable)
                    && !relation.slots.contains_key(&name_of(variable))
                    && self.given_type(&name_of(variable)).is_none() =>
            {
                fixed.push((variable, iri));
                false
            }
            _ => true,
        });
        let mut relation = match fixed.is_empty() {
            true => self.pattern(relation, inner, active)?,
            false => self.pattern(relation, &replaced(inner, &fixed), active)?,
        };
        for (variable, iri) in fixed {
            let var = self.constant(&mut relation, iri.as_str());
            relation.slots.insert(name_of(variable), Slot::certain(var, Shape::Term));
        }
        for part in parts {
            self.filter(&mut relation, part, active)?;
        }
        Ok(relation)
    }
}

/// The variable that an expression fixes, and the IRI.
fn fixes(expression: &Expression) -> Option<(&Variable, &NamedNode)> {
    let (Expression::Equal(a, b) | Expression::SameTerm(a, b)) = expression else { return None };
    match (&**a, &**b) {
        (Expression::Variable(variable), Expression::NamedNode(iri))
        | (Expression::NamedNode(iri), Expression::Variable(variable)) => Some((variable, iri)),
        _ => None,
    }
}

/// Whether triple patterns and paths of a group bind a variable, and nothing else in it names it.
fn may_be_replaced(pattern: &GraphPattern, variable: &Variable) -> bool {
    fn only(pattern: &GraphPattern, variable: &Variable, is_bound: &mut bool) -> bool {
        match pattern {
            GraphPattern::Bgp { .. } | GraphPattern::Path { .. } => {
                *is_bound |= mentioned(pattern).contains(&name_of(variable));
                true
            }
            GraphPattern::Join { left, right } => {
                only(left, variable, is_bound) && only(right, variable, is_bound)
            }
            other => !mentioned(other).contains(&name_of(variable)),
        }
    }
    let mut is_bound = false;
    only(pattern, variable, &mut is_bound) && is_bound
}

fn replaced(pattern: &GraphPattern, fixed: &[(&Variable, &NamedNode)]) -> GraphPattern {
    match pattern {
        GraphPattern::Bgp { patterns } => {
            GraphPattern::Bgp { patterns: patterns.iter().map(|triple| in_triple(triple, fixed)).collect() }
        }
        GraphPattern::Path { subject, path, object } => GraphPattern::Path {
            subject: in_term(subject, fixed),
            path: path.clone(),
            object: in_term(object, fixed),
        },
        GraphPattern::Join { left, right } => GraphPattern::Join {
            left: Box::new(replaced(left, fixed)),
            right: Box::new(replaced(right, fixed)),
        },
        other => other.clone(),
    }
}

fn iri_of<'f>(variable: &Variable, fixed: &[(&Variable, &'f NamedNode)]) -> Option<&'f NamedNode> {
    fixed.iter().find(|(own, _)| *own == variable).map(|(_, iri)| *iri)
}

fn in_term(term: &TermPattern, fixed: &[(&Variable, &NamedNode)]) -> TermPattern {
    match term {
        TermPattern::Variable(variable) => match iri_of(variable, fixed) {
            Some(iri) => TermPattern::NamedNode(iri.clone()),
            None => term.clone(),
        },
        TermPattern::Triple(triple) => TermPattern::Triple(Box::new(in_triple(triple, fixed))),
        other => other.clone(),
    }
}

fn in_triple(triple: &TriplePattern, fixed: &[(&Variable, &NamedNode)]) -> TriplePattern {
    let predicate = match &triple.predicate {
        NamedNodePattern::Variable(variable) => iri_of(variable, fixed).cloned().map(Into::into),
        NamedNodePattern::NamedNode(_) => None,
    };
    TriplePattern {
        subject: in_term(&triple.subject, fixed),
        predicate: predicate.unwrap_or_else(|| triple.predicate.clone()),
        object: in_term(&triple.object, fixed),
    }
}
