//! Labels that come to nodes, or go: takes the nodes of a clause, writes which labels each has from then on.
//!
//! Nodes that have the same labels get the same: what becomes of a set of labels is worked out once.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_algebra::VarId;
use trimorph_base::{Diagnostic, ErrorKind, LabelId, NodeId, TableId};
use trimorph_catalog::Schema;
use trimorph_delta::LABELS;
use trimorph_store::Reader;
use trimorph_types::{Value, order};

use super::rows::Rows;
use super::touched::concerns_labels;
use super::{Statement, Writing};
use crate::Error;

/// Labels, each once.
pub(super) type Labels = Arc<[Arc<str>]>;

/// A node and its labels.
pub(super) type NodeLabels = (NodeId, Labels);

/// Labels that come, or go.
#[derive(Clone, Copy)]
struct Change<'l> {
    labels: &'l [Arc<str>],
    add: bool,
}

/// What becomes of the labels of nodes that have the same.
#[derive(Clone)]
struct Next {
    /// None where nothing changes.
    labels: Option<Labels>,
    added: u64,
    removed: u64,
}

impl Change<'_> {
    /// What becomes of the labels `own`; those of `table` come in its order.
    fn of(self, own: &[Arc<str>], table: &[Arc<str>]) -> Next {
        let mut next = own.to_vec();
        if self.add {
            next.extend(self.labels.iter().filter(|label| !own.contains(label)).cloned());
        } else {
            next.retain(|label| !self.labels.contains(label));
        }
        let (added, removed) = (next.len().saturating_sub(own.len()), own.len().saturating_sub(next.len()));
        let is_of_table = next.len() == table.len() && next.iter().all(|label| table.contains(label));
        let labels = (added + removed > 0).then(|| if is_of_table { table.into() } else { next.into() });
        Next { labels, added: added as u64, removed: removed as u64 }
    }
}

