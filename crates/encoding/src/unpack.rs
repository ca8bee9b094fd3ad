//! Codes of any width, eight at a time: eight codes of B bits are B whole bytes, so that where each is, and
//! by how much it is shifted, are constants of a loop made for B.

/// Codes that begin at a whole byte together.
pub(crate) const GROUP: usize = 8;

/// One load may read this much more than the last code's bytes.
const LOAD_BYTES: usize = 8;

/// Eight codes of `B` bits, from the beginning of `bytes` on, which has `B` and eight more.
#[inline(always)]
fn group<const B: usize>(bytes: &[u8]) -> [u64; GROUP] {
    let mut codes = [0; GROUP];
    for (i, code) in codes.iter_mut().enumerate() {
        let bit = i * B;
        // Never missing; a length that is known needs no test.
        let word =
            bytes.get(bit / 8..).and_then(|b| b.first_chunk::<8>()).map_or(0, |raw| u64::from_le_bytes(*raw));
        *code = (word >> (bit % 8)) & ((1 << B) - 1);
    }
    codes
}

/// Calls `take` with one group of `bytes` after the other, `groups` of them or as many as there are.
#[inline(always)]
fn groups<const B: usize>(bytes: &[u8], groups: usize, mut take: impl FnMut([u64; GROUP])) {
    for k in 0..groups {
        let Some(bytes) = bytes.get(k * B..k * B + B + LOAD_BYTES) else { return };
        take(group::<B>(bytes));
    }
}

/// Gives `groups` groups of codes of `bits` bits, 1 to 56, that `bytes` begins with to `take`, one after the
/// other, or as many as there are.
///
/// **Cost**: a load, a shift and a mask a code, without a branch.
#[inline(always)]
pub(crate) fn each_group(bits: u8, bytes: &[u8], count: usize, take: impl FnMut([u64; GROUP])) {
    macro_rules! of_width {
        ($($b:literal)*) => {
            match bits {
                $($b => groups::<$b>(bytes, count, take),)*
                _ => {}
            }
        };
    }
    of_width!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35
        36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56);
}
