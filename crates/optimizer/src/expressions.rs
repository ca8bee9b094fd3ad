//! Expressions as passes look at them: the variables they speak of, and predicates as lists of conjuncts.

use std::collections::BTreeSet;
use std::sync::Arc;

use trimorph_algebra::{Expr, Op, VarId};

/// Some variables.
pub(crate) type VarSet = BTreeSet<VarId>;

/// Variables of one gathering that are put in order; more are gathered in bits.
const ORDERED_MAX: usize = 64;
/// Variables up to whose number a set is gathered in bits. Binder and passes number them from nothing.
const BITS_MAX: u32 = 1 << 24;

/// The free variables of some expressions.
pub(crate) fn vars_of<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> VarSet {
    let mut gathering = Gathering::default();
    for expr in exprs {
        expr.for_each_free_var(&mut |var| gathering.add(var));
    }
    gathering.end()
}

/// Variables, of which many may be the same: pairs of edges, a thousand edges in half a million.
pub(crate) fn set_of(vars: impl IntoIterator<Item = VarId>) -> VarSet {
    let mut gathering = Gathering::default();
    vars.into_iter().for_each(|var| gathering.add(var));
    gathering.end()
}

/// Variables being gathered: a few are put in order, of many a bit each is set.
#[derive(Default)]
struct Gathering {
    few: Vec<VarId>,
    bits: Vec<u64>,
    others: VarSet,
}

impl Gathering {
    fn add(&mut self, var: VarId) {
        self.few.push(var);
        if self.few.len() > ORDERED_MAX {
            let Self { few, bits, others } = self;
            few.drain(..).for_each(|var| set(var, bits, others));
        }
    }

    fn end(self) -> VarSet {
        let Self { few, bits, mut others } = self;
        for (word, mut bits) in (0u32..).zip(bits) {
            while bits != 0 {
                others.insert(VarId(word * 64 + bits.trailing_zeros()));
                bits &= bits - 1;
            }
        }
        others.extend(few);
        others
    }
}

fn set(VarId(var): VarId, bits: &mut Vec<u64>, others: &mut VarSet) {
    if var >= BITS_MAX {
        others.insert(VarId(var));
        return;
    }
    let word = var as usize / 64;
    if bits.len() <= word {
        bits.resize(word + 1, 0);
    }
    bits[word] |= 1 << (var % 64);
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

/// An expression over what items are made of, in the place of their variables.
pub(crate) fn replaced(expr: Expr, items: &[(VarId, Expr)]) -> Expr {
    match expr {
        Expr::Var(var) => match items.iter().find(|(item, _)| *item == var) {
            Some((_, value)) => value.clone(),
            None => Expr::Var(var),
        },
        other => other.map_children(&mut |child| replaced(child, items)),
    }
}

/// Whether an expression calls by itself what gives something else each time that it is called.
pub(crate) fn is_volatile(expr: &Expr) -> bool {
    match expr {
        Expr::Call(name, ..) => is_random(name),
        Expr::UserCall(function, ..) => function.is_volatile(),
        _ => false,
    }
}

/// Whether an expression calls, at any depth, what gives something else each time that it is called.
pub(crate) fn calls_volatile(expr: &Expr) -> bool {
    let mut found = is_volatile(expr);
    expr.for_each_child(&mut |child| found |= calls_volatile(child));
    found
}

/// Whether a function gives something else each time that it is called.
pub(crate) fn is_random(name: &str) -> bool {
    matches!(name, "rand" | "randomuuid" | "sparql.rand" | "sparql.uuid" | "sparql.struuid" | "sparql.bnode")
        || name.ends_with(".realtime")
}

/// Whether an expression is the same for all rows, and known before any is read.
pub(crate) fn is_constant(expr: &Expr) -> bool {
    matches!(expr, Expr::Const(_) | Expr::Param(_))
}

/// The property of a variable that is compared with a constant, or with a list of them.
pub(crate) fn equality(expr: &Expr) -> Option<(VarId, &str)> {
    let compared = match expr {
        Expr::Op(Op::Eq, args, _) => match &args[..] {
            [compared, other] if is_constant(other) => compared,
            [other, compared] if is_constant(other) => compared,
            _ => return None,
        },
        Expr::Op(Op::In, args, _) => match &args[..] {
            [compared, Expr::List(items)] if items.iter().all(is_constant) => compared,
            _ => return None,
        },
        _ => return None,
    };
    match compared {
        Expr::Property(base, key, _) => match **base {
            Expr::Var(var) => Some((var, key)),
            _ => None,
        },
        _ => None,
    }
}

/// What a condition compares, where it is not true if one of these is null.
pub(crate) fn refuses_null(condition: &Expr) -> &[Expr] {
    match condition {
        Expr::Op(Op::In, args, _) => args.get(..1).unwrap_or_default(),
        Expr::Op(
            Op::IsNotNull
            | Op::Eq
            | Op::Ne
            | Op::Lt
            | Op::Le
            | Op::Gt
            | Op::Ge
            | Op::StartsWith
            | Op::EndsWith
            | Op::Contains
            | Op::Regex,
            args,
            _,
        ) => args,
        _ => &[],
    }
}

/// The properties of variables that are not null where a condition is true.
pub(crate) fn asked_properties(condition: &Expr) -> impl Iterator<Item = (VarId, &Arc<str>)> {
    refuses_null(condition).iter().filter_map(|arg| match arg {
        Expr::Property(base, name, _) => match **base {
            Expr::Var(var) => Some((var, name)),
            _ => None,
        },
        _ => None,
    })
}
