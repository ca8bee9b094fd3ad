//! A main version as files: immutable files of pieces, and a manifest that names them. The byte tables, the
//! cases of a crash and what is assumed of the disk are in `docs/design/files.md`.
//!
//! ```text
//! MANIFEST               the catalog, and for each table its directories
//! LOADING                there from before the first piece until the first manifest is published
//! checkpoint/N.pieces    pieces of any tables, directories among them; never changed
//! ```
//!
//! ```text
//! write      a main version  -> the pieces that are not on disk yet, then the manifest
//! read       a directory     -> a main version of pieces not read yet, and what is known of its files
//! state      a directory     -> whether it is a database, nothing, or what died
//! directory  which pieces a column, a direction or an index consists of
//! place      where a piece is; headers of files
//! catalog    names, tables, statistics
//! log_start  where the log goes on from it
//! ```

mod catalog;
mod directory;
mod error;
mod log_start;
mod place;
mod read;
mod state;
mod write;

use std::collections::{BTreeMap, HashMap};

use place::PieceRef;

pub use error::DatabaseError;
pub use log_start::LogStart;
pub use read::{
    PiecePlace, check_main, manifest_number, open_checkpoint, pieces_of, read_checkpoint, read_main,
    read_unverified,
};
pub use state::{DirectoryState, directory_state, end_first_write};
pub use write::{CheckpointReport, write_main};

/// What is known of the files of a database directory: which pieces of the main versions in memory they hold.
/// With it a checkpoint writes only what is new.
#[derive(Debug, Default)]
pub struct Checkpoint {
    /// Of the manifest; 0 before the first.
    number: u64,
    /// By id of the piece.
    pieces: HashMap<u64, PieceRef>,
    /// Directories have no life in memory: they are known by their bytes.
    directories: HashMap<Vec<u8>, PieceRef>,
    /// Length of each file.
    files: BTreeMap<u32, u64>,
    log_start: LogStart,
    /// A manifest could not be written, and may be on disk all the same: nobody knows which is.
    may_have_published: bool,
}

impl Checkpoint {
    /// Whether the directory has a manifest.
    pub fn is_written(&self) -> bool {
        self.number > 0
    }

    /// The number of the manifest.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Where the log goes on from what the manifest names.
    pub fn log_start(&self) -> LogStart {
        self.log_start
    }

    /// Files that the manifest names.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }
}
