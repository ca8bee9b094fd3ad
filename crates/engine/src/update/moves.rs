//! Nodes that move to the tables of their labels: a node is put where its labels belong with all that is said
//! of it, and the old one is deleted.
//!
//! A node is placed by the labels that it has when it is made. Labels that come later are an overlay: each
//! row of its table has to be asked for them. Moving is deleting and making, in one transaction: the node and
//! its relationships get other ids, everything else stays.
//!
//! Source: Poseidon §6 (emergent schema); design `README.md` §3.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use trimorph_algebra::VarId;
use trimorph_base::NodeId;
use trimorph_catalog::Schema;
use trimorph_store::Reader;
use trimorph_types::iri_names::is_hidden;
use trimorph_types::{Relationship, Value};

use super::changes::ByKey;
use super::rows::Rows;
use super::{Statement, Writing};
use crate::Error;

/// The variables of rows made here.
const FROM: VarId = VarId(0);
const TO: VarId = VarId(1);

/// Relationships of one type and with the same properties, to be made again: ends, and values by property.
#[derive(Default)]
struct Again {
    ends: Vec<(NodeId, NodeId)>,
    values: ByKey,
}

/// Relationships of a node that moves with the statement that gives it a class, whatever was written before:
/// some milliseconds. Chosen.
const EDGES_OF_LABELLED: usize = 1_000;
/// A node with more moves with it, too, as long as no more relationships of such nodes moved than this part
/// of all that was written: nodes that are elsewhere have all scans by their labels look at the table
/// without labels, and the types of their relationships have a table more at each end. Who gives classes to
/// one such node over and over pays for it once. Others move in a pause.
const LARGE_SHARE: u64 = 8;
/// And no more than these at once: some tenths of a second. Chosen.
const EDGES_OF_LARGE: usize = 50_000;

/// How many relationships nodes may have that move with the statement that gives them a class.
pub(super) struct Few {
    /// Each of them.
    most: usize,
    /// Those that have more, together.
    left: usize,
}

impl Few {
    /// Takes in a node with so many, if it may move.
    pub(super) fn take(&mut self, edges: usize) -> bool {
        if edges <= self.most {
            return true;
        }
        let left = self.left.checked_sub(edges);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }
}

/// Nodes by the labels that they are to have, in order.
pub(super) type ByLabels = BTreeMap<Vec<Arc<str>>, Vec<NodeId>>;

