//! Unwind: each row is repeated for the elements of a list. Null gives no row; a value that is no list gives
//! one. The integers of `range()` are counted, not listed: a range of any length takes no memory.
//!
//! Where the list is a vector of lists for all rows, its elements are picked from their child, and no list is
//! made. Lists that are a property are read for all rows at once, and so are the bounds of ranges. A list
//! that is the same for all rows becomes a vector once. Where elements are only counted, rows with the same
//! list are one row that stands for all.

use std::sync::Arc;

use trimorph_base::Reservation;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Positions, Values, Vector};

use crate::expr::{Ex, Items, Row, as_lists, evaluate, gives_lists, ranges};
use crate::operator::{BoxOperator, Operator};
use crate::rows::{general_bytes, repeat};
use crate::{Context, ExecError};

/// What is unwound. Input slots `keep` become output slots `0..`; the element follows.
#[derive(Debug)]
pub(crate) struct UnwindSpec {
    pub(crate) slots: usize,
    pub(crate) keep: Vec<usize>,
    pub(crate) list: Ex,
    /// Whether elements may come in any order: they are counted.
    pub(crate) in_any_order: bool,
}

/// Unwind.
pub(crate) struct Unwind<'s> {
    child: BoxOperator<'s>,
    inner: Chunk<'s>,
    spec: Arc<UnwindSpec>,
    rest: Vec<u32>,
    cursor: usize,
    items: Option<Items>,
    offset: usize,
    /// The lists of the rows at hand, where they are a vector of lists, or values that were read together,
    /// and what they take.
    lists: Option<Vector<'s>>,
    held: Option<Reservation>,
    /// The ranges of `rest`, where they are told for all rows together.
    ranges: Option<Vec<Items>>,
    /// The elements of a constant list that is no longer than a vector, once several rows met it, and their
    /// number.
    common: Option<(Vector<'s>, usize)>,
    /// How many rows each position of `rest` stands for, where it is one for all with its list.
    weights: Vec<u64>,
}

/// Different lists of a vector up to which rows with the same list are made one.
const SAME_LISTS_MAX: usize = 16;

/// Bytes of lists below which a chunk is not worth a charge.
const HELD_BYTES_MIN: u64 = 1 << 20;

