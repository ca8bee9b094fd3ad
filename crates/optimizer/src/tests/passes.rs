//! Each pass on small plans: what it changes, and what it leaves.

use trimorph_algebra::{ApplyKind, Direction, EdgeRange, Expr, Op, Plan, SortKey, VarId};
use trimorph_base::{Span, TableId};
use trimorph_catalog::CatalogView;
use trimorph_types::{LogicalType, Value};

use super::small::{Small, catalog};
use crate::degrees::degree;
use crate::{HashJoins, Options};

/// Passes that make a plan of a pattern.
const ALL: &[&str] = &["ask_bound", "narrow_tables", "tell_apart", "hang_counts", "plan_match"];

fn check(name: &str, actual: &str, expected: &[&str]) {
    let lines: Vec<&str> = actual.lines().map(str::trim).collect();
    assert_eq!(lines, expected, "{name}\n{actual}");
}

#[test]
fn merge_patterns() {
    let mut s = Small::default();
    let first = s.matched(&["a:Person", "b"], &["a e:KNOWS b"]);
    let graph = s.graph(&["b", "c:City"], &["b f:LIVES_IN c"]);
    let plan = Plan::Match { input: Box::new(s.filtered(first, "a", "name")), graph };
    check("one pattern", &s.run(&["merge_patterns"], plan, &["c"]), &["Match 3 nodes, 2 edges", "Unit"]);
    // What together would be too large stays apart.
    let names: Vec<String> = (0..2_500).map(|i| format!("n{i}")).collect();
    let nodes: Vec<&str> = names.iter().map(String::as_str).collect();
    let first = s.matched(&nodes, &[]);
    let graph = s.graph(&nodes, &[]);
    let plan = Plan::Match { input: Box::new(first), graph };
    let expected = ["Match 2500 nodes, 0 edges", "Match 2500 nodes, 0 edges", "Unit"];
    check("too large", &s.run(&["merge_patterns"], plan, &[]), &expected);
}

#[test]
fn push_filters() {
    let mut s = Small::default();
    let pattern = s.matched(&["a:Person"], &[]);
    let plan = s.filtered(pattern, "a", "name");
    let Plan::Match { graph, .. } = s.plan(&["push_filters"], plan, &["a"], Options::default()) else {
        panic!("the filter stays")
    };
    assert_eq!(graph.predicates.len(), 1);
    let unit = s.filtered(Plan::Unit, "a", "name");
    assert!(matches!(unit, Plan::Filter { .. }), "a filter on rows stays");
}

#[test]
fn push_filters_below_what_computes_and_joins() {
    let mut s = Small::default();
    let a = s.var("a", LogicalType::Node);
    let (x, y) = (s.var("x", LogicalType::Any), s.var("y", LogicalType::Any));
    let one = Expr::Const(Value::Int(1));
    let asked = s.equal("a", "name", 1);
    let fails = Expr::op(Op::Gt, vec![Expr::op(Op::Div, vec![one.clone(), Expr::Var(x)]), one.clone()]);
    let is_one = Expr::op(Op::Eq, vec![Expr::Var(x), one.clone()]);
    let persons = s.matched(&["a:Person"], &[]);
    let others = s.matched(&["b:Person"], &[]);
    let input = || Box::new(persons.clone());
    let keep = |var: VarId| (var, Expr::Var(var));
    let name = Expr::Property(Box::new(Expr::Var(a)), "name".into(), Span::default());
    let product = Plan::HashJoin { left: Box::new(others), right: input(), on: Vec::new() };
    // The plan under the filter, the condition, and the operators from the top on.
    let cases = [
        (Plan::Extra { input: input(), items: vec![(y, one.clone())] }, &asked, &["Compute y", "Match"][..]),
        (Plan::Extra { input: input(), items: vec![(x, one.clone())] }, &is_one, &["Filter", "Compute x"]),
        (Plan::Extra { input: input(), items: vec![(x, one.clone())] }, &fails, &["Filter", "Compute x"]),
        (Plan::Project { input: input(), items: vec![keep(a)] }, &asked, &["Project a", "Match"]),
        // A property is asked for where the pattern is, a sum where it is computed.
        (Plan::Project { input: input(), items: vec![(x, name)] }, &is_one, &["Project x", "Match"]),
        (Plan::Project { input: input(), items: vec![(x, one.clone())] }, &is_one, &["Project x", "Match"]),
        (Plan::Distinct { input: input(), vars: vec![a] }, &asked, &["Distinct a", "Match"]),
        (Plan::Limit { input: input(), count: one.clone() }, &asked, &["Filter", "Limit"]),
        (product, &asked, &["CrossProduct", "Match", "Unit", "Match"]),
        (Plan::Unwind { input: input(), list: one.clone(), var: x }, &asked, &["Unwind", "Match"]),
        (Plan::Unwind { input: input(), list: one.clone(), var: x }, &is_one, &["Filter", "Unwind"]),
        (
            Plan::Aggregate { input: input(), keys: vec![keep(a)], aggregates: Vec::new() },
            &asked,
            &["Aggregate", "Match"],
        ),
        (
            Plan::Apply {
                input: input(),
                subplan: Box::new(Plan::Argument(vec![a])),
                kind: ApplyKind::Optional,
            },
            &asked,
            &["OptionalApply", "Match"],
        ),
    ];
    for (under, condition, expected) in cases {
        let plan = Plan::Filter { input: Box::new(under), predicate: condition.clone() };
        let needed: Vec<&str> = match &plan {
            Plan::Filter { input, .. } if input.vars().contains(&a) => vec!["a"],
            _ => Vec::new(),
        };
        let lines = s.run(&["push_filters"], plan, &needed);
        let begin = lines.lines().zip(expected).all(|(line, wanted)| line.trim_start().starts_with(wanted));
        assert!(begin && lines.lines().count() >= expected.len(), "{expected:?}\n{lines}");
    }
}

