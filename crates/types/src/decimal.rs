//! Decimal numbers: takes digits, gives an exact number with text, order and arithmetic.
//!
//! A number is `unscaled · 10^-scale` with at most 38 digits and a scale of at most 38. It is kept without
//! trailing zeros, so that equal decimals have equal bits. What would need more digits is refused; only
//! quotients are cut.
//!
//! Source: XML Schema 1.1 part 2, §3.3.3 (decimal; at least 16 digits, 18 in 1.0) and its canonical form.

use std::cmp::Ordering;
use std::fmt;

/// 10^38: above every unscaled number, and the unit that fractions are compared in.
const END: i128 = 10_i128.pow(Decimal::DIGITS_MAX as u32);

/// The powers of ten that floats hold exactly.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// The powers of ten that 64 bits hold.
const UNITS: [i64; 19] = {
    let mut units = [1; 19];
    let mut n = 1;
    while n < units.len() {
        units[n] = units[n - 1] * 10;
        n += 1;
    }
    units
};

/// The powers of five that 64 bits hold.
const FIVES: [i64; 28] = {
    let mut fives = [1; 28];
    let mut n = 1;
    while n < fives.len() {
        fives[n] = fives[n - 1] * 5;
        n += 1;
    }
    fives
};

/// A decimal number. `==` is numeric equality.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Decimal {
    // Two halves of an `i128`, which would make `Value` larger by its alignment.
    high: i64,
    low: u64,
    scale: u8,
}

impl Decimal {
    /// Most digits, and most digits after the point.
    pub const DIGITS_MAX: u8 = 38;

