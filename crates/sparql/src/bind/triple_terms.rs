//! Triple terms in patterns: made of what is known, or taken apart.
//!
//! 1. One whose parts are known is made, and looked for.
//! 2. Of one that a statement gives, what is fixed is compared at once, as terms. Which nodes its other parts
//!    are is asked last, when what else is told of its reifier has left few; or when a pattern needs them.

use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};
use trimorph_algebra::{Expr, VarId};
use trimorph_types::{LogicalType, Value};

use super::relation::{Name, Relation, Shape, Slot, call, equal, is_not_null};
use super::scope::{Names, name_of, names_of};
use super::{Binder, Bound};
use crate::terms::{literal, triple_of};

/// The label of a blank node, as a name.
fn blank(label: &str) -> Name {
    format!("_:{label}").into()
}

/// The name of what a term binds; none for constants.
pub(super) fn bound_name(term: &TermPattern) -> Option<Name> {
    match term {
        TermPattern::Variable(variable) => Some(name_of(variable)),
        TermPattern::BlankNode(node) => Some(blank(node.as_str())),
        _ => None,
    }
}

/// The value of a term without variables, IRIs as they are.
pub(super) fn constant_of(term: &TermPattern) -> Option<Value> {
    match term {
        TermPattern::NamedNode(node) => Some(Value::iri(node.as_str())),
        TermPattern::Literal(own) => Some(literal(own)),
        TermPattern::Triple(triple) => {
            let NamedNodePattern::NamedNode(predicate) = &triple.predicate else { return None };
            let (subject, object) = (constant_of(&triple.subject)?, constant_of(&triple.object)?);
            Some(triple_of([&subject, &Value::iri(predicate.as_str()), &object]))
        }
        TermPattern::Variable(_) | TermPattern::BlankNode(_) => None,
    }
}

impl Binder<'_> {
    /// Binds the parts of triple terms that were left open, where one of these names is among them.
    pub(super) fn open_for<'t>(
        &mut self,
        relation: &mut Relation,
        names: &Names,
        opened: &mut Opened<'t>,
    ) -> Bound<()> {
        if names_opened(opened).is_disjoint(names) { Ok(()) } else { self.bind_parts(relation, opened) }
    }

    /// Compares what is fixed of a triple term, as the terms that they are.
    pub(super) fn compare_parts(&mut self, relation: &mut Relation, var: VarId, triple: &TriplePattern) {
        for (function, term) in places_of(triple) {
            let Some(constant) = constant_of(&term) else { continue };
            let part = self.anonymous(LogicalType::Any);
            relation.extra(vec![(part, call("sparql.term", vec![call(function, vec![Expr::Var(var)])]))]);
            relation.filter(is_not_null(Expr::Var(part)));
            relation.filter(equal(Expr::Var(part), Expr::Const(constant)));
        }
    }

    /// Binds the other parts of triple terms: of these is asked which nodes they are.
    pub(super) fn bind_parts(&mut self, relation: &mut Relation, opened: &mut Opened<'_>) -> Bound<()> {
        for (var, triple) in std::mem::take(opened) {
            for (function, term) in places_of(triple) {
                if constant_of(&term).is_some() {
                    continue;
                }
                let part = self.anonymous(LogicalType::Any);
                let term_of = call("sparql.term", vec![call(function, vec![Expr::Var(var)])]);
                relation.extra(vec![(part, call("sparql.entity", vec![term_of]))]);
                relation.filter(is_not_null(Expr::Var(part)));
                if let Some(name) = bound_name(&term) {
                    self.bind_new(relation, &name, Slot::certain(part, Shape::Term));
                } else if let TermPattern::Triple(inner) = &term {
                    self.compare_parts(relation, part, inner);
                    self.deeper(|own| own.bind_parts(relation, &mut vec![(part, inner)]))?;
                }
            }
        }
        Ok(())
    }
}

/// Triple terms whose parts are not bound yet, by their variables.
pub(super) type Opened<'t> = Vec<(VarId, &'t TriplePattern)>;

/// The names that the parts of triple terms have.
pub(super) fn names_opened(opened: &Opened<'_>) -> Names {
    opened.iter().flat_map(|(_, triple)| names_of(triple)).collect()
}

/// What gives the parts of a triple term, with what they are to be.
fn places_of(triple: &TriplePattern) -> [(&'static str, TermPattern); 3] {
    let predicate = match &triple.predicate {
        NamedNodePattern::NamedNode(node) => TermPattern::NamedNode(node.clone()),
        NamedNodePattern::Variable(variable) => TermPattern::Variable(variable.clone()),
    };
    [
        ("sparql.subject", triple.subject.clone()),
        ("sparql.predicate", predicate),
        ("sparql.object", triple.object.clone()),
    ]
}

/// A triple term of what every row has; none where a part of it is not known.
pub(super) fn made_of(relation: &Relation, triple: &TriplePattern) -> Option<Expr> {
    let known = |name: &Name| {
        let slot = relation.slots.get(name).filter(|slot| slot.certain)?;
        Some(call("sparql.resource", vec![slot.term()]))
    };
    let part = |term: &TermPattern| match (constant_of(term), bound_name(term), term) {
        (Some(constant), ..) => Some(Expr::Const(constant)),
        (None, Some(name), _) => known(&name),
        (None, None, TermPattern::Triple(inner)) => made_of(relation, inner),
        _ => None,
    };
    let predicate = match &triple.predicate {
        NamedNodePattern::NamedNode(iri) => Expr::Const(Value::iri(iri.as_str())),
        NamedNodePattern::Variable(variable) => known(&name_of(variable))?,
    };
    Some(call("sparql.triple", vec![part(&triple.subject)?, predicate, part(&triple.object)?]))
}
