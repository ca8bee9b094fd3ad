//! Random write programs beside a model in memory, on a disk that fails now and then: takes a seed, and asks
//! after every few steps whether the database is what the model is.
//!
//! 1. A unit is a statement by itself, or a transaction of a few that is committed or rolled back; some of
//!    its statements fail for a reason of the language and undo themselves.
//! 2. Between units the database is merged, written to its files, closed and opened, dropped without being
//!    closed, or opened read-only.
//! 3. Now and then the disk fails within a unit or what comes between: the process is gone, one call fails,
//!    or there is no room. What was acknowledged is there afterwards; the unit at hand is there whole or not
//!    at all, and not at all where the database goes on.
//!
//! `just programs STEPS SEED` runs as many as wanted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use trimorph::{CancelToken, Config, Connection, Database, Error, Value};
use trimorph_base::Random;
use trimorph_vfs::{Fault, FaultyFileSystem, FileSystem, MemoryFileSystem};

use crate::durable::config;

const STEPS: u64 = 4_000;
const STEPS_WANTED: &str = "TRIMORPH_PROGRAM_STEPS";
const SEED_WANTED: &str = "TRIMORPH_PROGRAM_SEED";
/// Statements of a program.
const PROGRAM: u64 = 1_000;
const DIR: &str = "trimorph-of-a-program";
/// Bytes of memory, of which most programs have enough. What they write takes some 100 KB.
const MEMORY: [usize; 8] = [ENOUGH, ENOUGH, ENOUGH, ENOUGH, 64 << 10, 48 << 10, 32 << 10, 16 << 10];
const ENOUGH: usize = 256 << 20;
const LABELS: [&str; 4] = ["A", "B", "C", "D"];
const PROPERTIES: [&str; 3] = ["p", "q", "s"];
const TYPES: [&str; 2] = ["R", "S"];

type Properties = BTreeMap<&'static str, Value>;

#[derive(Clone, Default)]
struct Node {
    labels: BTreeSet<&'static str>,
    properties: Properties,
}

#[derive(Clone)]
struct Edge {
    from: i64,
    to: i64,
    ty: &'static str,
    properties: Properties,
}

/// What the database should be: nodes by `k`, relationships by `w`.
#[derive(Clone, Default)]
struct Model {
    nodes: BTreeMap<i64, Node>,
    edges: BTreeMap<i64, Edge>,
}

fn set(properties: &mut Properties, name: &'static str, value: Value) {
    match value {
        Value::Null => drop(properties.remove(name)),
        value => drop(properties.insert(name, value)),
    }
}

impl Model {
    /// All of it, as [`look_at_all`] tells it of a database.
    fn stand(&self) -> Vec<String> {
        let values =
            |of: &Properties| PROPERTIES.map(|name| told(of.get(name).unwrap_or(&Value::Null))).join(" ");
        let nodes = self.nodes.iter().map(|(k, node)| {
            let labels: String = node.labels.iter().copied().collect();
            format!("{k} {labels} {}", values(&node.properties))
        });
        let edges = self.edges.iter().map(|(w, edge)| {
            format!("{w} {} {} {} {}", edge.ty, edge.from, edge.to, values(&edge.properties))
        });
        nodes.chain(edges).collect()
    }

    fn is_free(&self, k: i64) -> bool {
        self.edges.values().all(|edge| edge.from != k && edge.to != k)
    }
}

/// A value as both sides tell it.
fn told(value: &Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::String(text) => text.to_string(),
        other => format!("{other:?}"),
    }
}

/// All of a database: nodes, then relationships, which are the same from both ends. Pieces are read when they
/// are touched, so the disk may fail at it, or there is no memory for it.
fn look_at_all(c: &Connection, what: &str) -> Result<Vec<String>, Error> {
    let rows = |text: &str| {
        let mut result = c.query(text, &[])?;
        let mut rows: Vec<(i64, String)> = Vec::new();
        while let Some(row) = result.next_row()? {
            let Value::Int(number) = row[0] else { panic!("{what}: {text}: {row:?}") };
            let shown = row.iter().enumerate().map(|(at, value)| match value {
                Value::List(labels) if at == 1 => {
                    let mut labels: Vec<String> = labels.iter().map(told).collect();
                    labels.sort();
                    labels.concat()
                }
                other => told(other),
            });
            rows.push((number, shown.collect::<Vec<_>>().join(" ")));
        }
        rows.sort();
        Ok::<_, Error>(rows.into_iter().map(|(_, row)| row).collect::<Vec<String>>())
    };
    let mut all = rows("MATCH (n:N) RETURN n.k, [l IN labels(n) WHERE l <> 'N'], n.p, n.q, n.s")?;
    let edges = rows("MATCH (a)-[r]->(b) RETURN r.w, type(r), a.k, b.k, r.p, r.q, r.s")?;
    assert_eq!(edges, rows("MATCH (b)<-[r]-(a) RETURN r.w, type(r), a.k, b.k, r.p, r.q, r.s")?, "{what}");
    all.extend(edges);
    Ok(all)
}

