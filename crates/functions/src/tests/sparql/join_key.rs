//! Keys of joins: what is equal has one key.

use trimorph_types::{Value, equals};

use super::evaluator::{shown, text, value};

/// Terms of all kinds, many of which are equal to others.
const TERMS: &str = r#"
    1 | "01"^^xsd:integer | 1.0 | 1.0e0 | "1.0"^^xsd:float | "1"^^xsd:byte | "1" | "1"^^xsd:boolean | true
    0.1 | 0.1e0 | "0.1"^^xsd:float | 16777217 | "16777216"^^xsd:float | 0 | "-0.0"^^xsd:double | 42
    99999999999999999999 | "099999999999999999999"^^xsd:integer | "99999999999999999999.0"^^xsd:decimal
    "NaN"^^xsd:double | "INF"^^xsd:double | "INF"^^xsd:float | "abc"^^xsd:integer | "300"^^xsd:byte
    "a" | "a"@en | "a"@EN | "a"@en--ltr | "a"^^xsd:string | "a"^^<t1> | "b"^^<t1> | <a> | _:a | null
    "2002-04-02T23:00:00-04:00"^^xsd:dateTime | "2002-04-03T02:00:00-01:00"^^xsd:dateTime
    "1999-12-31T24:00:00"^^xsd:dateTime | "2000-01-01T00:00:00"^^xsd:dateTime | "2000-01-01"^^xsd:date
    "2000-01-01Z"^^xsd:date | "2000-01-01+00:00"^^xsd:date | "P1D"^^xsd:duration
    "PT24H"^^xsd:dayTimeDuration | "P1Y"^^xsd:yearMonthDuration | "P12M"^^xsd:duration | "01:02:03"^^xsd:time
    #7 | #8 | #9 | <http://n/7> | "042"^^xsd:integer
    <<(<a> <b> 1)>> | <<(<a> <b> 1.0)>> | <<(<a> <c> 1)>> | "0a"^^xsd:hexBinary
"#;

fn terms() -> Vec<&'static str> {
    TERMS.lines().flat_map(|line| line.split(" | ")).map(str::trim).filter(|term| !term.is_empty()).collect()
}

#[test]
fn what_is_equal_has_one_key() {
    for (equality, key) in [("eq", "eq_key"), ("same", "same_key")] {
        let mut met = 0;
        for a in terms() {
            for b in terms() {
                if text(&format!("{equality}({a}, {b})")) == "\"true\"^^xsd:boolean" {
                    let keys = [a, b].map(|term| value(&format!("{key}({term})")));
                    assert_eq!(equals(&keys[0], &keys[1]), Some(true), "{equality} {a} {b}: {keys:?}");
                    met += usize::from(a != b);
                }
            }
        }
        assert!(met > 4, "{equality}: {met} pairs of different terms are equal");
    }
}

#[test]
fn most_that_differ_have_keys_of_their_own() {
    let keys: Vec<Value> = terms().iter().map(|term| value(&format!("eq_key({term})"))).collect();
    let shared = |at: &usize| keys.iter().filter(|key| equals(key, &keys[*at]) == Some(true)).count();
    for (at, term) in terms().iter().enumerate() {
        let is_alone = ["\"1\"", "\"a\"@en--ltr", "\"a\"^^<t1>", "<a>", "_:a", "#8", "\"300\"^^xsd:byte"];
        assert!(!is_alone.contains(term) || shared(&at) == 1, "{term} {}", shown(&keys[at]));
    }
    assert!(value("eq_key(null)").is_null());
}
