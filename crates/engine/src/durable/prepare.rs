//! One operation of the log in, rows and values that are known to make sense out; what it breaks of the facts
//! of the main version is broken.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use trimorph_base::{EdgeId, EdgeTableId, LabelId, NodeId, TableId};
use trimorph_catalog::PropertyInfo;
use trimorph_delta::{EdgeEnds, LABELS, RowEvent};
use trimorph_log::{Column, Operation};
use trimorph_store::Main;
use trimorph_types::Value;
use trimorph_vector::{Values, Vector};

use crate::definitions::{definition_of, take_away};
use crate::facts::{self, Several};

/// Rows of a node table are below: a forged one would ask for more memory than there is.
const ROWS_END: u64 = 1 << 32;

/// Values of some columns, ascending.
pub(super) type ByColumn<'b> = Vec<(u32, Vector<'b>)>;

/// What is to be put into the delta.
pub(super) enum Prepared<'b> {
    /// Nodes that came, got values or went. `key`: the place of the key among the columns.
    Nodes { table: TableId, event: RowEvent, rows: Cow<'b, [u64]>, columns: ByColumn<'b>, key: Option<usize> },
    /// Values of edges.
    Values { table: EdgeTableId, edges: Vec<EdgeId>, columns: ByColumn<'b> },
    /// Edges that came, or went.
    Edges { came: bool, ends: Vec<EdgeEnds> },
}

/// Rows of node tables that the log has given.
#[derive(Default)]
pub(super) struct Given(BTreeMap<TableId, Rows>);

#[derive(Default)]
struct Rows {
    /// As runs: the first, and one past the last.
    runs: BTreeMap<u64, u64>,
    /// Rows that went for good, unless the log goes on to give them again: no run has them.
    gone: BTreeSet<u64>,
}

impl Given {
    /// Rows that follow each other.
    pub(super) fn add_run(&mut self, table: TableId, rows: std::ops::Range<u64>) {
        if !rows.is_empty() {
            self.0.entry(table).or_default().runs.insert(rows.start, rows.end);
        }
    }

    fn add(&mut self, table: TableId, rows: &[u64]) {
        let Rows { runs, gone } = self.0.entry(table).or_default();
        for row in rows {
            gone.remove(row);
            let mut run = (*row, row + 1);
            if let Some((first, end)) = runs.range_mut(..=row).next_back()
                && *end >= *row
            {
                if *end > *row {
                    continue;
                }
                *end += 1;
                run = (*first, *end);
            } else {
                runs.insert(run.0, run.1);
            }
            if let Some(end) = runs.remove(&run.1) {
                runs.insert(run.0, end);
            }
        }
    }

    /// Rows went, and nobody can have them but who is told to have got them from here on.
    pub(super) fn take_out(&mut self, table: TableId, rows: &[u64]) {
        let Rows { runs, gone } = self.0.entry(table).or_default();
        for row in rows {
            gone.insert(*row);
            let run = runs.range(..=row).next_back().map(|(first, end)| (*first, *end));
            let Some((first, end)) = run.filter(|(_, end)| end > row) else { continue };
            runs.remove(&first);
            if first < *row {
                runs.insert(first, *row);
            }
            if row + 1 < end {
                runs.insert(row + 1, end);
            }
        }
    }

    /// For each table one past the last row, and rows before it that nobody has: at most `most` of them.
    pub(super) fn rest(
        self,
        first: impl Fn(TableId) -> u64,
        most: u64,
    ) -> impl Iterator<Item = (TableId, u64, Vec<u64>)> {
        self.0.into_iter().map(move |(table, Rows { runs, gone })| {
            let first = first(table);
            let (mut end, mut free, mut left) = (first, Vec::new(), most);
            // Those before are no gaps between the runs.
            free.extend(gone.range(..first).copied().take(usize::try_from(left).unwrap_or(usize::MAX)));
            left -= free.len() as u64;
            // One behind all runs was given, too.
            let runs = runs.into_iter().chain(gone.last().map(|last| (last + 1, last + 1)));
            for (from, to) in runs {
                let gap = from.saturating_sub(end).min(left);
                free.extend(end..end + gap);
                left -= gap;
                end = end.max(to);
            }
            (table, end, free)
        })
    }
}

/// What makes no sense.
type Wrong = &'static str;

/// Prepares operations for a main version.
pub(super) struct Preparer<'m> {
    pub(super) main: &'m mut Main,
    pub(super) given: &'m mut Given,
}

