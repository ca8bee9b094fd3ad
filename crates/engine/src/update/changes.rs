//! The changes of one clause: for all its rows, by columns.

use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use trimorph_algebra::{Change, NewProperties, PropertyKey, VarId};
use trimorph_base::{Diagnostic, EdgeId, EdgeTableId, ErrorKind, NodeId, SmallMap, TableId};
use trimorph_delta::{KeyDelta, NodeDelta, Topology, hash_of_value};
use trimorph_store::{Main, Reader, edge_index_number, index_number, integer_of};
use trimorph_types::{LogicalType, Path, Relationship, Value};
use trimorph_vector::{Positions, Vector};

use super::labels::{Labels, NodeLabels};
use super::logged::ByColumn;
use super::rows::Rows;
use super::touched::{concerns_edges, concerns_nodes};
use super::writing::{conflicting, not_written};
use super::{Statement, Writing};
use crate::Error;
use crate::shared::Shared;

/// Values by property, one for each of some nodes or edges.
pub(super) type ByKey = SmallMap<Arc<str>, Vec<Value>>;

/// Rows that are written at a time: what is made for them stays in the processor's cache, and beside the rows
/// of a statement and the delta little else takes memory.
const PART_ROWS: usize = 1 << 14;

/// What is set, by table and property: which ones, and what they get.
#[derive(Default)]
pub(super) struct Sets<'r> {
    nodes: BTreeMap<(TableId, Arc<str>), Set<'r, NodeId>>,
    edges: BTreeMap<(EdgeTableId, Arc<str>), Set<'r, EdgeId>>,
}

impl<'r> Sets<'r> {
    /// Nodes or edges that follow each other, all of one table, get values.
    fn put_run(&mut self, key: &Arc<str>, targets: &[Value], values: &'r [Value]) {
        match targets.first() {
            Some(Value::Node(first)) => {
                let nodes = targets.iter().filter_map(|target| match target {
                    Value::Node(node) => Some(*node),
                    _ => None,
                });
                add(&mut self.nodes, (first.table(), Arc::clone(key)), nodes, values);
            }
            Some(Value::Relationship(first)) => {
                let edges = targets.iter().filter_map(|target| match target {
                    Value::Relationship(edge) => Some(edge.id),
                    _ => None,
                });
                add(&mut self.edges, (first.id.table(), Arc::clone(key)), edges, values);
            }
            _ => {}
        }
    }

    /// The properties of nodes: which, of which nodes, and what they get.
    pub(super) fn of_nodes(&self) -> impl Iterator<Item = (&Arc<str>, &[NodeId], &[Value])> {
        self.nodes.iter().map(|((_, key), (nodes, values))| (key, &nodes[..], &values[..]))
    }
}

/// Some nodes or edges, and a value for each.
type Set<'r, T> = (Vec<T>, Cow<'r, [Value]>);

/// Adds some to what is set. The first are taken as they stand: as a rule they are all.
fn add<'r, K: Ord, T>(
    sets: &mut BTreeMap<K, Set<'r, T>>,
    key: K,
    all: impl Iterator<Item = T>,
    values: &'r [Value],
) {
    match sets.entry(key) {
        Entry::Vacant(new) => {
            let mut own = Vec::with_capacity(values.len());
            own.extend(all);
            new.insert((own, Cow::Borrowed(values)));
        }
        Entry::Occupied(mut known) => {
            let (own, known) = known.get_mut();
            own.extend(all);
            known.to_mut().extend_from_slice(values);
        }
    }
}

/// Whether two values are nodes, or edges, of one table, or both nothing of the kind.
fn are_of_one_table(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Node(a), Value::Node(b)) => a.table() == b.table(),
        (Value::Relationship(a), Value::Relationship(b)) => a.id.table() == b.id.table(),
        (Value::Node(_) | Value::Relationship(_), _) | (_, Value::Node(_) | Value::Relationship(_)) => false,
        _ => true,
    }
}

