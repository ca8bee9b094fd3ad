//! The catalog and the sizes of a main version, to and from the bytes of a manifest.

use trimorph_base::{EdgeId, LabelId, PropertyId, TableId, TypeId};
use trimorph_catalog::{
    Catalog, CharacteristicSet, Definition, Definitions, DegreeStats, EdgeTableFacts, EdgeTableInfo,
    EdgeTableStats, KnownEdgeTable, Names, NodeTableFacts, NodeTableInfo, NodeTableStats, PropertyInfo,
    PropertyStats, Rule, Schema, Subject, TargetFacts,
};
use trimorph_types::PropertyType;
use trimorph_vfs::{CodecError, Decoder, Encoder};

use crate::adjacency::Adjacency;
use crate::column::{type_code, type_from_code};
use crate::{ComponentBytes, Main};

/// The first format version in which a name says how much it shares with the one before.
const SHARED_NAMES: u32 = 11;

/// Bytes that two texts begin with alike, whole characters and as many as a byte can say.
fn shared(before: &str, name: &str) -> u8 {
    let alike = before.bytes().zip(name.bytes()).take(usize::from(u8::MAX)).take_while(|(a, b)| a == b);
    // 255 at most.
    (0..=alike.count()).rev().find(|at| name.is_char_boundary(*at)).map_or(0, |at| at as u8)
}

/// Names of one kind begin alike: those of RDF with an IRI, those that a program makes with a word.
fn write_names(names: &Names, meta: &mut Encoder) {
    meta.u64(names.iter().len() as u64);
    let mut before = "";
    for name in names.iter() {
        let alike = shared(before, name);
        meta.u8(alike);
        meta.short_str(name.get(usize::from(alike)..).unwrap_or_default());
        before = name;
    }
}

fn read_names(meta: &mut Decoder<'_>, version: u32) -> Result<Names, CodecError> {
    let mut names = Names::default();
    let mut name = String::new();
    for i in 0..meta.count(meta.remaining())? {
        if version < SHARED_NAMES {
            name.clear();
            name.push_str(meta.str()?);
        } else {
            let here = meta.error("a beginning of the name before");
            let alike = usize::from(meta.u8()?);
            if !name.is_char_boundary(alike) {
                return Err(here);
            }
            name.truncate(alike);
            name.push_str(meta.short_str()?);
        }
        if names.intern(&name) != i {
            return Err(meta.error("distinct names"));
        }
    }
    Ok(names)
}

/// Columns: what they are, and what was counted.
type Properties = (Vec<PropertyInfo>, Vec<PropertyStats>);

fn write_properties(properties: &[PropertyInfo], stats: &[PropertyStats], meta: &mut Encoder) {
    meta.u64(properties.len() as u64);
    for (p, stats) in properties.iter().zip(stats) {
        meta.u32(p.id.0);
        meta.u8(type_code(p.ty));
        meta.u64(stats.nulls);
        meta.u64(stats.distinct);
        let (low, high) = stats.range.unwrap_or((1, 0));
        meta.i64(low);
        meta.i64(high);
    }
}

fn read_properties(meta: &mut Decoder<'_>, names: &Names) -> Result<Properties, CodecError> {
    let count = meta.count(meta.remaining())?;
    let (mut properties, mut stats) = (Vec::with_capacity(count), Vec::new());
    for _ in 0..count {
        let id = PropertyId(meta.u32()?);
        let ty = type_from_code(meta.u8()?).ok_or(meta.error("a type"))?;
        let (nulls, distinct, low, high) = (meta.u64()?, meta.u64()?, meta.i64()?, meta.i64()?);
        if names.name(id.0 as usize).is_none() {
            return Err(meta.error("a property of the catalog"));
        }
        let range = (low <= high).then_some((low, high));
        properties.push(PropertyInfo { id, ty });
        stats.push(PropertyStats { nulls, distinct, range });
    }
    Ok((properties, stats))
}

fn write_degrees(stats: &DegreeStats, single: bool, meta: &mut Encoder) {
    meta.u64(stats.edges);
    meta.u8(u8::from(single));
    meta.u64(stats.degree_max);
    meta.u64(stats.nonempty);
}

fn read_degrees(meta: &mut Decoder<'_>) -> Result<(DegreeStats, bool), CodecError> {
    let (edges, single) = (meta.u64()?, meta.u8()? != 0);
    Ok((DegreeStats { edges, degree_max: meta.u64()?, nonempty: meta.u64()? }, single))
}

