//! What several places of a plan compute in the same way is computed once: its rows are kept by a spool, and
//! each place reads them. SPARQL has no `WITH`: who needs a sub-query twice writes it twice.
//!
//! 1. Candidates are subplans that depend on nothing outside, and make all their rows before they give the
//!    first: groups or sorted rows, and what is computed of them row by row. DISTINCT gives rows as they
//!    come, and is one only where all of them are read in any case.
//! 2. Two are the same if they have the same *form*: all that they are made of, variables by the order in
//!    which they come and without their places in the text. So they give the same rows in variables that
//!    correspond.
//! 3. The largest that stands in several places goes into a spool, then the next largest, and so on: the rows
//!    of one spool may be made of those of another. What becomes a candidate only because all rows of a spool
//!    are read may be larger than one that was taken before.
//!
//! Nothing is shared in a query that writes, since it may see in one place what it wrote in another; nor what
//! draws lots or calls procedures.
//!
//! Source: spools of common subexpressions, Zhou, Larson et al. 2007; `WITH … AS MATERIALIZED` of SQL.

use std::collections::HashMap;
use std::fmt::{self, Write as _};

use trimorph_algebra::{ApplyKind, Plan, VarId, Vars};

use crate::needed::below;
use crate::planning::Planning;
use crate::{Halt, VarSet, calls_volatile};

/// Larger subplans are not compared: a form is written out, and takes as many calls within calls as the
/// subplan is deep.
const DEPTH_MAX: usize = 64;
const FORM_BYTES_MAX: usize = 64 << 10;
/// Of more candidates, none is compared.
const CANDIDATES_MAX: usize = 256;

/// The pass.
pub(crate) fn share_subplans(mut plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    if count_breakers(&plan) < 2 || plan.updates() {
        return Ok(plan);
    }
    // What stands in the query, and what makes the rows of spools.
    let mut spools: Vec<(Plan, Vec<VarId>)> = Vec::new();
    let needed = planning.needed.clone();
    loop {
        planning.poll()?;
        let Some(repeated) = repeated(&plan, &spools, &needed, planning.vars) else { break };
        let number = u32::try_from(spools.len()).unwrap_or(u32::MAX);
        let mut vars: Vec<VarId> =
            repeated.iter().flat_map(|place| &place.columns).map(|(_, v)| *v).collect();
        vars.sort_unstable();
        vars.dedup();
        let mut rows = None;
        for Place { root, path, columns } in repeated {
            let root = match root {
                None => &mut plan,
                Some(spool) => &mut spools[spool].0,
            };
            let taken = at(root, &path).map(|subplan| {
                let rows_max = subplan.rows_max();
                std::mem::replace(subplan, Plan::SpoolRead { columns, number, rows_max })
            });
            rows = rows.or(taken);
        }
        match rows {
            Some(rows) => spools.push((rows, vars)),
            None => break,
        }
    }
    Ok(within(spools, plan))
}

/// A plan within the spools that it reads, those that are read by the rows of others outside of these.
fn within(spools: Vec<(Plan, Vec<VarId>)>, plan: Plan) -> Plan {
    let mut left: Vec<_> = (0..).zip(spools).map(|(number, (rows, vars))| (number, rows, vars)).collect();
    let mut input = plan;
    while !left.is_empty() {
        let read: Vec<u32> = left.iter().flat_map(|(_, rows, _)| spools_read(rows)).collect();
        // There is always one: rows are not made of themselves.
        let next = left.iter().position(|(number, ..)| !read.contains(number)).unwrap_or(0);
        let (number, rows, vars) = left.remove(next);
        input = Plan::Spool { input: Box::new(input), rows: Box::new(rows), vars, number };
    }
    input
}

/// The numbers of the spools that a plan reads. Without recursion.
fn spools_read(plan: &Plan) -> Vec<u32> {
    let (mut left, mut read) = (vec![plan], Vec::new());
    while let Some(plan) = left.pop() {
        if let Plan::SpoolRead { number, .. } = plan {
            read.push(*number);
        }
        left.extend(plan.children());
    }
    read
}

/// The operator at a place.
fn at<'p>(plan: &'p mut Plan, path: &[usize]) -> Option<&'p mut Plan> {
    let mut plan = plan;
    for child in path {
        plan = plan.children_mut().into_iter().nth(*child)?;
    }
    Some(plan)
}

/// Operators that take all their input before they give rows, and DISTINCT. Without recursion.
fn count_breakers(plan: &Plan) -> usize {
    let (mut left, mut count) = (vec![plan], 0);
    while let Some(plan) = left.pop() {
        count +=
            usize::from(matches!(plan, Plan::Aggregate { .. } | Plan::Sort { .. } | Plan::Distinct { .. }));
        left.extend(plan.children());
    }
    count
}

/// Where a subplan stands: in the query or in that spool, child indices from there, and which variables are
/// looked at above it, with the first place's that correspond to them.
struct Place {
    root: Option<usize>,
    path: Vec<usize>,
    columns: Vec<(VarId, VarId)>,
}

