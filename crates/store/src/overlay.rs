//! Overlay: the values of one column that the delta has, put over those of main.
//!
//! Rows of a column that changes touched are asked one by one, row by row of zones that are clean in bulk.
//! Edges have virtual slots here: an edge of the delta has no slot in main, so what stands for an edge is its
//! place in the edge table, marked by a bit that no slot has. Edges of pages of which nothing was written
//! have main's slots: what follows them in their lists is read in bulk.

use std::sync::Arc;

use trimorph_base::{EdgeId, EdgeTableId};
use trimorph_delta::{EdgeDelta, MarkedEdges, NodeDelta};
use trimorph_mvcc::Reading;
use trimorph_storage::EdgeTableView;
use trimorph_storage::column::ColumnView;
use trimorph_types::Value;
use trimorph_vector::{Chosen, Part, Positions, Vector, blend};

/// Stands at places that are no slots.
const PLACE: u64 = 1 << 62;

/// The virtual slot of an edge.
#[inline]
pub(crate) fn slot_of(edge: EdgeId) -> u64 {
    PLACE | edge.place()
}

/// The edge that a virtual slot stands for.
pub(crate) fn edge_of(table: EdgeTableId, slot: u64) -> Option<EdgeId> {
    (slot & PLACE != 0).then(|| EdgeId::new(table, slot & !PLACE))
}

/// Rows that are looked for together, at least.
const TOGETHER: usize = 4;

/// What the delta has of one column.
pub(crate) enum Overlay<'s> {
    /// Of nodes; main has `rows` rows of the column.
    Nodes { delta: Arc<NodeDelta>, column: u32, rows: u64, reading: Reading<'s> },
    /// Of edges.
    Edges {
        delta: Option<(Arc<EdgeDelta>, MarkedEdges)>,
        column: u32,
        table: EdgeTableId,
        reading: Reading<'s>,
    },
}

/// Where the value of a row is.
enum Found {
    /// In main, at this row of the column.
    Main(u64),
    /// Here.
    Value(Value),
}

impl<'s> Overlay<'s> {
    /// The slot of an edge: a virtual one, if something was written of its page, or main does not have it.
    #[inline]
    pub(crate) fn slot(&self, edge: EdgeId, edges: &EdgeTableView<'_>) -> u64 {
        let is_written = match self {
            Self::Edges { delta: Some((_, marked)), .. } => marked.meet(edges.places_beside(edge)),
            Self::Edges { delta: None, .. } => false,
            Self::Nodes { .. } => true,
        };
        let known = if is_written { None } else { edges.known_slot(edge) };
        known.unwrap_or_else(|| slot_of(edge))
    }

    /// Whether `len` rows from `first` on are main's and nothing was written to them.
    pub(crate) fn is_clean(&self, first: u64, len: usize) -> bool {
        match self {
            Self::Nodes { delta, column, rows, .. } => {
                first + len as u64 <= *rows && delta.clean_run(first, len as u64, Some(*column)) == len as u64
            }
            // Runs of slots are of main: an edge of which something was written has a virtual one, and so
            // have all of its page.
            Self::Edges { .. } => first & PLACE == 0,
        }
    }

    /// The same of many rows.
    fn find_all(&self, rows: &[(usize, u64)], edges: Option<&EdgeTableView<'_>>) -> Vec<Found> {
        let (true, Self::Nodes { delta, column, rows: in_main, reading }) = (rows.len() >= TOGETHER, self)
        else {
            return rows.iter().map(|(_, row)| self.find(*row, edges)).collect();
        };
        let values = delta.values_seen(rows.iter().map(|(_, row)| *row), *column, reading);
        let found = rows.iter().zip(values).map(|((_, row), value)| match value {
            Some(value) => Found::Value(value),
            None if row < in_main => Found::Main(*row),
            None => Found::Value(Value::Null),
        });
        found.collect()
    }

