//! Kernels of lists: vectors of lists in, a typed vector out. Elements are picked, not made: a part of a list
//! is another run of the same child.

use std::borrow::Cow;

use trimorph_types::Value;
use trimorph_vector::order::Sorter;
use trimorph_vector::{Lists, Nulls, Positions, Side, Values, Vector, each, local_nanos};

use crate::context::Context;
use crate::kernel::{Argument, nulls_of};

/// Elements that a kernel makes at most: 16 MB of texts. More are left to the general path, which holds them
/// from the budget.
pub(crate) const MADE_MAX: usize = 1 << 20;

/// Elements that are sorted at once, some milliseconds of work; beyond that somebody may want to stop it.
pub(crate) const SORTED_AT_ONCE: usize = 1 << 14;

/// The lists of an argument that has one for each position.
fn lists_of<'a, 's>(argument: Option<&Argument<'a, 's>>) -> Option<(&'a Lists<'s>, &'a Nulls)> {
    match argument {
        Some(Argument::Each(Vector { values: Values::List(lists), nulls })) => Some((lists, nulls)),
        _ => None,
    }
}

/// What `of` gives for the number of elements of each list.
fn lengths<T: Copy + Default>(lists: &Lists<'_>, at: Positions<'_>, of: impl Fn(u32) -> T) -> Vec<T> {
    if !at.is_dense() {
        return each(at, |i| lists.runs().nth(i).map_or(T::default(), |(_, len)| of(len)));
    }
    let mut out: Vec<T> = lists.runs().map(|(_, len)| of(len)).collect();
    out.resize(at.len, T::default());
    out
}

/// How many elements there are.
pub(crate) fn size<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    if let Some(Argument::Each(Vector { values: Values::Tuple(tuples), nulls })) = args.first() {
        let len = tuples.fields().len() as i64;
        return Some(Vector { values: Values::Int(vec![len; at.len]), nulls: nulls.clone() });
    }
    let (lists, nulls) = lists_of(args.first())?;
    Some(Vector { values: Values::Int(lengths(lists, at, i64::from)), nulls: nulls.clone() })
}

/// Whether there are no elements.
pub(crate) fn is_empty<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(args.first())?;
    Some(Vector { values: Values::Bool(lengths(lists, at, |len| len == 0)), nulls: nulls.clone() })
}

/// An element of each list: `place` gives which, by position and length. Null where there is none.
#[inline(always)]
fn pick<'s>(
    lists: &Lists<'s>,
    mut nulls: Nulls,
    at: Positions<'_>,
    place: impl Fn(usize, u32) -> Option<u32>,
) -> Vector<'s> {
    let child = lists.child();
    let runs = || lists.runs().enumerate();
    // Mostly all have it: to find that out first is a loop without a branch, and so is the next.
    let have_all = at.is_all()
        && nulls.is_none()
        && lists.len() == at.len
        && runs().fold(true, |all, (i, (_, len))| all & place(i, len).is_some());
    let positions = if have_all {
        runs().map(|(i, (start, len))| start + place(i, len).unwrap_or(0)).collect()
    } else {
        let mut positions = vec![0u32; at.len];
        let mut any = false;
        at.for_each(|i| {
            if nulls.get(i) {
                return;
            }
            let elements = lists.elements(i);
            match place(i, elements.end - elements.start) {
                Some(k) => {
                    positions[i] = elements.start + k;
                    any = true;
                }
                None => nulls.set(i, at.len),
            }
        });
        if !any {
            return Vector::nulls(at.len);
        }
        positions
    };
    let mut out = child.gather(&positions);
    if let Values::Any(values) = &mut out.values {
        at.for_each(|i| {
            if nulls.get(i) {
                values[i] = Value::Null;
            }
        });
    }
    out.nulls = out.nulls.union(&nulls, at.len);
    out
}

