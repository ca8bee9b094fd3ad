//! Tests of access patterns on small graphs that are made here, statement by statement, so that what is in
//! them is known without reading.

mod estimates;
mod in_order;
mod morsels;
mod node_sets;
mod plans;
mod results;

use std::sync::Arc;

use trimorph_base::{CancelToken, EdgeId, NodeId, Random, TableId};
use trimorph_storage::bulk::{
    BulkBuilder, BulkSink, ColumnBatch, ColumnData, EdgeBatch, EdgeSpec, Lines, NodeBatch, NodeSpec, Origin,
    Verdict,
};
use trimorph_types::{LogicalType, Value};
use trimorph_vfs::RegionOptions;

use super::{LABEL, Term};
use crate::{Reader, Snapshot};

pub(super) const A: TableId = TableId(0);
pub(super) const B: TableId = TableId(1);

/// Tables `(:A {id, n, s})` and `(:B:C {id, x})`, edges `(:A)-[:T {eid, w}]->(:A|:B)`, any number, and
/// `(:A)-[:F]->(:B)`, one or none. `id` is a key, `n` the row, `eid` the edge's number.
pub(super) struct Made {
    pub(super) snapshot: Snapshot,
    nodes: Vec<Vec<(&'static str, Vec<Value>)>>,
    many: Vec<(NodeId, NodeId, Value)>,
    single: Vec<(NodeId, NodeId)>,
}

/// A statement.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) s: Term,
    pub(super) p: Arc<str>,
    pub(super) o: Term,
    pub(super) i: Option<EdgeId>,
}

fn ints(values: impl Iterator<Item = u64>) -> Vec<Value> {
    values.map(|v| Value::Int(v.cast_signed())).collect()
}

fn column(values: Vec<Value>) -> ColumnBatch {
    let is_int = values.iter().all(|v| matches!(v, Value::Int(_)));
    let data = if is_int { keys(values.iter()) } else { ColumnData::Values(values) };
    ColumnBatch { data, nulls: None }
}

fn keys<'v>(values: impl Iterator<Item = &'v Value>) -> ColumnData {
    ColumnData::Int(values.map(|v| if let Value::Int(v) = v { *v } else { 0 }).collect())
}

