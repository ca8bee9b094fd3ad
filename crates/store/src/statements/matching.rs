//! The statements that agree with what is given: by subject where it is given, else by object, else by a
//! scan.
//!
//! 1. A subject has its labels, its properties and its lists of edges.
//! 2. An object that is a node is reached by the lists of edges backwards; one that is a class also by the
//!    tables with its label.
//! 3. A literal is looked for in each column that may have it (`literals`); and the node that stands for it
//!    is reached as any object.
//! 4. Else each node of the tables that may have statements of the predicate is a subject, and so are the
//!    relationships that leave it.
//!
//! A statement is found once for each place where it is. What is read is noted by whom it is read through.

use std::cell::{OnceCell, RefCell};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use trimorph_base::{NodeId, TableId};
use trimorph_catalog::{EdgeShape, Places, PredicateSet, StatementShape};
use trimorph_storage::PlacesOfRows;
use trimorph_types::iri_names::{iri_of, is_hidden, name_of};
use trimorph_types::{LogicalType, Relationship, Value, equivalent, rdf};

use crate::neighbours::Neighbours;
use crate::{PropertyColumn, Reader};

/// Rows that are looked at in one go.
const RUN: u64 = 1_024;

/// What is given of a statement; `None` is free. A subject and an object are nodes where there are such.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The subject.
    pub subject: Option<Value>,
    /// The predicate's IRI.
    pub predicate: Option<Arc<str>>,
    /// The object.
    pub object: Option<Value>,
}

/// Which graphs statements are taken from.
#[derive(Clone, Debug)]
pub enum Graphs {
    /// The default graph.
    Default,
    /// These, as one: a statement that is in several counts once.
    Union(Arc<[Arc<str>]>),
    /// This one.
    One(Arc<str>),
    /// Each named graph by itself, or each of these.
    Named(Option<Arc<[Arc<str>]>>),
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Found {
    /// A node, or a relationship with properties.
    pub subject: Value,
    /// An IRI.
    pub predicate: Arc<str>,
    /// A node, an IRI that has no node, or a literal.
    pub object: Value,
    /// The named graph it is in; none for the default graph.
    pub graph: Option<Arc<str>>,
    /// The edge, where it is one.
    pub edge: Option<Relationship>,
}

/// Takes statements.
pub(super) type Sink<'a> = dyn FnMut(Found) -> ControlFlow<()> + 'a;

/// What is known of one version of the data before statements are looked for, and need not be asked again.
#[derive(Debug)]
pub struct Known {
    shape: Arc<StatementShape>,
    /// Classes by label, as terms.
    classes: RefCell<FxHashMap<Arc<str>, Value>>,
    /// By node table, the predicates and edge tables whose edges may lead there.
    pub(super) leading: RefCell<FxHashMap<TableId, Leading>>,
    /// By node table, how many edge tables lead there in main.
    pub(super) leading_counts: RefCell<FxHashMap<TableId, usize>>,
    /// By node table, segment and direction, the places of rows, where none has changed.
    pub(super) sets: RefCell<FxHashMap<(TableId, u64, bool), PlacesOfRows>>,
    /// By edge table, the graphs by how their names lie.
    pub(super) graphs: RefCell<FxHashMap<usize, StoredNames>>,
    /// The tables whose nodes stand for literals.
    literal_tables: OnceCell<Box<[TableId]>>,
    /// All named graphs, where they are few and nothing was written to them.
    pub(super) few_graphs: OnceCell<Option<FxHashSet<Arc<str>>>>,
}

/// Names by the number of their segment and their bytes there.
pub(super) type StoredNames = FxHashMap<usize, FxHashMap<Box<[u8]>, Option<Arc<str>>>>;

pub(super) type Leading = Arc<[(Arc<str>, EdgeShape)]>;

/// Columns and edge tables of a predicate, of those from one node table.
#[derive(Clone, Copy)]
pub(super) struct Asking<'a> {
    pub(super) predicate: &'a Arc<str>,
    pub(super) columns: &'a [usize],
    pub(super) edges: &'a [EdgeShape],
}

impl Known {
    /// For readers of the same snapshot as this one.
    pub fn of(reader: &Reader<'_>) -> Self {
        let shape = reader.catalog().statement_shape();
        Self {
            shape,
            classes: RefCell::default(),
            leading: RefCell::default(),
            leading_counts: RefCell::default(),
            sets: RefCell::default(),
            graphs: RefCell::default(),
            literal_tables: OnceCell::new(),
            few_graphs: OnceCell::new(),
        }
    }
}

