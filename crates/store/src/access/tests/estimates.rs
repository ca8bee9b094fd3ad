//! Estimates: exact where the catalog counts, near where a sample can tell, within bounds everywhere.

use std::ops::ControlFlow;

use trimorph_base::{NodeId, Random};
use trimorph_types::Value;

use super::{A, B, made};
use crate::Reader;
use crate::access::{AccessPlan, Bound, Choice, Frontier, Kind, Pattern, Range, Term};

fn count(reader: &Reader<'_>, pattern: &Pattern) -> f64 {
    let plan = AccessPlan::of(pattern.clone().count(), reader, Choice::Relation);
    plan.run(reader, |_| ControlFlow::Continue(())).unwrap() as f64
}

fn range(low: i64, high: i64) -> Bound {
    Bound::Range(Range { low: Some((Value::Int(low), true)), high: Some((Value::Int(high), false)) })
}

#[test]
fn what_the_catalog_counts_is_exact() {
    let graph = made(8, 700, 3000);
    let reader = Reader::new(&graph.snapshot);
    for pattern in [
        Pattern::labels().objects(Bound::Terms(vec![Term::Literal(Value::string("A"))])),
        Pattern::labels().subjects(vec![Term::Node(NodeId::new(A, 1)), Term::Node(NodeId::new(A, 2))]),
        Pattern::edges(&["T"]),
        Pattern::edges(&["F"]),
        Pattern::edges(&["T"]).object_tables(Some(&[B])),
        Pattern::edges(&[] as &[&str]),
        Pattern::property(Kind::Node, "n"),
        Pattern::property(Kind::Node, "s"),
        Pattern::property(Kind::Statement, "w"),
        Pattern::edges(&["unknown"]),
    ] {
        let (estimated, counted) = (reader.estimate(&pattern).rows, count(&reader, &pattern));
        assert!((estimated - counted).abs() < 1e-6 * counted + 1e-9, "{pattern}: {estimated}, {counted}");
    }
}

#[test]
fn what_a_sample_can_tell_is_near() {
    let graph = made(9, 6000, 9000);
    let reader = Reader::new(&graph.snapshot);
    let text = Bound::Terms(vec![Term::Literal(Value::string("text 3"))]);
    let five = Bound::Terms(vec![Term::Literal(Value::Int(5))]);
    for pattern in [
        Pattern::property(Kind::Node, "n").objects(range(0, 3000)),
        Pattern::property(Kind::Node, "n").objects(range(1000, 1500)),
        Pattern::property(Kind::Node, "s").objects(text),
        Pattern::property(Kind::Statement, "w").objects(five),
        Pattern::property(Kind::Statement, "w").objects(range(0, 6)),
    ] {
        let (estimated, counted) = (reader.estimate(&pattern).rows, count(&reader, &pattern));
        assert!(
            counted > 300.0 && (0.6..1.7).contains(&(estimated / counted)),
            "{pattern}: {estimated}, {counted}"
        );
    }
    // One of 6,000, which no sample sees.
    let one = Pattern::property(Kind::Node, "n").objects(Bound::Terms(vec![Term::Literal(Value::Int(77))]));
    assert!(reader.estimate(&one).rows <= 60.0);
}

#[test]
fn all_are_within_bounds() {
    let graph = made(10, 300, 900);
    let reader = Reader::new(&graph.snapshot);
    let mut random = Random::new(10);
    println!("random seed 10");
    for _ in 0..2000 {
        let mut pattern = match random.below(4) {
            0 => Pattern::labels(),
            1 => {
                let name = *random.pick(&["id", "n", "s", "x"]);
                Pattern::property(Kind::Node, name)
            }
            2 => {
                let types = *random.pick(&[&["T"][..], &["F"], &[]]);
                Pattern::edges(types)
            }
            _ => {
                let name = *random.pick(&["eid", "w"]);
                Pattern::property(Kind::Statement, name)
            }
        };
        let most = count(&reader, &pattern);
        if random.chance(40) {
            pattern.object.bound = range(random.between(-500, 500), random.between(-500, 500));
        }
        if random.chance(40) {
            pattern.subject.frontier = Some(Frontier::Later(random.below(100_000) as f64));
        }
        if random.chance(20) {
            pattern.object.frontier = Some(Frontier::Later(random.below(100_000) as f64));
        }
        if random.chance(20) {
            pattern.limit = Some(random.below(50) as u64);
        }
        let estimate = reader.estimate(&pattern);
        let most = pattern.limit.map_or(most, |limit| most.min(limit as f64));
        assert!((0.0..=most + 1e-6).contains(&estimate.rows), "{pattern}: {estimate:?} of {most}");
        assert!(estimate.cost >= 0.0 && estimate.cost.is_finite(), "{pattern}: {estimate:?}");
    }
}
