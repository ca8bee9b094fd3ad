//! Python objects in, engine values out: parameters, and values whose text is asked for.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDate, PyDateAccess, PyDateTime, PyDelta, PyDeltaAccess, PyDict, PyFloat,
    PyInt, PyList, PyMapping, PyMemoryView, PyString, PyTime, PyTimeAccess, PyTuple, PyTzInfo,
};
use trimorph::temporal::ZoneId;
use trimorph::{EdgeId, NodeId, Params, Shape, Value};

use crate::columns::{self, Columns};
use crate::entity::{Node, Path, Relationship, Source};
use crate::rdf;
use crate::shown::Shown;
use crate::temporal::{self, OFFSET_SECONDS_MAX};

/// Deepest nesting of a parameter: the engine walks values recursively.
const DEPTH_MAX: usize = 100;

/// How much of a place within a value is shown.
const PLACE_CHARS_MAX: usize = 80;

/// Where values go, and what is known of maps on the way.
struct Target<'a> {
    entities: Entities<'a>,
    /// The keys of the last map at each depth: rows mostly have the same ones, and share them.
    shapes: Vec<Known>,
}

/// The keys of a map, and the strings of Python that they were: mostly the next map has the very same.
#[derive(Default)]
struct Known {
    shape: Shape,
    keys: Vec<Py<PyString>>,
}

impl<'a> From<Entities<'a>> for Target<'a> {
    fn from(entities: Entities<'a>) -> Self {
        Self { entities, shapes: Vec::new() }
    }
}

/// What becomes of nodes and relationships.
enum Entities<'a> {
    /// They must be of this database, because their ids are looked up.
    Parameter(Source),
    /// Their text is noted, and ids stand for places in the list.
    Text(&'a mut Shown),
}

/// A value that is not taken: why, and where within the outermost value.
struct Refusal {
    make: fn(String) -> PyErr,
    reason: String,
    place: String,
}

impl Refusal {
    /// The place, on a line also where it is a hundred levels deep.
    fn shown(&self) -> String {
        match self.place.char_indices().nth(PLACE_CHARS_MAX) {
            Some((at, _)) => format!("{}…", &self.place[..at]),
            None => self.place.clone(),
        }
    }
}

type Converted = Result<Value, Refusal>;

fn refuse(make: fn(String) -> PyErr, reason: impl Into<String>) -> Refusal {
    Refusal { make, reason: reason.into(), place: String::new() }
}

fn type_error(text: String) -> PyErr {
    PyTypeError::new_err(text)
}

fn value_error(text: String) -> PyErr {
    PyValueError::new_err(text)
}

fn overflow_error(text: String) -> PyErr {
    PyOverflowError::new_err(text)
}

/// What a Python operation raised, as a reason.
fn raised(error: PyErr) -> Refusal {
    refuse(value_error, error.to_string())
}

/// Parameters of a call.
///
/// **Errors**: `TypeError`, `ValueError` or `OverflowError` that names the parameter and the place within it.
pub(crate) fn parameters(params: Option<&Bound<'_, PyAny>>, source: Source) -> PyResult<Arc<Params>> {
    let mut out = BTreeMap::new();
    let Some(params) = params else { return Ok(Arc::new(out)) };
    let copy;
    let dict = match params.cast::<PyDict>() {
        Ok(dict) => dict,
        Err(_) => {
            if params.cast::<PyMapping>().is_err() {
                let hint = "a sequence for ? is what conn.cursor().execute() takes";
                let text =
                    format!("params must be a dict of names and values, not {} ({hint})", type_name(params));
                return Err(PyTypeError::new_err(text));
            }
            copy = PyDict::new(params.py());
            copy.update(params.cast::<PyMapping>()?)?;
            &copy
        }
    };
    for (key, value) in dict {
        let Ok(name) = key.cast::<PyString>() else {
            return Err(PyTypeError::new_err(format!(
                "parameter names must be str, not {}",
                type_name(&key)
            )));
        };
        let name = name.to_cow()?;
        out.insert(Arc::from(&*name), parameter(&name, &value, source)?);
    }
    Ok(Arc::new(out))
}

