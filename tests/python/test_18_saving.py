"""Files out by COPY, and files in of all kinds."""

import gzip
import json
import os
import signal
import threading
import time

import pytest

import trimorph

pa = pytest.importorskip("pyarrow")
import pyarrow.csv  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402


@pytest.fixture
def db():
    db = trimorph.Database()
    conn = db.connect()
    conn.execute(
        "UNWIND range(1, 3) AS i CREATE (p:Person {id: i, name: 'n' + i, born: date('2000-01-01') + duration({days: i}), "
        "tags: ['a', 'b'], score: CASE i WHEN 3 THEN 2.5 ELSE i END})"
    )
    conn.execute("MATCH (a:Person {id: 1}), (b:Person {id: 2}) CREATE (a)-[:KNOWS {since: 3}]->(b)")
    return db


def test_parquet_has_types(db, tmp_path):
    conn = db.connect()
    out = tmp_path / "p.parquet"
    query = "MATCH (p:Person) RETURN p.id AS id, p.name AS name, p.born AS born, p.tags AS tags, p.score AS score ORDER BY id"
    result = conn.execute(f"COPY ({query}) TO $file", {"file": str(out)})
    assert [list(row) for row in result] == [[str(out), 3]]
    table = pq.read_table(out)
    assert [str(field.type) for field in table.schema] == ["int64", "string", "date32[day]", "list<item: string>", "double"]
    assert table.column("score").to_pylist() == [1.0, 2.0, 2.5]
    conn.execute(f"COPY (MATCH (p:Person) WHERE p.id > 99 RETURN p.id AS id) TO '{out}' (COMPRESSION snappy)")
    assert pq.read_table(out).num_rows == 0
    for codec in ["none", "snappy", "gzip", "lz4", "zstd"]:
        conn.execute(f"COPY Person TO '{out}' (CODEC {codec}, ROW_GROUP_SIZE 2)")
        assert pq.ParquetFile(out).num_row_groups == 2
        again = trimorph.Database()
        mapping = tmp_path / "m.json"
        mapping.write_text(json.dumps({"nodes": [{"file": "p.parquet", "labels": ["P"], "key": "id"}]}))
        again.load(mapping)
        assert again.connect().execute("MATCH (p:P) RETURN sum(p.score)").fetchone()[0] == 5.5


def test_a_type_that_changes_late_is_found(db, tmp_path):
    conn = db.connect()
    out = tmp_path / "p.parquet"
    conn.execute(f"COPY (UNWIND range(1, 200000) AS i RETURN CASE WHEN i < 150000 THEN i ELSE i + 0.5 END AS x) TO '{out}'")
    column = pq.read_table(out).column("x")
    assert str(column.type) == "double" and column[149_999].as_py() == 150_000.5
    conn.execute(f"COPY (UNWIND range(1, 200000) AS i RETURN CASE WHEN i < 150000 THEN i ELSE 'x' END AS x) TO '{out}'")
    assert str(pq.read_table(out).column("x").type) == "string"


def test_every_text_format_is_read_back(db, tmp_path):
    conn = db.connect()
    for name, compressed in [("p.csv", open), ("p.csv.gz", gzip.open), ("p.jsonl", open), ("p.jsonl.zst", None), ("p.json.bz2", None)]:
        out = tmp_path / name
        conn.execute(f"COPY (MATCH (p:Person) RETURN p.id AS id, p.name AS name, p.born AS born ORDER BY id) TO '{out}'")
        if compressed:
            assert "n1" in compressed(out, "rt").read()
        mapping = tmp_path / "m.json"
        mapping.write_text(json.dumps({"nodes": [{"file": name, "labels": ["P"], "key": "id"}]}))
        again = trimorph.Database()
        again.load(mapping)
        rows = again.connect().execute("MATCH (p:P) RETURN p.id, p.name, p.born ORDER BY p.id").fetchall()
        assert str(rows[0][2]) == "2000-01-02" and len(rows) == 3, name


