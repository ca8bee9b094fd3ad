//! The elements that `IN` looks through: takes a list, gives whether a value is in it.
//!
//! 1. Elements are put into sets by their type, once for an execution and not for each chunk or row: a
//!    parameter may have millions. Numbers that are whole are one set, whatever their type: 1 = 1.0.
//! 2. Lists and maps in which all values are known to be equal or not are in a set too. Others, and literals,
//!    whose equality may be unknown, are compared one by one; only values of these types are compared with
//!    them. A list or map that is asked for and may be unknown itself is compared with all of them.
//! 3. A null makes "not found" unknown. NaN equals nothing.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use trimorph_base::{CancelToken, Diagnostic, EdgeId, MemoryBudget, NodeId, Reservation};
use trimorph_functions::operators as ops;
use trimorph_store::IntegerSet;
use trimorph_types::number::exact_int;
use trimorph_types::{Grouping, LogicalType, Value};
use trimorph_vector::{Nulls, Positions, Texts, Values, Vector, instant_nanos, local_nanos};

/// Elements looked at between two looks at the flag that cancels.
const UNCHECKED: usize = 1 << 14;

/// The elements of a list, by their types.
#[derive(Debug)]
pub(crate) struct Members {
    is_empty: bool,
    has_null: bool,
    /// Numbers that are whole.
    whole: IntegerSet,
    /// By type, as columns and vectors of them have them: days or nanoseconds.
    temporal: [(LogicalType, IntegerSet); 4],
    texts: FxHashSet<Arc<str>>,
    iris: FxHashSet<Arc<str>>,
    nodes: FxHashSet<NodeId>,
    edges: FxHashSet<EdgeId>,
    /// All numbers as floats, where they are few and floats are exactly what they are.
    floats: Option<Vec<f64>>,
    /// Whatever else equals what it is equivalent to, or does not for certain.
    others: FxHashSet<Grouping>,
    /// Lists, maps and literals.
    compared: Value,
    /// Those of them that are in no set.
    uncertain: Value,
    /// What all of it takes.
    _held: Reservation,
}

/// Numbers that are compared one after the other, rather than looked up.
const FLOATS_MAX: usize = 8;

/// The numbers among values as floats; `None` where they are more than a few, or some is no float.
fn few_floats<'v>(values: impl Iterator<Item = &'v Value>) -> Option<Vec<f64>> {
    let mut floats = Vec::new();
    for value in values {
        match value {
            Value::Float(float) => floats.push(*float),
            Value::Int(int) if exact_int(*int as f64) == Some(*int) => floats.push(*int as f64),
            Value::Int(_) | Value::Decimal(_) => return None,
            _ => {}
        }
        if floats.len() > FLOATS_MAX {
            return None;
        }
    }
    Some(floats)
}

const TEMPORAL: [LogicalType; 4] =
    [LogicalType::Date, LogicalType::LocalTime, LogicalType::LocalDateTime, LogicalType::DateTime];

/// The place among [`TEMPORAL`], and the integer that vectors have for it.
fn temporal(value: &Value) -> Option<(usize, i64)> {
    Some(match value {
        Value::Date(date) => (0, date.days),
        Value::LocalTime(time) => (1, time.nanos),
        Value::LocalDateTime(local) => (2, local_nanos(local)?),
        Value::DateTime(instant) => (3, instant_nanos(instant)?),
        _ => return None,
    })
}

/// A number that is whole.
fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Int(i) => Some(*i),
        Value::Float(f) => exact_int(*f),
        Value::Decimal(decimal) => decimal.exact_int(),
        _ => None,
    }
}

/// Whether equality of this value is worked out by looking into both.
fn is_compared(value: &Value) -> bool {
    matches!(value, Value::List(_) | Value::Map(_) | Value::Literal(_))
}

/// Whether this value, or a list or map of such values, equals what it is equivalent to and nothing else.
fn is_certain(value: &Value) -> bool {
    match value {
        Value::Null | Value::Literal(_) => false,
        Value::Float(float) => !float.is_nan(),
        Value::List(items) => items.iter().all(is_certain),
        Value::Map(map) => map.iter().all(|(_, value)| is_certain(value)),
        _ => true,
    }
}

