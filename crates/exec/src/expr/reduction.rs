//! `reduce`: all lists of a vector at once.
//!
//! 1. Where the body adds to what there is so far (`total + x`, `text + x + ';'`, `total - x * 2`), what it
//!    adds is evaluated over all elements, and then put together list by list, by a loop of the type. To a
//!    text it may add one thing where that equals a text, and another where not, as people join texts:
//!    `s + CASE WHEN s = '' THEN '' ELSE ', ' END + x`, `CASE WHEN s = '' THEN x ELSE s + ', ' + x END`.
//! 2. Else the first elements of all lists are taken together, then the second ones, and so on: what there is
//!    so far is a vector (`reduction_steps`).
//!
//! All give what going through each list gives, errors left out: where anything fails, rows are evaluated
//! one by one.

use trimorph_algebra::Op;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Nulls, Positions, Texts, Values, Vector};

use super::Ex;
use super::bodies::reads_local;
use super::elements::Listed;
use super::evaluated::{Evaluated, Over, OverElements};
use super::reduction_numbers::Numbers;
use super::reduction_steps::{Accumulated, step_by_step};
use super::repeated::Bodies;
use crate::{Context, ExecError};

/// `reduce(acc = start, x IN list | body)`: `acc` is the first of two locals. `None` where it is not
/// evaluated so.
pub(super) fn reduction<'s>(
    (start, list): (&Evaluated<'_, 's>, &Evaluated<'_, 's>),
    (acc, body): (usize, &Ex),
    over: Over<'_, '_, 's>,
    cx: &Context<'s>,
    evaluate: OverElements<'s>,
) -> Result<Option<Vector<'s>>, ExecError> {
    let Some(listed) = Listed::of(list, over.at, cx) else { return Ok(None) };
    if let Some(additions) = Additions::of(body, acc) {
        let folded = fold(start, &listed, (acc, &additions), over, cx, evaluate)?;
        if folded.is_some() {
            return Ok(folded);
        }
    }
    of_one(start, &listed, (acc, body), over, cx, evaluate)
}

/// One operation with what there is so far.
#[derive(Clone, Copy)]
struct Step<E> {
    op: Op,
    operand: E,
    /// Only where what there was before the element is the text that is asked about, or is not.
    when: Option<bool>,
}

/// What a body does to what there is so far: additions, subtractions and products with what does not read
/// it, one after the other.
#[derive(Default)]
struct Additions<'e> {
    steps: Vec<Step<&'e Ex>>,
    /// The text that what there is so far is compared with.
    asked: Option<&'e str>,
    /// Whether an element may make something of null again.
    recovers: bool,
}

impl<'e> Additions<'e> {
    fn of(body: &'e Ex, acc: usize) -> Option<Self> {
        let mut all = Self::default();
        match body {
            Ex::Case { branches, otherwise } => {
                let [(condition, then)] = &branches[..] else { return None };
                let is = all.asks(condition, acc)?;
                all.recovers = !is;
                all.branch(then, acc, is)?;
                all.branch(otherwise, acc, !is)?;
            }
            body => all.add(body, acc, None)?,
        }
        Some(all)
    }

    /// A branch of a body: additions, or what takes the place of the empty text.
    fn branch(&mut self, branch: &'e Ex, acc: usize, is: bool) -> Option<()> {
        if reads_local(branch, acc) {
            return self.add(branch, acc, Some(is));
        }
        let is_empty = is && self.asked == Some("");
        self.steps.push(Step { op: Op::Add, operand: branch, when: Some(is) });
        is_empty.then_some(())
    }

