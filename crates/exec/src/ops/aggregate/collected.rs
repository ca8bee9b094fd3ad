//! What `collect` has taken, typed: all values of all groups one after the other, each with its group's
//! number. At the end they are put in order of groups once, and the lists of a vector are runs of them.
//!
//! Lists are taken where a vector has their elements, which are copied behind those that came before. General
//! values that own others are left to accumulators, which bound what they become.

use trimorph_functions::aggregate::{Accumulator, AggregateFunction};
use trimorph_types::Value;
use trimorph_vector::{Lists, Positions, Values, Vector};

use super::owners::Owners;
use super::rows::{Rows, Weights};

use crate::charge::vec_growth_bytes;
use crate::rows::{append, cell_bytes, column_growth_bytes, owned_at};
use crate::{Context, ExecError};

/// Tuples that one row may stand for: more are taken some at a time, by an accumulator.
const WEIGHT_MAX: u64 = 64;
/// Values of all groups: fewer than lists can have elements.
const VALUES_MAX: usize = 1 << 31;

/// Bytes of a column that shares no elements with others.
fn bytes_of(vector: &Vector<'_>) -> usize {
    let elements = if let Values::List(lists) = &vector.values { bytes_of(lists.child()) } else { 0 };
    cell_bytes(vector) + elements
}

/// Values and the groups that they are of.
#[derive(Default)]
pub(in crate::ops) struct Collected<'s> {
    groups: usize,
    numbers: Vec<u32>,
    values: Option<Vector<'s>>,
    /// All of them as lists, once these were asked for.
    lists: Option<Vector<'s>>,
}

/// Whether the values of a vector own no others but such as vectors have.
fn is_flat(vector: &Vector<'_>) -> bool {
    match &vector.values {
        // General elements may be those of all rows: they are not looked through for some.
        Values::List(lists) => !is_general(lists.child()) && is_flat(lists.child()),
        Values::Map(maps) | Values::Tuple(maps) => maps.fields().iter().all(is_flat),
        Values::Any(values) => values.iter().all(is_scalar),
        _ => true,
    }
}

fn is_general(vector: &Vector<'_>) -> bool {
    matches!(vector.values, Values::Any(_)) && vector.listed() > 0
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::List(_) | Value::Map(_) | Value::Path(_))
}

impl<'s> Collected<'s> {
    /// Makes room for `groups` groups.
    pub(in crate::ops) fn resize(&mut self, groups: usize) {
        self.groups = groups;
    }

    /// How many groups there are.
    pub(super) fn groups(&self) -> usize {
        self.groups
    }

    /// How many values there are, of all groups.
    pub(super) fn values(&self) -> usize {
        self.numbers.len()
    }

    /// Bytes held.
    pub(in crate::ops) fn bytes(&self) -> usize {
        self.numbers.capacity() * 4 + self.values.as_ref().map_or(0, bytes_of)
    }

    /// Bytes that are allocated before `more` values can come, texts left out.
    pub(super) fn growth_bytes(&self, more: usize) -> usize {
        vec_growth_bytes(self.numbers.len(), self.numbers.capacity(), more, 4)
            + self.values.as_ref().map_or(0, |values| column_growth_bytes(values, more))
    }

    /// Bytes that are allocated for rows that are taken in, texts that are no elements of lists left out.
    pub(super) fn rows_bytes(&self, rows: &Rows<'_, 's>) -> usize {
        rows.arg.map_or(0, |arg| self.all_bytes(arg, rows.positions))
    }

    /// Whether rows can be taken in.
    pub(super) fn takes(&self, rows: &Rows<'_, 's>) -> bool {
        let is_light = match rows.weights {
            Weights::All(weight) => weight <= WEIGHT_MAX,
            Weights::Each(weights) => weights.iter().all(|weight| *weight <= WEIGHT_MAX),
        };
        is_light
            && rows.arg.is_some_and(is_flat)
            && self.numbers.len() + rows.positions.len() * (WEIGHT_MAX as usize) < VALUES_MAX
    }

    /// Takes in the values of rows that [`Self::takes`] said yes to.
    pub(super) fn add(&mut self, rows: &Rows<'_, 's>, cx: &Context<'_>) -> Result<(), ExecError> {
        let Some(arg) = rows.arg else { return Ok(()) };
        let mut positions = Vec::with_capacity(rows.positions.len());
        let numbers = &mut self.numbers;
        rows.each(|number, position, weight| {
            for _ in 0..weight {
                // Both are numbers of 32 bits.
                numbers.push(number as u32);
                positions.push(position as u32);
            }
            Ok(())
        })?;
        self.extend(arg, &positions, cx);
        Ok(())
    }

    /// Whether values can be taken in that stand for so many tuples, nulls among them.
    pub(in crate::ops) fn takes_all(&self, values: &Vector<'s>, tuples: usize) -> bool {
        is_flat(values) && self.numbers.len() + tuples < VALUES_MAX
    }

    /// Bytes that are allocated for values that are taken in, texts that are no elements of lists left out.
    pub(in crate::ops) fn all_bytes(&self, values: &Vector<'s>, positions: &[u32]) -> usize {
        let is_list = matches!(values.values, Values::List(_));
        self.growth_bytes(positions.len()) + if is_list { owned_at(values, positions) } else { 0 }
    }

