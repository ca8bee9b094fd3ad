//! All statements, or all of a predicate, place by place: a column, the lists of an edge table, the labels of
//! a node table.
//!
//! Each place is read from its first row to its last, a run of rows at a time, so that whoever reads keeps
//! few statements. Nothing is looked up for a row: what a place is for is known before.
//!
//! Source: Poseidon §6 (relation scan); Virtuoso, "Column Store" (a scan of PSO).

use std::ops::ControlFlow;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use trimorph_base::{NodeId, TableId};
use trimorph_catalog::EdgeShape;
use trimorph_types::iri_names::is_hidden;
use trimorph_types::{LogicalType, Value};

use super::in_graphs::{InGraph, are_several};
use super::matching::{Found, Graphs, Sink, Statements, each_literal, rdf_type};
use super::said::reifies;
use crate::neighbours::Neighbours;
use crate::{PropertyColumn, SEGMENT_ROWS};

/// A place where statements are.
#[derive(Clone, Debug)]
pub struct Part {
    pub(super) table: TableId,
    pub(super) predicate: Arc<str>,
    pub(super) of: Of,
}

#[derive(Clone, Debug)]
pub(super) enum Of {
    Labels,
    Column(usize),
    Edges(EdgeShape),
    /// The edges of a table that are in one named graph: their subjects come in no order.
    InGraph(InGraph),
    /// A column of what edges say, by their place in the shape.
    Said(usize, usize),
    /// The statements that edges with properties are.
    Reified(usize),
}

impl Part {
    /// The node table whose nodes are its subjects, or whose relationships are.
    pub fn table(&self) -> TableId {
        self.table
    }
}

