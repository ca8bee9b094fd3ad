//! Mutated SPARQL texts against a small database, and mutated RDF files loaded into one: every answer is
//! rows, a load, or a typed error; never a panic, a hang, or memory without bounds. Runs short with a fixed
//! seed here; `FUZZ_SPARQL=n` and `FUZZ_RDF=n` (of each format) widen it, `FUZZ_SEED=s` starts elsewhere.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use trimorph::{Config, Connection, Database, RdfOptions};
use trimorph_testkit::Random;

/// What may pass until a text has its last row, or is stopped.
const TIME: Duration = Duration::from_secs(1);
/// Stopping may take so long on a busy machine.
const TIME_MAX: Duration = Duration::from_secs(30);
const MEMORY: usize = 256 << 20;
/// Beside the limit: the program, and what the allocator keeps of it.
const MEMORY_PEAK_MB: u64 = 1_024;
/// Texts after which the database is made anew, so that updates leave something to ask for.
const TEXTS_OF_A_DATABASE: u64 = 5_000;

const DATA: &str = r#"
PREFIX : <http://e/>
:a a :P ; :name "Ann", "Anna"@de ; :age 30 ; :knows :b, :c ; :at "2020-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
:b a :P, :Q ; :name "Bob" ; :age 31.5, "01"^^<http://www.w3.org/2001/XMLSchema#integer> ; :knows :c {| :since 2010 |} .
:c :name "Cid"@en--ltr ; :knows :a ; :says <<( :a :knows :b )>> ; :list ( 1 2 3 ) .
_:x :p _:y . _:y :p _:x . :d :x "x"^^:own .
GRAPH :g { :a :knows :d ; :name "in g" . :d a :P }
GRAPH :h { :a :knows :d }
"#;

/// Texts that mutations start from; those of the W3C tests and of `bench/` join them, where they are.
const TEXTS: &[&str] = &[
    "PREFIX : <http://e/> SELECT DISTINCT ?s (COUNT(*) AS ?n) (AVG(?a) AS ?m) { ?s a :P ; :knows/:knows* ?o OPTIONAL { ?s :age ?a FILTER(?a > 30.5) } FILTER NOT EXISTS { ?s :says ?x } } GROUP BY ?s HAVING(COUNT(*) > 0) ORDER BY DESC(?n) ?s LIMIT 5",
    "PREFIX : <http://e/> SELECT * { { ?s :name ?n } UNION { GRAPH ?g { ?s ?p ?n } } MINUS { ?s !(:knows|^:knows) :a } BIND(STRLEN(STR(?n)) + 1 AS ?l) VALUES (?p ?q) { (:name UNDEF) (UNDEF 1) } }",
    "PREFIX : <http://e/> SELECT ?x (GROUP_CONCAT(DISTINCT ?n; separator=', ') AS ?all) { ?x :knows+ ?y . ?y :name ?n FILTER(REGEX(?n, '^[AB]', 'i') && ?n IN ('Ann', ?n) || LANGMATCHES(LANG(?n), '*')) } GROUP BY ?x",
    "PREFIX : <http://e/> SELECT ?r ?y { ?s :knows ?o {| :since ?y |} . ?r ?q <<( ?s ?p ?o )>> { SELECT ?s { ?s ?p ?o } ORDER BY RAND() LIMIT 3 } BIND(IF(?y > 1, YEAR(NOW()), 1/0) AS ?e) }",
    "PREFIX : <http://e/> CONSTRUCT { ?s :friend ?o . ?o :list (1 ?s [ :p ?o ]) } WHERE { ?s :knows ?o {|:since ?y|} . ?o (:knows|:p)? ?z }",
    "PREFIX : <http://e/> DESCRIBE ?s :a FROM :g FROM NAMED :h { GRAPH :h { ?s :knows ?o } }",
    "PREFIX : <http://e/> ASK { ?a :knows ?b . ?b :knows ?c . ?c :knows ?a FILTER(?a != ?b && SAMETERM(?c, ?c) && xsd:integer(\"1\") = 1) }",
    "PREFIX : <http://e/> DELETE { ?s :age ?a } INSERT { ?s :age ?b ; a :R } WHERE { ?s :age ?a BIND(?a + 1 AS ?b) } ; INSERT DATA { GRAPH :g { :a :knows :b ~ :r {| :since 1 |} } } ; DELETE WHERE { ?s :says ?o }",
    "PREFIX : <http://e/> INSERT DATA { :n1 a :P ; :name 'x', 1, 1.0, 1e0, true ; :knows :a, [ :p ( ) ] . << :a :knows :b >> :since 5 } ; DELETE DATA { :a :knows :c } ; COPY :g TO :k ; MOVE :k TO :l ; ADD DEFAULT TO :m ; CLEAR GRAPH :h ; DROP SILENT GRAPH :z",
    "EXPLAIN PREFIX : <http://e/> SELECT (SUM(?a) AS ?n) (MIN(?a) AS ?x) (SAMPLE(?n) AS ?y) { ?s :age ?a ; :name ?n . FILTER(COALESCE(?a, 1) < 100 && ISNUMERIC(?a) && CONCAT(STR(?a), UCASE(?n)) != REPLACE(?n, 'n', 'm')) }",
];

