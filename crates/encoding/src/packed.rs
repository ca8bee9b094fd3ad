//! Frame of reference with suppressed width: `value[i] = base + step × code[i]`, codes of a fixed number of
//! bits.
//!
//! The step is the greatest common divisor of the differences, so that timestamps kept in nanoseconds but
//! given in milliseconds cost no bits for what they do not say. A read is one unaligned 64-bit load, a shift
//! and a mask; widths above 56 bits are rounded up to 64 so that one load is always enough.
//!
//! Byte layout: code `i` occupies bits `i·bits ..`, least significant first, followed by 8 zero bytes.
//!
//! Source: GF-CL §4–5 (leading-zero suppression); design §3.

use crate::unpack::{GROUP, each_group};

/// An encoded run of integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Bits per code, 0..=56 or 64; 8, 16 or 32 where little is lost by it.
    pub bits: u8,
    /// The smallest value.
    pub base: i64,
    /// What codes count.
    pub step: u64,
    /// The codes and 8 bytes of padding.
    pub bytes: Vec<u8>,
}

/// A run of integers read in place.
#[derive(Clone, Copy, Debug)]
pub struct PackedView<'a> {
    /// Bits per code.
    pub bits: u8,
    /// The smallest value.
    pub base: i64,
    /// What codes count.
    pub step: u64,
    /// The codes and at least 8 bytes of padding.
    pub bytes: &'a [u8],
}

const PAD_BYTES: usize = 8;
/// Values that are unpacked at once where something else is made of them.
const APPENDED: usize = 256;

/// Encodes `values` with bit-granular codes.
///
/// **Cost**: three passes; the division pass only where a step above 1 exists.
pub fn pack(values: &[i64]) -> Packed {
    pack_with(values, 1)
}

/// Encodes with whole-byte codes and step 1: what adjacency uses, since a hot read should not shift.
pub fn pack_bytes(values: &[i64]) -> Packed {
    pack_with(values, 8)
}

/// Encodes with bit-granular codes and step 1.
pub(crate) fn pack_stepless(values: &[i64]) -> Packed {
    pack_steps(values, 1, false)
}

fn pack_with(values: &[i64], granule: u32) -> Packed {
    pack_steps(values, granule, granule == 1)
}

fn pack_steps(values: &[i64], granule: u32, stepped: bool) -> Packed {
    let Some((low, high)) = range(values) else {
        return Packed { bits: 0, base: 0, step: 1, bytes: vec![0; PAD_BYTES] };
    };
    let step = if stepped { common_step(values, low) } else { Step::ONE };
    let bits = width_of(step.steps(high.wrapping_sub(low).cast_unsigned()), granule);
    let mut bytes = vec![0u8; packed_bytes(values.len(), bits)];
    let distance = |v: i64| v.wrapping_sub(low).cast_unsigned();
    match step.size {
        1 => pack_codes(values, distance, bits, &mut bytes),
        _ => pack_codes(values, |v| step.steps(distance(v)), bits, &mut bytes),
    }
    #[expect(clippy::cast_possible_truncation, reason = "at most 64")]
    let bits = bits as u8;
    Packed { bits, base: low, step: step.size, bytes }
}

/// Bits of codes up to `span`.
fn width_of(span: u64, granule: u32) -> u32 {
    match (u64::BITS - span.leading_zeros()).next_multiple_of(granule) {
        // Close to a machine width: an eighth more space, and whole vectors are compared without unpacking.
        7 => 8,
        14..16 => 16,
        28..32 => 32,
        57.. => 64,
        bits => bits,
    }
}

fn packed_bytes(len: usize, bits: u32) -> usize {
    (len * bits as usize).div_ceil(8) + PAD_BYTES
}

/// The bytes that [`pack_stepless`] makes of values.
pub(crate) fn stepless_bytes(values: &[i64]) -> usize {
    let span = range(values).map_or(0, |(low, high)| high.wrapping_sub(low).cast_unsigned());
    packed_bytes(values.len(), width_of(span, 1))
}

