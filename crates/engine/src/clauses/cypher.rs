//! What openCypher is made of beside functions, as a user looks it up: clauses, expressions and statements.

use super::doc::ClauseDoc;

/// The graph that examples are of, where they do not make their own.
const PEOPLE: &str = "CREATE (ann:Person {name: 'Ann', age: 41})-[:KNOWS {since: 2010}]->(bob:Person {name: 'Bob', \
                      age: 27})-[:KNOWS {since: 2020}]->(:Person {name: 'Cid', age: 33})";

/// An example that needs no graph.
const fn alone(
    (name, syntax): (&'static str, &'static str),
    summary: &'static str,
    example: &'static str,
    rows: &'static str,
) -> ClauseDoc {
    ClauseDoc { language: "cypher", family: "", name, syntax, summary, example: (example, rows), graph: "" }
}

/// An example of a graph of people.
const fn of_people(
    name_and_syntax: (&'static str, &'static str),
    summary: &'static str,
    example: &'static str,
    rows: &'static str,
) -> ClauseDoc {
    ClauseDoc { graph: PEOPLE, ..alone(name_and_syntax, summary, example, rows) }
}

const READING: &[ClauseDoc] = &[
    of_people(
        ("MATCH", "MATCH pattern, … [WHERE condition]"),
        "finds every place in the graph that the pattern fits; each is a row",
        "MATCH (p:Person)-[:KNOWS]->(q) RETURN p.name, q.name",
        "'Ann', 'Bob'; 'Bob', 'Cid'",
    ),
    of_people(
        ("OPTIONAL MATCH", "OPTIONAL MATCH pattern, … [WHERE condition]"),
        "as MATCH, but a row that finds nothing stays, with nulls",
        "MATCH (p:Person) OPTIONAL MATCH (p)-[:KNOWS]->(q) RETURN p.name, q.name",
        "'Ann', 'Bob'; 'Bob', 'Cid'; 'Cid', null",
    ),
    of_people(
        ("WHERE", "WHERE condition"),
        "keeps the rows for which the condition is true; stands behind MATCH, WITH and YIELD, and within patterns",
        "MATCH (p:Person) WHERE p.age > 30 AND NOT p.name STARTS WITH 'A' RETURN p.name",
        "'Cid'",
    ),
    of_people(
        ("RETURN", "RETURN [DISTINCT] expression [AS name], … | * [ORDER BY …] [SKIP n] [LIMIT n]"),
        "gives the answer's columns; beside an aggregate, the other columns say what makes a group",
        "MATCH (p:Person) RETURN count(*) AS people, avg(p.age) AS age",
        "3, 33.666666666666664",
    ),
    of_people(
        (
            "WITH",
            "WITH [DISTINCT] expression [AS name], … | * [ORDER BY …] [SKIP n] [LIMIT n] [WHERE condition]",
        ),
        "hands rows on to what follows, as RETURN gives them; names that it leaves out are gone",
        "MATCH (p:Person)-[:KNOWS]-(q) WITH p, count(q) AS friends WHERE friends > 1 RETURN p.name, friends",
        "'Bob', 2",
    ),
    of_people(
        ("ORDER BY", "ORDER BY expression [ASC | ASCENDING | DESC | DESCENDING], …"),
        "sorts the rows of its RETURN or WITH; null comes last, and first with DESC",
        "MATCH (p:Person) RETURN p.name ORDER BY p.age DESC",
        "'Ann'; 'Cid'; 'Bob'",
    ),
    alone(
        ("SKIP", "SKIP n"),
        "leaves out the first n rows of its RETURN or WITH; OFFSET is the same",
        "UNWIND [1, 2, 3] AS x RETURN x ORDER BY x SKIP 1",
        "2; 3",
    ),
    alone(
        ("OFFSET", "OFFSET n"),
        "leaves out the first n rows of its RETURN or WITH; SKIP is the same",
        "UNWIND [1, 2, 3] AS x RETURN x ORDER BY x OFFSET 2",
        "3",
    ),
    alone(
        ("LIMIT", "LIMIT n"),
        "gives at most n rows of its RETURN or WITH; without ORDER BY any of them",
        "UNWIND [1, 2, 3] AS x RETURN x ORDER BY x LIMIT 2",
        "1; 2",
    ),
    alone(
        ("DISTINCT", "RETURN DISTINCT … | WITH DISTINCT … | count(DISTINCT x)"),
        "each row, or each value, once",
        "UNWIND [1, 2, 2] AS x RETURN count(DISTINCT x)",
        "2",
    ),
    alone(
        ("UNWIND", "UNWIND list AS name"),
        "makes a row of each element of a list; of an empty list and of null none",
        "UNWIND [1, 2] AS x RETURN x, x * 10 AS y",
        "1, 10; 2, 20",
    ),
    alone(
        ("UNION", "query UNION [ALL] query"),
        "the rows of both queries, each once; with ALL as often as they come. Both have the same column names",
        "RETURN 1 AS x UNION RETURN 1 AS x UNION RETURN 2 AS x",
        "1; 2",
    ),
    alone(
        ("CALL", "CALL procedure(argument, …) [YIELD name [AS name], … [WHERE condition]]"),
        "runs a procedure for each row; CALL dbms.procedures() lists them. CALL { … } is a subquery",
        "CREATE (:City); CALL db.labels() YIELD label RETURN label",
        "'City'",
    ),
    of_people(
        ("CALL { }", "CALL (name, …) { query }"),
        "runs a subquery for each row; it sees the names in parentheses, and its RETURN adds columns",
        "MATCH (p:Person) CALL (p) { MATCH (p)-[:KNOWS]->(q) RETURN count(q) AS n } RETURN p.name, n",
        "'Ann', 1; 'Bob', 1; 'Cid', 0",
    ),
    alone(
        ("YIELD", "CALL procedure(…) YIELD name [AS name], … | SHOW … YIELD name [AS name], …"),
        "names the columns of a procedure, or of SHOW, that are wanted",
        "SHOW FUNCTIONS YIELD name WHERE name STARTS WITH 'toUp' RETURN name",
        "'toUpper'",
    ),
];

