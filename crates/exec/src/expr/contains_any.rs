//! `x CONTAINS 'a' OR x CONTAINS 'b' OR x ENDS WITH 'c' …`, and `NOT x CONTAINS 'a' AND NOT x CONTAINS 'b'
//! AND …`: one search for all parts, each text being looked through once.
//!
//! Where `x` is no text, or not the same type in all rows, what was written is asked.

use std::sync::Arc;

use trimorph_algebra::Op;
use trimorph_base::Span;
use trimorph_functions::{TextParts, TextTest};
use trimorph_types::Value;
use trimorph_vector::{Values, Vector};

use super::Ex;
use super::evaluated::{Evaluate, Evaluated, Outcome, Over};
use crate::Context;

/// The operands of OR or AND, with those that ask one text for parts put together; none where there are no
/// such.
pub(super) fn put_together(op: Op, args: &[Ex], span: Span) -> Option<Vec<Ex>> {
    let mut all = Vec::new();
    args.iter().for_each(|arg| spread(op, arg, &mut all));
    let mut groups: Vec<(usize, Vec<usize>)> = Vec::new();
    for (place, arg) in all.iter().enumerate() {
        let Some((text, _)) = asked_part(op, arg) else { continue };
        let is_of = |first: usize| asked_part(op, all[first]).is_some_and(|(own, _)| is_same(own, text));
        match groups.iter_mut().find(|(first, _)| is_of(*first)) {
            Some((_, places)) => places.push(place),
            None => groups.push((place, vec![place])),
        }
    }
    let mut made: Vec<Option<Ex>> = all.iter().map(|arg| Some((*arg).clone())).collect();
    let mut is_any = false;
    for (first, places) in groups.into_iter().filter(|(_, places)| places.len() > 1) {
        let parts = places.iter().filter_map(|place| Some(asked_part(op, all[*place])?.1));
        let (Some(parts), Some((text, _))) = (TextParts::new(parts), asked_part(op, all[first])) else {
            continue;
        };
        let asked = Ex::Op(op, places.iter().map(|place| all[*place].clone()).collect(), span);
        let any = Ex::ContainsAny {
            text: Box::new(text.clone()),
            parts: Arc::new(parts),
            wanted: op == Op::Or,
            asked: Box::new(asked),
        };
        places.iter().for_each(|place| made[*place] = None);
        made[first] = Some(any);
        is_any = true;
    }
    is_any.then(|| made.into_iter().flatten().collect())
}

/// Operands of the same operator within each other, side by side.
fn spread<'e>(op: Op, arg: &'e Ex, all: &mut Vec<&'e Ex>) {
    match arg {
        Ex::Op(own, args, _) if *own == op => args.iter().for_each(|arg| spread(op, arg, all)),
        Ex::ContainsAny { wanted, asked, .. } if *wanted == (op == Op::Or) => spread(op, asked, all),
        other => all.push(other),
    }
}

/// The text that an operand asks for a part, how, and the part.
fn asked_part(op: Op, arg: &Ex) -> Option<(&Ex, (TextTest, &str))> {
    let (test, args) = match (op, arg) {
        (Op::And, Ex::Op(Op::Not, args, _)) => return asked_part(Op::Or, args.first()?),
        (Op::Or, Ex::Op(Op::Contains, args, _)) => (TextTest::Contains, args),
        (Op::Or, Ex::Op(Op::StartsWith, args, _)) => (TextTest::StartsWith, args),
        (Op::Or, Ex::Op(Op::EndsWith, args, _)) => (TextTest::EndsWith, args),
        _ => return None,
    };
    match &args[..] {
        [text, Ex::Const(Value::String(part))] => Some((text, (test, part))),
        _ => None,
    }
}

/// Whether two expressions are the same, as far as they are simple.
fn is_same(a: &Ex, b: &Ex) -> bool {
    match (a, b) {
        (Ex::Slot(a), Ex::Slot(b)) => a == b,
        (Ex::Local(a), Ex::Local(b)) => a == b,
        (Ex::Property { base: a, key, .. }, Ex::Property { base: b, key: other, .. }) => {
            key == other && is_same(a, b)
        }
        (Ex::Call(f, args, _), Ex::Call(g, others, _)) => {
            f.name == g.name
                && f.deterministic
                && args.len() == others.len()
                && args.iter().zip(others).all(|(a, b)| is_same(a, b))
        }
        _ => false,
    }
}

/// Evaluates [`Ex::ContainsAny`].
pub(super) fn contains_any<'a, 's>(
    (text, parts, wanted, asked): (&Ex, &TextParts, bool, &Ex),
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
    evaluate: Evaluate<'a, 's>,
) -> Outcome<'a, 's> {
    let found = match evaluate(text, over, cx)?.vector() {
        Some(Vector { values: Values::String(texts), nulls }) => {
            let mut found = parts.in_texts(texts, nulls, over.at);
            if !wanted {
                found.iter_mut().for_each(|found| *found = !*found);
            }
            Some(Vector { values: Values::Bool(found), nulls: nulls.clone() })
        }
        _ => None,
    };
    match found {
        Some(found) => Ok(Evaluated::Own(found)),
        None => evaluate(asked, over, cx),
    }
}
