//! Running a planned pattern: batches of aligned vectors, one vector for each projected position.
//!
//! Each relation of the plan is read by its path (`edges`, `values`); what is found is tested, joined with the statements about it,
//! counted, cut at the limit, projected, and handed over. The order of statements is not specified.
//!
//! Source: Poseidon §5, §6.2.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use trimorph_base::EdgeId;
use trimorph_vector::{Edges, Text, Values, Vector};

use super::pattern::{Frontier, JoinKind, Pattern, Position};
use super::plan::{AccessPlan, Relation};
use crate::Reader;

/// Statements of a batch, at most, where they are not a list read in place.
pub(super) const BATCH: usize = 1024;

/// Why a pattern cannot run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessError {
    /// A frontier is only announced ([`Frontier::Later`]).
    FrontierNotGiven,
}

impl std::fmt::Display for AccessError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("access pattern: a frontier is announced but not given")
    }
}

impl std::error::Error for AccessError {}

/// Statements found: one vector for each projected position, S P O I of the pattern first, then those of the joined one.
#[derive(Clone, Debug)]
pub struct Batch<'s> {
    /// The vectors, aligned.
    pub columns: Vec<Vector<'s>>,
    /// How many statements.
    pub len: usize,
}

/// What a relation gives before projection.
pub(super) struct Found<'s> {
    pub(super) subjects: Vector<'s>,
    pub(super) predicate: Arc<str>,
    pub(super) objects: Vector<'s>,
    pub(super) statements: Option<Vec<EdgeId>>,
    pub(super) len: usize,
}

/// One run.
pub(super) struct Run<'a, 's> {
    pub(super) reader: &'a Reader<'s>,
    pub(super) pattern: &'a Pattern,
    join: Option<(JoinKind, &'a AccessPlan)>,
    left: u64,
    found: u64,
    sink: &'a mut dyn FnMut(Batch<'s>) -> ControlFlow<()>,
}

fn later(position: &Position) -> bool {
    matches!(position.frontier, Some(Frontier::Later(_)))
}

impl AccessPlan {
    /// Finds the statements and hands them over batch by batch, until `sink` breaks; gives how many there were. A counting
    /// pattern hands over nothing.
    ///
    /// **Errors**: a frontier that was only announced.
    pub fn run<'s>(
        &self,
        reader: &Reader<'s>,
        mut sink: impl FnMut(Batch<'s>) -> ControlFlow<()>,
    ) -> Result<u64, AccessError> {
        let Pattern { subject, object, statement, .. } = &self.pattern;
        if later(subject) || later(object) || later(statement) {
            return Err(AccessError::FrontierNotGiven);
        }
        let mut run = Run {
            reader,
            pattern: &self.pattern,
            join: self.join.as_ref().map(|(k, p)| (*k, &**p)),
            left: self.pattern.limit.unwrap_or(u64::MAX),
            found: 0,
            sink: &mut sink,
        };
        let total: f64 = self.accesses.iter().map(|a| a.rows.max(1.0)).sum();
        for access in &self.accesses {
            if run.left == 0 {
                break;
            }
            // A sample takes from each relation its share.
            let sample = self.pattern.sample.map(|n| (n as f64 * access.rows.max(1.0) / total).ceil());
            let flow = match access.relation {
                Relation::Labels(table) => run.labels(table, sample),
                Relation::NodeProperty { table, column } => {
                    run.node_property(table, column, access.path, sample)
                }
                Relation::Edges(table) => run.edges(table, access.path, sample),
                Relation::EdgeProperty { table, column } => {
                    run.edge_property(table, column, access.path, sample)
                }
            };
            if flow.is_break() {
                break;
            }
        }
        Ok(run.found)
    }
}