const WORDS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "<<",
    ">>",
    "<<(",
    ")>>",
    "{|",
    "|}",
    "~",
    ".",
    ";",
    ",",
    "*",
    "+",
    "-",
    "/",
    "|",
    "^",
    "!",
    "?",
    "&&",
    "||",
    "=",
    "!=",
    "<=",
    "'",
    "\"",
    "\"\"\"",
    "\\",
    "\\u00e9",
    "_:a",
    "[]",
    "()",
    "?x",
    "?s",
    "?o",
    "$n",
    ":p",
    ":knows",
    ":knows*",
    ":knows+",
    " a ",
    ":a",
    "<http://e/a>",
    "true",
    "1",
    "1.5",
    "1e400",
    "-3",
    "99999999999999999999",
    "#",
    "\n",
    " SELECT ",
    " WHERE ",
    " FILTER(",
    " GRAPH ?g {",
    " OPTIONAL {",
    " UNION {",
    " MINUS {",
    " BIND(",
    " VALUES ?v { ",
    " AS ?z)",
    " GROUP BY ",
    " HAVING(",
    " ORDER BY ",
    " LIMIT 1",
    " OFFSET 2",
    " EXISTS {",
    " NOT ",
    " IN ",
    "COUNT(*)",
    "SUM(",
    "STR(",
    "IF(",
    "UNDEF",
    " DISTINCT ",
    " INSERT DATA {",
    " DELETE {",
    " CLEAR ALL ",
    " SERVICE SILENT <x:> {",
    "'P1Y'^^xsd:duration",
    "'x'@en",
    "REGEX(?n, '(a*)*b')",
    "SUBSTR(?n, -1, 1e308)",
    "—",
    "é",
    "\u{0}",
    "\u{301}",
    "😀",
    "\u{feff}",
    "%41",
];

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

/// Peak resident memory of this process, in MB; where the system says.
fn peak_mb() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|l| l.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

/// The files below a folder with one of these suffixes, in order.
fn files(folder: &Path, suffixes: &[&str], found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, suffixes, found);
        } else if path.extension().is_some_and(|end| suffixes.iter().any(|suffix| end == *suffix)) {
            found.push(path);
        }
    }
}

fn shared(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/conformance").join(folder)
}

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(2) {
        let at = boundary(&text, random.below(text.len() + 1));
        let end = boundary(&text, (at + random.below(12)).min(text.len()));
        match random.below(5) {
            0 => text.replace_range(at..end, ""),
            1 => text.insert_str(at, WORDS[random.below(WORDS.len())]),
            2 => text.replace_range(at..end, WORDS[random.below(WORDS.len())]),
            3 => {
                let from = boundary(other, random.below(other.len()));
                let to = boundary(other, (from + random.below(60)).min(other.len()));
                text.insert_str(at, &other[from..to]);
            }
            _ => {
                let part = text[at..end].to_owned();
                text.insert_str(end, &part);
            }
        }
    }
    text
}

