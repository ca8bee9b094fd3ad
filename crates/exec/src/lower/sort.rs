//! Lowering of sorts. In a subplan that several rows go through at once, rows are put in order row by row,
//! and the first rows are those of each.

use std::sync::Arc;

use trimorph_algebra::{Expr, GroupLimit, Plan, SortKey};
use trimorph_types::Value;

use super::lowering::{Lowered, Lowering, Vars, asked_of};
use crate::ExecError;
use crate::ops;
use crate::physical::Spec;

/// First rows of each row up to which it pays to know the worst of them. Chosen, as for subqueries that the
/// optimizer groups.
const FIRST_MAX: i64 = 1_000;

impl Lowering<'_> {
    pub(super) fn lower_sort(
        &mut self,
        input: &Plan,
        keys: &[SortKey],
        (limit, of_group): (Option<&Expr>, Option<&GroupLimit>),
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
        let number = self.carried.map(Expr::Var);
        let by_number = number.iter().map(|number| SortKey { expr: number.clone(), descending: false });
        let keys: Vec<SortKey> = by_number.chain(keys.iter().cloned()).collect();
        let of_group = match number {
            Some(number) => of_each(number, limit, of_group),
            None => of_group.cloned(),
        };
        let limit = limit.filter(|_| self.carried.is_none());

        let of_groups = of_group.iter().flat_map(GroupLimit::exprs);
        let mut below = asked_of(keys.iter().map(|k| &k.expr).chain(of_groups), input);
        below.extend(needed);
        let lowered = self.child(0, input, &below)?;
        let lowered = self.pack(lowered, &below, false)?;
        let (keep, layout) = self.keep(&lowered.layout, needed, &[])?;
        let key = |k: &SortKey| Ok((self.compile(&k.expr, &lowered.layout)?, k.descending));
        let all = |exprs: &[Expr]| {
            let compiled = exprs.iter().map(|e| self.compile(e, &lowered.layout));
            compiled.collect::<Result<Vec<_>, ExecError>>()
        };
        let of_groups = |limit: &GroupLimit| {
            Ok::<_, ExecError>(ops::GroupLimitSpec {
                keys: all(&limit.keys)?,
                first: limit.first as usize,
                last: limit.last as usize,
                present: all(&limit.present)?,
                key: limit.first_key,
                exact: limit.exact,
            })
        };
        let spec = ops::SortSpec {
            slots: lowered.layout.groups[0].slots,
            keep,
            keys: keys.iter().map(key).collect::<Result<_, ExecError>>()?,
            limit: limit.map(|l| self.count(l)).transpose()?,
            leads: match (limit, keys.first()) {
                (Some(_), Some(key)) => self.led_scan(input, &key.expr, &lowered.node),
                _ => None,
            },
            of_group: of_group.as_ref().map(of_groups).transpose()?,
        };
        let spec = Spec::Sort(Arc::new(spec), lowered.node.forkable && self.numbers.is_empty());
        Ok(Lowered { node: self.node(spec, [lowered.node]), layout })
    }
}

/// What is looked at of the rows of each number.
fn of_each(number: Expr, limit: Option<&Expr>, of_group: Option<&GroupLimit>) -> Option<GroupLimit> {
    if let Some(of_group) = of_group {
        let mut of_each = of_group.clone();
        of_each.keys.insert(0, number);
        of_each.first_key += 1;
        return Some(of_each);
    }
    match limit {
        Some(Expr::Const(Value::Int(first @ 1..=FIRST_MAX))) => Some(GroupLimit {
            keys: vec![number],
            first: *first as u32,
            last: 0,
            present: Vec::new(),
            exact: true,
            first_key: 1,
        }),
        _ => None,
    }
}
