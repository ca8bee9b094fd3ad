//! A directory and a position in, transactions out, and where the log ends and why: the rules of
//! `docs/design/log.md`, "Reading after a crash". Changes nothing.
//!
//! 1. Block after block, as long as they are valid.
//! 2. Where the next is not, every later place is asked for the header of a block. The greatest mark among
//!    them says how far the log must be whole: beyond the end is damage, else it is the torn end.

use std::path::Path;

use trimorph_vfs::FileSystem;

use crate::block::{ALIGN, CLOSED};
use crate::replay::{Apply, Assembler, Replayed};
use crate::segment::{self, HEADER_LEN, Opened, Segment, path_of};
use crate::{LogError, Position};

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// All segments that are there.
    pub(crate) segments: Vec<u64>,
    /// Where the first block was looked for.
    pub(crate) start: Position,
    /// Behind the last valid block.
    pub(crate) end: Position,
    /// Length of the segment of `end`; `None` if it is not there, or was never used.
    pub(crate) end_len: Option<u32>,
    /// The greatest mark anywhere, `start` at least.
    pub(crate) synced: Position,
    /// Headers of blocks were found behind the end, in its segment.
    pub(crate) has_later: bool,
    /// The last block says that the database was closed.
    pub(crate) is_closed: bool,
    /// Part of a transaction is at the end.
    pub(crate) is_within: bool,
    pub(crate) blocks: u64,
    pub(crate) transactions: u64,
    pub(crate) declarations: u64,
}

impl Walked {
    /// The error, if the log is not whole up to where it was synced.
    pub(crate) fn damage(&self, dir: &Path) -> Option<LogError> {
        // A segment without a header has no blocks that could have been synced.
        let has_start = self.end_len.is_some() || self.start.offset == HEADER_LEN;
        if self.synced <= self.end && has_start {
            return None;
        }
        let is_at_end = self.end_len.is_some_and(|len| self.end.offset >= len);
        let at = if is_at_end { Position::new(self.end.segment + 1, 0) } else { self.end };
        let path = path_of(dir, at.segment);
        if !self.segments.contains(&at.segment) {
            return Some(LogError::Missing { path });
        }
        let what = format!("a block that is not valid, where the log was synced up to {},", self.synced);
        Some(LogError::damaged(&path, at.offset, what))
    }
}

/// Reads the log from `from` on.
///
/// **Cost**: one pass over what is there, in windows; a transaction is held back, encoded, until its end.
pub(crate) fn walk(
    fs: &dyn FileSystem,
    dir: &Path,
    from: Position,
    database: u128,
    apply: &mut Apply<'_>,
) -> Result<Walked, LogError> {
    let start = from.max(Position::new(1, HEADER_LEN));
    let segments = segment::list(fs, dir)?;
    let mut walked = Walked { segments, start, end: start, synced: start, ..Walked::default() };
    if walked.segments.is_empty() && from == Position::default() {
        return Ok(walked);
    }
    if !walked.segments.contains(&start.segment) {
        return Err(LogError::Missing { path: path_of(dir, start.segment) });
    }
    let (mut assembler, mut certain) = (Assembler::default(), 0);
    let mut number = start.segment;
    while let Opened::Segment(mut segment) = Segment::open(fs, dir, number, database)? {
        let offset = if number == start.segment { start.offset } else { HEADER_LEN };
        (walked.end, walked.end_len) = (Position::new(number, offset), Some(segment.len));
        while let Some((header, content, next)) = segment.block(walked.end.offset)? {
            assembler.feed(dir, walked.end, &header, content, apply)?;
            // What it tells of lies before its mark, and so before itself.
            if header.committed > certain {
                certain = header.committed;
                apply(Replayed::Certain(certain))?;
            }
            walked.synced = walked.synced.max(header.synced);
            walked.is_closed = header.flags & CLOSED != 0;
            walked.blocks += 1;
            walked.end.offset = next;
        }
        if walked.end.offset < segment.len || number == u64::MAX {
            break;
        }
        number += 1;
    }
    walked.is_within = assembler.is_within();
    (walked.transactions, walked.declarations) = (assembler.transactions, assembler.declarations);
    search(fs, dir, database, &mut walked)?;
    // A segment with a block of its own at its start only: the log has not reached it.
    if walked.end.offset == HEADER_LEN && walked.end.segment > start.segment && walked.synced <= walked.end {
        step_back(fs, dir, database, &mut walked)?;
    }
    Ok(walked)
}

/// The end of the segment before is the same place as the start of one without blocks: said so, it does not
/// matter whether that segment lasts.
fn step_back(fs: &dyn FileSystem, dir: &Path, database: u128, walked: &mut Walked) -> Result<(), LogError> {
    let before = walked.end.segment - 1;
    if let Opened::Segment(segment) = Segment::open(fs, dir, before, database)? {
        (walked.end, walked.end_len) = (Position::new(before, segment.len), Some(segment.len));
        walked.has_later = false;
    }
    Ok(())
}

/// Looks for headers of blocks from the end on.
pub(crate) fn search(
    fs: &dyn FileSystem,
    dir: &Path,
    database: u128,
    walked: &mut Walked,
) -> Result<(), LogError> {
    let later: Vec<u64> = walked.segments.iter().copied().filter(|n| *n >= walked.end.segment).collect();
    for number in later {
        let opened = Segment::open(fs, dir, number, database)?;
        let (Opened::Segment(mut segment) | Opened::Unused(mut segment)) = opened else { continue };
        let is_end = number == walked.end.segment;
        let mut offset = if is_end { walked.end.offset } else { HEADER_LEN };
        while offset < segment.len {
            if let Some(header) = segment.header(offset)? {
                walked.synced = walked.synced.max(header.synced);
                walked.has_later |= is_end;
            }
            offset += ALIGN;
        }
    }
    Ok(())
}
