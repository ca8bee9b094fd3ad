//! Hash join: the build side's rows are kept, numbered by key; each probe row is repeated for its matches.
//! Without keys it is the product. The build side is built once, by whichever twin asks first.
//!
//! Where nothing of the build side is wanted, rows of one key are one row that stands for all: a product is
//! counted, not enumerated.
//!
//! Its keys are left for the probe side, which leaves out early what cannot be joined with them
//! (`join_filter`).
//!
//! Where it is asked only whether a key is there, as `DISTINCT` keys tell, rows of one key are one row.
//!
//! Build rows that memory has no room for go to files, and the probe rows that may join them too (`spilled`).

mod built;
mod shape;
mod spilled;

use std::sync::{Arc, OnceLock};

use trimorph_vector::{Chunk, Selection, Vector};

use crate::expr::{KeySetBuilder, PassedKeys};
use crate::keys::{FoundEntries, NO_NUMBER, POSITIONS_UNCHECKED};
use crate::operator::{BoxOperator, Operator};
use crate::spill::{Partition, Partitions, hashes, spare_least};
use crate::{Context, ExecError};
use built::{Building, Built};
pub(in crate::ops) use built::{joins_nothing, may_join_nothing};
pub(crate) use shape::Shape;
use spilled::SpilledProbe;

/// The finished build side.
struct Kept<'s> {
    built: Built<'s>,
    /// What there was no room for: keys and columns, by the hash of the key.
    rest: Option<Vec<Partition<'s>>>,
}

/// The build side, built by whichever twin asks first.
#[derive(Clone, Default)]
pub(crate) struct BuildSide<'s>(Arc<OnceLock<Result<Kept<'s>, ExecError>>>);

/// Hash join over rows of one group on both sides.
pub(crate) struct HashJoin<'s> {
    pub(crate) probe: BoxOperator<'s>,
    pub(crate) build: BoxOperator<'s>,
    inner: Chunk<'s>,
    shape: Arc<Shape>,
    built: BuildSide<'s>,
    /// Where the keys are left for the probe side.
    passed: PassedKeys,
    rest: Vec<u32>,
    /// The key's number of each of them.
    found: Vec<u32>,
    /// What was found of the dictionaries that keys come from.
    known: Vec<FoundEntries<'s>>,
    cursor: usize,
    offset: usize,
    /// Probe rows that go to files, where build rows did.
    spilled: SpilledProbe<'s>,
    /// Whether all probe rows have come.
    ended: bool,
}

impl<'s> HashJoin<'s> {
    pub(crate) fn new(
        probe: BoxOperator<'s>,
        build: BoxOperator<'s>,
        shape: Arc<Shape>,
        built: BuildSide<'s>,
        passed: PassedKeys,
    ) -> Self {
        let inner = Chunk::with_slots(&[shape.probe_slots]);
        let (spilled, ended) = (SpilledProbe::new(), false);
        let (rest, found, known) = (Vec::new(), Vec::new(), Vec::new());
        let (cursor, offset) = (0, 0);
        Self { probe, build, inner, shape, built, passed, rest, found, known, cursor, offset, spilled, ended }
    }

