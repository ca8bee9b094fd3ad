"""Queries that nobody thought of: drawn from a seed, each in our language and in SQL.

A query is a source (a pattern, and the joins that stand for it), conditions, keys and aggregates, put together in one of the
`SHAPES`. Expressions are pairs of texts that mean the same over what the data has (lengths and ids are not negative, so that
whole division is the same in both). What is found to be slow here is mended by its cause; the seed says how to see it again.
"""

import random

from .query import LEFT_OUT, Query


class Source:
    """A pattern and the same as joins. `kinds` says what each variable is: a key of `PROPERTIES`."""

    def __init__(self, pattern, joins, **kinds):
        self.pattern, self.joins, self.kinds = pattern, joins, kinds


SOURCES = [
    Source("(m:Message)", "Message m", m="message"),
    Source("(m:Comment)", "Comment m", m="comment"),
    Source("(p:Person)", "Person p", p="person"),
    Source("(f:Forum)", "Forum f", f="forum"),
    Source("(m:Message)-[:HAS_CREATOR]->(p:Person)", "Message m JOIN Person p ON p.id = m.creatorId", m="message", p="person"),
    Source("(p:Person)-[:IS_LOCATED_IN]->(c:City)-[:IS_PART_OF]->(l:Country)",
           "Person p JOIN City c ON c.id = p.cityId JOIN Country l ON l.id = c.countryId", p="person", c="named", l="named"),
    Source("(m:Message)-[:HAS_TAG]->(t:Tag)",
           "MessageTag mt JOIN Message m ON m.id = mt.messageId JOIN Tag t ON t.id = mt.tagId", m="message", t="named"),
    Source("(p:Person)-[k:KNOWS]-(q:Person)",
           "Knows k JOIN Person p ON p.id = k.person1Id JOIN Person q ON q.id = k.person2Id", p="person", q="person", k="dated"),
    Source("(p:Person)-[k:LIKES]->(m:Message)",
           "Likes k JOIN Person p ON p.id = k.personId JOIN Message m ON m.id = k.messageId", p="person", m="message", k="dated"),
    Source("(f:Forum)-[k:HAS_MEMBER]->(p:Person)",
           "HasMember k JOIN Forum f ON f.id = k.forumId JOIN Person p ON p.id = k.personId", f="forum", p="person", k="dated"),
    Source("(f:Forum)-[:CONTAINER_OF]->(m:Post)", "Post m JOIN Forum f ON f.id = m.forumId", f="forum", m="message"),
    Source("(m:Comment)-[:REPLY_OF]->(n:Message)", "Comment m JOIN Message n ON n.id = m.parentId", m="comment", n="message"),
    Source("(p:Person)-[w:WORK_AT]->(o:Company)",
           "WorkAt w JOIN Person p ON p.id = w.personId JOIN Company o ON o.id = w.companyId", p="person", o="named", w="work"),
    Source("(p:Person)<-[:HAS_CREATOR]-(m:Message)<-[:REPLY_OF]-(n:Comment)",
           "Message m JOIN Comment n ON n.parentId = m.id JOIN Person p ON p.id = m.creatorId", p="person", m="message", n="comment"),
]

# What each kind has, by type.
PROPERTIES = {
    "message": {"int": ["length", "id"], "text": ["content", "browserUsed", "locationIP"], "instant": ["creationDate"]},
    "comment": {"int": ["length", "id"], "text": ["content", "browserUsed", "locationIP"], "instant": ["creationDate"]},
    "person": {"int": ["id"], "text": ["firstName", "lastName", "gender", "browserUsed", "locationIP"], "date": ["birthday"],
               "instant": ["creationDate"], "list": ["email", "language"]},
    "forum": {"int": ["id"], "text": ["title"], "instant": ["creationDate"]},
    "named": {"int": ["id"], "text": ["name"]},
    "dated": {"instant": ["creationDate"]},
    "work": {"int": ["workFrom"]},
}

