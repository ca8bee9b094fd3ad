//! Definitions: the indexes and constraints that users have asked for, by label or type and properties. They
//! come and go, unlike the schema; a catalog has all of one moment.

use std::sync::Arc;

use trimorph_base::{LabelId, PropertyId, TypeId};
use trimorph_types::PropertyType;

/// What a definition is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Subject {
    /// The nodes with a label, whatever table they are in.
    Label(LabelId),
    /// The edges of a type, whatever node table they come from.
    Type(TypeId),
}

/// What is demanded of properties.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Nothing: they are to be found fast.
    Index,
    /// No two have the same values in all of them; who lacks one of them is like nobody.
    Unique,
    /// All of them are there, and no two have the same values.
    Key,
    /// It is there.
    Exists,
    /// Where it is there, it is of a type.
    Typed(PropertyType),
}

impl Rule {
    /// Whether no two may have the same values.
    pub fn is_unique(&self) -> bool {
        matches!(self, Self::Unique | Self::Key)
    }

    /// Whether properties must be there.
    pub fn demands(&self) -> bool {
        matches!(self, Self::Exists | Self::Key)
    }

    /// Whether an index serves it.
    pub fn is_indexed(&self) -> bool {
        matches!(self, Self::Index | Self::Unique | Self::Key)
    }
}

/// An index or a constraint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// Its name, which no other has.
    pub name: Arc<str>,
    /// What it is about.
    pub subject: Subject,
    /// The properties, in the order they were named; at least one.
    pub properties: Vec<PropertyId>,
    /// What is demanded of them.
    pub rule: Rule,
}

impl Definition {
    /// Whether another one demands the same of the same.
    pub fn is_like(&self, other: &Self) -> bool {
        (self.subject, &self.properties, &self.rule) == (other.subject, &other.properties, &other.rule)
    }

    /// The label, if it is about nodes.
    pub fn label(&self) -> Option<LabelId> {
        match self.subject {
            Subject::Label(label) => Some(label),
            Subject::Type(_) => None,
        }
    }

    /// The type, if it is about edges.
    pub fn edge_type(&self) -> Option<TypeId> {
        match self.subject {
            Subject::Label(_) => None,
            Subject::Type(ty) => Some(ty),
        }
    }
}

/// The definitions of one moment, in the order they were made.
#[derive(Clone, Debug, Default)]
pub struct Definitions(Arc<Vec<Arc<Definition>>>);

impl Definitions {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<Definition>> {
        self.0.iter()
    }

    /// The one of a name.
    pub fn get(&self, name: &str) -> Option<&Arc<Definition>> {
        self.0.iter().find(|one| *one.name == *name)
    }

    /// One more; in the place of one that has its name.
    pub fn add(&mut self, definition: Definition) {
        self.remove(&Arc::clone(&definition.name));
        Arc::make_mut(&mut self.0).push(Arc::new(definition));
    }

    /// One less.
    pub fn remove(&mut self, name: &str) {
        if self.get(name).is_some() {
            Arc::make_mut(&mut self.0).retain(|one| *one.name != *name);
        }
    }

    /// Whether these are the very same, not only alike. **Cost**: one comparison.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.is_empty() && other.is_empty())
    }
}

impl PartialEq for Definitions {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
    }
}
