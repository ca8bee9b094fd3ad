//! What people know from Neo4j and Kuzu: each is refused with what to use, never with a word that is near.

use crate::absent::names;

#[test]
fn known_syntax_says_what_to_use() {
    for (text, name, instead) in [
        ("LOAD CSV FROM 'a.csv' AS row RETURN row", "LOAD CSV", "trimorph load"),
        ("USING PERIODIC COMMIT LOAD CSV FROM 'a' AS r RETURN r", "USING PERIODIC COMMIT", "trimorph load"),
        ("USE neo4j MATCH (n) RETURN n", "USE", "a directory is a database"),
        ("CREATE DATABASE x", "CREATE DATABASE", "a directory is a database"),
        ("CREATE USER x SET PASSWORD 'y'", "CREATE USER", "no users"),
        ("GRANT ROLE a TO b", "GRANT", "no users"),
        ("DROP DATABASE x IF EXISTS", "DROP DATABASE", "a directory is a database"),
        ("DROP ALIAS x FOR DATABASE", "DROP ALIAS", "a directory is a database"),
        ("DROP USER x", "DROP USER", "no users"),
        ("DROP ROLE x", "DROP ROLE", "no users"),
        ("ALTER USER x SET PASSWORD 'y'", "ALTER USER", "no users"),
        ("RENAME ROLE x TO y", "RENAME ROLE", "no users"),
        ("SHOW DATABASE neo4j", "SHOW DATABASE with more behind it", "SHOW DATABASE:"),
        ("SHOW HOME DATABASE", "SHOW DATABASE with more behind it", "SHOW DATABASE:"),
        ("SHOW ROLES", "SHOW ROLES", "no users"),
        ("SHOW CURRENT USER", "SHOW CURRENT USER", "no users"),
        ("SHOW SERVERS", "SHOW SERVERS", "no servers"),
        ("START DATABASE x", "START DATABASE", "a directory is a database"),
        ("MATCH (n:A) USING SCAN n:A RETURN n", "USING SCAN", "by cost"),
        ("MATCH p = ANY (a)-[:R]->+(b) RETURN p", "ANY before a pattern", "shortestPath"),
        ("MATCH DIFFERENT RELATIONSHIPS (a)-->(b) RETURN a", "DIFFERENT RELATIONSHIPS", "leave it out"),
        ("MATCH (n) NODETACH DELETE n", "NODETACH", "leave it out"),
        ("CREATE UNIQUE (a)-[:R]->(b)", "CREATE UNIQUE", "MERGE"),
        (
            "MATCH (n) SEARCH n IN (VECTOR INDEX v FOR [1] LIMIT 5) RETURN n",
            "SEARCH",
            "vector.similarity.cosine",
        ),
        ("ALTER CURRENT USER SET PASSWORD 'x'", "ALTER CURRENT", "no users"),
        ("RETURN CASE 3 WHEN > 2 THEN 1 END", "WHEN with a comparison alone", "CASE WHEN x > 1"),
        ("RETURN CASE 3 WHEN <= 2 THEN 1 END", "WHEN with a comparison alone", "CASE WHEN x > 1"),
        ("MATCH (n:A) USING INDEX n:A(x) RETURN n", "USING INDEX", "by cost"),
        (
            "MATCH (n) CALL { WITH n DELETE n } IN TRANSACTIONS OF 10 ROWS",
            "CALL { … } IN TRANSACTIONS",
            "in parts",
        ),
        ("MATCH p = SHORTEST 1 (a)-->(b) RETURN p", "SHORTEST", "shortestPath"),
        ("MATCH ANY SHORTEST (a)-[:R]-+(b) RETURN a", "ANY SHORTEST", "shortestPath"),
        ("MATCH p = ALL SHORTEST (a)-[:R]-+(b) RETURN p", "ALL SHORTEST", "allShortestPaths"),
        ("CYPHER 25 RETURN 1", "CYPHER", "leave it out"),
        ("CYPHER runtime=parallel RETURN 1", "CYPHER", "leave it out"),
        ("WHEN true THEN RETURN 1", "WHEN", "CASE"),
        ("OPTIONAL CALL db.labels() YIELD label RETURN label", "OPTIONAL CALL", "OPTIONAL MATCH"),
        ("CREATE OR REPLACE DATABASE x", "CREATE OR REPLACE", "DROP"),
        ("MATCH ((a)-[:R]->(b)){1,3} RETURN a", "a quantified path pattern", "{1,3}"),
        ("MATCH (a:A) ((x)-[:R]->(y)){1,3} (b) RETURN a", "a quantified path pattern", "{1,3}"),
        ("RETURN 'a' || 'b'", "||", "write +"),
        ("MATCH (a) WHERE a.x IS :: INTEGER RETURN a", "IS ::", "valueType"),
        ("FINISH", "FINISH", "leave it out"),
        ("MATCH (n) RETURN n NEXT RETURN 1", "NEXT", "WITH"),
        ("LET x = 1 RETURN x", "LET", "WITH *"),
        ("FOR x IN [1] RETURN x", "FOR", "UNWIND"),
        ("START n = node(1) RETURN n", "START", "MATCH"),
        ("CREATE (n:$(x))", "a label from a value", "in the text"),
        ("SHOW USERS", "SHOW USERS", "no users"),
        ("MATCH (n) RETURN n.x ORDER BY n.x DESC NULLS LAST", "NULLS FIRST", "IS NULL"),
        (":param x => 1", "a command such as :param", "of the shell"),
        ("CREATE NODE TABLE IF NOT EXISTS P(id INT64 PRIMARY KEY)", "CREATE NODE TABLE", "CREATE CONSTRAINT"),
        ("CREATE REL TABLE Knows(FROM P TO P)", "CREATE REL TABLE", "come with the data"),
        ("DROP TABLE P", "DROP TABLE", "DETACH DELETE"),
        ("ALTER TABLE P ADD age INT64", "ALTER TABLE", "come with the data"),
        ("LOAD FROM 'a.csv' RETURN *", "LOAD FROM", "COPY Label FROM"),
        ("INSTALL httpfs", "INSTALL", "no extensions"),
        ("LOAD httpfs", "LOAD", "no extensions"),
        ("ATTACH 'other' AS o", "ATTACH", "a directory is a database"),
        ("EXPORT DATABASE 'x'", "EXPORT DATABASE", "backup"),
        ("CALL threads=4", "CALL threads = 4", "Database(path, threads=4)"),
        ("MATCH (a:P) RETURN a.*", "a.*", "properties(a)"),
        ("RETURN 'a' IS NORMALIZED", "IS NORMALIZED", "before they are stored"),
        ("SAVEPOINT a", "SAVEPOINT", "undoes itself"),
        ("RELEASE SAVEPOINT a", "RELEASE SAVEPOINT", "undoes itself"),
        ("END TRANSACTION", "END", "COMMIT"),
        ("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "SET TRANSACTION", "BEGIN SNAPSHOT"),
        ("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", "SET SESSION", "BEGIN SNAPSHOT"),
        ("SHOW ISOLATION LEVEL", "SHOW ISOLATION LEVEL", "BEGIN SNAPSHOT"),
        ("PREPARE TRANSACTION 'x'", "PREPARE TRANSACTION", "two phases"),
        ("PREPARE q AS MATCH (n) RETURN n", "PREPARE", "parameters"),
        ("LOCK TABLE x", "LOCK", "db.run"),
        ("KILL 12", "KILL", "TERMINATE TRANSACTION"),
        ("VACUUM", "VACUUM", "CHECKPOINT"),
        ("VACUUM ANALYZE t", "VACUUM", "CHECKPOINT"),
        ("OPTIMIZE TABLE t", "OPTIMIZE", "CHECKPOINT"),
        ("REINDEX", "REINDEX", "kept with the data"),
        ("PRAGMA journal_mode = WAL", "PRAGMA", "when a database is opened"),
        ("ANALYZE", "ANALYZE", "statistics"),
        ("ANALYZE TABLE t", "ANALYZE", "statistics"),
        ("EXPLAIN ANALYZE MATCH (n) RETURN n", "EXPLAIN ANALYZE", "PROFILE"),
        ("FORCE CHECKPOINT", "FORCE CHECKPOINT", "write CHECKPOINT"),
        ("BACKUP DATABASE x", "BACKUP", "db.backup"),
        ("MATCH (a)-[:R* TRAIL 1..3]->(b) RETURN b", "TRAIL", "never repeat"),
        ("RETURN 1 AS x FETCH FIRST 3 ROWS ONLY", "FETCH FIRST", "LIMIT n"),
        ("MATCH (n) RETURN n.x ORDER BY n.x fetch next row only", "FETCH FIRST", "LIMIT n"),
        ("CREATE TABLE p (id INT)", "CREATE TABLE", "come with the data"),
        ("CREATE VIEW v AS SELECT 1", "CREATE VIEW", "in your program"),
        ("CREATE FUNCTION f(x) AS 1", "CREATE FUNCTION", "create_function"),
        ("CREATE MACRO f(x) AS 1", "CREATE MACRO", "create_function"),
        ("TRUNCATE p", "TRUNCATE", "DETACH DELETE n"),
        ("VALUES (1), (2)", "VALUES", "UNWIND"),
        ("TABLE p", "TABLE", "MATCH (n:Label)"),
        ("SHOW TABLES", "SHOW TABLES", "db.labels()"),
        ("SHOW LABELS", "SHOW TABLES", "db.labels()"),
        ("SHOW COLUMNS FROM p", "SHOW COLUMNS", "nodeTypeProperties"),
        ("DESCRIBE p", "DESCRIBE", "nodeTypeProperties"),
        ("SUMMARIZE p", "SUMMARIZE", "min(n.x)"),
        ("PIVOT p ON year", "PIVOT", "CASE WHEN"),
        ("MATCH (n) RETURN n SAMPLE 10", "SAMPLE", "rand()"),
        ("MATCH (n) RETURN n USING SAMPLE 10", "USING SAMPLE", "rand()"),
        ("MATCH (n) TABLESAMPLE 10 RETURN n", "TABLESAMPLE", "rand()"),
        ("RETURN 1 AS x INTERSECT RETURN 2 AS x", "INTERSECT", "EXISTS {"),
        ("RETURN 1 AS x EXCEPT RETURN 2 AS x", "EXCEPT", "NOT EXISTS {"),
        ("RETURN 1 AS x MINUS RETURN 2 AS x", "MINUS", "NOT EXISTS {"),
        ("MATCH (n) RETURN * EXCEPT n", "* EXCEPT", "name the columns"),
        ("MERGE INTO p USING q", "MERGE INTO", "ON CREATE SET"),
        ("MERGE (n:P {id: 1}) ON CONFLICT DO NOTHING", "ON CONFLICT", "ON MATCH SET"),
    ] {
        let error = crate::parse(text).expect_err(text);
        assert_eq!(error.primary, format!("{name} is not available"), "{text}");
        assert!(error.hint.as_ref().is_some_and(|h| h.contains(instead)), "{text}: {error}");
        assert_eq!(error.detail, "NotAvailable", "{text}");
    }
}

/// The words are names as any other where names may stand.
#[test]
fn words_of_other_systems_are_names() {
    for text in [
        "MATCH (use)-[:IN]->(next) RETURN next AS let",
        "MATCH (n:LOAD {csv: 1}) RETURN n.filter AS finish",
        "WITH 1 AS start RETURN start",
        "MATCH (table:View {sample: 1})-[:INTO]->(fetch) RETURN table.values AS pivot, fetch AS minus, 1 AS except",
        "MATCH (grant:User) RETURN grant",
        "MATCH (end:Lock {kill: 1}) RETURN end.vacuum AS analyze, end AS savepoint",
        "MATCH (cypher:When) WHERE all(x IN cypher.shortest WHERE x > 0) OR any(x IN cypher.y WHERE x) RETURN cypher",
    ] {
        assert!(crate::parse(text).is_ok(), "{text}");
    }
}

/// The book's page for who comes from there has everything that is answered.
#[test]
fn the_book_has_the_same_names() {
    for (page, names) in names() {
        let text = match page {
            "from-neo4j.md" => include_str!("../../../../docs/book/from-neo4j.md"),
            "cypher.md" => include_str!("../../../../docs/book/cypher.md"),
            _ => include_str!("../../../../docs/book/from-kuzu.md"),
        };
        for (name, instead) in names {
            let line = format!("| `{}` | {} |", name.replace('|', "\\|"), instead.replace('|', "\\|"));
            assert!(text.contains(&line), "docs/book/{page} has no line\n{line}");
        }
    }
}

/// `CAST(x AS type)` does not parse as a call; it is answered as the function is, and so are others.
#[test]
fn what_is_no_call_says_what_to_use() {
    for (text, instead) in [
        ("RETURN CAST('1' AS INT64)", "toInteger(x)"),
        ("RETURN filter(x IN [1] WHERE x > 0)", "[x IN list"),
        ("RETURN extract(x IN [1] | x)", "[x IN list"),
        ("RETURN contains('ab', 'a')", "text CONTAINS 'a'"),
        ("RETURN xor(true, false)", "a XOR b"),
        ("RETURN [1, 2][1:2]", "list[1..2]"),
        ("MATCH (n) SET n.$key = 1", "n[$key]"),
        ("RETURN struct_pack(a := 1)", "{name: value}"),
        ("RETURN 'it''s'", "\\' for a quote"),
        ("RETURN 1_000_000", "without _"),
        ("FOREACH (x IN [1] | MATCH (n) SET n.x = x)", "UNWIND list AS x"),
        ("RETURN allReduce(a = 0, x IN [1] | a + x, a < 3)", "reduce"),
    ] {
        let error = crate::parse(text).unwrap_err();
        assert!(error.hint.is_some_and(|hint| hint.contains(instead)), "{text}");
    }
}

/// Whoever asks for help about a name gets the same line.
#[test]
fn names_are_known_by_themselves() {
    assert_eq!(crate::instead_of("POW"), Some("write x ^ y"));
    assert_eq!(crate::instead_of("apoc.coll.zip"), crate::instead_of("zip"));
    let in_parts = crate::instead_of("apoc.periodic.iterate");
    assert!(in_parts.is_some_and(|hint| hint.starts_with("leave it out")), "of all that fit the longest");
    assert!(crate::instead_of("db.ping").is_some() && crate::instead_of("round").is_none());
}
