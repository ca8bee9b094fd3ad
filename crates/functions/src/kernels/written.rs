//! Integers, dates and moments written as texts, digit by digit.

use std::sync::Arc;

use trimorph_vector::{Dictionary, Nulls, Positions, Texts, Values, Vector};

use super::calendar::{DAY, civil, days_of_nanos};

/// Bytes of the longest text that is written here, with room to spare: `-9223372036854775808`, or a moment
/// with nine digits of a second.
const LINE_BYTES: usize = 40;

/// Rows for each number that may come from which on all of them are written once.
const ROWS_OF_ENTRY: usize = 8;

/// One text while it is written.
pub(super) struct Line {
    bytes: [u8; LINE_BYTES],
    len: usize,
}

impl Line {
    /// Appends bytes; what has no room is left out.
    #[inline(always)]
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if let Some(room) = self.bytes.get_mut(self.len..self.len + bytes.len()) {
            room.copy_from_slice(bytes);
            self.len += bytes.len();
        }
    }

    /// Appends the last `N` digits of a number.
    #[inline(always)]
    fn digits<const N: usize>(&mut self, mut number: u64) {
        let mut digits = [b'0'; N];
        for digit in digits.iter_mut().rev() {
            *digit += u8::try_from(number % 10).unwrap_or(0);
            number /= 10;
        }
        self.push(&digits);
    }

    pub(super) fn integer(&mut self, number: i64) {
        self.push(itoa::Buffer::new().format(number).as_bytes());
    }

    /// `2012-07-21`; years of more than four digits have a sign.
    #[inline(always)]
    pub(super) fn date(&mut self, days: i32) {
        let (year, month, day) = civil(days);
        match year {
            0..=9_999 => self.digits::<4>(year.unsigned_abs()),
            _ => {
                self.push(if year < 0 { b"-" } else { b"+" });
                match year.unsigned_abs() {
                    year @ 0..=9_999 => self.digits::<4>(year),
                    year => self.push(itoa::Buffer::new().format(year).as_bytes()),
                }
            }
        }
        self.push(b"-");
        self.digits::<2>(month.unsigned_abs());
        self.push(b"-");
        self.digits::<2>(day.unsigned_abs());
    }

    /// `12:30`, `12:30:05` or with 3, 6 or 9 digits of a second, from nanoseconds of a day.
    #[inline(always)]
    pub(super) fn time(&mut self, nanos: i64) {
        let nanos = nanos.unsigned_abs();
        let (seconds, nanos) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
        self.digits::<2>(seconds / 3_600);
        self.push(b":");
        self.digits::<2>(seconds / 60 % 60);
        if seconds % 60 == 0 && nanos == 0 {
            return;
        }
        self.push(b":");
        self.digits::<2>(seconds % 60);
        if nanos == 0 {
            return;
        }
        self.push(b".");
        if nanos.is_multiple_of(1_000_000) {
            self.digits::<3>(nanos / 1_000_000);
        } else if nanos.is_multiple_of(1_000) {
            self.digits::<6>(nanos / 1_000);
        } else {
            self.digits::<9>(nanos);
        }
    }

    /// `12:30:00`, with as many digits of a second as it has.
    #[inline(always)]
    fn canonical_time(&mut self, nanos: i64) {
        let nanos = nanos.unsigned_abs();
        let (seconds, nanos) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
        self.digits::<2>(seconds / 3_600);
        self.push(b":");
        self.digits::<2>(seconds / 60 % 60);
        self.push(b":");
        self.digits::<2>(seconds % 60);
        if nanos > 0 {
            self.push(b".");
            self.digits::<9>(nanos);
            while self.bytes[self.len - 1] == b'0' {
                self.len -= 1;
            }
        }
    }

    /// `2012-07-21T12:30`, from nanoseconds since the epoch.
    #[inline(always)]
    pub(super) fn moment(&mut self, nanos: i64) {
        self.date(days_of_nanos(nanos));
        self.push(b"T");
        self.time(nanos.rem_euclid(DAY));
    }
}

/// Instants in UTC as XML Schema writes them, `2012-07-21T12:30:00.5Z`, from nanoseconds since the epoch.
pub(crate) fn canonical_moments<'s>(nanos: &[i64], nulls: &Nulls, at: Positions<'_>) -> Texts<'s> {
    written_texts(nulls, at, |i, line| {
        // Years of 64 bits of nanoseconds have four digits.
        line.date(days_of_nanos(nanos[i]));
        line.push(b"T");
        line.canonical_time(nanos[i].rem_euclid(DAY));
        line.push(b"Z");
    })
}

/// What `write` writes for each that is not null.
pub(super) fn written<'s>(nulls: &Nulls, at: Positions<'_>, write: impl Fn(usize, &mut Line)) -> Vector<'s> {
    Vector { values: Values::String(written_texts(nulls, at, write)), nulls: nulls.clone() }
}

fn written_texts<'s>(nulls: &Nulls, at: Positions<'_>, write: impl Fn(usize, &mut Line)) -> Texts<'s> {
    let mut texts = Texts::blank(at.len);
    let mut positions = Vec::with_capacity(at.len);
    at.for_each(|i| {
        if !nulls.get(i) {
            positions.push(i);
        }
    });
    texts.set_many(positions.into_iter().map(|i| (i, LINE_BYTES, i)), |i, room| {
        let mut line = Line { bytes: [0; LINE_BYTES], len: 0 };
        write(i, &mut line);
        room.extend(&line.bytes[..line.len]);
    });
    texts
}
/// As [`written`], of numbers. Those that lie close together, as years, months and days of some weeks do, are
/// each written once: the texts are a dictionary's.
pub(super) fn written_once<'s, T: Copy + Into<i64> + TryFrom<i64>>(
    numbers: &[T],
    nulls: &Nulls,
    at: Positions<'_>,
    write: impl Fn(T, &mut Line),
) -> Vector<'s> {
    let (mut least, mut most) = (i64::MAX, i64::MIN);
    at.for_each(|i| {
        if !nulls.get(i) {
            let number = numbers[i].into();
            (least, most) = (least.min(number), most.max(number));
        }
    });
    let count = most.checked_sub(least).and_then(|range| usize::try_from(range).ok()).map(|range| range + 1);
    match count {
        Some(count) if count <= at.count() / ROWS_OF_ENTRY => {
            let entries: Vec<T> = (least..=most).filter_map(|number| T::try_from(number).ok()).collect();
            let entries =
                written(&Nulls::NONE, Positions::all(entries.len()), |i, line| write(entries[i], line));
            let Values::String(entries) = entries.values else { return Vector::nulls(at.len) };
            let code = |number: T| u32::try_from(number.into().wrapping_sub(least)).unwrap_or(0);
            let last = count as u32 - 1;
            // What is not meant is any.
            let codes = numbers.iter().map(|number| code(*number).min(last)).collect();
            let texts = Texts::coded(codes, &Arc::new(Dictionary::new(entries)));
            Vector { values: Values::String(texts), nulls: nulls.clone() }
        }
        _ => written(nulls, at, |i, line| write(numbers[i], line)),
    }
}
