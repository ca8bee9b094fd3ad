"""Random openCypher beside models of it in Python: expressions over values of all types, what becomes of rows that are sorted,
told apart, grouped and joined by such values, dates, times and durations, and statements of several clauses that write.

An expression is asked of literals, of parameters, of maps that `UNWIND` gives row by row, and of properties. What static types
refuse before a run is not asked for. Tables are asked as rows of a parameter and as properties, merged and not. After each statement that writes, the whole graph is what the model has.

`CYPHER_SEEDS=from..to` widens the run; every failure prints its seed and its query.
"""

import functools
import os
import random

import expression_model as model
import pytest
import temporal_model
import trimorph
import writing_model

SEEDS = range(*(int(n) for n in os.environ.get("CYPHER_SEEDS", "0..4").split("..")))
EXPRESSIONS, TABLES, MOMENTS, GRAPHS = 350, 20, 900, 12


@pytest.fixture(scope="module")
def connection():
    with trimorph.Database(threads=1).connect() as connection:
        yield connection


def answer(connection, query, parameters=None):
    """The rows, or what went wrong: (phase, text)."""
    try:
        return [list(row) for row in connection.execute(query, parameters or {})]
    except trimorph.Error as error:
        return getattr(error, "phase", None), str(error).splitlines()[0]


def expression(r, connection):
    """An expression of some depth in all forms: (query, parameters) each, and its value, `Wrong` if it has none."""
    making = model.Expressions(r)
    text, value = making.expression(r.randint(1, 4))
    try:
        wanted = value({})
    except model.Wrong:
        wanted = model.Wrong
    values = dict(enumerate(making.values))
    row = {f"p{i}": value for i, value in values.items()}
    forms = [
        ("RETURN " + model.written(text, lambda i: model.literal(values[i])), {}),
        ("RETURN " + model.written(text, lambda i: f"$p{i}"), row),
        ("UNWIND $rows AS row RETURN " + model.written(text, lambda i: f"row.p{i}"), {"rows": [row, row]}),
    ]
    if all(map(model.is_storable, making.values)) and r.random() < 0.5:
        connection.execute("MATCH (n) DELETE n").fetchall()
        connection.execute("UNWIND [1, 2] AS i CREATE (n:N) SET n = $row", {"row": row}).fetchall()
        forms.append(("MATCH (n:N) RETURN " + model.written(text, lambda i: f"n.p{i}"), {}))
    return forms, wanted


@pytest.mark.parametrize("seed", SEEDS)
def test_expressions(connection, seed):
    r, asked = random.Random(f"expressions {seed}"), 0
    for _ in range(EXPRESSIONS):
        try:
            forms, wanted = expression(r, connection)
        except model.Unknown:
            continue
        for query, parameters in forms:
            found = answer(connection, query, parameters)
            # What is not looked at may be wrong: then there is a value.
            if wanted is model.Wrong or (isinstance(found, tuple) and found[0] == "compile"):
                continue
            # A literal of a wrong type, where nothing asks for its value, is refused as well.
            if isinstance(found, tuple) and query is forms[0][0] and "an element of a LIST is accessed by" in found[1]:
                continue
            asked += 1
            assert isinstance(found, list) and all(model.identical(row[0], wanted) for row in found), \
                f"seed {seed}\n{query}\n{parameters}\n  is     {found}\n  should be {wanted}"
    assert asked > EXPRESSIONS


def distinct(values):
    found = []
    for value in values:
        if not any(model.alike(value, other) for other in found):
            found.append(value)
    return found


def same_rows(found, wanted):
    """In any order; values that are alike are the same."""
    wanted = list(wanted)
    for row in found if isinstance(found, list) else [None]:
        place = next((i for i, other in enumerate(wanted) if model.alike(row, other)), None)
        if place is None:
            return False
        wanted.pop(place)
    return not wanted


