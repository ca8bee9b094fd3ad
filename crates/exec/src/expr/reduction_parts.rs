//! `reduce` whose accumulator is a list or a map of a fixed shape: each part of it is a vector of its own, so
//! that no list or map is made at a step.
//!
//! 1. What it begins with is a list or map of a few parts. What the body gives, in each branch of CASE, is a
//!    list as long or a map of the same keys, or what there was. The body reads what there was only part by
//!    part: `acc[0]`, `acc[-1]`, `acc.key`.
//! 2. The parts then are accumulators side by side (`reduction_steps`). Conditions are asked once for all of
//!    them.
//! 3. At the end lists or maps are put together.
//!
//! Parts that become lists or maps themselves, or long texts, are left to the evaluation row by row, which
//! bounds what each step makes. Where anything fails, rows are evaluated one by one.

use std::sync::Arc;

use trimorph_algebra::Op;
use trimorph_types::{Map, Value};
use trimorph_vector::{Chunk, Maps, Part, Values, Vector, blend};

use super::Ex;
use super::bodies::rewrite;
use super::choice::{by_branch, part};
use super::elements::Listed;
use super::evaluated::{Evaluated, Over, OverElements};
use super::maps::{ELEMENTS_MAX, side_by_side};
use super::reduction_body::Step;
use super::reduction_numbers::Numbers;
use super::reduction_steps::{Accumulated, step_by_step};
use super::repeated::Bodies;
use crate::{Context, ExecError};

/// Parts of an accumulator at most.
const PARTS_MAX: usize = 16;
/// Bytes of a text from which on it is not a part: so many parts are no value that is too large.
const TEXT_MAX: usize = 1 << 20;
/// Where the parts of accumulators, and the element behind them, are locals before they have slots: behind
/// the locals of any body.
const PARTS_FIRST: usize = 1 << 24;

/// `reduce(acc = init, x IN list | body)`: `acc` is the first of two locals. `None` where it is not evaluated
/// so.
pub(super) fn reduction_by_part<'s>(
    (init, list): (&Ex, &Evaluated<'_, 's>),
    (acc, body): (usize, &Ex),
    over: Over<'_, '_, 's>,
    cx: &Context<'s>,
    evaluate: OverElements<'s>,
) -> Result<Option<Vector<'s>>, ExecError> {
    let Some((shape, init)) = Shape::of(init) else { return Ok(None) };
    let Some(step) = Step::of(body, acc, &shape) else { return Ok(None) };
    let count = shape.count();
    if count * over.at.len > ELEMENTS_MAX {
        return Ok(None);
    }
    let Some(listed) = Listed::of(list, over.at, cx) else { return Ok(None) };
    let mut bodies = Bodies::new(evaluate, listed.pays(over.at));
    let step = step.map(&mut |ex| bodies.over(ex, (PARTS_FIRST, count + 1), over, cx))?;
    let start = init.iter().map(|ex| evaluate(ex, over, cx)).collect::<Result<Vec<_>, _>>()?;
    let is_flat = |start: &Evaluated<'_, '_>| match start {
        Evaluated::Const(value) => is_flat_value(value),
        other => other.vector().is_some_and(is_flat),
    };
    if !start.iter().all(is_flat) {
        return Ok(None);
    }
    let start: Vec<&Evaluated<'_, 's>> = start.iter().collect();
    let lists = (&listed, &bodies.outer[..]);
    let numbers = Numbers::of((&start, &step), lists, over);
    let parts = Parts { shape: &shape, step: &step, evaluate };
    let made = step_by_step((&start, &parts, numbers.as_ref()), lists, (acc, body), over, cx)?;
    let Some(made) = made else { return Ok(None) };
    let values = match &shape {
        Shape::List(_) => {
            let positions = over.at.filter(|i| !listed.nulls.get(i));
            side_by_side(&made, &positions, over.at.len, cx).map(Values::List)
        }
        Shape::Map(keys) => {
            let entries = keys.iter().map(Arc::clone).zip(made).collect();
            Maps::new(entries, over.at.len).map(Values::Map)
        }
    };
    Ok(values.map(|values| Vector { values, nulls: listed.nulls }))
}

/// What all values of an accumulator have in common.
enum Shape {
    /// The length.
    List(usize),
    /// The keys, in the order of the parts.
    Map(Vec<Arc<str>>),
}

