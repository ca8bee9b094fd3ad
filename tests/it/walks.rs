//! Walks with conditions on the whole: the shortest path that meets them, and walks along a list that is
//! bound.

use trimorph_exec::Settings;
use trimorph_optimizer::Options;

use super::ask::{agree_on, answer, ask, created, failure, sorted_rows_and_plan};

/// GQL's way to write how many steps asks what openCypher's does; a condition is each step's.
#[test]
fn quantified_relationships_are_walks() {
    let graph = created(&[
        "UNWIND range(1, 9) AS n CREATE (:A {n: n})",
        "MATCH (a:A), (b:A) WHERE b.n IN [a.n + 1, a.n * 2] CREATE (a)-[:T {w: a.n + b.n}]->(b)",
    ]);
    for (quantified, walk) in [
        ("(a)-[r:T]->{2}(b)", "(a)-[r:T*2]->(b)"),
        ("(a)-[r:T]->{1,3}(b)", "(a)-[r:T*1..3]->(b)"),
        ("(a {n: 1})-[r:T]->+(b)", "(a {n: 1})-[r:T*1..]->(b)"),
        ("(a)<-[r:T]-*(b {n: 1})", "(a)<-[r:T*0..]-(b {n: 1})"),
        ("(a {n: 3})-[r:T]-{,2}(b)", "(a {n: 3})-[r:T*0..2]-(b)"),
        ("(a)-[r:T {w: 3}]->+(b)", "(a)-[r:T* {w: 3}]->(b)"),
        ("(a)-[r:T WHERE r.w > 8]->{1,}(b)", "(a)-[r:T*1.. WHERE r.w > 8]->(b)"),
    ] {
        let rows = |pattern| {
            let text =
                format!("MATCH {pattern} RETURN a.n AS a, b.n AS b, [x IN r | x.w] AS w ORDER BY a, b, w");
            answer(&text, &graph)
        };
        let expected = rows(walk);
        assert!(!expected.is_empty(), "{walk}");
        assert_eq!(rows(quantified), expected, "{quantified}");
    }
    let shortest = "MATCH p = shortestPath((a {n: 1})-[:T]->+(b {n: 9})) RETURN length(p)";
    assert_eq!(answer(shortest, &graph), ["4"]);
    let exists = "MATCH (a:A) WHERE EXISTS { (a)-[:T]->{3}({n: 8}) } RETURN a.n ORDER BY a.n";
    assert_eq!(answer(exists, &graph), answer(&exists.replace("[:T]->{3}", "[:T*3]->"), &graph));
    let case = "UNWIND [1, 2, 3, null] AS x RETURN CASE x WHEN 1, 2 THEN 1 WHEN null, 3 THEN 2 ELSE 0 END";
    assert_eq!(answer(case, &graph), ["1", "1", "2", "0"]);
}

