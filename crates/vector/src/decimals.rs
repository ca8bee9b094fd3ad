//! The decimals of a vector: integers of one scale where 64 bits hold each of them, as 1250 and 75 hundredths
//! are 12.5 and 0.75, and else each by itself. Columns have them so, and sums, comparisons and products are
//! loops over integers.
//!
//! Invariant: `units` has a scale of at most [`SCALE_MAX`]. What is arbitrary, as at nulls, is any integer.
//!
//! Source: fixed-point numbers of SQL (`DECIMAL(p, s)`).

use std::borrow::Cow;

use trimorph_types::Decimal;

/// The longest scale: powers of ten up to it fit 64 bits.
pub const SCALE_MAX: u8 = 18;

/// Decimals, one for each position.
#[derive(Clone, Debug)]
pub enum Decimals {
    /// Times 10^-scale.
    Units {
        /// The integers.
        units: Vec<i64>,
        /// Digits after the point.
        scale: u8,
    },
    /// Each by itself.
    Each(Vec<Decimal>),
}

impl From<Vec<Decimal>> for Decimals {
    fn from(decimals: Vec<Decimal>) -> Self {
        Self::Each(decimals)
    }
}

/// `units` in a longer scale; `None` where one does not fit.
fn raised(units: &[i64], more: u8) -> Option<Vec<i64>> {
    let unit = Decimal::power(more)?;
    let (mut out, mut fit) = (Vec::with_capacity(units.len()), true);
    out.extend(units.iter().map(|n| {
        let (product, is_over) = n.overflowing_mul(unit);
        fit &= !is_over;
        product
    }));
    fit.then_some(out)
}

impl Decimals {
    /// Integers of a scale.
    pub fn of_units(units: Vec<i64>, scale: u8) -> Self {
        match scale <= SCALE_MAX {
            true => Self::Units { units, scale },
            false => Self::Each(units.into_iter().map(|n| Decimal::of_units(n, scale)).collect()),
        }
    }

    /// One decimal, `len` times.
    pub fn repeat(decimal: Decimal, len: usize) -> Self {
        match decimal.units(decimal.scale()) {
            Some(units) => Self::of_units(vec![units; len], decimal.scale()),
            None => Self::Each(vec![decimal; len]),
        }
    }

    /// Decimals as integers of the longest scale among them, where these fit.
    pub fn packed(all: Vec<Decimal>) -> Self {
        let scale = all.iter().map(|d| d.scale()).max().unwrap_or(0);
        match all.iter().map(|d| d.units(scale)).collect() {
            Some(units) if scale <= SCALE_MAX => Self::Units { units, scale },
            _ => Self::Each(all),
        }
    }

    /// Integers, each with a scale of its own.
    pub fn of_scaled(all: &[(i64, u8)]) -> Self {
        let scale = all.iter().map(|(_, own)| *own).max().unwrap_or(0);
        // Nulls are zero times anything.
        if scale <= SCALE_MAX && all.iter().all(|(n, own)| *own == scale || *n == 0) {
            return Self::Units { units: all.iter().map(|(n, _)| *n).collect(), scale };
        }
        Self::packed(all.iter().map(|(n, own)| Decimal::of_units(*n, *own)).collect())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Units { units, .. } => units.len(),
            Self::Each(all) => all.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those there is room for, and bytes of each.
    pub fn cells(&self) -> (usize, usize) {
        match self {
            Self::Units { units, .. } => (units.capacity(), size_of::<i64>()),
            Self::Each(all) => (all.capacity(), size_of::<Decimal>()),
        }
    }

    /// The decimal at position `i`.
    #[inline]
    pub fn at(&self, i: usize) -> Decimal {
        match self {
            Self::Units { units, scale } => Decimal::of_units(units[i], *scale),
            Self::Each(all) => all[i],
        }
    }

    /// The integers and their scale, if all are such.
    #[inline]
    pub fn units(&self) -> Option<(&[i64], u8)> {
        match self {
            Self::Units { units, scale } => Some((units, *scale)),
            Self::Each(_) => None,
        }
    }

    /// Each by itself. **Cost**: of integers a division for each zero at their ends.
    pub fn each(&self) -> Cow<'_, [Decimal]> {
        match self {
            Self::Units { units, scale } => units.iter().map(|n| Decimal::of_units(*n, *scale)).collect(),
            Self::Each(all) => Cow::Borrowed(all),
        }
    }

    /// The nearest floats.
    #[expect(clippy::cast_precision_loss, reason = "it was checked that floats hold the numbers")]
    pub fn floats(&self) -> Vec<f64> {
        // Of two numbers that floats hold exactly the quotient is rounded once.
        const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;
        match self {
            Self::Units { units, scale }
                if units.iter().fold(true, |all, n| all & (n.unsigned_abs() <= EXACT)) =>
            {
                let unit = Decimal::power(*scale).unwrap_or(1) as f64;
                units.iter().map(|n| *n as f64 / unit).collect()
            }
            _ => (0..self.len()).map(|i| self.at(i).to_float()).collect(),
        }
    }