    /// Takes in values that [`Self::takes_all`] said yes to, nulls too, for the groups of these numbers.
    pub(in crate::ops) fn add_all(
        &mut self,
        values: &Vector<'s>,
        numbers: &[u32],
        positions: &[u32],
        cx: &Context<'_>,
    ) {
        self.numbers.extend_from_slice(numbers);
        self.extend(values, positions, cx);
    }

    fn extend(&mut self, values: &Vector<'s>, positions: &[u32], cx: &Context<'_>) {
        let own = self.values.get_or_insert_with(|| values.like());
        append(own, values, positions, &|id| cx.edge_value(id));
    }

    /// All values, and the group of each.
    pub(in crate::ops) fn into_values(self) -> (Vec<u32>, Vector<'s>) {
        (self.numbers, self.values.unwrap_or_else(Vector::empty))
    }

    /// Takes in another's, its groups renumbered.
    pub(super) fn merge(&mut self, other: Self, renumber: &[u32], cx: &Context<'_>) {
        let Some(values) = other.values else { return };
        // As many as numbers, which have 32 bits.
        let all: Vec<u32> = (0..other.numbers.len() as u32).collect();
        self.numbers.extend(other.numbers.iter().map(|number| renumber[*number as usize]));
        self.extend(&values, &all, cx);
    }

    /// Those of the groups of an owner.
    pub(super) fn of_owner(&self, owner: usize, owners: &Owners) -> Self {
        let mut out = Self { groups: owners.members.get(owner).map_or(0, Vec::len), ..Self::default() };
        let Some(values) = &self.values else { return out };
        let mut positions = Vec::new();
        for (k, number) in self.numbers.iter().enumerate() {
            let (of, place) = owners.of(*number);
            if of == owner {
                out.numbers.push(place);
                positions.push(k as u32);
            }
        }
        out.values = Some(values.gather(&positions).compacted());
        out
    }

    /// One list a group, in order.
    pub(super) fn lists(&mut self) -> &Vector<'s> {
        let Self { groups, numbers, values, lists } = self;
        lists.get_or_insert_with(|| listed(*groups, numbers, values.take()))
    }

    /// The same at the end.
    pub(in crate::ops) fn into_lists(mut self) -> Vector<'s> {
        self.lists();
        self.lists.unwrap_or_else(Vector::empty)
    }

    /// Accumulators that have seen the same.
    pub(super) fn accumulators(&mut self, cx: &Context<'_>) -> Result<Vec<Accumulator>, ExecError> {
        let mut states: Vec<_> =
            (0..self.groups).map(|_| Accumulator::new(AggregateFunction::Collect)).collect();
        if let Some(values) = self.values.take() {
            for (k, number) in std::mem::take(&mut self.numbers).into_iter().enumerate() {
                states[number as usize].update(&values.value(k, &|id| cx.edge_value(id)), 1)?;
            }
        }
        Ok(states)
    }

    /// Of lists, one a group; `None` where they have elements that own others.
    pub(super) fn of_lists(lists: &Vector<'s>) -> Option<Self> {
        let (mut numbers, mut values) = (Vec::new(), Vec::new());
        let lists = match &lists.values {
            Values::List(lists) => {
                let mut elements = Vec::new();
                for i in 0..lists.len() {
                    numbers.extend(std::iter::repeat_n(u32::try_from(i).ok()?, lists.count(i)));
                    elements.extend(lists.elements(i));
                }
                let values = (!elements.is_empty()).then(|| lists.child().gather(&elements));
                let is_flat = values.as_ref().is_none_or(is_flat);
                return is_flat.then(|| Self { groups: lists.len(), numbers, values, lists: None });
            }
            Values::Any(lists) => lists,
            _ => return None,
        };
        for (number, list) in lists.iter().enumerate() {
            let Value::List(items) = list else { return None };
            for item in items.iter() {
                if !is_scalar(item) {
                    return None;
                }
                numbers.push(u32::try_from(number).ok()?);
                values.push(item.clone());
            }
        }
        let len = values.len();
        let values = (len > 0).then(|| Vector::of_values(values, Positions::all(len)));
        Some(Self { groups: lists.len(), numbers, values, lists: None })
    }
}

/// A list for each group of what it was given, in the order in which that came.
fn listed<'s>(groups: usize, numbers: &[u32], values: Option<Vector<'s>>) -> Vector<'s> {
    let mut ends = vec![0u32; groups];
    numbers.iter().for_each(|number| ends[*number as usize] += 1);
    let mut runs = Vec::with_capacity(groups);
    let mut start = 0;
    for end in &mut ends {
        runs.push((start, *end));
        start += std::mem::replace(end, start);
    }
    let values = values.unwrap_or_else(Vector::empty);
    let child = if numbers.is_sorted() {
        values
    } else {
        // Where the next value of each group goes.
        let mut order = vec![0; numbers.len()];
        for (k, number) in numbers.iter().enumerate() {
            let place = &mut ends[*number as usize];
            order[*place as usize] = k as u32;
            *place += 1;
        }
        values.gather(&order)
    };
    // Every run ends within the child.
    Lists::new(runs.into_iter(), child).map_or_else(Vector::empty, |lists| Vector::new(Values::List(lists)))
}
