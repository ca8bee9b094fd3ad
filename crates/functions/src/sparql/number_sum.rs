//! SPARQL's sum of numbers as it grows: a number at a time in, the sum in the widest of their types out.
//!
//! Each type is summed for itself, integers in 128 bits, decimals exactly as long as their digits do, doubles
//! with compensation; so the order of the terms, and how they are split over threads, changes nothing but the
//! rounding of `xsd:float`. A sum that 38 digits do not write is SPARQL's error: null.
//!
//! Source: SPARQL 1.1, §18.5.1.3; XPath and XQuery Functions and Operators 3.1, §4.2.

use trimorph_base::Diagnostic;
use trimorph_types::{Decimal, Value};

use super::arithmetic::{Operator, combine};
use super::number::Number;
use crate::aggregate::float_sum::FloatSum;
use crate::aggregate::parts::{boolean, float, halves, integer, whole};
use crate::error::{overflow, wrong_type};

/// The sum of what was seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct NumberSum {
    ints: i128,
    decimals: Option<Decimals>,
    /// Of `xsd:float`.
    singles: Option<f32>,
    doubles: FloatSum,
    any_double: bool,
    /// Whether there is no sum any more.
    is_error: bool,
}

/// A sum of decimals, with as many digits behind the point as the term that had most: zeros at its end are
/// seen to when it is asked for.
#[derive(Clone, Copy, Debug)]
struct Decimals {
    unscaled: i128,
    scale: u8,
}

impl Decimals {
    fn of(number: Decimal) -> Self {
        Self { unscaled: number.unscaled(), scale: number.scale() }
    }

    fn number(self) -> Option<Decimal> {
        Decimal::new(self.unscaled, self.scale)
    }

    /// The sum with a term, as long as all digits of both are kept and a decimal has as many.
    #[inline]
    fn plus(self, number: Decimal) -> Option<Self> {
        let term = number.unscaled();
        let (a, b, scale) = match self.scale.checked_sub(number.scale()) {
            Some(0) => (self.unscaled, term, self.scale),
            Some(more) => (self.unscaled, term.checked_mul(ten_to(more)?)?, self.scale),
            None => {
                let more = number.scale() - self.scale;
                (self.unscaled.checked_mul(ten_to(more)?)?, term, number.scale())
            }
        };
        let unscaled = a.checked_add(b)?;
        (unscaled.unsigned_abs() < END).then_some(Self { unscaled, scale })
    }
}

/// No decimal has more digits than the numbers below.
const END: u128 = 10_u128.pow(Decimal::DIGITS_MAX as u32);

fn ten_to(digits: u8) -> Option<i128> {
    10_i128.checked_pow(digits.into())
}

impl NumberSum {
    /// The sum of integers.
    pub(crate) fn of_integers(sum: i128) -> Self {
        Self { ints: sum, ..Self::default() }
    }

    /// The sum of `count` doubles.
    pub(crate) fn of_floats(doubles: FloatSum, count: u64) -> Self {
        Self { doubles, any_double: count > 0, ..Self::default() }
    }

    /// Takes a number as often as `weight` says.
    ///
    /// **Errors**: a value that is no number.
    #[expect(clippy::cast_precision_loss, reason = "a float sum is approximate")]
    pub(crate) fn update(&mut self, value: &Value, weight: u64) -> Result<(), Diagnostic> {
        match Number::of(value) {
            Some(Number::Int(n)) => return self.add_integer(n, weight),
            Some(Number::Decimal(n)) => self.add_decimal(n, weight),
            Some(Number::Double(x)) => self.add_float(x, weight),
            Some(Number::Big(n)) => {
                let sum = n.whole().checked_mul(weight.into()).and_then(|term| self.ints.checked_add(term));
                self.keep(sum, |own, sum| own.ints = sum);
            }
            Some(Number::Float(x)) => {
                let term = if weight == 1 { x } else { x * weight as f32 };
                self.singles = Some(self.singles.unwrap_or(0.0) + term);
            }
            None => return Err(wrong_type("sum()", "numbers", value)),
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn add_integer(&mut self, n: i64, weight: u64) -> Result<(), Diagnostic> {
        // A product of 64-bit integers fits 128.
        let sum = self.ints.checked_add(i128::from(n) * i128::from(weight));
        self.ints = sum.ok_or_else(|| overflow("sum()"))?;
        Ok(())
    }

    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "a float sum is approximate")]
    pub(crate) fn add_float(&mut self, x: f64, weight: u64) {
        self.any_double = true;
        self.doubles.add(x, weight as f64);
    }

    #[inline]
    pub(crate) fn add_decimal(&mut self, n: Decimal, weight: u64) {
        if weight == 1
            && let Some(sum) = self.decimals.map_or(Some(Decimals::of(n)), |sum| sum.plus(n))
        {
            self.decimals = Some(sum);
            return;
        }
        self.add_rarely(n, weight);
    }