#[test]
fn the_shortest_that_meets_the_condition() {
    // From 1 to 4: straight over 2 (which is closed), over 5 and 6, over 7, 8 and 9.
    let graph = created(&[
        "UNWIND range(1, 9) AS n CREATE (:A {n: n, open: n <> 2})",
        "UNWIND [[1, 2], [2, 4], [1, 5], [5, 6], [6, 4], [1, 7], [7, 8], [8, 9], [9, 4]] AS p MATCH (a:A) MATCH (b:A) WHERE a.n = p[0] AND b.n = p[1] CREATE (a)-[:T {w: p[0] + p[1]}]->(b)",
    ]);
    let ends = "(a:A {n: 1})-[r:T*]->(b:A {n: 4})";
    for (condition, expected) in [
        ("true", "[1, 2, 4]"),
        ("all(x IN nodes(p) WHERE x.open)", "[1, 5, 6, 4]"),
        ("none(x IN nodes(p) WHERE NOT x.open)", "[1, 5, 6, 4]"),
        ("all(x IN nodes(p) WHERE x.open) AND none(x IN nodes(p) WHERE x.n = 5)", "[1, 7, 8, 9, 4]"),
        ("all(e IN relationships(p) WHERE e.w <> 3)", "[1, 5, 6, 4]"),
        ("all(e IN r WHERE e.w <> 3)", "[1, 5, 6, 4]"),
        ("none(e IN relationships(p) WHERE e.w IN [3, 11])", "[1, 7, 8, 9, 4]"),
        ("any(x IN nodes(p) WHERE x.n = 8)", "[1, 7, 8, 9, 4]"),
        ("length(p) > 2", "[1, 5, 6, 4]"),
        ("length(p) = 4", "[1, 7, 8, 9, 4]"),
        ("size(r) >= 4", "[1, 7, 8, 9, 4]"),
        ("length(p) > 2 AND length(p) <= 3", "[1, 5, 6, 4]"),
        ("length(p) < 2", ""),
        ("length(p) > 4", ""),
        ("any(x IN nodes(p) WHERE x.n = 3)", ""),
        ("all(x IN nodes(p) WHERE x.n > 1)", ""),
        ("reduce(s = 0, e IN relationships(p) | s + e.w) > 20", "[1, 5, 6, 4]"),
        ("single(x IN nodes(p) WHERE x.n > 6)", ""),
        ("a.n = 1 AND any(x IN nodes(p) WHERE x.n = b.n + 1)", "[1, 5, 6, 4]"),
    ] {
        for function in ["shortestPath", "allShortestPaths"] {
            let query =
                format!("MATCH p = {function}({ends}) WHERE {condition} RETURN [x IN nodes(p) | x.n]");
            assert_eq!(answer(&query, &graph).join(" "), expected, "{query}");
        }
    }
    // Rows from before, ends from before, one search a row; what a later clause asks filters.
    for (query, expected) in [
        (
            "UNWIND [2, 5, 7, 3] AS n MATCH p = shortestPath((a:A {n: 1})-[*]->(b:A {n: 4})) WHERE any(x IN nodes(p) WHERE x.n = n) RETURN n, length(p) ORDER BY n",
            "2 2 5 3 7 4",
        ),
        (
            "UNWIND [2, 5] AS n MATCH p = shortestPath((a:A {n: 1})-[*]->(b:A {n: 4})) WHERE none(x IN nodes(p) WHERE x.n = n) RETURN n, length(p) ORDER BY n",
            "2 3 5 2",
        ),
        (
            "MATCH p = shortestPath((a:A {n: 1})-[*]->(b:A {n: 4})) MATCH (c:A {n: 1}) WHERE length(p) > 2 RETURN length(p)",
            "3",
        ),
        (
            "MATCH p = shortestPath((a:A {n: 1})-[*]->(b:A {n: 4})) WITH p WHERE length(p) > 2 RETURN length(p)",
            "",
        ),
        (
            "MATCH (a:A {n: 1}) MATCH p = shortestPath((a)-[*]->(b:A)) WHERE all(x IN nodes(p) WHERE x.open) AND b.n > 3 RETURN b.n, length(p) ORDER BY b.n",
            "4 3 5 1 6 2 7 1 8 2 9 3",
        ),
        (
            "MATCH (a:A {n: 4}) MATCH p = shortestPath((a)<-[*]-(b:A {n: 1})) WHERE any(x IN nodes(p) WHERE x.n = 6) RETURN [x IN nodes(p) | x.n]",
            "[4, 6, 5, 1]",
        ),
        (
            "MATCH (a:A {n: 1}), (b:A {n: 4}) OPTIONAL MATCH p = shortestPath((a)-[*]->(b)) WHERE length(p) > 9 RETURN p",
            "null",
        ),
        (
            "MATCH (a:A {n: 1}), (b:A {n: 4}) WHERE EXISTS { MATCH p = shortestPath((a)-[*]->(b)) WHERE length(p) > 2 } RETURN a.n",
            "1",
        ),
        (
            "MATCH (a:A {n: 1}) WHERE EXISTS { p = shortestPath((a)-[*]->(b:A {n: 4})) WHERE length(p) > 3 } RETURN a.n",
            "1",
        ),
        (
            "MATCH (a:A {n: 1}), (b:A {n: 4}) RETURN COUNT { MATCH p = allShortestPaths((a)-[*]->(b)) WHERE any(x IN nodes(p) WHERE x.n = 8) }",
            "1",
        ),
        ("MATCH (a:A {n: 1}), p = shortestPath((a)-[*0..3]-(a)) WHERE length(p) > 0 RETURN length(p)", ""),
    ] {
        if query.contains("MATCH (c:A {n: 1}) WHERE") {
            // Its own clause did not ask.
            assert_eq!(answer(query, &graph).join(" "), "", "{query} {expected}");
            continue;
        }
        assert_eq!(answer(query, &graph).join(" "), expected, "{query}");
    }
}

