//! Properties that are set or removed where the node has further literals, which are relationships.
//!
//! The first literal of a node and a predicate is its property, further ones are relationships to nodes that
//! stand for literals (`docs/design/one-graph.md`).
//!
//! 1. `SET n.p = v` of a further one would make one statement stand in two places, and SPARQL find it twice:
//!    the relationship goes, unless it says something of itself.
//! 2. `REMOVE n.p` leaves nothing of the property: all relationships go, with what they say. So does
//!    `SET n = map` with the properties that the map has not.
//! 3. Where SPARQL deletes the literal that is the property, the next one becomes it: `n.p` is null only
//!    where there is none.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use trimorph_base::NodeId;
use trimorph_store::Reader;
use trimorph_store::statements::{Asked, Graphs, Known, Statements};
use trimorph_types::iri_names::{LITERAL_LABEL, iri_of, is_hidden, name_of};
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

    /// The relationships that are statements which properties are to be, and those of properties that go.
    ///
    /// **Cost**: a look at the names of labels where no node stands for a literal.
    fn second_literals(&self, writing: &Writing, sets: &Sets<'_>) -> Result<Vec<Relationship>, Error> {
        let (mut second, mut removed) = (Vec::new(), Vec::new());
        if self.shared.in_newest(|main| main.catalog.schema.labels.id(LITERAL_LABEL).is_none()) {
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
                if !finder.has_edges(*node, &predicate) {
                    continue;
                }
                if value.is_null() {
                    let further = further_literals(&finder, *node, Some(&predicate));
                    removed.extend(further.into_iter().map(|(edge, ..)| edge));
                } else {
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
        second.retain(|edge| says_nothing(&reader, edge));
        second.append(&mut removed);
        second.sort_unstable();
        second.dedup();
        Ok(second)
    }

    /// The properties of which a node has further literals.
    pub(super) fn further_properties(&self, reader: &Reader<'_>, node: NodeId) -> BTreeSet<Arc<str>> {
        if reader.schema().labels.id(LITERAL_LABEL).is_none() {
            return BTreeSet::new();
        }
        let known = Known::of(reader);
        let further = further_literals(&Statements::new(reader, &known), node, None);
        further.into_iter().map(|(_, predicate, _)| name_of(&predicate).into()).collect()
    }
}

/// Gives properties whose last literal goes the first of the further ones that do not go and say nothing of
/// themselves; gives the relationships that are properties then.
pub(super) fn next_literals(
    finder: &Statements<'_, '_>,
    reader: &Reader<'_>,
    values: &mut BTreeMap<(NodeId, Arc<str>), Value>,
    going: &[Relationship],
) -> Vec<Relationship> {
    let mut moved = Vec::new();
    for ((node, name), value) in values.iter_mut().filter(|(_, value)| value.is_null()) {
        let predicate: Arc<str> = iri_of(name).into();
        if !finder.has_edges(*node, &predicate) {
            continue;
        }
        let mut further = further_literals(finder, *node, Some(&predicate));
        further.retain(|(edge, ..)| going.binary_search(edge).is_err() && says_nothing(reader, edge));
        if let Some((edge, _, literal)) = further.into_iter().min_by_key(|(edge, ..)| edge.id) {
            *value = trimorph_store::statements::stored(&literal);
            moved.push(edge);
        }
    }
    moved
}

fn says_nothing(reader: &Reader<'_>, edge: &Relationship) -> bool {
    reader.edge_properties(edge.id).keys().all(|key| is_hidden(key))
}

/// The relationships of a node in the default graph that are statements of literals, with their predicates
/// and literals.
fn further_literals(
    finder: &Statements<'_, '_>,
    node: NodeId,
    predicate: Option<&Arc<str>>,
) -> Vec<(Relationship, Arc<str>, Value)> {
    let asked = Asked { subject: Some(Value::Node(node)), predicate: predicate.cloned(), object: None };
    let mut further = Vec::new();
    let _ = finder.find(&asked, &Graphs::Default, &mut |found| {
        if let Some(edge) = found.edge.filter(|_| rdf::datatype(&found.object).is_some()) {
            further.push((edge, found.predicate, found.object));
        }
        ControlFlow::Continue(())
    });
    further
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
