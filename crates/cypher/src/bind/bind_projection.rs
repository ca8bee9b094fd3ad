//! `WITH` and `RETURN`: columns, grouping, `DISTINCT`.
//!
//! 1. The columns are listed: `*` by name, then the items.
//! 2. Their values are bound over rows or, if one of them aggregates, those that do not as grouping keys and
//!    the others over groups.
//! 3. `bind_sort` puts `ORDER BY`, `SKIP`, `LIMIT` and `WHERE` on top.

use std::collections::HashSet;
use std::sync::Arc;

use trimorph_algebra::{ApplyKind, Expr, Plan, VarId};
use trimorph_base::Span;

use super::bind_sort::Tail;
use super::context::{Context, Grouping, Key, Mode};
use super::part::{Columns, Part};
use super::projected::{Output, Projected};
use super::report::{Bound, semantic, with_hint};
use super::scope::Scope;
use super::trim_argument::trim;
use super::walk_expression::{aggregates, is_aggregate};
use super::{Binder, Outside};
use crate::ast::{self, ExprKind, Projection};

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The words of a text, texts of its own and comments included, and where they stand in it.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let words = text.split(|c| !is_of_word(c)).filter(|word| !word.is_empty());
    words.map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// Whether a name is written as it is: others stand in backticks.
fn is_word(name: &str) -> bool {
    name.chars().all(is_of_word)
}

/// A column as written.
struct Column<'q> {
    name: Arc<str>,
    value: ColumnValue<'q>,
}

enum ColumnValue<'q> {
    /// Of `*`.
    Variable(VarId),
    Item(&'q ast::Expr),
}

impl<'q> Column<'q> {
    fn expr(&self) -> Option<&'q ast::Expr> {
        match self.value {
            ColumnValue::Variable(_) => None,
            ColumnValue::Item(expr) => Some(expr),
        }
    }

    fn aggregates(&self) -> bool {
        self.expr().is_some_and(aggregates)
    }
}

impl<'q> Binder<'q> {
    /// `WITH` with its `WHERE`, or `RETURN`.
    pub(super) fn projection(
        &mut self,
        part: Part,
        projection: &'q Projection,
        predicate: Option<&'q ast::Expr>,
        returns: bool,
    ) -> Bound<(Part, Columns)> {
        let mut columns = self.columns(projection, &part.scope, returns)?;
        let is_grouped = columns.iter().any(Column::aggregates);
        let kept = if returns { Vec::new() } else { self.kept(projection, &columns, &part.scope) };
        if !is_grouped {
            let kept = kept.iter().cloned();
            columns.splice(0..0, kept.map(|(name, var)| Column { name, value: ColumnValue::Variable(var) }));
        }
        let projected = match is_grouped {
            true => self.grouped_columns(part, columns)?,
            false => self.plain_columns(part, columns)?,
        };
        let mut scope = Scope::default();
        let mut result = Vec::with_capacity(projected.outputs.len());
        for output in &projected.outputs {
            scope.insert(&output.name, output.var);
            result.push((output.name.to_string(), output.var));
        }
        let is_regrouped = is_grouped && !kept.is_empty();
        // What asks for names from outside is asked where they are again.
        let later = predicate.filter(|one| {
            let text = self.slice(one.span);
            let is_kept = |word: &str| kept.iter().any(|(name, _)| **name == *word || !is_word(name));
            is_regrouped && words(text).map(|(_, word)| word).collect::<HashSet<_>>().into_iter().any(is_kept)
        });
        let tail = Tail { projection, predicate: if later.is_some() { None } else { predicate } };
        let mut plan = self.sorted(projected, tail, &scope)?;
        if is_regrouped {
            // The groups are made for each row from outside, none of which has to have any: so they are a
            // subquery of their own, beside which the names are there.
            let outside = self.outside.last().map(|outside| outside.scope.vars()).unwrap_or_default();
            let (subplan, _) = trim(plan, &outside, None);
            let input = Box::new(Plan::Argument(Vec::new()));
            plan = self.grow(Plan::Apply { input, subplan: Box::new(subplan), kind: ApplyKind::Inner })?;
            kept.iter().for_each(|(name, var)| scope.insert(name, *var));
        }
        if let Some(predicate) = later {
            let (mut cx, mut conjuncts) = (Context::rows(scope.clone()), Vec::new());
            self.conjuncts(predicate, &mut cx, &mut conjuncts)?;
            plan = self.filter_by(plan, conjuncts)?;
        }
        self.check_names(projection, &result, returns)?;
        Ok((Part { plan, scope }, result))
    }

