//! What a pattern asks of a node that a row has, and of nothing else: takes such a pattern, gives a condition
//! on the row, or a property of its node.
//!
//! `FILTER NOT EXISTS { ?m :content ?c }` is `m.content IS NULL`, and `OPTIONAL { ?m :content ?c }` is
//! `m.content`, null where there is none: nothing is matched for a row.

use std::collections::BTreeMap;

use spargebra::algebra::GraphPattern;
use spargebra::term::{TermPattern, TriplePattern};
use trimorph_algebra::{Expr, LabelExpr, Op};

use super::Binder;
use super::relation::{Active, Name, Relation, Shape, Slot, Source, is_not_null};
use super::triple_terms::bound_name;
use super::triples::Way;

impl Binder<'_> {
    /// A pattern that asks nothing but classes of nodes that a row has, and whether they have properties, as
    /// a condition on these. It is never null.
    pub(super) fn asked_of_nodes(
        &mut self,
        relation: &Relation,
        pattern: &GraphPattern,
        active: &Active,
    ) -> Option<Expr> {
        let GraphPattern::Bgp { patterns } = pattern else { return None };
        let mut asked = Vec::new();
        let mut objects: Vec<Name> = Vec::new();
        for triple in patterns {
            if let Some(label) = self.class(triple, active) {
                let slot = node_of(relation, triple)?;
                asked.push(Expr::HasLabel(Box::new(slot.value()), LabelExpr::Label(label)));
                continue;
            }
            let (object, slot) = self.property_of_node(relation, triple, active)?;
            // What two have in common is compared.
            if objects.contains(&object) {
                return None;
            }
            objects.push(object);
            asked.push(is_not_null(slot.value()));
        }
        match asked.len() {
            0 => None,
            1 => asked.pop(),
            _ => Some(Expr::op(Op::And, asked)),
        }
    }

    /// An optional pattern that binds nothing but a property of a node that each row has.
    pub(super) fn optional_property(
        &mut self,
        relation: &Relation,
        pattern: &GraphPattern,
        active: &Active,
    ) -> Option<(Name, Slot)> {
        let GraphPattern::Bgp { patterns } = pattern else { return None };
        let [triple] = &patterns[..] else { return None };
        let (name, slot) = self.property_of_node(relation, triple, active)?;
        Some((name, Slot { certain: false, ..slot }))
    }

    /// The object of a triple pattern, which nothing else binds, and the property that it is.
    fn property_of_node(
        &mut self,
        relation: &Relation,
        triple: &TriplePattern,
        active: &Active,
    ) -> Option<(Name, Slot)> {
        let (TermPattern::Variable(_) | TermPattern::BlankNode(_)) = &triple.object else { return None };
        let object = bound_name(&triple.object)?;
        let is_free = !relation.slots.contains_key(&object) && self.given_type(&object).is_none();
        let node = node_of(relation, triple)?;
        let (Source::Var(var), true) = (&node.source, is_free) else { return None };
        match self.way(triple, active, &BTreeMap::new()) {
            Way::Property(name, ty) => Some((object, Slot::property(*var, name, ty))),
            _ => None,
        }
    }
}

/// The subject of a triple pattern, where it is a node that each row has.
fn node_of<'r>(relation: &'r Relation, triple: &TriplePattern) -> Option<&'r Slot> {
    let slot = relation.slots.get(&bound_name(&triple.subject)?)?;
    (slot.shape == Shape::Node && slot.certain).then_some(slot)
}
