//! Limits of the binder: nesting, length, time.

use trimorph_algebra::Procedures;
use trimorph_base::{CancelToken, Stop, ThreadTime};
use trimorph_catalog::{Catalog, CatalogView};

use super::bind_corpus::{bound, check_plan};
use super::limits::{NESTS, nested, on_small_stack};
use super::stub_functions::Stub;
use crate::{NESTING_MAX, OPERATORS_MAX, bind_until, parse_until};

/// What the parser lets through binds or is refused, and its plan can be walked.
#[test]
fn deep_nesting_binds_on_a_small_stack() {
    on_small_stack(|| {
        for &nest in NESTS {
            for times in (10..=NESTING_MAX as usize).step_by(7) {
                let text = nested(nest, times).replace("RETURN ", "WITH 1 AS x, [1] AS xs RETURN ");
                if let Ok(query) = bound(&text) {
                    check_plan(&query);
                }
            }
        }
    });
}

#[test]
fn nests_that_repeat_what_they_hold_are_refused() {
    for (open, inner, close) in
        [("CASE ", "$x", " WHEN 1 THEN 1 WHEN 2 THEN 2 WHEN 3 THEN 3 END"), ("1 < (1 + ", "1", ") < 3")]
    {
        let text = format!("RETURN {}{inner}{} AS c", open.repeat(60), close.repeat(60));
        let error = bound(&text).err().map(|error| error.detail);
        assert_eq!(error, Some("QueryTooComplex"), "{open}");
    }
}

#[test]
fn flat_queries_may_be_long() {
    on_small_stack(|| {
        for (first, more, last) in [
            ("RETURN true", " AND true", " AS x"),
            ("MATCH (n) RETURN n.x = 0", " OR n.x = 1", " AS x"),
            ("RETURN 1", " < 2", " AS x"),
            ("MATCH (n) RETURN n:A", ":B", " AS x"),
            ("MATCH (n) RETURN n:A", "|B", " AS x"),
            ("RETURN 1 AS a", " UNION RETURN 1 AS a", ""),
            ("RETURN [1", ", 2", "] AS x"),
            ("RETURN 1", " + 1", " AS x"),
            ("MATCH (n) RETURN n.x", " - n.y * 2 + n.z", " AS x"),
            ("RETURN 2", " ^ 1", " AS x"),
            ("MATCH (n:A)", ", (n:B)", " RETURN n"),
            ("MATCH (n:A)", ", (n:B&!C)", " RETURN n"),
        ] {
            let query = bound(&format!("{first}{}{last}", more.repeat(20_000)));
            let query = query.unwrap_or_else(|e| panic!("{more}: {e}"));
            if !more.contains("UNION") {
                check_plan(&query);
            }
        }
    });
}

#[test]
fn plans_are_not_too_tall() {
    on_small_stack(|| {
        for (first, more, last) in [
            ("MATCH (n)", " WITH n", " RETURN n"),
            ("MATCH (n)", " MATCH (n)-->()", " RETURN n"),
            ("MATCH (n)", " OPTIONAL MATCH (n)-->()", " RETURN n"),
            ("MATCH (n) WHERE (n)-->()", " AND (n)-->()", " RETURN n"),
            ("MATCH (n) WHERE (n)-->()", " OR (n)-->()", " RETURN n"),
            ("MATCH ()", "-->()", " RETURN 1"),
            ("MATCH ()", ", ()", " RETURN 1"),
            ("MATCH ()", ", ({x: 1})", " RETURN 1"),
        ] {
            let fits = bound(&format!("{first}{}{last}", more.repeat(OPERATORS_MAX / 3)));
            check_plan(&fits.unwrap_or_else(|e| panic!("{more}: {e}")));
            let error = bound(&format!("{first}{}{last}", more.repeat(20_000))).expect_err(more);
            assert_eq!(error.detail, "QueryTooComplex", "{more}");
            assert!(error.span.is_some_and(|span| span.end > span.start), "{more}");
        }
    });
}

#[test]
fn reading_stops_when_asked() {
    let (going, stopped) = (CancelToken::default(), CancelToken::default());
    stopped.cancel();
    let text = "MATCH (n) WHERE n.x > 1 RETURN n.y";
    let error = parse_until(text, &stopped).map(|_| ()).unwrap_err();
    assert_eq!(error.stop, Some(Stop::Cancelled));
    let statement = parse_until(text, &going).unwrap();
    let bind = |cancel: &CancelToken| {
        bind_until(&statement, &CatalogView::new(&Catalog::default()), &Stub, &Procedures::default(), cancel)
            .map(|_| ())
    };
    assert_eq!(bind(&going), Ok(()));
    assert_eq!(bind(&stopped).unwrap_err().stop, Some(Stop::Cancelled));
}

/// Many names in one scope: each use of one must not cost as much as all.
#[test]
fn time_is_near_linear() {
    let time = ThreadTime::of_this_thread();
    let many = |first: &str, each: &dyn Fn(usize) -> String, last: &str| {
        let items: Vec<String> = (0..10_000).map(each).collect();
        format!("{first}{}{last}", items.join(", "))
    };
    for text in [
        many("MATCH ", &|i| format!("(a{i} {{x: {i}}})"), " RETURN *"),
        many("RETURN ", &|i| format!("$p{i} AS a{i}"), ""),
        many("WITH ", &|i| format!("{i} AS a{i}"), " UNWIND [1] AS y RETURN *"),
        many("CREATE ", &|i| format!("(a{i} {{x: {i}}})"), ""),
        many("MATCH (n) RETURN ", &|i| format!("sum(n.x{i}) AS a{i}"), ""),
        many("MATCH (n) RETURN count(*) AS c, ", &|i| format!("n.x{i} + {i} AS a{i}"), ""),
        many("MATCH (n) RETURN n.x AS x, ", &|i| format!("n.x + max(n.y{i}) AS a{i}"), ""),
        many("MATCH (n) WITH n ORDER BY ", &|i| format!("n.x{i}"), " RETURN n"),
        many("MATCH ", &|i| format!("(n:L{i})"), " RETURN n"),
    ] {
        let _ = bound(&text);
    }
    // Seconds where copying the scope for each would take minutes.
    assert!(time.taken().as_secs() < 20, "{:?}", time.taken());
}
