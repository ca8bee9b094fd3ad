//! Two answers side by side: the same rows, in order or not.

use std::cmp::Ordering;
use std::fmt::Write as _;

use trimorph_types::format::{IdsOnly, format_literal};
use trimorph_types::{Value, equivalent, order};

/// What counts as the same answer.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Rows must come in the same order.
    pub ordered: bool,
    /// For each column, whether a list in it is a multiset, as `collect` makes it. Missing places are false.
    pub bags: Vec<bool>,
    /// How far apart two floats may be, relative to the larger; 0 for not at all. Sums of floats depend on
    /// their order.
    pub tolerance: f64,
}

/// Rows shown of each side of a difference.
const SHOWN_MAX: usize = 10;

/// Compares two answers; values are the same if they are equivalent.
///
/// **Errors**: a text that shows the rows of each side that the other does not have.
pub fn compare(
    expected: &[Vec<Value>],
    actual: &[Vec<Value>],
    comparison: &Comparison,
) -> Result<(), String> {
    let mut expected: Vec<Vec<Value>> = expected.iter().map(|row| comparison.canonical(row)).collect();
    let mut actual: Vec<Vec<Value>> = actual.iter().map(|row| comparison.canonical(row)).collect();
    if !comparison.ordered {
        expected.sort_by(|a, b| comparison.order(a, b));
        actual.sort_by(|a, b| comparison.order(a, b));
    }
    let same = |(a, b): (&Vec<Value>, &Vec<Value>)| comparison.same_row(a, b);
    if expected.len() == actual.len() && expected.iter().zip(&actual).all(same) {
        return Ok(());
    }
    if comparison.ordered {
        return Err(ordered_difference(&expected, &actual, comparison));
    }
    let (missing, unexpected) = unmatched(&expected, &actual, comparison);
    if missing.is_empty() && unexpected.is_empty() {
        // Floats within tolerance were sorted apart.
        return Ok(());
    }
    let mut text = format!("expected {} rows, got {}\n", expected.len(), actual.len());
    show(&mut text, "missing", &missing);
    show(&mut text, "unexpected", &unexpected);
    Err(text)
}

impl Comparison {
    fn canonical(&self, row: &[Value]) -> Vec<Value> {
        let cell = |(place, value): (usize, &Value)| match value {
            Value::List(items) if self.bags.get(place) == Some(&true) => {
                let mut items = items.to_vec();
                items.sort_by(order);
                Value::list(items)
            }
            other => other.clone(),
        };
        row.iter().enumerate().map(cell).collect()
    }

    /// Cells that are compared exactly come first, so that a float's last digit does not part rows that
    /// belong together.
    fn order(&self, a: &[Value], b: &[Value]) -> Ordering {
        let blank = |value: &Value| {
            if self.tolerance > 0.0 && matches!(value, Value::Float(_)) { Value::Null } else { value.clone() }
        };
        let exact = a.iter().zip(b).map(|(a, b)| order(&blank(a), &blank(b)));
        let all = a.iter().zip(b).map(|(a, b)| order(a, b));
        exact.chain(all).fold(Ordering::Equal, Ordering::then)
    }

    fn same_row(&self, a: &[Value], b: &[Value]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same(a, b))
    }

    fn same(&self, a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Float(x), Value::Float(y)) if self.tolerance > 0.0 && x.is_finite() && y.is_finite() => {
                (x - y).abs() <= self.tolerance * x.abs().max(y.abs()).max(f64::MIN_POSITIVE)
            }
            (Value::List(x), Value::List(y)) => {
                x.len() == y.len() && x.iter().zip(y.iter()).all(|(a, b)| self.same(a, b))
            }
            _ => equivalent(a, b),
        }
    }
}

/// What one side has and the other has not.
fn unmatched<'r>(
    expected: &'r [Vec<Value>],
    actual: &'r [Vec<Value>],
    comparison: &Comparison,
) -> (Vec<&'r Vec<Value>>, Vec<&'r Vec<Value>>) {
    let mut left: Vec<&Vec<Value>> = actual.iter().collect();
    let mut missing = Vec::new();
    for row in expected {
        match left.iter().position(|other| comparison.same_row(row, other)) {
            Some(place) => drop(left.remove(place)),
            None => missing.push(row),
        }
    }
    (missing, left)
}

fn ordered_difference(expected: &[Vec<Value>], actual: &[Vec<Value>], comparison: &Comparison) -> String {
    let len = expected.len().max(actual.len());
    let same = |place: usize| match (expected.get(place), actual.get(place)) {
        (Some(a), Some(b)) => comparison.same_row(a, b),
        _ => false,
    };
    let mut text = format!("expected {} rows, got {}\n", expected.len(), actual.len());
    for place in (0..len).filter(|place| !same(*place)).take(SHOWN_MAX) {
        let shown = |rows: &[Vec<Value>]| rows.get(place).map_or("no row".into(), |row| row_text(row));
        let _ = writeln!(text, "row {place}: expected {}, got {}", shown(expected), shown(actual));
    }
    text
}

fn show(text: &mut String, what: &str, rows: &[&Vec<Value>]) {
    for row in rows.iter().take(SHOWN_MAX) {
        let _ = writeln!(text, "{what}: {}", row_text(row));
    }
    if rows.len() > SHOWN_MAX {
        let _ = writeln!(text, "{what}: {} more", rows.len() - SHOWN_MAX);
    }
}

/// A row as text.
pub fn row_text(row: &[Value]) -> String {
    let cells: Vec<String> = row.iter().map(|value| format_literal(value, &IdsOnly)).collect();
    format!("({})", cells.join(", "))
}
