//! The scalar evaluator: one tuple at a time, every expression.

use std::sync::Arc;

use trimorph_algebra::{Op, QuantifierKind};
use trimorph_base::{Diagnostic, ErrorKind, NodeId};
use trimorph_functions::{Kernel, operators as ops};
use trimorph_store::access::PropertyAccess;
use trimorph_types::{ListBuilder, Map, Path, Relationship, Value};
use trimorph_vector::{Chunk, Edges, Values};

use super::Ex;
use super::appended::{Appended, OfRow};
use super::items::Items;
use super::made::{Made, bounded, leave_operands};
use super::operands::{apply, call};
use super::quantified::answer;
use super::user_call::call_one;
use crate::Context;

/// One tuple of a chunk: the flat positions of flat groups and `position` in `group`; and the values of local
/// variables.
pub(crate) struct Row<'a, 's> {
    pub(crate) chunk: &'a Chunk<'s>,
    pub(crate) group: usize,
    pub(crate) position: usize,
    pub(crate) locals: Vec<Value>,
    /// Lists and maps of slots that bodies read, each with its slot and position: element after element reads
    /// the same.
    kept: Vec<(crate::layout::Place, usize, Value)>,
}

/// Lists and maps that a tuple keeps.
const KEPT_MAX: usize = 4;

impl<'a, 's> Row<'a, 's> {
    /// The tuple at `position` of `group`; any position if all groups read are flat.
    pub(crate) fn new(chunk: &'a Chunk<'s>, group: usize, position: usize) -> Self {
        Self { chunk, group, position, locals: Vec::new(), kept: Vec::new() }
    }

    /// The position of this tuple in a group.
    fn position_in(&self, group: usize) -> usize {
        match self.chunk.groups[group].flat {
            Some(flat) if group != self.group => flat,
            _ => self.position,
        }
    }

    fn slot(&mut self, place: crate::layout::Place, cx: &Context<'s>) -> Value {
        let position = self.position_in(place.group);
        let vector = &self.chunk.groups[place.group].vectors[place.slot];
        let made = || vector.value(position, &|id| cx.edge_value(id));
        // Out of bodies a slot is read once.
        if self.locals.is_empty()
            || !matches!(vector.values, Values::List(_) | Values::Map(_) | Values::Tuple(_))
        {
            return made();
        }
        if let Some((_, _, value)) = self.kept.iter().find(|(of, at, _)| (*of, *at) == (place, position)) {
            return value.clone();
        }
        let value = made();
        if self.kept.len() < KEPT_MAX {
            self.kept.push((place, position, value.clone()));
        }
        value
    }

