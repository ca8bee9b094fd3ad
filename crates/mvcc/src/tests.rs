//! Visibility, conflicts, the order of commits, row sets against a plain set.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use trimorph_base::{CancelToken, EdgeTableId, Random, TableId};

use crate::*;

const T: TableId = TableId(3);

fn begin(all: &Transactions, level: Isolation) -> (Open, Registered) {
    all.begin(level, (Timestamp(0), Intent::Write), CancelToken::default(), None)
}

fn commit(
    all: &Transactions,
    open: Open,
    changes: Changes,
    reads: &ReadSet,
    made: &[&AtomicStamp],
) -> Result<Timestamp, Failed<Infallible>> {
    all.commit(
        open,
        changes,
        || reads.clone(),
        |_| Ok(()),
        |last| made.iter().for_each(|stamp| stamp.store(last)),
    )
}

fn wrote(row: u64) -> Changes {
    let mut changes = Changes::default();
    changes.nodes_of(T).columns.or_default(0).insert(row);
    changes
}

fn read(row: u64) -> ReadSet {
    let mut reads = ReadSet::default();
    reads.nodes_of(T).columns.or_default(0).insert(row);
    reads
}

#[test]
fn a_version_is_seen_by_its_maker_and_after_its_commit() {
    let all = Transactions::default();
    let (open, _kept) = begin(&all, Isolation::Snapshot);
    let version = AtomicStamp::new(open.handle().into());
    let before = View::at(all.published());
    let own = |statement| View { own: Some(open.handle()), statement, ..before };
    assert!(!before.sees(&version, 5, &all));
    assert!(!own(5).sees(&version, 5, &all), "what a statement makes it does not read");
    assert!(own(6).sees(&version, 5, &all));
    let at = commit(&all, open, wrote(1), &ReadSet::default(), &[&version]).unwrap();
    assert!(!before.sees(&version, 5, &all) && View::at(at).sees(&version, 5, &all));
    assert_eq!(all.published(), at);
    assert!(View::at(Timestamp(0)).sees(&AtomicStamp::new(Stamp::ALWAYS), 0, &all));
}

#[test]
fn what_is_committed_and_not_yet_stamped_is_seen_by_the_table() {
    let all = Transactions::default();
    let (open, _kept) = begin(&all, Isolation::Snapshot);
    let version = AtomicStamp::new(open.handle().into());
    let seen = |at| View::at(at).sees(&version, 0, &all);
    let stamped = |last: Stamp| {
        assert!(version.load().handle().is_some(), "not stamped yet");
        assert!(seen(last.timestamp().unwrap()) && !seen(Timestamp(0)));
        version.store(last);
    };
    let at = all.commit::<Infallible>(open, wrote(1), ReadSet::default, |_| Ok(()), stamped).unwrap();
    assert!(seen(at) && !seen(Timestamp(at.0 - 1)));
}

#[test]
fn what_is_undone_is_seen_by_nobody() {
    let all = Transactions::default();
    let (open, _kept) = begin(&all, Isolation::Serializable);
    let version = AtomicStamp::new(open.handle().into());
    let own = View { own: Some(open.handle()), statement: 9, ..View::at(all.published()) };
    all.undo(&open, |last| {
        assert!(!View::at(Timestamp(9)).sees(&version, 0, &all), "undone in the table, not yet stamped");
        version.store(last);
    });
    assert!(!own.sees(&version, 0, &all) && !View::at(Timestamp(u64::MAX / 4)).sees(&version, 0, &all));
    assert_eq!(own.may_replace(&version, &all), Ok(false));
    assert!(all.list().is_empty());
}

#[test]
fn the_first_updater_wins() {
    let all = Transactions::default();
    let (first, _a) = begin(&all, Isolation::Snapshot);
    let (second, _b) = begin(&all, Isolation::Snapshot);
    let version = AtomicStamp::new(first.handle().into());
    let view = |open: &Open| View {
        read: open.read(),
        own: Some(open.handle()),
        statement: 1,
        merged: Timestamp(0),
        committed: None,
    };
    let of_second = view(&second);
    let ask = |view: View| view.may_replace(&version, &all);
    assert_eq!(ask(view(&first)), Ok(true));
    assert_eq!(ask(of_second), Err(Conflict::Open(first.handle())));
    let at = commit(&all, first, wrote(1), &ReadSet::default(), &[&version]).unwrap();
    assert_eq!(ask(of_second), Err(Conflict::Newer(at)));
    assert_eq!(ask(View::at(all.published())), Ok(true));
    all.undo(&second, |_| ());
}