impl<'s> Run<'_, 's> {
    /// Whether edge ids are looked at.
    pub(super) fn wants_statements(&self) -> bool {
        self.pattern.statement.project || self.join.is_some()
    }

    /// Hands over what was found.
    pub(super) fn emit(&mut self, found: Found<'s>) -> ControlFlow<()> {
        if found.len == 0 {
            return ControlFlow::Continue(());
        }
        match self.join {
            None => {
                let len = found.len;
                let columns = if self.pattern.count { Vec::new() } else { self.project(found, None) };
                self.hand_over(Batch { columns, len })
            }
            Some((kind, about)) => self.emit_joined(found, kind, about),
        }
    }

    fn hand_over(&mut self, mut batch: Batch<'s>) -> ControlFlow<()> {
        if (batch.len as u64) > self.left {
            batch.len = usize::try_from(self.left).unwrap_or(batch.len);
            // Vectors read in place go on behind the batch's end; lists are cut.
            let positions: Vec<u32> = (0..).take(batch.len).collect();
            batch.columns = batch.columns.iter().map(|c| c.gather(&positions)).collect();
        }
        self.left -= batch.len as u64;
        self.found += batch.len as u64;
        if !self.pattern.count {
            (self.sink)(batch)?;
        }
        if self.left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The projected vectors, at `positions` if given.
    fn project(&self, found: Found<'s>, positions: Option<&[u32]>) -> Vec<Vector<'s>> {
        let Found { subjects, predicate, objects, statements, len } = found;
        let len = positions.map_or(len, <[u32]>::len);
        let pick = |v: Vector<'s>| match positions {
            Some(positions) => v.gather(positions),
            None => v,
        };
        let mut columns = Vec::new();
        if self.pattern.subject.project {
            columns.push(pick(subjects));
        }
        if self.pattern.project_predicate {
            columns.push(Vector::new(Values::String(vec![Text::Made(predicate); len])));
        }
        if self.pattern.object.project {
            columns.push(pick(objects));
        }
        if self.pattern.statement.project && self.join.is_none() {
            columns.push(match statements {
                Some(ids) => pick(Vector::new(Values::Edge(Edges::Ids(ids)))),
                None => Vector::nulls(len),
            });
        }
        columns
    }

    /// Joins the statements found with those about them.
    fn emit_joined(&mut self, found: Found<'s>, kind: JoinKind, about: &AccessPlan) -> ControlFlow<()> {
        let ids = found.statements.clone().unwrap_or_default();
        let (mut ends, mut batches) = (vec![false; found.len], Vec::new());
        if !ids.is_empty() {
            // Where each statement stands in the batch: an edge is found once in it.
            let mut places: Vec<(EdgeId, u32)> = ids.iter().copied().zip(0u32..).collect();
            places.sort_unstable();
            let mut right = about.clone();
            let set: BTreeSet<EdgeId> = ids.iter().copied().collect();
            right.pattern.subject.frontier = Some(Frontier::Statements(Arc::new(set)));
            let projected = right.pattern.subject.project;
            right.pattern.subject.project = true;
            right.pattern.count = false;
            let outcome = right.run(self.reader, |mut batch| {
                let of = |i: usize| match &batch.columns[0].values {
                    Values::Edge(edges) => places.binary_search_by_key(&edges.id(i), |p| p.0).ok(),
                    _ => None,
                };
                let left: Vec<u32> = (0..batch.len).filter_map(of).map(|at| places[at].1).collect();
                left.iter().for_each(|p| ends[*p as usize] = true);
                if !projected {
                    batch.columns.remove(0);
                }
                batches.push((left, batch.columns));
                ControlFlow::Continue(())
            });
            debug_assert!(outcome.is_ok());
        }
        if kind == JoinKind::Left {
            let alone: Vec<u32> = (0u32..).zip(&ends).filter(|(_, m)| !**m).map(|(i, _)| i).collect();
            if !alone.is_empty() {
                let nulls = vec![Vector::nulls(alone.len()); about.pattern.width()];
                batches.push((alone, nulls));
            }
        }
        for (positions, columns) in batches {
            let len = positions.len();
            let copy = Found {
                subjects: found.subjects.clone(),
                predicate: Arc::clone(&found.predicate),
                objects: found.objects.clone(),
                statements: None,
                len: found.len,
            };
            let mut all = self.project(copy, Some(&positions));
            all.extend(columns);
            self.hand_over(Batch { columns: all, len })?;
        }
        ControlFlow::Continue(())
    }
}

impl Pattern {
    /// How many vectors a batch has.
    pub fn width(&self) -> usize {
        let own = [self.subject.project, self.project_predicate, self.object.project];
        own.iter().filter(|p| **p).count()
            + self.join.as_ref().map_or(usize::from(self.statement.project), |(_, about)| about.width())
    }
}
