//! A script of commits, releases and closes against a disk that fails at every one of its calls, and what a
//! crash may leave then: what was acknowledged is there, nothing is half there, and it always opens.

use trimorph_vfs::{Fault, FaultyFileSystem};

use super::*;

/// What a script got answers for.
#[derive(Default, Debug)]
struct Promised {
    /// Appended, in order; those of which it is known that nothing was logged are not among them.
    appended: Vec<u64>,
    /// How many of them were acknowledged.
    acknowledged: usize,
    /// The last checkpoint: its position and how many were appended before.
    from: Position,
    before: usize,
}

fn script(fs: &Arc<dyn FileSystem>, promised: &mut Promised) -> Result<(), LogError> {
    let mut handle = 0;
    for session in 0..3 {
        let longest = LogOptions { segment_bytes: 16 << 10, ..options() };
        let (log, ..) = open_with(fs, promised.from, longest, Recover::Whole)?;
        log.set_segment_bytes(4 << 10);
        for step in 0..14 {
            handle += 1;
            // Large ones cross segments, and go through the buffer in parts.
            let bytes = if step % 6 == 5 { 6_000 } else { 200 };
            let position = match log.append(&transaction(handle, bytes)) {
                Ok(position) => position,
                Err(LogError::NoRoom { .. }) => continue,
                Err(error) => {
                    promised.appended.push(handle);
                    return Err(error);
                }
            };
            promised.appended.push(handle);
            if step % 3 != 0 {
                log.wait(position)?;
                promised.acknowledged = promised.appended.len();
            }
            if step == 7 {
                log.sync()?;
                promised.acknowledged = promised.appended.len();
                (promised.from, promised.before) = (log.position(), promised.appended.len());
                log.set_segment_bytes((4 << 10) << session);
                log.release(promised.from)?;
            }
        }
        if session != 1 {
            log.close()?;
            promised.acknowledged = promised.appended.len();
        } else {
            log.sync()?;
            promised.acknowledged = promised.appended.len();
        }
    }
    Ok(())
}

fn keeps(promised: &Promised, files: MemoryFileSystem, case: &str) {
    let fs: Arc<dyn FileSystem> = Arc::new(files);
    let opened = open_with(&fs, promised.from, options(), Recover::Whole);
    let (log, _, seen) = opened.unwrap_or_else(|error| panic!("{case}: {error}"));
    let all = words(promised.appended[promised.before..].iter().copied());
    assert!(all.starts_with(&seen.0), "{case}: {:?} of {all:?}", seen.0);
    assert!(seen.0.len() + promised.before >= promised.acknowledged, "{case}: {:?} {promised:?}", seen.0);
    // It goes on, and nothing of before comes back.
    commit(&log, 7_777, 200);
    drop(log);
    let again = open_with(&fs, promised.from, options(), Recover::Whole).unwrap().2.0;
    assert_eq!(again, [&seen.0[..], &["7777".into()]].concat(), "{case}");
}

#[test]
fn a_crash_at_every_call() {
    for fault in [Fault::Crash, Fault::Error, Fault::Full] {
        for call in 0.. {
            let disk = Arc::new(FaultyFileSystem::default());
            let fs: Arc<dyn FileSystem> = Arc::clone(&disk) as _;
            disk.fail_at(call, fault);
            let mut promised = Promised::default();
            let answer = script(&fs, &mut promised);
            let is_over = disk.calls() <= call;
            for seed in 0..12 {
                keeps(
                    &promised,
                    disk.after_crash(seed).unwrap(),
                    &format!("{fault:?} at {call}, seed {seed}"),
                );
            }
            if is_over {
                answer.unwrap();
                assert!(call > 100, "{call} calls");
                break;
            }
        }
    }
}

#[test]
fn a_crash_while_recovering() {
    // A torn log, and a crash at every call of its recovery, twice.
    let disk = Arc::new(FaultyFileSystem::default());
    let fs: Arc<dyn FileSystem> = Arc::clone(&disk) as _;
    let (log, ..) = open(&fs).unwrap();
    commit(&log, 1, 200);
    for handle in 2..12 {
        log.append(&transaction(handle, 900)).unwrap();
    }
    for seed in 0..30 {
        let torn = disk.after_crash(seed).unwrap();
        for call in 0.. {
            let second = Arc::new(FaultyFileSystem::with_files(&torn).unwrap());
            let fs: Arc<dyn FileSystem> = Arc::clone(&second) as _;
            second.fail_at(call, Fault::Crash);
            let is_opened = open(&fs).is_ok();
            let promised = Promised { appended: (1..12).collect(), acknowledged: 1, ..Promised::default() };
            for crash in 0..4 {
                let files = second.after_crash(crash).unwrap();
                keeps(&promised, files, &format!("seed {seed}, call {call}, crash {crash}"));
            }
            if is_opened {
                break;
            }
        }
    }
}
