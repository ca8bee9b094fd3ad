//! Text form of plans and expressions, for EXPLAIN, golden tests and error messages.

use std::fmt::Write;
use std::sync::Arc;

use trimorph_types::Value;

use crate::{
    ApplyKind, BandKind, Change, CountStep, Direction, Expr, Extend, GraphChoice, GroupLimit, LabelExpr,
    ListOrder, LookupBy, NewProperties, Op, PathExpr, Plan, PredicateSet, PredicateTerm, PropertyKey,
    QuantifierKind, Update, Vars, Wanted,
};

/// One line per operator, children indented below their parent. `note` adds to an operator's line.
pub fn explain(plan: &Plan, vars: &Vars, note: &mut dyn FnMut(&Plan) -> String) -> String {
    let mut out = String::new();
    each(plan, &mut |plan, depth| {
        let text = operator(plan, vars);
        let extra = note(plan);
        let gap = if extra.is_empty() { "" } else { "  " };
        let _ = writeln!(out, "{}{text}{gap}{extra}", "  ".repeat(depth));
    });
    out
}

/// All operators of a plan, each before its inputs: how many are above it, and its text.
pub fn operators(plan: &Plan, vars: &Vars) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    each(plan, &mut |plan, depth| out.push((depth, operator(plan, vars))));
    out
}

fn each(plan: &Plan, visit: &mut dyn FnMut(&Plan, usize)) {
    let mut left = vec![(plan, 0)];
    while let Some((plan, depth)) = left.pop() {
        visit(plan, depth);
        left.extend(plan.children().into_iter().rev().map(|child| (child, depth + 1)));
    }
}

/// An update: what it computes, then what it changes.
fn print_update(update: &Update, vars: &Vars) -> String {
    let values = update.values.iter();
    let mut parts: Vec<String> =
        values.map(|(v, e)| format!("{} = {}", vars.get(*v).name, print_expr(e, vars))).collect();
    parts.extend(update.changes.iter().map(|change| print_change(change, vars)));
    format!("{}{}", parts.join(", "), if update.takes_turns { " in turns" } else { "" })
}

fn print_change(change: &Change, vars: &Vars) -> String {
    let name = |v: &crate::VarId| vars.get(*v).name.to_string();
    let colons = |labels: &[Arc<str>]| labels.iter().map(|label| format!(":{label}")).collect::<String>();
    let properties = |properties: &NewProperties| match properties {
        NewProperties::Named(entries) if entries.is_empty() => String::new(),
        NewProperties::Named(entries) => {
            let entries: Vec<String> = entries.iter().map(|(key, v)| format!("{key}: {}", name(v))).collect();
            format!(" {{{}}}", entries.join(", "))
        }
        NewProperties::Map(v) => format!(" {}", name(v)),
    };
    match change {
        Change::CreateNode { var, labels, properties: p } => {
            format!("create ({}{}{})", name(var), colons(labels), properties(p))
        }
        Change::CreateEdge { var, edge_type, from, to, properties: p } => {
            format!("create ({})-[{}:{edge_type}{}]->({})", name(from), name(var), properties(p), name(to))
        }
        Change::CreatePath { var, .. } => format!("path {}", name(var)),
        Change::SetProperty { target, key: PropertyKey::Name(key), value } => {
            format!("set {}.{key} = {}", name(target), name(value))
        }
        Change::SetProperty { target, key: PropertyKey::Var(key), value } => {
            format!("set {}[{}] = {}", name(target), name(key), name(value))
        }
        Change::SetProperties { target, from, replace } => {
            format!("set {} {} {}", name(target), if *replace { "=" } else { "+=" }, name(from))
        }
        Change::AddLabels { target, labels } => format!("set {}{}", name(target), colons(labels)),
        Change::RemoveLabels { target, labels } => format!("remove {}{}", name(target), colons(labels)),
        Change::InsertStatement(s) | Change::DeleteStatement(s) => {
            let verb = if matches!(change, Change::InsertStatement(_)) { "insert" } else { "delete" };
            let graph = s.graph.map(|v| format!(" in {}", name(&v))).unwrap_or_default();
            format!("{verb} statement {} {} {}{graph}", name(&s.subject), name(&s.predicate), name(&s.object))
        }
        Change::Delete { target, detach } => {
            format!("{} {}", if *detach { "detach delete" } else { "delete" }, name(target))
        }
    }
}

/// Predicates shown of a set.
const SHOWN_MAX: usize = 3;

