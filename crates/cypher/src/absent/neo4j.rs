//! What people know from Neo4j and GQL.

use super::entry::Neighbour::{After, Any, Before};
use super::entry::{Name, Syntax};

pub(super) const LOAD: &str = "write COPY Label FROM 'file.csv' for one file, load many with \"trimorph load DB FILES\", frames with \
                    db.load() in Python; for rows in a query pass a list of maps as a parameter: UNWIND $rows AS row";
pub(super) const ONE_DATABASE: &str = "a directory is a database: open another one with \"trimorph DB\", :open in the shell, \
                            Database(path)";
const NO_USERS: &str = "there are no users and roles: who may open the files may read and write them";
const NO_SERVERS: &str = "there are no servers: a database is opened in your program";
const IN_PARTS: &str = "leave it out: a statement may write as much as it likes; to commit in parts run it for parts of \
                        the rows from your program";
const QUANTIFIED: &str = "write a quantified relationship: (a)-[:TYPE]->{1,3}(b)";
const SHORTEST: &str = "write shortestPath((a)-[*]->(b)) or allShortestPaths(…)";
const COMPARED: &str = "write CASE WHEN x > 1 THEN a ELSE b END, without a value behind CASE";
const HINTS: &str = "leave it out: plans are chosen by cost; EXPLAIN shows which indexes are used";

const SIMILARITY: &str = "write vector.similarity.cosine(a, b) or vector.similarity.euclidean(a, b): vectors are lists \
                          of numbers";

