//! Text forms.

use std::sync::Arc;

use trimorph_base::{EdgeId, NodeId};

use crate::format::{IdsOnly, format_float, format_literal, format_value};
use crate::value::{Date, Path, Relationship};
use crate::{Decimal, Literal, Map, Value};

#[test]
fn floats_print_as_the_tck_writes_them() {
    for (number, expected) in [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (-1.5, "-1.5"),
        (1e9, "1000000000.0"),
        (1e-5, "0.00001"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1e20, "100000000000000000000.0"),
        (1e21, "1e21"),
        (1e308, "1e308"),
        (-1e-305, "-1e-305"),
        (-1.2635418652381264e305, "-1.2635418652381264e305"),
        (3_985_764.340_589_268_6, "3985764.3405892686"),
        (f64::NAN, "NaN"),
        (f64::INFINITY, "Inf"),
        (f64::NEG_INFINITY, "-Inf"),
    ] {
        assert_eq!(format_float(number), expected);
    }
}

#[test]
fn quotes_stand_inside_containers_only() {
    let date = Value::Date(Date { days: 0 });
    let map: Map =
        [("k".into(), date.clone()), ("odd key".into(), Value::Null), ("é1_".into(), Value::Bool(true))]
            .into();
    for (value, literal, alone) in [
        (Value::Null, "null", "null"),
        (Value::Int(-1), "-1", "-1"),
        (Value::string("it's\n\\"), r"'it\'s\n\\'", "it's\n\\"),
        (date.clone(), "'1970-01-01'", "1970-01-01"),
        (
            Value::list(vec![date, Value::string("a"), Value::Float(1.0)]),
            "['1970-01-01', 'a', 1.0]",
            "['1970-01-01', 'a', 1.0]",
        ),
        (
            Value::map(map),
            "{k: '1970-01-01', `odd key`: null, é1_: true}",
            "{k: '1970-01-01', `odd key`: null, é1_: true}",
        ),
        (Value::Bytes(Arc::from([0xab, 1])), "0xab01", "0xab01"),
        (Value::Float(f64::INFINITY), "Inf", "Infinity"),
        (Value::Decimal(Decimal::parse("1.50").unwrap()), "1.5", "1.5"),
        (Value::iri("http://a"), "<http://a>", "<http://a>"),
        (Value::iri("_:b"), "_:b", "_:b"),
        (Value::iri("<<( <a> <b> <c> )>>"), "<<( <a> <b> <c> )>>", "<<( <a> <b> <c> )>>"),
        (Value::Literal(Literal::in_language("it's", "en").into()), r"'it\'s'@en", r"'it\'s'@en"),
        (Value::Literal(Literal::of_datatype("a", "http://t").into()), "'a'^^<http://t>", "'a'^^<http://t>"),
    ] {
        assert_eq!(format_literal(&value, &IdsOnly), literal);
        assert_eq!(format_value(&value, &IdsOnly), alone);
    }
}

#[test]
fn paths_show_the_stored_direction() {
    let hop = |id, start, end| Relationship { id: EdgeId(id), start: NodeId(start), end: NodeId(end) };
    let path = Path {
        nodes: vec![NodeId(1), NodeId(2), NodeId(3)],
        relationships: vec![hop(7, 1, 2), hop(8, 3, 2)],
    };
    assert_eq!(format_literal(&Value::Path(path.into()), &IdsOnly), "<(#1)-[#7]->(#2)<-[#8]-(#3)>");
}
