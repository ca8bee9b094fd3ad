//! Nanoseconds a value of each kernel, beside the plain loop over slices that does the same.
//!
//! `cargo test --release -p trimorph-exec -- --ignored --nocapture kernels_beside_plain_loops`

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use trimorph_algebra::Op;
use trimorph_base::{Random, Span};
use trimorph_catalog::CatalogView;
use trimorph_functions::lookup;
use trimorph_store::Snapshot;
use trimorph_store::access::PropertyAccess;
use trimorph_types::temporal::calendar::{date_from_days, days_from_date};
use trimorph_types::{Duration, Value};
use trimorph_vector::{Chunk, Group, Nulls, Selection, VECTOR_SIZE, Values, Vector};

use crate::expr::{Ex, evaluate};
use crate::layout::Place;
use crate::{Context, Settings};

const DAY: i64 = 86_400_000_000_000;
const N: usize = VECTOR_SIZE;

/// A plain loop.
type Plain<'a> = Box<dyn Fn() + 'a>;

/// The fastest of some rounds, in nanoseconds a value.
fn time(mut work: impl FnMut()) -> f64 {
    let mut least = f64::MAX;
    for _ in 0..40 {
        let start = Instant::now();
        for _ in 0..20 {
            work();
        }
        least = least.min(start.elapsed().as_nanos() as f64 / (20 * N) as f64);
    }
    least
}

fn slot(slot: usize) -> Ex {
    Ex::Slot(Place { group: 0, slot })
}

fn int(i: i64) -> Ex {
    Ex::Const(Value::Int(i))
}

fn op(op: Op, args: Vec<Ex>) -> Ex {
    Ex::Op(op, args, Span::default())
}

fn call(name: &str, args: Vec<Ex>) -> Ex {
    Ex::Call(lookup(name).expect(name), args, Span::default())
}

