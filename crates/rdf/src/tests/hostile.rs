//! Texts that were made wrong on purpose: no panic, no hang, no end of the stack.

use trimorph_types::Value;

use super::{options, read_with};
use crate::{BadStatements, Format, NESTING_MAX, ParseOptions, ResultFormat, SolutionWriter, read_results};

const RDF: &str = r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/" rdf:version="1.2">"#;

/// A text of each format, nested that deep.
fn nested(depth: usize) -> Vec<(Format, String)> {
    let terms = format!(
        "<http://s> <http://p> {}<http://o>{} .\n",
        "<<( <http://s> <http://p> ".repeat(depth),
        " )>>".repeat(depth)
    );
    let comments = format!(
        "<http://s> <http://p> {}<http://o>{} .\n",
        "<<( <http://s> <http://p> ".repeat(depth),
        " )>> # x \"\n".repeat(depth)
    );
    let brackets =
        format!("<http://s> <http://p> {}1{} .", "[ <http://p> ".repeat(depth), " ]".repeat(depth));
    let collections = format!("<http://s> <http://p> {}1{} .", "( ".repeat(depth), " )".repeat(depth));
    let reified = format!("{}<http://o>{} .", "<< <http://s> <http://p> ".repeat(depth), " >>".repeat(depth));
    let elements =
        format!("{RDF}{}{}</rdf:RDF>", "<e:A><e:p>".repeat(depth / 2), "</e:p></e:A>".repeat(depth / 2));
    let triples = format!(
        "{RDF}<rdf:Description rdf:about=\"http://s\">{}<e:p rdf:resource=\"http://o\"/>{}</rdf:Description></rdf:RDF>",
        "<e:p rdf:parseType=\"Triple\"><rdf:Description rdf:about=\"http://s\">".repeat(depth / 2),
        "</rdf:Description></e:p>".repeat(depth / 2)
    );
    let lists =
        format!("{{\"@id\": \"http://s\", \"http://p\": {}1{}}}", "[".repeat(depth), "]".repeat(depth));
    let list_objects = format!(
        "{{\"@id\": \"http://s\", \"http://p\": {}1{}}}",
        "{\"@list\": [".repeat(depth / 2),
        "]}".repeat(depth / 2)
    );
    let objects = format!("{}1{}", "{\"http://p\": ".repeat(depth), "}".repeat(depth));
    let contexts = format!("{{\"@context\": {}{{}}{}}}", "[".repeat(depth), "]".repeat(depth));
    vec![
        (Format::NTriples, terms.clone()),
        (Format::NQuads, terms.clone()),
        (Format::Turtle, terms.clone()),
        (Format::TriG, terms),
        (Format::Turtle, comments),
        (Format::Turtle, brackets.clone()),
        (Format::TriG, brackets),
        (Format::Turtle, collections),
        (Format::Turtle, reified),
        (Format::RdfXml, elements),
        (Format::RdfXml, triples),
        (Format::JsonLd, lists),
        (Format::JsonLd, list_objects),
        (Format::JsonLd, objects),
        (Format::JsonLd, contexts),
    ]
}

#[test]
fn nesting_is_bounded() {
    // On a stack of 2 MiB, in a build that is not optimised.
    for depth in [2, 90, NESTING_MAX - 20, NESTING_MAX + 20, 100_000] {
        for (format, text) in nested(depth) {
            let skip = ParseOptions { bad: BadStatements::Skip, ..options(format) };
            let start = text.chars().take(120).collect::<String>();
            let read = read_with(text.as_bytes(), &skip);
            match read {
                Ok((rows, report)) if depth == 2 => {
                    assert!(!rows.is_empty() && report.skipped == 0 || format == Format::JsonLd, "{start}")
                }
                Err(_) if text.contains("@context") => {}
                Err(error) if depth == 2 => panic!("{error}\n{text}"),
                Ok((rows, _)) if text.contains("<<(") && depth > 100 => assert!(rows.is_empty(), "{start}"),
                Err(error) if matches!(format, Format::RdfXml | Format::JsonLd) && depth > NESTING_MAX => {
                    assert!(error.to_string().contains("levels of nesting"), "{error}");
                }
                Ok(_) if matches!(format, Format::RdfXml | Format::JsonLd) => {
                    assert!(depth <= NESTING_MAX, "{start}")
                }
                _ => {}
            }
        }
    }
}

