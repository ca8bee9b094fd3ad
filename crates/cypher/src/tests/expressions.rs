//! Expressions: precedence, associativity, and every kind of atom.

use super::expression;

fn check(table: &[(&str, &str)]) {
    for (text, expect) in table {
        assert_eq!(expression(text), *expect, "{text}");
    }
}

#[test]
fn precedence_and_associativity() {
    check(&[
        ("a OR b XOR c AND NOT d", "(or a (xor b (and c (not d))))"),
        ("a OR b OR c", "(or a b c)"),
        ("a AND b OR c AND d", "(or (and a b) (and c d))"),
        ("NOT a = b", "(not (a Equal b))"),
        ("NOT NOT a AND b", "(and (not (not a)) b)"),
        ("1 < x <= 3", "(1 Less x LessOrEqual 3)"),
        ("a = b <> c", "(a Equal b NotEqual c)"),
        ("(a = b) = c", "((a Equal b) Equal c)"),
        ("a = b IS NULL", "(a Equal (null? b))"),
        ("a IS NOT NULL IS NULL", "(null? (some? a))"),
        ("[1] + 2 IN [3] + 4", "(In (Add [1] 2) (Add [3] 4))"),
        ("a STARTS WITH b + c", "(StartsWith a (Add b c))"),
        ("a ends with b", "(EndsWith a b)"),
        ("a CONTAINS 'x' AND b =~ 'y'", "(and (Contains a \"x\") (Regex b \"y\"))"),
        ("1 - 2 - 3", "(Subtract (Subtract 1 2) 3)"),
        ("1 + 2 * 3 % 4 / 5", "(Add 1 (Divide (Modulo (Multiply 2 3) 4) 5))"),
        ("2 ^ 3 ^ 4", "(Power (Power 2 3) 4)"),
        ("-2 ^ 2", "(Power -2 2)"),
        ("-x ^ 2", "(Power (- x) 2)"),
        ("2 ^ -x", "(Power 2 (- x))"),
        ("2 * -3 - -x", "(Subtract (Multiply 2 -3) (- x))"),
        ("- - + x", "(- (- (+ x)))"),
        ("-x.y", "(- (. x y))"),
        ("-1[0]", "(- ([] 1 0))"),
        ("1-1", "(Subtract 1 1)"),
    ]);
}

#[test]
fn postfix() {
    check(&[
        ("a.b.c[0].d", "(. ([] (. (. a b) c) 0) d)"),
        ("a[1..2]", "([..] a 1 2)"),
        ("a[..2]", "([..] a _ 2)"),
        ("a[1..]", "([..] a 1 _)"),
        ("a[..]", "([..] a _ _)"),
        ("a[-3..-1][0]", "([] ([..] a -3 -1) 0)"),
        ("n:A:B", "(: n (A&B))"),
        ("n:A|B", "(: n (A|B))"),
        ("n.x:A AND b", "(and (: (. n x) A) b)"),
        ("(n):A", "(: n A)"),
        ("n.ex::age + 1", "(Add (. n ex::age) 1)"),
        ("n.match", "(. n match)"),
        ("{a: 1}.a", "(. {a:1} a)"),
        ("$p.x[$0]", "([] (. $p x) $0)"),
    ]);
}