/// The element at an index, counted from the end if negative.
fn pick_one<'s>(lists: &Lists<'s>, nulls: Nulls, at: Positions<'_>, index: i64) -> Vector<'s> {
    // No list has so many elements as do not fit.
    let place = u32::try_from(index.unsigned_abs()).unwrap_or(u32::MAX);
    match index < 0 {
        false => pick(lists, nulls, at, move |_, len| (place < len).then_some(place)),
        true => pick(lists, nulls, at, move |_, len| len.checked_sub(place)),
    }
}

/// The first element.
pub(crate) fn head<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    element(*args.first()?, Argument::One(&Value::Int(0)), at)
}

/// The last element.
pub(crate) fn last<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    element(*args.first()?, Argument::One(&Value::Int(-1)), at)
}

/// All elements but the first.
pub(crate) fn tail<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], _: Positions<'_>) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(args.first())?;
    Some(Vector { values: Values::List(lists.parts(|_, len| (1, len))), nulls: nulls.clone() })
}

/// The elements backwards.
pub(crate) fn reverse<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(args.first())?;
    let mut count = 0;
    at.for_each(|i| count += if nulls.get(i) { 0 } else { lists.count(i) });
    if count > MADE_MAX {
        return None;
    }
    let child = lists.child();
    let turned = match &child.values {
        _ if !child.nulls.is_none() => None,
        Values::Int(v) => Some(Values::Int(backwards(v, count, (lists, nulls), at))),
        Values::Float(v) => Some(Values::Float(backwards(v, count, (lists, nulls), at))),
        Values::Date(v) => Some(Values::Date(backwards(v, count, (lists, nulls), at))),
        Values::DateTime(v) => Some(Values::DateTime(backwards(v, count, (lists, nulls), at))),
        _ => None,
    };
    let turned = turned.map_or_else(
        || {
            let mut elements = Vec::with_capacity(count);
            at.for_each(|i| {
                if !nulls.get(i) {
                    elements.extend(lists.elements(i).rev());
                }
            });
            child.gather(&elements)
        },
        Vector::new,
    );
    let mut end = 0;
    let runs = each(at, |i| {
        let run = lists.elements(i);
        let len = if nulls.get(i) { 0 } else { run.end - run.start };
        end += len;
        (end - len, len)
    });
    let lists = Lists::new(runs.into_iter(), turned)?;
    Some(Vector { values: Values::List(lists), nulls: nulls.clone() })
}

/// The elements of each list that is meant and not null from its last to its first: so many in all.
fn backwards<T: Copy>(
    child: &[T],
    count: usize,
    (lists, nulls): (&Lists<'_>, &Nulls),
    at: Positions<'_>,
) -> Vec<T> {
    let mut out = Vec::with_capacity(count);
    at.for_each(|i| {
        if !nulls.get(i) {
            let run = lists.elements(i);
            out.extend(child[run.start as usize..run.end as usize].iter().rev());
        }
    });
    out
}

/// Elements up to which each is compared with those before it. Chosen: no more than a word has bits.
const FEW: usize = 8;

/// A bit for each of up to [`FEW`] words that is one of those before it, the first the lowest.
#[inline]
fn twice(words: impl Iterator<Item = u64>) -> u32 {
    let (mut seen, mut twice) = ([0; FEW], 0);
    for (k, word) in words.take(FEW).enumerate() {
        let is_seen = seen[..k].iter().fold(false, |is, other| is | (*other == word));
        twice |= u32::from(is_seen) << k;
        seen[k] = word;
    }
    twice
}

/// Whether words rise from one to the next, as those of neighbours do: then none comes twice.
fn rise(mut words: impl Iterator<Item = u64>) -> bool {
    let mut last = words.next();
    words.all(|word| last.replace(word).is_none_or(|last| last < word))
}

/// The elements of each list in order. `None` where a list is so long that its sort may have to be stopped.
pub(crate) fn sort<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(args.first())?;
    let keys = [(&**lists.child(), false)];
    let (mut sorter, mut places, mut sorted) = (Sorter::new(&keys), Vec::new(), Vec::new());
    let (mut runs, mut fits) = (vec![(0, 0); at.len], true);
    at.for_each(|i| {
        fits &= lists.count(i) <= SORTED_AT_ONCE && sorted.len() + lists.count(i) <= MADE_MAX;
        if !fits || nulls.get(i) {
            return;
        }
        places.clear();
        places.extend(lists.elements(i));
        // No more than may be made.
        let begin = sorted.len() as u32;
        sorter.sort(&places, &mut sorted);
        runs[i] = (begin, places.len() as u32);
    });
    let lists = fits.then(|| Lists::new(runs.into_iter(), lists.child().gather(&sorted)))??;
    Some(Vector { values: Values::List(lists), nulls: nulls.clone() })
}

