//! Relationships that reify: `?r rdf:reifies <<( ?a :knows ?b )>> . ?r :since ?y`, which is also
//! `?a :knows ?b {| :since ?y |}`, is an edge of the query graph with a property.
//!
//! 1. That holds where only relationships reify: no such statement was written, and the predicate within is
//!    only edges between nodes.
//! 2. The statement itself, where the pattern asks for it beside its reifier, is the same edge: who reifies
//!    an edge is one that is there.
//! 3. A property of a name that edges have as well may be of either, unless the subject is known to be a
//!    node. Where all that is asked of the subject are such properties, nodes are asked, and then
//!    relationships; else it is statements.
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
use trimorph_types::iri_names::{EDGE_BASE, GRAPH, is_hidden, name_of};
use trimorph_types::rdf::names::rdf::REIFIES;

use super::Binder;
use super::relation::{Active, Name, Relation, Shape, is_not_null};
use super::scope::names_of;
use super::triple_terms::bound_name;
use super::triples::{Kind, Kinds, Way};

impl Binder<'_> {
    /// Finds the patterns that ask for relationships and for what these say, and a subject that may be a
    /// node or a relationship, and is asked for properties of one type only, whichever it is.
    pub(super) fn find_reified(
        &mut self,
        relation: &Relation,
        patterns: &[TriplePattern],
        ways: &mut [Way],
        active: &Active,
        (labels, kinds): (&BTreeMap<Name, LabelExpr>, &Kinds),
    ) -> Option<Name> {
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
        nodes.extend(kinds.iter().filter(|(_, kind)| **kind == Kind::Node).map(|(name, _)| Arc::clone(name)));
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
        let is_default = matches!(active, Active::Default) && self.dataset.is_none();
        let mut only_said: BTreeSet<Name> = BTreeSet::new();
        let mut asked = Vec::new();
        for (triple, way) in patterns.iter().zip(&*ways) {
            let is_said =
                is_default && matches!(way, Way::Statements) && self.is_only_said(&triple.predicate);
            only_said.extend(bound_name(&triple.subject).filter(|_| is_said));
            asked.push(is_said || matches!(way, Way::Property(..)));
        }
        // A subject that nothing else is asked of than properties of one type.
        let is_plain = |own: &mut Self, name: &Name| {
            let is_new = !relation.slots.contains_key(name) && !reifiers.contains_key(name);
            let are_properties = patterns.iter().zip(&asked).all(|(triple, is_property)| {
                let is_subject = bound_name(&triple.subject).as_ref() == Some(name);
                let is_object = bound_name(&triple.object).as_ref() == Some(name);
                !names_of(triple).contains(name) || *is_property && is_subject && !is_object
            });
            is_new && are_properties && own.says(name, patterns).is_some_and(|(_, one_type)| one_type)
        };
        let relationships: BTreeSet<Name> = {
            let known = kinds.iter().filter(|(_, kind)| **kind == Kind::Relationship).map(|(name, _)| name);
            let mut all: Vec<Name> = known.cloned().collect();
            all.extend(only_said.into_iter().filter(|name| !nodes.contains(name)));
            all.into_iter().filter(|name| is_plain(self, name)).collect()
        };
        let mut open: Vec<Name> = Vec::new();
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
            if let Some(name) = subject.as_ref().filter(|name| relationships.contains(*name))
                && let Some((types, _)) = self.says(name, patterns)
                && let NamedNodePattern::NamedNode(predicate) = &triple.predicate
                && let Way::Said(_, ty) = self.said(triple, &self.catalog.edge_tables(Some(&types)))
            {
                *way = Way::SaidOf(types, name_of(predicate.as_str()).into(), ty);
                continue;
            }
            let is_node = match &triple.subject {
                TermPattern::NamedNode(iri) => !iri.as_str().starts_with(EDGE_BASE),
                _ => subject.as_ref().is_some_and(|name| nodes.contains(name)),
            };
            if matches!(way, Way::Property(..)) && !is_node && self.may_be_said(&triple.predicate) {
                open.extend(subject);
                *way = Way::Statements;
            }
        }
        open.into_iter().find(|name| is_plain(self, name))
    }

    /// Whether only relationships have a property, and nothing else is of its name.
    fn is_only_said(&self, predicate: &NamedNodePattern) -> bool {
        let NamedNodePattern::NamedNode(iri) = predicate else { return false };
        let name = [Arc::from(&*name_of(iri.as_str()))];
        self.may_be_said(predicate)
            && self.catalog.node_columns(Some(&name)).is_empty()
            && self.catalog.edge_tables(Some(&name)).is_empty()
    }

    /// The types of relationships that say all that patterns ask of a subject, and whether each property is
    /// of one type in all of them.
    fn says(&mut self, subject: &Name, patterns: &[TriplePattern]) -> Option<(Vec<Arc<str>>, bool)> {
        let own = patterns.iter().filter(|triple| bound_name(&triple.subject).as_ref() == Some(subject));
        let own: Vec<&TriplePattern> = own.collect();
        let mut tables: Option<BTreeSet<EdgeTableId>> = None;
        for triple in &own {
            let NamedNodePattern::NamedNode(predicate) = &triple.predicate else { return None };
            let name: Arc<str> = name_of(predicate.as_str()).into();
            let columns = self.catalog.edge_columns(Some(std::slice::from_ref(&name)));
            let having: BTreeSet<EdgeTableId> = columns.into_iter().map(|(table, _)| table).collect();
            tables = Some(match tables {
                Some(tables) => tables.intersection(&having).copied().collect(),
                None => having,
            });
        }
        let tables: Vec<EdgeTableId> = tables?.into_iter().collect();
        // Those in named graphs say nothing in the default one.
        let graphs = self.catalog.edge_columns(Some(&[Arc::from(GRAPH)]));
        if graphs.iter().any(|(table, _)| tables.contains(table)) {
            return None;
        }
        let types: BTreeSet<Arc<str>> = tables.iter().map(|table| self.catalog.type_name(*table)).collect();
        let types: Vec<Arc<str>> = types.into_iter().collect();
        if types.is_empty() {
            return None;
        }
        let all = self.catalog.edge_tables(Some(&types));
        let one_type = own.iter().all(|triple| matches!(self.said(triple, &all), Way::Said(..)));
        Some((types, one_type))
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
