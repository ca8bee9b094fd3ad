//! The recovery table of `docs/design/log.md`, row by row; cuts and flipped bits everywhere.

use std::path::PathBuf;
use std::sync::Arc;

use trimorph_vfs::{FileSystem, MemoryFileSystem};

use super::*;
use crate::block::Mark;
use crate::segment::path_of;

/// A log of `count` transactions of some 100 bytes, each synced by itself, and where each ends.
fn written(count: u64) -> (Arc<MemoryFileSystem>, Arc<dyn FileSystem>, Vec<Position>) {
    let (files, fs) = memory();
    let (log, ..) = open(&fs).unwrap();
    let ends = (0..count).map(|handle| {
        commit(&log, handle, 64);
        log.position()
    });
    let ends = ends.collect();
    (files, fs, ends)
}

fn paths(files: &MemoryFileSystem) -> Vec<PathBuf> {
    files.all().into_iter().map(|(path, _)| path).collect()
}

/// Bytes of the blocks that begin in a segment, but for its last ones.
fn flip(files: &MemoryFileSystem, at: Position) {
    change(files, at.segment, |bytes| bytes[at.offset as usize] ^= 1);
}

#[test]
fn the_end_of_the_log() {
    let (_, fs, ends) = written(100);
    assert!(ends.last().unwrap().segment > 3);
    let (log, recovered, seen) = open(&fs).unwrap();
    assert_eq!((seen.0, recovered.end, recovered.is_closed), (words(0..100), ends[99], false));
    commit(&log, 100, 64);
    assert_eq!(open(&fs).unwrap().2.0, words(0..101));
    // From a position on, as a manifest names it; in the middle of a segment, and at the end of one.
    for (i, end) in ends.iter().enumerate() {
        let (_, _, seen) = open_with(&fs, *end, options(), Recover::Whole).unwrap();
        assert_eq!(seen.0, words(i as u64 + 1..101), "{end}");
    }
}

#[test]
fn the_torn_end() {
    let (files, fs, ends) = written(3);
    // The second last block: later ones were written, and none says that it was synced.
    flip(&files, Position::new(1, ends[1].offset + 50));
    let (log, recovered, seen) = open(&fs).unwrap();
    assert_eq!((seen.0, recovered.end, recovered.lost), (words(0..2), ends[1], None));
    // Nothing of it comes to life.
    commit(&log, 77, 64);
    assert_eq!(open(&fs).unwrap().2.0, words([0, 1, 77]));
}

#[test]
fn written_out_of_order() {
    // Blocks of one group: the first is lost, the second is there.
    let (files, fs) = memory();
    let (log, ..) = open(&fs).unwrap();
    commit(&log, 0, 64);
    let end = log.position();
    log.append(&transaction(1, 64)).unwrap();
    let second = log.position();
    log.append(&transaction(2, 64)).unwrap();
    log.sync().unwrap();
    drop(log);
    change(&files, 1, |bytes| bytes[end.offset as usize..second.offset as usize].fill(0));
    let (log, recovered, seen) = open(&fs).unwrap();
    assert_eq!((seen.0, recovered.end), (words([0]), end));
    // Of the same length as the one that is lost: what came after it would follow, were it still there.
    commit(&log, 3, 64);
    assert_eq!(log.position(), second);
    assert_eq!(open(&fs).unwrap().2.0, words([0, 3]));
}

#[test]
fn damage_is_refused_or_set_aside() {
    for header in [0, 33, 45] {
        let (files, fs, ends) = written(60);
        let before = files.all();
        flip(&files, Position::new(ends[9].segment, ends[9].offset + header));
        let damaged = files.all();
        let Err(LogError::Damaged { path, offset, .. }) = open(&fs) else { panic!("not refused") };
        assert_eq!((path, offset), (path_of(dir(), ends[9].segment), ends[9].offset.into()));
        assert!(check(&*fs, dir(), Position::default(), DATABASE).is_err());
        assert_eq!(files.all(), damaged, "refusing changes nothing");
        let (log, recovered, seen) =
            open_with(&fs, Position::default(), options(), Recover::ToDamage).unwrap();
        assert_eq!((seen.0, recovered.end), (words(0..10), ends[9]));
        assert!(recovered.lost.unwrap() > ends[57]);
        let aside = files.all().into_iter().filter(|(path, _)| path.extension().unwrap() == "damaged");
        let kept = before.len() - usize::try_from(ends[9].segment - 1).unwrap();
        assert_eq!(aside.count(), kept);
        commit(&log, 77, 64);
        assert_eq!(open(&fs).unwrap().2.0, words((0..10).chain([77])));
    }
}

