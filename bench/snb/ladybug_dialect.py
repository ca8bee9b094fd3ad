"""SNB for Ladybug and Kuzu: schema, Parquet export, and our texts rewritten into their dialect.

Both store one label per node, so posts and comments are two tables and `:Message` becomes `:Post:Comment` (either of them).
The rewriting is by fixed rules, listed in `RULES`; what they cannot express stays as it is and the peer reports the error.
"""

import datetime as dt
import pathlib
import re

import answers

NODES = {
    "City": "id INT64, name STRING, url STRING",
    "Country": "id INT64, name STRING, url STRING",
    "Continent": "id INT64, name STRING, url STRING",
    "University": "id INT64, name STRING, url STRING",
    "Company": "id INT64, name STRING, url STRING",
    "TagClass": "id INT64, name STRING, url STRING",
    "Tag": "id INT64, name STRING, url STRING",
    "Person": "id INT64, creationDate TIMESTAMP, firstName STRING, lastName STRING, gender STRING, birthday DATE,"
    " locationIP STRING, browserUsed STRING, language STRING[], email STRING[]",
    "Forum": "id INT64, creationDate TIMESTAMP, title STRING",
    "Post": "id INT64, creationDate TIMESTAMP, imageFile STRING, locationIP STRING, browserUsed STRING, language STRING,"
    " content STRING, length INT64",
    "Comment": "id INT64, creationDate TIMESTAMP, locationIP STRING, browserUsed STRING, content STRING, length INT64",
}
DATED = "creationDate TIMESTAMP"
# Type, source, target, properties, DuckDB query over the CSV files ({…} names a file's rows).
EDGES = [
    ("IS_PART_OF", "City", "Country", "", "SELECT id, PartOfPlaceId FROM {static/Place} WHERE type = 'City'"),
    ("IS_PART_OF", "Country", "Continent", "", "SELECT id, PartOfPlaceId FROM {static/Place} WHERE type = 'Country'"),
    ("IS_LOCATED_IN", "University", "City", "", "SELECT id, LocationPlaceId FROM {static/Organisation} WHERE type = 'University'"),
    ("IS_LOCATED_IN", "Company", "Country", "", "SELECT id, LocationPlaceId FROM {static/Organisation} WHERE type = 'Company'"),
    ("IS_SUBCLASS_OF", "TagClass", "TagClass", "", "SELECT id, SubclassOfTagClassId FROM {static/TagClass} WHERE SubclassOfTagClassId IS NOT NULL"),
    ("HAS_TYPE", "Tag", "TagClass", "", "SELECT id, TypeTagClassId FROM {static/Tag}"),
    ("IS_LOCATED_IN", "Person", "City", "", "SELECT id, LocationCityId FROM {dynamic/Person}"),
    ("HAS_INTEREST", "Person", "Tag", "", "SELECT PersonId, TagId FROM {dynamic/Person_hasInterest_Tag}"),
    ("STUDY_AT", "Person", "University", "classYear INT64", "SELECT PersonId, UniversityId, classYear FROM {dynamic/Person_studyAt_University}"),
    ("WORK_AT", "Person", "Company", "workFrom INT64", "SELECT PersonId, CompanyId, workFrom FROM {dynamic/Person_workAt_Company}"),
    ("KNOWS", "Person", "Person", DATED, "SELECT Person1Id, Person2Id, creationDate FROM {dynamic/Person_knows_Person}"),
    ("HAS_MODERATOR", "Forum", "Person", "", "SELECT id, ModeratorPersonId FROM {dynamic/Forum} WHERE ModeratorPersonId IS NOT NULL"),
    ("HAS_MEMBER", "Forum", "Person", DATED, "SELECT ForumId, PersonId, creationDate FROM {dynamic/Forum_hasMember_Person}"),
    ("HAS_TAG", "Forum", "Tag", "", "SELECT ForumId, TagId FROM {dynamic/Forum_hasTag_Tag}"),
    ("CONTAINER_OF", "Forum", "Post", "", "SELECT ContainerForumId, id FROM {dynamic/Post}"),
    ("HAS_CREATOR", "Post", "Person", "", "SELECT id, CreatorPersonId FROM {dynamic/Post}"),
    ("IS_LOCATED_IN", "Post", "Country", "", "SELECT id, LocationCountryId FROM {dynamic/Post}"),
    ("HAS_TAG", "Post", "Tag", "", "SELECT PostId, TagId FROM {dynamic/Post_hasTag_Tag}"),
    ("HAS_CREATOR", "Comment", "Person", "", "SELECT id, CreatorPersonId FROM {dynamic/Comment}"),
    ("IS_LOCATED_IN", "Comment", "Country", "", "SELECT id, LocationCountryId FROM {dynamic/Comment}"),
    ("REPLY_OF", "Comment", "Post", "", "SELECT id, ParentPostId FROM {dynamic/Comment} WHERE ParentPostId IS NOT NULL"),
    ("REPLY_OF", "Comment", "Comment", "", "SELECT id, ParentCommentId FROM {dynamic/Comment} WHERE ParentCommentId IS NOT NULL"),
    ("HAS_TAG", "Comment", "Tag", "", "SELECT CommentId, TagId FROM {dynamic/Comment_hasTag_Tag}"),
    ("LIKES", "Person", "Post", DATED, "SELECT PersonId, PostId, creationDate FROM {dynamic/Person_likes_Post}"),
    ("LIKES", "Person", "Comment", DATED, "SELECT PersonId, CommentId, creationDate FROM {dynamic/Person_likes_Comment}"),
]
SOURCES = {"City": "static/Place", "Country": "static/Place", "Continent": "static/Place",
           "University": "static/Organisation", "Company": "static/Organisation",
           "TagClass": "static/TagClass", "Tag": "static/Tag"}


