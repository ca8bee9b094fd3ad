//! CONSTRUCT and DESCRIBE: statements as rows of subject, predicate and object, each once.

use std::collections::BTreeMap;
use std::sync::Arc;

use spargebra::algebra::GraphPattern;
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};
use trimorph_algebra::{Expr, GraphChoice, Op, PathExpr, Plan, PredicateTerm, PropertyPath, VarId};
use trimorph_types::{LogicalType, Value};

use super::relation::{Active, Name, Relation, Shape, Slot, call, is_not_null};
use super::scope::{name_of, selected};
use super::{Binder, Bound};
use crate::terms::literal;

impl Binder<'_> {
    pub(super) fn construct(
        &mut self,
        template: &[TriplePattern],
        pattern: &GraphPattern,
    ) -> Bound<(Plan, Vec<(String, VarId)>)> {
        let mut relation = self.pattern(Relation::unit(), pattern, &Active::Default)?;
        self.with_all_given(&mut relation);
        // Blank nodes of the template are new for each solution.
        let mut blanks: BTreeMap<String, VarId> = BTreeMap::new();
        let mut rows = Vec::new();
        for triple in template {
            let predicate = match &triple.predicate {
                NamedNodePattern::NamedNode(iri) => Expr::Const(Value::iri(iri.as_str())),
                NamedNodePattern::Variable(variable) => named(&relation, &name_of(variable)),
            };
            let subject = self.template_term(&mut relation, &triple.subject, &mut blanks)?;
            let object = self.template_term(&mut relation, &triple.object, &mut blanks)?;
            rows.push(Expr::List(vec![subject, predicate, object]));
        }
        let row = self.anonymous(LogicalType::List);
        relation.grow(|input| Plan::Unwind { input, list: Expr::List(rows), var: row });
        let at = |place: i64| Expr::op(Op::Index, vec![Expr::Var(row), Expr::Const(Value::Int(place))]);
        Ok(self.as_statements(relation, [at(0), at(1), at(2)]))
    }

    /// A term of a template.
    pub(super) fn template_term(
        &mut self,
        relation: &mut Relation,
        term: &TermPattern,
        blanks: &mut BTreeMap<String, VarId>,
    ) -> Bound<Expr> {
        Ok(match term {
            TermPattern::NamedNode(iri) => Expr::Const(Value::iri(iri.as_str())),
            TermPattern::Literal(own) => Expr::Const(literal(own)),
            TermPattern::Variable(variable) => named(relation, &name_of(variable)),
            TermPattern::BlankNode(node) => {
                let var = match blanks.get(node.as_str()) {
                    Some(var) => *var,
                    None => {
                        let var = self.anonymous(LogicalType::Any);
                        relation.extra(vec![(var, call("sparql.bnode", Vec::new()))]);
                        blanks.insert(node.as_str().to_owned(), var);
                        var
                    }
                };
                Expr::Var(var)
            }
            TermPattern::Triple(triple) => {
                let predicate = match &triple.predicate {
                    NamedNodePattern::NamedNode(iri) => Expr::Const(Value::iri(iri.as_str())),
                    NamedNodePattern::Variable(variable) => named(relation, &name_of(variable)),
                };
                let subject = self.deeper(|own| own.template_term(relation, &triple.subject, blanks))?;
                let object = self.deeper(|own| own.template_term(relation, &triple.object, blanks))?;
                call("sparql.triple", vec![subject, predicate, object])
            }
        })
    }

    pub(super) fn describe(&mut self, pattern: &GraphPattern) -> Bound<(Plan, Vec<(String, VarId)>)> {
        let mut relation = self.pattern(Relation::unit(), pattern, &Active::Default)?;
        self.with_all_given(&mut relation);
        let described: Vec<Slot> =
            selected(pattern).iter().filter_map(|name| relation.slots.get(name).cloned()).collect();
        let all = described.iter().map(Slot::value).collect();
        let one = self.anonymous(LogicalType::Any);
        relation.grow(|input| Plan::Unwind { input, list: Expr::List(all), var: one });
        let node = self.anonymous(LogicalType::Node);
        relation.extra(vec![(node, call("sparql.node", vec![Expr::Var(one)]))]);
        relation.filter(is_not_null(Expr::Var(node)));
        relation.grow(|input| Plan::Distinct { input, vars: vec![node] });
        let (predicate, object) = (self.anonymous(LogicalType::Any), self.anonymous(LogicalType::Any));
        self.relies_on_all();
        let graph = match &self.dataset {
            None => GraphChoice::Default,
            Some(dataset) => {
                GraphChoice::Union(dataset.default.iter().map(|iri| Arc::from(iri.as_str())).collect())
            }
        };
        // A blank node that is told of says nothing by itself: what is told of it comes with it.
        let told = self.anonymous(LogicalType::Any);
        let any = PathExpr::ToBlank(Box::new(PathExpr::Not(Arc::from([]))));
        let path = PropertyPath {
            from: node,
            to: told,
            path: PathExpr::ZeroOrMore(Box::new(any)),
            graph: graph.clone(),
            within: false,
        };
        relation.grow(|input| Plan::PropertyPath { input, path });
        relation.grow(|input| Plan::Distinct { input, vars: vec![told] });
        let pattern = trimorph_algebra::TriplePattern {
            subject: told,
            predicate: PredicateTerm::Var(predicate),
            object,
            graph,
            count: None,
            among: None,
        };
        relation.grow(|input| Plan::Statements { input, pattern });
        Ok(self.as_statements(relation, [Expr::Var(told), Expr::Var(predicate), Expr::Var(object)]))
    }

    /// Rows of terms as statements: those that can be none are left out, and none comes twice.
    fn as_statements(&mut self, mut relation: Relation, terms: [Expr; 3]) -> (Plan, Vec<(String, VarId)>) {
        let names = ["subject", "predicate", "object"];
        let vars = names.map(|name| self.vars.named(name, LogicalType::Any));
        let term = |expr: Expr| call("sparql.resource", vec![call("sparql.term", vec![expr])]);
        let items = vars.into_iter().zip(terms.map(term)).collect();
        relation.grow(|input| Plan::Project { input, items });
        let is = |function: &str, var: VarId| call(function, vec![Expr::Var(var)]);
        let [subject, predicate, object] = vars;
        relation.filter(Expr::op(
            Op::And,
            vec![
                Expr::op(Op::Or, vec![is("sparql.isiri", subject), is("sparql.isblank", subject)]),
                is("sparql.isiri", predicate),
                is_not_null(Expr::Var(object)),
            ],
        ));
        relation.grow(|input| Plan::Distinct { input, vars: vars.to_vec() });
        let columns = names.into_iter().map(str::to_owned).zip(vars).collect();
        (relation.plan, columns)
    }
}

/// The value of a variable, or null where it has none.
pub(super) fn named(relation: &Relation, name: &Name) -> Expr {
    relation.slots.get(name).map_or(Expr::Const(Value::Null), |slot| match slot.shape {
        Shape::Plain(_) => slot.term(),
        _ => slot.value(),
    })
}