#[test]
fn signs_in_texts_are_no_nesting() {
    let many = "( [ <<( { )>> ".repeat(2_000);
    let turtle = format!("<http://s> <http://p> \"{many}\" . # {many}\n<http://s> <http://p> 1 .");
    assert_eq!(read_with(turtle.as_bytes(), &options(Format::Turtle)).unwrap().0.len(), 2);
    let json = format!("{{\"@id\": \"http://s\", \"http://p\": \"{}\"}}", many.replace('{', "\\\"{\\\\"));
    assert_eq!(read_with(json.as_bytes(), &options(Format::JsonLd)).unwrap().0.len(), 1);
    let xml = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE r [<!ENTITY x \"y\">]><!-- {0} -->{RDF}{1}</rdf:RDF>",
        "<a>".repeat(2_000),
        "<rdf:Description rdf:about=\"http://s\" e:q='/>'><e:p><![CDATA[<a><a>]]></e:p></rdf:Description>"
            .repeat(2_000)
    );
    assert_eq!(read_with(xml.as_bytes(), &options(Format::RdfXml)).unwrap().0.len(), 4_000);
}

#[test]
fn nested_results_are_bounded() {
    for depth in [50, 100, 5_000, 100_000] {
        let json = format!(
            "{{\"head\": {{\"vars\": [\"a\"]}}, \"results\": {{\"bindings\": [{{\"a\": {}{{\"type\": \"uri\", \"value\": \"http://o\"}}{}}}]}}}}",
            "{\"type\": \"triple\", \"value\": {\"subject\": {\"type\": \"uri\", \"value\": \"http://s\"}, \"predicate\": {\"type\": \"uri\", \"value\": \"http://p\"}, \"object\": ".repeat(depth),
            "}}".repeat(depth)
        );
        assert_eq!(read_results(json.as_bytes(), ResultFormat::Json, "").is_ok(), depth <= 100, "{depth}");
        let xml = format!(
            "<sparql xmlns=\"http://www.w3.org/2005/sparql-results#\"><head><variable name=\"a\"/></head><results><result><binding name=\"a\">{}<uri>http://o</uri>{}</binding></result></results></sparql>",
            "<triple><subject><uri>http://s</uri></subject><predicate><uri>http://p</uri></predicate><object>".repeat(depth),
            "</object></triple>".repeat(depth)
        );
        assert_eq!(read_results(xml.as_bytes(), ResultFormat::Xml, "").is_ok(), depth <= 100, "{depth}");
        let tsv =
            format!("?a\n{}<http://o>{}\n", "<<( <http://s> <http://p> ".repeat(depth), " )>>".repeat(depth));
        // The library stops earlier.
        assert_eq!(read_results(tsv.as_bytes(), ResultFormat::Tsv, "").is_ok(), depth <= 50, "{depth}");
    }
}

/// Entities that stand for more and more of each other.
#[test]
fn entities_do_not_grow() {
    let mut declarations = String::from("<!ENTITY e0 \"xxxxxxxxxx\">");
    for i in 1..40 {
        declarations.push_str(&format!("<!ENTITY e{i} \"{}\">", format!("&e{};", i - 1).repeat(10)));
    }
    let text = format!(
        "<!DOCTYPE r [{declarations}]>{RDF}<rdf:Description rdf:about=\"http://s\"><e:p>&e39;</e:p></rdf:Description></rdf:RDF>"
    );
    assert!(read_with(text.as_bytes(), &options(Format::RdfXml)).is_err());
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

fn mutated(random: &mut Random, text: &[u8]) -> Vec<u8> {
    const SIGNS: &[u8] = b"<>\"'\\@^.;,:_()[]{}#/?!&=\n\t \x00\xFF\xC3aA0-~%";
    let mut text = text.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(text.len() + 1);
        match random.below(5) {
            0 if at < text.len() => text[at] = SIGNS[random.below(SIGNS.len())],
            1 => text.insert(at, SIGNS[random.below(SIGNS.len())]),
            2 if at < text.len() => _ = text.remove(at),
            3 => text.truncate(at),
            _ => {
                // A piece comes up again elsewhere.
                let end = (at + random.below(40)).min(text.len());
                let piece = text[at..end].to_vec();
                let to = random.below(text.len() + 1);
                text.splice(to..to, piece);
            }
        }
    }
    text
}

