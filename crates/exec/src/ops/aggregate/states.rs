//! The states of one aggregate, by group number: rows in, one value per group out.
//!
//! Counts, sums of integers or of floats, and least and largest of values of one type are arrays with a loop
//! of their own; anything else is an accumulator per group. An aggregate starts typed and becomes general
//! when a value of another type comes.

use trimorph_algebra::{AggregateKind, ListOrder};
use trimorph_base::{Diagnostic, Reservation, Span};
use trimorph_functions::aggregate::Accumulator;
use trimorph_types::{LogicalType, Value};
use trimorph_vector::{Decimals, Nulls, Number, Positions, Values, Vector};

use super::best::Best;
use super::collected::Collected;
use super::decimal_sums::DecimalSums;
use super::deviation::{Coming, Moments};
use super::distinct::DistinctSet;
use super::functions::{function, integer_value, mean_overflow, sum_overflow};
use super::number_sums::NumberSums;
use super::ordered::ordered_lists;
use super::ranks::Ranks;
use super::rows::{Rows, Weights};
use super::spec::Kept;
use crate::charge::vec_growth_bytes;
use crate::rows::{MANY, overflow};
use crate::{Context, ExecError};

pub(super) enum States<'s> {
    Count(Vec<u64>),
    /// Sums of integers only, so far: only the result may overflow.
    Sums {
        values: Vec<i128>,
        seen: Vec<bool>,
    },
    /// Means of integers only, so far.
    Means {
        sums: Vec<i128>,
        counts: Vec<u64>,
    },
    /// Sums or means of numbers, of which some are floats.
    Numbers(NumberSums),
    /// Sums or means of decimals only, so far.
    Decimals(DecimalSums),
    /// Deviations of integers only, so far.
    Deviations {
        moments: Vec<Moments>,
        /// Numbers that were taken, in all groups.
        taken: u64,
    },
    /// Least or largest of values of one type that are kept as integers, so far.
    Extremes {
        kind: AggregateKind,
        ty: LogicalType,
        values: Vec<i64>,
        seen: Vec<bool>,
    },
    /// The same of values of another type.
    Best(Box<Best<'s>>),
    /// Lists of values that own no others, so far.
    Lists(Box<Collected<'s>>),
    /// Integers or floats of which percentiles are asked, so far.
    Ranks(Box<Ranks>),
    General(Vec<Accumulator>),
}

/// One aggregate.
pub(super) struct Column<'s> {
    pub(super) kind: AggregateKind,
    pub(super) states: States<'s>,
    pub(super) distinct: Option<DistinctSet>,
    /// What distinct values are for, where they are kept: then the states are lists of them.
    pub(super) kept: Option<Kept>,
    /// What accumulators own besides themselves.
    pub(super) general_bytes: usize,
    /// Of least and largest, how the best text of each group begins, as far as it was seen: its first bytes
    /// as a word, turned so that a text whose word is less is no better.
    pub(super) best_words: Vec<u64>,
    /// Of lists: their order, if it is not that of the rows.
    pub(super) order: Option<ListOrder>,
    /// Where the aggregate stands in the query.
    pub(super) span: Span,
}

/// Rows that are taken in between two looks at the flag that cancels, and tuples of one row that are taken at
/// once.
pub(super) const ROWS_UNCHECKED: usize = 1 << 12;
const WEIGHT_UNCHECKED: u64 = 1 << 16;
/// Bytes that are not worth asking the budget for: it is shared between threads.
const BYTES_UNCHARGED: usize = 1 << 18;

/// What a table holds of the budget, charged before it grows.
pub(super) struct Ledger<'a, 's> {
    pub(super) held: &'a mut Reservation,
    pub(super) cx: &'a Context<'s>,
    /// Not charged yet.
    pending: usize,
    /// Held already, for what comes.
    ahead: usize,
}

impl<'a, 's> Ledger<'a, 's> {
    pub(super) fn new(held: &'a mut Reservation, cx: &'a Context<'s>) -> Self {
        Self::ahead(held, cx, 0)
    }

    /// Where so many bytes are held for what comes.
    pub(super) fn ahead(held: &'a mut Reservation, cx: &'a Context<'s>, ahead: usize) -> Self {
        Self { held, cx, pending: 0, ahead }
    }

