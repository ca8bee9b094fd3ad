//! Expressions: one value for one row.

use std::sync::Arc;

use trimorph_algebra::{Expr, LabelExpr, Op, QuantifierKind, VarId};
use trimorph_base::{Diagnostic, ErrorKind};
use trimorph_functions::{GraphAccess, lookup, operators};
use trimorph_types::{Map, Value};

use super::walk::{Walk, relationships};
use super::{Interpreter, Row, internal, value_of};

type Answer = Result<Value, Diagnostic>;

impl Interpreter<'_> {
    /// The value of `expr`.
    pub(super) fn value(&self, expr: &Expr, row: &Row) -> Answer {
        match expr {
            Expr::Const(value) => Ok(value.clone()),
            Expr::Param(name) => self.parameters.get(name).cloned().ok_or_else(|| {
                let primary = format!("parameter \"{name}\" is missing");
                Diagnostic::runtime(ErrorKind::ParameterMissing, "MissingParameter", primary)
            }),
            Expr::Var(var) => value_of(row, *var),
            Expr::Property(subject, name, span) => {
                let subject = self.value(subject, row)?;
                operators::property_of(&self.context, &subject, name).map_err(|error| error.at(*span))
            }
            Expr::Op(op, args, span) => {
                self.operator(*op, &self.values(args, row)?).map_err(|error| error.at(*span))
            }
            Expr::Chain(first, rest) => {
                let mut value = self.value(first, row)?;
                for (op, right, span) in rest {
                    let values = [value, self.value(right, row)?];
                    value = self.operator(*op, &values).map_err(|error| error.at(*span))?;
                }
                Ok(value)
            }
            Expr::Call(name, args, span) => {
                let function =
                    lookup(name).ok_or_else(|| internal(format!("function \"{name}\" is not known")))?;
                function.invoke(&self.context, &self.values(args, row)?).map_err(|error| error.at(*span))
            }
            Expr::UserCall(function, args, span) => {
                let args: Vec<Vec<Value>> = self.values(args, row)?.into_iter().map(|v| vec![v]).collect();
                let made = function.call(&args, 1, &trimorph_base::CancelToken::default());
                made.map(|mut values| values.pop().unwrap_or_default()).map_err(|error| error.at(*span))
            }
            Expr::HasLabel(subject, labels) => self.has_label(&self.value(subject, row)?, labels),
            Expr::List(items) => Ok(Value::list(self.values(items, row)?)),
            Expr::Map(entries) => Ok(Value::map(self.entries(entries, row)?)),
            Expr::MapProjection { base, all, entries } => {
                let base = self.value(base, row)?;
                if base.is_null() {
                    return Ok(Value::Null);
                }
                let mut map = if *all { self.all_properties(&base)? } else { Map::new() };
                map.extend(self.entries(entries, row)?);
                Ok(Value::map(map))
            }
            Expr::Case { branches, otherwise } => {
                for (when, then) in branches {
                    if self.is_true(when, row)? {
                        return self.value(then, row);
                    }
                }
                self.value(otherwise, row)
            }
            Expr::ListComprehension { var, list, filter, map } => {
                let Some(items) = self.items(list, row)? else { return Ok(Value::Null) };
                let mut out = Vec::new();
                for item in items {
                    let row = with(row, *var, item.clone());
                    if filter.as_ref().map_or(Ok(true), |filter| self.is_true(filter, &row))? {
                        out.push(map.as_ref().map_or(Ok(item), |map| self.value(map, &row))?);
                    }
                }
                Ok(Value::list(out))
            }
            Expr::Quantifier { kind, var, list, predicate } => {
                let Some(items) = self.items(list, row)? else { return Ok(Value::Null) };
                let truths: Result<Vec<Option<bool>>, _> = items
                    .into_iter()
                    .map(|item| operators::truth(&self.value(predicate, &with(row, *var, item))?))
                    .collect();
                Ok(quantified(*kind, &truths?).map_or(Value::Null, Value::Bool))
            }
            Expr::Reduce { acc, init, var, list, body } => {
                let mut value = self.value(init, row)?;
                let Some(items) = self.items(list, row)? else { return Ok(Value::Null) };
                for item in items {
                    value = self.value(body, &with(&with(row, *acc, value), *var, item))?;
                }
                Ok(value)
            }
            Expr::Path(parts) => path(&self.values(parts, row)?),
        }
    }

    fn values(&self, exprs: &[Expr], row: &Row) -> Result<Vec<Value>, Diagnostic> {
        exprs.iter().map(|expr| self.value(expr, row)).collect()
    }

    fn entries(&self, entries: &[(Arc<str>, Expr)], row: &Row) -> Result<Map, Diagnostic> {
        entries.iter().map(|(key, expr)| Ok((key.clone(), self.value(expr, row)?))).collect()
    }

    /// The elements of a list; none if it is null.
    fn items(&self, list: &Expr, row: &Row) -> Result<Option<Vec<Value>>, Diagnostic> {
        match self.value(list, row)? {
            Value::Null => Ok(None),
            Value::List(items) => Ok(Some(items.to_vec())),
            other => Err(wrong_type("a LIST", &other)),
        }
    }

    fn all_properties(&self, base: &Value) -> Result<Map, Diagnostic> {
        match base {
            Value::Map(map) => Ok(Map::clone(map)),
            Value::Node(_) | Value::Relationship(_) => self.graph.properties(base),
            other => Err(wrong_type("a NODE, RELATIONSHIP or MAP", other)),
        }
    }

    fn has_label(&self, subject: &Value, labels: &LabelExpr) -> Answer {
        let names = match subject {
            Value::Null => return Ok(Value::Null),
            Value::Node(node) => self.graph.labels(*node)?,
            Value::Relationship(relationship) => vec![self.graph.relationship_type(relationship)?],
            other => return Err(wrong_type("a NODE or RELATIONSHIP", other)),
        };
        Ok(Value::Bool(labels.matches(&|label| names.iter().any(|name| &**name == label))))
    }

    fn operator(&self, op: Op, args: &[Value]) -> Answer {
        use operators as o;
        match (op, args) {
            (Op::Not, [a]) => o::not(a),
            (Op::Neg, [a]) => o::negate(a),
            (Op::IsNull, [a]) => Ok(o::is_null(a)),
            (Op::IsNotNull, [a]) => Ok(o::is_not_null(a)),
            (Op::Or, [a, b]) => o::or(a, b),
            (Op::Xor, [a, b]) => o::xor(a, b),
            (Op::And, [a, b]) => o::and(a, b),
            (Op::Eq, [a, b]) => Ok(o::equal(a, b)),
            (Op::Ne, [a, b]) => Ok(o::not_equal(a, b)),
            (Op::Differs, values) => Ok(o::differs(values)),
            (Op::Lt, [a, b]) => Ok(o::less(a, b)),
            (Op::Le, [a, b]) => Ok(o::less_or_equal(a, b)),
            (Op::Gt, [a, b]) => Ok(o::greater(a, b)),
            (Op::Ge, [a, b]) => Ok(o::greater_or_equal(a, b)),
            (Op::Add, [a, b]) => o::add(a, b),
            (Op::Sub, [a, b]) => o::subtract(a, b),
            (Op::Mul, [a, b]) => o::multiply(a, b),
            (Op::Div, [a, b]) => o::divide(a, b),
            (Op::Mod, [a, b]) => o::modulo(a, b),
            (Op::Pow, [a, b]) => o::power(a, b),
            (Op::In, [a, b]) => o::in_list(a, b),
            (Op::StartsWith, [a, b]) => Ok(o::starts_with(a, b)),
            (Op::EndsWith, [a, b]) => Ok(o::ends_with(a, b)),
            (Op::Contains, [a, b]) => Ok(o::contains(a, b)),
            (Op::Regex, [a, b]) => o::regex_match(a, b),
            (Op::Index, [a, b]) => o::index(&self.context, a, b),
            (Op::Slice, [list, from, to]) => o::slice(list, Some(from), Some(to)),
            _ => Err(internal(format!("operator {op:?} with {} operands", args.len()))),
        }
    }
}

