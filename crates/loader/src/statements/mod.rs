//! Statements of RDF into an empty database: terms in, a main version out, its tables found in the data.
//!
//! ```text
//! dictionary   terms to numbers
//! names        texts of which there are few, by number
//! gathered     the statements of a predicate
//! literals     the literals of a predicate, by the numbers of their subjects
//! label_sets   which sets of classes get tables
//! rows         from classes and characteristic sets to tables and rows
//! columns      literals in the order of rows, as columns
//! further      literals that no column holds, as nodes
//! edges        statements between nodes, each once, as edges of their tables
//! said         relationships of another database, and what they say
//! ```
//!
//! 1. Statements come in any order. A term becomes a number; a statement becomes two numbers, or a number and
//!    a literal, of its predicate.
//! 2. When all is known each node gets its table, that of its classes, and its row. Nodes without a class lie
//!    in the order of the predicates that they have, so that those that are alike lie together; beside them
//!    those whose sets of classes are too many for tables, with their labels by the row.
//! 3. Each predicate's literals are put in the order of rows: the first of a node is its property, further
//!    ones are edges to nodes that stand for literals. Statements between nodes are sorted, and edges.
//!
//! What is made is what `INSERT DATA` makes of the same statements (`docs/design/one-graph.md`).
//!
//! Nothing is held as wide as it is read, since all that is read waits until the last statement: numbers are
//! packed, beginnings of texts are kept once, and what a step is done with goes before the next one.
//!
//! **Cost**: 10 to 15 bytes and the text's own end a term, 4 to 5 bytes a statement between nodes, 1 to 2 and
//! the value a literal; then 4 bytes a term, what was made, and what a step sorts.
//!
//! Source: Virtuoso, "Column Store"; Neumann and Moerkotte 2011 (characteristic sets); Pham et al. 2015
//! (emergent schema).

mod columns;
mod dictionary;
mod edges;
mod further;
mod gathered;
mod label_sets;
mod literals;
mod names;
mod refused;
mod rows;
mod said;
#[cfg(test)]
mod tests;
mod text_blocks;

use std::sync::{Mutex, PoisonError};

use trimorph_base::{CancelToken, MemoryBudget, Reservation};
use trimorph_rdf::{Statement, TermRef};
use trimorph_store::Main;
use trimorph_store::bulk::{NumberedEdges, NumberedOptions, build_numbered, in_parallel};
use trimorph_types::Value;
use trimorph_types::iri_names::{is_hidden, name_of};
use trimorph_types::rdf::names::rdf;
use trimorph_types::rdf::triple_parts;

use crate::LoadError;
use dictionary::Dictionary;
use gathered::{Pairs, Predicate};
use names::Names;
use rows::Tables;
use said::Said;

pub use refused::Refused;

/// Statements between two looks at memory and at the flag that cancels.
const UNCHECKED: u64 = 1 << 14;

/// What was made.
#[derive(Clone, Copy, Debug, Default)]
pub struct StatementCounts {
    /// Nodes, those that stand for literals included.
    pub nodes: u64,
    /// Edges.
    pub edges: u64,
    /// Properties, those that hold a node's IRI included.
    pub properties: u64,
    /// Labels of nodes.
    pub labels: u64,
}

/// A load of statements that goes on.
pub struct StatementLoad {
    terms: Dictionary,
    names: Names,
    predicates: Vec<Predicate>,
    /// Subjects and their classes.
    types: Pairs,
    class_names: Names,
    classes: Vec<String>,
    graph_names: Names,
    graphs: Vec<Box<str>>,
    said: Said,
    count: u64,
    cancel: CancelToken,
    held: Reservation,
}

/// Whether a resource is an IRI, not a blank node nor a triple term.
fn is_iri(text: &str) -> bool {
    !text.starts_with("_:") && !text.starts_with("<<(")
}

