//! The table of a hash aggregation: rows of chunks to groups by their keys, groups' states updated one
//! aggregate at a time.

use trimorph_algebra::AggregateKind;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Group, Texts, Values, Vector};

use super::AggregateSpec;
use super::by_node::ByNode;
use super::distinct::DistinctValues;
use super::merge::Export;
use super::numbering::Numbering;
use super::owners::Owners;
use super::rows::{Rows, Shared, Weights};
use super::spec::{RunKey, Within};
use super::states::{Column, Ledger};
use crate::expr::{Evaluated, Ex, Row, bounds_of, evaluate, nulls_of};
use crate::keys::{NO_NUMBER, POSITIONS_UNCHECKED, each_of_runs};
use crate::rows::{
    append, cell_bytes, column_growth_bytes, general_bytes, outside_weight, owned_at, text_bytes, tuples_of,
};
use crate::{Context, ExecError};

/// Groups and their states, of one worker.
pub(super) struct Table<'s> {
    keys: Numbering<'s>,
    /// How many keys tell groups apart, the first ones.
    told: usize,
    /// Where all keys follow from one node.
    by_node: Option<ByNode>,
    /// Each group's keys. Texts that `keys` has in this order come at the end (`settle`).
    pub(super) columns: Vec<Vector<'s>>,
    /// What general keys own besides their cells.
    key_bytes: usize,
    pub(super) states: Vec<Column<'s>>,
    /// After a split: the groups that are left, and how many there were.
    left: Option<(Vec<u32>, usize)>,
    scratch: Scratch,
}

/// Groups that go from one table to another.
pub(super) struct Part<'s> {
    pub(super) keys: Vec<Vector<'s>>,
    pub(super) groups: usize,
    pub(super) states: Vec<Export<'s>>,
}

/// What a table gives.
pub(super) struct Finished<'s> {
    pub(super) vectors: Vec<Vector<'s>>,
    pub(super) groups: usize,
    /// Where the groups are, if not everywhere.
    pub(super) left: Option<Vec<u32>>,
}

impl<'s> Finished<'s> {
    /// Bytes held, about.
    pub(super) fn bytes(&self) -> usize {
        let owned = self.vectors.iter().map(|vector| cell_bytes(vector) as u64 + general_bytes(vector));
        let left = self.left.as_ref().map_or(0, |left| left.capacity() * size_of::<u32>());
        usize::try_from(owned.sum::<u64>()).unwrap_or(usize::MAX).saturating_add(left)
    }

    /// Puts the next groups from `next` on into a chunk, `count` at most; `false` if they are the last.
    pub(super) fn give(&mut self, next: &mut usize, count: usize, chunk: &mut Chunk<'s>) -> bool {
        let first = *next;
        let end = (first + count).min(self.groups);
        let out = &mut chunk.groups[0];
        out.reset(end - first);
        match &self.left {
            None if end - first == self.groups => {
                out.vectors.iter_mut().zip(self.vectors.drain(..)).for_each(|(slot, v)| *slot = v);
            }
            left => {
                // Group numbers are 32 bits.
                let all = || (first as u32..end as u32).collect();
                let positions = left.as_ref().map_or_else(all, |left| left[first..end].to_vec());
                for (slot, vector) in self.vectors.iter().enumerate() {
                    out.vectors[slot] = vector.gather(&positions);
                }
            }
        }
        *next = end;
        end < self.groups
    }
}

/// What is filled for each chunk: kept, so that chunks allocate nothing once it is large enough.
#[derive(Default)]
struct Scratch {
    positions: Vec<u32>,
    numbers: Vec<u32>,
    fresh: Vec<u32>,
    weights: Vec<u64>,
}