/// Each element once, where it is first.
pub(crate) fn distinct<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(args.first())?;
    let child = lists.child();
    if !child.nulls.is_none() {
        return None;
    }
    // What tells elements apart that are kept as a number.
    match &child.values {
        Values::Node(nodes) => distinct_by(lists, nulls, at, |e| nodes.id(e).0, |_, _| true),
        Values::Edge(edges) => distinct_by(lists, nulls, at, |e| edges.id(e).0, |_, _| true),
        Values::Int(v) | Values::LocalTime(v) | Values::LocalDateTime(v) | Values::DateTime(v) => {
            distinct_by(lists, nulls, at, |e| v[e].cast_unsigned(), |_, _| true)
        }
        Values::String(texts) => {
            let hash = |e: usize| hash_of(texts.get(e).as_bytes());
            distinct_by(lists, nulls, at, hash, |a, b| texts.get(a) == texts.get(b))
        }
        _ => None,
    }
}

/// A word that seldom is that of another text.
fn hash_of(bytes: &[u8]) -> u64 {
    // A product of 128 bits whose halves are folded mixes all bits of both factors.
    let mix = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * 0x9e37_79b9_7f4a_7c15_u128;
        (product as u64) ^ (product >> 64) as u64
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words
        .iter()
        .fold(bytes.len() as u64 ^ 0x243f_6a88_85a3_08d3, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    let last = rest.iter().fold(0, |last, byte| last << 8 | u64::from(*byte));
    mix(hash, last ^ 0x1319_8a2e_0370_7344)
}

/// The same, where elements are told apart by words. `None` where elements have the same word that are not
/// the `same`.
fn distinct_by<'s>(
    lists: &Lists<'s>,
    nulls: &Nulls,
    at: Positions<'_>,
    word: impl Fn(usize) -> u64,
    same: impl Fn(usize, usize) -> bool,
) -> Option<Vector<'s>> {
    // What stays of all lists, as long as it may be made; the runs of that, and how many elements there were.
    let (mut stay, mut runs, mut left, mut fits) = (Vec::new(), vec![(0, 0); at.len], 0, true);
    let mut are_whole = true;
    let mut sorted: Vec<(u64, u32)> = Vec::new();
    at.for_each(|i| {
        let run = lists.elements(i);
        if !fits || nulls.get(i) {
            return;
        }
        left += run.len();
        let (is_made, start) = (left <= MADE_MAX, stay.len());
        if run.len() <= FEW {
            let twice = twice(run.clone().map(|e| word(e as usize)));
            are_whole &= twice == 0;
            if twice != 0 {
                let first = run.start as usize;
                for k in (0..run.len()).filter(|k| twice >> k & 1 == 1) {
                    let own = word(first + k);
                    fits &= (0..k).all(|j| word(first + j) != own || same(first + j, first + k));
                }
            }
            if is_made {
                // A store each, no branch on what stays.
                let (mut few, mut end) = ([0; FEW], 0);
                for (k, e) in run.take(FEW).enumerate() {
                    few[end] = e;
                    end += usize::from(twice >> k & 1 == 0);
                }
                stay.extend_from_slice(&few);
                stay.truncate(start + end);
            }
        } else if rise(run.clone().map(|e| word(e as usize))) {
            if is_made {
                stay.extend(run);
            }
        } else {
            fits = run.len() <= MADE_MAX;
            if fits {
                sorted.clear();
                sorted.extend(run.clone().map(|e| (word(e as usize), e)));
                sorted.sort_unstable();
                sorted.dedup_by(|(word, e), (before, first)| {
                    let is_twice = word == before;
                    fits &= !is_twice || same(*first as usize, *e as usize);
                    is_twice
                });
                are_whole &= sorted.len() == run.len();
            }
            if fits && is_made {
                stay.extend(sorted.iter().map(|(_, e)| *e));
                stay[start..].sort_unstable();
            }
        }
        // There are at most `MADE_MAX`.
        runs[i] = (start as u32, (stay.len() - start) as u32);
    });
    if !fits || (!are_whole && left > MADE_MAX) {
        return None;
    }
    let lists = match are_whole {
        true => lists.clone(),
        false => Lists::new(runs.into_iter(), lists.child().gather(&stay))?,
    };
    Some(Vector { values: Values::List(lists), nulls: nulls.clone() })
}

