//! Edges that come and go, and nodes that go.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use trimorph_algebra::VarId;
use trimorph_base::{Diagnostic, EdgeId, EdgeTableId, ErrorKind, NodeId, PAGE_ROWS, SmallMap, TableId};
use trimorph_delta::{EdgeChange, EdgeEnds, FreePositions, Topology, WrittenEdges};
use trimorph_store::neighbours::Neighbours;
use trimorph_store::{EdgePositions, Reader};
use trimorph_types::iri_names::ID;
use trimorph_types::{Relationship, Value};

use super::changes::{ByKey, values_of};
use super::moves::{Few, says};
use super::rows::Rows;
use super::touched::concerns_edges;
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
        let (from, to) = (rows.column(from).unwrap_or_default(), rows.column(to).unwrap_or_default());
        let node = |column: &[Value], row: usize| match column.get(row).unwrap_or(&Value::Null) {
            Value::Node(node) => Ok(*node),
            other => {
                let ty = if other.is_null() { "null".to_owned() } else { other.logical_type().to_string() };
                let text = format!("a relationship needs a node at either end, and one is {ty}");
                let error = Diagnostic::runtime(ErrorKind::SemanticError, "MissingNode", text);
                Err(self.wrong(error.hint("leave such rows out with WHERE … IS NOT NULL")))
            }
        };
        // Tables first: what reads them below must have them all.
        let mut tables: SmallMap<(TableId, TableId), EdgeTableId> = SmallMap::new();
        let mut by_table: SmallMap<EdgeTableId, (Vec<EdgeEnds>, Vec<usize>)> = SmallMap::new();
        let mut next = 0;
        while next < rows.len() {
            // Rows that follow each other lead from one table to another, as a rule all.
            let among = (node(from, next)?.table(), node(to, next)?.table());
            let table = match tables.get(&among) {
                Some(known) => *known,
                None => self.shared.edge_table(edge_type, among.0, among.1)?,
            };
            tables.insert(among, table);
            let (edges, places) = by_table.or_default(table);
            while next < rows.len() {
                self.check(next)?;
                let (source, target) = (node(from, next)?, node(to, next)?);
                if (source.table(), target.table()) != among {
                    break;
                }
                // Which one it is comes below.
                edges.push(EdgeEnds { edge: EdgeId(0), source, target });
                places.push(next);
                next += 1;
            }
        }
        let snapshot = writing.snapshot_within(writing.base(self.shared));
        let reader = Reader::new(&snapshot);
        let mut made = vec![Value::Null; rows.len()];
        for (table, (edges, places)) in by_table.iter_mut() {
            let ends = ends_of(edges);
            if edges.iter().any(|ends| ends.source == ends.target) {
                self.shared.let_have_loops(*table)?;
            }
            if self.may_be_gone(writing) {
                self.check_ends(&reader, &ends)?;
            }
            let placed = self.place_all(writing, &reader, *table, edges);
            // Also what meets a conflict, or comes before one that has no place, is undone with the rest.
            let placed_count = *placed.as_ref().unwrap_or_else(|(count, _)| count);
            let placed_edges = edges.get(..placed_count).unwrap_or_default();
            let mut written = Vec::with_capacity(placed_count);
            writing.live().delta.topology().insert_all(&writing.writer(), placed_edges, &mut written);
            writing.topology.append(&mut written);
            placed.map_err(|(_, error)| error)?;
            // Who deletes an end meets the edge, or is met here.
            Topology::barrier();
            for of_table in ends.chunk_by(|a, b| a.table() == b.table()) {
                let Some(nodes) = of_table.first().and_then(|end| writing.live().delta.nodes(end.table()))
                else {
                    continue;
                };
                let rows = of_table.iter().map(|end| end.row());
                nodes.hold(&writing.writer(), rows).map_err(|c| conflicting(&c))?;
            }
            self.break_single(writing, *table, edges)?;
            let changes = writing.changes.edges_of(*table);
            for (EdgeEnds { edge, source, target }, row) in edges.iter().zip(places) {
                changes.sources.insert(source.row());
                changes.targets.or_default(target.table()).insert(target.row());
                let relationship = Relationship { id: *edge, start: *source, end: *target };
                made[*row] = Value::Relationship(relationship);
            }
        }
        for (table, (edges, places)) in by_table {
            if writing.is_logged() {
                writing.log_edges(table, &edges, true)?;
            }
            let edges: Vec<EdgeId> = edges.iter().map(|ends| ends.edge).collect();
            if self.shared.in_newest(|main| concerns_edges(&main.catalog, table, None)) {
                writing.touched.edges_came(&edges);
            }
            writing.effects.relationships_created += edges.len() as u64;
            for (key, values) in &values {
                let own = || places.iter().map(|row| values[*row].clone()).collect();
                // Of all rows, as a rule.
                let values: Cow<'_, [Value]> =
                    if places.len() == values.len() { values.into() } else { Cow::Owned(own()) };
                if values.iter().any(|value| !value.is_null()) {
                    writing.effects.properties_set += values_of(&values);
                    self.set_edge_values(writing, table, &edges, key, &values)?;
                }
            }
        }
        Ok(made)
    }

    /// **Errors**: one of the ends of new edges is gone.
    fn check_ends(&self, reader: &Reader<'_>, ends: &[NodeId]) -> Result<(), Error> {
        for (at, end) in ends.iter().enumerate() {
            self.check(at)?;
            if !reader.node_exists(*end) {
                let text = "a node that was deleted cannot get a relationship";
                let kind = ErrorKind::EntityNotFound;
                return Err(self.wrong(Diagnostic::runtime(kind, "DeletedEntityAccess", text)));
            }
        }
        Ok(())
    }

    /// Gives new edges of a table their ids: each the next position of its source's page. Gives how many got
    /// one: all, unless there is an error.
    fn place_all(
        &self,
        writing: &Writing,
        reader: &Reader<'_>,
        table: EdgeTableId,
        edges: &mut [EdgeEnds],
    ) -> Result<usize, (usize, Error)> {
        let view = reader.edge_positions(table);
        let positions = writing.live().delta.positions(table);
        for at in 0..edges.len() {
            self.check(at).map_err(|error| (at, error))?;
            let Some(EdgeEnds { edge, source, .. }) = edges.get_mut(at) else { continue };
            let page = source.row() / PAGE_ROWS;
            // Where sources have one edge each, it is at the position of its row if that is free.
            let wanted = view.is_single().then_some(source.row() % PAGE_ROWS);
            let Some(position) = positions.take(page, wanted, || free_positions(reader, view, page)) else {
                return Err((at, unread(reader)));
            };
            *edge = view.id_at(source.row(), position);
            if view.place(*edge) != (page, position) {
                let text = "128 nodes that follow each other have more new relationships of one type than \
                            can be numbered before they are merged";
                return Err((at, Error::Storage(text.into())));
            }
        }
        Ok(edges.len())
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
        match rows.column(target).and_then(<[Value]>::first) {
            Some(Value::Node(_)) => nodes.reserve_exact(rows.len()),
            Some(Value::Relationship(_)) => edges.reserve_exact(rows.len()),
            _ => {}
        }
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
        let before = writing.deleted.len();
        self.delete_nodes(writing, &nodes)?;
        if detach {
            // All edges that they had are gone, and a node that is gone gets none.
            writing.deleted.truncate(before);
        }
        Ok(())
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
            for (first, len) in runs_of(of_table) {
                self.check(0)?;
                incident.append(first, len, edges);
            }
        }
        Ok(())
    }

    /// The same of those of some nodes, sorted, that have an IRI and as few edges as `few` says, none of
    /// which says something of itself: gives which.
    pub(super) fn append_incident_of_few(
        &self,
        reader: &Reader<'_>,
        nodes: &[NodeId],
        few: &mut Few,
        edges: &mut Vec<Relationship>,
    ) -> Result<BTreeSet<NodeId>, Error> {
        let mut found = BTreeSet::new();
        for of_table in nodes.chunk_by(|a, b| a.table() == b.table()) {
            let Some(first) = of_table.first() else { continue };
            let mut incident = Incident::of(reader, first.table());
            for (at, node) in of_table.iter().enumerate() {
                self.check(at)?;
                let before = edges.len();
                incident.append(*node, 1, edges);
                let own = edges.get(before..).unwrap_or_default();
                let is_one = !own.iter().any(|edge| says(reader.schema(), edge.id.table().0.into()))
                    && !reader.node_property(*node, ID).is_null()
                    && few.take(own.len());
                match is_one {
                    true => _ = found.insert(*node),
                    false => edges.truncate(before),
                }
            }
        }
        Ok(found)
    }

    /// Deletes edges, sorted.
    pub(super) fn delete_edges(&self, writing: &mut Writing, edges: &[Relationship]) -> Result<(), Error> {
        if edges.is_empty() {
            return Ok(());
        }
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
                changes.targets.or_default(target.table()).insert(target.row());
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
        // A page whose positions are told, and where those end that edges of main have.
        let mut touched = None;
        let mut going = Vec::with_capacity(edges.len().min(GOING_TOGETHER));
        for edges in edges.chunks(GOING_TOGETHER) {
            self.check(0)?;
            going.clear();
            for Relationship { id, start, end } in edges {
                let (page, position) = view.place(*id);
                let positions_end = match touched {
                    Some((known, positions_end)) if known == page => positions_end,
                    _ => {
                        if !positions.touch(page, || free_positions(reader, view, page)) {
                            return Err(unread(reader));
                        }
                        touched.insert((page, view.positions_end(page))).1
                    }
                };
                let ends = EdgeEnds { edge: *id, source: *start, target: *end };
                going.push((ends, position < positions_end));
            }
            topology.delete_all(&writer, &going, written, gone).map_err(not_written)?;
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
        if nodes.is_empty() {
            return Ok(());
        }
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
            writing.nodes.or_default(table).extend(written);
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
            for (first, len) in runs_of(of_table) {
                self.check(0)?;
                incident.append(first, len, &mut found);
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

/// The ends of edges, each once and in order.
fn ends_of(edges: &[EdgeEnds]) -> Vec<NodeId> {
    let mut ends: Vec<NodeId> = edges.iter().flat_map(|edge| [edge.source, edge.target]).collect();
    ends.sort_unstable();
    ends.dedup();
    ends
}

/// The positions of a page that no edge of main has; none where they cannot be read.
pub(crate) fn free_positions(
    reader: &Reader<'_>,
    view: EdgePositions<'_, '_>,
    page: u64,
) -> Option<FreePositions> {
    let (end, holes) = view.free_positions(page);
    reader.failure().is_none().then_some(FreePositions { end, holes })
}

/// Why something could not be read.
fn unread(reader: &Reader<'_>) -> Error {
    let unknown = || Error::Storage("a part of the database could not be read".into());
    reader.failure().map_or_else(unknown, Error::from)
}

/// The edges of nodes of one table, in both directions, as a reader sees them.
struct Incident<'r, 's> {
    lists: Vec<(bool, Neighbours<'r, 's>)>,
    changes: Vec<(u64, EdgeChange)>,
}

/// Edges that go together, at most: keys of their targets go into the tree in order, and the more there are
/// the more of them a leaf gets. A statement that is told to stop does so between them.
const GOING_TOGETHER: usize = 1 << 16;

/// Nodes whose edges are looked for together, at most.
const RUN_ROWS: usize = 1 << 12;

/// Nodes of one table that follow each other: the first, and how many.
fn runs_of(nodes: &[NodeId]) -> impl Iterator<Item = (NodeId, u64)> {
    let runs = nodes.chunk_by(|a, b| a.row() + 1 == b.row()).flat_map(|run| run.chunks(RUN_ROWS));
    runs.filter_map(|run| Some((*run.first()?, run.len() as u64)))
}

impl<'r, 's> Incident<'r, 's> {
    fn of(reader: &'r Reader<'s>, table: TableId) -> Self {
        let (mut lists, facts) = (Vec::new(), reader.catalog().unrecorded_facts());
        for (at, info) in reader.schema().edge_tables.iter().enumerate() {
            if info.source == table {
                lists.push((true, Neighbours::all(reader, at, true, table)));
            }
            // Where no edge can lead there is nothing to look for: RDF has edge tables by the dozen.
            let targets = facts.edge_tables.get(at).map(|facts| &facts.targets);
            if targets.is_none_or(|targets| targets.iter().any(|target| target.table == table)) {
                lists.push((false, Neighbours::all(reader, at, false, table)));
            }
        }
        Self { lists, changes: Vec::new() }
    }

    /// Appends the edges of nodes that follow each other.
    fn append(&mut self, first: NodeId, len: u64, found: &mut Vec<Relationship>) {
        for (forward, lists) in &self.lists {
            lists.each_of_run(first, len, &mut self.changes, |node, other, id| {
                let (start, end) = if *forward { (node, other) } else { (other, node) };
                found.push(Relationship { id, start, end });
            });
        }
    }
}
