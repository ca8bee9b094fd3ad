//! Statements that write, through the engine: what they leave, what later parts of them see, what is undone.

use trimorph::{Config, Connection, Database, Error, ErrorKind, Switches, Value};

fn empty() -> Connection {
    Database::in_memory(Config::default()).connect()
}

/// The rows of a query as text, sorted.
fn rows(connection: &Connection, text: &str) -> Vec<String> {
    let mut result = connection.query(text, &[]).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let mut out = Vec::new();
    while let Some(row) = result.next_row().unwrap_or_else(|e| panic!("{text}\n{e}")) {
        out.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" | "));
    }
    out.sort();
    out
}

fn run(connection: &Connection, texts: &[&str]) {
    for text in texts {
        rows(connection, text);
    }
}

fn fails(connection: &Connection, text: &str) -> Error {
    match connection.query(text, &[]) {
        Ok(_) => panic!("{text} does not fail"),
        Err(error) => error,
    }
}

#[test]
fn what_is_created_is_found_by_all_ways() {
    let c = empty();
    run(
        &c,
        &[
            "CREATE (a:Person {name: 'Ada', age: 36})-[:KNOWS {since: 1840}]->(b:Person {name: 'Charles'})",
            "MATCH (a:Person {name: 'Ada'}) CREATE (a)-[:WROTE]->(:Note {title: 'G', words: 20000})",
            "UNWIND range(1, 3000) AS i CREATE (:Number {n: i, text: 'number ' + toString(i)})",
        ],
    );
    assert_eq!(rows(&c, "MATCH (p:Person) RETURN p.name, p.age"), ["Ada | 36", "Charles | null"]);
    assert_eq!(rows(&c, "MATCH (a)-[r:KNOWS]->(b) RETURN a.name, r.since, b.name"), ["Ada | 1840 | Charles"]);
    assert_eq!(rows(&c, "MATCH (b {name: 'Charles'})<-[r]-(a) RETURN type(r), a.name"), ["KNOWS | Ada"]);
    assert_eq!(rows(&c, "MATCH (a {name: 'Ada'})-->(x) RETURN labels(x)"), ["['Note']", "['Person']"]);
    assert_eq!(rows(&c, "MATCH (n:Number) WHERE n.n > 2998 RETURN n.text"), ["number 2999", "number 3000"]);
    assert_eq!(
        rows(&c, "MATCH (n:Number) RETURN count(*), sum(n.n), min(n.n), max(n.text)"),
        ["3000 | 4501500 | 1 | number 999"]
    );
    assert_eq!(
        rows(&c, "MATCH (n) RETURN labels(n) AS l, count(*) AS c ORDER BY c"),
        ["['Note'] | 1", "['Number'] | 3000", "['Person'] | 2"]
    );
    assert_eq!(
        rows(&c, "MATCH p = (:Person {name: 'Charles'})-[*1..3]-(x) RETURN length(p), labels(x)"),
        ["1 | ['Person']", "2 | ['Note']"]
    );
}

#[test]
fn values_are_set_and_taken_away() {
    let c = empty();
    run(&c, &["CREATE (:A {id: 1, p: 'x'}), (:A {id: 2})", "MATCH (a:A) SET a.p = a.id * 10, a.q = a.p"]);
    assert_eq!(rows(&c, "MATCH (a:A) RETURN a.id, a.p, a.q"), ["1 | 10 | 10", "2 | 20 | 20"]);
    run(&c, &["MATCH (a:A {id: 1}) REMOVE a.p SET a += {r: [1, 2], q: null}"]);
    assert_eq!(rows(&c, "MATCH (a:A) RETURN properties(a)"), ["{id: 1, r: [1, 2]}", "{id: 2, p: 20, q: 20}"]);
    run(&c, &["MATCH (a:A {id: 2}) SET a = {id: 'two', d: date('2024-05-06')}"]);
    assert_eq!(rows(&c, "MATCH (a:A) WHERE a.id = 'two' RETURN a.d.year, keys(a)"), ["2024 | ['d', 'id']"]);
    // Each row sees what the one before has set.
    run(&c, &["CREATE (:Counter {n: 0})", "UNWIND range(1, 10) AS x MATCH (c:Counter) SET c.n = c.n + x"]);
    assert_eq!(rows(&c, "MATCH (c:Counter) RETURN c.n"), ["55"]);
    assert_eq!(rows(&c, "MATCH (c:Counter) SET c['n'] = 7 RETURN c.n"), ["7"]);
}

