//! Which scan a top-k leads: that of the node whose property is its first key, if each of the scan's rows
//! gives rows of this key only, and nothing in between looks at rows together.

use std::sync::Arc;

use trimorph_algebra::{Expr, Plan, VarId};

use super::lowering::Lowering;
use crate::physical::{Node, Spec};

impl Lowering<'_> {
    /// The number of the scan below `node`, which was made of `plan`, and the property; `None` where `key` is
    /// no property of the scan's nodes.
    pub(super) fn led_scan(&self, plan: &Plan, key: &Expr, node: &Node) -> Option<(usize, Arc<str>)> {
        let (scanned, property) = scanned(plan, key)?;
        let mut node = node;
        while !matches!(node.spec, Spec::NodeScan(_)) {
            node = node.inputs.first()?;
        }
        let Spec::NodeScan(scan) = &node.spec else { return None };
        // The same scan: others scan other tables or nodes.
        (scan.tables == scanned.tables).then_some((node.number, property))
    }
}

/// The scan that the rows of `plan` come from, and the property of its nodes that `key` is.
fn scanned<'p>(mut plan: &'p Plan, key: &Expr) -> Option<(&'p trimorph_algebra::NodeScan, Arc<str>)> {
    let mut key = key.clone();
    loop {
        plan = match plan {
            Plan::Project { input, items } | Plan::Extra { input, items } => {
                let of = if let Expr::Var(var) = &key { Some(*var) } else { subject(&key) }?;
                match items.iter().find(|(var, _)| *var == of).map(|(_, expr)| expr) {
                    Some(expr) => key = instead(&key, expr)?,
                    // A projection gives nothing else.
                    None if matches!(plan, Plan::Project { .. }) => return None,
                    None => {}
                }
                input
            }
            Plan::Filter { input, .. }
            | Plan::Extend { input, .. }
            | Plan::ExtendInto { input, .. }
            | Plan::ExtendCount { input, .. }
            | Plan::SemiJoin { input, .. } => input,
            Plan::NodeScan(scan) => {
                let Expr::Property(_, property, _) = &key else { return None };
                return (subject(&key)? == scan.var).then(|| (scan, Arc::clone(property)));
            }
            _ => return None,
        };
    }
}

/// The variable that a property is of.
fn subject(key: &Expr) -> Option<VarId> {
    match key {
        Expr::Property(base, _, _) => match **base {
            Expr::Var(var) => Some(var),
            _ => None,
        },
        _ => None,
    }
}

/// `key` with `expr` in place of its variable.
fn instead(key: &Expr, expr: &Expr) -> Option<Expr> {
    match (key, expr) {
        (Expr::Var(_), expr @ (Expr::Var(_) | Expr::Property(..))) => Some(expr.clone()),
        (Expr::Property(_, property, span), Expr::Var(_)) => {
            Some(Expr::Property(Box::new(expr.clone()), Arc::clone(property), *span))
        }
        _ => None,
    }
}
