//! Lists, maps, nodes, relationships and paths as record batches.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use trimorph_types::Map;

use crate::{Config, Database, QueryResult, Value};

fn database() -> Database {
    Database::in_memory(Config::default())
}

fn ask(text: &str, params: &[(&str, Value)]) -> QueryResult {
    database().connect().query(text, params).unwrap()
}

/// A cell, as text: lists in brackets, structs and maps in braces, null as `-`.
fn show(array: &dyn Array, i: usize) -> String {
    if array.is_null(i) {
        return "-".into();
    }
    let all = |array: &dyn Array| (0..array.len()).map(|i| show(array, i)).collect::<Vec<_>>().join(" ");
    match array.data_type() {
        DataType::List(_) => format!("[{}]", all(&array.as_list::<i32>().value(i))),
        DataType::Struct(fields) => {
            let columns = fields.iter().zip(array.as_struct().columns());
            let parts = columns.map(|(field, column)| format!("{}:{}", field.name(), show(column, i)));
            format!("{{{}}}", parts.collect::<Vec<_>>().join(" "))
        }
        DataType::Map(..) => {
            let entries = array.as_map().value(i);
            let pair = |k| format!("{}={}", show(entries.column(0), k), show(entries.column(1), k));
            format!("{{{}}}", (0..entries.len()).map(pair).collect::<Vec<_>>().join(" "))
        }
        DataType::Int64 => array.as_primitive::<Int64Type>().value(i).to_string(),
        DataType::Float64 => {
            format!("{:?}", array.as_primitive::<arrow_array::types::Float64Type>().value(i))
        }
        DataType::Boolean => array.as_boolean().value(i).to_string(),
        DataType::Utf8 => format!("'{}'", array.as_string::<i32>().value(i)),
        other => format!("({other})"),
    }
}

fn cells(batches: &[RecordBatch]) -> Vec<String> {
    let cells = batches.iter().flat_map(|batch| {
        batch.column(0).to_data().validate_full().unwrap();
        (0..batch.num_rows()).map(|i| show(batch.column(0), i)).collect::<Vec<_>>()
    });
    cells.collect()
}

/// The name of the type, the cells and the notices of the first column; a stream gives the same, where it
/// gives all.
fn column(text: &str, params: &[(&str, Value)]) -> (String, Vec<String>, Vec<String>) {
    let mut result = ask(text, params);
    let (schema, batches) = result.arrow().unwrap();
    let found = (result.type_names()[0].clone(), cells(&batches), messages(&result));
    let mut result = ask(text, params);
    let stream = result.arrow_stream().unwrap();
    let same_schema = stream.schema() == schema;
    let batches: Result<Vec<_>, _> = stream.collect();
    if let (true, Ok(batches)) = (same_schema, batches) {
        assert_eq!(cells(&batches), found.1, "{text}");
    }
    found
}

fn messages(result: &QueryResult) -> Vec<String> {
    result.notices().iter().map(|notice| notice.message.clone()).collect()
}

/// Rows of `list` have these types, cells and notices.
fn check(list: &str, ty: &str, expected: &[&str], notices: &[&str]) {
    let (found, cells, messages) = column(&format!("UNWIND {list} AS x RETURN x"), &[]);
    assert_eq!((found.as_str(), cells), (ty, expected.iter().map(|c| (*c).to_owned()).collect()), "{list}");
    assert_eq!(messages, notices, "{list}");
}

