//! A disk that fails, for tests: takes calls, fails at the one it was told to, and gives what a crash may
//! leave.
//!
//! 1. Every call counts. From call `n` on all fail ([`Fault::Crash`]: the process is gone), or all that write
//!    ([`Fault::Full`]), or only that one ([`Fault::Error`]).
//! 2. What is certain: content that was synced, names whose directory was synced after the change.
//! 3. After a crash the rest is drawn from a seed: a name may be old or new, a file not yet synced may be
//!    missing, cut or garbled. A rename happens whole or not at all.
//! 4. Of a file that is written at any place, each write since the last sync may be there, or not, each by
//!    itself, or in part: some of its runs of 512 bytes. A sync that fails forgets these writes, as Linux
//!    does: the file reads as written, the disk has them not, and the next sync succeeds.
//!
//! Source: design, `files.md` ("Assumed of the disk"); house, "simulated-disk harness".

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trimorph_base::Random;

use crate::memory_fs::{read_within, write_within};
use crate::{FileSystem, MemoryFileSystem, ReadAt, Region, RegionOptions, WriteAt};

/// How a call fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It and all that follow: nothing more reaches the disk.
    Crash,
    /// It alone.
    Error,
    /// From it on what is written does not fit: half of a file's content is there.
    Full,
}

/// What a disk writes whole.
const SECTOR_BYTES: usize = 512;

/// What a file holds.
#[derive(Clone, Debug, Default)]
struct Bytes {
    /// As who reads it sees it.
    now: Vec<u8>,
    /// As it was synced; `None` while the file is new.
    synced: Option<Vec<u8>>,
    /// What was written at a place since then, in order.
    writes: Vec<(usize, Vec<u8>)>,
}

/// Content, shared by the names a file has had.
type Content = Arc<Mutex<Bytes>>;

impl Bytes {
    fn synced(bytes: Vec<u8>) -> Self {
        Self { synced: Some(bytes.clone()), now: bytes, writes: Vec::new() }
    }

    /// Makes a new file last.
    fn sync(&mut self) {
        *self = Self::synced(std::mem::take(&mut self.now));
    }

    /// Makes what was written at places since the last sync last: not what a sync that failed has forgotten.
    fn sync_writes(&mut self) {
        let (Some(synced), writes) = (&mut self.synced, std::mem::take(&mut self.writes)) else { return };
        for (at, write) in writes {
            synced[at..at + write.len()].copy_from_slice(&write);
        }
    }

    /// What a crash may leave. `chosen` says whether something that is not certain is there.
    fn after_crash(self, draw: &mut Random, chosen: &dyn Fn(&mut Random) -> bool) -> Vec<u8> {
        let Some(mut bytes) = self.synced else {
            let mut bytes = self.now;
            match draw.below(4) {
                0 => bytes.clear(),
                1 => bytes.truncate(draw.below(bytes.len() + 1)),
                2 => {
                    let from = draw.below(bytes.len() + 1);
                    bytes[from..].fill(0);
                }
                _ => {}
            }
            return bytes;
        };
        for (at, write) in self.writes {
            // All of it, nothing, or what is drawn for each sector.
            let (whole, torn) = (chosen(draw), draw.below(3) == 0);
            let mut done = 0;
            while done < write.len() {
                let some = (SECTOR_BYTES - (at + done) % SECTOR_BYTES).min(write.len() - done);
                if if torn { chosen(draw) } else { whole } {
                    bytes[at + done..at + done + some].copy_from_slice(&write[done..done + some]);
                }
                done += some;
            }
        }
        bytes
    }
}

/// A change of names that is not certain yet.
#[derive(Clone, Debug)]
enum Change {
    Name(PathBuf, Content),
    Rename(PathBuf, PathBuf, Content),
    Remove(PathBuf),
}

impl Change {
    fn path(&self) -> &Path {
        match self {
            Self::Name(path, _) | Self::Rename(_, path, _) | Self::Remove(path) => path,
        }
    }

