//! Basic graph patterns: triple patterns in; edges, properties, labels and statements out.
//!
//! 1. In the default graph a predicate that is only edges between nodes is an edge pattern, one that is only
//!    a property of one type is that property, and `rdf:type` with a class is a label: they make one query
//!    graph, which is planned as Cypher's is. Which it is says the schema, and the plan relies on it.
//! 2. A relationship that reifies such an edge is the edge, and what it says are properties of it
//!    (`reified.rs`).
//! 3. All others are statements, in the order that `statement_order.rs` gives. Between them, the parts of the
//!    query graph that hang together are matched where they join what is bound.
//!
//! Names that are not bound in every row, or stand twice where one value is made, get another name first and
//! are compared behind.
//!
//! Source: design §6 (a pattern is an edge or a property scan where the shape is known); Poseidon §5.

use std::collections::BTreeMap;
use std::sync::Arc;

use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};
use trimorph_algebra::{
    Direction, EdgePattern, EdgeRange, Expr, LabelExpr, NodePattern, Op, Plan, PredicateTerm, QueryGraph,
    VarId,
};
use trimorph_base::{Span, TableId};
use trimorph_catalog::NameKind;
use trimorph_types::iri_names::{GRAPH, is_hidden, name_of as name_of_iri};
use trimorph_types::{LogicalType, Value, rdf};

use super::relation::{Active, Name, Relation, Shape, Slot, Source, call, equal, is_not_null, term_key};
use super::scope::{Names, connected as in_common, names_of};
use super::statement_order::{Connected, Counted, Next, next_of};
use super::triple_terms::{Opened, bound_name, constant_of, made_of};
use super::{Binder, Bound};

/// The predicate of classes.
const TYPE: &str = rdf::names::rdf::TYPE;

/// How a triple pattern is matched.
pub(super) enum Way {
    Label(Arc<str>),
    Edge(Arc<str>),
    Property(Arc<str>, LogicalType),
    /// The subject is the relationship of this type that the object tells of, and says something.
    Reified(Arc<str>),
    /// The subject is one of the pattern's relationships, and this a property of it.
    Said(Arc<str>, LogicalType),
    /// The subject is any relationship of these types, and this a property of it.
    SaidOf(Vec<Arc<str>>, Arc<str>, LogicalType),
    /// Another triple pattern asks for the same.
    Implied,
    Statements,
}

/// What a subject is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Node,
    Relationship,
}

/// Subjects of which that is known.
pub(super) type Kinds = BTreeMap<Name, Kind>;

