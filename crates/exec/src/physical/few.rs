//! Few rows: takes a plan of nothing but look-ups by key, conditions and computed values, gives its rows
//! where these are few, value by value. Small statements are mostly of this kind, and vectors, chunks and
//! operators for a single row took them most of their time: a read of one property by key 4 µs of 5.5.
//!
//! 1. Whether a plan is of this kind is found out when it is made ([`Few::of`]).
//! 2. When it is run, a row goes through all its steps before the next one does ([`PhysicalPlan::few_rows`]).
//! 3. What comes out of the ordinary leaves it to the operators: more rows than a few, an error of any kind,
//!    something that could not be read. Nothing has been done by then that would be seen.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_algebra::{LookupBy, Op, VarId};
use trimorph_base::NodeId;
use trimorph_store::{Reader, Snapshot, Wanted};
use trimorph_types::Value;

use super::{Node, PhysicalPlan, Spec};
use crate::expr::{Ex, apply_pure, bounded};
use crate::ops::{ApplyMode, ApplySpec, ComputeSpec, FilterStep, LookupSpec};
use crate::parameters::check_entities;
use crate::{GivenRows, Settings};

/// Rows that a plan may start from, and find. Beyond these vectors are faster.
const ROWS_MAX: usize = 8;
/// Bytes of a text up to which it is computed with here: longer ones are charged to the memory limit.
const TEXT_BYTES_MAX: usize = 1 << 10;

/// A plan, or the part of it that is run for each row of an apply.
#[derive(Debug)]
pub(crate) struct Few {
    first: First,
    steps: Vec<Step>,
}

/// What the rows come from.
#[derive(Debug)]
enum First {
    Unit,
    Given(Arc<[VarId]>),
    /// The row of the apply around.
    Argument,
}

#[derive(Debug)]
enum Step {
    LookUp(Arc<LookupSpec>),
    Filter(Arc<[FilterStep]>),
    Compute(Arc<ComputeSpec>),
    Join { spec: Arc<ApplySpec>, slots: Arc<[usize]>, optional: bool, within: Few },
}

/// The values of a row, by slots.
type Slots = Vec<Value>;

impl Few {
    /// None where the plan has other operators, or expressions that are more than parameters, properties and
    /// what operators make of them.
    pub(crate) fn of(mut node: &Node) -> Option<Self> {
        let mut steps = Vec::new();
        let first = loop {
            steps.push(match &node.spec {
                Spec::Unit => break First::Unit,
                Spec::Given(vars) => break First::Given(Arc::clone(vars)),
                Spec::Argument => break First::Argument,
                Spec::KeyLookup(spec) if is_plain(spec) => Step::LookUp(Arc::clone(spec)),
                Spec::Filter(tests) if tests.iter().all(|test| is_simple(&test.predicate)) => {
                    Step::Filter(Arc::clone(tests))
                }
                Spec::Compute(spec) if computes_simply(spec) => Step::Compute(Arc::clone(spec)),
                // Pairs are told by who finds them.
                Spec::Apply(spec) if spec.pair.is_none() => {
                    let ApplyMode::Join { slots, optional } = &spec.mode else { return None };
                    let within = Self::of(node.inputs.get(1)?)?;
                    let (spec, slots) = (Arc::clone(spec), Arc::clone(slots));
                    Step::Join { spec, slots, optional: *optional, within }
                }
                _ => return None,
            });
            node = node.inputs.first()?;
        };
        steps.reverse();
        Some(Self { first, steps })
    }
}

/// Whether it asks for one key, of an index.
fn is_plain(spec: &LookupSpec) -> bool {
    spec.by == LookupBy::Equal && spec.together.is_none() && !spec.by_scan && is_simple(&spec.key)
}

fn computes_simply(spec: &ComputeSpec) -> bool {
    spec.fresh.is_none() && spec.items.iter().all(|(place, ex)| place.group == 0 && is_simple(ex))
}

fn is_simple(ex: &Ex) -> bool {
    match ex {
        Ex::Const(_) | Ex::Param(_) => true,
        Ex::Slot(place) => place.group == 0,
        Ex::Property { base, .. } => is_simple(base),
        Ex::Op(op, args, _) => is_simple_operator(*op) && args.iter().all(is_simple),
        _ => false,
    }
}

