//! The order of values of vectors: of two of them, nulls last; integers that order as values do; and places
//! of a vector sorted by keys.
//!
//! Hot loop: [`Sorter::sort`], one integer an element, with its place in the lowest bits, sorted without a
//! branch on types. Only elements whose integers are equal are looked at again.

use std::cmp::Ordering;

use trimorph_types::compare::{length, order_durations, order_times, order_zones};
use trimorph_types::{Decimal, Value, Zone, order};

use crate::{Values, Vector, by_id};

/// A key's column, and whether larger comes first.
pub type Key<'a, 's> = (&'a Vector<'s>, bool);

/// Orders two values of one vector: nulls last.
pub fn order_in(vector: &Vector<'_>, a: usize, b: usize) -> Ordering {
    if let Some(order) = of_nulls(vector.is_null(a), vector.is_null(b)) {
        return order;
    }
    // Edges in lists and maps go by their ids.
    typed(vector, a, vector, b).unwrap_or_else(|| general((vector, a), (vector, b)))
}

/// Orders a value of one vector and one of another as [`order_in`] does.
pub fn order_across(a: &Vector<'_>, i: usize, b: &Vector<'_>, j: usize) -> Ordering {
    if let Some(order) = of_nulls(a.is_null(i), b.is_null(j)) {
        return order;
    }
    typed(a, i, b, j).unwrap_or_else(|| general((a, i), (b, j)))
}

/// `None` where neither is null.
fn of_nulls(a: bool, b: bool) -> Option<Ordering> {
    match (a, b) {
        (true, true) => Some(Ordering::Equal),
        (true, false) => Some(Ordering::Greater),
        (false, true) => Some(Ordering::Less),
        (false, false) => None,
    }
}

fn general(a: (&Vector<'_>, usize), b: (&Vector<'_>, usize)) -> Ordering {
    order(&a.0.value(a.1, &by_id), &b.0.value(b.1, &by_id))
}

/// The order of two values that are no nulls; `None` where the types of the vectors ask for values.
pub fn typed(a: &Vector<'_>, i: usize, b: &Vector<'_>, j: usize) -> Option<Ordering> {
    Some(match (&a.values, &b.values) {
        (Values::Int(a), Values::Int(b))
        | (Values::LocalTime(a), Values::LocalTime(b))
        | (Values::LocalDateTime(a), Values::LocalDateTime(b))
        | (Values::DateTime(a), Values::DateTime(b)) => a[i].cmp(&b[j]),
        (Values::Bool(a), Values::Bool(b)) => a[i].cmp(&b[j]),
        (Values::Date(a), Values::Date(b)) => a[i].cmp(&b[j]),
        (Values::Float(a), Values::Float(b)) => order(&Value::Float(a[i]), &Value::Float(b[j])),
        (Values::Number(a), Values::Number(b)) => order(&a.get(i).value(), &b.get(j).value()),
        (Values::String(a), Values::String(b)) | (Values::Iri(a), Values::Iri(b)) => a.get(i).cmp(b.get(j)),
        (Values::Node(a), Values::Node(b)) => a.id(i).cmp(&b.id(j)),
        (Values::Edge(a), Values::Edge(b)) => a.id(i).cmp(&b.id(j)),
        (Values::Time(a), Values::Time(b)) => order_times(a[i], b[j]),
        (Values::Duration(a), Values::Duration(b)) => order_durations(&a[i], &b[j]),
        (Values::Decimal(a), Values::Decimal(b)) => match (a.units(), b.units()) {
            (Some((a, scale)), Some((b, other))) if scale == other => a[i].cmp(&b[j]),
            _ => a.at(i).cmp(&b.at(j)),
        },
        (Values::Zoned(a), Values::Zoned(b)) => a.values()[i]
            .cmp(&b.values()[j])
            .then_with(|| order_zones(a.tag(i).unwrap_or(&Zone::UTC), b.tag(j).unwrap_or(&Zone::UTC))),
        (Values::Literal(a), Values::Literal(b)) => {
            let texts = a.values().get(i).cmp(b.values().get(j));
            texts.then_with(|| match (a.tag(i), b.tag(j)) {
                (Some(a), Some(b)) => a.order(b),
                _ => Ordering::Equal,
            })
        }
        (Values::List(a), Values::List(b)) => {
            let elements = a.elements(i).zip(b.elements(j));
            let mut orders =
                elements.map(|(x, y)| order_across(a.child(), x as usize, b.child(), y as usize));
            orders.find(|order| order.is_ne()).unwrap_or_else(|| a.count(i).cmp(&b.count(j)))
        }
        (Values::Map(a), Values::Map(b)) | (Values::Tuple(a), Values::Tuple(b)) if a.has_keys_of(b) => {
            let mut orders = a.fields().iter().zip(b.fields()).map(|(x, y)| order_across(x, i, y, j));
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        }
        (Values::Any(a), Values::Any(b)) => order(&a[i], &b[j]),
        _ => return None,
    })
}

