//! Which literals have an index of all nodes without being asked for: those that tell few subjects apart, so
//! that `?s :name "x"` and ranges are found without a look at all of them.
//!
//! Only where nodes have IRIs: nodes of a property graph get the indexes that somebody asks for.
//!
//! Source: Virtuoso, "RDF Specifics" (POGS, where it pays).

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_base::PropertyId;
use trimorph_catalog::{Catalog, Subject};
use trimorph_types::iri_names::{ANY_LABEL, ID, is_hidden};

/// Literals of a predicate from which on they have an index.
const INDEXED_MIN: u64 = 1_000;

/// Subjects of one table with the same literal, on the mean, up to which an index finds few of them.
const SUBJECTS_MAX: u64 = 64;

/// An index that is to be made.
pub(crate) struct LiteralIndex {
    pub(crate) property: PropertyId,
    /// The property's name.
    pub(crate) of: Arc<str>,
    /// A name that no other index has.
    pub(crate) name: Arc<str>,
}

/// The indexes that pay and are not there. **Cost**: a look at what is counted of each column.
pub(crate) fn literal_indexes(catalog: &Catalog) -> Vec<LiteralIndex> {
    let Some(id) = catalog.schema.property_id(ID) else { return Vec::new() };
    let mut counted: BTreeMap<PropertyId, (u64, u64)> = BTreeMap::new();
    for (info, stats) in catalog.schema.node_tables.iter().zip(&catalog.statistics.node_tables) {
        if !info.properties.iter().any(|property| property.id == id) {
            continue;
        }
        for (property, column) in info.properties.iter().zip(&stats.properties) {
            let (values, distinct) = counted.entry(property.id).or_default();
            *values += stats.rows.saturating_sub(column.nulls);
            *distinct += column.distinct;
        }
    }
    let any = catalog.schema.labels.id(ANY_LABEL);
    let is_there = |id: PropertyId| {
        catalog.definitions.iter().any(|one| {
            let is_of_all = matches!(one.subject, Subject::Label(label) if Some(usize::from(label.0)) == any);
            is_of_all && one.properties == [id]
        })
    };
    let mut wanted: Vec<LiteralIndex> = Vec::new();
    for (property, (values, distinct)) in counted {
        let of = catalog.schema.property_name(property);
        let is_few = values < INDEXED_MIN || values > distinct.saturating_mul(SUBJECTS_MAX);
        if is_hidden(&of) || is_few || is_there(property) {
            continue;
        }
        // Of IRIs their last part, told apart by a number.
        let local = of.rsplit(['/', '#', ':']).next().unwrap_or_default();
        let names = (1..).map(|n: usize| match n {
            1 => format!("{local}_index"),
            n => format!("{local}_index_{n}"),
        });
        let is_free = |name: &String| {
            catalog.definitions.get(name).is_none() && wanted.iter().all(|own| *own.name != **name)
        };
        let name = names.into_iter().find(is_free).unwrap_or_default().into();
        wanted.push(LiteralIndex { property, of, name });
    }
    wanted
}