#[test]
fn what_is_deleted_is_gone() {
    let c = empty();
    run(&c, &["UNWIND range(1, 100) AS i CREATE (:A {i: i})-[:T {i: i}]->(:B {i: i})"]);
    let error = fails(&c, "MATCH (a:A {i: 5}) DELETE a");
    assert!(error.to_string().contains("DETACH DELETE"), "{error}");
    assert_eq!(rows(&c, "MATCH (a:A) RETURN count(*)"), ["100"]);
    run(&c, &["MATCH (a:A {i: 5})-[r]->() DELETE a, r", "MATCH (a:A) WHERE a.i <= 10 DETACH DELETE a"]);
    assert_eq!(rows(&c, "MATCH (a:A) RETURN count(*), min(a.i)"), ["90 | 11"]);
    assert_eq!(rows(&c, "MATCH ()-[r:T]->() RETURN count(r), min(r.i)"), ["90 | 11"]);
    assert_eq!(rows(&c, "MATCH (b:B) WHERE NOT EXISTS { (b)<--() } RETURN count(*)"), ["10"]);
    run(&c, &["MATCH (a)-[r:T]->(b) WHERE r.i > 50 DELETE r"]);
    assert_eq!(rows(&c, "MATCH (b:B)<-[:T]-(a) RETURN count(*), max(b.i)"), ["40 | 50"]);
    assert_eq!(rows(&c, "MATCH (n) WHERE n.i IS NULL RETURN count(*)"), ["0"]);
}

#[test]
fn merge_makes_what_is_missing_once() {
    let c = empty();
    let text = "UNWIND ['a', 'b', 'a', 'c', 'b'] AS k MERGE (n:K {k: k}) \
                ON CREATE SET n.made = true ON MATCH SET n.found = true RETURN n.k";
    assert_eq!(rows(&c, text), ["a", "a", "b", "b", "c"]);
    assert_eq!(rows(&c, "MATCH (n:K) RETURN n.k, n.made"), ["a | true", "b | true", "c | true"]);
    assert_eq!(rows(&c, "MATCH (n:K) WHERE n.found RETURN n.k"), ["a", "b"]);
    run(&c, &["MERGE (n:K {k: 'c'}) ON MATCH SET n.found = true"]);
    assert_eq!(rows(&c, "MATCH (n:K) WHERE n.found RETURN n.k"), ["a", "b", "c"]);
    run(
        &c,
        &[
            "MATCH (a:K {k: 'a'}), (b:K {k: 'b'}) UNWIND [1, 2, 3] AS i MERGE (a)-[r:T]->(b) SET r.n = i",
            "MATCH (a:K {k: 'a'}), (b:K {k: 'b'}) MERGE (b)-[:T]-(a)",
            "MATCH (a:K {k: 'c'}) MERGE (a)-[:T]->(:L {l: 1})",
        ],
    );
    assert_eq!(rows(&c, "MATCH (a)-[r:T]->(b) RETURN a.k, b.k, r.n"), ["a | b | 3", "c | null | null"]);
    let error = fails(&c, "UNWIND [1, null] AS x MERGE (:K {k: x})");
    assert!(error.to_string().contains("null"), "{error}");
    assert_eq!(rows(&c, "MATCH (n:K) RETURN count(*)"), ["3"]);
}