impl Preparer<'_> {
    pub(super) fn prepare<'b>(
        &mut self,
        operation: Operation<'b>,
        out: &mut impl FnMut(Prepared<'b>),
    ) -> Result<(), Wrong> {
        match operation {
            Operation::Nodes { table, rows, columns } => {
                let (columns, key) = self.node_columns(table, &rows, columns)?;
                if key.is_none() {
                    facts::let_keys_lack(self.main, table);
                }
                self.given.add(table, &rows);
                out(Prepared::Nodes { table, event: RowEvent::Came, rows, columns, key });
            }
            Operation::NodeValues { table, rows, columns } => {
                let (columns, key) = self.node_columns(table, &rows, columns)?;
                out(Prepared::Nodes { table, event: RowEvent::Changed, rows, columns, key });
            }
            Operation::NodesDeleted { table, rows } => {
                self.node_columns(table, &rows, Cow::Borrowed(&[]))?;
                let (event, columns) = (RowEvent::Went, Vec::new());
                out(Prepared::Nodes { table, event, rows, columns, key: None });
            }
            Operation::Labels { table, rows, sets, chosen } => {
                self.node_columns(table, &rows, Cow::Borrowed(&[]))?;
                let columns = vec![(LABELS, self.label_lists(&sets, &chosen)?)];
                let schema = &self.main.catalog.schema;
                let own = schema.node_tables.get(usize::from(table.0)).map_or(&[][..], |info| &info.labels);
                let mut by: Vec<LabelId> = Vec::new();
                for set in sets.iter() {
                    by.extend(set.iter().filter(|label| !own.contains(label)));
                    by.extend(own.iter().filter(|label| !set.contains(label)));
                }
                if !facts::labels_vary(self.main, table, &by) {
                    facts::let_labels_vary(self.main, table, &by);
                }
                out(Prepared::Nodes { table, event: RowEvent::Changed, rows, columns, key: None });
            }
            Operation::Edges { table, places, sources, targets, columns } => {
                let columns = self.edge_columns(table, columns)?;
                let ends = self.ends(table, &places, &sources, &targets)?;
                let edges: Vec<EdgeId> = match columns.is_empty() {
                    true => Vec::new(),
                    false => ends.iter().map(|ends| ends.edge).collect(),
                };
                out(Prepared::Edges { came: true, ends });
                if !columns.is_empty() {
                    out(Prepared::Values { table, edges, columns });
                }
            }
            Operation::EdgesDeleted { table, places, sources, targets } => {
                let ends = self.ends(table, &places, &sources, &targets)?;
                out(Prepared::Edges { came: false, ends });
            }
            Operation::EdgeValues { table, places, columns } => {
                let columns = self.edge_columns(table, columns)?;
                let edges = edge_ids(table, &places)?;
                out(Prepared::Values { table, edges, columns });
            }
            Operation::Load { .. } => return Err("a bulk load that this version does not know"),
            operation @ Operation::Defined { .. } => {
                let definition = definition_of(&operation, &self.main.catalog.schema);
                let definition = definition.ok_or("an index or a constraint of what there is not")?;
                Arc::make_mut(&mut self.main.catalog).definitions.add(definition);
            }
            Operation::Dropped { name } => take_away(self.main, &name),
        }
        Ok(())
    }

    /// Values of nodes of a table, and the place of the key among them.
    fn node_columns<'b>(
        &mut self,
        table: TableId,
        rows: &[u64],
        columns: Cow<'b, [Column<'b>]>,
    ) -> Result<(ByColumn<'b>, Option<usize>), Wrong> {
        let at = usize::from(table.0);
        let info = self.main.catalog.schema.node_tables.get(at).ok_or("a node table that there is not")?;
        if rows.iter().any(|row| *row >= ROWS_END) {
            return Err("a row that no node table has");
        }
        let columns = by_column(columns, info.properties.len())?;
        let key = info.key.and_then(|key| columns.iter().position(|(column, _)| *column as usize == key));
        let one_type = |column: usize| {
            let facts = self.main.catalog.unrecorded_facts().node_tables.get(at);
            facts.is_some_and(|facts| facts.one_type.get(column) == Some(&true))
        };
        let broken = broken(&columns, &info.properties, one_type);
        broken.into_iter().for_each(|column| facts::let_node_types_vary(self.main, table, column));
        if key.is_some_and(|key| columns[key].1.may_have_nulls()) {
            facts::let_keys_lack(self.main, table);
        }
        Ok((columns, key))
    }

    fn edge_columns<'b>(
        &mut self,
        table: EdgeTableId,
        columns: Cow<'b, [Column<'b>]>,
    ) -> Result<ByColumn<'b>, Wrong> {
        let at = usize::from(table.0);
        let info = self.main.catalog.schema.edge_tables.get(at).ok_or("an edge table that there is not")?;
        let columns = by_column(columns, info.properties.len())?;
        let one_type = |column: usize| {
            let facts = self.main.catalog.unrecorded_facts().edge_tables.get(at);
            facts.is_some_and(|facts| facts.one_type.get(column) == Some(&true))
        };
        let broken = broken(&columns, &info.properties, one_type);
        broken.into_iter().for_each(|column| facts::let_edge_types_vary(self.main, table, column));
        Ok(columns)
    }

    /// Edges with their ends.
    fn ends(
        &mut self,
        table: EdgeTableId,
        places: &[u64],
        sources: &[u64],
        targets: &[u64],
    ) -> Result<Vec<EdgeEnds>, Wrong> {
        let info = self.main.catalog.schema.edge_tables.get(usize::from(table.0));
        let source = info.ok_or("an edge table that there is not")?.source;
        if places.iter().any(|place| *place >> EdgeId::PLACE_BITS != 0) {
            return Err("a place that no edge table has");
        }
        let mut last = None;
        let mut ends = Vec::with_capacity(places.len());
        for ((place, row), target) in places.iter().zip(sources).zip(targets) {
            let target = NodeId(*target);
            if last != Some(target.table()) {
                if !target.is_node() || usize::from(target.table().0) >= self.main.node_tables.len() {
                    return Err("an edge to a node of a table that there is not");
                }
                let of = target.table();
                if !facts::edges_vary(self.main, table, of) {
                    facts::let_edges_vary(self.main, table, of);
                }
                // What a log tells is not asked whether a node has another: the next merge says what is true.
                for ends in [Several::Sources, Several::Targets(of)] {
                    if facts::have_one(self.main, table, ends) {
                        facts::let_have_several(self.main, table, ends);
                    }
                }
                last = Some(target.table());
            }
            if *row >= ROWS_END || target.row() >= ROWS_END {
                return Err("an edge of a row that no node table has");
            }
            let (edge, source) = (EdgeId::new(table, *place), NodeId::new(source, *row));
            if source == target && !facts::may_have_loops(self.main, table) {
                facts::let_have_loops(self.main, table);
            }
            ends.push(EdgeEnds { edge, source, target });
        }
        Ok(ends)
    }

    fn label_lists(&self, sets: &[Vec<LabelId>], chosen: &[u64]) -> Result<Vector<'static>, Wrong> {
        let names = &self.main.catalog.schema.labels;
        let missing = "a label that there is not";
        let list = |set: &Vec<LabelId>| {
            let texts = set.iter().map(|label| names.name(label.0.into()).cloned().map(Value::String));
            Some(Value::list(texts.collect::<Option<Vec<Value>>>()?))
        };
        let lists = sets.iter().map(list).collect::<Option<Vec<Value>>>().ok_or(missing)?;
        let chosen = chosen.iter().map(|set| lists.get(usize::try_from(*set).ok()?).cloned());
        Ok(Vector::new(Values::Any(chosen.collect::<Option<Vec<Value>>>().ok_or(missing)?)))
    }
}

