//! Node scan: a morsel at a time from the shared dispenser, a vector at a time from the morsel. The group's
//! node vector is a range: nothing is read.
//!
//! A top-k may lead it, by the values its best rows have so far: through value indexes of its key, which give
//! rows in their order and end where others come after these, or else by zone maps.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::atomic::{AtomicI64, Ordering as Atomic};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use trimorph_algebra::Op;
use trimorph_base::{NodeId, TableId};
use trimorph_catalog::CatalogView;
use trimorph_store::access::{Given, InOrder, Morsels, Prune, ValueRange, comes_after, is_wanted};
use trimorph_store::{Comparison, Condition, PropertyColumn, Reader, Snapshot};
use trimorph_types::{LogicalType, Value};
use trimorph_vector::{Chunk, Nodes, Selection, Values, Vector};

use crate::expr::{Ex, LabelTest, integer_range};
use crate::layout::Place;
use crate::operator::Operator;
use crate::{Context, ExecError};

/// A morsel of which one row in so many has the labels that are asked for is read by these rows, from so many
/// rows on: in bulk a row that falls out costs a nanosecond or two, and a row that is looked up some ten.
const FEW_PART: usize = 8;
const FEW_ROWS_MIN: usize = 256;
/// Of fewer than one row in so many each is asked whether it is there, else all rows of the morsel are.
const ALONE_PART: usize = 64;

/// Scan of node tables.
pub(crate) struct NodeScan {
    place: Place,
    rows: Arc<ScanRows>,
    number: usize,
    /// What is left of a morsel: its next node, how many, and where the morsel began.
    current: Option<(NodeId, usize, NodeId)>,
    /// The nodes that are left of a morsel of which few have the labels that are asked for, the last first.
    few: Vec<NodeId>,
}

/// What is scanned, and comparisons with properties that leave zones out.
#[derive(Debug)]
pub(crate) struct NodeScanSpec {
    pub(crate) place: Place,
    pub(crate) tables: Vec<TableId>,
    pub(crate) prune: Vec<(Arc<str>, Op, Ex)>,
    /// Whether a top-k may lead it by value indexes.
    pub(crate) by_index: bool,
    /// What is asked of the nodes' labels, where rows of some tables may have others than their table: the
    /// filter above asks it of each; rows of few are found here.
    pub(crate) labels: Option<LabelTest>,
}

/// What all twins of a scan share.
pub(crate) struct ScanRows {
    pub(crate) morsels: Morsels,
    prune: Vec<Prune>,
    tables: Vec<TableId>,
    /// Comparisons with constants, by property.
    compared: Vec<(Arc<str>, Op, Value)>,
    by_index: bool,
    labels: Option<LabelTest>,
    lead: OnceLock<Lead>,
}

impl ScanRows {
    /// For a bound `spec`, in morsels of `size` rows.
    pub(crate) fn new(spec: &NodeScanSpec, size: usize, snapshot: &Snapshot) -> Self {
        let catalog = CatalogView::new(snapshot.catalog());
        let (mut prune, mut compared) = (Vec::new(), Vec::new());
        for (property, op, value) in &spec.prune {
            let Ex::Const(value) = value else { continue };
            compared.push((Arc::clone(property), *op, value.clone()));
            for (table, column) in catalog.node_columns(Some(std::slice::from_ref(property))) {
                // Zone maps do not cover values of other types.
                if spec.tables.contains(&table)
                    && catalog.has_one_type(table, column)
                    && let Some(ty) = catalog.column_type(table, column)
                    && let Some((low, high)) = integer_range(ty, *op, value)
                {
                    prune.push(Prune { table, column, low, high, nulls: false });
                }
            }
        }
        let (tables, by_index, lead) = (spec.tables.clone(), spec.by_index, OnceLock::new());
        let (morsels, labels) = (Morsels::new(snapshot, &tables, size), spec.labels.clone());
        Self { morsels, prune, tables, compared, by_index, labels, lead }
    }

