//! Sums of integers, floats, decimals and durations, and their means.
//!
//! Integers add up in 128 bits, so that only the result can overflow, whatever the order; floats add up with
//! compensation, so that splitting the input changes next to nothing; decimals are exact, or an error if they
//! need too many digits. With a float among them the sum is a float, else with a decimal a decimal.

use trimorph_base::Diagnostic;
use trimorph_types::temporal::Ratio;
use trimorph_types::{Decimal, Duration, Value};

use super::float_sum::FloatSum;
use super::parts::{boolean, float, halves, integer, whole};
use crate::error::{decimal_overflow, overflow, temporal, wrong_type};

/// A sum and the number of its terms.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    count: u64,
    ints: i128,
    floats: FloatSum,
    any_float: bool,
    any_int: bool,
    /// What is seldom summed lies apart: there may be many sums.
    rare: Option<Box<Rare>>,
}

/// Sums of decimals and durations, where there are any.
#[derive(Clone, Copy, Debug, Default)]
struct Rare {
    decimals: Option<Decimal>,
    durations: Option<DurationSum>,
}

/// Components summed on their own.
#[derive(Clone, Copy, Debug, Default)]
struct DurationSum {
    months: i128,
    days: i128,
    /// Seconds and nanoseconds.
    nanos: i128,
}

const NANOS_PER_SECOND: i128 = 1_000_000_000;

impl DurationSum {
    fn add(&mut self, other: &Self, weight: i128) -> Option<()> {
        let add = |sum: i128, part: i128| sum.checked_add(part.checked_mul(weight)?);
        self.months = add(self.months, other.months)?;
        self.days = add(self.days, other.days)?;
        self.nanos = add(self.nanos, other.nanos)?;
        Some(())
    }

    fn of(duration: Duration) -> Self {
        Self {
            months: i128::from(duration.months),
            days: i128::from(duration.days),
            nanos: i128::from(duration.seconds) * NANOS_PER_SECOND + i128::from(duration.nanos),
        }
    }

    fn total(self) -> Option<Duration> {
        Duration::normalized(
            i64::try_from(self.months).ok()?,
            i64::try_from(self.days).ok()?,
            i64::try_from(self.nanos.div_euclid(NANOS_PER_SECOND)).ok()?,
            i64::try_from(self.nanos.rem_euclid(NANOS_PER_SECOND)).ok()?,
        )
    }
}

impl Sum {
    fn decimals(&self) -> Option<Decimal> {
        self.rare.as_ref()?.decimals
    }

    fn durations(&self) -> Option<DurationSum> {
        self.rare.as_ref()?.durations
    }

    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// Bytes that it owns, and those that another value may need.
    pub(super) fn heap_bytes(&self) -> (usize, usize) {
        let bytes = size_of::<Rare>();
        if self.rare.is_some() { (bytes, 0) } else { (0, bytes) }
    }

    /// The sum of `count` integers.
    pub(super) fn of_integers(sum: i128, count: u64) -> Self {
        Self { count, ints: sum, any_int: count > 0, ..Self::default() }
    }

    /// The sum of `count` floats.
    pub(super) fn of_floats(floats: FloatSum, count: u64) -> Self {
        Self { count, floats, any_float: count > 0, ..Self::default() }
    }

    /// The sum of `count` decimals.
    pub(super) fn of_decimals(sum: Decimal, count: u64) -> Self {
        let rare = Rare { decimals: Some(sum), ..Rare::default() };
        Self { count, rare: Some(Box::new(rare)), ..Self::default() }
    }

