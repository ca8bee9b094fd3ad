//! The graph as RDF statements: takes a subject, a predicate, an object and a choice of graphs, each given or
//! free, gives the statements that agree.
//!
//! ```text
//! terms     which node an IRI, a blank node or a literal is, and which term a node is
//! names     which node a name is
//! places    the columns and edge tables that are asked
//! matching  the statements, by subject, by object, or by a scan
//! scan      all statements, place by place
//! batch     the same as vectors, where they lie in columns
//! graph_names
//!           the graph of an edge
//! in_graphs those of a few named graphs, by the index of graphs
//! literals  the nodes that have a literal as a property
//! said      what relationships with properties say of themselves
//! ```
//!
//! Where a statement lives (`docs/design/one-graph.md`):
//!
//! | statement | in the store |
//! |---|---|
//! | `s rdf:type C`, default graph | label of `s` |
//! | `s p "literal"`, default graph | property of `s`: the first one; each element of a list is one |
//! | `s p "literal"`, further ones and in named graphs | edge to the node that stands for the literal |
//! | `s p o` | edge |
//! | `r rdf:reifies <<( s p o )>>`, `r q "literal"` or `r q <iri>` | edge `r` with the property `q` |
//! | in a named graph | an edge with the property `@graph` |
//!
//! Terms are values in the form of `trimorph_types::rdf::normalise`: equal terms are equivalent values.
//!
//! Source: Poseidon §2–3.

mod batch;
mod graph_names;
mod in_graphs;
mod literals;
mod matching;
mod names;
mod places;
mod said;
mod said_together;
mod scan;
mod terms;

pub use batch::Batch;
pub use matching::{Asked, Found, Graphs, Known, Statements, stored};
pub use scan::Part;
