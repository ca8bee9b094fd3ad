//! Statements of a place as vectors: a column as it is read, lists end to end, a class for all rows of a
//! table.
//!
//! A scan of all statements takes what lies in columns by columns: value by value a statement costs ten times
//! as much.
//!
//! 1. Literals of several types come type by type, so that each batch has a vector of one type: the order of
//!    statements says nothing.
//! 2. Of edges that may be in named graphs, those of the graphs that are asked are kept, unless an index has
//!    found them (`in_graphs`). Those that lead to literals come apart from those that lead to nodes.
//! 3. What is told apart statement by statement (lists as properties, statements that relationships reify,
//!    rows with labels of their own) is left to [`Statements::of_part`].
//!
//! Source: Virtuoso, "Vectored Execution"; Poseidon §6 (relation scan).

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_base::{EdgeId, NodeId, TableId};
use trimorph_catalog::EdgeShape;
use trimorph_types::iri_names::{LITERAL_VALUE, is_hidden};
use trimorph_types::{LogicalType, Value, rdf};
use trimorph_vector::{Nodes, Positions, Values, Vector};

use super::matching::{Graphs, Statements};
use super::scan::{Of, Part};
use crate::PropertyColumn;
use crate::neighbours::Neighbours;

/// Statements of one predicate.
#[derive(Debug)]
pub struct Batch<'s> {
    /// Nodes, or relationships.
    pub subjects: Vector<'s>,
    /// The predicate's IRI.
    pub predicate: Arc<str>,
    /// Nodes; or literals of one type: in term form if they are values of several types, else as they are
    /// stored, which need not be that form. None where nobody asks.
    pub objects: Option<Vector<'s>>,
    /// The named graph of each; none where only one is asked, or none.
    pub graphs: Option<Vec<Arc<str>>>,
    /// How many there are.
    pub len: usize,
}

