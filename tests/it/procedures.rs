//! Procedures that a test registers: their rows, what becomes of plans when they change, and what is refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph::{CancelToken, Config, Connection, Database, Diagnostic, Error, Switches, Value};
use trimorph_algebra::{Field, FieldType, Procedure, ProcedureRows, Procedures, Signature};
use trimorph_exec::{Execution, Settings};
use trimorph_functions::Clock;
use trimorph_optimizer::{Options, optimize};
use trimorph_testkit::graphs::{CreatedGraph, LoadOptions};
use trimorph_testkit::interpreter::run;
use trimorph_testkit::queries::Registry;

use crate::durable::rows;

fn database(test_procedures: bool) -> Database {
    let memory_limit_bytes = 64 << 20;
    Database::in_memory(
        Config::new()
            .switches(Switches { test_procedures, ..Switches::default() })
            .memory_limit_bytes(memory_limit_bytes)
            .threads(1),
    )
}

/// The rows as text, or the error's kind, phase and detail.
fn ask_with(connection: &Connection, query: &str, params: &[(&str, Value)]) -> Result<Vec<String>, String> {
    let mut rows = Vec::new();
    let answer = connection.query(query, params).and_then(|mut result| {
        while let Some(row) = result.next_row()? {
            rows.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" "));
        }
        Ok(())
    });
    match answer {
        Ok(()) => Ok(rows),
        Err(Error::Query { diagnostic: d, .. }) => {
            Err(format!("{} {:?} {}", d.kind.name(), d.phase, d.detail))
        }
        Err(Error::Memory(_)) => Err("memory".into()),
        Err(error) => panic!("{query}: {error}"),
    }
}

fn ask(connection: &Connection, query: &str) -> Result<Vec<String>, String> {
    ask_with(connection, query, &[])
}

fn answers(connection: &Connection, query: &str, expect: &[&str]) {
    assert_eq!(ask(connection, query).unwrap(), expect, "{query}");
}

fn refused(connection: &Connection, query: &str, expect: &str) {
    assert_eq!(ask(connection, query).unwrap_err(), expect, "{query}");
}

const CITIES: &str = "CALL tck.register('city', [['name', 'STRING?'], ['id', 'NUMBER?']], \
    [['city', 'STRING?'], ['code', 'FLOAT?']], \
    [['Ann', 1, 'Oslo', 47], ['Ann', 1.0, 'Bergen', 47.5], ['Bob', 2, 'Lund', null], [null, null, 'nowhere', 0]])";

#[test]
fn rows_are_those_whose_inputs_are_like_the_arguments() {
    let connection = database(true).connect();
    answers(&connection, CITIES, &[]);
    answers(&connection, "CALL city('Ann', 1)", &["Oslo 47.0", "Bergen 47.5"]);
    answers(&connection, "CALL city('Ann', 1.0) YIELD code AS c WHERE c > 47", &["47.5"]);
    answers(&connection, "CALL city(null, null) YIELD city", &["nowhere"]);
    answers(&connection, "CALL city('Ann', 2)", &[]);
    answers(
        &connection,
        "UNWIND [['Bob', 2], ['Zoe', 1], ['Ann', 1]] AS p CALL city(p[0], p[1]) YIELD city RETURN p[0] AS n, city",
        &["Bob Lund", "Ann Oslo", "Ann Bergen"],
    );
    answers(
        &connection,
        "UNWIND ['Ann', 'Bob'] AS n CALL { WITH n CALL city(n, 1) YIELD city RETURN collect(city) AS all } RETURN n, all",
        &["Ann ['Oslo', 'Bergen']", "Bob []"],
    );
    // In parts of queries whose columns nobody looks at, rows still count.
    answers(&connection, "CALL city('Ann', 1) YIELD city RETURN count(*) AS n", &["2"]);
    answers(&connection, "CALL city('Ann', 1) RETURN 1 AS one", &["1", "1"]);
    let given = [("name", Value::string("Bob")), ("id", Value::Int(2))];
    assert_eq!(ask_with(&connection, "CALL city", &given).unwrap(), ["Lund null"]);
    assert_eq!(
        ask_with(&connection, "CALL city", &given[..1]).unwrap_err(),
        "ParameterMissing Compile MissingParameter"
    );
    assert_eq!(
        ask_with(&connection, "CALL city($name, $name)", &given).unwrap_err(),
        "TypeError Runtime InvalidArgumentType"
    );
}

