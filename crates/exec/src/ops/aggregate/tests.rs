//! Merging the tables of several workers takes no more than what is held for it before it begins; least and
//! largest of lists are those that values order so.

use std::sync::Arc;

use trimorph_algebra::AggregateKind;
use trimorph_base::{MemoryBudget, Random, Span};
use trimorph_store::Snapshot;
use trimorph_types::{Value, order};
use trimorph_vector::{Chunk, Lists, Positions, Values, Vector};

use super::exchange::{Room, merge_tables};
use super::states::Ledger;
use super::table::Table;
use super::{AggregateEx, AggregateSpec};
use crate::expr::Ex;
use crate::layout::Place;
use crate::{Context, ExecError, Settings};

/// Rows that are taken in at once.
const ROWS: usize = 2_048;

fn slot(slot: usize) -> Ex {
    Ex::Slot(Place { group: 0, slot })
}

/// `count(*)` and an aggregate of the last column, by the columns before it.
fn spec(keys: usize, kind: AggregateKind, distinct: bool) -> AggregateSpec {
    let of = |kind, arg, distinct| AggregateEx {
        kind,
        arg,
        parameter: None,
        distinct,
        order: None,
        span: Span::default(),
    };
    AggregateSpec {
        keys: (0..keys).map(slot).collect(),
        told: keys,
        aggregates: vec![of(AggregateKind::CountStar, None, false), of(kind, Some(slot(keys)), distinct)],
        main: Some(0),
        slots: vec![keys + 1],
        runs: None,
        node: None,
    }
}

/// A key of a form that has a table of its own.
#[derive(Clone, Copy, Debug)]
enum Key {
    Text,
    Int,
    Mixed,
}

/// The values of a key for some numbers.
fn column(key: Key, numbers: &[i64]) -> Vector<'static> {
    let text = |n: &i64| Value::string(format!("a text that is not as short as can be {n}"));
    let value = |n: &i64| match key {
        Key::Text => text(n),
        Key::Int => Value::Int(n * 1_000_003),
        Key::Mixed if n % 2 == 0 => text(n),
        Key::Mixed => Value::list(vec![Value::Int(*n)]),
    };
    Vector::of_values(numbers.iter().map(value).collect(), Positions::all(numbers.len()))
}

