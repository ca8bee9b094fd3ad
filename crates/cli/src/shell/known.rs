//! What completion knows of a database, and what it suggests.

use std::collections::{BTreeMap, BTreeSet};

use trimorph::Stats;

use super::complete_sparql::Names;

/// Something that a word may become.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Candidate {
    /// What is written.
    pub(super) value: String,
    /// What it is, for those who look.
    pub(super) description: Option<String>,
    /// Whether a blank comes next.
    pub(super) has_space: bool,
}

impl Candidate {
    /// A word.
    pub(super) fn new(value: impl Into<String>) -> Self {
        Self { value: value.into(), description: None, has_space: false }
    }

    /// The same, with a blank behind it.
    pub(super) fn spaced(mut self) -> Self {
        self.has_space = true;
        self
    }

    /// The same, with a description.
    pub(super) fn described(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}

/// What a database has names for.
#[derive(Default)]
pub(super) struct Known {
    pub(super) labels: BTreeSet<String>,
    pub(super) types: BTreeSet<String>,
    /// Properties of nodes by label, and of relationships by type.
    properties: BTreeMap<String, BTreeSet<String>>,
    /// IRIs.
    pub(super) names: Names,
    /// Names of parameters that have values.
    pub(super) parameters: BTreeSet<String>,
    /// Whether SPARQL is spoken.
    pub(super) is_sparql: bool,
}

impl Known {
    /// The names of a database.
    pub(super) fn of(stats: &Stats) -> Self {
        let (nodes, edges) = (&stats.node_tables, &stats.edge_tables);
        let is_own = |name: &&String| !name.starts_with('@');
        let labels: BTreeSet<String> = nodes.iter().flat_map(|t| &t.labels).filter(is_own).cloned().collect();
        let types: BTreeSet<String> = edges.iter().map(|t| &t.label).filter(is_own).cloned().collect();
        let mut properties: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let of_nodes = nodes.iter().flat_map(|t| t.labels.iter().map(move |label| (label, &t.columns)));
        for (name, columns) in of_nodes.chain(edges.iter().map(|t| (&t.label, &t.columns))) {
            let known = properties.entry(name.clone()).or_default();
            known.extend(columns.iter().map(|(name, ..)| name).filter(is_own).cloned());
        }
        let all: BTreeSet<&String> = properties.values().flatten().collect();
        let names = Names::new(labels.iter(), types.iter().chain(all));
        Self { labels, types, names, properties, ..Self::default() }
    }

    /// Properties of one label or type, or all.
    pub(super) fn properties(&self, of: Option<&str>) -> BTreeSet<&String> {
        match of.and_then(|name| self.properties.get(name)).filter(|p| !p.is_empty()) {
            Some(properties) => properties.iter().collect(),
            None => self.properties.values().flatten().collect(),
        }
    }
}
