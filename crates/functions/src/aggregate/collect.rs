//! All values in a list, in the order they came.

use trimorph_base::{Diagnostic, ErrorKind};
use trimorph_types::Value;

#[derive(Clone, Debug, Default)]
pub(super) struct Collect {
    items: Vec<Value>,
}

impl Collect {
    pub(super) fn update(&mut self, value: &Value, weight: u64) -> Result<(), Diagnostic> {
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
        Ok(())
    }

    fn reserve(&mut self, count: u64) -> Result<(), Diagnostic> {
        let reserved = usize::try_from(count).ok().and_then(|count| self.items.try_reserve(count).ok());
        reserved.ok_or_else(|| {
            let primary = format!("collect() of {count} more elements does not fit in memory");
            Diagnostic::runtime(ErrorKind::ArgumentError, "NumberOutOfRange", primary)
        })
    }

    pub(super) fn finish(self) -> Value {
        Value::list(self.items)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.items.capacity() * size_of::<Value>()
    }
}
