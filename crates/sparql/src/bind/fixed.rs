//! Variables that a filter fixes: `?a ?p ?o FILTER(?p = ex:name)` asks for `?a ex:name ?o`, of which more is
//! known before anything is read; so does `OPTIONAL { ?d :by ?b FILTER(?b = ?a) }` where `?a` is a node.
//!
//! An IRI or a blank node is equal to itself only, so that a solution passes such a filter exactly if the
//! variable is the same. It is put in the place of the variable where only triple patterns and paths of the
//! group itself name it: what stands deeper may have another scope.
//!
//! A filter that leaves a few classes of things, `?x a ?c FILTER(?c IN (ex:A, ex:B))`, says where to begin,
//! unless the pattern begins somewhere itself: the classes are joined as `VALUES` are.
//!
//! Source: SPARQL 1.1 §17.4.1.7 (RDFterm-equal).

use std::collections::BTreeSet;

use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::{NamedNode, NamedNodePattern, TermPattern, TriplePattern, Variable};
use trimorph_types::rdf::names::rdf;

use super::expression::conjuncts;
use super::join::is_narrow;
use super::relation::{Active, Relation, Shape, Slot};
use super::scope::{mentioned, name_of};
use super::{Binder, Bound};

/// A variable, and what it is fixed to.
type Fixed<'e> = (&'e Variable, To<'e>);

#[derive(Clone, Copy)]
enum To<'e> {
    Iri(&'e NamedNode),
    /// Another variable, which is a node in every row.
    Node(&'e Variable),
}

impl Binder<'_> {
    /// A pattern and a filter over it, with what the filter fixes put into the pattern.
    pub(super) fn filtered(
        &mut self,
        relation: Relation,
        expression: &Expression,
        inner: &GraphPattern,
        active: &Active,
    ) -> Bound<Relation> {
        let mut parts = Vec::new();
        conjuncts(expression, &mut parts);
        let mut fixed: Vec<Fixed<'_>> = Vec::new();
        parts.retain(|part| match self.fixes(part, &relation, inner) {
            Some((variable, to)) if !fixed.iter().any(|(own, _)| *own == variable) => {
                fixed.push((variable, to));
                false
            }
            _ => true,
        });
        let among = match (relation.is_unit() && fixed.is_empty() && !is_narrow(inner), &parts[..]) {
            (true, [_, ..]) => parts.iter().position(|part| class_among(part, inner).is_some()),
            _ => None,
        };
        if let Some((variable, classes)) = among.and_then(|at| class_among(parts.remove(at), inner)) {
            let bindings = classes.into_iter().map(|class| vec![Some(class.clone().into())]).collect();
            let values = GraphPattern::Values { variables: vec![variable.clone()], bindings };
            let left = Box::new(values);
            let joined = GraphPattern::Join { left, right: Box::new(inner.clone()) };
            let mut relation = self.pattern(relation, &joined, active)?;
            for part in parts {
                self.filter(&mut relation, part, active)?;
            }
            return Ok(relation);
        }
        let mut relation = match fixed.is_empty() {
            true => self.pattern(relation, inner, active)?,
            false => self.pattern(relation, &replaced(inner, &fixed), active)?,
        };
        for (variable, to) in fixed {
            let name = name_of(variable);
            let slot = match to {
                To::Iri(iri) => Slot::certain(self.constant(&mut relation, iri.as_str()), Shape::Term),
                To::Node(other) => {
                    let Some(same) = relation.slots.get(&name_of(other)).map(Slot::value) else { continue };
                    let var = self.var(&name, Shape::Node);
                    relation.extra(vec![(var, same)]);
                    Slot::certain(var, Shape::Node)
                }
            };
            relation.slots.insert(name, slot);
        }
        for part in parts {
            self.filter(&mut relation, part, active)?;
        }
        Ok(relation)
    }

    /// The variable of a pattern that an expression fixes, and to what.
    fn fixes<'e>(
        &self,
        expression: &'e Expression,
        relation: &Relation,
        inner: &GraphPattern,
    ) -> Option<Fixed<'e>> {
        let (Expression::Equal(a, b) | Expression::SameTerm(a, b)) = expression else { return None };
        let is_free = |variable: &Variable| {
            let name = name_of(variable);
            !relation.slots.contains_key(&name)
                && self.given_type(&name).is_none()
                && may_be_replaced(inner, variable)
        };
        let is_node = |variable: &Variable| {
            let slot = relation.slots.get(&name_of(variable));
            slot.is_some_and(|slot| slot.certain && slot.shape == Shape::Node)
        };
        let fixed = match (&**a, &**b) {
            (Expression::Variable(variable), Expression::NamedNode(iri))
            | (Expression::NamedNode(iri), Expression::Variable(variable)) => (variable, To::Iri(iri)),
            (Expression::Variable(a), Expression::Variable(b)) if is_node(a) => (b, To::Node(a)),
            (Expression::Variable(a), Expression::Variable(b)) if is_node(b) => (a, To::Node(b)),
            _ => return None,
        };
        is_free(fixed.0).then_some(fixed)
    }
}

