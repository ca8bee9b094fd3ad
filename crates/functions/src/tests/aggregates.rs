//! Aggregates: results by list, weights against repetition, merged parts against the whole.

use trimorph_base::Random;
use trimorph_types::format::{IdsOnly, format_literal};
use trimorph_types::{Value, order};

use super::evaluator::value;
use crate::aggregate::{Accumulator, AggregateFunction, lookup};

fn items(list: &str) -> Vec<Value> {
    match value(list).unwrap() {
        Value::List(items) => items.to_vec(),
        other => panic!("{other:?} is no list"),
    }
}

fn run(
    function: AggregateFunction,
    parameter: Option<&Value>,
    items: &[Value],
) -> Result<Value, trimorph_base::Diagnostic> {
    let mut accumulator = Accumulator::new(function);
    if let Some(parameter) = parameter {
        accumulator.set_parameter(parameter)?;
    }
    items.iter().try_for_each(|item| accumulator.update(item, 1))?;
    accumulator.finish()
}

/// `function(list[, parameter])` against the result's text or `!Kind Detail`.
fn check(name: &str, list: &str, parameter: Option<&str>, expected: &str) {
    let function = lookup(name).unwrap();
    let parameter = parameter.map(|text| value(text).unwrap());
    let found = match run(function, parameter.as_ref(), &items(list)) {
        Ok(value) => format_literal(&value, &IdsOnly),
        Err(error) => format!("!{} {}", error.kind.name(), error.detail),
    };
    assert_eq!(found, expected, "{name} of {list}");
}

#[test]
fn results() {
    for (name, list, expected) in [
        ("count", "[1, null, 'a']", "2"),
        ("count", "[]", "0"),
        ("sum", "[]", "0"),
        ("sum", "[33, null, 42]", "75"),
        ("sum", "[1, 0.5]", "1.5"),
        ("sum", "[9223372036854775807, 1]", "!ArithmeticError NumberOutOfRange"),
        // Only the result has to fit.
        ("sum", "[9223372036854775807, 1, -1]", "9223372036854775807"),
        // Naive summation gives 0.0.
        ("sum", "[1.0, 1e100, 1.0, -1e100]", "2.0"),
        ("sum", "[duration('P1M'), duration('PT-1S'), duration('P1D')]", "'P1M1DT-1S'"),
        ("sum", "[duration('P1M'), 1]", "!TypeError InvalidArgumentType"),
        ("sum", "[1, duration('P1M')]", "!TypeError InvalidArgumentType"),
        ("sum", "['a']", "!TypeError InvalidArgumentType"),
        ("sum", "[1.0 / 0, 1.0]", "Inf"),
        ("avg", "[]", "null"),
        ("avg", "[1, 2, null]", "1.5"),
        ("avg", "[9223372036854775807, 9223372036854775807]", "9223372036854776000.0"),
        ("avg", "[duration('P1D'), duration('P2D')]", "'P1DT12H'"),
        ("min", "[]", "null"),
        ("min", "[1, 2.0, 5, null, 3.2, 0.1]", "0.1"),
        ("max", "[1, 2.0, 5, null, 3.2, 0.1]", "5"),
        ("max", "['a', 'b', 'B', null, 'abc']", "'b'"),
        ("min", "[[1], [2], [2, 1]]", "[1]"),
        ("max", "[[1], [2], [2, 1]]", "[2, 1]"),
        ("max", "[1, 'a', null, [1, 2], 0.2, 'b']", "1"),
        ("min", "[1, 'a', null, [1, 2], 0.2, 'b']", "[1, 2]"),
        ("max", "[1, NaN]", "NaN"),
        ("collect", "[1, null, 'a']", "[1, 'a']"),
        ("collect", "[null]", "[]"),
        ("stDev", "[1, 2, 3, 4]", "1.2909944487358056"),
        ("stDevP", "[2, 4, 4, 4, 5, 5, 7, 9]", "2.0"),
        ("stDev", "[7]", "0.0"),
        ("stDev", "[]", "0.0"),
        // One value deviates by nothing, however large; several large ones by what fits a float.
        ("stDevP", "[1e308]", "0.0"),
        ("stDev", "[1.0 / 0]", "0.0"),
        ("stDevP", "[-1e308, 1e308]", "1e308"),
        ("stDevP", "[1, 1e300, 1]", "4.714045207910317e299"),
        ("stDevP", "[1e-300, 3e-300]", "1.0000000000000002e-300"),
        ("stDevP", "[1e-300, 3, 1]", "1.247219128924647"),
        ("stDevP", "[1e200, 1e200, 1e200]", "0.0"),
        ("stDev", "[1.0 / 0, 1.0 / 0]", "NaN"),
        ("stDevP", "[1.0, 1.0 / 0]", "NaN"),
        ("stDevP", "[0.0 / 0, 1]", "NaN"),
        ("stDev", "['a']", "!TypeError InvalidArgumentType"),
    ] {
        check(name, list, None, expected);
    }
    for (name, list, parameter, expected) in [
        ("percentileDisc", "[10.0, 20.0, 30.0]", "0.0", "10.0"),
        ("percentileDisc", "[10.0, 20.0, 30.0]", "0.5", "20.0"),
        ("percentileDisc", "[10, 20, 30]", "1", "30"),
        ("percentileCont", "[10, 20, 30]", "0.5", "20.0"),
        ("percentileCont", "[10, 20, 30, 40]", "0.4", "22.0"),
        ("percentileCont", "[30, 10, null]", "0.25", "15.0"),
        ("percentileCont", "[]", "0.5", "null"),
        ("percentileDisc", "[1]", "1.1", "!ArgumentError NumberOutOfRange"),
        ("percentileDisc", "[1]", "-1", "!ArgumentError NumberOutOfRange"),
        ("percentileCont", "[1]", "1000", "!ArgumentError NumberOutOfRange"),
        ("percentileCont", "['a']", "0.5", "!TypeError InvalidArgumentType"),
    ] {
        check(name, list, Some(parameter), expected);
    }
}

