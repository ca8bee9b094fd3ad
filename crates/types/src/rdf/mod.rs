//! RDF terms as values: a literal's parts in, the value that is this term out, and back.
//!
//! Which value a term is:
//!
//! | term | value |
//! |---|---|
//! | IRI | `Iri`, or the `Node` that has this name |
//! | blank node | `Iri` that begins with `_:` (no IRI does), or its `Node` |
//! | triple term | `Iri` of its N-Triples text, `<<( <s> <p> "o" )>>`, or its `Node` |
//! | text | `String` |
//! | of `xsd:boolean`, `integer`, `decimal`, `double` | the value, if what was written is its text |
//! | of `xsd:date`, `time`, `dateTime`, `duration` | likewise |
//! | any other literal | `Literal`, as it was written |
//!
//! So `"01"^^xsd:integer` is a `Literal` and comes back as it came. [`normalise`] gives the form in which two
//! values are the same term exactly if openCypher calls them equivalent.
//!
//! Data's way through the files: `names` (IRIs) · `lexical` (texts of XML Schema into values) · `canonical`
//! (values into texts) · `literal` (both together) · `tag`,
//! `term` (a view of a value) · `write`, `read`
//! (N-Triples).
//!
//! Source: RDF 1.2 Concepts; XML Schema 1.1 part 2; RDF 1.2 N-Triples.

mod canonical;
pub mod lexical;
mod literal;
pub mod names;
mod read;
mod tag;
mod term;
mod write;

pub use canonical::{write_canonical, write_double, write_float, write_span};
pub use literal::{datatype, is_in_term_form, literal, normalise, shared_datatype, tagged};
pub use read::{Part, TERM_DEPTH_MAX, parse_nt, split_triple, triple_parts, unescaped};
pub use tag::split_tag;
pub use term::{LiteralTerm, Term};
pub use write::{triple, write_iri, write_nt, write_text, write_triple};

#[cfg(test)]
mod tests;
