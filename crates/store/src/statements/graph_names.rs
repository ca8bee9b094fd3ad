//! The named graph that an edge is in: takes edges, gives names.
//!
//! Graphs are few, edges many, and taking a name out of a column costs ten times as much as finding the bytes
//! that it is stored as: each name is taken out once for a segment of the column.
//!
//! Which graphs there are tells the index of `@graph`, which has the edges of each end to end: one edge is
//! looked at for each graph, and the next graph begins where this one's edges end. Where they are few the
//! index keeps them. A table that was written to since the last merge is gone through edge by edge.

use std::ops::ControlFlow;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use trimorph_base::EdgeId;
use trimorph_catalog::EdgeShape;
use trimorph_storage::Iris;
use trimorph_types::Value;

use super::matching::Statements;
use crate::neighbours::Neighbours;
use crate::{PropertyColumn, Wanted};

/// Names that are remembered of a segment; there may be as many graphs as edges.
const NAMES_MAX: usize = 4_096;

/// Graphs that are known by their names.
const FEW: usize = 1_024;

impl<'r, 's> Statements<'r, 's> {
    /// The graph of an edge; none for the default graph.
    pub(super) fn graph_of(&self, shape: &EdgeShape, edge: EdgeId) -> Option<Arc<str>> {
        let column = PropertyColumn::of_edges(shape.at, shape.graph?, self.reader());
        self.graph_at(shape.at, &column, column.slot(edge))
    }

    /// The graph of the edge at a slot of its table's column of graphs. What is no name is none.
    pub(super) fn graph_at(&self, at: usize, column: &PropertyColumn<'r, 's>, slot: u64) -> Option<Arc<str>> {
        let name = || match column.value(slot) {
            Value::Iri(graph) => Some(graph),
            _ => None,
        };
        let Some((segment, bytes)) = column.stored_bytes(slot) else { return name() };
        let mut tables = self.known.graphs.borrow_mut();
        let names = tables.entry(at).or_default().entry(segment).or_default();
        if let Some(known) = names.get(bytes) {
            return known.clone();
        }
        if names.len() >= NAMES_MAX {
            names.clear();
        }
        let name = name();
        names.insert(bytes.into(), name.clone());
        name
    }

    /// The names of the graphs that statements are in.
    ///
    /// **Order**: by name. **Cost**: a few searches in the index of each table with named graphs for each of
    /// its graphs, or what the index has kept; without an index, a look at each edge.
    pub fn graph_names(&self) -> Vec<Arc<str>> {
        let mut names = FxHashSet::default();
        for shape in self.with_graphs() {
            if self.graphs_by_index(shape, usize::MAX, &mut names).is_none() {
                self.graphs_by_edge(shape, &mut names);
            }
        }
        let mut names: Vec<Arc<str>> = names.into_iter().collect();
        names.sort_unstable();
        names
    }

    /// All graphs that statements are in, where they are few and nothing was written to them since the last
    /// merge: so that what is the name of no graph is looked for nowhere.
    ///
    /// **Cost**: that of [`Self::graph_names`], once.
    pub fn few_graphs(&self) -> Option<&FxHashSet<Arc<str>>> {
        let find = || {
            let mut names = FxHashSet::default();
            // Who notes what he reads asks every place.
            let are_few = !self.reader().notes_reads()
                && self.with_graphs().all(|shape| {
                    self.graphs_by_index(shape, FEW, &mut names).is_some() && names.len() <= FEW
                });
            are_few.then_some(names)
        };
        self.known.few_graphs.get_or_init(find).as_ref()
    }

    /// The edge tables that have named graphs.
    fn with_graphs(&self) -> impl Iterator<Item = &EdgeShape> {
        let places = self.shape().predicates.iter().filter_map(|iri| self.shape().places(iri));
        let of_statements = self.shape().said.iter().map(|said| &said.edges);
        places.flat_map(|places| &places.edges).chain(of_statements).filter(|shape| shape.graph.is_some())
    }

    /// None where edges have to be gone through, or where there are more graphs than `most`.
    fn graphs_by_index(&self, shape: &EdgeShape, most: usize, names: &mut FxHashSet<Arc<str>>) -> Option<()> {
        let reader = self.reader();
        let (table, column) = (reader.schema().edge_table_ids().nth(shape.at)?, shape.graph?);
        if reader.has_edge_changes(shape.at) {
            return None;
        }
        let index = reader.edge_value_index(table, column)?;
        match index.iris() {
            Iris::These(iris) if !reader.notes_reads() => {
                names.extend(iris.iter().cloned());
                return Some(());
            }
            Iris::Many if most < usize::MAX => return None,
            _ => {}
        }
        let (mut position, mut own) = (0, Vec::new());
        while let Some(place) = index.row(position) {
            let name = self.graph_of(shape, EdgeId::new(table, place));
            let behind = name.and_then(|name| {
                let edges =
                    reader.indexed_edges(table, column, &Wanted::Equal(Value::Iri(Arc::clone(&name))));
                own.push(name);
                edges.map(|edges| edges.end)
            });
            if own.len() > most {
                return None;
            }
            // What is no name of a graph stands alone.
            position = behind.unwrap_or(0).max(position + 1);
        }
        names.extend(own.iter().cloned());
        // A piece that could not be read ends it early.
        if position >= index.len() {
            index.note_iris(own);
        }
        Some(())
    }

    fn graphs_by_edge(&self, shape: &EdgeShape, names: &mut FxHashSet<Arc<str>>) {
        let lists = Neighbours::all(self.reader(), shape.at, true, shape.source);
        let (mut nodes, mut edges, mut last) = (Vec::new(), Vec::new(), None);
        let _ = self.each_node(shape.source, &mut |node| {
            nodes.clear();
            edges.clear();
            lists.append(node, &mut nodes, Some(&mut edges));
            for name in edges.iter().filter_map(|edge| self.graph_of(shape, *edge)) {
                // As a rule a subject's statements are in one graph.
                if last.as_ref().is_none_or(|last| !Arc::ptr_eq(last, &name)) {
                    names.insert(Arc::clone(&name));
                    last = Some(name);
                }
            }
            ControlFlow::Continue(())
        });
    }
}