    #[expect(clippy::cast_precision_loss, reason = "a float sum is approximate")]
    pub(super) fn update(&mut self, function: &str, value: &Value, weight: u64) -> Result<(), Diagnostic> {
        let numbers = self.any_number();
        match value {
            Value::Int(n) if self.durations().is_none() => {
                self.any_int = true;
                self.ints = i128::from(*n)
                    .checked_mul(i128::from(weight))
                    .and_then(|term| self.ints.checked_add(term))
                    .ok_or_else(|| overflow(function))?;
            }
            Value::Float(x) if self.durations().is_none() => {
                self.any_float = true;
                self.floats.add(*x, weight as f64);
            }
            Value::Decimal(x) if self.durations().is_none() => {
                let term = Decimal::new(i128::from(weight), 0).and_then(|weight| x.times(weight));
                let sum = term.and_then(|term| self.decimals().unwrap_or_default().plus(term));
                self.rare().decimals = Some(sum.ok_or_else(|| decimal_overflow(function))?);
            }
            Value::Duration(duration) if !numbers => {
                self.rare()
                    .durations
                    .get_or_insert_default()
                    .add(&DurationSum::of(*duration), i128::from(weight))
                    .ok_or_else(|| overflow(function))?;
            }
            other if self.durations().is_some() => return Err(wrong_type(function, "only DURATION", other)),
            other if numbers => return Err(wrong_type(function, "only numbers", other)),
            Value::List(_) => {
                let error = wrong_type(function, "numbers or DURATION", value);
                return Err(error.hint(
                    "it goes over rows: write UNWIND list AS x, or reduce(sum = 0, x IN list | sum + x)",
                ));
            }
            other => return Err(wrong_type(function, "numbers or DURATION", other)),
        }
        self.count = self.count.checked_add(weight).ok_or_else(|| overflow(function))?;
        Ok(())
    }

    /// As [`Self::update`] with an integer.
    #[inline]
    pub(super) fn update_integer(&mut self, function: &str, n: i64, weight: u64) -> Result<(), Diagnostic> {
        if self.durations().is_some() {
            return self.update(function, &Value::Int(n), weight);
        }
        // A product of 64-bit integers fits 128.
        let sum = self.ints.checked_add(i128::from(n) * i128::from(weight));
        self.ints = sum.ok_or_else(|| overflow(function))?;
        self.any_int = true;
        self.count = self.count.checked_add(weight).ok_or_else(|| overflow(function))?;
        Ok(())
    }

