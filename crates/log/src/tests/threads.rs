//! Many who commit beside each other; disks that are full, fail, or are slow.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use trimorph_vfs::{
    Fault, FaultyFileSystem, FileSystem, MemoryFileSystem, ReadAt, Region, RegionOptions, WriteAt,
};

use super::*;

#[test]
fn threads_beside_each_other() {
    let (_, fs) = memory();
    let (log, ..) = open(&fs).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8_u64 {
            let log = &log;
            scope.spawn(move || {
                for i in 0..60 {
                    // One in ten is longer than the buffer.
                    let bytes = if i % 10 == thread { 5_000 } else { 64 };
                    commit(log, thread * 1_000 + i, bytes);
                    if i % 20 == 0 {
                        log.declare(&name("n")).unwrap();
                    }
                }
            });
        }
    });
    drop(log);
    let seen = open(&fs).unwrap().2.0;
    for thread in 0..8 {
        let own: Vec<String> = (0..60).map(|i| (thread * 1_000 + i).to_string()).collect();
        let found = seen.iter().filter(|word| word.parse().is_ok_and(|n: u64| n / 1_000 == thread));
        assert_eq!(found.cloned().collect::<Vec<_>>(), own, "the order of a thread's commits");
    }
    assert_eq!(seen.iter().filter(|word| *word == "n").count(), 24);
}

/// Files in memory whose syncs wait for a gate.
#[derive(Debug, Default)]
struct GatedFileSystem {
    files: MemoryFileSystem,
    gate: Arc<Gate>,
}

#[derive(Debug, Default)]
struct Gate {
    /// Whether syncs wait, and how many do.
    state: Mutex<(bool, usize)>,
    changed: Condvar,
    /// Whether who writes next panics.
    panics: AtomicBool,
}

#[derive(Debug)]
struct Gated(Arc<dyn WriteAt>, Arc<Gate>);

impl WriteAt for Gated {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        assert!(!self.1.panics.swap(false, Ordering::SeqCst), "on purpose");
        self.0.write_all_at(bytes, offset)
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.1.state.lock().unwrap();
        state.1 += 1;
        self.1.changed.notify_all();
        drop(self.1.changed.wait_while(state, |state| state.0).unwrap());
        self.0.sync_data()
    }
}

impl FileSystem for GatedFileSystem {
    fn read(&self, path: &Path, options: RegionOptions) -> io::Result<Region> {
        self.files.read(path, options)
    }
    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        self.files.open(path)
    }
    fn write_synced(&self, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
        self.files.write_synced(path, parts)
    }
    fn create_sized(&self, path: &Path, len: u64) -> io::Result<Arc<dyn WriteAt>> {
        Ok(Arc::new(Gated(self.files.create_sized(path, len)?, Arc::clone(&self.gate))))
    }
    fn open_to_write(&self, path: &Path) -> io::Result<Arc<dyn WriteAt>> {
        Ok(Arc::new(Gated(self.files.open_to_write(path)?, Arc::clone(&self.gate))))
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.files.rename(from, to)
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.files.sync_dir(path)
    }
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.files.create_dir(path)
    }
    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        self.files.list(path)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.files.remove(path)
    }
    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.files.remove_dir(path)
    }
    fn exists(&self, path: &Path) -> bool {
        self.files.exists(path)
    }
}

#[test]
fn who_comes_during_a_sync_shares_the_next() {
    let disk = Arc::new(GatedFileSystem::default());
    let gate = Arc::clone(&disk.gate);
    let fs: Arc<dyn FileSystem> = disk;
    let options = LogOptions { segment_bytes: 1 << 20, ..super::options() };
    let (log, ..) = open_with(&fs, Position::default(), options, Recover::Whole).unwrap();
    commit(&log, 1_000, 8);
    for round in 0..10 {
        let before = log.sync_count();
        *gate.state.lock().unwrap() = (true, 0);
        std::thread::scope(|scope| {
            let (log, gate) = (&log, &gate);
            scope.spawn(move || commit(log, round * 10, 8));
            // The first is in its sync; the others append, and only then it ends.
            drop(gate.changed.wait_while(gate.state.lock().unwrap(), |state| state.1 == 0).unwrap());
            let appended: Vec<Position> =
                (1..8).map(|i| log.append(&transaction(round * 10 + i, 8)).unwrap()).collect();
            for position in appended {
                scope.spawn(move || log.wait(position).unwrap());
            }
            gate.state.lock().unwrap().0 = false;
            gate.changed.notify_all();
        });
        assert_eq!(log.sync_count() - before, 2, "8 commits, 2 syncs");
    }
    drop(log);
    assert_eq!(open(&fs).unwrap().2.0.len(), 81);
}

