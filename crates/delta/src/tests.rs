//! Nodes of a table against a plain model: random transactions, some at the same time, some undone.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use trimorph_base::{CancelToken, Random};
use trimorph_mvcc::{
    Changes, Conflict, Intent, Isolation, Open, ReadSet, Reading, Registered, Stamp, Timestamp, Transactions,
    View,
};
use trimorph_types::{Date, DateTime, Value, Zone};
use trimorph_vector::{Positions, Vector};

use crate::cells::Cells;
use crate::{NodeDelta, WriteError, Writer, Written};

const COLUMNS: u32 = 3;

/// Values of a row, by column; none where the row is not there.
type Row = Option<BTreeMap<u32, Value>>;
/// Rows by number.
type Rows = BTreeMap<u64, Row>;

struct Running {
    open: Open,
    kept: Registered,
    /// The commits that its main version has.
    merged: u64,
    statement: u32,
    written: Written,
    /// What it sees, its own writes included.
    sees: Rows,
    /// What it wrote: (row, column), none for the row itself.
    wrote: Vec<(u64, Option<u32>)>,
}

impl Running {
    fn writer<'t>(&self, all: &'t Transactions) -> Writer<'t> {
        let view = View::at(self.kept.read()).over(Timestamp(self.merged));
        let view = View { own: Some(self.open.handle()), statement: self.statement, ..view };
        let reading = Reading { view, transactions: all };
        Writer { reading, statement: self.statement }
    }
}

fn value(random: &mut Random) -> Value {
    match random.below(9) {
        0 => Value::Null,
        1 => Value::String("x".repeat(random.below(40)).into()),
        2 => Value::Float(0.5),
        3 => Value::Bool(true),
        4 => Value::Date(Date { days: random.between(-9, 9) }),
        5 => Value::DateTime(DateTime { seconds: 1, nanos: 2, zone: Zone::Offset(3_600) }),
        _ => Value::Int(random.between(-5, 5)),
    }
}

fn vector(values: Vec<Value>) -> Vector<'static> {
    let at = Positions::all(values.len());
    Vector::of_values(values, at)
}

