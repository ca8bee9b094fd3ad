//! Random vectors of every type, with nulls and extremes, and random expressions over them.

use std::sync::Arc;

use trimorph_algebra::Op;
use trimorph_base::{Random, Span};
use trimorph_catalog::{Catalog, CatalogView};
use trimorph_functions::lookup;
use trimorph_store::access::PropertyAccess;
use trimorph_types::temporal::ZoneId;
use trimorph_types::{Date, DateTime, Decimal, Duration, Literal, LocalDateTime, LocalTime, Time, Value};
use trimorph_vector::{Chunk, Group, Positions, Selection, Values, Vector};

use crate::expr::Ex;
use crate::layout::Place;

const INTS: [i64; 12] = [0, 1, -1, 2, 7, -13, 60, 1 << 53, (1 << 53) + 1, i64::MAX, i64::MIN, i64::MIN + 1];
const FLOATS: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.5,
    2.5,
    2.675,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    9_007_199_254_740_992.0,
    9_223_372_036_854_775_808.0,
    f64::MAX,
    f64::MIN_POSITIVE,
];
const NANOS_A_DAY: i64 = 86_400_000_000_000;
/// The first and the last day of a year that dates may have.
const DAYS: [i64; 2] = [-365_243_219_162, 365_241_780_471];

/// Types of the slots of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Bool,
    Int,
    Small,
    Float,
    Date,
    LocalTime,
    LocalDateTime,
    DateTime,
    Duration,
    Text,
    Time,
    Zoned,
    Decimal,
    /// Decimals that are integers of one scale, some of which leave no room.
    Cents,
    Iri,
    Literal,
    /// Integers beside floats.
    Number,
    /// Texts that are read as moments or durations.
    Moment,
    Mixed,
}

pub(super) const KINDS: [Kind; 19] = [
    Kind::Bool,
    Kind::Int,
    Kind::Small,
    Kind::Float,
    Kind::Date,
    Kind::LocalTime,
    Kind::LocalDateTime,
    Kind::DateTime,
    Kind::Duration,
    Kind::Text,
    Kind::Time,
    Kind::Zoned,
    Kind::Decimal,
    Kind::Cents,
    Kind::Iri,
    Kind::Literal,
    Kind::Number,
    Kind::Moment,
    Kind::Mixed,
];

fn int(random: &mut Random) -> i64 {
    if random.chance(40) { *random.pick(&INTS) } else { random.between(-200, 200) }
}

/// Days, most of them of our time.
fn day(random: &mut Random) -> i64 {
    match random.below(8) {
        0 => *random.pick(&DAYS) / 200_000,
        1 => random.between(-1_000_000, 1_000_000),
        _ => random.between(-40_000, 40_000),
    }
}

/// Nanoseconds since the epoch: all that vectors hold.
fn nanos(random: &mut Random) -> i64 {
    match random.below(8) {
        0 => *random.pick(&[i64::MAX, i64::MIN, i64::MAX - 1, i64::MIN + 1]),
        1 => random.bits().cast_signed(),
        2 => random.between(-30_000, 30_000) * NANOS_A_DAY,
        _ => random.between(-2_000_000_000_000_000_000, 2_000_000_000_000_000_000) / 1_000 * 1_000,
    }
}

fn split(nanos: i64) -> (i64, u32) {
    (nanos.div_euclid(1_000_000_000), u32::try_from(nanos.rem_euclid(1_000_000_000)).unwrap())
}

fn time(random: &mut Random) -> LocalTime {
    let grain = *random.pick(&[1, 1_000, 1_000_000_000, 3_600_000_000_000]);
    LocalTime { nanos: random.between(0, NANOS_A_DAY / grain - 1) * grain }
}

fn duration(random: &mut Random) -> Duration {
    let size = *random.pick(&[0, 2, 40, 100_000, 1 << 40]);
    let mut part = || if random.chance(50) { random.between(-size, size) } else { 0 };
    let (months, days, seconds) = (part(), part(), part());
    let nanos = *random.pick(&[0, 0, 1, 999_999_999]);
    Duration { months, days, seconds, nanos }
}

