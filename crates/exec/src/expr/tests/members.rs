//! `IN` by sets, of constants and of lists in another group, against comparing one element after the other.

use std::sync::Arc;

use trimorph_algebra::Op;
use trimorph_base::{CancelToken, MemoryBudget, Random, Span};
use trimorph_functions::operators::in_list;
use trimorph_store::Snapshot;
use trimorph_types::{Decimal, Value};
use trimorph_vector::{Chunk, Group, Lists, Positions, Selection, Values, Vector};

use super::against_rows::check;
use super::sample::{KINDS, Kind, chunk, value};
use crate::expr::{Ex, Members};
use crate::layout::Place;
use crate::{Context, Settings};

/// What a list may have besides plain values.
fn odd(random: &mut Random) -> Value {
    let nested = vec![Value::Null, Value::Int(1), Value::Float(1.0), Value::string("a")];
    match random.below(8) {
        0 => Value::Null,
        1 => Value::Float(f64::NAN),
        2 => Value::Decimal(Decimal::parse(["1", "0.5", "-1.50", "2.675"][random.below(4)]).unwrap()),
        3 => Value::list(nested[..random.below(4)].to_vec()),
        4 => Value::map([(Arc::from("k"), random.pick(&nested).clone())].into_iter().collect()),
        5 => Value::Float(random.between(-3, 5) as f64),
        6 => Value::Float(-0.0),
        _ => Value::Bytes([1, 2].into()),
    }
}

/// A list: of one kind, as a rule, with values of the chunk in it.
fn list(chunk: &Chunk<'_>, random: &mut Random) -> Value {
    let len = *random.pick(&[0, 1, 2, 7, 9, 40, 300]);
    let kinds: Vec<Kind> = (0..1 + random.below(2) * 3).map(|_| *random.pick(&KINDS)).collect();
    let group = &chunk.groups[0];
    let items = (0..len).map(|_| match random.below(20) {
        0 if len % 2 == 0 => odd(random),
        1..8 => {
            let kind = *random.pick(&kinds);
            let vector = &group.vectors[KINDS.iter().position(|k| *k == kind).unwrap()];
            vector.value(random.below(group.len), &|_| Value::Null)
        }
        _ => value(*random.pick(&kinds), random),
    });
    let nulls = len % 3 == 0;
    Value::list(items.filter(|item| nulls || !item.is_null()).collect())
}

#[test]
fn sets_say_what_comparing_says() {
    let (budget, cancel) = (MemoryBudget::unlimited(), CancelToken::default());
    for seed in 0..3_000 {
        let mut random = Random::new(seed);
        let chunk = chunk(&mut random);
        let list = list(&chunk, &mut random);
        let members = Members::of(&list, &budget, &cancel).unwrap();
        let at = Positions::all(chunk.groups[0].len);
        let typed = chunk.groups[0].vectors.iter().map(|vector| (vector, members.among(vector, at)));
        for (vector, among) in typed {
            for i in 0..at.len {
                let value = vector.value(i, &|_| Value::Null);
                let wanted = format!("{:?}", in_list(&value, &list));
                assert_eq!(
                    format!("{:?}", members.has(&value, &cancel)),
                    wanted,
                    "seed {seed}: {value:?} {list:?}"
                );
                if let Some(among) = &among {
                    let found = among.value(i, &|_| Value::Null);
                    assert_eq!(format!("Ok({found:?})"), wanted, "seed {seed}: {value:?} {list:?}");
                }
            }
        }
        for _ in 0..4 {
            let value = odd(&mut random);
            let wanted = format!("{:?}", in_list(&value, &list));
            assert_eq!(
                format!("{:?}", members.has(&value, &cancel)),
                wanted,
                "seed {seed}: {value:?} {list:?}"
            );
        }
    }
    assert_eq!(budget.used_bytes(), 0);
}

#[test]
fn there_is_no_set_without_memory_for_it() {
    let list = Value::list((0..100_000).map(|i| Value::Int(i * 1_000)).collect());
    let budget = MemoryBudget::new(1 << 20, None);
    assert!(Members::of(&list, &budget, &CancelToken::default()).is_none());
    assert_eq!(budget.used_bytes(), 0);
    let cancel = CancelToken::default();
    cancel.cancel();
    assert!(Members::of(&list, &MemoryBudget::unlimited(), &cancel).is_none());
}

/// Lists as runs of one child.
fn runs(lists: &[Value]) -> Vector<'static> {
    let mut all = Vec::new();
    let mut runs = Vec::new();
    for list in lists {
        let Value::List(items) = list else { continue };
        runs.push((u32::try_from(all.len()).unwrap(), u32::try_from(items.len()).unwrap()));
        all.extend(items.iter().cloned());
    }
    let at = Positions::all(all.len());
    Vector::new(Values::List(Lists::new(runs.into_iter(), Vector::of_values(all, at)).unwrap()))
}

#[test]
fn lists_of_another_group_are_looked_through_by_sets() {
    let snapshot: &'static Snapshot = Box::leak(Box::default());
    let cx = Context::new(snapshot, Arc::new(Settings::default()));
    for seed in 0..2_000 {
        let mut random = Random::new(seed);
        let mut chunk = chunk(&mut random);
        let lists: Vec<Value> = (0..3).map(|_| list(&chunk, &mut random)).collect();
        let vectors =
            vec![if random.chance(50) { runs(&lists) } else { Vector::of_values(lists, Positions::all(3)) }];
        let group = |at| Group {
            len: 3,
            selection: Selection::All,
            flat: Some(at),
            multiplicity: None,
            vectors: vectors.clone(),
        };
        let slot = random.below(KINDS.len());
        let leaf = |group, slot| Ex::Slot(Place { group, slot });
        let ex = Ex::Op(Op::In, vec![leaf(0, slot), leaf(1, 0)], Span::default());
        let ex = if seed % 2 == 0 { ex } else { Ex::Op(Op::Not, vec![ex], Span::default()) };
        // The list of a group, and put beside each row.
        let len = u32::try_from(chunk.groups[0].len).unwrap();
        // Another one for each row, for each few rows, one for all.
        let each = *random.pick(&[1, 30, 70, u32::MAX]);
        let beside: Vec<u32> = (0..len).map(|i| (u32::try_from(seed).unwrap() + i / each) % 3).collect();
        chunk.groups[0].vectors.push(vectors[0].gather(&beside));
        let mut same = vec![leaf(0, slot), leaf(0, KINDS.len())];
        if seed % 5 == 0 {
            same[0] = Ex::Const(value(KINDS[slot], &mut random));
        }
        check(&Ex::Op(Op::In, same, Span::default()), &chunk, &cx, seed);
        chunk.groups.push(group(0));
        for at in [0, 1, 0, 2] {
            chunk.groups[1] = group(at);
            check(&ex, &chunk, &cx, seed);
        }
    }
}