/// The smallest and the largest value; `None` of none.
pub fn range(values: &[i64]) -> Option<(i64, i64)> {
    let first = *values.first()?;
    // Both at once and without a branch, so that it is done in vectors.
    Some(values.iter().fold((first, first), |(low, high), v| (low.min(*v), high.max(*v))))
}

/// Writes codes of so many bits. Of machine widths they are stored as they are; else each is put behind the
/// bits of a byte that are left, and all eight bytes are stored: what is too much is stored again, or is
/// padding.
#[inline(always)]
fn pack_codes(values: &[i64], code: impl Fn(i64) -> u64, bits: u32, bytes: &mut [u8]) {
    macro_rules! whole {
        ($t:ty, $w:literal) => {
            for (v, out) in values.iter().zip(bytes.as_chunks_mut::<$w>().0) {
                *out = (code(*v) as $t).to_le_bytes();
            }
        };
    }
    match bits {
        0 => {}
        8 => whole!(u8, 1),
        16 => whole!(u16, 2),
        32 => whole!(u32, 4),
        64 => whole!(u64, 8),
        _ => {
            let (mut held, mut held_bits, mut at) = (0u64, 0u32, 0usize);
            for v in values {
                // At most 7 bits are held, and 56 come.
                held |= code(*v) << held_bits;
                if let Some(out) = bytes.get_mut(at..at + 8) {
                    out.copy_from_slice(&held.to_le_bytes());
                }
                let filled = held_bits + bits;
                at += (filled >> 3) as usize;
                held >>= filled & !7;
                held_bits = filled & 7;
            }
        }
    }
}

/// A number that some others are multiples of, and what divides those by it without a division: a
/// multiplication by the inverse of its odd part, modulo 2^64, and a shift.
///
/// Source: Warren, Hacker's Delight, "Exact Division by Constants" and "Test for Zero Remainder after
/// Division by a Constant".
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) size: u64,
    inverse: u64,
    zeros: u32,
    most: u64,
}

impl Step {
    pub(crate) const ONE: Self = Self { size: 1, inverse: 1, zeros: 0, most: u64::MAX };

    /// Of any number but 0.
    fn new(size: u64) -> Self {
        let zeros = size.trailing_zeros();
        let odd = size >> zeros;
        // Right to three bits; each round doubles them.
        let mut inverse = odd;
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        }
        Self { size, inverse, zeros, most: u64::MAX / size }
    }

    /// How many steps a multiple is.
    #[inline]
    pub(crate) fn steps(self, multiple: u64) -> u64 {
        multiple.wrapping_mul(self.inverse).rotate_right(self.zeros)
    }

    /// Whether it is a multiple.
    #[inline]
    fn divides(self, number: u64) -> bool {
        self.steps(number) <= self.most
    }
}

/// The greatest common divisor of the differences to `low`; 1 as soon as it is known to be.
pub(crate) fn common_step(values: &[i64], low: i64) -> Step {
    let mut step: Option<Step> = None;
    for v in values {
        let mut a = v.wrapping_sub(low).cast_unsigned();
        if a == 0 || step.is_some_and(|step| step.divides(a)) {
            continue;
        }
        let mut b = step.map_or(0, |step| step.size);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        if a == 1 {
            return Step::ONE;
        }
        step = Some(Step::new(a));
    }
    step.unwrap_or(Step::ONE)
}

impl Packed {
    /// Reads in place.
    pub fn view(&self) -> PackedView<'_> {
        PackedView { bits: self.bits, base: self.base, step: self.step, bytes: &self.bytes }
    }
}

impl<'a> PackedView<'a> {
    /// Whether `bytes` can hold `len` codes and the padding, and the step is one. Checked once when opened.
    pub fn holds(&self, len: usize) -> bool {
        let needed = len.checked_mul(self.bits as usize).map(|b| b.div_ceil(8) + PAD_BYTES);
        self.step > 0 && (self.bits <= 56 || self.bits == 64) && needed.is_some_and(|n| n <= self.bytes.len())
    }

