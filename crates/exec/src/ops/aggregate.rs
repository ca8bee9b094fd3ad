//! Hash aggregation over factorised tuples: groups that hold neither keys nor arguments only count, so `count(*)` is a product of
//! sums. Runs its child on all cores when it can be forked: each worker fills its own table, tables are merged at the end.
//!
//! Hot loop: key numbers for all selected positions first, then one typed loop per aggregate.
//!
//! Source: GF-CL §6.2; morsel-driven parallelism, Leis et al. 2014.

use std::sync::Arc;

use trimorph_algebra::AggregateKind;
use trimorph_functions::aggregate::{Accumulator, AggregateFunction};
use trimorph_types::Value;
use trimorph_vector::{Chunk, Values, Vector};

use crate::expr::{Ex, Row, evaluate};
use crate::keys::{DistinctSet, KeyTable};
use crate::operator::{BoxOperator, Operator};
use crate::rows::{append, outside_weight, overflow};
use crate::{Context, ExecError};

/// What is aggregated.
pub(crate) struct AggregateSpec {
    pub(crate) keys: Vec<Ex>,
    pub(crate) aggregates: Vec<AggregateEx>,
    /// The one unflat group that keys and arguments read; none if all they read is flat.
    pub(crate) main: Option<usize>,
    /// Slots of the child's groups.
    pub(crate) slots: Vec<usize>,
    /// Whether the child may be forked.
    pub(crate) parallel: bool,
}

/// One aggregate.
pub(crate) struct AggregateEx {
    pub(crate) kind: AggregateKind,
    pub(crate) arg: Option<Ex>,
    pub(crate) parameter: Option<Ex>,
    pub(crate) distinct: bool,
}

/// The states of one aggregate, by group number.
enum States {
    Count(Vec<u64>),
    /// Sum, min or max of integers only, so far.
    Ints {
        kind: AggregateKind,
        values: Vec<i64>,
        seen: Vec<bool>,
    },
    General(Vec<Accumulator>),
}

struct Column {
    states: States,
    distinct: Option<DistinctSet>,
}

struct Table<'s> {
    keys: KeyTable,
    columns: Vec<Vector<'s>>,
    states: Vec<Column>,
}

fn function(kind: AggregateKind) -> AggregateFunction {
    match kind {
        AggregateKind::CountStar => AggregateFunction::CountStar,
        AggregateKind::Count => AggregateFunction::Count,
        AggregateKind::Sum => AggregateFunction::Sum,
        AggregateKind::Avg => AggregateFunction::Avg,
        AggregateKind::Min => AggregateFunction::Min,
        AggregateKind::Max => AggregateFunction::Max,
        AggregateKind::Collect => AggregateFunction::Collect,
        AggregateKind::StDev => AggregateFunction::StDev,
        AggregateKind::StDevP => AggregateFunction::StDevP,
        AggregateKind::PercentileCont => AggregateFunction::PercentileCont,
        AggregateKind::PercentileDisc => AggregateFunction::PercentileDisc,
    }
}

impl States {
    fn new(kind: AggregateKind) -> Self {
        match kind {
            AggregateKind::CountStar | AggregateKind::Count => Self::Count(Vec::new()),
            AggregateKind::Sum | AggregateKind::Min | AggregateKind::Max => {
                Self::Ints { kind, values: Vec::new(), seen: Vec::new() }
            }
            _ => Self::General(Vec::new()),
        }
    }

    fn resize(&mut self, kind: AggregateKind, groups: usize) {
        match self {
            Self::Count(counts) => counts.resize(groups, 0),
            Self::Ints { values, seen, .. } => {
                values.resize(groups, 0);
                seen.resize(groups, false);
            }
            Self::General(states) => states.resize_with(groups, || Accumulator::new(function(kind))),
        }
    }

