//! The value below which a fraction of all values lies: one of them (discrete) or between two (continuous).
//!
//! Nobody can stop a sort of the whole, and merging takes as much memory again:
//!
//! Integers that were seen once each are told apart byte by byte. For others:
//!
//! 1. Runs of values are sorted by themselves, equal ones staying in the order they came.
//! 2. The value at a place is looked for in all runs at once, by bisection: of each run a window is left, and
//!    the median of the windows' middles, which at least a quarter of what is left comes before or after,
//!    cuts all of them.

use std::borrow::Cow;
use std::cmp::Ordering;

use trimorph_base::{CancelToken, Diagnostic};
use trimorph_types::{Value, order};

use super::parts::{float, integer};
use crate::error::{out_of_range, shown, wrong_type};
use crate::steps::Steps;

/// Values of a run: sorting one takes some milliseconds.
const RUN: usize = 1 << 16;

#[derive(Clone, Debug)]
pub(super) struct Percentile {
    continuous: bool,
    fraction: Option<f64>,
    /// Integers, each seen once, while nothing else came.
    integers: Vec<i64>,
    /// Values and how often each was seen, in the order they came. When they are sorted: runs of them, with
    /// how often each and those before it in its run were seen.
    values: Vec<(Value, u64)>,
}

impl Percentile {
    pub(super) fn continuous() -> Self {
        Self { continuous: true, fraction: None, integers: Vec::new(), values: Vec::new() }
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
        let integers = self.integers.into_iter().map(|n| (Value::Int(n), 1));
        let (values, counts) = integers
            .chain(self.values)
            .map(|(value, count)| (value, Value::Int(count.cast_signed())))
            .unzip();
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
        let (values, integers) = (&self.values, &self.integers);
        if values.is_empty() && integers.capacity() > integers.len() || values.capacity() > values.len() {
            return 0;
        }
        // Integers become values where another value comes.
        let cells = values.capacity().max(integers.capacity()).max(2) * 2;
        cells * if values.is_empty() { size_of::<i64>() } else { size_of::<(Value, u64)>() }
    }

    /// Bytes that are to be allocated before so many integers can come, where nothing but integers came; what
    /// is there now is given back.
    pub(super) fn integers_growth_bytes(&self, more: usize) -> Option<usize> {
        let needed = self.integers.len() + more;
        let grows = needed > self.integers.capacity();
        let cells = if grows { needed.max(self.integers.capacity() * 2) } else { 0 };
        self.values.is_empty().then_some(cells * size_of::<i64>())
    }

    /// Takes integers, each once, where nothing but integers came.
    pub(super) fn push_integers(&mut self, numbers: impl ExactSizeIterator<Item = i64>) {
        let needed = self.integers.len() + numbers.len();
        if needed > self.integers.capacity() {
            let cells = needed.max(self.integers.capacity() * 2);
            self.integers.reserve_exact(cells - self.integers.len());
        }
        self.integers.extend(numbers);
    }

    /// Takes an integer if there is room, and nothing but integers so far.
    #[inline]
    pub(super) fn push_integer(&mut self, number: i64) -> bool {
        let fits = self.values.is_empty() && self.integers.len() < self.integers.capacity();
        if fits {
            self.integers.push(number);
        }
        fits
    }

    pub(super) fn update(&mut self, value: &Value, weight: u64) -> Result<(), Diagnostic> {
        match value {
            Value::Int(n) if weight == 1 && self.values.is_empty() => self.integers.push(*n),
            Value::Int(_) | Value::Float(_) | Value::Decimal(_) => {
                self.generalise();
                self.values.push((value.clone(), weight));
            }
            other => return Err(wrong_type(self.name(), "numbers", other)),
        }
        Ok(())
    }

    /// Makes values of the integers.
    fn generalise(&mut self) {
        let integers = std::mem::take(&mut self.integers);
        self.values.extend(integers.into_iter().map(|n| (Value::Int(n), 1)));
    }

    /// Whether the fraction is known.
    pub(super) fn has_fraction(&self) -> bool {
        self.fraction.is_some()
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.fraction = self.fraction.or(other.fraction);
        if self.values.is_empty() && other.values.is_empty() {
            self.integers.extend(other.integers);
            return;
        }
        self.generalise();
        self.values.extend(other.integers.into_iter().map(|n| (Value::Int(n), 1)));
        self.values.extend(other.values);
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a fraction of a count"
    )]
    pub(super) fn finish(mut self, cancel: Option<&CancelToken>) -> Result<Value, Diagnostic> {
        let seen = self.values.iter().fold(0_u64, |sum, (_, weight)| sum.saturating_add(*weight));
        let count = seen.saturating_add(self.integers.len() as u64);
        if count == 0 {
            return Ok(Value::Null);
        }
        let Some(fraction) = self.fraction else {
            return Err(out_of_range(format!("{} was not given a percentile", self.name())));
        };
        let mut steps = Steps::new(cancel);
        if self.values.is_empty() {
            return self.of_integers(fraction, &mut steps);
        }
        self.sort(&mut steps)?;
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

    /// The percentile where there are integers only, of which there is one.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a fraction of a count"
    )]
    fn of_integers(&self, fraction: f64, steps: &mut Steps<'_>) -> Result<Value, Diagnostic> {
        let count = self.integers.len();
        let mut nth = |place: u64| nth(&self.integers, usize::try_from(place).unwrap_or(usize::MAX), steps);
        if !self.continuous {
            let place = (fraction * count as f64).ceil() as u64;
            return Ok(Value::Int(nth(place.saturating_sub(1))?));
        }
        let place = fraction * (count - 1) as f64;
        let low = nth(place.floor() as u64)? as f64;
        let share = place - place.floor();
        if share == 0.0 {
            return Ok(Value::Float(low));
        }
        let high = nth(place.ceil() as u64)? as f64;
        Ok(Value::Float(low * (1.0 - share) + high * share))
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

    /// The value at `place` of all sorted values, each repeated as often as it was seen.
    fn at(&self, place: u64) -> Value {
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
        self.values.capacity() * size_of::<(Value, u64)>() + self.integers.capacity() * size_of::<i64>()
    }
}

/// The integer at a place of all sorted ones, by one byte after the other, the highest first: those with
/// another byte than the wanted one's are left out. The last where there are not so many.
fn nth(integers: &[i64], place: usize, steps: &mut Steps<'_>) -> Result<i64, Diagnostic> {
    /// Integers that are looked at between two looks at the flag that cancels.
    const UNCHECKED: usize = 1 << 20;
    let mut rest = place.min(integers.len().saturating_sub(1));
    let mut left: Cow<'_, [i64]> = Cow::Borrowed(integers);
    for shift in (0..8).rev().map(|byte| byte * 8) {
        // Unsigned, they order as signed ones.
        let byte = |n: i64| ((n.cast_unsigned() ^ 1 << 63) >> shift) as u8;
        let mut counts = [0_usize; 256];
        for some in left.chunks(UNCHECKED) {
            steps.look()?;
            some.iter().for_each(|n| counts[usize::from(byte(*n))] += 1);
        }
        let mut before = 0;
        let Some(wanted) = counts.iter().position(|count| {
            before += count;
            before > rest
        }) else {
            break;
        };
        rest -= before - counts[wanted];
        if counts[wanted] < left.len() {
            left = Cow::Owned(left.iter().copied().filter(|n| usize::from(byte(*n)) == wanted).collect());
        }
    }
    Ok(left.first().copied().unwrap_or_default())
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
