//! Accumulators as values and back: what they have seen leaves memory and comes back later.

use trimorph_base::Diagnostic;
use trimorph_types::Value;

use super::parts::integer;
use super::{Accumulator, AggregateFunction, State};

impl Accumulator {
    /// All that was seen, as a value that [`Self::of_value`] makes the same accumulator of.
    pub fn into_value(self) -> Value {
        match self.0 {
            State::Rows(count) | State::Count(count) => Value::Int(count.cast_signed()),
            State::Sum(sum) | State::Avg(sum) => sum.to_value(),
            State::NumberSum(sum) => sum.to_value(),
            State::Extremum(extremum) => extremum.finish(),
            State::Collect(collect) => collect.into_value(),
            State::Deviation(deviation) => deviation.to_value(),
            State::Percentile(percentile) => percentile.into_value(),
        }
    }

    /// An accumulator that has seen what `value` tells.
    ///
    /// **Errors**: a value that [`Self::into_value`] did not make for this function.
    pub fn of_value(function: AggregateFunction, value: &Value) -> Result<Self, Diagnostic> {
        let mut made = Self::new(function);
        let known = match &mut made.0 {
            State::Rows(count) | State::Count(count) => integer(value).map(|n| *count = n.cast_unsigned()),
            State::Sum(sum) | State::Avg(sum) => sum.restore(value),
            State::NumberSum(sum) => sum.restore(value),
            State::Extremum(extremum) => {
                if !value.is_null() {
                    extremum.update(value);
                }
                Some(())
            }
            State::Collect(collect) => collect.restore(value),
            State::Deviation(deviation) => deviation.restore(value),
            State::Percentile(percentile) => percentile.restore(value),
        };
        known.ok_or_else(|| Diagnostic::internal("a value that is no accumulator"))?;
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use trimorph_types::{Decimal, Duration};

    use super::*;

    /// Whatever was seen: the accumulator that comes back gives the same, also after more has come.
    #[test]
    fn what_was_seen_comes_back() {
        let durations = [Value::Duration(Duration { months: 5, days: -3, seconds: 1 << 40, nanos: 7 })];
        let ints = [Value::Int(i64::MAX), Value::Int(i64::MAX), Value::Int(-3), Value::Int(0)];
        let floats = [Value::Float(1e308), Value::Float(1e308), Value::Float(-0.5)];
        let decimal = Value::Decimal(Decimal::parse("12345678901234567890.25").unwrap());
        let mixed = [Value::Int(3), Value::Float(0.1), decimal.clone(), decimal];
        let texts = [Value::string("b"), Value::Null, Value::string("a"), Value::list(vec![Value::Int(1)])];
        use AggregateFunction as A;
        let all = [
            A::Sum,
            A::NumberSum,
            A::Avg,
            A::Min,
            A::Max,
            A::Collect,
            A::StDev,
            A::StDevP,
            A::PercentileCont,
        ];
        for function in all.into_iter().chain([A::PercentileDisc, A::Count, A::CountStar]) {
            for values in [&durations[..], &ints, &floats, &mixed, &texts, &[]] {
                for end in 0..=values.len() {
                    let mut one = Accumulator::new(function);
                    one.set_parameter(&Value::Float(0.5)).unwrap();
                    if values[..end].iter().any(|v| one.update(v, 2).is_err()) {
                        continue;
                    }
                    let mut other = Accumulator::of_value(function, &one.clone().into_value()).unwrap();
                    other.set_parameter(&Value::Float(0.5)).unwrap();
                    for value in &values[end..] {
                        assert_eq!(one.update(value, 1), other.update(value, 1));
                    }
                    assert_eq!(one.heap_bytes() == 0, other.heap_bytes() == 0);
                    let (one, other) = (format!("{:?}", one.finish()), format!("{:?}", other.finish()));
                    assert_eq!(one, other, "{function:?} of {values:?}");
                }
            }
        }
    }
}
