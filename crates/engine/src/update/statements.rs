//! Statements of RDF that come and go: terms in, changes of nodes, labels, properties and edges out.
//!
//! 1. Subjects and objects that are IRIs, blank nodes or triple terms are looked up by `@id`; those that are
//!    not there become nodes, with all labels that the same clause gives them: so they get the right table.
//! 2. `rdf:type` with an IRI, in the default graph, is a label.
//! 3. A literal in the default graph becomes the property, if the subject has none of that name; a further
//!    one, and one in a named graph, becomes an edge to the node that stands for it.
//! 4. All else are edges, with `@graph` where they are in a named graph.
//!
//! What is about a relationship is its property (`said.rs`).
//!
//! A statement that is there already changes nothing, and so does one whose terms cannot stand where they do.
//! What is deleted is found as a query finds it.
//!
//! Source: `docs/design/one-graph.md`; Poseidon §2–4.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError};

use trimorph_algebra::{Change, StatementVars, VarId};
use trimorph_base::NodeId;
use trimorph_catalog::CatalogView;
use trimorph_store::Reader;
use trimorph_store::statements::{Asked, Found, Graphs, Known, Statements};
use trimorph_types::iri_names::{GRAPH, ID, LITERAL_LABEL, LITERAL_VALUE, TRIPLE_LABEL, is_hidden, name_of};
use trimorph_types::{Grouping, Relationship, Value, rdf};

use super::changes::{ByKey, Sets};
use super::labels::{Labels, NodeLabels};
use super::moves::ByLabels;
use super::rows::Rows;
use super::said::Sayings;
use super::second_literals::next_literals;
use super::written::{Written, holds, without};
use super::{Statement, Writing};
use crate::{Error, SideEffects};

/// The variables of rows made here.
const FROM: VarId = VarId(0);
const TO: VarId = VarId(1);

/// The ends of an edge, and the graph it is in or null.
type NewEdge = (NodeId, NodeId, Value);

/// What tells edges of one clause apart.
type EdgeKey = (NodeId, Arc<str>, NodeId, Option<Arc<str>>);

/// Whether a value is an IRI as a term, not a blank node nor a triple term.
fn is_iri(term: &Value) -> bool {
    matches!(term, Value::Iri(iri) if !iri.starts_with("_:") && !iri.starts_with("<<("))
}

/// Whether a term can be a subject.
fn is_subject(term: &Value) -> bool {
    matches!(term, Value::Iri(iri) if !iri.starts_with("<<("))
}

fn is_literal(term: &Value) -> bool {
    !matches!(term, Value::Null | Value::Iri(_) | Value::Node(_)) && rdf::datatype(term).is_some()
}

/// The variables of statements that are given.
const GIVEN: StatementVars =
    StatementVars { subject: VarId(0), predicate: VarId(1), object: VarId(2), graph: Some(VarId(3)) };