/// Notes what rows get in a column, for those who look for rows by it.
fn note_values(writing: &mut Writing, table: TableId, column: usize, values: &[Value]) {
    let written = writing.changes.nodes_of(table).values.or_default(column);
    values.iter().filter(|value| !value.is_null()).for_each(|value| written.insert(integer_of(value)));
    let delta = writing.live().delta.nodes(table);
    if delta.is_some_and(|delta| delta.index(u32::try_from(column).unwrap_or(u32::MAX)).is_some()) {
        let hashes = values.iter().filter(|value| !value.is_null()).map(hash_of_value);
        writing.changes.keys.or_default(index_number(table, column)).extend(hashes);
    }
}

impl Shared {
    /// The changed nodes of a table, to be written to.
    pub(crate) fn nodes_to_write(&self, table: TableId) -> Arc<NodeDelta> {
        let delta = &self.live.delta;
        if let Some(nodes) = delta.nodes(table) {
            return nodes;
        }
        // No merge changes a table that nobody has written to. Rows that are missing and cannot be read are
        // not given to anybody.
        let main = self.base();
        let nodes = &main.main().node_tables[usize::from(table.0)];
        let (rows, free) = (nodes.rows, nodes.missing_rows().unwrap_or_default());
        delta.nodes_to_write(table, rows, free)
    }
}

