//! The planner: a pattern in, the relations it can match out, each with the path it is read by.
//!
//! 1. relations are pruned by the kinds of S and O, by names, by tables, and by what the frontiers hold: by
//!    what is true, never by a count that may be old
//! 2. for each relation left, rows and the cost of every path it has are estimated from the catalog's
//!    statistics
//! 3. the cheapest path is taken, or the cheapest of the kind that is forced
//!
//! A pattern may so read one relation by index and another by a scan.
//!
//! Source: Poseidon §5 (scans), §6.2 (planner).

use std::sync::Arc;

use trimorph_base::{EdgeTableId, TableId};
use trimorph_catalog::CatalogView;

use super::pattern::{Bound, Frontier, JoinKind, Kind, Pattern, Position, Predicates, Term};
use crate::Reader;

/// What is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// The labels of a node table's nodes.
    Labels(TableId),
    /// A property of a node table's nodes.
    NodeProperty {
        /// The node table.
        table: TableId,
        /// The column's place in the catalog.
        column: usize,
    },
    /// An edge table's edges.
    Edges(usize),
    /// A property of an edge table's edges.
    EdgeProperty {
        /// The edge table.
        table: usize,
        /// The column's place in the catalog.
        column: usize,
    },
}

/// How it is read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Path {
    /// Sequentially, every zone that may hold something: a relation scan.
    Scan,
    /// By S: adjacency from sources, or a row of a column.
    Subject,
    /// By O: adjacency from targets, or the hash index of a key.
    Object,
    /// By I: the edge's page and position.
    Statement,
}

/// Who decides between index and relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Choice {
    /// The cost.
    #[default]
    Cost,
    /// An index wherever there is one for a bound position.
    Index,
    /// Always the relation.
    Relation,
}

/// One relation of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// What is read.
    pub relation: Relation,
    /// How.
    pub path: Path,
    /// Things that can stand at S, about.
    pub subjects: f64,
    /// Statements it gives, about.
    pub rows: f64,
    /// What it costs, in statements read one after the other.
    pub cost: f64,
}

/// A planned pattern.
#[derive(Clone, Debug)]
pub struct AccessPlan {
    /// What was asked.
    pub pattern: Pattern,
    /// The relations that can hold an answer.
    pub accesses: Vec<Access>,
    /// The statements about each statement.
    pub join: Option<(JoinKind, Box<AccessPlan>)>,
}

// Prices, in edges read one after the other and tested (8 to 10 ns). Measured on RMAT at scale 17 with
// `cargo run --release -p trimorph-gfcl -- access`, which also shows where the planner is wrong.

/// Finding one list or row by its id, frontiers being in order.
const COST_FIND: f64 = 3.0;
/// An edge of a list that was found; one whose id must be made from the other side costs more.
const COST_LISTED: f64 = 0.8;
const COST_BACKWARD_ID: f64 = 0.8;
/// An edge whose target, or id, is tested in a scan; and a start node that is tested and left out.
const COST_TESTED: f64 = 1.2;
const COST_SKIPPED: f64 = 0.2;
/// An edge of a run that is read in place and masked by its start node: on the same graph, `WHERE id(a) % k =
/// 0 RETURN sum(e.ts)` costs the same either way at a quarter to a third of the start nodes.
const COST_IN_PLACE: f64 = 0.3;
/// The part of values that a literal condition lets through when nothing better is known.
const PART_EQUAL: f64 = 0.01;
const PART_RANGE: f64 = 0.3;

impl Position {
    /// Whether something narrows it down to things that can be enumerated.
    fn is_enumerable(&self) -> bool {
        self.frontier.is_some() || matches!(self.bound, Bound::Terms(_))
    }

    fn allows(&self, kind: Kind) -> bool {
        self.kind.is_none_or(|k| k == kind)
    }

    fn allows_table(&self, table: TableId) -> bool {
        self.tables.as_ref().is_none_or(|ts| ts.contains(&table))
    }