#[test]
#[ignore = "a measurement"]
#[expect(clippy::too_many_lines, reason = "a list")]
fn kernels_beside_plain_loops() {
    let snapshot = Snapshot::default();
    let cx = Context::new(&snapshot, Arc::new(Settings::default()));
    let mut random = Random::new(1);
    let mut draw = |low: i64, high: i64| (0..N).map(|_| random.between(low, high)).collect::<Vec<i64>>();
    let (a, b) = (draw(-1_000, 1_000), draw(1, 500));
    let f: Vec<f64> = draw(1, 1_000_000).iter().map(|n| *n as f64 / 7.0).collect();
    let days: Vec<i32> = draw(10_000, 16_000).iter().map(|d| *d as i32).collect();
    let t = draw(10_000 * DAY, 16_000 * DAY);
    let u = draw(10_000 * DAY, 16_000 * DAY);
    let (p, q): (Vec<bool>, Vec<bool>) =
        (a.iter().map(|n| *n > 0).collect(), b.iter().map(|n| *n > 250).collect());
    let mut nulls = Nulls::NONE;
    draw(0, N as i64 - 1).iter().take(N / 5).for_each(|i| nulls.set(*i as usize, N));
    let group = Group {
        len: N,
        selection: Selection::All,
        flat: None,
        multiplicity: None,
        vectors: vec![
            Vector::new(Values::Int(a.clone())),
            Vector::new(Values::Int(b.clone())),
            Vector::new(Values::Float(f.clone())),
            Vector::new(Values::Date(days.clone())),
            Vector::new(Values::DateTime(t.clone())),
            Vector::new(Values::DateTime(u.clone())),
            Vector::new(Values::Bool(p.clone())),
            Vector::new(Values::Bool(q.clone())),
            Vector { values: Values::Bool(p.clone()), nulls: nulls.clone() },
            Vector { values: Values::Int(a.clone()), nulls },
        ],
    };
    let chunk = Chunk { groups: vec![group] };
    let view = CatalogView::new(snapshot.catalog());
    let property = |base: Ex, key: &str| Ex::Property {
        base: Box::new(base),
        key: key.into(),
        columns: Arc::new(PropertyAccess::new(&view, key)),
        span: Span::default(),
    };
    let unit = |unit: &str| Ex::Const(Value::string(unit));
    let case = |branches: Vec<(Ex, Ex)>, otherwise: Ex| Ex::Case { branches, otherwise: Box::new(otherwise) };
    let day = Duration { days: 1, ..Duration::default() };
    let month = Duration { months: 1, ..Duration::default() };
    macro_rules! plain {
        ($v:ident, $of:expr) => {
            Box::new(|| drop(black_box(black_box(&$v).iter().map($of).collect::<Vec<_>>()))) as Plain<'_>
        };
        ($v:ident, $w:ident, $of:expr) => {
            Box::new(|| {
                drop(black_box(black_box(&$v).iter().zip(black_box(&$w)).map($of).collect::<Vec<_>>()))
            }) as Plain<'_>
        };
    }
    let list: Vec<(&str, Ex, Plain<'_>)> = vec![
        ("int + int", op(Op::Add, vec![slot(0), slot(1)]), plain!(a, b, |(a, b)| a + b)),
        ("int * 3", op(Op::Mul, vec![slot(0), int(3)]), plain!(a, |a| a * black_box(3))),
        ("int / 10", op(Op::Div, vec![slot(0), int(10)]), plain!(a, |a| a / black_box(10))),
        ("int % int", op(Op::Mod, vec![slot(0), slot(1)]), plain!(a, b, |(a, b)| a % b)),
        ("int * float", op(Op::Mul, vec![slot(0), slot(2)]), plain!(a, f, |(a, f)| *a as f64 * f)),
        ("int ^ 2", op(Op::Pow, vec![slot(0), int(2)]), plain!(a, |a| (*a as f64).powf(black_box(2.0)))),
        ("-int", op(Op::Neg, vec![slot(0)]), plain!(a, |a| -a)),
        ("int < 100", op(Op::Lt, vec![slot(0), int(100)]), plain!(a, |a| *a < 100)),
        ("int < float", op(Op::Lt, vec![slot(0), slot(2)]), plain!(a, f, |(a, f)| (*a as f64) < *f)),
        ("date = date", op(Op::Eq, vec![slot(3), slot(3)]), plain!(days, days, |(a, b)| a == b)),
        ("and", op(Op::And, vec![slot(6), slot(7)]), plain!(p, q, |(p, q)| p & q)),
        ("or, nulls", op(Op::Or, vec![slot(8), slot(7)]), plain!(p, q, |(p, q)| p | q)),
        ("xor", op(Op::Xor, vec![slot(6), slot(7)]), plain!(p, q, |(p, q)| p ^ q)),
        ("not", op(Op::Not, vec![slot(6)]), plain!(p, |p| !p)),
        ("is null", op(Op::IsNull, vec![slot(9)]), plain!(a, |a| *a == 0)),
        ("case, 1 branch", case(vec![(slot(6), int(1))], int(0)), plain!(p, |p| i64::from(*p))),
        (
            "case, 3 branches",
            case(vec![(slot(6), int(1)), (slot(7), int(2)), (slot(8), int(3))], int(0)),
            plain!(p, q, |(p, q)| if *p {
                1i64
            } else if *q {
                2
            } else {
                0
            }),
        ),
        ("case of columns", case(vec![(slot(6), slot(0))], slot(1)), {
            let (a, b, p) = (&a, &b, &p);
            Box::new(move || {
                drop(black_box((0..N).map(|i| if p[i] { a[i] } else { b[i] }).collect::<Vec<_>>()))
            })
        }),
        (
            "coalesce",
            call("coalesce", vec![slot(9), slot(1)]),
            plain!(a, b, |(a, b)| if *a == 7 { *a } else { *b }),
        ),
        ("abs", call("abs", vec![slot(0)]), plain!(a, |a| a.abs())),
        ("sqrt", call("sqrt", vec![slot(2)]), plain!(f, |f| f.sqrt())),
        ("floor", call("floor", vec![slot(2)]), plain!(f, |f| f.floor())),
        ("round", call("round", vec![slot(2)]), plain!(f, |f| (f + 0.5).floor())),
        ("round to 2", call("round", vec![slot(2), int(2)]), plain!(f, |f| (f * 100.0).round() / 100.0)),
        ("log10", call("log10", vec![slot(2)]), plain!(f, |f| f.log10())),
        ("sin", call("sin", vec![slot(2)]), plain!(f, |f| f.sin())),
        ("toFloat", call("toFloat", vec![slot(0)]), plain!(a, |a| *a as f64)),
        ("toInteger", call("toInteger", vec![slot(2)]), plain!(f, |f| *f as i64)),
        ("toString(int)", call("toString", vec![slot(0)]), plain!(a, |a| a.to_string())),
        ("toString(date)", call("toString", vec![slot(3)]), plain!(days, |d| format!("{d}"))),
        ("year of date", property(slot(3), "year"), plain!(days, |d| date_from_days(i64::from(*d)).0)),
        ("year", property(slot(4), "year"), plain!(t, |t| date_from_days(t.div_euclid(DAY)).0)),
        ("month", property(slot(4), "month"), plain!(t, |t| date_from_days(t.div_euclid(DAY)).1)),
        (
            "week",
            property(slot(4), "week"),
            plain!(t, |t| trimorph_types::temporal::calendar::week_of(t.div_euclid(DAY)).1),
        ),
        (
            "dayOfWeek",
            property(slot(4), "dayOfWeek"),
            plain!(t, |t| (t.div_euclid(DAY) + 3).rem_euclid(7) + 1),
        ),
        ("hour", property(slot(4), "hour"), plain!(t, |t| t.rem_euclid(DAY) / 3_600_000_000_000)),
        ("epochSeconds", property(slot(4), "epochSeconds"), plain!(t, |t| t.div_euclid(1_000_000_000))),
        ("date(x)", call("date", vec![slot(4)]), plain!(t, |t| t.div_euclid(DAY) as i32)),
        (
            "truncate day",
            call("datetime.truncate", vec![unit("day"), slot(4)]),
            plain!(t, |t| t.div_euclid(DAY) * DAY),
        ),
        (
            "truncate month",
            call("datetime.truncate", vec![unit("month"), slot(4)]),
            plain!(t, |t| {
                let days = t.div_euclid(DAY);
                (days - date_from_days(days).2 + 1) * DAY
            }),
        ),
        (
            "truncate year",
            call("datetime.truncate", vec![unit("year"), slot(4)]),
            plain!(t, |t| { days_from_date(date_from_days(t.div_euclid(DAY)).0, 1, 1) * DAY }),
        ),
        (
            "+ 1 day",
            op(Op::Add, vec![slot(4), Ex::Const(Value::Duration(day))]),
            plain!(t, |t| t + black_box(DAY)),
        ),
        (
            "+ 1 month",
            op(Op::Add, vec![slot(4), Ex::Const(Value::Duration(month))]),
            plain!(t, |t| {
                let (y, m, d) = date_from_days(t.div_euclid(DAY));
                days_from_date(y + m / 12, m % 12 + 1, d.min(28)) * DAY + t.rem_euclid(DAY)
            }),
        ),
        (
            "inDays(…).days",
            property(call("duration.inDays", vec![slot(4), slot(5)]), "days"),
            plain!(t, u, |(t, u)| (u - t) / DAY),
        ),
        (
            "between(…).months",
            property(call("duration.between", vec![slot(4), slot(5)]), "months"),
            plain!(t, u, |(t, u)| {
                let (a, b) = (date_from_days(t.div_euclid(DAY)), date_from_days(u.div_euclid(DAY)));
                (b.0 - a.0) * 12 + b.1 - a.1 - i64::from(b.2 < a.2)
            }),
        ),
        (
            "abs(a - 90) * 2 + 1 < 15",
            op(
                Op::Lt,
                vec![
                    Ex::Chain(
                        Box::new(op(
                            Op::Mul,
                            vec![call("abs", vec![op(Op::Sub, vec![slot(0), int(90)])]), int(2)],
                        )),
                        vec![(Op::Add, int(1), Span::default())],
                    ),
                    int(15),
                ],
            ),
            plain!(a, |a| (a - 90).abs() * 2 + 1 < 15),
        ),
    ];
    for (name, ex, plain) in &list {
        let kernel =
            time(|| drop(black_box(evaluate(black_box(ex), &chunk, 0, &cx).map(|e| e.into_vector(N)))));
        let plain = time(plain);
        eprintln!("{name:26} {kernel:7.2} {plain:7.2} {:5.1}", kernel / plain);
    }
}