#[test]
fn many_rows_come_in_many_chunks() {
    let connection = database(true).connect();
    let rows: Vec<Value> = (0..10_000).map(|i| Value::list(vec![Value::Int(i % 3), Value::Int(i)])).collect();
    let register = "CALL tck.register('numbers', [['r', 'INTEGER']], [['n', 'INTEGER']], $rows)";
    assert!(ask_with(&connection, register, &[("rows", Value::list(rows))]).unwrap().is_empty());
    answers(
        &connection,
        "UNWIND range(0, 3) AS r CALL numbers(r) YIELD n RETURN r, count(n) AS c, sum(n) AS s, max(n) AS m",
        &["0 3334 16668333 9999", "1 3333 16661667 9997", "2 3333 16665000 9998"],
    );
    answers(&connection, "CALL numbers(0) YIELD n RETURN n LIMIT 2", &["0", "3"]);
}

#[test]
fn a_procedure_without_columns_keeps_the_row() {
    let connection = database(true).connect();
    answers(&connection, "CALL tck.register('nothing', [], [], [])", &[]);
    for query in
        ["CALL nothing()", "CALL nothing", "CALL nothing YIELD *", "UNWIND [1, 2] AS x CALL nothing()"]
    {
        answers(&connection, query, &[]);
    }
    answers(&connection, "UNWIND [1, 2] AS x CALL nothing() RETURN x", &["1", "2"]);
    // Such a call is made when it is executed, whether rows are asked for or not; one that is only explained
    // is not made.
    connection.query("CALL tck.register('unread', [], [], [])", &[]).unwrap();
    answers(&connection, "CALL unread()", &[]);
    connection.query("EXPLAIN CALL tck.unregister('unread')", &[]).unwrap();
    answers(&connection, "CALL unread()", &[]);
    answers(
        &connection,
        "UNWIND ['unread', 'nothing'] AS name CALL tck.unregister(name) RETURN name",
        &["unread", "nothing"],
    );
    refused(&connection, "CALL unread()", "ProcedureError Compile ProcedureNotFound");
}

#[test]
fn plans_do_not_outlive_a_registration() {
    let db = database(true);
    let (connection, other) = (db.connect(), db.connect());
    let register = |value: i64| {
        answers(&connection, &format!("CALL tck.register('p', [], [['x', 'INTEGER']], [[{value}]])"), &[]);
    };
    register(1);
    let prepared = connection.prepare("CALL p()").unwrap();
    let first = || {
        let mut result = connection.execute_prepared(&prepared, Arc::default())?;
        Ok::<_, Error>(result.next_row()?.map(|row| result.format(&row[0])))
    };
    assert_eq!(first().unwrap().as_deref(), Some("1"));
    answers(&other, "CALL p()", &["1"]);
    let mut running = other.query("CALL p()", &[]).unwrap();
    register(2);
    assert_eq!(first().unwrap().as_deref(), Some("2"));
    answers(&other, "CALL p()", &["2"]);
    // A query that runs goes on with what it was started with.
    assert_eq!(running.next_row().unwrap().map(|row| running.format(&row[0])).as_deref(), Some("1"));
    answers(&connection, "CALL tck.register('p', [], [['y', 'STRING']], [['z']])", &[]);
    assert_eq!(other.query("CALL p()", &[]).unwrap().columns(), ["y"]);
    answers(&connection, "CALL tck.unregister('p')", &[]);
    assert!(first().is_err());
    refused(&other, "CALL p()", "ProcedureError Compile ProcedureNotFound");
    refused(&database(true).connect(), "CALL p()", "ProcedureError Compile ProcedureNotFound");
}

#[test]
fn nothing_is_known_without_the_switch() {
    let connection = database(false).connect();
    for query in [CITIES, "CALL tck.unregister('x')", "CALL tck.register", "CALL city('Ann', 1)"] {
        refused(&connection, query, "ProcedureError Compile ProcedureNotFound");
    }
}

