//! The shell on a pseudo-terminal, as a person has it: keys in, a screen out.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use std::cell::Cell;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use rustix::termios::{LocalModes, tcgetattr};

/// How long anything may take, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

const PROMPT: &str = "trimorph>";

/// What an editor asks of a terminal: where is the cursor?
const WHERE: &[u8] = b"\x1b[6n";

/// A shell and its screen.
struct Shell {
    pty: Arc<Pty>,
    screen: Arc<Mutex<vt100::Parser>>,
    child: Child,
}

/// Feeds what the program writes to the screen, and answers its questions.
fn read_all(pty: &Pty, screen: &Mutex<vt100::Parser>) {
    let (mut pending, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(count) = (&mut &*pty).read(&mut buffer) {
        if count == 0 {
            return;
        }
        pending.extend_from_slice(&buffer[..count]);
        while let Some(at) = pending.windows(WHERE.len()).position(|window| window == WHERE) {
            let mut screen = screen.lock().unwrap();
            screen.process(&pending[..at]);
            let (row, column) = screen.screen().cursor_position();
            let _ = write!(&mut &*pty, "\x1b[{};{}R", row + 1, column + 1);
            pending.drain(..at + WHERE.len());
        }
        // The begin of a question may be at the end.
        let keep = (1..WHERE.len()).rev().find(|n| pending.ends_with(&WHERE[..*n])).unwrap_or(0);
        let whole = pending.len() - keep;
        screen.lock().unwrap().process(&pending[..whole]);
        pending.drain(..whole);
    }
}

impl Shell {
    fn start(dir: &Path, arguments: &[&str], (rows, columns): (u16, u16), env: &[(&str, &str)]) -> Self {
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(rows, columns)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_trimorph"))
            .args(arguments)
            .current_dir(dir)
            .env("TERM", "xterm-256color")
            .env("HOME", dir)
            .env("TRIMORPH_HISTORY", dir.join("history"))
            .env("TRIMORPH_PAGER", "sed s/^/paged:/")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("TRIMORPH_RC")
            .env_remove("NO_COLOR");
        for (name, value) in env {
            command = command.env(name, value);
        }
        let child = command.spawn(pts).unwrap();
        let pty = Arc::new(pty);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(rows, columns, 0)));
        let (of_thread, on_screen) = (Arc::clone(&pty), Arc::clone(&screen));
        thread::spawn(move || read_all(&of_thread, &on_screen));
        let shell = Self { pty, screen, child };
        shell.sees(&[PROMPT]);
        shell
    }

    fn in_memory(dir: &Path) -> Self {
        Self::start(dir, &[":memory:"], (40, 100), &[])
    }

    fn text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Types, once the shell reads keys: before, while a statement runs, the terminal makes lines of them.
    #[track_caller]
    fn keys(&self, keys: &str) -> &Self {
        self.until("reading of keys", |_| {
            !tcgetattr(&*self.pty).unwrap().local_modes.contains(LocalModes::ICANON)
        });
        self.press(keys)
    }

    /// Types, whoever reads it.
    fn press(&self, keys: &str) -> &Self {
        (&mut &*self.pty).write_all(keys.as_bytes()).unwrap();
        self
    }

    /// What the shell has taken of the machine's cores so far, where the system tells.
    fn taken(&self) -> Option<Duration> {
        let text = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // In hundredths of a second, of the program and of the system for it.
        let (_, after_name) = text.rsplit_once(')')?;
        let numbers = after_name.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
        Some(Duration::from_millis(10 * numbers.sum::<Result<u64, _>>().ok()?))
    }

    #[track_caller]
    fn until(&self, what: &str, is: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let text = self.text();
            if is(&text) {
                return text;
            }
            assert!(start.elapsed() < PATIENCE, "no {what} in\n{text}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    #[track_caller]
    fn sees(&self, texts: &[&str]) -> &Self {
        for text in texts {
            self.until(&format!("{text:?}"), |screen| screen.contains(text));
        }
        self
    }

    /// Clears the screen and waits for the prompt, step by step: an empty line looks like a clear screen.
    #[track_caller]
    fn clear(&self) -> &Self {
        self.keys("\x15");
        self.until("empty line", |screen| screen.trim_end().ends_with(PROMPT));
        self.keys(":clear");
        self.until("command", |screen| screen.contains(&format!("{PROMPT} :clear")));
        self.keys("\r");
        self.until("clear screen", |screen| screen.trim() == PROMPT);
        self
    }

    /// Types a line on a clear screen, sees the texts and the prompt again, and gives the screen.
    #[track_caller]
    fn ask(&self, line: &str, texts: &[&str]) -> String {
        self.clear().keys(line).keys("\r");
        self.sees(texts);
        let is_back = |screen: &str| screen.trim_end().ends_with(PROMPT) && screen.trim() != PROMPT;
        self.until("prompt", is_back)
    }

    fn leave(mut self, keys: &str) {
        self.keys(keys);
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(status.success(), "{status}");
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{}", self.text());
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn directory(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pty").join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

#[test]
fn words_are_completed_by_what_is_there_now() {
    let dir = directory("completion");
    fs::write(dir.join("people.cypher"), "CREATE (:Person);\n").unwrap();
    let shell = Shell::in_memory(&dir);
    shell.ask("CREATE (:Painter {firstName: 'Ann', born: 1990})-[:ADMIRES]->(:Poet);", &["created 2 nodes"]);
    // Labels, types and properties that came after the start.
    shell.clear().keys("MATCH (somebody:Pai\t").sees(&["(somebody:Painter"]);
    shell.keys(")-[:AD\t").sees(&["[:ADMIRES"]);
    shell.keys("]->() RETURN some\t").sees(&["RETURN somebody"]);
    shell.keys(".fir\t").sees(&["somebody.firstName"]);
    shell.keys(";\r").sees(&["│ Ann"]);
    // Functions, with their signature behind the bracket.
    shell.clear().keys("RETURN toUpp\t").sees(&["toUpper("]);
    shell.clear().keys("RETURN round(").sees(&["x[, digits[, mode]])"]);
    // Commands, settings, values, files, parameters.
    shell.clear().keys(":colu\t").sees(&[":columntypes"]);
    shell.clear().keys(":set pag\t").sees(&[":set pager"]);
    shell.clear().keys(":mode mark\t").sees(&[":mode markdown"]);
    shell.clear().keys(":read peo\t").sees(&["people.cypher"]);
    shell.ask(":param threshold=7", &[PROMPT]);
    shell.clear().keys("RETURN $thr\t;\r").sees(&[" 7 │"]);
    // Several answers are a menu that says what they are.
    shell.clear().keys("RETURN percentile\t").sees(&["percentileCont(", "percentileDisc("]);
    shell.keys("\x1b");
    shell.until("menu gone", |screen| !screen.contains("percentileDisc("));
    shell.clear();
    shell.leave("\x04");
}

#[test]
fn the_history_is_kept_and_searched() {
    let dir = directory("history");
    let shell = Shell::in_memory(&dir);
    shell.ask("RETURN 'one' AS first;", &["│ one"]);
    shell.ask("RETURN 'two' AS second;", &["│ two"]);
    shell.leave("\x04");
    let shell = Shell::in_memory(&dir);
    shell.ask(":history", &["RETURN 'one' AS first;", "RETURN 'two' AS second;", ":history"]);
    // Up to the statement before the commands, and Ctrl-R.
    shell.clear().keys("\x12").keys("first").sees(&["RETURN 'one' AS first;"]).keys("\r\r");
    shell.sees(&["│ one"]);
    shell.leave("\x04");
    let kept = fs::read_to_string(dir.join("history")).unwrap();
    assert!(kept.contains("RETURN 'two' AS second;"), "{kept}");
}

#[test]
fn statements_have_several_lines_and_end_with_an_empty_one() {
    let shell = Shell::in_memory(&directory("lines"));
    shell.clear().keys("UNWIND [1, 2] AS x\r").sees(&["…"]);
    shell.keys("RETURN x\r").keys("\r").sees(&["(2 rows, 1 column)"]);
    shell.ask("RETURN nmae;", &["variable \"nmae\" is not defined", "^^^^"]);
    shell.leave("exit\r");
}

#[test]
fn wide_and_long_tables_show_their_ends() {
    let shell = Shell::in_memory(&directory("wide"));
    let columns: Vec<String> = (1..=30).map(|i| format!("{i}00000 AS column{i}")).collect();
    let screen =
        shell.ask(&format!("RETURN {};", columns.join(", ")), &["more columns (:mode line shows all)"]);
    for part in ["column1 ", "column30", "INTEGER", " … ", "(1 row, 30 columns)"] {
        assert!(screen.contains(part), "no {part} in\n{screen}");
    }
    assert!(!screen.contains("column15 │"), "{screen}");
    assert!(screen.lines().filter(|l| l.starts_with('│')).all(|l| l.ends_with('│')), "{screen}");
    let screen = shell.ask(
        "UNWIND range(1, 1000) AS x RETURN x, 'long ' + x AS text;",
        &[
            "│       1 │ long 1 ",
            "│    1000 │",
            "more rows between them (:rows 0 shows all)",
            "(1,000 rows, 2 columns)",
        ],
    );
    assert!(screen.contains("INTEGER │ STRING") && !screen.contains(" 500 │"), "{screen}");
    shell.ask(":rows 4", &[PROMPT]);
    let screen = shell.ask("UNWIND range(1, 9) AS x RETURN x;", &["(9 rows, 1 column)"]);
    assert!(screen.contains("… 5 more rows between them"), "{screen}");
    let screen = shell.ask("RETURN '日本語' AS wide, 'x' AS narrow;", &["(1 row, 2 columns)"]);
    assert!(screen.contains("│ 日本語 │ x      │"), "{screen}");
    shell.leave("quit\r");
}

#[test]
fn what_is_taller_than_the_screen_goes_through_the_pager() {
    let shell = Shell::in_memory(&directory("pager"));
    let screen = shell.ask("UNWIND range(1, 5) AS x RETURN x;", &["(5 rows, 1 column)"]);
    assert!(!screen.contains("paged:"), "{screen}");
    shell.ask(":rows 0", &[PROMPT]);
    shell.ask("UNWIND range(1, 200) AS x RETURN x;", &["paged:│     200 │", "paged:(200 rows"]);
    shell.ask(":mode csv", &[PROMPT]);
    shell.ask("UNWIND range(1, 200) AS x RETURN x;", &["paged:200"]);
    // Who leaves it early is back at once, also from a query without an end.
    shell.ask(":pager head -n 3", &[PROMPT]);
    let screen = shell.ask("UNWIND range(1, 100000000000) AS x RETURN x;", &["1", "2"]);
    assert!(!screen.contains("\n5\n"), "{screen}");
    shell.ask(":pager off", &[PROMPT]);
    let screen = shell.ask("UNWIND range(1, 60) AS x RETURN x;", &["60"]);
    assert!(!screen.contains("paged:"), "{screen}");
    // One that cannot be started is none.
    shell.ask(":pager no-such-program-here", &[PROMPT]);
    shell.ask("RETURN 1 AS x;", &["1"]);
    shell.leave("\x04");
}

#[test]
fn ctrl_c_stops_a_query_and_not_the_shell() {
    let shell = Shell::in_memory(&directory("interrupt"));
    let endless =
        "UNWIND range(1, 10000000) AS x UNWIND range(1, 1000000) AS y RETURN sum((x + y) % 7) AS s;";
    shell.clear().keys(endless).sees(&["AS s;"]);
    let (before, start) = (shell.taken(), Instant::now());
    shell.keys("\r");
    // A Ctrl-C that comes before the query does nothing: it has to be at work.
    shell.until("query at work", |_| match (shell.taken(), before) {
        (Some(now), Some(before)) => now > before + Duration::from_millis(500),
        _ => start.elapsed() > Duration::from_secs(2),
    });
    shell.press("\x03").sees(&["the query was cancelled", PROMPT]);
    // Of a line that is being typed it takes the line.
    shell.clear().keys("RETURN 1 AS nev").sees(&["nev"]).keys("\x03");
    shell.until("second prompt", |screen| screen.matches(PROMPT).count() == 2);
    shell.ask("RETURN 2 AS still;", &["still", "│ "]);
    // Of a program that was started it ends that.
    shell.clear().keys(":! echo sle''eping; sleep 1000\r").sees(&["sleeping"]);
    // One that comes just when the system's shell starts the program may be lost between the two.
    let pressed = Cell::new(None::<Instant>);
    shell.until("end of the program", |screen| {
        let is_over = screen.contains("the command ended with signal: 2");
        if !is_over && pressed.get().is_none_or(|last| last.elapsed() > Duration::from_secs(2)) {
            shell.press("\x03");
            pressed.set(Some(Instant::now()));
        }
        is_over
    });
    shell.leave("\x04");
}

#[test]
fn every_mode_shows_an_answer() {
    let shell = Shell::in_memory(&directory("modes"));
    for (mode, part) in [
        ("table", "│ a<b    │       7 │ null │"),
        ("box", "│ a<b    │       7 │ null │"),
        ("ascii", "| a<b    |       7 | null |"),
        ("column", "a<b           7  null"),
        ("csv", "a<b,7,"),
        ("tsv", "a<b     7"),
        ("json", "[{\"s\": \"a<b\", \"n\": 7, \"none\": null}]"),
        ("jsonl", "{\"s\": \"a<b\", \"n\": 7, \"none\": null}"),
        ("line", "   n = 7"),
        ("list", "a<b|7|"),
        ("markdown", "| a<b | 7 | null |"),
        ("html", "<tr><td>a&lt;b</td><td>7</td><td>null</td></tr>"),
        ("latex", "a\\textless{}b & 7 & null \\\\"),
        ("quote", "'a<b', 7, null"),
        ("trash", "(1 row, 3 columns)"),
    ] {
        shell.ask(&format!(":mode {mode}"), &[PROMPT]);
        shell.ask("RETURN 'a<b' AS s, 7 AS n, null AS none;", &[part]);
    }
    shell.ask(":mode nonsense", &["unknown mode \"nonsense\"; one of table, ascii"]);
    shell.ask(":mode parquet", &["not for a screen"]);
    shell.leave("\x04");
}

#[test]
fn every_command_answers() {
    let dir = directory("commands");
    fs::create_dir(dir.join("files")).unwrap();
    fs::write(dir.join("files/nodes.csv"), "id:ID,name,:LABEL\n1,Ann,Person\n2,Bob,Person\n").unwrap();
    fs::write(dir.join("files/edges.csv"), ":START_ID,:END_ID,:TYPE\n1,2,KNOWS\n").unwrap();
    fs::write(dir.join("files/q.cypher"), ":param k=3\nRETURN $k * 2 AS six;\n").unwrap();
    fs::write(dir.join("files/bad.cypher"), "RETURN 1;\n\nRETURN nmae;\n").unwrap();
    let shell = Shell::start(&dir, &["social.tm"], (55, 110), &[("EDITOR", "sed -i s/1/42/")]);
    shell.ask(":tables", &["the database is empty"]);
    shell.ask(":load files/nodes.csv files/edges.csv", &["2 nodes", "1 edge"]);
    shell.ask(":tables", &["(:Person)", "2 nodes", "(:Person)-[:KNOWS]->(:Person)", "1 relationship"]);
    shell.ask("CREATE (:City {name: 'Ulm'});", &["created 1 node"]);
    shell.ask(":tables", &["(:City)", "1 node"]);
    shell.ask(":labels", &[":City", "1 node", ":Person", "2 nodes"]);
    shell.ask(":types", &[":KNOWS", "1 relationship"]);
    shell.ask(":schema", &["(:Person)-[:KNOWS]->(:Person)", "name STRING"]);
    shell.ask("CREATE INDEX FOR (p:Person) ON (p.name);", &["made 1 index"]);
    shell.ask(":indexes", &["Person", "name"]);
    shell.ask("CREATE CONSTRAINT FOR (c:City) REQUIRE c.name IS UNIQUE;", &["made 1 constraint"]);
    shell.ask(":constraints", &["City", "name"]);
    shell.ask(":stats", &["total"]);
    shell.ask(":preload", &[PROMPT]);
    shell.ask(":preload Nobody", &["Nobody"]);
    shell.ask(":explain MATCH (p:Person) RETURN p", &["Person"]);
    shell.ask("MATCH (p:Person) RETURN count(*) AS n;", &["│ "]);
    shell.ask(":profile", &["Person"]);
    shell.ask(":param day=date('2012-01-01')", &[PROMPT]);
    shell.ask(":param word='7'", &[PROMPT]);
    shell.ask(":param sum => 3 + 4", &[PROMPT]);
    shell.ask(":params", &["$day = date('2012-01-01')  DATE", "$sum = 7", "$word = '7'"]);
    shell.ask(":param x => 1 +", &["SyntaxError"]);
    shell.ask(":params clear", &[PROMPT]);
    shell.ask(":read files/q.cypher", &[" 6 │"]);
    shell.ask(":read files/bad.cypher", &["files/bad.cypher:3:8: SyntaxError", " 3 | RETURN nmae"]);
    shell.ask(":read nowhere.cypher", &["nowhere.cypher: No such file"]);
    shell.ask("RETURN 1 AS x;", &["│ "]);
    shell.ask(":export out.csv", &["in out.csv"]);
    shell.ask(":export out.xyz", &["does not say a format"]);
    shell.ask(":once once.json", &[PROMPT]);
    shell.ask("RETURN 2 AS y;", &["RETURN 2"]);
    shell.ask("RETURN 3 AS z;", &["│ "]);
    shell.ask(":output all.txt", &[PROMPT]);
    shell.ask("RETURN 4 AS w;", &["RETURN 4"]);
    shell.ask(":output all.jsonl", &[PROMPT]);
    shell.ask("UNWIND [5, 6] AS v RETURN v;", &["RETURN v"]);
    shell.ask("RETURN 7 AS v;", &["RETURN 7"]);
    shell.ask(":output", &[PROMPT]);
    assert_eq!(fs::read_to_string(dir.join("all.jsonl")).unwrap(), "{\"v\": 5}\n{\"v\": 6}\n{\"v\": 7}\n");
    assert_eq!(fs::read_to_string(dir.join("out.csv")).unwrap(), "x\n1\n");
    assert_eq!(fs::read_to_string(dir.join("once.json")).unwrap(), "[{\"y\": 2}]\n");
    assert!(fs::read_to_string(dir.join("all.txt")).unwrap().contains("│ 4 │"));
    shell.ask(":edit RETURN 1 AS answer", &[" 42 │"]);
    shell.ask(":history 4", &[":edit RETURN 1", ":history 4"]);
    shell.ask(":! echo sys$((1 + 1))tem", &["sys2tem"]);
    shell.ask(":!false", &["exit status: 1"]);
    shell.ask(":cd files", &["/files"]);
    shell.ask(":cd nowhere", &["nowhere: No such file"]);
    shell.ask(":open other.tm", &["other.tm (empty)"]);
    shell.ask("CREATE (:Thing);", &["created 1 node"]);
    shell.ask(":open ../social.tm --read-only", &["3 nodes, 1 relationship"]);
    shell.ask(":open other.tm", &["1 node"]);
    shell.ask("BEGIN;", &["done"]);
    shell.ask(":open :memory:", &["a transaction is open"]);
    shell.ask("ROLLBACK;", &["done"]);
    shell.ask(":set", &["mode", "table", "pager", "prompt"]);
    shell.ask(":set timer off", &[PROMPT]);
    shell.ask(":timer", &["off"]);
    shell.ask(":set tmier on", &["did you mean \"timer\"?"]);
    for setting in ["rows 7", "width 50", "columntypes off", "null -", "lang cypher", "echo on", "bail off"] {
        shell.ask(&format!(":{setting}"), &[PROMPT]);
    }
    shell.ask("RETURN null AS nothing;", &["│ -       │"]);
    shell.ask(":lang klingon", &["unknown language"]);
    shell.ask(":version", &["Trimorph 0."]);
    // The list is taller than the screen.
    shell.ask(":help", &["Settings", "SPARQL, each with its syntax", "Tab completes"]);
    shell.ask("help", &["Settings", "Tab completes"]);
    shell.ask(":help round", &["round(x[, digits[, mode]])"]);
    shell.ask(":help :load", &[":load PATH"]);
    shell.ask(":help mode", &["latex"]);
    shell.ask(":help pow", &["pow is not there: write x ^ y"]);
    shell.ask(":help apoc.periodic.iterate", &["is not there: leave it out"]);
    shell.ask(":help nothing", &["there is no command, setting, clause or function \"nothing\""]);
    shell.ask(".tabels", &["there is no command \":tabels\"; did you mean :tables?"]);
    shell.keys(":prompt 'tm> '\r").until("new prompt", |screen| screen.trim_end().ends_with("tm>"));
    shell.leave(":quit\r");
    assert!(dir.join("files/other.tm/MANIFEST").exists());
}

#[test]
fn copy_saves_and_loads() {
    let dir = directory("copy");
    let shell = Shell::start(&dir, &["social.tm"], (40, 100), &[]);
    shell.ask("CREATE (:City {id: 1, name: 'Ulm'});", &["created 1 node"]);
    shell.ask("COPY City TO 'city.csv';", &["city.csv", "│       1 │"]);
    assert_eq!(fs::read_to_string(dir.join("city.csv")).unwrap(), "id,name\n1,Ulm\n");
    shell.ask("COPY City FROM 'city.csv';", &["city.csv:2", "key"]);
    shell.ask("COPY City FROM 'city.csv' (ON_CONFLICT skip);", &["│       0 │"]);
    shell.ask("COPY Town FROM 'city.csv';", &["│       1 │"]);
    shell.ask("MATCH (t:Town) RETURN t.name;", &["Ulm"]);
    fs::write(dir.join("near.csv"), "a;b;km\n1;1;many\n").unwrap();
    shell.ask("COPY NEAR FROM 'near.csv' (FROM Town, TO City);", &["│             1 │"]);
    shell.ask(":types", &[":NEAR", "1 relationship"]);
    shell.ask("COPY Twon TO 'x.csv';", &["did you mean \"Town\"?"]);
    shell.ask("COPY Town FROM 'cty.csv';", &["cty.csv", "No such file"]);
    shell.ask("COPY (MATCH (n) RETRUN n) TO 'x.csv';", &["SyntaxError", "^"]);
    shell.leave("\x04");
}

#[test]
fn a_file_of_settings_is_read_first() {
    let dir = directory("rc");
    fs::create_dir_all(dir.join(".config/trimorph")).unwrap();
    fs::write(dir.join(".config/trimorph/rc"), "// mine\n:mode line\n:timer off\n").unwrap();
    let shell = Shell::in_memory(&dir);
    shell.ask("RETURN 1 AS abc;", &["abc = 1"]);
    shell.leave("\x04");
    let shell = Shell::start(&dir, &[":memory:", "--no-init"], (24, 80), &[]);
    shell.ask("RETURN 1 AS abc;", &["│     abc │"]);
    shell.leave("\x04");
    // A mistake in it is told, and the shell starts.
    fs::write(dir.join("mine"), ":mdoe line\n").unwrap();
    let mine = dir.join("mine");
    let shell = Shell::start(&dir, &[], (24, 200), &[("TRIMORPH_RC", mine.to_str().unwrap())]);
    shell.sees(&["mine:1: ", "there is no command \":mdoe\"; did you mean :mode?", "in memory"]);
    shell.leave("\x04");
}

#[test]
fn a_directory_is_not_made_for_nothing() {
    let dir = directory("nothing");
    Shell::start(&dir, &["new.tm"], (24, 80), &[]).leave("\x04");
    assert!(!dir.join("new.tm").exists());
}
