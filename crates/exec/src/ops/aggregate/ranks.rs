//! Integers, or floats, of which percentiles are asked, of many groups: all numbers of all groups one after
//! the other, each with its group's number. At the end they are put in order of groups once, and one
//! percentile after the other is found.
//!
//! What has more numbers a group than are worth keeping side by side, or numbers of two types, or rows that
//! stand for several tuples, is left to accumulators.

use trimorph_algebra::AggregateKind;
use trimorph_base::CancelToken;
use trimorph_functions::aggregate::{Accumulator, Percentiles};
use trimorph_types::Value;
use trimorph_vector::{Positions, Values, Vector};

use super::functions::function;
use super::owners::Owners;
use super::rows::{Rows, Weights};
use crate::ExecError;
use crate::charge::vec_growth_bytes;

/// Numbers a group on the mean from which on accumulators hold less: they count what comes often.
const NUMBERS_OF_GROUP_MAX: usize = 1 << 12;
/// All numbers: fewer than 32 bits count.
const NUMBERS_MAX: usize = 1 << 31;

/// Numbers of one type.
enum Numbers {
    Ints(Vec<i64>),
    Floats(Vec<f64>),
}

/// Numbers and the groups that they are of.
#[derive(Default)]
pub(super) struct Ranks {
    groups: usize,
    /// What is asked of all groups, once there is a number.
    fraction: Option<Value>,
    owners: Vec<u32>,
    numbers: Option<Numbers>,
}

impl Ranks {
    /// Makes room for `groups` groups.
    pub(super) fn resize(&mut self, groups: usize) {
        self.groups = groups;
    }

    /// How many groups there are.
    pub(super) fn groups(&self) -> usize {
        self.groups
    }

    /// How many numbers there are, of all groups.
    pub(super) fn numbers(&self) -> usize {
        self.owners.len()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        // Both arrays grow at the same moments.
        self.owners.capacity() * (size_of::<u32>() + size_of::<u64>())
    }

    /// Bytes that are allocated before `more` numbers can come.
    pub(super) fn growth_bytes(&self, more: usize) -> usize {
        vec_growth_bytes(self.owners.len(), self.owners.capacity(), more, size_of::<u32>() + size_of::<u64>())
    }

    /// Whether rows can be taken in.
    pub(super) fn takes(&self, rows: &Rows<'_, '_>, arg: &Vector<'_>) -> bool {
        let is_type = matches!(
            (&self.numbers, &arg.values),
            (None | Some(Numbers::Ints(_)), Values::Int(_))
                | (None | Some(Numbers::Floats(_)), Values::Float(_))
        );
        let all = self.owners.len() + rows.positions.len();
        is_type
            && matches!(rows.weights, Weights::All(1))
            && rows.parameter.is_none()
            && rows.constant.is_some()
            && all < NUMBERS_MAX
            && all / NUMBERS_OF_GROUP_MAX <= self.groups.max(rows.positions.len() / NUMBERS_OF_GROUP_MAX + 1)
    }

    /// Takes in the numbers of rows that [`Self::takes`] said yes to.
    ///
    /// **Errors**: a percentile that is none.
    pub(super) fn add(
        &mut self,
        kind: AggregateKind,
        rows: &Rows<'_, '_>,
        arg: &Vector<'_>,
    ) -> Result<(), ExecError> {
        if let (None, Some(fraction), false) = (&self.fraction, rows.constant, rows.positions.is_empty()) {
            Percentiles::new(kind == AggregateKind::PercentileCont, fraction)?;
            self.fraction = Some(fraction.clone());
        }
        let owners = &mut self.owners;
        owners.reserve(rows.positions.len());
        match &arg.values {
            Values::Int(ints) => {
                let numbers = self.numbers.get_or_insert_with(|| Numbers::Ints(Vec::new()));
                let Numbers::Ints(numbers) = numbers else { return Ok(()) };
                numbers.reserve(rows.positions.len());
                rows.each(|n, p, _| {
                    // Groups are numbered by 32 bits.
                    owners.push(n as u32);
                    numbers.push(ints[p]);
                    Ok(())
                })
            }
            Values::Float(floats) => {
                let numbers = self.numbers.get_or_insert_with(|| Numbers::Floats(Vec::new()));
                let Numbers::Floats(numbers) = numbers else { return Ok(()) };
                numbers.reserve(rows.positions.len());
                rows.each(|n, p, _| {
                    owners.push(n as u32);
                    numbers.push(floats[p]);
                    Ok(())
                })
            }
            _ => Ok(()),
        }
    }

