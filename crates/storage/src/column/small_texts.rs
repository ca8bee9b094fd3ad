//! The texts of a column of few rows, decoded once: rows of a large table lead to each of them again and
//! again, and then are codes.

use std::sync::Arc;

use trimorph_vector::{Entries, Nulls};

/// All texts of a column, by row.
pub(super) struct SmallTexts<'s> {
    pub(super) entries: Entries<'s>,
    pub(super) nulls: Nulls,
}

/// What became of the texts of a column of few rows.
pub(super) enum Small<'s> {
    /// So many were asked for one by one.
    Asked(usize),
    Kept(Arc<SmallTexts<'s>>),
    /// It has too many rows, or too long texts.
    Never,
}
