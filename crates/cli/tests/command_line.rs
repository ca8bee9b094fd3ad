//! The built binary, driven from outside: exit codes, stdout, stderr, files.
#![allow(clippy::unwrap_used, reason = "a test")]

mod pages;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// How long anything may take, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a run gave.
struct Run {
    code: Option<i32>,
    out: String,
    bytes: Vec<u8>,
    err: String,
}

fn run_in(dir: &Path, arguments: &[&str], input: &str) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_trimorph"))
        .args(arguments)
        .current_dir(dir)
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that reads no input may have ended before it is written.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        bytes: output.stdout,
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Run {
    #[track_caller]
    fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }

    #[track_caller]
    fn fails(self, with: &[&str]) -> Self {
        assert_eq!(self.code, Some(1), "stdout: {}\nstderr: {}", self.out, self.err);
        for text in with {
            assert!(self.err.contains(text), "no {text:?} in {}", self.err);
        }
        self
    }

    #[track_caller]
    fn has(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(self.out.contains(text), "no {text:?} in {}", self.out);
        }
        self
    }
}

/// A directory of its own for a test.
fn directory(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

/// A directory with a network in `snb` and the database made of it in `social.tm`.
fn social() -> &'static Path {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    DIR.get_or_init(|| {
        let dir = directory("social");
        run_in(&dir, &["generate", "snb", "--scale", "0.003", "--out", "snb"], "")
            .ok()
            .has(&["Person_knows_Person"]);
        run_in(&dir, &["load", "social.tm", "snb"], "").ok().has(&[
            "nodes and",
            "(:Person)",
            "format ldbc-snb",
        ]);
        dir
    })
}

fn social_query(arguments: &[&str]) -> Run {
    let mut all = vec!["query", "social.tm"];
    all.extend(arguments);
    run_in(social(), &all, "")
}

fn memory_query(arguments: &[&str]) -> Run {
    let mut all = vec!["query", ":memory:"];
    all.extend(arguments);
    run_in(Path::new("."), &all, "")
}

#[test]
fn demo_tells_the_whole_story_without_colours() {
    let run = run_in(Path::new("."), &["demo", "--scale", "0.01"], "").ok();
    assert!(!run.out.contains('\x1b'), "colours in a pipe: {}", run.out);
    assert_eq!(run.err, "", "no progress in a pipe");
    run.has(&[
        "Loaded",
        "forward adjacency",
        "7. How many paths",
        "PROFILE",
        "NOT data of the LDBC",
        "trimorph shell",
    ]);
}

#[test]
fn colours_come_when_asked_for() {
    let run = memory_query(&["RETURN 1 AS x", "--color", "always"]).ok();
    assert!(run.out.contains("\x1b[1m"), "{:?}", run.out);
}

#[test]
fn what_is_loaded_can_be_asked_measured_and_checked() {
    social_query(&["MATCH (p:Person) RETURN count(p) AS n"]).ok().has(&["│ 51 │", "(1 row, 1 column)"]);
    run_in(social(), &["stats", "social.tm"], "").ok().has(&[
        "(:Person)  51 rows",
        "id ",
        "Bytes by component",
        "total",
    ]);
    run_in(social(), &["check", "social.tm"], "").ok().has(&["sound social.tm: 34 tables, "]);
    run_in(social(), &["load", "social.tm", "snb"], "").fails(&["is in the database already"]);
    run_in(social(), &["generate", "snb", "--scale", "0.001", "--out", "snb"], "").fails(&["not empty"]);
}

#[test]
fn unknown_names_are_noticed_beside_the_answer() {
    let run = social_query(&["MATCH (p:Persn) RETURN count(p) AS n", "--format", "csv"]).ok();
    assert_eq!(run.out, "n\n0\n");
    assert_eq!(
        run.err,
        "notice: no node has the label \"Persn\"\n 1 | MATCH (p:Persn) RETURN count(p) AS n\n   |          ^^^^^ line 1, column 10\n hint: did you mean \"Person\"?\n"
    );
    assert_eq!(social_query(&["MATCH (p:Person) RETURN count(p) AS n"]).ok().err, "");
    let shell = run_in(social(), &["shell", "social.tm"], "MATCH (p:Person)\nRETURN p.nmae LIMIT 1;\n").ok();
    assert!(
        shell.err.starts_with("notice: no node or relationship has the property \"nmae\"\n 2 | "),
        "{}",
        shell.err
    );
}

#[test]
fn the_projected_layout_loads_to_the_same() {
    let dir = directory("projected");
    run_in(&dir, &["generate", "snb", "--scale", "0.003", "--out", "p", "--layout", "projected"], "").ok();
    run_in(&dir, &["load", "p.tm", "p", "--format", "ldbc-snb", "--threads", "1"], "").ok();
    let count = ["MATCH ()-[r]->() RETURN count(r) AS n", "--format", "csv"];
    let ours = run_in(&dir, &["query", "p.tm", count[0], count[1], count[2]], "").ok().out;
    assert_eq!(ours, social_query(&count).ok().out);
}

