//! The order in which a filter asks its tests: found while it runs. What a test lets fall depends on
//! parameters, which a plan is made without, and what it takes depends on where the values lie.
//!
//! Each test is asked first of some rows in turn; then they stand by what each of them takes for a row that
//! it lets fall. Far later they are tried again. Only tests that cannot fail change places: rows that pass
//! are the same in any order.
//!
//! Source: Hellerstein and Stonebraker, "Predicate Migration", SIGMOD 1993, for the rank; that it is measured
//! is from DuckDB's and Velox's adaptive filters.

/// Rows before tests are tried: what is over before is not worth it.
const ROWS_BEFORE: u64 = 1 << 14;
/// Rows of which each test is asked first.
const ROWS_OF_TRIAL: u64 = 1 << 12;
/// Rows until they are tried again: data that came later may be different.
const ROWS_BETWEEN: u64 = 1 << 22;

/// What becomes of the tests.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// They stay.
    None,
    /// The first one goes to the end.
    Rotate,
    /// They are put in this order of their places.
    Sort(Vec<usize>),
}

/// The order of some tests.
#[derive(Debug)]
pub(super) struct Order {
    tests: usize,
    /// Rows until something happens.
    left: u64,
    /// While tests are tried: what each of those that were first takes for a row that it lets fall.
    costs: Option<Vec<f64>>,
    /// Of the one that is first: the least nanoseconds a row in a vector, its rows, and those that fell.
    nanos: f64,
    rows: u64,
    fallen: u64,
}

impl Order {
    /// Of so many tests.
    pub(super) fn new(tests: usize) -> Self {
        Self { tests, left: ROWS_BEFORE, costs: None, nanos: f64::INFINITY, rows: 0, fallen: 0 }
    }

    /// Whether the first test is being tried.
    pub(super) fn is_trial(&self) -> bool {
        self.costs.is_some()
    }

    /// Takes in that the first test was asked of `rows`; while it is being tried, that it let so many of them
    /// fall, and took so long.
    pub(super) fn note(&mut self, rows: u64, fallen: u64, nanos: f64) -> Change {
        self.left = self.left.saturating_sub(rows);
        let Some(costs) = &mut self.costs else {
            if self.left == 0 {
                (self.costs, self.left) = (Some(Vec::new()), ROWS_OF_TRIAL);
            }
            return Change::None;
        };
        if rows > 0 {
            // Whoever was interrupted takes long.
            self.nanos = self.nanos.min(nanos / rows as f64);
        }
        self.rows += rows;
        self.fallen += fallen;
        if self.left > 0 {
            return Change::None;
        }
        costs.push(self.nanos * self.rows as f64 / (self.fallen as f64).max(0.5));
        (self.nanos, self.rows, self.fallen) = (f64::INFINITY, 0, 0);
        self.left = ROWS_OF_TRIAL;
        if costs.len() < self.tests {
            return Change::Rotate;
        }
        // The last one tried is first.
        let mut places: Vec<usize> = (0..self.tests).collect();
        let of_place = |place: &usize| costs[(place + self.tests - 1) % self.tests];
        places.sort_by(|a, b| of_place(a).total_cmp(&of_place(b)));
        (self.costs, self.left) = (None, ROWS_BETWEEN);
        Change::Sort(places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that take so many nanoseconds a row and let such a part of the rows fall.
    fn settled(tests: &[(&'static str, f64, f64)]) -> Vec<&'static str> {
        let (mut order, mut now) = (Order::new(tests.len()), tests.to_vec());
        for chunk in 0..1_000 {
            let (_, nanos, falling) = now[0];
            // Now and then a trial is interrupted.
            let pause = if chunk % 3 == 0 { 1e7 } else { 0.0 };
            match order.note(1_000, (1_000.0 * falling) as u64, 1_000.0 * nanos + pause) {
                Change::None => {}
                Change::Rotate => now.rotate_left(1),
                Change::Sort(places) => {
                    now = places.iter().map(|place| now[*place]).collect();
                    break;
                }
            }
        }
        assert!(!order.is_trial());
        now.iter().map(|(name, ..)| *name).collect()
    }

    #[test]
    fn tests_stand_by_what_a_row_that_falls_takes() {
        assert_eq!(settled(&[("half", 2.0, 0.5), ("most", 2.0, 0.9)]), ["most", "half"]);
        assert_eq!(settled(&[("most", 2.0, 0.9), ("half", 2.0, 0.5)]), ["most", "half"]);
        assert_eq!(settled(&[("dear", 40.0, 0.9), ("cheap", 1.0, 0.2)]), ["cheap", "dear"]);
        let all = [("none", 1.0, 0.0), ("dear", 50.0, 0.9), ("half", 2.0, 0.5), ("most", 3.0, 0.99)];
        assert_eq!(settled(&all), ["most", "half", "dear", "none"]);
    }

    #[test]
    fn few_rows_are_not_tried() {
        let mut order = Order::new(2);
        for _ in 0..15 {
            assert_eq!(order.note(1_000, 0, 1.0), Change::None);
            assert!(!order.is_trial());
        }
    }
}
