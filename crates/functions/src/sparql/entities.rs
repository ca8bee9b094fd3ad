//! Between terms and the nodes that they are.

use trimorph_types::{LiteralKind, Value, rdf};

use super::found::{Found, Miss, of_values};
use super::term_vectors;
use crate::context::Context;
use crate::function::{Function, result};

/// None of them is computed before the graph is there.
pub(super) const FUNCTIONS: &[Function] = &[
    of_values!("node", (1, 1), result::node, node, "node(a): the node that a term is, if it is one")
        .of_graph(),
    of_values!("resource", (1, 1), result::any, resource, "resource(a): the term that a node is")
        .of_graph()
        .typed(term_vectors::resource),
    of_values!(
        "native",
        (1, 1),
        result::any,
        native,
        "native(a): the term that a is, of our own types if it can be"
    )
    .of_graph(),
    of_values!("graphs", (0, 0), result::list, graphs, "graphs(): the named graphs, a list of IRIs")
        .of_graph(),
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

fn graphs(context: &Context<'_>, _: &[Value]) -> Found {
    Ok(Value::list(context.graph.graph_names().into_iter().map(Value::Iri).collect()))
}

fn resource(context: &Context<'_>, args: &[Value]) -> Found {
    match &args[0] {
        entity @ (Value::Node(_) | Value::Relationship(_)) => Ok(context.graph.resource(entity)?),
        other => Ok(other.clone()),
    }
}

/// Within a query doubles and decimals are literals, so that equal values that are different terms stay
/// apart; who gets the result wants numbers.
fn native(context: &Context<'_>, args: &[Value]) -> Found {
    match &args[0] {
        Value::Literal(literal) => match &literal.kind {
            LiteralKind::Datatype(datatype) => Ok(rdf::literal(&literal.lexical, datatype)),
            LiteralKind::Language(_) => Ok(args[0].clone()),
        },
        _ => resource(context, args),
    }
}

/// A blank node of a text is a new one each time that the text is run, in triple terms too.
fn fresh(_: &Context<'_>, args: &[Value]) -> Found {
    match &args[1] {
        Value::String(salt) => salted(&args[0], salt),
        _ => Ok(args[0].clone()),
    }
}

/// Recursion is as deep as triple terms are within each other, which is bounded.
fn salted(term: &Value, salt: &str) -> Found {
    match term {
        Value::Iri(iri) if iri.starts_with("_:") => Ok(Value::iri(format!("_:{}-{salt}", &iri[2..]))),
        Value::Iri(iri) if iri.contains("_:") => match rdf::triple_parts(iri) {
            None => Ok(term.clone()),
            Some([subject, predicate, object]) => {
                let (subject, object) = (salted(&subject, salt)?, salted(&object, salt)?);
                rdf::triple([&subject, &predicate, &object], &mut |resource| Ok::<_, Miss>(resource.clone()))?
                    .ok_or(Miss::Error)
            }
        },
        other => Ok(other.clone()),
    }
}
