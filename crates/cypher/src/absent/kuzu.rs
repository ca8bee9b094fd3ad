//! What people know from Kuzu and its heirs.

use super::entry::Neighbour::{After, Any, Before};
use super::entry::{Name, Syntax};
use super::neo4j::ONE_DATABASE;

pub(super) const NO_TABLES: &str = "leave it out: labels, types and properties come with the data, by CREATE, COPY … FROM and \
                         load; a key is CREATE CONSTRAINT FOR (n:Label) REQUIRE n.id IS UNIQUE";
const DELETE_ROWS: &str = "there are labels and no tables: MATCH (n:Label) DETACH DELETE n, \
                           MATCH ()-[r:TYPE]->() DELETE r, MATCH (n:Label) REMOVE n.property";
const NO_EXTENSIONS: &str =
    "leave it out: there are no extensions; COPY reads and writes CSV, JSON and Parquet as it is";
const FILES: &str = "COPY Label FROM 'file.csv' loads a file; rows in a query are a parameter, also a data frame: \
                     UNWIND $rows AS row";
const MOVE: &str = "a database is a directory to copy: db.backup(\"dir\") in Python; COPY Label TO 'x.parquet' and \
                    COPY Label FROM 'x.parquet' for one label or type";
const SETTINGS: &str = "settings are given when a database is opened, such as Database(path, threads=4), and to a query: \
                        execute(text, timeout=5)";
const WALKS: &str = "write shortestPath((a)-[:TYPE*1..5]->(b)); walks never repeat a relationship";
const LISTS: &str = "lists count from 0: list[0], list[1..3], size(list), x IN list, list + x, \
                     coll.sort(list), [x IN list WHERE x > 0 | 2 * x]";
const ALGORITHMS: &str = "graph algorithms are not there; db.to_networkx(), to_scipy() and to_torch_geometric() in Python \
                          hand the graph to libraries that have them";

pub(super) const SYNTAX: &[Syntax] = &[
    ("NODE", After(&["TABLE"]), "CREATE NODE TABLE", NO_TABLES),
    ("REL", After(&["TABLE", "GROUP"]), "CREATE REL TABLE", NO_TABLES),
    ("DROP", After(&["TABLE"]), "DROP TABLE", DELETE_ROWS),
    ("ALTER", After(&["TABLE"]), "ALTER TABLE", NO_TABLES),
    (
        "COMMENT",
        After(&["ON"]),
        "COMMENT ON",
        "there are no comments on labels; keep them as nodes of their own",
    ),
    ("LOAD", After(&["FROM", "WITH"]), "LOAD FROM", FILES),
    ("LOAD", Any, "LOAD", NO_EXTENSIONS),
    ("INSTALL", Any, "INSTALL", NO_EXTENSIONS),
    ("UNINSTALL", Any, "UNINSTALL", NO_EXTENSIONS),
    ("EXPORT", After(&["DATABASE"]), "EXPORT DATABASE", MOVE),
    ("IMPORT", After(&["DATABASE"]), "IMPORT DATABASE", MOVE),
    ("ATTACH", Any, "ATTACH", ONE_DATABASE),
    (
        "=",
        Before(&[
            "threads",
            "timeout",
            "progress_bar",
            "warning_limit",
            "checkpoint_threshold",
            "home_directory",
        ]),
        "CALL threads = 4",
        SETTINGS,
    ),
    ("WSHORTEST", Any, "WSHORTEST", "paths by weight are not there yet; shortestPath counts relationships"),
    ("TRAIL", Before(&["*"]), "TRAIL", WALKS),
    ("ACYCLIC", Before(&["*"]), "ACYCLIC", WALKS),
    ("*", Before(&["."]), "a.*", "write properties(a) for a map of all, or name them: a.name, a.age"),
];

