//! What SPARQL is made of beside functions, as `cypher` has it for openCypher.

use super::doc::ClauseDoc;

/// The graph that examples are of, where they do not make their own.
const PEOPLE: &str = "INSERT DATA { :ann a :Person ; :name \"Ann\" ; :age 41 ; :knows :bob . :bob a :Person ; \
         :name \"Bob\" ; :age 27 ; :knows :cid . :cid a :Person ; :name \"Cid\" ; :age 33 }";

/// An example of a graph of people.
const fn of_people(
    (name, syntax): (&'static str, &'static str),
    summary: &'static str,
    example: &'static str,
    rows: &'static str,
) -> ClauseDoc {
    ClauseDoc {
        language: "sparql",
        family: "",
        name,
        syntax,
        summary,
        example: (example, rows),
        graph: PEOPLE,
    }
}

const QUERIES: &[ClauseDoc] = &[
    of_people(
        (
            "SELECT",
            "SELECT [DISTINCT | REDUCED] ?x (expression AS ?y) … | * [FROM …] WHERE { pattern } [GROUP \
         BY …] [HAVING …] [ORDER BY …] [LIMIT n] [OFFSET n]",
        ),
        "a row for every place in the graph that the pattern fits, with the variables asked for; \
         WHERE may be left out",
        "SELECT ?name ?age { ?p :name ?name ; :age ?age } ORDER BY ?age",
        "'Bob', 27; 'Cid', 33; 'Ann', 41",
    ),
    of_people(
        ("ASK", "ASK { pattern }"),
        "whether the pattern fits anywhere",
        "ASK { ?p :name \"Ann\" ; :age 41 }",
        "true",
    ),
    of_people(
        ("CONSTRUCT", "CONSTRUCT { triples } WHERE { pattern } | CONSTRUCT WHERE { triples }"),
        "statements made of the triples for each row of the pattern",
        "CONSTRUCT { ?b :knownBy ?a } WHERE { ?a :knows ?b } ORDER BY ?a LIMIT 1",
        "<trimorph:bob>, <trimorph:knownBy>, <trimorph:ann>",
    ),
    of_people(
        ("DESCRIBE", "DESCRIBE <iri> | ?x … [WHERE { pattern }]"),
        "the statements that the named things, or what the variables find, are subjects of",
        "DESCRIBE :cid",
        "<trimorph:cid>, <http://www.w3.org/1999/02/22-rdf-syntax-ns#type>, <trimorph:Person>; \
         <trimorph:cid>, <trimorph:age>, 33; <trimorph:cid>, <trimorph:name>, 'Cid'",
    ),
    of_people(
        ("PREFIX", "PREFIX name: <iri>"),
        "a short form of IRIs for what follows; `:` alone is trimorph:, and rdf, rdfs and xsd need \
         none",
        "PREFIX p: <trimorph:> SELECT ?age { p:ann p:age ?age }",
        "41",
    ),
    of_people(
        ("BASE", "BASE <iri>"),
        "what relative IRIs are relative to",
        "BASE <trimorph:> SELECT ?age { <ann> <age> ?age }",
        "41",
    ),
    of_people(
        ("VERSION", "VERSION \"1.2\""),
        "says which version of SPARQL the query is written in; the answer is the same",
        "VERSION \"1.2\" SELECT ?age { :ann :age ?age }",
        "41",
    ),
    of_people(
        ("FROM", "FROM <iri> … | FROM NAMED <iri> …"),
        "the named graphs that a query looks at instead of all: FROM merges them, FROM NAMED is \
         for GRAPH",
        "INSERT DATA { GRAPH :g { :eve :age 50 } }; SELECT ?s FROM :g { ?s :age ?age }",
        "<trimorph:eve>",
    ),
];

