//! In which order a basic graph pattern is matched: takes what is bound, the triple patterns that are
//! statements and the parts of the query graph; gives the next of them.
//!
//! 1. Statements of which both ends are known only tell which rows stay: they come before anything grows.
//! 2. A part of the query graph that joins what is bound.
//! 3. Statements that join what is bound, those first of which the fewest are found for a row; one with a
//!    constant end that joins nothing where it finds fewer than these make of each row.
//! 4. Where nothing is joined: statements with a constant end, unless they find many and the query graph
//!    begins at a constant; then the part of the query graph with most constants, then the fewest statements.
//!    Statements about nodes of a part without constants come before it where they are fewer than it has
//!    edges: it would pair nodes (two persons of one town) of which statements join few (friends).

use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};
use trimorph_catalog::StatementCounts;

use super::relation::{Name, Relation};
use super::scope::{Names, names_of};
use super::triple_terms::{Opened, bound_name, made_of, names_opened};

/// A triple pattern that is matched by statements.
pub(super) struct Counted<'p> {
    pub(super) triple: &'p TriplePattern,
    /// How many there are of its predicate.
    pub(super) counts: StatementCounts,
}

/// Patterns of a query graph that share variables.
pub(super) struct Connected<P> {
    pub(super) names: Names,
    pub(super) patterns: Vec<P>,
    /// Constants besides predicates and classes: where there are some, few rows are found.
    pub(super) constants: usize,
    /// How many statements there are of the predicate that has the most.
    pub(super) most: f64,
}

/// What is matched next, by its place.
pub(super) enum Next {
    Statements(usize),
    Graph(usize),
    /// Which nodes the parts of triple terms are.
    Parts,
}

/// Statements that are found before those of a query graph that begins at a constant.
const FEW: f64 = 1_000.0;

/// A triple pattern that is not matched yet.
struct Open {
    at: usize,
    /// Whether something that is bound stands in it.
    joins: bool,
    /// Whether its subject, and its object, are known.
    known: (bool, bool),
    /// Statements that are found for a row.
    found: f64,
}

/// What is matched next; some statements are left.
pub(super) fn next_of<P>(
    relation: &Relation,
    rest: &[Counted<'_>],
    graphs: &[Connected<P>],
    opened: &Opened<'_>,
) -> Next {
    let is_bound = |name: &Name| relation.slots.get(name).is_some_and(|slot| slot.certain);
    let is_known = |term: &TermPattern| match (term, bound_name(term)) {
        (TermPattern::Triple(triple), _) => made_of(relation, triple).is_some(),
        (_, Some(name)) => is_bound(&name),
        (_, None) => true,
    };
    let open = |(at, counted): (usize, &Counted<'_>)| {
        let known = (is_known(&counted.triple.subject), is_known(&counted.triple.object));
        let joins = names_of(counted.triple).iter().any(is_bound);
        Open { at, joins, known, found: counted.counts.found(known.0, known.1) }
    };
    let all: Vec<Open> = rest.iter().enumerate().map(open).collect();
    let fewest = |is_meant: &dyn Fn(&&Open) -> bool| {
        all.iter().filter(is_meant).min_by(|a, b| a.found.total_cmp(&b.found))
    };
    let is_free =
        |open: &&Open| opened.is_empty() || names_opened(opened).is_disjoint(&names_of(rest[open.at].triple));
    if let Some(test) = fewest(&|open| open.joins && open.known == (true, true) && is_free(open)) {
        return Next::Statements(test.at);
    }
    if let Some(at) = graphs.iter().position(|graph| graph.names.iter().any(is_bound)) {
        return Next::Graph(at);
    }
    if !opened.is_empty() {
        // What is told of a reifier.
        let told = |open: &&Open| {
            open.known.0
                && matches!(rest[open.at].triple.predicate, NamedNodePattern::NamedNode(_))
                && is_free(open)
        };
        return fewest(&told).map_or(Next::Parts, |told| Next::Statements(told.at));
    }
    let joined = fewest(&|open| open.joins);
    let fixed = fewest(&|open| !open.joins && (open.known.0 || open.known.1));
    match (joined, fixed) {
        (Some(joined), Some(fixed)) if fixed.found < joined.found => return Next::Statements(fixed.at),
        (Some(joined), _) => return Next::Statements(joined.at),
        _ => {}
    }
    let start = (0..graphs.len()).rev().max_by_key(|at| graphs[*at].constants);
    match (fixed, start) {
        (Some(fixed), Some(start)) if fixed.found > FEW && graphs[start].constants > 0 => Next::Graph(start),
        (Some(fixed), _) => Next::Statements(fixed.at),
        (None, Some(start)) => {
            let graph = &graphs[start];
            let hangs = |triple: &TriplePattern| !names_of(triple).is_disjoint(&graph.names);
            let first = fewest(&|open| open.found < graph.most && hangs(rest[open.at].triple))
                .filter(|_| graph.constants == 0);
            first.map_or(Next::Graph(start), |first| Next::Statements(first.at))
        }
        (None, None) => Next::Statements(fewest(&|_| true).map_or(0, |open| open.at)),
    }
}