#[test]
fn lists_are_lists_of_what_their_elements_are() {
    check("[[1, 2], [], null, [null, 3]]", "LIST<INTEGER>", &["[1 2]", "[]", "-", "[- 3]"], &[]);
    check("[[1], [2.5]]", "LIST<FLOAT>", &["[1.0]", "[2.5]"], &[]);
    check("[['a', null], ['']]", "LIST<STRING>", &["['a' -]", "['']"], &[]);
    check("[[true], [null]]", "LIST<BOOLEAN>", &["[true]", "[-]"], &[]);
    check("[[[1], []], [null, [2, null]], []]", "LIST<LIST<INTEGER>>", &["[[1] []]", "[- [2 -]]", "[]"], &[]);
    // Nothing but empty lists and nulls.
    check("[[], null, [null]]", "LIST<ANY>", &["[]", "-", "[-]"], &[]);
    check("[[[]], []]", "LIST<LIST<ANY>>", &["[[]]", "[]"], &[]);
    let dates = "[[date('2020-01-01')], [datetime('2500-01-01T00:00Z')]]";
    let several = "column \"x\" has text for its elements: values are of several types";
    check(dates, "LIST<ANY>", &["['2020-01-01']", "['2500-01-01T00:00Z']"], &[several]);
    check("[[date('2020-01-01'), null]]", "LIST<DATE>", &["[(Date32) -]"], &[]);
    let far = "[[localdatetime('2500-01-01'), localdatetime('2020-01-01')]]";
    check(far, "LIST<LOCAL DATETIME>", &["[(Timestamp(µs)) (Timestamp(µs))]"], &[]);
}

#[test]
fn what_mixes_is_text_where_it_mixes() {
    let several = "column \"x\" has text for its elements: values are of several types";
    check("[[1, 'a', [2]], null]", "LIST<ANY>", &["['1' 'a' '[2]']", "-"], &[several]);
    let outside = "column \"x\" is text: values are of several types";
    check("[[1], 2]", "ANY", &["'[1]'", "'2'"], &[outside]);
    check("[{a: 1}, [1]]", "ANY", &["'{a: 1}'", "'[1]'"], &[outside]);
    check("[1, 'a']", "ANY", &["'1'", "'a'"], &[outside]);
    let inner = "column \"x\" has text for its a: values are of several types";
    check("[{a: 1, b: 2}, {a: 'x'}]", "STRUCT<a ANY, b INTEGER>", &["{a:'1' b:2}", "{a:'x' b:-}"], &[inner]);
    let duration = "column \"x\" has text for its elements: no Arrow type holds all its DURATION values";
    check("[[duration('P1M')]]", "LIST<DURATION>", &["['P1M']"], &[duration]);
    let alone = "column \"x\" is text: no Arrow type holds all its TIME values";
    check("[time('12:00+01:00')]", "TIME", &["'12:00+01:00'"], &[alone]);
}

#[test]
fn maps_are_structs_while_their_keys_are_few() {
    check(
        "[{a: 1, b: 'x'}, null, {a: null, b: 'y'}]",
        "STRUCT<a INTEGER, b STRING>",
        &["{a:1 b:'x'}", "-", "{a:- b:'y'}"],
        &[],
    );
    check(
        "[{a: 1}, {b: 2.5}, {}]",
        "STRUCT<a INTEGER, b FLOAT>",
        &["{a:1 b:-}", "{a:- b:2.5}", "{a:- b:-}"],
        &[],
    );
    check(
        "[{a: {b: [1, {c: 2}]}}]",
        "STRUCT<a STRUCT<b LIST<ANY>>>",
        &["{a:{b:['1' '{c: 2}']}}"],
        &["column \"x\" has text for its a.b.elements: values are of several types"],
    );
    check("[{a: [{b: 1}, {b: 2}]}]", "STRUCT<a LIST<STRUCT<b INTEGER>>>", &["{a:[{b:1} {b:2}]}"], &[]);
    check("[{}, {}]", "MAP<STRING, ANY>", &["{}", "{}"], &[]);
    check("[[], [{}]]", "LIST<MAP<STRING, ANY>>", &["[]", "[{}]"], &[]);
    // As a literal, whose type the query says.
    let (ty, cells, _) = column("RETURN {a: 1, b: {c: []}} AS x", &[]);
    assert_eq!(
        (ty.as_str(), cells),
        ("STRUCT<a INTEGER, b STRUCT<c LIST<ANY>>>", vec!["{a:1 b:{c:[]}}".into()])
    );
}

