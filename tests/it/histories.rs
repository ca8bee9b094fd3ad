//! Random concurrent histories against a serial oracle: a few transactions of several connections, whose
//! statements come in any order, on a graph of a few nodes. What each statement answered, and what is left in
//! the end, is compared with a model that is written to be obviously right.
//!
//! * Snapshot: a transaction answers what the state at its begin answers, with its own writes; in the end
//!   there are the writes of those that committed, in the order of their commits.
//! * Serializable: the same, and there is an order in which those that committed, run one after the other,
//!   answer what they answered and leave what is left. Who had committed before another began comes first.
//! * Read committed: each statement answers what the state at its begin answers.
//!
//! Transactions that ended in a conflict leave nothing, and what they answered before holds as well. The same
//! on threads, where only an order can be asked for.

use std::collections::BTreeMap;
use std::sync::Barrier;
use std::time::Instant;

use trimorph::{CancelToken, Config, Connection, Database, Error, Isolation, TransactionOptions};
use trimorph_base::Random;

/// Histories of each level, unless the environment says how many.
const HISTORIES: u64 = 120;
const HISTORIES_WANTED: &str = "TRIMORPH_HISTORIES";
/// The first seed, unless the environment says which.
const SEED: &str = "TRIMORPH_HISTORIES_SEED";
/// Keys of nodes.
const KEYS: usize = 4;
/// After so many a new database is begun.
const OF_A_DATABASE: u64 = 25;

fn wanted(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// A statement; `i` and `j` are keys, `v` a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Op {
    Read(usize),
    Sum,
    Above(i64),
    Labelled,
    Degree(usize),
    Set(usize, i64),
    Add(usize, i64),
    Copy(usize, usize),
    Double(usize),
    Merge(usize, i64),
    Create(usize, i64),
    Delete(usize),
    Connect(usize, usize, i64),
    Cut(usize),
    Label(usize),
    Unlabel(usize),
}

impl Op {
    fn random(random: &mut Random) -> Self {
        let (i, j) = (random.below(KEYS), random.below(KEYS));
        let v = random.between(1, 9);
        match random.below(20) {
            0..2 => Self::Read(i),
            2 => Self::Sum,
            3 => Self::Above(v),
            4 => Self::Labelled,
            5 => Self::Degree(i),
            6..8 => Self::Set(i, v),
            8..10 => Self::Add(i, v),
            10 => Self::Copy(i, j),
            11 => Self::Double(i),
            12 => Self::Merge(i, v),
            13 => Self::Create(i, v),
            14 => Self::Delete(i),
            15..17 => Self::Connect(i, j, v),
            17 => Self::Cut(i),
            18 => Self::Label(i),
            _ => Self::Unlabel(i),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Read(i) => format!("MATCH (n:N {{k: {i}}}) RETURN n.x"),
            Self::Sum => "MATCH (n:N) RETURN count(n), sum(n.x)".into(),
            Self::Above(v) => format!("MATCH (n:N) WHERE n.x > {v} RETURN n.k"),
            Self::Labelled => "MATCH (n:L) RETURN n.k".into(),
            Self::Degree(i) => format!("MATCH (n:N {{k: {i}}})-[r:R]->() RETURN count(r), sum(r.w)"),
            Self::Set(i, v) => format!("MATCH (n:N {{k: {i}}}) SET n.x = {v} RETURN n.x"),
            Self::Add(i, v) => format!("MATCH (n:N {{k: {i}}}) SET n.x = n.x + {v} RETURN n.x"),
            Self::Copy(i, j) => format!(
                "MATCH (n:N {{k: {i}}}) OPTIONAL MATCH (m:N {{k: {j}}}) WITH n, sum(coalesce(m.x, -1)) AS s \
                 SET n.x = s RETURN n.x"
            ),
            Self::Double(i) => format!(
                "MATCH (n:N {{k: {i}}}) WHERE NOT EXISTS {{ (n)-[:R]->() }} SET n.x = n.x * 2 RETURN n.x"
            ),
            Self::Merge(i, v) => format!(
                "MERGE (n:N {{k: {i}}}) ON CREATE SET n.x = {v} ON MATCH SET n.x = n.x + {v} RETURN n.x"
            ),
            Self::Create(i, v) => format!("CREATE (n:N {{k: {i}, x: {v}}}) RETURN n.x"),
            Self::Delete(i) => format!("MATCH (n:N {{k: {i}}}) DETACH DELETE n RETURN count(*)"),
            Self::Connect(i, j, v) => format!(
                "MATCH (n:N {{k: {i}}}), (m:N {{k: {j}}}) CREATE (n)-[:R {{w: {v}}}]->(m) RETURN count(*)"
            ),
            Self::Cut(i) => format!("MATCH (n:N {{k: {i}}})-[r:R]->() DELETE r RETURN count(*)"),
            Self::Label(i) => format!("MATCH (n:N {{k: {i}}}) SET n:L RETURN count(*)"),
            Self::Unlabel(i) => format!("MATCH (n:N {{k: {i}}}) REMOVE n:L RETURN count(*)"),
        }
    }
}