const WRITING: &[ClauseDoc] = &[
    alone(
        ("CREATE", "CREATE pattern, …"),
        "makes the nodes and relationships of the pattern for each row, but those whose names are known",
        "CREATE (a:City {name: 'Ulm'})-[:ROAD {km: 70}]->(b:City {name: 'Aalen'}) RETURN a.name, b.name",
        "'Ulm', 'Aalen'",
    ),
    alone(
        ("MERGE", "MERGE path [ON CREATE SET …] [ON MATCH SET …]"),
        "finds the path, or makes all of it where there is none",
        "MERGE (c:City {name: 'Ulm'}) ON CREATE SET c.visits = 1 ON MATCH SET c.visits = c.visits + 1 RETURN c.visits",
        "1",
    ),
    of_people(
        ("SET", "SET n.property = value | n = map | n += map | n:Label, …"),
        "gives properties and labels; = replaces all properties, += adds to them, null removes one",
        "MATCH (p:Person {name: 'Bob'}) SET p.age = p.age + 1, p:Friend RETURN p.age, labels(p)",
        "28, ['Person', 'Friend']",
    ),
    of_people(
        ("REMOVE", "REMOVE n.property | n:Label, …"),
        "takes properties and labels away",
        "MATCH (p:Person {name: 'Bob'}) REMOVE p.age RETURN p.name, p.age",
        "'Bob', null",
    ),
    of_people(
        ("DELETE", "[DETACH] DELETE name, …"),
        "deletes nodes and relationships; a node that still has relationships is an error, unless DETACH is said",
        "MATCH (:Person {name: 'Ann'})-[k:KNOWS]->() DELETE k; MATCH ()-[k:KNOWS]->() RETURN count(k)",
        "1",
    ),
    of_people(
        ("DETACH DELETE", "DETACH DELETE name, …"),
        "deletes nodes, and their relationships with them",
        "MATCH (p:Person {name: 'Bob'}) DETACH DELETE p; MATCH (p:Person) RETURN p.name ORDER BY p.name",
        "'Ann'; 'Cid'",
    ),
    alone(
        ("FOREACH", "FOREACH (name IN list | updating clauses)"),
        "runs the updates for each element of a list",
        "FOREACH (n IN ['Ulm', 'Oslo'] | CREATE (:City {name: n})); MATCH (c:City) RETURN count(c)",
        "2",
    ),
    of_people(
        ("ON CREATE", "MERGE path ON CREATE SET …"),
        "what MERGE sets where it made the path",
        "MERGE (p:Person {name: 'Dan'}) ON CREATE SET p.age = 1 RETURN p.age",
        "1",
    ),
    of_people(
        ("ON MATCH", "MERGE path ON MATCH SET …"),
        "what MERGE sets where it found the path",
        "MERGE (p:Person {name: 'Ann'}) ON MATCH SET p.age = 42 RETURN p.age",
        "42",
    ),
];

