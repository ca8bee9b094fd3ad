//! What a bulk load made, put into the tables it is for: takes a main version and an increment, gives the
//! next version.
//!
//! 1. Rows: where the table has none, its columns become the load's, piece by piece; else they are appended,
//!    which writes the last segments anew. Rows between, which were given to others, are missing.
//! 2. Edges, whose ends are there now: an edge table that was made for them is built as a load builds one;
//!    into others they are put as a merge does it.
//!
//! The version's time stays: it has one commit more than the ones before that time.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use trimorph_base::{CancelToken, EdgeTableId, NodeId, PAGE_ROWS, PropertyId, TableId};
use trimorph_catalog::{EdgeTableFacts, PropertyStats, TargetFacts};
use trimorph_types::{LogicalType, Value};
use trimorph_vector::Values;
use trimorph_vfs::{Pins, RegionOptions};

use super::columns::batch;
use super::nodes::NodeChanges;
use super::{EdgeMerge, PlacedEdge, RewriteError, check};
use crate::adjacency::SegmentRows;
use crate::bulk::{ColumnBatch, EdgeTableInput, LoadPart, Rows, build_edge_table};
use crate::column::{Column, ColumnView, ZONE_ROWS};
use crate::{Main, NodeTable};

/// Rows that are read at a time.
const BLOCK: u64 = 1 << 14;

fn unknown<T>(what: impl Into<String>) -> Result<T, RewriteError> {
    Err(RewriteError::Unknown(what.into()))
}

impl Main {
    /// Puts what a load made into this version, which has all tables and columns that it needs.
    ///
    /// **Errors**: parts that do not fit; a piece that cannot be had; none of it is usable then. **Cost**: of
    /// tables that had nothing, nothing but building the edges; else what a merge of as much costs.
    pub fn put_load(
        &mut self,
        load: &Self,
        parts: &[LoadPart],
        options: RegionOptions,
        cancel: &CancelToken,
    ) -> Result<(), RewriteError> {
        if load.node_tables.len() != parts.len() {
            return unknown("a load that has other tables than it says");
        }
        let is_nodes = |part: &LoadPart| matches!(part, LoadPart::Nodes { .. });
        for wanted in [true, false] {
            for (at, part) in parts.iter().enumerate().filter(|(_, part)| is_nodes(part) == wanted) {
                if cancel.is_cancelled() {
                    return Err(RewriteError::Cancelled);
                }
                match *part {
                    LoadPart::Nodes { table, first } => self.put_nodes(load, at, (table, first), options)?,
                    LoadPart::Edges { table, fresh } => self.put_edges(load, at, (table, fresh), options)?,
                }
            }
        }
        Ok(())
    }

    fn put_nodes(
        &mut self,
        load: &Self,
        from: usize,
        (table, first): (TableId, u64),
        options: RegionOptions,
    ) -> Result<(), RewriteError> {
        let at = usize::from(table.0);
        let new = &load.node_tables[from];
        let (info, key) = {
            let info = &load.catalog.schema.node_tables[from];
            (&info.properties, info.key)
        };
        if at >= self.node_tables.len() {
            return unknown(format!("there is no node table {at}"));
        }
        let mut places = Vec::with_capacity(info.len());
        for property in info {
            let name = load.catalog.schema.property_name(property.id);
            match self.catalog.schema.node_property(table, &name) {
                Some(place) => places.push(place),
                None => return unknown(format!("node table {at} has no property \"{name}\"")),
            }
        }
        let catalog = Arc::make_mut(&mut self.catalog);
        let of = &mut catalog.schema.node_tables[at];
        let old = &self.node_tables[at];
        if old.rows == 0
            && let (Some(key), None) = (key, of.key)
        {
            of.key = places.get(key).copied();
        }
        let has_same = |(place, property): (&usize, &trimorph_catalog::PropertyInfo)| {
            of.properties[*place].ty == property.ty
        };
        if old.rows == 0 && first == 0 && places.iter().zip(info).all(has_same) {
            let mut columns = old.columns.clone();
            let stats = &mut catalog.statistics.node_tables[at];
            stats
                .properties
                .iter_mut()
                .for_each(|s| *s = PropertyStats { nulls: new.rows, ..Default::default() });
            let known = &load.catalog.statistics.node_tables[from];
            for ((place, column), known) in places.iter().zip(&new.columns).zip(&known.properties) {
                columns[*place] = Arc::clone(column);
                stats.properties[*place] = known.clone();
            }
            stats.rows = new.rows;
            stats.characteristic_sets = known.characteristic_sets.clone();
            for set in &mut stats.characteristic_sets {
                set.properties
                    .iter_mut()
                    .for_each(|p| *p = places.get(*p as usize).map_or(*p, |p| *p as u32));
                set.properties.sort_unstable();
            }
            let key_index = new.key_index.clone().filter(|_| of.key.is_some());
            self.node_tables[at] =
                Arc::new(NodeTable { rows: new.rows, columns, key_index, ..NodeTable::default() });
            return Ok(());
        }
        self.append_nodes(new, &places, (table, first), options)
    }