impl Binder<'_> {
    pub(super) fn triples(
        &mut self,
        mut relation: Relation,
        patterns: &[TriplePattern],
        active: &Active,
    ) -> Bound<Relation> {
        self.with_given(&mut relation, patterns.iter().flat_map(names_of));
        if relation.is_unit()
            && let Some(apart) = self.apart(patterns, active)
        {
            return self.deeper(|own| {
                let mut apart = apart.iter();
                let first = apart.next().map_or(&[][..], Vec::as_slice);
                let first = own.triples_of(relation, first, active, &Kinds::new())?;
                apart.try_fold(first, |left, patterns| {
                    let start = Relation::start(active);
                    let right = own.triples_of(start, patterns, active, &Kinds::new())?;
                    own.join(left, right)
                })
            });
        }
        self.deeper(|own| own.triples_of(relation, patterns, active, &Kinds::new()))
    }

    /// Triple patterns that have nothing in common, where statements are read for several of them: those of
    /// one would be read anew for each row of the other, and no condition could join them.
    fn apart(&mut self, patterns: &[TriplePattern], active: &Active) -> Option<Vec<Vec<TriplePattern>>> {
        let parts = in_common(patterns);
        if parts.len() < 2 {
            return None;
        }
        let labels = labels_asked(patterns);
        let mut is_read = |part: &Vec<TriplePattern>| {
            part.iter().any(|triple| matches!(self.way(triple, active, &labels), Way::Statements))
        };
        let (mut read, others): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| is_read(part));
        if read.is_empty() || read.len() + others.len() < 2 {
            return None;
        }
        if !others.is_empty() {
            read.push(others.into_iter().flatten().collect());
        }
        Some(read)
    }

    /// The same, where of some subjects it is known whether they are nodes or relationships.
    fn triples_of(
        &mut self,
        mut relation: Relation,
        patterns: &[TriplePattern],
        active: &Active,
        kinds: &Kinds,
    ) -> Bound<Relation> {
        let labels = labels_asked(patterns);
        let mut ways: Vec<Way> = patterns.iter().map(|triple| self.way(triple, active, &labels)).collect();
        let open = self.find_reified(&relation, patterns, &mut ways, active, (&labels, kinds));
        if let Some(subject) = open {
            // What either of the two says is found as nodes and relationships are, one after the other.
            return self.either(relation, 2, active, &mut |own, from, at| {
                let mut kinds = kinds.clone();
                kinds.insert(Arc::clone(&subject), [Kind::Node, Kind::Relationship][at]);
                own.deeper(|own| own.triples_of(from.clone(), patterns, active, &kinds))
            });
        }
        let (mut slow, mut fast) = (Vec::new(), Vec::new());
        for (triple, way) in patterns.iter().zip(&ways) {
            match way {
                Way::Statements => slow.push(triple),
                Way::Implied => {}
                way => fast.push((triple, way)),
            }
        }
        let mut rest = slow.into_iter().map(|triple| self.counted(triple, &labels)).collect::<Vec<_>>();
        // Which nodes the parts of a triple term are is asked last: what is told of its reifier leaves few.
        let mut opened: Opened<'_> = Vec::new();
        let mut graphs = connected(&fast);
        for graph in &mut graphs {
            let edges = graph.patterns.iter().filter(|(_, way)| matches!(way, Way::Edge(_)));
            let counts = edges.map(|(triple, _)| self.counted(triple, &labels).counts.all);
            graph.most = counts.fold(0.0, f64::max);
        }
        while !rest.is_empty() {
            match next_of(&relation, &rest, &graphs, &opened) {
                Next::Statements(at) => {
                    let triple = rest.remove(at).triple;
                    self.open_for(&mut relation, &names_of(triple), &mut opened)?;
                    relation = self.statements(relation, triple, active, &mut opened)?;
                }
                Next::Graph(at) => {
                    let graph = graphs.remove(at);
                    self.open_for(&mut relation, &graph.names, &mut opened)?;
                    relation = self.query_graph(relation, &graph.patterns, Direction::Out)?;
                }
                Next::Parts => self.bind_parts(&mut relation, &mut opened)?,
            }
        }
        for graph in &graphs {
            self.open_for(&mut relation, &graph.names, &mut opened)?;
        }
        let left: Vec<_> = graphs.into_iter().flat_map(|graph| graph.patterns).collect();
        relation = self.query_graph(relation, &left, Direction::Out)?;
        self.bind_parts(&mut relation, &mut opened)?;
        Ok(relation)
    }

    /// A triple pattern that is matched by statements, and how many there are.
    fn counted<'p>(&self, triple: &'p TriplePattern, labels: &BTreeMap<Name, LabelExpr>) -> Counted<'p> {
        let predicate = match &triple.predicate {
            NamedNodePattern::NamedNode(iri) => Some(iri.as_str()),
            NamedNodePattern::Variable(_) => None,
        };
        let asked = bound_name(&triple.subject).and_then(|name| labels.get(&name));
        let tables = asked.map(|labels| self.catalog.node_tables_where(|has| labels.matches(has)));
        Counted { triple, counts: self.catalog.statement_counts(predicate, tables.as_deref()) }
    }

    /// How many statements a triple pattern finds where these names are bound, about.
    pub(super) fn found_by(&self, triple: &TriplePattern, bound: &Names) -> f64 {
        let is_known = |term: &TermPattern| bound_name(term).is_none_or(|name| bound.contains(&name));
        let counts = self.counted(triple, &BTreeMap::new()).counts;
        counts.found(is_known(&triple.subject), is_known(&triple.object))
    }

    /// How a triple pattern can be matched.
    pub(super) fn way(
        &mut self,
        triple: &TriplePattern,
        active: &Active,
        labels: &BTreeMap<Name, LabelExpr>,
    ) -> Way {
        let NamedNodePattern::NamedNode(predicate) = &triple.predicate else { return Way::Statements };
        let name: Arc<str> = name_of_iri(predicate.as_str()).into();
        if is_hidden(&name) {
            return Way::Statements;
        }
        let types = [Arc::clone(&name)];
        let edges = self.catalog.edge_tables(Some(&types));
        let is_default = matches!(active, Active::Default) && self.dataset.is_none();
        if predicate.as_str() == TYPE {
            return match &triple.object {
                TermPattern::NamedNode(class) if is_default && edges.is_empty() => {
                    self.note_unknown(NameKind::Label, class.as_str());
                    let label = name_of_iri(class.as_str());
                    if is_hidden(&label) { Way::Statements } else { Way::Label(label.into()) }
                }
                _ => Way::Statements,
            };
        }
        let columns = self.catalog.node_columns(Some(&types));
        if edges.is_empty() && columns.is_empty() {
            let known = [NameKind::Type, NameKind::Property];
            if known.into_iter().all(|kind| !self.catalog.is_known(kind, &name)) {
                self.note_unknown(NameKind::Property, predicate.as_str());
            }
            return Way::Statements;
        }
        if !is_default || matches!(triple.subject, TermPattern::Literal(_) | TermPattern::Triple(_)) {
            return Way::Statements;
        }
        // Only what the subject can be counts.
        let asked = bound_name(&triple.subject).and_then(|name| labels.get(&name));
        let tables = asked.map(|labels| self.catalog.node_tables_where(|has| labels.matches(has)));
        let is_asked = |table: TableId| tables.as_ref().is_none_or(|tables| tables.contains(&table));
        let columns: Vec<_> = columns.into_iter().filter(|(table, _)| is_asked(*table)).collect();
        let edges: Vec<_> =
            edges.iter().copied().filter(|edge| is_asked(self.catalog.source(*edge))).collect();
        match (&columns[..], &edges[..]) {
            ([], [_, ..]) => {
                let graphs = self.catalog.edge_columns(Some(&[Arc::from(GRAPH)]));
                let is_plain = edges.iter().all(|edge| {
                    graphs.iter().all(|(table, _)| table != edge)
                        && self.catalog.targets(*edge).all(|target| {
                            self.catalog.label_names(target).iter().all(|label| !is_hidden(label))
                        })
                });
                match is_plain && !matches!(triple.object, TermPattern::Triple(_) | TermPattern::Literal(_)) {
                    true => Way::Edge(name),
                    false => Way::Statements,
                }
            }
            ([(table, column), others @ ..], []) => {
                let ty = self.catalog.column_type(*table, *column).unwrap_or(LogicalType::Any);
                let same = |(table, column): &(TableId, usize)| {
                    self.catalog.column_type(*table, *column) == Some(ty)
                        && self.catalog.has_one_type(*table, *column)
                };
                let is_plain =
                    !matches!(ty, LogicalType::Any | LogicalType::List | LogicalType::Map | LogicalType::Iri)
                        && same(&(*table, *column))
                        && others.iter().all(same);
                let is_object = matches!(
                    triple.object,
                    TermPattern::Variable(_) | TermPattern::BlankNode(_) | TermPattern::Literal(_)
                );
                if is_plain && is_object { Way::Property(name, ty) } else { Way::Statements }
            }
            _ => Way::Statements,
        }
    }

    /// The type of the edges that a predicate is, if it is nothing else.
    pub(super) fn edge_type(&mut self, predicate: &str, active: &Active) -> Option<Arc<str>> {
        let ends = [(); 2].map(|()| TermPattern::Variable(self.made_variable()));
        let [subject, object] = ends;
        let predicate = NamedNodePattern::NamedNode(spargebra::term::NamedNode::new_unchecked(predicate));
        match self.way(&TriplePattern { subject, predicate, object }, active, &BTreeMap::new()) {
            Way::Edge(name) => Some(name),
            _ => None,
        }
    }

    /// The label of the class that a triple pattern asks its subject for, if that is all it is.
    pub(super) fn class(&mut self, triple: &TriplePattern, active: &Active) -> Option<Arc<str>> {
        match self.way(triple, active, &BTreeMap::new()) {
            Way::Label(label) => Some(label),
            _ => None,
        }
    }

    /// Whether statements may be in named graphs.
    pub(super) fn has_graphs(&self) -> bool {
        !self.catalog.edge_columns(Some(&[Arc::from(GRAPH)])).is_empty()
    }

    /// The variable of a node that a term is: bound before, a constant, or new in `graph`.
    pub(super) fn node(
        &mut self,
        relation: &mut Relation,
        term: &TermPattern,
        new: &mut BTreeMap<Name, VarId>,
        later: &mut Vec<(Name, Slot)>,
    ) -> Option<VarId> {
        let Some(name) = bound_name(term) else {
            let iri = constant_of(term)?;
            // The same IRI is looked for once; no name begins so.
            let name: Option<Name> = match &iri {
                Value::Iri(iri) => Some(format!(" <{iri}>").into()),
                _ => None,
            };
            if let Some(var) = name.as_ref().and_then(|name| new.get(name)) {
                return Some(*var);
            }
            let var = self.anonymous(LogicalType::Node);
            relation.extra(vec![(var, call("sparql.node", vec![Expr::Const(iri)]))]);
            relation.filter(is_not_null(Expr::Var(var)));
            new.extend(name.map(|name| (name, var)));
            return Some(var);
        };
        if let Some(var) = new.get(&name) {
            return Some(*var);
        }
        match relation.slots.get(&name).cloned() {
            None => {
                let var = self.var(&name, Shape::Node);
                new.insert(name, var);
                Some(var)
            }
            Some(Slot { source: Source::Var(var), shape: Shape::Node, certain: true }) => Some(var),
            Some(slot) if slot.certain => {
                let var = self.var(&name, Shape::Node);
                relation.extra(vec![(var, call("sparql.node", vec![slot.value()]))]);
                relation.filter(is_not_null(Expr::Var(var)));
                relation.slots.insert(name, Slot::certain(var, Shape::Node));
                Some(var)
            }
            // Where it is bound it must be the same.
            Some(_) => {
                let var = self.anonymous(LogicalType::Node);
                new.insert(Arc::clone(&name), var);
                later.push((name, Slot::certain(var, Shape::Node)));
                Some(var)
            }
        }
    }

    /// What the schema lets be asked as edges, in this direction, properties and labels.
    pub(super) fn query_graph(
        &mut self,
        mut relation: Relation,
        fast: &[(&TriplePattern, &Way)],
        direction: Direction,
    ) -> Bound<Relation> {
        if fast.is_empty() {
            return Ok(relation);
        }
        let (mut new, mut later): (BTreeMap<Name, VarId>, _) = (BTreeMap::new(), Vec::new());
        let mut labels: BTreeMap<VarId, LabelExpr> = BTreeMap::new();
        let mut graph = QueryGraph::default();
        let mut properties: Vec<(VarId, Arc<str>, LogicalType, &TermPattern)> = Vec::new();
        let mut reifiers: BTreeMap<Name, VarId> = BTreeMap::new();
        // Nodes first: what is made of the rows before comes before the pattern.
        for (triple, way) in fast {
            if let Way::Reified(name) = way {
                let (Some(reifier), TermPattern::Triple(inner)) =
                    (bound_name(&triple.subject), &triple.object)
                else {
                    continue;
                };
                let var = self.var(&reifier, Shape::Edge);
                let [from, to] = [&inner.subject, &inner.object]
                    .map(|term| self.node(&mut relation, term, &mut new, &mut later));
                let (Some(from), Some(to)) = (from, to) else { continue };
                labels.entry(from).or_insert(LabelExpr::True);
                labels.entry(to).or_insert(LabelExpr::True);
                graph.edges.push(EdgePattern { direction, ..one_edge(var, from, name, to) });
                reifiers.insert(reifier, var);
                continue;
            }
            if let (Way::SaidOf(types, ..), Some(name)) = (way, bound_name(&triple.subject))
                && !reifiers.contains_key(&name)
            {
                let var = self.var(&name, Shape::Edge);
                let [from, to] = [(); 2].map(|()| self.anonymous(LogicalType::Node));
                labels.extend([from, to].map(|end| (end, LabelExpr::True)));
                graph.edges.push(EdgePattern { types: types.clone(), ..one_edge(var, from, &name, to) });
                reifiers.insert(name, var);
            }
            if matches!(way, Way::Said(..) | Way::SaidOf(..)) {
                continue;
            }
            let Some(subject) = self.node(&mut relation, &triple.subject, &mut new, &mut later) else {
                continue;
            };
            let own = labels.entry(subject).or_insert(LabelExpr::True);
            match way {
                Way::Label(label) => {
                    *own = std::mem::replace(own, LabelExpr::True).and(LabelExpr::Label(Arc::clone(label)));
                }
                Way::Edge(name) => {
                    let object = self.node(&mut relation, &triple.object, &mut new, &mut later);
                    let Some(object) = object else { continue };
                    labels.entry(object).or_insert(LabelExpr::True);
                    let var = self.anonymous(LogicalType::Relationship);
                    graph.edges.push(EdgePattern { direction, ..one_edge(var, subject, name, object) });
                }
                Way::Property(name, ty) => properties.push((subject, Arc::clone(name), *ty, &triple.object)),
                Way::Reified(_) | Way::Said(..) | Way::SaidOf(..) | Way::Implied | Way::Statements => {}
            }
        }
        let mut made = Vec::new();
        for (triple, way) in fast {
            let reifier = bound_name(&triple.subject).and_then(|name| reifiers.get(&name));
            if let (Way::Said(name, ty) | Way::SaidOf(_, name, ty), Some(reifier)) = (way, reifier) {
                properties.push((*reifier, Arc::clone(name), *ty, &triple.object));
            }
        }
        for (name, reifier) in reifiers {
            // Who says nothing reifies nothing.
            if !properties.iter().any(|(of, ..)| *of == reifier) {
                graph.predicates.push(self.says_anything(reifier, &graph));
            }
            made.push((name, Slot::certain(reifier, Shape::Edge)));
        }
        for (subject, name, ty, object) in properties {
            let value = Expr::Property(Box::new(Expr::Var(subject)), name, Span::default());
            match constant_of(object) {
                Some(wanted) => graph.predicates.push(equals_literal(value, ty, &wanted)),
                None => {
                    graph.predicates.push(is_not_null(value.clone()));
                    if let (Some(object), Expr::Property(_, name, _)) = (bound_name(object), value) {
                        made.push((object, Slot::property(subject, name, ty)));
                    }
                }
            }
        }
        graph.nodes = labels.into_iter().map(|(var, labels)| NodePattern { var, labels }).collect();
        relation.grow(|input| Plan::Match { input, graph });
        self.bind_nodes(&mut relation, new, later);
        for (name, slot) in made {
            self.bind_new(&mut relation, &name, slot);
        }
        Ok(relation)
    }

    /// Binds the nodes that a pattern added.
    pub(super) fn bind_nodes(
        &mut self,
        relation: &mut Relation,
        new: BTreeMap<Name, VarId>,
        later: Vec<(Name, Slot)>,
    ) {
        for (name, var) in new {
            // Constants bind no name.
            if !name.starts_with(" <") && !later.iter().any(|(known, _)| *known == name) {
                relation.slots.insert(name, Slot::certain(var, Shape::Node));
            }
        }
        for (name, slot) in later {
            self.bind_new(relation, &name, slot);
        }
    }

    /// The statements that agree with a triple pattern; of triple terms in it the parts are left open.
    fn statements<'t>(
        &mut self,
        mut relation: Relation,
        triple: &'t TriplePattern,
        active: &Active,
        opened: &mut Opened<'t>,
    ) -> Bound<Relation> {
        let (graph, new_graph) = self.graphs(&mut relation, active);
        // What gets a value, by the name that it is to have.
        let mut new: Vec<(Name, Slot)> = Vec::new();
        let mut parts: Vec<(VarId, &TriplePattern)> = Vec::new();
        let shape = if self.may_be_said(&triple.predicate) { Shape::Term } else { Shape::Node };
        let subject = self.end(&mut relation, &triple.subject, shape, &mut new, &mut parts);
        let predicate = match &triple.predicate {
            NamedNodePattern::NamedNode(predicate) => {
                let name = [Arc::from(name_of_iri(predicate.as_str()))];
                self.catalog.edge_tables(Some(&name));
                self.catalog.node_columns(Some(&name));
                PredicateTerm::Iri(predicate.as_str().into())
            }
            NamedNodePattern::Variable(variable) => {
                self.relies_on_all();
                let term = TermPattern::Variable(variable.clone());
                PredicateTerm::Var(self.end(&mut relation, &term, Shape::Term, &mut new, &mut Vec::new()))
            }
        };
        let object = self.end(&mut relation, &triple.object, Shape::Term, &mut new, &mut parts);
        let pattern =
            trimorph_algebra::TriplePattern { subject, predicate, object, graph, count: None, among: None };
        relation.grow(|input| Plan::Statements { input, pattern });
        if let Some((name, var)) = new_graph {
            new.push((name, Slot::certain(var, Shape::Term)));
        }
        for (name, slot) in new {
            self.bind_new(&mut relation, &name, slot);
        }
        for (var, triple) in parts {
            self.compare_parts(&mut relation, var, triple);
            opened.push((var, triple));
        }
        Ok(relation)
    }

    /// The variable of a subject, predicate or object of statements.
    pub(super) fn end<'t>(
        &mut self,
        relation: &mut Relation,
        term: &'t TermPattern,
        shape: Shape,
        new: &mut Vec<(Name, Slot)>,
        parts: &mut Vec<(VarId, &'t TriplePattern)>,
    ) -> VarId {
        if let Some(constant) = constant_of(term) {
            let var = self.anonymous(LogicalType::Any);
            let value = match constant {
                iri @ Value::Iri(_) => call("sparql.entity", vec![Expr::Const(iri)]),
                literal => Expr::Const(literal),
            };
            relation.extra(vec![(var, value)]);
            return var;
        }
        let ty = if shape == Shape::Node { LogicalType::Node } else { LogicalType::Any };
        let Some(name) = bound_name(term) else {
            let var = self.anonymous(ty);
            if let TermPattern::Triple(triple) = term
                && let Some(made) = made_of(relation, triple)
            {
                relation.extra(vec![(var, call("sparql.entity", vec![made]))]);
                return var;
            }
            if let TermPattern::Triple(triple) = term {
                parts.push((var, triple));
            }
            return var;
        };
        match relation.slots.get(&name).cloned() {
            Some(slot) if slot.certain => self.given(relation, &slot),
            _ => {
                let var = self.var(&name, shape);
                new.push((name, Slot::certain(var, shape)));
                var
            }
        }
    }

    /// A pattern without a predicate asks all tables and columns there are.
    pub(super) fn relies_on_all(&self) {
        self.catalog.node_columns(None);
        self.catalog.edge_tables(None);
        self.catalog.node_table_count();
    }
}

