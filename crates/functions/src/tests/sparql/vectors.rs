//! What is computed for a whole vector is what is computed value by value.

use std::sync::Arc;

use trimorph_base::{NodeId, Random, TableId};
use trimorph_types::temporal::ZoneId;
use trimorph_types::{Date, DateTime, Decimal, Literal, LocalDateTime, LocalTime, Time, Value};
use trimorph_vector::{Dictionary, Positions, Texts, Values, Vector};

use super::evaluator::Named;
use crate::Context;
use crate::function::Function;
use crate::kernel::{Argument, Kernel};
use crate::tests::evaluator::NOW;

/// Kinds of values, and one more.
const KINDS: usize = 25;

/// A value of the kind; sometimes null.
fn drawn(random: &mut Random, kind: usize) -> Value {
    if random.chance(10) {
        return Value::Null;
    }
    let small = random.between(-3, 3);
    match kind {
        0 => Value::Int(*random.pick(&[0, 1, -1, 7, i64::MAX, i64::MIN, (1 << 53) + 1, small])),
        1 => Value::Float(*random.pick(&[
            0.0,
            -0.0,
            1.5,
            -2.5,
            1.0,
            f64::NAN,
            f64::INFINITY,
            9_007_199_254_740_992.0,
        ])),
        2 => Value::string(*random.pick(&["", "a", "ab", "é", "Straße", "abab", "b"])),
        3 => Value::Date(Date { days: random.between(-800_000, 800_000) }),
        4 => Value::LocalDateTime(LocalDateTime {
            seconds: random.between(-9_000_000_000, 9_000_000_000),
            nanos: 5,
        }),
        5 => {
            let zone = ZoneId::Offset(*random.pick(&[0, 3_600, -18_000]));
            let nanos = *random.pick(&[0, 500_000_000, 120_000, 7]);
            // Often the same instant, in one zone or in two.
            let seconds = if random.chance(50) { 0 } else { random.between(-9_000_000_000, 9_000_000_000) };
            Value::DateTime(DateTime::from_utc(seconds, nanos, &zone))
        }
        6 => Value::LocalTime(LocalTime { nanos: random.between(0, 86_399) * 1_000_000_000 }),
        7 => Value::Time(Time { nanos: random.between(0, 86_399) * 1_000_000_000, offset_seconds: 3_600 }),
        8 => Value::Bool(small > 0),
        9 => trimorph_types::rdf::tagged("x", "en"),
        10 => Value::Int(small),
        11 => trimorph_types::rdf::tagged("x", ["en", "de-AT", "ar--rtl"][random.below(3)]),
        12 => {
            let (text, datatype) = *random.pick(&[
                ("01", "integer"),
                ("5", "integer"),
                ("x", "integer"),
                ("1.50", "decimal"),
                ("2.5", "decimal"),
                ("3", "byte"),
                ("300", "byte"),
                ("2020-01-01", "date"),
                ("2020-01-01Z", "date"),
                ("2020-01-01T00:00:00", "dateTime"),
                ("2020-01-01T00:00:00Z", "dateTime"),
                ("true", "boolean"),
                ("a", "string"),
            ]);
            let datatype = format!("{}{datatype}", trimorph_types::rdf::names::XSD);
            Value::Literal(Literal::of_datatype(text, datatype).into())
        }
        13 => Value::Literal(Literal::of_datatype("x", "http://e/own").into()),
        14 => Value::iri(*random.pick(&["http://e/a", "http://n/7", "_:b", "<<( <a> <b> <c> )>>"])),
        15 => Value::Node(NodeId::new(TableId(0), random.below(9) as u64)),
        // All nodes of a table stand for literals, or none.
        17 => Value::Node(NodeId(9)),
        16 => Value::Decimal(Decimal::new(i128::from(small), 1).unwrap_or_default()),
        19 => Value::DateTime(DateTime::from_utc(random.between(-9, 9) * 40_000, 7, &ZoneId::UTC)),
        20 => {
            let (text, datatype) = *random.pick(&[
                ("2020-01-01Z", "date"),
                ("2020-01-02Z", "date"),
                ("x", "date"),
                ("01", "int"),
            ]);
            let datatype = format!("{}{datatype}", trimorph_types::rdf::names::XSD);
            Value::Literal(Literal::of_datatype(text, datatype).into())
        }
        22 => {
            let (text, datatype) = *random.pick(&[
                ("P1D", "dayTimeDuration"),
                ("-PT90.5S", "dayTimeDuration"),
                ("PT36H", "dayTimeDuration"),
                ("P1M", "yearMonthDuration"),
                ("-P13M", "yearMonthDuration"),
                ("P1Y2M3DT4H", "duration"),
                ("P300000Y", "duration"),
                ("P1M", "dayTimeDuration"),
            ]);
            let datatype = format!("{}{datatype}", trimorph_types::rdf::names::XSD);
            Value::Literal(Literal::of_datatype(text, datatype).into())
        }
        // Decimals with many digits, and few.
        23 => {
            let unscaled = *random.pick(&[15, -15, 1, i128::MAX / 9, 10_i128.pow(30) + 1, 0, 7]);
            Value::Decimal(
                Decimal::new(unscaled, u8::try_from(random.below(25)).unwrap()).unwrap_or_default(),
            )
        }
        24 => Value::LocalDateTime(LocalDateTime { seconds: random.between(-9, 9) * 40_000, nanos: 0 }),
        _ => {
            Value::Duration(trimorph_types::Duration { months: small, days: small, seconds: small, nanos: 0 })
        }
    }
}

