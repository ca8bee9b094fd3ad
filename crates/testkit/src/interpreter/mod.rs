//! A naive interpreter of the logical algebra: takes a bound query and a snapshot, gives its rows.
//!
//! It is written to be obviously right, not fast: rows are maps from variable to value, every operator makes
//! all its rows, patterns are matched by trying all nodes and edges. The graph is read once into plain
//! vectors ([`Graph`]), so that nothing here depends on adjacency, columns or indexes. Only the kernels of
//! `trimorph-functions` and the relations of `trimorph-types` are shared with the executor.
//!
//! Operators that only the optimizer makes are refused.

mod aggregate;
mod expression;
mod graph;
mod operator;
mod pattern;
mod trail;
mod walk;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_algebra::{BoundQuery, VarId};
use trimorph_base::{Diagnostic, ErrorKind};
use trimorph_functions::{Clock, Context};
use trimorph_store::Snapshot;
use trimorph_types::Value;

pub use graph::{Edge, Graph, Node};

/// Candidates tried before [`run`] gives up.
pub const STEPS_MAX: u64 = 200_000_000;

/// The detail word of the error that says that the steps did not suffice.
pub const TOO_MANY_STEPS: &str = "TooManySteps";

/// A row: the value of each variable.
pub(crate) type Row = BTreeMap<VarId, Value>;

type Rows = Result<Vec<Row>, Diagnostic>;

/// The rows of `query`, the values of its columns in order.
///
/// **Errors**: what the query itself leads to; `Unsupported` for physical operators and where [`STEPS_MAX`]
/// candidates do not suffice.
pub fn run(
    query: &BoundQuery,
    snapshot: &Snapshot,
    parameters: &BTreeMap<Arc<str>, Value>,
    clock: Clock,
) -> Result<Vec<Vec<Value>>, Diagnostic> {
    run_on(query, &Graph::read(snapshot), parameters, clock, STEPS_MAX)
}

/// As [`run`] on a graph read before, with at most `steps_max` candidates.
pub fn run_on(
    query: &BoundQuery,
    graph: &Graph,
    parameters: &BTreeMap<Arc<str>, Value>,
    clock: Clock,
    steps_max: u64,
) -> Result<Vec<Vec<Value>>, Diagnostic> {
    let context = Context::new(graph, clock, 1);
    let interpreter = Interpreter { graph, parameters, context, steps_left: Cell::new(steps_max) };
    let rows = interpreter.rows(&query.plan, &Row::new())?;
    let values = |row: Row| query.columns.iter().map(|(_, var)| value_of(&row, *var)).collect();
    rows.into_iter().map(values).collect()
}

struct Interpreter<'a> {
    graph: &'a Graph,
    parameters: &'a BTreeMap<Arc<str>, Value>,
    context: Context<'a>,
    steps_left: Cell<u64>,
}

impl Interpreter<'_> {
    /// Counts one candidate.
    fn step(&self) -> Result<(), Diagnostic> {
        let left = self.steps_left.get();
        if left == 0 {
            let primary = "the query takes the naive interpreter too long";
            return Err(Diagnostic::runtime(ErrorKind::Unsupported, TOO_MANY_STEPS, primary));
        }
        self.steps_left.set(left - 1);
        Ok(())
    }
}

/// The value of a variable that the plan promises.
fn value_of(row: &Row, var: VarId) -> Result<Value, Diagnostic> {
    row.get(&var).cloned().ok_or_else(|| internal(format!("variable {} has no value", var.0)))
}

/// A plan that breaks the algebra's rules.
fn internal(what: impl Into<String>) -> Diagnostic {
    Diagnostic::runtime(ErrorKind::Unsupported, "Internal", what)
}