    /// Holds `growth` bytes while `work` allocates them and gives others back; `bytes` says how many there
    /// are.
    pub(super) fn grow<T, R>(
        &mut self,
        of: &mut T,
        growth: usize,
        bytes: impl Fn(&T) -> usize,
        work: impl FnOnce(&mut T) -> Result<R, ExecError>,
    ) -> Result<R, ExecError> {
        let before = bytes(of);
        let large = growth > BYTES_UNCHARGED;
        let missing = growth.saturating_sub(self.ahead);
        if large {
            self.cx.check()?;
            self.held.grow(missing)?;
        }
        let done = work(of)?;
        self.pending += bytes(of).saturating_sub(before);
        if large {
            self.held.resize(self.held.bytes() - missing)?;
        }
        if self.pending > BYTES_UNCHARGED {
            let pending = std::mem::take(&mut self.pending);
            let covered = pending.min(self.ahead);
            self.ahead -= covered;
            self.held.grow(pending - covered)?;
        }
        Ok(done)
    }
}

/// Values that are kept as 64-bit integers, and read the same way.
pub(super) fn integers<'a>(values: &'a Values<'_>) -> Option<&'a [i64]> {
    match values {
        Values::Int(v) | Values::LocalTime(v) | Values::LocalDateTime(v) | Values::DateTime(v) => Some(v),
        _ => None,
    }
}

/// The other way.
pub(super) fn vector_of<'s>(ty: LogicalType, values: Vec<i64>) -> Vector<'s> {
    Vector::new(match ty {
        LogicalType::LocalTime => Values::LocalTime(values),
        LogicalType::LocalDateTime => Values::LocalDateTime(values),
        LogicalType::DateTime => Values::DateTime(values),
        _ => Values::Int(values),
    })
}

/// One of them as a value.
fn value_of(ty: LogicalType, value: i64) -> Value {
    vector_of(ty, vec![value]).value(0, &|_| Value::Null)
}

/// Integers with nulls where none was seen.
pub(super) fn extremes_column<'s>(ty: LogicalType, values: Vec<i64>, seen: &[bool]) -> Vector<'s> {
    let len = values.len();
    let mut column = vector_of(ty, values);
    for (i, _) in seen.iter().enumerate().filter(|(_, seen)| !**seen) {
        column.nulls.set(i, len);
    }
    column
}

/// Least and largest of values of any type.
pub(super) fn extremes_of(kind: AggregateKind, values: &Vector<'_>) -> Result<Vec<Accumulator>, ExecError> {
    let state = |i: usize| {
        let mut state = Accumulator::new(function(kind));
        state.update(&values.value(i, &|_| Value::Null), 1)?;
        Ok(state)
    };
    (0..values.listed()).map(state).collect()
}

/// What every value is as good as, or better.
pub(super) fn worst(kind: AggregateKind) -> i64 {
    if kind == AggregateKind::Max { i64::MIN } else { i64::MAX }
}

#[inline]
pub(super) fn keep_extreme(largest: bool, value: &mut i64, seen: &mut bool, v: i64) {
    if !*seen || (if largest { v > *value } else { v < *value }) {
        *value = v;
    }
    *seen = true;
}

/// The mean of integers; of none it is arbitrary.
#[expect(clippy::cast_precision_loss, reason = "a mean is approximate")]
fn mean(sum: i128, count: u64) -> f64 {
    sum as f64 / count as f64
}

/// Integers, of which those beyond 64 bits are literals.
fn of_integers<'s>(values: Vec<i128>) -> Vector<'s> {
    let narrow: Result<Vec<i64>, _> = values.iter().map(|value| i64::try_from(*value)).collect();
    match narrow {
        Ok(ints) => Vector::new(Values::Int(ints)),
        Err(_) => {
            let len = values.len();
            Vector::of_values(values.into_iter().map(integer_value).collect(), Positions::all(len))
        }
    }
}