# Steps from a kind of variable, with the same as a table, its column for the variable, and conditions on what it has.
STEPS = {
    "person": [("({v})-[:KNOWS]-(:Person)", "Knows s WHERE s.person1Id = {v}.id"), ("({v})-[:LIKES]->(:Message)", "Likes s WHERE s.personId = {v}.id"),
               ("({v})<-[:HAS_CREATOR]-(s:Message)", "Message s WHERE s.creatorId = {v}.id"),
               ("({v})<-[:HAS_MODERATOR]-(:Forum)", "Forum s WHERE s.moderatorId = {v}.id"),
               ("({v})-[:HAS_INTEREST]->(:Tag)", "Interest s WHERE s.personId = {v}.id"),
               ("({v})-[:WORK_AT]->(:Company)", "WorkAt s WHERE s.personId = {v}.id")],
    "message": [("({v})<-[:LIKES]-(:Person)", "Likes s WHERE s.messageId = {v}.id"), ("({v})<-[:REPLY_OF]-(s:Comment)", "Comment s WHERE s.parentId = {v}.id"),
                ("({v})-[:HAS_TAG]->(:Tag)", "MessageTag s WHERE s.messageId = {v}.id")],
    "forum": [("({v})-[:HAS_MEMBER]->(:Person)", "HasMember s WHERE s.forumId = {v}.id"), ("({v})-[:CONTAINER_OF]->(s:Post)", "Post s WHERE s.forumId = {v}.id"),
              ("({v})-[:HAS_TAG]->(:Tag)", "ForumTag s WHERE s.forumId = {v}.id")],
}
STEPS["comment"] = STEPS["message"]

WORDS = ["a", "the", "Ma", "in", "?", "Fire", "er", "10", "and ", "x"]