#[test]
fn a_bad_row_is_refused_with_file_and_line() {
    let dir = directory("bad_rows");
    fs::write(dir.join("people.csv"), "id:ID,name,age:int,:LABEL\n1,Ann,30,Person\n2,Bob,thirty,Person\n")
        .unwrap();
    let load = ["load", "x.tm", "people.csv", "--format", "neo4j-csv"];
    let run = run_in(&dir, &load, "").fails(&["people.csv:3: ", "thirty", "--skip-bad-rows"]);
    assert!(run.err.starts_with("people.csv:3: "), "editors jump to file:line: {}", run.err);
    assert!(!dir.join("x.tm").exists(), "nothing is left behind");
    let skipping = [&load[..], &["--skip-bad-rows", "--rejects", "bad.csv"]].concat();
    run_in(&dir, &skipping, "").ok().has(&["1 row rejected", "people.csv:3: ", "bad.csv"]);
    assert!(fs::read_to_string(dir.join("bad.csv")).unwrap().contains("people.csv,3,"));
    run_in(&dir, &["query", "x.tm", "MATCH (p:Person) RETURN p.name"], "")
        .ok()
        .has(&["Ann", "(1 row, 1 column)"]);
    run_in(&dir, &["load", "z.tm", "people.csv", "--skip-bad-rows"], "").ok().has(&["z.tm.rejects.csv"]);
    assert!(fs::read_to_string(dir.join("z.tm.rejects.csv")).unwrap().contains("people.csv,3,"));
    run_in(&dir, &["load", "y.tm", "missing.csv"], "").fails(&["missing.csv"]);
    run_in(&dir, &["load", "people.csv", "people.csv"], "").fails(&["people.csv: this is a file"]);
    assert!(!dir.join("y.tm").exists());
}

#[test]
fn a_file_without_a_header_and_one_without_rows_are_told_of() {
    let dir = directory("no_header");
    let header = "the first line of one.csv was taken for the names of columns, and one is called \"1\"";
    fs::write(dir.join("one.csv"), "1,Ann,30\n").unwrap();
    fs::write(dir.join("two.csv"), "id:ID,name,:LABEL\n").unwrap();
    fs::write(dir.join("three.csv"), "id:ID,name,:LABEL\n1,Ann,Person\n").unwrap();
    let one = run_in(&dir, &["load", "a.tm", "--nodes=one.csv"], "").ok();
    one.has(&[header, "--nodes Label=header.csv,rows.csv", "one.csv has no rows"]);
    run_in(&dir, &["load", "b.tm", "two.csv"], "").ok().has(&["notice: two.csv has no rows"]);
    let both = ["load", "c.tm", "--nodes=one.csv", "--nodes=two.csv"];
    run_in(&dir, &both, "").ok().has(&["2 files have no rows, such as one.csv"]);
    // A header of its own is none of them, and columns of files that are alike are shown once.
    fs::write(dir.join("four.csv"), "2,Bo,Person\n").unwrap();
    let group = run_in(&dir, &["load", "d.tm", "--nodes=two.csv,four.csv"], "").ok();
    assert!(!group.out.contains("no rows"), "{}", group.out);
    assert_eq!(group.out.matches("name STRING").count(), 1, "{}", group.out);
    let good = run_in(&dir, &["load", "d.tm", "three.csv"], "").ok();
    assert!(!good.out.contains("notice"), "{}", good.out);
    fs::write(dir.join("mapping.json"), "{\"nodes\": [{\"file\": \"one.csv\", \"labels\": [\"P\"]}]}")
        .unwrap();
    run_in(&dir, &["load", "e.tm", "mapping.json"], "").ok().has(&[header, "give the names in the mapping"]);
    let mapped = run_in(&dir, &["map", "."], "").ok();
    assert!(mapped.err.contains("one.csv: the first line was taken for the names"), "{}", mapped.err);
    assert!(!mapped.err.contains("three.csv"), "{}", mapped.err);
}

#[test]
fn plain_csv_loads_by_a_mapping_as_the_help_describes_it() {
    let dir = directory("mapping");
    let help = run_in(&dir, &["load", "--help"], "").ok().out;
    let start = help.find("{ \"nodes\"").unwrap();
    let end = help[start..].find("] }\n").unwrap() + 3;
    fs::write(dir.join("mapping.json"), &help[start..start + end]).unwrap();
    fs::write(dir.join("person.csv"), "id,name\n1,Ann\n2,Bob\n").unwrap();
    fs::write(dir.join("knows.csv"), "a,b,since\n1,2,2010\n").unwrap();
    run_in(&dir, &["load", "m.tm", "mapping.json"], "").ok().has(&["2 nodes and 1 edge from 2 files"]);
    let text = "MATCH (a:Person)-[k:KNOWS]->(b) RETURN a.name, k.since, b.name";
    run_in(&dir, &["query", "m.tm", text], "").ok().has(&["│ Ann    │    2010 │ Bob    │"]);
}

