//! Reads on while somebody else writes: only what was synced, never half a commit.
//!
//! A block is given once a later mark covers it; those behind the greatest mark are read anew each time,
//! since the writer may crash and write others there. A half block at the end means wait.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use trimorph_vfs::FileSystem;

use crate::replay::{Assembler, Replayed};
use crate::segment::{HEADER_LEN, Opened, Segment, path_of};
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
    assembler: Assembler,
}

impl Follower {
    /// Follows the log from `from` on: (0, 0), or the position of a manifest.
    pub fn new(fs: Arc<dyn FileSystem>, dir: &Path, from: Position, database: u128) -> Self {
        let at = from.max(Position::new(1, HEADER_LEN));
        Self { fs, dir: dir.to_owned(), database, at, synced: at, assembler: Assembler::default() }
    }

    /// How far it has read.
    pub fn position(&self) -> Position {
        self.at
    }

    /// Gives what was synced since the last call, as far as marks of later blocks say; a follower within the
    /// writer's process may know more, and says it with `synced`.
    ///
    /// **Errors**: the system's; [`LogError::Missing`] when the writer has let the segment go: a newer
    /// manifest says where to begin. What was given before stays given.
    pub fn poll(
        &mut self,
        synced: Option<Position>,
        apply: &mut dyn FnMut(Replayed<'_>) -> Result<(), LogError>,
    ) -> Result<(), LogError> {
        self.synced = self.synced.max(synced.unwrap_or_default());
        let mut is_looking = true;
        // First how far it was synced, then what was.
        for _ in 0..2 {
            let mut at = self.at;
            while let Some(mut segment) = self.segment(at.segment)? {
                while let Some((header, content, next)) = segment.block(at.offset)? {
                    if is_looking {
                        self.synced = self.synced.max(header.synced);
                    } else if Position::new(at.segment, next) > self.synced {
                        return Ok(());
                    } else {
                        self.assembler.feed(&self.dir, at, &header, content, apply)?;
                        self.at = Position::new(at.segment, next);
                    }
                    at.offset = next;
                }
                if at.offset < segment.len {
                    break;
                }
                at = Position::new(at.segment + 1, HEADER_LEN);
            }
            is_looking = false;
        }
        Ok(())
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
