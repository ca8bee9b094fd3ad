//! What was counted of the nodes, or of the relationships, that a predicate is on: how many there are, what
//! their properties have, and how many of them have which.
//!
//! Source: Poseidon §6 (distinct counts, characteristic sets).

use trimorph_base::{EdgeTableId, TableId};
use trimorph_catalog::{CatalogView, CharacteristicSet, PropertyStats};

use crate::degrees::rows_of;

/// What a predicate is on: the nodes, or the relationships, of some tables.
#[derive(Clone, Copy)]
pub(crate) enum Of<'t> {
    /// Nodes.
    Nodes(&'t [TableId]),
    /// Relationships.
    Edges(&'t [EdgeTableId]),
}

impl Of<'_> {
    /// How many there are.
    pub(crate) fn rows(self, catalog: &CatalogView<'_>) -> f64 {
        match self {
            Self::Nodes(tables) => rows_of(catalog, tables),
            Self::Edges(tables) => tables.iter().map(|t| catalog.statistics().edges(*t) as f64).sum(),
        }
    }

    /// What was counted of a property, and of how many, by table.
    pub(crate) fn stats<'c>(
        self,
        catalog: &CatalogView<'c>,
        property: &str,
    ) -> Vec<(&'c PropertyStats, f64)> {
        match self {
            Self::Nodes(tables) => stats_of(catalog, tables, property),
            Self::Edges(tables) => (tables.iter())
                .filter_map(|t| {
                    let edges = catalog.statistics().edges(*t) as f64;
                    Some((catalog.estimated_edge_property(*t, property)?, edges))
                })
                .collect(),
        }
    }

    /// The part of them that have all of these properties.
    pub(crate) fn presence(self, catalog: &CatalogView<'_>, properties: &[&str]) -> f64 {
        let Self::Nodes(tables) = self else {
            let all = self.rows(catalog).max(1.0);
            let having = |property: &&str| {
                let stats = self.stats(catalog, property);
                stats.iter().map(|(stats, edges)| (edges - stats.nulls as f64).max(0.0)).sum::<f64>() / all
            };
            return properties.iter().map(having).product();
        };
        presence(catalog, tables, properties)
    }
}

fn stats_of<'c>(
    catalog: &CatalogView<'c>,
    tables: &[TableId],
    property: &str,
) -> Vec<(&'c PropertyStats, f64)> {
    (tables.iter())
        .filter_map(|t| {
            Some((catalog.estimated_property(*t, property)?, catalog.statistics().rows(*t) as f64))
        })
        .collect()
}

/// The part of the nodes in `tables` that have all of these properties: of one, what its column counted; of
/// several, from the characteristic sets (Poseidon §6).
fn presence(catalog: &CatalogView<'_>, tables: &[TableId], properties: &[&str]) -> f64 {
    let having: f64 = (tables.iter())
        .filter_map(|t| {
            let counted = catalog.statistics().node_tables.get(t.0 as usize)?;
            let columns: Option<Vec<usize>> =
                properties.iter().map(|p| catalog.estimated_column(*t, p)).collect();
            let columns = columns?;
            // A property that came after the statistics were counted has no count.
            let part = |column: &usize| match counted.properties.get(*column) {
                Some(property) => 1.0 - property.nulls as f64 / counted.rows.max(1) as f64,
                None => 0.0,
            };
            if columns.len() == 1 || counted.characteristic_sets.is_empty() {
                let all = columns.iter().map(|column| part(column).clamp(0.0, 1.0)).product::<f64>();
                return Some(counted.rows as f64 * all);
            }
            let all = |set: &&CharacteristicSet| {
                columns.iter().all(|c| set.properties.iter().any(|p| *p as usize == *c))
            };
            Some(counted.characteristic_sets.iter().filter(all).map(|s| s.count as f64).sum::<f64>())
        })
        .sum();
    having / rows_of(catalog, tables).max(1.0)
}