#[test]
fn records_without_their_commit() {
    let (_, fs) = memory();
    let (log, ..) = open(&fs).unwrap();
    commit(&log, 0, 64);
    let start = log.position();
    let large = options().buffer_bytes * 5;
    log.append(&transaction(1, large)).unwrap();
    log.sync().unwrap();
    commit(&log, 2, 64);
    drop(log);
    let (log, _, seen) = open(&fs).unwrap();
    assert_eq!(seen.0, words(0..3));
    drop(log);
    // Cut within the large one, which was never acknowledged: no mark lies behind its start.
    let (files, fs) = memory();
    let (log, ..) = open(&fs).unwrap();
    commit(&log, 0, 64);
    log.append(&transaction(1, large)).unwrap();
    log.sync().unwrap();
    drop(log);
    let all = files.all().len() as u64;
    assert!(all > 2);
    files.remove(&path_of(dir(), all)).unwrap();
    files.remove(&path_of(dir(), all - 1)).unwrap();
    let (log, recovered, seen) = open(&fs).unwrap();
    assert_eq!((seen.0, recovered.has_left_out), (words([0]), true));
    assert!(recovered.end > start);
    // A small one and a large one behind what was left out.
    commit(&log, 3, 64);
    commit(&log, 4, large);
    let (_, recovered, seen) = open(&fs).unwrap();
    assert_eq!((seen.0, recovered.has_left_out), (words([0, 3, 4]), false));
}

/// A segment whose second block has `content`, synced.
fn with_content(content: &[u8]) -> (Arc<MemoryFileSystem>, Arc<dyn FileSystem>, Position) {
    let (files, fs, ends) = written(1);
    change(&files, 1, |bytes| {
        let from = ends[0].offset as usize;
        let len = crate::block::block_bytes(content.len());
        bytes[from + crate::block::HEADER_BYTES..][..content.len()].copy_from_slice(content);
        crate::block::seal(
            &mut bytes[from..from + len],
            ends[0],
            content.len(),
            0,
            Mark { synced: ends[0], committed: 0 },
        );
    });
    (files, fs, ends[0])
}

#[test]
fn records_that_make_no_sense() {
    let commit = |records| {
        let mut bytes = Vec::new();
        let commit = Commit { handle: 1, timestamp: 1, micros: 1 };
        crate::record::put_commit(&mut bytes, &commit, records);
        bytes
    };
    let unknown = [&[1, 99][..], &commit(1)].concat();
    let cut_short = [&[1, 16][..], &commit(1)].concat();
    for content in [unknown, cut_short, commit(3), vec![0; 3], vec![0xff; 12]] {
        let (files, fs, at) = with_content(&content);
        let before = files.all();
        let Err(LogError::Meaningless { path, offset, .. }) = open(&fs) else { panic!("{content:?}") };
        assert_eq!((path, offset), (path_of(dir(), 1), at.offset.into()), "{content:?}");
        assert_eq!(files.all(), before);
    }
    // What the caller does not know.
    let (_, fs, _) = written(2);
    let answer = Log::open(fs, dir(), Position::default(), options(), Recover::Whole, &mut |replayed| {
        let Replayed::Transaction(t) = replayed else { return Ok(()) };
        Err(t.place.makes_no_sense("a table that there is not"))
    });
    assert!(matches!(answer, Err(LogError::Meaningless { offset: 64, .. })));
}

#[test]
fn a_segment_that_is_needed_is_not_there() {
    for number in [1, 2] {
        let (files, fs, _) = written(60);
        files.remove(&path_of(dir(), number)).unwrap();
        let Err(LogError::Missing { path }) = open(&fs) else { panic!("not refused") };
        assert_eq!(path, path_of(dir(), number));
    }
    let (_, fs) = memory();
    let from = Position::new(4, 640);
    assert!(matches!(open_with(&fs, from, options(), Recover::Whole), Err(LogError::Missing { .. })));
}

