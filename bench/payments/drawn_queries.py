"""Questions of several clauses over the payments network that nobody thought of: drawn from a seed, each in our language and in SQL.

A question is a pattern of up to two relationships in any direction, conditions on its nodes and relationships, mostly, what exists beside
it, sometimes, an optional relationship, sometimes, and what is asked of the rows: totals, groups, the first of them, the different ones.
Where a question is slow, its cause is mended; the seed says how to see it again.
"""

import random

from everyday.query import Query

# type: from, to
TYPES = {"TRANSFER": ("Account", "Account"), "USED": ("Account", "Device"), "OWNS": ("Account", "Company")}
# label: the steps from a node, where TRANSFER is drawn most
STEPS = {
    "Account": [("TRANSFER", ">"), ("TRANSFER", ">"), ("TRANSFER", "<"), ("TRANSFER", "-"), ("USED", ">"), ("OWNS", ">")],
    "Device": [("USED", "<")],
    "Company": [("OWNS", "<")],
}
BOTH_WAYS = (
    "(SELECT rowid rid, * FROM TRANSFER UNION ALL "
    "SELECT rowid, target, source, * EXCLUDE (source, target) FROM TRANSFER WHERE source <> target)"
)


def same(text):
    return text, text


# Conditions, keys and values: `{x}` is the node or relationship, `{q}` a number. A pair is openCypher and SQL.
CONDITIONS = {
    "TRANSFER": [
        same("{x}.amount > {q}"), same("{x}.amount < {q} / 5"), same("{x}.fee IS NULL"), same("{x}.fee > {q} / 100.0"),
        same("{x}.currency = 'CHF'"), same("{x}.currency <> 'EUR'"), ("{x}.channel IN [2, 4]", "{x}.channel IN (2, 4)"),
        same("{x}.flagged"), ("{x}.memo CONTAINS 'rent'", "contains({x}.memo, 'rent')"), same("{x}.memo IS NOT NULL"),
        ("{x}.memo ENDS WITH '7'", "ends_with({x}.memo, '7')"),
        ("{x}.booked >= localdatetime('2024-06-01T00:00:00') AND {x}.booked < localdatetime('2024-06-08T00:00:00')",
         "{x}.booked >= TIMESTAMP '2024-06-01' AND {x}.booked < TIMESTAMP '2024-06-08'"),
        ("{x}.booked.hour < 4", "hour({x}.booked) < 4"), ("{x}.booked.month = 3", "month({x}.booked) = 3"),
        same("{x}.amount > 20 * {x}.fee"), same("({x}.amount > {q} OR {x}.flagged)"), same("coalesce({x}.fee, 0) > {q} / 200.0"),
        ("toLower({x}.memo) STARTS WITH 'sal'", "starts_with(lower({x}.memo), 'sal')"),
    ],
    "OWNS": [
        same("{x}.share > 0.9"), ("{x}.since < date('2010-01-01')", "{x}.since < DATE '2010-01-01'"),
        ("{x}.since.year = 2015", "year({x}.since) = 2015"),
    ],
    "USED": [
        same("{x}.last IS NULL"),
        ("{x}.first < datetime('2023-03-01T00:00:00Z')", "{x}.first < TIMESTAMPTZ '2023-03-01 00:00:00+00'"),
        ("{x}.first + duration('P30D') > {x}.last", "{x}.first + INTERVAL 30 DAY > {x}.last"),
    ],
    "Account": [
        same("{x}.country = 'KY'"), ("{x}.country IN ['PA', 'CY', 'LU', 'DE']", "{x}.country IN ('PA', 'CY', 'LU', 'DE')"),
        same("{x}.balance > 2000"), same("{x}.balance < 0"), same("{x}.risk > 0.5"), same("{x}.isBusiness"), same("NOT {x}.isBusiness"),
        ("{x}.opened >= date('2022-06-01')", "{x}.opened >= DATE '2022-06-01'"), ("'pep' IN {x}.tags", "list_contains({x}.tags, 'pep')"),
        same("{x}.credit IS NULL"), ("size({x}.tags) > 1", "len({x}.tags) > 1"), ("{x}.email ENDS WITH '.fr'", "ends_with({x}.email, '.fr')"),
        ("{x}.name STARTS WITH 'B'", "starts_with({x}.name, 'B')"), same("{x}.credit > {x}.balance"),
    ],
    "Company": [
        same("{x}.country = 'CH'"), same("{x}.listed"), same("{x}.employees > 1000"),
        ("{x}.name CONTAINS 'Foods'", "contains({x}.name, 'Foods')"),
    ],
    "Device": [same("{x}.kind = 'phone'"), same("{x}.trust < 0.1"), ("{x}.ip STARTS WITH '10'", "starts_with({x}.ip, '10')")],
}
KEYS = {
    "TRANSFER": [
        same("{x}.currency"), same("{x}.channel"), ("{x}.booked.month", "month({x}.booked)"), ("{x}.booked.hour", "hour({x}.booked)"),
        ("date.truncate('week', {x}.booked)", "CAST(date_trunc('week', {x}.booked) AS DATE)"), same("{x}.memo"), same("{x}.flagged"),
        same("left({x}.memo, 3)"),
    ],
    "OWNS": [("{x}.since.year", "year({x}.since)")],
    "USED": [("{x}.first.year", "year({x}.first)")],
    "Account": [
        same("{x}.country"), same("{x}.isBusiness"), same("{x}.id"), ("{x}.opened.year", "year({x}.opened)"),
        ("size({x}.tags)", "len({x}.tags)"), same("{x}.name"), ("toInteger({x}.risk * 10)", "CAST(trunc({x}.risk * 10) AS BIGINT)"),
        ("split({x}.email, '@')[1]", "split_part({x}.email, '@', 2)"),
        same("CASE WHEN {x}.balance < 0 THEN 'minus' WHEN {x}.balance < 1000 THEN 'small' ELSE 'large' END"),
    ],
    "Company": [same("{x}.country"), same("{x}.listed"), same("{x}.name"), same("{x}.id")],
    "Device": [same("{x}.kind"), same("{x}.id"), ("split({x}.ip, '.')[0]", "split_part({x}.ip, '.', 1)")],
}
NUMBERS = {
    "Account": ["balance", "risk", "credit"], "Company": ["revenue", "employees"], "Device": ["trust"],
    "TRANSFER": ["amount", "fee"], "OWNS": ["share"], "USED": [],
}
OTHERS = {
    "Account": ["opened", "name", "country"], "Company": ["name"], "Device": ["ip", "kind"],
    "TRANSFER": ["booked", "memo", "currency"], "OWNS": ["since"], "USED": ["first", "last"],
}


