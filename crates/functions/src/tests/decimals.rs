//! Decimals and RDF terms, which no query text makes: operators, conversions and aggregates over values.

use trimorph_base::Diagnostic;
use trimorph_types::format::{IdsOnly, format_literal};
use trimorph_types::{Decimal, Literal, Value};

use crate::aggregate::{Accumulator, lookup as aggregate};
use crate::operators::{add, divide, modulo, multiply, negate, power, subtract};
use crate::{Context, NoGraph, lookup};

use super::evaluator::NOW;

fn decimal(text: &str) -> Value {
    Value::Decimal(Decimal::parse(text).unwrap())
}

fn text(found: Result<Value, Diagnostic>) -> String {
    match found {
        Ok(value) => format!("{} {}", value.logical_type(), format_literal(&value, &IdsOnly)),
        Err(error) => format!("!{} {}", error.kind.name(), error.detail),
    }
}

#[test]
fn operators() {
    let most = || decimal("99999999999999999999999999999999999999");
    let english = || Value::Literal(Literal::in_language("a", "en").into());
    for (found, expected) in [
        (add(&decimal("0.1"), &decimal("0.2")), "DECIMAL 0.3"),
        (add(&decimal("0.1"), &Value::Int(1)), "DECIMAL 1.1"),
        (add(&Value::Float(1.0), &decimal("0.5")), "FLOAT 1.5"),
        (add(&Value::string("x"), &decimal("0.5")), "STRING 'x0.5'"),
        (add(&most(), &Value::Int(1)), "!ArithmeticError NumberOutOfRange"),
        (add(&decimal("1"), &Value::Null), "ANY null"),
        (add(&decimal("1"), &Value::Bool(true)), "!TypeError InvalidArgumentType"),
        (add(&Value::iri("a"), &Value::iri("b")), "!TypeError InvalidArgumentType"),
        (add(&english(), &Value::string("b")), "!TypeError InvalidArgumentType"),
        (subtract(&Value::Int(1), &decimal("0.1")), "DECIMAL 0.9"),
        (multiply(&decimal("0.5"), &decimal("0.5")), "DECIMAL 0.25"),
        (multiply(&most(), &most()), "!ArithmeticError NumberOutOfRange"),
        (divide(&decimal("1"), &Value::Int(3)), "DECIMAL 0.333333333333333333"),
        (divide(&decimal("1"), &Value::Int(0)), "!ArithmeticError DivisionByZero"),
        (divide(&decimal("1"), &Value::Float(0.0)), "FLOAT Inf"),
        (modulo(&decimal("-7.5"), &Value::Int(2)), "DECIMAL -1.5"),
        (modulo(&decimal("1"), &decimal("0")), "!ArithmeticError DivisionByZero"),
        (power(&decimal("0.5"), &Value::Int(2)), "FLOAT 0.25"),
        (negate(&decimal("0.5")), "DECIMAL -0.5"),
    ] {
        assert_eq!(text(found), expected);
    }
}

#[test]
fn functions() {
    let context = Context::new(&NoGraph, NOW, 7);
    let literal = Value::Literal(Literal::of_datatype("x", "http://t").into());
    for (name, value, expected) in [
        ("toInteger", decimal("-1.9"), "INTEGER -1"),
        ("toInteger", decimal("9223372036854775808"), "!ArithmeticError NumberOutOfRange"),
        ("toInteger", Value::iri("1"), "!TypeError InvalidArgumentValue"),
        ("toFloat", decimal("0.1"), "FLOAT 0.1"),
        ("toFloat", literal.clone(), "!TypeError InvalidArgumentValue"),
        ("toString", decimal("1.50"), "STRING '1.5'"),
        ("toString", Value::iri("http://a"), "STRING '<http://a>'"),
        ("toString", literal.clone(), r"STRING '\'x\'^^<http://t>'"),
        ("valueType", decimal("1"), "STRING 'DECIMAL NOT NULL'"),
        ("valueType", Value::iri("a"), "STRING 'IRI NOT NULL'"),
        ("valueType", literal, "STRING 'LITERAL NOT NULL'"),
        ("abs", decimal("-0.5"), "DECIMAL 0.5"),
        ("sign", decimal("-0.5"), "INTEGER -1"),
        ("ceil", decimal("0.5"), "FLOAT 1.0"),
        ("isNaN", decimal("0.5"), "BOOLEAN false"),
    ] {
        let function = lookup(name).unwrap();
        assert_eq!(text(function.invoke(&context, &[value])), expected, "{name}");
    }
}

#[test]
fn aggregates() {
    let half = || decimal("0.5");
    for (name, values, expected) in [
        ("sum", vec![half(), half()], "DECIMAL 1"),
        ("sum", vec![half(), Value::Int(2)], "DECIMAL 2.5"),
        ("sum", vec![half(), Value::Float(0.25)], "FLOAT 0.75"),
        (
            "sum",
            vec![decimal("99999999999999999999999999999999999999"), decimal("1")],
            "!ArithmeticError NumberOutOfRange",
        ),
        ("sum", vec![Value::iri("a")], "!TypeError InvalidArgumentType"),
        ("avg", vec![half(), Value::Int(0), Value::Int(0)], "DECIMAL 0.166666666666666666"),
        ("min", vec![half(), Value::Float(0.75), Value::Int(1)], "DECIMAL 0.5"),
        ("max", vec![half(), Value::Float(0.25), Value::Int(0)], "DECIMAL 0.5"),
        ("max", vec![half(), Value::iri("a")], "DECIMAL 0.5"),
        ("stDev", vec![half(), Value::Float(0.5)], "FLOAT 0.0"),
    ] {
        let function = aggregate(name).unwrap();
        let mut whole = Accumulator::new(function);
        let mut parts = Accumulator::new(function);
        let found = values.iter().try_for_each(|v| whole.update(v, 1)).and_then(|()| whole.finish());
        assert_eq!(text(found), expected, "{name} of {values:?}");
        let merged = values.iter().try_for_each(|v| {
            let mut part = Accumulator::new(function);
            part.update(v, 1)?;
            parts.merge(part)
        });
        assert_eq!(text(merged.and_then(|()| parts.finish())), expected, "{name} of parts of {values:?}");
    }
}
