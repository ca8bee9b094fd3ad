//! Names of functions that people know from SQL, from GQL, from APOC and from older versions of the language.

use super::entry::Name;

const POWER: &str = "write x ^ y";
const IF: &str = "write CASE WHEN condition THEN a ELSE b END";
const COALESCE: &str = "write coalesce(a, b)";
const NOT_NULL: &str = "write n.name IS NOT NULL";
const SIZE: &str = "write size(x): the elements of a list, the characters of a text";
const PLACE: &str = "write CASE WHEN text CONTAINS 'a' THEN size(split(text, 'a')[0]) END: the place from 0";
const JOIN: &str = "write reduce(text = head(list), x IN tail(list) | text + ', ' + x), with the list made by \
                    WITH collect(n.name) AS list";
const DEVIATION: &str = "write stDev(x), or stDevP(x) for all there are";
const VARIANCE: &str = "write stDev(x) ^ 2, or stDevP(x) ^ 2 for all there are";
const COUNT_IF: &str = "write count(CASE WHEN condition THEN 1 END)";
const DEGREE: &str =
    "write COUNT { (n)--() }, COUNT { (n)-->() } for what goes out, COUNT { (n)<--() } for what comes in";
const PART: &str = "write the part's name: d.year, d.month, d.day, t.hour";
const BETWEEN: &str = "write duration.inDays(a, b).days, or duration.between(a, b) for months and days";
const ADD: &str = "write d + duration({days: 3})";
const FORMAT: &str = "write its parts: d.year + '/' + d.month; toString(d) is ISO 8601";
const PARSE: &str =
    "write date('2024-02-29'); loads take other forms of dates, see the mapping's date_format";
const JSON: &str = "make and read JSON in your program; COPY (query) TO 'x.json' and -o x.json write it";
const OWN: &str = "give a function of your own: conn.create_function in Python, create_function in Rust";
const VALUE_TYPE: &str = "write valueType(x)";
const DISTINCT: &str = "write coll.distinct(list)";
const SORT: &str = "write coll.sort(list), and reverse(coll.sort(list)) from the greatest on";
const VALUES: &str = "write [key IN keys(map) | map[key]]";
const WINDOW: &str = "there are no window functions; write WITH n ORDER BY n.x WITH collect(n) AS rows \
                      UNWIND range(0, size(rows) - 1) AS i RETURN i + 1, rows[i]";
const BITS: &str = "there are no operators of bits";
const SUM: &str = "write reduce(sum = 0, x IN list | sum + x)";
const MAPS: &str =
    "write map {.*, name: 'Ann'}, map[key], keys(map); maps of changing keys are made in your program";
const TIMES: &str = "write datetime({epochMillis: n}), d.epochMillis, toString(d), d + duration('P1D')";
const ZIP: &str = "write [i IN range(0, size(a) - 1) | [a[i], b[i]]]";
const REMOVED: &str = "write [x IN list WHERE x > 0 | 2 * x]";

