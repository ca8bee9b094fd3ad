//! Vectors of lists against general vectors of the same lists.

use trimorph_base::Random;
use trimorph_types::Value;

use crate::{Lists, Nulls, Part, Positions, Values, Vector, blend};

fn no_edge(_: trimorph_base::EdgeId) -> Value {
    Value::Null
}

fn element(kind: usize, random: &mut Random) -> Value {
    if random.chance(20) {
        return Value::Null;
    }
    match kind {
        0 => Value::Int(random.between(-5, 5)),
        1 => Value::string(*random.pick(&["", "a", "é", "a longer text than a view"])),
        2 => Value::Float(*random.pick(&[0.5, -0.0, f64::NAN])),
        3 => Value::list(vec![Value::Int(random.between(0, 3))]),
        _ => element(random.below(4), random),
    }
}

/// Lists with elements of a kind, and the same as general values.
fn lists(kind: usize, len: usize, random: &mut Random) -> (Vector<'static>, Vector<'static>) {
    let count = random.below(30);
    let values: Vec<Value> = (0..count).map(|_| element(kind, random)).collect();
    let child = Vector::of_values(values.clone(), Positions::all(count));
    let (mut nulls, mut expected, mut runs) = (Nulls::NONE, Vec::new(), Vec::new());
    for i in 0..len {
        let start = random.below(count + 1);
        let end = start + random.below((count - start).min(4) + 1);
        runs.push((u32::try_from(start).unwrap(), u32::try_from(end - start).unwrap()));
        expected.push(if random.chance(20) {
            nulls.set(i, len);
            Value::Null
        } else {
            Value::list(values[start..end].to_vec())
        });
    }
    let lists = Lists::new(runs.into_iter(), child).unwrap();
    (Vector { values: Values::List(lists), nulls }, Vector::new(Values::Any(expected)))
}

fn shown(vector: &Vector<'_>, at: &[u32]) -> Vec<String> {
    at.iter().map(|i| format!("{:?}", vector.value(*i as usize, &no_edge))).collect()
}

fn some(len: usize, random: &mut Random) -> Vec<u32> {
    (0..random.below(2 * len + 1)).map(|_| random.below(len) as u32).collect()
}

fn all(len: usize) -> Vec<u32> {
    (0..u32::try_from(len).unwrap()).collect()
}

#[test]
fn lists_are_kept_as_general_values_are() {
    for seed in 0..2_000 {
        let mut random = Random::new(seed);
        let len = 1 + random.below(80);
        let (a, general_a) = lists(random.below(5), len, &mut random);
        let (b, general_b) = lists(random.below(5), len, &mut random);
        assert_eq!(shown(&a, &all(len)), shown(&general_a, &all(len)), "seed {seed}");
        // Picked, and picked again.
        let at = some(len, &mut random);
        let (picked, expected) = (a.gather(&at), general_a.gather(&at));
        assert_eq!(shown(&picked, &all(at.len())), shown(&expected, &all(at.len())), "seed {seed}");
        // Appended to lists of the same kind, of another, to general values and to nothing.
        let (mut rows, mut expected) = (a.like(), general_a.like());
        for (more, general) in
            [(&a, &general_a), (&b, &general_b), (&general_b, &general_b), (&picked, &expected.clone())]
        {
            let at = some(more.listed().max(1).min(len), &mut random);
            let at: Vec<u32> =
                at.into_iter().filter(|i| (*i as usize) < more.listed().min(general.listed())).collect();
            rows.extend(more, &at, &no_edge);
            expected.extend(general, &at, &no_edge);
            assert_eq!(
                shown(&rows, &all(rows.listed())),
                shown(&expected, &all(expected.listed())),
                "seed {seed}"
            );
        }
        // Rows that went.
        let at = some(rows.listed().max(1), &mut random);
        let at: Vec<u32> = at.into_iter().filter(|i| (*i as usize) < rows.listed()).collect();
        let (kept, expected) = (rows.gather(&at).compacted(), expected.gather(&at));
        assert_eq!(shown(&kept, &all(at.len())), shown(&expected, &all(at.len())), "seed {seed}");
        // One vector here, another there.
        let (mut here, mut there) = (Vec::new(), Vec::new());
        (0..u32::try_from(len).unwrap())
            .for_each(|i| if random.chance(50) { here.push(i) } else { there.push(i) });
        let other = if random.chance(50) { &b } else { &a };
        let mixed = blend(&[Part::Each(&a, &here), Part::Each(other, &there)], Positions::all(len), &no_edge);
        assert_eq!(shown(&mixed, &here), shown(&a, &here), "seed {seed}");
        assert_eq!(shown(&mixed, &there), shown(other, &there), "seed {seed}");
        assert!(a.owned_bytes(0..len) < 1 << 20);
    }
}

#[test]
fn many_lists_of_which_few_are_kept_let_their_elements_go() {
    let child = Vector::new(Values::Int((0..100_000).collect()));
    let lists = Lists::new((0..10_000u32).map(|i| (i * 10, 10)), child).unwrap();
    let kept = Vector::new(Values::List(lists)).gather(&[5, 9_999]).compacted();
    let Values::List(lists) = &kept.values else { panic!("no lists") };
    assert_eq!(lists.child().listed(), 20);
    assert_eq!(
        shown(&kept, &[1])[0],
        shown(
            &Vector::new(Values::Any(vec![Value::list((99_990..100_000).map(Value::Int).collect())])),
            &[0]
        )[0]
    );
}

#[test]
fn runs_end_within_their_elements() {
    let ints = || Vector::new(Values::Int(vec![1, 2, 3]));
    assert!(Lists::new([(1, 2), (3, 0)].into_iter(), ints()).is_some());
    assert!(Lists::new([(1, 3)].into_iter(), ints()).is_none());
    assert!(Lists::new([(u32::MAX, u32::MAX)].into_iter(), ints()).is_none());
}
