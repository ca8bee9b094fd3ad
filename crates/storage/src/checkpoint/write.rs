//! Takes a main version and what is on disk already, writes the difference.
//!
//! 0. A directory without a manifest gets a file that says so, which is removed after step 4 (`state`).
//! 1. Pieces that no file holds are new. Where much in files is dead, those of the files of which least is
//!    alive are written again, and so are those of small files once there are many.
//! 2. New pieces go, in the order of tables, into new files, then the directories that are
//!    new.
//! 3. Each file is written and synced, then their folder.
//! 4. The manifest is replaced by rename: the moment of publication.
//! 5. Files that it does not name are removed. What cannot be removed now is removed next time.
//!
//! Invariant: a file that some manifest on disk names is never written again. What fails leaves the state as
//! it was; the files written so far are nobody's, and are removed at once: they may have the room that others
//! need. Those that a crash left go before the next are written. Where a manifest may or may not be on disk,
//! what it names stays, and has numbers that are not used again.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use trimorph_vfs::{Encoder, FileSystem, PIECE_ALIGN, Piece, Pins, RegionOptions, checksum};

use super::catalog::write_catalog;
use super::directory::{write_adjacency, write_column, write_key_index, write_pages, write_value_index};
use super::place::{
    self, FILE_HEADER_BYTES, PieceRef, check_manifest, file_header, folder, number_of, piece_file,
};
use super::state::{begin_first_write, end_first_write};
use super::{Checkpoint, DatabaseError, LogStart};
use crate::{Main, ValueIndex};

/// A file is filled up to a part of all pieces: what dies in one lets little else be written again, and
/// little is there twice meanwhile. A larger piece has one to itself.
const FILE_PART: usize = 16;
/// The least and the most that is.
const FILE_BYTES: RangeInclusive<usize> = 2 << 20..=64 << 20;
/// What is dead in files may take this part of what is alive. The less, the more is written again of what is
/// alive beside it.
const DEAD_PART: u64 = 6;
/// And so many bytes in any case.
const DEAD_BYTES: u64 = 2 << 20;
/// Files shorter than this are small: each is an open and a sync.
const SMALL_FILE_BYTES: u64 = 1 << 20;
/// So many small files are put together.
const SMALL_FILES_MAX: usize = 32;

/// What a checkpoint did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckpointReport {
    /// Bytes written, the manifest included.
    pub bytes: u64,
    /// Pieces written, directories included.
    pub pieces: usize,
    /// Files written, without the manifest.
    pub files: usize,
    /// Files removed.
    pub removed: usize,
    /// Bytes of the manifest.
    pub manifest: u64,
}

/// Writes `main` into directory `dir` as its new main version, whatever is there.
pub fn write_main(fs: &dyn FileSystem, dir: &Path, main: &Main) -> Result<(), DatabaseError> {
    Checkpoint::default().write(fs, dir, main).map(drop)
}

/// A file being filled: its parts are pieces in memory and directories made just now.
struct FilePlan<'a> {
    number: u32,
    len: usize,
    parts: Vec<Part<'a>>,
}

enum Part<'a> {
    Piece(&'a Arc<Piece>),
    Directory(Vec<u8>),
}

impl Part<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Piece(piece) => piece.size(),
            Self::Directory(bytes) => bytes.len(),
        }
    }

    /// Its bytes; a piece must be pinned.
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Piece(piece) => piece.as_slice(),
            Self::Directory(bytes) => bytes,
        }
    }
}

/// The files to be written, and where everything is.
struct Plan<'a> {
    files: Vec<FilePlan<'a>>,
    /// How long they become.
    file_bytes: usize,
    next_number: u32,
    pieces: HashMap<u64, PieceRef>,
    directories: HashMap<Vec<u8>, PieceRef>,
    written: usize,
}

impl<'a> Plan<'a> {
    fn place(&mut self, part: Part<'a>, checksum: u64) -> PieceRef {
        let len = part.len();
        let full = |f: &FilePlan<'_>| !f.parts.is_empty() && f.len + len > self.file_bytes;
        if self.files.last().is_none_or(full) {
            self.files.push(FilePlan { number: self.next_number, len: FILE_HEADER_BYTES, parts: Vec::new() });
            self.next_number += 1;
        }
        self.written += 1;
        let units = |bytes: usize| u32::try_from(bytes / PIECE_ALIGN).unwrap_or(u32::MAX);
        match self.files.last_mut() {
            Some(file) => {
                let place =
                    PieceRef { file: file.number, offset: units(file.len), len: units(len), checksum };
                file.len += len;
                file.parts.push(part);
                place
            }
            None => PieceRef { file: 0, offset: 0, len: 0, checksum },
        }
    }