impl<'s> Statements<'_, 's> {
    /// The statements at `count` steps of a part from `first` on, as a rule those whose subjects are these
    /// rows; `None` where they are to be taken one by one.
    ///
    /// **Nulls**: none in subjects and objects. **Cost**: a read of the column, or of the lists.
    pub fn batches_of_part(
        &self,
        part: &Part,
        (first, count): (u64, u64),
        graphs: &Graphs,
        with_objects: bool,
    ) -> Option<Vec<Batch<'s>>> {
        let reader = self.reader();
        let end = reader.rows(part.table).min(first + count);
        let len = usize::try_from(end.saturating_sub(first)).unwrap_or(0);
        let start = NodeId::new(part.table, first);
        match &part.of {
            Of::Labels if graphs.has_default() && !reader.labels_vary(part.table) => {
                let there = reader.existing(start, len);
                Some(vec![self.of_classes(part, ids(start, len, there.as_deref()))?])
            }
            Of::Column(column) if graphs.has_default() => {
                self.of_column(part, *column, (start, len), with_objects)
            }
            Of::Edges(shape) => {
                let there = reader.existing(start, len);
                self.of_edges(part, shape, &ids(start, len, there.as_deref()), graphs, with_objects)
            }
            Of::InGraph(place) => {
                let edges = self.edges_in(place, (first, count), graphs);
                let name = || vec![Arc::clone(&place.graph); edges.len()];
                let found = Ends {
                    subjects: edges.iter().map(|edge| edge.start).collect(),
                    graphs: matches!(graphs, Graphs::Named(_)).then(name),
                };
                self.leading_to_each(
                    part,
                    &found,
                    &edges.iter().map(|edge| edge.end).collect::<Vec<_>>(),
                    with_objects,
                )
            }
            Of::Said(..) | Of::Reified(_) if graphs.has_default() => {
                let there = reader.existing(start, len);
                Some(vec![self.batch_said(part, &ids(start, len, there.as_deref()), with_objects)?])
            }
            Of::Labels | Of::Column(_) | Of::Said(..) | Of::Reified(_) => None,
        }
    }

    fn of_column(
        &self,
        part: &Part,
        column: usize,
        (start, len): (NodeId, usize),
        with_objects: bool,
    ) -> Option<Vec<Batch<'s>>> {
        let values = PropertyColumn::of_nodes(part.table, column, self.reader());
        if values.first_with_value(start.row()..start.row() + len as u64).is_none() {
            return Some(Vec::new());
        }
        let there = self.reader().existing(start, len);
        let objects = values.scan(start.row(), len);
        let is_plain = values.certain_type().is_some_and(is_literal);
        let has = |position: &u32| !objects.is_null(*position as usize);
        let rows: Vec<u32> = match there {
            Some(there) => there.into_iter().filter(has).collect(),
            None if is_plain && !objects.may_have_nulls() => {
                let subjects = Vector::new(Values::Node(Nodes::Range(start)));
                return Some(vec![batch(part, subjects, with_objects.then_some(objects), len)]);
            }
            None => (0..len as u32).filter(has).collect(),
        };
        let subjects = ids(start, len, Some(&rows));
        let objects = objects.gather(&rows);
        if is_plain {
            let objects = with_objects.then_some(objects);
            return Some(vec![batch(part, nodes(part.table, subjects), objects, rows.len())]);
        }
        let found = Ends { subjects, graphs: None };
        self.by_type(part, &found, objects, with_objects)
    }

    /// Literals that may be of several types, type by type; `None` where there are others.
    fn by_type(
        &self,
        part: &Part,
        found: &Ends,
        objects: Vector<'s>,
        with_objects: bool,
    ) -> Option<Vec<Batch<'s>>> {
        let len = found.subjects.len();
        let all: Vec<u32> = (0..len as u32).collect();
        let values = match objects.values {
            Values::Any(values) => values,
            Values::List(_) | Values::Map(_) | Values::Tuple(_) | Values::Node(_) | Values::Edge(_) => {
                return None;
            }
            _ => return Some(vec![found.batch(part, &all, with_objects.then_some(objects))]),
        };
        // Of a list each element is a statement.
        if values.iter().any(|value| matches!(value, Value::List(_) | Value::Map(_))) {
            return None;
        }
        if !with_objects {
            return Some(vec![found.batch(part, &all, None)]);
        }
        let mut by_type: BTreeMap<LogicalType, (Vec<u32>, Vec<Value>)> = BTreeMap::new();
        for (at, value) in all.into_iter().zip(values) {
            let value = rdf::normalise(value);
            let (rows, values) = by_type.entry(value.logical_type()).or_default();
            rows.push(at);
            values.push(value);
        }
        let batches = by_type.into_values().map(|(rows, values)| {
            let len = values.len();
            found.batch(part, &rows, Some(Vector::of_values(values, Positions::all(len))))
        });
        Some(batches.collect())
    }

    fn of_edges(
        &self,
        part: &Part,
        shape: &EdgeShape,
        rows: &[NodeId],
        graphs: &Graphs,
        with_objects: bool,
    ) -> Option<Vec<Batch<'s>>> {
        let lists = Neighbours::all(self.reader(), shape.at, true, part.table);
        let (mut subjects, mut objects, mut edges) = (Vec::new(), Vec::new(), Vec::new());
        let ends = rows.first().zip(rows.last()).map(|(first, last)| (first.row(), last.row()));
        if ends.is_none_or(|(first, last)| lists.have_none(first, last + 1 - first)) {
            return Some(Vec::new());
        }
        for subject in rows {
            lists.append(*subject, &mut objects, shape.graph.map(|_| &mut edges));
            subjects.resize(objects.len(), *subject);
        }
        let mut found = Ends { subjects, graphs: None };
        match shape.graph {
            // Edges that are in no graph are in the default graph only.
            None if !graphs.has_default() => return Some(Vec::new()),
            None => {}
            Some(column) => {
                let kept = self.kept(shape.at, column, &edges, graphs, &mut found.graphs);
                if kept.len() < objects.len() {
                    let take = |nodes: &[NodeId]| kept.iter().map(|at| nodes[*at as usize]).collect();
                    (found.subjects, objects) = (take(&found.subjects), take(&objects));
                }
            }
        }
        self.leading_to_each(part, &found, &objects, with_objects)
    }

    /// Statements that are edges, by what they lead to.
    fn leading_to_each(
        &self,
        part: &Part,
        found: &Ends,
        objects: &[NodeId],
        with_objects: bool,
    ) -> Option<Vec<Batch<'s>>> {
        let mut by_table: BTreeMap<Option<TableId>, Vec<u32>> = BTreeMap::new();
        if with_objects {
            let (mut last, mut of_literals) = (None, None);
            for (at, node) in (0..).zip(objects) {
                if last != Some(node.table()) {
                    last = Some(node.table());
                    of_literals = last.filter(|table| self.reader().stands_for_literals(*table));
                }
                by_table.entry(of_literals).or_default().push(at);
            }
        } else {
            by_table.insert(None, (0..objects.len() as u32).collect());
        }
        let mut batches = Vec::new();
        for (literals, at) in by_table {
            let own: Vec<NodeId> = at.iter().map(|at| objects[*at as usize]).collect();
            let Some(table) = literals else {
                let table = own.first().map(|node| node.table());
                let table = table.filter(|table| own.iter().all(|node| node.table() == *table));
                let own = Vector::new(Values::Node(Nodes::Ids { table, ids: own }));
                batches.push(found.batch(part, &at, with_objects.then_some(own)));
                continue;
            };
            let column = self.reader().schema().node_property(table, LITERAL_VALUE)?;
            let values = PropertyColumn::of_nodes(table, column, self.reader()).gather_nodes(&own);
            batches.extend(self.by_type(part, &found.taken(&at), values, with_objects)?);
        }
        Some(batches)
    }

    /// The positions of edges in the graphs that are asked; and the graph of each, where several are.
    fn kept(
        &self,
        table: usize,
        column: usize,
        edges: &[EdgeId],
        graphs: &Graphs,
        names: &mut Option<Vec<Arc<str>>>,
    ) -> Vec<u32> {
        let column = PropertyColumn::of_edges(table, column, self.reader());
        let mut slot = column.slots();
        let slots: Vec<u64> = edges.iter().map(|edge| slot(*edge)).collect();
        if graphs.has_default() {
            // What is no name of a graph is none, as where edges are looked at one by one.
            let is_in_none = |slot: u64| column.is_null(slot) || !matches!(column.value(slot), Value::Iri(_));
            return (0..).zip(&slots).filter(|(_, slot)| is_in_none(**slot)).map(|(at, _)| at).collect();
        }
        let (mut kept, mut of_kept) = (Vec::new(), Vec::new());
        for (at, slot) in (0..).zip(slots) {
            if let Some(name) = self.graph_at(table, &column, slot).filter(|name| graphs.has(Some(name))) {
                kept.push(at);
                of_kept.push(name);
            }
        }
        *names = matches!(graphs, Graphs::Named(_)).then_some(of_kept);
        kept
    }

    /// All labels of the rows of a table, label by label.
    fn of_classes(&self, part: &Part, rows: Vec<NodeId>) -> Option<Batch<'s>> {
        let own = rows.first().map(|row| self.reader().labels(*row)).unwrap_or_default();
        let (mut subjects, mut objects) = (Vec::new(), Vec::new());
        for label in own.iter().filter(|label| !is_hidden(label)) {
            let Value::Node(class) = self.class(label) else { return None };
            subjects.extend_from_slice(&rows);
            objects.resize(subjects.len(), class);
        }
        let len = subjects.len();
        let objects = Vector::new(Values::Node(Nodes::Ids { table: None, ids: objects }));
        Some(batch(part, nodes(part.table, subjects), Some(objects), len))
    }
}