    /// The names from outside that `WITH` does not name, and that the text after its columns may mention: a
    /// subquery has them to its end.
    fn kept(&self, projection: &Projection, columns: &[Column<'_>], scope: &Scope) -> Vec<(Arc<str>, VarId)> {
        let Some(Outside { scope: outside, end, words: all }) = self.outside.last() else {
            return Vec::new();
        };
        let start = projection.items.last().map_or(projection.span.end, |item| item.source.end);
        let last = |name: &str| {
            let all = all.get_or_init(|| {
                let text = self.slice(Span { start, end: *end });
                words(text).map(|(at, word)| (word, start + at as u32)).collect()
            });
            all.get(name).copied()
        };
        let is_kept = |(name, var): &(Arc<str>, VarId)| {
            scope.get(name).is_some_and(|entry| entry.var == *var)
                && columns.iter().all(|column| column.name != *name)
                && (!is_word(name) || last(name).is_some_and(|at| at >= start))
        };
        outside.star().into_iter().filter(is_kept).collect()
    }

    fn columns(&self, p: &'q Projection, scope: &Scope, returns: bool) -> Bound<Vec<Column<'q>>> {
        let mut columns = Vec::new();
        if let Some(span) = p.star {
            let star = scope.star();
            if star.is_empty() && returns {
                let primary = "there are no variables for \"*\" to return";
                let error = semantic("NoVariablesInScope", primary, span);
                return Err(with_hint(error, "name a node or relationship of the pattern"));
            }
            columns.extend(
                star.into_iter().map(|(name, var)| Column { name, value: ColumnValue::Variable(var) }),
            );
        }
        for item in &p.items {
            let name: Arc<str> = match (&item.alias, &item.expr.kind) {
                (Some(alias), _) => alias.text.as_str().into(),
                (None, ExprKind::Variable(name)) => name.as_str().into(),
                (None, _) => self.slice(item.source).trim().into(),
            };
            columns.push(Column { name, value: ColumnValue::Item(&item.expr) });
        }
        Ok(columns)
    }

    /// Every column of `WITH` has a name, and no two have the same.
    fn check_names(&self, p: &'q Projection, columns: &Columns, returns: bool) -> Bound<()> {
        for item in &p.items {
            if !returns && item.alias.is_none() && !matches!(item.expr.kind, ExprKind::Variable(_)) {
                let primary = "an expression in WITH needs a name";
                let error = semantic("NoExpressionAlias", primary, item.source);
                return Err(with_hint(error, "add AS and a name"));
            }
        }
        let mut names = HashSet::new();
        let starred = columns.len().saturating_sub(p.items.len());
        for (index, (name, _)) in columns.iter().enumerate() {
            if names.insert(name.as_str()) {
                continue;
            }
            let item = index.checked_sub(starred).and_then(|index| p.items.get(index));
            let span = item.map_or(p.span, |i| i.alias.as_ref().map_or(i.source, |alias| alias.span));
            let error = semantic("ColumnNameConflict", format!("two columns are called \"{name}\""), span);
            return Err(with_hint(error, "give one of them another name with AS"));
        }
        Ok(())
    }

    /// Columns over rows.
    fn plain_columns(&mut self, part: Part, columns: Vec<Column<'q>>) -> Bound<Projected<'q>> {
        let mut cx = Context::rows(part.scope);
        let mut outputs = Vec::with_capacity(columns.len());
        for column in columns {
            outputs.push(self.row_column(column, &mut cx)?);
        }
        let plan = self.apply(part.plan, cx.hoists)?;
        Ok(Projected { plan, outputs, before: cx.scope, grouping: None, keys: Vec::new() })
    }

    /// A column over rows. A variable under its own name stays the same variable.
    fn row_column(&mut self, column: Column<'q>, cx: &mut Context<'q>) -> Bound<Output<'q>> {
        let expr = column.expr();
        let value = match column.value {
            ColumnValue::Variable(var) => self.var(var),
            ColumnValue::Item(expr) => self.expression(expr, cx)?,
        };
        let same = cx.scope.get(&column.name).map(|entry| entry.var);
        let var = match value.expr {
            Expr::Var(var) if Some(var) == same => var,
            _ => self.named(&column.name, value.ty),
        };
        Ok(Output { name: column.name, var, value: value.expr, expr })
    }

    /// Columns over groups: those without aggregates are what is grouped by.
    fn grouped_columns(&mut self, part: Part, columns: Vec<Column<'q>>) -> Bound<Projected<'q>> {
        let mut cx = Context::rows(part.scope);
        let mut scope = Scope::default();
        let mut keys = Vec::new();
        let mut outputs: Vec<Option<Output<'q>>> = Vec::with_capacity(columns.len());
        let mut aggregating = Vec::new();
        let mut known = Vec::new();
        for (index, column) in columns.into_iter().enumerate() {
            if column.aggregates() {
                aggregating.push((index, column));
                outputs.push(None);
                continue;
            }
            let starred = column.expr().is_none().then(|| Arc::clone(&column.name));
            let mut output = self.row_column(column, &mut cx)?;
            let value = std::mem::replace(&mut output.value, Expr::Var(output.var));
            keys.push((output.var, value));
            match output.expr {
                Some(expr) => {
                    if let ExprKind::Variable(name) = &expr.kind {
                        scope.insert(name, output.var);
                    }
                    known.push(Key { expr, var: output.var, aggregates: false });
                }
                None => starred.iter().for_each(|name| scope.insert(name, output.var)),
            }
            outputs.push(Some(output));
        }
        let plan = self.apply(part.plan, cx.hoists)?;
        let grouping = Grouping::new(cx.scope).with_keys(known);
        let mut cx = Context::groups(scope, grouping);
        for (index, column) in aggregating {
            let output = self.group_column(column, &mut cx)?;
            if let Some(slot) = outputs.get_mut(index) {
                *slot = Some(output);
            }
        }
        let Context { hoists, mode, .. } = cx;
        let Mode::Groups(grouping) = mode else {
            return Err(semantic("InvalidAggregation", "an aggregate cannot stand here", Span::default()));
        };
        let mut grouping = *grouping;
        let before = grouping.rows.clone();
        let outputs = outputs.into_iter().flatten().collect();
        grouping.hoists = hoists;
        Ok(Projected { plan, outputs, before, grouping: Some(grouping), keys })
    }

    fn group_column(&mut self, column: Column<'q>, cx: &mut Context<'q>) -> Bound<Output<'q>> {
        let ColumnValue::Item(expr) = column.value else {
            return Err(semantic("InvalidAggregation", "an aggregate cannot stand here", Span::default()));
        };
        if let Mode::Groups(grouping) = &mut cx.mode {
            grouping.name = is_aggregate(expr).then(|| Arc::clone(&column.name));
        }
        let value = self.expression(expr, cx)?;
        let mut fresh = false;
        if let Mode::Groups(grouping) = &mut cx.mode {
            // The name is taken if the column is a new aggregate, whose variable then is the column's.
            fresh = is_aggregate(expr) && grouping.name.take().is_none();
        }
        let var = match value.expr {
            Expr::Var(var) if fresh => var,
            _ => self.named(&column.name, value.ty),
        };
        Ok(Output { name: column.name, var, value: value.expr, expr: Some(expr) })
    }
}
