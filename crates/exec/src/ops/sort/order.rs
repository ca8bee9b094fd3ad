//! The order of rows: columns of keys in, the rows' numbers in order out. Equal keys stay in the order they
//! came.
//!
//! The first keys become 64 bits that order as they do, as many as fit; mostly these are all. Texts become
//! their places among all texts (`texts`). Nulls of the first key are put aside: they come last, or first
//! where the order descends.
//!
//! Runs are sorted by themselves, on all cores, then merged in pairs. A pair is cut into pieces of equal
//! length by binary search, and these are merged on all cores, too.
//!
//! Source: Odeh et al., Merge Path, 2012.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;
use trimorph_vector::order::{Key, float, order_by, own_words_at, signed};
use trimorph_vector::{Texts, Values, Vector};

use super::prefix::Prefixed;
use super::texts::rank;
use crate::parallel::on_each;
use crate::{Context, ExecError};

/// Rows that are sorted, or merged, between two looks at the flag that cancels.
const ROWS_UNCHECKED: usize = 1 << 16;

/// Where one row in so many is wanted at least, texts are ranked, all of them.
const RANKED_PART: usize = 4;

/// Orders the first `rows` rows of columns; only the first `limit` of the order are wanted.
///
/// **Cost**: 16 bytes a row, and as much again while runs are merged; with a limit below the rows, a
/// selection and a sort of so many. From some 100,000 rows on, all the threads of the settings.
pub(crate) fn ordered(
    keys: &[Key<'_, '_>],
    rows: usize,
    limit: usize,
    cx: &Context<'_>,
) -> Result<Vec<u32>, ExecError> {
    ordered_from(None, keys, rows, limit, cx)
}

/// The first `limit` of the first `rows` rows in any order, but for the last of them, which comes last; as
/// many as that in all.
pub(super) fn best(
    came: Option<&[u32]>,
    keys: &[Key<'_, '_>],
    rows: usize,
    limit: usize,
    cx: &Context<'_>,
) -> Result<Vec<u32>, ExecError> {
    found_from(came, keys, rows, limit, false, cx)
}

/// The same of rows that come in the order that `came` lists them in, if it is not that of their numbers.
pub(in crate::ops) fn ordered_from(
    came: Option<&[u32]>,
    keys: &[Key<'_, '_>],
    rows: usize,
    limit: usize,
    cx: &Context<'_>,
) -> Result<Vec<u32>, ExecError> {
    found_from(came, keys, rows, limit, true, cx)
}

/// The first rows, in order or not.
fn found_from(
    came: Option<&[u32]>,
    keys: &[Key<'_, '_>],
    rows: usize,
    limit: usize,
    in_order: bool,
    cx: &Context<'_>,
) -> Result<Vec<u32>, ExecError> {
    // Rows are sorted by when they came; `row` says which it is.
    let row = |k: u32| came.map_or(k, |came| came[k as usize]);
    let all = 0..u32::try_from(rows).unwrap_or(u32::MAX);
    let Some(((first, descending), others)) = keys.split_first() else {
        return Ok(all.map(row).take(limit).collect());
    };
    let (mut nulls, mut present) = (Vec::new(), Vec::with_capacity(rows));
    let mut is_exact = prefixes(first, *descending, rows, &row, &mut present, &mut nulls);
    cx.check()?;
    // Which of the two comes first is cut first.
    let present_limit = if *descending { limit.saturating_sub(nulls.len()) } else { limit };
    let nulls_limit = if *descending { limit } else { limit.saturating_sub(present.len()) };
    if let Values::String(texts) | Values::Iri(texts) = &first.values
        && !is_exact
        && in_order
        && limit.saturating_mul(RANKED_PART) >= rows
    {
        sort_in_runs(&mut present, Ord::cmp, cx)?;
        rank(&mut present, *descending, &|came| texts.get(row(came) as usize), cx)?;
        is_exact = true;
    }
    let packed = if is_exact { pack_all(&mut present, others, &row, cx)? } else { 0 };
    let by = |keys: &[Key<'_, '_>], a: u32, b: u32| {
        let mut orders = keys.iter().map(|key| order_by(key, row(a), row(b)));
        orders.find(|order| order.is_ne()).unwrap_or(a.cmp(&b))
    };
    let (head, rest) = (if is_exact { &[][..] } else { &keys[..1] }, &others[packed..]);
    if is_exact && rest.is_empty() {
        first_of(&mut present, present_limit, in_order, Ord::cmp, cx)?;
    } else {
        let by_all = |a: &Prefixed, b: &Prefixed| {
            let by_head = || head.iter().map(|key| order_by(key, row(a.came()), row(b.came())));
            let by_prefix = a.prefix().cmp(&b.prefix());
            let by_first = by_prefix.then_with(|| by_head().next().unwrap_or(Ordering::Equal));
            by_first.then_with(|| by(rest, a.came(), b.came()))
        };
        first_of(&mut present, present_limit, in_order, by_all, cx)?;
    }
    match others {
        [] => nulls.truncate(nulls_limit),
        _ => first_of(&mut nulls, nulls_limit, in_order, |a, b| by(others, *a, *b), cx)?,
    }
    let (present, nulls) = (present.into_iter().map(|p| row(p.came())), nulls.into_iter().map(row));
    Ok(if *descending { nulls.chain(present).collect() } else { present.chain(nulls).collect() })
}

