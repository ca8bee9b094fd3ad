//! Range join: the build side's rows are kept in the order of one key; for each probe row a binary search for
//! each bound gives the rows between them. The build side is built once, by whichever twin asks first.
//!
//! Where other values must be equal, too, the rows that have the same ones lie together, in order, and the
//! search is among these. Of the rows within the bounds the first or the last may be all that is wanted, as
//! of the last rate before a day: then no others are given.
//!
//! Where the build side has no room, the rows that had some are a block, and the others go to a file, as all
//! probe rows do (`spilled`).
//!
//! Where nothing of the build side is wanted, a range is a difference of two sums: it is counted, not
//! enumerated. Where keys are of several types, which do not compare, each row is looked at.

mod ranges;
mod sorted;
mod spec;
mod spilled;

use std::sync::{Arc, OnceLock};

use trimorph_vector::{Chunk, Vector};

use crate::operator::{BoxOperator, Operator};
use crate::ops::hash_join::{joins_nothing, may_join_nothing};
use crate::spill::{Stored, Writer, batch_bytes};
use crate::{Context, ExecError};

use sorted::{Block, Matches, Sorted, is_comparable};
pub(crate) use spec::RangeJoinSpec;
use spilled::SpilledProbe;

/// The build side: the rows that had room in order, and the others as they came, their key last.
struct BuildSide<'s> {
    first: Sorted<'s>,
    rest: Option<Stored>,
}

impl<'s> BuildSide<'s> {
    fn build(build: &mut BoxOperator<'s>, spec: &RangeJoinSpec, cx: &Context<'s>) -> Result<Self, ExecError> {
        let mut chunk = Chunk::with_slots(&[spec.build_slots]);
        let (mut block, mut rest) = (Block::new(spec, cx), None::<(Writer, Stored)>);
        while build.next(&mut chunk, cx)? {
            cx.check()?;
            let group = &chunk.groups[0];
            let key = &group.vectors[spec.key];
            let mut positions = group.positions();
            positions.retain(|p| is_comparable(key, *p as usize));
            for key in spec.build_on.iter().map(|slot| &group.vectors[*slot]) {
                if may_join_nothing(key) {
                    positions.retain(|p| !joins_nothing(key, *p as usize));
                }
            }
            let kept = spec.build_keep.iter().chain(&spec.build_on).map(|slot| &group.vectors[*slot]);
            let columns: Vec<&Vector<'s>> = kept.chain([key]).collect();
            if rest.is_none() {
                let multiplicity = positions.iter().map(|p| group.multiplicity_at(*p as usize));
                if block.take(&columns, &positions, multiplicity, cx)? {
                    continue;
                }
            }
            let (writer, stored) = match &mut rest {
                Some(rest) => rest,
                none => {
                    let writer = Writer::new(batch_bytes(1, cx), cx)?;
                    let stored = writer.stored();
                    none.insert((writer, stored))
                }
            };
            writer.write(&columns, &positions, &|p| group.multiplicity_at(p), stored, cx)?;
        }
        Ok(Self { first: block.sorted(spec, cx)?, rest: rest.map(|(_, stored)| stored) })
    }
}

/// The build side, built by whichever twin asks first.
#[derive(Clone, Default)]
pub(crate) struct SortedSide<'s>(Arc<OnceLock<Result<BuildSide<'s>, ExecError>>>);

/// Range join over rows of one group on both sides.
pub(crate) struct RangeJoin<'s> {
    probe: BoxOperator<'s>,
    build: BoxOperator<'s>,
    inner: Chunk<'s>,
    spec: Arc<RangeJoinSpec>,
    sorted: SortedSide<'s>,
    rest: Vec<u32>,
    cursor: usize,
    /// Of each of these rows, the build rows whose other values are equal, and whether those are left out
    /// that are not within the bounds.
    among: Vec<(u32, u32)>,
    is_narrow: bool,
    /// Probe rows that are joined again, with the blocks after the first.
    spilled: SpilledProbe<'s>,
    /// What is left of the matches of the row at the cursor.
    left: Option<Matches>,
}

