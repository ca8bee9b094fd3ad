//! Aggregate functions: values with multiplicities in, one value out.
//!
//! [`Accumulator`] takes values one by one ([`Accumulator::update`]), other accumulators of disjoint parts of
//! the input ([`Accumulator::merge`]) and gives the result ([`Accumulator::finish`]). A value's weight is how
//! many rows it stands for in a factorised chunk. Nulls are ignored (but by `count(*)`); `DISTINCT` is the
//! caller's.
//!
//! Memory is charged by the caller, who can ask for [`Accumulator::heap_bytes`].

mod collect;
mod deviation;
mod extremum;
pub(crate) mod float_sum;
mod kept;
pub(crate) mod parts;
mod percentile;
mod ranked;
mod sum;

use std::cmp::Ordering;

use trimorph_base::{CancelToken, Diagnostic};
use trimorph_types::{Decimal, LogicalType, Value};

use crate::error::overflow;
use crate::sparql::NumberSum;
use collect::Collect;
use deviation::Deviation;
use extremum::Extremum;
pub use float_sum::FloatSum;
use percentile::Percentile;
pub use percentile::Percentiles;
use sum::Sum;

/// What an aggregate computes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are the functions'")]
pub enum AggregateFunction {
    /// `count(*)`: rows, nulls included.
    CountStar,
    Count,
    Sum,
    /// SPARQL's sum, which has no name in openCypher.
    NumberSum,
    Avg,
    Min,
    Max,
    Collect,
    StDev,
    StDevP,
    PercentileCont,
    PercentileDisc,
}

impl AggregateFunction {
    /// The usual spelling.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CountStar | Self::Count => "count",
            Self::Sum | Self::NumberSum => "sum",
            Self::Avg => "avg",
            Self::Min => "min",
            Self::Max => "max",
            Self::Collect => "collect",
            Self::StDev => "stDev",
            Self::StDevP => "stDevP",
            Self::PercentileCont => "percentileCont",
            Self::PercentileDisc => "percentileDisc",
        }
    }

    /// One line for users: signature and meaning.
    pub const fn doc(self) -> &'static str {
        match self {
            Self::CountStar | Self::Count => {
                "count(*) or count([DISTINCT] x): how many rows there are, or values that are not null"
            }
            Self::NumberSum => "sum(x): the sum of numbers of any size; 0 of none",
            Self::Sum => "sum([DISTINCT] x): the sum of numbers or durations; 0 of none",
            Self::Avg => "avg([DISTINCT] x): the mean of numbers or durations; null of none",
            Self::Min => "min(x): the least value in the order of ORDER BY; null of none",
            Self::Max => "max(x): the greatest value in the order of ORDER BY; null of none",
            Self::Collect => "collect([DISTINCT] x): a list of all values that are not null",
            Self::StDev => "stDev([DISTINCT] x): the standard deviation of a sample",
            Self::StDevP => "stDevP([DISTINCT] x): the standard deviation of all there are",
            Self::PercentileCont => {
                "percentileCont([DISTINCT] x, share): the value below which that share of 0.0 to 1.0 lies, \
                 between two values if need be"
            }
            Self::PercentileDisc => {
                "percentileDisc([DISTINCT] x, share): the value nearest to where that share of 0.0 to 1.0 lies"
            }
        }
    }

    /// All that have a name.
    pub const NAMED: [Self; 10] = [
        Self::Avg,
        Self::Collect,
        Self::Count,
        Self::Max,
        Self::Min,
        Self::PercentileCont,
        Self::PercentileDisc,
        Self::StDev,
        Self::StDevP,
        Self::Sum,
    ];

    /// Number of arguments.
    pub const fn arity(self) -> usize {
        match self {
            Self::CountStar => 0,
            Self::PercentileCont | Self::PercentileDisc => 2,
            _ => 1,
        }
    }

    /// Type of the result, given the first argument's.
    pub fn result(self, argument: LogicalType) -> LogicalType {
        match self {
            Self::CountStar | Self::Count => LogicalType::Int,
            Self::Collect => LogicalType::List,
            Self::StDev | Self::StDevP | Self::PercentileCont => LogicalType::Float,
            Self::Min | Self::Max | Self::PercentileDisc => argument,
            Self::NumberSum => LogicalType::Any,
            Self::Sum => match argument {
                LogicalType::Int | LogicalType::Float | LogicalType::Decimal | LogicalType::Duration => {
                    argument
                }
                _ => LogicalType::Any,
            },
            Self::Avg => match argument {
                LogicalType::Int | LogicalType::Float => LogicalType::Float,
                LogicalType::Decimal | LogicalType::Duration => argument,
                _ => LogicalType::Any,
            },
        }
    }
}