    /// How many nodes of a table of about `rows` it can be, if it is narrowed down; zero only if it can be
    /// none of them.
    fn nodes_in(&self, table: TableId, rows: u64) -> Option<f64> {
        let terms = match &self.bound {
            Bound::Terms(terms) => {
                let inside = |t: &&Term| matches!(t, Term::Node(n) if n.table() == table);
                Some(terms.iter().filter(inside).count() as f64)
            }
            Bound::Range(_) => Some(0.0),
            Bound::Free => None,
        };
        let frontier = match &self.frontier {
            Some(Frontier::Nodes(set)) => Some(set.len_of(table) as f64),
            Some(Frontier::Statements(_)) => Some(0.0),
            Some(Frontier::Later(n)) => Some(n.max(1.0).min((rows as f64).max(1.0))),
            None => None,
        };
        match (terms, frontier) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// How many statements it can be, if it is narrowed down.
    fn statement_count(&self) -> Option<f64> {
        let terms = match &self.bound {
            Bound::Terms(terms) => Some(terms.len() as f64),
            Bound::Range(_) => Some(0.0),
            Bound::Free => None,
        };
        let frontier = match &self.frontier {
            Some(Frontier::Statements(set)) => Some(set.len() as f64),
            Some(Frontier::Later(n)) => Some(n.max(1.0)),
            Some(Frontier::Nodes(_)) => Some(0.0),
            None => None,
        };
        match (terms, frontier) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// The part of a column's values that its literal condition lets through.
    fn literal_part(&self, distinct: u64) -> f64 {
        match &self.bound {
            Bound::Free => 1.0,
            Bound::Terms(terms) => {
                let each = if distinct == 0 { PART_EQUAL } else { 1.0 / distinct as f64 };
                (terms.len() as f64 * each).min(1.0)
            }
            Bound::Range(_) => PART_RANGE,
        }
    }
}

impl Predicates {
    /// The names meant: none for any, an empty list for none at all.
    fn meant(&self) -> Option<&[Arc<str>]> {
        match self {
            Self::Any => None,
            Self::Label => Some(&[]),
            Self::Names(names) => Some(names),
        }
    }
}

impl AccessPlan {
    /// Plans `pattern` over what `catalog` describes, and notes there what the plan relies on.
    pub fn new(pattern: Pattern, catalog: &CatalogView<'_>, choice: Choice) -> Self {
        let mut accesses = Vec::new();
        // A frontier, or tables, are of nodes.
        let literal = pattern.object.allows(Kind::Literal)
            && pattern.object.frontier.is_none()
            && pattern.object.tables.is_none();
        if pattern.subject.allows(Kind::Node) {
            if literal {
                labels(&pattern, catalog, &mut accesses);
                node_properties(&pattern, catalog, choice, &mut accesses);
            }
            if pattern.object.allows(Kind::Node) {
                edges(&pattern, catalog, choice, &mut accesses);
            }
        }
        if pattern.subject.allows(Kind::Statement) && pattern.subject.tables.is_none() && literal {
            edge_properties(&pattern, catalog, choice, &mut accesses);
        }
        let join = pattern.join.as_ref().map(|(kind, about)| {
            let mut about = (**about).clone();
            // Statements come from the left; only statements have statements.
            accesses.retain(|a| *kind == JoinKind::Left || matches!(a.relation, Relation::Edges(_)));
            about.subject.kind = Some(Kind::Statement);
            let rows = accesses.iter().map(|a| a.rows).sum();
            about.subject.frontier.get_or_insert(Frontier::Later(rows));
            (*kind, Box::new(Self::new(about, catalog, Choice::Index)))
        });
        Self { pattern, accesses, join }
    }

    /// Plans `pattern` to be run with `reader`, and with no other: what the plan relies on is not noted.
    pub fn of(pattern: Pattern, reader: &Reader<'_>, choice: Choice) -> Self {
        Self::new(pattern, &CatalogView::new(reader.catalog()), choice)
    }

    /// Statements it gives, about. Limit and sample count; a joined pattern counts once for each property it
    /// can be.
    pub fn rows(&self) -> f64 {
        let own: f64 = self.accesses.iter().map(|a| a.rows).sum();
        let all = match &self.join {
            Some((JoinKind::Inner, about)) => about.rows().min(own * about.accesses.len() as f64),
            Some((JoinKind::Left, about)) => about.rows().max(own),
            None => own,
        };
        [self.pattern.limit, self.pattern.sample].into_iter().flatten().fold(all, |n, max| n.min(max as f64))
    }

    /// What it costs, in statements read one after the other.
    pub fn cost(&self) -> f64 {
        self.accesses.iter().map(|a| a.cost).sum::<f64>() + self.join.as_ref().map_or(0.0, |(_, p)| p.cost())
    }
}

/// Whether reading all lists of a range of `rows` start nodes in order costs less than finding those of the
/// `wanted` ones: the same prices as the planner's, for a frontier that is known.
pub fn scan_pays(wanted: usize, rows: usize, edges: usize) -> bool {
    let listed = edges as f64 * wanted as f64 / (rows as f64).max(1.0);
    wanted as f64 * COST_FIND + listed * COST_LISTED >= edges as f64 * COST_IN_PLACE
}

fn cheapest(choice: Choice, scan: f64, indexes: &[(Path, f64)]) -> (Path, f64) {
    let index = indexes.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
    match (choice, index) {
        (Choice::Relation, _) | (_, None) => (Path::Scan, scan),
        (Choice::Index, Some(index)) => index,
        (Choice::Cost, Some(index)) if index.1 <= scan => index,
        (Choice::Cost, Some(_)) => (Path::Scan, scan),
    }
}

fn labels(pattern: &Pattern, catalog: &CatalogView<'_>, out: &mut Vec<Access>) {
    let meant =
        matches!(pattern.predicates, Predicates::Label) || matches!(pattern.predicates, Predicates::Any);
    if !meant || pattern.statement.is_enumerable() {
        return;
    }
    for table in catalog.node_table_ids() {
        let named = |term: &Term| matches!(term, Term::Literal(trimorph_types::Value::String(s)) if catalog.has_label(table, s));
        let fits = match &pattern.object.bound {
            Bound::Free => true,
            Bound::Terms(terms) => terms.iter().any(named),
            // Labels are few: the run tests them.
            Bound::Range(_) => true,
        };
        if !fits || !pattern.subject.allows_table(table) || !catalog.has_labels(table) {
            continue;
        }
        // Which nodes a table has is known without reading: the only path is the rows themselves.
        let total = catalog.statistics().rows(table);
        let nodes = pattern.subject.nodes_in(table, total);
        let path = if nodes.is_some() { Path::Subject } else { Path::Scan };
        let rows = nodes.unwrap_or(total as f64);
        if nodes != Some(0.0) {
            out.push(Access { relation: Relation::Labels(table), path, subjects: rows, rows, cost: rows });
        }
    }
}

fn node_properties(pattern: &Pattern, catalog: &CatalogView<'_>, choice: Choice, out: &mut Vec<Access>) {
    if pattern.statement.is_enumerable() {
        return;
    }
    for (table, column) in catalog.node_columns(pattern.predicates.meant()) {
        let stats = &catalog.statistics().node_tables[table.0 as usize];
        let subjects = pattern.subject.nodes_in(table, stats.rows);
        if !pattern.subject.allows_table(table) || subjects == Some(0.0) {
            continue;
        }
        let (total, property) = (stats.rows as f64, &stats.properties[column]);
        let present = total - property.nulls as f64;
        let part = pattern.object.literal_part(property.distinct) * present / total.max(1.0);
        let mut indexes = Vec::new();
        if let Some(n) = subjects {
            indexes.push((Path::Subject, n * COST_FIND));
        }
        if let (true, Bound::Terms(terms)) = (catalog.key(table) == Some(column), &pattern.object.bound) {
            indexes.push((Path::Object, terms.len() as f64 * 2.0 * COST_FIND));
        }
        let (path, cost) = cheapest(choice, total, &indexes);
        let relation = Relation::NodeProperty { table, column };
        let subjects = subjects.unwrap_or(total);
        out.push(Access { relation, path, subjects, rows: subjects * part, cost });
    }
}

fn edges(pattern: &Pattern, catalog: &CatalogView<'_>, choice: Choice, out: &mut Vec<Access>) {
    for table in &*catalog.edge_tables(pattern.predicates.meant()) {
        if pattern.subject.allows_table(catalog.source(*table)) {
            out.extend(edge_table(pattern, catalog, choice, *table));
        }
    }
}

fn edge_table(
    pattern: &Pattern,
    catalog: &CatalogView<'_>,
    choice: Choice,
    table: EdgeTableId,
) -> Option<Access> {
    let (source, statistics, place) = (catalog.source(table), catalog.statistics(), table.0 as usize);
    let (source_rows, stats) = (statistics.rows(source), &statistics.edge_tables[place]);
    let all = stats.forward.edges as f64;
    let targets: Vec<TableId> =
        catalog.targets(table).filter(|target| pattern.object.allows_table(*target)).collect();
    let reachable: f64 = targets.iter().map(|target| stats.into_target(*target).edges as f64).sum();
    let subjects = pattern.subject.nodes_in(source, source_rows);
    let statements = pattern.statement.statement_count();
    // Per target table: nodes asked for and the edges they have.
    let (mut objects, mut objects_edges) = (None, reachable);
    if pattern.object.is_enumerable() || matches!(pattern.object.bound, Bound::Range(_)) {
        let (mut nodes, mut edges) = (0.0, 0.0);
        for target in &targets {
            let rows = statistics.rows(*target);
            let n = pattern.object.nodes_in(*target, rows).unwrap_or(0.0);
            nodes += n;
            edges += n * stats.into_target(*target).edges as f64 / (rows as f64).max(1.0);
        }
        (objects, objects_edges) = (Some(nodes), edges);
    }
    if targets.is_empty() || subjects == Some(0.0) || objects == Some(0.0) || statements == Some(0.0) {
        return None;
    }
    let subject_part = subjects.map_or(1.0, |n| n / (source_rows as f64).max(1.0));
    let statement_part = statements.map_or(1.0, |n| (n / all.max(1.0)).min(1.0));
    let rows = objects_edges * subject_part * statement_part;
    let wants_ids = pattern.statement.project || pattern.join.is_some() || statements.is_some();
    let mut indexes = Vec::new();
    if let Some(n) = subjects {
        indexes.push((Path::Subject, n * COST_FIND + all * subject_part * COST_LISTED));
    }
    if let Some(n) = objects {
        let each = COST_LISTED + if wants_ids { COST_BACKWARD_ID } else { 0.0 };
        indexes.push((Path::Object, n * COST_FIND + objects_edges * each));
    }
    if let Some(n) = statements {
        indexes.push((Path::Statement, n * 3.0 * COST_FIND));
    }
    // A scan tests targets edge by edge, but goes over the lists of sources that are not wanted.
    let scan = match (objects, statements) {
        (None, None) => source_rows as f64 * COST_SKIPPED + all * subject_part * COST_LISTED,
        _ if subjects.is_some() => source_rows as f64 * COST_SKIPPED + all * subject_part * COST_TESTED,
        _ => all * COST_TESTED,
    };
    let (path, cost) = cheapest(choice, scan, &indexes);
    let subjects = subjects.unwrap_or(source_rows as f64);
    Some(Access { relation: Relation::Edges(place), path, subjects, rows, cost })
}

fn edge_properties(pattern: &Pattern, catalog: &CatalogView<'_>, choice: Choice, out: &mut Vec<Access>) {
    if pattern.statement.is_enumerable() {
        return;
    }
    let subjects = pattern.subject.statement_count();
    if subjects == Some(0.0) {
        return;
    }
    for (table, column) in catalog.edge_columns(pattern.predicates.meant()) {
        let table = table.0 as usize;
        let stats = &catalog.statistics().edge_tables[table];
        let (total, property) = (stats.forward.edges as f64, &stats.properties[column]);
        let present = (total - property.nulls as f64) / total.max(1.0);
        let indexes: Vec<_> = subjects.iter().map(|n| (Path::Subject, n * COST_FIND)).collect();
        let (path, cost) = cheapest(choice, total, &indexes);
        let subjects = subjects.map_or(total, |n| n.min(total));
        let rows = subjects * present * pattern.object.literal_part(property.distinct);
        let relation = Relation::EdgeProperty { table, column };
        out.push(Access { relation, path, subjects, rows, cost });
    }
}