/// What a statement answers: rows as text, sorted.
type Rows = Vec<String>;

fn ask(c: &Connection, text: &str) -> Result<Rows, Error> {
    let mut result = c.query(text, &[])?;
    let mut out = Vec::new();
    while let Some(row) = result.next_row()? {
        out.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" | "));
    }
    out.sort();
    Ok(out)
}

/// The model's node: its key, its number, whether it has the label.
type Node = (usize, i64, bool);

/// The model's graph. Nodes and edges have numbers that no others have.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Graph {
    nodes: BTreeMap<u64, Node>,
    edges: BTreeMap<u64, (u64, u64, i64)>,
}

/// What a transaction does to a graph.
#[derive(Clone, Copy, Debug)]
enum Write {
    Node(u64, Node),
    Number(u64, i64),
    Label(u64, bool),
    Gone(u64),
    Edge(u64, (u64, u64, i64)),
    Cut(u64),
}

impl Graph {
    fn apply(&mut self, write: Write) {
        match write {
            Write::Node(id, node) => drop(self.nodes.insert(id, node)),
            Write::Number(id, x) => {
                self.nodes.entry(id).and_modify(|node| node.1 = x).or_insert((99, x, false)).1 = x
            }
            Write::Label(id, label) => self.nodes.entry(id).or_insert((99, 0, label)).2 = label,
            Write::Gone(id) => drop(self.nodes.remove(&id)),
            Write::Edge(id, edge) => drop(self.edges.insert(id, edge)),
            Write::Cut(id) => drop(self.edges.remove(&id)),
        }
    }

    fn of_key(&self, key: usize) -> Vec<(u64, Node)> {
        self.nodes.iter().filter(|(_, node)| node.0 == key).map(|(id, node)| (*id, *node)).collect()
    }

    fn out_of(&self, ids: &[(u64, Node)]) -> Vec<(u64, i64)> {
        let is_of = |source: &u64| ids.iter().any(|(id, _)| id == source);
        self.edges.iter().filter(|(_, (s, ..))| is_of(s)).map(|(id, (.., w))| (*id, *w)).collect()
    }