/// The aggregate called `name`, whatever its case. `count(*)` is [`AggregateFunction::CountStar`], which has
/// no name.
pub fn lookup(name: &str) -> Option<AggregateFunction> {
    AggregateFunction::NAMED.into_iter().find(|function| function.name().eq_ignore_ascii_case(name))
}

/// The running state of one aggregate of one group.
#[derive(Clone, Debug)]
pub struct Accumulator(State);

#[derive(Clone, Debug)]
enum State {
    Rows(u64),
    Count(u64),
    Sum(Sum),
    NumberSum(Box<NumberSum>),
    Avg(Sum),
    Extremum(Extremum),
    Collect(Collect),
    Deviation(Deviation),
    Percentile(Box<Percentile>),
}

impl Accumulator {
    /// An accumulator that has seen nothing.
    pub fn new(function: AggregateFunction) -> Self {
        use AggregateFunction as A;
        Self(match function {
            A::CountStar => State::Rows(0),
            A::Count => State::Count(0),
            A::Sum => State::Sum(Sum::default()),
            A::NumberSum => State::NumberSum(Box::default()),
            A::Avg => State::Avg(Sum::default()),
            A::Min => State::Extremum(Extremum::min()),
            A::Max => State::Extremum(Extremum::max()),
            A::Collect => State::Collect(Collect::default()),
            A::StDev => State::Deviation(Deviation::sample()),
            A::StDevP => State::Deviation(Deviation::population()),
            A::PercentileCont => State::Percentile(Box::new(Percentile::continuous())),
            A::PercentileDisc => State::Percentile(Box::new(Percentile::discrete())),
        })
    }

    /// An accumulator of a sum or a mean that has seen `count` integers of this sum.
    pub fn of_integers(function: AggregateFunction, sum: i128, count: u64) -> Self {
        match function {
            AggregateFunction::Sum => Self(State::Sum(Sum::of_integers(sum, count))),
            AggregateFunction::NumberSum => Self(State::NumberSum(Box::new(NumberSum::of_integers(sum)))),
            AggregateFunction::Avg => Self(State::Avg(Sum::of_integers(sum, count))),
            other => Self::new(other),
        }
    }

    /// The same of floats.
    pub fn of_floats(function: AggregateFunction, sum: FloatSum, count: u64) -> Self {
        match function {
            AggregateFunction::Sum => Self(State::Sum(Sum::of_floats(sum, count))),
            AggregateFunction::NumberSum => {
                Self(State::NumberSum(Box::new(NumberSum::of_floats(sum, count))))
            }
            AggregateFunction::Avg => Self(State::Avg(Sum::of_floats(sum, count))),
            other => Self::new(other),
        }
    }

    /// The same of decimals.
    pub fn of_decimals(function: AggregateFunction, sum: Decimal, count: u64) -> Self {
        match function {
            AggregateFunction::Sum => Self(State::Sum(Sum::of_decimals(sum, count))),
            AggregateFunction::Avg => Self(State::Avg(Sum::of_decimals(sum, count))),
            other => Self::new(other),
        }
    }

    /// An accumulator of a deviation that has seen `count` numbers of this mean and this sum of squared
    /// distances from it.
    pub fn of_deviation(function: AggregateFunction, count: u64, mean: f64, squares: f64) -> Self {
        match function {
            AggregateFunction::StDev => Self(State::Deviation(Deviation::sample().of(count, mean, squares))),
            AggregateFunction::StDevP => {
                Self(State::Deviation(Deviation::population().of(count, mean, squares)))
            }
            other => Self::new(other),
        }
    }

    /// Whether a text may change what has been seen: not if it is no better than the best so far.
    pub fn wants_text(&self, text: &str) -> bool {
        match &self.0 {
            State::Extremum(extremum) => extremum.wants_text(text),
            _ => true,
        }
    }

    /// Whether a value may change what has been seen, of which `order` tells how it orders to another: not if
    /// it is no better than the best so far.
    pub fn wants(&self, order: impl FnOnce(&Value) -> Ordering) -> bool {
        match &self.0 {
            State::Extremum(extremum) => extremum.wants(order),
            _ => true,
        }
    }

