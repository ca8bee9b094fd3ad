//! The value below which a fraction of all values lies: one of them (discrete) or between two (continuous).
//!
//! Nobody can stop a sort of the whole, and merging takes as much memory again:
//!
//! Integers, or floats, that were seen once each are kept as such (`ranked`). For others:
//!
//! 1. Runs of values are sorted by themselves, equal ones staying in the order they came.
//! 2. The value at a place is looked for in all runs at once, by bisection: of each run a window is left, and
//!    the median of the windows' middles, which at least a quarter of what is left comes before or after,
//!    cuts all of them.

use std::cmp::Ordering;

use trimorph_base::{CancelToken, Diagnostic};
use trimorph_types::{Value, order};

use super::parts::{float, integer};
use super::ranked::{Kind, Ranked, of_float, of_int};
use crate::error::{out_of_range, shown, wrong_type};
use crate::steps::Steps;

/// Values of a run: sorting one takes some milliseconds.
const RUN: usize = 1 << 16;

#[derive(Clone, Debug)]
pub(super) struct Percentile {
    continuous: bool,
    fraction: Option<f64>,
    /// Integers, or floats, each seen once, while nothing else came.
    numbers: Ranked,
    /// Values and how often each was seen, in the order they came. When they are sorted: runs of them, with
    /// how often each and those before it in its run were seen.
    values: Vec<(Value, u64)>,
}

impl Percentile {
    pub(super) fn continuous() -> Self {
        Self { continuous: true, fraction: None, numbers: Ranked::default(), values: Vec::new() }
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

    /// All that was seen: the fraction, the values, and how often each was.
    pub(super) fn into_value(self) -> Value {
        let fraction = self.fraction.map_or(Value::Null, Value::Float);
        let numbers = self.numbers.into_values();
        let (values, counts) =
            numbers.chain(self.values).map(|(value, count)| (value, Value::Int(count.cast_signed()))).unzip();
        Value::list(vec![fraction, Value::list(values), Value::list(counts)])
    }

    /// Takes what [`Self::into_value`] gave.
    pub(super) fn restore(&mut self, value: &Value) -> Option<()> {
        let Value::List(parts) = value else { return None };
        let [fraction, Value::List(values), Value::List(counts)] = &parts[..] else { return None };
        self.fraction = float(fraction);
        for (value, count) in values.iter().zip(counts.iter()) {
            self.update(value, integer(count)?.cast_unsigned()).ok()?;
        }
        Some(())
    }

    /// Bytes that are to be allocated before another value can come.
    pub(super) fn growth_bytes(&self) -> usize {
        if self.values.is_empty() {
            return self.numbers.growth_cells(1) * size_of::<u64>();
        }
        let values = &self.values;
        if values.capacity() > values.len() {
            return 0;
        }
        values.capacity().max(2) * 2 * size_of::<(Value, u64)>()
    }

    /// Bytes that are to be allocated before so many integers, or floats, can come, where nothing else came;
    /// what is there now is given back.
    pub(super) fn numbers_growth_bytes(&self, more: usize, are_floats: bool) -> Option<usize> {
        let takes = self.values.is_empty() && self.numbers.takes(kind(are_floats));
        takes.then(|| self.numbers.growth_cells(more) * size_of::<u64>())
    }

    /// Takes integers, each once, where nothing but integers came.
    pub(super) fn push_integers(&mut self, numbers: impl ExactSizeIterator<Item = i64>) {
        self.numbers.extend(Kind::Int, numbers.map(of_int));
    }

    /// The same of floats.
    pub(super) fn push_floats(&mut self, numbers: impl ExactSizeIterator<Item = f64>) {
        self.numbers.extend(Kind::Float, numbers.map(of_float));
    }

    /// Takes an integer if there is room, and nothing but integers so far.
    #[inline]
    pub(super) fn push_integer(&mut self, number: i64) -> bool {
        self.values.is_empty() && self.numbers.push(Kind::Int, of_int(number))
    }

    /// The same of a float.
    #[inline]
    pub(super) fn push_float(&mut self, number: f64) -> bool {
        self.values.is_empty() && self.numbers.push(Kind::Float, of_float(number))
    }

    pub(super) fn update(&mut self, value: &Value, weight: u64) -> Result<(), Diagnostic> {
        match value {
            value
                if weight == 1
                    && self.values.is_empty()
                    && let Some((kind, word)) = Kind::word(value)
                    && self.numbers.takes(kind) =>
            {
                self.numbers.extend(kind, std::iter::once(word));
            }
            Value::Int(_) | Value::Float(_) | Value::Decimal(_) => {
                self.generalise();
                self.values.push((value.clone(), weight));
            }
            other => return Err(wrong_type(self.name(), "numbers", other)),
        }
        Ok(())
    }

    /// Makes values of the numbers.
    fn generalise(&mut self) {
        self.values.extend(std::mem::take(&mut self.numbers).into_values());
    }

    /// Whether the fraction is known.
    pub(super) fn has_fraction(&self) -> bool {
        self.fraction.is_some()
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.fraction = self.fraction.or(other.fraction);
        let are_numbers = self.values.is_empty() && other.values.is_empty();
        if are_numbers && self.numbers.takes_those_of(&other.numbers) {
            self.numbers.merge(other.numbers);
            return;
        }
        self.generalise();
        self.values.extend(other.numbers.into_values());
        self.values.extend(other.values);
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a fraction of a count"
    )]
    pub(super) fn finish(&mut self, cancel: Option<&CancelToken>) -> Result<Value, Diagnostic> {
        let seen = self.values.iter().fold(0_u64, |sum, (_, weight)| sum.saturating_add(*weight));
        let count = seen.saturating_add(self.numbers.len());
        if count == 0 {
            return Ok(Value::Null);
        }
        let Some(fraction) = self.fraction else {
            return Err(out_of_range(format!("{} was not given a percentile", self.name())));
        };
        let mut steps = Steps::new(cancel);
        if !self.values.is_empty() {
            self.generalise();
        }
        self.sort(&mut steps)?;
        if self.continuous {
            let place = fraction * (count - 1) as f64;
            let share = place - place.floor();
            let low = as_float(&self.at(place.floor() as u64, &mut steps)?);
            if share == 0.0 {
                return Ok(Value::Float(low));
            }
            let high = as_float(&self.at(place.ceil() as u64, &mut steps)?);
            Ok(Value::Float(low * (1.0 - share) + high * share))
        } else {
            let place = (fraction * count as f64).ceil() as u64;
            self.at(place.saturating_sub(1), &mut steps)
        }
    }