const ALL: [AggregateFunction; 11] = [
    AggregateFunction::CountStar,
    AggregateFunction::Count,
    AggregateFunction::Sum,
    AggregateFunction::Avg,
    AggregateFunction::Min,
    AggregateFunction::Max,
    AggregateFunction::Collect,
    AggregateFunction::StDev,
    AggregateFunction::StDevP,
    AggregateFunction::PercentileCont,
    AggregateFunction::PercentileDisc,
];

fn close(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(x), Value::Float(y)) => (x - y).abs() <= 1e-9 * x.abs().max(1.0),
        _ => order(a, b).is_eq(),
    }
}

fn fresh(function: AggregateFunction) -> Accumulator {
    let mut accumulator = Accumulator::new(function);
    accumulator.set_parameter(&Value::Float(0.3)).unwrap();
    accumulator
}

/// For random inputs: one pass = any split merged = weights written out.
#[test]
fn parts_and_weights_change_nothing() {
    for seed in 1..=60 {
        let mut random = Random::new(seed);
        let input: Vec<(Value, u64)> = (0..random.below(40))
            .map(|_| {
                let value = match random.below(4) {
                    0 => Value::Null,
                    1 => Value::Float(f64::from(u32::try_from(random.below(1_000)).unwrap()) / 8.0 - 50.0),
                    _ => Value::Int(i64::try_from(random.below(200)).unwrap() - 100),
                };
                (value, random.below(4) as u64)
            })
            .collect();
        let split = random.below(input.len() + 1);
        for function in ALL {
            let (mut whole, mut left, mut right) = (fresh(function), fresh(function), fresh(function));
            for (i, (value, weight)) in input.iter().enumerate() {
                (0..*weight).for_each(|_| whole.update(value, 1).unwrap());
                let part = if i < split { &mut left } else { &mut right };
                part.update(value, *weight).unwrap();
            }
            left.merge(right).unwrap();
            let (whole, merged) = (whole.finish().unwrap(), left.finish().unwrap());
            assert!(close(&whole, &merged), "seed {seed}, {function:?}: {whole:?} against {merged:?}");
        }
    }
}

#[test]
fn states_of_different_functions_do_not_merge() {
    let mut sum = Accumulator::new(AggregateFunction::Sum);
    assert!(sum.merge(Accumulator::new(AggregateFunction::Min)).is_err());
}

