//! Checkpoints beside readers and writers: what is committed goes into files, and the log before it goes.
//!
//! 1. The place in the log is taken. What was ordered before is waited for: then it is published.
//! 2. What is published is merged into main.
//! 3. New pieces are written, and a manifest that names the main version, its time and the place in the log.
//!    Opening passes over what the log says up to that time.
//! 4. The log before that place is let go.
//!
//! Invariant: every commit is in the main version that the manifest names, or behind the place in the log. A
//! crash at any point leaves the manifest before, with the log that it needs.
//!
//! Source: `docs/design/log.md`, "When segments go"; design `live.md` §2.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use trimorph_base::{CancelToken, much_was_freed, return_spare_memory};
use trimorph_log::Position;
use trimorph_store::{LogStart, Main, open_checkpoint};

use crate::Error;
use crate::log_length::{SEGMENTS_MAX, segment_bytes};
use crate::merged_pieces::{MERGED, merge_failed};
use crate::shared::Shared;
use crate::waiting::lock_until;

/// Pieces that are only in memory may take this part of the memory limit. Beyond, they are read from the
/// files of the checkpoint, and dropped when memory is short.
const UNSTORED_PART: usize = 8;

impl Shared {
    /// Puts all that is committed now into the files of the directory; merges only, in memory.
    ///
    /// **Errors**: what merging and writing fail with; the files are as before then. [`Error::Cancelled`].
    pub(crate) fn checkpoint(&self, cancel: &CancelToken) -> Result<(), Error> {
        let (Some(dir), Some(journal)) = (&self.dir, self.journal.get()) else {
            // Nobody has written since the files were.
            return self.merge(cancel).map(drop);
        };
        self.belongs_here()?;
        let mut checkpoint = lock_until(&self.checkpoint, cancel)?;
        *self.checkpointed.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        let before = checkpoint.log_start();
        let start = self.log_start(before)?;
        if (start.committed, start.segment, start.offset) == (before.committed, before.segment, before.offset)
        {
            return Ok(());
        }
        // After the place in the log: what was declared before it is there. What a load published since has
        // a later time than the merge, and needs another one.
        let mut main = loop {
            self.merge(cancel)?;
            let main = self.base().main().clone();
            if main.merged_at >= self.loaded_at.load(Ordering::Acquire) {
                break main;
            }
        };
        main.complete(MERGED).map_err(merge_failed)?;
        // It may have more than was asked for.
        let start = LogStart { committed: main.merged_at, ..start };
        checkpoint.write_from(&*self.fs, dir, &main, start)?;
        let unstored = main.piece_bytes().saturating_sub(main.stored_bytes());
        if unstored > self.config.memory_limit_bytes / UNSTORED_PART || !self.loads.is_empty() {
            let (stored, state) = open_checkpoint(&*self.fs, dir, &self.pool)?;
            *checkpoint = state;
            self.take_stored(stored);
        }
        self.loads.release(&*self.fs, start.committed);
        drop(checkpoint);
        journal.set_segment_bytes(segment_bytes(&self.config, main.piece_bytes()))?;
        journal.release(Position::new(start.segment, start.offset))
    }

    /// The main version as its files have it takes the place of the one in memory, unless there is a later
    /// one.
    fn take_stored(&self, stored: Main) {
        let mut snapshot = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        let is_whole = self.loaded_at.load(Ordering::Acquire) <= stored.merged_at;
        if is_whole && snapshot.main().merged_at == stored.merged_at {
            let main = stored.grown_like(snapshot.main());
            *snapshot = self.snapshot_of(Arc::new(main));
        }
    }

    /// Makes a checkpoint because somebody asked for it: he is done with something, and what that took is not
    /// needed any more.
    pub(crate) fn checkpoint_and_tidy(&self, cancel: &CancelToken) -> Result<(), Error> {
        let done = self.checkpoint(cancel);
        much_was_freed();
        return_spare_memory();
        done
    }

    /// Makes a checkpoint because the database is about to be closed, so that it is opened at once.
    pub(crate) fn checkpoint_at_close(&self) -> Result<(), Error> {
        match self.config.checkpoint_on_close && !self.config.read_only && self.dir.is_some() {
            true => self.checkpoint(&CancelToken::default()),
            false => Ok(()),
        }
    }

    /// How long until a checkpoint is due because of time; none where it never is.
    pub(crate) fn until_checkpoint(&self) -> Option<Duration> {
        let interval = self.config.checkpoint_interval?;
        self.journal.get()?;
        let last = *self.checkpointed.lock().unwrap_or_else(PoisonError::into_inner);
        Some(interval.saturating_sub(last.elapsed()))
    }

    /// Makes a checkpoint if the log has become long, or the last one is long ago.
    pub(crate) fn checkpoint_if_due(&self) -> Result<(), Error> {
        if self.journal.get().is_none() {
            return Ok(());
        }
        if self.until_checkpoint().is_some_and(|left| left.is_zero()) {
            // Where nothing was committed since nothing is written.
            return self.checkpoint(&CancelToken::default());
        }
        let start = self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner).log_start();
        let segment = self.log_segment()?;
        if segment.saturating_sub(start.segment.max(1)) >= SEGMENTS_MAX {
            self.checkpoint(&CancelToken::default())?;
        }
        Ok(())
    }
}
