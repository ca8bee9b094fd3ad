//! Between terms and the nodes that they are.

use trimorph_types::Value;

use super::found::{Found, Miss, of_values};
use crate::context::Context;
use crate::function::{Function, result};

/// None of them is computed before the graph is there.
pub(super) const FUNCTIONS: &[Function] = &[
    of_values!("node", (1, 1), result::node, node, "node(a): the node that a term is, if it is one")
        .of_graph(),
    of_values!("resource", (1, 1), result::any, resource, "resource(a): the term that a node is").of_graph(),
    of_values!("fresh", (2, 2), result::any, fresh, "fresh(a, salt): a blank node by a name of its own"),
];

fn node(context: &Context<'_>, args: &[Value]) -> Found {
    match &args[0] {
        Value::Node(_) => Ok(args[0].clone()),
        Value::Iri(iri) => match context.graph.entity_of(iri)? {
            Some(node @ Value::Node(_)) => Ok(node),
            _ => Err(Miss::Error),
        },
        _ => Err(Miss::Error),
    }
}

fn resource(context: &Context<'_>, args: &[Value]) -> Found {
    match &args[0] {
        entity @ (Value::Node(_) | Value::Relationship(_)) => Ok(context.graph.resource(entity)?),
        other => Ok(other.clone()),
    }
}

/// A blank node of a text is a new one each time that the text is run.
fn fresh(_: &Context<'_>, args: &[Value]) -> Found {
    match (&args[0], &args[1]) {
        (Value::Iri(iri), Value::String(salt)) if iri.starts_with("_:") => {
            Ok(Value::iri(format!("_:{}-{}", &iri[2..], salt)))
        }
        (other, _) => Ok(other.clone()),
    }
}
