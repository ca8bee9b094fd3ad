//! Encodings: pure functions between values and bytes. Reading one value at random is constant time in all of them
//! (GF-CL Desideratum 2).
#![forbid(unsafe_code)]

mod packed;
mod rank;
mod strings;

pub use packed::{Packed, PackedView, pack, pack_bytes};
pub use rank::{RankBits, RankView, expand};
pub use strings::{FsstTable, StringsView, train_fsst};
