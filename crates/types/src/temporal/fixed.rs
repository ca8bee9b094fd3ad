//! A fixed-point number with 18 digits after the point: exact parts of durations, where binary fractions
//! would drift.

use std::ops::Neg;

use super::ratio::Ratio;

/// A number in units of 10^-18. The range is ±1.7·10^20.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Fixed(i128);

const ONE: i128 = 1_000_000_000_000_000_000;
const DIGITS: usize = 18;

impl Fixed {
    /// Zero.
    pub const ZERO: Self = Self(0);

    /// A whole number.
    pub const fn whole(number: i64) -> Self {
        Self(number as i128 * ONE)
    }

    /// The shortest decimal that reads back as `number`, cut after 18 digits; `None` if not finite or out of
    /// range.
    pub fn from_float(number: f64) -> Option<Self> {
        number.is_finite().then(|| Self::parse(&number.to_string()))?
    }

    /// Reads `[+-]digits[.digits]`, `,` being as good as `.`; digits after the 18th are dropped.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (whole, fraction) = digits.split_once(['.', ',']).unwrap_or((digits, "0"));
        let all_digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        if !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        let fraction: String = fraction.chars().chain(std::iter::repeat('0')).take(DIGITS).collect();
        let units = whole.parse::<i128>().ok()?.checked_mul(ONE)?.checked_add(fraction.parse().ok()?)?;
        Some(Self(if negative { -units } else { units }))
    }

    /// The number without its fraction, and the fraction with the same sign; `None` if it does not fit.
    pub fn split(self) -> Option<(i64, Self)> {
        Some((i64::try_from(self.0 / ONE).ok()?, Self(self.0 % ONE)))
    }

    /// Times `numerator / denominator`, towards zero; `None` on overflow or division by zero.
    pub fn scale(self, numerator: i128, denominator: i128) -> Option<Self> {
        // Dividing first keeps the products far below 2^127; the remainder brings back what that drops.
        let whole = self.0.checked_div(denominator)?.checked_mul(numerator)?;
        let rest = self.0.checked_rem(denominator)?.checked_mul(numerator)?.checked_div(denominator)?;
        whole.checked_add(rest).map(Self)
    }

    /// Sum.
    pub fn plus(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// Times `factor`, towards zero; `None` on overflow.
    pub fn times(self, factor: Ratio) -> Option<Self> {
        factor.times(self.0).map(Self)
    }
}

impl Neg for Fixed {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}
