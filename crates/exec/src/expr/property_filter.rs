//! A predicate that compares one property with constants: takes a group, gives the positions that pass, by
//! comparing encoded values. No value is taken out, no vector is made.
//!
//! A range of integers, dates or instants is compared as codes, or looked up in a set; a condition on text is
//! asked once per dictionary entry. What the columns cannot answer so (`None`) is left to the evaluator.

use std::cmp::Ordering;
use std::sync::Arc;

use trimorph_algebra::Op;
use trimorph_base::{NodeId, TableId};
use trimorph_store::access::PropertyAccess;
use trimorph_store::{Comparison, Condition, PropertyColumn};
use trimorph_types::{LogicalType, Value};
use trimorph_vector::{Edges, Group, Nodes, Selection, Values};

use super::key_set::KeySet;
use super::range::{Step, swapped};
use super::{Ex, Members};
use crate::Context;
use crate::layout::Place;

/// The predicate.
pub(crate) struct PropertyFilter {
    /// Whose property.
    pub(crate) place: Place,
    columns: Arc<PropertyAccess>,
    kind: Kind,
}

enum Kind {
    /// All of these comparisons.
    Range(Vec<(Step, Op, Value)>),
    /// A comparison with a text that gives this.
    Text(Op, Arc<str>, bool),
    /// One of the elements of a list.
    Among(Arc<Members>),
    /// A key of a join's other side, or perhaps another value.
    Key(Arc<KeySet>),
    /// Not null, or null.
    Present(bool),
}

/// What is known of a table's column.
#[derive(Clone, Debug, Default)]
enum Known {
    #[default]
    Unknown,
    /// The table has no such property.
    Missing,
    General,
    Column {
        low: i64,
        high: i64,
        comparison: Comparison,
    },
}

/// What is remembered between groups: one per operator and thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct TestState {
    nodes: Vec<Known>,
    edges: Vec<Known>,
}

impl PropertyFilter {
    /// The predicate as a filter, if it is one.
    pub(crate) fn of(predicate: &Ex) -> Option<Self> {
        match predicate {
            Ex::Op(Op::And, parts, _) => {
                let mut parts = parts.iter().map(Self::of);
                let mut all = parts.next()??;
                for part in parts {
                    all = all.and(part?).ok()?;
                }
                Some(all)
            }
            Ex::Op(Op::Not, args, _) => args.first().and_then(Self::of)?.negated(),
            Ex::Op(op @ (Op::IsNull | Op::IsNotNull), args, _) => {
                let [Ex::Property { base, columns, .. }] = &args[..] else { return None };
                let Ex::Slot(place) = **base else { return None };
                let kind = Kind::Present(*op == Op::IsNotNull);
                Some(Self { place, columns: Arc::clone(columns), kind })
            }
            Ex::In(value, members, _) => {
                let Ex::Property { base, columns, .. } = &**value else { return None };
                let Ex::Slot(place) = **base else { return None };
                Some(Self { place, columns: Arc::clone(columns), kind: Kind::Among(Arc::clone(members)) })
            }
            Ex::Op(op, args, _) => {
                let (compared, op, value) = match &args[..] {
                    [Ex::Const(value), compared] => (compared, swapped(*op)?, value),
                    [compared, Ex::Const(value)] => (compared, *op, value),
                    _ => return None,
                };
                if let (Op::Eq, Some((base, kind))) = (op, Kind::of_start(compared, value)) {
                    let Ex::Property { base, columns, .. } = base else { return None };
                    let Ex::Slot(place) = **base else { return None };
                    return Some(Self { place, columns: Arc::clone(columns), kind });
                }
                let (step, compared) = Step::of(compared);
                let Ex::Property { base, columns, .. } = compared else { return None };
                let Ex::Slot(place) = **base else { return None };
                Some(Self { place, columns: Arc::clone(columns), kind: Kind::of(step, op, value)? })
            }
            _ => None,
        }
    }

