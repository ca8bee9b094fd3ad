//! Sums of floats, with compensation, so that splitting the input changes next to nothing. A sum that leaves
//! their range goes on in a larger unit, so that a mean is infinite only if a term is.
//!
//! Sources: A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", 1974;
//! D. E. Knuth, "The Art of Computer Programming" 2, 4.2.2, theorem B.

/// A float sum whose rounding errors are summed apart. The default is that of no terms.
#[derive(Clone, Copy, Debug, Default)]
pub struct FloatSum {
    pub(crate) sum: f64,
    pub(crate) compensation: f64,
    /// Whether both are counted in units of [`UNIT`].
    pub(crate) is_large: bool,
}

/// Sums side by side.
const LANES: usize = 8;

/// 2^128: no sum of 2^64 floats is too large in it, and no float loses a digit but those below 2^-894.
const UNIT: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;

impl FloatSum {
    /// Adds a term as often as `weight` says.
    #[inline]
    pub fn add(&mut self, term: f64, weight: f64) {
        let scaled = if self.is_large { term / UNIT * weight } else { term * weight };
        let sum = self.sum + scaled;
        if !sum.is_finite() && !self.is_large && self.sum.is_finite() && term.is_finite() {
            self.enlarge();
            return self.add(term, weight);
        }
        self.add_scaled(scaled);
    }

    /// Adds a term that does not take the sum out of the range of floats, and a sum that never left it: by
    /// Knuth's addition with its exact error, which has no branch.
    #[inline(always)]
    pub fn add_within(&mut self, term: f64) {
        let sum = self.sum + term;
        let taken = sum - self.sum;
        self.compensation += (self.sum - (sum - taken)) + (term - taken);
        self.sum = sum;
    }

    /// Adds a term that is counted in the same unit.
    #[inline]
    fn add_scaled(&mut self, term: f64) {
        let sum = self.sum + term;
        self.compensation +=
            if self.sum.abs() >= term.abs() { self.sum - sum + term } else { term - sum + self.sum };
        self.sum = sum;
    }

    /// The sum of many. Lanes are summed side by side: one sum waits for itself at every term.
    pub(super) fn of(terms: &[f64]) -> Self {
        let (mut sums, mut compensations) = ([0.0; LANES], [0.0; LANES]);
        let (rows, rest) = terms.as_chunks::<LANES>();
        for row in rows {
            for ((sum, compensation), term) in sums.iter_mut().zip(&mut compensations).zip(row) {
                let next = *sum + term;
                // What is lost of the smaller one.
                let (large, small) = if sum.abs() >= term.abs() { (*sum, *term) } else { (*term, *sum) };
                *compensation += large - next + small;
                *sum = next;
            }
        }
        let mut all = Self::default();
        for (sum, compensation) in sums.into_iter().zip(compensations) {
            all.merge(Self { sum, compensation, is_large: false });
        }
        rest.iter().for_each(|term| all.add(*term, 1.0));
        all
    }

    fn enlarge(&mut self) {
        if !self.is_large {
            self.sum /= UNIT;
            self.compensation /= UNIT;
            self.is_large = true;
        }
    }

    /// Adds what another has summed.
    pub fn merge(&mut self, mut other: Self) {
        if self.is_large || other.is_large || !(self.sum + other.sum).is_finite() {
            self.enlarge();
            other.enlarge();
        }
        self.add_scaled(other.sum);
        self.compensation += other.compensation;
    }

    /// The sum, divided by `count` before it is brought back to units of one. Infinities and NaN leave no
    /// meaningful compensation.
    pub fn divided(self, count: f64) -> f64 {
        let sum = if self.sum.is_finite() { self.sum + self.compensation } else { self.sum };
        if self.is_large { sum / count * UNIT } else { sum / count }
    }
}