#[test]
fn check_names_the_damaged_file() {
    let dir = directory("damage");
    fs::write(dir.join("n.csv"), "id:ID,name,:LABEL\n1,Ann,Person\n2,Bob,Person\n").unwrap();
    run_in(&dir, &["load", "d.tm", "n.csv", "--format", "neo4j-csv"], "").ok();
    let largest = files_below(&dir.join("d.tm"))
        .into_iter()
        .filter(|f| f.file_name().is_some_and(|n| n != "MANIFEST" && n != "LOCK"))
        .max_by_key(|f| fs::metadata(f).unwrap().len())
        .unwrap();
    let mut bytes = fs::read(&largest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(&largest, &bytes).unwrap();
    let name = largest.file_name().unwrap().to_str().unwrap();
    run_in(&dir, &["check", "d.tm"], "").fails(&[name]);
    bytes[middle] ^= 0x10;
    let names = bytes.windows(6).position(|w| w == b"AnnBob").unwrap();
    bytes[names] ^= 0x10;
    fs::write(&largest, &bytes).unwrap();
    run_in(&dir, &["query", "d.tm", "MATCH (n) RETURN n.id"], "").ok();
    run_in(&dir, &["query", "d.tm", "MATCH (n) RETURN n"], "").fails(&[name, "damaged"]);
    run_in(&dir, &["check", "nowhere.tm"], "").fails(&["there is no database here"]);
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    entries.flat_map(|p| if p.is_dir() { files_below(&p) } else { vec![p] }).collect()
}

#[test]
fn a_database_that_lost_its_manifest_is_refused_and_kept() {
    let dir = directory("lost");
    fs::write(dir.join("n.csv"), "id:ID,name,:LABEL\n1,Ann,Person\n2,Bob,Person\n").unwrap();
    let load = ["load", "d.tm", "n.csv", "--format", "neo4j-csv"];
    run_in(&dir, &load, "").ok();
    let count = ["query", "d.tm", "MATCH (p:Person) RETURN count(p) AS n", "--format", "csv"];
    let (manifest, aside) = (dir.join("d.tm/MANIFEST"), dir.join("aside"));
    fs::rename(&manifest, &aside).unwrap();
    let content = || files_below(&dir).into_iter().map(|f| (fs::read(&f).unwrap(), f)).collect::<Vec<_>>();
    let before = content();
    for arguments in [&load[..], &count, &["check", "d.tm"], &["stats", "d.tm"], &["shell", "d.tm"]] {
        run_in(&dir, arguments, "").fails(&["d.tm: the file MANIFEST is missing", "from a backup"]);
    }
    assert!(content() == before, "nothing is changed or removed");
    fs::rename(&aside, &manifest).unwrap();
    assert_eq!(run_in(&dir, &count, "").ok().out, "n\n2\n");
    // What a load leaves that dies just before it has finished disturbs nobody, and goes.
    fs::write(dir.join("d.tm/LOADING"), "").unwrap();
    assert_eq!(run_in(&dir, &count, "").ok().out, "n\n2\n");
    run_in(&dir, &load, "").fails(&["is in the database already"]);
    assert!(!dir.join("d.tm/LOADING").exists());
}

#[test]
fn a_load_that_is_killed_is_taken_over_by_the_next() {
    let dir = directory("killed");
    run_in(&dir, &["generate", "snb", "--scale", "0.01", "--out", "snb"], "").ok();
    let load = ["load", "d.tm", "snb"];
    let began = Instant::now();
    run_in(&dir, &load, "").ok();
    let whole = began.elapsed();
    let count = ["query", "d.tm", "MATCH (n)-[r]->() RETURN count(n), count(r)", "--format", "csv"];
    let right = run_in(&dir, &count, "").ok().out;
    let (path, mut unfinished) = (dir.join("d.tm"), 0);
    // Sixteen, and as many more as it takes until one was killed while it wrote.
    for (kills, seed) in (0..8).chain((8..16).cycle()).take(1_000).enumerate() {
        if kills >= 16 && unfinished > 0 {
            break;
        }
        fs::remove_dir_all(&path).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_trimorph"))
            .args(load)
            .current_dir(&dir)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // At any time, and at any time while it writes.
        let share = f64::from(seed % 8) / 8.0;
        if seed < 8 {
            std::thread::sleep(whole.mul_f64(share));
        } else {
            while !path.join("LOADING").exists() && child.try_wait().unwrap().is_none() {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_micros(500).mul_f64(f64::from(seed - 8)));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        unfinished += u32::from(path.join("LOADING").exists() && !path.join("MANIFEST").exists());
        if !path.join("MANIFEST").exists() {
            run_in(&dir, &count, "").fails(&["there is no database here"]);
            run_in(&dir, &load, "").ok();
        }
        assert_eq!(run_in(&dir, &count, "").ok().out, right, "kill {seed}");
        run_in(&dir, &["check", "d.tm"], "").ok();
        assert!(path.join("MANIFEST").exists(), "kill {seed}");
    }
    assert!(unfinished > 0, "no load was killed while it wrote");
}

#[test]
fn errors_of_a_query_go_to_stderr_with_a_caret() {
    let run = social_query(&["MATCH (n:Person)\nRETURN nmae"]).fails(&[
        "SyntaxError: ",
        " 2 | RETURN nmae",
        "^^^^",
        "line 2, column 8",
    ]);
    assert_eq!(run.out, "");
    memory_query(&["RETURN $x"]).fails(&["x"]);
    memory_query(&["SELECT 1", "--lang", "sql"]).fails(&["SQL is not available yet"]);
    memory_query(&["  ; "]).fails(&["no query"]);
    memory_query(&["--file", "nowhere.cypher"]).fails(&["nowhere.cypher"]);
    run_in(&directory("nothing"), &["query", "no.tm", "RETURN 1"], "")
        .fails(&["no.tm: there is no database here"]);
    assert_eq!(
        memory_query(&["RETURN 1", "--memory-limit", "much"]).code,
        Some(2),
        "usage errors have code 2"
    );
}

#[test]
fn parameters_are_literals_or_words() {
    let text = "RETURN $a + 1 AS a, $b AS b, $c[1].k AS c, $d.year AS d";
    let params = [
        "--param",
        "a=7",
        "--param",
        "b=Ulm",
        "--param",
        "c=[1, {\"k\": true}]",
        "-p",
        "d=date('2012-03-04')",
    ];
    let all = [&[text][..], &params, &["--format", "csv"]].concat();
    assert_eq!(memory_query(&all).ok().out, "a,b,c,d\n8,Ulm,true,2012\n");
    assert_eq!(memory_query(&["RETURN 1", "--param", "novalue"]).code, Some(2));
}

/// One column of every kind that formats treat differently.
const ROWS: &str = "UNWIND [0, 1] AS i RETURN i, i + 0.5 AS f, ['a,\"b\"', ''][i] AS s, [null, true][i] AS b,
    date('2012-01-01') AS d, [1, 'x'] AS l";

#[test]
fn text_formats_are_exact() {
    let output = |format: &str| memory_query(&[ROWS, "--format", format]).ok().out;
    let list = "\"[1, 'x']\"";
    assert_eq!(
        output("csv"),
        format!("i,f,s,b,d,l\n0,0.5,\"a,\"\"b\"\"\",,2012-01-01,{list}\n1,1.5,\"\",true,2012-01-01,{list}\n")
    );
    let first = r#"{"i": 0, "f": 0.5, "s": "a,\"b\"", "b": null, "d": "2012-01-01", "l": [1, "x"]}"#;
    let second = r#"{"i": 1, "f": 1.5, "s": "", "b": true, "d": "2012-01-01", "l": [1, "x"]}"#;
    assert_eq!(output("jsonl"), format!("{first}\n{second}\n"));
    assert_eq!(output("json"), format!("[{first},\n {second}]\n"));
    assert!(
        output("markdown").starts_with("| i | f | s | b | d | l |\n|---|---|---|---|---|---|\n| 0 | 0.5 |")
    );
    assert!(output("line").starts_with("i = 0\nf = 0.5\n"));
    assert_eq!(memory_query(&["UNWIND [] AS x RETURN x", "--format", "json"]).ok().out, "[]\n");
}

#[test]
fn arrow_and_parquet_read_back() {
    use arrow_array::cast::AsArray as _;
    use arrow_array::types::Int64Type;
    use arrow_array::{Array as _, RecordBatch};

    let check = |batches: &[RecordBatch]| {
        assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 2);
        let batch = &batches[0];
        assert_eq!(batch.column(0).as_primitive::<Int64Type>().value(0), 0);
        assert_eq!(batch.column(2).as_string::<i32>().value(0), "a,\"b\"");
        assert!(batch.column(3).is_null(0));
    };
    let stream = memory_query(&[ROWS, "--format", "arrow"]).ok().bytes;
    let reader = arrow_ipc::reader::StreamReader::try_new(&stream[..], None).unwrap();
    check(&reader.map(Result::unwrap).collect::<Vec<_>>());

    let dir = directory("formats");
    let to_file = |format: &str, name: &str| {
        run_in(&dir, &["query", ":memory:", ROWS, "--format", format, "--output", name], "").ok();
        fs::File::open(dir.join(name)).unwrap()
    };
    let reader = arrow_ipc::reader::FileReader::try_new(to_file("arrow", "x.arrow"), None).unwrap();
    check(&reader.map(Result::unwrap).collect::<Vec<_>>());
    let file = to_file("parquet", "x.parquet");
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file)
        .unwrap()
        .build()
        .unwrap();
    check(&reader.map(Result::unwrap).collect::<Vec<_>>());
}

