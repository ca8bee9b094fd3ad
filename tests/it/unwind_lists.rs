//! UNWIND of lists that are vectors, against the same lists element by element.

use trimorph::{Config, Database, Value};

fn rows(text: &str) -> Result<Vec<Vec<String>>, String> {
    let database = Database::in_memory(Config::default());
    let connection = database.connect();
    let result = connection.query(text, &[] as &[(&str, Value)]).map_err(|e| e.to_string())?;
    let rows = result.rows().map_err(|e| e.to_string())?;
    Ok(rows.iter().map(|row| row.iter().map(|v| format!("{v:?}")).collect()).collect())
}

/// Elements of `list`, which is evaluated once for each of 5,000 rows, unwound and by index.
fn check(list: &str) {
    let made = "UNWIND range(1, 5000) AS i WITH i, CASE WHEN i % 5 > 0 THEN 'a,b,' + i END AS t";
    let unwound = rows(&format!("{made} UNWIND {list} AS x RETURN i, x"));
    // A comprehension over a range reads one list after the other.
    let indexed = rows(&format!(
        "{made} WITH i, {list} AS l WITH i, l, [k IN range(0, coalesce(size(l), 0) - 1) | {{x: l[k]}}] AS m \
         UNWIND m AS y RETURN i, y.x AS x"
    ));
    assert_eq!(unwound, indexed, "{list}");
    assert!(unwound.unwrap().len() > 4_000, "{list}");
}

#[test]
fn elements_come_as_they_are_in_the_list() {
    check("split(t, ',')");
    check("split(t, ',')[1..]");
    check("reverse(split(t, ','))");
    check("tail(split(t, ','))");
    check("[p IN split(t, ',') WHERE p <> 'a' | p + '!']");
    check("CASE WHEN i % 2 = 0 THEN split(t, ',') ELSE [i, null] END");
    check("[i, i + 1]");
}

#[test]
fn long_lists_go_on_from_vector_to_vector() {
    let text = "WITH reduce(t = 'x', i IN range(1, 17) | t + ',' + t) AS t UNWIND [t, t] AS u \
                UNWIND split(u, ',') AS x RETURN count(x), count(DISTINCT x)";
    assert_eq!(rows(text).unwrap(), [["Int(262144)", "Int(1)"]]);
}

/// Ranges of 5,000 rows, unwound and as the lists they are.
fn check_range(range: &str) {
    let made = "UNWIND range(1, 5000) AS i WITH i, CASE WHEN i % 5 > 0 THEN i % 9 END AS t";
    let unwound = rows(&format!("{made} UNWIND {range} AS x RETURN i, x"));
    // A list of a list is unwound from a vector of lists.
    let listed = rows(&format!("{made} WITH i, [x IN {range} | x] AS l UNWIND l AS x RETURN i, x"));
    match (&unwound, &listed) {
        (Ok(unwound), Ok(listed)) => assert_eq!(unwound, listed, "{range}"),
        _ => assert_eq!(unwound.is_err(), listed.is_err(), "{range}: {unwound:?}"),
    }
}

#[test]
fn ranges_have_the_bounds_of_their_rows() {
    check_range("range(0, i % 7)");
    check_range("range(i % 7, 3)");
    check_range("range(i, i - 6, -2)");
    check_range("range(1, 10, 1 + i % 4)");
    check_range("range(9223372036854775800, 9223372036854775807)");
    check_range("range(1, 0)");
    check_range("range(0, size(split('a,b,' + i, ',')) - 2)");
    // Null, zero steps and what is no integer: as row by row.
    check_range("range(0, t)");
    check_range("range(0, coalesce(t, 0))");
    check_range("range(0, 3, i % 4 - 2)");
    check_range("range(0, i / 2.0)");
    let text = "UNWIND range(1, 3000) AS i UNWIND range(1, i) AS j UNWIND range(j, j + 1) AS k \
                RETURN count(*), max(k), sum(k - j)";
    assert_eq!(rows(text).unwrap(), [["Int(9003000)", "Int(3001)", "Int(4501500)"]]);
    assert!(rows("UNWIND [1, 0] AS step UNWIND range(1, 3, step) AS x RETURN x").is_err());
}