#[test]
fn what_a_comparison_implies_is_not_asked() {
    let mut s = Small::default();
    let pattern = s.matched(&["a:Person"], &[]);
    let there = |s: &mut Small, name: &str| {
        let var = s.var("a", LogicalType::Node);
        let property = Expr::Property(Box::new(Expr::Var(var)), name.into(), Span::default());
        Expr::op(Op::IsNotNull, vec![property])
    };
    let parts = vec![there(&mut s, "name"), s.equal("a", "name", 1), there(&mut s, "id")];
    let plan = Plan::Filter { input: Box::new(pattern), predicate: Expr::op(Op::And, parts) };
    let Plan::Match { graph, .. } = s.plan(&["push_filters"], plan, &["a"], Options::default()) else {
        panic!("the filter stays")
    };
    let asked: Vec<String> =
        graph.predicates.iter().map(|p| trimorph_algebra::print_expr(p, &s.vars)).collect();
    assert_eq!(asked, ["(a.name = 1)", "a.id IS NOT NULL"]);
}

#[test]
fn drop_unused() {
    let mut s = Small::default();
    let pattern = s.matched(&["a:Person"], &[]);
    let (x, y) = (s.var("x", LogicalType::Any), s.var("y", LogicalType::Any));
    let items = vec![(x, s.equal("a", "name", 1)), (y, s.equal("a", "id", 1))];
    let plan = Plan::Extra { input: Box::new(pattern), items };
    let expected = ["Compute y = (a.id = 1)", "Match 1 nodes, 0 edges", "Unit"];
    check("one", &s.run(&["drop_unused"], plan.clone(), &["y"]), &expected);
    check("none", &s.run(&["drop_unused"], plan, &["a"]), &expected[1..]);
}

#[test]
fn drop_unused_columns_of_unions() {
    let mut s = Small::default();
    let (x, y) = (s.var("x", LogicalType::Any), s.var("y", LogicalType::Any));
    let mut branch = |one: i64| {
        let input = Box::new(s.matched(&["a:Person"], &[]));
        let items = vec![(x, Expr::Const(Value::Int(one))), (y, s.equal("a", "id", one))];
        Plan::Project { input, items }
    };
    let plan = Plan::Union { inputs: vec![branch(1), branch(2)], vars: vec![x, y] };
    let [first, second] = ["Project x = 1", "Project x = 2"];
    let pattern = ["Match 1 nodes, 0 edges", "Unit"];
    let expected = [&["Union x", first], &pattern[..], &[second], &pattern].concat();
    check("one", &s.run(&["drop_unused"], plan.clone(), &["x"]), &expected);
    let expected = [&["Union", "Project"], &pattern[..], &["Project"], &pattern].concat();
    check("none", &s.run(&["drop_unused"], plan, &[]), &expected);
}

#[test]
fn ask_bound() {
    let mut s = Small::default();
    let input = s.matched(&["a"], &[]);
    let graph = s.graph(&["a:Person"], &[]);
    let plan = Plan::Match { input: Box::new(input), graph };
    let Plan::Match { graph, .. } = s.plan(&["ask_bound"], plan, &["a"], Options::default()) else {
        panic!("no pattern")
    };
    let asked: Vec<String> =
        graph.predicates.iter().map(|p| trimorph_algebra::print_expr(p, &s.vars)).collect();
    assert_eq!(asked, ["a:Person", "a IS NOT NULL"]);
}