pub(super) const FUNCTIONS: &[Name] = &[
    ("apoc.coll.sort", SORT),
    ("apoc.coll.toSet", DISTINCT),
    ("apoc.coll.flatten", "write coll.flatten(list)"),
    ("apoc.coll.indexOf", "write coll.indexOf(list, value)"),
    ("apoc.coll.insert", "write coll.insert(list, index, value)"),
    ("apoc.coll.remove", "write coll.remove(list, index)"),
    ("apoc.coll.max", "write coll.max(list)"),
    ("apoc.coll.min", "write coll.min(list)"),
    ("apoc.coll.sum", SUM),
    ("apoc.coll.containsAll*", "write all(x IN b WHERE x IN a)"),
    ("apoc.coll.contains", "write x IN list"),
    ("apoc.coll.avg", "write reduce(sum = 0.0, x IN list | sum + x) / size(list)"),
    ("apoc.coll.frequencies*", "write UNWIND list AS x RETURN x, count(*)"),
    ("apoc.coll.intersection", "write [x IN a WHERE x IN b]"),
    ("apoc.coll.reverse", "write reverse(list)"),
    ("apoc.coll.sort*", "write UNWIND list AS x WITH x ORDER BY x.name RETURN collect(x)"),
    ("apoc.coll.subtract", "write [x IN a WHERE NOT x IN b]"),
    ("apoc.coll.union*", "write coll.distinct(a + b), or a + b with what is twice"),
    ("apoc.coll.zip", ZIP),
    ("apoc.text.join", JOIN),
    ("apoc.text.indexOf", PLACE),
    ("apoc.convert.toJson", JSON),
    ("apoc.convert.fromJson*", JSON),
    ("apoc.convert.*", "write toInteger(x), toFloat(x), toString(x) or toBoolean(x)"),
    ("apoc.json.*", JSON),
    ("apoc.text.replace", "write replace(text, 'a', 'b'); a regular expression is a function of your own"),
    ("apoc.text.split", "write split(text, ',')"),
    ("apoc.text.*", OWN),
    ("apoc.math.*", "write round(x, 2), abs(x), sqrt(x) and so on; :help in the shell lists all"),
    ("apoc.number.*", "write toString(round(x, 2)), or toInteger(text)"),
    ("apoc.meta.*", VALUE_TYPE),
    ("apoc.any.properties", "write properties(x)"),
    ("apoc.label.exists", "write n:Label, or $label IN labels(n)"),
    ("apoc.bitwise.*", BITS),
    ("apoc.agg.first", "write collect(x)[0]"),
    ("apoc.agg.last", "write collect(x)[-1]"),
    ("apoc.agg.median", "write percentileCont(x, 0.5)"),
    ("apoc.version", "APOC is not there; CALL dbms.components() tells Trimorph's version"),
    ("apoc.map.*", MAPS),
    ("apoc.date.*", TIMES),
    ("apoc.temporal.format", FORMAT),
    ("apoc.create.uuid", "write randomUUID()"),
    ("apoc.node.degree*", DEGREE),
    ("apoc.util.md5", OWN),
    ("apoc.util.sha*", OWN),
    ("pow", POWER),
    ("power", POWER),
    ("mod", "write x % y"),
    ("log2", "write log(x) / log(2)"),
    ("cbrt", "write x ^ (1.0 / 3)"),
    ("trunc", "write toInteger(x), or round(x, 2, 'DOWN') with digits"),
    ("truncate", "write toInteger(x), or round(x, 2, 'DOWN') with digits"),
    ("greatest", "write coll.max([a, b])"),
    ("least", "write coll.min([a, b])"),
    ("bit*", BITS),
    ("nvl", COALESCE),
    ("isnull", "write x IS NULL"),
    ("if", IF),
    ("iif", IF),
    ("has", NOT_NULL),
    ("property_exists", NOT_NULL),
    ("len", SIZE),
    ("cardinality", SIZE),
    ("byte_length", "size(text) counts characters; nothing counts bytes"),
    ("octet_length", "size(text) counts characters; nothing counts bytes"),
    ("lcase", "write toLower(text)"),
    ("ucase", "write toUpper(text)"),
    ("str", "write toString(x)"),
    ("substr", "write substring(text, 0, 3): it counts from 0"),
    ("mid", "write substring(text, 0, 3): it counts from 0"),
    ("startsWith", "write text STARTS WITH 'a'"),
    ("endsWith", "write text ENDS WITH 'a'"),
    ("indexOf", PLACE),
    ("position", PLACE),
    ("strpos", PLACE),
    ("instr", PLACE),
    ("lpad", "write right('000' + x, 3)"),
    ("rpad", "write left(x + '   ', 3)"),
    ("repeat", "write reduce(text = '', i IN range(1, 3) | text + 'a')"),
    ("initcap", "write toUpper(left(text, 1)) + toLower(substring(text, 1))"),
    ("ascii", OWN),
    ("chr", OWN),
    ("levenshtein", OWN),
    ("md5", OWN),
    ("sha*", OWN),
    ("hash", OWN),
    ("join", JOIN),
    ("string_agg", JOIN),
    ("group_concat", JOIN),
    ("listagg", JOIN),
    ("collect_list", "write collect(x)"),
    ("array_agg", "write collect(x)"),
    ("median", "write percentileCont(x, 0.5)"),
    ("mode", "write WITH n.x AS x, count(*) AS count ORDER BY count DESC LIMIT 1"),
    ("percentile_cont", "write percentileCont(x, 0.5)"),
    ("percentile_disc", "write percentileDisc(x, 0.5)"),
    ("stdev_samp", DEVIATION),
    ("stdev_pop", DEVIATION),
    ("stddev*", DEVIATION),
    ("var_*", VARIANCE),
    ("variance", VARIANCE),
    ("count_if", COUNT_IF),
    ("countIf", COUNT_IF),
    ("row_number", WINDOW),
    ("rank", WINDOW),
    ("dense_rank", WINDOW),
    ("lag", WINDOW),
    ("lead", WINDOW),
    ("sort", SORT),
    ("flatten", "write coll.flatten(list)"),
    ("distinct", DISTINCT),
    ("toSet", DISTINCT),
    ("zip", ZIP),
    ("filter", REMOVED),
    ("extract", REMOVED),
    ("allReduce", "write reduce(…), and all(x IN list WHERE …) for a condition"),
    ("values", VALUES),
    ("degree", DEGREE),
    ("in_degree", DEGREE),
    ("out_degree", DEGREE),
    ("indegree", DEGREE),
    ("outdegree", DEGREE),
    ("element_id", "write elementId(n)"),
    ("path_length", "write length(path)"),
    ("typeof", VALUE_TYPE),
    ("type_of", VALUE_TYPE),
    ("pg_typeof", VALUE_TYPE),
    ("uuid", "write randomUUID()"),
    ("now", "write datetime()"),
    ("local_time", "write localtime()"),
    ("local_datetime", "write localdatetime()"),
    ("zoned_time", "write time()"),
    ("zoned_datetime", "write datetime()"),
    ("duration_between", "write duration.between(a, b)"),
    ("year", PART),
    ("month", PART),
    ("day", PART),
    ("hour", PART),
    ("minute", PART),
    ("date_diff", BETWEEN),
    ("datediff", BETWEEN),
    ("age", BETWEEN),
    ("date_add", ADD),
    ("date_sub", ADD),
    ("format", FORMAT),
    ("strftime", FORMAT),
    ("to_char", FORMAT),
    ("strptime", PARSE),
    ("to_date", PARSE),
    ("epoch_ms", "write datetime({epochMillis: n}), and d.epochMillis back"),
    ("from_unixtime", "write datetime({epochSeconds: n}), and d.epochSeconds back"),
    ("to_json", JSON),
    ("toJson", JSON),
    ("from_json", JSON),
    ("fromJson", JSON),
    ("parse_json", JSON),
    ("json_*", JSON),
];