#[test]
fn who_read_what_was_written_since_does_not_commit() {
    for (level, lost) in [(Isolation::Serializable, true), (Isolation::Snapshot, false)] {
        let all = Transactions::default();
        let (reader, _a) = begin(&all, level);
        let (writer, _b) = begin(&all, level);
        let at = commit(&all, writer, wrote(7), &ReadSet::default(), &[]).unwrap();
        let version = AtomicStamp::new(reader.handle().into());
        let result = commit(&all, reader, wrote(8), &read(7), &[&version]);
        if lost {
            let overlap = Overlap::NodeColumn(T, 0);
            assert_eq!(result, Err(Failed::Conflict(Conflict::Read(overlap))));
            assert_eq!(version.load(), Stamp::NEVER);
        } else {
            assert!(result.is_ok());
        }
        assert_eq!(all.published(), Timestamp(at.0 + 1), "a commit that fails leaves no gap");
        assert_eq!(all.commits_kept(), 0);
    }
}

#[test]
fn reads_of_other_rows_do_not_conflict() {
    let all = Transactions::default();
    let (reader, _a) = begin(&all, Isolation::Serializable);
    let (writer, _b) = begin(&all, Isolation::Serializable);
    commit(&all, writer, wrote(7), &read(8), &[]).unwrap();
    assert!(commit(&all, reader, wrote(8), &read(6), &[]).is_ok());
}

#[test]
fn a_commit_that_cannot_be_logged_is_undone() {
    let all = Transactions::default();
    let (open, _kept) = begin(&all, Isolation::Snapshot);
    let version = AtomicStamp::new(open.handle().into());
    let result = all.commit(open, wrote(1), ReadSet::default, |_| Err("no room"), |s| version.store(s));
    assert_eq!(result, Err(Failed::Log("no room")));
    assert_eq!(version.load(), Stamp::NEVER);
    let (next, _kept) = begin(&all, Isolation::Snapshot);
    assert!(commit(&all, next, wrote(1), &ReadSet::default(), &[]).is_ok());
}

#[test]
fn removed_things_are_kept_until_who_was_inside_is_out() {
    let all = Transactions::default();
    let (kept, view) = (all.snapshot(Timestamp(0), Intent::Read), all.snapshot(Timestamp(0), Intent::Read));
    let inside = view.enter();
    let epoch = all.snapshots().retire();
    let later = kept.enter();
    assert!(!all.snapshots().is_past(epoch));
    drop(inside);
    assert!(all.snapshots().is_past(epoch), "who came in later does not count, nor who is registered");
    drop(later);
    let (open, own) = begin(&all, Isolation::Snapshot);
    let at = commit(&all, open, wrote(1), &ReadSet::default(), &[]).unwrap();
    let oldest = || all.snapshots().oldest(|| all.published());
    assert_eq!(oldest(), Timestamp(0));
    drop((kept, view, own));
    assert_eq!(oldest(), at);
}

/// What is kept for who may write, until he has lost the right.
#[test]
fn who_only_reads_does_not_keep_what_comes_later() {
    let all = Transactions::default();
    let commit_one = || {
        let (open, kept) = begin(&all, Isolation::Snapshot);
        let at = commit(&all, open, wrote(1), &ReadSet::default(), &[]).unwrap();
        drop(kept);
        at
    };
    let serializable = |intent| {
        let main = (Timestamp(0), intent);
        all.begin(Isolation::Serializable, main, CancelToken::default(), None)
    };
    let seen = commit_one();
    let reader = all.snapshot(Timestamp(0), Intent::Read);
    let (waiting, may_write) = serializable(Intent::MayWrite);
    let later = commit_one();
    let (writing, writes) = serializable(Intent::MayWrite);
    assert_eq!(writes.begin_to_write(), Ok(()));
    let last = commit_one();
    let needed = || {
        let needed = all.snapshots().needed(last);
        [seen, later, last].map(|at| needed.has(at.into()))
    };
    assert_eq!(needed(), [true; 3]);
    assert_eq!(all.snapshots().oldest_waiting(), None, "who writes needs as much");
    writes.end(Some(last));
    all.undo(&writing, |_| ());
    drop(writes);
    assert_eq!(needed(), [true; 3], "one may write");
    assert!(all.commits_kept() > 0, "and may be asked against the others");
    let oldest = all.snapshots().oldest_waiting();
    assert_eq!(oldest, Some(seen));
    all.cut(Timestamp(seen.0 + 1));
    assert_eq!(all.snapshots().oldest_waiting(), None);
    assert_eq!(needed(), [true, false, false], "both see the first");
    assert_eq!(all.commits_kept(), 0);
    assert_eq!(may_write.begin_to_write(), Err(TooOld));
    assert_eq!(reader.begin_to_write(), Err(TooOld));
    all.undo(&waiting, |_| ());
    drop((may_write, reader));
    assert_eq!(needed(), [false; 3]);
    assert!(all.snapshots().needed(last).is_newest_only());
}

