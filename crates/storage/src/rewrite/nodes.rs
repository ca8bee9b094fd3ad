//! Rows of a node table that come, change or go: takes them zone by zone, gives a main version whose other
//! pieces are shared.
//!
//! 1. Which rows are there: a row that nobody has says so in the column `missing`, which a table gets with
//!    its first such row.
//! 2. Columns: segments of which a row got a value or went are written anew, and the last one where rows
//!    came: every column has a value, or none, for each row.
//! 3. The key index: pieces of the keys that came or went. Indexes of values likewise.
//!
//! Invariant: a row that is missing has no value in any column.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use trimorph_base::{CancelToken, TableId};
use trimorph_catalog::{NodeTableStats, PropertyStats};
use trimorph_types::{LogicalType, Value};
use trimorph_vfs::{Pins, RegionOptions, lay_out};

use super::columns::{Part, Sources, rewrite};
use super::{RewriteError, check};
use crate::column::{Column, ColumnView, SEGMENT_ROWS, ZONE_ROWS};
use crate::key_index::{KeyEntries, KeyIndex, hash_of};
use crate::slot::Slot;
use crate::value_index::{Changed, Of, ValueIndex, together};
use crate::{Main, NodeTable, row_labels};

/// What is asked for values: a column's place in the catalog, or none for labels; rows; and what takes the
/// new values of those that have one, ascending.
pub type NewValues<'a> = dyn Fn(Option<usize>, Range<u64>, &mut dyn FnMut(u64, Value)) + 'a;

/// What happens to the rows of one node table.
pub struct NodeChanges<'a> {
    /// Rows that come, ascending; they have the new values and no others.
    pub came: &'a [u64],
    /// Rows that go, ascending. One that is not there may be among them.
    pub went: &'a [u64],
    /// Zones of 1,024 rows that have new values, by column.
    pub columns: &'a BTreeMap<usize, BTreeSet<u64>>,
    /// Zones that have new labels: lists of strings.
    pub labels: Option<&'a BTreeSet<u64>>,
    /// Gives new values.
    pub values: &'a NewValues<'a>,
}

const SEGMENT: u64 = SEGMENT_ROWS as u64;

fn segment_of(row: u64) -> usize {
    (row / SEGMENT) as usize
}

fn rows_of(segment: usize, end: u64) -> Range<u64> {
    let first = segment as u64 * SEGMENT;
    first..end.min(first + SEGMENT)
}

/// The numbers of a sorted list that are in a range.
fn within(sorted: &[u64], range: &Range<u64>) -> Range<usize> {
    sorted.partition_point(|row| *row < range.start)..sorted.partition_point(|row| *row < range.end)
}

impl Main {
    /// Makes changes to node table `table`.
    ///
    /// **Errors**: a table there is not; too many rows; a piece that cannot be had. **Cost**: the segments
    /// that rows came to, changed or went in, column by column; the pieces of the key index that keys came
    /// to or went from.
    pub fn merge_nodes(
        &mut self,
        table: TableId,
        changes: &NodeChanges<'_>,
        options: RegionOptions,
    ) -> Result<(), RewriteError> {
        self.merge_nodes_to(table, changes, 0, options)
    }

