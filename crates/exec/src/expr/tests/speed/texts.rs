//! Kernels of texts, beside `memmem` or a loop over the same bytes, and of lists.

use memchr::memmem::Finder;
use trimorph_algebra::Op;

use super::columns::{A, Columns, DIGITS, LISTS, PARTS, TEXTS};
use super::{Cases, Plain, call, int, op, plain, slot, text};

/// The texts one after the other, each changed by `of`.
fn copied<'a>(texts: &'a [String], of: impl Fn(&str, &mut Vec<u8>) + 'a) -> Plain<'a> {
    Box::new(move || {
        let (mut out, mut ends) = (Vec::new(), Vec::with_capacity(texts.len()));
        for text in std::hint::black_box(texts) {
            of(text, &mut out);
            ends.push(out.len());
        }
        drop(std::hint::black_box((out, ends)));
    })
}

fn whole(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(text.as_bytes());
}

fn searched(texts: &[String]) -> Plain<'_> {
    let finder = Finder::new("needle");
    plain!(*texts, |t| finder.find(t.as_bytes()).is_some())
}

pub(super) fn cases(c: &Columns) -> Cases<'_> {
    let (texts, needle) = (&c.texts[..], || text("needle"));
    let mut out: Cases<'_> = vec![
        ("CONTAINS", op(Op::Contains, vec![slot(TEXTS), needle()]), searched(texts)),
        ("=~ .*needle.*", op(Op::Regex, vec![slot(TEXTS), text(".*needle.*")]), searched(texts)),
        (
            "STARTS WITH",
            op(Op::StartsWith, vec![slot(TEXTS), needle()]),
            plain!(*texts, |t| t.as_bytes().starts_with(b"needle")),
        ),
        (
            "ENDS WITH",
            op(Op::EndsWith, vec![slot(TEXTS), needle()]),
            plain!(*texts, |t| t.as_bytes().ends_with(b"needle")),
        ),
        (
            "text = text",
            op(Op::Eq, vec![slot(TEXTS), slot(TEXTS)]),
            plain!(*texts, *texts, |(a, b): (&String, &String)| a == b),
        ),
        ("text < 'needle'", op(Op::Lt, vec![slot(TEXTS), needle()]), plain!(*texts, |t| &**t < "needle")),
        ("size", call("size", vec![slot(TEXTS)]), plain!(*texts, |t| t.len())),
        ("text + text", op(Op::Add, vec![slot(TEXTS), slot(DIGITS)]), {
            copied(texts, |t, out| {
                whole(t, out);
                whole("123", out);
            })
        }),
        ("substring", call("substring", vec![slot(TEXTS), int(3), int(5)]), plain!(*texts, |t| &t[3..8])),
        ("left", call("left", vec![slot(TEXTS), int(5)]), plain!(*texts, |t| &t[..5])),
        ("right", call("right", vec![slot(TEXTS), int(5)]), plain!(*texts, |t| &t[t.len() - 5..])),
        ("replace", call("replace", vec![slot(TEXTS), needle(), text("x")]), {
            let finder = Finder::new("needle");
            copied(texts, move |t, out| {
                let mut from = 0;
                for at in finder.find_iter(t.as_bytes()) {
                    whole(&t[from..at], out);
                    whole("x", out);
                    from = at + 6;
                }
                whole(&t[from..], out);
            })
        }),
        (
            "reverse(text)",
            call("reverse", vec![slot(TEXTS)]),
            copied(texts, |t, out| out.extend(t.bytes().rev())),
        ),
        (
            "split",
            call("split", vec![slot(PARTS), text(",")]),
            plain!(c.parts, |t| memchr::memchr_iter(b',', t.as_bytes()).sum::<usize>()),
        ),
        (
            "toInteger(text)",
            call("toInteger", vec![slot(DIGITS)]),
            plain!(c.digits, |t| t.parse::<i64>().unwrap_or(0)),
        ),
        (
            "toFloat(text)",
            call("toFloat", vec![slot(DIGITS)]),
            plain!(c.digits, |t| t.parse::<f64>().unwrap_or(0.0)),
        ),
        ("head", call("head", vec![slot(LISTS)]), plain!(c.lists, |l| l[0])),
        ("last", call("last", vec![slot(LISTS)]), plain!(c.lists, |l| l[3])),
        ("tail", call("tail", vec![slot(LISTS)]), plain!(c.lists, |l| (l.as_ptr() as usize, 3u32))),
        ("reverse(list)", call("reverse", vec![slot(LISTS)]), plain!(c.lists, |l| [l[3], l[2], l[1], l[0]])),
        (
            "coll.distinct",
            call("coll.distinct", vec![slot(LISTS)]),
            plain!(c.lists, |l| (1..4).map(|i| l[..i].contains(&l[i])).fold(false, |a, b| a | b)),
        ),
        ("isEmpty", call("isEmpty", vec![slot(LISTS)]), plain!(c.lists, |l| l.is_empty())),
        ("list[1]", op(Op::Index, vec![slot(LISTS), int(1)]), plain!(c.lists, |l| l[1])),
        (
            "list[1..]",
            op(Op::Slice, vec![slot(LISTS), int(1), int(3)]),
            plain!(c.lists, |l| (l.as_ptr() as usize, 2u32)),
        ),
        (
            "range",
            call("range", vec![int(1), call("size", vec![slot(LISTS)])]),
            plain!(c.lists, |l| (1u32, l.len())),
        ),
        (
            "cosine",
            call("vector.similarity.cosine", vec![slot(LISTS), slot(LISTS)]),
            plain!(c.lists, |l| near(l, |a, b| a * b)
                / (near(l, |a, _| a * a) * near(l, |_, b| b * b)).sqrt()),
        ),
        (
            "euclidean",
            call("vector.similarity.euclidean", vec![slot(LISTS), slot(LISTS)]),
            plain!(c.lists, |l| 1.0 / (1.0 + near(l, |a, b| (a - b) * (a - b)))),
        ),
        ("x IN list", op(Op::In, vec![slot(A), slot(LISTS)]), plain!(c.a, c.lists, |(a, l)| l.contains(a))),
    ];
    for name in ["toUpper", "upper", "toLower", "lower"] {
        let is_upper = name.contains('p') || name.contains("Up");
        out.push((name, call(name, vec![slot(TEXTS)]), {
            copied(texts, move |t, out| match is_upper {
                true => out.extend(t.bytes().map(|b| b.to_ascii_uppercase())),
                false => out.extend(t.bytes().map(|b| b.to_ascii_lowercase())),
            })
        }));
    }
    for name in ["trim", "btrim", "ltrim", "rtrim"] {
        out.push((name, call(name, vec![slot(TEXTS)]), plain!(*texts, |t| t.trim_ascii())));
    }
    for name in ["char_length", "character_length"] {
        out.push((name, call(name, vec![slot(TEXTS)]), plain!(*texts, |t| t.len())));
    }
    out
}

/// The sum of what `of` gives for each number of a list, which stands on both sides.
#[inline]
fn near(list: &[i64], of: impl Fn(f64, f64) -> f64) -> f64 {
    list.iter().map(|n| of(*n as f64, *n as f64)).sum()
}