/// Who only reads keeps nothing of what others change, whatever his level; who may write does.
#[test]
fn changes_are_kept_for_who_may_write_alone() {
    let all = Transactions::default();
    let serializable =
        |intent| all.begin(Isolation::Serializable, (Timestamp(0), intent), CancelToken::default(), None);
    let commit_one = || {
        let (open, _kept) = begin(&all, Isolation::Snapshot);
        commit(&all, open, wrote(1), &ReadSet::default(), &[]).unwrap();
    };
    let (reads, _reads) = serializable(Intent::Read);
    commit_one();
    assert_eq!(all.commits_kept(), 0);
    let (reads_too, _reads_too) = serializable(Intent::Read);
    let (writes, _writes) = serializable(Intent::MayWrite);
    // Both see the same: the end of one is not the other's.
    all.undo(&reads_too, |_| ());
    commit_one();
    assert_eq!(all.commits_kept(), 1);
    all.undo(&writes, |_| ());
    assert_eq!(all.commits_kept(), 0);
    all.undo(&reads, |_| ());
}

/// Who has results of a transaction sees after its commit what he saw before: not what others committed
/// meanwhile, nor what later statements wrote.
#[test]
fn a_view_stays_as_it_is_when_its_transaction_commits() {
    let all = Transactions::default();
    let (open, kept) = begin(&all, Isolation::Snapshot);
    let stamps: [AtomicStamp; 2] = std::array::from_fn(|_| AtomicStamp::new(open.handle().into()));
    let (other, _other) = begin(&all, Isolation::Snapshot);
    let others = AtomicStamp::new(other.handle().into());
    commit(&all, other, wrote(1), &ReadSet::default(), &[&others]).unwrap();
    let view = View { own: Some(open.handle()), statement: 2, ..View::at(kept.read()) };
    let seen = |view: View| {
        let own = [view.sees(&stamps[0], 1, &all), view.sees(&stamps[1], 2, &all)];
        (own, view.sees(&others, 1, &all))
    };
    assert_eq!(seen(view), ([true, false], false));
    let at = commit(&all, open, wrote(2), &ReadSet::default(), &[&stamps[0], &stamps[1]]).unwrap();
    assert_eq!(seen(View { committed: Some(at), ..view }), ([true, false], false));
}

