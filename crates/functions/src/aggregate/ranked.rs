//! Numbers of one type of which those at certain places of their order are wanted.
//!
//! 1. A number is kept as 64 bits that order as numbers of its type do.
//! 2. Once there are many, and they lie close together, as ages, lengths and years do, it is counted how
//!    often each comes; what lies outside the counted window is kept as before.
//! 3. The one at a place is found by one byte after the other, the highest first.

use std::borrow::Cow;

use trimorph_base::Diagnostic;
use trimorph_types::Value;

use crate::steps::Steps;

/// Numbers from which on they are counted, if they lie close together.
const COUNTED_MIN: usize = 1 << 16;
/// Different numbers that are counted.
const WINDOW: usize = 1 << 16;
/// Numbers up to which they are put in order: more are told apart byte by byte.
const SORTED_MAX: usize = 512;
/// Numbers that are looked at between two looks at the flag that cancels.
const UNCHECKED: usize = 1 << 20;

/// What the bits are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Int,
    Float,
}

impl Kind {
    /// Unsigned, they order as signed ones; of floats both zeros are one, and NaN is the largest.
    pub(super) fn word(value: &Value) -> Option<(Self, u64)> {
        match value {
            Value::Int(n) => Some((Self::Int, of_int(*n))),
            Value::Float(x) => Some((Self::Float, of_float(*x))),
            _ => None,
        }
    }

    fn value(self, word: u64) -> Value {
        match self {
            Self::Int => Value::Int((word ^ 1 << 63).cast_signed()),
            Self::Float if word == u64::MAX => Value::Float(f64::NAN),
            Self::Float => Value::Float(f64::from_bits(if word >> 63 == 1 { word ^ 1 << 63 } else { !word })),
        }
    }
}

/// An integer as such bits.
#[inline]
pub(super) fn of_int(n: i64) -> u64 {
    n.cast_unsigned() ^ 1 << 63
}

/// A float as such bits.
#[inline]
pub(super) fn of_float(x: f64) -> u64 {
    if x.is_nan() {
        return u64::MAX;
    }
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// How often each of the numbers from one on came.
#[derive(Clone, Debug)]
struct Window {
    first: u64,
    counts: Vec<u64>,
    taken: u64,
}

/// Numbers of one type.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranked {
    kind: Option<Kind>,
    words: Vec<u64>,
    window: Option<Window>,
    /// Whether it was looked whether they lie close together.
    is_tried: bool,
}

impl Ranked {
    /// Forgets all, and keeps the room.
    pub(super) fn clear(&mut self) {
        self.words.clear();
        (self.kind, self.window, self.is_tried) = (None, None, false);
    }

    /// How many there are.
    pub(super) fn len(&self) -> u64 {
        self.words.len() as u64 + self.window.as_ref().map_or(0, |window| window.taken)
    }

    /// Whether numbers of a type are taken.
    #[inline]
    pub(super) fn takes(&self, kind: Kind) -> bool {
        self.kind.is_none_or(|own| own == kind)
    }

    /// Whether those of another are taken.
    pub(super) fn takes_those_of(&self, other: &Self) -> bool {
        other.kind.is_none_or(|kind| self.takes(kind))
    }

    /// Takes one in if that needs no room that is not there.
    #[inline]
    pub(super) fn push(&mut self, kind: Kind, word: u64) -> bool {
        if let Some(window) = &mut self.window
            && self.kind == Some(kind)
            && let Some(count) = window.counts.get_mut(place(window.first, word))
        {
            *count += 1;
            window.taken += 1;
            return true;
        }
        let fits = self.takes(kind) && self.words.len() < self.words.capacity();
        if fits {
            self.kind = Some(kind);
            self.words.push(word);
            self.count_close_ones();
        }
        fits
    }

    /// Takes many in.
    pub(super) fn extend(&mut self, kind: Kind, words: impl ExactSizeIterator<Item = u64>) {
        let growth = self.growth_cells(words.len());
        if growth > 0 {
            self.words.reserve_exact(growth - self.words.len());
        }
        for word in words {
            if !self.push(kind, word) {
                self.kind = Some(kind);
                self.words.push(word);
            }
        }
    }

    /// Cells of the list that is to be allocated before so many more can come; 0 where there is room.
    pub(super) fn growth_cells(&self, more: usize) -> usize {
        let needed = self.words.len() + more;
        let grows = needed > self.words.capacity() && self.window.is_none();
        if grows { needed.max(self.words.capacity() * 2) } else { 0 }
    }

