//! Kernels of texts, beside `memmem` or a loop over the same bytes.

use memchr::memmem::Finder;
use trimorph_algebra::Op;

use super::columns::{Columns, DIGITS, PARTS, TEXTS};
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
            Box::new(move || {
                let (mut out, mut ends) = (Vec::new(), Vec::with_capacity(texts.len()));
                for (text, digits) in std::hint::black_box(texts).iter().zip(&c.digits) {
                    whole(text, &mut out);
                    whole(digits, &mut out);
                    ends.push(out.len());
                }
                drop(std::hint::black_box((out, ends)));
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
