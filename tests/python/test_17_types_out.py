"""Types that results keep in Arrow, pandas, Polars and Parquet: durations, dates, nested lists, terms of RDF."""

import datetime as dt
import decimal
import pickle

import pytest

import trimorph

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("pandas", reason="pandas is not installed")
pl = pytest.importorskip("polars", reason="polars is not installed")

DURATIONS = [
    ("[duration('PT5S'), null, duration('P1DT-1S')]", pa.duration("ns"), [5, None, 86_399]),
    ("[duration('-PT1.5S'), duration('PT0.000000001S')]", pa.duration("ns"), [-1.5, 1e-9]),
    ("[duration('P200000D'), duration('PT0.000001S')]", pa.duration("us"), [200_000 * 86_400, 1e-6]),
    ("[duration('P2000000000D')]", pa.duration("ms"), [2_000_000_000 * 86_400]),
    ("[duration('P200000D'), duration('PT0.000000001S')]", pa.string(), ["P200000D", "PT0.000000001S"]),
    ("[duration('PT5S'), duration('P1M')]", pa.string(), ["PT5S", "P1M"]),
    ("[duration('PT5S'), 1]", pa.string(), ["PT5S", "1"]),
]


def seconds(array):
    unit = {"ns": 1_000_000_000, "us": 1_000_000, "ms": 1000}[array.type.unit]
    return [None if n is None else n / unit for n in array.cast(pa.int64()).to_pylist()]


@pytest.mark.parametrize(("values", "kind", "expected"), DURATIONS, ids=[d[0] for d in DURATIONS])
def test_durations(conn, values, kind, expected):
    text = f"UNWIND {values} AS d RETURN d, [d] AS l, {{d: d}} AS m"
    result = conn.execute(text)
    table = result.arrow()
    assert table.schema.types == [kind, pa.list_(pa.field("item", kind)), pa.struct([("d", kind)])]
    is_text = kind == pa.string()
    found = table["d"].to_pylist() if is_text else seconds(table["d"])
    assert found == expected
    assert bool([n for n in result.notices if n.detail == "ColumnAsText"]) == is_text
    frame = conn.execute(text).df()
    assert frame["d"].dtype.kind == ("m" if not is_text else frame["d"].dtype.kind)
    assert (conn.execute(text).pl().schema["d"] == pl.String) == is_text
    assert conn.execute(text).fetch_record_batch().read_all().schema == table.schema


def test_a_stream_of_durations_that_gets_months_says_so(conn):
    text = "UNWIND range(1, 5000) AS i RETURN CASE WHEN i = 4999 THEN duration('P1M') ELSE duration({seconds: i}) END AS d"
    assert conn.execute(text).arrow().schema.types == [pa.string()]
    with pytest.raises(trimorph.QueryError, match='column "d" began with DURATION in Arrow.s ns and goes on with DURATION as text'):
        conn.execute(text).fetch_record_batch().read_all()


def test_durations_of_no_rows_and_of_properties(conn):
    assert conn.execute("MATCH (n:None) RETURN duration(n.x) AS d").arrow().schema.types == [pa.duration("ns")]
    conn.execute("CREATE (:A {d: duration('PT1H')})")
    table = conn.execute("MATCH (a:A) RETURN a.d AS d, a").arrow()
    assert seconds(table["d"]) == [3600]
    assert table["a"].type.field("properties").type.field("d").type == pa.duration("ns")
    rows = conn.execute("MATCH (a:A) RETURN a.d").fetchall()
    assert rows == [(trimorph.Duration(seconds=3600),)]


def test_bytes_and_decimals_are_typed_within_others(conn, tmp_path):
    conn.execute("CREATE (:A {b: $b, n: $n, d: duration('P1M')})-[:R {b: $b}]->(:A)", {"b": b"\x00a", "n": decimal.Decimal("1.50")})
    text = "MATCH (a:A)-[r]->() RETURN a.b AS b, [a.b, null] AS l, {b: a.b} AS m, a, r"
    result = conn.execute(text)
    table = result.arrow()
    assert table.schema.types[:3] == [pa.binary(), pa.list_(pa.field("item", pa.binary())), pa.struct([("b", pa.binary())])]
    row = table.to_pylist()[0]
    assert (row["b"], row["l"], row["m"], row["r"]["properties"]) == (b"\x00a", [b"\x00a", None], {"b": b"\x00a"}, {"b": b"\x00a"})
    assert row["a"]["properties"] == {"b": b"\x00a", "n": decimal.Decimal("1.5"), "d": "P1M"}
    assert [n.detail for n in result.notices] == ["ColumnAsText"]
    assert conn.execute(text).df()["b"].tolist() == [b"\x00a"] == conn.execute(text).pl()["b"].to_list()
    conn.execute(f"COPY ({text}) TO '{tmp_path}/x.parquet'")
    assert pl.read_parquet(tmp_path / "x.parquet")["b"].to_list() == [b"\x00a"]
    assert conn.execute("UNWIND [$b, 'x'] AS v RETURN v", {"b": b"a"}).arrow()["v"].to_pylist() == ["0x61", "x"]