    /// The same, with at least `end` rows: those that nobody has are missing.
    pub(super) fn merge_nodes_to(
        &mut self,
        table: TableId,
        changes: &NodeChanges<'_>,
        end: u64,
        options: RegionOptions,
    ) -> Result<(), RewriteError> {
        let at = usize::from(table.0);
        let (old, info) = match (self.node_tables.get(at), self.catalog.schema.node_tables.get(at)) {
            (Some(old), Some(info)) => (Arc::clone(old), info.clone()),
            _ => return Err(RewriteError::Unknown(format!("there is no node table {at}"))),
        };
        let end = changes.came.last().map_or(end, |last| end.max(last + 1)).max(old.rows);
        if end >= u64::from(u32::MAX) {
            return Err(RewriteError::Unknown(format!("more than {} rows in one node table", u32::MAX)));
        }
        let own = self.catalog.schema.label_names(table);
        let change = Change { own, ..Change::new(&old, changes, end, options)? };
        let mut catalog = (*self.catalog).clone();
        catalog.estimates = None;
        let stats = &mut catalog.statistics.node_tables[at];
        let mut columns = Vec::with_capacity(old.columns.len());
        for (i, column) in old.columns.iter().enumerate() {
            let zones = changes.columns.get(&i);
            let (column, known) = change.column(column, &stats.properties[i], Some(i), zones)?;
            stats.properties[i] = known;
            columns.push(column);
        }
        let labels = change.optional(&old.labels, LogicalType::String, None, changes.labels)?;
        // Where the last row with other labels went all have the table's again.
        let labels = labels.filter(|labels| labels.has_values());
        let missing = change.missing()?;
        let key_index = match (&old.key_index, info.key) {
            (Some(index), Some(key)) => {
                let zones = changes.columns.get(&key);
                Some(change.key_index(index, &columns[key], key, zones)?)
            }
            // Its first rows: a load gave it a key.
            (None, Some(key)) if end > 0 => Some(change.new_index(&columns[key], &Arc::default())?),
            _ => None,
        };
        let mut value_indexes = Vec::with_capacity(old.value_indexes.len());
        for (column, index) in &old.value_indexes {
            let zones = changes.columns.get(column);
            value_indexes.push((*column, change.value_index(index, &columns[*column], *column, zones)?));
        }
        let mut composite_indexes = Vec::with_capacity(old.composite_indexes.len());
        for (places, index) in &old.composite_indexes {
            composite_indexes.push((places.clone(), change.composite_index(index, &columns, places)?));
        }
        count_sets(stats, &columns, changes, end)?;
        stats.rows = end;
        catalog.facts_mut().node_tables[at].one_type =
            columns.iter().map(|column| column.has_one_type()).collect();
        let table =
            NodeTable { rows: end, columns, key_index, value_indexes, composite_indexes, labels, missing };
        self.node_tables[at] = Arc::new(table);
        self.catalog = Arc::new(catalog);
        Ok(())
    }
}

/// Rows that are looked at for which properties they have together.
const SEEN: usize = 256;
/// Values that are looked at for it at most: of wide tables fewer rows are.
const LOOKED_AT: usize = 1 << 16;
/// Where at least this part of a table's zones changed, all of these are counted anew; else those that rows
/// came to, which were written anew in any case: others may be on disk.
const COUNTED_ANEW: u64 = 8;

