//! What a change costs; prints, and asserts nothing:
//! `cargo test --release -p trimorph-delta -- --ignored --nocapture speed`.

use std::time::{Duration, Instant};

use trimorph_base::{CancelToken, EdgeId, EdgeTableId, NodeId, Random, TableId};
use trimorph_mvcc::{Changes, Intent, Isolation, ReadSet, Reading, Stamp, Timestamp, Transactions, View};
use trimorph_types::Value;
use trimorph_vector::{Positions, Vector};

use crate::topology::FAN_OUT;
use crate::tree::{Arena, Entry, Tree};
use crate::{Direction, EdgeEnds, ListChanges, NodeDelta, Topology, Writer, Written, WrittenEdges};

/// When something began: by the clock, and by what the thread had taken of a core, where the system tells.
#[derive(Clone, Copy)]
struct Started(Instant, Option<Duration>);

/// What this thread has taken of a core.
fn taken() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

impl Started {
    fn now() -> Self {
        Self(Instant::now(), taken())
    }

    fn elapsed(&self) -> Duration {
        let taken = taken().zip(self.1).map(|(now, before)| now - before);
        taken.unwrap_or_else(|| self.0.elapsed())
    }
}

fn print(what: &str, count: usize, started: Started) {
    println!("{what:50} {:8.1} ns", started.elapsed().as_nanos() as f64 / count as f64);
}

