//! Constraints about edges: what a clause wrote in, an error if it violates one out. As `constraints` does
//! for nodes; an edge has its type from when it is made.

use std::ops::Bound;

use trimorph_base::{EdgeId, EdgeTableId, NodeId};
use trimorph_catalog::{Definition, Rule};
use trimorph_store::neighbours::Neighbours;
use trimorph_store::{PropertyColumn, Reader, Snapshot, Wanted};
use trimorph_types::Value;

use super::constraint_errors::{described, violated, wrong_type};
use super::touched::{Lacking, Touched};
use super::writing::conflicting;
use super::{Statement, Writing};
use crate::Error;

/// A definition in one edge table.
pub(super) struct InEdgeTable<'r, 's> {
    definition: &'r Definition,
    table: EdgeTableId,
    columns: Vec<Option<usize>>,
    reader: &'r Reader<'s>,
}

impl<'r, 's> InEdgeTable<'r, 's> {
    /// None where the edges of the table have another type.
    pub(super) fn of(definition: &'r Definition, table: EdgeTableId, reader: &'r Reader<'s>) -> Option<Self> {
        let info = reader.schema().edge_tables.get(usize::from(table.0))?;
        let column = |id| info.properties.iter().position(|property| property.id == id);
        let columns = definition.properties.iter().map(|id| column(*id)).collect();
        (definition.edge_type() == Some(info.ty)).then_some(Self { definition, table, columns, reader })
    }

    fn value(&self, place: usize, edge: EdgeId) -> Value {
        match self.columns.get(place).copied().flatten() {
            Some(column) => PropertyColumn::of_edges(usize::from(self.table.0), column, self.reader)
                .value(self.reader.edge_slot(edge)),
            None => Value::Null,
        }
    }

    pub(super) fn values(&self, edge: EdgeId) -> Vec<Value> {
        (0..self.columns.len()).map(|place| self.value(place, edge)).collect()
    }

    /// Asks whether somebody who is not seen changes what the definition is about at an edge.
    fn meet(&self, writing: &Writing, edge: EdgeId) -> Result<(), Error> {
        let (delta, writer) = (&writing.live().delta, writing.writer());
        delta.topology().meets_edge(edge, &writer).map_err(|conflict| conflicting(&conflict))?;
        let Some(values) = delta.edges(self.table) else { return Ok(()) };
        for column in self.columns.iter().flatten() {
            let column = u32::try_from(*column).unwrap_or(u32::MAX);
            values.meets(&writer, edge, column).map_err(|conflict| conflicting(&conflict))?;
        }
        Ok(())
    }

    /// Edges that may have some values, seen or not, by the first of them.
    fn candidates(&self, writing: &Writing, values: &[Value]) -> Vec<EdgeId> {
        let (Some(first), Some(Some(column))) = (values.first(), self.columns.first()) else {
            return Vec::new();
        };
        let (table, column) = (self.table, *column);
        let mut found = Vec::new();
        let is_indexed = self.reader.find_edges(table, column, &Wanted::Equal(first.clone()), &mut found);
        let mut edges: Vec<EdgeId> = found.into_iter().map(|edge| edge.id).collect();
        if !is_indexed {
            // Nobody has made the index where this transaction reads, as it was when it began.
            edges.extend(
                self.all_edges()
                    .into_iter()
                    .filter(|edge| trimorph_types::order(&self.value(0, *edge), first).is_eq()),
            );
        }
        let delta = writing.live().delta.edges(table);
        let index = delta.and_then(|delta| delta.index(u32::try_from(column).unwrap_or(u32::MAX)));
        let written = index.map(|index| index.range(Bound::Included(first), Bound::Included(first)));
        edges.extend(written.unwrap_or_default().into_iter().map(EdgeId));
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    fn all_edges(&self) -> Vec<EdgeId> {
        let at = usize::from(self.table.0);
        let Some(info) = self.reader.schema().edge_tables.get(at) else { return Vec::new() };
        let lists = Neighbours::all(self.reader, at, true, info.source);
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        for row in 0..self.reader.rows(info.source) {
            nodes.clear();
            lists.append(NodeId::new(info.source, row), &mut nodes, Some(&mut edges));
        }
        edges
    }
}

impl Statement<'_> {
    pub(super) fn check_edges(
        &self,
        writing: &Writing,
        definition: &Definition,
        touched: &Touched,
        lacking: &mut Lacking,
        snapshot: &Snapshot,
        reader: &Reader<'_>,
    ) -> Result<(), Error> {
        if definition.rule == Rule::Index {
            return Ok(());
        }
        let of = |table| InEdgeTable::of(definition, table, reader);
        let all: Vec<InEdgeTable<'_, '_>> = reader.schema().edge_table_ids().filter_map(of).collect();
        for own in &all {
            for (at, edge) in touched.edges(own.table, &own.columns).into_iter().enumerate() {
                self.check(at)?;
                own.meet(writing, edge)?;
                if !reader.edge_exists(edge) {
                    continue;
                }
                let values = own.values(edge);
                if let (Rule::Typed(ty), [value]) = (&definition.rule, &values[..])
                    && !ty.accepts(value)
                {
                    return Err(self.wrong(wrong_type(definition, value, snapshot.schema())));
                }
                if values.iter().any(Value::is_null) {
                    if definition.rule.demands() {
                        lacking.edges.or_default(own.table).push(edge);
                    }
                } else if definition.rule.is_unique() {
                    self.check_unique_edge(writing, &all, edge, &values, snapshot)?;
                }
            }
        }
        Ok(())
    }

    /// No other edge of any table has these values.
    fn check_unique_edge(
        &self,
        writing: &Writing,
        all: &[InEdgeTable<'_, '_>],
        edge: EdgeId,
        values: &[Value],
        snapshot: &Snapshot,
    ) -> Result<(), Error> {
        for other in all {
            for candidate in other.candidates(writing, values) {
                if candidate == edge {
                    continue;
                }
                other.meet(writing, candidate)?;
                let is_same = |(own, value): (Value, &Value)| trimorph_types::order(&own, value).is_eq();
                if other.reader.edge_exists(candidate)
                    && other.values(candidate).into_iter().zip(values).all(is_same)
                {
                    let definition = other.definition;
                    let text = format!(
                        "there is a relationship [:{}] with {} already: constraint \"{}\"",
                        snapshot.schema().type_name(other.table),
                        described(definition, values, snapshot),
                        definition.name
                    );
                    let hint = "MERGE between the same nodes finds one that is there, or makes it";
                    return Err(self.wrong(violated(text, hint)));
                }
            }
        }
        Ok(())
    }
}
