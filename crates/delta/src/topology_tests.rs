//! Edges against a plain model: random transactions, some at the same time, some undone; parallel edges,
//! loops, hubs; edges and the deletion of their ends.

use std::collections::{BTreeMap, BTreeSet};

use trimorph_base::{CancelToken, EdgeId, EdgeTableId, NodeId, Random, TableId};
use trimorph_mvcc::{
    Changes, Conflict, Intent, Isolation, Open, ReadSet, Reading, Registered, Stamp, Timestamp, Transactions,
    View,
};
use trimorph_types::Value;
use trimorph_vector::{Positions, Vector};

use crate::{
    Direction, EdgeChange, EdgeDelta, EdgeEnds, ListChanges, NodeDelta, Topology, WriteError, Writer,
    Written, WrittenEdges,
};

const ROWS: usize = 5;

fn ends(edge_table: u16, place: u64, source: u64, target: (u16, u64)) -> EdgeEnds {
    EdgeEnds {
        edge: EdgeId::new(EdgeTableId(edge_table), place),
        // An edge table has one source table.
        source: NodeId::new(TableId(edge_table % 2), source),
        target: NodeId::new(TableId(target.0), target.1),
    }
}

type Edges = BTreeMap<EdgeId, EdgeEnds>;

struct Running {
    open: Open,
    kept: Registered,
    /// The commits that its main version has.
    merged: u64,
    statement: u32,
    written: WrittenEdges,
    sees: Edges,
    /// What came, and what went.
    wrote: Vec<(EdgeEnds, bool)>,
}

fn writer<'t>(open: &Open, kept: &Registered, statement: u32, all: &'t Transactions) -> Writer<'t> {
    let view = View { own: Some(open.handle()), statement, ..View::at(kept.read()) };
    Writer { reading: Reading { view, transactions: all }, statement }
}

impl Running {
    fn writer<'t>(&self, all: &'t Transactions) -> Writer<'t> {
        let mut own = writer(&self.open, &self.kept, self.statement, all);
        own.reading.view.merged = Timestamp(self.merged);
        own
    }
}

fn check(topology: &Topology, reading: &Reading<'_>, main: &Edges, sees: &Edges, context: &str) {
    for edge in main.keys().chain(sees.keys()) {
        let is_there = topology.is_there(*edge, reading).unwrap_or(main.contains_key(edge));
        assert_eq!(is_there, sees.contains_key(edge), "{context}: {edge:?}");
        if let Some(wanted) = sees.get(edge) {
            let of_main = || main.get(edge).map(|edge| (edge.source, edge.target));
            let ends = topology.ends(*edge, reading).or_else(of_main);
            assert_eq!(ends, Some((wanted.source, wanted.target)), "{context}: {edge:?}");
        }
    }
    for (table, row) in (0..2).flat_map(|table| (0..ROWS as u64).map(move |row| (table, row))) {
        let node = NodeId::new(TableId(table), row);
        for (edge_table, direction) in
            (0..3).flat_map(|e| [Direction::Forward, Direction::Backward].map(|d| (EdgeTableId(e), d)))
        {
            let mut found = Vec::new();
            topology.changes(node, edge_table, direction, reading, &mut found);
            let list = |edges: &Edges| -> BTreeSet<(NodeId, EdgeId)> {
                let own = edges.values().filter(|e| e.edge.table() == edge_table);
                let ends = own.map(|e| match direction {
                    Direction::Forward => (e.source, e.target, e.edge),
                    Direction::Backward => (e.target, e.source, e.edge),
                });
                ends.filter(|(own, ..)| *own == node).map(|(_, other, edge)| (other, edge)).collect()
            };
            let (before, after) = (list(main), list(sees));
            let came = after.difference(&before).map(|e| (e, true));
            let went = before.difference(&after).map(|e| (e, false));
            let mut wanted: Vec<EdgeChange> = came
                .chain(went)
                .map(|((neighbour, edge), came)| EdgeChange { neighbour: *neighbour, edge: *edge, came })
                .collect();
            wanted.sort_unstable();
            assert_eq!(found, wanted, "{context}: {node:?} along {edge_table:?} {direction:?}");
            let longer_by = topology.longer_by(node, edge_table, direction, reading, usize::MAX);
            assert_eq!(longer_by, Some(after.len() as i64 - before.len() as i64), "{context}");
            let mut of_run = Vec::new();
            let run = (NodeId::new(TableId(table), row.saturating_sub(1)), 3);
            topology.changes_of_run(run, edge_table, direction, reading, &mut of_run);
            let own: Vec<EdgeChange> =
                of_run.iter().filter(|(own, _)| *own == row).map(|(_, change)| *change).collect();
            assert_eq!(own, wanted, "{context}: a run at {node:?} along {edge_table:?} {direction:?}");
            let mut lists = ListChanges::default();
            let rows = [row, (row + 1) % ROWS as u64, row];
            let of = (TableId(table), &rows[..]);
            topology.changes_of_each(of, edge_table, direction, reading, usize::MAX, &mut lists);
            assert_eq!(lists.len(), rows.len(), "{context}");
            assert_eq!(
                lists.of(0),
                wanted,
                "{context}: lists at {node:?} along {edge_table:?} {direction:?}"
            );
            assert_eq!(
                lists.of(2),
                wanted,
                "{context}: lists at {node:?} along {edge_table:?} {direction:?}"
            );
            if !found.is_empty() {
                assert!(!topology.is_clean(TableId(table), edge_table, direction, row, 1), "{context}");
            }
        }
    }
}

