//! Merging the tables of several workers takes no more than what is held for it before it begins.

use std::sync::Arc;

use trimorph_algebra::AggregateKind;
use trimorph_base::{MemoryBudget, Span};
use trimorph_store::Snapshot;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Positions, Values, Vector};

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
    let of =
        |kind, arg, distinct| AggregateEx { kind, arg, parameter: None, distinct, span: Span::default() };
    AggregateSpec {
        keys: (0..keys).map(slot).collect(),
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