#[test]
fn what_describes_no_procedure_is_refused() {
    let connection = database(true).connect();
    for arguments in [
        "'', [], [], []",
        "'tck.register', [], [], []",
        "'x', [1], [], []",
        "'x', [['a']], [], []",
        "'x', [['a', 'STRING', 'b']], [], []",
        "'x', [[1, 'STRING']], [], []",
        "'x', [['a', null]], [], []",
        "'x', [['a', 'TEXT']], [], []",
        "'x', [['', 'STRING']], [], []",
        "'x', [['a', 'STRING'], ['a', 'STRING']], [], []",
        "'x', [], [['a', 'STRING'], ['a', 'STRING']], []",
        "'x', [['a', 'STRING']], [['b', 'STRING']], [['one']]",
        "'x', [['a', 'STRING']], [['b', 'STRING']], [['one', 'two', 'three']]",
        "'x', [['a', 'STRING']], [['b', 'STRING']], [['one', 2]]",
        "'x', [['a', 'STRING']], [['b', 'STRING']], [['one', null]]",
        "'x', [['a', 'LIST<INTEGER>']], [], [[['one']]]",
        "'x', [], [], [1]",
        "'x', [], [], [null]",
        "'x', [i IN range(1, 1001) | ['a' + i, 'STRING']], [], []",
        "reduce(s = 'x', i IN range(1, 12) | s + s), [], [], []",
        "'x', [[reduce(s = 'x', i IN range(1, 12) | s + s), 'STRING']], [], []",
    ] {
        let query = format!("CALL tck.register({arguments})");
        refused(&connection, &query, "ArgumentError Runtime InvalidArgumentValue");
    }
    refused(&connection, "CALL tck.register(1, [], [], [])", "SyntaxError Compile InvalidArgumentType");
    refused(&connection, "CALL tck.register(null, [], [], [])", "SyntaxError Compile InvalidArgumentType");
    refused(&connection, "CALL tck.register('x')", "SyntaxError Compile InvalidNumberOfArguments");
    refused(
        &connection,
        "UNWIND [1, 'a'] AS x CALL tck.register('x', x, [], [])",
        "TypeError Runtime InvalidArgumentType",
    );
    refused(&connection, "CALL tck.unregister('x')", "ProcedureError Runtime ProcedureNotFound");
    refused(
        &connection,
        "CALL tck.unregister('tck.unregister')",
        "ArgumentError Runtime InvalidArgumentValue",
    );
    refused(&connection, "CALL x()", "ProcedureError Compile ProcedureNotFound");
}

#[test]
fn rows_are_held_from_the_memory_limit() {
    let connection = database(true).connect();
    let row = Value::list(vec![Value::string("x".repeat(1 << 20))]);
    let register = "CALL tck.register($name, [], [['text', 'STRING']], $rows)";
    let given =
        |name: &str, rows| [("name", Value::string(name)), ("rows", Value::list(vec![row.clone(); rows]))];
    assert_eq!(ask_with(&connection, register, &given("all", 100)).unwrap_err(), "memory");
    refused(&connection, "CALL all()", "ProcedureError Compile ProcedureNotFound");
    // Taken away or replaced, it is given back.
    for _ in 0..10 {
        assert!(ask_with(&connection, register, &given("some", 10)).unwrap().is_empty());
        answers(&connection, "CALL some() YIELD text RETURN sum(size(text)) AS n", &["10485760"]);
    }
    answers(&connection, "CALL tck.unregister('some')", &[]);
    assert!(ask_with(&connection, register, &given("more", 25)).unwrap().is_empty());
}

#[test]
fn a_call_of_many_rows_can_be_stopped() {
    let connection = database(true).connect();
    answers(&connection, "CALL tck.register('two', [], [['x', 'INTEGER']], [[1], [2]])", &[]);
    let calls = "CALL two() YIELD x AS ";
    let query: String = (0..60).map(|i| format!("{calls}x{i} ")).collect();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            let result = connection.query(&format!("{query} RETURN count(*) AS n"), &[]);
            matches!(result.and_then(|mut r| r.next_row()), Err(Error::Cancelled))
        });
        while !running.is_finished() {
            std::thread::sleep(std::time::Duration::from_millis(20));
            connection.interrupt();
        }
        assert!(running.join().unwrap());
    });
}

