//! Equality, order, sameTerm, the effective boolean value, ORDER BY.

use trimorph_base::Random;
use trimorph_types::{Value, order};

use super::evaluator::{check, text, value};

/// Dates that lack parts compare with those that lack the same.
#[test]
fn parts_of_dates() {
    check(
        r#"
        lt("1999"^^xsd:gYear, "2000"^^xsd:gYear) ==> "true"^^xsd:boolean
        lt("-0044"^^xsd:gYear, "0001"^^xsd:gYear) ==> "true"^^xsd:boolean
        gt("12000"^^xsd:gYear, "2000"^^xsd:gYear) ==> "true"^^xsd:boolean
        eq("2000"^^xsd:gYear, "2000Z"^^xsd:gYear) ==> error
        eq("2000+00:00"^^xsd:gYear, "2000Z"^^xsd:gYear) ==> "true"^^xsd:boolean
        ne("2000"^^xsd:gYear, "2001"^^xsd:gYear) ==> "true"^^xsd:boolean
        ge("2000-02"^^xsd:gYearMonth, "2000-01"^^xsd:gYearMonth) ==> "true"^^xsd:boolean
        lt("--02-29"^^xsd:gMonthDay, "--03-01"^^xsd:gMonthDay) ==> "true"^^xsd:boolean
        lt("--02"^^xsd:gMonth, "--12"^^xsd:gMonth) ==> "true"^^xsd:boolean
        lt("---02"^^xsd:gDay, "---31"^^xsd:gDay) ==> "true"^^xsd:boolean
        eq("2000"^^xsd:gYear, "2000-01"^^xsd:gYearMonth) ==> "false"^^xsd:boolean
        eq("2000"^^xsd:gYear, "2000-01-01"^^xsd:date) ==> "false"^^xsd:boolean
        lt("2000"^^xsd:gYear, "2000-01-01"^^xsd:date) ==> error
        lt("2000"^^xsd:gYear, 2001) ==> error
        eq("02000"^^xsd:gYear, "2000"^^xsd:gYear) ==> error
        eq("--02-30"^^xsd:gMonthDay, "--03-01"^^xsd:gMonthDay) ==> error
        eq("--13"^^xsd:gMonth, "--03"^^xsd:gMonth) ==> error
        eq("2000-00"^^xsd:gYearMonth, "2000-01"^^xsd:gYearMonth) ==> error
        "#,
    );
}