fn write_definitions(definitions: &Definitions, meta: &mut Encoder) {
    meta.u64(definitions.iter().len() as u64);
    for one in definitions.iter() {
        meta.str(&one.name);
        let (kind, id) = match one.subject {
            Subject::Label(label) => (0, label.0),
            Subject::Type(ty) => (1, ty.0),
        };
        meta.u8(kind);
        meta.u16(id);
        meta.u64(one.properties.len() as u64);
        one.properties.iter().for_each(|property| meta.u32(property.0));
        meta.u8(match one.rule {
            Rule::Index => 0,
            Rule::Unique => 1,
            Rule::Key => 2,
            Rule::Exists => 3,
            Rule::Typed(_) => 4,
        });
        if let Rule::Typed(ty) = &one.rule {
            meta.str(&ty.to_string());
        }
    }
}

fn read_definitions(meta: &mut Decoder<'_>, schema: &Schema) -> Result<Definitions, CodecError> {
    let mut definitions = Definitions::default();
    for _ in 0..meta.count(meta.remaining())? {
        let name = meta.str()?.into();
        let subject = match meta.u8()? {
            0 => Subject::Label(LabelId(meta.u16()?)),
            1 => Subject::Type(TypeId(meta.u16()?)),
            _ => return Err(meta.error("a label or an edge label")),
        };
        let properties = (0..meta.count(meta.remaining())?)
            .map(|_| Ok(PropertyId(meta.u32()?)))
            .collect::<Result<Vec<_>, CodecError>>()?;
        let rule = match meta.u8()? {
            0 => Rule::Index,
            1 => Rule::Unique,
            2 => Rule::Key,
            3 => Rule::Exists,
            4 => {
                let ty = PropertyType::parse(meta.str()?).ok();
                Rule::Typed(ty.ok_or_else(|| meta.error("a type of a property"))?)
            }
            _ => return Err(meta.error("what an index or a constraint demands")),
        };
        let definition = Definition { name, subject, properties, rule };
        if !schema.can_have(&definition) {
            return Err(meta.error("an index or a constraint of names of the catalog"));
        }
        definitions.add(definition);
    }
    Ok(definitions)
}

/// Target tables are those that edge tables have lists of, which the facts may have forgotten: the lists'
/// pieces stand in their order.
pub(super) fn write_catalog(main: &Main, meta: &mut Encoder) {
    let (catalog, bytes) = (&main.catalog, &main.bytes);
    let (schema, facts, statistics) = (&catalog.schema, catalog.unrecorded_facts(), &catalog.statistics);
    for names in [&schema.labels, &schema.types, &schema.properties] {
        write_names(names, meta);
    }
    meta.u64(schema.node_tables.len() as u64);
    for (t, stats) in schema.node_tables.iter().zip(&statistics.node_tables) {
        meta.u64(t.labels.len() as u64);
        t.labels.iter().for_each(|l| meta.u16(l.0));
        write_properties(&t.properties, &stats.properties, meta);
        meta.u64(t.key.map_or(0, |k| k as u64 + 1));
        meta.u64(stats.rows);
        meta.u64(stats.characteristic_sets.len() as u64);
        for set in &stats.characteristic_sets {
            meta.u64(set.properties.len() as u64);
            set.properties.iter().for_each(|p| meta.u32(*p));
            meta.u64(set.count);
        }
    }
    meta.u64(schema.edge_tables.len() as u64);
    let known = facts.edge_tables.iter().zip(&statistics.edge_tables).zip(&main.edge_tables);
    for (t, ((facts, stats), lists)) in schema.edge_tables.iter().zip(known) {
        meta.u16(t.ty.0);
        meta.u16(t.source.0);
        write_properties(&t.properties, &stats.properties, meta);
        write_degrees(&stats.forward, facts.single, meta);
        meta.u64(facts.self_loops_max);
        meta.u64(lists.backward.len() as u64);
        for (table, lists) in &lists.backward {
            let known = facts.targets.iter().find(|target| target.table == *table);
            let single = known.map_or(matches!(lists, Adjacency::Column(_)), |target| target.single);
            meta.u16(table.0);
            write_degrees(&stats.into_target(*table), single, meta);
        }
    }
    write_definitions(&catalog.definitions, meta);
    bytes.rows().iter().for_each(|(_, b)| meta.u64(*b as u64));
}