/// Conditions that take a subquery for each path.
#[test]
fn the_shortest_that_meets_a_subquery() {
    // From 1 to 4: straight over 2 and over 3, over 5 and 6, over 7, 8 and 9. 2, 6 and 9 have a mark.
    let graph = created(&[
        "UNWIND range(1, 9) AS n CREATE (:A {n: n})",
        "UNWIND [[1, 2], [2, 4], [1, 3], [3, 4], [1, 5], [5, 6], [6, 4], [1, 7], [7, 8], [8, 9], [9, 4]] AS p MATCH (a:A) MATCH (b:A) WHERE a.n = p[0] AND b.n = p[1] CREATE (a)-[:T {w: p[0] + p[1]}]->(b)",
        "UNWIND [2, 6, 9] AS n MATCH (a:A) WHERE a.n = n CREATE (a)-[:M]->(:Mark {n: n})",
    ]);
    let on = |n: u32| format!("EXISTS {{ MATCH (x:A {{n: {n}}}) WHERE x IN nodes(p) }}");
    let (on_2, on_5, on_8) = (on(2), on(5), on(8));
    let marks = "COUNT { MATCH (x:A)-[:M]->() WHERE x IN nodes(p) }";
    for (condition, expected) in [
        (on_5.as_str(), "[1, 5, 6, 4]"),
        (&on_8, "[1, 7, 8, 9, 4]"),
        (&on_2, "[1, 2, 4]"),
        (&format!("NOT {on_2}"), "[1, 3, 4]"),
        (&format!("NOT {on_2} AND NOT {}", on(3)), "[1, 5, 6, 4]"),
        (&format!("NOT {on_2} AND length(p) > 2"), "[1, 5, 6, 4]"),
        (&format!("NOT {on_5} AND length(p) > 2"), "[1, 7, 8, 9, 4]"),
        (&format!("NOT {on_5} AND length(p) = 3"), ""),
        (&format!("{on_5} OR {on_8}"), "[1, 5, 6, 4]"),
        (&format!("{on_8} OR length(p) = 3"), "[1, 5, 6, 4]"),
        (&format!("{on_5} AND {on_8}"), ""),
        (&on(1), "[1, 2, 4] [1, 3, 4]"),
        (&format!("{marks} = 1"), "[1, 2, 4]"),
        (&format!("{marks} = 0"), "[1, 3, 4]"),
        (&format!("{marks} > 1"), ""),
        (&format!("{marks} = 1 AND all(x IN nodes(p) WHERE x.n <> 2)"), "[1, 5, 6, 4]"),
        (&format!("{marks} = 1 AND all(e IN r WHERE e.w <> 3 AND e.w <> 6)"), "[1, 7, 8, 9, 4]"),
        (
            "size(COLLECT { MATCH (x:A)-[:M]->(m) WHERE x IN nodes(p) RETURN m.n }) = 1 AND length(p) > 3",
            "[1, 7, 8, 9, 4]",
        ),
        ("9 IN [(x:A)-[:M]->(m) WHERE x IN nodes(p) | m.n]", "[1, 7, 8, 9, 4]"),
        ("COUNT { MATCH (x:A)-[e:T]->() WHERE e IN r } = 3", "[1, 5, 6, 4]"),
        ("EXISTS { MATCH (x)-[:M]->() WHERE x = nodes(p)[2] }", "[1, 5, 6, 4]"),
        ("a.n = 1 AND EXISTS { MATCH (x:A {n: b.n + 1}) WHERE x IN nodes(p) }", "[1, 5, 6, 4]"),
        // A shortest path within the condition on one.
        (
            "EXISTS { MATCH q = shortestPath((a)-[:T*]->(b)) WHERE length(q) = length(p) - 1 AND EXISTS { MATCH (x)-[:M]->() WHERE x IN nodes(q) } }",
            "[1, 5, 6, 4]",
        ),
        // These do not speak of the path.
        ("EXISTS { (a)-[:T]->() }", "[1, 2, 4] [1, 3, 4]"),
        ("EXISTS { (a)-[:M]->() }", ""),
        ("(b)-->()", ""),
        (&format!("(a)-->() AND {on_5}"), "[1, 5, 6, 4]"),
        (&format!("(b)-->() AND {on_5}"), ""),
    ] {
        let ends = "(a:A {n: 1})-[r:T*]->(b:A {n: 4})";
        let query = format!(
            "MATCH p = allShortestPaths({ends}) WHERE {condition} WITH [x IN nodes(p) | x.n] AS ns ORDER BY ns RETURN ns"
        );
        assert_eq!(answer(&query, &graph).join(" "), expected, "{query}");
        let query =
            format!("MATCH p = shortestPath({ends}) WHERE {condition} RETURN [x IN nodes(p) | x.n] AS ns");
        let one = answer(&query, &graph).join(" ");
        assert_eq!(one.is_empty(), expected.is_empty(), "{query}");
        assert!(expected.contains(&one) && one.matches('[').count() < 2, "{query} {one}");
        // The other way round, and with ends that rows bring.
        let query = format!(
            "MATCH (b:A {{n: 4}}), (a:A {{n: 1}}) MATCH p = allShortestPaths((b)<-[r:T*]-(a)) WHERE {condition} RETURN count(*), min(length(p))"
        );
        // Nodes counted from the start are other ones.
        if !condition.contains("nodes(p)[2]") {
            let lengths = expected.split("] [").next().unwrap().matches(',').count();
            let count = expected.matches('[').count();
            let expected = if count == 0 { "0 null".to_owned() } else { format!("{count} {lengths}") };
            assert_eq!(answer(&query, &graph).join(" "), expected, "{query}");
        }
        // As a subquery, and where there may be none.
        let query = format!(
            "MATCH (a:A {{n: 1}}), (b:A {{n: 4}}) OPTIONAL MATCH p = allShortestPaths((a)-[r:T*]->(b)) WHERE {condition} RETURN count(p), count(*)"
        );
        let count = expected.matches('[').count();
        assert_eq!(answer(&query, &graph).join(" "), format!("{count} {}", count.max(1)), "{query}");
        let query = format!(
            "MATCH (a:A {{n: 1}}), (b:A {{n: 4}}) RETURN COUNT {{ MATCH p = allShortestPaths((a)-[r:T*]->(b)) WHERE {condition} }}, EXISTS {{ MATCH p = shortestPath((a)-[r:T*]->(b)) WHERE {condition} }}"
        );
        assert_eq!(answer(&query, &graph).join(" "), format!("{count} {}", count > 0), "{query}");
    }
    for (query, expected) in [
        // Each row has its answer, twice where it comes twice.
        (
            "UNWIND [5, 8, 5, 44, 2] AS n MATCH p = shortestPath((a:A {n: 1})-[:T*]->(b:A {n: 4})) WHERE EXISTS { MATCH (x:A {n: n}) WHERE x IN nodes(p) } RETURN n, length(p) ORDER BY n",
            "2 2 5 3 5 3 8 4",
        ),
        (
            "UNWIND [5, 44, 5] AS n OPTIONAL MATCH p = shortestPath((a:A {n: 1})-[:T*]->(b:A {n: 4})) WHERE EXISTS { MATCH (x:A {n: n}) WHERE x IN nodes(p) } RETURN n, length(p) ORDER BY n",
            "5 3 5 3 44 null",
        ),
        (
            "MATCH (a:A {n: 1}) UNWIND [1, 2] AS i CALL { WITH a, i MATCH p = shortestPath((a)-[:T*]->(b:A {n: 4})) WHERE EXISTS { MATCH (x:A {n: 4 + i}) WHERE x IN nodes(p) } RETURN length(p) AS l } RETURN i, l ORDER BY i",
            "1 3 2 3",
        ),
        // Ends that nothing picks; a target that is not reached; an end that is null.
        (
            "MATCH p = shortestPath((a:A)-[:T*]->(b:A)) WHERE COUNT { MATCH (x:A)-[:M]->() WHERE x IN nodes(p) } = 1 AND length(p) > 2 RETURN a.n, b.n, length(p) ORDER BY b.n",
            "1 4 3 7 4 3 1 9 3",
        ),
        (
            "MATCH p = shortestPath((a:A {n: 4})-[:T*]->(b:A)) WHERE EXISTS { MATCH (x) WHERE x IN nodes(p) } RETURN b.n",
            "",
        ),
        (
            "OPTIONAL MATCH (a:Nothing) MATCH p = shortestPath((a)-[:T*]->(b:A)) WHERE EXISTS { MATCH (x) WHERE x IN nodes(p) } RETURN b.n",
            "",
        ),
        // No edges; a lower bound; an upper bound.
        (
            "MATCH p = shortestPath((a:A {n: 1})-[:T*0..]->(b:A)) WHERE COUNT { MATCH (x) WHERE x IN nodes(p) } < 2 RETURN b.n, length(p)",
            "1 0",
        ),
        (
            "MATCH (a:A {n: 1}), p = shortestPath((a)-[:T*0..3]-(a)) WHERE COUNT { MATCH (x) WHERE x IN nodes(p) } > 0 RETURN length(p)",
            "0",
        ),
        (
            "MATCH p = shortestPath((a:A {n: 1})-[:T*..3]->(b:A {n: 4})) WHERE EXISTS { MATCH (x:A {n: 8}) WHERE x IN nodes(p) } RETURN length(p)",
            "",
        ),
        // Two paths of a clause, each with its condition, and one on both; a path beside other edges.
        (
            "MATCH p = shortestPath((a:A {n: 1})-[:T*]->(b:A {n: 4})), q = shortestPath((a)-[:T*]->(b)) WHERE EXISTS { MATCH (x:A {n: 5}) WHERE x IN nodes(p) } AND EXISTS { MATCH (x:A {n: 8}) WHERE x IN nodes(q) } RETURN length(p), length(q)",
            "3 4",
        ),
        (
            "MATCH p = shortestPath((a:A {n: 1})-[:T*]->(b:A {n: 4})), q = shortestPath((a)-[:T*]->(b)) WHERE EXISTS { MATCH (x:A {n: 5}) WHERE x IN nodes(p) } AND length(p) > length(q) RETURN length(p), length(q)",
            "3 2",
        ),
        (
            "MATCH p = shortestPath((a:A {n: 1})-[:T*]->(b:A {n: 4})), q = shortestPath((a)-[:T*]->(b)) WHERE EXISTS { MATCH (x:A {n: 5}) WHERE x IN nodes(p) AND x IN nodes(q) } RETURN length(p), length(q)",
            "",
        ),
        (
            "MATCH (m:Mark)<-[:M]-(c), p = shortestPath((a:A {n: 1})-[:T*]->(b:A {n: 4})) WHERE EXISTS { MATCH (x) WHERE x IN nodes(p) AND x = c } RETURN m.n, length(p) ORDER BY m.n",
            "2 2 6 3 9 4",
        ),
        (
            "MATCH p = shortestPath((a:A {n: 1})-[r:T*]->(b:A {n: 4})), (c:A)-[q:T*1..1 {w: size(r) + 8}]->(d) WHERE EXISTS { MATCH (x:A {n: 5}) WHERE x IN nodes(p) } RETURN c.n, d.n, length(p)",
            "5 6 3",
        ),
        // A later clause filters.
        (
            "MATCH p = shortestPath((a:A {n: 1})-[:T*]->(b:A {n: 4})) WITH p WHERE EXISTS { MATCH (x:A {n: 5}) WHERE x IN nodes(p) } RETURN p",
            "",
        ),
    ] {
        assert_eq!(answer(query, &graph).join(" "), expected, "{query}");
    }
}

