//! Shows trees as short text in which every grouping is bracketed.

use crate::ast::*;

pub(super) fn name(name: &Name) -> String {
    match &name.prefix {
        Some(prefix) => format!("{}::{}", prefix.text, name.text),
        None => name.text.clone(),
    }
}

fn list<T>(items: &[T], between: &str, show: impl Fn(&T) -> String) -> String {
    items.iter().map(show).collect::<Vec<_>>().join(between)
}

fn exprs(items: &[Expr]) -> String {
    list(items, " ", expr)
}

fn option<T>(before: &str, value: Option<&T>, show: impl Fn(&T) -> String) -> String {
    value.map_or(String::new(), |value| format!("{before}{}", show(value)))
}

fn entry(entry: &MapEntry) -> String {
    format!("{}:{}", name(&entry.key), expr(&entry.value))
}

pub(super) fn labels(expr: &LabelExpr) -> String {
    match &expr.kind {
        LabelExprKind::Name(n) => name(n),
        LabelExprKind::Any => "%".to_owned(),
        LabelExprKind::Not(inner) => format!("!{}", labels(inner)),
        LabelExprKind::And(parts) => format!("({})", list(parts, "&", labels)),
        LabelExprKind::Or(parts) => format!("({})", list(parts, "|", labels)),
    }
}

pub(super) fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Literal(Literal::String(s)) => format!("{s:?}"),
        ExprKind::Literal(Literal::Integer(n)) => n.to_string(),
        ExprKind::Literal(Literal::Float(f)) => format!("{f:?}"),
        ExprKind::Literal(Literal::Boolean(b)) => b.to_string(),
        ExprKind::Literal(Literal::Null) => "null".to_owned(),
        ExprKind::Variable(v) => v.clone(),
        ExprKind::Parameter(p) => format!("${p}"),
        ExprKind::List(items) => format!("[{}]", exprs(items)),
        ExprKind::Map(entries) => format!("{{{}}}", list(entries, " ", entry)),
        ExprKind::Property { base, key } => format!("(. {} {})", expr(base), name(key)),
        ExprKind::Index { base, index } => format!("([] {} {})", expr(base), expr(index)),
        ExprKind::Slice { base, from, to } => {
            let show = |side: &Option<Box<Expr>>| side.as_ref().map_or("_".to_owned(), |e| expr(e));
            format!("([..] {} {} {})", expr(base), show(from), show(to))
        }
        ExprKind::HasLabels { base, labels: l } => format!("(: {} {})", expr(base), labels(l)),
        ExprKind::Unary { op: UnaryOp::Minus, operand } => format!("(- {})", expr(operand)),
        ExprKind::Unary { op: UnaryOp::Plus, operand } => format!("(+ {})", expr(operand)),
        ExprKind::Chain { first, rest } => rest
            .iter()
            .fold(expr(first), |left, part| format!("({:?} {left} {})", part.op, expr(&part.right))),
        ExprKind::Binary { op, left, right, .. } => format!("({op:?} {} {})", expr(left), expr(right)),
        ExprKind::Comparison { first, rest } => {
            let rest = list(rest, "", |part| format!(" {:?} {}", part.op, expr(&part.right)));
            format!("({}{rest})", expr(first))
        }
        ExprKind::Not(inner) => format!("(not {})", expr(inner)),
        ExprKind::And(items) => format!("(and {})", exprs(items)),
        ExprKind::Or(items) => format!("(or {})", exprs(items)),
        ExprKind::Xor(items) => format!("(xor {})", exprs(items)),
        ExprKind::IsNull { operand, negated: false } => format!("(null? {})", expr(operand)),
        ExprKind::IsNull { operand, negated: true } => format!("(some? {})", expr(operand)),
        ExprKind::CountStar => "count(*)".to_owned(),
        ExprKind::Pattern(p) | ExprKind::ShortestPath(p) => format!("<{}>", path(p)),
        _ => compound(e),
    }
}

