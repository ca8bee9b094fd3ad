"""Procedures that a test registers (`test_procedures=True`)."""

import pytest
import trimorph

SIGNATURE = {"name": "city.of", "ins": [["name", "STRING?"], ["id", "INTEGER?"]], "outs": [["city", "STRING?"], ["code", "FLOAT?"]],
             "rows": [["Ann", 1, "Oslo", 47], ["Ann", 1, "Bergen", 47.5], [None, None, "nowhere", None]]}  # fmt: skip
REGISTER = "CALL tck.register($name, $ins, $outs, $rows)"


@pytest.fixture
def procedures():
    with trimorph.connect(threads=2, test_procedures=True) as conn:
        yield conn


def test_rows(procedures):
    registered = procedures.execute(REGISTER, SIGNATURE)
    assert (registered.columns, registered.fetchall()) == ([], [])
    result = procedures.execute("CALL city.of('Ann', 1)")
    assert result.columns == ["city", "code"]
    assert result.fetchall() == [("Oslo", 47.0), ("Bergen", 47.5)]
    assert procedures.execute("CALL city.of", {"name": None, "id": None}).fetchall() == [("nowhere", None)]
    query = "UNWIND ['Ann', 'Bob'] AS who CALL city.of(who, 1) YIELD city AS c WHERE c STARTS WITH 'B' RETURN who, c"
    assert procedures.execute(query).fetchall() == [("Ann", "Bergen")]
    table = pytest.importorskip("pyarrow") and procedures.execute("CALL city.of('Ann', 1)").arrow()
    assert table.column("code").to_pylist() == [47.0, 47.5]


def test_registrations_change(procedures):
    procedures.execute(REGISTER, SIGNATURE)
    prepared = procedures.prepare("CALL city.of('Ann', 1) YIELD code")
    assert prepared.execute().fetchall() == [(47.0,), (47.5,)]
    procedures.execute(REGISTER, {**SIGNATURE, "rows": [["Ann", 1, "Lund", 46]]})
    assert prepared.execute().fetchall() == [(46.0,)]
    procedures.execute("CALL tck.unregister('city.of')")
    with pytest.raises(trimorph.QueryError) as raised:
        prepared.execute()
    assert (raised.value.kind, raised.value.detail) == ("ProcedureError", "ProcedureNotFound")


@pytest.mark.parametrize(
    ("change", "kind", "detail"),
    [
        ({"name": 1}, "TypeError", "InvalidArgumentType"),
        ({"name": None}, "TypeError", "InvalidArgumentType"),
        ({"name": "x" * 100_000_000}, "ArgumentError", "InvalidArgumentValue"),
        ({"ins": "name"}, "TypeError", "InvalidArgumentType"),
        ({"ins": [["name"]]}, "ArgumentError", "InvalidArgumentValue"),
        ({"ins": [["name", 7]]}, "ArgumentError", "InvalidArgumentValue"),
        ({"outs": [["a", "LIST<" * 100_000]]}, "ArgumentError", "InvalidArgumentValue"),
        ({"outs": [[f"c{i}", "ANY?"] for i in range(100_000)]}, "ArgumentError", "InvalidArgumentValue"),
        ({"rows": [["Ann", 1, "Oslo"]]}, "ArgumentError", "InvalidArgumentValue"),
        ({"rows": [[1, 1, "Oslo", 1.0]]}, "ArgumentError", "InvalidArgumentValue"),
        ({"rows": list(range(1_000_000))}, "ArgumentError", "InvalidArgumentValue"),
    ],
)
def test_what_describes_no_procedure(procedures, change, kind, detail):
    with pytest.raises(trimorph.QueryError) as raised:
        procedures.execute(REGISTER, {**SIGNATURE, **change})
    assert (raised.value.kind, raised.value.phase, raised.value.detail) == (kind, "runtime", detail)
    assert len(str(raised.value)) < 5000


def test_without_the_switch(conn):
    for text in (REGISTER, "CALL tck.unregister($name)"):
        with pytest.raises(trimorph.QueryError) as raised:
            conn.execute(text, SIGNATURE)
        assert (raised.value.kind, raised.value.phase, raised.value.detail) == ("ProcedureError", "compile", "ProcedureNotFound")
