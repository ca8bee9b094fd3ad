//! Expressions that give a value or null whatever the row: those that either side of a join may compute of
//! rows that meet none of the other side. By the types that columns have and the functions that are known.

use std::sync::Arc;

use trimorph_algebra::{Expr, Op, VarId};
use trimorph_types::temporal::Unit;
use trimorph_types::{LogicalType, Value};

use super::Planner;
use crate::degrees::rows_of;
use crate::moments::moment;

/// What comes of an expression that gives a value or null.
#[derive(Clone, Copy, PartialEq)]
struct Total {
    ty: LogicalType,
    /// Of integers: whether they have at most 32 bits, so that a sum or a product of two has 64. Of dates and
    /// moments: whether they lie within 300 years of 1970, which is all that 64 bits of nanoseconds hold.
    is_small: bool,
}

impl Total {
    fn of(ty: LogicalType) -> Option<Self> {
        Some(Self { ty, is_small: false })
    }

    fn small(ty: LogicalType) -> Option<Self> {
        Some(Self { ty, is_small: true })
    }

    fn has_date(self) -> bool {
        matches!(self.ty, LogicalType::Date | LogicalType::DateTime | LogicalType::LocalDateTime)
    }
}

/// Whether an integer has at most 32 bits.
fn is_small(int: i64) -> bool {
    i32::try_from(int).is_ok()
}