/// Counts rows of zones that changed by which properties they have, from some of them. Those of other zones
/// are taken to be as before. Sets are estimates.
fn count_sets(
    stats: &mut NodeTableStats,
    columns: &[Arc<Column>],
    changes: &NodeChanges<'_>,
    end: u64,
) -> Result<(), RewriteError> {
    const ZONE: u64 = ZONE_ROWS as u64;
    let mut zones: BTreeSet<u64> = changes.came.iter().map(|row| row / ZONE).collect();
    let changed: BTreeSet<u64> = changes.columns.values().flatten().copied().collect();
    if changed.len() as u64 * ZONE * COUNTED_ANEW >= end {
        zones.extend(changed);
    }
    let rows_of_zone = |zone: &u64| zone * ZONE..end.min((zone + 1) * ZONE);
    let rows: u64 = zones.iter().map(|zone| rows_of_zone(zone).count() as u64).sum();
    if rows == 0 {
        return Ok(());
    }
    let seen = (LOOKED_AT / columns.len().max(1)).clamp(8, SEEN);
    // Odd, so that rows that alternate are seen alike.
    let step = usize::try_from(rows.div_ceil(seen as u64)).unwrap_or(usize::MAX) | 1;
    let pins = Arc::<Pins<'_>>::default();
    let views: Vec<_> = columns.iter().map(|column| ColumnView::pinned(column, &pins)).collect();
    let mut found: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    let mut looked_at = 0;
    for row in zones.iter().flat_map(rows_of_zone).step_by(step) {
        let has = (0u32..).zip(&views).filter(|(_, view)| !view.is_null(row));
        *found.entry(has.map(|(place, _)| place).collect()).or_default() += 1;
        looked_at += 1;
    }
    check(&pins)?;
    let before: u64 = stats.characteristic_sets.iter().map(|set| set.count).sum();
    let part = |count: u64, of: u64, all: u64| {
        u64::try_from(u128::from(count) * u128::from(of) / u128::from(all.max(1))).unwrap_or(0)
    };
    for set in &mut stats.characteristic_sets {
        let new = found.remove(&set.properties).unwrap_or(0);
        set.count = part(set.count, end - rows, before) + part(new, rows, looked_at);
    }
    stats.characteristic_sets.retain(|set| set.count > 0);
    let new = found.into_iter().map(|(properties, count)| trimorph_catalog::CharacteristicSet {
        properties,
        count: part(count, rows, looked_at),
    });
    stats.characteristic_sets.extend(new);
    // What was rounded off, so that they are as many as there are rows.
    let counted: u64 = stats.characteristic_sets.iter().map(|set| set.count).sum();
    if let Some(most) = stats.characteristic_sets.iter_mut().max_by_key(|set| set.count) {
        most.count += end.saturating_sub(counted);
    }
    Ok(())
}

/// One change of one node table.
struct Change<'a> {
    old: &'a NodeTable,
    changes: &'a NodeChanges<'a>,
    /// Rows that have no old value from now on, ascending: those that go, and those that come where others
    /// were.
    reset: Vec<u64>,
    /// Rows that come where nobody was.
    end: u64,
    /// The labels of the table.
    own: Vec<Arc<str>>,
    options: RegionOptions,
}

impl<'a> Change<'a> {
    fn new(
        old: &'a NodeTable,
        changes: &'a NodeChanges<'a>,
        end: u64,
        options: RegionOptions,
    ) -> Result<Self, RewriteError> {
        let pins = Arc::<Pins<'_>>::default();
        let missing = old.missing.as_ref().map(|missing| ColumnView::pinned(missing, &pins));
        let was_there =
            |row: &u64| *row < old.rows && missing.as_ref().is_none_or(|missing| missing.is_null(*row));
        let mut reset: Vec<u64> =
            changes.went.iter().chain(changes.came).copied().filter(was_there).collect();
        check(&pins)?;
        reset.sort_unstable();
        reset.dedup();
        Ok(Self { old, changes, reset, end, own: Vec::new(), options })
    }

    /// The rows of a segment, with new values in the place of old ones.
    fn part(&self, segment: usize, column: &Column, over: Vec<(u64, Value)>) -> Part {
        let rows = rows_of(segment, self.end);
        let has = column.segments.get(segment).map_or(0, |old| old.given().rows as u64);
        let old_end = rows.start + has.min(rows.end - rows.start);
        let (mut sources, mut new) = (Sources::default(), Vec::with_capacity(over.len()));
        let mut at = rows.start;
        let mut until = |sources: &mut Sources, row: u64| {
            sources.old_rows(at.min(old_end)..row.min(old_end));
            sources.nothing((row.max(old_end) - at.max(old_end)) as usize);
            at = row + 1;
        };
        for (row, value) in over {
            until(&mut sources, row);
            if value.is_null() {
                sources.nothing(1);
            } else {
                sources.new_value(new.len());
                new.push(value);
            }
        }
        until(&mut sources, rows.end);
        Part { replaced: segment..segment + 1, sources, new }
    }

