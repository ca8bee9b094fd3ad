//! Relationships that reify: `?r rdf:reifies <<( ?a :knows ?b )>> . ?r :since ?y`, which is also
//! `?a :knows ?b {| :since ?y |}`, is an edge of the query graph with a property.
//!
//! 1. That holds where only relationships reify: no such statement was written, and the predicate within is
//!    only edges between nodes.
//! 2. The statement itself, where the pattern asks for it beside its reifier, is the same edge: who reifies
//!    an edge is one that is there.
//! 3. A property of a name that edges have as well may be of either, unless the subject is known to be a
//!    node.
//!
//! What the schema says of it, the plan relies on.
//!
//! Source: RDF 1.2 Concepts, "Triple Terms and Reification"; `docs/design/one-graph.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};
use trimorph_algebra::{Expr, LabelExpr, Op, QueryGraph, VarId};
use trimorph_base::{EdgeTableId, Span};
use trimorph_types::LogicalType;
use trimorph_types::iri_names::{EDGE_BASE, is_hidden, name_of};
use trimorph_types::rdf::names::rdf::REIFIES;

use super::Binder;
use super::relation::{Active, Name, Relation, Shape, is_not_null};
use super::triples::{Way, bound_name};

impl Binder<'_> {
    /// Finds the patterns that ask for relationships and for what these say, and those that may.
    pub(super) fn find_reified(
        &mut self,
        relation: &Relation,
        patterns: &[TriplePattern],
        ways: &mut [Way],
        active: &Active,
        labels: &BTreeMap<Name, LabelExpr>,
    ) {
        let mut reifiers: BTreeMap<Name, Arc<[EdgeTableId]>> = BTreeMap::new();
        let mut implied: Vec<&TriplePattern> = Vec::new();
        for (triple, way) in patterns.iter().zip(&mut *ways) {
            let (Some(name), TermPattern::Triple(inner)) = (bound_name(&triple.subject), &triple.object)
            else {
                continue;
            };
            if !is_predicate(triple, REIFIES)
                || relation.slots.contains_key(&name)
                || reifiers.contains_key(&name)
                || !self.catalog.edge_tables(Some(&[Arc::from(&*name_of(REIFIES))])).is_empty()
            {
                continue;
            }
            if let Way::Edge(ty) = self.way(inner, active, labels) {
                let tables = self.catalog.edge_tables(Some(std::slice::from_ref(&ty)));
                if !self.names_said(&tables).is_empty() {
                    reifiers.insert(name, tables);
                    implied.push(inner);
                    *way = Way::Reified(ty);
                }
            }
        }
        let mut nodes: BTreeSet<Name> = labels.keys().cloned().collect();
        let held = relation.slots.iter().filter(|(_, slot)| slot.shape == Shape::Node);
        nodes.extend(held.map(|(name, _)| Arc::clone(name)));
        for (triple, way) in patterns.iter().zip(&*ways) {
            let ends = match (way, &triple.object) {
                (Way::Edge(_), object) => [&triple.subject, object],
                (Way::Reified(_), TermPattern::Triple(inner)) => [&inner.subject, &inner.object],
                _ => continue,
            };
            nodes.extend(ends.into_iter().filter_map(bound_name));
        }
        for (triple, way) in patterns.iter().zip(&mut *ways) {
            if implied.contains(&triple) {
                *way = Way::Implied;
                continue;
            }
            if matches!(way, Way::Reified(_)) {
                continue;
            }
            let subject = bound_name(&triple.subject);
            if let Some(tables) = subject.as_ref().and_then(|name| reifiers.get(name)) {
                *way = self.said(triple, tables);
                continue;
            }
            let is_node = match &triple.subject {
                TermPattern::NamedNode(iri) => !iri.as_str().starts_with(EDGE_BASE),
                _ => subject.is_some_and(|name| nodes.contains(&name)),
            };
            if matches!(way, Way::Property(..)) && !is_node && self.may_be_said(&triple.predicate) {
                *way = Way::Statements;
            }
        }
    }

    /// How a property of relationships of some tables is asked for.
    fn said(&mut self, triple: &TriplePattern, tables: &[EdgeTableId]) -> Way {
        let NamedNodePattern::NamedNode(predicate) = &triple.predicate else { return Way::Statements };
        let name: Arc<str> = name_of(predicate.as_str()).into();
        let is_object = matches!(
            triple.object,
            TermPattern::Variable(_) | TermPattern::BlankNode(_) | TermPattern::Literal(_)
        );
        if is_hidden(&name) || !is_object {
            return Way::Statements;
        }
        let columns = self.catalog.edge_columns(Some(std::slice::from_ref(&name)));
        let mut types = BTreeSet::new();
        for (table, column) in columns.into_iter().filter(|(table, _)| tables.contains(table)) {
            let ty = self.catalog.edge_column_type(table, column);
            let is_one = self.catalog.has_one_edge_type(table, column);
            types.insert(ty.filter(|_| is_one));
        }
        match types.into_iter().collect::<Vec<_>>()[..] {
            [Some(ty)]
                if !matches!(
                    ty,
                    LogicalType::Any | LogicalType::List | LogicalType::Map | LogicalType::Iri
                ) =>
            {
                Way::Said(name, ty)
            }
            _ => Way::Statements,
        }
    }

    /// The names of what relationships of some tables may say.
    fn names_said(&self, tables: &[EdgeTableId]) -> BTreeSet<Arc<str>> {
        let names = tables.iter().flat_map(|table| self.catalog.edge_property_names(*table));
        names.filter(|name| !is_hidden(name)).collect()
    }

    /// Whether the subject of a statement with a predicate may be a relationship.
    pub(super) fn may_be_said(&self, predicate: &NamedNodePattern) -> bool {
        match predicate {
            NamedNodePattern::NamedNode(iri) if iri.as_str() != REIFIES => {
                let name = name_of(iri.as_str());
                !is_hidden(&name) && !self.catalog.edge_columns(Some(&[Arc::from(&*name)])).is_empty()
            }
            _ => {
                let tables: Vec<EdgeTableId> = self.catalog.edge_table_ids().collect();
                !self.names_said(&tables).is_empty()
            }
        }
    }

    /// Whether the relationship of a pattern has any property.
    pub(super) fn says_anything(&self, reifier: VarId, graph: &QueryGraph) -> Expr {
        let edge = graph.edges.iter().find(|edge| edge.var == reifier);
        let tables = edge.map(|edge| self.catalog.edge_tables(Some(&edge.types)));
        let names = self.names_said(tables.as_deref().unwrap_or_default());
        let has = |name| is_not_null(Expr::Property(Box::new(Expr::Var(reifier)), name, Span::default()));
        let mut any: Vec<Expr> = names.into_iter().map(has).collect();
        match any.len() {
            1 => any.remove(0),
            _ => Expr::op(Op::Or, any),
        }
    }
}

/// Whether the predicate of a triple pattern is an IRI.
fn is_predicate(triple: &TriplePattern, iri: &str) -> bool {
    matches!(&triple.predicate, NamedNodePattern::NamedNode(own) if own.as_str() == iri)
}
