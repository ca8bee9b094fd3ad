//! What relationships say: a relationship with properties is a term that reifies its own statement, and its
//! properties are the literals and IRIs that are said of it (RDF 1.2, "Triple Terms and Reification").
//!
//! 1. A relationship has its properties, and the triple term of its ends and its type.
//! 2. A triple term is taken apart, and the lists of its subject looked through for its object.
//! 3. A literal or an IRI is looked for in the index of each column of edges, or the edges are read.
//!
//! What is said of a relationship in a named graph is in that graph.
//!
//! Source: Poseidon §2 (edge properties are meta-properties); `docs/design/one-graph.md`.

use std::ops::ControlFlow;
use std::sync::Arc;

use trimorph_base::{EdgeId, NodeId};
use trimorph_catalog::SaidShape;
use trimorph_types::iri_names::EDGE_BASE;
use trimorph_types::rdf::names::rdf::REIFIES;
use trimorph_types::{Relationship, Value, equivalent, rdf};

use super::literals::{Known, SEARCH_ROWS, Sought};
use super::matching::{Found, Graphs, Sink, Statements, each_literal, stored};
use super::terms::may_be_list;
use crate::neighbours::Neighbours;
use crate::{PropertyColumn, Reader};

/// The predicate between a relationship and its statement.
pub(super) fn reifies() -> Arc<str> {
    static REIFIES: std::sync::OnceLock<Arc<str>> = std::sync::OnceLock::new();
    Arc::clone(REIFIES.get_or_init(|| rdf::names::rdf::REIFIES.into()))
}

impl Reader<'_> {
    /// The relationship that an IRI is, if there is one.
    ///
    /// **Cost**: a look at its ends.
    pub fn relationship_of_iri(&self, iri: &str) -> Option<Relationship> {
        let text = iri.strip_prefix(EDGE_BASE)?;
        let id: u64 = text.parse().ok()?;
        // One number is one IRI.
        (id.to_string() == text).then(|| self.existing_edge(EdgeId(id))).flatten()
    }

    /// The node or relationship that an IRI, a blank node or a triple term is, if there is one.
    ///
    /// **Cost**: a look-up in the index of each node table with such nodes.
    pub fn entity_of_iri(&self, iri: &str) -> Option<Value> {
        let node = self.node_of_iri(iri).map(Value::Node);
        node.or_else(|| self.relationship_of_iri(iri).map(Value::Relationship))
    }
}

