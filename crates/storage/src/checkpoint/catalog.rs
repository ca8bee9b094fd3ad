//! The catalog and the sizes of a main version, to and from the bytes of a manifest.

use trimorph_base::{EdgeId, LabelId, PropertyId, TableId, TypeId};
use trimorph_catalog::{
    BackwardStats, Catalog, CharacteristicSet, EdgeTableInfo, Names, NodeTableInfo, PropertyInfo,
    PropertyStats,
};
use trimorph_vfs::{CodecError, Decoder, Encoder};

use crate::ComponentBytes;
use crate::column::{type_code, type_from_code};

fn write_names(names: &Names, meta: &mut Encoder) {
    meta.u64(names.iter().len() as u64);
    names.iter().for_each(|n| meta.str(n));
}

fn read_names(meta: &mut Decoder<'_>) -> Result<Names, CodecError> {
    let mut names = Names::default();
    for i in 0..meta.count(meta.remaining())? {
        let name = meta.str()?;
        if names.intern(name) != i {
            return Err(meta.error("distinct names"));
        }
    }
    Ok(names)
}

fn write_properties(properties: &[PropertyInfo], meta: &mut Encoder) {
    meta.u64(properties.len() as u64);
    for p in properties {
        meta.u32(p.id.0);
        meta.u8(type_code(p.ty));
        meta.u64(p.stats.nulls);
        meta.u64(p.stats.distinct);
        let (low, high) = p.stats.range.unwrap_or((1, 0));
        meta.i64(low);
        meta.i64(high);
    }
}

fn read_properties(meta: &mut Decoder<'_>, names: &Names) -> Result<Vec<PropertyInfo>, CodecError> {
    let count = meta.count(meta.remaining())?;
    let mut properties = Vec::with_capacity(count);
    for _ in 0..count {
        let id = PropertyId(meta.u32()?);
        let ty = type_from_code(meta.u8()?).ok_or(meta.error("a type"))?;
        let (nulls, distinct, low, high) = (meta.u64()?, meta.u64()?, meta.i64()?, meta.i64()?);
        if names.name(id.0 as usize).is_none() {
            return Err(meta.error("a property of the catalog"));
        }
        let range = (low <= high).then_some((low, high));
        properties.push(PropertyInfo { id, ty, stats: PropertyStats { nulls, distinct, range } });
    }
    Ok(properties)
}

pub(super) fn write_catalog(catalog: &Catalog, bytes: &ComponentBytes, meta: &mut Encoder) {
    for names in [&catalog.labels, &catalog.types, &catalog.properties] {
        write_names(names, meta);
    }
    meta.u64(catalog.node_tables.len() as u64);
    for t in &catalog.node_tables {
        meta.u64(t.labels.len() as u64);
        t.labels.iter().for_each(|l| meta.u16(l.0));
        write_properties(&t.properties, meta);
        meta.u64(t.key.map_or(0, |k| k as u64 + 1));
        meta.u64(t.rows);
        meta.u64(t.characteristic_sets.len() as u64);
        for set in &t.characteristic_sets {
            meta.u64(set.properties.len() as u64);
            set.properties.iter().for_each(|p| meta.u32(*p));
            meta.u64(set.count);
        }
    }
    meta.u64(catalog.edge_tables.len() as u64);
    for t in &catalog.edge_tables {
        meta.u16(t.ty.0);
        meta.u16(t.source.0);
        write_properties(&t.properties, meta);
        meta.u64(t.edges);
        meta.u8(u8::from(t.single));
        meta.u64(t.degree_max);
        meta.u64(t.nonempty);
        meta.u64(t.self_loops);
        meta.u64(t.backward.len() as u64);
        for b in &t.backward {
            meta.u16(b.target.0);
            meta.u64(b.edges);
            meta.u8(u8::from(b.single));
            meta.u64(b.degree_max);
            meta.u64(b.nonempty);
        }
    }
    bytes.rows().iter().for_each(|(_, b)| meta.u64(*b as u64));
}

pub(super) fn read_catalog(meta: &mut Decoder<'_>) -> Result<(Catalog, ComponentBytes), CodecError> {
    let mut catalog = Catalog {
        labels: read_names(meta)?,
        types: read_names(meta)?,
        properties: read_names(meta)?,
        ..Catalog::default()
    };
    for _ in 0..meta.count(usize::from(u16::MAX))? {
        let labels = (0..meta.count(meta.remaining())?)
            .map(|_| Ok(LabelId(meta.u16()?)))
            .collect::<Result<Vec<_>, CodecError>>()?;
        if labels.iter().any(|l| catalog.labels.name(l.0 as usize).is_none()) {
            return Err(meta.error("labels of the catalog"));
        }
        let properties = read_properties(meta, &catalog.properties)?;
        let key = meta.count(properties.len())?.checked_sub(1);
        let rows = meta.u64()?;
        let mut characteristic_sets = Vec::new();
        for _ in 0..meta.count(meta.remaining())? {
            let set =
                (0..meta.count(meta.remaining())?).map(|_| meta.u32()).collect::<Result<Vec<_>, _>>()?;
            characteristic_sets.push(CharacteristicSet { properties: set, count: meta.u64()? });
        }
        catalog.node_tables.push(NodeTableInfo { labels, properties, key, rows, characteristic_sets });
    }
    let table = |meta: &mut Decoder<'_>, tables: usize| {
        let id = TableId(meta.u16()?);
        if (id.0 as usize) < tables { Ok(id) } else { Err(meta.error("a node table of the catalog")) }
    };
    let tables = catalog.node_tables.len();
    for _ in 0..meta.count(EdgeId::TABLES_MAX)? {
        let ty = TypeId(meta.u16()?);
        if catalog.types.name(ty.0 as usize).is_none() {
            return Err(meta.error("an edge label of the catalog"));
        }
        let source = table(meta, tables)?;
        let properties = read_properties(meta, &catalog.properties)?;
        let (edges, single) = (meta.u64()?, meta.u8()? != 0);
        let (degree_max, nonempty, self_loops) = (meta.u64()?, meta.u64()?, meta.u64()?);
        let mut backward = Vec::new();
        for _ in 0..meta.count(meta.remaining())? {
            let target = table(meta, tables)?;
            let (edges, single) = (meta.u64()?, meta.u8()? != 0);
            backward.push(BackwardStats {
                target,
                edges,
                single,
                degree_max: meta.u64()?,
                nonempty: meta.u64()?,
            });
        }
        let info = EdgeTableInfo {
            ty,
            source,
            properties,
            edges,
            single,
            degree_max,
            nonempty,
            self_loops,
            backward,
        };
        catalog.edge_tables.push(info);
    }
    let mut next = || meta.count(usize::MAX);
    let bytes = ComponentBytes {
        node_properties: next()?,
        edge_properties: next()?,
        nulls: next()?,
        forward: next()?,
        backward: next()?,
        key_indexes: next()?,
        overhead: next()?,
    };
    Ok((catalog, bytes))
}
