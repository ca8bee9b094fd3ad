//! Reads on while somebody else writes: only what was synced, never half a commit.
//!
//! A block is given once a later mark covers it; those behind the greatest mark are read anew each time,
//! since the writer may crash and write others there. A half block at the end means wait. Marks say too up to
//! which timestamp all commits lie before them: what was committed later, and is read, is not to be seen yet.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use trimorph_vfs::FileSystem;

use crate::replay::{Assembler, Replayed};
use crate::segment::{HEADER_LEN, Opened, Segment, path_of};
use crate::walk::{Walked, search};
use crate::{LogError, Position};

/// A reader of a log that another process writes.
#[derive(Debug)]
pub struct Follower {
    fs: Arc<dyn FileSystem>,
    dir: PathBuf,
    database: u128,
    /// The first block that was not given yet.
    at: Position,
    synced: Position,
    committed: u64,
    /// Up to which timestamp all commits were given, as the blocks say that were given themselves.
    certain: u64,
    /// Behind the last valid block that was seen.
    seen: Position,
    /// Behind the last one that has something in it, or where the last look began.
    content: Position,
    assembler: Assembler,
}

/// Takes what is read, and the timestamp up to which all commits were read, or come in the same call.
pub type Take<'f> = dyn FnMut(Replayed<'_>, u64) -> Result<(), LogError> + 'f;

impl Follower {
    /// Follows the log from `from` on: (0, 0), or the position of a manifest.
    pub fn new(fs: Arc<dyn FileSystem>, dir: &Path, from: Position, database: u128) -> Self {
        let at = from.max(Position::new(1, HEADER_LEN));
        let (dir, assembler) = (dir.to_owned(), Assembler::default());
        let (committed, certain) = (0, 0);
        Self { fs, dir, database, at, synced: at, committed, certain, seen: at, content: at, assembler }
    }

    /// How far it has read.
    pub fn position(&self) -> Position {
        self.at
    }

    /// Up to which timestamp all commits were given, as far as marks say.
    pub fn committed(&self) -> u64 {
        self.committed
    }

    /// Behind the last valid block that there is: beyond [`Self::position`] where no mark covers it.
    pub fn seen(&self) -> Position {
        self.seen
    }

    /// Behind the last valid block that has something in it: beyond [`Self::position`] where there is
    /// something to be given that no mark covers.
    pub fn content(&self) -> Position {
        self.content
    }

    /// Gives what was synced since the last call, as far as marks of later blocks say; a follower within the
    /// writer's process may know more, and says it with `synced`.
    ///
    /// **Errors**: the system's; [`LogError::Missing`] when the writer has let the segment go: a newer
    /// manifest says where to begin. What was given before stays given.
    pub fn poll(&mut self, synced: Option<Position>, take: &mut Take<'_>) -> Result<(), LogError> {
        self.look(synced.unwrap_or_default())?;
        self.give(self.synced, self.committed, take)
    }

    /// Gives all that is there if nobody writes, as who opens the log to write would have it, and tells
    /// whether it did: then no commit is missing.
    ///
    /// The last call has looked before `is_abandoned` is asked, and this one looks again after it. Only where
    /// both have seen the same is that the end of what the last writer left: what a writer wrote between a
    /// look and its end may hold commits of an earlier time, and what is written since is another writer's.
    ///
    /// **Errors**: as [`Self::poll`].
    pub fn give_rest(
        &mut self,
        is_abandoned: &mut dyn FnMut() -> bool,
        take: &mut Take<'_>,
    ) -> Result<bool, LogError> {
        let seen = self.seen;
        if !is_abandoned() {
            return Ok(false);
        }
        self.look(Position::default())?;
        if self.seen != seen {
            return Ok(false);
        }
        self.give(seen, self.committed, take)?;
        Ok(self.at >= seen)
    }

    /// How far it was synced, first.
    fn look(&mut self, synced: Position) -> Result<(), LogError> {
        self.synced = self.synced.max(synced);
        let mut at = self.at;
        (self.seen, self.content) = (at, at);
        while let Some(mut segment) = self.segment(at.segment)? {
            while let Some((header, _, next)) = segment.block(at.offset)? {
                self.synced = self.synced.max(header.synced);
                self.committed = self.committed.max(header.committed);
                at.offset = next;
                self.seen = at;
                if header.len > 0 {
                    self.content = at;
                }
            }
            if at.offset < segment.len {
                break;
            }
            at = Position::new(at.segment + 1, HEADER_LEN);
        }
        Ok(())
    }

    /// Then what was.
    fn give(&mut self, end: Position, committed: u64, take: &mut Take<'_>) -> Result<(), LogError> {
        let apply = &mut |replayed: Replayed<'_>| take(replayed, committed);
        let mut at = self.at;
        if at >= self.seen || at >= end {
            return Ok(());
        }
        while let Some(mut segment) = self.segment(at.segment)? {
            while let Some((header, content, next)) = segment.block(at.offset)? {
                if Position::new(at.segment, next) > end {
                    return Ok(());
                }
                self.assembler.feed(&self.dir, at, &header, content, apply)?;
                // What it tells of lies before its mark, and so before itself.
                if header.committed > self.certain {
                    self.certain = header.committed;
                    apply(Replayed::Certain(self.certain))?;
                }
                self.at = Position::new(at.segment, next);
                at.offset = next;
            }
            if at.offset < segment.len {
                return Ok(());
            }
            at = Position::new(at.segment + 1, HEADER_LEN);
        }
        Ok(())
    }

    /// What is wrong, where a block that was synced cannot be read. The writer may write it meanwhile: who
    /// asks polls once more, and asks again.
    ///
    /// **Cost**: a pass over the rest of the log's headers, whatever is in it.
    pub fn damage(&mut self) -> Result<Option<LogError>, LogError> {
        let segments = crate::segment::list(&*self.fs, &self.dir)?;
        let (end, end_len) = match Segment::open(&*self.fs, &self.dir, self.seen.segment, self.database)? {
            Opened::Segment(segment) => (self.seen, Some(segment.len)),
            Opened::Unused(_) | Opened::Missing => (self.seen, None),
        };
        let synced = self.synced;
        let mut walked = Walked { segments, start: self.at, end, end_len, synced, ..Walked::default() };
        search(&*self.fs, &self.dir, self.database, &mut walked)?;
        Ok(walked.damage(&self.dir))
    }

    /// A segment, once it is there. One that is not, while later ones are, has gone.
    fn segment(&self, number: u64) -> Result<Option<Segment>, LogError> {
        Ok(match Segment::open(&*self.fs, &self.dir, number, self.database)? {
            Opened::Segment(segment) => Some(segment),
            Opened::Unused(_) => None,
            Opened::Missing => {
                let all = crate::segment::list(&*self.fs, &self.dir)?;
                if all.last().is_some_and(|last| *last > number) {
                    return Err(LogError::Missing { path: path_of(&self.dir, number) });
                }
                None
            }
        })
    }
}
