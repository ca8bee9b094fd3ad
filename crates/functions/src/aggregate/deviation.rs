//! Standard deviation, of a sample (n - 1) or a population (n), in one pass.
//!
//! Squares of numbers beyond 2^512 do not fit a float, though their deviation does; those of numbers below
//! 2^-512 vanish. So numbers are kept times a power of two that the largest of them asks for ([`Scale`]).
//!
//! One value, whatever it is, has the deviation 0; of several, of which one is infinite or NaN, it is NaN.
//!
//! Source: Welford 1962; West 1979 (weights); Chan, Golub, LeVeque 1979 (merging).

use trimorph_base::Diagnostic;
use trimorph_types::Value;

use super::parts::{float, integer};
use crate::error::wrong_type;

#[derive(Clone, Copy, Debug)]
pub(super) struct Deviation {
    sample: bool,
    count: f64,
    /// What `mean` and `squares` are scaled by.
    scale: Scale,
    mean: f64,
    /// Sum of squared distances from the mean.
    squares: f64,
}

/// How numbers are kept: times 2^600, as they are, or times 2^-600.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Scale {
    Up,
    One,
    Down,
}

/// 2^600, 2^-600, and the powers 2^400 and 2^-400 between which numbers are as they are: their squares are
/// far from both ends.
const UP: f64 = f64::from_bits((1023 + 600) << 52);
const DOWN: f64 = f64::from_bits((1023 - 600) << 52);
const LARGE: f64 = f64::from_bits((1023 + 400) << 52);
const SMALL: f64 = f64::from_bits((1023 - 400) << 52);

impl Scale {
    fn of(number: f64) -> Self {
        match number.abs() {
            large if large > LARGE => Self::Down,
            small if small < SMALL => Self::Up,
            _ => Self::One,
        }
    }

    /// What numbers are multiplied by.
    fn factor(self) -> f64 {
        match self {
            Self::Up => UP,
            Self::One => 1.0,
            Self::Down => DOWN,
        }
    }
}

impl Deviation {
    pub(super) fn sample() -> Self {
        Self { sample: true, count: 0.0, scale: Scale::Up, mean: 0.0, squares: 0.0 }
    }

    pub(super) fn population() -> Self {
        Self { sample: false, ..Self::sample() }
    }

    /// The same of `count` numbers of this mean and this sum of squared distances from it.
    #[expect(clippy::cast_precision_loss, reason = "a deviation is approximate")]
    pub(super) fn of(self, count: u64, mean: f64, squares: f64) -> Self {
        if count == 0 {
            return self;
        }
        Self { count: count as f64, scale: Scale::One, mean, squares, ..self }
    }

    #[expect(clippy::cast_precision_loss, reason = "a deviation is approximate")]
    pub(super) fn update(&mut self, value: &Value, weight: u64) -> Result<(), Diagnostic> {
        let number = match value {
            Value::Int(n) => *n as f64,
            Value::Float(x) => *x,
            Value::Decimal(x) => x.to_float(),
            other => return Err(wrong_type("stDev()", "numbers", other)),
        };
        self.update_float(number, weight);
        Ok(())
    }

    #[expect(clippy::cast_precision_loss, reason = "a deviation is approximate")]
    pub(super) fn update_float(&mut self, number: f64, weight: u64) {
        let scale = Scale::of(number);
        let mean = number * scale.factor();
        self.merge(&Self { count: weight as f64, scale, mean, squares: 0.0, ..*self });
    }

    pub(super) fn merge(&mut self, other: &Self) {
        if other.count == 0.0 {
            return;
        }
        if self.count == 0.0 {
            *self = *other;
            return;
        }
        let mut other = *other;
        self.rescale(other.scale);
        other.rescale(self.scale);
        let count = self.count + other.count;
        let distance = other.mean - self.mean;
        self.squares += other.squares + distance * distance * (self.count * (other.count / count));
        self.mean += distance * (other.count / count);
        self.count = count;
    }

    /// Goes to a scale for larger numbers, if this is one.
    fn rescale(&mut self, scale: Scale) {
        if scale <= self.scale {
            return;
        }
        let (from, to) = (self.scale.factor(), scale.factor());
        // One factor after the other: the product of both may be too small for a float.
        self.mean = self.mean / from * to;
        self.squares = self.squares / from / from * to * to;
        self.scale = scale;
    }

    /// All that was seen.
    pub(super) fn to_value(self) -> Value {
        let scale = Value::Int(self.scale as i64);
        Value::list(vec![
            scale,
            Value::Float(self.count),
            Value::Float(self.mean),
            Value::Float(self.squares),
        ])
    }

    /// Takes what [`Self::to_value`] gave.
    pub(super) fn restore(&mut self, value: &Value) -> Option<()> {
        let Value::List(parts) = value else { return None };
        let [scale, count, mean, squares] = &parts[..] else { return None };
        let scales = [Scale::Up, Scale::One, Scale::Down];
        self.scale = *scales.get(usize::try_from(integer(scale)?).ok()?)?;
        (self.count, self.mean, self.squares) = (float(count)?, float(mean)?, float(squares)?);
        Some(())
    }

    pub(super) fn finish(self) -> Value {
        let freedom = if self.sample { self.count - 1.0 } else { self.count };
        Value::Float(if self.count < 2.0 {
            0.0
        } else if self.mean.is_finite() {
            (self.squares / freedom).sqrt() / self.scale.factor()
        } else {
            f64::NAN
        })
    }
}
