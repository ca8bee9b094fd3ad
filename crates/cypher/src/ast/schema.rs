//! Statements about indexes and constraints.

use trimorph_types::PropertyType;

use super::{Ident, Name};

/// `CREATE`, `DROP` or `SHOW` of indexes and constraints.
#[derive(Clone, PartialEq, Debug)]
pub enum SchemaStatement {
    /// `CREATE INDEX …`, `CREATE CONSTRAINT …`.
    Create(Definition),
    /// `DROP INDEX name`, `DROP CONSTRAINT name`.
    Drop {
        /// An index or a constraint.
        what: SchemaItem,
        /// Its name.
        name: Ident,
        /// Whether it may be missing.
        if_exists: bool,
    },
    /// `SHOW INDEXES`, `SHOW CONSTRAINTS`, and what is to be told of them.
    Show(SchemaItem, Option<Shown>),
    /// `SHOW TRANSACTIONS`, and what is to be told of them.
    ShowTransactions(Option<Shown>),
}

/// What follows `SHOW INDEXES`: places in the text.
#[derive(Clone, PartialEq, Debug)]
pub enum Shown {
    /// `WHERE …`: where the word begins.
    Where {
        /// Where it begins.
        start: u32,
    },
    /// `YIELD … [ORDER BY …] [SKIP …] [LIMIT …] [WHERE …] [RETURN …]`.
    Yield {
        /// Behind the word `YIELD`.
        start: u32,
        /// The names that are yielded, as they are called from then on; none for all of them.
        names: Vec<Ident>,
        /// Whether a `RETURN` follows.
        returns: bool,
    },
}

/// An index or a constraint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SchemaItem {
    /// An index.
    Index,
    /// A constraint.
    Constraint,
}

/// What is to be defined.
#[derive(Clone, PartialEq, Debug)]
pub struct Definition {
    /// Its name, if it was given one.
    pub name: Option<Ident>,
    /// Whether one of this name, or for the same, may be there already.
    pub if_not_exists: bool,
    /// Whether it is about relationships of a type rather than nodes with a label.
    pub is_of_edges: bool,
    /// The label or type.
    pub label: Name,
    /// The properties; at least one, each once.
    pub properties: Vec<Name>,
    /// What is demanded of them.
    pub rule: Rule,
}

/// What is demanded of properties.
#[derive(Clone, PartialEq, Debug)]
pub enum Rule {
    /// Nothing: they are to be found fast.
    Index,
    /// No two have the same values in all of them.
    Unique,
    /// All of them are there, and no two have the same values.
    Key,
    /// It is there.
    Exists,
    /// Where it is there, it is of a type.
    Typed(PropertyType),
}
