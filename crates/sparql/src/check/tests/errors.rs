//! What is said about mistakes: primary message, hint, and the text the place covers.

use trimorph_base::{Diagnostic, ErrorKind};

use crate::parse;

/// Primary, hint and covered text ("" for the end of the text).
#[track_caller]
fn check(text: &str, covered: &str, primary: &str, hint: &str) {
    let error = parse(text, None).expect_err(text);
    let span = error.span.unwrap_or_else(|| panic!("no place: {text}: {error}"));
    let found = (&text[span.start as usize..span.end as usize], &*error.primary, error.hint.as_deref());
    assert_eq!(found, (covered, primary, Some(hint)), "{text}");
}

#[track_caller]
fn not_expected(text: &str, covered: &str, hint: &str) {
    check(text, covered, &format!("\"{covered}\" is not expected here"), hint);
}

#[track_caller]
fn ends(text: &str, hint: &str) {
    check(text, "", "the text ends where more is expected", hint);
}

/// What is called and where, for errors of binding, which knows no places.
#[test]
fn functions_that_are_called() {
    let text = "PREFIX x: <http://x/> SELECT (xsd:foo(?o) AS ?z) { ?s ?p ?o FILTER x:f(?s, x:g (1)) }";
    let parsed = parse(text, None).unwrap();
    for (iri, written) in [("http://www.w3.org/2001/XMLSchema#foo", "xsd:foo"), ("http://x/g", "x:g")] {
        let primary = format!("there is no function <{iri}>");
        let error = Diagnostic::compile(ErrorKind::SemanticError, "UnknownFunction", primary);
        let place = parsed.placed(error).span.unwrap();
        assert_eq!(&text[place.start as usize..place.end as usize], written);
    }
}

#[test]
fn misspelt_keywords() {
    not_expected("SELEC * {}", "SELEC", "did you mean SELECT?");
    not_expected("PREFX : <x:> SELECT * {}", "PREFX", "did you mean PREFIX?");
    not_expected("SELECT * WHER { ?s ?p ?o }", "WHER", "did you mean WHERE?");
    not_expected("INSRT DATA { <a> <b> 1 }", "INSRT", "did you mean INSERT?");
    not_expected("INSERT DTA { <a> <b> 1 }", "DTA", "did you mean DATA?");
    not_expected("SELECT * { ?s ?p ?o OPTINAL { ?s ?q ?r } }", "OPTINAL", "did you mean OPTIONAL?");
    not_expected("SELECT * { ?s ?p ?o FILTR(?o > 1) }", "FILTR", "did you mean FILTER?");
    not_expected("SELECT ?s { ?s ?p ?o } ODER BY ?s", "ODER", "did you mean ORDER?");
    not_expected("SELECT ?s { ?s ?p ?o } LIMT 5", "LIMT", "did you mean LIMIT?");
    not_expected("CLEAR SILNT GRAPH <g>", "SILNT", "did you mean SILENT?");
    not_expected("DELETE { ?s ?p ?o } WHRE { ?s ?p ?o }", "WHRE", "did you mean WHERE?");
    not_expected("SELECT * { { ?a ?b ?c } UNON { ?a ?b ?c } }", "UNON", "did you mean UNION?");
}

#[test]
fn what_is_missing() {
    not_expected(
        "SELECT * {\n ?s ?p }",
        "}",
        "expected an object such as ?o, <http://example.org/o> or \"text\"",
    );
    not_expected(
        "SELECT * { ?s }",
        "}",
        "expected a predicate such as ?p, a, foaf:name or <http://example.org/p>",
    );
    not_expected(
        "SELECT * { FILTER(?x > ) }",
        ")",
        "expected a value: a variable, a literal, an IRI or a call",
    );
    not_expected("SELECT * { ?s ?p ?o FILTER ?o > 3 }", "?o", "put the condition in parentheses: FILTER(…)");
    not_expected("SELECT * { BIND(1 ?x) }", "?x", "expected AS and a variable: BIND(expression AS ?name)");
    not_expected("SELECT ?s { ?s ?p ?o } LIMIT abc", "abc", "expected a whole number behind LIMIT");
    not_expected("SELECT ?s { ?s ?p ?o } ORDER ?s", "?s", "expected BY behind ORDER");
    not_expected(
        "SELECT ?s { ?s ?p ?o ?a ?b ?c }",
        "?a",
        "end the triple before with . or go on with ; or ,",
    );
    not_expected("PREFIX ex <x:> ASK {}", "<x:>", "write PREFIX name: <http://example.org/>");
    not_expected("SELECT WHERE { ?s ?p ?o }", "WHERE", "expected variables, (expression AS ?name), or *");
    not_expected(
        "INSERT { ?s ?p 1 }; CLEAR ALL",
        ";",
        "expected WHERE and a pattern behind INSERT { … }; what needs none is INSERT DATA or DELETE DATA",
    );
    not_expected("CLEAR ALL DROP ALL", "DROP", "put ; between operations");
    ends("SELECT ?x {", "add }: the \"{\" at line 1, column 11 is not closed");
    ends("ASK {\n { ?s ?p ?o }", "add }: the \"{\" at line 1, column 5 is not closed");
    ends("ASK { FILTER(1 < (2)", "add ): the \"(\" at line 1, column 13 is not closed");
    ends("ASK { ?s ?p [ ?q 1 ", "add ]: the \"[\" at line 1, column 13 is not closed");
    ends("SELECT ?x", "expected \"{\" and a pattern");
    ends("INSERT DATA { <a> <b> 1", "add }: the \"{\" at line 1, column 13 is not closed");
    ends("SELECT * { VALUES ?x { 1 2 ", "add }: the \"{\" at line 1, column 22 is not closed");
}