    /// Lets a top-k of `wanted` rows by `property` of the scan's nodes lead it: what may come first is
    /// scanned first, and what comes after the best rows so far is left out. `None` where neither indexes nor
    /// zone maps say anything.
    pub(crate) fn lead(
        &self,
        property: &Arc<str>,
        descending: bool,
        wanted: u64,
        snapshot: &Snapshot,
        reader: &Reader<'_>,
    ) -> Option<Arc<TopBound>> {
        let catalog = CatalogView::new(snapshot.catalog());
        let columns = catalog.node_columns(Some(std::slice::from_ref(property)));
        let columns: Vec<(TableId, usize)> =
            columns.into_iter().filter(|(table, _)| self.tables.contains(table)).collect();
        // An index says what is not among the best: who notes what he reads would have read that, too.
        let in_order = || {
            let range = self.range(property).filter(|_| self.by_index && !reader.notes_reads())?;
            InOrder::new(snapshot, reader, &self.tables, &columns, range, descending, wanted)
        };
        if let Some(in_order) = in_order() {
            let bound = Arc::new(TopBound::new(descending, true));
            let lead = || Lead { columns: Vec::new(), bound, in_order: Some(in_order) };
            return Some(Arc::clone(&self.lead.get_or_init(lead).bound));
        }
        let columns: Vec<(TableId, usize)> =
            columns.into_iter().filter(|(table, column)| catalog.has_one_type(*table, *column)).collect();
        // What another property of this name has is compared with values of this type only.
        let mut types = columns.iter().map(|(table, column)| catalog.column_type(*table, *column));
        let first = types.next()??;
        if first == LogicalType::String && types.clone().all(|ty| ty == Some(first)) {
            let bound = Arc::new(TopBound::new(descending, true));
            let lead = self.lead.get_or_init(|| Lead { columns, bound, in_order: None });
            return Some(Arc::clone(&lead.bound));
        }
        let is_integer = matches!(
            first,
            LogicalType::Int
                | LogicalType::Date
                | LogicalType::LocalTime
                | LogicalType::LocalDateTime
                | LogicalType::DateTime
        );
        if !is_integer || !types.all(|ty| ty == Some(first)) {
            return None;
        }
        self.morsels.best_first(reader, &columns, descending);
        let bound = Arc::new(TopBound::new(descending, false));
        let lead = self.lead.get_or_init(|| Lead { columns, bound, in_order: None });
        Some(Arc::clone(&lead.bound))
    }

    /// The values of a property that are wanted; none where few are, which are found in other ways.
    fn range(&self, property: &Arc<str>) -> Option<ValueRange> {
        let mut range = (Bound::Unbounded, Bound::Unbounded);
        for (_, op, value) in self.compared.iter().filter(|(of, ..)| of == property) {
            match op {
                Op::Gt => range.0 = Bound::Excluded(value.clone()),
                Op::Ge => range.0 = Bound::Included(value.clone()),
                Op::Lt => range.1 = Bound::Excluded(value.clone()),
                Op::Le => range.1 = Bound::Included(value.clone()),
                _ => return None,
            }
        }
        Some(range)
    }

    /// What must hold of the rows of a morsel now. Who notes what he reads does not leave out what is not
    /// among the best: that would be a read, too.
    fn wanted(&self, notes_reads: bool) -> Cow<'_, [Prune]> {
        match self.lead.get().filter(|_| !notes_reads) {
            Some(lead) => self.prune.iter().cloned().chain(lead.prune()).collect(),
            None => Cow::Borrowed(&self.prune),
        }
    }
}

/// The first key of the last of the best rows that a top-k has so far: rows that come after it are not
/// wanted.
#[derive(Debug)]
pub(crate) struct TopBound {
    descending: bool,
    /// Integers, dates and instants, where zone maps are asked.
    key: AtomicI64,
    /// Any value, where indexes are.
    value: Option<Mutex<Option<Value>>>,
}

impl TopBound {
    fn new(descending: bool, of_any_type: bool) -> Self {
        let key = AtomicI64::new(if descending { i64::MIN } else { i64::MAX });
        Self { descending, key, value: of_any_type.then(Mutex::default) }
    }