class Draw:
    """Draws expressions over a source. Each gives (ours, SQL's)."""

    def __init__(self, seed, source):
        self.random, self.source = random.Random(seed), source

    def pick(self, among):
        return self.random.choice(among)

    def has(self, type_):
        return any(type_ in PROPERTIES[kind] for kind in self.source.kinds.values())

    def property(self, type_):
        of = [f"{v}.{name}" for v, kind in self.source.kinds.items() for name in PROPERTIES[kind].get(type_, [])]
        text = self.pick(of)
        return text, text

    def any(self, depth=2, among=("int", "text", "date", "float", "bool")):
        type_ = self.pick([t for t in among if self.can(t)])
        return getattr(self, type_)(depth)

    def can(self, type_):
        return {"date": self.has("instant") or self.has("date"), "int": True, "float": True,
                "text": self.has("text"), "bool": True}[type_]

    def int(self, depth=2):
        forms = [self.int_property] * 3
        if depth:
            forms += [self.int_coalesced, self.int_modulo, self.int_divided, self.int_case, self.int_sum, self.int_constant_case, self.int_rounded]
            if self.has("text"):
                forms += [self.int_of_text, self.int_of_text, self.int_written]
                forms.append(self.int_of_words)
            if self.has("instant") or self.has("date"):
                forms += [self.int_of_date] * 2
            if self.has("instant"):
                forms.append(self.int_between)
            if self.has("list"):
                forms.append(self.int_of_list)
        return self.pick(forms)(depth)

    def int_property(self, depth):
        if not self.has("int"):
            return self.int_of_date(depth)
        return self.property("int")

    def int_modulo(self, depth):
        n, (a, b) = self.pick([2, 7, 10, 100, 1000]), self.int(depth - 1)
        return f"({a} % {n})", f"({b} % {n})"

    def int_divided(self, depth):
        n, (a, b) = self.pick([3, 10, 100]), self.int(depth - 1)
        return f"({a} / {n})", f"({b} // {n})"

    def int_sum(self, depth):
        (a, b), (c, d) = self.int(depth - 1), self.int(0)
        return f"({a} % 1000 + {c} % 1000)", f"({b} % 1000 + {d} % 1000)"

    def int_case(self, depth):
        (a, b), (c, d) = self.bool(depth - 1), self.int(depth - 1)
        return f"CASE WHEN {a} THEN {c} ELSE 0 END", f"CASE WHEN {b} THEN {d} ELSE 0 END"

    def int_constant_case(self, depth):
        (a, b), (c, d) = self.bool(depth - 1), self.bool(depth - 1)
        return f"CASE WHEN {a} THEN 1 WHEN {c} THEN 2 ELSE 3 END", f"CASE WHEN {b} THEN 1 WHEN {d} THEN 2 ELSE 3 END"

    def int_rounded(self, depth):
        a, b = self.int(depth - 1)
        return f"toInteger(floor({a} / 7.0))", f"CAST(floor({b} / 7.0) AS BIGINT)"

    def int_of_text(self, depth):
        a, b = self.text(depth - 1)
        return f"size({a})", f"length({b})"

    def int_written(self, depth):
        a, b = self.int(depth - 1)
        return f"toInteger(right(toString({a}), 2))", f"TRY_CAST(right(CAST({b} AS VARCHAR), 2) AS BIGINT)"

    def int_of_date(self, _depth):
        type_ = self.pick([t for t in ("instant", "date") if self.has(t)])
        a, b = self.property(type_)
        part = self.pick(["year", "month", "day"] + ["hour", "minute", "second"] * (type_ == "instant"))
        return f"{a}.{part}", f"{part}({b})"

    def int_between(self, _depth):
        a, b = self.property("instant")
        return f"duration.inDays(datetime('2009-01-01T00:00:00Z'), {a}).days", f"date_sub('day', TIMESTAMP '2009-01-01', {b})"

    def int_of_words(self, _depth):
        a, b = self.text(0)
        return f"size(split({a}, ' '))", f"len(string_split({b}, ' '))"

    def int_coalesced(self, _depth):
        (a, b), (c, d), (e, f) = self.bool(0), self.int(0), self.int(0)
        return f"coalesce(CASE WHEN {a} THEN {c} END, {e}, 0)", f"coalesce(CASE WHEN {b} THEN {d} END, {f}, 0)"

    def int_of_list(self, _depth):
        a, b = self.property("list")
        return f"size({a})", f"len({b})"

    def float(self, depth=2):
        a, b = self.int(depth - 1 if depth else 0)
        return self.pick([(f"({a} * 0.5)", f"({b} * 0.5::DOUBLE)"), (f"sqrt({a})", f"sqrt({b})"),
                          (f"({a} / 4.0)", f"({b} / 4.0::DOUBLE)"), (f"log({a} + 1.0)", f"ln({b} + 1.0)")])

    def text(self, depth=2):
        if not self.has("text"):
            a, b = self.int(max(depth - 1, 0))
            return f"toString({a})", f"CAST({b} AS VARCHAR)"
        if not depth:
            return self.property("text")
        a, b = self.text(depth - 1)
        n, word = self.pick([1, 2, 3, 5]), self.pick(WORDS)
        i, j = self.int(depth - 1)
        c, d = self.bool(depth - 1)
        e, f = self.property("text")
        return self.pick([
            (a, b), (a, b), (f"toUpper({a})", f"upper({b})"), (f"toLower({a})", f"lower({b})"), (f"left({a}, {n})", f"left({b}, {n})"),
            (f"right({a}, {n})", f"right({b}, {n})"), (f"substring({a}, {n}, 4)", f"substring({b}, {n} + 1, 4)"),
            (f"replace({a}, '{word}', '-')", f"replace({b}, '{word}', '-')"), (f"trim({a})", f"trim({b})"),
            (f"coalesce(split({a}, ' ')[1], '')", f"split_part({b}, ' ', 2)"), (f"split({a}, ' ')[0]", f"split_part({b}, ' ', 1)"), (f"toString({i})", f"CAST({j} AS VARCHAR)"),
            (f"CASE WHEN {c} THEN {a} ELSE '{word}' END", f"CASE WHEN {d} THEN {b} ELSE '{word}' END"),
            (f"left({a}, 10) + '/' + left({e}, 2)", f"left({b}, 10) || '/' || left({f}, 2)"),
        ])

    def date(self, _depth=2):
        if self.has("date") and self.random.random() < 0.4:
            a, b = self.property("date")
        elif self.has("instant"):
            a, b = self.property("instant")
            a, b = f"date({a})", f"CAST({b} AS DATE)"
        else:
            a, b = self.property("date")
        unit = self.pick(["month", "year", "week", None, None])
        if unit:
            return f"date.truncate('{unit}', {a})", f"CAST(date_trunc('{unit}', {b}) AS DATE)"
        return a, b

    def bool(self, depth=2):
        forms = [self.bool_int, self.bool_int]
        if self.has("text"):
            forms += [self.bool_text] * 2
        if self.has("instant"):
            forms.append(self.bool_instant)
        if self.has("list"):
            forms.append(self.bool_list)
        if depth:
            forms += [self.bool_both, self.bool_both, self.bool_not]
        return self.pick(forms)(depth)

    def bool_int(self, depth):
        a, b = self.int(max(depth - 1, 0))
        n = self.pick([0, 1, 5, 20, 100])
        return self.pick([(f"{a} {o} {n}", f"{b} {o} {n}") for o in ("<", ">", "<>", "=", ">=")] +
                         [(f"{a} IN [1, 4, 9, {n}]", f"{b} IN (1, 4, 9, {n})")])

    def bool_text(self, depth):
        (a, b), word = self.text(max(depth - 1, 0)), self.pick(WORDS)
        c, d = self.property("text")
        return self.pick([
            (f"{a} CONTAINS '{word}'", f"contains({b}, '{word}')"), (f"{a} STARTS WITH '{word}'", f"starts_with({b}, '{word}')"),
            (f"{a} ENDS WITH '{word}'", f"ends_with({b}, '{word}')"), (f"{a} < '{word}'", f"{b} < '{word}'"),
            (f"{a} = {c}", f"{b} = {d}"), (f"{a} IS NOT NULL", f"{b} IS NOT NULL"),
            (f"{a} IN ['Chrome', 'Firefox', 'male', '{word}']", f"{b} IN ('Chrome', 'Firefox', 'male', '{word}')")])

    def bool_instant(self, _depth):
        a, b = self.property("instant")
        day = f"201{self.pick('0123')}-0{self.pick('123456789')}-15T12:00:00"
        return self.pick([(f"{a} {o} datetime('{day}Z')", f"{b} {o} TIMESTAMP '{day}'") for o in ("<", ">=")])

    def bool_list(self, _depth):
        a, b = self.property("list")
        return self.pick([(f"'en' IN {a}", f"list_contains({b}, 'en')"), (f"size({a}) > 2", f"len({b}) > 2"),
                          (f"any(x IN {a} WHERE x CONTAINS 'e')", f"len(list_filter({b}, lambda x: contains(x, 'e'))) > 0")])

    def bool_both(self, depth):
        (a, b), (c, d), word = self.bool(depth - 1), self.bool(depth - 1), self.pick(["AND", "OR"])
        return f"({a} {word} {c})", f"({b} {word} {d})"

    def bool_not(self, depth):
        a, b = self.bool(depth - 1)
        return f"NOT ({a})", f"NOT ({b})"

    def aggregate(self):
        (i, j), (t, u), (x, y) = self.int(1), self.any(1, ("int", "text", "date")), self.float(1)
        c, d = self.bool(1)
        return self.pick([
            ("count(*)", "count(*)"), ("count(*)", "count(*)"), (f"sum({i})", f"coalesce(sum({j}), 0)"), (f"avg({i})", f"avg({j})"),
            (f"min({t})", f"min({u})"), (f"max({t})", f"max({u})"), (f"count(DISTINCT {t})", f"count(DISTINCT {u})"),
            (f"sum({x})", f"coalesce(sum({y}), 0)"), (f"count({t})", f"count({u})"),
            (f"sum(CASE WHEN {c} THEN 1 ELSE 0 END)", f"coalesce(sum(CASE WHEN {d} THEN 1 ELSE 0 END), 0)"),
            (f"stDev({i})", f"coalesce(stddev_samp({j}), 0)"), (f"percentileCont({i}, 0.9)", f"quantile_cont({j}, 0.9)"),
            (f"size(collect({i}))", f"count({j})"), (f"size(collect(DISTINCT {t}))", f"count(DISTINCT {u})"),
            (f"max(size(toString({i})))", f"max(length(CAST({j} AS VARCHAR)))"), (f"avg({x})", f"avg({y})"),
        ])


