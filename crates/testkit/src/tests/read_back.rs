//! What a model holds is what the readers give back, by every way there is.

use std::collections::{BTreeMap, BTreeSet};

use trimorph_base::{EdgeId, NodeId, TableId};
use trimorph_catalog::{EdgeTableFacts, PropertyStats};
use trimorph_store::{AdjacencyView, EdgeTableView, Main, Reader, Snapshot, VertexColumnView, ZONE_ROWS};
use trimorph_types::{LogicalType, Map, Value, Zone};
use trimorph_vector::Nodes;

use super::{graph, identical};
use crate::graphs::{LoadOptions, Model};

/// Checks that a main version, as it was loaded, holds exactly this model.
pub(super) fn check(model: &Model, main: &Main) {
    check_with(model, main, true);
}

/// The same for one that was changed: smallest and largest values are bounds.
pub(super) fn check_changed(model: &Model, main: &Main) {
    check_with(model, main, false);
}

fn check_with(model: &Model, main: &Main, exact: bool) {
    let snapshot = Snapshot::new(std::sync::Arc::new(main.clone()));
    let reader = Reader::new(&snapshot);
    check_nodes(model, &reader, exact);
    check_keys(model, &reader);
    check_edges(model, &reader, exact);
}

fn check_nodes(model: &Model, reader: &Reader<'_>, exact: bool) {
    let catalog = reader.schema();
    assert_eq!(catalog.node_tables.len(), model.nodes.len());
    for (table, expected) in catalog.table_ids().zip(&model.nodes) {
        let labels: Vec<String> = catalog.label_names(table).iter().map(|label| label.to_string()).collect();
        assert_eq!(labels, expected.labels);
        assert_eq!(reader.rows(table), expected.rows.len() as u64);
        for row in 0..expected.rows.len() {
            let node = NodeId::new(table, row as u64);
            assert!(reader.node_exists(node));
            assert_same(&reader.node_properties(node), &expected.properties_of(row), || format!("{node:?}"));
        }
        assert!(!reader.node_exists(NodeId::new(table, expected.rows.len() as u64)));
        assert!(reader.node_property(NodeId::new(table, 0), "no such property").is_null());
        let stats = &reader.catalog().statistics.node_tables[usize::from(table.0)];
        let facts = &reader.catalog().unrecorded_facts().node_tables[usize::from(table.0)];
        assert_eq!(stats.rows, reader.rows(table));
        assert_eq!(stats.characteristic_sets.iter().map(|set| set.count).sum::<u64>(), stats.rows);
        assert_eq!(facts.one_type.len(), stats.properties.len());
        for (place, (property, one_type)) in stats.properties.iter().zip(&facts.one_type).enumerate() {
            let values: Vec<Value> =
                (0..stats.rows).map(|row| reader.unrecorded().node_column(table, place).value(row)).collect();
            check_column(reader.unrecorded().node_column(table, place), &values, property, *one_type, exact);
        }
    }
}

/// The ways to read a column agree, zones cover, statistics are right.
fn check_column(
    column: &trimorph_store::ColumnView<'_>,
    values: &[Value],
    stats: &PropertyStats,
    one_type: bool,
    is_exact: bool,
) {
    let none = |_| Value::Null;
    let rows = values.len();
    for (first, len) in [(0, rows), (rows / 3, rows / 3), (rows.saturating_sub(1), rows.min(1))] {
        let scanned = column.scan(first as u64, len);
        let gathered = column.gather((0..len).map(|i| (i, (first + len - 1 - i) as u64)), len);
        for i in 0..len {
            let value = &values[first + i];
            assert!(
                identical(&scanned.value(i, &none), value),
                "scan of row {} gives {:?}, not {value:?}",
                first + i,
                scanned.value(i, &none)
            );
            assert!(identical(&gathered.value(len - 1 - i, &none), value), "gather of row {}", first + i);
            assert_eq!(column.is_null((first + i) as u64), value.is_null(), "null of row {}", first + i);
        }
    }
    assert_eq!(stats.nulls, values.iter().filter(|value| value.is_null()).count() as u64);
    let ty = column.logical_type();
    let is_of_type = |value: &Value| value.is_null() || value.logical_type() == ty;
    assert!(!one_type || values.iter().all(is_of_type), "values are of {ty:?}");
    let integers: Vec<Option<i64>> = values.iter().map(|value| stored_integer(ty, value)).collect();
    if column.zone_range(0).is_some() {
        for (row, integer) in integers.iter().enumerate() {
            // A segment of few values has no zones.
            let Some((low, high)) = column.zone_range(row as u64) else { continue };
            assert!(integer.is_none_or(|i| low <= i && i <= high), "zone of row {row} is {low}..{high}");
        }
        let range = integers.iter().flatten().min().zip(integers.iter().flatten().max());
        let range = range.map(|(low, high)| (*low, *high));
        if is_exact {
            assert_eq!(stats.range, range);
        } else if let Some((low, high)) = range {
            assert!(stats.range.is_some_and(|(least, most)| least <= low && high <= most));
        }
    }
    for zone in (0..rows).step_by(ZONE_ROWS) {
        let Some((low, high)) = column.zone_range(zone as u64) else { continue };
        let zone = &integers[zone..rows.min(zone + ZONE_ROWS)];
        let exact = zone.iter().flatten().min().zip(zone.iter().flatten().max());
        assert_eq!(
            exact.map_or((i64::MAX, i64::MIN), |(low, high)| (*low, *high)),
            (low, high),
            "zones are tight"
        );
    }
}