fn read_edge_table(meta: &mut Decoder<'_>, schema: &Schema) -> Result<KnownEdgeTable, CodecError> {
    let node_table = |meta: &mut Decoder<'_>| {
        let id = TableId(meta.u16()?);
        match (id.0 as usize) < schema.node_tables.len() {
            true => Ok(id),
            false => Err(meta.error("a node table of the catalog")),
        }
    };
    let ty = TypeId(meta.u16()?);
    if schema.types.name(ty.0 as usize).is_none() {
        return Err(meta.error("an edge label of the catalog"));
    }
    let source = node_table(meta)?;
    let (columns, properties) = read_properties(meta, &schema.properties)?;
    let (forward, single) = read_degrees(meta)?;
    let self_loops_max = meta.u64()?;
    let (mut targets, mut backward) = (Vec::new(), Vec::new());
    for _ in 0..meta.count(meta.remaining())? {
        let table = node_table(meta)?;
        let (counted, single) = read_degrees(meta)?;
        targets.push(TargetFacts { table, single });
        backward.push((table, counted));
    }
    let info = EdgeTableInfo { ty, source, properties: columns };
    let (edges_max, one_type) = (forward.edges, Vec::new());
    let facts = EdgeTableFacts { single, edges_max, self_loops_max, targets, one_type };
    Ok((info, facts, EdgeTableStats { properties, forward, backward }))
}

/// The catalog but for the facts of columns, which their directories tell.
pub(super) fn read_catalog(
    meta: &mut Decoder<'_>,
    version: u32,
) -> Result<(Catalog, ComponentBytes), CodecError> {
    let mut catalog = Catalog::default();
    catalog.schema = Schema {
        labels: read_names(meta, version)?,
        types: read_names(meta, version)?,
        properties: read_names(meta, version)?,
        ..Schema::default()
    };
    for _ in 0..meta.count(usize::from(u16::MAX))? {
        let labels = (0..meta.count(meta.remaining())?)
            .map(|_| Ok(LabelId(meta.u16()?)))
            .collect::<Result<Vec<_>, CodecError>>()?;
        if labels.iter().any(|l| catalog.schema.labels.name(l.0 as usize).is_none()) {
            return Err(meta.error("labels of the catalog"));
        }
        let (properties, counted) = read_properties(meta, &catalog.schema.properties)?;
        let key = meta.count(properties.len())?.checked_sub(1);
        let rows = meta.u64()?;
        let mut characteristic_sets = Vec::new();
        for _ in 0..meta.count(meta.remaining())? {
            let set =
                (0..meta.count(meta.remaining())?).map(|_| meta.u32()).collect::<Result<Vec<_>, _>>()?;
            characteristic_sets.push(CharacteristicSet { properties: set, count: meta.u64()? });
        }
        let stats = NodeTableStats { rows, properties: counted, characteristic_sets };
        let info = NodeTableInfo { labels, properties, key };
        catalog.add_node_table(info, NodeTableFacts::default(), stats);
    }
    for _ in 0..meta.count(EdgeId::TABLES_MAX)? {
        let table = read_edge_table(meta, &catalog.schema)?;
        catalog.add_edge_table(table);
    }
    catalog.definitions = read_definitions(meta, &catalog.schema)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_this_and_older_versions_are_read() {
        let long = "x".repeat(300);
        let all = [
            "Person",
            "Per",
            "Person2",
            "",
            "äb",
            "äc",
            "ö",
            &long,
            &format!("{long}y"),
            "http://a/b#c",
            "http://a/b#d",
        ];
        let mut names = Names::default();
        all.into_iter().for_each(|name| _ = names.intern(name));
        let (mut old, mut new) = (Encoder::new(), Encoder::new());
        old.u64(all.len() as u64);
        all.into_iter().for_each(|name| old.str(name));
        write_names(&names, &mut new);
        let (old, new) = (old.finish(), new.finish());
        assert!(new.len() < old.len() - 300, "{} and {}", new.len(), old.len());
        for (bytes, version) in [(old, SHARED_NAMES - 1), (new, SHARED_NAMES)] {
            let read = read_names(&mut Decoder::new(&bytes), version).unwrap();
            assert_eq!(read.iter().map(|name| &**name).collect::<Vec<_>>(), all);
        }
        // A beginning that the name before does not have, or that ends within a character.
        for bad in [&[1, 0, 0, 0, 0, 0, 0, 0, 1, 0][..], &[2, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0xC3, 0xA4, 1, 0]] {
            assert!(read_names(&mut Decoder::new(bad), SHARED_NAMES).is_err());
        }
    }
}
