//! Edges in as keys, out as rows, packed: how edges wait until every node is there.
//!
//! A batch waits if an end of it is not known yet, or one before it waits (the exception, since loaders give
//! nodes first): ends that are known as rows, others as keys, integers packed, which are looked up again when
//! the load finishes.

use std::collections::BTreeSet;

use trimorph_base::{NodeId, TableId};
use trimorph_encoding::{Packed, pack};

use super::finder::Finder;
use super::keys::{Key, key_at};
use super::waiting_column::WaitingColumn;
use super::{BulkError, ColumnBatch, ColumnData, EdgeBatch, EdgeSpec, Lines, Rejected};

/// The sources and the targets of a batch.
pub(super) type BatchEnds = (Vec<NodeId>, Vec<NodeId>);

/// A batch of edges that waits.
#[derive(Debug)]
pub(super) struct WaitingEdges {
    len: usize,
    from: Ends,
    to: Ends,
    columns: Vec<WaitingColumn>,
    /// File and lines, while there are keys that may yet be refused.
    origin: Option<(u32, PackedLines)>,
}

#[derive(Debug)]
enum PackedLines {
    From(u64),
    Each(Packed),
}

impl PackedLines {
    fn line(&self, i: usize) -> u64 {
        match self {
            Self::From(first) => first + i as u64,
            Self::Each(lines) => lines.view().get(i).cast_unsigned(),
        }
    }
}

/// One end of each edge.
#[derive(Debug)]
enum Ends {
    Nodes(PackedNodes),
    Ints(Packed),
    Texts(ColumnData),
}

/// Nodes as tables and rows.
#[derive(Debug)]
pub(super) struct PackedNodes {
    /// The only table, or the table of each.
    tables: Result<TableId, Packed>,
    rows: Packed,
}

impl PackedNodes {
    pub(super) fn new(nodes: impl ExactSizeIterator<Item = NodeId> + Clone) -> Self {
        let rows: Vec<i64> = nodes.clone().map(|n| n.row().cast_signed()).collect();
        let first = nodes.clone().next().map_or(TableId(0), NodeId::table);
        let tables = if nodes.clone().all(|n| n.table() == first) {
            Ok(first)
        } else {
            Err(pack(&nodes.map(|n| n.table().0.into()).collect::<Vec<i64>>()))
        };
        Self { tables, rows: pack(&rows) }
    }

    #[inline]
    pub(super) fn get(&self, i: usize) -> NodeId {
        let table = match &self.tables {
            Ok(table) => *table,
            // What was packed was a table's number.
            Err(tables) => TableId(u16::try_from(tables.view().get(i)).unwrap_or(0)),
        };
        NodeId::new(table, self.rows.view().get(i).cast_unsigned())
    }

    /// Those from `from` on, as many as `rows` has room for.
    pub(super) fn read<'r>(&'r self, from: usize, rows: &'r mut [i64]) -> impl Iterator<Item = NodeId> + 'r {
        self.rows.view().unpack(from, rows);
        let table = move |i: usize| match &self.tables {
            Ok(table) => *table,
            Err(tables) => TableId(u16::try_from(tables.view().get(from + i)).unwrap_or(0)),
        };
        rows.iter().enumerate().map(move |(i, row)| NodeId::new(table(i), row.cast_unsigned()))
    }