/// The integer that a value is kept as, if a column of type `ty` keeps it as one.
fn stored_integer(ty: LogicalType, value: &Value) -> Option<i64> {
    let nanos = |seconds: i64, nanos: u32| seconds.checked_mul(1_000_000_000)?.checked_add(nanos.into());
    let integer = match value {
        Value::Bool(x) => Some(i64::from(*x)),
        Value::Int(x) => Some(*x),
        Value::Date(x) => i32::try_from(x.days).ok().map(i64::from),
        Value::LocalTime(x) => Some(x.nanos),
        Value::LocalDateTime(x) => nanos(x.seconds, x.nanos),
        Value::DateTime(x) if x.zone == Zone::Offset(0) => nanos(x.seconds, x.nanos),
        _ => None,
    };
    integer.filter(|_| value.logical_type() == ty)
}

fn check_keys(model: &Model, reader: &Reader<'_>) {
    for (place, table) in model.nodes.iter().enumerate() {
        let id = TableId(u16::try_from(place).unwrap());
        for (row, key) in table.keys.iter().enumerate() {
            let found = table.key_property.is_some().then_some(row as u64);
            assert_eq!(reader.find_key(id, key), found, "key {key:?} of {:?}", table.labels);
        }
        let others = model
            .nodes
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != place)
            .flat_map(|(_, other)| &other.keys);
        let nonsense = [
            Value::Null,
            Value::Int(i64::MIN),
            Value::Int(-77),
            Value::string(""),
            Value::Float(f64::NAN),
            Value::Float(0.5),
            Value::list(Vec::new()),
        ];
        for key in others.chain(&nonsense) {
            if !table.keys.iter().any(|own| identical(own, key)) {
                assert_eq!(reader.find_key(id, key), None, "key {key:?} is not in {:?}", table.labels);
            }
        }
        if let Some(Value::Int(key)) = table.keys.first().filter(|_| table.key_property.is_some()) {
            assert_eq!(reader.find_key(id, &Value::Float(*key as f64)), Some(0), "1.0 finds 1");
        }
    }
}

/// An edge as the model has it.
type Fact = (String, NodeId, NodeId, String);

