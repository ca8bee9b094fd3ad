//! Property paths: what a path is made of that a join or a union says is one; the rest is searched for.

use std::sync::Arc;

use spargebra::algebra::PropertyPathExpression as Path;
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern, Variable};
use trimorph_algebra::{Expr, Op, PathExpr, Plan, PropertyPath};
use trimorph_types::Value;

use super::relation::{Active, Relation, Shape, Slot, call};
use super::scope::name_of;
use super::triples::bound_name;
use super::{Binder, Bound};

impl Binder<'_> {
    pub(super) fn path(
        &mut self,
        relation: Relation,
        ends: (&TermPattern, &Path, &TermPattern),
        active: &Active,
    ) -> Bound<Relation> {
        self.deeper(|own| own.path_within(relation, ends, active))
    }

    fn path_within(
        &mut self,
        relation: Relation,
        (subject, path, object): (&TermPattern, &Path, &TermPattern),
        active: &Active,
    ) -> Bound<Relation> {
        let triple = |predicate: NamedNodePattern| TriplePattern {
            subject: subject.clone(),
            predicate,
            object: object.clone(),
        };
        match path {
            Path::NamedNode(iri) => self.triples(relation, &[triple(iri.clone().into())], active),
            Path::Reverse(inner) => self.path(relation, (object, inner, subject), active),
            Path::Sequence(first, second) => {
                let between = self.made_variable();
                let between = TermPattern::Variable(between);
                let relation = self.path(relation, (subject, first, &between), active)?;
                self.path(relation, (&between, second, object), active)
            }
            Path::Alternative(a, b) => {
                let paths = [a, b];
                self.either(relation, 2, active, &mut |own, from, at| {
                    own.path(from.clone(), (subject, paths[at], object), active)
                })
            }
            Path::NegatedPropertySet(iris) => {
                let predicate = self.made_variable();
                let name = name_of(&predicate);
                let mut relation = self.triples(relation, &[triple(predicate.into())], active)?;
                if let Some(slot) = relation.slots.remove(&name) {
                    let iris = iris.iter().map(|iri| Value::iri(iri.as_str())).collect();
                    let name = call("sparql.resource", vec![slot.value()]);
                    let among = Expr::op(Op::In, vec![name, Expr::Const(Value::list(iris))]);
                    relation.filter(Expr::op(Op::Not, vec![among]));
                }
                Ok(relation)
            }
            Path::ZeroOrMore(_) | Path::OneOrMore(_) | Path::ZeroOrOne(_) => {
                self.search(relation, (subject, path, object), active)
            }
        }
    }

    pub(super) fn made_variable(&mut self) -> Variable {
        let name = self.made_name();
        Variable::new_unchecked(&*name)
    }

    /// Ends that a path connects, each pair once.
    fn search(
        &mut self,
        mut relation: Relation,
        (subject, path, object): (&TermPattern, &Path, &TermPattern),
        active: &Active,
    ) -> Bound<Relation> {
        let (graph, new_graph) = self.graphs(&mut relation, active);
        let (mut new, mut parts) = (Vec::new(), Vec::new());
        let from = self.end(&mut relation, subject, Shape::Term, &mut new, &mut parts);
        let to = self.end(&mut relation, object, Shape::Term, &mut new, &mut parts);
        self.relies_on_all();
        // A term that is written may be none of the graph; `EXISTS` writes what is bound around it.
        let is_bound = |term: &TermPattern| bound_name(term).is_some();
        let within = !self.substitutes && is_bound(subject) && is_bound(object);
        let path = PropertyPath { from, to, path: converted(path), graph, within };
        relation.grow(|input| Plan::PropertyPath { input, path });
        if let Some((name, var)) = new_graph {
            new.push((name, Slot { var, shape: Shape::Term, certain: true }));
        }
        for (name, slot) in new {
            self.bind_new(&mut relation, &name, slot);
        }
        Ok(relation)
    }
}

fn converted(path: &Path) -> PathExpr {
    match path {
        Path::NamedNode(iri) => PathExpr::Link(iri.as_str().into()),
        Path::Reverse(inner) => PathExpr::Inverse(Box::new(converted(inner))),
        Path::Sequence(a, b) => PathExpr::Sequence(vec![converted(a), converted(b)]),
        Path::Alternative(a, b) => PathExpr::Alternative(vec![converted(a), converted(b)]),
        Path::ZeroOrMore(inner) => PathExpr::ZeroOrMore(Box::new(converted(inner))),
        Path::OneOrMore(inner) => PathExpr::OneOrMore(Box::new(converted(inner))),
        Path::ZeroOrOne(inner) => PathExpr::ZeroOrOne(Box::new(converted(inner))),
        Path::NegatedPropertySet(iris) => {
            PathExpr::Not(iris.iter().map(|iri| Arc::from(iri.as_str())).collect())
        }
    }
}