impl<'s> Table<'s> {
    /// No groups; one where there are no keys.
    pub(super) fn new(spec: &AggregateSpec) -> Self {
        let one_group = spec.keys.is_empty();
        let state = |a| {
            let column = Column::of(a, one_group);
            if spec.runs.is_some_and(|runs| runs.within == Within::One) { column.in_runs() } else { column }
        };
        let states = spec.aggregates.iter().map(state).collect();
        let columns = spec.keys.iter().map(|_| Vector::empty()).collect();
        let scratch = Scratch::default();
        let by_node = spec.node.filter(|_| spec.runs.is_none()).map(ByNode::new);
        let mut table = Self {
            keys: Numbering::new(spec),
            told: spec.told,
            by_node,
            columns,
            key_bytes: 0,
            states,
            left: None,
            scratch,
        };
        if spec.keys.is_empty() {
            // Without keys there is one group, also over no rows.
            table.keys.number_all(&[], &[], &mut Vec::new(), &mut Vec::new());
            table.resize(1);
        }
        table
    }

    fn resize(&mut self, groups: usize) {
        self.states.iter_mut().for_each(|column| column.resize(groups));
    }

    /// Makes states for the groups there are now.
    fn grow(&mut self, ledger: &mut Ledger<'_, 's>) -> Result<(), ExecError> {
        let groups = self.keys.len();
        let growth = self.states.iter().map(|column| column.growth_bytes(groups)).sum();
        if growth == 0 {
            self.resize(groups);
            return Ok(());
        }
        let bytes = |table: &Self| table.states.iter().map(Column::bytes).sum();
        ledger.grow(self, growth, bytes, |table| {
            table.resize(groups);
            Ok(())
        })
    }

    /// As [`Numbering::is_far`].
    pub(super) fn is_far(&self) -> bool {
        self.keys.is_far()
    }

    /// Tells how many rows will come, most of which are groups of their own.
    pub(super) fn expect(&mut self, rows: usize) {
        self.keys.expect(rows);
    }

    /// Whether more rows may take more room.
    #[inline]
    pub(super) fn grows(&self) -> bool {
        !self.columns.is_empty() || self.states.iter().any(Column::grows)
    }

    /// Bytes held, about.
    pub(super) fn bytes(&self) -> usize {
        let states: usize = self.states.iter().map(Column::bytes).sum();
        let columns = match self.lone_texts() {
            // The column that they become.
            Some(texts) => texts.len() * texts.cells().1,
            None => self.columns.iter().map(cell_bytes).sum(),
        };
        let by_node = self.by_node.as_ref().map_or(0, ByNode::bytes);
        self.keys.bytes() + by_node + columns + self.key_bytes + states
    }

    /// Of these, what keys and states own besides their cells: letters, lists, distinct values. What goes to
    /// another table takes as much there.
    pub(super) fn value_bytes(&self) -> usize {
        let states: usize = self.states.iter().map(Column::value_bytes).sum();
        let texts = match self.lone_texts() {
            Some(texts) => texts.block_bytes(),
            // Keys have them once more.
            None => 2 * self.columns.iter().map(text_bytes).sum::<usize>(),
        };
        texts + 2 * self.key_bytes + states
    }

