//! Deal: hands the rows of a serial pipeline to the twins of the one above it, some at a time. So plans that
//! start from few nodes, also from few that a scan leaves, or from the groups of an aggregation, go on on all
//! cores.
//!
//! Whoever asks takes rows of the chunk that is there, or pulls the next one for all. Shares become smaller
//! towards the end of a chunk, so that all are done at about the same time.
//!
//! Source: guided self-scheduling, Polychronopoulos and Kuck 1987.

use std::sync::{Arc, Mutex, Weak};

use trimorph_vector::{Chunk, Values, Vector};

use crate::operator::{BoxOperator, Operator};
use crate::parallel::{Lead, lock};
use crate::{Context, ExecError};

/// Rows of a share at least: fewer make vectors so short that operators are felt.
const ROWS_MIN: usize = 64;

/// The pipeline, and the chunk of it that is being dealt.
struct Source<'s> {
    op: BoxOperator<'s>,
    chunk: Chunk<'s>,
    /// What the pipeline sees, whoever pulls it.
    cx: Option<Context<'s>>,
    /// The positions that are left are those from `next` on.
    positions: Vec<u32>,
    next: usize,
    /// Shares that were dealt.
    shares: u64,
    ended: bool,
}

/// What all twins share.
#[derive(Clone)]
pub(crate) struct Dealer<'s>(Arc<Mutex<Source<'s>>>);

impl<'s> Dealer<'s> {
    /// Deals the rows of `op`, which gives chunks of one group with so many slots.
    pub(crate) fn new(op: BoxOperator<'s>, slots: usize) -> Self {
        let chunk = Chunk::with_slots(&[slots]);
        let (positions, next, shares) = (Vec::new(), 0, 0);
        Self(Arc::new(Mutex::new(Source { op, chunk, cx: None, positions, next, shares, ended: false })))
    }

    /// For who is to find it without keeping it.
    pub(crate) fn weak(&self) -> WeakDealer<'s> {
        WeakDealer(Arc::downgrade(&self.0))
    }
}

/// A dealer as long as somebody else has it.
#[derive(Clone)]
pub(crate) struct WeakDealer<'s>(Weak<Mutex<Source<'s>>>);

impl<'s> WeakDealer<'s> {
    /// The dealer, if it is still there.
    pub(crate) fn get(&self) -> Option<Dealer<'s>> {
        self.0.upgrade().map(Dealer)
    }
}

impl<'s> Source<'s> {
    /// Pulls the next chunk; `false` if there is none.
    fn advance(&mut self, cx: &Context<'s>) -> Result<bool, ExecError> {
        if self.ended {
            return Ok(false);
        }
        let own = self.cx.get_or_insert_with(|| Lead::new(cx).context());
        let more = own.settle(self.op.next(&mut self.chunk, own));
        // Who asks again after an error is told that there is no more.
        self.ended = !matches!(more, Ok(true));
        self.next = 0;
        self.positions = if self.ended { Vec::new() } else { self.chunk.groups[0].positions() };
        more
    }
}

/// Deal, for one twin.
pub(crate) struct Deal<'s> {
    dealer: Dealer<'s>,
    number: usize,
}

impl<'s> Deal<'s> {
    /// For the node of that number in the plan.
    pub(crate) fn new(dealer: Dealer<'s>, number: usize) -> Self {
        Self { dealer, number }
    }
}

impl<'s> Operator<'s> for Deal<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        cx.check()?;
        let mut source = lock(&self.dealer.0);
        while source.next == source.positions.len() {
            if !source.advance(cx)? {
                return Ok(false);
            }
        }
        let left = &source.positions[source.next..];
        let least = if cx.settings.patient { ROWS_MIN } else { 1 };
        let share = (left.len() / (2 * cx.settings.threads.max(1))).max(least).min(left.len());
        let positions = &left[..share];
        let (from, out) = (&source.chunk.groups[0], &mut chunk.groups[0]);
        out.reset(share);
        for (slot, vector) in out.vectors.iter_mut().zip(&from.vectors) {
            *slot = match &vector.values {
                // Of nodes that follow each other, more is read at once.
                Values::Node(nodes) if vector.nulls.is_none() => {
                    Vector::new(Values::Node(nodes.at(positions)))
                }
                _ => vector.gather(positions),
            };
        }
        out.multiplicity =
            from.multiplicity.as_ref().map(|all| positions.iter().map(|p| all[*p as usize]).collect());
        source.next += share;
        source.shares += 1;
        cx.begin_part(self.number, source.shares);
        Ok(true)
    }

    fn reset(&mut self) {
        let mut source = lock(&self.dealer.0);
        source.op.reset();
        source.positions.clear();
        (source.next, source.shares, source.ended) = (0, 0, false);
    }
}