    /// What a statement answers, and what it does.
    fn run(&self, op: Op, next: &mut u64) -> (Rows, Vec<Write>) {
        let mut fresh = || {
            *next += 1;
            *next
        };
        let set = |nodes: &[(u64, Node)], x: &dyn Fn(i64) -> i64| {
            let rows = nodes.iter().map(|(_, node)| x(node.1).to_string()).collect();
            (rows, nodes.iter().map(|(id, node)| Write::Number(*id, x(node.1))).collect())
        };
        let (mut rows, writes): (Rows, Vec<Write>) = match op {
            Op::Read(i) => (self.of_key(i).iter().map(|(_, node)| node.1.to_string()).collect(), Vec::new()),
            Op::Sum => {
                let sum: i64 = self.nodes.values().map(|node| node.1).sum();
                (vec![format!("{} | {sum}", self.nodes.len())], Vec::new())
            }
            Op::Above(v) => {
                let found = self.nodes.values().filter(|node| node.1 > v);
                (found.map(|node| node.0.to_string()).collect(), Vec::new())
            }
            Op::Labelled => {
                let found = self.nodes.values().filter(|node| node.2);
                (found.map(|node| node.0.to_string()).collect(), Vec::new())
            }
            Op::Degree(i) => {
                let edges = self.out_of(&self.of_key(i));
                let sum: i64 = edges.iter().map(|(_, w)| w).sum();
                (vec![format!("{} | {sum}", edges.len())], Vec::new())
            }
            Op::Set(i, v) => set(&self.of_key(i), &|_| v),
            Op::Add(i, v) => set(&self.of_key(i), &|x| x + v),
            Op::Copy(i, j) => {
                let from = self.of_key(j);
                let sum = if from.is_empty() { -1 } else { from.iter().map(|(_, node)| node.1).sum() };
                set(&self.of_key(i), &|_| sum)
            }
            Op::Double(i) => {
                let mut nodes = self.of_key(i);
                nodes.retain(|node| self.out_of(&[*node]).is_empty());
                set(&nodes, &|x| x * 2)
            }
            Op::Merge(i, v) if !self.of_key(i).is_empty() => set(&self.of_key(i), &|x| x + v),
            Op::Merge(i, v) | Op::Create(i, v) => {
                (vec![v.to_string()], vec![Write::Node(fresh(), (i, v, false))])
            }
            Op::Delete(i) => {
                let nodes = self.of_key(i);
                let is_at = |(s, t, _): &(u64, u64, i64)| nodes.iter().any(|(id, _)| id == s || id == t);
                let edges = self.edges.iter().filter(|(_, edge)| is_at(edge)).map(|(id, _)| Write::Cut(*id));
                let writes = edges.chain(nodes.iter().map(|(id, _)| Write::Gone(*id))).collect();
                (vec![nodes.len().to_string()], writes)
            }
            Op::Connect(i, j, v) => {
                let (from, to) = (self.of_key(i), self.of_key(j));
                let pairs = from.iter().flat_map(|(s, _)| to.iter().map(|(t, _)| (*s, *t)));
                let writes: Vec<_> = pairs.map(|(s, t)| Write::Edge(fresh(), (s, t, v))).collect();
                (vec![writes.len().to_string()], writes)
            }
            Op::Cut(i) => {
                let edges = self.out_of(&self.of_key(i));
                (vec![edges.len().to_string()], edges.iter().map(|(id, _)| Write::Cut(*id)).collect())
            }
            Op::Label(i) | Op::Unlabel(i) => {
                let (nodes, label) = (self.of_key(i), matches!(op, Op::Label(_)));
                // What has the label already, or lacks it, is not written.
                let other = nodes.iter().filter(|(_, node)| node.2 != label);
                (vec![nodes.len().to_string()], other.map(|(id, _)| Write::Label(*id, label)).collect())
            }
        };
        rows.sort();
        (rows, writes)
    }

    /// As [`stands`] shows what the database has.
    fn shown(&self) -> [Rows; 2] {
        let node = |node: &Node| format!("{} | {} | {}", node.0, node.1, node.2);
        let key = |id: &u64| self.nodes.get(id).map_or("gone".into(), |node| node.0.to_string());
        let mut nodes: Rows = self.nodes.values().map(node).collect();
        let mut edges: Rows =
            self.edges.values().map(|(s, t, w)| format!("{} | {w} | {}", key(s), key(t))).collect();
        nodes.sort();
        edges.sort();
        [nodes, edges]
    }
}

fn stands(c: &Connection) -> [Rows; 2] {
    ["MATCH (n:N) RETURN n.k, n.x, n:L", "MATCH (n)-[r:R]->(m) RETURN n.k, r.w, m.k"]
        .map(|text| ask(c, text).unwrap())
}

/// A transaction as it went.
#[derive(Clone, Debug, Default)]
struct Went {
    /// Commits before it began.
    began: usize,
    answered: Vec<(Op, Rows)>,
    writes: Vec<Write>,
    /// Its place among the commits.
    committed: Option<usize>,
}

/// Whether there is an order of those that committed that answers what they answered and leaves what is left.
fn serial(from: &Graph, left: &[Rows; 2], all: &[&Went], done: &mut Vec<bool>, next: &mut u64) -> bool {
    if done.iter().all(|done| *done) {
        return from.shown() == *left;
    }
    for at in 0..all.len() {
        // Somebody who had committed before this one began, and is still to come.
        let is_late = |other: usize| {
            !done[other] && other != at && all[other].committed.is_some_and(|place| place < all[at].began)
        };
        if done[at] || (0..all.len()).any(is_late) {
            continue;
        }
        let mut graph = from.clone();
        let fits = all[at].answered.iter().all(|(op, wanted)| {
            let (rows, writes) = graph.run(*op, next);
            writes.into_iter().for_each(|write| graph.apply(write));
            rows == *wanted
        });
        if fits {
            done[at] = true;
            if serial(&graph, left, all, done, next) {
                return true;
            }
            done[at] = false;
        }
    }
    false
}