    /// The code of value `i`; arbitrary past the last.
    #[inline]
    pub fn code(&self, i: usize) -> u64 {
        let bit = i.wrapping_mul(self.bits as usize);
        let raw = self.bytes.get(bit >> 3..).and_then(|b| b.first_chunk::<8>());
        let word = raw.map_or(0, |raw| u64::from_le_bytes(*raw)) >> (bit & 7);
        if self.bits == 64 { word } else { word & ((1u64 << self.bits) - 1) }
    }

    /// Value `i`.
    #[inline]
    pub fn get(&self, i: usize) -> i64 {
        self.base.wrapping_add(self.code(i).wrapping_mul(self.step).cast_signed())
    }

    /// Values `from..from + out.len()`.
    ///
    /// **Cost**: one load per value, no branch in the loop.
    pub fn unpack(&self, from: usize, out: &mut [i64]) {
        match (self.bits, self.step) {
            (0, _) => out.fill(self.base),
            (8, 1) => self.unpack_as::<1>(from, out),
            (16, 1) => self.unpack_as::<2>(from, out),
            (24, 1) => self.unpack_as::<3>(from, out),
            (32, 1) => self.unpack_as::<4>(from, out),
            (64, 1) => self.unpack_as::<8>(from, out),
            (64, _) => {
                for (k, o) in out.iter_mut().enumerate() {
                    *o = self.get(from + k);
                }
            }
            (_, step) => {
                let base = self.base;
                let (head, groups) = self.groups(from, out.len());
                for (k, o) in out[..head].iter_mut().enumerate() {
                    *o = self.get(from + k);
                }
                let (whole, _) = out[head..].as_chunks_mut::<GROUP>();
                let (whole, first) = (&mut whole[..groups], (from + head) / 8 * usize::from(self.bits));
                let mut whole = whole.iter_mut();
                let bytes = self.bytes.get(first..).unwrap_or_default();
                match step {
                    1 => each_group(self.bits, bytes, groups, |codes| {
                        if let Some(out) = whole.next() {
                            *out = codes.map(|code| base.wrapping_add(code.cast_signed()));
                        }
                    }),
                    _ => each_group(self.bits, bytes, groups, |codes| {
                        if let Some(out) = whole.next() {
                            *out = codes.map(|c| base.wrapping_add(c.wrapping_mul(step).cast_signed()));
                        }
                    }),
                }
                for (k, o) in out.iter_mut().enumerate().skip(head + groups * GROUP) {
                    *o = self.get(from + k);
                }
            }
        }
    }

    /// How many of `len` values come before the first group of codes that begins at a whole byte, and how
    /// many such groups there are.
    fn groups(&self, from: usize, len: usize) -> (usize, usize) {
        let head = from.wrapping_neg() % GROUP;
        let head = head.min(len);
        let held = self.codes_max().saturating_sub(from + head).min(len - head);
        (head, held / GROUP)
    }

    /// Appends what `convert` makes of values `from..from + len` to `out`.
    ///
    /// **Cost**: at whole-byte widths without a step, those of adjacency, a load and a store each; else as
    /// [`Self::unpack`], whose values stay in the first cache.
    #[inline]
    pub fn append<T>(&self, from: usize, len: usize, out: &mut Vec<T>, convert: impl Fn(i64) -> T) {
        macro_rules! whole {
            ($w:literal) => {{
                let (codes, _) = self.bytes[from * $w..(from + len) * $w].as_chunks::<$w>();
                out.extend(codes.iter().map(|code| {
                    let mut raw = [0u8; 8];
                    raw[..$w].copy_from_slice(code);
                    convert(self.base.wrapping_add(i64::from_le_bytes(raw)))
                }));
            }};
        }
        match (self.bits, self.step) {
            (8, 1) => whole!(1),
            (16, 1) => whole!(2),
            (24, 1) => whole!(3),
            (32, 1) => whole!(4),
            (40, 1) => whole!(5),
            (48, 1) => whole!(6),
            (56, 1) => whole!(7),
            _ => {
                let mut values = [0; APPENDED];
                for at in (0..len).step_by(APPENDED) {
                    let values = &mut values[..APPENDED.min(len - at)];
                    self.unpack(from + at, values);
                    out.extend(values.iter().map(|value| convert(*value)));
                }
            }
        }
    }

