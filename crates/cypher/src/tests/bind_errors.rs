//! Wrong queries: where the error is, its detail, its words.

use super::bind_corpus::bound;

/// Query with the place of the error between `«` and `»`, detail, words with hint.
const ERRORS: &[(&str, &str, &str)] = &[
    (
        "MATCH (person) RETURN «persn».name",
        "UndefinedVariable",
        "SyntaxError: variable \"persn\" is not defined (did you mean \"person\"?)",
    ),
    (
        "MATCH (n) RETURN «toUper»(n.x)",
        "UnknownFunction",
        "SyntaxError: function \"toUper\" is not known (did you mean \"toupper\"?)",
    ),
    (
        "RETURN «colect»(1)",
        "UnknownFunction",
        "SyntaxError: function \"colect\" is not known (did you mean \"collect\"?)",
    ),
    (
        "RETURN «left»('a')",
        "InvalidNumberOfArguments",
        "SyntaxError: function \"left\" takes 2 arguments, not 1",
    ),
    (
        "MATCH (n) RETURN head(«n»)",
        "InvalidArgumentType",
        "SyntaxError: the argument of head() must be LIST, not NODE",
    ),
    (
        "RETURN toUpper(«1»)",
        "InvalidArgumentType",
        "SyntaxError: the argument of toUpper() must be STRING, not INTEGER",
    ),
    (
        "RETURN abs(«'a'»)",
        "InvalidArgumentType",
        "SyntaxError: the argument of abs() must be INTEGER or FLOAT or DECIMAL, not STRING",
    ),
    (
        "MATCH ()-[r]->() REMOVE «r»:T",
        "InvalidArgumentType",
        "SyntaxError: what loses labels must be NODE, not RELATIONSHIP",
    ),
    (
        "WITH 1 AS n SET «n.age» = 1",
        "InvalidArgumentType",
        "TypeError: a value of type INTEGER has no property \"age\"",
    ),
    (
        "MERGE (n {«age»: null})",
        "MergeReadOwnWrites",
        "SemanticError: MERGE cannot look for property \"age\" with value null",
    ),
    (
        "RETURN «sum»(1, 2)",
        "InvalidNumberOfArguments",
        "SyntaxError: function \"sum\" takes 1 argument, not 2",
    ),
    (
        "PREFIX foaf: <http://f/> MATCH (n:«faof»::A) RETURN n",
        "UndefinedPrefix",
        "SyntaxError: prefix \"faof\" is not declared (did you mean \"foaf\"?)",
    ),
    (
        "MATCH (n:«ex»::A) RETURN n",
        "UndefinedPrefix",
        "SyntaxError: prefix \"ex\" is not declared (begin the query with PREFIX ex: <…>)",
    ),
    (
        "MATCH (n) RETURN n.«age»::INT64",
        "UndefinedPrefix",
        "SyntaxError: prefix \"age\" is not declared (write toString(x), toInteger(x), toFloat(x), toBoolean(x), \
         date(x) and so on)",
    ),
    (
        "UNWIND «df» AS row RETURN row",
        "UndefinedVariable",
        "SyntaxError: variable \"df\" is not defined (write $df for a parameter, 'df' for a text)",
    ),
    (
        "MATCH ()-[r]->() MATCH («r») RETURN r",
        "VariableTypeConflict",
        "SyntaxError: variable \"r\" is of type RELATIONSHIP and cannot be a node (choose another name)",
    ),
    (
        "MATCH (n) UNWIND [1] AS «n» RETURN n",
        "VariableAlreadyBound",
        "SyntaxError: variable \"n\" is already bound (choose another name)",
    ),
    (
        "MATCH ()-[r]->()-[«r»]->() RETURN r",
        "RelationshipUniquenessViolation",
        "SyntaxError: relationship \"r\" stands twice in one pattern (two relationships of a pattern are never the same; choose another name)",
    ),
    (
        "MATCH (N) WHERE («n»)-->() RETURN N",
        "UndefinedVariable",
        "SyntaxError: variable \"n\" is not defined (did you mean \"N\"?)",
    ),
    (
        "MATCH (node) WHERE (node)-->(«other») RETURN node",
        "UndefinedVariable",
        "SyntaxError: variable \"other\" is not defined (a pattern used as a predicate binds no variables; use EXISTS \
         { … })",
    ),
    (
        "MATCH (n) RETURN count(«count(n)»)",
        "NestedAggregation",
        "SyntaxError: an aggregate cannot stand within an aggregate (compute the inner one in a WITH first)",
    ),
    (
        "MATCH (n) WHERE «count(n)» > 1 RETURN n",
        "InvalidAggregation",
        "SyntaxError: an aggregate cannot stand here (compute it in a WITH first)",
    ),
    (
        "MATCH (n) RETURN «n».x + count(*)",
        "AmbiguousAggregationExpression",
        "SyntaxError: variable \"n\" is used with an aggregate but is not grouped by (project it by itself in a WITH \
         first, or as a column of its own)",
    ),
    (
        "MATCH (n) RETURN DISTINCT n.x ORDER BY «n».y",
        "UndefinedVariable",
        "SyntaxError: variable \"n\" is not visible after the projection (add it to the projection)",
    ),
    (
        "MATCH (n) WITH «n.x» RETURN 1",
        "NoExpressionAlias",
        "SyntaxError: an expression in WITH needs a name (add AS and a name)",
    ),
    (
        "RETURN 1 AS a, 2 AS «a»",
        "ColumnNameConflict",
        "SyntaxError: two columns are called \"a\" (give one of them another name with AS)",
    ),
    (
        "RETURN 1 AS a UNION «RETURN 2 AS b»",
        "DifferentColumnsInUnion",
        "SyntaxError: the queries of UNION return different columns (give the columns the same names with AS)",
    ),
    (
        "RETURN «*»",
        "NoVariablesInScope",
        "SyntaxError: there are no variables for \"*\" to return (name a node or relationship of the pattern)",
    ),
    (
        "MATCH (n) RETURN n LIMIT «n.x»",
        "NonConstantExpression",
        "SyntaxError: the number of rows of LIMIT must be the same for all rows (use a number or a parameter)",
    ),
    (
        "RETURN 1 SKIP «-1»",
        "NegativeIntegerArgument",
        "SyntaxError: the number of rows of SKIP cannot be negative",
    ),
    (
        "RETURN 1 LIMIT «'a'»",
        "InvalidArgumentType",
        "SyntaxError: the number of rows of LIMIT must be INTEGER, not STRING",
    ),
    (
        "MATCH (n) WHERE «n» RETURN n",
        "InvalidArgumentType",
        "SyntaxError: a predicate must be BOOLEAN, not NODE",
    ),
    (
        "RETURN «'a'» * 2",
        "InvalidArgumentType",
        "SyntaxError: an operand of \"*\" must be INTEGER or FLOAT, not STRING",
    ),
    (
        "MATCH (n) RETURN n «+» {}",
        "InvalidArgumentType",
        "SyntaxError: values of types NODE and MAP cannot be added",
    ),
    (
        "MATCH (n) RETURN type(«n»)",
        "InvalidArgumentType",
        "SyntaxError: the argument of type() must be RELATIONSHIP, not NODE",
    ),
    (
        "WITH 1 AS x RETURN x.«y»",
        "InvalidArgumentType",
        "TypeError: a value of type INTEGER has no property \"y\"",
    ),
    (
        "MATCH «p = shortestPath((a))» RETURN p",
        "InvalidRelationshipPattern",
        "SyntaxError: a shortest path has exactly one relationship pattern (write it as shortestPath((a)-[*]->(b)))",
    ),
    (
        "MATCH (n) RETURN reduce(s = 0, x IN n.xs | s + COUNT { («x»)-->() })",
        "LocalVariableInSubquery",
        "Unsupported: a pattern or subquery within reduce(…) cannot use its variable \"x\" (UNWIND the list instead)",
    ),
    (
        "MATCH (n) CALL { WITH n «RETURN n» } RETURN n",
        "VariableAlreadyBound",
        "SyntaxError: variable \"n\" is already bound (choose another name)",
    ),
    (
        "MATCH (n) CALL { RETURN «n».x AS x } RETURN x",
        "UndefinedVariable",
        "SyntaxError: variable \"n\" is not defined (write CALL (n) { … }: a subquery sees the names in parentheses)",
    ),
    (
        "CALL «db.labels»()",
        "ProcedureNotFound",
        "ProcedureError: procedure \"db.labels\" is not known (there are no procedures yet; a subquery is written \
         CALL { … })",
    ),
    (
        "MATCH (n) CREATE («n» {a: 1})",
        "VariableAlreadyBound",
        "SyntaxError: variable \"n\" is already bound (choose another name)",
    ),
    (
        "RETURN «current_date»",
        "UndefinedVariable",
        "SyntaxError: variable \"current_date\" is not defined (write date())",
    ),
    (
        "RETURN length(«'abc'»)",
        "InvalidArgumentType",
        "SyntaxError: the argument of length() must be PATH, not STRING (write size(x))",
    ),
    ("MATCH (n) SET n.x = «m».y", "UndefinedVariable", "SyntaxError: variable \"m\" is not defined"),
    (
        "MATCH (n) RETURN «toInteger(DISTINCT n.x)»",
        "UnexpectedSyntax",
        "SyntaxError: DISTINCT cannot stand in a call of \"toInteger\"",
    ),
    (
        "RETURN COLLECT { MATCH (n) RETURN n, 1 AS one } AS xs",
        "InvalidSubquery",
        "SyntaxError: COLLECT { … } must return exactly one column",
    ),
];

#[test]
fn errors_have_these_words_and_places() {
    let mut wrong = Vec::new();
    for (marked, detail, words) in ERRORS {
        let text = marked.replace(['«', '»'], "");
        let error = match bound(&text) {
            Ok(_) => {
                wrong.push(format!("{text}\n  binds"));
                continue;
            }
            Err(error) => error,
        };
        let span = error.span.expect("a span");
        if let Some(start) = marked.find('«') {
            let end = marked.find('»').expect("closed") - '«'.len_utf8();
            let found = &text[span.start as usize..span.end as usize];
            if (span.start as usize, span.end as usize) != (start, end) {
                wrong.push(format!("{marked}\n  place {found:?}"));
            }
        }
        if error.detail != *detail || error.to_string() != *words {
            wrong.push(format!("{marked}\n  {} [{}]", error, error.detail));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
