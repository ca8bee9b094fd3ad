//! The four relations: tables from the specification, and the laws between them on random values.

use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hash, Hasher};

use trimorph_base::{EdgeId, NodeId};

use super::{Grouping, compare, equals, equivalent, greater_or_equal, less, less_or_equal, order};
use crate::samples::Samples;
use crate::value::{Date, Path, Relationship};
use crate::{Decimal, Literal, Value};

fn list(items: Vec<Value>) -> Value {
    Value::list(items)
}

fn map(entries: &[(&str, Value)]) -> Value {
    Value::map(entries.iter().map(|(k, v)| ((*k).into(), v.clone())).collect())
}

const NULL: Value = Value::Null;
const NAN: Value = Value::Float(f64::NAN);

fn int(n: i64) -> Value {
    Value::Int(n)
}

fn decimal(text: &str) -> Value {
    Value::Decimal(Decimal::parse(text).unwrap())
}

fn english(text: &str, tag: &str) -> Value {
    Value::Literal(Literal::in_language(text, tag).into())
}

fn typed(text: &str, datatype: &str) -> Value {
    Value::Literal(Literal::of_datatype(text, datatype).into())
}

#[test]
fn equality_is_ternary() {
    let (one, two) = (int(1), int(2));
    for (a, b, expected) in [
        (int(1), Value::Float(1.0), Some(true)),
        (int(1), Value::string("1"), Some(false)),
        (NULL, NULL, None),
        (NULL, one.clone(), None),
        (NAN, NAN, Some(false)),
        (Value::Float(0.0), Value::Float(-0.0), Some(true)),
        (int((1 << 53) + 1), Value::Float(9_007_199_254_740_992.0), Some(false)),
        (int(i64::MAX), Value::Float(9_223_372_036_854_775_808.0), Some(false)),
        (int(i64::MIN), Value::Float(-9_223_372_036_854_775_808.0), Some(true)),
        (list(vec![one.clone()]), list(vec![one.clone(), NULL]), Some(false)),
        (list(vec![one.clone(), two.clone()]), list(vec![NULL, Value::string("foo")]), Some(false)),
        (list(vec![one.clone(), NULL]), list(vec![one.clone(), two.clone()]), None),
        (list(vec![]), list(vec![]), Some(true)),
        (map(&[]), map(&[("k", NULL)]), Some(false)),
        (map(&[("k", NULL)]), map(&[("k", NULL)]), None),
        (map(&[("k", NULL), ("l", one.clone())]), map(&[("k", NULL), ("l", two)]), Some(false)),
        (map(&[("k", one.clone())]), map(&[("l", one)]), Some(false)),
        (decimal("1.0"), int(1), Some(true)),
        (decimal("0.5"), Value::Float(0.5), Some(true)),
        (decimal("0.1"), Value::Float(0.1), Some(false)),
        (decimal("0.1000000000000000055511151231257827021"), Value::Float(0.1), Some(false)),
        (decimal("9223372036854775808"), Value::Float(9_223_372_036_854_775_808.0), Some(true)),
        (decimal("1"), NAN, Some(false)),
        (decimal("1"), Value::string("1"), Some(false)),
        (decimal("1"), NULL, None),
        (Value::iri("a"), Value::iri("a"), Some(true)),
        (Value::iri("a"), Value::iri("A"), Some(false)),
        (Value::iri("a"), Value::string("a"), Some(false)),
        (english("a", "en-GB"), english("a", "EN-gb"), Some(true)),
        (english("a", "en"), english("a", "de"), Some(false)),
        (english("a", "en"), Value::string("a"), Some(false)),
        (typed("a", "t"), typed("a", "t"), Some(true)),
        (typed("a", "t"), typed("b", "t"), None),
        (typed("a", "t"), typed("a", "T"), None),
        (typed("a", "t"), english("a", "t"), None),
        (typed("a", "t"), Value::iri("t"), Some(false)),
    ] {
        assert_eq!(equals(&a, &b), expected, "{a:?} = {b:?}");
        assert_eq!(equals(&b, &a), expected, "{b:?} = {a:?}");
    }
}

