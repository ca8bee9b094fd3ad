//! Edges that come and go, and nodes that go.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use trimorph_algebra::VarId;
use trimorph_base::{Diagnostic, EdgeId, EdgeTableId, ErrorKind, NodeId, PAGE_ROWS, TableId};
use trimorph_delta::{EdgeChange, EdgeEnds, FreePositions, Topology, WrittenEdges};
use trimorph_store::neighbours::Neighbours;
use trimorph_store::{EdgePositions, Reader};
use trimorph_types::{Relationship, Value};

use super::changes::{ByKey, values_of};
use super::rows::Rows;
use super::writing::{conflicting, not_written};
use super::{Statement, Writing};
use crate::Error;

impl Statement<'_> {
    /// Makes an edge for each row, from one variable's node to the other's.
    pub(super) fn create_edges(
        &self,
        writing: &mut Writing,
        edge_type: &Arc<str>,
        (rows, from, to): (&Rows, VarId, VarId),
        values: ByKey,
    ) -> Result<Vec<Value>, Error> {
        let node = |var: VarId, row: usize| match rows.value(var, row) {
            Value::Node(node) => Ok(*node),
            other => {
                let ty = if other.is_null() { "null".to_owned() } else { other.logical_type().to_string() };
                let text = format!("a relationship needs a node at either end, and one is {ty}");
                let error = Diagnostic::runtime(ErrorKind::SemanticError, "MissingNode", text);
                Err(self.wrong(error.hint("leave such rows out with WHERE … IS NOT NULL")))
            }
        };
        // Tables first: what reads them below must have them all.
        let mut tables: BTreeMap<(u16, u16), EdgeTableId> = BTreeMap::new();
        let mut ends = Vec::with_capacity(rows.len());
        for row in 0..rows.len() {
            let (source, target) = (node(from, row)?, node(to, row)?);
            if let Entry::Vacant(new) = tables.entry((source.table().0, target.table().0)) {
                new.insert(self.shared.edge_table(edge_type, source.table(), target.table())?);
            }
            ends.push((source, target));
        }
        let snapshot = writing.snapshot_within(writing.base(self.shared));
        let reader = Reader::new(&snapshot);
        let mut made = Vec::with_capacity(rows.len());
        let mut by_table: BTreeMap<EdgeTableId, (Vec<EdgeId>, Vec<usize>)> = BTreeMap::new();
        for (row, (source, target)) in ends.into_iter().enumerate() {
            self.check(row)?;
            if !reader.node_exists(source) || !reader.node_exists(target) {
                let text = "a node that was deleted cannot get a relationship";
                let kind = ErrorKind::EntityNotFound;
                return Err(self.wrong(Diagnostic::runtime(kind, "DeletedEntityAccess", text)));
            }
            let table = tables[&(source.table().0, target.table().0)];
            let edge = self.place(writing, &reader, table, source)?;
            let delta = &writing.live().delta;
            let mut written = Vec::new();
            delta.topology().insert(&writing.writer(), EdgeEnds { edge, source, target }, &mut written);
            // Who deletes an end meets the edge, or is met here.
            Topology::barrier();
            let hold = |end: NodeId| match delta.nodes(end.table()) {
                Some(nodes) => nodes.hold(&writing.writer(), end.row()),
                None => Ok(()),
            };
            let held = hold(source).and_then(|()| hold(target));
            // Also what met a conflict is undone with the rest.
            writing.topology.extend(written);
            held.map_err(|c| conflicting(&c))?;
            writing.changes.edge(table, source.row(), (target.table(), target.row()));
            made.push(Value::Relationship(Relationship { id: edge, start: source, end: target }));
            let (edges, places) = by_table.entry(table).or_default();
            edges.push(edge);
            places.push(row);
        }
        for (table, (edges, places)) in by_table {
            if writing.is_logged() {
                let ends: Vec<EdgeEnds> = places.iter().filter_map(|row| ends_of(&made[*row])).collect();
                writing.log_edges(table, &ends, true)?;
            }
            if writing.is_watched(&writing.base(self.shared)) {
                writing.touched.edges_came(&edges);
            }
            writing.effects.relationships_created += edges.len() as u64;
            for (key, values) in &values {
                let values: Vec<Value> = places.iter().map(|row| values[*row].clone()).collect();
                if values.iter().any(|value| !value.is_null()) {
                    writing.effects.properties_set += values_of(&values);
                    self.set_edge_values(writing, table, &edges, key, values)?;
                }
            }
        }
        Ok(made)
    }

    /// The id of a new edge: the next position of its source's page.
    fn place(
        &self,
        writing: &Writing,
        reader: &Reader<'_>,
        table: EdgeTableId,
        source: NodeId,
    ) -> Result<EdgeId, Error> {
        let view = reader.edge_positions(table);
        let page = source.row() / PAGE_ROWS;
        let positions = writing.live().delta.positions(table);
        // Where sources have one edge each, it is at the position of its row, and at another there are lists.
        let wanted = view.is_single().then_some(source.row() % PAGE_ROWS);
        let position = positions.take(page, wanted, || free_positions(view, page));
        let edge = view.id_at(source.row(), position);
        if view.place(edge) != (page, position) {
            let text = "128 nodes that follow each other have more new relationships of one type than can be \
                        numbered before they are merged";
            return Err(Error::Storage(text.into()));
        }
        Ok(edge)
    }

    /// Deletes the nodes, relationships and paths of a variable.
    pub(super) fn delete(
        &self,
        writing: &mut Writing,
        rows: &Rows,
        target: VarId,
        detach: bool,
    ) -> Result<(), Error> {
        let (mut nodes, mut edges): (Vec<NodeId>, Vec<Relationship>) = Default::default();
        for row in 0..rows.len() {
            match rows.value(target, row) {
                Value::Null => {}
                Value::Node(node) => nodes.push(*node),
                Value::Relationship(relationship) => edges.push(*relationship),
                Value::Path(path) => {
                    nodes.extend(&path.nodes);
                    edges.extend(&path.relationships);
                }
                other => {
                    let text = format!(
                        "nodes, relationships and paths can be deleted, not {}",
                        other.logical_type()
                    );
                    let kind = ErrorKind::TypeError;
                    return Err(self.wrong(Diagnostic::runtime(kind, "InvalidArgumentType", text)));
                }
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        writing.has_deleted |= !nodes.is_empty() || !edges.is_empty();
        if detach {
            let snapshot = writing.snapshot_within(writing.base(self.shared));
            self.append_incident(&Reader::new(&snapshot), &nodes, &mut edges)?;
        }
        edges.sort_unstable();
        edges.dedup();
        self.delete_edges(writing, &edges)?;
        self.delete_nodes(writing, &nodes)
    }

    /// Appends the edges of some nodes, sorted: those between two of them twice.
    pub(super) fn append_incident(
        &self,
        reader: &Reader<'_>,
        nodes: &[NodeId],
        edges: &mut Vec<Relationship>,
    ) -> Result<(), Error> {
        for of_table in nodes.chunk_by(|a, b| a.table() == b.table()) {
            let Some(first) = of_table.first() else { continue };
            let mut incident = Incident::of(reader, first.table());
            for (at, node) in of_table.iter().enumerate() {
                self.check(at)?;
                incident.append(*node, edges);
            }
        }
        Ok(())
    }

    /// Deletes edges, sorted.
    pub(super) fn delete_edges(&self, writing: &mut Writing, edges: &[Relationship]) -> Result<(), Error> {
        let base = writing.base(self.shared);
        let reader = Reader::new(&base);
        for of_table in edges.chunk_by(|a, b| a.id.table() == b.id.table()) {
            let Some(first) = of_table.first() else { continue };
            let table = first.id.table();
            let (mut written, mut gone) = (Vec::with_capacity(of_table.len()), Vec::new());
            let done = self.delete_edges_of(writing, &reader, of_table, (&mut written, &mut gone));
            // Those before one that failed are undone with all others.
            writing.effects.relationships_deleted += gone.len() as u64;
            writing.topology.append(&mut written);
            let changes = writing.changes.edges_of(table);
            for EdgeEnds { source, target, .. } in &gone {
                changes.sources.insert(source.row());
                changes.targets.entry(target.table()).or_default().insert(target.row());
            }
            done?;
            if writing.is_logged() && !gone.is_empty() {
                writing.log_edges(table, &gone, false)?;
            }
        }
        Ok(())
    }

    fn delete_edges_of(
        &self,
        writing: &Writing,
        reader: &Reader<'_>,
        edges: &[Relationship],
        (written, gone): (&mut WrittenEdges, &mut Vec<EdgeEnds>),
    ) -> Result<(), Error> {
        let Some(table) = edges.first().map(|edge| edge.id.table()) else { return Ok(()) };
        let (view, delta, writer) = (reader.edge_positions(table), &writing.live().delta, writing.writer());
        let (positions, topology) = (delta.positions(table), delta.topology());
        let mut touched = None;
        for (at, Relationship { id, start, end }) in edges.iter().enumerate() {
            self.check(at)?;
            let (page, position) = view.place(*id);
            if touched != Some(page) {
                positions.touch(page, || free_positions(view, page));
                touched = Some(page);
            }
            let in_main = position < view.positions_end(page);
            let ends = EdgeEnds { edge: *id, source: *start, target: *end };
            let before = written.len();
            topology.delete(&writer, ends, in_main, written).map_err(not_written)?;
            if written.len() > before {
                gone.push(ends);
            }
        }
        let Some(values) = delta.edges(table) else { return Ok(()) };
        // Who sets a property of one meets the deletion, or is met here.
        Topology::barrier();
        for EdgeEnds { edge, .. } in gone {
            values.meets_any(&writer, *edge).map_err(|conflict| conflicting(&conflict))?;
        }
        Ok(())
    }

    pub(super) fn delete_nodes(&self, writing: &mut Writing, nodes: &[NodeId]) -> Result<(), Error> {
        let snapshot = writing.snapshot_within(writing.base(self.shared));
        let reader = Reader::new(&snapshot);
        for of_table in nodes.chunk_by(|a, b| a.table() == b.table()) {
            let Some(first) = of_table.first() else { continue };
            let table = first.table();
            let rows: Vec<u64> =
                of_table.iter().filter(|node| reader.node_exists(**node)).map(|node| node.row()).collect();
            let delta = self.nodes_to_write(writing, table);
            let mut written = Vec::new();
            writing.effects.nodes_deleted += rows.len() as u64;
            let deleted = delta.delete(&writing.writer(), &rows, &mut written);
            writing.nodes.entry(table).or_default().extend(written);
            deleted.map_err(not_written)?;
            if writing.is_logged() {
                writing.log_nodes_deleted(table, &rows)?;
            }
            // Who gives one an edge meets the deletion, or is met here.
            Topology::barrier();
            let met = writing.live().delta.topology().meets(table, &rows, &writing.writer());
            met.map_err(|c| conflicting(&c))?;
            let changes = writing.changes.nodes_of(table);
            rows.iter().for_each(|row| changes.went.insert(*row));
            writing.deleted.extend(rows.iter().map(|row| NodeId::new(table, *row)));
        }
        Ok(())
    }

    /// No node that went has an edge left.
    pub(super) fn check_deleted(&self, writing: &mut Writing) -> Result<(), Error> {
        let mut deleted = std::mem::take(&mut writing.deleted);
        if deleted.is_empty() {
            return Ok(());
        }
        deleted.sort_unstable();
        let snapshot = writing.snapshot_within(writing.base(self.shared));
        let reader = Reader::new(&snapshot);
        let mut found = Vec::new();
        for of_table in deleted.chunk_by(|a, b| a.table() == b.table()) {
            let Some(first) = of_table.first() else { continue };
            let mut incident = Incident::of(&reader, first.table());
            for (at, node) in of_table.iter().enumerate() {
                self.check(at)?;
                incident.append(*node, &mut found);
                if !found.is_empty() {
                    break;
                }
            }
            if let Some(edge) = found.first() {
                let ty = snapshot.schema().type_name(edge.id.table());
                let text =
                    format!("a node cannot be deleted while it has relationships: it has one of type {ty}");
                let kind = ErrorKind::ConstraintVerificationFailed;
                let error = Diagnostic::runtime(kind, "DeleteConnectedNode", text);
                return Err(self.wrong(error.hint("DETACH DELETE deletes them, too")));
            }
        }
        Ok(())
    }
}

/// The positions of a page that no edge of main has.
fn free_positions(view: EdgePositions<'_, '_>, page: u64) -> FreePositions {
    let (end, holes) = view.free_positions(page);
    FreePositions { end, holes }
}

/// An edge and its ends.
fn ends_of(edge: &Value) -> Option<EdgeEnds> {
    match edge {
        Value::Relationship(Relationship { id, start, end }) => {
            Some(EdgeEnds { edge: *id, source: *start, target: *end })
        }
        _ => None,
    }
}

/// The edges of nodes of one table, in both directions, as a reader sees them.
struct Incident<'r, 's> {
    lists: Vec<(bool, Neighbours<'r, 's>)>,
    nodes: Vec<NodeId>,
    edges: Vec<EdgeId>,
    changes: Vec<EdgeChange>,
}

impl<'r, 's> Incident<'r, 's> {
    fn of(reader: &'r Reader<'s>, table: TableId) -> Self {
        let mut lists = Vec::new();
        for (at, info) in reader.schema().edge_tables.iter().enumerate() {
            if info.source == table {
                lists.push((true, Neighbours::all(reader, at, true, table)));
            }
            lists.push((false, Neighbours::all(reader, at, false, table)));
        }
        Self { lists, nodes: Vec::new(), edges: Vec::new(), changes: Vec::new() }
    }

    /// Appends the edges of a node.
    fn append(&mut self, node: NodeId, found: &mut Vec<Relationship>) {
        for (forward, lists) in &self.lists {
            self.nodes.clear();
            self.edges.clear();
            lists.append_once(node, &mut self.nodes, &mut self.edges, &mut self.changes);
            found.extend(self.nodes.iter().zip(&self.edges).map(|(other, id)| {
                let (start, end) = if *forward { (node, *other) } else { (*other, node) };
                Relationship { id: *id, start, end }
            }));
        }
    }
}