/// The row with one more variable.
fn with(row: &Row, var: VarId, value: Value) -> Row {
    let mut row = row.clone();
    row.insert(var, value);
    row
}

/// What a quantifier says of these truths; none is unknown.
fn quantified(kind: QuantifierKind, truths: &[Option<bool>]) -> Option<bool> {
    let count = |wanted: Option<bool>| truths.iter().filter(|truth| **truth == wanted).count();
    let (yes, no, unknown) = (count(Some(true)), count(Some(false)), count(None));
    match kind {
        QuantifierKind::All if no > 0 => Some(false),
        QuantifierKind::Any if yes > 0 => Some(true),
        QuantifierKind::None if yes > 0 => Some(false),
        QuantifierKind::Single if yes > 1 => Some(false),
        _ if unknown > 0 => None,
        QuantifierKind::All | QuantifierKind::None => Some(true),
        QuantifierKind::Any => Some(false),
        QuantifierKind::Single => Some(yes == 1),
    }
}

/// Nodes and relationships, alternating, as a path; null if one of them is.
fn path(parts: &[Value]) -> Answer {
    if parts.iter().any(Value::is_null) {
        return Ok(Value::Null);
    }
    let [Value::Node(start), steps @ ..] = parts else { return Err(internal("a path begins with a node")) };
    let mut walk = Walk::new(*start);
    for step in steps.chunks(2) {
        let [over, Value::Node(end)] = step else {
            return Err(internal("a path alternates nodes and relationships"));
        };
        let over = relationships(over).ok_or_else(|| internal("a path goes over relationships"))?;
        if !walk.over_all(&over, *end) {
            return Err(internal("the relationships of a path do not connect its nodes"));
        }
    }
    Ok(walk.value())
}

fn wrong_type(expected: &str, value: &Value) -> Diagnostic {
    let primary = format!("expected {expected}, not {}", value.logical_type());
    Diagnostic::runtime(ErrorKind::TypeError, "InvalidArgumentType", primary)
}