    /// The place of a directory of these bytes; written if no file has it.
    fn directory(&mut self, bytes: Vec<u8>, known: &HashMap<Vec<u8>, PieceRef>) -> PieceRef {
        if let Some(place) = self.directories.get(&bytes).or(known.get(&bytes)).copied() {
            self.directories.insert(bytes, place);
            return place;
        }
        let sum = checksum(&[&bytes]);
        let place = self.place(Part::Directory(bytes.clone()), sum);
        self.directories.insert(bytes, place);
        place
    }
}

impl Checkpoint {
    /// As [`Self::write_from`], with a log that goes on from where it did before.
    pub fn write(
        &mut self,
        fs: &dyn FileSystem,
        dir: &Path,
        main: &Main,
    ) -> Result<CheckpointReport, DatabaseError> {
        self.write_from(fs, dir, main, self.log_start)
    }

    /// Writes what `main` has and the files have not, and publishes it as the directory's main version, from
    /// which the log goes on at `log_start`.
    ///
    /// **Errors**: the system's answer about a file, by name; the version before is whole then, and so is
    /// this state.
    pub fn write_from(
        &mut self,
        fs: &dyn FileSystem,
        dir: &Path,
        main: &Main,
        log_start: LogStart,
    ) -> Result<CheckpointReport, DatabaseError> {
        let folder = folder(dir);
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| DatabaseError::Io { path, error }
        };
        if self.number == 0 {
            begin_first_write(fs, dir)?;
        }
        fs.create_dir(&folder).map_err(failed(&folder))?;
        let there = fs.list(&folder).map_err(failed(&folder))?;
        let last = there.iter().filter_map(|n| number_of(n)).chain(self.files.keys().copied()).max();
        let next_number = last.map_or(1, |n| n.saturating_add(1));
        let has_others = self.others(&there).next().is_some();
        // Who died before may have left its manifest where a crash of the machine still brings back the one
        // before, which names some of them.
        if has_others && self.number != 0 && !self.may_have_published && fs.sync_dir(dir).is_ok() {
            self.remove_others(fs, &folder, &there);
        }
        let (mut plan, manifest) = self.plan(main, next_number);
        let mut report =
            CheckpointReport { pieces: plan.written, files: plan.files.len(), ..Default::default() };
        let written = write_files(fs, dir, &plan.files);
        let mut files = written.inspect_err(|_| remove_files(fs, dir, &plan.files))?;
        report.bytes = files.values().sum();
        for place in plan.pieces.values().chain(plan.directories.values()) {
            if let Some(len) = self.files.get(&place.file) {
                files.insert(place.file, *len);
            }
        }
        let mut payload = Encoder::new();
        log_start.write(&mut payload);
        payload.u64(files.len() as u64);
        for (number, len) in &files {
            payload.u32(*number);
            payload.u64(*len);
        }
        let payload = [payload.finish(), manifest].concat();
        let path = dir.join("MANIFEST");
        let bytes = place::manifest(self.number + 1, &payload);
        self.may_have_published = true;
        let done = fs.write_atomic(&path, &bytes).map_err(failed(&path));
        if done.is_err() && is_published(fs, dir, self.number) {
            remove_files(fs, dir, &plan.files);
            self.may_have_published = false;
        }
        done?;
        self.may_have_published = false;
        report.manifest = bytes.len() as u64;
        report.bytes += bytes.len() as u64;
        end_first_write(fs, dir);
        self.number += 1;
        self.log_start = log_start;
        self.pieces = std::mem::take(&mut plan.pieces);
        self.directories = std::mem::take(&mut plan.directories);
        self.files = files;
        report.removed = self.remove_others(fs, &folder, &fs.list(&folder).unwrap_or_default());
        Ok(report)
    }

    /// What is in the folder and not named by the manifest.
    fn others<'n>(&self, there: &'n [String]) -> impl Iterator<Item = &'n String> {
        there.iter().filter(|name| number_of(name).is_none_or(|n| !self.files.contains_key(&n)))
    }

    /// Removes it; tells how much of it could be.
    fn remove_others(&self, fs: &dyn FileSystem, folder: &Path, there: &[String]) -> usize {
        self.others(there).filter(|name| remove(fs, &folder.join(name))).count()
    }

    /// What is to be written, and what the manifest says behind its list of files.
    fn plan<'a>(&self, main: &'a Main, next_number: u32) -> (Plan<'a>, Vec<u8>) {
        let all: Vec<&Arc<Piece>> = main.pieces().collect();
        let bytes = all.iter().map(|piece| piece.size()).sum::<usize>();
        let mut plan = Plan {
            files: Vec::new(),
            file_bytes: (bytes / FILE_PART).clamp(*FILE_BYTES.start(), *FILE_BYTES.end()),
            next_number,
            pieces: HashMap::new(),
            directories: HashMap::new(),
            written: 0,
        };
        let renewed = self.files_to_renew(&all);
        for piece in all {
            let known = self.pieces.get(&piece.id()).filter(|place| !renewed.contains(&place.file));
            let place = match known {
                Some(place) => *place,
                None => plan.place(Part::Piece(piece), piece.checksum()),
            };
            plan.pieces.insert(piece.id(), place);
        }
        let known: HashMap<Vec<u8>, PieceRef> = (self.directories.iter())
            .filter(|(_, place)| !renewed.contains(&place.file))
            .map(|(bytes, place)| (bytes.clone(), *place))
            .collect();
        let pieces = std::mem::take(&mut plan.pieces);
        let places = |piece: &Piece| {
            let nowhere = PieceRef { file: 0, offset: 0, len: 0, checksum: 0 };
            pieces.get(&piece.id()).copied().unwrap_or(nowhere)
        };
        let mut meta = Encoder::new();
        write_catalog(main, &mut meta);
        meta.u64(main.merged_at);
        for table in &main.node_tables {
            meta.u64(table.columns.len() as u64);
            for column in &table.columns {
                plan.directory(write_column(column, &places), &known).write(&mut meta);
            }
            meta.u8(u8::from(table.key_index.is_some()));
            if let Some(index) = &table.key_index {
                plan.directory(write_key_index(index, &places), &known).write(&mut meta);
            }
            write_indexes(&table.value_indexes, &mut meta, |index| {
                plan.directory(write_value_index(index, &places), &known)
            });
            meta.u64(table.composite_indexes.len() as u64);
            for (columns, index) in &table.composite_indexes {
                meta.u64(columns.len() as u64);
                columns.iter().for_each(|column| meta.u64(*column as u64));
                plan.directory(write_value_index(index, &places), &known).write(&mut meta);
            }
            for column in [&table.labels, &table.missing] {
                meta.u8(u8::from(column.is_some()));
                if let Some(column) = column {
                    plan.directory(write_column(column, &places), &known).write(&mut meta);
                }
            }
        }
        for table in &main.edge_tables {
            meta.u8(table.places.bits());
            meta.u64(table.places.overflow().len() as u64);
            for part in table.places.overflow() {
                meta.u64(part.page);
                meta.u64(part.part);
            }
            for adjacency in std::iter::once(&table.forward).chain(table.backward.iter().map(|(_, a)| a)) {
                plan.directory(write_adjacency(adjacency, &places), &known).write(&mut meta);
            }
            let stored = !table.pages.slots().is_empty();
            meta.u8(u8::from(stored));
            if stored {
                plan.directory(write_pages(&table.pages, &places), &known).write(&mut meta);
            }
            meta.u64(table.columns.len() as u64);
            for column in &table.columns {
                plan.directory(write_column(column, &places), &known).write(&mut meta);
            }
            write_indexes(&table.value_indexes, &mut meta, |index| {
                plan.directory(write_value_index(index, &places), &known)
            });
        }
        plan.pieces = pieces;
        (plan, meta.finish())
    }

    /// The files that are written again: those of which least is alive, until what is dead in the others is a
    /// small part of what is alive; and small ones if there are many.
    fn files_to_renew(&self, all: &[&Arc<Piece>]) -> HashSet<u32> {
        let mut alive: BTreeMap<u32, u64> = self.files.keys().map(|n| (*n, 0)).collect();
        let pieces = all.iter().filter_map(|piece| self.pieces.get(&piece.id()));
        // Directories as of the last time: which of them change is not known yet.
        for place in pieces.chain(self.directories.values()) {
            *alive.entry(place.file).or_insert(0) += place.range().1 as u64;
        }
        let length = |number: &u32| self.files.get(number).copied().unwrap_or(0);
        let most = (alive.values().sum::<u64>() / DEAD_PART).max(DEAD_BYTES);
        // Of a file of which nothing is alive nothing is written.
        let dead_of = |number: &u32, alive: u64| length(number).saturating_sub(alive);
        let mut files: Vec<(u32, u64)> = alive.iter().map(|(n, alive)| (*n, *alive)).collect();
        let mut dead: u64 = files.iter().filter(|(_, alive)| *alive > 0).map(|(n, a)| dead_of(n, *a)).sum();
        let part = |number: &u32, alive: u64| alive as f64 / length(number).max(1) as f64;
        files.sort_by(|(n, a), (m, b)| part(n, *a).total_cmp(&part(m, *b)));
        let mut renewed = HashSet::new();
        for (number, alive) in files {
            if alive > 0 && dead <= most {
                break;
            }
            if alive > 0 {
                dead -= dead_of(&number, alive);
            }
            renewed.insert(number);
        }
        let small: Vec<u32> = alive.into_keys().filter(|n| length(n) < SMALL_FILE_BYTES).collect();
        if small.len() > SMALL_FILES_MAX {
            renewed.extend(small);
        }
        renewed
    }
}