pub(super) const FUNCTIONS: &[Name] = &[
    ("label", "write labels(n), of which a node may have many, and type(r)"),
    ("offset", "id(n) is a number itself"),
    ("rels", "write relationships(path)"),
    ("concat", "write + to join strings or lists"),
    ("list_sort", "write coll.sort(list)"),
    ("list_distinct", "write coll.distinct(list)"),
    ("list_unique", "write size(coll.distinct(list))"),
    ("list_position", "write coll.indexOf(list, value), from 0"),
    ("list_sum", "write reduce(sum = 0, x IN list | sum + x)"),
    ("list_*", LISTS),
    ("array_*", LISTS),
    ("struct_*", "write a map: {name: 'Ann', age: 41}, map.name, keys(map)"),
    ("map_*", "write a map: {name: 'Ann', age: 41}, map.name, keys(map)"),
    ("regexp_*", "write text =~ 'pattern' to match as a whole, split(text, ',') and replace(text, 'a', 'b')"),
    ("string_split", "write split(text, ',')"),
    ("starts_with", "write text STARTS WITH 'a'"),
    ("ends_with", "write text ENDS WITH 'a'"),
    ("contains", "write text CONTAINS 'a'"),
    ("ifnull", "write coalesce(a, b)"),
    ("gen_random_uuid", "write randomUUID()"),
    ("current_date", "write date()"),
    ("current_timestamp", "write datetime()"),
    ("date_part", "write the part's name: d.year, d.month, d.day"),
    ("datepart", "write the part's name: d.year, d.month, d.day"),
    ("date_trunc", "write date.truncate('month', d), datetime.truncate('hour', d)"),
    ("to_years", "write duration({days: 3}), duration({hours: 1, minutes: 30})"),
    ("to_months", "write duration({days: 3}), duration({hours: 1, minutes: 30})"),
    ("to_days", "write duration({days: 3}), duration({hours: 1, minutes: 30})"),
    ("to_hours", "write duration({days: 3}), duration({hours: 1, minutes: 30})"),
    ("to_minutes", "write duration({days: 3}), duration({hours: 1, minutes: 30})"),
    ("to_seconds", "write duration({days: 3}), duration({hours: 1, minutes: 30})"),
    ("to_timestamp", "write datetime({epochSeconds: n})"),
];

pub(super) const PROCEDURES: &[Name] = &[
    ("show_tables", "CALL db.labels(), CALL db.relationshipTypes(), or :tables in the shell"),
    ("table_info", "CALL db.schema.nodeTypeProperties(), CALL db.schema.relTypeProperties()"),
    ("show_connection", "CALL db.schema.visualization()"),
    ("show_functions", "SHOW FUNCTIONS"),
    ("show_indexes", "SHOW INDEXES"),
    ("show_warnings", "rows that a load left out are in the file that REJECTS names"),
    ("clear_warnings", "rows that a load left out are in the file that REJECTS names"),
    ("show_attached_databases", ONE_DATABASE),
    ("show_loaded_extensions", NO_EXTENSIONS),
    ("show_official_extensions", NO_EXTENSIONS),
    ("db_version", "SHOW DATABASE, or trimorph.__version__ in Python"),
    ("current_setting", SETTINGS),
    ("storage_info", "db.stats() in Python, :stats in the shell"),
    ("project_graph*", ALGORITHMS),
    ("page_rank", ALGORITHMS),
    ("pagerank", ALGORITHMS),
    ("weakly_connected_components*", ALGORITHMS),
    ("wcc", ALGORITHMS),
    ("strongly_connected_components*", ALGORITHMS),
    ("scc*", ALGORITHMS),
    ("k_core_decomposition", ALGORITHMS),
    ("louvain", ALGORITHMS),
    ("create_fts_index", "there is no full-text index; CONTAINS, STARTS WITH and =~ search texts"),
    ("query_fts_index", "there is no full-text index; CONTAINS, STARTS WITH and =~ search texts"),
    ("create_vector_index", "there is no vector index; vectors are lists of numbers"),
    ("query_vector_index", "there is no vector index; vectors are lists of numbers"),
];