/// Puts rows with a value and their prefixes into one list, those without into the other, by when they came
/// (`row` says which they are); gives whether equal
/// prefixes are equal keys.
fn prefixes(
    key: &Vector<'_>,
    descending: bool,
    rows: usize,
    row: &dyn Fn(u32) -> u32,
    present: &mut Vec<Prefixed>,
    nulls: &mut Vec<u32>,
) -> bool {
    let mut place = |k: u32, i: usize, word: u64| {
        if key.is_null(i) {
            nulls.push(k);
        } else {
            present.push(Prefixed::new(if descending { !word } else { word }, k));
        }
    };
    if let Values::String(texts) = &key.values
        && let Some(ranks) = ranks(texts, rows)
    {
        for (_, k) in (0..rows).zip(0u32..) {
            let i = row(k) as usize;
            place(k, i, ranks(i));
        }
        return true;
    }
    let (mut block, mut words, mut is_exact) = (Vec::new(), Vec::new(), Some(true));
    for first in (0..rows).step_by(ROWS_UNCHECKED) {
        block.clear();
        block.extend(
            (first..rows.min(first + ROWS_UNCHECKED)).map(|k| row(u32::try_from(k).unwrap_or(u32::MAX))),
        );
        words.clear();
        is_exact = own_words_at(key, &block, &mut words);
        // What has no words is told apart by comparing values.
        words.resize(block.len(), 0);
        for ((k, i), word) in (first..).zip(&block).zip(&words) {
            place(u32::try_from(k).unwrap_or(u32::MAX), *i as usize, *word);
        }
    }
    is_exact == Some(true)
}

/// Adds further keys to exact prefixes, as many as fit; gives how many.
fn pack_all(
    present: &mut [Prefixed],
    keys: &[Key<'_, '_>],
    row: &dyn Fn(u32) -> u32,
    cx: &Context<'_>,
) -> Result<usize, ExecError> {
    let Some((mut low, mut high)) = ends(present.iter().map(|p| p.prefix())) else { return Ok(0) };
    for (packed, key) in keys.iter().enumerate() {
        cx.check()?;
        let Some(word) = words(key, present.len()) else { return Ok(packed) };
        let (vector, descending) = *key;
        let place = |p: &Prefixed| row(p.came()) as usize;
        let there = present.iter().map(place).filter(|i| !vector.is_null(*i));
        let (least, most) = ends(there.map(&word)).unwrap_or((0, 0));
        // Nulls come last, or first where the order descends.
        let nulls = u64::from(vector.may_have_nulls());
        let Some(values) = (most - least).checked_add(1 + nulls) else { return Ok(packed) };
        let ends = |(low, high): (u64, u64)| (high - low).checked_add(1)?.checked_mul(values);
        let mut end = ends((low, high));
        if end.is_none()
            && let Some(last) = number_few(present, cx)?
        {
            // What is far apart, as floats and instants are, may be of few values.
            (low, high) = (0, last);
            end = ends((low, high));
        }
        let Some(end) = end else { return Ok(packed) };
        for some in present.chunks_mut(ROWS_UNCHECKED) {
            cx.check()?;
            for p in some {
                let i = place(p);
                let ascending = if vector.is_null(i) { values - 1 } else { word(i) - least };
                let code = if descending { values - 1 - ascending } else { ascending };
                *p = Prefixed::new((p.prefix() - low) * values + code, p.came());
            }
        }
        (low, high) = (0, end - 1);
    }
    Ok(keys.len())
}