/// The same literals as those of a dictionary.
fn coded(vector: Vector<'static>) -> Vector<'static> {
    let Values::Literal(literals) = &vector.values else { return vector };
    let (mut entries, mut codes) = (Vec::<&str>::new(), Vec::new());
    for text in literals.values().iter() {
        let code = entries.iter().position(|known| *known == text).unwrap_or(entries.len());
        if code == entries.len() {
            entries.push(text);
        }
        codes.push(u32::try_from(code).unwrap());
    }
    let mut texts = Texts::with_capacity(entries.len());
    entries.iter().for_each(|text| texts.push(text));
    let texts = Texts::coded(codes, &Arc::new(Dictionary::new(texts)));
    let values = Values::Literal(literals.with_values(texts).unwrap());
    Vector { values, nulls: vector.nulls.clone() }
}

/// All values that the function gives at once, if it does.
fn at_once(
    function: &Function,
    context: &Context<'_>,
    args: &[Argument<'_, 'static>],
    at: Positions<'_>,
) -> Option<Vector<'static>> {
    let Kernel::Typed(kernel) = function.kernel else { return None };
    kernel(context, args, at)
}

#[test]
fn vectors_and_values_agree() {
    let graph = Named;
    let context = Context::new(&graph, NOW, 7);
    let mut random = Random::new(11);
    let mut known = std::collections::BTreeMap::new();
    let functions: Vec<&Function> = crate::sparql::families()
        .into_iter()
        .flatten()
        .filter(|function| matches!(function.kernel, Kernel::Typed(_)))
        .collect();
    assert!(functions.len() > 20);
    for _ in 0..12_000 {
        let function = *random.pick(&functions);
        let len = random.below(70);
        // Of any number, two or three.
        let count =
            function.min_args.max(if function.max_args == usize::MAX { 2 + random.below(2) } else { 1 });
        let first = random.below(KINDS);
        let kinds: Vec<usize> =
            (0..count).map(|_| if random.chance(50) { first } else { random.below(KINDS) }).collect();
        // Sometimes an IRI beside terms of any kind: nodes, IRIs and literals, or nodes alone.
        let terms: &[usize] = if random.chance(50) { &[14, 15, 17, 9] } else { &[15, 17] };
        let are_terms = count == 2 && random.chance(15);
        let kinds = if are_terms { vec![14; count] } else { kinds };
        // Kernels of texts and a constant are met by few kinds.
        let of_texts = match function.name {
            "sparql.substr" => Some(vec![2, 10]),
            "sparql.regex" | "sparql.strbefore" | "sparql.strafter" => Some(vec![2, 2]),
            "sparql.contains" | "sparql.strstarts" | "sparql.strends" => Some(vec![2, 2]),
            "sparql.concat" => Some(vec![2; count]),
            "sparql.add" | "sparql.sub" if random.chance(40) => {
                Some(vec![*random.pick(&[3, 4, 19, 24]), *random.pick(&[22, 22, 19, 24])])
            }
            "sparql.add" | "sparql.sub" | "sparql.mul" | "sparql.div" => {
                Some(vec![*random.pick(&[0, 1, 16, 23]), *random.pick(&[0, 10, 1, 16, 23])])
            }
            "sparql.lt" | "sparql.ge" | "sparql.eq" | "sparql.elapsed" => {
                Some(vec![*random.pick(&[19, 24, 16]), *random.pick(&[19, 24, 23])])
            }
            _ => None,
        };
        let kinds = of_texts.filter(|_| !are_terms && random.chance(60)).unwrap_or(kinds);
        let kind_of = |random: &mut Random, kind| if are_terms { *random.pick(terms) } else { kind };
        let drawn_as = |random: &mut Random, kind: usize| {
            let kind = kind_of(random, kind);
            drawn(random, kind)
        };
        let columns: Vec<Vec<Value>> =
            kinds.iter().map(|kind| (0..len).map(|_| drawn_as(&mut random, *kind)).collect()).collect();
        // One of two may be a constant that is no null.
        let constant = (count == 2 && random.chance(40)).then(|| random.below(2));
        let fixed = constant.map(|side| {
            let mut value = Value::Null;
            while value.is_null() {
                value = drawn(&mut random, kinds[side]);
            }
            value
        });
        let list: Vec<u32> = (0..u32::try_from(len).unwrap()).filter(|_| random.chance(60)).collect();
        let at = if random.chance(50) { Positions::all(len) } else { Positions::all(len).among(&list) };
        let vectors: Vec<Vector<'static>> =
            columns.iter().map(|column| Vector::of_values(column.clone(), Positions::all(len))).collect();
        let vectors: Vec<Vector<'static>> = vectors
            .into_iter()
            .map(|vector| if random.chance(50) { coded(vector) } else { vector })
            .collect();
        let args: Vec<Argument<'_, 'static>> = (0..count)
            .map(|i| match (&fixed, constant) {
                (Some(value), Some(side)) if side == i => Argument::One(value),
                _ => Argument::Each(&vectors[i]),
            })
            .collect();
        let Some(found) = at_once(function, &context, &args, at) else { continue };
        *known.entry(function.name).or_insert(0) += 1;
        for i in at.to_vec() {
            let i = i as usize;
            let row: Vec<Value> = (0..count)
                .map(|k| match (&fixed, constant) {
                    (Some(value), Some(side)) if side == k => value.clone(),
                    _ => columns[k][i].clone(),
                })
                .collect();
            let expected = function.invoke(&context, &row).unwrap();
            let found = found.value(i, &|_| Value::Null);
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{} of {row:?}", function.name);
        }
    }
    assert_eq!(known.len(), functions.len(), "{known:?}");
}

