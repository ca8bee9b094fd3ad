//! `reduce` over integers and floats: each list by itself, element by element, in words of 64 bits. For lists
//! that are few, and for those that are left when most have ended: a step over vectors costs as much for few
//! lists as for a hundred (`reduction_steps`).
//!
//! 1. The body is translated once: what it reads are words, each an integer or a float; every part of it has
//!    a type, which is known before the first element. Accumulators keep theirs.
//! 2. What there is so far of a list, its element and what is read outside are the words of one array. A step
//!    allocates nothing.
//!
//! Nulls, other types, and bodies that do more than calculate, compare and choose are not translated. Where a
//! number becomes too large, rows are evaluated one by one.

use std::cmp::Ordering;

use trimorph_algebra::Op;
use trimorph_types::Value;
use trimorph_types::number::compare_int_float;
use trimorph_vector::{Values, Vector};

use super::Ex;
use super::compare_wide::satisfies;
use super::elements::Listed;
use super::evaluated::{Evaluated, Over};
use super::reduction_body::Step;
use super::repeated::Outer;
use crate::{Context, ExecError};

/// Elements between two looks at the flag that cancels.
const ELEMENTS_UNCHECKED: usize = 1 << 14;

/// A body of words: the parts of the accumulator, the element, and what is read outside.
pub(super) struct Numbers {
    types: Vec<Type>,
    parts: usize,
    code: Code,
}

impl Numbers {
    /// `step` reads slots of one group, in this order. `None` where it is not of words.
    pub(super) fn of<'s>(
        (start, step): (&[&Evaluated<'_, 's>], &Step),
        (listed, outer): (&Listed<'s>, &[Outer<'s>]),
        over: Over<'_, '_, 's>,
    ) -> Option<Self> {
        let mut types: Vec<Type> =
            start.iter().map(|part| Some(Words::of(part)?.ty())).collect::<Option<_>>()?;
        types.push(Words::of_vector(&listed.child)?.ty());
        for words in outside(outer, over)? {
            types.push(words.ty());
        }
        let code = Code::of(step, &types[..start.len()], &types)?;
        Some(Self { types, parts: start.len(), code })
    }

    /// The same of an accumulator that is one value.
    pub(super) fn of_one<'s>(
        (start, body): (&Evaluated<'_, 's>, &Ex),
        lists: (&Listed<'s>, &[Outer<'s>]),
        over: Over<'_, '_, 's>,
    ) -> Option<Self> {
        Self::of((&[start], &Step::Parts(vec![body.clone()])), lists, over)
    }

    /// What comes of some positions' lists from element `first` on, where there is `so_far` of each: a vector
    /// for each part. `None` where a number is too large.
    pub(super) fn rest<'s>(
        &self,
        (so_far, positions, first): (&[Vector<'s>], &[u32], usize),
        (listed, outer): (&Listed<'s>, &[Outer<'s>]),
        over: Over<'_, '_, 's>,
        cx: &Context<'s>,
    ) -> Result<Option<Vec<Vector<'s>>>, ExecError> {
        let so_far: Option<Vec<Words<'_>>> = so_far.iter().map(Words::of_vector).collect();
        let elements = Words::of_vector(&listed.child);
        let (Some(so_far), Some(elements), Some(outside)) = (so_far, elements, outside(outer, over)) else {
            return Ok(None);
        };
        if so_far.iter().zip(&self.types).any(|(words, ty)| words.ty() != *ty) {
            return Ok(None);
        }
        let parts = self.parts;
        let mut out = vec![Vec::with_capacity(positions.len()); parts];
        let (mut now, mut next) = (vec![0u64; self.types.len()], vec![0u64; parts]);
        let mut left = ELEMENTS_UNCHECKED;
        for (k, position) in positions.iter().enumerate() {
            now.iter_mut().zip(&so_far).for_each(|(word, words)| *word = words.at(k));
            now[parts + 1..].iter_mut().zip(&outside).for_each(|(word, words)| {
                *word = words.at(*position as usize);
            });
            let (start, end) = listed.runs[*position as usize];
            for e in (start..end).skip(first) {
                left -= 1;
                if left == 0 {
                    cx.check()?;
                    left = ELEMENTS_UNCHECKED;
                }
                now[parts] = elements.at(e as usize);
                match self.code.step(&now, &mut next) {
                    Some(true) => now[..parts].copy_from_slice(&next),
                    Some(false) => {}
                    None => return Ok(None),
                }
            }
            out.iter_mut().zip(&now).for_each(|(out, word)| out.push(*word));
        }
        let vector = |(words, ty): (Vec<u64>, &Type)| {
            Vector::new(match ty {
                Type::Int => Values::Int(words.into_iter().map(u64::cast_signed).collect()),
                Type::Float => Values::Float(words.into_iter().map(f64::from_bits).collect()),
            })
        };
        Ok(Some(out.into_iter().zip(&self.types).map(vector).collect()))
    }
}

