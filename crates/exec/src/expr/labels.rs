//! Conditions on labels: decided by table where all rows of a table have its labels, else by row.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use trimorph_algebra::LabelExpr;
use trimorph_base::{NodeId, TableId};
use trimorph_catalog::CatalogView;
use trimorph_store::{LabelRows, SEGMENT_ROWS};
use trimorph_types::Value;
use trimorph_vector::Nodes;

use crate::Context;

/// A condition on labels, by node table.
#[derive(Clone, Debug)]
pub(crate) struct LabelTest {
    /// Whether the table's labels meet it.
    tables: Arc<[bool]>,
    /// What is asked of rows, and the tables that have rows which may be answered otherwise than they.
    rows: Option<Arc<(LabelExpr, Box<[bool]>)>>,
    /// Whether a node without labels meets it.
    without: bool,
}

impl LabelTest {
    /// The test of `labels`, by what the catalog has of tables.
    pub(crate) fn new(labels: &LabelExpr, catalog: &CatalogView<'_>) -> Self {
        let tables = catalog.node_table_ids().map(|t| labels.matches(&|l| catalog.has_label(t, l))).collect();
        let varying = catalog.varying_where(|has| labels.matches(has));
        let varying: Box<[bool]> = catalog.node_table_ids().map(|t| varying.contains(&t)).collect();
        let some_vary = varying.contains(&true);
        let rows = some_vary.then(|| Arc::new((labels.clone(), varying)));
        Self { tables, rows, without: labels.matches(&|_| false) }
    }

    /// Whether a node that may have been deleted meets it: one that was has no labels any more, so that
    /// patterns do not find it.
    pub(super) fn passes_checked(&self, node: NodeId, cx: &Context<'_>) -> bool {
        if cx.is_gone(node) { self.without } else { self.passes(node, cx) }
    }

    /// Whether rows of some tables are to be asked.
    pub(crate) fn asks_rows(&self) -> bool {
        self.rows.as_ref().is_some_and(|rows| rows.0 != LabelExpr::True)
    }

    /// Whether all nodes of a table meet it, or none do; `None` where it depends on the node.
    pub(crate) fn of_table(&self, table: TableId) -> Option<bool> {
        let table = table.0 as usize;
        let varies = self.rows.as_ref().is_some_and(|rows| rows.1.get(table).copied().unwrap_or(false));
        (!varies).then(|| self.tables.get(table).copied().unwrap_or(false))
    }

    /// Whether a node meets it.
    #[inline]
    pub(super) fn passes(&self, node: NodeId, cx: &Context<'_>) -> bool {
        let table = node.table().0 as usize;
        match &self.rows {
            Some(rows) if rows.1.get(table).copied().unwrap_or(false) => {
                self.passes_with(node, cx.reader.own_labels(node), cx)
            }
            _ => self.table_passes(node.table()),
        }
    }

    fn table_passes(&self, table: TableId) -> bool {
        self.tables.get(table.0 as usize).copied().unwrap_or(false)
    }

    /// Whether a node meets it that may have other labels than its table, by what stands for them.
    fn passes_with(&self, node: NodeId, own: Option<Value>, cx: &Context<'_>) -> bool {
        let Some(rows) = &self.rows else { return self.table_passes(node.table()) };
        match own {
            // Written since main: names as they are.
            Some(Value::List(names)) => {
                let is = |own: &Value, label: &str| matches!(own, Value::String(own) if **own == *label);
                rows.0.matches(&|label| names.iter().any(|own| is(own, label)))
            }
            None | Some(Value::Null) => self.table_passes(node.table()),
            Some(_) => {
                let own = cx.reader.labels(node);
                rows.0.matches(&|label| own.iter().any(|own| **own == *label))
            }
        }
    }

    /// Whether rows with a code meet it, where rows of their table may have other labels than it.
    fn passes_code(&self, table: TableId, labels: &LabelRows, code: u16) -> bool {
        let (Some(own), Some(rows)) = (labels.labels(code), &self.rows) else {
            return self.table_passes(table);
        };
        rows.0.matches(&|label| own.iter().any(|own| **own == *label))
    }