/// Commits of many threads: a reader never sees one part of a transaction and not the other, and nobody's
/// read timestamp passes a commit that is not stamped.
#[test]
fn commits_are_published_whole_and_in_order() {
    let all = Arc::new(Transactions::default());
    let versions: Arc<Vec<[AtomicStamp; 2]>> = Arc::new(
        (0..4_000).map(|_| [AtomicStamp::new(Stamp::NEVER), AtomicStamp::new(Stamp::NEVER)]).collect(),
    );
    let (made, running) = (AtomicU64::new(0), AtomicI64::new(3));
    std::thread::scope(|scope| {
        for worker in 0..3 {
            let (all, versions, made, running) = (&all, &versions, &made, &running);
            scope.spawn(move || {
                let mut random = Random::new(worker);
                loop {
                    let number = made.fetch_add(1, Ordering::Relaxed) as usize;
                    let Some(pair) = versions.get(number) else { break };
                    let (open, _kept) = begin(all, Isolation::Serializable);
                    pair.iter().for_each(|stamp| stamp.store(open.handle().into()));
                    let row = random.below(2_000) as u64;
                    // Some meet each other: these are undone.
                    let _ = commit(all, open, wrote(row), &read(row), &[&pair[0], &pair[1]]);
                }
                running.fetch_sub(1, Ordering::Release);
            });
        }
        scope.spawn(|| {
            let mut last = Timestamp(0);
            while running.load(Ordering::Acquire) > 0 {
                let kept = all.snapshot(Timestamp(0), Intent::Read);
                assert!(kept.read() >= last);
                last = kept.read();
                let view = View::at(last);
                let near = (made.load(Ordering::Relaxed) as usize).min(versions.len());
                for pair in &versions[near.saturating_sub(40)..near] {
                    let seen = view.sees(&pair[0], 0, &all);
                    assert_eq!(view.sees(&pair[1], 0, &all), seen);
                }
            }
        });
    });
    assert!(versions.iter().flatten().all(|stamp| stamp.load().handle().is_none()));
    let committed = versions.iter().filter(|pair| pair[0].load() != Stamp::NEVER).count();
    assert!(committed > 2_000 && all.published().0 == 4_000, "{committed} {:?}", all.published());
    assert!(all.list().is_empty() && all.commits_kept() == 0);
}

#[test]
fn who_has_the_turn_commits_first() {
    let all = Transactions::default();
    let turn = all.take_turn(Duration::from_secs(3_600));
    let (other, _a) = begin(&all, Isolation::Serializable);
    let (own, _b) = all.begin(
        Isolation::Serializable,
        (Timestamp(0), Intent::Write),
        CancelToken::default(),
        Some(&turn),
    );
    let barrier = Barrier::new(2);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            barrier.wait();
            commit(&all, other, wrote(1), &ReadSet::default(), &[])
        });
        barrier.wait();
        assert_eq!(commit(&all, own, wrote(1), &read(1), &[]), Ok(Timestamp(1)));
        drop(turn);
        assert_eq!(waiting.join().unwrap(), Ok(Timestamp(2)));
    });
}

/// Threads that all write the same meet each other only while nobody has the turn: who has it finds that
/// those who wait for its end have written nothing.
#[test]
fn who_takes_the_turn_meets_nobody_who_waits_for_its_end() {
    const ROUNDS: usize = 200;
    let (all, written) = (Transactions::default(), AtomicStamp::new(Stamp::from(Timestamp(0))));
    let met_under_turn = AtomicUsize::new(0);
    // Puts a version where the last one is seen, as a statement does; whether it committed.
    let try_once = |turn: Option<&Turn<'_>>| {
        let (open, kept) =
            all.begin(Isolation::Snapshot, (Timestamp(0), Intent::Write), CancelToken::default(), turn);
        let before = written.load();
        let sees = before.is_at_most(kept.read());
        if !sees || !written.replace(before, open.handle().into()) {
            all.undo(&open, |_| ());
            return false;
        }
        std::thread::yield_now();
        all.commit::<()>(open, Changes::default(), ReadSet::default, |_| Ok(()), |last| written.store(last))
            .is_ok()
    };
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    let beside = {
                        let _passing = all.pass();
                        try_once(None)
                    };
                    if !beside {
                        let turn = all.take_turn(Duration::from_secs(3_600));
                        met_under_turn.fetch_add(usize::from(!try_once(Some(&turn))), Ordering::Relaxed);
                    }
                }
            });
        }
    });
    // A thread that the system stops for longer than it is let pass may be met.
    let met = met_under_turn.into_inner();
    assert!(met <= ROUNDS / 10, "{met} of {}", 8 * ROUNDS);
}

/// A function of who has passed may begin another one that has to wait: the turn goes on without it.
#[test]
fn who_takes_the_turn_does_not_wait_for_those_who_wait_for_it() {
    let all = Transactions::default();
    let long = all.pass();
    let turn = all.take_turn(Duration::from_secs(3_600));
    std::thread::scope(|scope| {
        let inner = scope.spawn(|| drop(all.pass()));
        drop(turn);
        assert!(inner.join().is_ok());
    });
    drop(long);
    // One that is forgotten ends by itself.
    let turn = all.take_turn(Duration::from_millis(1));
    drop(all.pass());
    drop(turn);
    drop(all.pass());
}