impl Statements<'_, '_> {
    /// The places of a predicate's statements, or of all; none where they must be told apart across places.
    pub fn parts(&self, predicate: Option<&Arc<str>>, graphs: &Graphs) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        let reader = self.reader();
        let may_be_in =
            |at: usize, graphs: &Graphs| self.shape().said[at].edges.graph.is_some() || graphs.has_default();
        if graphs.has_default() && self.asks(predicate, &rdf_type()) {
            let tables = reader.schema().table_ids().filter(|table| !reader.stands_for_literals(*table));
            parts.extend(tables.map(|table| Part { table, predicate: rdf_type(), of: Of::Labels }));
        }
        for (iri, places) in self.places(predicate) {
            let part = |table, of| Part { table, predicate: Arc::clone(iri), of };
            if graphs.has_default() {
                parts.extend(places.columns.iter().map(|(table, column)| part(*table, Of::Column(*column))));
            }
            // Edges that are in no graph are in the default graph only.
            let edges = places.edges.iter().filter(|shape| shape.graph.is_some() || graphs.has_default());
            for shape in edges {
                match self.in_graphs(shape, graphs) {
                    Some(found) => {
                        parts.extend(found.into_iter().map(|one| part(shape.source, Of::InGraph(one))))
                    }
                    None if are_several(graphs) => return None,
                    None => parts.push(part(shape.source, Of::Edges(shape.clone()))),
                }
            }
            parts.extend(
                places
                    .said
                    .iter()
                    .filter(|(at, _)| may_be_in(*at, graphs))
                    .map(|(at, column)| part(self.shape().said[*at].edges.source, Of::Said(*at, *column))),
            );
        }
        if self.asks(predicate, &reifies()) {
            let said = self.shape().said.iter().enumerate().filter(|(at, _)| may_be_in(*at, graphs));
            let part = |table, at| Part { table, predicate: reifies(), of: Of::Reified(at) };
            parts.extend(said.map(|(at, said)| part(said.edges.source, at)));
        }
        Some(parts)
    }

    /// How many steps a part is gone through in: as a rule the rows of its table.
    pub fn steps_of(&self, part: &Part) -> u64 {
        match &part.of {
            Of::InGraph(place) => self.steps_in(place),
            _ => self.reader().rows(part.table),
        }
    }

    /// Hands over the statements at `count` steps of a part from `first` on, as a rule those whose subjects
    /// are these rows. Where nobody asks for objects they are null.
    pub fn of_part(
        &self,
        part: &Part,
        (first, count): (u64, u64),
        graphs: &Graphs,
        with_objects: bool,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        if let Of::InGraph(place) = &part.of {
            return self.edges_in(place, (first, count), graphs).into_iter().try_for_each(|edge| {
                sink(Found {
                    subject: Value::Node(edge.start),
                    predicate: Arc::clone(&part.predicate),
                    object: if with_objects { self.object_of(edge.end) } else { Value::Null },
                    graph: Some(Arc::clone(&place.graph)),
                    edge: Some(edge),
                })
            });
        }
        let reader = self.reader();
        let end = reader.rows(part.table).min(first + count);
        let len = usize::try_from(end.saturating_sub(first)).unwrap_or(0);
        let there = reader.existing(NodeId::new(part.table, first), len);
        let rows: Vec<u32> = there.unwrap_or_else(|| (0..len as u32).collect());
        let subject = |position: u32| NodeId::new(part.table, first + u64::from(position));
        let found = |position: u32, object: Value| Found {
            subject: Value::Node(subject(position)),
            predicate: Arc::clone(&part.predicate),
            object,
            graph: None,
            edge: None,
        };
        match &part.of {
            Of::Labels => {
                let fixed = (!reader.labels_vary(part.table))
                    .then(|| rows.first().map(|row| reader.labels(subject(*row))).unwrap_or_default());
                for row in rows {
                    let own = match &fixed {
                        Some(_) => None,
                        None => Some(reader.labels(subject(row))),
                    };
                    for label in own.as_ref().or(fixed.as_ref()).into_iter().flatten() {
                        if !is_hidden(label) {
                            sink(found(row, self.class(label)))?;
                        }
                    }
                }
            }
            Of::Column(column) => {
                let values = PropertyColumn::of_nodes(part.table, *column, reader);
                let is_plain = values
                    .certain_type()
                    .is_some_and(|ty| !matches!(ty, LogicalType::Any | LogicalType::List | LogicalType::Map));
                let run = values.scan(first, len);
                for row in rows {
                    if !with_objects && is_plain {
                        if !run.is_null(row as usize) {
                            sink(found(row, Value::Null))?;
                        }
                        continue;
                    }
                    let value = run.value(row as usize, &|_| Value::Null);
                    each_literal(value, &mut |literal| sink(found(row, literal)))?;
                }
            }
            Of::Said(at, _) | Of::Reified(at) => {
                let said = &self.shape().said[*at];
                for row in rows {
                    self.each_leaving(said, subject(row), &mut |edge| {
                        let graph = self.graph_of(&said.edges, edge.id);
                        if !graphs.has(graph.as_deref()) {
                            return ControlFlow::Continue(());
                        }
                        let one = |object| Found {
                            subject: Value::Relationship(edge),
                            graph: graph.clone(),
                            ..found(row, object)
                        };
                        match part.of {
                            Of::Said(_, column) => {
                                let value = self.value_of(said, column, edge.id);
                                self.each_said(value, &mut |value| sink(one(value)))
                            }
                            _ if !self.says_anything(said, edge.id) => ControlFlow::Continue(()),
                            _ if with_objects => sink(one(self.statement_of(said, edge))),
                            _ => sink(one(Value::Null)),
                        }
                    })?;
                }
            }
            // Above.
            Of::InGraph(_) => {}
            Of::Edges(shape) => {
                let lists = Neighbours::all(reader, shape.at, true, part.table);
                if lists.have_none(first, len as u64) {
                    return ControlFlow::Continue(());
                }
                let (mut nodes, mut edges) = (Vec::new(), Vec::new());
                for row in rows {
                    nodes.clear();
                    edges.clear();
                    let wants_edges = shape.graph.is_some().then_some(&mut edges);
                    lists.append(subject(row), &mut nodes, wants_edges);
                    for (at, node) in nodes.iter().enumerate() {
                        let graph = edges.get(at).and_then(|edge| self.graph_of(shape, *edge));
                        if graphs.has(graph.as_deref()) {
                            let object = if with_objects { self.object_of(*node) } else { Value::Null };
                            sink(Found { graph, ..found(row, object) })?;
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// How many steps of a part are counted together, where that many are: what is told of many rows at once
    /// is asked of a segment, all else of so few that who waits can be told to stop.
    pub fn counted_together(&self, part: &Part, few: u64) -> u64 {
        match &part.of {
            Of::Labels => SEGMENT_ROWS as u64,
            Of::Edges(shape) if shape.graph.is_none() => SEGMENT_ROWS as u64,
            _ => few,
        }
    }

    /// Hands over how many statements stand at `count` steps of a part from `first` on: with the class, where
    /// the part is of these, else without subject and object.
    pub fn count_of_part(
        &self,
        part: &Part,
        (first, count): (u64, u64),
        graphs: &Graphs,
        sink: &mut dyn FnMut(Found, u64),
    ) {
        let reader = self.reader();
        let end = reader.rows(part.table).min(first + count);
        let len = usize::try_from(end.saturating_sub(first)).unwrap_or(0);
        let counted = |object: Value| Found {
            subject: Value::Null,
            predicate: Arc::clone(&part.predicate),
            object,
            graph: None,
            edge: None,
        };
        match &part.of {
            Of::Labels => {
                let mut classes: FxHashMap<Arc<str>, u64> = FxHashMap::default();
                let node = NodeId::new(part.table, first);
                reader.label_sets(node, len, &mut |labels, rows| {
                    for label in labels {
                        match classes.get_mut(label) {
                            Some(known) => *known += rows,
                            None => _ = classes.insert(Arc::clone(label), rows),
                        }
                    }
                });
                for (label, rows) in classes.into_iter().filter(|(label, _)| !is_hidden(label)) {
                    sink(counted(self.class(&label)), rows);
                }
            }
            Of::Edges(shape) if shape.graph.is_none() => {
                let lists = Neighbours::all(reader, shape.at, true, part.table);
                sink(counted(Value::Null), lists.degrees(first, len as u64));
            }
            _ => {
                if let Of::InGraph(place) = &part.of
                    && let Some(known) = self.count_in(place, (first, count), graphs)
                {
                    return sink(counted(Value::Null), known);
                }
                if let Of::Said(..) | Of::Reified(_) = &part.of
                    && graphs.has_default()
                    && let Some(known) = self.count_said(part, NodeId::new(part.table, first), len)
                {
                    return sink(counted(Value::Null), known);
                }
                if let Some(batches) = self.batches_of_part(part, (first, count), graphs, false) {
                    let found: usize = batches.iter().map(|batch| batch.len).sum();
                    return sink(counted(Value::Null), found as u64);
                }
                let mut found = 0;
                let _ = self.of_part(part, (first, count), graphs, false, &mut |_| {
                    found += 1;
                    ControlFlow::Continue(())
                });
                sink(counted(Value::Null), found);
            }
        }
    }
}