/// The value of one parameter.
///
/// **Errors**: as those of `parameters`.
pub(crate) fn parameter(name: &str, value: &Bound<'_, PyAny>, source: Source) -> PyResult<Value> {
    convert(value, &mut Entities::Parameter(source).into(), 0).map_err(|r| {
        let place = if r.place.is_empty() { String::new() } else { format!(" at {name}{}", r.shown()) };
        (r.make)(format!("parameter \"{name}\"{place}: {}", r.reason))
    })
}

/// A value of a frame; else why it is not taken.
pub(crate) fn cell(value: &Bound<'_, PyAny>, source: Source) -> Result<Value, String> {
    convert(value, &mut Entities::Parameter(source).into(), 0).map_err(|r| match r.place.as_str() {
        "" => r.reason,
        _ => format!("at {}: {}", r.shown(), r.reason),
    })
}

/// A value to be shown.
pub(crate) fn for_text(value: &Bound<'_, PyAny>, shown: &mut Shown) -> PyResult<Value> {
    convert(value, &mut Entities::Text(shown).into(), 0).map_err(|r| {
        let place = if r.place.is_empty() { String::new() } else { format!("at {}: ", r.shown()) };
        (r.make)(format!("{place}{}", r.reason))
    })
}

pub(crate) fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().fully_qualified_name().map_or_else(|_| "?".to_owned(), |n| n.to_string())
}