    /// Those of the groups of an owner.
    pub(super) fn of_owner(&self, owner: usize, owners: &Owners) -> Self {
        let groups = owners.members.get(owner).map_or(0, Vec::len);
        let mut out = Self { groups, fraction: self.fraction.clone(), ..Self::default() };
        let mut places = Vec::new();
        for (k, group) in self.owners.iter().enumerate() {
            let (of, place) = owners.of(*group);
            if of == owner {
                out.owners.push(place);
                places.push(k);
            }
        }
        out.numbers = self.numbers.as_ref().map(|numbers| match numbers {
            Numbers::Ints(ints) => Numbers::Ints(places.iter().map(|k| ints[*k]).collect()),
            Numbers::Floats(floats) => Numbers::Floats(places.iter().map(|k| floats[*k]).collect()),
        });
        out
    }

    /// Takes in another's, its groups renumbered; the other back where it has numbers of another type.
    pub(super) fn merge(&mut self, other: Self, renumber: &[u32]) -> Result<(), Self> {
        match (&mut self.numbers, &other.numbers) {
            (_, None) => {}
            (own @ None, Some(_)) => *own = other.numbers,
            (Some(Numbers::Ints(own)), Some(Numbers::Ints(more))) => own.extend_from_slice(more),
            (Some(Numbers::Floats(own)), Some(Numbers::Floats(more))) => own.extend_from_slice(more),
            _ => return Err(other),
        }
        self.owners.extend(other.owners.iter().map(|group| renumber[*group as usize]));
        self.fraction = self.fraction.take().or(other.fraction);
        Ok(())
    }

    /// Accumulators that have seen the same.
    pub(super) fn accumulators(&mut self, kind: AggregateKind) -> Result<Vec<Accumulator>, ExecError> {
        let mut states: Vec<Accumulator> =
            (0..self.groups).map(|_| Accumulator::new(function(kind))).collect();
        let Self { fraction, owners, numbers, .. } = std::mem::take(self);
        for (k, group) in owners.into_iter().enumerate() {
            let state = &mut states[group as usize];
            if let Some(fraction) = fraction.as_ref().filter(|_| !state.has_parameter()) {
                state.set_parameter(fraction)?;
            }
            match &numbers {
                Some(Numbers::Ints(ints)) => state.update(&Value::Int(ints[k]), 1)?,
                Some(Numbers::Floats(floats)) => state.update(&Value::Float(floats[k]), 1)?,
                None => {}
            }
        }
        Ok(states)
    }

    /// The percentile of each group, null where it has no number.
    ///
    /// **Errors**: cancellation.
    pub(super) fn into_column<'s>(
        self,
        kind: AggregateKind,
        cancel: &CancelToken,
    ) -> Result<Vector<'s>, ExecError> {
        let Self { groups, fraction, owners, numbers } = self;
        let (Some(fraction), Some(numbers)) = (fraction, numbers) else { return Ok(Vector::nulls(groups)) };
        let mut percentiles = Percentiles::new(kind == AggregateKind::PercentileCont, &fraction)?;
        let starts = starts_of(groups, &owners);
        let mut values = Vec::with_capacity(groups);
        match numbers {
            Numbers::Ints(ints) => {
                let ints = by_group(&starts, &owners, ints);
                for run in starts.windows(2) {
                    let ints = &ints[run[0] as usize..run[1] as usize];
                    values.push(percentiles.of_integers(ints, cancel)?);
                }
            }
            Numbers::Floats(floats) => {
                let floats = by_group(&starts, &owners, floats);
                for run in starts.windows(2) {
                    let floats = &floats[run[0] as usize..run[1] as usize];
                    values.push(percentiles.of_floats(floats, cancel)?);
                }
            }
        }
        Ok(Vector::of_values(values, Positions::all(groups)))
    }
}

/// Where each group's numbers begin in order of groups, and the last ones end.
fn starts_of(groups: usize, owners: &[u32]) -> Vec<u32> {
    let mut starts = vec![0u32; groups + 1];
    owners.iter().for_each(|group| starts[*group as usize + 1] += 1);
    for group in 1..starts.len() {
        starts[group] += starts[group - 1];
    }
    starts
}

/// The numbers in order of groups.
fn by_group<T: Copy + Default>(starts: &[u32], owners: &[u32], numbers: Vec<T>) -> Vec<T> {
    if owners.is_sorted() {
        return numbers;
    }
    let mut next = starts.to_vec();
    let mut out = vec![T::default(); numbers.len()];
    for (group, number) in owners.iter().zip(numbers) {
        let place = &mut next[*group as usize];
        out[*place as usize] = number;
        *place += 1;
    }
    out
}
