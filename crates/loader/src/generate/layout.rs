//! Which files a network is written as.

/// Which of LDBC's CSV layouts to write.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SnbLayout {
    /// `composite-merged-fk`: foreign keys as columns.
    #[default]
    Merged,
    /// `composite-projected-fk`: a file per relationship.
    Projected,
}