impl<'s> States<'s> {
    fn new(kind: AggregateKind, one_group: bool) -> Self {
        match kind {
            AggregateKind::CountStar | AggregateKind::Count => Self::Count(Vec::new()),
            AggregateKind::Sum | AggregateKind::NumberSum => {
                Self::Sums { values: Vec::new(), seen: Vec::new() }
            }
            AggregateKind::Avg => Self::Means { sums: Vec::new(), counts: Vec::new() },
            AggregateKind::Min | AggregateKind::Max => {
                Self::Extremes { kind, ty: LogicalType::Int, values: Vec::new(), seen: Vec::new() }
            }
            AggregateKind::StDev | AggregateKind::StDevP => {
                Self::Deviations { moments: Vec::new(), taken: 0 }
            }
            AggregateKind::Collect => Self::Lists(Box::default()),
            AggregateKind::PercentileCont | AggregateKind::PercentileDisc if !one_group => {
                Self::Ranks(Box::default())
            }
            _ => Self::General(Vec::new()),
        }
    }

    /// Makes sums and extremes of which none was seen, or that are instants of UTC, what takes values like
    /// those of `arg`, where these are kept by type.
    fn retype(&mut self, aggregate: AggregateKind, arg: &Vector<'s>) {
        if let (Values::Decimal(_), AggregateKind::Sum | AggregateKind::Avg) = (&arg.values, aggregate) {
            self.sum_decimals();
        }
        if matches!(arg.values, Values::Float(_) | Values::Number(_)) {
            self.sum_numbers();
        }
        let Self::Extremes { kind, ty, values, seen } = self else { return };
        if !seen.iter().any(|seen| *seen) {
            if let Some(best) = Best::new(*kind, arg, seen.len()) {
                *self = Self::Best(Box::new(best));
            }
        } else if let (LogicalType::DateTime, Values::Zoned(_)) = (*ty, &arg.values) {
            let column = extremes_column(*ty, std::mem::take(values), seen).zoned();
            if let Some(best) = Best::of_column(*kind, &column) {
                *self = Self::Best(Box::new(best));
            }
        }
    }

    /// Makes sums and means of nothing those of decimals.
    pub(super) fn sum_decimals(&mut self) {
        let groups = match self {
            Self::Sums { seen, .. } if !seen.contains(&true) => seen.len(),
            Self::Means { counts, .. } if counts.iter().all(|count| *count == 0) => counts.len(),
            _ => return,
        };
        *self = Self::Decimals(DecimalSums::new(groups));
    }

    /// Makes sums and means of integers those of all numbers.
    pub(super) fn sum_numbers(&mut self) {
        *self = match self {
            Self::Sums { seen, .. } if !seen.contains(&true) => Self::Numbers(NumberSums::new(seen.len())),
            Self::Means { counts, .. } if counts.iter().all(|count| *count == 0) => {
                Self::Numbers(NumberSums::new(counts.len()))
            }
            Self::Sums { values, seen } => {
                // Of sums only whether there is a term is asked.
                let counts = seen.iter().map(|seen| u64::from(*seen)).collect();
                Self::Numbers(NumberSums::of_integers(std::mem::take(values), counts))
            }
            Self::Means { sums, counts } => {
                Self::Numbers(NumberSums::of_integers(std::mem::take(sums), std::mem::take(counts)))
            }
            _ => return,
        };
    }