pub(super) const SYNTAX: &[Syntax] = &[
    ("LOAD", After(&["CSV"]), "LOAD CSV", LOAD),
    ("USING", After(&["PERIODIC"]), "USING PERIODIC COMMIT", LOAD),
    ("USING", After(&["INDEX", "TEXT", "RANGE", "POINT"]), "USING INDEX", HINTS),
    ("USING", After(&["SCAN"]), "USING SCAN", HINTS),
    ("USING", After(&["JOIN"]), "USING JOIN", HINTS),
    ("USE", Any, "USE", ONE_DATABASE),
    ("DATABASE", Before(&["CREATE"]), "CREATE DATABASE", ONE_DATABASE),
    ("ALIAS", Before(&["CREATE"]), "CREATE ALIAS", ONE_DATABASE),
    ("DROP", After(&["DATABASE", "COMPOSITE"]), "DROP DATABASE", ONE_DATABASE),
    ("DROP", After(&["ALIAS"]), "DROP ALIAS", ONE_DATABASE),
    ("DROP", After(&["USER"]), "DROP USER", NO_USERS),
    ("DROP", After(&["ROLE"]), "DROP ROLE", NO_USERS),
    ("START", After(&["DATABASE"]), "START DATABASE", ONE_DATABASE),
    ("STOP", After(&["DATABASE"]), "STOP DATABASE", ONE_DATABASE),
    ("ALTER", After(&["DATABASE"]), "ALTER DATABASE", ONE_DATABASE),
    ("ALTER", After(&["ALIAS"]), "ALTER ALIAS", ONE_DATABASE),
    ("ALTER", After(&["USER"]), "ALTER USER", NO_USERS),
    (
        "ALTER",
        After(&["CURRENT"]),
        "ALTER CURRENT",
        "there are no users and no types of graphs: a rule for data is a CREATE CONSTRAINT",
    ),
    ("RENAME", After(&["USER"]), "RENAME USER", NO_USERS),
    ("RENAME", After(&["ROLE"]), "RENAME ROLE", NO_USERS),
    ("USER", Before(&["CREATE"]), "CREATE USER", NO_USERS),
    ("ROLE", Before(&["CREATE"]), "CREATE ROLE", NO_USERS),
    ("GRANT", Any, "GRANT", NO_USERS),
    ("DENY", Any, "DENY", NO_USERS),
    ("REVOKE", Any, "REVOKE", NO_USERS),
    ("SHOW", After(&["USERS", "USER"]), "SHOW USERS", NO_USERS),
    ("SHOW", After(&["CURRENT"]), "SHOW CURRENT USER", NO_USERS),
    ("SHOW", After(&["ROLES", "ROLE", "POPULATED"]), "SHOW ROLES", NO_USERS),
    ("SHOW", After(&["PRIVILEGES"]), "SHOW PRIVILEGES", NO_USERS),
    (
        "SHOW",
        After(&["DATABASE", "DATABASES", "DEFAULT", "HOME"]),
        "SHOW DATABASE with more behind it",
        "write SHOW DATABASE: there is the one that is open",
    ),
    (
        "SHOW",
        After(&["SETTINGS", "SETTING"]),
        "SHOW SETTINGS",
        "settings are given when a database is opened (trimorph --help; Database(…) in Python); the shell has :set",
    ),
    ("SHOW", After(&["ALIASES"]), "SHOW ALIASES", ONE_DATABASE),
    ("SHOW", After(&["SERVERS", "SERVER"]), "SHOW SERVERS", NO_SERVERS),
    ("ENABLE", After(&["SERVER"]), "ENABLE SERVER", NO_SERVERS),
    ("IN", After(&["TRANSACTIONS", "CONCURRENT"]), "CALL { … } IN TRANSACTIONS", IN_PARTS),
    ("SHORTEST", Any, "SHORTEST", SHORTEST),
    ("ANY", After(&["SHORTEST"]), "ANY SHORTEST", SHORTEST),
    ("ALL", After(&["SHORTEST"]), "ALL SHORTEST", SHORTEST),
    (
        "REPEATABLE",
        Any,
        "REPEATABLE ELEMENTS",
        "relationships of a pattern always differ; match twice for others",
    ),
    ("ANY", After(&["("]), "ANY before a pattern", SHORTEST),
    (
        "DIFFERENT",
        After(&["RELATIONSHIP", "RELATIONSHIPS"]),
        "DIFFERENT RELATIONSHIPS",
        "leave it out: relationships of a pattern always differ",
    ),
    (
        "NODETACH",
        After(&["DELETE"]),
        "NODETACH",
        "leave it out: DELETE refuses a node that has relationships, DETACH DELETE deletes them, too",
    ),
    ("UNIQUE", Before(&["CREATE"]), "CREATE UNIQUE", "write MERGE"),
    (
        "SEARCH",
        Any,
        "SEARCH",
        "there is no vector index; write ORDER BY vector.similarity.cosine(n.embedding, $list) DESC LIMIT 5",
    ),
    ("START", Any, "START", "write MATCH; a node is found by its key: MATCH (n:Label {id: $id})"),
    (
        "NULLS",
        After(&["FIRST", "LAST"]),
        "NULLS FIRST",
        "nulls come last, and first with DESC; to have it otherwise write ORDER BY n.x IS NULL, n.x",
    ),
    (
        ":",
        Before(&[""]),
        "a command such as :param",
        "lines that begin with a colon are commands of the shell: trimorph DB, then :help; parameters are given with the query",
    ),
    (
        "CYPHER",
        Before(&[""]),
        "CYPHER",
        "leave it out: there is one version of the language, and no options of plans",
    ),
    ("WHEN", Before(&[""]), "WHEN", "write CASE for a value; choose between queries in your program"),
    (
        "CALL",
        Before(&["OPTIONAL"]),
        "OPTIONAL CALL",
        "write CALL (x) { OPTIONAL MATCH … RETURN … }: it has a row for each that it gets",
    ),
    (
        "OR",
        After(&["REPLACE"]),
        "CREATE OR REPLACE",
        "write DROP … IF EXISTS, then CREATE; a directory is a database",
    ),
    ("LET", Any, "LET", "write WITH *, expression AS name"),
    ("FILTER", Any, "FILTER", "write WITH * WHERE condition"),
    ("NEXT", Any, "NEXT", "write WITH instead of RETURN … NEXT"),
    ("FINISH", Any, "FINISH", "leave it out: a query may end with what it writes"),
    ("FOR", Before(&[""]), "FOR", "write UNWIND list AS name"),
    ("{", Before(&[")"]), "a quantified path pattern", QUANTIFIED),
    (
        "NORMALIZED",
        Any,
        "IS NORMALIZED",
        "leave it out: texts are compared as they are; normalise them before they are stored",
    ),
    ("::", Any, "IS ::", "write valueType(x) = 'INTEGER NOT NULL' and the like"),
    ("|", After(&["|"]), "||", "write + to join strings or lists, OR between conditions"),
    (
        "$",
        Before(&[":"]),
        "a label from a value",
        "write the label in the text, once for each that there may be",
    ),
    (">", Before(&["WHEN"]), "WHEN with a comparison alone", COMPARED),
    (">=", Before(&["WHEN"]), "WHEN with a comparison alone", COMPARED),
    ("<", Before(&["WHEN"]), "WHEN with a comparison alone", COMPARED),
    ("<=", Before(&["WHEN"]), "WHEN with a comparison alone", COMPARED),
    ("<>", Before(&["WHEN"]), "WHEN with a comparison alone", COMPARED),
    ("=", Before(&["WHEN"]), "WHEN with a comparison alone", COMPARED),
];