    /// `unscaled · 10^-scale`; `None` if that has too many digits.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number is cut in halves"
    )]
    pub fn new(mut unscaled: i128, mut scale: u8) -> Option<Self> {
        // Most have few digits, and a division of 64 bits takes a fraction of the time.
        if let Ok(mut few) = i64::try_from(unscaled) {
            while scale > 0 && few % 10 == 0 {
                few /= 10;
                scale -= 1;
            }
            unscaled = few.into();
        } else {
            while scale > 0 && unscaled % 10 == 0 {
                unscaled /= 10;
                scale -= 1;
            }
        }
        let fits = scale <= Self::DIGITS_MAX && unscaled.unsigned_abs() < END.unsigned_abs();
        fits.then_some(Self { high: (unscaled >> 64) as i64, low: unscaled as u64, scale })
    }

    /// `units · 10^-scale`, of a scale that there is.
    ///
    /// **Cost**: a division of 64 bits for each zero that says nothing, and one more.
    #[inline]
    #[expect(clippy::cast_sign_loss, reason = "the lower half of a number of 128 bits")]
    pub fn of_units(mut units: i64, mut scale: u8) -> Self {
        while scale > 0 && units % 10 == 0 {
            units /= 10;
            scale -= 1;
        }
        // 38 digits are more than 64 bits have.
        Self { high: units >> 63, low: units as u64, scale: scale.min(Self::DIGITS_MAX) }
    }

    /// 10^n, if 64 bits hold it.
    #[inline(always)]
    pub fn power(n: u8) -> Option<i64> {
        UNITS.get(usize::from(n)).copied()
    }

    /// So many times 10^-scale it is, if that is a whole number of 64 bits.
    #[inline]
    pub fn units(self, scale: u8) -> Option<i64> {
        let units = i64::try_from(self.unscaled()).ok()?;
        units.checked_mul(Self::power(scale.checked_sub(self.scale)?)?)
    }

    /// The number without its point, which never ends in a zero if there are digits after the point.
    #[inline]
    pub fn unscaled(self) -> i128 {
        i128::from(self.high) << 64 | i128::from(self.low)
    }

    /// Digits after the point.
    pub const fn scale(self) -> u8 {
        self.scale
    }

    /// Reads `[+-]digits[.digits]`, where one of the two may be empty; `None` if it is no such text or has
    /// too many digits.
    pub fn parse(text: &str) -> Option<Self> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let kept = fraction.trim_end_matches('0');
        let mut unscaled = 0_i128;
        for c in whole.chars().chain(kept.chars()) {
            unscaled = unscaled.checked_mul(10)?.checked_add(c.to_digit(10)?.into())?;
        }
        Self::new(sign * unscaled, u8::try_from(kept.len()).ok()?)
    }

    /// The nearest float.
    #[expect(clippy::cast_precision_loss, reason = "it was checked that the float holds the number")]
    pub fn to_float(self) -> f64 {
        // Of two numbers that floats hold exactly the quotient is rounded once (Clinger 1990, "How to Read
        // Floating Point Numbers Accurately").
        if let (Ok(number), Some(unit)) = (i64::try_from(self.unscaled()), TENS.get(usize::from(self.scale)))
            && number.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS
        {
            return number as f64 / unit;
        }
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// The part before the point, with the sign.
    pub fn whole(self) -> i128 {
        self.unscaled() / 10_i128.pow(self.scale.into())
    }

    /// The integer it is exactly, if it is one within `i64`.
    pub fn exact_int(self) -> Option<i64> {
        if self.scale == 0 { i64::try_from(self.unscaled()).ok() } else { None }
    }

    /// The float it is exactly, if there is one.
    #[expect(clippy::cast_precision_loss, reason = "the significant bits were checked to fit")]
    pub fn exact_float(self) -> Option<f64> {
        // n / 10^s is a binary fraction exactly if 5^s divides n. Most have few digits.
        if let (Ok(few), Some(fives)) = (i64::try_from(self.unscaled()), FIVES.get(usize::from(self.scale)))
            && few % fives != 0
        {
            return None;
        }
        let fives = 5_i128.pow(self.scale.into());
        let bits = self.unscaled() / fives;
        let exact = self.unscaled() % fives == 0
            && bits.unsigned_abs().checked_shr(bits.trailing_zeros()).unwrap_or(0)
                < 1 << f64::MANTISSA_DIGITS;
        exact.then(|| bits as f64 / (1_u64 << self.scale) as f64)
    }

    /// The place of this number relative to a float; `None` if that is NaN.
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "the range is checked")]
    pub fn compare_float(self, other: f64) -> Option<Ordering> {
        if other.is_nan() {
            return None;
        }
        // From 2^127 on, which is above 10^38, no float fits the integers below.
        if other.abs() >= i128::MAX as f64 {
            return Some(if other > 0.0 { Ordering::Less } else { Ordering::Greater });
        }
        let (whole, rest) = self.parts();
        let fraction = other.fract();
        // With equal whole parts both fractions have one sign, or the whole parts are zero.
        Some(whole.cmp(&(other as i128)).then_with(|| {
            let signs = rest.signum().cmp(&(i128::from(fraction > 0.0) - i128::from(fraction < 0.0)));
            let magnitudes = compare_fractions(rest.unsigned_abs(), fraction.abs());
            signs.then(if rest < 0 { magnitudes.reverse() } else { magnitudes })
        }))
    }

    /// The part before the point, and the part after it in units of 10^-38.
    fn parts(self) -> (i128, i128) {
        let unit = 10_i128.pow(self.scale.into());
        (self.unscaled() / unit, self.unscaled() % unit * (END / unit))
    }

    /// The same of any number of digits.
    #[cold]
    fn order_by_parts(self, other: Self) -> Ordering {
        self.parts().cmp(&other.parts())
    }

    /// Both numbers without their points, brought to the larger scale.
    fn aligned(self, other: Self) -> Option<(i128, i128, u8)> {
        let scale = self.scale.max(other.scale);
        let raise = |n: Self| n.unscaled().checked_mul(10_i128.pow((scale - n.scale).into()));
        Some((raise(self)?, raise(other)?, scale))
    }

    /// Sum; `None` if it has too many digits, as in the other operations.
    pub fn plus(self, other: Self) -> Option<Self> {
        let (a, b, scale) = self.aligned(other)?;
        Self::new(a.checked_add(b)?, scale)
    }

    /// Product.
    pub fn times(self, other: Self) -> Option<Self> {
        Self::new(self.unscaled().checked_mul(other.unscaled())?, self.scale + other.scale)
    }

    /// Quotient, cut after 18 digits behind the point (as many as the dividend has, if those are more), or
    /// where no more digits fit; `None` if the divisor is zero as well.
    pub fn divided(self, divisor: Self) -> Option<Self> {
        let digits = self.scale.max(18);
        let (a, b, _) = self.aligned(divisor)?;
        // All digits at once, where they fit.
        let raised = 10_i128.checked_pow(digits.into()).and_then(|unit| a.checked_mul(unit));
        match raised.and_then(|a| a.checked_div(b)) {
            Some(quotient) if quotient.unsigned_abs() < END.unsigned_abs() => Self::new(quotient, digits),
            _ => Self::divided_by_digit(a, b, digits),
        }
    }

    /// The quotient of two whole numbers, with as many digits behind the point as fit, one after the other.
    pub(crate) fn divided_by_digit(a: i128, b: i128, digits: u8) -> Option<Self> {
        let (mut quotient, mut rest, mut scale) = (a.checked_div(b)?, a % b, 0);
        while scale < digits && rest != 0 {
            let Some(next) = rest.checked_mul(10) else { break };
            let longer = quotient.checked_mul(10).and_then(|q| q.checked_add(next / b));
            let Some(longer) = longer.filter(|q| q.unsigned_abs() < END.unsigned_abs()) else { break };
            (quotient, rest, scale) = (longer, next % b, scale + 1);
        }
        Self::new(quotient, scale)
    }

    /// Remainder of the division towards zero.
    pub fn remainder(self, divisor: Self) -> Option<Self> {
        let (a, b, scale) = self.aligned(divisor)?;
        Self::new(a.checked_rem(b)?, scale)
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negated(self) -> Self {
        // The range is symmetric.
        Self::new(-self.unscaled(), self.scale).unwrap_or(self)
    }
}