/// Prefixes of so many values at most are numbered, where there are so many times as many rows.
const NUMBERED_MAX: usize = 1 << 16;
const NUMBERED_PART: usize = 8;

/// Puts the places of prefixes among their different values in their place, if these are few; gives the last
/// place.
fn number_few(present: &mut [Prefixed], cx: &Context<'_>) -> Result<Option<u64>, ExecError> {
    let most = NUMBERED_MAX.min(present.len() / NUMBERED_PART);
    let mut places: FxHashMap<u64, u64> = FxHashMap::default();
    let mut last = None;
    for some in present.chunks(ROWS_UNCHECKED) {
        cx.check()?;
        for prefix in some.iter().map(|p| p.prefix()) {
            if last.replace(prefix) != Some(prefix) {
                places.insert(prefix, 0);
                if places.len() > most {
                    return Ok(None);
                }
            }
        }
    }
    let mut all: Vec<u64> = places.keys().copied().collect();
    all.sort_unstable();
    for (place, prefix) in (0..).zip(&all) {
        places.insert(*prefix, place);
    }
    for some in present.chunks_mut(ROWS_UNCHECKED) {
        cx.check()?;
        for p in some {
            *p = Prefixed::new(places.get(&p.prefix()).copied().unwrap_or(0), p.came());
        }
    }
    Ok(Some((all.len() as u64).saturating_sub(1)))
}

/// The least and the greatest.
fn ends(all: impl Iterator<Item = u64>) -> Option<(u64, u64)> {
    all.fold(None, |ends, word| {
        let (low, high) = ends.unwrap_or((word, word));
        Some((low.min(word), high.max(word)))
    })
}

/// The values of a key as integers that order as they do, where it is as good as an integer; what nulls are
/// is not said. Texts of a dictionary are, if it has no more than `rows`.
fn words<'a>((key, _): &Key<'a, '_>, rows: usize) -> Option<Box<dyn Fn(usize) -> u64 + 'a>> {
    Some(match &key.values {
        Values::Int(v) | Values::LocalTime(v) | Values::LocalDateTime(v) | Values::DateTime(v) => {
            Box::new(|i| signed(v[i]))
        }
        Values::Date(v) => Box::new(|i| signed(v[i].into())),
        Values::Bool(v) => Box::new(|i| v[i].into()),
        Values::Float(v) => Box::new(|i| float(v[i])),
        Values::Node(v) => Box::new(|i| v.id(i).0),
        Values::Edge(v) => Box::new(|i| v.id(i).0),
        Values::String(texts) => Box::new(ranks(texts, rows)?),
        _ => return None,
    })
}

/// The places of a dictionary's texts in their order, where there are fewer of them than rows.
fn ranks<'a>(texts: &'a Texts<'_>, rows: usize) -> Option<impl Fn(usize) -> u64 + use<'a>> {
    let (codes, entries) = texts.codes().filter(|(_, entries)| entries.len() <= rows)?;
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_unstable_by_key(|code| entries.get(*code));
    let mut ranks = vec![0u64; entries.len()];
    let mut rank = 0;
    for (k, code) in order.iter().enumerate() {
        // Equal texts have equal ranks.
        rank += u64::from(k > 0 && entries.get(order[k - 1]) != entries.get(*code));
        ranks[*code] = rank;
    }
    Some(move |i: usize| ranks[codes[i] as usize])
}

/// Of a total order, leaves the first `limit`, in order or with the last of them at the end.
fn first_of<T: Copy + Send + Sync>(
    rows: &mut Vec<T>,
    limit: usize,
    in_order: bool,
    compare: impl Fn(&T, &T) -> Ordering + Sync,
    cx: &Context<'_>,
) -> Result<(), ExecError> {
    if limit == 0 {
        rows.clear();
    } else if limit < rows.len() {
        rows.select_nth_unstable_by(limit - 1, &compare);
        rows.truncate(limit);
    } else if !in_order && let Some(last) = (0..rows.len()).max_by(|a, b| compare(&rows[*a], &rows[*b])) {
        let end = rows.len() - 1;
        rows.swap(last, end);
    }
    if in_order { sort_in_runs(rows, compare, cx) } else { Ok(()) }
}

