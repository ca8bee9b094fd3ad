//! The names a clause sees.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use trimorph_algebra::VarId;

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) var: VarId,
    /// Whether it is bound by an enclosing expression, so that rows do not have it.
    pub(super) local: bool,
}

/// Names and their variables. Clones share their content until one of them changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope(Rc<Names>);

#[derive(Clone, Debug, Default)]
struct Names {
    entries: HashMap<Arc<str>, Entry>,
    /// In the order they were bound.
    order: Vec<Arc<str>>,
}

impl Scope {
    pub(super) fn get(&self, name: &str) -> Option<Entry> {
        self.0.entries.get(name).copied()
    }

    /// Binds a name, hiding what it stood for.
    pub(super) fn insert(&mut self, name: &str, var: VarId) {
        self.put(name, Entry { var, local: false });
    }

    /// Binds a name to a variable that rows do not have.
    pub(super) fn insert_local(&mut self, name: &str, var: VarId) {
        self.put(name, Entry { var, local: true });
    }

    fn put(&mut self, name: &str, entry: Entry) {
        let name: Arc<str> = name.into();
        let names = Rc::make_mut(&mut self.0);
        if names.entries.insert(Arc::clone(&name), entry).is_none() {
            names.order.push(name);
        }
    }

    /// All names in the order they were bound.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.order.iter().map(AsRef::as_ref)
    }

    /// The names that rows have, sorted: the columns of `*`.
    pub(super) fn star(&self) -> Vec<(Arc<str>, VarId)> {
        let mut star: Vec<_> = self
            .0
            .order
            .iter()
            .filter_map(|name| self.get(name).filter(|e| !e.local).map(|e| (Arc::clone(name), e.var)))
            .collect();
        star.sort();
        star
    }

    /// The variables that rows have, in the order they were bound.
    pub(super) fn vars(&self) -> Vec<VarId> {
        self.0.order.iter().filter_map(|name| self.get(name)).filter(|e| !e.local).map(|e| e.var).collect()
    }
}
