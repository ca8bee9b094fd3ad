//! `duration(…)` and the differences `duration.between`, `.inMonths`, `.inDays`, `.inSeconds`.

use trimorph_base::nearest;
use trimorph_types::temporal::{
    DurationFields, Fixed, TemporalError, duration_between, duration_in_days, duration_in_months,
    duration_in_seconds, parse_duration,
};
use trimorph_types::{Duration, Map, Value};

use crate::context::Context;
use crate::error::{Answer, bad_argument, temporal, wrong_type};
use crate::function::{Function, result};
use crate::kernels::between as kernels;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "duration",
        (1, 1),
        result::duration,
        duration,
        "duration(a): a duration from ISO 8601 text or a map of amounts",
    )
    .typed(crate::kernels::construct::duration),
    Function::new(
        "duration.between",
        (2, 2),
        result::duration,
        |_, a| difference(duration_between, a),
        "duration.between(a, b): months, days and seconds from a to b",
    )
    .typed(kernels::difference),
    Function::new(
        "duration.inMonths",
        (2, 2),
        result::duration,
        |_, a| difference(duration_in_months, a),
        "duration.inMonths(a, b): whole months from a to b",
    )
    .typed(kernels::difference_in_months),
    Function::new(
        "duration.inDays",
        (2, 2),
        result::duration,
        |_, a| difference(duration_in_days, a),
        "duration.inDays(a, b): whole days from a to b",
    )
    .typed(kernels::difference_in_days),
    Function::new(
        "duration.inSeconds",
        (2, 2),
        result::duration,
        |_, a| difference(duration_in_seconds, a),
        "duration.inSeconds(a, b): seconds from a to b",
    )
    .typed(kernels::difference_in_seconds),
];

fn duration(_: &Context<'_>, args: &[Value]) -> Answer {
    match &args[0] {
        value @ Value::Duration(_) => Ok(value.clone()),
        Value::String(text) => parse_duration(text).map(Value::Duration).map_err(|error| temporal(&error)),
        Value::Map(map) => from_map(map),
        other => Err(wrong_type("duration()", "a STRING, MAP or DURATION", other)),
    }
}

fn from_map(map: &Map) -> Answer {
    if map.is_empty() {
        return Err(bad_argument("duration() needs at least one component"));
    }
    let mut fields = DurationFields::default();
    for (name, value) in map {
        let Some(component) = fields.component_mut(name) else {
            let error = bad_argument(format!("duration() has no component \"{name}\""));
            return Err(match nearest(name, DurationFields::NAMES) {
                Some(near) => error.hint(format!("did you mean \"{near}\"?")),
                None => error,
            });
        };
        *component = match value {
            Value::Int(number) => Fixed::whole(*number),
            Value::Float(number) => {
                Fixed::from_float(*number).ok_or_else(|| temporal(&TemporalError::Overflow("duration")))?
            }
            Value::Decimal(number) => Fixed::parse(&number.to_string())
                .ok_or_else(|| temporal(&TemporalError::Overflow("duration")))?,
            other => return Err(wrong_type(&format!("duration() component \"{name}\""), "a number", other)),
        };
    }
    fields.duration().map(Value::Duration).map_err(|error| temporal(&error))
}

type Difference = fn(&Value, &Value) -> Result<Option<Duration>, TemporalError>;

fn difference(between: Difference, args: &[Value]) -> Answer {
    let found = between(&args[0], &args[1]).map_err(|error| temporal(&error))?;
    found.map(Value::Duration).ok_or_else(|| {
        let wrong = args.iter().find(|arg| between(arg, arg).ok().flatten().is_none()).unwrap_or(&args[0]);
        wrong_type("a difference of moments", "dates and times", wrong)
    })
}