fn config() -> Config {
    Config::new().threads(1).huge_pages(false).memory_limit_bytes(256 << 20)
}

/// Makes a graph to begin with: the model's is given.
fn begin(c: &Connection, random: &mut Random, next: &mut u64) -> Graph {
    ask(c, "MATCH (n) DETACH DELETE n").unwrap();
    let mut graph = Graph::default();
    for key in 0..KEYS {
        if random.chance(75) {
            let op = Op::Create(key, random.between(1, 9));
            let also = [Op::Connect(key, random.below(key + 1), 1), Op::Label(key)];
            for op in [op].into_iter().chain(also.into_iter().filter(|_| random.chance(40))) {
                ask(c, &op.text()).unwrap();
                graph.run(op, next).1.into_iter().for_each(|write| graph.apply(write));
            }
        }
    }
    graph
}

/// One history, step by step in one thread.
fn interleaved(db: &Database, level: Isolation, seed: u64) -> (usize, usize) {
    let (mut random, mut next) = (Random::new(seed), 0);
    let c = db.connect();
    let start = begin(&c, &mut random, &mut next);
    if random.chance(50) {
        db.merge(&CancelToken::default()).unwrap();
    }
    let connections: Vec<Connection> = (0..2 + random.below(3)).map(|_| db.connect()).collect();
    let mut open: Vec<Option<Went>> = connections.iter().map(|_| None).collect();
    // The graph after each commit.
    let mut states = vec![start.clone()];
    let mut ended: Vec<Went> = Vec::new();
    let context = |went: &Went, op: Op| format!("seed {seed}, {level:?}, {op:?} in {went:?}");
    for _ in 0..8 + random.below(20) {
        let at = random.below(connections.len());
        let (c, last) = (&connections[at], states.len() - 1);
        match open[at].take() {
            None if random.chance(10) => {
                // Alone.
                let op = Op::random(&mut random);
                let mut went = Went { began: last, ..Went::default() };
                match ask(c, &op.text()) {
                    Ok(rows) => {
                        let (wanted, writes) = states[last].run(op, &mut next);
                        assert_eq!(rows, wanted, "{}", context(&went, op));
                        commit(&mut states, &writes);
                        went.answered.push((op, rows));
                        went.committed = Some(last);
                        ended.push(went);
                    }
                    Err(Error::Conflict(_)) => {}
                    Err(error) => panic!("{}: {error}", context(&went, op)),
                }
            }
            None => {
                let isolation = Some(level);
                c.begin_with(TransactionOptions { isolation, ..TransactionOptions::default() }).unwrap();
                // It has answered: from here on it stays at its time.
                ask(c, "RETURN 1").unwrap();
                open[at] = Some(Went { began: last, ..Went::default() });
            }
            Some(mut went) if random.chance(75) => {
                let op = Op::random(&mut random);
                let mut graph = match level {
                    Isolation::ReadCommitted => states[last].clone(),
                    _ => states[went.began].clone(),
                };
                went.writes.iter().for_each(|write| graph.apply(*write));
                match ask(c, &op.text()) {
                    Ok(rows) => {
                        let (wanted, writes) = graph.run(op, &mut next);
                        assert_eq!(rows, wanted, "{}", context(&went, op));
                        went.writes.extend(writes);
                        went.answered.push((op, rows));
                        open[at] = Some(went);
                    }
                    Err(Error::Conflict(_)) => {
                        c.rollback().unwrap();
                        ended.push(went);
                    }
                    Err(error) => panic!("{}: {error}", context(&went, op)),
                }
            }
            Some(mut went) => {
                let done =
                    if random.chance(90) { c.commit() } else { c.rollback().and(Err(Error::Cancelled)) };
                match done {
                    Ok(()) => {
                        went.committed = Some(last);
                        commit(&mut states, &went.writes);
                    }
                    Err(Error::Conflict(_) | Error::Cancelled) => {}
                    Err(error) => panic!("seed {seed}, {level:?}, commit of {went:?}: {error}"),
                }
                ended.push(went);
            }
        }
        if random.chance(5) {
            db.merge(&CancelToken::default()).unwrap();
        }
    }
    drop(connections);
    let left = stands(&c);
    let last = states.last().map(Graph::shown);
    assert_eq!(Some(&left), last.as_ref(), "seed {seed}, {level:?}: {ended:#?}");
    let committed: Vec<&Went> = ended.iter().filter(|went| went.committed.is_some()).collect();
    if level == Isolation::Serializable {
        let mut done = vec![false; committed.len()];
        let is_serial = serial(&start, &left, &committed, &mut done, &mut next);
        assert!(is_serial, "seed {seed}: no serial order of {committed:#?} from {start:?}");
    }
    (committed.len(), ended.len())
}