/// Appends integers that order as the values at positions do, or do not tell them apart; what those of nulls
/// are is not said. Says whether equal ones are of equal values; none where values have no such integers.
pub fn words_at(vector: &Vector<'_>, positions: &[u32], out: &mut Vec<u64>) -> Option<bool> {
    macro_rules! fill {
        ($of:expr) => {
            out.extend(positions.iter().map(|p| $of(*p as usize)))
        };
    }
    let is_exact = matches!(
        &vector.values,
        Values::Int(_)
            | Values::LocalTime(_)
            | Values::LocalDateTime(_)
            | Values::DateTime(_)
            | Values::Date(_)
            | Values::Bool(_)
            | Values::Float(_)
            | Values::Node(_)
            | Values::Edge(_)
    );
    match &vector.values {
        Values::Int(v) | Values::LocalTime(v) | Values::LocalDateTime(v) | Values::DateTime(v) => {
            fill!(|i: usize| signed(v[i]));
        }
        Values::Date(v) => fill!(|i: usize| signed(v[i].into())),
        Values::Bool(v) => fill!(|i: usize| u64::from(v[i])),
        Values::Float(v) => fill!(|i: usize| float(v[i])),
        Values::Node(v) => fill!(|i: usize| v.id(i).0),
        Values::Edge(v) => fill!(|i: usize| v.id(i).0),
        // Of these the integer is what mostly decides.
        Values::String(texts) | Values::Iri(texts) => fill!(|i: usize| first_bytes(texts.get(i))),
        Values::Literal(v) => fill!(|i: usize| first_bytes(v.values().get(i))),
        Values::Time(v) => fill!(|i: usize| {
            let offset = i64::from(v[i].offset_seconds) * 1_000_000_000;
            signed(v[i].nanos.saturating_sub(offset))
        }),
        Values::Zoned(v) => fill!(|i: usize| signed(v.values()[i])),
        Values::Number(v) => fill!(|i: usize| float(v.get(i).float())),
        Values::Duration(v) => fill!(|i: usize| signed(saturated(length(&v[i])))),
        Values::Decimal(v) => fill!(|i: usize| signed(billionths(v.at(i)))),
        Values::List(_) | Values::Map(_) | Values::Tuple(_) | Values::Any(_) => return None,
    }
    Some(is_exact)
}

/// The same of one vector whose integers are compared with no others: lists and maps go by the first value
/// that they have, too.
pub fn own_words_at(vector: &Vector<'_>, positions: &[u32], out: &mut Vec<u64>) -> Option<bool> {
    // A value that is there, its word; then those that are null.
    let there = |word: u64| 1 << 62 | word >> 2;
    let of = |first: &Vector<'_>, i: usize, word: u64| if first.is_null(i) { u64::MAX } else { there(word) };
    let mut words = Vec::new();
    match &vector.values {
        Values::List(lists) if lists.child().listed() > 0 => {
            let firsts = positions.iter().map(|p| lists.elements(*p as usize));
            // What stands behind an empty list may be no element.
            let places: Vec<u32> =
                firsts.clone().map(|list| if list.is_empty() { 0 } else { list.start }).collect();
            own_words_at(lists.child(), &places, &mut words)?;
            let words = firsts.zip(places.iter().zip(&words));
            out.extend(words.map(|(list, (place, word))| match list.is_empty() {
                true => 0,
                false => of(lists.child(), *place as usize, *word),
            }));
        }
        Values::Map(maps) | Values::Tuple(maps) if let Some(first) = maps.fields().first() => {
            own_words_at(first, positions, &mut words)?;
            out.extend(positions.iter().zip(&words).map(|(p, word)| of(first, *p as usize, *word)));
        }
        _ => return words_at(vector, positions, out),
    }
    Some(false)
}