    /// Whether each of some nodes meets it, where that is known by the rows of one segment: each set of
    /// labels is asked once, a node costs a look at its code, and one whose labels were written since is
    /// asked by itself.
    pub(super) fn of_rows(&self, nodes: &Nodes<'_>, len: usize, cx: &Context<'_>) -> Option<Vec<bool>> {
        let (first, rows) = match nodes {
            Nodes::Range(first) => (*first, len),
            Nodes::Ids { table: Some(_), ids } => {
                let (least, most) = (ids.iter().min()?, ids.iter().max()?);
                (*least, usize::try_from(most.0 - least.0).ok()? + 1)
            }
            _ => return None,
        };
        let start = (first.row() % SEGMENT_ROWS as u64) as usize;
        if start + rows > SEGMENT_ROWS {
            return None;
        }
        if cx.reader.notes_reads() {
            return None;
        }
        let mut passes = if cx.reader.have_own_labels(first, rows) {
            self.by_codes(nodes, first, (len, rows), cx)?
        } else {
            vec![self.table_passes(first.table()); len]
        };
        let mut decide = |(place, own): (u32, Value)| {
            let node = nodes.id(place as usize);
            if let Some(passes) = passes.get_mut(place as usize) {
                *passes = self.passes_with(node, Some(own), cx);
            }
        };
        let table = first.table();
        match nodes {
            Nodes::Ids { ids, .. } => {
                cx.reader.labels_written(table, ids.iter().map(|id| id.row())).for_each(&mut decide);
            }
            _ => cx.reader.labels_written(table, (first.row()..).take(len)).for_each(&mut decide),
        }
        Some(passes)
    }

    /// The same of main's labels: of `len` nodes, that lie within so many rows from `first` on.
    fn by_codes(
        &self,
        nodes: &Nodes<'_>,
        first: NodeId,
        (len, rows): (usize, usize),
        cx: &Context<'_>,
    ) -> Option<Vec<bool>> {
        let labels = cx.reader.label_rows(first, len as u64)?;
        if labels.codes() > len / CODES_PART {
            return None;
        }
        let start = (first.row() % SEGMENT_ROWS as u64) as usize;
        let codes = labels.codes_of(start..start + rows)?;
        let passes: Vec<bool> = (0..=u16::MAX)
            .take(labels.codes())
            .map(|code| self.passes_code(first.table(), labels, code))
            .collect();
        let passes = |code: u16| passes.get(usize::from(code)).copied().unwrap_or(false);
        Some(match nodes {
            Nodes::Ids { ids, .. } => {
                let code = |node: &NodeId| codes.get((node.0 - first.0) as usize).copied();
                ids.iter().map(|node| code(node).is_some_and(passes)).collect()
            }
            _ => codes.iter().map(|code| passes(*code)).collect(),
        })
    }

    /// Some of the nodes that are asked for together, `asked` of them.
    pub(super) fn of_many<'s>(&self, asked: usize) -> OfMany<'_, 's> {
        OfMany {
            test: self,
            asked: asked as u64,
            segment: None,
            labels: None,
            verdicts: Vec::new(),
            written: FxHashMap::default(),
        }
    }

    /// The nodes of `len` rows of one segment from `first` on that meet it, in order, where that is known
    /// without a look at each row, and they are at most `most`.
    pub(crate) fn few(
        &self,
        first: NodeId,
        len: usize,
        most: usize,
        cx: &Context<'_>,
    ) -> Option<Vec<NodeId>> {
        if cx.reader.notes_reads() {
            return None;
        }
        let mut found = if cx.reader.have_own_labels(first, len) {
            self.few_by_codes(first, len, most, cx)?
        } else if self.table_passes(first.table()) {
            return None;
        } else {
            Vec::new()
        };
        for (place, own) in cx.reader.labels_written(first.table(), (first.row()..).take(len)) {
            let node = NodeId(first.0 + u64::from(place));
            let at = found.binary_search(&place);
            match (at, self.passes_with(node, Some(own), cx)) {
                (Ok(at), false) => {
                    found.remove(at);
                }
                (Err(_), true) if found.len() >= most => return None,
                (Err(at), true) => found.insert(at, place),
                _ => {}
            }
        }
        Some(found.into_iter().map(|place| NodeId(first.0 + u64::from(place))).collect())
    }

    /// The same of main's labels: places from `first` on.
    fn few_by_codes(&self, first: NodeId, len: usize, most: usize, cx: &Context<'_>) -> Option<Vec<u32>> {
        let labels = cx.reader.label_rows(first, len as u64)?;
        let start = (first.row() % SEGMENT_ROWS as u64) as usize;
        let end = start + len;
        // Rows past the last have their table's labels.
        if labels.codes() > len / CODES_PART || labels.code(end.checked_sub(1)?).is_none() {
            return None;
        }
        let mut found: Vec<u16> = Vec::new();
        for code in (0..=u16::MAX).take(labels.codes()) {
            if self.passes_code(first.table(), labels, code) {
                let rows = labels.rows(code);
                let from = rows.partition_point(|row| usize::from(*row) < start);
                let to = rows.partition_point(|row| usize::from(*row) < end);
                if found.len() + (to - from) > most {
                    return None;
                }
                found.extend_from_slice(&rows[from..to]);
            }
        }
        found.sort_unstable();
        // A segment has fewer than 2^32 rows.
        Some(found.into_iter().map(|row| (usize::from(row) - start) as u32).collect())
    }
}

