//! Kernels of numbers, Booleans and choice.

use std::hint::black_box;

use trimorph_algebra::Op;
use trimorph_base::Span;
use trimorph_vector::{bits_of, flags_of};

use super::columns::{A, A_NULLS, B, Columns, DAYS, F, P, P_NULLS, Q, SMALL};
use super::{Cases, N, Plain, call, case, int, op, plain, slot};
use crate::expr::Ex;

/// An integer or a float.
fn mixed() -> Ex {
    case(vec![(slot(P), slot(A))], slot(F))
}

/// The float that a state of the random source gives.
fn random_float(state: u64) -> f64 {
    let bits = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((bits ^ bits >> 31) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A byte for each bit, as which loops over it are done in vectors.
fn bytes(words: &[u64]) -> Vec<u8> {
    let mut out = Vec::with_capacity(words.len() * 64);
    words.iter().for_each(|word| out.extend_from_slice(&flags_of(*word)));
    out
}

/// `p OR q` where some of `p` are null, and a bit for each answer that is: what is null on one side is
/// unknown unless the other is true.
fn or_with_nulls(c: &Columns) -> Plain<'_> {
    Box::new(move || {
        let (p, q, nulls) = black_box((&c.p, &c.q, c.nulls.words()));
        let values: Vec<bool> = p.iter().zip(q).map(|(p, q)| p | q).collect();
        let open = q.chunks(64).zip(nulls).map(|(q, nulls)| nulls & !bits_of(q));
        drop(black_box((values, open.collect::<Vec<u64>>())));
    })
}

/// The first of three conditions that is true, of which the third may be null, and the constant of it: all
/// constants are given when the loop runs.
fn case_of_three(c: &Columns) -> Plain<'_> {
    Box::new(move || {
        let (p, q, nulls, constants) = black_box((&c.p, &c.q, c.nulls.words(), [0i64, 1, 2, 3]));
        let number = |((p, q), null): ((&bool, &bool), &u8)| {
            let other = if *p & (*null == 0) { 3u8 } else { 0 };
            let other = if *q { 2 } else { other };
            if *p { 1 } else { other }
        };
        let nulls = bytes(nulls);
        let numbers: Vec<u8> = p.iter().zip(q).zip(&nulls).map(number).collect();
        drop(black_box(numbers.iter().map(|n| constants[usize::from(n & 3)]).collect::<Vec<_>>()));
    })
}

/// The integer of `a` where `p` is true, else the float of `f`, times two: each of its own type, and whether
/// it is a float. A product that does not fit is noticed.
fn doubled_numbers(c: &Columns) -> Plain<'_> {
    Box::new(move || {
        let (a, f, p, two) = black_box((&c.a, &c.f, &c.p, 2i64));
        let mut is_over = false;
        let of = |i: usize| {
            let (int, over) = a[i].overflowing_mul(two);
            is_over |= over & p[i];
            if p[i] { int.cast_unsigned() } else { (f[i] * two as f64).to_bits() }
        };
        let bits: Vec<u64> = (0..N).map(of).collect();
        let are_floats: Vec<bool> = p.iter().map(|p| !p).collect();
        drop(black_box((bits, are_floats, is_over)));
    })
}

/// `a`, or `b` where a bit says that it is null.
fn first_present(c: &Columns) -> Plain<'_> {
    Box::new(move || {
        let (a, b, nulls) = black_box((&c.a, &c.b, c.nulls.words()));
        let of = |((a, b), null): ((&i64, &i64), &u8)| if *null == 0 { *a } else { *b };
        let nulls = bytes(nulls);
        drop(black_box(a.iter().zip(b).zip(&nulls).map(of).collect::<Vec<_>>()));
    })
}

/// `abs(a - 90) * 2 + 1 < 15` of constants that are given when the loop runs, with a look at each step
/// whether it fits.
fn chain(c: &Columns) -> Plain<'_> {
    Box::new(move || {
        let (a, [ninety, two, one, fifteen]) = black_box((&c.a, [90i64, 2, 1, 15]));
        let mut is_over = false;
        let of = |a: &i64| {
            let (less, over) = a.overflowing_sub(ninety);
            let (abs, over_abs) = less.overflowing_abs();
            let (product, over_product) = abs.overflowing_mul(two);
            let (sum, over_sum) = product.overflowing_add(one);
            is_over |= over | over_abs | over_product | over_sum;
            sum < fifteen
        };
        let out: Vec<bool> = a.iter().map(of).collect();
        drop(black_box((out, is_over)));
    })
}

/// Rounded to two digits as the text of the number is: what is near a tie is noticed, as its text must tell.
fn two_digits(c: &Columns) -> Plain<'_> {
    Box::new(move || {
        let (f, scale) = black_box((&c.f, 100.0));
        let mut are_clear = true;
        let of = |f: &f64| {
            let scaled = f.abs() * scale;
            let floor = scaled.floor();
            let above = scaled - floor - 0.5;
            are_clear &= (scaled < 1e12) & (above.abs() > scaled * 1e-15);
            ((if above > 0.0 { floor + 1.0 } else { floor }) / scale).copysign(*f)
        };
        let out: Vec<f64> = f.iter().map(of).collect();
        drop(black_box((out, are_clear)));
    })
}

