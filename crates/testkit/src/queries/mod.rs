//! Random openCypher over the names that random graphs use.
//!
//! A query has one answer: rows are limited only under a total order, sums are of small integers or flagged
//! as inexact, and lists whose order is not determined are flagged as multisets. No expression fails at run
//! time.
//!
//! ```text
//! writer      names, scope, parameters
//! pattern     nodes, relationships, paths
//! predicate   conditions
//! value       properties, literals, other expressions
//! projection  WITH and RETURN
//! subquery    CALL, EXISTS, COUNT, COLLECT of whole queries
//! ```

mod pattern;
mod predicate;
mod projection;
mod subquery;
mod value;
mod writer;

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_algebra::{BoundQuery, Procedures};
use trimorph_base::Diagnostic;
use trimorph_catalog::Catalog;
use trimorph_cypher::{FunctionInfo, Functions};
use trimorph_types::Value;

use crate::Random;
use crate::compare::Comparison;
use writer::Writer;

/// A query and how to compare its answers.
#[derive(Clone, Debug)]
pub struct Query {
    /// The text.
    pub text: String,
    /// Its parameters.
    pub parameters: BTreeMap<Arc<str>, Value>,
    /// What counts as the same answer.
    pub comparison: Comparison,
}

/// The query of a seed, for graphs of [`crate::graphs::random_graph`]. Two of four have queries in them.
pub fn random_query(seed: u64) -> Query {
    let mut random = Random::new(seed);
    let unions = if random.chance(10) { 1 + random.below(2) } else { 0 };
    let mut writer = Writer::new(random);
    // Seeds that found bugs before there were queries within queries stay what they were.
    writer.nesting = if seed % 4 >= 2 { 2 } else { 0 };
    let mut text = String::new();
    let columns = if unions > 0 { Some(1 + writer.random.below(3)) } else { None };
    let joint = if writer.random.chance(50) { "UNION" } else { "UNION ALL" };
    for part in 0..=unions {
        if part > 0 {
            text.push_str(&format!(" {joint} "));
        }
        text.push_str(&writer.single_query(columns));
    }
    Query { text, parameters: writer.parameters, comparison: writer.comparison }
}

/// The bound form of a query text.
///
/// **Errors**: the parser's and the binder's.
pub fn bind(text: &str, catalog: &Catalog) -> Result<BoundQuery, Diagnostic> {
    trimorph_cypher::bind(&trimorph_cypher::parse(text)?, catalog, &Registry, &Procedures::default())
}

/// The functions of `trimorph-functions`, as the binder asks for them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Registry;

impl Functions for Registry {
    fn lookup(&self, lower_case_name: &str) -> Option<FunctionInfo> {
        trimorph_functions::lookup(lower_case_name).map(|function| FunctionInfo {
            min_args: function.min_args,
            max_args: function.max_args,
            result: function.result,
        })
    }

    fn names(&self) -> Vec<&'static str> {
        trimorph_functions::names().collect()
    }
}