#[test]
fn row_sets_never_say_less_than_was_put_in() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let mut sets = [RowSet::default(), RowSet::default()];
        let mut plain = [BTreeSet::new(), BTreeSet::new()];
        for (set, plain) in sets.iter_mut().zip(&mut plain) {
            let spread = [300, 5_000, 1 << 20, 1 << 44][random.below(4)];
            let most = [4, 400][random.below(2)];
            for _ in 0..random.below(most) {
                let first = random.below(spread) as u64;
                let len = if random.below(5) == 0 { random.below(3_000) as u64 } else { 1 };
                if len == 1 {
                    set.insert(first)
                } else {
                    set.insert_run(first, len)
                }
                plain.extend(first..first + len);
            }
            assert!(plain.iter().all(|row| set.may_contain(*row)), "seed {seed}");
            assert_eq!(set.is_empty(), plain.is_empty(), "seed {seed}");
            let is_wide = plain.iter().map(|row| row / 1_024).collect::<BTreeSet<u64>>().len() > 256;
            let exact = (0..6_000).all(|row| set.may_contain(row) == plain.contains(&row));
            assert!(exact || is_wide, "seed {seed}: rows of few zones are told apart");
            assert_eq!(matches!(set, RowSet::Zones(_)), is_wide, "seed {seed}");
        }
        let do_meet = plain[0].intersection(&plain[1]).next().is_some();
        let is_exact = sets.iter().all(|set| !matches!(set, RowSet::Zones(_)));
        if do_meet || is_exact {
            assert_eq!(sets[0].meets(&sets[1]), do_meet, "seed {seed}");
        }
        assert_eq!(sets[0].meets(&sets[1]), sets[1].meets(&sets[0]), "seed {seed}");
        let [mut one, other] = sets;
        one.merge(&other);
        assert!(plain.iter().flatten().all(|row| one.may_contain(*row)), "seed {seed}");
    }
    // Rows of other zones are told apart.
    let mut zones = RowSet::default();
    zones.insert_run(1_024, 1_024 * 1_024);
    assert!(!zones.may_contain(1_023) && zones.may_contain(1_024) && zones.may_contain(1 << 20));
    assert!(!zones.may_contain(1_025 << 10) && zones.bytes() < 1_000);
}

#[test]
fn reads_without_rows_are_reads() {
    let edge = EdgeTableId(9);
    let mut changes = Changes::default();
    changes.edge(edge, 5, (T, 6));
    let asked = |fill: &dyn Fn(&mut ReadSet)| {
        let mut reads = ReadSet::default();
        fill(&mut reads);
        let mut merged = ReadSet::default();
        merged.merge(reads);
        merged.overlap(&changes)
    };
    assert_eq!(asked(&|r| r.edges_of(edge).forward.insert(5)), Some(Overlap::Edges(edge)));
    assert_eq!(asked(&|r| r.edges_of(edge).forward.insert(6)), None);
    let backward =
        |table, row| move |r: &mut ReadSet| r.edges_of(edge).backward.or_default(table).insert(row);
    assert_eq!(asked(&backward(T, 6)), Some(Overlap::Edges(edge)));
    assert_eq!(asked(&backward(T, 5)), None);
    assert_eq!(asked(&backward(TableId(0), 6)), None);
    let mut changes = Changes::default();
    changes.keys.insert(2, vec![77]);
    for (reads, met) in [(Some(77), true), (Some(78), false), (None, true)] {
        let mut set = ReadSet::default();
        match reads {
            Some(hash) => set.key(2, hash),
            None => set.all_keys(2),
        }
        assert_eq!(set.overlap(&changes).is_some(), met);
    }
    // A scan of a table meets a node that comes, wherever its row is.
    let mut changes = Changes::default();
    changes.nodes_of(T).came.insert(1 << 40);
    let mut reads = ReadSet::default();
    reads.nodes_of(T).rows.insert_all();
    assert_eq!(reads.overlap(&changes), Some(Overlap::Nodes(T)));
}