/// Sorts runs by themselves, then merges them in pairs. Nobody can stop a sort of the whole.
fn sort_in_runs<T: Copy + Send + Sync>(
    rows: &mut Vec<T>,
    compare: impl Fn(&T, &T) -> Ordering + Sync,
    cx: &Context<'_>,
) -> Result<(), ExecError> {
    on_each(rows.chunks_mut(ROWS_UNCHECKED).collect(), cx, |run, cx| {
        cx.check()?;
        run.sort_unstable_by(&compare);
        Ok(())
    })?;
    let mut width = ROWS_UNCHECKED;
    let mut merged = if width < rows.len() { rows.clone() } else { Vec::new() };
    while width < rows.len() {
        let mut pieces = Vec::new();
        for (pair, out) in rows.chunks(width * 2).zip(merged.chunks_mut(width * 2)) {
            let (a, b) = pair.split_at(width.min(pair.len()));
            let mut from = (0, 0);
            let mut first = 0;
            for out in out.chunks_mut(ROWS_UNCHECKED) {
                first += out.len();
                let to = cut(a, b, first, &compare);
                pieces.push((&a[from.0..to.0], &b[from.1..to.1], out));
                from = to;
            }
        }
        on_each(pieces, cx, |(a, b, out), cx| {
            cx.check()?;
            merge(a, b, out, &compare);
            Ok(())
        })?;
        std::mem::swap(rows, &mut merged);
        width *= 2;
    }
    Ok(())
}

