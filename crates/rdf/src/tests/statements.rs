//! Statements of each format, errors with their places, blank nodes, writers.

use std::path::Path;

use trimorph_types::rdf::parse_nt;
use trimorph_types::{Map, Value};

use super::{Row, lines, nt, options, read, read_with};
use crate::{BadStatements, Format, ParseOptions, ReadError, StatementWriter, WriteError, WriteOptions};

#[test]
fn formats_by_name() {
    for (path, expected) in [
        ("a.ttl", Some(Format::Turtle)),
        ("dir.x/A.TTL.GZ", Some(Format::Turtle)),
        ("a.nt.zst", Some(Format::NTriples)),
        ("a.nq.bz2", Some(Format::NQuads)),
        ("a.trig", Some(Format::TriG)),
        ("a.owl", Some(Format::RdfXml)),
        ("a.b.jsonld", Some(Format::JsonLd)),
        ("ttl", None),
        ("a.csv", None),
        ("a.gz", None),
    ] {
        assert_eq!(Format::of_path(Path::new(path)), expected, "{path}");
    }
    for format in Format::ALL {
        assert_eq!(Format::named(format.name()), Some(format));
    }
}

#[test]
fn turtle() {
    let text = r#"@prefix : <http://a/> . @base <http://base/x> .
        :s :p 1, 01, 1.5, 1.50, 1e0, 1.0E0, true, "a", "b"@en-GB, "c"@ar--rtl, "d"^^:t, <y>, _:b .
        << :a :b :c ~ :r >> :q "z" .
        :s :p <<( :a :b <<( _:x :b 1 )>> )>> ."#;
    let expected = [
        r#"<http://a/s> <http://a/p> "1"^^<http://www.w3.org/2001/XMLSchema#integer>"#,
        r#"<http://a/s> <http://a/p> "01"^^<http://www.w3.org/2001/XMLSchema#integer>"#,
        r#"<http://a/s> <http://a/p> "1.5"^^<http://www.w3.org/2001/XMLSchema#decimal>"#,
        r#"<http://a/s> <http://a/p> "1.50"^^<http://www.w3.org/2001/XMLSchema#decimal>"#,
        r#"<http://a/s> <http://a/p> "1e0"^^<http://www.w3.org/2001/XMLSchema#double>"#,
        r#"<http://a/s> <http://a/p> "1.0E0"^^<http://www.w3.org/2001/XMLSchema#double>"#,
        r#"<http://a/s> <http://a/p> "true"^^<http://www.w3.org/2001/XMLSchema#boolean>"#,
        r#"<http://a/s> <http://a/p> "a""#,
        r#"<http://a/s> <http://a/p> "b"@en-gb"#,
        r#"<http://a/s> <http://a/p> "c"@ar--rtl"#,
        r#"<http://a/s> <http://a/p> "d"^^<http://a/t>"#,
        r#"<http://a/s> <http://a/p> <http://base/y>"#,
        r#"<http://a/s> <http://a/p> _:b"#,
        r#"<http://a/r> <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( <http://a/a> <http://a/b> <http://a/c> )>>"#,
        r#"<http://a/r> <http://a/q> "z""#,
        r#"<http://a/s> <http://a/p> <<( <http://a/a> <http://a/b> <<( _:x <http://a/b> "1"^^<http://www.w3.org/2001/XMLSchema#integer> )>> )>>"#,
    ];
    assert_eq!(lines(&read(text, Format::Turtle).unwrap()), expected);
}