#[test]
fn maps_of_many_keys_are_maps() {
    let maps = |values: &dyn Fn(i64) -> Value, keys: i64| {
        let one = |i: i64| Value::map([(format!("k{i}").into(), values(i))].into());
        vec![("maps", Value::list((0..keys).map(one).collect()))]
    };
    let text = "UNWIND $maps AS x RETURN x";
    let (ty, cells, notices) = column(text, &maps(&Value::Int, 30));
    assert_eq!((ty.as_str(), cells[7].as_str(), notices.len()), ("MAP<STRING, INTEGER>", "{'k7'=7}", 0));
    let (ty, ..) = column(text, &maps(&Value::Int, 10));
    assert!(ty.starts_with("STRUCT<k0 INTEGER, k1 INTEGER"), "{ty}");
    let mixed = |i: i64| if i == 3 { Value::string("three") } else { Value::Int(i) };
    let (ty, cells, notices) = column(text, &maps(&mixed, 1000));
    assert_eq!((ty.as_str(), cells[3].as_str()), ("MAP<STRING, ANY>", "{'k3'='three'}"));
    assert_eq!(notices, ["column \"x\" has text for its values: values are of several types"]);
    // One map of many keys is a struct of them, up to a point.
    let wide = |keys: i64| {
        let entries: Map = (0..keys).map(|i| (format!("k{i}").into(), Value::Int(i))).collect();
        vec![("maps", Value::list(vec![Value::map(entries)]))]
    };
    assert!(column(text, &wide(200)).0.starts_with("STRUCT<"));
    assert_eq!(column(text, &wide(300)).0, "MAP<STRING, INTEGER>");
}

#[test]
fn columns_are_so_deep_and_so_wide() {
    let nested = |levels: usize| {
        let list = (0..levels).fold(Value::Int(1), |inner, _| Value::list(vec![inner]));
        column("RETURN $x AS x", &[("x", list)])
    };
    let (ty, _, notices) = nested(24);
    assert!(ty.starts_with("LIST<LIST<") && ty.contains("INTEGER") && notices.is_empty(), "{ty}");
    for levels in [25, 999] {
        let (ty, cells, notices) = nested(levels);
        assert!(ty.ends_with(&format!("LIST{}", ">".repeat(24))), "{ty}");
        assert!(cells[0].contains("'[") && cells[0].contains("1]"), "{}", cells[0]);
        assert_eq!(notices.len(), 1);
    }
    // No query has deeper ones, and none deeper than a thousand come in.
    let deep = (0..10_000).fold(Value::Int(1), |inner, _| Value::list(vec![inner]));
    assert!(database().connect().query("RETURN $x AS x", &[("x", deep)]).is_err());
    // 200 keys, each with 10: two thousand columns.
    let inner: Map = (0..10).map(|i| (format!("i{i}").into(), Value::Int(i))).collect();
    let outer: Map = (0..200).map(|i| (format!("o{i}").into(), Value::map(inner.clone()))).collect();
    let (ty, _, notices) = column("RETURN $x AS x", &[("x", Value::map(outer))]);
    assert_eq!((ty.as_str(), notices.len()), ("MAP", 1));
}

#[test]
fn nulls_in_every_position() {
    let text = "UNWIND range(1, 300) AS i RETURN CASE i % 3 WHEN 0 THEN null WHEN 1 THEN \
                [{a: CASE WHEN i % 2 = 0 THEN i END, b: [null, toString(i)]}, null] ELSE [] END AS x";
    let (ty, cells, _) = column(text, &[]);
    assert_eq!(ty, "LIST<STRUCT<a INTEGER, b LIST<STRING>>>");
    assert_eq!(cells[..4], ["[{a:- b:[- '1']} -]", "[]", "-", "[{a:4 b:[- '4']} -]"]);
    assert_eq!(column("UNWIND [null, null] AS x RETURN x", &[]).1, ["-", "-"]);
}

#[test]
fn an_empty_result_has_the_types_that_the_query_says() {
    let types = |text: &str| {
        let mut result = ask(text, &[]);
        let (schema, batches) = result.arrow().unwrap();
        let stream = ask(text, &[]).arrow_stream().unwrap().schema();
        assert_eq!(schema, stream);
        let as_text = result.notices().iter().filter(|n| n.detail == "ColumnAsText").count();
        assert_eq!((batches.len(), as_text), (0, 0));
        schema.fields().iter().map(|f| f.data_type().to_string()).collect::<Vec<_>>()
    };
    let found = types("UNWIND [] AS x RETURN [1] AS l, {a: 1} AS m");
    assert!(found[0].starts_with("List(") && found[1].starts_with("Map("), "{found:?}");
    let found = types("MATCH p = (n)-[r]->() RETURN n, r, p");
    assert!(found[0].starts_with("Struct(\"id\": Int64, \"labels\": List("), "{found:?}");
    assert!(found[2].starts_with("Struct(\"nodes\": List("), "{found:?}");
}

