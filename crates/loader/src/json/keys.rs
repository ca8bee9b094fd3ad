//! Keys of objects, as a tree: which column is a key, and which keys are within it.

use std::collections::HashMap;

/// What a key is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// A column, by its place.
    Field(usize),
    /// An object whose keys are columns.
    Within(Keys),
}

/// The keys of an object.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Keys {
    entries: Vec<(Box<[u8]>, Found)>,
    places: HashMap<Box<[u8]>, usize>,
}

impl Keys {
    /// Adds a column at the end of a path of keys. `false` if that is taken.
    pub(crate) fn insert(&mut self, path: &[&str], field: usize) -> bool {
        let [first, rest @ ..] = path else { return false };
        match (self.places.get(first.as_bytes()), rest) {
            (Some(at), [_, ..]) => match self.entries.get_mut(*at) {
                Some((_, Found::Within(keys))) => keys.insert(rest, field),
                _ => false,
            },
            (Some(_), []) => false,
            (None, _) => {
                let found = match rest {
                    [] => Found::Field(field),
                    rest => {
                        let mut keys = Self::default();
                        keys.insert(rest, field);
                        Found::Within(keys)
                    }
                };
                let key: Box<[u8]> = first.as_bytes().into();
                self.places.insert(key.clone(), self.entries.len());
                self.entries.push((key, found));
                true
            }
        }
    }

    /// What a key is. `hint` is where it is if keys come in the order they were first met in, and is moved
    /// behind it.
    #[inline]
    pub(crate) fn find(&self, key: &[u8], hint: &mut usize) -> Option<&Found> {
        let at = match self.entries.get(*hint) {
            Some((name, _)) if **name == *key => *hint,
            _ => *self.places.get(key)?,
        };
        *hint = at + 1;
        self.entries.get(at).map(|(_, found)| found)
    }

    /// The names of this level.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter_map(|(name, _)| std::str::from_utf8(name).ok())
    }
}