    fn append_nodes(
        &mut self,
        new: &NodeTable,
        places: &[usize],
        (table, first): (TableId, u64),
        options: RegionOptions,
    ) -> Result<(), RewriteError> {
        let end = first.saturating_add(new.rows);
        let came: Vec<u64> = (first..end).collect();
        let zones: BTreeSet<u64> = (first / ZONE_ROWS as u64..end.div_ceil(ZONE_ROWS as u64)).collect();
        let columns: BTreeMap<usize, BTreeSet<u64>> =
            places.iter().map(|place| (*place, zones.clone())).collect();
        let pins = Arc::<Pins<'_>>::default();
        let views: BTreeMap<usize, ColumnView<'_>> = (places.iter().zip(&new.columns))
            .map(|(place, c)| (*place, ColumnView::pinned(c, &pins)))
            .collect();
        let values = |column: Option<usize>, wanted: Range<u64>, put: &mut dyn FnMut(u64, Value)| {
            let Some(view) = column.and_then(|column| views.get(&column)) else { return };
            let mut row = wanted.start.max(first);
            let until = wanted.end.min(end);
            while row < until {
                let len = (until - row).min(BLOCK);
                let vector = view.scan(row - first, len as usize);
                for i in 0..len as usize {
                    if !vector.is_null(i) {
                        put(row + i as u64, vector.value(i, &|_| Value::Null));
                    }
                }
                row += len;
            }
        };
        let changes =
            NodeChanges { came: &came, went: &[], columns: &columns, labels: None, values: &values };
        self.merge_nodes_to(table, &changes, end, options)?;
        check(&pins)
    }

    /// Gives a node table at least `end` rows.
    fn reserve_rows(&mut self, table: TableId, end: u64, options: RegionOptions) -> Result<(), RewriteError> {
        match self.node_tables.get(usize::from(table.0)) {
            Some(nodes) if nodes.rows >= end => Ok(()),
            _ => {
                let nothing = |_: Option<usize>, _: Range<u64>, _: &mut dyn FnMut(u64, Value)| {};
                let columns = BTreeMap::new();
                let changes =
                    NodeChanges { came: &[], went: &[], columns: &columns, labels: None, values: &nothing };
                self.merge_nodes_to(table, &changes, end, options)
            }
        }
    }

    fn put_edges(
        &mut self,
        load: &Self,
        from: usize,
        (table, fresh): (EdgeTableId, bool),
        options: RegionOptions,
    ) -> Result<(), RewriteError> {
        let at = usize::from(table.0);
        let (Some(info), Some(old)) =
            (self.catalog.schema.edge_tables.get(at).cloned(), self.edge_tables.get(at))
        else {
            return unknown(format!("there is no edge table {at}"));
        };
        let new = &load.node_tables[from];
        let ends = if fresh { 2 } else { 3 };
        let names: Vec<(Arc<str>, LogicalType)> =
            (load.catalog.schema.node_tables[from].properties.iter().skip(ends))
                .map(|p| (load.catalog.schema.property_name(p.id), p.ty))
                .collect();
        let mut places = Vec::with_capacity(names.len());
        for (name, _) in &names {
            match self.catalog.schema.edge_property(table, name) {
                Some(place) => places.push(place),
                None => return unknown(format!("edge table {at} has no property \"{name}\"")),
            }
        }
        if new.columns.len() < ends {
            return unknown("edges without ends");
        }
        let is_empty = old.forward.edges() == 0;
        let edges = ends_of(new, info.source, ends)?;
        let mut most: BTreeMap<TableId, u64> = BTreeMap::new();
        for edge in &edges {
            if !edge.target.is_node() || usize::from(edge.target.table().0) >= self.node_tables.len() {
                return unknown("an edge to a node of a table that there is not");
            }
            for (table, row) in [(info.source, edge.source), (edge.target.table(), edge.target.row())] {
                let end = most.entry(table).or_default();
                *end = (*end).max(row + 1);
            }
        }
        for (table, end) in most {
            self.reserve_rows(table, end, options)?;
        }
        if fresh && is_empty {
            return self.build_edges(new, &names, &places, (table, info.source), &edges, options);
        }
        if fresh {
            return unknown("an edge table that has edges already");
        }
        self.merge_loaded(new, &places, table, edges, options)
    }