def where(draw, chance=0.5):
    if draw.random.random() > chance:
        return "", ""
    a, b = draw.bool(2)
    return f" WHERE {a}", f" WHERE {b}"


def named(pairs, prefix):
    """Columns in both languages: `x AS k0, …`, and the names."""
    names = [f"{prefix}{i}" for i in range(len(pairs))]
    return (", ".join(f"{a} AS {n}" for (a, _), n in zip(pairs, names)),
            ", ".join(f"{b} AS {n}" for (_, b), n in zip(pairs, names)), names)


def counted(draw):
    a, b = where(draw, 1)
    return f"MATCH {draw.source.pattern}{a} RETURN count(*) AS n", f"SELECT count(*) FROM {draw.source.joins}{b}"


def whole(draw):
    (a, b), (c, d, _) = where(draw, 0.3), named([draw.aggregate() for _ in range(draw.pick([1, 2, 3]))], "a")
    return f"MATCH {draw.source.pattern}{a} RETURN {c}", f"SELECT {d} FROM {draw.source.joins}{b}"


def grouped(draw):
    (a, b), keys = where(draw, 0.4), [draw.any(2) for _ in range(draw.pick([1, 1, 2, 3]))]
    (k, l, names), (c, d, found) = named(keys, "k"), named([draw.aggregate() for _ in range(draw.pick([1, 2, 3]))], "a")
    order = ", ".join([f"{found[0]} DESC", *names])
    in_sql = ", ".join([f"{found[0]} DESC NULLS FIRST", *names])
    return (f"MATCH {draw.source.pattern}{a} RETURN {k}, {c} ORDER BY {order} LIMIT 20",
            f"SELECT {l}, {d} FROM {draw.source.joins}{b} GROUP BY {', '.join(names)} ORDER BY {in_sql} LIMIT 20")