const PATTERNS: &[ClauseDoc] = &[
    of_people(
        ("pattern", "(name:Label {property: value})-[name:TYPE]->(…)"),
        "nodes and the relationships between them; ->, <- and - say which way, and every part may be left out",
        "MATCH (p {name: 'Ann'})-[k:KNOWS]->(q:Person) RETURN k.since, q.name",
        "2010, 'Bob'",
    ),
    of_people(
        ("label expression", "(n:A&B) (n:A|B) (n:!A) (n:%) -[r:R|S]-"),
        "both labels, either of them, not that one, any",
        "MATCH (n:City|Person&!Friend) RETURN count(n)",
        "3",
    ),
    of_people(
        ("variable length", "-[:TYPE*1..3]-> | -[:TYPE]->{1,3} | -[:TYPE]->+"),
        "a chain of relationships of so many steps; no relationship is walked twice",
        "MATCH (:Person {name: 'Ann'})-[:KNOWS*1..2]->(q) RETURN q.name ORDER BY q.name",
        "'Bob'; 'Cid'",
    ),
    of_people(
        ("path", "MATCH name = pattern"),
        "a name for all nodes and relationships of a pattern, in order",
        "MATCH p = (:Person {name: 'Ann'})-[:KNOWS*]->(:Person {name: 'Cid'}) RETURN length(p), size(nodes(p))",
        "2, 3",
    ),
    of_people(
        ("shortestPath", "shortestPath((a)-[:TYPE*]-(b))"),
        "a path of the fewest relationships between two nodes",
        "MATCH p = shortestPath((:Person {name: 'Ann'})-[:KNOWS*]-(:Person {name: 'Cid'})) RETURN length(p)",
        "2",
    ),
    of_people(
        ("allShortestPaths", "allShortestPaths((a)-[:TYPE*]-(b))"),
        "every path of the fewest relationships between two nodes",
        "MATCH p = allShortestPaths((:Person {name: 'Ann'})-[:KNOWS*]-(:Person {name: 'Cid'})) RETURN count(p)",
        "1",
    ),
];

