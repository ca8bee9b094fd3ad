//! What is said about mistakes: detail word, primary message, hint, and the text the span covers.

use crate::parse;

/// Checks detail, primary, hint ("" for none) and covered text ("" for the end of the query).
#[track_caller]
fn check(text: &str, detail: &str, primary: &str, hint: &str, covered: &str) {
    let error = parse(text).expect_err(text);
    let span = error.span.expect("a span");
    assert_eq!(error.detail, detail, "{text}: {error}");
    assert_eq!(error.primary, primary, "{text}");
    assert_eq!(error.hint.as_deref().unwrap_or_default(), hint, "{text}");
    assert_eq!(&text[span.start as usize..span.end as usize], covered, "{text}");
}

#[test]
fn misspelt_keywords() {
    let clause = "expected a clause such as MATCH, CREATE or RETURN, found";
    check(
        "MTACH (n) RETURN n",
        "UnexpectedSyntax",
        &format!("{clause} \"MTACH\""),
        "did you mean MATCH?",
        "MTACH",
    );
    check("RETRUN 1", "UnexpectedSyntax", &format!("{clause} \"RETRUN\""), "did you mean RETURN?", "RETRUN");
    let end = "expected a clause or the end of the query, found";
    check(
        "MATCH (n) retrun n",
        "UnexpectedSyntax",
        &format!("{end} \"retrun\""),
        "did you mean RETURN?",
        "retrun",
    );
    check(
        "MATCH (n) WEHRE n.x RETURN n",
        "UnexpectedSyntax",
        &format!("{end} \"WEHRE\""),
        "did you mean WHERE?",
        "WEHRE",
    );
    check(
        "RETURN n ODER BY n",
        "UnexpectedSyntax",
        &format!("{end} \"ODER\""),
        "did you mean ORDER?",
        "ODER",
    );
    check(
        "OPTIONAL MACH (n)",
        "UnexpectedSyntax",
        "expected MATCH after OPTIONAL, found \"MACH\"",
        "did you mean MATCH?",
        "MACH",
    );
    check(
        "RETURN a STRATS WITH b",
        "UnexpectedSyntax",
        &format!("{end} \"STRATS\""),
        "did you mean STARTS?",
        "STRATS",
    );
}

#[test]
fn unexpected() {
    let x = "UnexpectedSyntax";
    check("MATCH (n] RETURN n", x, "expected \")\" to close the node pattern, found \"]\"", "", "]");
    check("MATCH (n", x, "expected \")\" to close the node pattern, found the end of the query", "", "");
    check("", x, "expected a clause such as MATCH, CREATE or RETURN, found the end of the query", "", "");
    check("RETURN", x, "expected an expression, found the end of the query", "", "");
    check("RETURN {, }", x, "expected a key, found \",\"", "", ",");
    check("RETURN {1B2c3e67:1}", x, "expected a key, found \"1B2c3e67\"", "", "1B2c3e67");
    check("RETURN {k1#k: 1}", x, "expected \":\" after the key, found \"#\"", "", "#");
    check("RETURN {k1.k: 1}", x, "expected \":\" after the key, found \".\"", "", ".");
    check("RETURN {{}}", x, "expected a key, found \"{\"", "", "{");
    check("RETURN [[[]] AS l", x, "expected \",\" or \"]\" to close the list, found \"AS\"", "", "AS");
    check("RETURN (1", x, "expected an operator or \")\", found the end of the query", "", "");
    check("RETURN 9223372#5", x, "expected a clause or the end of the query, found \"#\"", "", "#");
    check("RETURN 'abc", x, "the string that begins here is not closed", "add ' at its end", "'");
    check("RETURN 1 /* abc", x, "the comment that begins here is not closed", "add */ at its end", "/");
    check("RETURN `abc", x, "the quoted name that begins here is not closed", "add ` at its end", "`");
    check(r"RETURN 'a\q'", x, "\"\\q\" is not an escape", r"write \\ for a backslash", r"\q");
    check(
        "MATCH (match) RETURN 1",
        x,
        "expected a variable, found the reserved word \"match\"",
        "to use it as a name, write `match`",
        "match",
    );
    check(
        "RETURN 1 AS order",
        x,
        "expected an alias, found the reserved word \"order\"",
        "to use it as a name, write `order`",
        "order",
    );
    check(
        "RETURN 1 = NOT true",
        x,
        "expected an expression, found \"NOT\"",
        "put the negation in parentheses",
        "NOT",
    );
    check("RETURN sum(*)", x, "sum(*) is not a call, only count(*) is", "", "*");
    check(
        "RETURN CASE WHEN 1 THEN 2",
        x,
        "expected END to close the CASE, found the end of the query",
        "",
        "",
    );
    check("PREFIX ex <a> RETURN 1", x, "expected \":\" after the prefix, found \"<\"", "", "<");
    check(
        "PREFIX ex: RETURN 1",
        x,
        "expected an IRI such as <http://example.org/>, found \"RETURN\"",
        "",
        "RETURN",
    );
    check("MATCH (a)-[:T](b) RETURN a", x, "expected \"-\" of a relationship, found \"(\"", "", "(");
    check(
        "RETURN n LIMIT 1 SKIP 2",
        x,
        "expected a clause or the end of the query, found \"SKIP\"",
        "put ORDER BY, SKIP and LIMIT after RETURN or WITH, in this order",
        "SKIP",
    );
    check(
        "RETURN 1; RETURN 2",
        x,
        "expected the end of the query after \";\", found \"RETURN\"",
        "give one statement at a time",
        "RETURN",
    );
    check(
        "MATCH (n) SET n = 1 = 2, m",
        x,
        "expected a property or labels to change",
        "write n.key = value, n = map, n += map or n:Label",
        "m",
    );
}