impl Statement<'_> {
    /// Inserts statements that are given, or deletes them: subject, predicate, object, and graph or null.
    ///
    /// **Errors**: as [`Self::run`]'s.
    pub(crate) fn run_data(
        &self,
        writing: &mut Writing,
        insert: bool,
        data: Vec<[Value; 4]>,
    ) -> Result<SideEffects, Error> {
        writing.effects = SideEffects::default();
        writing.unstated.clear();
        let mut rows = Rows::of((0..4).map(VarId).collect());
        data.into_iter().for_each(|one| rows.push(one.into_iter()));
        let change = if insert { Change::InsertStatement(GIVEN) } else { Change::DeleteStatement(GIVEN) };
        writing.inserts_data(insert);
        self.changed(writing, rows, &[change])?;
        writing.inserts_data(false);
        self.end_clause(writing)?;
        self.delete_unstated(writing)?;
        self.check_deleted(writing)?;
        Ok(writing.effects)
    }

    /// The statements of rows that can be ones, each once.
    fn written(&self, reader: &Reader<'_>, rows: &Rows, vars: StatementVars) -> Result<Vec<Written>, Error> {
        let mut all = Vec::new();
        for row in 0..rows.len() {
            self.check(row)?;
            let term = |var: VarId| reader.term_of(rows.value(var, row));
            let subject = term(vars.subject);
            let (Value::Iri(predicate), true) = (term(vars.predicate), is_subject(&subject)) else {
                continue;
            };
            let graph = match vars.graph.map(term) {
                None | Some(Value::Null) => None,
                Some(graph) if !is_subject(&graph) => continue,
                Some(Value::Iri(graph)) => Some(graph),
                Some(_) => continue,
            };
            let object = rdf::normalise(term(vars.object));
            let is_object = matches!(object, Value::Iri(_)) || is_literal(&object);
            if !is_iri(&Value::Iri(Arc::clone(&predicate))) || !is_object {
                continue;
            }
            all.push(Written { subject, predicate, object, graph });
        }
        Ok(all)
    }

    /// Who makes the first node with an IRI, or the first literal, changes what others have looked for in
    /// vain.
    fn note_names(&self, writing: &Writing) {
        let base = writing.base(self.shared);
        let catalog = base.catalog();
        let mut known = self.shared.names_relied.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.as_ref().is_some_and(|(of, _)| std::ptr::eq(of.as_ptr(), Arc::as_ptr(catalog))) {
            let view = CatalogView::new(catalog);
            view.node_columns(Some(&[Arc::from(ID), Arc::from(LITERAL_VALUE)]));
            view.node_table_count();
            view.edge_tables(None);
            // Made of all edge tables, and the same for each statement until something is declared.
            *known = Some((Arc::downgrade(catalog), Arc::new(view.reliances())));
        }
        if let Some((_, reliances)) = &*known {
            writing.note_plan(reliances);
        }
    }

    /// Inserts the statements of rows.
    pub(super) fn insert_statements(
        &self,
        writing: &mut Writing,
        rows: &Rows,
        vars: StatementVars,
    ) -> Result<(), Error> {
        self.note_names(writing);
        let mut statements = {
            let snapshot = writing.snapshot_within(writing.base(self.shared));
            self.written(&Reader::new(&snapshot), rows, vars)?
        };
        let sayings = self.take_said(writing, &mut statements)?;
        self.set_said(writing, sayings)?;
        let labels = labels_of(&statements);
        let mut nodes = self.nodes_of(writing, &statements, &labels)?;
        self.add_labels(writing, &mut nodes, &labels)?;
        let edges = self.insert_literals(writing, &nodes, statements)?;
        self.insert_edges(writing, &nodes, edges)
    }

    /// The nodes of all subjects and objects; those that are not there are made.
    fn nodes_of(
        &self,
        writing: &mut Writing,
        statements: &[Written],
        labels: &BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
    ) -> Result<HashMap<Arc<str>, NodeId>, Error> {
        let mut nodes: HashMap<Arc<str>, NodeId> = HashMap::new();
        let mut missing: BTreeSet<Arc<str>> = BTreeSet::new();
        {
            let snapshot = writing.snapshot_within(writing.base(self.shared));
            let reader = Reader::new(&snapshot);
            let objects = statements.iter().filter(|one| !is_label(one)).map(|one| &one.object);
            for (at, term) in statements.iter().map(|one| &one.subject).chain(objects).enumerate() {
                self.check(at)?;
                let Value::Iri(iri) = term else { continue };
                if nodes.contains_key(iri) || missing.contains(iri) {
                    continue;
                }
                match reader.node_of_iri(iri) {
                    Some(node) => _ = nodes.insert(Arc::clone(iri), node),
                    None => _ = missing.insert(Arc::clone(iri)),
                }
            }
        }
        let mut by_labels: BTreeMap<Vec<Arc<str>>, Vec<Arc<str>>> = BTreeMap::new();
        for iri in missing {
            let mut own: Vec<Arc<str>> = labels.get(&iri).into_iter().flatten().cloned().collect();
            if iri.starts_with("<<(") {
                own.push(TRIPLE_LABEL.into());
            }
            own.sort();
            by_labels.entry(own).or_default().push(iri);
        }
        for (labels, iris) in by_labels {
            let ids = iris.iter().map(|iri| Value::Iri(Arc::clone(iri))).collect();
            let values = ByKey::from_iter([(Arc::from(ID), ids)]);
            let made = self.create_nodes(writing, &labels, iris.len(), values)?;
            let made = made
                .into_iter()
                .filter_map(|node| if let Value::Node(node) = node { Some(node) } else { None });
            nodes.extend(iris.into_iter().zip(made));
        }
        Ok(nodes)
    }

    /// Nodes that were there get the labels that they have not: they move to the tables of these, if that may
    /// be and costs little, or keep them as an overlay.
    fn add_labels(
        &self,
        writing: &mut Writing,
        nodes: &mut HashMap<Arc<str>, NodeId>,
        labels: &BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
    ) -> Result<(), Error> {
        let mut missing: Vec<(&Arc<str>, NodeLabels)> = Vec::new();
        let mut elsewhere = ByLabels::new();
        {
            let snapshot = writing.snapshot_within(writing.base(self.shared));
            let reader = Reader::new(&snapshot);
            for (iri, labels) in labels {
                let Some(node) = nodes.get(iri) else { continue };
                let mut all = reader.labels(*node);
                let come: Vec<_> = labels.iter().filter(|label| !all.contains(label)).cloned().collect();
                if come.is_empty() {
                    continue;
                }
                if writing.may_move {
                    all.extend(come.iter().cloned());
                    all.sort();
                    elsewhere.entry(all).or_default().push(*node);
                }
                missing.push((iri, (*node, come.into())));
            }
        }
        let moved = match elsewhere.is_empty() {
            true => HashMap::new(),
            false => self.move_labelled(writing, elsewhere)?,
        };
        let mut by_labels: BTreeMap<Labels, Vec<Value>> = BTreeMap::new();
        for (iri, (node, come)) in missing {
            match moved.get(&node) {
                Some(new) => {
                    writing.effects.labels_added += come.len() as u64;
                    nodes.insert(Arc::clone(iri), *new);
                }
                None => by_labels.entry(come).or_default().push(Value::Node(node)),
            }
        }
        for (labels, nodes) in by_labels {
            self.set_labels(writing, &rows_of(FROM, nodes), FROM, &labels, true)?;
        }
        Ok(())
    }

    /// Sets the properties that literals become; gives what are to be edges.
    fn insert_literals(
        &self,
        writing: &mut Writing,
        nodes: &HashMap<Arc<str>, NodeId>,
        statements: Vec<Written>,
    ) -> Result<Vec<Written>, Error> {
        let mut sets = Sets::default();
        let mut edges = Vec::new();
        {
            let snapshot = writing.snapshot_within(writing.base(self.shared));
            let reader = Reader::new(&snapshot);
            let known_shape = Known::of(&reader);
            let finder = Statements::new(&reader, &known_shape);
            let mut pending: HashMap<(NodeId, Arc<str>), Value> = HashMap::new();
            for (at, one) in statements.into_iter().enumerate() {
                self.check(at)?;
                if is_label(&one) {
                    continue;
                }
                let Value::Iri(subject) = &one.subject else { continue };
                let Some(node) = nodes.get(subject).copied() else { continue };
                if one.graph.is_some() || !is_literal(&one.object) {
                    edges.push(one);
                    continue;
                }
                let name: Arc<str> = name_of(&one.predicate).into();
                let key = (node, Arc::clone(&name));
                let known = match pending.get(&key) {
                    Some(value) => value.clone(),
                    None => reader.node_property(node, &name),
                };
                if known.is_null() && !is_hidden(&name) {
                    // A literal that came second is an edge still where the first one was deleted.
                    if finder.has_edges(node, &one.predicate)
                        && !find(&finder, &one, node, &one.object).is_empty()
                    {
                        continue;
                    }
                    let value = trimorph_store::statements::stored(&one.object);
                    pending.insert(key, value.clone());
                    self.put(&mut sets, &Value::Node(node), name, value)?;
                } else if !holds(&known, &one.object) {
                    edges.push(one);
                }
            }
        }
        self.set(writing, sets)?;
        Ok(edges)
    }

    fn insert_edges(
        &self,
        writing: &mut Writing,
        nodes: &HashMap<Arc<str>, NodeId>,
        statements: Vec<Written>,
    ) -> Result<(), Error> {
        if statements.is_empty() {
            return Ok(());
        }
        let literals = self.literal_nodes(writing, &statements)?;
        let mut by_type: BTreeMap<(Arc<str>, bool), Vec<NewEdge>> = BTreeMap::new();
        {
            let snapshot = writing.snapshot_within(writing.base(self.shared));
            let reader = Reader::new(&snapshot);
            let known = Known::of(&reader);
            let finder = Statements::new(&reader, &known);
            let mut seen: HashSet<EdgeKey> = HashSet::new();
            for (at, one) in statements.into_iter().enumerate() {
                self.check(at)?;
                let Value::Iri(subject) = &one.subject else { continue };
                let Some(from) = nodes.get(subject).copied() else { continue };
                let to = match &one.object {
                    Value::Iri(iri) => nodes.get(iri).copied(),
                    literal => literals.get(&Grouping(literal.clone())).copied(),
                };
                let Some(to) = to else { continue };
                let end = if is_literal(&one.object) { one.object.clone() } else { Value::Node(to) };
                if !seen.insert((from, Arc::clone(&one.predicate), to, one.graph.clone())) {
                    continue;
                }
                if find(&finder, &one, from, &end)
                    .iter()
                    .any(|found| found.edge.is_some_and(|edge| edge.end == to))
                {
                    continue;
                }
                let graph = one.graph.map_or(Value::Null, Value::Iri);
                let key = (Arc::from(name_of(&one.predicate)), !graph.is_null());
                by_type.entry(key).or_default().push((from, to, graph));
            }
        }
        for ((name, in_graph), edges) in by_type {
            let mut rows = rows_of(FROM, edges.iter().map(|(from, _, _)| Value::Node(*from)).collect());
            rows.set(TO, edges.iter().map(|(_, to, _)| Value::Node(*to)).collect());
            let mut values = ByKey::new();
            if in_graph {
                values.insert(GRAPH.into(), edges.into_iter().map(|(_, _, graph)| graph).collect());
            }
            self.create_edges(writing, &name, (&rows, FROM, TO), values)?;
        }
        Ok(())
    }

    /// The nodes that stand for the literals of statements; those that are not there are made.
    fn literal_nodes(
        &self,
        writing: &mut Writing,
        statements: &[Written],
    ) -> Result<HashMap<Grouping, NodeId>, Error> {
        let mut nodes: HashMap<Grouping, NodeId> = HashMap::new();
        let mut missing: Vec<Value> = Vec::new();
        {
            let snapshot = writing.snapshot_within(writing.base(self.shared));
            let reader = Reader::new(&snapshot);
            let mut seen: HashSet<Grouping> = HashSet::new();
            for literal in statements.iter().map(|one| &one.object).filter(|object| is_literal(object)) {
                if !seen.insert(Grouping(literal.clone())) {
                    continue;
                }
                match reader.node_of_literal(literal) {
                    Some(node) => _ = nodes.insert(Grouping(literal.clone()), node),
                    None => missing.push(literal.clone()),
                }
            }
        }
        if missing.is_empty() {
            return Ok(nodes);
        }
        let values = ByKey::from_iter([(Arc::from(LITERAL_VALUE), missing.clone())]);
        let made = self.create_nodes(writing, &[LITERAL_LABEL.into()], missing.len(), values)?;
        for (literal, node) in missing.into_iter().zip(made) {
            if let Value::Node(node) = node {
                nodes.insert(Grouping(literal), node);
            }
        }
        Ok(nodes)
    }

    /// Deletes the statements of rows.
    pub(super) fn delete_statements(
        &self,
        writing: &mut Writing,
        rows: &Rows,
        vars: StatementVars,
    ) -> Result<(), Error> {
        self.note_names(writing);
        let mut edges: Vec<Relationship> = Vec::new();
        let mut sayings = Sayings::default();
        let mut labels: BTreeMap<Arc<str>, Vec<Value>> = BTreeMap::new();
        let mut values: BTreeMap<(NodeId, Arc<str>), Value> = BTreeMap::new();
        {
            let snapshot = writing.snapshot_within(writing.base(self.shared));
            let reader = Reader::new(&snapshot);
            let known = Known::of(&reader);
            let finder = Statements::new(&reader, &known);
            for one in self.written(&reader, rows, vars)? {
                let Value::Iri(subject) = &one.subject else { continue };
                let object = match &one.object {
                    Value::Iri(iri) => reader.entity_of_iri(iri).unwrap_or_else(|| one.object.clone()),
                    literal => literal.clone(),
                };
                let subject = match reader.entity_of_iri(subject) {
                    Some(Value::Node(node)) => node,
                    Some(Value::Relationship(edge)) => {
                        self.unsay(&mut sayings, edge, &one, &object, &reader);
                        continue;
                    }
                    _ => continue,
                };
                for found in find(&finder, &one, subject, &object) {
                    match found.edge {
                        Some(edge) => edges.push(edge),
                        None if *one.predicate == *rdf::names::rdf::TYPE && !is_literal(&one.object) => {
                            if let Value::Iri(class) = &one.object {
                                let label = Arc::from(name_of(class));
                                labels.entry(label).or_default().push(Value::Node(subject));
                            }
                        }
                        None => {
                            let name: Arc<str> = name_of(&one.predicate).into();
                            let now = values
                                .get(&(subject, Arc::clone(&name)))
                                .cloned()
                                .unwrap_or_else(|| reader.node_property(subject, &name));
                            values.insert((subject, name), without(&now, &one.object));
                        }
                    }
                }
            }
        }
        self.set_said(writing, sayings)?;
        edges.sort_unstable();
        edges.dedup();
        if !values.is_empty() {
            let snapshot = writing.snapshot_within(writing.base(self.shared));
            let reader = Reader::new(&snapshot);
            let known = Known::of(&reader);
            let finder = Statements::new(&reader, &known);
            let mut moved = next_literals(&finder, &reader, &mut values, &edges);
            edges.append(&mut moved);
        }
        writing.unstated.extend(edges.iter().flat_map(|edge| [edge.start, edge.end]));
        writing.unstated.extend(values.keys().map(|(node, _)| *node));
        let unlabelled = labels.values().flatten();
        writing.unstated.extend(unlabelled.filter_map(|node| match node {
            Value::Node(node) => Some(*node),
            _ => None,
        }));
        writing.has_deleted |= !edges.is_empty();
        self.delete_edges(writing, &edges)?;
        for (label, nodes) in labels {
            self.set_labels(writing, &rows_of(FROM, nodes), FROM, &[label], false)?;
        }
        let mut sets = Sets::default();
        for ((node, name), value) in values {
            self.put(&mut sets, &Value::Node(node), name, value)?;
        }
        self.set(writing, sets)
    }
}

