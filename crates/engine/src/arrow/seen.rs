//! Values in, the type they have together out: what is nested is looked at in place, and properties of nodes
//! and relationships by column, those of one batch at once.

use std::sync::Arc;

use trimorph_base::{EdgeId, NodeId};
use trimorph_store::PropertyColumn;
use trimorph_types::{LogicalType, Map, Value};
use trimorph_vector::{Values, Vector};

use super::column_type::ColumnType;
use super::column_type::{Entity, Keys};
use super::maker::{Maker, UNCHECKED};
use super::nested::DEPTH_MAX;
use crate::Error;

impl ColumnType {
    /// The type that holds all these values, which are so many levels within their column.
    pub(super) fn of_values(values: &[Value], depth: usize, maker: &Maker<'_>) -> Result<Self, Error> {
        let mut ty = Self::Unknown;
        for some in values.chunks(UNCHECKED) {
            maker.check()?;
            for value in some {
                ty.include(value, depth);
            }
        }
        ty.resolve(maker)?;
        Ok(ty)
    }

    /// Makes it hold a value too, `depth` levels within its column; ids of nodes and edges are kept for
    /// [`Self::resolve`].
    fn include(&mut self, value: &Value, depth: usize) {
        use LogicalType::{Bool, Float, Int, String};
        match (&mut *self, value) {
            (_, Value::Null)
            | (Self::Plain(Int), Value::Int(_))
            | (Self::Plain(String), Value::String(_))
            | (Self::Plain(Float), Value::Float(_) | Value::Int(_))
            | (Self::Plain(Bool), Value::Bool(_)) => {}
            (Self::List(items), Value::List(values)) => {
                values.iter().for_each(|v| items.include(v, depth + 1));
            }
            (Self::Map(all), Value::Map(entries)) => {
                entries.values().for_each(|v| all.include(v, depth + 1));
            }
            (Self::Struct(keys), Value::Map(entries)) => {
                keys.include(entries, depth + 1);
                if !keys.fit_a_struct() {
                    *self = Self::of_keys(std::mem::take(keys));
                }
            }
            (Self::Node(nodes), Value::Node(id)) => nodes.ids.push(id.0),
            (Self::Relationship(relationships), Value::Relationship(r)) => relationships.ids.push(r.id.0),
            (Self::Path(both), Value::Path(path)) => {
                both.0.ids.extend(path.nodes.iter().map(|id| id.0));
                both.1.ids.extend(path.relationships.iter().map(|r| r.id.0));
            }
            (Self::Unknown, _) => {
                *self = Self::of(value);
                match self.nested() {
                    Some(kind) if depth + self.levels() > DEPTH_MAX => *self = Self::Spelled(kind),
                    Some(_) => self.include(value, depth),
                    None => {}
                }
            }
            _ => *self = std::mem::replace(self, Self::Unknown).join(Self::of(value)),
        }
    }

    /// Looks at the properties of the nodes and edges it was made to hold.
    fn resolve(&mut self, maker: &Maker<'_>) -> Result<(), Error> {
        match self {
            Self::List(ty) | Self::Map(ty) => ty.resolve(maker),
            Self::Struct(keys) => keys.fields.values_mut().try_for_each(|ty| ty.resolve(maker)),
            Self::Node(nodes) => nodes.resolve_nodes(maker),
            Self::Relationship(relationships) => relationships.resolve_relationships(maker),
            Self::Path(path) => {
                path.0.resolve_nodes(maker)?;
                path.1.resolve_relationships(maker)
            }
            _ => Ok(()),
        }
    }

    /// The type of all values of a property.
    fn of_vector(vector: &Vector<'_>, len: usize, maker: &Maker<'_>) -> Result<Self, Error> {
        let present = |nanos: &[i64]| {
            let at = (0..nanos.len()).filter(|i| !vector.nulls.get(*i));
            at.map(|i| nanos[i]).collect::<Vec<_>>()
        };
        Ok(match &vector.values {
            Values::Any(values) => {
                let mut ty = Self::Unknown;
                // Within the properties of a graph element.
                values.iter().for_each(|v| ty.include(v, 2));
                ty.resolve(maker)?;
                ty
            }
            Values::LocalDateTime(nanos) => Self::of_nanos(false, present(nanos).into_iter()),
            Values::DateTime(nanos) => Self::of_nanos(true, present(nanos).into_iter()),
            _ => match Self::declared(vector.logical_type()) {
                open if open.is_open() => {
                    let mut ty = Self::Unknown;
                    let values = (0..len).map(|i| vector.value(i, &|_| Value::Null));
                    values.for_each(|value| ty.include(&value, 2));
                    ty.resolve(maker)?;
                    ty
                }
                known => known,
            },
        })
    }
}

