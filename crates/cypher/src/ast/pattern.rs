//! Graph patterns: nodes, relationships and the paths they make.

use trimorph_base::Span;

use super::{Expr, Ident, LabelExpr, MapEntry};

/// Paths separated by commas.
pub type Pattern = Vec<PathPattern>;

/// One path, such as `p = (a)-[:KNOWS]->(b)`.
#[derive(Clone, PartialEq, Debug)]
pub struct PathPattern {
    /// The path's variable.
    pub variable: Option<Ident>,
    /// All paths or only shortest ones.
    pub search: PathSearch,
    /// The first node.
    pub start: NodePattern,
    /// The rest of the path, in order.
    pub steps: Vec<PathStep>,
    /// From the variable, if there is one, to the end.
    pub span: Span,
}

/// Which of the matching paths are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathSearch {
    /// All of them.
    All,
    /// `shortestPath(…)`: one of the shortest.
    Shortest,
    /// `allShortestPaths(…)`: every shortest.
    AllShortest,
}

/// A relationship and the node it leads to.
#[derive(Clone, PartialEq, Debug)]
pub struct PathStep {
    /// The relationship.
    pub relationship: RelationshipPattern,
    /// The node after it.
    pub node: NodePattern,
}

/// `(n:Label {key: value} WHERE …)`.
#[derive(Clone, PartialEq, Debug)]
pub struct NodePattern {
    /// The variable.
    pub variable: Option<Ident>,
    /// What follows `:` or `IS`.
    pub labels: Option<LabelExpr>,
    /// The properties asked for or given.
    pub properties: Option<Properties>,
    /// The inline predicate.
    pub predicate: Option<Box<Expr>>,
    /// From `(` to `)`.
    pub span: Span,
}

/// `-[r:TYPE*1..3 {key: value} WHERE …]->`.
#[derive(Clone, PartialEq, Debug)]
pub struct RelationshipPattern {
    /// The arrowheads.
    pub direction: Direction,
    /// The variable.
    pub variable: Option<Ident>,
    /// What follows `:` or `IS`.
    pub types: Option<LabelExpr>,
    /// How many hops, if variable.
    pub length: Option<PathLength>,
    /// The properties asked for or given.
    pub properties: Option<Properties>,
    /// The inline predicate.
    pub predicate: Option<Box<Expr>>,
    /// From the first dash or arrowhead to the last.
    pub span: Span,
}

/// Where a relationship points, seen in reading order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// `-->`.
    Right,
    /// `<--`.
    Left,
    /// `--`: either way.
    Either,
    /// `<-->`: either way, written with both arrowheads.
    Both,
}

/// `*`, `*2`, `*1..`, `*..3` or `*1..3`. `*2` has both bounds 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathLength {
    /// The least number of hops, if written.
    pub min: Option<u64>,
    /// The most hops, if written.
    pub max: Option<u64>,
    /// From `*` to the last bound.
    pub span: Span,
}

/// The properties of a node or relationship pattern.
#[derive(Clone, PartialEq, Debug)]
pub enum Properties {
    /// `{key: value}`.
    Map {
        /// The entries in the order written.
        entries: Vec<MapEntry>,
        /// From `{` to `}`.
        span: Span,
    },
    /// `$name`: a map given from outside. The parser lets this through only where a pattern creates
    /// (`CREATE`).
    Parameter {
        /// The parameter, without `$`.
        name: String,
        /// Where it stands.
        span: Span,
    },
}
