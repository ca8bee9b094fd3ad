//! Runs of equal values: a bit where a run starts, and the value of each run. Value `i` is that of the run
//! whose number is the rank of `i`: constant time.
//!
//! Source: design §3 (run-length with rank for random access); Abadi et al. 2006 for the encoding.

use crate::packed::{Packed, PackedView, pack};
use crate::rank::{RankBits, RankView};

/// An encoded run of at most 65,536 integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runs {
    /// Where runs start; the first place always is one.
    pub starts: RankBits,
    /// A value each.
    pub values: Packed,
}

/// Runs read in place.
#[derive(Clone, Copy, Debug)]
pub struct RunsView<'a> {
    /// Where runs start.
    pub starts: RankView<'a>,
    /// A value each.
    pub values: PackedView<'a>,
}

/// Encodes `values`; `None` unless runs are at least `least` long on average.
pub fn pack_runs(values: &[i64], least: usize) -> Option<Runs> {
    let runs = values.windows(2).filter(|w| w[0] != w[1]).count() + 1;
    if values.is_empty() || values.len() > RankBits::ROWS_MAX || runs.saturating_mul(least) > values.len() {
        return None;
    }
    let starts: Vec<bool> = (0..values.len()).map(|i| i == 0 || values[i] != values[i - 1]).collect();
    let firsts: Vec<i64> = values.iter().zip(&starts).filter(|(_, s)| **s).map(|(v, _)| *v).collect();
    Some(Runs { starts: RankBits::new(&starts), values: pack(&firsts) })
}

impl RunsView<'_> {
    /// Value `i`.
    #[inline]
    pub fn get(&self, i: usize) -> i64 {
        let (before, here) = self.starts.look(i);
        // The first place starts a run, so that there is one.
        self.values.get((before + here as usize).saturating_sub(1))
    }

    /// Values `from..from + out.len()`: one rank, then a value for each run.
    pub fn unpack(&self, from: usize, out: &mut [i64]) {
        let (mut run, mut value) = (self.starts.look(from).0, self.get(from));
        run += self.starts.look(from).1 as usize;
        for (k, out) in out.chunks_mut(64).enumerate() {
            let mut starts = self.starts.window(from + k * 64);
            if k == 0 {
                // The run that the first row is in has its value.
                starts &= !1;
            }
            let mut at = 0;
            while starts != 0 && (starts.trailing_zeros() as usize) < out.len() {
                let next = starts.trailing_zeros() as usize;
                out[at..next].fill(value);
                value = self.values.get(run);
                run += 1;
                at = next;
                starts &= starts - 1;
            }
            out[at..].fill(value);
        }
    }
}