/// Integers: the same for all positions, or one for each.
#[derive(Clone, Copy)]
enum Ints<'a> {
    One(i64),
    Each(&'a [i64]),
}

impl<'a> Ints<'a> {
    fn of(argument: Argument<'a, '_>) -> Option<Self> {
        match argument {
            Argument::One(Value::Int(i)) => Some(Self::One(*i)),
            Argument::Each(Vector { values: Values::Int(v), .. }) => Some(Self::Each(v)),
            _ => None,
        }
    }

    /// The first `len`, side by side.
    fn all(self, len: usize) -> Option<Cow<'a, [i64]>> {
        match self {
            Self::One(n) => Some(Cow::Owned(vec![n; len])),
            Self::Each(v) => v.get(..len).map(Cow::Borrowed),
        }
    }

    #[inline]
    fn at(self, i: usize) -> i64 {
        match self {
            Self::One(n) => n,
            Self::Each(v) => v[i],
        }
    }
}

/// The integers from one to another: parts of one list of all of them, unless these are too many.
pub(crate) fn range<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    if let [first, last, Argument::One(Value::Int(step))] = args
        && *step != 1
    {
        let Ints::One(first) = Ints::of(*first)? else { return None };
        return ranges_by(*step, first, &Ints::of(*last)?.all(at.len)?, nulls_of(args, at.len), at);
    }
    let (first, last) = match args {
        [first, last] | [first, last, Argument::One(Value::Int(1))] => (Ints::of(*first)?, Ints::of(*last)?),
        _ => return None,
    };
    let nulls = nulls_of(args, at.len);
    if let (Ints::One(first), Ints::Each(last)) = (first, last)
        && nulls.is_none()
        && at.is_all()
    {
        return ranges_from(first, last.get(..at.len)?);
    }
    // Where there are numbers at all. Loops over slices side by side, none of which has a branch.
    let (first, last) = (first.all(at.len)?, last.all(at.len)?);
    let mut are_some: Vec<bool> = first.iter().zip(&*last).map(|(first, last)| first <= last).collect();
    if !nulls.is_none() || !at.is_all() {
        let mut are_meant = vec![false; at.len];
        at.for_each(|i| are_meant[i] = !nulls.get(i));
        are_some.iter_mut().zip(are_meant).for_each(|(is, meant)| *is &= meant);
    }
    let ends = || are_some.iter().zip(first.iter().zip(&*last));
    let least = ends().map(|(is, (first, _))| if *is { *first } else { i64::MAX }).fold(i64::MAX, i64::min);
    let most = ends().map(|(is, (_, last))| if *is { *last } else { i64::MIN }).fold(i64::MIN, i64::max);
    let count = if least <= most { most.checked_sub(least)?.checked_add(1)? } else { 0 };
    let count = usize::try_from(count).ok().filter(|count| *count <= MADE_MAX)?;
    let child: Vec<i64> = (0..count as i64).map(|k| least + k).collect();
    // Where there are numbers, they are within those that there are, which 32 bits hold.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "there are few numbers")]
    let place = move |n: i64| n.wrapping_sub(least) as u32;
    let runs = ends().map(move |(is, (first, last))| {
        let run = (place(*first), place(*last).wrapping_sub(place(*first)).wrapping_add(1));
        if *is { run } else { (0, 0) }
    });
    let lists = Lists::new(runs, Vector::new(Values::Int(child)))?;
    Some(Vector { values: Values::List(lists), nulls })
}

