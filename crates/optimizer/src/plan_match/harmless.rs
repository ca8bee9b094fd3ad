//! Predicates that may be asked of nodes that no row reaches.

use trimorph_algebra::{Expr, Op};
use trimorph_types::Value;

/// Whether a predicate gives the same whenever it is asked, and never an error: it is asked of nodes that no
/// row may reach.
pub(super) fn is_harmless(predicate: &Expr) -> bool {
    match predicate {
        Expr::Op(Op::And | Op::Or | Op::Not | Op::Xor, parts, _) => parts.iter().all(is_harmless),
        Expr::Op(Op::In, parts, _) => match &parts[..] {
            [item, Expr::List(items)] => is_plain(item) && items.iter().all(is_plain),
            [item, Expr::Const(Value::List(_))] => is_plain(item),
            _ => false,
        },
        Expr::Op(op, parts, _) if is_test(*op) => parts.iter().all(is_plain),
        Expr::HasLabel(base, _) => matches!(&**base, Expr::Var(_)),
        _ => false,
    }
}

/// Whether an operator compares, or tests texts, and gives true, false or null of whatever values.
pub(super) fn is_test(op: Op) -> bool {
    matches!(
        op,
        Op::Eq
            | Op::Ne
            | Op::Lt
            | Op::Le
            | Op::Gt
            | Op::Ge
            | Op::StartsWith
            | Op::EndsWith
            | Op::Contains
            | Op::IsNull
            | Op::IsNotNull
    )
}

/// Whether an expression is a property of a variable, a constant or a moment that is written.
pub(super) fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::Property(base, _, _) => matches!(&**base, Expr::Var(_)),
        other => is_moment(other),
    }
}

/// Whether it is a constant, a point in time that is written as a text, or one so long before or after it.
/// What is no such text fails wherever it stands.
fn is_moment(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::Param(_) => true,
        Expr::Call(name, args, _) => {
            matches!(&**name, "date" | "datetime" | "localdatetime" | "localtime" | "time" | "duration")
                && args.iter().all(|arg| matches!(arg, Expr::Const(_) | Expr::Param(_)))
        }
        Expr::Op(Op::Add | Op::Sub, parts, _) => parts.iter().all(is_moment),
        _ => false,
    }
}