    fn value(&self) -> Option<MutexGuard<'_, Option<Value>>> {
        self.value.as_ref().map(|value| value.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Nothing is known any more.
    pub(crate) fn reset(&self) {
        self.key.store(if self.descending { i64::MIN } else { i64::MAX }, Atomic::Relaxed);
        if let Some(mut value) = self.value() {
            *value = None;
        }
    }

    /// Whether anything is known.
    fn is_set(&self) -> bool {
        self.key.load(Atomic::Relaxed) != if self.descending { i64::MIN } else { i64::MAX }
    }

    /// Whether it is of values of any type, nulls too.
    pub(crate) fn is_of_any_type(&self) -> bool {
        self.value.is_some()
    }

    /// One worker's best rows end with `key`.
    pub(crate) fn tighten(&self, key: i64) {
        if self.descending {
            self.key.fetch_max(key, Atomic::Relaxed);
        } else {
            self.key.fetch_min(key, Atomic::Relaxed);
        }
    }

    /// The same with a value of any type.
    pub(crate) fn tighten_to(&self, key: Value) {
        if let Some(mut known) = self.value()
            && known.as_ref().is_none_or(|known| comes_after(known, &key, self.descending))
        {
            *known = Some(key);
        }
    }

    /// Whether rows with a value are not wanted.
    fn is_before(&self, value: &Value) -> bool {
        let known = self.value();
        known.is_some_and(|k| k.as_ref().is_some_and(|k| comes_after(value, k, self.descending)))
    }
}

/// A top-k that leads a scan: the columns of its first key whose zone maps are asked, one a table, and its
/// bound; or what gives rows by indexes.
struct Lead {
    columns: Vec<(TableId, usize)>,
    bound: Arc<TopBound>,
    in_order: Option<InOrder>,
}

impl Lead {
    /// The rows of a range that may still come among the best: what is asked of the others, above, would be
    /// in vain. `None` where that is not found out without taking values out.
    fn select(&self, first: NodeId, len: usize, cx: &Context<'_>) -> Option<Vec<u32>> {
        if self.bound.is_of_any_type() {
            return self.select_texts(first, len, cx);
        }
        let bound = self.prune().find(|prune| prune.table == first.table())?;
        if !self.bound.is_set() {
            return None;
        }
        let column = PropertyColumn::of_nodes(bound.table, bound.column, &cx.reader);
        // Nulls would be left out, too.
        if bound.nulls {
            column.full_zone_range(first.row())?;
        }
        let mut rows = Vec::new();
        let range = Condition::Range(bound.low, bound.high);
        column.select(&mut Comparison::default(), &range, first.row(), len, &mut rows)?;
        Some(rows)
    }

    /// The same where the key is a text: those that do not come after the bound, and nulls where they come
    /// first.
    fn select_texts(&self, first: NodeId, len: usize, cx: &Context<'_>) -> Option<Vec<u32>> {
        let bound = self.bound.value()?.clone()?;
        let (_, column) = self.columns.iter().find(|(table, _)| *table == first.table())?;
        let column = PropertyColumn::of_nodes(first.table(), *column, &cx.reader);
        let (mut texts, mut nulls) = (Vec::new(), Vec::new());
        if self.bound.descending {
            let condition = Condition::Present(false);
            column.select(&mut Comparison::default(), &condition, first.row(), len, &mut nulls)?;
        }
        match (&bound, self.bound.descending) {
            (Value::String(bound), descending) => {
                let wanted: fn(Ordering) -> bool = if descending { Ordering::is_ge } else { Ordering::is_le };
                let passes = |text: &str| wanted(text.cmp(bound));
                let order = Some((&**bound, wanted));
                let condition = Condition::Text { equal: None, prefix: None, order, passes: &passes };
                column.select(&mut Comparison::default(), &condition, first.row(), len, &mut texts)?;
            }
            // All that are wanted are nulls.
            (Value::Null, true) => {}
            _ => return None,
        }
        // Both are in order.
        if !nulls.is_empty() && !texts.is_empty() {
            texts.append(&mut nulls);
            // A merge of two runs.
            texts.sort();
            return Some(texts);
        }
        Some(if texts.is_empty() { nulls } else { texts })
    }

    fn prune(&self) -> impl Iterator<Item = Prune> {
        let columns = if self.bound.is_of_any_type() { &[][..] } else { &self.columns };
        let TopBound { descending, key, .. } = &*self.bound;
        let key = key.load(Atomic::Relaxed);
        let (low, high) = if *descending { (key, i64::MAX) } else { (i64::MIN, key) };
        // Nulls come first where the order descends.
        let nulls = *descending;
        columns.iter().map(move |(table, column)| Prune { table: *table, column: *column, low, high, nulls })
    }
}

impl NodeScan {
    /// The scan of the node of that number in the plan.
    pub(crate) fn new(place: Place, rows: Arc<ScanRows>, number: usize) -> Self {
        Self { place, rows, number, current: None, few: Vec::new() }
    }

    /// The next rows that indexes give.
    fn next_in_order<'s>(
        &self,
        lead: &Lead,
        in_order: &InOrder,
        chunk: &mut Chunk<'s>,
        cx: &Context<'s>,
    ) -> bool {
        let is_after = |value: &Value| lead.bound.is_before(value);
        let next = in_order.next(&cx.reader, cx.settings.vector_size, &is_after, &self.rows.prune);
        let Some(next) = next else { return false };
        let (nodes, len, selection) = match next {
            Given::Nodes(table, ids) => {
                let len = ids.len();
                (Nodes::Ids { table: Some(table), ids }, len, Selection::All)
            }
            Given::Run(run) => {
                (Nodes::Range(run.first), run.len, run.chosen.map_or(Selection::All, Selection::List))
            }
        };
        let group = &mut chunk.groups[self.place.group];
        group.reset(len);
        group.selection = selection;
        group.vectors[self.place.slot] = Vector::new(Values::Node(nodes));
        true
    }
}