/// The model: edges after each commit, which is main, too, as of any of them. Merges come between, and what
/// nobody needs any more is cleaned, and its places are used again.
fn program(seed: u64, steps: usize) -> [usize; 4] {
    let mut random = Random::new(seed);
    let (mut merged, mut readers): (u64, Vec<(Registered, u64)>) = (0, Vec::new());
    let mut free: Vec<EdgeId> = Vec::new();
    let (all, topology) = (Transactions::default(), Topology::default());
    let draw = |random: &mut Random, place: u64| {
        let target = (random.below(2) as u16, random.below(ROWS) as u64);
        ends(random.below(3) as u16, place, random.below(ROWS) as u64, target)
    };
    let main: Edges = (0..10).map(|place| draw(&mut random, place)).map(|e| (e.edge, e)).collect();
    let mut history: BTreeMap<u64, Edges> = BTreeMap::from([(0, main)]);
    let mut running: Vec<Running> = Vec::new();
    let mut next_place = 10;
    let mut counts = [0; 4];
    for step in 0..steps {
        let context = format!("seed {seed} step {step}");
        match random.below(20) {
            0 => readers.push((all.snapshot(Timestamp(merged), Intent::Read), merged)),
            1 if !readers.is_empty() => drop(readers.swap_remove(random.below(readers.len()))),
            2 => merged = all.published().0,
            3..6 => {
                let loose = topology.clean(&all.snapshots().needed(Timestamp(merged)));
                counts[3] += loose.gone.len();
                free.extend(loose.gone);
                topology.give_back(loose.records);
            }
            _ => {}
        }
        let kind = random.below(10);
        if kind == 0 && running.len() < 4 {
            let main = (Timestamp(merged), Intent::Write);
            let (open, kept) = all.begin(Isolation::Snapshot, main, CancelToken::default(), None);
            let sees = history[&kept.read().0].clone();
            let (written, wrote) = (Vec::new(), Vec::new());
            running.push(Running { open, kept, merged, statement: 1, written, sees, wrote });
            continue;
        }
        if running.is_empty() {
            continue;
        }
        let which = random.below(running.len());
        if kind == 1 {
            let done = running.swap_remove(which);
            let writer = done.writer(&all);
            let stamp = |stamp: Stamp| topology.stamp(&writer, &done.written, stamp);
            if random.below(3) == 0 {
                all.undo(&done.open, stamp);
                counts[1] += 1;
                continue;
            }
            let changes = Changes::default();
            let at = all.commit::<()>(done.open, changes, ReadSet::default, |_| Ok(()), stamp).unwrap();
            let mut edges = history[&(at.0 - 1)].clone();
            for (edge, came) in done.wrote {
                if came {
                    edges.insert(edge.edge, edge)
                } else {
                    edges.remove(&edge.edge)
                };
            }
            history.insert(at.0, edges);
            counts[0] += 1;
            continue;
        }
        let own = &mut running[which];
        own.statement += 1;
        let writer = own.writer(&all);
        let main = &history[&own.merged];
        if kind < 6 || own.sees.is_empty() {
            // Several between the same nodes, as a rule.
            let mut edge = draw(&mut random, next_place);
            let mut batch = Vec::new();
            for _ in 0..=random.below(3) {
                edge.edge = EdgeId::new(edge.edge.table(), next_place);
                // Some begin at the same ordinal.
                next_place += [1, 1 << 23][random.below(2)];
                if let Some(at) = free.iter().position(|edge_id| edge_id.table() == edge.edge.table()) {
                    edge.edge = free.swap_remove(at);
                }
                batch.push(edge);
            }
            if random.below(2) == 0 {
                // Among others, whose keys go in with theirs.
                for _ in 0..random.below(20) {
                    batch.push(draw(&mut random, next_place));
                    next_place += 1;
                }
                topology.insert_all(&writer, &batch, &mut own.written);
            } else {
                batch.iter().for_each(|edge| topology.insert(&writer, *edge, &mut own.written));
            }
            for edge in batch {
                own.sees.insert(edge.edge, edge);
                own.wrote.push((edge, true));
            }
        } else {
            let first = random.below(own.sees.len());
            let going = own.sees.values().skip(first).take([1, 5][random.below(2)]);
            let mut going: Vec<(EdgeEnds, bool)> =
                going.map(|edge| (*edge, main.contains_key(&edge.edge))).collect();
            going.sort_unstable_by_key(|(edge, _)| edge.source);
            let mut gone = Vec::new();
            match topology.delete_all(&writer, &going, &mut own.written, &mut gone) {
                Ok(()) => {
                    assert_eq!(gone.len(), going.len(), "{context}");
                    for edge in gone {
                        own.sees.remove(&edge.edge);
                        own.wrote.push((edge, false));
                    }
                }
                Err(error) => {
                    let conflict =
                        matches!(error, WriteError::Conflict(Conflict::Open(_) | Conflict::Newer(_)));
                    assert!(conflict, "{context}");
                    let own = running.swap_remove(which);
                    all.undo(&own.open, |stamp| topology.stamp(&writer, &own.written, stamp));
                    counts[2] += 1;
                }
            }
        }
        for own in &running {
            let mut reading = own.writer(&all).reading;
            reading.view.statement += 1;
            check(&topology, &reading, &history[&own.merged], &own.sees, &context);
        }
        let now = (all.published(), merged);
        for (read, merged) in readers.iter().map(|(kept, merged)| (kept.read(), *merged)).chain([now]) {
            let view = View::at(read).over(Timestamp(merged));
            let reading = Reading { view, transactions: &all };
            check(&topology, &reading, &history[&merged], &history[&read.0], &context);
        }
    }
    counts
}

