//! The function that an aggregate computes, and the errors of those that add up.

use trimorph_algebra::AggregateKind;
use trimorph_base::{Diagnostic, ErrorKind};
use trimorph_functions::aggregate::{Accumulator, AggregateFunction};
use trimorph_types::{Value, rdf};

use crate::ExecError;

pub(super) fn function(kind: AggregateKind) -> AggregateFunction {
    match kind {
        AggregateKind::CountStar => AggregateFunction::CountStar,
        AggregateKind::Count => AggregateFunction::Count,
        AggregateKind::Sum => AggregateFunction::Sum,
        AggregateKind::NumberSum => AggregateFunction::NumberSum,
        AggregateKind::Avg => AggregateFunction::Avg,
        AggregateKind::Min => AggregateFunction::Min,
        AggregateKind::Max => AggregateFunction::Max,
        AggregateKind::Collect => AggregateFunction::Collect,
        AggregateKind::StDev => AggregateFunction::StDev,
        AggregateKind::StDevP => AggregateFunction::StDevP,
        AggregateKind::PercentileCont => AggregateFunction::PercentileCont,
        AggregateKind::PercentileDisc => AggregateFunction::PercentileDisc,
    }
}

/// What an aggregate gives where there is nothing to aggregate.
pub(in crate::ops) fn value_of_nothing(kind: AggregateKind) -> Result<Value, ExecError> {
    Ok(Accumulator::new(function(kind)).finish()?)
}

/// An integer, a literal beyond 64 bits.
pub(super) fn integer_value(value: i128) -> Value {
    match i64::try_from(value) {
        Ok(int) => Value::Int(int),
        Err(_) => rdf::literal(&value.to_string(), rdf::names::xsd::INTEGER),
    }
}

pub(super) fn sum_overflow() -> ExecError {
    ExecError::Query(Diagnostic::runtime(
        ErrorKind::ArithmeticError,
        "NumberOutOfRange",
        "the sum does not fit a 64-bit integer",
    ))
}

/// As `sum_overflow`, of a mean.
pub(super) fn mean_overflow() -> ExecError {
    ExecError::Query(Diagnostic::runtime(
        ErrorKind::ArithmeticError,
        "NumberOutOfRange",
        "the number of values does not fit 64 bits",
    ))
}