/// Of the rows that find nothing and ask the same the first makes it; the others find it.
#[test]
fn merge_counts_rows_that_ask_the_same() {
    let c = empty();
    let count = "ON CREATE SET x.n = 1, x.l = [i] ON MATCH SET x.n = x.n + 1, x.l = x.l + i";
    let words = format!("UNWIND [1, 2, 2, 3, 2, 1] AS i MERGE (x:W {{k: i}}) {count}");
    let found = "MATCH (x:W) RETURN x.k, x.n, x.l";
    run(&c, &[&words]);
    assert_eq!(rows(&c, found), ["1 | 2 | [1, 1]", "2 | 3 | [2, 2, 2]", "3 | 1 | [3]"]);
    // Some are there, and some rows are new.
    run(&c, &[&words.replace("[1, 2, 2, 3, 2, 1]", "[4, 1, 4, 3]")]);
    assert_eq!(
        rows(&c, found),
        ["1 | 3 | [1, 1, 1]", "2 | 3 | [2, 2, 2]", "3 | 2 | [3, 3]", "4 | 2 | [4, 4]"]
    );
    // In a transaction, after ROLLBACK, by FOREACH, after a merge.
    run(&c, &["BEGIN", &words, "ROLLBACK", "MATCH (x:W) DELETE x", "CHECKPOINT"]);
    run(&c, &[&format!("FOREACH (i IN [1, 2, 2, 3, 2, 1] | MERGE (x:W {{k: i}}) {count})")]);
    assert_eq!(rows(&c, found), ["1 | 2 | [1, 1]", "2 | 3 | [2, 2, 2]", "3 | 1 | [3]"]);
    // Relationships, either way, and rows that several nodes are found for.
    let ends = "UNWIND [[1, 2], [2, 1], [1, 2], [2, 3]] AS e MATCH (a:W {k: e[0]}), (b:W {k: e[1]})";
    let count = "ON CREATE SET x.n = 1 ON MATCH SET x.n = x.n + 1";
    run(&c, &[&format!("{ends} MERGE (a)-[x:TO]->(b) {count}")]);
    assert_eq!(
        rows(&c, "MATCH (a)-[x:TO]->(b) RETURN a.k, b.k, x.n"),
        ["1 | 2 | 2", "2 | 1 | 1", "2 | 3 | 1"]
    );
    run(&c, &[&format!("{ends} MERGE (a)-[x:BY]-(b) {count}")]);
    assert_eq!(rows(&c, "MATCH (a)-[x:BY]->(b) RETURN a.k + b.k, x.n"), ["3 | 3", "5 | 1"]);
    run(
        &c,
        &[
            "CREATE (:W {k: 9, n: 0}), (:W {k: 9, n: 10})",
            "UNWIND [9, 9] AS i MERGE (x:W {k: i}) ON CREATE SET x.n = -1 ON MATCH SET x.n = x.n + 1",
        ],
    );
    assert_eq!(rows(&c, "MATCH (x:W {k: 9}) RETURN x.n"), ["12", "2"]);
    // What matches is told, and the rows go on in their order.
    let told = "UNWIND [7, 8, 7] AS i MERGE (x:V {k: i}) ON MATCH SET x:Again, x.n = i RETURN collect(i)";
    assert_eq!(rows(&c, told), ["[7, 8, 7]"]);
    assert_eq!(rows(&c, "MATCH (x:V) RETURN x.k, x.n, x:Again"), ["7 | 7 | true", "8 | null | false"]);
}

#[test]
fn parts_see_what_was_written_before_them() {
    let c = empty();
    let text = "CREATE (a:X {v: 1}) WITH a MATCH (x:X) SET x.v = x.v + 1 WITH x MATCH (y:X) RETURN y.v";
    assert_eq!(rows(&c, text), ["2"]);
    assert_eq!(rows(&c, "MATCH (x:X) CREATE (:X {v: 3}) RETURN count(*)"), ["1"]);
    assert_eq!(rows(&c, "MATCH (x:X) CREATE (:X {v: 4}) RETURN x.v"), ["2", "3"]);
    assert_eq!(rows(&c, "CREATE (:Y) RETURN 1 LIMIT 0"), Vec::<String>::new());
    assert_eq!(rows(&c, "MATCH (y:Y) RETURN count(*)"), ["1"]);
    run(&c, &["FOREACH (i IN [1, 2] | CREATE (z:Z {i: i}) SET z.j = i * 2)"]);
    assert_eq!(rows(&c, "MATCH (z:Z) RETURN z.i, z.j"), ["1 | 2", "2 | 4"]);
    let text =
        "UNWIND [1, 2, 3] AS i CALL (i) { MATCH (z:Z {i: 1}) SET z.j = z.j + i RETURN z.j AS j } RETURN i, j";
    assert_eq!(rows(&c, text), ["1 | 3", "2 | 5", "3 | 8"]);
    assert_eq!(
        rows(&c, "CREATE p = (:P {n: 1})-[:R]->(:P {n: 2}) RETURN length(p), [n IN nodes(p) | n.n]"),
        ["1 | [1, 2]"]
    );
}