#[test]
fn times_beyond_nanoseconds_are_in_every_format() {
    use arrow_array::cast::AsArray as _;
    use arrow_array::types::TimestampMicrosecondType;
    use arrow_array::{Array as _, RecordBatch};

    let far = "localdatetime('2500-01-01T00:00:00.000001')";
    let all = format!("UNWIND [{far}, localdatetime('-0044-03-15T12:00'), null] AS x RETURN x");
    for format in ["csv", "json", "jsonl", "table", "line", "markdown"] {
        let run = memory_query(&[&all, "--format", format]).ok();
        run.has(&["2500-01-01T00:00:00.000001", "-0044-03-15T12:00"]);
    }
    let dir = directory("far-times");
    let check = |batches: &[RecordBatch]| {
        let column = batches[0].column(0).as_primitive::<TimestampMicrosecondType>();
        assert_eq!((column.value(0), column.null_count()), (16_725_225_600_000_001, 1));
    };
    let write = |text: &str, format: &str| {
        let name = format!("x.{format}");
        let run = run_in(&dir, &["query", ":memory:", text, "--format", format, "--output", &name], "").ok();
        (fs::File::open(dir.join(name)).unwrap(), run.err)
    };
    let reader = arrow_ipc::reader::FileReader::try_new(write(&all, "arrow").0, None).unwrap();
    check(&reader.map(Result::unwrap).collect::<Vec<_>>());
    let parquet = |text: &str| {
        let (file, err) = write(text, "parquet");
        let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        (reader.build().unwrap().map(Result::unwrap).collect::<Vec<_>>(), err)
    };
    let (batches, err) = parquet(&all);
    check(&batches);
    assert_eq!(err, "");
    // Neither unit holds both: text, and a word about it.
    let (batches, err) = parquet(&all.replace("null", "localdatetime('2020-01-01T00:00:00.000000001')"));
    assert_eq!(batches[0].column(0).as_string::<i32>().value(2), "2020-01-01T00:00:00.000000001");
    assert!(err.contains("notice: column \"x\" is text"), "{err}");
}

#[test]
fn entities_have_a_json_form() {
    let text = "MATCH path = (a:Person)-[k:KNOWS]->(b:Person) RETURN a, k, path LIMIT 1";
    let out = social_query(&[text, "--format", "jsonl"]).ok().out;
    for part in [
        "\"labels\": [\"Person\"]",
        "\"type\": \"KNOWS\"",
        "\"start\": \"",
        "\"relationships\": [{",
        "\"firstName\": \"",
    ] {
        assert!(out.contains(part), "no {part} in {out}");
    }
}

#[test]
fn tables_can_be_cut() {
    let text = "UNWIND range(1, 100) AS x RETURN x";
    memory_query(&[text, "--rows", "3"]).ok().has(&[
        "│   2 │\n│   … │\n│ 100 │",
        "… 97 more rows between them",
        "(100 rows, 1 column)",
    ]);
    let all = memory_query(&[text]).ok();
    assert!(all.out.contains("│ 100 │") && !all.out.contains('…'), "a pipe gets all rows");
}