/// A vector of one of the types whose values are more than a word, few of them different.
pub(crate) fn wide(random: &mut Random, len: usize) -> Vector<'static> {
    const WIDE: [Kind; 8] = [
        Kind::Duration,
        Kind::Time,
        Kind::Zoned,
        Kind::Decimal,
        Kind::Cents,
        Kind::Iri,
        Kind::Literal,
        Kind::Number,
    ];
    let kind = *random.pick(&WIDE);
    let known: Vec<Value> = (0..6).map(|_| value(kind, random)).collect();
    let nulls = *random.pick(&[0, 0, 30]);
    let values =
        (0..len).map(|_| if random.chance(nulls) { Value::Null } else { random.pick(&known).clone() });
    Vector::of_mixed(values.collect(), Positions::all(len))
}

fn zones() -> [ZoneId; 4] {
    [ZoneId::UTC, ZoneId::Offset(3_600), ZoneId::Offset(-34_200), ZoneId::Named("Europe/Stockholm".into())]
}

/// A value of a kind.
pub(super) fn value(kind: Kind, random: &mut Random) -> Value {
    match kind {
        Kind::Bool => Value::Bool(random.chance(50)),
        Kind::Int => Value::Int(int(random)),
        Kind::Small => Value::Int(random.between(-3, 5)),
        Kind::Float if random.chance(50) => Value::Float(*random.pick(&FLOATS)),
        Kind::Float => Value::Float((int(random) % 1_000_000) as f64 / 64.0),
        Kind::Date => Value::Date(Date { days: day(random) }),
        Kind::LocalTime => Value::LocalTime(time(random)),
        Kind::LocalDateTime => {
            let (seconds, nanos) = split(nanos(random));
            Value::LocalDateTime(LocalDateTime { seconds, nanos })
        }
        Kind::DateTime => {
            let (seconds, nanos) = split(nanos(random));
            Value::DateTime(DateTime::from_utc(seconds, nanos, &ZoneId::UTC))
        }
        Kind::Duration => Value::Duration(duration(random)),
        Kind::Text => Value::string(*random.pick(&["", "a", "day", "12", "1.5", "true", "2020-02-29", "é"])),
        Kind::Time => Value::Time(Time {
            nanos: time(random).nanos,
            offset_seconds: *random.pick(&[0, 0, 3_600, -34_200, 64_800]),
        }),
        Kind::Zoned => {
            let (seconds, nanos) = split(nanos(random));
            Value::DateTime(DateTime::from_utc(seconds, nanos, random.pick(&zones())))
        }
        Kind::Number => {
            let kind = *random.pick(&[Kind::Int, Kind::Small, Kind::Float]);
            value(kind, random)
        }
        Kind::Cents => {
            let units = if random.chance(2) { int(random) } else { random.between(-2_000, 2_000) };
            Value::Decimal(Decimal::new(units.into(), 2).unwrap_or_default())
        }
        Kind::Decimal if random.chance(20) => Value::Decimal(int(random).into()),
        Kind::Decimal => {
            let (large, small) = (i128::from(int(random)), i128::from(int(random) % 100));
            let unscaled = *random.pick(&[large, small, i128::MAX / 1_000]);
            let decimal = Decimal::new(unscaled, *random.pick(&[0, 1, 2, 18, 38]));
            Value::Decimal(decimal.unwrap_or_default())
        }
        Kind::Iri => Value::iri(*random.pick(&["", "http://a", "http://b", "day"])),
        Kind::Literal => {
            let text = *random.pick(&["", "a", "b"]);
            let of = *random.pick(&["en", "EN", "de"]);
            let is_tagged = random.chance(70);
            let literal =
                if is_tagged { Literal::in_language(text, of) } else { Literal::of_datatype(text, of) };
            Value::Literal(literal.into())
        }
        Kind::Moment => {
            let texts = match random.below(6) {
                0 => &["2020-02-29", "-0044-03-15", "2020-W10", "+123456-01-01", "9999-12-31"][..],
                1 => &["12:30", "23:59:59.999999999", "12", "1230"],
                2 => &["2020-02-29T12:30", "1969-12-31T23:59:59.5", "+123456-01-01T00"],
                3 => &["2020-02-29T12:30Z", "2020-02-29T12:30+01:00", "12:30+01:00", "12:30Z"],
                4 => &[
                    "P1Y2M3DT4H5M6.7S",
                    "PT-1.5S",
                    "P2W",
                    "P12345678901234567D",
                    "-P1Y2M3W4DT5H6M7S",
                    "PT1H",
                ],
                _ => &["", "nonsense", "2021-02-29", "2020-13-01", "2020-00-10", "2020-02-00", "P1DT", "PT"],
            };
            Value::string(*random.pick(texts))
        }
        Kind::Mixed => match random.below(12) {
            0 => Value::Date(Date { days: *random.pick(&DAYS) }),
            1 => Value::DateTime(DateTime::from_utc(
                random.between(-1 << 40, 1 << 40),
                5,
                random.pick(&[ZoneId::Offset(3_600), ZoneId::Named("Europe/Stockholm".into()), ZoneId::UTC]),
            )),
            2 => Value::list(vec![Value::Int(1)]),
            _ => {
                let kind = *random.pick(&KINDS[..15]);
                value(kind, random)
            }
        },
    }
}

