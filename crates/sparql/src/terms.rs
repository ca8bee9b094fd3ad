//! Terms of the syntax tree as values.

use spargebra::term::{GroundTerm, GroundTriple, Literal};
use trimorph_types::{Value, rdf};

/// A literal, in term form.
pub(crate) fn literal(literal: &Literal) -> Value {
    let value = match (literal.language(), literal.direction()) {
        (Some(language), Some(direction)) => {
            rdf::tagged(literal.value(), &format!("{language}--{direction}"))
        }
        (Some(language), None) => rdf::tagged(literal.value(), language),
        (None, _) => rdf::literal(literal.value(), literal.datatype().as_str()),
    };
    rdf::normalise(value)
}

/// A term without variables. IRIs are not looked up.
pub(crate) fn ground(term: &GroundTerm) -> Value {
    match term {
        GroundTerm::NamedNode(node) => Value::iri(node.as_str()),
        GroundTerm::Literal(own) => literal(own),
        GroundTerm::Triple(triple) => ground_triple(triple),
    }
}

fn ground_triple(triple: &GroundTriple) -> Value {
    let parts =
        [Value::iri(triple.subject.as_str()), Value::iri(triple.predicate.as_str()), ground(&triple.object)];
    triple_of([&parts[0], &parts[1], &parts[2]])
}

/// The triple term of terms that are no nodes.
pub(crate) fn triple_of(parts: [&Value; 3]) -> Value {
    let as_it_is = |value: &Value| Ok::<Value, ()>(value.clone());
    rdf::triple(parts, &mut { as_it_is }).ok().flatten().unwrap_or(Value::Null)
}
