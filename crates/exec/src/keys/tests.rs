//! Numbers of keys against a search of all tuples that came before, by the equivalence of values.

use std::sync::Arc;

use trimorph_base::NodeId;
use trimorph_types::{Date, DateTime, LocalDateTime, Value, Zone, equivalent};
use trimorph_vector::{Entries, Nodes, Nulls, Texts, Values, Vector};

use super::{KeyTable, NO_NUMBER};

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

const WORDS: [&str; 6] = ["", "a", "b", "trimorph", "a text that is longer than a few words", "é"];

/// A vector of one of all kinds, of few values, so that tuples come again.
fn vector(kind: u64, len: usize, random: &mut Random) -> Vector<'static> {
    let entries: Entries<'_> = Arc::new(WORDS.iter().copied().collect());
    let ints = |random: &mut Random| (0..len).map(|_| random.below(4) as i64 - 1).collect::<Vec<i64>>();
    let values = match kind {
        0 => Values::Int(ints(random)),
        1 => Values::Float(
            (0..len).map(|_| [0.0, -0.0, 1.0, 1.5, f64::NAN][random.below(5) as usize]).collect(),
        ),
        2 => Values::String((0..len).map(|_| WORDS[random.below(6) as usize]).collect()),
        3 => Values::String(Texts::coded((0..len).map(|_| random.below(6) as u32).collect(), &entries)),
        4 => {
            let mut texts = Texts::default();
            (0..len).for_each(|_| texts.push(WORDS[random.below(6) as usize]));
            Values::String(texts)
        }
        5 => Values::Bool((0..len).map(|_| random.below(2) == 0).collect()),
        6 => Values::Date((0..len).map(|_| random.below(3) as i32).collect()),
        7 => Values::DateTime(ints(random)),
        8 => Values::LocalDateTime(ints(random)),
        9 => Values::LocalTime((0..len).map(|_| random.below(3) as i64).collect()),
        // One value for all rows.
        13 => {
            let mut random = trimorph_base::Random::new(random.below(1 << 30));
            return crate::expr::tests::sample::wide(&mut random, len);
        }
        12 => Values::Int(vec![random.below(3) as i64; len]),
        // What floats are exactly, and what they are not.
        14 => Values::Int(
            (0..len)
                .map(|_| [i64::MAX, i64::MIN, 1 << 53, (1 << 53) + 1, 1][random.below(5) as usize])
                .collect(),
        ),
        15 => Values::Float(
            (0..len)
                .map(|_| [0.5, 1.0, 2f64.powi(53), 2f64.powi(63), -2f64.powi(63)][random.below(5) as usize])
                .collect(),
        ),
        10 => {
            let ids =
                (0..len).map(|_| NodeId(random.below(3) | random.below(2) << NodeId::ROW_BITS)).collect();
            Values::Node(Nodes::Ids { table: None, ids })
        }
        _ => {
            let nanos = |n: u64| LocalDateTime { seconds: 0, nanos: n as u32 };
            let date_time = |n: u64| DateTime { seconds: 0, nanos: n as u32, zone: Zone::Offset(0) };
            let any = |_| match random.below(14) {
                10 => Value::Decimal(1.into()),
                11 => Value::Iri("a".into()),
                12 => Value::iri("http://a"),
                0 => Value::Int(1),
                1 => Value::Float(1.0),
                2 => Value::string("a"),
                3 => Value::string("trimorph"),
                4 => Value::list(vec![Value::Int(1), Value::Null]),
                5 => Value::list(vec![Value::Float(1.0), Value::Null]),
                6 => Value::Date(Date { days: 1 }),
                7 => Value::LocalDateTime(nanos(1)),
                8 => Value::DateTime(date_time(1)),
                9 => Value::Bool(true),
                _ => Value::Null,
            };
            return Vector::new(Values::Any((0..len).map(any).collect()));
        }
    };
    let mut nulls = Nulls::NONE;
    if random.below(2) == 0 {
        (0..len).filter(|_| random.below(4) == 0).for_each(|i| nulls.set(i, len));
    }
    Vector { values, nulls }
}