/// A chunk of one group with a slot of every kind.
pub(super) fn chunk(random: &mut Random) -> Chunk<'static> {
    let len = *random.pick(&[1, 5, 64, 100, 130]);
    let vectors = KINDS
        .iter()
        .map(|kind| {
            let nulls = *random.pick(&[0, 0, 30, 100]);
            // Few values, so that some are equal.
            let known: Vec<Value> = (0..12).map(|_| value(*kind, random)).collect();
            let values: Vec<Value> = (0..len)
                .map(|_| match random.below(100) {
                    draw if draw < nulls => Value::Null,
                    draw if draw.is_multiple_of(2) => random.pick(&known).clone(),
                    _ => value(*kind, random),
                })
                .collect();
            Vector::of_mixed(values, Positions::all(len))
        })
        .collect();
    let (mut selection, mut flat) = (Selection::All, None);
    match random.below(4) {
        0 => {
            let percent = *random.pick(&[0, 10, 60, 95]);
            let list = (0..u32::try_from(len).unwrap()).filter(|_| random.chance(percent)).collect();
            selection = Selection::List(list);
        }
        1 => flat = Some(random.below(len)),
        _ => {}
    }
    Chunk { groups: vec![Group { len, selection, flat, multiplicity: None, vectors }] }
}

/// How many values are typed.
pub(super) fn typed(chunk: &Chunk<'_>) -> usize {
    chunk.groups[0].vectors.iter().filter(|v| !matches!(v.values, Values::Any(_))).count()
}

/// Draws expressions.
pub(super) struct Drawn<'r> {
    pub(super) random: &'r mut Random,
    pub(super) catalog: &'r Catalog,
    next: u32,
}

const OPS: [Op; 18] = [
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Eq,
    Op::Ne,
    Op::Lt,
    Op::Le,
    Op::Gt,
    Op::Ge,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Div,
    Op::Mod,
    Op::Pow,
    Op::And,
    Op::Or,
    Op::Add,
];
const COMPONENTS: [&str; 34] = [
    "year",
    "quarter",
    "month",
    "week",
    "weekYear",
    "day",
    "ordinalDay",
    "weekDay",
    "dayOfWeek",
    "dayOfQuarter",
    "hour",
    "minute",
    "second",
    "millisecond",
    "microsecond",
    "nanosecond",
    "timezone",
    "offset",
    "offsetSeconds",
    "offsetMinutes",
    "epochSeconds",
    "epochMillis",
    "months",
    "days",
    "seconds",
    "milliseconds",
    "minutesOfHour",
    "monthsOfYear",
    "nanosecondsOfSecond",
    "nonsense",
    "years",
    "weeks",
    "hours",
    "minutes",
];
const UNITS: [&str; 16] = [
    "millennium",
    "century",
    "decade",
    "year",
    "weekYear",
    "quarter",
    "month",
    "week",
    "day",
    "hour",
    "minute",
    "second",
    "millisecond",
    "microsecond",
    "Month",
    "nonsense",
];

