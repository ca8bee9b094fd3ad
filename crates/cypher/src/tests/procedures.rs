//! Calls of procedures: what they bind to, and what is refused.

use trimorph_algebra::explain;
use trimorph_catalog::Catalog;

use super::bind_corpus::{bound_with, check_plan};
use super::stub_functions::Stub;
use super::stub_procedures::declared;
use crate::{bind, parse};

const DECLARED: &[&str] = &[
    "nothing() :: ()",
    "labels() :: (label :: STRING?)",
    "my.proc(name :: STRING?, in :: INTEGER) :: (a :: INTEGER?, b :: LIST<STRING>?)",
    "number(in :: NUMBER?) :: (out :: STRING?)",
    "float(in :: FLOAT) :: (out :: STRING?)",
    "lists(in :: LIST<INTEGER>) :: (out :: STRING?)",
];

/// Query, its columns, its call as EXPLAIN shows it.
const RIGHT: &[(&str, &str, &str)] = &[
    ("CALL nothing()", "", "ProcedureCall nothing()"),
    ("CALL nothing", "", "ProcedureCall nothing()"),
    ("CALL labels", "label", "ProcedureCall labels() yield label as label"),
    ("CALL labels() YIELD *", "label", "ProcedureCall labels() yield label as label"),
    ("CALL labels() YIELD label AS l WHERE l > 'a'", "l", "ProcedureCall labels() yield label as l"),
    ("CALL my.proc('x', 1)", "a b", "ProcedureCall my.proc('x', 1) yield a as a, b as b"),
    ("CALL my.proc", "a b", "ProcedureCall my.proc($name, $in) yield a as a, b as b"),
    ("CALL my.proc(null, $x) YIELD b, a", "b a", "ProcedureCall my.proc(null, $x) yield b as b, a as a"),
    (
        "CALL my.proc('x', 1) YIELD a AS x, a AS y RETURN x, y",
        "x y",
        "ProcedureCall my.proc('x', 1) yield a as x, a as y",
    ),
    ("MATCH (n) CALL nothing() RETURN n.x AS x", "x", "ProcedureCall nothing()"),
    ("MATCH (n) CALL number(n.x) YIELD out RETURN out", "out", "ProcedureCall number(n.x) yield out as out"),
    ("CALL number(1.5)", "out", "ProcedureCall number(1.5) yield out as out"),
    ("CALL float(1)", "out", "ProcedureCall float(1) yield out as out"),
    ("CALL lists([1])", "out", "ProcedureCall lists([1]) yield out as out"),
    (
        "CALL { CALL labels() YIELD label RETURN label } RETURN label",
        "label",
        "ProcedureCall labels() yield label as label",
    ),
    (
        "RETURN EXISTS { CALL labels() YIELD label RETURN label } AS x",
        "x",
        "ProcedureCall labels() yield label as label",
    ),
];