const EXPRESSIONS: &[ClauseDoc] = &[
    alone(
        ("CASE", "CASE [value] WHEN … THEN result … [ELSE result] END"),
        "the result of the first WHEN that is true, or equal to the value; else that of ELSE, or null",
        "UNWIND [5, 50] AS x RETURN CASE WHEN x < 10 THEN 'few' ELSE 'many' END AS size",
        "'few'; 'many'",
    ),
    of_people(
        ("EXISTS", "EXISTS { pattern [WHERE condition] } | EXISTS { query }"),
        "whether the pattern fits anywhere",
        "MATCH (p:Person) WHERE NOT EXISTS { (p)-[:KNOWS]->() } RETURN p.name",
        "'Cid'",
    ),
    of_people(
        ("COUNT { }", "COUNT { pattern [WHERE condition] } | COUNT { query }"),
        "in how many places the pattern fits; count(x) is the aggregate",
        "MATCH (p:Person) RETURN p.name, COUNT { (p)-[:KNOWS]-() } AS friends",
        "'Ann', 1; 'Bob', 2; 'Cid', 1",
    ),
    of_people(
        ("COLLECT { }", "COLLECT { query }"),
        "the only column of a query as a list; collect(x) is the aggregate",
        "MATCH (p:Person {name: 'Bob'}) RETURN COLLECT { MATCH (p)-[:KNOWS]-(q) RETURN q.name ORDER BY q.name } AS names",
        "['Ann', 'Cid']",
    ),
    alone(
        ("list comprehension", "[name IN list [WHERE condition] [| expression]]"),
        "a list of what the expression gives for each element that meets the condition",
        "RETURN [x IN range(1, 6) WHERE x % 2 = 0 | x * x]",
        "[4, 16, 36]",
    ),
    of_people(
        ("pattern comprehension", "[pattern [WHERE condition] | expression]"),
        "a list of what the expression gives for each place that the pattern fits",
        "MATCH (p:Person {name: 'Ann'}) RETURN [(p)-[:KNOWS]->(q) | q.name]",
        "['Bob']",
    ),
    of_people(
        ("map projection", "n {.property, .*, key: expression, …}"),
        "a map of some properties, or all, and of what is added",
        "MATCH (p:Person {name: 'Ann'}) RETURN p {.name, born: 2026 - p.age}",
        "{born: 1985, name: 'Ann'}",
    ),
    alone(
        ("all", "all(name IN list WHERE condition)"),
        "whether the condition is true for every element",
        "RETURN all(x IN [1, 2] WHERE x > 0)",
        "true",
    ),
    alone(
        ("any", "any(name IN list WHERE condition)"),
        "whether the condition is true for an element",
        "RETURN any(x IN [1, 2] WHERE x > 1)",
        "true",
    ),
    alone(
        ("none", "none(name IN list WHERE condition)"),
        "whether the condition is true for no element",
        "RETURN none(x IN [1, 2] WHERE x > 2)",
        "true",
    ),
    alone(
        ("single", "single(name IN list WHERE condition)"),
        "whether the condition is true for one element and no other",
        "RETURN single(x IN [1, 2] WHERE x > 1)",
        "true",
    ),
    alone(
        ("reduce", "reduce(result = start, name IN list | expression)"),
        "goes through a list and hands the result so far from element to element",
        "RETURN reduce(sum = 0, x IN [1, 2, 3] | sum + x)",
        "6",
    ),
    alone(
        ("AND", "NOT condition | condition AND condition | condition OR condition | condition XOR condition"),
        "joins conditions; null is a condition that is not known: null OR true is true, null AND true is null",
        "RETURN NOT false, true AND null, true OR null, true XOR true",
        "true, null, true, false",
    ),
    alone(
        ("NULL", "NULL | TRUE | FALSE"),
        "no value, and the two truth values; what is compared with null is null",
        "RETURN null = null, coalesce(null, true)",
        "null, true",
    ),
    alone(
        ("IN", "value IN list"),
        "whether the list has a value that is equal",
        "RETURN 2 IN [1, 2], 3 IN [1, 2]",
        "true, false",
    ),
    alone(
        ("IS NULL", "expression IS [NOT] NULL"),
        "whether there is no value; = null is never true",
        "RETURN null IS NULL, 1 IS NOT NULL",
        "true, true",
    ),
    alone(
        ("STARTS WITH", "text STARTS WITH text | text ENDS WITH text | text CONTAINS text"),
        "whether a text begins with another, ends with it, or has it within; letters' case counts",
        "RETURN 'Ulm' STARTS WITH 'U', 'Ulm' ENDS WITH 'm', 'Ulm' CONTAINS 'L'",
        "true, true, false",
    ),
    alone(
        ("=~", "text =~ 'regular expression'"),
        "whether the whole text is as the pattern says, by the rules of Java; (?i) makes letters' case equal",
        "RETURN 'Trimorph' =~ '(?i)tri.*'",
        "true",
    ),
    alone(
        ("parameter", "$name"),
        "a value that is given beside the text; in the shell by :param name = value",
        "WITH 7 AS given RETURN given",
        "7",
    ),
];

const SCHEMA: &[ClauseDoc] = &[
    of_people(
        (
            "CREATE INDEX",
            "CREATE INDEX [name] [IF NOT EXISTS] FOR (n:Label) | ()-[r:TYPE]-() ON (n.property, …)",
        ),
        "makes an index, by which nodes or relationships are found by a property's value or range",
        "CREATE INDEX FOR (p:Person) ON (p.name); SHOW INDEXES YIELD labelsOrTypes, properties",
        "['Person'], ['name']",
    ),
    of_people(
        ("DROP INDEX", "DROP INDEX name [IF EXISTS]"),
        "drops an index; SHOW INDEXES lists the names",
        "CREATE INDEX by_name FOR (p:Person) ON (p.name); DROP INDEX by_name; SHOW INDEXES YIELD name RETURN count(name)",
        "0",
    ),
    of_people(
        (
            "CREATE CONSTRAINT",
            "CREATE CONSTRAINT [name] [IF NOT EXISTS] FOR (n:Label) | ()-[r:TYPE]-() REQUIRE n.property IS UNIQUE | KEY | NOT NULL | :: TYPE",
        ),
        "makes a rule that all nodes of the label, or relationships of the type, keep from now on",
        "CREATE CONSTRAINT FOR (p:Person) REQUIRE p.name IS UNIQUE; SHOW CONSTRAINTS YIELD labelsOrTypes, properties",
        "['Person'], ['name']",
    ),
    of_people(
        ("DROP CONSTRAINT", "DROP CONSTRAINT name [IF EXISTS]"),
        "drops a constraint; SHOW CONSTRAINTS lists the names",
        "CREATE CONSTRAINT c FOR (p:Person) REQUIRE p.name IS UNIQUE; DROP CONSTRAINT c; SHOW CONSTRAINTS YIELD name RETURN count(name)",
        "0",
    ),
    alone(
        (
            "SHOW",
            "SHOW INDEXES | CONSTRAINTS | FUNCTIONS | PROCEDURES | TRANSACTIONS | DATABASE [YIELD name, … | *] [WHERE condition] [RETURN …]",
        ),
        "tells what there is, as rows",
        "SHOW FUNCTIONS YIELD name, signature WHERE name = 'left' RETURN signature",
        "'left(text, n)'",
    ),
];