impl Shape {
    /// The shape of a list or map that is written, and its parts.
    fn of(ex: &Ex) -> Option<(Self, Vec<Ex>)> {
        let (shape, parts) = match ex {
            Ex::List(items) => (Self::List(items.len()), items.clone()),
            Ex::Const(Value::List(items)) => {
                (Self::List(items.len()), items.iter().cloned().map(Ex::Const).collect())
            }
            Ex::Map(entries) => {
                let (keys, parts): (Vec<_>, Vec<_>) = entries.iter().cloned().unzip();
                let is_twice = |(k, key)| keys[..k].contains(key);
                if keys.iter().enumerate().any(is_twice) {
                    return None;
                }
                (Self::Map(keys), parts)
            }
            Ex::Const(Value::Map(map)) => {
                let entries = map.iter().map(|(key, value)| (Arc::clone(key), Ex::Const(value.clone())));
                let (keys, parts) = entries.unzip();
                (Self::Map(keys), parts)
            }
            _ => return None,
        };
        (1..=PARTS_MAX).contains(&parts.len()).then_some((shape, parts))
    }

    fn count(&self) -> usize {
        match self {
            Self::List(len) => *len,
            Self::Map(keys) => keys.len(),
        }
    }

    /// The parts, in this shape's order, of a list or map that is written; `None` for another shape.
    fn parts(&self, ex: &Ex) -> Option<Vec<Ex>> {
        match (self, Self::of(ex)?) {
            (Self::List(len), (Self::List(other), parts)) if *len == other => Some(parts),
            (Self::Map(keys), (Self::Map(others), parts)) if keys.len() == others.len() => {
                let place = |key| others.iter().position(|other| other == key);
                keys.iter().map(|key| place(key).and_then(|k| parts.get(k).cloned())).collect()
            }
            _ => None,
        }
    }

