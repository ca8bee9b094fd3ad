//! The table of constructors, clocks and truncations.

use trimorph_types::Value;

use super::construct::{clock, construct as make, from_epoch};
use super::kind::Kind;
use super::truncate::truncate;
use crate::context::{Clock, Context};
use crate::error::{Answer, overflow, wrong_type};
use crate::function::{Function, result};
use crate::kernels::{construct, truncate as starts};
use trimorph_types::temporal::ZoneId;

macro_rules! constructors {
    ($($name:literal $kind:ident $result:ident $($kernel:ident)?),*) => {
        &[
            $(Function::new($name, (0, 1), result::$result, |c, a| make(Kind::$kind, c, a),
                concat!($name, "([a]): from text, a map of components or another instant; without argument, now"))
                $(.typed(construct::$kernel))?,)*
            Function::new("datetime.fromEpoch", (2, 2), result::datetime, from_epoch_seconds,
                "datetime.fromEpoch(seconds, nanoseconds): that long after 1970-01-01T00:00Z")
                .typed(construct::from_epoch_seconds),
            Function::new("datetime.fromEpochMillis", (1, 1), result::datetime, from_epoch_millis,
                "datetime.fromEpochMillis(milliseconds): that long after 1970-01-01T00:00Z")
                .typed(construct::from_epoch_millis),
            Function::new("timestamp", (0, 0), result::int, timestamp,
                "timestamp(): milliseconds since 1970-01-01T00:00Z when the statement started"),
        ]
    };
}

pub(super) const CONSTRUCTORS: &[Function] = constructors!(
    "date" Date date date,
    "localtime" LocalTime local_time local_time,
    "time" Time time time,
    "localdatetime" LocalDateTime local_datetime local_datetime,
    "datetime" DateTime datetime datetime
);

macro_rules! clocks {
    ($($name:literal $kind:ident $result:ident),*) => {
        &[$(
            Function::new(concat!($name, ".transaction"), (0, 1), result::$result,
                |c, a| clock(Kind::$kind, c, c.transaction, a),
                concat!($name, ".transaction([timezone]): when the transaction started")),
            Function::new(concat!($name, ".statement"), (0, 1), result::$result,
                |c, a| clock(Kind::$kind, c, c.statement, a),
                concat!($name, ".statement([timezone]): when the statement started")),
            Function::new(concat!($name, ".realtime"), (0, 1), result::$result,
                |c, a| clock(Kind::$kind, c, Clock::now(), a),
                concat!($name, ".realtime([timezone]): now")).not_deterministic(),
        )*]
    };
}

pub(super) const CLOCKS: &[Function] = clocks!(
    "date" Date date,
    "localtime" LocalTime local_time,
    "time" Time time,
    "localdatetime" LocalDateTime local_datetime,
    "datetime" DateTime datetime
);

macro_rules! truncations {
    ($($name:literal $kind:ident $result:ident $($kernel:ident)?),*) => {
        &[$(Function::new(concat!($name, ".truncate"), (1, 3), result::$result,
            |c, a| truncate(Kind::$kind, c, a),
            concat!($name, ".truncate(unit[, value[, fields]]): the start of the unit, with smaller fields set"))
            $(.typed(starts::$kernel))?,)*]
    };
}

pub(super) const TRUNCATIONS: &[Function] = truncations!(
    "date" Date date date,
    "localtime" LocalTime local_time local_time,
    "time" Time time,
    "localdatetime" LocalDateTime local_datetime local_datetime,
    "datetime" DateTime datetime datetime
);

fn int(function: &str, value: &Value) -> Result<i64, trimorph_base::Diagnostic> {
    match value {
        Value::Int(number) => Ok(*number),
        other => Err(wrong_type(function, "an INTEGER", other)),
    }
}

fn from_epoch_seconds(_: &Context<'_>, args: &[Value]) -> Answer {
    let function = "datetime.fromEpoch()";
    from_epoch(int(function, &args[0])?, int(function, &args[1])?, &ZoneId::UTC).map(Value::DateTime)
}

fn from_epoch_millis(_: &Context<'_>, args: &[Value]) -> Answer {
    let millis = int("datetime.fromEpochMillis()", &args[0])?;
    from_epoch(millis.div_euclid(1_000), millis.rem_euclid(1_000) * 1_000_000, &ZoneId::UTC)
        .map(Value::DateTime)
}

fn timestamp(context: &Context<'_>, _: &[Value]) -> Answer {
    let Clock { seconds, nanos } = context.statement;
    let millis = seconds.checked_mul(1_000).and_then(|ms| ms.checked_add(i64::from(nanos / 1_000_000)));
    millis.map(Value::Int).ok_or_else(|| overflow("timestamp()"))
}
