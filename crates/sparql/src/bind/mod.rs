//! Binding: takes a parsed query and a view of the catalog, gives a bound query.

mod aggregate;
mod by_case;
mod by_predicate;
mod compared;
mod either_way;
mod expression;
mod fixed;
mod forms;
mod join;
mod own_node;
mod path;
mod pattern;
mod reified;
mod relation;
mod scope;
mod service;
mod statement_order;
mod terms_of_graph;
mod triple_terms;
mod triples;
mod typed;
mod update;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use spargebra::Query;
use spargebra::algebra::QueryDataset;
use spargebra::term::{NamedNode, NamedNodePattern};
use trimorph_algebra::{
    Aggregate, AggregateKind, Answer, BoundQuery, Expr, GraphChoice, Op, Plan, Procedure, VarId, Vars,
};
use trimorph_base::{CancelToken, Diagnostic, ErrorKind, Notice, Span};
use trimorph_catalog::{CatalogView, NameKind};
use trimorph_types::iri_names::name_of;
use trimorph_types::{LogicalType, Value};

use relation::{Active, Name, Relation, Shape, Slot, Source, call, equal, given_value, is_null};

pub use update::{bind_update, data};

/// Patterns within patterns.
const DEPTH_MAX: usize = 400;

type Bound<T> = Result<T, Diagnostic>;

/// A variable whose value is given with the text, and the type of that.
pub type Given = (Arc<str>, LogicalType);

/// What a text is bound with besides the catalog.
#[derive(Clone, Copy, Debug, Default)]
pub struct Around<'a> {
    /// Variables whose values are given with the text.
    pub given: &'a [Given],
    /// What asks other servers: for a server's IRI, a query, the names of its variables, and whether a server
    /// that does not answer is one without bindings, it gives rows with a list of values. Without it
    /// `SERVICE` is refused.
    pub service: Option<&'a Arc<dyn Procedure>>,
}

/// What is known while a query is bound.
struct Binder<'c> {
    catalog: &'c CatalogView<'c>,
    cancel: &'c CancelToken,
    vars: Vars,
    /// `FROM` and `FROM NAMED`; none where neither was written.
    dataset: Option<QueryDataset>,
    /// For `IRI()`.
    base: Option<Arc<str>>,
    depth: usize,
    /// Variables whose values are given with the text: parameters of these names and types.
    given: &'c [Given],
    /// What asks other servers.
    service: Option<&'c Arc<dyn Procedure>>,
    /// What `EXISTS` around puts in the place of variables, in any part of its pattern but sub-queries.
    substituted: BTreeMap<Name, Slot>,
    /// Names made so far that no text has.
    made: usize,
    /// IRIs that nothing has, and what they were looked for as.
    unknown: BTreeSet<(NameKind, Arc<str>)>,
}

/// Binds a query; what it relies on is noted in `catalog`.
///
/// The columns of a result are terms: IRIs, blank nodes and literals. Predicates and classes that nothing has
/// match nothing, and the result's notices name them. Variables that are given have the values of the
/// parameters of these names wherever they stand.
/// **Errors**: what is not supported, what is nested too deep; that it was stopped.
pub fn bind(
    query: &Query,
    around: Around<'_>,
    catalog: &CatalogView<'_>,
    cancel: &CancelToken,
) -> Result<BoundQuery, Diagnostic> {
    let mut binder = Binder::new(around, catalog, cancel);
    binder.dataset = query.dataset().cloned();
    let base = match query {
        Query::Select { base_iri, .. }
        | Query::Construct { base_iri, .. }
        | Query::Describe { base_iri, .. }
        | Query::Ask { base_iri, .. } => base_iri,
    };
    binder.base = base.as_ref().map(|base| Arc::from(base.as_str()));
    let (plan, columns, answer) = match query {
        Query::Select { pattern, .. } => {
            let mut relation = binder.pattern(Relation::unit(), pattern, &Active::Default)?;
            binder.with_all_given(&mut relation);
            let selected = scope::selected(pattern);
            let (plan, columns) = binder.columns(relation, &selected);
            (plan, columns, Answer::Rows)
        }
        Query::Ask { pattern, .. } => {
            let relation = binder.pattern(Relation::unit(), pattern, &Active::Default)?;
            let (plan, columns) = binder.asked(relation);
            (plan, columns, Answer::Boolean)
        }
        Query::Construct { template, pattern, .. } => {
            let (plan, columns) = binder.construct(template, pattern)?;
            (plan, columns, Answer::Statements)
        }
        Query::Describe { pattern, .. } => {
            let (plan, columns) = binder.describe(pattern)?;
            (plan, columns, Answer::Statements)
        }
    };
    Ok(binder.into_query(plan, columns, answer))
}

