//! Kernels of lists, beside loops over the same arrays: the first element and the length of each list, of
//! whatever length, and one array of all elements.

use std::hint::black_box;

use trimorph_algebra::Op;

use super::columns::{A, Columns, LISTS};
use super::{Cases, N, Plain, call, int, op, plain, slot};

/// The elements of a list.
#[inline(always)]
fn of_run(elements: &[i64], (start, len): (u32, u32)) -> &[i64] {
    &elements[start as usize..(start + len) as usize]
}

/// An element of each list, at a place by its length, and a bit for each list that has none there.
fn picked<'a>(c: &'a Columns, place: impl Fn(u32) -> Option<u32> + 'a) -> Plain<'a> {
    Box::new(move || {
        let (runs, elements) = black_box((&c.runs, &c.elements));
        let (mut out, mut nulls) = (Vec::with_capacity(N), Vec::with_capacity(N / 64));
        for runs in runs.chunks(64) {
            let mut missing = 0u64;
            out.extend(runs.iter().enumerate().map(|(k, (start, len))| {
                let place = place(*len);
                missing |= u64::from(place.is_none()) << k;
                place.map_or(0, |place| elements[(start + place) as usize])
            }));
            nulls.push(missing);
        }
        drop(black_box((out, nulls)));
    })
}

/// The elements of each list in order.
fn sorted(c: &Columns) -> Plain<'_> {
    Box::new(move || {
        let (runs, elements) = black_box((&c.runs, &c.elements));
        let mut out: Vec<i64> = Vec::with_capacity(elements.len());
        for run in runs {
            let begin = out.len();
            out.extend_from_slice(of_run(elements, *run));
            out[begin..].sort_unstable();
        }
        drop(black_box(out));
    })
}

/// The elements of each list backwards, one list after the other.
fn reversed(c: &Columns) -> Plain<'_> {
    Box::new(move || {
        let (runs, elements) = black_box((&c.runs, &c.elements));
        let (mut out, mut made) = (Vec::<i64>::with_capacity(elements.len()), Vec::with_capacity(N));
        for run in runs {
            made.push((out.len() as u32, run.1));
            out.extend(of_run(elements, *run).iter().rev());
        }
        drop(black_box((out, made)));
    })
}

/// The elements of each list that are none of those before them.
fn distinct(c: &Columns) -> Plain<'_> {
    Box::new(move || {
        let (runs, elements) = black_box((&c.runs, &c.elements));
        let (mut out, mut made) = (Vec::with_capacity(elements.len()), Vec::with_capacity(N));
        for run in runs {
            let (start, list) = (out.len(), of_run(elements, *run));
            for (i, element) in list.iter().enumerate() {
                if !list[..i].contains(element) {
                    out.push(*element);
                }
            }
            made.push((start as u32, (out.len() - start) as u32));
        }
        drop(black_box((out, made)));
    })
}

/// All elements, made into something else, with the lists as they are.
fn mapped<'a, T>(c: &'a Columns, of: impl Fn(i64) -> T + 'a) -> Plain<'a> {
    Box::new(move || {
        let (runs, elements) = black_box((&c.runs, &c.elements));
        let out: Vec<T> = elements.iter().map(|element| of(*element)).collect();
        drop(black_box((runs.clone(), out)));
    })
}

/// The numbers from one to the length of each list, as parts of one array of all of them.
fn ranges(c: &Columns) -> Plain<'_> {
    Box::new(move || {
        let (runs, first) = black_box((&c.runs, 1i64));
        let last: Vec<i64> = runs.iter().map(|(_, len)| i64::from(*len)).collect();
        let most = last.iter().fold(0, |most, last| most.max(*last));
        let all: Vec<i64> = (first..=most).collect();
        let made = last.iter().map(|last| (0u32, (last - first + 1).max(0) as u32));
        drop(black_box((all, made.collect::<Vec<_>>())));
    })
}

