//! Property paths: from a term to all terms that a path leads to, each once, by breadth-first search over
//! statements.
//!
//! 1. With a start, the search goes forward; with an end only, backward.
//! 2. With neither, each term of the graph is a start.
//! 3. In named graphs, one each, only those are searched that have a first step for the end that is given, or
//!    any where none is; what the first steps of all of them start at is found at once.
//! 4. A path of no steps leads from any term to itself, also from one that no statement has.
//!
//! Source: SPARQL 1.1, §18.4 (ALP); Poseidon §7 (one-hop expansion of a frontier).

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use trimorph_algebra::PathExpr;
use trimorph_store::statements::{Asked, Found, Graphs, Statements};
use trimorph_types::Value;
use trimorph_types::{Grouping, equivalent};

use crate::{Context, ExecError};

/// Takes two ends and the graph that connects them.
type Give<'g> = &'g mut dyn FnMut(&Value, &Value, Option<&Arc<str>>);

/// A search.
pub(super) struct Walk<'a, 's> {
    pub(super) finder: &'a Statements<'a, 's>,
    pub(super) cx: &'a Context<'s>,
    /// Whether a path of no steps counts for terms of the graph only, which must be asked.
    pub(super) within: bool,
}

/// Terms, each once, in the order they were found.
#[derive(Default)]
struct Terms {
    order: Vec<Value>,
    seen: HashSet<Grouping>,
}

impl Terms {
    fn add(&mut self, term: Value) -> bool {
        let is_new = self.seen.insert(Grouping(term.clone()));
        if is_new {
            self.order.push(term);
        }
        is_new
    }
}

/// Rows that are gone through between two looks at whether it was cancelled.
const ROWS: usize = 1_024;

/// Adds the predicates of the first steps of a path, and whether they go from object to subject. False where
/// it may have no step, or one of any predicate.
fn first_links<'p>(path: &'p PathExpr, inverse: bool, out: &mut Vec<(&'p Arc<str>, bool)>) -> bool {
    match path {
        PathExpr::Link(iri) => {
            out.push((iri, inverse));
            true
        }
        PathExpr::Inverse(inner) => first_links(inner, !inverse, out),
        PathExpr::Alternative(parts) => parts.iter().all(|part| first_links(part, inverse, out)),
        PathExpr::Sequence(parts) => {
            let first = if inverse { parts.last() } else { parts.first() };
            first.is_some_and(|part| first_links(part, inverse, out))
        }
        PathExpr::OneOrMore(inner) | PathExpr::ToBlank(inner) => first_links(inner, inverse, out),
        PathExpr::Not(_) | PathExpr::ZeroOrOne(_) | PathExpr::ZeroOrMore(_) => false,
    }
}