impl Statement<'_> {
    /// Labels come to nodes, or go.
    pub(super) fn set_labels(
        &self,
        writing: &mut Writing,
        rows: &Rows,
        target: VarId,
        labels: &[Arc<str>],
        add: bool,
    ) -> Result<(), Error> {
        // However often a node is there, the same comes to it, or goes.
        let mut nodes = self.nodes_of_rows(rows, target)?;
        nodes.sort_unstable();
        nodes.dedup();
        let snapshot = writing.snapshot_within(writing.base(self.shared));
        let reader = Reader::new(&snapshot);
        if self.may_be_gone(writing) && nodes.iter().any(|node| !reader.node_exists(*node)) {
            let text = "a node that was deleted cannot be changed";
            let kind = ErrorKind::EntityNotFound;
            return Err(self.wrong(Diagnostic::runtime(kind, "DeletedEntityAccess", text)));
        }
        for of_table in nodes.chunk_by(|a, b| a.table() == b.table()) {
            let changed = self.relabelled(writing, &reader, of_table, Change { labels, add })?;
            let Some((first, _)) = changed.first() else { continue };
            self.shared.let_labels_vary(writing, first.table(), labels)?;
            self.write_labels(writing, first.table(), &changed, labels)?;
        }
        Ok(())
    }

    /// The nodes of a variable.
    fn nodes_of_rows(&self, rows: &Rows, target: VarId) -> Result<Vec<NodeId>, Error> {
        let mut nodes = Vec::with_capacity(rows.len());
        for value in rows.column(target).unwrap_or_default() {
            match value {
                Value::Null => {}
                Value::Node(node) => nodes.push(*node),
                other => {
                    let text = format!("a value of type {} has no labels", other.logical_type());
                    let kind = ErrorKind::TypeError;
                    return Err(self.wrong(Diagnostic::runtime(kind, "InvalidArgumentType", text)));
                }
            }
        }
        Ok(nodes)
    }

    /// Those of some nodes of a table whose labels change, with what they have then.
    fn relabelled(
        &self,
        writing: &mut Writing,
        reader: &Reader<'_>,
        nodes: &[NodeId],
        change: Change<'_>,
    ) -> Result<Vec<NodeLabels>, Error> {
        let mut known: BTreeMap<Vec<Arc<str>>, Next> = BTreeMap::new();
        // What the node before had, as it stands, and what becomes of it: as a rule this one has it, too.
        let mut last: Option<(Option<Value>, Next)> = None;
        let mut changed = Vec::with_capacity(nodes.len());
        let table = nodes.first().map_or_else(Vec::new, |node| reader.schema().label_names(node.table()));
        for (at, node) in nodes.iter().enumerate() {
            self.check(at)?;
            let own = reader.own_labels(*node);
            let next = match last.take() {
                Some((before, next)) if is_same(before.as_ref(), own.as_ref()) => next,
                _ => {
                    let labels = reader.labels(*node);
                    let next = change.of(&labels, &table);
                    known.entry(labels).or_insert(next).clone()
                }
            };
            writing.effects.labels_added += next.added;
            writing.effects.labels_removed += next.removed;
            changed.extend(next.labels.iter().map(|labels| (*node, Arc::clone(labels))));
            last = Some((own, next));
        }
        Ok(changed)
    }

    /// Rows of a node table, whose labels may vary, have these labels now; of those only some have come or
    /// gone.
    pub(super) fn write_labels(
        &self,
        writing: &mut Writing,
        table: TableId,
        of_table: &[NodeLabels],
        come_or_gone: &[Arc<str>],
    ) -> Result<(), Error> {
        let mut values: Vec<Value> = Vec::with_capacity(of_table.len());
        for (at, (_, labels)) in of_table.iter().enumerate() {
            let same = at > 0 && Arc::ptr_eq(&of_table[at - 1].1, labels);
            let list = |labels: &Labels| {
                Value::list(labels.iter().map(|label| Value::String(Arc::clone(label))).collect())
            };
            values.push(values.last().filter(|_| same).cloned().unwrap_or_else(|| list(labels)));
        }
        let rows: Vec<u64> = of_table.iter().map(|(node, _)| node.row()).collect();
        self.write_column(writing, table, LABELS, &rows, values)?;
        if writing.is_logged() {
            let (sets, chosen) = label_sets(writing.base(self.shared).schema(), of_table);
            writing.log_labels(table, &rows, &sets, &chosen)?;
        }
        let changed = &mut writing.changes.nodes_of(table).labels;
        rows.iter().for_each(|row| changed.insert(*row));
        if self.shared.in_newest(|main| concerns_labels(&main.catalog, come_or_gone)) {
            writing.touched.labels(table, &rows);
        }
        Ok(())
    }
}

/// Whether two nodes of a table have the same labels, as they stand.
fn is_same(a: Option<&Value>, b: Option<&Value>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => order(a, b).is_eq(),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// The label sets of nodes, each once, and which one each node has.
fn label_sets(schema: &Schema, nodes: &[NodeLabels]) -> (Vec<Vec<LabelId>>, Vec<u64>) {
    let mut numbers: BTreeMap<&[Arc<str>], u64> = BTreeMap::new();
    let mut sets = Vec::new();
    let mut chosen: Vec<u64> = Vec::with_capacity(nodes.len());
    for (at, (_, labels)) in nodes.iter().enumerate() {
        let same = at > 0 && Arc::ptr_eq(&nodes[at - 1].1, labels);
        let number = chosen.last().filter(|_| same).copied();
        chosen.push(number.unwrap_or_else(|| {
            *numbers.entry(labels).or_insert_with(|| {
                // The catalog has 65,536 labels at most.
                let ids = labels.iter().filter_map(|label| schema.labels.id(label));
                sets.push(ids.map(|id| LabelId(id as u16)).collect());
                sets.len() as u64 - 1
            })
        }));
    }
    (sets, chosen)
}