#[test]
fn mutated_texts_do_not_panic() {
    let turtle = "@prefix : <http://a/> .\n:s a :T ; :p 1, 1.5e0, true, 'x'@en--ltr, \"\"\"y\"\"\"^^:d , (1 [ :q _:b ]) {| :r 1 |} .\n<< :a :b :c >> :d <<( :a :b :c )>> .";
    let trig = "@prefix : <http://a/> .\nGRAPH :g { :s :p 1 . } { :s :p :o } _:b { [] :p () }";
    let nt = "<http://a> <http://b> \"x\\u00e9\"@en .\n_:a <http://b> <<( _:a <http://b> \"1\"^^<http://c> )>> .\n";
    let nq = "<http://a> <http://b> \"x\" <http://g> .\n_:a <http://b> _:c _:g .\n";
    let xml = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE r [<!ENTITY x \"y\">]>{RDF}<e:T rdf:ID=\"i\" e:q=\"&x;\"><e:p rdf:parseType=\"Collection\"><e:A/></e:p><e:p rdf:parseType=\"Literal\"><b>&lt;</b></e:p><e:p xml:lang=\"en\">x</e:p></e:T></rdf:RDF>"
    );
    let json = r#"{"@context": {"@vocab": "http://v/", "k": {"@id": "http://k", "@container": "@list"}, "@base": "http://b/"}, "@id": "s", "@type": "T", "k": [1, "a", {"@value": "x", "@language": "en"}], "@graph": [{"p": {"@id": "o"}}]}"#;
    let seeds = [
        (Format::Turtle, turtle),
        (Format::TriG, trig),
        (Format::NTriples, nt),
        (Format::NQuads, nq),
        (Format::RdfXml, &xml),
        (Format::JsonLd, json),
    ];
    let mut random = Random(5);
    let rounds = std::env::var("RDF_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000);
    let (mut good, mut bad) = (0, 0);
    for (format, seed) in seeds {
        read_with(seed.as_bytes(), &ParseOptions { base: Some("http://b/".into()), ..options(format) })
            .unwrap_or_else(|error| panic!("{format:?} {error}"));
        for round in 0..rounds {
            let text = mutated(&mut random, seed.as_bytes());
            let how = if round % 2 == 0 { BadStatements::Skip } else { BadStatements::Refuse };
            let options = ParseOptions { base: Some("http://b/".into()), bad: how, ..options(format) };
            match read_with(&text, &options) {
                Ok(_) => good += 1,
                Err(_) => bad += 1,
            }
        }
    }
    assert!(good > rounds / 10 && bad > rounds / 10, "{good} {bad}");
}

#[test]
fn mutated_results_do_not_panic() {
    let mut random = Random(9);
    for format in [ResultFormat::Json, ResultFormat::Xml, ResultFormat::Tsv] {
        let mut writer = SolutionWriter::new(Vec::new(), format, ["a", "b"]).unwrap();
        let triple = trimorph_types::rdf::parse_nt("<<( <http://s> <http://p> \"1\"@en )>>").unwrap();
        writer.write(&[Value::iri("http://a"), triple]).unwrap();
        writer.write(&[Value::Null, Value::Int(1)]).unwrap();
        let seed = writer.finish().unwrap();
        for _ in 0..2_000 {
            _ = read_results(&mutated(&mut random, &seed)[..], format, "");
        }
    }
}

/// What is defined by what is defined by … in one context.
#[test]
fn contexts_are_bounded() {
    let chain = |length: usize| {
        let terms: String = (0..length).map(|i| format!("\"t{i}\": \"t{}:a\", ", i + 1)).collect();
        format!("{{\"@context\": {{{terms}\"t{length}\": \"http://t/\"}}, \"@id\": \"http://s\", \"t0\": 1}}")
    };
    assert_eq!(read_with(chain(19_900).as_bytes(), &options(Format::JsonLd)).unwrap().0.len(), 1);
    let scoped: String =
        (0..200).map(|i| format!("\"t{i}\": {{\"@id\": \"http://t\", \"@context\": {{}}}}, ")).collect();
    for text in [
        chain(200_000),
        chain(200_000).replace("@context", "\\u0040context"),
        format!("{{\"@context\": [{}{{}}]}}", "{\"a\": \"http://a\"}, ".repeat(30_000)),
        format!("{{\"@context\": {{{scoped}\"u\": \"http://u\"}}}}"),
    ] {
        let error = read_with(text.as_bytes(), &options(Format::JsonLd)).unwrap_err().to_string();
        assert!(error.contains("a context with more than"), "{error}");
    }
    // Many small ones are fine, and so are keys that are no terms.
    let many = "{\"@context\": {\"a\": \"http://a\"}, \"@id\": \"http://s\", \"a\": 1}, ".repeat(30_000);
    let text = format!("[{many}{{}}]");
    assert_eq!(read_with(text.as_bytes(), &options(Format::JsonLd)).unwrap().0.len(), 30_000);
}

#[test]
fn namespaces_and_attributes_are_bounded() {
    let attributes = |count: usize| {
        let attributes: String = (0..count).map(|i| format!(" e:p{i}='='")).collect();
        format!("{RDF}<rdf:Description rdf:about=\"http://s\"{attributes}/></rdf:RDF>")
    };
    assert_eq!(read_with(attributes(900).as_bytes(), &options(Format::RdfXml)).unwrap().0.len(), 900);
    let error = read_with(attributes(1_001).as_bytes(), &options(Format::RdfXml)).unwrap_err().to_string();
    assert!(error.contains("attributes"), "{error}");
    let literal = |namespaces: usize, elements: usize, kind: &str| {
        let declared: String = (0..namespaces).map(|i| format!(" xmlns:p{i}=\"http://p/{i}\"")).collect();
        let elements = "<p1:b/>".repeat(elements);
        format!(
            "{RDF}<rdf:Description{declared} rdf:about=\"http://s\"><e:p rdf:parseType=\"{kind}\">{elements}</e:p></rdf:Description></rdf:RDF>"
        )
    };
    assert_eq!(
        read_with(literal(100, 100, "Literal").as_bytes(), &options(Format::RdfXml)).unwrap().0.len(),
        1
    );
    // Other kinds are XML literals, too.
    for kind in ["Literal", "&#76;iteral", "anything"] {
        let error = read_with(literal(900, 100_000, kind).as_bytes(), &options(Format::RdfXml)).unwrap_err();
        assert!(error.to_string().contains("namespaces"), "{error}");
    }
    let error = read_with(
        literal(990, 1, "Literal").replace("http://p/", &"x".repeat(60)).as_bytes(),
        &options(Format::RdfXml),
    );
    assert!(error.unwrap_err().to_string().contains("bytes of namespaces in scope"));
    let declared: String = (0..300).map(|i| format!(" xmlns:p{i}=\"http://p/\"")).collect();
    let nested = format!("{RDF}{}</rdf:RDF>", format!("<e:T{declared}><e:p>").repeat(20));
    let error = read_with(nested.as_bytes(), &options(Format::RdfXml)).unwrap_err().to_string();
    assert!(error.contains("bytes of namespaces in scope"), "{error}");
    // Outside of literals nothing is written.
    let many = format!("{RDF}{}</rdf:RDF>", "<e:T rdf:about=\"http://s\" e:p=\"x\"/>".repeat(100_000));
    assert_eq!(read_with(many.as_bytes(), &options(Format::RdfXml)).unwrap().0.len(), 200_000);
}

/// Whoever takes statements may give up, and the parser on its thread ends.
#[test]
fn takers_give_up() {
    let items = "{\"@id\": \"http://s\", \"http://p\": 1}, ".repeat(20_000);
    for (format, text) in [
        (Format::JsonLd, format!("[{items}{{}}]")),
        (Format::Turtle, "<http://s> <http://p> 1 .\n".repeat(20_000)),
        (Format::NTriples, "<http://s> <http://p> \"1\" .\n".repeat(20_000)),
    ] {
        let mut taken = 0;
        let failure = crate::parse(text.as_bytes(), &options(format), |_| {
            taken += 1;
            if taken < 1_000 { Ok(()) } else { Err("enough") }
        });
        assert!(matches!(failure, Err(crate::Failure::Taker("enough"))), "{format:?}");
        assert_eq!(taken, 1_000);
    }
}
