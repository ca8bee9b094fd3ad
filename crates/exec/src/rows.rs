//! Rows kept by a pipeline breaker: columns that grow, with a multiplicity a row.

use trimorph_base::EdgeId;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Edges, Group, Nodes, Values, Vector};

use crate::charge::vec_growth_bytes;
use crate::layout::Place;
use crate::{Context, ExecError};

/// Repeats rows of one group: output position `i` is position `parents[i]`. Slots `keep` become slots `0..`
/// of `out`; multiplicities go along.
pub(crate) fn repeat<'s>(group: &Group<'s>, keep: &[usize], parents: &[u32], out: &mut Group<'s>) {
    out.multiplicity = group.multiplicity.as_ref().map(|m| parents.iter().map(|p| m[*p as usize]).collect());
    for (slot, from) in keep.iter().enumerate() {
        out.vectors[slot] = group.vectors[*from].gather(parents);
    }
}

/// A typed vector of `values`, where all are integers; else a general one.
pub(crate) fn vector_of<'s>(values: Vec<Value>) -> Vector<'s> {
    if values.iter().all(|v| matches!(v, Value::Int(_))) {
        return Vector::new(Values::Int(
            values.iter().map(|v| if let Value::Int(i) = v { *i } else { 0 }).collect(),
        ));
    }
    Vector::new(Values::Any(values))
}

/// Columns of equal length.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows<'s> {
    pub(crate) columns: Vec<Vector<'s>>,
    pub(crate) multiplicity: Vec<u64>,
    /// What general values own, as far as it is known when they come.
    general_bytes: usize,
}

/// Calls `visit` on the vectors that a column consists of.
fn each_part<'v, 's>(vector: &'v Vector<'s>, visit: &mut impl FnMut(&'v Vector<'s>)) {
    match &vector.values {
        Values::Map(maps) | Values::Tuple(maps) => {
            maps.fields().iter().for_each(|field| each_part(field, visit))
        }
        _ => visit(vector),
    }
}

/// What `of` gives for the vectors that a column consists of, together.
fn sum_of_parts(vector: &Vector<'_>, of: impl Fn(&Vector<'_>) -> usize) -> usize {
    let mut sum = 0;
    each_part(vector, &mut |part| sum += of(part));
    sum
}

/// Cells of a column that is no maps: how many there are, for how many there is room, and bytes of each.
/// Strings borrowed from the store cost no more; general values are asked what they own.
fn cells(vector: &Vector<'_>) -> (usize, usize, usize) {
    fn of<T>(v: &Vec<T>) -> (usize, usize, usize) {
        (v.len(), v.capacity(), size_of::<T>())
    }
    match &vector.values {
        Values::Bool(v) => of(v),
        Values::Int(v) | Values::LocalTime(v) | Values::LocalDateTime(v) | Values::DateTime(v) => of(v),
        Values::Float(v) => of(v),
        Values::Number(v) => {
            let (room, width) = v.cells();
            (v.len(), room, width)
        }
        Values::String(v) | Values::Iri(v) => {
            let (room, width) = v.cells();
            (v.len(), room, width)
        }
        Values::Literal(v) => {
            let (room, width) = v.values().cells();
            (v.len(), room, width + 1)
        }
        Values::Zoned(v) => (v.len(), v.values().capacity(), size_of::<i64>() + 1),
        Values::Time(v) => of(v),
        Values::Duration(v) => of(v),
        Values::Decimal(v) => {
            let (room, width) = v.cells();
            (v.len(), room, width)
        }
        Values::Date(v) => of(v),
        Values::Node(Nodes::Ids { ids, .. }) => of(ids),
        Values::Edge(Edges::Ids(ids)) => of(ids),
        Values::List(v) => {
            let (room, width) = v.cells();
            (v.len(), room, width)
        }
        Values::Any(v) => of(v),
        // What points elsewhere.
        Values::Map(_) | Values::Tuple(_) | Values::Node(_) | Values::Edge(_) => (0, 0, 0),
    }
}

/// Bytes of a column's cells, and of the texts that it made.
pub(crate) fn cell_bytes(vector: &Vector<'_>) -> usize {
    let bytes = |part: &Vector<'_>| {
        let (_, capacity, width) = cells(part);
        capacity * width
    };
    sum_of_parts(vector, bytes) + text_bytes(vector)
}

/// Bytes that are allocated before `more` values can come to a column.
pub(crate) fn column_growth_bytes(vector: &Vector<'_>, more: usize) -> usize {
    sum_of_parts(vector, |part| {
        let (len, capacity, width) = cells(part);
        vec_growth_bytes(len, capacity, more, width)
    })
}

/// Bytes of the blocks that the texts of a vector lie in.
pub(crate) fn text_bytes(vector: &Vector<'_>) -> usize {
    sum_of_parts(vector, |part| match &part.values {
        Values::String(texts) | Values::Iri(texts) => texts.block_bytes(),
        Values::Literal(literals) => literals.values().block_bytes(),
        _ => 0,
    })
}

/// What the general values of a vector own.
pub(crate) fn general_bytes(vector: &Vector<'_>) -> u64 {
    vector.owned_bytes_of_all()
}

impl<'s> Rows<'s> {
    /// No rows of `columns` columns.
    pub(crate) fn new(columns: usize) -> Self {
        Self { columns: (0..columns).map(|_| Vector::empty()).collect(), ..Self::default() }
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.multiplicity.len()
    }

