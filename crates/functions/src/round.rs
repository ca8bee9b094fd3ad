//! Rounds a float: to a whole number, or to a number of decimal digits, on its shortest decimal text, so that
//! 2.675 is a tie as it reads.

/// Towards zero; `None` outside `i64`.
#[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
pub(crate) fn whole(number: f64) -> Option<i64> {
    const END: f64 = 9_223_372_036_854_775_808.0;
    (-END..END).contains(&number).then_some(number as i64)
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
pub(crate) fn round_decimal(number: f64, digits: usize, mode: Mode) -> f64 {
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