    /// That a property is a key of a join's other side, or perhaps is.
    pub(crate) fn of_keys(place: Place, columns: Arc<PropertyAccess>, keys: Arc<KeySet>) -> Self {
        Self { place, columns, kind: Kind::Key(keys) }
    }

    /// The opposite, where it is as simple: of values of the type that is compared, one of two comparisons is
    /// true, and of others both are null.
    fn negated(mut self) -> Option<Self> {
        match &mut self.kind {
            Kind::Text(_, _, wanted) => *wanted = !*wanted,
            Kind::Range(bounds) => match &mut bounds[..] {
                // Compared with NaN both are false.
                [(_, _, Value::Float(number))] if number.is_nan() => return None,
                [(_, op, _)] => *op = opposite(*op)?,
                _ => return None,
            },
            Kind::Present(present) => *present = !*present,
            Kind::Among(_) | Kind::Key(_) => return None,
        }
        Some(self)
    }

    /// Both tests as one, if they are ranges of the same property; else the first back.
    pub(crate) fn and(mut self, other: Self) -> Result<Self, Self> {
        let same = self.place == other.place && self.columns.is_same(&other.columns);
        match (&mut self.kind, other.kind) {
            (Kind::Range(bounds), Kind::Range(more)) if same => {
                bounds.extend(more);
                Ok(self)
            }
            _ => Err(self),
        }
    }

    /// The column of an edge table and the integers in it that pass; `None` where that is no range.
    pub(crate) fn edge_range<'a, 's>(
        &self,
        table: usize,
        cx: &'a Context<'s>,
    ) -> Option<(PropertyColumn<'a, 's>, i64, i64)> {
        let column = self.columns.of_edges(table, &cx.reader)?;
        let (low, high) = self.bounds(column.logical_type())?;
        Some((column, low, high))
    }

    fn bounds(&self, ty: LogicalType) -> Option<(i64, i64)> {
        let Kind::Range(bounds) = &self.kind else { return None };
        let (mut low, mut high) = (i64::MIN, i64::MAX);
        for (step, op, value) in bounds {
            let (l, h) = step.integer_range(ty, *op, value)?;
            low = low.max(l);
            high = high.min(h);
        }
        Some((low, high))
    }

    fn known(&self, column: Option<PropertyColumn<'_, '_>>) -> Known {
        let Some(column) = column else {
            // What a table has no column for is null in all of its rows.
            return if matches!(self.kind, Kind::Present(false)) { Known::General } else { Known::Missing };
        };
        let ty = column.logical_type();
        match self.kind {
            Kind::Present(_) => Known::Column { low: 0, high: 0, comparison: Comparison::default() },
            Kind::Text(..) if ty == LogicalType::String => {
                Known::Column { low: 0, high: 0, comparison: Comparison::default() }
            }
            Kind::Text(..) => Known::General,
            // Exceptions may be among the elements, and are left to the evaluator.
            Kind::Among(ref members) if members.is_asked_of(ty) => {
                Known::Column { low: 0, high: 0, comparison: Comparison::default() }
            }
            Kind::Key(ref keys) if keys.is_asked_of(ty) => {
                Known::Column { low: 0, high: 0, comparison: Comparison::default() }
            }
            Kind::Among(_) | Kind::Key(_) => Known::General,
            Kind::Range(_) => match self.bounds(ty) {
                Some((low, high)) => Known::Column { low, high, comparison: Comparison::default() },
                None => Known::General,
            },
        }
    }

    /// The column of a node table or edge table.
    fn column<'a, 's>(
        &self,
        edges: bool,
        table: usize,
        cx: &'a Context<'s>,
    ) -> Option<PropertyColumn<'a, 's>> {
        if edges {
            return self.columns.of_edges(table, &cx.reader);
        }
        // The number was a table's id.
        self.columns.of_nodes(TableId(u16::try_from(table).ok()?), &cx.reader)
    }

