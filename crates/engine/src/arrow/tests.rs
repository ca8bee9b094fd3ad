//! Results as record batches, whole and in streams.

use arrow_array::{Array, Decimal128Array, RecordBatch, StringArray};

use crate::{Config, Database, Decimal, Error, QueryResult, Value};

/// Asks `text`, in which decimals stand as `#0.5#`: openCypher has no literals for them.
fn ask(text: &str) -> QueryResult {
    let (mut query, mut params) = (String::new(), Vec::new());
    for (i, part) in text.split('#').enumerate() {
        if i % 2 == 0 {
            query.push_str(part);
        } else {
            query.push_str(&format!("$d{i}"));
            params.push((format!("d{i}"), Value::Decimal(Decimal::parse(part).unwrap())));
        }
    }
    let params: Vec<_> = params.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    Database::in_memory(Config::default()).connect().query(&query, &params).unwrap()
}

fn stream(text: &str) -> (String, usize, Result<usize, String>) {
    let mut result = ask(text);
    let stream = result.arrow_stream().unwrap();
    let types = stream.schema().fields().iter().map(|f| f.data_type().to_string()).collect::<Vec<_>>();
    let (mut batches, mut rows) = (0, 0);
    for batch in stream {
        match batch {
            Ok(batch) => (batches, rows) = (batches + 1, rows + batch.num_rows()),
            Err(error) => return (types.join(" "), batches, Err(error.to_string())),
        }
    }
    (types.join(" "), batches, Ok(rows))
}

#[test]
fn batches_come_one_by_one_with_one_schema() {
    let (types, batches, rows) = stream("UNWIND range(1, 50000) AS x RETURN x, x * 0.5 AS y, 'a' + x AS z");
    assert_eq!((types.as_str(), rows), ("Int64 Float64 Utf8", Ok(50_000)));
    assert!(batches > 4, "{batches}");
    assert_eq!(stream("UNWIND [] AS x RETURN x, 1 AS y").2, Ok(0));
    // Null at first, a value later.
    let text = "UNWIND range(1, 20000) AS x RETURN CASE WHEN x > 15000 THEN [1.5, x][0] END AS y";
    assert_eq!(stream(text), ("Float64".into(), stream(text).1, Ok(20_000)));
}

/// A property that nodes of one label set have and those of others do not, in either order.
#[test]
fn what_a_table_has_not_is_null_in_the_type_that_another_has() {
    let values = [
        ("i", "Int64"),
        ("i / 2.0", "Float64"),
        ("'t' + i", "Utf8"),
        ("i % 2 = 0", "Boolean"),
        ("date('2020-01-01') + duration({days: i % 90})", "Date32"),
        ("localtime({hour: i % 24})", "Time64(ns)"),
        ("localdatetime({year: 2020, hour: i % 24})", "Timestamp(ns)"),
        ("datetime({year: 2020, hour: i % 24})", "Timestamp(ns, \"UTC\")"),
        ("[i, i + 1]", "List(Int64)"),
        ("point", "Utf8"),
    ];
    let rows = 9_000;
    for (value, ty) in values {
        let connection = Database::in_memory(Config::default()).connect();
        for label in ["A", "B", "C"] {
            let property = if label == "B" { format!(", p: {value}") } else { String::new() };
            let property = property.replace(", p: point", "");
            let text = format!("UNWIND range(1, {rows}) AS i CREATE (:{label}:N {{i: i{property}}})");
            connection.query(&text, &[]).unwrap();
        }
        for label in ["N", "A", "B"] {
            let text = format!("MATCH (n:{label}) RETURN n.p AS p, n.i AS i");
            let (schema, batches) = connection.query(&text, &[]).unwrap().arrow().unwrap();
            let found = schema.field(0).data_type().to_string();
            // Without any value it is the type of the property, if that is one of Arrow's, else text.
            let expected = if label == "A" && value.starts_with('[') { "Utf8" } else { ty };
            assert_eq!(found, expected, "{value} of {label}");
            let nulls: usize = batches.iter().map(|batch| batch.column(0).logical_null_count()).sum();
            let all: usize = batches.iter().map(RecordBatch::num_rows).sum();
            let expected = match (label, value) {
                ("B", "point") | ("A", _) => (rows, rows),
                ("B", _) => (0, rows),
                (_, "point") => (3 * rows, 3 * rows),
                _ => (2 * rows, 3 * rows),
            };
            assert_eq!((nulls, all), expected, "{value} of {label}");
        }
    }
}