fn database() -> Database {
    let config = Config::new().memory_limit_bytes(MEMORY).threads(1).timeout(TIME).file_access(false);
    let db = Database::in_memory(config);
    let options = RdfOptions { format: Some("trig".to_owned()), ..RdfOptions::default() };
    db.connect().load_rdf_text(DATA.as_bytes(), &options).unwrap();
    db
}

/// Whether a text was taken.
fn ask(connection: &Connection, text: &str) -> bool {
    let Ok(mut result) = connection.sparql(text) else { return false };
    for _ in 0..1_000 {
        match result.next_row() {
            Ok(Some(row)) => drop(row.iter().map(|v| result.format(v)).collect::<Vec<_>>()),
            Ok(None) => break,
            Err(_) => return false,
        }
    }
    true
}

#[test]
fn mutated_texts_are_answered_or_refused() {
    let (n, seed) = (number("FUZZ_SPARQL", 2_000), number("FUZZ_SEED", 0x5350_4152));
    println!("{n} mutations from seed {seed}");
    let mut paths = Vec::new();
    files(&shared("sparql"), &["rq", "ru"], &mut paths);
    let mut texts: Vec<String> = TEXTS.iter().map(ToString::to_string).collect();
    texts
        .extend(paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()).filter(|t| !t.is_empty()));
    let mut random = Random::new(seed);
    let (mut taken, mut slowest) = (0, (Duration::ZERO, String::new()));
    for text in TEXTS {
        let db = database();
        let answer = db.connect().sparql(text);
        assert!(answer.is_ok(), "{text}\n{:?}", answer.err());
    }
    let mut db = database();
    for i in 0..n {
        if i % TEXTS_OF_A_DATABASE == 0 {
            db = database();
        }
        // The texts of this file ask for what is there.
        let from = if random.below(2) == 0 { TEXTS.len() } else { texts.len() };
        let text = mutate(&texts[random.below(from)], &texts[random.below(texts.len())], &mut random);
        let start = Instant::now();
        let connection = db.connect();
        match catch_unwind(AssertUnwindSafe(|| ask(&connection, &text))) {
            Ok(ok) => taken += u64::from(ok),
            Err(_) => panic!("mutation {i} from seed {seed} panicked:\n{text}"),
        }
        let took = start.elapsed();
        assert!(took < TIME_MAX, "mutation {i} from seed {seed} took {took:?}:\n{text}");
        if took > slowest.0 {
            slowest = (took, text);
        }
        if i % 100_000 == 99_999 {
            println!("{} done, {taken} taken, slowest {:?}, peak {:?} MB", i + 1, slowest.0, peak_mb());
        }
    }
    println!("{taken} of {n} taken, slowest {:?}, peak {:?} MB\n{}", slowest.0, peak_mb(), slowest.1);
    assert!(taken > n / 20, "{taken} of {n} were taken");
    // Other tests of this program take memory, too.
    assert!(n <= 2_000 || peak_mb().is_none_or(|mb| mb < MEMORY_PEAK_MB), "{:?} MB", peak_mb());
}

