//! Columns of values drawn at random, read in every way, against the values in a `Vec`.

use std::collections::BTreeSet;

use trimorph_types::{DateTime, Decimal, LogicalType, Value, Zone};
use trimorph_vector::{Values, Vector};

use super::compare_tests::{column, pieces_of};
use super::{ColumnView, SEGMENT_ROWS, hash_of, of_integer};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        _ => format!("{a:?}") == format!("{b:?}"),
    }
}

fn check_vector(
    vector: &Vector<'_>,
    at: impl Fn(usize) -> (usize, u64),
    len: usize,
    values: &[Value],
    what: &str,
) {
    for (i, row) in (0..len).map(at) {
        let value = vector.value(i, &|_| Value::Null);
        assert!(
            same(&value, &values[row as usize]),
            "{what}, row {row}: {value:?}, not {:?}",
            values[row as usize]
        );
    }
}

fn check_nulls(view: &ColumnView<'_>, first: u64, len: usize, values: &[Value]) {
    let is_null = |i: &u32| values[first as usize + *i as usize].is_null();
    let without: Vec<u32> = (0..len as u32).filter(is_null).collect();
    assert_eq!(view.are_null(first, len), without.len() == len, "row {first}, {len}");
    assert_eq!(view.count_values(first, len), (len - without.len()) as u64, "row {first}, {len}");
    let positions = view.null_positions(first, len);
    assert_eq!(positions, (without.len() < len).then_some(without), "row {first}, {len}");
    let rows = first..first + len as u64;
    let has_value = rows.clone().find(|row| !values[*row as usize].is_null());
    assert_eq!(view.first_with_value(rows), has_value, "row {first}, {len}");
}

fn check(ty: LogicalType, values: &[Value], random: &mut Random) -> Vec<&'static str> {
    let column = column(ty, values);
    let view = ColumnView::new(&column);
    let rows = values.len() as u64;
    for (row, value) in values.iter().enumerate() {
        assert!(
            same(&view.value(row as u64), value),
            "row {row}: {:?}, not {value:?}",
            view.value(row as u64)
        );
        assert_eq!(view.is_null(row as u64), value.is_null());
    }
    for len in [1, 15, 16, 63, 64, 65, 200, 1000] {
        let first = random.below(rows.saturating_sub(len).max(1));
        let len = len.min(rows - first) as usize;
        check_vector(&view.scan(first, len), |i| (i, first + i as u64), len, values, "scan");
        if let Some(nulls) = view.scan_nulls(first, len) {
            let row = |i: usize| &values[first as usize + i];
            (0..len).for_each(|i| assert_eq!(nulls.get(i), row(i).is_null(), "nulls, row {first} + {i}"));
        }
        check_nulls(&view, first, len, values);
        // Across the end of a segment.
        let first = (SEGMENT_ROWS as u64).saturating_sub(len as u64 / 2);
        check_nulls(&view, first, len.min(rows.saturating_sub(first) as usize), values);
        let picked: Vec<u64> = (0..len).map(|_| random.below(rows)).collect();
        let gathered = view.gather(picked.iter().copied().enumerate(), len);
        check_vector(&gathered, |i| (i, picked[i]), len, values, "gather");
        check_vector(&view.gather_rows(&picked), |i| (i, picked[i]), len, values, "gather rows");
        let backwards = view.gather(picked.iter().enumerate().map(|(i, row)| (len - 1 - i, *row)), len);
        check_vector(&backwards, |i| (len - 1 - i, picked[i]), len, values, "gather backwards");
        let sparse = view.gather(picked.iter().enumerate().map(|(i, row)| (2 * i, *row)), 2 * len);
        check_vector(&sparse, |i| (2 * i, picked[i]), len, values, "gather to every other position");
    }
    column.encodings().into_iter().map(|(name, _)| name).collect()
}