    /// What stands in the place of old values in a segment.
    fn over(&self, segment: usize, column: Option<usize>) -> Vec<(u64, Value)> {
        let rows = rows_of(segment, self.end);
        let mut reset = self.reset[within(&self.reset, &rows)].iter().copied().peekable();
        let mut over = Vec::new();
        (self.changes.values)(column, rows, &mut |row, value| {
            while let Some(gone) = reset.next_if(|gone| *gone < row) {
                over.push((gone, Value::Null));
            }
            reset.next_if_eq(&row);
            over.push((row, value));
        });
        over.extend(reset.map(|gone| (gone, Value::Null)));
        over
    }

    /// The segments of a column to be written: those of `zones` and of rows that lose their values; the last,
    /// unless it has all rows that there are, and one before it that was short. What is between gets segments
    /// without values.
    fn segments(&self, column: &Column, zones: Option<&BTreeSet<u64>>) -> BTreeSet<usize> {
        let zones = zones.into_iter().flatten().map(|zone| segment_of(zone * ZONE_ROWS as u64));
        // Rows behind the last segment have none to lose.
        let has_values = |row: &&u64| segment_of(**row) < column.segments.len();
        let mut segments: BTreeSet<usize> =
            zones.chain(self.reset.iter().filter(has_values).map(|row| segment_of(*row))).collect();
        segments.retain(|segment| (*segment as u64) * SEGMENT < self.end);
        if let Some(last) = self.end.checked_sub(1).map(segment_of) {
            let has = column.segments.get(last).map_or(0, |old| old.given().rows as u64);
            if has < self.end - rows_of(last, self.end).start {
                segments.insert(last);
            }
        }
        if let (Some(last), Some(short)) = (segments.last().copied(), column.segments.len().checked_sub(1))
            && last > short
            && column.segments[short].given().rows < SEGMENT_ROWS
        {
            segments.insert(short);
        }
        segments
    }

    /// Whether these are all segments.
    fn is_whole(&self, segments: &BTreeSet<usize>) -> bool {
        self.end.checked_sub(1).is_some_and(|last| segments.len() == segment_of(last) + 1)
    }

    fn column(
        &self,
        column: &Arc<Column>,
        stats: &PropertyStats,
        place: Option<usize>,
        zones: Option<&BTreeSet<u64>>,
    ) -> Result<(Arc<Column>, PropertyStats), RewriteError> {
        let segments = self.segments(column, zones);
        let grown = self.end - self.old.rows;
        if segments.is_empty() {
            return Ok((Arc::clone(column), PropertyStats { nulls: stats.nulls + grown, ..*stats }));
        }
        // Rows behind a segment's last have no value, and were counted so.
        let rows = |segment: &usize, end: u64| {
            let rows = rows_of(*segment, end);
            rows.end.saturating_sub(rows.start)
        };
        let uncounted = |segment: &usize| {
            let has = column.segments.get(*segment).map_or(0, |old| old.given().rows as u64);
            rows(segment, self.old.rows).saturating_sub(has)
        };
        let before: u64 = segments.iter().map(uncounted).sum();
        let more: u64 = segments.iter().map(|s| rows(s, self.end) - rows(s, self.old.rows)).sum();
        let over = |segment: usize| {
            let mut over = self.over(segment, place);
            if place.is_none() {
                over.iter_mut().for_each(|(_, labels)| match row_labels::are_own(labels, &self.own) {
                    true => *labels = Value::Null,
                    false => row_labels::store(labels, column.ty),
                });
            }
            over
        };
        let mut parts = segments.iter().map(|s| self.part(*s, column, over(*s)));
        let whole = self.is_whole(&segments);
        let (column, mut stats) = rewrite(column, stats, whole, &mut parts, self.options)?;
        stats.nulls = (stats.nulls + grown).saturating_sub(before + more);
        Ok((Arc::new(column), stats))
    }