#[test]
fn settling_waits_for_those_that_have_a_timestamp() {
    let all = Transactions::default();
    assert_eq!(all.settle(), Timestamp(0));
    let (open, _kept) = begin(&all, Isolation::Snapshot);
    let (ordered, logged) = (Barrier::new(2), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let log = |_| {
                ordered.wait();
                // It takes a while.
                (0..1_000).for_each(|_| std::thread::yield_now());
                logged.store(1, Ordering::SeqCst);
                Ok::<(), Infallible>(())
            };
            all.commit(open, wrote(1), ReadSet::default, log, |_| {}).unwrap();
        });
        ordered.wait();
        assert_eq!(all.settle(), Timestamp(1));
        assert_eq!(logged.load(Ordering::SeqCst), 1);
    });
    let (open, _kept) = begin(&all, Isolation::Snapshot);
    all.undo(&open, |_| {});
    assert_eq!(all.settle(), Timestamp(1));
}

#[test]
fn who_is_overtaken_is_told_before_it_commits() {
    let all = Transactions::default();
    let (open, _kept) = begin(&all, Isolation::Serializable);
    assert_eq!(all.overtaken(&open, || unreachable!("nobody has committed")), None);
    let (other, _other) = begin(&all, Isolation::Serializable);
    // Also of one that has its timestamp and is still logged.
    let logged = |_: Timestamp| {
        assert!(all.overtaken(&open, || read(7)).is_some());
        assert_eq!(all.overtaken(&open, || read(8)), None);
        Ok::<(), Infallible>(())
    };
    all.commit(other, wrote(7), ReadSet::default, logged, |_| ()).unwrap();
    assert!(all.overtaken(&open, || read(7)).is_some());
    assert_eq!(all.overtaken(&open, || read(8)), None);
    // Who begins now is not.
    let (next, _next) = begin(&all, Isolation::Serializable);
    assert_eq!(all.overtaken(&next, || read(7)), None);
    all.undo(&open, |_| ());
    all.undo(&next, |_| ());
}

/// What a commit calls may panic: those that come after it are published all the same.
#[test]
fn nobody_waits_for_a_commit_that_was_lost() {
    type Calls<'a> = (&'a dyn Fn() -> ReadSet, &'a dyn Fn(), &'a dyn Fn());
    let (reads, ok, lost) = (|| read(9), || (), || std::panic::panic_any("lost"));
    let lost_reads = || std::panic::panic_any("lost");
    let cases: [(Calls<'_>, bool); 3] =
        [((&lost_reads, &ok, &ok), false), ((&reads, &lost, &ok), false), ((&reads, &ok, &lost), true)];
    for ((reads, log, stamp), is_there) in cases {
        let all = Transactions::default();
        let (other, _other) = begin(&all, Isolation::Snapshot);
        let (open, kept) = begin(&all, Isolation::Serializable);
        commit(&all, other, wrote(1), &ReadSet::default(), &[]).unwrap();
        let version = AtomicStamp::new(open.handle().into());
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let log = |_| {
                log();
                Ok::<(), Infallible>(())
            };
            let stamps = |last| {
                stamp();
                version.store(last);
            };
            let _ = all.commit(open, wrote(2), reads, log, stamps);
        }));
        assert!(done.is_err());
        drop(kept);
        assert_eq!((all.published(), all.settle()), (Timestamp(2), Timestamp(2)));
        // What was logged is there, also where it could not be stamped.
        assert_eq!(View::at(Timestamp(2)).sees(&version, 0, &all), is_there);
        assert_eq!(View::at(Timestamp(2)).may_replace(&version, &all), Ok(is_there));
        assert_eq!(all.commits_kept(), 0);
        let (next, _kept) = begin(&all, Isolation::Serializable);
        assert_eq!(commit(&all, next, wrote(3), &read(2), &[]), Ok(Timestamp(3)));
    }
}

/// A version that its maker has lost, where something panicked: nobody's.
#[test]
fn nobody_waits_for_the_stamp_of_a_version_that_was_lost() {
    let all = Transactions::default();
    let (open, _kept) = begin(&all, Isolation::Snapshot);
    let lost = AtomicStamp::new(open.handle().into());
    assert_eq!(View::at(Timestamp(0)).may_replace(&lost, &all), Err(Conflict::Open(open.handle())));
    all.undo(&open, |_| ());
    assert!(!View::at(Timestamp(9)).sees(&lost, 0, &all));
    assert_eq!(View::at(Timestamp(9)).may_replace(&lost, &all), Ok(false));
}