class Question:
    """One being drawn: the pattern so far, and the same as joins."""

    def __init__(self, draw):
        self.draw, self.count = draw, 0
        label = draw.choice(["Account"] * 5 + ["Device", "Company"])
        self.pattern, self.tables, self.joins = f"(a:{label})", [f"{label} a"], []
        # Variable and label or type; conditions; the numbers of rows of relationships, by type.
        self.things, self.conditions, self.rows = [("a", label)], [], {}

    def nodes(self):
        return [thing for thing in self.things if thing[1] not in TYPES]

    def of(self, table, thing):
        """One of a table of pairs, about a thing."""
        name, kind = thing
        number = self.draw.choice([5, 50, 500, 2000, 10000])
        return tuple(text.format(x=name, q=number) for text in self.draw.choice(table[kind]))

    def step(self, node):
        """A step from a node: its pattern, its table, the joins of its near and its far end, and what it reaches."""
        name, label = node
        kind, direction = self.draw.choice(STEPS[label])
        self.count += 2
        edge, far = f"r{self.count - 1}", f"n{self.count}"
        source, target = TYPES[kind]
        reached = source if direction == "<" else target
        near_end, far_end = ("target", "source") if direction == "<" else ("source", "target")
        arrow = {">": "-[{}]->({})", "<": "<-[{}]-({})", "-": "-[{}]-({})"}[direction].format(f"{edge}:{kind}", f"{far}:{reached}")
        table = f"{BOTH_WAYS if direction == '-' else kind} {edge}"
        row = f"{edge}.{'rid' if direction == '-' else 'rowid'}"
        return arrow, table, (f"{edge}.{near_end} = {name}.id", f"{edge}.{far_end} = {far}.id"), (edge, kind), (far, reached), row

    def follow(self, node):
        arrow, table, ends, edge, far, row = self.step(node)
        self.pattern += arrow
        self.tables += [table, f"{far[1]} {far[0]}"]
        self.joins += [*ends, *(f"{row} <> {other}" for other in self.rows.get(edge[1], []))]
        self.rows.setdefault(edge[1], []).append(row)
        self.things += [edge, far]
        return edge, far

    def beside(self, node):
        """What exists beside a node, or not, or so often."""
        arrow, table, ends, edge, far, _ = self.step(node)
        asked, tables, joins = [], [table], [ends[0]]
        if self.draw.random() < 0.6:
            asked.append(self.of(CONDITIONS, edge))
        if self.draw.random() < 0.4:
            asked.append(self.of(CONDITIONS, far))
            tables.append(f"{far[1]} {far[0]}")
            joins.append(ends[1])
        where = " WHERE " + " AND ".join(cypher for cypher, _ in asked) if asked else ""
        rows = f"FROM {', '.join(tables)} WHERE {' AND '.join(joins + [f'({sql})' for _, sql in asked])}"
        braces = f"{{ ({node[0]}){arrow}{where} }}"
        kind, times = self.draw.choice(["EXISTS", "NOT EXISTS", ">", "="]), self.draw.choice([1, 3, 10])
        if kind.endswith("EXISTS"):
            return f"{kind} {braces}", f"{kind} (SELECT 1 {rows})"
        return f"COUNT {braces} {kind} {times}", f"(SELECT count(*) {rows}) {kind} {times}"

    def aggregate(self):
        name, kind = self.draw.choice(self.things)
        found = [same("count(*)")]
        for number in NUMBERS[kind]:
            x = f"{name}.{number}"
            found += [same(f"min({x})"), same(f"max({x})"), same(f"round(avg({x}), 4)"), same(f"round(sum({x}), 2)"), same(f"count({x})")]
            found += [(f"round(stDev({x}), 3)", f"round(stddev_samp({x}), 3)")]
            found += [(f"round(percentileCont({x}, 0.9), 4)", f"round(quantile_cont({x}, 0.9), 4)")]
        for other in OTHERS[kind]:
            found += [same(f"{how}{name}.{other})") for how in ("min(", "max(", "count(DISTINCT ")]
        if kind not in TYPES:
            found += [(text, f"count(DISTINCT {name}.id)") for text in (f"count(DISTINCT {name})", f"size(collect(DISTINCT {name}))")]
        if kind == "TRANSFER":
            found += [same(f"sum(CASE WHEN {name}.flagged THEN 1 ELSE 0 END)"), same(f"count(CASE WHEN {name}.amount > 1000 THEN 1 END)")]
        return self.draw.choice(found)

    def optional(self, rows):
        """An optional step: the clause, the joined rows, and what is asked of it."""
        node = self.draw.choice(self.nodes())
        arrow, table, ends, edge, far, _ = self.step(node)
        asked = self.of(CONDITIONS, edge) if self.draw.random() < 0.6 else None
        near_end = ends[0].split(" = ")[0].split(".")[1]
        far_end = "target" if near_end == "source" else "source"
        clause = f" OPTIONAL MATCH ({node[0]}){arrow}" + (f" WHERE {asked[0]}" if asked else "")
        e = edge[0]
        there = f"(SELECT {e}.source AS source, {e}.target AS target FROM {table}" + (f" WHERE {asked[1]}" if asked else "") + f") {e}o"
        names = ", ".join(f"{name} AS {name}" for name, _ in self.things)
        joined = f"FROM (SELECT {names} {rows}) base LEFT JOIN {there} ON {e}o.{near_end} = base.{node[0]}.id"
        pairs = [(f"count({e})", f"count({e}o.source)"), (f"count(DISTINCT {far[0]})", f"count(DISTINCT {e}o.{far_end})")]
        return clause, joined, self.draw.choice(pairs)


