//! Random numbers that are the same on every platform: xoshiro256++ seeded by splitmix64, and distributions
//! made of IEEE additions, multiplications and divisions only (no library `exp` or `ln`, whose last bits
//! differ).
//!
//! Source: Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators" (2021); Lemire, "Fast Random
//! Integer Generation in an Interval" (2019).

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(super) struct Rng([u64; 4]);

impl Rng {
    /// The stream of `seed`; `stream` gives independent ones.
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        let mut state = seed ^ stream.wrapping_mul(0xD134_2543_DE82_EF95);
        Self(std::array::from_fn(|_| {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        }))
    }

    /// 64 random bits.
    #[inline]
    pub(super) fn bits(&mut self) -> u64 {
        let [a, b, c, d] = self.0;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.0 = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// Below `n`; 0 if `n` is 0.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "below n")]
    pub(super) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// In `0.0..1.0`.
    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "53 bits")]
    pub(super) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// True with probability `p`.
    #[inline]
    pub(super) fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// In `from..to`, or `from` if there is nothing between.
    #[inline]
    pub(super) fn between(&mut self, from: i64, to: i64) -> i64 {
        from + i64::try_from(self.below(usize::try_from(to - from).unwrap_or(0))).unwrap_or(0)
    }

    /// Below `n`, the small ones far more often: index `n·u³`, a power law of density `k^(-2/3)`.
    #[inline]
    pub(super) fn skewed(&mut self, n: usize) -> usize {
        let u = self.unit();
        floor(u * u * u * count(n)).min(n.saturating_sub(1))
    }

    /// One of `items`.
    #[inline]
    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// Standard normal, nearly: twelve uniforms (so never beyond ±6).
    pub(super) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// Exponential with this mean.
    pub(super) fn exponential(&mut self, mean: f64) -> f64 {
        -mean * ln(1.0 - self.unit())
    }

    /// Log-normal with this mean; `sigma` is that of the logarithm.
    pub(super) fn lognormal(&mut self, mean: f64, sigma: f64) -> f64 {
        mean * exp(sigma * self.normal() - sigma * sigma / 2.0)
    }

    /// A whole number with this mean: its floor, or one more.
    pub(super) fn round(&mut self, mean: f64) -> usize {
        let whole = floor(mean);
        whole + usize::from(self.chance(mean - count(whole)))
    }
}

/// A count as a float.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(super) fn count(n: usize) -> f64 {
    n as f64
}

/// The whole part of a number that is not negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
pub(super) fn floor(x: f64) -> usize {
    x as usize
}

const LN_2: f64 = std::f64::consts::LN_2;

/// e^x by halving the argument and a Taylor series.
pub(super) fn exp(x: f64) -> f64 {
    let x = x.clamp(-700.0, 700.0) / 256.0;
    let mut term = 1.0;
    let mut sum = 1.0;
    for k in 1..14 {
        term *= x / f64::from(k);
        sum += term;
    }
    for _ in 0..8 {
        sum *= sum;
    }
    sum
}

/// Natural logarithm by bringing the argument to 2/3 … 4/3 and the series of the area tangent.
pub(super) fn ln(x: f64) -> f64 {
    if x <= 0.0 {
        return -700.0;
    }
    let (mut mantissa, mut power) = (x, 0.0);
    while mantissa > 4.0 / 3.0 {
        mantissa /= 2.0;
        power += 1.0;
    }
    while mantissa < 2.0 / 3.0 {
        mantissa *= 2.0;
        power -= 1.0;
    }
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let square = t * t;
    let mut sum = 0.0;
    let mut term = t;
    for k in 0..12 {
        sum += term / f64::from(2 * k + 1);
        term *= square;
    }
    2.0 * sum + power * LN_2
}
