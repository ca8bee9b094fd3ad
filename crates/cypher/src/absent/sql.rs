//! What people know from SQL databases: of transactions, of the files, of plans.

use super::entry::Neighbour::{After, Any, Before};
use super::entry::{Name, Syntax};

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

pub(super) const SYNTAX: &[Syntax] = &[
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