    /// All edges of a table.
    fn build_edges(
        &mut self,
        new: &NodeTable,
        names: &[(Arc<str>, LogicalType)],
        places: &[usize],
        (table, source): (EdgeTableId, TableId),
        edges: &[PlacedEdge],
        options: RegionOptions,
    ) -> Result<(), RewriteError> {
        let at = usize::from(table.0);
        let properties: Vec<(String, LogicalType)> =
            names.iter().map(|(name, ty)| (name.to_string(), *ty)).collect();
        let mut input = EdgeTableInput::new("", source);
        let pins = Arc::<Pins<'_>>::default();
        let views: Vec<ColumnView<'_>> =
            new.columns.iter().skip(2).map(|column| ColumnView::pinned(column, &pins)).collect();
        let mut done = 0;
        for block in edges.chunks(BLOCK as usize) {
            let sources: Vec<NodeId> = block.iter().map(|edge| NodeId::new(source, edge.source)).collect();
            let targets: Vec<NodeId> = block.iter().map(|edge| edge.target).collect();
            let columns: Vec<ColumnBatch> =
                views.iter().map(|view| batch(view.scan(done, block.len()), block.len())).collect();
            input.append(&properties, &columns, (&sources, &targets), &Rows::Range(0..block.len()));
            done += block.len() as u64;
        }
        check(&pins)?;
        let info = &self.catalog.schema.edge_tables[at];
        let ids: Vec<PropertyId> = places.iter().map(|place| info.properties[*place].id).collect();
        let rows: Vec<u64> = self.node_tables.iter().map(|table| table.rows).collect();
        let how = (SegmentRows::EDGES, Some(self.edge_tables[at].places().bits()));
        let failed = |error: crate::bulk::BulkError| RewriteError::Unknown(error.to_string());
        let (mut built, known, _) =
            build_edge_table(input, table, info.ty, &ids, &rows, how, options).map_err(failed)?;
        // In the order of the catalog; what was declared since has no values.
        let mut columns: Vec<Arc<Column>> = self.edge_tables[at].columns.clone();
        let mut stats = vec![PropertyStats::default(); columns.len()];
        let (_, facts, mut counted) = known;
        for ((place, column), known) in places.iter().zip(built.columns).zip(counted.properties) {
            (columns[*place], stats[*place]) = (column, known);
        }
        (built.columns, counted.properties) = (columns, stats);
        let catalog = Arc::make_mut(&mut self.catalog);
        catalog.estimates = None;
        catalog.statistics.edge_tables[at] = counted;
        let one_type = built.columns.iter().map(|column| column.has_one_type()).collect();
        combine(&mut catalog.facts_mut().edge_tables[at], EdgeTableFacts { one_type, ..facts });
        self.edge_tables[at] = Arc::new(built);
        Ok(())
    }

    /// Edges beside others.
    fn merge_loaded(
        &mut self,
        new: &NodeTable,
        places: &[usize],
        table: EdgeTableId,
        edges: Vec<PlacedEdge>,
        options: RegionOptions,
    ) -> Result<(), RewriteError> {
        let at = usize::from(table.0);
        let before = self.catalog.unrecorded_facts().edge_tables[at].clone();
        let pins = Arc::<Pins<'_>>::default();
        let views: BTreeMap<usize, ColumnView<'_>> = (places.iter().zip(new.columns.iter().skip(3)))
            .map(|(place, column)| (*place, ColumnView::pinned(column, &pins)))
            .collect();
        let by_place: BTreeMap<(u64, u64), u64> = match views.is_empty() {
            true => BTreeMap::new(),
            false => (0..).zip(&edges).map(|(i, e)| ((e.source / PAGE_ROWS, e.position), i)).collect(),
        };
        let values = |column: usize, page: u64, position: u64| {
            let value = views.get(&column)?.value(*by_place.get(&(page, position))?);
            (!value.is_null()).then_some(value)
        };
        let targets: BTreeSet<TableId> = (self.edge_tables[at].backward.iter().map(|(of, _)| *of))
            .chain(before.targets.iter().map(|target| target.table))
            .chain(edges.iter().map(|edge| edge.target.table()))
            .collect();
        let changes = EdgeMerge {
            inserted: edges,
            deleted: Vec::new(),
            changed: by_place.keys().copied().collect(),
            targets: targets.into_iter().collect(),
            values: &values,
        };
        self.merge_edges(table, changes, options)?;
        check(&pins)?;
        let facts = Arc::make_mut(&mut self.catalog).facts_mut();
        let after = std::mem::replace(&mut facts.edge_tables[at], before);
        combine(&mut facts.edge_tables[at], after);
        Ok(())
    }