    /// Evaluates `ex` on this tuple.
    pub(crate) fn eval(&mut self, ex: &Ex, cx: &Context<'s>) -> Result<Value, Diagnostic> {
        match ex {
            Ex::Const(v) => Ok(v.clone()),
            Ex::Param(name) => Err(Diagnostic::internal(format!("parameter \"${name}\" was not bound"))),
            Ex::Slot(place) => Ok(self.slot(*place, cx)),
            Ex::Local(i) => Ok(self.locals.get(*i).cloned().unwrap_or_default()),
            Ex::Property { base, key, columns, span } => {
                if let Some(value) = self.slot_property(base, columns, cx) {
                    return Ok(value);
                }
                let base = self.eval(base, cx)?;
                self.property(&base, key, columns, cx).map_err(|d| d.at(*span))
            }
            Ex::Op(op, args, span) => self.op(*op, args, cx).and_then(bounded).map_err(|d| d.at(*span)),
            Ex::In(value, members, span) => {
                let value = self.eval(value, cx)?;
                members.has(&value, &cx.settings.cancel).map_err(|d| d.at(*span))
            }
            Ex::ContainsAny { asked, .. } => self.eval(asked, cx),
            Ex::Chain(first, rest) => {
                let mut value = self.eval(first, cx)?;
                for (op, right, span) in rest {
                    let values = [value, self.eval(right, cx)?];
                    value = apply(*op, &values, cx).and_then(bounded).map_err(|d| d.at(*span))?;
                }
                Ok(value)
            }
            Ex::Call(function, args, _) if matches!(function.kernel, Kernel::ByNeed) => {
                for arg in args {
                    let value = self.eval(arg, cx)?;
                    if !value.is_null() {
                        return Ok(value);
                    }
                }
                Ok(Value::Null)
            }
            Ex::Call(function, args, span) => {
                let args = args.iter().map(|a| self.eval(a, cx)).collect::<Result<Vec<_>, _>>()?;
                let made = call(function, &args, *span, cx);
                leave_operands(args, cx);
                made
            }
            Ex::User(function, args, span) => {
                let args = args.iter().map(|a| self.eval(a, cx)).collect::<Result<Vec<_>, _>>()?;
                call_one(function, args, *span, cx)
            }
            Ex::HasLabel { base, nodes, edge_tables } => Ok(match self.eval(base, cx)? {
                Value::Null => Value::Null,
                Value::Node(n) => Value::Bool(nodes.passes_checked(n, cx)),
                Value::Relationship(r) => {
                    let is_of_type = edge_tables.get(r.id.table().0 as usize).copied().unwrap_or(false);
                    Value::Bool(is_of_type && !cx.is_edge_gone(r.id))
                }
                other => return Err(type_error("a node or relationship", &other)),
            }),
            Ex::List(items) => {
                bounded(Value::list(items.iter().map(|e| self.eval(e, cx)).collect::<Result<_, _>>()?))
            }
            Ex::Map(entries) => {
                let map: Map = entries
                    .iter()
                    .map(|(k, e)| Ok((Arc::clone(k), self.eval(e, cx)?)))
                    .collect::<Result<_, Diagnostic>>()?;
                bounded(Value::map(map))
            }
            Ex::MapProjection { base, all, entries } => self.map_projection(base, *all, entries, cx),
            Ex::Case { branches, otherwise } => {
                for (when, then) in branches {
                    if ops::truth(&self.eval(when, cx)?)? == Some(true) {
                        return self.eval(then, cx);
                    }
                }
                self.eval(otherwise, cx)
            }
            Ex::ListComprehension { local, list, filter, map } => {
                let Some(items) = self.list(list, cx)? else { return Ok(Value::Null) };
                let (mut out, mut made) = (ListBuilder::new(), Made::new(cx));
                for item in (0..items.len()).map(|i| items.get(i)) {
                    made.step()?;
                    self.set_local(*local, item.clone());
                    if let Some(filter) = filter
                        && ops::truth(&self.eval(filter, cx)?)? != Some(true)
                    {
                        continue;
                    }
                    let value = match map {
                        Some(map) => self.eval(map, cx)?,
                        None => item,
                    };
                    made.add(&value)?;
                    out.push(value);
                }
                bounded(out.finish())
            }
            Ex::Quantifier { kind, local, list, predicate } => {
                self.quantifier(*kind, *local, list, predicate, cx)
            }
            Ex::Reduce { acc, init, local, list, body } => {
                let mut value = self.eval(init, cx)?;
                let Some(items) = self.list(list, cx)? else { return Ok(Value::Null) };
                let mut made = Made::new(cx);
                let mut appended = Appended::of(body, *acc, items.len());
                for item in (0..items.len()).map(|i| items.get(i)) {
                    made.step()?;
                    self.set_local(*acc, value);
                    self.set_local(*local, item);
                    value = match &mut appended {
                        Some(appended) => appended.eval(self, cx)?,
                        None => self.eval(body, cx)?,
                    };
                }
                Ok(value)
            }
            Ex::Path(parts) => self.path(parts, cx),
        }
    }

    pub(super) fn set_local(&mut self, index: usize, value: Value) {
        if self.locals.len() <= index {
            self.locals.resize(index + 1, Value::Null);
        }
        self.locals[index] = value;
    }

    /// The elements of a list; none where it is null.
    fn list(&mut self, ex: &Ex, cx: &Context<'s>) -> Result<Option<Items>, Diagnostic> {
        match self.items(ex, cx)? {
            Ok(items) => Ok(Some(items)),
            Err(Value::Null) => Ok(None),
            Err(other) => Err(type_error("a list", &other)),
        }
    }

    /// The elements of a list, or the value where it is none.
    pub(crate) fn items(&mut self, ex: &Ex, cx: &Context<'s>) -> Result<Result<Items, Value>, Diagnostic> {
        if let Ex::Call(function, args, _) = ex
            && function.name == "range"
        {
            let args = args.iter().map(|a| self.eval(a, cx)).collect::<Result<Vec<_>, _>>()?;
            if let Some(range) = Items::range(&args) {
                return Ok(Ok(range));
            }
        }
        Ok(match self.eval(ex, cx)? {
            Value::List(items) => Ok(Items::List(items)),
            other => Err(other),
        })
    }

    /// A property of an edge that is known by its slot only.
    fn slot_property(&self, base: &Ex, columns: &PropertyAccess, cx: &Context<'s>) -> Option<Value> {
        let Ex::Slot(place) = base else { return None };
        let group = &self.chunk.groups[place.group];
        let Values::Edge(Edges::Slots { table, first, .. }) = &group.vectors.get(place.slot)?.values else {
            return None;
        };
        let (column, position) = (columns.of_edges(*table, &cx.reader), self.position_in(place.group));
        Some(column.map_or(Value::Null, |column| column.value(first + position as u64)))
    }

    pub(super) fn property(
        &self,
        base: &Value,
        key: &Arc<str>,
        columns: &PropertyAccess,
        cx: &Context<'s>,
    ) -> Result<Value, Diagnostic> {
        match base {
            Value::Node(n) => {
                cx.check_node(*n)?;
                Ok(columns.of_node(*n, &cx.reader))
            }
            Value::Relationship(r) => {
                cx.check_edge(r.id)?;
                Ok(columns.of_edge(r.id, &cx.reader))
            }
            other => ops::property_of(&cx.functions(&cx.graph()), other, key),
        }
    }