    fn apply(&self, names: &mut BTreeMap<PathBuf, Content>) {
        match self {
            Self::Name(path, content) => drop(names.insert(path.clone(), Arc::clone(content))),
            Self::Rename(from, to, content) => {
                names.remove(from);
                names.insert(to.clone(), Arc::clone(content));
            }
            Self::Remove(path) => drop(names.remove(path)),
        }
    }
}

#[derive(Debug, Default)]
struct State {
    calls: u64,
    fault: Option<(u64, Fault)>,
    now: BTreeMap<PathBuf, Content>,
    certain: BTreeMap<PathBuf, Content>,
    pending: Vec<Change>,
}

/// A disk that fails.
#[derive(Debug, Default)]
pub struct FaultyFileSystem {
    state: Arc<Mutex<State>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn missing() -> io::Error {
    io::Error::from(io::ErrorKind::NotFound)
}

impl FaultyFileSystem {
    /// A disk with the files of `files` on it, for certain.
    pub fn with_files(files: &MemoryFileSystem) -> io::Result<Self> {
        let state = State::default();
        let disk = Self { state: Arc::new(Mutex::new(state)) };
        let mut state = lock(&disk.state);
        for (path, bytes) in files.all() {
            state.now.insert(path, Arc::new(Mutex::new(Bytes::synced(bytes))));
        }
        state.certain = state.now.clone();
        drop(state);
        Ok(disk)
    }

    /// Fails at the `call`-th call from now on, counted from 0.
    pub fn fail_at(&self, call: u64, fault: Fault) {
        let mut state = lock(&self.state);
        state.calls = 0;
        state.fault = Some((call, fault));
    }

    /// Calls so far, or since [`Self::fail_at`].
    pub fn calls(&self) -> u64 {
        lock(&self.state).calls
    }

    /// What a crash now may leave, drawn from `seed`.
    pub fn after_crash(&self, seed: u64) -> io::Result<MemoryFileSystem> {
        let (state, mut draw) = (lock(&self.state), Random::new(seed));
        let mut names = state.certain.clone();
        // Seeds 0 and 1: nothing, and all that is not certain.
        let chosen = |draw: &mut Random| match seed {
            0 => false,
            1 => true,
            _ => draw.below(2) == 1,
        };
        for change in &state.pending {
            if chosen(&mut draw) {
                change.apply(&mut names);
            }
        }
        let files = MemoryFileSystem::default();
        for (path, content) in names {
            let bytes = lock(&content).clone().after_crash(&mut draw, &chosen);
            files.write_synced(&path, &[&bytes])?;
        }
        Ok(files)
    }

    /// Counts a call; an error if it is one that fails.
    fn call(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = lock(&self.state);
        state.call()?;
        Ok(state)
    }
}

impl State {
    fn call(&mut self) -> io::Result<()> {
        let now = self.calls;
        self.calls += 1;
        match self.fault {
            Some((at, Fault::Crash)) if now >= at => Err(io::Error::other("the machine has crashed")),
            Some((at, Fault::Error)) if now == at => Err(io::Error::other("the disk failed")),
            _ => Ok(()),
        }
    }

    fn has_crashed(&self) -> bool {
        matches!(self.fault, Some((at, Fault::Crash)) if self.calls > at)
    }

