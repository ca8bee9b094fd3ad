//! Filter: each step narrows the selection of the one unflat group its predicate reads, or lets a tuple of
//! flat groups through.
//!
//! Steps stand in one operator, because a pattern of many edges has so many that operators on top of each
//! other would take too much stack.
//!
//! A comparison of one property with constants is asked of the encoded column. Where nobody above looks at
//! the group's positions, those that pass are only counted.

use trimorph_algebra::Op;
use trimorph_base::Span;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Group, Selection};

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
        Self { child, steps }
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
            if !self.child.next(chunk, cx)? {
                return Ok(false);
            }
            cx.check()?;
            let mut passed = true;
            for step in &mut self.steps {
                passed = step.passes(chunk, cx)?;
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
