//! Literals in the order of rows, as columns of their tables.
//!
//! 1. A predicate's literals are sorted by the rows of their subjects, unless they came so.
//! 2. Of each table, the column has the type that most first literals have; others are exceptions of it.
//! 3. A second and further literal of a row, if it is another one, is left for the edges.

use std::collections::HashMap;

use trimorph_base::{CancelToken, NodeId, TableId};
use trimorph_catalog::CharacteristicSet;
use trimorph_store::bulk::{
    BulkError, ColumnWriter, NumberedColumn, NumberedIndex, NumberedNodes, PackedNumbers, in_parallel,
};
use trimorph_types::iri_names::{ID, LITERAL_VALUE, name_of};
use trimorph_types::{LogicalType, Value};

use super::dictionary::Dictionary;
use super::further::{Further, LiteralNodes};
use super::gathered::Predicate;
use super::literals::{Kept, Literals};
use super::rows::{Tables, TermsOfTables};

/// A column that is finished.
pub(super) struct Made {
    pub(super) column: NumberedColumn,
    /// The number of its predicate.
    pub(super) predicate: Option<u32>,
    /// Its index, where there is to be one.
    pub(super) index: Option<NumberedIndex>,
    values: u64,
}

impl Made {
    /// Rows that have a value.
    pub(super) fn values(&self) -> u64 {
        self.values
    }
}

/// The columns with the terms themselves, one a table.
pub(super) fn of_terms(terms: &Dictionary, tables: TermsOfTables, threads: usize) -> Vec<Vec<Made>> {
    in_parallel(tables, threads, |own| {
        let mut writer = ColumnWriter::new(LogicalType::Iri);
        let mut text = String::new();
        for number in &own {
            terms.read(*number, &mut text);
            writer.push_value(Value::iri(&*text));
        }
        let (values, column) = (own.len() as u64, NumberedColumn::new(ID.to_owned(), writer));
        vec![Made { column, predicate: None, index: Some(index(terms, own)), values }]
    })
}

/// The index of a table's terms by their texts.
fn index(terms: &Dictionary, own: Vec<u32>) -> NumberedIndex {
    let (mut first, mut text) = (String::new(), String::new());
    if let Some(number) = own.first() {
        terms.read(*number, &mut first);
    }
    // What all have in common tells none apart.
    let mut common = first.len();
    for number in &own {
        terms.read(*number, &mut text);
        if !text.as_bytes().starts_with(&first.as_bytes()[..common]) {
            common = first.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
        }
    }
    let mut key = |number: u32| {
        terms.read(number, &mut text);
        let rest = &text.as_bytes()[common..];
        let mut bytes = [0; 8];
        let len = rest.len().min(8);
        bytes[..len].copy_from_slice(&rest[..len]);
        u64::from_be_bytes(bytes)
    };
    let mut keys: Vec<(u64, u32)> = (0..).zip(&own).map(|(row, number)| (key(*number), row)).collect();
    keys.sort_unstable();
    for run in keys.chunk_by_mut(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
        run.sort_unstable_by(|a, b| terms.order(own[a.1 as usize], own[b.1 as usize]));
    }
    let rows = own.len() as u64;
    drop(own);
    NumberedIndex::new(keys.into_iter().map(|(_, row)| row.into()), rows)
}

/// What a predicate becomes: its columns by table, and the literals that are left.
type OfPredicate = (Vec<(usize, Made)>, Further);

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
        let mut further = PackedNumbers::default();
        let name = name_of(&predicate.iri);
        let columns = of_literals(&name, number, &literals, tables, &mut further);
        let further = Further::new(literals, further, &mut predicate);
        Ok((predicate, (columns, further)))
    });
    Ok(done.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().unzip())
}

fn of_literals(
    name: &str,
    number: u32,
    literals: &Literals,
    tables: &Tables,
    further: &mut PackedNumbers,
) -> Vec<(usize, Made)> {
    let mut nodes = Vec::with_capacity(literals.len());
    literals.subjects.each(|subject| nodes.push(tables.node(subject as u32)));
    let node = |i: usize| nodes[i];
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
    further: &mut PackedNumbers,
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
                further.push(i as i64);
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
    Made { column, predicate: Some(number), index: None, values }
}

/// The type that most of some literals have.
fn most_frequent(literals: &Literals, places: impl Iterator<Item = usize>) -> LogicalType {
    if let Some(ty) = literals.only_type() {
        return ty;
    }
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

/// Makes the nodes of all literals that no column holds, and their table.
///
/// **Errors**: more of them than rows.
pub(super) fn literal_nodes(
    further: &[(Predicate, Further)],
    tables: &mut Tables,
    columns: &mut Vec<Vec<Made>>,
) -> Result<(LiteralNodes, TableId), BulkError> {
    let nodes = LiteralNodes::of(further)?;
    if nodes.len() == 0 {
        return Ok((nodes, TableId(0)));
    }
    let values = nodes.len() as u64;
    let table = tables.add_literals(values);
    let mut writer = ColumnWriter::new(nodes.most_frequent());
    (0..nodes.len()).for_each(|node| writer.push_value(nodes.value(further, node)));
    let column = NumberedColumn::new(LITERAL_VALUE.to_owned(), writer);
    columns.push(vec![Made { column, predicate: None, index: None, values }]);
    Ok((nodes, table))
}

/// The tables with their columns.
pub(super) fn into_nodes(mut tables: Tables, columns: Vec<Vec<Made>>) -> Vec<NumberedNodes> {
    let mut row_labels = tables.take_row_labels();
    let parts = tables.into_parts().zip(columns);
    parts
        .map(|((labels, rows, sets), mut made)| {
            let index = made.first_mut().and_then(|made| made.index.take()).map(|index| (0, index));
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
            NumberedNodes { labels, row_labels: row_labels.take(), rows, columns, sets, index }
        })
        .collect()
}
