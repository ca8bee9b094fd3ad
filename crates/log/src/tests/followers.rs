//! A log that is read while it is written.

use super::*;

fn poll(follower: &mut Follower, synced: Option<Position>) -> Vec<String> {
    let mut seen = Seen::default();
    follower.poll(synced, &mut |replayed, _| seen.take(replayed)).unwrap();
    seen.0
}

#[test]
fn sees_what_was_synced_and_nothing_else() {
    let (files, fs) = memory();
    let mut follower = Follower::new(Arc::clone(&fs), dir(), Position::default(), DATABASE);
    assert!(poll(&mut follower, None).is_empty());
    let (log, ..) = open(&fs).unwrap();
    let mut next = 0;
    for handle in 0..80 {
        commit(&log, handle, 64);
        // Each block says that the one before it was synced.
        let found = poll(&mut follower, None);
        assert_eq!(found, words(next..handle));
        next = handle;
    }
    log.mark().unwrap();
    assert_eq!(poll(&mut follower, None), words([79]));
    assert!(poll(&mut follower, None).is_empty());
    // Within the process it is known at once.
    commit(&log, 80, 64);
    assert_eq!(poll(&mut follower, Some(log.synced())), words([80]));
    // Half a large one, and half a block.
    let large = log.append(&transaction(81, 20_000)).unwrap();
    log.sync().unwrap();
    log.mark().unwrap();
    let (cut, cut_fs) = copy(&files);
    let mut halves = Follower::new(cut_fs, dir(), follower.position(), DATABASE);
    change(&cut, large.segment, |bytes| bytes[large.offset as usize - 5] ^= 1);
    assert!(poll(&mut halves, None).is_empty());
    change(&cut, large.segment, |bytes| bytes[large.offset as usize - 5] ^= 1);
    assert_eq!(poll(&mut halves, None), words([81]));
    assert_eq!(poll(&mut follower, None), words([81]));
    log.close().unwrap();
    // A new session of the writer.
    let (log, ..) = open(&fs).unwrap();
    commit(&log, 82, 64);
    log.mark().unwrap();
    assert_eq!(poll(&mut follower, None), words([82]));
}

#[test]
fn what_was_not_synced_may_become_something_else() {
    let (files, fs) = memory();
    let (log, ..) = open(&fs).unwrap();
    commit(&log, 0, 64);
    let end = log.position();
    commit(&log, 1, 64);
    let mut follower = Follower::new(Arc::clone(&fs), dir(), Position::default(), DATABASE);
    assert_eq!(poll(&mut follower, None), words([0]));
    drop(log);
    // The crash loses the last one, and another takes its place.
    change(&files, 1, |bytes| bytes[end.offset as usize..].fill(0));
    let (log, ..) = open(&fs).unwrap();
    commit(&log, 2, 64);
    log.mark().unwrap();
    assert_eq!(poll(&mut follower, None), words([2]));
}

#[test]
fn segments_that_went() {
    let (_, fs) = memory();
    let (log, ..) = open(&fs).unwrap();
    let mut held = Follower::new(Arc::clone(&fs), dir(), Position::default(), DATABASE);
    let mut late = Follower::new(Arc::clone(&fs), dir(), Position::default(), DATABASE);
    let hold = log.hold(Position::new(1, 0));
    commit_all(&log, 0..60);
    log.release(log.position()).unwrap();
    assert_eq!(poll(&mut held, None), words(0..59));
    drop(hold);
    log.release(log.position()).unwrap();
    commit_all(&log, 60..90);
    let gone = late.poll(None, &mut |_, _| Ok(()));
    assert!(matches!(gone, Err(LogError::Missing { .. })), "{gone:?}");
}

