//! What is asked of a walk as a whole: which part of it prunes the search, which ends it, which is asked of
//! whole paths, and which list is walked along.

use trimorph_algebra::{
    EdgePattern, EdgeRange, Expr, Op, Plan, QuantifierKind, QueryGraph, ShortestKind, Walk,
};
use trimorph_base::Span;
use trimorph_types::{LogicalType, Value};

use super::small::Small;
use crate::Options;

/// `(a)-[e:KNOWS*min..max]->(b)`, a shortest path or any.
fn graph(s: &mut Small, name: &str, shortest: Option<ShortestKind>) -> QueryGraph {
    s.var(name, LogicalType::List);
    let mut graph = s.graph(&["a:Person", "b"], &[&format!("a {name}:KNOWS b")]);
    graph.edges[0].range = EdgeRange::Variable { min: 1, max: Some(9), shortest };
    graph
}

/// The edge and the walk that the pass makes of a shortest path with these conditions; `x`, an integer, is
/// bound before.
fn walked(s: &mut Small, whole: Vec<Expr>) -> (EdgePattern, Walk) {
    let mut graph = graph(s, "e", Some(ShortestKind::One));
    graph.edges[0].whole = whole;
    let list = Expr::Const(Value::list(vec![Value::Int(1)]));
    let input = Plan::Unwind { input: Box::new(Plan::Unit), list, var: s.var("x", LogicalType::Any) };
    let plan = Plan::Match { input: Box::new(input), graph };
    let Plan::Match { graph, .. } = s.plan(&["walks"], plan, &["a"], Options::default()) else {
        panic!("no pattern")
    };
    let walk = graph.walks.get(&s.var("e", LogicalType::List)).cloned().unwrap_or_default();
    (graph.edges[0].clone(), walk)
}

fn call(name: &str, argument: Expr) -> Expr {
    Expr::Call(name.into(), vec![argument], Span::default())
}

/// The path of the pattern.
fn path(s: &mut Small) -> Expr {
    let [a, b] = ["a", "b"].map(|name| Expr::Var(s.var(name, LogicalType::Node)));
    Expr::Path(vec![a, Expr::Var(s.var("e", LogicalType::List)), b])
}

/// `kind(n IN list WHERE n = with)`
fn each(s: &mut Small, kind: QuantifierKind, list: Expr, with: &str) -> Expr {
    let var = s.var("n", LogicalType::Any);
    let predicate = Expr::op(Op::Eq, vec![Expr::Var(var), Expr::Var(s.var(with, LogicalType::Any))]);
    Expr::Quantifier { kind, var, list: Box::new(list), predicate: Box::new(predicate) }
}

#[test]
fn conditions_go_where_they_cut_most() {
    use QuantifierKind as Q;
    // The kind of quantifier, the list, what an element is compared with; then what nodes, edges and whole
    // paths are asked.
    for (kind, list, with, expected) in [
        (Q::All, "nodes", "x", ["(n = x)", "", ""]),
        (Q::None, "nodes", "x", ["NOT (n = x)", "", ""]),
        (Q::All, "relationships", "x", ["", "(n = x)", ""]),
        (Q::None, "relationships", "x", ["", "NOT (n = x)", ""]),
        (Q::All, "e", "x", ["", "(n = x)", ""]),
        // One element that meets it is not known before the path is.
        (Q::Any, "nodes", "x", ["", "", "whole"]),
        (Q::Single, "relationships", "x", ["", "", "whole"]),
        // What is not bound before the walk cannot be asked on the way.
        (Q::All, "nodes", "b", ["", "", "whole"]),
    ] {
        let mut s = Small::default();
        let list = match list {
            "e" => Expr::Var(s.var("e", LogicalType::List)),
            name => call(name, path(&mut s)),
        };
        let condition = each(&mut s, kind, list, with);
        let (edge, walk) = walked(&mut s, vec![condition]);
        let show = |e: &Expr| trimorph_algebra::print_expr(e, &s.vars);
        let nodes = walk.nodes.map_or(String::new(), |(_, e)| show(&e));
        let edges = edge.each.map_or(String::new(), |(_, e)| show(&e));
        let whole = walk.condition.map_or("", |_| "whole");
        assert_eq!([&nodes, &edges, whole], expected, "{kind:?} {with}");
        assert!(edge.whole.is_empty());
    }
}

#[test]
fn lengths_end_the_search() {
    let length = |s: &mut Small| call("length", path(s));
    let number = |n: i64| Expr::Const(Value::Int(n));
    for (op, limit, turned, max, stays) in [
        (Op::Le, 4, false, 4, false),
        (Op::Lt, 4, false, 3, false),
        (Op::Eq, 4, false, 4, true),
        (Op::Ge, 4, true, 4, false),
        (Op::Gt, 4, true, 3, false),
        // Longer than the pattern allows anyway.
        (Op::Le, 50, false, 9, false),
        // Lower bounds, and what no path can meet, are asked of whole paths.
        (Op::Ge, 4, false, 9, true),
        (Op::Gt, 4, false, 9, true),
        (Op::Lt, -3, false, 0, true),
    ] {
        let mut s = Small::default();
        let args = match turned {
            false => vec![length(&mut s), number(limit)],
            true => vec![number(limit), length(&mut s)],
        };
        let (edge, walk) = walked(&mut s, vec![Expr::op(op, args)]);
        let EdgeRange::Variable { max: found, .. } = edge.range else { panic!("one edge") };
        assert_eq!((found, walk.condition.is_some()), (Some(max), stays), "{op:?} {limit} {turned}");
    }
}