    /// How many groups there are.
    pub(super) fn groups(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is nothing that could be written: no group, or no distinct value of the one there is.
    pub(super) fn is_blank(&self) -> bool {
        match self.columns.is_empty() {
            true => self.states.iter().all(|column| column.distinct_values() == 0),
            false => self.keys.len() == 0,
        }
    }

    /// Bytes that may be allocated before `more` rows have come, as far as it is known: what moves is given
    /// back.
    pub(super) fn growth_bytes(&self, more: usize) -> usize {
        let keys = if self.columns.is_empty() { 0 } else { more };
        let states = self.states.iter().map(|column| column.growth_bytes(self.keys.len() + keys));
        let columns = self.columns.iter().map(|column| column_growth_bytes(column, keys));
        let rows = self.states.iter().map(|column| column.row_growth_bytes(more));
        self.keys.growth_bytes(keys) + states.sum::<usize>() + columns.sum::<usize>() + rows.sum::<usize>()
    }

    /// How many groups there are, and values of them that are told apart or kept.
    pub(super) fn entries(&self) -> usize {
        let values = self.states.iter().map(|column| column.distinct_values().max(column.kept_values()));
        self.keys.len() + values.sum::<usize>()
    }

    /// Checks a percentile's parameter also when there was no row.
    pub(super) fn check_parameters(&mut self, spec: &AggregateSpec) -> Result<(), ExecError> {
        for (column, a) in self.states.iter_mut().zip(&spec.aggregates) {
            if let (Some(Ex::Const(value)), true) = (&a.parameter, spec.keys.is_empty()) {
                column.set_parameter(value).map_err(|error| error.at(a.span))?;
            }
        }
        Ok(())
    }

    /// Takes one chunk in.
    pub(super) fn update(
        &mut self,
        spec: &AggregateSpec,
        chunk: &Chunk<'s>,
        ledger: &mut Ledger<'_, 's>,
    ) -> Result<(), ExecError> {
        let cx = ledger.cx;
        let outside = outside_weight(chunk, spec.main);
        if spec.keys.is_empty() && spec.aggregates.iter().all(|a| a.kind == AggregateKind::CountStar) {
            let inside = match spec.main {
                Some(g) => tuples_of(&chunk.groups[g]),
                None => 1,
            };
            let tuples = inside.saturating_mul(outside);
            self.states.iter_mut().for_each(|column| column.count_rows(tuples));
            return Ok(());
        }
        let group = spec.main.map(|g| &chunk.groups[g]);
        let len = group.map_or(1, |g| g.len);
        let vector = |ex: &Ex| -> Result<Argument<'_, 's>, ExecError> {
            Ok(match spec.main {
                Some(g) => match evaluate(ex, chunk, g, cx)? {
                    Evaluated::Ref(v) => Argument::Ref(v),
                    other => Argument::Own(other.into_vector(len)),
                },
                None => Argument::Own(single(Row::new(chunk, usize::MAX, 0).eval(ex, cx)?)),
            })
        };
        let key = |ex: &Ex| -> Result<Key<'_, 's>, ExecError> {
            Ok(match spec.main {
                Some(g) => match evaluate(ex, chunk, g, cx)? {
                    Evaluated::Const(value) => Key::Constant(value),
                    Evaluated::Ref(v) => Key::Vector(Argument::Ref(v)),
                    Evaluated::Own(v) => Key::Vector(Argument::Own(v)),
                },
                None => Key::Vector(vector(ex)?),
            })
        };
        // One group, of rows that stand for as many tuples each: most states need no list of rows. Where keys
        // are constants there is one, once there is any.
        let is_one = spec.keys.is_empty() || self.keys.len() == 1 && spec.has_constant_keys();
        let whole = group.filter(|g| is_one && g.multiplicity.is_none());
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut listed = whole.is_none();
        let (mut whole, mut number) = (whole, 0);
        if listed && self.number_by_node(spec, group, outside, &mut scratch, ledger)? {
            self.grow(ledger)?;
        } else if listed {
            let keys = spec.keys.iter().map(key).collect::<Result<Vec<_>, _>>()?;
            let flat = keys.iter().map(Key::constant).collect::<Option<Vec<_>>>();
            if let (Some(flat), Some(group)) = (flat, group)
                && group.selection.count(len) > 0
            {
                // All rows of the chunk are of one group, which is found once.
                let flat: Vec<Vector<'s>> =
                    flat.into_iter().map(|value| Vector::constant(value, 1)).collect();
                scratch.positions.clear();
                scratch.positions.push(0);
                self.number(&flat.iter().collect::<Vec<_>>(), &mut scratch, ledger)?;
                self.grow(ledger)?;
                number = scratch.numbers.first().copied().unwrap_or(0);
                whole = Some(group).filter(|group| group.multiplicity.is_none());
                listed = false;
            } else {
                scratch.select(group, outside);
                let keys: Vec<Argument<'_, 's>> = keys.into_iter().map(|key| key.into_vector(len)).collect();
                let keys: Vec<&Vector<'s>> = keys.iter().map(Argument::get).collect();
                self.number(&keys, &mut scratch, ledger)?;
                self.grow(ledger)?;
            }
        }
        // Of one list of rows: all aggregates that need one have the same.
        let shared = Shared::default();
        // Properties that several aggregates take are read once.
        let mut read: Vec<(&Ex, Vector<'s>)> = Vec::new();
        for (column, a) in self.states.iter_mut().zip(&spec.aggregates) {
            // Many chunks have nothing better than the best so far, and need not be read.
            if let (Some(group), Some(main), Some(ex)) = (whole, spec.main, &a.arg)
                && matches!(a.kind, AggregateKind::Min | AggregateKind::Max)
                && bounds_of(ex, (group, main), cx).is_some_and(|bounds| column.is_beyond(number, bounds))
            {
                continue;
            }
            if let (Some(group), AggregateKind::CountStar) = (whole, a.kind) {
                column.count_group(number, tuples_of(group).saturating_mul(outside));
                continue;
            }
            // Which values there are is all that a count asks.
            let present = match (&a.arg, spec.main) {
                (Some(ex), Some(g)) if a.kind == AggregateKind::Count && !a.distinct => {
                    nulls_of(ex, chunk, g, cx)
                        .map(|nulls| Argument::Own(Vector { values: Values::Int(vec![0; len]), nulls }))
                }
                _ => None,
            };
            if let (None, Some(ex)) = (&present, &a.arg)
                && spec.aggregates.iter().filter(|b| is_same_property(b.arg.as_ref(), ex)).nth(1).is_some()
                && !read.iter().any(|(of, _)| is_same_property(Some(of), ex))
                && let Argument::Own(values) = vector(ex)?
            {
                read.push((ex, values));
            }
            let known =
                a.arg.as_ref().and_then(|ex| read.iter().find(|(of, _)| is_same_property(Some(of), ex)));
            let arg = match (present, known) {
                (Some(present), _) => Some(present),
                (None, Some((_, values))) => Some(Argument::Ref(values)),
                (None, None) => a.arg.as_ref().map(vector).transpose()?,
            };
            let is_of_chunk = matches!(arg, Some(Argument::Ref(_)));
            let arg = arg.as_ref().map(Argument::get);
            if let (Some(group), Some(arg)) = (whole, arg)
                && column.add_whole(number, arg, group, outside)?
            {
                continue;
            }
            if !listed {
                listed = true;
                scratch.select(group, outside);
                scratch.numbers.clear();
                scratch.numbers.resize(scratch.positions.len(), number);
            }
            let constant = if let Some(Ex::Const(value)) = &a.parameter { Some(value) } else { None };
            let parameter = a.parameter.as_ref().filter(|_| constant.is_none()).map(vector).transpose()?;
            let rows = Rows {
                arg,
                parameter: parameter.as_ref().map(Argument::get),
                constant,
                numbers: &scratch.numbers,
                positions: &scratch.positions,
                weights: if scratch.weights.is_empty() {
                    Weights::All(outside)
                } else {
                    Weights::Each(&scratch.weights)
                },
                shared: Some(&shared),
                is_of_chunk,
            };
            column.update(&rows, ledger).map_err(|error| error.at(a.span))?;
        }
        self.scratch = scratch;
        Ok(())
    }

    /// Gives the rows of the main group their groups' numbers where all keys follow from one node; `false`,
    /// and nothing done, elsewhere.
    fn number_by_node(
        &mut self,
        spec: &AggregateSpec,
        group: Option<&Group<'s>>,
        outside: u64,
        scratch: &mut Scratch,
        ledger: &mut Ledger<'_, 's>,
    ) -> Result<bool, ExecError> {
        let (Some(mut by_node), Some(group), Some(main)) = (self.by_node.take(), group, spec.main) else {
            return Ok(false);
        };
        scratch.select(Some(group), outside);
        scratch.numbers.clear();
        if !by_node.find(group, &scratch.positions, &mut scratch.numbers) {
            return Ok(false);
        }
        // What has codes is found by them as fast.
        let mut is_worth_it = true;
        if scratch.numbers.contains(&NO_NUMBER) {
            let cx = ledger.cx;
            let unknown = (scratch.positions.iter().zip(&scratch.numbers))
                .filter(|(_, number)| **number == NO_NUMBER)
                .map(|(position, _)| *position);
            let chunk = by_node.rows_of(spec, group, &unknown.collect::<Vec<u32>>());
            let rows = &chunk.groups[main];
            let keys = (spec.keys.iter())
                .map(|key| Ok(evaluate(key, &chunk, main, cx)?.into_vector(rows.len)))
                .collect::<Result<Vec<Vector<'s>>, ExecError>>()?;
            let mut own = Scratch::default();
            own.select(Some(rows), 1);
            self.number(&keys.iter().collect::<Vec<_>>(), &mut own, ledger)?;
            by_node.learn(rows, &own.numbers);
            is_worth_it =
                !matches!(&keys[..], [Vector { values: Values::String(t), .. }] if t.codes().is_some());
            let mut numbers = own.numbers.into_iter();
            for number in scratch.numbers.iter_mut().filter(|number| **number == NO_NUMBER) {
                *number = numbers.next().unwrap_or(NO_NUMBER);
            }
        }
        self.by_node = Some(by_node).filter(|_| is_worth_it);
        Ok(true)
    }

    /// Gives the rows at `scratch.positions` their groups' numbers.
    fn number(
        &mut self,
        keys: &[&Vector<'s>],
        scratch: &mut Scratch,
        ledger: &mut Ledger<'_, 's>,
    ) -> Result<(), ExecError> {
        scratch.numbers.clear();
        if keys.is_empty() {
            scratch.numbers.resize(scratch.positions.len(), 0);
            return Ok(());
        }
        let (before, told) = (self.keys.len(), self.told);
        scratch.fresh.clear();
        for positions in scratch.positions.chunks(POSITIONS_UNCHECKED) {
            ledger.cx.check()?;
            let (numbers, fresh) = (&mut scratch.numbers, &mut scratch.fresh);
            let growth = self.keys.growth_bytes(positions.len());
            ledger.grow(&mut self.keys, growth, Numbering::bytes, |table| {
                table.number_all(&keys[..told], positions, numbers, fresh);
                Ok(())
            })?;
        }
        if scratch.fresh.is_empty() || self.lone_texts().is_some() {
            return Ok(());
        }
        self.settle(before);
        let cx = ledger.cx;
        for (column, key) in self.columns.iter_mut().zip(keys) {
            self.key_bytes += owned_at(key, &scratch.fresh);
            append(column, key, &scratch.fresh, &|id| cx.edge_value(id));
        }
        Ok(())
    }

    /// The texts that are all keys, where these have them in the order of the groups.
    fn lone_texts(&self) -> Option<&Texts<'s>> {
        self.keys.lone_texts().filter(|_| self.columns.len() == 1)
    }

    /// Makes the column of keys where texts were left to the table of keys, for the first `groups` groups.
    fn settle(&mut self, groups: usize) {
        if let ([column], Some(texts)) = (&mut self.columns[..], self.keys.first_texts())
            && column.listed() < groups
        {
            let mut texts = texts.clone();
            texts.resize(groups);
            *column = Vector::new(Values::String(texts));
        }
    }

    /// The same for all groups: before the columns are looked at.
    pub(super) fn settle_all(&mut self) {
        self.settle(self.keys.len());
    }

    /// Gives the groups that other workers own, by owner; what is left are this worker's, `own` of `count`.
    pub(super) fn split(&mut self, own: usize, count: usize) -> Vec<Part<'s>> {
        self.settle_all();
        let owners = Owners::new(&self.columns[..self.told], self.keys.len(), own, count);
        let mut columns: Vec<_> = self.states.iter_mut().map(|c| c.export(&owners).into_iter()).collect();
        let parts = (owners.members.iter().enumerate()).map(|(owner, members)| {
            let members = if owner == own { &[][..] } else { members };
            Part {
                keys: self.columns.iter().map(|c| c.gather(members)).collect(),
                groups: members.len(),
                states: columns.iter_mut().filter_map(Iterator::next).collect(),
            }
        });
        let parts = parts.collect();
        self.left = Some((owners.members.into_iter().nth(own).unwrap_or_default(), self.keys.len()));
        parts
    }

    /// How many groups are over, where rows come in runs: all but those of the last run. They come first.
    ///
    /// **Cost**: logarithmic.
    pub(super) fn groups_over(&self, spec: &AggregateSpec) -> usize {
        let groups = self.keys.len();
        match spec.runs {
            Some(RunKey { within: Within::One, .. }) => groups.saturating_sub(1),
            Some(RunKey { key, .. }) => {
                let node = |group: usize| {
                    let mut found = None;
                    let column = self.columns.get(key)?;
                    each_of_runs(column, &[u32::try_from(group).ok()?], |_, node| found = node);
                    found
                };
                let last = groups.checked_sub(1).and_then(node);
                // The groups of the last run are the last ones.
                let (mut low, mut high) = (0, groups);
                while low < high {
                    let middle = usize::midpoint(low, high);
                    if node(middle) == last { high = middle } else { low = middle + 1 }
                }
                low
            }
            None => 0,
        }
    }

    /// Gives all groups that are over; those of which more rows may come are the only ones from now on.
    pub(super) fn cut(
        &mut self,
        spec: &AggregateSpec,
        ledger: &mut Ledger<'_, 's>,
    ) -> Result<Self, ExecError> {
        let (groups, over) = (self.keys.len(), self.groups_over(spec));
        let mut rest = Self::new(spec);
        let owners = Owners::but_from(over, groups);
        let kept = owners.members.get(1).map(Vec::as_slice).unwrap_or_default();
        let keys: Vec<Vector<'s>> = self.columns.iter().map(|column| column.gather(kept)).collect();
        let states = self.states.iter_mut().filter_map(|column| column.export(&owners).pop()).collect();
        if let Some(numbering) = self.keys.go_on(over) {
            let all: Vec<u32> = (0..u32::try_from(kept.len()).unwrap_or(u32::MAX)).collect();
            rest.keys = numbering;
            rest.key_bytes = keys.iter().map(|column| owned_at(column, &all)).sum();
            rest.columns = keys;
            rest.grow(ledger)?;
            for (column, from) in rest.states.iter_mut().zip::<Vec<Export<'s>>>(states) {
                column.merge(from, &all, ledger)?;
            }
        } else {
            rest.merge(Part { keys, groups: kept.len(), states }, ledger)?;
        }
        self.left = Some((owners.members.into_iter().next().unwrap_or_default(), groups));
        Ok(std::mem::replace(self, rest))
    }