#[test]
fn every_view_sees_its_edges() {
    let mut met = [0; 4];
    for seed in 0..60 {
        let counts = program(seed, 100);
        met.iter_mut().zip(counts).for_each(|(a, b)| *a += b);
    }
    assert!(met.iter().all(|n| *n > 20), "committed, undone, conflicts, cleaned: {met:?}");
}

#[test]
fn a_hundred_thousand_edges_between_two_nodes() {
    let (all, topology) = (Transactions::default(), Topology::default());
    let (open, kept) =
        all.begin(Isolation::Snapshot, (Timestamp(0), Intent::Write), CancelToken::default(), None);
    let writer = writer(&open, &kept, 1, &all);
    let mut written = WrittenEdges::new();
    for place in 0..100_000 {
        topology.insert(&writer, ends(0, place, 3, (0, 4)), &mut written);
    }
    let reading = Reading { view: View { statement: 2, ..writer.reading.view }, transactions: &all };
    for (row, direction) in [(3, Direction::Forward), (4, Direction::Backward)] {
        let mut found = Vec::new();
        topology.changes(NodeId::new(TableId(0), row), EdgeTableId(0), direction, &reading, &mut found);
        assert_eq!(found.len(), 100_000);
        assert!(found.windows(2).all(|pair| pair[0].edge < pair[1].edge));
    }
    let bytes = topology.bytes() / 100_000;
    assert!(bytes <= 130, "{bytes} bytes an edge");
    assert!(topology.is_clean(TableId(0), EdgeTableId(0), Direction::Forward, 1_024, 1 << 30));
    assert!(!topology.is_clean(TableId(0), EdgeTableId(0), Direction::Forward, 3, 1));
    assert!(topology.is_clean(TableId(0), EdgeTableId(0), Direction::Forward, 0, 3));
    all.undo(&open, |stamp| topology.stamp(&writer, &written, stamp));
}