    /// The codes of the values in `low..=high`, if any value can be.
    pub fn code_range(&self, low: i64, high: i64) -> Option<(u64, u64)> {
        // Values are base + step × code, and no code is negative.
        let step = i128::from(self.step);
        let first = ((i128::from(low) - i128::from(self.base)).max(0) + step - 1).div_euclid(step);
        let last = (i128::from(high) - i128::from(self.base)).div_euclid(step);
        let clamp = |v: i128| u64::try_from(v).unwrap_or(u64::MAX);
        (first <= last).then(|| (clamp(first), clamp(last)))
    }

    /// How many of the codes of values `from..from + len` are in `first..=last`.
    ///
    /// **Cost**: at machine widths a vectorised comparison per code; otherwise a load, shift and mask each.
    #[inline]
    pub fn count_codes(&self, from: usize, len: usize, first: u64, last: u64) -> usize {
        macro_rules! count {
            ($t:ty, $w:literal) => {{
                let max = u64::from(<$t>::MAX);
                if first > max {
                    return 0;
                }
                // Both are at most the type's maximum.
                let (first, span) = (first as $t, (last.min(max) - first) as $t);
                let bytes = &self.bytes[from * $w..(from + len) * $w];
                let within = |c: &[u8]| {
                    let mut raw = [0u8; $w];
                    raw.copy_from_slice(c);
                    <$t>::from_le_bytes(raw).wrapping_sub(first) <= span
                };
                // Counted in the codes' own width where it cannot overflow, so that a vector of comparisons
                // is added up as it is.
                bytes
                    .chunks(128 * $w)
                    .map(|block| block.chunks_exact($w).map(|c| u8::from(within(c))).sum::<u8>() as usize)
                    .sum()
            }};
        }
        match self.bits {
            0 => {
                if first == 0 {
                    len
                } else {
                    0
                }
            }
            8 => count!(u8, 1),
            16 => count!(u16, 2),
            32 => count!(u32, 4),
            64 => count!(u64, 8),
            _ => self.count_groups(from, len, first, last),
        }
    }

    /// How many codes there can be in its bytes; none are kept where all values are one.
    pub fn codes_max(&self) -> usize {
        match self.bits {
            0 => usize::MAX,
            bits => (self.bytes.len().saturating_sub(PAD_BYTES) * 8) / bits as usize,
        }
    }

    /// Which of the codes of values `from..from + len` are in `first..=last`, as bits, 64 to a word of `out`;
    /// bits past `len` are 0.
    ///
    /// **Cost**: at machine widths a vectorised comparison a code and less than that to make bits of them;
    /// otherwise a load, shift and mask each.
    pub fn mask_codes(&self, from: usize, len: usize, first: u64, last: u64, out: &mut [u64]) {
        macro_rules! mask {
            ($t:ty, $w:literal) => {{
                let max = u64::from(<$t>::MAX);
                if first > max {
                    return out.fill(0);
                }
                // Both are at most the type's maximum.
                let (first, span) = (first as $t, (last.min(max) - first) as $t);
                let within = |code: [u8; $w]| <$t>::from_le_bytes(code).wrapping_sub(first) <= span;
                let (blocks, rest) = self.bytes[from * $w..(from + len) * $w].as_chunks::<{ 64 * $w }>();
                let (whole, part) = out.split_at_mut(blocks.len().min(out.len()));
                for (word, block) in whole.iter_mut().zip(blocks) {
                    *word = bits_of(block.as_chunks::<$w>().0, within);
                }
                if let Some(word) = part.first_mut() {
                    let mut block = [0u8; 64 * $w];
                    block[..rest.len()].copy_from_slice(rest);
                    *word = bits_of(block.as_chunks::<$w>().0, within) & ((1 << (rest.len() / $w)) - 1);
                }
            }};
        }
        match self.bits {
            0 => {
                out.fill(if first == 0 { u64::MAX } else { 0 });
                if let Some(word) = out.get_mut(len / 64) {
                    *word &= (1 << (len % 64)) - 1;
                }
            }
            8 => mask!(u8, 1),
            16 => mask!(u16, 2),
            32 => mask!(u32, 4),
            64 => mask!(u64, 8),
            _ if from.is_multiple_of(GROUP) => self.mask_groups(from, len, first, last, out),
            _ => {
                for (k, word) in out.iter_mut().enumerate() {
                    let codes = (from + k * 64)..(from + len).min(from + (k + 1) * 64);
                    *word = codes.enumerate().fold(0, |mask, (i, code)| {
                        mask | u64::from((first..=last).contains(&self.code(code))) << i
                    });
                }
            }
        }
    }

