//! Small random graphs: what a query can trip over, in a few dozen nodes.

use trimorph_base::NodeId;
use trimorph_types::Value;

use super::{EdgeRow, EdgeRows, Model, NodeRows, PropertyKind, random_value};
use crate::Random;

/// Labels that may occur; the last does not.
pub(crate) const LABELS: [&str; 6] = ["Person", "Admin", "Company", "Tag", "Island", "Nowhere"];
/// Edge labels that may occur; the last does not.
pub(crate) const TYPES: [&str; 6] = ["KNOWS", "LIKES", "WORKS_AT", "BADGE", "OWNS", "NEVER"];

/// Names of properties and what kind of values they have, wherever they occur.
pub(crate) const PROPERTIES: [(&str, PropertyKind); 13] = [
    ("age", PropertyKind::SmallInt),
    ("serial", PropertyKind::WideInt),
    ("score", PropertyKind::Float),
    ("name", PropertyKind::Word),
    ("text", PropertyKind::Text),
    ("flag", PropertyKind::Bool),
    ("born", PropertyKind::Date),
    ("wakes", PropertyKind::LocalTime),
    ("left", PropertyKind::LocalDateTime),
    ("seen", PropertyKind::DateTime),
    ("took", PropertyKind::Duration),
    ("tags", PropertyKind::List),
    ("mix", PropertyKind::Mixed),
];

/// Sizes of a random graph.
#[derive(Clone, Copy, Debug)]
pub struct RandomGraph {
    /// Most nodes of a table.
    pub nodes_max: usize,
    /// Most edges of an edge label between two key spaces.
    pub edges_max: usize,
}

impl Default for RandomGraph {
    fn default() -> Self {
        Self { nodes_max: 7, edges_max: 12 }
    }
}

/// How many edges a node may have on either side.
#[derive(Clone, Copy, Debug)]
struct Cardinality {
    one_per_source: bool,
    one_per_target: bool,
}