    /// Least or largest of each group, where they are kept by type and there was any: null where there was
    /// none.
    pub(super) fn extremes(self) -> Result<Option<Vector<'s>>, Self> {
        match self {
            Self::Extremes { ty, values, seen, .. } => {
                let any = seen.iter().any(|seen| *seen);
                Ok(any.then(|| extremes_column(ty, values, &seen)))
            }
            Self::Best(best) => Ok(best.has_seen().then(|| best.into_column())),
            other => Err(other),
        }
    }

    /// The same of lists, whose edges need the store.
    pub(super) fn generalise_lists(&mut self, cx: &Context<'_>) -> Result<(), ExecError> {
        if let Self::Lists(collected) = self {
            *self = Self::General(collected.accumulators(cx)?);
        }
        Ok(())
    }

    /// From typed to anything, lists left out.
    pub(super) fn generalise(&mut self, kind: AggregateKind) -> Result<&mut Vec<Accumulator>, ExecError> {
        match self {
            Self::Sums { values, seen } => {
                let mut states = Vec::with_capacity(values.len());
                for (v, seen) in values.iter().zip(seen) {
                    let mut state = Accumulator::new(function(kind));
                    if *seen {
                        // A sum past 64 bits goes in by parts.
                        let mut rest = *v;
                        loop {
                            let part = rest.clamp(i64::MIN.into(), i64::MAX.into());
                            state.update(&Value::Int(i64::try_from(part).map_err(|_| sum_overflow())?), 1)?;
                            rest -= part;
                            if rest == 0 {
                                break;
                            }
                        }
                    }
                    states.push(state);
                }
                *self = Self::General(states);
            }
            Self::Means { sums, counts } => {
                let means = sums.iter().zip(&*counts);
                let states = means.map(|(sum, n)| Accumulator::of_integers(function(kind), *sum, *n));
                *self = Self::General(states.collect());
            }
            Self::Numbers(sums) => *self = Self::General(sums.accumulators(kind)?),
            Self::Decimals(sums) => *self = Self::General(sums.accumulators(kind)?),
            Self::Extremes { ty, values, seen, .. } => {
                let mut states = Vec::with_capacity(values.len());
                for (v, seen) in values.iter().zip(seen) {
                    let mut state = Accumulator::new(function(kind));
                    if *seen {
                        state.update(&value_of(*ty, *v), 1)?;
                    }
                    states.push(state);
                }
                *self = Self::General(states);
            }
            Self::Deviations { moments, .. } => {
                *self = Self::General(
                    moments.iter().map(|moments| moments.accumulator(function(kind))).collect(),
                );
            }
            Self::Ranks(ranks) => *self = Self::General(ranks.accumulators(kind)?),
            Self::Best(best) => {
                let groups = u32::try_from(best.cells().0).unwrap_or(u32::MAX);
                let column = best.column(&(0..groups).collect::<Vec<_>>());
                *self = Self::General(extremes_of(kind, &column)?);
            }
            Self::Count(_) | Self::Lists(_) | Self::General(_) => {}
        }
        match self {
            Self::General(states) => Ok(states),
            _ => Err(Diagnostic::internal("counts and lists are no accumulators").into()),
        }
    }
}

/// Whether an aggregate makes floats of decimals before anything else.
fn takes_floats(kind: AggregateKind) -> bool {
    matches!(kind, AggregateKind::StDev | AggregateKind::StDevP | AggregateKind::PercentileCont)
}

/// Takes a value into a state that may grow by it.
#[inline]
pub(super) fn take(
    state: &mut Accumulator,
    value: &Value,
    weight: u64,
    ledger: &mut Ledger<'_, '_>,
) -> Result<(), ExecError> {
    let growth = state.growth_bytes(weight);
    ledger.grow(state, growth, Accumulator::heap_bytes, |state| Ok(state.update(value, weight)?))
}

impl<'s> Column<'s> {
    /// No groups; `one_group` if there will be one only.
    pub(super) fn new(kind: AggregateKind, distinct: bool, one_group: bool) -> Self {
        let distinct = distinct.then(|| DistinctSet::new(one_group));
        let states = States::new(kind, one_group);
        Self {
            kind,
            states,
            distinct,
            kept: None,
            general_bytes: 0,
            best_words: Vec::new(),
            order: None,
            span: Span::default(),
        }
    }

    /// Groups come one after the other.
    pub(super) fn in_runs(mut self) -> Self {
        self.distinct = self.distinct.map(|_| DistinctSet::in_runs());
        self
    }

    /// Makes states for `groups` groups.
    pub(super) fn resize(&mut self, groups: usize) {
        let kind = self.kind;
        match &mut self.states {
            States::Count(counts) => counts.resize(groups, 0),
            States::Sums { values, seen } => {
                values.resize(groups, 0);
                seen.resize(groups, false);
            }
            States::Means { sums, counts } => {
                sums.resize(groups, 0);
                counts.resize(groups, 0);
            }
            States::Numbers(sums) => sums.resize(groups),
            States::Decimals(sums) => sums.resize(groups),
            States::Extremes { kind, values, seen, .. } => {
                values.resize(groups, worst(*kind));
                seen.resize(groups, false);
            }
            States::Deviations { moments, .. } => moments.resize(groups, Moments::default()),
            States::Best(best) => best.resize(groups),
            States::Lists(collected) => collected.resize(groups),
            States::Ranks(ranks) => ranks.resize(groups),
            States::General(states) => states.resize_with(groups, || Accumulator::new(function(kind))),
        }
    }

