//! Expressions that give a value or null whatever the row: those that either side of a join may compute of
//! rows that meet none of the other side. By the types that columns have and the functions that are known.

use std::sync::Arc;

use trimorph_algebra::{Expr, Op, VarId};
use trimorph_base::TableId;
use trimorph_types::temporal::Unit;
use trimorph_types::{Decimal, LogicalType, Value};

use super::Planner;
use super::harmless::{is_harmless, is_plain, is_test};
use crate::degrees::rows_of;
use crate::moments::{is_short, moment};
use crate::value_counts::{truncated, values_of};

/// What comes of an expression that gives a value or null.
#[derive(Clone, Copy, PartialEq)]
struct Total {
    ty: LogicalType,
    /// Of integers, bits that they have at most, without the sign's: sums and products of few bits have a
    /// place. Of dates, moments and durations 0 where they are near: within 300 years of 1970, which is all
    /// that 64 bits of nanoseconds hold, or leading from there to no year that dates lack.
    bits: u32,
}

/// Of any integer, and of dates that may be far.
const ALL_BITS: u32 = 63;
/// Of integers that decimals hold, which have 38 digits.
const WIDE_BITS: u32 = 126;
/// Of components, and of lengths of texts.
const COMPONENT_BITS: u32 = 31;
const LENGTH_BITS: u32 = 40;

impl Total {
    fn of(ty: LogicalType) -> Option<Self> {
        Some(Self { ty, bits: ALL_BITS })
    }

    fn near(ty: LogicalType) -> Self {
        Self { ty, bits: 0 }
    }

    /// An integer, where it has a place.
    fn int(bits: u32) -> Option<Self> {
        (bits <= ALL_BITS).then_some(Self { ty: LogicalType::Int, bits })
    }

    fn is_near(self) -> bool {
        self.bits == 0
    }

    fn has_date(self) -> bool {
        matches!(self.ty, LogicalType::Date | LogicalType::DateTime | LogicalType::LocalDateTime)
    }
}

/// Bits of an integer without its sign.
fn bits_of(int: i64) -> u32 {
    u64::BITS - int.unsigned_abs().leading_zeros()
}