/// The model: rows after each commit, which is main, too, as of any of them. A random program, checked after
/// each step from all views; merges come between, and what nobody needs any more is cleaned and used again.
fn program(seed: u64, steps: usize) -> [usize; 4] {
    let mut random = Random::new(seed);
    let all = Transactions::default();
    let delta = NodeDelta::new(0, Vec::new());
    let mut history: BTreeMap<u64, Rows> = BTreeMap::from([(0, Rows::new())]);
    let mut running: Vec<Running> = Vec::new();
    let (mut merged, mut readers): (u64, Vec<(Registered, u64)>) = (0, Vec::new());
    let [mut committed, mut conflicts, mut undone, mut cleaned] = [0; 4];
    for step in 0..steps {
        let context = format!("seed {seed} step {step}");
        match random.below(20) {
            0 => readers.push((all.snapshot(Timestamp(merged), Intent::Read), merged)),
            1 if !readers.is_empty() => drop(readers.swap_remove(random.below(readers.len()))),
            2 => merged = all.published().0,
            3..6 => {
                let loose = delta.clean(&all.snapshots().needed(Timestamp(merged)));
                cleaned += loose.pages.len() + loose.rows.len();
                loose.pages.into_iter().for_each(|page| delta.pages.remove(page));
                delta.rows.give_back(loose.rows);
            }
            _ => {}
        }
        let draw = random.below(10);
        if draw == 0 && running.len() < 4 {
            let level = [Isolation::Snapshot, Isolation::Serializable][random.below(2)];
            let (open, kept) =
                all.begin(level, (Timestamp(merged), Intent::Write), CancelToken::default(), None);
            let sees = history[&kept.read().0].clone();
            let (written, wrote) = (Vec::new(), Vec::new());
            running.push(Running { open, kept, merged, statement: 1, written, sees, wrote });
            continue;
        }
        if running.is_empty() {
            continue;
        }
        let which = random.below(running.len());
        if draw == 1 {
            let done = running.swap_remove(which);
            let writer = done.writer(&all);
            if random.below(3) == 0 {
                all.undo(&done.open, |stamp| delta.stamp(&writer, &done.written, stamp));
                undone += 1;
                continue;
            }
            let stamp = |stamp: Stamp| delta.stamp(&writer, &done.written, stamp);
            let at =
                all.commit::<()>(done.open, Changes::default(), ReadSet::default, |_| Ok(()), stamp).unwrap();
            // Others committed since it began; what it wrote is put over that.
            let mut rows = history[&(at.0 - 1)].clone();
            for (row, column) in done.wrote {
                let (own, there) = (&done.sees[&row], rows.entry(row).or_insert(Some(BTreeMap::new())));
                match (column, own, there) {
                    (Some(column), Some(own), Some(there)) => {
                        there.insert(column, own.get(&column).cloned().unwrap_or(Value::Null));
                    }
                    (_, own, there) => *there = own.clone(),
                }
            }
            history.insert(at.0, rows);
            committed += 1;
            continue;
        }
        let own = &mut running[which];
        own.statement += 1;
        let writer = own.writer(&all);
        let there: Vec<u64> = own.sees.iter().filter(|(_, row)| row.is_some()).map(|(n, _)| *n).collect();
        let count = 1 + random.below(3);
        let result = match draw {
            2..5 => {
                let columns: Vec<u32> = (0..COLUMNS).filter(|_| random.below(2) == 0).collect();
                let values: Vec<Vector<'_>> = columns
                    .iter()
                    .map(|_| vector((0..count).map(|_| value(&mut random)).collect()))
                    .collect();
                let given: Vec<_> = columns.iter().copied().zip(&values).collect();
                let positions: Vec<u32> = (0..count as u32).rev().collect();
                let mut rows = Vec::new();
                let result = delta.insert(&writer, &given, &positions, &mut rows, &mut own.written);
                for (row, position) in rows.iter().zip(&positions) {
                    let of = |v: &Vector<'_>| v.value(*position as usize, &|_| Value::Null);
                    own.sees.insert(*row, Some(given.iter().map(|(c, v)| (*c, of(v))).collect()));
                    own.wrote.push((*row, None));
                }
                result
            }
            _ if there.is_empty() => Ok(()),
            5 => {
                let row = there[random.below(there.len())];
                let result = delta.delete(&writer, &[row], &mut own.written);
                if result.is_ok() {
                    own.sees.insert(row, None);
                    own.wrote.push((row, None));
                }
                result
            }
            _ => {
                // Some rows twice: the last value counts.
                let rows: Vec<u64> = (0..count).map(|_| there[random.below(there.len())]).collect();
                let column = random.below(COLUMNS as usize) as u32;
                let values = vector((0..count).map(|_| value(&mut random)).collect());
                let positions: Vec<u32> = (0..count as u32).collect();
                let result = delta.set(&writer, &[(column, &values)], &positions, &rows, &mut own.written);
                if result.is_ok() {
                    for (i, row) in rows.iter().enumerate() {
                        let value = values.value(i, &|_| Value::Null);
                        own.sees.get_mut(row).unwrap().as_mut().unwrap().insert(column, value);
                        own.wrote.push((*row, Some(column)));
                    }
                }
                result
            }
        };
        if let Err(error) = result {
            assert!(
                matches!(error, WriteError::Conflict(Conflict::Open(_) | Conflict::Newer(_))),
                "{context}"
            );
            let own = running.swap_remove(which);
            let writer = own.writer(&all);
            all.undo(&own.open, |stamp| delta.stamp(&writer, &own.written, stamp));
            conflicts += 1;
        }
        let ends = delta.rows_end();
        for own in &running {
            let mut reading = own.writer(&all).reading;
            reading.view.statement += 1;
            check(&delta, &reading, (&history[&own.merged], &own.sees), ends, &context);
        }
        let now = (all.published(), merged);
        for (read, merged) in readers.iter().map(|(kept, merged)| (kept.read(), *merged)).chain([now]) {
            let view = View::at(read).over(Timestamp(merged));
            let reading = Reading { view, transactions: &all };
            check(&delta, &reading, (&history[&merged], &history[&read.0]), ends, &context);
        }
    }
    // Once nobody is there, all rows are free but those that are: none is lost, none free twice.
    for own in running {
        let writer = own.writer(&all);
        all.undo(&own.open, |stamp| delta.stamp(&writer, &own.written, stamp));
    }
    drop(readers);
    let there = history[&all.published().0].values().filter(|row| row.is_some()).count() as u64;
    let loose = delta.clean(&all.snapshots().needed(all.published()));
    delta.rows.give_back(loose.rows);
    assert_eq!(delta.rows_end() - delta.rows.free_count(), there, "seed {seed}");
    [committed, conflicts, undone, cleaned]
}