#[test]
fn a_column_that_changes_its_type_is_an_error_or_text() {
    let late = "UNWIND range(1, 20000) AS x RETURN CASE WHEN x > 15000 THEN 'late' ELSE [x][0] END AS y";
    let (types, _, rows) = stream(late);
    assert_eq!(types, "Int64");
    assert!(rows.unwrap_err().contains("column \"y\" began with INTEGER and goes on with STRING"));
    let early = "UNWIND [1, 'early', 2.5, null, [1]] AS y RETURN y";
    assert_eq!(stream(early), ("Utf8".into(), 1, Ok(5)));
}

/// The types and the rows, as text, of a result as a whole.
fn whole(text: &str) -> (String, Vec<RecordBatch>) {
    let (schema, batches) = ask(text).arrow().unwrap();
    let types = schema.fields().iter().map(|f| f.data_type().to_string()).collect::<Vec<_>>();
    (types.join(" "), batches)
}

fn decimals(batches: &[RecordBatch]) -> Vec<Option<String>> {
    let columns = batches.iter().map(|b| b.column(0).as_any().downcast_ref::<Decimal128Array>().unwrap());
    columns.flat_map(|c| (0..c.len()).map(|i| c.is_valid(i).then(|| c.value_as_string(i)))).collect()
}

#[test]
fn decimals_have_the_scale_that_fits_all() {
    let check = |list: &str, ty: &str, values: &[&str]| {
        let (types, batches) = whole(&format!("UNWIND [{list}] AS x RETURN x"));
        assert_eq!(types, ty, "{list}");
        if ty.starts_with("Decimal") {
            let found: Vec<_> = decimals(&batches).into_iter().map(|v| v.unwrap_or("null".into())).collect();
            assert_eq!(found, values, "{list}");
        }
    };
    let d = |text: &str| format!("#{text}#");
    let list = |texts: &[&str]| texts.iter().map(|t| d(t)).collect::<Vec<_>>().join(", ");
    check(&list(&["1.5", "-22.25", "0.001"]), "Decimal128(38, 3)", &["1.500", "-22.250", "0.001"]);
    check(&list(&["7"]), "Decimal128(38, 0)", &["7"]);
    check(&format!("null, {}, 3", d("0.5")), "Decimal128(38, 1)", &["null", "0.5", "3.0"]);
    let nines = "9".repeat(38);
    check(&list(&[&nines]), "Decimal128(38, 0)", &[&nines]);
    // 38 digits before the point and one behind do not fit.
    check(&list(&[&nines, "0.5"]), "Utf8", &[]);
    check(&format!("{}, 1.5", d("0.5")), "Utf8", &[]);
}

#[test]
fn batches_that_differ_in_type_are_brought_together() {
    let late = |value: &str, first: &str| {
        whole(&format!(
            "UNWIND range(1, 150000) AS x RETURN CASE WHEN x > 149999 THEN {value} ELSE [{first}][0] END AS y"
        ))
    };
    let last = |batches: &[RecordBatch], at: usize| {
        let texts = batches[0].column(0).as_any().downcast_ref::<StringArray>().unwrap();
        (texts.value(at).to_owned(), batches.iter().map(RecordBatch::num_rows).sum::<usize>())
    };
    assert_eq!(late("0.5", "x").0, "Float64");
    let (types, batches) = late("#0.5#", "x");
    assert_eq!(types, "Decimal128(38, 1)");
    assert_eq!(decimals(&batches)[149_998..], [Some("149999.0".into()), Some("0.5".into())]);
    // The text form of what was there first, not of what it was widened to.
    let (types, batches) = late("'late'", "CASE x WHEN 2 THEN 0.5 ELSE x END");
    assert_eq!(
        (types.as_str(), last(&batches, 0), last(&batches, 1)),
        ("Utf8", ("1".into(), 150_000), ("0.5".into(), 150_000))
    );
    let (types, batches) = late("1", "#2.50#");
    assert_eq!((types.as_str(), decimals(&batches)[0].clone()), ("Decimal128(38, 1)", Some("2.5".into())));
}

#[test]
fn small_vectors_become_large_batches() {
    let (_, batches) = whole("UNWIND range(1, 200000) AS x WITH x WHERE x % 100 = 7 RETURN x, 'a' + x AS s");
    assert_eq!(batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [2000]);
}

#[test]
fn streams_leave_room_for_longer_decimals() {
    let text = "UNWIND range(1, 20000) AS x RETURN CASE WHEN x > 15000 THEN #0.125# ELSE #1.5# END AS y";
    assert_eq!(stream(text), ("Decimal128(38, 18)".into(), stream(text).1, Ok(20_000)));
    let text = text.replace("#1.5#", "#123456789012345678901.5#");
    let (types, _, rows) = stream(&text);
    assert_eq!(types, "Decimal128(38, 1)");
    assert!(
        rows.unwrap_err()
            .contains("began with DECIMAL with 1 digits behind the point and goes on with DECIMAL")
    );
}

