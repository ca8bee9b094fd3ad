//! Key look-up: for each row the node that has a key, or those that have one of a list of keys, each once and
//! in the order of their rows.
//!
//! The keys of a vector are looked up together: few in the index, cache misses waited for together
//! (`storage/key_lookup.rs`); so many that they are a good part of all keys by one sweep over the column of
//! keys, each asked for in a table of those that are wanted.
//!
//! A vector is one chunk to begin with. While the hits are thin, and a longer vector would have them dense
//! enough for a sweep, the next is four times as long: so where few rows come little is looked up that nobody
//! asks for, and under LIMIT nothing. Where the budget has no room, vectors stay as they are.
//!
//! Source: Erling, "Virtuoso, a Hybrid RDBMS/Graph Column Store", "Vectored Execution" (adaptive vector
//! size).

use std::ops::ControlFlow;
use std::sync::Arc;

use trimorph_algebra::LookupBy;
use trimorph_base::{NodeId, Reservation, TableId};
use trimorph_catalog::Schema;
use trimorph_functions::operators as functions;
use trimorph_store::access::{self, AccessPlan, Choice, Kind, Pattern, Term};
use trimorph_store::{NO_ROW, PropertyColumn, Together, Wanted};
use trimorph_types::Value;
use trimorph_vector::{Chunk, Group, Nodes, Positions, Values, Vector};

use super::LookupSpec;
use super::lookup::wanted_of;
use crate::counters::Counters;
use crate::expr::evaluate;
use crate::keys::{KeyTable, NO_NUMBER, POSITIONS_UNCHECKED};
use crate::operator::{BoxOperator, Operator};
use crate::rows::{Rows, repeat};
use crate::spill::spare_least;
use crate::{Context, ExecError};

/// Rows of a vector after the first, at least and at most.
const LENGTH_MIN: usize = 1024;
const LENGTH_MAX: usize = 1 << 20;
/// How much longer a vector is than the one before.
const GROWTH: usize = 4;
/// Rows of the column that are swept over in the time in which one key is looked up in the index: 5 ns
/// against 60 to 130, and 20 for the table of wanted keys.
const SWEEP: usize = 4;
/// The same where not all of the index stays in memory: a key may take the reading of two pieces, of some
/// hundred kilobytes each.
const SWEEP_OF_FILES: usize = 1 << 14;
/// Keys that are looked up there before what they pinned may go.
const FROM_FILES: usize = 8;
/// Bytes that a sweep keeps for a key besides the table: its number, and its row.
const SWEEP_BYTES: usize = 8;
/// Bytes of a key's position, row and node, while there is room to grow.
const FOUND_BYTES: usize = 2 * (size_of::<u32>() * 2 + size_of::<NodeId>());

/// Keys that are looked for in an index of values together, at least and at most.
const TOGETHER_MIN: usize = 8;
const TOGETHER_MAX: usize = 1 << 16;
/// Bytes of a key that is looked for so: its value, its place in their order, and what is found, twice.
const TOGETHER_BYTES: usize = size_of::<Value>() + 48;

/// Look-up by key.
pub(crate) struct KeyLookup<'s> {
    child: BoxOperator<'s>,
    inner: Chunk<'s>,
    spec: Arc<LookupSpec>,
    counters: Option<Arc<Counters>>,
    /// Rows to be looked up together; 0 for a chunk as it comes.
    length: usize,
    /// A vector of several chunks: what is kept, then the keys. Else the rows are those of `inner`.
    long: Option<Group<'s>>,
    held: Option<Reservation>,
    /// Positions and nodes that were found, and how many of them were given.
    found: Found,
    given: usize,
    /// Whether all rows have come.
    ended: bool,
    rows: Vec<Vec<u32>>,
}

/// Nodes, each with the position of its row.
#[derive(Default)]
struct Found {
    parents: Vec<u32>,
    nodes: Vec<NodeId>,
}

impl<'s> KeyLookup<'s> {
    pub(crate) fn new(
        child: BoxOperator<'s>,
        spec: Arc<LookupSpec>,
        counters: Option<Arc<Counters>>,
    ) -> Self {
        Self {
            child,
            inner: Chunk::with_slots(&[spec.slots]),
            counters,
            length: 0,
            long: None,
            held: None,
            found: Found::default(),
            given: 0,
            ended: false,
            rows: vec![Vec::new(); spec.tables.len()],
            spec,
        }
    }