impl NodeScan {
    /// Finds the nodes of a morsel that have the labels that are asked for, where they are few; gives whether
    /// it has. **Cost**: a search for each set of labels.
    fn find_few(&mut self, first: NodeId, len: usize, cx: &Context<'_>) -> bool {
        let Some(labels) = self.rows.labels.as_ref().filter(|test| test.of_table(first.table()).is_none())
        else {
            return false;
        };
        // Of small morsels nothing is gained.
        if len < FEW_ROWS_MIN {
            return false;
        }
        let Some(found) = labels.few(first, len, len / FEW_PART, cx) else { return false };
        // A top-k that leads looks at rows by itself, if there are any.
        if self.rows.lead.get().is_some() && !found.is_empty() {
            return false;
        }
        self.few = found;
        if self.few.len() < len / ALONE_PART {
            self.few.retain(|node| cx.reader.node_exists(*node));
        } else if let Some(there) = cx.reader.existing(first, len) {
            self.few.retain(|node| there.binary_search(&((node.0 - first.0) as u32)).is_ok());
        }
        self.few.reverse();
        true
    }

    /// The next of few.
    fn next_of_few(&mut self, chunk: &mut Chunk<'_>, cx: &Context<'_>) -> bool {
        let Some(first) = self.few.last() else { return false };
        let table = Some(first.table());
        let from = self.few.len().saturating_sub(cx.settings.vector_size);
        let ids: Vec<NodeId> = self.few.drain(from..).rev().collect();
        let group = &mut chunk.groups[self.place.group];
        group.reset(ids.len());
        group.vectors[self.place.slot] = Vector::new(Values::Node(Nodes::Ids { table, ids }));
        true
    }
}

impl<'s> Operator<'s> for NodeScan {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        cx.check()?;
        if let Some(lead) = self.rows.lead.get()
            && let Some(in_order) = &lead.in_order
        {
            return Ok(self.next_in_order(lead, in_order, chunk, cx));
        }
        let (first, len, selection) = loop {
            if self.next_of_few(chunk, cx) {
                return Ok(true);
            }
            let rows = Arc::clone(&self.rows);
            let wanted = rows.wanted(cx.reader.notes_reads());
            let morsel = || rows.morsels.next(&cx.reader, &wanted).map(|(first, len)| (first, len, first));
            let Some((first, left, morsel)) = self.current.take().or_else(morsel) else { return Ok(false) };
            if first == morsel && self.find_few(first, left, cx) {
                cx.begin_part(self.number, morsel.0);
                cx.check()?;
                continue;
            }
            let len = left.min(cx.settings.vector_size);
            if len < left {
                self.current = Some((NodeId(first.0 + len as u64), left - len, morsel));
            }
            cx.begin_part(self.number, morsel.0);
            let Some(lead) = self.rows.lead.get().filter(|_| !cx.reader.notes_reads()) else {
                break (first, len, Selection::All);
            };
            // A bound may have come closer since the morsel was handed out.
            if is_wanted(&cx.reader, first, len, &wanted) {
                match lead.select(first, len, cx) {
                    Some(rows) if rows.is_empty() => {}
                    Some(rows) if rows.len() < len => break (first, len, Selection::List(rows)),
                    _ => break (first, len, Selection::All),
                }
            }
        };
        let existing = match cx.reader.notes_reads() {
            true => cx.reader.existing_noted(first, len, &self.rows.prune),
            false => cx.reader.existing(first, len),
        };
        let selection = match existing {
            None => selection,
            Some(there) => match selection {
                Selection::All => Selection::List(there),
                Selection::List(mut rows) => {
                    rows.retain(|row| there.binary_search(row).is_ok());
                    Selection::List(rows)
                }
            },
        };
        let group = &mut chunk.groups[self.place.group];
        group.reset(len);
        group.selection = selection;
        group.vectors[self.place.slot] = Vector::new(Values::Node(Nodes::Range(first)));
        Ok(true)
    }

    fn reset(&mut self) {
        self.rows.morsels.reset();
        if let Some(in_order) = self.rows.lead.get().and_then(|lead| lead.in_order.as_ref()) {
            in_order.reset();
        }
        self.current = None;
        self.few.clear();
    }
}
