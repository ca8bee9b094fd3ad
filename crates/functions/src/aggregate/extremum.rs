//! The smallest or largest value in openCypher's total order; of equivalent values the first.

use std::cmp::Ordering;

use trimorph_types::{Value, order};

#[derive(Clone, Debug)]
pub(super) struct Extremum {
    wanted: Ordering,
    best: Option<Value>,
}

impl Extremum {
    pub(super) fn min() -> Self {
        Self { wanted: Ordering::Less, best: None }
    }

    pub(super) fn max() -> Self {
        Self { wanted: Ordering::Greater, best: None }
    }

    pub(super) fn update(&mut self, value: &Value) {
        if self.best.as_ref().is_none_or(|best| order(value, best) == self.wanted) {
            self.best = Some(value.clone());
        }
    }

    /// Whether a text is better than what is kept.
    pub(super) fn wants_text(&self, text: &str) -> bool {
        match &self.best {
            Some(Value::String(best)) => text.cmp(best) == self.wanted,
            _ => true,
        }
    }

    /// Whether what orders so to the value that is kept is better than that.
    pub(super) fn wants(&self, order: impl FnOnce(&Value) -> Ordering) -> bool {
        self.best.as_ref().is_none_or(|best| order(best) == self.wanted)
    }

    /// What the value kept owns besides its cell.
    pub(super) fn heap_bytes(&self) -> usize {
        let owned =
            self.best.as_ref().map_or(0, Value::owned_bytes).saturating_sub(size_of::<Value>() as u64);
        usize::try_from(owned).unwrap_or(usize::MAX)
    }

    pub(super) fn merge(&mut self, other: Self) {
        if let Some(best) = other.best {
            self.update(&best);
        }
    }

    pub(super) fn finish(self) -> Value {
        self.best.unwrap_or_default()
    }
}
