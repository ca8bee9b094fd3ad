//! Trails of which only the ends are asked: the same as a search by hand gives, on trees, chains, graphs with
//! several ways and with cycles, with a node of very many edges, whatever the size of vectors, the number of
//! threads and the order in which rows come.

use std::collections::BTreeMap;

use trimorph_base::{MemoryBudget, Random};
use trimorph_exec::Settings;
use trimorph_types::Value;

use super::ask::{agree_on, ask, created};
use super::deep_walks::graph;

/// How many trails of `min` to `max` edges lead from each node to each.
fn trails(edges: &[(usize, usize)], nodes: usize, min: usize, max: usize) -> BTreeMap<(i64, i64), i64> {
    let mut out: Vec<Vec<(usize, usize)>> = vec![Vec::new(); nodes];
    edges.iter().enumerate().for_each(|(edge, (from, to))| out[*from].push((*to, edge)));
    let mut found = BTreeMap::new();
    for start in 0..nodes {
        // Where the walk is, its edges, and which edge it takes next.
        let mut path: Vec<(usize, usize)> = Vec::new();
        let mut next = vec![0];
        if min == 0 {
            *found.entry((start as i64, start as i64)).or_default() += 1;
        }
        while let Some(place) = next.last_mut() {
            let at = path.last().map_or(start, |(node, _)| *node);
            let Some((to, edge)) = out[at].get(*place).copied().filter(|_| path.len() < max) else {
                next.pop();
                path.pop();
                continue;
            };
            *place += 1;
            if path.iter().all(|(_, taken)| *taken != edge) {
                path.push((to, edge));
                next.push(0);
                if path.len() >= min {
                    *found.entry((start as i64, to as i64)).or_default() += 1;
                }
            }
        }
    }
    found
}

fn agree(edges: &[(usize, usize)], lengths: &[(usize, usize)], how: &str) {
    let nodes = edges.iter().map(|(from, to)| from.max(to) + 1).max().unwrap();
    let snapshot = graph(edges.iter().copied());
    for (min, max) in lengths {
        let expected = trails(edges, nodes, *min, *max);
        let length = if *max > nodes { format!("{min}..") } else { format!("{min}..{max}") };
        for (vector_size, threads) in [(2_048, 1), (7, 1), (64, 3)] {
            for (pattern, swaps) in [("(a:V)-[:E*?]->(b)", false), ("(a:V)<-[:E*?]-(b)", true)] {
                // The list is not looked at: trails level by level; grouped by the node, and one by one.
                let pattern = pattern.replace('?', &length);
                for text in [
                    format!("MATCH {pattern} WITH a, b, count(*) AS n RETURN a.id, b.id, n"),
                    format!("MATCH {pattern} WITH a.id AS x, b.id AS y RETURN x, y, 1"),
                    // Several walks from one node, and rows without a node.
                    format!(
                        "MATCH (s:V) OPTIONAL MATCH (s)-[:E]->(none:V {{id: -1}}) UNWIND [s, none] AS a MATCH {pattern} RETURN a.id, b.id, 1"
                    ),
                ] {
                    let settings =
                        Settings { vector_size, threads, patient: threads == 1, ..Settings::default() };
                    let mut found: BTreeMap<(i64, i64), i64> = BTreeMap::new();
                    for row in ask(&text, &snapshot, settings).unwrap() {
                        let [Value::Int(a), Value::Int(b), Value::Int(n)] = row[..] else {
                            panic!("{row:?}")
                        };
                        *found.entry(if swaps { (b, a) } else { (a, b) }).or_default() += n;
                    }
                    assert_eq!(found, expected, "{how}, vectors of {vector_size}, {threads} threads: {text}");
                }
            }
        }
    }
}

#[test]
fn trees_and_chains() {
    let mut random = Random::new(5);
    // Each node's edge comes from one before it.
    let tree: Vec<(usize, usize)> = (1..400).map(|to| (random.below(to), to)).collect();
    agree(&tree, &[(0, 1_000), (1, 1_000), (2, 3), (0, 1), (3, 1_000)], "a tree");
    // Longer than what is walked level by level.
    let chain: Vec<(usize, usize)> = (1..150).map(|to| (to - 1, to)).collect();
    agree(&chain, &[(0, 1_000), (60, 70), (1, 64), (1, 65)], "a chain");
}