/// The ends of a relationship that rows bring: both new, one known, in any direction.
#[test]
fn bound_edges() {
    for (edge, direction, expected) in [
        ("a e:KNOWS b", Direction::Out, &["Compute e = h, a = startNode(h), b = endNode(h)"][..]),
        ("a e: b", Direction::Out, &["Compute e = h, a = startNode(h), b = endNode(h)"]),
        ("a e:KNOWS b", Direction::In, &["Compute e = h, a = endNode(h), b = startNode(h)"]),
        ("a e:KNOWS p", Direction::Out, &["Compute e = h, a = startNode(h)"]),
        (
            "p e:KNOWS b",
            Direction::Both,
            &["Compute e = h, b = CASE WHEN (startNode(h) = p) THEN endNode(h) ELSE startNode(h) END"],
        ),
        (
            "a e:KNOWS b",
            Direction::Both,
            &[
                "Compute e = h, a = CASE WHEN _6 THEN startNode(h) ELSE endNode(h) END, b = CASE WHEN _6 THEN endNode(h) ELSE startNode(h) END",
                "Filter (_6 OR (startNode(h) <> endNode(h)))",
                "Unwind list(…) as _6",
            ],
        ),
    ] {
        let mut s = Small::default();
        let first = s.matched(&["p:Person", "q"], &["p h:KNOWS q"]);
        let [e, h] = ["e", "h"].map(|name| s.var(name, LogicalType::Relationship));
        let p = s.var("p", LogicalType::Node);
        let kept = Plan::Project { input: Box::new(first), items: [h, p].map(|v| (v, Expr::Var(v))).into() };
        let ends: Vec<&str> = edge.split([' ', ':']).filter(|name| name.len() == 1 && *name != "e").collect();
        let mut graph = s.graph(&ends, &[edge]);
        graph.edges[0].direction = direction;
        graph.predicates.push(Expr::op(Op::Eq, vec![Expr::Var(e), Expr::Var(h)]));
        let plan = Plan::Match { input: Box::new(kept), graph };
        let plan = s.run(&["bound_edges"], plan, &ends);
        let lines: Vec<&str> = plan.lines().map(str::trim).collect();
        let asked = if edge.contains("KNOWS") { "Filter h:KNOWS" } else { "Filter h is there" };
        let below = [asked, "Project h, p", "Match 2 nodes, 1 edges", "Unit"];
        assert_eq!(lines, [&["Match 2 nodes, 0 edges"], expected, &below].concat(), "{edge} {direction:?}");
    }
}

/// What a pattern said of a node holds of it where rows bring it, under whatever name, and in the subplans
/// that they are handed to.
#[test]
fn tables_of_nodes_that_rows_bring() {
    let mut s = Small::default();
    let first = s.matched(&["a:Person", "b"], &["a k:KNOWS b"]);
    let (a, p) = (s.var("a", LogicalType::Node), s.var("p", LogicalType::Node));
    let renamed = Plan::Project { input: Box::new(first), items: vec![(p, Expr::Var(a))] };
    let counted = s.var("n", LogicalType::Int);
    let distinct =
        Plan::Aggregate { input: Box::new(renamed), keys: vec![(p, Expr::Var(p))], aggregates: vec![] };
    let computed =
        Plan::Extra { input: Box::new(distinct), items: vec![(counted, Expr::Const(Value::Int(1)))] };
    // Out of a person: to a city, a person or a message; into these: from a person.
    let second = s.graph(&["p", "x"], &["p e: x"]);
    let third = s.graph(&["p", "y"], &["y f: p"]);
    let applied = Plan::Apply {
        input: Box::new(Plan::Match { input: Box::new(computed), graph: second }),
        subplan: Box::new(Plan::Match { input: Box::new(Plan::Argument(vec![p])), graph: third }),
        kind: ApplyKind::Optional,
    };
    // Of rows that stay without a match the optional part says nothing.
    let fourth = s.graph(&["p", "y", "z"], &["p g: z"]);
    let last = Plan::Match { input: Box::new(applied), graph: fourth };
    let plan = s.plan(&["narrow_tables"], last, &["p", "x", "y", "z"], Options::default());
    let Plan::Match { input, graph } = plan else { panic!("no pattern") };
    let tables = ["p", "y"].map(|name| graph.tables[&s.var(name, LogicalType::Node)].len());
    assert_eq!(tables, [1, 3]);
    let Plan::Apply { input, subplan, .. } = *input else { panic!("no apply") };
    for (part, other, tables) in [(*input, "x", vec![0, 1, 2]), (*subplan, "y", vec![0])] {
        let Plan::Match { graph, .. } = part else { panic!("no pattern") };
        assert_eq!(graph.tables[&p], [TableId(0)], "{other}");
        let other = s.var(other, LogicalType::Node);
        assert_eq!(graph.tables[&other], tables.into_iter().map(TableId).collect::<Vec<_>>());
    }
}

/// Where a step leads is where the next begins: of nodes of any kind few have an edge, and those that edges
/// lead to have ten.
#[test]
fn walks_are_estimated_step_by_step() {
    let mut s = Small::default();
    let mut edge = s.graph(&["a", "b"], &["a e:KNOWS b"]).edges.remove(0);
    let catalog = catalog();
    let catalog = CatalogView::new(&catalog);
    let (all, persons) = ([TableId(0), TableId(1), TableId(2)], [TableId(0)]);
    for (min, max, from_all, from_persons) in
        [(1, 1, 10_000.0, 10_000.0), (1, 3, 1_110_000.0, 1_110_000.0), (0, 2, 116_010.0, 111_000.0)]
    {
        edge.range = EdgeRange::Variable { min, max: Some(max), shortest: None };
        for (tables, rows, walks) in [(&all[..], 6_010.0, from_all), (&persons[..], 1_000.0, from_persons)] {
            let found = degree(&catalog, &edge, tables, &all, false) * rows;
            assert!((found - walks).abs() < 1.0, "{min}..{max} from {rows}: {found}");
        }
    }
}

