//! Hash join: the build side's rows are kept, numbered by key; each probe row is repeated for its matches.
//! Without keys it is the product. The build side is built once, by whichever twin asks first.
//!
//! Where nothing of the build side is wanted, rows of one key are one row that stands for all: a product is
//! counted, not enumerated.

use std::sync::{Arc, OnceLock};

use trimorph_types::{Value, equals};
use trimorph_vector::{Chunk, Values, Vector};

use crate::keys::{KeyTable, NO_NUMBER, POSITIONS_UNCHECKED};
use crate::operator::{BoxOperator, Operator};
use crate::rows::Rows;
use crate::{Context, ExecError};

/// The finished build side.
pub(crate) struct Built<'s> {
    rows: Rows<'s>,
    keys: KeyTable<'s>,
    /// Rows of key `k`: `members[starts[k]..starts[k + 1]]`.
    starts: Vec<u32>,
    members: Vec<u32>,
    _held: trimorph_base::Reservation,
}

/// The build side, built by whichever twin asks first.
#[derive(Clone, Default)]
pub(crate) struct BuildSide<'s>(Arc<OnceLock<Result<Built<'s>, ExecError>>>);

/// Hash join over rows of one group on both sides.
pub(crate) struct HashJoin<'s> {
    pub(crate) probe: BoxOperator<'s>,
    pub(crate) build: BoxOperator<'s>,
    inner: Chunk<'s>,
    shape: Arc<Shape>,
    built: BuildSide<'s>,
    rest: Vec<u32>,
    /// The key's number of each of them.
    found: Vec<u32>,
    cursor: usize,
    offset: usize,
}

/// Slots of both sides. Output slots: `probe_keep`, then `build_keep`.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) probe_slots: usize,
    pub(crate) build_slots: usize,
    pub(crate) probe_keys: Vec<usize>,
    pub(crate) build_keys: Vec<usize>,
    pub(crate) probe_keep: Vec<usize>,
    pub(crate) build_keep: Vec<usize>,
    /// The build side does not depend on the rows of an apply around.
    pub(crate) constant: bool,
}

impl<'s> HashJoin<'s> {
    pub(crate) fn new(
        probe: BoxOperator<'s>,
        build: BoxOperator<'s>,
        shape: Arc<Shape>,
        built: BuildSide<'s>,
    ) -> Self {
        let inner = Chunk::with_slots(&[shape.probe_slots]);
        Self { probe, build, inner, shape, built, rest: Vec::new(), found: Vec::new(), cursor: 0, offset: 0 }
    }

    fn build(build: &mut BoxOperator<'s>, shape: &Shape, cx: &Context<'s>) -> Result<Built<'s>, ExecError> {
        let mut chunk = Chunk::with_slots(&[shape.build_slots]);
        let mut rows = Rows::new(shape.build_keep.len());
        let mut keys = KeyTable::default();
        let mut numbers = Vec::new();
        let mut held = cx.settings.budget.reservation();
        let (mut found, mut fresh) = (Vec::new(), Vec::new());
        while build.next(&mut chunk, cx)? {
            let group = &chunk.groups[0];
            let mut positions = group.positions();
            for key in shape.build_keys.iter().map(|k| &group.vectors[*k]).filter(|key| may_join_nothing(key))
            {
                positions.retain(|p| !joins_nothing(key, *p as usize));
            }
            let columns: Vec<&Vector<'s>> = shape.build_keys.iter().map(|k| &group.vectors[*k]).collect();
            for positions in positions.chunks(POSITIONS_UNCHECKED) {
                cx.check()?;
                held.grow(keys.growth_bytes(positions.len()) + size_of_val(positions))?;
                found.clear();
                keys.number_all(&columns, positions, &mut found, &mut fresh);
                if !shape.build_keep.is_empty() {
                    numbers.extend_from_slice(&found);
                    continue;
                }
                for (number, p) in found.iter().zip(positions) {
                    // Numbers are given in the order keys come.
                    let (at, more) = (*number as usize, group.multiplicity_at(*p as usize));
                    if at == rows.multiplicity.len() {
                        rows.multiplicity.push(0);
                        numbers.push(*number);
                    }
                    rows.multiplicity[at] = rows.multiplicity[at].saturating_add(more);
                }
            }
            fresh.clear();
            // Rows of a key are found by two numbers each, and by one a key.
            let index_bytes = |keys: &KeyTable<'_>| numbers.capacity() * 8 + keys.len() * 4;
            held.resize(rows.bytes() + keys.bytes() + index_bytes(&keys))?;
            if shape.build_keep.is_empty() {
                continue;
            }
            held.grow(rows.growth_bytes(positions.len()))?;
            let columns: Vec<&Vector<'s>> = shape.build_keep.iter().map(|k| &group.vectors[*k]).collect();
            let multiplicity = positions.iter().map(|p| group.multiplicity_at(*p as usize));
            rows.extend(&columns, &positions, multiplicity, cx);
            held.resize(rows.bytes() + keys.bytes() + index_bytes(&keys))?;
        }
        let mut starts = vec![0u32; keys.len() + 2];
        for n in &numbers {
            starts[*n as usize + 2] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut members = vec![0u32; numbers.len()];
        for (row, n) in numbers.iter().enumerate() {
            let at = &mut starts[*n as usize + 1];
            members[*at as usize] = u32::try_from(row).unwrap_or(u32::MAX);
            *at += 1;
        }
        Ok(Built { rows, keys, starts, members, _held: held })
    }
}