impl Members {
    /// The elements of a list; `None` for what is no list, for want of memory, or where `cancel` says stop:
    /// the general operator says so.
    pub(crate) fn of(list: &Value, budget: &MemoryBudget, cancel: &CancelToken) -> Option<Self> {
        let Value::List(items) = list else { return None };
        let mut held = budget.reservation();
        let count = |of: &dyn Fn(&Value) -> bool| items.iter().filter(|item| of(item)).count();
        let integers = count(&|v| whole(v).is_some() || temporal(v).is_some());
        held.grow(IntegerSet::bytes_for(integers)).ok()?;
        let texts = count(&|v| matches!(v, Value::String(_) | Value::Iri(_)));
        held.grow(set_bytes::<Arc<str>>(texts)).ok()?;
        held.grow(set_bytes::<Grouping>(items.len() - integers - texts)).ok()?;
        // These are in two lists besides.
        held.grow(2 * size_of::<Value>() * count(&is_compared)).ok()?;
        let mut wholes = Vec::new();
        let mut temporals: [Vec<i64>; 4] = Default::default();
        let (mut texts, mut iris) = (FxHashSet::default(), FxHashSet::default());
        let (mut nodes, mut edges) = (FxHashSet::default(), FxHashSet::default());
        let mut others = FxHashSet::default();
        let (mut compared, mut uncertain, mut has_null) = (Vec::new(), Vec::new(), false);
        for part in items.chunks(UNCHECKED) {
            if cancel.is_cancelled() {
                return None;
            }
            for item in part {
                match item {
                    Value::Null => has_null = true,
                    Value::String(text) => drop(texts.insert(Arc::clone(text))),
                    Value::Iri(iri) => drop(iris.insert(Arc::clone(iri))),
                    Value::Node(node) => drop(nodes.insert(*node)),
                    Value::Relationship(edge) => drop(edges.insert(edge.id)),
                    item if is_compared(item) => {
                        compared.push(item.clone());
                        if is_certain(item) {
                            others.insert(Grouping(item.clone()));
                        } else {
                            uncertain.push(item.clone());
                        }
                    }
                    Value::Float(float) if float.is_nan() => {}
                    item => match (whole(item), temporal(item)) {
                        (Some(integer), _) => wholes.push(integer),
                        (None, Some((ty, integer))) => temporals[ty].push(integer),
                        (None, None) => drop(others.insert(Grouping(item.clone()))),
                    },
                }
            }
        }
        let mut types = TEMPORAL.iter();
        let temporal = temporals
            .map(|integers| (types.next().copied().unwrap_or(LogicalType::Any), IntegerSet::new(integers)));
        Some(Self {
            is_empty: items.is_empty(),
            has_null,
            whole: IntegerSet::new(wholes),
            temporal,
            texts,
            iris,
            nodes,
            edges,
            floats: few_floats(items.iter()),
            others,
            compared: Value::list(compared),
            uncertain: Value::list(uncertain),
            _held: held,
        })
    }

    /// Of integers that no list holds; `None` for want of memory.
    pub(crate) fn of_integers(integers: Vec<i64>, budget: &MemoryBudget) -> Option<Self> {
        let mut held = budget.reservation();
        held.grow(IntegerSet::bytes_for(integers.len())).ok()?;
        Some(Self {
            is_empty: integers.is_empty(),
            has_null: false,
            whole: IntegerSet::new(integers),
            temporal: TEMPORAL.map(|ty| (ty, IntegerSet::new(Vec::new()))),
            texts: FxHashSet::default(),
            iris: FxHashSet::default(),
            nodes: FxHashSet::default(),
            edges: FxHashSet::default(),
            floats: None,
            others: FxHashSet::default(),
            compared: Value::list(Vec::new()),
            uncertain: Value::list(Vec::new()),
            _held: held,
        })
    }

    /// `value IN` the list, until `cancel` says stop.
    pub(crate) fn has(&self, value: &Value, cancel: &CancelToken) -> Result<Value, Diagnostic> {
        let found = match value {
            _ if self.is_empty => return Ok(Value::Bool(false)),
            // An element may be whatever null stands for.
            Value::Null => return Ok(Value::Null),
            value if is_compared(value) => {
                let is_certain = is_certain(value);
                let left = if is_certain { &self.uncertain } else { &self.compared };
                if is_certain && self.has_other(value) {
                    true
                } else {
                    match ops::in_list_until(value, left, Some(cancel))? {
                        Value::Null => return Ok(Value::Null),
                        found => matches!(found, Value::Bool(true)),
                    }
                }
            }
            Value::String(text) => self.texts.contains(&**text),
            Value::Iri(iri) => self.iris.contains(&**iri),
            Value::Node(node) => self.nodes.contains(node),
            Value::Relationship(edge) => self.edges.contains(&edge.id),
            Value::Float(float) if float.is_nan() => false,
            value => match (whole(value), temporal(value)) {
                (Some(integer), _) => self.whole.contains(integer),
                (None, Some((ty, integer))) => self.temporal[ty].1.contains(integer),
                (None, None) => self.has_other(value),
            },
        };
        Ok(if !found && self.has_null { Value::Null } else { Value::Bool(found) })
    }