#[test]
fn narrow_tables() {
    let mut s = Small::default();
    for (nodes, edges, tables) in [
        (&["a", "b"][..], &["a e:KNOWS b"][..], &[("a", &[0][..]), ("b", &[0])][..]),
        (&["a", "b"], &["a e:LIVES_IN b"], &[("a", &[0]), ("b", &[1])]),
        // From the end of a chain to its start.
        (&["a", "b", "c"], &["a e: b", "b f:LIVES_IN c"], &[("a", &[0]), ("b", &[0]), ("c", &[1])]),
        (&["a:City"], &[], &[("a", &[1])]),
    ] {
        let plan = s.matched(nodes, edges);
        let Plan::Match { graph, .. } = s.plan(&["narrow_tables"], plan, &["a"], Options::default()) else {
            panic!("empty: {edges:?}")
        };
        for (name, expected) in tables {
            let own: Vec<u16> = graph.tables[&s.var(name, LogicalType::Node)].iter().map(|t| t.0).collect();
            assert_eq!(&own, expected, "{name} of {edges:?}");
        }
    }
    for (nodes, edges) in [
        (&["a:Nobody"][..], &[][..]),
        (&["a:City", "b"], &["a e:KNOWS b"]),
        (&["a", "b:City", "c"], &["a e: b", "b f: c"]),
    ] {
        let plan = s.matched(nodes, edges);
        let plan = s.plan(&["narrow_tables"], plan, &["a"], Options::default());
        assert!(matches!(plan, Plan::Empty(_)), "{edges:?}");
    }
}

#[test]
fn call_groups() {
    let mut s = Small::default();
    let (b, k) = (s.var("b", LogicalType::Node), s.var("k", LogicalType::Any));
    let argument = Plan::Argument(vec![s.var("a", LogicalType::Node)]);
    let graph = s.graph(&["a", "b"], &["a e:KNOWS b"]);
    let pattern = || Plan::Match { input: Box::new(argument.clone()), graph: graph.clone() };
    let name = Expr::Property(Box::new(Expr::Var(b)), "name".into(), Span::default());
    let first = |pattern: Plan, skip: i64, count: i64| {
        let number = |n| Expr::Const(Value::Int(n));
        let keys = vec![SortKey { expr: name.clone(), descending: true }];
        let limit = Some(number(skip + count));
        let sort = Plan::Sort { input: Box::new(pattern), keys, limit, of_group: None };
        let sort = if skip == 0 { sort } else { Plan::Skip { input: Box::new(sort), count: number(skip) } };
        Plan::Limit { input: Box::new(sort), count: number(count) }
    };
    let items = vec![(k, name.clone())];
    let grouped = Plan::Aggregate { input: Box::new(pattern()), keys: items.clone(), aggregates: vec![] };
    let all = Plan::Aggregate { input: Box::new(pattern()), keys: vec![], aggregates: vec![] };
    let project = Plan::Project { input: Box::new(pattern()), items };
    let persons = s.matched(&["a:Person"], &[]);
    let one = Box::new(Expr::Const(Value::Int(1)));
    let twice =
        Plan::Unwind { input: Box::new(persons.clone()), list: *one, var: s.var("x", LogicalType::Any) };
    // The outer rows, the subquery, and the operators from the top on.
    let cases = [
        (
            &persons,
            first(pattern(), 0, 2),
            &["Sort a, b.name DESC, only first 2 by [a]", "Match", "Match"][..],
        ),
        (&persons, grouped, &["Aggregate by [k = b.name, a]", "Match", "Match"]),
        (&persons, Plan::Distinct { input: Box::new(project), vars: vec![k] }, &["Distinct k, a", "Project"]),
        (&persons, all, &["Aggregate by [a]", "OptionalApply", "Match"]),
        (&persons, pattern(), &["Match", "Match"]),
        (&persons, first(pattern(), 1, 2), &["Apply"]),
        (&twice, first(pattern(), 0, 2), &["Apply"]),
    ];
    for (rows, subplan, expected) in cases {
        let (input, subplan) = (Box::new(rows.clone()), Box::new(subplan));
        let plan = Plan::Apply { input, subplan, kind: ApplyKind::Inner };
        let plan = s.run(&["call_groups"], plan, &["a"]);
        let lines: Vec<&str> = plan.lines().map(str::trim).collect();
        let begins = expected.iter().zip(&lines).all(|(expected, line)| line.starts_with(expected));
        assert!(begins && lines.len() >= expected.len(), "{expected:?}\n{plan}");
    }
}