#[test]
fn who_begins_in_the_place_of_another_keeps_his_turn() {
    let all = Transactions::default();
    let turn = all.take_turn(Duration::from_secs(3_600));
    let (first, _a) =
        all.begin(Isolation::Snapshot, (Timestamp(0), Intent::Write), CancelToken::default(), Some(&turn));
    let (mut second, _b) = begin(&all, Isolation::Snapshot);
    second.in_place_of(&first);
    all.undo(&first, |_| ());
    assert_eq!(commit(&all, second, wrote(1), &ReadSet::default(), &[]), Ok(Timestamp(1)));
}

/// What a load changed without telling each key of an index meets who has looked for one there.
#[test]
fn any_key_of_an_index_meets_a_look_for_one() {
    let mut reads = ReadSet::default();
    reads.key(5, 77);
    let mut changes = Changes::default();
    assert!(changes.is_empty());
    changes.any_keys.insert(6);
    assert!(!changes.is_empty() && reads.overlap(&changes).is_none());
    changes.any_keys.insert(5);
    assert_eq!(reads.overlap(&changes), Some(Overlap::Key(5)));
}

/// Statements of many rows read and write keys by the hundred thousand, and whoever commits is waited for: if
/// each were compared with each other, this would take minutes.
#[test]
fn many_keys_are_asked_against_many() {
    let (mut reads, mut changes) = (ReadSet::default(), Changes::default());
    (0..300_000).for_each(|key| reads.key(5, key * 2));
    changes.keys.insert(5, (0..300_000).map(|key| key * 2 + 1).collect());
    assert_eq!(reads.overlap(&changes), None);
    reads.key(5, 77);
    assert_eq!(reads.overlap(&changes), Some(Overlap::Key(5)));
    // Few against many, from either side.
    for (read, written) in [(0..3, 3..300_000), (3..300_000, 0..3)] {
        for more in [None, Some(7)] {
            let (mut reads, mut changes) = (ReadSet::default(), Changes::default());
            read.clone().chain(more).for_each(|key| reads.key(5, key));
            changes.keys.insert(5, written.clone().chain(more).collect());
            assert_eq!(reads.overlap(&changes).is_some(), more.is_some(), "{read:?} {written:?}");
        }
    }
}

#[test]
fn a_key_that_was_looked_for_in_several_indexes_is_met_in_each() {
    let wrote = |index: u64, hash: u64| {
        let mut changes = Changes::default();
        changes.keys.insert(index, vec![1, hash]);
        changes
    };
    let all: Arc<[u64]> = [2, 5, 9].into();
    let mut reads = ReadSet::default();
    reads.key_in_all(&all, 77);
    reads.key_in_all(&all, 78);
    // Others than those of before, which have grown.
    reads.key_in_all(&[2, 5, 9, 11].into(), 79);
    let mut merged = ReadSet::default();
    merged.key(3, 77);
    merged.merge(reads.clone());
    for reads in [reads, merged] {
        for (index, hash, is_met) in
            [(5, 77, true), (9, 78, true), (5, 79, true), (11, 79, true), (11, 77, false), (4, 77, false)]
        {
            assert_eq!(reads.overlap(&wrote(index, hash)).is_some(), is_met, "{index} {hash}");
        }
        assert!(reads.overlap(&wrote(9, 80)).is_none());
        let mut loaded = Changes::default();
        loaded.any_keys.insert(9);
        assert_eq!(reads.overlap(&loaded), Some(Overlap::Key(9)));
        assert!(reads.bytes() >= 16);
    }
}

#[test]
fn a_range_is_noted_also_where_all_rows_were_asked_whether_they_exist() {
    let (table, mut reads, mut changes) = (TableId(0), ReadSet::default(), Changes::default());
    reads.nodes_of(table).rows.insert_all();
    reads.nodes_of(table).range(ReadRange { column: 1, low: 4, high: i64::MAX });
    changes.nodes_of(table).columns.or_default(1).insert(7);
    assert_eq!(reads.overlap(&changes), None);
    changes.nodes_of(table).values.or_default(1).insert(Some(6));
    assert_eq!(reads.overlap(&changes), Some(Overlap::Nodes(table)));
    let mut merged = ReadSet::default();
    merged.nodes_of(table).rows.insert_all();
    merged.merge(reads);
    assert_eq!(merged.overlap(&changes), Some(Overlap::Nodes(table)));
}