    /// As [`Self::update`] with a float.
    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "a float sum is approximate")]
    pub(super) fn update_float(&mut self, function: &str, x: f64, weight: u64) -> Result<(), Diagnostic> {
        if self.durations().is_some() {
            return self.update(function, &Value::Float(x), weight);
        }
        self.any_float = true;
        self.floats.add(x, weight as f64);
        self.count = self.count.checked_add(weight).ok_or_else(|| overflow(function))?;
        Ok(())
    }

    /// As [`Self::update_float`] for many, each once.
    pub(super) fn update_floats(&mut self, function: &str, numbers: &[f64]) -> Result<(), Diagnostic> {
        if numbers.is_empty() {
            return Ok(());
        }
        let sum = FloatSum::of(numbers);
        if self.durations().is_some() || !sum.sum.is_finite() {
            return numbers.iter().try_for_each(|x| self.update_float(function, *x, 1));
        }
        self.any_float = true;
        self.floats.merge(sum);
        self.count = self.count.checked_add(numbers.len() as u64).ok_or_else(|| overflow(function))?;
        Ok(())
    }

    pub(super) fn merge(&mut self, other: &Self) -> Result<(), Diagnostic> {
        let overflow = || overflow("sum()");
        if self.any_number() && other.durations().is_some()
            || other.any_number() && self.durations().is_some()
        {
            return Err(wrong_type("sum()", "numbers or DURATION", &Value::Duration(Duration::default())));
        }
        self.count = self.count.checked_add(other.count).ok_or_else(overflow)?;
        self.ints = self.ints.checked_add(other.ints).ok_or_else(overflow)?;
        self.floats.merge(other.floats);
        self.any_float |= other.any_float;
        self.any_int |= other.any_int;
        if let Some(theirs) = other.decimals() {
            let sum = self.decimals().unwrap_or_default().plus(theirs);
            self.rare().decimals = Some(sum.ok_or_else(|| decimal_overflow("sum()"))?);
        }
        if let Some(theirs) = &other.durations() {
            self.rare().durations.get_or_insert_default().add(theirs, 1).ok_or_else(overflow)?;
        }
        Ok(())
    }

    /// All that was seen.
    pub(super) fn to_value(&self) -> Value {
        let [high, low] = halves(self.ints);
        let floats = &self.floats;
        let mut parts = vec![
            Value::Int(self.count.cast_signed()),
            high,
            low,
            Value::Float(floats.sum),
            Value::Float(floats.compensation),
            Value::Bool(floats.is_large),
            Value::Bool(self.any_float),
            Value::Bool(self.any_int),
            self.decimals().map_or(Value::Null, Value::Decimal),
        ];
        if let Some(durations) = self.durations() {
            parts.extend([durations.months, durations.days, durations.nanos].into_iter().flat_map(halves));
        }
        Value::list(parts)
    }

    /// Takes what [`Self::to_value`] gave.
    pub(super) fn restore(&mut self, value: &Value) -> Option<()> {
        let Value::List(parts) = value else { return None };
        let [count, high, low, sum, compensation, is_large, any_float, any_int, decimals, durations @ ..] =
            &parts[..]
        else {
            return None;
        };
        (self.count, self.ints) = (integer(count)?.cast_unsigned(), whole(high, low)?);
        let (sum, compensation, is_large) = (float(sum)?, float(compensation)?, boolean(is_large)?);
        self.floats = FloatSum { sum, compensation, is_large };
        (self.any_float, self.any_int) = (boolean(any_float)?, boolean(any_int)?);
        if let Value::Decimal(d) = decimals {
            self.rare().decimals = Some(*d);
        }
        if let [a, b, c, d, e, f] = durations {
            let (months, days, nanos) = (whole(a, b)?, whole(c, d)?, whole(e, f)?);
            self.rare().durations = Some(DurationSum { months, days, nanos });
        }
        Some(())
    }

    #[expect(clippy::cast_precision_loss, reason = "a float sum is approximate")]
    fn float_total(&self, count: f64) -> f64 {
        let mut floats = self.floats;
        if self.any_int {
            floats.add(self.ints as f64, 1.0);
        }
        if let Some(decimals) = self.decimals() {
            floats.add(decimals.to_float(), 1.0);
        }
        floats.divided(count)
    }

    fn any_number(&self) -> bool {
        self.any_int || self.any_float || self.decimals().is_some()
    }

    /// The sum of decimals and integers, if there are decimals and no floats.
    fn decimal_total(&self, function: &str) -> Option<Result<Decimal, Diagnostic>> {
        let decimals = self.decimals().filter(|_| !self.any_float)?;
        let sum = Decimal::new(self.ints, 0).and_then(|ints| ints.plus(decimals));
        Some(sum.ok_or_else(|| decimal_overflow(function)))
    }

    /// The sum; integer zero if there was nothing.
    pub(super) fn total(&self) -> Result<Value, Diagnostic> {
        if let Some(durations) = self.durations() {
            return durations.total().map(Value::Duration).ok_or_else(|| overflow("sum()"));
        }
        if self.any_float {
            return Ok(Value::Float(self.float_total(1.0)));
        }
        if let Some(sum) = self.decimal_total("sum()") {
            return sum.map(Value::Decimal);
        }
        i64::try_from(self.ints).map(Value::Int).map_err(|_| overflow("sum()"))
    }

    /// The sum divided by the number of terms; null if there was nothing.
    #[expect(clippy::cast_precision_loss, reason = "a mean is approximate")]
    pub(super) fn mean(&self) -> Result<Value, Diagnostic> {
        if self.count == 0 {
            return Ok(Value::Null);
        }
        if let Some(sum) = self.decimal_total("avg()") {
            let sum = sum?;
            let mean = Decimal::new(self.count.into(), 0).and_then(|count| sum.divided(count));
            return mean.map(Value::Decimal).ok_or_else(|| decimal_overflow("avg()"));
        }
        match self.durations() {
            Some(durations) => {
                let sum = durations.total().ok_or_else(|| overflow("avg()"))?;
                let count = i64::try_from(self.count).map_err(|_| overflow("avg()"))?;
                sum.divided(Ratio::whole(count)).map(Value::Duration).map_err(|error| temporal(&error))
            }
            None => Ok(Value::Float(self.float_total(self.count as f64))),
        }
    }
}