fn print_predicates(among: &PredicateSet) -> String {
    let shown: Vec<String> = among.iris.iter().take(SHOWN_MAX).map(|iri| format!("<{iri}>")).collect();
    let rest = if among.iris.len() > SHOWN_MAX { ", …" } else { "" };
    format!(" {} {}{rest}", if among.is_in { "by" } else { "but by" }, shown.join(", "))
}

/// Which graphs, if not the default one.
fn print_graph(graph: &GraphChoice, vars: &Vars) -> String {
    let list = |all: &[Arc<str>]| all.iter().map(|iri| format!("<{iri}>")).collect::<Vec<_>>().join(", ");
    match graph {
        GraphChoice::Default => String::new(),
        GraphChoice::Union(all) => format!(" from {}", list(all)),
        GraphChoice::Named(var, None) => format!(" in {}", vars.get(*var).name),
        GraphChoice::Named(var, Some(all)) => format!(" in {} of {}", vars.get(*var).name, list(all)),
    }
}

/// A property path as SPARQL writes it.
fn print_path(path: &PathExpr) -> String {
    let all = |parts: &[PathExpr], between: &str| {
        format!("({})", parts.iter().map(print_path).collect::<Vec<_>>().join(between))
    };
    match path {
        PathExpr::Link(iri) => format!("<{iri}>"),
        PathExpr::Not(iris) => {
            format!("!({})", iris.iter().map(|iri| format!("<{iri}>")).collect::<Vec<_>>().join("|"))
        }
        PathExpr::Inverse(inner) => format!("^{}", print_path(inner)),
        PathExpr::Sequence(parts) => all(parts, "/"),
        PathExpr::Alternative(parts) => all(parts, "|"),
        PathExpr::ZeroOrOne(inner) => format!("{}?", print_path(inner)),
        PathExpr::ZeroOrMore(inner) => format!("{}*", print_path(inner)),
        PathExpr::OneOrMore(inner) => format!("{}+", print_path(inner)),
        PathExpr::ToBlank(inner) => format!("({} to blank nodes)", print_path(inner)),
    }
}

/// An apply, without its inputs.
fn print_apply(kind: &ApplyKind, vars: &Vars) -> String {
    let name = |v: &crate::VarId| vars.get(*v).name.to_string();
    match kind {
        ApplyKind::Inner => "Apply".into(),
        ApplyKind::Optional => "OptionalApply".into(),
        ApplyKind::Semi => "SemiApply".into(),
        ApplyKind::Anti => "AntiApply".into(),
        ApplyKind::Mark(v) => format!("MarkApply {}", name(v)),
        ApplyKind::Count(v) => format!("CountApply {}", name(v)),
        ApplyKind::Collect(v, e) => format!("CollectApply {} = {}", name(v), print_expr(e, vars)),
        ApplyKind::Paired { answer, node, found } => {
            format!("{} where {} = {}", print_apply(answer, vars), name(found), name(node))
        }
        ApplyKind::Effects { together: true } => "Foreach".into(),
        ApplyKind::Effects { together: false } => "EffectsApply".into(),
    }
}

