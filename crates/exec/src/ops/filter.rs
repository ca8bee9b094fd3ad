//! Filter: each step narrows the selection of the one unflat group its predicate reads, or lets a tuple of
//! flat groups through.
//!
//! Steps stand in one operator, because a pattern of many edges has so many that operators on top of each
//! other would take too much stack.
//!
//! A comparison of one property with constants is asked of the encoded column. Where nobody above looks at
//! the group's positions, those that pass are only counted. Such comparisons of one group that follow each
//! other change places while the filter runs.

use std::ops::Range;
use std::time::Instant;

use trimorph_algebra::Op;
use trimorph_base::Span;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Group, Selection};

use super::filter_order::{Change, Order};
use crate::expr::{EntryMemo, Ex, PropertyFilter, Row, TestState, filter_again};
use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// A step of a filter.
#[derive(Clone, Debug)]
pub(crate) struct FilterStep {
    pub(crate) predicate: Ex,
    /// The unflat group the predicate reads, none if all are flat.
    pub(crate) group: Option<usize>,
    /// Whether nobody above looks at the positions of that group.
    pub(crate) counted: bool,
}

/// Filter.
pub(crate) struct Filter<'s> {
    child: BoxOperator<'s>,
    steps: Vec<Step<'s>>,
    /// The steps that change places.
    moving: Option<Moving>,
}

/// Steps that change places: tests of one group, which cannot fail.
struct Moving {
    steps: Range<usize>,
    order: Order,
    next: Change,
}

/// A predicate and what it works with.
struct Step<'s> {
    spec: FilterStep,
    /// Of each part of the predicate.
    memos: Vec<EntryMemo<'s>>,
    /// The predicate as a test on encoded columns, if it is one.
    test: Option<PropertyFilter>,
    state: TestState,
    /// Positions that passed, and how many tuples they stand for: lent to the group until the next call.
    spare: Vec<u32>,
    counts: Vec<u64>,
}

impl<'s> Filter<'s> {
    /// Tests in the order of `specs`, but comparisons of one property that follow each other in one step.
    pub(crate) fn new(child: BoxOperator<'s>, specs: &[FilterStep]) -> Self {
        let mut steps: Vec<Step<'s>> = Vec::new();
        for spec in specs {
            let test_of =
                || PropertyFilter::of(&spec.predicate).filter(|t| Some(t.place.group) == spec.group);
            let test = test_of();
            if let Some(last) =
                steps.last_mut().filter(|last| last.spec.group == spec.group && test.is_some())
                && let Some(first) = last.test.take()
                && let Some(more) = test_of()
            {
                match first.and(more) {
                    Ok(both) => {
                        last.test = Some(both);
                        last.spec.counted = spec.counted;
                        add_part(&mut last.spec.predicate, spec.predicate.clone());
                        continue;
                    }
                    Err(first) => last.test = Some(first),
                }
            }
            let (state, spec) = (TestState::default(), spec.clone());
            let memos = Vec::new();
            steps.push(Step { spec, memos, test, state, spare: Vec::new(), counts: Vec::new() });
        }
        let moving = Moving::of(&steps);
        Self { child, steps, moving }
    }
}

impl Moving {
    /// The first tests of one group that follow each other.
    fn of(steps: &[Step<'_>]) -> Option<Self> {
        let mut end = 0;
        let runs = steps.chunk_by(|a, b| {
            a.test.is_some() && b.test.is_some() && a.spec.group == b.spec.group && !a.spec.counted
        });
        let run = runs
            .map(|run| {
                end += run.len();
                end - run.len()..end
            })
            .find(|run| run.len() > 1)?;
        Some(Self { order: Order::new(run.len()), steps: run, next: Change::None })
    }

    /// Puts the steps where they were found to belong; they have been given back what they had lent.
    fn settle<'s>(&mut self, steps: &mut Vec<Step<'s>>) {
        let last = self.steps.end - 1;
        let counted = steps[last].spec.counted;
        steps[last].spec.counted = false;
        match std::mem::replace(&mut self.next, Change::None) {
            Change::None => {}
            Change::Rotate => steps[self.steps.clone()].rotate_left(1),
            Change::Sort(places) => {
                let mut moved: Vec<Option<Step<'s>>> = steps.drain(self.steps.clone()).map(Some).collect();
                let sorted: Vec<Step<'s>> =
                    places.into_iter().filter_map(|place| moved.get_mut(place)?.take()).collect();
                steps.splice(self.steps.start..self.steps.start, sorted);
            }
        }
        steps[last].spec.counted = counted;
    }