impl<'s> Walk<'_, 's> {
    /// Hands over the ends that a path connects, with the graph it goes through.
    pub(super) fn connect(
        &self,
        path: &PathExpr,
        (from, to): (Option<Value>, Option<Value>),
        graphs: &Graphs,
        give: Give<'_>,
    ) -> Result<(), ExecError> {
        let Graphs::Named(among) = graphs else {
            let graph = if let Graphs::One(name) = graphs { Some(name) } else { None };
            return self.connect_in(path, (from, to), graphs, &mut |a, b| give(a, b, graph));
        };
        if from.is_none() && to.is_none() {
            for (name, starts) in self.starts_by_graph(path, graphs)? {
                let graphs = Graphs::One(Arc::clone(&name));
                self.connect_starts(path, &starts, &graphs, &mut |a, b| give(a, b, Some(&name)))?;
            }
            return Ok(());
        }
        let names = match self.graphs_of_end(path, (from.as_ref(), to.as_ref()), graphs)? {
            Some(names) => names,
            None => self.finder.graph_names(),
        };
        for name in names {
            if among.as_ref().is_none_or(|all| all.contains(&name)) {
                let graphs = Graphs::One(Arc::clone(&name));
                let ends = (from.clone(), to.clone());
                self.connect_in(path, ends, &graphs, &mut |a, b| give(a, b, Some(&name)))?;
            }
        }
        Ok(())
    }

    /// The graphs in which a path may begin at the end that is given; none where it may in any, since it need
    /// not have a step.
    fn graphs_of_end(
        &self,
        path: &PathExpr,
        (from, to): (Option<&Value>, Option<&Value>),
        graphs: &Graphs,
    ) -> Result<Option<Vec<Arc<str>>>, ExecError> {
        let (Some(end), against) = (from.or(to), from.is_none()) else { return Ok(None) };
        let mut links = Vec::new();
        if !first_links(path, against, &mut links) {
            return Ok(None);
        }
        let mut names: Vec<Arc<str>> = Vec::new();
        let mut seen = HashSet::new();
        for (iri, inverse) in links {
            let (subject, object) = match inverse {
                false => (Some(end.clone()), None),
                true => (None, Some(end.clone())),
            };
            let asked = Asked { subject, predicate: Some(Arc::clone(iri)), object };
            let _ = self.finder.find(&asked, graphs, &mut |one| {
                if let Some(name) = one.graph
                    && seen.insert(Arc::clone(&name))
                {
                    names.push(name);
                }
                ControlFlow::Continue(())
            });
            self.cx.check()?;
        }
        Ok(Some(names))
    }

    /// What a path without a given end may start at, by graph.
    fn starts_by_graph(
        &self,
        path: &PathExpr,
        graphs: &Graphs,
    ) -> Result<BTreeMap<Arc<str>, Terms>, ExecError> {
        let mut all: BTreeMap<Arc<str>, Terms> = BTreeMap::new();
        self.each_start(path, graphs, &mut |graph, term| {
            let Some(graph) = graph else { return false };
            all.entry(Arc::clone(graph)).or_default().add(term)
        })?;
        Ok(all)
    }

    fn connect_in(
        &self,
        path: &PathExpr,
        ends: (Option<Value>, Option<Value>),
        graphs: &Graphs,
        give: &mut dyn FnMut(&Value, &Value),
    ) -> Result<(), ExecError> {
        match ends {
            (Some(from), to) => {
                let mut found = Terms::default();
                self.ends(path, &from, false, graphs, &mut found)?;
                // What leads on to another term has a statement.
                let is_alone = found.order.len() == 1;
                let wanted = |end: &&Value| {
                    to.as_ref().is_none_or(|to| equivalent(to, end))
                        && (!is_alone || self.counts(&from, end, graphs))
                };
                found.order.iter().filter(wanted).for_each(|end| give(&from, end));
            }
            (None, Some(to)) => {
                let mut found = Terms::default();
                self.ends(path, &to, true, graphs, &mut found)?;
                let is_alone = found.order.len() == 1;
                let counts = |start: &&Value| !is_alone || self.counts(start, &to, graphs);
                found.order.iter().filter(counts).for_each(|start| give(start, &to));
            }
            (None, None) => {
                let mut starts = Terms::default();
                self.each_start(path, graphs, &mut |_, term| starts.add(term))?;
                self.connect_starts(path, &starts, graphs, give)?;
            }
        }
        Ok(())
    }

    fn connect_starts(
        &self,
        path: &PathExpr,
        starts: &Terms,
        graphs: &Graphs,
        give: &mut dyn FnMut(&Value, &Value),
    ) -> Result<(), ExecError> {
        for start in &starts.order {
            self.cx.check()?;
            let mut found = Terms::default();
            self.ends(path, start, false, graphs, &mut found)?;
            found.order.iter().for_each(|end| give(start, end));
        }
        Ok(())
    }

    /// Hands over the terms that a path without a given end may start at, with the graph of the statement
    /// they are found in: those of the first steps where it has one, else all of the graph. `take` says
    /// whether a term is new.
    fn each_start(
        &self,
        path: &PathExpr,
        graphs: &Graphs,
        take: &mut dyn FnMut(Option<&Arc<str>>, Value) -> bool,
    ) -> Result<(), ExecError> {
        let mut count = 0_usize;
        let mut held = self.cx.settings.budget.reservation();
        let mut links = Vec::new();
        let has_step = first_links(path, false, &mut links);
        let asked: Vec<(Option<&Arc<str>>, Option<bool>)> = match has_step {
            true => links.into_iter().map(|(iri, inverse)| (Some(iri), Some(inverse))).collect(),
            false => vec![(None, None)],
        };
        for (predicate, inverse) in asked {
            let mut take = |one: Found| {
                let graph = one.graph.as_ref();
                if inverse != Some(true) {
                    count += usize::from(take(graph, one.subject));
                }
                if inverse != Some(false) {
                    count += usize::from(take(graph, one.object));
                }
                if count.is_multiple_of(4_096) && self.cx.check().is_err() {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            };
            match self.finder.parts(predicate, graphs) {
                Some(parts) => {
                    for part in parts {
                        for first in (0..self.finder.steps_of(&part)).step_by(ROWS) {
                            self.cx.check()?;
                            let _ = self.finder.of_part(&part, (first, ROWS as u64), graphs, true, &mut take);
                        }
                    }
                }
                None => {
                    let asked = Asked { predicate: predicate.cloned(), ..Asked::default() };
                    let _ = self.finder.find(&asked, graphs, &mut take);
                }
            }
            self.cx.check()?;
            held.resize(count * 4 * size_of::<Value>())?;
        }
        Ok(())
    }

    /// Whether a pair of ends counts. Those of at least one step are in the graph.
    fn counts(&self, from: &Value, to: &Value, graphs: &Graphs) -> bool {
        !self.within || !equivalent(from, to) || self.is_in_graph(from, graphs)
    }

    fn is_in_graph(&self, term: &Value, graphs: &Graphs) -> bool {
        let subject = Asked { subject: Some(term.clone()), ..Asked::default() };
        let object = Asked { object: Some(term.clone()), ..Asked::default() };
        [subject, object]
            .iter()
            .any(|asked| self.finder.find(asked, graphs, &mut |_| ControlFlow::Break(())).is_break())
    }

    /// Adds the terms that a path leads to from a term.
    fn ends(
        &self,
        path: &PathExpr,
        from: &Value,
        inverse: bool,
        graphs: &Graphs,
        out: &mut Terms,
    ) -> Result<(), ExecError> {
        match path {
            PathExpr::Link(iri) => {
                self.step(from, Some(iri), inverse, graphs, &mut |_, end| _ = out.add(end))
            }
            PathExpr::Not(iris) => self.step(from, None, inverse, graphs, &mut |predicate, end| {
                if !iris.iter().any(|iri| **iri == **predicate) {
                    out.add(end);
                }
            }),
            PathExpr::Inverse(inner) => return self.ends(inner, from, !inverse, graphs, out),
            PathExpr::Alternative(parts) => {
                return parts.iter().try_for_each(|part| self.ends(part, from, inverse, graphs, out));
            }
            PathExpr::Sequence(parts) => {
                let mut at = vec![from.clone()];
                let count = parts.len();
                for step in 0..count {
                    let part = if inverse { &parts[count - 1 - step] } else { &parts[step] };
                    let mut next = Terms::default();
                    for term in &at {
                        self.ends(part, term, inverse, graphs, &mut next)?;
                    }
                    at = next.order;
                }
                at.into_iter().for_each(|end| _ = out.add(end));
            }
            PathExpr::ZeroOrOne(inner) => {
                out.add(from.clone());
                return self.ends(inner, from, inverse, graphs, out);
            }
            PathExpr::ZeroOrMore(inner) => return self.reach(inner, from, true, inverse, graphs, out),
            PathExpr::OneOrMore(inner) => return self.reach(inner, from, false, inverse, graphs, out),
            // Walked the other way it ends where the walk begins.
            PathExpr::ToBlank(inner) if inverse => {
                if self.is_blank(from) {
                    return self.ends(inner, from, inverse, graphs, out);
                }
            }
            PathExpr::ToBlank(inner) => {
                let mut all = Terms::default();
                self.ends(inner, from, inverse, graphs, &mut all)?;
                all.order.into_iter().filter(|end| self.is_blank(end)).for_each(|end| _ = out.add(end));
            }
        }
        self.cx.check()
    }

    fn is_blank(&self, term: &Value) -> bool {
        matches!(self.cx.reader.term_of(term), Value::Iri(iri) if iri.starts_with("_:"))
    }

    /// Adds what is reached by any number of steps.
    fn reach(
        &self,
        inner: &PathExpr,
        from: &Value,
        with_start: bool,
        inverse: bool,
        graphs: &Graphs,
        out: &mut Terms,
    ) -> Result<(), ExecError> {
        let mut reached = Terms::default();
        if with_start {
            reached.add(from.clone());
        } else {
            self.ends(inner, from, inverse, graphs, &mut reached)?;
        }
        let mut held = self.cx.settings.budget.reservation();
        let mut next = 0;
        while next < reached.order.len() {
            let at = reached.order[next].clone();
            next += 1;
            self.ends(inner, &at, inverse, graphs, &mut reached)?;
            if next.is_multiple_of(1_024) {
                // A term in the list and in the set.
                held.resize(reached.order.len() * 4 * size_of::<Value>())?;
            }
        }
        reached.order.into_iter().for_each(|end| _ = out.add(end));
        Ok(())
    }

    fn step(
        &self,
        from: &Value,
        predicate: Option<&Arc<str>>,
        inverse: bool,
        graphs: &Graphs,
        give: &mut dyn FnMut(&Arc<str>, Value),
    ) {
        let (subject, object) = match inverse {
            false => (Some(from.clone()), None),
            true => (None, Some(from.clone())),
        };
        let asked = Asked { subject, predicate: predicate.cloned(), object };
        let _ = self.finder.find(&asked, graphs, &mut |one| {
            let end = if inverse { one.subject } else { one.object };
            give(&one.predicate, end);
            ControlFlow::Continue(())
        });
    }
}
