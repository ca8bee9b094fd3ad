//! Nodes, relationships and paths in, arrays of structs out: properties are read by column, those of one
//! table at once.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, Int64Array, StringArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use trimorph_base::{EdgeId, NodeId, TableId};
use trimorph_store::PropertyColumn;
use trimorph_types::{Relationship, Value};
use trimorph_vector::{Values, Vector};

use super::builder::BatchBuilder;
use super::column_type::ColumnType;
use super::column_type::Entity;
use super::failure::{TooLong, failed};
use super::maker::{Maker, offsets, struct_array};
use super::shape::path_fields;
use super::text::push_text;
use crate::Error;

/// The positions and rows of those of one table.
type Rows = Vec<(usize, u64)>;

fn nulls_of<T>(entities: &[Option<T>]) -> Option<NullBuffer> {
    let nulls = NullBuffer::from_iter(entities.iter().map(Option::is_some));
    (nulls.null_count() > 0).then_some(nulls)
}

fn numbers(ids: impl Iterator<Item = Option<u64>>) -> ArrayRef {
    Arc::new(ids.map(|id| id.map(u64::cast_signed)).collect::<Int64Array>())
}

/// Positions by table, in the order of tables.
fn by_table<T: Ord + Copy>(tables: impl Iterator<Item = Option<(T, u64)>>) -> Vec<(T, Rows)> {
    let mut out: Vec<(T, Rows)> = Vec::new();
    let mut last = 0;
    for (i, found) in tables.enumerate() {
        let Some((table, row)) = found else { continue };
        if out.get(last).is_none_or(|(t, _)| *t != table) {
            last = match out.binary_search_by_key(&table, |(t, _)| *t) {
                Ok(k) => k,
                Err(k) => {
                    out.insert(k, (table, Vec::new()));
                    k
                }
            };
        }
        out[last].1.push((i, row));
    }
    out
}