/// The variable for the classes of things that a filter leaves few of, and these: who begins at them reads no
/// others.
fn class_among<'e>(
    expression: &'e Expression,
    inner: &GraphPattern,
) -> Option<(&'e Variable, BTreeSet<&'e NamedNode>)> {
    let (mut variable, mut classes) = (None, BTreeSet::new());
    let mut left = vec![expression];
    while let Some(expression) = left.pop() {
        let (of, iris) = match expression {
            Expression::Or(a, b) => {
                left.extend([&**a, &**b]);
                continue;
            }
            Expression::In(of, list) => (&**of, &list[..]),
            Expression::Equal(of, iri) => (&**of, std::slice::from_ref(&**iri)),
            _ => return None,
        };
        let Expression::Variable(of) = of else { return None };
        if *variable.get_or_insert(of) != of {
            return None;
        }
        for iri in iris {
            let Expression::NamedNode(iri) = iri else { return None };
            classes.insert(iri);
        }
    }
    let variable = variable.filter(|variable| is_class(inner, variable))?;
    (!classes.is_empty() && may_be_replaced(inner, variable)).then_some((variable, classes))
}

/// Whether a variable is the class of something in a pattern.
fn is_class(pattern: &GraphPattern, variable: &Variable) -> bool {
    let is_type = |triple: &TriplePattern| {
        matches!(&triple.predicate, NamedNodePattern::NamedNode(iri) if iri.as_str() == rdf::TYPE)
            && matches!(&triple.object, TermPattern::Variable(own) if own == variable)
    };
    match pattern {
        GraphPattern::Bgp { patterns } => patterns.iter().any(is_type),
        GraphPattern::Join { left, right } => is_class(left, variable) || is_class(right, variable),
        _ => false,
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

fn replaced(pattern: &GraphPattern, fixed: &[Fixed<'_>]) -> GraphPattern {
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

fn fixed_to<'f>(variable: &Variable, fixed: &[Fixed<'f>]) -> Option<To<'f>> {
    fixed.iter().find(|(own, _)| *own == variable).map(|(_, to)| *to)
}

fn in_term(term: &TermPattern, fixed: &[Fixed<'_>]) -> TermPattern {
    match term {
        TermPattern::Variable(variable) => match fixed_to(variable, fixed) {
            Some(To::Iri(iri)) => TermPattern::NamedNode(iri.clone()),
            Some(To::Node(other)) => TermPattern::Variable(other.clone()),
            None => term.clone(),
        },
        TermPattern::Triple(triple) => TermPattern::Triple(Box::new(in_triple(triple, fixed))),
        other => other.clone(),
    }
}

fn in_triple(triple: &TriplePattern, fixed: &[Fixed<'_>]) -> TriplePattern {
    let predicate = match &triple.predicate {
        NamedNodePattern::Variable(variable) => match fixed_to(variable, fixed) {
            Some(To::Iri(iri)) => iri.clone().into(),
            Some(To::Node(other)) => other.clone().into(),
            None => triple.predicate.clone(),
        },
        NamedNodePattern::NamedNode(_) => triple.predicate.clone(),
    };
    TriplePattern {
        subject: in_term(&triple.subject, fixed),
        predicate,
        object: in_term(&triple.object, fixed),
    }
}