    /// The values of the rows of all `len` positions in their order, where all are of the delta and of one
    /// type.
    fn written_together(&self, rows: &[(usize, u64)], len: usize) -> Option<Vector<'s>> {
        let Self::Nodes { delta, column, reading, .. } = self else { return None };
        let is_whole = rows.len() == len && len >= TOGETHER;
        if !is_whole || !rows.iter().enumerate().all(|(i, (position, _))| i == *position) {
            return None;
        }
        delta.vector_seen(rows.iter().map(|(_, row)| *row), *column, reading)
    }

    fn find(&self, row: u64, edges: Option<&EdgeTableView<'_>>) -> Found {
        match self {
            Self::Nodes { delta, column, rows, reading } => match delta.value(row, *column, reading) {
                Some(value) => Found::Value(value),
                None if row < *rows => Found::Main(row),
                None => Found::Value(Value::Null),
            },
            Self::Edges { delta, column, table, reading } => {
                if row & PLACE == 0 {
                    return Found::Main(row);
                }
                let edge = EdgeId::new(*table, row & !PLACE);
                // Beside what was written there is much that was not: it need not be looked for.
                let place = edge.place();
                let marked = delta.as_ref().filter(|(_, marked)| marked.meet(place..place + 1));
                let written = marked.and_then(|(delta, _)| delta.value(edge, *column, reading));
                match (written, edges) {
                    (Some(value), _) => Found::Value(value),
                    (None, Some(edges)) => {
                        edges.known_slot(edge).map_or(Found::Value(Value::Null), Found::Main)
                    }
                    (None, None) => Found::Value(Value::Null),
                }
            }
        }
    }

    /// The value of a row.
    pub(crate) fn value(
        &self,
        row: u64,
        column: &ColumnView<'s>,
        edges: Option<&EdgeTableView<'_>>,
    ) -> Value {
        match self.find(row, edges) {
            Found::Main(row) if column.is_empty() => {
                debug_assert!(row < u64::MAX);
                Value::Null
            }
            Found::Main(row) => column.value(row),
            Found::Value(value) => value,
        }
    }

    /// The values of `(position, row)` pairs in a vector of `len` positions; others are arbitrary.
    ///
    /// **Cost**: for each row a look into the delta, some 50 ns where its zone was written to; less for nodes
    /// that were written side by side.
    pub(crate) fn gather(
        &self,
        rows: impl Iterator<Item = (usize, u64)>,
        len: usize,
        column: &ColumnView<'s>,
        edges: Option<&EdgeTableView<'_>>,
    ) -> Vector<'s> {
        let (mut main, mut at_main) = (Vec::new(), Vec::new());
        let (mut values, mut written) = (Vec::new(), Vec::new());
        let rows: Vec<(usize, u64)> = rows.collect();
        let are_main = || rows.iter().all(|(_, row)| row & PLACE == 0);
        if matches!(self, Self::Edges { .. }) && !column.is_empty() && are_main() {
            return column.gather(rows.into_iter(), len);
        }
        if let Some(vector) = self.written_together(&rows, len) {
            return vector;
        }
        for ((position, _), found) in rows.iter().copied().zip(self.find_all(&rows, edges)) {
            // Vectors are far shorter than 2^32.
            let at = position as u32;
            match found {
                Found::Main(row) if !column.is_empty() => {
                    main.push((position, row));
                    at_main.push(at);
                }
                Found::Main(_) => {
                    values.push(Value::Null);
                    written.push(at);
                }
                Found::Value(value) => {
                    values.push(value);
                    written.push(at);
                }
            }
        }
        put_over(column, main, at_main, values, written, len)
    }

    /// The values of the edges at `positions` of `ids` in a vector of `len` positions; others are arbitrary.
    ///
    /// **Cost**: of an edge beside which nothing was written that of main's; else a look by hash, and a copy
    /// by columns, or one by one where values are of several types or somebody wrote them again.
    pub(crate) fn gather_edges(
        &self,
        ids: &[EdgeId],
        positions: &[u32],
        len: usize,
        column: &ColumnView<'s>,
        edges: &EdgeTableView<'_>,
    ) -> Vector<'s> {
        let Self::Edges { delta, column: number, reading, .. } = self else {
            let rows = positions.iter().map(|i| (*i as usize, self.slot(ids[*i as usize], edges)));
            return self.gather(rows, len, column, Some(edges));
        };
        let mut marked = delta.as_ref().map(|(_, marked)| marked.look());
        let mut slot_in_main = edges.known_slots();
        let mut main = Vec::with_capacity(positions.len());
        let (mut written, mut versions) = (Vec::new(), Vec::new());
        // Edges that have no value.
        let mut nothing = Vec::new();
        let mut heads = delta.as_ref().map(|(delta, _)| delta.heads());
        for i in positions {
            let edge = ids[*i as usize];
            if marked.as_mut().is_some_and(|marked| marked.meets(edge))
                && let Some(head) = &mut heads
            {
                let version = head(edge);
                if version != 0 {
                    written.push(*i);
                    versions.push(version);
                    continue;
                }
            }
            match slot_in_main(edge) {
                Some(slot) if !column.is_empty() => main.push((*i as usize, slot)),
                _ => nothing.push(*i),
            }
        }
        drop(heads);
        if written.is_empty() && nothing.is_empty() {
            return column.gather(main.into_iter(), len);
        }
        let seen = delta.as_ref().and_then(|(delta, _)| delta.vector_seen(&versions, *number, reading));
        if let Some(seen) = seen.filter(|_| nothing.is_empty()) {
            let mut places = vec![0; len];
            written.iter().zip(0..).for_each(|(i, place)| places[*i as usize] = place);
            let seen = seen.gather(&places);
            if main.is_empty() {
                return seen;
            }
            let mut all = column.gather(main.iter().copied(), len);
            if all.assign(&seen, &written, len) {
                return all;
            }
        }
        let mut values = Vec::with_capacity(written.len());
        let mut kept = Vec::with_capacity(written.len());
        for i in written {
            let edge = ids[i as usize];
            match self.find(slot_of(edge), Some(edges)) {
                Found::Main(slot) if !column.is_empty() => main.push((i as usize, slot)),
                Found::Main(_) => nothing.push(i),
                Found::Value(value) => {
                    kept.push(i);
                    values.push(value);
                }
            }
        }
        values.resize(values.len() + nothing.len(), Value::Null);
        kept.append(&mut nothing);
        let at_main = main.iter().map(|(i, _)| *i as u32).collect();
        put_over(column, main, at_main, values, kept, len)
    }
}

/// Values of main's rows, and others that stand at `written`, in a vector of `len` positions.
fn put_over<'s>(
    column: &ColumnView<'s>,
    main: Vec<(usize, u64)>,
    at_main: Vec<u32>,
    values: Vec<Value>,
    written: Vec<u32>,
    len: usize,
) -> Vector<'s> {
    if written.is_empty() {
        return column.gather(main.into_iter(), len);
    }
    if written.len() == len && written.is_sorted() {
        return Vector::of_values(values, Positions::all(len));
    }
    let mut spread = vec![Value::Null; len];
    for (position, value) in written.iter().zip(values) {
        if let Some(place) = spread.get_mut(*position as usize) {
            *place = value;
        }
    }
    let over = Vector::of_values(spread, Positions { len, chosen: Chosen::List(&written) });
    if main.is_empty() {
        return over;
    }
    let under = column.gather(main.into_iter(), len);
    let parts = [Part::Each(&under, &at_main), Part::Each(&over, &written)];
    let mut all: Vec<u32> = at_main.iter().chain(&written).copied().collect();
    all.sort_unstable();
    // Properties are no edges.
    blend(&parts, Positions { len, chosen: Chosen::List(&all) }, &|_| Value::Null)
}