    fn add(&mut self, body: &'e Ex, acc: usize, when: Option<bool>) -> Option<()> {
        // From the last operation to the first.
        let (mut parts, mut left): (Vec<(Op, &'e Ex)>, &'e Ex) = (Vec::new(), body);
        loop {
            left = match left {
                Ex::Local(local) if *local == acc => break,
                Ex::Op(op, args, _) => {
                    let [a, b] = &args[..] else { return None };
                    parts.push((*op, b));
                    a
                }
                Ex::Chain(first, rest) => {
                    parts.extend(rest.iter().rev().map(|(op, ex, _)| (*op, ex)));
                    first
                }
                _ => return None,
            };
        }
        for (op, operand) in parts.into_iter().rev() {
            if !matches!(op, Op::Add | Op::Sub | Op::Mul) {
                return None;
            }
            if !reads_local(operand, acc) {
                self.steps.push(Step { op, operand, when });
                continue;
            }
            let Ex::Case { branches, otherwise } = operand else { return None };
            let [(condition, then)] = &branches[..] else { return None };
            let is = self.asks(condition, acc)?;
            if when.is_some() || reads_local(then, acc) || reads_local(otherwise, acc) {
                return None;
            }
            for (operand, is) in [(then, is), (otherwise, !is)] {
                self.steps.push(Step { op, operand, when: Some(is) });
            }
        }
        Some(())
    }

    /// Notes the text that a condition compares with; gives whether it asks for that text, or for others.
    fn asks(&mut self, condition: &'e Ex, acc: usize) -> Option<bool> {
        let Ex::Op(op @ (Op::Eq | Op::Ne), args, _) = condition else { return None };
        let [Ex::Local(local), Ex::Const(Value::String(text))] = &args[..] else { return None };
        let is_other = self.asked.is_some_and(|asked| asked != &**text);
        self.asked = Some(text);
        (*local == acc && !is_other).then_some(*op == Op::Eq)
    }
}

/// What there is so far of each list.
enum Sums {
    Int(Vec<i64>),
    Float(Vec<f64>),
    Text(Vec<String>),
}

impl Sums {
    /// What all begin with; `None` for other types, and where some are null.
    fn of(start: &Evaluated<'_, '_>, at: Positions<'_>) -> Option<Self> {
        Some(match (start, start.vector()) {
            (Evaluated::Const(Value::Int(v)), _) => Self::Int(vec![*v; at.len]),
            (Evaluated::Const(Value::Float(v)), _) => Self::Float(vec![*v; at.len]),
            (Evaluated::Const(Value::String(v)), _) => Self::Text(vec![v.to_string(); at.len]),
            (_, Some(vector)) if !vector.may_have_nulls() => match &vector.values {
                Values::Int(v) => Self::Int(v.clone()),
                Values::Float(v) => Self::Float(v.clone()),
                Values::String(v) => {
                    let mut texts = vec![String::new(); at.len];
                    at.for_each(|i| texts[i].push_str(v.get(i)));
                    Self::Text(texts)
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Whether what there is at a position is a text.
    fn is(&self, i: usize, text: &str) -> bool {
        matches!(self, Self::Text(sums) if sums[i] == text)
    }

    /// Does one element's operations to what there is at a position, of those that ask the ones for which it
    /// `is`, or is not, what is asked. `None` where numbers become too large.
    fn add(&mut self, (i, is): (usize, bool), element: usize, steps: &[Step<Operand<'_, '_>>]) -> Option<()> {
        match self {
            Self::Int(sums) => {
                let mut sum = sums[i];
                for Step { op, operand, .. } in steps {
                    let Operand::Int(v) = operand else { return None };
                    let v = v.get(element);
                    sum = match op {
                        Op::Add => sum.checked_add(v)?,
                        Op::Sub => sum.checked_sub(v)?,
                        _ => sum.checked_mul(v)?,
                    };
                }
                sums[i] = sum;
            }
            Self::Float(sums) => {
                let mut sum = sums[i];
                for Step { op, operand, .. } in steps {
                    let v = match operand {
                        Operand::Float(v) => v.get(element),
                        #[expect(clippy::cast_precision_loss, reason = "as arithmetic has it")]
                        Operand::Int(v) => v.get(element) as f64,
                        Operand::Text(_) => return None,
                    };
                    sum = match op {
                        Op::Add => sum + v,
                        Op::Sub => sum - v,
                        _ => sum * v,
                    };
                }
                sums[i] = sum;
            }
            Self::Text(sums) => {
                for Step { op, operand, .. } in steps.iter().filter(|step| step.when != Some(!is)) {
                    match (op, operand) {
                        (Op::Add, Operand::Text(text)) => sums[i].push_str(text.get(element)),
                        _ => return None,
                    }
                }
            }
        }
        Some(())
    }
}

/// One for all elements, or one for each.
enum Each<'v, T> {
    One(T),
    Of(&'v [T]),
}

impl<T: Copy> Each<'_, T> {
    #[inline]
    fn get(&self, element: usize) -> T {
        match self {
            Self::One(value) => *value,
            Self::Of(values) => values[element],
        }
    }
}

enum Text<'v, 's> {
    One(&'v str),
    Of(&'v Texts<'s>),
}

impl Text<'_, '_> {
    #[inline]
    fn get(&self, element: usize) -> &str {
        match self {
            Self::One(text) => text,
            Self::Of(texts) => texts.get(element),
        }
    }
}

/// What is added.
enum Operand<'v, 's> {
    Int(Each<'v, i64>),
    Float(Each<'v, f64>),
    Text(Text<'v, 's>),
}

impl<'v, 's> Operand<'v, 's> {
    /// `None` for other types.
    fn of(evaluated: &'v Evaluated<'_, 's>) -> Option<Self> {
        Some(match (evaluated, evaluated.vector().map(|v| &v.values)) {
            (Evaluated::Const(Value::Int(v)), _) => Self::Int(Each::One(*v)),
            (Evaluated::Const(Value::Float(v)), _) => Self::Float(Each::One(*v)),
            (Evaluated::Const(Value::String(v)), _) => Self::Text(Text::One(v)),
            (_, Some(Values::Int(v))) => Self::Int(Each::Of(v)),
            (_, Some(Values::Float(v))) => Self::Float(Each::Of(v)),
            (_, Some(Values::String(v))) => Self::Text(Text::Of(v)),
            _ => return None,
        })
    }
}

fn fold<'s>(
    start: &Evaluated<'_, 's>,
    listed: &Listed<'s>,
    (acc, additions): (usize, &Additions<'_>),
    over: Over<'_, '_, 's>,
    cx: &Context<'s>,
    evaluate: OverElements<'s>,
) -> Result<Option<Vector<'s>>, ExecError> {
    let Some(mut sums) = Sums::of(start, over.at) else { return Ok(None) };
    if additions.asked.is_some() && !matches!(sums, Sums::Text(_)) {
        return Ok(None);
    }
    let mut bodies = Bodies::new(evaluate, listed.pays(over.at));
    // The element is the second local: it is the only one that is read.
    let mut steps: Vec<Step<Ex>> = Vec::with_capacity(additions.steps.len());
    for step in &additions.steps {
        let operand = bodies.over(step.operand, (acc + 1, 1), over, cx)?;
        steps.push(Step { op: step.op, operand, when: step.when });
    }
    let mut nulls = listed.nulls.clone();
    let mut held = cx.settings.budget.reservation();
    let done = listed.for_each(&bodies.outer, over, cx, &mut |batch| {
        let evaluated = steps.iter().map(|step| batch.evaluate(&step.operand, None, cx, evaluate));
        let evaluated: Vec<Evaluated<'_, 's>> = evaluated.collect::<Result<_, _>>()?;
        let null = evaluated.iter().zip(&steps).filter_map(|(e, step)| Some((&e.vector()?.nulls, step.when)));
        let null: Vec<(&Nulls, Option<bool>)> = null.filter(|(nulls, _)| !nulls.is_none()).collect();
        if additions.recovers && !null.is_empty() {
            return Ok(false);
        }
        let operands = evaluated.iter().zip(&steps).map(|(e, step)| {
            let operand = Operand::of(e)?;
            Some(Step { op: step.op, operand, when: step.when })
        });
        let Some(operands) = operands.collect::<Option<Vec<_>>>() else { return Ok(false) };
        if matches!(sums, Sums::Text(_)) {
            let bytes = |step: &Step<Operand<'_, 's>>| match &step.operand {
                Operand::Text(text) => (0..batch.len()).map(|e| text.get(e).len()).sum(),
                _ => 0,
            };
            held.grow(operands.iter().map(bytes).sum::<usize>())?;
        }
        for (position, from, to) in &batch.parts {
            for element in *from as usize..*to as usize {
                let is = additions.asked.is_some_and(|text| sums.is(*position, text));
                if null.iter().any(|(nulls, when)| *when != Some(!is) && nulls.get(element)) {
                    // With null nothing else comes of it.
                    nulls.set(*position, over.at.len);
                } else if sums.add((*position, is), element, &operands).is_none() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    })?;
    if !done {
        return Ok(None);
    }
    let values = match sums {
        Sums::Int(v) => Values::Int(v),
        Sums::Float(v) => Values::Float(v),
        Sums::Text(v) => {
            let mut texts = Texts::blank(v.len());
            over.at.for_each(|i| texts.set(i, &v[i]));
            Values::String(texts)
        }
    };
    Ok(Some(Vector { values, nulls }))
}

/// What there is so far is one value.
struct One<'e, 's> {
    /// Over the elements of one step.
    body: &'e Ex,
    evaluate: OverElements<'s>,
}

impl<'s> Accumulated<'s> for One<'_, 's> {
    fn next(&self, chunk: &Chunk<'s>, cx: &Context<'s>) -> Result<Option<Vec<Vector<'s>>>, ExecError> {
        let over = Over::group(chunk, 0);
        let next = (self.evaluate)(self.body, over, cx)?.into_vector(over.at.len);
        // Lists and maps may be put into each other at each step: going row by row bounds how deep.
        Ok((!matches!(next.values, Values::List(_) | Values::Map(_) | Values::Tuple(_))).then(|| vec![next]))
    }

    fn whole(&self, parts: Vec<Value>) -> Value {
        parts.into_iter().next().unwrap_or_default()
    }

    fn apart(&self, value: Value) -> Option<Vec<Value>> {
        Some(vec![value])
    }
}

fn of_one<'s>(
    start: &Evaluated<'_, 's>,
    listed: &Listed<'s>,
    (acc, body): (usize, &Ex),
    over: Over<'_, '_, 's>,
    cx: &Context<'s>,
    evaluate: OverElements<'s>,
) -> Result<Option<Vector<'s>>, ExecError> {
    let mut bodies = Bodies::new(evaluate, listed.pays(over.at));
    let over_vectors = bodies.over(body, (acc, 2), over, cx)?;
    let lists = (listed, &bodies.outer[..]);
    let numbers = Numbers::of_one((start, &over_vectors), lists, over);
    let one = One { body: &over_vectors, evaluate };
    let made = step_by_step((&[start], &one, numbers.as_ref()), lists, (acc, body), over, cx)?;
    Ok(made.and_then(|made| made.into_iter().next()))
}
