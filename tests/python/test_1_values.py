"""Values through parameters and results: the same out as in, or a refusal that says which parameter."""

import datetime as dt
import decimal
import math
import pickle
import zoneinfo

import pytest
import trimorph

UTC = dt.timezone.utc
EAST = dt.timezone(dt.timedelta(hours=5, minutes=45))

SAME = [
    None, True, False, 0, -1, 2**63 - 1, -(2**63), 0.0, -1.5, math.inf, "", "ä😀\0", b"", b"\x00\xff",
    [], [1, [2.0, ["x", None]]], {}, {"a": {"b": [True]}, "ü ": None},
    dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.time(0, 0), dt.time(23, 59, 59, 999999), dt.time(1, 2, tzinfo=UTC),
    dt.time(1, 2, 3, 4, tzinfo=EAST), dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999),
    dt.datetime(2015, 7, 21, 21, 40, 32, 142000, tzinfo=EAST), dt.datetime(1969, 12, 31, 23, 59, 59, 1, tzinfo=UTC),
    trimorph.Duration(14, 3, -5, 7), trimorph.Date(-44, 3, 15), trimorph.Date(12345, 1, 1),
    trimorph.LocalTime(1, 2, 3, 4), trimorph.Time(1, 2, 3, 4, -3600), trimorph.LocalDateTime(2015, 7, 21, 1, 2, 3, 4),
    trimorph.LocalDateTime(-1, 1, 1), trimorph.DateTime(2015, 7, 21, 1, 2, 3, 4, "+02:00"),
    trimorph.DateTime(2015, 7, 21, 1, 2, 3, 0, "Europe/Stockholm"), trimorph.DateTime(10000, 1, 1),
    decimal.Decimal("-1.5"), decimal.Decimal("99999999999999999999999999999999999999"), decimal.Decimal("0.1"), decimal.Decimal(7),
    trimorph.IRI("http://example.org/a"), trimorph.Literal("it's", language="en-GB"),
    trimorph.Literal("POINT(1 2)", datatype="http://example.org/wkt"),
]  # fmt: skip


@pytest.mark.parametrize("value", SAME, ids=repr)
def test_same_out_as_in(conn, value):
    (found,) = conn.execute("RETURN $x", {"x": value}).fetchone()
    assert found == value
    assert type(found) is type(value)
    if isinstance(value, (dt.datetime, dt.time)):
        assert found.utcoffset() == value.utcoffset()
    ((nested,),) = conn.execute("RETURN [$x]", {"x": value}).fetchone()
    assert nested == value


# `toString` takes no others.
SCALARS = [value for value in SAME if value is not None and not isinstance(value, (list, dict, bytes))]


@pytest.mark.parametrize("value", SCALARS, ids=repr)
def test_text_is_that_of_the_engine(conn, value):
    (text,) = conn.execute("RETURN toString($x)", {"x": value}).fetchone()
    assert trimorph.format_value(value) == text
    if type(value).__module__ == "trimorph":
        assert str(value) == text


