//! Expressions: SPARQL's into the algebra's. Errors and unbound variables are null, so that AND, OR, NOT and
//! IN are the algebra's own; where types are known and mean the same, so are comparisons.
//!
//! Source: SPARQL 1.1 §17.

use std::sync::Arc;

use spargebra::algebra::{Expression, Function, GraphPattern};
use spargebra::term::Variable;
use trimorph_algebra::{ApplyKind, Expr, Op, Plan};
use trimorph_base::{Diagnostic, ErrorKind, nearest};
use trimorph_types::rdf::names::XSD;
use trimorph_types::{LogicalType, Value};

use super::compared::{compares_surely, equal_are_same, equals};
use super::relation::{
    Active, Name, Relation, Shape, Slot, Source, call, equal, given_value, is_not_null, is_null, negated,
};
use super::scope::{Names, may_be_bound, mentioned, name_of, visible};
use super::typed::{Typed, as_number, computed_of, constant, is_iri};
use super::{Binder, Bound};
use crate::terms::literal;

/// Variables that may be unbound and that an EXISTS asks for: a case each way is planned for each.
const UNSURE_MAX: usize = 5;

/// The parts of a conjunction.
pub(super) fn conjuncts<'e>(expression: &'e Expression, out: &mut Vec<&'e Expression>) {
    let mut left = vec![expression];
    while let Some(expression) = left.pop() {
        match expression {
            Expression::And(a, b) => {
                left.push(b);
                left.push(a);
            }
            other => out.push(other),
        }
    }
}