    /// Sorts the runs, and turns the numbers of times into those up to each value.
    fn sort(&mut self, steps: &mut Steps<'_>) -> Result<(), Diagnostic> {
        for run in self.values.chunks_mut(RUN) {
            steps.look()?;
            run.sort_by(|(a, _), (b, _)| order(a, b));
            let mut seen = 0_u64;
            for (_, weight) in run {
                seen = seen.saturating_add(*weight);
                *weight = seen;
            }
        }
        Ok(())
    }

    /// The value at a place of all sorted ones, each repeated as often as it was seen.
    fn at(&self, place: u64, steps: &mut Steps<'_>) -> Result<Value, Diagnostic> {
        if self.values.is_empty() { self.numbers.at(place, steps) } else { Ok(self.value_at(place)) }
    }

    /// The same where there are values, which are sorted.
    fn value_at(&self, place: u64) -> Value {
        let mut windows: Vec<Window<'_>> = self.values.chunks(RUN).map(Window::new).collect();
        loop {
            let Some(pivot) = median_of_middles(&windows) else { return Value::Null };
            let cuts: Vec<(usize, usize)> = windows.iter().map(|window| window.cut(pivot)).collect();
            let seen = |end: fn(&(usize, usize)) -> usize| {
                let each = windows.iter().zip(&cuts).map(|(window, cut)| window.seen_before(end(cut)));
                each.fold(0, u64::saturating_add)
            };
            let (before, through) = (seen(|cut| cut.0), seen(|cut| cut.1));
            if (before..through).contains(&place) {
                // Equal values may be of different types: the one that came first.
                let mut rest = place - before;
                for (window, (from, to)) in windows.iter().zip(&cuts) {
                    let first = window.seen_before(*from);
                    let here = window.seen_before(*to) - first;
                    if rest < here {
                        let at = window.run.partition_point(|(_, seen)| *seen <= first + rest);
                        return window.run[at].0.clone();
                    }
                    rest -= here;
                }
                return Value::Null;
            }
            for (window, (from, to)) in windows.iter_mut().zip(cuts) {
                if place < before {
                    window.end = from.max(window.start);
                } else {
                    window.start = to.min(window.end);
                }
            }
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.values.capacity() * size_of::<(Value, u64)>() + self.numbers.heap_bytes()
    }
}

fn kind(is_float: bool) -> Kind {
    if is_float { Kind::Float } else { Kind::Int }
}

#[expect(clippy::cast_precision_loss, reason = "interpolation is approximate")]
fn as_float(number: &Value) -> f64 {
    match number {
        Value::Int(n) => *n as f64,
        Value::Float(x) => *x,
        Value::Decimal(x) => x.to_float(),
        _ => f64::NAN,
    }
}

/// Percentiles of one group after the other.
#[derive(Clone, Debug)]
pub struct Percentiles(Percentile);

impl Percentiles {
    /// Of a fraction: between two numbers where it is continuous, else one of them.
    ///
    /// **Errors**: a fraction that is none.
    pub fn new(continuous: bool, fraction: &Value) -> Result<Self, Diagnostic> {
        let mut percentile = if continuous { Percentile::continuous() } else { Percentile::discrete() };
        percentile.set_fraction(fraction)?;
        Ok(Self(percentile))
    }

