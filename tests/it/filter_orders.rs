//! Conditions that change places while a filter runs: the rows are those that each of them lets through.

use trimorph_exec::Settings;
use trimorph_types::Value;

use super::ask::{ask, created};

/// Enough rows for conditions to be tried, put in order, and asked of many more.
const ROWS: i64 = 60_000;

#[test]
fn conditions_that_change_places_let_the_same_rows_through() {
    let snapshot = created(&[&format!(
        "UNWIND range(0, {ROWS} - 1) AS i CREATE (:A {{i: i, half: i % 2, n: CASE WHEN i % 11 > 0 THEN i % 1000 END, \
         s: 'text ' + toString(i % 7), v: CASE i % 5 WHEN 0 THEN 'x' WHEN 1 THEN i / 2.0 ELSE i END}})"
    )]);
    let number = |i: i64| (i % 11 > 0).then_some(i % 1000);
    // Written so that those that let least fall stand first, where the plan does not know better.
    type Holds<'a> = &'a dyn Fn(i64) -> bool;
    let cases: [(&str, Holds<'_>); 5] = [
        ("a.half = 0 AND a.n > 990", &|i| i % 2 == 0 && number(i).is_some_and(|n| n > 990)),
        ("a.half <> 3 AND a.n IS NOT NULL AND a.s <> 'text 9' AND a.n < 7", &|i| {
            number(i).is_some_and(|n| n < 7)
        }),
        ("a.s STARTS WITH 'text' AND a.s CONTAINS '3' AND a.half = 1 AND a.n IN [1, 5, 77, 501]", &|i| {
            i % 7 == 3 && i % 2 == 1 && number(i).is_some_and(|n| [1, 5, 77, 501].contains(&n))
        }),
        // Among numbers there are texts.
        ("a.half = 0 AND a.v > 59000 AND a.s <> 'text 0'", &|i| {
            let value = match i % 5 {
                0 => f64::NAN,
                1 => i as f64 / 2.0,
                _ => i as f64,
            };
            i % 2 == 0 && value > 59_000.0 && i % 7 != 0
        }),
        ("a.half = 7 AND a.n > 3", &|_| false),
    ];
    for threads in [1, 2] {
        for (condition, holds) in cases {
            let passing: Vec<i64> = (0..ROWS).filter(|i| holds(*i)).collect();
            let settings = || Settings { threads, ..Settings::default() };
            let rows = |query: &str| ask(query, &snapshot, settings()).unwrap();
            let counted = rows(&format!("MATCH (a:A) WHERE {condition} RETURN count(*) AS n"));
            assert!(
                matches!(counted[..], [ref row] if matches!(row[..], [Value::Int(n)] if n == passing.len() as i64)),
                "{condition}: {counted:?}"
            );
            let mut found: Vec<i64> = rows(&format!("MATCH (a:A) WHERE {condition} RETURN a.i AS i"))
                .into_iter()
                .filter_map(|row| if let Value::Int(i) = row[0] { Some(i) } else { None })
                .collect();
            found.sort_unstable();
            assert_eq!(found, passing, "{condition}");
        }
    }
}
