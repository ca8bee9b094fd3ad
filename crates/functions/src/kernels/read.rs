//! Temporal values of texts: `date('2020-01-01')` and its kin for a vector of texts.
//!
//! A text that is read as nothing, or as what a vector of the type has no room for, leaves the whole to the
//! general path, which has the message. An entry of a dictionary is read once.

use trimorph_types::temporal::{
    ZoneId, parse_date, parse_datetime, parse_duration, parse_local_datetime, parse_local_time, parse_time,
};
use trimorph_types::{Duration, Time};
use trimorph_vector::{Nulls, Positions, Side, Texts, Values, Vector, instant_nanos, local_nanos, zip};

use super::zones::local;
use crate::context::Context;
use crate::kernel::Argument;

/// The one argument, if it is a vector of texts.
fn texts<'a, 's>(args: &[Argument<'a, 's>]) -> Option<(&'a Texts<'s>, &'a Nulls)> {
    match args {
        [Argument::Each(Vector { values: Values::String(texts), nulls })] => Some((texts, nulls)),
        _ => None,
    }
}

/// What `of` reads in each text that is meant and not null; `None` where it reads nothing in one.
fn read<T: Copy + Default>(
    texts: &Texts<'_>,
    nulls: &Nulls,
    at: Positions<'_>,
    of: impl Fn(&str) -> Option<T>,
) -> Option<Vec<T>> {
    let (mut out, mut ok) = (vec![T::default(); at.len], true);
    let coded = texts.codes().filter(|(_, entries)| entries.len() < at.count());
    let known: Vec<Option<T>> =
        coded.map(|(_, entries)| entries.iter().map(&of).collect()).unwrap_or_default();
    at.for_each(|i| {
        if !ok || nulls.get(i) {
            return;
        }
        let value = match coded {
            Some((codes, _)) => known.get(codes[i] as usize).copied().flatten(),
            None => of(texts.get(i)),
        };
        match value {
            Some(value) => out[i] = value,
            None => ok = false,
        }
    });
    ok.then_some(out)
}

macro_rules! kernels {
    ($($name:ident $kind:ident $of:expr;)*) => {
        $(pub(crate) fn $name<'s>(
            context: &Context<'_>,
            args: &[Argument<'_, 's>],
            at: Positions<'_>,
        ) -> Option<Vector<'s>> {
            let (texts, nulls) = texts(args)?;
            let of = $of;
            let values = Values::$kind(read(texts, nulls, at, |text| of(context, text))?);
            Some(Vector { values, nulls: nulls.clone() })
        })*
    };
}

kernels!(
    date Date |_: &Context<'_>, text: &str| i32::try_from(parse_date(text).ok()?.days).ok();
    local_time LocalTime |_: &Context<'_>, text: &str| Some(parse_local_time(text).ok()?.nanos);
    local_datetime LocalDateTime |_: &Context<'_>, text: &str| local_nanos(&parse_local_datetime(text).ok()?);
    datetime DateTime |context: &Context<'_>, text: &str| instant_nanos(&parse_datetime(text, &context.zone).ok()?);
    duration Duration |_: &Context<'_>, text: &str| -> Option<Duration> { parse_duration(text).ok() };
    time_of_text Time |context: &Context<'_>, text: &str| -> Option<Time> {
        // Without an offset it is that of the default zone now, which is 0 in UTC.
        let utc = context.zone == ZoneId::UTC;
        parse_time(text, 0).ok().filter(|_| utc)
    };
);

/// `time(x)` of texts, and of moments.
pub(crate) fn time<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    const DAY: i64 = 86_400_000_000_000;
    let [Argument::Each(vector)] = args else { return None };
    let of_nanos = |v: &[i64]| {
        trimorph_vector::map(v, at, |n: i64| Time { nanos: n.rem_euclid(DAY), offset_seconds: 0 })
    };
    let out = match &vector.values {
        Values::String(_) => return time_of_text(context, args, at),
        Values::Time(_) => return Some((*vector).clone()),
        Values::Zoned(v) => {
            let local = local(v, &vector.nulls, at)?;
            let offsets = v.table(0, |zone| zone.offset_seconds());
            zip(Side::Each(&local), Side::Each(v.codes()), at, |nanos: i64, code: u8| Time {
                nanos: nanos.rem_euclid(DAY),
                offset_seconds: offsets[usize::from(code)],
            })
        }
        Values::DateTime(v) => of_nanos(v),
        Values::LocalDateTime(v) | Values::LocalTime(v) if context.zone == ZoneId::UTC => of_nanos(v),
        _ => return None,
    };
    Some(Vector { values: Values::Time(out), nulls: vector.nulls.clone() })
}