/// The graph of a seed: several label sets (one node table has two labels, one none), key spaces of one and
/// of several tables with integers and strings as keys, edge labels between the same and different tables of
/// all cardinalities, self loops, parallel edges, properties that are often null, of several types, or
/// missing on some tables.
pub fn random_graph(seed: u64, size: RandomGraph) -> Model {
    let mut random = Random::new(seed);
    let mut model = Model::default();
    let shared = random.chance(60);
    let admins = if shared { "people" } else { "admins" };
    // Label set, key space, key property, whether keys are texts.
    type Table<'t> = (&'t [&'t str], Option<&'t str>, Option<&'t str>, bool);
    let tables: [Table<'_>; 6] = [
        (&["Person"], Some("people"), Some("id"), false),
        (&["Person", "Admin"], Some(admins), Some("id"), false),
        (&["Company"], Some("companies"), Some("code"), true),
        (&["Tag"], Some("tags"), None, true),
        (&["Island"], None, None, false),
        (&[], Some("nameless"), None, false),
    ];
    for (labels, key_space, key_property, text_keys) in tables {
        let count = if random.chance(10) { 0 } else { 1 + random.below(size.nodes_max) };
        let mut table = NodeRows {
            labels: labels.iter().map(|label| (*label).into()).collect(),
            key_space: key_space.map(Into::into),
            key_property: key_property.map(Into::into),
            ..NodeRows::default()
        };
        let kinds = random_properties(&mut random, &mut table.properties);
        if table.properties.is_empty() && key_space.is_none() {
            // Without keys and columns a batch has no rows.
            table.properties.push(("age".into(), PropertyKind::SmallInt.column_type()));
        }
        let kinds =
            if kinds.is_empty() { vec![PropertyKind::SmallInt; table.properties.len()] } else { kinds };
        let nulls = *random.pick(&[0, 20, 60, 95]);
        let first_key = random.between(-5, 100) + 1000 * model.nodes.len() as i64;
        for row in 0..count {
            let key = first_key + 3 * row as i64;
            table.keys.extend(
                key_space.map(|_| if text_keys { Value::string(format!("k{key}")) } else { Value::Int(key) }),
            );
            table.rows.push(random_row(&mut random, &kinds, nulls));
        }
        model.nodes.push(table);
    }
    let spaces = ["people", admins, "companies", "tags", "nameless"];
    let kinds_of_edges: [(&str, &[(&str, &str)]); 5] = [
        ("KNOWS", &[("people", "people"), ("people", admins), ("companies", "people")]),
        ("LIKES", &[("people", "tags"), ("people", "people"), ("tags", "companies"), ("nameless", "people")]),
        ("WORKS_AT", &[("people", "companies"), (admins, "companies")]),
        ("BADGE", &[("people", "tags"), ("companies", "companies")]),
        ("OWNS", &[("companies", "companies"), ("nameless", "nameless")]),
    ];
    for (label, pairs) in kinds_of_edges {
        for (place, (from, to)) in pairs.iter().enumerate() {
            // The same pair of key spaces twice would be the same table in two declarations: allowed, but
            // rare.
            if place > 0 && random.chance(50) || !spaces.contains(from) || !spaces.contains(to) {
                continue;
            }
            let cardinality = match label {
                "WORKS_AT" => Cardinality { one_per_source: true, one_per_target: false },
                "BADGE" => Cardinality { one_per_source: true, one_per_target: true },
                "OWNS" => Cardinality { one_per_source: false, one_per_target: random.chance(50) },
                _ => Cardinality { one_per_source: false, one_per_target: false },
            };
            let edges = random_edges(&mut random, &model, (label, from, to), cardinality, size.edges_max);
            model.edges.push(edges);
        }
    }
    model
}

fn random_properties(
    random: &mut Random,
    properties: &mut Vec<(String, trimorph_types::LogicalType)>,
) -> Vec<PropertyKind> {
    let mut kinds = Vec::new();
    for (name, kind) in PROPERTIES {
        if random.chance(45) {
            // A mixed property is declared with the type that some of its values have.
            let ty = match kind {
                PropertyKind::Mixed => random.pick(&PropertyKind::ALL).column_type(),
                kind => kind.column_type(),
            };
            properties.push((name.into(), ty));
            kinds.push(kind);
        }
    }
    kinds
}

fn random_row(random: &mut Random, kinds: &[PropertyKind], nulls: usize) -> Vec<Value> {
    let value =
        |kind: &PropertyKind| if random.chance(nulls) { Value::Null } else { random_value(random, *kind) };
    kinds.iter().map(value).collect()
}

fn random_edges(
    random: &mut Random,
    model: &Model,
    (label, from, to): (&str, &str, &str),
    cardinality: Cardinality,
    edges_max: usize,
) -> EdgeRows {
    let mut edges =
        EdgeRows { label: label.into(), from_space: from.into(), to_space: to.into(), ..EdgeRows::default() };
    let kinds = if random.chance(70) { random_properties(random, &mut edges.properties) } else { Vec::new() };
    let nulls = *random.pick(&[0, 20, 60, 95]);
    let members = |space: &str| model.node_ids(|table| table.key_space.as_deref() == Some(space));
    let (mut sources, mut targets) = (members(from), members(to));
    for _ in 0..random.below(edges_max + 1) {
        if sources.is_empty() || targets.is_empty() {
            break;
        }
        let mut source = random.below(sources.len());
        let mut target = random.below(targets.len());
        // Self loops and parallel edges more often than chance would have them.
        match (random.below(6), edges.rows.last()) {
            (0, _) => target = place_of(&targets, sources[source]).unwrap_or(target),
            (1, Some(EdgeRow { from, to, .. })) => {
                source = place_of(&sources, *from).unwrap_or(source);
                target = place_of(&targets, *to).unwrap_or(target);
            }
            _ => {}
        }
        let values = random_row(random, &kinds, nulls);
        edges.rows.push(EdgeRow { from: sources[source], to: targets[target], values });
        if cardinality.one_per_source {
            sources.swap_remove(source);
        }
        if cardinality.one_per_target {
            targets.swap_remove(target);
        }
    }
    edges
}

fn place_of(nodes: &[NodeId], node: NodeId) -> Option<usize> {
    nodes.iter().position(|other| *other == node)
}