/// A triple pattern of the query graph.
type Matched<'p> = (&'p TriplePattern, &'p Way);

/// Patterns of query graphs, in groups without a common variable.
fn connected<'p>(patterns: &[Matched<'p>]) -> Vec<Connected<Matched<'p>>> {
    let mut groups: Vec<Connected<Matched<'p>>> = Vec::new();
    for one @ (triple, _) in patterns {
        let mut group = Connected { names: names_of(triple), patterns: Vec::new(), constants: 0, most: 0.0 };
        let (with, without): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|known| !known.names.is_disjoint(&group.names));
        groups = without;
        for known in with {
            group.names.extend(known.names);
            group.patterns.extend(known.patterns);
            group.constants += known.constants;
        }
        group.patterns.push(*one);
        group.constants += constants_of(triple);
        groups.push(group);
    }
    groups
}

/// How many constants stand in a triple pattern besides its predicate and its class.
pub(super) fn constants_of(triple: &TriplePattern) -> usize {
    let is_fixed = |term: &TermPattern| matches!(term, TermPattern::NamedNode(_) | TermPattern::Literal(_));
    let is_class = matches!(&triple.predicate, NamedNodePattern::NamedNode(iri) if iri.as_str() == TYPE);
    usize::from(is_fixed(&triple.subject)) + usize::from(is_fixed(&triple.object) && !is_class)
}

