//! What a hash join is told: where both sides have keys, and what is kept of them.

/// Slots of both sides. Output slots: `probe_keep`, then `build_keep`.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) probe_slots: usize,
    pub(crate) build_slots: usize,
    pub(crate) probe_keys: Vec<usize>,
    pub(crate) build_keys: Vec<usize>,
    pub(crate) probe_keep: Vec<usize>,
    pub(crate) build_keep: Vec<usize>,
    /// Build rows with one key are one row: it is asked whether a key is there, not how often.
    pub(crate) once: bool,
    /// The build side does not depend on the rows of an apply around.
    pub(crate) constant: bool,
    /// Which key is passed down to where the probe side first has it, if one is: its place among the keys,
    /// and the number by which they are found there.
    pub(crate) passed: Option<(usize, usize)>,
}
