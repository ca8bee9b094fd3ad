"""DB-API 2.0: the module's attributes, cursors, and the libraries that read by them."""

import datetime as dt
import warnings

import pytest

import trimorph


@pytest.fixture
def people(conn):
    conn.execute("UNWIND [[1, 'Ann', 1.5], [2, 'Bob', null], [3, null, 2.5]] AS r CREATE (:P {id: r[0], name: r[1], x: r[2], d: date('2020-01-02')})")
    return conn


QUERY = "MATCH (p:P) RETURN p.id AS id, p.name AS name, p.x AS x, p.d AS day ORDER BY id"


def test_module():
    assert (trimorph.apilevel, trimorph.threadsafety, trimorph.paramstyle) == ("2.0", 1, "qmark")
    assert trimorph.STRING == str and trimorph.NUMBER == int and trimorph.NUMBER != str and trimorph.DATETIME == dt.date
    assert trimorph.Binary(b"x") == b"x" and trimorph.DateFromTicks(0).year in (1969, 1970)
    assert trimorph.Timestamp(2020, 1, 2) == dt.datetime(2020, 1, 2)


def test_errors_have_the_order_of_pep_249():
    below = {
        trimorph.Error: [trimorph.InterfaceError, trimorph.DatabaseError],
        trimorph.DatabaseError: [trimorph.DataError, trimorph.OperationalError, trimorph.IntegrityError, trimorph.InternalError, trimorph.ProgrammingError, trimorph.NotSupportedError, trimorph.LoadError],
        trimorph.QueryError: [trimorph.ProgrammingError, trimorph.DataError, trimorph.IntegrityError, trimorph.NotSupportedError],
        trimorph.OperationalError: [trimorph.StorageError, trimorph.MemoryLimitExceeded, trimorph.TransactionConflict, trimorph.Timeout],
    }
    for above, classes in below.items():
        for one in classes:
            assert issubclass(one, above), (one, above)
    assert issubclass(trimorph.Warning, Exception)


@pytest.mark.parametrize(
    ("text", "params", "kind"),
    [
        ("RETRN 1", None, trimorph.ProgrammingError),
        ("RETURN nope", None, trimorph.ProgrammingError),
        ("RETURN $x", None, trimorph.ProgrammingError),
        ("RETURN 1 / $x", {"x": 0}, trimorph.DataError),
        ("CREATE (:U {id: 1})", None, trimorph.IntegrityError),
    ],
)
def test_kinds(conn, text, params, kind):
    conn.execute("CREATE CONSTRAINT FOR (u:U) REQUIRE u.id IS UNIQUE")
    conn.execute("CREATE (:U {id: 1})")
    with pytest.raises(kind) as raised:
        conn.cursor().execute(text, params).fetchall()
    assert isinstance(raised.value, trimorph.QueryError) and raised.value.kind
    with pytest.raises(trimorph.NotSupportedError):
        conn.sql("SELECT 1")


def test_cursor(people):
    with people.cursor() as cursor:
        assert cursor.description is None and cursor.rowcount == -1 and cursor.connection is people
        with pytest.raises(trimorph.InterfaceError, match="no rows to fetch"):
            cursor.fetchone()
        assert cursor.execute(QUERY) is cursor
        assert [column[0] for column in cursor.description] == ["id", "name", "x", "day"]
        assert all(len(column) == 7 for column in cursor.description)
        assert cursor.fetchone() == (1, "Ann", 1.5, dt.date(2020, 1, 2))
        assert cursor.fetchmany() == [(2, "Bob", None, dt.date(2020, 1, 2))]
        assert cursor.fetchmany(5) == [(3, None, 2.5, dt.date(2020, 1, 2))]
        assert cursor.fetchone() is None and cursor.fetchall() == [] and cursor.fetchall() == []
        assert [row[0] for row in cursor.execute(QUERY)] == [1, 2, 3]
        cursor.execute("CREATE (:Q)")
        assert cursor.description is None
        cursor.setinputsizes([1]), cursor.setoutputsize(1)
    with pytest.raises(trimorph.InterfaceError, match="closed"):
        cursor.execute("RETURN 1")


def test_type_codes(conn):
    codes = conn.cursor().execute("RETURN 1 AS i, 1.5 AS f, 'a' AS s, true AS b, date('2020-01-01') AS d, [1] AS l").description
    assert [code[1] for code in codes][:5] == [int, float, str, bool, dt.date]
    assert codes[0][1] == trimorph.NUMBER and codes[2][1] == trimorph.STRING


