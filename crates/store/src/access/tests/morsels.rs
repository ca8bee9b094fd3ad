//! Morsels: every row once, whoever asks; zones that cannot hold what is wanted left out.

use std::sync::Mutex;

use super::{A, B, made};
use crate::access::{Morsels, Prune};
use crate::{Reader, ZONE_ROWS};

const ROWS: u64 = 5000;

/// The ranges that are handed out: table, first row, length.
fn ranges(morsels: &Morsels, reader: &Reader<'_>, prune: &[Prune]) -> Vec<(u16, u64, usize)> {
    let next = || morsels.next(reader, prune).map(|(node, len)| (node.table().0, node.row(), len));
    std::iter::from_fn(next).collect()
}

#[test]
fn every_row_is_handed_out_once() {
    let graph = made(5, ROWS, 10);
    let reader = Reader::new(&graph.snapshot);
    for (asked, rows) in [(1, 1), (100, 128), (700, 1024), (1024, 1024), (1025, 2048), (9000, 9216)] {
        let morsels = Morsels::new(&graph.snapshot, &[A, B], asked);
        let all = ranges(&morsels, &reader, &[]);
        assert_eq!(all.len() as u64, morsels.count(), "{asked}");
        let mut expected = (0, 0);
        for (table, first, len) in all {
            if expected.1 == ROWS {
                expected = (expected.0 + 1, 0);
            }
            assert_eq!((table, first), expected, "{asked}");
            assert!(len as u64 == rows.min(ROWS - first), "{asked}: {len} rows from {first}");
            expected.1 += len as u64;
        }
        assert_eq!(expected, (1, ROWS), "{asked}");
        assert!(morsels.next(&reader, &[]).is_none() && morsels.next(&reader, &[]).is_none());
        morsels.reset();
        assert_eq!(ranges(&morsels, &reader, &[]).len() as u64, morsels.count());
    }
    assert_eq!(Morsels::new(&graph.snapshot, &[], 1024).count(), 0);
    assert_eq!(Morsels::new(&graph.snapshot, &[trimorph_base::TableId(9)], 1024).count(), 0);
}

#[test]
fn workers_share_them() {
    let graph = made(6, ROWS, 10);
    let morsels = Morsels::new(&graph.snapshot, &[A], 64);
    let all = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let own = ranges(&morsels, &Reader::new(&graph.snapshot), &[]);
                all.lock().unwrap().extend(own);
            });
        }
    });
    let mut all = all.into_inner().unwrap();
    all.sort_unstable();
    assert_eq!(all, ranges(&Morsels::new(&graph.snapshot, &[A], 64), &Reader::new(&graph.snapshot), &[]));
}

#[test]
fn zones_without_what_is_wanted_are_left_out() {
    let graph = made(7, ROWS, 10);
    let reader = Reader::new(&graph.snapshot);
    // Column 1 of A is `n`, the row. Before it is touched only what the whole segment has is known.
    let untouched = Morsels::new(&graph.snapshot, &[A], ZONE_ROWS);
    let outside = Prune { table: A, column: 1, low: 9000, high: 9999, nulls: false };
    assert!(ranges(&untouched, &reader, &[outside]).is_empty());
    reader.node_property(trimorph_base::NodeId::new(A, 0), "n");
    let prune = |table, low, high| Prune { table, column: 1, low, high, nulls: false };
    let zone = ZONE_ROWS as u64;
    for (prune, zones) in [
        (vec![], vec![0, 1, 2, 3, 4]),
        (vec![prune(A, 0, 0)], vec![0]),
        (vec![prune(A, 1023, 1024)], vec![0, 1]),
        (vec![prune(A, 2000, 2100)], vec![1, 2]),
        (vec![prune(A, 4999, i64::MAX)], vec![4]),
        (vec![prune(A, i64::MIN, -1)], vec![]),
        (vec![prune(A, 5000, i64::MAX)], vec![]),
        (vec![prune(A, 1, 0)], vec![0]),
        (vec![prune(A, 0, 3000), prune(A, 2000, 9000)], vec![1, 2]),
        // What is said of another table says nothing of this one.
        (vec![prune(B, 0, 0)], vec![0, 1, 2, 3, 4]),
    ] {
        for rows in [ZONE_ROWS, 256] {
            let morsels = Morsels::new(&graph.snapshot, &[A], rows);
            let found = ranges(&morsels, &reader, &prune);
            let mut seen: Vec<u64> = found.iter().map(|(_, first, _)| first / zone).collect();
            seen.dedup();
            assert_eq!(seen, zones, "{prune:?}");
            let expected: u64 = zones.iter().map(|z| zone.min(ROWS - z * zone)).sum();
            assert_eq!(found.iter().map(|(_, _, len)| *len as u64).sum::<u64>(), expected, "{prune:?}");
        }
    }
    // A larger morsel is left out only if all its zones are.
    let morsels = Morsels::new(&graph.snapshot, &[A], 2 * ZONE_ROWS);
    assert_eq!(ranges(&morsels, &reader, &[prune(A, 2000, 2000)]), [(0, 0, 2048)]);
}

/// The largest first, or the least; every row once; what has no zone maps first of all.
#[test]
fn the_best_morsels_come_first() {
    let graph = made(7, ROWS, 10);
    let reader = Reader::new(&graph.snapshot);
    reader.node_property(trimorph_base::NodeId::new(A, 0), "n");
    for largest in [false, true] {
        let morsels = Morsels::new(&graph.snapshot, &[A], ZONE_ROWS);
        morsels.best_first(&reader, &[(A, 1)], largest);
        let found: Vec<u64> = ranges(&morsels, &reader, &[]).iter().map(|(_, first, _)| *first).collect();
        let mut expected: Vec<u64> = (0..ROWS).step_by(ZONE_ROWS).collect();
        if largest {
            expected.reverse();
        }
        assert_eq!(found, expected, "largest: {largest}");
        // Another order is not taken on.
        morsels.reset();
        morsels.best_first(&reader, &[(A, 1)], !largest);
        assert_eq!(ranges(&morsels, &reader, &[])[0].1, expected[0]);
    }
    let morsels = Morsels::new(&graph.snapshot, &[A, B], ZONE_ROWS);
    morsels.best_first(&reader, &[(A, 1)], true);
    let all = ranges(&morsels, &reader, &[]);
    assert_eq!(all[0].0, B.0, "nothing is known of B");
    assert_eq!(all.len() as u64, morsels.count());
}