#[test]
fn what_is_too_much() {
    let away = "take it away: there is nothing open that this \"}\" closes";
    not_expected("ASK { ?s ?p ?o } }", "}", away);
    not_expected("INSERT DATA { <a> <b> 1 } }", "}", away);
    not_expected("ASK { ?s ?p ?o } x", "x", "expected the end of the query");
    not_expected("ASK { ?s ?p ?o } ;", ";", "a query is alone in its text, and ends without ;");
    not_expected("SELECT ?a, ?b { ?a ?b ?c }", ",", "divide variables by spaces");
    not_expected("PREFIX : <x:> . ASK {}", ".", "PREFIX and BASE end without a point");
    not_expected(
        "@prefix : <x:> . ASK {}",
        "@prefix",
        "write PREFIX or BASE, without @ and without a point at the end",
    );
    let order = "write GROUP BY, HAVING, ORDER BY, LIMIT or OFFSET, VALUES in this order, each once";
    not_expected("SELECT ?s { ?s ?p ?o } LIMIT 1 ORDER BY ?s", "ORDER", order);
    not_expected("SELECT ?s { ?s ?p ?o } ORDER BY ?s DESC", "DESC", "write DESC(?x), not ?x DESC");
    not_expected("SELECT ?s { ?s ?p ?o ORDER BY ?s }", "ORDER", "close the group with } before ORDER");
    check(
        "SELECT ?s { ?s ?p ?o } LIMIT 99999999999999999999999",
        "99999999999999999999999",
        "the number behind LIMIT is too large",
        "write a smaller number",
    );
}

#[test]
fn other_languages() {
    not_expected(
        "SELECT COUNT(*) { ?s ?p ?o }",
        "COUNT",
        "put the expression in parentheses and give it a name: (… AS ?name)",
    );
    not_expected(
        "SELECT ?s AS ?t { ?s ?p ?o }",
        "AS",
        "put the expression and its name in parentheses: (… AS ?name)",
    );
    not_expected("SELECT (COUNT(*)) { ?s ?p ?o }", ")", "give the expression a name: (… AS ?name)");
    not_expected("ASK { FILTER(1 == 2) }", "=", "write = for \"equal\"");
    not_expected("ASK { FILTER(1 <> 2) }", "<>", "write != for \"not equal\"");
    not_expected("ASK { FILTER(?a AND ?b) }", "AND", "write && for \"and\"");
    not_expected("ASK { FILTER(?a IS NULL) }", "IS", "write BOUND(?x) to ask whether a variable has a value");
    not_expected(
        "MATCH (n) RETURN n",
        "MATCH",
        "this is SPARQL: write WHERE { … }, or run the text as openCypher",
    );
    not_expected(
        "SELECT (GROUP_CONCAT(?x, ',') AS ?l) { ?s ?p ?x }",
        ",",
        "write GROUP_CONCAT(?x; SEPARATOR=\", \")",
    );
}

