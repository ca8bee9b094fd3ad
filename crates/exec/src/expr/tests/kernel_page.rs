//! Which types every operator has a kernel for, found by asking it: the second table of
//! `docs/design/kernels.md`. With `UPDATE_PAGES` set the page is written instead of compared.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use trimorph_algebra::Op;
use trimorph_base::{EdgeId, NodeId, Random, TableId};
use trimorph_functions::component;
use trimorph_store::Snapshot;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Edges, Group, Nodes, Positions, Selection, Values, Vector};

use super::sample::{Kind, value};
use crate::expr::binary::binary;
use crate::expr::compare::compare_unlike;
use crate::expr::evaluated::{Evaluated, Over};
use crate::expr::logic::not;
use crate::{Context, Settings};

const OPERATORS: [(&str, Op); 18] = [
    ("+", Op::Add),
    ("-", Op::Sub),
    ("*", Op::Mul),
    ("/", Op::Div),
    ("%", Op::Mod),
    ("^", Op::Pow),
    ("=", Op::Eq),
    ("<>", Op::Ne),
    ("<", Op::Lt),
    ("<=", Op::Le),
    (">", Op::Gt),
    (">=", Op::Ge),
    ("XOR", Op::Xor),
    ("CONTAINS", Op::Contains),
    ("STARTS WITH", Op::StartsWith),
    ("ENDS WITH", Op::EndsWith),
    ("=~", Op::Regex),
    ("[ ]", Op::Index),
];

/// Names and vectors of one harmless value each.
fn samples() -> Vec<(&'static str, Vector<'static>)> {
    let mut random = Random::new(1);
    let kinds = [
        ("BOOLEAN", Kind::Bool),
        ("INTEGER", Kind::Small),
        ("FLOAT", Kind::Float),
        ("DECIMAL", Kind::Decimal),
        ("STRING", Kind::Text),
        ("IRI", Kind::Iri),
        ("LITERAL", Kind::Literal),
        ("DATE", Kind::Date),
        ("LOCAL TIME", Kind::LocalTime),
        ("TIME", Kind::Time),
        ("LOCAL DATETIME", Kind::LocalDateTime),
        ("DATETIME", Kind::DateTime),
        ("DATETIME of zones", Kind::Zoned),
        ("DURATION", Kind::Duration),
    ];
    let mut out: Vec<(&'static str, Vector<'static>)> = Vec::new();
    for (name, kind) in kinds {
        // Of the values drawn, one that goes with small ones and is of the type that is meant.
        let fits = |v: &Value| match (kind, v) {
            (Kind::Small, v) => matches!(v, Value::Int(n) if *n > 0),
            (Kind::Float, Value::Float(f)) => f.is_normal() && f.abs() < 1e6,
            (Kind::Decimal, Value::Decimal(d)) => d.scale() < 3 && (1..1_000).contains(&d.unscaled()),
            (Kind::Text, Value::String(text)) => &**text == "a",
            (Kind::Date, Value::Date(d)) => d.days.abs() < 100_000,
            (Kind::LocalDateTime, Value::LocalDateTime(t)) => t.seconds.abs() < 1 << 32,
            (Kind::DateTime, Value::DateTime(t)) => t.seconds.abs() < 1 << 32,
            (Kind::Zoned, Value::DateTime(t)) => {
                t.seconds.abs() < 1 << 32 && t.zone.offset_seconds() == 3_600
            }
            (Kind::Duration, Value::Duration(d)) => d.days.abs() < 100 && d.months.abs() < 100 && d.days != 0,
            _ => true,
        };
        let one = std::iter::repeat_with(|| value(kind, &mut random)).find(fits).unwrap();
        out.push((name, Vector::of_values(vec![one.clone(), one], Positions::all(2))));
    }
    let both = vec![Value::Int(1), Value::Float(1.5)];
    out.push(("INTEGER beside FLOAT", Vector::of_mixed(both, Positions::all(2))));
    out.push(("LIST<INTEGER>", lists(Value::Int(1))));
    out.push(("LIST<STRING>", lists(Value::string("a"))));
    out.push(("NODE", Vector::new(Values::Node(Nodes::Range(NodeId::new(TableId(0), 1))))));
    out.push(("RELATIONSHIP", Vector::new(Values::Edge(Edges::Ids(vec![EdgeId(1), EdgeId(2)])))));
    out
}

