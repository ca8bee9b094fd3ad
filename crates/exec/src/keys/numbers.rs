//! Numbers as words, in one of two forms: equal numbers have equal words in each, whatever vectors they come
//! in, and other numbers have others.
//!
//! ```text
//! common   a whole number is the word of an integer, others are words of floats
//! floats   what a float can be exactly is the word of a float, other integers stay integers
//! ```
//!
//! In the common form, prices and ratings would be words of two kinds, which each loop has to tell apart
//! value by value. So a key whose first values are floats, not all of them whole, has the other one for good.

use trimorph_types::number::exact_int;
use trimorph_vector::{Number, Values, Vector};

use super::encode::{TAG_FLOAT, TAG_INT, float_key};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NumberForm {
    Common,
    Floats,
}

impl NumberForm {
    /// The form for a key whose first values are those at `positions`.
    pub(crate) fn for_values(vector: &Vector<'_>, positions: &[u32]) -> Self {
        let is_whole = |i: usize| match &vector.values {
            Values::Float(floats) => exact_int(floats[i]).is_some(),
            Values::Number(numbers) => match numbers.get(i) {
                Number::Int(_) => true,
                Number::Float(float) => exact_int(float).is_some(),
            },
            _ => true,
        };
        let all = positions.iter().map(|p| *p as usize).all(|i| vector.nulls.get(i) || is_whole(i));
        if all { Self::Common } else { Self::Floats }
    }

    /// A word of the common form in this one.
    #[inline(always)]
    pub(crate) fn of(self, (tag, bits): (u8, u64)) -> (u8, u64) {
        if self == Self::Common || tag != TAG_INT {
            return (tag, bits);
        }
        let int = bits.cast_signed();
        // Nearest, which is exact if it is equal.
        let float = int as f64;
        if exact_int(float) == Some(int) { (TAG_FLOAT, float.to_bits()) } else { (tag, bits) }
    }

    /// A word of this form in the common one.
    #[inline(always)]
    pub(crate) fn common(self, (tag, bits): (u8, u64)) -> (u8, u64) {
        if self == Self::Floats && tag == TAG_FLOAT { float_key(f64::from_bits(bits)) } else { (tag, bits) }
    }

    /// Whether words of a tag are the same in both forms.
    pub(crate) fn is_common(self, tag: u8) -> bool {
        self == Self::Common || !matches!(tag, TAG_INT | TAG_FLOAT)
    }

    /// The bits of floats, or of numbers all of which floats can be, in the form of floats: their tag is
    /// returned. Those of nulls are arbitrary. `None` for others, and in the common form.
    ///
    /// **Cost**: no branch a float.
    pub(crate) fn float_bits(self, vector: &Vector<'_>, positions: &[u32], out: &mut Vec<u64>) -> Option<u8> {
        if self == Self::Common {
            return None;
        }
        out.clear();
        let at = positions.iter().map(|p| *p as usize);
        // There is one NaN, and -0.0 + 0.0 is 0.0.
        let bits = |f: f64| if f.is_nan() { f64::NAN.to_bits() } else { (f + 0.0).to_bits() };
        let mut are_floats = true;
        match &vector.values {
            Values::Float(floats) => out.extend(at.map(|i| bits(floats[i]))),
            Values::Number(numbers) => out.extend(at.map(|i| match numbers.get(i) {
                Number::Float(float) => bits(float),
                Number::Int(int) => {
                    let float = int as f64;
                    are_floats &= exact_int(float) == Some(int);
                    float.to_bits()
                }
            })),
            _ => are_floats = false,
        }
        are_floats.then_some(TAG_FLOAT)
    }
}
