//! Nodes as terms and terms as nodes.
//!
//! 1. A node with the property `@id` is that IRI, blank node or triple term.
//! 2. A node with the label `@literal` is the literal in its property `@value`.
//! 3. Any other node is the IRI `trimorph:node/ID`.

use std::fmt::Write as _;

use trimorph_base::{NodeId, TableId};
use trimorph_types::iri_names::{EDGE_BASE, ID, LITERAL_LABEL, LITERAL_VALUE, NODE_BASE, TRIPLE_LABEL};
use trimorph_types::{LogicalType, Value};
use trimorph_vector::{Texts, Values};

use crate::{Comparison, Condition, PropertyColumn, Reader, Wanted};

/// Rows that are looked at in one go.
const RUN: u64 = 1_024;

impl Reader<'_> {
    /// The term that a node is: an IRI, a blank node, a triple term or a literal.
    ///
    /// **Cost**: a look-up of a column by its name, and a read.
    pub fn term_of_node(&self, node: NodeId) -> Value {
        let schema = self.schema();
        let of = |name: &str| match schema.node_property(node.table(), name) {
            Some(column) => PropertyColumn::of_nodes(node.table(), column, self).value(node.row()),
            None => Value::Null,
        };
        if self.stands_for_literals(node.table()) {
            return of(LITERAL_VALUE);
        }
        match of(ID) {
            id @ Value::Iri(_) => id,
            _ => Value::iri(format!("{NODE_BASE}{}", node.0)),
        }
    }

    /// The names of nodes none of which stands for a literal, each at its position among `len`; others are
    /// empty.
    ///
    /// **Cost**: a column's values for each table.
    pub fn names_of_nodes(&self, nodes: &[(usize, NodeId)], len: usize) -> Texts<'static> {
        let (mut nodes, mut names) = (nodes.to_vec(), Texts::blank(len));
        nodes.sort_by_key(|(_, node)| node.table());
        let mut given = String::new();
        for of_table in nodes.chunk_by(|a, b| a.1.table() == b.1.table()) {
            let ids: Vec<NodeId> = of_table.iter().map(|(_, node)| *node).collect();
            let table = ids[0].table();
            let column = self.schema().node_property(table, ID);
            let own = column.map(|column| PropertyColumn::of_nodes(table, column, self).gather_nodes(&ids));
            for (i, (at, node)) in of_table.iter().enumerate() {
                let name = own.as_ref().and_then(|own| match &own.values {
                    Values::Iri(texts) if !own.nulls.get(i) => Some(texts.get(i)),
                    Values::Any(values) => match &values[i] {
                        Value::Iri(iri) => Some(&**iri),
                        _ => None,
                    },
                    _ => None,
                });
                match name {
                    Some(name) => names.set(*at, name),
                    None => {
                        given.clear();
                        // A string takes all that is written.
                        _ = write!(given, "{NODE_BASE}{}", node.0);
                        names.set(*at, &given);
                    }
                }
            }
        }
        names
    }

    /// Whether the nodes of a table stand for literals.
    pub fn stands_for_literals(&self, table: TableId) -> bool {
        self.schema().has_label(table, LITERAL_LABEL)
    }

    /// Whether the nodes of a table stand for triple terms.
    pub fn stands_for_triples(&self, table: TableId) -> bool {
        self.schema().has_label(table, TRIPLE_LABEL)
    }

    /// The term that a value is in RDF: nodes and relationships as [`Self::term_of_node`] says, all others
    /// themselves.
    pub fn term_of(&self, value: &Value) -> Value {
        match value {
            Value::Node(node) => self.term_of_node(*node),
            Value::Relationship(relationship) => Value::iri(format!("{EDGE_BASE}{}", relationship.id.0)),
            other => other.clone(),
        }
    }

    /// The node that an IRI, a blank node or a triple term is, if there is one.
    ///
    /// **Cost**: a look-up in the index of each node table with such nodes.
    pub fn node_of_iri(&self, iri: &str) -> Option<NodeId> {
        if let Some(node) = self.node_named(iri) {
            return Some(node);
        }
        let id: u64 = iri.strip_prefix(NODE_BASE)?.parse().ok()?;
        let node = NodeId(id);
        let known = usize::from(node.table().0) < self.schema().node_tables.len();
        // A node with an IRI of its own is not known by another one.
        (node.is_node() && known && self.node_exists(node))
            .then_some(node)
            .filter(|node| matches!(self.term_of_node(*node), Value::Iri(own) if *own == *iri))
    }

    /// The node that stands for a literal, if there is one.
    pub fn node_of_literal(&self, literal: &Value) -> Option<NodeId> {
        let wanted = &Wanted::Equal(literal.clone());
        let schema = self.schema();
        let property = schema.property_id(LITERAL_VALUE)?;
        let mut rows = Vec::new();
        for (table, info) in schema.table_ids().zip(&schema.node_tables) {
            let Some(column) = info.properties.iter().position(|own| own.id == property) else { continue };
            if !self.find_values(table, column, wanted, &mut rows) {
                self.scan_for(table, column, wanted, true, &mut rows);
            }
            if let Some(row) = rows.first() {
                return Some(NodeId::new(table, *row));
            }
        }
        None
    }

    /// Appends the rows of a table with a wanted value, where no index tells: texts, integers and dates are
    /// compared as they lie. Rows that are as main has them are left out where they are not asked.
    pub(super) fn scan_for(
        &self,
        table: TableId,
        column: usize,
        wanted: &Wanted,
        in_main: bool,
        rows: &mut Vec<u64>,
    ) {
        let values = PropertyColumn::of_nodes(table, column, self);
        if self.recording().is_none() && values.certain_type().is_some_and(|ty| has_none(ty, wanted)) {
            return;
        }
        let is_text = |own: &str| matches!(wanted, Wanted::Equal(Value::String(text)) if **text == *own);
        let condition = match (values.logical_type(), wanted) {
            (LogicalType::String, Wanted::Equal(Value::String(text))) => {
                Some(Condition::Text { equal: Some(text), prefix: None, order: None, passes: &is_text })
            }
            (LogicalType::Int, Wanted::Equal(Value::Int(integer))) => {
                Some(Condition::Range(*integer, *integer))
            }
            (LogicalType::Date, Wanted::Equal(Value::Date(date))) => {
                Some(Condition::Range(date.days, date.days))
            }
            _ => None,
        };
        let (mut comparison, mut found) = (Comparison::default(), Vec::new());
        for (first, len) in runs_with_values(&values, self.rows(table)) {
            if !in_main && values.is_clean(first, len) {
                continue;
            }
            let there = self.existing(NodeId::new(table, first), len);
            found.clear();
            let compared = condition
                .as_ref()
                .and_then(|condition| values.select(&mut comparison, condition, first, len, &mut found));
            if compared.is_some() {
                if let Some(there) = there {
                    found.retain(|position| there.binary_search(position).is_ok());
                }
                rows.extend(found.iter().map(|position| first + u64::from(*position)));
                continue;
            }
            let run = values.scan(first, len);
            let mut look = |position: u32| {
                if wanted.holds(&run.value(position as usize, &|_| Value::Null)) {
                    rows.push(first + u64::from(position));
                }
            };
            match there {
                Some(there) => there.into_iter().for_each(look),
                None => (0..len as u32).for_each(&mut look),
            }
        }
    }
}

