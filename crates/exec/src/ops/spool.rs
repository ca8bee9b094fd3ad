//! Spool: rows that several places of a plan read are made once, by whoever asks for them first, and kept in
//! the chunks in which they came. What memory has no room for goes to a file, in the order in which it came.

use std::sync::{Arc, OnceLock};

use trimorph_base::Reservation;
use trimorph_vector::{Chunk, Group, Selection, Vector};

use crate::operator::{BoxOperator, MakeTwin, Operator};
use crate::rows::{cell_bytes, general_bytes};
use crate::spill::{Stored, Writer, batch_bytes, spare_bytes};
use crate::{Context, ExecError};

/// What one place reads.
#[derive(Clone, Debug)]
pub(crate) struct SpoolSpec {
    /// The number of the spool.
    pub(crate) number: u32,
    /// Slots of the one group of its rows.
    pub(crate) slots: usize,
    /// Which of them become the slots here.
    pub(crate) keep: Vec<usize>,
}

/// The rows.
struct Kept<'s> {
    groups: Vec<Group<'s>>,
    /// Those that came after.
    rest: Option<Stored>,
    /// What the groups take.
    _held: Reservation,
}

/// The rows of a spool, made by whichever place asks first.
#[derive(Clone, Default)]
pub(crate) struct SpoolRows<'s>(Arc<OnceLock<Result<Kept<'s>, ExecError>>>);

impl<'s> Kept<'s> {
    fn of(mut input: BoxOperator<'s>, slots: usize, cx: &Context<'s>) -> Result<Self, ExecError> {
        let made = Self::read(&mut input, slots, cx);
        cx.leave(input);
        made
    }

    fn read(input: &mut BoxOperator<'s>, slots: usize, cx: &Context<'s>) -> Result<Self, ExecError> {
        let mut chunk = Chunk::with_slots(&[slots]);
        let (mut groups, mut held) = (Vec::new(), cx.settings.budget.reservation());
        let mut file: Option<(Writer, Stored)> = None;
        while input.next(&mut chunk, cx)? {
            cx.check()?;
            let group = &mut chunk.groups[0];
            if file.is_none() {
                let group = std::mem::replace(group, empty(slots));
                match make_room(&mut held, bytes_of(&group), cx) {
                    Ok(()) => {
                        groups.push(group);
                        continue;
                    }
                    Err(over) if cx.settings.spill.is_none() => return Err(over),
                    Err(_) => {
                        let writer = Writer::new(batch_bytes(1, cx), cx)?;
                        let stored = writer.stored();
                        file = Some((writer, stored));
                        chunk.groups[0] = group;
                    }
                }
            }
            if let Some((writer, stored)) = &mut file {
                let group = &chunk.groups[0];
                let columns: Vec<&Vector<'s>> = group.vectors.iter().collect();
                let multiplicity = |p: usize| group.multiplicity_at(p);
                writer.write(&columns, &group.positions(), &multiplicity, stored, cx)?;
            }
        }
        Ok(Self { groups, rest: file.map(|(_, stored)| stored), _held: held })
    }
}

/// A group without positions.
fn empty<'s>(slots: usize) -> Group<'s> {
    Group { vectors: (0..slots).map(|_| Vector::empty()).collect(), ..Group::default() }
}

/// What a group takes that is kept.
fn bytes_of(group: &Group<'_>) -> usize {
    let general = |vector: &Vector<'_>| usize::try_from(general_bytes(vector)).unwrap_or(usize::MAX / 4);
    let cells: usize =
        group.vectors.iter().map(|vector| cell_bytes(vector).saturating_add(general(vector))).sum();
    cells + group.multiplicity.as_ref().map_or(0, |all| all.capacity() * 8) + size_of::<Group<'_>>()
}

/// Holds so many more bytes, where as much stays free as others need beside it.
fn make_room(held: &mut Reservation, more: usize, cx: &Context<'_>) -> Result<(), ExecError> {
    let all = held.bytes() + more;
    let spare = if cx.settings.spill.is_some() { spare_bytes(all, cx) } else { 0 };
    Ok(held.resize_leaving(all, spare)?)
}

/// One place that reads the rows of a spool.
pub(crate) struct SpoolRead<'s> {
    spec: Arc<SpoolSpec>,
    rows: SpoolRows<'s>,
    /// Makes the operator that makes them.
    input: MakeTwin<'s>,
    /// The next group, or batch once these are over.
    next: usize,
    buffer: Vec<u8>,
}

impl<'s> SpoolRead<'s> {
    pub(crate) fn new(spec: Arc<SpoolSpec>, rows: SpoolRows<'s>, input: MakeTwin<'s>) -> Self {
        Self { spec, rows, input, next: 0, buffer: Vec::new() }
    }
}

impl<'s> Operator<'s> for SpoolRead<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        cx.check()?;
        let (rows, slots, input) = (self.rows.clone(), self.spec.slots, &self.input);
        let make = || Kept::of(input()?, slots, cx);
        let kept = match cx.settings.workers.once(&rows.0, make) {
            Ok(kept) => kept,
            Err(error) => return Err(error.clone()),
        };
        let out = &mut chunk.groups[0];
        let place = self.next;
        self.next += 1;
        if let Some(group) = kept.groups.get(place) {
            out.reset(group.len);
            out.selection = match group.flat {
                Some(_) => Selection::List(group.positions()),
                None => group.selection.clone(),
            };
            out.multiplicity = group.multiplicity.clone();
            for (slot, from) in self.spec.keep.iter().enumerate() {
                out.vectors[slot] = group.vectors[*from].clone();
            }
            return Ok(true);
        }
        let Some(rest) = &kept.rest else { return Ok(false) };
        let Some(batch) = rest.read(place - kept.groups.len(), &mut self.buffer, cx)? else {
            return Ok(false);
        };
        out.reset(batch.len());
        for (slot, from) in self.spec.keep.iter().enumerate() {
            out.vectors[slot] = batch.columns[*from].clone();
        }
        out.multiplicity = batch.multiplicity.iter().any(|m| *m != 1).then_some(batch.multiplicity);
        Ok(true)
    }

    fn reset(&mut self) {
        self.next = 0;
    }
}