/// Looks until it is so, for as long as a busy machine may need.
fn until(mut is_so: impl FnMut() -> bool) {
    let began = std::time::Instant::now();
    while !is_so() && began.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// What a follower is given of a log whose last commit is followed by nothing, until all of it is.
fn poll_until(follower: &mut Follower, wanted: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    until(|| {
        found.extend(poll(follower, None));
        found.len() >= wanted.len()
    });
    found
}

#[test]
fn a_pause_is_told_and_so_is_what_is_published() {
    use std::sync::atomic::{AtomicU64, Ordering};
    for durability in
        [Durability::Durable, Durability::Relaxed { interval: std::time::Duration::from_millis(5) }]
    {
        let (files, fs) = memory();
        let pause = Some(std::time::Duration::from_millis(5));
        let options = LogOptions { durability, mark_after: pause, ..options() };
        let (log, ..) = open_with(&fs, Position::default(), options, Recover::Whole).unwrap();
        let published = Arc::new(AtomicU64::new(0));
        let told = Arc::clone(&published);
        log.tell_committed(move || told.load(Ordering::SeqCst));
        let mut follower = Follower::new(Arc::clone(&fs), dir(), Position::default(), DATABASE);
        for handle in 0..5 {
            commit(&log, handle, 64);
            assert_eq!(poll_until(&mut follower, &words([handle])), words([handle]), "{durability:?}");
            assert!(follower.committed() <= handle, "{durability:?}");
            published.store(handle + 1, Ordering::SeqCst);
        }
        // What is published later than it is synced is told, too.
        until(|| {
            poll(&mut follower, None);
            follower.committed() == 5
        });
        assert_eq!(follower.committed(), 5, "{durability:?}");
        // A pause costs little, however long it is: once all is said that there is to say, nothing is
        // written.
        let mut before = files.all();
        until(|| {
            std::thread::sleep(std::time::Duration::from_millis(100));
            let last = std::mem::replace(&mut before, files.all());
            last == before
        });
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert!(files.all() == before, "{durability:?}");
    }
}

#[test]
fn who_follows_a_log_that_nobody_writes_has_all_of_it() {
    let (files, fs) = memory();
    let (log, ..) = open(&fs).unwrap();
    commit_all(&log, 0..38);
    drop(log);
    let mut follower = Follower::new(Arc::clone(&fs), dir(), Position::default(), DATABASE);
    assert_eq!(poll(&mut follower, None), words(0..37));
    assert!(follower.seen() > follower.position() && follower.damage().unwrap().is_none());
    // Somebody writes: nothing is taken for the end.
    let mut none = |_: Replayed<'_>, _| -> Result<(), LogError> { panic!("nothing is given") };
    assert!(!follower.give_rest(&mut || false, &mut none).unwrap());
    // Somebody wrote after the look and before nobody did.
    let mut write = || {
        let (log, ..) = open(&fs).unwrap();
        commit(&log, 38, 64);
        true
    };
    assert!(!follower.give_rest(&mut write, &mut none).unwrap());
    assert_eq!(poll(&mut follower, None), words([37]));
    let mut seen = Seen::default();
    assert!(follower.give_rest(&mut || true, &mut |replayed, _| seen.take(replayed)).unwrap());
    assert_eq!(seen.0, words([38]));
    assert_eq!(follower.seen(), follower.position());
    // The writer comes back.
    let (log, ..) = open(&fs).unwrap();
    commit(&log, 39, 64);
    log.mark().unwrap();
    assert_eq!(poll(&mut follower, None), words([39]));
    assert!(follower.damage().unwrap().is_none());
    // A block that was synced is damaged before it was read.
    let at = follower.position();
    commit_all(&log, 40..43);
    change(&files, at.segment, |bytes| bytes[at.offset as usize + 70] ^= 1);
    assert!(poll(&mut follower, None).is_empty());
    let damage = follower.damage().unwrap();
    assert!(matches!(damage, Some(LogError::Damaged { .. })), "{damage:?}");
}

#[test]
fn what_says_nothing_is_nothing_to_wait_for() {
    let (_, fs) = memory();
    let (log, ..) = open(&fs).unwrap();
    let mut follower = Follower::new(Arc::clone(&fs), dir(), Position::default(), DATABASE);
    commit(&log, 0, 64);
    assert!(poll(&mut follower, None).is_empty());
    assert!(follower.content() > follower.position());
    // No mark covers the block that marks, nor the one that says that the log was closed.
    log.mark().unwrap();
    assert_eq!(poll(&mut follower, None), words([0]));
    assert!(follower.seen() > follower.position() && follower.content() <= follower.position());
    log.close().unwrap();
    assert!(poll(&mut follower, None).is_empty());
    assert!(follower.seen() > follower.position() && follower.content() <= follower.position());
}