#[test]
fn comparability() {
    let (one, two) = (int(1), int(2));
    for (a, b, expected) in [
        (int(1), Value::Float(3.5), Some(Ordering::Less)),
        (int(1), Value::string("a"), None),
        (NULL, NULL, None),
        (NAN, one.clone(), None),
        (Value::Bool(false), Value::Bool(true), Some(Ordering::Less)),
        (list(vec![one.clone()]), list(vec![one.clone(), int(0)]), Some(Ordering::Less)),
        (list(vec![one.clone(), NULL]), list(vec![one.clone()]), Some(Ordering::Greater)),
        (list(vec![one.clone(), two.clone()]), list(vec![one.clone(), NULL]), None),
        (list(vec![one.clone(), two.clone()]), list(vec![int(3), NULL]), Some(Ordering::Less)),
        (Value::Date(Date { days: 1 }), Value::Date(Date { days: 2 }), Some(Ordering::Less)),
        (Value::Date(Date { days: 1 }), one.clone(), None),
        (decimal("0.1"), Value::Float(0.1), Some(Ordering::Less)),
        (decimal("-0.1"), Value::Float(-0.1), Some(Ordering::Greater)),
        (decimal("1.5"), int(2), Some(Ordering::Less)),
        (decimal("1.25"), decimal("1.2"), Some(Ordering::Greater)),
        (decimal("1"), Value::Float(f64::INFINITY), Some(Ordering::Less)),
        (decimal("99999999999999999999999999999999999999"), Value::Float(1e38), Some(Ordering::Greater)),
        (decimal("0.00000000000000000000000000000000000001"), Value::Float(5e-324), Some(Ordering::Greater)),
        (decimal("1"), NAN, None),
        (decimal("1"), Value::string("1"), None),
        (Value::iri("a"), Value::iri("b"), None),
        (english("a", "en"), english("b", "en"), None),
        (Value::Node(NodeId(1)), Value::Node(NodeId(2)), Some(Ordering::Less)),
        (Value::Duration(Default::default()), Value::Duration(Default::default()), None),
        (map(&[]), map(&[("a", int(1))]), Some(Ordering::Less)),
        (map(&[("a", int(1))]), map(&[("a", int(2))]), Some(Ordering::Less)),
        (map(&[]), map(&[("a", NULL)]), None),
        (map(&[("a", int(1))]), map(&[("a", int(1)), ("b", NULL)]), None),
        (map(&[("a", NULL), ("b", int(1))]), map(&[("a", NULL), ("b", int(2))]), None),
    ] {
        assert_eq!(compare(&a, &b), expected, "{a:?} against {b:?}");
        assert_eq!(compare(&b, &a), expected.map(Ordering::reverse), "{b:?} against {a:?}");
    }
    // NaN compares false with numbers, unknown with anything else.
    assert_eq!(less(&NAN, &one), Some(false));
    assert_eq!(greater_or_equal(&NAN, &NAN), Some(false));
    assert_eq!(less_or_equal(&NAN, &Value::string("a")), None);
    assert_eq!(less(&NAN, &decimal("1")), Some(false));
    assert_eq!(less(&decimal("1"), &Value::string("a")), None);
}

#[test]
fn orderability_sorts_types_then_values() {
    let hop = Relationship { id: EdgeId(1), start: NodeId(1), end: NodeId(2) };
    let ascending = [
        map(&[]),
        map(&[("a", Value::string("map"))]),
        Value::Node(NodeId(1)),
        Value::Relationship(hop),
        list(vec![]),
        list(vec![Value::string("a")]),
        list(vec![Value::string("a"), int(1)]),
        list(vec![int(1)]),
        list(vec![int(1), Value::string("a")]),
        list(vec![int(1), NULL]),
        list(vec![NULL, int(1)]),
        list(vec![NULL, int(2)]),
        Value::Path(Path { nodes: vec![NodeId(1), NodeId(2)], relationships: vec![hop] }.into()),
        Value::iri("a"),
        Value::iri("b"),
        Value::Date(Date { days: 0 }),
        Value::Duration(Default::default()),
        Value::string(""),
        Value::string("text"),
        english("a", "de"),
        english("a", "EN"),
        typed("a", "a"),
        english("b", "de"),
        Value::Bool(false),
        Value::Bool(true),
        Value::Float(f64::NEG_INFINITY),
        decimal("-0.5"),
        decimal("0.3"),
        int(1),
        decimal("1.4"),
        Value::Float(1.5),
        decimal("1.50000000000000000000001"),
        Value::Float(f64::INFINITY),
        NAN,
        NULL,
    ];
    for (i, a) in ascending.iter().enumerate() {
        for (j, b) in ascending.iter().enumerate() {
            assert_eq!(order(a, b), i.cmp(&j), "{a:?} against {b:?}");
        }
    }
}

fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    Grouping(value.clone()).hash(&mut hasher);
    hasher.finish()
}

/// Reflexive, antisymmetric, transitive; aligned with equivalence, equality, comparability and hash.
#[test]
fn relations_agree_on_random_values() {
    let mut random = Samples::new(42);
    let mut values: Vec<Value> = (0..300).map(|_| random.value(2)).collect();
    for a in &values {
        assert!(equivalent(a, a) && order(a, a).is_eq(), "{a:?} is not itself");
        for b in &values {
            let ordering = order(a, b);
            assert_eq!(ordering, order(b, a).reverse(), "{a:?} {b:?}");
            assert_eq!(ordering.is_eq(), equivalent(a, b), "{a:?} {b:?}");
            if equivalent(a, b) {
                assert_eq!(hash(a), hash(b), "{a:?} {b:?}");
            }
            if equals(a, b) == Some(true) {
                assert!(equivalent(a, b), "{a:?} {b:?}");
            }
            if let Some(compared) = compare(a, b) {
                assert_eq!(compared.is_eq(), equals(a, b) == Some(true), "{a:?} {b:?}");
            }
        }
    }
    for _ in 0..200_000 {
        let (a, b, c) = (random.pick(&values), random.pick(&values), random.pick(&values));
        if order(a, b).is_le() && order(b, c).is_le() {
            assert!(order(a, c).is_le(), "{a:?} {b:?} {c:?}");
        }
    }
    // A sort that finds the order inconsistent panics.
    values.sort_by(order);
    assert!(values.is_sorted_by(|a, b| order(a, b).is_le()));
}
