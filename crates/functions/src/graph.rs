//! Functions of nodes, relationships, paths and maps: labels, type, id, properties, keys, nodes, startNode, …

use std::sync::Arc;

use trimorph_types::Value;

use crate::context::Context;
use crate::error::{Answer, wrong_type, wrong_value};
use crate::function::{Function, result};
use crate::kernels::graph as kernels;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::new("labels", (1, 1), result::list, labels, "labels(node): the node's labels")
        .typed(kernels::labels),
    Function::new(
        "type",
        (1, 1),
        result::string,
        relationship_type,
        "type(relationship): the relationship's type",
    )
    .typed(kernels::relationship_type),
    Function::new(
        "id",
        (1, 1),
        result::int,
        id,
        "id(entity): the internal id of a node or relationship, which may be negative",
    )
    .typed(kernels::id),
    Function::new(
        "elementId",
        (1, 1),
        result::string,
        element_id,
        "elementId(entity): the id of a node or relationship as text",
    )
    .typed(kernels::element_id),
    Function::new(
        "properties",
        (1, 1),
        result::map,
        properties,
        "properties(entity): all properties as a map",
    ),
    Function::new(
        "keys",
        (1, 1),
        result::list,
        keys,
        "keys(entity): the names of all properties of an entity or map",
    ),
    Function::new("nodes", (1, 1), result::list, nodes, "nodes(path): the path's nodes"),
    Function::new(
        "relationships",
        (1, 1),
        result::list,
        relationships,
        "relationships(path): the path's relationships",
    ),
    Function::new(
        "startNode",
        (1, 1),
        result::node,
        start_node,
        "startNode(relationship): the node it leaves",
    )
    .typed(kernels::start_node),
    Function::new("endNode", (1, 1), result::node, end_node, "endNode(relationship): the node it enters")
        .typed(kernels::end_node),
    Function::new("length", (1, 1), result::int, length, "length(path): the number of relationships"),
];

fn strings(items: Vec<Arc<str>>) -> Value {
    Value::list(items.into_iter().map(Value::String).collect())
}

fn labels(context: &Context<'_>, args: &[Value]) -> Answer {
    match &args[0] {
        Value::Node(node) => context.graph.labels(*node).map(strings),
        other => Err(wrong_value("labels()", "a NODE", other)),
    }
}

fn relationship_type(context: &Context<'_>, args: &[Value]) -> Answer {
    match &args[0] {
        Value::Relationship(relationship) => context.graph.relationship_type(relationship).map(Value::String),
        other => Err(wrong_value("type()", "a RELATIONSHIP", other)),
    }
}

fn id(_: &Context<'_>, args: &[Value]) -> Answer {
    let id = match &args[0] {
        Value::Node(node) => node.0,
        Value::Relationship(relationship) => relationship.id.0,
        other => return Err(wrong_type("id()", "a NODE or RELATIONSHIP", other)),
    };
    // All 64 bits, as they are: ids stay distinct, and those of relationships from edge table 512 on are
    // negative.
    Ok(Value::Int(id.cast_signed()))
}

fn element_id(context: &Context<'_>, args: &[Value]) -> Answer {
    match &args[0] {
        entity @ (Value::Node(_) | Value::Relationship(_)) => {
            context.graph.element_id(entity).map(Value::String)
        }
        other => Err(wrong_type("elementId()", "a NODE or RELATIONSHIP", other)),
    }
}

fn properties(context: &Context<'_>, args: &[Value]) -> Answer {
    match &args[0] {
        map @ Value::Map(_) => Ok(map.clone()),
        entity @ (Value::Node(_) | Value::Relationship(_)) => {
            context.graph.properties(entity).map(Value::map)
        }
        other => Err(wrong_type("properties()", "a NODE, RELATIONSHIP or MAP", other)),
    }
}

fn keys(context: &Context<'_>, args: &[Value]) -> Answer {
    match &args[0] {
        Value::Map(map) => Ok(strings(map.keys().cloned().collect())),
        entity @ (Value::Node(_) | Value::Relationship(_)) => context.graph.keys(entity).map(strings),
        other => Err(wrong_type("keys()", "a NODE, RELATIONSHIP or MAP", other)),
    }
}

fn nodes(_: &Context<'_>, args: &[Value]) -> Answer {
    match &args[0] {
        Value::Path(path) => Ok(Value::list(path.nodes.iter().map(|node| Value::Node(*node)).collect())),
        other => Err(wrong_type("nodes()", "a PATH", other)),
    }
}

fn relationships(_: &Context<'_>, args: &[Value]) -> Answer {
    match &args[0] {
        Value::Path(path) => {
            Ok(Value::list(path.relationships.iter().map(|r| Value::Relationship(*r)).collect()))
        }
        other => Err(wrong_type("relationships()", "a PATH", other)),
    }
}

fn start_node(_: &Context<'_>, args: &[Value]) -> Answer {
    match &args[0] {
        Value::Relationship(relationship) => Ok(Value::Node(relationship.start)),
        other => Err(wrong_type("startNode()", "a RELATIONSHIP", other)),
    }
}

fn end_node(_: &Context<'_>, args: &[Value]) -> Answer {
    match &args[0] {
        Value::Relationship(relationship) => Ok(Value::Node(relationship.end)),
        other => Err(wrong_type("endNode()", "a RELATIONSHIP", other)),
    }
}

fn length(_: &Context<'_>, args: &[Value]) -> Answer {
    match &args[0] {
        Value::Path(path) => Ok(Value::Int(i64::try_from(path.relationships.len()).unwrap_or(i64::MAX))),
        other => Err(wrong_type("length()", "a PATH", other)),
    }
}
