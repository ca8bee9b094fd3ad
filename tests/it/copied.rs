//! `COPY`: what is written and read, what the options say, and what is left when it fails.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use trimorph::{CancelToken, Config, Connection, Database, Error, Value};

/// A directory that is removed again.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("trimorph-copied-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn people() -> Connection {
    let connection = Database::in_memory(Config::default()).connect();
    let text = "CREATE (a:Person {name: 'Ann, A', age: 30, tags: ['x']}), (b:Person {name: 'Bob', note: ''}), \
                (a)-[:KNOWS {since: 2010}]->(b)";
    connection.query(text, &[]).unwrap();
    connection
}

fn run(connection: &Connection, text: &str) -> Result<Vec<Vec<Value>>, Error> {
    connection.query(text, &[]).and_then(|result| result.rows())
}

#[test]
fn formats_and_options_say_how_it_is_written() {
    let (scratch, connection) = (Scratch::new(), people());
    let query = "MATCH (n:Person) RETURN n.name AS name, n.age AS age, n.note AS note ORDER BY name";
    for (file, options, expected) in [
        ("a.csv", "", "name,age,note\n\"Ann, A\",30,\nBob,,\"\"\n"),
        ("a.tsv", "", "name\tage\tnote\nAnn, A\t30\t\nBob\t\t\"\"\n"),
        ("b.csv", "(HEADER false, DELIMITER '|', NULL 'NA')", "Ann, A|30|NA\nBob|NA|\"\"\n"),
        ("c.csv", "WITH (header=true, delim=';', quote='''')", "name;age;note\nAnn, A;30;\nBob;;''\n"),
        ("d.txt", "(FORMAT csv, HEADER off)", "\"Ann, A\",30,\nBob,,\"\"\n"),
        (
            "a.json",
            "",
            "[{\"name\": \"Ann, A\", \"age\": 30, \"note\": null},\n {\"name\": \"Bob\", \"age\": null, \"note\": \"\"}]\n",
        ),
        (
            "a.jsonl",
            "",
            "{\"name\": \"Ann, A\", \"age\": 30, \"note\": null}\n{\"name\": \"Bob\", \"age\": null, \"note\": \"\"}\n",
        ),
        (
            "b.json",
            "(ARRAY false)",
            "{\"name\": \"Ann, A\", \"age\": 30, \"note\": null}\n{\"name\": \"Bob\", \"age\": null, \"note\": \"\"}\n",
        ),
    ] {
        let path = scratch.path(file);
        let rows = run(&connection, &format!("COPY ({query}) TO '{path}' {options};")).unwrap();
        assert_eq!(format!("{rows:?}"), format!("{:?}", [vec![Value::string(path.as_str()), Value::Int(2)]]));
        assert_eq!(scratch.read(file), expected, "{file} {options}");
    }
    // An old file is replaced, with its permissions; a link stays one.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(scratch.path("a.csv"), std::fs::Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink("a.csv", scratch.path("link.csv")).unwrap();
        run(&connection, &format!("COPY (RETURN 1 AS x) TO '{}'", scratch.path("link.csv"))).unwrap();
        assert_eq!(scratch.read("a.csv"), "x\n1\n");
        assert!(Path::new(&scratch.path("link.csv")).is_symlink());
        assert_eq!(std::fs::metadata(scratch.path("a.csv")).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn labels_and_types_are_copied_whole_or_by_their_properties() {
    let (scratch, connection) = (Scratch::new(), people());
    for (what, expected) in [
        ("Person", "age,name,note,tags\n30,\"Ann, A\",,['x']\n,Bob,\"\",\n"),
        ("Person(name, age)", "name,age\n\"Ann, A\",30\nBob,\n"),
        ("`KNOWS`", "from,to,since\n0,1,2010\n"),
    ] {
        run(&connection, &format!("copy {what} to '{}'", scratch.path("t.csv"))).unwrap();
        let found = scratch.read("t.csv");
        let mut columns: Vec<&str> = found.lines().next().unwrap().split(',').collect();
        let mut wanted: Vec<&str> = expected.lines().next().unwrap().split(',').collect();
        if what == "Person" {
            columns.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(found.lines().count(), expected.lines().count());
        } else if what == "`KNOWS`" {
            assert_eq!(found.lines().count(), 2);
        } else {
            assert_eq!(found, expected, "{what}");
        }
        assert_eq!(columns, wanted, "{what}");
    }
}

#[test]
fn errors_say_what_where_and_what_to_do_and_leave_nothing() {
    let (scratch, connection) = (Scratch::new(), people());
    let path = scratch.path("x.csv");
    std::fs::write(&path, "old").unwrap();
    for (text, position, says) in [
        ("COPY (MATCH (n:Person) RETURN nmae) TO '…'", (1, 31), "variable \"nmae\" is not defined"),
        ("COPY (\n MATCH (n) RETURN n.a + 'x' / 2 AS y) TO '…'", (2, 0), ""),
        ("COPY (CREATE (n) RETURN n) TO '…'", (1, 7), "may not write"),
        ("COPY (EXPLAIN RETURN 1) TO '…'", (1, 7), "not its plan"),
        ("COPY () TO '…'", (1, 6), "no query"),
        ("COPY (RETURN 1 TO '…'", (1, 6), "never closed"),
        ("COPY (RETURN 1) INTO '…'", (1, 17), "expected TO or FROM, found \"INTO\""),
        ("COPY (RETURN 1 AS x) TO '…' (FORMT csv)", (1, 0), "did you mean FORMAT?"),
        ("COPY (RETURN 1 AS x) TO '…' (FORMAT parqet)", (1, 0), "did you mean parquet?"),
        ("COPY (RETURN 1 AS x) TO '…' (FORMAT json, DELIMITER ',')", (1, 0), "for csv only"),
        ("COPY (RETURN 1 AS x) TO '…' (HEADER 7)", (1, 0), "takes true or false"),
        ("COPY (RETURN 1 AS x) TO '…' (DELIM 'ab')", (1, 0), "takes one ASCII character"),
        ("COPY (RETURN 1 AS x) TO '…' (HEADER, HEADER)", (1, 0), "there twice"),
        ("COPY (RETURN 1 AS x) TO '…' HEADER", (1, 0), "expected options in parentheses, or the end"),
        ("COPY (RETURN 1 AS x) TO file.csv", (1, 25), "the name of a file in quotes"),
        ("COPY (RETURN 1 AS x) TO $path", (1, 25), "parameter \"$path\" has no value"),
        ("COPY (RETURN 1 AS x) TO 'x.xyz'", (1, 25), "says no format"),
        ("COPY Persn TO '…'", (1, 6), "did you mean \"Person\"?"),
        ("COPY Person(nme) TO '…'", (1, 13), "did you mean \"name\"?"),
        ("COPY (UNWIND [1, 0] AS x RETURN 1 / x AS y) TO '…'", (1, 0), "by zero"),
        ("COPY (RETURN 1 AS x) TO '/nowhere/at/all/x.csv'", (0, 0), "could not create file"),
        ("COPY (RETURN 1 AS x) TO '/tmp'  (FORMAT csv)", (0, 0), "could not write file"),
    ] {
        let text = text.replace('…', &path);
        let Err(error) = run(&connection, &text) else {
            assert!(says.is_empty(), "{text} ran");
            continue;
        };
        assert!(error.to_string().contains(says), "{text}: {error}");
        let (line, column) = error.position().unwrap_or((0, 0));
        assert!(line == position.0 && (position.1 == 0 || column == position.1), "{text}: {error}");
        if !says.is_empty() {
            assert_eq!(
                (scratch.names(), scratch.read("x.csv")),
                (vec!["x.csv".to_owned()], "old".to_owned()),
                "{text}"
            );
        }
    }
    assert!(
        connection
            .prepare("COPY (RETURN 1 AS x) TO 'x.csv'")
            .unwrap_err()
            .to_string()
            .contains("cannot be prepared")
    );
}

#[test]
fn the_texts_within_may_hold_anything() {
    let (scratch, connection) = (Scratch::new(), people());
    let path = scratch.path("a.csv");
    let text =
        format!("COPY (RETURN ')' AS a, \"(\\\"\" AS b, 1 AS `c)` // )\n /* ) */) TO '{path}' // the end");
    run(&connection, &text).unwrap();
    assert_eq!(scratch.read("a.csv"), "a,b,c)\n),\"(\"\"\",1\n");
    let params = vec![("path", Value::string(path.as_str())), ("x", Value::Int(7))];
    connection.query("COPY (RETURN $x AS x) TO $path", &params).unwrap();
    assert_eq!(scratch.read("a.csv"), "x\n7\n");
    // Any cut of a statement is an error or a statement, and no panic.
    let whole = format!("COPY (MATCH (n) RETURN n.name AS `a`) TO '{path}' (HEADER, DELIM = '|')");
    for end in 0..whole.len() {
        let _ = run(&connection, &whole[..end]);
    }
}

#[test]
fn it_is_forbidden_where_the_configuration_says_so() {
    let connection = Database::in_memory(Config::new().file_access(false)).connect();
    let scratch = Scratch::new();
    for text in ["COPY (RETURN 1 AS x) TO '…'", "COPY Person FROM '…'"] {
        let error = run(&connection, &text.replace('…', &scratch.path("x.csv"))).unwrap_err();
        assert!(error.to_string().contains("statements may not read or write files here"), "{error}");
    }
    let error = connection.sparql("LOAD <file:///etc/hostname.ttl>").err().unwrap();
    assert!(error.to_string().contains("may not read or write files here"), "{error}");
    assert!(scratch.names().is_empty());
    // What only shows a plan touches none.
    assert!(run(&connection, "EXPLAIN COPY (RETURN 1 AS x) TO 'x.csv'").is_ok());
}

#[test]
fn a_transaction_copies_what_it_wrote() {
    let (scratch, connection) = (Scratch::new(), people());
    connection.begin().unwrap();
    connection.query("CREATE (:Person {name: 'Cid'})", &[]).unwrap();
    let text = format!("COPY (MATCH (n:Person) RETURN count(n) AS n) TO '{}'", scratch.path("a.csv"));
    run(&connection, &text).unwrap();
    assert!(run(&connection, &text.replace("RETURN count(n)", "SET n.x = 1 RETURN count(n)")).is_err());
    connection.rollback().unwrap();
    assert_eq!(scratch.read("a.csv"), "n\n3\n");
    run(&connection, &text).unwrap();
    assert_eq!(scratch.read("a.csv"), "n\n2\n");
}

#[test]
fn sparql_is_copied_too() {
    let (scratch, connection) = (Scratch::new(), people());
    connection.sparql("INSERT DATA { <http://a/x(1> <http://a/p> 'a, b', 'c'@en, 5 }").unwrap();
    let query = "SELECT ?s ?o { ?s <http://a/p> ?o } ORDER BY str(?o) # )";
    connection.sparql(&format!("COPY ({query}\n) TO '{}'", scratch.path("a.csv"))).unwrap();
    assert_eq!(scratch.read("a.csv"), "s,o\nhttp://a/x(1,5\nhttp://a/x(1,\"a, b\"\nhttp://a/x(1,c\n");
    let error = connection.sparql("COPY (INSERT DATA { <urn:a> <urn:b> 1 }) TO 'x.csv'").err().unwrap();
    assert!(error.to_string().contains("may not write"), "{error}");
    // SPARQL's own statement of this name is its own.
    connection.sparql("COPY SILENT <http://g/1> TO <http://g/2>").unwrap();
}

#[test]
fn a_cancelled_copy_leaves_nothing() {
    let (scratch, connection) = (Scratch::new(), people());
    let text = format!("COPY (UNWIND range(1, 100000000) AS i RETURN i) TO '{}'", scratch.path("a.csv"));
    let cancel = CancelToken::default();
    let stop = cancel.clone();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(200));
            stop.cancel();
        });
        let error = connection.execute_until(&text, std::sync::Arc::default(), cancel).err().unwrap();
        assert!(matches!(error, Error::Cancelled), "{error}");
    });
    assert!(scratch.names().is_empty());
}

