//! What `compare` takes for the same.

use trimorph_types::Value;

use crate::compare::{Comparison, compare};

fn rows(values: &[&[Value]]) -> Vec<Vec<Value>> {
    values.iter().map(|row| row.to_vec()).collect()
}

#[test]
fn order_counts_only_where_asked() {
    let (a, b) = (Value::Int(1), Value::string("b"));
    let (one, other) = (rows(&[std::slice::from_ref(&a), std::slice::from_ref(&b)]), rows(&[&[b], &[a]]));
    assert!(compare(&one, &other, &Comparison::default()).is_ok());
    let text = compare(&one, &other, &Comparison { ordered: true, ..Comparison::default() }).unwrap_err();
    assert_eq!(
        text,
        "expected 2 rows, got 2\nrow 0: expected (1), got ('b')\nrow 1: expected ('b'), got (1)\n"
    );
}

#[test]
fn multiplicities_count() {
    let (one, two) = (
        rows(&[&[Value::Int(1)], &[Value::Int(2)], &[Value::Int(2)]]),
        rows(&[&[Value::Int(1)], &[Value::Int(1)], &[Value::Int(2)]]),
    );
    let text = compare(&one, &two, &Comparison::default()).unwrap_err();
    assert_eq!(text, "expected 3 rows, got 3\nmissing: (2)\nunexpected: (1)\n");
}

#[test]
fn equivalent_values_are_the_same() {
    let left = rows(&[&[Value::Null, Value::Float(f64::NAN), Value::Int(1)]]);
    let right = rows(&[&[Value::Null, Value::Float(-f64::NAN), Value::Float(1.0)]]);
    assert!(compare(&left, &right, &Comparison::default()).is_ok());
}

#[test]
fn bags_and_tolerance_only_where_asked() {
    let list = |items: [i64; 2]| rows(&[&[Value::list(items.map(Value::Int).to_vec())]]);
    let bag = Comparison { bags: vec![true], ..Comparison::default() };
    assert!(compare(&list([1, 2]), &list([2, 1]), &bag).is_ok());
    assert!(compare(&list([1, 2]), &list([2, 1]), &Comparison::default()).is_err());
    assert!(compare(&list([1, 2]), &list([2, 2]), &bag).is_err());
    let float = |x: f64| rows(&[&[Value::Float(x)], &[Value::Float(x + 1.0)]]);
    let loose = Comparison { tolerance: 1e-9, ..Comparison::default() };
    assert!(compare(&float(0.1 + 0.2), &float(0.3), &loose).is_ok());
    assert!(compare(&float(0.1 + 0.2), &float(0.3), &Comparison::default()).is_err());
    assert!(compare(&float(0.1), &float(0.2), &loose).is_err());
}
