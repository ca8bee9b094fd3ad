//! Every expression gives the same values, or the same error, at once and row by row.

use std::sync::Arc;

use trimorph_base::{Diagnostic, Random};
use trimorph_store::Snapshot;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Positions};

use super::sample::{Drawn, chunk, typed};
use crate::expr::{Evaluated, Ex, Row, evaluate};
use crate::{Context, ExecError, Settings};

/// The value at each position that is meant, in order, until one fails.
pub(super) fn rows<'s>(ex: &Ex, chunk: &Chunk<'s>, cx: &Context<'s>) -> Result<Vec<Value>, Diagnostic> {
    let positions = Positions::of(&chunk.groups[0]).to_vec();
    positions.iter().map(|i| Row::new(chunk, 0, *i as usize).eval(ex, cx)).collect()
}

/// The same at once.
fn at_once<'s>(ex: &Ex, chunk: &Chunk<'s>, cx: &Context<'s>) -> Result<Vec<Value>, ExecError> {
    let at = Positions::of(&chunk.groups[0]);
    let evaluated = evaluate(ex, chunk, 0, cx)?;
    if let Evaluated::Const(v) = &evaluated {
        return Ok(vec![v.clone(); at.count()]);
    }
    let vector = evaluated.into_vector(at.len);
    Ok(at.to_vec().iter().map(|i| vector.value(*i as usize, &|id| cx.edge_value(id))).collect())
}

/// Text that tells every difference: of types, of zeros, of zones.
fn shown(values: &[Value]) -> Vec<String> {
    values.iter().map(|v| format!("{v:?}")).collect()
}

pub(super) fn check(ex: &Ex, chunk: &Chunk<'static>, cx: &Context<'static>, seed: u64) {
    match (rows(ex, chunk, cx), at_once(ex, chunk, cx)) {
        (Ok(expected), Ok(found)) => {
            for (k, (e, f)) in shown(&expected).iter().zip(shown(&found)).enumerate() {
                assert!(*e == f, "seed {seed}, place {k}: {f}, not {e}\n{ex:?}\n{:?}", chunk.groups[0]);
            }
        }
        // Constants that fail are an error though no row is meant.
        (Ok(expected), Err(_)) if expected.is_empty() => {}
        (Ok(_), Err(found)) => panic!("seed {seed}: {found:?}\n{ex:?}"),
        (Err(expected), found) => {
            assert_eq!(found.err(), Some(expected.into()), "seed {seed}\n{ex:?}");
        }
    }
}

fn run(seeds: std::ops::Range<u64>, depth: usize) {
    let snapshot: &'static Snapshot = Box::leak(Box::default());
    let cx = Context::new(snapshot, Arc::new(Settings::default()));
    for seed in seeds {
        let mut random = Random::new(seed);
        let chunk = chunk(&mut random);
        assert!(typed(&chunk) > 0 || chunk.groups[0].len < 64, "seed {seed}: nothing is typed");
        for _ in 0..20 {
            let ex = Drawn::new(&mut random, snapshot.catalog()).expression(depth);
            check(&ex, &chunk, &cx, seed);
        }
    }
}

#[test]
fn one_operator_gives_what_it_gives_row_by_row() {
    run(0..2_000, 0);
}

#[test]
fn operators_in_each_other_give_what_they_give_row_by_row() {
    run(10_000..12_000, 2);
}
