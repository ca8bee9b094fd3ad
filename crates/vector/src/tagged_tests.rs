//! Vectors of values that are more than a word: as their values, through every way that vectors are put
//! together.

use trimorph_base::{EdgeId, Random};
use trimorph_types::{DateTime, Decimal, Duration, Literal, LogicalType, Time, Value, Zone};

use crate::{Part, Positions, Values, Vector, blend};

fn no_edge(_: EdgeId) -> Value {
    Value::Null
}

/// Zones enough that some vectors together have more than there are numbers.
fn zone(random: &mut Random, most: usize) -> Zone {
    match random.below(most) {
        0 => Zone::UTC,
        1 => Zone::Named { name: "Europe/Stockholm".into(), offset_seconds: 3_600 },
        n => Zone::Offset(60 * i32::try_from(n).unwrap()),
    }
}

fn value(kind: usize, random: &mut Random, zones: usize) -> Value {
    let small = random.between(-3, 3);
    match kind {
        0 => Value::Duration(Duration { months: small, days: 1, seconds: small, nanos: 5 }),
        1 => Value::Time(Time { nanos: small.abs(), offset_seconds: 3_600 }),
        2 => {
            let scale = if random.chance(3) { 30 } else { *random.pick(&[0, 2, 2, 5]) };
            let large = if random.chance(3) { i64::MAX / 50 } else { 1 };
            Value::Decimal(Decimal::new(i128::from(small) * i128::from(large), scale).unwrap())
        }
        3 => Value::iri(*random.pick(&["", "http://a", "http://é"])),
        4 => {
            let tag = *random.pick(&["en", "EN", "de"]);
            Value::Literal(Literal::in_language(*random.pick(&["", "a"]), tag).into())
        }
        _ => Value::DateTime(DateTime { seconds: small, nanos: 7, zone: zone(random, zones) }),
    }
}

fn values(kind: usize, random: &mut Random, zones: usize) -> Vec<Value> {
    let nulls = *random.pick(&[0, 20, 100]);
    (0..40).map(|_| if random.chance(nulls) { Value::Null } else { value(kind, random, zones) }).collect()
}

/// Values have no equality of their own: their text tells every difference.
fn shown(values: impl IntoIterator<Item = Value>) -> Vec<String> {
    values.into_iter().map(|value| format!("{value:?}")).collect()
}

fn of(vector: &Vector<'_>, len: usize) -> Vec<String> {
    shown((0..len).map(|i| vector.value(i, &no_edge)))
}

#[test]
fn values_of_several_words_stay_what_they_are() {
    let mut random = Random::new(17);
    for round in 0..600 {
        let kind = round % 6;
        let zones = *random.pick(&[1, 3, 30]);
        let given = values(kind, &mut random, zones);
        let vector = Vector::of_values(given.clone(), Positions::all(40));
        let is_typed = given.iter().any(|v| !v.is_null());
        assert_eq!(vector.logical_type() != LogicalType::Any, is_typed, "{given:?}");
        assert_eq!(of(&vector, 40), shown(given.clone()));
        let picked = [3, 3, 39, 0];
        let pick = |from: &[Value]| picked.map(|p: u32| from[p as usize].clone());
        assert_eq!(of(&vector.gather(&picked), 4), shown(pick(&given)));

        // Others after them, and over some of them; sometimes of another kind.
        let other_kind = if random.chance(80) { kind } else { random.below(6) };
        let more = values(other_kind, &mut random, 300);
        let other = Vector::of_values(more.clone(), Positions::all(40));
        let mut both = vector.like();
        both.extend(&vector, &picked, &no_edge);
        both.extend(&other, &picked, &no_edge);
        assert_eq!(of(&both, 8), shown(pick(&given).into_iter().chain(pick(&more))));
        let under = [Part::Under(&vector), Part::Each(&other, &[3, 39])];
        let mut expected = given.clone();
        (expected[3], expected[39]) = (more[3].clone(), more[39].clone());
        assert_eq!(of(&blend(&under, Positions::all(40), &no_edge), 40), shown(expected));
        let constant = Vector::constant(&given[5], 3);
        assert_eq!(of(&constant, 3), shown([0; 3].map(|_| given[5].clone())));
    }
}

#[test]
fn too_many_zones_are_general() {
    let at = |n: i64| DateTime { seconds: 1, nanos: 0, zone: Zone::Offset(i32::try_from(n).unwrap()) };
    let instants = |from: i64, to: i64| (from..to).map(|n| Value::DateTime(at(n))).collect::<Vec<_>>();
    let few = Vector::of_values(instants(1, 257), Positions::all(256));
    assert!(matches!(few.values, Values::Zoned(_)));
    let many = Vector::of_values(instants(1, 258), Positions::all(257));
    assert!(matches!(many.values, Values::Any(_)));
    let mut both = few.like();
    both.extend(&few, &[0, 255], &no_edge);
    assert!(matches!(both.values, Values::Zoned(_)));
    both.extend(&Vector::of_values(instants(300, 301), Positions::all(1)), &[0], &no_edge);
    assert_eq!(of(&both, 3), shown([at(1), at(256), at(300)].map(Value::DateTime)));
}
