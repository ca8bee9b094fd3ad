//! A tuple-at-a-time executor over flat arrays: what table 4 measures the engine against. A baseline, nothing else.
//!
//! One virtual call per operator and tuple, tuples by value, expressions interpreted per tuple. The arrays are plain CSR and plain
//! 8-byte properties, without versions, snapshots or cancellation: in the baseline's favour.
//!
//! Source: GF-CL §8.5 (GF-CV, the columnar Volcano).

use crate::graph::Graph;

/// Vertices and edges bound so far; the longest pattern is four vertices and three edges.
#[derive(Clone, Copy)]
pub(crate) struct Tuple {
    slots: [u32; 8],
}

/// What an expression gives.
#[derive(Clone, Copy)]
enum Scalar {
    Int(i64),
    Bool(bool),
}

/// An operator.
pub(crate) trait Operator {
    /// The next tuple.
    fn next(&mut self) -> Option<Tuple>;
}

trait Expression {
    fn evaluate(&self, tuple: &Tuple) -> Scalar;
}

struct Constant(i64);

impl Expression for Constant {
    fn evaluate(&self, _: &Tuple) -> Scalar {
        Scalar::Int(self.0)
    }
}

struct EdgeProperty<'g> {
    column: &'g [i64],
    slot: usize,
}

impl Expression for EdgeProperty<'_> {
    fn evaluate(&self, tuple: &Tuple) -> Scalar {
        Scalar::Int(self.column[tuple.slots[self.slot] as usize])
    }
}

struct Greater<'g>(Box<dyn Expression + 'g>, Box<dyn Expression + 'g>);

impl Expression for Greater<'_> {
    fn evaluate(&self, tuple: &Tuple) -> Scalar {
        match (self.0.evaluate(tuple), self.1.evaluate(tuple)) {
            (Scalar::Int(a), Scalar::Int(b)) => Scalar::Bool(a > b),
            _ => Scalar::Bool(false),
        }
    }
}

struct Scan<'g> {
    vertices: std::slice::Iter<'g, u32>,
}

impl Operator for Scan<'_> {
    fn next(&mut self) -> Option<Tuple> {
        let vertex = self.vertices.next()?;
        let mut slots = [0; 8];
        slots[0] = *vertex;
        Some(Tuple { slots })
    }
}

/// From the vertex in slot `from` to edge (`from + 1`) and neighbour (`from + 2`).
struct Extend<'g> {
    child: Box<dyn Operator + 'g>,
    graph: &'g Graph,
    from: usize,
    tuple: Tuple,
    rest: std::ops::Range<usize>,
}

impl Operator for Extend<'_> {
    fn next(&mut self) -> Option<Tuple> {
        loop {
            if let Some(edge) = self.rest.next() {
                let mut tuple = self.tuple;
                tuple.slots[self.from + 1] = edge as u32;
                tuple.slots[self.from + 2] = self.graph.targets[edge];
                return Some(tuple);
            }
            self.tuple = self.child.next()?;
            self.rest = self.graph.range(self.tuple.slots[self.from] as usize);
        }
    }
}

struct Filter<'g> {
    child: Box<dyn Operator + 'g>,
    predicate: Box<dyn Expression + 'g>,
}

impl Operator for Filter<'_> {
    fn next(&mut self) -> Option<Tuple> {
        loop {
            let tuple = self.child.next()?;
            if matches!(self.predicate.evaluate(&tuple), Scalar::Bool(true)) {
                return Some(tuple);
            }
        }
    }
}

/// `hops` steps from `vertices`, with `ts > bound` on the last edge if there is a bound.
pub(crate) fn plan<'g>(
    graph: &'g Graph,
    vertices: &'g [u32],
    hops: usize,
    bound: Option<i64>,
) -> Box<dyn Operator + 'g> {
    let mut plan: Box<dyn Operator + 'g> = Box::new(Scan { vertices: vertices.iter() });
    for hop in 0..hops {
        plan = Box::new(Extend {
            child: plan,
            graph,
            from: 2 * hop,
            tuple: Tuple { slots: [0; 8] },
            rest: 0..0,
        });
    }
    if let Some(bound) = bound {
        let property = EdgeProperty { column: &graph.ts, slot: 2 * hops - 1 };
        plan = Box::new(Filter {
            child: plan,
            predicate: Box::new(Greater(Box::new(property), Box::new(Constant(bound)))),
        });
    }
    plan
}

/// COUNT(*): pulls tuple by tuple.
pub(crate) fn count(mut plan: Box<dyn Operator + '_>) -> u64 {
    let mut count = 0;
    while let Some(tuple) = plan.next() {
        std::hint::black_box(&tuple);
        count += 1;
    }
    count
}