    fn op(&mut self, op: Op, args: &[Ex], cx: &Context<'s>) -> Result<Value, Diagnostic> {
        // AND and OR do not look at the second side where the first decides.
        if let (Op::And | Op::Or, [first, rest @ ..]) = (op, args) {
            let mut value = self.eval(first, cx)?;
            for arg in rest {
                if matches!((op, &value), (Op::And, Value::Bool(false)) | (Op::Or, Value::Bool(true))) {
                    return Ok(value);
                }
                let right = self.eval(arg, cx)?;
                value = if op == Op::And { ops::and(&value, &right)? } else { ops::or(&value, &right)? };
            }
            return Ok(value);
        }
        if let (Op::In, [value, list @ Ex::Call(..)]) = (op, args) {
            let value = self.eval(value, cx)?;
            return match self.items(list, cx)? {
                Ok(items) => items.has(&value, cx),
                Err(other) => ops::in_list(&value, &other),
            };
        }
        let values = args.iter().map(|a| self.eval(a, cx)).collect::<Result<Vec<_>, _>>()?;
        let made = apply(op, &values, cx);
        leave_operands(values, cx);
        made
    }

    fn map_projection(
        &mut self,
        base: &Ex,
        all: bool,
        entries: &[(Arc<str>, Ex)],
        cx: &Context<'s>,
    ) -> Result<Value, Diagnostic> {
        let base = self.eval(base, cx)?;
        let mut map = match &base {
            Value::Null => return Ok(Value::Null),
            _ if !all => Map::new(),
            Value::Node(n) => {
                cx.check_node(*n)?;
                cx.reader.node_properties(*n)
            }
            Value::Relationship(r) => {
                cx.check_edge(r.id)?;
                cx.reader.edge_properties(r.id)
            }
            Value::Map(m) => Map::clone(m),
            other => return Err(type_error("a node, relationship or map", other)),
        };
        let mut own = Vec::with_capacity(entries.len());
        for (key, ex) in entries {
            own.push((Arc::clone(key), self.eval(ex, cx)?));
        }
        map.extend(own);
        bounded(Value::map(map))
    }

    fn quantifier(
        &mut self,
        kind: QuantifierKind,
        local: usize,
        list: &Ex,
        predicate: &Ex,
        cx: &Context<'s>,
    ) -> Result<Value, Diagnostic> {
        let Some(items) = self.list(list, cx)? else { return Ok(Value::Null) };
        let (mut trues, mut unknowns) = (0usize, 0usize);
        let mut made = Made::new(cx);
        for item in (0..items.len()).map(|i| items.get(i)) {
            made.step()?;
            self.set_local(local, item);
            match ops::truth(&self.eval(predicate, cx)?)? {
                Some(true) => trues += 1,
                None => unknowns += 1,
                Some(false) => {}
            }
        }
        Ok(answer(kind, items.len(), trues, unknowns).map_or(Value::Null, Value::Bool))
    }

    fn path(&mut self, parts: &[Ex], cx: &Context<'s>) -> Result<Value, Diagnostic> {
        let mut nodes: Vec<NodeId> = Vec::new();
        let mut relationships: Vec<Relationship> = Vec::new();
        let mut walk = |r: Relationship, nodes: &mut Vec<NodeId>| {
            let here = nodes.last().copied().unwrap_or(r.start);
            nodes.push(if r.start == here { r.end } else { r.start });
            relationships.push(r);
        };
        for part in parts {
            match self.eval(part, cx)? {
                Value::Null => return Ok(Value::Null),
                // Nodes after the first are reached by the walk itself.
                Value::Node(n) if nodes.is_empty() => nodes.push(n),
                Value::Node(_) => {}
                Value::Relationship(r) => walk(r, &mut nodes),
                Value::List(items) => {
                    for item in items.iter() {
                        if let Value::Relationship(r) = item {
                            walk(*r, &mut nodes);
                        }
                    }
                }
                other => return Err(type_error("a node or relationship", &other)),
            }
        }
        Ok(Value::Path(Arc::new(Path { nodes, relationships })))
    }
}

impl<'s> OfRow<'s> for Row<'_, 's> {
    fn evaluate(&mut self, ex: &Ex, cx: &Context<'s>) -> Result<Value, Diagnostic> {
        self.eval(ex, cx)
    }

    fn take_local(&mut self, local: usize) -> Value {
        self.locals.get_mut(local).map(std::mem::take).unwrap_or_default()
    }
}

pub(crate) fn type_error(expected: &str, found: &Value) -> Diagnostic {
    let text = format!("expected {expected}, found {}", found.logical_type().name());
    Diagnostic::runtime(ErrorKind::TypeError, "InvalidArgumentType", text)
}