/// Finds statements through a reader.
pub struct Statements<'r, 's> {
    reader: &'r Reader<'s>,
    pub(super) known: &'r Known,
    /// Which predicates are meant, where none is given.
    pub(super) among: Option<&'r PredicateSet>,
}

impl Graphs {
    pub(super) fn has_default(&self) -> bool {
        matches!(self, Self::Default)
    }

    /// Whether an edge in such a graph counts.
    pub(super) fn has(&self, graph: Option<&str>) -> bool {
        let among = |all: &[Arc<str>], name: &str| all.iter().any(|own| **own == *name);
        match (self, graph) {
            (Self::Default, None) => true,
            (Self::Union(all), Some(name)) => among(all, name),
            (Self::One(own), Some(name)) => **own == *name,
            (Self::Named(all), Some(name)) => all.as_ref().is_none_or(|all| among(all, name)),
            _ => false,
        }
    }
}

impl<'r, 's> Statements<'r, 's> {
    /// Nothing is read yet.
    pub fn new(reader: &'r Reader<'s>, known: &'r Known) -> Self {
        Self { reader, known, among: None }
    }

    /// The same, of which only statements with such predicates are found where none is given.
    #[must_use]
    pub fn among(self, among: Option<&'r PredicateSet>) -> Self {
        Self { among, ..self }
    }

    /// Whether statements of a predicate are meant where none is given.
    pub(super) fn is_meant(&self, iri: &str) -> bool {
        self.among.is_none_or(|among| among.has(iri))
    }

    /// Whether statements of a predicate are meant.
    pub(super) fn asks(&self, predicate: Option<&Arc<str>>, iri: &str) -> bool {
        predicate.map_or_else(|| self.is_meant(iri), |own| **own == *iri)
    }