#[test]
fn a_bound_list_is_walked_along() {
    // 216 edges, of which a search would try every trail.
    let graph = created(&[
        "UNWIND range(0, 35) AS n CREATE (:A {n: n})",
        "MATCH (a:A) MATCH (b:A) WHERE (b.n - a.n + 36) % 36 IN [1, 2, 3, 5, 8, 13] CREATE (a)-[:T {n: a.n}]->(b)",
    ]);
    let list = "MATCH (x:A)-[r:T]->(y:A) WHERE y.n = x.n + 1 WITH r ORDER BY x.n WITH collect(r) AS rs";
    for (rest, expected) in [
        ("MATCH (a)-[rs*]->(b) RETURN a.n, b.n", "0 35"),
        ("MATCH (a)-[rs:T*]->(b) RETURN a.n, b.n", "0 35"),
        ("MATCH (a)-[rs*]-(b) RETURN a.n, b.n", "0 35"),
        ("MATCH (b)<-[rs*]-(a) RETURN a.n, b.n", ""),
        ("WITH reverse(rs) AS rs MATCH (b)<-[rs*]-(a) RETURN a.n, b.n", "0 35"),
        ("MATCH (a)<-[rs*]-(b) RETURN a.n, b.n", ""),
        ("MATCH (a)-[rs:U*]->(b) RETURN a.n, b.n", ""),
        ("MATCH (a)-[rs*..34]->(b) RETURN a.n, b.n", ""),
        ("MATCH (a)-[rs*36..]->(b) RETURN a.n, b.n", ""),
        ("MATCH (a:A {n: 0})-[rs*]->(b) RETURN a.n, b.n", "0 35"),
        ("MATCH (a:A {n: 1})-[rs*]->(b) RETURN a.n, b.n", ""),
        ("MATCH (a)-[rs*]->(b:A {n: 35}) RETURN a.n, b.n", "0 35"),
        ("MATCH p = (a)-[rs*]->(b) RETURN length(p), nodes(p)[1].n", "35 1"),
        ("WITH rs[2..5] AS rs MATCH (a)-[rs*]->(b) RETURN a.n, b.n, size(rs)", "2 5 3"),
        ("WITH rs[2..3] + rs[4..5] AS rs MATCH (a)-[rs*]->(b) RETURN a.n", ""),
        ("WITH rs[2..3] + rs[2..3] AS rs MATCH (a)-[rs*]-(b) RETURN a.n", ""),
        ("WITH rs[2..3] AS rs MATCH (a)-[rs*]-(b) RETURN a.n, b.n ORDER BY a.n", "2 3 3 2"),
        ("WITH [] AS rs MATCH (a {n: 3})-[rs*0..]->(b) RETURN a.n, b.n", "3 3"),
        ("WITH [] AS rs MATCH (a)-[rs*]->(b) RETURN a.n", ""),
        ("WITH rs[2..5] AS rs MATCH (a)-[rs* {n: 3}]->(b) RETURN a.n", ""),
        ("WITH rs[3..4] AS rs MATCH (a)-[rs* {n: 3}]->(b) RETURN a.n", "3"),
        (
            "UNWIND [[rs[0], rs[1]], [rs[5]], null, [null]] AS l MATCH (a)-[l*]->(b) RETURN a.n, b.n ORDER BY a.n",
            "0 2 5 6",
        ),
        ("MATCH (a)-[qs*]->(b) WHERE qs = rs RETURN a.n, b.n", "0 35"),
        ("MATCH (a)-[rs*]->(b)-[t]->(c) RETURN count(*)", "6"),
    ] {
        let query = format!("{list} {rest}");
        assert_eq!(answer(&query, &graph).join(" "), expected, "{query}");
    }
    // A list that a pattern before it found, in a clause of its own or not.
    let found = "MATCH (x:A {n: 0})-[rs:T*2..2]->(y:A {n: 26})";
    for (rest, expected) in [
        ("MATCH (a)-[rs*]->(b) RETURN a.n, b.n, size(rs)", "0 26 2"),
        ("WHERE size(rs) = 2 MATCH (a)-[rs*]->(b) RETURN a.n, b.n", "0 26"),
        ("MATCH (a)-[rs*]->(b) MATCH (c)-[rs*]->(d) RETURN a.n, d.n", "0 26"),
        ("MATCH (a)-[rs*]->(b), (c)-[rs*]->(d) RETURN a.n, d.n", ""),
        ("WHERE EXISTS { (a)-[rs*]->(b) } RETURN size(rs)", "2"),
    ] {
        let query = format!("{found} {rest}");
        assert_eq!(answer(&query, &graph).join(" "), expected, "{query}");
    }
    // A condition on each relationship that asks about rows from before.
    let query = "UNWIND [4, 7] AS n MATCH (a)-[q:T*1..1 {n: n}]->(b) RETURN a.n, count(*) ORDER BY a.n";
    assert_eq!(answer(query, &graph).join(" "), "4 6 7 6");
    let text = failure("UNWIND [[1], 1] AS l MATCH (a)-[l*]->(b) RETURN a", &graph, Settings::default());
    assert!(text.contains("a list of relationships"), "{text}");
}

