//! Spilling: operators that keep rows and are short of memory put them into temporary files.
//!
//! ```text
//! file       unnamed files, how much of them there is, what can go wrong
//! bytes, value, codec    rows to bytes and back
//! stored     rows in a file, batch by batch
//! tally      how many bytes a query, and each of its operators, put into files
//! hash       the hash of a row's key, the same whatever form the key comes in
//! partition  rows by the hash of their key, a part of which fits memory
//! dedupe     the first of each set of equivalent rows, of any number
//! ```
//!
//! An operator leaves a quarter of what it holds free for those that work at the same time, and a share of
//! the limit for each thread at least, so that several of them in one plan have room. It sees that this is
//! free and does not hold it: whoever needs it, itself too, may take it meanwhile. Buffers are of a fixed
//! size, a share of the limit; they are charged where there is room, and used in any case.

mod bytes;
mod codec;
mod dedupe;
mod file;
mod hash;
mod partition;
mod stored;
mod tally;
#[cfg(test)]
mod tests;
mod value;

use trimorph_base::Reservation;

use crate::Context;

pub(crate) use codec::Batch;
pub(crate) use dedupe::Dedupe;
pub use file::{SpillArea, SpillError, TemporaryDirectory, TemporaryFile, TemporaryFiles};
pub(crate) use hash::hashes;
pub(crate) use partition::{LEVELS_MAX, Partition, PartitionReader, Partitions};
pub(crate) use stored::{Stored, Writer};
pub(crate) use tally::{FileTally, Spilling};

/// Buffers of one operator are this part of the limit, and not smaller or larger than these.
const BUFFERS_SHARE: usize = 16;
const BUFFERS_BYTES_MIN: usize = 64 << 10;
const BUFFERS_BYTES_MAX: usize = 4 << 20;

/// What an operator takes in any case, so that it gets on: as much as rows of one chunk may need once what
/// was there before is in files.
pub(crate) const UNCHARGED_BYTES_MAX: usize = 8 << 20;

/// Bytes of a batch where an operator has `count` of them in memory.
pub(crate) fn batch_bytes(count: usize, cx: &Context<'_>) -> usize {
    let share = cx.settings.budget.limit_bytes() / BUFFERS_SHARE;
    share.clamp(BUFFERS_BYTES_MIN, BUFFERS_BYTES_MAX) / count.max(1)
}

/// What stays free at least, as parts of the limit: for each thread, which pins what it reads and has buffers
/// of its own, and for all. Half of the limit is theirs at most.
const SPARE_SHARE: usize = 8;
const SPARE_BYTES_MAX: usize = 8 << 20;
const THREAD_BYTES_MAX: usize = 16 << 20;

/// The room that stays free at least.
pub(crate) fn spare_least(cx: &Context<'_>) -> usize {
    let (limit, threads) = (cx.settings.budget.limit_bytes(), cx.settings.threads.max(1));
    let of_threads = (limit / SPARE_SHARE).min(THREAD_BYTES_MAX).saturating_mul(threads);
    (limit / SPARE_SHARE).min(SPARE_BYTES_MAX).saturating_add(of_threads).min(limit / 2)
}

/// What one thread has of the room that stays free, at least.
pub(crate) fn spare_of_thread(cx: &Context<'_>) -> usize {
    spare_least(cx) / (cx.settings.threads.max(1) + 1)
}

/// What is asked for beyond `bytes` that are held: room that stays free for others. As much for each other
/// operator that keeps rows: who comes first takes no more than its share.
pub(crate) fn spare_bytes(bytes: usize, cx: &Context<'_>) -> usize {
    let others = cx.settings.breakers.saturating_sub(1);
    (bytes / 4).max(bytes.saturating_mul(others)).max(spare_least(cx))
}

/// Holds what buffers take, or as much of it as there is.
pub(crate) fn hold_buffers(held: &mut Reservation, bytes: usize) {
    if held.resize(bytes).is_err() {
        // They are there, whether there is room or not.
        let _ = held.resize(held.bytes().min(bytes));
    }
}
