//! Literals of RDF in, the numbers and truth values that they write out: a column of them is one of numbers.
//!
//! A value keeps the text of a literal that is not the usual one of its number (`1.50`, `01`, `1.5e0`), for
//! rows have terms. Columns have values.

use trimorph_types::rdf::lexical;
use trimorph_types::rdf::names::XSD;
use trimorph_types::{Decimal, LiteralKind, Value};

/// The number or truth value of a literal; any other value as it is.
pub(super) fn number_of(value: Value) -> Value {
    let number = match &value {
        Value::Literal(literal) => match &literal.kind {
            LiteralKind::Datatype(iri) => iri.strip_prefix(XSD).and_then(|kind| read(&literal.lexical, kind)),
            LiteralKind::Language(_) => None,
        },
        _ => None,
    };
    number.unwrap_or(value)
}

fn read(text: &str, kind: &str) -> Option<Value> {
    Some(match kind {
        "decimal" => Value::Decimal(lexical::decimal(text)?),
        "double" => Value::Float(lexical::double(text)?),
        "float" => Value::Float(lexical::float(text)?.into()),
        "boolean" => Value::Bool(lexical::boolean(text)?),
        "integer" | "long" | "int" | "short" | "byte" | "nonNegativeInteger" | "positiveInteger"
        | "nonPositiveInteger" | "negativeInteger" | "unsignedLong" | "unsignedInt" | "unsignedShort"
        | "unsignedByte" => integer(lexical::integer(text)?),
        _ => return None,
    })
}

fn integer(number: Decimal) -> Value {
    let whole = (number.scale() == 0).then(|| i64::try_from(number.unscaled()).ok()).flatten();
    whole.map_or(Value::Decimal(number), Value::Int)
}