/// What a statement is to do to the model; none where it fails and changes nothing.
type Effect = Option<Box<dyn Fn(&mut Model)>>;

/// One statement with its parameters.
struct Statement {
    text: String,
    params: Vec<(&'static str, Value)>,
    effect: Effect,
}

/// Draws programs.
struct Program {
    random: Random,
    seed: u64,
    /// Keys are drawn from so many.
    keys: usize,
    next_edge: i64,
    steps: u64,
}

impl Program {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let keys = *random.pick(&[12, 40, 150]);
        Self { random, seed, keys, next_edge: 0, steps: 0 }
    }

    fn value(&mut self) -> Value {
        let number = self.random.between(-3, 8);
        match self.random.below(14) {
            0 => Value::Null,
            1 => Value::Bool(number > 0),
            2 => Value::Float(number as f64 / 2.0),
            3 | 4 => Value::String(format!("text {number}").into()),
            5 => Value::String("long ".repeat(40 + self.random.below(60)).into()),
            6 => Value::list(vec![Value::Int(number), Value::String("x".into())]),
            _ => Value::Int(number),
        }
    }

    fn key(&mut self) -> i64 {
        // Few are drawn often: they get many relationships.
        let end = if self.random.chance(25) { 3 } else { self.keys };
        self.random.below(end) as i64
    }