def test_columns_without_values_have_the_type_of_their_property(conn):
    conn.execute("CREATE (:A {i: 1, f: 1.5, s: 'x', d: date('2020-01-01'), t: datetime('2020-01-01T00:00Z'), b: true})-[:R {i: 1}]->(:B {m: 1}), (:C {m: 'x'})")
    kinds = [pa.int64(), pa.float64(), pa.string(), pa.date32(), pa.timestamp("ns", "UTC"), pa.bool_()]
    text = "MATCH (a:A) WHERE a.i > 7 WITH a, a.i AS i RETURN i, a.f AS f, a.s, a.d, a.t, a.b ORDER BY f"
    assert conn.execute(text).arrow().schema.types == kinds
    assert conn.execute(text).fetch_record_batch().schema.types == kinds
    assert [str(kind) for kind in conn.execute(text).df().dtypes[:2]] == ["int64", "float64"]
    grouped = conn.execute("MATCH (a:A) WHERE a.i > 7 RETURN a.s AS s, sum(a.i) AS sum, max(a.d) AS d, collect(a.f) AS f, count(*) AS n").arrow()
    assert grouped.schema.types == [pa.string(), pa.int64(), pa.date32(), pa.list_(pa.field("item", pa.string())), pa.int64()]
    # Nothing but nulls, and what is kept in several types.
    assert conn.execute("MATCH (b:B) RETURN b.i AS i, b.none AS n").arrow().schema.types == [pa.int64(), pa.string()]
    assert conn.execute("MATCH (n) WHERE n.i > 7 RETURN n.m AS m").arrow().schema.types == [pa.string()]


def test_frames_keep_digits_of_integers_beside_null(conn):
    text = "UNWIND [{i: 9007199254740993, b: true, s: 'x', f: 1.5}, {}] AS m RETURN m.i AS i, m.b AS b, m.s AS s, m.f AS f, [1] AS l"
    frame = conn.execute(text).df()
    assert (str(frame.i.dtype), frame.i[0]) == ("Int64", 9007199254740993)
    assert list(frame.columns) == ["i", "b", "s", "f", "l"]
    assert str(conn.execute("UNWIND [1, null] AS i RETURN i").df().i.dtype) == "float64"
    assert [str(kind) for kind in conn.execute(text).df(dtype_backend="numpy_nullable").dtypes[:4]] == ["Int64", "boolean", "string", "Float64"]
    assert [str(kind) for kind in conn.execute(text).df("pyarrow").dtypes[:2]] == ["int64[pyarrow]", "bool[pyarrow]"]
    with pytest.raises(ValueError, match='is "numpy_nullable" or "pyarrow", not \'arrow\''):
        conn.execute(text).df(dtype_backend="arrow")


def test_parquet_keeps_all(conn, tmp_path):
    import pyarrow.parquet

    text = """UNWIND [1, 2] AS i RETURN i, date('2020-01-02') AS d, duration({seconds: i}) AS s, [[i], []] AS l, localtime('12:00') AS t,
              datetime('2020-01-02T03:04:05Z') AS z, {a: i, b: [duration('PT1S')]} AS m"""
    table = conn.execute(text).arrow()
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "x.parquet").to_pylist() == table.to_pylist()
    frame = pl.read_parquet(tmp_path / "x.parquet")
    assert frame.schema["s"] == pl.Duration("ns") and frame.schema["l"] == pl.List(pl.List(pl.Int64)) and frame.schema["d"] == pl.Date