#[test]
fn a_segment_without_a_valid_header() {
    for old in [false, true] {
        let (files, fs, ends) = written(10);
        let other = files.all()[0].1.clone();
        let bytes = if old { other } else { vec![0; 4 << 10] };
        let number = ends[9].segment + 1;
        files.write_synced(&path_of(dir(), number), &[&bytes]).unwrap();
        let (log, recovered, seen) = open(&fs).unwrap();
        assert_eq!((seen.0, recovered.end), (words(0..10), ends[9]));
        commit_all(&log, 10..60);
        assert_eq!(open(&fs).unwrap().2.0, words(0..60));
    }
    // Of the first one only the name is there.
    let (files, fs) = memory();
    files.write_synced(&path_of(dir(), 1), &[&[0; 4096]]).unwrap();
    let (log, _, seen) = open(&fs).unwrap();
    commit(&log, 5, 64);
    assert_eq!((seen.0.len(), open(&fs).unwrap().2.0), (0, words([5])));
    // But where a manifest says that there were blocks.
    let (files, fs, ends) = written(1);
    change(&files, 1, |bytes| bytes[..64].fill(0));
    let answer = open_with(&fs, ends[0], options(), Recover::Whole);
    assert!(matches!(answer, Err(LogError::Damaged { .. })));
}

#[test]
fn a_header_of_another_database() {
    let (_, fs, _) = written(60);
    let other = LogOptions { database: 8, ..options() };
    let answer = open_with(&fs, Position::default(), other, Recover::Whole);
    assert!(matches!(answer, Err(LogError::OtherDatabase { path }) if path == path_of(dir(), 1)));
}

#[test]
fn a_newer_format() {
    let (files, fs, _) = written(1);
    change(&files, 1, |bytes| {
        bytes[8] = 3;
        let sum = trimorph_vfs::checksum(&[&bytes[..56]]);
        bytes[56..64].copy_from_slice(&sum.to_le_bytes());
    });
    assert!(matches!(open(&fs), Err(LogError::Meaningless { offset: 0, .. })));
}

#[test]
fn segments_before_the_checkpoint_are_used_again() {
    let (files, fs, ends) = written(60);
    let count = paths(&files).len();
    let from = ends[40];
    let (log, _, seen) = open_with(&fs, from, options(), Recover::Whole).unwrap();
    assert_eq!(seen.0, words(41..60));
    log.release(from).unwrap();
    for handle in 60..90 {
        commit(&log, handle, 64);
    }
    assert!(paths(&files).len() < count + 2 && !paths(&files).contains(&path_of(dir(), 1)));
    drop(log);
    let seen = open_with(&fs, from, options(), Recover::Whole).unwrap().2;
    assert_eq!(seen.0, words(41..90));
}

#[test]
fn what_is_kept_to_be_used_again_goes_when_the_log_is_closed() {
    let (files, fs, ends) = written(60);
    let log = open_with(&fs, ends[40], options(), Recover::Whole).unwrap().0;
    log.release(ends[40]).unwrap();
    let is_before = |path: &PathBuf| *path < path_of(dir(), ends[40].segment);
    let kept = || paths(&files).iter().filter(|path| is_before(path)).count();
    assert!(kept() > 0);
    log.close().unwrap();
    assert_eq!(kept(), 0);
    let seen = open_with(&fs, ends[40], options(), Recover::Whole).unwrap().2;
    assert_eq!(seen.0, words(41..60));
}

#[test]
fn held_segments_stay() {
    let (files, fs, ends) = written(60);
    let (log, ..) = open(&fs).unwrap();
    let (from, hold) = (ends[20], log.hold(ends[20]));
    let other = log.hold(log.position());
    log.release(log.position()).unwrap();
    // Those that may be used again are.
    commit_all(&log, 60..120);
    drop(other);
    log.release(log.position()).unwrap();
    commit_all(&log, 120..180);
    let seen = open_with(&copy(&files).1, from, options(), Recover::Whole).unwrap().2;
    assert_eq!(seen.0, words(21..180));
    drop(hold);
    log.release(log.position()).unwrap();
    commit_all(&log, 180..240);
    assert!(!paths(&files).contains(&path_of(dir(), from.segment)));
}

#[test]
fn what_was_read_is_synced_before_a_mark_says_so() {
    let disk = Arc::new(trimorph_vfs::FaultyFileSystem::default());
    let fs: Arc<dyn FileSystem> = Arc::clone(&disk) as _;
    let (log, ..) = open(&fs).unwrap();
    commit(&log, 0, 64);
    // Parts of it are written and not synced when the process ends.
    log.append(&transaction(1, 9_000)).unwrap();
    drop(log);
    let (log, recovered, _) = open(&fs).unwrap();
    assert!(recovered.has_left_out && recovered.end.segment > 1);
    commit(&log, 2, 64);
    let after: Arc<dyn FileSystem> = Arc::new(disk.after_crash(0).unwrap());
    assert_eq!(open(&after).unwrap().2.0, words([0, 2]));
}