def question(draw):
    """A question in openCypher and in SQL."""
    asked = Question(draw)
    here, steps = asked.things[0], draw.choice([0, 1, 1, 1, 2, 2])
    for _ in range(steps):
        edge, here = asked.follow(here)
        if draw.random() < (0.85 if steps == 2 else 0.5):
            asked.conditions.append(asked.of(CONDITIONS, edge))
    for node in asked.nodes():
        if draw.random() < (0.5 if steps == 2 else 0.35):
            asked.conditions.append(asked.of(CONDITIONS, node))
    # Paths of which most are there are more than anybody waits for.
    if steps == 2 and len(asked.conditions) < 2:
        asked.conditions.append(asked.of(CONDITIONS, asked.things[0]))
    if draw.random() < 0.4:
        asked.conditions.append(asked.beside(draw.choice(asked.nodes())))
    match = f"MATCH {asked.pattern}"
    if asked.conditions:
        match += " WHERE " + " AND ".join(cypher for cypher, _ in asked.conditions)
    where = asked.joins + [f"({sql})" for _, sql in asked.conditions]
    rows = f"FROM {', '.join(asked.tables)}" + (f" WHERE {' AND '.join(where)}" if where else "")
    aggregates = [asked.aggregate() for _ in range(draw.choice([1, 1, 2, 3]))]
    if draw.random() < 0.25:
        clause, rows, more = asked.optional(rows)
        match += clause
        aggregates.append(more)
    ours = ", ".join(f"{cypher} AS x{i}" for i, (cypher, _) in enumerate(aggregates))
    theirs = ", ".join(f"{sql} AS x{i}" for i, (_, sql) in enumerate(aggregates))
    keys = [asked.of(KEYS, draw.choice(asked.things)) for _ in range(2)]
    (k, sql_k), (l, sql_l) = keys
    node = draw.choice(asked.nodes())[0]
    return draw.choice([
        lambda: (f"{match} RETURN {ours}", f"SELECT {theirs} {rows}"),
        lambda: (f"{match} RETURN {k} AS k, {ours}", f"SELECT {sql_k} AS k, {theirs} {rows} GROUP BY 1"),
        lambda: (f"{match} RETURN {k} AS k, {l} AS l, {ours}", f"SELECT {sql_k} AS k, {sql_l} AS l, {theirs} {rows} GROUP BY 1, 2"),
        lambda: (f"{match} RETURN {k} AS k, {ours} ORDER BY x0 DESC, k LIMIT 15",
                 f"SELECT {sql_k} AS k, {theirs} {rows} GROUP BY 1 ORDER BY x0 DESC NULLS FIRST, k NULLS LAST LIMIT 15"),
        lambda: (f"{match} WITH {k} AS k, count(*) AS n, {ours} WHERE n > 5 RETURN count(*) AS c, min(n) AS a, max(n) AS b",
                 f"SELECT count(*), min(n), max(n) FROM (SELECT {sql_k} AS k, count(*) n, {theirs} {rows} GROUP BY 1 HAVING count(*) > 5)"),
        lambda: (f"{match} WITH {node}, count(*) AS n RETURN n, count(*) AS c ORDER BY n LIMIT 30",
                 f"SELECT n, count(*) c FROM (SELECT {node}.id, count(*) n {rows} GROUP BY 1) GROUP BY 1 ORDER BY n LIMIT 30"),
        lambda: (f"{match} RETURN DISTINCT {k} AS k, {l} AS l ORDER BY k, l LIMIT 25",
                 f"SELECT DISTINCT {sql_k} AS k, {sql_l} AS l {rows} ORDER BY k NULLS LAST, l NULLS LAST LIMIT 25"),
    ])()


def queries(seed, count):
    """So many questions of a seed."""
    draw = random.Random(seed)
    return [Query(f"drawn/{seed}-{number}", *question(draw), None) for number in range(1, count + 1)]
