//! Conditions that are true, false or null whatever they are asked of.

use trimorph_algebra::{Expr, Op, Vars};
use trimorph_types::LogicalType;

use crate::is_random;
use crate::moments::is_written_moment;

/// Whether a condition is true, false or null for every row there could be, and the same each time.
pub(crate) fn cannot_fail(expr: &Expr, vars: &Vars) -> bool {
    let is_safe = match expr {
        Expr::Const(_) | Expr::Param(_) | Expr::Var(_) => return true,
        Expr::Call(..) | Expr::Op(Op::Add | Op::Sub, ..) if is_written_moment(expr) => return true,
        Expr::Property(base, _, _) | Expr::HasLabel(base, _) => {
            let is_element = |var| matches!(vars.get(var).ty, LogicalType::Node | LogicalType::Relationship);
            return matches!(&**base, Expr::Var(var) if is_element(*var));
        }
        Expr::Op(Op::And | Op::Or | Op::Xor | Op::Not, parts, _) => {
            parts.iter().all(|part| is_boolean(part, vars))
        }
        // Of what is no text the last three are null.
        Expr::Op(op, _, _) => {
            is_comparison(*op) || matches!(op, Op::StartsWith | Op::EndsWith | Op::Contains)
        }
        // SPARQL's errors are null.
        Expr::Call(name, _, _) => name.starts_with("sparql.") && !is_random(name),
        _ => false,
    };
    let mut all = is_safe;
    expr.for_each_child(&mut |child| all &= cannot_fail(child, vars));
    all
}

fn is_comparison(op: Op) -> bool {
    matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::IsNull | Op::IsNotNull)
}

/// Whether an expression is a truth value or null.
pub(crate) fn is_boolean(expr: &Expr, vars: &Vars) -> bool {
    match expr {
        Expr::Op(op, _, _) => {
            let is_of_texts = matches!(op, Op::StartsWith | Op::EndsWith | Op::Contains);
            is_comparison(*op) || is_of_texts || matches!(op, Op::And | Op::Or | Op::Xor | Op::Not)
        }
        Expr::HasLabel(..) => true,
        Expr::Call(name, _, _) => &**name == "sparql.ebv",
        Expr::Var(var) => vars.get(*var).ty == LogicalType::Bool,
        _ => false,
    }
}
