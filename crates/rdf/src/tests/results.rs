//! Results written and read.

use trimorph_types::Value;
use trimorph_types::rdf::parse_nt;

use super::nt;
use crate::{ResultFormat, Results, SolutionWriter, read_results, write_boolean};

fn rows() -> Vec<Vec<Value>> {
    let term = |text: &str| parse_nt(text).unwrap();
    [
        "<http://o>",
        "_:o",
        "\"text\"",
        "\"a\\\"b\\\\c\\nd\\té<&>,\"",
        "\"x\"@en",
        "\"\"",
        "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>",
        "\"01\"^^<http://www.w3.org/2001/XMLSchema#integer>",
        "\"2.0\"^^<http://www.w3.org/2001/XMLSchema#decimal>",
        "\"1.5E0\"^^<http://www.w3.org/2001/XMLSchema#double>",
        "\"true\"^^<http://www.w3.org/2001/XMLSchema#boolean>",
        "\"x\"^^<http://t>",
        "\"x\"@ar--rtl",
        "<<( <http://s> <http://p> \"1\"@en )>>",
        "<<( _:s <http://p> <<( <http://s> <http://p> _:o )>> )>>",
    ]
    .iter()
    .map(|text| vec![term(text), Value::Null, Value::Int(7)])
    .chain([vec![Value::Null, Value::Null, Value::Null]])
    .collect()
}

#[test]
fn solutions_read_back() {
    for format in [ResultFormat::Json, ResultFormat::Xml, ResultFormat::Tsv] {
        let mut writer = SolutionWriter::new(Vec::new(), format, ["a", "b", "c"]).unwrap();
        for row in rows() {
            writer.write(&row).unwrap();
        }
        let text = writer.finish().unwrap();
        let Results::Solutions { variables, rows: back } = read_results(&text[..], format, "").unwrap()
        else {
            panic!()
        };
        assert_eq!(variables, ["a", "b", "c"]);
        let shown = |rows: &[Vec<Value>]| -> Vec<String> {
            rows.iter().map(|row| row.iter().map(nt).collect::<Vec<_>>().join(" | ")).collect()
        };
        assert_eq!(shown(&back), shown(&rows()), "{format:?}\n{}", String::from_utf8_lossy(&text));
    }
    assert!(read_results(&b"a\r\n1\r\n"[..], ResultFormat::Csv, "").is_err());
}

#[test]
fn csv() {
    let mut writer = SolutionWriter::new(Vec::new(), ResultFormat::Csv, ["a", "b"]).unwrap();
    for row in [[Value::iri("http://a"), Value::Null], [Value::string("x,\"y\""), Value::Float(1.5)]] {
        writer.write(&row).unwrap();
    }
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    assert_eq!(text, "a,b\r\nhttp://a,\r\n\"x,\"\"y\"\"\",1.5E0\r\n");
}

#[test]
fn booleans() {
    for format in [ResultFormat::Json, ResultFormat::Xml, ResultFormat::Tsv] {
        for answer in [true, false] {
            let text = write_boolean(Vec::new(), format, answer).unwrap();
            let back = read_results(&text[..], format, "").unwrap();
            assert!(matches!(back, Results::Boolean(x) if x == answer), "{format:?}");
        }
    }
}

#[test]
fn what_is_no_term_is_refused() {
    let mut writer = SolutionWriter::new(Vec::new(), ResultFormat::Json, ["a"]).unwrap();
    let error = writer.write(&[Value::list(vec![Value::Int(1)])]).unwrap_err();
    assert_eq!(error.to_string(), "cannot write [1] as an RDF term");
    assert!(SolutionWriter::new(Vec::new(), ResultFormat::Json, ["a b"]).is_err());
}
