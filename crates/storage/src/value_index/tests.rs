//! Value indexes of random columns against sorted values; changed again and again, against new ones.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use trimorph_base::CancelToken;
use trimorph_types::{LogicalType, Value, order};
use trimorph_vfs::{Pins, RegionOptions};

use super::{Changed, Of, PIECE_ROWS, ValueIndex};
use crate::column::compare_tests::column;
use crate::column::{Column, ColumnView};

const OPTIONS: RegionOptions = RegionOptions { huge_pages: false };

/// Numbers that are the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn value(&mut self, ty: LogicalType) -> Value {
        if self.below(8) == 0 {
            return Value::Null;
        }
        match ty {
            LogicalType::Int => Value::Int(self.below(50) as i64 - 25),
            LogicalType::Float => match self.below(12) {
                0 => Value::Float(f64::NAN),
                1 => Value::Float(-0.0),
                2 => Value::Float(f64::INFINITY),
                _ => Value::Float(self.below(40) as f64 / 4.0 - 5.0),
            },
            LogicalType::String => {
                let text = "a long beginning".repeat(self.below(2) as usize);
                Value::string(format!("{text}{}", self.below(30)))
            }
            _ => match self.below(4) {
                0 => self.value(LogicalType::Int),
                1 => self.value(LogicalType::Float),
                2 => Value::Bool(self.below(2) == 0),
                _ => self.value(LogicalType::String),
            },
        }
    }
}

/// All rows of an index, in its order.
fn rows_of(index: &ValueIndex) -> Vec<u64> {
    let pins = Arc::<Pins<'_>>::default();
    let mut rows = Vec::new();
    index.view(&pins).rows(0..index.len(), &mut rows);
    rows
}

fn sorted(values: &[Value]) -> Vec<u64> {
    let mut rows: Vec<u64> =
        (0..values.len() as u64).filter(|row| !values[*row as usize].is_null()).collect();
    rows.sort_by(|a, b| order(&values[*a as usize], &values[*b as usize]).then(a.cmp(b)));
    rows
}

#[test]
fn rows_stand_in_the_order_of_their_values() {
    let mut random = Random(7);
    for ty in [LogicalType::Int, LogicalType::Float, LogicalType::String, LogicalType::Any] {
        for rows in [0, 1, 1_000, 40_000] {
            let values: Vec<Value> = (0..rows).map(|_| random.value(ty)).collect();
            let column = column(ty, &values);
            let index = ValueIndex::build(&column, rows, OPTIONS, &CancelToken::default()).unwrap();
            assert_eq!(rows_of(&index), sorted(&values), "{ty} {rows}");
            let pins = Arc::<Pins<'_>>::default();
            let (view, own) = (index.view(&pins), ColumnView::pinned(&column, &pins));
            for _ in 0..40 {
                let (low, high) = (random.value(ty), random.value(ty));
                if low.is_null() || high.is_null() {
                    continue;
                }
                let range = view.range(Bound::Included(&low), Bound::Excluded(&high), &own);
                let mut found = Vec::new();
                view.rows(range.clone(), &mut found);
                let is_in = |row: &u64| {
                    let value = &values[*row as usize];
                    order(value, &low).is_ge() && order(value, &high).is_lt()
                };
                let wanted: Vec<u64> = sorted(&values).into_iter().filter(is_in).collect();
                assert_eq!(found, wanted, "{ty} {low:?} {high:?}");
                let again: Vec<u64> = range.rev().filter_map(|at| view.row(at)).collect();
                assert!(again.iter().rev().eq(&wanted), "{ty}");
            }
        }
    }
}

/// Long runs of texts that begin alike: some end where others go on with zeros, and some are the same for
/// long.
#[test]
fn texts_that_begin_alike_are_told_apart() {
    let mut random = Random(5);
    let long = "alike".repeat(200);
    let ends =
        ["", "a", "\0", "\0\0", "seven b", "seven b\0", "eight by", "fourteen bytes", "fourteen bytes\0"];
    let values: Vec<Value> = (0..60_000)
        .map(|_| {
            let from = random.below(4) as usize;
            let beginning = [&long[..0], &long[..7], &long[..300], &long][from];
            Value::string(format!("{beginning}{}", ends[random.below(ends.len() as u64) as usize]))
        })
        .collect();
    let column = column(LogicalType::String, &values);
    let index = ValueIndex::build(&column, 60_000, OPTIONS, &CancelToken::default()).unwrap();
    assert_eq!(rows_of(&index), sorted(&values));
}