    fn change(&mut self, change: Change) {
        change.apply(&mut self.now);
        self.pending.push(change);
    }
}

/// A file of it that was opened: reads are calls too.
#[derive(Debug)]
struct Opened {
    state: Arc<Mutex<State>>,
    content: Content,
}

impl ReadAt for Opened {
    fn size(&self) -> io::Result<u64> {
        lock(&self.state).call()?;
        Ok(lock(&self.content).now.len() as u64)
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        lock(&self.state).call()?;
        read_within(&lock(&self.content).now, buffer, offset)
    }
}

impl WriteAt for Opened {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut state = lock(&self.state);
        state.call()?;
        let mut content = lock(&self.content);
        write_within(&mut content.now, bytes, offset)?;
        content.writes.push((usize::try_from(offset).map_err(io::Error::other)?, bytes.to_vec()));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = lock(&self.state);
        let answer = state.call();
        let mut content = lock(&self.content);
        match answer {
            Ok(()) => content.sync_writes(),
            Err(_) if state.has_crashed() => {}
            Err(_) => content.writes.clear(),
        }
        answer
    }
}

impl FileSystem for FaultyFileSystem {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        let content = self.call()?.now.get(path).cloned().ok_or_else(missing)?;
        Ok(Arc::new(Opened { state: Arc::clone(&self.state), content }))
    }

    fn read(&self, path: &Path, options: RegionOptions) -> io::Result<Region> {
        let state = self.call()?;
        let content = state.now.get(path).cloned().ok_or_else(missing)?;
        let bytes = lock(&content).now.clone();
        let mut region = Region::zeroed(bytes.len(), options)?;
        region.as_mut_slice().copy_from_slice(&bytes);
        Ok(region)
    }

    /// Three calls: making, writing, syncing; each may be the one that fails.
    fn write_synced(&self, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
        let content: Content = Arc::default();
        let mut state = self.call()?;
        state.change(Change::Name(path.to_owned(), Arc::clone(&content)));
        let is_full = state.fault.is_some_and(|(at, fault)| fault == Fault::Full && state.calls > at);
        drop(state);
        let mut bytes = parts.concat();
        if is_full {
            bytes.truncate(bytes.len() / 2);
        }
        lock(&content).now = bytes;
        if is_full {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        drop(self.call()?);
        drop(self.call()?);
        lock(&content).sync();
        Ok(())
    }

    /// Three calls, as above.
    fn create_sized(&self, path: &Path, len: u64) -> io::Result<Arc<dyn WriteAt>> {
        let zeros = vec![0; usize::try_from(len).map_err(io::Error::other)?];
        self.write_synced(path, &[&zeros])?;
        let content = lock(&self.state).now.get(path).cloned().ok_or_else(missing)?;
        Ok(Arc::new(Opened { state: Arc::clone(&self.state), content }))
    }

    fn open_to_write(&self, path: &Path) -> io::Result<Arc<dyn WriteAt>> {
        let content = self.call()?.now.get(path).cloned().ok_or_else(missing)?;
        Ok(Arc::new(Opened { state: Arc::clone(&self.state), content }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.call()?;
        let content = state.now.get(from).cloned().ok_or_else(missing)?;
        state.change(Change::Rename(from.to_owned(), to.to_owned(), content));
        Ok(())
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        let mut state = self.call()?;
        let state = &mut *state;
        let certain = &mut state.certain;
        state.pending.retain(|change| {
            let here = change.path().parent() == Some(path);
            if here {
                change.apply(certain);
            }
            !here
        });
        Ok(())
    }

    fn create_dir(&self, _path: &Path) -> io::Result<()> {
        self.call().map(drop)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let state = self.call()?;
        let within = state.now.keys().filter_map(|p| p.strip_prefix(path).ok()?.components().next());
        let mut names: Vec<String> = within.map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
        names.dedup();
        Ok(names)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.call()?;
        if !state.now.contains_key(path) {
            return Err(missing());
        }
        state.change(Change::Remove(path.to_owned()));
        Ok(())
    }

    fn remove_dir(&self, _path: &Path) -> io::Result<()> {
        self.call().map(drop)
    }

    fn exists(&self, path: &Path) -> bool {
        lock(&self.state).now.keys().any(|p| p.starts_with(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(files: &MemoryFileSystem, path: &str) -> Option<Vec<u8>> {
        files.read(Path::new(path), RegionOptions::default()).ok().map(|r| r.as_slice().to_vec())
    }

    #[test]
    fn only_what_was_synced_is_certain() {
        let disk = FaultyFileSystem::default();
        disk.write_synced(Path::new("d/a"), &[b"old"]).unwrap();
        assert!(content(&disk.after_crash(0).unwrap(), "d/a").is_none());
        disk.sync_dir(Path::new("d")).unwrap();
        assert_eq!(content(&disk.after_crash(0).unwrap(), "d/a").unwrap(), b"old");
        disk.write_synced(Path::new("d/b"), &[b"new"]).unwrap();
        disk.rename(Path::new("d/b"), Path::new("d/a")).unwrap();
        let seen: Vec<_> = (0..40).filter_map(|s| content(&disk.after_crash(s).unwrap(), "d/a")).collect();
        assert_eq!(seen.len(), 40, "a rename is whole or not at all");
        assert!(seen.iter().any(|c| c == b"old") && seen.iter().any(|c| c == b"new"));
        disk.remove(Path::new("d/a")).unwrap();
        assert!(!disk.exists(Path::new("d/a")));
    }

    #[test]
    fn fails_at_the_call_it_was_told() {
        let disk = FaultyFileSystem::default();
        disk.fail_at(1, Fault::Error);
        assert!(disk.write_synced(Path::new("a"), &[b"x"]).is_err());
        assert!(disk.write_synced(Path::new("a"), &[b"x"]).is_ok());
        disk.fail_at(1, Fault::Crash);
        assert!(disk.create_dir(Path::new("d")).is_ok());
        assert!(disk.create_dir(Path::new("d")).is_err() && disk.list(Path::new("d")).is_err());
        assert_eq!(disk.calls(), 3);
        disk.fail_at(0, Fault::Full);
        assert!(
            disk.write_synced(Path::new("b"), &[b"full"]).is_err() && disk.sync_dir(Path::new("")).is_ok()
        );
        assert!(disk.exists(Path::new("b")));
    }

    #[test]
    fn writes_at_places_are_certain_once_synced() {
        let (disk, path) = (FaultyFileSystem::default(), Path::new("d/a"));
        let file = disk.create_sized(path, 2_048).unwrap();
        disk.sync_dir(Path::new("d")).unwrap();
        file.write_all_at(b"one", 10).unwrap();
        file.sync_data().unwrap();
        file.write_all_at(b"two", 10).unwrap();
        file.write_all_at(&[7; 1_024], 512).unwrap();
        let after = |seed| content(&disk.after_crash(seed).unwrap(), "d/a").unwrap();
        assert!(after(0)[10..13] == *b"one" && after(0)[512..].iter().all(|b| *b == 0));
        assert!(after(1)[10..13] == *b"two" && after(1)[512..1_536].iter().all(|b| *b == 7));
        let seen: std::collections::BTreeSet<_> =
            (0..100).map(after).map(|bytes| (bytes[10], bytes[512], bytes[1_024])).collect();
        assert_eq!(seen.len(), 8, "each write and each sector by itself");
        // A sync that fails forgets what it could not write, and the next one says nothing of it.
        disk.fail_at(0, Fault::Error);
        assert!(file.sync_data().is_err() && file.sync_data().is_ok());
        assert!(after(1)[10..13] == *b"one", "not on the disk");
        assert_eq!(content_now(&disk, path)[10..13], *b"two", "but to be read");
        assert!(file.write_all_at(b"beyond", 2_046).is_err());
        file.write_all_at(b"six", 10).unwrap();
        disk.open_to_write(path).unwrap().sync_data().unwrap();
        assert!(after(0)[10..13] == *b"six" && after(0)[512] == 0);
    }

    fn content_now(disk: &FaultyFileSystem, path: &Path) -> Vec<u8> {
        disk.read(path, RegionOptions::default()).unwrap().as_slice().to_vec()
    }
}