#[test]
fn means_of_huge_floats_are_finite() {
    check("avg", "[1.7e308, 1.7e308, 1.7e308, 1.7e308]", None, "1.7e308");
    check("avg", "[1e308, 1e308, -1e308, -1e308, 5.0]", None, "1.0");
    check("avg", "[1.7e308, 1]", None, "8.5e307");
    check("sum", "[1.7e308, 1.7e308]", None, "Inf");
    check("sum", "[1e308, 1e308, -1e308]", None, "1e308");
    check("avg", "[1.7e308, 1 / 0.0]", None, "Inf");
    // By weight and in parts, either of which leaves the range of floats.
    let huge = Value::Float(1.5e308);
    let part = |weight: u64| {
        let mut part = Accumulator::new(AggregateFunction::Avg);
        part.update(&huge, weight).unwrap();
        part
    };
    for (left, right) in [(1, 1), (1, 1 << 40), (1 << 40, 1), (3, 3)] {
        let mut both = part(left);
        both.merge(part(right)).unwrap();
        let Value::Float(mean) = both.finish().unwrap() else { panic!("no float") };
        assert!((mean / 1.5e308 - 1.0).abs() < 1e-15, "{mean}");
    }
}

/// More values than are sorted at once, of two types, equal ones among them, each seen several times.
#[test]
fn percentiles_of_many_runs_are_those_of_a_sorted_list() {
    let mut random = Random::new(9);
    println!("random seed 9");
    for shape in 0..4 {
        let mut values: Vec<(Value, u64)> = (0..100_000)
            .map(|i| {
                let n = match shape {
                    0 => random.below(1000),
                    1 => i,
                    2 => 100_000 - i,
                    _ => random.below(10) * random.below(1 << 40),
                };
                let value = if random.below(2) == 0 { Value::Int(n as i64) } else { Value::Float(n as f64) };
                (value, random.below(3) as u64)
            })
            .collect();
        let accumulators = [0.0, 1.0, 0.37, 0.999_999].map(|fraction| {
            let mut accumulator = Accumulator::new(AggregateFunction::PercentileDisc);
            accumulator.set_parameter(&Value::Float(fraction)).unwrap();
            values.iter().for_each(|(value, weight)| accumulator.update(value, *weight).unwrap());
            (fraction, accumulator)
        });
        values.sort_by(|(a, _), (b, _)| order(a, b));
        let all: Vec<&Value> =
            values.iter().flat_map(|(value, weight)| (0..*weight).map(move |_| value)).collect();
        for (fraction, accumulator) in accumulators {
            let place = ((fraction * all.len() as f64).ceil() as usize).saturating_sub(1);
            let (found, expected) = (accumulator.finish().unwrap(), all[place]);
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{fraction} of shape {shape}");
        }
    }
}

/// Floats that come together against floats that come one by one: sums of both signs, of very different size,
/// beyond the range of floats and not finite.
#[test]
fn floats_together_are_floats_one_by_one() {
    let mut random = Random::new(9);
    let mut random = move || random.bits() >> 12;
    for round in 0..400 {
        let numbers: Vec<f64> = (0..round % 70)
            .map(|_| {
                let v = (random() % 2_000_001) as f64 - 1e6;
                match round % 5 {
                    0 => v,
                    1 => v * 1e-300,
                    2 => v * 1e301,
                    3 => v * 10f64.powi((random() % 40) as i32 - 20),
                    _ => [f64::INFINITY, f64::NAN, 1.0, -0.0][random() as usize % 4],
                }
            })
            .collect();
        for function in [AggregateFunction::Sum, AggregateFunction::Avg] {
            let (mut together, mut single) = (Accumulator::new(function), Accumulator::new(function));
            assert!(together.update_floats(&numbers).unwrap());
            for number in &numbers {
                single.update(&Value::Float(*number), 1).unwrap();
            }
            let (a, b) = (together.finish().unwrap(), single.finish().unwrap());
            let size = numbers.iter().map(|n| n.abs()).sum::<f64>();
            let near = match (&a, &b) {
                (Value::Float(a), Value::Float(b)) => {
                    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= size * 1e-13
                }
                (a, b) => format!("{a:?}") == format!("{b:?}"),
            };
            assert!(near, "{function:?} of {numbers:?}: {a:?}, one by one {b:?}");
        }
    }
}