impl Statements<'_, '_> {
    /// The statements about a relationship, by predicate and object.
    pub(super) fn of_relationship(
        &self,
        subject: Relationship,
        predicate: Option<&Arc<str>>,
        object: Option<&Value>,
        graphs: &Graphs,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let at = usize::from(subject.id.table().0);
        let Some(said) = self.shape().said.iter().find(|said| said.edges.at == at) else {
            return ControlFlow::Continue(());
        };
        let graph = self.graph_of(&said.edges, subject.id);
        if !graphs.has(graph.as_deref()) {
            return ControlFlow::Continue(());
        }
        let agrees = |value: &Value| object.is_none_or(|wanted| equivalent(wanted, value));
        let mut give = |predicate: &Arc<str>, object: Value| {
            let (predicate, graph) = (Arc::clone(predicate), graph.clone());
            sink(Found { subject: Value::Relationship(subject), predicate, object, graph, edge: None })
        };
        for (iri, column) in &said.columns {
            if self.asks(predicate, iri) {
                self.each_said(self.value_of(said, *column, subject.id), &mut |value| {
                    if agrees(&value) { give(iri, value) } else { ControlFlow::Continue(()) }
                })?;
            }
        }
        if self.asks(predicate, REIFIES) && self.says_anything(said, subject.id) {
            let term = self.statement_of(said, subject);
            if agrees(&term) {
                give(&reifies(), term)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The relationships that say a literal or an IRI.
    pub(super) fn saying(
        &self,
        predicate: Option<&Arc<str>>,
        object: &Value,
        graphs: &Graphs,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let wanted = match self.reader().term_of(object) {
            Value::Iri(iri) => Value::Iri(iri),
            literal => stored(&literal),
        };
        let sought = Sought::new(wanted);
        let wants = &sought.wanted;
        for (iri, places) in self.places(predicate) {
            for (at, column) in &places.said {
                let said = &self.shape().said[*at];
                let known = self.reader().known_of_edges(said.edges.at, *column, &sought);
                if known == Known::Nowhere && !self.reader().has_edge_changes(said.edges.at) {
                    continue;
                }
                let searched = |spent, values: &PropertyColumn<'_, '_>| {
                    if known == Known::Somewhere {
                        values.searched(spent);
                    }
                };
                let values = PropertyColumn::of_edges(said.edges.at, *column, self.reader());
                let may_be_list = may_be_list(&values);
                if !may_be_list && values.certain_type() != Some(sought.ty) {
                    continue;
                }
                let mut found = Vec::new();
                let table = self.reader().schema().edge_table_ids().nth(said.edges.at);
                let is_found = !may_be_list
                    && table.is_some_and(|table| self.reader().find_edges(table, *column, wants, &mut found));
                if is_found {
                    searched(SEARCH_ROWS, &values);
                    for edge in found {
                        self.of_relationship(edge, Some(iri), Some(object), graphs, sink)?;
                    }
                    continue;
                }
                let mut read = 0;
                self.each_edge(said, &mut |edge| {
                    read += 1;
                    let value = values.value(values.slot(edge.id));
                    if value.is_null() || !may_be_list && !wants.holds(&value) {
                        return ControlFlow::Continue(());
                    }
                    self.of_relationship(edge, Some(iri), Some(object), graphs, sink)
                })?;
                searched(read, &values);
            }
        }
        ControlFlow::Continue(())
    }

    /// The relationships that are the statement of a triple term.
    pub(super) fn reifying(
        &self,
        predicate: Option<&Arc<str>>,
        object: &Value,
        graphs: &Graphs,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let (true, Value::Iri(text)) = (self.asks(predicate, REIFIES), self.reader().term_of(object)) else {
            return ControlFlow::Continue(());
        };
        let Some([subject, middle, end]) = rdf::triple_parts(&text) else { return ControlFlow::Continue(()) };
        let (Value::Iri(subject), Value::Iri(middle)) = (subject, middle) else {
            return ControlFlow::Continue(());
        };
        let end = match rdf::normalise(end) {
            Value::Iri(iri) => self.reader().node_of_iri(&iri),
            literal => self.reader().node_of_literal(&literal),
        };
        let (Some(subject), Some(end)) = (self.reader().node_of_iri(&subject), end) else {
            return ControlFlow::Continue(());
        };
        let shapes = self.shape().said.iter();
        for said in shapes.filter(|said| said.predicate == middle && said.edges.source == subject.table()) {
            let lists = Neighbours::all(self.reader(), said.edges.at, true, subject.table());
            let mut edges = Vec::new();
            lists.between(subject, end, true, |edge| edges.push(edge));
            for id in edges {
                let edge = Relationship { id, start: subject, end };
                self.of_relationship(edge, Some(&reifies()), Some(object), graphs, sink)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The statements about the relationships that leave a node.
    pub(super) fn of_leaving(
        &self,
        node: NodeId,
        predicate: Option<&Arc<str>>,
        graphs: &Graphs,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        for said in self.shape().said.iter().filter(|said| said.edges.source == node.table()) {
            let is_asked = self.asks(predicate, REIFIES)
                || said.columns.iter().any(|(iri, _)| self.asks(predicate, iri));
            if is_asked {
                self.each_leaving(said, node, &mut |edge| {
                    self.of_relationship(edge, predicate, None, graphs, sink)
                })?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The relationships of a table that leave a node.
    pub(super) fn each_leaving(
        &self,
        said: &SaidShape,
        node: NodeId,
        visit: &mut dyn FnMut(Relationship) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let lists = Neighbours::all(self.reader(), said.edges.at, true, said.edges.source);
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        lists.append(node, &mut nodes, Some(&mut edges));
        nodes.into_iter().zip(edges).try_for_each(|(end, id)| visit(Relationship { id, start: node, end }))
    }

    fn each_edge(
        &self,
        said: &SaidShape,
        visit: &mut dyn FnMut(Relationship) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.each_node(said.edges.source, &mut |node| self.each_leaving(said, node, visit))
    }

    pub(super) fn value_of(&self, said: &SaidShape, column: usize, edge: EdgeId) -> Value {
        let values = PropertyColumn::of_edges(said.edges.at, column, self.reader());
        values.value(values.slot(edge))
    }

    /// Whether a relationship has any property.
    pub(super) fn says_anything(&self, said: &SaidShape, edge: EdgeId) -> bool {
        said.columns.iter().any(|(_, column)| !self.value_of(said, *column, edge).is_null())
    }

    /// The statement that a relationship is, as a term.
    pub(super) fn statement_of(&self, said: &SaidShape, edge: Relationship) -> Value {
        let terms = [
            self.reader().term_of_node(edge.start),
            Value::Iri(Arc::clone(&said.predicate)),
            self.reader().term_of_node(edge.end),
        ];
        let as_it_is = |value: &Value| Ok::<Value, ()>(value.clone());
        match rdf::triple([&terms[0], &terms[1], &terms[2]], &mut { as_it_is }) {
            Ok(Some(Value::Iri(text))) => self.entity(&text),
            _ => Value::Null,
        }
    }

    /// The literals and IRIs that a property of a relationship is, as terms.
    pub(super) fn each_said(
        &self,
        value: Value,
        visit: &mut dyn FnMut(Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        each_literal(value, &mut |value| match value {
            Value::Iri(iri) => visit(self.entity(&iri)),
            // What is no term, such as a map, says nothing.
            value if rdf::datatype(&value).is_none() => ControlFlow::Continue(()),
            literal => visit(literal),
        })
    }
}