/// The operator itself, on one line.
fn operator(plan: &Plan, vars: &Vars) -> String {
    let name = |v: &crate::VarId| vars.get(*v).name.to_string();
    let names = |vs: &[crate::VarId]| vs.iter().map(name).collect::<Vec<_>>().join(", ");
    let items = |items: &[(crate::VarId, Expr)]| {
        items
            .iter()
            .map(|(v, e)| match e {
                Expr::Var(w) if w == v => name(v),
                e => format!("{} = {}", name(v), print_expr(e, vars)),
            })
            .collect::<Vec<_>>()
            .join(", ")
    };
    match plan {
        Plan::Unit => "Unit".into(),
        Plan::Empty(vs) => format!("Empty {}", names(vs)),
        Plan::Argument(vs) => format!("Argument {}", names(vs)),
        Plan::Match { graph, .. } => {
            format!("Match {} nodes, {} edges", graph.nodes.len(), graph.edges.len())
        }
        Plan::Apply { kind, .. } => print_apply(kind, vars),
        Plan::Filter { predicate, .. } => format!("Filter {}", print_expr(predicate, vars)),
        Plan::Extra { items: i, .. } => format!("Compute {}", items(i)),
        Plan::Project { items: i, .. } => format!("Project {}", items(i)),
        Plan::Aggregate { keys, aggregates, .. } => {
            let aggregates: Vec<String> = aggregates
                .iter()
                .map(|(v, a)| format!("{} = {}", name(v), print_aggregate(a, vars)))
                .collect();
            let end = if aggregates.is_empty() { "" } else { ": " };
            format!("Aggregate by [{}]{end}{}", items(keys), aggregates.join(", "))
        }
        Plan::Distinct { vars: vs, .. } => format!("Distinct {}", names(vs)),
        Plan::Sort { keys, limit, of_group, .. } => {
            let keys: Vec<String> = keys
                .iter()
                .map(|k| format!("{}{}", print_expr(&k.expr, vars), if k.descending { " DESC" } else { "" }))
                .collect();
            match (limit, of_group) {
                (Some(limit), _) => format!("TopK {} limit {}", keys.join(", "), print_expr(limit, vars)),
                (None, None) => format!("Sort {}", keys.join(", ")),
                (None, Some(GroupLimit { keys: groups, first, last, exact, .. })) => {
                    let groups: Vec<String> = groups.iter().map(|e| print_expr(e, vars)).collect();
                    let ends: Vec<String> = [("first", *first), ("last", *last)]
                        .iter()
                        .filter(|(_, count)| *count > 0)
                        .map(|(end, count)| format!("{end} {count}"))
                        .collect();
                    let only = if *exact { "only " } else { "" };
                    let (keys, ends, groups) = (keys.join(", "), ends.join(" and "), groups.join(", "));
                    format!("Sort {keys}, {only}{ends} by [{groups}]")
                }
            }
        }
        Plan::Skip { count, .. } => format!("Skip {}", print_expr(count, vars)),
        Plan::Limit { count, .. } => format!("Limit {}", print_expr(count, vars)),
        Plan::Shortest { edges, all, .. } => {
            format!("{} {}", if *all { "AllShortest" } else { "Shortest" }, name(edges))
        }
        Plan::Unwind { list, var, .. } => format!("Unwind {} as {}", print_expr(list, vars), name(var)),
        Plan::ProcedureCall { call, .. } => {
            let arguments: Vec<String> = call.arguments.iter().map(|e| print_expr(e, vars)).collect();
            let signature = call.procedure.signature();
            let outputs: Vec<String> = (call.outputs.iter())
                .filter_map(|(column, v)| {
                    Some(format!("{} as {}", signature.outputs.get(*column)?.name, name(v)))
                })
                .collect();
            let yields = if outputs.is_empty() { "" } else { " yield " };
            format!(
                "ProcedureCall {}({}){yields}{}",
                signature.name,
                arguments.join(", "),
                outputs.join(", ")
            )
        }
        Plan::Statements { pattern, .. } => {
            let predicate = match &pattern.predicate {
                PredicateTerm::Iri(iri) => format!("<{iri}>"),
                PredicateTerm::Var(v) => name(v),
            };
            let among = pattern.among.as_ref().map_or_else(String::new, print_predicates);
            let (subject, object) = (name(&pattern.subject), name(&pattern.object));
            let counted = if pattern.count.is_some() { ", counted" } else { "" };
            let graph = print_graph(&pattern.graph, vars);
            format!("Statements {subject} {predicate} {object}{among}{graph}{counted}")
        }
        Plan::PropertyPath { path, .. } => {
            let (from, to) = (name(&path.from), name(&path.to));
            format!("PropertyPath {from} {} {to}{}", print_path(&path.path), print_graph(&path.graph, vars))
        }
        Plan::Update { update, .. } => format!("Update {}", print_update(update, vars)),
        Plan::Merge { merge, .. } => {
            let made: Vec<String> = merge.create.iter().map(|c| print_change(c, vars)).collect();
            let updates = |word: &str, updates: &[Update]| {
                updates.iter().map(|u| format!(" on {word} {}", print_update(u, vars))).collect::<String>()
            };
            format!(
                "Merge{} {}{}{}",
                if merge.one_by_one { " row by row" } else { "" },
                made.join(", "),
                updates("create", &merge.on_create),
                updates("match", &merge.on_match)
            )
        }
        Plan::Union { vars: vs, .. } => format!("Union {}", names(vs)),
        Plan::NodeScan(s) => {
            let prune: Vec<String> = s
                .prune
                .iter()
                .map(|p| format!("{} {} {}", p.property, symbol(p.op), print_expr(&p.value, vars)))
                .collect();
            let prune =
                if prune.is_empty() { String::new() } else { format!(" zones {}", prune.join(" and ")) };
            format!("NodeScan ({}{}){prune}", name(&s.var), print_labels(&s.labels))
        }
        Plan::KeyLookup { lookup, .. } => {
            let (by, key) = (looked_up_by(lookup.by), print_expr(&lookup.key, vars));
            let var = name(&lookup.var);
            let before = lookup.together.iter().flat_map(|t| t.properties.iter().zip(&t.equal));
            let before: String = before
                .map(|(name, value)| format!("({var}).{name} = {}, ", print_expr(value, vars)))
                .collect();
            format!("KeyLookup {before}({var}).{} {by} {key}", lookup.property)
        }
        Plan::EdgeLookup { lookup, .. } => {
            let (by, key) = (looked_up_by(lookup.by), print_expr(&lookup.key, vars));
            let edge = lookup.step.edge.as_ref().map_or(String::new(), name);
            format!("EdgeLookup {} {edge}.{} {by} {key}", print_step(&lookup.step, vars), lookup.property)
        }
        Plan::IdLookup { var, id, .. } => format!("IdLookup id({}) = {}", name(var), print_expr(id, vars)),
        Plan::Extend { step, .. } => format!("Extend {}", print_step(step, vars)),
        Plan::ExtendInto { step, .. } => format!("ExtendInto {}", print_step(step, vars)),
        Plan::ExtendCount { step, .. } => format!("ExtendCount {}", print_count(step, vars)),
        Plan::VarExtend { step, .. } => {
            let max = step.max.map(|m| m.to_string()).unwrap_or_default();
            let walk = &step.walk;
            let condition = walk.condition.as_ref().map(|c| format!(" where {}", print_expr(c, vars)));
            format!(
                "VarExtend {} *{}..{max} {:?}{}{}{}{}",
                print_step(&step.step, vars),
                step.min,
                step.mode,
                if step.into { " into" } else { "" },
                walk.along.map_or_else(String::new, |v| format!(" along {}", name(&v))),
                if walk.nodes.is_some() { " pruned" } else { "" },
                condition.unwrap_or_default()
            )
        }
        Plan::Intersect { steps, .. } => {
            format!(
                "Intersect {}",
                steps.iter().map(|s| print_step(s, vars)).collect::<Vec<_>>().join(" and ")
            )
        }
        Plan::SemiJoin { var, anti: false, .. } => format!("SemiJoin ({})", name(var)),
        Plan::SemiJoin { var, anti: true, .. } => format!("AntiJoin ({})", name(var)),
        Plan::HashJoin { on, .. } => {
            if on.is_empty() {
                "CrossProduct".into()
            } else {
                format!("HashJoin on {}", names(on))
            }
        }
        Plan::Spool { vars, number, .. } => format!("Spool {number} {}", names(vars)),
        Plan::SpoolRead { columns, number, .. } => {
            let column = |(own, from): &(crate::VarId, crate::VarId)| match own == from {
                true => name(own),
                false => format!("{} = {}", name(own), name(from)),
            };
            format!("SpoolRead {number} {}", columns.iter().map(column).collect::<Vec<_>>().join(", "))
        }
        Plan::RangeJoin { on, band, .. } => {
            let equal: String = on.iter().map(|var| format!("{}, ", name(var))).collect();
            match (band.kind, band.low) {
                (BandKind::BeginsWith, Some((low, _))) => {
                    return format!("RangeJoin on {equal}{} STARTS WITH {}", name(&band.key), name(&low));
                }
                (BandKind::BeginningOf, Some((low, _))) => {
                    return format!("RangeJoin on {equal}{} STARTS WITH {}", name(&low), name(&band.key));
                }
                _ => {}
            }
            let wanted = match band.wanted {
                Wanted::All => String::new(),
                Wanted::First(rows) => format!(", the first {rows}"),
                Wanted::Last(rows) => format!(", the last {rows}"),
            };
            let sign = |may_equal: bool| if may_equal { "<=" } else { "<" };
            let low = band.low.map(|(v, equal)| format!("{} {} ", name(&v), sign(equal)));
            let high = band.high.map(|(v, equal)| format!(" {} {}", sign(equal), name(&v)));
            let (low, key, high) = (low.unwrap_or_default(), name(&band.key), high.unwrap_or_default());
            format!("RangeJoin on {equal}{low}{key}{high}{wanted}")
        }
    }
}

