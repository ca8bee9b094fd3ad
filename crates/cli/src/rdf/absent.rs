//! Stands for SPARQL and RDF in a build without them: says so.

use std::io::Write;
use std::path::{Path, PathBuf};

use trimorph::{CancelToken, Connection, Params, QueryResult, SideEffects};

use crate::failure::Failure;

/// Names of functions and what they do, of which there are none.
pub(crate) const SPARQL_FUNCTIONS: &[(&str, &str)] = &[];
/// Keywords, of which there are none.
pub(crate) const SPARQL_KEYWORDS: &[&str] = &[];
/// Prefixes and what they stand for, of which there are none.
pub(crate) const WELL_KNOWN_PREFIXES: &[(&str, &str)] = &[];

/// How files of RDF would be read.
#[derive(Default)]
#[expect(dead_code, reason = "nobody reads it in this build")]
pub(crate) struct RdfOptions {
    pub(crate) format: Option<String>,
    pub(crate) base: Option<String>,
    pub(crate) graph: Option<String>,
    pub(crate) skip_bad: bool,
    pub(crate) cancel: CancelToken,
    pub(crate) without_indexes: bool,
}

/// What would have been read.
pub(crate) struct RdfReport {
    pub(crate) statements: u64,
    pub(crate) skipped: u64,
    pub(crate) errors: Vec<String>,
    pub(crate) effects: SideEffects,
}

fn absent() -> Failure {
    Failure::message("this build of trimorph has no SPARQL and RDF; build it with the feature \"rdf\"")
}

pub(crate) fn ask(_: &Connection, _: &str, _: Params, _: CancelToken) -> Result<QueryResult, Failure> {
    Err(absent())
}

pub(crate) fn load(_: &Connection, _: &[PathBuf], _: &RdfOptions) -> Result<RdfReport, Failure> {
    Err(absent())
}

pub(crate) fn write(_: &mut QueryResult, _: &str, _: &mut dyn Write) -> Result<(), Failure> {
    Err(absent())
}

pub(crate) fn is_rdf_file(path: &Path) -> bool {
    let suffix = path.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
    ["ttl", "trig", "nt", "nq", "rdf", "jsonld"].contains(&suffix)
}

pub(crate) fn has_sparql_variable(_: &str, _: &str) -> bool {
    false
}

pub(crate) fn is_sparql_update(_: &str) -> bool {
    false
}

pub(crate) fn ends_sparql_statement(text: &str) -> bool {
    text.trim_end().ends_with(';')
}

pub(crate) fn sparql_statements(text: &str) -> Vec<&str> {
    vec![text]
}
