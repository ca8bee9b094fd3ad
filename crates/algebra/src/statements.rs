//! Statements of RDF: what a SPARQL triple pattern or property path asks that no property or edge pattern
//! says, because its predicate is a variable, its object may be a node or a literal, or it names a graph.
//!
//! A variable that the input binds is given; all others are found. Values are terms (`types::rdf`), nodes
//! where an IRI has one.

use std::sync::Arc;

use trimorph_catalog::PredicateSet;

use crate::VarId;

/// Which graphs statements are taken from.
#[derive(Clone, Debug)]
pub enum GraphChoice {
    /// The default graph.
    Default,
    /// These, as one: `FROM`.
    Union(Arc<[Arc<str>]>),
    /// One named graph each, by the variable that holds or gets its IRI; among these, if there is a list.
    Named(VarId, Option<Arc<[Arc<str>]>>),
}

/// A triple pattern. For each input row, the rows of all statements that agree with it.
#[derive(Clone, Debug)]
pub struct TriplePattern {
    /// The subject.
    pub subject: VarId,
    /// The predicate.
    pub predicate: PredicateTerm,
    /// The object.
    pub object: VarId,
    /// Where statements are taken from.
    pub graph: GraphChoice,
    /// How many statements a row stands for, where only predicates or classes, and numbers, are asked for.
    pub count: Option<VarId>,
    /// Which predicates are meant, where the predicate is a variable that is found.
    pub among: Option<PredicateSet>,
}

/// The predicate of a triple pattern.
#[derive(Clone, Debug)]
pub enum PredicateTerm {
    /// This IRI.
    Iri(Arc<str>),
    /// A variable.
    Var(VarId),
}

/// A property path between two terms. For each input row, the rows of all pairs of ends that it connects;
/// one row a pair, but for the paths that SPARQL counts (sequences and alternatives of single steps are no
/// matter of this).
#[derive(Clone, Debug)]
pub struct PropertyPath {
    /// Where it starts.
    pub from: VarId,
    /// Where it ends.
    pub to: VarId,
    /// What leads from one to the other.
    pub path: PathExpr,
    /// Where statements are taken from.
    pub graph: GraphChoice,
    /// Whether a path of no steps counts for terms of the graph only, which must be asked: no end is written
    /// in the query, and none was found in the graph before.
    pub within: bool,
}

/// What leads from one term to another.
#[derive(Clone, Debug)]
pub enum PathExpr {
    /// A statement with this predicate.
    Link(Arc<str>),
    /// A statement with any predicate but these.
    Not(Arc<[Arc<str>]>),
    /// The same, walked from object to subject.
    Inverse(Box<PathExpr>),
    /// One after the other.
    Sequence(Vec<PathExpr>),
    /// Any of them.
    Alternative(Vec<PathExpr>),
    /// Once or not at all.
    ZeroOrOne(Box<PathExpr>),
    /// Any number of times.
    ZeroOrMore(Box<PathExpr>),
    /// At least once.
    OneOrMore(Box<PathExpr>),
    /// The same path, of which only ends that are blank nodes count. No text asks for it: what describes a
    /// node goes on through these.
    ToBlank(Box<PathExpr>),
}

impl GraphChoice {
    /// The variable of a named graph.
    pub fn var(&self) -> Option<VarId> {
        match self {
            Self::Named(var, _) => Some(*var),
            Self::Default | Self::Union(_) => None,
        }
    }
}

impl TriplePattern {
    /// The variables that it binds or takes.
    pub fn vars(&self) -> impl Iterator<Item = VarId> + use<> {
        let predicate = match self.predicate {
            PredicateTerm::Var(var) => Some(var),
            PredicateTerm::Iri(_) => None,
        };
        [Some(self.subject), predicate, Some(self.object), self.graph.var(), self.count].into_iter().flatten()
    }
}

impl PropertyPath {
    /// The variables that it binds or takes.
    pub fn vars(&self) -> impl Iterator<Item = VarId> + use<> {
        [Some(self.from), Some(self.to), self.graph.var()].into_iter().flatten()
    }
}