    /// From integers only to anything.
    fn generalise(&mut self) -> Result<&mut Vec<Accumulator>, ExecError> {
        if let Self::Ints { kind, values, seen } = self {
            let mut states = Vec::with_capacity(values.len());
            for (v, seen) in values.iter().zip(seen.iter()) {
                let mut state = Accumulator::new(function(*kind));
                if *seen {
                    state.update(&Value::Int(*v), 1)?;
                }
                states.push(state);
            }
            *self = Self::General(states);
        }
        match self {
            Self::General(states) => Ok(states),
            _ => Err(overflow()),
        }
    }

    fn add_int(
        kind: AggregateKind,
        value: &mut i64,
        seen: &mut bool,
        v: i64,
        weight: u64,
    ) -> Result<(), ExecError> {
        if kind == AggregateKind::Sum {
            let added =
                i64::try_from(weight).ok().and_then(|w| v.checked_mul(w)).and_then(|x| value.checked_add(x));
            *value = added.ok_or_else(sum_overflow)?;
        } else if !*seen
            || (kind == AggregateKind::Min && v < *value)
            || (kind == AggregateKind::Max && v > *value)
        {
            *value = v;
        }
        *seen = true;
        Ok(())
    }
}

/// A worker that panicked: a bug of ours, and said so.
fn lost_worker() -> ExecError {
    ExecError::Query(
        trimorph_base::Diagnostic::runtime(
            trimorph_base::ErrorKind::SemanticError,
            "InternalError",
            "internal error: a worker thread was lost",
        )
        .hint("this is a bug in Trimorph: please report the query"),
    )
}

fn sum_overflow() -> ExecError {
    ExecError::Query(trimorph_base::Diagnostic::runtime(
        trimorph_base::ErrorKind::ArithmeticError,
        "NumberOutOfRange",
        "the sum does not fit a 64-bit integer",
    ))
}

impl<'s> Table<'s> {
    fn new(spec: &AggregateSpec) -> Self {
        let states = (spec.aggregates.iter())
            .map(|a| Column { states: States::new(a.kind), distinct: a.distinct.then(DistinctSet::default) })
            .collect();
        let columns = spec.keys.iter().map(|_| Vector::empty()).collect();
        let mut table = Self { keys: KeyTable::default(), columns, states };
        if spec.keys.is_empty() {
            // Without keys there is one group, also over no rows.
            table.keys.number(&[], &mut Vec::new());
            table.resize(spec, 1);
        }
        table
    }

    fn resize(&mut self, spec: &AggregateSpec, groups: usize) {
        for (column, a) in self.states.iter_mut().zip(&spec.aggregates) {
            column.states.resize(a.kind, groups);
        }
    }

    fn bytes(&self) -> usize {
        let sets: usize =
            self.states.iter().filter_map(|c| c.distinct.as_ref()).map(DistinctSet::bytes).sum();
        let states: usize = (self.states.iter())
            .map(|c| match &c.states {
                States::Count(v) => v.len() * 8,
                States::Ints { values, .. } => values.len() * 9,
                States::General(v) => v.iter().map(|a| 64 + a.heap_bytes()).sum(),
            })
            .sum();
        self.keys.bytes() + self.keys.len() * self.columns.len() * 24 + sets + states
    }