#[test]
fn both_ways() {
    let mut s = Small::default();
    let e = s.var("e", LogicalType::Relationship);
    for (nodes, edges, needed, expected) in [
        // One part for the edges out, one for those in.
        (&["a", "b"][..], &["a e:KNOWS b"][..], &["e"][..], &["Union e", "Match", "Match"][..]),
        (&["a:Person", "b"], &["a e: b"], &["e"], &["Union e", "Match", "Match"]),
        // A node is looked at, or nothing is.
        (&["a", "b"], &["a e:KNOWS b"], &["a", "e"], &["Match"]),
        (&["a", "b"], &["a e:KNOWS b"], &[], &["Match"]),
        (&["a"], &["a e:KNOWS a"], &["e"], &["Match"]),
        (&["a", "b", "c"], &["a e:KNOWS b", "b f:KNOWS c"], &["e"], &["Match"]),
    ] {
        let mut graph = s.graph(nodes, edges);
        graph.edges[0].direction = Direction::Both;
        let plan = Plan::Match { input: Box::new(Plan::Unit), graph };
        let plan = s.run(&["narrow_tables", "both_ways"], plan, needed);
        let is_operator = |line: &&str| line.starts_with("Union") || line.starts_with("Match");
        let lines = plan.lines().map(str::trim).filter(is_operator);
        let lines: Vec<&str> = lines.map(|l| if l.starts_with("Match") { "Match" } else { l }).collect();
        assert_eq!(lines, expected, "{edges:?} {needed:?}\n{plan}");
    }
    // Messages are liked and like nobody: there is one direction.
    for (from, to, expected) in
        [("a:Person", "b", Direction::Out), ("a:Message", "b", Direction::In), ("a", "b", Direction::Both)]
    {
        let mut graph = s.graph(&[from, to], &["a e:LIKES b"]);
        graph.edges[0].direction = Direction::Both;
        let plan = Plan::Match { input: Box::new(Plan::Unit), graph };
        let plan = s.plan(&["narrow_tables"], plan, &["a", "e"], Options::default());
        let Plan::Match { graph, .. } = plan else { panic!("{from}") };
        assert_eq!((graph.edges[0].var, graph.edges[0].direction), (e, expected), "{from}");
    }
}

#[test]
fn tell_apart() {
    let mut s = Small::default();
    for (edges, expected) in [
        // Side by side they may be the same; one after the other only a loop is, and there is none.
        (&["a e:KNOWS b", "a f:KNOWS c"][..], &[("e", "f")][..]),
        (&["a e:KNOWS b", "b f:KNOWS c"], &[]),
        (&["a e:KNOWS b", "a f:LIKES c"], &[]),
        (&["a e: b", "a f:LIVES_IN c"], &[("e", "f")]),
    ] {
        let plan = s.matched(&["a", "b", "c"], edges);
        let plan = s.plan(&["narrow_tables", "tell_apart"], plan, &["a"], Options::default());
        let Plan::Match { graph, .. } = plan else { panic!("{edges:?}") };
        let name = |v: VarId| &*s.vars.get(v).name;
        let told: Vec<(&str, &str)> = graph.distinct.iter().map(|(a, b)| (name(*a), name(*b))).collect();
        assert_eq!(told, expected, "{edges:?}");
        assert!(graph.predicates.is_empty());
    }
}

#[test]
fn hang_counts() {
    for (needed, predicate, hanging, left) in [
        (&["a"][..], None, 2, 1),
        // Counted from the other side.
        (&["c"], None, 2, 1),
        (&["a", "c"], None, 0, 3),
        (&["a"], Some("c"), 0, 3),
        // Few nodes are asked for: nothing is counted for all of a table.
        (&["a"], Some("a"), 1, 2),
    ] {
        let mut s = Small::default();
        let mut plan = s.matched(&["a:Person", "b", "c"], &["a e:KNOWS b", "b f:LIKES c"]);
        if let (Plan::Match { graph, .. }, Some(node)) = (&mut plan, predicate) {
            graph.predicates.push(s.equal(node, "name", 1));
        }
        let passes = ["narrow_tables", "tell_apart", "hang_counts"];
        let Plan::Match { graph, .. } = s.plan(&passes, plan, needed, Options::default()) else { panic!() };
        let steps: usize = graph.counts.iter().map(|(_, step)| step.depth()).sum();
        assert_eq!((steps, graph.nodes.len()), (hanging, left), "{needed:?} {predicate:?}");
    }
}

#[test]
fn count_trails() {
    let mut s = Small::default();
    let pattern = s.matched(&["a", "b", "c"], &["a e:KNOWS b", "a f:KNOWS c"]);
    let plan = s.counted(pattern);
    let text = s.run(&["count_trails"], plan.clone(), &["count"]);
    let operators: Vec<&str> = text.lines().filter_map(|l| l.split_whitespace().next()).collect();
    let expected = ["Project", "CrossProduct", "Aggregate", "Match", "Unit", "Aggregate", "Match", "Unit"];
    assert_eq!(operators, expected, "{text}");
    // Where somebody picks a node, the few matches are made.
    let picked = s.matched(&["a:Person", "b", "c"], &["a e:KNOWS b", "a f:KNOWS c"]);
    let picked = s.filtered(picked, "a", "id");
    let plan = s.counted(picked);
    assert!(s.run(&["count_trails"], plan, &["count"]).starts_with("Aggregate"));
}

