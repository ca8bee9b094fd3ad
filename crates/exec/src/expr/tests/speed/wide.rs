//! Kernels of values that are more than a word.

use trimorph_algebra::Op;
use trimorph_types::temporal::calendar::date_from_days;
use trimorph_types::{Decimal, Duration, Time};

use super::columns::{Columns, DAYS, DECIMALS, DURATIONS, IRIS, LITERALS, TIMES, ZONED};
use super::{Cases, DAY, int, op, plain, property, slot};
use crate::expr::Ex;

pub(super) fn cases(c: &Columns) -> Cases<'_> {
    let offset = |n: usize| [3_600i64, -34_200][n] * 1_000_000_000;
    let (_, _, iri) = c.constants();
    let first = c.iris[0].as_str();
    vec![
        ("duration.days", property(slot(DURATIONS), "days"), plain!(c.durations, |d| d.days)),
        ("duration.hours", property(slot(DURATIONS), "hours"), plain!(c.durations, |d| d.seconds / 3_600)),
        (
            "duration + duration",
            op(Op::Add, vec![slot(DURATIONS), slot(DURATIONS)]),
            plain!(c.durations, |d| d.plus(*d).unwrap_or_default()),
        ),
        (
            "duration * 2",
            op(Op::Mul, vec![slot(DURATIONS), int(2)]),
            plain!(c.durations, |d| d.times(trimorph_types::temporal::Ratio::whole(2)).unwrap_or_default()),
        ),
        (
            "-duration",
            op(Op::Neg, vec![slot(DURATIONS)]),
            plain!(c.durations, |d| d.negated().unwrap_or_default()),
        ),
        (
            "duration = duration",
            op(Op::Eq, vec![slot(DURATIONS), slot(DURATIONS)]),
            plain!(c.durations, c.durations, |(a, b): (&Duration, &Duration)| a == b),
        ),
        (
            "date + duration",
            op(Op::Add, vec![slot(DAYS), slot(DURATIONS)]),
            plain!(c.days, c.durations, |(day, d)| {
                let months = trimorph_types::temporal::calendar::add_months(i64::from(*day), d.months);
                months.map_or(0, |day| (day + d.days) as i32)
            }),
        ),
        ("time.hour", property(slot(TIMES), "hour"), plain!(c.times, |t| t.nanos / 3_600_000_000_000)),
        (
            "time < time",
            op(Op::Lt, vec![slot(TIMES), slot(TIMES)]),
            // By instant, then by offset, of both sides.
            plain!(c.times, c.times, |(a, b): (&Time, &Time)| {
                let utc = |t: &Time| t.nanos - i64::from(t.offset_seconds) * 1_000_000_000;
                (utc(a) < utc(b)) | (utc(a) == utc(b)) & (a.offset_seconds < b.offset_seconds)
            }),
        ),
        (
            "year in a zone",
            property(slot(ZONED), "year"),
            plain!(c.zoned, |(t, n)| date_from_days((t + offset(*n)).div_euclid(DAY)).0),
        ),
        (
            "decimal + decimal",
            op(Op::Add, vec![slot(DECIMALS), slot(DECIMALS)]),
            plain!(c.decimals, |d| d.plus(*d).unwrap_or_default()),
        ),
        (
            "decimal < decimal",
            op(Op::Lt, vec![slot(DECIMALS), slot(DECIMALS)]),
            // Of one scale both are compared as they are; else the slow way.
            plain!(c.decimals, c.decimals, |(a, b): (&Decimal, &Decimal)| {
                if a.scale() == b.scale() { a.unscaled() < b.unscaled() } else { a < b }
            }),
        ),
        ("iri = iri", op(Op::Eq, vec![slot(IRIS), Ex::Const(iri)]), plain!(c.iris, move |iri| iri == first)),
        (
            "literal = literal",
            op(Op::Eq, vec![slot(LITERALS), slot(LITERALS)]),
            plain!(c.iris, c.iris, |(a, b): (&String, &String)| a == b),
        ),
    ]
}
