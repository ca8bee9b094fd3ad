//! Kernels of dates, times and instants.

use std::hint::black_box;

use trimorph_algebra::Op;
use trimorph_types::temporal::calendar::{date_from_days, days_from_date, days_in_month, week_of};
use trimorph_types::{Duration, Time, Value};

use super::columns::{A, B, Columns, DATE_TEXTS, DAYS, DURATION_TEXTS, T, U};
use super::{Cases, DAY, call, op, plain, property, slot, text};
use crate::expr::Ex;

const DAY_LONG: Duration = Duration { months: 0, days: 1, seconds: 0, nanos: 0 };
const MONTH_LONG: Duration = Duration { months: 1, days: 0, seconds: 0, nanos: 0 };

/// Whole months, then whole days, then what is left between two instants.
fn between(from: i64, to: i64) -> Duration {
    let (day, time) = (from.div_euclid(DAY), from.rem_euclid(DAY));
    let (to_day, to_time) = (to.div_euclid(DAY), to.rem_euclid(DAY));
    let end = |day: i64| {
        to_day - i64::from(to_day > day && to_time < time) + i64::from(to_day < day && to_time > time)
    };
    let (a, b) = (date_from_days(day), date_from_days(end(day)));
    let months = ((b.0 * 12 + b.1) * 32 + b.2 - ((a.0 * 12 + a.1) * 32 + a.2)) / 32;
    let index = a.0 * 12 + a.1 - 1 + months;
    let (year, month) = (index.div_euclid(12), index.rem_euclid(12) + 1);
    let moved = days_from_date(year, month, a.2.min(days_in_month(year, month)));
    let apart = (to_day - end(moved)) * DAY + to_time - time;
    let nanos = apart.rem_euclid(1_000_000_000) as i32;
    Duration { months, days: end(moved) - moved, seconds: apart.div_euclid(1_000_000_000), nanos }
}

