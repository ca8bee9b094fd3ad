//! SPARQL's functions: the specification's examples, those of the W3C tests, and properties.

mod comparison;
mod evaluator;
mod join_key;
mod literals;
mod numbers;
mod regular;
mod temporal;
mod texts;
mod vectors;

use std::collections::HashSet;

use crate::{lookup, names};

#[test]
fn names_are_known_but_not_suggested() {
    assert!(lookup("sparql.strlen").is_some());
    assert!(lookup("sparql.xsd.unsignedByte").is_some());
    assert!(names().all(|name| !name.starts_with("sparql")));
    let mut known = HashSet::new();
    for function in crate::sparql::families().into_iter().flatten() {
        assert!(
            function.name.starts_with("sparql.") && function.doc.starts_with(function.name),
            "{}",
            function.name
        );
        assert!(known.insert(function.name.to_lowercase()), "{}", function.name);
    }
    assert!(known.len() > 85, "{}", known.len());
}
