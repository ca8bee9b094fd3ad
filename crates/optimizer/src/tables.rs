//! What of the catalog a pattern can be matched by: edge tables, and the node tables each node can be in,
//! which its labels allow, narrowed along edges until nothing changes.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use trimorph_algebra::{Direction, EdgePattern, EdgeRange, LabelExpr, QueryGraph, VarId};
use trimorph_base::{EdgeTableId, TableId};
use trimorph_catalog::CatalogView;

use crate::property_tables::Required;

/// Tables by node variable.
pub(crate) type Tables = BTreeMap<VarId, Vec<TableId>>;

/// The edge tables of an edge pattern.
pub(crate) fn edge_tables(catalog: &CatalogView<'_>, edge: &EdgePattern) -> Arc<[EdgeTableId]> {
    catalog.edge_tables((!edge.types.is_empty()).then_some(&*edge.types))
}

/// Whether a node of the tables `own` at the end `here` of `edge` has one such edge at most.
pub(crate) fn is_single(catalog: &CatalogView<'_>, edge: &EdgePattern, here: VarId, own: &[TableId]) -> bool {
    let outward = match edge.direction {
        Direction::Out => edge.from == here,
        Direction::In => edge.to == here,
        Direction::Both => return false,
    };
    let mut by_table = BTreeMap::new();
    for table in &*edge_tables(catalog, edge) {
        let source = catalog.source(*table);
        if outward {
            if own.contains(&source) {
                by_table.entry(source).or_insert_with(Vec::new).push(catalog.is_single(*table));
            }
        } else {
            for target in catalog.targets(*table).filter(|target| own.contains(target)) {
                let single = catalog.is_single_into(*table, target);
                by_table.entry(target).or_insert_with(Vec::new).push(single);
            }
        }
    }
    edge.range == EdgeRange::One && by_table.values().all(|singles| singles[..] == [true])
}

/// The pairs (table of `from`, table of `to`) that one edge of the pattern can join, with the number of edges
/// of each, about.
pub(crate) fn joined_tables(catalog: &CatalogView<'_>, edge: &EdgePattern) -> Vec<(TableId, TableId, u64)> {
    let mut pairs = Vec::new();
    for table in &*edge_tables(catalog, edge) {
        let (source, stats) = (catalog.source(*table), &catalog.statistics().edge_tables[table.0 as usize]);
        for target in catalog.targets(*table) {
            let edges = stats.into_target(target).edges;
            if edge.direction != Direction::In {
                pairs.push((source, target, edges));
            }
            if edge.direction != Direction::Out {
                pairs.push((target, source, edges));
            }
        }
    }
    pairs
}

/// Whether an edge pattern of variable length asks for more edges than there are: a trail takes none twice.
pub(crate) fn is_too_long(catalog: &CatalogView<'_>, edge: &EdgePattern) -> bool {
    match edge.range {
        EdgeRange::One | EdgeRange::Reachable { .. } => false,
        EdgeRange::Variable { min, .. } => {
            min > 0 && catalog.have_fewer_edges(&edge_tables(catalog, edge), min.into())
        }
    }
}

/// The pairs of tables that edge patterns can join: found once for all patterns with the same labels and
/// direction.
#[derive(Default)]
struct Joined<'g>(HashMap<Asked<'g>, Pairs>);

/// Labels and direction of an edge pattern.
type Asked<'g> = (&'g [Arc<str>], Direction);
/// Tables of `from` and of `to`.
type Pairs = Rc<[(TableId, TableId)]>;

impl<'g> Joined<'g> {
    fn pairs(&mut self, catalog: &CatalogView<'_>, edge: &'g EdgePattern) -> Pairs {
        let find = || joined_tables(catalog, edge).into_iter().map(|(from, to, _)| (from, to)).collect();
        Rc::clone(self.0.entry((&edge.types, edge.direction)).or_insert_with(find))
    }
}

/// The tables that each node can be in: what its labels allow, narrowed along edges until nothing changes. An
/// edge is looked at again when the tables of one of its ends were narrowed, so that a chain takes time in
/// its length.
pub(crate) fn tables_of(catalog: &CatalogView<'_>, graph: &QueryGraph) -> Tables {
    tables_among(catalog, graph, &|_| None, &Required::none())
}

/// The same where rows bring some of the nodes, and `known` has the tables that these can be in; and nodes
/// have the properties of `required`.
pub(crate) fn tables_among(
    catalog: &CatalogView<'_>,
    graph: &QueryGraph,
    known: &dyn Fn(VarId) -> Option<Vec<TableId>>,
    required: &Required,
) -> Tables {
    let mut allowed: HashMap<&LabelExpr, Vec<TableId>> = HashMap::new();
    let mut tables = Tables::new();
    for node in &graph.nodes {
        let find = || catalog.node_tables_where(|has| node.labels.matches(has));
        let mut of_labels = allowed.entry(&node.labels).or_insert_with(find).clone();
        if let Some(known) = known(node.var) {
            of_labels.retain(|table| known.contains(table));
        }
        required.keep(catalog, node.var, &mut of_labels);
        tables.insert(node.var, of_labels);
    }
    let mut at: HashMap<VarId, Vec<usize>> = HashMap::new();
    for (i, edge) in graph.edges.iter().enumerate().filter(|(_, e)| e.range == EdgeRange::One) {
        at.entry(edge.from).or_default().push(i);
        if edge.to != edge.from {
            at.entry(edge.to).or_default().push(i);
        }
    }
    let mut joined = Joined::default();
    let mut waits: Vec<bool> = graph.edges.iter().map(|e| e.range == EdgeRange::One).collect();
    let mut queue: VecDeque<usize> = (0..graph.edges.len()).filter(|i| waits[*i]).collect();
    while let Some(i) = queue.pop_front() {
        waits[i] = false;
        let edge = &graph.edges[i];
        let pairs = joined.pairs(catalog, edge);
        for var in narrow(&mut tables, edge, &pairs) {
            for next in at.get(&var).into_iter().flatten() {
                if !std::mem::replace(&mut waits[*next], true) {
                    queue.push_back(*next);
                }
            }
        }
    }
    tables
}

/// Narrows the tables at both ends of an edge; gives the ends that lost some.
fn narrow(tables: &mut Tables, edge: &EdgePattern, pairs: &[(TableId, TableId)]) -> Vec<VarId> {
    let (Some(from), Some(to)) = (tables.get(&edge.from), tables.get(&edge.to)) else { return Vec::new() };
    // Lists of tables are in the order of their ids.
    let fits = |(f, t): &&(TableId, TableId)| from.binary_search(f).is_ok() && to.binary_search(t).is_ok();
    let (mut sources, mut targets) = (BTreeSet::new(), BTreeSet::new());
    for (source, target) in pairs.iter().filter(fits) {
        sources.insert(*source);
        targets.insert(*target);
    }
    let mut narrowed = Vec::new();
    for (var, allowed) in [(edge.from, sources), (edge.to, targets)] {
        if let Some(list) = tables.get_mut(&var) {
            let before = list.len();
            list.retain(|t| allowed.contains(t));
            if list.len() < before {
                narrowed.push(var);
            }
        }
    }
    narrowed
}