/// Rows in openCypher's form.
fn shown(connection: &Connection, text: &str) -> String {
    crate::durable::rows(connection, text).join("; ")
}

#[test]
fn files_come_in_as_they_went_out() {
    let (scratch, connection) = (Scratch::new(), people());
    run(&connection, "MATCH (n:Person) SET n.id = CASE n.name WHEN 'Bob' THEN 2 ELSE 1 END").unwrap();
    let edges = "COPY (MATCH (a)-[r:KNOWS]->(b) RETURN a.id AS from, b.id AS to, r.since AS since) TO";
    for end in ["csv", "tsv", "jsonl", "json", "parquet", "csv.gz"] {
        let nodes = scratch.path(&format!("p.{end}"));
        let knows = scratch.path(&format!("k.{end}"));
        run(&connection, &format!("COPY Person (id, name, age) TO '{nodes}'")).unwrap();
        run(&connection, &format!("{edges} '{knows}'")).unwrap();
        let other = Database::in_memory(Config::default()).connect();
        let told = shown(&other, &format!("COPY Person FROM '{nodes}'"));
        assert_eq!(told, format!("{nodes} | 2 | 0 | 0"));
        let told = shown(&other, &format!("COPY KNOWS FROM '{knows}' (FROM Person, TO Person)"));
        assert_eq!(told, format!("{knows} | 0 | 1 | 0"));
        let asked = "MATCH (a:Person)-[k:KNOWS]->(b) RETURN a.id, a.name, a.age, k.since, b.name, b.age";
        assert_eq!(shown(&other, asked), "1 | Ann, A | 30 | 2010 | Bob | null", "{end}");
        // Between which labels is known by now.
        run(&other, &format!("COPY KNOWS FROM '{knows}'")).unwrap();
        assert_eq!(shown(&other, "MATCH (:Person)-[k:KNOWS]->() RETURN count(k)"), "2");
    }
}