    /// States: how many there are, for how many there is room, and bytes of each.
    fn cells(&self) -> (usize, usize, usize) {
        match &self.states {
            States::Count(v) => (v.len(), v.capacity(), size_of::<u64>()),
            States::Sums { values, .. } => (values.len(), values.capacity(), size_of::<i128>() + 1),
            States::Means { sums, .. } => (sums.len(), sums.capacity(), size_of::<i128>() + size_of::<u64>()),
            States::Numbers(sums) => sums.cells(),
            States::Decimals(sums) => sums.cells(),
            States::Extremes { values, .. } => (values.len(), values.capacity(), size_of::<i64>() + 1),
            States::Deviations { moments: v, .. } => (v.len(), v.capacity(), size_of::<Moments>()),
            States::Best(best) => best.cells(),
            // What it takes comes with values, not with groups.
            States::Lists(collected) => (collected.groups(), collected.groups(), 0),
            States::Ranks(ranks) => (ranks.groups(), ranks.groups(), 0),
            States::General(v) => (v.len(), v.capacity(), Accumulator::bytes(function(self.kind))),
        }
    }

    /// How many groups there are.
    pub(super) fn groups(&self) -> usize {
        self.cells().0
    }

    /// Bytes that are allocated before there are states for `groups` groups: those that move are given back.
    pub(super) fn growth_bytes(&self, groups: usize) -> usize {
        let (len, capacity, width) = self.cells();
        vec_growth_bytes(len, capacity, groups.saturating_sub(len), width)
    }

    /// Bytes that may be allocated before `more` rows have been taken in, as far as it is known: distinct
    /// values and lists.
    pub(super) fn row_growth_bytes(&self, more: usize) -> usize {
        let lists = match &self.states {
            States::Lists(collected) => collected.growth_bytes(more),
            States::Ranks(ranks) => ranks.growth_bytes(more),
            _ => 0,
        };
        lists + self.distinct.as_ref().map_or(0, |set| set.growth_bytes(more))
    }

    /// Whether the states of the groups there are may take more room.
    #[inline]
    pub(super) fn grows(&self) -> bool {
        self.distinct.is_some()
            || matches!(self.states, States::General(_) | States::Lists(_) | States::Ranks(_))
    }

    /// Bytes held, about.
    pub(super) fn bytes(&self) -> usize {
        let (_, capacity, width) = self.cells();
        capacity * width + self.value_bytes()
    }

    /// Of these, what comes with values and not with groups.
    pub(super) fn value_bytes(&self) -> usize {
        let lists = match &self.states {
            States::Lists(collected) => collected.bytes(),
            States::Ranks(ranks) => ranks.bytes(),
            _ => 0,
        };
        let words = self.best_words.capacity() * size_of::<u64>();
        lists + words + self.general_bytes + self.distinct.as_ref().map_or(0, DistinctSet::bytes)
    }

    /// Counts tuples of the one group of an aggregation without keys.
    pub(super) fn count_rows(&mut self, tuples: u64) {
        self.count_group(0, tuples);
    }

    /// Counts tuples of one group.
    pub(super) fn count_group(&mut self, number: u32, tuples: u64) {
        if let States::Count(counts) = &mut self.states
            && let Some(count) = counts.get_mut(number as usize)
        {
            *count = count.saturating_add(tuples);
        }
    }

    /// Gives the parameter of a percentile to all groups.
    pub(super) fn set_parameter(&mut self, value: &Value) -> Result<(), ExecError> {
        self.check_kept(value)?;
        if let States::General(states) = &mut self.states {
            for state in states {
                state.set_parameter(value)?;
            }
        }
        Ok(())
    }

    /// Takes rows in.
    pub(super) fn update(
        &mut self,
        rows: &Rows<'_, 's>,
        ledger: &mut Ledger<'_, '_>,
    ) -> Result<(), ExecError> {
        let Some(seen) = &mut self.distinct else { return self.add(rows, ledger) };
        let Some(arg) = rows.arg else { return Ok(()) };
        // A value that is new to its group counts once, whatever its row stands for.
        let room = rows.positions.len();
        let (mut numbers, mut positions) = (Vec::with_capacity(room), Vec::with_capacity(room));
        let pieces = rows.numbers.chunks(ROWS_UNCHECKED).zip(rows.positions.chunks(ROWS_UNCHECKED));
        for (piece_numbers, piece) in pieces {
            ledger.cx.check()?;
            ledger.grow(seen, seen.growth_bytes(piece.len()), DistinctSet::bytes, |seen| {
                seen.insert_all(piece_numbers, piece, arg, |number, p| {
                    numbers.push(number);
                    positions.push(p);
                });
                Ok(())
            })?;
        }
        let weights = Weights::All(1);
        let shared = None;
        self.add(&Rows { numbers: &numbers, positions: &positions, weights, shared, ..*rows }, ledger)
    }