    /// None yet, to be filled with such as these.
    #[must_use]
    pub fn like(&self) -> Self {
        match self {
            Self::Units { scale, .. } => Self::Units { units: Vec::new(), scale: *scale },
            Self::Each(_) => Self::Each(Vec::new()),
        }
    }

    /// Those at the given positions, in that order.
    #[must_use]
    pub fn gather(&self, positions: &[u32]) -> Self {
        match self {
            Self::Units { units, scale } => {
                Self::Units { units: positions.iter().map(|p| units[*p as usize]).collect(), scale: *scale }
            }
            Self::Each(all) => Self::Each(positions.iter().map(|p| all[*p as usize]).collect()),
        }
    }

    /// Both in one form: integers of one scale, or each by itself.
    ///
    /// **Cost**: nothing where they have one; else one of them is made anew.
    pub fn met<'o>(&mut self, other: &'o Self) -> Cow<'o, Self> {
        let all: Vec<u32> = (0..u32::try_from(other.len()).unwrap_or(u32::MAX)).collect();
        match (self.unit_of(other, &all), other) {
            (Some(1), _) | (None, Self::Each(_)) => Cow::Borrowed(other),
            (Some(_), _) => {
                let mut own = self.like();
                own.extend(other, &all);
                Cow::Owned(own)
            }
            (None, _) => Cow::Owned(Self::Each(other.each().into_owned())),
        }
    }

    /// Makes these such that `positions` of others can be put among them: those are integers of the same
    /// scale times what is given back, or, where nothing is, these are each by itself.
    fn unit_of(&mut self, other: &Self, positions: &[u32]) -> Option<i64> {
        let unit = match (&mut *self, other) {
            (Self::Units { units, scale }, Self::Units { scale: longer, .. }) if units.is_empty() => {
                *scale = *longer;
                Some(1)
            }
            (Self::Units { units, scale }, Self::Units { scale: longer, .. }) if *scale < *longer => {
                raised(units, *longer - *scale).map(|raised| {
                    (*units, *scale) = (raised, *longer);
                    1
                })
            }
            (Self::Units { scale, .. }, Self::Units { units, scale: shorter }) => {
                let fits =
                    |unit: &i64| positions.iter().all(|p| units[*p as usize].checked_mul(*unit).is_some());
                Decimal::power(*scale - *shorter).filter(fits)
            }
            _ => None,
        };
        if let (None, Self::Units { .. }) = (unit, &*self) {
            *self = Self::Each(self.each().into_owned());
        }
        unit
    }

    /// Appends `positions` of others.
    pub fn extend(&mut self, other: &Self, positions: &[u32]) {
        let (unit, at) = (self.unit_of(other, positions), positions.iter().map(|p| *p as usize));
        match (self, other, unit) {
            (Self::Units { units, .. }, Self::Units { units: others, .. }, Some(unit)) => {
                units.extend(at.map(|i| others[i].wrapping_mul(unit)));
            }
            (Self::Each(all), other, _) => all.extend(at.map(|i| other.at(i))),
            // `unit_of` has made one of these of them.
            _ => {}
        }
    }

    /// Copies `positions` of as many others over those of these.
    pub fn assign(&mut self, other: &Self, positions: &[u32]) {
        let (unit, at) = (self.unit_of(other, positions), positions.iter().map(|p| *p as usize));
        match (self, other, unit) {
            (Self::Units { units, .. }, Self::Units { units: others, .. }, Some(unit)) => {
                at.for_each(|i| units[i] = others[i].wrapping_mul(unit));
            }
            (Self::Each(all), other, _) => at.for_each(|i| all[i] = other.at(i)),
            // `unit_of` has made one of these of them.
            _ => {}
        }
    }

    /// Gives `positions` a decimal.
    pub fn fill(&mut self, positions: &[u32], decimal: Decimal) {
        if let Self::Units { units, scale } = self {
            if let Some(n) = decimal.units(*scale) {
                return positions.iter().for_each(|p| units[*p as usize] = n);
            }
            *self = Self::Each(self.each().into_owned());
        }
        if let Self::Each(all) = self {
            positions.iter().for_each(|p| all[*p as usize] = decimal);
        }
    }

    /// Makes them `len`; those that are new are arbitrary.
    pub fn resize(&mut self, len: usize) {
        match self {
            Self::Units { units, .. } => units.resize(len, 0),
            Self::Each(all) => all.resize(len, Decimal::default()),
        }
    }
}