fn print_count(step: &CountStep, vars: &Vars) -> String {
    let mut text = print_step(&step.step, vars);
    if let Some(p) = &step.predicate {
        let _ = write!(text, " where {}", print_expr(p, vars));
    }
    for next in &step.next {
        let _ = write!(text, " then {}", print_count(next, vars));
    }
    text
}

fn looked_up_by(by: LookupBy) -> &'static str {
    match by {
        LookupBy::Equal => "=",
        LookupBy::AnyOf => "IN",
        LookupBy::Between { .. } => "BETWEEN",
        LookupBy::Prefix => "STARTS WITH",
        LookupBy::First { descending: false, .. } => "AMONG THE FIRST",
        LookupBy::First { descending: true, .. } => "AMONG THE LAST",
    }
}

fn print_step(step: &Extend, vars: &Vars) -> String {
    let edge = step.edge.map(|e| vars.get(e).name.to_string()).unwrap_or_default();
    let types = if step.types.is_empty() { String::new() } else { format!(":{}", step.types.join("|")) };
    let body = if edge.is_empty() && types.is_empty() { String::new() } else { format!("[{edge}{types}]") };
    let (left, right) = match step.direction {
        Direction::Out => ("-", "->"),
        Direction::In => ("<-", "-"),
        Direction::Both => ("-", "-"),
    };
    format!("({}){left}{body}{right}({})", vars.get(step.from).name, vars.get(step.to).name)
}

