"""The benchmark's snapshot: loading, and the speed that the bindings promise."""

import time

import pytest
import trimorph


def test_load(snapshot, tmp_path):
    states = []
    with trimorph.Database(tmp_path / "snb", threads=2) as database:
        report = database.load(snapshot, format="ldbc-snb", rejects=tmp_path / "rejects.csv", progress=states.append)
        assert (report.nodes, report.relationships, report.rejected) == (370785, 1788424, 0)
        assert report.format == "ldbc-snb"
        assert sum(rows for _, _, rows in report.files) == report.rows
        assert states
    with trimorph.connect(tmp_path / "snb", read_only=True) as conn:
        assert conn.execute("MATCH (n) RETURN count(n)").fetchone() == (370785,)


def test_values(snb):
    row = snb.connect().execute("MATCH (p:Person {id: 14}) RETURN p.firstName, p.birthday, p.creationDate, p.language").fetchone()
    assert [type(v).__name__ for v in row] == ["str", "date", "datetime", "list"]


def test_points_are_cheap(snb):
    """Promised: below 50 µs, which `bench/run.py latency` measures. Here a look-up must not be a scan, on however slow a machine."""
    conn = snb.connect()
    ids = [i for (i,) in conn.execute("MATCH (p:Person) RETURN p.id")]
    prepared = conn.prepare("MATCH (p:Person {id: $id}) RETURN p.firstName, p.lastName")
    best = float("inf")
    for _ in range(5):
        # What it takes of a core, whoever else wants it.
        start = time.process_time()
        for i in ids:
            prepared.execute({"id": i}).fetchone()
        best = min(best, (time.process_time() - start) / len(ids))
    print(f"{best * 1e6:.1f} µs per prepared point look-up")
    assert best < 5e-3


def test_bulk(snb):
    pytest.importorskip("pyarrow")
    conn = snb.connect()
    start = time.perf_counter()
    rows = conn.execute("MATCH (m:Comment) RETURN m.id, m.content, m.creationDate, m.length LIMIT 100000").fetchall()
    middle = time.perf_counter()
    table = conn.execute("MATCH (a:Person)-[:KNOWS]-(b)-[:KNOWS]-(c) RETURN a.id, b.id, c.id LIMIT 300000").arrow()
    end = time.perf_counter()
    print(f"fetchall of {len(rows)} rows {(middle - start) * 1e3:.0f} ms, arrow of {table.num_rows} rows {(end - middle) * 1e3:.0f} ms")
    assert len(rows) == 100000
    assert table.num_rows == 300000
