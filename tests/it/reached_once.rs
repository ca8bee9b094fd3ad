//! Walks of which only the ends count, and these once: what is reached breadth first is what trails reach,
//! on small graphs with loops, parallel relationships and circles.

use trimorph::{Config, Database};
use trimorph_base::Random;
use trimorph_exec::Settings;
use trimorph_optimizer::Options;
use trimorph_store::Snapshot;

use super::ask::{created, sorted_rows_and_plan};

/// Graphs, and the passes they are asked with and without.
const GRAPHS: u64 = 150;

/// The rows of a query in order, and whether its plan reaches nodes once.
fn rows(query: &str, snapshot: &Snapshot, options: Options) -> (Vec<String>, bool) {
    let (rows, plan) = sorted_rows_and_plan(query, snapshot, options, Settings::default());
    (rows, plan.contains("Reachable"))
}

#[test]
fn what_is_reached_is_what_trails_reach() {
    let trails = Options::default().without("reach_once").unwrap();
    let mut reached = 0;
    for seed in 0..GRAPHS {
        let mut random = Random::new(seed);
        let nodes = 2 + random.below(5);
        let mut statements = vec![format!("UNWIND range(1, {nodes}) AS n CREATE (:A {{n: n}})")];
        for _ in 0..1 + random.below(2 * nodes) {
            let [from, to] = [1 + random.below(nodes), 1 + random.below(nodes)];
            let (ty, w) = (if random.below(3) == 0 { "S" } else { "T" }, random.below(3));
            statements.push(format!(
                "MATCH (a:A {{n: {from}}}), (b:A {{n: {to}}}) CREATE (a)-[:{ty} {{w: {w}}}]->(b)"
            ));
        }
        let snapshot = created(&statements.iter().map(String::as_str).collect::<Vec<_>>());
        let length = ["*", "*0..", "*1..3", "*0..4", "*..5", "*3", "*2..4"][random.below(7)];
        let (left, right) = [("-", "->"), ("<-", "-"), ("-", "-")][random.below(3)];
        let ty = ["", ":T", ":T|S"][random.below(3)];
        let with = ["", " {w: 1}"][usize::from(random.below(4) == 0)];
        let walk = format!("{left}[{ty}{length}{with}]{right}");
        for query in [
            format!("MATCH (a:A){walk}(b) RETURN DISTINCT a.n, b.n"),
            format!("MATCH (a:A {{n: 1}}){walk}(b) RETURN count(DISTINCT b), min(b.n), max(b.n)"),
            format!("MATCH (a:A) WHERE EXISTS {{ (a){walk}(a) }} RETURN a.n"),
            format!("MATCH (a:A), (b:A) WHERE NOT EXISTS {{ (a){walk}(b) }} RETURN a.n, b.n"),
            format!("MATCH (a:A){walk}(b)-[:T]->(c) RETURN DISTINCT a.n, c.n"),
            format!("MATCH (a:A {{n: 1}}) OPTIONAL MATCH (a){walk}(b) WHERE b.n > 1 RETURN DISTINCT b.n"),
            format!(
                "MATCH (a:A)-[r{ty}{length}{with}]{right}(b) WHERE all(e IN r WHERE e.w < 2) RETURN DISTINCT a.n, b.n"
            ),
            format!("MATCH (a:A){walk}(b) WITH DISTINCT a, b RETURN a.n, count(b)"),
            format!("MATCH (a:A){walk}(b) RETURN a.n, collect(DISTINCT b.n)[0] IS NULL"),
            // Rows count: nothing may change.
            format!("MATCH (a:A){walk}(b) RETURN a.n, count(b), count(DISTINCT b)"),
            format!("MATCH (a:A {{n: 1}}){walk}(b) WITH b LIMIT 2 RETURN DISTINCT 1"),
        ] {
            let (found, is_reached) = rows(&query, &snapshot, Options::default());
            let (expected, _) = rows(&query, &snapshot, trails);
            assert_eq!(found, expected, "graph {seed}: {query}\n{statements:#?}");
            reached += usize::from(is_reached);
        }
    }
    assert!(reached > 300, "only {reached} queries reach nodes once");
}

/// Where each node has one relationship at most that leads to it, nodes are reached level by level for many
/// rows at once; circles, with trees at them, are walked by themselves. SPARQL's paths are such walks, and
/// find what trails find, each once.
#[test]
fn where_one_relationship_leads_to_each_node() {
    let mut reached = 0;
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let nodes = 3 + random.below(40);
        // Every other graph has no circle.
        let from =
            |random: &mut Random, to: usize| random.below(if seed % 2 == 0 { to.max(1) } else { nodes });
        let mut edges = Vec::new();
        for to in 1..nodes {
            if random.below(8) > 0 {
                edges.push(format!("[{}, {to}]", from(&mut random, to)));
            }
        }
        let db = Database::in_memory(Config::default());
        let connection = db.connect();
        let ask = |text: &str, is_sparql: bool| {
            let result = if is_sparql { connection.sparql(text) } else { connection.query(text, &[]) };
            let mut result = result.unwrap_or_else(|error| panic!("{text}\n{error}"));
            let mut rows = Vec::new();
            while let Some(row) = result.next_row().unwrap() {
                rows.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" "));
            }
            rows.sort();
            rows
        };
        ask(&format!("UNWIND range(0, {nodes}) AS n CREATE (:A {{n: n}})"), false);
        let made = "MATCH (a:A {n: e[0]}), (b:A {n: e[1]}) CREATE (a)-[:T]->(b)";
        ask(&format!("UNWIND [{}] AS e {made}", edges.join(", ")), false);
        ask("CHECKPOINT", false);
        for (path, walk) in [
            (":T+", "-[:T*]->"),
            (":T*", "-[:T*0..]->"),
            ("^:T+", "<-[:T*]-"),
            (":T/:T*", "-[:T*]->"),
            (":T?", "-[:T*0..1]->"),
        ] {
            let sparql = format!("SELECT DISTINCT ?x ?y {{ ?a a :A ; :n ?x ; {path} ?b . ?b :n ?y }}");
            let cypher = format!("MATCH (a:A){walk}(b) RETURN DISTINCT a.n AS x, b.n AS y");
            assert_eq!(ask(&sparql, true), ask(&cypher, false), "seed {seed}: {path}\n{edges:?}");
            reached += usize::from(ask(&format!("EXPLAIN {sparql}"), true).join("\n").contains("Reachable"));
        }
    }
    assert!(reached > 60, "only {reached} queries reach nodes once");
}
