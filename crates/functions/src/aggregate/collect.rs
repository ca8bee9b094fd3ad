//! All values in a list, in the order they came.

use trimorph_base::{Diagnostic, ErrorKind};
use trimorph_types::{EXTENT_MAX, Value};

#[derive(Clone, Debug, Default)]
pub(super) struct Collect {
    items: Vec<Value>,
    /// What the items own besides their cells.
    owned_bytes: usize,
}

impl Collect {
    /// Elements that the list has room for once `more` have come: it grows by halves, so that what moves is
    /// known before it does.
    fn capacity_with(&self, more: u64) -> usize {
        let wanted = self.items.len().saturating_add(usize::try_from(more).unwrap_or(usize::MAX));
        let capacity = self.items.capacity();
        if wanted <= capacity { capacity } else { wanted.max(capacity + capacity / 2).max(4) }
    }

    /// Bytes that are to be allocated before `weight` more elements can come.
    pub(super) fn growth_bytes(&self, weight: u64) -> usize {
        match self.capacity_with(weight) {
            same if same == self.items.capacity() => 0,
            capacity => capacity.saturating_mul(size_of::<Value>()),
        }
    }

    pub(super) fn update(&mut self, value: &Value, weight: u64) -> Result<(), Diagnostic> {
        let content = value.owned_bytes() - size_of::<Value>() as u64;
        self.owned_bytes = self.owned_bytes.saturating_add(usize::try_from(content).unwrap_or(usize::MAX));
        self.reserve(weight)?;
        if weight == 1 {
            self.items.push(value.clone());
            return Ok(());
        }
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
        let capacity = self.capacity_with(count);
        if capacity == self.items.capacity() {
            return Ok(());
        }
        self.items.try_reserve_exact(capacity - self.items.len()).map_err(|_| {
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

    /// The items, for later.
    pub(super) fn into_value(self) -> Value {
        Value::list(self.items)
    }

    /// Takes the items of [`Self::into_value`].
    pub(super) fn restore(&mut self, value: &Value) -> Option<()> {
        let Value::List(items) = value else { return None };
        self.items.extend(items.iter().cloned());
        let owned: u64 = self.items.iter().map(|item| item.owned_bytes() - size_of::<Value>() as u64).sum();
        self.owned_bytes = usize::try_from(owned).unwrap_or(usize::MAX);
        Some(())
    }
}