/// Types, the column's texts row by row (`-` is null), and the notices of a whole result.
fn instants(list: &str) -> (String, Vec<String>, usize) {
    let mut result = ask(&format!("UNWIND {list} AS x RETURN x"));
    let (schema, batches) = result.arrow().unwrap();
    let texts = batches.iter().flat_map(|batch| {
        let column = batch.column(0);
        let text = |i| arrow_cast_text(column.as_ref(), i);
        (0..batch.num_rows()).map(text).collect::<Vec<_>>()
    });
    (schema.field(0).data_type().to_string(), texts.collect(), result.notices().len())
}

/// The number or the text of a cell.
fn arrow_cast_text(array: &dyn Array, i: usize) -> String {
    use arrow_array::types::{
        TimestampMicrosecondType as Micro, TimestampMillisecondType as Milli, TimestampNanosecondType as Nano,
    };
    use arrow_array::{Date32Array, PrimitiveArray};
    let any = array.as_any();
    let number = (any.downcast_ref::<PrimitiveArray<Nano>>().map(|a| a.value(i)))
        .or_else(|| any.downcast_ref::<PrimitiveArray<Micro>>().map(|a| a.value(i)))
        .or_else(|| any.downcast_ref::<PrimitiveArray<Milli>>().map(|a| a.value(i)))
        .or_else(|| any.downcast_ref::<Date32Array>().map(|a| a.value(i).into()));
    if array.is_null(i) {
        return "-".into();
    }
    let text = || any.downcast_ref::<StringArray>().map(|a| a.value(i).to_owned());
    number.map(|n| n.to_string()).or_else(text).unwrap_or_default()
}

#[test]
fn no_instant_becomes_null() {
    let check = |list: &str, ty: &str, texts: &[&str], notices: usize| {
        assert_eq!(instants(list), (ty.to_owned(), texts.iter().map(|t| (*t).to_owned()).collect(), notices));
    };
    let ns = "Timestamp(ns)";
    check("[localdatetime('2020-01-01T00:00:00.000000001'), null]", ns, &["1577836800000000001", "-"], 0);
    // The last nanosecond that fits, and the first.
    let (last, first) = ("2262-04-11T23:47:16.854775807", "1677-09-21T00:12:43.145224192");
    let ends = format!("[localdatetime('{last}'), localdatetime('{first}')]");
    check(&ends, ns, &["9223372036854775807", "-9223372036854775808"], 0);
    let far = "localdatetime('2500-01-01T00:00:00.000001')";
    let micros = ["16725225600000001", "-11676096000000000"];
    check(&format!("[{far}, localdatetime('1600-01-01')]"), "Timestamp(µs)", &micros, 0);
    check("[localdatetime('-290000-01-01')]", "Timestamp(µs)", &["-9213683299200000000"], 0);
    check("[localdatetime('+300000-01-01T00:00:00.5')]", "Timestamp(ms)", &["9404918380800500"], 0);
    check("[datetime('2500-01-01T01:00+01:00')]", "Timestamp(µs, \"UTC\")", &["16725225600000000"], 0);
    // Far ones beside ones that need nanoseconds, and ones too far for milliseconds.
    let fine = "localdatetime('2020-01-01T00:00:00.000000001')";
    let texts = ["2500-01-01T00:00:00.000001", "2020-01-01T00:00:00.000000001"];
    check(&format!("[{far}, {fine}]"), "Utf8", &texts, 1);
    check("[localdatetime('+999999999-01-01')]", "Utf8", &["+999999999-01-01T00:00"], 1);
    check("[date('+9999999-01-01'), date('1970-01-02')]", "Utf8", &["+9999999-01-01", "1970-01-02"], 1);
    check("[date('-5000000-01-01')]", "Date32", &["-1826932028"], 0);
    // Of two types they are text, too.
    check(&format!("[{far}, date('2020-01-01')]"), "Utf8", &["2500-01-01T00:00:00.000001", "2020-01-01"], 1);
}

#[test]
fn instants_of_many_batches_agree_on_a_unit() {
    let late = |late: &str, first: &str| {
        whole(&format!(
            "UNWIND range(1, 150000) AS x RETURN CASE WHEN x > 149999 THEN {late} ELSE {first} END AS y"
        ))
        .0
    };
    let (far, near) = ("localdatetime('2500-01-01')", "localdatetime('2020-01-01')");
    assert_eq!(late(far, near), "Timestamp(µs)");
    assert_eq!(late(far, "localdatetime('2020-01-01T00:00:00.000000001')"), "Utf8");
    assert_eq!(late(near, near), "Timestamp(ns)");
}

