//! The value below which a fraction of all values lies: one of them (discrete) or between two (continuous).

use trimorph_base::Diagnostic;
use trimorph_types::{Value, order};

use crate::error::{out_of_range, shown, wrong_type};

#[derive(Clone, Debug)]
pub(super) struct Percentile {
    continuous: bool,
    fraction: Option<f64>,
    /// Values and how often each was seen, in the order they came.
    values: Vec<(Value, u64)>,
}

impl Percentile {
    pub(super) fn continuous() -> Self {
        Self { continuous: true, fraction: None, values: Vec::new() }
    }

    pub(super) fn discrete() -> Self {
        Self { continuous: false, ..Self::continuous() }
    }

    const fn name(&self) -> &'static str {
        if self.continuous { "percentileCont()" } else { "percentileDisc()" }
    }

    #[expect(clippy::cast_precision_loss, reason = "only 0 and 1 are accepted")]
    pub(super) fn set_fraction(&mut self, value: &Value) -> Result<(), Diagnostic> {
        let fraction = match value {
            Value::Int(n) => *n as f64,
            Value::Float(x) => *x,
            Value::Decimal(x) => x.to_float(),
            other => return Err(wrong_type(self.name(), "a number for the percentile", other)),
        };
        if !(0.0..=1.0).contains(&fraction) {
            return Err(out_of_range(format!(
                "{} expects a percentile from 0.0 to 1.0, not {}",
                self.name(),
                shown(value)
            )));
        }
        self.fraction.get_or_insert(fraction);
        Ok(())
    }

    /// Bytes that are to be allocated before another value can come.
    pub(super) fn growth_bytes(&self) -> usize {
        let room = self.values.capacity() > self.values.len();
        if room { 0 } else { self.values.capacity().max(2) * 2 * size_of::<(Value, u64)>() }
    }

    pub(super) fn update(&mut self, value: &Value, weight: u64) -> Result<(), Diagnostic> {
        match value {
            Value::Int(_) | Value::Float(_) | Value::Decimal(_) => self.values.push((value.clone(), weight)),
            other => return Err(wrong_type(self.name(), "numbers", other)),
        }
        Ok(())
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.fraction = self.fraction.or(other.fraction);
        self.values.extend(other.values);
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a fraction of a count"
    )]
    pub(super) fn finish(mut self) -> Result<Value, Diagnostic> {
        let count = self.values.iter().fold(0_u64, |sum, (_, weight)| sum.saturating_add(*weight));
        if count == 0 {
            return Ok(Value::Null);
        }
        let Some(fraction) = self.fraction else {
            return Err(out_of_range(format!("{} was not given a percentile", self.name())));
        };
        self.values.sort_by(|(a, _), (b, _)| order(a, b));
        if self.continuous {
            let place = fraction * (count - 1) as f64;
            let (low, high) = (self.number_at(place.floor() as u64), self.number_at(place.ceil() as u64));
            let share = place - place.floor();
            Ok(Value::Float(if share == 0.0 { low } else { low * (1.0 - share) + high * share }))
        } else {
            let place = (fraction * count as f64).ceil() as u64;
            Ok(self.at(place.saturating_sub(1)))
        }
    }

    /// The value at `place` of the sorted values, each repeated by its weight.
    fn at(&self, place: u64) -> Value {
        let mut end = 0_u64;
        let found = self.values.iter().find(|(_, weight)| {
            end = end.saturating_add(*weight);
            place < end
        });
        found.or(self.values.last()).map(|(value, _)| value.clone()).unwrap_or_default()
    }

    #[expect(clippy::cast_precision_loss, reason = "interpolation is approximate")]
    fn number_at(&self, place: u64) -> f64 {
        match self.at(place) {
            Value::Int(n) => n as f64,
            Value::Float(x) => x,
            Value::Decimal(x) => x.to_float(),
            _ => f64::NAN,
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.values.capacity() * size_of::<(Value, u64)>()
    }
}