/// What makes something small of small operands, and asks for all of them.
fn is_simple_operator(op: Op) -> bool {
    let computes = matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod | Op::Neg);
    let compares = matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge);
    let asks = matches!(op, Op::Not | Op::IsNull | Op::IsNotNull);
    computes || compares || asks || matches!(op, Op::StartsWith | Op::EndsWith | Op::Contains)
}

/// Whether operators make something small of it.
fn is_small(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= TEXT_BYTES_MAX,
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => true,
        Value::Date(_) | Value::LocalDateTime(_) | Value::DateTime(_) | Value::Duration(_) => true,
        _ => false,
    }
}

impl PhysicalPlan {
    /// Whether [`Self::few_rows`] may give its rows.
    pub fn may_be_few(&self) -> bool {
        self.few.is_some()
    }

    /// All its rows, where they are few and there is no more to it than look-ups by key: from `given` ones,
    /// where the plan starts from an argument. `None` where it is to be run by operators.
    pub fn few_rows(
        &self,
        given: Option<&GivenRows>,
        snapshot: &Snapshot,
        settings: &Settings,
    ) -> Option<Vec<Vec<Value>>> {
        let few = self.few.as_ref()?;
        if settings.profile || settings.cancel.is_cancelled() || given.is_some_and(|g| g.len > ROWS_MAX) {
            return None;
        }
        let parameters = &*settings.parameters;
        let reader = Reader::new(snapshot);
        check_entities(parameters, &reader).ok()?;
        let mut rows = Vec::new();
        let mut run = Run {
            reader: &reader,
            settings,
            parameters,
            left: ROWS_MAX,
            found: Vec::new(),
            rows: Vec::new(),
        };
        let mut give = |row: &mut Slots| {
            rows.push(self.columns.iter().map(|slot| take_or_clone(row, *slot, &self.columns)).collect());
        };
        match &few.first {
            First::Unit => run.steps(&few.steps, Vec::with_capacity(self.group_slots), &mut give)?,
            First::Argument => return None,
            First::Given(vars) => {
                let given = given?;
                for at in 0..given.len {
                    let value = |var: &VarId| {
                        let column = given.vars.iter().position(|own| own == var)?;
                        given.columns.get(column)?.get(at).cloned()
                    };
                    run.steps(&few.steps, vars.iter().map(value).collect::<Option<_>>()?, &mut give)?;
                }
            }
        }
        reader.failure().is_none().then_some(rows)
    }
}

/// The value of a slot, which is not looked at again unless several columns have it.
fn take_or_clone(row: &mut Slots, slot: usize, columns: &[usize]) -> Value {
    let Some(value) = row.get_mut(slot) else { return Value::Null };
    if columns.iter().filter(|column| **column == slot).count() > 1 {
        return value.clone();
    }
    std::mem::take(value)
}

/// What takes rows.
type Give<'g> = dyn FnMut(&mut Slots) + 'g;

/// One run.
struct Run<'r, 's> {
    reader: &'r Reader<'s>,
    settings: &'r Settings,
    parameters: &'r BTreeMap<Arc<str>, Value>,
    /// How many more rows may be found.
    left: usize,
    /// Nodes that were found, of look-ups below others last; and rows of one table, for now.
    found: Vec<NodeId>,
    rows: Vec<u64>,
}

