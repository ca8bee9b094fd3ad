//! A set of names, each with a dense id.

use std::collections::HashMap;
use std::sync::Arc;

/// Names and their ids, in the order they were added.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: Vec<Arc<str>>,
    ids: HashMap<Arc<str>, usize>,
}

impl Names {
    /// The id of `name`, added if it is new.
    pub fn intern(&mut self, name: &str) -> usize {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let name: Arc<str> = name.into();
        self.names.push(Arc::clone(&name));
        self.ids.insert(name, self.names.len() - 1);
        self.names.len() - 1
    }

    /// The id of `name`, if it is known.
    pub fn id(&self, name: &str) -> Option<usize> {
        self.ids.get(name).copied()
    }

    /// The name with this id.
    pub fn name(&self, id: usize) -> Option<&Arc<str>> {
        self.names.get(id)
    }

    /// All names, by id.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<str>> {
        self.names.iter()
    }
}
