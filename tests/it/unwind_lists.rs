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
