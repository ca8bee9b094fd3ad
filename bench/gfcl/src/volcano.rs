//! A tuple-at-a-time executor: what table 4 measures the engine against. A baseline, nothing else.
//!
//! What the paper measures is GF-CV: the interpreted Volcano executor of GraphflowDB over the columnar
//! storage of GF-CL. So:
//! * one virtual `next` per operator and tuple;
//! * one tuple for the whole plan, whose slots hold *values* (the paper's §6: an operator writes what it
//!   extends by and copies nothing that is bound before it); a value has a type, and a consumer asks for it;
//! * expressions are trees of virtual `evaluate` over the tuple, values in and a value out, null included;
//! * storage behind a virtual call per property and per list, as in a system whose columns have several
//!   encodings: the column answers with a value.
//!
//! In its favour: it is compiled ahead of time (the paper's runs on a JVM), plans are built by hand, and
//! there is no snapshot, no cancellation, no error path and no compression. Nothing is fused over operators,
//! and nothing is made slow on purpose.
//!
//! Source: GF-CL §6 (opening), §8.5 (GF-CV); Graefe, "Volcano", 1994.

use std::rc::Rc;

use crate::graph::Graph;

/// What a slot of the tuple and an expression hold.
#[derive(Clone, Debug, Default)]
enum Datum {
    #[default]
    Null,
    Bool(bool),
    Int(i64),
    Vertex(u64),
    Edge(u64),
    /// Not in these queries, but in any system with strings: what makes a value more than a word.
    #[expect(dead_code, reason = "the size and the drop of a value are part of what is measured")]
    Text(Rc<str>),
}

/// Vertices and edges bound so far.
#[derive(Default)]
pub(crate) struct Tuple {
    slots: Vec<Datum>,
}

/// An operator: binds its slots of the tuple to the next match.
pub(crate) trait Operator {
    /// Whether there was one.
    fn next(&mut self, tuple: &mut Tuple) -> bool;
}

/// An expression over the tuple.
trait Expression {
    fn evaluate(&self, tuple: &Tuple) -> Datum;
}

/// Properties of edges.
trait Column {
    fn value(&self, edge: u64) -> Datum;
}

/// Neighbours of vertices.
trait Adjacency {
    /// Where the list of a vertex starts and ends.
    fn list(&self, vertex: u64) -> (usize, usize);
    /// An edge of a list and the vertex at its other end.
    fn entry(&self, at: usize) -> (u64, u64);
}

struct IntColumn<'g>(&'g [i64]);

impl Column for IntColumn<'_> {
    fn value(&self, edge: u64) -> Datum {
        self.0.get(edge as usize).map_or(Datum::Null, |v| Datum::Int(*v))
    }
}

impl Adjacency for Graph {
    fn list(&self, vertex: u64) -> (usize, usize) {
        let range = self.range(vertex as usize);
        (range.start, range.end)
    }

    fn entry(&self, at: usize) -> (u64, u64) {
        (at as u64, self.targets[at].into())
    }
}

struct Constant(Datum);

impl Expression for Constant {
    fn evaluate(&self, _: &Tuple) -> Datum {
        self.0.clone()
    }
}

struct EdgeProperty<'g> {
    column: Box<dyn Column + 'g>,
    slot: usize,
}

impl Expression for EdgeProperty<'_> {
    fn evaluate(&self, tuple: &Tuple) -> Datum {
        match tuple.slots[self.slot] {
            Datum::Edge(edge) => self.column.value(edge),
            _ => Datum::Null,
        }
    }
}

struct Greater<'g>(Box<dyn Expression + 'g>, Box<dyn Expression + 'g>);

impl Expression for Greater<'_> {
    fn evaluate(&self, tuple: &Tuple) -> Datum {
        match (self.0.evaluate(tuple), self.1.evaluate(tuple)) {
            (Datum::Int(a), Datum::Int(b)) => Datum::Bool(a > b),
            _ => Datum::Null,
        }
    }
}

struct Scan<'g> {
    vertices: std::slice::Iter<'g, u32>,
}

impl Operator for Scan<'_> {
    fn next(&mut self, tuple: &mut Tuple) -> bool {
        let Some(vertex) = self.vertices.next() else { return false };
        tuple.slots[0] = Datum::Vertex((*vertex).into());
        true
    }
}

/// From the vertex in slot `from` to edge (`from + 1`) and neighbour (`from + 2`).
struct Extend<'g> {
    child: Box<dyn Operator + 'g>,
    adjacency: &'g dyn Adjacency,
    from: usize,
    rest: (usize, usize),
}

impl Operator for Extend<'_> {
    fn next(&mut self, tuple: &mut Tuple) -> bool {
        while self.rest.0 == self.rest.1 {
            if !self.child.next(tuple) {
                return false;
            }
            if let Datum::Vertex(vertex) = tuple.slots[self.from] {
                self.rest = self.adjacency.list(vertex);
            }
        }
        let (edge, neighbour) = self.adjacency.entry(self.rest.0);
        self.rest.0 += 1;
        tuple.slots[self.from + 1] = Datum::Edge(edge);
        tuple.slots[self.from + 2] = Datum::Vertex(neighbour);
        true
    }
}

struct Filter<'g> {
    child: Box<dyn Operator + 'g>,
    predicate: Box<dyn Expression + 'g>,
}

impl Operator for Filter<'_> {
    fn next(&mut self, tuple: &mut Tuple) -> bool {
        while self.child.next(tuple) {
            if matches!(self.predicate.evaluate(tuple), Datum::Bool(true)) {
                return true;
            }
        }
        false
    }
}

/// A plan and the tuple it fills.
pub(crate) struct Plan<'g> {
    root: Box<dyn Operator + 'g>,
    tuple: Tuple,
}

/// `hops` steps from `vertices`, with `ts > bound` on the last edge if there is a bound.
pub(crate) fn plan<'g>(graph: &'g Graph, vertices: &'g [u32], hops: usize, bound: Option<i64>) -> Plan<'g> {
    let mut root: Box<dyn Operator + 'g> = Box::new(Scan { vertices: vertices.iter() });
    for hop in 0..hops {
        root = Box::new(Extend { child: root, adjacency: graph, from: 2 * hop, rest: (0, 0) });
    }
    if let Some(bound) = bound {
        let property = EdgeProperty { column: Box::new(IntColumn(&graph.ts)), slot: 2 * hops - 1 };
        let predicate = Greater(Box::new(property), Box::new(Constant(Datum::Int(bound))));
        root = Box::new(Filter { child: root, predicate: Box::new(predicate) });
    }
    Plan { root, tuple: Tuple { slots: vec![Datum::Null; 2 * hops + 1] } }
}

/// COUNT(*): pulls tuple by tuple.
pub(crate) fn count(mut plan: Plan<'_>) -> u64 {
    let mut count = 0;
    while plan.root.next(&mut plan.tuple) {
        std::hint::black_box(&plan.tuple);
        count += 1;
    }
    count
}