#[test]
fn unfinished_segments_are_removed() {
    let (files, fs, _) = written(1);
    let path = path_of(dir(), 2).with_extension("log.tmp");
    files.write_synced(&path, &[b"half"]).unwrap();
    drop(open(&fs).unwrap());
    assert!(!paths(&files).contains(&path));
}

#[test]
fn a_database_that_was_never_written_to() {
    let (files, fs) = memory();
    let (log, recovered, seen) = open(&fs).unwrap();
    assert_eq!((seen.0.len(), recovered.end), (0, Position::new(1, 64)));
    log.sync().unwrap();
    log.close().unwrap();
    assert!(files.all().is_empty(), "the first segment comes with the first commit");
    let (log, ..) = open(&fs).unwrap();
    let none = LogOptions { durability: Durability::Memory, ..options() };
    drop(log);
    let (log, ..) = open_with(&fs, Position::default(), none, Recover::Whole).unwrap();
    commit(&log, 1, 64);
    log.close().unwrap();
    assert!(files.all().is_empty());
}

#[test]
fn closed() {
    let (files, fs, _) = written(10);
    let (log, recovered, _) = open(&fs).unwrap();
    assert!(!recovered.is_closed);
    log.close().unwrap();
    let (log, recovered, seen) = open(&fs).unwrap();
    assert_eq!((recovered.is_closed, seen.0), (true, words(0..10)));
    commit(&log, 10, 64);
    drop(log);
    let (_, recovered, seen) = open(&fs).unwrap();
    assert_eq!((recovered.is_closed, seen.0), (false, words(0..11)));
    let report = check(&*files, dir(), Position::default(), DATABASE).unwrap();
    assert_eq!((report.transactions, report.operations, report.is_torn), (11, 22, false));
}

#[test]
fn names_come_before_what_uses_them() {
    let (_, fs) = memory();
    let (log, ..) = open(&fs).unwrap();
    log.declare(&name("a")).unwrap();
    commit(&log, 1, 64);
    log.declare(&name("b")).unwrap();
    log.close().unwrap();
    assert_eq!(open(&fs).unwrap().2.0, ["a", "1", "b"]);
}

#[test]
fn segments_of_another_length() {
    let (_, fs, _) = written(30);
    for segment_bytes in [8 << 10, 4 << 10, 64 << 10] {
        let longer = LogOptions { segment_bytes, ..options() };
        let (log, _, seen) = open_with(&fs, Position::default(), longer, Recover::Whole).unwrap();
        let from = seen.0.len() as u64;
        assert_eq!(seen.0, words(0..from));
        commit_all(&log, from..from + 60);
        drop(log);
        assert_eq!(open(&fs).unwrap().2.0, words(0..from + 60));
    }
}

#[test]
fn lengths_that_are_set() {
    let (files, fs) = memory();
    let longest = LogOptions { segment_bytes: 64 << 10, ..options() };
    let (log, ..) = open_with(&fs, Position::default(), longest, Recover::Whole).unwrap();
    let lens = || {
        let all = files.all().into_iter().filter(|(path, _)| path.starts_with(dir()));
        all.map(|(_, bytes)| bytes.len() >> 10).collect::<Vec<_>>()
    };
    let mut handles = 0..;
    let mut write = |log: &Log, count: usize, bytes: usize| {
        handles.by_ref().take(count).map(|handle| commit(log, handle, bytes)).last().unwrap()
    };
    log.set_segment_bytes(4 << 10);
    write(&log, 20, 1_000);
    assert!(lens().len() > 3 && lens().iter().all(|len| *len == 4), "{:?}", lens());
    // One transaction needs a long segment, and no more than it needs; one beyond the longest some of these.
    write(&log, 1, 20_000);
    assert_eq!(lens().iter().filter(|len| **len != 4).collect::<Vec<_>>(), [&32]);
    write(&log, 1, 70_000);
    assert!(lens().iter().all(|len| [4, 32, 64].contains(len)) && lens().len() < 16, "{:?}", lens());
    let from = log.position();
    // Nothing of another length is used again, or left behind.
    log.set_segment_bytes(8 << 10);
    log.release(from).unwrap();
    write(&log, 20, 1_000);
    log.set_segment_bytes(1);
    let later = log.position();
    let before = write(&log, 30, 500);
    log.set_segment_bytes(u32::MAX);
    log.release(later).unwrap();
    log.release(later).unwrap();
    write(&log, 3, 40_000);
    drop(log);
    let seen = open_with(&fs, later, longest, Recover::Whole).unwrap().2.0;
    assert_eq!(seen, words(42..75));
    // The rest goes with the next checkpoint.
    let (log, ..) = open_with(&fs, before, longest, Recover::Whole).unwrap();
    log.release(before).unwrap();
    assert!(lens().iter().all(|len| [4, 64].contains(len)), "{:?}", lens());
    log.close().unwrap();
    assert_eq!(open_with(&fs, before, options(), Recover::Whole).unwrap().2.0, words(72..75));
}