impl Binder<'_> {
    /// Keeps the rows for which an expression is true.
    pub(super) fn filter(
        &mut self,
        relation: &mut Relation,
        expression: &Expression,
        active: &Active,
    ) -> Bound<()> {
        let mut parts = Vec::new();
        conjuncts(expression, &mut parts);
        for part in parts {
            let exists = match part {
                Expression::Exists(pattern) => Some((pattern, ApplyKind::Semi)),
                Expression::Not(inner) => match &**inner {
                    Expression::Exists(pattern) => Some((pattern, ApplyKind::Anti)),
                    _ => None,
                },
                _ => None,
            };
            let asked =
                exists.as_ref().and_then(|(pattern, _)| self.asked_of_nodes(relation, pattern, active));
            match (exists, asked) {
                (Some((_, ApplyKind::Anti)), Some(asked)) => relation.filter(negated(asked)),
                (Some(_), Some(asked)) => relation.filter(asked),
                (Some((pattern, kind)), None) => {
                    let subplan = self.exists(relation, pattern, active)?;
                    relation.grow(|input| Plan::Apply { input, subplan: Box::new(subplan), kind });
                }
                (None, _) => {
                    let predicate = self.condition(relation, part, active)?;
                    relation.filter(predicate);
                }
            }
        }
        Ok(())
    }

    /// The rows of a pattern for each row, whose variables stand for their values within it.
    ///
    /// A variable that is not bound in a row is free in the pattern. Where nothing in the pattern can tell,
    /// it is free in all rows, and compared in the end; else rows that bind it and rows that do not are
    /// asked apart.
    fn exists(&mut self, relation: &Relation, pattern: &GraphPattern, active: &Active) -> Bound<Plan> {
        if let Some(plan) = self.exists_by_predicate(relation, pattern, active)? {
            return Ok(plan);
        }
        let (names, binds) = (mentioned(pattern), visible(pattern));
        let mut row = relation.argument(active);
        row.slots.retain(|name, slot| slot.certain || names.contains(name));
        let is_unsure = |(name, slot): &(&Name, &Slot)| !slot.certain && binds.contains(*name);
        let unsure: Vec<Name> =
            row.slots.iter().filter(is_unsure).map(|(name, _)| Arc::clone(name)).collect();
        let (free, told): (Vec<Name>, Vec<Name>) =
            unsure.into_iter().partition(|name| may_be_bound(pattern, &Names::from([Arc::clone(name)])));
        if told.is_empty() {
            return Ok(self.exists_in(row, pattern, &free, active)?.plan);
        }
        if told.len() > UNSURE_MAX {
            let primary = format!("EXISTS asks for more than {UNSURE_MAX} variables that may be unbound");
            let error = Diagnostic::compile(ErrorKind::SemanticError, "TooComplex", primary);
            return Err(error.hint("ask for them in several EXISTS"));
        }
        let cases = self.either(row, 1 << told.len(), active, &mut |own, row, case| {
            let mut row = row.clone();
            for (bit, name) in told.iter().enumerate() {
                let Some(slot) = row.slots.get_mut(name) else { continue };
                let value = slot.value();
                if (case >> bit) & 1 == 1 {
                    slot.certain = true;
                    row.filter(is_not_null(value));
                } else {
                    row.slots.remove(name);
                    row.filter(is_null(value));
                }
            }
            own.exists_in(row, pattern, &free, active)
        })?;
        Ok(cases.plan)
    }

    /// The same, where nothing in the pattern can tell whether the variables of `free` are bound.
    fn exists_in(
        &mut self,
        mut row: Relation,
        pattern: &GraphPattern,
        free: &[Name],
        active: &Active,
    ) -> Bound<Relation> {
        let compared: Vec<_> = free.iter().filter_map(|name| Some((name, row.slots.remove(name)?))).collect();
        let around = std::mem::replace(&mut self.substituted, row.slots.clone());
        let mut inner = self.pattern(row, pattern, active)?;
        self.substituted = around;
        for (name, slot) in compared {
            if inner.slots.contains_key(name) {
                self.bind_new(&mut inner, name, slot);
            }
        }
        Ok(inner)
    }

    /// An expression as a condition: its effective boolean value.
    pub(super) fn condition(
        &mut self,
        relation: &mut Relation,
        expression: &Expression,
        active: &Active,
    ) -> Bound<Expr> {
        Ok(truth_of(self.expression(relation, expression, active)?))
    }

    pub(super) fn expression(
        &mut self,
        relation: &mut Relation,
        expression: &Expression,
        active: &Active,
    ) -> Bound<Typed> {
        self.deeper(|own| own.expression_within(relation, expression, active))
    }

    fn expression_within(
        &mut self,
        relation: &mut Relation,
        expression: &Expression,
        active: &Active,
    ) -> Bound<Typed> {
        use Expression as E;
        let boolean = |expr| Typed::plain(expr, LogicalType::Bool);
        Ok(match expression {
            E::NamedNode(node) => {
                Typed { expr: Expr::Const(Value::iri(node.as_str())), shape: Shape::Term, certain: true }
            }
            E::Literal(own) => constant(literal(own)),
            E::Variable(variable) => match relation.slots.get(&name_of(variable)) {
                Some(slot) => Typed { expr: slot.value(), shape: slot.shape, certain: slot.certain },
                None => match self.given_type(&name_of(variable)) {
                    Some(ty) => {
                        let (expr, shape) = given_value(&name_of(variable), ty);
                        Typed { expr, shape, certain: true }
                    }
                    None => Typed::term(Expr::Const(Value::Null)),
                },
            },
            E::Or(..) | E::And(..) => {
                let (op, mut parts) = match expression {
                    E::Or(..) => (Op::Or, disjuncts(expression)),
                    _ => (Op::And, Vec::new()),
                };
                if op == Op::And {
                    conjuncts(expression, &mut parts);
                }
                let parts = parts.into_iter().map(|part| self.condition(relation, part, active));
                boolean(Expr::op(op, parts.collect::<Bound<_>>()?))
            }
            E::Not(inner) => boolean(Expr::op(Op::Not, vec![self.condition(relation, inner, active)?])),
            E::Equal(a, b) => {
                let (a, b) = self.comparable(relation, (a, b), active)?;
                Typed { certain: compares_surely(&a, &b), ..boolean(equals(a, b)) }
            }
            E::SameTerm(a, b) => {
                let (a, b) = (self.expression(relation, a, active)?, self.expression(relation, b, active)?);
                match (a.shape, b.shape) {
                    (Shape::Node, Shape::Node) => boolean(equal(a.expr, b.expr)),
                    (x, y) if equal_are_same(x, y) => boolean(equal(a.expr, b.expr)),
                    (Shape::Node, Shape::Term) if is_iri(&b.expr) => boolean(equals(a, b)),
                    (Shape::Term, Shape::Node) if is_iri(&a.expr) => boolean(equals(a, b)),
                    _ => boolean(call("sparql.same", vec![a.expr, b.expr])),
                }
            }
            E::Greater(a, b) => self.compared(relation, (Op::Gt, "sparql.gt"), (a, b), active)?,
            E::GreaterOrEqual(a, b) => self.compared(relation, (Op::Ge, "sparql.ge"), (a, b), active)?,
            E::Less(a, b) => self.compared(relation, (Op::Lt, "sparql.lt"), (a, b), active)?,
            E::LessOrEqual(a, b) => self.compared(relation, (Op::Le, "sparql.le"), (a, b), active)?,
            E::In(a, list) => {
                let value = as_number(self.expression(relation, a, active)?);
                let mut either = Vec::new();
                for item in list {
                    let item = as_number(self.expression(relation, item, active)?);
                    let own = Typed { expr: value.expr.clone(), shape: value.shape, certain: value.certain };
                    either.push(equals(own, item));
                }
                boolean(match either.len() {
                    0 => Expr::Const(Value::Bool(false)),
                    1 => either.swap_remove(0),
                    _ => Expr::op(Op::Or, either),
                })
            }
            E::Add(a, b) => self.computed_from(relation, "sparql.add", &[a, b], active)?,
            E::Subtract(a, b) => self.computed_from(relation, "sparql.sub", &[a, b], active)?,
            E::Multiply(a, b) => self.computed_from(relation, "sparql.mul", &[a, b], active)?,
            E::Divide(a, b) => self.computed_from(relation, "sparql.div", &[a, b], active)?,
            E::UnaryPlus(a) => self.computed_from(relation, "sparql.plus", &[a], active)?,
            E::UnaryMinus(a) => self.computed_from(relation, "sparql.neg", &[a], active)?,
            E::Exists(pattern) => {
                if let Some(asked) = self.asked_of_nodes(relation, pattern, active) {
                    return Ok(Typed { certain: true, ..boolean(asked) });
                }
                let subplan = Box::new(self.exists(relation, pattern, active)?);
                let mark = self.anonymous(LogicalType::Bool);
                relation.grow(|input| Plan::Apply { input, subplan, kind: ApplyKind::Mark(mark) });
                Typed { certain: true, ..boolean(Expr::Var(mark)) }
            }
            E::Bound(variable) => {
                let slot = relation.slots.get(&name_of(variable));
                let is_given = self.given_type(&name_of(variable)).is_some();
                let is_bound =
                    slot.map_or(Expr::Const(Value::Bool(is_given)), |slot| is_not_null(slot.value()));
                Typed { certain: true, ..boolean(is_bound) }
            }
            E::If(condition, a, b) => {
                let condition = self.expression(relation, condition, active)?;
                let is_sure = condition.certain && condition.shape == Shape::Plain(LogicalType::Bool);
                let condition = truth_of(condition);
                let (a, b) = (self.expression(relation, a, active)?, self.expression(relation, b, active)?);
                let shape = if a.shape == b.shape { a.shape } else { Shape::Term };
                let certain = is_sure && a.certain && b.certain && shape != Shape::Term;
                let value =
                    |typed: Typed| if shape == Shape::Term { in_term_form(typed) } else { typed.expr };
                // An error of the condition is one of the whole.
                let not = Expr::op(Op::Not, vec![condition.clone()]);
                let mut branches = vec![(condition, value(a))];
                let otherwise = match is_sure {
                    true => value(b),
                    false => {
                        branches.push((not, value(b)));
                        Expr::Const(Value::Null)
                    }
                };
                let expr = Expr::Case { branches, otherwise: Box::new(otherwise) };
                Typed { expr, shape, certain }
            }
            E::Coalesce(list) => {
                let all = list
                    .iter()
                    .map(|item| self.expression(relation, item, active))
                    .collect::<Bound<Vec<_>>>()?;
                let shape =
                    all.iter().map(|item| item.shape).reduce(|a, b| if a == b { a } else { Shape::Term });
                let shape = shape.unwrap_or(Shape::Term);
                let certain = shape != Shape::Term && all.iter().any(|item| item.certain);
                let value =
                    |typed: Typed| if shape == Shape::Term { in_term_form(typed) } else { typed.expr };
                let args: Vec<Expr> = all.into_iter().map(value).collect();
                if args.is_empty() {
                    return Ok(Typed::term(Expr::Const(Value::Null)));
                }
                Typed { expr: call("coalesce", args), shape, certain }
            }
            E::FunctionCall(function, args) => self.function(relation, function, args, active)?,
        })
    }

    fn computed_from(
        &mut self,
        relation: &mut Relation,
        function: &str,
        args: &[&Expression],
        active: &Active,
    ) -> Bound<Typed> {
        let args = args.iter().map(|arg| Ok(as_number(self.expression(relation, arg, active)?)));
        Ok(computed_of(function, args.collect::<Bound<_>>()?))
    }

    fn function(
        &mut self,
        relation: &mut Relation,
        function: &Function,
        args: &[Expression],
        active: &Active,
    ) -> Bound<Typed> {
        use LogicalType as L;
        let typed =
            args.iter().map(|arg| self.expression(relation, arg, active)).collect::<Bound<Vec<_>>>()?;
        // Parts of an instant are there wherever it is.
        let is_instant =
            |arg: &Typed| arg.certain && matches!(arg.shape, Shape::Plain(L::DateTime | L::LocalDateTime));
        let is_part = matches!(
            function,
            Function::Year | Function::Month | Function::Day | Function::Hours | Function::Minutes
        );
        let certain = is_part && typed.iter().all(is_instant);
        // Of texts without a language these are the algebra's own, which indexes and zones know.
        let of_texts = match function {
            Function::StrStarts => Some(Op::StartsWith),
            Function::StrEnds => Some(Op::EndsWith),
            Function::Contains => Some(Op::Contains),
            _ => None,
        };
        if let Some(op) = of_texts
            && typed.iter().all(|arg| arg.shape == Shape::Plain(L::String))
        {
            let certain = typed.iter().all(|arg| arg.certain);
            let expr = Expr::op(op, typed.into_iter().map(|arg| arg.expr).collect());
            return Ok(Typed { expr, shape: Shape::Plain(L::Bool), certain });
        }
        let first = typed.first().and_then(|arg| arg.shape.plain());
        let are_texts = typed.iter().all(|arg| arg.shape == Shape::Plain(L::String));
        let mut values: Vec<Expr> = typed.into_iter().map(|arg| arg.expr).collect();
        let (name, ty) = match function {
            Function::Custom(iri) => cast(iri.as_str())?,
            Function::Iri => {
                if let (Some(base), 1) = (&self.base, values.len()) {
                    values.push(Expr::Const(Value::String(Arc::clone(base))));
                }
                ("sparql.iri".to_owned(), None)
            }
            // The same for the same text in one solution, and another in each.
            Function::BNode if values.len() == 1 => {
                values.push(self.row_salt(relation));
                ("sparql.bnode".to_owned(), None)
            }
            other => {
                let (name, ty) = known(other);
                let ty = match other {
                    // Numbers keep their type, and texts without a language give such.
                    Function::Abs | Function::Ceil | Function::Floor | Function::Round => {
                        first.filter(|ty| matches!(ty, L::Float | L::Decimal))
                    }
                    Function::SubStr | Function::UCase | Function::LCase => {
                        first.filter(|ty| *ty == L::String)
                    }
                    Function::Concat | Function::StrBefore | Function::StrAfter | Function::Replace => {
                        first.filter(|ty| *ty == L::String && are_texts)
                    }
                    _ => ty,
                };
                (format!("sparql.{name}"), ty)
            }
        };
        let expr = call(&name, values);
        Ok(match ty {
            Some(ty) => Typed { expr, shape: Shape::Plain(ty), certain },
            None => Typed::term(expr),
        })
    }

    /// A text that each row has for itself.
    fn row_salt(&mut self, relation: &mut Relation) -> Expr {
        let name: super::relation::Name = " row".into();
        if let Some(slot) = relation.slots.get(&name) {
            return slot.value();
        }
        let var = self.anonymous(LogicalType::String);
        relation.extra(vec![(var, call("sparql.struuid", Vec::new()))]);
        let shape = Shape::Plain(LogicalType::String);
        relation.slots.insert(name, Slot::certain(var, shape));
        Expr::Var(var)
    }

    /// The value of an expression as a variable: terms in their form, IRIs as the nodes that they are.
    pub(super) fn computed(
        &mut self,
        relation: &mut Relation,
        variable: &Variable,
        expression: &Expression,
        active: &Active,
    ) -> Bound<Slot> {
        let value = self.expression(relation, expression, active)?;
        let name = name_of(variable);
        let (shape, expr) = match value.shape {
            Shape::Term => (Shape::Term, entity_of(value.expr)),
            shape => (shape, value.expr),
        };
        let var = self.var(&name, shape);
        relation.extra(vec![(var, expr)]);
        Ok(Slot { source: Source::Var(var), shape, certain: value.certain })
    }
}