#[test]
fn a_statement_that_fails_leaves_nothing() {
    let c = empty();
    run(&c, &["CREATE (:A {v: 1})"]);
    fails(&c, "MATCH (a:A) SET a.v = 2 CREATE (:B) WITH a RETURN 1 / (a.v - 2)");
    assert_eq!(rows(&c, "MATCH (n) RETURN labels(n), n.v"), ["['A'] | 1"]);
    let error = fails(&c, "CREATE (:A {v: {a: 1}})");
    assert!(
        matches!(&error, Error::Query { diagnostic, .. } if diagnostic.kind == ErrorKind::TypeError),
        "{error}"
    );
    fails(&c, "CREATE (a)-[:T]->(b) SET b.x = [1, {}]");
    assert_eq!(rows(&c, "MATCH (n) RETURN count(*)"), ["1"]);
}

/// What was loaded into main and what was written over it are one graph.
#[test]
fn changes_lie_over_loaded_data() {
    changes_over_loaded_data(Config::default());
    // However it is read.
    for access in [trimorph::AccessChoice::Index, trimorph::AccessChoice::Relation] {
        changes_over_loaded_data(Config::new().switches(Switches { access, ..Switches::default() }));
    }
}

fn changes_over_loaded_data(config: Config) {
    let db = Database::in_memory(config);
    db.generate_snb(0.003, 7).unwrap();
    let c = db.connect();
    let count = |text: &str| match c.query(text, &[]).unwrap().rows().unwrap()[0][0] {
        Value::Int(n) => n,
        _ => panic!("{text} gives no number"),
    };
    let (persons, knows) =
        (count("MATCH (p:Person) RETURN count(*)"), count("MATCH (:Person)-[r:KNOWS]->() RETURN count(r)"));
    run(
        &c,
        &[
            "MATCH (p:Person) WITH p ORDER BY p.id LIMIT 10 SET p.firstName = 'Zed', p.score = 1.5",
            "MATCH (p:Person) WITH p ORDER BY p.id LIMIT 2 WITH collect(p) AS ps \
         WITH ps[0] AS a, ps[1] AS b CREATE (a)-[:KNOWS {creationDate: datetime('2030-01-01T00:00:00Z')}]->(b)",
            "CREATE (:Person {id: -1, firstName: 'New'})",
        ],
    );
    assert_eq!(count("MATCH (p:Person) RETURN count(*)"), persons + 1);
    assert_eq!(count("MATCH (p:Person {firstName: 'Zed'}) RETURN count(*)"), 10);
    assert_eq!(count("MATCH (p:Person {id: -1}) RETURN count(*)"), 1);
    assert_eq!(count("MATCH (p:Person) WHERE p.score > 1 RETURN count(*)"), 10);
    assert_eq!(count("MATCH (:Person)-[r:KNOWS]->() RETURN count(r)"), knows + 1);
    assert_eq!(count("MATCH ()<-[r:KNOWS]-(:Person) RETURN count(r)"), knows + 1);
    assert_eq!(count("MATCH (:Person)-[r:KNOWS]->() WHERE r.creationDate.year = 2030 RETURN count(r)"), 1);
    assert_eq!(count("MATCH (p:Person {id: -1}) RETURN count(*)"), 1);
    let degree = count(
        "MATCH (p:Person) WHERE p.id >= 0 WITH p ORDER BY p.id LIMIT 1 MATCH (p)-[r]-() RETURN count(r)",
    );
    let edges = count("MATCH ()-[r]->() RETURN count(r)");
    run(&c, &["MATCH (p:Person) WHERE p.id >= 0 WITH p ORDER BY p.id LIMIT 1 DETACH DELETE p"]);
    assert_eq!(count("MATCH (p:Person) RETURN count(*)"), persons);
    assert!(count("MATCH ()-[r]->() RETURN count(r)") < edges && degree > 0);
    let error = fails(&c, "CREATE (:Person {id: -1})");
    assert!(error.to_string().contains("-1"), "{error}");
}

