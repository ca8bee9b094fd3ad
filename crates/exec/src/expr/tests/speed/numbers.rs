//! Kernels of numbers, Booleans and choice.

use std::hint::black_box;

use trimorph_algebra::Op;
use trimorph_base::Span;

use super::columns::{A, A_NULLS, B, Columns, DAYS, F, P, P_NULLS, Q, SMALL};
use super::{Cases, N, call, case, int, op, plain, slot};
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
        ("or, nulls", op(Op::Or, vec![slot(P_NULLS), slot(Q)]), plain!(c.p, c.q, |(p, q)| p | q)),
        ("xor", op(Op::Xor, vec![slot(P), slot(Q)]), plain!(c.p, c.q, |(p, q)| p ^ q)),
        ("not", op(Op::Not, vec![slot(P)]), plain!(c.p, |p| !p)),
        ("is null", op(Op::IsNull, vec![slot(A_NULLS)]), plain!(c.a, |a| *a == 0)),
        ("case, 1 branch", case(vec![(slot(P), int(1))], int(0)), plain!(c.p, |p| i64::from(*p))),
        (
            "case, 3 branches",
            case(vec![(slot(P), int(1)), (slot(Q), int(2)), (slot(P_NULLS), int(3))], int(0)),
            plain!(c.p, c.q, |(p, q)| if *p {
                1i64
            } else if *q {
                2
            } else {
                0
            }),
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
        ("the same * 2", op(Op::Mul, vec![mixed(), int(2)]), {
            let (a, f, p) = (&c.a, &c.f, &c.p);
            Box::new(move || {
                let of = |i: usize| 2.0 * if p[i] { a[i] as f64 } else { f[i] };
                drop(black_box((0..N).map(of).collect::<Vec<_>>()))
            })
        }),
        ("the same < 100", op(Op::Lt, vec![mixed(), int(100)]), {
            let (a, f, p) = (&c.a, &c.f, &c.p);
            Box::new(move || {
                let of = |i: usize| if p[i] { a[i] < 100 } else { f[i] < 100.0 };
                drop(black_box((0..N).map(of).collect::<Vec<_>>()))
            })
        }),
        (
            "coalesce",
            call("coalesce", vec![slot(A_NULLS), slot(B)]),
            plain!(c.a, c.b, |(a, b)| if *a == 7 { *a } else { *b }),
        ),
        ("abs", call("abs", vec![slot(A)]), plain!(c.a, |a| a.abs())),
        ("sqrt", call("sqrt", vec![slot(F)]), plain!(c.f, |f| f.sqrt())),
        ("floor", call("floor", vec![slot(F)]), plain!(c.f, |f| f.floor())),
        ("round", call("round", vec![slot(F)]), plain!(c.f, |f| (f + 0.5).floor())),
        ("round to 2", call("round", vec![slot(F), int(2)]), plain!(c.f, |f| (f * 100.0).round() / 100.0)),
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
            plain!(c.a, |a| (a - 90).abs() * 2 + 1 < 15),
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
