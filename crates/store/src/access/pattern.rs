//! The pattern: what to read from the logical relation of statements (S, P, O, I).
//!
//! ```text
//! S         P              O         I        lives in
//! node      label          literal   -        node tables
//! node      property name  literal   -        node-table columns
//! node      edge label     node      edge     adjacency
//! edge      property name  literal   -        property pages
//! ```
//!
//! Each of S, P, O, I may be bound to constants, to a frontier, to a kind of term, and may be projected; I
//! may instead be joined to the statements about the statement. A pattern says what, never how: the planner
//! picks index or relation.
//!
//! Source: Poseidon §6.1.

use std::collections::BTreeSet;
use std::sync::Arc;

use trimorph_base::{EdgeId, NodeId, TableId};
use trimorph_types::Value;

use super::NodeSet;

/// What a position of a statement can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A node: `v`.
    Node,
    /// A statement that others talk about, here an edge: `s`.
    Statement,
    /// A literal: `l`.
    Literal,
}

/// One thing at a position.
#[derive(Clone, Debug)]
pub enum Term {
    /// A node.
    Node(NodeId),
    /// An edge, as a statement.
    Statement(EdgeId),
    /// A literal.
    Literal(Value),
}

/// Literals between two, by openCypher's comparability: values that cannot be compared are outside.
#[derive(Clone, Debug, Default)]
pub struct Range {
    /// The smallest, and whether it is inside.
    pub low: Option<(Value, bool)>,
    /// The largest, and whether it is inside.
    pub high: Option<(Value, bool)>,
}

/// Constants that a position is bound to.
#[derive(Clone, Debug, Default)]
pub enum Bound {
    /// Anything.
    #[default]
    Free,
    /// One of these. Literals agree by openCypher's equality: `1 = 1.0`, and nothing equals null.
    Terms(Vec<Term>),
    /// A literal in a range.
    Range(Range),
}

/// A set that a position is joined with.
#[derive(Clone, Debug)]
pub enum Frontier {
    /// Nodes.
    Nodes(Arc<NodeSet>),
    /// Statements.
    Statements(Arc<BTreeSet<EdgeId>>),
    /// Given while the pattern runs, about so many: what an operator of a pipeline plans with.
    Later(f64),
}

/// S, O or I.
#[derive(Clone, Debug, Default)]
pub struct Position {
    /// The kind of term wanted.
    pub kind: Option<Kind>,
    /// Node tables wanted, sorted (a type restriction that labels were resolved to).
    pub tables: Option<Vec<TableId>>,
    /// Constants.
    pub bound: Bound,
    /// A frontier.
    pub frontier: Option<Frontier>,
    /// Whether it is given back.
    pub project: bool,
}

/// What P is bound to.
#[derive(Clone, Debug, Default)]
pub enum Predicates {
    /// Anything.
    #[default]
    Any,
    /// The labels of nodes.
    Label,
    /// Edge labels or property names, as the kinds of S and O say.
    Names(Vec<Arc<str>>),
}

/// How a statement is joined to the statements about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JoinKind {
    /// Statements that others talk about: `x`.
    Inner,
    /// All, with nulls where nobody talks about them: `k`.
    Left,
}

/// A read request.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    /// S.
    pub subject: Position,
    /// P.
    pub predicates: Predicates,
    /// Whether P is given back, as a string.
    pub project_predicate: bool,
    /// O.
    pub object: Position,
    /// I.
    pub statement: Position,
    /// In place of I: the statements about the statement, I = their S.
    pub join: Option<(JoinKind, Box<Pattern>)>,
    /// At most so many statements.
    pub limit: Option<u64>,
    /// About so many statements, spread evenly over the relations.
    pub sample: Option<u64>,
    /// Only how many.
    pub count: bool,
}

impl Pattern {
    /// Labels of nodes: `v__`, with P the label.
    pub fn labels() -> Self {
        Self { predicates: Predicates::Label, ..Self::default() }.subject_kind(Kind::Node)
    }

    /// Edges with any of these labels; none for any.
    pub fn edges(labels: &[impl AsRef<str>]) -> Self {
        let predicates = match labels {
            [] => Predicates::Any,
            labels => Predicates::Names(labels.iter().map(|l| Arc::from(l.as_ref())).collect()),
        };
        Self { predicates, ..Self::default() }.subject_kind(Kind::Node).object_kind(Kind::Node)
    }

    /// A property of nodes or of edges, as `subject` says.
    pub fn property(subject: Kind, name: &str) -> Self {
        Self { predicates: Predicates::Names(vec![Arc::from(name)]), ..Self::default() }
            .subject_kind(subject)
            .object_kind(Kind::Literal)
    }

    /// Restricts S to a kind.
    #[must_use]
    pub fn subject_kind(mut self, kind: Kind) -> Self {
        self.subject.kind = Some(kind);
        self
    }

    /// Restricts O to a kind.
    #[must_use]
    pub fn object_kind(mut self, kind: Kind) -> Self {
        self.object.kind = Some(kind);
        self
    }

    /// Restricts S to nodes of these tables (sorted), if there is a restriction.
    #[must_use]
    pub fn subject_tables(mut self, tables: Option<&[TableId]>) -> Self {
        self.subject.tables = tables.map(<[TableId]>::to_vec);
        self
    }

    /// Restricts O to nodes of these tables (sorted), if there is a restriction.
    #[must_use]
    pub fn object_tables(mut self, tables: Option<&[TableId]>) -> Self {
        self.object.tables = tables.map(<[TableId]>::to_vec);
        self
    }

    /// Binds S to constants.
    #[must_use]
    pub fn subjects(mut self, terms: Vec<Term>) -> Self {
        self.subject.bound = Bound::Terms(terms);
        self
    }

    /// Binds O.
    #[must_use]
    pub fn objects(mut self, bound: Bound) -> Self {
        self.object.bound = bound;
        self
    }

    /// Joins S with a frontier.
    #[must_use]
    pub fn subject_frontier(mut self, frontier: Frontier) -> Self {
        self.subject.frontier = Some(frontier);
        self
    }

    /// Joins O with a frontier.
    #[must_use]
    pub fn object_frontier(mut self, frontier: Frontier) -> Self {
        self.object.frontier = Some(frontier);
        self
    }

    /// Gives back S, P, O, I as said.
    #[must_use]
    pub fn project(mut self, subject: bool, predicate: bool, object: bool, statement: bool) -> Self {
        self.subject.project = subject;
        self.project_predicate = predicate;
        self.object.project = object;
        self.statement.project = statement;
        self
    }

    /// Joins each statement with the statements about it.
    #[must_use]
    pub fn join(mut self, kind: JoinKind, about: Self) -> Self {
        self.join = Some((kind, Box::new(about)));
        self
    }

    /// Stops after `limit` statements.
    #[must_use]
    pub fn limit(mut self, limit: u64) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Looks at about `sample` statements, spread evenly.
    #[must_use]
    pub fn sample(mut self, sample: u64) -> Self {
        self.sample = Some(sample);
        self
    }

    /// Counts only.
    #[must_use]
    pub fn count(mut self) -> Self {
        self.count = true;
        self
    }
}