/// Ranges that begin with the same number: parts of the longest.
fn ranges_from<'s>(first: i64, last: &[i64]) -> Option<Vector<'s>> {
    let most = last.iter().fold(i64::MIN, |most, last| most.max(*last));
    let count = if first <= most { most.checked_sub(first)?.checked_add(1)? } else { 0 };
    let count = usize::try_from(count).ok().filter(|count| *count <= MADE_MAX)?;
    let child: Vec<i64> = (0..count as i64).map(|k| first + k).collect();
    // Of what is no shorter than nothing it is within the count, which 32 bits hold.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "there are few numbers")]
    let len = |last: i64| if first <= last { last.wrapping_sub(first) as u32 + 1 } else { 0 };
    let lists = Lists::new(last.iter().map(|last| (0, len(*last))), Vector::new(Values::Int(child)))?;
    Some(Vector::new(Values::List(lists)))
}

/// Ranges that begin with the same number and go on in the same steps: parts of the longest.
fn ranges_by<'s>(step: i64, first: i64, last: &[i64], nulls: Nulls, at: Positions<'_>) -> Option<Vector<'s>> {
    if step == 0 {
        return None;
    }
    // Steps to the last number that is not beyond the end.
    let len = |last: i64| {
        let way = (i128::from(last) - i128::from(first)) * i128::from(step.signum());
        if way < 0 { 0 } else { way / i128::from(step.unsigned_abs()) + 1 }
    };
    let (mut runs, mut most) = (vec![(0, 0); at.len], 0);
    let mut fits = true;
    at.for_each(|i| {
        if !nulls.get(i) {
            let len = u32::try_from(len(last[i])).ok().filter(|len| *len as usize <= MADE_MAX);
            fits &= len.is_some();
            runs[i].1 = len.unwrap_or(0);
            most = most.max(runs[i].1);
        }
    });
    if !fits {
        return None;
    }
    // All are between the first and an end.
    let child: Vec<i64> = (0..i64::from(most)).map(|k| first + k * step).collect();
    let lists = Lists::new(runs.into_iter(), Vector::new(Values::Int(child)))?;
    Some(Vector { values: Values::List(lists), nulls })
}

/// The place that an index means, counted from the end if negative; `None` before the first.
fn place(index: i64, len: usize) -> Option<usize> {
    match usize::try_from(index) {
        Ok(place) => Some(place),
        Err(_) => len.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}

/// Elements of one list for each of which, at most, there is to be a position.
const ONE_LIST: usize = 4;

/// `list[index]`.
pub fn element<'s>(list: Argument<'_, 's>, index: Argument<'_, 's>, at: Positions<'_>) -> Option<Vector<'s>> {
    let ints = Ints::of(index)?;
    if let Argument::One(Value::List(items)) = list {
        // One list for all: its elements are made a vector for the time.
        let pays = items.len() / ONE_LIST <= at.count();
        let child = pays.then(|| Vector::of_values(items.to_vec(), Positions::all(items.len())))?;
        let whole = (0, u32::try_from(items.len()).ok()?);
        let lists = Lists::new(std::iter::repeat_n(whole, at.len), child)?;
        return Some(element_of(&lists, ints, nulls_of(&[index], at.len), at));
    }
    let nulls = nulls_of(&[list, index], at.len);
    if let (Argument::Each(Vector { values: Values::Tuple(tuples), .. }), Ints::One(index)) = (list, &ints) {
        let place = place(*index, tuples.fields().len()).unwrap_or(usize::MAX);
        return Some(tuples.at_place(place, &nulls));
    }
    let (lists, _) = lists_of(Some(&list))?;
    Some(element_of(lists, ints, nulls, at))
}

