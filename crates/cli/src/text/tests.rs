//! Tests of numbers, columns and words.

use std::time::Duration;

use super::columns::{Align, align, bar, cut, width, wrap};
use super::quantity::{bytes, duration, grouped, parse_bytes, short};
use super::scan::{Kind, is_complete, is_update, statements, tokens};

#[test]
fn numbers_have_units() {
    assert_eq!(grouped(0), "0");
    assert_eq!(grouped(1_234_567), "1,234,567");
    assert_eq!(short(999), "999");
    assert_eq!(short(999_999), "1.0 M");
    assert_eq!(bytes(65_900_000), "65.9 MB");
    assert_eq!(duration(Duration::from_micros(428)), "428 µs");
    assert_eq!(duration(Duration::from_micros(12_340)), "12.3 ms");
    assert_eq!(duration(Duration::from_millis(999)), "999 ms");
    assert_eq!(duration(Duration::from_secs(125)), "2 min 5 s");
}

#[test]
fn bytes_are_read_as_people_write_them() {
    for (text, expect) in [("1000", 1000), ("4GB", 4_000_000_000), ("512MiB", 536_870_912), (" 1.5 k ", 1500)]
    {
        assert_eq!(parse_bytes(text), Ok(expect), "{text}");
    }
    for text in ["", "GB", "4 parsecs", "-1", "0", "1.2.3", "é"] {
        assert!(parse_bytes(text).is_err(), "{text}");
    }
}

#[test]
fn columns_are_aligned_whatever_the_width_of_letters() {
    let rows = [vec!["a".into(), "1".into()], vec!["\x1b[1m名前\x1b[0m".into(), "10".into()]];
    assert_eq!(align(&rows, &[Align::Left, Align::Right], 1), " a      1\n \x1b[1m名前\x1b[0m  10\n");
    assert_eq!(width("\x1b[1m名\x1b[0m"), 2);
    assert_eq!(cut("abcdef", 4), "abc…");
    assert_eq!(cut("名前名前", 5), "名前…");
    assert_eq!(wrap("a bb ccc", 4), ["a bb", "ccc"]);
    assert_eq!(bar(0.5, 3), "█▌");
    assert_eq!(bar(1e-9, 3), "▏");
    assert_eq!(bar(f64::NAN, 3), "");
}

#[test]
fn statements_end_where_semicolons_are_no_text() {
    let text = "RETURN ';' AS a; // ; no\n RETURN `x;` ; /* ; */ ;;\nRETURN 2";
    assert_eq!(statements(text), ["RETURN ';' AS a", "// ; no\n RETURN `x;`", "RETURN 2"]);
    assert!(statements(" ; /* */ // \n ;").is_empty());
}

#[test]
fn input_is_complete_with_a_semicolon_or_an_empty_line() {
    for (text, expect) in [
        ("", true),
        ("RETURN 1", false),
        ("RETURN 1;", true),
        ("RETURN 1; // done", true),
        ("RETURN 1\n", true),
        ("RETURN ';", false),
        ("RETURN '\n", false),
        ("RETURN '\n\n", true),
    ] {
        assert_eq!(is_complete(text), expect, "{text:?}");
    }
}

#[test]
fn updates_are_known_by_their_words() {
    assert!(is_update("MATCH (n) SET n.x = 1"));
    assert!(is_update("create (:X)"));
    assert!(
        is_update("RETURN 1; reorganize ;") && is_update("CHECKPOINT") && !is_update("RETURN checkpoint")
    );
    assert!(is_update("COPY A FROM 'a.csv'") && is_update("RETURN 1; copy `A` (x) from $f (FROM B, TO C)"));
    assert!(!is_update("COPY (MATCH (n) RETURN n.from) TO 'a.csv'") && !is_update("COPY A TO 'a.csv'"));
    assert!(!is_update("MATCH (n:CREATE) WHERE n.set = 'DELETE' RETURN n // MERGE"));
}

#[test]
fn tokens_cover_any_text() {
    for text in [
        "MATCH (p:Person {name: 'x'})-[:A|B]->(q) RETURN p.name, count(*)",
        "é\u{1F600}'\\",
        "`",
        "/*",
        "$",
        "1..2",
        "\"\\\"",
        "/",
    ] {
        let mut at = 0;
        for token in tokens(text) {
            assert_eq!(token.start, at, "{text}");
            at = token.end;
        }
        assert_eq!(at, text.len(), "{text}");
    }
    let kind = |text: &str, word: &str| {
        let token = tokens(text).into_iter().find(|t| &text[t.start..t.end] == word);
        token.map(|t| t.kind)
    };
    assert_eq!(kind("MATCH (p:Person)", "Person"), Some(Kind::Label));
    assert_eq!(kind("MATCH ()-[:A|B]-()", "B"), Some(Kind::Label));
    assert_eq!(kind("RETURN {a: b}", "b"), Some(Kind::Word));
    assert_eq!(kind("RETURN count(*)", "count"), Some(Kind::Function));
    assert_eq!(kind("RETURN p.match", "match"), Some(Kind::Property));
}
