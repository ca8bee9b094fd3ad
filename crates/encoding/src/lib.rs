//! Encodings: pure functions between values and bytes. Reading one value at random is constant time in all of
//! them (GF-CL Desideratum 2).
#![forbid(unsafe_code)]

mod decimal;
mod linear;
mod packed;
mod rank;
mod runs;
mod strings;
#[cfg(test)]
mod tests;
mod unpack;
pub mod value_codec;
#[cfg(test)]
mod value_codec_tests;

pub use decimal::{Decimals, DecimalsView, pack_decimals};
pub use linear::{Linear, LinearView, line, pack_linear};
pub use packed::{Packed, PackedView, pack, pack_bytes, range};
pub use rank::{RANK_ENTRY_BYTES, RankBits, RankEntry, RankView, expand, expand_rank};
pub use runs::{Runs, RunsView, pack_runs};
pub use strings::{FsstEncoder, FsstTable, StringsView, compress_fsst, train_fsst};
