//! Least and largest values of every type, and rows sorted by them, against the interpreter: few groups and
//! many, nulls, instants of several zones, types that mix, on one thread and several, with memory and
//! without.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_base::MemoryBudget;
use trimorph_exec::{Settings, SpillArea, TemporaryDirectory};
use trimorph_functions::Clock;
use trimorph_testkit::compare::{Comparison, compare};
use trimorph_testkit::interpreter::{Graph, run_on};
use trimorph_testkit::queries::bind;

use super::ask::{ask, created};

/// Node `n` has a value of each type, one in seven has none; of some there are equal ones that differ in how
/// they are written.
const NODES: &str = "UNWIND range(1, 12000) AS n WITH n, (n * 7919) % 12007 AS v CREATE (:A {n: n, few: n % 5, many: n % 5000, \
    float: CASE WHEN n % 7 = 0 THEN null WHEN n % 1001 = 1 THEN 0.0 / 0 ELSE toFloat(v) / 4 - 900 END, \
    bool: CASE WHEN n % 7 = 0 THEN null ELSE v % 3 = 1 END, \
    day: CASE WHEN n % 7 = 1 THEN null ELSE date('1999-12-01') + duration({days: v % 4000}) END, \
    time: CASE WHEN n % 7 = 2 THEN null ELSE time({hour: v % 24, minute: n % 60, timezone: ['+01:00', '-03:30', 'Z'][n % 3]}) END, \
    local: CASE WHEN n % 7 = 2 THEN null ELSE localtime({hour: v % 24, minute: n % 60}) END, \
    utc: CASE WHEN n % 7 = 3 THEN null ELSE datetime('2010-01-01T00:00:00Z') + duration({minutes: v * 31}) END, \
    zoned: CASE WHEN n % 7 = 3 THEN null ELSE datetime({year: 2010, month: 1 + v % 3, day: 1 + v % 28, hour: n % 24, timezone: ['Europe/Stockholm', '+02:00', 'Z', 'America/New_York'][n % 4]}) END, \
    late: CASE WHEN n < 9000 THEN datetime({year: 2000, month: 1 + n % 12, timezone: 'Z'}) ELSE datetime({year: 2000, month: 1 + n % 12, timezone: 'Asia/Tokyo'}) END, \
    duration: CASE WHEN n % 7 = 4 THEN null ELSE duration({months: v % 40, days: v % 400, seconds: n % 30}) END, \
    text: CASE WHEN n % 7 = 5 THEN null ELSE 'text number ' + toString(v) END, \
    word: CASE WHEN n % 7 = 6 THEN null ELSE ['abcdefgh', 'abcdefgh!', 'abcdefg', 'äöü', ''][n % 11] + toString(v % 97) END, \
    mixed: [n, toFloat(n) / 2, 'm' + toString(v), date('2001-01-01') + duration({days: v}), duration({days: v}), null][n % 6], \
    number: CASE WHEN n % 2 = 0 THEN v ELSE toFloat(v) + 0.5 END})";

const PROPERTIES: [&str; 14] = [
    "float", "bool", "day", "time", "local", "utc", "zoned", "late", "duration", "text", "word", "mixed",
    "number", "none",
];

fn check(queries: impl Iterator<Item = String>) {
    let snapshot = created(&[NODES]);
    let graph = Graph::read(&snapshot);
    let now = Clock { seconds: 0, nanos: 0 };
    for text in queries {
        let bound = bind(&text, snapshot.catalog()).unwrap();
        let expected = run_on(&bound, &graph, &BTreeMap::new(), now, 100_000_000).unwrap();
        for (threads, vector_size, limit) in
            [(1, 1024, None), (1, 100, None), (2, 1024, None), (3, 64, None), (2, 1024, Some(1 << 19))]
        {
            let mut settings = Settings { threads, vector_size, patient: false, ..Settings::default() };
            if let Some(limit) = limit {
                settings.budget = MemoryBudget::new(limit, None);
                let files = Box::new(TemporaryDirectory(std::env::temp_dir()));
                settings.spill = Some(Arc::new(SpillArea::new(files, u64::MAX)));
            }
            let found = ask(&text, &snapshot, settings).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
            let comparison = Comparison { ordered: text.contains("ORDER BY"), ..Comparison::default() };
            compare(&expected, &found, &comparison)
                .unwrap_or_else(|d| panic!("{text}\n{threads} {limit:?} {d}"));
        }
    }
}

#[test]
fn least_and_largest_of_every_type() {
    let columns = |p: &str| format!("min(a.{p}) AS low, max(a.{p}) AS high");
    check(PROPERTIES.iter().flat_map(|p| {
        [
            format!("MATCH (a:A) RETURN {}", columns(p)),
            format!("MATCH (a:A) RETURN a.few AS k, {}", columns(p)),
            format!("MATCH (a:A) RETURN a.many AS k, {}, count(DISTINCT a.{p}) AS n", columns(p)),
            format!("MATCH (a:A) WHERE a.n % 1000 = 7 RETURN a.few AS k, min(DISTINCT a.{p}) AS low"),
        ]
    }));
}

#[test]
fn rows_sorted_by_every_type() {
    check(PROPERTIES.iter().flat_map(|p| {
        [
            format!("MATCH (a:A) RETURN a.{p} AS v, a.n AS n ORDER BY v, n"),
            format!("MATCH (a:A) RETURN a.{p} AS v, a.n AS n ORDER BY v DESC, n SKIP 3 LIMIT 2500"),
            format!("MATCH (a:A) RETURN a.few AS k, a.{p} AS v, a.n AS n ORDER BY k DESC, v, n LIMIT 40"),
        ]
    }));
}
