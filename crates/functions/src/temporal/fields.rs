//! Reads the map argument of a temporal constructor: components, selected values, time zone.

use trimorph_base::{Diagnostic, nearest};
use trimorph_types::temporal::{DateFields, TimeFields, ZoneId};
use trimorph_types::{LocalTime, Map, Value, Zone};

use super::kind::Kind;
use crate::error::{bad_argument, temporal, wrong_type};

/// What a map says.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    pub(super) date: DateFields,
    pub(super) time: TimeFields,
    /// Whether it names a component at all.
    pub(super) any_component: bool,
    pub(super) zone: Option<ZoneId>,
    /// `{date: …}`
    pub(super) selected_date: Option<Value>,
    /// `{time: …}`
    pub(super) selected_time: Option<Value>,
    /// `{datetime: …}`
    pub(super) selected_datetime: Option<Value>,
    pub(super) epoch_seconds: Option<i64>,
    pub(super) epoch_millis: Option<i64>,
}

impl Fields {
    /// Reads `map` for a constructor of `kind`.
    ///
    /// **Errors**: unknown names, and values of the wrong type.
    pub(super) fn read(kind: Kind, map: &Map) -> Result<Self, Diagnostic> {
        let mut fields = Self::default();
        for (name, value) in map {
            fields.read_entry(kind, name, value)?;
        }
        Ok(fields)
    }

    fn read_entry(&mut self, kind: Kind, name: &str, value: &Value) -> Result<(), Diagnostic> {
        match name {
            "timezone" => self.zone = Some(zone(kind.name(), value)?),
            "date" if kind.has_date() => self.selected_date = Some(value.clone()),
            "time" if kind.has_time() => self.selected_time = Some(value.clone()),
            "datetime" => self.selected_datetime = Some(value.clone()),
            "epochSeconds" if kind == Kind::DateTime => self.epoch_seconds = Some(int(kind, name, value)?),
            "epochMillis" if kind == Kind::DateTime => self.epoch_millis = Some(int(kind, name, value)?),
            _ => {
                let date = self.date.component_mut(name).filter(|_| kind.has_date());
                let component = date.or_else(|| self.time.component_mut(name).filter(|_| kind.has_time()));
                *component.ok_or_else(|| unknown(kind, name))? = Some(int(kind, name, value)?);
                self.any_component = true;
            }
        }
        Ok(())
    }

    /// Whether the map asks for the current moment: it has nothing but perhaps a time zone.
    pub(super) fn asks_for_now(&self) -> bool {
        !self.any_component
            && self.epoch_seconds.is_none()
            && self.epoch_millis.is_none()
            && self.selected_date.is_none()
            && self.selected_time.is_none()
            && self.selected_datetime.is_none()
    }

    /// The day the date components are relative to.
    pub(super) fn base_days(&self, kind: Kind) -> Result<Option<i64>, Diagnostic> {
        let Some(value) = self.selected_date.as_ref().or(self.selected_datetime.as_ref()) else {
            return Ok(None);
        };
        days_of(value).map(Some).ok_or_else(|| wrong_type(kind.name(), "a value with a date", value))
    }

    /// The value the time components are relative to.
    pub(super) fn base_time_value(&self) -> Option<&Value> {
        self.selected_time.as_ref().or(self.selected_datetime.as_ref())
    }

    /// The time of day the time components are relative to.
    pub(super) fn base_time(&self, kind: Kind) -> Result<Option<LocalTime>, Diagnostic> {
        let Some(value) = self.base_time_value() else { return Ok(None) };
        time_of(value).map(Some).ok_or_else(|| wrong_type(kind.name(), "a value with a time", value))
    }
}

fn unknown(kind: Kind, name: &str) -> Diagnostic {
    let mut known = vec!["timezone", "datetime"];
    if kind.has_date() {
        known.extend(DateFields::NAMES);
        known.push("date");
    }
    if kind.has_time() {
        known.extend(TimeFields::NAMES);
        known.push("time");
    }
    let error = bad_argument(format!("{} has no component \"{name}\"", kind.name()));
    match nearest(name, known) {
        Some(near) => error.hint(format!("did you mean \"{near}\"?")),
        None => error,
    }
}

fn int(kind: Kind, name: &str, value: &Value) -> Result<i64, Diagnostic> {
    match value {
        Value::Int(number) => Ok(*number),
        other => Err(wrong_type(&format!("{} component \"{name}\"", kind.name()), "an INTEGER", other)),
    }
}

/// A time zone given as text.
pub(super) fn zone(function: &str, value: &Value) -> Result<ZoneId, Diagnostic> {
    match value {
        Value::String(text) => ZoneId::parse(text).map_err(|error| temporal(&error)),
        other => Err(wrong_type(&format!("{function} time zone"), "a STRING", other)),
    }
}

/// Days since 1970-01-01 of a value that has a date.
pub(super) fn days_of(value: &Value) -> Option<i64> {
    match value {
        Value::Date(date) => Some(date.days_in_calendar()),
        Value::LocalDateTime(local) => Some(local.days()),
        Value::DateTime(instant) => Some(instant.local().days()),
        _ => None,
    }
}

/// Local time of day of a value that has one.
pub(super) fn time_of(value: &Value) -> Option<LocalTime> {
    match value {
        Value::LocalTime(time) => Some(*time),
        Value::Time(time) => Some(time.local()),
        Value::LocalDateTime(local) => Some(local.time()),
        Value::DateTime(instant) => Some(instant.local().time()),
        _ => None,
    }
}

/// Zone of a value that has one.
pub(super) fn zone_of(value: &Value) -> Option<Zone> {
    match value {
        Value::Time(time) => Some(Zone::Offset(time.offset_seconds)),
        Value::DateTime(instant) => Some(instant.zone.clone()),
        _ => None,
    }
}
