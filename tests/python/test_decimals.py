"""Columns of decimals: what is computed of them is what Python's decimal module computes, kept in one scale or not."""

import decimal
import random
import statistics

import pytest
import trimorph

D = decimal.Decimal
decimal.getcontext().prec = 60

# Of one scale with trailing zeros; of several; too long for 64 bits; whole numbers.
KINDS = {
    "prices": lambda r: D(r.randrange(-10**6, 10**6)) / 100,
    "scales": lambda r: D(r.randrange(-10**9, 10**9)).scaleb(-r.randrange(0, 9)),
    "long": lambda r: D(r.randrange(-10**25, 10**25)).scaleb(-r.randrange(0, 9)),
    "whole": lambda r: D(r.randrange(-50, 50)),
}


def rows_of(kind, count=3_000):
    r = random.Random(kind)
    return [None if r.random() < 0.1 else KINDS[kind](r) for _ in range(count)]


@pytest.fixture(params=KINDS, scope="module")
def loaded(request, tmp_path_factory):
    """A database with the numbers in a loaded column, and the numbers by group."""
    folder = tmp_path_factory.mktemp(request.param)
    numbers = rows_of(request.param)
    lines = [f"{i},{i % 7},{'' if x is None else format(x, 'f')},{i / 8}" for i, x in enumerate(numbers)]
    (folder / "items.csv").write_text("id,g,x,f\n" + "\n".join(lines) + "\n")
    mapping = '{"nodes": [{"file": "items.csv", "labels": ["Item"], "key": "id", "columns": {"id": "int", "g": "int", "x": "decimal", "f": "float"}}]}'
    (folder / "map.json").write_text(mapping)
    database = trimorph.Database(str(folder / "db"))
    database.load(str(folder / "map.json"))
    database.checkpoint()
    database.close()
    database = trimorph.Database(str(folder / "db"))
    yield database.connect(), numbers
    database.close()


def test_values_come_back(loaded):
    conn, numbers = loaded
    assert [x for (x,) in conn.execute("MATCH (i:Item) RETURN i.x ORDER BY i.id")] == numbers


def test_aggregates(loaded):
    conn, numbers = loaded
    groups = {}
    for i, x in enumerate(numbers):
        groups.setdefault(i % 7, []).append(x)
    text = "MATCH (i:Item) RETURN i.g, sum(i.x), min(i.x), max(i.x), count(DISTINCT i.x), count(i.x) ORDER BY i.g"
    for (g, total, least, most, different, count) in conn.execute(text):
        there = [x for x in groups[g] if x is not None]
        assert (total, least, most, different, count) == (sum(there), min(there), max(there), len(set(there)), len(there))
    (mean, deviation, median), = conn.execute("MATCH (i:Item) RETURN avg(i.x), stDev(i.x), percentileCont(i.x, 0.5)")
    there = [x for x in numbers if x is not None]
    assert float(mean) == pytest.approx(float(sum(there) / len(there)))
    assert deviation == pytest.approx(statistics.stdev(map(float, there)))
    assert median == pytest.approx(statistics.median(map(float, there)))


def test_comparisons_keys_and_order(loaded):
    conn, numbers = loaded
    there = sorted((x, i) for i, x in enumerate(numbers) if x is not None)
    for bound in (D("0"), there[len(there) // 3][0], D("12.34"), 7, 1.5):
        found = conn.execute("MATCH (i:Item) WHERE i.x > $b RETURN count(*)", {"b": bound}).fetchone()[0]
        assert found == sum(x > D(bound) for x, _ in there)
    assert conn.execute("MATCH (i:Item) WHERE i.x IS NOT NULL RETURN i.x, i.id ORDER BY i.x, i.id").fetchall() == there
    keys = conn.execute("MATCH (i:Item) RETURN i.x AS x, count(*) AS n").fetchall()
    assert dict(keys) == {x: numbers.count(x) for x in set(numbers)}
    pairs = conn.execute("MATCH (i:Item), (j:Item) WHERE i.x = j.x RETURN count(*)").fetchone()[0]
    assert pairs == sum(numbers.count(x) ** 2 for x in {x for x, _ in there})


def test_arithmetic(loaded):
    conn, numbers = loaded
    text = "MATCH (i:Item) RETURN i.x, i.id, i.f, i.x + i.id, i.x - 1, i.x * 3, i.x * i.f, -i.x, toFloat(i.x), abs(i.x) ORDER BY i.id"
    for (x, n, f, plus, minus, times, scaled, negated, number, size) in conn.execute(text):
        if x is None:
            assert (plus, minus, times, scaled, negated, number, size) == (None,) * 7
            continue
        assert (plus, minus, times, negated, size) == (x + n, x - 1, x * 3, -x, abs(x))
        assert scaled == pytest.approx(float(x) * f) and number == float(x)


def test_values_that_are_written_mix_with_loaded_ones(loaded):
    conn, _ = loaded
    with conn.transaction() as tx:
        tx.execute("MATCH (i:Item) WHERE i.id < 20 SET i.x = $x", {"x": D("0.125")})
        tx.execute("MATCH (i:Item) WHERE i.id = 20 SET i.x = 'text'")
        tx.execute("MATCH (i:Item) WHERE i.id = 21 SET i.x = 3")
        found = tx.execute("MATCH (i:Item) WHERE i.id < 22 RETURN i.x, count(*) AS n ORDER BY n DESC").fetchall()
        assert found[0] == (D("0.125"), 20) and sorted(map(str, (x for x, _ in found[1:]))) == ["3", "text"]
        tx.rollback()