#[test]
fn equivalent_tuples_have_one_number() {
    let mut random = Random(1);
    for round in 0..400 {
        let keys = 1 + round % 4;
        let mut table = KeyTable::default();
        let mut known: Vec<Vec<Value>> = Vec::new();
        for _ in 0..4 {
            let len = 40;
            let vectors: Vec<Vector<'static>> =
                (0..keys).map(|_| vector(random.below(16), len, &mut random)).collect();
            let columns: Vec<&Vector<'static>> = vectors.iter().collect();
            let positions: Vec<u32> = (0..len as u32).filter(|_| random.below(5) > 0).collect();
            let tuple = |p: u32| -> Vec<Value> {
                columns.iter().map(|c| c.value(p as usize, &|_| Value::Null)).collect()
            };
            let same = |a: &[Value], b: &[Value]| a.iter().zip(b).all(|(a, b)| equivalent(a, b));
            let place = |known: &[Vec<Value>], t: &[Value]| known.iter().position(|k| same(k, t));
            let mut found = Vec::new();
            table.find_all(&columns, &positions, &mut found);
            for (p, number) in positions.iter().zip(&found) {
                let expected = place(&known, &tuple(*p)).map_or(NO_NUMBER, |n| n as u32);
                assert_eq!(*number, expected, "{:?} before it is numbered", tuple(*p));
            }
            let (mut numbers, mut fresh, mut new) = (Vec::new(), Vec::new(), Vec::new());
            table.number_all(&columns, &positions, &mut numbers, &mut fresh);
            for (p, number) in positions.iter().zip(&numbers) {
                let expected = place(&known, &tuple(*p)).unwrap_or_else(|| {
                    known.push(tuple(*p));
                    new.push(*p);
                    known.len() - 1
                });
                assert_eq!(*number as usize, expected, "{:?}", tuple(*p));
            }
            assert_eq!(fresh, new);
            assert_eq!(table.len(), known.len());
            found.clear();
            table.find_all(&columns, &positions, &mut found);
            assert_eq!(found, numbers);
        }
    }
}

/// So many texts that what is looked up is asked for ahead: each has its number when it comes again, and
/// nothing else has.
#[test]
fn many_texts_have_numbers_of_their_own() {
    const TEXTS: usize = 70_000;
    let text = |i: usize| format!("{}{}", ["", "some letters before "][i % 2], i / 2);
    let vector = |range: std::ops::Range<usize>| {
        let mut texts = Texts::default();
        range.for_each(|i| texts.push(&text(i * 11 % TEXTS)));
        Vector::new(Values::String(texts))
    };
    let mut table = KeyTable::default();
    let (mut numbers, mut fresh) = (Vec::new(), Vec::new());
    for first in (0..2 * TEXTS).step_by(1_000) {
        let (vector, positions) = (vector(first..first + 1_000), (0..1_000).collect::<Vec<u32>>());
        numbers.clear();
        fresh.clear();
        table.number_all(&[&vector], &positions, &mut numbers, &mut fresh);
        let expected: Vec<u32> = (first..first + 1_000).map(|i| (i % TEXTS) as u32).collect();
        assert_eq!((numbers.clone(), fresh.len()), (expected, if first < TEXTS { 1_000 } else { 0 }));
    }
    let mut found = Vec::new();
    table.find_all(&[&vector(5..1_005)], &(0..1_000).collect::<Vec<u32>>(), &mut found);
    assert_eq!(found, (5..1_005).collect::<Vec<u32>>());
    let mut other = Texts::default();
    ["some letters before", "70001", "-1"].into_iter().for_each(|text| other.push(text));
    found.clear();
    table.find_all(&[&Vector::new(Values::String(other))], &[0, 1, 2], &mut found);
    assert_eq!(found, [NO_NUMBER; 3]);
    // Numbers of other keys come between.
    let mixed = Vector::new(Values::Any(vec![
        Value::Int(3),
        Value::string("new"),
        Value::Null,
        Value::string("new"),
    ]));
    numbers.clear();
    table.number_all(&[&mixed], &[0, 1, 2, 3], &mut numbers, &mut fresh);
    let next = TEXTS as u32;
    assert_eq!(numbers, [next, next + 1, next + 2, next + 1]);
    found.clear();
    table.find_all(&[&vector(0..3)], &[0, 1, 2], &mut found);
    assert_eq!(found, [0, 1, 2]);
}

#[test]
fn instants_of_utc_are_one_key_in_all_vectors() {
    let at = |nanos: u32, zone: Zone| Value::DateTime(DateTime { seconds: 0, nanos, zone });
    let values = vec![at(1, Zone::UTC), at(1, Zone::Offset(60)), at(2, Zone::UTC)];
    let zoned = Vector::of_values(values.clone(), trimorph_vector::Positions::all(3));
    assert!(matches!(zoned.values, Values::Zoned(_)));
    let mut table = KeyTable::default();
    let (mut numbers, mut fresh) = (Vec::new(), Vec::new());
    table.number_all(&[&zoned], &[0, 1, 2], &mut numbers, &mut fresh);
    let mut found = Vec::new();
    table.find_all(&[&Vector::new(Values::DateTime(vec![1, 2, 3]))], &[0, 1, 2], &mut found);
    assert_eq!(found, [0, 2, NO_NUMBER]);
    found.clear();
    table.find_all(&[&Vector::new(Values::Any(values))], &[0, 1, 2], &mut found);
    assert_eq!(found, numbers);
}

