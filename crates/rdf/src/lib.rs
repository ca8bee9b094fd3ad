//! RDF as text: files of statements in, statements out; statements in, files out; results likewise.
//!
//! [`parse`] reads Turtle, TriG, N-Triples, N-Quads, RDF/XML and JSON-LD and hands out one [`Statement`]
//! after the other; [`StatementWriter`] writes them. [`SolutionWriter`] and [`write_boolean`] write what a
//! query answers as JSON, XML, CSV or TSV; [`read_results`] reads it back. Terms are values as
//! `trimorph_types::rdf` says.
//!
//! Data's way through the files: `format` · `guard` (what is nested too deep does not reach a parser) ·
//! `xml_reader` (RDF/XML as its parser takes it) · `convert` (terms of the libraries into ours and back) ·
//! `parse`, `skip` (bad statements), `xml_literal`, `lines`, `read` · `write`, `xml_name` · `results`.
#![forbid(unsafe_code)]

mod convert;
mod error;
mod format;
mod guard;
mod lines;
mod parse;
mod read;
mod results;
mod skip;
mod statement;
mod write;
mod xml_literal;
mod xml_name;
mod xml_reader;

pub use error::{ReadError, WriteError};
pub use format::{Format, ResultFormat};
pub use guard::NESTING_MAX;
pub use parse::{BadStatements, Failure, ParseOptions, Report};
pub use read::{parse, parse_lines};
pub use results::{Results, SolutionWriter, read_results, write_boolean};
pub use statement::{LiteralRef, Statement, TermRef};
pub use write::{StatementWriter, WriteOptions};

#[cfg(test)]
mod tests;