    /// A column that a table has only where some row has a value.
    fn optional(
        &self,
        old: &Option<Arc<Column>>,
        ty: LogicalType,
        place: Option<usize>,
        zones: Option<&BTreeSet<u64>>,
    ) -> Result<Option<Arc<Column>>, RewriteError> {
        let column = match (old, zones) {
            (Some(column), _) => Arc::clone(column),
            (None, None) => return Ok(None),
            (None, Some(_)) => Arc::new(Column::new(ty, Vec::new(), Default::default(), None)),
        };
        Ok(Some(self.column(&column, &PropertyStats::default(), place, zones)?.0))
    }

    /// Which rows nobody has.
    fn missing(&self) -> Result<Option<Arc<Column>>, RewriteError> {
        let came = |row: u64| self.changes.came.binary_search(&row).is_ok();
        let mut over: BTreeMap<u64, Value> = BTreeMap::new();
        let gaps = (self.old.rows..self.end).filter(|row| !came(*row));
        let went = self.changes.went.iter().copied().filter(|row| *row < self.end && !came(*row));
        went.chain(gaps).for_each(|row| drop(over.insert(row, Value::Bool(true))));
        let column = match &self.old.missing {
            Some(column) => Arc::clone(column),
            None if over.is_empty() => return Ok(None),
            None => Arc::new(Column::new(LogicalType::Bool, Vec::new(), Default::default(), None)),
        };
        if self.old.missing.is_some() {
            let again = self.changes.came.iter().take_while(|row| **row < self.old.rows);
            again.for_each(|row| drop(over.insert(*row, Value::Null)));
        }
        let mut segments: BTreeSet<usize> = over.keys().map(|row| segment_of(*row)).collect();
        segments.extend(self.segments(&column, None));
        if segments.is_empty() {
            return Ok(Some(column));
        }
        let mut parts = segments.iter().map(|segment| {
            let rows = rows_of(*segment, self.end);
            let over = over.range(rows).map(|(row, value)| (*row, value.clone())).collect();
            self.part(*segment, &column, over)
        });
        let whole = self.is_whole(&segments);
        let (column, _) = rewrite(&column, &PropertyStats::default(), whole, &mut parts, self.options)?;
        Ok(Some(Arc::new(column)))
    }

    /// The key index, for the keys that stand in `column`.
    fn key_index(
        &self,
        index: &KeyIndex,
        column: &Arc<Column>,
        key: usize,
        zones: Option<&BTreeSet<u64>>,
    ) -> Result<KeyIndex, RewriteError> {
        let pins = Arc::default();
        let before = ColumnView::pinned(&self.old.columns[key], &pins);
        let after = ColumnView::pinned(column, &pins);
        let mut changed: Vec<u64> = Vec::new();
        for segment in self.segments(column, zones) {
            changed.extend(self.over(segment, Some(key)).into_iter().map(|(row, _)| row));
        }
        let row_of = |row: &u64| u32::try_from(*row).unwrap_or(u32::MAX);
        let mut pieces: BTreeMap<usize, Vec<(u64, u32)>> = BTreeMap::new();
        for row in &changed {
            if let Some(hash) = hash_of(&before.value(*row)) {
                pieces.entry(index.piece(hash)).or_default();
            }
            if let Some(hash) = hash_of(&after.value(*row)) {
                pieces.entry(index.piece(hash)).or_default().push((hash, row_of(row)));
            }
        }
        let stays = |row: u32| match changed.binary_search(&u64::from(row)) {
            Ok(_) => None,
            Err(_) => hash_of(&before.value(row.into())),
        };
        let more: usize = pieces.values().map(Vec::len).sum();
        if index.is_too_small(self.end as usize) {
            return self.new_index(column, &pins);
        }
        debug_assert!(more <= changed.len());
        let write =
            |(number, rows): (&usize, &Vec<(u64, u32)>)| index.write_piece(*number, rows, stays, &pins);
        let written = pieces.iter().map(write).collect();
        check(&pins)?;
        let mut next = index.clone();
        for (number, piece) in pieces.keys().zip(lay_out(written, self.options)?) {
            next.pieces[*number] = Slot::<KeyEntries>::read(piece, self.end)?;
        }
        Ok(next)
    }

