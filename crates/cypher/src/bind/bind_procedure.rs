//! `CALL procedure(…) YIELD …`: the name looked up, arguments against the signature, columns bound to
//! variables.

use std::sync::Arc;

use trimorph_algebra::{Content, Expr, Field, Plan, Procedure, ProcedureCall, Signature};
use trimorph_base::{Diagnostic, ErrorKind, Span, arguments_in_words};

use super::Binder;
use super::bind_expression::Typed;
use super::check_types::Type;
use super::context::Context;
use super::part::{Columns, Part};
use super::report::{Bound, already_bound, of_kind, semantic, suggest, with_hint, with_suggestion};
use super::scope::Scope;
use crate::absent;
use crate::ast::{self, CallProcedure, Clause, Query, Yield};

/// The call that is the whole of a query, if it is one.
pub(super) fn standalone(query: &Query) -> Option<&CallProcedure> {
    match query.first.clauses.as_slice() {
        [Clause::CallProcedure(call)] if query.unions.is_empty() => Some(call),
        _ => None,
    }
}

impl<'q> Binder<'q> {
    /// A call by itself: its columns are the result's.
    pub(super) fn standalone_call(&mut self, call: &'q CallProcedure) -> Bound<(Plan, Columns)> {
        let part = Part { plan: Plan::Unit, scope: Scope::default() };
        let (part, columns) = self.procedure_call(part, call, true)?;
        Ok((part.plan, columns))
    }

    /// A call within a query.
    pub(super) fn call_procedure(&mut self, part: Part, call: &'q CallProcedure) -> Bound<Part> {
        Ok(self.procedure_call(part, call, false)?.0)
    }

    fn procedure_call(
        &mut self,
        part: Part,
        call: &'q CallProcedure,
        standalone: bool,
    ) -> Bound<(Part, Columns)> {
        let mut cx = Context::rows(part.scope.clone());
        let written = match &call.arguments {
            Some(written) => {
                let bound = written.iter().map(|argument| self.expression(argument, &mut cx));
                Some(bound.collect::<Bound<Vec<_>>>()?)
            }
            None => None,
        };
        let plan = self.apply(part.plan, cx.hoists)?;
        let procedure = self.procedure(call)?;
        let signature = procedure.signature();
        let arguments = match (written, &call.arguments) {
            (Some(bound), Some(written)) => explicit(bound, written, signature, call)?,
            _ => {
                let parameter = |input: &Field| Expr::Param(self.parameter(&input.name));
                signature.inputs.iter().map(parameter).collect()
            }
        };
        if matches!(call.yields, Yield::Unsaid) && !standalone {
            self.not_yielded.extend(signature.outputs.iter().map(|field| Arc::clone(&field.name)));
        }
        let mut scope = part.scope;
        let (mut columns, mut outputs) = (Columns::new(), Vec::new());
        for (index, name, span) in yielded(call, signature, standalone)? {
            if scope.get(&name).is_some() {
                return Err(already_bound(&name, span));
            }
            let ty = signature.outputs.get(index).map_or(Type::ANY, type_of);
            let var = self.named(&name, ty);
            scope.insert(&name, var);
            outputs.push((index, var));
            columns.push((name, var));
        }
        let call_plan = ProcedureCall { arguments, outputs, span: call.name.span, procedure };
        let mut plan = self.grow(Plan::ProcedureCall { input: Box::new(plan), call: call_plan })?;
        if let Some(predicate) = &call.predicate {
            plan = self.filter(plan, predicate, &scope)?;
        }
        Ok((Part { plan, scope }, columns))
    }

    fn procedure(&self, call: &CallProcedure) -> Bound<Arc<dyn Procedure>> {
        let name = call.name.dotted();
        if let Some(procedure) = self.procedures.get(&name) {
            return Ok(Arc::clone(procedure));
        }
        let primary = format!("procedure \"{name}\" is not known");
        let error = of_kind(ErrorKind::ProcedureError, "ProcedureNotFound", primary, call.name.span);
        if let Some(instead) = absent::procedure(&name) {
            return Err(with_hint(error, instead));
        }
        if self.procedures.names().next().is_none() {
            return Err(with_hint(error, "there are no procedures yet; a subquery is written CALL { … }"));
        }
        Err(with_suggestion(error, suggest(&name, self.procedures.names())))
    }
}

/// Written arguments, one for every input, none of a type that the input cannot be.
fn explicit(
    bound: Vec<Typed>,
    written: &[ast::Expr],
    signature: &Signature,
    call: &CallProcedure,
) -> Bound<Vec<Expr>> {
    if bound.len() != signature.inputs.len() {
        return Err(wrong_count(signature, bound.len(), call.name.span));
    }
    for ((argument, input), written) in bound.iter().zip(&signature.inputs).zip(written) {
        let fits = match argument.is_null() {
            true => input.ty.nullable,
            false => input.ty.may_take(argument.ty.is, argument.ty.element),
        };
        if !fits {
            let given = if argument.is_null() { "null" } else { argument.ty.is.name() };
            let primary = format!("input \"{}\" of the procedure is {}, not {given}", input.name, input.ty);
            return Err(semantic("InvalidArgumentType", primary, written.span));
        }
    }
    Ok(bound.into_iter().map(|argument| argument.expr).collect())
}

fn wrong_count(signature: &Signature, count: usize, span: Span) -> Box<Diagnostic> {
    let expected = arguments_in_words(signature.inputs.len(), signature.inputs.len());
    let primary = format!("procedure \"{}\" takes {expected}, not {count}", signature.name);
    with_hint(semantic("InvalidNumberOfArguments", primary, span), &format!("it is {signature}"))
}

/// The outputs asked for: which, the name each is bound to, and where that name is written.
fn yielded(
    call: &CallProcedure,
    signature: &Signature,
    standalone: bool,
) -> Bound<Vec<(usize, String, Span)>> {
    let items = match &call.yields {
        Yield::Unsaid if !standalone => return Ok(Vec::new()),
        Yield::Unsaid | Yield::Star(_) => {
            let all = signature.outputs.iter().enumerate();
            return Ok(all.map(|(index, field)| (index, field.name.to_string(), call.span)).collect());
        }
        Yield::Items(items) => items,
    };
    let mut found = Vec::with_capacity(items.len());
    for item in items {
        let index = signature.outputs.iter().position(|field| *field.name == *item.field.text);
        let Some(index) = index else {
            let primary = format!("procedure \"{}\" has no column \"{}\"", signature.name, item.field.text);
            let error = semantic("UndefinedVariable", primary, item.field.span);
            let names = signature.outputs.iter().map(|field| &*field.name);
            return Err(with_suggestion(error, suggest(&item.field.text, names)));
        };
        let name = item.alias.as_ref().unwrap_or(&item.field);
        found.push((index, name.text.clone(), name.span));
    }
    Ok(found)
}

/// What is known of an output.
fn type_of(field: &Field) -> Type {
    match &field.ty.content {
        Content::List(item) => Type::list(item.logical()),
        _ => Type::of(field.ty.logical()),
    }
}