    /// All groups.
    pub(super) fn into_part(mut self) -> Part<'s> {
        self.settle_all();
        let groups = self.keys.len();
        let states = self.states.into_iter().map(Column::into_export).collect();
        Part { keys: self.columns, groups, states }
    }

    /// Of the one group without keys: the distinct values that other workers own, by owner, then by
    /// aggregate.
    pub(super) fn split_values(&mut self, own: usize, count: usize) -> Vec<Vec<DistinctValues>> {
        let mut columns: Vec<_> =
            self.states.iter_mut().map(|c| c.split_values(own, count).into_iter()).collect();
        (0..count).map(|_| columns.iter_mut().map(|c| c.next().unwrap_or_default()).collect()).collect()
    }

    /// Takes in another worker's distinct values.
    pub(super) fn merge_values(&mut self, values: Vec<DistinctValues>) {
        self.states.iter_mut().zip(values).for_each(|(column, values)| column.merge_values(values));
    }

    /// Ends counting distinct values: what was counted is added up from now on.
    pub(super) fn forget_values(&mut self) {
        self.states.iter_mut().for_each(Column::forget_values);
    }

    /// Moves groups of another worker in.
    pub(super) fn merge(&mut self, other: Part<'s>, ledger: &mut Ledger<'_, 's>) -> Result<(), ExecError> {
        let mut scratch = Scratch::default();
        scratch.positions.extend(0..u32::try_from(other.groups).unwrap_or(u32::MAX));
        let keys: Vec<&Vector<'s>> = other.keys.iter().collect();
        self.number(&keys, &mut scratch, ledger)?;
        self.grow(ledger)?;
        for (column, from) in self.states.iter_mut().zip(other.states) {
            column.merge(from, &scratch.numbers, ledger)?;
        }
        Ok(())
    }

    /// One vector for each key and aggregate, and where in them this table's groups are.
    pub(super) fn finish(mut self, cx: &Context<'s>) -> Result<Finished<'s>, ExecError> {
        self.settle_all();
        let count = self.keys.len();
        let left = self.left.map(|(mut own, before)| {
            // Group numbers are 32 bits.
            own.extend(before as u32..count as u32);
            own
        });
        let mut vectors = self.columns;
        for column in self.states {
            let span = column.span;
            vectors.push(column.finish(cx).map_err(|error| error.at(span))?);
        }
        Ok(Finished { vectors, groups: left.as_ref().map_or(count, Vec::len), left })
    }
}