#[test]
fn a_full_disk_is_not_final() {
    let disk = Arc::new(FaultyFileSystem::default());
    let fs: Arc<dyn FileSystem> = Arc::clone(&disk) as _;
    let (log, ..) = open(&fs).unwrap();
    commit(&log, 0, 64);
    disk.fail_at(0, Fault::Full);
    let (mut done, mut refused) = (1, 0);
    for handle in 1..200 {
        match log.append(&transaction(handle, 64)) {
            Ok(position) => {
                log.wait(position).unwrap();
                done += 1;
            }
            Err(LogError::NoRoom { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(done > 1 && refused > 100);
    assert!(matches!(log.append(&transaction(0, 100_000)), Err(LogError::NoRoom { .. })));
    disk.fail_at(u64::MAX, Fault::Error);
    commit(&log, 999, 64);
    commit(&log, 1_000, 20_000);
    drop(log);
    let seen = open(&fs).unwrap().2.0;
    assert_eq!(seen, words((0..done).chain([999, 1_000])));
}

#[test]
fn a_failed_sync_poisons() {
    let disk = Arc::new(FaultyFileSystem::default());
    let fs: Arc<dyn FileSystem> = Arc::clone(&disk) as _;
    let (log, ..) = open(&fs).unwrap();
    commit(&log, 0, 64);
    let position = log.append(&transaction(1, 64)).unwrap();
    // The write, then its sync.
    disk.fail_at(1, Fault::Error);
    assert!(matches!(log.wait(position), Err(LogError::Poisoned { .. })));
    assert!(matches!(log.wait(position), Err(LogError::Poisoned { .. })), "not tried twice");
    assert!(matches!(log.append(&transaction(2, 64)), Err(LogError::Poisoned { .. })));
    assert!(log.sync().is_err() && log.synced() < position);
    assert_eq!(disk.calls(), 2);
    assert!(log.close().is_err());
    // Without a crash the system still shows what it could not write.
    let seen = open(&fs).unwrap().2.0;
    assert!(seen == words(0..1) || seen == words(0..2));
    for seed in 0..20 {
        let after: Arc<dyn FileSystem> = Arc::new(disk.after_crash(seed).unwrap());
        assert_eq!(open(&after).unwrap().2.0[0], "0");
    }
}

#[test]
fn relaxed_syncs_by_itself() {
    let disk = Arc::new(GatedFileSystem::default());
    let gate = Arc::clone(&disk.gate);
    let fs: Arc<dyn FileSystem> = disk;
    let durability = Durability::Relaxed { interval: Duration::from_millis(1) };
    let options = LogOptions { durability, ..super::options() };
    let (log, ..) = open_with(&fs, Position::default(), options, Recover::Whole).unwrap();
    let position = log.append(&transaction(1, 64)).unwrap();
    log.wait(position).unwrap();
    // The segment's making is one sync, the thread's the next: it comes, however long it takes.
    drop(gate.changed.wait_while(gate.state.lock().unwrap(), |state| state.1 < 2).unwrap());
    commit(&log, 2, 64);
    log.close().unwrap();
    let (_, recovered, seen) = open(&fs).unwrap();
    assert_eq!((seen.0, recovered.is_closed), (words(1..3), true));
}

/// A writer that panics, also within a transaction that is longer than the buffer, poisons the log.
#[test]
fn nobody_waits_for_a_writer_that_was_lost() {
    for bytes in [8, 50_000] {
        let (sender, done) = channel();
        std::thread::spawn(move || {
            let disk = Arc::new(GatedFileSystem::default());
            let gate = Arc::clone(&disk.gate);
            let fs: Arc<dyn FileSystem> = disk;
            let options = LogOptions { segment_bytes: 1 << 20, ..super::options() };
            let (log, ..) = open_with(&fs, Position::default(), options, Recover::Whole).unwrap();
            commit(&log, 1, 8);
            gate.panics.store(true, Ordering::SeqCst);
            let lost = catch_unwind(AssertUnwindSafe(|| commit(&log, 2, bytes)));
            log.position();
            let is_poisoned = |done| matches!(done, Err(LogError::Poisoned { .. }));
            let next = log.append(&transaction(3, 8)).map(drop);
            sender.send((lost.is_err(), is_poisoned(next), is_poisoned(log.sync()))).unwrap();
        });
        assert_eq!(done.recv_timeout(Duration::from_secs(60)), Ok((true, true, true)), "{bytes} bytes");
    }
}
