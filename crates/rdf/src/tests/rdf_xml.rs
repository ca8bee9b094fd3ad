//! What the standard says of RDF/XML and the parser does not: texts in, statements or a refusal out.

use super::{lines, options, read_with};
use crate::Format;

/// The statements of elements within `rdf:RDF`, as N-Triples.
fn found(inner: &str) -> Result<Vec<String>, String> {
    whole(&format!(
        "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:e=\"http://e/\">{inner}</rdf:RDF>"
    ))
}

fn whole(text: &str) -> Result<Vec<String>, String> {
    let mut options = options(Format::RdfXml);
    options.base = Some("http://base/x".into());
    read_with(text.as_bytes(), &options).map(|(rows, _)| lines(&rows)).map_err(|error| error.to_string())
}

/// The object of the one statement of a property within a node.
#[track_caller]
fn check(property: &str, object: &str) {
    let text = format!("<e:N rdf:about=\"http://e/s\">{property}</e:N>");
    let found = found(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let objects: Vec<&str> =
        found.iter().filter_map(|line| line.strip_prefix("<http://e/s> <http://e/p> ")).collect();
    assert_eq!(objects, [object], "{text}");
}

#[track_caller]
fn refused(inner: &str, reason: &str) {
    let error = found(inner).expect_err(inner);
    assert!(error.contains(reason), "{inner}: {error}");
}

const XML: &str = "^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral>";

#[test]
fn texts_are_whole() {
    check("<e:p>a<!-- c -->b</e:p>", "\"ab\"");
    check("<e:p><!-- c\n\n -->a<?pi x?>b<!----></e:p>", "\"ab\"");
    check("<e:p>a<![CDATA[<&>]]>b</e:p>", "\"a<&>b\"");
    check("<e:p><!-- c --></e:p>", "\"\"");
    check("<!-- c --><e:p>a</e:p><?pi?>", "\"a\"");
    let inner = found("<e:N><e:p rdf:parseType=\"Resource\"><e:q>a<!-- c -->b</e:q></e:p></e:N>");
    assert!(inner.unwrap().iter().any(|line| line.ends_with("<http://e/q> \"ab\"")));
}

#[test]
fn xml_literals() {
    let literal = |inner: &str, text: &str| {
        let property = format!("<e:p rdf:parseType=\"Literal\">{inner}</e:p>");
        check(&property, &format!("\"{text}\"{XML}"));
    };
    // The parser leaves comments out.
    literal("a<!-- c --><b/>", "a<b></b>");
    literal("<![CDATA[<x>]]>", "&lt;x&gt;");
    literal("", "");
    literal("<e:RDF rdf='x'>d</e:RDF>", "<e:RDF xmlns:e=\\\"http://e/\\\" rdf=\\\"x\\\">d</e:RDF>");
    literal("<b c='\"' d=\"'\"/>", "<b c=\\\"&quot;\\\" d=\\\"'\\\"></b>");
    check("<e:p rdf:parseType=\"Literal\"/>", &format!("\"\"{XML}"));
    check("<e:p rdf:parseType=\"else\"><b/></e:p>", &format!("\"<b></b>\"{XML}"));
}

#[test]
fn languages() {
    let en = |inner: &str| format!("<e:N rdf:about=\"http://e/s\" xml:lang=\"en\">{inner}</e:N>");
    let objects = |text: &str| -> Vec<String> {
        let found = found(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let of_p = |line: &String| line.split_once(" <http://e/p> ").map(|(_, object)| object.to_owned());
        found.iter().filter_map(of_p).collect()
    };
    assert_eq!(objects(&en("<e:p xml:lang=\"\">a</e:p><e:p>b</e:p>")), ["\"a\"", "\"b\"@en"]);
    assert_eq!(objects(&en("<e:p xml:lang=\"\"/>")), ["\"\""]);
    assert_eq!(objects(&en("<e:q xml:lang=\"\"><e:N><e:p>a</e:p></e:N></e:q>")), ["\"a\""]);
    assert_eq!(
        objects(&en("<e:q xml:lang=\"\"><e:N><e:p xml:lang=\"de\">a</e:p></e:N></e:q>")),
        ["\"a\"@de"]
    );
    assert_eq!(objects("<e:N xml:lang=\"\" e:p=\"a\"/>"), ["\"a\""]);
    refused(&en("<e:q><e:N xml:lang=\"\" e:p=\"a\"/></e:q>"), "without a language");
}

#[test]
fn what_is_cut_off() {
    let open = "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">";
    for text in ["", " \n", "<!-- c -->", open, &format!("{open}<rdf:Description>"), "<a", "<a b=\"c"] {
        assert!(whole(text).is_err(), "{text}");
    }
    assert!(whole(&format!("{open}</rdf:RDF>\n<!-- c -->\n")).unwrap().is_empty());
}

#[test]
fn attributes_of_rdf() {
    for name in ["Description", "RDF", "bagID", "aboutEach", "aboutEachPrefix", "li"] {
        refused(&format!("<e:N rdf:{name}=\"x\"/>"), "");
        refused(&format!("<e:N><e:p rdf:{name}=\"x\"/></e:N>"), "");
    }
    for name in ["parseType", "resource", "datatype"] {
        refused(&format!("<e:N rdf:{name}=\"x\"/>"), "is no attribute of a node");
    }
    refused("<e:N><e:p rdf:about=\"x\"/></e:N>", "");
    refused("<e:N><e:p rdf:parseType=\"Resource\" rdf:resource=\"x\"/></e:N>", "a property has one of");
    refused("<e:N><e:p rdf:datatype=\"x\"><e:N/></e:p></e:N>", "with a datatype");
    // Of another namespace, whatever the prefix is.
    assert_eq!(found("<e:N e:bagID=\"x\" e:li=\"y\"/>").unwrap().len(), 3);
    // RDF's namespace by an entity.
    let by_entity = |property: &str| {
        whole(&format!(
            "<!DOCTYPE r [<!ENTITY r \"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"> <!ENTITY e \"http://e/\">]>\
             <q:RDF xmlns:q=\"&r;\" xmlns:e=\"&e;\"><e:N>{property}</e:N></q:RDF>"
        ))
    };
    assert_eq!(by_entity("<e:p>a<!-- c -->b</e:p><e:q q:resource=\"x\"/>").unwrap().len(), 3);
    assert!(by_entity("<e:p q:bagID=\"x\"/>").is_err());
}

#[test]
fn errors_tell_their_line() {
    let error = found("\n<e:N>\n<!-- \n -->\n<e:p rdf:li=\"x\"/>\n</e:N>").unwrap_err();
    assert!(error.contains("line 5"), "{error}");
}