    /// Adds the tables of the `len` nodes to others.
    pub(super) fn tables(&self, len: usize, to: &mut BTreeSet<TableId>) {
        match &self.tables {
            Ok(table) => drop(to.insert(*table)),
            Err(tables) => {
                let mut last = None;
                for number in (0..len).map(|i| tables.view().get(i)).filter(|n| last.replace(*n) != Some(*n))
                {
                    to.insert(TableId(u16::try_from(number).unwrap_or(0)));
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.rows.bytes.len() + self.tables.as_ref().err().map_or(0, |t| t.bytes.len())
    }
}

impl Ends {
    fn keys(keys: ColumnData) -> Result<Self, BulkError> {
        match keys {
            ColumnData::Int(v) => Ok(Self::Ints(pack(&v))),
            ColumnData::String { mut bytes, mut ends } => {
                bytes.shrink_to_fit();
                ends.shrink_to_fit();
                Ok(Self::Texts(ColumnData::String { bytes, ends }))
            }
            _ => Err(BulkError::Declaration("keys are integers or strings".into())),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Nodes(nodes) => nodes.bytes(),
            Self::Ints(keys) => keys.bytes.len(),
            Self::Texts(ColumnData::String { bytes, ends }) => bytes.len() + ends.len() * 4,
            Self::Texts(_) => 0,
        }
    }

    /// The nodes of all of them, if all are known; there are `len`.
    fn all_nodes(&self, len: usize, space: &Finder<'_>) -> Option<Vec<NodeId>> {
        match self {
            Self::Nodes(nodes) => Some((0..len).map(|i| nodes.get(i)).collect()),
            Self::Ints(packed) => {
                let mut keys = vec![0; len];
                packed.view().unpack(0, &mut keys);
                space.find_all(&ColumnData::Int(keys))
            }
            Self::Texts(keys) => space.find_all(keys),
        }
    }

    fn node<'k>(&'k self, i: usize, space: &Finder<'_>) -> Result<NodeId, Key<'k>> {
        match self {
            Self::Nodes(nodes) => Ok(nodes.get(i)),
            Self::Ints(keys) => {
                let key = Key::Int(keys.view().get(i));
                space.find(key).ok_or(key)
            }
            Self::Texts(keys) => {
                let key = key_at(keys, i).unwrap_or(Key::Text(&[]));
                space.find(key).ok_or(key)
            }
        }
    }
}

impl WaitingEdges {
    /// Packs a batch that fits its declaration; `found` are its ends, if all are known.
    pub(super) fn new(batch: EdgeBatch, found: Option<&BatchEnds>) -> Result<Self, BulkError> {
        let EdgeBatch { from_keys, to_keys, columns, origin } = batch;
        let len = from_keys.len();
        let nodes = |nodes: &[NodeId]| Ends::Nodes(PackedNodes::new(nodes.iter().copied()));
        let (from, to, origin) = match found {
            Some((from, to)) => (nodes(from), nodes(to), None),
            None => {
                let lines = match origin.lines {
                    Lines::From(first) => PackedLines::From(first),
                    Lines::Each(lines) => {
                        let lines: Vec<i64> = lines.into_iter().map(u64::cast_signed).collect();
                        PackedLines::Each(pack(&lines))
                    }
                };
                (Ends::keys(from_keys)?, Ends::keys(to_keys)?, Some((origin.file, lines)))
            }
        };
        Ok(Self { len, from, to, columns: columns.into_iter().map(WaitingColumn::new).collect(), origin })
    }

    /// Bytes of memory, about.
    pub(super) fn bytes(&self) -> usize {
        let columns: usize = self.columns.iter().map(WaitingColumn::bytes).sum();
        let lines = match &self.origin {
            Some((_, PackedLines::Each(lines))) => lines.bytes.len(),
            _ => 0,
        };
        self.from.bytes() + self.to.bytes() + columns + lines + size_of::<Self>()
    }

    /// Number of edges.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The property columns.
    pub(super) fn columns(&self) -> Vec<ColumnBatch> {
        self.columns.iter().map(|c| c.unpack(self.len)).collect()
    }

    /// The ends of all edges, if there are nodes for all.
    pub(super) fn all_ends(&self, from: &Finder<'_>, to: &Finder<'_>) -> Option<BatchEnds> {
        Some((self.from.all_nodes(self.len, from)?, self.to.all_nodes(self.len, to)?))
    }

    /// The two ends of edge `i`; `None` if one does not exist and the verdict was to leave the edge out.
    pub(super) fn ends(
        &self,
        i: usize,
        spec: &EdgeSpec,
        from: &Finder<'_>,
        to: &Finder<'_>,
        reject: &mut dyn FnMut(Rejected) -> Result<(), BulkError>,
    ) -> Result<Option<(NodeId, NodeId)>, BulkError> {
        let mut refuse = |end: &str, key: Key<'_>, space: &str| {
            let reason = format!("edge \"{}\": {end} {key} is not in key space \"{space}\"", spec.label);
            let (file, line) = self.origin.as_ref().map_or((0, 0), |(file, lines)| (*file, lines.line(i)));
            reject(Rejected { file, line, reason })
        };
        let source = match self.from.node(i, from) {
            Ok(node) => node,
            Err(key) => return refuse("source", key, &spec.from_space).map(|()| None),
        };
        let target = match self.to.node(i, to) {
            Ok(node) => node,
            Err(key) => return refuse("target", key, &spec.to_space).map(|()| None),
        };
        Ok(Some((source, target)))
    }
}