/// The same value of the same type, as it is shown.
fn same(a: &Value, b: &Value) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

fn check(delta: &NodeDelta, reading: &Reading<'_>, (main, rows): (&Rows, &Rows), end: u64, context: &str) {
    for row in 0..end {
        let (main, wanted) = (main.get(&row).cloned().flatten(), rows.get(&row).cloned().flatten());
        let is_there = delta.is_there(row, reading).unwrap_or(main.is_some());
        assert_eq!(is_there, wanted.is_some(), "{context} row {row}");
        for column in 0..COLUMNS {
            let of = |row: &Row| row.as_ref().and_then(|row| row.get(&column).cloned());
            let value = delta.value(row, column, reading).or_else(|| of(&main)).unwrap_or(Value::Null);
            let wanted = of(&wanted).unwrap_or(Value::Null);
            assert!(same(&value, &wanted), "{context} row {row} column {column}: {value:?} {wanted:?}");
        }
    }
}

#[test]
fn every_view_sees_its_rows() {
    let mut met = [0; 4];
    for seed in 0..150 {
        let counts = program(seed, 120);
        met.iter_mut().zip(counts).for_each(|(a, b)| *a += b);
    }
    assert!(met.iter().all(|n| *n > 100), "committed, conflicts, undone, cleaned: {met:?}");
}

#[test]
fn cells_give_back_what_was_put_in() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let (mut cells, mut plain) = (Cells::default(), Vec::new());
        for _ in 0..random.below(12) {
            let same = value(&mut random);
            let values: Vec<Value> = (0..random.below(70))
                .map(|_| match random.below(4) {
                    0 => Value::Null,
                    1 if seed % 3 == 0 => value(&mut random),
                    _ => same.clone(),
                })
                .collect();
            if random.below(2) == 0 {
                let positions: Vec<u32> = (0..values.len() as u32).filter(|_| random.below(3) > 0).collect();
                plain.extend(positions.iter().map(|p| values[*p as usize].clone()));
                cells.extend(&vector(values), &positions);
            } else {
                plain.extend(values.iter().cloned());
                values.into_iter().for_each(|value| cells.push(value));
            }
        }
        assert_eq!(cells.len(), plain.len(), "seed {seed}");
        let back: Vec<Value> = (0..cells.len()).map(|at| cells.value(at)).collect();
        assert!(back.iter().zip(&plain).all(|(a, b)| same(a, b)), "seed {seed}: {back:?} {plain:?}");
    }
}

