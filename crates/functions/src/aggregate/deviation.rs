//! Standard deviation, of a sample (n - 1) or a population (n), in one pass.
//!
//! Source: Welford 1962; West 1979 (weights); Chan, Golub, LeVeque 1979 (merging).

use trimorph_base::Diagnostic;
use trimorph_types::Value;

use crate::error::wrong_type;

#[derive(Clone, Copy, Debug)]
pub(super) struct Deviation {
    sample: bool,
    count: f64,
    mean: f64,
    /// Sum of squared distances from the mean.
    squares: f64,
}

impl Deviation {
    pub(super) fn sample() -> Self {
        Self { sample: true, count: 0.0, mean: 0.0, squares: 0.0 }
    }

    pub(super) fn population() -> Self {
        Self { sample: false, ..Self::sample() }
    }

    #[expect(clippy::cast_precision_loss, reason = "a deviation is approximate")]
    pub(super) fn update(&mut self, value: &Value, weight: u64) -> Result<(), Diagnostic> {
        let number = match value {
            Value::Int(n) => *n as f64,
            Value::Float(x) => *x,
            Value::Decimal(x) => x.to_float(),
            other => return Err(wrong_type("stDev()", "numbers", other)),
        };
        self.merge(&Self { count: weight as f64, mean: number, squares: 0.0, ..*self });
        Ok(())
    }

    pub(super) fn merge(&mut self, other: &Self) {
        if other.count == 0.0 {
            return;
        }
        let count = self.count + other.count;
        let distance = other.mean - self.mean;
        self.squares += other.squares + distance * distance * (self.count * other.count / count);
        self.mean += distance * other.count / count;
        self.count = count;
    }

    pub(super) fn finish(self) -> Value {
        let freedom = if self.sample { self.count - 1.0 } else { self.count };
        Value::Float(if freedom > 0.0 { (self.squares / freedom).sqrt() } else { 0.0 })
    }
}