/// Whether some values of a key may join nothing.
fn may_join_nothing(key: &Vector<'_>) -> bool {
    key.may_have_nulls() || matches!(key.values, Values::Float(_))
}

/// Whether a value joins nothing: null, and what does not equal itself, as NaN or a list with a null in it.
/// For all others equality is equivalence, which is what keys are numbered by.
fn joins_nothing(key: &Vector<'_>, i: usize) -> bool {
    if key.is_null(i) {
        return true;
    }
    match &key.values {
        Values::Float(v) => v[i].is_nan(),
        Values::Any(v) => match &v[i] {
            Value::Float(f) => f.is_nan(),
            v @ (Value::List(_) | Value::Map(_)) => equals(v, v) != Some(true),
            _ => false,
        },
        _ => false,
    }
}

impl<'s> Operator<'s> for HashJoin<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let (built, build, shape) = (&self.built, &mut self.build, &self.shape);
        let built = match built.0.get_or_init(|| Self::build(build, shape, cx)) {
            Ok(built) => built,
            Err(e) => return Err(e.clone()),
        };
        if built.rows.len() == 0 {
            return Ok(false);
        }
        let room = cx.settings.vector_size;
        cx.check()?;
        loop {
            if self.cursor >= self.rest.len() {
                cx.check()?;
                if !self.probe.next(&mut self.inner, cx)? {
                    return Ok(false);
                }
                let group = &self.inner.groups[0];
                self.rest = group.positions();
                (self.cursor, self.offset) = (0, 0);
                let keys: Vec<&Vector<'s>> = shape.probe_keys.iter().map(|k| &group.vectors[*k]).collect();
                self.found.clear();
                built.keys.find_all(&keys, &self.rest, &mut self.found);
                for key in keys.iter().filter(|key| may_join_nothing(key)) {
                    for (p, number) in self.rest.iter().zip(&mut self.found) {
                        if joins_nothing(key, *p as usize) {
                            *number = NO_NUMBER;
                        }
                    }
                }
            }
            let group = &self.inner.groups[0];
            let (mut parents, mut matches): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
            while self.cursor < self.rest.len() && matches.len() < room {
                let p = self.rest[self.cursor];
                let members = match self.found[self.cursor] {
                    NO_NUMBER => &[][..],
                    n => {
                        &built.members
                            [built.starts[n as usize] as usize..built.starts[n as usize + 1] as usize]
                    }
                };
                let end = members.len().min(self.offset + room - matches.len());
                matches.extend_from_slice(&members[self.offset..end]);
                parents.resize(matches.len(), p);
                if end == members.len() {
                    self.cursor += 1;
                    self.offset = 0;
                } else {
                    self.offset = end;
                }
            }
            if matches.is_empty() {
                continue;
            }
            let out = &mut chunk.groups[0];
            out.reset(matches.len());
            let multiplicity = (parents.iter().zip(&matches))
                .map(|(p, m)| {
                    group.multiplicity_at(*p as usize).saturating_mul(built.rows.multiplicity[*m as usize])
                })
                .collect::<Vec<_>>();
            out.multiplicity = multiplicity.iter().any(|m| *m != 1).then_some(multiplicity);
            for (slot, from) in shape.probe_keep.iter().enumerate() {
                out.vectors[slot] = group.vectors[*from].gather(&parents);
            }
            for (slot, column) in built.rows.columns.iter().enumerate() {
                out.vectors[shape.probe_keep.len() + slot] = column.gather(&matches);
            }
            return Ok(true);
        }
    }

    fn reset(&mut self) {
        self.probe.reset();
        if !self.shape.constant {
            self.build.reset();
            self.built = BuildSide::default();
        }
        self.rest.clear();
        (self.cursor, self.offset) = (0, 0);
    }
}