fn edge_ids(table: EdgeTableId, places: &[u64]) -> Result<Vec<EdgeId>, Wrong> {
    let is_place = |place: &u64| *place >> EdgeId::PLACE_BITS == 0;
    let ids = places.iter().map(|place| is_place(place).then(|| EdgeId::new(table, *place)));
    ids.collect::<Option<Vec<EdgeId>>>().ok_or("a place that no edge table has")
}

fn by_column<'b>(columns: Cow<'b, [Column<'b>]>, count: usize) -> Result<ByColumn<'b>, Wrong> {
    if columns.iter().any(|column| column.column as usize >= count) {
        return Err("a column that there is not");
    }
    if columns.windows(2).any(|pair| pair[0].column >= pair[1].column) {
        return Err("columns that are not in order");
    }
    Ok(columns.into_owned().into_iter().map(|column| (column.column, column.values)).collect())
}

/// The columns that have values of one type until now, and get others.
fn broken(
    columns: &ByColumn<'_>,
    properties: &[PropertyInfo],
    one_type: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let is_other = |(column, vector): &&(u32, Vector<'_>)| {
        let column = *column as usize;
        let has = properties[column].ty;
        let differs = || match &vector.values {
            Values::Any(values) => values.iter().any(|value| !value.is_null() && value.logical_type() != has),
            _ => vector.logical_type() != has,
        };
        one_type(column) && differs()
    };
    columns.iter().filter(is_other).map(|(column, _)| *column as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_nobody_has_are_told() {
        let table = TableId(0);
        for (rows, end, free) in [
            (&[3_u64, 4, 5][..], 6, &[2_u64][..]),
            (&[9, 7, 8, 2, 4], 10, &[3, 5, 6]),
            (&[2, 2, 3, 2], 4, &[]),
            (&[0, 1], 2, &[]),
            (&[5, 3, 4], 6, &[2]),
        ] {
            let mut given = Given::default();
            given.add(table, rows);
            let rest: Vec<_> = given.rest(|_| 2, 100).collect();
            assert_eq!(rest, [(table, end, free.to_vec())], "{rows:?}");
        }
        // Some go, of main's and of those that were given, and some of them are given again.
        let mut given = Given::default();
        given.add(table, &[2, 3, 4, 6, 7]);
        given.take_out(table, &[0, 1, 3, 7]);
        given.add(table, &[1]);
        let rest: Vec<_> = given.rest(|_| 2, 100).collect();
        assert_eq!(rest, [(table, 8, vec![0, 3, 5, 7])]);
        let mut given = Given::default();
        given.add(table, &[1 << 31]);
        let (_, end, free) = given.rest(|_| 0, 3).next().unwrap();
        assert_eq!((end, &free[..]), ((1 << 31) + 1, &[0, 1, 2][..]));
    }
}