impl Planner<'_> {
    /// Whether an expression gives a value or null, whatever the row: a variable of the rows there are, a
    /// property of a node or relationship, or what is known to be computed of one.
    pub(super) fn is_safe(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Var(var) => self.available.contains(var),
            Expr::Property(base, _, _) if matches!(**base, Expr::Var(_)) => {
                matches!(**base, Expr::Var(var) if self.entities.contains(&var) || self.is_from_outside(var))
            }
            _ => self.total(expr).is_some(),
        }
    }

    /// Whether a predicate gives the same whenever it is asked, and never an error: also by the types that
    /// columns have.
    pub(super) fn is_harmless(&self, predicate: &Expr) -> bool {
        let is_total = |part: &Expr| is_plain(part) || self.total(part).is_some();
        match predicate {
            Expr::Op(Op::And | Op::Or | Op::Not | Op::Xor, parts, _) => {
                parts.iter().all(|part| self.is_harmless(part))
            }
            Expr::Op(Op::In, parts, _) if let [item, Expr::Property(base, name, _)] = &parts[..] => {
                let is_list = |var: &VarId| self.type_of_property(*var, name) == Some(LogicalType::List);
                is_total(item) && matches!(&**base, Expr::Var(var) if is_list(var))
            }
            Expr::Op(op, parts, _) if is_test(*op) => parts.iter().all(is_total),
            other => is_harmless(other),
        }
    }

    /// Whether an expression of variables that there are gives a list or null, whatever the row.
    pub(super) fn is_list(&self, expr: &Expr) -> bool {
        let is_text = |arg: &Expr| self.total(arg).is_some_and(|of| of.ty == LogicalType::String);
        let of_entity = |item: &Expr| match item {
            Expr::Property(base, _, _) => matches!(**base, Expr::Var(var) if self.is_entity(var)),
            _ => false,
        };
        let is_item = |item: &Expr| of_entity(item) || self.total(item).is_some();
        match expr {
            Expr::Var(var) => self.with.types.get(var.0 as usize) == Some(&LogicalType::List),
            Expr::Property(base, name, _) => {
                let Expr::Var(var) = **base else { return false };
                self.is_entity(var) && self.one_type(var, name) == Some(LogicalType::List)
            }
            Expr::List(items) => items.iter().all(is_item),
            // Lists and what is put to their ends.
            Expr::Op(Op::Add, parts, _) => {
                parts.iter().any(|part| self.is_list(part))
                    && parts.iter().all(|part| self.is_list(part) || is_item(part))
            }
            Expr::Call(name, args, _) if &**name == "split" => args.iter().all(is_text),
            _ => false,
        }
    }

    /// An expression as a key of a join, which gives a value or null whatever the row, and equal values where
    /// the expression does: itself where it [is safe](Self::is_safe). Sums and products of integers are made
    /// of decimals, which have room for them: what has none among integers equals no integer.
    pub(super) fn safe_key(&self, expr: &Expr) -> Option<Expr> {
        match self.is_safe(expr) {
            true => Some(expr.clone()),
            false => self.wide(expr).filter(|(_, bits)| *bits <= WIDE_BITS).map(|(key, _)| key),
        }
    }

    /// A sum or product of integers of which one is a decimal, so that it is a decimal, and the bits that it
    /// has at most; a constant as a decimal; any other integer as it is. `None` for what is no integer.
    fn wide(&self, expr: &Expr) -> Option<(Expr, u32)> {
        match expr {
            Expr::Const(Value::Int(int)) => {
                Some((Expr::Const(Value::Decimal(Decimal::from(*int))), bits_of(*int)))
            }
            Expr::Op(op @ (Op::Add | Op::Sub | Op::Mul), args, span) => {
                let [a, b] = &args[..] else { return None };
                let ((mut a, of_a), (b, of_b)) = (self.wide(a)?, self.wide(b)?);
                let is_decimal = |of: &Expr| matches!(of, Expr::Const(_) | Expr::Op(..));
                if !is_decimal(&a) && !is_decimal(&b) {
                    a = Expr::op(Op::Add, vec![a, Expr::Const(Value::Decimal(Decimal::default()))]);
                }
                let bits = if *op == Op::Mul { of_a + of_b } else { of_a.max(of_b) + 1 };
                Some((Expr::Op(*op, vec![a, b], *span), bits))
            }
            Expr::Op(..) => None,
            _ => {
                let of = self.total(expr).filter(|of| of.ty == LogicalType::Int)?;
                Some((expr.clone(), of.bits))
            }
        }
    }

    /// Whether a variable is a node or relationship, or null, of the rows there are.
    fn is_from_outside(&self, var: VarId) -> bool {
        self.available.contains(&var) && self.is_entity(var)
    }

    /// Whether a variable is a node or relationship, or null.
    fn is_entity(&self, var: VarId) -> bool {
        let ty = self.with.types.get(var.0 as usize);
        matches!(ty, Some(LogicalType::Node | LogicalType::Relationship))
            || self.labels.contains_key(&var)
            || self.entities.contains(&var)
    }

    fn total(&self, expr: &Expr) -> Option<Total> {
        match expr {
            Expr::Const(value) => total_of_value(value),
            Expr::Property(base, name, _) => match &**base {
                Expr::Var(var) => match self.type_of_property(*var, name)? {
                    ty @ (LogicalType::DateTime | LogicalType::LocalDateTime) => Some(Total::near(ty)),
                    ty => Total::of(ty),
                },
                base => {
                    let of = self.total(base)?;
                    has_component(of.ty, name).then(|| Total::int(COMPONENT_BITS))?
                }
            },
            Expr::Op(op, args, _) => self.total_of_op(*op, args),
            Expr::Call(name, ..) if &**name == "duration" => total_of_value(&moment(expr, &constant)?),
            Expr::Call(name, args, _) => self.total_of_call(name, args),
            _ => None,
        }
    }

    fn total_of_op(&self, op: Op, args: &[Expr]) -> Option<Total> {
        let [a, b] = args else { return None };
        let (first, second) = (self.total(a)?, self.total(b)?);
        match (op, first.ty, second.ty) {
            (Op::Div | Op::Mod, LogicalType::Int, LogicalType::Int) => match b {
                // The least integer through -1 has no place.
                Expr::Const(Value::Int(0 | -1)) => None,
                Expr::Const(Value::Int(by)) if op == Op::Mod => Total::int(first.bits.min(bits_of(*by))),
                Expr::Const(Value::Int(_)) => Some(first),
                _ => None,
            },
            (Op::Add | Op::Sub, LogicalType::Int, LogicalType::Int) => {
                Total::int(first.bits.max(second.bits) + 1)
            }
            (Op::Mul, LogicalType::Int, LogicalType::Int) => Total::int(first.bits + second.bits),
            (Op::Add, LogicalType::String, LogicalType::String) => Total::of(LogicalType::String),
            (Op::Add | Op::Sub, ty, LogicalType::Duration)
                if first.has_date() && first.is_near() && second.is_near() =>
            {
                Total::of(ty)
            }
            _ => None,
        }
    }

    fn total_of_call(&self, name: &str, args: &[Expr]) -> Option<Total> {
        let texts = ["tolower", "lower", "toupper", "upper", "trim", "ltrim", "rtrim", "reverse"];
        let ends = ["left", "right", "substring"];
        let lengths = ["size", "char_length", "character_length"];
        if let (Some(made), [Expr::Const(Value::String(unit)), of]) = (truncated(name), args) {
            let (unit, of) = (Unit::parse(unit).ok()?, self.total(of)?);
            let can = match made {
                LogicalType::Date => of.has_date() && unit.is_date_unit(),
                // The zone is that of the moment.
                LogicalType::DateTime => of.ty == LogicalType::DateTime,
                _ => matches!(of.ty, LogicalType::DateTime | LogicalType::LocalDateTime),
            };
            return (can && of.is_near()).then_some(Total::near(made));
        }
        let (first, more) = args.split_first()?;
        let of = self.total(first)?;
        let is_text = of.ty == LogicalType::String;
        match (name, more) {
            ("date", []) if of.has_date() => Some(Total { ty: LogicalType::Date, ..of }),
            (_, []) if texts.contains(&name) && is_text => Some(of),
            (_, []) if lengths.contains(&name) && is_text => Total::int(LENGTH_BITS),
            (_, [_, ..]) if ends.contains(&name) && is_text => {
                let is_length = |arg: &Expr| matches!(arg, Expr::Const(Value::Int(length)) if *length >= 0);
                let most = if name == "substring" { 2 } else { 1 };
                (more.len() <= most && more.iter().all(is_length)).then_some(of)
            }
            ("coalesce", more) => {
                let same = more.iter().all(|arg| self.total(arg).is_some_and(|other| other.ty == of.ty));
                same.then_some(Total { bits: ALL_BITS, ..of })
            }
            ("sparql.double_key", []) if of.ty == LogicalType::Float => Total::int(ALL_BITS),
            ("tostring", []) if is_text || matches!(of.ty, LogicalType::Int | LogicalType::Date) => {
                Total::of(LogicalType::String)
            }
            _ => None,
        }
    }

    /// The type of all values of a property of a node or relationship.
    fn type_of_property(&self, var: VarId, name: &Arc<str>) -> Option<LogicalType> {
        let is_own = self.labels.contains_key(&var) || self.entities.contains(&var);
        (is_own || self.is_from_outside(var)).then(|| self.one_type(var, name))?
    }

    /// The same of one that is known to be such.
    fn one_type(&self, var: VarId, name: &Arc<str>) -> Option<LogicalType> {
        let (catalog, names) = (self.with.known.catalog, Some(std::slice::from_ref(name)));
        let is_pattern_node = self.labels.contains_key(&var);
        let types: Vec<Option<LogicalType>> =
            if is_pattern_node || self.with.types.get(var.0 as usize) == Some(&LogicalType::Node) {
                // Of a node from outside it is not known which tables it may be in.
                let tables = is_pattern_node.then(|| self.tables_of(var));
                let is_meant = |table: &TableId| tables.is_none_or(|tables| tables.contains(table));
                let own = catalog.node_columns(names).into_iter().filter(|(table, _)| is_meant(table));
                let ty = |(table, column)| {
                    catalog.column_type(table, column).filter(|_| catalog.has_one_type(table, column))
                };
                own.map(ty).collect()
            } else {
                // Of whichever relationships have such a property.
                let ty = |(table, column)| {
                    let ty = catalog.edge_column_type(table, column);
                    ty.filter(|_| catalog.has_one_edge_type(table, column))
                };
                catalog.edge_columns(names).into_iter().map(ty).collect()
            };
        let first = (*types.first()?)?;
        types.iter().all(|ty| *ty == Some(first)).then_some(first)
    }

    /// How many values an expression that [is safe](Self::is_safe) has, about.
    pub(super) fn values_of(&self, expr: &Expr) -> f64 {
        values_of(expr, &|var, name| match name {
            Some(name) if self.labels.contains_key(&var) => {
                let (known, tables) = (self.with.known, self.tables_of(var));
                rows_of(known.catalog, tables) / known.rows_by_value(tables, name)
            }
            // Of a relationship, or of a node from outside.
            Some(_) => 1_000.0,
            None => 1.0,
        })
    }
}