#[expect(clippy::too_many_lines, reason = "a list")]
pub(super) fn cases(c: &Columns) -> Cases<'_> {
    vec![
        ("int + int", op(Op::Add, vec![slot(A), slot(B)]), plain!(c.a, c.b, |(a, b)| a + b)),
        ("int * 3", op(Op::Mul, vec![slot(A), int(3)]), plain!(c.a, |a| a * black_box(3))),
        ("int / 10", op(Op::Div, vec![slot(A), int(10)]), plain!(c.a, |a| a / black_box(10))),
        ("int % int", op(Op::Mod, vec![slot(A), slot(B)]), plain!(c.a, c.b, |(a, b)| a % b)),
        ("int * float", op(Op::Mul, vec![slot(A), slot(F)]), plain!(c.a, c.f, |(a, f)| *a as f64 * f)),
        ("int ^ 2", op(Op::Pow, vec![slot(A), int(2)]), plain!(c.a, |a| (*a as f64).powf(black_box(2.0)))),
        ("-int", op(Op::Neg, vec![slot(A)]), plain!(c.a, |a| -a)),
        ("int < 100", op(Op::Lt, vec![slot(A), int(100)]), plain!(c.a, |a| *a < 100)),
        ("int < float", op(Op::Lt, vec![slot(A), slot(F)]), plain!(c.a, c.f, |(a, f)| (*a as f64) < *f)),
        ("date = date", op(Op::Eq, vec![slot(DAYS), slot(DAYS)]), plain!(c.days, c.days, |(a, b)| a == b)),
        ("and", op(Op::And, vec![slot(P), slot(Q)]), plain!(c.p, c.q, |(p, q)| p & q)),
        ("or, nulls", op(Op::Or, vec![slot(P_NULLS), slot(Q)]), or_with_nulls(c)),
        ("xor", op(Op::Xor, vec![slot(P), slot(Q)]), plain!(c.p, c.q, |(p, q)| p ^ q)),
        ("not", op(Op::Not, vec![slot(P)]), plain!(c.p, |p| !p)),
        ("is null", op(Op::IsNull, vec![slot(A_NULLS)]), plain!(c.a, |a| *a == 0)),
        ("case, 1 branch", case(vec![(slot(P), int(1))], int(0)), {
            // Constants that are given when the loop runs: a Boolean is not just made longer.
            Box::new(move || {
                let (p, [none, first]) = black_box((&c.p, [0i64, 1]));
                drop(black_box(p.iter().map(|p| if *p { first } else { none }).collect::<Vec<_>>()));
            })
        }),
        (
            "case, 3 branches",
            case(vec![(slot(P), int(1)), (slot(Q), int(2)), (slot(P_NULLS), int(3))], int(0)),
            case_of_three(c),
        ),
        ("case of columns", case(vec![(slot(P), slot(A))], slot(B)), {
            let (a, b, p) = (&c.a, &c.b, &c.p);
            Box::new(move || {
                drop(black_box((0..N).map(|i| if p[i] { a[i] } else { b[i] }).collect::<Vec<_>>()))
            })
        }),
        ("case of an int or a float", mixed(), {
            let (a, f, p) = (&c.a, &c.f, &c.p);
            Box::new(move || {
                drop(black_box((0..N).map(|i| if p[i] { a[i] as f64 } else { f[i] }).collect::<Vec<_>>()))
            })
        }),
        ("the same * 2", op(Op::Mul, vec![mixed(), int(2)]), doubled_numbers(c)),
        ("the same < 100", op(Op::Lt, vec![mixed(), int(100)]), {
            let (a, f, p) = (&c.a, &c.f, &c.p);
            Box::new(move || {
                let of = |i: usize| if p[i] { a[i] < 100 } else { f[i] < 100.0 };
                drop(black_box((0..N).map(of).collect::<Vec<_>>()))
            })
        }),
        ("coalesce", call("coalesce", vec![slot(A_NULLS), slot(B)]), first_present(c)),
        ("abs", call("abs", vec![slot(A)]), plain!(c.a, |a| a.abs())),
        ("sqrt", call("sqrt", vec![slot(F)]), plain!(c.f, |f| f.sqrt())),
        ("floor", call("floor", vec![slot(F)]), plain!(c.f, |f| f.floor())),
        // Adding a half first rounds the greatest float below a half, and odd numbers from 2^52 on, up.
        (
            "round",
            call("round", vec![slot(F)]),
            plain!(c.f, |f| if f - f.floor() >= 0.5 { f.floor() + 1.0 } else { f.floor() }),
        ),
        ("round to 2", call("round", vec![slot(F), int(2)]), two_digits(c)),
        ("log10", call("log10", vec![slot(F)]), plain!(c.f, |f| f.log10())),
        ("sin", call("sin", vec![slot(F)]), plain!(c.f, |f| f.sin())),
        ("toFloat", call("toFloat", vec![slot(A)]), plain!(c.a, |a| *a as f64)),
        ("toInteger", call("toInteger", vec![slot(F)]), plain!(c.f, |f| *f as i64)),
        ("toString(int)", call("toString", vec![slot(A)]), plain!(c.a, |a| a.to_string())),
        ("toString(date)", call("toString", vec![slot(DAYS)]), plain!(c.days, |d| format!("{d}"))),
        (
            "abs(a - 90) * 2 + 1 < 15",
            op(
                Op::Lt,
                vec![
                    Ex::Chain(
                        Box::new(op(
                            Op::Mul,
                            vec![call("abs", vec![op(Op::Sub, vec![slot(A), int(90)])]), int(2)],
                        )),
                        vec![(Op::Add, int(1), Span::default())],
                    ),
                    int(15),
                ],
            ),
            chain(c),
        ),
        ("int - int", op(Op::Sub, vec![slot(A), slot(B)]), plain!(c.a, c.b, |(a, b)| a - b)),
        ("int <= int", op(Op::Le, vec![slot(A), slot(B)]), plain!(c.a, c.b, |(a, b)| a <= b)),
        ("int > int", op(Op::Gt, vec![slot(A), slot(B)]), plain!(c.a, c.b, |(a, b)| a > b)),
        ("int >= int", op(Op::Ge, vec![slot(A), slot(B)]), plain!(c.a, c.b, |(a, b)| a >= b)),
        ("int <> int", op(Op::Ne, vec![slot(A), slot(B)]), plain!(c.a, c.b, |(a, b)| a != b)),
        ("is not null", op(Op::IsNotNull, vec![slot(A_NULLS)]), plain!(c.a, |a| *a == 0)),
        ("nullIf", call("nullIf", vec![slot(A), int(0)]), plain!(c.a, |a| (*a, *a == 0))),
        ("sign", call("sign", vec![slot(A)]), plain!(c.a, |a| a.signum())),
        ("isNaN", call("isNaN", vec![slot(F)]), plain!(c.f, |f| f.is_nan())),
        ("atan2", call("atan2", vec![slot(F), slot(F)]), plain!(c.f, |f| f.atan2(*f))),
        ("rand", call("rand", Vec::new()), plain!(c.a, |a| random_float(*a as u64))),
        ("ceil", call("ceil", vec![slot(F)]), plain!(c.f, |f| f.ceil())),
        ("ceiling", call("ceiling", vec![slot(F)]), plain!(c.f, |f| f.ceil())),
        ("exp", call("exp", vec![slot(SMALL)]), plain!(c.small, |f| f.exp())),
        ("log", call("log", vec![slot(F)]), plain!(c.f, |f| f.ln())),
        ("ln", call("ln", vec![slot(F)]), plain!(c.f, |f| f.ln())),
        ("cos", call("cos", vec![slot(F)]), plain!(c.f, |f| f.cos())),
        ("tan", call("tan", vec![slot(F)]), plain!(c.f, |f| f.tan())),
        ("cot", call("cot", vec![slot(F)]), plain!(c.f, |f| 1.0 / f.tan())),
        ("asin", call("asin", vec![slot(SMALL)]), plain!(c.small, |f| f.asin())),
        ("acos", call("acos", vec![slot(SMALL)]), plain!(c.small, |f| f.acos())),
        ("atan", call("atan", vec![slot(F)]), plain!(c.f, |f| f.atan())),
        ("sinh", call("sinh", vec![slot(SMALL)]), plain!(c.small, |f| f.sinh())),
        ("cosh", call("cosh", vec![slot(SMALL)]), plain!(c.small, |f| f.cosh())),
        ("tanh", call("tanh", vec![slot(SMALL)]), plain!(c.small, |f| f.tanh())),
        ("coth", call("coth", vec![slot(SMALL)]), plain!(c.small, |f| 1.0 / f.tanh())),
        ("degrees", call("degrees", vec![slot(F)]), plain!(c.f, |f| f.to_degrees())),
        ("radians", call("radians", vec![slot(F)]), plain!(c.f, |f| f.to_radians())),
        ("haversin", call("haversin", vec![slot(F)]), plain!(c.f, |f| (1.0 - f.cos()) / 2.0)),
        ("toInt", call("toInt", vec![slot(F)]), plain!(c.f, |f| *f as i64)),
        ("toIntegerOrNull", call("toIntegerOrNull", vec![slot(F)]), plain!(c.f, |f| *f as i64)),
        ("toFloatOrNull", call("toFloatOrNull", vec![slot(A)]), plain!(c.a, |a| *a as f64)),
        ("toBoolean", call("toBoolean", vec![slot(A)]), plain!(c.a, |a| *a != 0)),
        ("toBooleanOrNull", call("toBooleanOrNull", vec![slot(A)]), plain!(c.a, |a| *a != 0)),
        ("toStringOrNull(int)", call("toStringOrNull", vec![slot(A)]), plain!(c.a, |a| a.to_string())),
    ]
}