/// The element of each list at an index of all, or at one for each.
fn element_of<'s>(lists: &Lists<'s>, index: Ints<'_>, nulls: Nulls, at: Positions<'_>) -> Vector<'s> {
    match index {
        Ints::One(index) => pick_one(lists, nulls, at, index),
        Ints::Each(indexes) => pick(lists, nulls, at, |i, len| {
            let place = place(indexes[i], len as usize)?;
            u32::try_from(place).ok().filter(|place| *place < len)
        }),
    }
}

/// `list[from..to]`.
pub fn slice<'s>(
    list: Argument<'_, 's>,
    from: Argument<'_, 's>,
    to: Argument<'_, 's>,
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (lists, _) = lists_of(Some(&list))?;
    let (first, end) = (Ints::of(from)?, Ints::of(to)?);
    // No more than the length, which has 32 bits.
    let bound = |index: i64, len: u32| place(index, len as usize).unwrap_or(0).min(len as usize) as u32;
    let nulls = nulls_of(&[list, from, to], at.len);
    let parts = match (first, end) {
        // Both from the start, as most are: what is beyond the end is left out anyway.
        (Ints::One(first @ 0..), Ints::One(end @ 0..)) => {
            let [first, end] = [first, end].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
            lists.parts(move |_, _| (first, end))
        }
        (first, end) => lists.parts(|i, len| (bound(first.at(i), len), bound(end.at(i), len))),
    };
    Some(Vector { values: Values::List(parts), nulls })
}

/// `value IN list`, of integers, floats, texts, Booleans, dates, local times and date-times, instants, nodes
/// and relationships: null where it is not found and an element is null, or where the value is null and there
/// are elements.
pub fn contains<'s>(
    value: Argument<'_, 's>,
    list: Argument<'_, 's>,
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(Some(&list))?;
    let none = Nulls::NONE;
    let among = Among { lists, nulls, unknown: value.nulls().unwrap_or(&none), at };
    Some(match (&lists.child().values, value) {
        (Values::Int(of), Argument::One(Value::Int(n))) => among.found_in(of, Side::One(*n)),
        (Values::Int(of), Argument::Each(Vector { values: Values::Int(n), .. })) => {
            among.found_in(of, Side::Each(n))
        }
        (Values::Float(of), Argument::One(Value::Float(n))) => among.found_in(of, Side::One(*n)),
        (Values::Float(of), Argument::Each(Vector { values: Values::Float(n), .. })) => {
            among.found_in(of, Side::Each(n))
        }
        (Values::Bool(of), Argument::One(Value::Bool(is))) => among.found(|_, e| of[e] == *is),
        (Values::Date(of), Argument::One(Value::Date(day))) => {
            among.found(|_, e| i64::from(of[e]) == day.days)
        }
        (Values::Date(of), Argument::Each(Vector { values: Values::Date(days), .. })) => {
            among.found_in(of, Side::Each(days))
        }
        (Values::LocalDateTime(of), Argument::One(Value::LocalDateTime(time))) => {
            // None of a vector's is one that vectors cannot hold.
            let time = local_nanos(time);
            among.found(|_, e| Some(of[e]) == time)
        }
        (Values::LocalDateTime(of), Argument::Each(Vector { values: Values::LocalDateTime(times), .. }))
        | (Values::LocalTime(of), Argument::Each(Vector { values: Values::LocalTime(times), .. }))
        | (Values::DateTime(of), Argument::Each(Vector { values: Values::DateTime(times), .. })) => {
            among.found_in(of, Side::Each(times))
        }
        (Values::Node(of), Argument::One(Value::Node(node))) => among.found(|_, e| of.id(e) == *node),
        (Values::Node(of), Argument::Each(Vector { values: Values::Node(nodes), .. })) => {
            among.found(|i, e| of.id(e) == nodes.id(i))
        }
        (Values::Edge(of), Argument::One(Value::Relationship(edge))) => {
            among.found(|_, e| of.id(e) == edge.id)
        }
        (Values::Edge(of), Argument::Each(Vector { values: Values::Edge(edges), .. })) => {
            among.found(|i, e| of.id(e) == edges.id(i))
        }
        (Values::String(of), Argument::One(Value::String(text))) => match of.codes() {
            // Each text that there is is compared once.
            Some((codes, entries)) if entries.len() <= codes.len() => {
                let is: Vec<bool> = entries.iter().map(|entry| *entry == **text).collect();
                among.found(|_, e| is.get(codes[e] as usize).is_some_and(|is| *is))
            }
            _ => among.found(|_, e| of.get(e) == &**text),
        },
        (Values::String(of), Argument::Each(Vector { values: Values::String(texts), .. })) => {
            among.found(|i, e| of.get(e) == texts.get(i))
        }
        _ => return None,
    })
}