impl Run<'_, '_> {
    /// Has a row go through `steps`; none where operators are to do it.
    fn steps(&mut self, steps: &[Step], mut row: Slots, give: &mut Give<'_>) -> Option<()> {
        let Some((step, rest)) = steps.split_first() else {
            give(&mut row);
            return Some(());
        };
        match step {
            Step::LookUp(spec) => {
                let from = self.found.len();
                self.look_up(spec, &row)?;
                while let Some(node) = self.found.get(from).copied() {
                    // The last one has the row itself.
                    let is_last = self.found.len() == from + 1;
                    self.found.remove(from);
                    if is_last {
                        return self.steps(rest, with_found(spec, row, node), give);
                    }
                    self.steps(rest, with_found(spec, row.clone(), node), give)?;
                }
                Some(())
            }
            Step::Filter(tests) => {
                for test in &**tests {
                    match self.value(&test.predicate, &row)? {
                        Value::Bool(true) => {}
                        Value::Bool(false) | Value::Null => return Some(()),
                        _ => return None,
                    }
                }
                self.steps(rest, row, give)
            }
            Step::Compute(spec) => {
                for (place, ex) in &spec.items {
                    let value = self.value(ex, &row)?;
                    put(&mut row, place.slot, value);
                }
                self.steps(rest, row, give)
            }
            Step::Join { spec, slots, optional, within } => {
                let argument = |slot: &usize| row.get(*slot).cloned().unwrap_or_default();
                let mut argument: Slots = spec.arguments.iter().map(argument).collect();
                // Its number: nobody asks for it where rows go through one by one.
                argument.push(Value::Int(0));
                let mut joined: Vec<Slots> = Vec::new();
                let kept = |row: &Slots| -> Slots {
                    spec.keep.iter().map(|slot| row.get(*slot).cloned().unwrap_or_default()).collect()
                };
                let mut join = |sub: &mut Slots| {
                    let mut out = kept(&row);
                    out.extend(slots.iter().map(|slot| sub.get(*slot).cloned().unwrap_or_default()));
                    joined.push(out);
                };
                self.steps(&within.steps, argument, &mut join)?;
                if joined.is_empty() && *optional {
                    let mut out = kept(&row);
                    out.resize(out.len() + slots.len(), Value::Null);
                    joined.push(out);
                }
                joined.into_iter().try_for_each(|row| self.steps(rest, row, give))
            }
        }
    }

    /// Appends the nodes that a look-up finds for a row.
    fn look_up(&mut self, spec: &LookupSpec, row: &Slots) -> Option<()> {
        let key = self.value(&spec.key, row)?;
        if key.is_null() {
            return Some(());
        }
        let schema = self.reader.schema();
        let from = self.found.len();
        if spec.is_keyed(schema) {
            let find = |table: &_| Some(NodeId::new(*table, self.reader.find_key(*table, &key)?));
            self.found.extend(spec.tables.iter().filter_map(find));
        } else {
            let (name, wanted) = (spec.property.as_deref().unwrap_or_default(), Wanted::Equal(key));
            for table in &spec.tables {
                let Some(column) = schema.node_property(*table, name) else { continue };
                self.rows.clear();
                if !self.reader.find_values(*table, column, &wanted, &mut self.rows)
                    || self.rows.len() > self.left
                {
                    return None;
                }
                self.found.extend(self.rows.iter().map(|row| NodeId::new(*table, *row)));
            }
        }
        self.left = self.left.checked_sub(self.found.len() - from)?;
        Some(())
    }

    /// The value of an expression for a row.
    fn value(&self, ex: &Ex, row: &Slots) -> Option<Value> {
        match ex {
            Ex::Const(value) => Some(value.clone()),
            Ex::Param(name) => self.parameters.get(name).cloned(),
            Ex::Slot(place) => row.get(place.slot).cloned(),
            Ex::Property { base, columns, .. } => match self.value(base, row)? {
                Value::Null => Some(Value::Null),
                // Whether it is there still is asked by who says so.
                _ if self.reader.is_after_deletion() => None,
                Value::Node(node) => Some(columns.of_node(node, self.reader)),
                Value::Relationship(edge) => Some(columns.of_edge(edge.id, self.reader)),
                _ => None,
            },
            Ex::Op(op, args, _) => {
                let values = args.iter().map(|arg| self.value(arg, row).filter(is_small));
                let values = values.collect::<Option<Vec<_>>>()?;
                apply_pure(*op, &values, &self.settings.cancel)?.and_then(bounded).ok()
            }
            _ => None,
        }
    }
}

/// A row with the node that was found for it.
fn with_found(spec: &LookupSpec, mut row: Slots, node: NodeId) -> Slots {
    if spec.keep.iter().copied().eq(0..spec.keep.len()) {
        row.resize(spec.keep.len(), Value::Null);
    } else {
        row = spec.keep.iter().map(|slot| row.get(*slot).cloned().unwrap_or_default()).collect();
    }
    row.push(Value::Node(node));
    row
}

fn put(row: &mut Slots, slot: usize, value: Value) {
    if row.len() <= slot {
        row.resize(slot + 1, Value::Null);
    }
    row[slot] = value;
}
