//! Catalogs that say less, or something else, than the data: takes a snapshot, gives one of the same data in
//! which a fact does not hold, or whose statistics are false. Whoever plans a query there must give the same
//! rows.

use std::sync::Arc;

use trimorph_catalog::{Catalog, DegreeStats, TargetFacts};
use trimorph_store::{Main, Snapshot};

/// A fact that is said not to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Break {
    /// Edges may lead from a node to itself.
    NoLoops,
    /// Sources may have more than one edge.
    SingleOut,
    /// Targets may have more than one edge.
    SingleInto,
    /// Targets may be in any table.
    Targets,
    /// There may be any number of edges.
    FewEdges,
    /// Columns may hold values of any type.
    OneType,
}

impl Break {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::NoLoops, Self::SingleOut, Self::SingleInto, Self::Targets, Self::FewEdges, Self::OneType];

    /// The snapshot with this fact broken in all tables.
    #[must_use]
    pub fn of(self, snapshot: &Snapshot) -> Snapshot {
        with_catalog(snapshot, |catalog| self.apply(catalog))
    }

    fn apply(self, catalog: &mut Catalog) {
        let tables: Vec<_> = catalog.schema.table_ids().collect();
        let facts = catalog.facts_mut();
        for edges in &mut facts.edge_tables {
            match self {
                Self::NoLoops => edges.self_loops_max = u64::MAX,
                Self::SingleOut => edges.single = false,
                Self::SingleInto => edges.targets.iter_mut().for_each(|target| target.single = false),
                Self::Targets => {
                    let known: Vec<_> = edges.targets.iter().map(|target| target.table).collect();
                    let new = tables.iter().filter(|table| !known.contains(table));
                    edges.targets.extend(new.map(|table| TargetFacts { table: *table, single: true }));
                    edges.targets.sort_by_key(|target| target.table);
                }
                Self::FewEdges => edges.edges_max = u64::MAX,
                Self::OneType => edges.one_type.fill(false),
            }
        }
        if self == Self::OneType {
            facts.node_tables.iter_mut().for_each(|nodes| nodes.one_type.fill(false));
        }
    }
}

/// Numbers that all statistics are said to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Falsehood {
    /// Nothing is there.
    Zero,
    /// As much as a number can say.
    Huge,
    /// Nothing, and as much as a number can say, in turns: degrees that cannot be.
    Mixed,
}

impl Falsehood {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Zero, Self::Huge, Self::Mixed];

    /// The snapshot with false statistics.
    #[must_use]
    pub fn of(self, snapshot: &Snapshot) -> Snapshot {
        with_catalog(snapshot, |catalog| self.apply(catalog))
    }

    fn apply(self, catalog: &mut Catalog) {
        let mut turn = false;
        let mut number = || {
            turn = !turn;
            match self {
                Self::Zero => 0,
                Self::Huge => u64::MAX,
                Self::Mixed => u64::from(turn) * u64::MAX,
            }
        };
        for edges in &mut catalog.statistics.edge_tables {
            let backward = edges.backward.iter_mut().map(|(_, stats)| stats);
            for stats in backward.chain([&mut edges.forward]) {
                *stats = DegreeStats { edges: number(), degree_max: number(), nonempty: number() };
            }
            for property in &mut edges.properties {
                (property.nulls, property.distinct, property.range) = (number(), number(), None);
            }
        }
        for nodes in &mut catalog.statistics.node_tables {
            nodes.rows = number();
            for property in &mut nodes.properties {
                (property.nulls, property.distinct, property.range) = (number(), number(), Some((7, 7)));
            }
            nodes.characteristic_sets.iter_mut().for_each(|set| set.count = number());
        }
    }
}

fn with_catalog(snapshot: &Snapshot, change: impl FnOnce(&mut Catalog)) -> Snapshot {
    let mut catalog = Catalog::clone(snapshot.catalog());
    change(&mut catalog);
    Snapshot::new(Arc::new(Main { catalog: Arc::new(catalog), ..snapshot.main().clone() }))
}