    /// Takes rows in, whatever was seen.
    pub(super) fn add(&mut self, rows: &Rows<'_, 's>, ledger: &mut Ledger<'_, '_>) -> Result<(), ExecError> {
        let (groups, ..) = self.cells();
        if self.add_few(rows, groups) {
            return Ok(());
        }
        if let States::Count(counts) = &mut self.states {
            return rows.each(|n, _, weight| {
                counts[n] = counts[n].saturating_add(weight);
                Ok(())
            });
        }
        let Some(arg) = rows.arg else { return Ok(()) };
        if let Values::Decimal(decimals) = &arg.values
            && takes_floats(self.kind)
        {
            let floats = Values::Float(decimals.floats());
            let arg = Vector { values: floats, nulls: arg.nulls.clone() };
            return self.add(&Rows { arg: Some(&arg), is_of_chunk: false, ..*rows }, ledger);
        }
        if rows.are_null() {
            return Ok(());
        }
        if integers(&arg.values).is_none() {
            self.states.retype(self.kind, arg);
        }
        if let States::Best(best) = &mut self.states
            && best.add(rows, arg)?
        {
            return Ok(());
        }
        match &mut self.states {
            States::Lists(collected) if collected.takes(rows) => {
                let (growth, cx) = (collected.rows_bytes(rows), ledger.cx);
                return ledger.grow(collected, growth, |own| own.bytes(), |own| own.add(rows, cx));
            }
            States::Ranks(ranks) if ranks.takes(rows, arg) => {
                let (growth, kind) = (ranks.growth_bytes(rows.positions.len()), self.kind);
                return ledger.grow(ranks, growth, |own| own.bytes(), |own| own.add(kind, rows, arg));
            }
            _ => {}
        }
        if let (States::Decimals(sums), Values::Decimal(decimals)) = (&mut self.states, &arg.values)
            && sums.add(rows, decimals)?
        {
            return Ok(());
        }
        match (&mut self.states, &arg.values) {
            (States::Sums { values, seen }, Values::Int(ints)) => {
                return rows.each(|n, p, weight| {
                    if weight == MANY && ints[p] != 0 {
                        return Err(overflow());
                    }
                    let term = i128::from(ints[p]) * i128::from(weight);
                    values[n] = values[n].checked_add(term).ok_or_else(sum_overflow)?;
                    seen[n] = true;
                    Ok(())
                });
            }
            (States::Means { sums, counts }, Values::Int(ints)) => {
                return rows.each(|n, p, weight| {
                    if weight == MANY {
                        return Err(overflow());
                    }
                    let term = i128::from(ints[p]) * i128::from(weight);
                    sums[n] = sums[n].checked_add(term).ok_or_else(mean_overflow)?;
                    counts[n] = counts[n].checked_add(weight).ok_or_else(mean_overflow)?;
                    Ok(())
                });
            }
            (States::Numbers(sums), Values::Float(floats)) => return sums.add(rows, floats),
            (States::Numbers(sums), Values::Int(ints)) => return sums.add_integers(rows, ints),
            (States::Numbers(sums), Values::Number(numbers)) => return sums.add_numbers(rows, numbers),
            (States::Extremes { kind, ty, values, seen }, other) => {
                let fits = *ty == arg.logical_type() || !seen.iter().any(|s| *s);
                if let (Some(ints), true) = (integers(other), fits) {
                    *ty = arg.logical_type();
                    // What no row was seen of is worse than all.
                    return match kind {
                        AggregateKind::Max => rows.each(|n, p, _| {
                            (values[n], seen[n]) = (values[n].max(ints[p]), true);
                            Ok(())
                        }),
                        _ => rows.each(|n, p, _| {
                            (values[n], seen[n]) = (values[n].min(ints[p]), true);
                            Ok(())
                        }),
                    };
                }
            }
            (States::Deviations { moments, taken }, Values::Int(ints)) => {
                let mut coming = Coming::after(*taken);
                rows.each(|_, p, weight| {
                    coming.add(ints[p], weight);
                    Ok(())
                })?;
                if coming.fit() {
                    *taken = coming.count;
                    return rows.each(|n, p, weight| {
                        moments[n].add(ints[p], weight);
                        Ok(())
                    });
                }
            }
            _ => {}
        }
        let is_sum = {
            use AggregateKind as K;
            matches!(self.kind, K::Sum | K::NumberSum | K::Avg | K::StDev | K::StDevP)
        };
        match &arg.values {
            Values::Float(floats) if is_sum => self.add_numbers(rows, |p| Number::Float(floats[p])),
            Values::Number(numbers) if is_sum => self.add_numbers(rows, |p| numbers.get(p)),
            Values::Decimal(decimals) if self.kind == AggregateKind::NumberSum => {
                self.add_decimals(rows, decimals)
            }
            Values::String(texts) if matches!(self.kind, AggregateKind::Min | AggregateKind::Max) => {
                self.add_texts(rows, texts, ledger)
            }
            Values::List(_) | Values::Tuple(_)
                if matches!(self.kind, AggregateKind::Min | AggregateKind::Max) =>
            {
                self.add_lists(rows, arg, ledger)
            }
            _ => self.add_any(rows, arg, ledger),
        }
    }