/// A node keeps its row and its edges when its labels change, and every way of asking for labels sees it.
#[test]
fn labels_come_and_go() {
    let c = empty();
    run(&c, &["UNWIND range(1, 2000) AS i CREATE (:A {i: i})-[:T]->(:B {i: i})"]);
    let text = "MATCH (a:A) RETURN count(*)";
    assert_eq!(rows(&c, text), ["2000"]);
    run(
        &c,
        &[
            "MATCH (a:A) WHERE a.i % 2 = 0 SET a:Even:Checked REMOVE a:Checked",
            "MATCH (a:Even {i: 4}) REMOVE a:A",
        ],
    );
    assert_eq!(rows(&c, text), ["1999"]);
    assert_eq!(rows(&c, "MATCH (a:Even) RETURN count(*), min(a.i)"), ["1000 | 2"]);
    assert_eq!(rows(&c, "MATCH (a:Even&!A) RETURN a.i, labels(a)"), ["4 | ['Even']"]);
    assert_eq!(
        rows(&c, "MATCH (a:A:Even {i: 6}) RETURN labels(a), a:Even, a:B"),
        ["['A', 'Even'] | true | false"]
    );
    assert_eq!(rows(&c, "MATCH (e:Even)-[:T]->(b:B) RETURN count(*), sum(b.i)"), ["1000 | 1001000"]);
    assert_eq!(rows(&c, "MATCH (b:B)<-[:T]-(x:A) RETURN count(*)"), ["1999"]);
    assert_eq!(rows(&c, "MATCH (b:B) WHERE NOT EXISTS { (b)<-[:T]-(:A) } RETURN b.i"), ["4"]);
    assert_eq!(
        rows(&c, "MATCH (n) RETURN labels(n) AS l, count(*) AS c"),
        ["['A', 'Even'] | 999", "['A'] | 1000", "['B'] | 2000", "['Even'] | 1"]
    );
    assert_eq!(rows(&c, "MATCH (n:Checked) RETURN count(*)"), ["0"]);
    assert_eq!(rows(&c, "MATCH (n:B|Even) RETURN count(*)"), ["3000"]);
    run(&c, &["MERGE (n:A {i: 3}) ON MATCH SET n:Found", "MATCH (n:Found) SET n:Twice SET n.i = -3"]);
    assert_eq!(rows(&c, "MATCH (n:Twice) RETURN labels(n), n.i"), ["['A', 'Found', 'Twice'] | -3"]);
    fails(&c, "MATCH (n:Twice) SET n:Thrice WITH n RETURN 1 / 0");
    assert_eq!(rows(&c, "MATCH (n:Thrice) RETURN count(*)"), ["0"]);
}

