//! Tests on encoded columns against the same tests on values taken out.

use std::cmp::Ordering;

use trimorph_types::{LogicalType, Value};
use trimorph_vfs::{RegionOptions, lay_out};

use super::IntegerSet;
use super::writer::WrittenColumn;
use super::{Column, ColumnView, ColumnWriter, Comparison, Condition, SEGMENT_ROWS};

fn written(ty: LogicalType, values: &[Value]) -> WrittenColumn {
    let mut writer = ColumnWriter::new(ty);
    values.iter().for_each(|v| writer.push_value(v.clone()));
    writer.finish().0
}

/// All its pieces, end to end.
pub(super) fn pieces_of(ty: LogicalType, values: &[Value]) -> Vec<u8> {
    written(ty, values).pieces.concat()
}

pub(crate) fn column(ty: LogicalType, values: &[Value]) -> Column {
    let mut written = written(ty, values);
    let pieces = lay_out(std::mem::take(&mut written.pieces), RegionOptions::default()).unwrap();
    written.read(&mut pieces.into_iter()).unwrap()
}

fn check(
    what: &str,
    view: &ColumnView<'_>,
    condition: &Condition<'_>,
    expect: &dyn Fn(&Value) -> bool,
    rows: usize,
) {
    let passing: Vec<u32> = (0..rows).filter(|i| expect(&view.value(*i as u64))).map(|i| i as u32).collect();
    for (first, len) in
        [(0, rows), (0, 1), (5, 100), (900, 300), (SEGMENT_ROWS - 10, 20), (SEGMENT_ROWS - 700, 1400)]
    {
        let mut comparison = Comparison::default();
        let within: Vec<u32> = (passing.iter())
            .filter(|i| (first..first + len).contains(&(**i as usize)))
            .map(|i| i - first as u32)
            .collect();
        let mut out = Vec::new();
        comparison.select(view, condition, first as u64, len, &mut out).unwrap();
        assert_eq!(out, within, "{what}: rows {first}..{}", first + len);
        assert_eq!(comparison.count(view, condition, first as u64, len), Some(within.len()), "{what}");
        out.clear();
        let positions = (0..len as u32).map(|i| (i, first as u64 + u64::from(i)));
        comparison.select_at(view, condition, positions, &mut out).unwrap();
        assert_eq!(out, within, "{what}");
        // Runs of many lengths, empty ones among them.
        let mut ends: Vec<u64> = (first..first + len).step_by(7).map(|e| e as u64).collect();
        ends.extend([first + len, first + len, rows, rows].map(|e| e as u64));
        let mut counts = vec![1; ends.len()];
        comparison.count_runs(view, condition, first as u64, &ends, &mut counts).unwrap();
        let mut start = first as u64;
        for (end, count) in ends.iter().zip(counts) {
            let run = start..*end;
            let expected = passing.iter().filter(|i| run.contains(&u64::from(**i))).count() as u64;
            assert_eq!(count, expected + 1, "{what}: {run:?}");
            start = *end;
        }
    }
}

const ROWS: usize = SEGMENT_ROWS + 3000;

/// The value of a row, named.
type Make<R, T> = (&'static str, fn(R) -> Option<T>);

#[test]
fn ranges_of_integers() {
    let makes: [Make<i64, i64>; 5] = [
        ("ascending", Some),
        ("constant", |_| Some(42)),
        ("stepped", |i| Some(i * 1_000_000 % 77_000_000 - 5_000_000)),
        ("scattered", |i| Some(i.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64.cast_signed()))),
        ("with nulls", |i| (i % 3 != 0).then_some(i % 1000)),
    ];
    for (name, make) in makes {
        let values: Vec<Value> = (0..ROWS as i64).map(|i| make(i).map_or(Value::Null, Value::Int)).collect();
        let column = column(LogicalType::Int, &values);
        let view = ColumnView::new(&column);
        for (low, high) in
            [(i64::MIN, i64::MAX), (0, 500), (42, 42), (1, 0), (60_000, 66_000), (i64::MIN, -1)]
        {
            let expect = |v: &Value| matches!(v, Value::Int(i) if (low..=high).contains(i));
            check(&format!("{name} {low}..={high}"), &view, &Condition::Range(low, high), &expect, ROWS);
        }
        let some: Vec<i64> = values
            .iter()
            .step_by(97)
            .filter_map(|v| if let Value::Int(i) = v { Some(*i) } else { None })
            .collect();
        for members in [some, vec![i64::MIN, -7, 42, 65_540, 3, i64::MAX]] {
            let set = IntegerSet::new(members.clone());
            let expect = |v: &Value| matches!(v, Value::Int(i) if members.contains(i));
            check(&format!("{name} among {}", members.len()), &view, &Condition::Among(&set), &expect, ROWS);
        }
        for present in [true, false] {
            check(name, &view, &Condition::Present(present), &|v| v.is_null() != present, ROWS);
        }
    }
}

