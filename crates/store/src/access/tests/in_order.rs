//! Rows in the order of a property: none is left out that belongs to the best, none comes twice, and an index
//! is left as soon as it can be; with rows and values of the delta, seen from three times.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use trimorph_base::{CancelToken, NodeId, Random, TableId};
use trimorph_delta::Writer;
use trimorph_mvcc::{Changes, Intent, Isolation, ReadSet, Reading, Timestamp, View};
use trimorph_types::compare::{less, less_or_equal};
use trimorph_types::{Value, order};
use trimorph_vector::{Positions, Vector};
use trimorph_vfs::RegionOptions;

use super::{A, B, made};
use crate::access::{Given, InOrder, Run, ValueRange, comes_after};
use crate::{Live, Moment, PropertyColumn, Reader, Snapshot};

const ROWS: u64 = 9_000;
/// In table A `n`, the row, and `s`, some of twelve texts; in B `x`, texts, numbers and nulls.
const COLUMNS: [&[(TableId, usize)]; 4] = [&[(A, 1)], &[(A, 2)], &[(B, 1)], &[(A, 2), (B, 1)]];

/// The snapshot with an index of the columns that are asked for.
fn indexed(snapshot: &Snapshot) -> Snapshot {
    let mut main = snapshot.main().clone();
    for (table, column) in [(A, 1), (A, 2), (B, 1)] {
        main.index_values(table, column, RegionOptions::default(), &CancelToken::default()).unwrap();
    }
    snapshot.over(Arc::new(main))
}

fn unbounded() -> ValueRange {
    (Bound::Unbounded, Bound::Unbounded)
}

/// All rows that are there, and their values.
fn all(reader: &Reader<'_>, tables: &[TableId], columns: &[(TableId, usize)]) -> BTreeMap<NodeId, Value> {
    let mut found = BTreeMap::new();
    for table in tables {
        let column = columns.iter().find(|(of, _)| of == table);
        let column = column.map(|(table, column)| PropertyColumn::of_nodes(*table, *column, reader));
        for row in 0..reader.rows(*table) {
            let node = NodeId::new(*table, row);
            if reader.node_exists(node) {
                found.insert(node, column.map_or(Value::Null, |column| column.value(row)));
            }
        }
    }
    found
}

fn is_within(value: &Value, (low, high): &ValueRange) -> bool {
    let above = match low {
        Bound::Unbounded => Some(true),
        Bound::Included(low) => less_or_equal(low, value),
        Bound::Excluded(low) => less(low, value),
    };
    let below = match high {
        Bound::Unbounded => Some(true),
        Bound::Included(high) => less_or_equal(value, high),
        Bound::Excluded(high) => less(value, high),
    };
    above == Some(true) && below == Some(true)
}

/// Takes the best `k`; gives how many rows came.
fn check(
    snapshot: &Snapshot,
    tables: &[TableId],
    columns: &[(TableId, usize)],
    (range, descending): (ValueRange, bool),
    k: usize,
) -> usize {
    let reader = Reader::new(snapshot);
    let what = format!("{tables:?} {columns:?} {range:?} {descending} {k}");
    let values = all(&reader, tables, columns);
    let by_order = |a: &&Value, b: &&Value| if descending { order(b, a) } else { order(a, b) };
    let mut best: Vec<&Value> = values.values().filter(|value| is_within(value, &range)).collect();
    best.sort_by(by_order);
    best.truncate(k);

    let in_order = InOrder::new(snapshot, &reader, tables, columns, range.clone(), descending, 10).unwrap();
    let mut came = 0;
    for _ in 0..2 {
        let mut given: BTreeMap<NodeId, &Value> = BTreeMap::new();
        let mut kept: Vec<&Value> = Vec::new();
        let mut bound: Option<Value> = None;
        loop {
            let is_after = |value: &Value| bound.as_ref().is_some_and(|b| comes_after(value, b, descending));
            let nodes = match in_order.next(&reader, 100, &is_after, &[]) {
                Some(Given::Nodes(table, nodes)) => {
                    assert!(nodes.iter().all(|node| node.table() == table), "{what}");
                    nodes
                }
                Some(Given::Run(Run { first, len, chosen })) => {
                    assert!(len <= 100, "{what}");
                    let chosen = chosen.unwrap_or_else(|| (0..len as u32).collect());
                    chosen.into_iter().map(|i| NodeId(first.0 + u64::from(i))).collect()
                }
                None => break,
            };
            assert!(!nodes.is_empty() && nodes.len() <= 100, "{what}");
            for node in nodes {
                let value = values.get(&node).unwrap_or_else(|| panic!("{what}: {node:?} is not there"));
                assert!(given.insert(node, value).is_none(), "{what}: {node:?} twice");
                kept.extend(Some(value).filter(|value| is_within(value, &range)));
            }
            kept.sort_by(by_order);
            kept.truncate(k);
            bound = kept.last().filter(|_| kept.len() == k).map(|value| (*value).clone());
        }
        assert_eq!(kept.len(), best.len(), "{what}");
        let same = kept.iter().zip(&best).all(|(a, b)| order(a, b).is_eq());
        assert!(same, "{what}: {kept:?}, not {best:?}");
        // Asked again, they come again.
        in_order.reset();
        came = given.len();
    }
    came
}

