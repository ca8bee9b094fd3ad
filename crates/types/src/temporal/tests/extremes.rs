//! Fields are public, so values may be nonsense: nothing may panic on them.

use crate::Value;
use crate::compare::{compare, equals, order};
use crate::format::{IdsOnly, format_literal};
use crate::temporal::{
    component, component_names, duration_between, duration_in_days, duration_in_months, duration_in_seconds,
};
use crate::value::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time, Zone};

#[test]
fn nonsense_does_not_panic() {
    let mut values = Vec::new();
    let numbers = [i64::MIN, -1, 0, 1, i64::MAX];
    for n in numbers {
        let small = i32::try_from(n.clamp(i64::from(i32::MIN), i64::from(i32::MAX))).unwrap();
        let nanos = u32::try_from(n.clamp(0, i64::from(u32::MAX))).unwrap();
        values.push(Value::Date(Date { days: n }));
        values.push(Value::LocalTime(LocalTime { nanos: n }));
        values.push(Value::Time(Time { nanos: n, offset_seconds: small }));
        values.push(Value::LocalDateTime(LocalDateTime { seconds: n, nanos }));
        for zone in [Zone::Offset(small), Zone::Named { name: "No/Where".into(), offset_seconds: small }] {
            values.push(Value::DateTime(DateTime { seconds: n, nanos, zone }));
        }
        values.push(Value::Duration(Duration { months: n, days: n, seconds: n, nanos: small }));
    }
    for a in &values {
        _ = format_literal(a, &IdsOnly);
        for name in component_names(a) {
            assert!(component(a, name).is_some() || matches!(a, Value::DateTime(_)), "{a:?}.{name}");
        }
        for b in &values {
            _ = (equals(a, b), compare(a, b), order(a, b));
            _ = (
                duration_between(a, b),
                duration_in_months(a, b),
                duration_in_days(a, b),
                duration_in_seconds(a, b),
            );
            if let (Value::Duration(x), Value::Duration(y)) = (a, b) {
                _ = (x.plus(*y), x.minus(*y));
            }
            if let Value::Duration(by) = b {
                match a {
                    Value::Date(x) => _ = x.plus(*by),
                    Value::LocalTime(x) => _ = x.plus_duration(*by),
                    Value::Time(x) => _ = x.plus_duration(*by),
                    Value::LocalDateTime(x) => _ = x.plus(*by),
                    Value::DateTime(x) => _ = x.plus(*by),
                    _ => {}
                }
            }
        }
    }
}

#[test]
fn dates_reach_the_outermost_years() {
    for (year, month, day, text) in
        [(-999_999_999, 1, 1, "-999999999-01-01"), (999_999_999, 12, 31, "+999999999-12-31")]
    {
        let date = Date::from_ymd(year, month, day).unwrap();
        assert_eq!(date.to_string(), text);
        assert_eq!(crate::temporal::parse_date(text), Ok(date));
        assert_eq!(date.ymd(), (year, month, day));
        let beyond = Duration { days: year.signum(), ..Duration::default() };
        assert!(date.plus(beyond).is_err());
        assert!(date.minus(beyond).is_ok());
    }
}