fn network() -> Database {
    let database = database();
    database.generate_snb(0.003, 1).unwrap();
    database
}

#[test]
fn nodes_relationships_and_paths_are_structs() {
    let database = network();
    let connection = database.connect();
    let run = |text: &str| {
        let mut result = connection.query(text, &[]).unwrap();
        let (_, batches) = result.arrow().unwrap();
        (result.type_names(), batches, messages(&result))
    };
    let text = "MATCH (p:Person) RETURN p, id(p) AS id, labels(p) AS l, p.firstName AS name, p.birthday AS b";
    let (types, batches, notices) = run(text);
    assert_eq!((types[0].as_str(), types[2].as_str(), notices.len()), ("NODE", "LIST<STRING>", 0));
    for batch in &batches {
        let node = batch.column(0).as_struct();
        let properties = node.column_by_name("properties").unwrap().as_struct();
        assert_eq!(node.column_by_name("id").unwrap(), batch.column(1));
        assert_eq!(node.column_by_name("labels").unwrap(), batch.column(2));
        assert_eq!(properties.column_by_name("firstName").unwrap(), batch.column(3));
        assert_eq!(properties.column_by_name("birthday").unwrap(), batch.column(4));
    }
    // Of several tables: all keys, null where a node has none. In lists and maps, and with nulls among them.
    let text = "MATCH (n) WITH n ORDER BY id(n) RETURN {n: CASE WHEN id(n) % 7 > 0 THEN [n, null] END} AS x, n.name AS name, \
                n.firstName AS first, labels(n) AS l";
    let (types, batches, _) = run(text);
    assert_eq!(types[0], "STRUCT<n LIST<NODE>>");
    let mut seen = 0;
    for batch in &batches {
        batch.column(0).to_data().validate_full().unwrap();
        let lists = batch.column(0).as_struct().column(0).as_list::<i32>();
        for i in (0..batch.num_rows()).filter(|i| lists.is_valid(*i)) {
            let list = lists.value(i);
            let node = list.as_struct();
            assert!(node.is_null(1) && node.len() == 2);
            let properties = node.column_by_name("properties").unwrap().as_struct();
            for (key, column) in [("name", 1), ("firstName", 2)] {
                assert_eq!(show(properties.column_by_name(key).unwrap(), 0), show(batch.column(column), i));
            }
            assert_eq!(show(node.column_by_name("labels").unwrap(), 0), show(batch.column(3), i));
            seen += 1;
        }
    }
    assert!(seen > 1000, "{seen}");
    let text =
        "MATCH q = (a:Person)-[k:KNOWS]->(b) RETURN k, id(k), id(a), id(b), k.creationDate, q, type(k)";
    let (types, batches, _) = run(text);
    assert_eq!([types[0].as_str(), types[5].as_str()], ["RELATIONSHIP", "PATH"]);
    for batch in &batches {
        let edge = batch.column(0).as_struct();
        for (name, column) in [("id", 1), ("start", 2), ("end", 3), ("type", 6)] {
            assert_eq!(edge.column_by_name(name).unwrap(), batch.column(column), "{name}");
        }
        let properties = edge.column_by_name("properties").unwrap().as_struct();
        assert_eq!(properties.column_by_name("creationDate").unwrap(), batch.column(4));
        let path = batch.column(5).as_struct();
        let edges = path.column_by_name("relationships").unwrap().as_list::<i32>();
        assert_eq!(edges.values().as_struct().columns(), edge.columns());
        assert_eq!(
            path.column_by_name("nodes").unwrap().as_list::<i32>().values().len(),
            2 * batch.num_rows()
        );
    }
}

