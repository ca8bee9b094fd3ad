//! The product with few rows, as a total or some limits that others are compared with: the values of one lie
//! in a flat group beside those of each chunk, which stays as it is: lists stay lists. A chunk is given once
//! for each row. The rows are found once, by whichever twin asks first.

use std::sync::{Arc, OnceLock};

use trimorph_vector::{Chunk, Values, Vector};

use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// The values of each row.
type FewRows<'s> = Vec<Vec<Vector<'s>>>;

/// The rows, found by whichever twin asks first.
#[derive(Clone, Default)]
pub(crate) struct SharedRows<'s>(Arc<OnceLock<Result<FewRows<'s>, ExecError>>>);

/// Where the rows are, and where their values go.
#[derive(Debug)]
pub(crate) struct RowProductSpec {
    /// Slots of the one group that the rows are in, and those that are wanted.
    pub(crate) slots: usize,
    pub(crate) wanted: Vec<usize>,
    /// The group of the chunk that they go to; none where none is wanted.
    pub(crate) group: Option<usize>,
}

/// The product with few rows.
pub(crate) struct RowProduct<'s> {
    child: BoxOperator<'s>,
    /// Gives the rows.
    few: BoxOperator<'s>,
    spec: Arc<RowProductSpec>,
    rows: SharedRows<'s>,
    /// The chunk that is given again, and the row that comes next.
    again: Option<(Chunk<'s>, usize)>,
}

impl<'s> RowProduct<'s> {
    pub(crate) fn new(
        child: BoxOperator<'s>,
        few: BoxOperator<'s>,
        spec: Arc<RowProductSpec>,
        rows: SharedRows<'s>,
    ) -> Self {
        Self { child, few, spec, rows, again: None }
    }

    fn find(
        few: &mut BoxOperator<'s>,
        spec: &RowProductSpec,
        cx: &Context<'s>,
    ) -> Result<FewRows<'s>, ExecError> {
        let mut chunk = Chunk::with_slots(&[spec.slots]);
        let mut rows = Vec::new();
        while few.next(&mut chunk, cx)? {
            let group = &chunk.groups[0];
            for p in group.positions() {
                for _ in 0..group.multiplicity_at(p as usize) {
                    let values = spec.wanted.iter().map(|slot| one_of(&group.vectors[*slot], p, cx));
                    rows.push(values.collect());
                }
            }
        }
        Ok(rows)
    }
}

/// The value at a position. Lists and maps are values that are shared: each chunk gets a copy.
fn one_of<'s>(vector: &Vector<'s>, position: u32, cx: &Context<'s>) -> Vector<'s> {
    match vector.values {
        Values::List(_) | Values::Map(_) | Values::Tuple(_) if !vector.is_null(position as usize) => {
            let value = vector.value(position as usize, &|id| cx.edge_value(id));
            Vector::new(Values::Any(vec![value]))
        }
        _ => vector.gather(&[position]),
    }
}

impl<'s> Operator<'s> for RowProduct<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let (few, spec) = (&mut self.few, &*self.spec);
        let rows = match cx.settings.workers.once(&self.rows.0, || Self::find(few, spec, cx)) {
            Ok(rows) => rows,
            Err(e) => return Err(e.clone()),
        };
        let row = match self.again.take() {
            Some((last, row)) if row + 1 == rows.len() => {
                *chunk = last;
                row
            }
            Some((same, row)) => {
                chunk.clone_from(&same);
                self.again = Some((same, row + 1));
                row
            }
            None if rows.is_empty() || !self.child.next(chunk, cx)? => return Ok(false),
            None => {
                self.again = (rows.len() > 1).then(|| (chunk.clone(), 1));
                0
            }
        };
        cx.check()?;
        if let Some(group) = spec.group {
            let group = &mut chunk.groups[group];
            group.reset(1);
            group.flat = Some(0);
            group.vectors.iter_mut().zip(&rows[row]).for_each(|(slot, value)| slot.clone_from(value));
        }
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
        self.again = None;
    }
}