/// Every number below its argument.
#[derive(Debug)]
struct Below(Signature);

impl Procedure for Below {
    fn signature(&self) -> &Signature {
        &self.0
    }

    fn call(&self, arguments: &[Value]) -> Result<ProcedureRows, Diagnostic> {
        let end = if let [Value::Int(end)] = arguments { *end } else { 0 };
        Ok(Box::new((0..end).map(|i| Arc::from([Value::Int(i)]))))
    }
}

/// Optimised and with other sizes of vectors, with threads and without, calls give what the naive interpreter
/// gives.
#[test]
fn calls_agree_with_the_interpreter() {
    let field = |name: &str| vec![Field { name: name.into(), ty: FieldType::parse("INTEGER?").unwrap() }];
    let mut procedures = Procedures::default();
    let below = Signature { name: "below".into(), inputs: field("n"), outputs: field("i") };
    procedures.insert(Arc::new(Below(below)));
    procedures.insert(Arc::new(Below(Signature {
        name: "void".into(),
        inputs: field("n"),
        outputs: vec![],
    })));
    let mut graph = CreatedGraph::default();
    graph.execute("UNWIND range(1, 30) AS i CREATE (:A {n: i % 7})").unwrap();
    graph.execute("MATCH (a:A) MATCH (b:A) WHERE a.n < b.n CREATE (a)-[:T]->(b)").unwrap();
    let snapshot = graph.model().snapshot(LoadOptions::default()).unwrap();
    for query in [
        "MATCH (a:A) CALL below(a.n) YIELD i RETURN a.n, i",
        "MATCH (a:A)-[:T]->(b) CALL below(b.n) YIELD i WHERE i > a.n RETURN a.n, b.n, i",
        "MATCH (a:A) CALL below(a.n) YIELD i AS n MATCH (b:A {n: n}) RETURN a.n, count(b)",
        "MATCH (a:A)-[:T]->(b) CALL void(a.n) RETURN count(*)",
        "MATCH (a:A) CALL below(a.n) RETURN count(*), sum(a.n)",
        "MATCH (a:A) RETURN a.n, COUNT { CALL below(a.n) YIELD i CALL below(i) YIELD i AS j RETURN j }",
        "MATCH (a:A) WHERE EXISTS { CALL below(a.n) YIELD i WHERE i = 4 RETURN i } RETURN a.n",
        "MATCH (a:A) OPTIONAL MATCH (a)-[:T]->(b) CALL below(b.n) YIELD i RETURN a.n, max(i)",
        "CALL below(3) YIELD i CALL below(i) YIELD i AS j RETURN i, j ORDER BY i DESC, j LIMIT 2",
        "UNWIND [1, 2] AS x CALL { WITH x CALL below(x) YIELD i RETURN i UNION CALL below(1) YIELD i RETURN i } RETURN x, i",
    ] {
        let statement = trimorph_cypher::parse(query).unwrap();
        let bound = trimorph_cypher::bind(&statement, snapshot.catalog(), &Registry, &procedures).unwrap();
        let mut expect: Vec<String> =
            (run(&bound, &snapshot, &BTreeMap::new(), Clock::now()).unwrap().iter())
                .map(|row| format!("{row:?}"))
                .collect();
        expect.sort();
        let planned = Arc::new(optimize(bound, snapshot.catalog(), None, Options::default()).unwrap());
        for (threads, vector_size) in [(1, 2), (1, 2048), (2, 64)] {
            let settings = Settings { threads, vector_size, ..Settings::default() };
            let mut execution = Execution::start(&planned, snapshot.clone(), settings).unwrap();
            let mut rows = Vec::new();
            while let Some(mut batch) = execution
                .next(|columns, positions, cx| {
                    let row = |p: &u32| -> Vec<Value> {
                        columns.iter().map(|c| c.value(*p as usize, &|id| cx.edge_value(id))).collect()
                    };
                    positions.iter().map(|p| format!("{:?}", row(p))).collect::<Vec<_>>()
                })
                .unwrap()
            {
                rows.append(&mut batch);
            }
            rows.sort();
            assert_eq!(rows, expect, "{query} with {threads} threads, vectors of {vector_size}");
        }
    }
}