#[test]
fn a_batch_goes_by_pages_and_runs_of_clean_zones_are_told() {
    let all = Transactions::default();
    let delta = NodeDelta::new(1 << 20, Vec::new());
    assert_eq!(delta.clean_run(5, 1 << 20, Some(0)), 1 << 20);
    let (open, kept) =
        all.begin(Isolation::Snapshot, (Timestamp(0), Intent::Write), CancelToken::default(), None);
    let view = View { own: Some(open.handle()), statement: 1, ..View::at(kept.read()) };
    let writer = Writer { reading: Reading { view, transactions: &all }, statement: 1 };
    let values = vector((0..5_000).map(Value::Int).collect());
    let positions: Vec<u32> = (0..5_000).collect();
    let (mut rows, mut written) = (Vec::new(), Written::new());
    delta.insert(&writer, &[(1, &values)], &positions, &mut rows, &mut written).unwrap();
    assert_eq!(rows, (1 << 20..(1 << 20) + 5_000).collect::<Vec<u64>>());
    assert_eq!(written.len(), 5, "five pages");
    delta.set(&writer, &[(0, &values)], &[7], &[4_000], &mut written).unwrap();
    let seen = Reading { view: View { statement: 2, ..view }, ..writer.reading };
    assert!(matches!(delta.value((1 << 20) + 4_321, 1, &seen), Some(Value::Int(4_321))));
    assert!(
        delta.value((1 << 20) + 4_321, 1, &writer.reading).is_none(),
        "its own statement does not see it"
    );
    assert_eq!(delta.clean_run(0, 10_000, Some(0)), 3 * 1_024);
    assert_eq!(delta.clean_run(0, 10_000, Some(1)), 10_000, "another column");
    assert_eq!(delta.clean_run(0, 10_000, None), 10_000, "no row came or went");
    assert_eq!(delta.clean_run(1_000_000, 1 << 20, None), (1 << 20) - 1_000_000);
    assert!(delta.bytes() < 5_000 * 60 + 20_000, "{}", delta.bytes());
    let made = all.commit::<()>(
        open,
        Changes::default(),
        ReadSet::default,
        |_| Ok(()),
        |s| {
            delta.stamp(&writer, &written, s);
        },
    );
    let after = Reading { view: View::at(made.unwrap()), transactions: &all };
    assert!(matches!(delta.value(4_000, 0, &after), Some(Value::Int(7))));
    assert!(delta.value(4_001, 0, &after).is_none());
}