/// Writers insert and delete edges, commit and undo; what a snapshot sees of lists that are read together is
/// what it sees of each, and what it saw before they began.
#[test]
fn lists_read_together_beside_writers_are_those_read_one_by_one() {
    const NODES: u64 = 300;
    let (rounds, edges) = if cfg!(miri) { (2, 300) } else { (150, 6_000) };
    let (all, topology) = (Transactions::default(), Topology::default());
    let begin =
        || all.begin(Isolation::Snapshot, (Timestamp(0), Intent::Write), CancelToken::default(), None);
    let draw = |random: &mut Random, place: u64| {
        // Few nodes have most edges: lists of several leaves, and of none.
        let row = |random: &mut Random| (random.below(18) * random.below(18)) as u64 % NODES;
        ends(0, place, row(random), (random.below(2) as u16, row(random)))
    };
    let (open, kept) = begin();
    let first = writer(&open, &kept, 1, &all);
    let (mut random, mut written) = (Random::new(3), WrittenEdges::new());
    let there: Vec<EdgeEnds> = (0..edges).map(|place| draw(&mut random, place)).collect();
    there.iter().for_each(|edge| topology.insert(&first, *edge, &mut written));
    let stamp = |stamp: Stamp| topology.stamp(&first, &written, stamp);
    all.commit::<()>(open, Changes::default(), ReadSet::default, |_| Ok(()), stamp).unwrap();
    let reader = all.snapshot(Timestamp(0), Intent::Read);
    let reading = Reading { view: View::at(reader.read()), transactions: &all };
    let list = |row: u64, direction: Direction| {
        let mut found = Vec::new();
        topology.changes(NodeId::new(TableId(0), row), EdgeTableId(0), direction, &reading, &mut found);
        found
    };
    let before: Vec<Vec<EdgeChange>> = (0..NODES).map(|row| list(row, Direction::Forward)).collect();
    assert_eq!(before.iter().map(Vec::len).sum::<usize>(), there.len());
    std::thread::scope(|scope| {
        let mut writers = Vec::new();
        for number in 0..2_u64 {
            let (topology, all, there, draw, begin) = (&topology, &all, &there, &draw, &begin);
            writers.push(scope.spawn(move || {
                let mut random = Random::new(10 + number);
                for round in 0..rounds {
                    let (open, kept) = begin();
                    let own = writer(&open, &kept, 1, all);
                    let mut written = WrittenEdges::new();
                    let first = edges + (round * 2 + number) * 100;
                    let new: Vec<EdgeEnds> =
                        (first..first + 100).map(|place| draw(&mut random, place)).collect();
                    if round % 2 == 0 {
                        topology.insert_all(&own, &new, &mut written);
                    } else {
                        new.iter().for_each(|edge| topology.insert(&own, *edge, &mut written));
                    }
                    for _ in 0..20 {
                        let edge = there[random.below(there.len())];
                        // Somebody else may have been faster.
                        let _ = topology.delete(&own, edge, false, &mut written);
                    }
                    let stamp = |stamp: Stamp| topology.stamp(&own, &written, stamp);
                    if random.below(3) == 0 {
                        all.undo(&open, stamp);
                    } else {
                        all.commit::<()>(open, Changes::default(), ReadSet::default, |_| Ok(()), stamp)
                            .unwrap();
                    }
                }
            }));
        }
        let (mut random, mut lists, mut turns) = (Random::new(7), ListChanges::default(), 0);
        while turns < 3 || !writers.iter().all(|writer| writer.is_finished()) {
            turns += 1;
            let rows: Vec<u64> = (0..40).map(|_| random.below(NODES as usize) as u64).collect();
            let (mut rest, most) = (&rows[..], [0, 50, usize::MAX][random.below(3)]);
            while !rest.is_empty() {
                let (of, table) = ((TableId(0), rest), EdgeTableId(0));
                topology.changes_of_each(of, table, Direction::Forward, &reading, most, &mut lists);
                assert!(!lists.is_empty());
                for (at, row) in rest.iter().take(lists.len()).enumerate() {
                    assert_eq!(lists.of(at), before[*row as usize], "row {row}");
                }
                rest = &rest[lists.len()..];
            }
            let row = random.below(NODES as usize) as u64;
            let of = (TableId(0), &[row, row][..]);
            topology.changes_of_each(of, EdgeTableId(0), Direction::Backward, &reading, most, &mut lists);
            assert_eq!(lists.of(0), list(row, Direction::Backward));
        }
    });
}

