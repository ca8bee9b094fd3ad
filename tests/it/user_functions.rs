//! Functions that a program gives: called by their names, for the rows that are meant, and no more often than
//! they must.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use trimorph::{CancelToken, Config, Connection, Database, ScalarFunction, Value, function_failed};

fn pairs(threads: usize) -> Connection {
    let connection = Database::in_memory(Config::new().threads(threads)).connect();
    for text in [
        "UNWIND range(1, 3000) AS i CREATE (:P {i: i})",
        "MATCH (a:P), (b:P) WHERE b.i = a.i % 40 + 1 CREATE (a)-[:K]->(b)",
    ] {
        connection.query(text, &[]).unwrap();
    }
    connection
}

fn number(connection: &Connection, text: &str) -> i64 {
    connection.query(text, &[]).unwrap_or_else(|e| panic!("{text}: {e}")).one::<(i64,)>().unwrap().0
}

#[test]
fn what_draws_lots_does_so_for_each_row() {
    for threads in [1, 3] {
        let connection = pairs(threads);
        let ticks = Arc::new(AtomicI64::new(0));
        let next = Arc::clone(&ticks);
        let mut tick = ScalarFunction::new("tick", move |_, rows, _| {
            Ok((0..rows).map(|_| Value::Int(next.fetch_add(1, Ordering::Relaxed))).collect())
        });
        tick.is_volatile = true;
        connection.create_function(tick).unwrap();
        for call in ["rand()", "tick()", "tick(1)", "tick(p.i)", "[tick()][0]"] {
            for pattern in ["(p:P)", "(p:P)-[:K]->(q)", "(p:P)<-[:K]-(q)", "(p:P)-[:K]->(q)-[:K]->(r)"] {
                let text = format!("MATCH {pattern} WITH {call} AS t RETURN count(DISTINCT t)");
                assert_eq!(number(&connection, &text), 3_000, "{text}, {threads} threads");
                if call != "rand()" {
                    let text = format!("MATCH {pattern} RETURN count(DISTINCT {call})");
                    assert_eq!(number(&connection, &text), 3_000, "{text}, {threads} threads");
                }
            }
        }
        // In a condition it is asked once of each whole row, not of what rows begin with; between two
        // patterns, of the rows of the first.
        for (pattern, of_each) in [
            ("(p:P)-[:K]->(q) WHERE tick() % 3 = 0", 1),
            ("(p:P)-[:K]->(q:P) WHERE q.i > 0 AND tick(p.i) % 3 = 0", 1),
            ("(p:P)-[:K]->(q)-[:K]->(r) WHERE tick() % 3 = 0 AND r.i > 0", 1),
            ("(p:P) WHERE tick() % 3 = 0 MATCH (p)-[:K]->(q)", 1),
            ("(q:P) WHERE q.i <= 40 AND tick() % 4 = 0 MATCH (q)<-[:K]-(p)", 75),
        ] {
            let before = ticks.load(Ordering::Relaxed);
            let found = number(&connection, &format!("MATCH {pattern} RETURN count(*)"));
            let asked = ticks.load(Ordering::Relaxed) - before;
            let (rows, part) = if of_each == 1 { (3_000, 3) } else { (40, 4) };
            assert_eq!((asked, found), (rows, rows / part * of_each), "{pattern}, {threads} threads");
        }
        // What does not is counted, not made.
        let plan = connection.query("EXPLAIN MATCH (p:P)-[:K]->(q) RETURN count(*)", &[]).unwrap().plan();
        assert!(plan.contains("count"), "{plan}");
    }
}

#[test]
fn it_is_called_for_many_rows_at_once_and_only_for_those_that_are_meant() {
    let connection = pairs(1);
    let (calls, rows) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (seen_calls, seen_rows) = (Arc::clone(&calls), Arc::clone(&rows));
    let mut twice = ScalarFunction::new("ns.twice", move |columns, rows, _| {
        seen_calls.fetch_add(1, Ordering::Relaxed);
        seen_rows.fetch_add(rows, Ordering::Relaxed);
        Ok(columns[0]
            .iter()
            .map(|v| if let Value::Int(i) = v { Value::Int(2 * i) } else { Value::Null })
            .collect())
    });
    (twice.parameters, twice.returns) = (Some(vec!["INTEGER".to_owned()]), Some("INTEGER".to_owned()));
    connection.create_function(twice).unwrap();
    assert_eq!(number(&connection, "MATCH (p:P) RETURN sum(ns.twice(p.i))"), 3_000 * 3_001);
    assert!(calls.load(Ordering::Relaxed) < 30 && rows.load(Ordering::Relaxed) == 3_000);
    rows.store(0, Ordering::Relaxed);
    let text = "MATCH (p:P) RETURN sum(CASE WHEN p.i <= 10 THEN NS.Twice(p.i) ELSE 0 END)";
    assert_eq!(number(&connection, text), 110);
    assert_eq!(rows.load(Ordering::Relaxed), 10);
    // Nulls are not handed over, and what is constant is computed once for many rows.
    rows.store(0, Ordering::Relaxed);
    assert_eq!(number(&connection, "MATCH (p:P) RETURN count(ns.twice(p.none)) + count(ns.twice(1))"), 3_000);
    assert!(rows.load(Ordering::Relaxed) < 30);
    let error = connection.query("RETURN ns.twice('x')", &[]).and_then(|r| r.rows()).unwrap_err();
    assert!(error.to_string().contains("argument 1 is STRING, not INTEGER?"), "{error}");
    assert_eq!(error.position(), Some((1, 8)));
    let error = connection.query("RETURN ns.twice(1, 2)", &[]).err().unwrap();
    assert!(error.to_string().contains("takes 1 argument, not 2"), "{error}");
}

