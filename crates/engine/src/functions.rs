//! The function registry as the binder sees it.

use trimorph_cypher::{FunctionInfo, Functions};
use trimorph_functions::aggregate::AggregateFunction;

/// The scalar functions of `trimorph-functions`.
pub(crate) struct Registry;

impl Functions for Registry {
    fn lookup(&self, lower_case_name: &str) -> Option<FunctionInfo> {
        let f = trimorph_functions::lookup(lower_case_name)?;
        Some(FunctionInfo { min_args: f.min_args, max_args: f.max_args, result: f.result })
    }

    fn names(&self) -> Vec<&'static str> {
        trimorph_functions::names().collect()
    }

    fn signature(&self, lower_case_name: &str) -> Option<&'static str> {
        let is_meant = |f: &AggregateFunction| f.name().eq_ignore_ascii_case(lower_case_name);
        let doc = match trimorph_functions::lookup(lower_case_name) {
            Some(scalar) => scalar.doc,
            None => AggregateFunction::NAMED.into_iter().find(is_meant)?.doc(),
        };
        doc.split_once(": ").map(|(signature, _)| signature)
    }
}

const AGGREGATES: &str = "aggregates";

/// A function of openCypher as a user sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FunctionDoc {
    /// Its name, in the usual spelling.
    pub name: &'static str,
    /// How it is called, such as `round(x[, digits[, mode]])`.
    pub signature: &'static str,
    /// What it gives, in one line.
    pub summary: &'static str,
    /// Whether it takes all rows of a group.
    pub is_aggregate: bool,
    /// What it is about: `numbers`, `texts`, `lists`, `tests`, `conversion`, `graph`, `time`, `aggregates`.
    pub family: &'static str,
    /// A statement that uses it, and the literal that this gives.
    pub example: (&'static str, &'static str),
}

impl FunctionDoc {
    fn new(name: &'static str, doc: &'static str, family: &'static str) -> Self {
        let (signature, summary) = doc.split_once(": ").unwrap_or((name, doc));
        let example = trimorph_functions::example(name).unwrap_or_default();
        Self { name, signature, summary, is_aggregate: family == AGGREGATES, family, example }
    }
}

/// What to use instead of a function or procedure that is not there and that people know from Neo4j, Kuzu or
/// SQL: `write x ^ y` for `pow`.
pub fn instead_of(name: &str) -> Option<&'static str> {
    trimorph_cypher::instead_of(name)
}

/// All functions that queries may call, by name.
pub fn functions() -> Vec<FunctionDoc> {
    let scalars = trimorph_functions::functions().map(|(family, f)| FunctionDoc::new(f.name, f.doc, family));
    let aggregates = AggregateFunction::NAMED.map(|f| FunctionDoc::new(f.name(), f.doc(), AGGREGATES));
    let mut all: Vec<FunctionDoc> = scalars.chain(aggregates).collect();
    all.sort_by_key(|f| f.name.to_lowercase());
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Database};

    #[test]
    fn a_wrong_number_of_arguments_is_told_how_to_call() {
        let connection = Database::in_memory(Config::new()).connect();
        for (text, hint) in [
            ("RETURN left('a')", "write left(text, n)"),
            ("RETURN Round()", "write round(x[, digits[, mode]])"),
            ("RETURN sum(1, 2)", "write sum([DISTINCT] x)"),
            ("RETURN percentileCont(1)", "write percentileCont([DISTINCT] x, share)"),
            ("RETURN date.truncate()", "write date.truncate("),
        ] {
            let error = connection.query(text, &[]).unwrap_err().to_string();
            assert!(error.contains(&format!("hint: {hint}")), "{error}");
        }
    }

    #[test]
    fn every_function_says_how_it_is_called() {
        for f in functions() {
            assert!(f.signature.starts_with(&format!("{}(", f.name)), "{f:?}");
            assert!(f.example.0.contains(f.name) && !f.example.1.is_empty(), "{f:?} has no example");
            assert!(f.signature.ends_with(')') && !f.summary.is_empty(), "{f:?}");
        }
    }
}
