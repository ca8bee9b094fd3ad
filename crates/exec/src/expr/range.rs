//! Comparisons with constants as ranges of the integers that columns keep.
//!
//! What is compared is a value itself, or a step of it: its year, its date, or the begin of a unit it is in,
//! which never fall where the value grows, so that `x.year = 2011` is a range of `x`.

use std::cmp::Ordering;

use trimorph_algebra::Op;
use trimorph_types::compare::order_zones;
use trimorph_types::temporal::Unit;
use trimorph_types::temporal::calendar::days_from_date;
use trimorph_types::{LogicalType, Value, Zone};

use super::Ex;

/// Nanoseconds of a day.
const DAY: i128 = 86_400_000_000_000;

/// What of a property's value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Value,
    /// `.year`, and SPARQL's `YEAR(…)`, which is null of what has no year.
    Year,
    /// `date(…)`
    Date,
    /// `date.truncate(unit, …)` and its kin, to a unit of whole days: the unit, and the type of what comes of
    /// it.
    Truncated(Unit, LogicalType),
}

impl Step {
    /// The step that an expression takes of another, and that.
    pub(crate) fn of(ex: &Ex) -> (Self, &Ex) {
        match ex {
            Ex::Property { base, key, .. } if &**key == "year" && matches!(**base, Ex::Property { .. }) => {
                (Self::Year, base)
            }
            Ex::Call(function, args, _)
                if function.name == "sparql.year" && matches!(args[..], [Ex::Property { .. }]) =>
            {
                (Self::Year, &args[0])
            }
            Ex::Call(function, args, _) if function.name == "date" && args.len() == 1 => {
                (Self::Date, &args[0])
            }
            Ex::Call(function, args, _) => match (&args[..], truncated_type(function.name)) {
                ([Ex::Const(Value::String(unit)), of], Some(ty)) => match Unit::parse(unit) {
                    Ok(unit) if unit.is_date_unit() => (Self::Truncated(unit, ty), of),
                    _ => (Self::Value, ex),
                },
                _ => (Self::Value, ex),
            },
            _ => (Self::Value, ex),
        }
    }

    /// As [`integer_range`], for a comparison of this step of a column's values.
    pub(crate) fn integer_range(self, ty: LogicalType, op: Op, value: &Value) -> Option<(i64, i64)> {
        // What a column keeps of a day: of a zoned moment the instant, in UTC where it is no exception.
        let unit = match ty {
            _ if self == Self::Value => return integer_range(ty, op, value),
            LogicalType::Date => 1,
            LogicalType::DateTime | LogicalType::LocalDateTime => DAY,
            _ => return None,
        };
        let (key, first): (_, fn(i128) -> i128) = match self {
            Self::Year => (LogicalType::Int, first_day),
            Self::Truncated(to, key) => return truncated_range(to, key, (ty, unit), op, value),
            _ => (LogicalType::Date, |day| day),
        };
        let (low, high) = integer_range(key, op, value)?;
        // The ends of 64 bits stand for no end.
        let starts = |key: i64, more| first(i128::from(key) + more) * unit;
        let low = if low == i64::MIN { i128::MIN } else { starts(low, 0) };
        let high = if high == i64::MAX { i128::MAX } else { starts(high, 1) - 1 };
        Some(cut(low, high))
    }
}

/// The part of a range that 64 bits hold.
fn cut(low: i128, high: i128) -> (i64, i64) {
    match (i64::try_from(low.max(i64::MIN.into())), i64::try_from(high.min(i64::MAX.into()))) {
        (Ok(low), Ok(high)) => (low, high),
        _ => NOTHING,
    }
}

/// What a function that truncates gives, if it does.
fn truncated_type(function: &str) -> Option<LogicalType> {
    match function {
        "date.truncate" => Some(LogicalType::Date),
        "datetime.truncate" => Some(LogicalType::DateTime),
        "localdatetime.truncate" => Some(LogicalType::LocalDateTime),
        _ => None,
    }
}

