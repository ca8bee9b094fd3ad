//! What the optimizer may do: switches for tests and measurements.

/// What the optimizer may do; everything on but for tests and the bench.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Order joins by cost; off keeps the order of the text.
    pub reorder: bool,
    /// Count leaves that nobody looks at instead of making them: the passes `count_trails` and `hang_counts`.
    pub count: bool,
    /// Intersect lists for cycles; off expands and checks.
    pub intersect: bool,
    /// Find nodes that pass a condition once, where it would be asked of each of them many times.
    pub semi_join: bool,
    /// Plan parts of a pattern by themselves and join them by hash, where that is cheaper.
    pub hash_join: HashJoins,
    /// Look after each pass whether the plan still holds together. On in debug builds unless told.
    pub check: bool,
    /// Passes that are switched off: see [`Self::without`].
    pub off: Switches,
    /// Bytes that operators may keep in memory, together. What would keep far more is done otherwise, where
    /// there is another way.
    pub room_bytes: usize,
}

/// Passes that are switched off, by their place in the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Switches(pub(crate) u64);

/// When parts of a pattern are joined by hash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HashJoins {
    /// Never.
    Off,
    /// Where it is cheaper.
    Cost,
    /// Wherever it can be: for tests.
    Always,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            reorder: true,
            count: true,
            intersect: true,
            semi_join: true,
            hash_join: HashJoins::Cost,
            check: cfg!(debug_assertions),
            off: Switches::default(),
            room_bytes: usize::MAX,
        }
    }
}

impl Options {
    /// The same within so many bytes of memory.
    pub fn within(self, room_bytes: usize) -> Self {
        Self { room_bytes, ..self }
    }

    /// Everything that answers do not depend on switched off.
    pub fn plain() -> Self {
        Self {
            reorder: false,
            count: false,
            intersect: false,
            semi_join: false,
            hash_join: HashJoins::Off,
            ..Self::default()
        }
    }
}
