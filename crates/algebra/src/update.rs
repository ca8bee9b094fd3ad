//! Updates: what `CREATE`, `SET`, `REMOVE`, `DELETE` and `MERGE` become.
//!
//! A change names variables only. What it needs is computed by ordinary operators beforehand, so a statement
//! that writes is a sequence of reads with writes between them: no row is read from what the others change,
//! and what comes above reads what was changed.

use std::sync::Arc;

use crate::{Expr, VarId};

/// One clause that changes the graph, or a part of one whose values read what an earlier part has changed.
#[derive(Clone, Default, Debug)]
pub struct Update {
    /// Computed for each row, before anything changes.
    pub values: Vec<(VarId, Expr)>,
    /// What happens for each row: each change for all rows, then the next one.
    pub changes: Vec<Change>,
    /// Whether `values` may read what `changes` set. Then rows with the same node or edge take turns, in
    /// their order: `SET n.count = n.count + x` adds up all `x`.
    pub takes_turns: bool,
}

/// One change.
#[derive(Clone, Debug)]
pub enum Change {
    /// A node is made and bound to `var`.
    CreateNode {
        /// The new node.
        var: VarId,
        /// Its labels, sorted, each once.
        labels: Vec<Arc<str>>,
        /// Its properties.
        properties: NewProperties,
    },
    /// An edge is made and bound to `var`. An end that is null is an error.
    CreateEdge {
        /// The new edge.
        var: VarId,
        /// Its type.
        edge_type: Arc<str>,
        /// Where it starts.
        from: VarId,
        /// Where it ends.
        to: VarId,
        /// Its properties.
        properties: NewProperties,
    },
    /// A path of nodes and edges, one after the other, is bound to `var`: nothing changes.
    CreatePath {
        /// The path.
        var: VarId,
        /// A node, an edge, a node, and so on.
        steps: Vec<VarId>,
    },
    /// A property of a node or edge is set; a null value takes it away. Nothing happens to null.
    SetProperty {
        /// The node or edge.
        target: VarId,
        /// Which property.
        key: PropertyKey,
        /// What it becomes.
        value: VarId,
    },
    /// The properties of a map (or of a node or edge) are copied. Nothing happens to null.
    SetProperties {
        /// The node or edge.
        target: VarId,
        /// Where they come from; null is as the empty map.
        from: VarId,
        /// Whether all others go.
        replace: bool,
    },
    /// Labels are added to a node. Nothing happens to null.
    AddLabels {
        /// The node.
        target: VarId,
        /// The labels.
        labels: Vec<Arc<str>>,
    },
    /// Labels are taken from a node. Nothing happens to null.
    RemoveLabels {
        /// The node.
        target: VarId,
        /// The labels.
        labels: Vec<Arc<str>>,
    },
    /// A statement is there; nothing happens if it is already, or if one of its terms is null or cannot stand
    /// where it does.
    InsertStatement(StatementVars),
    /// A statement is not there any more; nothing happens if it is not.
    DeleteStatement(StatementVars),
    /// A node, an edge or all of a path goes. Nothing happens to null, nor to what is gone already.
    ///
    /// A node that still has edges when the statement ends is an error, unless they go with it.
    Delete {
        /// What goes.
        target: VarId,
        /// Whether the edges of a node go with it.
        detach: bool,
    },
}

/// The terms of a statement that is written.
#[derive(Clone, Copy, Debug)]
pub struct StatementVars {
    /// The subject.
    pub subject: VarId,
    /// The predicate.
    pub predicate: VarId,
    /// The object.
    pub object: VarId,
    /// The named graph: none, or null, for the default graph. Where it is no IRI there is no statement.
    pub graph: Option<VarId>,
}

/// The properties of what is made. Null values are left out.
#[derive(Clone, Debug)]
pub enum NewProperties {
    /// By name; the last of a name counts.
    Named(Vec<(Arc<str>, VarId)>),
    /// The entries of a map.
    Map(VarId),
}

/// Which property is set.
#[derive(Clone, Debug)]
pub enum PropertyKey {
    /// This one.
    Name(Arc<str>),
    /// The one that a variable names; any value but a string is an error.
    Var(VarId),
}

/// What `MERGE` does with the rows of its input that match nothing, and with those that do.
#[derive(Clone, Debug)]
pub struct Merge {
    /// What is made. Rows for which this would make the same thing make it once. A property that is null is
    /// an error.
    pub create: Vec<Change>,
    /// What is done to rows of what was made.
    pub on_create: Vec<Update>,
    /// What is done to rows of what was found.
    pub on_match: Vec<Update>,
    /// The ends of a pattern of one edge without direction between bound nodes: rows with the same two
    /// nodes, either way round, make one edge.
    pub either_way: Option<(VarId, VarId)>,
    /// Whether each row must see what the rows before it made, because more than equality of what they ask
    /// decides.
    pub one_by_one: bool,
}

impl Change {
    /// The variable that it binds.
    pub fn made(&self) -> Option<VarId> {
        match self {
            Self::CreateNode { var, .. } | Self::CreateEdge { var, .. } | Self::CreatePath { var, .. } => {
                Some(*var)
            }
            _ => None,
        }
    }

    /// The variables that it reads.
    pub fn reads(&self) -> Vec<VarId> {
        match self {
            Self::CreateNode { properties, .. } => properties.vars(),
            Self::CreateEdge { from, to, properties, .. } => {
                let mut vars = properties.vars();
                vars.extend([*from, *to]);
                vars
            }
            Self::CreatePath { steps, .. } => steps.clone(),
            Self::SetProperty { target, key, value } => match key {
                PropertyKey::Name(_) => vec![*target, *value],
                PropertyKey::Var(key) => vec![*target, *key, *value],
            },
            Self::SetProperties { target, from, .. } => vec![*target, *from],
            Self::AddLabels { target, .. } | Self::RemoveLabels { target, .. } => vec![*target],
            Self::InsertStatement(s) | Self::DeleteStatement(s) => {
                let mut vars = vec![s.subject, s.predicate, s.object];
                vars.extend(s.graph);
                vars
            }
            Self::Delete { target, .. } => vec![*target],
        }
    }
}

impl NewProperties {
    fn vars(&self) -> Vec<VarId> {
        match self {
            Self::Named(entries) => entries.iter().map(|(_, var)| *var).collect(),
            Self::Map(var) => vec![*var],
        }
    }
}

impl Update {
    /// The variables that it binds and leaves: what it makes. Its values are gone afterwards.
    pub fn made(&self) -> impl Iterator<Item = VarId> {
        self.changes.iter().filter_map(Change::made)
    }
}