    /// Counts them from now on, if there are enough and they lie close together.
    #[inline]
    fn count_close_ones(&mut self) {
        if self.words.len() >= COUNTED_MIN && !self.is_tried {
            self.open_window();
        }
    }

    #[cold]
    fn open_window(&mut self) {
        self.is_tried = true;
        let (least, most) = self.words.iter().fold((u64::MAX, 0), |(a, b), w| (a.min(*w), b.max(*w)));
        let width = most - least;
        if width >= WINDOW as u64 {
            return;
        }
        // As much room on either side.
        let first = least.saturating_sub((WINDOW as u64 - width) / 2).min(u64::MAX - WINDOW as u64);
        let mut window = Window { first, counts: vec![0; WINDOW], taken: self.words.len() as u64 };
        for word in std::mem::take(&mut self.words) {
            window.counts[place(first, word)] += 1;
        }
        self.window = Some(window);
    }

    /// Takes in those of another, which are of the same type.
    pub(super) fn merge(&mut self, mut other: Self) {
        let Some(kind) = other.kind else { return };
        if self.window.is_none() && other.window.is_some() {
            std::mem::swap(self, &mut other);
        }
        self.kind = Some(kind);
        self.extend(kind, other.words.into_iter());
        if let Some(theirs) = other.window {
            for (word, count) in (theirs.first..).zip(theirs.counts).filter(|(_, count)| *count > 0) {
                self.add(word, count);
            }
        }
    }

    fn add(&mut self, word: u64, count: u64) {
        match &mut self.window {
            Some(window) if place(window.first, word) < WINDOW => {
                window.counts[place(window.first, word)] += count;
                window.taken += count;
            }
            _ => self.words.extend((0..count).map(|_| word)),
        }
    }

    /// All of them as values, each with how often it came: in the order they came where they are not counted.
    pub(super) fn into_values(self) -> impl Iterator<Item = (Value, u64)> {
        let kind = self.kind.unwrap_or(Kind::Int);
        let counted = self.window.into_iter().flat_map(|window| (window.first..).zip(window.counts));
        let counted = counted.filter(|(_, count)| *count > 0);
        counted
            .chain(self.words.into_iter().map(|word| (word, 1)))
            .map(move |(word, count)| (kind.value(word), count))
    }

    /// The one at a place of their order; the last where there are not so many, null where there are none.
    pub(super) fn at(&self, place: u64, steps: &mut Steps<'_>) -> Result<Value, Diagnostic> {
        let Some(kind) = self.kind.filter(|_| self.len() > 0) else { return Ok(Value::Null) };
        let place = place.min(self.len() - 1);
        let Some(window) = &self.window else { return Ok(kind.value(nth(&self.words, place, steps)?)) };
        // What is not counted lies below the window or above it.
        let (below, above): (Vec<u64>, _) = self.words.iter().copied().partition(|word| *word < window.first);
        let Some(mut rest) = place.checked_sub(below.len() as u64) else {
            return Ok(kind.value(nth(&below, place, steps)?));
        };
        for (word, count) in (window.first..).zip(&window.counts) {
            match rest.checked_sub(*count) {
                Some(left) => rest = left,
                None => return Ok(kind.value(word)),
            }
        }
        Ok(kind.value(nth(&above, rest, steps)?))
    }

    /// Bytes held.
    pub(super) fn heap_bytes(&self) -> usize {
        let window = self.window.as_ref().map_or(0, |window| window.counts.capacity());
        (self.words.capacity() + window) * size_of::<u64>()
    }
}

/// Where a number stands in a window, if it does.
#[inline]
fn place(first: u64, word: u64) -> usize {
    usize::try_from(word.wrapping_sub(first)).unwrap_or(usize::MAX)
}

