//! Literals in the order of rows, as columns of their tables.
//!
//! 1. A predicate's literals are sorted by the rows of their subjects, unless they came so.
//! 2. Of each table, the column has the type that most first literals have; others are exceptions of it.
//! 3. A second and further literal of a row, if it is another one, is left for the edges.

use std::collections::HashMap;

use trimorph_base::{CancelToken, NodeId, TableId};
use trimorph_catalog::CharacteristicSet;
use trimorph_store::bulk::{BulkError, ColumnWriter, NumberedColumn, NumberedNodes, in_parallel};
use trimorph_types::iri_names::{ID, LITERAL_VALUE, name_of};
use trimorph_types::{Grouping, LogicalType, Value, rdf};

use super::dictionary::Dictionary;
use super::gathered::Predicate;
use super::literals::{Kept, Literals};
use super::rows::Tables;

/// A column that is finished.
pub(super) struct Made {
    pub(super) column: NumberedColumn,
    /// The number of its predicate.
    pub(super) predicate: Option<u32>,
    /// Rows in the order of values, where there is to be an index.
    pub(super) in_order: Option<Vec<u64>>,
    values: u64,
}

impl Made {
    /// Rows that have a value.
    pub(super) fn values(&self) -> u64 {
        self.values
    }
}

/// A literal that no column holds, by its subject; in a named graph by the graph's number.
pub(super) type Further = (u32, Value, Option<u32>);

/// The columns with the terms themselves, one a table.
pub(super) fn of_terms(terms: &Dictionary, tables: &Tables, threads: usize) -> Vec<Vec<Made>> {
    in_parallel((0..tables.len()).collect(), threads, |table| {
        let mut writer = ColumnWriter::new(LogicalType::Iri);
        let own = tables.terms(table);
        own.iter().for_each(|number| writer.push_value(Value::iri(terms.text(*number))));
        let in_order = Some(in_order(own, |number| terms.text(number)));
        let (values, column) = (own.len() as u64, NumberedColumn::new(ID.to_owned(), writer));
        vec![Made { column, predicate: None, in_order, values }]
    })
}

/// The rows of terms in the order of their texts.
fn in_order<'t>(terms: &[u32], text: impl Fn(u32) -> &'t str) -> Vec<u64> {
    let Some(first) = terms.first().map(|number| text(*number)) else { return Vec::new() };
    // What all have in common tells none apart.
    let common = terms.iter().fold(first.len(), |common, number| {
        let same = first.bytes().zip(text(*number).bytes()).take(common).take_while(|(a, b)| a == b);
        same.count()
    });
    let key = |number: u32| {
        let rest = &text(number).as_bytes()[common..];
        let mut bytes = [0; 8];
        let len = rest.len().min(8);
        bytes[..len].copy_from_slice(&rest[..len]);
        u64::from_be_bytes(bytes)
    };
    let mut keys: Vec<(u64, u32)> = (0..).zip(terms).map(|(row, number)| (key(*number), row)).collect();
    keys.sort_unstable();
    for run in keys.chunk_by_mut(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
        run.sort_unstable_by_key(|(_, row)| text(terms[*row as usize]));
    }
    keys.into_iter().map(|(_, row)| u64::from(row)).collect()
}

/// What a predicate becomes: its columns by table, and the literals that are left.
type OfPredicate = (Vec<(usize, Made)>, Vec<Further>);