    /// [`Self::count_codes`] at any width below 57.
    #[inline(never)]
    fn count_groups(&self, from: usize, len: usize, first: u64, last: u64) -> usize {
        let (head, groups) = self.groups(from, len);
        let one_by_one = |codes: std::ops::Range<usize>| {
            codes.filter(|i| (first..=last).contains(&self.code(from + i))).count()
        };
        let bytes = self.bytes.get((from + head) / 8 * usize::from(self.bits)..).unwrap_or_default();
        let mut count = one_by_one(0..head) + one_by_one(head + groups * GROUP..len);
        let span = last.wrapping_sub(first);
        each_group(self.bits, bytes, groups, |codes| {
            count += codes.iter().filter(|code| code.wrapping_sub(first) <= span).count();
        });
        count
    }

    /// [`Self::mask_codes`] from the beginning of a group on, at any width below 57.
    #[inline(never)]
    fn mask_groups(&self, from: usize, len: usize, first: u64, last: u64, out: &mut [u64]) {
        let (_, groups) = self.groups(from, len);
        let bytes = self.bytes.get(from / 8 * usize::from(self.bits)..).unwrap_or_default();
        let span = last.wrapping_sub(first);
        let (mut k, mut word) = (0, 0);
        each_group(self.bits, bytes, groups, |codes| {
            let passes = codes.map(|code| u8::from(code.wrapping_sub(first) <= span));
            word |= eight_bits(passes) << (k % 8 * 8);
            k += 1;
            if k % 8 == 0 {
                out[k / 8 - 1] = word;
                word = 0;
            }
        });
        for i in groups * GROUP..len {
            word |= u64::from((first..=last).contains(&self.code(from + i))) << (i % 64);
            if i % 64 == 63 {
                out[i / 64] = word;
                word = 0;
            }
        }
        if let Some(rest) = out.get_mut(len / 64..) {
            rest.fill(0);
            if let Some(last) = rest.first_mut() {
                *last = word;
            }
        }
    }

    /// Whole-byte codes of `W` bytes.
    #[inline]
    fn unpack_as<const W: usize>(&self, from: usize, out: &mut [i64]) {
        let bytes = &self.bytes[from * W..from * W + out.len() * W];
        for (o, chunk) in out.iter_mut().zip(bytes.chunks_exact(W)) {
            let mut raw = [0u8; 8];
            raw[..W].copy_from_slice(chunk);
            *o = self.base.wrapping_add(i64::from_le_bytes(raw));
        }
    }
}

/// Which of 64 codes pass, as bits: a byte each first, in vectors, then 8 of them by a multiplication. (A bit
/// in a lane of the code's own width needs no narrowing, but took 1.9 to 2.6 times as long.)
#[inline(always)]
fn bits_of<const W: usize>(codes: &[[u8; W]], within: impl Fn([u8; W]) -> bool) -> u64 {
    let mut passes = [0u8; 64];
    for (pass, code) in passes.iter_mut().zip(codes) {
        *pass = u8::from(within(*code));
    }
    let mut out = 0;
    for (i, eight) in passes.as_chunks::<8>().0.iter().enumerate() {
        out |= eight_bits(*eight) << (i * 8);
    }
    out
}

