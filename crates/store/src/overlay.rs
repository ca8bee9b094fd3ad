//! Overlay: the values of one column that the delta has, put over those of main.
//!
//! Main's values are read in bulk, and those of nodes that changes touched put over them.
//! Edges have virtual slots here: an edge of the delta has no slot in main, so what stands for an edge is its
//! place in the edge table, marked by a bit that no slot has. Edges of pages of which nothing was written
//! have main's slots: what follows them in their lists is read in bulk.

use std::sync::Arc;

use trimorph_base::{EdgeId, EdgeTableId};
use trimorph_delta::{EdgeDelta, MarkedEdges, NodeDelta, Version};
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

    /// Whether a row has no value.
    pub(crate) fn is_null(
        &self,
        row: u64,
        column: &ColumnView<'s>,
        edges: Option<&EdgeTableView<'_>>,
    ) -> bool {
        match self.find(row, edges) {
            Found::Main(row) => column.is_empty() || column.is_null(row),
            Found::Value(value) => value.is_null(),
        }
    }

    /// The values of `len` rows from `first` on.
    ///
    /// **Cost**: main's are read in bulk, and a look into the delta is for each row that was written.
    pub(crate) fn scan(
        &self,
        first: u64,
        len: usize,
        column: &ColumnView<'s>,
        edges: Option<&EdgeTableView<'_>>,
    ) -> Vector<'s> {
        let run = first..first + len as u64;
        if let Self::Nodes { delta, column: number, rows, .. } = self
            && run.end <= *rows
            && !column.is_empty()
        {
            let (written, versions) = delta.written_rows(run.clone(), *number);
            if versions.len() < len {
                let (written, values) = self.seen(written, &versions);
                return over(column.scan(first, len), &values, &written, len, None);
            }
        }
        self.gather(run.enumerate(), len, column, edges)
    }

    /// The values of `(position, row)` pairs in a vector of `len` positions; others are arbitrary.
    ///
    /// **Cost**: for each row that was written a look into the delta, some 50 ns; less for nodes that were
    /// written side by side.
    pub(crate) fn gather(
        &self,
        rows: impl Iterator<Item = (usize, u64)>,
        len: usize,
        column: &ColumnView<'s>,
        edges: Option<&EdgeTableView<'_>>,
    ) -> Vector<'s> {
        let rows: Vec<(usize, u64)> = rows.collect();
        match self {
            Self::Nodes { .. } => self.gather_nodes(&rows, len, column),
            Self::Edges { .. } => self.gather_slots(&rows, len, column, edges),
        }
    }

    fn gather_nodes(&self, rows: &[(usize, u64)], len: usize, column: &ColumnView<'s>) -> Vector<'s> {
        let Self::Nodes { delta, column: number, rows: in_main, reading } = self else {
            return Vector::nulls(len);
        };
        let (places, versions) = delta.written_rows(rows.iter().map(|(_, row)| *row), *number);
        // Vectors are far shorter than 2^32.
        let position = |place: u32| rows[place as usize].0 as u32;
        let is_whole = versions.len() == len && rows.iter().enumerate().all(|(i, (to, _))| i == *to);
        if is_whole && let Some(vector) = delta.vector_of(&versions, *number, reading) {
            return vector;
        }
        let (written, values) = self.seen(places.into_iter().map(position).collect(), &versions);
        let is_main = |row: u64| row < *in_main && !column.is_empty();
        let main: Vec<(usize, u64)> = rows.iter().copied().filter(|(_, row)| is_main(*row)).collect();
        if main.is_empty() {
            return spread(&values, &written, len);
        }
        let mut under = column.gather(main.iter().copied(), len);
        if main.len() < rows.len() {
            // What is neither main's nor was written has no value.
            let nothing = rows.iter().filter(|(_, row)| !is_main(*row));
            nothing.for_each(|(to, _)| under.set_null(*to, len));
        }
        over(under, &values, &written, len, Some(rows))
    }

    /// What is seen of nodes whose newest versions these are: the positions of those of whose value they say
    /// something, and these values.
    fn seen(&self, written: Vec<u32>, versions: &[Version]) -> (Vec<u32>, Vector<'static>) {
        let Self::Nodes { delta, column, reading, .. } = self else { return (Vec::new(), Vector::nulls(0)) };
        if versions.len() >= TOGETHER
            && let Some(vector) = delta.vector_of(versions, *column, reading)
        {
            return (written, vector);
        }
        let values = delta.values_of(versions, *column, reading);
        let (written, values): (Vec<u32>, Vec<Value>) =
            written.into_iter().zip(values).filter_map(|(position, value)| Some((position, value?))).unzip();
        let len = values.len();
        (written, Vector::of_values(values, Positions::all(len)))
    }

    /// What is seen of those of some nodes that were written: positions, and their values. None where a row
    /// is not main's, of edges also where something was written beside one.
    pub(crate) fn values_written(
        &self,
        rows: impl Iterator<Item = (u32, u64)> + Clone,
        column: &ColumnView<'s>,
    ) -> Option<Vec<(u32, Value)>> {
        let Self::Nodes { delta, column: number, rows: in_main, reading } = self else {
            let are_main = !column.is_empty() && rows.clone().all(|(_, slot)| slot & PLACE == 0);
            return are_main.then(Vec::new);
        };
        if column.is_empty() || rows.clone().any(|(_, row)| row >= *in_main) {
            return None;
        }
        let (places, versions) = delta.written_rows(rows.clone().map(|(_, row)| row), *number);
        let values = delta.values_of(&versions, *number, reading);
        let mut rest = rows.enumerate();
        let written = places.into_iter().zip(values).filter_map(|(place, value)| {
            let (_, (position, _)) = rest.find(|(i, _)| *i == place as usize)?;
            Some((position, value?))
        });
        Some(written.collect())
    }

    /// The same of edges, by slots.
    fn gather_slots(
        &self,
        rows: &[(usize, u64)],
        len: usize,
        column: &ColumnView<'s>,
        edges: Option<&EdgeTableView<'_>>,
    ) -> Vector<'s> {
        let (mut main, mut at_main) = (Vec::new(), Vec::new());
        let (mut values, mut written) = (Vec::new(), Vec::new());
        if !column.is_empty() && rows.iter().all(|(_, row)| row & PLACE == 0) {
            return column.gather(rows.iter().copied(), len);
        }
        for (position, row) in rows.iter().copied() {
            // Vectors are far shorter than 2^32.
            let at = position as u32;
            match self.find(row, edges) {
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

/// Values in a vector of `len` positions, one for each of `positions`; null at others.
fn spread(values: &Vector<'static>, positions: &[u32], len: usize) -> Vector<'static> {
    if positions.is_empty() {
        return Vector::nulls(len);
    }
    let (mut places, mut is_set) = (vec![0; len], vec![false; len]);
    for (place, position) in (0u32..).zip(positions) {
        places[*position as usize] = place;
        is_set[*position as usize] = true;
    }
    let mut all = values.gather(&places);
    if positions.len() < len {
        (0..len).filter(|i| !is_set[*i]).for_each(|i| all.set_null(i, len));
    }
    all
}

/// A vector of `len` positions whose values at `positions` are others. The positions of `rows` are meant, or
/// all.
fn over<'s>(
    mut under: Vector<'s>,
    values: &Vector<'static>,
    positions: &[u32],
    len: usize,
    rows: Option<&[(usize, u64)]>,
) -> Vector<'s> {
    if positions.is_empty() || under.put(values, positions, len) {
        return under;
    }
    let over: Vector<'s> = spread(values, positions, len);
    let parts = [Part::Under(&under), Part::Each(&over, positions)];
    // Vectors are far shorter than 2^32.
    let meant = rows.map(|rows| {
        let mut meant: Vec<u32> = rows.iter().map(|(position, _)| *position as u32).collect();
        meant.sort_unstable();
        meant
    });
    let chosen = meant.as_deref().map_or(Chosen::All, Chosen::List);
    // Properties are no edges.
    blend(&parts, Positions { len, chosen }, &|_| Value::Null)
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