/// Numbers that nearly all are there are looked for from a guess on: of several pieces, with holes, twice;
/// with one far away there is no guess.
#[test]
fn numbers_are_found_where_they_are_guessed_to_stand() {
    let mut random = Random(11);
    let all = |rows: i64| (0..rows).map(|i| i * 7 % rows).collect::<Vec<i64>>();
    let holes = (0..40_000).filter(|_| random.below(3) == 0).collect::<Vec<i64>>();
    let lumps = (0..3_000).map(|i| if i < 1_500 { i } else { i + 3_000 }).collect();
    let twice = (0..2_000).map(|i| if i % 10 == 0 { 2 * i + 2 } else { 2 * i }).collect();
    let far = (0..1_000).chain([1 << 40]).collect();
    let ends = vec![i64::MIN, -1, 0, i64::MAX];
    let one = vec![5];
    for (guessed, numbers) in [
        (true, all(20_000)),
        (true, holes),
        (true, lumps),
        (true, twice),
        (true, one),
        (false, far),
        (false, ends),
        (false, vec![3; 100]),
    ] {
        let values: Vec<Value> = numbers.iter().map(|number| Value::Int(*number)).collect();
        let column = column(LogicalType::Int, &values);
        let rows = values.len() as u64;
        let index = ValueIndex::build(&column, rows, OPTIONS, &CancelToken::default()).unwrap();
        let pins = Arc::<Pins<'_>>::default();
        let (view, own) = (index.view(&pins), ColumnView::pinned(&column, &pins));
        let mut in_order = numbers.clone();
        in_order.sort_unstable();
        let mut asked = vec![i64::MIN, i64::MAX, in_order[0] - i64::from(in_order[0] > i64::MIN)];
        asked.extend(
            in_order
                .iter()
                .step_by(1 + numbers.len() / 500)
                .flat_map(|number| [number.saturating_sub(1), *number, number.saturating_add(1)]),
        );
        for number in asked {
            let wanted = Value::Int(number);
            let found = view.range(Bound::Included(&wanted), Bound::Included(&wanted), &own);
            let first = in_order.partition_point(|own| *own < number) as u64;
            let end = in_order.partition_point(|own| *own <= number) as u64;
            assert!(found == (first..end) || found.is_empty() && first == end, "{number}: {found:?}");
        }
        assert_eq!(view.guess(&values[0]).is_some(), guessed, "{:?}", in_order.last());
        // However wrong a guess is.
        for _ in 0..200 {
            let number = Value::Int(in_order[random.below(rows) as usize]);
            let is_low = |value: &Value| super::is_before(value, &number);
            let near = view.partition_near(random.below(rows + 2), &|row| own.value(row), is_low);
            assert_eq!(near, view.partition(&|row| own.value(row), |value, _| is_low(value)), "{number:?}");
        }
    }
}

/// Few values and many, that follow each other evenly or lie together, some that are not there, some twice,
/// some out of their order: as when each is looked for by itself.
#[test]
fn values_in_turn_are_found_as_one_by_one() {
    let mut random = Random(5);
    for ty in [LogicalType::Int, LogicalType::Float, LogicalType::String, LogicalType::Any] {
        for rows in [1, 300, 40_000] {
            // Of some numbers many rows, of most one.
            let value = |random: &mut Random, row: u64| match ty {
                LogicalType::Int if !row.is_multiple_of(3) => Value::Int(row as i64 * 2),
                LogicalType::String if !row.is_multiple_of(3) => Value::string(format!("{row:06}")),
                _ => random.value(ty),
            };
            let values: Vec<Value> = (0..rows).map(|row| value(&mut random, row)).collect();
            let column = column(ty, &values);
            let index = ValueIndex::build(&column, rows, OPTIONS, &CancelToken::default()).unwrap();
            let pins = Arc::<Pins<'_>>::default();
            let (view, own) = (index.view(&pins), ColumnView::pinned(&column, &pins));
            for (count, among) in [(1, rows), (rows / 40, rows), (rows, rows), (rows / 2, rows / 9), (40, 3)]
            {
                let mut asked: Vec<Value> = Vec::new();
                for _ in 0..count {
                    let row = random.below(among.clamp(1, rows));
                    asked.push(match random.below(9) {
                        0 => Value::Int(row as i64 * 2 + 1),
                        1 => Value::Float(row as f64),
                        2 => Value::string(format!("{row:06}x")),
                        3 => random.value(ty),
                        _ => values[row as usize].clone(),
                    });
                }
                asked.retain(|value| !value.is_null());
                asked.sort_by(order);
                for _ in 0..count / 50 {
                    let (a, b) = (random.below(asked.len() as u64), random.below(asked.len() as u64));
                    asked.swap(a as usize, b as usize);
                }
                let mut search = view.in_turn(asked.len(), &own);
                for value in &asked {
                    let found = search.range(value);
                    let one = view.range(Bound::Included(value), Bound::Included(value), &own);
                    let is_same = found == one || found.is_empty() && one.is_empty();
                    assert!(is_same, "{ty} {rows} {count} {value:?}: {found:?}, not {one:?}");
                }
            }
        }
    }
}