const TRANSACTIONS: &[ClauseDoc] = &[
    alone(
        ("BEGIN", "BEGIN [SERIALIZABLE | SNAPSHOT | READ COMMITTED] [READ ONLY]"),
        "begins a transaction of several statements; without it each statement is one",
        "BEGIN; CREATE (:City); ROLLBACK; MATCH (c:City) RETURN count(c)",
        "0",
    ),
    alone(
        ("COMMIT", "COMMIT"),
        "ends the transaction; all that it wrote is there, and lasts",
        "BEGIN; CREATE (:City); COMMIT; MATCH (c:City) RETURN count(c)",
        "1",
    ),
    alone(
        ("ROLLBACK", "ROLLBACK"),
        "ends the transaction; nothing that it wrote is there",
        "BEGIN; CREATE (:City); ROLLBACK; MATCH (c:City) RETURN count(c)",
        "0",
    ),
    alone(
        ("SHOW TRANSACTIONS", "SHOW TRANSACTIONS [YIELD name, … | *] [WHERE condition] [RETURN …]"),
        "the transactions that connections have begun",
        "SHOW TRANSACTIONS YIELD transaction RETURN count(transaction)",
        "0",
    ),
    alone(
        ("TERMINATE TRANSACTION", "TERMINATE TRANSACTION number, …"),
        "ends other transactions; SHOW TRANSACTIONS lists the numbers",
        "SHOW TRANSACTIONS YIELD transaction RETURN collect(transaction)",
        "[]",
    ),
    alone(
        ("CHECKPOINT", "CHECKPOINT"),
        "merges what was written into the columns and writes the database's files now; else it comes by itself",
        "CREATE (:City); CHECKPOINT; MATCH (c:City) RETURN count(c)",
        "1",
    ),
    alone(
        ("REORGANIZE", "REORGANIZE"),
        "moves nodes that got labels after they were made, so that scans by label are fast again",
        "CREATE (c:City) SET c:Town; REORGANIZE; MATCH (c:Town) RETURN count(c)",
        "1",
    ),
];

const FILES: &[ClauseDoc] = &[
    of_people(
        ("COPY TO", "COPY (query) | Label [(property, …)] TO 'file' [(option, …)]"),
        "writes rows, nodes or relationships to a file: CSV, JSON or Parquet by its suffix",
        "COPY (MATCH (p:Person) RETURN p.name AS name) TO 'people.csv'",
        "'people.csv', 3",
    ),
    of_people(
        ("COPY FROM", "COPY Label [(property, …)] FROM 'file' [(option, …)]"),
        "loads a file as nodes of the label, or as relationships of the type with (FROM Label, TO Label)",
        "COPY Person TO 'people.csv'; COPY Copied FROM 'people.csv'; MATCH (c:Copied) RETURN count(c)",
        "3",
    ),
];

const PLANS: &[ClauseDoc] = &[
    alone(("EXPLAIN", "EXPLAIN query"), "the plan of a query, which is not run", "EXPLAIN RETURN 1", ""),
    alone(
        ("PROFILE", "PROFILE query"),
        "runs a query, and gives its plan with what every operator did",
        "PROFILE RETURN 1",
        "",
    ),
    alone(
        ("PREFIX", "PREFIX name: <iri> query"),
        "a short form of IRIs, for names of RDF within a query of openCypher",
        "PREFIX ex: <http://example.org/> MATCH (n:ex:City) RETURN count(n)",
        "0",
    ),
];

/// All of them, by family, in the order in which one learns them.
pub(super) const FAMILIES: [(&str, &[ClauseDoc]); 8] = [
    ("reading", READING),
    ("writing", WRITING),
    ("patterns", PATTERNS),
    ("expressions", EXPRESSIONS),
    ("schema", SCHEMA),
    ("transactions", TRANSACTIONS),
    ("files", FILES),
    ("plans", PLANS),
];