#[test]
fn plan_match() {
    let mut s = Small::default();
    let plan = s.matched(&["a:Person", "b:City"], &["a e:LIVES_IN b"]);
    let expected = ["Extend (b)<-[e:LIVES_IN]-(a)", "NodeScan (b:City)"];
    check("a step from the smaller end", &s.run(ALL, plan, &["a", "b"]), &expected);

    let pattern = s.matched(&["p:Person", "q"], &["p k:KNOWS q"]);
    let plan = s.filtered(pattern, "p", "id");
    let expected = ["Extend (p)-[k:KNOWS]->(q)", "KeyLookup (p).id = 1", "Unit"];
    let passes = [&["push_filters"], ALL].concat();
    check("a look-up", &s.run(&passes, plan, &["p", "q"]), &expected);

    let plan = s.matched(&["x:City", "y:Person"], &[]);
    let expected = ["CrossProduct", "NodeScan (x:City)", "NodeScan (y:Person)"];
    check("a product", &s.run(ALL, plan, &["x", "y"]), &expected);

    let plan = s.matched(&["t", "u", "v"], &["t h:KNOWS u", "u i:KNOWS v", "t j:KNOWS v"]);
    let plan = s.plan(&["narrow_tables"], without_pairs(plan), &["t"], Options::default());
    let options = Options { hash_join: HashJoins::Off, ..Options::default() };
    let cycle = s.plan(&["plan_match"], plan, &["t", "u", "v"], options);
    assert!(matches!(cycle, Plan::Intersect { .. }), "{cycle:?}");
}

/// A pattern whose edges need not differ.
fn without_pairs(mut plan: Plan) -> Plan {
    if let Plan::Match { graph, .. } = &mut plan {
        graph.distinct.clear();
    }
    plan
}

#[test]
fn conditions_wait_for_both_sides_of_a_product() {
    let mut s = Small::default();
    let mut plan = s.matched(&["x:City", "y:Person"], &[]);
    let (x, y) = (s.var("x", LogicalType::Node), s.var("y", LogicalType::Node));
    if let Plan::Match { graph, .. } = &mut plan {
        graph.predicates.push(Expr::op(Op::Ne, vec![Expr::Var(x), Expr::Var(y)]));
    }
    let expected = ["Filter (x <> y)", "CrossProduct", "NodeScan (x:City)", "NodeScan (y:Person)"];
    check("a product", &s.run(ALL, plan, &["x", "y"]), &expected);
}

/// An apply over persons, of a subplan that starts from an argument with these variables.
fn called(s: &mut Small, arguments: &[&str], nodes: &[&str], edges: &[&str]) -> Plan {
    let input = Box::new(s.matched(&["a:Person"], &[]));
    let vars = arguments.iter().map(|name| s.var(name, LogicalType::Node)).collect();
    let graph = s.graph(nodes, edges);
    let matched = Plan::Match { input: Box::new(Plan::Argument(vars)), graph };
    let subplan = Box::new(s.counted(matched));
    Plan::Apply { input, subplan, kind: ApplyKind::Inner }
}

#[test]
fn call_once() {
    let mut s = Small::default();
    let plan = called(&mut s, &[], &["c:City"], &[]);
    let expected = ["CrossProduct", "Match 1 nodes, 0 edges", "Unit", "Aggregate by []: count = count(*)"];
    let text = s.run(&["call_once"], plan, &["a", "count"]);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    assert_eq!(lines[..4], expected, "{text}");
    // What looks at its rows stays, and what gives something else for each.
    let plan = called(&mut s, &["a"], &["a", "b"], &["a e:KNOWS b"]);
    assert!(s.run(&["call_once"], plan, &["a", "count"]).starts_with("Apply"));
    let mut plan = called(&mut s, &[], &["c:City"], &[]);
    if let Plan::Apply { subplan, .. } = &mut plan
        && let Plan::Aggregate { keys, .. } = &mut **subplan
    {
        let lot = s.var("lot", LogicalType::Float);
        keys.push((lot, Expr::Call("rand".into(), Vec::new(), Span::default())));
    }
    assert!(s.run(&["call_once"], plan, &["a", "count"]).starts_with("Apply"));
    // One row asks: nothing is joined.
    let mut plan = called(&mut s, &[], &["c:City"], &[]);
    if let Plan::Apply { input, .. } = &mut plan {
        **input = Plan::Unit;
    }
    let expected = ["Aggregate by []: count = count(*)", "Match 1 nodes, 0 edges", "Unit"];
    check("one row", &s.run(&["call_once"], plan, &["count"]), &expected);
}