def test_parameters(people):
    cursor = people.cursor()
    assert cursor.execute("MATCH (p:P) WHERE p.id = $id RETURN p.name", {"id": 2}).fetchall() == [("Bob",)]
    text = "MATCH (p:P) WHERE p.id > ? AND p.name <> '?' /* ? */ AND p.name <> \"\\\"?\" // ?\n RETURN p.id AS `?`, ? AS x"
    assert cursor.execute(text, (0, "y")).fetchall() == [(1, "y"), (2, "y")]
    assert cursor.description[0][0] == "?"
    for wrong in [(1,), (1, 2, 3)]:
        with pytest.raises(trimorph.ProgrammingError, match="has 2 places for parameters"):
            cursor.execute(text, wrong)
    with pytest.raises(trimorph.ProgrammingError, match="a dict for .name or a sequence"):
        cursor.execute("RETURN ?", "x")
    assert cursor.execute("RETURN 1", ()).fetchall() == [(1,)]
    assert people.cursor("sparql").execute("SELECT (1 AS ?x) {}").fetchall() == [(1,)]


def test_executemany_and_transactions(conn):
    cursor = conn.cursor()
    cursor.executemany("CREATE (:N {x: ?})", [(1,), (2,)])
    with pytest.raises(trimorph.QueryError):
        cursor.executemany("CREATE (:N {x: 1 / ?})", [(1,), (0,)])
    assert cursor.execute("MATCH (n:N) RETURN count(n)").fetchone() == (2,)
    conn.commit(), conn.rollback()  # nothing was begun, and nothing ends
    conn.begin()
    cursor.executemany("CREATE (:N {x: ?})", [(3,)])
    assert conn.in_transaction
    conn.rollback()
    assert cursor.execute("MATCH (n:N) RETURN count(n)").fetchone() == (2,)


def test_executemany_of_connections(conn):
    conn.executemany("CREATE (:N {x: $x})", ({"x": x} for x in range(3)))
    conn.executemany("CREATE (:N {x: ?})", [(3,), [4]])
    conn.executemany("CREATE (:N {x: $x})", [])
    assert not conn.in_transaction
    with pytest.raises(trimorph.QueryError, match="zero"):
        conn.executemany("CREATE (:N {x: 1 / $x})", [{"x": 1}, {"x": 0}])
    with pytest.raises(trimorph.QueryError, match='"\\$x"'):
        conn.executemany("CREATE (:N {x: $x})", [{"x": 5}, {}])
    for wrong in [{"x": 5}, "text", [5], ["text"]]:
        with pytest.raises(trimorph.ProgrammingError, match="parameters are a"):
            conn.executemany("CREATE (:N {x: $x})", wrong)
    with conn.transaction():
        conn.executemany("CREATE (:N {x: $x})", [{"x": 5}])
    conn.begin()
    conn.executemany("CREATE (:N {x: $x})", [{"x": 6}])
    conn.rollback()
    assert conn.execute("MATCH (n:N) RETURN collect(n.x) AS l").fetchall() == [([0, 1, 2, 3, 4, 5],)]


def test_without_cursors_ends_of_nothing_are_errors(conn):
    with pytest.raises(trimorph.Error):
        conn.commit()


def test_pandas_reads(people):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that this is not SQLAlchemy
        frame = pd.read_sql(QUERY, people)
        assert list(frame.columns) == ["id", "name", "x", "day"]
        assert [str(t) for t in frame.dtypes[["id", "x"]]] == ["int64", "float64"]
        assert list(frame.id) == [1, 2, 3] and frame.name[0] == "Ann" and frame.x.isna().tolist() == [False, True, False]
        assert pd.read_sql("MATCH (p:P) WHERE p.id = $id RETURN p.id AS id", people, params={"id": 3}).id.tolist() == [3]
        assert pd.read_sql("MATCH (p:P) WHERE p.id = ? RETURN p.id AS id", people, params=[3]).id.tolist() == [3]
        assert sum(len(chunk) for chunk in pd.read_sql(QUERY, people, chunksize=2)) == 3
        assert len(pd.read_sql("MATCH (p:P) WHERE false RETURN p.id AS id", people)) == 0
        with pytest.raises((pd.errors.DatabaseError, trimorph.ProgrammingError), match="SyntaxError"):
            pd.read_sql("MATCH (", people)


def test_polars_reads(people):
    pl = pytest.importorskip("polars", reason="polars is not installed")
    for connection in (people, people.cursor()):
        frame = pl.read_database(QUERY, connection)
        assert frame.columns == ["id", "name", "x", "day"]
        assert frame.dtypes == [pl.Int64, pl.String, pl.Float64, pl.Date]
        assert frame.rows() == people.execute(QUERY).fetchall()
    frame = pl.read_database("MATCH (p:P) WHERE p.id = $id RETURN p.id AS id", people, execute_options={"parameters": {"id": 3}})
    assert frame.rows() == [(3,)]
    assert pl.read_database("MATCH (p:P) WHERE false RETURN p.id AS id", people).shape == (0, 1)