impl Planner<'_> {
    /// Whether an expression gives a value or null, whatever the row: a property of a node or relationship of
    /// the pattern, or what is known to be computed of one.
    pub(super) fn is_safe(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Property(base, _, _) if matches!(**base, Expr::Var(_)) => {
                matches!(**base, Expr::Var(var) if self.entities.contains(&var))
            }
            _ => self.total(expr).is_some(),
        }
    }

    fn total(&self, expr: &Expr) -> Option<Total> {
        match expr {
            Expr::Const(value) => total_of_value(value),
            Expr::Property(base, name, _) => match &**base {
                Expr::Var(var) => {
                    let ty = self.type_of_property(*var, name)?;
                    let is_small = matches!(ty, LogicalType::DateTime | LogicalType::LocalDateTime);
                    Some(Total { ty, is_small })
                }
                base => has_component(self.total(base)?.ty, name)
                    .then_some(())
                    .and_then(|()| Total::small(LogicalType::Int)),
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
                // The least integer through -1 is none.
                Expr::Const(Value::Int(by)) if !matches!(by, 0 | -1) => {
                    let is_small = first.is_small || op == Op::Mod && is_small(*by);
                    Some(Total { ty: LogicalType::Int, is_small })
                }
                _ => None,
            },
            (Op::Add | Op::Sub | Op::Mul, LogicalType::Int, LogicalType::Int)
                if first.is_small && second.is_small =>
            {
                Total::of(LogicalType::Int)
            }
            (Op::Add, LogicalType::String, LogicalType::String) => Total::of(LogicalType::String),
            (Op::Add | Op::Sub, ty, LogicalType::Duration)
                if first.has_date() && first.is_small && second.is_small =>
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
            return (can && of.is_small).then_some(Total { ty: made, is_small: true });
        }
        let (first, more) = args.split_first()?;
        let of = self.total(first)?;
        let is_text = of.ty == LogicalType::String;
        match (name, more) {
            ("date", []) if of.has_date() => Some(Total { ty: LogicalType::Date, ..of }),
            (_, []) if texts.contains(&name) && is_text => Some(of),
            (_, []) if lengths.contains(&name) && is_text => Total::small(LogicalType::Int),
            (_, [_, ..]) if ends.contains(&name) && is_text => {
                let is_length = |arg: &Expr| matches!(arg, Expr::Const(Value::Int(length)) if *length >= 0);
                let most = if name == "substring" { 2 } else { 1 };
                (more.len() <= most && more.iter().all(is_length)).then_some(of)
            }
            ("coalesce", more) => {
                let same = more.iter().all(|arg| self.total(arg).is_some_and(|other| other.ty == of.ty));
                same.then_some(Total { is_small: false, ..of })
            }
            ("tostring", []) if is_text || matches!(of.ty, LogicalType::Int | LogicalType::Date) => {
                Total::of(LogicalType::String)
            }
            _ => None,
        }
    }

    /// The type of all values of a property of a node of the pattern.
    fn type_of_property(&self, var: VarId, name: &Arc<str>) -> Option<LogicalType> {
        if !self.labels.contains_key(&var) {
            return None;
        }
        let (catalog, tables) = (self.with.known.catalog, self.tables_of(var));
        let columns = catalog.node_columns(Some(std::slice::from_ref(name)));
        let mut types =
            columns.into_iter().filter(|(table, _)| tables.contains(table)).map(|(table, column)| {
                catalog.column_type(table, column).filter(|_| catalog.has_one_type(table, column))
            });
        let first = types.next()??;
        types.all(|ty| ty == Some(first)).then_some(first)
    }

    /// How many values an expression that [is safe](Self::is_safe) has, about.
    pub(super) fn values_of(&self, expr: &Expr) -> f64 {
        match expr {
            Expr::Property(base, name, _) => match (&**base, &**name) {
                (Expr::Var(var), _) if self.labels.contains_key(var) => {
                    let (known, tables) = (self.with.known, self.tables_of(*var));
                    rows_of(known.catalog, tables) / known.rows_by_value(tables, name)
                }
                // Of a relationship.
                (Expr::Var(_), _) => 1_000.0,
                (_, "month") => 12.0,
                (_, "quarter") => 4.0,
                (_, "weekDay" | "dayOfWeek") => 7.0,
                (_, "day" | "hour" | "year") => 25.0,
                _ => 60.0,
            },
            Expr::Op(Op::Mod | Op::Div, args, _) => match &args[..] {
                [of, Expr::Const(Value::Int(by))] => {
                    let (values, by) = (self.values_of(of), by.unsigned_abs() as f64);
                    if matches!(expr, Expr::Op(Op::Mod, ..)) {
                        values.min(by)
                    } else {
                        (values / by).max(1.0)
                    }
                }
                _ => 1.0,
            },
            Expr::Op(_, args, _) => args.iter().map(|arg| self.values_of(arg)).fold(1.0, f64::max),
            Expr::Call(name, args, _) => self.values_of_call(name, args),
            _ => 1.0,
        }
    }

    fn values_of_call(&self, name: &str, args: &[Expr]) -> f64 {
        let of = |at: usize| args.get(at).map_or(1.0, |arg| self.values_of(arg));
        // Days and months of ten years.
        let most = match (name, args) {
            ("date", _) => 3_650.0,
            (_, [Expr::Const(Value::String(unit)), _]) if truncated(name).is_some() => {
                return of(1).min(match Unit::parse(unit) {
                    Ok(unit) if unit <= Unit::WeekYear => 10.0,
                    Ok(Unit::Quarter) => 40.0,
                    Ok(Unit::Month) => 120.0,
                    Ok(Unit::Week) => 520.0,
                    Ok(Unit::Day) => 3_650.0,
                    _ => f64::INFINITY,
                });
            }
            ("size" | "char_length" | "character_length", _) => 200.0,
            // As many letters as there are.
            ("left" | "right", [_, Expr::Const(Value::Int(length))])
            | ("substring", [_, _, Expr::Const(Value::Int(length))]) => 26f64.powf(*length as f64),
            _ => f64::INFINITY,
        };
        of(0).min(most)
    }
}

/// What a function that truncates gives, if it does.
fn truncated(name: &str) -> Option<LogicalType> {
    match name {
        "date.truncate" => Some(LogicalType::Date),
        "datetime.truncate" => Some(LogicalType::DateTime),
        "localdatetime.truncate" => Some(LogicalType::LocalDateTime),
        _ => None,
    }
}

fn constant(expr: &Expr) -> Option<Value> {
    if let Expr::Const(value) = expr { Some(value.clone()) } else { None }
}

fn total_of_value(value: &Value) -> Option<Total> {
    // Of a duration: what leads from 300 years to no year that dates have not.
    const MONTHS: i64 = 12 * 100_000;
    match value {
        Value::Int(int) => Some(Total { ty: LogicalType::Int, is_small: is_small(*int) }),
        Value::String(_) => Total::of(LogicalType::String),
        Value::Duration(duration) => {
            let is_small = duration.months.abs() < MONTHS
                && duration.days.abs() < MONTHS * 31
                && duration.seconds.abs() < MONTHS * 31 * 86_400;
            Some(Total { ty: LogicalType::Duration, is_small })
        }
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