/// The one at a place of all sorted ones, by one byte after the other, the highest first: those with another
/// byte than the wanted one's are left out. The last where there are not so many.
fn nth(words: &[u64], place: u64, steps: &mut Steps<'_>) -> Result<u64, Diagnostic> {
    let mut rest = usize::try_from(place).unwrap_or(usize::MAX).min(words.len().saturating_sub(1));
    if (1..=SORTED_MAX).contains(&words.len()) {
        return Ok(*words.to_vec().select_nth_unstable(rest).1);
    }
    let mut left = Cow::Borrowed(words);
    // Bytes that are the same everywhere leave none out.
    let first = left.first().copied().unwrap_or_default();
    let differ = left.iter().fold(0, |bits, word| bits | (word ^ first));
    let start = 64 - (differ.leading_zeros() / 8) * 8;
    for shift in (0..8).rev().map(|byte| byte * 8).filter(|shift| *shift < start) {
        let byte = |word: u64| usize::from((word >> shift) as u8);
        let mut counts = [0_usize; 256];
        for some in left.chunks(UNCHECKED) {
            steps.look()?;
            some.iter().for_each(|word| counts[byte(*word)] += 1);
        }
        let mut before = 0;
        let Some(wanted) = counts.iter().position(|count| {
            before += count;
            before > rest
        }) else {
            break;
        };
        rest -= before - counts[wanted];
        if counts[wanted] < left.len() {
            left = Cow::Owned(left.iter().copied().filter(|word| byte(*word) == wanted).collect());
        }
    }
    Ok(left.first().copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use trimorph_base::Random;

    use super::*;

    /// Numbers of a type, far from each other, close to each other, or both.
    fn numbers(random: &mut Random, kind: Kind, len: usize) -> Vec<Value> {
        let (close, rest) = (*random.pick(&[0, 70, 100]), random.below(2));
        let number = |random: &mut Random| match kind {
            Kind::Int if random.chance(close) => Value::Int(random.between(-20_000, 20_000)),
            Kind::Int if rest == 0 => Value::Int(*random.pick(&[i64::MIN, i64::MAX, -1, 0, 1 << 40])),
            Kind::Int => Value::Int(random.bits().cast_signed()),
            Kind::Float if rest == 0 => {
                Value::Float(*random.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.5, 0.0, 1e300]))
            }
            Kind::Float => Value::Float(random.between(-1_000, 1_000) as f64 / 8.0),
        };
        (0..len).map(|_| number(random)).collect()
    }

    fn taken(numbers: &[Value]) -> Ranked {
        let mut ranked = Ranked::default();
        for chunk in numbers.chunks(1_000) {
            let (kind, _) = Kind::word(&chunk[0]).unwrap();
            let words: Vec<u64> = chunk.iter().map(|value| Kind::word(value).unwrap().1).collect();
            ranked.extend(kind, words.into_iter());
        }
        ranked
    }

    #[test]
    fn those_at_places_are_those_of_a_sorted_list() {
        let mut random = Random::new(3);
        let mut steps = Steps::new(None);
        let mut counted = 0;
        for round in 0..40 {
            let kind = [Kind::Int, Kind::Float][round % 2];
            let mut all = Vec::new();
            let mut ranked = Ranked::default();
            // Parts are merged; some of them are large enough to be counted.
            for _ in 0..1 + random.below(3) {
                let len = *random.pick(&[1, 50, COUNTED_MIN - 1, COUNTED_MIN, 2 * COUNTED_MIN]);
                let part = numbers(&mut random, kind, len);
                ranked.merge(taken(&part));
                all.extend(part);
            }
            counted += usize::from(ranked.window.is_some());
            assert_eq!(ranked.len(), all.len() as u64);
            all.sort_by(trimorph_types::order);
            for _ in 0..12 {
                let place = random.below(all.len());
                let found = ranked.at(place as u64, &mut steps).unwrap();
                assert_eq!(format!("{found:?}"), format!("{:?}", all[place]), "round {round}, place {place}");
            }
            let mut again =
                ranked.into_values().flat_map(|(v, n)| (0..n).map(move |_| v.clone())).collect::<Vec<_>>();
            again.sort_by(trimorph_types::order);
            assert_eq!(format!("{again:?}"), format!("{all:?}"), "round {round}");
        }
        assert!(counted > 5, "only {counted} were counted");
    }

    #[test]
    fn floats_order_as_their_bits() {
        let floats = [
            f64::NEG_INFINITY,
            -2.5,
            -f64::MIN_POSITIVE,
            0.0,
            f64::MIN_POSITIVE,
            1.0,
            f64::INFINITY,
            f64::NAN,
        ];
        for (a, b) in floats.iter().zip(&floats[1..]) {
            assert!(of_float(*a) < of_float(*b), "{a} {b}");
        }
        for float in floats {
            assert_eq!(
                format!("{:?}", Kind::Float.value(of_float(float))),
                format!("{:?}", Value::Float(float))
            );
        }
        assert_eq!(of_float(-0.0), of_float(0.0));
    }
}