#[test]
fn a_prepared_plan_sees_the_function_that_there_is() {
    let connection = pairs(1);
    let constant = |value: i64| ScalarFunction::of_one("f", move |_| Ok(Value::Int(value)));
    connection.create_function(constant(1)).unwrap();
    let prepared = connection.prepare("RETURN f(0) AS x").unwrap();
    let run = || connection.execute_prepared(&prepared, Arc::default()).and_then(|r| r.rows());
    assert_eq!(format!("{:?}", run().unwrap()), "[[Int(1)]]");
    connection.create_function(constant(2)).unwrap();
    assert_eq!(format!("{:?}", run().unwrap()), "[[Int(2)]]");
    assert!(connection.remove_function("F") && !connection.remove_function("f"));
    assert!(run().unwrap_err().to_string().contains("function \"f\" is not known"));
}

#[test]
fn what_fails_is_the_error_and_what_is_stopped_stops() {
    let connection = pairs(2);
    let fails = ScalarFunction::of_one("fails", |value| match value {
        Value::Int(2_000) => Err("no two thousand".to_owned()),
        other => Ok(other.clone()),
    });
    connection.create_function(fails).unwrap();
    let error = connection.query("MATCH (p:P) RETURN fails(p.i)", &[]).and_then(|r| r.rows()).unwrap_err();
    assert!(error.to_string().contains("function \"fails\": no two thousand"), "{error}");
    let short = ScalarFunction::new("short", |_, _, _| Ok(vec![Value::Null]));
    connection.create_function(short).unwrap();
    let error = connection.query("MATCH (p:P) RETURN short(p.i)", &[]).and_then(|r| r.rows()).unwrap_err();
    assert!(error.to_string().contains("it gave 1 values for"), "{error}");
    let (begins, has_begun) = std::sync::mpsc::channel();
    let slow = ScalarFunction::new("slow", move |columns, _, cancel: &CancelToken| {
        let _ = begins.send(());
        while !cancel.is_cancelled() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let _ = columns;
        Err(function_failed("slow", "it was stopped"))
    });
    connection.create_function(slow).unwrap();
    let stopped = std::thread::scope(|scope| {
        let connection = &connection;
        // Not before: who interrupts what has not begun interrupts nothing.
        scope.spawn(move || {
            let _ = has_begun.recv();
            connection.interrupt();
        });
        connection.query("MATCH (p:P) RETURN slow(p.i)", &[]).and_then(|r| r.rows())
    });
    assert!(stopped.is_err());
    for name in ["abs", "COUNT", "1f", "a b", "a..b", ""] {
        let named = ScalarFunction::of_one(name, |value| Ok(value.clone()));
        assert!(connection.create_function(named).is_err(), "{name}");
    }
}

/// A function that asks the connection whose transaction waits for it is told so; another one answers.
#[test]
fn a_function_does_not_wait_for_its_own_query() {
    for threads in [1, 3] {
        let connection = Arc::new(pairs(threads));
        let (own, told) = (Arc::downgrade(&connection), Arc::new(AtomicUsize::new(0)));
        let counted = Arc::clone(&told);
        let ask = ScalarFunction::of_one("ask", move |value| {
            let Some(own) = own.upgrade() else { return Err("gone".to_owned()) };
            if own.query("RETURN 1", &[]).is_err_and(|error| error.to_string().contains("at work")) {
                counted.fetch_add(1, Ordering::Relaxed);
            }
            assert!(own.in_transaction() && own.commit().is_err());
            Ok(value.clone())
        });
        connection.create_function(ask).unwrap();
        connection.begin().unwrap();
        assert_eq!(number(&connection, "MATCH (p:P) WHERE ask(p.i) = 7 SET p.j = 1 RETURN count(*)"), 1);
        assert!(told.load(Ordering::Relaxed) > 0);
        connection.commit().unwrap();
        assert_eq!(number(&connection, "MATCH (p:P {j: 1}) RETURN count(*)"), 1);
    }
}