    /// The same where digits are lost, or a number counts often.
    #[cold]
    fn add_rarely(&mut self, n: Decimal, weight: u64) {
        let sum = || {
            let weight = Number::Decimal(Decimal::new(weight.into(), 0)?);
            let term = combine(Operator::Mul, Number::Decimal(n), weight)?;
            let sum = match self.decimals {
                Some(sum) => Number::Decimal(sum.number()?),
                None => Number::Decimal(Decimal::default()),
            };
            combine(Operator::Add, sum, term)?.exact()
        };
        let sum = sum();
        self.keep(sum, |own, sum| own.decimals = Some(Decimals::of(sum)));
    }

    fn keep<T>(&mut self, sum: Option<T>, to: impl FnOnce(&mut Self, T)) {
        match sum {
            Some(sum) => to(self, sum),
            None => self.is_error = true,
        }
    }

    /// Takes all that another has taken.
    ///
    /// **Errors**: integers beyond 128 bits.
    pub(crate) fn merge(&mut self, other: &Self) -> Result<(), Diagnostic> {
        self.ints = self.ints.checked_add(other.ints).ok_or_else(|| overflow("sum()"))?;
        match other.decimals.map(Decimals::number) {
            Some(Some(sum)) => self.add_decimal(sum, 1),
            Some(None) => self.is_error = true,
            None => {}
        }
        if let Some(sum) = other.singles {
            self.singles = Some(self.singles.unwrap_or(0.0) + sum);
        }
        self.doubles.merge(other.doubles);
        self.any_double |= other.any_double;
        self.is_error |= other.is_error;
        Ok(())
    }

    /// The sum; integer zero if there was nothing, and null if it is SPARQL's error.
    pub(crate) fn total(&self) -> Value {
        self.sum().map_or(Value::Null, Number::value)
    }

    #[expect(clippy::cast_precision_loss, reason = "rounding is what promotion means")]
    fn sum(&self) -> Option<Number> {
        if self.is_error {
            return None;
        }
        if self.any_double {
            let mut doubles = self.doubles;
            doubles.add(self.ints as f64, 1.0);
            if let Some(sum) = self.decimals {
                doubles.add(sum.number()?.to_float(), 1.0);
            }
            if let Some(sum) = self.singles {
                doubles.add(sum.into(), 1.0);
            }
            return Some(Number::Double(doubles.divided(1.0)));
        }
        let mut sum = Number::integer(Decimal::new(self.ints, 0)?);
        if let Some(decimals) = self.decimals {
            sum = combine(Operator::Add, sum, Number::Decimal(decimals.number()?))?;
        }
        match self.singles {
            Some(singles) => combine(Operator::Add, sum, Number::Float(singles)),
            None => Some(sum),
        }
    }

    /// All that was seen.
    pub(crate) fn to_value(&self) -> Value {
        let [high, low] = halves(self.ints);
        let decimals = self.decimals.map_or_else(Vec::new, |sum| {
            let [high, low] = halves(sum.unscaled);
            vec![high, low, Value::Int(sum.scale.into())]
        });
        Value::list(vec![
            high,
            low,
            Value::list(decimals),
            self.singles.map_or(Value::Null, |sum| Value::Float(sum.into())),
            Value::Float(self.doubles.sum),
            Value::Float(self.doubles.compensation),
            Value::Bool(self.doubles.is_large),
            Value::Bool(self.any_double),
            Value::Bool(self.is_error),
        ])
    }

    /// Takes what [`Self::to_value`] gave.
    #[expect(clippy::cast_possible_truncation, reason = "a float of 32 bits was kept as one of 64")]
    pub(crate) fn restore(&mut self, value: &Value) -> Option<()> {
        let Value::List(parts) = value else { return None };
        let [high, low, Value::List(decimals), singles, sum, compensation, is_large, any, is_error] =
            &parts[..]
        else {
            return None;
        };
        let sum_of_decimals = match &decimals[..] {
            [] => None,
            [high, low, scale] => {
                Some(Decimals { unscaled: whole(high, low)?, scale: u8::try_from(integer(scale)?).ok()? })
            }
            _ => return None,
        };
        let is_large = boolean(is_large)?;
        *self = Self {
            ints: whole(high, low)?,
            decimals: sum_of_decimals,
            singles: float(singles).map(|sum| sum as f32),
            doubles: FloatSum { sum: float(sum)?, compensation: float(compensation)?, is_large },
            any_double: boolean(any)?,
            is_error: boolean(is_error)?,
        };
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(terms: &[&str]) -> String {
        let mut sum = NumberSum::default();
        for term in terms {
            sum.update(&Value::Decimal(Decimal::parse(term).unwrap()), 1).unwrap();
        }
        format!("{:?}", sum.total())
    }

    /// Digits behind the point go before a sum does; what 38 digits do not write is an error.
    #[test]
    fn sums_of_many_digits() {
        let most = "9".repeat(38);
        let decimal = |text: &str| format!("{:?}", Value::Decimal(Decimal::parse(text).unwrap()));
        assert_eq!(sum(&["0.5", "0.25"]), decimal("0.75"));
        let many = "123456789012345678901234567890.5";
        assert_eq!(sum(&[many, "0.0000000000001"]), decimal(many));
        assert_eq!(sum(&[&most, "0.5"]), decimal(&most));
        assert_eq!(sum(&[&most, "1"]), "Null");
        assert_eq!(sum(&[&most, "1", &format!("-{most}")]), "Null");
    }
}
