//! Statements about relationships that come and go: what they say in, changes of properties of edges out.
//!
//! A relationship with properties reifies its own statement (`docs/design/one-graph.md`). What is said of it
//! becomes a property: a literal or an IRI, several in a list. It can say nothing in another graph than its
//! own, and be no other statement.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use trimorph_base::{Diagnostic, EdgeId, ErrorKind};
use trimorph_store::Reader;
use trimorph_store::statements::{Asked, Graphs, Known, Statements};
use trimorph_types::iri_names::{EDGE_BASE, GRAPH, iri_of, is_hidden, name_of};
use trimorph_types::{Relationship, Value, rdf};

use super::changes::Sets;
use super::written::{Written, holds, without};
use super::{Statement, Writing};
use crate::Error;

/// Properties of relationships as they are to be.
#[derive(Default)]
pub(super) struct Sayings(BTreeMap<(EdgeId, Arc<str>), (Relationship, Value)>);

impl Sayings {
    fn now(&self, edge: Relationship, name: &Arc<str>, reader: &Reader<'_>) -> Value {
        let known = self.0.get(&(edge.id, Arc::clone(name)));
        known.map_or_else(|| reader.edge_property(edge.id, name), |(_, value)| value.clone())
    }

    fn put(&mut self, edge: Relationship, name: Arc<str>, value: Value) {
        self.0.insert((edge.id, name), (edge, value));
    }
}

impl Statement<'_> {
    /// Takes the statements out that are about relationships; gives what they are to say.
    ///
    /// **Errors**: what a relationship cannot say.
    pub(super) fn take_said(
        &self,
        writing: &Writing,
        statements: &mut Vec<Written>,
    ) -> Result<Sayings, Error> {
        let mut sayings = Sayings::default();
        let may_be = |one: &Written| matches!(&one.subject, Value::Iri(iri) if iri.starts_with(EDGE_BASE));
        if !statements.iter().any(may_be) {
            return Ok(sayings);
        }
        let snapshot = writing.snapshot_within(writing.base(self.shared));
        let reader = Reader::new(&snapshot);
        let mut rest = Vec::with_capacity(statements.len());
        for one in statements.drain(..) {
            let edge = match &one.subject {
                Value::Iri(iri) if may_be(&one) && reader.node_of_iri(iri).is_none() => {
                    reader.relationship_of_iri(iri)
                }
                _ => None,
            };
            match edge {
                Some(edge) => self.say(&mut sayings, edge, &one, &reader)?,
                None => rest.push(one),
            }
        }
        *statements = rest;
        Ok(sayings)
    }

    fn say(
        &self,
        sayings: &mut Sayings,
        edge: Relationship,
        one: &Written,
        reader: &Reader<'_>,
    ) -> Result<(), Error> {
        let cannot = |what: String, hint: &str| {
            let error = Diagnostic::runtime(ErrorKind::TypeError, "InvalidStatement", what);
            Err(self.wrong(error.hint(hint)))
        };
        let name: Arc<str> = name_of(&one.predicate).into();
        let graph = match reader.edge_property(edge.id, GRAPH) {
            Value::Iri(graph) => Some(graph),
            _ => None,
        };
        if graph != one.graph {
            let what = "what is said of a relationship is in the graph of the relationship".to_owned();
            return cannot(what, "say it of a node that reifies the statement");
        }
        if *one.predicate == *rdf::names::rdf::REIFIES {
            let ends = [reader.term_of_node(edge.start), reader.term_of_node(edge.end)];
            let Some(ty) = reader.schema().edge_table_ids().find(|id| *id == edge.id.table()) else {
                return Ok(());
            };
            let predicate = Value::iri(iri_of(&reader.schema().type_name(ty)));
            let as_it_is = |value: &Value| Ok::<Value, ()>(value.clone());
            let own = rdf::triple([&ends[0], &predicate, &ends[1]], &mut { as_it_is });
            return match own {
                Ok(Some(own)) if trimorph_types::equivalent(&own, &one.object) => Ok(()),
                _ => cannot(
                    "a relationship reifies its own statement and no other".to_owned(),
                    "use another IRI or a blank node",
                ),
            };
        }
        if is_hidden(&name) {
            return cannot(format!("{name} is no property"), "names that begin with @ are the store's own");
        }
        let value = trimorph_store::statements::stored(&one.object);
        match sayings.now(edge, &name, reader) {
            Value::Null => sayings.put(edge, name, value),
            now if holds(&now, &one.object) => {}
            Value::List(items) => {
                sayings.put(edge, name, Value::list(items.iter().cloned().chain([value]).collect()));
            }
            now => sayings.put(edge, name, Value::list(vec![now, value])),
        }
        Ok(())
    }

    /// Notes what a statement that goes said of a relationship.
    pub(super) fn unsay(
        &self,
        sayings: &mut Sayings,
        edge: Relationship,
        one: &Written,
        object: &Value,
        reader: &Reader<'_>,
    ) {
        let known = Known::of(reader);
        let graphs = one.graph.as_ref().map_or(Graphs::Default, |graph| Graphs::One(Arc::clone(graph)));
        let asked = Asked {
            subject: Some(Value::Relationship(edge)),
            predicate: Some(Arc::clone(&one.predicate)),
            object: Some(object.clone()),
        };
        let mut is_there = false;
        let _ = Statements::new(reader, &known).find(&asked, &graphs, &mut |_| {
            is_there = true;
            ControlFlow::Break(())
        });
        if !is_there {
            return;
        }
        // Who says nothing reifies nothing.
        if *one.predicate == *rdf::names::rdf::REIFIES {
            for (name, _) in reader.edge_properties(edge.id) {
                if !is_hidden(&name) {
                    sayings.put(edge, name, Value::Null);
                }
            }
            return;
        }
        let name: Arc<str> = name_of(&one.predicate).into();
        let left = without(&sayings.now(edge, &name, reader), &one.object);
        sayings.put(edge, name, left);
    }

    pub(super) fn set_said(&self, writing: &mut Writing, sayings: Sayings) -> Result<(), Error> {
        let mut sets = Sets::default();
        for ((_, name), (edge, value)) in sayings.0 {
            self.put(&mut sets, &Value::Relationship(edge), name, value)?;
        }
        self.set(writing, sets)
    }
}