/// A subplan that may be shared.
struct Candidate<'p> {
    plan: &'p Plan,
    root: Option<usize>,
    path: Vec<usize>,
    needed: VarSet,
    operators: usize,
}

/// The places of the largest subplan that stands in several.
fn repeated(plan: &Plan, spools: &[(Plan, Vec<VarId>)], needed: &VarSet, vars: &Vars) -> Option<Vec<Place>> {
    let mut all = Candidates::default();
    all.add(plan, needed, false);
    for (place, (rows, vars)) in spools.iter().enumerate() {
        all.root = Some(place);
        all.add(rows, &vars.iter().copied().collect(), true);
    }
    let mut candidates = all.found;
    if candidates.len() > CANDIDATES_MAX {
        return None;
    }
    // The largest first; the first place of each before the others.
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.operators));
    let mut by_size: HashMap<usize, usize> = HashMap::new();
    candidates.iter().for_each(|candidate| *by_size.entry(candidate.operators).or_default() += 1);
    candidates.retain(|candidate| by_size[&candidate.operators] > 1);
    let mut known: HashMap<Form, Vec<(Candidate<'_>, Vec<VarId>)>> = HashMap::new();
    let mut sizes = candidates.into_iter().peekable();
    while let Some(candidate) = sizes.next() {
        let size = candidate.operators;
        if let Some((form, order)) = Form::of(candidate.plan, vars) {
            known.entry(form).or_default().push((candidate, order));
        }
        if sizes.peek().is_some_and(|next| next.operators == size) {
            continue;
        }
        let several = known.drain().map(|(_, same)| same).filter(|same| same.len() > 1);
        // Which of several of one size is taken first is of no matter, but is to be the same each time.
        if let Some(first) = several.min_by_key(|same| (same[0].0.root, same[0].0.path.clone())) {
            return places(first);
        }
    }
    None
}

/// The places of subplans of one form.
fn places(same: Vec<(Candidate<'_>, Vec<VarId>)>) -> Option<Vec<Place>> {
    let first = same.first()?.1.clone();
    let place = |(candidate, order): (Candidate<'_>, Vec<VarId>)| {
        let own = candidate.plan.vars();
        let wanted = candidate.needed.iter().filter(|v| own.contains(v));
        let column = |var: &VarId| {
            let at = order.iter().position(|v| v == var)?;
            Some((*var, *first.get(at)?))
        };
        let columns = wanted.map(column).collect::<Option<Vec<_>>>()?;
        Some(Place { root: candidate.root, path: candidate.path, columns })
    };
    same.into_iter().map(place).collect()
}

/// Looks for candidates from the top down.
#[derive(Default)]
struct Candidates<'p> {
    found: Vec<Candidate<'p>>,
    root: Option<usize>,
    path: Vec<usize>,
}

impl<'p> Candidates<'p> {
    /// Adds those of a plan; `whole` says whether all its rows are read in any case.
    fn add(&mut self, plan: &'p Plan, needed: &VarSet, whole: bool) {
        if is_made_first(plan, whole) && self.found.len() <= CANDIDATES_MAX {
            let operators = count_operators(plan);
            if plan.depth() + plan.expression_depth() <= DEPTH_MAX && stands_alone(plan) {
                let (root, path, needed) = (self.root, self.path.clone(), needed.clone());
                self.found.push(Candidate { plan, root, path, needed, operators });
            }
        }
        let below = below(plan, needed);
        for (place, (child, needed)) in plan.children().into_iter().zip(&below).enumerate() {
            self.path.push(place);
            self.add(child, needed, is_read_whole(plan, place, whole));
            self.path.pop();
        }
    }
}

fn count_operators(plan: &Plan) -> usize {
    let (mut left, mut count) = (vec![plan], 0);
    while let Some(plan) = left.pop() {
        count += 1;
        left.extend(plan.children());
    }
    count
}

/// Whether an operator reads all rows of its input at that place.
fn is_read_whole(plan: &Plan, place: usize, whole: bool) -> bool {
    match plan {
        Plan::Aggregate { .. } | Plan::Sort { .. } => true,
        Plan::Limit { .. } | Plan::Shortest { .. } => false,
        Plan::HashJoin { .. } | Plan::RangeJoin { .. } | Plan::SemiJoin { .. } => place == 1 || whole,
        Plan::Apply { kind, .. } => match (place, kind.answer()) {
            (1, ApplyKind::Semi | ApplyKind::Anti | ApplyKind::Mark(_)) => false,
            _ => whole,
        },
        _ => whole,
    }
}

/// Whether a plan takes all its input before it gives rows, which are then only computed with row by row.
fn is_made_first(plan: &Plan, whole: bool) -> bool {
    let (mut plan, mut is_distinct) = (plan, false);
    loop {
        plan = match plan {
            Plan::Aggregate { .. } | Plan::Sort { .. } => return true,
            Plan::Project { input, .. }
            | Plan::Extra { input, .. }
            | Plan::Filter { input, .. }
            | Plan::Skip { input, .. }
            | Plan::Limit { input, .. } => input,
            Plan::Distinct { input, .. } => {
                is_distinct = true;
                input
            }
            _ => return is_distinct && whole,
        };
    }
}