#[test]
fn statements_come_from_arguments_files_and_pipes() {
    memory_query(&["RETURN 1 AS a; RETURN 2 AS b"]).ok().has(&["│ a │", "│ b │"]);
    let dir = directory("texts");
    fs::write(dir.join("q.cypher"), "// two\nRETURN 3 AS c;\nRETURN 4 AS d;\n").unwrap();
    run_in(&dir, &["query", ":memory:", "--file", "q.cypher"], "").ok().has(&["│ c │", "│ d │"]);
    fs::write(dir.join("q.rq"), "SELECT ?x { VALUES ?x { 1 <http://a> } }").unwrap();
    run_in(&dir, &["query", ":memory:", "--file", "q.rq"], "").ok().has(&["│ x ", "│ <http://a> │"]);
    let script = "INSERT DATA { <http://a> <http://p> 1 ; <http://q> 2 } ;\nINSERT DATA { <http://b> <http://p> 3 };\n\
        SELECT ?x { ?s <http://p> ?x }\nORDER BY ?x;\nASK { <http://b> ?p ?o };\n:lang cypher\nMATCH (n) RETURN count(*) AS all;";
    run_in(&dir, &["shell", ":memory:", "--lang", "sparql"], script).ok().has(&[
        "│ 1 │",
        "│ 3 │",
        "true",
        "│   2 │",
    ]);
    run_in(&dir, &["shell", ":memory:", "--lang", "sparql"], "é;\n").fails(&["SyntaxError"]);
    run_in(&dir, &["query", ":memory:", "--lang", "sql", "SELECT 1"], "")
        .fails(&["SQL is not available yet"]);
    run_in(&dir, &["query", ":memory:"], "RETURN 5 AS e").ok().has(&["│ e │"]);
}

#[test]
fn the_shell_runs_what_is_piped_in() {
    let input = ":timer off\n:param x = 'a;b'\nUNWIND [1, 2] AS i\n\nRETURN i, $x AS x;\n.mode csv\nRETURN 1 AS one;\n\
        :params\n:export out.json\n:explain RETURN 1\n:mode table\nRETURN 'no semicolon' AS last";
    let dir = directory("shell");
    let run = run_in(&dir, &["shell", ":memory:"], input).ok();
    run.has(&["│ 1 │ a;b │", "(2 rows, 2 columns)\n", "one\n1\n", "$x = 'a;b'", "no semicolon", "out.json"]);
    assert_eq!(fs::read_to_string(dir.join("out.json")).unwrap(), "[{\"one\": 1}]\n");
    run_in(social(), &["shell", "social.tm"], ":schema\n:stats\n:help\n:quit\nRETURN 1;").ok().has(&[
        "(:Person)-[:KNOWS]->(:Person)",
        "Bytes by component",
        ":export",
    ]);
}

#[test]
fn a_shell_reads_only_if_told_so() {
    let dir = directory("read-only");
    run_in(&dir, &["shell", "d.tm"], "CREATE (:A {x: 1});").ok();
    let read = |text: &str| run_in(&dir, &["shell", "d.tm", "--read-only"], text);
    read("MATCH (a:A) RETURN a.x; SHOW DATABASE;").ok().has(&["│   1 │", "read-only", "following"]);
    read("CREATE (:A);").fails(&["the database was opened read-only"]);
    run_in(&dir, &["shell", "none.tm", "--read-only"], "RETURN 1;").fails(&["none.tm"]);
    assert!(!dir.join("none.tm").exists());
}

#[test]
fn the_shell_ends_at_the_first_error_of_a_pipe() {
    let run = run_in(Path::new("."), &["shell", ":memory:"], "RETURN 1 AS a;\nRETURN nmae;\nRETURN 2 AS b;")
        .fails(&["nmae", "^^^^"]);
    assert!(run.out.contains("│ a │") && !run.out.contains("│ b │"), "{}", run.out);
    run_in(Path::new("."), &["shell", ":memory:"], ":nonsense").fails(&["there is no command \":nonsense\""]);
}

#[test]
fn a_shell_leaves_no_empty_database_behind() {
    let dir = directory("empty");
    run_in(&dir, &["shell", "new.tm"], "RETURN 1;").ok();
    assert!(!dir.join("new.tm").exists());
}

#[test]
#[cfg(unix)]
fn ctrl_c_stops_a_query() {
    let text = "UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS y RETURN sum((x + y) % 7) AS s";
    let child = Command::new(env!("CARGO_BIN_EXE_trimorph"))
        .args(["query", ":memory:", text])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !takes_interrupts(child.id(), start) {
        assert!(start.elapsed() < PATIENCE, "no query begins");
        std::thread::sleep(Duration::from_millis(10));
    }
    let start = Instant::now();
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the query was cancelled"));
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
}

/// Whether a process does something of its own about Ctrl-C; where the system does not tell, it is taken for
/// one a while after it has begun.
#[cfg(unix)]
fn takes_interrupts(process: u32, begun: Instant) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{process}/status")) else {
        return begun.elapsed() > Duration::from_secs(2);
    };
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or_default();
    u64::from_str_radix(caught.trim(), 16).is_ok_and(|signals| signals & 2 != 0)
}

#[test]
fn every_command_explains_itself_with_an_example() {
    for command in ["demo", "load", "query", "shell", "stats", "check", "generate", "bench"] {
        run_in(Path::new("."), &[command, "--help"], "")
            .ok()
            .has(&["Example", &format!("trimorph {command}")]);
    }
    run_in(Path::new("."), &["--version"], "").ok().has(&[concat!("trimorph ", env!("CARGO_PKG_VERSION"))]);
    run_in(Path::new("."), &["bench"], "").ok().has(&["bench/run.py"]);
}

/// A reader that wants no more ends any format without an error, also those that libraries write.
#[test]
fn a_reader_that_ends_early_is_no_error() {
    for format in ["csv", "json", "jsonl", "line", "markdown", "table", "arrow", "parquet"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_trimorph"))
            .args(["query", ":memory:", "UNWIND range(1, 200000) AS x RETURN x, toString(x * 7919) AS y"])
            .args(["--format", format])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{format}");
        assert_eq!(output.status.code(), Some(0), "{format}");
    }
}