fn check_all(snapshot: &Snapshot) {
    let ranges: [ValueRange; 5] = [
        unbounded(),
        (Bound::Excluded(Value::Int(150)), Bound::Unbounded),
        (Bound::Included(Value::string("text 3")), Bound::Excluded(Value::string("text 5"))),
        (Bound::Unbounded, Bound::Included(Value::Float(4.5))),
        (Bound::Included(Value::Int(3)), Bound::Included(Value::string("text"))),
    ];
    for columns in COLUMNS {
        let tables: Vec<TableId> = columns.iter().map(|(table, _)| *table).collect();
        for range in &ranges {
            for (descending, k) in [(false, 10), (true, 10), (false, 5000), (true, 5000)] {
                check(snapshot, &tables, columns, (range.clone(), descending), k);
            }
        }
    }
}

#[test]
fn the_best_rows_come_first_and_few_others() {
    let graph = made(31, ROWS, 10);
    let snapshot = indexed(&graph.snapshot);
    check_all(&snapshot);
    // Beside a table without the property.
    check(&snapshot, &[B, A], &[(A, 1)], (unbounded(), false), 10);
    let few = check(&snapshot, &[A], &[(A, 1)], (unbounded(), true), 10);
    assert!(few <= 512, "{few} rows for ten");
    let range = (Bound::Unbounded, Bound::Excluded(Value::Int(700)));
    let few = check(&snapshot, &[A], &[(A, 1)], (range, true), 10);
    assert!(few <= 512, "{few} rows for ten of a range");
    let reader = Reader::new(&graph.snapshot);
    let without = InOrder::new(&graph.snapshot, &reader, &[A], &[(A, 1)], unbounded(), true, 10);
    assert!(without.is_none(), "there is no index");
    let reader = Reader::new(&snapshot);
    let too_many = InOrder::new(&snapshot, &reader, &[A], &[(A, 1)], unbounded(), true, ROWS / 2);
    assert!(too_many.is_none(), "most of the rows are wanted");
}

/// Writes what is drawn: rows that come, change and go.
fn write(live: &Live, writer: &Writer<'_>, random: &mut Random) -> Vec<(TableId, trimorph_delta::Written)> {
    let value = |random: &mut Random| match random.below(5) {
        0 => Value::Null,
        1 => Value::Float(random.below(40) as f64 / 2.0),
        2 => Value::string(format!("text {}", random.below(14))),
        _ => Value::Int(random.between(-50, 30_000)),
    };
    let vector = |values: Vec<Value>| {
        let at = Positions::all(values.len());
        Vector::of_values(values, at)
    };
    let mut all = Vec::new();
    for (table, column) in [(A, 1), (A, 2), (B, 1)] {
        let delta = live.delta.nodes_to_write(table, ROWS, Vec::new());
        let (mut written, mut rows) = (Vec::new(), Vec::new());
        let few = random.below(40) + 1;
        let values = vector((0..few).map(|_| value(random)).collect());
        let positions: Vec<u32> = (0..few as u32).collect();
        delta.insert(writer, &[(column, &values)], &positions, &mut rows, &mut written).unwrap();
        // No row twice: who is deleted is not written to again, and the other way round.
        let mut drawn: Vec<u64> = (0..few).map(|_| random.below(ROWS as usize) as u64 / 3 * 3).collect();
        drawn.sort_unstable();
        drawn.dedup();
        let positions = &positions[..drawn.len()];
        // What another transaction wrote is left alone.
        let _ = delta.set(writer, &[(column, &values)], positions, &drawn, &mut written);
        let gone: Vec<u64> = drawn.iter().map(|row| row + 1).filter(|row| *row < ROWS).collect();
        let _ = delta.delete(writer, &gone[..gone.len() / 2], &mut written);
        all.push((table, written));
    }
    all
}

#[test]
fn what_the_delta_has_is_among_them() {
    let graph = made(32, ROWS, 10);
    let base = indexed(&graph.snapshot);
    let live = Arc::new(Live::default());
    let mut random = Random::new(33);
    let view = |read| View::at(read);
    let seen = |view: View| {
        let registered = Arc::new(live.transactions.snapshot(Timestamp(0), Intent::Read));
        base.clone().at(Moment::new(Arc::clone(&live), view, registered))
    };
    let before = live.transactions.published();
    for _ in 0..3 {
        let (open, kept) = live.transactions.begin(
            Isolation::Snapshot,
            (Timestamp(0), Intent::Write),
            CancelToken::default(),
            None,
        );
        let own = View { own: Some(open.handle()), ..view(kept.read()) };
        let reading = Reading { view: own, transactions: &live.transactions };
        let writer = Writer { reading, statement: 0 };
        let written = write(&live, &writer, &mut random);
        check_all(&seen(View { statement: 1, ..own }));
        let stamp = |stamp| {
            for (table, written) in &written {
                live.delta.nodes(*table).unwrap().stamp(&writer, written, stamp);
            }
        };
        let done: Result<_, _> =
            live.transactions.commit(open, Changes::default(), ReadSet::default, |_| Ok::<(), ()>(()), stamp);
        done.unwrap();
    }
    check_all(&seen(view(live.transactions.published())));
    check_all(&seen(view(before)));
}