/// Unsigned integers that order as signed ones.
pub fn signed(v: i64) -> u64 {
    v.cast_unsigned() ^ (1 << 63)
}

/// Integers that order as floats do: both zeros are one, NaN is the largest.
pub fn float(v: f64) -> u64 {
    if v.is_nan() {
        return u64::MAX;
    }
    let bits = (v + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The nearest of 64 bits.
fn saturated(n: i128) -> i64 {
    i64::try_from(n).unwrap_or(if n < 0 { i64::MIN } else { i64::MAX })
}

/// A decimal in whole billionths, those that do not fit at the ends: in the order of decimals.
fn billionths(d: Decimal) -> i64 {
    const DIGITS: u8 = 9;
    let power = |digits: u8| 10_i128.pow(digits.into());
    saturated(match d.scale().checked_sub(DIGITS) {
        Some(more) => d.unscaled() / power(more),
        None => d.unscaled().saturating_mul(power(DIGITS - d.scale())),
    })
}

/// The first eight bytes, the first of them highest.
pub fn first_bytes(text: &str) -> u64 {
    let bytes = text.as_bytes();
    match bytes.first_chunk::<8>() {
        Some(first) => u64::from_be_bytes(*first),
        None => bytes.iter().enumerate().fold(0, |prefix, (i, b)| prefix | u64::from(*b) << (56 - 8 * i)),
    }
}

/// Orders two rows by one key.
pub fn order_by((vector, descending): &Key<'_, '_>, a: u32, b: u32) -> Ordering {
    let order = order_in(vector, a as usize, b as usize);
    if *descending { order.reverse() } else { order }
}

/// An element with what orders it: whether its first key is null, 64 bits of that key, and its place.
type Word = u128;
const PLACE_BITS: u32 = 32;
const NULL_BIT: u32 = 96;

/// The element of a word.
#[expect(clippy::cast_possible_truncation, reason = "the lowest of its parts")]
fn place(word: Word) -> u32 {
    word as u32
}

/// Sorts elements of vectors, some at a time.
pub struct Sorter<'a, 's> {
    keys: &'a [Key<'a, 's>],
    words: Vec<u64>,
    sorted: Vec<Word>,
}

impl<'a, 's> Sorter<'a, 's> {
    /// What sorts by these keys.
    pub fn new(keys: &'a [Key<'a, 's>]) -> Self {
        Self { keys, words: Vec::new(), sorted: Vec::new() }
    }

    /// Appends places in the order of what the keys have there, equal ones as they ascend.
    ///
    /// **Cost**: `n log n` comparisons of integers, and of values where these are equal. Nobody can stop it.
    pub fn sort(&mut self, places: &[u32], out: &mut Vec<u32>) {
        let Some(((first, descending), others)) = self.keys.split_first() else {
            return out.extend_from_slice(places);
        };
        self.words.clear();
        let is_exact = own_words_at(first, places, &mut self.words) == Some(true);
        // What has no words is told apart by comparing values.
        self.words.resize(places.len(), 0);
        let word = |(place, word): (&u32, &u64)| {
            let (word, is_null) = if first.is_null(*place as usize) { (0, true) } else { (*word, false) };
            // Nulls come last, or first where the order descends.
            let (word, is_null) = if *descending { (!word, !is_null) } else { (word, is_null) };
            Word::from(is_null) << NULL_BIT | Word::from(word) << PLACE_BITS | Word::from(*place)
        };
        self.sorted.clear();
        self.sorted.extend(places.iter().zip(&self.words).map(word));
        self.sorted.sort_unstable();
        let among = if is_exact { others } else { self.keys };
        if !among.is_empty() {
            let by_keys = |a: &Word, b: &Word| {
                let mut orders = among.iter().map(|key| order_by(key, place(*a), place(*b)));
                orders.find(|order| order.is_ne()).unwrap_or_else(|| a.cmp(b))
            };
            let equals = self.sorted.chunk_by_mut(|a, b| a >> PLACE_BITS == b >> PLACE_BITS);
            equals.filter(|equal| equal.len() > 1).for_each(|equal| equal.sort_unstable_by(by_keys));
        }
        out.extend(self.sorted.iter().map(|word| place(*word)));
    }
}
