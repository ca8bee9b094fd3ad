//! All scalar functions by name: a name in, the function and its signature out.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::function::Function;
use crate::{collections, conversion, graph, list, math, predicate, sparql, string, temporal, vectors};

fn families() -> impl Iterator<Item = &'static Function> {
    [
        math::FUNCTIONS,
        math::FLOAT_FUNCTIONS,
        string::FUNCTIONS,
        list::FUNCTIONS,
        collections::FUNCTIONS,
        vectors::FUNCTIONS,
        predicate::FUNCTIONS,
        conversion::FUNCTIONS,
        graph::FUNCTIONS,
    ]
    .into_iter()
    .chain(temporal::families())
    .flatten()
}

/// The scalar function called `name`, whatever its case; namespaces are part of the name (`date.truncate`).
/// Those of SPARQL are called `sparql.…`.
pub fn lookup(name: &str) -> Option<&'static Function> {
    static BY_NAME: OnceLock<HashMap<String, &'static Function>> = OnceLock::new();
    BY_NAME
        .get_or_init(|| families().chain(sparql_families()).map(|f| (f.name.to_lowercase(), f)).collect())
        .get(&name.to_lowercase())
        .copied()
}

fn sparql_families() -> impl Iterator<Item = &'static Function> {
    sparql::families().into_iter().flatten()
}

/// All functions that a text of openCypher may name, each with the name of its family.
pub fn functions() -> impl Iterator<Item = (&'static str, &'static Function)> {
    let named = [
        ("numbers", math::FUNCTIONS),
        ("numbers", math::FLOAT_FUNCTIONS),
        ("texts", string::FUNCTIONS),
        ("lists", list::FUNCTIONS),
        ("lists", collections::FUNCTIONS),
        ("lists", vectors::FUNCTIONS),
        ("tests", predicate::FUNCTIONS),
        ("conversion", conversion::FUNCTIONS),
        ("graph", graph::FUNCTIONS),
    ];
    let times = temporal::families().map(|functions| ("time", functions));
    named.into_iter().chain(times).flat_map(|(family, functions)| functions.iter().map(move |f| (family, f)))
}

/// All names, in their usual spelling, for suggestions and completion; those of SPARQL, which no text of a
/// user names, are left out.
pub fn names() -> impl Iterator<Item = &'static str> {
    families().map(|function| function.name)
}