#[test]
fn numbers_and_characters() {
    let overflow = "write it with a point to make it a float";
    check(
        "RETURN 9223372036854775808",
        "IntegerOverflow",
        "the integer 9223372036854775808 does not fit 64 bits",
        overflow,
        "9223372036854775808",
    );
    check(
        "RETURN -9223372036854775809",
        "IntegerOverflow",
        "the integer -9223372036854775809 does not fit 64 bits",
        overflow,
        "9223372036854775809",
    );
    check(
        "RETURN -0x8000000000000001",
        "IntegerOverflow",
        "the integer -0x8000000000000001 does not fit 64 bits",
        overflow,
        "0x8000000000000001",
    );
    check(
        "RETURN 0o1000000000000000000000",
        "IntegerOverflow",
        "the integer 0o1000000000000000000000 does not fit 64 bits",
        overflow,
        "0o1000000000000000000000",
    );
    check(
        "RETURN 1.34E999",
        "FloatingPointOverflow",
        "the float 1.34E999 is larger than any 64-bit float",
        "",
        "1.34E999",
    );
    check(
        "RETURN 12_000",
        "InvalidNumberLiteral",
        "\"12_000\" is not a number",
        "write the digits without _",
        "12_000",
    );
    for text in ["0x", "0x1g", "0o8", "1h2", "1e", "1.5x", "1_x"] {
        check(
            &format!("RETURN {text}"),
            "InvalidNumberLiteral",
            &format!("\"{text}\" is not a number"),
            "",
            text,
        );
    }
    check(r"RETURN '\uH'", "InvalidUnicodeLiteral", "a Unicode escape needs 4 hexadecimal digits", "", r"\u");
    check(
        r"RETURN '\uD800'",
        "InvalidUnicodeLiteral",
        "the Unicode escape names no character",
        "",
        r"\uD800",
    );
    check(
        "RETURN 42 — 41",
        "InvalidUnicodeCharacter",
        "the character \"—\" (U+2014) cannot stand here",
        "write - instead",
        "—",
    );
    check(
        "RETURN 1 … 2",
        "InvalidUnicodeCharacter",
        "the character \"…\" (U+2026) cannot stand here",
        "",
        "…",
    );
}

