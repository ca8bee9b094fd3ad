//! An expression in, whether it may give something else each time that it is evaluated out.

use trimorph_algebra::Expr;

/// Whether an expression draws lots, or calls a function of the program that may give something else each
/// time: it is evaluated for each row of its own, and rows are not taken together for it.
pub(crate) fn is_volatile(expr: &Expr) -> bool {
    let mut found = match expr {
        Expr::Call(name, ..) => trimorph_functions::lookup(name).is_none_or(|f| !f.deterministic),
        Expr::UserCall(function, ..) => function.is_volatile(),
        _ => false,
    };
    expr.for_each_child(&mut |child| found |= is_volatile(child));
    found
}