impl<'r> Drawn<'r> {
    pub(super) fn new(random: &'r mut Random, catalog: &'r Catalog) -> Self {
        Self { random, catalog, next: 0 }
    }

    /// A place in the text, another for each part: errors tell which part they are of.
    pub(super) fn span(&mut self) -> Span {
        self.next += 1;
        Span::new(self.next, self.next)
    }

    /// A slot of one of some kinds, or a constant.
    pub(super) fn leaf(&mut self, kinds: &[Kind]) -> Ex {
        let kind = *self.random.pick(kinds);
        if self.random.chance(25) {
            return Ex::Const(if self.random.chance(10) { Value::Null } else { value(kind, self.random) });
        }
        let slot = KINDS.iter().position(|k| *k == kind).unwrap_or(0);
        Ex::Slot(Place { group: 0, slot })
    }

    /// An operand: mostly of kinds that go together.
    pub(super) fn operand(&mut self, kinds: &[Kind], depth: usize) -> Ex {
        if depth > 0 && self.random.chance(60) {
            return self.expression(depth - 1);
        }
        if self.random.chance(10) { self.leaf(&KINDS) } else { self.leaf(kinds) }
    }

    pub(super) fn call(&mut self, name: &str, args: Vec<Ex>) -> Ex {
        Ex::Call(lookup(name).expect(name), args, self.span())
    }

    pub(super) fn property(&mut self, base: Ex, key: &str) -> Ex {
        let view = CatalogView::new(self.catalog);
        let columns = Arc::new(PropertyAccess::new(&view, key));
        Ex::Property { base: Box::new(base), key: key.into(), columns, span: self.span() }
    }

