//! The nodes that have a literal as a property.
//!
//! 1. The filter of a column tells that main has it not, once it was made: then only what was written since
//!    is looked at, and nothing where nothing was.
//! 2. Else the column's index finds it, and the lists that may have it among others.
//! 3. Without an index the column is read.

use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use trimorph_base::{EdgeTableId, NodeId, TableId};
use trimorph_storage::column::{Column, hash_of};
use trimorph_types::{LogicalType, Value, equivalent};

use super::matching::{Found, Sink, Statements, each_literal, stored};
use super::terms::may_be_list;
use crate::{PropertyColumn, Reader, Wanted};

/// A search of an index costs what reading so many rows does, about: some twenty values are compared.
pub(super) const SEARCH_ROWS: u64 = 32;

/// Of a column that is read for one value, what comparing a row as it lies costs of taking its value out.
const COMPARED_PART: u64 = 4;

/// Segments up to which asking their filters costs less than a search of an index does, whose cost does not
/// grow with them. Chosen: some 20 ns each, and microseconds.
const SEGMENTS_MAX: usize = 32;

/// What is known of a value in main before it is searched for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// Nothing there is such, nor a list with it.
    Nowhere,
    /// Something may be.
    Somewhere,
    /// The same, and no filter is asked for it, now or later.
    Unasked,
}

fn known(column: &Column, is_indexed: bool, sought: &Sought) -> Known {
    match () {
        () if is_indexed && column.segment_count() > SEGMENTS_MAX => Known::Unasked,
        () if column.may_have(sought.hash) => Known::Somewhere,
        () => Known::Nowhere,
    }
}

/// A literal that is looked for.
pub(super) struct Sought {
    /// What may be it: who finds such a value compares it as a term.
    pub(super) wanted: Wanted,
    /// Its type.
    pub(super) ty: LogicalType,
    hash: u64,
}

impl Sought {
    /// A value as properties hold it.
    pub(super) fn new(value: Value) -> Self {
        let (hash, ty) = (hash_of(&value), value.logical_type());
        let wanted = match value {
            // A zone with a name is written as its offset is.
            Value::DateTime(moment) => {
                let [first, last] = [moment.first_of_instant(), moment.last_of_instant()];
                let [first, last] = [first, last].map(|end| Bound::Included(Value::DateTime(end)));
                Wanted::Between(first, last)
            }
            Value::Float(double) if double.is_nan() => Wanted::Same(value),
            value => Wanted::Equal(value),
        };
        Self { wanted, ty, hash }
    }
}

impl Reader<'_> {
    /// What is known of a value of nodes of a table.
    fn known_of(&self, table: TableId, column: usize, sought: &Sought) -> Known {
        // What is read is noted, and so is what is not there.
        if self.notes_reads() {
            return Known::Unasked;
        }
        let table = self.main_table(table);
        let column = table.and_then(|table| Some((table.columns.get(column)?, table.value_index(column))));
        column.map_or(Known::Nowhere, |(own, index)| known(own, index.is_some(), sought))
    }

    /// The same of edges.
    pub(super) fn known_of_edges(&self, at: usize, column: usize, sought: &Sought) -> Known {
        if self.notes_reads() {
            return Known::Unasked;
        }
        let table = u16::try_from(at).ok().and_then(|at| self.main_edges(EdgeTableId(at)));
        let column = table.and_then(|table| Some((table.columns.get(column)?, table.value_index(column))));
        column.map_or(Known::Nowhere, |(own, index)| known(own, index.is_some(), sought))
    }

    /// Appends the rows of a table that have a literal as a property, or may have a list with it.
    fn find_literal(&self, table: TableId, column: usize, sought: &Sought, rows: &mut Vec<u64>) {
        let known = self.known_of(table, column, sought);
        let in_main = known != Known::Nowhere;
        if !in_main && !self.has_node_changes(table) {
            return;
        }
        let values = PropertyColumn::of_nodes(table, column, self);
        let (wanted, may_be_list) = (&sought.wanted, may_be_list(&values));
        // A list that has it is not found by it.
        let is_found = self.find_values_in(table, column, wanted, in_main, rows)
            && (!may_be_list || self.find_lists(table, column, in_main, rows));
        if !is_found {
            rows.clear();
            match may_be_list {
                true => self.scan_lists_for(table, column, wanted, in_main, rows),
                false => self.scan_for(table, column, wanted, in_main, rows),
            }
        }
        if known == Known::Somewhere {
            values.searched(match (is_found, may_be_list) {
                (true, _) => SEARCH_ROWS + rows.len() as u64,
                (false, true) => self.rows(table),
                (false, false) => self.rows(table) / COMPARED_PART,
            });
        }
    }
}

impl Statements<'_, '_> {
    /// The nodes with a literal as a property.
    pub(super) fn of_literal(
        &self,
        predicate: Option<&Arc<str>>,
        literal: &Value,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let sought = Sought::new(stored(literal));
        let mut rows = Vec::new();
        for (iri, places) in self.places(predicate) {
            for (table, column) in &places.columns {
                rows.clear();
                self.reader().find_literal(*table, *column, &sought, &mut rows);
                if rows.is_empty() {
                    continue;
                }
                let values = PropertyColumn::of_nodes(*table, *column, self.reader());
                for row in &rows {
                    let subject = Value::Node(NodeId::new(*table, *row));
                    each_literal(values.value(*row), &mut |own| {
                        if !equivalent(&own, literal) {
                            return ControlFlow::Continue(());
                        }
                        let (subject, predicate) = (subject.clone(), Arc::clone(iri));
                        sink(Found { subject, predicate, object: own, graph: None, edge: None })
                    })?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}