/// Every node and relationship of an old list of paths, and their order, agree with the search that has no
/// condition.
#[test]
fn all_paths_are_tried_in_order_of_length() {
    let graph = created(&[
        "UNWIND range(0, 11) AS n CREATE (:A {n: n})",
        "MATCH (a:A) MATCH (b:A) WHERE b.n IN [(a.n + 1) % 12, (a.n * 3) % 12] CREATE (a)-[:T]->(b)",
    ]);
    // The condition is that of the length: any length there is can be asked for.
    for length in 1..6 {
        let all = "MATCH p = (a:A {n: 1})-[*1..6]->(b:A {n: 7})";
        let expected = answer(&format!("{all} WHERE length(p) = {length} RETURN count(*)"), &graph);
        let shortest = answer(&format!("{all} RETURN min(length(p))"), &graph);
        let query = format!(
            "MATCH p = allShortestPaths((a:A {{n: 1}})-[*]->(b:A {{n: 7}})) WHERE length(p) % 100 = {length} RETURN count(*)"
        );
        assert_eq!(answer(&query, &graph), expected, "{query}, shortest {shortest:?}");
    }
    assert!(
        ask(
            "MATCH p = shortestPath((a:A)-[*]->(b:A)) WHERE length(p) > 3 RETURN p",
            &graph,
            Settings::default()
        )
        .is_ok()
    );
}