/// Lists in which something is looked for.
struct Among<'a, 's> {
    lists: &'a Lists<'s>,
    nulls: &'a Nulls,
    /// Where what is looked for is null.
    unknown: &'a Nulls,
    at: Positions<'a>,
}

impl<'s> Among<'_, 's> {
    /// Whether it is in each list, of elements that lie in a slice.
    fn found_in<T: Copy + PartialEq>(&self, of: &[T], n: Side<'_, T>) -> Vector<'s> {
        let Self { lists, at, .. } = *self;
        if !at.is_all() || !lists.child().nulls.is_none() || !self.unknown.is_none() {
            return self.found(|i, e| of[e] == n.at(i));
        }
        let is_in = |(start, len): (u32, u32), n: T| {
            let elements = of.get(start as usize..start as usize + len as usize).unwrap_or_default();
            // Of few, all are compared: which is the first one cannot be foreseen.
            match elements.len() <= FEW {
                true => elements.iter().fold(false, |is, e| is | (*e == n)),
                false => elements.contains(&n),
            }
        };
        let mut out: Vec<bool> = match n {
            Side::One(n) => lists.runs().map(|run| is_in(run, n)).collect(),
            Side::Each(n) => lists.runs().zip(n).map(|(run, n)| is_in(run, *n)).collect(),
        };
        out.resize(at.len, false);
        Vector { values: Values::Bool(out), nulls: self.nulls.clone() }
    }

    /// Whether it is in each list, where `is` tells of a position and a place in the child that it is there.
    fn found(&self, is: impl Fn(usize, usize) -> bool) -> Vector<'s> {
        let Self { lists, at, .. } = *self;
        let child = &**lists.child();
        let mut out = vec![false; at.len];
        let mut nulls = self.nulls.clone();
        let elements = |i: usize| lists.elements(i).map(|e| e as usize);
        if child.nulls.is_none() && self.unknown.is_none() {
            at.for_each(|i| out[i] = elements(i).any(|e| is(i, e)));
            return Vector { values: Values::Bool(out), nulls };
        }
        at.for_each(|i| {
            let mut elements = elements(i);
            if nulls.get(i) || elements.len() == 0 {
                // False, or no list.
            } else if self.unknown.get(i) {
                nulls.set(i, at.len);
            } else if elements.clone().any(|e| !child.nulls.get(e) && is(i, e)) {
                out[i] = true;
            } else if elements.any(|e| child.nulls.get(e)) {
                nulls.set(i, at.len);
            }
        });
        Vector { values: Values::Bool(out), nulls }
    }
}