#[test]
fn other_formats() {
    let quads = "<http://s> <http://p> <http://o> <http://g> .\n_:a <http://p> \"x\" .\n";
    assert_eq!(
        lines(&read(quads, Format::NQuads).unwrap()),
        ["<http://s> <http://p> <http://o> <http://g>", "_:a <http://p> \"x\""]
    );
    let trig = "<http://g> { <http://s> <http://p> <http://o> } _:g { <http://s> <http://p> 1 }";
    assert_eq!(lines(&read(trig, Format::TriG).unwrap())[0], "<http://s> <http://p> <http://o> <http://g>");
    let xml = r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">
        <rdf:Description rdf:about="http://s"><e:p xml:lang="en">x</e:p></rdf:Description></rdf:RDF>"#;
    assert_eq!(lines(&read(xml, Format::RdfXml).unwrap()), [r#"<http://s> <http://e/p> "x"@en"#]);
    let json = r#"{"@id": "http://s", "http://p": [{"@value": 1}, {"@id": "http://o"}]}"#;
    assert_eq!(
        lines(&read(json, Format::JsonLd).unwrap()),
        [
            r#"<http://s> <http://p> "1"^^<http://www.w3.org/2001/XMLSchema#integer>"#,
            "<http://s> <http://p> <http://o>"
        ]
    );
}

#[test]
fn blank_nodes_are_of_their_text() {
    let with = |prefix: &str| {
        let options = ParseOptions { blank_prefix: prefix.into(), ..options(Format::TriG) };
        let text = b"_:g { _:a <http://p> _:b , <<( _:a <http://p> _:b )>> }";
        lines(&read_with(text, &options).unwrap().0)
    };
    assert_eq!(
        with("f1-"),
        ["_:f1-a <http://p> _:f1-b _:f1-g", "_:f1-a <http://p> <<( _:f1-a <http://p> _:f1-b )>> _:f1-g"]
    );
    assert_ne!(with("f1-"), with("f2-"));
}

#[test]
fn errors_have_places() {
    let at = |text: &str, format| match read(text, format).unwrap_err() {
        ReadError::Syntax { line, column, reason } => {
            assert!(!reason.is_empty() && !reason.contains("line"), "{reason}");
            (line, column)
        }
        other => panic!("{other}"),
    };
    assert_eq!(
        at("<http://a> <http://b> <http://c> .\n<http://a> <http://b> x .\n", Format::NTriples).0,
        Some(2)
    );
    assert_eq!(at("@prefix : <http://a/> .\n\n:s :p é:o .", Format::Turtle), (Some(3), Some(7)));
    assert_eq!(at("<a> <b> <c> .", Format::Turtle).0, Some(1));
    assert_eq!(at("{\n\"@id\": nope}", Format::JsonLd).0, Some(2));
    let xml = "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n<rdf:Description>\n</b>\n</rdf:RDF>";
    assert_eq!(at(xml, Format::RdfXml), (Some(3), None));
    let error = read("<http://a> <http://b> .", Format::NTriples).unwrap_err().to_string();
    assert!(error.starts_with("line 1, column "), "{error}");
    let bad_base = ParseOptions { base: Some("not a base".into()), ..options(Format::Turtle) };
    assert!(matches!(read_with(b"", &bad_base), Err(ReadError::Option(_))));
}

#[test]
fn bad_statements_are_skipped_and_counted() {
    let text =
        "<http://a> <http://p> 1 .\nnonsense\n<http://b> <http://p> \"2\" .\n<http://c> \"p\" \"2\" .\n";
    let skip = |format| ParseOptions { bad: BadStatements::Skip, ..options(format) };
    let (rows, report) = read_with(text.as_bytes(), &skip(Format::NTriples)).unwrap();
    assert_eq!(lines(&rows), ["<http://b> <http://p> \"2\""]);
    assert_eq!((report.statements, report.skipped, report.errors.len()), (1, 3, 3));
    let many = "x\n".repeat(1000);
    let (_, report) = read_with(many.as_bytes(), &skip(Format::NQuads)).unwrap();
    assert_eq!((report.skipped, report.errors.len()), (1000, 10));
    assert!(read_with(b"<a><b>", &skip(Format::RdfXml)).is_err());
    assert!(read_with(b"{", &skip(Format::JsonLd)).is_err());
}

/// Good statements that are read of a text with bad ones, and where those are.
#[track_caller]
fn skip(format: Format, text: &str, good: &[&str], bad: &[(u64, u64)]) {
    let options = ParseOptions { bad: BadStatements::Skip, ..options(format) };
    let (rows, report) = read_with(text.as_bytes(), &options).unwrap();
    assert_eq!(lines(&rows), good, "{text:.300}");
    let places: Vec<(u64, u64)> = report
        .errors
        .iter()
        .map(|error| match error {
            ReadError::Syntax { line: Some(line), column: Some(column), .. } => (*line, *column),
            other => panic!("{text}: {other}"),
        })
        .collect();
    assert_eq!((places.as_slice(), report.skipped), (bad, bad.len() as u64), "{text:.300}");
}

#[test]
fn a_bad_statement_costs_itself_alone() {
    let a = "<x:a> <x:p> \"1\"";
    let c = "<x:c> <x:p> \"3\"";
    for (bad, place) in [
        ("<x:b> <x:p> .", (2, 13)),
        ("<x:b> <x:p> <no iri> .", (2, 13)),
        ("<x:b> <x:p> 1 2 .", (2, 15)),
        ("<x:b> <x:p> 1, 2, u:x .", (2, 19)),
        ("<x:b> <x:p> 'a.b .", (2, 13)),
        ("<x:b> <x:p> <a .", (2, 13)),
        ("<x:b> [ .", (2, 7)),
        ("'x' <x:p> 1 .", (2, 1)),
        (".", (2, 1)),
        ("<x:b> <x:p> 1.5.x .", (2, 17)),
    ] {
        let text = format!("{a} .\n{bad}\n{c} .\n");
        skip(Format::Turtle, &text, &[a, c], &[place]);
        skip(Format::TriG, &text, &[a, c], &[place]);
    }
    let all = "@prefix x: <x:> . x:a x:p '1' .x:b x:p .x:c x:p '''3'''.";
    skip(Format::Turtle, all, &[a, c], &[(1, 40)]);
    skip(Format::Turtle, "<x:a> <x:p> '1' . <x:b> <x:p>", &[a], &[(1, 30)]);
    skip(Format::Turtle, "", &[], &[]);
    skip(
        Format::Turtle,
        "# <x:a>.\n PREFIX x: <x:> x:a x:p '1' ; x:p , .\n x:c x:p '3' . # .",
        &[c],
        &[(2, 35)],
    );
    let reified = "<<<x:a> <x:p.'#> '1'>> <x:q> '2' .\n<x:c> <x:p> '3' .";
    let (rows, report) =
        read_with(reified.as_bytes(), &ParseOptions { bad: BadStatements::Skip, ..options(Format::Turtle) })
            .unwrap();
    assert_eq!((rows.len(), report.skipped), (3, 0));
    let long = format!("{a} .\n<x:b> <x:p> {} .\n{c} .", "1, ".repeat(50_000));
    skip(Format::Turtle, &long, &[a, c], &[(2, 150_014)]);
}

#[test]
fn a_bad_statement_leaves_the_graph() {
    let (a, c) = ("<x:a> <x:p> \"1\" <x:g>", "<x:c> <x:p> \"3\" <x:g>");
    let d = "<x:d> <x:p> \"4\"";
    let text = |bad: &str| format!("GRAPH <x:g> {{ <x:a> <x:p> '1' .\n{bad}\n<x:c> <x:p> '3' }}\n{d} .");
    skip(Format::TriG, &text("<x:b> <x:p> ."), &[a, c, d], &[(2, 13)]);
    skip(Format::TriG, &text("<x:b> <x:p> 1 2 . 3 4 5 ."), &[a, c, d], &[(2, 15), (2, 19)]);
    skip(Format::TriG, &format!("<x:g> {{ <x:a> <x:p> '1' . <x:b> <x:p> }}\n{d} ."), &[a, d], &[(1, 39)]);
    skip(Format::TriG, &format!("1 {{ <x:a> <x:p> '1' . <x:b> <x:p> 2 }}\n{d} ."), &[d], &[(1, 1)]);
}

fn write(rows: &[Row], format: Format, options: &WriteOptions) -> Result<String, WriteError> {
    let mut writer = StatementWriter::new(Vec::new(), format, options)?;
    for [subject, predicate, object, graph] in rows {
        writer.write([subject, predicate, object], (!graph.is_null()).then_some(graph))?;
    }
    Ok(String::from_utf8(writer.finish()?).unwrap())
}

#[test]
fn what_is_written_reads_back() {
    let objects = [
        "<http://o>",
        "_:o",
        "\"text\"",
        "\"a\\\"b\\\\c\\nd\\té<&>\"",
        "\"x\"@en",
        "\"\"",
        "\" \"",
        "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>",
        "\"01\"^^<http://www.w3.org/2001/XMLSchema#integer>",
        "\"2.0\"^^<http://www.w3.org/2001/XMLSchema#decimal>",
        "\"1.5E0\"^^<http://www.w3.org/2001/XMLSchema#double>",
        "\"true\"^^<http://www.w3.org/2001/XMLSchema#boolean>",
        "\"2005-01-01T00:00:00Z\"^^<http://www.w3.org/2001/XMLSchema#dateTime>",
        "\"x\"^^<http://t>",
        "\"x\"@ar--rtl",
        "<<( <http://s> <http://e/p> \"1\"@en )>>",
        "<<( _:s <http://e/p> <<( <http://s> <http://e/p> _:o )>> )>>",
    ];
    let term = |text: &str| parse_nt(text).unwrap_or_else(|| panic!("{text}"));
    let all: Vec<Row> = objects
        .iter()
        .map(|object| [term("<http://s>"), term("<http://e/p>"), term(object), Value::Null])
        .chain([[term("_:s"), term("<http://e/p>"), Value::Decimal("2".parse_decimal()), Value::Null]])
        .collect();
    let graphs: Vec<Row> = all
        .iter()
        .cloned()
        .map(|[s, p, o, _]| [s, p, o, term("<http://g>")])
        .chain(all.iter().cloned())
        .collect();
    let prefixes = vec![("e".to_owned(), "http://e/".to_owned())];
    let with_prefixes = WriteOptions { prefixes, base: Some("http://s".into()) };
    for format in Format::ALL {
        // What JSON-LD 1.1 cannot have.
        let is_new = |row: &Row| format == Format::JsonLd && nt(&row[2]).starts_with("<<(");
        let rows: Vec<Row> = if format.has_graphs() { &graphs } else { &all }
            .iter()
            .filter(|row| !is_new(row))
            .cloned()
            .collect();
        for options in [WriteOptions::default(), with_prefixes.clone()] {
            let text = write(&rows, format, &options).unwrap_or_else(|error| panic!("{format:?} {error}"));
            let mut back =
                lines(&read(&text, format).unwrap_or_else(|error| panic!("{format:?} {error}\n{text}")));
            let mut expected = lines(&rows);
            back.sort();
            expected.sort();
            assert_eq!(back, expected, "{format:?}\n{text}");
        }
    }
}

trait ParseDecimal {
    fn parse_decimal(&self) -> trimorph_types::Decimal;
}

impl ParseDecimal for str {
    fn parse_decimal(&self) -> trimorph_types::Decimal {
        trimorph_types::Decimal::parse(self).unwrap()
    }
}

#[test]
fn what_cannot_be_written_is_refused() {
    let [iri, text, blank] = [Value::iri("http://a"), Value::string("a"), Value::iri("_:a")];
    let refused = |row: [&Value; 3], graph: Option<&Value>, format| {
        let mut writer = StatementWriter::new(Vec::new(), format, &WriteOptions::default()).unwrap();
        let error = writer.write(row, graph).unwrap_err();
        // Nothing of it was written.
        if let Ok(out) = writer.finish() {
            assert!(!String::from_utf8(out).unwrap().contains("http://a"));
        }
        error.to_string()
    };
    for format in Format::ALL {
        assert_eq!(
            refused([&text, &iri, &iri], None, format),
            "cannot write 'a' as the subject or graph of a statement"
        );
        assert_eq!(
            refused([&iri, &blank, &iri], None, format),
            "cannot write _:a as the predicate of a statement"
        );
        assert_eq!(refused([&iri, &iri, &Value::Null], None, format), "cannot write null as an RDF term");
        assert_eq!(
            refused([&iri, &iri, &Value::map(Map::new())], None, format),
            "cannot write {} as an RDF term"
        );
        assert_eq!(
            refused([&iri, &iri, &Value::iri("http://a b")], None, format),
            "cannot write <http://a b> as an IRI"
        );
        assert_eq!(
            refused([&iri, &iri, &Value::iri("_:a b")], None, format),
            "cannot write _:a b as a blank node"
        );
        assert!(
            refused([&iri, &iri, &Value::iri("<<( nonsense")], None, format).ends_with("as a triple term")
        );
        if !format.has_graphs() {
            assert_eq!(
                refused([&iri, &iri, &iri], Some(&iri), format),
                format!("{} has no named graphs", format.name())
            );
        }
    }
    let no_name = Value::iri("http://a/1");
    let error = refused([&iri, &no_name, &iri], None, Format::RdfXml);
    assert_eq!(error, "<http://a/1> does not end with a name, which predicates of RDF/XML must");
    let options = WriteOptions { base: Some("a b".into()), ..WriteOptions::default() };
    assert!(StatementWriter::new(Vec::new(), Format::Turtle, &options).is_err());
}

#[test]
fn xml_literals_declare_what_they_use() {
    let check = |inner: &str, expected: &str| {
        let text = format!(
            r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/" xmlns="http://d/">
            <rdf:Description rdf:about="http://s"><e:p rdf:parseType="Literal">{inner}</e:p></rdf:Description></rdf:RDF>"#
        );
        let rows = read(&text, Format::RdfXml).unwrap();
        let trimorph_types::rdf::Term::Literal(literal) = trimorph_types::rdf::Term::of(&rows[0][2]) else {
            panic!()
        };
        assert_eq!(literal.lexical, expected);
    };
    check("plain &lt; text", "plain &lt; text");
    check("<e:b/>", "<e:b xmlns:e=\"http://e/\"></e:b>");
    check("<b z=\"1\" a=\"2\"/>", "<b xmlns=\"http://d/\" a=\"2\" z=\"1\"></b>");
    check(
        "<e:b><e:c/><d e:x=\"1\"/></e:b>",
        "<e:b xmlns:e=\"http://e/\"><e:c></e:c><d xmlns=\"http://d/\" e:x=\"1\"></d></e:b>",
    );
    check(
        "<b xml:lang=\"en\">x</b><b/>",
        "<b xmlns=\"http://d/\" xml:lang=\"en\">x</b><b xmlns=\"http://d/\"></b>",
    );
}

#[test]
fn usual_lines_and_others_are_read_alike() {
    let terms = [
        "<http://a>",
        "<http://a/b?c=d#e>",
        "<urn:x:y>",
        "<http://a/é>",
        "<http://a:80/>",
        "<http://u@a/>",
        "<http://a/%20>",
        "<http://[::1]/>",
        "<http://a/\\u00e9>",
        "_:a",
        "_:a1_",
        "_:a.b",
        "_:é",
        "_:a-b",
        "\"\"",
        "\"x\"",
        "\"é\"",
        "\"a\\\\\\\"b\\n\\u00E9\"",
        "\"x\"@en",
        "\"x\"@EN-gb",
        "\"x\"@ar--rtl",
        "\"x\"^^<http://t>",
        "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>",
        "\"# . <\"",
        "<<( <http://a> <http://b> \"x\" )>>",
        // No terms.
        "<a>",
        "<http://a b>",
        "<http://a/%2>",
        "<http://a#b#c>",
        "<http://a:x/>",
        "<1a:b>",
        "<http://a/\\n>",
        "_:",
        "_:-a",
        "_:a.",
        "\"x",
        "\"\\x\"",
        "\"x\"@",
        "\"x\"@e_n",
        "\"x\"^^",
        "\"x\"^^<t>",
        "\"x\"^^_:a",
        "\"x\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>",
        "1",
        "x",
    ];
    let (mut good, mut bad) = (0, 0);
    for term in terms {
        let (iri, end) = ("<http://i/1>", " .");
        let mut texts = vec![
            format!("{term} {iri} {iri}{end}"),
            format!("{iri} {term} {iri}{end}"),
            format!("{iri} {iri} {term}{end}"),
            format!("{iri}\t{iri}\t{term}\t. # comment"),
            format!("  {iri}{iri}{term}."),
            format!("{iri} {iri} {term}"),
            format!("{iri} {iri} {term} . {iri}"),
            format!("{iri} {iri} {term} .\r{iri} {iri} {term} ."),
            format!("# {term} \r{iri} {iri} {term} ."),
            format!("{iri} {iri} {iri} {term}{end}"),
        ];
        texts.extend(texts.clone().into_iter().map(|text| format!("{text}\r\n")));
        for text in texts {
            for format in [Format::NTriples, Format::NQuads] {
                let found = read_with(text.as_bytes(), &options(format));
                let expected: Result<Vec<_>, _> =
                    oxrdfio::RdfParser::from_format(format.library()).for_slice(&text).collect();
                match (found, expected) {
                    (Ok((rows, _)), Ok(quads)) => {
                        good += 1;
                        let expected: Vec<String> = quads.iter().map(ToString::to_string).collect();
                        assert_eq!(lines(&rows), expected, "{text}");
                    }
                    (Err(_), Err(_)) => bad += 1,
                    (found, expected) => {
                        panic!("{text:?} {:?} {expected:?}", found.map(|(rows, _)| lines(&rows)))
                    }
                }
            }
        }
    }
    assert!(good > 300 && bad > 300, "{good} {bad}");
}

#[test]
fn lines_in_memory() {
    let text = b"<http://a> <http://p> _:b .\n\n# x\n<http://a> <http://p> nonsense .\n";
    let mut count = 0;
    let take = |_: crate::Statement<'_>| {
        count += 1;
        Ok::<_, ()>(())
    };
    let failure = crate::parse_lines(text, 100, &options(Format::NTriples), take).unwrap_err();
    let crate::Failure::Read(ReadError::Syntax { line, .. }) = failure else { panic!("{failure:?}") };
    assert_eq!((count, line), (1, Some(103)));
    assert!(crate::parse_lines(text, 1, &options(Format::Turtle), |_| Ok::<_, ()>(())).is_err());
    let prefix = ParseOptions { blank_prefix: "a b".into(), ..options(Format::NTriples) };
    assert!(matches!(read_with(b"", &prefix), Err(ReadError::Option(_))));
}

/// Hands out one byte at a time.
struct Slow<'a>(&'a [u8]);

impl std::io::Read for Slow<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
        self.0 = rest;
        out[0] = *first;
        Ok(1)
    }
}

#[test]
fn lines_in_pieces() {
    let long = format!("<http://a> <http://p> \"{}\" .\n", "x".repeat(600_000));
    let text = format!("<http://a> <http://p> _:b .\n{long}<http://a> <http://p> 1 .");
    let check = |reader: &mut (dyn std::io::Read + Send), text: &str| {
        let mut count = 0;
        let take = |_: crate::Statement<'_>| {
            count += 1;
            Ok::<_, ()>(())
        };
        let failure = crate::parse(reader, &options(Format::NTriples), take).unwrap_err();
        let crate::Failure::Read(ReadError::Syntax { line, .. }) = failure else { panic!("{failure:?}") };
        assert_eq!((count, line), (2, Some(3)), "{}", text.len());
    };
    check(&mut text.as_bytes(), &text);
    let short = text.replace(&"x".repeat(600_000), "x");
    check(&mut Slow(short.as_bytes()), &short);
}