def export(directory, snapshot=answers.SNAPSHOT):
    """Writes one Parquet file per node and edge table, with DuckDB, unless they are there."""
    directory = pathlib.Path(directory)
    if (directory / "done").exists():
        return directory
    import duckdb

    directory.mkdir(parents=True, exist_ok=True)
    connection = duckdb.connect()
    connection.execute("SET TimeZone='UTC'")

    def rows(match):
        return (f"read_csv('{snapshot}/{match.group(1)}/*.csv.zst', delim='|', header=true, all_varchar=false,"
                " sample_size=-1, timestampformat='%Y-%m-%dT%H:%M:%S.%g+00:00')")

    def write(name, select):
        select = re.sub(r"\{(\S+?)\}", rows, select)
        connection.execute(f"COPY ({select}) TO '{directory / name}.parquet' (FORMAT parquet)")

    casts = {"INT64": "BIGINT", "STRING": "VARCHAR", "TIMESTAMP": "TIMESTAMP", "DATE": "DATE"}
    for table, columns in NODES.items():
        source = SOURCES.get(table, f"dynamic/{table}")
        fields = []
        for column in columns.split(","):
            name, kind = column.split()
            fields.append(f"string_split({name}, ';') AS {name}" if kind == "STRING[]" else f"{name}::{casts[kind]} AS {name}")
        where = f" WHERE type = '{table}'" if source in ("static/Place", "static/Organisation") else ""
        write(table, f"SELECT {', '.join(fields)} FROM {{{source}}}{where}")
    for kind, source, target, _, select in EDGES:
        names, rest = select.removeprefix("SELECT ").split(" FROM ", 1)
        fields = [f"{n}::TIMESTAMP AS {n}" if n == "creationDate" else f"{n}::BIGINT AS {n}" for n in names.split(", ")]
        write(f"{kind}_{source}_{target}", f"SELECT {', '.join(fields)} FROM {rest}")
    (directory / "done").touch()
    return directory


def statements(directory):
    """The statements that build the database from `export`'s files."""
    for table, columns in NODES.items():
        yield f"CREATE NODE TABLE {table}({columns}, PRIMARY KEY(id))"
    kinds = {}
    for kind, source, target, properties, _ in EDGES:
        kinds.setdefault(kind, ([], properties))[0].append((source, target))
    for kind, (pairs, properties) in kinds.items():
        ends = ", ".join(f"FROM {s} TO {t}" for s, t in pairs)
        yield f"CREATE REL TABLE {kind}({ends}{', ' + properties if properties else ''})"
    for table in NODES:
        yield f"COPY {table} FROM '{directory}/{table}.parquet'"
    for kind, source, target, _, _ in EDGES:
        yield f"COPY {kind} FROM '{directory}/{kind}_{source}_{target}.parquet' (from='{source}', to='{target}')"


