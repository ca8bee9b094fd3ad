//! Values through bytes and back; damaged bytes are errors.

use trimorph_types::format::{IdsOnly, format_literal};
use trimorph_types::{Date, Decimal, Literal, Map, Value};
use trimorph_vfs::{Decoder, Encoder};

use crate::value_codec::{decode, encode};

fn bytes(value: &Value) -> Vec<u8> {
    let mut out = Encoder::new();
    encode(value, &mut out);
    out.finish()
}

fn terms() -> Vec<Value> {
    let decimal = |text: &str| Value::Decimal(Decimal::parse(text).unwrap());
    vec![
        decimal("0"),
        decimal("-1.5"),
        decimal("99999999999999999999999999999999999999"),
        decimal("-0.00000000000000000000000000000000000001"),
        Value::iri("http://example.org/ä"),
        Value::Literal(Literal::in_language("colour", "en-GB").into()),
        Value::Literal(Literal::of_datatype("POINT(1 2)", "http://example.org/wkt").into()),
    ]
}

#[test]
fn rdf_terms_come_back() {
    let mut values = terms();
    values.extend([-999_999_999, 999_999_999].map(|year| Value::Date(Date::from_ymd(year, 1, 1).unwrap())));
    values.push(Value::list(terms()));
    values.push(Value::map(Map::from([("k".into(), Value::list(terms()))])));
    for value in values {
        let bytes = bytes(&value);
        let found = decode(&mut Decoder::new(&bytes)).unwrap();
        // The text keeps the case of language tags, which equality does not see.
        assert_eq!(format_literal(&found, &IdsOnly), format_literal(&value, &IdsOnly));
        assert_eq!(found.logical_type(), value.logical_type());
    }
}

#[test]
fn damaged_bytes_are_errors() {
    for value in terms() {
        let whole = bytes(&value);
        for len in 0..whole.len() {
            assert!(decode(&mut Decoder::new(&whole[..len])).is_err(), "{value:?} cut to {len}");
        }
        // Whatever a changed byte makes of it, it is read or refused.
        for at in 0..whole.len() {
            for byte in 0..=u8::MAX {
                let mut changed = whole.clone();
                changed[at] = byte;
                let _ = decode(&mut Decoder::new(&changed));
            }
        }
    }
    let mut date = bytes(&Value::Date(Date { days: 0 }));
    *date.last_mut().unwrap() = 0x7f;
    assert!(decode(&mut Decoder::new(&date)).is_err(), "a year of more than nine digits");
    let mut scale = bytes(&Value::Decimal(Decimal::parse("0.1").unwrap()));
    scale[1] = 39;
    assert!(decode(&mut Decoder::new(&scale)).is_err(), "39 digits after the point");
    let mut text = bytes(&Value::iri("abc"));
    *text.last_mut().unwrap() = 0xff;
    assert!(decode(&mut Decoder::new(&text)).is_err(), "no UTF-8");
}