/// Compares `decimal · 10^-38` with `binary`, both below 1, bit by bit: doubling is exact on either side.
fn compare_fractions(mut decimal: u128, mut binary: f64) -> Ordering {
    let unit = END.unsigned_abs();
    while decimal != 0 && binary != 0.0 {
        (decimal, binary) = (decimal * 2, binary * 2.0);
        let bits = (decimal >= unit, binary >= 1.0);
        if bits.0 != bits.1 {
            return bits.0.cmp(&bits.1);
        }
        if bits.0 {
            (decimal, binary) = (decimal - unit, binary - 1.0);
        }
    }
    (decimal != 0).cmp(&(binary != 0.0))
}

impl Ord for Decimal {
    #[inline(always)]
    fn cmp(&self, other: &Self) -> Ordering {
        match self.scale == other.scale {
            true => self.unscaled().cmp(&other.unscaled()),
            false => self.order_by_scales(*other),
        }
    }
}

impl Decimal {
    /// The order of numbers of different scales.
    fn order_by_scales(self, other: Self) -> Ordering {
        // Few digits fit, brought to one scale.
        if let (Ok(a), Ok(b)) = (i64::try_from(self.unscaled()), i64::try_from(other.unscaled()))
            && let Some(unit) = Self::power(self.scale.abs_diff(other.scale))
        {
            let (unit, a, b) = (i128::from(unit), i128::from(a), i128::from(b));
            return if self.scale < other.scale { (a * unit).cmp(&b) } else { a.cmp(&(b * unit)) };
        }
        self.order_by_parts(other)
    }
}

impl PartialOrd for Decimal {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<i64> for Decimal {
    fn from(number: i64) -> Self {
        Self::of_units(number, 0)
    }
}

/// The canonical form of XML Schema: no zeros that say nothing, and no point without digits after it.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = usize::from(self.scale);
        let digits = format!("{:0width$}", self.unscaled().unsigned_abs(), width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        let sign = if self.high < 0 { "-" } else { "" };
        let point = if scale == 0 { "" } else { "." };
        write!(f, "{sign}{whole}{point}{fraction}")
    }
}