/// What is told of the graph is what the query sees that asks: no name of a transaction that is open
/// elsewhere or was undone, none of what is gone, and labels that nodes got later.
#[test]
fn what_is_told_is_what_is_seen() {
    const LABELS: &str = "CALL db.labels()";
    const TYPES: &str = "CALL db.relationshipTypes()";
    const KEYS: &str = "CALL db.propertyKeys() YIELD propertyKey AS key RETURN collect(key)";
    const NODES: &str = "CALL db.schema.nodeTypeProperties()";
    let database = Database::in_memory(Config::default());
    let (own, other) = (database.connect(), database.connect());
    rows(&own, "CREATE (:A {x: 1})");
    own.begin().unwrap();
    rows(&own, "CREATE (:B {y: 'text'})-[:R {w: 1}]->(:B)");
    let told = [LABELS, TYPES, KEYS].map(|text| rows(&own, text));
    assert_eq!(told, [vec!["A", "B"], vec!["R"], vec!["['w', 'x', 'y']"]]);
    let seen = [":`A` | ['A'] | x | ['INTEGER']", ":`B` | ['B'] | y | ['STRING']"];
    assert_eq!(rows(&own, NODES), seen);
    assert_eq!(rows(&own, "CALL db.schema.visualization()"), ["['B'] | R | ['B']"]);
    for undo in [false, true] {
        if undo {
            own.rollback().unwrap();
        }
        assert_eq!(rows(&other, LABELS), ["A"], "undone: {undo}");
        assert_eq!(rows(&other, TYPES), [""; 0], "undone: {undo}");
        assert_eq!(rows(&other, KEYS), ["['x']"], "undone: {undo}");
        assert_eq!(rows(&other, NODES), seen[..1], "undone: {undo}");
    }
    // Who reads at an earlier time is told of that.
    own.begin().unwrap();
    assert_eq!(rows(&own, "MATCH (n) RETURN count(n)"), ["1"]);
    rows(&other, "MATCH (n) SET n:C CREATE (:D)-[:S]->(:D)");
    assert_eq!(rows(&own, LABELS), ["A"]);
    own.rollback().unwrap();
    let now = [":`A`:`C` | ['A', 'C'] | x | ['INTEGER']", ":`D` | ['D'] | null | null"];
    for merged in [false, true] {
        if merged {
            database.merge(&CancelToken::default()).unwrap();
        }
        assert_eq!(rows(&own, LABELS), ["A", "C", "D"], "merged: {merged}");
        assert_eq!(rows(&own, NODES), now, "merged: {merged}");
        assert_eq!(rows(&own, TYPES), ["S"], "merged: {merged}");
    }
    // It is a read: of two that rely on there being no such label, one comes too late.
    for connection in [&own, &other] {
        connection.begin().unwrap();
        assert_eq!(rows(connection, LABELS).len(), 3);
    }
    rows(&own, "CREATE (:E)");
    rows(&other, "CREATE (:F)");
    own.commit().unwrap();
    assert!(matches!(other.commit(), Err(Error::Conflict(_))));
    // Properties too; and one that nothing has any more is none, though the catalog has its name.
    for connection in [&own, &other] {
        connection.begin().unwrap();
        assert_eq!(rows(connection, KEYS), ["['x']"]);
    }
    rows(&own, "MATCH (:D)-[s:S]->(:D) SET s.`odd ``key` = 1");
    rows(&other, "CREATE (:F {z: 1})");
    own.commit().unwrap();
    assert!(matches!(other.commit(), Err(Error::Conflict(_))));
    assert_eq!(rows(&other, KEYS), ["['odd `key', 'x']"]);
    rows(&own, "MATCH ()-[s:S]->() REMOVE s.`odd ``key` WITH s MATCH (n:A) SET n.x = null");
    assert_eq!(rows(&other, KEYS), ["[]"]);
    rows(&own, "MATCH (n) DETACH DELETE n");
    let told = [LABELS, TYPES, NODES].map(|text| rows(&own, text).len());
    assert_eq!((told, rows(&own, KEYS)), ([0; 3], vec!["[]".to_owned()]));
}