    pub(super) fn shape(&self) -> &'r StatementShape {
        &self.known.shape
    }

    /// What it reads through.
    pub(super) fn reader(&self) -> &'r Reader<'s> {
        self.reader
    }

    /// Hands over all statements that agree, until `sink` breaks. Objects are in term form.
    ///
    /// **Cost**: what [module documentation](self) says; nothing is planned.
    pub fn find(&self, asked: &Asked, graphs: &Graphs, sink: &mut Sink<'_>) -> ControlFlow<()> {
        match graphs {
            Graphs::Union(all) if all.len() > 1 => {
                let mut seen = HashSet::new();
                self.find_all(asked, graphs, &mut |found| {
                    let term = |entity: &Value| Ok::<_, ()>(self.reader.term_of(entity));
                    let mut key = format!("{} ", found.predicate);
                    let _ = rdf::write_nt(&mut key, &found.subject, &mut { term });
                    key.push(' ');
                    let _ = rdf::write_nt(&mut key, &found.object, &mut { term });
                    if seen.insert(key) { sink(found) } else { ControlFlow::Continue(()) }
                })
            }
            _ => self.find_all(asked, graphs, sink),
        }
    }

    fn find_all(&self, asked: &Asked, graphs: &Graphs, sink: &mut Sink<'_>) -> ControlFlow<()> {
        match (&asked.subject, &asked.object) {
            (Some(Value::Node(subject)), object) => {
                self.of_subject(*subject, asked.predicate.as_ref(), object.as_ref(), graphs, sink)
            }
            (Some(Value::Relationship(subject)), object) => {
                self.of_relationship(*subject, asked.predicate.as_ref(), object.as_ref(), graphs, sink)
            }
            // No statement is about anything else.
            (Some(_), _) => ControlFlow::Continue(()),
            (None, Some(object)) => self.of_object(asked.predicate.as_ref(), object, graphs, sink),
            (None, None) => self.scan(asked.predicate.as_ref(), graphs, sink),
        }
    }

    /// A class as a term, by its label.
    pub(super) fn class(&self, label: &Arc<str>) -> Value {
        if let Some(class) = self.known.classes.borrow().get(label) {
            return class.clone();
        }
        let class = self.entity(&iri_of(label));
        self.known.classes.borrow_mut().insert(Arc::clone(label), class.clone());
        class
    }

    /// An IRI as a term: the node or relationship that it is, if there is one.
    pub(super) fn entity(&self, iri: &str) -> Value {
        self.reader.entity_of_iri(iri).unwrap_or_else(|| Value::iri(iri))
    }

    /// An object that an edge leads to.
    pub(super) fn object_of(&self, node: NodeId) -> Value {
        if self.reader.stands_for_literals(node.table()) {
            return self.reader.term_of_node(node);
        }
        Value::Node(node)
    }

    fn of_subject(
        &self,
        subject: NodeId,
        predicate: Option<&Arc<str>>,
        object: Option<&Value>,
        graphs: &Graphs,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let agrees = |value: &Value| object.is_none_or(|wanted| equivalent(wanted, value));
        let in_columns = graphs.has_default() && object.is_none_or(is_in_columns);
        if graphs.has_default() && self.asks(predicate, rdf::names::rdf::TYPE) {
            for label in self.reader.labels(subject).into_iter().filter(|label| !is_hidden(label)) {
                let class = self.class(&label);
                if agrees(&class) {
                    let (subject, predicate) = (Value::Node(subject), rdf_type());
                    sink(Found { subject, predicate, object: class, graph: None, edge: None })?;
                }
            }
        }
        // The node that an edge must lead to, none where it is any; it is looked for where there are edges.
        let mut known_end = None;
        self.each_own(subject, predicate, |own| {
            for column in if in_columns { own.columns } else { &[] } {
                let values = PropertyColumn::of_nodes(subject.table(), *column, self.reader);
                // A column of another type is not read.
                if let (Some(wanted), Some(ty)) = (object, values.certain_type())
                    && !may_have(ty, wanted)
                {
                    continue;
                }
                each_literal(values.value(subject.row()), &mut |object| {
                    if !agrees(&object) {
                        return ControlFlow::Continue(());
                    }
                    let (subject, predicate) = (Value::Node(subject), Arc::clone(own.predicate));
                    sink(Found { subject, predicate, object, graph: None, edge: None })
                })?;
            }
            // The node that a literal is has to be searched for.
            if !own.edges.iter().any(|shape| self.may_end_in(shape, object)) {
                return ControlFlow::Continue(());
            }
            match known_end.get_or_insert_with(|| self.end_of(object)) {
                Some(end) => self.of_lists(subject, own, object, *end, graphs, sink),
                None => ControlFlow::Continue(()),
            }
        })
    }

    /// Whether edges of a table may lead to an object.
    fn may_end_in(&self, shape: &EdgeShape, object: Option<&Value>) -> bool {
        match object {
            None => true,
            Some(Value::Node(node)) => self.reader.may_lead_to(shape.at, node.table()),
            Some(Value::Iri(_)) => false,
            Some(_) => self.literal_tables().iter().any(|table| self.reader.may_lead_to(shape.at, *table)),
        }
    }

    /// The tables whose nodes stand for literals.
    fn literal_tables(&self) -> &[TableId] {
        let tables = || self.reader.schema().table_ids();
        self.known
            .literal_tables
            .get_or_init(|| tables().filter(|table| self.reader.stands_for_literals(*table)).collect())
    }

    /// The node that edges to an object lead to: any, where none is asked for; none where it is no node's.
    fn end_of(&self, object: Option<&Value>) -> Option<Option<NodeId>> {
        match object {
            None => Some(None),
            Some(Value::Node(node)) => Some(Some(*node)),
            Some(Value::Iri(_)) => None,
            Some(literal) => self.reader.node_of_literal(literal).map(Some),
        }
    }

    /// The statements that lists of a subject are.
    fn of_lists(
        &self,
        subject: NodeId,
        own: Asking<'_>,
        object: Option<&Value>,
        end: Option<NodeId>,
        graphs: &Graphs,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        for shape in own.edges {
            // Edges that are in no graph are in the default graph only.
            if shape.graph.is_none() && !graphs.has_default() {
                continue;
            }
            if end.is_some_and(|end| !self.reader.may_lead_to(shape.at, end.table())) {
                continue;
            }
            let lists = Neighbours::all(self.reader, shape.at, true, subject.table());
            let (mut nodes, mut edges) = (Vec::new(), Vec::new());
            match end {
                Some(end) => lists.between(subject, end, true, |edge| {
                    nodes.push(end);
                    edges.push(edge);
                }),
                None => lists.append(subject, &mut nodes, Some(&mut edges)),
            }
            for (node, id) in nodes.into_iter().zip(edges) {
                let graph = self.graph_of(shape, id);
                if graphs.has(graph.as_deref()) {
                    let value = object.cloned().unwrap_or_else(|| self.object_of(node));
                    let edge = Some(Relationship { id, start: subject, end: node });
                    let (subject, predicate) = (Value::Node(subject), Arc::clone(own.predicate));
                    sink(Found { subject, predicate, object: value, graph, edge })?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn of_object(
        &self,
        predicate: Option<&Arc<str>>,
        object: &Value,
        graphs: &Graphs,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let class = match object {
            Value::Node(node) => match self.reader.term_of_node(*node) {
                Value::Iri(iri) => Some(iri),
                _ => None,
            },
            Value::Iri(iri) => Some(Arc::clone(iri)),
            _ => None,
        };
        let is_type = self.asks(predicate, rdf::names::rdf::TYPE);
        if let Some(class) = class.filter(|_| is_type && graphs.has_default()) {
            self.of_class(&name_of(&class), object, sink)?;
        }
        let end = match object {
            Value::Node(node) => Some(*node),
            Value::Iri(_) => None,
            literal => {
                if graphs.has_default() {
                    self.of_literal(predicate, literal, sink)?;
                }
                self.reader.node_of_literal(literal)
            }
        };
        if !self.shape().said.is_empty() {
            self.saying(predicate, object, graphs, sink)?;
            self.reifying(predicate, object, graphs, sink)?;
        }
        let Some(end) = end else { return ControlFlow::Continue(()) };
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        self.each_leading(end, predicate, |iri, shape| {
            if shape.graph.is_none() && !graphs.has_default() {
                return ControlFlow::Continue(());
            }
            nodes.clear();
            edges.clear();
            let lists = Neighbours::all(self.reader, shape.at, false, end.table());
            lists.append(end, &mut nodes, Some(&mut edges));
            for (subject, id) in nodes.iter().zip(&edges) {
                let graph = self.graph_of(shape, *id);
                if graphs.has(graph.as_deref()) {
                    let edge = Some(Relationship { id: *id, start: *subject, end });
                    let (subject, predicate) = (Value::Node(*subject), Arc::clone(iri));
                    sink(Found { subject, predicate, object: object.clone(), graph, edge })?;
                }
            }
            ControlFlow::Continue(())
        })
    }

    /// The nodes with a label.
    fn of_class(&self, label: &str, class: &Value, sink: &mut Sink<'_>) -> ControlFlow<()> {
        let schema = self.reader.schema();
        if schema.labels.id(label).is_none() || is_hidden(label) {
            return ControlFlow::Continue(());
        }
        for table in schema.table_ids() {
            let varies = self.reader.labels_vary(table);
            if !varies && !schema.has_label(table, label) {
                continue;
            }
            self.each_node(table, &mut |subject| {
                if varies && !self.reader.labels(subject).iter().any(|own| **own == *label) {
                    return ControlFlow::Continue(());
                }
                let (subject, predicate, object) = (Value::Node(subject), rdf_type(), class.clone());
                sink(Found { subject, predicate, object, graph: None, edge: None })
            })?;
        }
        ControlFlow::Continue(())
    }

    /// All statements of a predicate, or of all.
    fn scan(&self, predicate: Option<&Arc<str>>, graphs: &Graphs, sink: &mut Sink<'_>) -> ControlFlow<()> {
        for table in self.subject_tables(predicate, graphs) {
            self.each_node(table, &mut |node| {
                self.of_subject(node, predicate, None, graphs, sink)?;
                self.of_leaving(node, predicate, graphs, sink)
            })?;
        }
        ControlFlow::Continue(())
    }

    /// The node tables that subjects of such statements may be in.
    pub fn subject_tables(&self, predicate: Option<&Arc<str>>, graphs: &Graphs) -> Vec<TableId> {
        let schema = self.reader.schema();
        let is_type = predicate.is_none_or(|iri| **iri == *rdf::names::rdf::TYPE);
        let mut tables: Vec<TableId> = match predicate {
            Some(_) if !(is_type && graphs.has_default()) => {
                let places = self.places(predicate).map(|(_, places)| places);
                let of = |places: &Places| {
                    let columns = places.columns.iter().map(|(table, _)| *table);
                    let said = places.said.iter().map(|(at, _)| self.shape().said[*at].edges.source);
                    columns
                        .chain(places.edges.iter().map(|shape| shape.source))
                        .chain(said)
                        .collect::<Vec<_>>()
                };
                let mut tables: Vec<TableId> = places.flat_map(of).collect();
                if predicate.is_some_and(|iri| **iri == *rdf::names::rdf::REIFIES) {
                    tables.extend(self.shape().said.iter().map(|said| said.edges.source));
                }
                tables
            }
            _ => schema.table_ids().collect(),
        };
        tables.sort_unstable();
        tables.dedup();
        tables.retain(|table| !self.reader.stands_for_literals(*table));
        tables
    }

    /// Hands over the statements about so many nodes of a table, from one on, and about the relationships
    /// that leave them.
    pub fn of_subjects(
        &self,
        first: NodeId,
        count: u64,
        asked: &Asked,
        graphs: &Graphs,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let end = self.reader.rows(first.table()).min(first.row() + count);
        let len = usize::try_from(end.saturating_sub(first.row())).unwrap_or(0);
        let there = self.reader.existing(first, len);
        let rows = there.unwrap_or_else(|| (0..len as u32).collect());
        rows.into_iter().try_for_each(|row| {
            let subject = NodeId::new(first.table(), first.row() + u64::from(row));
            let asked = Asked { subject: Some(Value::Node(subject)), ..asked.clone() };
            self.find(&asked, graphs, sink)?;
            // An edge is in one graph: what it says is found once.
            self.of_leaving(subject, asked.predicate.as_ref(), graphs, sink)
        })
    }

    /// Whether edges of a predicate leave a node. **Cost**: a look at one list, as a rule.
    pub fn has_edges(&self, node: NodeId, predicate: &Arc<str>) -> bool {
        let has = self.each_own(node, Some(predicate), |own| {
            let lists =
                |shape: &EdgeShape| Neighbours::all(self.reader, shape.at, true, node.table()).list(node);
            match own.edges.iter().any(|shape| lists(shape).len() > 0) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        has.is_break()
    }

    /// The nodes of a table.
    pub fn each_node(
        &self,
        table: TableId,
        visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let end = self.reader.rows(table);
        for first in (0..end).step_by(RUN as usize) {
            let len = RUN.min(end - first) as usize;
            let node = |position: u32| NodeId::new(table, first + u64::from(position));
            match self.reader.existing(NodeId::new(table, first), len) {
                Some(there) => there.into_iter().try_for_each(|position| visit(node(position)))?,
                None => (0..len as u32).try_for_each(|position| visit(node(position)))?,
            }
        }
        ControlFlow::Continue(())
    }
}

/// Whether an object may be the value of a property: it is a literal.
fn is_in_columns(object: &Value) -> bool {
    !matches!(object, Value::Node(_) | Value::Relationship(_) | Value::Iri(_))
}

/// Whether a literal in term form may be in a column whose values are all of a type. The types named here
/// have their own values in term form; those of all others are literals there.
fn may_have(ty: LogicalType, wanted: &Value) -> bool {
    use LogicalType as L;
    let own = match wanted {
        Value::Int(_) => Some(L::Int),
        Value::String(_) => Some(L::String),
        Value::Bool(_) => Some(L::Bool),
        Value::Date(_) => Some(L::Date),
        Value::LocalDateTime(_) => Some(L::LocalDateTime),
        Value::Literal(_) => None,
        _ => return true,
    };
    match ty {
        L::Int | L::String | L::Bool | L::Date | L::LocalDateTime => own == Some(ty),
        L::Float | L::Decimal | L::DateTime => own.is_none(),
        _ => true,
    }
}

/// The predicate of labels.
pub(super) fn rdf_type() -> Arc<str> {
    static TYPE: std::sync::OnceLock<Arc<str>> = std::sync::OnceLock::new();
    Arc::clone(TYPE.get_or_init(|| rdf::names::rdf::TYPE.into()))
}

/// The literals that a property is, in term form: the elements of a list, or itself.
pub(super) fn each_literal(value: Value, visit: &mut dyn FnMut(Value) -> ControlFlow<()>) -> ControlFlow<()> {
    match value {
        Value::Null => ControlFlow::Continue(()),
        Value::List(items) => {
            let mut seen: Vec<Value> = Vec::new();
            for item in items.iter().filter(|item| !item.is_null()) {
                let item = rdf::normalise(item.clone());
                // Statements are a set.
                if !seen.iter().any(|own| equivalent(own, &item)) {
                    seen.push(item.clone());
                    visit(item)?;
                }
            }
            ControlFlow::Continue(())
        }
        value => visit(rdf::normalise(value)),
    }
}

/// A literal as a property holds it.
pub fn stored(literal: &Value) -> Value {
    match literal {
        Value::Literal(literal) => match &literal.kind {
            trimorph_types::LiteralKind::Datatype(datatype) => rdf::literal(&literal.lexical, datatype),
            trimorph_types::LiteralKind::Language(_) => Value::Literal(Arc::clone(literal)),
        },
        other => other.clone(),
    }
}