    /// Takes one chunk in.
    fn update(&mut self, spec: &AggregateSpec, chunk: &Chunk<'s>, cx: &Context<'s>) -> Result<(), ExecError> {
        let outside = outside_weight(chunk, spec.main)?;
        if spec.keys.is_empty() && spec.aggregates.iter().all(|a| a.kind == AggregateKind::CountStar) {
            let inside = match spec.main {
                Some(g) => chunk.groups[g].tuples().ok_or_else(overflow)?,
                None => 1,
            };
            let tuples = inside.checked_mul(outside).ok_or_else(overflow)?;
            for column in &mut self.states {
                if let States::Count(counts) = &mut column.states {
                    counts[0] = counts[0].checked_add(tuples).ok_or_else(overflow)?;
                }
            }
            return Ok(());
        }
        let (positions, len) = match spec.main {
            Some(g) => (chunk.groups[g].selection.to_vec(chunk.groups[g].len), chunk.groups[g].len),
            None => (vec![0], 1),
        };
        let vector = |ex: &Ex| -> Result<Vector<'s>, ExecError> {
            match spec.main {
                Some(g) => Ok(evaluate(ex, chunk, g, cx)?.into_vector(len)),
                None => Ok(single(Row::new(chunk, usize::MAX, 0).eval(ex, cx)?)),
            }
        };
        let weight = |p: u32| -> Result<u64, ExecError> {
            let own = spec.main.map_or(1, |g| chunk.groups[g].multiplicity_at(p as usize));
            own.checked_mul(outside).ok_or_else(overflow)
        };
        let keys = spec.keys.iter().map(vector).collect::<Result<Vec<_>, _>>()?;
        let numbers = self.number(&keys, &positions, cx);
        self.resize(spec, self.keys.len());
        for (column, a) in self.states.iter_mut().zip(&spec.aggregates) {
            let arg = a.arg.as_ref().map(vector).transpose()?;
            let parameter = a.parameter.as_ref().map(vector).transpose()?;
            column.update(arg.as_ref(), parameter.as_ref(), &numbers, &positions, &weight, cx)?;
        }
        Ok(())
    }

    fn number(&mut self, keys: &[Vector<'s>], positions: &[u32], cx: &Context<'s>) -> Vec<u32> {
        if keys.is_empty() {
            return vec![0; positions.len()];
        }
        let mut buffer = Vec::new();
        let mut fresh = Vec::new();
        let mut key: Vec<(&Vector<'_>, usize)> = keys.iter().map(|k| (k, 0)).collect();
        let numbers = (positions.iter())
            .map(|p| {
                key.iter_mut().for_each(|k| k.1 = *p as usize);
                let (number, new) = self.keys.number(&key, &mut buffer);
                if new {
                    fresh.push(*p);
                }
                number
            })
            .collect();
        for (column, key) in self.columns.iter_mut().zip(keys) {
            append(column, key, &fresh, &|id| cx.edge_value(id));
        }
        numbers
    }

    /// Moves another worker's table in.
    fn merge(&mut self, other: Self, spec: &AggregateSpec, cx: &Context<'s>) -> Result<(), ExecError> {
        let positions: Vec<u32> = (0..u32::try_from(other.keys.len()).unwrap_or(u32::MAX)).collect();
        let renumber = self.number(&other.columns, &positions, cx);
        self.resize(spec, self.keys.len());
        for (column, from) in self.states.iter_mut().zip(other.states) {
            column.merge(from, &renumber)?;
        }
        Ok(())
    }

    /// One vector for each key and aggregate.
    fn finish(self) -> Result<Vec<Vector<'s>>, ExecError> {
        let mut out = self.columns;
        for column in self.states {
            out.push(match column.states {
                States::Count(counts) => Vector::new(Values::Int(
                    counts
                        .into_iter()
                        .map(|c| i64::try_from(c).map_err(|_| overflow()))
                        .collect::<Result<_, _>>()?,
                )),
                // The sum of nothing is 0; the least of nothing is null.
                States::Ints { kind, values, seen }
                    if kind == AggregateKind::Sum || seen.iter().all(|s| *s) =>
                {
                    Vector::new(Values::Int(values))
                }
                States::Ints { values, seen, .. } => Vector::new(Values::Any(
                    values
                        .into_iter()
                        .zip(seen)
                        .map(|(v, s)| if s { Value::Int(v) } else { Value::Null })
                        .collect(),
                )),
                States::General(states) => Vector::new(Values::Any(
                    states.into_iter().map(Accumulator::finish).collect::<Result<_, _>>()?,
                )),
            });
        }
        Ok(out)
    }
}

fn single<'s>(value: Value) -> Vector<'s> {
    Vector::new(match value {
        Value::Int(i) => Values::Int(vec![i]),
        other => Values::Any(vec![other]),
    })
}