fn origin() -> Origin {
    Origin { file: 0, lines: Lines::From(1) }
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A graph of `rows` nodes in each table and `edges` edges of type `T`.
pub(super) fn made(seed: u64, rows: u64, edges: usize) -> Made {
    println!("graph seed {seed}");
    let mut random = Random::new(seed);
    let mut sometimes = |percent: usize, make: &dyn Fn(usize) -> Value| {
        let value = make(random.below(12));
        if random.chance(percent) { value } else { Value::Null }
    };
    let text = |n: usize| Value::string(format!("text {n}"));
    let mixed = |n: usize| if n < 4 { text(n) } else { Value::Float(n as f64 / 2.0) };
    let s: Vec<Value> = (0..rows).map(|_| sometimes(70, &text)).collect();
    let x: Vec<Value> = (0..rows).map(|_| sometimes(80, &mixed)).collect();
    let w: Vec<Value> = (0..edges).map(|_| sometimes(60, &|n| Value::Int(n as i64))).collect();
    let id = |table: u64| ints((0..rows).map(move |row| row * 7 + table * 1_000_000));
    let nodes = vec![vec![("id", id(0)), ("n", ints(0..rows)), ("s", s)], vec![("id", id(1)), ("x", x)]];
    let mut node = |table: TableId| NodeId::new(table, random.below(rows as usize) as u64);
    let many: Vec<_> = (w.into_iter().enumerate())
        .map(|(i, w)| (node(A), node(if i % 3 == 0 { B } else { A }), w))
        .collect();
    let single: Vec<_> =
        (0..rows).filter(|row| row % 4 != 1).map(|row| (NodeId::new(A, row), node(B))).collect();

    let builder =
        BulkBuilder::new(RegionOptions::default(), CancelToken::default(), Box::new(|_| Verdict::Abort));
    for (labels, space, columns) in [(&["A"][..], "A", &nodes[0]), (&["B", "C"], "B", &nodes[1])] {
        let properties = columns[1..].iter().map(|(name, values)| {
            let is_int = values.iter().all(|v| matches!(v, Value::Int(_)));
            ((*name).to_owned(), if is_int { LogicalType::Int } else { LogicalType::String })
        });
        let spec = NodeSpec {
            labels: strings(labels),
            key_space: Some(space.to_owned()),
            key_property: Some("id".to_owned()),
            properties: properties.collect(),
        };
        let handle = builder.declare_nodes(spec).unwrap();
        let keys = Some(keys(columns[0].1.iter()));
        let columns = columns[1..].iter().map(|(_, values)| column(values.clone())).collect();
        builder.append_nodes(handle, NodeBatch { keys, columns, origin: origin() }).unwrap();
    }
    let key = |node: &NodeId| &nodes[node.table().0 as usize][0].1[node.row() as usize];
    for (label, to, properties) in [("T", A, 2), ("T", B, 2), ("F", B, 0)] {
        let names = ["eid", "w"].map(|name| (name.to_owned(), LogicalType::Int));
        let chosen: Vec<(usize, NodeId, NodeId, Value)> = match label {
            "T" => (many.iter().enumerate())
                .filter(|(_, (_, target, _))| target.table() == to)
                .map(|(i, (s, t, w))| (i, *s, *t, w.clone()))
                .collect(),
            _ => single.iter().map(|(s, t)| (0, *s, *t, Value::Null)).collect(),
        };
        let spec = EdgeSpec {
            label: label.to_owned(),
            from_space: "A".to_owned(),
            to_space: if to == A { "A" } else { "B" }.to_owned(),
            properties: names[..properties].to_vec(),
        };
        let handle = builder.declare_edges(spec).unwrap();
        let all =
            [ints(chosen.iter().map(|(i, ..)| *i as u64)), chosen.iter().map(|(.., w)| w.clone()).collect()];
        let batch = EdgeBatch {
            from_keys: keys(chosen.iter().map(|(_, s, ..)| key(s))),
            to_keys: keys(chosen.iter().map(|(_, _, t, _)| key(t))),
            columns: all[..properties].iter().cloned().map(column).collect(),
            origin: origin(),
        };
        builder.append_edges(handle, batch).unwrap();
    }
    let snapshot = Snapshot::new(Arc::new(builder.finish(1).unwrap()));
    Made { snapshot, nodes, many, single }
}

impl Made {
    /// All statements. Ids of edges are the store's: which edge one is its ends and number say.
    pub(super) fn statements(&self, reader: &Reader<'_>) -> Vec<Statement> {
        let mut all = Vec::new();
        for (table, (columns, labels)) in self.nodes.iter().zip([&["A"][..], &["B", "C"]]).enumerate() {
            for row in 0..columns[0].1.len() {
                let node = Term::Node(NodeId::new(TableId(table as u16), row as u64));
                labels.iter().for_each(|label| add(&mut all, &node, LABEL, &Value::string(*label)));
                columns.iter().for_each(|(name, values)| add(&mut all, &node, name, &values[row]));
            }
        }
        for (id, is_many) in edge_ids(reader) {
            let (s, p, o) = match is_many {
                true => {
                    let Value::Int(eid) = reader.edge_property(id, "eid") else { panic!("no number") };
                    let (s, o, w) = &self.many[eid as usize];
                    add(&mut all, &Term::Statement(id), "eid", &Value::Int(eid));
                    add(&mut all, &Term::Statement(id), "w", w);
                    (*s, "T", *o)
                }
                false => {
                    let Value::Relationship(r) = reader.relationship(id) else { panic!("no edge") };
                    let at = self.single.binary_search_by_key(&r.start, |(s, _)| *s).unwrap();
                    (r.start, "F", self.single[at].1)
                }
            };
            all.push(Statement { s: Term::Node(s), p: p.into(), o: Term::Node(o), i: Some(id) });
        }
        let edges = all.iter().filter(|s| s.i.is_some()).count();
        assert_eq!(edges, self.many.len() + self.single.len());
        all
    }
}

/// Adds the statement of a label or a property, if there is one.
fn add(all: &mut Vec<Statement>, s: &Term, p: &str, o: &Value) {
    if !o.is_null() {
        all.push(Statement { s: s.clone(), p: p.into(), o: Term::Literal(o.clone()), i: None });
    }
}

/// The ids of all edges, and whether each is of type `T`.
fn edge_ids(reader: &Reader<'_>) -> Vec<(EdgeId, bool)> {
    let mut all = Vec::new();
    let pattern = super::Pattern::edges(&[] as &[&str]).project(false, true, false, true);
    let plan = super::AccessPlan::of(pattern, reader, super::Choice::Relation);
    let collect = |batch: super::Batch<'_>| {
        let trimorph_vector::Values::Edge(edges) = &batch.columns[1].values else { panic!("no edges") };
        let name = |i| matches!(batch.columns[0].value(i, &|_| Value::Null), Value::String(p) if &*p == "T");
        all.extend((0..batch.len).map(|i| (edges.id(i), name(i))));
        std::ops::ControlFlow::Continue(())
    };
    plan.run(reader, collect).unwrap();
    all
}