/// Two threads, again and again: one inserts an edge at a node, the other deletes the node. Not both commit.
#[test]
fn an_edge_and_the_deletion_of_its_end_never_both_commit() {
    let (all, topology, nodes) =
        (Transactions::default(), Topology::default(), NodeDelta::new(0, Vec::new()));
    let begin =
        || all.begin(Isolation::ReadCommitted, (Timestamp(0), Intent::Write), CancelToken::default(), None);
    let mut both = [0; 2];
    for round in 0..600_u64 {
        let (open, kept) = begin();
        let maker = writer(&open, &kept, 1, &all);
        let (mut rows, mut written) = (Vec::new(), Written::new());
        nodes.insert(&maker, &[], &[0, 1], &mut rows, &mut written).unwrap();
        let stamp = |stamp: Stamp| nodes.stamp(&maker, &written, stamp);
        all.commit::<()>(open, Changes::default(), ReadSet::default, |_| Ok(()), stamp).unwrap();
        let edge = ends(0, round, rows[0], (0, rows[1]));
        let (start, over) = (std::sync::Barrier::new(2), std::sync::Barrier::new(2));
        // In some rounds one of the two is over before the other writes: then it commits.
        let (insert_first, delete_first) = (round % 8 == 0, round % 8 == 1);
        let [inserted, deleted] = std::thread::scope(|scope| {
            let insert = scope.spawn(|| {
                let (open, kept) = begin();
                let writer = writer(&open, &kept, 1, &all);
                let mut written = WrittenEdges::new();
                start.wait();
                if delete_first {
                    over.wait();
                }
                topology.insert(&writer, edge, &mut written);
                Topology::barrier();
                let ends = [edge.source, edge.target];
                let there = ends.iter().try_for_each(|node| nodes.hold(&writer, [node.row()]));
                let stamp = |stamp: Stamp| topology.stamp(&writer, &written, stamp);
                let done = match there {
                    Ok(()) => all
                        .commit::<()>(open, Changes::default(), ReadSet::default, |_| Ok(()), stamp)
                        .is_ok(),
                    Err(_) => {
                        all.undo(&open, stamp);
                        false
                    }
                };
                if insert_first {
                    over.wait();
                }
                done
            });
            let delete = scope.spawn(|| {
                let (open, kept) = begin();
                let writer = writer(&open, &kept, 1, &all);
                let mut written = Written::new();
                start.wait();
                if insert_first {
                    over.wait();
                }
                let node = if round % 2 == 0 { edge.source } else { edge.target };
                let gone = nodes.delete(&writer, &[node.row()], &mut written);
                Topology::barrier();
                let met = gone.is_err() || topology.meets(node.table(), &[node.row()], &writer).is_err();
                let stamp = |stamp: Stamp| nodes.stamp(&writer, &written, stamp);
                let done = if met {
                    all.undo(&open, stamp);
                    false
                } else {
                    all.commit::<()>(open, Changes::default(), ReadSet::default, |_| Ok(()), stamp).is_ok()
                };
                if delete_first {
                    over.wait();
                }
                done
            });
            [insert, delete].map(|thread| thread.join().unwrap())
        });
        assert!(!(inserted && deleted), "round {round}");
        both[0] += usize::from(inserted);
        both[1] += usize::from(deleted);
        // What has gone is not there for anybody who comes later.
        let reading = Reading { view: View::at(all.published()), transactions: &all };
        let gone = if round % 2 == 0 { rows[0] } else { rows[1] };
        assert_eq!(nodes.is_there(gone, &reading), Some(!deleted));
        let mut seen = Vec::new();
        topology.changes(edge.source, EdgeTableId(0), Direction::Forward, &reading, &mut seen);
        assert_eq!(seen.len(), usize::from(inserted));
        assert!(matches!(nodes.value(gone, 0, &reading), Some(Value::Null)));
    }
    assert!(both.iter().all(|n| *n >= 75), "inserted, deleted: {both:?}");
}