    /// What is known of the column of a node table or edge table.
    #[inline]
    fn look<'t>(
        &self,
        edges: bool,
        table: usize,
        state: &'t mut TestState,
        cx: &Context<'_>,
    ) -> &'t mut Known {
        let tables = if edges { &mut state.edges } else { &mut state.nodes };
        if tables.len() <= table {
            tables.resize_with(table + 1, Known::default);
        }
        let known = &mut tables[table];
        if matches!(known, Known::Unknown) {
            *known = self.known(self.column(edges, table, cx));
        }
        known
    }

    /// Calls `ask` with the condition.
    #[inline]
    fn with<T>(
        &self,
        column: PropertyColumn<'_, '_>,
        low: i64,
        high: i64,
        ask: impl FnOnce(&Condition<'_>) -> T,
    ) -> T {
        match &self.kind {
            Kind::Range(_) => ask(&Condition::Range(low, high)),
            Kind::Text(op, other, true) => ask(&Condition::Text {
                equal: (*op == Op::Eq).then_some(&**other),
                prefix: (*op == Op::StartsWith).then_some(&**other),
                order: wanted_order(*op).map(|wanted| (&**other, wanted)),
                passes: &|text| text_passes(*op, text, other),
            }),
            Kind::Text(op, other, false) => ask(&Condition::Text {
                equal: None,
                prefix: None,
                order: opposite(*op).and_then(wanted_order).map(|wanted| (&**other, wanted)),
                passes: &|text| !text_passes(*op, text, other),
            }),
            Kind::Among(members) => match members.integers_of(column.logical_type()) {
                Some(set) => ask(&Condition::Among(set)),
                None => ask(&Condition::Text {
                    equal: None,
                    prefix: None,
                    order: None,
                    passes: &|text| members.has_text(text),
                }),
            },
            Kind::Key(keys) => match keys.integers_of(column.logical_type()) {
                Some(set) => ask(&Condition::Among(set)),
                None => ask(&Condition::Text {
                    equal: None,
                    prefix: None,
                    order: None,
                    passes: &|text| keys.has_text(text),
                }),
            },
            Kind::Present(present) => ask(&Condition::Present(*present)),
        }
    }

    /// How many positions of a group pass, where all are selected and their values lie one after the other.
    pub(crate) fn count(&self, group: &Group<'_>, state: &mut TestState, cx: &Context<'_>) -> Option<usize> {
        if group.selection != Selection::All || group.multiplicity.is_some() {
            return None;
        }
        let vector = &group.vectors[self.place.slot];
        if !vector.nulls.is_none() {
            return None;
        }
        let run = Run::of(&vector.values, cx)?;
        match self.look(run.edges, run.table, state, cx) {
            Known::Missing => Some(0),
            Known::Column { low, high, comparison } => {
                let column = self.column(run.edges, run.table, cx)?;
                self.with(column, *low, *high, |c| column.count(comparison, c, run.first, group.len))
            }
            Known::General | Known::Unknown => None,
        }
    }

    /// Appends the selected positions of a group that pass to `out`, which is empty.
    pub(crate) fn select(
        &self,
        group: &Group<'_>,
        state: &mut TestState,
        cx: &Context<'_>,
        out: &mut Vec<u32>,
    ) -> Option<()> {
        let vector = &group.vectors[self.place.slot];
        if !vector.nulls.is_none() {
            return None;
        }
        if let Some(run) = Run::of(&vector.values, cx) {
            return match self.look(run.edges, run.table, state, cx) {
                Known::Missing => Some(()),
                Known::Column { low, high, comparison } => {
                    let column = self.column(run.edges, run.table, cx)?;
                    self.with(column, *low, *high, |c| match &group.selection {
                        Selection::All => column.select(comparison, c, run.first, group.len, out),
                        // Where some rows are left out, as those that are gone, a run costs less than they.
                        Selection::List(list) if list.len() > group.len / 2 => {
                            column.select(comparison, c, run.first, group.len, out)?;
                            keep_common(out, list);
                            Some(())
                        }
                        Selection::List(list) => {
                            let rows = list.iter().map(|i| (*i, run.first + u64::from(*i)));
                            column.select_at(comparison, c, rows, out)
                        }
                    })
                }
                Known::General | Known::Unknown => None,
            };
        }
        match &vector.values {
            Values::Node(Nodes::Ids { table: None, ids }) => {
                self.select_mixed(ids.get(..group.len)?, &group.selection, state, cx, out)
            }
            Values::Node(nodes) => {
                let table = nodes.table()?;
                let known = self.look(false, table.0 as usize, state, cx);
                self.select_at(
                    known,
                    self.columns.of_nodes(table, &cx.reader),
                    group,
                    |i| nodes.id(i as usize).row(),
                    out,
                )
            }
            Values::Edge(Edges::Ids(ids)) => {
                if group.selection.count(group.len) == 0 {
                    return Some(());
                }
                let id = ids[group.selection.position(0)].table();
                let table = id.0 as usize;
                let same = match &group.selection {
                    Selection::All => ids[..group.len].iter().all(|e| e.table() == id),
                    Selection::List(list) => list.iter().all(|i| ids[*i as usize].table() == id),
                };
                if !same {
                    return None;
                }
                let known = self.look(true, table, state, cx);
                let column = self.columns.of_edges(table, &cx.reader);
                let mut slots = column.map(|column| column.slots());
                let slot_of = |i: u32| slots.as_mut().map_or(u64::MAX, |slot| slot(ids[i as usize]));
                self.select_at(known, column, group, slot_of, out)
            }
            _ => None,
        }
    }

    /// Nodes of several tables, run by run: a list is sorted by table.
    fn select_mixed(
        &self,
        ids: &[NodeId],
        selection: &Selection,
        state: &mut TestState,
        cx: &Context<'_>,
        out: &mut Vec<u32>,
    ) -> Option<()> {
        match selection {
            Selection::All => {
                let mut first = 0;
                for run in ids.chunk_by(|a, b| a.table() == b.table()) {
                    // Groups are far shorter than 2^32.
                    let rows = run.iter().enumerate().map(|(i, node)| ((first + i) as u32, node.row()));
                    self.select_run(run.first()?.table(), rows, state, cx, out)?;
                    first += run.len();
                }
            }
            Selection::List(list) => {
                let node = |i: &u32| ids[*i as usize];
                for run in list.chunk_by(|a, b| node(a).table() == node(b).table()) {
                    let rows = run.iter().map(|i| (*i, node(i).row()));
                    self.select_run(node(run.first()?).table(), rows, state, cx, out)?;
                }
            }
        }
        Some(())
    }

    /// Positions and rows of one table.
    fn select_run(
        &self,
        table: TableId,
        rows: impl ExactSizeIterator<Item = (u32, u64)>,
        state: &mut TestState,
        cx: &Context<'_>,
        out: &mut Vec<u32>,
    ) -> Option<()> {
        match self.look(false, table.0 as usize, state, cx) {
            Known::Missing => Some(()),
            Known::Column { low, high, comparison } => {
                let column = self.columns.of_nodes(table, &cx.reader)?;
                self.with(column, *low, *high, |c| column.select_at(comparison, c, rows, out))
            }
            Known::General | Known::Unknown => None,
        }
    }

    /// Positions whose rows lie anywhere.
    fn select_at(
        &self,
        known: &mut Known,
        column: Option<PropertyColumn<'_, '_>>,
        group: &Group<'_>,
        mut row: impl FnMut(u32) -> u64,
        out: &mut Vec<u32>,
    ) -> Option<()> {
        match known {
            Known::Missing => Some(()),
            Known::Column { low, high, comparison } => {
                let column = column?;
                self.with(column, *low, *high, |c| match &group.selection {
                    Selection::All => {
                        // Groups are far shorter than 2^32.
                        column.select_at(comparison, c, (0..group.len as u32).map(|i| (i, row(i))), out)
                    }
                    Selection::List(list) => {
                        column.select_at(comparison, c, list.iter().map(|i| (*i, row(*i))), out)
                    }
                })
            }
            Known::General | Known::Unknown => None,
        }
    }
}

