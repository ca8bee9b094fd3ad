//! Kernels of lists: vectors of lists in, a typed vector out. Elements are picked, not made: a part of a list
//! is another run of the same child.

use std::ops::Range;

use trimorph_types::Value;
use trimorph_vector::{Lists, Nulls, Positions, Values, Vector, local_nanos};

use crate::context::Context;
use crate::kernel::{Argument, nulls_of};

/// Elements that a kernel makes at most: 16 MB of texts. More are left to the general path, which holds them
/// from the budget.
pub(crate) const MADE_MAX: usize = 1 << 20;

/// The lists of an argument that has one for each position.
fn lists_of<'a, 's>(argument: Option<&Argument<'a, 's>>) -> Option<(&'a Lists<'s>, &'a Nulls)> {
    match argument {
        Some(Argument::Each(Vector { values: Values::List(lists), nulls })) => Some((lists, nulls)),
        _ => None,
    }
}

/// How many elements there are.
pub(crate) fn size<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(args.first())?;
    let mut out = vec![0; at.len];
    // What has no list has no elements; a length has 32 bits.
    at.for_each(|i| out[i] = lists.count(i) as i64);
    Some(Vector { values: Values::Int(out), nulls: nulls.clone() })
}

/// Whether there are no elements.
pub(crate) fn is_empty<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(args.first())?;
    let mut out = vec![false; at.len];
    at.for_each(|i| out[i] = lists.count(i) == 0);
    Some(Vector { values: Values::Bool(out), nulls: nulls.clone() })
}

/// An element of each list: `place` gives which, by position and length. Null where there is none.
fn pick<'s>(
    lists: &Lists<'s>,
    mut nulls: Nulls,
    at: Positions<'_>,
    place: impl Fn(usize, usize) -> Option<usize>,
) -> Vector<'s> {
    let child = lists.child();
    let mut positions = vec![0u32; at.len];
    let mut any = false;
    at.for_each(|i| {
        if nulls.get(i) {
            return;
        }
        let elements = lists.elements(i);
        let found = place(i, elements.len()).and_then(|k| elements.clone().nth(k));
        match found {
            Some(e) => {
                positions[i] = e;
                any = true;
            }
            None => nulls.set(i, at.len),
        }
    });
    if !any {
        return Vector::nulls(at.len);
    }
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

/// The first element.
pub(crate) fn head<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(args.first())?;
    Some(pick(lists, nulls.clone(), at, |_, _| Some(0)))
}

/// The last element.
pub(crate) fn last<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(args.first())?;
    Some(pick(lists, nulls.clone(), at, |_, len| len.checked_sub(1)))
}

/// All elements but the first.
pub(crate) fn tail<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], _: Positions<'_>) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(args.first())?;
    Some(Vector { values: Values::List(lists.parts(|_, len| 1..len)), nulls: nulls.clone() })
}

/// The elements backwards.
pub(crate) fn reverse<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (lists, nulls) = lists_of(args.first())?;
    let mut elements = Vec::new();
    let mut runs = vec![(0, 0); at.len];
    let mut fits = true;
    at.for_each(|i| {
        if fits && !nulls.get(i) {
            let start = u32::try_from(elements.len());
            let run = lists.elements(i);
            fits = start.is_ok() && elements.len() + run.len() <= MADE_MAX;
            if fits {
                runs[i] = (start.unwrap_or(0), run.end - run.start);
                elements.extend(run.rev());
            }
        }
    });
    let lists = fits.then(|| Lists::new(runs.into_iter(), lists.child().gather(&elements)))??;
    Some(Vector { values: Values::List(lists), nulls: nulls.clone() })
}

/// Whether words rise from one to the next, as those of neighbours do: then none comes twice.
fn rise(mut words: impl Iterator<Item = u64>) -> bool {
    let mut last = words.next();
    words.all(|word| last.replace(word).is_none_or(|last| last < word))
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
        Values::Node(nodes) => distinct_by(lists, nulls, at, |e| nodes.id(e).0),
        Values::Edge(edges) => distinct_by(lists, nulls, at, |e| edges.id(e).0),
        Values::Int(v) | Values::LocalTime(v) | Values::LocalDateTime(v) | Values::DateTime(v) => {
            distinct_by(lists, nulls, at, |e| v[e].cast_unsigned())
        }
        _ => None,
    }
}