def test_nan(conn):
    (found,) = conn.execute("RETURN $x", {"x": math.nan}).fetchone()
    assert math.isnan(found)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ((1, 2), [1, 2]),
        (bytearray(b"ab"), b"ab"),
        (memoryview(b"ab"), b"ab"),
        (dt.timedelta(days=-1, microseconds=5), trimorph.Duration(0, -1, 0, 5000)),
        (dt.datetime(2015, 7, 21, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")), trimorph.DateTime(2015, 7, 21, zone="Europe/Berlin")),
        (dt.datetime(2015, 10, 25, 2, 30, fold=1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")),
         trimorph.DateTime(2015, 10, 25, 2, 30, zone="Europe/Berlin", offset_seconds=3600)),
    ],
    ids=repr,
)  # fmt: skip
def test_taken_as(conn, value, found):
    assert conn.execute("RETURN $x", {"x": value}).fetchone() == (found,)


def test_numpy(conn):
    np = pytest.importorskip("numpy")
    values = [np.int8(-3), np.uint64(7), np.float32(0.5), np.bool_(True), np.str_("x"), np.array([[1, 2], [3, 4]]), np.array(["a"])]
    expected = [-3, 7, 0.5, True, "x", [[1, 2], [3, 4]], ["a"]]
    (found,) = conn.execute("RETURN $x", {"x": values}).fetchone()
    assert found == expected
    assert [type(v) for v in found] == [type(v) for v in expected]
    with pytest.raises(OverflowError, match='"x"'):
        conn.execute("RETURN $x", {"x": np.uint64(2**63)})


def test_pandas_timestamp_keeps_nanoseconds(conn):
    pd = pytest.importorskip("pandas")
    (found,) = conn.execute("RETURN $x", {"x": pd.Timestamp("2020-01-01T00:00:00.123456789")}).fetchone()
    assert str(found) == "2020-01-01T00:00:00.123456789"


def deep(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (object(), TypeError, "builtins.object|object"),
        ({1, object()}, TypeError, "object"),
        (decimal.Decimal("NaN"), OverflowError, "Decimal"),
        (decimal.Decimal("1e38"), OverflowError, "Decimal"),
        (decimal.Decimal("1e999999"), OverflowError, "Decimal"),
        (decimal.Decimal("1e-39"), OverflowError, "Decimal"),
        (1j, TypeError, "complex"),
        ({"a": [1, {"b": object()}]}, TypeError, r"x\.a\[1\]\.b"),
        ({1: 2}, TypeError, "keys of a map"),
        (2**63, OverflowError, "9223372036854775808"),
        ([0, -(10**100)], OverflowError, r"x\[1\]"),
        ("\ud800", ValueError, "surrogate"),
        (deep(200), ValueError, "nested"),
        (dt.time(1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")), ValueError, "offset"),
        (dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=23))), ValueError, "18 hours"),
        (trimorph.Node(0, ["A"]), TypeError, "does not come from this database"),
    ],
    ids=lambda v: str(v)[:40],
)
def test_refused_by_name(conn, value, error, words):
    with pytest.raises(error, match='parameter "x"') as raised:
        conn.execute("RETURN $x", {"y": 1, "x": value})
    assert raised.match(words)


def test_params_are_names_and_values(conn):
    import collections
    import types

    assert conn.execute("RETURN $x", types.MappingProxyType({"x": 1})).fetchone() == (1,)
    assert conn.execute("RETURN $x", collections.OrderedDict(x=1)).fetchone() == (1,)
    for wrong in ([1], 5, "x"):
        with pytest.raises(TypeError, match="params must be a dict"):
            conn.execute("RETURN 1", wrong)
    with pytest.raises(TypeError, match="names must be str"):
        conn.execute("RETURN 1", {1: 1})


def test_native_where_python_holds_it(conn):
    row = conn.execute(
        "RETURN date('2015-07-21'), localtime('12:31:14.645876'), localtime('12:31:14.645876123'), time('12:31+01:00'), "
        "datetime('2015-07-21T21:40:32.142+01:00'), datetime('2015-07-21T21:40:32[Europe/London]'), date('-0001-01-01')"
    ).fetchone()
    assert [type(v) for v in row] == [dt.date, dt.time, trimorph.LocalTime, dt.time, dt.datetime, trimorph.DateTime, trimorph.Date]
    assert row[2].nanosecond == 645876123
    assert row[2].to_native() == dt.time(12, 31, 14, 645876)
    assert row[5].to_native() == dt.datetime(2015, 7, 21, 21, 40, 32, tzinfo=zoneinfo.ZoneInfo("Europe/London"))
    assert (row[5].zone, row[5].offset_seconds) == ("Europe/London", 3600)
    with pytest.raises(OverflowError):
        row[6].to_native()


