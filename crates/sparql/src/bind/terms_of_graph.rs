//! Which variables hold terms of a graph in every row: takes a relation, a name and the graph that is asked,
//! gives whether a pattern over that graph bound it.
//!
//! A path of no steps leads from each term of the graph to itself. Where a pattern has found the term there,
//! nobody need ask whether the graph has it, which of a literal means to look at all predicates.
//!
//! Looked through is what keeps a variable of its input as it is: further patterns, filters, computed
//! variables, inner joins. What else there may be (a union, what is optional, the rows around a group) is not
//! known to be of the graph, which costs time only.

use trimorph_algebra::{GraphChoice, Plan, VarId};

use super::relation::{Name, Relation};

/// Whether what is bound to a name is a term of the graph in every row.
pub(super) fn is_of_graph(relation: &Relation, name: &Name, graph: &GraphChoice) -> bool {
    let slot = relation.slots.get(name).filter(|slot| slot.certain);
    // A property of a node is a statement of the graph that the node was found in.
    let mut open: Vec<(&Plan, VarId)> =
        slot.and_then(|slot| slot.carrier()).map(|var| (&relation.plan, var)).into_iter().collect();
    while let Some((plan, var)) = open.pop() {
        match plan {
            // Edges, properties and labels are asked of the default graph only.
            Plan::Match { input, graph: pattern } => {
                let is_node = pattern.nodes.iter().any(|node| node.var == var);
                if is_node && matches!(graph, GraphChoice::Default) {
                    return true;
                }
                open.push((input, var));
            }
            Plan::Statements { input, pattern } => {
                if [pattern.subject, pattern.object].contains(&var) && is_same(&pattern.graph, graph) {
                    return true;
                }
                open.push((input, var));
            }
            Plan::PropertyPath { input, path } => {
                let other =
                    [(path.from, path.to), (path.to, path.from)].into_iter().find(|(own, _)| *own == var);
                if let Some((_, other)) = other.filter(|_| is_same(&path.graph, graph)) {
                    if path.within {
                        return true;
                    }
                    // What is reached from a term of the graph is one.
                    open.push((input, other));
                }
                open.push((input, var));
            }
            Plan::Filter { input, .. } | Plan::Extra { input, .. } | Plan::Apply { input, .. } => {
                open.push((input, var));
            }
            Plan::HashJoin { left, right, .. } => open.extend([(&**left, var), (&**right, var)]),
            _ => {}
        }
    }
    false
}

/// Whether two patterns ask one graph, or the same graphs as one. Of several graphs, one each, it is the same
/// variable that has the name.
fn is_same(a: &GraphChoice, b: &GraphChoice) -> bool {
    match (a, b) {
        (GraphChoice::Default, GraphChoice::Default) => true,
        (GraphChoice::Union(a), GraphChoice::Union(b)) => a == b,
        (GraphChoice::Named(a, _), GraphChoice::Named(b, _)) => a == b,
        _ => false,
    }
}
