//! How many different values an expression has, about: by those of the properties that it is computed of.

use trimorph_algebra::{Expr, Op, VarId};
use trimorph_types::temporal::Unit;
use trimorph_types::{LogicalType, Value};

/// How many values an expression has, about; `of` tells it of a variable, or of a property of one.
pub(crate) fn values_of(expr: &Expr, of: &dyn Fn(VarId, Option<&str>) -> f64) -> f64 {
    match expr {
        Expr::Var(var) => of(*var, None),
        Expr::Property(base, name, _) => match (&**base, &**name) {
            (Expr::Var(var), name) => of(*var, Some(name)),
            (_, "month") => 12.0,
            (_, "quarter") => 4.0,
            (_, "weekDay" | "dayOfWeek") => 7.0,
            (_, "day" | "hour" | "year") => 25.0,
            _ => 60.0,
        },
        Expr::Op(Op::Mod | Op::Div, args, _) => match &args[..] {
            [divided, Expr::Const(Value::Int(by))] => {
                let (values, by) = (values_of(divided, of), by.unsigned_abs() as f64);
                if matches!(expr, Expr::Op(Op::Mod, ..)) { values.min(by) } else { (values / by).max(1.0) }
            }
            _ => 1.0,
        },
        Expr::Op(_, args, _) => args.iter().map(|arg| values_of(arg, of)).fold(1.0, f64::max),
        Expr::Call(name, args, _) => values_of_call(name, args, of),
        _ => 1.0,
    }
}

fn values_of_call(name: &str, args: &[Expr], of: &dyn Fn(VarId, Option<&str>) -> f64) -> f64 {
    let arg = |at: usize| args.get(at).map_or(1.0, |arg| values_of(arg, of));
    // Days and months of ten years.
    let most = match (name, args) {
        ("date", _) => 3_650.0,
        (_, [Expr::Const(Value::String(unit)), _]) if truncated(name).is_some() => {
            return arg(1).min(match Unit::parse(unit) {
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
    arg(0).min(most)
}

/// What a function that truncates gives, if it does.
pub(crate) fn truncated(name: &str) -> Option<LogicalType> {
    match name {
        "date.truncate" => Some(LogicalType::Date),
        "datetime.truncate" => Some(LogicalType::DateTime),
        "localdatetime.truncate" => Some(LogicalType::LocalDateTime),
        _ => None,
    }
}