    fn keys(&self, cx: &Context<'s>) -> Result<Vector<'s>, ExecError> {
        let len = self.inner.groups[0].len;
        Ok(evaluate(&self.spec.key, &self.inner, 0, cx)?.into_vector(len))
    }

    /// Looks up the next vector; `false` at the end.
    fn advance(&mut self, cx: &Context<'s>) -> Result<bool, ExecError> {
        cx.check()?;
        self.ended = self.ended || !self.child.next(&mut self.inner, cx)?;
        if self.ended {
            return Ok(false);
        }
        (self.given, self.long) = (0, None);
        let (keys, positions) = if self.length == 0 {
            (self.keys(cx)?, self.inner.groups[0].positions())
        } else {
            self.collect(cx)?
        };
        self.found.parents.clear();
        self.found.nodes.clear();
        match self.spec.by {
            _ if self.spec.together.is_some() => self.find_together(&keys, &positions, cx)?,
            LookupBy::Equal => self.find(&keys, &positions, cx)?,
            LookupBy::AnyOf => self.find_any(&keys, &positions, cx)?,
            LookupBy::Between { .. } | LookupBy::Prefix | LookupBy::First { .. } => {
                self.find_wanted(&keys, &positions, cx)?
            }
        }
        if let Some(counters) = &self.counters {
            counters.looked_up_together(positions.len());
        }
        let rows = self.table_rows(cx);
        let may_be_dense = rows <= LENGTH_MAX * SWEEP && positions.len() < rows;
        if self.spec.may_read_ahead
            && !cx.keeps_order()
            && self.spec.by == LookupBy::Equal
            && may_be_dense
            && positions.len() >= self.length
        {
            self.length = (positions.len() * GROWTH).clamp(LENGTH_MIN, LENGTH_MAX);
        }
        Ok(true)
    }

    /// Rows of all tables that are looked into.
    fn table_rows(&self, cx: &Context<'s>) -> usize {
        let rows = self.spec.tables.iter().map(|table| cx.reader.rows(*table)).sum::<u64>();
        usize::try_from(rows).unwrap_or(usize::MAX)
    }

    /// The chunk at hand and as many after it as make a long vector: their keys, and all positions.
    fn collect(&mut self, cx: &Context<'s>) -> Result<(Vector<'s>, Vec<u32>), ExecError> {
        let keep = &self.spec.keep;
        let mut rows = Rows::new(keep.len() + 1);
        let held = self.held.get_or_insert_with(|| cx.settings.budget.reservation());
        loop {
            let len = self.inner.groups[0].len;
            let keys = evaluate(&self.spec.key, &self.inner, 0, cx)?.into_vector(len);
            let group = &self.inner.groups[0];
            let columns: Vec<&Vector<'s>> = keep.iter().map(|k| &group.vectors[*k]).chain([&keys]).collect();
            let positions = group.positions();
            let multiplicity = positions.iter().map(|p| group.multiplicity_at(*p as usize));
            rows.extend(&columns, &positions, multiplicity, cx);
            // These rows are looked up in any case, more only where there is room.
            let bytes = rows.bytes() * 2 + rows.len() * FOUND_BYTES;
            if held.resize_leaving(bytes, spare_least(cx)).is_err() {
                self.length = 0;
                break;
            }
            if rows.len() >= self.length {
                break;
            }
            cx.check()?;
            if !self.child.next(&mut self.inner, cx)? {
                self.ended = true;
                break;
            }
        }
        let mut group = Group { vectors: vec![Vector::empty(); keep.len() + 1], ..Group::default() };
        rows.drain_into(&mut group);
        let positions = group.positions();
        let keys = group.vectors.pop().unwrap_or_else(Vector::empty);
        self.long = Some(group);
        Ok((keys, positions))
    }

    /// Finds the node of each key.
    fn find(&mut self, keys: &Vector<'s>, positions: &[u32], cx: &Context<'s>) -> Result<(), ExecError> {
        if self.spec.by_scan {
            let found = &mut self.found;
            for p in positions {
                cx.check()?;
                self.spec.scan(keys.value(*p as usize, &|id| cx.edge_value(id)), &mut found.nodes, cx);
                found.parents.resize(found.nodes.len(), *p);
            }
            return Ok(());
        }
        if !self.spec.is_keyed(cx.reader.schema()) {
            return self.find_wanted(keys, positions, cx);
        }
        let is_kept = cx.reader.pins().are_kept();
        let (sweep, step) = if is_kept { (SWEEP, POSITIONS_UNCHECKED) } else { (SWEEP_OF_FILES, FROM_FILES) };
        let is_main = !self.spec.tables.iter().any(|table| cx.reader.has_node_changes(*table));
        let is_dense = is_main
            && !cx.reader.notes_reads()
            && positions.len() >= LENGTH_MIN
            && positions.len().saturating_mul(sweep) >= self.table_rows(cx);
        if is_dense && self.sweep(keys, positions, cx)? {
            self.take_found(positions);
            return Ok(());
        }
        if is_dense && positions.len() > LENGTH_MIN {
            // There is no room for a table of all.
            let (first, rest) = positions.split_at(positions.len() / 2);
            self.find(keys, first, cx)?;
            return self.find(keys, rest, cx);
        }
        for positions in positions.chunks(step) {
            cx.check()?;
            for (table, rows) in self.spec.tables.iter().zip(&mut self.rows) {
                cx.reader.find_keys(*table, keys, positions, rows);
            }
            self.take_found(positions);
        }
        Ok(())
    }

    /// Finds the nodes of each key by indexes of values; where a table has none, by a scan.
    fn find_wanted(
        &mut self,
        keys: &Vector<'s>,
        positions: &[u32],
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        if matches!(self.spec.by, LookupBy::Equal | LookupBy::AnyOf) && positions.len() >= TOGETHER_MIN {
            return positions
                .chunks(TOGETHER_MAX)
                .try_for_each(|positions| self.find_equal(keys, positions, cx));
        }
        self.find_each(keys, positions, cx)
    }

    /// Finds the nodes of each key by itself.
    fn find_each(&mut self, keys: &Vector<'s>, positions: &[u32], cx: &Context<'s>) -> Result<(), ExecError> {
        let mut held = cx.settings.budget.reservation();
        let name = self.spec.property.as_deref().unwrap_or_default();
        let schema = cx.reader.schema();
        let mut rows = Vec::new();
        for p in positions {
            cx.check()?;
            let key = keys.value(*p as usize, &|id| cx.edge_value(id));
            let Some(wanted) = wanted_of(self.spec.by, key) else { continue };
            for table in &self.spec.tables {
                let Some(column) = schema.node_property(*table, name) else { continue };
                rows.clear();
                if !cx.reader.find_values(*table, column, &wanted, &mut rows) {
                    scan_for(*table, column, &wanted, &mut rows, cx)?;
                }
                let nodes = rows.iter().map(|row| NodeId::new(*table, *row));
                self.found.nodes.extend(nodes);
                self.found.parents.resize(self.found.nodes.len(), *p);
            }
            held.resize(self.found.bytes())?;
        }
        Ok(())
    }

    /// Finds the nodes of many keys together by indexes of values; where a table has none, by scans.
    fn find_equal(
        &mut self,
        keys: &Vector<'s>,
        positions: &[u32],
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        cx.check()?;
        let mut held = cx.settings.budget.reservation();
        // They themselves, and what is found of them twice: mostly one each.
        if held.resize_leaving(3 * positions.len() * TOGETHER_BYTES, spare_least(cx)).is_err() {
            // There is no room to sort them.
            if positions.len() < 2 * TOGETHER_MIN {
                return self.find_each(keys, positions, cx);
            }
            let (first, rest) = positions.split_at(positions.len() / 2);
            self.find_equal(keys, first, cx)?;
            return self.find_equal(keys, rest, cx);
        }
        let name = self.spec.property.as_deref().unwrap_or_default();
        let schema = cx.reader.schema();
        let value = |p: &u32| keys.value(*p as usize, &|id| cx.edge_value(id));
        let values: Vec<Value> = positions.iter().map(value).collect();
        let mut found: Vec<(u32, NodeId)> = Vec::with_capacity(positions.len());
        let (mut rows, mut tables) = (Vec::new(), 0);
        for table in &self.spec.tables {
            let Some(column) = schema.node_property(*table, name) else { continue };
            rows.clear();
            if !cx.reader.find_all_values(*table, column, &values, &mut rows) {
                let mut own = Vec::new();
                for (number, value) in (0_u32..).zip(&values) {
                    let Some(wanted) = wanted_of(self.spec.by, value.clone()) else { continue };
                    own.clear();
                    scan_for(*table, column, &wanted, &mut own, cx)?;
                    rows.extend(own.iter().map(|row| (number, *row)));
                    held.resize((positions.len() + rows.len()) * TOGETHER_BYTES)?;
                }
            }
            let count = (positions.len() + rows.len() + found.len()).max(3 * positions.len());
            held.resize(count * TOGETHER_BYTES)?;
            found.extend(rows.iter().map(|(number, row)| (*number, NodeId::new(*table, *row))));
            tables += 1;
        }
        if tables > 1 {
            // Of each key those of the first table first.
            found.sort_by_key(|(number, _)| *number);
        }
        let Found { parents, nodes } = &mut self.found;
        parents.extend(found.iter().filter_map(|(number, _)| positions.get(*number as usize)));
        nodes.extend(found.iter().map(|(_, node)| *node));
        held.resize(found.len() * TOGETHER_BYTES + self.found.bytes())?;
        Ok(())
    }

    /// Finds the nodes of each row by an index of several properties; where a table has none, those that have
    /// the first: the others are asked for above.
    fn find_together(
        &mut self,
        keys: &Vector<'s>,
        positions: &[u32],
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let spec = Arc::clone(&self.spec);
        let Some(together) = &spec.together else { return Ok(()) };
        let len = self.inner.groups[0].len;
        let equal: Vec<Vector<'s>> = (together.equal.iter())
            .map(|equal| Ok(evaluate(equal, &self.inner, 0, cx)?.into_vector(len)))
            .collect::<Result<_, ExecError>>()?;
        let mut held = cx.settings.budget.reservation();
        let schema = cx.reader.schema();
        let mut rows = Vec::new();
        for p in positions {
            cx.check()?;
            let value = |vector: &Vector<'s>| vector.value(*p as usize, &|id| cx.edge_value(id));
            let equal: Vec<Value> = equal.iter().map(value).collect();
            let Some(then) = wanted_of(spec.by, value(keys)) else { continue };
            if equal.iter().any(Value::is_null) {
                continue;
            }
            for table in &spec.tables {
                let column = |name: &Arc<str>| schema.node_property(*table, name);
                let columns: Vec<Option<usize>> = together.properties.iter().map(column).collect();
                // Of a table that lacks what is asked for no row is wanted.
                let asked = columns.get(..=equal.len()).unwrap_or_default();
                if asked.iter().any(Option::is_none) {
                    continue;
                }
                rows.clear();
                let all: Option<Vec<usize>> = columns.iter().copied().collect();
                let is_found = all.is_some_and(|columns| {
                    let wanted = Together { columns: &columns, equal: &equal, then: &then };
                    cx.reader.find_together(*table, &wanted, &mut rows)
                });
                if let (false, Some(Some(first)), Some(value)) = (is_found, columns.first(), equal.first()) {
                    let wanted = Wanted::Equal(value.clone());
                    if !cx.reader.find_values(*table, *first, &wanted, &mut rows) {
                        scan_for(*table, *first, &wanted, &mut rows, cx)?;
                    }
                }
                self.found.nodes.extend(rows.iter().map(|row| NodeId::new(*table, *row)));
                self.found.parents.resize(self.found.nodes.len(), *p);
            }
            held.resize(self.found.bytes())?;
        }
        Ok(())
    }

    /// Finds the rows of all keys in the column; `false`, and nothing done, where there is no room for them.
    fn sweep(&mut self, keys: &Vector<'s>, positions: &[u32], cx: &Context<'s>) -> Result<bool, ExecError> {
        let mut held = cx.settings.budget.reservation();
        let mut table = KeyTable::default();
        let bytes = table.growth_bytes(positions.len()) + positions.len() * SWEEP_BYTES;
        if held.resize_leaving(bytes, spare_least(cx)).is_err() {
            return Ok(false);
        }
        let (mut numbers, mut fresh) = (Vec::with_capacity(positions.len()), Vec::new());
        let mut there = Vec::new();
        for positions in positions.chunks(POSITIONS_UNCHECKED) {
            cx.check()?;
            fresh.clear();
            there.clear();
            there.extend(positions.iter().copied().filter(|p| !keys.is_null(*p as usize)));
            if there.len() == positions.len() {
                table.number_all(&[keys], positions, &mut numbers, &mut fresh);
                continue;
            }
            let mut found = Vec::new();
            table.number_all(&[keys], &there, &mut found, &mut fresh);
            let mut found = found.into_iter();
            let next = |p: &u32| if keys.is_null(*p as usize) { None } else { found.next() };
            numbers.extend(positions.iter().map(next).map(|number| number.unwrap_or(NO_NUMBER)));
        }
        let mut found = Vec::new();
        let size = cx.settings.vector_size;
        let all: Vec<u32> = (0..u32::try_from(size).unwrap_or(u32::MAX)).collect();
        for (id, rows) in self.spec.tables.iter().zip(&mut self.rows) {
            rows.clear();
            let info = cx.reader.schema().node_tables.get(id.0 as usize);
            let Some(column) = info.and_then(|info| info.key) else { continue };
            let mut row_of = vec![NO_ROW; table.len()];
            let (column, count) = (PropertyColumn::of_nodes(*id, column, &cx.reader), cx.reader.rows(*id));
            let mut first = 0;
            while first < count {
                cx.check()?;
                let len = size.min(usize::try_from(count - first).unwrap_or(size));
                found.clear();
                table.find_all(&[&column.scan(first, len)], &all[..len], &mut found);
                // Rows of a table are below 2^32.
                for (row, number) in (first as u32..).zip(&found).filter(|(_, n)| **n != NO_NUMBER) {
                    row_of[*number as usize] = row;
                }
                first += len as u64;
            }
            rows.extend(numbers.iter().map(|n| row_of.get(*n as usize).copied().unwrap_or(NO_ROW)));
        }
        Ok(true)
    }

    /// Takes in the nodes at the rows that were found.
    fn take_found(&mut self, positions: &[u32]) {
        let Found { parents, nodes } = &mut self.found;
        for (k, p) in positions.iter().enumerate() {
            for (table, rows) in self.spec.tables.iter().zip(&self.rows) {
                // In a table without keys none was looked for.
                if let Some(row) = rows.get(k).filter(|row| **row != NO_ROW) {
                    parents.push(*p);
                    nodes.push(NodeId::new(*table, u64::from(*row)));
                }
            }
        }
    }

    /// Finds the nodes that have one of the keys of each list.
    fn find_any(&mut self, lists: &Vector<'s>, positions: &[u32], cx: &Context<'s>) -> Result<(), ExecError> {
        let mut held = self.held.take().unwrap_or_else(|| cx.settings.budget.reservation());
        for p in positions {
            let first = self.found.nodes.len();
            match &lists.values {
                _ if lists.is_null(*p as usize) => continue,
                Values::List(lists) => {
                    let run = lists.elements(*p as usize);
                    held.resize(self.found.bytes() + run.len() * FOUND_BYTES)?;
                    let at: Vec<u32> = run.collect();
                    self.find(lists.child(), &at, cx)?;
                }
                _ => match lists.value(*p as usize, &|id| cx.edge_value(id)) {
                    Value::List(items) => {
                        let count = items.len();
                        held.resize(self.found.bytes() + count * (size_of::<Value>() + FOUND_BYTES))?;
                        let items = Vector::of_values(items.to_vec(), Positions::all(count));
                        let at: Vec<u32> = (0..u32::try_from(count).unwrap_or(u32::MAX)).collect();
                        self.find(&items, &at, cx)?;
                    }
                    Value::Null => continue,
                    // Of no node the question is not asked.
                    _ if self.table_rows(cx) == 0 => continue,
                    other => {
                        functions::in_list(&Value::Null, &other)?;
                        continue;
                    }
                },
            }
            let mut nodes = self.found.nodes.split_off(first);
            nodes.sort_unstable_by_key(|node| node.0);
            nodes.dedup();
            self.found.nodes.append(&mut nodes);
            self.found.parents.truncate(first);
            self.found.parents.resize(self.found.nodes.len(), *p);
        }
        held.resize(self.found.bytes())?;
        self.held = Some(held);
        Ok(())
    }

    /// Gives the next nodes that were found, with their rows.
    fn give(&mut self, chunk: &mut Chunk<'s>, room: usize) {
        let end = self.found.nodes.len().min(self.given + room);
        let (parents, nodes) = (&self.found.parents[self.given..end], &self.found.nodes[self.given..end]);
        let out = &mut chunk.groups[0];
        out.reset(nodes.len());
        let kept = self.spec.keep.len();
        match &self.long {
            Some(group) => repeat(group, &(0..kept).collect::<Vec<_>>(), parents, out),
            None => repeat(&self.inner.groups[0], &self.spec.keep, parents, out),
        }
        let table = nodes.first().map(|node| node.table());
        let table = table.filter(|table| nodes.iter().all(|node| node.table() == *table));
        out.vectors[kept] = Vector::new(Values::Node(Nodes::Ids { table, ids: nodes.to_vec() }));
        self.given = end;
    }
}

impl Found {
    fn bytes(&self) -> usize {
        self.parents.capacity() * size_of::<u32>() + self.nodes.capacity() * size_of::<NodeId>()
    }
}

/// Appends the rows of a table whose values are wanted, by a look at each: nobody has made the index where it
/// is read, as it was before.
fn scan_for(
    table: TableId,
    column: usize,
    wanted: &Wanted,
    rows: &mut Vec<u64>,
    cx: &Context<'_>,
) -> Result<(), ExecError> {
    let values = PropertyColumn::of_nodes(table, column, &cx.reader);
    let (mut first, count) = (0, cx.reader.rows(table));
    while first < count {
        cx.check()?;
        let len = POSITIONS_UNCHECKED.min(usize::try_from(count - first).unwrap_or(POSITIONS_UNCHECKED));
        let vector = values.scan(first, len);
        let holds = |at: &usize| wanted.holds(&vector.value(*at, &|_| Value::Null));
        rows.extend((0..len).filter(holds).map(|at| first + at as u64));
        first += len as u64;
    }
    Ok(())
}

impl LookupSpec {
    /// Whether the property is the key of all tables, so that each key finds one row.
    pub(crate) fn is_keyed(&self, schema: &Schema) -> bool {
        let name = self.property.as_deref().unwrap_or_default();
        self.tables.iter().all(|table| {
            let info = schema.node_tables.get(usize::from(table.0));
            info.is_some_and(|info| info.key.is_some() && info.key == schema.node_property(*table, name))
        })
    }

    /// The nodes with a key, by a scan.
    fn scan(&self, key: Value, nodes: &mut Vec<NodeId>, cx: &Context<'_>) {
        let pattern = Pattern::property(Kind::Node, self.property.as_deref().unwrap_or_default())
            .subject_tables(Some(&self.tables))
            .objects(access::Bound::Terms(vec![Term::Literal(key)]))
            .project(true, false, false, false);
        let plan = AccessPlan::of(pattern, &cx.reader, Choice::Relation);
        let given = plan.run(&cx.reader, |batch| {
            nodes.extend((0..batch.len).filter_map(|i| batch.columns[0].node(i)));
            ControlFlow::Continue(())
        });
        debug_assert!(given.is_ok(), "the pattern has no frontier");
    }
}

impl<'s> Operator<'s> for KeyLookup<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        while self.given >= self.found.nodes.len() {
            if !self.advance(cx)? {
                return Ok(false);
            }
        }
        self.give(chunk, cx.settings.vector_size);
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
        self.found = Found::default();
        (self.given, self.ended, self.long, self.held) = (0, false, None, None);
    }
}