impl<'s> RangeJoin<'s> {
    pub(crate) fn new(
        probe: BoxOperator<'s>,
        build: BoxOperator<'s>,
        spec: Arc<RangeJoinSpec>,
        sorted: SortedSide<'s>,
    ) -> Self {
        let inner = Chunk::with_slots(&[spec.probe_slots]);
        Self {
            probe,
            build,
            inner,
            spec,
            sorted,
            rest: Vec::new(),
            cursor: 0,
            among: Vec::new(),
            is_narrow: false,
            spilled: SpilledProbe::default(),
            left: None,
        }
    }
}

impl<'s> Operator<'s> for RangeJoin<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let (sorted, build, spec) = (&self.sorted, &mut self.build, &self.spec);
        let side = match cx.settings.workers.once(&sorted.0, || BuildSide::build(build, spec, cx)) {
            Ok(side) => side,
            Err(e) => return Err(e.clone()),
        };
        if side.first.len == 0 && side.rest.is_none() {
            return Ok(false);
        }
        let room = cx.settings.vector_size;
        loop {
            cx.check()?;
            if self.cursor >= self.rest.len() {
                let probe = &mut self.probe;
                if !self.spilled.next(probe, &mut self.inner, side.rest.as_ref(), spec, cx)? {
                    return Ok(false);
                }
                self.rest = self.inner.groups[0].positions();
                (self.cursor, self.left) = (0, None);
                let sorted = self.spilled.block().unwrap_or(&side.first);
                let slots = &self.inner.groups[0].vectors;
                self.is_narrow = sorted.among(spec, slots, &self.rest, &mut self.among);
            }
            let sorted = self.spilled.block().unwrap_or(&side.first);
            let group = &self.inner.groups[0];
            let (mut parents, mut matches) = (Vec::new(), Vec::new());
            let mut multiplicity: Vec<u64> = Vec::new();
            while let Some(p) = self.rest.get(self.cursor).copied().filter(|_| parents.len() < room) {
                let own = group.multiplicity_at(p as usize);
                let mut found = match self.left.take() {
                    Some(left) => left,
                    None => {
                        let (start, end) = self.among[self.cursor];
                        let among = (start as usize, end as usize);
                        let found = match self.is_narrow {
                            true => Matches::Range(among.0, among.1),
                            false => sorted.matches(spec, &group.vectors, p as usize, among, cx)?,
                        };
                        sorted.wanted(spec.wanted, found)
                    }
                };
                if spec.build_keep.is_empty() {
                    let tuples = sorted.tuples(&found);
                    if tuples > 0 {
                        parents.push(p);
                        multiplicity.push(own.saturating_mul(tuples));
                    }
                    self.cursor += 1;
                    continue;
                }
                let first = matches.len();
                found.take(room - first, &mut matches);
                parents.resize(matches.len(), p);
                let rows = matches[first..].iter();
                multiplicity
                    .extend(rows.map(|row| own.saturating_mul(sorted.rows.multiplicity[*row as usize])));
                if found.is_empty() {
                    self.cursor += 1;
                } else {
                    self.left = Some(found);
                }
            }
            if parents.is_empty() {
                continue;
            }
            let out = &mut chunk.groups[0];
            out.reset(parents.len());
            out.multiplicity = multiplicity.iter().any(|m| *m != 1).then_some(multiplicity);
            for (slot, from) in spec.probe_keep.iter().enumerate() {
                out.vectors[slot] = group.vectors[*from].gather(&parents);
            }
            for (slot, column) in sorted.rows.columns.iter().enumerate() {
                out.vectors[spec.probe_keep.len() + slot] = column.gather(&matches);
            }
            return Ok(true);
        }
    }

    fn reset(&mut self) {
        self.probe.reset();
        if !self.spec.constant {
            self.build.reset();
            self.sorted = SortedSide::default();
        }
        self.rest.clear();
        self.spilled = SpilledProbe::default();
        (self.cursor, self.left) = (0, None);
    }
}