    /// A statement for a model as it stands.
    fn statement(&mut self, model: &Model) -> Statement {
        self.steps += 1;
        let (a, b, v) = (self.key(), self.key(), self.value());
        let label = *self.random.pick(&LABELS);
        let (name, ty) = (*self.random.pick(&PROPERTIES), *self.random.pick(&TYPES));
        let params = vec![("a", Value::Int(a)), ("b", Value::Int(b)), ("v", v.clone())];
        let on_node = move |text: String, change: Box<dyn Fn(&mut Node)>| {
            let effect = move |model: &mut Model| {
                if let Some(node) = model.nodes.get_mut(&a) {
                    change(node);
                }
            };
            Statement { text, params: params.clone(), effect: Some(Box::new(effect)) }
        };
        match self.random.below(20) {
            0..=2 if model.nodes.contains_key(&a) => {
                // The key is there already.
                on_node(String::new(), Box::new(|_| ())).failing("CREATE (:N {k: $a, p: $v})")
            }
            0..=2 => {
                let text = format!("CREATE (:N:{label} {{k: $a, {name}: $v}})");
                let effect = move |model: &mut Model| {
                    let mut node = Node { labels: BTreeSet::from([label]), ..Node::default() };
                    set(&mut node.properties, name, v.clone());
                    model.nodes.insert(a, node);
                };
                on_node(text, Box::new(|_| ())).doing(effect)
            }
            3..=6 => self.connect((a, b), ty, name, v),
            7 => on_node(
                format!("MATCH (n:N {{k: $a}}) SET n.{name} = $v"),
                Box::new(move |node| set(&mut node.properties, name, v.clone())),
            ),
            8 => on_node(
                "MATCH (n:N {k: $a}) SET n = {k: $a, p: $v, s: 'one'}".to_owned(),
                Box::new(move |node| {
                    node.properties.clear();
                    set(&mut node.properties, "p", v.clone());
                    set(&mut node.properties, "s", Value::String("one".into()));
                }),
            ),
            9 => on_node(
                "MATCH (n:N {k: $a}) SET n += {q: $v, s: null}".to_owned(),
                Box::new(move |node| {
                    set(&mut node.properties, "q", v.clone());
                    node.properties.remove("s");
                }),
            ),
            10 => on_node(
                format!("MATCH (n:N {{k: $a}}) SET n:{label}"),
                Box::new(move |node| _ = node.labels.insert(label)),
            ),
            11 => on_node(
                format!("MATCH (n:N {{k: $a}}) REMOVE n:{label}, n.{name}"),
                Box::new(move |node| {
                    node.labels.remove(label);
                    node.properties.remove(name);
                }),
            ),
            12 => on_node("MATCH (n:N {k: $a}) DETACH DELETE n".to_owned(), Box::new(|_| ())).doing(
                move |model| {
                    model.nodes.remove(&a);
                    model.edges.retain(|_, edge| edge.from != a && edge.to != a);
                },
            ),
            13 if model.nodes.contains_key(&a) && !model.is_free(a) => {
                on_node(String::new(), Box::new(|_| ())).failing("MATCH (n:N {k: $a}) SET n.p = 1 DELETE n")
            }
            13 => on_node("MATCH (n:N {k: $a}) DELETE n".to_owned(), Box::new(|_| ()))
                .doing(move |model| drop(model.nodes.remove(&a))),
            14 => on_node(
                "MERGE (n:N {k: $a}) ON CREATE SET n.p = $v ON MATCH SET n.q = $v".to_owned(),
                Box::new(|_| ()),
            )
            .doing(move |model| match model.nodes.get_mut(&a) {
                Some(node) => set(&mut node.properties, "q", v.clone()),
                None => {
                    let mut node = Node::default();
                    set(&mut node.properties, "p", v.clone());
                    model.nodes.insert(a, node);
                }
            }),
            15 => on_node(
                format!("MATCH (:N {{k: $a}})-[r:{ty}]->() SET r.{name} = $v"),
                Box::new(|_| ()),
            )
            .doing(move |model| {
                let own = model.edges.values_mut().filter(|edge| edge.from == a && edge.ty == ty);
                own.for_each(|edge| set(&mut edge.properties, name, v.clone()));
            }),
            16 => on_node(
                format!("MATCH (:N {{k: $a}})<-[r:{ty}]-() WHERE r.w % 3 = $b % 3 DELETE r"),
                Box::new(|_| ()),
            )
            .doing(move |model| {
                model.edges.retain(|w, edge| !(edge.to == a && edge.ty == ty && w % 3 == b % 3));
            }),
            17 => on_node(
                format!("MATCH (n:{label}) WHERE n.k % 5 = $a % 5 SET n.{name} = $v"),
                Box::new(|_| ()),
            )
            .doing(move |model| {
                let all = model.nodes.iter_mut().filter(|(k, n)| **k % 5 == a % 5 && n.labels.contains(label));
                all.for_each(|(_, node)| set(&mut node.properties, name, v.clone()));
            }),
            // What it wrote before it fails is undone, and what its first rows wrote.
            18 if model.nodes.len() > 1 => on_node(String::new(), Box::new(|_| ()))
                .failing("MATCH (n:N) WITH n ORDER BY n.k SET n.p = 1, n:D WITH n, count(*) AS c SET n.q = 1 / (n.k - n.k)"),
            _ => self.many(model),
        }
    }

    /// Relationships between two nodes, several at once now and then.
    fn connect(&mut self, (a, b): (i64, i64), ty: &'static str, name: &'static str, v: Value) -> Statement {
        let (first, count) = (self.next_edge, *self.random.pick(&[1, 1, 1, 2, 9]));
        self.next_edge += count;
        let text = format!(
            "MATCH (a:N {{k: $a}}), (b:N {{k: $b}}) UNWIND range($w, $w + {count} - 1) AS w \
             CREATE (a)-[:{ty} {{w: w, {name}: $v}}]->(b)"
        );
        let params =
            vec![("a", Value::Int(a)), ("b", Value::Int(b)), ("v", v.clone()), ("w", Value::Int(first))];
        let effect = move |model: &mut Model| {
            if model.nodes.contains_key(&a) && model.nodes.contains_key(&b) {
                for w in first..first + count {
                    let mut properties = Properties::new();
                    set(&mut properties, name, v.clone());
                    model.edges.insert(w, Edge { from: a, to: b, ty, properties });
                }
            }
        };
        Statement { text, params, effect: Some(Box::new(effect)) }
    }