    fn has_other(&self, value: &Value) -> bool {
        !self.others.is_empty() && self.others.contains(&Grouping(value.clone()))
    }

    /// Whether a text is in the list.
    pub(crate) fn has_text(&self, text: &str) -> bool {
        self.texts.contains(text)
    }

    /// Whether columns of this type can be asked as they are encoded.
    pub(crate) fn is_asked_of(&self, ty: LogicalType) -> bool {
        ty == LogicalType::String || self.integers_of(ty).is_some()
    }

    /// Those that a value of this type can equal, if columns of it are integers.
    pub(crate) fn integers_of(&self, ty: LogicalType) -> Option<&IntegerSet> {
        match ty {
            LogicalType::Int => Some(&self.whole),
            ty => self.temporal.iter().find(|(of, _)| *of == ty).map(|(_, set)| set),
        }
    }

    /// Which values of a vector are in the list; `None` where its type asks for one value after the other.
    pub(super) fn among<'s>(&self, v: &Vector<'s>, at: Positions<'_>) -> Option<Vector<'s>> {
        let (mut out, mut nulls) = (vec![false; at.len], Nulls::NONE);
        self.mark(v, at, &mut out, &mut nulls)?;
        Some(Vector { values: Values::Bool(out), nulls })
    }

    /// The same, put where it belongs.
    pub(super) fn mark(
        &self,
        v: &Vector<'_>,
        at: Positions<'_>,
        out: &mut [bool],
        nulls: &mut Nulls,
    ) -> Option<()> {
        if self.is_empty {
            return Some(());
        }
        let integers = self.integers_of(v.logical_type());
        match (&v.values, integers) {
            (
                Values::Int(v) | Values::LocalTime(v) | Values::LocalDateTime(v) | Values::DateTime(v),
                Some(set),
            ) => at.for_each(|i| out[i] = set.contains(v[i])),
            (Values::Date(v), Some(set)) => at.for_each(|i| out[i] = set.contains(v[i].into())),
            (Values::String(v), _) => among_texts(&self.texts, v, at, out),
            (Values::Iri(v), _) => among_texts(&self.iris, v, at, out),
            (Values::Node(v), _) => at.for_each(|i| out[i] = self.nodes.contains(&v.id(i))),
            (Values::Edge(v), _) => at.for_each(|i| out[i] = self.edges.contains(&v.id(i))),
            (Values::Duration(v), _) => at.for_each(|i| out[i] = self.has_other(&Value::Duration(v[i]))),
            (Values::Time(v), _) => at.for_each(|i| out[i] = self.has_other(&Value::Time(v[i]))),
            (Values::Decimal(v), _) => at.for_each(|i| {
                let decimal = v.at(i);
                out[i] = match decimal.exact_int() {
                    Some(integer) => self.whole.contains(integer),
                    None => self.has_other(&Value::Decimal(decimal)),
                }
            }),
            // NaN equals nothing.
            (Values::Float(v), _) if let Some(floats) = &self.floats => {
                at.for_each(|i| out[i] = floats.iter().fold(false, |is, float| is | (v[i] == *float)));
            }
            (Values::Float(v), _) => at.for_each(|i| {
                out[i] = match exact_int(v[i]) {
                    Some(integer) => self.whole.contains(integer),
                    None => !v[i].is_nan() && self.has_other(&Value::Float(v[i])),
                }
            }),
            (Values::Bool(v), _) => {
                let has = [false, true].map(|b| self.has_other(&Value::Bool(b)));
                at.for_each(|i| out[i] = has[usize::from(v[i])]);
            }
            _ => return None,
        }
        if self.has_null || !v.nulls.is_none() {
            at.for_each(|i| {
                if v.nulls.get(i) || (self.has_null && !out[i]) {
                    nulls.set(i, at.len);
                }
            });
        }
        Some(())
    }
}

/// Which texts are in a set; an entry of a dictionary is looked up once.
fn among_texts(set: &FxHashSet<Arc<str>>, texts: &Texts<'_>, at: Positions<'_>, out: &mut [bool]) {
    let Some((codes, entries)) = texts.codes().filter(|(codes, entries)| entries.len() < codes.len()) else {
        return at.for_each(|i| out[i] = set.contains(texts.get(i)));
    };
    let has: Vec<bool> = entries.iter().map(|entry| set.contains(entry)).collect();
    at.for_each(|i| out[i] = has[codes[i] as usize]);
}

/// Bytes of a table for so many: slots are a power of two, at most 7/8 of them taken, a byte besides each.
fn set_bytes<T>(count: usize) -> usize {
    (count * 8 / 7 + 1).next_power_of_two() * (size_of::<T>() + 1)
}