#[test]
fn several_ways_and_cycles() {
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let nodes = 4 + random.below(30);
        let edges: Vec<(usize, usize)> = match seed % 4 {
            // Forward only: several ways, no cycle.
            0 => (0..nodes * 3 / 2)
                .map(|_| {
                    let from = random.below(nodes - 1);
                    (from, from + 1 + random.below(nodes - from - 1))
                })
                .collect(),
            // One edge into each: cycles with trees at them, and loops.
            1 => (0..nodes).map(|to| (random.below(nodes), to)).collect(),
            // One edge out of each.
            2 => (0..nodes).map(|from| (from, random.below(nodes))).collect(),
            // Anything, with parallel edges.
            _ => (0..nodes + 3).map(|_| (random.below(nodes), random.below(nodes))).collect(),
        };
        let lengths: &[(usize, usize)] =
            if seed % 4 == 3 { &[(0, 4), (2, 5)] } else { &[(0, 1_000), (1, 3), (2, 1_000)] };
        agree(&edges, lengths, &format!("seed {seed}"));
    }
}

/// More edges at a node than a batch has room for, between nodes of few.
#[test]
fn a_node_of_many_edges() {
    const MANY: usize = 40_000;
    let edges = (0..20).map(|i| (i, i + 1)).chain((0..MANY).map(|leaf| (10, 100 + leaf)));
    let snapshot = graph(edges);
    let budget = MemoryBudget::new(24 << 20, None);
    for (length, count) in [("0..", 11 * MANY + 40_100 + 21 * 20 / 2), ("1..2", 2 * MANY + 20 + 19)] {
        let text = format!("MATCH (a:V)-[:E*{length}]->(b) RETURN count(b.id)");
        let settings = Settings { budget: budget.clone(), ..Settings::default() };
        let rows = ask(&text, &snapshot, settings).unwrap();
        assert!(
            matches!(&rows[..], [row] if matches!(row[..], [Value::Int(n)] if n == count as i64)),
            "{text} {rows:?}"
        );
        assert_eq!(budget.used_bytes(), 0);
    }
    let text = "MATCH (a:V)-[:E*0..]->(b) WHERE b.id = 100 WITH a, b LIMIT 3 RETURN count(b)";
    let rows = ask(text, &snapshot, Settings::default()).unwrap();
    assert!(matches!(rows[0][..], [Value::Int(3)]), "{rows:?}");
}

/// Lists of relationships, conditions on each relationship and each node, and walks in any direction: as the
/// interpreter has it.
#[test]
fn lists_conditions_and_both_directions() {
    let mut rows = 0;
    for seed in 0..4 {
        let mut random = Random::new(seed);
        let nodes = 6 + random.below(4);
        let mut statements =
            vec![format!("UNWIND range(0, {}) AS n CREATE (:V {{id: n, even: n % 2 = 0}})", nodes - 1)];
        for edge in 0..nodes + 4 {
            let (from, to) = (random.below(nodes), random.below(nodes));
            let ty = if random.below(4) == 0 { "F" } else { "E" };
            statements.push(format!(
                "MATCH (a:V {{id: {from}}}), (b:V {{id: {to}}}) CREATE (a)-[:{ty} {{w: {edge}}}]->(b)"
            ));
        }
        let snapshot = created(&statements.iter().map(String::as_str).collect::<Vec<_>>());
        let patterns = [
            "(a:V)-[l:E*1..3]->(b)",
            "(a:V)<-[l*0..2]-(b)",
            "(a:V)-[l:E*1..3]-(b)",
            "(a:V)-[l*2..4]-(b:V)",
            "(a:V {id: 3})-[l:E|F*]->(b)",
        ];
        let conditions = [
            "",
            "WHERE all(r IN l WHERE r.w % 3 <> 1)",
            "WHERE none(r IN l WHERE r:F)",
            "WHERE all(r IN l WHERE r.w > a.id)",
            "WHERE any(r IN l WHERE r.w = 5)",
        ];
        let texts = patterns.iter().flat_map(|pattern| {
            conditions.iter().map(move |condition| {
                format!("MATCH {pattern} {condition} RETURN a.id AS a, b.id AS b, [r IN l | r.w] AS w")
            })
        });
        let of_nodes = patterns.iter().flat_map(|pattern| {
            ["all(n IN nodes(p) WHERE n.even)", "none(n IN nodes(p) WHERE n.id = 2 OR n.id = a.id + 1)"].map(
                move |condition| {
                    format!(
                        "MATCH p = {pattern} WHERE {condition} AND all(r IN relationships(p) WHERE r.w < 8) RETURN a.id AS a, b.id AS b, length(p) AS n"
                    )
                },
            )
        });
        let counted = patterns.iter().map(|pattern| {
            format!(
                "MATCH (s:V) OPTIONAL MATCH (s)-[:E]->(none:V {{id: -1}}) UNWIND [s, none] AS a MATCH {} RETURN a.id AS a, b.id AS b, count(*) AS n",
                pattern.replace("(a:V)", "(a)").replace("(a:V {id: 3})", "(a)")
            )
        });
        rows += agree_on(texts.chain(of_nodes).chain(counted), &snapshot);
    }
    assert!(rows > 10_000, "{rows}");
}
