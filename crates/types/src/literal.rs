//! RDF literals that no other type holds: text with a language, and text of a datatype whose values are not
//! known here.
//!
//! A front end turns the literals of known datatypes into the values they name (`xsd:string` into a string,
//! `xsd:integer` into an integer, `xsd:decimal` into a decimal, …); what is left is kept as it was written.
//!
//! Source: RDF 1.1 Concepts, §3.3: language tags are compared without regard to case, everything else by code
//! points.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A literal: its lexical form, and its language or datatype. `==` is RDF's term equality.
#[derive(Clone, Debug)]
pub struct Literal {
    /// The text.
    pub lexical: Arc<str>,
    /// What kind of text it is.
    pub kind: LiteralKind,
}

/// What tells a literal from a string of the same text.
#[derive(Clone, Debug)]
pub enum LiteralKind {
    /// A language tag as it was written, such as `en-GB`.
    Language(Arc<str>),
    /// The IRI of the datatype.
    Datatype(Arc<str>),
}

impl Literal {
    /// A text in a language.
    pub fn in_language(lexical: impl Into<Arc<str>>, tag: impl Into<Arc<str>>) -> Self {
        Self { lexical: lexical.into(), kind: LiteralKind::Language(tag.into()) }
    }

    /// A text of a datatype.
    pub fn of_datatype(lexical: impl Into<Arc<str>>, datatype: impl Into<Arc<str>>) -> Self {
        Self { lexical: lexical.into(), kind: LiteralKind::Datatype(datatype.into()) }
    }

    /// Whether both name the same value; `None` if that cannot be known.
    ///
    /// Texts with languages are their own values. A text of an unknown datatype may be another name of the
    /// same value, so only the same term is known to be equal (SPARQL 1.1, §17.4.1.7).
    pub fn equals(&self, other: &Self) -> Option<bool> {
        match (&self.kind, &other.kind) {
            _ if self == other => Some(true),
            (LiteralKind::Language(_), LiteralKind::Language(_)) => Some(false),
            _ => None,
        }
    }
}

impl LiteralKind {
    /// Whether literals of the same text and these kinds are the same.
    pub fn is_same(&self, other: &Self) -> bool {
        self.order(other).is_eq()
    }

    /// Languages before datatypes, then by tag or IRI.
    pub fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Language(a), Self::Language(b)) => compare_tags(a, b),
            (Self::Datatype(a), Self::Datatype(b)) => a.cmp(b),
            (Self::Language(_), Self::Datatype(_)) => Ordering::Less,
            (Self::Datatype(_), Self::Language(_)) => Ordering::Greater,
        }
    }
}

fn compare_tags(a: &str, b: &str) -> Ordering {
    a.bytes().map(|b| b.to_ascii_lowercase()).cmp(b.bytes().map(|b| b.to_ascii_lowercase()))
}

/// By text, then languages before datatypes, then by tag or IRI.
impl Ord for Literal {
    fn cmp(&self, other: &Self) -> Ordering {
        self.lexical.cmp(&other.lexical).then_with(|| self.kind.order(&other.kind))
    }
}

impl PartialOrd for Literal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Literal {}

impl Hash for Literal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.lexical.hash(state);
        match &self.kind {
            LiteralKind::Language(tag) => {
                state.write_u8(0);
                tag.bytes().for_each(|b| state.write_u8(b.to_ascii_lowercase()));
            }
            LiteralKind::Datatype(iri) => {
                state.write_u8(1);
                iri.hash(state);
            }
        }
    }
}

/// `@en` or `^^<iri>`: what stands behind the quoted text.
impl fmt::Display for LiteralKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Language(tag) => write!(f, "@{tag}"),
            Self::Datatype(iri) => write!(f, "^^<{iri}>"),
        }
    }
}
