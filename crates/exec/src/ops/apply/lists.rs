//! The lists that an apply collects for its rows: typed as long as a vector has what comes, else of values.

use trimorph_base::Reservation;
use trimorph_types::Value;
use trimorph_vector::{Group, Values, Vector};

use crate::charge::vec_growth_bytes;
use crate::ops::aggregate::Collected;
use crate::rows::{MANY, overflow};
use crate::{Context, ExecError};

/// Values of one row that are collected between two looks at the flag that cancels, and bytes that are not
/// worth a charge.
const VALUES_UNCHECKED: usize = 1 << 16;
const HELD_BYTES_MIN: usize = 1 << 16;
/// Tuples that rows may stand for to be taken in as a vector: more are taken some at a time.
const TUPLES_MAX: u64 = 1 << 20;

/// A list for each of some rows.
pub(super) struct RowLists<'s> {
    /// As long as all values were such as it takes.
    typed: Option<Collected<'s>>,
    values: Vec<Vec<Value>>,
    held: Reservation,
    bytes: usize,
}

impl<'s> RowLists<'s> {
    /// Empty ones.
    pub(super) fn new(rows: usize, cx: &Context<'s>) -> Self {
        let mut typed = Collected::default();
        typed.resize(rows);
        let held = cx.settings.budget.reservation();
        Self { typed: Some(typed), values: vec![Vec::new(); rows], held, bytes: 0 }
    }

    /// Takes in values at positions of a group, each for the row of that number; nulls, too.
    pub(super) fn take(
        &mut self,
        values: &Vector<'s>,
        group: &Group<'s>,
        pairs: &[(u32, u32)],
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let tuples = pairs.iter().map(|(_, p)| group.multiplicity_at(*p as usize));
        let tuples = tuples.fold(0u64, u64::saturating_add);
        if let Some(typed) = &mut self.typed {
            if tuples <= TUPLES_MAX && typed.takes_all(values, tuples as usize) {
                let (mut numbers, mut positions) = (Vec::new(), Vec::new());
                for (number, p) in pairs {
                    let times = group.multiplicity_at(*p as usize) as usize;
                    numbers.extend(std::iter::repeat_n(*number, times));
                    positions.extend(std::iter::repeat_n(*p, times));
                }
                let bytes = typed.bytes() + typed.all_bytes(values, &positions);
                self.hold(bytes, cx)?;
                let Some(typed) = &mut self.typed else { return Ok(()) };
                typed.add_all(values, &numbers, &positions, cx);
                let bytes = typed.bytes();
                return self.hold(bytes, cx);
            }
            self.generalise(cx)?;
        }
        for (number, p) in pairs {
            let value = values.value(*p as usize, &|id| cx.edge_value(id));
            self.push(*number as usize, &value, group.multiplicity_at(*p as usize), cx)?;
        }
        Ok(())
    }

    /// Holds so many bytes, where that is not about what is held.
    fn hold(&mut self, bytes: usize, cx: &Context<'s>) -> Result<(), ExecError> {
        if bytes > self.held.bytes() + HELD_BYTES_MIN {
            cx.check()?;
            self.held.resize(bytes)?;
        }
        Ok(())
    }

    /// From a typed column to values.
    fn generalise(&mut self, cx: &Context<'s>) -> Result<(), ExecError> {
        let Some(typed) = self.typed.take() else { return Ok(()) };
        let (numbers, values) = typed.into_values();
        for (k, number) in numbers.into_iter().enumerate() {
            self.push(number as usize, &values.value(k, &|id| cx.edge_value(id)), 1, cx)?;
        }
        Ok(())
    }

    fn push(&mut self, row: usize, value: &Value, times: u64, cx: &Context<'s>) -> Result<(), ExecError> {
        if times == MANY {
            return Err(overflow());
        }
        let mut times = usize::try_from(times).map_err(|_| overflow())?;
        self.bytes += usize::try_from(value.owned_bytes()).unwrap_or(usize::MAX);
        while times > 0 {
            let list = &self.values[row];
            let more = times.min(VALUES_UNCHECKED);
            let (cell, room) = (size_of::<Value>(), list.capacity());
            self.hold(self.bytes + vec_growth_bytes(list.len(), room, more, cell), cx)?;
            let list = &mut self.values[row];
            list.extend(std::iter::repeat_n(value, more).cloned());
            self.bytes += (list.capacity() - room) * cell;
            times -= more;
        }
        Ok(())
    }

    /// The lists.
    pub(super) fn finish(self) -> Vector<'s> {
        match self.typed {
            Some(typed) => typed.into_lists(),
            None => Vector::new(Values::Any(self.values.into_iter().map(Value::list).collect())),
        }
    }
}
