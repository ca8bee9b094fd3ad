//! A straight line and what is left: `value[i] = base + step × (code[i] + (slope × i >> 16))`.
//!
//! For sequences that rise or fall steadily, such as keys and timestamps in the order of insertion: the frame
//! of reference needs bits for the whole range, this only for the distance to the line. A read is the frame's
//! and a multiplication. The line goes through the first and the last value.
//!
//! Everything wraps around, so that no stored slope can make a read fail.
//!
//! Source: Boffa, Ferragina, Vinciguerra: "A learned approach to design compressed rank/select data
//! structures", 2022, with one line for a segment.

use crate::packed::{Packed, PackedView, common_step, pack_stepless, range, stepless_bytes};

/// Bits of a slope after the point.
const FRACTION_BITS: u32 = 16;
/// Most that values may differ, in steps: times a fraction and 65,536 places it is within 64 bits.
const SPAN_MAX: u64 = 1 << 46;

/// An encoded run of integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    /// Steps a place, 16 bits of it after the point.
    pub slope: i64,
    /// What is left, with base and step.
    pub codes: Packed,
}

/// A run of integers read in place.
#[derive(Clone, Copy, Debug)]
pub struct LinearView<'a> {
    /// Steps a place, 16 bits of it after the point.
    pub slope: i64,
    /// What is left, with base and step.
    pub codes: PackedView<'a>,
}

/// Steps of the line at place `i`.
#[inline(always)]
pub fn line(slope: i64, i: usize) -> i64 {
    slope.wrapping_mul(i as i64) >> FRACTION_BITS
}

/// Encodes `values`; `None` where their range is too wide for a line, or codes take more than `bytes_max`.
pub fn pack_linear(values: &[i64], bytes_max: usize) -> Option<Linear> {
    let (low, high) = range(values)?;
    let step = common_step(values, low);
    let steps = |v: i64| step.steps(v.wrapping_sub(low).cast_unsigned());
    if steps(high) >= SPAN_MAX {
        return None;
    }
    // Below 2^46, so that differences and their shift are within 64 bits.
    let steps = |v: i64| steps(v).cast_signed();
    let rise = steps(*values.last()?) - steps(*values.first()?);
    let slope = (rise << FRACTION_BITS) / i64::try_from(values.len() - 1).ok()?.max(1);
    let left: Vec<i64> = values.iter().enumerate().map(|(i, v)| steps(*v) - line(slope, i)).collect();
    if stepless_bytes(&left) > bytes_max {
        return None;
    }
    let mut codes = pack_stepless(&left);
    codes.base = low.wrapping_add(codes.base.wrapping_mul(step.size.cast_signed()));
    codes.step = step.size;
    Some(Linear { slope, codes })
}

impl LinearView<'_> {
    /// Value `i`.
    #[inline]
    pub fn get(&self, i: usize) -> i64 {
        let steps = self.codes.code(i).cast_signed().wrapping_add(line(self.slope, i));
        self.codes.base.wrapping_add(steps.wrapping_mul(self.codes.step.cast_signed()))
    }

    /// Values `from..from + out.len()`.
    pub fn unpack(&self, from: usize, out: &mut [i64]) {
        self.codes.unpack(from, out);
        let step = self.codes.step.cast_signed();
        for (k, o) in out.iter_mut().enumerate() {
            *o = o.wrapping_add(line(self.slope, from + k).wrapping_mul(step));
        }
    }
}
