//! Parts of a text that was split before, as `WITH split(m.ip, '.') AS parts WHERE parts[0] = '10' RETURN
//! parts[0], parts[1]`, are taken of the text: the other parts, and lists of them, are not made.
//!
//! Where a list is looked at for parts of it alone; for more than one of them, only if the text is at hand:
//! it is asked for each.

use trimorph_algebra::{Expr, Op, Plan, VarId};
use trimorph_types::Value;

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, VarSet, vars_of};

/// Parts that are looked for one by one: of more, all are found as soon.
const PARTS_MAX: usize = 4;

/// The pass.
pub(crate) fn parts_of_texts(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        // Both give nothing else of what is below.
        match &mut plan {
            Plan::Project { input, items } => {
                below(input, items.iter_mut().map(|(_, expr)| expr).collect());
            }
            Plan::Aggregate { input, keys, aggregates } => {
                let args = aggregates.iter_mut().flat_map(|(_, a)| a.arg.iter_mut().chain(&mut a.parameter));
                below(input, keys.iter_mut().map(|(_, key)| key).chain(args).collect());
            }
            _ => {}
        }
        Ok(plan)
    })
}

/// Looks for texts that are split below, through filters, which look at the parts as `exprs` do.
fn below<'p>(input: &'p mut Plan, mut exprs: Vec<&'p mut Expr>) {
    match input {
        Plan::Filter { input, predicate } => {
            exprs.push(predicate);
            below(input, exprs);
        }
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
}

/// Puts a list in the place of its variable, where that is looked at for elements; `false`, and nothing done,
/// elsewhere.
fn take(var: VarId, list: &Expr, exprs: &mut [&mut Expr]) -> bool {
    let Expr::Call(name, args, _) = list else { return false };
    if !name.eq_ignore_ascii_case("split") {
        return false;
    }
    let mut looks = 0;
    exprs.iter().for_each(|expr| expr.for_each_free_var(&mut |free| looks += usize::from(free == var)));
    let is_at_hand = match args.first() {
        Some(Expr::Property(base, _, _)) => matches!(**base, Expr::Var(_)),
        Some(Expr::Var(_)) => true,
        _ => false,
    };
    let most = if is_at_hand { PARTS_MAX } else { 1 };
    if looks == 0 || looks > most || exprs.iter().map(|expr| parts(expr, var)).sum::<usize>() != looks {
        return false;
    }
    exprs.iter_mut().for_each(|expr| replace(expr, var, list));
    true
}

/// Whether an expression is an element of the variable.
fn is_part(expr: &Expr, var: VarId) -> bool {
    match expr {
        Expr::Op(Op::Index, args, _) => {
            matches!(&args[..], [Expr::Var(found), Expr::Const(Value::Int(_))] if *found == var)
        }
        _ => false,
    }
}

/// How often an expression looks at elements of the variable, where it can be replaced.
fn parts(expr: &Expr, var: VarId) -> usize {
    if is_part(expr, var) {
        return 1;
    }
    match expr {
        Expr::Op(_, args, _) | Expr::Call(_, args, _) => args.iter().map(|arg| parts(arg, var)).sum(),
        Expr::Chain(first, rest) => {
            parts(first, var) + rest.iter().map(|(_, arg, _)| parts(arg, var)).sum::<usize>()
        }
        Expr::Property(base, ..) => parts(base, var),
        _ => 0,
    }
}

/// Replaces the variable in these.
fn replace(expr: &mut Expr, var: VarId, list: &Expr) {
    let is_part = is_part(expr, var);
    match expr {
        Expr::Op(_, args, _) if is_part => {
            if let Some(of) = args.first_mut() {
                *of = list.clone();
            }
        }
        Expr::Op(_, args, _) | Expr::Call(_, args, _) => {
            args.iter_mut().for_each(|arg| replace(arg, var, list));
        }
        Expr::Chain(first, rest) => {
            replace(first, var, list);
            rest.iter_mut().for_each(|(_, arg, _)| replace(arg, var, list));
        }
        Expr::Property(base, ..) => replace(base, var, list),
        _ => {}
    }
}
