//! Updates: an operation in, a plan that inserts and deletes statements out.

use std::collections::BTreeMap;
use std::sync::Arc;

use spargebra::GraphUpdateOperation as Operation;
use spargebra::algebra::GraphTarget;
use spargebra::term::{
    BlankNode, GraphName, GraphNamePattern, GroundQuad, GroundQuadPattern, GroundTermPattern,
    NamedNodePattern, NamedOrBlankNode, Quad, QuadPattern, Term, TermPattern, TriplePattern,
};
use trimorph_algebra::{
    Answer, BoundQuery, Change, Expr, GraphChoice, Op, Plan, PredicateTerm, StatementVars, Update, VarId,
};
use trimorph_base::{CancelToken, Diagnostic};
use trimorph_catalog::CatalogView;
use trimorph_types::{LogicalType, Value};

use super::forms::named;
use super::relation::{Active, Relation, call};
use super::scope::name_of;
use super::{Binder, Bound};
use crate::terms::{ground, literal, triple_of};

/// Binds one operation of an update; `None` if it has no plan: `CREATE GRAPH` changes nothing, since a graph
/// is there while it has statements (who runs it sees whether it has), and `LOAD` reads them from elsewhere.
///
/// **Errors**: what is nested too deep, what names no server; that it was stopped.
pub fn bind_update(
    operation: &Operation,
    around: super::Around<'_>,
    base: Option<&str>,
    catalog: &CatalogView<'_>,
    cancel: &CancelToken,
) -> Result<Option<BoundQuery>, Diagnostic> {
    let mut binder = Binder::new(around, catalog, cancel);
    binder.base = base.map(Arc::from);
    let plan = match operation {
        Operation::InsertData { data } => binder.insert_data(data),
        Operation::DeleteData { data } => binder.delete_data(data),
        Operation::DeleteInsert { delete, insert, using, pattern } => {
            binder.dataset.clone_from(using);
            binder.delete_insert(delete, insert, pattern)?
        }
        Operation::Clear { graph, .. } | Operation::Drop { graph, .. } => binder.clear(graph),
        Operation::Create { .. } => return Ok(None),
        // Statements are read and inserted by who runs it.
        Operation::Load { .. } => return Ok(None),
    };
    Ok(Some(binder.into_query(plan, Vec::new(), Answer::Rows)))
}

/// The statements of `INSERT DATA` or `DELETE DATA`, and whether they are inserted: subject, predicate,
/// object and graph, which is null for the default graph. None for other operations, and where there are
/// blank nodes, which are new each time.
pub fn data(operation: &Operation) -> Option<(bool, Vec<[Value; 4]>)> {
    match operation {
        Operation::InsertData { data } if !has_blanks(data) => {
            Some((true, data.iter().map(row_of).collect()))
        }
        Operation::DeleteData { data } => Some((false, data.iter().map(row_of_ground).collect())),
        _ => None,
    }
}

fn has_blanks(data: &[Quad]) -> bool {
    data.iter().any(|quad| is_blank(&quad.subject) || has_blank(&quad.object))
}

fn is_blank(subject: &NamedOrBlankNode) -> bool {
    matches!(subject, NamedOrBlankNode::BlankNode(_))
}

fn row_of(quad: &Quad) -> [Value; 4] {
    [
        subject(&quad.subject),
        Value::iri(quad.predicate.as_str()),
        object(&quad.object),
        graph_name(&quad.graph_name),
    ]
}

fn row_of_ground(quad: &GroundQuad) -> [Value; 4] {
    [
        Value::iri(quad.subject.as_str()),
        Value::iri(quad.predicate.as_str()),
        ground(&quad.object),
        graph_name(&quad.graph_name),
    ]
}

/// What a quad of a template is made of.
struct Template {
    triple: TriplePattern,
    graph: GraphNamePattern,
}