RULES = [
    (r"(\w+):Comment AS", r"label(\1) = 'Comment' AS"),  # a label predicate as a value
    (r":Message\b", ":Post:Comment"),
    (r"datetime\(\{date: (\$\w+)\}\)", r"\1"),  # `parameters` passes the instant
    (r"duration\(\{days: (\d+)\}\)", r"interval('\1 days')"),
    (r"duration\(\{hours: (\$\w+)\}\)", r"\1"),
    (r"(\$\w+|\w+\.creationDate)\.(year|month)", r"date_part('\2', \1)"),
    (r"toFloat\(", "to_double("),
    (r"path = shortestPath\(\(start\)-\[:KNOWS\*1\.\.4\]-\(expert\)\)", "(start)-[path:KNOWS* SHORTEST 1..4]-(expert)"),
    (r"\bAS count\b", "AS n"),
    # Nodes cannot be list elements to compare, coalesced or chosen by CASE there: carry keys, find the nodes again.
    (r"collect\(person\) AS authors", "collect(person.id) AS authors"),
    (r"UNWIND authorsA AS person\nWITH authorsA, authorsB, person,", "UNWIND authorsA AS personId\nMATCH (person:Person) WHERE person.id = personId\nWITH authorsA, authorsB, person,"),
    (r"(person|friend) IN authors", r"\1.id IN authors"),
    (r"author = person\b", "author = person.id"),
    (r"collect\(zombie\) AS zombies\nUNWIND zombies AS zombie\b", "collect(zombie.id) AS zombies\nUNWIND zombies AS zombieId\nMATCH (zombie:Person) WHERE zombie.id = zombieId\nWITH zombie, zombies"),
    (r"liker IN zombies", "liker.id IN zombies"),
    (r"coalesce\((fan|member), author\) AS person", r"coalesce(\1.id, author.id) AS person"),
    (r"WITH person, sum\(points\) AS score", "WITH person AS id, sum(points) AS score\nMATCH (person:Person) WHERE person.id = id\nWITH person, score"),
    (r"CASE WHEN own THEN person ELSE friend END", "CASE WHEN own THEN person.id ELSE friend.id END"),
    (r"receiver\.id AS", "receiver AS"),
    (r"WITH city, max\(\[score, -person1.id, -person2.id\]\) AS top",
     "WITH city, score, person1.id AS id1, person2.id AS id2 ORDER BY score DESC, id1, id2 LIMIT 1000000\nWITH city, collect(id1) AS ids1, collect(id2) AS ids2, collect(score) AS scores"),
    (r"-top\[1\] AS person1Id, -top\[2\] AS person2Id, city.name AS cityName, top\[0\] AS score",
     "ids1[1] AS person1Id, ids2[1] AS person2Id, city.name AS cityName, scores[1] AS score"),
    (r"WHERE membershipCount > 0\n", "WHERE membershipCount > 0\nWITH person AS id, messageCount\nMATCH (person:Person) WHERE person.id = id\n"),
]


def rewrite(text):
    """Our text in the dialect of Ladybug and Kuzu."""
    text = re.sub(r"^\s*//.*\n", "", text, flags=re.MULTILINE)
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text)
    return text


def parameters(typed, text, hours=True):
    """Dates become instants, with `hours` $delta an interval; parameters the text does not mention go (they are refused)."""
    result = {}
    for name, value in typed.items():
        if not re.search(rf"\${name}\b", text):
            continue
        if isinstance(value, dt.datetime):
            value = value.astimezone(dt.timezone.utc).replace(tzinfo=None)
        elif isinstance(value, dt.date):
            value = dt.datetime.combine(value, dt.time())
        elif name == "delta" and hours:
            value = dt.timedelta(hours=value)
        result[name] = value
    return result