impl StatementLoad {
    /// Nothing yet. What is held is charged to `budget`.
    pub fn new(budget: &MemoryBudget, cancel: CancelToken) -> Self {
        Self {
            terms: Dictionary::default(),
            names: Names::default(),
            predicates: Vec::new(),
            types: Pairs::default(),
            class_names: Names::default(),
            classes: Vec::new(),
            graph_names: Names::default(),
            graphs: Vec::new(),
            said: Said::default(),
            count: 0,
            cancel,
            held: budget.reservation(),
        }
    }

    /// Takes a statement. One whose terms cannot stand where they do is left out.
    ///
    /// **Errors**: what is not to be built here; memory; cancellation.
    pub fn take(&mut self, statement: &Statement<'_>) -> Result<(), Refused> {
        self.count += 1;
        if self.count.is_multiple_of(UNCHECKED) {
            self.check()?;
        }
        let (TermRef::Resource(subject), TermRef::Resource(predicate)) =
            (statement.subject, statement.predicate)
        else {
            return Ok(());
        };
        if subject.starts_with("<<(") || !is_iri(predicate) {
            return Ok(());
        }
        let graph = match statement.graph {
            None => None,
            Some(TermRef::Resource(graph)) => Some(self.graph(graph)),
            Some(TermRef::Literal(_)) => return Ok(()),
        };
        if let Some(number) = said::number_of(subject) {
            return match graph {
                None => self.take_said(number, predicate, statement.object),
                Some(_) => Err(Refused::Unfit),
            };
        }
        let subject = self.terms.subject(subject)?;
        match (statement.object, graph) {
            (TermRef::Resource(class), None) if predicate == rdf::TYPE && is_iri(class) => {
                let class = self.class(class)?;
                self.types.push(subject, class);
            }
            (TermRef::Resource(object), graph) => {
                let object = self.terms.number(object)?;
                let predicate = self.predicate(predicate)?;
                match graph {
                    None => predicate.edges.push(subject, object),
                    Some(graph) => {
                        predicate.graph_edges.push(subject, object);
                        predicate.graphs_of_edges.push(graph.into());
                    }
                }
            }
            (TermRef::Literal(literal), None) => {
                self.predicate(predicate)?.literals.push(subject, &literal)?;
            }
            (TermRef::Literal(literal), Some(graph)) => {
                let predicate = self.predicate(predicate)?;
                predicate.graph_literals.push(subject, &literal)?;
                predicate.graphs_of_literals.push(graph.into());
            }
        }
        Ok(())
    }

    /// Takes what a relationship of another database is, or says.
    fn take_said(&mut self, number: u64, predicate: &str, object: TermRef<'_>) -> Result<(), Refused> {
        match object {
            TermRef::Literal(literal) if predicate != rdf::REIFIES => {
                if is_hidden(&name_of(predicate)) {
                    return Err(Refused::Unfit);
                }
                self.said.say(number, predicate, &literal)
            }
            TermRef::Resource(iri) if predicate != rdf::REIFIES && is_iri(iri) => {
                if is_hidden(&name_of(predicate)) {
                    return Err(Refused::Unfit);
                }
                self.said.say_iri(number, predicate, iri);
                Ok(())
            }
            TermRef::Resource(term) if predicate == rdf::REIFIES => {
                let Some([Value::Iri(from), Value::Iri(middle), Value::Iri(to)]) = triple_parts(term) else {
                    return Err(Refused::Unfit);
                };
                let ends = (self.terms.number(&from)?, self.terms.number(&to)?);
                self.predicate(&middle)?;
                let (predicate, _) = self.names.number(&middle);
                self.said.reify(number, (predicate, ends.0, ends.1))
            }
            _ => Err(Refused::Unfit),
        }
    }

    fn check(&mut self) -> Result<(), Refused> {
        if self.cancel.is_cancelled() {
            return Err(Refused::Failed(LoadError::Cancelled));
        }
        self.held.resize(self.bytes()).map_err(|over| Refused::Failed(LoadError::Memory(over)))
    }

    /// Bytes of all that was taken.
    fn bytes(&self) -> usize {
        let statements: usize = self.predicates.iter().map(Predicate::bytes).sum();
        statements + self.terms.bytes() + self.types.bytes() + self.said.bytes()
    }