fn compound(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Case(case) => {
            let subject = option(" ", case.subject.as_ref(), expr);
            let arms =
                list(&case.arms, "", |arm| format!(" {}=>{}", list(&arm.when, ",", expr), expr(&arm.then)));
            format!("(case{subject}{arms}{})", option(" else ", case.default.as_ref(), expr))
        }
        ExprKind::Function(call) => {
            let distinct = if call.distinct { "distinct " } else { "" };
            format!("{}({distinct}{})", call.name.dotted(), exprs(&call.arguments))
        }
        ExprKind::ListComprehension(c) => format!(
            "[{} in {}{}{}]",
            c.variable.text,
            expr(&c.list),
            option(" where ", c.predicate.as_ref(), expr),
            option(" | ", c.value.as_ref(), expr)
        ),
        ExprKind::PatternComprehension(c) => {
            let predicate = option(" where ", c.predicate.as_ref(), expr);
            format!("[{}{predicate} | {}]", path(&c.path), expr(&c.value))
        }
        ExprKind::Quantifier(q) => format!(
            "{:?}({} in {}{})",
            q.kind,
            q.variable.text,
            expr(&q.list),
            option(" where ", q.predicate.as_ref(), expr)
        ),
        ExprKind::Reduce(r) => format!(
            "reduce({}={} {} in {} | {})",
            r.accumulator.text,
            expr(&r.init),
            r.variable.text,
            expr(&r.list),
            expr(&r.body)
        ),
        ExprKind::MapProjection(m) => {
            let items = list(&m.items, " ", |item| match item {
                MapProjectionItem::All(_) => ".*".to_owned(),
                MapProjectionItem::Property(key) => format!(".{}", name(key)),
                MapProjectionItem::Variable(v) => v.text.clone(),
                MapProjectionItem::Entry(e) => entry(e),
            });
            format!("{}{{{items}}}", m.subject.text)
        }
        ExprKind::Subquery(s) => match &s.body {
            SubqueryBody::Pattern { pattern: p, predicate } => {
                format!("{:?}{{{}{}}}", s.kind, pattern(p), option(" where ", predicate.as_ref(), expr))
            }
            SubqueryBody::Query(q) => format!("{:?}{{{}}}", s.kind, query(q)),
        },
        other => format!("{other:?}"),
    }
}

pub(super) fn pattern(paths: &[PathPattern]) -> String {
    list(paths, ", ", path)
}

pub(super) fn path(p: &PathPattern) -> String {
    let variable = p.variable.as_ref().map_or(String::new(), |v| format!("{}=", v.text));
    let steps =
        list(&p.steps, "", |step| format!("{}{}", relationship(&step.relationship), node(&step.node)));
    let body = format!("{}{steps}", node(&p.start));
    match p.search {
        PathSearch::All => format!("{variable}{body}"),
        PathSearch::Shortest => format!("{variable}shortest {body}"),
        PathSearch::AllShortest => format!("{variable}all shortest {body}"),
    }
}

fn filler(
    variable: &Option<Ident>,
    types: &Option<LabelExpr>,
    length: Option<PathLength>,
    properties: &Option<Properties>,
    predicate: &Option<Box<Expr>>,
) -> String {
    let mut text = variable.as_ref().map_or(String::new(), |v| v.text.clone());
    text += &option(":", types.as_ref(), labels);
    if let Some(PathLength { min, max, .. }) = length {
        let show = |bound: Option<u64>| bound.map_or("_".to_owned(), |n| n.to_string());
        text += &format!("*{}..{}", show(min), show(max));
    }
    match properties {
        Some(Properties::Map { entries, .. }) => text += &format!("{{{}}}", list(entries, " ", entry)),
        Some(Properties::Parameter { name, .. }) => text += &format!("${name}"),
        None => {}
    }
    text + &option(" where ", predicate.as_deref(), expr)
}

fn node(n: &NodePattern) -> String {
    format!("({})", filler(&n.variable, &n.labels, None, &n.properties, &n.predicate))
}

fn relationship(r: &RelationshipPattern) -> String {
    let inner = filler(&r.variable, &r.types, r.length, &r.properties, &r.predicate);
    match r.direction {
        Direction::Right => format!("-[{inner}]->"),
        Direction::Left => format!("<-[{inner}]-"),
        Direction::Either => format!("-[{inner}]-"),
        Direction::Both => format!("<-[{inner}]->"),
    }
}