/// Transfers between accounts by several threads, with readers beside them: no transfer is lost, no view ever
/// sees money made or gone, and some transfers meet each other.
#[test]
fn transfers_beside_each_other_keep_the_sum() {
    const ACCOUNTS: u64 = 20;
    const EACH: usize = 400;
    let (all, delta) = (Transactions::default(), NodeDelta::new(0, Vec::new()));
    let begin =
        || all.begin(Isolation::Snapshot, (Timestamp(0), Intent::Write), CancelToken::default(), None);
    let writer_of = |open: &Open, kept: &Registered| {
        let view = View { own: Some(open.handle()), statement: 1, ..View::at(kept.read()) };
        Writer { reading: Reading { view, transactions: &all }, statement: 1 }
    };
    let commit = |open: Open, writer: &Writer<'_>, written: &Written| {
        let stamp = |stamp: Stamp| delta.stamp(writer, written, stamp);
        all.commit::<()>(open, Changes::default(), ReadSet::default, |_| Ok(()), stamp).unwrap();
    };
    let (open, kept) = begin();
    let writer = writer_of(&open, &kept);
    let (mut rows, mut written) = (Vec::new(), Written::new());
    let positions: Vec<u32> = (0..ACCOUNTS as u32).collect();
    let start = vector(vec![Value::Int(100); ACCOUNTS as usize]);
    delta.insert(&writer, &[(0, &start)], &positions, &mut rows, &mut written).unwrap();
    commit(open, &writer, &written);
    let amount = |row: u64, reading: &Reading<'_>| match delta.value(row, 0, reading) {
        Some(Value::Int(amount)) => amount,
        other => panic!("account {row} has {other:?}"),
    };
    let sum = |reading: &Reading<'_>| -> i64 { (0..ACCOUNTS).map(|row| amount(row, reading)).sum() };
    let done = std::sync::atomic::AtomicUsize::new(0);
    let met: usize = std::thread::scope(|scope| {
        let (done, sum, amount, commit, writer_of, begin) =
            (&done, &sum, &amount, &commit, &writer_of, &begin);
        let (delta, all) = (&delta, &all);
        let workers: Vec<_> = (0..3)
            .map(|seed| {
                scope.spawn(move || {
                    let (mut random, mut met) = (Random::new(seed), 0);
                    let mut made = 0;
                    while made < EACH {
                        let (open, kept) = begin();
                        let writer = writer_of(&open, &kept);
                        let [from, to] = [0; 2].map(|_: u64| random.below(ACCOUNTS as usize) as u64);
                        let moved = random.between(1, 5);
                        let mut written = Written::new();
                        let mut set = |row, by: i64| {
                            let value = vector(vec![Value::Int(amount(row, &writer.reading) + by)]);
                            delta.set(&writer, &[(0, &value)], &[0], &[row], &mut written)
                        };
                        let result =
                            if from == to { Ok(()) } else { set(from, -moved).and_then(|()| set(to, moved)) };
                        match result {
                            Ok(()) => {
                                commit(open, &writer, &written);
                                made += 1;
                            }
                            Err(WriteError::Conflict(_)) => {
                                all.undo(&open, |stamp| delta.stamp(&writer, &written, stamp));
                                met += 1;
                            }
                            Err(WriteError::Full) => panic!("there are few versions"),
                        }
                    }
                    done.fetch_add(1, std::sync::atomic::Ordering::Release);
                    met
                })
            })
            .collect();
        while done.load(std::sync::atomic::Ordering::Acquire) < 3 {
            let kept = all.snapshot(Timestamp(0), Intent::Read);
            let reading = Reading { view: View::at(kept.read()), transactions: all };
            assert_eq!(sum(&reading), 100 * ACCOUNTS as i64);
        }
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    });
    let reading = Reading { view: View::at(all.published()), transactions: &all };
    assert_eq!(sum(&reading), 100 * ACCOUNTS as i64);
    assert_eq!(all.published().0, 1 + 3 * EACH as u64, "{met} conflicts left no commits");
}

/// Who has written a value finds it in a range of values, whoever makes the tree of them meanwhile, or lets
/// it go.
#[test]
fn who_writes_is_found_by_ranges_at_once() {
    const EACH: i64 = 300;
    let (all, delta) = (Transactions::default(), Arc::new(NodeDelta::new(0, Vec::new())));
    delta.index_column(0);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..3)
            .map(|worker| {
                let (all, delta) = (&all, &delta);
                scope.spawn(move || {
                    for value in (worker * EACH..).take(EACH as usize) {
                        let begun = (Timestamp(0), Intent::Write);
                        let (open, kept) =
                            all.begin(Isolation::Snapshot, begun, CancelToken::default(), None);
                        let view = View { own: Some(open.handle()), statement: 1, ..View::at(kept.read()) };
                        let writer = Writer { reading: Reading { view, transactions: all }, statement: 1 };
                        let (mut rows, mut written) = (Vec::new(), Written::new());
                        let columns = [(0, &vector(vec![Value::Int(value)]))];
                        delta.insert(&writer, &columns, &[0], &mut rows, &mut written).unwrap();
                        let (low, high) = (Value::Int(value - 1), Value::Int(value + 1));
                        let index = delta.index(0).unwrap();
                        let found = index.range(Bound::Excluded(&low), Bound::Excluded(&high));
                        assert_eq!(found, rows, "{value}");
                        let stamp = |stamp: Stamp| delta.stamp(&writer, &written, stamp);
                        all.commit::<()>(open, Changes::default(), ReadSet::default, |_| Ok(()), stamp)
                            .unwrap();
                    }
                })
            })
            .collect();
        while !workers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            delta.all_indexes().iter().for_each(|index| index.clean(|_| false));
            std::thread::yield_now();
        }
    });
    let index = delta.index(0).unwrap();
    assert_eq!(index.range(Bound::Unbounded, Bound::Unbounded).len(), 3 * EACH as usize);
}