/// The columns of all predicates, whose other statements are given back.
///
/// **Errors**: that it was cancelled.
pub(super) fn of_predicates(
    predicates: Vec<Predicate>,
    tables: &Tables,
    cancel: &CancelToken,
    threads: usize,
) -> Result<(Vec<Predicate>, Vec<OfPredicate>), BulkError> {
    let work: Vec<(u32, Predicate)> = (0..).zip(predicates).collect();
    let done = in_parallel(work, threads, |(number, mut predicate)| {
        if cancel.is_cancelled() {
            return Err(BulkError::Cancelled);
        }
        let literals = std::mem::take(&mut predicate.literals);
        let mut further = Vec::new();
        let name = name_of(&predicate.iri);
        let columns = of_literals(&name, number, &literals, tables, &mut further);
        drop(literals);
        let in_graphs = std::mem::take(&mut predicate.graph_literals);
        for (i, graph) in std::mem::take(&mut predicate.graphs_of_literals).into_iter().enumerate() {
            let value = rdf::normalise(in_graphs.value(i));
            further.push((in_graphs.subjects[i], value, Some(graph)));
        }
        Ok((predicate, (columns, further)))
    });
    Ok(done.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().unzip())
}

fn of_literals(
    name: &str,
    number: u32,
    literals: &Literals,
    tables: &Tables,
    further: &mut Vec<Further>,
) -> Vec<(usize, Made)> {
    let node = |i: usize| tables.node(literals.subjects[i]);
    // Literals by the rows of their subjects, in the order in which they came.
    let is_sorted = (1..literals.len()).all(|i| node(i - 1).0 <= node(i).0);
    let order: Vec<u32> = match is_sorted {
        true => Vec::new(),
        false => {
            let mut keys: Vec<(u64, u32)> = (0..literals.len()).map(|i| (node(i).0, i as u32)).collect();
            keys.sort_unstable();
            keys.into_iter().map(|(_, i)| i).collect()
        }
    };
    let at = |place: usize| if is_sorted { place } else { order[place] as usize };
    let mut columns = Vec::new();
    let mut from = 0;
    while from < literals.len() {
        let table = node(at(from)).table();
        let rest = (from..literals.len()).take_while(|place| node(at(*place)).table() == table);
        let to = from + rest.count();
        let table = usize::from(table.0);
        let places = (from..to).map(at);
        let made = column(name, number, literals, places, &node, tables.rows(table), further);
        columns.push((table, made));
        from = to;
    }
    columns
}

/// The column of literals whose subjects are in one table.
fn column(
    name: &str,
    number: u32,
    literals: &Literals,
    places: impl Iterator<Item = usize> + Clone,
    node: &impl Fn(usize) -> NodeId,
    rows: u64,
    further: &mut Vec<Further>,
) -> Made {
    let mut writer = ColumnWriter::new(most_frequent(literals, places.clone()));
    let ty = writer.logical_type();
    // The literals of the current row.
    let mut own: Vec<usize> = Vec::new();
    let mut values = 0;
    for i in places {
        let row = node(i).row();
        if own.first().is_some_and(|first| node(*first).row() == row) {
            let kept = literals.kept(i);
            if own.iter().all(|known| literals.kept(*known) != kept) {
                own.push(i);
                further.push((literals.subjects[i], rdf::normalise(literals.value(i)), None));
            }
            continue;
        }
        own.clear();
        own.push(i);
        writer.append_nulls(row - writer.rows());
        match (literals.kept(i), ty) {
            (Kept::Integer(of, integer), ty) if of == ty => writer.push_int(Some(integer)),
            (Kept::Float(bits), LogicalType::Float) => writer.push_float(Some(f64::from_bits(bits))),
            (Kept::Text(text), LogicalType::String) => writer.push_text(Some(text)),
            _ => writer.push_value(literals.value(i)),
        }
        values += 1;
    }
    writer.append_nulls(rows - writer.rows());
    let column = NumberedColumn::new(name.to_owned(), writer);
    Made { column, predicate: Some(number), in_order: None, values }
}