#[test]
fn count_calls() {
    let mut s = Small::default();
    let plan = called(&mut s, &["a"], &["a", "b"], &["a e:KNOWS b"]);
    let text = s.run(&["count_calls"], plan.clone(), &["a", "count"]);
    assert!(text.starts_with("CountApply count") && !text.contains("Aggregate"), "{text}");
    // The count under another name, and what is made of it.
    let (n, count) = (s.var("n", LogicalType::Int), Expr::Var(s.var("count", LogicalType::Int)));
    let Plan::Apply { input, subplan, kind } = plan else { panic!() };
    let subplan = Box::new(Plan::Project { input: subplan, items: vec![(n, count)] });
    let text = s.run(&["count_calls"], Plan::Apply { input, subplan, kind }, &["a", "n"]);
    assert!(text.starts_with("Compute n = count\n  CountApply count"), "{text}");
}

#[test]
fn narrow_types() {
    let call = |var: VarId| Expr::Call("type".into(), vec![Expr::Var(var)], Span::default());
    let text = |name: &str| Expr::Const(Value::string(name));
    for (own, op, with, expected) in [
        ("", Op::Eq, text("KNOWS"), &["KNOWS"][..]),
        ("LIKES", Op::Eq, text("LIKES"), &["LIKES"]),
        ("", Op::In, Expr::List(vec![text("LIKES"), text("KNOWS"), text("LIKES")]), &["KNOWS", "LIKES"]),
        ("LIKES", Op::In, Expr::List(vec![text("KNOWS")]), &[]),
        ("LIKES", Op::Eq, text("KNOWS"), &[]),
    ] {
        let mut s = Small::default();
        let mut plan = s.matched(&["a", "b"], &[&format!("a e:{own} b")]);
        let var = s.var("e", LogicalType::Relationship);
        if let Plan::Match { graph, .. } = &mut plan {
            graph.predicates.push(Expr::op(op, vec![call(var), with]));
        }
        match s.plan(&["narrow_types"], plan, &["a"], Options::default()) {
            Plan::Match { graph, .. } => {
                let types: Vec<&str> = graph.edges[0].types.iter().map(|ty| &**ty).collect();
                assert_eq!(types, expected);
                assert!(graph.predicates.is_empty());
            }
            plan => assert!(matches!(plan, Plan::Empty(_)) && expected.is_empty(), "{plan:?}"),
        }
    }
}

#[test]
fn types_without_a_property_that_is_compared_are_left_out() {
    for (property, op, expected) in [
        // No relationship of the small catalog has properties.
        ("since", Op::Gt, false),
        ("since", Op::IsNull, true),
    ] {
        let mut s = Small::default();
        let mut plan = s.matched(&["a", "b"], &["a e: b"]);
        let e = Expr::Var(s.var("e", LogicalType::Relationship));
        let asked = Expr::Property(Box::new(e), property.into(), Span::default());
        let args = if op == Op::IsNull { vec![asked] } else { vec![asked, Expr::Const(Value::Int(1))] };
        if let Plan::Match { graph, .. } = &mut plan {
            graph.predicates.push(Expr::op(op, args));
        }
        let plan = s.plan(&["narrow_types"], plan, &["a"], Options::default());
        assert_eq!(matches!(plan, Plan::Match { .. }), expected, "{plan:?}");
    }
}

#[test]
fn what_cannot_fail_is_asked_first() {
    let mut s = Small::default();
    let mut plan = s.matched(&["p:Person"], &[]);
    let p = Expr::Var(s.var("p", LogicalType::Node));
    let property = |name: &str| Expr::Property(Box::new(p.clone()), name.into(), Span::default());
    let sum = Expr::op(Op::Add, vec![property("id"), Expr::Const(Value::Int(1))]);
    if let Plan::Match { graph, .. } = &mut plan {
        let text = |text: &str| Expr::Const(Value::string(text));
        graph.predicates.extend([
            Expr::op(Op::Gt, vec![sum, Expr::Const(Value::Int(2))]),
            Expr::op(Op::Contains, vec![property("name"), text("a")]),
            Expr::op(Op::Eq, vec![property("name"), text("b")]),
            Expr::op(Op::Lt, vec![property("id"), Expr::Const(Value::Int(9))]),
        ]);
    }
    let text = s.run(ALL, plan, &["p"]);
    let filter = "Filter ((p.id < 9) AND (p.name = 'b') AND (p.name CONTAINS 'a') AND ((p.id + 1) > 2))";
    assert!(text.starts_with(filter), "{text}");
}

#[test]
fn what_cannot_fail_of_edges_is_asked_first() {
    let mut s = Small::default();
    let mut plan = s.matched(&["a:Person", "m:Message"], &["a e:LIKES m"]);
    let of = |var, name: &str| Expr::Property(Box::new(Expr::Var(var)), name.into(), Span::default());
    let [a, m] = ["a", "m"].map(|node| s.var(node, LogicalType::Node));
    let e = s.var("e", LogicalType::Relationship);
    if let Plan::Match { graph, .. } = &mut plan {
        graph.predicates.extend([
            Expr::op(Op::Lt, vec![of(a, "id"), of(m, "id")]),
            Expr::op(Op::Gt, vec![of(e, "weight"), Expr::Const(Value::Int(9))]),
        ]);
    }
    let text = s.run(ALL, plan, &["a"]);
    assert!(text.contains("Filter ((e.weight > 9) AND (a.id < m.id))"), "{text}");
}

