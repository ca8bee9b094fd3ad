//! Decimal integers, eight digits at a step.
//!
//! Source: Lemire, "Quickly parsing eight digits" (2018).

const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// An optional sign and 1 or more digits, nothing around them; `None` too when it does not fit 64 bits.
#[inline]
pub(crate) fn parse_int(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        (b'+', rest) => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() {
        return None;
    }
    if digits.len() > 18 {
        return parse_long(digits, negative);
    }
    if let (Some(first), Some(last), 9..=16) =
        (digits.first_chunk::<8>(), digits.last_chunk::<8>(), digits.len())
    {
        // Of the last eight, those that the first eight have already are read as zeros.
        let count = digits.len() - 8;
        let known = (1u64 << (64 - 8 * count)) - 1;
        let last = (u64::from_le_bytes(*last) & !known) | (0x3030_3030_3030_3030 & known);
        let high = u64::from(eight_digits(*first)?) * POWERS[count];
        let value = (high + u64::from(eight_digits(last.to_le_bytes())?)).cast_signed();
        return Some(if negative { -value } else { value });
    }
    let mut value: u64 = 0;
    let mut rest = digits;
    while let Some((eight, after)) = rest.split_first_chunk::<8>() {
        value = value * 100_000_000 + u64::from(eight_digits(*eight)?);
        rest = after;
    }
    for &byte in rest {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    // At most 18 digits: below 10^18, which is below 2^63.
    let value = value.cast_signed();
    Some(if negative { -value } else { value })
}

#[cold]
fn parse_long(digits: &[u8], negative: bool) -> Option<i64> {
    let mut value: i64 = 0;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?;
        value = if negative { value.checked_sub(digit.into())? } else { value.checked_add(digit.into())? };
    }
    Some(value)
}

#[inline]
fn eight_digits(bytes: [u8; 8]) -> Option<u32> {
    let word = u64::from_le_bytes(bytes);
    let high = word & 0xF0F0_F0F0_F0F0_F0F0;
    let carried = word.wrapping_add(0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0;
    if high != 0x3030_3030_3030_3030 || carried != 0x3030_3030_3030_3030 {
        return None;
    }
    let pairs = (word & 0x0F0F_0F0F_0F0F_0F0F).wrapping_mul(2561) >> 8;
    let fours = (pairs & 0x00FF_00FF_00FF_00FF).wrapping_mul(6_553_601) >> 16;
    let eight = (fours & 0x0000_FFFF_0000_FFFF).wrapping_mul(42_949_672_960_001) >> 32;
    u32::try_from(eight).ok()
}
