//! A procedure that is a table: arguments in, the outputs of the rows whose inputs are like them, in the
//! order of the rows.

use std::collections::HashMap;
use std::sync::Arc;

use trimorph_algebra::{Procedure, ProcedureRows, Signature};
use trimorph_base::{Diagnostic, Reservation};
use trimorph_types::{Grouping, Value};

/// The outputs of one row.
type Row = Arc<[Value]>;

/// A table with its rows by their inputs. Null is like null.
#[derive(Debug)]
pub(super) struct Table {
    signature: Signature,
    rows: HashMap<Vec<Grouping>, Arc<Vec<Row>>>,
    /// What the rows take.
    _held: Reservation,
}

impl Table {
    /// A table of these rows: for each its inputs and its outputs.
    pub(super) fn new(
        signature: Signature,
        rows: impl IntoIterator<Item = (Vec<Value>, Vec<Value>)>,
        held: Reservation,
    ) -> Self {
        let mut by_inputs: HashMap<Vec<Grouping>, Vec<Row>> = HashMap::new();
        for (inputs, outputs) in rows {
            by_inputs.entry(key(inputs)).or_default().push(outputs.into());
        }
        let rows = by_inputs.into_iter().map(|(inputs, rows)| (inputs, Arc::new(rows))).collect();
        Self { signature, rows, _held: held }
    }
}

fn key(inputs: Vec<Value>) -> Vec<Grouping> {
    inputs.into_iter().map(Grouping).collect()
}

impl Procedure for Table {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn call(&self, arguments: &[Value]) -> Result<ProcedureRows, Diagnostic> {
        let rows = self.rows.get(&key(arguments.to_vec())).cloned().unwrap_or_default();
        let mut next = 0;
        Ok(Box::new(std::iter::from_fn(move || {
            next += 1;
            rows.get(next - 1).cloned()
        })))
    }
}
