//! Reading edges: by source, by target, by id, or the whole relation in forward order.

use std::ops::ControlFlow;

use trimorph_base::{EdgeId, NodeId, TableId};
use trimorph_storage::EdgeTableView;
use trimorph_vector::{Edges, Nodes, Values, Vector};

use super::filters::{NodeFilter, StatementFilter};
use super::plan::Path;
use super::run::{BATCH, Found, Run};
use crate::neighbours::{NeighbourList, Neighbours};

/// Edges gathered for the next batch.
#[derive(Default)]
struct Gathered {
    subjects: Vec<NodeId>,
    objects: Vec<NodeId>,
    statements: Vec<EdgeId>,
    /// The list that is looked at.
    neighbours: Vec<NodeId>,
    ids: Vec<EdgeId>,
}

struct Tests<'p> {
    subject: NodeFilter<'p>,
    object: NodeFilter<'p>,
    statement: StatementFilter<'p>,
}

impl<'s> Run<'_, 's> {
    /// The edges of edge table `place`.
    pub(super) fn edges(&mut self, place: usize, path: Path, sample: Option<f64>) -> ControlFlow<()> {
        let reader = self.reader;
        let pattern = self.pattern;
        let table = reader.edge_table(place);
        let tests = Tests {
            subject: NodeFilter::new(&pattern.subject),
            object: NodeFilter::new(&pattern.object),
            statement: StatementFilter::new(&pattern.statement),
        };
        let mut gathered = Gathered::default();
        match path {
            Path::Subject | Path::Scan => {
                let rows = reader.rows(table.source);
                let edges = reader.catalog().statistics.edges(table.id) as f64;
                let step = sample_step(rows, sample.map(|n| n * rows as f64 / edges.max(1.0)));
                match tests.subject.candidates(table.source).filter(|_| path == Path::Subject) {
                    Some(nodes) => {
                        for node in nodes.into_iter().step_by(step as usize) {
                            self.visit(table, node, true, &tests, &mut gathered)?;
                        }
                    }
                    None => {
                        for row in (0..rows).step_by(step as usize) {
                            let node = NodeId::new(table.source, row);
                            if tests.subject.passes(node) {
                                self.visit(table, node, true, &tests, &mut gathered)?;
                            }
                        }
                    }
                }
            }
            Path::Object => {
                let targets: Vec<TableId> = table.backward.iter().map(|(t, _)| *t).collect();
                for target in targets {
                    for node in tests.object.candidates(target).unwrap_or_default() {
                        if node.row() < reader.rows(target) {
                            self.visit(table, node, false, &tests, &mut gathered)?;
                        }
                    }
                }
            }
            Path::Statement => {
                for edge in tests.statement.candidates().unwrap_or_default() {
                    let ends = if edge.table() == table.id { table.ends(edge) } else { None };
                    if let Some((source, target)) = ends
                        && tests.subject.passes(source)
                        && tests.object.passes(target)
                    {
                        gathered.subjects.push(source);
                        gathered.objects.push(target);
                        gathered.statements.push(edge);
                    }
                }
            }
        }
        self.flush(table, &mut gathered, 1)
    }

    /// The edges of one node, in one direction.
    fn visit(
        &mut self,
        table: &EdgeTableView<'s>,
        node: NodeId,
        forward: bool,
        tests: &Tests<'_>,
        gathered: &mut Gathered,
    ) -> ControlFlow<()> {
        if forward && node.row() >= self.reader.rows(table.source) {
            return ControlFlow::Continue(());
        }
        let want = self.wants_statements() || !tests.statement.open;
        let place = usize::from(table.id.0);
        let list = Neighbours::of(self.reader, place, forward, node.table()).list(node);
        if list.len() >= BATCH && forward && tests.object.open && tests.statement.open {
            self.flush(table, gathered, 1)?;
            return self.in_place(table, node, &list);
        }
        gathered.neighbours.clear();
        gathered.ids.clear();
        list.append(&mut gathered.neighbours, want.then_some(&mut gathered.ids));
        for (i, neighbour) in gathered.neighbours.iter().copied().enumerate() {
            let edge = gathered.ids.get(i).copied().unwrap_or(EdgeId(0));
            let (source, target) = if forward { (node, neighbour) } else { (neighbour, node) };
            if tests.subject.passes(source)
                && tests.object.passes(target)
                && (tests.statement.open || tests.statement.passes(edge))
            {
                gathered.subjects.push(source);
                gathered.objects.push(target);
                if want {
                    gathered.statements.push(edge);
                }
            }
        }
        self.flush(table, gathered, BATCH)
    }

    /// A long list nobody tests: its objects are read where they lie.
    fn in_place(
        &mut self,
        table: &EdgeTableView<'s>,
        node: NodeId,
        list: &NeighbourList<'_, 's>,
    ) -> ControlFlow<()> {
        let found = list.in_place(self.wants_statements());
        let ids = |edges: Edges<'s>| (0..found.len).map(|i| edges.id(i)).collect();
        self.emit(Found {
            subjects: nodes(Some(table.source), vec![node; found.len]),
            predicate: self.reader.schema().type_name(table.id),
            objects: Vector::new(Values::Node(found.nodes)),
            statements: found.edges.map(ids),
            len: found.len,
        })
    }

    /// Hands over what was gathered, if it is at least `min`.
    fn flush(&mut self, table: &EdgeTableView<'s>, gathered: &mut Gathered, min: usize) -> ControlFlow<()> {
        if gathered.subjects.len() < min {
            return ControlFlow::Continue(());
        }
        let [subjects, objects] = [&mut gathered.subjects, &mut gathered.objects].map(std::mem::take);
        let statements = std::mem::take(&mut gathered.statements);
        let target = (table.backward.len() == 1).then(|| table.backward[0].0);
        self.emit(Found {
            len: subjects.len(),
            subjects: nodes(Some(table.source), subjects),
            predicate: self.reader.schema().type_name(table.id),
            objects: nodes(target, objects),
            statements: self.wants_statements().then_some(statements),
        })
    }
}

fn nodes<'s>(table: Option<TableId>, ids: Vec<NodeId>) -> Vector<'s> {
    Vector::new(Values::Node(Nodes::Ids { table, ids }))
}

/// Every how many rows a sample of `wanted` of `rows` looks.
pub(super) fn sample_step(rows: u64, wanted: Option<f64>) -> u64 {
    match wanted {
        Some(n) => ((rows as f64 / n.max(1.0)).floor() as u64).max(1),
        None => 1,
    }
}