    fn build(
        build: &mut BoxOperator<'s>,
        shape: &Shape,
        passed: &PassedKeys,
        cx: &Context<'s>,
    ) -> Result<Kept<'s>, ExecError> {
        let mut chunk = Chunk::with_slots(&[shape.build_slots]);
        let mut building = Building::new(shape, cx);
        let spills = cx.settings.spill.is_some();
        let (mut rest, mut found) = (None, Vec::new());
        let beside = if spills { spare_least(cx) } else { 0 };
        let mut set = shape.passed.map(|(key, _)| (key, KeySetBuilder::new(&cx.settings.budget, beside)));
        while build.next(&mut chunk, cx)? {
            let group = &chunk.groups[0];
            let mut positions = group.positions();
            leave_out_nothing(&shape.build_keys, &group.vectors, &mut positions);
            let slots = shape.build_keys.iter().chain(&shape.build_keep);
            let all: Vec<&Vector<'s>> = slots.map(|k| &group.vectors[*k]).collect();
            let (keys, columns) = all.split_at(shape.build_keys.len());
            if let Some((key, set)) = &mut set {
                set.add(keys[*key], &positions);
            }
            let multiplicity = |p: usize| group.multiplicity_at(p);
            for positions in positions.chunks(POSITIONS_UNCHECKED) {
                cx.check()?;
                if rest.is_none()
                    && let Err(over) = building.make_room(positions.len(), cx)
                {
                    if !spills {
                        return Err(over.into());
                    }
                    rest = Some(Partitions::new(0, all.len(), cx));
                }
                if let Some(rest) = &mut rest {
                    let mut positions = positions.to_vec();
                    if shape.once {
                        building.leave_out_known(keys, &mut positions);
                    }
                    hashes(keys, &positions, &mut found);
                    rest.add(&found, &all, &positions, &multiplicity, cx)?;
                    continue;
                }
                building.add(keys, columns, positions, &multiplicity, cx);
                if let Err(over) = building.settle() {
                    if !spills {
                        return Err(over.into());
                    }
                    rest = Some(Partitions::new(0, all.len(), cx));
                }
            }
        }
        let rest = rest.map(|rest| rest.finish(cx)).transpose()?;
        // Another twin cannot have left them: the build side is built once.
        let _ = passed.set(set.and_then(|(_, set)| set.finish()));
        Ok(Kept { built: building.finish(), rest })
    }

    /// The next probe rows, and the number of each one's key in what they are joined with; `false` at the
    /// end.
    fn advance(&mut self, kept: &Kept<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let (shape, inner) = (&*self.shape, &mut self.inner);
        if !self.ended {
            self.ended = !self.probe.next(inner, cx)?;
        }
        if self.ended {
            let Some(build) = &kept.rest else { return Ok(false) };
            if !self.spilled.next(inner, build, shape, cx)? {
                return Ok(false);
            }
        }
        let group = &self.inner.groups[0];
        self.rest = group.positions();
        (self.cursor, self.offset) = (0, 0);
        self.found.clear();
        let built = self.spilled.block().unwrap_or(&kept.built);
        let keys: Vec<&Vector<'s>> = shape.probe_keys.iter().map(|k| &group.vectors[*k]).collect();
        if self.spilled.block().is_some() {
            // Others may be built by now.
            self.known.clear();
        }
        built.keys.find_again(&keys, &self.rest, &mut self.known, &mut self.found);
        for key in keys.iter().filter(|key| may_join_nothing(key)) {
            for (p, number) in self.rest.iter().zip(&mut self.found) {
                if joins_nothing(key, *p as usize) {
                    *number = NO_NUMBER;
                }
            }
        }
        // Where rows of one key are one row, who found it is done.
        if let Some(build) = kept.rest.as_ref().filter(|_| !self.ended || shape.once) {
            let mut positions = self.rest.clone();
            if shape.once {
                let mut found = self.found.iter();
                positions.retain(|_| found.next() == Some(&NO_NUMBER));
            }
            leave_out_nothing(&shape.probe_keys, &group.vectors, &mut positions);
            self.spilled.add(&self.inner, &positions, build, shape, cx)?;
        }
        Ok(true)
    }
}

impl<'s> HashJoin<'s> {
    /// The next probe rows beside the one row there is: as they came, with its columns added.
    fn beside_one(
        &mut self,
        built: &Built<'s>,
        chunk: &mut Chunk<'s>,
        cx: &Context<'s>,
    ) -> Result<bool, ExecError> {
        cx.check()?;
        if !self.probe.next(&mut self.inner, cx)? {
            return Ok(false);
        }
        let (group, out) = (&self.inner.groups[0], &mut chunk.groups[0]);
        out.reset(group.len);
        out.selection = match group.flat {
            Some(_) => Selection::List(group.positions()),
            None => group.selection.clone(),
        };
        let weight = built.rows.multiplicity[0];
        out.multiplicity = match &group.multiplicity {
            None if weight == 1 => None,
            None => Some(vec![weight; group.len]),
            Some(all) => Some(all.iter().map(|m| m.saturating_mul(weight)).collect()),
        };
        for (slot, from) in self.shape.probe_keep.iter().enumerate() {
            out.vectors[slot] = group.vectors[*from].clone();
        }
        let same = vec![0; group.len];
        for (slot, column) in built.rows.columns.iter().enumerate() {
            out.vectors[self.shape.probe_keep.len() + slot] = column.gather(&same);
        }
        Ok(true)
    }
}

/// Of a chunk, one part in so many must find a row for the chunk to stay as it is.
const SPARSE_PARTS: usize = 4;