#[test]
fn the_suffix_of_the_output_picks_the_format() {
    let dir = directory("suffix");
    let write = |name: &str, more: &[&str]| {
        let all = [&["query", ":memory:", "RETURN 1 AS x, 'a' AS y", "--output", name], more].concat();
        run_in(&dir, &all, "").ok();
        fs::read_to_string(dir.join(name)).unwrap_or_else(|_| "no text".into())
    };
    assert_eq!(write("a.csv", &[]), "x,y\n1,a\n");
    assert_eq!(write("a.JSONL", &[]), "{\"x\": 1, \"y\": \"a\"}\n");
    assert_eq!(write("a.parquet", &[]), "no text");
    assert!(write("a.txt", &[]).starts_with('╭'));
    assert_eq!(write("a.tsv", &[]), "x\ty\n1\ta\n");
    assert!(write("a.html", &[]).contains("<td>1</td>"));
    assert_eq!(write("a.table", &["--format", "csv"]), "x,y\n1,a\n");
    run_in(&dir, &["query", ":memory:", "RETURN 1", "-o", "b.table"], "")
        .fails(&["the name \"b.table\" does not say a format"]);
    assert!(!dir.join("b.table").exists());
    assert_eq!(write("b.csv", &["--format", "jsonl"]), "{\"x\": 1, \"y\": \"a\"}\n");
}

/// The engine counts lines from the start of a statement, who looks for it in a file from that of the file.
#[test]
fn a_failed_statement_is_found_in_its_file() {
    let dir = directory("blame");
    let text = "RETURN 1;\n\n// two\nRETURN 2\n  AS x;\nRETURN 'a\nb', // three\n 3 +;\nRETURN 4;\n";
    fs::write(dir.join("q.cypher"), text).unwrap();
    let place = ": SyntaxError: expected an expression";
    run_in(&dir, &["query", ":memory:", "--file", "q.cypher"], "")
        .fails(&[&format!("q.cypher:8:5{place}"), "\n 8 |  3 +"]);
    run_in(&dir, &["query", ":memory:"], text).fails(&[&format!("stdin:8:5{place}"), " line 8, column 5"]);
    run_in(&dir, &["query", ":memory:", "RETURN 1; RETURN +"], "").fails(&[&format!("TEXT:1:19{place}")]);
    let shell = |text: &str| run_in(&dir, &["shell", ":memory:"], text);
    shell(&format!(":mode csv\n{text}")).fails(&[&format!("stdin:9:5{place}"), "\n 9 |  3 +"]);
    shell(":read q.cypher\n").fails(&[&format!("q.cypher:8:5{place}")]);
    shell("RETURN 1;\n:nonsense\n").fails(&["stdin:2: error: there is no command \":nonsense\""]);
    // One that goes on fails all the same.
    let on = shell(&format!(":bail off\n:nonsense\n{text}")).fails(&["stdin:10:5", "stdin:2:"]);
    assert!(on.out.contains("│ 4 │"), "{}", on.out);
    // A file is named also where there is one statement.
    fs::write(dir.join("one.cypher"), "RETURN +").unwrap();
    run_in(&dir, &["query", ":memory:", "-f", "one.cypher"], "").fails(&["one.cypher:1:9: SyntaxError"]);
    run_in(&dir, &["-f", "one.cypher"], "").fails(&["one.cypher:1:9: SyntaxError"]);
    fs::write(dir.join("loop.cypher"), ":read loop.cypher\n").unwrap();
    run_in(&dir, &["-f", "loop.cypher"], "").fails(&["loop.cypher: files read each other more than 16 deep"]);
    // Where there is one, nothing is to be looked for.
    let alone = run_in(&dir, &["query", ":memory:", "RETURN 1 +"], "").fails(&["SyntaxError"]);
    assert!(alone.err.starts_with("SyntaxError"), "{}", alone.err);
}

const STATEMENTS: &str = "INSERT DATA { <http://a> <http://p> 1 , \"x\"@en ; <http://q> <http://b> . \
    GRAPH <http://g> { <http://a> <http://p> 2 } }";

#[test]
fn statements_are_exported_and_come_back() {
    let dir = directory("export");
    run_in(&dir, &["query", "a.tm", "--lang", "sparql", STATEMENTS], "").ok();
    let count = "SELECT (COUNT(*) AS ?n) { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }";
    for (i, name) in
        ["all.nq", "all.trig", "all.jsonld", "all.nq.gz", "all.nq.zst", "all.trig.bz2"].iter().enumerate()
    {
        run_in(&dir, &["export", "a.tm", name], "").ok().has(&["4 statements written"]);
        let db = format!("{i}.tm");
        run_in(&dir, &["load", &db, name], "").ok();
        run_in(&dir, &["query", &db, "--lang", "sparql", "--format", "tsv", count], "").ok().has(&["4"]);
    }
    let graph = run_in(&dir, &["export", "a.tm", "-", "--graph", "http://g"], "").ok();
    assert_eq!(graph.out, "<http://a> <http://p> \"2\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n");
    let query = "CONSTRUCT { ?o e:of ?s } WHERE { ?s <http://q> ?o }";
    let turtle = ["export", "a.tm", "-", "--format", "ttl", "--prefix", "e=http://e/", "--query", query];
    run_in(&dir, &turtle, "").ok().has(&["@prefix e: <http://e/>", "e:of <http://a>"]);
}

#[test]
fn statements_about_files_may_write() {
    let dir = directory("about_files");
    run_in(&dir, &["query", "a.tm", "CREATE (:A {x: 1}); MATCH (a:A) SET a:B"], "").ok();
    run_in(&dir, &["query", "a.tm", "REORGANIZE"], "").ok().has(&["moved", "1"]);
    run_in(&dir, &["query", "a.tm", "checkpoint; MATCH (b:B) RETURN b.x"], "").ok().has(&["1"]);
    fs::write(dir.join("more.csv"), "id\n7\n").unwrap();
    run_in(&dir, &["query", "a.tm", "COPY More FROM 'more.csv'"], "").ok().has(&["more.csv"]);
    run_in(&dir, &["query", "a.tm", "COPY More FROM 'more.csv'"], "").fails(&[
        "more.csv:2: a node with key 7",
        "ON_CONFLICT skip",
        "nothing was loaded\n",
    ]);
    run_in(&dir, &["query", "a.tm", "MATCH (m:More) RETURN m.id AS id"], "").ok().has(&[" 7 │"]);
}

