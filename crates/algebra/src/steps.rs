//! Steps along edges: what a pattern's edges become when they are walked in one direction.

use std::sync::Arc;

use trimorph_base::TableId;

use crate::{Expr, VarId};

/// The direction in which an edge pattern is read from its `from` node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Direction {
    /// `(from)-->(to)`
    Out,
    /// `(from)<--(to)`
    In,
    /// `(from)--(to)`
    Both,
}

impl Direction {
    /// The direction as seen from the other end.
    pub fn reversed(self) -> Self {
        match self {
            Self::Out => Self::In,
            Self::In => Self::Out,
            Self::Both => Self::Both,
        }
    }
}

/// How a shortest path is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShortestKind {
    /// One of the shortest.
    One,
    /// All of the shortest.
    All,
    /// Every path, the shorter before the longer: a [`crate::Plan::Shortest`] above takes those it wants.
    Ordered,
}

/// One step along edges from a bound node.
#[derive(Clone, Debug)]
pub struct Extend {
    /// The bound node.
    pub from: VarId,
    /// The edge; none when nobody looks at it.
    pub edge: Option<VarId>,
    /// The node reached.
    pub to: VarId,
    /// Any of these edge labels; empty for any.
    pub types: Vec<Arc<str>>,
    /// Direction from `from`.
    pub direction: Direction,
    /// Tables the node reached must be in; none for all. (Its label condition.)
    pub to_tables: Option<Vec<TableId>>,
}

/// What a variable-length extend gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarExtendMode {
    /// Every trail.
    Trails,
    /// Each node reached once for each source (allowed when only DISTINCT end nodes matter).
    Reachable,
    /// As `Reachable`, but the source itself only where a trail comes back to it.
    ReachableByTrail,
    /// Shortest paths between bound ends, or to all ends.
    Shortest(ShortestKind),
}

/// What is asked of a walk besides its ends, its length and each of its edges.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// A bound list of relationships that the walk takes, one after the other in the order of the text, and
    /// no others.
    pub along: Option<VarId>,
    /// Condition on each node, the ends among them, over `.0`.
    pub nodes: Option<(VarId, Expr)>,
    /// For shortest paths between bound ends: condition on the whole, over the list of edges. The shortest
    /// that meets it is looked for.
    pub condition: Option<Expr>,
}

impl Walk {
    /// The variables of the row that it is asked with; `edges` is the walk's own list.
    pub fn free_vars(&self, edges: Option<VarId>) -> Vec<VarId> {
        let mut vars = Vec::new();
        if let Some((var, nodes)) = &self.nodes {
            nodes.free_vars(&mut vars);
            vars.retain(|v| v != var);
        }
        if let Some(condition) = &self.condition {
            condition.free_vars(&mut vars);
        }
        vars.extend(self.along);
        vars.retain(|v| Some(*v) != edges);
        vars
    }
}

/// Many steps along edges from a bound node.
#[derive(Clone, Debug)]
pub struct VarExtend {
    /// Ends, labels and direction; `edge` is a list of relationships.
    pub step: Extend,
    /// Fewest edges.
    pub min: u32,
    /// Most edges; none for no limit.
    pub max: Option<u32>,
    /// Condition on each edge, over `.0`.
    pub each: Option<(VarId, Expr)>,
    /// What else is asked of the walk.
    pub walk: Box<Walk>,
    /// Whether `to` is bound already.
    pub into: bool,
    /// Whether the walk goes against the order of the text: the list of edges is given reversed.
    pub reversed: bool,
    /// What it gives.
    pub mode: VarExtendMode,
}

/// A step of a counted subtree (see [`Plan::ExtendCount`]). The number of matches that hang at each node
/// reached is computed once for every node of the tables reached, then gathered.
#[derive(Clone, Debug)]
pub struct CountStep {
    /// The step.
    pub step: Extend,
    /// A condition on its edge and the node reached.
    pub predicate: Option<Expr>,
    /// What hangs at the node reached.
    pub next: Vec<CountStep>,
}