#[test]
fn a_changed_index_is_as_a_new_one() {
    for seed in 1..6 {
        let mut random = Random(seed);
        let ty = [LogicalType::Int, LogicalType::String, LogicalType::Any][seed as usize % 3];
        let mut values: Vec<Value> = (0..60_000).map(|_| random.value(ty)).collect();
        let mut before = column(ty, &values);
        let mut index =
            ValueIndex::build(&before, values.len() as u64, OPTIONS, &CancelToken::default()).unwrap();
        for round in 0..6 {
            let mut changed: BTreeMap<u64, Value> = BTreeMap::new();
            for _ in 0..[1, 50, 5_000][round % 3] {
                changed.insert(random.below(values.len() as u64), random.value(ty));
            }
            // One value gets so many rows that its piece is split.
            let more = if round == 4 { 9_000 } else { 10 };
            let one = random.value(ty);
            (0..more).for_each(|i| drop(changed.insert(values.len() as u64 + i, one.clone())));
            values.resize(values.len() + more as usize, Value::Null);
            changed.iter().for_each(|(row, value)| values[*row as usize] = value.clone());
            let after = column(ty, &values);
            let rows: Vec<u64> = changed.keys().copied().collect();
            let end = values.len() as u64;
            let shared = index.pieces.len();
            let next = {
                let (was, is) = (ColumnView::new(&before), ColumnView::new(&after));
                let (was, is) = (|row: u64| was.value(row), |row: u64| is.value(row));
                let change = Changed { before: &was, after: &is, rows: &rows, of: Of::Rows(end) };
                index.changed(&change, OPTIONS).unwrap()
            };
            assert_eq!(rows_of(&next), sorted(&values), "seed {seed}, round {round}");
            assert!(next.pieces.iter().all(|piece| piece.given().len as usize <= PIECE_ROWS));
            if rows.len() < 20 {
                let same = next.pieces.iter().filter(|p| index.pieces.iter().any(|q| Arc::ptr_eq(p, q)));
                assert!(same.count() + 4 >= shared, "few pieces are written anew");
            }
            (index, before) = (next, after);
        }
    }
}

#[test]
fn iris_are_found_by_hash_as_by_search() {
    for (rows, other) in [(1, None), (2, None), (40, None), (3_000, None), (3_000, Some(Value::Int(4)))] {
        let iri = |n: u64| Value::iri(format!("http://example.org/thing/{n}"));
        let mut values: Vec<Value> = (0..rows).map(|row| iri(row * 7 % rows / 2)).collect();
        if let Some(value) = values.get_mut(11) {
            *value = other.clone().unwrap_or(Value::Null);
        }
        let column = column(LogicalType::Iri, &values);
        let index = ValueIndex::build(&column, rows, OPTIONS, &CancelToken::default()).unwrap();
        let pins = Arc::<Pins<'_>>::default();
        let (view, own) = (index.view(&pins), ColumnView::pinned(&column, &pins));
        // More often than it takes to make the table; some that are not there.
        for n in (0..rows).chain(0..rows) {
            let mut found = Vec::new();
            let wanted = iri(n);
            view.rows(view.range(Bound::Included(&wanted), Bound::Included(&wanted), &own), &mut found);
            let is_it = |row: &u64| order(&values[*row as usize], &wanted).is_eq();
            let expected: Vec<u64> = (0..rows).filter(is_it).collect();
            assert_eq!(found, expected, "{rows} {n}");
            let Value::Iri(name) = &wanted else { unreachable!() };
            assert!(expected.is_empty() || !index.lacks_iri(name), "{rows} {n}");
        }
        // Where all are IRIs it is known by then of those that are not there.
        let lacks = |n: u64| matches!(iri(n), Value::Iri(name) if index.lacks_iri(&name));
        assert_eq!((rows..2 * rows).all(lacks), other.is_none(), "{rows}");
    }
}