#[test]
fn what_cannot_be_exported_leaves_the_old_file() {
    let dir = directory("export_wrong");
    run_in(&dir, &["query", "a.tm", "--lang", "sparql", STATEMENTS], "").ok();
    fs::write(dir.join("all.ttl"), "old").unwrap();
    run_in(&dir, &["export", "a.tm", "all.ttl"], "").fails(&["Turtle has no named graphs", "trig, nquads"]);
    assert_eq!(fs::read_to_string(dir.join("all.ttl")).unwrap(), "old");
    let files: Vec<_> = fs::read_dir(&dir).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(files.len(), 2, "{files:?}");
    for (arguments, words) in [
        (&["all.txt"][..], "names no format"),
        (&["x.nq", "--format", "csv"], "there is no format \"csv\""),
        (&["none/x.nq"], "could not create"),
        (&["x.nq", "--graph", "<http://g>"], "no IRI of a graph"),
        (&["x.nq", "--query", "SELECT ?s { ?s ?p ?o }"], "CONSTRUCT"),
        (&["x.nq", "--query", "CLEAR ALL"], "CONSTRUCT"),
        (&["x.nq", "--query", "CONSTRUT {}"], "did you mean CONSTRUCT?"),
    ] {
        run_in(&dir, &[&["export", "a.tm"], arguments].concat(), "").fails(&[words]);
    }
    run_in(&dir, &["query", "b.tm", "CREATE ({n: 1})-[:T {since: 2000}]->()"], "").ok();
    run_in(&dir, &["export", "b.tm", "b.nt"], "").ok();
    let all = fs::read_to_string(dir.join("b.nt")).unwrap();
    assert!(
        all.contains("<trimorph:since> \"2000\"") && all.contains("#reifies> <<( <trimorph:node/"),
        "{all}"
    );
    let notice = run_in(&dir, &["export", "b.tm", "b.nt", "--without-triple-terms"], "").ok();
    assert!(notice.err.contains("2 statements of RDF 1.2 were left out"), "{}", notice.err);
    assert_eq!(fs::read_to_string(dir.join("b.nt")).unwrap().lines().count(), 2);
}

#[test]
fn answers_of_sparql_have_the_formats_of_the_standard() {
    let dir = directory("sparql_formats");
    run_in(&dir, &["query", "a.tm", "--lang", "sparql", STATEMENTS], "").ok();
    let ask = |format: &str, text: &str| {
        run_in(&dir, &["query", "a.tm", "--lang", "sparql", "--format", format, text], "")
    };
    let select = "SELECT ?o { <http://a> <http://q> ?o }";
    ask("json", select).ok().has(&["\"bindings\"", "\"type\":\"uri\""]);
    ask("xml", select).ok().has(&["<uri>http://b</uri>"]);
    ask("tsv", select).ok().has(&["?o\n<http://b>\n"]);
    ask("csv", select).ok().has(&["o\r\nhttp://b\r\n"]);
    ask("json", "ASK {}").ok().has(&["\"boolean\":true"]);
    let construct = "CONSTRUCT { ?o <http://of> ?s } WHERE { ?s <http://q> ?o }";
    ask("turtle", construct).ok().has(&["<http://b> <http://of> <http://a> ."]);
    ask("jsonld", construct).ok().has(&["\"@id\""]);
    ask("turtle", select).fails(&["rows have no format turtle", "json, xml, csv, tsv"]);
    ask("xml", construct).fails(&["statements have no format xml"]);
    run_in(&dir, &["query", "a.tm", "--lang", "sparql", "-o", "x.nt", construct], "").ok();
    assert_eq!(fs::read_to_string(dir.join("x.nt")).unwrap(), "<http://b> <http://of> <http://a> .\n");
    run_in(&dir, &["query", "a.tm", "--format", "xml", "RETURN 1"], "").fails(&["only answers of SPARQL"]);
    run_in(&dir, &["shell", "a.tm", "--lang", "sparql"], &format!(":mode ntriples\n{construct};"))
        .ok()
        .has(&["<http://b> <http://of> <http://a> .\n"]);
}

