//! Equal keys have one hash, whatever vectors they come in: else their rows go to different files.

use trimorph_base::Random;
use trimorph_types::Value;
use trimorph_vector::{Positions, Values, Vector};

use crate::expr::tests::sample::wide;
use crate::spill::hash::hashes;

#[test]
fn typed_and_general_keys_have_the_same_hashes() {
    let mut random = Random::new(23);
    let positions: Vec<u32> = (0..20).collect();
    for round in 0..300 {
        let typed = match round % 3 {
            0 => Vector::of_values((0..20).map(|i| Value::Int(i % 3)).collect(), Positions::all(20)),
            1 => {
                let child = Vector::new(Values::Int((0..20).map(|i| i % 3).collect()));
                let runs = (0..20).map(|i| (i % 4, 2));
                Vector::new(Values::List(trimorph_vector::Lists::new(runs, child).unwrap()))
            }
            _ => wide(&mut random, 20),
        };
        let values = (0..20).map(|i| typed.value(i, &|_| Value::Null)).collect();
        let general = Vector::new(Values::Any(values));
        let (mut a, mut b) = (Vec::new(), Vec::new());
        hashes(&[&typed], &positions, &mut a);
        hashes(&[&general], &positions, &mut b);
        assert_eq!(a, b, "{typed:?}");
    }
}
