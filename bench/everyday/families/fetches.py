"""Many rows into Python: numbers, texts and nodes as lists, Arrow tables and, where they are installed, data frames."""

import importlib.util

from everyday.query import Query

NUMBERS = ("MATCH (m:Message) RETURN m.id AS id, m.length AS length, m.length * 0.5 AS half LIMIT 1000000",
           "SELECT id, length, length * 0.5::DOUBLE AS half FROM Message LIMIT 1000000")
TEXTS = ("MATCH (m:Message) RETURN m.content AS content, m.browserUsed AS browser LIMIT 1000000",
         "SELECT content, browserUsed AS browser FROM Message LIMIT 1000000")
DATES = ("MATCH (m:Message) RETURN m.id AS id, m.creationDate AS created LIMIT 1000000",
         "SELECT id, creationDate AS created FROM Message LIMIT 1000000")
POST = ("id", "creationDate", "imageFile", "locationIP", "browserUsed", "language", "content", "length")
NODES = ("MATCH (m:Post) RETURN m LIMIT 1000000",
         f"SELECT {{{', '.join(f'{name!r}: {name}' for name in POST)}}} AS m FROM Post LIMIT 1000000")
PAIRS = ("MATCH (f:Forum)-[:HAS_MEMBER]->(p:Person) RETURN f.id AS forum, p.id AS person LIMIT 1000000",
         "SELECT forumId AS forum, personId AS person FROM HasMember LIMIT 1000000")
HOW = ["fetchall", "arrow"] + [how for how, package in (("df", "pandas"), ("pl", "polars")) if importlib.util.find_spec(package)]

QUERIES = [Query(f"fetch/{what}-{how}", *texts, fetch=how, count_only=True)
           for what, texts in (("numbers", NUMBERS), ("texts", TEXTS), ("dates", DATES), ("pairs", PAIRS)) for how in HOW]
QUERIES += [Query("fetch/nodes-fetchall", *NODES, count_only=True)]