def orders(values, row):
    """What is asked of the order of values, `row` being where they come from; answers are places and values."""
    key = functools.cmp_to_key(model.ordered)
    try:
        ascending = sorted(range(len(values)), key=lambda i: (key(values[i]), i))
        descending = sorted(range(len(values)), key=lambda i: key(values[i]), reverse=True)
    except model.Unknown:
        return
    yield f"{row} RETURN r.i AS i ORDER BY r.v, i", [[i] for i in ascending]
    yield f"{row} RETURN r.i AS i ORDER BY r.v DESC, i", [[i] for i in descending]
    yield f"{row} RETURN r.i AS i ORDER BY r.v DESC, i LIMIT 3", [[i] for i in descending[:3]]
    yield f"{row} WITH r.i AS i, r.v AS v ORDER BY v, i SKIP 2 RETURN i", [[i] for i in ascending[2:]]


def groups(keys, values, row):
    """What is asked of rows that are told apart; in any order."""
    rows = list(zip(keys, values, strict=True))
    known = [value for value in values if value is not None]
    yield f"{row} RETURN DISTINCT r.v AS v", [[value] for value in distinct(values)]
    yield f"{row} RETURN count(DISTINCT r.v), size(collect(DISTINCT r.v)), count(r.v), count(*)", [[len(distinct(known))] * 2 + [len(known), len(values)]]
    yield f"{row} RETURN r.k, r.v, count(*)", [[*pair, sum(model.alike(list(other), pair) for other in rows)] for pair in distinct(list(map(list, rows)))]
    of = [[value for key, value in rows if model.alike(key, group)] for group in distinct(keys)]
    has = [[value for value in values if value is not None] for values in of]
    yield f"{row} RETURN r.k, count(*), count(r.v), count(DISTINCT r.v)", \
        [[group, len(a), len(b), len(distinct(b))] for group, a, b in zip(distinct(keys), of, has, strict=True)]
    try:
        key = functools.cmp_to_key(model.ordered)
        yield f"{row} RETURN min(r.v), max(r.v)", [[min(known, key=key, default=None), max(known, key=key, default=None)]]
    except model.Unknown:
        pass


def conditions(r, keys, values, row, other):
    """How many rows, or pairs of rows, meet conditions; `other` gives the rows once more, with keys as `o.k`."""
    one = r.choice(values + keys + [1, 1.0])
    for symbol in ("=", "<>", "<", "<=", ">", ">="):
        held = [model.related(symbol, value, one) for value in values]
        yield f"{row} WITH r WHERE r.v {symbol} $one RETURN count(*)", held.count(True), one
        yield f"{row} WITH r WHERE NOT r.v {symbol} $one RETURN count(*)", held.count(False), one
        pairs = [model.related(symbol, value, key) for value in values for key in keys]
        yield f"{row} {other} WITH r, o WHERE r.v {symbol} o.k RETURN count(*)", pairs.count(True), one
    held = [model.contains(keys, value) for value in values]
    yield f"{row} WITH r WHERE r.v IN $keys RETURN count(*)", held.count(True), one
    yield f"{row} WITH r WHERE NOT r.v IN $keys RETURN count(*)", held.count(False), one


@pytest.mark.parametrize("seed", SEEDS)
def test_tables(connection, seed):
    r = random.Random(f"tables {seed}")
    for _ in range(TABLES):
        of = r.choice([None, "number", "string", "list", "int", "map", "bool"])
        values = [None if r.random() < 0.1 else model.some_value(r, of) for _ in range(r.randint(1, 8))]
        keys = [model.some_value(r, None, 1) if r.random() < 0.5 else r.choice([1, 1.0, None, float("nan"), 0.0, -0.0, [1], [1.0], [None]]) for _ in values]
        rows = [{"i": i, "k": key, "v": value} for i, (key, value) in enumerate(zip(keys, values, strict=True))]
        states = [("UNWIND $rows AS r", "UNWIND $rows AS o")]
        if all(map(model.is_storable, values + keys)):
            connection.execute("MATCH (n) DELETE n").fetchall()
            connection.execute("UNWIND $rows AS r CREATE (n:N {i: r.i, k: r.k, v: r.v})", {"rows": rows}).fetchall()
            states += [("MATCH (r:N)", "MATCH (o:N)")] * 2
        for merged, (row, other) in enumerate(states):
            if merged == 2:
                connection.execute("CHECKPOINT").fetchall()
            given = {"rows": rows, "keys": keys}
            about = f"seed {seed}, state {merged}, rows {rows}\n"
            for query, wanted in orders(values, row):
                found = answer(connection, query, given)
                assert found == wanted, f"{about}{query}\n  is     {found}\n  should be {wanted}"
            for query, wanted in groups(keys, values, row):
                found = answer(connection, query, given)
                assert same_rows(found, wanted), f"{about}{query}\n  is     {found}\n  should be {wanted}"
            for query, wanted, one in conditions(r, keys, values, row, other):
                found = answer(connection, query, {**given, "one": one})
                assert found == [[wanted]], f"{about}{query} one: {one}\n  is     {found}\n  should be {wanted}"


