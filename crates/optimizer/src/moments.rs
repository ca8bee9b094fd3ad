//! Points in time and durations as queries write them, `date('2024-05-01') - duration('P3M')`: takes an
//! expression, gives its value, for estimates, and to tell that it cannot fail.

use std::sync::Arc;

use trimorph_algebra::{Expr, Op};
use trimorph_types::temporal::{
    DurationFields, Fixed, ZoneId, parse_date, parse_datetime, parse_duration, parse_local_datetime,
    parse_local_time, parse_time,
};
use trimorph_types::{Duration, Value};

/// The value of a point in time or a duration that is written as a text, or of a sum of them; `leaf` tells
/// other values. Where a text has no zone, it is taken for UTC's: which zone is meant is settled when the
/// query runs.
pub(crate) fn moment(expr: &Expr, leaf: &dyn Fn(&Expr) -> Option<Value>) -> Option<Value> {
    match expr {
        Expr::Call(name, args, _) => {
            let [text] = &args[..] else { return None };
            if let (Expr::Map(parts), "duration") = (text, &**name) {
                return duration_of(parts, leaf);
            }
            let Value::String(text) = leaf(text)? else { return None };
            match &**name {
                "date" => parse_date(&text).ok().map(Value::Date),
                "localtime" => parse_local_time(&text).ok().map(Value::LocalTime),
                "time" => parse_time(&text, 0).ok().map(Value::Time),
                "localdatetime" => parse_local_datetime(&text).ok().map(Value::LocalDateTime),
                "datetime" => parse_datetime(&text, &ZoneId::UTC).ok().map(Value::DateTime),
                "duration" => parse_duration(&text).ok().map(Value::Duration),
                _ => None,
            }
        }
        Expr::Op(op @ (Op::Add | Op::Sub), args, _) => {
            let [point, duration] = &args[..] else { return None };
            let Value::Duration(duration) = moment(duration, leaf)? else { return None };
            let is_sum = *op == Op::Add;
            match moment(point, leaf)? {
                Value::Date(date) if is_sum => date.plus(duration).ok().map(Value::Date),
                Value::Date(date) => date.minus(duration).ok().map(Value::Date),
                Value::LocalDateTime(time) if is_sum => time.plus(duration).ok().map(Value::LocalDateTime),
                Value::LocalDateTime(time) => time.minus(duration).ok().map(Value::LocalDateTime),
                Value::DateTime(time) if is_sum => time.plus(duration).ok().map(Value::DateTime),
                Value::DateTime(time) => time.minus(duration).ok().map(Value::DateTime),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The duration of whole parts, as `{days: 3}` names them.
fn duration_of(parts: &[(Arc<str>, Expr)], leaf: &dyn Fn(&Expr) -> Option<Value>) -> Option<Value> {
    if parts.is_empty() {
        return None;
    }
    let mut fields = DurationFields::default();
    for (name, part) in parts {
        let Value::Int(part) = leaf(part)? else { return None };
        *fields.component_mut(name)? = Fixed::whole(part);
    }
    fields.duration().ok().map(Value::Duration)
}

/// Whether it is a duration that is written and leads from no moment of 64 bits to a year that dates lack.
pub(crate) fn is_short_duration(expr: &Expr) -> bool {
    let constant = |expr: &Expr| match expr {
        Expr::Const(value) => Some(value.clone()),
        _ => None,
    };
    match constant(expr).or_else(|| moment(expr, &constant)) {
        Some(Value::Duration(duration)) => is_short(&duration),
        _ => false,
    }
}

/// Whether a duration is shorter than 100,000 years in each of its parts.
pub(crate) fn is_short(duration: &Duration) -> bool {
    const MONTHS: u64 = 12 * 100_000;
    duration.months.unsigned_abs() < MONTHS
        && duration.days.unsigned_abs() < MONTHS * 31
        && duration.seconds.unsigned_abs() < MONTHS * 31 * 86_400
}

/// Whether it is a point in time or a duration all of which is written, and can be read.
pub(crate) fn is_written_moment(expr: &Expr) -> bool {
    let constant = |expr: &Expr| match expr {
        Expr::Const(value) => Some(value.clone()),
        _ => None,
    };
    moment(expr, &constant).is_some()
}