#[test]
fn patterns() {
    let r = "InvalidRelationshipPattern";
    check(
        "MATCH (a)-[:L..]->(c) RETURN c",
        r,
        "expected \"*\" before the number of hops, found \"..\"",
        "",
        "..",
    );
    check(
        "MATCH (a)-[:L*-2]->(c) RETURN c",
        r,
        "expected \"]\" to close the relationship pattern, found \"-\"",
        "",
        "-",
    );
    let value =
        "test it with exists(…), count it with COUNT { … }, or collect from it with [pattern | value]";
    check(
        "MATCH (n) RETURN (n)-->()",
        "UnexpectedSyntax",
        "a pattern cannot be used as a value",
        value,
        "(n)-->()",
    );
    check(
        "MATCH (n) SET n.x = head(nodes((n)-->()))",
        "UnexpectedSyntax",
        "a pattern cannot be used as a value",
        value,
        "(n)-->()",
    );
    check(
        "MATCH (n $p) RETURN n",
        "InvalidParameterUse",
        "the parameter \"$p\" cannot stand for the properties of a pattern here",
        "name the properties, such as {key: $p.key}",
        "$p",
    );
    let direction = "a created relationship needs one direction";
    check(
        "CREATE (a)-[:T]-(b)",
        "RequiresDirectedRelationship",
        direction,
        "write -[…]-> or <-[…]-",
        "-[:T]-",
    );
    check(
        "CREATE (a)<-[:T]->(b)",
        "RequiresDirectedRelationship",
        direction,
        "write -[…]-> or <-[…]-",
        "<-[:T]->",
    );
    let one = "a created relationship needs exactly one type";
    check("CREATE (a)-->(b)", "NoSingleRelationshipType", one, "write it as -[:TYPE]->", "-->");
    check("MERGE (a)-[:A|:B]-(b)", "NoSingleRelationshipType", one, "write it as -[:TYPE]->", "A|:B");
    check(
        "MERGE (a)-[:A*2]-(b)",
        "CreatingVarLength",
        "a path of variable length cannot be created",
        "",
        "*2",
    );
    check(
        "CREATE (a:A|B)",
        "UnexpectedSyntax",
        "labels to give or take must be plain names",
        "write :A:B",
        "A|B",
    );
}

#[test]
fn composition() {
    let c = "InvalidClauseComposition";
    check("RETURN 1 MATCH (n)", c, "RETURN can only be the last clause", "", "RETURN 1");
    check(
        "CREATE (a) MATCH (b) RETURN b",
        c,
        "MATCH cannot follow CREATE directly",
        "put WITH * between them",
        "MATCH (b)",
    );
    check("MATCH (n)", c, "a query cannot end with MATCH", "add RETURN and what to return", "MATCH (n)");
    check("WITH 1 AS x", c, "a query cannot end with WITH", "add RETURN and what to return", "WITH 1 AS x");
    let mixed = "UNION and UNION ALL cannot be mixed in one query";
    check(
        "RETURN 1 AS a UNION RETURN 2 AS a UNION ALL RETURN 3 AS a",
        c,
        mixed,
        "put one of them into CALL { … }",
        "UNION",
    );
    check(
        "MATCH (n) WHERE exists { MATCH (n) SET n.x = 1 } RETURN n",
        c,
        "SET cannot stand in a subquery expression, which only reads",
        "",
        "SET n.x = 1",
    );
    check(
        "FOREACH (x IN [1] | MATCH (n))",
        c,
        "MATCH cannot stand in FOREACH, only updating clauses can",
        "write UNWIND list AS x, then the clauses",
        "MATCH (n)",
    );
    check(
        "RETURN COLLECT { MATCH (n) }",
        c,
        "a query cannot end with MATCH",
        "add RETURN and what to return",
        "MATCH (n)",
    );
    check(
        "CALL a.b YIELD x RETURN x",
        "InvalidArgumentPassingMode",
        "the call of \"a.b\" has no arguments",
        "only a call by itself takes its arguments from the parameters; add (…)",
        "a.b",
    );
    check(
        "CALL a.b() YIELD * RETURN x",
        "UnexpectedSyntax",
        "YIELD * cannot be used within a query",
        "name the columns",
        "*",
    );
    check(
        "MATCH (n) DELETE n:A",
        "InvalidDelete",
        "DELETE cannot take away a label or type",
        "use REMOVE to take a label off a node",
        "n:A",
    );
}

