//! What people know from SQL databases: statements, of transactions, of the files, of plans.

use super::entry::Neighbour::{After, Any, Before};
use super::entry::{Name, Syntax};
use super::kuzu::NO_TABLES;

const SAVEPOINTS: &str = "a statement that fails undoes itself and leaves its transaction open; what is to be undone \
                          alone is a transaction of its own";
const ROOM: &str = "leave it out: room is used again by itself; CHECKPOINT merges what was written and writes the \
                    files at once, REORGANIZE moves nodes whose labels changed";
const SETTINGS: &str = "settings are given when a database is opened (trimorph --help; Database(…) in Python); \
                        SHOW DATABASE, SHOW INDEXES and SHOW CONSTRAINTS tell what is there";
const STATISTICS: &str =
    "leave it out: statistics are kept with the data; PROFILE before a query runs and measures it";
const LEVEL: &str = "write BEGIN SERIALIZABLE, BEGIN SNAPSHOT or BEGIN READ COMMITTED; begin(isolation=\"snapshot\") \
                     in Python";
const LOCKS: &str = "leave it out: nobody waits for an open transaction; who meets another's writes gets a conflict \
                     to try again: db.run(…) in Python, transact in Rust";
const PLANS: &str = "leave it out: plans are kept by the text of a query; pass what changes as parameters";
const CHECKPOINT: &str = "write CHECKPOINT, or db.checkpoint() in Python";
const BACKUP: &str = "a database is a directory to copy: db.backup(\"dir\") in Python";
const FETCH: &str = "write LIMIT n at the end, behind ORDER BY and SKIP";
const NAMES: &str = "write CALL db.labels(), CALL db.relationshipTypes(), or :tables in the shell";
const COLUMNS: &str = "write CALL db.schema.nodeTypeProperties() or CALL db.schema.relTypeProperties(), or :schema in the shell";
const VIEWS: &str =
    "there are no views: keep the query's text in your program, or what it finds in nodes of their own";
const SAMPLE: &str = "write WITH n ORDER BY rand() LIMIT 100, or WHERE rand() < 0.01";
const INTERSECT: &str = "write MATCH … WHERE EXISTS { MATCH … }, or [x IN a WHERE x IN b] of lists";
const EXCEPT: &str = "write MATCH … WHERE NOT EXISTS { MATCH … }, or [x IN a WHERE NOT x IN b] of lists";
const CONFLICT: &str =
    "write MERGE (n:Label {id: row.id}) ON CREATE SET n.x = row.x ON MATCH SET n.y = row.y";
const OWN_FUNCTIONS: &str =
    "give a function of your own: conn.create_function in Python, create_function in Rust";
const SUMMARY: &str = "write RETURN count(n.x), min(n.x), max(n.x), avg(n.x); CALL db.schema.nodeTypeProperties() has \
                       the types";
const PIVOT: &str = "write RETURN n.year, sum(CASE WHEN n.kind = 'a' THEN n.x END) AS a for each column, or pivot the \
                     frame that result.df() gives";

