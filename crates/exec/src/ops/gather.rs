//! Gather: the rows of a pipeline that goes on to something serial, made on all cores, in rounds.
//!
//! 1. in a round the caller and threads that are free, each with a twin of the pipeline, fill a buffer of
//!    chunks until there is no more room
//! 2. the buffer is given out chunk by chunk; nothing runs meanwhile
//! 3. each round has twice the room of the one before, up to a limit: what is not fetched is not computed,
//!    but for as much again as was fetched
//!
//! A twin that ends a round within a morsel goes on from there in the next, on whichever thread takes it up:
//! the caller takes up all that nobody else does. Rows come in no certain order.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use trimorph_base::Reservation;
use trimorph_vector::{Chunk, Group, Vector};

use crate::operator::{BoxOperator, MakeTwin, Operator, Pipeline};
use crate::parallel::{Lead, lock, share};
use crate::rows::cell_bytes;
use crate::spill::batch_bytes;
use crate::{Context, ExecError};

/// Chunks of a round at most, for each thread: waiting for the last of another thread costs half a chunk of
/// these.
const CHUNKS_MAX: usize = 32;
/// Chunks of the first round for each thread, where all are wanted.
const CHUNKS_MIN: usize = 4;

/// What is gathered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GatherSpec {
    /// Slots of the pipeline's one group.
    pub(crate) slots: usize,
    /// Whether few of the rows may be wanted: below a LIMIT.
    pub(crate) eager: bool,
}

/// A twin, with what its thread sees; the caller's own sees what the caller does.
struct Member<'s> {
    op: BoxOperator<'s>,
    chunk: Chunk<'s>,
    cx: Option<Context<'s>>,
    ended: bool,
}

/// Chunks that wait to be given out.
struct Buffer<'s> {
    chunks: VecDeque<Group<'s>>,
    /// Chunks that are asked for, and how many there may be.
    room: usize,
    room_max: usize,
    bytes: usize,
    bytes_max: usize,
    held: Reservation,
    /// Other threads that are at it.
    helping: usize,
}

impl<'s> Buffer<'s> {
    /// Whether the caller, or another, makes no more chunks. The caller goes on while it would have to wait
    /// for others: a chunk of few rows may take them long.
    fn is_full(&self, is_caller: bool) -> bool {
        let enough = self.chunks.len() >= self.room && (!is_caller || self.helping == 0);
        enough || self.chunks.len() >= self.room_max
    }

    /// Takes a chunk in, also where there is no memory for it: then it is the last.
    fn push(&mut self, group: Group<'s>) {
        let bytes: usize = group.vectors.iter().map(cell_bytes).sum();
        self.bytes += bytes;
        if self.bytes > self.bytes_max || self.held.grow(bytes).is_err() {
            self.room_max = 0;
        }
        self.chunks.push_back(group);
    }
}

/// A group without positions.
fn empty<'s>(slots: usize) -> Group<'s> {
    Group { vectors: (0..slots).map(|_| Vector::empty()).collect(), ..Group::default() }
}

/// Gather over rows of one group.
pub(crate) struct Gather<'s> {
    twin: MakeTwin<'s>,
    threads: usize,
    slots: usize,
    /// The caller's first; the others when a thread first comes.
    members: Vec<Mutex<Option<Member<'s>>>>,
    ready: VecDeque<Group<'s>>,
    held: Option<Reservation>,
    /// Chunks of the first round, and of the next.
    room_min: usize,
    room: usize,
    is_first: bool,
}

impl<'s> Member<'s> {
    fn new(op: BoxOperator<'s>, slots: usize, cx: Option<Context<'s>>) -> Self {
        Self { op, chunk: Chunk::with_slots(&[slots]), cx, ended: false }
    }

    /// Puts chunks into the buffer until it is full or there are no more.
    fn run(&mut self, buffer: &Mutex<Buffer<'s>>, leader: Option<&Context<'s>>) -> Result<(), ExecError> {
        let Some(cx) = self.cx.as_ref().or(leader) else { return Ok(()) };
        while !self.ended && !lock(buffer).is_full(leader.is_some()) {
            cx.check()?;
            if !cx.settle(self.op.next(&mut self.chunk, cx))? {
                self.ended = true;
                break;
            }
            let Some(group) = self.chunk.groups.first_mut() else { break };
            let slots = group.vectors.len();
            let group = std::mem::replace(group, empty(slots));
            lock(buffer).push(group);
        }
        Ok(())
    }
}

impl<'s> Gather<'s> {
    /// The operator, or that of the pipeline where it has no twins.
    pub(crate) fn over(child: Pipeline<'s>, spec: GatherSpec, threads: usize) -> BoxOperator<'s> {
        let Pipeline { op, twin: Some(twin), .. } = child else { return child.op };
        let mut members = vec![Mutex::new(Some(Member::new(op, spec.slots, None)))];
        members.resize_with(threads.max(1), Mutex::default);
        let room = if spec.eager { 1 } else { CHUNKS_MIN * threads };
        Box::new(Self {
            twin,
            threads,
            slots: spec.slots,
            members,
            ready: VecDeque::new(),
            held: None,
            room_min: room,
            room,
            is_first: true,
        })
    }

    /// One round.
    fn fill(&mut self, cx: &Context<'s>) -> Result<(), ExecError> {
        let held = self.held.take().unwrap_or_else(|| cx.settings.budget.reservation());
        let room_max = CHUNKS_MAX * self.threads;
        let buffer = Mutex::new(Buffer {
            chunks: std::mem::take(&mut self.ready),
            room: self.room,
            room_max,
            bytes: 0,
            bytes_max: batch_bytes(1, cx),
            held,
            helping: 0,
        });
        let (lead, members, slots, twin) = (Lead::new(cx), &self.members, self.slots, &self.twin);
        let help = |place: usize| {
            let Some(member) = members.get(place + 1) else { return Ok(()) };
            // Somebody who is at it does not need help.
            let Ok(mut member) = member.try_lock() else { return Ok(()) };
            let member = match &mut *member {
                Some(member) => member,
                none => none.insert(Member::new(twin()?, slots, Some(lead.context()))),
            };
            lock(&buffer).helping += 1;
            let done = member.run(&buffer, None);
            lock(&buffer).helping -= 1;
            done
        };
        let own = || {
            for member in members {
                if let Ok(mut member) = member.try_lock()
                    && let Some(member) = &mut *member
                {
                    member.run(&buffer, Some(cx))?;
                }
            }
            Ok(())
        };
        let done = share(self.threads - 1, self.is_first, cx, help, own);
        let buffer = buffer.into_inner().unwrap_or_else(PoisonError::into_inner);
        (self.ready, self.held) = (buffer.chunks, Some(buffer.held));
        (self.room, self.is_first) = ((self.room * 2).min(room_max), false);
        done
    }
}

impl<'s> Operator<'s> for Gather<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        if self.ready.is_empty() {
            if let Some(held) = &mut self.held {
                held.resize(0)?;
            }
            self.fill(cx)?;
        }
        let Some(group) = self.ready.pop_front() else { return Ok(false) };
        let slots = chunk.groups[0].vectors.len();
        chunk.groups[0] = group;
        chunk.groups[0].vectors.resize_with(slots, Vector::empty);
        Ok(true)
    }

    fn reset(&mut self) {
        for member in &mut self.members {
            if let Some(member) = member.get_mut().unwrap_or_else(PoisonError::into_inner) {
                member.op.reset();
                member.ended = false;
            }
        }
        self.ready.clear();
        self.held = None;
        (self.room, self.is_first) = (self.room_min, true);
    }

    fn fills_anew(&self) -> bool {
        true
    }
}