#[test]
fn batches_that_differ_are_brought_together() {
    let late = |value: &str, first: &str| {
        column(
            &format!(
                "UNWIND range(1, 150000) AS x RETURN CASE WHEN x > 149999 THEN {value} ELSE {first} END AS y"
            ),
            &[],
        )
    };
    let ends = |cells: &[String]| [cells[0].clone(), cells[149_999].clone()];
    let (ty, cells, _) = late("[0.5, null]", "[x]");
    assert_eq!((ty.as_str(), ends(&cells)), ("LIST<FLOAT>", ["[1.0]".into(), "[0.5 -]".into()]));
    let (ty, cells, _) = late("['a']", "[[x], []]");
    assert_eq!((ty.as_str(), ends(&cells)), ("LIST<ANY>", ["['[1]' '[]']".into(), "['a']".into()]));
    let (ty, cells, _) = late("{b: x}", "{a: x}");
    assert_eq!(
        (ty.as_str(), ends(&cells)),
        ("STRUCT<a INTEGER, b INTEGER>", ["{a:1 b:-}".into(), "{a:- b:150000}".into()])
    );
    let (ty, cells, notices) = late("1", "['a', [x][0]]");
    // Lists of unlike types are written as what they are.
    assert_eq!((ty.as_str(), ends(&cells), notices.len()), ("ANY", ["'['a', 1]'".into(), "'1'".into()], 1));
}

#[test]
fn a_stream_takes_what_fits_and_nothing_else() {
    let stream = |late: &str, first: &str| {
        let text = format!(
            "UNWIND range(1, 20000) AS x RETURN CASE WHEN x > 15000 THEN {late} ELSE {first} END AS y"
        );
        let mut result = ask(&text, &[]);
        let stream = result.arrow_stream().unwrap();
        let batches: Result<Vec<_>, _> = stream.collect();
        let shown = batches.map(|batches| cells(&batches)[19_999].clone()).map_err(|e| e.to_string());
        (result.type_names()[0].clone(), shown)
    };
    let text = |ty: &str, cell: &str| (ty.to_owned(), Ok(cell.to_owned()));
    assert_eq!(stream("[1, null]", "[0.5]"), text("LIST<FLOAT>", "[1.0 -]"));
    assert_eq!(stream("[[], null]", "[[x]]"), text("LIST<LIST<INTEGER>>", "[[] -]"));
    assert_eq!(stream("{a: 2}", "{a: 1, b: x}"), text("STRUCT<a INTEGER, b INTEGER>", "{a:2 b:-}"));
    // Nothing is known of it until it is there: such columns wait.
    assert_eq!(stream("[x]", "[]"), text("LIST<INTEGER>", "[20000]"));
    let fails = |late: &str, first: &str, message: &str| {
        let (_, shown) = stream(late, first);
        let error = shown.unwrap_err();
        assert!(error.contains(message) && error.contains("fetch the result as a whole"), "{error}");
    };
    fails("['a']", "[x]", "column \"y\" began with LIST<INTEGER> and goes on with LIST<STRING>");
    fails("{c: 1}", "{a: x}", "began with STRUCT<a INTEGER> and goes on with STRUCT<c INTEGER>");
    fails("[x]", "x", "began with INTEGER and goes on with LIST<INTEGER>");
    fails("1", "[x]", "began with LIST<INTEGER> and goes on with INTEGER");
}

#[test]
fn vectors_of_lists_are_handed_over() {
    let text = "UNWIND range(1, 150000) AS i WITH CASE WHEN i % 4 > 0 THEN toString(i) + ',' + i END AS t, i \
                RETURN split(t, ',')[i % 3..2] AS x";
    let (ty, cells, notices) = column(text, &[]);
    assert_eq!((ty.as_str(), cells.len(), notices.len()), ("LIST<STRING>", 150_000, 0));
    assert_eq!(cells[..5], ["['1']", "[]", "['3' '3']", "-", "[]"]);
    // With others that are none, or of other elements.
    let text = "UNWIND range(1, 70000) AS i RETURN CASE WHEN i = 70000 THEN [i] ELSE split(toString(i), '0') END AS x";
    let (ty, cells, notices) = column(text, &[]);
    assert_eq!((ty.as_str(), notices.len()), ("LIST<ANY>", 1));
    assert_eq!([&cells[9], &cells[69_999]], ["['1' '']", "['70000']"]);
    let text = "UNWIND ['a b', null, ''] AS t RETURN CASE t WHEN '' THEN 1 ELSE split(t, ' ') END AS x";
    assert_eq!(column(text, &[]).1, ["'['a', 'b']'", "-", "'1'"]);
}