const PATTERNS: &[ClauseDoc] = &[
    of_people(
        ("triple", "subject predicate object [; predicate object] [, object] ."),
        "a statement, of which variables stand for what is looked for; `;` goes on with the \
         subject, `,` with the predicate, and `a` is rdf:type",
        "SELECT ?p { ?p a :Person ; :age 27 }",
        "<trimorph:bob>",
    ),
    of_people(
        ("path", "a / b | a|b | ^a | a* | a+ | a? | !(a|b)"),
        "predicates one behind the other, either, backward, any number of times, at least once, at \
         most once, none of these",
        "SELECT ?name { :ann :knows+/:name ?name } ORDER BY ?name",
        "'Bob'; 'Cid'",
    ),
    of_people(
        ("FILTER", "FILTER (condition) | FILTER function(…)"),
        "keeps the rows for which the condition is true",
        "SELECT ?name { ?p :name ?name ; :age ?age FILTER (?age > 30 && ?age < 40) }",
        "'Cid'",
    ),
    of_people(
        ("EXISTS", "FILTER EXISTS { pattern } | FILTER NOT EXISTS { pattern }"),
        "keeps the rows for which the pattern fits somewhere, or nowhere",
        "SELECT ?name { ?p :name ?name FILTER NOT EXISTS { ?p :knows ?q } }",
        "'Cid'",
    ),
    of_people(
        ("OPTIONAL", "OPTIONAL { pattern }"),
        "adds what the pattern finds; a row that finds nothing stays, its variables without values",
        "SELECT ?name ?q { ?p :name ?name OPTIONAL { ?p :knows ?q } } ORDER BY ?name",
        "'Ann', <trimorph:bob>; 'Bob', <trimorph:cid>; 'Cid', null",
    ),
    of_people(
        ("UNION", "{ pattern } UNION { pattern }"),
        "the rows of either",
        "SELECT ?x { { :bob :knows ?x } UNION { ?x :knows :bob } } ORDER BY ?x",
        "<trimorph:ann>; <trimorph:cid>",
    ),
    of_people(
        ("MINUS", "MINUS { pattern }"),
        "takes away the rows that fit a row of the pattern in a variable they share",
        "SELECT ?name { ?p :name ?name MINUS { ?q :knows ?p } }",
        "'Ann'",
    ),
    of_people(
        ("BIND", "BIND (expression AS ?x)"),
        "a variable more, with the expression's value",
        "SELECT ?name ?next { ?p :name ?name ; :age ?age FILTER (?age > 40) BIND (?age + 1 AS \
         ?next) }",
        "'Ann', 42",
    ),
    of_people(
        ("VALUES", "VALUES ?x { value … } | VALUES (?x ?y) { (value UNDEF) … }"),
        "rows that stand in the text; UNDEF leaves a place without a value",
        "SELECT ?name ?n { VALUES (?name ?n) { (\"Ann\" 1) (\"Bob\" UNDEF) } ?p :name ?name } \
         ORDER BY ?name",
        "'Ann', 1; 'Bob', null",
    ),
    of_people(
        ("GRAPH", "GRAPH <iri> { pattern } | GRAPH ?g { pattern }"),
        "looks into a named graph, or into each of them",
        "INSERT DATA { GRAPH :g { :eve :age 50 } }; SELECT ?g ?s { GRAPH ?g { ?s :age ?age } }",
        "<trimorph:g>, <trimorph:eve>",
    ),
    of_people(
        ("SERVICE", "SERVICE [SILENT] <iri> { pattern }"),
        "asks another server, where the database may; with SILENT its failures are rows without \
         values",
        "SELECT (COUNT(*) AS ?n) { ?p :name ?name SERVICE SILENT <http://localhost:1/sparql> { ?p \
         :mail ?mail } }",
        "3",
    ),
    of_people(
        ("IN", "x [NOT] IN (value, …)"),
        "whether it is one of them",
        "SELECT ?p { ?p :name ?name FILTER (?name IN (\"Ann\", \"Eve\")) }",
        "<trimorph:ann>",
    ),
    of_people(
        ("subquery", "{ SELECT … }"),
        "a query within one; its rows are joined with what stands around it",
        "SELECT ?name { ?p :name ?name { SELECT (MAX(?a) AS ?age) { ?q :age ?a } } ?p :age ?age }",
        "'Ann'",
    ),
];

const ROWS: &[ClauseDoc] = &[
    of_people(
        ("DISTINCT", "SELECT DISTINCT … | COUNT(DISTINCT ?x) | SELECT REDUCED …"),
        "each row, or each value, once; REDUCED permits it",
        "SELECT (COUNT(DISTINCT ?type) AS ?types) { ?p a ?type }",
        "1",
    ),
    of_people(
        ("AS", "SELECT (expression AS ?x) …"),
        "a column that is computed",
        "SELECT (?age * 2 AS ?twice) { :ann :age ?age }",
        "82",
    ),
    of_people(
        ("GROUP BY", "GROUP BY ?x | (expression AS ?x) …"),
        "a row for each group; the columns are what it is grouped by and aggregates: COUNT, SUM, \
         AVG, MIN, MAX, SAMPLE, GROUP_CONCAT",
        "SELECT ?grown (COUNT(*) AS ?n) { ?p :age ?age } GROUP BY (?age > 30 AS ?grown) ORDER BY \
         ?grown",
        "false, 1; true, 2",
    ),
    of_people(
        ("GROUP_CONCAT", "GROUP_CONCAT([DISTINCT] expression; SEPARATOR=\"text\")"),
        "the texts of a group put together",
        "SELECT (GROUP_CONCAT(?name; SEPARATOR=\", \") AS ?names) { SELECT ?name { ?p :name ?name \
         } ORDER BY ?name }",
        "'Ann, Bob, Cid'",
    ),
    of_people(
        ("HAVING", "HAVING (condition)"),
        "keeps the groups for which the condition is true",
        "SELECT ?q (COUNT(*) AS ?n) { ?p :knows ?q } GROUP BY ?q HAVING (COUNT(*) > 0) ORDER BY ?q",
        "<trimorph:bob>, 1; <trimorph:cid>, 1",
    ),
    of_people(
        ("ORDER BY", "ORDER BY ?x | ASC(expression) | DESC(expression) …"),
        "sorts the rows; what has no value comes first",
        "SELECT ?name { ?p :name ?name ; :age ?age } ORDER BY DESC(?age)",
        "'Ann'; 'Cid'; 'Bob'",
    ),
    of_people(
        ("LIMIT", "LIMIT n"),
        "gives at most n rows",
        "SELECT ?name { ?p :name ?name } ORDER BY ?name LIMIT 2",
        "'Ann'; 'Bob'",
    ),
    of_people(
        ("OFFSET", "OFFSET n"),
        "leaves out the first n rows",
        "SELECT ?name { ?p :name ?name } ORDER BY ?name OFFSET 2",
        "'Cid'",
    ),
];