/// Walks of a few lengths are counted length by length: as the interpreter counts them, with edges from a
/// node to itself, several between the same two, and without.
#[test]
fn walks_of_a_few_lengths_are_counted_by_length() {
    let nodes = "UNWIND range(1, 7) AS n CREATE (:A {n: n, g: n % 2})";
    let edges = |pairs: &str| {
        format!(
            "UNWIND {pairs} AS p MATCH (a:A), (b:A) WHERE a.n = p[0] AND b.n = p[1] CREATE (a)-[:T {{w: p[0] * p[1]}}]->(b)"
        )
    };
    let plain = edges("[[1, 2], [2, 3], [1, 3], [3, 4], [4, 1], [5, 6], [6, 7]]");
    let loops = edges("[[1, 2], [1, 2], [2, 1], [2, 3], [3, 3], [3, 4], [5, 6], [6, 6], [6, 6]]");
    let other = "MATCH (a:A {n: 2}), (b:A {n: 5}) CREATE (a)-[:S]->(b), (b)-[:S]->(:B {n: 0, g: 1})";
    let mut rows = 0;
    for edges in [plain, loops] {
        let snapshot = created(&[nodes, &edges, other]);
        let patterns = [
            "(a:A)-[:T*1..2]-(b)",
            "(a:A)-[:T*1..3]-(b)",
            "(a)-[:T*2..3]-(b)",
            "(a)<-[:T*1..3]-(b:A)",
            "(a)-[*1..3]-(b)",
            "(a)-[*1..2]->(b:B)",
            "(a {g: 1})-[:T*1..3]-(b {g: 0})",
            "(a)-[:T*1..3]-(b) WHERE a.n < b.n",
            "(a)-[r:T*1..2]-(b) WHERE all(e IN r WHERE e.w > 2)",
            "(a)-[r:T*1..2]-(b) WHERE size(r) = 2",
            "(a)-[:T*1..2 {w: 2}]-(b)",
            "(b)-[:T*1..3]-(b)-[:S]-(a)",
            "(a)-[:S]->(b)-[:S|T*1..2]-(c)",
            "(a)-[:S]-(b)-[:S*1..2]-(c)",
            "(a)-[:T*1..2]->(b)-[:T*1..2]->(c)",
            "(a)-[:T*0..2]-(b)",
            "(a)-[:T*2..1]-(b)",
            "(a)-[:None*1..2]-(b)",
            "p = (a)-[:T*1..2]-(b)",
        ];
        let ends =
            ["count(*) AS k", "count(b) AS k", "count(*) + 1 AS k, 2 AS two", "a.g AS g, count(*) AS k"];
        let texts =
            patterns.iter().flat_map(|p| ends.iter().map(move |end| format!("MATCH {p} RETURN {end}")));
        rows += agree_on(texts, &snapshot);
    }
    assert!(rows > 500, "{rows}");
    let snapshot = created(&[nodes, &edges("[[1, 2], [2, 3], [1, 3]]")]);
    let text = "MATCH (a:A)-[:T*1..3]-(b {g: 1}) RETURN count(*) AS k";
    let (_, plan) = sorted_rows_and_plan(text, &snapshot, Options::default(), Settings::default());
    assert!(!plan.contains("VarExtend"), "{plan}");
}

