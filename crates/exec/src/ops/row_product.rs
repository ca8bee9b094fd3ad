//! The product with one row at most, as a total that others are compared with: its values lie in a flat group
//! beside those of each chunk, which stays as it is: lists stay lists. The row is found once, by whichever
//! twin asks first.

use std::sync::{Arc, OnceLock};

use trimorph_base::Diagnostic;
use trimorph_vector::{Chunk, Values, Vector};

use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// The row, if there is one.
type Row<'s> = Option<Vec<Vector<'s>>>;

/// The row, found by whichever twin asks first.
#[derive(Clone, Default)]
pub(crate) struct SharedRow<'s>(Arc<OnceLock<Result<Row<'s>, ExecError>>>);

/// Where the row is, and where its values go.
#[derive(Debug)]
pub(crate) struct RowProductSpec {
    /// Slots of the one group that the row is in, and those that are wanted.
    pub(crate) slots: usize,
    pub(crate) wanted: Vec<usize>,
    /// The group of the chunk that they go to; none where none is wanted.
    pub(crate) group: Option<usize>,
}

/// The product with a row.
pub(crate) struct RowProduct<'s> {
    child: BoxOperator<'s>,
    /// Gives the row.
    one: BoxOperator<'s>,
    spec: Arc<RowProductSpec>,
    row: SharedRow<'s>,
}

impl<'s> RowProduct<'s> {
    pub(crate) fn new(
        child: BoxOperator<'s>,
        one: BoxOperator<'s>,
        spec: Arc<RowProductSpec>,
        row: SharedRow<'s>,
    ) -> Self {
        Self { child, one, spec, row }
    }

    fn find(
        one: &mut BoxOperator<'s>,
        spec: &RowProductSpec,
        cx: &Context<'s>,
    ) -> Result<Row<'s>, ExecError> {
        let mut chunk = Chunk::with_slots(&[spec.slots]);
        let mut row = None;
        while one.next(&mut chunk, cx)? {
            let group = &chunk.groups[0];
            for p in group.positions() {
                let values = spec.wanted.iter().map(|slot| one_of(&group.vectors[*slot], p, cx)).collect();
                if group.multiplicity_at(p as usize) != 1 || row.replace(values).is_some() {
                    return Err(ExecError::Query(Diagnostic::internal("several rows where there is one")));
                }
            }
        }
        Ok(row)
    }
}

/// The value at a position. Lists and maps are values that are shared: each chunk gets a copy.
fn one_of<'s>(vector: &Vector<'s>, position: u32, cx: &Context<'s>) -> Vector<'s> {
    match vector.values {
        Values::List(_) | Values::Map(_) if !vector.is_null(position as usize) => {
            let value = vector.value(position as usize, &|id| cx.edge_value(id));
            Vector::new(Values::Any(vec![value]))
        }
        _ => vector.gather(&[position]),
    }
}

impl<'s> Operator<'s> for RowProduct<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let (one, spec) = (&mut self.one, &*self.spec);
        let row = match cx.settings.workers.once(&self.row.0, || Self::find(one, spec, cx)) {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(false),
            Err(e) => return Err(e.clone()),
        };
        if !self.child.next(chunk, cx)? {
            return Ok(false);
        }
        if let Some(group) = spec.group {
            let group = &mut chunk.groups[group];
            group.reset(1);
            group.flat = Some(0);
            group.vectors.iter_mut().zip(row).for_each(|(slot, value)| slot.clone_from(value));
        }
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
    }
}