    /// The number of the part that `acc` is read for, none where it has no such; `None` if it is not read.
    fn read(&self, ex: &Ex, acc: usize) -> Option<Option<usize>> {
        let of_key = |keys: &[Arc<str>], key: &str| keys.iter().position(|own| **own == *key);
        match (self, ex) {
            (Self::Map(keys), Ex::Property { base, key, .. }) if is_local(base, acc) => {
                Some(of_key(keys, key))
            }
            (_, Ex::Op(Op::Index, args, _)) => match (self, &args[..]) {
                (Self::Map(keys), [base, Ex::Const(Value::String(key))]) if is_local(base, acc) => {
                    Some(of_key(keys, key))
                }
                (Self::List(len), [base, Ex::Const(Value::Int(index))]) if is_local(base, acc) => {
                    let from = if *index < 0 { i64::try_from(*len).ok()? } else { 0 };
                    let place = usize::try_from(index.saturating_add(from)).ok();
                    Some(place.filter(|place| place < len))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// An expression that reads parts in the place of `acc`, and the element behind them; `None` where it
    /// reads `acc` as a whole.
    fn by_part(&self, ex: &Ex, acc: usize) -> Option<Ex> {
        let mut is_whole = false;
        let made = rewrite(ex, &mut |ex| match (self.read(ex, acc), ex) {
            (Some(Some(part)), _) => Some(Ex::Local(PARTS_FIRST + part)),
            (Some(None), _) => Some(Ex::Const(Value::Null)),
            (None, Ex::Local(local)) if *local == acc + 1 => Some(Ex::Local(PARTS_FIRST + self.count())),
            (None, Ex::Local(local)) => {
                is_whole |= *local == acc;
                None
            }
            _ => None,
        });
        (!is_whole).then_some(made)
    }
}

fn is_local(ex: &Ex, local: usize) -> bool {
    matches!(ex, Ex::Local(i) if *i == local)
}

impl Step {
    fn of(body: &Ex, acc: usize, shape: &Shape) -> Option<Self> {
        Some(match body {
            body if is_local(body, acc) => Self::Same,
            Ex::Case { branches, otherwise } => {
                let branch =
                    |(when, then): &(Ex, Ex)| Some((shape.by_part(when, acc)?, Self::of(then, acc, shape)?));
                let branches = branches.iter().map(branch).collect::<Option<_>>()?;
                Self::Case(branches, Box::new(Self::of(otherwise, acc, shape)?))
            }
            body => {
                let parts = shape.parts(body)?;
                Self::Parts(parts.iter().map(|ex| shape.by_part(ex, acc)).collect::<Option<_>>()?)
            }
        })
    }

    /// The same of other expressions.
    fn map(self, of: &mut dyn FnMut(&Ex) -> Result<Ex, ExecError>) -> Result<Self, ExecError> {
        Ok(match self {
            Self::Same => Self::Same,
            Self::Parts(parts) => Self::Parts(parts.iter().map(of).collect::<Result<_, _>>()?),
            Self::Case(branches, otherwise) => {
                let branches = branches.into_iter().map(|(when, then)| Ok((of(&when)?, then.map(of)?)));
                let branches = branches.collect::<Result<_, ExecError>>()?;
                Self::Case(branches, Box::new(otherwise.map(of)?))
            }
        })
    }

    /// The next value of each of `count` parts, which are the first slots.
    fn evaluate<'a, 's>(
        &self,
        count: usize,
        over: Over<'a, '_, 's>,
        cx: &Context<'s>,
        evaluate: OverElements<'s>,
    ) -> Result<Vec<Evaluated<'a, 's>>, ExecError> {
        let (branches, otherwise) = match self {
            Self::Same => {
                let slots = &over.chunk.groups[over.group].vectors[..count];
                return Ok(slots.iter().map(Evaluated::Ref).collect());
            }
            Self::Parts(parts) => return parts.iter().map(|ex| evaluate(ex, over, cx)).collect(),
            Self::Case(branches, otherwise) => (branches, otherwise),
        };
        let of = |then: &Self, at: Over<'a, '_, 's>| then.evaluate(count, at, cx, evaluate);
        let mut taken = by_branch(branches, &**otherwise, over, cx, evaluate, of)?;
        let mut each: Vec<Vec<(Evaluated<'a, 's>, &[u32])>> =
            (0..count).map(|_| Vec::with_capacity(taken.len())).collect();
        for (values, list) in &mut taken {
            each.iter_mut().zip(values.drain(..)).for_each(|(each, value)| each.push((value, list)));
        }
        Ok(each.into_iter().map(|taken| together(taken, over, cx)).collect())
    }
}

/// What branches gave for one part, as one.
fn together<'a, 's>(
    mut taken: Vec<(Evaluated<'a, 's>, &[u32])>,
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
) -> Evaluated<'a, 's> {
    if taken.len() == 1
        && let Some((value, _)) = taken.pop()
    {
        return value;
    }
    // Most branches leave most parts as they are: what they give lies under the others, copied as a whole.
    let typed = |value: &Evaluated<'a, 's>| match value {
        Evaluated::Ref(vector) if !matches!(vector.values, Values::Any(_)) => Some(*vector),
        _ => None,
    };
    let under = taken.iter().find_map(|(value, _)| typed(value));
    let is_under = |value: &Evaluated<'a, 's>| match (value, under) {
        (Evaluated::Ref(vector), Some(under)) => std::ptr::eq(*vector, under),
        _ => false,
    };
    let over_it = taken.iter().filter(|(value, _)| !is_under(value)).map(|(value, list)| part(value, list));
    let parts: Vec<Part<'_, 's>> = under.map(Part::Under).into_iter().chain(over_it).collect();
    match (under, parts.len()) {
        (Some(under), 1) => Evaluated::Ref(under),
        _ => Evaluated::Own(blend(&parts, over.at, &|id| cx.edge_value(id))),
    }
}

/// Whether a value may be a part.
fn is_flat_value(value: &Value) -> bool {
    !matches!(value, Value::List(_) | Value::Map(_)) && value.extent().bytes < TEXT_MAX as u64
}

/// Whether the values of a vector may be parts.
fn is_flat(vector: &Vector<'_>) -> bool {
    match &vector.values {
        Values::List(_) | Values::Map(_) | Values::Tuple(_) => false,
        Values::Any(values) => values.iter().all(is_flat_value),
        Values::String(texts) | Values::Iri(texts) => (0..texts.len()).all(|i| texts.get(i).len() < TEXT_MAX),
        _ => true,
    }
}

/// What there is so far has parts.
struct Parts<'e, 's> {
    shape: &'e Shape,
    step: &'e Step,
    evaluate: OverElements<'s>,
}

impl<'s> Accumulated<'s> for Parts<'_, 's> {
    fn next(&self, chunk: &Chunk<'s>, cx: &Context<'s>) -> Result<Option<Vec<Vector<'s>>>, ExecError> {
        let over = Over::group(chunk, 0);
        let next = self.step.evaluate(self.shape.count(), over, cx, self.evaluate)?;
        let next: Vec<Vector<'s>> = next.into_iter().map(|value| value.into_vector(over.at.len)).collect();
        Ok(next.iter().all(is_flat).then_some(next))
    }

    fn whole(&self, parts: Vec<Value>) -> Value {
        match self.shape {
            Shape::List(_) => Value::list(parts),
            Shape::Map(keys) => Value::map(keys.iter().map(Arc::clone).zip(parts).collect::<Map>()),
        }
    }

    fn apart(&self, value: Value) -> Option<Vec<Value>> {
        let parts: Vec<Value> = match (self.shape, value) {
            (Shape::List(len), Value::List(items)) if items.len() == *len => items.to_vec(),
            (Shape::Map(keys), Value::Map(map)) => {
                keys.iter().map(|key| map.get(key).cloned()).collect::<Option<_>>()?
            }
            _ => return None,
        };
        parts.iter().all(is_flat_value).then_some(parts)
    }
}