fn check_edges(model: &Model, reader: &Reader<'_>, exact: bool) {
    let mut expected: BTreeMap<Fact, usize> = BTreeMap::new();
    for edges in &model.edges {
        for edge in &edges.rows {
            let properties = format!("{:?}", edges.properties_of(edge));
            *expected.entry((edges.label.clone(), edge.from, edge.to, properties)).or_default() += 1;
        }
    }
    let mut actual: BTreeMap<Fact, usize> = BTreeMap::new();
    let mut ids: BTreeSet<EdgeId> = BTreeSet::new();
    let catalog = reader.schema();
    for (place, table) in catalog.edge_table_ids().enumerate() {
        let view = reader.unrecorded().edge_table(place);
        let forward = forward_edges(view, reader);
        let mut backward = backward_edges(view, reader);
        let info = &catalog.edge_tables[place];
        let facts = &reader.catalog().unrecorded_facts().edge_tables[place];
        let stats = &reader.catalog().statistics.edge_tables[place];
        assert_eq!((facts.edges_max, stats.forward.edges), (forward.len() as u64, forward.len() as u64));
        let loops = forward.iter().filter(|(_, start, end)| start == end).count();
        assert_eq!(facts.self_loops_max, loops as u64);
        check_targets(facts, &forward);
        let mut sorted = forward.clone();
        sorted.sort();
        backward.sort();
        assert_eq!(sorted, backward, "edge table {place} from both sides");
        let mut slots = BTreeSet::new();
        for (id, start, end) in forward {
            assert!(ids.insert(id), "edge id {id:?} twice");
            assert_eq!(id.table(), table);
            assert_eq!(view.ends(id), Some((start, end)));
            let has_slot = !info.properties.is_empty();
            assert!(!has_slot || slots.insert(view.slot(id)), "slot of {id:?} twice");
            match reader.relationship(id) {
                Value::Relationship(r) => assert_eq!((r.id, r.start, r.end), (id, start, end)),
                other => panic!("{id:?} is {other:?}"),
            }
            let properties = format!("{:?}", reader.edge_properties(id));
            *actual.entry((catalog.type_name(table).to_string(), start, end, properties)).or_default() += 1;
        }
        for (column, (property, one_type)) in stats.properties.iter().zip(&facts.one_type).enumerate() {
            let view = reader.unrecorded().edge_column(place, column);
            let slots_end = reader.unrecorded().edge_table(place).slots_end(reader.rows(info.source));
            let there: Vec<u64> = (0..slots_end).filter(|slot| view.has_row(*slot)).collect();
            assert!(slots.iter().all(|slot| view.has_row(*slot)));
            let values: Vec<Value> = there.iter().map(|slot| view.value(*slot)).collect();
            let gathered = view.gather_rows(&there);
            let same = |i: usize| identical(&gathered.value(i, &|_| Value::Null), &values[i]);
            assert!((0..there.len()).all(same), "gathered slots of edge table {place}");
            if there.last().is_none_or(|last| *last + 1 == there.len() as u64) {
                check_column(view, &values, property, *one_type, exact);
            }
        }
    }
    let only = |a: &BTreeMap<Fact, usize>, b: &BTreeMap<Fact, usize>| -> Vec<Fact> {
        a.iter()
            .filter(|(fact, count)| b.get(*fact) != Some(count))
            .map(|(fact, _)| fact.clone())
            .take(5)
            .collect()
    };
    assert!(
        expected == actual,
        "lost {:?}, made up {:?}",
        only(&expected, &actual),
        only(&actual, &expected)
    );
}

/// What is said of targets, and of how many edges a node has, is true of these edges.
fn check_targets(facts: &EdgeTableFacts, edges: &[(EdgeId, NodeId, NodeId)]) {
    let (mut out, mut back) = (BTreeMap::<NodeId, usize>::new(), BTreeMap::<NodeId, usize>::new());
    for (_, start, end) in edges {
        *out.entry(*start).or_default() += 1;
        *back.entry(*end).or_default() += 1;
        assert!(facts.targets.iter().any(|target| target.table == end.table()), "{end:?} of {facts:?}");
    }
    assert!(!facts.single || out.values().all(|n| *n == 1), "{facts:?}");
    for target in &facts.targets {
        let mut own = back.iter().filter(|(node, _)| node.table() == target.table);
        assert!(!target.single || own.all(|(_, n)| *n == 1), "{facts:?}");
    }
}

/// Neighbours of rows that follow each other are those of the rows one by one, from any row on.
fn check_runs(column: &VertexColumnView<'_>, table: TableId, rows: u64) {
    for (first, len) in
        [(0, rows), (1, 64), (63, 130), (rows / 2, 1), (rows.saturating_sub(200), 300), (0, 0)]
    {
        let nodes = Nodes::Range(NodeId::new(table, first));
        // Positions may begin behind the first node.
        for skipped in [0, 3] {
            let positions: Vec<u32> = (skipped..len.max(skipped)).map(|p| p as u32).collect();
            let mut found = vec![NodeId(0); len as usize];
            let kept = column.follow(&nodes, &positions, &mut found);
            let of = |p: &u32| column.neighbour(first + u64::from(*p));
            let expected: Vec<u32> = positions.iter().copied().filter(|p| of(p).is_some()).collect();
            assert_eq!(kept, expected, "rows from {first} on");
            assert!(kept.iter().all(|p| Some(found[*p as usize]) == of(p)), "rows from {first} on");
        }
    }
}