#[test]
fn a_stream_of_instants_keeps_the_unit_of_the_first() {
    let (far, near) = ("localdatetime('2500-01-01')", "localdatetime('2020-01-01')");
    let text = |late: &str, first: &str| {
        format!("UNWIND range(1, 20000) AS x RETURN CASE WHEN x > 15000 THEN {late} ELSE {first} END AS y")
    };
    let (types, _, rows) = stream(&text(far, near));
    assert_eq!(types, "Timestamp(ns)");
    let error = rows.unwrap_err();
    assert!(error.contains("column \"y\" began with LOCAL DATETIME in Arrow's ns"), "{error}");
    assert!(error.contains("fetch the result as a whole"), "{error}");
    let (types, _, rows) = stream(&text(near, far));
    assert_eq!((types.as_str(), rows), ("Timestamp(µs)", Ok(20_000)));
    let (types, _, rows) = stream(&text("localdatetime('2020-01-01T00:00:00.000000001')", far));
    assert_eq!(types, "Timestamp(µs)");
    assert!(rows.unwrap_err().contains("column \"y\""));
    assert_eq!(stream(&text(far, "null")).0, "Timestamp(µs)");
}

/// Both have the same rows in the same order, wherever batches end.
fn assert_same_rows(ours: &[RecordBatch], theirs: &[RecordBatch], how: &str) {
    let rows = |batches: &[RecordBatch]| batches.iter().map(RecordBatch::num_rows).sum::<usize>();
    assert_eq!(rows(ours), rows(theirs), "{how}");
    let (mut own, mut other) = ((0, 0), (0, 0));
    while own.0 < ours.len() && other.0 < theirs.len() {
        let (a, b) = (&ours[own.0], &theirs[other.0]);
        let len = (a.num_rows() - own.1).min(b.num_rows() - other.1);
        assert!(
            a.slice(own.1, len) == b.slice(other.1, len),
            "{how}: rows from {} of batch {}",
            own.1,
            own.0
        );
        for (place, batch) in [(&mut own, a), (&mut other, b)] {
            place.1 += len;
            if place.1 == batch.num_rows() {
                *place = (place.0 + 1, 0);
            }
        }
    }
}

/// Whichever threads build them.
#[test]
fn batches_are_the_same_on_several_threads() {
    let asked = |threads, limit| {
        let db = Database::in_memory(Config::default().threads(threads).memory_limit_bytes(limit));
        let c = db.connect();
        let made = "UNWIND range(1, 40000) AS x CREATE (:A {x: x, s: 'text ' + x, l: [x]})-[:T {w: x}]->(:B)";
        c.query(made, &[]).unwrap();
        [
            "UNWIND range(1, 90000) AS x RETURN x, x * 0.5 AS f, CASE WHEN x % 3 > 0 THEN 'text ' + x END AS s",
            "UNWIND range(1, 50000) AS x RETURN date('2020-01-01') + duration({days: x % 1000}) AS d, [x, x + 1] AS l, {a: x, b: 'b' + x} AS m, CASE WHEN x > 40000 THEN 'late' ELSE x END AS changes, CASE WHEN x % 2 = 0 THEN x ELSE 0.5 END AS n",
            "MATCH (a:A)-[r:T]->(b) RETURN a, r, a.s AS s, a.l AS l ORDER BY a.x DESC",
            "MATCH (a:A) RETURN a.x AS x, a.none AS none, a.s AS s ORDER BY x SKIP 1000",
            "UNWIND range(1, 100) AS x RETURN x, null AS nothing",
            "UNWIND [] AS x RETURN x",
        ]
        .map(|text| {
            let mut result = c.query(text, &[]).unwrap();
            let (schema, batches) = result.arrow().unwrap();
            (text, schema, batches, result.type_names())
        })
    };
    let alone = asked(1, usize::MAX);
    for (threads, limit) in [(2, usize::MAX), (3, 192 << 20)] {
        for ((text, schema, batches, names), (_, own, alone, own_names)) in
            asked(threads, limit).iter().zip(&alone)
        {
            let how = format!("{text} on {threads} threads");
            assert_eq!((schema, names), (own, own_names), "{how}");
            assert_same_rows(batches, alone, &how);
            // Rows of several runs are few batches.
            assert!(batches.len() <= 2 + alone.len(), "{how}: {} batches", batches.len());
        }
    }
}

#[test]
fn what_several_threads_build_is_stopped_and_fails() {
    let db = Database::in_memory(Config::default().threads(2));
    let c = db.connect();
    let mut result = c.query("UNWIND range(1, 60000) AS x RETURN 1 / (59000 - x) AS y", &[]).unwrap();
    assert!(result.arrow().unwrap_err().to_string().contains("zero"));
    let mut result = c.query("UNWIND range(1, 60000) AS x RETURN x, 'a' + x AS y", &[]).unwrap();
    result.cancel_token().cancel();
    assert!(matches!(result.arrow(), Err(Error::Cancelled)));
}
