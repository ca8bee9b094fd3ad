//! Opening: a directory in, what was committed out, and a log that goes on behind it.
//!
//! 1. Files that were not finished are removed.
//! 2. The log is read (`walk`); damage is refused, or set aside.
//! 3. What lies behind the end is made to be nothing: the rest of the last segment is zeroed where blocks
//!    were found in it, later segments are removed. So no block of before comes to life when others are
//!    written.
//! 4. The names of the segments are made to last, and what was read and is not certain to be on the disk is
//!    written again and synced, since the first block that is written says so. A sync alone is not enough:
//!    after one that failed the system may have dropped what it still lets us read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use trimorph_vfs::{FileSystem, RegionOptions, WriteAt};

use crate::replay::{Apply, Replayed};
use crate::segment::path_of;
use crate::walk::{Walked, walk};
use crate::{LogError, Position};

/// What is done about damage.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Recover {
    /// Refused.
    #[default]
    Whole,
    /// What lies before it is opened, the rest is kept aside as `*.damaged`.
    ToDamage,
}

/// What was found when the log was opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recovered {
    /// Where the log goes on.
    pub end: Position,
    /// Transactions and declarations that were given.
    pub transactions: u64,
    /// Declarations that were given.
    pub declarations: u64,
    /// The database was closed: nothing can have been lost.
    pub is_closed: bool,
    /// Part of a transaction was left out at the end.
    pub has_left_out: bool,
    /// What was lost to damage: the log was synced up to there.
    pub lost: Option<Position>,
}

/// A log that is ready to be written.
pub(crate) struct Ready {
    pub(crate) recovered: Recovered,
    pub(crate) walked: Walked,
    /// The segment in which it goes on, if there is one.
    pub(crate) file: Option<Arc<dyn WriteAt>>,
}

pub(crate) fn recover(
    fs: &dyn FileSystem,
    dir: &Path,
    from: Position,
    database: u128,
    recover: Recover,
    apply: &mut Apply<'_>,
) -> Result<Ready, LogError> {
    let walked = walk(fs, dir, from, database, apply)?;
    let damage = walked.damage(dir);
    if let (Some(damage), Recover::Whole) = (&damage, recover) {
        return Err(damage.clone());
    }
    let later: Vec<u64> = walked.segments.iter().copied().filter(|n| *n > walked.end.segment).collect();
    if damage.is_some() {
        set_aside(fs, dir, &walked)?;
    }
    remove_temporary(fs, dir)?;
    let mut has_changed = false;
    for number in later {
        let path = path_of(dir, number);
        fs.remove(&path).map_err(|error| LogError::io(&path, error))?;
        has_changed = true;
    }
    let path = path_of(dir, walked.end.segment);
    let file = match walked.end_len {
        Some(len) => {
            let failed = |error| LogError::io(&path, error);
            let file = fs.open_to_write(&path).map_err(failed)?;
            if walked.has_later || damage.is_some() {
                zero(&*file, walked.end.offset, len).map_err(failed)?;
            }
            Some(file)
        }
        None => {
            if walked.segments.contains(&walked.end.segment) {
                fs.remove(&path).map_err(|error| LogError::io(&path, error))?;
                has_changed = true;
            }
            None
        }
    };
    // Names, too, are read as they were written, and need not last where a sync of theirs failed.
    if has_changed || fs.exists(dir) {
        let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty());
        for dir in [dir].into_iter().chain(parent) {
            fs.sync_dir(dir).map_err(|error| LogError::io(dir, error))?;
        }
    }
    let certain = walked.synced.min(walked.end);
    for number in certain.segment..=walked.end.segment {
        let path = path_of(dir, number);
        if walked.segments.contains(&number) && (number != walked.end.segment || file.is_some()) {
            let from = if number == certain.segment { certain.offset } else { 0 };
            let end = if number == walked.end.segment { Some(walked.end.offset) } else { None };
            write_again(fs, &path, from, end).map_err(|error| LogError::io(&path, error))?;
        }
    }
    let recovered = recovered(&walked, damage.map(|_| walked.synced));
    Ok(Ready { recovered, walked, file })
}

/// Reads a log without changing anything: for who opens a database only to read it. A writer may be at it
/// meanwhile; then what looks like damage may be gone when it is read again.
///
/// **Errors**: as [`crate::Log::open`].
pub fn read(
    fs: &dyn FileSystem,
    dir: &Path,
    from: Position,
    database: u128,
    apply: &mut dyn FnMut(Replayed<'_>) -> Result<(), LogError>,
) -> Result<Recovered, LogError> {
    let walked = walk(fs, dir, from, database, apply)?;
    walked.damage(dir).map_or_else(|| Ok(recovered(&walked, None)), Err)
}

fn recovered(walked: &Walked, lost: Option<Position>) -> Recovered {
    Recovered {
        end: walked.end,
        transactions: walked.transactions,
        declarations: walked.declarations,
        is_closed: walked.is_closed,
        has_left_out: walked.is_within,
        lost,
    }
}

/// Writes what is in a file from one place to another, or to its end, once more, and syncs it.
fn write_again(fs: &dyn FileSystem, path: &Path, from: u32, end: Option<u32>) -> std::io::Result<()> {
    let (reader, writer) = (fs.open(path)?, fs.open_to_write(path)?);
    let end = end.map_or_else(|| reader.size(), |end| Ok(end.into()))?;
    let mut bytes = vec![0; 256 << 10];
    let mut at = u64::from(from);
    while at < end {
        let some = usize::try_from(end - at).map_or(bytes.len(), |left| left.min(bytes.len()));
        reader.read_exact_at(&mut bytes[..some], at)?;
        writer.write_all_at(&bytes[..some], at)?;
        at += some as u64;
    }
    writer.sync_data()
}

fn zero(file: &dyn WriteAt, from: u32, len: u32) -> std::io::Result<()> {
    const ZEROS: [u8; 16 << 10] = [0; 16 << 10];
    let mut at = from as usize;
    while at < len as usize {
        let some = ZEROS.len().min(len as usize - at);
        file.write_all_at(&ZEROS[..some], at as u64)?;
        at += some;
    }
    file.sync_data()
}

fn remove_temporary(fs: &dyn FileSystem, dir: &Path) -> Result<(), LogError> {
    if !fs.exists(dir) {
        return Ok(());
    }
    for name in fs.list(dir).map_err(|error| LogError::io(dir, error))? {
        if name.ends_with(".log.tmp") {
            let path = dir.join(name);
            fs.remove(&path).map_err(|error| LogError::io(&path, error))?;
        }
    }
    Ok(())
}

/// Copies what is damaged, and all behind it, before it is changed. A copy that is there already is of before
/// a crash in here, and has more.
fn set_aside(fs: &dyn FileSystem, dir: &Path, walked: &Walked) -> Result<(), LogError> {
    for number in walked.segments.iter().filter(|number| **number >= walked.end.segment) {
        let path = path_of(dir, *number);
        let mut aside = path.clone().into_os_string();
        aside.push(".damaged");
        let aside = PathBuf::from(aside);
        if fs.exists(&aside) {
            continue;
        }
        let bytes = fs.read(&path, RegionOptions::default()).map_err(|error| LogError::io(&path, error))?;
        fs.write_atomic(&aside, bytes.as_slice()).map_err(|error| LogError::io(&aside, error))?;
    }
    Ok(())
}