#[expect(clippy::too_many_lines, reason = "a list")]
pub(super) fn cases(c: &Columns) -> Cases<'_> {
    vec![
        ("year of date", property(slot(DAYS), "year"), plain!(c.days, |d| date_from_days(i64::from(*d)).0)),
        ("year", property(slot(T), "year"), plain!(c.t, |t| date_from_days(t.div_euclid(DAY)).0)),
        ("month", property(slot(T), "month"), plain!(c.t, |t| date_from_days(t.div_euclid(DAY)).1)),
        ("week", property(slot(T), "week"), plain!(c.t, |t| week_of(t.div_euclid(DAY)).1)),
        (
            "dayOfWeek",
            property(slot(T), "dayOfWeek"),
            plain!(c.t, |t| (t.div_euclid(DAY) + 3).rem_euclid(7) + 1),
        ),
        ("hour", property(slot(T), "hour"), plain!(c.t, |t| t.rem_euclid(DAY) / 3_600_000_000_000)),
        ("epochSeconds", property(slot(T), "epochSeconds"), plain!(c.t, |t| t.div_euclid(1_000_000_000))),
        ("date(x)", call("date", vec![slot(T)]), plain!(c.t, |t| t.div_euclid(DAY) as i32)),
        (
            "truncate day",
            call("datetime.truncate", vec![text("day"), slot(T)]),
            plain!(c.t, |t| t.div_euclid(DAY) * DAY),
        ),
        (
            "truncate month",
            call("datetime.truncate", vec![text("month"), slot(T)]),
            plain!(c.t, |t| {
                let days = t.div_euclid(DAY);
                (days - date_from_days(days).2 + 1) * DAY
            }),
        ),
        (
            "truncate year",
            call("datetime.truncate", vec![text("year"), slot(T)]),
            plain!(c.t, |t| { days_from_date(date_from_days(t.div_euclid(DAY)).0, 1, 1) * DAY }),
        ),
        ("+ 1 day", op(Op::Add, vec![slot(T), Ex::Const(Value::Duration(DAY_LONG))]), {
            let t = &c.t;
            Box::new(move || {
                let (t, day, mut is_over) = (black_box(t), black_box(DAY), false);
                let of = |t: &i64| {
                    let (sum, over) = t.overflowing_add(day);
                    is_over |= over;
                    sum
                };
                drop(black_box((t.iter().map(of).collect::<Vec<_>>(), is_over)));
            })
        }),
        (
            "+ 1 month",
            op(Op::Add, vec![slot(T), Ex::Const(Value::Duration(MONTH_LONG))]),
            plain!(c.t, |t| {
                let (y, m, d) = date_from_days(t.div_euclid(DAY));
                days_from_date(y + m / 12, m % 12 + 1, d.min(28)) * DAY + t.rem_euclid(DAY)
            }),
        ),
        (
            "inDays(…).days",
            property(call("duration.inDays", vec![slot(T), slot(U)]), "days"),
            plain!(c.t, c.u, |(t, u)| (u - t) / DAY),
        ),
        (
            "between(…).months",
            property(call("duration.between", vec![slot(T), slot(U)]), "months"),
            plain!(c.t, c.u, |(t, u)| {
                let (a, b) = (date_from_days(t.div_euclid(DAY)), date_from_days(u.div_euclid(DAY)));
                (b.0 - a.0) * 12 + b.1 - a.1 - i64::from(b.2 < a.2)
            }),
        ),
        ("between", call("duration.between", vec![slot(T), slot(U)]), {
            plain!(c.t, c.u, |(t, u): (&i64, &i64)| between(*t, *u))
        }),
        (
            "inSeconds",
            call("duration.inSeconds", vec![slot(T), slot(U)]),
            plain!(c.t, c.u, |(t, u)| {
                let apart = u - t;
                let nanos = apart.rem_euclid(1_000_000_000) as i32;
                Duration { seconds: apart.div_euclid(1_000_000_000), nanos, ..Duration::default() }
            }),
        ),
        (
            "inDays",
            call("duration.inDays", vec![slot(T), slot(U)]),
            plain!(c.t, c.u, |(t, u)| Duration { days: (u - t) / DAY, ..Duration::default() }),
        ),
        (
            "inMonths",
            call("duration.inMonths", vec![slot(T), slot(U)]),
            plain!(c.t, c.u, |(t, u)| {
                let (a, b) = (date_from_days(t.div_euclid(DAY)), date_from_days(u.div_euclid(DAY)));
                let months = (b.0 - a.0) * 12 + b.1 - a.1 - i64::from(b.2 < a.2);
                Duration { months, ..Duration::default() }
            }),
        ),
        (
            "date(text)",
            call("date", vec![slot(DATE_TEXTS)]),
            plain!(c.date_texts, |t| {
                let part = |range: std::ops::Range<usize>| t[range].parse::<i64>().unwrap_or(0);
                days_from_date(part(0..4), part(5..7), part(8..10))
            }),
        ),
        (
            "duration(text)",
            call("duration", vec![slot(DURATION_TEXTS)]),
            plain!(c.duration_texts, |t| {
                let (days, hours) = t[1..t.len() - 1].split_once("DT").unwrap_or(("", ""));
                let part = |text: &str| text.parse::<i64>().unwrap_or(0);
                Duration { days: part(days), seconds: part(hours) * 3_600, ..Duration::default() }
            }),
        ),
        (
            "time(x)",
            call("time", vec![slot(T)]),
            plain!(c.t, |t| Time { nanos: t.rem_euclid(DAY), offset_seconds: 0 }),
        ),
        ("localtime(x)", call("localtime", vec![slot(T)]), plain!(c.t, |t| t.rem_euclid(DAY))),
        ("localdatetime(x)", call("localdatetime", vec![slot(T)]), plain!(c.t, |t| *t)),
        ("datetime(date)", call("datetime", vec![slot(DAYS)]), plain!(c.days, |d| i64::from(*d) * DAY)),
        ("fromEpoch", call("datetime.fromEpoch", vec![slot(B), slot(B)]), {
            // Both steps may leave 64 bits.
            let b = &c.b;
            Box::new(move || {
                let mut is_over = false;
                let of = |(seconds, within): (&i64, &i64)| {
                    let (nanos, over) = seconds.overflowing_mul(1_000_000_000);
                    let (sum, over_too) = nanos.overflowing_add(*within);
                    is_over |= over | over_too;
                    sum
                };
                let out: Vec<i64> = black_box(b).iter().zip(black_box(b)).map(of).collect();
                drop(black_box((out, is_over)));
            })
        }),
        ("fromEpochMillis", call("datetime.fromEpochMillis", vec![slot(A)]), plain!(c.a, |a| a * 1_000_000)),
        (
            "date.truncate month",
            call("date.truncate", vec![text("month"), slot(DAYS)]),
            plain!(c.days, |d| d - date_from_days(i64::from(*d)).2 as i32 + 1),
        ),
        (
            "localdatetime.truncate",
            call("localdatetime.truncate", vec![text("hour"), slot(T)]),
            plain!(c.t, |t| t - t.rem_euclid(3_600_000_000_000)),
        ),
        (
            "localtime.truncate hour",
            call("localtime.truncate", vec![text("hour"), call("localtime", vec![slot(T)])]),
            plain!(c.t, |t| {
                let time = t.rem_euclid(DAY);
                time - time.rem_euclid(3_600_000_000_000)
            }),
        ),
    ]
}
