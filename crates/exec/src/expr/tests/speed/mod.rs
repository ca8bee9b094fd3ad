//! Nanoseconds a value of each kernel, beside the plain loop over arrays that does the same; texts beside
//! `memmem` over the same bytes, or a loop over them.
//!
//! `cargo test --release -p trimorph-exec -- --ignored --nocapture kernels_beside_plain_loops`
//!
//! `KERNEL=trim` before it measures those only that have this in their name.
//!
//! Every function that has a kernel and every operator is in the list, or in one of what is left out and why.

mod columns;
mod lists;
mod moments;
mod numbers;
mod texts;
mod wide;

use std::collections::BTreeSet;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use trimorph_algebra::Op;
use trimorph_base::Span;
use trimorph_catalog::CatalogView;
use trimorph_functions::{Kernel, lookup, names};
use trimorph_store::Snapshot;
use trimorph_store::access::PropertyAccess;
use trimorph_types::Value;
use trimorph_vector::VECTOR_SIZE;

use crate::expr::{Ex, evaluate};
use crate::layout::Place;
use crate::{Context, Settings};

use columns::Columns;

const DAY: i64 = 86_400_000_000_000;
const N: usize = VECTOR_SIZE;

/// A plain loop.
type Plain<'a> = Box<dyn Fn() + 'a>;

/// A name, a kernel, and what it is measured by.
type Cases<'a> = Vec<(&'static str, Ex, Plain<'a>)>;

/// The loop that maps the values of one or two slices.
macro_rules! plain {
    ($v:expr, $of:expr) => {{
        let v = &$v;
        Box::new(move || {
            drop(std::hint::black_box(std::hint::black_box(v).iter().map($of).collect::<Vec<_>>()))
        }) as crate::expr::tests::speed::Plain<'_>
    }};
    ($v:expr, $w:expr, $of:expr) => {{
        let (v, w) = (&$v, &$w);
        Box::new(move || {
            let pairs = std::hint::black_box(v).iter().zip(std::hint::black_box(w));
            drop(std::hint::black_box(pairs.map($of).collect::<Vec<_>>()))
        }) as crate::expr::tests::speed::Plain<'_>
    }};
}
use plain;

fn slot(slot: usize) -> Ex {
    Ex::Slot(Place { group: 0, slot })
}

fn int(i: i64) -> Ex {
    Ex::Const(Value::Int(i))
}

fn text(text: &str) -> Ex {
    Ex::Const(Value::string(text))
}

fn op(op: Op, args: Vec<Ex>) -> Ex {
    Ex::Op(op, args, Span::default())
}

fn call(name: &str, args: Vec<Ex>) -> Ex {
    Ex::Call(lookup(name).expect(name), args, Span::default())
}

fn case(branches: Vec<(Ex, Ex)>, otherwise: Ex) -> Ex {
    Ex::Case { branches, otherwise: Box::new(otherwise) }
}

fn property(base: Ex, key: &str) -> Ex {
    let snapshot = Snapshot::default();
    let columns = Arc::new(PropertyAccess::new(&CatalogView::new(snapshot.catalog()), key));
    Ex::Property { base: Box::new(base), key: key.into(), columns, span: Span::default() }
}

/// The fastest of some rounds, in nanoseconds a value.
fn time(rounds: usize, mut work: impl FnMut()) -> f64 {
    let mut least = f64::MAX;
    for _ in 0..rounds {
        let start = Instant::now();
        for _ in 0..20 {
            work();
        }
        least = least.min(start.elapsed().as_nanos() as f64 / (20 * N) as f64);
    }
    least
}

fn cases(columns: &Columns) -> Cases<'_> {
    let mut all = numbers::cases(columns);
    all.extend(moments::cases(columns));
    all.extend(texts::cases(columns));
    all.extend(lists::cases(columns));
    all.extend(wide::cases(columns));
    all
}

#[test]
#[ignore = "a measurement"]
fn kernels_beside_plain_loops() {
    let snapshot = Snapshot::default();
    let cx = Context::new(&snapshot, Arc::new(Settings::default()));
    let columns = Columns::draw();
    let chunk = columns.chunk();
    let asked = std::env::var("KERNEL").unwrap_or_default();
    for (name, ex, plain) in cases(&columns).iter().filter(|(name, ..)| name.contains(&asked)) {
        let kernel = || drop(black_box(evaluate(black_box(ex), &chunk, 0, &cx).map(|e| e.into_vector(N))));
        let (kernel, plain) = (time(40, kernel), time(40, plain));
        eprintln!("{name:26} {kernel:7.2} {plain:7.2} {:5.1}", kernel / plain);
    }
}

/// What has a kernel and no loop to be measured by: one look-up for each table that nodes or edges are of.
const BY_TABLE: [&str; 7] = ["labels", "type", "id", "elementId", "startNode", "endNode", "exists"];

/// Notes the functions and operators of an expression.
fn note(ex: &Ex, functions: &mut BTreeSet<&'static str>, operators: &mut BTreeSet<String>) {
    let mut parts: Vec<&Ex> = Vec::new();
    match ex {
        Ex::Call(function, args, _) => {
            functions.insert(function.name);
            parts.extend(args);
        }
        Ex::Op(op, args, _) => {
            operators.insert(format!("{op:?}"));
            parts.extend(args);
        }
        Ex::Property { base, .. } => parts.push(base),
        Ex::Chain(first, _) => parts.push(first),
        _ => {}
    }
    parts.iter().for_each(|part| note(part, functions, operators));
}

#[test]
fn every_kernel_is_measured() {
    let snapshot = Snapshot::default();
    let cx = Context::new(&snapshot, Arc::new(Settings::default()));
    let columns = Columns::draw();
    let chunk = columns.chunk();
    let (mut functions, mut operators) = (BTreeSet::new(), BTreeSet::new());
    for (name, ex, plain) in &cases(&columns) {
        plain();
        let vector = evaluate(ex, &chunk, 0, &cx).unwrap().into_vector(N);
        assert!((0..N).any(|i| !vector.is_null(i)), "{name} gives nothing");
        note(ex, &mut functions, &mut operators);
    }
    let is_typed = |name: &&str| lookup(name).is_some_and(|f| !matches!(f.kernel, Kernel::General));
    let missing: Vec<&str> = names()
        .filter(is_typed)
        .filter(|name| !functions.contains(name) && !BY_TABLE.contains(name))
        .collect();
    assert_eq!(missing, [""; 0], "these functions have a kernel and no measurement");
    use Op::{Add, And, Contains, Div, EndsWith, Eq, Ge, Gt, In, Index, IsNotNull, IsNull, Le, Lt, Mod, Mul};
    use Op::{Ne, Neg, Not, Or, Pow, Regex, Slice, StartsWith, Sub, Xor};
    for op in [
        Add, And, Contains, Div, EndsWith, Eq, Ge, Gt, In, Index, IsNotNull, IsNull, Le, Lt, Mod, Mul, Ne,
        Neg, Not, Or, Pow, Regex, Slice, StartsWith, Sub, Xor,
    ] {
        assert!(operators.contains(&format!("{op:?}")), "{op:?} has no measurement");
    }
}