/// What `of` makes of the lists of both sides, as floats.
fn near<'a>(c: &'a Columns, of: impl Fn(&[f64], &[f64]) -> f64 + 'a) -> Plain<'a> {
    Box::new(move || {
        let floats = |ints: &[i64]| ints.iter().map(|n| *n as f64).collect::<Vec<f64>>();
        let sides = black_box([(&c.runs, &c.elements), (&c.runs, &c.elements)]);
        let [left, right] = sides.map(|(_, elements)| floats(elements));
        let out = sides[0].0.iter().zip(sides[1].0).map(|(a, b)| {
            let a = &left[a.0 as usize..(a.0 + a.1) as usize];
            let b = &right[b.0 as usize..(b.0 + b.1) as usize];
            of(a, b)
        });
        drop(black_box(out.collect::<Vec<f64>>()));
    })
}

/// The sum of what `of` gives for the numbers of both lists.
#[inline(always)]
fn sum(a: &[f64], b: &[f64], of: impl Fn(f64, f64) -> f64) -> f64 {
    a.iter().zip(b).map(|(a, b)| of(*a, *b)).sum()
}

pub(super) fn cases(c: &Columns) -> Cases<'_> {
    let lists = || vec![slot(LISTS)];
    let [one, three] = black_box([1u32, 3]);
    vec![
        ("head", call("head", lists()), picked(c, |len| (len > 0).then_some(0))),
        ("last", call("last", lists()), picked(c, |len| len.checked_sub(1))),
        (
            "tail",
            call("tail", lists()),
            plain!(c.runs, |(start, len)| (start + u32::from(*len > 0), len.saturating_sub(1))),
        ),
        ("reverse(list)", call("reverse", lists()), reversed(c)),
        ("coll.distinct", call("coll.distinct", lists()), distinct(c)),
        ("coll.sort", call("coll.sort", lists()), sorted(c)),
        ("coll.max", call("coll.max", lists()), {
            let elements = &c.elements;
            plain!(c.runs, |run: &(u32, u32)| of_run(elements, *run).iter().fold(i64::MIN, |a, b| a.max(*b)))
        }),
        ("coll.min", call("coll.min", lists()), {
            let elements = &c.elements;
            plain!(c.runs, |run: &(u32, u32)| of_run(elements, *run).iter().fold(i64::MAX, |a, b| a.min(*b)))
        }),
        ("toIntegerList", call("toIntegerList", lists()), mapped(c, |n| n)),
        ("toFloatList", call("toFloatList", lists()), mapped(c, |n| n as f64)),
        ("toStringList", call("toStringList", lists()), mapped(c, |n| n.to_string())),
        ("toBooleanList", call("toBooleanList", lists()), mapped(c, |n| n != 0)),
        ("isEmpty", call("isEmpty", lists()), plain!(c.runs, |(_, len)| *len == 0)),
        ("list[1]", op(Op::Index, vec![slot(LISTS), int(1)]), {
            picked(c, move |len| (len > one).then_some(one))
        }),
        (
            "list[1..]",
            op(Op::Slice, vec![slot(LISTS), int(1), int(3)]),
            plain!(c.runs, |(start, len)| {
                let (first, end) = (one.min(*len), three.min(*len));
                (start + first, end.saturating_sub(first))
            }),
        ),
        ("range", call("range", vec![int(1), call("size", lists())]), ranges(c)),
        (
            "cosine",
            call("vector.similarity.cosine", vec![slot(LISTS), slot(LISTS)]),
            near(c, |a, b| {
                let lengths = (sum(a, a, |a, _| a * a) * sum(b, b, |b, _| b * b)).sqrt();
                f64::midpoint(1.0, sum(a, b, |a, b| a * b) / lengths)
            }),
        ),
        (
            "euclidean",
            call("vector.similarity.euclidean", vec![slot(LISTS), slot(LISTS)]),
            near(c, |a, b| 1.0 / (1.0 + sum(a, b, |a, b| (a - b) * (a - b)))),
        ),
        ("x IN list", op(Op::In, vec![slot(A), slot(LISTS)]), {
            let elements = &c.elements;
            plain!(c.a, c.runs, |(a, run): (&i64, &(u32, u32))| of_run(elements, *run).contains(a))
        }),
    ]
}
