//! The function that an aggregate computes, and the errors of those that add up.

use trimorph_algebra::AggregateKind;
use trimorph_base::{Diagnostic, ErrorKind};
use trimorph_functions::aggregate::{Accumulator, AggregateFunction};
use trimorph_types::Value;

use crate::ExecError;

pub(super) fn function(kind: AggregateKind) -> AggregateFunction {
    match kind {
        AggregateKind::CountStar => AggregateFunction::CountStar,
        AggregateKind::Count => AggregateFunction::Count,
        AggregateKind::Sum | AggregateKind::IntegerSum => AggregateFunction::Sum,
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