#[test]
fn a_database_needs_no_command() {
    let dir = directory("bare");
    run_in(&dir, &["d.tm", "-c", "CREATE (:A {x: 1})", "-c", ":tables"], "")
        .ok()
        .has(&["created 1 node", "(:A)"]);
    run_in(&dir, &["d.tm", "MATCH (a:A) RETURN a.x AS x", "--format", "csv"], "").ok().has(&["x\n1\n"]);
    run_in(&dir, &["d.tm", "MATCH (a:A {x: $x}) RETURN a.x AS x", "-p", "x=1", "-o", "x.json"], "").ok();
    assert_eq!(fs::read_to_string(dir.join("x.json")).unwrap().trim(), "[{\"x\": 1}]");
    run_in(&dir, &["d.tm", "MATCH (a:A) RETURN a.x AS x", "-o", "x.parquet"], "").ok();
    assert!(fs::read(dir.join("x.parquet")).unwrap().starts_with(b"PAR1"));
    run_in(&dir, &["d.tm", "RETURN 1; RETURN 2", "-o", "y.parquet"], "").fails(&["holds one answer"]);
    run_in(&dir, &["d.tm", "-o", "y.csv"], "").fails(&["is for a text"]);
    run_in(&dir, &["d.tm", "RETURN 1", "-o", "y.what"], "").fails(&["does not say a format"]);
    run_in(&dir, &["d.tm", "RETURN 1", "-o", "y.what.gz"], "").fails(&["does not say a format"]);
    // What is suggested is not refused.
    run_in(&dir, &["d.tm", "RETURN 1", "-o", "y.csv.gz"], "").fails(&["write COPY (QUERY) TO 'y.csv.gz'"]);
    run_in(&dir, &["d.tm", "COPY (RETURN 1 AS x) TO 'y.csv.gz'"], "").ok();
    run_in(&dir, &["d.tm", "RETURN 1", "-o", "y.arrow.gz"], "").fails(&["name it y.arrow"]);
    run_in(&dir, &["d.tm", "RETURN 1", "-o", "y.arrow"], "").ok();
    run_in(&dir, &["laod", "d.tm"], "").fails(&["did you mean \"trimorph load\"?"]);
    run_in(&dir, &["lod", "d.tm", "people.csv", "knows.csv"], "").fails(&["did you mean \"trimorph load\"?"]);
    run_in(&dir, &["RETURN 1 AS x"], "").fails(&["the first argument is a database", "trimorph -c 'QUERY'"]);
    run_in(&dir, &["-o", "x.csv.gz", "-c", "RETURN 1"], "").fails(&["COPY (QUERY) TO 'x.csv.gz'"]);
    run_in(&dir, &["dd.tm", "MATCH (a:A) RETURN a"], "")
        .fails(&["dd.tm: there is no database here; did you mean \"d.tm\"?"]);
    run_in(&dir, &["query", "no/dd.tm", "RETURN 1"], "").fails(&["no/dd.tm: there is no database here\n"]);
    let csv =
        run_in(&dir, &["d.tm", "-c", "MATCH (a:A) RETURN a.x AS x; RETURN null AS y", "--format", "csv"], "")
            .ok();
    assert_eq!(csv.out, "x\n1\ny\n\n");
    run_in(&dir, &[], "RETURN 7 AS seven;").ok().has(&["│     7 │"]);
    run_in(&dir, &["d.tm"], "help\nquit\nRETURN nonsense;").ok().has(&["What there is"]);
    run_in(&dir, &["d.tm", "-c", "RETURN nmae"], "").fails(&["nmae", "^^^^"]);
    run_in(&dir, &["laod"], "").fails(&["did you mean \"trimorph load\"?"]);
    run_in(&dir, &["d.tm", "--format", "parquet"], "").fails(&["give --output FILE"]);
    assert!(!dir.join("laod").exists());
}

#[test]
fn shells_and_man_learn_our_commands() {
    let dir = directory("scripts");
    for (shell, part) in
        [("bash", "complete -F _trimorph"), ("zsh", "#compdef trimorph"), ("fish", "complete -c trimorph")]
    {
        run_in(&dir, &["completions", shell], "").ok().has(&[part, "on-conflict"]);
    }
    run_in(&dir, &["man"], "").ok().has(&[".TH trimorph 1", "memory"]);
    run_in(&dir, &["man", "--out", "man1"], "").ok();
    assert!(fs::read_to_string(dir.join("man1/trimorph-load.1")).unwrap().contains("on\\-conflict"));
}

#[test]
fn plans_have_forms() {
    let dir = directory("plans");
    let text = "PROFILE UNWIND range(1, 3) AS x RETURN x";
    memory_query(&[text]).ok().has(&["rows  estimate", "  operator\n", "makes a row of each item"]);
    memory_query(&[&text.replace("PROFILE", "EXPLAIN (CODES)")]).ok().has(&["[unwind; ~"]);
    memory_query(&[&text.replace("PROFILE", "PROFILE (JSON)")]).ok().has(&["{\"profiled\": true"]);
    memory_query(&[text, "--format", "json"]).ok().has(&["{\"profiled\": true"]);
    run_in(&dir, &["query", ":memory:", text, "-o", "plan.html"], "").ok();
    let page = fs::read_to_string(dir.join("plan.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("Unwind range(1, 3)"), "{page}");
    memory_query(&["EXPLAIN (PRETTY) RETURN 1"]).fails(&["a plan has no form \"PRETTY\"", "^^^^^^"]);
}

#[test]
fn a_directory_is_mapped_and_loaded() {
    let dir = directory("map");
    fs::create_dir(dir.join("films")).unwrap();
    fs::write(
        dir.join("films/movies.csv"),
        "id,title,year,director_id\n10,Solaris,1972,1\n11,Stalker,n/a,1\n",
    )
    .unwrap();
    let told = "\"year\" is text because of \"n/a\"; before that it looked like INTEGER";
    fs::write(dir.join("films/directors.csv"), "id,name\n1,Tarkovsky\n").unwrap();
    run_in(&dir, &["map", "films"], "").ok().has(&["\"labels\": [\"Movies\"]", "HAS_DIRECTOR"]);
    // Without a mapping the directory loads by what `map` proposes, and the report says so.
    run_in(&dir, &["load", "direct.tm", "films"], "").ok().has(&[
        "3 nodes and 2 edges",
        "(:Movies)-[:HAS_DIRECTOR]->(:Directors)",
        "films has no mapping",
        "trimorph map films --out films/mapping.json, then trimorph load DB films/mapping.json",
        told,
    ]);
    let run = run_in(&dir, &["map", "films", "--out", "films/mapping.json"], "").ok();
    assert!(run.err.contains("trimorph load DB films/mapping.json"), "{}", run.err);
    assert!(run.err.contains(&format!("movies.csv: {told}")), "{}", run.err);
    run_in(&dir, &["map", "films", "--out", "films/mapping.json"], "").fails(&["--force"]);
    let load = run_in(&dir, &["load", "films.tm", "films/mapping.json"], "").ok();
    load.has(&["3 nodes and 2 edges", "id INTEGER, title STRING, year STRING, director_id INTEGER"]);
    run_in(&dir, &["map", "nowhere"], "").fails(&["nowhere"]);
    // Without types in the mapping the value is told that made text of a column.
    let mapping = r#"{"nodes": [{"file": "movies.csv", "labels": ["M"], "key": "id"}]}"#;
    fs::write(dir.join("films/other.json"), mapping).unwrap();
    run_in(&dir, &["load", "other.tm", "films/other.json"], "").ok().has(&[told]);
}