/// The range of a column, of whose integers so many are a day, where `op value` is true of what truncating to
/// a unit gives.
fn truncated_range(
    to: Unit,
    key: LogicalType,
    (ty, day): (LogicalType, i128),
    op: Op,
    value: &Value,
) -> Option<(i64, i64)> {
    // A moment with a zone is made of one with a zone: else the zone that is set would tell.
    if key == LogicalType::DateTime && ty != LogicalType::DateTime {
        return None;
    }
    let (low, high) = integer_range(key, op, value)?;
    if low > high {
        return Some(NOTHING);
    }
    let key_day = if key == LogicalType::Date { 1 } else { DAY };
    let begin_of = |days: i128| {
        #[expect(clippy::cast_possible_truncation, reason = "clamped to 45 bits")]
        let days = days.clamp(-(1 << 44), 1 << 44) as i64;
        i128::from(to.truncate_days(days))
    };
    // Within the unit that comes next, whichever begins on this day.
    let next = |begin: i128| begin_of(begin + days_at_most(to));
    let low = match low {
        i64::MIN => i128::MIN,
        low => {
            let days = -(-i128::from(low)).div_euclid(key_day);
            let begin = begin_of(days);
            (if begin < days { next(begin) } else { begin }) * day
        }
    };
    let high = match high {
        i64::MAX => i128::MAX,
        high => next(begin_of(i128::from(high).div_euclid(key_day))) * day - 1,
    };
    Some(cut(low, high))
}

/// The days of the longest of its kind.
fn days_at_most(unit: Unit) -> i128 {
    match unit {
        Unit::Millennium => 365_243,
        Unit::Century => 36_525,
        Unit::Decade => 3_653,
        Unit::WeekYear => 371,
        Unit::Year => 366,
        Unit::Quarter => 92,
        Unit::Month => 31,
        Unit::Week => 7,
        _ => 1,
    }
}

/// The day on which a year begins; years that no value has are all the same.
fn first_day(year: i128) -> i128 {
    #[expect(clippy::cast_possible_truncation, reason = "clamped to 41 bits")]
    let year = year.clamp(-(1 << 40), 1 << 40) as i64;
    days_from_date(year, 1, 1).into()
}

/// A range that holds nothing.
const NOTHING: (i64, i64) = (1, 0);

/// The integers `low..=high` that a column of `ty` must hold for `column op value` to be true; `None` where
/// that is no range of integers. Exceptions of the column (values of another type) are not covered.
pub(crate) fn integer_range(ty: LogicalType, mut op: Op, value: &Value) -> Option<(i64, i64)> {
    let nanos = |seconds: i64, nanos: u32| seconds.checked_mul(1_000_000_000)?.checked_add(nanos.into());
    let v = match (ty, value) {
        (LogicalType::Int, Value::Int(i)) => *i,
        (LogicalType::Date, Value::Date(d)) => d.days,
        (LogicalType::DateTime, Value::DateTime(t)) => {
            // The column keeps what is in UTC. One instant in two zones is not equal, but in their order.
            op = match (op, order_zones(&Zone::UTC, &t.zone)) {
                (_, Ordering::Equal) => op,
                (Op::Eq, _) => return Some(NOTHING),
                (Op::Lt | Op::Le, Ordering::Less) => Op::Le,
                (Op::Lt | Op::Le, Ordering::Greater) => Op::Lt,
                (Op::Gt | Op::Ge, Ordering::Less) => Op::Gt,
                (Op::Gt | Op::Ge, Ordering::Greater) => Op::Ge,
                _ => return None,
            };
            nanos(t.seconds, t.nanos)?
        }
        (LogicalType::LocalDateTime, Value::LocalDateTime(t)) => nanos(t.seconds, t.nanos)?,
        (LogicalType::LocalTime, Value::LocalTime(t)) => t.nanos,
        _ => return None,
    };
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
    matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne).then(|| op.swapped())
}

#[cfg(test)]
mod tests {
    use trimorph_base::Random;
    use trimorph_types::compare::{greater, greater_or_equal, less, less_or_equal};
    use trimorph_types::temporal::calendar::date_from_days;
    use trimorph_types::{Date, DateTime, LocalDateTime, equals};

    use super::*;

