//! Calls of scalar functions.

use std::sync::Arc;

use trimorph_algebra::{Expr, Op, UserFunction};
use trimorph_base::{Span, arguments_in_words};
use trimorph_types::LogicalType;

use super::Binder;
use super::FunctionInfo;
use super::bind_expression::Typed;
use super::check_types::{Type, argument_types, expect, result_type};
use super::context::Context;
use super::report::{Bound, semantic, suggest, with_suggestion};
use super::walk_expression::AGGREGATES;
use crate::absent;
use crate::ast::{self, ExprKind};

impl<'q> Binder<'q> {
    #[inline(never)]
    pub(super) fn function(
        &mut self,
        call: &'q ast::FunctionCall,
        span: Span,
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let name = call.name.dotted().to_lowercase();
        if call.distinct {
            let primary = format!("DISTINCT cannot stand in a call of \"{}\"", call.name.dotted());
            return Err(semantic("UnexpectedSyntax", primary, span));
        }
        match (name.as_str(), call.arguments.as_slice()) {
            ("exists", [argument]) => return self.exists(argument, span, cx),
            ("size", [ast::Expr { kind: ExprKind::PatternComprehension(c), .. }]) => {
                return self.pattern_comprehension(c, true, cx);
            }
            ("size", [ast::Expr { kind: ExprKind::Subquery(subquery), span }])
                if matches!(subquery.kind, ast::SubqueryKind::Collect) =>
            {
                return self.subquery(subquery, true, *span, cx);
            }
            _ => {}
        }
        let own = match self.functions.lookup(&name) {
            Some(_) => None,
            None => self.procedures.function(&name),
        };
        if let Some(function) = own {
            return self.user_function(Arc::clone(function), call, span, cx);
        }
        let info = self.signature(call, &name)?;
        let mut args = Vec::with_capacity(call.arguments.len());
        let mut types = Vec::with_capacity(call.arguments.len());
        for (index, argument) in call.arguments.iter().enumerate() {
            let bound = self.expression(argument, cx)?;
            if index == 0
                && let Some(allowed) = argument_types(&name)
            {
                let what = format!("the argument of {}()", call.name.dotted());
                let checked = expect(bound.ty, allowed, &what, argument.span);
                checked.map_err(|error| match (name.as_str(), bound.ty.is) {
                    ("length", LogicalType::String | LogicalType::List) => {
                        with_suggestion(error, Some("write size(x)".to_owned()))
                    }
                    _ => error,
                })?;
            }
            args.push(bound.expr);
            types.push(bound.ty);
        }
        let logical: Vec<LogicalType> = types.iter().map(|ty| ty.is).collect();
        let ty = result_type(&name, &types, (info.result)(&logical));
        let name: Arc<str> = name.into();
        Ok(Typed::new(Expr::Call(name, args, span), ty))
    }

    /// A call of a function that the program gave.
    fn user_function(
        &mut self,
        function: Arc<dyn UserFunction>,
        call: &'q ast::FunctionCall,
        span: Span,
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let (least, most) = function.arguments();
        let count = call.arguments.len();
        if !(least..=most).contains(&count) {
            return Err(self.wrong_count(&call.name, (least, most), count));
        }
        let mut args = Vec::with_capacity(count);
        let mut types = Vec::with_capacity(count);
        for argument in &call.arguments {
            let bound = self.expression(argument, cx)?;
            args.push(bound.expr);
            types.push(bound.ty);
        }
        let ty = result_type("", &types, function.result());
        Ok(Typed::new(Expr::UserCall(function, args, span), ty))
    }

    /// `exists((a)-->(b))` or `exists(n.key)`.
    fn exists(&mut self, argument: &'q ast::Expr, span: Span, cx: &mut Context<'q>) -> Bound<Typed> {
        let value = self.expression(argument, cx)?;
        if let ExprKind::Pattern(_) = argument.kind {
            return Ok(value);
        }
        Ok(Typed::new(Expr::Op(Op::IsNotNull, vec![value.expr], span), Type::BOOL))
    }

    /// Looks the function up and checks the number of arguments.
    fn signature(&self, call: &ast::FunctionCall, name: &str) -> Bound<FunctionInfo> {
        let Some(info) = self.functions.lookup(name) else {
            let written = call.name.dotted();
            let error =
                semantic("UnknownFunction", format!("function \"{written}\" is not known"), call.name.span);
            if let Some(instead) = absent::function(&written) {
                return Err(with_suggestion(error, Some(instead.to_owned())));
            }
            let names = self.functions.names();
            let own = self.procedures.function_names();
            let candidates = names.into_iter().chain(AGGREGATES.iter().copied()).chain(own);
            return Err(with_suggestion(error, suggest(&written, candidates)));
        };
        let count = call.arguments.len();
        if (info.min_args..=info.max_args).contains(&count) {
            return Ok(info);
        }
        Err(self.wrong_count(&call.name, (info.min_args, info.max_args), count))
    }

    /// A call with the wrong number of arguments.
    pub(super) fn wrong_count(
        &self,
        name: &ast::QualifiedName,
        (min, max): (usize, usize),
        count: usize,
    ) -> Box<trimorph_base::Diagnostic> {
        let expected = arguments_in_words(min, max);
        let primary = format!("function \"{}\" takes {expected}, not {count}", name.dotted());
        let error = semantic("InvalidNumberOfArguments", primary, name.span);
        let signature = self.functions.signature(&name.dotted().to_lowercase());
        with_suggestion(error, signature.map(|signature| format!("write {signature}")))
    }
}