/// A list of texts, integers (some null), elements of one type a list, or mixed ones; or another value.
fn list(random: &mut Random, kind: u64, last: i64) -> Value {
    let len = if random.below(300) == 0 { 2000 } else { random.below(5) };
    let other = random.below(4000) == 0;
    let elements = (0..len).map(|k| match (kind, random.below(10)) {
        (0, _) => Value::string(format!("text {}, ä", last % 50).as_str()),
        (1 | 4, 0) => Value::Null,
        (1 | 4, _) => Value::Int(last + k.cast_signed()),
        (2, _) => {
            [Value::Bool(last % 2 == 0), Value::Float(last as f64), Value::Null][(last & 1) as usize].clone()
        }
        (3, 0) if other => Value::list(vec![Value::Int(last)]),
        (5, 0) | (6, 0..5) => Value::Null,
        (5, _) => Value::string(format!("{last:x} of {k} and more of it").as_str()),
        (6, _) => Value::Bool((last >> (k % 8)) % 3 == 0),
        (7, _) => of_integer(LogicalType::Date, (last + k.cast_signed()) % 100_000),
        (8, 0) if other => Value::DateTime(zoned(last, 3600)),
        (8, _) => Value::DateTime(zoned(last, 0)),
        (9, _) => of_integer(LogicalType::LocalDateTime, last.wrapping_mul(1000) + k.cast_signed()),
        _ => Value::Float(last as f64),
    });
    if kind == 4 && other { Value::Int(last) } else { Value::list(elements.collect()) }
}

/// A decimal of one scale, of several, of as many digits as there are; or another value.
fn decimal(random: &mut Random, kind: u64, last: i64) -> Value {
    let last = i128::from(last);
    let (unscaled, scale) = match kind {
        0..4 => (last, 2),
        4..7 => (last % 100_000, random.below(5) as u8),
        7 => (last * (1 << 40), 7),
        8 if random.below(4000) == 0 => return Value::Int(1),
        _ => (last, random.below(20) as u8),
    };
    Decimal::new(unscaled, scale).map_or(Value::Null, Value::Decimal)
}

/// An instant of UTC, of a few zones, of more than a segment numbers; or another value.
fn instant(random: &mut Random, kind: u64, last: i64) -> Value {
    let offset = match kind {
        0..2 => 0,
        2..6 => [0, 3600, -7200, 19_800][random.below(4) as usize],
        6 => random.below(300) as i32 * 60,
        7 if random.below(4000) == 0 => return Value::Int(1),
        _ if last % 3 == 0 => {
            let zone = Zone::Named { name: "Europe/Stockholm".into(), offset_seconds: 3600 };
            return Value::DateTime(DateTime { seconds: last % (1 << 33), nanos: 0, zone });
        }
        _ => 0,
    };
    Value::DateTime(zoned(last, offset))
}

fn zoned(seconds: i64, offset_seconds: i32) -> DateTime {
    DateTime { seconds: seconds % (1 << 33), nanos: 1, zone: Zone::Offset(offset_seconds) }
}

fn values(random: &mut Random, ty: LogicalType, rows: usize) -> Vec<Value> {
    let of_lists = random.below(10);
    let (nulls, kind) = ([0, 0, 1, 30, 90, 100][random.below(6) as usize], random.below(5));
    let step = 1 + random.below(1 << 20) as i64;
    let mut last = random.next().cast_signed() >> 30;
    (0..rows)
        .map(|i| {
            match kind {
                0 => last += step,
                1 if random.below(50) == 0 => last = random.next().cast_signed() >> 20,
                2 => last = random.next().cast_signed() >> 8,
                3 => last += random.below(step.cast_unsigned()) as i64,
                _ => {}
            }
            if random.below(100) < nulls {
                return Value::Null;
            }
            match ty {
                LogicalType::Bool => Value::Bool(last % 3 == 0),
                LogicalType::Float if kind == 2 => Value::Float(f64::from_bits(random.next())),
                LogicalType::Float if random.below(100) == 0 => {
                    Value::Float([f64::NAN, -0.0, f64::INFINITY, 0.1 + 0.2][i % 4])
                }
                LogicalType::Float => Value::Float((last % 1_000_000) as f64 / 100.0),
                LogicalType::String if kind == 2 => Value::string(format!("text {last:x} and more").as_str()),
                LogicalType::String => Value::string(format!("{}", last % 7).as_str()),
                LogicalType::Any => list(random, of_lists, last),
                LogicalType::Decimal => decimal(random, of_lists, last),
                LogicalType::DateTime => instant(random, of_lists, last),
                _ => Value::Int(last),
            }
        })
        .collect()
}