pub(super) const SYNTAX: &[Syntax] = &[
    ("FETCH", After(&["FIRST", "NEXT"]), "FETCH FIRST", FETCH),
    ("TABLE", Before(&["CREATE"]), "CREATE TABLE", NO_TABLES),
    ("VIEW", Before(&["CREATE"]), "CREATE VIEW", VIEWS),
    ("FUNCTION", Before(&["CREATE"]), "CREATE FUNCTION", OWN_FUNCTIONS),
    ("MACRO", Before(&["CREATE"]), "CREATE MACRO", OWN_FUNCTIONS),
    ("TRUNCATE", Before(&[""]), "TRUNCATE", "write MATCH (n:Label) DETACH DELETE n"),
    ("VALUES", Before(&[""]), "VALUES", "write UNWIND [[1, 'a'], [2, 'b']] AS row RETURN row[0], row[1]"),
    ("TABLE", Before(&[""]), "TABLE", "write MATCH (n:Label) RETURN n"),
    ("SHOW", After(&["TABLES", "LABELS", "TYPES"]), "SHOW TABLES", NAMES),
    ("SHOW", After(&["COLUMNS", "SCHEMA", "SCHEMAS"]), "SHOW COLUMNS", COLUMNS),
    ("DESCRIBE", Before(&[""]), "DESCRIBE", COLUMNS),
    ("SUMMARIZE", Before(&[""]), "SUMMARIZE", SUMMARY),
    ("PIVOT", Before(&[""]), "PIVOT", PIVOT),
    ("TABLESAMPLE", Any, "TABLESAMPLE", SAMPLE),
    ("SAMPLE", Any, "SAMPLE", SAMPLE),
    ("USING", After(&["SAMPLE"]), "USING SAMPLE", SAMPLE),
    ("INTERSECT", Any, "INTERSECT", INTERSECT),
    (
        "EXCEPT",
        Before(&["*"]),
        "* EXCEPT",
        "name the columns that are wanted; a map without a key is n {.*, key: null}",
    ),
    ("EXCEPT", Any, "EXCEPT", EXCEPT),
    ("MINUS", Any, "MINUS", EXCEPT),
    ("INTO", Before(&["MERGE"]), "MERGE INTO", CONFLICT),
    ("CONFLICT", Before(&["ON"]), "ON CONFLICT", CONFLICT),
    ("SAVEPOINT", Any, "SAVEPOINT", SAVEPOINTS),
    ("RELEASE", Before(&[""]), "RELEASE SAVEPOINT", SAVEPOINTS),
    ("END", Before(&[""]), "END", "write COMMIT"),
    ("TRANSACTION", Before(&["SET"]), "SET TRANSACTION", LEVEL),
    ("SESSION", Before(&["SET"]), "SET SESSION", LEVEL),
    ("SHOW", After(&["ISOLATION", "TRANSACTION_ISOLATION"]), "SHOW ISOLATION LEVEL", LEVEL),
    (
        "PREPARE",
        After(&["TRANSACTION"]),
        "PREPARE TRANSACTION",
        "there is no commit in two phases: a transaction is of one database",
    ),
    ("PREPARE", Before(&[""]), "PREPARE", PLANS),
    ("DEALLOCATE", Before(&[""]), "DEALLOCATE", PLANS),
    ("LOCK", Before(&[""]), "LOCK", LOCKS),
    ("UNLOCK", Before(&[""]), "UNLOCK", LOCKS),
    ("KILL", Before(&[""]), "KILL", "write TERMINATE TRANSACTION 12; SHOW TRANSACTIONS lists the numbers"),
    ("VACUUM", Before(&[""]), "VACUUM", ROOM),
    ("OPTIMIZE", Before(&[""]), "OPTIMIZE", ROOM),
    ("REINDEX", Before(&[""]), "REINDEX", "leave it out: indexes are kept with the data"),
    ("PRAGMA", Before(&[""]), "PRAGMA", SETTINGS),
    ("ANALYZE", Before(&["EXPLAIN"]), "EXPLAIN ANALYZE", "write PROFILE"),
    ("ANALYSE", Before(&["EXPLAIN"]), "EXPLAIN ANALYSE", "write PROFILE"),
    ("ANALYZE", Any, "ANALYZE", STATISTICS),
    ("ANALYSE", Any, "ANALYSE", STATISTICS),
    ("FORCE", After(&["CHECKPOINT"]), "FORCE CHECKPOINT", CHECKPOINT),
    ("FLUSH", Before(&[""]), "FLUSH", CHECKPOINT),
    ("DUMP", Before(&[""]), "DUMP", BACKUP),
    ("BACKUP", Before(&[""]), "BACKUP", BACKUP),
];

pub(super) const PROCEDURES: &[Name] = &[("db.checkpoint", CHECKPOINT), ("checkpoint", CHECKPOINT)];