impl Binder<'_> {
    /// An update of statements that are rows of a list: subject, predicate, object, graph.
    fn of_rows(&mut self, mut relation: Relation, list: Expr, salt: Option<VarId>, insert: bool) -> Plan {
        let row = self.anonymous(LogicalType::List);
        relation.grow(|input| Plan::Unwind { input, list, var: row });
        let vars = [(); 4].map(|()| self.anonymous(LogicalType::Any));
        let at = |place: usize| {
            let place = Expr::Const(Value::Int(i64::try_from(place).unwrap_or(0)));
            let value = Expr::op(Op::Index, vec![Expr::Var(row), place]);
            match salt {
                Some(salt) => call("sparql.fresh", vec![value, Expr::Var(salt)]),
                None => value,
            }
        };
        let values = vars.into_iter().enumerate().map(|(place, var)| (var, at(place))).collect();
        let [subject, predicate, object, graph] = vars;
        let statement = StatementVars { subject, predicate, object, graph: Some(graph) };
        let change =
            if insert { Change::InsertStatement(statement) } else { Change::DeleteStatement(statement) };
        let update = Update { values, changes: vec![change], takes_turns: false };
        relation.grow(|input| Plan::Update { input, update });
        // Nothing is given back.
        relation.grow(|input| Plan::Project { input, items: Vec::new() });
        relation.plan
    }

    fn insert_data(&mut self, data: &[Quad]) -> Plan {
        let mut relation = Relation::unit();
        // Blank nodes are new ones each time that the text is run.
        let salt = has_blanks(data).then(|| {
            let var = self.anonymous(LogicalType::String);
            relation.extra(vec![(var, call("sparql.struuid", Vec::new()))]);
            var
        });
        let list = Value::list(data.iter().map(|quad| Value::list(row_of(quad).into())).collect());
        self.of_rows(relation, Expr::Const(list), salt, true)
    }

    fn delete_data(&mut self, data: &[GroundQuad]) -> Plan {
        let list = Value::list(data.iter().map(|quad| Value::list(row_of_ground(quad).into())).collect());
        self.of_rows(Relation::unit(), Expr::Const(list), None, false)
    }

    fn delete_insert(
        &mut self,
        delete: &[GroundQuadPattern],
        insert: &[QuadPattern],
        pattern: &spargebra::algebra::GraphPattern,
    ) -> Bound<Plan> {
        let mut relation = self.pattern(Relation::unit(), pattern, &Active::Default)?;
        self.with_all_given(&mut relation);
        // What is deleted and inserted was found before anything was changed.
        self.settle(&mut relation, |_, _| true);
        let mut blanks = BTreeMap::new();
        let (mut values, mut changes) = (Vec::new(), Vec::new());
        let deleted = delete.iter().map(|quad| (of_ground(quad), false));
        let inserted = insert.iter().map(|quad| (of_quad(quad), true));
        for (template, is_insert) in deleted.chain(inserted) {
            let statement = self.template(&mut relation, &template, &mut blanks, &mut values)?;
            changes.push(match is_insert {
                true => Change::InsertStatement(statement),
                false => Change::DeleteStatement(statement),
            });
        }
        let update = Update { values, changes, takes_turns: false };
        relation.grow(|input| Plan::Update { input, update });
        relation.grow(|input| Plan::Project { input, items: Vec::new() });
        Ok(relation.plan)
    }

    fn template(
        &mut self,
        relation: &mut Relation,
        template: &Template,
        blanks: &mut BTreeMap<String, VarId>,
        values: &mut Vec<(VarId, Expr)>,
    ) -> Bound<StatementVars> {
        let subject = self.template_term(relation, &template.triple.subject, blanks)?;
        let predicate = match &template.triple.predicate {
            NamedNodePattern::NamedNode(iri) => Expr::Const(Value::iri(iri.as_str())),
            NamedNodePattern::Variable(variable) => named(relation, &name_of(variable)),
        };
        let object = self.template_term(relation, &template.triple.object, blanks)?;
        let graph = match &template.graph {
            GraphNamePattern::DefaultGraph => None,
            GraphNamePattern::NamedNode(iri) => Some(Expr::Const(Value::iri(iri.as_str()))),
            // Where it is not bound there is no statement; null would be the default graph.
            GraphNamePattern::Variable(variable) => Some(call(
                "coalesce",
                vec![named(relation, &name_of(variable)), Expr::Const(Value::Bool(false))],
            )),
        };
        let mut add = |own: &mut Self, value| {
            let var = own.anonymous(LogicalType::Any);
            values.push((var, value));
            var
        };
        Ok(StatementVars {
            subject: add(self, subject),
            predicate: add(self, predicate),
            object: add(self, object),
            graph: graph.map(|graph| add(self, graph)),
        })
    }

    /// All statements of some graphs go.
    fn clear(&mut self, target: &GraphTarget) -> Plan {
        let mut relation = Relation::unit();
        let of_default = matches!(target, GraphTarget::DefaultGraph | GraphTarget::AllGraphs);
        let of_named = match target {
            GraphTarget::NamedNode(iri) => Some(Some(self.constant(&mut relation, iri.as_str()))),
            GraphTarget::NamedGraphs | GraphTarget::AllGraphs => Some(None),
            GraphTarget::DefaultGraph => None,
        };
        self.relies_on_all();
        let mut plan = relation.plan;
        if of_default {
            plan = self.cleared(plan, None);
        }
        if let Some(graph) = of_named {
            if of_default {
                plan = Plan::Limit { input: Box::new(plan), count: Expr::Const(Value::Int(0)) };
                // One row again, whatever was deleted.
                let count = self.anonymous(LogicalType::Int);
                let counted = trimorph_algebra::Aggregate {
                    kind: trimorph_algebra::AggregateKind::CountStar,
                    arg: None,
                    parameter: None,
                    distinct: false,
                    order: None,
                    span: Default::default(),
                };
                plan = Plan::Aggregate {
                    input: Box::new(plan),
                    keys: Vec::new(),
                    aggregates: vec![(count, counted)],
                };
            }
            let graph = graph.unwrap_or_else(|| self.anonymous(LogicalType::Any));
            plan = self.cleared(plan, Some(graph));
        }
        Plan::Project { input: Box::new(plan), items: Vec::new() }
    }

    fn cleared(&mut self, plan: Plan, graph: Option<VarId>) -> Plan {
        let [subject, predicate, object] = [(); 3].map(|()| self.anonymous(LogicalType::Any));
        let choice = graph.map_or(GraphChoice::Default, |var| GraphChoice::Named(var, None));
        let pattern = trimorph_algebra::TriplePattern {
            subject,
            predicate: PredicateTerm::Var(predicate),
            object,
            graph: choice,
            count: None,
            among: None,
        };
        let found = Plan::Statements { input: Box::new(plan), pattern };
        let change = Change::DeleteStatement(StatementVars { subject, predicate, object, graph });
        let update = Update { values: Vec::new(), changes: vec![change], takes_turns: false };
        Plan::Update { input: Box::new(found), update }
    }
}