impl Scratch {
    /// The selected positions of the main group and what each stands for.
    fn select(&mut self, group: Option<&Group<'_>>, outside: u64) {
        self.positions.clear();
        self.weights.clear();
        let Some(group) = group else {
            self.positions.push(0);
            return;
        };
        group.selection.append_to(group.len, &mut self.positions);
        if let Some(multiplicity) = &group.multiplicity {
            for p in &self.positions {
                self.weights.push(multiplicity[*p as usize].saturating_mul(outside));
            }
        }
    }
}

/// A key or an argument: a vector of the chunk, or one made of it.
enum Argument<'a, 's> {
    Ref(&'a Vector<'s>),
    Own(Vector<'s>),
}

impl<'s> Argument<'_, 's> {
    fn get(&self) -> &Vector<'s> {
        match self {
            Self::Ref(v) => v,
            Self::Own(v) => v,
        }
    }
}

/// Whether an expression is the same property of the same slot as another.
fn is_same_property(a: Option<&Ex>, b: &Ex) -> bool {
    let (Some(Ex::Property { base, key, .. }), Ex::Property { base: other, key: name, .. }) = (a, b) else {
        return false;
    };
    matches!((&**base, &**other), (Ex::Slot(a), Ex::Slot(b)) if a == b) && key == name
}

/// A key, which may be the same for all rows of a chunk.
enum Key<'a, 's> {
    Constant(Value),
    Vector(Argument<'a, 's>),
}

impl<'a, 's> Key<'a, 's> {
    fn constant(&self) -> Option<&Value> {
        match self {
            Self::Constant(value) => Some(value),
            Self::Vector(_) => None,
        }
    }

    fn into_vector(self, len: usize) -> Argument<'a, 's> {
        match self {
            Self::Constant(value) => Argument::Own(Vector::constant(&value, len)),
            Self::Vector(argument) => argument,
        }
    }
}

fn single<'s>(value: Value) -> Vector<'s> {
    Vector::new(match value {
        Value::Int(i) => Values::Int(vec![i]),
        other => Values::Any(vec![other]),
    })
}