impl Statement<'_> {
    /// Does what a clause says, for all rows; gives the rows with what was made.
    pub(super) fn changed(
        &self,
        writing: &mut Writing,
        mut rows: Rows,
        changes: &[Change],
    ) -> Result<Rows, Error> {
        for change in changes {
            self.check(0)?;
            match change {
                Change::CreateNode { var, labels, properties } => {
                    let values = self.values(&rows, properties)?;
                    let made = self.create_nodes(writing, labels, rows.len(), values)?;
                    rows.set(*var, made);
                }
                Change::CreateEdge { var, edge_type, from, to, properties } => {
                    let values = self.values(&rows, properties)?;
                    let made = self.create_edges(writing, edge_type, (&rows, *from, *to), values)?;
                    rows.set(*var, made);
                }
                Change::CreatePath { var, steps } => {
                    let made = (0..rows.len()).map(|row| path(&rows, steps, row)).collect();
                    rows.set(*var, made);
                }
                Change::SetProperty { target, key, value } => {
                    self.set_property(writing, &rows, (*target, key, *value))?;
                }
                Change::SetProperties { target, from, replace } => {
                    self.set_properties(writing, &rows, *target, *from, *replace)?;
                }
                Change::AddLabels { target, labels } => {
                    self.set_labels(writing, &rows, *target, labels, true)?
                }
                Change::RemoveLabels { target, labels } => {
                    self.set_labels(writing, &rows, *target, labels, false)?;
                }
                Change::InsertStatement(vars) => self.insert_statements(writing, &rows, *vars)?,
                Change::DeleteStatement(vars) => self.delete_statements(writing, &rows, *vars)?,
                Change::Delete { target, detach } => self.delete(writing, &rows, *target, *detach)?,
            }
        }
        Ok(rows)
    }

    /// The properties that rows give to what is made.
    fn values(&self, rows: &Rows, properties: &NewProperties) -> Result<ByKey, Error> {
        let mut by_key = ByKey::new();
        match properties {
            NewProperties::Named(entries) => {
                for (key, var) in entries {
                    let column = rows.column(*var).map(<[Value]>::to_vec);
                    by_key.insert(Arc::clone(key), column.unwrap_or_else(|| vec![Value::Null; rows.len()]));
                }
            }
            NewProperties::Map(var) => {
                for row in 0..rows.len() {
                    match rows.value(*var, row) {
                        Value::Null => {}
                        Value::Map(map) => {
                            for (key, value) in map.iter() {
                                let none = || vec![Value::Null; rows.len()];
                                by_key.or_insert_with(Arc::clone(key), none)[row] = value.clone();
                            }
                        }
                        other => return Err(self.no_map(other)),
                    }
                }
            }
        }
        by_key.values().flatten().try_for_each(|value| self.check_property(value))?;
        by_key.retain(|_, values| values.iter().any(|value| !value.is_null()));
        Ok(by_key)
    }

    fn no_map(&self, value: &Value) -> Error {
        let text = format!("properties are given as a map, not as a value of type {}", value.logical_type());
        self.wrong(Diagnostic::runtime(ErrorKind::TypeError, "InvalidArgumentType", text))
    }

    /// A property cannot be a map, nor a node, relationship or path.
    fn check_property(&self, value: &Value) -> Result<(), Error> {
        use LogicalType as L;
        let is_wrong = |ty| matches!(ty, L::Map | L::Node | L::Relationship | L::Path);
        let wrong = match value {
            Value::List(items) => items.iter().find(|item| is_wrong(item.logical_type())),
            other => is_wrong(other.logical_type()).then_some(other),
        };
        match wrong {
            None => Ok(()),
            Some(wrong) => {
                let text = format!("a property cannot hold a value of type {}", wrong.logical_type());
                let error = Diagnostic::runtime(ErrorKind::TypeError, "InvalidPropertyType", text);
                Err(self.wrong(error.hint("keep the parts of a map as properties of their own")))
            }
        }
    }

    pub(super) fn create_nodes(
        &self,
        writing: &mut Writing,
        labels: &[Arc<str>],
        count: usize,
        values: ByKey,
    ) -> Result<Vec<Value>, Error> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let (table, by_row) = self.shared.node_table(writing, labels)?;
        let (mut columns, mut set) = (ByColumn::with_capacity(values.len()), 0);
        for (key, values) in values {
            let column = self.node_column_of(writing, table, &key, &values)?;
            note_values(writing, table, column, &values);
            set += values_of(&values);
            columns.push((column as u32, Vector::of_values(values, Positions::all(count))));
        }
        columns.sort_by_key(|(column, _)| *column);
        let delta = self.nodes_to_write(writing, table);
        let by_reference: Vec<(u32, &Vector<'_>)> = columns.iter().map(|(c, v)| (*c, v)).collect();
        let positions: Vec<u32> = (0..u32::try_from(count).unwrap_or(u32::MAX)).collect();
        let (mut rows, mut written) = (Vec::with_capacity(count), Vec::new());
        let done = delta.insert(&writing.writer(), &by_reference, &positions, &mut rows, &mut written);
        writing.nodes.or_default(table).extend(written);
        done.map_err(not_written)?;
        let came = &mut writing.changes.nodes_of(table).came;
        rows.iter().for_each(|row| came.insert(*row));
        // After they can be found: a load that has just given the table a key looks for them.
        let (concerns, key) = self.shared.in_newest(|main| {
            let info = main.catalog.schema.node_tables.get(usize::from(table.0));
            (concerns_nodes(&main.catalog, table, None), info.and_then(|info| info.key))
        });
        if concerns {
            writing.touched.came(table, &rows);
        }
        let keys = key.and_then(|key| columns.iter().find(|(column, _)| *column as usize == key));
        if key.is_some() && keys.is_none_or(|(_, keys)| keys.may_have_nulls()) {
            self.shared.let_keys_lack(table)?;
        }
        if let Some((_, keys)) = keys {
            let keys: Vec<Value> = (0..count).map(|at| keys.value(at, &|_| Value::Null)).collect();
            self.set_keys(writing, table, &rows, &keys)?;
        }
        if writing.is_logged() {
            writing.log_nodes(table, &rows, columns)?;
        }
        if by_row {
            // Another version of the same rows: who sees them sees both.
            let own: Labels = labels.into();
            let made: Vec<NodeLabels> =
                rows.iter().map(|row| (NodeId::new(table, *row), Arc::clone(&own))).collect();
            self.write_labels(writing, table, &made, labels)?;
        }
        let effects = &mut writing.effects;
        effects.nodes_created += count as u64;
        effects.labels_added += (count * labels.len()) as u64;
        effects.properties_set += set;
        Ok(rows.into_iter().map(|row| Value::Node(NodeId::new(table, row))).collect())
    }

    /// The changed nodes of a table, to be written to.
    pub(super) fn nodes_to_write(&self, _: &Writing, table: TableId) -> Arc<NodeDelta> {
        self.shared.nodes_to_write(table)
    }

    /// The column of a property of a node table, which may get these values.
    fn node_column_of(
        &self,
        writing: &mut Writing,
        table: TableId,
        key: &str,
        values: &[Value],
    ) -> Result<usize, Error> {
        types_of(values).try_fold(0, |_, ty| self.shared.node_column(writing, table, key, ty))
    }

    fn edge_column_of(
        &self,
        writing: &mut Writing,
        table: EdgeTableId,
        key: &str,
        values: &[Value],
    ) -> Result<usize, Error> {
        types_of(values).try_fold(0, |_, ty| self.shared.edge_column(writing, table, key, ty))
    }

    /// Rows of a table get keys, which no other row has.
    fn set_keys(
        &self,
        writing: &mut Writing,
        table: TableId,
        rows: &[u64],
        keys: &[Value],
    ) -> Result<(), Error> {
        let index = writing.live().delta.keys_to_write(table);
        let delta = writing.live().delta.nodes(table);
        // A constraint is asked for itself, and holds at every level: nothing of it is a read.
        let snapshot = writing.snapshot_within(writing.base(self.shared)).noting(None);
        let reader = Reader::new(&snapshot);
        let key_column = snapshot.schema().node_tables[usize::from(table.0)].key.unwrap_or_default();
        let hashes = keys.iter().filter_map(KeyDelta::hash_of);
        writing.changes.keys.or_default(u64::from(table.0)).extend(hashes);
        for (row, key) in rows.iter().zip(keys) {
            index.insert(key, *row);
            // Who has the key and is not seen is met here, or meets this one.
            for other in index.rows(key).into_iter().filter(|other| other != row) {
                let met = delta
                    .as_ref()
                    .map_or(Ok(()), |nodes| nodes.meets(&writing.writer(), other, key_column as u32));
                met.map_err(|conflict| conflicting(&conflict))?;
            }
            let other = index.rows(key).into_iter().chain(reader.find_key(table, key));
            let name = snapshot.schema().node_tables[usize::from(table.0)].properties[key_column].id;
            let name = snapshot.schema().property_name(name);
            let has_key = |other: u64| {
                let value = reader.node_property(NodeId::new(table, other), &name);
                order_is_equal(&value, key)
            };
            if !key.is_null() && other.into_iter().any(|other| other != *row && has_key(other)) {
                let text = format!(
                    "there is a node with {name} {} already",
                    trimorph_types::format_value(key, &crate::Entities::new(snapshot.clone()))
                );
                let error =
                    Diagnostic::runtime(ErrorKind::ConstraintValidationFailed, "ConstraintViolated", text);
                return Err(self.wrong(error.hint("MERGE finds a node that is there, or makes it")));
            }
        }
        Ok(())
    }

    /// Sets the properties of new edges.
    pub(super) fn set_edge_values(
        &self,
        writing: &mut Writing,
        table: EdgeTableId,
        edges: &[EdgeId],
        key: &str,
        values: &[Value],
    ) -> Result<(), Error> {
        let column = self.edge_column_of(writing, table, key, values)?;
        for (edges, values) in edges.chunks(PART_ROWS).zip(values.chunks(PART_ROWS)) {
            self.check(0)?;
            self.write_edge_column(writing, table, column, edges, values.to_vec())?;
        }
        Ok(())
    }

    /// Edges of an edge table get values of one column.
    fn write_edge_column(
        &self,
        writing: &mut Writing,
        table: EdgeTableId,
        column: usize,
        edges: &[EdgeId],
        values: Vec<Value>,
    ) -> Result<(), Error> {
        let delta = writing.live().delta.edges_to_write(table);
        if delta.index(u32::try_from(column).unwrap_or(u32::MAX)).is_some() {
            let hashes = values.iter().filter(|value| !value.is_null()).map(hash_of_value);
            writing.changes.keys.or_default(edge_index_number(table, column)).extend(hashes);
        }
        let vector = Vector::of_values(values, Positions::all(edges.len()));
        let positions: Vec<u32> = (0..u32::try_from(edges.len()).unwrap_or(u32::MAX)).collect();
        let mut written = Vec::new();
        let columns = [(column as u32, &vector)];
        let done = delta.set(&writing.writer(), &columns, &positions, edges, &mut written);
        writing.edges.or_default(table).extend(written);
        done.map_err(not_written)?;
        if writing.is_logged() {
            writing.log_edge_values(table, edges, vec![(column as u32, vector)])?;
        }
        let changed = writing.changes.edges_of(table).columns.or_default(column);
        edges.iter().for_each(|edge| changed.insert(edge.place()));
        if self.shared.in_newest(|main| concerns_edges(&main.catalog, table, Some(column))) {
            writing.touched.edge_values(table, column, edges);
        }
        Ok(())
    }

    fn set_property(
        &self,
        writing: &mut Writing,
        rows: &Rows,
        (target, key, value): (VarId, &PropertyKey, VarId),
    ) -> Result<(), Error> {
        let mut sets = Sets::default();
        if let (PropertyKey::Name(name), Some(targets), Some(values)) =
            (key, rows.column(target), rows.column(value))
        {
            let mut from = 0;
            for run in targets.chunk_by(are_of_one_table) {
                let of_run = values.get(from..from + run.len()).unwrap_or_default();
                from += run.len();
                if let Some(Value::Node(_) | Value::Relationship(_)) = run.first() {
                    of_run.iter().try_for_each(|value| self.check_property(value))?;
                    sets.put_run(name, run, of_run);
                } else {
                    // Nulls have nothing to set, and others cannot.
                    run.iter().zip(of_run).try_for_each(|(target, value)| {
                        self.put(&mut sets, target, Arc::clone(name), value.clone())
                    })?;
                }
            }
            return self.set_once(writing, sets);
        }
        for row in 0..rows.len() {
            let name: Arc<str> = match key {
                PropertyKey::Name(name) => Arc::clone(name),
                PropertyKey::Var(var) => match rows.value(*var, row) {
                    Value::String(name) => Arc::clone(name),
                    Value::Null if rows.value(target, row).is_null() => continue,
                    other => {
                        let text = format!(
                            "the name of a property is a string, not of type {}",
                            other.logical_type()
                        );
                        let kind = ErrorKind::TypeError;
                        return Err(self.wrong(Diagnostic::runtime(
                            kind,
                            "MapElementAccessByNonString",
                            text,
                        )));
                    }
                },
            };
            self.put(&mut sets, rows.value(target, row), name, rows.value(value, row).clone())?;
        }
        self.set_once(writing, sets)
    }

    /// Notes that a node or edge gets a value.
    pub(super) fn put(
        &self,
        sets: &mut Sets<'_>,
        target: &Value,
        key: Arc<str>,
        value: Value,
    ) -> Result<(), Error> {
        self.check_property(&value)?;
        match target {
            Value::Null => {}
            Value::Node(node) => {
                let (nodes, values) = sets.nodes.entry((node.table(), key)).or_default();
                nodes.push(*node);
                values.to_mut().push(value);
            }
            Value::Relationship(Relationship { id, .. }) => {
                let (edges, values) = sets.edges.entry((id.table(), key)).or_default();
                edges.push(*id);
                values.to_mut().push(value);
            }
            other => {
                let text = format!("a value of type {} has no properties to set", other.logical_type());
                return Err(self.wrong(Diagnostic::runtime(
                    ErrorKind::TypeError,
                    "InvalidArgumentType",
                    text,
                )));
            }
        }
        Ok(())
    }

    pub(super) fn set(&self, writing: &mut Writing, sets: Sets<'_>) -> Result<(), Error> {
        if self.may_be_gone(writing) && !(sets.nodes.is_empty() && sets.edges.is_empty()) {
            let snapshot = writing.snapshot_within(writing.base(self.shared));
            let reader = Reader::new(&snapshot);
            let nodes = sets.nodes.values().flat_map(|(nodes, _)| nodes);
            let gone = nodes.into_iter().find(|node| !reader.node_exists(**node)).map(|_| "node");
            let edges = || sets.edges.values().flat_map(|(edges, _)| edges);
            let gone = gone.or_else(|| edges().find(|e| !reader.edge_exists(**e)).map(|_| "relationship"));
            if let Some(what) = gone {
                let text = format!("a {what} that was deleted cannot be changed");
                return Err(self.wrong(Diagnostic::runtime(
                    ErrorKind::EntityNotFound,
                    "DeletedEntityAccess",
                    text,
                )));
            }
        }
        for ((table, key), (nodes, values)) in sets.nodes {
            let has = |main: &Arc<Main>| main.catalog.schema.node_property(table, &key).is_some();
            if values.iter().all(Value::is_null) && !self.shared.in_newest(has) {
                writing.effects.properties_removed += nodes.len() as u64;
                continue;
            }
            let column = self.node_column_of(writing, table, &key, &values)?;
            for (nodes, values) in nodes.chunks(PART_ROWS).zip(values.chunks(PART_ROWS)) {
                self.check(0)?;
                self.set_column(writing, (table, column), nodes, values)?;
            }
            // Keys are looked at when all have theirs: one may get what another one had.
            let key_of = |main: &Arc<Main>| main.catalog.schema.node_tables.get(usize::from(table.0))?.key;
            if self.shared.in_newest(key_of) == Some(column) {
                if values.iter().any(Value::is_null) {
                    self.shared.let_keys_lack(table)?;
                }
                let rows: Vec<u64> = nodes.iter().map(|node| node.row()).collect();
                self.set_keys(writing, table, &rows, &values)?;
            }
        }
        for ((table, key), (edges, values)) in sets.edges {
            let has = |main: &Arc<Main>| main.catalog.schema.edge_property(table, &key).is_some();
            if values.iter().all(Value::is_null) && !self.shared.in_newest(has) {
                writing.effects.properties_removed += edges.len() as u64;
                continue;
            }
            writing.effects.properties_set += values_of(&values);
            writing.effects.properties_removed += edges.len() as u64 - values_of(&values);
            self.set_edge_values(writing, table, &edges, &key, &values)?;
            // Who deletes one of them meets what was written, or is met here.
            Topology::barrier();
            let (topology, writer) = (writing.live().delta.topology(), writing.writer());
            let met = edges.iter().try_for_each(|edge| topology.meets_edge(*edge, &writer));
            met.map_err(|conflict| conflicting(&conflict))?;
        }
        Ok(())
    }

    /// Nodes of a table get values of one column.
    fn set_column(
        &self,
        writing: &mut Writing,
        (table, column): (TableId, usize),
        nodes: &[NodeId],
        values: &[Value],
    ) -> Result<(), Error> {
        let rows: Vec<u64> = nodes.iter().map(|node| node.row()).collect();
        note_values(writing, table, column, values);
        let vector = self.write_column(writing, table, column as u32, &rows, values.to_vec())?;
        if writing.is_logged() {
            writing.log_values(table, &rows, vec![(column as u32, vector)])?;
        }
        let changed = writing.changes.nodes_of(table).columns.or_default(column);
        rows.iter().for_each(|row| changed.insert(*row));
        if self.shared.in_newest(|main| concerns_nodes(&main.catalog, table, Some(column))) {
            writing.touched.values(table, column, &rows);
        }
        writing.effects.properties_set += values_of(values);
        writing.effects.properties_removed += rows.len() as u64 - values_of(values);
        Ok(())
    }

    /// `SET n = map` and `SET n += map`.
    fn set_properties(
        &self,
        writing: &mut Writing,
        rows: &Rows,
        target: VarId,
        from: VarId,
        replace: bool,
    ) -> Result<(), Error> {
        let snapshot = writing.snapshot_within(writing.base(self.shared));
        let reader = Reader::new(&snapshot);
        let properties = |value: &Value| match value {
            Value::Node(node) => Some(reader.node_properties(*node)),
            Value::Relationship(r) => Some(reader.edge_properties(r.id)),
            Value::Map(map) => {
                Some(map.iter().map(|(key, value)| (Arc::clone(key), value.clone())).collect())
            }
            Value::Null => Some(Default::default()),
            _ => None,
        };
        let mut sets = Sets::default();
        for row in 0..rows.len() {
            self.check(row)?;
            let entity = rows.value(target, row);
            if entity.is_null() {
                continue;
            }
            let given = rows.value(from, row);
            let map = properties(given).ok_or_else(|| self.no_map(given))?;
            if replace {
                let mut old: BTreeSet<Arc<str>> =
                    properties(entity).unwrap_or_default().keys().cloned().collect();
                if let Value::Node(node) = entity {
                    old.append(&mut self.further_properties(&reader, *node));
                }
                for key in old.into_iter().filter(|key| !map.contains_key(key)) {
                    self.put(&mut sets, entity, key, Value::Null)?;
                }
            }
            for (key, value) in map.iter() {
                self.put(&mut sets, entity, Arc::clone(key), value.clone())?;
            }
        }
        self.set_once(writing, sets)
    }

    /// Rows of a node table get values of one column.
    pub(super) fn write_column(
        &self,
        writing: &mut Writing,
        table: TableId,
        column: u32,
        rows: &[u64],
        values: Vec<Value>,
    ) -> Result<Vector<'static>, Error> {
        let delta = self.nodes_to_write(writing, table);
        let vector = Vector::of_values(values, Positions::all(rows.len()));
        let positions: Vec<u32> = (0..u32::try_from(rows.len()).unwrap_or(u32::MAX)).collect();
        let mut written = Vec::new();
        let done = delta.set(&writing.writer(), &[(column, &vector)], &positions, rows, &mut written);
        // Also what met a conflict is undone with the rest.
        writing.nodes.or_default(table).extend(written);
        done.map(|()| vector).map_err(not_written)
    }
}

/// How many values there are.
pub(super) fn values_of(values: &[Value]) -> u64 {
    values.iter().filter(|value| !value.is_null()).count() as u64
}

fn order_is_equal(a: &Value, b: &Value) -> bool {
    trimorph_types::order(a, b).is_eq()
}

/// The types of values, each once; `Any` where all are null.
pub(super) fn types_of(values: &[Value]) -> impl Iterator<Item = LogicalType> {
    let mut all = values.iter().filter(|value| !value.is_null()).map(Value::logical_type);
    let first = all.next().unwrap_or(LogicalType::Any);
    let mut others: Vec<LogicalType> = Vec::new();
    for ty in all {
        if ty != first && !others.contains(&ty) {
            others.push(ty);
        }
    }
    std::iter::once(first).chain(others)
}

/// The path of a row's nodes and relationships.
fn path(rows: &Rows, steps: &[VarId], row: usize) -> Value {
    let mut path = Path { nodes: Vec::new(), relationships: Vec::new() };
    for step in steps {
        match rows.value(*step, row) {
            Value::Node(node) => path.nodes.push(*node),
            Value::Relationship(relationship) => path.relationships.push(*relationship),
            _ => return Value::Null,
        }
    }
    Value::Path(Arc::new(path))
}