/// What was deleted is told apart from what has no value.
/// Relationships in lists are read where they are asked of: what was written since is seen, what was deleted
/// is in no pattern and has no properties, but still a type and ends.
#[test]
fn lists_of_relationships_see_what_was_written() {
    let c = empty();
    run(
        &c,
        &[
            "UNWIND range(1, 6) AS n CREATE (:A {n: n})",
            "MATCH (a:A), (b:A) WHERE b.n > a.n CREATE (a)-[:T {w: a.n * 10 + b.n}]->(b)",
        ],
    );
    assert_eq!(
        rows(
            &c,
            "MATCH (:A {n: 4})-[r]->() WITH collect(r) AS l FOREACH (r IN l | SET r.w = 7) RETURN [r IN l | r.w], size(l)"
        ),
        ["[7, 7] | 2"]
    );
    assert_eq!(
        rows(
            &c,
            "MATCH (:A {n: 4})-[r]->(b) WITH collect(r) AS l UNWIND l AS r DELETE r WITH DISTINCT l UNWIND l AS r RETURN type(r), startNode(r).n, endNode(r).n"
        ),
        ["T | 4 | 5", "T | 4 | 6"]
    );
    for pattern in ["(a)-[r]->(b)", "(a)-[r:T]-(b)", "(a:A)<-[r]-(b)"] {
        let text = format!(
            "MATCH (:A {{n: 3}})-[q]->() WITH collect(q) AS l UNWIND l AS q WITH l, q WHERE q.w > 34 DELETE q WITH DISTINCT l UNWIND l AS r MATCH {pattern} RETURN count(*), min(r.w)"
        );
        let count = if pattern == "(a)-[r:T]-(b)" { 2 } else { 1 };
        assert_eq!(rows(&c, &text), [format!("{count} | 34")], "{pattern}");
        run(&c, &["MATCH (a:A {n: 3}), (b:A) WHERE b.n > 4 CREATE (a)-[:T {w: 30 + b.n}]->(b)"]);
    }
    let error = fails(&c, "MATCH ()-[r {w: 12}]->() WITH collect(r) AS l, r DELETE r RETURN [x IN l | x.w]");
    assert!(error.to_string().contains("deleted"), "{error}");
    for text in [
        "MATCH (a:A {n: 1})-[r]->() WITH a, collect(r) AS l SET a.l = l",
        "MATCH (a:A {n: 1})-[r]->() WITH a, collect(r) AS l SET a += {l: l}",
        "MATCH ()-[r]->() WITH collect(r) AS l CREATE (:Z {l: l})",
        "MATCH ()-[r]->() WITH collect(r) AS l MERGE (:Z {l: l[0..1]})",
    ] {
        let error = fails(&c, text);
        assert!(error.to_string().contains("RELATIONSHIP"), "{text}: {error}");
    }
    assert_eq!(rows(&c, "MATCH (z:Z) RETURN count(*)"), ["0"]);
}

/// Entities of parameters were found before, by somebody: what was deleted since is not written to, as what
/// a statement deletes itself is not. Nothing that comes in its place shows what was set.
#[test]
fn entities_of_parameters_may_be_deleted() {
    let c = empty();
    run(
        &c,
        &[
            "UNWIND range(1, 3) AS n CREATE (:A {n: n})",
            "MATCH (a:A {n: 1}), (b:A {n: 2}) CREATE (a)-[:T {w: 1}]->(b)",
        ],
    );
    let mut found = c.query("MATCH (a:A {n: 1})-[r]->() RETURN a, r, [a, r] AS l", &[]).unwrap();
    let values = found.next_row().unwrap().unwrap().to_vec();
    let mut kept = c.query("MATCH (a:A {n: 3}) RETURN a", &[]).unwrap();
    let kept = kept.next_row().unwrap().unwrap()[0].clone();
    drop(found);
    run(&c, &["MATCH (a:A {n: 1}) DETACH DELETE a"]);
    for text in [
        "WITH $a AS a SET a.n = 9",
        "WITH $a AS a SET a += {n: 9}",
        "WITH $a AS a SET a:B",
        "WITH $a AS a, $b AS b CREATE (a)-[:T]->(b)",
        "WITH $a AS a, $b AS b CREATE (b)-[:T {w: 9}]->(a)",
        "WITH $a AS a, $b AS b MERGE (b)-[:T]->(a)",
        "WITH $r AS r SET r.w = 9",
        "WITH $r AS r SET r += {w: 9}",
        "WITH startNode($r) AS a SET a.n = 9",
        "WITH startNode($r) AS a, $b AS b CREATE (b)-[:T]->(a)",
        "UNWIND $l AS x SET x.w = 9",
        "WITH $b AS b, $r AS r SET b.n = 9, r.w = 9",
    ] {
        let [a, r, l] = [&values[0], &values[1], &values[2]];
        let params = [("a", a.clone()), ("r", r.clone()), ("l", l.clone()), ("b", kept.clone())];
        let asked: Vec<_> =
            params.into_iter().filter(|(name, _)| text.contains(&format!("${name}"))).collect();
        let result = c.query(text, &asked).map(drop);
        assert!(result.is_err(), "{text}");
    }
    // Positions are given again.
    run(&c, &["CREATE (:A {m: 1})-[:T]->(:A {m: 2})"]);
    assert_eq!(rows(&c, "MATCH ()-[r]->() RETURN r.w, r.n"), ["null | null"]);
    assert_eq!(
        rows(&c, "MATCH (a) RETURN a.n, labels(a)"),
        ["2 | ['A']", "3 | ['A']", "null | ['A']", "null | ['A']"]
    );
}

