//! Running a planned pattern: batches of aligned vectors, one vector for each projected position.
//!
//! Each relation of the plan is read by its path (`edges`, `values`); what is found is tested, joined with
//! the statements about it, counted, cut at the limit, projected, and handed over. The order of statements is
//! not specified.
//!
//! Source: Poseidon §5, §6.2.

use std::ops::ControlFlow;
use std::sync::Arc;

use trimorph_base::EdgeId;
use trimorph_types::Value;
use trimorph_vector::{Edges, Texts, Values, Vector};

use super::filters::{LiteralFilter, StatementFilter};
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

/// Statements found: one vector for each projected position, S P O I of the pattern first, then those of the
/// joined one.
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
    /// Finds the statements and hands them over batch by batch, until `sink` breaks; gives how many there
    /// were. A counting pattern hands over nothing.
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
            columns.push(Vector::new(Values::String(Texts::repeat(&predicate, len))));
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
        for access in &about.accesses {
            let Some((positions, columns)) = self.about(&ids, about, access.relation) else { continue };
            positions.iter().for_each(|p| ends[*p as usize] = true);
            batches.push((positions, columns));
        }
        if kind == JoinKind::Left {
            let alone: Vec<u32> = (0u32..).zip(&ends).filter(|(_, m)| !**m).map(|(i, _)| i).collect();
            if !alone.is_empty() {
                let nulls = vec![Vector::nulls(alone.len()); about.pattern.width()];
                batches.push((alone, nulls));
            }
        }
        for (positions, columns) in batches.into_iter().filter(|(positions, _)| !positions.is_empty()) {
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

impl<'s> Run<'_, 's> {
    /// The statements about edges `ids`, all of one edge table, in one relation: the positions of those that
    /// have one, and what is projected of it. Properties lie where the edge says: nothing is looked up.
    fn about(
        &self,
        ids: &[EdgeId],
        about: &AccessPlan,
        relation: Relation,
    ) -> Option<(Vec<u32>, Vec<Vector<'s>>)> {
        let Relation::EdgeProperty { table: place, column } = relation else { return None };
        let table = self.reader.edge_table(place);
        if ids.first()?.table() != table.id {
            return None;
        }
        // Nobody talks about the statement that an edge has a property.
        if matches!(about.join, Some((JoinKind::Inner, _))) {
            return None;
        }
        let slots = ids.iter().map(|e| table.slot(*e)).enumerate();
        let values = self.reader.edge_column(place, column).gather(slots, ids.len());
        // The planner announced these edges as a frontier.
        let mut subject = about.pattern.subject.clone();
        if later(&subject) {
            subject.frontier = None;
        }
        let (literal, subject) = (LiteralFilter::new(&about.pattern.object), StatementFilter::new(&subject));
        let passes = |i: usize| {
            (subject.open || subject.passes(ids[i]))
                && if literal.open {
                    !values.is_null(i)
                } else {
                    literal.passes(&values.value(i, &|_| Value::Null))
                }
        };
        let positions: Vec<u32> = (0u32..).take(ids.len()).filter(|i| passes(*i as usize)).collect();
        let mut columns = Vec::new();
        if about.pattern.subject.project {
            let own = positions.iter().map(|p| ids[*p as usize]).collect();
            columns.push(Vector::new(Values::Edge(Edges::Ids(own))));
        }
        if about.pattern.project_predicate {
            let id = self.reader.schema().edge_tables[place].properties[column].id;
            let name = self.reader.schema().property_name(id);
            columns.push(Vector::new(Values::String(Texts::repeat(&name, positions.len()))));
        }
        if about.pattern.object.project {
            columns.push(values.gather(&positions));
        }
        let nulls = about.pattern.width() - columns.len();
        columns.extend((0..nulls).map(|_| Vector::nulls(positions.len())));
        Some((positions, columns))
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