#[test]
fn a_shared_list_is_not_copied_without_end() {
    let text = "WITH range(1, 3000000) AS l UNWIND range(1, 2000) AS x RETURN l";
    let error = ask(text, &[]).arrow().unwrap_err().to_string();
    assert!(error.contains("2 GiB"), "{error}");
}

#[test]
fn making_arrays_stops_when_it_is_told_to() {
    let database = network();
    let cancel = crate::CancelToken::default();
    let text = "MATCH (n) RETURN n";
    let mut result =
        database.connect().execute_until(text, std::sync::Arc::default(), cancel.clone()).unwrap();
    let mut stream = result.arrow_stream().unwrap();
    cancel.cancel();
    assert!(matches!(stream.next(), Some(Err(crate::Error::Cancelled))));
}

#[test]
fn vectors_of_maps_are_handed_over() {
    // A null map, a null in a map, maps and lists within, and values that Arrow has no type for.
    let text = "UNWIND range(1, 70000) AS i RETURN CASE i % 3 WHEN 0 THEN null ELSE \
                {a: CASE WHEN i % 3 > 1 THEN i END, b: {c: toString(i)}, d: duration({months: 1, days: i}), l: split('x,y', ',')} \
                END AS x";
    let (ty, cells, notices) = column(text, &[]);
    assert_eq!(ty, "STRUCT<a INTEGER, b STRUCT<c STRING>, d DURATION, l LIST<STRING>>");
    assert_eq!((cells.len(), notices.len()), (70_000, 1), "{notices:?}");
    let expected = ["{a:- b:{c:'1'} d:'P1M1D' l:['x' 'y']}", "{a:2 b:{c:'2'} d:'P1M2D' l:['x' 'y']}", "-"];
    assert_eq!(cells[..3], expected);
    assert_eq!(cells[69_997], "{a:69998 b:{c:'69998'} d:'P1M69998D' l:['x' 'y']}");
    // Others have other keys, and other types under the same.
    let text = "UNWIND range(1, 70000) AS i \
                RETURN CASE WHEN i > 66000 THEN {a: 1.5, z: i} ELSE {a: i, b: 'x'} END AS x";
    let (ty, cells, notices) = column(text, &[]);
    assert_eq!((ty.as_str(), notices.len()), ("STRUCT<a FLOAT, b STRING, z INTEGER>", 0));
    assert_eq!([&cells[0], &cells[69_999]], ["{a:1.0 b:'x' z:-}", "{a:1.5 b:- z:70000}"]);
    // With what is no map they are text, as by themselves.
    let text = "UNWIND range(1, 70000) AS i \
                RETURN CASE WHEN i > 66000 THEN i ELSE {d: duration({days: i}), t: datetime('2020-01-01T00:00+01:00')} END AS x";
    let (ty, cells, notices) = column(text, &[]);
    assert_eq!((ty.as_str(), notices.len()), ("ANY", 1));
    assert_eq!([&cells[0], &cells[69_999]], ["'{d: 'P1D', t: '2020-01-01T00:00+01:00'}'", "'70000'"]);
}

#[test]
fn typed_values_that_arrow_has_no_type_for_are_text() {
    for (value, ty, expected, notices) in [
        ("duration({months: 1, days: i})", "DURATION", "'P1M1D'", 1),
        ("time('12:00+01:00')", "TIME", "'12:00+01:00'", 1),
        ("CASE WHEN i > 66000 THEN 5 ELSE duration({days: i}) END", "ANY", "'P1D'", 1),
    ] {
        let (found, cells, messages) =
            column(&format!("UNWIND range(1, 70000) AS i RETURN {value} AS x"), &[]);
        assert_eq!((found.as_str(), cells[0].as_str(), messages.len()), (ty, expected, notices), "{value}");
    }
}
