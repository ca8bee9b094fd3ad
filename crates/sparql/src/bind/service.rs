//! `SERVICE`: a pattern that another server is asked, as a procedure whose rows are its solutions.
//!
//! 1. The pattern goes out as the text of a query for all its variables; the server answers it by itself.
//! 2. A server that is named is asked once, and its solutions are joined with what stands beside.
//! 3. Where a variable names it, what stands before says which: each one is asked once.
//!
//! Source: SPARQL 1.1 Federated Query.

use std::sync::Arc;

use spargebra::Query;
use spargebra::algebra::GraphPattern;
use spargebra::term::{NamedNodePattern, Variable};
use trimorph_algebra::{Expr, Op, Plan, ProcedureCall, VarId};
use trimorph_base::{Diagnostic, ErrorKind, Span};
use trimorph_types::{LogicalType, Value};

use super::relation::{Name, Relation, Shape, Slot, Source, call};
use super::scope::{certain, name_of, visible};
use super::{Binder, Bound};

impl Binder<'_> {
    pub(super) fn service(
        &mut self,
        mut relation: Relation,
        server: &NamedNodePattern,
        inner: &GraphPattern,
        silent: bool,
    ) -> Bound<Relation> {
        let names: Vec<Name> =
            visible(inner).into_iter().filter(|name| !name.starts_with(['_', ' '])).collect();
        if self.service.is_none() && !silent {
            let error = Diagnostic::compile(
                ErrorKind::SemanticError,
                "ServiceNotAllowed",
                "SERVICE asks another server, and this database was opened without access to the network",
            );
            return Err(error.hint("open it with network_access (command line: --network-access)"));
        }
        let NamedNodePattern::Variable(variable) = server else {
            let NamedNodePattern::NamedNode(iri) = server else { return Ok(relation) };
            let mut own = Relation::unit();
            let sure = certain(inner);
            self.ask(&mut own, Expr::Const(Value::iri(iri.as_str())), inner, &names, silent);
            for (name, slot) in &mut own.slots {
                slot.certain = !silent && sure.contains(name);
            }
            return if relation.is_unit() { Ok(own) } else { self.join(relation, own) };
        };
        let name = name_of(variable);
        self.with_given(&mut relation, [Arc::clone(&name)]);
        let Some(slot) = relation.slots.get(&name).filter(|slot| slot.certain).cloned() else {
            let primary = format!("nothing before SERVICE says which server ?{name} is");
            let error = Diagnostic::compile(ErrorKind::SemanticError, "UnboundService", primary);
            return Err(error.hint("bind it first, for example by VALUES, or write the server's IRI"));
        };
        // Each server once.
        let mut each = relation.clone();
        let held = self.held(&mut each, &slot);
        each.grow(|input| Plan::Distinct { input, vars: vec![held] });
        each.slots.clear();
        // Beside the same rows it needs a name of its own.
        let own = self.var(&name, slot.shape);
        each.grow(|input| Plan::Project { input, items: vec![(own, Expr::Var(held))] });
        let slot = Slot { source: Source::Var(own), ..slot };
        let endpoint = call("sparql.resource", vec![slot.term()]);
        self.ask(&mut each, endpoint, inner, &names, silent);
        self.bind_new(&mut each, &name, slot);
        self.join(relation, each)
    }

    /// Adds the solutions that a server gives for each row.
    fn ask(
        &mut self,
        relation: &mut Relation,
        endpoint: Expr,
        inner: &GraphPattern,
        names: &[Name],
        silent: bool,
    ) {
        let variables = names.iter().map(|name| Variable::new_unchecked(&**name)).collect();
        let pattern = GraphPattern::Project { inner: Box::new(inner.clone()), variables };
        let text = Query::Select { dataset: None, pattern, base_iri: None }.to_string();
        let Some(procedure) = self.service.cloned() else {
            // A server that may not be asked is one that does not answer.
            return;
        };
        let listed = Value::list(names.iter().map(|name| Value::string(&**name)).collect());
        let arguments = vec![
            endpoint,
            Expr::Const(Value::string(text)),
            Expr::Const(listed),
            Expr::Const(Value::Bool(silent)),
        ];
        let row: VarId = self.anonymous(LogicalType::List);
        let asked = ProcedureCall { procedure, arguments, outputs: vec![(0, row)], span: Span::default() };
        relation.grow(|input| Plan::ProcedureCall { input, call: asked });
        for (place, name) in (0..).zip(names) {
            let var = self.var(name, Shape::Term);
            let at = Expr::op(Op::Index, vec![Expr::Var(row), Expr::Const(Value::Int(place))]);
            relation.extra(vec![(var, call("sparql.entity", vec![at]))]);
            let slot = Slot { source: Source::Var(var), shape: Shape::Term, certain: false };
            self.bind_new(relation, name, slot);
        }
    }
}
