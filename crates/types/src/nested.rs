//! How large and how deep lists and maps are, measured as they are made.
//!
//! Contents are shared, so a few steps can make a value that is far larger to walk than to hold (`[s, s]`
//! forty times over), or so deep that no stack can walk it. Whoever builds values in a loop looks at their
//! [`Extent`], which costs nothing, and refuses.

use std::sync::Arc;

use trimorph_base::free_elsewhere;

use crate::extent::{Extent, Nested};
use crate::{Map, Value};

/// A list that is made element by element, and measured on the way: a list of millions is not walked again
/// when it is done.
#[derive(Debug)]
pub struct ListBuilder(Nested<Vec<Value>>);

impl ListBuilder {
    /// A list without elements.
    pub fn new() -> Self {
        Self::with_room(Vec::new())
    }

    /// A list without elements, in the room of `content`, which must be empty.
    pub fn with_room(content: Vec<Value>) -> Self {
        Self(Nested::from(content))
    }

    /// Appends an element.
    #[inline]
    pub fn push(&mut self, value: Value) {
        self.0.push(value);
    }

    /// The list.
    pub fn finish(mut self) -> Value {
        let empty = Nested { content: Vec::new(), extent: self.0.extent };
        Value::List(Arc::new(std::mem::replace(&mut self.0, empty)))
    }
}

/// Bytes of values from which on it takes longer to free them than to start a thread, by far.
const LARGE_BYTES: u64 = 4 << 20;

impl Drop for ListBuilder {
    /// A large list that was not finished belongs to a query that was stopped, or failed: nobody waits until
    /// it is gone.
    fn drop(&mut self) {
        if self.0.extent.bytes > LARGE_BYTES && !self.0.content.is_empty() {
            free_elsewhere(std::mem::take(&mut self.0.content));
        }
    }
}

impl Default for ListBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl Nested<Vec<Value>> {
    /// Appends an element to a list that nobody else holds.
    #[inline]
    pub fn push(&mut self, value: Value) {
        let (extent, inner) = (&mut self.extent, value.extent());
        extent.bytes = extent.bytes.saturating_add(inner.bytes);
        extent.depth = extent.depth.max(inner.depth.saturating_add(1));
        self.content.push(value);
    }
}

fn around(inner: impl Iterator<Item = Extent>) -> Extent {
    let mut extent = Extent { bytes: CELL, depth: 0 };
    for item in inner {
        extent.bytes = extent.bytes.saturating_add(item.bytes);
        extent.depth = extent.depth.max(item.depth);
    }
    extent.depth = extent.depth.saturating_add(1);
    extent
}

impl From<Vec<Value>> for Nested<Vec<Value>> {
    fn from(content: Vec<Value>) -> Self {
        let extent = around(content.iter().map(Value::extent));
        Self { content, extent }
    }
}

impl From<Map> for Nested<Map> {
    fn from(content: Map) -> Self {
        let key = |k: &Arc<str>| Extent { bytes: CELL + k.len() as u64, depth: 0 };
        let extent = around(content.iter().flat_map(|(k, v)| [key(k), v.extent()]));
        Self { content, extent }
    }
}

fn own<T: ?Sized>(shared: &Arc<T>) -> bool {
    Arc::strong_count(shared) <= 2
}

/// Bytes of a cell.
const CELL: u64 = size_of::<Value>() as u64;
/// Bytes that a text takes besides its letters: counts of who shares it, and what the allocator takes.
const TEXT: u64 = 24;
/// The same for a list or a path, with its length and extent.
const LIST: u64 = 80;

impl Value {
    /// How large the value is. **Cost**: constant.
    #[inline]
    pub fn extent(&self) -> Extent {
        let content = match self {
            Self::List(items) => return items.extent,
            Self::Map(entries) => return entries.extent,
            Self::String(text) | Self::Iri(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
            Self::Literal(literal) => size_of_val(&**literal) + literal.lexical.len(),
            Self::Path(path) => size_of_val(&*path.nodes) + size_of_val(&*path.relationships),
            _ => 0,
        };
        Extent { bytes: CELL + content as u64, depth: 0 }
    }

    /// Bytes kept alive by who keeps this value: those of its cell and of what is its own. Shared by two
    /// counts as its own, since what a value is taken from mostly goes soon; shared by more does not.
    ///
    /// **Cost**: lists and maps of its own are walked.
    pub fn owned_bytes(&self) -> u64 {
        match self {
            Self::List(items) if own(items) => CELL + LIST + items.iter().map(Self::owned_bytes).sum::<u64>(),
            Self::Map(entries) if own(entries) => {
                // Keys are mostly those of other rows, too.
                let keys = if own(entries.shared_keys()) {
                    TEXT + entries.keys().map(|key| 2 * TEXT + key.len() as u64).sum::<u64>()
                } else {
                    0
                };
                CELL + LIST + keys + entries.values().map(Self::owned_bytes).sum::<u64>()
            }
            Self::String(text) | Self::Iri(text) if own(text) => TEXT + self.extent().bytes,
            Self::Bytes(bytes) if own(bytes) => TEXT + self.extent().bytes,
            Self::Literal(literal) if own(literal) => LIST + self.extent().bytes,
            Self::Path(path) if own(path) => LIST + self.extent().bytes,
            _ => CELL,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_count_shared_parts_and_owned_bytes_do_not() {
        let text = Value::string("x".repeat(1000));
        let others = [text.clone(), text.clone()];
        let mut value = Value::list(vec![text, Value::Int(1)]);
        assert_eq!(value.extent(), Extent { bytes: 3 * CELL + 1000, depth: 1 });
        assert_eq!(value.owned_bytes(), 3 * CELL + LIST, "the text is held by others");
        drop(others);
        assert_eq!(value.owned_bytes(), 3 * CELL + LIST + 1000 + TEXT);
        for level in 0..80 {
            value = Value::list(vec![value.clone(), value.clone(), value]);
            assert_eq!(value.extent().depth, 2 + level);
        }
        assert_eq!(value.extent().bytes, u64::MAX, "3^80 times");
        assert!(value.owned_bytes() < 1000);
    }

    #[test]
    fn a_list_made_element_by_element_is_the_same() {
        let values = [Value::Int(1), Value::string("abc"), Value::list(vec![Value::list(Vec::new())])];
        let mut builder = ListBuilder::new();
        assert_eq!(builder.0.extent, Value::list(Vec::new()).extent());
        for (i, value) in values.iter().enumerate() {
            builder.push(value.clone());
            assert_eq!(builder.0.extent, Value::list(values[..=i].to_vec()).extent());
        }
        assert_eq!(builder.finish().extent(), Value::list(values.to_vec()).extent());
    }

    #[test]
    fn maps_count_their_keys() {
        let entries = [(Arc::from("key"), Value::list(Vec::new()))];
        let map = Value::map(entries.into_iter().collect());
        assert_eq!(map.extent(), Extent { bytes: 3 * CELL + 3, depth: 2 });
    }
}