#[test]
fn texts() {
    let makes: [Make<usize, String>; 3] = [
        // The second segment's least entry is not the dictionary's first.
        ("dictionary", |i| Some(format!("word {}", if i < SEGMENT_ROWS { i % 20 } else { 30 + i % 11 }))),
        ("distinct", |i| {
            Some(format!("a long text that occurs once: {i} of {ROWS}, and then the end of it"))
        }),
        ("with nulls", |i| (i % 5 != 0).then(|| format!("w{}", i % 9))),
    ];
    for (name, make) in makes {
        let values: Vec<Value> = (0..ROWS).map(|i| make(i).map_or(Value::Null, Value::string)).collect();
        let column = column(LogicalType::String, &values);
        let view = ColumnView::new(&column);
        for wanted in [
            "word 7",
            "word 33",
            "w3",
            "",
            "a long text that occurs once: 17 of 68536, and then the end of it",
        ] {
            let passes = |t: &str| t == wanted;
            let expect = |v: &Value| matches!(v, Value::String(s) if **s == *wanted);
            let condition =
                Condition::Text { equal: Some(wanted), prefix: None, order: None, passes: &passes };
            check(&format!("{name} {wanted}"), &view, &condition, &expect, ROWS);
            let passes = |t: &str| t >= wanted;
            let expect = |v: &Value| matches!(v, Value::String(s) if **s >= *wanted);
            let condition = Condition::Text { equal: None, prefix: None, order: None, passes: &passes };
            // Compressed texts are left to who decodes many at a time.
            if *name != *"distinct" {
                check(&format!("{name} >= {wanted}"), &view, &condition, &expect, ROWS);
            }
            let order = Some((wanted, Ordering::is_ge as fn(Ordering) -> bool));
            let condition = Condition::Text { equal: None, prefix: None, order, passes: &passes };
            check(&format!("{name} in order >= {wanted}"), &view, &condition, &expect, ROWS);
            let passes = |t: &str| t < wanted;
            let expect = |v: &Value| matches!(v, Value::String(s) if **s < *wanted);
            let order = Some((wanted, Ordering::is_lt as fn(Ordering) -> bool));
            let condition = Condition::Text { equal: None, prefix: None, order, passes: &passes };
            check(&format!("{name} in order < {wanted}"), &view, &condition, &expect, ROWS);
            let start = &wanted[..wanted.len().min(36)];
            let passes = |t: &str| t.starts_with(start);
            let expect = |v: &Value| matches!(v, Value::String(s) if s.starts_with(start));
            let condition =
                Condition::Text { equal: None, prefix: Some(start), order: None, passes: &passes };
            check(&format!("{name} starts with {start}"), &view, &condition, &expect, ROWS);
        }
    }
}

#[test]
fn exceptions_are_left_to_the_caller() {
    let values: Vec<Value> =
        (0..100).map(|i| if i == 9 { Value::Float(0.5) } else { Value::Int(i) }).collect();
    let column = column(LogicalType::Int, &values);
    let view = ColumnView::new(&column);
    let mut out = vec![77];
    assert_eq!(Comparison::default().select(&view, &Condition::Range(0, 5), 0, 100, &mut out), None);
    assert_eq!(out, [77]);
    assert_eq!(Comparison::default().count(&view, &Condition::Present(true), 0, 100), Some(100));
}