pub(super) const FUNCTIONS: &[Name] = &[
    (
        "point",
        "keep coordinates as two properties, x and y or longitude and latitude, and compute with these",
    ),
    (
        "point.*",
        "keep coordinates as two properties and compute with these; haversin(x) is there for distances",
    ),
    (
        "distance",
        "keep coordinates as two properties and compute with these; haversin(x) is there for distances",
    ),
    (
        "apoc.*",
        "APOC is not there: many of its functions are openCypher's today (:help in the shell lists all), others \
               are short list comprehensions",
    ),
    (
        "gds.*",
        "the Graph Data Science library is not there; db.to_networkx(), to_scipy() and to_torch_geometric() in \
              Python hand the graph to libraries that have algorithms",
    ),
    ("genai.*", "make embeddings in your program and store them as lists of numbers"),
    ("vector", "vectors are lists of numbers: SET n.embedding = $list"),
    ("vector_distance", SIMILARITY),
    ("vector_norm", "write sqrt(reduce(s = 0.0, x IN list | s + x * x))"),
    ("vector_dimension_count", "write size(list)"),
    ("vector.*", SIMILARITY),
    ("graph.*", "a directory is a database: there is one graph in a query"),
    ("linenumber", "LOAD CSV is not there either; loads tell the file and line of what is wrong"),
    ("file", "LOAD CSV is not there either; loads tell the file and line of what is wrong"),
    ("db.nameFromElementId", "elementId(n) is the id itself"),
    ("normalize", "normalise texts in your program before they are stored"),
    ("cast", "write toInteger(x), toFloat(x), toString(x), toBoolean(x), date(x) and so on"),
];

pub(super) const PROCEDURES: &[Name] = &[
    ("apoc.load.*", LOAD),
    (
        "apoc.export.*",
        "COPY (MATCH … RETURN …) TO 'x.csv', -o FILE, :export in the shell, or df(), arrow() and pl() in Python",
    ),
    ("apoc.periodic.*", IN_PARTS),
    ("apoc.meta.*", "CALL db.schema.nodeTypeProperties(), or :schema in the shell"),
    ("apoc.merge.*", "write MERGE with the label or type in the text"),
    ("apoc.create.*", "write CREATE with the label or type in the text"),
    ("apoc.path.*", "write a variable-length pattern: (a)-[:TYPE*1..3]->(b)"),
    ("apoc.algo.*", "write shortestPath((a)-[*]->(b)); other algorithms by db.to_networkx() in Python"),
    ("apoc.*", "APOC is not there; what many of its procedures do is plain openCypher today"),
    (
        "gds.*",
        "the Graph Data Science library is not there; db.to_networkx(), to_scipy() and to_torch_geometric() in \
              Python hand the graph to libraries that have algorithms",
    ),
    (
        "algo.*",
        "the graph algorithms are not there; db.to_networkx() in Python hands the graph to a library that has",
    ),
    ("db.index.fulltext.*", "there is no full-text index; CONTAINS, STARTS WITH and =~ search texts"),
    ("db.index.vector.*", "there is no vector index; vectors are lists of numbers"),
    ("db.create.set*", "vectors are lists of numbers: SET n.embedding = $list"),
    ("db.awaitIndex*", "leave it out: CREATE INDEX returns when the index is there"),
    ("db.resampleIndex*", "leave it out: statistics are always there"),
    ("db.clearQueryCaches", "leave it out: plans are made again when data have changed"),
    ("db.stats.*", "PROFILE shows what a query does, :stats in the shell what a database holds"),
    ("db.indexes", "SHOW INDEXES"),
    ("db.constraints", "SHOW CONSTRAINTS"),
    ("db.info", "SHOW DATABASE"),
    ("db.ping", "RETURN 1"),
    ("dbms.listQueries", "SHOW TRANSACTIONS"),
    ("dbms.listTransactions", "SHOW TRANSACTIONS"),
    ("dbms.killQuer*", "TERMINATE TRANSACTION with its number"),
    ("dbms.killTransaction*", "TERMINATE TRANSACTION with its number"),
    ("dbms.listConfig", "settings are given when a database is opened; SHOW DATABASE says the rest"),
    ("dbms.security.*", NO_USERS),
    ("dbms.*", "there is no server to ask; SHOW DATABASE and SHOW TRANSACTIONS are there"),
    ("tx.*", "begin a transaction by BEGIN or from your program; SHOW TRANSACTIONS lists them"),
    ("genai.*", "make embeddings in your program and store them as lists of numbers"),
];
