//! Factors of durations: a number of any kind in, a fraction of two 128-bit integers out.
//!
//! A duration's smallest part is 10^-9 s and its largest some 10^25 s, so no factor beyond 10^38 either way
//! makes anything of a duration but nothing or too much: such factors are brought to the ends of the range,
//! where they do just that.

use crate::Decimal;

/// A fraction; the numerator has the sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ratio {
    numerator: i128,
    /// Above zero.
    denominator: i128,
}

impl Ratio {
    /// A whole number.
    pub const fn whole(number: i64) -> Self {
        Self { numerator: number as i128, denominator: 1 }
    }

    /// The shortest decimal that reads back as `number`; `None` if it is not finite.
    pub fn from_float(number: f64) -> Option<Self> {
        if !number.is_finite() {
            return None;
        }
        // Such as "-1.25e-7": digits, and the power of ten of the first of them.
        let text = format!("{number:e}");
        let (digits, power) = text.split_once('e')?;
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let unscaled = format!("{whole}{fraction}").parse::<i128>().ok()?;
        let power = power.parse::<i32>().ok()? - i32::try_from(fraction.len()).ok()?;
        Some(Self::scaled(unscaled, power))
    }

    /// `unscaled · 10^power`.
    fn scaled(mut unscaled: i128, mut power: i32) -> Self {
        const POWER_MAX: i32 = 38;
        let sign = unscaled.signum();
        while power < -POWER_MAX && unscaled != 0 {
            unscaled /= 10;
            power += 1;
        }
        match (unscaled, 10_i128.checked_pow(power.unsigned_abs())) {
            (0, _) if sign == 0 => Self::whole(0),
            (0, _) => Self { numerator: sign, denominator: i128::MAX },
            (_, Some(ten)) if power < 0 => Self::reduced(unscaled, ten),
            (_, ten) => {
                let number = ten.and_then(|ten| unscaled.checked_mul(ten));
                Self { numerator: number.unwrap_or(i128::MAX * sign), denominator: 1 }
            }
        }
    }

    fn reduced(numerator: i128, denominator: i128) -> Self {
        let (mut a, mut b) = (numerator.unsigned_abs(), denominator.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let divisor = i128::try_from(a.max(1)).unwrap_or(1);
        Self { numerator: numerator / divisor, denominator: denominator / divisor }
    }

    /// Whether it is zero.
    pub const fn is_zero(self) -> bool {
        self.numerator == 0
    }

    /// One divided by it; `None` for zero.
    pub fn inverse(self) -> Option<Self> {
        let numerator = self.denominator.checked_mul(self.numerator.signum())?;
        let denominator = self.numerator.checked_abs()?;
        (denominator > 0).then_some(Self { numerator, denominator })
    }

    /// `number` times the ratio, towards zero; `None` on overflow.
    pub fn times(self, number: i128) -> Option<i128> {
        if let Some(product) = number.checked_mul(self.numerator) {
            return Some(product / self.denominator);
        }
        let negative = (number < 0) != (self.numerator < 0);
        let (a, b) = (number.unsigned_abs(), self.numerator.unsigned_abs());
        let quotient = i128::try_from(product_divided(a, b, self.denominator.unsigned_abs())?).ok()?;
        Some(if negative { -quotient } else { quotient })
    }
}

impl From<Decimal> for Ratio {
    fn from(number: Decimal) -> Self {
        Self::scaled(number.unscaled(), -i32::from(number.scale()))
    }
}

/// `a · b / divisor`, towards zero, with a product of 256 bits: digit by digit of `b`, by which the remainder
/// stays below the divisor, which is below 2^127. `None` if it needs more than 128 bits.
fn product_divided(a: u128, b: u128, divisor: u128) -> Option<u128> {
    let (whole, part) = (a.checked_div(divisor)?, a.checked_rem(divisor)?);
    let (mut quotient, mut rest) = (0_u128, 0_u128);
    for bit in (0..128 - b.leading_zeros()).rev() {
        // Twice what there is, and `part` once more where `b` has a bit.
        quotient = quotient.checked_mul(2)?;
        rest *= 2;
        if b >> bit & 1 == 1 {
            quotient = quotient.checked_add(whole)?;
            if rest >= divisor {
                (quotient, rest) = (quotient.checked_add(1)?, rest - divisor);
            }
            rest += part;
        }
        if rest >= divisor {
            (quotient, rest) = (quotient.checked_add(1)?, rest - divisor);
        }
    }
    Some(quotient)
}