/// How many of `a` and of `b`, both sorted, are the first `count` of both.
fn cut<T>(a: &[T], b: &[T], count: usize, compare: impl Fn(&T, &T) -> Ordering) -> (usize, usize) {
    let (mut low, mut high) = (count.saturating_sub(b.len()), count.min(a.len()));
    while low < high {
        let middle = low.midpoint(high);
        if compare(&b[count - middle - 1], &a[middle]).is_lt() {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    (low, count - low)
}

/// Merges `a` and `b` into `out`, which is as long as both.
fn merge<T: Copy>(a: &[T], b: &[T], out: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y), Some(place)) = (a.get(i), b.get(j), out.get_mut(i + j)) {
        // No branch: which of the two it is cannot be foreseen.
        let is_second = compare(y, x).is_lt();
        *place = if is_second { *y } else { *x };
        i += usize::from(!is_second);
        j += usize::from(is_second);
    }
    let rest = if i < a.len() { &a[i..] } else { &b[j..] };
    out[i + j..].copy_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use trimorph_base::Random;
    use trimorph_store::Snapshot;
    use trimorph_types::Value;
    use trimorph_vector::{Nulls, Positions};

    use super::*;
    use crate::Settings;

    fn vector(random: &mut Random, rows: usize) -> Vector<'static> {
        const WORDS: [&str; 7] = ["", "a", "a\0", "abcdefgh", "abcdefghi", "é", "abcdefgz"];
        let kind = random.below(10);
        if kind > 7 {
            // Elements of all lists are of one type, but for nulls.
            let of = random.below(2);
            let item = |random: &mut Random| match (random.below(4), of) {
                (0, _) => Value::Null,
                (_, 0) => Value::string(*random.pick(&WORDS)),
                _ => Value::Int(random.below(3) as i64),
            };
            let value = |random: &mut Random| match kind {
                8 => Value::list((0..random.below(4)).map(|_| item(random)).collect()),
                _ => Value::map(["b", "a"].map(|key| (key.into(), item(random))).into_iter().collect()),
            };
            let values = (0..rows).map(|_| if random.below(9) == 0 { Value::Null } else { value(random) });
            return Vector::of_values(values.collect(), Positions::all(rows));
        }
        let values = match kind {
            0 => Values::Int((0..rows).map(|_| *random.pick(&[i64::MIN, -1, 0, 5, i64::MAX])).collect()),
            1 => {
                let floats = [f64::NEG_INFINITY, -1.5, -0.0, 0.0, 2.5, f64::INFINITY, f64::NAN];
                Values::Float((0..rows).map(|_| *random.pick(&floats)).collect())
            }
            2 => Values::String((0..rows).map(|_| *random.pick(&WORDS)).collect()),
            3 => {
                let texts = WORDS.iter().copied().chain(["a"]);
                let entries: trimorph_vector::Entries<'_> = Arc::new(texts.collect());
                Values::String(Texts::coded((0..rows).map(|_| random.below(8) as u32).collect(), &entries))
            }
            4 => Values::Date((0..rows).map(|_| *random.pick(&[i32::MIN, -1, 0, i32::MAX])).collect()),
            7 => return crate::expr::tests::sample::wide(random, rows),
            5 => Values::Bool((0..rows).map(|_| random.below(2) == 0).collect()),
            _ => {
                let any =
                    [Value::Null, Value::Int(1), Value::Float(0.5), Value::string("a"), Value::Bool(true)];
                return Vector::new(Values::Any((0..rows).map(|_| random.pick(&any).clone()).collect()));
            }
        };
        let mut nulls = Nulls::NONE;
        if random.below(2) == 0 {
            (0..rows).filter(|_| random.below(4) == 0).for_each(|i| nulls.set(i, rows));
        }
        Vector { values, nulls }
    }

    #[test]
    fn rows_are_ordered_as_values_are() {
        let snapshot = Snapshot::default();
        let cx = Context::new(&snapshot, Arc::default());
        let mut random = Random::new(7);
        for _ in 0..2_000 {
            let rows = [0, 1, 30][random.below(3)];
            let keys: Vec<(Vector<'static>, bool)> =
                (0..1 + random.below(3)).map(|_| (vector(&mut random, rows), random.below(2) == 0)).collect();
            let keys: Vec<Key<'_, '_>> = keys.iter().map(|(v, d)| (v, *d)).collect();
            let limit = *random.pick(&[0, 1, 7, 30, usize::MAX]);
            let mut expected: Vec<u32> = (0..rows as u32).collect();
            let value = |v: &Vector<'static>, i: u32| v.value(i as usize, &|_| Value::Null);
            expected.sort_by(|a, b| {
                let by = |(v, d): &Key<'_, 'static>| {
                    let order = trimorph_types::order(&value(v, *a), &value(v, *b));
                    if *d { order.reverse() } else { order }
                };
                keys.iter().map(by).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
            });
            expected.truncate(limit);
            assert_eq!(ordered(&keys, rows, limit, &cx), Ok(expected), "{keys:?}");
        }
    }

    #[test]
    fn long_runs_are_merged() {
        let mut random = Random::new(3);
        let snapshot = Snapshot::default();
        for (rows, threads) in
            [(3 * ROWS_UNCHECKED + 17, 1), (3 * ROWS_UNCHECKED + 17, 2), (ROWS_UNCHECKED * 6, 8)]
        {
            let settings = Settings { threads, ..Settings::default() };
            let cx = Context::new(&snapshot, Arc::new(settings));
            let key = Vector::new(Values::Int((0..rows).map(|_| random.below(1_000) as i64).collect()));
            let order = ordered(&[(&key, true)], rows, usize::MAX, &cx).unwrap();
            let Values::Int(v) = &key.values else { panic!("integers") };
            assert_eq!(order.len(), rows);
            for pair in order.windows(2) {
                let (a, b) = (v[pair[0] as usize], v[pair[1] as usize]);
                assert!(a > b || a == b && pair[0] < pair[1]);
            }
        }
    }

    #[test]
    fn a_sort_can_be_stopped() {
        let snapshot = Snapshot::default();
        let settings = Settings { threads: 2, ..Settings::default() };
        settings.cancel.cancel();
        let cx = Context::new(&snapshot, Arc::new(settings));
        let mut rows: Vec<u32> = (0..3 * ROWS_UNCHECKED as u32).rev().collect();
        assert_eq!(sort_in_runs(&mut rows, Ord::cmp, &cx), Err(ExecError::Cancelled));
    }

    #[test]
    fn pairs_are_cut_where_both_go_on_in_order() {
        let mut random = Random::new(5);
        for _ in 0..500 {
            let mut list = |most: usize| {
                let mut list: Vec<usize> = (0..random.below(most + 1)).map(|_| random.below(9)).collect();
                list.sort_unstable();
                list
            };
            let (a, b) = (list(9), list(9));
            let mut all: Vec<usize> = a.iter().chain(&b).copied().collect();
            all.sort_unstable();
            for count in 0..=all.len() {
                let (i, j) = cut(&a, &b, count, Ord::cmp);
                let mut first = vec![0; count];
                merge(&a[..i], &b[..j], &mut first, Ord::cmp);
                assert_eq!((i + j, &first[..]), (count, &all[..count]), "{a:?} {b:?}");
            }
        }
    }
}