/// The same, where elements are told apart by words.
fn distinct_by<'s>(
    lists: &Lists<'s>,
    nulls: &Nulls,
    at: Positions<'_>,
    word: impl Fn(usize) -> u64,
) -> Option<Vector<'s>> {
    // The lists that have elements twice, with those that stay, and how many elements there are then.
    let (mut shorter, mut fits, mut left): (Vec<(usize, Vec<u32>)>, _, _) = (Vec::new(), true, 0);
    let mut sorted: Vec<(u64, u32)> = Vec::new();
    at.for_each(|i| {
        let run = lists.elements(i);
        if !fits || nulls.get(i) {
            return;
        }
        left += run.len();
        if rise(run.clone().map(|e| word(e as usize))) {
            return;
        }
        fits = run.len() <= MADE_MAX;
        if fits {
            sorted.clear();
            sorted.extend(run.map(|e| (word(e as usize), e)));
            sorted.sort_unstable();
            let elements = sorted.len();
            sorted.dedup_by_key(|(word, _)| *word);
            if sorted.len() < elements {
                let mut stay: Vec<u32> = sorted.iter().map(|(_, e)| *e).collect();
                stay.sort_unstable();
                shorter.push((i, stay));
            }
        }
    });
    if !fits || (!shorter.is_empty() && left > MADE_MAX) {
        return None;
    }
    let mut lists = lists.clone();
    if !shorter.is_empty() {
        let (mut elements, mut runs) = (Vec::with_capacity(left), vec![(0, 0); at.len]);
        let mut shorter = shorter.into_iter().peekable();
        at.for_each(|i| {
            if nulls.get(i) {
                return;
            }
            // There are fewer than `MADE_MAX`.
            let start = elements.len() as u32;
            match shorter.next_if(|(shorter, _)| *shorter == i) {
                Some((_, stay)) => elements.extend(stay),
                None => elements.extend(lists.elements(i)),
            }
            runs[i] = (start, elements.len() as u32 - start);
        });
        lists = Lists::new(runs.into_iter(), lists.child().gather(&elements))?;
    }
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
    let (first, last) = match args {
        [first, last] | [first, last, Argument::One(Value::Int(1))] => (Ints::of(*first)?, Ints::of(*last)?),
        _ => return None,
    };
    let nulls = nulls_of(args, at.len);
    let (mut least, mut most) = (i64::MAX, i64::MIN);
    at.for_each(|i| {
        if !nulls.get(i) && first.at(i) <= last.at(i) {
            least = least.min(first.at(i));
            most = most.max(last.at(i));
        }
    });
    let count = if least <= most { most.checked_sub(least)?.checked_add(1)? } else { 0 };
    let count = usize::try_from(count).ok().filter(|count| *count <= MADE_MAX)?;
    let child: Vec<i64> = (0..count as i64).map(|k| least + k).collect();
    let mut runs = vec![(0, 0); at.len];
    at.for_each(|i| {
        let (first, last) = (first.at(i), last.at(i));
        if !nulls.get(i) && first <= last {
            // Both are within what there is.
            let place = |n: i64| u32::try_from(n - least).unwrap_or(0);
            runs[i] = (place(first), place(last) - place(first) + 1);
        }
    });
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
        return Some(pick(&lists, nulls_of(&[index], at.len), at, |i, len| place(ints.at(i), len)));
    }
    let (lists, _) = lists_of(Some(&list))?;
    Some(pick(lists, nulls_of(&[list, index], at.len), at, |i, len| place(ints.at(i), len)))
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
    let bound = |index: i64, len: usize| place(index, len).unwrap_or(0).min(len);
    let part = |i: usize, len: usize| -> Range<usize> { bound(first.at(i), len)..bound(end.at(i), len) };
    let nulls = nulls_of(&[list, from, to], at.len);
    Some(Vector { values: Values::List(lists.parts(part)), nulls })
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
        (Values::Int(of), Argument::One(Value::Int(n))) => among.found(|_, e| of[e] == *n),
        (Values::Int(of), Argument::Each(Vector { values: Values::Int(n), .. })) => {
            among.found(|i, e| of[e] == n[i])
        }
        (Values::Float(of), Argument::One(Value::Float(n))) => among.found(|_, e| of[e] == *n),
        (Values::Float(of), Argument::Each(Vector { values: Values::Float(n), .. })) => {
            among.found(|i, e| of[e] == n[i])
        }
        (Values::Bool(of), Argument::One(Value::Bool(is))) => among.found(|_, e| of[e] == *is),
        (Values::Date(of), Argument::One(Value::Date(day))) => {
            among.found(|_, e| i64::from(of[e]) == day.days)
        }
        (Values::Date(of), Argument::Each(Vector { values: Values::Date(days), .. })) => {
            among.found(|i, e| of[e] == days[i])
        }
        (Values::LocalDateTime(of), Argument::One(Value::LocalDateTime(time))) => {
            // None of a vector's is one that vectors cannot hold.
            let time = local_nanos(time);
            among.found(|_, e| Some(of[e]) == time)
        }
        (Values::LocalDateTime(of), Argument::Each(Vector { values: Values::LocalDateTime(times), .. })) => {
            among.found(|i, e| of[e] == times[i])
        }
        (Values::LocalTime(of), Argument::Each(Vector { values: Values::LocalTime(times), .. }))
        | (Values::DateTime(of), Argument::Each(Vector { values: Values::DateTime(times), .. })) => {
            among.found(|i, e| of[e] == times[i])
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