#[test]
fn cut_at_every_byte() {
    let (files, _, ends) = written(24);
    let numbers: Vec<u64> = (1..=ends[23].segment).collect();
    for number in numbers {
        let whole = ends.iter().filter(|end| end.segment < number).count();
        for len in 0..4 << 10 {
            let (cut, fs) = copy(&files);
            change(&cut, number, |bytes| bytes[len..].fill(0));
            (number + 1..9).for_each(|later| drop(cut.remove(&path_of(dir(), later))));
            let answer = open(&fs);
            let here = ends.iter().filter(|end| end.segment == number && end.offset as usize <= len).count();
            match answer {
                Ok((_, _, seen)) => {
                    let found = seen.0.len();
                    assert_eq!(seen.0, words(0..found as u64));
                    // Zeros at the end of a block are as they were.
                    assert!(found >= whole + here || len < 64, "{number}: {len}");
                    assert!(found <= whole + here + 1, "{number}: {len}");
                }
                Err(error) => panic!("{number}: {len}: {error}"),
            }
        }
    }
}

/// Whoever only wants to know how long the log is ends no block of those who write.
#[test]
fn asking_for_the_segment_ends_no_block() {
    let behind = |ask: fn(&Log)| {
        let (_, fs) = memory();
        let (log, ..) = open(&fs).unwrap();
        log.append(&transaction(0, 64)).unwrap();
        ask(&log);
        log.append(&transaction(1, 64)).unwrap();
        log.position()
    };
    let alone = behind(|_| {});
    assert_eq!(behind(|log| assert_eq!(log.segment(), 1)), alone);
    assert!(behind(|log| _ = log.position()) > alone);
    let (_, fs) = memory();
    let (log, ..) = open(&fs).unwrap();
    (0..100).for_each(|handle| {
        let position = commit(&log, handle, 64);
        assert!(log.segment() == position.segment || log.segment() == position.segment + 1);
    });
    assert!(log.segment() > 1);
}

#[test]
fn every_flipped_bit_is_damage_or_the_end() {
    let (files, _, ends) = written(20);
    for number in 1..=ends[19].segment {
        let used = if number == ends[19].segment { ends[19].offset as usize } else { 4 << 10 };
        for at in 0..used {
            let (flipped, fs) = copy(&files);
            change(&flipped, number, |bytes| bytes[at] ^= 1 << (at % 8));
            match open(&fs) {
                Ok((_, recovered, seen)) => {
                    assert_eq!(seen.0, words(0..seen.0.len() as u64));
                    // Only what no later mark covers may be missing.
                    assert!(seen.0.len() >= 18, "{number}: {at}: {} {}", seen.0.len(), recovered.end);
                    assert!(recovered.lost.is_none());
                    assert!(seen.0.len() < 20, "{number}: {at}: not found");
                }
                Err(LogError::Damaged { path, .. }) => assert_eq!(path, path_of(dir(), number)),
                Err(error) => panic!("{number}: {at}: {error}"),
            }
        }
    }
}

#[test]
fn recovering_twice_changes_nothing_more() {
    let (files, fs, ends) = written(30);
    flip(&files, Position::new(ends[28].segment, ends[28].offset + 41));
    drop(open(&fs).unwrap());
    let once = files.all();
    drop(open(&fs).unwrap());
    assert_eq!(files.all(), once);
}

#[test]
fn errors_say_what_to_do() {
    let (files, fs, ends) = written(60);
    flip(&files, Position::new(1, ends[2].offset));
    let text = open(&fs).unwrap_err().to_string();
    let offset = ends[2].offset;
    assert!(text.starts_with("db/log/0000000000000001.log: a block that is not valid"), "{text}");
    assert!(text.contains(&format!("at byte {offset}; restore it from a backup")), "{text}");
}