def grouped_twice(draw):
    (a, b), keys = where(draw, 0.3), [draw.any(2) for _ in range(draw.pick([1, 2]))]
    (k, l, names), (i, j) = named(keys, "k"), draw.aggregate()
    return (f"MATCH {draw.source.pattern}{a} WITH {k}, {i} AS a RETURN count(*) AS n, min(a) AS low, max(a) AS high, count(DISTINCT a) AS d",
            f"SELECT count(*), min(a), max(a), count(DISTINCT a) FROM (SELECT {l}, {j} AS a FROM {draw.source.joins}{b}"
            f" GROUP BY {', '.join(names)})")


def different(draw):
    (a, b), (k, l, _) = where(draw, 0.4), named([draw.any(2) for _ in range(draw.pick([1, 2, 3]))], "k")
    return (f"MATCH {draw.source.pattern}{a} WITH DISTINCT {k} RETURN count(*) AS n",
            f"SELECT count(*) FROM (SELECT DISTINCT {l} FROM {draw.source.joins}{b})")


def first_rows(draw):
    (a, b), (k, l, names) = where(draw, 0.4), named([draw.any(2) for _ in range(draw.pick([1, 2, 3]))], "k")
    down = draw.pick(["", " DESC"])
    ids = [f"{v}.id" for v, kind in draw.source.kinds.items() if "id" in PROPERTIES[kind].get("int", [])]
    order = f"{names[0]}{down}, {', '.join(ids)}"
    in_sql = f"{names[0]}{down}{' NULLS FIRST' if down else ''}, {', '.join(ids)}"
    rest = ", ".join(f"{i} AS i{n}" for n, i in enumerate(ids))
    limit = draw.pick([5, 100])
    return (f"MATCH {draw.source.pattern}{a} RETURN {k}, {rest} ORDER BY {order} LIMIT {limit}",
            f"SELECT {l}, {rest} FROM {draw.source.joins}{b} ORDER BY {in_sql} LIMIT {limit}")


