//! Properties that are set to literals which the node has further down as relationships: those go.
//!
//! The first literal of a node and a predicate is its property, further ones are relationships to nodes that
//! stand for literals (`docs/design/one-graph.md`). `SET n.p = v` of one of these would make one statement
//! stand in two places, and SPARQL find it twice. A relationship that says something of itself stays.

use std::ops::ControlFlow;
use std::sync::Arc;

use trimorph_base::NodeId;
use trimorph_store::Reader;
use trimorph_store::statements::{Asked, Graphs, Known, Statements};
use trimorph_types::iri_names::{LITERAL_LABEL, iri_of, is_hidden};
use trimorph_types::{Relationship, Value, rdf};

use super::changes::Sets;
use super::{Statement, Writing};
use crate::Error;

impl Statement<'_> {
    /// Sets what is to be set, and deletes the relationships that are the same statements then.
    pub(super) fn set_once(&self, writing: &mut Writing, sets: Sets<'_>) -> Result<(), Error> {
        let second = self.second_literals(writing, &sets)?;
        self.set(writing, sets)?;
        writing.has_deleted |= !second.is_empty();
        writing.unstated.extend(second.iter().map(|edge| edge.end));
        self.delete_edges(writing, &second)
    }

    /// The relationships that are statements which properties are to be.
    ///
    /// **Cost**: a look at the names of labels where no node stands for a literal.
    fn second_literals(&self, writing: &Writing, sets: &Sets<'_>) -> Result<Vec<Relationship>, Error> {
        let mut second = Vec::new();
        if writing.base(self.shared).schema().labels.id(LITERAL_LABEL).is_none() {
            return Ok(second);
        }
        let snapshot = writing.snapshot_within(writing.base(self.shared));
        let reader = Reader::new(&snapshot);
        let known = Known::of(&reader);
        let finder = Statements::new(&reader, &known);
        for (key, nodes, values) in sets.of_nodes().filter(|(key, ..)| !is_hidden(key)) {
            let predicate: Arc<str> = iri_of(key).into();
            for (at, (node, value)) in nodes.iter().zip(values).enumerate() {
                self.check(at)?;
                if !value.is_null() && finder.has_edges(*node, &predicate) {
                    let literals = match value {
                        Value::List(items) => &items[..],
                        value => std::slice::from_ref(value),
                    };
                    literals.iter().for_each(|literal| {
                        second.extend(edges_to(&finder, *node, &predicate, literal));
                    });
                }
            }
        }
        second.sort_unstable();
        second.dedup();
        second.retain(|edge| reader.edge_properties(edge.id).keys().all(|key| is_hidden(key)));
        Ok(second)
    }
}

/// The relationships in the default graph that are the statement of a literal.
fn edges_to(
    finder: &Statements<'_, '_>,
    node: NodeId,
    predicate: &Arc<str>,
    literal: &Value,
) -> Vec<Relationship> {
    let mut edges = Vec::new();
    if literal.is_null() {
        return edges;
    }
    let asked = Asked {
        subject: Some(Value::Node(node)),
        predicate: Some(Arc::clone(predicate)),
        object: Some(rdf::normalise(literal.clone())),
    };
    let _ = finder.find(&asked, &Graphs::Default, &mut |found| {
        edges.extend(found.edge);
        ControlFlow::Continue(())
    });
    edges
}