fn commit(states: &mut Vec<Graph>, writes: &[Write]) {
    let mut graph = states.last().cloned().unwrap_or_default();
    writes.iter().for_each(|write| graph.apply(*write));
    states.push(graph);
}

#[test]
fn steps_of_transactions_in_any_order() {
    let (count, first) = (wanted(HISTORIES_WANTED, HISTORIES), wanted(SEED, 1));
    for level in [Isolation::Serializable, Isolation::Snapshot, Isolation::ReadCommitted] {
        let (mut committed, mut all) = (0, 0);
        let mut db = Database::in_memory(config());
        // Who meets a conflict at read committed tries again for a while.
        let count = if level == Isolation::ReadCommitted { count / 4 } else { count };
        for seed in first..first + count {
            if seed % OF_A_DATABASE == 0 {
                db = Database::in_memory(config());
            }
            let done = interleaved(&db, level, seed);
            (committed, all) = (committed + done.0, all + done.1);
        }
        println!("{level:?}: {count} histories, {committed} of {all} transactions committed");
        assert!(committed * 2 > all, "{level:?}: {committed} of {all} committed");
    }
}

/// One history on threads, at serializable.
fn on_threads(db: &Database, seed: u64) -> (usize, usize) {
    let (mut random, mut next) = (Random::new(seed), 0);
    let c = db.connect();
    let start = begin(&c, &mut random, &mut next);
    if random.chance(50) {
        db.merge(&CancelToken::default()).unwrap();
    }
    let programs: Vec<Vec<Vec<Op>>> = (0..2 + random.below(2))
        .map(|_| {
            let transaction =
                |random: &mut Random| (0..1 + random.below(4)).map(|_| Op::random(random)).collect();
            (0..1 + random.below(2)).map(|_| transaction(&mut random)).collect()
        })
        .collect();
    let (barrier, zero) = (Barrier::new(programs.len()), Instant::now());
    let run = |program: &[Vec<Op>]| {
        let c = db.connect();
        barrier.wait();
        let mut out = Vec::new();
        for ops in program {
            let began = zero.elapsed();
            c.begin().unwrap();
            let mut answered = Vec::new();
            let done = ops.iter().try_for_each(|op| {
                answered.push((*op, ask(&c, &op.text())?));
                Ok(())
            });
            match done.and_then(|()| c.commit()) {
                Ok(()) => out.push(Some((began, zero.elapsed(), answered))),
                Err(Error::Conflict(_)) => {
                    let _ = c.rollback();
                    out.push(None);
                }
                Err(error) => panic!("seed {seed}: {error}"),
            }
        }
        out
    };
    let done: Vec<_> = std::thread::scope(|scope| {
        let (run, threads): (_, Vec<_>) = (&run, programs.iter().collect());
        let threads: Vec<_> = threads.into_iter().map(|program| scope.spawn(move || run(program))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let mut committed: Vec<_> = done.iter().flatten().collect();
    committed.sort_by_key(|(_, ended, _)| *ended);
    let went = |at: usize| {
        let (began, _, answered) = committed[at];
        let before = committed.iter().filter(|(_, ended, _)| ended < began).count();
        Went { began: before, answered: answered.clone(), writes: Vec::new(), committed: Some(at) }
    };
    let went: Vec<Went> = (0..committed.len()).map(went).collect();
    let (left, all): (_, Vec<&Went>) = (stands(&c), went.iter().collect());
    let mut marks = vec![false; all.len()];
    let is_serial = serial(&start, &left, &all, &mut marks, &mut next);
    assert!(is_serial, "seed {seed}: no serial order of {all:#?} from {start:?} to {left:?}");
    (all.len(), done.len())
}

#[test]
fn transactions_on_threads_have_an_order() {
    let (count, first) = (wanted(HISTORIES_WANTED, HISTORIES), wanted(SEED, 1));
    let (mut committed, mut all) = (0, 0);
    let mut db = Database::in_memory(config());
    for seed in first..first + count {
        if seed % OF_A_DATABASE == 0 {
            db = Database::in_memory(config());
        }
        let done = on_threads(&db, seed);
        (committed, all) = (committed + done.0, all + done.1);
    }
    println!("{count} histories, {committed} of {all} transactions committed");
}

#[test]
fn the_oracle_finds_what_is_not_serial() {
    let start = Graph { nodes: [(1, (0, 5, false)), (2, (1, 5, false))].into(), edges: BTreeMap::new() };
    let went = |answered: &[(Op, &str)], committed| Went {
        answered: answered.iter().map(|(op, row)| (*op, vec![(*row).to_owned()])).collect(),
        committed: Some(committed),
        ..Went::default()
    };
    // Write skew: each has read what the other one wrote, as it was before.
    let skew = [
        went(&[(Op::Read(0), "5"), (Op::Set(1, 1), "1")], 0),
        went(&[(Op::Read(1), "5"), (Op::Set(0, 1), "1")], 1),
    ];
    let left = [vec!["0 | 1 | false".to_owned(), "1 | 1 | false".to_owned()], Vec::new()];
    let all: Vec<&Went> = skew.iter().collect();
    assert!(!serial(&start, &left, &all, &mut vec![false; 2], &mut 10));
    let one_after_the_other = [skew[0].clone(), went(&[(Op::Read(1), "1"), (Op::Set(0, 1), "1")], 1)];
    let all: Vec<&Went> = one_after_the_other.iter().collect();
    assert!(serial(&start, &left, &all, &mut vec![false; 2], &mut 10));
    // A lost update.
    let lost = [went(&[(Op::Add(0, 1), "6")], 0), went(&[(Op::Add(0, 2), "7")], 1)];
    let left = [vec!["0 | 7 | false".to_owned(), "1 | 5 | false".to_owned()], Vec::new()];
    assert!(!serial(&start, &left, &lost.iter().collect::<Vec<_>>(), &mut vec![false; 2], &mut 10));
}

/// A history in steps: number of the connection, and what it does; none commits.
fn directed(start: &[Op], steps: &[(usize, Option<Op>)]) -> Vec<bool> {
    let db = Database::in_memory(config());
    let c = db.connect();
    start.iter().for_each(|op| drop(ask(&c, &op.text()).unwrap()));
    db.merge(&CancelToken::default()).unwrap();
    let connections: Vec<Connection> = (0..2).map(|_| db.connect()).collect();
    let mut committed = vec![false; 2];
    for c in &connections {
        c.begin().unwrap();
        ask(c, "RETURN 1").unwrap();
    }
    for (at, op) in steps {
        match op {
            Some(op) => drop(ask(&connections[*at], &op.text()).unwrap()),
            None => committed[*at] = connections[*at].commit().is_ok(),
        }
    }
    committed
}

#[test]
fn who_looks_for_values_meets_those_that_come() {
    let start = [Op::Create(0, 4), Op::Label(0), Op::Create(2, 3), Op::Create(3, 4)];
    // All rows were asked for their labels before: that is no look at their values.
    let both = [(0, Some(Op::Sum)), (1, Some(Op::Labelled)), (1, Some(Op::Above(3)))];
    let writes = [(0, Some(Op::Set(2, 6))), (1, Some(Op::Set(0, 1)))];
    for order in [[0, 1], [1, 0]] {
        let steps = both.iter().chain(&writes).copied().chain(order.map(|at| (at, None)));
        let committed = directed(&start, &steps.collect::<Vec<_>>());
        assert_eq!(committed.iter().filter(|done| **done).count(), 1, "{order:?}: {committed:?}");
    }
}
