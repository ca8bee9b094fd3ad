//! Rounds a float: to a whole number, or to a number of decimal digits, on its shortest decimal text, so that
//! 2.675 is a tie as it reads.

/// Whether `i64` holds a number without its fraction.
#[inline]
pub(crate) fn is_whole_within(number: f64) -> bool {
    const END: f64 = 9_223_372_036_854_775_808.0;
    (-END..END).contains(&number)
}

/// Towards zero; `None` outside `i64`.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
pub(crate) fn whole(number: f64) -> Option<i64> {
    is_whole_within(number).then_some(number as i64)
}

/// To the nearest whole number, ties up.
#[inline]
pub(crate) fn round_half_up(x: f64) -> f64 {
    let floor = x.floor();
    if x - floor >= 0.5 { floor + 1.0 } else { floor }
}

/// What happens to the digits cut off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// Away from zero.
    Up,
    /// Towards zero.
    Down,
    /// Towards positive infinity.
    Ceiling,
    /// Towards negative infinity.
    Floor,
    /// To the nearest, ties away from zero.
    HalfUp,
    /// To the nearest, ties towards zero.
    HalfDown,
    /// To the nearest, ties to an even digit.
    HalfEven,
}

impl Mode {
    /// The mode called `name`, whatever its case.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name.to_ascii_uppercase().as_str() {
            "UP" => Self::Up,
            "DOWN" => Self::Down,
            "CEILING" => Self::Ceiling,
            "FLOOR" => Self::Floor,
            "HALF_UP" => Self::HalfUp,
            "HALF_DOWN" => Self::HalfDown,
            "HALF_EVEN" => Self::HalfEven,
            _ => return None,
        })
    }

    /// Whether the kept part grows by one unit: `odd` is its last digit's parity, `cut` the digits cut off.
    fn rounds_away(self, negative: bool, odd: bool, cut: &str) -> bool {
        let nothing = cut.bytes().all(|digit| digit == b'0');
        let tie = cut.starts_with('5') && cut.bytes().skip(1).all(|digit| digit == b'0');
        let above_half = !tie && cut.as_bytes().first().is_some_and(|digit| *digit >= b'5');
        match self {
            _ if nothing => false,
            Self::Up => true,
            Self::Down => false,
            Self::Ceiling => !negative,
            Self::Floor => negative,
            Self::HalfUp => above_half || tie,
            Self::HalfDown => above_half,
            Self::HalfEven => above_half || tie && odd,
        }
    }
}

/// `number` rounded to `digits` digits after the point. Infinities and NaN stay.
#[inline]
pub(crate) fn round_decimal(number: f64, digits: usize, mode: Mode) -> f64 {
    match scale_of(digits, mode).map(|scale| nearest(number, scale)) {
        Some((rounded, true)) => rounded,
        _ => round_text(number, digits, mode),
    }
}

/// What a number is multiplied with so that the digits that are asked for stand before the point, where
/// [`nearest`] rounds as the mode does.
pub(crate) fn scale_of(digits: usize, mode: Mode) -> Option<f64> {
    const SCALES: [f64; 10] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
    let is_nearest = matches!(mode, Mode::HalfUp | Mode::HalfDown | Mode::HalfEven);
    SCALES.get(digits).copied().filter(|_| is_nearest)
}

/// The same as on the text where the nearest is asked for, and whether the number is so far from a tie that
/// it is: else it is arbitrary. Without a branch or a call, so that a loop of it is done in vectors.
///
/// The number is within half of its last bit of its text, and the product within half of its own: together
/// the scaled number is off by at most 2^-52 of it. Four times as far from a tie it rounds as the text does.
/// To the nearest whole number it is rounded by the addition of 2^52, whose last bit is one, which differs
/// from rounding a half up at ties only. The whole number, below 2^40, and the power of ten are exact, so
/// that their quotient is the float nearest to the decimal, which is what reading its text gives.
#[inline(always)]
pub(crate) fn nearest(number: f64, scale: f64) -> (f64, bool) {
    const END: f64 = (1u64 << 40) as f64;
    const NEAR: f64 = 1.0 / (1u64 << 50) as f64;
    const ONES: f64 = (1u64 << 52) as f64;
    let scaled = number.abs() * scale;
    let whole = (scaled + ONES) - ONES;
    let from_tie = 0.5 - (scaled - whole).abs();
    // Of what is no number neither holds.
    let is_clear = (scaled < END) & (from_tie > scaled * NEAR);
    ((whole / scale).copysign(number), is_clear)
}

/// The same on the number's text.
fn round_text(number: f64, digits: usize, mode: Mode) -> f64 {
    let text = number.abs().to_string();
    let Some((whole, fraction)) = text.split_once('.') else { return number };
    let Some((kept, cut)) = fraction.split_at_checked(digits) else { return number };
    let mut decimal: Vec<u8> = whole.bytes().chain(kept.bytes()).collect();
    let odd = decimal.last().is_some_and(|digit| digit % 2 == 1);
    if mode.rounds_away(number.is_sign_negative(), odd, cut) {
        increment(&mut decimal);
    }
    let point = decimal.len() - kept.len();
    let mut text = String::from_utf8_lossy(&decimal).into_owned();
    text.insert(point, '.');
    text.push('0');
    text.parse::<f64>().map_or(number, |rounded| rounded.copysign(number))
}

/// Adds one to a number written in ASCII digits.
fn increment(decimal: &mut Vec<u8>) {
    for digit in decimal.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return;
        }
        *digit = b'0';
    }
    decimal.insert(0, b'1');
}

#[cfg(test)]
mod tests {
    use super::{Mode, nearest, round_text, scale_of};
    use trimorph_base::Random;

    #[test]
    fn numbers_round_as_their_texts_do() {
        let mut random = Random::new(5);
        let mut fast = 0;
        for _ in 0..200_000 {
            let digits = random.below(11);
            let size = 10f64.powi(i32::try_from(random.between(-12, 14)).unwrap());
            let mut number = (random.between(-1_000_000, 1_000_000) as f64) / 1e6 * size;
            if random.chance(30) {
                // Few digits, so that ties come up.
                number = (number * 1e3).round() / 1e3;
            }
            let mode = *random.pick(&[Mode::HalfUp, Mode::HalfDown, Mode::HalfEven]);
            let found = scale_of(digits, mode).map(|scale| nearest(number, scale));
            if let Some((found, true)) = found {
                fast += 1;
                let expected = round_text(number, digits, mode);
                assert_eq!(found.to_bits(), expected.to_bits(), "{number:?} {digits} {mode:?}");
            }
        }
        assert!(fast > 50_000, "{fast}");
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX] {
            assert!(!nearest(number, 100.0).1);
        }
        for tie in [2.675, 0.125, 1.005, 1e9 + 0.5] {
            assert!(!nearest(tie, if tie < 1e9 { 100.0 } else { 1.0 }).1, "{tie}");
        }
        let (found, is_clear) = nearest(-0.001, 100.0);
        assert_eq!((found.to_bits(), is_clear), ((-0.0f64).to_bits(), true));
        assert!(scale_of(10, Mode::HalfUp).is_none() && scale_of(2, Mode::Up).is_none());
    }
}
