//! Filter: the values of a segment in; out, without reading, whether one may be among them.
//!
//! A literal that is asked for as the object of any predicate may be in hundreds of columns, and is in few: a
//! search in each costs microseconds, a look at a filter some nanoseconds. It takes two bytes for each
//! different value and is made once who looked for values has spent about what making it costs. It goes with
//! what was read of the segment; rows that were written since are in the delta.
//!
//! The elements of a list are values too, and numbers that are equal are one.
//!
//! Source: Bloom 1970; in blocks of a cache line's half: Putze, Sanders and Singler 2007, as Parquet has it.

use std::hash::Hasher;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHasher;
use trimorph_base::Reservation;
use trimorph_types::{LiteralKind, Value, hash_equivalent, rdf};
use trimorph_vector::{Values, Vector};

/// Bits of a different value: one in a thousand that are not there seems to be (Parquet's table).
const BITS: usize = 16;

/// Elements of lists of one segment above which no filter is made.
const VALUES_MAX: usize = 1 << 20;

/// Odd numbers, one a word of a block: the upper five bits of a product are the bit that is set. Parquet's.
const SALT: [u32; 8] =
    [0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31];

type Block = [u32; 8];

/// The filter of a segment, once it was made.
#[derive(Default)]
pub(super) struct Filter {
    /// Rows whose reading would have cost what searches did.
    spent: AtomicU64,
    made: OnceLock<Made>,
}

struct Made {
    /// None where there are too many values.
    blocks: Option<Box<[Block]>>,
    _held: Reservation,
}

/// What a filter knows of a value: the same of values that are equivalent, or the same literal: whatever the
/// name of a zone is, and whether a literal was made by its datatype.
pub fn hash_of(value: &Value) -> u64 {
    if let Value::Literal(literal) = value
        && let LiteralKind::Datatype(datatype) = &literal.kind
    {
        return hash_of_value(&rdf::literal(&literal.lexical, datatype));
    }
    hash_of_value(value)
}

fn hash_of_value(value: &Value) -> u64 {
    let mut state = FxHasher::default();
    match value {
        Value::String(text) => return hash_of_text(text),
        Value::DateTime(moment) => {
            state.write_i64(moment.seconds);
            state.write_i64(moment.nanos.into());
        }
        value => hash_equivalent(value, &mut state),
    }
    mixed(state.finish())
}

fn hash_of_text(text: &str) -> u64 {
    let mut state = FxHasher::default();
    state.write(text.as_bytes());
    mixed(state.finish())
}

/// All bits depend on all (the end of MurmurHash3).
fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}

fn bits_of(hash: u64) -> Block {
    let low = hash as u32;
    SALT.map(|salt| 1 << (low.wrapping_mul(salt) >> 27))
}

/// The block of a value among so many.
fn place(hash: u64, blocks: usize) -> usize {
    (((hash >> 32) * blocks as u64) >> 32) as usize
}

impl Filter {
    /// Whether such a value may be there; true as long as there is no filter.
    #[inline]
    pub(super) fn may_have(&self, hash: u64) -> bool {
        let Some(Made { blocks: Some(blocks), .. }) = self.made.get() else { return true };
        let block = blocks.get(place(hash, blocks.len()));
        block.is_none_or(|block| block.iter().zip(bits_of(hash)).all(|(own, bit)| own & bit != 0))
    }

    /// Whether searches, of which one more has cost what reading so many rows does, would have paid for a
    /// filter, which costs as much as reading `rows`. One of the threads that search is told.
    pub(super) fn pays(&self, spent: u64, rows: u64) -> bool {
        if self.made.get().is_some() {
            return false;
        }
        let before = self.spent.fetch_add(spent, Ordering::Relaxed);
        before < rows && before + spent >= rows
    }

    /// Searches pay for it anew: it could not be made.
    pub(super) fn pays_later(&self) {
        self.spent.store(0, Ordering::Relaxed);
    }

    /// Has the filter of these values, if `held` has room for it.
    pub(super) fn make(&self, hashes: Hashes, mut held: Reservation) {
        let blocks = hashes.blocks();
        if held.resize(blocks.as_ref().map_or(0, |blocks| size_of_val::<[Block]>(blocks))).is_err() {
            return self.pays_later();
        }
        _ = self.made.set(Made { blocks, _held: held });
    }
}

/// What filters know of the values of a segment.
#[derive(Default)]
pub(super) struct Hashes(Vec<u64>);

impl Hashes {
    /// Takes the values of some rows.
    pub(super) fn take(&mut self, values: &Vector<'_>, len: usize) {
        let there = (0..len).filter(|i| !values.is_null(*i));
        match &values.values {
            Values::String(texts) => self.0.extend(there.map(|i| hash_of_text(texts.get(i)))),
            _ => there.for_each(|i| self.take_value(&values.value(i, &|_| Value::Null))),
        }
    }

    fn take_value(&mut self, value: &Value) {
        match value {
            Value::List(items) => items.iter().for_each(|item| self.0.push(hash_of(item))),
            value => self.0.push(hash_of(value)),
        }
    }

    /// Whether there are more than a filter is made of.
    pub(super) fn are_many(&self) -> bool {
        self.0.len() > VALUES_MAX
    }

    fn blocks(mut self) -> Option<Box<[Block]>> {
        if self.are_many() {
            return None;
        }
        self.0.sort_unstable();
        self.0.dedup();
        let count = (self.0.len() * BITS).div_ceil(Block::default().len() * 32).max(1);
        let mut blocks = vec![Block::default(); count].into_boxed_slice();
        for hash in self.0 {
            if let Some(block) = blocks.get_mut(place(hash, count)) {
                block.iter_mut().zip(bits_of(hash)).for_each(|(own, bit)| *own |= bit);
            }
        }
        Some(blocks)
    }
}
