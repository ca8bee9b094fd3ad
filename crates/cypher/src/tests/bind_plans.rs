//! Queries and the plans they are bound to, in `bind_plans.txt`. `TRIMORPH_BLESS=1` writes the plans anew.

use std::path::Path;

use trimorph_algebra::{
    BoundQuery, Direction, EdgePattern, EdgeRange, LabelExpr, Plan, QueryGraph, Vars, explain, print_expr,
};

use super::bind_corpus::{bound, check_plan};

/// The plan with the graphs of its matches, and the columns and parameters.
fn show(query: &BoundQuery) -> String {
    let vars = &query.vars;
    let mut note = |plan: &Plan| match plan {
        Plan::Match { graph, .. } => show_graph(graph, vars),
        _ => String::new(),
    };
    let mut text = explain(&query.plan, vars, &mut note);
    let columns: Vec<&str> = query.columns.iter().map(|(name, _)| name.as_str()).collect();
    text += &format!("columns: {}\n", columns.join(" | "));
    if !query.parameters.is_empty() {
        text += &format!("parameters: {}\n", query.parameters.join(", "));
    }
    text
}

fn show_graph(graph: &QueryGraph, vars: &Vars) -> String {
    let name = |var| vars.get(var).name.to_string();
    let mut parts = Vec::new();
    for node in &graph.nodes {
        parts.push(format!("({}{})", name(node.var), show_labels(&node.labels)));
    }
    for edge in &graph.edges {
        parts.push(show_edge(edge, vars));
    }
    for path in &graph.paths {
        parts.push(format!("path {} of {}", name(path.var), path.steps.len()));
    }
    for predicate in &graph.predicates {
        parts.push(format!("where {}", print_expr(predicate, vars)));
    }
    for (a, b) in &graph.distinct {
        parts.push(format!("{} is not {}", name(*a), name(*b)));
    }
    parts.join(", ")
}

fn show_edge(edge: &EdgePattern, vars: &Vars) -> String {
    let name = |var| vars.get(var).name.to_string();
    let (left, right) = match edge.direction {
        Direction::Out => ("-", "->"),
        Direction::In => ("<-", "-"),
        Direction::Both => ("-", "-"),
    };
    let types = if edge.types.is_empty() { String::new() } else { format!(":{}", edge.types.join("|")) };
    let range = match edge.range {
        EdgeRange::One => String::new(),
        EdgeRange::Reachable { .. } => panic!("no binder of Cypher makes it"),
        EdgeRange::Variable { min, max, shortest } => {
            let max = max.map(|m| m.to_string()).unwrap_or_default();
            format!("*{min}..{max}{}", shortest.map(|s| format!(" shortest {s:?}")).unwrap_or_default())
        }
    };
    let each = match &edge.each {
        Some((var, condition)) => format!(" each {} {}", name(*var), print_expr(condition, vars)),
        None => String::new(),
    };
    let body = format!("[{}{types}{range}{each}]", name(edge.var));
    format!("({}){left}{body}{right}({})", name(edge.from), name(edge.to))
}

fn show_labels(labels: &LabelExpr) -> String {
    match labels {
        LabelExpr::True => String::new(),
        LabelExpr::Label(name) => format!(":{name}"),
        other => format!(":{other:?}"),
    }
}

#[test]
fn queries_have_these_plans() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/bind_plans.txt");
    let expected = std::fs::read_to_string(&path).expect("the plans");
    let mut actual = String::new();
    for query in expected.lines().filter_map(|line| line.strip_prefix("> ")) {
        let shown = match bound(query) {
            Ok(bound) => {
                check_plan(&bound);
                show(&bound)
            }
            Err(error) => format!("{error} [{}]\n", error.detail),
        };
        actual += &format!("> {query}\n{shown}\n");
    }
    if std::env::var_os("TRIMORPH_BLESS").is_some() {
        std::fs::write(&path, actual).expect("written");
        return;
    }
    for (line, (a, e)) in actual.lines().zip(expected.lines()).enumerate() {
        assert_eq!(a, e, "bind_plans.txt:{}", line + 1);
    }
    assert_eq!(actual.lines().count(), expected.lines().count());
}
