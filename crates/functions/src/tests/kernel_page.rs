//! Which types every function has a kernel for, found by asking it: the table of `docs/design/kernels.md`.
//!
//! An argument is typed for a type if the kernel takes a vector of it, with constants or vectors for the
//! others. With `UPDATE_PAGES` set the page is written instead of compared.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use trimorph_base::{Diagnostic, EdgeId, NodeId, TableId};
use trimorph_types::{
    Date, DateTime, Decimal, Duration, Literal, LocalDateTime, LocalTime, Map, Relationship, Time, Value,
    Zone,
};
use trimorph_vector::{Edges, Nodes, Positions, Values, Vector};

use crate::context::{Clock, Context, GraphAccess};
use crate::kernel::{Argument, Kernel, TypedKernel};
use crate::{lookup, names};

/// Why functions are computed value by value.
const GENERAL: [(&str, &[&str]); 8] = [
    ("one value for all rows", &["e", "pi", "timestamp"]),
    ("another text at each call", &["randomUUID"]),
    (
        "clocks: one value for all rows, or another at each call",
        &[
            "date.transaction",
            "date.statement",
            "date.realtime",
            "localtime.transaction",
            "localtime.statement",
            "localtime.realtime",
            "time.transaction",
            "time.statement",
            "time.realtime",
            "localdatetime.transaction",
            "localdatetime.statement",
            "localdatetime.realtime",
            "datetime.transaction",
            "datetime.statement",
            "datetime.realtime",
        ],
    ),
    ("each result is a list of its own size", &["coll.flatten", "coll.insert", "coll.remove"]),
    ("a pass over each list, beside which a call is nothing", &["coll.indexOf"]),
    (
        "maps by themselves; those of nodes and relationships by the evaluator, column by column",
        &["properties", "keys"],
    ),
    ("paths are values of no fixed size", &["nodes", "relationships", "length"]),
    (
        "takes maps or texts, each read by itself; the results are a typed vector",
        &["valueType", "time.truncate"],
    ),
];

/// Two values of each type that has vectors.
fn samples() -> Vec<(&'static str, Vector<'static>)> {
    let zone = Zone::Offset(3_600);
    let both = |value: Value| Vector::of_values(vec![value.clone(), value], Positions::all(2));
    let map = Value::map([(Arc::from("a"), Value::Int(1))].into());
    vec![
        ("BOOLEAN", both(Value::Bool(true))),
        ("INTEGER", both(Value::Int(1))),
        ("FLOAT", both(Value::Float(0.5))),
        ("DECIMAL", both(Value::Decimal(Decimal::new(5, 1).unwrap_or_default()))),
        ("STRING", both(Value::string("1"))),
        // Read as a moment or a duration.
        ("STRING", both(Value::string("2020-01-01"))),
        ("STRING", both(Value::string("12:00"))),
        ("STRING", both(Value::string("P1D"))),
        ("IRI", both(Value::iri("http://a"))),
        ("LITERAL", both(Value::Literal(Literal::in_language("a", "en").into()))),
        ("DATE", both(Value::Date(Date { days: 1 }))),
        ("LOCAL TIME", both(Value::LocalTime(LocalTime { nanos: 1 }))),
        ("TIME", both(Value::Time(Time { nanos: 1, offset_seconds: 60 }))),
        ("LOCAL DATETIME", both(Value::LocalDateTime(LocalDateTime { seconds: 1, nanos: 1 }))),
        ("DATETIME", both(Value::DateTime(DateTime { seconds: 1, nanos: 1, zone: Zone::UTC }))),
        ("DATETIME of zones", both(Value::DateTime(DateTime { seconds: 1, nanos: 1, zone }))),
        ("DURATION", both(Value::Duration(Duration { days: 1, ..Duration::default() }))),
        ("LIST<INTEGER>", lists(Value::Int(1))),
        ("LIST<FLOAT>", lists(Value::Float(0.5))),
        ("LIST<STRING>", lists(Value::string("a"))),
        ("MAP", both(map)),
        ("NODE", Vector::new(Values::Node(Nodes::Range(NodeId::new(TableId(0), 1))))),
        ("RELATIONSHIP", Vector::new(Values::Edge(Edges::Ids(vec![EdgeId(1), EdgeId(2)])))),
    ]
}

fn lists(element: Value) -> Vector<'static> {
    let child = Vector::of_values(vec![element; 2], Positions::all(2));
    Vector::new(Values::List(trimorph_vector::Lists::new([(0, 1), (1, 1)].into_iter(), child).unwrap()))
}

/// A graph in which every edge is known.
struct Edged;

impl GraphAccess for Edged {
    fn labels(&self, _: NodeId) -> Result<Vec<Arc<str>>, Diagnostic> {
        Ok(vec!["A".into()])
    }

    fn relationship_type(&self, _: &Relationship) -> Result<Arc<str>, Diagnostic> {
        Ok("R".into())
    }