/// The effective boolean value.
fn truth_of(value: Typed) -> Expr {
    match value.shape {
        Shape::Plain(LogicalType::Bool) => value.expr,
        _ => call("sparql.ebv", vec![value.expr]),
    }
}

/// A value of any kind as a term that others are compared with.
pub(super) fn entity_of(expr: Expr) -> Expr {
    match expr {
        Expr::Const(
            value @ (Value::Null | Value::Int(_) | Value::String(_) | Value::Bool(_) | Value::Literal(_)),
        ) => Expr::Const(value),
        Expr::Var(var) => Expr::Var(var),
        other => call("sparql.entity", vec![call("sparql.term", vec![other])]),
    }
}

fn in_term_form(typed: Typed) -> Expr {
    match typed.shape {
        Shape::Plain(_) => call("sparql.term", vec![typed.expr]),
        _ => typed.expr,
    }
}

fn disjuncts(expression: &Expression) -> Vec<&Expression> {
    let (mut out, mut left) = (Vec::new(), vec![expression]);
    while let Some(expression) = left.pop() {
        match expression {
            Expression::Or(a, b) => {
                left.push(b);
                left.push(a);
            }
            other => out.push(other),
        }
    }
    out
}

/// The cast that an IRI names, and the type of its values where all are of one.
fn cast(iri: &str) -> Bound<(String, Option<LogicalType>)> {
    const CASTS: &[&str] = &[
        "string",
        "boolean",
        "integer",
        "decimal",
        "float",
        "double",
        "dateTime",
        "date",
        "time",
        "duration",
        "dayTimeDuration",
        "yearMonthDuration",
        "long",
        "int",
        "short",
        "byte",
        "nonNegativeInteger",
        "nonPositiveInteger",
        "negativeInteger",
        "positiveInteger",
        "unsignedLong",
        "unsignedInt",
        "unsignedShort",
        "unsignedByte",
    ];
    match iri.strip_prefix(XSD) {
        Some(name) if CASTS.contains(&name) => {
            // Integers may be larger than the type's, and moments have an offset or none.
            let ty = match name {
                "string" => Some(LogicalType::String),
                "boolean" => Some(LogicalType::Bool),
                "decimal" => Some(LogicalType::Decimal),
                "double" => Some(LogicalType::Float),
                _ => None,
            };
            Ok((format!("sparql.xsd.{name}"), ty))
        }
        _ => {
            let primary = format!("there is no function <{iri}>");
            let error = Diagnostic::compile(ErrorKind::SemanticError, "UnknownFunction", primary);
            let near = iri.strip_prefix(XSD).and_then(|name| nearest(name, CASTS.iter().copied()));
            Err(match near {
                Some(near) => error.hint(format!("did you mean xsd:{near}?")),
                None => {
                    error.hint("functions are those of SPARQL 1.1 and 1.2, and casts to types of XML Schema")
                }
            })
        }
    }
}

