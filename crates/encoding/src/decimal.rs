//! Floats that were written as decimals: `value[i] = integer[i] / 10^exponent`, and those of which that is
//! not true to the last bit as they are, found by a rank. One division and one look at a bit: constant time.
//!
//! Division by a power of ten up to 10^22 is rounded once, as reading the decimal is, so that every decimal
//! of at most 15 digits comes back exactly. NaN with its payload, infinities and -0.0 are exceptions.
//!
//! Source: Afroozeh, Kuffó, Boncz: ALP, SIGMOD 2024 (decimals as integers, exceptions apart); theirs
//! multiplies by two powers, for vectors.

use crate::packed::{Packed, PackedView, pack};
use crate::rank::{RankBits, RankView};

/// Powers of ten that are exact.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];
/// Exponents tried: a float has 15 to 17 decimal digits.
const EXPONENTS: u8 = 16;
/// Values that choose the exponent.
const SAMPLE: usize = 512;
/// Integers unpacked at once: they stay in the first cache.
const UNPACKED: usize = 256;
/// Integers are below this, where every one is a float.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// An encoded run of at most 65,536 floats.
#[derive(Clone, Debug, PartialEq)]
pub struct Decimals {
    /// The power of ten.
    pub exponent: u8,
    /// Integers; at an exception any.
    pub integers: Packed,
    /// Which are exceptions, and they.
    pub exceptions: Option<(RankBits, Vec<f64>)>,
}

/// Floats read in place.
#[derive(Clone, Copy, Debug)]
pub struct DecimalsView<'a> {
    power: f64,
    integers: PackedView<'a>,
    exceptions: Option<(RankView<'a>, &'a [f64])>,
}

fn integer(value: f64, power: f64) -> Option<i64> {
    let scaled = (value * power).round();
    if scaled.abs() >= EXACT_MAX || scaled.is_nan() {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
    let integer = scaled as i64;
    (float(integer, power).to_bits() == value.to_bits()).then_some(integer)
}

#[inline(always)]
fn float(integer: i64, power: f64) -> f64 {
    integer as f64 / power
}

/// Encodes `values`; `None` where more than one in eight would be an exception, or there are none.
pub fn pack_decimals(values: &[f64]) -> Option<Decimals> {
    let stride = (values.len() / SAMPLE).max(1);
    let fails = |e: u8| {
        let power = POWERS[usize::from(e)];
        values.iter().step_by(stride).filter(|v| integer(**v, power).is_none()).count()
    };
    // The smallest exponent among the best: larger ones only make integers longer.
    let exponent = (0..EXPONENTS).min_by_key(|e| fails(*e))?;
    let power = POWERS[usize::from(exponent)];
    let found: Vec<Option<i64>> = values.iter().map(|v| integer(*v, power)).collect();
    let exceptions: Vec<f64> =
        values.iter().zip(&found).filter(|(_, i)| i.is_none()).map(|(v, _)| *v).collect();
    if values.is_empty() || exceptions.len() * 8 > values.len() {
        return None;
    }
    let any = found.iter().flatten().next().copied().unwrap_or(0);
    let integers = pack(&found.iter().map(|i| i.unwrap_or(any)).collect::<Vec<_>>());
    let flags: Vec<bool> = found.iter().map(Option::is_none).collect();
    let exceptions = (!exceptions.is_empty()).then(|| (RankBits::new(&flags), exceptions));
    Some(Decimals { exponent, integers, exceptions })
}

impl<'a> DecimalsView<'a> {
    /// `None` if there is no such power.
    pub fn new(
        exponent: u8,
        integers: PackedView<'a>,
        exceptions: Option<(RankView<'a>, &'a [f64])>,
    ) -> Option<Self> {
        Some(Self { power: *POWERS.get(usize::from(exponent))?, integers, exceptions })
    }

    /// Value `i`.
    #[inline]
    pub fn get(&self, i: usize) -> f64 {
        self.value(i, self.integers.get(i))
    }

    /// The integers, to be read elsewhere; [`Self::value`] makes floats of them.
    pub fn integers(&self) -> PackedView<'a> {
        self.integers
    }

    /// Value `i`, of which the integer is known.
    #[inline(always)]
    pub fn value(&self, i: usize, integer: i64) -> f64 {
        if let Some((rank, values)) = &self.exceptions {
            let (before, here) = rank.look(i);
            if here == 1 {
                return values.get(before).copied().unwrap_or(f64::NAN);
            }
        }
        float(integer, self.power)
    }

    /// Values `from..from + out.len()`.
    ///
    /// **Cost**: integers are unpacked and divided in runs, without a branch per value; exceptions are put
    /// over them, for 64 values a look where there are some in the segment.
    pub fn unpack(&self, from: usize, out: &mut [f64]) {
        let mut integers = [0i64; UNPACKED];
        for (k, out) in out.chunks_mut(UNPACKED).enumerate() {
            let integers = &mut integers[..out.len()];
            self.integers.unpack(from + k * UNPACKED, integers);
            for (out, integer) in out.iter_mut().zip(integers) {
                *out = float(*integer, self.power);
            }
        }
        let Some((rank, values)) = &self.exceptions else { return };
        let (mut before, _) = rank.look(from);
        for (k, out) in out.chunks_mut(64).enumerate() {
            let mut here = rank.window(from + k * 64) & (u64::MAX >> (64 - out.len()));
            while here != 0 {
                out[here.trailing_zeros() as usize] = values.get(before).copied().unwrap_or(f64::NAN);
                before += 1;
                here &= here - 1;
            }
        }
    }
}
