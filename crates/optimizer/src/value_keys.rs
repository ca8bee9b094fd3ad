//! An equality in, the keys that a hash join has for it out.
//!
//! The algebra's `=` is the equality of keys itself. SPARQL's `=` and `sameTerm` call numbers of several
//! types equal, or tell equal ones apart: what is equal by them has one key (`sparql.eq_key`,
//! `sparql.same_key`), and the pairs with one key are asked for the equality itself.

use trimorph_algebra::{Expr, Op, VarId};
use trimorph_base::Span;

use crate::vars_of;

/// What a join by an equality of two values is made of.
pub(crate) struct KeyPair {
    pub(crate) left: Expr,
    pub(crate) right: Expr,
    /// Whether values with one key are equal, so that pairs need not be asked.
    pub(crate) is_exact: bool,
}

/// The operands of an equality, and the function that makes keys of them.
pub(crate) fn equality(expr: &Expr) -> Option<(&Expr, &Expr, Option<&'static str>)> {
    let (args, key) = match expr {
        Expr::Op(Op::Eq, args, _) => (args, None),
        Expr::Call(name, args, _) if &**name == "sparql.eq" => (args, Some("sparql.eq_key")),
        Expr::Call(name, args, _) if &**name == "sparql.same" => (args, Some("sparql.same_key")),
        _ => return None,
    };
    let [a, b] = &args[..] else { return None };
    Some((a, b, key))
}

/// The keys of an equality of values of one side with values of another.
pub(crate) fn keys_across(
    expr: &Expr,
    left: impl Fn(&VarId) -> bool,
    right: impl Fn(&VarId) -> bool,
) -> Option<KeyPair> {
    let (a, b, of) = equality(expr)?;
    let (of_a, of_b) = (vars_of([a]), vars_of([b]));
    if of_a.is_empty() || of_b.is_empty() {
        return None;
    }
    let key = |side: &Expr| match of {
        None => side.clone(),
        Some(name) => Expr::Call(name.into(), vec![side.clone()], Span::default()),
    };
    let pair = |a, b| Some(KeyPair { left: key(a), right: key(b), is_exact: of.is_none() });
    if of_a.iter().all(&left) && of_b.iter().all(&right) {
        pair(a, b)
    } else if of_b.iter().all(&left) && of_a.iter().all(&right) {
        pair(b, a)
    } else {
        None
    }
}