    /// Nodes from a list, of which some may be there.
    fn many(&mut self, model: &Model) -> Statement {
        let from = self.key();
        let keys: Vec<i64> = (from..from + 1 + self.random.below(30) as i64).collect();
        let is_new = keys.iter().all(|k| !model.nodes.contains_key(k));
        let list = Value::list(keys.iter().map(|k| Value::Int(*k)).collect());
        let effect = move |model: &mut Model| {
            for k in &keys {
                let mut node = Node { labels: BTreeSet::from(["C"]), ..Node::default() };
                set(&mut node.properties, "q", Value::Int(k * 2));
                model.nodes.insert(*k, node);
            }
        };
        let text = "UNWIND $ks AS k CREATE (:N:C {k: k, q: k * 2})".to_owned();
        Statement { text, params: vec![("ks", list)], effect: is_new.then(|| Box::new(effect) as _) }
    }
}

impl Statement {
    /// The same, doing this.
    fn doing(self, effect: impl Fn(&mut Model) + 'static) -> Self {
        Self { effect: Some(Box::new(effect)), ..self }
    }

    /// The same parameters for a text that fails and changes nothing.
    fn failing(self, text: &str) -> Self {
        Self { text: text.to_owned(), effect: None, ..self }
    }
}

/// How a unit went.
enum Went {
    /// As the model now says.
    Well,
    /// The disk failed with this error: it is as before, or as the model says.
    Lost(Error, Box<Model>),
}

/// Whether a statement failed for a reason of the language.
fn is_refused(error: &Error) -> bool {
    matches!(error, Error::Query { .. })
}

/// Whether there was no memory for it: nothing was changed.
fn is_short(error: &Error) -> bool {
    matches!(error, Error::Memory(_) | Error::MemoryOfLog(_) | Error::Spill(_))
}

/// A database on its disk, with what it should be.
struct Run {
    program: Program,
    disk: Arc<FaultyFileSystem>,
    db: Option<Database>,
    model: Model,
    memory: usize,
    counts: Counts,
}

/// What happened in programs.
#[derive(Default)]
struct Counts {
    steps: u64,
    crashes: u64,
    /// Steps that had little memory, those of them for which it was not enough, and pieces that were dropped.
    little: u64,
    short: u64,
    dropped: u64,
}

impl Run {
    fn new(seed: u64) -> Self {
        let disk = Arc::new(FaultyFileSystem::with_files(&MemoryFileSystem::default()).unwrap());
        let mut program = Program::new(seed);
        let defined = program.random.below(3);
        let memory = *program.random.pick(&MEMORY);
        let (model, counts) = (Model::default(), Counts::default());
        let mut run = Self { program, disk, db: None, model, memory, counts };
        run.open("at the start");
        let c = run.db().connect();
        let all = [
            "CREATE CONSTRAINT FOR (n:N) REQUIRE n.k IS UNIQUE",
            "CREATE INDEX FOR (n:A) ON (n.p)",
            "CREATE INDEX FOR (n:N) ON (n.q, n.p)",
            "CREATE INDEX FOR ()-[r:R]-() ON (r.p)",
        ];
        let some = [&all[..1], &all[..2], &all[..]][defined];
        some.iter().for_each(|text| drop(c.query(text, &[]).unwrap_or_else(|e| panic!("{text}\n{e}"))));
        run
    }

    fn options(&mut self, read_only: bool) -> Config {
        let checkpoint_on_close = self.program.random.chance(30);
        config()
            .read_only(read_only)
            .threads(1)
            .memory_limit_bytes(self.memory)
            .temp_directory(std::env::temp_dir())
            .log_segment_bytes(8 << 10)
            .checkpoint_on_close(checkpoint_on_close)
    }

    fn open_on(&mut self, read_only: bool) -> Result<Database, Error> {
        let disk: Arc<dyn FileSystem> = Arc::clone(&self.disk) as _;
        let options = self.options(read_only);
        Database::open_on(disk, Path::new(DIR), options)
    }

    /// Opens it, with more memory than it has if it needs that.
    fn open(&mut self, what: &str) {
        let mut opened = self.open_on(false);
        if opened.as_ref().is_err_and(is_short) && self.memory < ENOUGH {
            opened = self.open_with_enough();
            self.counts.short += 1;
        }
        self.db = Some(opened.unwrap_or_else(|e| panic!("{}: {what}: {e}", self.place())));
    }

    fn open_with_enough(&mut self) -> Result<Database, Error> {
        let little = std::mem::replace(&mut self.memory, ENOUGH);
        let opened = self.open_on(false);
        self.memory = little;
        opened
    }