    /// The second argument of a percentile; the first one given counts. Nothing for other aggregates.
    ///
    /// **Errors**: `ArgumentError` / `NumberOutOfRange` outside 0–1.
    pub fn set_parameter(&mut self, parameter: &Value) -> Result<(), Diagnostic> {
        match &mut self.0 {
            State::Percentile(percentile) => percentile.set_fraction(parameter),
            _ => Ok(()),
        }
    }

    /// Whether it needs no parameter, or has one.
    #[inline]
    pub fn has_parameter(&self) -> bool {
        match &self.0 {
            State::Percentile(percentile) => percentile.has_fraction(),
            _ => true,
        }
    }

    /// Bytes of an accumulator that has seen nothing.
    pub fn bytes(function: AggregateFunction) -> usize {
        let apart = match function {
            AggregateFunction::PercentileCont | AggregateFunction::PercentileDisc => size_of::<Percentile>(),
            AggregateFunction::NumberSum => size_of::<NumberSum>(),
            _ => 0,
        };
        size_of::<Self>() + apart
    }

    /// Takes `value` as often as `weight` says.
    ///
    /// **Nulls**: ignored, except by `count(*)`, for which the value does not matter.
    ///
    /// **Errors**: a value of a type the aggregate does not take; overflow.
    pub fn update(&mut self, value: &Value, weight: u64) -> Result<(), Diagnostic> {
        match &mut self.0 {
            State::Rows(count) => return add_count(count, weight),
            _ if value.is_null() || weight == 0 => {}
            State::Count(count) => return add_count(count, weight),
            State::Sum(sum) => sum.update("sum()", value, weight)?,
            State::Avg(sum) => sum.update("avg()", value, weight)?,
            State::NumberSum(sum) => sum.update(value, weight)?,
            State::Extremum(extremum) => extremum.update(value),
            State::Collect(collect) => collect.update(value, weight)?,
            State::Deviation(deviation) => deviation.update(value, weight)?,
            State::Percentile(percentile) => percentile.update(value, weight)?,
        }
        Ok(())
    }