#[test]
fn prefixes_and_iris() {
    let foaf = "begin with PREFIX foaf: <http://xmlns.com/foaf/0.1/>";
    check("SELECT ?x { ?x a foaf:P }", "foaf:P", "the prefix \"foaf:\" is not declared", foaf);
    check("SELECT ?x { ?x foaf:p ?y }", "foaf:p", "the prefix \"foaf:\" is not declared", foaf);
    check("SELECT ?x { foaf:x ?p ?y }", "foaf:x", "the prefix \"foaf:\" is not declared", foaf);
    check("SELECT ?x { ?x ?p foaf:x.y }", "foaf:x.y", "the prefix \"foaf:\" is not declared", foaf);
    check("INSERT DATA { <a> a foaf:P }", "foaf:P", "the prefix \"foaf:\" is not declared", foaf);
    check("SELECT ?x { ?x ^foaf:p/foaf:q ?y }", "foaf:p", "the prefix \"foaf:\" is not declared", foaf);
    check("SELECT ?x { ?x ?p 'x'^^foaf:p }", "foaf:p", "the prefix \"foaf:\" is not declared", foaf);
    check("ASK { FILTER(foaf:f(1)) }", "foaf:f", "the prefix \"foaf:\" is not declared", foaf);
    check("ASK { ?x a xds:date }", "xds:date", "the prefix \"xds:\" is not declared", "did you mean xsd:?");
    check(
        "ASK { ?x a qwerty:z }",
        "qwerty:z",
        "the prefix \"qwerty:\" is not declared",
        "begin with PREFIX qwerty: <…>",
    );
    check("ASK { ?x a:b ?o }", "a:b", "the prefix \"a:\" is not declared", "begin with PREFIX a: <…>");
    check(
        "ASK { ?x a <foo bar> }",
        "<foo bar>",
        "\"<foo bar>\" is no IRI",
        "an IRI has no spaces: write %20",
    );
    check(
        "ASK { ?x a <http://a{b> }",
        "<http://a{b>",
        "\"<http://a{b>\" is no IRI",
        "an IRI has no '{': write its bytes as %XX",
    );
    check(
        "ASK { ?x a <http://a ;\n <b> 1 }",
        "<",
        "the IRI that begins here has no >",
        "an IRI is written <http://example.org/name>",
    );
}

#[test]
fn strings() {
    let add = "add \" at its end; a string of several lines has three at both ends";
    check("ASK { ?s ?p \"abc }", "\"", "the string that begins here is not closed", add);
    check("ASK { ?s ?p \"abc\n\" }", "\"", "the string that begins here is not closed", add);
    check("ASK { ?s ?p '''abc' }", "'''", "the string that begins here is not closed", "add ''' at its end");
    check("ASK { ?s ?p 'a\\q' }", "\\q", "\"\\q\" is not an escape", "write \\\\ for a backslash");
    check("ASK { ?s ?p 'a'@e }", "@e", "\"e\" is no language", "write a tag such as @en or @de-AT");
    check("ASK { ?s ?p 'a'@en--abc }", "--abc", "\"abc\" is no direction of text", "write --ltr or --rtl");
}

#[test]
fn functions() {
    check("ASK { FILTER(STRLN(?x) > 1) }", "STRLN", "there is no function \"STRLN\"", "did you mean STRLEN?");
    check(
        "SELECT (CUONT(?x) AS ?n) { ?x ?p ?o }",
        "CUONT",
        "there is no function \"CUONT\"",
        "did you mean COUNT?",
    );
    check(
        "ASK { FILTER(toString(?x)) }",
        "toString",
        "there is no function \"toString\"",
        "functions that are not SPARQL's own are IRIs, such as xsd:date(?x)",
    );
    check("ASK { FILTER(STRLEN(?x, ?y)) }", "STRLEN", "STRLEN takes 1 argument, not 2", "write STRLEN(…)");
    check(
        "ASK { FILTER(CONTAINS(?x)) }",
        "CONTAINS",
        "CONTAINS takes 2 arguments, not 1",
        "write CONTAINS(…, …)",
    );
    check(
        "ASK { FILTER(REPLACE(?x, 'a')) }",
        "REPLACE",
        "REPLACE takes 3 or 4 arguments, not 2",
        "write REPLACE(…, …, …)",
    );
    check("ASK { FILTER(NOW(1)) }", "NOW", "NOW takes no arguments, not 1", "write NOW()");
    not_expected("ASK { FILTER(BOUND('x')) }", "'x'", "BOUND asks of a variable: BOUND(?x)");
    not_expected("SELECT (SUM(*) AS ?n) {}", "*", "only COUNT has *");
    check(
        "ASK { FILTER(COUNT(?x) > 1) }",
        "COUNT",
        "the aggregate COUNT cannot stand here",
        "use it in SELECT, HAVING or ORDER BY of a query or sub-query",
    );
}

