//! Which process something was made by. A child that was forked has all memory of its parent and none of its
//! threads, and shares its open files: what the parent goes on to write there is not the child's to touch.

/// The process that something was made by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Process(u32);

impl Default for Process {
    fn default() -> Self {
        Self(std::process::id())
    }
}

impl Process {
    /// Whether it is this one. **Cost**: a call of the system, some 100 ns.
    pub fn is_this(self) -> bool {
        self == Self::default()
    }
}