impl Maker<'_> {
    pub(super) fn nodes(&self, nodes: &[Option<NodeId>], entity: &Entity) -> Result<ArrayRef, Error> {
        let tables = by_table(nodes.iter().map(|n| n.map(|n| (n.table(), n.row()))));
        let properties = match &entity.properties {
            ColumnType::Struct(_) => {
                let schema = self.reader.schema();
                self.properties(nodes.len(), &tables, &entity.properties, |table: TableId, name| {
                    let place = schema.node_property(table, name)?;
                    Some(PropertyColumn::of_nodes(table, place, &self.reader))
                })?
            }
            ty => {
                let all = |n: NodeId| Value::map(self.reader.node_properties(n));
                self.by_entity(nodes, all, ty)?
            }
        };
        let ids = numbers(nodes.iter().map(|n| n.map(|n| n.0)));
        let parts = vec![ids, self.labels(nodes)?, properties];
        struct_array(entity.node_fields(), parts, nulls_of(nodes), nodes.len())
    }

    fn labels(&self, nodes: &[Option<NodeId>]) -> Result<ArrayRef, TooLong> {
        let mut out = ListBuilder::new(StringBuilder::new());
        let mut last = None;
        for node in nodes {
            if let Some(node) = node {
                let names = match last.take() {
                    Some((table, names)) if table == node.table() && !self.reader.labels_vary(table) => names,
                    _ => self.reader.labels(*node),
                };
                names.iter().try_for_each(|name| push_text(out.values(), Some(name)))?;
                last = Some((node.table(), names));
            }
            out.append(node.is_some());
        }
        Ok(Arc::new(out.finish()))
    }

    pub(super) fn relationships(
        &self,
        relationships: &[Option<Relationship>],
        entity: &Entity,
    ) -> Result<ArrayRef, Error> {
        let slot = |id: EdgeId| (usize::from(id.table().0), self.reader.edge_slot(id));
        let tables = by_table(relationships.iter().map(|r| r.map(|r| slot(r.id))));
        let properties = match &entity.properties {
            ColumnType::Struct(_) => {
                let schema = self.reader.schema();
                self.properties(relationships.len(), &tables, &entity.properties, |table: usize, name| {
                    let id = schema.edge_table_ids().nth(table)?;
                    let place = schema.edge_property(id, name)?;
                    Some(PropertyColumn::of_edges(table, place, &self.reader))
                })?
            }
            ty => {
                let all = |r: Relationship| Value::map(self.reader.edge_properties(r.id));
                self.by_entity(relationships, all, ty)?
            }
        };
        let ids = numbers(relationships.iter().map(|r| r.map(|r| r.id.0)));
        let mut types = StringBuilder::new();
        for r in relationships {
            let name = r.map(|r| self.reader.schema().type_name(r.id.table()));
            push_text(&mut types, name.as_deref())?;
        }
        let types: StringArray = types.finish();
        let starts = numbers(relationships.iter().map(|r| r.map(|r| r.start.0)));
        let ends = numbers(relationships.iter().map(|r| r.map(|r| r.end.0)));
        let parts = vec![ids, Arc::new(types), starts, ends, properties];
        struct_array(entity.relationship_fields(), parts, nulls_of(relationships), relationships.len())
    }

    pub(super) fn paths(
        &self,
        values: &[&Value],
        nodes: &Entity,
        relationships: &Entity,
    ) -> Result<ArrayRef, Error> {
        let paths: Vec<_> =
            (values.iter()).map(|v| if let Value::Path(path) = v { Some(path) } else { None }).collect();
        let count =
            |of: fn(&trimorph_types::Path) -> usize| offsets(paths.iter().map(|p| p.map_or(0, |p| of(p))));
        let (node_ends, edge_ends) = (count(|p| p.nodes.len())?, count(|p| p.relationships.len())?);
        let all_nodes: Vec<_> =
            paths.iter().flatten().flat_map(|p| p.nodes.iter().copied().map(Some)).collect();
        let all_edges: Vec<_> =
            paths.iter().flatten().flat_map(|p| p.relationships.iter().copied().map(Some)).collect();
        let node_type = ColumnType::Node(Box::new(nodes.clone()));
        let edge_type = ColumnType::Relationship(Box::new(relationships.clone()));
        let parts = vec![
            Self::list_array(&node_type, node_ends, self.nodes(&all_nodes, nodes)?, nulls_of(&paths))?,
            Self::list_array(
                &edge_type,
                edge_ends,
                self.relationships(&all_edges, relationships)?,
                nulls_of(&paths),
            )?,
        ];
        struct_array(path_fields(nodes, relationships), parts, nulls_of(&paths), paths.len())
    }

    /// Properties one graph element after the other: where they are a map.
    fn by_entity<T: Copy>(
        &self,
        entities: &[Option<T>],
        all: impl Fn(T) -> Value,
        ty: &ColumnType,
    ) -> Result<ArrayRef, Error> {
        let maps: Vec<Value> = entities.iter().map(|e| e.map_or(Value::Null, &all)).collect();
        self.array(&maps.iter().collect::<Vec<_>>(), ty)
    }

    fn properties<'r, 's: 'r, T: Copy>(
        &'r self,
        len: usize,
        tables: &[(T, Rows)],
        ty: &ColumnType,
        find: impl Fn(T, &str) -> Option<PropertyColumn<'r, 's>>,
    ) -> Result<ArrayRef, Error> {
        let (ColumnType::Struct(keys), DataType::Struct(fields)) = (ty, ty.data_type()) else {
            return Err(failed("properties are no struct".into()));
        };
        let is_there = |rows: &Rows| rows.len() == len;
        let mut arrays = Vec::with_capacity(keys.fields.len());
        for (name, ty) in &keys.fields {
            self.check()?;
            let parts: Vec<(Vector<'_>, &Rows)> = (tables.iter())
                .filter_map(|(table, rows)| {
                    Some((find(*table, name)?.gather(rows.iter().copied(), len), rows))
                })
                .collect();
            let array = match &parts[..] {
                [(vector, rows)] if is_there(rows) && !matches!(vector.values, Values::Any(_)) => {
                    self.whole(vector, len, ty)?
                }
                _ => {
                    let mut values = vec![Value::Null; len];
                    for (vector, rows) in &parts {
                        rows.iter().for_each(|(i, _)| values[*i] = vector.value(*i, &|_| Value::Null));
                    }
                    self.array(&values.iter().collect::<Vec<_>>(), ty)?
                }
            };
            arrays.push(array);
        }
        let has_all = tables.iter().map(|(_, rows)| rows.len()).sum::<usize>() == len;
        let nulls = (!has_all).then(|| {
            let mut is_there = vec![false; len];
            tables.iter().flat_map(|(_, rows)| rows).for_each(|(i, _)| is_there[*i] = true);
            NullBuffer::from(is_there)
        });
        struct_array(fields, arrays, nulls, len)
    }

    /// The array of a vector as a whole.
    fn whole(&self, vector: &Vector<'_>, len: usize, ty: &ColumnType) -> Result<ArrayRef, Error> {
        let positions = (0..u32::try_from(len).unwrap_or(u32::MAX)).collect::<Vec<_>>();
        let mut builder = BatchBuilder::like(&[vector], len);
        builder.append(&[vector], &positions, &|_| Value::Null)?;
        let batch = builder.finish(self)?;
        let column = batch.columns.first().ok_or(TooLong)?;
        column.settle(ty, self)
    }
}