fn print_labels(labels: &LabelExpr) -> String {
    fn inner(l: &LabelExpr) -> String {
        match l {
            LabelExpr::True => String::new(),
            LabelExpr::Label(n) => n.to_string(),
            LabelExpr::And(parts) => parts.iter().map(inner).collect::<Vec<_>>().join("&"),
            LabelExpr::Or(a, b) => format!("({}|{})", inner(a), inner(b)),
            LabelExpr::Not(a) => format!("!{}", inner(a)),
        }
    }
    let text = inner(labels);
    if text.is_empty() { text } else { format!(":{text}") }
}

fn print_aggregate(a: &crate::Aggregate, vars: &Vars) -> String {
    let distinct = if a.distinct { "DISTINCT " } else { "" };
    match &a.arg {
        Some(arg) if let Some(order) = &a.order => {
            format!("collect({distinct}{})", print_ordered(arg, order, vars))
        }
        Some(arg) => format!("{:?}({distinct}{})", a.kind, print_expr(arg, vars)).to_lowercase_head(),
        None => "count(*)".into(),
    }
}

/// What is collected, and in which order.
fn print_ordered(arg: &Expr, order: &ListOrder, vars: &Vars) -> String {
    let direction = |descending: bool| if descending { " DESC" } else { "" };
    match (order, arg) {
        (ListOrder::Keys(descending), Expr::Map(entries)) if !entries.is_empty() => {
            let printed = |(_, expr): &(_, Expr)| print_expr(expr, vars);
            let keys = entries[1..].iter().zip(&**descending);
            let keys: Vec<String> = keys.map(|(key, d)| printed(key) + direction(*d)).collect();
            format!("{} ORDER BY {}", printed(&entries[0]), keys.join(", "))
        }
        (ListOrder::Elements { descending }, _) => {
            let element = print_expr(arg, vars);
            format!("{element} ORDER BY {element}{}", direction(*descending))
        }
        _ => print_expr(arg, vars),
    }
}

/// Lower-cases the first letter: `Sum(x)` to `sum(x)`.
trait LowercaseHead {
    fn to_lowercase_head(self) -> String;
}

impl LowercaseHead for String {
    fn to_lowercase_head(self) -> String {
        let mut chars = self.chars();
        chars.next().map(|c| c.to_lowercase().chain(chars).collect()).unwrap_or_default()
    }
}

/// The operator's symbol or keyword.
fn symbol(op: Op) -> &'static str {
    match op {
        Op::Or => "OR",
        Op::Xor => "XOR",
        Op::And => "AND",
        Op::Not => "NOT",
        Op::Eq => "=",
        Op::Ne => "<>",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::Gt => ">",
        Op::Ge => ">=",
        Op::Add => "+",
        Op::Sub | Op::Neg => "-",
        Op::Mul => "*",
        Op::Div => "/",
        Op::Mod => "%",
        Op::Pow => "^",
        Op::In => "IN",
        Op::Differs => "differs from",
        Op::StartsWith => "STARTS WITH",
        Op::EndsWith => "ENDS WITH",
        Op::Contains => "CONTAINS",
        Op::Regex => "=~",
        Op::IsNull => "IS NULL",
        Op::IsNotNull => "IS NOT NULL",
        Op::Index | Op::Slice => "[]",
    }
}

