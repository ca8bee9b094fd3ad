//! Comparisons with constants as ranges of the integers that columns keep.

use trimorph_algebra::Op;
use trimorph_types::{LogicalType, Value};

/// The integers `low..=high` that a column of `ty` must hold for `column op value` to be true; `None` where
/// that is no range of integers. Exceptions of the column (values of another type) are not covered.
pub(crate) fn integer_range(ty: LogicalType, op: Op, value: &Value) -> Option<(i64, i64)> {
    let nanos = |seconds: i64, nanos: u32| seconds.checked_mul(1_000_000_000)?.checked_add(nanos.into());
    let v = match (ty, value) {
        (LogicalType::Int, Value::Int(i)) => *i,
        (LogicalType::Date, Value::Date(d)) => d.days,
        // Zoned instants are equal only in the same zone: order alone is decided by the instant.
        (LogicalType::DateTime, Value::DateTime(t)) if op != Op::Eq => nanos(t.seconds, t.nanos)?,
        (LogicalType::LocalDateTime, Value::LocalDateTime(t)) => nanos(t.seconds, t.nanos)?,
        (LogicalType::LocalTime, Value::LocalTime(t)) => t.nanos,
        _ => return None,
    };
    const NOTHING: (i64, i64) = (1, 0);
    Some(match op {
        Op::Eq => (v, v),
        Op::Lt => v.checked_sub(1).map_or(NOTHING, |v| (i64::MIN, v)),
        Op::Le => (i64::MIN, v),
        Op::Gt => v.checked_add(1).map_or(NOTHING, |v| (v, i64::MAX)),
        Op::Ge => (v, i64::MAX),
        _ => return None,
    })
}

/// The comparison with its sides swapped, if it is one.
pub(crate) fn swapped(op: Op) -> Option<Op> {
    Some(match op {
        Op::Lt => Op::Gt,
        Op::Le => Op::Ge,
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        Op::Eq | Op::Ne => op,
        _ => return None,
    })
}