/// What is read outside, for each position.
fn outside<'v, 's>(outer: &'v [Outer<'s>], over: Over<'v, '_, 's>) -> Option<Vec<Words<'v>>> {
    let vectors = &over.chunk.groups[over.group].vectors;
    outer.iter().map(|outer| Words::of_vector(outer.vector(vectors)?)).collect()
}

/// What a word is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Int,
    Float,
}

/// Words of one type, one for all positions or one for each.
enum Words<'v> {
    Int(i64),
    Float(f64),
    Ints(&'v [i64]),
    Floats(&'v [f64]),
}

impl<'v> Words<'v> {
    fn of(evaluated: &'v Evaluated<'_, '_>) -> Option<Self> {
        match evaluated {
            Evaluated::Const(Value::Int(v)) => Some(Self::Int(*v)),
            Evaluated::Const(Value::Float(v)) => Some(Self::Float(*v)),
            other => Self::of_vector(other.vector()?),
        }
    }

    fn of_vector(vector: &'v Vector<'_>) -> Option<Self> {
        match &vector.values {
            Values::Int(v) if vector.nulls.is_none() => Some(Self::Ints(v)),
            Values::Float(v) if vector.nulls.is_none() => Some(Self::Floats(v)),
            _ => None,
        }
    }

    fn ty(&self) -> Type {
        match self {
            Self::Int(_) | Self::Ints(_) => Type::Int,
            Self::Float(_) | Self::Floats(_) => Type::Float,
        }
    }

    #[inline]
    fn at(&self, i: usize) -> u64 {
        match self {
            Self::Int(v) => v.cast_unsigned(),
            Self::Float(v) => v.to_bits(),
            Self::Ints(v) => v[i].cast_unsigned(),
            Self::Floats(v) => v[i].to_bits(),
        }
    }
}

/// What a body gives.
enum Code {
    Same,
    Parts(Vec<Number>),
    Case(Vec<(Test, Code)>, Box<Code>),
}

impl Code {
    /// `None` where it is not of words: `parts` are the types that accumulators keep, `words` those of what
    /// is read.
    fn of(step: &Step, parts: &[Type], words: &[Type]) -> Option<Self> {
        Some(match step {
            Step::Same => Self::Same,
            Step::Parts(all) => {
                let part = |(ex, ty)| Number::of(ex, words).filter(|number| number.ty() == ty);
                Self::Parts(all.iter().zip(parts.iter().copied()).map(part).collect::<Option<_>>()?)
            }
            Step::Case(branches, otherwise) => {
                let branch =
                    |(when, then): &(Ex, Step)| Some((Test::of(when, words)?, Self::of(then, parts, words)?));
                let branches = branches.iter().map(branch).collect::<Option<_>>()?;
                Self::Case(branches, Box::new(Self::of(otherwise, parts, words)?))
            }
        })
    }

    /// Writes what there is next; `false` where it is what there was, `None` where a number is too large.
    #[inline]
    fn step(&self, now: &[u64], next: &mut [u64]) -> Option<bool> {
        match self {
            Self::Same => Some(false),
            Self::Parts(parts) => {
                for (word, part) in next.iter_mut().zip(parts) {
                    *word = part.eval(now)?;
                }
                Some(true)
            }
            Self::Case(branches, otherwise) => {
                for (when, then) in branches {
                    if when.eval(now)? {
                        return then.step(now, next);
                    }
                }
                otherwise.step(now, next)
            }
        }
    }
}

/// A number of a known type.
enum Number {
    Int(Int),
    Float(Float),
}

impl Number {
    fn of(ex: &Ex, words: &[Type]) -> Option<Self> {
        Some(match ex {
            Ex::Const(Value::Int(v)) => Self::Int(Int::Const(*v)),
            Ex::Const(Value::Float(v)) => Self::Float(Float::Const(*v)),
            Ex::Slot(place) if place.group == 0 => match words.get(place.slot)? {
                Type::Int => Self::Int(Int::Word(place.slot)),
                Type::Float => Self::Float(Float::Word(place.slot)),
            },
            Ex::Op(op, args, _) => {
                let [a, b] = &args[..] else { return None };
                Self::both(*op, Self::of(a, words)?, Self::of(b, words)?)?
            }
            Ex::Chain(first, rest) => {
                let mut number = Self::of(first, words)?;
                for (op, right, _) in rest {
                    number = Self::both(*op, number, Self::of(right, words)?)?;
                }
                number
            }
            Ex::Case { branches, otherwise } => {
                let mut tests = Vec::with_capacity(branches.len());
                let (mut ints, mut floats) = (Vec::new(), Vec::new());
                for (when, then) in branches {
                    tests.push(Test::of(when, words)?);
                    match Self::of(then, words)? {
                        Self::Int(int) => ints.push(int),
                        Self::Float(float) => floats.push(float),
                    }
                }
                let count = tests.len();
                match Self::of(otherwise, words)? {
                    Self::Int(last) if ints.len() == count => {
                        Self::Int(Int::Case(tests.into_iter().zip(ints).collect(), Box::new(last)))
                    }
                    Self::Float(last) if floats.len() == count => {
                        Self::Float(Float::Case(tests.into_iter().zip(floats).collect(), Box::new(last)))
                    }
                    // A value keeps its type, whatever the other branches give.
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    fn both(op: Op, a: Self, b: Self) -> Option<Self> {
        if !matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Div) {
            return None;
        }
        Some(match (a, b) {
            (Self::Int(a), Self::Int(b)) => Self::Int(Int::Both(op, Box::new((a, b)))),
            // What divides by the integer 0 fails.
            (_, Self::Int(by)) if op == Op::Div && !matches!(by, Int::Const(by) if by != 0) => return None,
            (a, b) => Self::Float(Float::Both(op, Box::new((a.float(), b.float())))),
        })
    }

    fn float(self) -> Float {
        match self {
            Self::Int(int) => Float::Of(int),
            Self::Float(float) => float,
        }
    }

    fn ty(&self) -> Type {
        match self {
            Self::Int(_) => Type::Int,
            Self::Float(_) => Type::Float,
        }
    }

    #[inline]
    fn eval(&self, now: &[u64]) -> Option<u64> {
        match self {
            Self::Int(int) => int.eval(now).map(i64::cast_unsigned),
            Self::Float(float) => float.eval(now).map(f64::to_bits),
        }
    }
}

enum Int {
    Const(i64),
    Word(usize),
    Both(Op, Box<(Int, Int)>),
    Case(Vec<(Test, Int)>, Box<Int>),
}

impl Int {
    /// `None` where it is too large, or divided by zero.
    fn eval(&self, now: &[u64]) -> Option<i64> {
        match self {
            Self::Const(v) => Some(*v),
            Self::Word(word) => Some(now[*word].cast_signed()),
            Self::Both(op, both) => {
                let (a, b) = (both.0.eval(now)?, both.1.eval(now)?);
                match op {
                    Op::Add => a.checked_add(b),
                    Op::Sub => a.checked_sub(b),
                    Op::Mul => a.checked_mul(b),
                    _ => a.checked_div(b),
                }
            }
            Self::Case(branches, otherwise) => {
                for (when, then) in branches {
                    if when.eval(now)? {
                        return then.eval(now);
                    }
                }
                otherwise.eval(now)
            }
        }
    }
}

enum Float {
    Const(f64),
    Word(usize),
    Of(Int),
    Both(Op, Box<(Float, Float)>),
    Case(Vec<(Test, Float)>, Box<Float>),
}

impl Float {
    #[expect(clippy::cast_precision_loss, reason = "as arithmetic has it")]
    fn eval(&self, now: &[u64]) -> Option<f64> {
        match self {
            Self::Const(v) => Some(*v),
            Self::Word(word) => Some(f64::from_bits(now[*word])),
            Self::Of(int) => int.eval(now).map(|int| int as f64),
            Self::Both(op, both) => {
                let (a, b) = (both.0.eval(now)?, both.1.eval(now)?);
                Some(match op {
                    Op::Add => a + b,
                    Op::Sub => a - b,
                    Op::Mul => a * b,
                    _ => a / b,
                })
            }
            Self::Case(branches, otherwise) => {
                for (when, then) in branches {
                    if when.eval(now)? {
                        return then.eval(now);
                    }
                }
                otherwise.eval(now)
            }
        }
    }
}

/// A condition, which is never null.
enum Test {
    Const(bool),
    Ints(Op, Int, Int),
    Floats(Op, Float, Float),
    IntFloat(Op, Int, Float),
    FloatInt(Op, Float, Int),
    Not(Box<Test>),
    All(Vec<Test>),
    Any(Vec<Test>),
}

impl Test {
    fn of(ex: &Ex, words: &[Type]) -> Option<Self> {
        Some(match ex {
            Ex::Const(Value::Bool(is)) => Self::Const(*is),
            Ex::Op(Op::Not, args, _) => match &args[..] {
                [arg] => Self::Not(Box::new(Self::of(arg, words)?)),
                _ => return None,
            },
            Ex::Op(op @ (Op::And | Op::Or), args, _) => {
                let tests = args.iter().map(|arg| Self::of(arg, words)).collect::<Option<_>>()?;
                if *op == Op::And { Self::All(tests) } else { Self::Any(tests) }
            }
            Ex::Op(op @ (Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge), args, _) => {
                let [a, b] = &args[..] else { return None };
                match (Number::of(a, words)?, Number::of(b, words)?) {
                    (Number::Int(a), Number::Int(b)) => Self::Ints(*op, a, b),
                    (Number::Float(a), Number::Float(b)) => Self::Floats(*op, a, b),
                    (Number::Int(a), Number::Float(b)) => Self::IntFloat(*op, a, b),
                    (Number::Float(a), Number::Int(b)) => Self::FloatInt(*op, a, b),
                }
            }
            _ => return None,
        })
    }

    fn eval(&self, now: &[u64]) -> Option<bool> {
        // NaN is unequal to all, and neither less nor greater.
        let holds =
            |op: Op, order: Option<Ordering>| order.map_or(op == Op::Ne, |order| satisfies(op, order));
        Some(match self {
            Self::Const(is) => *is,
            Self::Ints(op, a, b) => satisfies(*op, a.eval(now)?.cmp(&b.eval(now)?)),
            Self::Floats(op, a, b) => holds(*op, a.eval(now)?.partial_cmp(&b.eval(now)?)),
            Self::IntFloat(op, a, b) => holds(*op, compare_int_float(a.eval(now)?, b.eval(now)?)),
            Self::FloatInt(op, a, b) => {
                let (a, b) = (a.eval(now)?, b.eval(now)?);
                holds(*op, compare_int_float(b, a).map(Ordering::reverse))
            }
            Self::Not(test) => !test.eval(now)?,
            Self::All(tests) => {
                for test in tests {
                    if !test.eval(now)? {
                        return Some(false);
                    }
                }
                true
            }
            Self::Any(tests) => {
                for test in tests {
                    if test.eval(now)? {
                        return Some(true);
                    }
                }
                false
            }
        })
    }
}