/// Rows for each set of labels from which sets are asked one by one.
const CODES_PART: usize = 16;
/// Sets of labels that are remembered of nodes that are asked one by one.
const WRITTEN_MAX: usize = 256;

/// Verdicts on nodes that are asked for together: each set of labels of a segment is asked once.
pub(super) struct OfMany<'t, 's> {
    test: &'t LabelTest,
    asked: u64,
    /// The table and segment of the last node, and the labels there, where they are known.
    segment: Option<(TableId, u64)>,
    labels: Option<&'s LabelRows>,
    /// By code: 0 not asked yet, 1 meets it, 2 does not.
    verdicts: Vec<u8>,
    /// Of nodes that are asked one by one: by what stands for their labels.
    written: FxHashMap<Arc<str>, bool>,
}

impl<'s> OfMany<'_, 's> {
    /// Whether a node meets it.
    #[inline]
    pub(super) fn passes(&mut self, node: NodeId, cx: &Context<'s>) -> bool {
        let table = node.table();
        if let Some(known) = self.test.of_table(table) {
            return known;
        }
        let segment = (table, node.row() / SEGMENT_ROWS as u64);
        if self.segment != Some(segment) {
            self.enter(node, cx);
            self.segment = Some(segment);
        }
        let local = (node.row() % SEGMENT_ROWS as u64) as usize;
        let code = self.labels.and_then(|labels| Some((labels, labels.code(local)?)));
        match code {
            Some((labels, code)) if !cx.reader.have_labels_written(node, 1) => {
                let Some(verdict) = self.verdicts.get_mut(usize::from(code)) else {
                    return self.test.passes_code(table, labels, code);
                };
                if *verdict == 0 {
                    *verdict = if self.test.passes_code(table, labels, code) { 1 } else { 2 };
                }
                *verdict == 1
            }
            _ => self.passes_alone(node, cx),
        }
    }

    /// The same of a node whose labels were written since main, or are not known by rows.
    fn passes_alone(&mut self, node: NodeId, cx: &Context<'s>) -> bool {
        // Those that were written since are lists, and none was made of a text.
        if cx.reader.have_labels_written(node, 1) {
            return self.test.passes(node, cx);
        }
        if !cx.reader.notes_reads() && !cx.reader.have_own_labels(node, 1) {
            return self.test.table_passes(node.table());
        }
        let Some(Value::String(text)) = cx.reader.own_labels(node) else {
            return self.test.passes(node, cx);
        };
        if let Some(known) = self.written.get(&*text) {
            return *known;
        }
        let verdict = self.test.passes(node, cx);
        if self.written.len() < WRITTEN_MAX {
            self.written.insert(text, verdict);
        }
        verdict
    }

    #[cold]
    fn enter(&mut self, node: NodeId, cx: &Context<'s>) {
        self.labels = cx.reader.label_rows(node, self.asked);
        self.verdicts.clear();
        self.written.clear();
        // Where there are more sets than nodes, each is asked as it comes.
        let codes = self.labels.map_or(0, LabelRows::codes);
        if codes as u64 <= self.asked {
            self.verdicts.resize(codes, 0);
        }
    }
}
