//! Texts of which there are few, as those of predicates, by number.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// Texts of which there are few, by number.
#[derive(Default)]
pub(super) struct Names(HashMap<Box<str>, u32, RandomState>);

impl Names {
    /// The number of a text, if it has one.
    pub(super) fn get(&self, text: &str) -> Option<u32> {
        self.0.get(text).copied()
    }

    /// The number of a text, and whether it is a new one.
    pub(super) fn number(&mut self, text: &str) -> (u32, bool) {
        if let Some(number) = self.get(text) {
            return (number, false);
        }
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.insert(text.into(), next);
        (next, true)
    }
}
