//! Statements of a place as vectors: a column as it is read, lists end to end, a class for all rows of a
//! table.
//!
//! A scan of all statements takes what lies in columns by columns: value by value a statement costs ten times
//! as much. What is told apart statement by statement (named graphs, lists and values of several types, nodes
//! that stand for literals, rows with labels of their own) is left to [`Statements::of_part`].
//!
//! Source: Virtuoso, "Vectored Execution"; Poseidon §6 (relation scan).

use std::sync::Arc;

use trimorph_base::{NodeId, TableId};
use trimorph_types::iri_names::is_hidden;
use trimorph_types::{LogicalType, Value};
use trimorph_vector::{Nodes, Values, Vector};

use super::matching::{Graphs, Statements};
use super::scan::{Of, Part};
use crate::PropertyColumn;
use crate::neighbours::Neighbours;

/// Statements of one predicate, in the default graph.
#[derive(Debug)]
pub struct Batch<'s> {
    /// Nodes.
    pub subjects: Vector<'s>,
    /// The predicate's IRI.
    pub predicate: Arc<str>,
    /// Nodes, or literals as they are stored, which need not be the form of terms; none where nobody asks.
    pub objects: Option<Vector<'s>>,
    /// How many there are.
    pub len: usize,
}

impl<'s> Statements<'_, 's> {
    /// The statements of a part whose subjects are `count` rows from `first` on; `None` where they are to be
    /// taken one by one.
    ///
    /// **Nulls**: none in subjects and objects. **Cost**: a read of the column, or of the lists.
    pub fn batch_of_part(
        &self,
        part: &Part,
        (first, count): (u64, u64),
        graphs: &Graphs,
        with_objects: bool,
    ) -> Option<Batch<'s>> {
        if !graphs.has_default() {
            return None;
        }
        let reader = self.reader();
        let end = reader.rows(part.table).min(first + count);
        let len = usize::try_from(end.saturating_sub(first)).unwrap_or(0);
        let start = NodeId::new(part.table, first);
        match &part.of {
            Of::Labels if !reader.labels_vary(part.table) => {
                let there = reader.existing(start, len);
                self.of_classes(part, ids(start, len, there.as_deref()))
            }
            Of::Column(column) => {
                let values = PropertyColumn::of_nodes(part.table, *column, reader);
                if !values.certain_type().is_some_and(is_literal) {
                    return None;
                }
                let there = reader.existing(start, len);
                let objects = values.scan(first, len);
                let has = |position: &u32| !objects.is_null(*position as usize);
                let rows: Vec<u32> = match there {
                    Some(there) => there.into_iter().filter(has).collect(),
                    None if !objects.may_have_nulls() => {
                        let subjects = Vector::new(Values::Node(Nodes::Range(start)));
                        return Some(batch(part, subjects, with_objects.then_some(objects), len));
                    }
                    None => (0..len as u32).filter(has).collect(),
                };
                let subjects = nodes(part.table, ids(start, len, Some(&rows)));
                let objects = with_objects.then(|| objects.gather(&rows));
                Some(batch(part, subjects, objects, rows.len()))
            }
            Of::Edges(shape) if shape.graph.is_none() => {
                let there = reader.existing(start, len);
                let lists = Neighbours::all(reader, shape.at, true, part.table);
                let (mut subjects, mut objects) = (Vec::new(), Vec::new());
                for subject in ids(start, len, there.as_deref()) {
                    lists.list(subject).append(&mut objects, None);
                    subjects.resize(objects.len(), subject);
                }
                let (mut table, mut is_one) = (objects.first().map(|node| node.table()), true);
                for node in &objects {
                    if table != Some(node.table()) {
                        (table, is_one) = (Some(node.table()), false);
                        if reader.stands_for_literals(node.table()) {
                            return None;
                        }
                    }
                }
                if objects.first().is_some_and(|node| reader.stands_for_literals(node.table())) {
                    return None;
                }
                let len = objects.len();
                let table = table.filter(|_| is_one);
                let objects = Vector::new(Values::Node(Nodes::Ids { table, ids: objects }));
                Some(batch(part, nodes(part.table, subjects), with_objects.then_some(objects), len))
            }
            Of::Labels | Of::Edges(_) | Of::Said(..) | Of::Reified(_) => None,
        }
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

fn batch<'s>(part: &Part, subjects: Vector<'s>, objects: Option<Vector<'s>>, len: usize) -> Batch<'s> {
    Batch { subjects, predicate: Arc::clone(&part.predicate), objects, len }
}

fn nodes<'s>(table: TableId, ids: Vec<NodeId>) -> Vector<'s> {
    Vector::new(Values::Node(Nodes::Ids { table: Some(table), ids }))
}

/// Nodes from one on, all of them or those at some positions.
fn ids(start: NodeId, len: usize, positions: Option<&[u32]>) -> Vec<NodeId> {
    let node = |position: u64| NodeId::new(start.table(), start.row() + position);
    match positions {
        Some(positions) => positions.iter().map(|position| node(u64::from(*position))).collect(),
        None => (0..len as u64).map(node).collect(),
    }
}

/// Whether values of this type are a literal each.
fn is_literal(ty: LogicalType) -> bool {
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
