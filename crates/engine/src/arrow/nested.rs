//! Types with types in them: lists, maps, nodes, relationships and paths, and how far they go.
//!
//! 1. Lists and maps have columns of their own down to [`DEPTH_MAX`] levels; what is deeper is text.
//! 2. Maps are structs of all keys seen, a missing one being null, while these are few for the maps they are
//!    of ([`Keys::are_few`]): a struct has room for every key in every row. Else they are Arrow's maps of
//!    the joined type of all their values.
//! 3. Nodes have `id`, `labels` and `properties`, relationships `id`, `type`, `start`, `end` and
//!    `properties`, paths `nodes` and `relationships`. Properties are those of the tables that nodes and
//!    edges are of, with or without values.
//! 4. A column of more than [`LEAVES_MAX`] columns within each other is text.

use trimorph_types::LogicalType;

use super::column_type::{ColumnType, Entity, Keys};

/// Levels of lists, maps and graph elements that have columns of their own: Arrow's C++ library takes 64
/// levels, of which a map has two and a path four.
pub(super) const DEPTH_MAX: usize = 24;

/// Most keys that a struct has.
pub(super) const FIELDS_MAX: usize = 256;

/// Keys that maps may differ in besides twice those that the largest of them has.
const FIELDS_FREE: usize = 8;

/// Columns that one column of a result may be made of.
const LEAVES_MAX: usize = 1024;

impl Keys {
    /// The type of all values.
    pub(super) fn join_all(self) -> ColumnType {
        self.fields.into_values().fold(ColumnType::Unknown, ColumnType::join)
    }

    /// Joins key by key; maps, where there are too many.
    pub(super) fn join(mut self, other: Self) -> ColumnType {
        self.most = self.most.max(other.most);
        for (key, ty) in other.fields {
            let own = self.fields.entry(key).or_insert(ColumnType::Unknown);
            *own = std::mem::replace(own, ColumnType::Unknown).join(ty);
        }
        ColumnType::of_keys(self)
    }

    /// Whether a struct holds every map of other keys.
    pub(super) fn hold(&self, other: &Self) -> bool {
        other.fields.iter().all(|(key, ty)| self.fields.get(key).is_some_and(|own| own.holds(ty)))
    }

    /// Whether these are no more than one struct has.
    pub(super) fn fit_a_struct(&self) -> bool {
        self.fields.len() <= FIELDS_MAX
    }

    fn are_few(&self) -> bool {
        !self.fields.is_empty()
            && self.fields.len() <= self.most.saturating_mul(2).saturating_add(FIELDS_FREE)
    }
}

impl Entity {
    pub(super) fn join(mut self, other: Self) -> Self {
        self.ids.extend(other.ids);
        Self { ids: self.ids, properties: self.properties.join(other.properties) }
    }

    pub(super) fn holds(&self, other: &Self) -> bool {
        self.properties.holds(&other.properties)
    }

    fn map_parts(self, of: &dyn Fn(ColumnType) -> ColumnType) -> Self {
        Self { ids: self.ids, properties: self.properties.map_parts(of) }
    }
}

impl ColumnType {
    /// Maps of these keys.
    pub(super) fn of_keys(keys: Keys) -> Self {
        if keys.fit_a_struct() { Self::Struct(Box::new(keys)) } else { Self::Map(Box::new(keys.join_all())) }
    }

    /// The kind of values that have others in them, where this is of one such, also as text; `Any` for
    /// several.
    pub(super) fn nested(&self) -> Option<LogicalType> {
        use LogicalType::{Any, List, Map, Node, Path, Relationship};
        Some(match self {
            Self::List(_) => List,
            Self::Struct(_) | Self::Map(_) => Map,
            Self::Node(_) => Node,
            Self::Relationship(_) => Relationship,
            Self::Path(_) => Path,
            Self::Spelled(ty @ (List | Map | Node | Relationship | Path | Any)) => *ty,
            _ => return None,
        })
    }

    pub(super) fn is_nested(&self) -> bool {
        self.nested().is_some()
    }

    /// The levels of columns that the text of a value of this type saves.
    pub(super) fn levels(&self) -> usize {
        match self {
            Self::List(_) | Self::Struct(_) | Self::Map(_) => 1,
            Self::Node(_) | Self::Relationship(_) => 2,
            Self::Path(_) => 4,
            _ => 0,
        }
    }

    /// The same with other types for what is directly in it; properties count as that.
    pub(super) fn map_parts(self, of: &dyn Fn(Self) -> Self) -> Self {
        match self {
            Self::List(items) => Self::List(Box::new(of(*items))),
            Self::Map(values) => Self::Map(Box::new(of(*values))),
            Self::Struct(mut keys) => {
                for ty in keys.fields.values_mut() {
                    *ty = of(std::mem::replace(ty, Self::Unknown));
                }
                Self::Struct(keys)
            }
            Self::Node(entity) => Self::Node(Box::new(entity.map_parts(of))),
            Self::Relationship(entity) => Self::Relationship(Box::new(entity.map_parts(of))),
            Self::Path(path) => Self::Path(Box::new((path.0.map_parts(of), path.1.map_parts(of)))),
            leaf => leaf,
        }
    }

    /// Calls `visit` for what is directly in it, with its name; properties count as that.
    pub(super) fn for_each_part<'t>(&'t self, visit: &mut dyn FnMut(&str, &'t Self)) {
        match self {
            Self::List(items) => visit("elements", items),
            Self::Map(values) => visit("values", values),
            Self::Struct(keys) => keys.fields.iter().for_each(|(key, ty)| visit(key, ty)),
            Self::Node(entity) | Self::Relationship(entity) => entity.properties.for_each_part(visit),
            Self::Path(path) => {
                path.0.properties.for_each_part(visit);
                path.1.properties.for_each_part(visit);
            }
            _ => {}
        }
    }

    /// Whether it has a part of which no value was seen.
    pub(super) fn has_unknown(&self) -> bool {
        let mut has = *self == Self::Unknown;
        self.for_each_part(&mut |_, part| has |= part.has_unknown());
        has
    }

    /// What all values being seen makes of it: structs of too many keys, or none, are maps, and what has too
    /// many columns is text.
    pub(super) fn settled(self) -> Self {
        let kind = self.nested();
        let settled = self.with_maps();
        match kind {
            Some(kind) if settled.leaves() > LEAVES_MAX => Self::Spelled(kind),
            _ => settled,
        }
    }

    fn with_maps(self) -> Self {
        let of = |entity: Entity| Entity { properties: entity.properties.with_maps(), ..entity };
        match self {
            Self::Struct(keys) if !keys.are_few() => Self::Map(Box::new(keys.join_all().with_maps())),
            Self::Node(entity) => Self::Node(Box::new(of(*entity))),
            Self::Relationship(entity) => Self::Relationship(Box::new(of(*entity))),
            Self::Path(path) => Self::Path(Box::new((of(path.0), of(path.1)))),
            other => other.map_parts(&Self::with_maps),
        }
    }

    fn leaves(&self) -> usize {
        let (mut leaves, mut parts) = (0, 0);
        self.for_each_part(&mut |_, part| {
            leaves += part.leaves();
            parts += 1;
        });
        if parts == 0 { 1 } else { leaves }
    }
}
