//! Expressions as passes look at them: the variables they speak of, and predicates as lists of conjuncts.

use std::collections::BTreeSet;

use trimorph_algebra::{Expr, Op, VarId};

/// Some variables.
pub(crate) type VarSet = BTreeSet<VarId>;

/// Variables up to whose number a set is gathered in bits. Binder and passes number them from nothing.
const GATHERED_MAX: u32 = 1 << 24;

/// The free variables of some expressions.
pub(crate) fn vars_of<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> VarSet {
    // Half a million pairs of edges that must differ look at a thousand variables: a bit each is set, and the
    // set is made once.
    let (mut bits, mut others): (Vec<u64>, VarSet) = Default::default();
    for expr in exprs {
        expr.for_each_free_var(&mut |VarId(v)| {
            if v >= GATHERED_MAX {
                others.insert(VarId(v));
                return;
            }
            let word = v as usize / 64;
            if bits.len() <= word {
                bits.resize(word + 1, 0);
            }
            bits[word] |= 1 << (v % 64);
        });
    }
    for (word, bits) in (0u32..).zip(bits) {
        others.extend((0..64).filter(|bit| bits >> bit & 1 == 1).map(|bit| VarId(word * 64 + bit)));
    }
    others
}

/// The conjuncts of a predicate.
pub(crate) fn conjuncts(expr: Expr, out: &mut Vec<Expr>) {
    match expr {
        Expr::Op(Op::And, parts, _) => parts.into_iter().for_each(|p| conjuncts(p, out)),
        other => out.push(other),
    }
}

/// The conjunction of some predicates, flat: a tree of thousands would be too deep to walk.
pub(crate) fn conjunction(predicates: impl IntoIterator<Item = Expr>) -> Option<Expr> {
    predicates.into_iter().reduce(|a, b| match a {
        Expr::Op(Op::And, mut parts, span) => {
            parts.push(b);
            Expr::Op(Op::And, parts, span)
        }
        a => Expr::op(Op::And, vec![a, b]),
    })
}