    /// Takes numbers into sums, means and deviations.
    #[inline(always)]
    fn add_numbers(
        &mut self,
        rows: &Rows<'_, '_>,
        number: impl Fn(usize) -> Number,
    ) -> Result<(), ExecError> {
        let states = self.states.generalise(self.kind)?;
        rows.each(|n, p, weight| {
            if weight == MANY {
                return Err(overflow());
            }
            match number(p) {
                Number::Float(float) => states[n].update_float(float, weight)?,
                Number::Int(int) => states[n].update_integer(int, weight)?,
            };
            Ok(())
        })
    }

    /// Takes decimals into SPARQL's sums.
    fn add_decimals(&mut self, rows: &Rows<'_, '_>, decimals: &Decimals) -> Result<(), ExecError> {
        let states = self.states.generalise(self.kind)?;
        rows.each(|n, p, weight| {
            if weight == MANY {
                return Err(overflow());
            }
            states[n].update_decimal(decimals.at(p), weight);
            Ok(())
        })
    }

    fn add_any(
        &mut self,
        rows: &Rows<'_, '_>,
        arg: &Vector<'_>,
        ledger: &mut Ledger<'_, '_>,
    ) -> Result<(), ExecError> {
        let cx = ledger.cx;
        self.states.generalise_lists(cx)?;
        let states = self.states.generalise(self.kind)?;
        if let ([state], Some(parameter)) = (&mut states[..], rows.constant)
            && !rows.numbers.is_empty()
        {
            if !state.has_parameter() {
                state.set_parameter(parameter)?;
            }
        } else if let Some(parameter) = rows.constant {
            for n in rows.numbers {
                let state = &mut states[*n as usize];
                if !state.has_parameter() {
                    state.set_parameter(parameter)?;
                }
            }
        }
        if let Some(parameter) = rows.parameter {
            for (n, p) in rows.numbers.iter().zip(rows.positions) {
                let value = parameter.value(*p as usize, &|id| cx.edge_value(id));
                states[*n as usize].set_parameter(&value)?;
            }
        }
        if let ([state], Weights::All(1)) = (&mut states[..], rows.weights)
            && let Values::Int(_) | Values::Float(_) = &arg.values
            && rows.are_plain()
            && let are_floats = matches!(arg.values, Values::Float(_))
            && let Some(growth) = state.numbers_growth_bytes(rows.positions.len(), are_floats)
        {
            let before = state.heap_bytes();
            ledger.grow(state, growth, Accumulator::heap_bytes, |state| {
                let at = rows.positions.iter().map(|p| *p as usize);
                match &arg.values {
                    Values::Float(floats) => state.push_floats(at.map(|i| floats[i])),
                    Values::Int(ints) => state.push_integers(at.map(|i| ints[i])),
                    _ => {}
                }
                Ok(())
            })?;
            self.general_bytes = (self.general_bytes + state.heap_bytes()).saturating_sub(before);
            return Ok(());
        }
        let weighs = !matches!(self.kind, AggregateKind::Min | AggregateKind::Max);
        let grows = {
            use AggregateKind as K;
            let is_sum = matches!(self.kind, K::Avg | K::Sum | K::NumberSum | K::StDev | K::StDevP);
            !is_sum || !matches!(arg.values, Values::Int(_) | Values::Float(_) | Values::Number(_))
        };
        let (mut rows_left, general_bytes) = (ROWS_UNCHECKED, &mut self.general_bytes);
        rows.each(|n, p, mut weight| {
            rows_left -= 1;
            if rows_left == 0 {
                rows_left = ROWS_UNCHECKED;
                cx.check()?;
            }
            if weighs && weight == MANY {
                return Err(overflow());
            }
            let state = &mut states[n];
            let is_pushed = match (&arg.values, weight) {
                (Values::Int(ints), 1) => state.push_integer(ints[p]),
                (Values::Float(floats), 1) => state.push_float(floats[p]),
                _ => false,
            };
            if is_pushed {
                return Ok(());
            }
            let value = arg.value(p, &|id| cx.edge_value(id));
            if !grows {
                return Ok(state.update(&value, weight)?);
            }
            let before = state.heap_bytes();
            // What is taken a million times is not taken at once. Least and largest do not look how often.
            while weighs && weight > WEIGHT_UNCHECKED {
                cx.check()?;
                take(state, &value, WEIGHT_UNCHECKED, ledger)?;
                weight -= WEIGHT_UNCHECKED;
            }
            take(state, &value, weight, ledger)?;
            *general_bytes = (*general_bytes + state.heap_bytes()).saturating_sub(before);
            Ok(())
        })
    }