/// More tuples than fit a cache, of so many keys that their tags take two words, with nulls and floats: each
/// has the number of its first sight, and is found by it.
#[test]
fn many_tuples_have_numbers_of_their_own() {
    let mut random = Random(3);
    for keys in [2usize, 3, 4, 8, 9] {
        let (mut table, mut known) = (KeyTable::default(), std::collections::HashMap::new());
        for chunk in 0..40 {
            let len = 1000;
            let tuples: Vec<Vec<Option<i64>>> = (0..len)
                .map(|_| {
                    let n = random.below(30_000) as i64;
                    let part = |k: usize| match k % 3 {
                        0 => n / 7,
                        1 => (n % 7) << 40,
                        _ => i64::from(n % 2 == 0),
                    };
                    let is_null = chunk % 2 == 1 && n % 11 == 0;
                    (0..keys).map(|k| (!is_null || k == 1).then(|| part(k))).collect()
                })
                .collect();
            let vector = |k: usize| {
                let mut nulls = Nulls::NONE;
                let value = |t: &Vec<Option<i64>>| t[k].unwrap_or(77);
                (0..len).filter(|i| tuples[*i][k].is_none()).for_each(|i| nulls.set(i, len));
                let values: Vec<i64> = tuples.iter().map(value).collect();
                // Of one key the halves, so that it has floats.
                let values = match k {
                    2 => Values::Float(values.iter().map(|v| *v as f64 + 0.5).collect()),
                    _ => Values::Int(values),
                };
                Vector { values, nulls }
            };
            let vectors: Vec<Vector<'static>> = (0..keys).map(vector).collect();
            let columns: Vec<&Vector<'static>> = vectors.iter().collect();
            let positions: Vec<u32> = (0..len as u32).rev().collect();
            let (mut numbers, mut fresh, mut found) = (Vec::new(), Vec::new(), Vec::new());
            table.number_all(&columns, &positions, &mut numbers, &mut fresh);
            table.find_all(&columns, &positions, &mut found);
            let mut new = Vec::new();
            for (p, number) in positions.iter().zip(&numbers) {
                let next = known.len() as u32;
                let expected = *known.entry(tuples[*p as usize].clone()).or_insert(next);
                if expected == next {
                    new.push(*p);
                }
                assert_eq!(*number, expected, "{:?}", tuples[*p as usize]);
            }
            assert_eq!((&found, &fresh), (&numbers, &new));
        }
        assert_eq!(table.len(), known.len());
        assert!(table.bytes() >= known.len() * 8);
    }
}

/// One who asks again and again has the same answers, dictionary after dictionary: those that come once and
/// again, that are larger than what comes of them, with nulls and entries that the table has not got.
#[test]
fn what_was_found_of_a_dictionary_is_found_again() {
    let mut random = Random(7);
    let dictionaries: Vec<Entries<'_>> = [3, 40, 700, 5_000]
        .map(|entries| {
            let mut texts = Texts::default();
            (0..entries).for_each(|_| texts.push(&random.below(3_000).to_string()));
            Arc::new(trimorph_vector::Dictionary::new(texts))
        })
        .into();
    let mut table = KeyTable::default();
    let (mut numbers, mut fresh) = (Vec::new(), Vec::new());
    let texts: Texts<'_> = (0..1_500).fold(Texts::default(), |mut texts, i| {
        texts.push(&(i * 2).to_string());
        texts
    });
    let keys = Vector::new(Values::String(texts));
    table.number_all(&[&keys], &(0..1_500).collect::<Vec<u32>>(), &mut numbers, &mut fresh);
    let mut known = Vec::new();
    for round in 0..400 {
        let entries = &dictionaries[if round < 200 { round / 50 } else { random.below(4) as usize }];
        let len = [1, 20, 600][random.below(3) as usize];
        let codes: Vec<u32> = (0..len).map(|_| random.below(entries.len() as u64) as u32).collect();
        let mut vector = Vector::new(Values::String(Texts::coded(codes, entries)));
        if round % 3 == 0 {
            vector.nulls.set(0, len);
        }
        let positions: Vec<u32> = (0..len as u32).filter(|_| random.below(4) > 0).collect();
        let (mut again, mut once) = (Vec::new(), Vec::new());
        table.find_again(&[&vector], &positions, &mut known, &mut again);
        table.find_all(&[&vector], &positions, &mut once);
        assert_eq!(again, once, "round {round}");
    }
}
