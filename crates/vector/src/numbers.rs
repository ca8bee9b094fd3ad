//! Integers and floats beside each other, as `CASE WHEN … THEN 0.5 ELSE 0 END` gives them: 64 bits each, and
//! which of them are floats. Each stays what it is.

use trimorph_types::Value;

/// Integers and floats, one for each position.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// Of an integer itself, of a float its bits.
    bits: Vec<u64>,
    floats: Vec<bool>,
}

/// One of them.
#[derive(Clone, Copy, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names are the types'")]
pub enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    #[inline]
    fn of(bits: u64, is_float: bool) -> Self {
        if is_float { Self::Float(f64::from_bits(bits)) } else { Self::Int(bits.cast_signed()) }
    }

    /// The nearest float.
    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "floats are approximate")]
    pub fn float(self) -> f64 {
        match self {
            Self::Int(i) => i as f64,
            Self::Float(f) => f,
        }
    }

    /// The same as a value.
    pub fn value(self) -> Value {
        match self {
            Self::Int(i) => Value::Int(i),
            Self::Float(f) => Value::Float(f),
        }
    }
}

impl Numbers {
    /// All of them integers.
    pub fn of_ints(ints: &[i64]) -> Self {
        let bits = ints.iter().map(|i| i.cast_unsigned()).collect();
        Self { bits, floats: vec![false; ints.len()] }
    }

    /// All of them floats.
    pub fn of_floats(floats: &[f64]) -> Self {
        let bits = floats.iter().map(|f| f.to_bits()).collect();
        Self { bits, floats: vec![true; floats.len()] }
    }

    /// Numbers of these bits, each that of a float or of an integer; none if there are not as many of both.
    pub fn new(bits: Vec<u64>, floats: Vec<bool>) -> Option<Self> {
        (bits.len() == floats.len()).then_some(Self { bits, floats })
    }

    /// The bits of each: of an integer itself, of a float its own.
    pub fn bits(&self) -> &[u64] {
        &self.bits
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.bits.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// The one at `i`, which must be below the length.
    #[inline]
    pub fn get(&self, i: usize) -> Number {
        Number::of(self.bits[i], self.floats[i])
    }

    /// Whether each is a float.
    pub fn floats(&self) -> &[bool] {
        &self.floats
    }

    /// How many there is room for, and bytes of each.
    pub fn cells(&self) -> (usize, usize) {
        (self.bits.capacity(), size_of::<u64>() + size_of::<bool>())
    }

    /// Those at the given positions, in that order.
    pub fn gather(&self, positions: &[u32]) -> Self {
        let at = || positions.iter().map(|p| *p as usize);
        Self { bits: at().map(|i| self.bits[i]).collect(), floats: at().map(|i| self.floats[i]).collect() }
    }

    /// Makes them `len`; those that are new are 0.
    pub(crate) fn resize(&mut self, len: usize) {
        self.bits.resize(len, 0);
        self.floats.resize(len, false);
    }

    /// A number as a float and as an integer, of which the one that it is not is zero; whether it is a float.
    #[inline(always)]
    pub fn parts(&self, i: usize) -> (f64, i64, bool) {
        let (bits, is_float) = (self.bits[i], self.floats[i]);
        // All bits, or none.
        let mask = 0u64.wrapping_sub(is_float.into());
        (f64::from_bits(bits & mask), (bits & !mask).cast_signed(), is_float)
    }

    /// Puts a number at the end.
    pub fn push(&mut self, number: Number) {
        let (bits, is_float) = parts(number);
        self.bits.push(bits);
        self.floats.push(is_float);
    }

    /// Puts a number in the place of another.
    #[inline]
    pub fn set(&mut self, i: usize, number: Number) {
        (self.bits[i], self.floats[i]) = parts(number);
    }
}

#[inline]
fn parts(number: Number) -> (u64, bool) {
    match number {
        Number::Int(i) => (i.cast_unsigned(), false),
        Number::Float(f) => (f.to_bits(), true),
    }
}