const UPDATES: &[ClauseDoc] = &[
    of_people(
        ("INSERT DATA", "INSERT DATA { triples | GRAPH <iri> { triples } }"),
        "adds these statements",
        "INSERT DATA { :eve :age 50 }; SELECT ?age { :eve :age ?age }",
        "50",
    ),
    of_people(
        ("DELETE DATA", "DELETE DATA { triples | GRAPH <iri> { triples } }"),
        "takes these statements away",
        "DELETE DATA { :ann :knows :bob }; SELECT (COUNT(*) AS ?n) { ?a :knows ?b }",
        "1",
    ),
    of_people(
        (
            "DELETE … INSERT",
            "[WITH <iri>] [DELETE { triples }] [INSERT { triples }] [USING <iri>] WHERE { pattern }",
        ),
        "takes away and adds the triples for each row of the pattern; WITH and USING name graphs",
        "DELETE { ?p :age ?age } INSERT { ?p :age ?next } WHERE { ?p :age ?age BIND (?age + 1 AS \
         ?next) }; SELECT ?age { :ann :age ?age }",
        "42",
    ),
    of_people(
        ("DELETE WHERE", "DELETE WHERE { triples }"),
        "takes away what the triples find",
        "DELETE WHERE { ?p :knows ?q }; SELECT (COUNT(*) AS ?n) { ?a :knows ?b }",
        "0",
    ),
    of_people(
        ("LOAD", "LOAD [SILENT] <iri> [INTO GRAPH <iri>]"),
        "adds the statements of a file, <file:people.ttl>, or of a server where the database may \
         ask one; SILENT hides that it fails",
        "LOAD SILENT <file:missing.ttl>; SELECT (COUNT(*) AS ?n) { ?a :knows ?b }",
        "2",
    ),
    of_people(
        ("CLEAR", "CLEAR [SILENT] GRAPH <iri> | DEFAULT | NAMED | ALL"),
        "takes away all statements of a graph, of the default one, of the named ones, of all",
        "CLEAR ALL; SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
        "0",
    ),
    of_people(
        ("CREATE GRAPH", "CREATE [SILENT] GRAPH <iri>"),
        "an error where the graph has statements, unless SILENT; a graph is there while it has some, so \
         that an empty one is none yet",
        "CREATE GRAPH :g; SELECT (COUNT(*) AS ?n) { GRAPH :g { ?s ?p ?o } }",
        "0",
    ),
    of_people(
        ("DROP", "DROP [SILENT] GRAPH <iri> | DEFAULT | NAMED | ALL"),
        "takes a graph away, with its statements",
        "INSERT DATA { GRAPH :g { :eve :age 50 } }; DROP GRAPH :g; ASK { GRAPH :g { ?s ?p ?o } }",
        "false",
    ),
    of_people(
        ("COPY", "COPY [SILENT] <iri> | DEFAULT TO <iri> | DEFAULT"),
        "puts the statements of one graph in place of those of another",
        "COPY DEFAULT TO :g; SELECT ?name { GRAPH :g { :ann :name ?name } }",
        "'Ann'",
    ),
    of_people(
        ("MOVE", "MOVE [SILENT] <iri> | DEFAULT TO <iri> | DEFAULT"),
        "the same, and takes the first one away",
        "MOVE DEFAULT TO :g; ASK { GRAPH :g { :ann :name \"Ann\" } }",
        "true",
    ),
    of_people(
        ("ADD", "ADD [SILENT] <iri> | DEFAULT TO <iri> | DEFAULT"),
        "adds the statements of one graph to another",
        "ADD DEFAULT TO :g; ASK { GRAPH :g { :ann :name \"Ann\" } }",
        "true",
    ),
];

/// All of them, by family, in the order in which one learns them.
pub(super) const FAMILIES: [(&str, &[ClauseDoc]); 4] =
    [("queries", QUERIES), ("patterns", PATTERNS), ("rows", ROWS), ("updates", UPDATES)];