fn forward_edges(view: &EdgeTableView<'_>, reader: &Reader<'_>) -> Vec<(EdgeId, NodeId, NodeId)> {
    let mut out = Vec::new();
    if let AdjacencyView::Column(column) = &view.forward {
        check_runs(column, view.source, reader.rows(view.source));
    }
    for row in 0..reader.rows(view.source) {
        let start = NodeId::new(view.source, row);
        match &view.forward {
            AdjacencyView::Column(column) => {
                out.extend(column.neighbour(row).map(|end| (view.single_id(row), start, end)));
                assert_eq!(column.has(row), column.neighbour(row).is_some());
            }
            AdjacencyView::Csr(csr) => {
                let list = csr.list(row);
                check_list(csr, list);
                let mut ids = Vec::new();
                view.append_forward_ids(row, list, &mut ids);
                assert!(ids.iter().enumerate().all(|(i, id)| *id == view.forward_id_at(row, list, i)));
                if let Some(first) = view.forward_run(row, list) {
                    assert!(ids.iter().enumerate().all(|(i, id)| id.0 == first.0 + i as u64));
                }
                out.extend(ids.into_iter().enumerate().map(|(i, id)| (id, start, csr.node(list, i))));
            }
        }
        assert_eq!(
            view.forward.degree(row),
            out.iter().rev().take_while(|(_, s, _)| *s == start).count() as u64
        );
    }
    out
}

fn backward_edges(view: &EdgeTableView<'_>, reader: &Reader<'_>) -> Vec<(EdgeId, NodeId, NodeId)> {
    let mut out = Vec::new();
    for (target, adjacency) in &view.backward {
        if let AdjacencyView::Column(column) = adjacency {
            check_runs(column, *target, reader.rows(*target));
        }
        for row in 0..reader.rows(*target) {
            let end = NodeId::new(*target, row);
            let mut neighbours = Vec::new();
            match adjacency {
                AdjacencyView::Column(column) => {
                    neighbours.extend(column.neighbour(row).map(|n| (n, column.position(row))))
                }
                AdjacencyView::Csr(csr) => {
                    let list = csr.list(row);
                    check_list(csr, list);
                    neighbours.extend((0..list.len).map(|i| (csr.node(list, i), csr.position(list, i))));
                }
            }
            assert_eq!(adjacency.degree(row), neighbours.len() as u64);
            for (i, (start, position)) in neighbours.iter().enumerate() {
                let ordinal = neighbours[..i].iter().filter(|(other, _)| other == start).count();
                let id = view.search_id(start.row(), end, ordinal);
                if let Some(position) = position {
                    assert_eq!(id, view.id_at(start.row(), *position), "position of {start:?} → {end:?}");
                }
                out.push((id, *start, end));
            }
        }
        assert!(view.backward(*target).is_some());
    }
    out
}

/// The ways to read a list agree; lists are sorted.
fn check_list(csr: &trimorph_store::CsrView<'_>, list: trimorph_store::List) {
    let nodes: Vec<NodeId> = (0..list.len).map(|i| csr.node(list, i)).collect();
    assert!(nodes.is_sorted());
    let mut appended = Vec::new();
    csr.append_nodes(list, &mut appended);
    assert_eq!(appended, nodes);
    let packed = csr.nodes(list);
    for (i, node) in nodes.iter().enumerate() {
        assert_eq!(packed.id(i), *node);
        let first = nodes.iter().position(|other| other == node).unwrap();
        assert_eq!(csr.lower_bound(list, *node), first);
    }
}

fn assert_same(actual: &Map, expected: &Map, what: impl Fn() -> String) {
    assert!(format!("{actual:?}") == format!("{expected:?}"), "{}: {actual:?}, not {expected:?}", what());
}

#[test]
fn every_graph_is_read_back() {
    for seed in 0..300 {
        let model = graph(seed);
        let batch_rows = [1, 3, 4096][usize::try_from(seed % 3).unwrap()];
        let options = LoadOptions {
            batch_rows,
            threads: 1 + usize::try_from(seed % 2).unwrap(),
            general: seed % 5 == 0,
            ..LoadOptions::default()
        };
        check(&model, &model.load(options).unwrap());
    }
}

#[test]
fn loading_does_not_depend_on_batches_or_threads() {
    for seed in 0..40 {
        let model = graph(seed);
        let one = model.load(LoadOptions { batch_rows: 1, threads: 2, ..LoadOptions::default() }).unwrap();
        let other = model.load(LoadOptions::default()).unwrap();
        let text = |main: &Main| {
            let schema = &main.catalog.schema;
            let (facts, statistics) = (main.catalog.unrecorded_facts(), &main.catalog.statistics);
            format!("{:?} {:?} {facts:?} {statistics:?}", schema.node_tables, schema.edge_tables)
        };
        assert_eq!(text(&one), text(&other));
    }
}