impl<'c> Binder<'c> {
    fn new(around: Around<'c>, catalog: &'c CatalogView<'c>, cancel: &'c CancelToken) -> Self {
        Self {
            given: around.given,
            service: around.service,
            catalog,
            cancel,
            vars: Vars::default(),
            dataset: None,
            base: None,
            depth: 0,
            substituted: BTreeMap::new(),
            made: 0,
            unknown: BTreeSet::new(),
        }
    }

    fn into_query(self, plan: Plan, columns: Vec<(String, VarId)>, answer: Answer) -> BoundQuery {
        let notices = if self.catalog.has_node_tables() { notices(&self.unknown) } else { Vec::new() };
        BoundQuery {
            plan,
            columns,
            vars: self.vars,
            parameters: self.given.iter().map(|(name, _)| Arc::clone(name)).collect(),
            notices,
            depth: None,
            answer,
        }
    }

    /// One level deeper.
    fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Bound<T>) -> Bound<T> {
        if self.cancel.is_cancelled() {
            return Err(*Diagnostic::cancelled());
        }
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            let primary = format!("patterns or expressions are nested deeper than {DEPTH_MAX} levels");
            let error = Diagnostic::compile(ErrorKind::SemanticError, "TooComplex", primary);
            return Err(error.hint("split the query"));
        }
        let done = work(self);
        self.depth -= 1;
        done
    }

    /// A variable for a name.
    fn var(&mut self, name: &Name, shape: Shape) -> VarId {
        let ty = match shape {
            Shape::Node => LogicalType::Node,
            Shape::Edge => LogicalType::Relationship,
            Shape::Plain(ty) => ty,
            Shape::Term => LogicalType::Any,
        };
        if name.starts_with(['_', ' ']) {
            self.vars.anonymous(ty)
        } else {
            self.vars.named(Arc::clone(name), ty)
        }
    }

    fn anonymous(&mut self, ty: LogicalType) -> VarId {
        self.vars.anonymous(ty)
    }

    /// A name that no text has.
    fn made_name(&mut self) -> Name {
        self.made += 1;
        Arc::from(format!(" {}", self.made))
    }

    /// An IRI as a variable whose value is the node that it is, or itself.
    fn constant(&mut self, relation: &mut Relation, iri: &str) -> VarId {
        let var = self.anonymous(LogicalType::Any);
        relation.extra(vec![(var, call("sparql.entity", vec![Expr::Const(Value::iri(iri))]))]);
        var
    }

    /// Binds those of some names that are given, where a row does not have them.
    fn with_given(&mut self, relation: &mut Relation, names: impl IntoIterator<Item = Name>) {
        for name in names {
            let Some(ty) = self.given_type(&name).filter(|_| !relation.slots.contains_key(&name)) else {
                continue;
            };
            let (value, shape) = given_value(&name, ty);
            let source = match value {
                Expr::Param(own) => Source::Given(own),
                value => {
                    let var = self.var(&name, shape);
                    relation.extra(vec![(var, value)]);
                    Source::Var(var)
                }
            };
            relation.slots.insert(name, Slot { source, shape, certain: true });
        }
    }

    /// The type of the value that a variable is given.
    fn given_type(&self, name: &Name) -> Option<LogicalType> {
        self.given.iter().find(|(own, _)| own == name).map(|(_, ty)| *ty)
    }

    /// Binds all that are given.
    fn with_all_given(&mut self, relation: &mut Relation) {
        self.with_given(relation, self.given.iter().map(|(name, _)| Arc::clone(name)));
    }

    /// The graphs of an active graph, and the name that gets the graph's IRI, to be bound when the operator
    /// is there.
    fn graphs(&mut self, relation: &mut Relation, active: &Active) -> (GraphChoice, Option<(Name, VarId)>) {
        let list =
            |all: &[NamedNode]| all.iter().map(|iri| Arc::from(iri.as_str())).collect::<Arc<[Arc<str>]>>();
        match active {
            Active::Default => match &self.dataset {
                None => (GraphChoice::Default, None),
                Some(dataset) => (GraphChoice::Union(list(&dataset.default)), None),
            },
            Active::Given(var) => (GraphChoice::Named(*var, None), None),
            Active::Named(name) => {
                let among = self.dataset.as_ref().and_then(|dataset| dataset.named.as_deref().map(list));
                match name {
                    NamedNodePattern::NamedNode(iri) => {
                        let var = self.constant(relation, iri.as_str());
                        (GraphChoice::Named(var, among), None)
                    }
                    NamedNodePattern::Variable(variable) => {
                        let name = scope::name_of(variable);
                        self.with_given(relation, [Arc::clone(&name)]);
                        match relation.slots.get(&name).cloned() {
                            Some(slot) if slot.certain => {
                                let var = self.given(relation, &slot);
                                (GraphChoice::Named(var, among), None)
                            }
                            _ => {
                                let var = self.var(&name, Shape::Term);
                                (GraphChoice::Named(var, among), Some((name, var)))
                            }
                        }
                    }
                }
            }
        }
    }

    /// A variable with the values of another in term form.
    fn given(&mut self, relation: &mut Relation, slot: &Slot) -> VarId {
        self.in_variable(relation, slot.term(), LogicalType::Any)
    }

    /// A variable of the plan that holds the value as it is.
    fn held(&mut self, relation: &mut Relation, slot: &Slot) -> VarId {
        let ty = if let Shape::Plain(ty) = slot.shape { ty } else { LogicalType::Any };
        self.in_variable(relation, slot.value(), ty)
    }

    /// A variable of the plan that holds what is computed.
    fn in_variable(&mut self, relation: &mut Relation, value: Expr, ty: LogicalType) -> VarId {
        match value {
            Expr::Var(var) => var,
            value => {
                let var = self.anonymous(ty);
                relation.extra(vec![(var, value)]);
                var
            }
        }
    }

    /// Reads properties now, of which this is asked.
    fn settle(&mut self, relation: &mut Relation, mut is_asked: impl FnMut(&Name, &Slot) -> bool) {
        let mut items = Vec::new();
        for (name, slot) in &mut relation.slots {
            if !slot.is_held() && is_asked(name, slot) {
                let var = self.var(name, slot.shape);
                items.push((var, slot.value()));
                slot.source = Source::Var(var);
            }
        }
        relation.extra(items);
    }

    /// A new variable is bound in every row: it is the value of `name`, or must be the same where `name` is
    /// bound already.
    fn bind_new(&mut self, relation: &mut Relation, name: &Name, slot: Slot) {
        let Some(old) = relation.slots.get(name).cloned() else {
            relation.slots.insert(Arc::clone(name), slot);
            return;
        };
        let same = equal(old.key(slot.shape), slot.key(old.shape));
        if old.certain && slot.certain {
            relation.filter(same);
            // Where one of the two is a node, both are.
            let is_better =
                matches!((old.shape, slot.shape), (Shape::Term, Shape::Node | Shape::Edge | Shape::Plain(_)));
            if is_better {
                relation.slots.insert(Arc::clone(name), slot);
            }
            return;
        }
        let mut either = Vec::new();
        if !old.certain {
            either.push(is_null(old.value()));
        }
        if !slot.certain {
            either.push(is_null(slot.value()));
        }
        either.push(same);
        relation.filter(Expr::op(Op::Or, either));
        let certain = old.certain || slot.certain;
        let merged = self.merged(relation, name, &[slot, old], certain);
        relation.slots.insert(Arc::clone(name), merged);
    }

    /// A variable with the first of some values that is bound.
    fn merged(&mut self, relation: &mut Relation, name: &Name, slots: &[Slot], certain: bool) -> Slot {
        let shape = slots.iter().map(|slot| slot.shape).reduce(|a, b| if a == b { a } else { Shape::Term });
        let shape = shape.unwrap_or(Shape::Term);
        let value = |slot: &Slot| if shape == Shape::Term { slot.term() } else { slot.value() };
        let values = slots.iter().map(value).collect();
        let var = self.var(name, shape);
        relation.extra(vec![(var, call("coalesce", values))]);
        Slot { source: Source::Var(var), shape, certain }
    }

    /// Notes an IRI that nothing has.
    fn note_unknown(&mut self, kind: NameKind, iri: &str) {
        if !self.catalog.is_known(kind, &name_of(iri)) {
            self.unknown.insert((kind, iri.into()));
        }
    }

    /// The result: each column a term.
    fn columns(&mut self, mut relation: Relation, selected: &[Name]) -> (Plan, Vec<(String, VarId)>) {
        let (mut items, mut columns) = (Vec::new(), Vec::new());
        for name in selected {
            let slot = relation.slots.get(name);
            let (ty, value) = match slot {
                None => (LogicalType::Any, Expr::Const(Value::Null)),
                Some(slot @ Slot { shape: Shape::Plain(ty), .. }) => (*ty, slot.value()),
                Some(slot @ Slot { shape: Shape::Node | Shape::Edge, .. }) => {
                    (LogicalType::Any, call("sparql.resource", vec![slot.value()]))
                }
                Some(slot) => (LogicalType::Any, call("sparql.native", vec![slot.value()])),
            };
            let var = self.vars.named(Arc::clone(name), ty);
            items.push((var, value));
            columns.push((name.to_string(), var));
        }
        // A solution without variables is a row, too: it has a column without a name.
        if columns.is_empty() {
            let var = self.vars.named("", LogicalType::Bool);
            items.push((var, Expr::truth()));
            columns.push((String::new(), var));
        }
        relation.grow(|input| Plan::Project { input, items });
        (relation.plan, columns)
    }

    /// Whether there is a row.
    fn asked(&mut self, mut relation: Relation) -> (Plan, Vec<(String, VarId)>) {
        relation.grow(|input| Plan::Limit { input, count: Expr::Const(Value::Int(1)) });
        let count = self.anonymous(LogicalType::Int);
        let counted = Aggregate {
            kind: AggregateKind::CountStar,
            arg: None,
            parameter: None,
            distinct: false,
            order: None,
            span: Span::default(),
        };
        relation.grow(|input| Plan::Aggregate {
            input,
            keys: Vec::new(),
            aggregates: vec![(count, counted)],
        });
        let answer = self.vars.named("ask", LogicalType::Bool);
        let value = Expr::op(Op::Gt, vec![Expr::Var(count), Expr::Const(Value::Int(0))]);
        relation.grow(|input| Plan::Project { input, items: vec![(answer, value)] });
        (relation.plan, vec![("ask".to_owned(), answer)])
    }
}

/// What the user should know of the IRIs that nothing has.
fn notices(unknown: &BTreeSet<(NameKind, Arc<str>)>) -> Vec<Notice> {
    let notice = |(kind, iri): &(NameKind, Arc<str>)| {
        let (detail, what) = match kind {
            NameKind::Label => ("UnknownClass", "no node is of class"),
            NameKind::Type | NameKind::Property => ("UnknownPredicate", "no statement has the predicate"),
        };
        Notice { detail, primary: format!("{what} <{iri}>"), hint: None, span: Span::default() }
    };
    unknown.iter().map(notice).collect()
}

/// What SPARQL has and we do not.
fn unsupported(what: &str, hint: &str) -> Diagnostic {
    Diagnostic::compile(ErrorKind::Unsupported, "Unsupported", what.to_owned()).hint(hint)
}