/// A filter has no value less than the column, and next to none more.
#[test]
fn a_filter_knows_what_is_not_there() {
    println!("random seed 11");
    let mut random = Random(11);
    let (mut asked, mut wrong) = (0, 0);
    for round in 0..40 {
        let types =
            [LogicalType::Int, LogicalType::Float, LogicalType::String, LogicalType::Bool, LogicalType::Any];
        let ty = types[round % types.len()];
        let rows = [1, 100, 3000, SEGMENT_ROWS + 500][random.below(4) as usize];
        let all = values(&mut random, ty, rows);
        let column = column(ty, &all);
        let view = ColumnView::new(&column);
        assert!(all.iter().all(Value::is_null) || column.may_have(hash_of(&Value::Int(-7))));
        (0..10).for_each(|_| view.searched(rows as u64 / 4 + 1));
        for value in all.iter().filter(|value| !value.is_null()) {
            match value {
                Value::List(items) => {
                    assert!(items.iter().all(|item| column.may_have(hash_of(item))), "{value:?}")
                }
                value => assert!(column.may_have(hash_of(value)), "{value:?}"),
            }
            if let Value::Int(i) = value {
                assert!(column.may_have(hash_of(&Value::Float(*i as f64))) || (*i as f64) as i64 != *i);
            }
        }
        for other in 0..200 {
            asked += 1;
            let strange = Value::string(format!("strange {other}").as_str());
            wrong += usize::from(column.may_have(hash_of(&strange)));
        }
    }
    assert!(wrong * 50 < asked, "{wrong} of {asked}");
}

#[test]
fn what_goes_in_comes_out() {
    println!("random seed 5");
    let mut random = Random(5);
    let mut seen = BTreeSet::new();
    for round in 0..155 {
        let types =
            [LogicalType::Int, LogicalType::Float, LogicalType::String, LogicalType::Bool, LogicalType::Any];
        let ty = match round {
            0..75 => types[round % types.len()],
            75..95 => LogicalType::Any,
            95..125 => LogicalType::Decimal,
            _ => LogicalType::DateTime,
        };
        let rows = [1, 100, 3000, SEGMENT_ROWS + 500][random.below(4) as usize];
        let mut all = values(&mut random, ty, rows);
        // Segments of one column differ.
        if round % 3 == 0 {
            all.resize(SEGMENT_ROWS, Value::Null);
            all.extend(values(&mut random, ty, 2000));
        }
        seen.extend(check(ty, &all, &mut random));
    }
    let names = [
        "null",
        "frame of reference",
        "linear",
        "runs",
        "plain float",
        "decimal float",
        "dictionary",
        "lists",
        "general",
        "fixed point",
        "instants of zones",
    ];
    for name in names {
        assert!(seen.contains(name), "{name} is not among {seen:?}");
    }
}

#[test]
fn lists_of_one_type_are_typed() {
    let text = |s: &str| Value::string(s);
    let typed = |all: &[Value]| {
        let column = column(LogicalType::Any, all);
        let vector = ColumnView::new(&column).gather((0..all.len()).map(|i| (i, i as u64)), all.len());
        match vector.values {
            Values::List(lists) => Some(format!("{:?}", lists.child().logical_type())),
            _ => None,
        }
    };
    let lists = |lists: &[&[Value]]| lists.iter().map(|l| Value::list(l.to_vec())).collect::<Vec<_>>();
    let texts = lists(&[&[text("de"), text("en")], &[], &[Value::Null, text("fr")]]);
    assert_eq!(typed(&texts).as_deref(), Some("String"));
    assert_eq!(typed(&lists(&[&[Value::Null], &[Value::Int(1)], &[Value::Int(-1)]])).as_deref(), Some("Int"));
    assert!(typed(&lists(&[&[], &[Value::Null]])).is_some());
    assert_eq!(typed(&lists(&[&[text("de")], &[Value::Int(1)]])), None);
    assert_eq!(typed(&[Value::Int(1), Value::list(vec![text("de")])]), None);
    for ty in [LogicalType::Decimal, LogicalType::Duration, LogicalType::Bytes] {
        let column = column(ty, &[Value::Null, Value::Null]);
        let nulls = ColumnView::new(&column).gather([(0, 0), (1, 1)].into_iter(), 2);
        assert!(!matches!(nulls.values, Values::List(_)), "nulls of {ty:?} are lists");
    }
}

