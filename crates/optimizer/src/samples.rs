//! What the store knows of values beyond the catalog, asked once: takes a comparison of a property, gives
//! about how many nodes pass it, and remembers the answer.
//!
//! Passes ask the same of a condition again and again, of every start of an order and of every operator, and
//! each answer reads a sample. One query asks for so many and no more; those after are guessed.

use std::cell::RefCell;
use std::collections::HashMap;

use trimorph_algebra::Op;
use trimorph_base::{EdgeTableId, TableId};
use trimorph_types::{Value, equivalent};

use crate::counted::Of;

/// Comparisons of one query that are tried on samples.
const SAMPLED_MAX: usize = 512;

/// What the store knows beyond the catalog. The engine implements it with access patterns.
pub trait Estimator {
    /// Nodes of `tables` whose property compares so with a value: `Eq`, `Lt`, `Le`, `Gt`, `Ge`, with a text
    /// `StartsWith`, `EndsWith`, `Contains`, and `In`, which the value is in a list of theirs. `None` if it
    /// cannot tell.
    fn rows(&self, tables: &[TableId], property: &str, op: Op, value: &Value) -> Option<f64>;

    /// Edges of `tables` whose property compares so with a value, where an index tells: `Eq`, `Lt`, `Le`,
    /// `Gt`, `Ge`, `StartsWith`, `IsNotNull`. `None` if it cannot tell.
    fn edges(&self, tables: &[EdgeTableId], property: &str, op: Op, value: &Value) -> Option<f64>;

    /// Edges of `tables` whose property compares so with a value, about: as [`Self::rows`]. `None` if it
    /// cannot tell.
    fn passing_edges(&self, tables: &[EdgeTableId], property: &str, op: Op, value: &Value) -> Option<f64>;

    /// Elements of a list that is a property of nodes of `tables`, on the mean; a value that is no list is
    /// one. `None` if it cannot tell.
    fn elements(&self, tables: &[TableId], property: &str) -> Option<f64>;

    /// The value a parameter has in the run that the plan is first made for.
    fn parameter(&self, name: &str) -> Option<Value>;
}

/// An estimator's answers.
#[derive(Default)]
pub(crate) struct Samples<'a> {
    estimator: Option<&'a dyn Estimator>,
    answered: RefCell<Answers>,
}

#[derive(Default)]
struct Answers {
    by_property: HashMap<String, Vec<Answer>>,
    elements: HashMap<(Vec<TableId>, String), Option<f64>>,
    count: usize,
}

struct Answer {
    of: Tables,
    op: Op,
    value: Value,
    rows: Option<f64>,
}

/// What a comparison was asked of.
enum Tables {
    Nodes(Vec<TableId>),
    Edges(Vec<EdgeTableId>),
}

impl Tables {
    fn are(&self, of: Of<'_>) -> bool {
        match (self, of) {
            (Self::Nodes(own), Of::Nodes(tables)) => own == tables,
            (Self::Edges(own), Of::Edges(tables)) => own == tables,
            _ => false,
        }
    }
}

impl<'a> Samples<'a> {
    pub(crate) fn new(estimator: Option<&'a dyn Estimator>) -> Self {
        Self { estimator, answered: RefCell::default() }
    }

    /// The value of a parameter as it is now.
    pub(crate) fn parameter(&self, name: &str) -> Option<Value> {
        self.estimator?.parameter(name)
    }

    /// As [`Estimator::elements`].
    pub(crate) fn elements(&self, tables: &[TableId], property: &str) -> Option<f64> {
        let estimator = self.estimator?;
        let mut answered = self.answered.borrow_mut();
        let asked = answered.elements.entry((tables.to_vec(), property.to_owned()));
        *asked.or_insert_with(|| estimator.elements(tables, property))
    }

    /// As [`Estimator::edges`]; it is an index that is asked, which costs little.
    pub(crate) fn edges(&self, tables: &[EdgeTableId], property: &str, op: Op, value: &Value) -> Option<f64> {
        self.estimator?.edges(tables, property, op, value)
    }

    /// As [`Estimator::rows`] and [`Estimator::passing_edges`]; nothing is known once too much was asked.
    pub(crate) fn rows(&self, of: Of<'_>, property: &str, op: Op, value: &Value) -> Option<f64> {
        let estimator = self.estimator?;
        let mut answered = self.answered.borrow_mut();
        let known = answered.by_property.get(property).into_iter().flatten();
        let is_asked = |a: &&Answer| a.op == op && a.of.are(of) && equivalent(&a.value, value);
        if let Some(answer) = known.into_iter().find(is_asked) {
            return answer.rows;
        }
        if answered.count >= SAMPLED_MAX {
            return None;
        }
        let (rows, of) = match of {
            Of::Nodes(tables) => {
                (estimator.rows(tables, property, op, value), Tables::Nodes(tables.to_vec()))
            }
            Of::Edges(tables) => {
                (estimator.passing_edges(tables, property, op, value), Tables::Edges(tables.to_vec()))
            }
        };
        let answer = Answer { of, op, value: value.clone(), rows };
        answered.count += 1;
        answered.by_property.entry(property.to_owned()).or_default().push(answer);
        rows
    }
}