def test_second_of_two_local_times():
    zone = zoneinfo.ZoneInfo("Europe/Berlin")
    later = trimorph.DateTime(2015, 10, 25, 2, 30, zone="Europe/Berlin", offset_seconds=3600).to_native()
    assert (later.fold, later.utcoffset()) == (1, dt.timedelta(hours=1))
    assert later.astimezone(UTC) == dt.datetime(2015, 10, 25, 1, 30, tzinfo=UTC)
    assert later.tzinfo == zone


def test_duration():
    duration = trimorph.Duration(months=14, days=3, seconds=4, nanos=5_000_000_006)
    assert (duration.months, duration.days, duration.seconds, duration.nanos) == (14, 3, 9, 6)
    assert str(duration) == "P1Y2M3DT9.000000006S"
    assert trimorph.Duration.parse(str(duration)) == duration
    assert hash(trimorph.Duration.parse(str(duration))) == hash(duration)
    assert duration != trimorph.Duration(14, 3, 9, 5)
    with pytest.raises(ValueError, match="months"):
        duration.to_native()
    assert trimorph.Duration(days=1, seconds=-1, nanos=1500).to_native() == dt.timedelta(seconds=86399, microseconds=1)
    with pytest.raises(OverflowError):
        trimorph.Duration(seconds=2**63 - 1, nanos=10**9)
    with pytest.raises(OverflowError):
        trimorph.Duration(days=2**63 - 1).to_native()


def test_own_types_compare_hash_and_pickle():
    for value in SAME:
        if type(value).__module__ == "trimorph":
            again = pickle.loads(pickle.dumps(value))
            assert again == value
            assert hash(again) == hash(value)
            assert repr(value).startswith("trimorph.")
    assert trimorph.Date(12345, 1, 1) < trimorph.Date(12345, 1, 2)
    assert trimorph.Time(1, offset_seconds=3600) < trimorph.Time(1)
    assert trimorph.Date(2020, 1, 1) != dt.date(2020, 1, 1)
    for wrong in (lambda: trimorph.Date(2021, 2, 29), lambda: trimorph.LocalTime(24), lambda: trimorph.DateTime(2020, 1, 1, zone="Mars")):
        with pytest.raises(ValueError, match="."):
            wrong()


def test_text_forms():
    ann, bob = trimorph.Node(1, ["Person", "Dog"], {"name": "An'n", "a": [1, dt.date(2020, 1, 1)]}), trimorph.Node(2)
    knows = trimorph.Relationship(9, "KNOWS", 2, 1, {"since": 2010})
    assert str(ann) == trimorph.format_value(ann) == "(:Person:Dog {a: [1, '2020-01-01'], name: 'An\\'n'})"
    assert str(bob) == "()"
    assert str(knows) == "[:KNOWS {since: 2010}]"
    assert str(trimorph.Path([ann, bob], [knows])) == f"<{ann}<-{knows}-()>"
    assert str(trimorph.Path([bob, ann], [knows])) == f"<()-{knows}->{ann}>"
    assert trimorph.format_value("x") == "x"
    assert trimorph.format_literal("x") == "'x'"
    assert trimorph.format_value(["x", None, True, 1, 1.0, {"k": bob}]) == "['x', null, true, 1, 1.0, {k: ()}]"
    assert trimorph.format_value(dt.timedelta(hours=1)) == "PT1H"
    with pytest.raises(TypeError, match="object"):
        trimorph.format_value([object()])
    with pytest.raises(ValueError, match="nested"):
        trimorph.format_value(deep(5000))