fn convert(value: &Bound<'_, PyAny>, target: &mut Target<'_>, depth: usize) -> Converted {
    if depth > DEPTH_MAX {
        return Err(refuse(value_error, format!("values may be nested {DEPTH_MAX} levels deep")));
    }
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(x) = value.cast::<PyString>() {
        let text = x
            .to_cow()
            .map_err(|_| refuse(value_error, "the str holds lone surrogates, which have no UTF-8 form"))?;
        return Ok(Value::string(&*text));
    }
    if let Ok(x) = value.cast::<PyBool>() {
        return Ok(Value::Bool(x.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        return integer(value);
    }
    if let Ok(x) = value.cast::<PyFloat>() {
        return Ok(Value::Float(x.value()));
    }
    if let Ok(x) = value.cast::<PyList>() {
        return items(x.iter(), target, depth);
    }
    if let Ok(x) = value.cast::<PyTuple>() {
        return items(x.iter(), target, depth);
    }
    if let Ok(x) = value.cast::<PyDict>() {
        return map(x, target, depth).map(Value::map);
    }
    other(value, target, depth)
}

fn integer(value: &Bound<'_, PyAny>) -> Converted {
    value.extract::<i64>().map(Value::Int).map_err(|_| {
        let shown = value.str().map(|s| s.to_string()).ok().filter(|s| s.len() <= 40);
        refuse(
            overflow_error,
            format!(
                "the integer {}does not fit in 64 bits: give decimal.Decimal(x), float(x) or str(x)",
                shown.map_or_else(String::new, |s| s + " ")
            ),
        )
    })
}

fn items<'py>(
    list: impl Iterator<Item = Bound<'py, PyAny>>,
    target: &mut Target<'_>,
    depth: usize,
) -> Converted {
    let mut out = Vec::with_capacity(list.size_hint().0);
    for (i, item) in list.enumerate() {
        out.push(
            convert(&item, target, depth + 1)
                .map_err(|r| Refusal { place: format!("[{i}]{}", r.place), ..r })?,
        );
    }
    Ok(Value::list(out))
}

fn map(dict: &Bound<'_, PyDict>, target: &mut Target<'_>, depth: usize) -> Result<trimorph::Map, Refusal> {
    // The keys of the map before this one are its keys, until one differs.
    let mut known = target.shapes.get_mut(depth).map(std::mem::take).unwrap_or_default();
    let (mut values, mut names) = (Vec::with_capacity(dict.len()), None::<Vec<Arc<str>>>);
    for (key, value) in dict {
        let at = values.len();
        let is_the_same = |known: &Py<PyString>| known.as_ptr() == key.as_ptr();
        if names.is_some() || !known.keys.get(at).is_some_and(is_the_same) {
            let Ok(key) = key.cast::<PyString>() else {
                return Err(refuse(
                    type_error,
                    format!("keys of a map must be str, not {}", type_name(&key)),
                ));
            };
            let name = key.to_cow().map_err(raised)?;
            if names.is_none() && known.shape.names().get(at).is_none_or(|known| **known != *name) {
                names = Some(known.shape.names()[..at].to_vec());
                known.keys.truncate(at);
            }
            if let Some(names) = &mut names {
                names.push(Arc::from(&*name));
                known.keys.push(key.clone().unbind());
            }
        }
        values.push(
            convert(&value, target, depth + 1)
                .map_err(|r| Refusal { place: format!(".{key}{}", r.place), ..r })?,
        );
    }
    if names.is_none() && values.len() < known.shape.names().len() {
        names = Some(known.shape.names()[..values.len()].to_vec());
        known.keys.truncate(values.len());
    }
    if let Some(names) = names {
        known.shape = Shape::new(names);
    }
    let map = known.shape.map(values);
    if target.shapes.len() <= depth {
        target.shapes.resize_with(depth + 1, Known::default);
    }
    target.shapes[depth] = known;
    Ok(map)
}

/// The rarer types.
fn other(value: &Bound<'_, PyAny>, target: &mut Target<'_>, depth: usize) -> Converted {
    if let Ok(x) = value.cast::<PyBytes>() {
        return Ok(Value::Bytes(Arc::from(x.as_bytes())));
    }
    if value.is_instance_of::<PyByteArray>() || value.is_instance_of::<PyMemoryView>() {
        let bytes = value.py().get_type::<PyBytes>().call1((value,)).map_err(raised)?;
        return Ok(Value::Bytes(Arc::from(
            bytes.cast::<PyBytes>().map_err(|e| raised(e.into()))?.as_bytes(),
        )));
    }
    if let Ok(x) = value.cast::<PyDateTime>() {
        return datetime(x);
    }
    if let Ok(x) = value.cast::<PyDate>() {
        let date = trimorph::Date::from_ymd(
            i64::from(x.get_year()),
            i64::from(x.get_month()),
            i64::from(x.get_day()),
        );
        return date.map(Value::Date).map_err(|e| refuse(value_error, e.to_string()));
    }
    if let Ok(x) = value.cast::<PyTime>() {
        return time(x);
    }
    if let Ok(x) = value.cast::<PyDelta>() {
        // pandas.Timedelta has nanoseconds besides the microseconds.
        let below = match x.is_exact_instance_of::<PyDelta>() {
            true => 0,
            false => x.getattr("nanoseconds").ok().and_then(|n| n.extract::<i64>().ok()).unwrap_or(0),
        };
        let duration = temporal::from_delta(x.get_days(), x.get_seconds(), x.get_microseconds(), below);
        return Ok(Value::Duration(duration));
    }
    if let Ok(x) = value.cast::<rdf::Iri>() {
        return Ok(Value::Iri(x.get().0.clone()));
    }
    if let Ok(x) = value.cast::<rdf::BlankNode>() {
        return Ok(Value::Iri(x.get().0.clone()));
    }
    if let Ok(x) = value.cast::<rdf::RdfLiteral>() {
        return Ok(Value::Literal(x.get().0.clone()));
    }
    if let Some(own) = own_temporal(value) {
        return Ok(own);
    }
    if let Ok(x) = value.cast::<Node>() {
        return node(x, target, depth).map(Value::Node);
    }
    if let Ok(x) = value.cast::<Relationship>() {
        return relationship(x, target, depth, None).map(Value::Relationship);
    }
    if let Ok(x) = value.cast::<Path>() {
        return path(x, target, depth);
    }
    foreign(value, target, depth)
}

fn own_temporal(value: &Bound<'_, PyAny>) -> Option<Value> {
    Some(if let Ok(x) = value.cast::<temporal::DateTime>() {
        Value::DateTime(x.get().0.clone())
    } else if let Ok(x) = value.cast::<temporal::LocalDateTime>() {
        Value::LocalDateTime(x.get().0)
    } else if let Ok(x) = value.cast::<temporal::Date>() {
        Value::Date(x.get().0)
    } else if let Ok(x) = value.cast::<temporal::Time>() {
        Value::Time(x.get().0)
    } else if let Ok(x) = value.cast::<temporal::LocalTime>() {
        Value::LocalTime(x.get().0)
    } else if let Ok(x) = value.cast::<temporal::Duration>() {
        Value::Duration(x.get().0)
    } else {
        return None;
    })
}

/// Seconds east of UTC of an aware `datetime` or `time`; `None` if it is naive.
fn offset(value: &Bound<'_, PyAny>) -> Result<Option<i32>, Refusal> {
    if value.getattr("tzinfo").map_err(raised)?.is_none() {
        return Ok(None);
    }
    let offset = value.call_method0("utcoffset").map_err(raised)?;
    let Ok(delta) = offset.cast::<PyDelta>() else {
        return Err(refuse(
            value_error,
            "its zone gives no offset from UTC without a date; give a datetime, or a fixed offset",
        ));
    };
    let seconds = delta.get_days() * 86_400 + delta.get_seconds();
    if delta.get_microseconds() != 0 {
        return Err(refuse(value_error, "offsets from UTC are whole seconds"));
    }
    if seconds.abs() > OFFSET_SECONDS_MAX {
        return Err(refuse(value_error, "offsets from UTC are at most 18 hours"));
    }
    Ok(Some(seconds))
}

fn datetime(x: &Bound<'_, PyDateTime>) -> Converted {
    let exact = x.is_exact_instance_of::<PyDateTime>();
    // pandas.NaT is a datetime that differs from itself.
    if !exact && !x.eq(x).map_err(raised)? {
        return Ok(Value::Null);
    }
    // pandas.Timestamp is a datetime with nanoseconds besides the microseconds.
    let below = match exact {
        true => 0,
        false => x.getattr("nanosecond").ok().and_then(|n| n.extract::<i64>().ok()).unwrap_or(0),
    };
    let local = temporal::local([
        i64::from(x.get_year()),
        i64::from(x.get_month()),
        i64::from(x.get_day()),
        i64::from(x.get_hour()),
        i64::from(x.get_minute()),
        i64::from(x.get_second()),
        i64::from(x.get_microsecond()) * 1000 + below,
    ])
    .map_err(raised)?;
    let Some(seconds) = offset(x)? else { return Ok(Value::LocalDateTime(local)) };
    if let Some(zone) = named_zone(x) {
        let there = trimorph::DateTime::from_utc(local.seconds - i64::from(seconds), local.nanos, &zone);
        // In a gap of the clocks nothing shows `x`, and at its instant the zone has another offset. Where
        // Python's zone data and ours disagree, the offset that Python knows decides.
        let shown = there.zone.offset_seconds();
        if shown == seconds || offset_of_instant(x) == Some(shown) {
            return Ok(Value::DateTime(there));
        }
    }
    Ok(Value::DateTime(temporal::in_zone(local, &ZoneId::Offset(seconds), None)))
}

/// The zone of a `zoneinfo.ZoneInfo`, or of one of the library pytz, if ours have it.
fn named_zone(x: &Bound<'_, PyDateTime>) -> Option<ZoneId> {
    let zone = x.getattr("tzinfo").ok()?;
    let name = ["key", "zone"].into_iter().find_map(|a| zone.getattr(a).ok()?.extract::<String>().ok())?;
    ZoneId::parse(&name).ok()
}

/// The offset that Python's zone has at the instant of `x`, which in a gap of the clocks is not that of `x`.
fn offset_of_instant(x: &Bound<'_, PyDateTime>) -> Option<i32> {
    let utc = PyTzInfo::utc(x.py()).ok()?;
    let shown = x.call_method1("astimezone", (utc,)).ok()?;
    offset(&shown.call_method1("astimezone", (x.getattr("tzinfo").ok()?,)).ok()?).ok()?
}

fn time(x: &Bound<'_, PyTime>) -> Converted {
    let nanos = i64::from(x.get_microsecond()) * 1000;
    let parts = (i64::from(x.get_hour()), i64::from(x.get_minute()), i64::from(x.get_second()));
    let local = trimorph::LocalTime::from_parts(parts.0, parts.1, parts.2, nanos);
    let local = local.map_err(|e| refuse(value_error, e.to_string()))?;
    Ok(match offset(x)? {
        None => Value::LocalTime(local),
        Some(offset_seconds) => Value::Time(trimorph::Time { nanos: local.nanos, offset_seconds }),
    })
}

const STRANGER: &str = "does not come from this database";

fn node(x: &Bound<'_, Node>, target: &mut Target<'_>, depth: usize) -> Result<NodeId, Refusal> {
    let node = x.get();
    match &mut target.entities {
        Entities::Parameter(source) if node.source == *source => Ok(NodeId(node.id)),
        Entities::Parameter(_) => Err(refuse(type_error, format!("this Node {STRANGER}"))),
        Entities::Text(_) => {
            let properties = map(node.properties.bind(x.py()), target, depth)?;
            let labels = node.labels.extract::<Vec<String>>(x.py()).map_err(raised)?;
            let Entities::Text(shown) = &mut target.entities else { return Ok(NodeId(node.id)) };
            Ok(shown.node(&labels, &properties))
        }
    }
}

/// `ends` are the nodes it lies between on a path: its text shows which way it points.
fn relationship(
    x: &Bound<'_, Relationship>,
    target: &mut Target<'_>,
    depth: usize,
    ends: Option<(NodeId, NodeId)>,
) -> Result<trimorph::Relationship, Refusal> {
    let r = x.get();
    match &mut target.entities {
        Entities::Parameter(source) if r.source == *source => {
            Ok(trimorph::Relationship { id: EdgeId(r.id), start: NodeId(r.start), end: NodeId(r.end) })
        }
        Entities::Parameter(_) => Err(refuse(type_error, format!("this Relationship {STRANGER}"))),
        Entities::Text(_) => {
            let properties = map(r.properties.bind(x.py()), target, depth)?;
            let (start, end) = ends.unwrap_or((NodeId(r.start), NodeId(r.end)));
            let id = if let Entities::Text(shown) = &mut target.entities {
                shown.relationship(&r.kind, &properties)
            } else {
                EdgeId(r.id)
            };
            Ok(trimorph::Relationship { id, start, end })
        }
    }
}

fn path(x: &Bound<'_, Path>, target: &mut Target<'_>, depth: usize) -> Converted {
    let (py, path) = (x.py(), x.get());
    let cast = |e: pyo3::PyErr| raised(e);
    let given: Vec<Bound<'_, Node>> = path
        .nodes
        .bind(py)
        .iter()
        .map(|n| n.cast_into::<Node>().map_err(|e| cast(e.into())))
        .collect::<Result<_, _>>()?;
    let nodes = given.iter().map(|n| node(n, target, depth)).collect::<Result<Vec<_>, _>>()?;
    let mut relationships = Vec::with_capacity(nodes.len());
    for (i, r) in path.relationships.bind(py).iter().enumerate() {
        let r = r.cast_into::<Relationship>().map_err(|e| cast(e.into()))?;
        let ends = nodes.get(i).copied().zip(nodes.get(i + 1).copied());
        let forward = given.get(i).is_some_and(|n| n.get().id == r.get().start);
        let ends = ends.map(|(a, b)| if forward { (a, b) } else { (b, a) });
        relationships.push(relationship(&r, target, depth, ends)?);
    }
    Ok(Value::Path(Arc::new(trimorph::Path { nodes, relationships })))
}

/// A `decimal.Decimal`, exactly; `None` if it is none.
fn decimal(value: &Bound<'_, PyAny>) -> Option<Converted> {
    let class = value.py().import("decimal").and_then(|m| m.getattr("Decimal")).ok()?;
    if !value.is_instance(&class).ok()? {
        return None;
    }
    // Without an exponent, which may be so large that the digits would fill the memory.
    let short = value.call_method0("adjusted").and_then(|a| a.extract::<i64>()).is_ok_and(|a| a.abs() <= 100);
    if !short && value.is_truthy().unwrap_or(true) {
        return Some(Err(refuse(overflow_error, DECIMAL_RANGE)));
    }
    let text = if short {
        value.call_method1("__format__", ("f",))
    } else {
        Ok(PyString::new(value.py(), "0").into_any())
    };
    Some(match text.and_then(|t| t.extract::<String>()) {
        Ok(text) => trimorph::Decimal::parse(&text)
            .map(Value::Decimal)
            .ok_or_else(|| refuse(overflow_error, DECIMAL_RANGE)),
        Err(error) => Err(raised(error)),
    })
}

const DECIMAL_RANGE: &str = "a Decimal must be finite, with at most 38 digits and at most 38 after the point";

/// A `uuid.UUID` is its text, as `randomUUID()` gives one.
fn uuid(value: &Bound<'_, PyAny>) -> Option<Converted> {
    let class = value.py().import("uuid").and_then(|m| m.getattr("UUID")).ok()?;
    if !value.is_instance(&class).ok()? {
        return None;
    }
    Some(match value.str() {
        Ok(text) => Ok(Value::string(text.to_string_lossy().as_ref())),
        Err(error) => Err(raised(error)),
    })
}

/// Numbers and arrays of other libraries: what numpy has of numbers, texts or truth values is what its
/// `tolist` gives; frames, columns and arrays are lists; what has `__index__` is an integer.
/// `Fraction` is not taken: a float would not be what was given.
fn foreign(value: &Bound<'_, PyAny>, target: &mut Target<'_>, depth: usize) -> Converted {
    if let Some(found) = decimal(value).or_else(|| uuid(value)) {
        return found;
    }
    let kind = value.getattr("dtype").and_then(|d| d.getattr("kind")).and_then(|k| k.extract::<String>());
    if let Ok(kind) = kind
        && ["b", "i", "u", "f", "U", "O"].contains(&kind.as_str())
        && value.hasattr("__array_interface__").unwrap_or(false)
        && let Ok(native) = value.call_method0("tolist")
        // A number that Python has no type for gives itself.
        && !native.get_type().is(value.get_type())
    {
        return convert(&native, target, depth + 1);
    }
    if let Some(found) = columns::of(value).map_err(|reason| refuse(value_error, reason))? {
        return match found {
            Columns::Values(values) => Ok(Value::list(values)),
            Columns::Plain(plain) => convert(&plain, target, depth + 1),
        };
    }
    if let Ok(index) = value.call_method0("__index__") {
        return integer(&index);
    }
    if value.hasattr("dtype").unwrap_or(false)
        && let Ok(number) = value.call_method0("__float__").and_then(|f| f.extract::<f64>())
    {
        return Ok(Value::Float(number));
    }
    let instead = columns::instead(value);
    Err(refuse(type_error, format!("values of type {} are not supported: {instead}", type_name(value))))
}