    /// The index of the values that stand in several of `columns` together.
    fn composite_index(
        &self,
        index: &ValueIndex,
        columns: &[Arc<Column>],
        places: &[usize],
    ) -> Result<ValueIndex, RewriteError> {
        let mut rows: Vec<u64> = Vec::new();
        for place in places {
            for segment in self.segments(&columns[*place], self.changes.columns.get(place)) {
                rows.extend(self.over(segment, Some(*place)).into_iter().map(|(row, _)| row));
            }
        }
        rows.sort_unstable();
        rows.dedup();
        if rows.is_empty() {
            return Ok(index.clone());
        }
        if index.is_outgrown(&rows) {
            let all: Vec<&Column> = places.iter().map(|place| &*columns[*place]).collect();
            return ValueIndex::build_composite(&all, self.end, self.options, &CancelToken::default());
        }
        let pins = Arc::<Pins<'_>>::default();
        let of = |column: &usize| ColumnView::pinned(&self.old.columns[*column], &pins);
        let before: Vec<ColumnView<'_>> = places.iter().map(of).collect();
        let of = |column: &usize| ColumnView::pinned(&columns[*column], &pins);
        let after: Vec<ColumnView<'_>> = places.iter().map(of).collect();
        let (before, after) = (|row: u64| together(&before, row), |row: u64| together(&after, row));
        let change = Changed { before: &before, after: &after, rows: &rows, of: Of::Rows(self.end) };
        let next = index.changed(&change, self.options)?;
        check(&pins)?;
        Ok(next)
    }

    /// The index of the values that stand in `column`.
    fn value_index(
        &self,
        index: &ValueIndex,
        column: &Arc<Column>,
        place: usize,
        zones: Option<&BTreeSet<u64>>,
    ) -> Result<ValueIndex, RewriteError> {
        let mut rows: Vec<u64> = Vec::new();
        for segment in self.segments(column, zones) {
            rows.extend(self.over(segment, Some(place)).into_iter().map(|(row, _)| row));
        }
        if rows.is_empty() {
            return Ok(index.clone());
        }
        let pins = Arc::<Pins<'_>>::default();
        let before = ColumnView::pinned(&self.old.columns[place], &pins);
        let after = ColumnView::pinned(column, &pins);
        let (before, after) = (|row: u64| before.value(row), |row: u64| after.value(row));
        if index.is_outgrown(&rows) {
            let next = ValueIndex::build(column, self.end, self.options, &CancelToken::default())?;
            return Ok(next.hashed_as(index, &after));
        }
        let change = Changed { before: &before, after: &after, rows: &rows, of: Of::Rows(self.end) };
        let next = index.changed(&change, self.options)?;
        check(&pins)?;
        Ok(next)
    }

    /// An index of all keys of a column.
    fn new_index<'c>(&self, column: &'c Column, pins: &Arc<Pins<'c>>) -> Result<KeyIndex, RewriteError> {
        let view = ColumnView::pinned(column, pins);
        let mut keys = Vec::new();
        for row in 0..self.end {
            if let (Some(hash), Ok(row)) = (hash_of(&view.value(row)), u32::try_from(row)) {
                keys.push((hash, row));
            }
        }
        check(pins)?;
        let (bits, written, _) = KeyIndex::write(keys.len(), |take| take(&keys));
        let pieces = lay_out(written, self.options)?;
        let slots = pieces.into_iter().map(|piece| Slot::<KeyEntries>::read(piece, self.end));
        let slots = slots.collect::<Result<Vec<_>, _>>()?;
        let unfit = trimorph_vfs::CodecError { offset: 0, expected: "pieces of a key index" };
        Ok(KeyIndex::of(bits, slots).ok_or(unfit)?)
    }
}
