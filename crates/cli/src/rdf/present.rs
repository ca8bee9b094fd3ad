//! The engine's SPARQL and RDF.

use std::io::Write;

use trimorph::{CancelToken, Connection, Error, Params, QueryResult};

pub(crate) use trimorph::{
    RdfOptions, RdfReport, SPARQL_FUNCTIONS, SPARQL_KEYWORDS, WELL_KNOWN_PREFIXES, ends_sparql_statement,
    has_sparql_variable, is_rdf_file, is_sparql_update, sparql_statements,
};

/// Runs a SPARQL text.
pub(crate) fn ask(
    connection: &Connection,
    text: &str,
    params: Params,
    cancel: CancelToken,
) -> Result<QueryResult, Error> {
    connection.sparql_until(text, params, None, cancel)
}

/// Loads files of statements.
pub(crate) fn load(
    connection: &Connection,
    paths: &[std::path::PathBuf],
    options: &RdfOptions,
) -> Result<RdfReport, Error> {
    connection.load_rdf(paths, options)
}

/// Writes an answer of SPARQL in one of its formats.
pub(crate) fn write(result: &mut QueryResult, format: &str, out: &mut dyn Write) -> Result<(), Error> {
    result.write_as(format, out)
}
