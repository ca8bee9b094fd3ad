//! JSON of all shapes, at several chunk sizes, against the library on random objects.

use trimorph_base::Random;
use trimorph_types::{LogicalType, Value};

use super::chunk::{Chunker, Shape, records};
use super::keys::{Found, Keys};
use super::scan::{holds_objects, list, object, text_of};

/// Lines and texts of objects, in chunks of `chunk_bytes`.
fn read(text: &str, chunk_bytes: usize) -> Result<Vec<(u64, String)>, String> {
    let mut chunker = Chunker::new(text.as_bytes(), chunk_bytes, 1 << 20);
    let mut found = Vec::new();
    while let Some(chunk) = chunker.next().map_err(|e| e.to_string())? {
        let all = records(&chunk).map(|(line, text)| (line, String::from_utf8_lossy(text).into_owned()));
        found.extend(all);
    }
    Ok(found)
}

/// Keys and values of an object, as text.
fn entries(text: &str) -> Result<Vec<(String, Option<String>)>, String> {
    let mut found = Vec::new();
    object(text.as_bytes(), &mut |key, token| {
        let value = text_of(&token).map(|text| String::from_utf8_lossy(&text).into_owned());
        found.push((String::from_utf8_lossy(key).into_owned(), value));
        Ok(())
    })?;
    Ok(found)
}

#[test]
fn objects_are_the_same_in_lines_in_an_array_and_one_after_the_other() {
    let seed = 99;
    println!("seed {seed}");
    let mut random = Random::new(seed);
    for _ in 0..300 {
        let objects: Vec<String> = (0..1 + random.below(20))
            .map(|_| {
                let text = ["a", "\\\"", "]", "}{", "ü", "\\\\", ",", "\\n"];
                let strings: Vec<String> = (0..3)
                    .map(|_| (0..random.below(6)).map(|_| text[random.below(text.len())]).collect())
                    .collect();
                format!(
                    "{{\"k\": \"{}\", \"l\": [{}, \"{}\"], \"o\": {{\"{}\": null}}}}",
                    strings[0],
                    random.below(100),
                    strings[1],
                    strings[2]
                )
            })
            .collect();
        for chunk_bytes in [64, 100, 1 << 16] {
            let texts = |text: &str| -> Vec<String> {
                read(text, chunk_bytes).unwrap().into_iter().map(|(_, text)| text).collect()
            };
            assert_eq!(texts(&(objects.join("\n") + "\n")), objects);
            assert_eq!(texts(&objects.join("\r\n\n")), objects);
            assert_eq!(texts(&format!(" [\n{}\n] \n", objects.join(",\n"))), objects);
            let spread: Vec<String> = objects.iter().map(|o| o.replacen('{', "{\n", 1)).collect();
            assert_eq!(texts(&spread.join("\n")), spread);
        }
        for object in &objects {
            let parsed: serde_json::Value = serde_json::from_str(object).unwrap();
            let found = entries(object).unwrap();
            assert_eq!(found[0].1.as_deref(), parsed["k"].as_str(), "{object}");
            let nested: serde_json::Value = serde_json::from_str(found[2].1.as_deref().unwrap()).unwrap();
            assert_eq!(nested, parsed["o"], "{object}");
        }
    }
}

#[test]
fn lines_are_counted() {
    let lines =
        |text: &str| -> Vec<u64> { read(text, 64).unwrap().into_iter().map(|(line, _)| line).collect() };
    assert_eq!(lines("\u{feff}\n\n{\"a\":1}\n\n{\"a\":2}"), [3, 5]);
    assert_eq!(lines("[\n{\"a\":1},\n\n{\"a\":\n2}]"), [2, 4]);
    assert_eq!(lines("{\n\"a\":1}\n{\"a\":\n2}"), [1, 3]);
    assert_eq!(lines("[]"), [] as [u64; 0]);
    assert_eq!(lines(""), [] as [u64; 0]);
}