/// Nodes or edges whose rows or slots follow each other.
pub(super) struct Run {
    pub(super) edges: bool,
    pub(super) table: usize,
    pub(super) first: u64,
}

impl Run {
    #[inline]
    pub(super) fn of(values: &Values<'_>, cx: &Context<'_>) -> Option<Self> {
        match values {
            Values::Node(Nodes::Range(first)) => {
                Some(Self { edges: false, table: first.table().0 as usize, first: first.row() })
            }
            Values::Edge(Edges::Slots { table, first, .. }) => {
                Some(Self { edges: true, table: *table, first: *first })
            }
            Values::Edge(Edges::Run(first)) => {
                let table = first.table().0 as usize;
                Some(Self { edges: true, table, first: cx.reader.edge_slot(*first) })
            }
            _ => None,
        }
    }
}

impl Kind {
    /// That the first characters of a text, `left(x, n)` or `substring(x, 0, n)`, are a text: what it is
    /// asked of, and how.
    fn of_start<'e>(start: &'e Ex, value: &Value) -> Option<(&'e Ex, Self)> {
        let (Ex::Call(function, args, _), Value::String(text)) = (start, value) else { return None };
        let (of, length) = match (function.name, &args[..]) {
            ("left", [of, Ex::Const(Value::Int(length))]) => (of, *length),
            ("substring", [of, Ex::Const(Value::Int(0)), Ex::Const(Value::Int(length))]) => (of, *length),
            _ => return None,
        };
        let op = match text.chars().count().cmp(&usize::try_from(length).ok()?) {
            Ordering::Equal => Op::StartsWith,
            // The whole text is shorter.
            Ordering::Less => Op::Eq,
            Ordering::Greater => return None,
        };
        Some((of, Self::Text(op, Arc::clone(text), true)))
    }

    fn of(step: Step, op: Op, value: &Value) -> Option<Self> {
        match (op, value) {
            (Op::Eq | Op::Lt | Op::Le | Op::Gt | Op::Ge, _) if step != Step::Value => {
                Some(Self::Range(vec![(step, op, value.clone())]))
            }
            _ if step != Step::Value => None,
            (
                Op::Eq
                | Op::Ne
                | Op::Lt
                | Op::Le
                | Op::Gt
                | Op::Ge
                | Op::StartsWith
                | Op::EndsWith
                | Op::Contains,
                Value::String(s),
            ) => Some(Self::Text(op, Arc::clone(s), true)),
            (Op::Eq | Op::Lt | Op::Le | Op::Gt | Op::Ge, _) => {
                Some(Self::Range(vec![(step, op, value.clone())]))
            }
            _ => None,
        }
    }
}