/// The same part of each text, wherever it begins and however long it is.
#[test]
fn parts_of_texts_are_those_of_each() {
    let context = Context::new(&Named, NOW, 7);
    let function = crate::lookup("sparql.substr").unwrap();
    for texts in [&["", "a", "ab", "abcdef"][..], &["", "é", "Straße", "日本語文"]] {
        let texts: Vec<Value> = texts.iter().map(|text| Value::string(*text)).collect();
        let at = Positions::all(texts.len());
        let vector = Vector::of_values(texts.clone(), at);
        for start in [i64::MIN, -3, 0, 1, 2, 4, 9, i64::MAX] {
            for length in [None, Some(i64::MIN), Some(-1), Some(0), Some(1), Some(3), Some(i64::MAX)] {
                let rest: Vec<Value> = [Some(start), length].into_iter().flatten().map(Value::Int).collect();
                let args: Vec<Argument<'_, 'static>> =
                    std::iter::once(Argument::Each(&vector)).chain(rest.iter().map(Argument::One)).collect();
                let found = at_once(function, &context, &args, at).unwrap();
                for (i, text) in texts.iter().enumerate() {
                    let row: Vec<Value> = std::iter::once(text.clone()).chain(rest.clone()).collect();
                    let expected = function.invoke(&context, &row).unwrap();
                    assert_eq!(
                        format!("{:?}", found.value(i, &|_| Value::Null)),
                        format!("{expected:?}"),
                        "{row:?}"
                    );
                }
            }
        }
    }
}

/// Parts of triple terms of any kind, and of texts that are none; and the terms made of these parts again.
#[test]
fn parts_of_triple_terms_are_those_of_each() {
    let context = Context::new(&Named, NOW, 7);
    let names =
        ["<<( <a> <b> <c> )>>", "<<( _:s <http://e/p> <http://n/7> )>>", "<<( <a> <b> _:c )>>", "_:b"];
    let others = [
        r#"<<( <a> <b> "x\"y"@en )>>"#,
        r#"<<( <a> <b> "05"^^<http://www.w3.org/2001/XMLSchema#integer> )>>"#,
        r#"<<( _:s <b> <<( <a> <b> "x" )>> )>>"#,
        r"<<( <a\u0020b> <b> <c> )>>",
        r#"<<( "a" <b> <c> )>>"#,
        "<<( <a> _:b <c> )>>",
        "<<( <a> <b> <c>",
        "http://e/a",
    ];
    for texts in [&names[..], &others, &[&names[..], &others].concat()] {
        let terms: Vec<Value> = texts.iter().map(|text| Value::iri(*text)).collect();
        let at = Positions::all(terms.len());
        let vector = Vector::of_values(terms.clone(), at);
        let mut parts = Vec::new();
        for name in ["sparql.subject", "sparql.predicate", "sparql.object"] {
            let function = crate::lookup(name).unwrap();
            let found = at_once(function, &context, &[Argument::Each(&vector)], at).unwrap();
            for (i, term) in terms.iter().enumerate() {
                let expected = function.invoke(&context, std::slice::from_ref(term)).unwrap();
                let found = found.value(i, &|_| Value::Null);
                assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{name} of {term:?}");
            }
            parts.push(found);
        }
        let function = crate::lookup("sparql.triple").unwrap();
        let args: Vec<Argument<'_, 'static>> = parts.iter().map(Argument::Each).collect();
        let Some(made) = at_once(function, &context, &args, at) else { continue };
        for (i, term) in terms.iter().enumerate() {
            let row: Vec<Value> = parts.iter().map(|part| part.value(i, &|_| Value::Null)).collect();
            let expected = function.invoke(&context, &row).unwrap();
            let made = made.value(i, &|_| Value::Null);
            assert_eq!(format!("{made:?}"), format!("{expected:?}"), "of the parts of {term:?}");
        }
    }
}