/// Whether a plan depends on no row outside, and gives the same each time.
fn stands_alone(plan: &Plan) -> bool {
    let mut left = vec![(plan, false)];
    while let Some((plan, within)) = left.pop() {
        let mut is_certain = match plan {
            // The rows of an apply that is part of the plan itself.
            Plan::Argument(_) => within,
            Plan::ProcedureCall { .. } | Plan::Update { .. } | Plan::Merge { .. } => false,
            _ => true,
        };
        plan.for_each_expr(&mut |expr| is_certain &= !calls_volatile(expr));
        if !is_certain {
            return false;
        }
        let is_apply = matches!(plan, Plan::Apply { .. });
        let children = plan.children().into_iter().enumerate();
        left.extend(children.map(|(place, child)| (child, within || is_apply && place == 1)));
    }
    true
}

/// What a subplan is made of, without the names of its variables and the places in the text.
#[derive(PartialEq, Eq, Hash)]
struct Form(String);

impl Form {
    /// The form of a plan and its variables in the order in which they come; `None` where it is too large.
    ///
    /// It is the debug form, which has all fields of all operators, those that are added later too, with two
    /// kinds of tokens replaced outside of quotes.
    fn of(plan: &Plan, vars: &Vars) -> Option<(Self, Vec<VarId>)> {
        let mut text = Limited(String::new());
        write!(text, "{plan:?}").ok()?;
        let (mut form, mut order) = (String::with_capacity(text.0.len()), Vec::new());
        let mut rest = text.0.as_str();
        while let Some(next) = rest.chars().next() {
            if next == '"' || next == '\'' {
                let len = quoted(rest)?;
                form.push_str(&rest[..len]);
                rest = &rest[len..];
            } else if let Some((inside, after)) = token(rest, "VarId(", ")") {
                let var = VarId(inside.parse().ok()?);
                let place = order.iter().position(|known| *known == var).unwrap_or_else(|| {
                    order.push(var);
                    order.len() - 1
                });
                write!(form, "{place}:{:?}", vars.get(var).ty).ok()?;
                rest = after;
            } else if let Some((_, after)) = token(rest, "Span {", "}") {
                rest = after;
            } else {
                form.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
        Some((Self(form), order))
    }
}

/// What stands between `begin` and `end` at the beginning of a text, and what comes after.
fn token<'t>(text: &'t str, begin: &str, end: &str) -> Option<(&'t str, &'t str)> {
    text.strip_prefix(begin)?.split_once(end)
}

/// Bytes of the quotation that a text begins with.
fn quoted(text: &str) -> Option<usize> {
    let mut chars = text.char_indices();
    let (_, quote) = chars.next()?;
    while let Some((at, char)) = chars.next() {
        if char == '\\' {
            chars.next();
        } else if char == quote {
            return Some(at + char.len_utf8());
        }
    }
    None
}

/// A text that ends where it becomes too long.
struct Limited(String);

impl fmt::Write for Limited {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.0.len() + more.len() > FORM_BYTES_MAX {
            return Err(fmt::Error);
        }
        self.0.push_str(more);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether each spool that a plan reads is one that it stands within.
    fn all_are_there(plan: &Plan, mut known: Vec<u32>) -> bool {
        match plan {
            Plan::SpoolRead { number, .. } => known.contains(number),
            Plan::Spool { input, rows, number, .. } => {
                all_are_there(rows, known.clone()) && {
                    known.push(*number);
                    all_are_there(input, known)
                }
            }
            other => other.children().into_iter().all(|child| all_are_there(child, known.clone())),
        }
    }

    #[test]
    fn spools_that_others_read_stand_outside_of_them() {
        let read = |number: u32| Plan::SpoolRead { columns: Vec::new(), number, rows_max: None };
        let both = |left: Plan, right: Plan| Plan::HashJoin {
            left: Box::new(left),
            right: Box::new(right),
            on: Vec::new(),
        };
        let all = |rows: Vec<Plan>| rows.into_iter().map(|rows| (rows, Vec::new())).collect::<Vec<_>>();
        for spools in [
            all(vec![Plan::Unit, read(0)]),
            all(vec![read(1), Plan::Unit]),
            all(vec![both(read(2), read(2)), both(read(0), read(2)), Plan::Unit, read(1)]),
            all(vec![Plan::Unit, both(Plan::Unit, read(0)), both(read(1), read(0))]),
        ] {
            let count = spools.len() as u32;
            let plan = (0..count).map(read).reduce(both).unwrap_or(Plan::Unit);
            let plan = within(spools, plan);
            assert!(all_are_there(&plan, Vec::new()), "{plan:?}");
        }
    }
}