def test_nested_json_and_renaming(tmp_path):
    people = tmp_path / "people.jsonl"
    people.write_text(
        '{"id": 1, "name": "Ann", "home": {"city": "Rome"}, "tags": ["x", "y"], "kind": "Student;Old"}\n'
        '{"id": 2, "name": null, "kind": null}\n'
    )
    mapping = tmp_path / "map.json"
    entry = {"file": "people.jsonl", "labels": ["Person"], "label_column": "kind", "key": "id", "columns": {"home.city": {"name": "city"}}}
    mapping.write_text(json.dumps({"nodes": [entry]}))
    db = trimorph.Database()
    report = db.load(tmp_path)
    assert report.nodes == 2
    rows = db.connect().execute("MATCH (p:Person) RETURN p.id, p.city, p.tags, labels(p) ORDER BY p.id").fetchall()
    assert list(rows[0]) == [1, "Rome", ["x", "y"], ["Person", "Student", "Old"]] or set(rows[0][3]) == {"Person", "Student", "Old"}
    assert list(rows[1])[:3] == [2, None, None]
    people.write_text('{"id": 1, "age": 3}\n{"id": 2, "age": "three"}\n{"id": 3, "age": 5}\n')
    mapping.write_text(json.dumps({"nodes": [{"file": "people.jsonl", "labels": ["P"], "key": "id", "columns": {"age": "int"}}]}))
    with pytest.raises(trimorph.LoadError, match=r'people.jsonl:2: column "age": "three" is not a valid INTEGER'):
        trimorph.Database().load(mapping)
    rejects = tmp_path / "bad.csv"
    assert trimorph.Database().load(mapping, skip_bad_rows=True, rejects=rejects).rejected == 1
    assert rejects.read_text().splitlines()[1].endswith('"{""id"": 2, ""age"": ""three""}"')
    # And a directory with it is loaded all the same.
    assert trimorph.Database().load(tmp_path, skip_bad_rows=True).nodes == 2


def test_errors_name_what_to_do(db, tmp_path):
    conn = db.connect()
    with pytest.raises(trimorph.QueryError, match="did you mean FORMAT"):
        conn.execute(f"COPY Person TO '{tmp_path}/x.csv' (FORMT csv)")
    with pytest.raises(trimorph.QueryError, match="may not write"):
        conn.execute(f"COPY (CREATE (n:X) RETURN n) TO '{tmp_path}/x.csv'")
    assert conn.execute("MATCH (n:X) RETURN count(n)").fetchone()[0] == 0
    with pytest.raises(trimorph.LoadError, match="could not create file"):
        conn.execute(f"COPY Person TO '{tmp_path}/none/x.csv'")
    closed = trimorph.Database(file_access=False).connect()
    with pytest.raises(trimorph.QueryError, match="file access forbidden"):
        closed.execute(f"COPY (RETURN 1 AS x) TO '{tmp_path}/x.csv'")
    assert os.listdir(tmp_path) == []


def test_ctrl_c_leaves_nothing(db, tmp_path):
    conn = db.connect()
    old = tmp_path / "x.csv"
    old.write_text("old")
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        conn.execute(f"COPY (UNWIND range(1, 1000000000) AS i RETURN i) TO '{old}'")
    assert time.monotonic() - start < 60
    assert os.listdir(tmp_path) == ["x.csv"] and old.read_text() == "old"


def test_a_directory_of_plain_files_needs_no_mapping(tmp_path):
    (tmp_path / "customers.csv").write_text("id,name\n1,Ann\n2,Bob\n")
    (tmp_path / "orders.csv").write_text("id,customer_id\n10,1\n")
    db = trimorph.Database()
    report = db.load(tmp_path)
    assert (report.nodes, report.relationships, report.guessed) == (3, 1, str(tmp_path))
    assert db.connect().execute("MATCH (:Orders)-[:HAS_CUSTOMER]->(c) RETURN c.name").fetchall() == [("Ann",)]
    (tmp_path / "mapping.json").write_text(trimorph.guess_mapping(tmp_path))
    again = trimorph.Database().load(tmp_path)
    assert (again.nodes, again.relationships, again.guessed) == (3, 1, None)
    with pytest.raises(trimorph.LoadError, match="nowhere"):
        trimorph.guess_mapping(tmp_path / "nowhere")