/// The comparison that is true where this one is false, of values that can be compared.
fn opposite(op: Op) -> Option<Op> {
    Some(match op {
        Op::Lt => Op::Ge,
        Op::Le => Op::Gt,
        Op::Gt => Op::Le,
        Op::Ge => Op::Lt,
        _ => return None,
    })
}

/// What a comparison with a text must give, where it is one of order.
fn wanted_order(op: Op) -> Option<fn(Ordering) -> bool> {
    Some(match op {
        Op::Lt => Ordering::is_lt,
        Op::Le => Ordering::is_le,
        Op::Gt => Ordering::is_gt,
        Op::Ge => Ordering::is_ge,
        Op::Ne => Ordering::is_ne,
        _ => return None,
    })
}

fn text_passes(op: Op, text: &str, other: &str) -> bool {
    match op {
        Op::Eq => text == other,
        Op::Ne => text != other,
        Op::Lt => text < other,
        Op::Le => text <= other,
        Op::Gt => text > other,
        Op::Ge => text >= other,
        Op::StartsWith => text.starts_with(other),
        Op::EndsWith => text.ends_with(other),
        Op::Contains => text.contains(other),
        _ => false,
    }
}

/// Leaves of ascending positions those that are also in a list of such.
fn keep_common(positions: &mut Vec<u32>, list: &[u32]) {
    let mut rest = list.iter().peekable();
    positions.retain(|position| {
        while rest.next_if(|own| *own < position).is_some() {}
        rest.next_if_eq(&position).is_some()
    });
}