def computed(draw):
    (a, b), (i, j) = where(draw, 0.2), draw.any(2)
    return (f"MATCH {draw.source.pattern}{a} WITH {i} AS e RETURN count(e) AS n, min(e) AS low, max(e) AS high",
            f"SELECT count(e), min(e), max(e) FROM (SELECT {j} AS e FROM {draw.source.joins}{b})")


def step(draw):
    """A step from one of the variables in both languages, and the variable; None where there is none."""
    able = [v for v, kind in draw.source.kinds.items() if kind in STEPS]
    if not able:
        return None
    variable = draw.pick(able)
    pattern, table = draw.pick(STEPS[draw.source.kinds[variable]])
    condition = draw.pick(["", "", " WHERE s.length > 50"]) if "(s:" in pattern else ""
    return (pattern.format(v=variable) + condition, table.format(v=variable) + condition.replace("WHERE", "AND"), variable)


def existing(draw):
    (a, b), found, no = where(draw, 0.5), step(draw), draw.pick(["", "NOT "])
    if not found:
        return counted(draw)
    both = f"{a} AND" if a else " WHERE", f"{b} AND" if b else " WHERE"
    (k, l, _), (c, d), by = named([draw.any(1)], "k"), draw.aggregate(), draw.random.random() < 0.5
    return (f"MATCH {draw.source.pattern}{both[0]} {no}EXISTS {{ MATCH {found[0]} }} RETURN " + (f"{k}, {c} AS a" if by else f"{c} AS a"),
            f"SELECT {l + ', ' if by else ''}{d} FROM {draw.source.joins}{both[1]} {no}EXISTS (SELECT 1 FROM {found[1]})" + (" GROUP BY k0" if by else ""))


def counted_steps(draw):
    (a, b), found = where(draw, 0.3), step(draw)
    if not found:
        return grouped(draw)
    count, in_sql = f"COUNT {{ MATCH {found[0]} }}", f"(SELECT count(*) FROM {found[1]})"
    form = draw.pick(["sum", "keys", "most"])
    if form == "sum":
        return (f"MATCH {draw.source.pattern}{a} RETURN sum({count}) AS s, max({count}) AS m",
                f"SELECT coalesce(sum(c), 0), max(c) FROM (SELECT {in_sql} AS c FROM {draw.source.joins}{b})")
    if form == "keys":
        return (f"MATCH {draw.source.pattern}{a} RETURN {count} AS c, count(*) AS n",
                f"SELECT {in_sql} AS c, count(*) FROM {draw.source.joins}{b} GROUP BY c")
    ids = [f"{v}.id" for v, kind in draw.source.kinds.items() if "id" in PROPERTIES[kind].get("int", [])]
    shown = ", ".join(f"{i} AS i{n}" for n, i in enumerate(ids))
    return (f"MATCH {draw.source.pattern}{a} RETURN {shown}, {count} AS c ORDER BY c DESC, {', '.join(ids)} LIMIT 10",
            f"SELECT {shown}, {in_sql} AS c FROM {draw.source.joins}{b} ORDER BY c DESC, {', '.join(ids)} LIMIT 10")


def optional(draw):
    (a, b), found = where(draw, 0.3), step(draw)
    if not found or "(s:" not in found[0]:
        return existing(draw)
    (k, l, _), (table, condition) = named([draw.any(1)], "k"), found[1].split(" WHERE ", 1)
    return (f"MATCH {draw.source.pattern}{a} OPTIONAL MATCH {found[0]} RETURN {k}, count(*) AS n, count(s) AS c, max(s.length) AS m",
            f"SELECT {l}, count(*), count(s.id), max(s.length) FROM {draw.source.joins} LEFT JOIN {table} ON {condition}{b} GROUP BY k0")