    /// Closes it, or lets it go.
    fn leave(&mut self) {
        if let Some(db) = self.db.take() {
            self.counts.dropped += db.stats().pieces_dropped;
        }
    }

    fn db(&self) -> &Database {
        self.db.as_ref().unwrap()
    }

    fn place(&self) -> String {
        format!("seed {}, step {}", self.program.seed, self.program.steps)
    }

    /// All that is there, read with enough memory if it has too little.
    fn there(&mut self, what: &str) -> Vec<String> {
        // By itself: nobody has a connection when it is closed.
        let there = look_at_all(&self.db().connect(), what);
        match there {
            Ok(there) => there,
            Err(error) if is_short(&error) && self.memory < ENOUGH => {
                self.leave();
                let there = self.open_with_enough().and_then(|db| look_at_all(&db.connect(), what));
                self.counts.short += 1;
                self.open(what);
                there.unwrap_or_else(|e| panic!("{what}: {e}"))
            }
            Err(error) => panic!("{what}: {error}"),
        }
    }

    fn check(&mut self, what: &str) {
        let what = format!("{}, {what}", self.place());
        assert_eq!(self.there(&what), self.model.stand(), "{what}");
    }

    /// Looks at some nodes by what they have.
    fn look(&mut self) {
        let (k, v) = (self.program.key(), self.program.value());
        let c = self.db().connect();
        let what = self.place();
        let params = [("k", Value::Int(k)), ("v", v.clone())];
        let is_little = self.memory < ENOUGH;
        let is_counted = |text: &str, expected: usize| match &c.query(text, &params).and_then(|r| r.rows()) {
            Ok(rows) => assert_eq!(told(&rows[0][0]), expected.to_string(), "{what}: {text} {params:?}"),
            Err(error) => assert!(is_little && is_short(error), "{what}: {text}\n{error}"),
        };
        let same =
            |of: &Properties| of.get("p").is_some_and(|own| trimorph_types::equals(own, &v) == Some(true));
        let of_a =
            self.model.nodes.values().filter(|n| n.labels.contains("A") && same(&n.properties)).count();
        is_counted("MATCH (n:A) WHERE n.p = $v RETURN count(n)", of_a);
        let of_r = self.model.edges.values().filter(|r| r.ty == "R" && same(&r.properties)).count();
        is_counted("MATCH ()-[r:R]->() WHERE r.p = $v RETURN count(r)", of_r);
        let beside = self.model.edges.values().filter(|r| r.from == k).count();
        is_counted("MATCH (:N {k: $k})-[r]->(m) RETURN count(m)", beside);
    }

    /// One unit.
    fn unit(&mut self) -> Went {
        let c = self.db().connect();
        let in_transaction = self.program.random.chance(40);
        let is_undone = in_transaction && self.program.random.chance(25);
        let mut next = self.model.clone();
        if in_transaction {
            c.begin().unwrap();
        }
        for _ in 0..if in_transaction { 1 + self.program.random.below(6) } else { 1 } {
            let Statement { text, params, effect } = self.program.statement(&next);
            let done = c.query(&text, &params);
            if self.memory < ENOUGH && done.as_ref().is_err_and(is_short) {
                self.counts.short += 1;
                continue;
            }
            let is_lost = match (&done, &effect) {
                (Ok(_), Some(_)) => false,
                (Err(error), None) if is_refused(error) => false,
                (Err(error), _) if !is_refused(error) => true,
                (done, _) => panic!("{}: {text} {params:?}: {:?}", self.place(), done.as_ref().err()),
            };
            if let Some(effect) = effect {
                effect(&mut next);
            }
            if is_lost && let Err(error) = done {
                return Went::Lost(error, Box::new(next));
            }
        }
        if is_undone {
            c.rollback().unwrap();
            return Went::Well;
        }
        match if in_transaction { c.commit() } else { Ok(()) } {
            Ok(()) => self.model = next,
            Err(error) if self.memory < ENOUGH && is_short(&error) => self.counts.short += 1,
            Err(error) => return Went::Lost(error, Box::new(next)),
        }
        Went::Well
    }