@pytest.mark.parametrize("seed", SEEDS)
def test_dates_times_and_durations(connection, seed):
    r = random.Random(f"moments {seed}")
    for _ in range(MOMENTS):
        text, wanted = temporal_model.question(r)
        found = answer(connection, f"RETURN {text}")
        assert found == [[wanted]], f"seed {seed}\nRETURN {text}\n  is     {found}\n  should be {wanted}"


@pytest.mark.parametrize("seed", SEEDS)
def test_columns_of_moments(connection, seed):
    """Properties are read many at a time, as they lie in the delta, in a column of one type, and beside values of others."""
    r = random.Random(f"columns {seed}")
    for kind in ("date", "localtime", "time", "localdatetime", "datetime"):
        moments = [temporal_model.some_moment(r, [kind]) for _ in range(40)]
        connection.execute("MATCH (n) DELETE n").fetchall()
        connection.execute(f"UNWIND $rows AS row CREATE (:M {{i: row.i, m: {kind}(row.text)}})", {"rows": [{"i": i, "text": m.text()} for i, m in enumerate(moments)]}).fetchall()
        for state in ("delta", "merged", "mixed"):
            if state == "merged":
                connection.execute("CHECKPOINT").fetchall()
            if state == "mixed":
                connection.execute("CREATE (:M {i: -1, m: 1}), (:M {i: -2})").fetchall()
                connection.execute("CHECKPOINT").fetchall()
            asked = 0
            while asked < 12:
                try:
                    text, wanted = temporal_model.column_question(r, kind, moments)
                except (temporal_model.Unknown, OverflowError):
                    continue
                asked += 1
                query = f"MATCH (n:M) WHERE n.i >= 0 WITH n ORDER BY n.i RETURN {text}"
                found = answer(connection, query)
                assert found == [[value] for value in wanted], f"seed {seed}, {state}\n{query}\n  is     {found}\n  should be {wanted}"


def content(connection):
    """Everything in the graph but ids, as `writing_model.Graph.content` has it."""

    def text(node):
        return f"{sorted(node.labels)} {sorted(dict(node.properties).items())}"

    nodes = [text(node) for (node,) in connection.execute("MATCH (n) RETURN n")]
    edges = [f"{text(a)} {r.type} {sorted(dict(r.properties).items())} {text(b)}" for a, r, b in connection.execute("MATCH (a)-[r]->(b) RETURN a, r, b")]
    return sorted(nodes), sorted(edges)


@pytest.mark.parametrize("seed", SEEDS)
def test_statements_that_write(seed):
    r = random.Random(f"writing {seed}")
    for _ in range(GRAPHS):
        graph = writing_model.Graph()
        done = [writing_model.beginning(r, graph)]
        with trimorph.Database(threads=1).connect() as connection:
            connection.execute(done[0]).fetchall()
            for _ in range(8):
                statement, refused = writing_model.Statement(r, graph.copy()), None
                try:
                    text = statement.make(r.randint(1, 7))
                except writing_model.Refused as why:
                    text, refused = " ".join(statement.clauses) + " RETURN count(*)", str(why)
                if r.random() < 0.15:
                    done.append("CHECKPOINT")
                    connection.execute("CHECKPOINT").fetchall()
                about = f"seed {seed}\n" + "\n".join(done) + f"\n>> {text}"
                done.append(text)
                try:
                    found = connection.execute(text).fetchall()[0][0]
                except trimorph.Error as error:
                    assert refused in ("*", error.detail), f"{about}\n  {error}"
                else:
                    assert refused is None and found == len(statement.rows), f"{about}\n  gives {found}, not {refused or len(statement.rows)}"
                    graph = statement.graph
                assert content(connection) == graph.content(), about
