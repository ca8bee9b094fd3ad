//! Keys of a grouping that are maps or lists, as `WITH {year: y, month: m} AS key, count(*) AS n`, become
//! their parts: what is compared and kept then are values of a type. The maps are made of the groups.
//!
//! Maps and lists are one group where their parts are, so there are as many groups, of the same rows.

use trimorph_algebra::{Expr, Plan, VarId, Vars};
use trimorph_types::LogicalType;

use crate::Halt;
use crate::needed::bottom_up;
use crate::planning::Planning;

/// Keys that a grouping is made of at most: each costs something for each row.
const KEYS_MAX: usize = 16;

/// The pass.
pub(crate) fn compound_keys(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        let Plan::Aggregate { input, keys, aggregates } = plan else { return Ok(plan) };
        let parts: usize = keys.iter().map(|(_, key)| parts_of(key)).sum();
        if parts > KEYS_MAX || !keys.iter().any(|(_, key)| is_compound(key)) {
            return Ok(Plan::Aggregate { input, keys, aggregates });
        }
        let (mut simple, mut items) = (Vec::new(), Vec::new());
        for (var, key) in keys {
            if is_compound(&key) {
                items.push((var, taken_apart(key, &mut simple, vars)));
            } else {
                simple.push((var, key));
            }
        }
        let grouped = Plan::Aggregate { input, keys: simple, aggregates };
        Ok(Plan::Extra { input: Box::new(grouped), items })
    })
}

/// Whether a key is a map or list of its own parts. Without any there would be no key.
fn is_compound(key: &Expr) -> bool {
    matches!(key, Expr::Map(_) | Expr::List(_)) && parts_of(key) > 0
}

/// How many keys an expression becomes.
fn parts_of(key: &Expr) -> usize {
    match key {
        Expr::Map(entries) => entries.iter().map(|(_, part)| parts_of(part)).sum(),
        Expr::List(items) => items.iter().map(parts_of).sum(),
        _ => 1,
    }
}

/// The expression over the variables of its parts, which become keys.
fn taken_apart(key: Expr, keys: &mut Vec<(VarId, Expr)>, vars: &mut Vars) -> Expr {
    match key {
        Expr::Map(entries) => {
            let entries = entries.into_iter().map(|(name, part)| (name, taken_apart(part, keys, vars)));
            Expr::Map(entries.collect())
        }
        Expr::List(items) => {
            Expr::List(items.into_iter().map(|part| taken_apart(part, keys, vars)).collect())
        }
        part => {
            let var = vars.anonymous(LogicalType::Any);
            keys.push((var, part));
            Expr::Var(var)
        }
    }
}