#[test]
fn options_say_how_files_are_read() {
    let scratch = Scratch::new();
    let connection = Database::in_memory(Config::default()).connect();
    let write = |name: &str, text: &str| std::fs::write(scratch.path(name), text).unwrap();
    write("a.csv", "code;name;n\nx;Ann;1\ny;'B;b';NA\n");
    write("part1.csv", "z,Cid,3\n");
    write("part2.csv", "u,Dan,4\n");
    write("again.csv", "code,name,n\nx,Anna,9\n");
    write("bad.csv", "code,name,n\nv,Eve,5\nw,Fay,6,7\n");
    let at = |text: &str| text.replace('…', &scratch.0.display().to_string());
    let ask = |text: &str| run(&connection, &at(text));
    ask("COPY Person FROM '…/a.csv' (KEY code, QUOTE '''', NULL NA)").unwrap();
    ask("COPY Person (code, name, n) FROM '…/part*.csv' (HEADER false)").unwrap();
    let all = "MATCH (p:Person) RETURN p.code + ' ' + p.name + ' ' + coalesce(p.n, '-') ORDER BY p.code";
    assert_eq!(shown(&connection, all), "u Dan 4; x Ann 1; y B;b -; z Cid 3");
    let error = ask("COPY Person FROM '…/again.csv'").unwrap_err();
    assert!(error.to_string().contains("again.csv:2"), "{error}");
    ask("COPY Person FROM '…/again.csv' (ON_CONFLICT skip)").unwrap();
    ask("COPY Person (name) FROM '…/again.csv' (ON_CONFLICT = merge)").unwrap();
    assert!(shown(&connection, all).contains("x Anna 1"));
    let error = ask("COPY Person FROM '…/bad.csv'").unwrap_err();
    assert!(error.to_string().contains("bad.csv:3"), "{error}");
    let told = shown(&connection, &at("COPY Person FROM '…/bad.csv' (KEY code, REJECTS '…/r.csv')"));
    assert!(told.ends_with("bad.csv | 1 | 0 | 1"), "{told}");
    assert!(scratch.read("r.csv").contains("w,Fay,6,7"));
    // A slip is told: this makes another label.
    write("slip.csv", "code\n1\n");
    let result = connection.query(&at("COPY person FROM '…/slip.csv'"), &[]).unwrap();
    let notices: Vec<String> = result.notices().iter().map(ToString::to_string).collect();
    assert!(
        notices[0].contains("label \"person\" is new") && notices[0].contains("\"Person\""),
        "{notices:?}"
    );
    // Rows that only the database refuses are whole, too, in the file's own quotes.
    write("twice.csv", "code,name\nm,A\nm,'two\nlines \"'\nm,B\n");
    let told = shown(&connection, &at("COPY Person FROM '…/twice.csv' (QUOTE '''', REJECTS '…/t.csv')"));
    assert!(told.ends_with("twice.csv | 1 | 0 | 2"), "{told}");
    let rejected = scratch.read("t.csv");
    assert!(rejected.contains(",\"m,'two\nlines \"\"'\"\n") && rejected.contains("\"m,B\""), "{rejected}");
    write("mixed.csv", "code,n\nk,1\nl,many\n");
    let result = connection.query(&at("COPY Thing FROM '…/mixed.csv'"), &[]).unwrap();
    let notices: Vec<String> = result.notices().iter().map(|notice| notice.message.clone()).collect();
    assert_eq!(notices, ["column \"n\" is text: it has \"many\" among INTEGER"]);
    // A first row is not lost unseen.
    write("rows.csv", "1,Ann\n2,Bob\n");
    let told = |options: &str| {
        let text = at(&format!("COPY Row{options}"));
        let result = connection.query(&text, &[]).unwrap();
        result.notices().iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    let odd = told(" FROM '…/rows.csv'");
    assert!(odd.contains("one is called \"1\"") && odd.contains("(HEADER false)"), "{odd}");
    assert_eq!(told(" (id, name) FROM '…/rows.csv' (HEADER false)"), "");
    let error = ask("COPY Person FROM '…/r.csv'").unwrap_err();
    assert!(error.to_string().contains("rows that a load refused"), "{error}");
}

#[test]
fn what_is_wrong_with_a_copy_from_is_told_and_nothing_is_loaded() {
    let (scratch, connection) = (Scratch::new(), people());
    std::fs::write(scratch.path("x.csv"), "id,nick\n7,G\n").unwrap();
    std::fs::write(scratch.path("one.csv"), "id\n7\n").unwrap();
    std::fs::write(scratch.path("e.csv"), "a,b\n7,8\n").unwrap();
    for (text, says) in [
        ("COPY Person FROM '…/none.csv'", "none.csv"),
        ("COPY Person FROM '…/none*.csv'", "none*.csv"),
        ("COPY Person FROM '…/x.csv' (KYE id)", "did you mean KEY?"),
        ("COPY Person FROM '…/x.csv' (KEY idd)", "did you mean \"id\"?"),
        ("COPY Person (nik) FROM '…/x.csv'", "did you mean \"nick\"?"),
        ("COPY Person FROM '…/x.csv' (DELIM 'ab')", "takes one ASCII character"),
        ("COPY Person FROM '…/x.csv' (ON_CONFLICT perhaps)", "takes error, skip or merge"),
        ("COPY Person FROM '…/x.csv' (HEADER, HEADER)", "there twice"),
        ("COPY Person FROM '…/x.csv' (FROM Person)", "write (FROM Label, TO Label)"),
        ("COPY City FROM '…/x.csv' (HEADER false)", "write COPY City (id, name, …) FROM"),
        ("COPY KNOWS FROM '…/one.csv'", "a relationship has two ends"),
        ("COPY KNOWS FROM '…/e.csv' (KEY a)", "relationships have no key"),
        (
            "COPY LIKES FROM '…/e.csv' (FROM Person, TO Nobody)",
            "nodes with label \"Person\" have neither a key nor an \"id\"",
        ),
        ("COPY Person FROM '…/x.parquet' (HEADER)", "for csv only"),
        ("COPY Person FROM $file", "parameter \"$file\" has no value"),
        ("EXPLAIN COPY Person FROM '…/x.csv'", "a load has no plan"),
        ("COPY (MATCH (n) RETURN n) FROM '…/x.csv'", "only a label or relationship type"),
    ] {
        let text = text.replace('…', &scratch.0.display().to_string());
        let error = run(&connection, &text).unwrap_err().to_string();
        assert!(error.contains(says), "{text}: {error}");
    }
    connection.begin().unwrap();
    let error = run(&connection, &format!("COPY Person FROM '{}'", scratch.path("x.csv"))).unwrap_err();
    assert!(error.to_string().contains("a transaction of its own"), "{error}");
    connection.rollback().unwrap();
    assert_eq!(shown(&connection, "MATCH (n) RETURN count(n)"), "2");
    // Any cut of a statement is an error or a statement, and no panic.
    let whole = "COPY `Per``son` (a, `b`) FROM '/nowhere/x.csv' (HEADER false, DELIM = '|', KEY a)";
    for end in 0..whole.len() {
        assert!(run(&connection, &whole[..end]).is_err());
    }
}

#[test]
fn a_second_look_at_the_rows_sees_what_the_first_saw() {
    let (scratch, database) = (Scratch::new(), Database::in_memory(Config::default()));
    let (connection, other) = (database.connect(), database.connect());
    run(&connection, "CREATE (:Person), (:Person)").unwrap();
    // The first rows are integers; the query is run again for the text that comes last, and while it runs for
    // the first time somebody adds more.
    let once = std::sync::Once::new();
    let meanwhile = trimorph::ScalarFunction::new("meanwhile", move |columns, _, _| {
        once.call_once(|| {
            other.query("UNWIND range(1, 500) AS i CREATE (:Person {name: 'late'})", &[]).unwrap();
        });
        Ok(columns[0].clone())
    });
    connection.create_function(meanwhile).unwrap();
    let file = scratch.path("a.parquet");
    let text = format!(
        "COPY (MATCH (p:Person) WITH count(p) AS n UNWIND range(1, 100000) + ['x'] AS v \
         RETURN meanwhile(v) AS v, n) TO '{file}'"
    );
    assert_eq!(shown(&connection, &text), format!("{file} | 100001"));
    let back = Database::in_memory(Config::default()).connect();
    run(&back, &format!("COPY Row FROM '{file}'")).unwrap();
    assert_eq!(shown(&back, "MATCH (r:Row) RETURN DISTINCT r.n"), "2");
    assert_eq!(shown(&connection, "MATCH (p:Person) RETURN count(p)"), "502");
}

#[test]
fn a_row_group_in_the_making_keeps_to_the_memory_limit() {
    let scratch = Scratch::new();
    let file = scratch.path("a.parquet");
    let rows = "UNWIND range(1, 60000) AS i RETURN i, toString(i * 1234567891) + toString(rand()) AS text";
    let connection = Database::in_memory(Config::new().memory_limit_bytes(48 << 20)).connect();
    run(&connection, &format!("COPY ({rows}) TO '{file}' (ROW_GROUP_SIZE 1000000)")).unwrap();
    let back = Database::in_memory(Config::default()).connect();
    run(&back, &format!("COPY Row FROM '{file}' (KEY i)")).unwrap();
    assert_eq!(shown(&back, "MATCH (r:Row) RETURN count(r), max(r.i)"), "60000 | 60000");
}