#[test]
fn properties_of_edges_are_seen_by_view() {
    let (all, edges) = (Transactions::default(), EdgeDelta::default());
    let begin =
        || all.begin(Isolation::Snapshot, (Timestamp(0), Intent::Write), CancelToken::default(), None);
    let int = |values: &[i64]| {
        let values: Vec<Value> = values.iter().map(|v| Value::Int(*v)).collect();
        let at = Positions::all(values.len());
        Vector::of_values(values, at)
    };
    let ids: Vec<EdgeId> = (0..3_000).map(|place| EdgeId::new(EdgeTableId(1), place * 7)).collect();
    let seen = |edge: usize, column, reading: &Reading<'_>| edges.value(ids[edge], column, reading);
    let (open, kept) = begin();
    let first = writer(&open, &kept, 1, &all);
    let mut written = Written::new();
    let weights = int(&(0..3_000).collect::<Vec<i64>>());
    let positions: Vec<u32> = (0..3_000).collect();
    edges.set(&first, &[(2, &weights)], &positions, &ids, &mut written).unwrap();
    let before = Reading { view: View::at(all.published()), transactions: &all };
    assert!(seen(5, 2, &before).is_none() && !edges.has_written(3));
    let stamp = |stamp: Stamp| edges.stamp(&first, &written, stamp);
    all.commit::<()>(open, Changes::default(), ReadSet::default, |_| Ok(()), stamp).unwrap();
    let after = Reading { view: View::at(all.published()), transactions: &all };
    assert!(matches!(seen(2_999, 2, &after), Some(Value::Int(2_999))));
    // Two that write one column of an edge meet; another column, or another edge, does not.
    let [(a, kept_a), (b, kept_b)] = [begin(), begin()];
    let (a_writes, b_writes) = (writer(&a, &kept_a, 1, &all), writer(&b, &kept_b, 1, &all));
    let (mut of_a, mut of_b) = (Written::new(), Written::new());
    let one = int(&[-1]);
    edges.set(&a_writes, &[(2, &one)], &[0], &ids[..1], &mut of_a).unwrap();
    edges.set(&b_writes, &[(3, &one)], &[0], &ids[..1], &mut of_b).unwrap();
    edges.set(&b_writes, &[(2, &one)], &[0], &ids[1..2], &mut of_b).unwrap();
    let met = edges.set(&b_writes, &[(2, &one)], &[0], &ids[..1], &mut of_b);
    assert!(matches!(met, Err(WriteError::Conflict(Conflict::Open(handle))) if handle == a.handle()));
    all.undo(&b, |stamp| edges.stamp(&b_writes, &of_b, stamp));
    let stamp = |stamp: Stamp| edges.stamp(&a_writes, &of_a, stamp);
    all.commit::<()>(a, Changes::default(), ReadSet::default, |_| Ok(()), stamp).unwrap();
    let last = Reading { view: View::at(all.published()), transactions: &all };
    assert!(
        matches!(seen(0, 2, &last), Some(Value::Int(-1)))
            && matches!(seen(0, 2, &after), Some(Value::Int(0)))
    );
    assert!(seen(0, 3, &last).is_none(), "undone");
    assert!(matches!(seen(1, 2, &last), Some(Value::Int(1))), "undone");
    assert!(edges.bytes() < 3_000 * 100, "{}", edges.bytes());
}