/// What other languages write, and clauses out of order: the hint alone.
#[test]
fn habits_of_other_languages() {
    for (text, hint) in [
        ("RETURN 1 == 2", "write a single ="),
        ("RETURN 1 != 2", "write <>"),
        ("RETURN !true", "write NOT"),
        ("RETURN true && false", "write AND"),
        ("RETURN true || false", "write + to join strings or lists, OR between conditions"),
        ("MATCH (a)->(b) RETURN a", "write -->"),
        ("MATCH (a)-(b) RETURN a", "write -- or -->"),
        ("RETURN “a”", "write ' or \" instead"),
        ("SELECT * FROM person", "write MATCH … RETURN …"),
        ("MATCH (n) WHERE n.name LIKE 'A%' RETURN n", "write STARTS WITH, ENDS WITH, CONTAINS or =~"),
        ("MATCH (n) WHERE n.age between 1 AND 2 RETURN n", "write low <= value <= high"),
        (
            "MATCH (n) RETURN n.name, count(*) GROUP BY n.name",
            "leave it out: rows are grouped by the columns without an aggregate",
        ),
        ("MATCH (n) RETURN n WHERE n.age > 3", "put WHERE after MATCH or WITH"),
        (
            "MATCH (n) RETURN n LIMIT 5 SKIP 2",
            "put ORDER BY, SKIP and LIMIT after RETURN or WITH, in this order",
        ),
        ("MATCH (n:Person {name = 'Ann'}) RETURN n", "write : between key and value"),
        (
            "MATCH (n) RETURN n.x, row_number() OVER (ORDER BY n.x)",
            "write WITH key, collect(value) AS list, or CALL (key) { … ORDER BY … LIMIT … }",
        ),
        ("RETURN 1 IS TYPED INTEGER", "write valueType(x) = 'INTEGER NOT NULL' and the like"),
        ("MATCH (n) WHERE n.x not in [1] RETURN n", "write NOT value IN list"),
        ("MATCH (n) WHERE n.x IS NOT 1 RETURN n", "write <>"),
        ("MATCH (n) RETURN TOP 5 n.x", "write LIMIT at the end"),
        ("MATCH (n) RETURN n.x AS 'x'", "write the name without quotes, or in backticks"),
        ("RETURN 1 > 0 ? 1 : 2", "write CASE WHEN condition THEN a ELSE b END"),
        ("MATCH (n) WHERE n.id = {id} RETURN n", "write $name for a parameter"),
        ("RETURN {'a': 1}", "write the key without quotes, or in backticks"),
        ("RETURN coutn(*)", "did you mean count(*)?"),
        ("MATCH (n) RETURN n.x TOP 5", "write LIMIT at the end"),
        ("DELETE FROM Person WHERE id = 1", "write MATCH (n:Label) WHERE …, and RETURN or DELETE behind it"),
        ("MATCH (n) SET n.age += 1", "write n.key = n.key + 1; n += {key: value} is for maps"),
        ("MATCH (n) SET n.age++", "write n.key = n.key + 1; n += {key: value} is for maps"),
        ("MATCH (n) SET n.age -= 1 RETURN n", "write n.key = n.key + 1; n += {key: value} is for maps"),
        ("RETURN 2 ** 3", "write ^"),
        ("RETURN 5 DIV 2", "write a / b: of integers it gives an integer"),
        ("RETURN 5 mod 2", "write a % b"),
        ("MATCH (n) WHERE n.name IN ('Ann', 'Bob') RETURN n", "write [a, b] for a list"),
        ("MATCH (n) RETURN n.name Name", "write AS Name"),
        ("MATCH (n) RETURN n.name person_name, n.age", "write AS person_name"),
        ("MATCH (n) RETURN n.name whole_name ORDER BY n.age", "write AS whole_name"),
        ("MATCH (n) RETURN n.name ODER", "did you mean ORDER?"),
        ("WITH x AS (SELECT 1) SELECT * FROM x", "write CALL { … RETURN … } for a query within one"),
        ("RETURN INTERVAL 1 DAY", "write duration({days: 1}) or duration('P1D')"),
        ("RETURN date() + interval '1 day'", "write duration({days: 1}) or duration('P1D')"),
        ("RETURN DATE '2020-01-01'", "write date('2024-02-29')"),
        (
            "RETURN timestamp '2020-01-01'",
            "write datetime('2024-02-29T12:00Z'), or localdatetime('2024-02-29T12:00') without a zone",
        ),
        ("MATCH (n) WHERE n.name SIMILAR TO 'x' RETURN n", "write text =~ 'a.*'"),
        ("MATCH (n) WHERE n.name STARTSWITH 'x' RETURN n", "write text STARTS WITH 'a'"),
        ("MATCH (n) LEFT JOIN (m) RETURN n", "write OPTIONAL MATCH (a)-[:TYPE]->(b)"),
        ("MATCH (n) INNER JOIN (m) RETURN n", "write the relationship as a pattern: MATCH (a)-[:TYPE]->(b)"),
        ("MATCH (n) DROP n.age", "write REMOVE n.key, REMOVE n:Label or DELETE n"),
    ] {
        let error = parse(text).expect_err(text);
        assert_eq!(error.hint.as_deref(), Some(hint), "{text}: {error}");
    }
}

#[test]
fn short_names_are_no_misspellings() {
    for text in ["RETURN 'it's'", "MATCH (n) RETURN n ORDER n.x"] {
        assert_eq!(parse(text).expect_err(text).hint, None, "{text}");
    }
}
