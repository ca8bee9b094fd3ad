//! Main versions some of whose segments were rewritten: random edges taken out and put in, so that lists have
//! holes, positions out of order, and vertex columns became lists.

use std::collections::BTreeSet;
use std::sync::Arc;

use trimorph_base::{EdgeId, NodeId, Random, TableId};
use trimorph_store::{EdgeChanges, Main, NewEdge, RewriteError, Snapshot};
use trimorph_types::{LogicalType, Value};
use trimorph_vfs::RegionOptions;

use crate::interpreter::Graph;

/// A value for a column; now and then one of another type.
pub fn value_for(ty: LogicalType, random: &mut Random) -> Value {
    if random.chance(20) {
        return Value::Null;
    }
    match ty {
        _ if random.chance(5) => Value::string("of another type"),
        LogicalType::Int => Value::Int(random.between(-1000, 1000)),
        LogicalType::Float => Value::Float(random.between(-1000, 1000) as f64 / 8.0),
        LogicalType::Bool => Value::Bool(random.chance(50)),
        LogicalType::String if random.chance(30) => {
            Value::string(format!("new text {}", random.below(1 << 20)))
        }
        LogicalType::String => Value::string(["", "a", "grün"][random.below(3)]),
        _ => Value::list(vec![Value::Int(random.between(0, 9))]),
    }
}

/// Random changes to the edges of an edge table, which are `ids`: up to three taken out, up to five put in,
/// many of them at one source.
pub fn random_changes(main: &Main, place: usize, ids: &[EdgeId], random: &mut Random) -> EdgeChanges {
    let info = &main.catalog.schema.edge_tables[place];
    let targets = &main.edge_tables[place].backward;
    let mut changes = EdgeChanges::default();
    let mut deleted = BTreeSet::new();
    for _ in 0..random.below(4).min(ids.len()) {
        let id = *random.pick(ids);
        if deleted.insert(id) {
            changes.deleted.push(id);
        }
    }
    let rows = |t: TableId| usize::try_from(main.node_tables[usize::from(t.0)].rows).unwrap_or(0);
    let hub = random.below(rows(info.source).max(1));
    for _ in 0..random.below(6) {
        let target = random.pick(targets).0;
        if rows(info.source) == 0 || rows(target) == 0 {
            continue;
        }
        let source = if random.chance(40) { hub } else { random.below(rows(info.source)) };
        let target = NodeId::new(target, random.below(rows(target)) as u64);
        let values = info.properties.iter().map(|p| value_for(p.ty, random)).collect();
        changes.inserted.push(NewEdge { source: source as u64, target, values });
    }
    changes
}

/// The version with every edge table changed three times at random.
///
/// **Errors**: what the store refuses.
pub fn rewritten(mut main: Main, seed: u64) -> Result<Snapshot, RewriteError> {
    let mut random = Random::new(seed);
    for _ in 0..3 {
        for place in 0..main.edge_tables.len() {
            let table = main.edge_tables[place].id;
            let graph = Graph::read(&Snapshot::new(Arc::new(main.clone())));
            let ids: Vec<EdgeId> =
                graph.edges.iter().map(|e| e.id).filter(|id| id.table() == table).collect();
            let changes = random_changes(&main, place, &ids, &mut random);
            main = main.with_edges(table, &changes, RegionOptions { huge_pages: false })?.0;
        }
    }
    Ok(Snapshot::new(Arc::new(main)))
}
