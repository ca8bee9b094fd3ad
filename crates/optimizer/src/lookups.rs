//! How a node can be found without a scan: an equality of its key, an indexed property or its id with what is
//! known, or its key or such a property among a list of what is known; by bounds of such a property. Edges
//! likewise, by an indexed property (`edge_lookups`).

use std::sync::Arc;

use trimorph_algebra::{Expr, LookupBy, Op, ScanPredicate, VarId};
use trimorph_base::TableId;
use trimorph_catalog::CatalogView;
use trimorph_types::Value;

use crate::{VarSet, vars_of};

/// Rows that a scan asks for their key in the time of a look-up of one.
pub(crate) const LOOKUP_ROWS: f64 = 16.0;
/// A range of an index is read where it has less than one of so many rows: a scan compares codes of several
/// rows at once, an index looks at each row's value. Not measured.
pub(crate) const RANGE_ROWS: f64 = 64.0;

/// How a node can be looked up.
#[derive(Debug)]
pub(crate) enum Lookup {
    /// By a property that is its key or indexed, which is the key or, where it is a list, any of its
    /// elements.
    Key { property: Arc<str>, key: Expr, any_of: bool, is_key: bool },
    /// By an indexed property that lies between two bounds, each with whether it may be the bound itself.
    Range { property: Arc<str>, low: Option<(Expr, bool)>, high: Option<(Expr, bool)> },
    /// By an indexed property that is a text which begins with this.
    Prefix { property: Arc<str>, prefix: Expr },
    /// By several properties that are indexed together: the first are equal to something, the next one is
    /// looked up; about so many rows are found.
    Together { properties: Vec<Arc<str>>, equal: Vec<Expr>, then: Box<Lookup>, rows: f64 },
    /// By its id.
    Id { id: Expr },
}

impl Lookup {
    /// Whether it finds one node at most, of each table.
    pub(crate) fn is_of_one(&self) -> bool {
        matches!(self, Self::Id { .. } | Self::Key { any_of: false, is_key: true, .. })
    }
}

impl Lookup {
    /// The property, what it is compared with, and how; none where it is no property.
    pub(crate) fn parts(self) -> Result<(Arc<str>, Expr, LookupBy), Expr> {
        match self {
            Self::Together { then, .. } => then.parts(),
            Self::Key { property, key, any_of, .. } => {
                Ok((property, key, if any_of { LookupBy::AnyOf } else { LookupBy::Equal }))
            }
            Self::Range { property, low, high } => {
                let is_in = |bound: &Option<(Expr, bool)>| bound.as_ref().is_some_and(|(_, is_in)| *is_in);
                let by = LookupBy::Between { low: is_in(&low), high: is_in(&high) };
                let bound =
                    |bound: Option<(Expr, bool)>| bound.map_or(Expr::Const(Value::Null), |(value, _)| value);
                Ok((property, Expr::List(vec![bound(low), bound(high)]), by))
            }
            Self::Prefix { property, prefix } => Ok((property, prefix, LookupBy::Prefix)),
            Self::Id { id } => Err(id),
        }
    }