/// The indexes of a table: their columns, and where their directories are.
fn write_indexes(
    indexes: &[(usize, ValueIndex)],
    meta: &mut Encoder,
    mut place: impl FnMut(&ValueIndex) -> PieceRef,
) {
    meta.u64(indexes.len() as u64);
    for (column, index) in indexes {
        meta.u64(*column as u64);
        place(index).write(meta);
    }
}

/// Writes files of pieces, and tells how long each is; all of them last.
fn write_files(
    fs: &dyn FileSystem,
    dir: &Path,
    files: &[FilePlan<'_>],
) -> Result<BTreeMap<u32, u64>, DatabaseError> {
    let mut lens = BTreeMap::new();
    for file in files {
        let path = piece_file(dir, file.number);
        let header = file_header(file.number);
        // A file's worth at a time: what is written again may be in another file only.
        let pins = Pins::default();
        for part in &file.parts {
            if let Part::Piece(piece) = part {
                pins.pin(piece);
            }
        }
        if let Some(error) = pins.failure() {
            return Err(error.into());
        }
        let parts = std::iter::once(&header[..]).chain(file.parts.iter().map(Part::bytes));
        fs.write_synced(&path, &parts.collect::<Vec<_>>()).map_err(|e| DatabaseError::io(&path, e))?;
        lens.insert(file.number, file.len as u64);
    }
    if !files.is_empty() {
        let folder = folder(dir);
        fs.sync_dir(&folder).map_err(|e| DatabaseError::io(&folder, e))?;
    }
    Ok(lens)
}

/// Removes files that no manifest names.
fn remove_files(fs: &dyn FileSystem, dir: &Path, files: &[FilePlan<'_>]) {
    for file in files {
        let _ = fs.remove(&piece_file(dir, file.number));
    }
}

/// Whether the manifest of this number is the directory's, or none is where it is 0: none after it was put in
/// its place.
fn is_published(fs: &dyn FileSystem, dir: &Path, number: u64) -> bool {
    let path = dir.join("MANIFEST");
    match fs.read(&path, RegionOptions { huge_pages: false }) {
        Ok(bytes) => check_manifest(bytes.as_slice(), true).is_ok_and(|there| there.number == number),
        Err(error) => number == 0 && error.kind() == ErrorKind::NotFound,
    }
}

/// Whether a file, or an old folder with its files, is gone.
fn remove(fs: &dyn FileSystem, path: &Path) -> bool {
    if fs.remove(path).is_ok() {
        return true;
    }
    for name in fs.list(path).unwrap_or_default() {
        let _ = fs.remove(&path.join(name));
    }
    fs.remove_dir(path).is_ok()
}