impl Column {
    fn update<'s>(
        &mut self,
        arg: Option<&Vector<'s>>,
        parameter: Option<&Vector<'s>>,
        numbers: &[u32],
        positions: &[u32],
        weight: &dyn Fn(u32) -> Result<u64, ExecError>,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let Column { states, distinct } = self;
        let mut admit = |number: u32, p: u32| -> Result<u64, ExecError> {
            match (arg, &mut *distinct) {
                (Some(v), Some(seen)) => {
                    Ok(u64::from(!v.is_null(p as usize) && seen.insert(number, v, p as usize)))
                }
                _ => weight(p),
            }
        };
        if let States::Count(counts) = states {
            for (number, p) in numbers.iter().zip(positions) {
                if arg.is_none_or(|v| !v.is_null(*p as usize)) {
                    let count = &mut counts[*number as usize];
                    *count = count.checked_add(admit(*number, *p)?).ok_or_else(overflow)?;
                }
            }
            return Ok(());
        }
        let Some(arg) = arg else { return Ok(()) };
        if let (States::Ints { kind, values, seen }, Values::Int(ints)) = (&mut *states, &arg.values) {
            for (number, p) in numbers.iter().zip(positions) {
                if !arg.nulls.get(*p as usize) {
                    let weight = admit(*number, *p)?;
                    if weight > 0 {
                        let n = *number as usize;
                        States::add_int(*kind, &mut values[n], &mut seen[n], ints[*p as usize], weight)?;
                    }
                }
            }
            return Ok(());
        }
        let states = states.generalise()?;
        for (number, p) in numbers.iter().zip(positions) {
            let state = &mut states[*number as usize];
            if let Some(parameter) = parameter {
                state.set_parameter(&parameter.value(*p as usize, &|id| cx.edge_value(id)))?;
            }
            if arg.is_null(*p as usize) {
                continue;
            }
            let weight = admit(*number, *p)?;
            if weight > 0 {
                state.update(&arg.value(*p as usize, &|id| cx.edge_value(id)), weight)?;
            }
        }
        Ok(())
    }

    fn merge(&mut self, from: Self, renumber: &[u32]) -> Result<(), ExecError> {
        if let (Some(seen), Some(other)) = (&mut self.distinct, from.distinct) {
            // Only counts are merged with DISTINCT (see `AggregateSpec::mergeable`).
            if let States::Count(counts) = &mut self.states {
                seen.merge(other, renumber, |group| counts[group as usize] += 1);
            }
            return Ok(());
        }
        match (&mut self.states, from.states) {
            (States::Count(a), States::Count(b)) => {
                for (n, count) in renumber.iter().zip(b) {
                    let total = &mut a[*n as usize];
                    *total = total.checked_add(count).ok_or_else(overflow)?;
                }
            }
            (States::Ints { kind, values, seen }, States::Ints { values: v, seen: s, .. }) => {
                for (n, (value, present)) in renumber.iter().zip(v.into_iter().zip(s)) {
                    if present {
                        let n = *n as usize;
                        States::add_int(*kind, &mut values[n], &mut seen[n], value, 1)?;
                    }
                }
            }
            (states, mut other) => {
                other.generalise()?;
                let states = states.generalise()?;
                if let States::General(other) = other {
                    for (n, state) in renumber.iter().zip(other) {
                        states[*n as usize].merge(state)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl AggregateSpec {
    /// Whether partial tables can be merged: DISTINCT keeps encoded keys, from which only a count can be made again.
    fn mergeable(&self) -> bool {
        self.aggregates.iter().all(|a| !a.distinct || a.kind == AggregateKind::Count)
    }
}

/// Hash aggregation.
pub(crate) struct Aggregate<'s> {
    child: BoxOperator<'s>,
    spec: Arc<AggregateSpec>,
    result: Option<(Vec<Vector<'s>>, usize)>,
    cursor: usize,
    held: Option<trimorph_base::Reservation>,
}

impl<'s> Aggregate<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<AggregateSpec>) -> Self {
        Self { child, spec, result: None, cursor: 0, held: None }
    }

    /// Runs one worker to the end.
    fn work(
        child: &mut BoxOperator<'s>,
        spec: &AggregateSpec,
        cx: &Context<'s>,
    ) -> Result<(Table<'s>, trimorph_base::Reservation), ExecError> {
        let mut chunk = Chunk::with_slots(&spec.slots);
        let mut table = Table::new(spec);
        let mut held = cx.settings.budget.reservation();
        let mut since = 0;
        while child.next(&mut chunk, cx)? {
            cx.check()?;
            table.update(spec, &chunk, cx)?;
            since += 1;
            // Walking all collected lists for their size is not for every chunk.
            if since % 16 == 0 {
                held.resize(table.bytes())?;
            }
        }
        held.resize(table.bytes())?;
        Ok((table, held))
    }

    fn run(&mut self, cx: &Context<'s>) -> Result<(), ExecError> {
        let spec = &self.spec;
        let threads = if spec.parallel && spec.mergeable() { cx.settings.threads } else { 1 };
        let (mut table, held) = if threads <= 1 {
            Self::work(&mut self.child, spec, cx)?
        } else {
            let mut twins: Vec<(BoxOperator<'s>, Arc<crate::Settings>)> =
                (1..threads).map(|_| (self.child.fork(), Arc::clone(&cx.settings))).collect();
            let snapshot = cx.snapshot;
            let child = &mut self.child;
            let results = std::thread::scope(|scope| {
                let workers: Vec<_> = twins
                    .drain(..)
                    .map(|(mut twin, settings)| {
                        scope.spawn(move || Self::work(&mut twin, spec, &Context::new(snapshot, settings)))
                    })
                    .collect();
                let own = Self::work(child, spec, cx);
                let others = workers.into_iter().map(|w| w.join().unwrap_or_else(|_| Err(lost_worker())));
                std::iter::once(own).chain(others).collect::<Vec<_>>()
            });
            let mut results = results.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter();
            let Some((mut table, held)) = results.next() else { return Ok(()) };
            for (other, _) in results {
                table.merge(other, spec, cx)?;
            }
            (table, held)
        };
        self.held = Some(held);
        for (column, a) in table.states.iter_mut().zip(&spec.aggregates) {
            // A percentile's parameter is checked also when there was no row.
            if let (Some(parameter), States::General(states)) = (&a.parameter, &mut column.states)
                && spec.keys.is_empty()
                && let Ex::Const(value) = parameter
            {
                states.iter_mut().try_for_each(|s| s.set_parameter(value))?;
            }
        }
        let groups = table.keys.len();
        self.result = Some((table.finish()?, groups));
        Ok(())
    }
}

impl<'s> Operator<'s> for Aggregate<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        if self.result.is_none() {
            self.run(cx)?;
        }
        cx.check()?;
        let Some((vectors, groups)) = &self.result else { return Ok(false) };
        let end = (self.cursor + cx.settings.vector_size).min(*groups);
        if self.cursor == end {
            return Ok(false);
        }
        let out = &mut chunk.groups[0];
        out.reset(end - self.cursor);
        if self.cursor == 0 && end == *groups {
            if let Some((vectors, _)) = &mut self.result {
                out.vectors.iter_mut().zip(vectors.drain(..)).for_each(|(slot, v)| *slot = v);
            }
        } else {
            let positions: Vec<u32> =
                (self.cursor..end).map(|i| u32::try_from(i).unwrap_or(u32::MAX)).collect();
            for (slot, vector) in vectors.iter().enumerate() {
                out.vectors[slot] = vector.gather(&positions);
            }
        }
        self.cursor = end;
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
        self.result = None;
        self.cursor = 0;
        self.held = None;
    }

    fn fork(&self) -> BoxOperator<'s> {
        Box::new(Self::new(self.child.fork(), Arc::clone(&self.spec)))
    }
}