    /// What a load changed in the catalog of `self`, also in `newer`, a later version's catalog with this
    /// one's data.
    pub fn describe_load(&self, newer: &mut Self, parts: &[LoadPart]) {
        let catalog = Arc::make_mut(&mut newer.catalog);
        for part in parts {
            match *part {
                LoadPart::Nodes { table, .. } => {
                    let at = usize::from(table.0);
                    let known = self.catalog.schema.node_tables.get(at).and_then(|info| info.key);
                    if let Some(info) = catalog.schema.node_tables.get_mut(at) {
                        info.key = info.key.or(known);
                    }
                }
                LoadPart::Edges { table, .. } => {
                    let at = usize::from(table.0);
                    let known = self.catalog.unrecorded_facts().edge_tables.get(at);
                    if let (Some(facts), Some(known)) = (catalog.facts_mut().edge_tables.get_mut(at), known) {
                        combine(facts, known.clone());
                    }
                }
            }
        }
    }
}

/// What is true of an edge table where `facts` were, as writers left them, and `after` holds of the data.
fn combine(facts: &mut EdgeTableFacts, after: EdgeTableFacts) {
    let weaker = |known: u64, after: u64| if known == u64::MAX { known } else { after };
    // A node may have an edge in the delta that the load has not seen, and its writer not the load's.
    let is_written = facts.edges_max == u64::MAX;
    facts.edges_max = weaker(facts.edges_max, after.edges_max);
    facts.self_loops_max = weaker(facts.self_loops_max, after.self_loops_max);
    facts.single &= after.single && !is_written;
    facts.targets.iter_mut().for_each(|known| known.single &= !is_written);
    for target in after.targets {
        match facts.targets.iter_mut().find(|known| known.table == target.table) {
            Some(known) => known.single &= target.single,
            None => facts.targets.push(TargetFacts { single: target.single && !is_written, ..target }),
        }
    }
    facts.targets.sort_by_key(|target| target.table);
    for (one, after) in facts.one_type.iter_mut().zip(after.one_type) {
        *one &= after;
    }
}

/// The ends of the edges of a load, in order; positions 0 where there are none.
fn ends_of(new: &NodeTable, source: TableId, ends: usize) -> Result<Vec<PlacedEdge>, RewriteError> {
    let pins = Arc::<Pins<'_>>::default();
    let views: Vec<ColumnView<'_>> =
        new.columns.iter().take(ends).map(|column| ColumnView::pinned(column, &pins)).collect();
    let mut edges = Vec::new();
    let mut at = 0;
    while at < new.rows {
        let len = (new.rows - at).min(BLOCK) as usize;
        let columns: Vec<_> = views.iter().map(|view| view.scan(at, len)).collect();
        check(&pins)?;
        let mut numbers = columns.iter().map(|column| match &column.values {
            Values::Int(numbers) if column.nulls.is_none() && numbers.len() == len => Some(&numbers[..]),
            _ => None,
        });
        let (Some(Some(sources)), Some(Some(targets))) = (numbers.next(), numbers.next()) else {
            return unknown("edges without ends");
        };
        let positions = numbers.next().flatten();
        for i in 0..len {
            let row = sources[i].cast_unsigned();
            if row >= u64::from(u32::MAX) {
                return unknown("an edge of a row that no node table has");
            }
            edges.push(PlacedEdge {
                source: NodeId::new(source, row).row(),
                target: NodeId(targets[i].cast_unsigned()),
                position: positions.map_or(0, |positions| positions[i].cast_unsigned()),
            });
        }
        at += len as u64;
    }
    Ok(edges)
}