    /// As [`Self::update`] with a float, which costs no look at its type. `false` for aggregates that keep
    /// what they take.
    ///
    /// **Errors**: overflow of the number of values; durations before it.
    #[inline]
    pub fn update_float(&mut self, number: f64, weight: u64) -> Result<bool, Diagnostic> {
        match &mut self.0 {
            _ if weight == 0 => {}
            State::Sum(sum) => sum.update_float("sum()", number, weight)?,
            State::Avg(sum) => sum.update_float("avg()", number, weight)?,
            State::NumberSum(sum) => sum.add_float(number, weight),
            State::Deviation(deviation) => deviation.update_float(number, weight),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// As [`Self::update_float`] with an integer.
    #[inline]
    pub fn update_integer(&mut self, number: i64, weight: u64) -> Result<bool, Diagnostic> {
        match &mut self.0 {
            _ if weight == 0 => {}
            State::Sum(sum) => sum.update_integer("sum()", number, weight)?,
            State::Avg(sum) => sum.update_integer("avg()", number, weight)?,
            State::NumberSum(sum) => sum.add_integer(number, weight)?,
            State::Deviation(deviation) => deviation.update(&Value::Int(number), weight)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// As [`Self::update_float`] with a decimal; of SPARQL's sums.
    #[inline]
    pub fn update_decimal(&mut self, number: Decimal, weight: u64) -> bool {
        match &mut self.0 {
            State::NumberSum(sum) => sum.add_decimal(number, weight),
            _ => return false,
        }
        true
    }

    /// As [`Self::update_float`] for many, each once, in lanes side by side.
    pub fn update_floats(&mut self, numbers: &[f64]) -> Result<bool, Diagnostic> {
        match &mut self.0 {
            State::Sum(sum) => sum.update_floats("sum()", numbers)?,
            State::Avg(sum) => sum.update_floats("avg()", numbers)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Takes an integer if that needs no room that is not there: percentiles do.
    #[inline]
    pub fn push_integer(&mut self, number: i64) -> bool {
        match &mut self.0 {
            State::Percentile(percentile) => percentile.push_integer(number),
            _ => false,
        }
    }

    /// The same of a float.
    #[inline]
    pub fn push_float(&mut self, number: f64) -> bool {
        match &mut self.0 {
            State::Percentile(percentile) => percentile.push_float(number),
            _ => false,
        }
    }

    /// Bytes that are to be allocated before so many integers can be taken by [`Self::push_integers`], or
    /// floats by [`Self::push_floats`]: what it holds now is given back. `None` where they are taken one by
    /// one.
    pub fn numbers_growth_bytes(&self, more: usize, are_floats: bool) -> Option<usize> {
        match &self.0 {
            State::Percentile(percentile) => percentile.numbers_growth_bytes(more, are_floats),
            _ => None,
        }
    }

    /// Takes floats, each once, where [`Self::numbers_growth_bytes`] says what they need.
    pub fn push_floats(&mut self, numbers: impl ExactSizeIterator<Item = f64>) {
        if let State::Percentile(percentile) = &mut self.0 {
            percentile.push_floats(numbers);
        }
    }

    /// The same of integers.
    pub fn push_integers(&mut self, numbers: impl ExactSizeIterator<Item = i64>) {
        if let State::Percentile(percentile) = &mut self.0 {
            percentile.push_integers(numbers);
        }
    }

    /// Takes all that `other` has taken, after what this one has.
    ///
    /// **Errors**: overflow; accumulators of different aggregates.
    pub fn merge(&mut self, other: Self) -> Result<(), Diagnostic> {
        match (&mut self.0, other.0) {
            (State::Rows(a), State::Rows(b)) | (State::Count(a), State::Count(b)) => add_count(a, b),
            (State::Sum(a), State::Sum(b)) | (State::Avg(a), State::Avg(b)) => a.merge(&b),
            (State::NumberSum(a), State::NumberSum(b)) => a.merge(&b),
            (State::Extremum(a), State::Extremum(b)) => {
                a.merge(b);
                Ok(())
            }
            (State::Collect(a), State::Collect(b)) => a.merge(b),
            (State::Deviation(a), State::Deviation(b)) => {
                a.merge(&b);
                Ok(())
            }
            (State::Percentile(a), State::Percentile(b)) => {
                a.merge(*b);
                Ok(())
            }
            _ => Err(Diagnostic::internal("states of different aggregates cannot be merged")),
        }
    }

    /// The result. Without any value: 0 for counts and sums, an empty list for `collect`, 0.0 for deviations,
    /// else null.
    pub fn finish(self) -> Result<Value, Diagnostic> {
        self.finish_until(None)
    }

    /// As [`Self::finish`], until `cancel` says stop.
    pub fn finish_until(self, cancel: Option<&CancelToken>) -> Result<Value, Diagnostic> {
        match self.0 {
            State::Rows(count) | State::Count(count) => {
                i64::try_from(count).map(Value::Int).map_err(|_| overflow("count()"))
            }
            State::Sum(sum) => sum.total(),
            State::Avg(sum) => sum.mean(),
            State::NumberSum(sum) => Ok(sum.total()),
            State::Extremum(extremum) => Ok(extremum.finish()),
            State::Collect(collect) => collect.finish(),
            State::Deviation(deviation) => Ok(deviation.finish()),
            State::Percentile(mut percentile) => percentile.finish(cancel),
        }
    }

    /// Bytes that are to be allocated before a value can be taken `weight` times: what it holds now is given
    /// back when they are there.
    pub fn growth_bytes(&self, weight: u64) -> usize {
        match &self.0 {
            State::Collect(collect) => collect.growth_bytes(weight),
            State::Percentile(percentile) => percentile.growth_bytes(),
            State::Sum(sum) | State::Avg(sum) => sum.heap_bytes().1,
            _ => 0,
        }
    }

    /// Bytes this accumulator holds besides those it began with; contents of values that others hold are not
    /// counted.
    pub fn heap_bytes(&self) -> usize {
        match &self.0 {
            State::Collect(collect) => collect.heap_bytes(),
            State::Percentile(percentile) => percentile.heap_bytes(),
            State::Extremum(extremum) => extremum.heap_bytes(),
            State::Sum(sum) | State::Avg(sum) => sum.heap_bytes().0,
            _ => 0,
        }
    }
}

fn add_count(count: &mut u64, weight: u64) -> Result<(), Diagnostic> {
    *count = count.checked_add(weight).ok_or_else(|| overflow("count()"))?;
    Ok(())
}
