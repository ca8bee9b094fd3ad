//! Heads: what stands at the top of an expression, by which expressions are told to be the same.

use std::sync::Arc;

use trimorph_algebra::{Expr, Op, VarId};
use trimorph_types::{LogicalType, Value};

use crate::is_random;

/// What stands at the top of an expression.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Head {
    /// As it is written.
    Constant(LogicalType, String),
    Param(Arc<str>),
    Var(VarId),
    Property(Arc<str>),
    Op(Op),
    Chain(Vec<Op>),
    Call(Arc<str>),
}

/// What stands at the top, if expressions of its kind are told apart.
pub(crate) fn head(expr: &Expr) -> Option<Head> {
    Some(match expr {
        Expr::Const(Value::Float(x)) => Head::Constant(LogicalType::Float, x.to_bits().to_string()),
        Expr::Const(
            value @ (Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::String(_)
            | Value::Date(_)
            | Value::LocalTime(_)
            | Value::LocalDateTime(_)
            | Value::DateTime(_)
            | Value::Duration(_)),
        ) => Head::Constant(value.logical_type(), format!("{value:?}")),
        Expr::Param(name) => Head::Param(Arc::clone(name)),
        Expr::Var(var) => Head::Var(*var),
        Expr::Property(_, key, _) => Head::Property(Arc::clone(key)),
        Expr::Op(op, _, _) => Head::Op(*op),
        Expr::Chain(_, rest) => Head::Chain(rest.iter().map(|(op, _, _)| *op).collect()),
        Expr::Call(name, _, _) if !is_random(name) => Head::Call(Arc::clone(name)),
        _ => return None,
    })
}

/// Whether two expressions are the same, wherever they stand in the text; `false`, too, where that is not
/// told.
pub(crate) fn is_same(a: &Expr, b: &Expr) -> bool {
    let (Some(of_a), Some(of_b)) = (head(a), head(b)) else { return false };
    let mut parts: [Vec<&Expr>; 2] = Default::default();
    let [of_first, of_second] = &mut parts;
    a.for_each_child(&mut |child| of_first.push(child));
    b.for_each_child(&mut |child| of_second.push(child));
    of_a == of_b
        && of_first.len() == of_second.len()
        && of_first.iter().zip(of_second).all(|(a, b)| is_same(a, b))
}