    /// Bytes held, about.
    pub(crate) fn bytes(&self) -> usize {
        let cells: usize = self.columns.iter().map(cell_bytes).sum();
        self.multiplicity.capacity() * 8 + cells + self.general_bytes
    }

    /// Bytes that are allocated before `more` rows can come: those of columns that move are given back.
    pub(crate) fn growth_bytes(&self, more: usize) -> usize {
        let columns = self.columns.iter().map(|column| column_growth_bytes(column, more));
        columns.sum::<usize>() + vec_growth_bytes(self.len(), self.multiplicity.capacity(), more, 8)
    }

    /// Appends positions of other columns.
    pub(crate) fn extend(
        &mut self,
        columns: &[&Vector<'s>],
        positions: &[u32],
        multiplicity: impl Iterator<Item = u64>,
        cx: &Context<'s>,
    ) {
        for (into, from) in self.columns.iter_mut().zip(columns) {
            self.general_bytes += owned_at(from, positions);
            append(into, from, positions, &|id| cx.edge_value(id));
        }
        self.multiplicity.extend(multiplicity);
    }

    /// Appends the tuples of a chunk: `places` must be in flat groups and at most one unflat one; other
    /// groups count.
    pub(crate) fn extend_from_chunk(&mut self, chunk: &Chunk<'s>, places: &[Place], cx: &Context<'s>) {
        let main = main_group(chunk, places);
        let outside = outside_weight(chunk, main);
        let positions: Vec<u32> = match main {
            Some(g) => chunk.groups[g].selection.to_vec(chunk.groups[g].len),
            None => vec![0],
        };
        for (into, place) in self.columns.iter_mut().zip(places) {
            let group = &chunk.groups[place.group];
            match group.flat {
                None => {
                    self.general_bytes += owned_at(&group.vectors[place.slot], &positions);
                    append(into, &group.vectors[place.slot], &positions, &|id| cx.edge_value(id));
                }
                Some(flat) => {
                    let repeated = vec![u32::try_from(flat).unwrap_or(0); positions.len()];
                    append(into, &group.vectors[place.slot], &repeated, &|id| cx.edge_value(id));
                }
            }
        }
        for p in positions {
            let own = main.map_or(1, |g| chunk.groups[g].multiplicity_at(p as usize));
            self.multiplicity.push(own.saturating_mul(outside));
        }
    }

    /// Keeps these rows, in this order.
    pub(crate) fn keep(&mut self, rows: &[u32]) {
        for column in &mut self.columns {
            *column = column.gather(rows).compacted();
        }
        self.multiplicity = rows.iter().map(|row| self.multiplicity[*row as usize]).collect();
        let bytes = self.columns.iter().map(general_bytes).sum::<u64>();
        self.general_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    }

    /// Moves all rows into a group, leaving none.
    pub(crate) fn drain_into(&mut self, group: &mut Group<'s>) {
        let len = self.len();
        group.reset(len);
        for (slot, column) in self.columns.iter_mut().enumerate() {
            group.vectors[slot] = std::mem::replace(column, Vector::empty());
        }
        self.general_bytes = 0;
        let multiplicity = std::mem::take(&mut self.multiplicity);
        group.multiplicity = multiplicity.iter().any(|m| *m != 1).then_some(multiplicity);
    }
}

/// What the general values, and the made texts, at `positions` own.
pub(crate) fn owned_at(vector: &Vector<'_>, positions: &[u32]) -> usize {
    let bytes = vector.owned_bytes(positions.iter().map(|p| *p as usize));
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// Appends positions of `from` to `into`, which takes its type from the first values it gets.
pub(crate) fn append<'s>(
    into: &mut Vector<'s>,
    from: &Vector<'s>,
    positions: &[u32],
    edge: &dyn Fn(EdgeId) -> Value,
) {
    if into.listed() == 0 {
        *into = from.like();
    }
    into.extend(from, positions, edge);
}

/// The one unflat group among those of `places`.
pub(crate) fn main_group(chunk: &Chunk<'_>, places: &[Place]) -> Option<usize> {
    places.iter().map(|p| p.group).find(|g| chunk.groups[*g].flat.is_none())
}

/// A multiplicity that stands for so many tuples or more. Most of what is asked of rows does not ask how
/// often they come: numbers past 64 bits stay this one, and only what makes a number of it fails
/// ([`overflow`]).
pub(crate) const MANY: u64 = u64::MAX;

/// What a group stands for.
pub(crate) fn tuples_of(group: &Group<'_>) -> u64 {
    group.tuples().unwrap_or(MANY)
}

/// The product of what all groups but `main` stand for.
pub(crate) fn outside_weight(chunk: &Chunk<'_>, main: Option<usize>) -> u64 {
    let others = chunk.groups.iter().enumerate().filter(|(i, _)| Some(*i) != main);
    others.fold(1, |weight, (_, group)| weight.saturating_mul(tuples_of(group)))
}

/// A number of matches past 64 bits, where it is asked for.
pub(crate) fn overflow() -> ExecError {
    ExecError::Query(trimorph_base::Diagnostic::runtime(
        trimorph_base::ErrorKind::ArithmeticError,
        "NumberOutOfRange",
        "the number of matches does not fit 64 bits",
    ))
}