/// An expression in Cypher's spelling.
pub fn print_expr(expr: &Expr, vars: &Vars) -> String {
    let p = |e: &Expr| print_expr(e, vars);
    let list = |es: &[Expr]| es.iter().map(p).collect::<Vec<_>>().join(", ");
    let entries = |es: &[(std::sync::Arc<str>, Expr)]| {
        es.iter().map(|(k, e)| format!("{k}: {}", p(e))).collect::<Vec<_>>().join(", ")
    };
    let name = |v: &crate::VarId| vars.get(*v).name.to_string();
    match expr {
        Expr::Const(v) => print_constant(v),
        Expr::Param(n) => format!("${n}"),
        Expr::Var(v) => name(v),
        Expr::Property(e, key, _) => format!("{}.{key}", p(e)),
        Expr::Op(op @ (Op::Not | Op::Neg), args, _) => format!("{} {}", symbol(*op), list(args)),
        Expr::Op(op @ (Op::IsNull | Op::IsNotNull), args, _) => format!("{} {}", list(args), symbol(*op)),
        Expr::Op(Op::Index, args, _) if args.len() == 2 => format!("{}[{}]", p(&args[0]), p(&args[1])),
        Expr::Op(Op::Slice, args, _) if args.len() == 3 => {
            format!("{}[{}..{}]", p(&args[0]), p(&args[1]), p(&args[2]))
        }
        Expr::Op(Op::Differs, args, _) if !args.is_empty() => {
            format!("({} {} {})", p(&args[0]), symbol(Op::Differs), list(&args[1..]))
        }
        Expr::Op(op, args, _) => {
            let parts: Vec<String> = args.iter().map(p).collect();
            format!("({})", parts.join(&format!(" {} ", symbol(*op))))
        }
        Expr::Chain(first, rest) => {
            let rest: String = rest.iter().map(|(op, e, _)| format!(" {} {}", symbol(*op), p(e))).collect();
            format!("({}{rest})", p(first))
        }
        Expr::Call(name, args, _) => format!("{name}({})", list(args)),
        Expr::UserCall(function, args, _) => format!("{}({})", function.name(), list(args)),
        // Any will do: it is asked whether there is something, and whether it was not deleted.
        Expr::HasLabel(e, LabelExpr::True) => format!("{} is there", p(e)),
        Expr::HasLabel(e, labels) => format!("{}{}", p(e), print_labels(labels)),
        Expr::List(es) => format!("[{}]", list(es)),
        Expr::Map(es) => format!("{{{}}}", entries(es)),
        Expr::MapProjection { base, all, entries: es } => {
            format!("{} {{{}{}}}", p(base), if *all { ".*, " } else { "" }, entries(es))
        }
        Expr::Case { branches, otherwise } => {
            let branches: Vec<String> =
                branches.iter().map(|(w, t)| format!("WHEN {} THEN {}", p(w), p(t))).collect();
            format!("CASE {} ELSE {} END", branches.join(" "), p(otherwise))
        }
        Expr::ListComprehension { var, list: l, filter, map } => {
            let filter = filter.as_ref().map(|f| format!(" WHERE {}", p(f))).unwrap_or_default();
            let map = map.as_ref().map(|m| format!(" | {}", p(m))).unwrap_or_default();
            format!("[{} IN {}{filter}{map}]", name(var), p(l))
        }
        Expr::Quantifier { kind, var, list: l, predicate } => {
            let kind = match kind {
                QuantifierKind::All => "all",
                QuantifierKind::Any => "any",
                QuantifierKind::None => "none",
                QuantifierKind::Single => "single",
            };
            format!("{kind}({} IN {} WHERE {})", name(var), p(l), p(predicate))
        }
        Expr::Reduce { acc, init, var, list: l, body } => {
            format!("reduce({} = {}, {} IN {} | {})", name(acc), p(init), name(var), p(l), p(body))
        }
        Expr::Path(parts) => format!("path({})", list(parts)),
    }
}

fn print_constant(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => i.to_string(),
        Value::Float(f) => format!("{f:?}"),
        Value::String(s) => format!("'{s}'"),
        other => format!("{}(…)", other.logical_type().name().to_lowercase()),
    }
}