/// A walk of always as many edges is written out where nobody looks at its list: the rows are those of the
/// walk whose list is looked at.
#[test]
fn walks_of_a_fixed_length_are_so_many_edges() {
    let graph = created(&[
        "UNWIND range(1, 6) AS n CREATE (:A {n: n})",
        "UNWIND [[1, 2, 1], [2, 3, 2], [1, 3, 2], [3, 4, 2], [3, 4, 1], [4, 1, 3], [5, 6, 3], [6, 5, 3], [6, 6, 1]] AS p MATCH (a:A) MATCH (b:A) WHERE a.n = p[0] AND b.n = p[1] CREATE (a)-[:T {w: p[2]}]->(b)",
        "MATCH (a:A {n: 2}) MATCH (b:A {n: 5}) CREATE (a)-[:S {w: 2}]->(b)",
    ]);
    let mut rows = 0;
    // The walk's list has a name at `?`, or none.
    for pattern in [
        "(a)-[?:T*1..1]->(b)",
        "(a)-[?:T*2..2]->(b)",
        "(a)<-[?:T*2]-(b)",
        "(a)-[?:T*2]-(b)",
        "(a)-[?*3..3]->(b)",
        "(a)-[?:S|T*3]-(b)",
        "(a)-[?:T*4..4]->(b)",
        "(a)-[?:T*5..5]->(b)",
        "(a)-[?:T*2 {w: 2}]-(b)",
        "(a)-[?:T*2 {w: a.n}]->(b)",
        "(a {n: 1})-[?:T*3]-(b {n: 4})",
        "(a {n: 1})-[?:T*4]-(b {n: 4})",
        "(a {n: 1})-[?:T*5]->(b {n: 4})",
        "(a {n: 5})-[?:T*6]->(b {n: 6})",
        "(a {n: 1})-[?:T*3]-(b)",
        "(a)-[?:T*3]-(b), (b)-[:T*6..6]-(a)",
        "(a)-[?:T*3..3]->(a), (b {n: 6})",
        "(a)-[?:T*2]->(b)-[:T]->(c)",
        "(a)-[?:T*2]-(c)-[:T*2..2]-(b)",
        "(a)-[:T]-(c)-[?:T*2]-(b)-[s:T*0..1]-()",
        "p = (c)-[:T*2..2]->(a)-[?*2]->(b)",
        "(a)-[?:T*2]->(b) WHERE EXISTS { (b)-[:T*2..2]->(a) }",
        "(a)-[?:T*2]->(b) MATCH (b)-[:T*2]->(a)",
        "(a)-[?:T*2..1]->(b)",
    ] {
        let [named, bare] = [("r", "size(r) > 0"), ("", "true")].map(|(name, looked_at)| {
            let text = format!("MATCH {} WITH a, b, {looked_at} AS x", pattern.replace('?', name));
            let whole = answer(&format!("{text} RETURN a.n, b.n, x ORDER BY a.n, b.n"), &graph);
            let groups = answer(&format!("{text} RETURN a.n, x, count(*) AS k ORDER BY a.n"), &graph);
            let count = answer(&format!("{text} RETURN x, count(*) AS k"), &graph);
            (whole, groups, count)
        });
        assert_eq!(bare, named, "{pattern}");
        rows += bare.0.len();
    }
    assert!(rows > 100, "{rows}");
    let optional =
        "MATCH (a:A) OPTIONAL MATCH (a)-[?:S*1]->()-[:T*2..2]->(b) RETURN a.n, b.n ORDER BY a.n, b.n";
    let optional = ["r", ""].map(|name| answer(&optional.replace('?', name), &graph));
    assert_eq!(optional[0], optional[1]);
    assert!(optional[0].len() > 6, "{optional:?}");
    // A pattern of many walks does not become one of more steps than a plan may have.
    let many = (0..800).map(|i| format!("-[:S*2..2]->(x{i})")).collect::<String>();
    assert_eq!(answer(&format!("MATCH (a:A {{n: 2}}){many} RETURN count(*)"), &graph), ["0"]);
}