pub(super) fn query(q: &Query) -> String {
    let unions = list(&q.unions, "", |(kind, single)| format!(" union {kind:?} {}", single_query(single)));
    format!("{}{unions}", single_query(&q.first))
}

fn single_query(single: &SingleQuery) -> String {
    list(&single.clauses, "; ", clause)
}

fn clause(c: &Clause) -> String {
    let body = match c {
        Clause::Match(m) => {
            format!("{}{}", pattern(&m.pattern), option(" where ", m.predicate.as_ref(), expr))
        }
        Clause::Unwind(u) => format!("{} as {}", expr(&u.list), u.variable.text),
        Clause::With(w) => {
            format!("{}{}", projection(&w.projection), option(" where ", w.predicate.as_ref(), expr))
        }
        Clause::Return(p) => projection(p),
        Clause::Create(create) => pattern(&create.pattern),
        Clause::Merge(m) => format!(
            "{}{}",
            path(&m.path),
            list(&m.actions, "", |a| format!(" on {:?} {}", a.on, set_items(&a.items)))
        ),
        Clause::Set(s) => set_items(&s.items),
        Clause::Remove(r) => list(&r.items, ", ", |item| match item {
            RemoveItem::Property(target) => expr(target),
            RemoveItem::Labels { variable, labels: l, .. } => format!("{}:{}", variable.text, labels(l)),
        }),
        Clause::Delete(d) => exprs(&d.targets),
        Clause::Foreach(f) => {
            format!("{} in {} | {}", f.variable.text, expr(&f.list), list(&f.body, "; ", clause))
        }
        Clause::CallProcedure(call) => call_procedure(call),
        Clause::CallSubquery(call) => {
            let imports = match &call.imports {
                Imports::ByWith => String::new(),
                Imports::All => "(*) ".to_owned(),
                Imports::Listed(names) => format!("({}) ", list(names, " ", |n| n.text.clone())),
            };
            format!("{imports}{{{}}}", query(&call.query))
        }
    };
    format!("{} {body}", c.keyword())
}

fn call_procedure(call: &CallProcedure) -> String {
    let arguments = call.arguments.as_ref().map_or(String::new(), |a| format!("({})", exprs(a)));
    let yields = match &call.yields {
        Yield::Unsaid => String::new(),
        Yield::Star(_) => " yield *".to_owned(),
        Yield::Items(items) => format!(
            " yield {}",
            list(items, " ", |i| format!(
                "{}{}",
                i.field.text,
                option("=", i.alias.as_ref(), |a| a.text.clone())
            ))
        ),
    };
    format!("{}{arguments}{yields}{}", call.name.dotted(), option(" where ", call.predicate.as_ref(), expr))
}

fn projection(p: &Projection) -> String {
    let mut parts = Vec::new();
    if p.distinct {
        parts.push("distinct".to_owned());
    }
    if p.star.is_some() {
        parts.push("*".to_owned());
    }
    for item in &p.items {
        parts.push(format!("{}{}", expr(&item.expr), option("=", item.alias.as_ref(), |a| a.text.clone())));
    }
    for item in &p.order_by {
        parts.push(format!("by {}{}", expr(&item.expr), if item.descending { " desc" } else { "" }));
    }
    let text = parts.join(" ");
    format!("{text}{}{}", option(" skip ", p.skip.as_ref(), expr), option(" limit ", p.limit.as_ref(), expr))
}

fn set_items(items: &[SetItem]) -> String {
    list(items, ", ", |item| match item {
        SetItem::Property { target, value, .. } => format!("{} = {}", expr(target), expr(value)),
        SetItem::Replace { variable, value, .. } => format!("{} = {}", variable.text, expr(value)),
        SetItem::Merge { variable, value, .. } => format!("{} += {}", variable.text, expr(value)),
        SetItem::Labels { variable, labels: l, .. } => format!("{}:{}", variable.text, labels(l)),
    })
}