fn constant(expr: &Expr) -> Option<Value> {
    if let Expr::Const(value) = expr { Some(value.clone()) } else { None }
}

fn total_of_value(value: &Value) -> Option<Total> {
    match value {
        Value::Int(int) => Total::int(bits_of(*int)),
        Value::String(_) => Total::of(LogicalType::String),
        Value::Duration(duration) if is_short(duration) => Some(Total::near(LogicalType::Duration)),
        Value::Duration(_) => Total::of(LogicalType::Duration),
        _ => None,
    }
}

/// Whether all values of a type have a component of that name, which is a small integer.
fn has_component(ty: LogicalType, name: &str) -> bool {
    const OF_DATES: [&str; 10] = [
        "year",
        "quarter",
        "month",
        "week",
        "weekYear",
        "ordinalDay",
        "weekDay",
        "dayOfWeek",
        "dayOfQuarter",
        "day",
    ];
    const OF_TIMES: [&str; 3] = ["hour", "minute", "second"];
    let (of_dates, of_times) = (OF_DATES.contains(&name), OF_TIMES.contains(&name));
    match ty {
        LogicalType::Date => of_dates,
        LogicalType::DateTime | LogicalType::LocalDateTime => of_dates || of_times,
        LogicalType::Time | LogicalType::LocalTime => of_times,
        _ => false,
    }
}