/// A version of an index that finds IRIs by hash has the next one do so at once, and right: rows lose, get
/// and change names, pieces are split, names come twice and are there once again.
#[test]
fn the_next_version_finds_iris_by_hash_too() {
    let iri = |n: u64| Value::iri(format!("http://example.org/thing/{n}"));
    for seed in 1..8 {
        let mut random = Random(seed);
        let count = [40, 300, 20_000][seed as usize % 3];
        let mut values: Vec<Value> = (0..count).map(iri).collect();
        let mut before = column(LogicalType::Iri, &values);
        let mut index = ValueIndex::build(&before, count, OPTIONS, &CancelToken::default()).unwrap();
        let mut next_name = count;
        let find = |index: &ValueIndex, column: &Column, name: &Value| {
            let pins = Arc::<Pins<'_>>::default();
            let (view, own) = (index.view(&pins), ColumnView::pinned(column, &pins));
            let mut found = Vec::new();
            view.rows(view.range(Bound::Included(name), Bound::Included(name), &own), &mut found);
            found
        };
        // Often enough to make the table.
        for n in 0..=count / 8 + 1 {
            find(&index, &before, &iri(n));
        }
        assert!(index.by_hash.budget().is_some(), "{seed}");
        for round in 0..7 {
            let mut changed: BTreeMap<u64, Value> = BTreeMap::new();
            for _ in 0..count / 20 {
                next_name += 1;
                let row = random.below(values.len() as u64);
                changed.insert(row, if random.below(2) == 0 { Value::Null } else { iri(next_name) });
                // One that another row, or this one, loses at once.
                let (from, to) = (random.below(values.len() as u64), random.below(values.len() as u64));
                if from != to && !changed.contains_key(&from) && !changed.contains_key(&to) {
                    changed.insert(to, values[from as usize].clone());
                    changed.insert(from, Value::Null);
                }
            }
            let end = values.len() as u64 + 1 + random.below(count / 20);
            for row in values.len() as u64..end {
                next_name += 1;
                changed.insert(row, iri(next_name));
            }
            let is_twice = round == 4;
            if is_twice {
                let stays = |(value, row): &(&Value, u64)| !value.is_null() && !changed.contains_key(row);
                let twice = values.iter().zip(0..).find(stays);
                changed.insert(end - 1, twice.unwrap().0.clone());
            }
            values.resize(end as usize, Value::Null);
            changed.iter().for_each(|(row, value)| values[*row as usize] = value.clone());
            let after = column(LogicalType::Iri, &values);
            let rows: Vec<u64> = changed.keys().copied().collect();
            let next = {
                let (was, is) = (ColumnView::new(&before), ColumnView::new(&after));
                let (was, is) = (|row: u64| was.value(row), |row: u64| is.value(row));
                let change = Changed { before: &was, after: &is, rows: &rows, of: Of::Rows(end) };
                match random.below(4) {
                    0 => ValueIndex::build(&after, end, OPTIONS, &CancelToken::default())
                        .unwrap()
                        .hashed_as(&index, &is),
                    _ => index.changed(&change, OPTIONS).unwrap(),
                }
            };
            let is_known = next.by_hash.budget().is_some();
            assert!(is_known || is_twice || round > 4, "seed {seed}, round {round}");
            let mut by_name: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
            for (value, row) in values.iter().zip(0..) {
                if let Value::Iri(name) = value {
                    let number = name.rsplit('/').next().unwrap().parse().unwrap();
                    by_name.entry(number).or_default().push(row);
                }
            }
            let mut unknown = 0;
            for n in 0..=next_name {
                let expected = by_name.get(&n).cloned().unwrap_or_default();
                assert_eq!(find(&next, &after, &iri(n)), expected, "seed {seed}, round {round}, {n}");
                let Value::Iri(name) = iri(n) else { unreachable!() };
                assert!(expected.is_empty() || !next.lacks_iri(&name), "seed {seed}, round {round}, {n}");
                unknown += u64::from(is_known && expected.is_empty() && !next.lacks_iri(&name));
            }
            assert!(unknown <= next_name / 100, "seed {seed}, round {round}: {unknown}");
            (index, before) = (next, after);
        }
    }
}
