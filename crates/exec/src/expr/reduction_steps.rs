//! `reduce`, one element of each list at a time: what there is so far of all lists are vectors, one, or one
//! for each part of it.
//!
//! 1. The longest lists come first: those that have an element more are always the first ones.
//! 2. The chunk of a step has what there is so far, the elements, and what is read outside.
//! 3. What there is of lists that have ended is put aside. The last lists that are longer than the others are
//!    gone through one by one, in words where they are of numbers (`reduction_numbers`).

use trimorph_types::Value;
use trimorph_vector::{Chunk, Group, Positions, Vector};

use super::appended::Appended;
use super::elements::Listed;
use super::evaluated::{Evaluated, Over};
use super::reduction_numbers::Numbers;
use super::repeated::Outer;
use super::{Ex, Row};
use crate::{Context, ExecError};

/// Lists from which on elements are taken together: a step over a vector costs about as much as so many rows.
const TOGETHER_MIN: usize = 8;

/// The same where lists of numbers are gone through one by one in words. Measured: a step over a hundred
/// lists took 1.2 us, an element by itself 22 ns.
const NUMBERS_TOGETHER_MIN: usize = 48;

/// What there is so far, as vectors, and the value that rows know it as.
pub(super) trait Accumulated<'s> {
    /// What there is after a step; `None` where going row by row is the way.
    fn next(&self, chunk: &Chunk<'s>, cx: &Context<'s>) -> Result<Option<Vec<Vector<'s>>>, ExecError>;

    /// The value that has these parts.
    fn whole(&self, parts: Vec<Value>) -> Value;

    /// The parts of such a value.
    fn apart(&self, value: Value) -> Option<Vec<Value>>;
}

/// What comes of each position's list, one vector for each part, null where there is no list. `acc` is the
/// first of the two locals of the body. `None` where it is not evaluated so.
pub(super) fn step_by_step<'s>(
    (start, accumulated, numbers): (&[&Evaluated<'_, 's>], &dyn Accumulated<'s>, Option<&Numbers>),
    (listed, repeated): (&Listed<'s>, &[Outer<'s>]),
    (acc, body): (usize, &Ex),
    over: Over<'_, '_, 's>,
    cx: &Context<'s>,
) -> Result<Option<Vec<Vector<'s>>>, ExecError> {
    let vectors = &over.chunk.groups[over.group].vectors;
    let Some(outer) = repeated.iter().map(|o| o.vector(vectors)).collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let edge = |id| cx.edge_value(id);
    let mut positions = over.at.filter(|i| !listed.nulls.get(i));
    positions.sort_by_key(|i| std::cmp::Reverse(listed.count(*i as usize)));
    let first = |start: &&Evaluated<'_, 's>| match start {
        Evaluated::Const(value) => Vector::constant(value, positions.len()),
        other => other.vector().map_or_else(Vector::empty, |v| v.gather(&positions)),
    };
    let mut so_far: Vec<Vector<'s>> = start.iter().map(first).collect();
    let mut outer: Vec<Vector<'s>> = outer.iter().map(|v| v.gather(&positions)).collect();
    // What came of lists that have ended, and the position of each.
    let (mut results, mut ended) = (vec![Vector::empty(); start.len()], Vec::new());
    let mut active = positions.len();
    let mut step = 0;
    let together_min = if numbers.is_some() { NUMBERS_TOGETHER_MIN } else { TOGETHER_MIN };
    loop {
        cx.check()?;
        let longer = positions[..active].partition_point(|i| listed.count(*i as usize) > step);
        if longer < active {
            let places = Positions::all(active).filter(|k| k >= longer);
            results.iter_mut().zip(&so_far).for_each(|(results, part)| results.extend(part, &places, &edge));
            ended.extend_from_slice(&positions[longer..active]);
            let left = Positions::all(longer).to_vec();
            so_far.iter_mut().chain(&mut outer).for_each(|v| *v = v.gather(&left));
            active = longer;
        }
        if active < together_min {
            break;
        }
        let places: Vec<u32> =
            positions[..active].iter().map(|i| listed.runs[*i as usize].0 + step as u32).collect();
        let elements = std::iter::once(listed.elements(&places));
        let vectors = so_far.into_iter().chain(elements).chain(outer).collect();
        let chunk = Chunk { groups: vec![Group { len: active, vectors, ..Group::default() }] };
        match accumulated.next(&chunk, cx)? {
            Some(next) => so_far = next,
            None => return Ok(None),
        }
        outer = chunk.groups.into_iter().flat_map(|group| group.vectors).skip(so_far.len() + 1).collect();
        step += 1;
    }
    if let Some(numbers) = numbers {
        let lists = (listed, repeated);
        let Some(rest) = numbers.rest((&so_far, &positions[..active], step), lists, over, cx)? else {
            return Ok(None);
        };
        let all = Positions::all(active).to_vec();
        results.iter_mut().zip(&rest).for_each(|(results, part)| results.extend(part, &all, &edge));
        ended.extend_from_slice(&positions[..active]);
        active = 0;
    }
    for (k, position) in positions[..active].iter().enumerate() {
        let (start, end) = listed.runs[*position as usize];
        let mut row = Row::new(over.chunk, over.group, *position as usize);
        let mut value = accumulated.whole(so_far.iter().map(|part| part.value(k, &edge)).collect());
        let places: Vec<u32> = (start + step as u32..end).collect();
        let elements = listed.elements(&places);
        let mut appended = Appended::of(body, acc, places.len());
        for element in 0..places.len() {
            if element % 4096 == 0 {
                cx.check()?;
            }
            row.set_local(acc, value);
            row.set_local(acc + 1, elements.value(element, &edge));
            value = match &mut appended {
                Some(appended) => appended.eval(&mut row, cx)?,
                None => row.eval(body, cx)?,
            };
        }
        let Some(parts) = accumulated.apart(value) else { return Ok(None) };
        for (results, part) in results.iter_mut().zip(parts) {
            results.extend(&Vector::of_values(vec![part], Positions::all(1)), &[0], &edge);
        }
        ended.push(*position);
    }
    // Positions without a list, and those that are not meant, have the null at the end.
    let null = u32::try_from(ended.len()).unwrap_or(0);
    let mut places = vec![null; over.at.len];
    for (k, position) in ended.iter().enumerate() {
        places[*position as usize] = k as u32;
    }
    let results = results.into_iter().map(|mut results| {
        results.extend(&Vector::nulls(1), &[0], &edge);
        results.gather(&places)
    });
    Ok(Some(results.collect()))
}
