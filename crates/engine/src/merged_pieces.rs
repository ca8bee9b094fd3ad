//! Pieces that are made beside readers: where they lie, and what is said when they cannot be made.

use trimorph_store::RewriteError;
use trimorph_vfs::RegionOptions;

use crate::Error;

/// Where the pieces of a merge lie: each by itself, so that it goes by itself.
pub(crate) const MERGED: RegionOptions = RegionOptions { huge_pages: false };

/// A merge's failure, as users see it.
pub(crate) fn merge_failed(error: RewriteError) -> Error {
    Error::rewrite(error, "a merge")
}