/// How lists are kept: by what their elements are, and where they take no bytes only as far as a small file
/// could not be all of memory.
#[test]
fn lists_are_kept_by_their_elements() {
    let encodings = |all: &[Value]| {
        let column = column(LogicalType::List, all);
        let view = ColumnView::new(&column);
        all.iter().enumerate().for_each(|(row, value)| assert!(same(&view.value(row as u64), value)));
        column.encodings()
    };
    let list = |len: usize, value: Value| Value::list(vec![value; len]);
    let numbers: Vec<Value> = (0..300).map(|i| list(i % 7, Value::Int(i as i64))).collect();
    assert_eq!(encodings(&numbers), [("lists", 1)]);
    assert_eq!(encodings(&[list(3, Value::Null), list(0, Value::Null)]), [("general", 1)]);
    assert_eq!(encodings(&[list(3, Value::Null), list(1, Value::Float(0.5))]), [("lists", 1)]);
    assert_eq!(encodings(&[list(1, list(1, Value::Int(1)))]), [("general", 1)]);
    assert_eq!(encodings(&[list(1 << 16, Value::Int(0))]), [("lists", 1)]);
    assert_eq!(encodings(&[list(1 << 18, Value::Int(0))]), [("general", 1)]);
    // Rows that come again and again have one run of a long list.
    let long = column(LogicalType::List, &[list(5_000, Value::Int(7)), list(4_000, Value::Int(8))]);
    let rows: Vec<u64> = (0..1_000).map(|i| i % 2).collect();
    let read = ColumnView::new(&long).gather_rows(&rows);
    assert!(matches!(&read.values, Values::List(lists) if lists.child().listed() == 9_000));
    check_vector(&read, |i| (i, rows[i]), 10, &[list(5_000, Value::Int(7)), list(4_000, Value::Int(8))], "");
    // A segment of each kind in one column.
    let mut all: Vec<Value> = (0..SEGMENT_ROWS).map(|i| list(i % 3, Value::Float(i as f64))).collect();
    all.extend((0..SEGMENT_ROWS).map(|i| list(i % 3, Value::Float(0.5))));
    all.extend([list(2, Value::Null), list(0, Value::Null)]);
    let column = column(LogicalType::List, &all);
    assert_eq!(column.encodings(), [("lists", 2), ("general", 1)]);
    // What is kept as lists is nothing else; of general values nobody knows.
    let is_known = |all: &[Value]| super::compare_tests::column(LogicalType::List, all).has_one_type();
    assert!(is_known(&numbers) && is_known(&[Value::Null]) && is_known(&[]));
    assert!(!column.has_one_type() && !is_known(&[list(1, Value::Int(1)), Value::Int(1)]));
    let rows: Vec<u64> =
        (0..1000u64).map(|i| i * 7919 % all.len() as u64).chain([131_072, 131_073]).collect();
    let read = ColumnView::new(&column).gather_rows(&rows);
    assert!(matches!(read.values, Values::List(_)));
    check_vector(&read, |i| (i, rows[i]), rows.len(), &all, "segments of several kinds");
}

/// What is written for strings: dictionaries over several segments, with nulls, next to segments of a heap.
#[test]
fn bytes_of_strings_stay_the_same() {
    let mut random = Random(11);
    let mut all: Vec<Value> =
        (0..2 * SEGMENT_ROWS).map(|i| Value::string(if i % 7 < 3 { "yes" } else { "no" })).collect();
    all.extend((0..SEGMENT_ROWS).map(|_| match random.below(1000) {
        0..50 => Value::Null,
        n => Value::string(format!("value {n}").as_str()),
    }));
    all.extend(
        (0..SEGMENT_ROWS).map(|_| Value::string(format!("text {:x} and more", random.next()).as_str())),
    );
    all.extend((0..3000).map(|_| Value::string(["", "yes", "späť", "value 77"][random.below(4) as usize])));
    let pieces = pieces_of(LogicalType::String, &all);
    assert_eq!((pieces.len(), fnv(&pieces)), (1_050_368, 2_902_566_182_122_197_917));
    check(LogicalType::String, &all, &mut random);
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}