    /// The same, known to find one node at most.
    pub(crate) fn of_one(self) -> Self {
        match self {
            Self::Key { property, key, any_of, .. } => Self::Key { property, key, any_of, is_key: true },
            other => other,
        }
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
    if tables.is_empty() {
        return None;
    }
    let is_key = |name: &str| tables.iter().all(|table| catalog.is_key(*table, name));
    let is_found = |name: &str| is_key(name) || catalog.is_indexed(tables, name);
    lookup_by(predicate, var, available, &is_key, &is_found)
}

/// How `predicate` lets `var` be looked up by what is `available`, where `is_found` says by which properties
/// that may be, and `is_key` which of them finds one.
pub(crate) fn lookup_by(
    predicate: &Expr,
    var: VarId,
    available: &VarSet,
    is_key: &dyn Fn(&str) -> bool,
    is_found: &dyn Fn(&str) -> bool,
) -> Option<Lookup> {
    let Expr::Op(op @ (Op::Eq | Op::In), args, _) = predicate else { return None };
    let [a, b] = &args[..] else { return None };
    if *op == Op::In {
        return match a {
            Expr::Property(base, name, _)
                if matches!(&**base, Expr::Var(v) if *v == var)
                    && is_found(name)
                    && vars_of([b]).is_subset(available) =>
            {
                let (property, key) = (Arc::clone(name), b.clone());
                Some(Lookup::Key { property, key, any_of: true, is_key: is_key(name) })
            }
            _ => None,
        };
    }
    [(a, b), (b, a)].into_iter().find_map(|(side, other)| {
        if !vars_of([other]).is_subset(available) {
            return None;
        }
        match side {
            Expr::Property(base, name, _)
                if matches!(&**base, Expr::Var(v) if *v == var) && is_found(name) =>
            {
                let (property, key) = (Arc::clone(name), other.clone());
                Some(Lookup::Key { property, key, any_of: false, is_key: is_key(name) })
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

/// A look-up of `var` by bounds that conditions put on an indexed property, all known when the plan starts;
/// and which conditions these are. What a look-up finds is asked the conditions again.
pub(crate) fn range_of<'e>(
    conditions: impl Iterator<Item = &'e Expr>,
    var: VarId,
    is_indexed: &dyn Fn(&str) -> bool,
) -> Option<(Lookup, Vec<&'e Expr>)> {
    let mut found: Option<(Lookup, Vec<&Expr>)> = None;
    for condition in conditions {
        if let Expr::Op(Op::StartsWith, args, _) = condition
            && let [Expr::Property(base, name, _), prefix] = &args[..]
            && matches!(&**base, Expr::Var(v) if *v == var)
            && vars_of([prefix]).is_empty()
            && found.is_none()
            && is_indexed(name)
        {
            let (property, prefix) = (Arc::clone(name), prefix.clone());
            found = Some((Lookup::Prefix { property, prefix }, vec![condition]));
            continue;
        }
        let Some(ScanPredicate { property: name, op, value }) = prune_of(condition, var) else { continue };
        let is_low = match op {
            Op::Gt | Op::Ge => true,
            Op::Lt | Op::Le => false,
            _ => continue,
        };
        if found.is_none() && is_indexed(&name) {
            let property = Arc::clone(&name);
            found = Some((Lookup::Range { property, low: None, high: None }, Vec::new()));
        }
        if let Some((Lookup::Range { property, low, high }, of)) = &mut found
            && *property == name
        {
            let bound = if is_low { low } else { high };
            if bound.is_none() {
                *bound = Some((value, matches!(op, Op::Ge | Op::Le)));
                of.push(condition);
            }
        }
    }
    found
}

/// A look-up of `var` by an index of several properties, and the conditions that it serves: its first
/// properties are equal to something, and the next one is, or lies between bounds.
pub(crate) fn together_of<'e>(
    properties: &[Arc<str>],
    conditions: &[&'e Expr],
    var: VarId,
    available: &VarSet,
) -> Option<(Vec<Expr>, Lookup, Vec<&'e Expr>)> {
    let equality = |name: &Arc<str>| {
        conditions.iter().find_map(|condition| {
            let is_this = |own: &str| *own == **name;
            match lookup_by(condition, var, available, &|_| false, &is_this) {
                Some(Lookup::Key { key, any_of: false, .. }) => Some((key, *condition)),
                _ => None,
            }
        })
    };
    let (mut equal, mut used) = (Vec::new(), Vec::new());
    for name in properties {
        let Some((key, condition)) = equality(name) else { break };
        equal.push(key);
        used.push(condition);
    }
    let next = properties.get(equal.len()).filter(|_| !equal.is_empty());
    let range = next.and_then(|next| {
        let own: Vec<&'e Expr> = conditions.iter().copied().filter(|c| is_about(c, var, next)).collect();
        range_of(own.into_iter(), var, &|own: &str| *own == **next)
    });
    if let Some((then, of)) = range {
        used.extend(of);
        return Some((equal, then, used));
    }
    // The last equality is the one that is looked up.
    let key = equal.pop().filter(|_| !equal.is_empty())?;
    let property = Arc::clone(properties.get(equal.len())?);
    Some((equal, Lookup::Key { property, key, any_of: false, is_key: false }, used))
}

/// Whether a condition compares a property of `var`.
fn is_about(condition: &Expr, var: VarId, name: &str) -> bool {
    let Expr::Op(_, args, _) = condition else { return false };
    args.iter().any(|side| match side {
        Expr::Property(base, own, _) => **own == *name && matches!(&**base, Expr::Var(v) if *v == var),
        _ => false,
    })
}

/// The comparison of a property with a value known when the scan starts, if the predicate is one: what zone
/// maps prune by.
pub(crate) fn prune_of(predicate: &Expr, var: VarId) -> Option<ScanPredicate> {
    let Expr::Op(op @ (Op::Eq | Op::Lt | Op::Le | Op::Gt | Op::Ge), args, _) = predicate else { return None };
    let [a, b] = &args[..] else { return None };
    [(a, b, *op), (b, a, op.swapped())].into_iter().find_map(|(side, value, op)| match side {
        Expr::Property(base, name, _)
            if matches!(&**base, Expr::Var(v) if *v == var) && vars_of([value]).is_empty() =>
        {
            Some(ScanPredicate { property: Arc::clone(name), op, value: value.clone() })
        }
        _ => None,
    })
}