    /// That of integers; null of none.
    ///
    /// **Errors**: cancellation.
    pub fn of_integers(&mut self, numbers: &[i64], cancel: &CancelToken) -> Result<Value, Diagnostic> {
        self.0.numbers.clear();
        self.0.push_integers(numbers.iter().copied());
        self.0.finish(Some(cancel))
    }

    /// That of floats.
    ///
    /// **Errors**: cancellation.
    pub fn of_floats(&mut self, numbers: &[f64], cancel: &CancelToken) -> Result<Value, Diagnostic> {
        self.0.numbers.clear();
        self.0.push_floats(numbers.iter().copied());
        self.0.finish(Some(cancel))
    }
}

/// What is left of a sorted run.
struct Window<'a> {
    run: &'a [(Value, u64)],
    start: usize,
    end: usize,
}

impl<'a> Window<'a> {
    fn new(run: &'a [(Value, u64)]) -> Self {
        Self { run, start: 0, end: run.len() }
    }

    /// How many values of the run come before `pivot`, and how many do not come after it.
    fn cut(&self, pivot: &Value) -> (usize, usize) {
        let from = self.run.partition_point(|(value, _)| order(value, pivot) == Ordering::Less);
        let to = self.run.partition_point(|(value, _)| order(value, pivot) != Ordering::Greater);
        (from, to)
    }

    /// How often the first `end` values of the run were seen.
    fn seen_before(&self, end: usize) -> u64 {
        end.checked_sub(1).map_or(0, |last| self.run[last].1)
    }
}

/// The middle value of some window, of which half of what the windows have lies in windows whose middle does
/// not come after it, and half in those where it does not come before it; `None` if nothing is left.
fn median_of_middles<'a>(windows: &[Window<'a>]) -> Option<&'a Value> {
    let left = windows.iter().filter(|window| window.start < window.end);
    let mut middles: Vec<(&Value, usize)> =
        left.map(|w| (&w.run[w.start.midpoint(w.end)].0, w.end - w.start)).collect();
    middles.sort_by(|(a, _), (b, _)| order(a, b));
    let half = middles.iter().map(|(_, width)| width).sum::<usize>() / 2;
    let mut passed = 0;
    let found = middles.iter().find(|(_, width)| {
        passed += width;
        passed > half
    });
    found.map(|(value, _)| *value)
}