    fn relationship(&self, id: EdgeId) -> Option<Relationship> {
        Some(Relationship { id, start: NodeId(1), end: NodeId(2) })
    }

    fn property(&self, _: &Value, _: &str) -> Result<Value, Diagnostic> {
        Ok(Value::Null)
    }

    fn properties(&self, _: &Value) -> Result<Map, Diagnostic> {
        Ok(Map::new())
    }
}

/// What other arguments may be: texts that are units and modes among them.
fn constants() -> Vec<Value> {
    let texts = ["1", "month", "hour", "UP", "both"].map(Value::string);
    let date = Value::Date(Date { days: 1 });
    let instant = Value::DateTime(DateTime { seconds: 1, nanos: 1, zone: Zone::UTC });
    let list = Value::list(vec![Value::Int(1)]);
    texts.into_iter().chain([Value::Int(1), Value::Float(0.5), date, instant, list]).collect()
}

/// Whether a kernel takes a vector as one argument of several, whatever the others.
fn takes(kernel: TypedKernel, vector: &Vector<'static>, place: usize, count: usize) -> bool {
    let context = Context::new(&Edged, Clock { seconds: 0, nanos: 0 }, 1);
    let constants = constants();
    let choices = constants.len().pow(u32::try_from(count - 1).unwrap());
    (0..choices).any(|choice| {
        let mut rest = choice;
        let args: Vec<Argument<'_, 'static>> = (0..count)
            .map(|k| {
                if k == place {
                    return Argument::Each(vector);
                }
                let constant = &constants[rest % constants.len()];
                rest /= constants.len();
                Argument::One(constant)
            })
            .collect();
        kernel(&context, &args, Positions::all(2)).is_some()
    })
}

/// What a kernel takes, argument by argument: types, only constants, or nothing.
fn typed_for(kernel: TypedKernel, counts: std::ops::RangeInclusive<usize>) -> Vec<String> {
    let samples = samples();
    let taken = |place: usize, least: usize| -> Vec<&'static str> {
        let is_taken = |(_, vector): &&(&'static str, Vector<'static>)| {
            counts.clone().any(|count| count >= least && place < count && takes(kernel, vector, place, count))
        };
        let mut names: Vec<&'static str> = samples.iter().filter(is_taken).map(|(name, _)| *name).collect();
        names.dedup();
        names
    };
    let shown = |place: usize| match taken(place, 0)[..] {
        // It may be there while another argument is a vector.
        [] if (0..*counts.end()).any(|other| other != place && !taken(other, place + 1).is_empty()) => {
            "constant".to_owned()
        }
        [] => "general".to_owned(),
        ref types => types.join(", "),
    };
    (0..*counts.end()).map(shown).collect()
}

fn reason(name: &str) -> Option<&'static str> {
    GENERAL.iter().find(|(_, names)| names.contains(&name)).map(|(reason, _)| *reason)
}

/// The rows of the table.
fn rows() -> String {
    let mut out = String::new();
    for name in names() {
        let function = lookup(name).unwrap();
        let what = match function.kernel {
            Kernel::General => {
                format!(
                    "general: {}",
                    reason(name).unwrap_or_else(|| panic!("{name} has no kernel and no reason"))
                )
            }
            Kernel::ByNeed => "all types, by the evaluator: selection of positions".to_owned(),
            Kernel::ByEquality => "types that `=` has kernels for, by the evaluator".to_owned(),
            Kernel::Typed(_) if function.max_args == 0 => "no arguments: one for each position".to_owned(),
            Kernel::Typed(kernel) => {
                let most = function.max_args.min(4);
                let types = typed_for(kernel, function.min_args.max(1)..=most);
                let is_taken = |shown: &String| shown != "constant" && shown != "general";
                assert!(types.iter().any(is_taken), "{name}: the kernel takes nothing");
                types.join(" · ")
            }
        };
        _ = writeln!(out, "| `{name}` | {what} |");
    }
    out
}

#[test]
fn the_page_tells_what_each_function_has_kernels_for() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/design/kernels.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let rows = rows();
    let (before, rest) = page.split_once("<!-- functions -->\n").unwrap();
    let (table, after) = rest.split_once("<!-- end of functions -->").unwrap();
    let head = "| function | typed for, argument by argument |\n|---|---|\n";
    if std::env::var_os("UPDATE_PAGES").is_some() {
        let page = format!("{before}<!-- functions -->\n{head}{rows}<!-- end of functions -->{after}");
        std::fs::write(&path, page).unwrap();
        return;
    }
    assert_eq!(table, format!("{head}{rows}"), "UPDATE_PAGES=1 writes the page anew");
}

#[test]
fn what_is_listed_as_general_is() {
    for name in GENERAL.iter().flat_map(|(_, names)| *names) {
        assert!(matches!(lookup(name).unwrap().kernel, Kernel::General), "{name}");
    }
}