/// The subjects of statements, and their graphs where several are asked.
struct Ends {
    subjects: Vec<NodeId>,
    graphs: Option<Vec<Arc<str>>>,
}

impl Ends {
    fn taken(&self, at: &[u32]) -> Self {
        let graph = |graphs: &Vec<Arc<str>>| at.iter().map(|at| Arc::clone(&graphs[*at as usize])).collect();
        Self {
            subjects: at.iter().map(|at| self.subjects[*at as usize]).collect(),
            graphs: self.graphs.as_ref().map(graph),
        }
    }

    /// Those at some positions, with their objects.
    fn batch<'s>(&self, part: &Part, at: &[u32], objects: Option<Vector<'s>>) -> Batch<'s> {
        let Self { subjects, graphs } = self.taken(at);
        Batch { graphs, ..batch(part, nodes(part.table, subjects), objects, at.len()) }
    }
}

pub(super) fn batch<'s>(
    part: &Part,
    subjects: Vector<'s>,
    objects: Option<Vector<'s>>,
    len: usize,
) -> Batch<'s> {
    Batch { subjects, predicate: Arc::clone(&part.predicate), objects, graphs: None, len }
}

fn nodes<'s>(table: TableId, ids: Vec<NodeId>) -> Vector<'s> {
    Vector::new(Values::Node(Nodes::Ids { table: Some(table), ids }))
}

/// Nodes from one on, all of them or those at some positions.
pub(super) fn ids(start: NodeId, len: usize, positions: Option<&[u32]>) -> Vec<NodeId> {
    let node = |position: u64| NodeId::new(start.table(), start.row() + position);
    match positions {
        Some(positions) => positions.iter().map(|position| node(u64::from(*position))).collect(),
        None => (0..len as u64).map(node).collect(),
    }
}

/// Whether values of this type are a literal each.
pub(super) fn is_literal(ty: LogicalType) -> bool {
    use LogicalType as T;
    matches!(
        ty,
        T::Bool
            | T::Int
            | T::Float
            | T::String
            | T::Date
            | T::LocalTime
            | T::LocalDateTime
            | T::DateTime
            | T::Literal
    )
}