def joined_by_value(draw):
    (a, b), (k, l) = where(draw, 0.7), draw.text(1)
    return (f"MATCH {draw.source.pattern}{a} WITH {k} AS key, count(*) AS many MATCH (z:Person) WHERE z.firstName = key OR z.lastName = key"
            " RETURN count(*) AS rows, sum(many) AS s, min(z.id) AS least",
            f"SELECT count(*), coalesce(sum(many), 0), min(z.id) FROM (SELECT {l} AS key, count(*) AS many FROM {draw.source.joins}{b} GROUP BY key)"
            " JOIN Person z ON z.firstName = key OR z.lastName = key")


def joined_to_itself(draw):
    (a, b), (c, d), (k, l) = where(draw, 1), where(draw, 1), draw.any(1, ("text", "date", "int"))
    return (f"MATCH {draw.source.pattern}{a} WITH {k} AS key, count(*) AS many MATCH {draw.source.pattern}{c} WITH key, many, {k} AS other"
            " WHERE key = other RETURN count(*) AS rows, sum(many) AS s",
            f"SELECT count(*), coalesce(sum(many), 0) FROM (SELECT {l} AS key, count(*) AS many FROM {draw.source.joins}{b} GROUP BY key)"
            f" JOIN (SELECT {l} AS other FROM {draw.source.joins}{d}) ON key = other")


def then_expanded(draw):
    (a, b), found, (i, j) = where(draw, 0.5), step(draw), draw.int(1)
    if not found:
        return first_rows(draw)
    pattern, table, v = found
    table, condition = table.split(" WHERE ", 1)
    return (f"MATCH {draw.source.pattern}{a} WITH {v}, count(*) AS many, max({i}) AS most ORDER BY most DESC, {v}.id LIMIT 50"
            f" MATCH {pattern} RETURN count(*) AS rows, sum(many) AS s",
            f"SELECT count(*), coalesce(sum(many), 0) FROM (SELECT {v}.id AS id, count(*) AS many, max({j}) AS most FROM {draw.source.joins}{b}"
            f" GROUP BY {v}.id ORDER BY most DESC NULLS FIRST, {v}.id LIMIT 50) {v} JOIN {table} ON {condition}")


def united(draw):
    (a, b), (c, d) = where(draw, 0.5), where(draw, 0.5)
    (k, l), (m, n) = draw.text(1), draw.text(1)
    all_ = draw.pick([" ALL", ""])
    return (f"CALL () {{ MATCH {draw.source.pattern}{a} RETURN {k} AS k UNION{all_} MATCH {draw.source.pattern}{c} RETURN {m} AS k }} RETURN count(*) AS n, min(k) AS m",
            f"SELECT count(*), min(k) FROM (SELECT {l} AS k FROM {draw.source.joins}{b} UNION{all_} SELECT {n} AS k FROM {draw.source.joins}{d})")


def paged(draw):
    (a, b), (k, l, names) = where(draw, 0.4), named([draw.any(1) for _ in range(draw.pick([1, 2]))], "k")
    ids = [f"{v}.id" for v, kind in draw.source.kinds.items() if "id" in PROPERTIES[kind].get("int", [])]
    rest, skip = ", ".join(f"{i} AS i{n}" for n, i in enumerate(ids)), draw.pick([10, 1000, 20000])
    return (f"MATCH {draw.source.pattern}{a} RETURN {k}, {rest} ORDER BY {', '.join(names + ids)} SKIP {skip} LIMIT 10",
            f"SELECT {l}, {rest} FROM {draw.source.joins}{b} ORDER BY {', '.join(names + ids)} LIMIT 10 OFFSET {skip}")


SHAPES = [counted, whole, whole, grouped, grouped, grouped_twice, different, first_rows, computed, existing, counted_steps,
          optional, then_expanded, united, paged, joined_by_value, joined_to_itself]


def queries(seed, count):
    """So many queries of a seed; each is the same whatever the number."""
    for number in range(count):
        of = random.Random(f"{seed}/{number}")
        shape = of.choice(SHAPES)
        cypher, sql = shape(Draw(f"{seed}/{number}/x", of.choice(SOURCES)))
        yield Query(f"{shape.__name__}/{seed}-{number}", cypher, sql, LEFT_OUT)
