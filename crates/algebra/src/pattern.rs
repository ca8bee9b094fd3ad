//! Query graphs: what a `MATCH` clause, a SPARQL basic graph pattern or a SQL join asks of the graph.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_base::TableId;

use crate::{CountStep, Direction, Expr, LabelExpr, ShortestKind, VarId, Walk};

/// A node of a query graph. A variable bound before the clause appears here too, with what this clause adds.
#[derive(Clone, Debug)]
pub struct NodePattern {
    /// Its variable (anonymous nodes have one too).
    pub var: VarId,
    /// What its labels must satisfy.
    pub labels: LabelExpr,
}

/// How many edges an edge pattern stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeRange {
    /// One edge; the variable is a relationship.
    One,
    /// From `min` to `max` edges as a trail (no edge twice); the variable is a list of relationships.
    Variable {
        /// Fewest edges.
        min: u32,
        /// Most edges; none for no limit.
        max: Option<u32>,
        /// Whether only shortest paths between the two nodes count.
        shortest: Option<ShortestKind>,
    },
    /// From `min`, which is 0 or 1, to `max` edges: each node that is reached once for each start. The
    /// variable has no value.
    Reachable {
        /// Fewest edges.
        min: u32,
        /// Most edges; none for no limit.
        max: Option<u32>,
        /// Whether no edge is walked twice. It matters for the start only, which a walk comes back to by the
        /// edge it left by.
        trail: bool,
    },
}

/// An edge of a query graph.
#[derive(Clone, Debug)]
pub struct EdgePattern {
    /// Its variable (anonymous edges have one too).
    pub var: VarId,
    /// The node the pattern is read from.
    pub from: VarId,
    /// The other node.
    pub to: VarId,
    /// Any of these edge labels; empty for any.
    pub types: Vec<Arc<str>>,
    /// Direction read from `from`.
    pub direction: Direction,
    /// One edge or many.
    pub range: EdgeRange,
    /// For variable ranges: a condition on each edge on the way, over the variable `.0` that stands for that
    /// edge.
    pub each: Option<(VarId, Expr)>,
    /// For shortest paths: conditions on the whole, over the edge's variable and those of the row. The
    /// shortest that meets them is meant.
    pub whole: Vec<Expr>,
}

/// A step of a named path, in writing order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathStep {
    /// A node variable.
    Node(VarId),
    /// An edge variable (a relationship or a list of them).
    Edge(VarId),
}

/// A named path over the graph's variables.
#[derive(Clone, Debug)]
pub struct PathPattern {
    /// The path's variable.
    pub var: VarId,
    /// Alternating node and edge steps.
    pub steps: Vec<PathStep>,
}

/// What one clause asks: nodes, edges, and predicates over them.
///
/// Matching is by trail: two edge variables of one graph never stand for the same edge. `distinct` lists the
/// pairs that must be told apart (the binder leaves out pairs whose labels cannot coincide, the optimizer
/// those whose tables cannot).
#[derive(Clone, Debug, Default)]
pub struct QueryGraph {
    /// Nodes, one for each variable.
    pub nodes: Vec<NodePattern>,
    /// Edges.
    pub edges: Vec<EdgePattern>,
    /// Named paths.
    pub paths: Vec<PathPattern>,
    /// Conjuncts of the `WHERE` clause and of inline property maps.
    pub predicates: Vec<Expr>,
    /// Pairs of edge variables that must not share an edge.
    pub distinct: Vec<(VarId, VarId)>,
    /// The node tables each node can be in, once they were looked for. Optimizer only.
    pub tables: BTreeMap<VarId, Vec<TableId>>,
    /// What is asked of walks as wholes, by the variables of their edges. Optimizer only.
    pub walks: BTreeMap<VarId, Walk>,
    /// Parts that are only counted, each with the node it is counted at. Optimizer only.
    pub counts: Vec<(VarId, CountStep)>,
}
