//! Parts of terms, what makes them, and triple terms.

use std::collections::HashSet;

use trimorph_types::Value;

use super::evaluator::{check, text, value};

#[test]
fn parts() {
    check(
        r#"
        str("01"^^xsd:int) ==> "01"
        str(1.50) ==> "1.50"
        str("a"@en) ==> "a"
        str(<http://a>) ==> "http://a"
        str(#7) ==> "http://n/7"
        str(#9) ==> "42"
        str(_:a) ==> error
        str(<<(<a> <b> <c>)>>) ==> error
        // sparql12/lang-basedir
        lang("a"@en-GB) ==> "en-GB"
        lang("a"@en--ltr) ==> "en"
        lang("a") ==> ""
        lang(1) ==> ""
        lang(<a>) ==> error
        lang(_:a) ==> error
        langdir("l"@en--ltr) ==> "ltr"
        langdir("a"@en) ==> ""
        langdir(1) ==> ""
        langdir(<a>) ==> error
        haslang("a"@en) ==> "true"^^xsd:boolean
        haslang("a"@en--ltr) ==> "true"^^xsd:boolean
        haslang("a") ==> "false"^^xsd:boolean
        haslang(<a>) ==> "false"^^xsd:boolean
        haslangdir("a"@en--ltr) ==> "true"^^xsd:boolean
        haslangdir("a"@en) ==> "false"^^xsd:boolean
        datatype("foo"@en--ltr) ==> rdf:dirLangString
        datatype("a"@en) ==> rdf:langString
        datatype("a") ==> xsd:string
        datatype(1) ==> xsd:integer
        datatype(1.5) ==> xsd:decimal
        datatype(1e0) ==> xsd:double
        datatype("x"^^xsd:int) ==> xsd:int
        datatype("2005-01-01T00:00:00Z"^^xsd:dateTime) ==> xsd:dateTime
        datatype(<a>) ==> error
        datatype(#9) ==> xsd:integer
        isiri(<a>) ==> "true"^^xsd:boolean
        isiri(#7) ==> "true"^^xsd:boolean
        isiri(#8) ==> "false"^^xsd:boolean
        isiri(_:a) ==> "false"^^xsd:boolean
        isiri(<<(<a> <b> <c>)>>) ==> "false"^^xsd:boolean
        isblank(_:a) ==> "true"^^xsd:boolean
        isblank(#8) ==> "true"^^xsd:boolean
        isliteral("a"@en) ==> "true"^^xsd:boolean
        isliteral(1) ==> "true"^^xsd:boolean
        isliteral(<a>) ==> "false"^^xsd:boolean
        isliteral(#9) ==> "true"^^xsd:boolean
        isliteral(null) ==> error
        isnumeric(1) ==> "true"^^xsd:boolean
        isnumeric("1"^^xsd:float) ==> "true"^^xsd:boolean
        isnumeric("1200"^^xsd:byte) ==> "false"^^xsd:boolean
        isnumeric("1") ==> "false"^^xsd:boolean
        isnumeric("abc"^^xsd:integer) ==> "false"^^xsd:boolean
        "#,
    );
}

#[test]
fn made() {
    check(
        r#"
        iri("http://a/b") ==> <http://a/b>
        iri("b", "http://a/c/d") ==> <http://a/c/b>
        iri("../x?y#z", "http://a/c/d/e") ==> <http://a/c/x?y#z>
        iri("b", <http://a/>) ==> <http://a/b>
        iri(<x>, <http://a/>) ==> <x>
        iri("b") ==> error
        iri("http://a b") ==> error
        iri("b", "no base") ==> error
        iri("a"@en, "http://a") ==> error
        iri(_:a) ==> error
        iri(1) ==> error
        strdt("123", xsd:integer) ==> "123"^^xsd:integer
        strdt("0123", xsd:integer) ==> "0123"^^xsd:integer
        strdt("iiii", <http://example/romanNumeral>) ==> "iiii"^^<http://example/romanNumeral>
        strdt("foo", xsd:string) ==> "foo"
        strdt("bar"@en, xsd:string) ==> error
        strdt(1, xsd:string) ==> error
        strdt("a", rdf:langString) ==> error
        strdt("a", "b") ==> error
        // sparql12/lang-basedir/strlang, strlangdir
        strlang("abc", "en") ==> "abc"@en
        strlang("abc", "en-US") ==> "abc"@en-US
        strlang("abc", "") ==> error
        strlang("abc", "not a tag") ==> error
        strlang("abc"@en, "en") ==> error
        strlang(123, "en") ==> error
        strlang(<http://example/x>, "en") ==> error
        strlangdir("abc", "en", "ltr") ==> "abc"@en--ltr
        strlangdir("abc", "en", "LTR") ==> error
        strlangdir("abc", "en", "") ==> error
        strlangdir("قطة", "ar", "rtl") ==> "قطة"@ar--rtl
        strlangdir("abc", "", "ltr") ==> error
        strlangdir(123, "en", "ltr") ==> error
        term(add(1, 1.5)) ==> "2.5"^^xsd:decimal
        term(#7) ==> #7
        entity(<http://n/7>) ==> #7
        entity(<http://n/8>) ==> <http://n/8>
        entity("http://n/7") ==> "http://n/7"
        "#,
    );
    assert!(matches!(value("term(add(1, 1.5))"), Value::Literal(_)));
}

#[test]
fn blank_nodes() {
    let node = text("bnode()");
    assert!(node.starts_with("_:"), "{node}");
    assert_eq!(text("bnode(\"a\", 1)"), text("bnode(\"a\", 1)"));
    assert_eq!(text("bnode(\"a\")"), text("bnode(\"a\")"));
    let different =
        ["bnode()", "bnode(\"a\")", "bnode(\"b\")", "bnode(\"a\", 1)", "bnode(\"a\", 2)", "bnode(\"b\", 1)"];
    let labels: HashSet<String> = different.iter().map(|call| text(call)).collect();
    assert_eq!(labels.len(), different.len());
    assert_eq!(text("bnode(1)"), "error");
}

#[test]
fn random() {
    let graph = super::evaluator::Named;
    let context = crate::Context::new(&graph, crate::tests::evaluator::NOW, 3);
    let mut known = HashSet::new();
    for _ in 0..100 {
        for (name, start, length) in [("uuid", "urn:uuid:", 45), ("struuid", "", 36), ("bnode", "_:", 35)] {
            let function = crate::lookup(&format!("sparql.{name}")).unwrap();
            assert!(!function.deterministic);
            let (Value::Iri(made) | Value::String(made)) = function.invoke(&context, &[]).unwrap() else {
                panic!()
            };
            assert!(made.starts_with(start) && made.len() == length, "{made}");
            assert!(known.insert(made));
        }
        let Value::Float(x) = crate::lookup("sparql.rand").unwrap().invoke(&context, &[]).unwrap() else {
            panic!()
        };
        assert!((0.0..1.0).contains(&x));
    }
}

#[test]
fn triple_terms() {
    check(
        r#"
        // sparql12/expression/triple-on-str-literals
        triple(<a>, <b>, <c>) ==> <<( <a> <b> <c> )>>
        triple("a", <b>, <c>) ==> error
        triple(<a>, "b", <c>) ==> error
        triple(<a>, <b>, "c") ==> <<( <a> <b> "c" )>>
        triple("a"@nl, <b>, <c>) ==> error
        triple(<a>, <b>, "c"@nl) ==> <<( <a> <b> "c"@nl )>>
        triple(<a>, <b>, "c"@nl--ltr) ==> <<( <a> <b> "c"@nl--ltr )>>
        triple(<a>, _:b, <c>) ==> error
        triple(#7, <b>, #9) ==> <<( <http://n/7> <b> "42"^^xsd:integer )>>
        triple(<a>, <b>, triple(<a>, <b>, 1.5)) ==> <<( <a> <b> <<( <a> <b> "1.5"^^xsd:decimal )>> )>>
        triple(triple(<a>, <b>, 1), <b>, <c>) ==> error
        subject(<<(_:s <p> 1)>>) ==> _:s
        predicate(<<(_:s <p> 1)>>) ==> <p>
        object(<<(_:s <p> 1)>>) ==> "1"^^xsd:integer
        object(<<(_:s <p> <<(<a> <b> "x\"y"@en)>>)>>) ==> <<( <a> <b> "x\"y"@en )>>
        subject(<a>) ==> error
        istriple(<<(_:s <p> 1)>>) ==> "true"^^xsd:boolean
        istriple(<a>) ==> "false"^^xsd:boolean
        istriple(1) ==> "false"^^xsd:boolean
        "#,
    );
}