impl Keys {
    fn include(&mut self, entries: &Map, depth: usize) {
        self.most = self.most.max(entries.len());
        let agree = self.fields.len() == entries.len() && self.fields.keys().eq(entries.keys());
        if agree {
            self.fields.values_mut().zip(entries.values()).for_each(|(ty, v)| ty.include(v, depth));
            return;
        }
        for (key, value) in entries {
            match self.fields.get_mut(key) {
                Some(ty) => ty.include(value, depth),
                None => {
                    let mut ty = ColumnType::Unknown;
                    ty.include(value, depth);
                    self.fields.insert(Arc::clone(key), ty);
                }
            }
        }
    }
}

impl Entity {
    fn resolve_nodes(&mut self, maker: &Maker<'_>) -> Result<(), Error> {
        let mut ids = std::mem::take(&mut self.ids);
        ids.sort_unstable();
        ids.dedup();
        for same in ids.chunk_by(|a, b| NodeId(*a).table() == NodeId(*b).table()) {
            let table = NodeId(same[0]).table();
            let schema = maker.reader.schema();
            let Some(info) = schema.node_tables.get(usize::from(table.0)) else { continue };
            let columns = info.properties.iter().enumerate().map(|(place, property)| {
                (schema.property_name(property.id), PropertyColumn::of_nodes(table, place, &maker.reader))
            });
            let rows = same.iter().map(|id| NodeId(*id).row()).collect::<Vec<_>>();
            self.add(columns, &rows, maker)?;
        }
        Ok(())
    }

    fn resolve_relationships(&mut self, maker: &Maker<'_>) -> Result<(), Error> {
        let mut ids = std::mem::take(&mut self.ids);
        ids.sort_unstable();
        ids.dedup();
        for same in ids.chunk_by(|a, b| EdgeId(*a).table() == EdgeId(*b).table()) {
            let table = usize::from(EdgeId(same[0]).table().0);
            let schema = maker.reader.schema();
            let Some(info) = schema.edge_tables.get(table) else { continue };
            let columns = info.properties.iter().enumerate().map(|(place, property)| {
                (schema.property_name(property.id), PropertyColumn::of_edges(table, place, &maker.reader))
            });
            let rows = same.iter().map(|id| maker.reader.edge_slot(EdgeId(*id))).collect::<Vec<_>>();
            self.add(columns, &rows, maker)?;
        }
        Ok(())
    }

    /// Takes the properties of rows of one table in: what the column does not tell by itself is read.
    fn add<'r, 's: 'r>(
        &mut self,
        columns: impl Iterator<Item = (Arc<str>, PropertyColumn<'r, 's>)>,
        rows: &[u64],
        maker: &Maker<'_>,
    ) -> Result<(), Error> {
        // No table has so many that its own properties would be a map for that.
        let mut keys = Keys { most: usize::MAX, ..Keys::default() };
        for (name, column) in columns {
            maker.check()?;
            let ty = match column.certain_type() {
                Some(
                    ty @ (LogicalType::Bool
                    | LogicalType::Int
                    | LogicalType::Float
                    | LogicalType::String
                    | LogicalType::Date
                    | LogicalType::LocalTime),
                ) => ColumnType::Plain(ty),
                _ => {
                    let vector = column.gather(rows.iter().copied().enumerate(), rows.len());
                    ColumnType::of_vector(&vector, rows.len(), maker)?
                }
            };
            keys.fields.insert(name, ty);
        }
        let properties = std::mem::replace(&mut self.properties, ColumnType::Unknown);
        self.properties = properties.join(ColumnType::of_keys(keys));
        Ok(())
    }
}
