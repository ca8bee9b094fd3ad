//! All values in a list, in the order they came.

use trimorph_base::{Diagnostic, ErrorKind};
use trimorph_types::{EXTENT_MAX, Value};

#[derive(Clone, Debug, Default)]
pub(super) struct Collect {
    items: Vec<Value>,
    /// What the items own beside their cells.
    owned_bytes: usize,
}

impl Collect {
    pub(super) fn update(&mut self, value: &Value, weight: u64) -> Result<(), Diagnostic> {
        let beside = value.owned_bytes() - size_of::<Value>() as u64;
        self.owned_bytes = self.owned_bytes.saturating_add(usize::try_from(beside).unwrap_or(usize::MAX));
        if weight == 1 {
            self.items.push(value.clone());
            return Ok(());
        }
        self.reserve(weight)?;
        self.items.extend((0..weight).map(|_| value.clone()));
        Ok(())
    }

    pub(super) fn merge(&mut self, other: Self) -> Result<(), Diagnostic> {
        if self.items.is_empty() {
            *self = other;
            return Ok(());
        }
        self.reserve(u64::try_from(other.items.len()).unwrap_or(u64::MAX))?;
        self.items.extend(other.items);
        self.owned_bytes = self.owned_bytes.saturating_add(other.owned_bytes);
        Ok(())
    }

    fn reserve(&mut self, count: u64) -> Result<(), Diagnostic> {
        let reserved = usize::try_from(count).ok().and_then(|count| self.items.try_reserve(count).ok());
        reserved.ok_or_else(|| {
            let primary = format!("collect() of {count} more elements does not fit in memory");
            Diagnostic::runtime(ErrorKind::ArgumentError, "NumberOutOfRange", primary)
        })
    }

    /// The list; an error where lists of lists became larger or deeper than a value may be. (Scalars were
    /// charged one by one.)
    pub(super) fn finish(self) -> Result<Value, Diagnostic> {
        let list = Value::list(self.items);
        let extent = list.extent();
        if extent.depth > EXTENT_MAX.depth || (extent.depth > 1 && extent.bytes > EXTENT_MAX.bytes) {
            let primary =
                "collect() cannot make a list this large: its lists and maps contain each other many times";
            return Err(Diagnostic::runtime(ErrorKind::ArgumentError, "ValueTooLarge", primary));
        }
        Ok(list)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.items.capacity() * size_of::<Value>() + self.owned_bytes
    }
}
