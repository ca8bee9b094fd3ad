//! Terms into values and back: tables of lexical forms, and properties over random values.

use std::convert::Infallible;

use super::names::{XSD, xsd};
use super::{
    LiteralTerm, TERM_DEPTH_MAX, Term, lexical, literal, normalise, parse_nt, tagged, triple, triple_parts,
    write_nt,
};
use crate::samples::Samples;
use crate::{Decimal, Literal, Value, equivalent};

fn nt(value: &Value) -> Option<String> {
    let mut out = String::new();
    let mut named = |entity: &Value| {
        Ok::<_, Infallible>(match entity {
            Value::Node(node) => Value::iri(format!("trimorph:node/{}", node.0)),
            _ => Value::Null,
        })
    };
    let Ok(written) = write_nt(&mut out, value, &mut named);
    written.then_some(out)
}

fn lexical_of(value: &Value) -> String {
    match Term::of(value) {
        Term::Literal(LiteralTerm { lexical, .. }) => lexical.into_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn only_canonical_texts_become_values() {
    // Datatype, texts that are kept as values, texts that are kept as they were written.
    let table: &[(&str, &[&str], &[&str])] = &[
        (
            "integer",
            &["0", "-7", "9223372036854775807", "-9223372036854775808"],
            &["", "01", "+1", "-0", " 1", "1.0", "9223372036854775808", "abc"],
        ),
        (
            "decimal",
            &["0.0", "-1.5", "2.0", "0.05", "99999999999999999999999999999999999.125"],
            &[
                "2",
                "1.50",
                ".5",
                "5.",
                "-0.0",
                "+1.5",
                "1e5",
                "",
                ".",
                "9999999999999999999999999999999999999999.0",
            ],
        ),
        (
            "double",
            &["1.5E0", "1.0E6", "-0.0E0", "0.0E0", "INF", "-INF", "NaN", "5.0E-324", "1.0E-7"],
            &["1", "1.5", "1e6", "1.0e6", "1.0E+6", "+INF", "inf", "nan", "infinity", "1E", "E5", "0x1"],
        ),
        ("boolean", &["true", "false"], &["1", "0", "TRUE", "", "t"]),
        (
            "date",
            &["2005-01-31", "-0001-12-31", "0000-02-29", "10000-01-01", "999999999-12-31"],
            &[
                "2005-01-31Z",
                "2005-02-29",
                "+2005-01-01",
                "02005-01-01",
                "-0000-01-01",
                "2005-1-1",
                "20050131",
            ],
        ),
        (
            "time",
            &["00:00:00", "23:59:59.5", "12:00:00Z", "12:00:00.000000001-08:00", "12:00:00+14:00"],
            &[
                "24:00:00",
                "12:00",
                "12:00:00.50",
                "12:00:00+00:00",
                "12:00:00+14:01",
                "12:00:60",
                "12:00:00.0000000001",
            ],
        ),
        (
            "dateTime",
            &["2005-01-01T00:00:00", "2005-01-01T00:00:00Z", "2005-01-01T23:59:59.123456789+01:00"],
            &[
                "2005-01-01T24:00:00",
                "2005-01-01T00:00:00-00:00",
                "2005-01-01",
                "2005-01-01 00:00:00",
                "2005-01-01T24:00:01",
            ],
        ),
        (
            "duration",
            &["P1Y2M3DT4H5M6.7S", "PT0S", "-P1M", "-P1DT1S", "P1D", "PT25H", "-PT0.5S", "PT0.000000001S"],
            &[
                "P", "PT", "P1DT", "P14M", "PT90M", "PT60S", "-PT0S", "P-1D", "P0Y", "P1W", "P1M1Y", "PT1.S",
                "P1.5D", "+P1D",
            ],
        ),
        ("string", &["", "a", " 01 "], &[]),
        ("int", &[], &["1", "01"]),
        ("float", &[], &["1.5E0"]),
        ("dayTimeDuration", &[], &["P1D"]),
    ];
    for (name, held, kept) in table {
        let iri = format!("{XSD}{name}");
        for (text, is_held) in
            held.iter().map(|text| (text, true)).chain(kept.iter().map(|text| (text, false)))
        {
            let value = literal(text, &iri);
            assert_eq!(!matches!(value, Value::Literal(_)), is_held, "{text:?} {name}: {value:?}");
            let Term::Literal(found) = Term::of(&value) else { panic!("{value:?}") };
            assert_eq!((&*found.lexical, found.datatype), (*text, &*iri));
            // The normal form is the same term, and normal.
            let normal = normalise(value.clone());
            assert_eq!(Term::of(&normal), Term::of(&value));
            assert!(equivalent(&normalise(normal.clone()), &normal));
            assert!(equivalent(
                &normalise(Value::Literal(Literal::of_datatype(*text, &*iri).into())),
                &normal
            ));
        }
    }
}

#[test]
fn texts_are_read_by_value() {
    assert_eq!(lexical::integer("+0012"), Some(Decimal::from(12)));
    assert_eq!(lexical::integer("1."), None);
    assert_eq!(lexical::decimal(".50"), Decimal::parse("0.5"));
    assert_eq!(lexical::decimal("-"), None);
    assert_eq!(lexical::double("1e2"), Some(100.0));
    assert_eq!(lexical::double("1e400"), Some(f64::INFINITY));
    assert_eq!(lexical::float("+INF"), Some(f32::INFINITY));
    let moment = lexical::date_time("2004-12-31T24:00:00-05:30").unwrap();
    assert_eq!(moment, lexical::date_time("2005-01-01T00:00:00.00-05:30").unwrap());
    assert_eq!(moment.offset, Some(-19_800));
    assert_eq!(lexical::time("24:00:00"), lexical::time("00:00:00"));
    let span = lexical::duration("-P1Y1MT1.5S").unwrap();
    assert_eq!((span.months, span.nanos), (-13, -1_500_000_000));
    assert!(lexical::duration("P99999999999999999999Y").is_none());
    assert!(lexical::duration(&format!("P{}D", "9".repeat(60))).is_none());
}

#[test]
fn different_terms_have_different_normal_forms() {
    let terms = [
        literal("1", xsd::INTEGER),
        literal("01", xsd::INTEGER),
        literal("1.0", xsd::DECIMAL),
        literal("1", xsd::DECIMAL),
        literal("1.0E0", xsd::DOUBLE),
        literal("0.0E0", xsd::DOUBLE),
        literal("-0.0E0", xsd::DOUBLE),
        literal("1", xsd::STRING),
        literal("1", xsd::INT),
        tagged("1", "en"),
        tagged("1", "en--ltr"),
        literal("2005-01-01T00:00:00Z", xsd::DATE_TIME),
        literal("2005-01-01T01:00:00+01:00", xsd::DATE_TIME),
        literal("2005-01-01T00:00:00", xsd::DATE_TIME),
        literal("P1D", xsd::DURATION),
        literal("PT24H", xsd::DURATION),
        literal("P1D", xsd::DAY_TIME_DURATION),
        Value::iri("1"),
        Value::iri("_:1"),
    ]
    .map(normalise);
    for (i, a) in terms.iter().enumerate() {
        for (j, b) in terms.iter().enumerate() {
            assert_eq!(equivalent(a, b), i == j, "{a:?} {b:?}");
        }
    }
    assert!(equivalent(&tagged("a", "en-GB"), &tagged("a", "EN-gb")));
}

#[test]
fn written_as_n_triples() {
    let check = |value: Value, expected: &str| {
        assert_eq!(nt(&value).as_deref(), Some(expected));
        let back = parse_nt(expected).unwrap();
        assert!(
            equivalent(&back, &normalise(value.clone())) || equivalent(&normalise(back), &normalise(value))
        );
    };
    check(Value::string("a\"b\\c\n\t\r\u{8}\u{c}\0é\u{fffe}"), r#""a\"b\\c\n\t\r\b\f\u0000é\uFFFE""#);
    check(Value::Int(-7), "\"-7\"^^<http://www.w3.org/2001/XMLSchema#integer>");
    check(Value::iri("http://a/ b>"), r"<http://a/\u0020b\u003E>");
    check(Value::iri("_:b1"), "_:b1");
    check(tagged("x", "ar-EG--rtl"), "\"x\"@ar-EG--rtl");
    let inner =
        triple([&Value::iri("_:s"), &Value::iri("p"), &tagged("x", "EN")], &mut none).unwrap().unwrap();
    check(inner.clone(), "<<( _:s <p> \"x\"@en )>>");
    let outer = triple([&Value::iri("s"), &Value::iri("p"), &inner], &mut none).unwrap().unwrap();
    check(outer.clone(), "<<( <s> <p> <<( _:s <p> \"x\"@en )>> )>>");
    let Value::Iri(text) = &outer else { panic!() };
    assert!(equivalent(&triple_parts(text).unwrap()[2], &inner));
    let spaced = parse_nt("  <<(<s>\t<p>  <<( _:s <p> \"x\"@EN)>>)>> ").unwrap();
    assert!(equivalent(&spaced, &outer));
    for value in [Value::Null, Value::list(Vec::new()), Value::map(crate::Map::new())] {
        assert_eq!(nt(&value), None);
    }
}

fn none(_: &Value) -> Result<Value, Infallible> {
    Ok(Value::Null)
}

#[test]
fn triples_of_wrong_parts_are_none() {
    let [iri, blank, text] = [Value::iri("a"), Value::iri("_:a"), Value::string("a")];
    let whole = triple([&iri, &iri, &text], &mut none).unwrap().unwrap();
    for parts in [[&text, &iri, &iri], [&iri, &blank, &iri], [&iri, &text, &iri], [&whole, &iri, &iri]] {
        assert!(triple(parts, &mut none).unwrap().is_none(), "{parts:?}");
    }
    assert!(triple([&iri, &iri, &Value::Null], &mut none).unwrap().is_none());
}

#[test]
fn what_is_no_term_is_refused() {
    for text in [
        "",
        " ",
        "<",
        "<a",
        "<a b>",
        "a",
        "\"a",
        "\"a\\\"",
        "\"a\"@",
        "\"a\"^^",
        "\"a\"^^x",
        "_:",
        "<a> <b>",
        "<<( <a> <b> )>>",
        "<<( <a> <b> <c>",
        "<<( \"a\" <b> <c> )>>",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\uD800\"",
        "\"\\u+123\"",
        "<<(",
        "\"a\"@en <b>",
        "\"\\ué000\"",
    ] {
        assert!(parse_nt(text).is_none(), "{text}");
    }
    let nested = |depth: usize| format!("{}<o>{}", "<<( <s> <p> ".repeat(depth), " )>>".repeat(depth));
    assert!(parse_nt(&nested(TERM_DEPTH_MAX)).is_some());
    assert!(parse_nt(&nested(TERM_DEPTH_MAX + 1)).is_none());
    assert!(parse_nt(&nested(100_000)).is_none());
    assert!(parse_nt(&"<<(".repeat(1_000_000)).is_none());
}

#[test]
fn random_values_come_back() {
    let mut samples = Samples::new(7);
    let mut terms = 0;
    for _ in 0..20_000 {
        let value = match samples.between(0, 8) {
            0 => Value::Date(samples.date()),
            1 => Value::LocalTime(samples.local_time()),
            2 => Value::Time(samples.time()),
            3 => Value::LocalDateTime(samples.local_datetime()),
            4 => Value::DateTime(samples.datetime()),
            5 => Value::Duration(samples.duration()),
            6 => Value::Float(f64::from_bits(samples.bits())),
            _ => samples.value(1),
        };
        let Some(text) = nt(&value) else { continue };
        if matches!(&value, Value::Iri(iri) if iri.is_empty()) || matches!(value, Value::Node(_)) {
            continue;
        }
        let back = parse_nt(&text).unwrap_or_else(|| panic!("{text}"));
        assert!(equivalent(&normalise(back), &normalise(value.clone())), "{value:?} {text}");
        if !matches!(value, Value::DateTime(_) | Value::Time(_) | Value::Duration(_)) {
            assert_eq!(nt(&parse_nt(&text).unwrap()).unwrap(), text);
        }
        terms += 1;
    }
    assert!(terms > 15_000, "{terms}");
}

#[test]
fn random_lexical_forms_are_kept() {
    let mut samples = Samples::new(11);
    let alphabet: Vec<char> = "0123456789+-.:TZEePDHMSY INFatrue\"\\é".chars().collect();
    let seeds =
        ["1.5E0", "2005-01-31T10:00:00.5Z", "P1Y2M3DT4H5M6.7S", "-12.50", "true", "10:00:00+01:00", ""];
    for _ in 0..50_000 {
        let mut text: Vec<char> = samples.pick(&seeds).chars().collect();
        for _ in 0..samples.between(0, 4) {
            let at = usize::try_from(samples.between(0, i64::try_from(text.len()).unwrap() + 1)).unwrap();
            if samples.bits() & 1 == 0 {
                text.insert(at, *samples.pick(&alphabet));
            } else if at < text.len() {
                text.remove(at);
            }
        }
        let text: String = text.into_iter().collect();
        let datatype = *samples.pick(xsd::ALL);
        let value = literal(&text, datatype);
        assert_eq!(lexical_of(&value), text, "{datatype}");
        let normal = normalise(value.clone());
        assert_eq!(Term::of(&normal), Term::of(&value));
        let back = parse_nt(&nt(&value).unwrap()).unwrap();
        assert!(equivalent(&normalise(back), &normal), "{text} {datatype}");
    }
}