/// One edge of a type.
fn one_edge(var: VarId, from: VarId, name: &Arc<str>, to: VarId) -> EdgePattern {
    EdgePattern {
        var,
        from,
        to,
        types: vec![Arc::clone(name)],
        direction: Direction::Out,
        range: EdgeRange::One,
        each: None,
        whole: Vec::new(),
    }
}

/// The labels that a pattern asks of its subjects.
pub(super) fn labels_asked(patterns: &[TriplePattern]) -> BTreeMap<Name, LabelExpr> {
    let mut labels: BTreeMap<Name, LabelExpr> = BTreeMap::new();
    for triple in patterns {
        let (Some(name), NamedNodePattern::NamedNode(predicate), TermPattern::NamedNode(class)) =
            (bound_name(&triple.subject), &triple.predicate, &triple.object)
        else {
            continue;
        };
        if predicate.as_str() == TYPE {
            let label = LabelExpr::Label(name_of_iri(class.as_str()).into());
            let own = labels.entry(name).or_insert(LabelExpr::True);
            *own = std::mem::replace(own, LabelExpr::True).and(label);
        }
    }
    labels
}

/// Whether a property of one type is a literal, which is in term form.
fn equals_literal(value: Expr, ty: LogicalType, wanted: &Value) -> Expr {
    let stored = match wanted {
        Value::Literal(literal) => match &literal.kind {
            trimorph_types::LiteralKind::Datatype(datatype) => rdf::literal(&literal.lexical, datatype),
            trimorph_types::LiteralKind::Language(_) => wanted.clone(),
        },
        other => other.clone(),
    };
    if let (Value::DateTime(moment), LogicalType::DateTime) = (&stored, ty) {
        // A zone with a name is written as its offset is, and orders elsewhere within the instant.
        let ends = [(Op::Ge, moment.first_of_instant()), (Op::Le, moment.last_of_instant())];
        let within =
            ends.map(|(op, end)| Expr::op(op, vec![value.clone(), Expr::Const(Value::DateTime(end))]));
        let is_term = equal(call("sparql.term", vec![value]), Expr::Const(wanted.clone()));
        return Expr::op(Op::And, within.into_iter().chain([is_term]).collect());
    }
    // Another type is another term, though the values may be equal.
    if stored.logical_type() == ty {
        match stored {
            // NaN equals nothing, and zero minus zero: their bits tell.
            Value::Float(double) if double.is_nan() || double == 0.0 => {
                let key = |value| term_key(value, Shape::Plain(ty));
                equal(key(value), key(Expr::Const(stored)))
            }
            stored => equal(value, Expr::Const(stored)),
        }
    } else {
        Expr::Const(Value::Bool(false))
    }
}