#[test]
fn equality() {
    check(
        r#"
        eq(1, 1) ==> "true"^^xsd:boolean
        eq(1, "01"^^xsd:integer) ==> "true"^^xsd:boolean
        eq(1, 1.0) ==> "true"^^xsd:boolean
        eq(1, 1.0e0) ==> "true"^^xsd:boolean
        eq("1"^^xsd:byte, "1.0"^^xsd:float) ==> "true"^^xsd:boolean
        eq(0.1, 0.1e0) ==> "true"^^xsd:boolean
        eq(0.1, "0.1"^^xsd:float) ==> "true"^^xsd:boolean
        eq("0.1"^^xsd:float, 0.1e0) ==> "false"^^xsd:boolean
        eq("1.50"^^xsd:decimal, 1.5) ==> "true"^^xsd:boolean
        eq("NaN"^^xsd:double, "NaN"^^xsd:double) ==> "false"^^xsd:boolean
        ne("NaN"^^xsd:double, "NaN"^^xsd:double) ==> "true"^^xsd:boolean
        eq("99999999999999999999"^^xsd:integer, "099999999999999999999"^^xsd:integer) ==> "true"^^xsd:boolean
        // Badly formed numbers are opaque.
        eq("300"^^xsd:byte, 300) ==> error
        eq("abc"^^xsd:integer, "abc"^^xsd:integer) ==> "true"^^xsd:boolean
        eq("abc"^^xsd:integer, 1) ==> error
        eq("a", "a") ==> "true"^^xsd:boolean
        eq("a", "a"@en) ==> "false"^^xsd:boolean
        eq("a"@en, "a"@EN) ==> "true"^^xsd:boolean
        eq("a"@en, "a"@en--ltr) ==> "false"^^xsd:boolean
        eq("a", 1) ==> "false"^^xsd:boolean
        eq(true, 1) ==> "false"^^xsd:boolean
        eq("1"^^xsd:boolean, true) ==> "true"^^xsd:boolean
        eq(<a>, <a>) ==> "true"^^xsd:boolean
        eq(<a>, "a") ==> "false"^^xsd:boolean
        eq(<a>, _:a) ==> "false"^^xsd:boolean
        eq("a"^^<t1>, "a"^^<t1>) ==> "true"^^xsd:boolean
        eq("a"^^<t1>, "b"^^<t1>) ==> error
        ne("a"^^<t1>, "a"^^<t2>) ==> error
        eq("a"^^<t1>, "a") ==> error
        eq("a"^^<t1>, <a>) ==> "false"^^xsd:boolean
        eq(null, 1) ==> error
        // sparql10/open-world/date-2
        ne("2006-08-23T09:00:00+01:00"^^xsd:dateTime, "2006-08-23"^^xsd:date) ==> "true"^^xsd:boolean
        ne("2006-08-23"^^xsd:date, "2006-08-23"^^xsd:date) ==> "false"^^xsd:boolean
        ne("2006-08-23Z"^^xsd:date, "2006-08-23"^^xsd:date) ==> error
        ne("2006-08-23+00:00"^^xsd:date, "2006-08-23"^^xsd:date) ==> error
        ne("2001-01-01Z"^^xsd:date, "2006-08-23"^^xsd:date) ==> "true"^^xsd:boolean
        // sparql10/expr-equals/data-eq-dateTime
        eq("2002-04-02T23:00:00-04:00"^^xsd:dateTime, "2002-04-03T02:00:00-01:00"^^xsd:dateTime) ==> "true"^^xsd:boolean
        eq("1999-12-31T24:00:00"^^xsd:dateTime, "2000-01-01T00:00:00"^^xsd:dateTime) ==> "true"^^xsd:boolean
        eq("2005-04-04T24:00:00"^^xsd:dateTime, "2005-04-04T00:00:00"^^xsd:dateTime) ==> "false"^^xsd:boolean
        eq("2008-04-01T00:00:00.00Z"^^xsd:dateTime, "2008-04-01T00:00:00Z"^^xsd:dateTime) ==> "true"^^xsd:boolean
        eq("2008-04-01T00:00:00Z", "2008-04-01T00:00:00Z"^^xsd:dateTime) ==> "false"^^xsd:boolean
        eq("P1D"^^xsd:duration, "PT24H"^^xsd:dayTimeDuration) ==> "true"^^xsd:boolean
        eq("P1Y"^^xsd:yearMonthDuration, "P12M"^^xsd:duration) ==> "true"^^xsd:boolean
        eq("P0Y"^^xsd:yearMonthDuration, "PT0S"^^xsd:dayTimeDuration) ==> "true"^^xsd:boolean
        // Nodes.
        eq(#7, #7) ==> "true"^^xsd:boolean
        eq(#7, #8) ==> "false"^^xsd:boolean
        eq(#7, <http://n/7>) ==> "true"^^xsd:boolean
        eq(_:eight, #8) ==> "true"^^xsd:boolean
        eq(#9, "042"^^xsd:integer) ==> "true"^^xsd:boolean
        // Triple terms compare part by part.
        eq(<<(<a> <b> 1)>>, <<(<a> <b> 1.0)>>) ==> "true"^^xsd:boolean
        eq(<<(<a> <b> 1)>>, <<(<a> <c> "x"^^<t>)>>) ==> "false"^^xsd:boolean
        eq(<<(<a> <b> "y"^^<t>)>>, <<(<a> <b> "x"^^<t>)>>) ==> error
        eq(<<(<a> <b> <c>)>>, <a>) ==> "false"^^xsd:boolean
        "#,
    );
}

#[test]
fn less_and_more() {
    check(
        r#"
        lt(1, 2) ==> "true"^^xsd:boolean
        le(2, "2"^^xsd:short) ==> "true"^^xsd:boolean
        gt(2.5, 2) ==> "true"^^xsd:boolean
        ge("INF"^^xsd:float, 1e308) ==> "true"^^xsd:boolean
        lt("NaN"^^xsd:double, 1) ==> "false"^^xsd:boolean
        ge("NaN"^^xsd:double, 1) ==> "false"^^xsd:boolean
        lt("a", "b") ==> "true"^^xsd:boolean
        lt(<a>, <b>) ==> error
        lt("a"@en, "b"@en) ==> "true"^^xsd:boolean
        ge("a"@en, "b"@EN) ==> "false"^^xsd:boolean
        lt("a"@en, "b"@de) ==> error
        lt("a"@en, "b") ==> error
        lt("a"@en--ltr, "b"@en) ==> error
        lt("a", 1) ==> error
        lt(false, true) ==> "true"^^xsd:boolean
        gt("2006-08-23Z"^^xsd:date, "2006-08-22"^^xsd:date) ==> "true"^^xsd:boolean
        gt("2006-08-23+00:00"^^xsd:date, "2006-08-22"^^xsd:date) ==> "true"^^xsd:boolean
        gt("2006-08-23T09:00:00+01:00"^^xsd:dateTime, "2006-08-22"^^xsd:date) ==> error
        lt("2000-01-15T00:00:00"^^xsd:dateTime, "2000-02-15T00:00:00Z"^^xsd:dateTime) ==> "true"^^xsd:boolean
        lt("2000-01-15T12:00:00"^^xsd:dateTime, "2000-01-16T12:00:00Z"^^xsd:dateTime) ==> "true"^^xsd:boolean
        lt("2000-01-01T12:00:00"^^xsd:dateTime, "1999-12-31T23:00:00Z"^^xsd:dateTime) ==> error
        lt("12:00:00Z"^^xsd:time, "12:00:00-01:00"^^xsd:time) ==> "true"^^xsd:boolean
        lt("P1M"^^xsd:duration, "P32D"^^xsd:duration) ==> "true"^^xsd:boolean
        lt("P1M"^^xsd:duration, "P30D"^^xsd:duration) ==> error
        lt("P1Y"^^xsd:yearMonthDuration, "P13M"^^xsd:yearMonthDuration) ==> "true"^^xsd:boolean
        lt("PT36H"^^xsd:dayTimeDuration, "P1D"^^xsd:dayTimeDuration) ==> "false"^^xsd:boolean
        lt(#9, 43) ==> "true"^^xsd:boolean
        "#,
    );
}

#[test]
fn same_terms() {
    check(
        r#"
        same(1, 1) ==> "true"^^xsd:boolean
        same(1, "01"^^xsd:integer) ==> "false"^^xsd:boolean
        same(1, 1.0) ==> "false"^^xsd:boolean
        same(1.0e0, 1) ==> "false"^^xsd:boolean
        same("1"^^xsd:int, 1) ==> "false"^^xsd:boolean
        same("NaN"^^xsd:double, "NaN"^^xsd:double) ==> "true"^^xsd:boolean
        same("0.0E0"^^xsd:double, "-0.0E0"^^xsd:double) ==> "false"^^xsd:boolean
        same("a"@en, "a"@EN) ==> "true"^^xsd:boolean
        same("abc", "abc"^^xsd:string) ==> "true"^^xsd:boolean
        same("2005-01-01T00:00:00Z"^^xsd:dateTime, "2005-01-01T01:00:00+01:00"^^xsd:dateTime) ==> "false"^^xsd:boolean
        same(#7, <http://n/7>) ==> "true"^^xsd:boolean
        same(#7, #9) ==> "false"^^xsd:boolean
        same(add(1.0, 0.5), 1.5) ==> "true"^^xsd:boolean
        same(<<(<a> <b> "x"@EN)>>, <<(<a> <b> "x"@en)>>) ==> "true"^^xsd:boolean
        "#,
    );
}

/// sparql12/expression/not-not and more.
#[test]
fn effective_boolean_value() {
    check(
        r#"
        ebv(true) ==> "true"^^xsd:boolean
        ebv(1) ==> "true"^^xsd:boolean
        ebv("a") ==> "true"^^xsd:boolean
        ebv(false) ==> "false"^^xsd:boolean
        ebv(0) ==> "false"^^xsd:boolean
        ebv("") ==> "false"^^xsd:boolean
        ebv("a"@en) ==> error
        ebv("z"^^xsd:boolean) ==> error
        ebv("2020-01-01T00:00:00Z"^^xsd:dateTime) ==> error
        ebv(<a>) ==> error
        ebv("NaN"^^xsd:float) ==> "false"^^xsd:boolean
        ebv("0.00"^^xsd:decimal) ==> "false"^^xsd:boolean
        ebv("-1"^^xsd:negativeInteger) ==> "true"^^xsd:boolean
        ebv("1"^^xsd:boolean) ==> "true"^^xsd:boolean
        "#,
    );
}

/// Ascending.
const ORDERED: &[&[&str]] = &[
    &["null"],
    &["_:a", "#8"],
    &["<http://a>", "<http://b>", "#7", "<http://z>"],
    &["\"\"", "\"a\"", "\"b\"", "\"é\""],
    &["false", "true"],
    &["\"-INF\"^^xsd:float", "-5.5", "\"01\"^^xsd:byte", "\"1.5\"^^xsd:float", "2", "2.5e0", "#9", "1e99"],
    &[
        "\"2000-01-01T12:00:00+14:00\"^^xsd:dateTime",
        "\"2000-01-01T00:00:00\"^^xsd:dateTime",
        "\"2000-01-01T00:00:00-01:00\"^^xsd:dateTime",
    ],
    &["\"2000-01-01Z\"^^xsd:date", "\"2000-01-02\"^^xsd:date"],
    &["\"10:00:00Z\"^^xsd:time", "\"12:00:00\"^^xsd:time", "\"10:00:00-05:00\"^^xsd:time"],
    &["\"-P1D\"^^xsd:duration", "\"PT23H\"^^xsd:dayTimeDuration", "\"P1D\"^^xsd:dayTimeDuration"],
    // sparql12/eval-triple-terms/order-2
    &[
        "<<(<s> <p> -456)>>",
        "<<(<s> <p> 123)>>",
        "<<(<s> <p> <<(<x> <y> <z>)>>)>>",
        "<<(<s1> <a> 999)>>",
        "<<(<s1> <p> 999)>>",
        "<<(<s2> <p> 900)>>",
    ],
];

fn keys(term: &str) -> [Value; 2] {
    [value(&format!("order({term})")), value(&format!("order_triple({term})"))]
}

#[test]
fn order_by() {
    let compare = |a: &str, b: &str| {
        let (a, b) = (keys(a), keys(b));
        order(&a[0], &b[0]).then_with(|| order(&a[1], &b[1]))
    };
    for group in ORDERED {
        for (i, a) in group.iter().enumerate() {
            for (j, b) in group.iter().enumerate() {
                assert_eq!(compare(a, b), i.cmp(&j), "{a} {b}");
            }
        }
    }
    // The kinds: nothing, blank nodes, IRIs, literals, triple terms.
    let kind = |i: usize| match i {
        0..=2 => i,
        10 => 4,
        _ => 3,
    };
    for (i, a) in ORDERED.iter().enumerate() {
        for (j, b) in ORDERED.iter().enumerate().filter(|(j, _)| kind(*j) != kind(i)) {
            assert_eq!(compare(a[0], b[0]), kind(i).cmp(&kind(j)), "{} {}", a[0], b[0]);
        }
    }
    // Equal values have equal keys.
    for (a, b) in [
        ("1", "\"01\"^^xsd:integer"),
        ("1.5", "\"1.50\"^^xsd:decimal"),
        ("\"P1D\"^^xsd:duration", "\"PT24H\"^^xsd:duration"),
        ("\"1\"^^xsd:boolean", "true"),
        ("\"2005-01-01T00:00:00Z\"^^xsd:dateTime", "\"2005-01-01T01:00:00+01:00\"^^xsd:dateTime"),
    ] {
        assert!(compare(a, b).is_eq(), "{a} {b}");
    }
}

#[test]
fn order_agrees_with_less() {
    let terms: Vec<&str> = ORDERED.iter().flat_map(|group| group.iter().copied()).collect();
    let mut random = Random::new(3);
    for _ in 0..5_000 {
        let (a, b) = (*random.pick(&terms), *random.pick(&terms));
        if text(&format!("lt({a}, {b})")) == "\"true\"^^xsd:boolean" {
            assert!(order(&keys(a)[0], &keys(b)[0]).is_lt(), "{a} {b}");
        }
    }
}