#[test]
fn properties_of_what_was_deleted_are_an_error() {
    let c = empty();
    run(&c, &["CREATE (:A {p: 1})-[:T {p: 2}]->(:B {p: 3})"]);
    for text in [
        "MATCH (a:A)-[r]->() DELETE r, a RETURN a.p",
        "MATCH (a:A)-[r]->() DELETE r RETURN r.p",
        "MATCH (a:A)-[r]->() DELETE r WITH [r] AS rs, a RETURN rs[0].p",
        "MATCH (a:A) DETACH DELETE a WITH a WHERE a.p = 1 RETURN 1",
    ] {
        match fails(&c, text) {
            Error::Query { diagnostic, .. } => assert_eq!(diagnostic.detail, "DeletedEntityAccess", "{text}"),
            other => panic!("{text}: {other}"),
        }
    }
    assert_eq!(rows(&c, "MATCH (a:A)-[r]->(b) DELETE r RETURN a.p, b.p, type(r)"), ["1 | 3 | T"]);
    assert_eq!(rows(&c, "MATCH (a:A) WITH a, a.p AS p DELETE a RETURN p"), ["1"]);
}

/// However labels and properties are read, and wherever they lie: in the delta, merged, beside other labels.
#[test]
fn labels_and_all_properties_of_what_was_deleted_are_an_error() {
    let c = empty();
    let all = ["CREATE (:A {p: 1})-[:T {p: 2}]->(:B {p: 3}), (:A {p: 4})", "MATCH (b:B) SET b:Late"];
    for state in ["delta", "merged"] {
        run(&c, &["MATCH (n) DETACH DELETE n"]);
        run(&c, &all);
        if state == "merged" {
            run(&c, &["CHECKPOINT"]);
        }
        for read in
            ["labels(n)", "[m IN [n] | labels(m)]", "keys(n)", "properties(n)", "n {.*}", "n {.p}", "n['p']"]
        {
            for label in ["A", "B"] {
                let text = format!("MATCH (n:{label}) DETACH DELETE n RETURN {read}");
                match fails(&c, &text) {
                    Error::Query { diagnostic, .. } => {
                        assert_eq!(diagnostic.detail, "DeletedEntityAccess", "{state}: {text}");
                    }
                    other => panic!("{state}: {text}: {other}"),
                }
            }
        }
        for read in ["keys(r)", "properties(r)", "r {.*}", "r['p']"] {
            let text = format!("MATCH ()-[r]->() DELETE r RETURN {read}");
            match fails(&c, &text) {
                Error::Query { diagnostic, .. } => {
                    assert_eq!(diagnostic.detail, "DeletedEntityAccess", "{state}: {text}");
                }
                other => panic!("{state}: {text}: {other}"),
            }
        }
        // What is left can be read, and so can the type, which never changes.
        let text = "MATCH (a:A), (b:B) DETACH DELETE b RETURN labels(a), keys(a), a {.*}, a['p']";
        run(&c, &["BEGIN"]);
        assert_eq!(rows(&c, text), ["['A'] | ['p'] | {p: 1} | 1", "['A'] | ['p'] | {p: 4} | 4"], "{state}");
        run(&c, &["ROLLBACK"]);
        // A node that was deleted has no labels for a condition or a pattern.
        let text = "MATCH (b:B) DETACH DELETE b RETURN b:B, b:Late, b:!B";
        run(&c, &["BEGIN"]);
        assert_eq!(rows(&c, text), ["false | false | true"], "{state}");
        run(&c, &["ROLLBACK"]);
        let text = "MATCH (b:B) DETACH DELETE b WITH b MATCH (b:B) RETURN 1";
        assert_eq!(rows(&c, text), Vec::<String>::new(), "{state}");
    }
}