impl<'s> Unwind<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<UnwindSpec>) -> Self {
        let inner = Chunk::with_slots(&[spec.slots]);
        Self {
            child,
            inner,
            spec,
            rest: Vec::new(),
            cursor: 0,
            items: None,
            offset: 0,
            lists: None,
            held: None,
            ranges: None,
            common: None,
            weights: Vec::new(),
        }
    }

    /// The elements of the current row.
    fn items(&mut self, position: u32, cx: &Context<'s>) -> Result<Items, ExecError> {
        if let Some(items) = &self.items {
            return Ok(items.clone());
        }
        let read = match &self.lists {
            Some(Vector { values: Values::Any(values), .. }) => values.get(position as usize),
            _ => None,
        };
        let items = match read {
            Some(Value::List(items)) => Ok(Items::List(Arc::clone(items))),
            Some(other) => Err(other.clone()),
            None => Row::new(&self.inner, 0, position as usize).items(&self.spec.list, cx)?,
        };
        let items = match items {
            Ok(items) => items,
            Err(Value::Null) => Items::List(Arc::new(Vec::new().into())),
            Err(other) => Items::List(Arc::new(vec![other].into())),
        };
        self.items = Some(items.clone());
        Ok(items)
    }

    /// Evaluates the lists of all rows at hand, where that gives a vector of lists. What fails is left to the
    /// rows, one after the other, which tell what it is.
    fn evaluate_lists(&mut self, cx: &Context<'s>) {
        self.lists = None;
        if self.common.is_some() {
            return;
        }
        self.common = if self.rest.len() > 1 { self.common_elements(cx) } else { None };
        self.ranges = ranges(&self.spec.list, &self.inner, &self.rest, cx);
        if self.ranges.is_some() || !gives_lists(&self.spec.list) {
            return;
        }
        let len = self.inner.groups[0].len;
        if let Ok(lists) = evaluate(&self.spec.list, &self.inner, 0, cx) {
            // A property that is no vector of lists was read: its values are not read again.
            let is_read = matches!(self.spec.list, Ex::Property { .. });
            let is_lists = lists.vector().is_some_and(|v| match v.values {
                Values::List(_) | Values::Tuple(_) => true,
                Values::Any(_) => is_read,
                _ => false,
            });
            let lists = is_lists.then(|| as_lists(lists.into_vector(len), len, cx));
            self.lists = lists.filter(|lists| {
                let bytes = general_bytes(lists);
                self.held.is_none() && bytes < HELD_BYTES_MIN || {
                    let held = self.held.get_or_insert_with(|| cx.settings.budget.reservation());
                    // Without room for all there may be some for one after the other.
                    held.resize(usize::try_from(bytes).unwrap_or(usize::MAX)).is_ok()
                }
            });
        }
    }

    /// Makes one row of those at hand that have the same list, where nothing else of them is looked at. Lists
    /// that are made of few parts, such as the labels of nodes, are the same place in their child.
    fn unite_rows(&mut self) {
        self.weights.clear();
        if !self.spec.in_any_order || !self.spec.keep.is_empty() {
            return;
        }
        let group = &self.inner.groups[0];
        let lists = match &self.lists {
            Some(Vector { values: Values::List(lists), nulls }) => Some((lists, nulls)),
            None if self.common.is_some() => None,
            _ => return,
        };
        // The list, and the row that stands for all.
        let mut known: Vec<((u32, u32), u32)> = Vec::new();
        let mut weights = vec![0_u64; group.len];
        for p in &self.rest {
            let list = match lists {
                Some((_, nulls)) if nulls.get(*p as usize) => continue,
                Some((lists, _)) => lists.elements(*p as usize),
                None => 0..0,
            };
            let list = (list.start, list.end);
            let row = match known.iter().find(|(own, _)| *own == list) {
                Some((_, row)) => *row,
                None if known.len() < SAME_LISTS_MAX => {
                    known.push((list, *p));
                    *p
                }
                None => return,
            };
            let weight = &mut weights[row as usize];
            *weight = weight.saturating_add(group.multiplicity_at(*p as usize));
        }
        self.rest = known.into_iter().map(|(_, row)| row).collect();
        self.weights = weights;
    }

    /// The elements of a list that all rows have in common, if it is a list; what else it is, the rows tell.
    fn common_elements(&self, cx: &Context<'s>) -> Option<(Vector<'s>, usize)> {
        let Ex::Const(Value::List(items)) = &self.spec.list else { return None };
        let len = items.len();
        let is_short = len <= cx.settings.vector_size;
        is_short.then(|| (Vector::of_values(items.to_vec(), Positions::all(len)), len))
    }

    /// Takes up to `room` elements of a list that all rows have in common: the row of each, and all of them.
    fn take_common(&mut self, room: usize) -> Option<(Vec<u32>, Vector<'s>)> {
        let (common, len) = self.common.as_ref().map(|(common, len)| (common, *len))?;
        let (mut parents, mut elements) = (Vec::new(), Vec::new());
        while self.cursor < self.rest.len() && elements.len() < room {
            let end = len.min(self.offset + room - elements.len());
            elements.extend(self.offset as u32..end as u32);
            parents.resize(elements.len(), self.rest[self.cursor]);
            if end == len {
                (self.cursor, self.offset) = (self.cursor + 1, 0);
            } else {
                self.offset = end;
            }
        }
        Some((parents, common.gather(&elements)))
    }

    /// Takes up to `room` elements of the lists of the rows at hand: the row of each, and all of them.
    fn take(&mut self, room: usize) -> Option<(Vec<u32>, Vector<'s>)> {
        let Some(Vector { values: Values::List(lists), nulls }) = &self.lists else { return None };
        let (mut parents, mut elements) = (Vec::new(), Vec::new());
        while self.cursor < self.rest.len() && elements.len() < room {
            let p = self.rest[self.cursor];
            let run = if nulls.get(p as usize) { 0..0 } else { lists.elements(p as usize) };
            let left = run.skip(self.offset);
            let taken = left.len().min(room - elements.len());
            let is_done = left.len() == taken;
            elements.extend(left.take(taken));
            parents.resize(elements.len(), p);
            if is_done {
                (self.cursor, self.offset) = (self.cursor + 1, 0);
            } else {
                self.offset += taken;
            }
        }
        Some((parents, lists.child().gather(&elements)))
    }

    /// The same of ranges, whose integers are counted.
    fn take_counted(&mut self, room: usize) -> Option<(Vec<u32>, Vector<'s>)> {
        let ranges = self.ranges.as_ref()?;
        let (mut parents, mut values) = (Vec::new(), Vec::new());
        while self.cursor < self.rest.len() && values.len() < room {
            let range = &ranges[self.cursor];
            let end = range.len().min(self.offset + room - values.len());
            range.extend_counted(self.offset, end, &mut values);
            parents.resize(values.len(), self.rest[self.cursor]);
            if end == range.len() {
                (self.cursor, self.offset) = (self.cursor + 1, 0);
            } else {
                self.offset = end;
            }
        }
        Some((parents, Vector::new(Values::Int(values))))
    }

    /// The same one list after the other.
    fn take_values(&mut self, room: usize, cx: &Context<'s>) -> Result<(Vec<u32>, Vector<'s>), ExecError> {
        let (mut parents, mut values) = (Vec::new(), Vec::new());
        while self.cursor < self.rest.len() && values.len() < room {
            let p = self.rest[self.cursor];
            let items = self.items(p, cx)?;
            let end = items.len().min(self.offset + room - values.len());
            // Of one list alone the elements may be known as they are wanted.
            if values.is_empty()
                && end < items.len()
                && let Some(typed) = items.typed(self.offset, end)
            {
                parents.resize(end - self.offset, p);
                self.offset = end;
                return Ok((parents, typed));
            }
            items.extend(self.offset, end, &mut values);
            parents.resize(values.len(), p);
            if end == items.len() {
                self.cursor += 1;
                (self.offset, self.items) = (0, None);
            } else {
                self.offset = end;
            }
        }
        let len = values.len();
        Ok((parents, Vector::of_values(values, Positions::all(len))))
    }
}

