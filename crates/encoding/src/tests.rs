//! Encodings against the values they were made of, drawn at random from a seed that is printed.

use trimorph_base::Random;

use crate::{DecimalsView, LinearView, RunsView, pack_decimals, pack_linear, pack_runs};

/// Sequences of all kinds: steady, stepped, in runs, extreme.
fn integers(random: &mut Random) -> Vec<i64> {
    let len = [0, 1, 2, 63, 64, 65, 1000, 65_536][random.below(8)];
    let (kind, scale) = (random.below(6), 1i64 << random.below(45));
    let mut value = random.bits().cast_signed() >> random.below(64);
    (0..len)
        .map(|i| {
            match kind {
                0 => value = value.wrapping_add(scale),
                1 => value = value.wrapping_sub((random.below(1000) as i64).wrapping_mul(scale)),
                2 if random.below(20) == 0 => value = random.bits().cast_signed(),
                3 => value = random.bits().cast_signed() >> 20,
                4 if i % 2 == 0 => value = [i64::MIN, i64::MAX, 0, -1][random.below(4)],
                _ => {}
            }
            value
        })
        .collect()
}

#[test]
fn integers_come_back() {
    println!("random seed 77");
    let mut random = Random::new(77);
    let (mut lines, mut runs) = (0, 0);
    for _ in 0..400 {
        let values = integers(&mut random);
        let packed = crate::pack(&values);
        assert!(packed.view().holds(values.len()));
        values.iter().enumerate().for_each(|(i, v)| assert_eq!(packed.view().get(i), *v, "frame, {i}"));
        if let Some(linear) = pack_linear(&values, usize::MAX) {
            let view = LinearView { slope: linear.slope, codes: linear.codes.view() };
            assert!(view.codes.holds(values.len()));
            values.iter().enumerate().for_each(|(i, v)| assert_eq!(view.get(i), *v, "line, {i}"));
            let from = values.len() / 3;
            let mut out = vec![0; values.len() - from];
            view.unpack(from, &mut out);
            assert_eq!(out, values[from..]);
            lines += 1;
        }
        if let Some(packed) = pack_runs(&values, 1 + random.below(3)) {
            let view = RunsView { starts: packed.starts.view(), values: packed.values.view() };
            values.iter().enumerate().for_each(|(i, v)| assert_eq!(view.get(i), *v, "runs, {i}"));
            for from in [0, values.len() / 3, values.len() - 1] {
                let mut out = vec![0; values.len() - from];
                view.unpack(from, &mut out);
                assert_eq!(out, values[from..]);
            }
            runs += 1;
        }
    }
    assert!(lines > 100 && runs > 50, "{lines} lines, {runs} runs");
}

#[test]
fn a_line_costs_no_bits() {
    let steady: Vec<i64> = (0..65_536).map(|i| 1_300_000_000_000 - 250_000 * i).collect();
    let steady = pack_linear(&steady, 8).unwrap();
    assert_eq!(steady.codes.bits, 0);
    assert!(pack_linear(&[0, 5, 1, 7], 8).is_none());
}

fn floats(random: &mut Random) -> Vec<f64> {
    let len = [0, 1, 2, 63, 64, 65, 1000, 65_536][random.below(8)];
    let (digits, odd) = (random.below(12) as i32, random.below(3) * 5);
    let special = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 5e-324, f64::MAX, 0.1 + 0.2];
    (0..len)
        .map(|_| {
            if random.below(100) < odd {
                let payload = f64::from_bits(0x7ff0_0000_0000_0001 | random.bits());
                return *special.get(random.below(9)).unwrap_or(&payload);
            }
            let whole = random.below(1 << 40) as i64 - (1 << 39);
            format!("{whole}e-{digits}").parse().unwrap()
        })
        .collect()
}

#[test]
fn floats_come_back_to_the_last_bit() {
    println!("random seed 78");
    let mut random = Random::new(78);
    let (mut packed_count, mut with_exceptions) = (0, 0);
    for _ in 0..300 {
        let values = floats(&mut random);
        let Some(packed) = pack_decimals(&values) else { continue };
        let exceptions = packed.exceptions.as_ref().map(|(bits, values)| (bits.view(), values.as_slice()));
        with_exceptions += usize::from(exceptions.is_some());
        let view = DecimalsView::new(packed.exponent, packed.integers.view(), exceptions).unwrap();
        for (i, v) in values.iter().enumerate() {
            assert_eq!(view.get(i).to_bits(), v.to_bits(), "{v} at {i}");
        }
        let from = random.bits() as usize % values.len();
        let mut run = vec![0.5; random.bits() as usize % (values.len() - from + 1)];
        view.unpack(from, &mut run);
        for (i, (v, given)) in values[from..].iter().zip(&run).enumerate() {
            assert_eq!(given.to_bits(), v.to_bits(), "{v} at {from} + {i}");
        }
        packed_count += 1;
    }
    assert!(packed_count > 200 && with_exceptions > 50, "{packed_count}, {with_exceptions}");
    assert!(DecimalsView::new(23, crate::pack(&[]).view(), None).is_none());
}

#[test]
fn floats_that_are_no_decimals_are_left_alone() {
    let mut random = Random::new(79);
    let values: Vec<f64> = (0..1000).map(|_| 1.0 / (random.bits() as f64)).collect();
    assert!(pack_decimals(&values).is_none());
}