/// More rows than are written at a time, of several tables, in and out of their order, some more than once,
/// some null.
#[test]
fn many_rows_are_set_as_if_one_by_one() {
    let c = empty();
    let all = 40_000;
    run(
        &c,
        &[
            &format!("UNWIND range(0, {all} - 1) AS i CREATE (:A {{i: i}})-[:R]->(:B {{i: i}})"),
            "MATCH (n) SET n.x = n.i",
            "MATCH (n) WITH n ORDER BY n.i DESC SET n.x = n.x + 1",
            // Each node three times, one round after the other, and each three times in a row.
            "UNWIND range(1, 3) AS k MATCH (n:A) SET n.x = n.x + k",
            "MATCH (n:B) UNWIND range(1, 3) AS k SET n.x = n.x + k",
            "MATCH (a:A) OPTIONAL MATCH (a)-[r:R]->() WHERE a.i % 2 = 0 SET r.w = a.i SET r.w = r.w + 1",
            "MATCH (a:A)-[r]->(b) SET a.other = b.i, r.of = a.i, b.text = 'text ' + a.i",
            "MATCH (n) WHERE n.i % 3 = 0 REMOVE n.text",
        ],
    );
    let wrong = [
        "MATCH (n) WHERE n.x <> n.i + 7 OR n.x IS NULL RETURN count(n)",
        "MATCH (a:A)-[r]->(b) WHERE r.of <> a.i OR a.other <> b.i RETURN count(r)",
        "MATCH (a:A)-[r]->() WHERE coalesce(r.w, -1) <> CASE a.i % 2 WHEN 0 THEN a.i + 1 ELSE -1 END RETURN count(r)",
        "MATCH (b:B) WHERE coalesce(b.text, '') <> CASE b.i % 3 WHEN 0 THEN '' ELSE 'text ' + b.i END RETURN count(b)",
    ];
    for text in wrong {
        assert_eq!(rows(&c, text), ["0"], "{text}");
    }
    assert_eq!(rows(&c, "MATCH (n) RETURN count(n.x), count(n.other)"), [format!("{} | {all}", 2 * all)]);
}

/// All of a clause get their keys before these are looked at: whoever gets the key of the next row, also
/// where that is written later.
#[test]
fn many_keys_are_moved_by_one_clause() {
    let files = crate::live_loads::Files::new("moved-keys");
    let nodes: String = (0..20_000).map(|i| format!("{i},K\n")).collect();
    let path = files.put("nodes.csv", &format!("id:ID(K){{id-type: int}},:LABEL\n{nodes}"));
    let db = Database::in_memory(Config::default());
    crate::live_loads::load(&db, &[path], trimorph::OnConflict::Error).unwrap();
    let c = db.connect();
    run(&c, &["MATCH (k:K) SET k.id = k.id + 1"]);
    assert_eq!(
        rows(&c, "MATCH (k:K) RETURN min(k.id), max(k.id), count(DISTINCT k.id)"),
        ["1 | 20000 | 20000"]
    );
    assert_eq!(rows(&c, "MATCH (k:K {id: 16384}) RETURN count(k)"), ["1"]);
    let error = fails(&c, "MATCH (k:K) SET k.id = k.id / 2");
    assert!(error.to_string().contains("there is a node"), "{error}");
    assert_eq!(rows(&c, "MATCH (k:K) RETURN min(k.id), max(k.id)"), ["1 | 20000"]);
}