fn lists(element: Value) -> Vector<'static> {
    let child = Vector::of_values(vec![element; 2], Positions::all(2));
    Vector::new(Values::List(trimorph_vector::Lists::new([(0, 1), (1, 1)].into_iter(), child).unwrap()))
}

fn rows() -> String {
    let samples = samples();
    let group =
        Group { len: 2, selection: Selection::All, flat: None, multiplicity: None, vectors: Vec::new() };
    let chunk = Chunk { groups: vec![group] };
    let over = Over::group(&chunk, 0);
    let snapshot: &'static Snapshot = Box::leak(Box::default());
    let cx = &Context::new(snapshot, Arc::new(Settings::default()));
    let mut out = String::new();
    for (shown, op) in OPERATORS.into_iter().chain([("IN", Op::In)]) {
        let mut parts = Vec::new();
        for (name, left) in &samples {
            let takes = |right: &Vector<'static>| {
                // What holds of all pairs has a line of its own.
                let is_comparison = matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge);
                let (a, b) = (Evaluated::Ref(left), Evaluated::Ref(right));
                if is_comparison && compare_unlike(op, &a, &b, Positions::all(2)).is_some() {
                    return false;
                }
                let constant = || {
                    let is_entity = matches!(right.values, Values::Node(_) | Values::Edge(_));
                    let value = if is_entity { Value::Null } else { right.value(0, &|_| Value::Null) };
                    binary(op, &Evaluated::Ref(left), &Evaluated::Const(value.clone()), over, cx)
                        .filter(|_| !value.is_null())
                };
                binary(op, &Evaluated::Ref(left), &Evaluated::Ref(right), over, cx)
                    .or_else(constant)
                    .is_some()
            };
            let with: Vec<&str> = samples.iter().filter(|(_, v)| takes(v)).map(|(name, _)| *name).collect();
            match with[..] {
                [] => {}
                [same] if same == *name => parts.push((*name).to_owned()),
                _ => parts.push(format!("{name} with {}", with.join(", "))),
            }
        }
        _ = writeln!(out, "| `{shown}` | {} |", parts.join(" · "));
    }
    let at = Positions::all(2);
    let types = |takes: &dyn Fn(&Vector<'static>) -> bool| {
        samples.iter().filter(|(_, v)| takes(v)).map(|(name, _)| *name).collect::<Vec<_>>().join(" · ")
    };
    let negated = types(&|v| crate::expr::arithmetic::negated(&Evaluated::Ref(v), at).is_some());
    _ = writeln!(out, "| unary `-` | {negated} |");
    _ = writeln!(out, "| `NOT` | {} |", types(&|v| not(&Evaluated::Ref(v), at).is_some()));
    let keys = ["year", "hour", "days", "epochSeconds"];
    _ = writeln!(
        out,
        "| `.component` | {} |",
        types(&|v| keys.iter().any(|key| component(v, key, at).is_some()))
    );
    out.push_str(
        "| `=` `<>` `<` `<=` `>` `>=` | all types with those that they are not compared with, without a look at values |\n\
         | `AND` `OR` | BOOLEAN, by bit masks; parts only where those before leave it open |\n\
         | `CASE` `coalesce` | all types, by selection of positions |\n\
         | `IS NULL` `IS NOT NULL` | all types, by null masks |\n\
         | `[a..b]` | LIST, by other runs of the same elements |\n\
         | `IN` a constant list | BOOLEAN, INTEGER, FLOAT, STRING, DATE, LOCAL TIME, LOCAL DATETIME, DATETIME, by sets; others value by value |\n",
    );
    out
}

#[test]
fn the_page_tells_what_each_operator_has_kernels_for() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/design/kernels.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let rows = rows();
    let (before, rest) = page.split_once("<!-- operators -->\n").unwrap();
    let (table, after) = rest.split_once("<!-- end of operators -->").unwrap();
    let head = "| operator | typed for |\n|---|---|\n";
    if std::env::var_os("UPDATE_PAGES").is_some() {
        let page = format!("{before}<!-- operators -->\n{head}{rows}<!-- end of operators -->{after}");
        std::fs::write(&path, page).unwrap();
        return;
    }
    assert_eq!(table, format!("{head}{rows}"), "UPDATE_PAGES=1 writes the page anew");
}