def test_frames_round_trip(conn):
    table = conn.execute("UNWIND [duration('PT1S'), null] AS d RETURN d, 1 AS id").arrow()
    conn.database.load(nodes={"R": table.select(["d"])})
    found = conn.execute("MATCH (r:R) RETURN r.d AS d, 1 AS id ORDER BY d").arrow()
    assert found.equals(table)
    assert conn.execute("UNWIND $rows AS row RETURN row.d", {"rows": table}).fetchall() == [(trimorph.Duration(seconds=1),), (None,)]


DATA = b"""@prefix e: <http://e/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
e:a e:int 30 ; e:dec 1.50 ; e:dbl 2.5e0 ; e:flt "1.5"^^xsd:float ; e:short "007"^^xsd:short ; e:bool "1"^^xsd:boolean ; e:str "x" ;
    e:date "1990-01-02"^^xsd:date ; e:at "2020-01-01T00:00:00Z"^^xsd:dateTime ; e:tag "x"@en ; e:bad "x"^^xsd:integer ; e:knows [ e:int 1 ] ."""

COLUMNS = {
    "dec": (pa.decimal128(38, 1), [decimal.Decimal("1.5")]),
    "dbl": (pa.float64(), [2.5]),
    "flt": (pa.float64(), [1.5]),
    "short": (pa.int64(), [7]),
    "bool": (pa.bool_(), [True]),
    "str": (pa.string(), ["x"]),
    "date": (pa.date32(), [dt.date(1990, 1, 2)]),
    "at": (pa.timestamp("ns", "UTC"), [dt.datetime(2020, 1, 1, tzinfo=dt.timezone.utc)]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_of_sparql_have_the_type_of_their_literals(conn, name):
    conn.load_rdf(data=DATA, format="turtle")
    kind, expected = COLUMNS[name]
    query = f"SELECT ?v {{ ?x <http://e/{name}> ?v }}"
    table = conn.sparql(query).arrow()
    assert (table.schema.types, table["v"].to_pylist()) == ([kind], expected)
    looked_at = conn.sparql(query)
    repr(looked_at)
    assert looked_at.arrow().equals(table)
    assert len(conn.sparql(query).df()) == len(conn.sparql(query).pl()) == 1


def test_terms_and_blank_nodes(conn):
    conn.load_rdf(data=DATA, format="turtle")
    ((dec, tag, bad),) = conn.sparql("SELECT ?d ?t ?b { ?x <http://e/dec> ?d ; <http://e/tag> ?t ; <http://e/bad> ?b }").fetchall()
    assert dec == trimorph.Literal("1.50", datatype="http://www.w3.org/2001/XMLSchema#decimal"), "rows have terms"
    assert tag == trimorph.Literal("x", language="en") and bad.lexical == "x"
    ((blank,),) = conn.sparql("SELECT ?b { <http://e/a> <http://e/knows> ?b }").fetchall()
    assert isinstance(blank, trimorph.BlankNode) and str(blank) == "_:" + blank.value
    assert eval(repr(blank)) == blank and hash(eval(repr(blank))) == hash(blank) and pickle.loads(pickle.dumps(blank)) == blank
    assert trimorph.BlankNode("_:x") == trimorph.BlankNode("x") != trimorph.BlankNode("y")
    for wrong in ("", "_:", "a b", "a>", "http://e/"):
        with pytest.raises(ValueError, match="label"):
            trimorph.BlankNode(wrong)
    assert conn.execute("RETURN $b", {"b": blank}).fetchone() == (blank,)


def test_statements_for_rdflib(conn):
    rdflib = pytest.importorskip("rdflib", reason="rdflib is not installed")
    conn.load_rdf(data=DATA, format="turtle")
    graph = conn.sparql("CONSTRUCT { ?a ?p ?b } { ?a ?p ?b }").rdflib()
    assert rdflib.compare.isomorphic(graph, rdflib.Graph().parse(data=DATA, format="turtle")) if hasattr(rdflib, "compare") else len(graph) == 13
    text = conn.sparql("CONSTRUCT { ?a <http://e/k> ?b } { ?a <http://e/knows> ?b }").serialize("ntriples").decode()
    assert text.startswith("<http://e/a> <http://e/k> _:") and text.endswith(" .\n")
    with pytest.raises(trimorph.InterfaceError, match="has solutions"):
        conn.sparql("SELECT ?x { ?x ?p ?o }").rdflib()
    assert len(conn.sparql("CONSTRUCT { ?a <http://e/k> ?b } { ?a <http://e/none> ?b }").rdflib()) == 0
