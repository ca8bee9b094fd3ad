//! All scalar functions by name: a name in, the function and its signature out.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::function::Function;
use crate::{conversion, graph, list, math, predicate, string, temporal};

fn families() -> impl Iterator<Item = &'static Function> {
    [
        math::FUNCTIONS,
        math::FLOAT_FUNCTIONS,
        string::FUNCTIONS,
        list::FUNCTIONS,
        predicate::FUNCTIONS,
        conversion::FUNCTIONS,
        graph::FUNCTIONS,
    ]
    .into_iter()
    .chain(temporal::families())
    .flatten()
}

/// The scalar function called `name`, whatever its case; namespaces are part of the name (`date.truncate`).
pub fn lookup(name: &str) -> Option<&'static Function> {
    static BY_NAME: OnceLock<HashMap<String, &'static Function>> = OnceLock::new();
    BY_NAME
        .get_or_init(|| families().map(|f| (f.name.to_lowercase(), f)).collect())
        .get(&name.to_lowercase())
        .copied()
}

/// All names, in their usual spelling, for suggestions and completion.
pub fn names() -> impl Iterator<Item = &'static str> {
    families().map(|function| function.name)
}