/// The name of a function, and the type of its values where all are of one.
fn known(function: &Function) -> (&'static str, Option<LogicalType>) {
    use Function as F;
    use LogicalType::{Bool, Decimal, Float, Int, String};
    match function {
        F::Str => ("str", Some(String)),
        F::Lang => ("lang", Some(String)),
        F::LangMatches => ("langmatches", Some(Bool)),
        F::Datatype => ("datatype", None),
        F::Iri => ("iri", None),
        F::BNode => ("bnode", None),
        F::Rand => ("rand", Some(Float)),
        F::Abs => ("abs", None),
        F::Ceil => ("ceil", None),
        F::Floor => ("floor", None),
        F::Round => ("round", None),
        F::Concat => ("concat", None),
        F::SubStr => ("substr", None),
        F::StrLen => ("strlen", Some(Int)),
        F::Replace => ("replace", None),
        F::UCase => ("ucase", None),
        F::LCase => ("lcase", None),
        F::EncodeForUri => ("encode_for_uri", Some(String)),
        F::Contains => ("contains", Some(Bool)),
        F::StrStarts => ("strstarts", Some(Bool)),
        F::StrEnds => ("strends", Some(Bool)),
        F::StrBefore => ("strbefore", None),
        F::StrAfter => ("strafter", None),
        F::Year => ("year", Some(Int)),
        F::Month => ("month", Some(Int)),
        F::Day => ("day", Some(Int)),
        F::Hours => ("hours", Some(Int)),
        F::Minutes => ("minutes", Some(Int)),
        F::Seconds => ("seconds", Some(Decimal)),
        F::Timezone => ("timezone", None),
        F::Tz => ("tz", Some(String)),
        F::Now => ("now", None),
        F::Uuid => ("uuid", None),
        F::StrUuid => ("struuid", Some(String)),
        F::Md5 => ("md5", Some(String)),
        F::Sha1 => ("sha1", Some(String)),
        F::Sha256 => ("sha256", Some(String)),
        F::Sha384 => ("sha384", Some(String)),
        F::Sha512 => ("sha512", Some(String)),
        F::StrLang => ("strlang", None),
        F::StrDt => ("strdt", None),
        F::IsIri => ("isiri", Some(Bool)),
        F::IsBlank => ("isblank", Some(Bool)),
        F::IsLiteral => ("isliteral", Some(Bool)),
        F::IsNumeric => ("isnumeric", Some(Bool)),
        F::Regex => ("regex", Some(Bool)),
        F::Triple => ("triple", None),
        F::Subject => ("subject", None),
        F::Predicate => ("predicate", None),
        F::Object => ("object", None),
        F::IsTriple => ("istriple", Some(Bool)),
        F::LangDir => ("langdir", Some(String)),
        F::HasLang => ("haslang", Some(Bool)),
        F::HasLangDir => ("haslangdir", Some(Bool)),
        F::StrLangDir => ("strlangdir", None),
        F::Custom(_) => ("", None),
    }
}
