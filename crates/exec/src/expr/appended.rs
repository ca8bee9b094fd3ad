//! `reduce` that adds to a list, row by row: `list + x`, also in branches of CASE and several times in a row.
//!
//! What there is so far is taken out of its local variable where what is added does not read it. Then nobody
//! else holds the list, and what is added is appended in place: going through a list takes time that grows
//! with its length, not with the square of it.

use std::sync::Arc;

use trimorph_algebra::Op;
use trimorph_base::{Diagnostic, Span};
use trimorph_functions::operators as ops;
use trimorph_types::Value;

use super::Ex;
use super::bodies::reads_local;
use super::made::{Growing, bounded};
use super::operands::apply;
use crate::Context;

/// How many additions and branches in each other are looked into.
const DEPTH_MAX: usize = 32;
/// Elements from which on it pays to look at what the body does.
const ELEMENTS_MIN: usize = 4;

/// Who evaluates expressions of one row, whose local variables have values.
pub(super) trait OfRow<'s> {
    /// What an expression gives.
    fn evaluate(&mut self, ex: &Ex, cx: &Context<'s>) -> Result<Value, Diagnostic>;

    /// The value of a local variable, which has none from now on.
    fn take_local(&mut self, local: usize) -> Value;
}

/// The body of a reduction that adds to what there is so far.
pub(super) struct Appended<'e> {
    acc: usize,
    body: Form<'e>,
    growing: Growing,
}

enum Form<'e> {
    /// What there is so far.
    SoFar,
    /// Something is added that does not read what there is so far.
    Plus(Box<Form<'e>>, &'e Ex, Span),
    Case(Vec<(&'e Ex, Form<'e>)>, Box<Form<'e>>),
    Other(&'e Ex),
}

impl<'e> Form<'e> {
    fn of(body: &'e Ex, acc: usize, depth: usize) -> Self {
        let Some(depth) = depth.checked_sub(1) else { return Self::Other(body) };
        match body {
            Ex::Local(local) if *local == acc => Self::SoFar,
            Ex::Op(Op::Add, args, span) => {
                let [left, right] = &args[..] else { return Self::Other(body) };
                Self::plus(Self::of(left, acc, depth), right, *span, acc).unwrap_or(Self::Other(body))
            }
            Ex::Chain(first, rest) if rest.len() <= depth => {
                let mut form = Self::of(first, acc, depth);
                for (op, right, span) in rest {
                    let plus = if *op == Op::Add { Self::plus(form, right, *span, acc) } else { None };
                    match plus {
                        Some(plus) => form = plus,
                        None => return Self::Other(body),
                    }
                }
                form
            }
            Ex::Case { branches, otherwise } => {
                let form = |ex| Self::of(ex, acc, depth);
                let branches = branches.iter().map(|(when, then)| (when, form(then))).collect();
                Self::Case(branches, Box::new(form(otherwise)))
            }
            _ => Self::Other(body),
        }
    }

    fn plus(left: Self, right: &'e Ex, span: Span, acc: usize) -> Option<Self> {
        let adds = !matches!(left, Self::Other(_)) && !reads_local(right, acc);
        adds.then(|| Self::Plus(Box::new(left), right, span))
    }

    /// Whether something is added.
    fn adds(&self) -> bool {
        match self {
            Self::Plus(..) => true,
            Self::Case(branches, otherwise) => {
                otherwise.adds() || branches.iter().any(|(_, form)| form.adds())
            }
            Self::SoFar | Self::Other(_) => false,
        }
    }
}

impl<'e> Appended<'e> {
    /// Of a body that is evaluated for so many elements; `None` where it adds nothing, or too little to look.
    pub(super) fn of(body: &'e Ex, acc: usize, elements: usize) -> Option<Self> {
        if elements < ELEMENTS_MIN {
            return None;
        }
        let form = Form::of(body, acc, DEPTH_MAX);
        form.adds().then(|| Self { acc, body: form, growing: Growing::default() })
    }

    /// What the body gives. What there was so far may be gone from its local afterwards.
    pub(super) fn eval<'s>(
        &mut self,
        row: &mut impl OfRow<'s>,
        cx: &Context<'s>,
    ) -> Result<Value, Diagnostic> {
        eval(&self.body, self.acc, &mut self.growing, row, cx)
    }
}

fn eval<'s>(
    form: &Form<'_>,
    acc: usize,
    growing: &mut Growing,
    row: &mut impl OfRow<'s>,
    cx: &Context<'s>,
) -> Result<Value, Diagnostic> {
    match form {
        Form::SoFar => Ok(row.take_local(acc)),
        Form::Plus(left, right, span) => {
            let so_far = eval(left, acc, growing, row, cx)?;
            let right = row.evaluate(right, cx)?;
            added(so_far, right, growing, cx).and_then(bounded).map_err(|d| d.at(*span))
        }
        Form::Case(branches, otherwise) => {
            for (when, then) in branches {
                if ops::truth(&row.evaluate(when, cx)?)? == Some(true) {
                    return eval(then, acc, growing, row, cx);
                }
            }
            eval(otherwise, acc, growing, row, cx)
        }
        Form::Other(ex) => row.evaluate(ex, cx),
    }
}

fn added(
    mut so_far: Value,
    right: Value,
    growing: &mut Growing,
    cx: &Context<'_>,
) -> Result<Value, Diagnostic> {
    if let Value::List(list) = &mut so_far
        && !right.is_null()
        && let Some(own) = Arc::get_mut(list)
    {
        let more = right.extent().bytes;
        cx.work(more)?;
        growing.hold(own.extent().bytes.saturating_add(more), cx)?;
        match right {
            Value::List(items) => items.iter().for_each(|item| own.push(item.clone())),
            one => own.push(one),
        }
        return Ok(so_far);
    }
    apply(Op::Add, &[so_far, right], cx)
}