/// A text of each format, which its mutations start from beside the files of the W3C tests.
fn texts(format: &str) -> &'static str {
    match format {
        "nquads" => {
            "<http://a> <http://b> \"x\\u00e9\"@en <http://g> .\n_:a <http://b> <<( _:a <http://b> \"1\"^^<http://c> )>> _:g .\n<http://a> <http://b> \"2\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n"
        }
        "rdfxml" => {
            r#"<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x "y">]><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/"><e:T rdf:ID="i" e:q="&x;"><e:p rdf:parseType="Collection"><e:A/></e:p><e:p rdf:parseType="Literal"><b>&lt;</b></e:p><e:p xml:lang="en">x</e:p></e:T></rdf:RDF>"#
        }
        "jsonld" => {
            r#"{"@context": {"@vocab": "http://v/", "k": {"@id": "http://k", "@container": "@list"}, "@base": "http://b/"}, "@id": "s", "@type": "T", "k": [1, "a", {"@value": "x", "@language": "en"}], "@graph": [{"p": {"@id": "o"}, "q": [1.5, true, {"@value": "1", "@type": "http://www.w3.org/2001/XMLSchema#date"}]}]}"#
        }
        _ => DATA,
    }
}

fn mutate_bytes(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    const SIGNS: &[u8] = b"<>\"'\\@^.;,:_()[]{}#/?!&=\n\t \x00\xFF\xC3aA0-~%";
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let sign = SIGNS[random.below(SIGNS.len())];
        match random.below(6) {
            0 if at < bytes.len() => bytes[at] = sign,
            1 => bytes.insert(at, sign),
            2 if at < bytes.len() => drop(bytes.remove(at)),
            3 => bytes.truncate(at.max(4)),
            4 => {
                let end = (at + random.below(40)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            _ => {
                let from = random.below(other.len());
                let piece = other[from..(from + random.below(60)).min(other.len())].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
}

#[test]
fn mutated_files_are_loaded_or_refused() {
    let (n, seed) = (number("FUZZ_RDF", 300), number("FUZZ_SEED", 0x0052_4446));
    println!("{n} mutations of each format from seed {seed}");
    let mut random = Random::new(seed);
    let suffixes =
        [("turtle", "ttl"), ("trig", "trig"), ("nquads", "nq"), ("rdfxml", "rdf"), ("jsonld", "jsonld")];
    for (format, suffix) in suffixes {
        let (mut paths, mut slowest) = (Vec::new(), Duration::ZERO);
        files(&shared("rdf"), &[suffix], &mut paths);
        let mut seeds = vec![texts(format).as_bytes().to_vec()];
        seeds.extend(
            paths.iter().filter_map(|path| std::fs::read(path).ok()).filter(|bytes| !bytes.is_empty()),
        );
        let (mut loaded, mut statements) = (0, 0);
        let mut db = database();
        for i in 0..n {
            let from = if random.below(2) == 0 { 1 } else { seeds.len() };
            let mut bytes = seeds[random.below(from)].clone();
            let other = random.below(seeds.len());
            mutate_bytes(&mut bytes, &seeds[other], &mut random);
            // Into an empty database statements are built, else they are inserted.
            if random.below(8) == 0 {
                db = Database::in_memory(Config::new().memory_limit_bytes(MEMORY).threads(1));
            }
            let options = RdfOptions {
                format: Some(format.to_owned()),
                base: Some("http://b/".to_owned()),
                skip_bad: random.below(2) == 0,
                ..RdfOptions::default()
            };
            let start = Instant::now();
            match catch_unwind(AssertUnwindSafe(|| db.connect().load_rdf_text(&bytes, &options))) {
                Ok(Ok(report)) => (loaded, statements) = (loaded + 1, statements + report.statements),
                Ok(Err(_)) => {}
                Err(_) => {
                    let text = String::from_utf8_lossy(&bytes);
                    panic!("mutation {i} of {format} from seed {seed} panicked:\n{text}");
                }
            }
            let took = start.elapsed();
            assert!(took < TIME_MAX, "mutation {i} of {format} from seed {seed} took {took:?}");
            slowest = slowest.max(took);
        }
        println!(
            "{format}: {loaded} of {n} loaded, {statements} statements, slowest {slowest:?}, peak {:?} MB",
            peak_mb()
        );
        assert!(loaded > n / 20 && loaded < n, "{format}: {loaded} of {n} were loaded");
        assert!(n <= 300 || peak_mb().is_none_or(|mb| mb < MEMORY_PEAK_MB), "{:?} MB", peak_mb());
    }
}
