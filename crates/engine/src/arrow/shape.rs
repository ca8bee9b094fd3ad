//! A settled type in, what it is in Arrow and what users call it out.

use std::fmt::Write as _;
use std::sync::Arc;

use arrow_schema::{DECIMAL128_MAX_PRECISION, DataType, Field, FieldRef, Fields, TimeUnit};
use trimorph_types::LogicalType;

use super::column_type::ColumnType;
use super::column_type::Entity;

/// Letters of a type's name: one of many keys is cut.
const NAME_MAX: usize = 1000;

fn field(name: &str, ty: DataType) -> FieldRef {
    Arc::new(Field::new(name, ty, true))
}

/// The field of a list's elements.
pub(super) fn item(ty: &ColumnType) -> FieldRef {
    field("item", ty.data_type())
}

/// The fields of a map's entries.
pub(super) fn entry(ty: &ColumnType) -> Fields {
    Fields::from(vec![Arc::new(Field::new("key", DataType::Utf8, false)), field("value", ty.data_type())])
}

/// The field of a map's entries as a whole.
pub(super) fn entries(ty: &ColumnType) -> FieldRef {
    Arc::new(Field::new("entries", DataType::Struct(entry(ty)), false))
}

fn list_of(item: DataType) -> DataType {
    DataType::List(field("item", item))
}

impl Entity {
    pub(super) fn node_fields(&self) -> Fields {
        Fields::from(vec![
            field("id", DataType::Int64),
            field("labels", list_of(DataType::Utf8)),
            field("properties", self.properties.data_type()),
        ])
    }

    pub(super) fn relationship_fields(&self) -> Fields {
        Fields::from(vec![
            field("id", DataType::Int64),
            field("type", DataType::Utf8),
            field("start", DataType::Int64),
            field("end", DataType::Int64),
            field("properties", self.properties.data_type()),
        ])
    }
}

/// The fields of paths of such nodes and relationships.
pub(super) fn path_fields(nodes: &Entity, relationships: &Entity) -> Fields {
    Fields::from(vec![
        field("nodes", list_of(DataType::Struct(nodes.node_fields()))),
        field("relationships", list_of(DataType::Struct(relationships.relationship_fields()))),
    ])
}

impl ColumnType {
    pub(super) fn data_type(&self) -> DataType {
        match self {
            Self::Plain(LogicalType::Bool) => DataType::Boolean,
            Self::Plain(LogicalType::Int) => DataType::Int64,
            Self::Plain(LogicalType::Float) => DataType::Float64,
            Self::Plain(LogicalType::Date) => DataType::Date32,
            Self::Plain(LogicalType::LocalTime) => DataType::Time64(TimeUnit::Nanosecond),
            Self::Plain(LogicalType::Bytes) => DataType::Binary,
            Self::Instant { zoned, reach, .. } => {
                DataType::Timestamp(reach.time_unit(), zoned.then(|| "UTC".into()))
            }
            Self::Length { reach, .. } => DataType::Duration(reach.time_unit()),
            Self::Decimal { scale, .. } => {
                DataType::Decimal128(DECIMAL128_MAX_PRECISION, scale.cast_signed())
            }
            Self::Plain(_) | Self::Spelled(_) | Self::Text | Self::Unknown => DataType::Utf8,
            Self::List(ty) => DataType::List(item(ty)),
            Self::Struct(keys) => {
                DataType::Struct(keys.fields.iter().map(|(key, ty)| field(key, ty.data_type())).collect())
            }
            Self::Map(ty) => DataType::Map(entries(ty), false),
            Self::Node(entity) => DataType::Struct(entity.node_fields()),
            Self::Relationship(entity) => DataType::Struct(entity.relationship_fields()),
            Self::Path(path) => DataType::Struct(path_fields(&path.0, &path.1)),
        }
    }

    /// What users call it: `LIST<INTEGER>`, `STRUCT<a INTEGER, b STRING>`, `MAP<STRING, FLOAT>`.
    pub(super) fn type_name(&self) -> String {
        let mut out = String::new();
        self.write_name(&mut out);
        if out.len() > NAME_MAX {
            let end = (0..=NAME_MAX).rev().find(|i| out.is_char_boundary(*i)).unwrap_or(0);
            out.truncate(end);
            out.push('…');
        }
        out
    }

    fn write_name(&self, out: &mut String) {
        if out.len() > NAME_MAX {
            return;
        }
        match self {
            Self::Unknown | Self::Text => out.push_str(LogicalType::Any.name()),
            Self::Plain(ty) | Self::Spelled(ty) => out.push_str(ty.name()),
            Self::Decimal { .. } => out.push_str(LogicalType::Decimal.name()),
            Self::Length { .. } => out.push_str(LogicalType::Duration.name()),
            Self::Instant { zoned: true, .. } => out.push_str(LogicalType::DateTime.name()),
            Self::Instant { zoned: false, .. } => out.push_str(LogicalType::LocalDateTime.name()),
            Self::List(ty) => {
                out.push_str("LIST<");
                ty.write_name(out);
                out.push('>');
            }
            Self::Struct(keys) => {
                out.push_str("STRUCT<");
                for (i, (key, ty)) in keys.fields.iter().enumerate() {
                    // Infallible: it is a text.
                    let _ = write!(out, "{}{key} ", if i == 0 { "" } else { ", " });
                    ty.write_name(out);
                }
                out.push('>');
            }
            Self::Map(ty) => {
                out.push_str("MAP<STRING, ");
                ty.write_name(out);
                out.push('>');
            }
            Self::Node(_) => out.push_str(LogicalType::Node.name()),
            Self::Relationship(_) => out.push_str(LogicalType::Relationship.name()),
            Self::Path(_) => out.push_str(LogicalType::Path.name()),
        }
    }

    /// For messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Decimal { scale, .. } => format!("DECIMAL with {scale} digits behind the point"),
            Self::Instant { reach, .. } | Self::Length { reach, .. } => {
                format!("{} in Arrow's {}", self.type_name(), reach.time_unit())
            }
            Self::Spelled(ty) => format!("{} as text", ty.name()),
            Self::Text | Self::Unknown => "other values".to_owned(),
            Self::Node(entity) | Self::Relationship(entity) => {
                let properties = entity.properties.type_name();
                format!("{} of properties {properties}", self.type_name())
            }
            _ => self.type_name(),
        }
    }
}