#[test]
fn what_is_equal_is_asked_before_what_is_less_behind_a_pattern_too() {
    let mut s = Small::default();
    let input = Box::new(s.matched(&["a:Person"], &[]));
    let a = s.var("a", LogicalType::Node);
    let x = s.var("x", LogicalType::Any);
    let list = Expr::Const(Value::list(vec![Value::Int(1), Value::string("b")]));
    let of = |name: &str| Expr::Property(Box::new(Expr::Var(a)), name.into(), Span::default());
    let sum = Expr::op(Op::Add, vec![Expr::Var(x), of("id")]);
    let asked = vec![
        Expr::op(Op::Gt, vec![sum, Expr::Const(Value::Int(2))]),
        Expr::op(Op::Ne, vec![Expr::Var(x), of("id")]),
        Expr::op(Op::Lt, vec![Expr::Var(x), of("id")]),
        Expr::op(Op::Eq, vec![Expr::Var(x), of("name")]),
    ];
    let predicate = Expr::op(Op::And, asked);
    let plan = Plan::Filter { input: Box::new(Plan::Unwind { input, list, var: x }), predicate };
    let text = s.run(&["push_filters"], plan, &["x"]);
    let filter = "Filter ((x = a.name) AND (x < a.id) AND (x <> a.id) AND ((x + a.id) > 2))";
    assert!(text.starts_with(filter), "{text}");
}

#[test]
fn rows_that_an_apply_hands_in_are_counted() {
    // Of all persons, those that like one of few messages: the messages' likes are found once and looked up.
    let mut s = Small::default();
    let input = Box::new(s.matched(&["a:Person"], &[]));
    let a = s.var("a", LogicalType::Node);
    let mut graph = s.graph(&["a", "m:Message"], &["a e:LIKES m"]);
    graph.predicates.push(s.equal("m", "name", 1));
    let subplan = Box::new(Plan::Match { input: Box::new(Plan::Argument(vec![a])), graph });
    let plan = Plan::Apply { input, subplan, kind: ApplyKind::Semi };
    let text = s.run(ALL, plan.clone(), &["a"]);
    assert!(text.contains("SemiJoin (a)"), "{text}");
    // Of one person, they are followed.
    let Plan::Apply { input, subplan, kind } = plan else { panic!() };
    let input = Box::new(s.filtered(*input, "a", "id"));
    let passes = [&["push_filters"], ALL].concat();
    let text = s.run(&passes, Plan::Apply { input, subplan, kind }, &["a"]);
    assert!(!text.contains("HashJoin") && !text.contains("SemiJoin"), "{text}");
}

#[test]
fn share_subplans() {
    let mut s = Small::default();
    // Groups of persons by what `key` is asked, with variables of their own.
    let groups = |s: &mut Small, [a, b, e, key, count]: [&str; 5], name: &str| {
        let pattern = s.matched(&[&format!("{a}:Person"), b], &[&format!("{a} {e}:KNOWS {b}")]);
        let asked =
            Expr::Property(Box::new(Expr::Var(s.var(a, LogicalType::Node))), name.into(), Span::new(3, 5));
        let Plan::Aggregate { input, mut aggregates, .. } = s.counted(pattern) else {
            panic!("no aggregate")
        };
        aggregates[0].0 = s.var(count, LogicalType::Int);
        Plan::Aggregate { input, keys: vec![(s.var(key, LogicalType::Any), asked)], aggregates }
    };
    let one = groups(&mut s, ["a", "b", "e", "k", "n"], "name");
    let same = groups(&mut s, ["c", "d", "f", "l", "m"], "name");
    let other = groups(&mut s, ["c", "d", "f", "l", "m"], "id");
    let product = |right: &Plan| Plan::HashJoin {
        left: Box::new(one.clone()),
        right: Box::new(right.clone()),
        on: Vec::new(),
    };
    let top = |text: String| text.lines().take(4).map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let shared = top(s.run(&["share_subplans"], product(&same), &["n", "l"]));
    assert_eq!(shared, ["Spool 0 n, k", "CrossProduct", "SpoolRead 0 n", "SpoolRead 0 l = k"]);
    let first = Plan::Limit { input: Box::new(one.clone()), count: Expr::Const(Value::Int(1)) };
    for (apart, needed, what) in
        [(product(&other), &["n", "l"][..], "another key"), (first, &["n"][..], "one place")]
    {
        let plan = s.run(&["share_subplans"], apart, needed);
        assert!(!plan.contains("Spool"), "{what}: {plan}");
    }
    // Patterns alone are read again.
    let pattern = s.matched(&["a:Person"], &[]);
    let again = s.matched(&["c:Person"], &[]);
    let plan = Plan::HashJoin { left: Box::new(pattern), right: Box::new(again), on: Vec::new() };
    assert!(!s.run(&["share_subplans"], plan, &["a", "c"]).contains("Spool"));
}