fn has_blank(term: &Term) -> bool {
    match term {
        Term::BlankNode(_) => true,
        Term::Triple(triple) => is_blank(&triple.subject) || has_blank(&triple.object),
        Term::NamedNode(_) | Term::Literal(_) => false,
    }
}

fn blank(node: &BlankNode) -> Value {
    Value::iri(format!("_:{}", node.as_str()))
}

fn subject(term: &NamedOrBlankNode) -> Value {
    match term {
        NamedOrBlankNode::NamedNode(iri) => Value::iri(iri.as_str()),
        NamedOrBlankNode::BlankNode(node) => blank(node),
    }
}

fn object(term: &Term) -> Value {
    match term {
        Term::NamedNode(iri) => Value::iri(iri.as_str()),
        Term::BlankNode(node) => blank(node),
        Term::Literal(own) => literal(own),
        Term::Triple(triple) => {
            let parts =
                [subject(&triple.subject), Value::iri(triple.predicate.as_str()), object(&triple.object)];
            triple_of([&parts[0], &parts[1], &parts[2]])
        }
    }
}

fn graph_name(name: &GraphName) -> Value {
    match name {
        GraphName::NamedNode(iri) => Value::iri(iri.as_str()),
        GraphName::DefaultGraph => Value::Null,
    }
}

fn of_quad(quad: &QuadPattern) -> Template {
    let triple = TriplePattern {
        subject: quad.subject.clone(),
        predicate: quad.predicate.clone(),
        object: quad.object.clone(),
    };
    Template { triple, graph: quad.graph_name.clone() }
}

fn of_ground(quad: &GroundQuadPattern) -> Template {
    let triple = TriplePattern {
        subject: of_ground_term(&quad.subject),
        predicate: quad.predicate.clone(),
        object: of_ground_term(&quad.object),
    };
    Template { triple, graph: quad.graph_name.clone() }
}

fn of_ground_term(term: &GroundTermPattern) -> TermPattern {
    match term {
        GroundTermPattern::NamedNode(iri) => TermPattern::NamedNode(iri.clone()),
        GroundTermPattern::Literal(own) => TermPattern::Literal(own.clone()),
        GroundTermPattern::Variable(variable) => TermPattern::Variable(variable.clone()),
        GroundTermPattern::Triple(triple) => TermPattern::Triple(Box::new(TriplePattern {
            subject: of_ground_term(&triple.subject),
            predicate: triple.predicate.clone(),
            object: of_ground_term(&triple.object),
        })),
    }
}
