//! Arrow's dates, timestamps, durations and intervals in; dates, instants and durations out.

use arrow_array::Array;
use arrow_array::types::{
    Date64Type, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    IntervalDayTimeType, IntervalMonthDayNanoType, IntervalYearMonthType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use trimorph_store::bulk::ColumnData;
use trimorph_types::temporal::ZoneId;
use trimorph_types::{DateTime, Duration, LocalDateTime, LogicalType, Value};

use super::numbers::primitive;

const MILLIS_PER_DAY: i64 = 86_400_000;
const SECONDS_PER_DAY: i64 = 86_400;
const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// Dates that are milliseconds.
pub(super) fn dates(array: &dyn Array, fail: &mut dyn FnMut(usize, &str)) -> Result<ColumnData, String> {
    let one = |(row, millis): (usize, &i64)| {
        i32::try_from(millis.div_euclid(MILLIS_PER_DAY)).unwrap_or_else(|_| {
            if array.is_valid(row) {
                fail(row, "date is too far away");
            }
            0
        })
    };
    Ok(ColumnData::Date(primitive::<Date64Type>(array)?.values().iter().enumerate().map(one).collect()))
}

/// Counts since 1970, and how many make a second.
fn counts(array: &dyn Array) -> Result<(&[i64], i64), String> {
    Ok(match array.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => (primitive::<TimestampSecondType>(array)?.values(), 1),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            (primitive::<TimestampMillisecondType>(array)?.values(), 1_000)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            (primitive::<TimestampMicrosecondType>(array)?.values(), 1_000_000)
        }
        _ => (primitive::<TimestampNanosecondType>(array)?.values(), NANOS_PER_SECOND),
    })
}

/// Instants in nanoseconds; general values where some are beyond those, and in zones other than UTC.
pub(super) fn instants(array: &dyn Array, kind: LogicalType) -> Result<ColumnData, String> {
    let (counts, per_second) = counts(array)?;
    let zone = match array.data_type() {
        DataType::Timestamp(_, Some(zone)) => {
            ZoneId::parse(zone).map_err(|_| format!("zone \"{zone}\" is not known"))?
        }
        _ => ZoneId::Offset(0),
    };
    let is_utc = matches!(&zone, ZoneId::Offset(0))
        || matches!(array.data_type(), DataType::Timestamp(_, Some(name)) if ["UTC", "Etc/UTC"].contains(&&**name));
    let scale = NANOS_PER_SECOND / per_second;
    let nanos = |(row, count): (usize, &i64)| match count.checked_mul(scale) {
        None if array.is_null(row) => Some(0),
        other => other,
    };
    if is_utc && let Some(nanos) = counts.iter().enumerate().map(nanos).collect::<Option<Vec<i64>>>() {
        return Ok(match kind {
            LogicalType::DateTime => ColumnData::DateTime(nanos),
            _ => ColumnData::LocalDateTime(nanos),
        });
    }
    let value = |(row, count): (usize, &i64)| {
        let nanos = u32::try_from(count.rem_euclid(per_second) * scale).unwrap_or(0);
        let seconds = count.div_euclid(per_second);
        match kind {
            _ if array.is_null(row) => Value::Null,
            LogicalType::DateTime if is_utc => {
                Value::DateTime(DateTime::from_utc(seconds, nanos, &ZoneId::Offset(0)))
            }
            LogicalType::DateTime => Value::DateTime(DateTime::from_utc(seconds, nanos, &zone)),
            _ => Value::LocalDateTime(LocalDateTime { seconds, nanos }),
        }
    };
    Ok(ColumnData::Values(counts.iter().enumerate().map(value).collect()))
}

/// Lengths of time: of seconds and parts of them, or of months, days and these. Those without days get whole
/// days, as Python's `timedelta` has them: so a frame and a parameter give the same value.
pub(super) fn durations(array: &dyn Array, fail: &mut dyn FnMut(usize, &str)) -> Result<Vec<Value>, String> {
    let of_seconds = |count: i64, per_second: i64| {
        let nanos = count.rem_euclid(per_second) * (NANOS_PER_SECOND / per_second);
        let seconds = count.div_euclid(per_second);
        let (days, seconds) = (seconds.div_euclid(SECONDS_PER_DAY), seconds.rem_euclid(SECONDS_PER_DAY));
        Duration::normalized(0, days, seconds, nanos)
    };
    let mut values = Vec::with_capacity(array.len());
    let mut push = |row: usize, made: Option<Duration>| {
        values.push(match made {
            _ if array.is_null(row) => Value::Null,
            Some(made) => Value::Duration(made),
            None => {
                fail(row, "duration is too long");
                Value::Null
            }
        });
    };
    macro_rules! each {
        ($kind:ty, $make:expr) => {
            for (row, value) in primitive::<$kind>(array)?.values().iter().enumerate() {
                push(row, ($make)(*value));
            }
        };
    }
    match array.data_type() {
        DataType::Duration(TimeUnit::Second) => each!(DurationSecondType, |n| of_seconds(n, 1)),
        DataType::Duration(TimeUnit::Millisecond) => each!(DurationMillisecondType, |n| of_seconds(n, 1_000)),
        DataType::Duration(TimeUnit::Microsecond) => {
            each!(DurationMicrosecondType, |n| of_seconds(n, 1_000_000));
        }
        DataType::Duration(_) => each!(DurationNanosecondType, |n| of_seconds(n, NANOS_PER_SECOND)),
        DataType::Interval(IntervalUnit::YearMonth) => {
            each!(IntervalYearMonthType, |n: i32| Duration::normalized(n.into(), 0, 0, 0));
        }
        DataType::Interval(IntervalUnit::DayTime) => {
            each!(IntervalDayTimeType, |n: arrow_array::types::IntervalDayTime| {
                let millis = i64::from(n.milliseconds);
                Duration::normalized(
                    0,
                    n.days.into(),
                    millis.div_euclid(1_000),
                    millis.rem_euclid(1_000) * 1_000_000,
                )
            });
        }
        _ => each!(IntervalMonthDayNanoType, |n: arrow_array::types::IntervalMonthDayNano| {
            let (seconds, nanos) =
                (n.nanoseconds.div_euclid(NANOS_PER_SECOND), n.nanoseconds.rem_euclid(NANOS_PER_SECOND));
            Duration::normalized(n.months.into(), n.days.into(), seconds, nanos)
        }),
    }
    Ok(values)
}