#[test]
#[ignore = "a measurement"]
fn speed() {
    let all = Transactions::default();
    let begin =
        || all.begin(Isolation::Snapshot, (Timestamp(0), Intent::Write), CancelToken::default(), None);
    let (open, kept) = begin();
    let view = View { own: Some(open.handle()), statement: 1, ..View::at(kept.read()) };
    let reading = Reading { view, transactions: &all };
    let writer = Writer { reading, statement: 1 };
    let own = Reading { view: View { statement: 2, ..view }, ..reading };

    const NODES: usize = 1 << 18;
    let nodes = NodeDelta::new(0, Vec::new());
    let (mut rows, mut written) = (Vec::new(), Written::new());
    let positions: Vec<u32> = (0..NODES as u32).collect();
    let of = |make: &dyn Fn(usize) -> Value| {
        Vector::of_values((0..NODES).map(make).collect(), Positions::all(NODES))
    };
    let (ids, names) = (of(&|i| Value::Int(i as i64)), of(&|i| Value::string(format!("name {}", i % 999))));
    let started = Started::now();
    nodes.insert(&writer, &[(0, &ids), (1, &names)], &positions, &mut rows, &mut written).unwrap();
    print("insert a node of two properties, in a batch", NODES, started);
    let started = Started::now();
    nodes.set(&writer, &[(0, &ids)], &positions, &rows, &mut written).unwrap();
    print("set a property, in a batch", NODES, started);
    println!("{:50} {:8.1}", "bytes a node with one update", nodes.bytes() as f64 / NODES as f64);
    let started = Started::now();
    for (position, row) in positions.iter().zip(&rows) {
        nodes.set(&writer, &[(0, &ids)], &[*position], &[*row], &mut written).unwrap();
    }
    print("set a property, one by one", NODES, started);
    let mut random = Random::new(1);
    let started = Started::now();
    let found = (0..NODES).filter(|_| nodes.value(random.below(NODES) as u64, 1, &own).is_some()).count();
    print("read a text behind two updates, at random", found, started);

    // Rows that came and were not written to since.
    const CHUNK: usize = 1 << 11;
    let fresh = NodeDelta::new(0, Vec::new());
    let (mut fresh_rows, mut fresh_written) = (Vec::new(), Written::new());
    let new = [(0, &ids), (1, &names)];
    fresh.insert(&writer, &new, &positions, &mut fresh_rows, &mut fresh_written).unwrap();
    for (column, what) in [(0, "integer"), (1, "text")] {
        let started = Started::now();
        let chunks = (0..NODES).step_by(CHUNK).map(|first| (first..first + CHUNK).map(|row| row as u64));
        let versions = |rows| fresh.written_rows(rows, column).1;
        let found: usize =
            chunks.clone().map(|rows| fresh.values_of(&versions(rows), column, &own).len()).sum();
        print(&format!("scan values, one by one: {what}"), found, started);
        let started = Started::now();
        let vectors =
            chunks.filter(|rows| fresh.vector_of(&versions(rows.clone()), column, &own).is_some()).count();
        print(&format!("scan values as vectors: {what}"), vectors * CHUNK, started);
    }
    let started = Started::now();
    let firsts = (0..NODES as u64).step_by(CHUNK);
    let there: usize = firsts.clone().map(|first| fresh.came_or_went(first, CHUNK, &own).len()).sum();
    print("scan which rows are there, one by one", there, started);
    let started = Started::now();
    let there = firsts.filter(|first| fresh.have_all_come(*first, CHUNK, &own)).count();
    print("scan whether all rows are there", there * CHUNK, started);

    const EDGES: usize = 2 << 20;
    let topology = Topology::default();
    // Degrees as of a social network: few have many.
    let mut end = || NodeId::new(TableId(0), (random.below(NODES) & random.below(NODES)) as u64);
    let drawn: Vec<EdgeEnds> = (0..EDGES as u64)
        .map(|place| EdgeEnds { edge: EdgeId::new(EdgeTableId(0), place), source: end(), target: end() })
        .collect();
    let mut edges = WrittenEdges::new();
    let started = Started::now();
    drawn.iter().for_each(|edge| topology.insert(&writer, *edge, &mut edges));
    print("insert an edge, both directions, at random", EDGES, started);
    println!("{:50} {:8.1}", "bytes an edge, at random", topology.bytes() as f64 / EDGES as f64);
    for batch in [1 << 10, 100_000, EDGES] {
        let (topology, mut edges) = (Topology::default(), WrittenEdges::new());
        let started = Started::now();
        drawn.chunks(batch).for_each(|batch| topology.insert_all(&writer, batch, &mut edges));
        print(&format!("the same {batch} at a time"), EDGES, started);
    }
    let mut sorted = drawn.clone();
    sorted.sort_unstable_by_key(|ends| (ends.source, ends.target));
    let (ordered, mut edges_in_order) = (Topology::default(), WrittenEdges::new());
    let started = Started::now();
    sorted.chunks(100_000).for_each(|batch| ordered.insert_all(&writer, batch, &mut edges_in_order));
    print("in the order of sources, 100000 at a time", EDGES, started);
    println!("{:50} {:8.1}", "bytes an edge, in the order of sources", ordered.bytes() as f64 / EDGES as f64);
    let (mut out, mut total) = (Vec::new(), 0);
    let started = Started::now();
    for edge in drawn.iter().take(100_000) {
        out.clear();
        topology.changes(edge.source, EdgeTableId(0), Direction::Forward, &own, &mut out);
        total += out.len();
    }
    print("read a list, at random", 100_000, started);
    print("read an edge of a list", total, started);
    let started = Started::now();
    let stamp = |stamp: Stamp| {
        nodes.stamp(&writer, &written, stamp);
        topology.stamp(&writer, &edges, stamp);
    };
    all.commit::<()>(open, Changes::default(), ReadSet::default, |_| Ok(()), stamp).unwrap();
    print("commit: a version or an edge stamped", 3 * NODES + EDGES, started);
    drop(kept);
    let started = Started::now();
    let loose = topology.clean(&all.snapshots().needed(all.published()));
    print("clean an edge that is merged", loose.records.len(), started);
    let keys: Vec<Entry> = (drawn.iter().zip(0..))
        .map(|(ends, number)| ((u128::from(ends.source.0) << 64) | u128::from(ends.edge.0), number))
        .collect();
    for together in [false, true] {
        let (arena, mut left) = (Arena::<FAN_OUT>::default(), Vec::new());
        let tree = Tree::new(&arena);
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        tree.insert_all(&sorted, &mut left);
        let started = Started::now();
        if together {
            for some in keys.chunks(1 << 16) {
                let mut some = some.to_vec();
                some.sort_unstable();
                tree.remove_all(&some, &mut left);
            }
        } else {
            keys.iter().for_each(|(key, number)| _ = tree.remove_if(*key, |there| there == *number));
        }
        assert!(left.is_empty());
        print(
            ["take a key out", "take 65,536 keys out, sorted first"][usize::from(together)],
            EDGES,
            started,
        );
    }

    const COMMITS: usize = 200_000;
    let started = Started::now();
    for at in 0..COMMITS {
        let (open, kept) = begin();
        let view = View { own: Some(open.handle()), statement: 1, ..View::at(kept.read()) };
        let reading = Reading { view, transactions: &all };
        let writer = Writer { reading, statement: 1 };
        let mut written = Written::new();
        nodes.set(&writer, &[(0, &ids)], &[0], &[at as u64 % 1_000], &mut written).unwrap();
        let mut changes = Changes::default();
        changes.nodes_of(TableId(0)).columns.or_default(0).insert(at as u64 % 1_000);
        let stamp = |stamp: Stamp| nodes.stamp(&writer, &written, stamp);
        all.commit::<()>(open, changes, ReadSet::default, |_| Ok(()), stamp).unwrap();
    }
    print("a transaction that sets a property", COMMITS, started);
}