/// Query with the place of the error between `«` and `»`, detail, words.
const WRONG: &[(&str, &str, &str)] = &[
    (
        "CALL «label»()",
        "ProcedureNotFound",
        "ProcedureError: procedure \"label\" is not known (did you mean \"labels\"?)",
    ),
    (
        "CALL «nothing»(1)",
        "InvalidNumberOfArguments",
        "SyntaxError: procedure \"nothing\" takes no arguments, not 1 (it is nothing() :: ())",
    ),
    (
        "CALL «my.proc»('x') YIELD a RETURN a",
        "InvalidNumberOfArguments",
        "SyntaxError: procedure \"my.proc\" takes 2 arguments, not 1 (it is my.proc(name :: STRING?, in :: INTEGER) :: \
         (a :: INTEGER?, b :: LIST<STRING>?))",
    ),
    (
        "CALL my.proc('x', «true»)",
        "InvalidArgumentType",
        "SyntaxError: input \"in\" of the procedure is INTEGER, not BOOLEAN",
    ),
    (
        "CALL my.proc('x', «null»)",
        "InvalidArgumentType",
        "SyntaxError: input \"in\" of the procedure is INTEGER, not null",
    ),
    (
        "CALL my.proc('x', «1.5»)",
        "InvalidArgumentType",
        "SyntaxError: input \"in\" of the procedure is INTEGER, not FLOAT",
    ),
    (
        "CALL number(«'1'»)",
        "InvalidArgumentType",
        "SyntaxError: input \"in\" of the procedure is NUMBER?, not STRING",
    ),
    (
        "CALL lists(«['a']»)",
        "InvalidArgumentType",
        "SyntaxError: input \"in\" of the procedure is LIST<INTEGER>, not LIST",
    ),
    (
        "MATCH (n) CALL number(«n») YIELD out RETURN out",
        "InvalidArgumentType",
        "SyntaxError: input \"in\" of the procedure is NUMBER?, not NODE",
    ),
    (
        "CALL number(«m») YIELD out RETURN out",
        "UndefinedVariable",
        "SyntaxError: variable \"m\" is not defined (write $m for a parameter, 'm' for a text)",
    ),
    (
        "CALL labels() YIELD «lable» RETURN 1 AS x",
        "UndefinedVariable",
        "SyntaxError: procedure \"labels\" has no column \"lable\" (did you mean \"label\"?)",
    ),
    (
        "CALL nothing() YIELD «x» RETURN x",
        "UndefinedVariable",
        "SyntaxError: procedure \"nothing\" has no column \"x\"",
    ),
    (
        "CALL labels() RETURN «label»",
        "UndefinedVariable",
        "SyntaxError: variable \"label\" is not defined (write YIELD label behind the call)",
    ),
    (
        "CALL labels() YIELD label AS l WHERE «label» = 'a' RETURN l",
        "UndefinedVariable",
        "SyntaxError: variable \"label\" is not defined",
    ),
    (
        "WITH 'Hi' AS label CALL labels() YIELD «label» RETURN *",
        "VariableAlreadyBound",
        "SyntaxError: variable \"label\" is already bound (choose another name)",
    ),
    (
        "CALL my.proc('x', 1) YIELD a AS c, b AS «c» RETURN c",
        "VariableAlreadyBound",
        "SyntaxError: variable \"c\" is already bound (choose another name)",
    ),
];

#[test]
fn calls_bind() {
    let procedures = declared(DECLARED);
    for (query, columns, call) in RIGHT {
        let bound = bound_with(query, &procedures).unwrap_or_else(|error| panic!("{query}: {error}"));
        check_plan(&bound);
        let names: Vec<&str> = bound.columns.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names.join(" "), *columns, "{query}");
        let plan = explain(&bound.plan, &bound.vars, &mut |_| String::new());
        assert!(plan.lines().any(|line| line.trim() == *call), "{query}:\n{plan}");
    }
}

#[test]
fn wrong_calls_are_refused() {
    let procedures = declared(DECLARED);
    for (marked, detail, words) in WRONG {
        let text = marked.replace(['«', '»'], "");
        let error = bound_with(&text, &procedures).err().unwrap_or_else(|| panic!("{text}: binds"));
        assert_eq!(error.to_string(), *words, "{text}");
        assert_eq!(error.detail, *detail, "{text}");
        let place = error.span.map(|s| &text[s.start as usize..s.end as usize]);
        let blamed = marked.split(['«', '»']).nth(1);
        assert_eq!(place, blamed, "{text}");
    }
}

#[test]
fn an_aggregate_is_no_argument() {
    let error = bound_with("MATCH (n) CALL number(count(n)) YIELD out RETURN out", &declared(DECLARED));
    assert_eq!(error.unwrap_err().detail, "InvalidAggregation");
}

#[test]
fn a_call_keeps_the_procedure_it_was_bound_to() {
    let mut procedures = declared(DECLARED);
    let statement = parse("CALL labels()").expect("a statement");
    let bound = bind(&statement, &Catalog::default(), &Stub, &procedures).expect("binds");
    assert!(procedures.remove("labels").is_some());
    assert!(explain(&bound.plan, &bound.vars, &mut |_| String::new()).contains("labels"));
    assert!(bind(&statement, &Catalog::default(), &Stub, &procedures).is_err());
}
