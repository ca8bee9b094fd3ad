//! Operators of two operands over vectors: the kernel of each, by what the operands are.

use trimorph_algebra::Op;
use trimorph_functions::{
    TextTest, concat_texts, concat_written, list_contains, list_element, map_entry, test_texts,
};
use trimorph_types::Value;
use trimorph_vector::Vector;

use super::arithmetic::arithmetic;
use super::compare::compare;
use super::evaluated::{Evaluated, Over};
use super::joined_lists::joined_lists;
use super::logic::xor;
use crate::Context;

/// The operands where all are constants.
pub(super) fn constants(args: &[Evaluated<'_, '_>]) -> Option<Vec<Value>> {
    args.iter().map(|arg| if let Evaluated::Const(v) = arg { Some(v.clone()) } else { None }).collect()
}

/// The kernel of an operator of two operands.
pub(super) fn binary<'s>(
    op: Op,
    a: &Evaluated<'_, 's>,
    b: &Evaluated<'_, 's>,
    over: Over<'_, '_, 's>,
    cx: &Context<'s>,
) -> Option<Vector<'s>> {
    match op {
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => compare(op, a, b, over.at),
        Op::Add => {
            let texts = || {
                let (a, b) = (a.argument(), b.argument());
                concat_texts(a, b, over.at).or_else(|| concat_written(a, b, over.at))
            };
            arithmetic(op, a, b, over.at).or_else(texts).or_else(|| joined_lists(a, b, over, cx))
        }
        Op::Sub | Op::Mul | Op::Div | Op::Mod | Op::Pow => arithmetic(op, a, b, over.at),
        Op::Xor => xor(a, b, over.at),
        Op::Contains => test_texts(TextTest::Contains, a.argument(), b.argument(), over.at),
        Op::StartsWith => test_texts(TextTest::StartsWith, a.argument(), b.argument(), over.at),
        Op::EndsWith => test_texts(TextTest::EndsWith, a.argument(), b.argument(), over.at),
        Op::Regex => test_texts(TextTest::Matches, a.argument(), b.argument(), over.at),
        Op::Index => list_element(a.argument(), b.argument(), over.at)
            .or_else(|| map_entry(a.argument(), b.argument(), over.at)),
        Op::In => list_contains(a.argument(), b.argument(), over.at),
        _ => None,
    }
}