    fn predicate(&mut self, iri: &str) -> Result<&mut Predicate, Refused> {
        let (number, is_new) = self.names.number(iri);
        if is_new {
            if is_hidden(&name_of(iri)) {
                return Err(Refused::Unfit);
            }
            self.predicates.push(Predicate::new(iri));
        }
        Ok(&mut self.predicates[number as usize])
    }

    fn class(&mut self, iri: &str) -> Result<u32, Refused> {
        let (number, is_new) = self.class_names.number(iri);
        if is_new {
            let name = name_of(iri);
            if is_hidden(&name) {
                return Err(Refused::Unfit);
            }
            self.classes.push(name.into());
        }
        Ok(number)
    }

    fn graph(&mut self, iri: &str) -> u32 {
        let (number, is_new) = self.graph_names.number(iri);
        if is_new {
            self.graphs.push(iri.into());
        }
        number
    }

    /// The main version of all statements.
    ///
    /// **Errors**: memory; cancellation; more rows, tables or edges than ids
    /// can tell apart.
    pub fn build(mut self, how: &NumberedOptions<'_>) -> Result<(Main, StatementCounts), Refused> {
        self.check()?;
        self.terms.close();
        let mut types: Vec<(u32, u32)> = Vec::with_capacity(self.types.subjects.len());
        types.extend(std::mem::take(&mut self.types).into_iter());
        if !types.is_sorted() {
            types.sort_unstable();
        }
        types.dedup();
        let labels = types.len() as u64;
        let (mut tables, of_tables) = Tables::of(&self.terms, types, &self.classes, &self.predicates);
        let terms = std::mem::take(&mut self.terms);
        // What tells of a relationship needs it as a node.
        let mut text = String::new();
        let mut is_said = |number: usize| {
            terms.read(number as u32, &mut text);
            said::number_of(&text).is_some()
        };
        if !self.said.is_empty() && (0..terms.len()).any(&mut is_said) {
            return Err(Refused::Unfit);
        }
        let mut reified = self.said.by_predicate()?;
        let sayings = std::mem::take(&mut self.said).in_order();
        let mut columns = columns::of_terms(&terms, of_tables, how.threads);
        let nodes = terms.len() as u64;
        drop(terms);
        // Columns, and the literals that no column holds.
        let work = std::mem::take(&mut self.predicates);
        let (left, written) = columns::of_predicates(work, &tables, &self.cancel, how.threads)?;
        let mut further = Vec::with_capacity(left.len());
        for (number, (mut predicate, (own, more))) in (0..).zip(left.into_iter().zip(written)) {
            own.into_iter().for_each(|(table, column)| columns[table].push(column));
            predicate.reified = reified.remove(&number).unwrap_or_default();
            further.push((predicate, more));
        }
        let (literals, table) = columns::literal_nodes(&further, &mut tables, &mut columns)?;
        let literal_count = literals.len() as u64;
        let further = literals.into_edges(further, table);
        let graphs = std::mem::take(&mut self.graphs);
        let edges = Mutex::new(Vec::<NumberedEdges>::new());
        let failed = in_parallel(further, how.threads, |(predicate, more)| {
            if self.cancel.is_cancelled() {
                return Err(Refused::Failed(LoadError::Cancelled));
            }
            let made = edges::of_predicate(predicate, more, &tables, &graphs, &sayings)?;
            edges.lock().unwrap_or_else(PoisonError::into_inner).extend(made);
            Ok(())
        });
        failed.into_iter().collect::<Result<(), _>>()?;
        let edges = edges.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut counts = StatementCounts {
            nodes: nodes + literal_count,
            edges: 0,
            properties: columns.iter().flatten().map(columns::Made::values).sum(),
            labels: labels + literal_count,
        };
        let nodes = columns::into_nodes(tables, columns);
        let main = build_numbered(nodes, edges, how)?;
        let (schema, statistics) = (&main.catalog.schema, &main.catalog.statistics);
        counts.edges = schema.edge_table_ids().map(|table| statistics.edges(table)).sum();
        Ok((main, counts))
    }
}
