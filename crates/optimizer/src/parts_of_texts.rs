//! One part of a text that was split before, as `WITH split(m.ip, '.') AS parts RETURN parts[0]`, is taken of
//! the text: the other parts, and lists of them, are not made.
//!
//! Where the list is looked at once, and for this alone.

use trimorph_algebra::{Expr, Op, Plan, VarId};
use trimorph_types::Value;

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, VarSet, vars_of};

/// The pass.
pub(crate) fn parts_of_texts(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        let (input, mut exprs): (_, Vec<&mut Expr>) = match &mut plan {
            Plan::Project { input, items } => (input, items.iter_mut().map(|(_, expr)| expr).collect()),
            Plan::Aggregate { input, keys, aggregates } => {
                let args = aggregates.iter_mut().flat_map(|(_, a)| a.arg.iter_mut().chain(&mut a.parameter));
                (input, keys.iter_mut().map(|(_, key)| key).chain(args).collect())
            }
            _ => return Ok(plan),
        };
        // Both give nothing else of what is below.
        match &mut **input {
            Plan::Extra { items, .. } => items.retain(|(var, list)| !take(*var, list, &mut exprs)),
            Plan::Project { items, .. } => {
                let mut looked_at = VarSet::new();
                items.retain(|(var, list)| {
                    let is_taken = take(*var, list, &mut exprs);
                    if is_taken {
                        looked_at.extend(vars_of([list]));
                    }
                    !is_taken
                });
                // What the text is made of is handed on in its place.
                looked_at.retain(|var| items.iter().all(|(item, _)| item != var));
                items.extend(looked_at.into_iter().map(|var| (var, Expr::Var(var))));
            }
            _ => {}
        }
        Ok(plan)
    })
}

/// Puts a list in the place of its variable, where that is looked at once and for an element; `false`, and
/// nothing done, elsewhere.
fn take(var: VarId, list: &Expr, exprs: &mut [&mut Expr]) -> bool {
    if !matches!(list, Expr::Call(name, ..) if name.eq_ignore_ascii_case("split")) {
        return false;
    }
    let mut looks = 0;
    exprs.iter().for_each(|expr| expr.for_each_free_var(&mut |free| looks += usize::from(free == var)));
    if looks != 1 {
        return false;
    }
    exprs.iter_mut().any(|expr| replace(expr, var, list))
}

/// Replaces the variable in an element of it.
fn replace(expr: &mut Expr, var: VarId, list: &Expr) -> bool {
    if let Expr::Op(Op::Index, args, _) = expr
        && let [of, Expr::Const(Value::Int(_))] = &mut args[..]
        && matches!(of, Expr::Var(found) if *found == var)
    {
        *of = list.clone();
        return true;
    }
    match expr {
        Expr::Op(_, args, _) | Expr::Call(_, args, _) => args.iter_mut().any(|arg| replace(arg, var, list)),
        Expr::Property(base, ..) => replace(base, var, list),
        _ => false,
    }
}