    #[test]
    fn steps_are_ranges_of_what_they_are_taken_of() {
        let mut random = Random::new(7);
        let mut passed = 0;
        for _ in 0..20_000 {
            let ty = [LogicalType::Date, LogicalType::LocalDateTime, LogicalType::DateTime][random.below(3)];
            let unit = if ty == LogicalType::Date { 1 } else { 86_400_000_000_000 };
            // Around the years that are asked for, and at the ends of 64 bits.
            let value = match random.below(8) {
                0 if unit > 1 => i64::MIN + random.below(3) as i64,
                1 if unit > 1 => i64::MAX - random.below(3) as i64,
                2 => (random.below(40_000) as i64 - 20_000) * unit,
                3 => (random.below(40_000) as i64 - 20_000) * unit - 1,
                _ => (random.below(2_000) as i64 - 1_000) * unit + random.below(unit as usize) as i64,
            };
            let day = value.div_euclid(unit);
            let op = [Op::Eq, Op::Lt, Op::Le, Op::Gt, Op::Ge][random.below(5)];
            let year = date_from_days(day).0;
            let (step, mine, key) = match random.below(3) {
                0 => (Step::Year, year, Value::Int(year + random.below(3) as i64 - 1)),
                1 => {
                    let units = [Unit::Millennium, Unit::Century, Unit::Decade, Unit::Year, Unit::WeekYear];
                    let units = [&units[..], &[Unit::Quarter, Unit::Month, Unit::Week, Unit::Day]].concat();
                    let to = units[random.below(units.len())];
                    // Begins of this unit, of the one before and after, and days that are none.
                    let begin = to.truncate_days(day + [-40, 0, 0, 40][random.below(4)]);
                    let key = begin + [0, 0, 1, -1][random.below(4)];
                    let mine = to.truncate_days(day);
                    match ty {
                        // Keys that 64 bits of nanoseconds hold.
                        LogicalType::LocalDateTime if random.below(2) == 0 && key.abs() < 100_000 => {
                            let late = random.below(2) as i64;
                            let key = LocalDateTime { seconds: key * 86_400, nanos: late as u32 };
                            let step = Step::Truncated(to, LogicalType::LocalDateTime);
                            (step, mine * 2, Value::LocalDateTime(key))
                        }
                        _ => (Step::Truncated(to, LogicalType::Date), mine, Value::Date(Date { days: key })),
                    }
                }
                _ => (Step::Date, day, Value::Date(Date { days: day + random.below(3) as i64 - 1 })),
            };
            let other = match &key {
                Value::Int(year) => *year,
                Value::Date(date) => date.days,
                // Half days, which only the nanosecond after a day's begin needs.
                Value::LocalDateTime(at) => at.seconds / 86_400 * 2 + i64::from(at.nanos),
                _ => unreachable!(),
            };
            let expected = match op {
                Op::Eq => mine == other,
                Op::Lt => mine < other,
                Op::Le => mine <= other,
                Op::Gt => mine > other,
                _ => mine >= other,
            };
            let (low, high) = step.integer_range(ty, op, &key).unwrap();
            assert_eq!(
                (low..=high).contains(&value),
                expected,
                "{step:?} of {value} ({ty:?}) {op:?} {key:?}"
            );
            passed += usize::from(expected);
        }
        assert!((5_000..15_000).contains(&passed), "{passed}");
    }

    #[test]
    fn instants_in_other_zones() {
        let zones = [
            Zone::UTC,
            Zone::Offset(3_600),
            Zone::Offset(-3_600),
            Zone::Named { name: "Europe/London".into(), offset_seconds: 0 },
        ];
        for zone in zones {
            let key = Value::DateTime(DateTime { seconds: 7, nanos: 5, zone });
            for nanos in 7_000_000_003..7_000_000_008_i64 {
                let instant = (nanos as u64 % 1_000_000_000) as u32;
                let mine = Value::DateTime(DateTime { seconds: 7, nanos: instant, zone: Zone::UTC });
                for (op, expected) in [
                    (Op::Eq, equals(&mine, &key)),
                    (Op::Lt, less(&mine, &key)),
                    (Op::Le, less_or_equal(&mine, &key)),
                    (Op::Gt, greater(&mine, &key)),
                    (Op::Ge, greater_or_equal(&mine, &key)),
                ] {
                    let (low, high) = integer_range(LogicalType::DateTime, op, &key).unwrap();
                    assert_eq!(Some((low..=high).contains(&nanos)), expected, "{nanos} {op:?} {key:?}");
                }
            }
        }
    }

    #[test]
    fn years_that_no_value_has() {
        for (op, year, all) in [
            (Op::Eq, i64::MAX, false),
            (Op::Eq, i64::MIN, false),
            (Op::Lt, i64::MAX, true),
            (Op::Gt, i64::MAX, false),
            (Op::Ge, i64::MIN, true),
            (Op::Lt, 1_000_000_000, true),
        ] {
            let (low, high) =
                Step::Year.integer_range(LogicalType::LocalDateTime, op, &Value::Int(year)).unwrap();
            assert_eq!(low <= high && (low..=high).contains(&0), all, "{op:?} {year}");
        }
        assert_eq!(Step::Year.integer_range(LogicalType::String, Op::Eq, &Value::Int(2011)), None);
        assert_eq!(Step::Year.integer_range(LogicalType::Date, Op::Eq, &Value::Float(2011.0)), None);
    }
}