    /// A value for each group. The sum of nothing is 0; the least of nothing is null.
    pub(super) fn finish(mut self, cx: &Context<'s>) -> Result<Vector<'s>, ExecError> {
        self.settle(cx)?;
        match self.order.take() {
            Some(order) => ordered_lists(self.finish_states(cx)?, &order, cx),
            None => self.finish_states(cx),
        }
    }

    fn finish_states(self, cx: &Context<'s>) -> Result<Vector<'s>, ExecError> {
        Ok(match self.states {
            States::Count(counts) => Vector::new(Values::Int(
                (counts.into_iter())
                    .map(|c| i64::try_from(c).map_err(|_| overflow()))
                    .collect::<Result<_, _>>()?,
            )),
            States::Sums { values, .. } if self.kind == AggregateKind::NumberSum => of_integers(values),
            States::Sums { values, .. } => Vector::new(Values::Int(
                (values.into_iter())
                    .map(|v| i64::try_from(v).map_err(|_| sum_overflow()))
                    .collect::<Result<_, _>>()?,
            )),
            States::Means { sums, counts } => {
                let mut nulls = Nulls::NONE;
                counts
                    .iter()
                    .enumerate()
                    .filter(|(_, n)| **n == 0)
                    .for_each(|(i, _)| nulls.set(i, counts.len()));
                let means = sums.iter().zip(&counts).map(|(sum, n)| mean(*sum, *n));
                Vector { values: Values::Float(means.collect()), nulls }
            }
            States::Numbers(sums) => sums.into_column(self.kind)?,
            States::Decimals(sums) => sums.into_column(self.kind)?,
            States::Extremes { ty, values, seen, .. } => extremes_column(ty, values, &seen),
            States::Best(best) => best.into_column(),
            States::Deviations { moments, .. } => Vector::new(Values::Float(
                moments
                    .into_iter()
                    .map(|moments| moments.finish(function(self.kind)))
                    .collect::<Result<_, _>>()?,
            )),
            States::Lists(collected) => collected.into_lists(),
            States::Ranks(ranks) => ranks.into_column(self.kind, &cx.settings.cancel)?,
            States::General(states) => {
                let len = states.len();
                let finished = states.into_iter().map(|state| state.finish_until(Some(&cx.settings.cancel)));
                // Least and largest of any type are a vector of that type.
                Vector::of_values(finished.collect::<Result<_, _>>()?, Positions::all(len))
            }
        })
    }
}