#[test]
fn names() {
    let grouped = "\"?s\" is not in GROUP BY, and stands in no aggregate";
    let hint = "add ?s to GROUP BY, or use an aggregate such as SAMPLE(?s)";
    check("SELECT ?s { ?s ?p ?o } GROUP BY ?p", "?s", grouped, hint);
    check("SELECT (STR(?s) AS ?t) { ?s ?p ?o } GROUP BY ?p", "?s", grouped, hint);
    let alone = "add GROUP BY ?s, or use an aggregate such as SAMPLE(?s)";
    check("SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o }", "?s", grouped, alone);
    check("ASK { { SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o } } }", "?s", grouped, alone);
    check(
        "SELECT (1 AS ?s) (2 AS ?s) {}",
        "?s",
        "\"?s\" is selected twice",
        "take one away, or give it another name",
    );
    check(
        "SELECT (1 AS ?s) { ?s ?p ?o }",
        "?s",
        "\"?s\" has a value already, AS cannot give it another",
        "use another name",
    );
    check(
        "SELECT * { ?s ?p ?o BIND(1 AS ?o) }",
        "?o",
        "\"?o\" has a value already when BIND gives it one",
        "use another name, or FILTER(?a = ?b) to compare",
    );
    check(
        "SELECT * { ?s ?p ?o } GROUP BY ?s",
        "*",
        "SELECT * cannot stand with GROUP BY or an aggregate",
        "name the variables of GROUP BY and the aggregates",
    );
    check("ASK { VALUES (?a ?a) { } }", "?a", "\"?a\" stands twice in VALUES", "give it another name");
    check(
        "ASK { VALUES (?a ?b) { (1) } }",
        "(1)",
        "the row has 1 value, VALUES has 2 variables",
        "write UNDEF for no value",
    );
    check(
        "ASK { { _:x ?p 1 } { _:x ?p 2 } }",
        "_:x",
        "the blank node \"_:x\" stands in two groups",
        "use a variable instead, such as ?x",
    );
}

#[test]
fn updates() {
    check(
        "INSERT DATA { <a> <b> ?x }",
        "?x",
        "a variable cannot stand in INSERT DATA: \"?x\"",
        "write INSERT { … } WHERE { … }",
    );
    check(
        "DELETE DATA { <a> ?p 1 }",
        "?p",
        "a variable cannot stand in DELETE DATA: \"?p\"",
        "write DELETE { … } WHERE { … }",
    );
    let blank = "use a variable, and DELETE { … } WHERE { … } to find it";
    check("DELETE DATA { <a> <b> _:x }", "_:x", "a blank node cannot stand in DELETE DATA", blank);
    check("DELETE WHERE { <a> <b> [] }", "[]", "a blank node cannot stand in DELETE WHERE", blank);
    check("DELETE { <a> <b> _:x } WHERE { ?s ?p ?o }", "_:x", "a blank node cannot stand in DELETE", blank);
    check(
        "INSERT DATA { 'x' <b> 1 }",
        "'x' ",
        "a literal cannot be a subject in INSERT DATA",
        "a subject is an IRI or a blank node",
    );
    check(
        "INSERT DATA { _:x <b> 1 } ; INSERT DATA { _:x <b> 1 }",
        "_:x",
        "the blank node \"_:x\" stands in two operations",
        "give it another name, or put both into one operation",
    );
    not_expected(
        "INSERT DATA { <a> <b> 1 FILTER(1) }",
        "FILTER",
        "FILTER stands in WHERE, not in what is inserted or deleted",
    );
    not_expected(
        "CLEAR ALL; SELECT * {}",
        "SELECT",
        "expected SELECT, ASK, CONSTRUCT, DESCRIBE, or an update such as INSERT or DELETE",
    );
}

#[test]
fn places_are_those_of_the_text() {
    check("EXPLAIN SELEC * {}", "SELEC", "\"SELEC\" is not expected here", "did you mean SELECT?");
    check(
        "# a\n # b\r\nprofile SELEC * {}",
        "SELEC",
        "\"SELEC\" is not expected here",
        "did you mean SELECT?",
    );
    check(
        "ASK { ?s ?p TRUE . ?ä }",
        "}",
        "\"}\" is not expected here",
        "expected a predicate such as ?p, a, foaf:name or <http://example.org/p>",
    );
    check(
        "PROFILE # a comment\nASK { ?s ?p 'ä😀' ?x }",
        "?x",
        "\"?x\" is not expected here",
        "end the triple before with . or go on with ; or ,",
    );
}

#[test]
fn what_the_standard_refuses_and_the_parser_takes() {
    check(
        "ASK { FILTER(?x<?a&&?b>?y) }",
        "<?a&&?b>",
        "\"<?a&&?b>\" is an IRI, and cannot stand here",
        "put a space behind <",
    );
    parse("ASK { ?s <?query> ?o FILTER(?x < ?a && ?b>?y) }", None).unwrap();
    parse("ASK { ?s ?p ?x FILTER(?x<?a) FILTER(?a>?x) }", None).unwrap();
}