impl Statement<'_> {
    /// Moves those of some nodes that have other labels than their tables to tables of their own, as far as
    /// there is room for such; gives their number.
    ///
    /// **Errors**: conflicts, memory, cancellation.
    pub(crate) fn move_nodes(&self, writing: &mut Writing, nodes: &[NodeId]) -> Result<u64, Error> {
        let mut groups = ByLabels::new();
        {
            let snapshot = writing.snapshot_within(writing.base(self.shared));
            let reader = Reader::new(&snapshot);
            for (at, node) in nodes.iter().enumerate() {
                self.check(at)?;
                if reader.node_exists(*node)
                    && let Some(labels) = elsewhere(&reader, *node)
                {
                    groups.entry(labels).or_default().push(*node);
                }
            }
        }
        let moved = self.moved(writing, groups, None)?.len() as u64;
        if moved > 0 {
            self.end_clause(writing)?;
            self.check_deleted(writing)?;
        }
        Ok(moved)
    }

    /// Moves nodes to the tables of labels that they get, whatever labels they have: those that IRIs tell
    /// apart, with few relationships, none of which says something of itself. Gives who became whom.
    ///
    /// **Errors**: as of [`Self::move_nodes`].
    pub(super) fn move_labelled(
        &self,
        writing: &mut Writing,
        groups: ByLabels,
    ) -> Result<HashMap<NodeId, NodeId>, Error> {
        let large = &self.shared.large_moved;
        let share = self.shared.live.pressure.written() / LARGE_SHARE;
        let left = share.saturating_sub(large.load(Ordering::Relaxed));
        let left = usize::try_from(left).map_or(EDGES_OF_LARGE, |left| left.min(EDGES_OF_LARGE));
        let mut few = Few { most: EDGES_OF_LABELLED, left };
        let moved = self.moved(writing, groups, Some(&mut few));
        large.fetch_add((left - few.left) as u64, Ordering::Relaxed);
        let moved = moved?;
        writing.has_moved |= !moved.is_empty();
        Ok(moved)
    }

    /// Moves nodes, each to the table of the labels that it is under: with `few` only those that may move
    /// with no more relationships than it says.
    fn moved(
        &self,
        writing: &mut Writing,
        groups: ByLabels,
        few: Option<&mut Few>,
    ) -> Result<HashMap<NodeId, NodeId>, Error> {
        let mut going = ByLabels::new();
        for (labels, own) in groups {
            // Beyond a number of tables there are none of their own.
            if !self.shared.node_table(writing, &labels)?.1 {
                going.insert(labels, own);
            }
        }
        if going.is_empty() {
            return Ok(HashMap::new());
        }
        let mut edges: Vec<Relationship> = Vec::new();
        let mut values: Vec<(Vec<Arc<str>>, Vec<NodeId>, ByKey)> = Vec::new();
        let mut again: BTreeMap<(Arc<str>, Vec<Arc<str>>), Again> = BTreeMap::new();
        {
            let snapshot = writing.snapshot_within(writing.base(self.shared));
            let reader = Reader::new(&snapshot);
            let mut all: Vec<NodeId> = going.values().flatten().copied().collect();
            all.sort_unstable();
            match few {
                None => self.append_incident(&reader, &all, &mut edges)?,
                Some(few) => {
                    let may_move = self.append_incident_of_few(&reader, &all, few, &mut edges)?;
                    going.values_mut().for_each(|own| own.retain(|node| may_move.contains(node)));
                    going.retain(|_, own| !own.is_empty());
                }
            }
            edges.sort_unstable();
            edges.dedup();
            for (labels, own) in going {
                let mut by_key = ByKey::new();
                for (at, node) in own.iter().enumerate() {
                    self.check(at)?;
                    put(&mut by_key, reader.node_properties(*node), at, own.len());
                }
                values.push((labels, own, by_key));
            }
            for (at, edge) in edges.iter().enumerate() {
                self.check(at)?;
                let properties = reader.edge_properties(edge.id);
                let keys = properties.keys().cloned().collect();
                let all = again.entry((reader.schema().type_name(edge.id.table()), keys)).or_default();
                all.ends.push((edge.start, edge.end));
                for (key, value) in properties {
                    all.values.or_default(key).push(value);
                }
            }
        }
        if values.is_empty() {
            return Ok(HashMap::new());
        }
        let effects = writing.effects;
        writing.has_deleted = true;
        self.delete_edges(writing, &edges)?;
        drop(edges);
        let mut gone: Vec<NodeId> = values.iter().flat_map(|(_, own, _)| own).copied().collect();
        gone.sort_unstable();
        self.delete_nodes(writing, &gone)?;
        let mut made: HashMap<NodeId, NodeId> = HashMap::with_capacity(gone.len());
        for (labels, own, by_key) in values {
            let new = self.create_nodes(writing, &labels, own.len(), by_key)?;
            let new =
                new.into_iter().filter_map(|one| if let Value::Node(one) = one { Some(one) } else { None });
            made.extend(own.into_iter().zip(new));
        }
        for ((name, _), Again { ends, values }) in again {
            let end = |node: NodeId| Value::Node(made.get(&node).copied().unwrap_or(node));
            let mut rows = Rows::of(vec![FROM, TO]);
            ends.into_iter().for_each(|(from, to)| rows.push([end(from), end(to)].into_iter()));
            self.create_edges(writing, &name, (&rows, FROM, TO), values)?;
        }
        // Nothing came and nothing went.
        writing.effects = effects;
        Ok(made)
    }
}

/// Whether relationships of a table may say something of themselves: then they are terms of their own, whose
/// IRIs have their ids.
pub(crate) fn says(schema: &Schema, table: usize) -> bool {
    let info = schema.edge_tables.get(table);
    info.is_some_and(|info| info.properties.iter().any(|one| !is_hidden(&schema.property_name(one.id))))
}

/// The labels of a node, where they are not those of its table.
pub(crate) fn elsewhere(reader: &Reader<'_>, node: NodeId) -> Option<Vec<Arc<str>>> {
    let mut labels = reader.labels(node);
    let mut of_table = reader.schema().label_names(node.table());
    labels.sort();
    of_table.sort();
    (labels != of_table).then_some(labels)
}

/// Adds the properties of the node at a place.
fn put(by_key: &mut ByKey, properties: trimorph_types::Map, at: usize, count: usize) {
    for (key, value) in properties {
        by_key.or_insert_with(key, || vec![Value::Null; count])[at] = value;
    }
}