impl<'s> HashJoin<'s> {
    /// The next probe rows where each key has one build row: as they came, with its columns added and those
    /// that find none left out. So what is read of the probe side further up is read in the order of its
    /// scan. `None` where few find one: they are better put together.
    fn in_place(&self, built: &Built<'s>, rows_of: &[u32], chunk: &mut Chunk<'s>) -> Option<bool> {
        let (shape, group) = (&*self.shape, &self.inner.groups[0]);
        let mut rows = vec![0u32; group.len];
        let mut passed = vec![0u32; self.rest.len()];
        let mut count = 0;
        for (p, number) in self.rest.iter().zip(&self.found) {
            // No number is past the last key.
            let row = rows_of.get(*number as usize);
            rows[*p as usize] = row.copied().unwrap_or(0);
            passed[count] = *p;
            count += usize::from(row.is_some());
        }
        if count == 0 {
            return Some(false);
        }
        if count < group.len / SPARSE_PARTS {
            return None;
        }
        passed.truncate(count);
        let out = &mut chunk.groups[0];
        out.reset(group.len);
        if count < group.len {
            out.selection = Selection::List(passed);
        }
        if group.multiplicity.is_some() || !built.is_plain() {
            let weights = &built.rows.multiplicity;
            let all = rows.iter().enumerate();
            let all = all.map(|(p, row)| group.multiplicity_at(p).saturating_mul(weights[*row as usize]));
            out.multiplicity = Some(all.collect());
        }
        for (slot, from) in shape.probe_keep.iter().enumerate() {
            out.vectors[slot] = group.vectors[*from].clone();
        }
        for (slot, column) in built.rows.columns.iter().enumerate() {
            out.vectors[shape.probe_keep.len() + slot] = column.gather(&rows);
        }
        Some(true)
    }
}

/// Leaves out positions some of whose keys join nothing.
fn leave_out_nothing(keys: &[usize], slots: &[Vector<'_>], positions: &mut Vec<u32>) {
    for key in keys.iter().map(|k| &slots[*k]).filter(|key| may_join_nothing(key)) {
        positions.retain(|p| !joins_nothing(key, *p as usize));
    }
}

impl<'s> Operator<'s> for HashJoin<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let (side, build, shape) = (self.built.clone(), &mut self.build, Arc::clone(&self.shape));
        let passed = &self.passed;
        let kept = match cx.settings.workers.once(&side.0, || Self::build(build, &shape, passed, cx)) {
            Ok(kept) => kept,
            Err(e) => return Err(e.clone()),
        };
        if kept.built.rows.len() == 0 && kept.rest.is_none() {
            return Ok(false);
        }
        if shape.probe_keys.is_empty() && kept.rest.is_none() && kept.built.rows.len() == 1 {
            return self.beside_one(&kept.built, chunk, cx);
        }
        let room = cx.settings.vector_size;
        cx.check()?;
        loop {
            if self.cursor >= self.rest.len() {
                cx.check()?;
                if !self.advance(kept, cx)? {
                    return Ok(false);
                }
                let built = self.spilled.block().unwrap_or(&kept.built);
                if let Some(some) = built.singles().and_then(|rows_of| self.in_place(built, rows_of, chunk)) {
                    self.cursor = self.rest.len();
                    if some {
                        return Ok(true);
                    }
                    continue;
                }
            }
            let built = self.spilled.block().unwrap_or(&kept.built);
            let group = &self.inner.groups[0];
            let (mut parents, mut matches): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
            while self.cursor < self.rest.len() && matches.len() < room {
                let p = self.rest[self.cursor];
                let members = match self.found[self.cursor] {
                    NO_NUMBER => &[][..],
                    n => built.members(n),
                };
                let end = members.len().min(self.offset + room - matches.len());
                // Most keys have one row or none.
                match &members[self.offset..end] {
                    [one] => {
                        matches.push(*one);
                        parents.push(p);
                    }
                    several => {
                        matches.extend_from_slice(several);
                        parents.resize(matches.len(), p);
                    }
                }
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
            if group.multiplicity.is_some() || !built.is_plain() {
                let of_pair = |(p, m): (&u32, &u32)| {
                    group.multiplicity_at(*p as usize).saturating_mul(built.rows.multiplicity[*m as usize])
                };
                let multiplicity = parents.iter().zip(&matches).map(of_pair).collect::<Vec<_>>();
                out.multiplicity = multiplicity.iter().any(|m| *m != 1).then_some(multiplicity);
            }
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
        (self.spilled, self.ended) = (SpilledProbe::new(), false);
    }
}