/// A table of the groups with these numbers.
fn table(keys: &[Key], spec: &AggregateSpec, numbers: &[i64], cx: &Context<'static>) -> Table<'static> {
    let mut table = Table::new(spec);
    let mut held = cx.settings.budget.reservation();
    for numbers in numbers.chunks(ROWS) {
        let mut chunk = Chunk::with_slots(&spec.slots);
        chunk.groups[0].reset(numbers.len());
        for (k, key) in keys.iter().enumerate() {
            chunk.groups[0].vectors[k] = column(*key, numbers);
        }
        chunk.groups[0].vectors[keys.len()] = Vector::new(Values::Int(numbers.to_vec()));
        table.update(spec, &chunk, &mut Ledger::new(&mut held, cx)).unwrap();
    }
    table
}

/// Groups of each worker: few, as many as fit the places there are, one more, and enough for all cores. Of
/// those of two workers that follow each other half are the same.
const GROUPS: [&[i64]; 6] =
    [&[100, 100], &[32_768, 32_768], &[32_000, 33_000], &[1_000, 40_000], &[131_000, 131_000], &[60_000; 3]];

#[test]
fn merging_takes_no_more_than_is_held_for_it() {
    let snapshot: &'static Snapshot = Box::leak(Box::default());
    let context = |budget: &MemoryBudget| {
        Context::new(snapshot, Arc::new(Settings { budget: budget.clone(), ..Settings::default() }))
    };
    let kinds = [(AggregateKind::Max, false), (AggregateKind::Count, true), (AggregateKind::Collect, false)];
    let keys: [&[Key]; 4] = [&[Key::Text], &[Key::Int], &[Key::Text, Key::Int], &[Key::Mixed]];
    // Where there is room for all that tables have once more, and no more, some could not be merged.
    let mut too_little = 0;
    for keys in keys {
        for groups in GROUPS {
            for (kind, distinct) in kinds {
                let how = format!("{keys:?}, {groups:?} groups, {kind:?}");
                let free = MemoryBudget::unlimited();
                let (cx, spec) = (context(&free), spec(keys.len(), kind, distinct));
                let ranges = groups.iter().scan((0, 0), |(start, before), count| {
                    (*start, *before) = (*start + *before / 2, *count);
                    Some(*start..*start + *count)
                });
                let ranges: Vec<_> = ranges.collect();
                let tables = || {
                    let tables = ranges
                        .iter()
                        .map(|range| table(keys, &spec, &range.clone().collect::<Vec<i64>>(), &cx));
                    tables.collect::<Vec<_>>()
                };
                let all = tables();
                let refs: Vec<&Table<'static>> = all.iter().collect();
                let held = Room::hold(&refs, 0, &spec, &cx).unwrap();
                let limit = free.used_bytes();
                drop(held);
                let bytes: usize = all.iter().map(Table::bytes).sum();

                let budget = MemoryBudget::new(limit, None);
                let cx = context(&budget);
                let room = Room::hold(&refs, 0, &spec, &cx).unwrap();
                let merged = merge_tables(all, &spec, &room, &cx).unwrap_or_else(|e| panic!("{how}: {e}"));
                drop(room);
                assert_eq!(budget.used_bytes(), 0, "{how}");
                let last = ranges.iter().map(|range| range.end).max().unwrap();
                let finished = merged.into_iter().map(|table| table.finish(&cx).unwrap().groups);
                assert_eq!(finished.sum::<usize>() as i64, last, "{how}");

                let cx = context(&MemoryBudget::new(bytes, None));
                match merge_tables(tables(), &spec, &Room::default(), &cx) {
                    Err(ExecError::Memory(_)) => too_little += 1,
                    merged => assert!(merged.is_ok(), "{how}"),
                }
            }
        }
    }
    assert!(too_little > 0);
}

/// Least and largest of lists whose elements are of one type or of several, beside other values in other
/// chunks, are those that going through values finds: of equivalent ones the first.
#[test]
fn best_lists_are_the_best_values() {
    let snapshot: &'static Snapshot = Box::leak(Box::default());
    let cx = Context::new(snapshot, Arc::new(Settings::default()));
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let largest = random.chance(50);
        let kind = if largest { AggregateKind::Max } else { AggregateKind::Min };
        let spec = spec(1, kind, false);
        let (mut table, mut held) = (Table::new(&spec), cx.settings.budget.reservation());
        let mut best: Vec<Option<Value>> = vec![None; 5];
        for _ in 0..1 + random.below(3) {
            let len = 1 + random.below(60);
            let of = random.below(4);
            let elements: Vec<Value> = (0..2 * len)
                .map(|_| match of {
                    _ if random.chance(10) => Value::Null,
                    0 => Value::string(["", "a", "ab", "b"][random.below(4)]),
                    1 if random.chance(50) => Value::Float(random.between(-2, 2) as f64),
                    2 if random.chance(50) => Value::string("a"),
                    _ => Value::Int(random.between(-2, 2)),
                })
                .collect();
            let runs: Vec<(u32, u32)> =
                (0..len).map(|_| (random.below(2 * len - 1) as u32, random.below(3).min(2) as u32)).collect();
            let child = Vector::of_mixed(elements, Positions::all(2 * len));
            let runs = runs.iter().map(|(start, count)| (*start, (*count).min(2 * len as u32 - start)));
            let mut vector = Vector::new(Values::List(Lists::new(runs, child).unwrap()));
            (0..len).filter(|_| random.chance(10)).for_each(|i| vector.nulls.set(i, len));
            if random.chance(10) {
                vector = Vector::new(Values::Int((0..len as i64).collect()));
            }
            let groups: Vec<i64> = (0..len).map(|_| random.between(0, 4)).collect();
            for (i, group) in groups.iter().enumerate() {
                let (value, own) = (vector.value(i, &|_| Value::Null), &mut best[*group as usize]);
                let is_better = |than: &Value| match order(&value, than) {
                    std::cmp::Ordering::Greater => largest,
                    std::cmp::Ordering::Less => !largest,
                    std::cmp::Ordering::Equal => false,
                };
                if !value.is_null() && own.as_ref().is_none_or(is_better) {
                    *own = Some(value);
                }
            }
            let mut chunk = Chunk::with_slots(&spec.slots);
            chunk.groups[0].reset(len);
            chunk.groups[0].vectors[0] = Vector::new(Values::Int(groups));
            chunk.groups[0].vectors[1] = vector;
            table.update(&spec, &chunk, &mut Ledger::new(&mut held, &cx)).unwrap();
        }
        let finished = table.finish(&cx).unwrap();
        for i in 0..finished.groups {
            let value = |k: usize| finished.vectors[k].value(i, &|_| Value::Null);
            let Value::Int(group) = value(0) else { panic!("seed {seed}") };
            let expected = best[group as usize].clone().unwrap_or_default();
            assert_eq!(format!("{:?}", value(2)), format!("{expected:?}"), "seed {seed}, group {group}");
        }
    }
}