    /// An expression of some depth.
    pub(super) fn expression(&mut self, depth: usize) -> Ex {
        const NUMBERS: [Kind; 6] =
            [Kind::Int, Kind::Small, Kind::Float, Kind::Decimal, Kind::Cents, Kind::Number];
        const MOMENTS: [Kind; 6] =
            [Kind::Date, Kind::LocalTime, Kind::LocalDateTime, Kind::DateTime, Kind::Time, Kind::Zoned];
        match self.random.below(20) {
            18.. => {
                let keys = &["a", "b", "c"][..1 + self.random.below(3)];
                let entries = keys.iter().map(|key| ((*key).into(), self.result(depth))).collect();
                match self.random.below(3) {
                    0 => Ex::Map(entries),
                    1 => {
                        let key = *self.random.pick(&["a", "b", "year"]);
                        self.property(Ex::Map(entries), key)
                    }
                    _ => Ex::MapProjection { base: Box::new(self.leaf(&KINDS)), all: false, entries },
                }
            }
            0..5 => {
                let op = *self.random.pick(&OPS);
                let kinds: &[Kind] = match op {
                    Op::And | Op::Or | Op::Xor => &[Kind::Bool],
                    Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                        let kind = *self.random.pick(&KINDS);
                        return {
                            let kinds = match kind {
                                // Also what is compared with nothing of the other side.
                                _ if self.random.chance(20) => &KINDS,
                                kind if NUMBERS.contains(&kind) => &NUMBERS[..],
                                _ => &[kind],
                            };
                            let args = vec![self.operand(kinds, depth), self.operand(kinds, depth)];
                            Ex::Op(op, args, self.span())
                        };
                    }
                    Op::Add | Op::Sub if self.random.chance(40) => {
                        let duration = if self.random.chance(70) {
                            Ex::Const(value(Kind::Duration, self.random))
                        } else {
                            self.leaf(&[Kind::Duration])
                        };
                        let mut args = vec![self.leaf(&MOMENTS), duration];
                        if self.random.chance(20) {
                            args.swap(0, 1);
                        }
                        return Ex::Op(op, args, self.span());
                    }
                    Op::Add | Op::Sub | Op::Mul | Op::Div if self.random.chance(30) => {
                        let other = if self.random.chance(50) { Kind::Duration } else { Kind::Small };
                        let mut args = vec![self.leaf(&[Kind::Duration]), self.leaf(&[other, Kind::Float])];
                        if self.random.chance(30) {
                            args.swap(0, 1);
                        }
                        return Ex::Op(op, args, self.span());
                    }
                    _ => &NUMBERS,
                };
                let many = if matches!(op, Op::And | Op::Or) { 2 + self.random.below(2) } else { 2 };
                let args = (0..many).map(|_| self.operand(kinds, depth)).collect();
                Ex::Op(op, args, self.span())
            }
            5 => {
                let op = *self.random.pick(&[Op::Not, Op::IsNull, Op::IsNotNull, Op::Neg]);
                let kinds: &[Kind] = match op {
                    Op::Not => &[Kind::Bool],
                    Op::Neg => &[
                        Kind::Int,
                        Kind::Float,
                        Kind::Duration,
                        Kind::Small,
                        Kind::Decimal,
                        Kind::Cents,
                        Kind::Number,
                    ],
                    _ => &KINDS,
                };
                let args = vec![self.operand(kinds, depth)];
                Ex::Op(op, args, self.span())
            }
            6 | 7 => {
                let branches = (0..1 + self.random.below(3))
                    .map(|_| (self.operand(&[Kind::Bool], depth), self.result(depth)))
                    .collect();
                let otherwise =
                    if self.random.chance(50) { Ex::Const(Value::Null) } else { self.result(depth) };
                Ex::Case { branches, otherwise: Box::new(otherwise) }
            }
            8 => {
                let kind = *self.random.pick(&KINDS);
                let args = (0..1 + self.random.below(3)).map(|_| self.operand(&[kind], depth)).collect();
                self.call("coalesce", args)
            }
            9 => {
                let kind = *self.random.pick(&KINDS);
                let args = vec![self.operand(&[kind], depth), self.operand(&[kind], depth)];
                self.call("nullIf", args)
            }
            10 => {
                let rest = (0..1 + self.random.below(4))
                    .map(|_| {
                        let op = *self.random.pick(&[Op::Add, Op::Sub, Op::Mul, Op::Div]);
                        (op, self.operand(&NUMBERS, depth), self.span())
                    })
                    .collect();
                Ex::Chain(Box::new(self.operand(&NUMBERS, depth)), rest)
            }
            11 | 12 => {
                let name = *self.random.pick(&[
                    "abs",
                    "ceil",
                    "floor",
                    "sqrt",
                    "exp",
                    "log",
                    "log10",
                    "sin",
                    "cos",
                    "tan",
                    "atan",
                    "sign",
                    "isNaN",
                    "round",
                    "degrees",
                    "toInteger",
                    "toFloat",
                    "toBoolean",
                    "toString",
                    "toIntegerOrNull",
                    "toFloatOrNull",
                    "toBooleanOrNull",
                    "toStringOrNull",
                    "exists",
                    "isEmpty",
                    "valueType",
                ]);
                let kinds: &[Kind] = match name {
                    "toInteger" | "toFloat" => {
                        &[Kind::Int, Kind::Float, Kind::Number, Kind::Bool, Kind::Text]
                    }
                    "toBoolean" => &[Kind::Int, Kind::Bool, Kind::Text],
                    "isEmpty" => &[Kind::Text, Kind::Moment],
                    _ if name.starts_with("to") => &KINDS,
                    _ => &NUMBERS,
                };
                let args = vec![self.operand(kinds, depth)];
                self.call(name, args)
            }
            13 => {
                let digits = self.leaf(&[Kind::Small]);
                let mut args = vec![self.operand(&NUMBERS, depth), digits];
                if self.random.chance(50) {
                    let mode =
                        *self.random.pick(&["UP", "DOWN", "CEILING", "FLOOR", "HALF_EVEN", "half_up", "no"]);
                    args.push(Ex::Const(Value::string(mode)));
                }
                if self.random.chance(50) {
                    return self.call("round", args);
                }
                args.truncate(1);
                args.push(self.leaf(&NUMBERS));
                self.call("atan2", args)
            }
            14 => {
                let base = self.operand(
                    &[
                        Kind::Date,
                        Kind::LocalTime,
                        Kind::LocalDateTime,
                        Kind::DateTime,
                        Kind::Duration,
                        Kind::Time,
                        Kind::Zoned,
                    ],
                    depth,
                );
                let key = *self.random.pick(&COMPONENTS);
                self.property(base, key)
            }
            15 => {
                let name = *self.random.pick(&["date", "localdatetime", "datetime", "localtime", "time"]);
                let base = self.operand(&MOMENTS, depth);
                if self.random.chance(25) {
                    return self.in_zone(base);
                }
                if self.random.chance(30) {
                    let text = self.leaf(&[Kind::Moment]);
                    let name = *self.random.pick(&[name, "duration"]);
                    return self.call(name, vec![text]);
                }
                if self.random.chance(50) {
                    return self.call(name, vec![base]);
                }
                let unit = Ex::Const(Value::string(*self.random.pick(&UNITS)));
                self.call(&format!("{name}.truncate"), vec![unit, base])
            }
            16 => {
                let name = *self.random.pick(&["between", "inDays", "inMonths", "inSeconds"]);
                let args = vec![self.operand(&MOMENTS, depth), self.operand(&MOMENTS, depth)];
                let between = self.call(&format!("duration.{name}"), args);
                if self.random.chance(40) {
                    return between;
                }
                let key = *self.random.pick(&COMPONENTS[22..]);
                self.property(between, key)
            }
            _ => {
                if self.random.chance(50) {
                    let args = vec![self.leaf(&[Kind::Int, Kind::Small])];
                    return self.call("datetime.fromEpochMillis", args);
                }
                let args = vec![self.leaf(&[Kind::Int, Kind::Small]), self.leaf(&[Kind::Int, Kind::Small])];
                self.call("datetime.fromEpoch", args)
            }
        }
    }

    /// A moment in a zone, and what its clock shows.
    fn in_zone(&mut self, moment: Ex) -> Ex {
        const NAMES: [&str; 8] = [
            "Asia/Kolkata",
            "America/New_York",
            "Europe/Stockholm",
            "+05:30",
            "Z",
            "-00:30",
            "Australia/Lord_Howe",
            "No/Where",
        ];
        let (key, value) = match self.random.below(6) {
            0 => ("epochMillis", self.leaf(&[Kind::Int, Kind::Small])),
            1 => ("epochSeconds", self.leaf(&[Kind::Small])),
            _ => ("datetime", moment),
        };
        let mut entries = vec![(key.into(), value)];
        if self.random.chance(85) {
            let known = if self.random.chance(90) { &NAMES[..7] } else { &NAMES };
            let name = *self.random.pick(known);
            let mut zone = Ex::Const(Value::string(name));
            if self.random.chance(20) {
                let branches = vec![(self.leaf(&[Kind::Bool]), zone)];
                let otherwise = Ex::Const(Value::string(*self.random.pick(&NAMES[..7])));
                zone = Ex::Case { branches, otherwise: Box::new(otherwise) };
            }
            entries.push(("timezone".into(), zone));
        }
        let shown = self.call("datetime", vec![Ex::Map(entries)]);
        let kind = *self.random.pick(&["date", "localdatetime", "datetime", "localtime", "time"]);
        match self.random.below(5) {
            0 => shown,
            1 => self.call(kind, vec![shown]),
            2 => {
                let unit = Ex::Const(Value::string(*self.random.pick(&UNITS)));
                self.call(&format!("{kind}.truncate"), vec![unit, shown])
            }
            _ => {
                let key = *self.random.pick(&COMPONENTS);
                self.property(shown, key)
            }
        }
    }

    /// What a branch gives.
    fn result(&mut self, depth: usize) -> Ex {
        let kinds = *self.random.pick(&[
            &[Kind::Int][..],
            &[Kind::Text],
            &[Kind::Int, Kind::Float, Kind::Number],
            &[Kind::Date],
            &KINDS,
        ]);
        self.operand(kinds, depth)
    }
}