    /// Asks the first of the steps, and takes in what came of it.
    fn first<'s>(
        &mut self,
        step: &mut Step<'s>,
        chunk: &mut Chunk<'s>,
        cx: &Context<'s>,
    ) -> Result<bool, ExecError> {
        // What was deleted must not be looked at: which test meets it first is told.
        let Some(group) = step.spec.group.filter(|_| !cx.reader.is_after_deletion()) else {
            return step.passes(chunk, cx);
        };
        let selected = |chunk: &Chunk<'_>| {
            let group = &chunk.groups[group];
            group.selection.count(group.len) as u64
        };
        let rows = selected(chunk);
        let begun = self.order.is_trial().then(Instant::now);
        let passed = step.passes(chunk, cx)?;
        let nanos = begun.map_or(0.0, |begun| begun.elapsed().as_nanos() as f64);
        let left = if passed { selected(chunk) } else { 0 };
        self.next = self.order.note(rows, rows.saturating_sub(left), nanos);
        Ok(passed)
    }
}

/// Makes a predicate the conjunction of it and another.
fn add_part(predicate: &mut Ex, part: Ex) {
    match predicate {
        Ex::Op(Op::And, parts, _) => parts.push(part),
        first => {
            let first_part = std::mem::replace(first, Ex::Const(Value::Null));
            *first = Ex::Op(Op::And, vec![first_part, part], Span::default());
        }
    }
}

impl<'s> Step<'s> {
    /// Whether anything passes.
    fn passes(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        if let Some(group) = self.spec.group {
            return self.narrow(chunk, group, cx);
        }
        let value = Row::new(chunk, usize::MAX, 0).eval(&self.spec.predicate, cx)?;
        crate::expr::check_boolean(&value)?;
        Ok(matches!(value, Value::Bool(true)))
    }

    /// Takes back what the group was lent: by now its tuples have been consumed.
    fn take_back(&mut self, chunk: &mut Chunk<'_>) {
        let Some(group) = self.spec.group else { return };
        let group = &mut chunk.groups[group];
        // A step with a buffer of its own leaves the list to the step before.
        if self.spare.capacity() == 0
            && let Selection::List(list) = &mut group.selection
        {
            self.spare = std::mem::take(list);
            group.selection = Selection::All;
        }
        if self.spec.counted
            && let Some(counts) = group.multiplicity.take()
        {
            self.counts = counts;
        }
    }

    /// Narrows `group`; gives whether anything is left.
    fn narrow(&mut self, chunk: &mut Chunk<'s>, group: usize, cx: &Context<'s>) -> Result<bool, ExecError> {
        if let Some(test) = &self.test {
            let g = &mut chunk.groups[group];
            if self.spec.counted
                && let Some(count) = test.count(g, &mut self.state, cx)
            {
                self.lend(g, count);
                return Ok(count > 0);
            }
            self.spare.clear();
            if test.select(g, &mut self.state, cx, &mut self.spare).is_some() {
                let left = self.spare.len();
                if left < g.selection.count(g.len) {
                    match &mut g.selection {
                        Selection::List(list) => std::mem::swap(list, &mut self.spare),
                        all => *all = Selection::List(std::mem::take(&mut self.spare)),
                    }
                }
                return Ok(left > 0);
            }
        }
        filter_again(&self.spec.predicate, &mut self.memos, chunk, group, cx)?;
        let g = &chunk.groups[group];
        Ok(g.selection.count(g.len) > 0)
    }

    fn lend(&mut self, group: &mut Group<'_>, count: usize) {
        group.selection = Selection::List(std::mem::take(&mut self.spare));
        group.multiplicity = Some(std::mem::take(&mut self.counts));
        group.stand_for(count as u64);
    }
}

impl<'s> Operator<'s> for Filter<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        loop {
            self.steps.iter_mut().rev().for_each(|step| step.take_back(chunk));
            if let Some(moving) = self.moving.as_mut().filter(|moving| moving.next != Change::None) {
                moving.settle(&mut self.steps);
            }
            if !self.child.next(chunk, cx)? {
                return Ok(false);
            }
            cx.check()?;
            let mut passed = true;
            for (place, step) in self.steps.iter_mut().enumerate() {
                passed = match &mut self.moving {
                    Some(moving) if moving.steps.start == place => moving.first(step, chunk, cx)?,
                    _ => step.passes(chunk, cx)?,
                };
                if !passed {
                    break;
                }
            }
            if passed {
                return Ok(true);
            }
        }
    }

    fn reset(&mut self) {
        self.child.reset();
    }
}