#[test]
fn a_broken_line_costs_itself_only() {
    let found = read("{\"a\": 1}\n{\"a\": [}\nnothing\n{\"a\": 2}\n", 64).unwrap();
    assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 2, 3, 4]);
    for (text, says) in [
        ("[{\"a\":1}", "never closed"),
        ("[{\"a\":1}] x", "text behind the array"),
        ("[", "never closed"),
        ("[{\"a\":", "never closed"),
    ] {
        let error = read(text, 64).unwrap_err();
        assert!(error.contains(says), "{text}: {error}");
    }
    // What never ends is one bad row.
    assert_eq!(read("{\n\"a\": 1}\n{\n\"a\": ", 64).unwrap().len(), 2);
}

#[test]
fn what_is_no_object_says_so() {
    for (text, says) in [
        ("[1]", "expected an object, found a list"),
        ("12", "expected an object, found a number"),
        ("{\"a\" 1}", "expected \":\", found \"1}\" at byte 6"),
        ("{\"a\": 01}", "expected a number"),
        ("{\"a\": 1.}", "expected a number"),
        ("{\"a\": tru}", "expected a value"),
        ("{\"a\": 1", "expected \",\" or \"}\", found the end"),
        ("{\"a\": \"x}", "expected a string that ends"),
        ("{\"a\": [1,}]}", "it is no JSON"),
        ("{\"a\": 1} x", "expected the end of the object"),
        ("{a: 1}", "expected a key in quotes"),
    ] {
        let error = entries(text).unwrap_err();
        assert!(error.contains(says), "{text}: {error}");
    }
    assert_eq!(entries("{}").unwrap(), []);
    assert_eq!(entries("{\"\\u00e9\": \"\\u00e9\\n\"}").unwrap(), [("é".into(), Some("é\n".into()))]);
}

#[test]
fn lists_are_values_unless_they_hold_objects() {
    assert!(holds_objects(b"[1, [{}]]") && !holds_objects(b"[1, \"{\", \"\\\"{\"]"));
    let value = list(b"[1, 2.5, \"x\", null, [true]]", LogicalType::Any).unwrap();
    let expected = vec![
        Value::Int(1),
        Value::Float(2.5),
        Value::string("x"),
        Value::Null,
        Value::list(vec![Value::Bool(true)]),
    ];
    assert_eq!(format!("{value:?}"), format!("{:?}", Value::list(expected)));
    assert!(list(b"[{}]", LogicalType::Any).unwrap_err().contains("holds an object"));
    assert!(list(b"[\"x\"]", LogicalType::Int).unwrap_err().contains("no valid"));
    // Nested deeper than the library goes.
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(list(deep.as_bytes(), LogicalType::Any).is_err());
    assert!(object(format!("{{\"a\": {deep}}}").as_bytes(), &mut |_, _| Ok(())).is_ok());
}

#[test]
fn keys_are_found_in_any_order() {
    let mut keys = Keys::default();
    assert!(keys.insert(&["a"], 0) && keys.insert(&["b", "c"], 1) && keys.insert(&["b", "d"], 2));
    assert!(!keys.insert(&["a", "x"], 3) && !keys.insert(&["b"], 3) && !keys.insert(&["b", "c"], 3));
    let mut hint = 0;
    assert!(matches!(keys.find(b"b", &mut hint), Some(Found::Within(_))));
    assert_eq!(keys.find(b"a", &mut hint), Some(&Found::Field(0)));
    assert_eq!(keys.find(b"x", &mut hint), None);
}

#[test]
fn any_bytes_are_read_without_a_panic() {
    let seed = 5;
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let parts = ["{", "}", "[", "]", "\"", "\\", ":", ",", "1", "null", "\n", " ", "a", "\u{fc}"];
    for _ in 0..5_000 {
        let text: String = (0..random.below(40)).map(|_| parts[random.below(parts.len())]).collect();
        let small = read(&text, 64);
        if let Ok(found) = &small {
            for (_, record) in found {
                let _ = entries(record);
            }
        }
        assert_eq!(small.is_ok(), read(&text, 1 << 16).is_ok(), "{text:?}");
    }
}

#[test]
fn the_shape_is_that_of_the_first_bytes() {
    let shape = |text: &str| Chunker::new(text.as_bytes(), 64, 1 << 20).next().unwrap().unwrap().shape;
    assert_eq!(shape("{\"a\":1}\n{\"a\":2}"), Shape::Lines);
    assert_eq!(shape(" [{\"a\":1}]"), Shape::Array);
    assert_eq!(shape("{\"a\":\n1}\n{\"a\":2}"), Shape::Stream);
}