impl<'s> Operator<'s> for Unwind<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let room = cx.settings.vector_size;
        cx.check()?;
        loop {
            if self.cursor >= self.rest.len() {
                cx.check()?;
                if !self.child.next(&mut self.inner, cx)? {
                    return Ok(false);
                }
                self.rest = self.inner.groups[0].positions();
                (self.cursor, self.offset, self.items) = (0, 0, None);
                self.evaluate_lists(cx);
                self.unite_rows();
            }
            let taken =
                self.take_common(room).or_else(|| self.take_counted(room)).or_else(|| self.take(room));
            let (parents, values) = match taken {
                Some(taken) => taken,
                None => self.take_values(room, cx)?,
            };
            if parents.is_empty() {
                continue;
            }
            let group = &self.inner.groups[0];
            let out = &mut chunk.groups[0];
            out.reset(parents.len());
            repeat(group, &self.spec.keep, &parents, out);
            if !self.weights.is_empty() {
                out.multiplicity = Some(parents.iter().map(|p| self.weights[*p as usize]).collect());
            }
            out.vectors[self.spec.keep.len()] = values;
            return Ok(true);
        }
    }

    fn reset(&mut self) {
        self.child.reset();
        self.rest.clear();
        (self.cursor, self.offset, self.items, self.lists, self.ranges) = (0, 0, None, None, None);
    }
}