/// A condition on each relationship of a walk may look at anything that its pattern finds, whichever is found
/// first, its own path too: it is asked of the list.
#[test]
fn conditions_on_each_look_at_their_own_pattern() {
    let graph = created(&[
        "UNWIND range(1, 6) AS n CREATE (:A {n: n})",
        "UNWIND [[1, 2, 1], [2, 3, 2], [1, 3, 2], [3, 4, 2], [4, 5, 3], [5, 6, 3], [3, 5, 3], [2, 5, 3], [6, 6, 1]] AS p MATCH (a:A) MATCH (b:A) WHERE a.n = p[0] AND b.n = p[1] CREATE (a)-[:T {w: p[2]}]->(b)",
    ]);
    let mut rows = 0;
    // The pattern with a place for the condition, the condition, and what is given.
    for (pattern, with, rest) in [
        ("p = (a)-[r:T*?]->(b)", "length(p)", "a.n, b.n, length(p)"),
        ("p = (a)-[r*?]->(b)", "length(p)", "a.n, b.n, length(p)"),
        ("p = (a)-[r:T*0..3?]->(b)", "length(p)", "a.n, b.n, length(p)"),
        ("p = (a)-[r:T*2?]-(b)", "length(p)", "a.n, b.n"),
        ("(a)-[r:T*?]->(b)", "b.n", "a.n, b.n"),
        ("(a)-[r:T*?]->(b)", "a.n", "a.n, b.n"),
        ("(a)-[r:T*?]->(b {n: 5})", "a.n", "a.n, b.n"),
        ("(a {n: 1})-[r:T*?]->(b)", "b.n - 1", "a.n, b.n"),
        ("(a)-[r:T*?]->(b)-[s:T*]->(c)", "size(s)", "a.n, b.n, c.n"),
        ("(a)-[r:T*?]->(b)-[s:T]->(c)", "s.w", "a.n, b.n, c.n"),
        ("(a)-[r:T*?]->(b), q = (c {n: 1})-[:T*2]->(d)", "length(q)", "a.n, b.n, d.n"),
        ("(a)-[r:T*?]->(b), (c {n: 3})", "c.n", "a.n, b.n"),
    ] {
        let inline = pattern.replace('?', &format!(" {{w: {with}}}"));
        let inner = pattern.replace('?', &format!(" WHERE r.w = {with}"));
        let after = pattern.replace('?', "");
        let expected = answer(
            &format!("MATCH {after} WHERE all(e IN r WHERE e.w = {with}) RETURN {rest} ORDER BY {rest}"),
            &graph,
        );
        rows += expected.len();
        for pattern in [&inline, &inner] {
            let query = format!("MATCH {pattern} RETURN {rest} ORDER BY {rest}");
            assert_eq!(answer(&query, &graph), expected, "{query}");
            let query = format!("RETURN COUNT {{ MATCH {pattern} }}");
            assert_eq!(answer(&query, &graph), [expected.len().to_string()], "{query}");
        }
    }
    assert!(rows > 30, "{rows}");
    // Of shortest paths it says which is meant.
    for (pattern, with) in [
        ("(a)-[r:T*?]->(b)", "length(p)"),
        ("(a)-[r:T*?]->(b)", "a.n"),
        ("(a)-[r:T*?]->(b)", "b.n - 1"),
        ("(a)-[r:T*?]->(b {n: 5})", "a.n + 1"),
    ] {
        let after = pattern.replace('?', "");
        let expected = answer(
            &format!(
                "MATCH p = {after} WHERE all(e IN r WHERE e.w = {with}) AND a <> b RETURN a.n, b.n, min(length(p)) ORDER BY a.n, b.n"
            ),
            &graph,
        );
        assert!(!expected.is_empty(), "{pattern} {with}");
        let inline = pattern.replace('?', &format!(" {{w: {with}}}"));
        let query = format!(
            "MATCH p = shortestPath({inline}) WHERE a <> b RETURN a.n, b.n, length(p) ORDER BY a.n, b.n"
        );
        assert_eq!(answer(&query, &graph), expected, "{query}");
    }
    let query = "MATCH p = shortestPath((a)-[r:T* {w: length(p)}]->(b)), (c)-[s:T* {w: length(p)}]->(d) RETURN count(*)";
    let same = "MATCH p = shortestPath((a)-[r:T*]->(b)), (c)-[s:T*]->(d) WHERE all(e IN r WHERE e.w = length(p)) AND all(e IN s WHERE e.w = length(p)) RETURN count(*)";
    assert_eq!(answer(query, &graph), answer(same, &graph));
}

/// What every relationship of a walk must meet cuts it short as soon as it can be asked, wherever it is
/// written: there are 2^40 walks.
#[test]
fn conditions_on_each_cut_walks_short() {
    let graph = created(&[
        "UNWIND range(1, 41) AS n CREATE (:A {n: n})",
        "MATCH (a:A) MATCH (b:A) WHERE b.n = a.n + 1 UNWIND [1, 2] AS w CREATE (a)-[:T {w: w}]->(b)",
    ]);
    for query in [
        "MATCH (a:A {n: 1})-[r:T* {w: a.n}]->(b) RETURN count(*)",
        "MATCH (a:A {n: 1})-[r:T*]->(b) WHERE all(e IN r WHERE e.w = a.n) RETURN count(*)",
        "MATCH (a:A {n: 1})-[r:T*]->(b) WHERE none(e IN r WHERE e.w <> a.n) RETURN count(*)",
        "MATCH (a:A {n: 1})-[r:T*]->(b) WHERE all(e IN r WHERE e.w = 1) RETURN count(*)",
    ] {
        assert_eq!(answer(query, &graph), ["40"], "{query}");
    }
}