#[test]
fn literals() {
    check(&[
        ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("-0x8000000000000000", "-9223372036854775808"),
        ("0xfF", "255"),
        ("0o17", "15"),
        ("007", "7"),
        ("[.5, 1e9, 6.02E-23, -.1e+2]", "[0.5 1000000000.0 6.02e-23 -10.0]"),
        ("1.0e308", "1e308"),
        ("[TRUE, false, Null]", "[true false null]"),
        (r"['it\'s']", "[\"it's\"]"),
        (r#""a\\b\"\'\n\t\r\b\f\u00e9\U0001F600""#, r#""a\\b\"'\n\t\r\u{8}\u{c}é😀""#),
        (r"'\uD83D\uDE00'", "\"😀\""),
        ("'a // b /* c */'", "\"a // b /* c */\""),
        ("[]", "[]"),
        ("{}", "{}"),
        ("{a: 1, `b c`: [2], match: {}, ex::d: 3}", "{a:1 b c:[2] match:{} ex::d:3}"),
        ("[$a, $0, $`x ``y`, $match]", "[$a $0 $x `y $match]"),
    ]);
}

#[test]
fn lists_and_comprehensions() {
    check(&[
        ("[x IN xs]", "[x in xs]"),
        ("[x IN xs WHERE x > 1]", "[x in xs where (x Greater 1)]"),
        ("[x IN xs | x.a]", "[x in xs | (. x a)]"),
        ("[x IN xs WHERE x:A | x:B|C]", "[x in xs where (: x A) | (: x (B|C))]"),
        ("[x IN xs, y]", "[(In x xs) y]"),
        ("[x IN [a, b]]", "[x in [a b]]"),
        (
            "[x IN [y IN zs | y] WHERE all(z IN x WHERE z) | [z IN x]]",
            "[x in [y in zs | y] where All(z in x where z) | [z in x]]",
        ),
        ("[(a)-->(b) | b.x]", "[(a)-[]->(b) | (. b x)]"),
        (
            "[p = (a)-[:T|U]->(b:B) WHERE a.x AND (b)--() | p]",
            "[p=(a)-[:(T|U)]->(b:B) where (and (. a x) <(b)-[]-()>) | p]",
        ),
        ("[(a), (b)]", "[a b]"),
        ("[p = (a)]", "[(p Equal a)]"),
        ("[(a) - [b][0] - c]", "[(Subtract (Subtract a ([] [b] 0)) c)]"),
    ]);
}

#[test]
fn calls_and_keyword_atoms() {
    check(&[
        ("count(*)", "count(*)"),
        ("COUNT( * ) + count(DISTINCT a.b)", "(Add count(*) count(distinct (. a b)))"),
        ("date.truncate('day', d)", "date.truncate(\"day\" d)"),
        ("`my ns`.`f`()", "my ns.f()"),
        (
            "any(x IN xs WHERE x) OR none(x IN xs) OR single(x IN xs WHERE x) ",
            "(or Any(x in xs where x) None(x in xs) Single(x in xs where x))",
        ),
        ("all(1)", "all(1)"),
        ("reduce(s = 0, x IN xs | s + x)", "reduce(s=0 x in xs | (Add s x))"),
        ("reduce(s) + count + exists + end + all", "(Add (Add (Add (Add reduce(s) count) exists) end) all)"),
        ("CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END", "(case a=>1 b=>2 else 3)"),
        ("CASE x.y WHEN 1 THEN 'a' END", "(case (. x y) 1=>\"a\")"),
        ("CASE x WHEN 1, 2 + 3 THEN 'a' WHEN 4 THEN 'b' END", "(case x 1,(Add 2 3)=>\"a\" 4=>\"b\")"),
        ("n {.a, .*, b, c: 1, ex::d: 2, .ex::e}", "n{.a .* b c:1 ex::d:2 .ex::e}"),
        ("n {}", "n{}"),
        ("count {.a}", "count{.a}"),
        ("EXISTS { (a)-->(b) WHERE a.x }", "Exists{(a)-[]->(b) where (. a x)}"),
        ("exists { p = (a), (b) }", "Exists{p=(a), (b)}"),
        ("EXISTS { MATCH (a) }", "Exists{MATCH (a)}"),
        (
            "COUNT { MATCH (a) RETURN a UNION MATCH (b) RETURN b }",
            "Count{MATCH (a); RETURN a union Distinct MATCH (b); RETURN b}",
        ),
        ("COLLECT { MATCH (a) RETURN a.x }", "Collect{MATCH (a); RETURN (. a x)}"),
        ("trim(BOTH 'x' FROM a)", "btrim(a \"x\")"),
        ("trim(leading FROM a)", "ltrim(a)"),
        ("TRIM(TRAILING b + c FROM a)", "rtrim(a (Add b c))"),
        ("trim('x' FROM a)", "btrim(a \"x\")"),
        ("trim(both)", "trim(both)"),
        ("trim(leading.x)", "trim((. leading x))"),
        ("trim(a, b)", "trim(a b)"),
        ("trim()", "trim()"),
        ("exists((a)-->())", "exists(<(a)-[]->()>)"),
        ("exists(a.b)", "exists((. a b))"),
        ("shortestPath((a)-[*]-(b))", "<shortest (a)-[*_.._]-(b)>"),
        ("length(allShortestPaths((a)-[:T*..5]->(b)))", "length(<all shortest (a)-[:T*_..5]->(b)>)"),
    ]);
}

#[test]
fn a_parenthesis_is_a_path_only_if_a_relationship_to_a_node_follows() {
    check(&[
        ("NOT (a)-->(b)", "(not <(a)-[]->(b)>)"),
        ("NOT (a)--(b:B {x: 1})<-[:T]-()", "(not <(a)-[]-(b:B{x:1})<-[:T]-()>)"),
        ("NOT ((a)-->(b) AND x)", "(not (and <(a)-[]->(b)> x))"),
        ("NOT (a:A)-[r:T* {x: 1}]-(b)", "(not <(a:A)-[r:T*_.._{x:1}]-(b)>)"),
        ("(a) - (b)", "(Subtract a b)"),
        ("(a) - -(b.x)", "(Subtract a (- (. b x)))"),
        ("(a)--1", "(Subtract a -1)"),
        ("(a) < -(b)", "(a Less (- b))"),
        ("(a)<(b)", "(a Less b)"),
        ("(a + b)--(c)", "(Subtract (Add a b) (- c))"),
        ("(a) - [1, 2]", "(Subtract a [1 2])"),
        ("(a) - [x] + (b)", "(Add (Subtract a [x]) b)"),
        ("({a: 1})", "{a:1}"),
        ("((((a))))", "a"),
        ("CASE WHEN (a)-->() THEN 1 END", "(case <(a)-[]->()>=>1)"),
        ("(a)—->(b) OR x", "(or <(a)-[]->(b)> x)"),
    ]);
}