/// What lists at random take, one by one and looked ahead for, and a plain array of the same edges: of sets
/// that come once, and of one that is in the cache.
#[test]
#[ignore = "a measurement"]
fn speed_of_lists() {
    const SCALE: u32 = 18;
    const EDGES: u64 = 7_600_000;
    let all = Transactions::default();
    let (open, kept) =
        all.begin(Isolation::Snapshot, (Timestamp(0), Intent::Write), CancelToken::default(), None);
    let view = View { own: Some(open.handle()), statement: 1, ..View::at(kept.read()) };
    let writer = Writer { reading: Reading { view, transactions: &all }, statement: 1 };
    let own = Reading { view: View { statement: 2, ..view }, ..writer.reading };
    let mut random = Random::new(1);
    // A Graph500 graph, whose numbers are mixed.
    let mut end = |mixed: &[u64]| {
        let (mut source, mut target) = (0, 0);
        for _ in 0..SCALE {
            let (down, right) = match random.below(100) {
                0..57 => (0, 0),
                57..76 => (0, 1),
                76..95 => (1, 0),
                _ => (1, 1),
            };
            (source, target) = (source << 1 | down, target << 1 | right);
        }
        (mixed[source], mixed[target])
    };
    let mut mixed: Vec<u64> = (0..1 << SCALE).collect();
    let mut shuffle = Random::new(2);
    (1..mixed.len()).for_each(|i| mixed.swap(i, shuffle.below(i + 1)));
    let drawn: Vec<EdgeEnds> = (0..EDGES)
        .map(|place| {
            let (source, target) = end(&mixed);
            let node = |row| NodeId::new(TableId(0), row);
            let edge = EdgeId::new(EdgeTableId(0), place);
            EdgeEnds { edge, source: node(source), target: node(target) }
        })
        .collect();
    let (topology, mut edges) = (Topology::default(), WrittenEdges::new());
    let started = Started::now();
    drawn.chunks(100_000).for_each(|batch| topology.insert_all(&writer, batch, &mut edges));
    print("insert an edge of an RMAT graph, 100000 at a time", drawn.len(), started);
    let mut sorted: Vec<(u64, u64)> = drawn.iter().map(|edge| (edge.source.0, edge.target.0)).collect();
    sorted.sort_unstable();
    let mut starts = vec![0; (1 << SCALE) + 1];
    sorted.iter().for_each(|(source, _)| starts[*source as usize + 1] += 1);
    (1..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
    let targets: Vec<u64> = sorted.iter().map(|(_, target)| *target).collect();
    let sources: Vec<u64> =
        (0..1 << SCALE).filter(|r| starts[*r as usize] < starts[*r as usize + 1]).collect();
    let sets: Vec<Vec<u64>> =
        (0..200).map(|_| (0..300).map(|_| sources[random.below(sources.len())]).collect()).collect();
    let of_all =
        |what: &str, sets: &[Vec<u64>], times: usize, read: &mut dyn FnMut(&[u64]) -> (usize, u64)| {
            let (mut count, mut sum) = (0, 0);
            let started = Started::now();
            for _ in 0..times {
                for set in sets {
                    let read = read(std::hint::black_box(set));
                    (count, sum) = (count + read.0, sum ^ read.1);
                }
            }
            let lists = sets.len() * 300 * times;
            print(&format!("{what}: a list, {:.0} edges", count as f64 / lists as f64), lists, started);
            print(&format!("{what}: an edge"), count, started);
            sum
        };
    let mut out = Vec::new();
    let mut one_by_one = |set: &[u64]| {
        let (mut count, mut sum) = (0, 0);
        for row in set {
            out.clear();
            let node = NodeId::new(TableId(0), *row);
            topology.changes(node, EdgeTableId(0), Direction::Forward, &own, &mut out);
            count += out.len();
            out.iter().for_each(|change| sum ^= change.neighbour.0);
        }
        (count, sum)
    };
    let mut found = ListChanges::default();
    let mut together = |set: &[u64]| {
        let (mut count, mut sum, mut rest) = (0, 0, set);
        while !rest.is_empty() {
            let of = (TableId(0), rest);
            let (table, direction) = (EdgeTableId(0), Direction::Forward);
            topology.changes_of_each(of, table, direction, &own, 1 << 12, &mut found);
            for at in 0..found.len() {
                count += found.of(at).len();
                found.of(at).iter().for_each(|change| sum ^= change.neighbour.0);
            }
            rest = &rest[found.len()..];
        }
        (count, sum)
    };
    let mut plain = |set: &[u64]| {
        let (mut count, mut sum) = (0, 0);
        for row in set {
            let list = &targets[starts[*row as usize]..starts[*row as usize + 1]];
            count += list.len();
            list.iter().for_each(|target| sum ^= target);
        }
        (count, sum)
    };
    for (name, sets, times) in [("new", &sets[..], 1), ("again", &sets[..1], 1000)] {
        let wanted = of_all(&format!("plain, {name}"), sets, times, &mut plain);
        assert_eq!(of_all(&format!("one by one, {name}"), sets, times, &mut one_by_one), wanted);
        assert_eq!(of_all(&format!("together, {name}"), sets, times, &mut together), wanted);
    }
}
