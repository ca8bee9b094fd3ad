//! How a node can be found without a scan: an equality of its key property or its id with what is known, or
//! its key among a list of what is known.

use std::sync::Arc;

use trimorph_algebra::{Expr, Op, ScanPredicate, VarId};
use trimorph_base::TableId;
use trimorph_catalog::CatalogView;

use crate::{VarSet, vars_of};

/// How a node can be looked up.
#[derive(Debug)]
pub(crate) enum Lookup {
    /// By its key property, which is the key or, where it is a list, any of its elements.
    Key { property: Arc<str>, key: Expr, any_of: bool },
    /// By its id.
    Id { id: Expr },
}

impl Lookup {
    /// Whether it finds one node at most, of each table.
    pub(crate) fn is_of_one(&self) -> bool {
        !matches!(self, Self::Key { any_of: true, .. })
    }
}

/// Whether a predicate has the form of a look-up of `var`: an equality with one of its properties or its id
/// on a side, or one of its properties among a list.
pub(crate) fn is_lookup_form(predicate: &Expr, var: VarId) -> bool {
    let is_var = |e: &Expr| matches!(e, Expr::Var(v) if *v == var);
    if let Expr::Op(Op::In, args, _) = predicate {
        return matches!(&args[..], [Expr::Property(base, ..), _] if is_var(base));
    }
    let Expr::Op(Op::Eq, args, _) = predicate else { return false };
    args.iter().any(|side| match side {
        Expr::Property(base, ..) => is_var(base),
        Expr::Call(name, args, _) => &**name == "id" && matches!(&args[..], [only] if is_var(only)),
        _ => false,
    })
}

/// How `predicate` lets `var`, a node of these tables, be looked up by what is `available`.
pub(crate) fn lookup_of(
    catalog: &CatalogView<'_>,
    predicate: &Expr,
    var: VarId,
    tables: &[TableId],
    available: &VarSet,
) -> Option<Lookup> {
    let is_key = |name: &str| !tables.is_empty() && tables.iter().all(|table| catalog.is_key(*table, name));
    let Expr::Op(op @ (Op::Eq | Op::In), args, _) = predicate else { return None };
    let [a, b] = &args[..] else { return None };
    if *op == Op::In {
        return match a {
            Expr::Property(base, name, _)
                if matches!(&**base, Expr::Var(v) if *v == var)
                    && is_key(name)
                    && vars_of([b]).is_subset(available) =>
            {
                Some(Lookup::Key { property: Arc::clone(name), key: b.clone(), any_of: true })
            }
            _ => None,
        };
    }
    [(a, b), (b, a)].into_iter().find_map(|(side, other)| {
        if !vars_of([other]).is_subset(available) {
            return None;
        }
        match side {
            Expr::Property(base, name, _) if matches!(&**base, Expr::Var(v) if *v == var) && is_key(name) => {
                Some(Lookup::Key { property: Arc::clone(name), key: other.clone(), any_of: false })
            }
            Expr::Call(name, args, _)
                if &**name == "id" && matches!(&args[..], [Expr::Var(v)] if *v == var) =>
            {
                Some(Lookup::Id { id: other.clone() })
            }
            _ => None,
        }
    })
}

/// The comparison of a property with a value known when the scan starts, if the predicate is one: what zone
/// maps prune by.
pub(crate) fn prune_of(predicate: &Expr, var: VarId) -> Option<ScanPredicate> {
    let Expr::Op(op @ (Op::Eq | Op::Lt | Op::Le | Op::Gt | Op::Ge), args, _) = predicate else { return None };
    let [a, b] = &args[..] else { return None };
    let flipped = match op {
        Op::Lt => Op::Gt,
        Op::Le => Op::Ge,
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        other => *other,
    };
    [(a, b, *op), (b, a, flipped)].into_iter().find_map(|(side, value, op)| match side {
        Expr::Property(base, name, _)
            if matches!(&**base, Expr::Var(v) if *v == var) && vars_of([value]).is_empty() =>
        {
            Some(ScanPredicate { property: Arc::clone(name), op, value: value.clone() })
        }
        _ => None,
    })
}