#[test]
fn a_bound_list_is_walked_along() {
    let equal = |s: &mut Small, a: &str, b: &str| {
        Expr::op(Op::Eq, [a, b].map(|name| Expr::Var(s.var(name, LogicalType::List))).into())
    };
    for (sides, shortest, along) in [
        (["e", "rs"], None, true),
        (["rs", "e"], None, true),
        // Not bound before.
        (["e", "unbound"], None, false),
        // A shortest path is looked for, and then compared.
        (["e", "rs"], Some(ShortestKind::One), false),
    ] {
        let mut s = Small::default();
        let mut graph = graph(&mut s, "e", shortest);
        if sides[1] == "unbound" {
            graph
                .edges
                .push(EdgePattern { var: s.var("unbound", LogicalType::List), ..graph.edges[0].clone() });
        }
        graph.predicates.push(equal(&mut s, sides[0], sides[1]));
        let (list, var) = (Expr::Const(Value::list(Vec::new())), s.var("rs", LogicalType::List));
        let input = Box::new(Plan::Unwind { input: Box::new(Plan::Unit), list, var });
        let plan = s.plan(&["walks"], Plan::Match { input, graph }, &["a"], Options::default());
        let Plan::Match { graph, .. } = plan else { panic!("no pattern") };
        let found = graph.walks.get(&s.var("e", LogicalType::List)).and_then(|walk| walk.along);
        assert_eq!(found, along.then_some(var), "{sides:?}");
        assert_eq!(graph.predicates.is_empty(), along, "{sides:?}");
    }
}

#[test]
fn a_list_that_the_pattern_before_finds_is_bound() {
    for (second, expected) in [("f", 2), ("g", 1)] {
        let mut s = Small::default();
        let first = graph(&mut s, "e", None);
        let mut graph = graph(&mut s, "f", None);
        // `f` goes along `e`; that `g` is `e` says nothing of a walk.
        let sides = [second, "e"].map(|name| Expr::Var(s.var(name, LogicalType::List)));
        graph.predicates.push(Expr::op(Op::Eq, sides.into()));
        let input = Box::new(Plan::Match { input: Box::new(Plan::Unit), graph: first });
        let input = match second {
            "g" => {
                let var = s.var("g", LogicalType::List);
                let list = Expr::Const(Value::list(Vec::new()));
                let Plan::Match { graph, .. } = *input else { panic!("no pattern") };
                let below = Plan::Unwind { input: Box::new(Plan::Unit), list, var };
                Box::new(Plan::Match { input: Box::new(below), graph })
            }
            _ => input,
        };
        let text = s.run(&["merge_patterns"], Plan::Match { input, graph }, &["a"]);
        assert_eq!(text.matches("Match").count(), expected, "{text}");
    }
}

#[test]
fn what_each_node_of_a_trail_must_meet_cuts_it_short() {
    use trimorph_algebra::{PathPattern, PathStep};
    for (kind, function, cut) in [
        (QuantifierKind::All, "nodes", true),
        (QuantifierKind::None, "nodes", true),
        (QuantifierKind::All, "relationships", true),
        (QuantifierKind::Any, "nodes", false),
    ] {
        let mut s = Small::default();
        let mut graph = graph(&mut s, "e", None);
        let path = s.var("path", LogicalType::Path);
        let [a, b] = ["a", "b"].map(|name| s.var(name, LogicalType::Node));
        let e = s.var("e", LogicalType::List);
        let steps = vec![PathStep::Node(a), PathStep::Edge(e), PathStep::Node(b)];
        graph.paths.push(PathPattern { var: path, steps });
        let mut condition = each(&mut s, kind, call(function, Expr::Var(path)), "a");
        if let Expr::Quantifier { predicate, .. } = &mut condition {
            **predicate = s.equal("n", "name", 1);
        }
        graph.predicates.push(condition);
        let plan = Plan::Match { input: Box::new(Plan::Unit), graph };
        let plan = s.plan(&["narrow_tables", "walks", "plan_match"], plan, &["b"], Options::default());
        let Plan::VarExtend { input, step, .. } = &plan else {
            assert!(!cut && matches!(plan, Plan::Filter { .. }), "{plan:?}");
            continue;
        };
        assert!(cut);
        let (of_nodes, of_edges) = (step.walk.nodes.is_some(), step.each.is_some());
        assert_eq!((of_nodes, of_edges), (function == "nodes", function != "nodes"));
        // The node that it starts from is asked before.
        assert_eq!(matches!(**input, Plan::Filter { .. }), of_nodes, "{plan:?}");
    }
}