/// The type that most of some literals have.
fn most_frequent(literals: &Literals, places: impl Iterator<Item = usize>) -> LogicalType {
    let mut counts: HashMap<LogicalType, u64> = HashMap::new();
    let mut kinds: HashMap<u16, LogicalType> = HashMap::new();
    let mut last = (LogicalType::Any, 0u64);
    for i in places {
        let ty = match literals.kept(i) {
            Kept::Integer(ty, _) => ty,
            Kept::Float(_) => LogicalType::Float,
            Kept::Text(_) => LogicalType::String,
            // One of each datatype says enough.
            Kept::Other(text, kind) => {
                *kinds.entry(kind).or_insert_with(|| literals.other(text, kind).logical_type())
            }
        };
        if ty == last.0 {
            last.1 += 1;
        } else {
            *counts.entry(last.0).or_default() += last.1;
            last = (ty, 1);
        }
    }
    *counts.entry(last.0).or_default() += last.1;
    let most = counts.into_iter().max_by_key(|(ty, count)| (*count, *ty as u8));
    most.map_or(LogicalType::Any, |(ty, _)| ty)
}

/// Nodes that stand for literals, by these.
pub(super) type LiteralNodes = HashMap<Grouping, NodeId>;

/// Makes the nodes of all literals that no column holds, and their table.
///
/// **Errors**: more of them than rows.
pub(super) fn literal_nodes(
    further: &[(Predicate, Vec<Further>)],
    tables: &mut Tables,
    columns: &mut Vec<Vec<Made>>,
) -> Result<LiteralNodes, BulkError> {
    let mut nodes = LiteralNodes::new();
    let (mut values, mut counts) = (Vec::new(), HashMap::<LogicalType, u64>::new());
    let table = TableId(tables.len() as u16);
    for (_, value, _) in further.iter().flat_map(|(_, further)| further) {
        let next = NodeId::new(table, nodes.len() as u64);
        let known = *nodes.entry(Grouping(value.clone())).or_insert(next);
        if known == next {
            *counts.entry(value.logical_type()).or_default() += 1;
            values.push(value);
        }
    }
    if values.is_empty() {
        return Ok(nodes);
    }
    tables.add_literals(values.len() as u64);
    let ty = counts
        .into_iter()
        .max_by_key(|(ty, count)| (*count, *ty as u8))
        .map_or(LogicalType::Any, |(ty, _)| ty);
    let mut writer = ColumnWriter::new(ty);
    values.iter().for_each(|value| writer.push_value((*value).clone()));
    let column = NumberedColumn::new(LITERAL_VALUE.to_owned(), writer);
    columns.push(vec![Made { column, predicate: None, in_order: None, values: values.len() as u64 }]);
    Ok(nodes)
}

/// The tables with their columns.
pub(super) fn into_nodes(mut tables: Tables, columns: Vec<Vec<Made>>) -> Vec<NumberedNodes> {
    let mut row_labels = tables.take_row_labels();
    let parts = tables.into_parts().zip(columns);
    parts
        .map(|((labels, rows, sets), mut made)| {
            let in_order = made.first_mut().and_then(|made| made.in_order.take()).map(|rows| (0, rows));
            let places: HashMap<u32, u32> =
                (0..).zip(&made).filter_map(|(at, made)| Some((made.predicate?, at))).collect();
            // Sets that differ in edges only are one. The first column, a term's name, is in every row.
            let mut merged: HashMap<Vec<u32>, u64> = HashMap::new();
            for (set, count) in sets {
                let own = set.iter().filter_map(|predicate| places.get(predicate).copied());
                let mut own: Vec<u32> = std::iter::once(0).chain(own).collect();
                own.sort_unstable();
                *merged.entry(own).or_default() += count;
            }
            let one = |(properties, count)| CharacteristicSet { properties, count };
            let mut sets: Vec<CharacteristicSet> = merged.into_iter().map(one).collect();
            sets.sort_by(|a, b| (b.count, &a.properties).cmp(&(a.count, &b.properties)));
            let columns = made.into_iter().map(|made| made.column).collect();
            NumberedNodes { labels, row_labels: row_labels.take(), rows, columns, sets, in_order }
        })
        .collect()
}