    /// What comes between units.
    ///
    /// **Errors**: the disk's. Where there was no memory to open it, it is opened with more.
    fn between(&mut self) -> Result<(), Error> {
        let cancel = CancelToken::default();
        let done = match self.program.random.below(10) {
            0..=3 => self.db().merge(&cancel).map(drop),
            4 | 5 => self.db().checkpoint(&cancel).map(drop),
            6 => self.open_on(true).and_then(|reader| {
                let what = format!("{}, read-only", self.place());
                let there = look_at_all(&reader.connect(), &what)?;
                assert_eq!(there, self.model.stand(), "{what}");
                Ok(())
            }),
            _ => {
                self.leave();
                self.open_on(false).map(|db| self.db = Some(db))
            }
        };
        match done {
            Err(error) if self.memory < ENOUGH && is_short(&error) => {
                self.counts.short += 1;
                match self.db {
                    Some(_) => Ok(()),
                    None => self.open_with_enough().map(|db| self.db = Some(db)),
                }
            }
            done => done,
        }
    }

    /// The disk failed: what is there now is the model, or `next`.
    fn recover(&mut self, fault: Fault, next: Option<Model>) {
        self.disk.fail_at(u64::MAX, Fault::Error);
        // Without room nothing was lost, and it goes on as it was.
        if fault == Fault::Full && self.db.is_some() {
            self.check("after a full disk");
            return;
        }
        self.leave();
        if fault == Fault::Crash || self.program.random.chance(50) {
            let seed = self.program.random.bits();
            let left = self.disk.after_crash(seed).unwrap();
            self.disk = Arc::new(FaultyFileSystem::with_files(&left).unwrap());
        }
        self.counts.crashes += 1;
        self.open("after the disk failed");
        let what = format!("{}, after {fault:?}", self.place());
        let there = self.there(&what);
        match next {
            Some(next) if there == next.stand() => self.model = next,
            _ => assert_eq!(there, self.model.stand(), "{what}"),
        }
    }

    fn go(&mut self, steps: u64) {
        let mut checked = 0;
        while self.program.steps < steps {
            let fault = self.program.random.chance(3).then(|| {
                // Counted from now on.
                let call = self.program.random.below(12) as u64;
                let fault = *self.program.random.pick(&[Fault::Crash, Fault::Error, Fault::Full]);
                self.disk.fail_at(call, fault);
                fault
            });
            let mut lost = None;
            for _ in 0..1 + self.program.random.below(6) {
                match self.unit() {
                    Went::Well => {}
                    Went::Lost(error, next) => {
                        lost = Some((error, Some(*next)));
                        break;
                    }
                }
            }
            if lost.is_none()
                && self.program.random.chance(12)
                && let Err(error) = self.between()
            {
                lost = Some((error, None));
            }
            match (lost, fault) {
                (Some((_, next)), Some(fault)) => self.recover(fault, next),
                (Some((error, _)), None) => panic!("{}: a disk that is whole failed: {error}", self.place()),
                // It has not failed, or nobody was told: what is there is as it should be.
                (None, Some(Fault::Crash | Fault::Error)) => self.recover(Fault::Crash, None),
                (None, Some(Fault::Full)) => self.recover(Fault::Full, None),
                (None, None) => {}
            }
            if self.program.random.chance(30) {
                self.look();
            }
            if self.program.steps >= checked {
                self.check("as it goes");
                checked = self.program.steps + 25;
            }
        }
        self.check("at the end");
        self.leave();
        self.memory = ENOUGH;
        self.open("at the end");
        self.check("at the end, opened");
        self.counts.steps = self.program.steps;
    }
}

#[test]
fn random_writers_do_what_a_model_does() {
    let wanted = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let steps = wanted(STEPS_WANTED).unwrap_or(STEPS);
    let first = wanted(SEED_WANTED).unwrap_or(1);
    let mut all = Counts::default();
    for seed in first.. {
        if all.steps >= steps {
            break;
        }
        println!("seed {seed}");
        let mut run = Run::new(seed);
        let has_little = run.memory < ENOUGH;
        run.go(PROGRAM);
        let Counts { steps, crashes, short, dropped, .. } = run.counts;
        all.steps += steps;
        all.crashes += crashes;
        all.little += if has_little { steps } else { 0 };
        all.short += short;
        all.dropped += dropped;
    }
    let Counts { steps, crashes, little, short, dropped } = all;
    println!(
        "{steps} steps, {crashes} times the disk failed; {little} steps with little memory, {short} times too \
         little, {dropped} pieces dropped"
    );
}