def test_entities(network):
    conn = network.connect()
    person, knows, path = conn.execute("MATCH p = (a:Person)-[k:KNOWS]->(b:Person) RETURN a, k, p LIMIT 1").fetchone()
    assert person.labels == ("Person",)
    assert person["firstName"] == person.properties["firstName"] == person.get("firstName")
    assert person.get("nothing", 5) == 5
    assert "firstName" in person
    assert dict(person) == person.properties
    with pytest.raises(KeyError):
        person["nothing"]
    assert knows.type == "KNOWS"
    assert [n.id for n in path.nodes] == [knows.start, knows.end]
    assert path.relationships == (knows,)
    assert path.start == person
    assert path == trimorph.Path(path.nodes, path.relationships)
    assert len({person, path.start, trimorph.Node(person.id), knows, path, path.end}) == 4
    assert person != knows
    for value in (person, knows, path):
        again = pickle.loads(pickle.dumps(value))
        assert again == value
        assert str(again) == str(value)
    assert str(path).startswith("<(:Person {")
    with pytest.raises(ValueError, match="one node more"):
        trimorph.Path([person], [knows])


def test_entities_as_parameters(network):
    conn = network.connect()
    a, k, p = conn.execute("MATCH p = (a:Person)-[k:KNOWS]->() RETURN a, k, p LIMIT 1").fetchone()
    assert conn.execute("RETURN $a, $k, $p", {"a": a, "k": k, "p": p}).fetchone() == (a, k, p)
    assert network.connect().execute("RETURN [$a]", {"a": a}).fetchone() == ([a],)
    with trimorph.connect() as other, pytest.raises(TypeError, match='"a".*not come from this database'):
        other.execute("RETURN $a", {"a": a})
    with pytest.raises(TypeError, match="not come from this database"):
        conn.execute("RETURN $a", {"a": trimorph.Node(a.id)})


def test_rdf_terms():
    english = trimorph.Literal("colour", language="en-GB")
    assert (english.lexical, english.language, english.datatype) == ("colour", "en-GB", None)
    assert english == trimorph.Literal("colour", language="EN-gb")
    assert hash(english) == hash(trimorph.Literal("colour", language="EN-gb"))
    assert english != trimorph.Literal("colour", datatype="en-GB")
    assert repr(english) == "trimorph.Literal('colour', language='en-GB')"
    assert str(trimorph.IRI("http://a")) == "<http://a>"
    for term in (english, trimorph.IRI("http://a"), trimorph.Literal("x", datatype="http://t")):
        assert pickle.loads(pickle.dumps(term)) == term
    with pytest.raises(ValueError, match="language or a datatype"):
        trimorph.Literal("x")


def test_decimals_are_numbers(conn):
    tenth = decimal.Decimal("0.1")
    asked = "RETURN $x + $x + $x, $x = 0.1, $x < 0.1, 1 + $x, 1.0 + $x, toString($x), valueType($x), toInteger(-$x - 1), toFloat($x)"
    found = conn.execute(asked, {"x": tenth}).fetchone()
    assert found == (decimal.Decimal("0.3"), False, True, decimal.Decimal("1.1"), 1.1, "0.1", "DECIMAL NOT NULL", -1, 0.1)
    (half,) = conn.execute("RETURN $x = 0.5", {"x": decimal.Decimal("0.50")}).fetchone()
    assert half is True
    found = conn.execute(
        "UNWIND $l AS x RETURN sum(x), avg(x), min(x), max(x), count(DISTINCT x)", {"l": [tenth, 1, decimal.Decimal("1.00")]}
    ).fetchone()
    assert found == (decimal.Decimal("2.1"), decimal.Decimal("0.7"), tenth, 1, 2)
    with pytest.raises(trimorph.QueryError, match="DECIMAL"):
        conn.execute("RETURN $x * $x", {"x": decimal.Decimal(10**37)}).fetchall()


def test_rdf_terms_group_by_equivalence(conn):
    terms = [trimorph.Literal("a", language="en"), trimorph.Literal("a", language="EN"), trimorph.IRI("a"), "a"]
    rows = conn.execute("UNWIND $l AS x RETURN x, count(*) AS n ORDER BY x", {"l": terms}).fetchall()
    assert [(str(x), n) for x, n in rows] == [("<a>", 1), ("a", 1), ("'a'@en", 2)]
