//! `WITH` and `RETURN`: columns, grouping, `DISTINCT`.
//!
//! 1. The columns are listed: `*` by name, then the items.
//! 2. Their values are bound over rows or, if one of them aggregates, those that do not as grouping keys and
//!    the others over groups.
//! 3. `bind_sort` puts `ORDER BY`, `SKIP`, `LIMIT` and `WHERE` on top.

use std::collections::HashSet;
use std::sync::Arc;

use trimorph_algebra::{Expr, VarId};
use trimorph_base::Span;

use super::Binder;
use super::bind_sort::Tail;
use super::context::{Context, Grouping, Key, Mode};
use super::part::{Columns, Part};
use super::projected::{Output, Projected};
use super::report::{Bound, semantic, with_hint};
use super::scope::Scope;
use super::walk_expression::{aggregates, is_aggregate};
use crate::ast::{self, ExprKind, Projection};

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
        let columns = self.columns(projection, &part.scope, returns)?;
        let projected = match columns.iter().any(Column::aggregates) {
            true => self.grouped_columns(part, columns)?,
            false => self.plain_columns(part, columns)?,
        };
        let mut scope = Scope::default();
        let mut result = Vec::with_capacity(projected.outputs.len());
        for output in &projected.outputs {
            scope.insert(&output.name, output.var);
            result.push((output.name.to_string(), output.var));
        }
        let tail = Tail { projection, predicate };
        let plan = self.sorted(projected, tail, &scope)?;
        self.check_names(projection, &result, returns)?;
        Ok((Part { plan, scope }, result))
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
