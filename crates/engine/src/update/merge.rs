//! MERGE: looks for the pattern of all rows at once; rows that find nothing make it, once for all that ask
//! the same: the first of these makes it, and the others find what it made, as if rows came one by one.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use trimorph_algebra::{Change, Merge, VarId};
use trimorph_base::{Diagnostic, ErrorKind, Reservation};
use trimorph_types::{Value, hash_equivalent, order};

use super::program::Looked;
use super::rows::Rows;
use super::{Statement, Writing};
use crate::Error;

/// What rows ask for.
struct Asked(Vec<Value>);

impl Hash for Asked {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.iter().for_each(|value| hash_equivalent(value, state));
    }
}

impl PartialEq for Asked {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| order(a, b).is_eq())
    }
}

impl Eq for Asked {}

/// Rows that find nothing, by what they ask for.
struct Groups {
    /// The first row of each group.
    first: Vec<usize>,
    /// Which of the rows come later in theirs.
    later: Vec<usize>,
    /// The group of each.
    group_of: Vec<usize>,
}

impl Groups {
    fn of(rows: &Rows, missing: &[usize], merge: &Merge) -> Self {
        let keys = asked(merge);
        let mut groups: HashMap<Asked, usize> = HashMap::with_capacity(missing.len());
        let (mut first, mut later) = (Vec::new(), Vec::new());
        let mut group_of = Vec::with_capacity(missing.len());
        for (at, row) in missing.iter().enumerate() {
            let mut key: Vec<Value> = keys.iter().map(|var| rows.value(*var, *row).clone()).collect();
            if let Some((a, b)) = merge.either_way {
                let (a, b) = (rows.value(a, *row).clone(), rows.value(b, *row).clone());
                key.retain(|value| !matches!(value, Value::Node(_)));
                let swap = order(&a, &b).is_gt();
                key.extend(if swap { [b, a] } else { [a, b] });
            }
            let next = first.len();
            let group = *groups.entry(Asked(key)).or_insert(next);
            if group == next {
                first.push(*row);
            } else {
                later.push(at);
            }
            group_of.push(group);
        }
        Self { first, later, group_of }
    }
}

impl Statement<'_> {
    pub(super) fn merge(
        &self,
        writing: &mut Writing,
        rows: Rows,
        looked: &Looked<'_>,
        held: &mut Reservation,
    ) -> Result<Rows, Error> {
        if !looked.merge.one_by_one {
            return self.merge_together(writing, rows, looked, held);
        }
        let mut out: Option<Rows> = None;
        for row in 0..rows.len() {
            self.check(0)?;
            let merged = self.merge_together(writing, rows.pick(&[row]), looked, held)?;
            match &mut out {
                None => out = Some(merged),
                Some(out) => out.extend(&merged),
            }
        }
        Ok(out.unwrap_or(rows))
    }

    fn merge_together(
        &self,
        writing: &mut Writing,
        rows: Rows,
        &Looked { look, merge, on_create, on_match }: &Looked<'_>,
        held: &mut Reservation,
    ) -> Result<Rows, Error> {
        self.check_asked(&rows, merge)?;
        let rows = self.read(writing, look, rows, held)?;
        // Whatever the pattern makes is null where it was not found.
        let told_by = merge.create.iter().find_map(Change::made);
        let is_found = |row: &usize| told_by.is_some_and(|var| !matches!(rows.value(var, *row), Value::Null));
        let (found, missing): (Vec<usize>, Vec<usize>) = (0..rows.len()).partition(is_found);
        if missing.is_empty() {
            let mut matched = rows;
            for update in on_match {
                matched = self.update(writing, matched, update, held)?;
            }
            return Ok(matched.restricted(&look.wanted));
        }

        // One row of each group makes what the group asks for.
        let Groups { first, later, group_of } = Groups::of(&rows, &missing, merge);
        let mut made = self.changed(writing, rows.pick(&first), &merge.create)?;
        self.end_clause(writing)?;
        for update in on_create {
            made = self.update(writing, made, update, held)?;
        }
        // Each row has its own values and what its group made.
        let found_rows = rows.pick(&found);
        let mut created = if found.is_empty() { rows } else { rows.pick(&missing) };
        for var in merge.create.iter().filter_map(Change::made) {
            let values = group_of.iter().map(|group| made.value(var, *group).clone()).collect();
            created.set(var, values);
        }
        let all = if found.is_empty() {
            created
        } else {
            let mut all = found_rows;
            all.extend(&created);
            let mut place = vec![0; all.len()];
            found.iter().chain(&missing).enumerate().for_each(|(at, row)| place[*row] = at);
            all.pick(&place)
        };
        if !on_match.is_empty() {
            let mut matching: Vec<usize> = later.iter().map(|at| missing[*at]).chain(found).collect();
            matching.sort_unstable();
            let mut matched = all.pick(&matching);
            for update in on_match {
                matched = self.update(writing, matched, update, held)?;
            }
        }
        Ok(all.restricted(&look.wanted))
    }

    /// A pattern cannot ask for null: nothing is equal to it.
    fn check_asked(&self, rows: &Rows, merge: &Merge) -> Result<(), Error> {
        for change in &merge.create {
            let (Change::CreateNode { properties, .. } | Change::CreateEdge { properties, .. }) = change
            else {
                continue;
            };
            let trimorph_algebra::NewProperties::Named(named) = properties else { continue };
            for (key, var) in named {
                let is_null = |column: &[Value]| column.iter().any(Value::is_null);
                if rows.column(*var).is_some_and(is_null) {
                    let text = format!("MERGE cannot look for property \"{key}\" with value null");
                    let error = Diagnostic::runtime(ErrorKind::SemanticError, "MergeReadOwnWrites", text);
                    return Err(self.wrong(error.hint("leave such rows out with WHERE … IS NOT NULL")));
                }
            }
        }
        Ok(())
    }
}

/// The variables of rows that say what is made.
fn asked(merge: &Merge) -> Vec<VarId> {
    let made: Vec<VarId> = merge.create.iter().filter_map(Change::made).collect();
    let mut asked: Vec<VarId> = merge.create.iter().flat_map(Change::reads).collect();
    asked.retain(|var| !made.contains(var));
    asked.sort_unstable();
    asked.dedup();
    asked
}
