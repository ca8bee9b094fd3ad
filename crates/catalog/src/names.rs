//! A set of names, each with a dense id.
//!
//! A catalog with one name more is another catalog, and there may be 65,536 names: so all but the last ones
//! are shared by the catalogs that have them.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

/// Names that are not shared yet: so many are copied with each catalog.
const OWN_MAX: usize = 64;

/// Names and their ids, in the order they were added.
#[derive(Clone, Debug, Default)]
pub struct Names {
    shared: Arc<Part>,
    /// The ids behind the shared ones, counted from 0.
    own: Part,
}

#[derive(Clone, Debug, Default)]
struct Part {
    names: Vec<Arc<str>>,
    /// By a hash that is quick for short texts and drawn anew in each process: names come with the data.
    ids: HashMap<Arc<str>, usize, RandomState>,
}

impl Part {
    fn push(&mut self, name: Arc<str>) {
        self.ids.insert(Arc::clone(&name), self.names.len());
        self.names.push(name);
    }
}

/// Names in the order of their ids.
#[derive(Clone, Debug)]
pub struct NamesIter<'n> {
    names: &'n Names,
    next: usize,
}

impl<'n> Iterator for NamesIter<'n> {
    type Item = &'n Arc<str>;

    fn next(&mut self) -> Option<Self::Item> {
        let name = self.names.name(self.next)?;
        self.next += 1;
        Some(name)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.names.len() - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for NamesIter<'_> {}

impl Names {
    fn len(&self) -> usize {
        self.shared.names.len() + self.own.names.len()
    }

    /// The id of `name`, added if it is new.
    pub fn intern(&mut self, name: &str) -> usize {
        if let Some(id) = self.id(name) {
            return id;
        }
        if self.own.names.len() >= OWN_MAX {
            let own = std::mem::take(&mut self.own);
            let shared = Arc::make_mut(&mut self.shared);
            own.names.into_iter().for_each(|name| shared.push(name));
        }
        self.own.push(name.into());
        self.len() - 1
    }

    /// The id of `name`, if it is known.
    pub fn id(&self, name: &str) -> Option<usize> {
        let own = || self.own.ids.get(name).map(|id| self.shared.names.len() + id);
        self.shared.ids.get(name).copied().or_else(own)
    }

    /// The name with this id.
    pub fn name(&self, id: usize) -> Option<&Arc<str>> {
        match id.checked_sub(self.shared.names.len()) {
            None => self.shared.names.get(id),
            Some(own) => self.own.names.get(own),
        }
    }

    /// All names, by id.
    pub fn iter(&self) -> NamesIter<'_> {
        NamesIter { names: self, next: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::{Names, OWN_MAX};

    #[test]
    fn names_keep_their_ids_in_every_copy() {
        let mut names = Names::default();
        let mut copies = Vec::new();
        let name = |i: usize| format!("name {i}");
        for i in 0..OWN_MAX * 3 + 7 {
            assert_eq!(names.intern(&name(i)), i);
            assert_eq!(names.intern(&name(i / 2)), i / 2);
            copies.push(names.clone());
        }
        for (count, copy) in (1..).zip(&copies) {
            assert_eq!(copy.iter().len(), count);
            assert!(copy.iter().enumerate().all(|(i, own)| **own == *name(i)));
            assert!((0..count).all(|i| copy.id(&name(i)) == Some(i) && copy.name(i).is_some()));
            assert_eq!((copy.id(&name(count)), copy.name(count)), (None, None));
        }
    }
}
