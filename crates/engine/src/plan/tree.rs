//! A plan as a tree of operators, with estimates and measurements.

use std::time::Duration;

use trimorph_exec::ProfileLine;

/// How a plan is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum PlanForm {
    /// Aligned columns for people.
    #[default]
    Text,
    /// One line per operator with its access patterns, in the notation of `docs/design/access.md`.
    Codes,
    /// JSON.
    Json,
    /// A page that needs nothing else.
    Html,
}

/// A plan: its operators from the result down to what is read first, each before its inputs.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct PlanTree {
    /// The operators.
    pub operators: Vec<PlanOperator>,
    /// Pieces that were read from files; zero unless it was run.
    pub pieces_read: u64,
}

/// An operator of a plan.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct PlanOperator {
    /// How many operators are above it.
    pub depth: usize,
    /// What it does, such as `Extend (p)-[:KNOWS]->(f)`.
    pub text: String,
    /// What it is done by, in the order that rows go through them, such as `node scan`.
    pub done_by: Vec<&'static str>,
    /// What these read by, in the notation of `docs/design/access.md`.
    pub codes: Vec<String>,
    /// How many rows it was thought to give when the plan was chosen.
    pub estimated_rows: f64,
    /// What it did, if it was run.
    pub measured: Option<Measured>,
}

/// What an operator did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Measured {
    /// Rows that it gave.
    pub rows: u64,
    /// Positions that stood for them: fewer than rows where lists of neighbours stay lists.
    pub positions: u64,
    /// Chunks that they came in.
    pub chunks: u64,
    /// Time in it and its inputs, of all threads together.
    pub total: Duration,
    /// Time in it alone.
    pub own: Duration,
    /// Of a look-up: most rows that were looked up together.
    pub looked_up: u64,
    /// Of what is asked for the keys of a join: rows that came, and that passed.
    pub asked: (u64, u64),
    /// Bytes that it put into temporary files.
    pub spilled_bytes: u64,
}

impl Measured {
    pub(super) fn of(line: &ProfileLine) -> Self {
        Self {
            rows: line.tuples,
            positions: line.positions,
            chunks: line.chunks,
            total: Duration::from_nanos(line.nanos),
            own: Duration::ZERO,
            looked_up: line.vector_rows,
            asked: line.asked,
            spilled_bytes: line.spilled_bytes,
        }
    }
}

impl PlanTree {
    /// Whether it was run.
    pub fn is_measured(&self) -> bool {
        self.operators.iter().any(|o| o.measured.is_some())
    }

    /// Operators whose output an operator takes.
    pub(super) fn inputs(&self, at: usize) -> impl Iterator<Item = usize> {
        inputs(&self.operators, at)
    }

    /// Time of all operators together.
    pub(super) fn whole(&self) -> Duration {
        self.operators.iter().filter_map(|o| o.measured).map(|m| m.own).sum()
    }
}

/// A share of 0 to 1; none of nothing.
pub(super) fn share(part: Duration, whole: Duration) -> f64 {
    if whole.is_zero() { 0.0 } else { part.as_secs_f64() / whole.as_secs_f64() }
}

fn inputs(operators: &[PlanOperator], at: usize) -> impl Iterator<Item = usize> {
    let depth = operators[at].depth;
    let below = (at + 1..operators.len()).take_while(move |i| operators[*i].depth > depth);
    below.filter(move |i| operators[*i].depth == depth + 1)
}

/// What of the time of operators is their own: the rest is that of their inputs. Where twins on several
/// threads did the inputs, these may have taken more time than who waited for them.
pub(super) fn take_apart(operators: &mut [PlanOperator]) {
    for at in 0..operators.len() {
        let below: Duration =
            inputs(operators, at).filter_map(|i| operators[i].measured).map(|m| m.total).sum();
        if let Some(measured) = &mut operators[at].measured {
            measured.own = measured.total.saturating_sub(below);
        }
    }
}