/// Whether a statement is a label.
fn is_label(one: &Written) -> bool {
    one.graph.is_none()
        && *one.predicate == *rdf::names::rdf::TYPE
        && is_iri(&one.object)
        && matches!(&one.object, Value::Iri(class) if !is_hidden(&name_of(class)))
}

/// The labels that statements give, by subject.
fn labels_of(statements: &[Written]) -> BTreeMap<Arc<str>, BTreeSet<Arc<str>>> {
    let mut labels: BTreeMap<Arc<str>, BTreeSet<Arc<str>>> = BTreeMap::new();
    for one in statements.iter().filter(|one| is_label(one)) {
        if let (Value::Iri(subject), Value::Iri(class)) = (&one.subject, &one.object) {
            labels.entry(Arc::clone(subject)).or_default().insert(name_of(class).into());
        }
    }
    labels
}

/// Rows with one variable.
fn rows_of(var: VarId, values: Vec<Value>) -> Rows {
    let mut rows = Rows::of(vec![var]);
    values.iter().for_each(|value| rows.push(std::iter::once(value.clone())));
    rows
}

/// The places where a statement is.
fn find(finder: &Statements<'_, '_>, one: &Written, subject: NodeId, object: &Value) -> Vec<Found> {
    let asked = Asked {
        subject: Some(Value::Node(subject)),
        predicate: Some(Arc::clone(&one.predicate)),
        object: Some(object.clone()),
    };
    let graphs = one.graph.as_ref().map_or(Graphs::Default, |graph| Graphs::One(Arc::clone(graph)));
    let mut all = Vec::new();
    let _ = finder.find(&asked, &graphs, &mut |found| {
        all.push(found);
        ControlFlow::Continue(())
    });
    all
}