/// The lowest bits of eight bytes, which have no others.
#[inline(always)]
fn eight_bits(bytes: [u8; 8]) -> u64 {
    // Each byte's bit is moved to the top byte, to its own place; none meets another.
    u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[i64]) {
        for packed in [pack(values), pack_bytes(values)] {
            let view = packed.view();
            assert!(view.holds(values.len()));
            for (i, v) in values.iter().enumerate() {
                assert_eq!(view.get(i), *v, "at {i} of {values:?}");
            }
            for (low, high) in
                [(i64::MIN, i64::MAX), (0, 100), (5, 5), (7, 3), (-17, 1 << 40), (i64::MIN, -1)]
            {
                let from = values.len() / 3;
                let expected = values[from..].iter().filter(|v| (low..=high).contains(*v)).count();
                let counted = view
                    .code_range(low, high)
                    .map_or(0, |(first, last)| view.count_codes(from, values.len() - from, first, last));
                assert_eq!(counted, expected, "{low}..={high}");
                assert!(view.codes_max() >= values.len());
                let mut masks = vec![0; (values.len() - from).div_ceil(64)];
                if let Some((first, last)) = view.code_range(low, high) {
                    view.mask_codes(from, values.len() - from, first, last, &mut masks);
                }
                for i in 0..masks.len() * 64 {
                    let within = values.get(from + i).is_some_and(|v| (low..=high).contains(v));
                    assert_eq!(
                        masks[i / 64] >> (i % 64) & 1 == 1,
                        within,
                        "bit {i} from {from}, {low}..={high}"
                    );
                }
            }
            let mut all = vec![0; values.len()];
            view.unpack(0, &mut all);
            assert_eq!(all, values);
            for (from, len) in [(1, 500), (8, 800), (15, 3), (333, 9), (5, 0), (990, 10)] {
                let Some(part) = values.get(from..from + len) else { continue };
                let mut out = vec![0; len];
                view.unpack(from, &mut out);
                assert_eq!(out, part, "{len} from {from}");
                for (low, high) in [(i64::MIN, i64::MAX), (0, 100), (5, 5), (-17, 1 << 40)] {
                    let expected: Vec<bool> = part.iter().map(|v| (low..=high).contains(v)).collect();
                    let mut masks = vec![u64::MAX; len.div_ceil(64)];
                    let (first, last) = view.code_range(low, high).unwrap_or((u64::MAX, u64::MAX));
                    view.mask_codes(from, len, first, last, &mut masks);
                    let masked: Vec<bool> = (0..len).map(|i| masks[i / 64] >> (i % 64) & 1 == 1).collect();
                    assert_eq!(masked, expected, "{low}..={high}, {len} from {from}");
                }
            }
            let (from, mut appended) = (values.len() / 3, vec![7]);
            view.append(from, values.len() - from, &mut appended, |v| v);
            assert_eq!(appended[1..], values[from..]);
        }
    }

    #[test]
    fn reads_back_every_value() {
        check(&[]);
        check(&[5]);
        check(&[7, 7, 7]);
        check(&[i64::MIN, i64::MAX, 0, -1]);
        check(&[1_300_000_000_000_000_000, 1_300_000_000_123_000_000, 1_299_999_999_000_000_000]);
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        for bits in 1..=63 {
            let values: Vec<i64> = (0..1000)
                .map(|_| {
                    seed ^= seed << 13;
                    seed ^= seed >> 7;
                    seed ^= seed << 17;
                    (seed >> (64 - bits)).cast_signed() - 17
                })
                .collect();
            check(&values);
        }
    }

    #[test]
    fn a_common_step_costs_no_bits() {
        let values: Vec<i64> = (0..100).map(|i| 1_000_000 * i + 3).collect();
        assert_eq!(pack(&values).bits, 8);
    }
}