impl Reader<'_> {
    /// Appends the rows of a table that may have a wanted value, or a list with it: who asks looks at them
    /// again. Runs of texts, and of lists of texts, are compared as they are, others are taken whole. Rows
    /// that are as main has them are left out where they are not asked.
    pub(super) fn scan_lists_for(
        &self,
        table: TableId,
        column: usize,
        wanted: &Wanted,
        in_main: bool,
        rows: &mut Vec<u64>,
    ) {
        let values = PropertyColumn::of_nodes(table, column, self);
        let text = match wanted {
            Wanted::Equal(Value::String(text)) => Some(&**text),
            _ => None,
        };
        for (first, len) in runs_with_values(&values, self.rows(table)) {
            if !in_main && values.is_clean(first, len) {
                continue;
            }
            let there = self.existing(NodeId::new(table, first), len);
            let run = values.scan(first, len);
            // No text is equal to a literal of another type.
            let may_be = |i: usize| match (&run.values, text) {
                (Values::String(texts), text) => text.is_some_and(|text| texts.get(i) == text),
                (Values::List(lists), Some(text)) => match &lists.child().values {
                    Values::String(texts) => lists.elements(i).any(|at| texts.get(at as usize) == text),
                    _ => true,
                },
                (Values::List(_), None) => true,
                (Values::Any(values), _) => matches!(values[i], Value::List(_)) || wanted.holds(&values[i]),
                _ => wanted.holds(&run.value(i, &|_| Value::Null)),
            };
            let mut look = |position: u32| {
                let i = position as usize;
                if !run.is_null(i) && may_be(i) {
                    rows.push(first + u64::from(position));
                }
            };
            match there {
                Some(there) => there.into_iter().for_each(&mut look),
                None => (0..len as u32).for_each(&mut look),
            }
        }
    }
}

/// Whether values of a column may be lists, of which each element is a literal by itself.
pub(super) fn may_be_list(values: &PropertyColumn<'_, '_>) -> bool {
    values.certain_type().is_none_or(|ty| matches!(ty, LogicalType::Any | LogicalType::List))
}

/// The runs of `rows` rows in which a column may have values, each with its length: of a table's many columns
/// most are empty but for few rows, where nodes of all kinds are in it.
fn runs_with_values(values: &PropertyColumn<'_, '_>, rows: u64) -> impl Iterator<Item = (u64, usize)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let first = values.first_with_value(from..rows)?;
        let first = first - first % RUN;
        let len = RUN.min(rows - first);
        from = first + len;
        Some((first, len as usize))
    })
}

/// Whether no value of this type is such: no number or moment equals a text.
fn has_none(ty: LogicalType, wanted: &Wanted) -> bool {
    let Wanted::Equal(value) = wanted else { return false };
    let kinds = (kind(ty), kind(value.logical_type()));
    matches!(kinds, (Some(own), Some(wanted)) if own != wanted)
}

/// Of types whose values equal those of their kind only, that kind.
fn kind(ty: LogicalType) -> Option<LogicalType> {
    use LogicalType as T;
    match ty {
        T::Int | T::Float | T::Decimal => Some(T::Float),
        T::Bool | T::String | T::Date | T::LocalTime | T::Time | T::LocalDateTime | T::DateTime => Some(ty),
        T::Duration => Some(ty),
        _ => None,
    }
}
