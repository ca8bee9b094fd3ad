"""Results as Arrow batches that are computed as they are read."""

import os
import signal
import threading
import time

import pytest
import trimorph
from at_work import press_ctrl_c, while_at_work

pa = pytest.importorskip("pyarrow")

ENDLESS = "MATCH (a:Person), (b:Person), (c:Person), (d:Person), (e:Person) WHERE a.id + b.id + c.id + d.id + e.id = -1 RETURN a.id AS x"
LARGE = "UNWIND range(1, 100000) AS x RETURN x, x * 0.5 AS f, CASE WHEN x % 3 > 0 THEN 'n' + toString(x) END AS s"
BREAKS = "UNWIND range(1, 50000) AS x RETURN 1 / (x - 40000) AS y"
CHANGES = "UNWIND range(1, 50000) AS x RETURN CASE WHEN x > 40000 THEN 'late' ELSE [x][0] END AS y"


def reader(result):
    return result.fetch_record_batch()


def protocol(result):
    return pa.RecordBatchReader.from_stream(result)


ways = pytest.mark.parametrize("way", [reader, protocol])


@ways
def test_values_and_nulls(conn, way):
    stream = way(conn.execute(LARGE))
    assert stream.schema == pa.schema([("x", pa.int64()), ("f", pa.float64()), ("s", pa.string())])
    batches = list(stream)
    assert len(batches) > 4
    table = pa.Table.from_batches(batches)
    table.validate(full=True)
    assert table["s"].null_count == 33333
    assert table.to_pylist() == conn.execute(LARGE).rows_as_dict()


@ways
def test_types(conn, way):
    text = "UNWIND [1, null, 3] AS x RETURN x, x * 0.5 AS f, x = 1 AS b, [x] AS l, date('2020-01-01') AS d, localdatetime('2020-01-01T01:02') AS t"
    assert way(conn.execute(text)).read_all() == conn.execute(text).arrow()


@ways
def test_an_empty_result_has_columns(conn, way):
    table = way(conn.execute("UNWIND [] AS x RETURN x, 1 AS y")).read_all()
    assert (table.num_rows, table.column_names) == (0, ["x", "y"])


@ways
def test_rows_fetched_before_are_not_in_the_stream(conn, way):
    result = conn.execute(LARGE)
    repr(result), result.fetchmany(10)
    assert way(result).read_all()["x"].to_pylist() == list(range(11, 100001))


@ways
def test_streams_share_the_rows(conn, way):
    result = conn.execute(LARGE)
    schema = way(result).schema  # asked for the schema only, and dropped
    first = way(result)
    x = first.read_next_batch()["x"].to_pylist()
    for fetch in (result.fetchone, result.fetchall, lambda: list(result)):
        with pytest.raises(trimorph.Error, match="Arrow stream"):
            fetch()
    assert "Arrow stream" in repr(result)
    x += way(result).read_next_batch()["x"].to_pylist()
    rest = result.arrow()
    assert rest.schema == schema
    assert x + rest["x"].to_pylist() == list(range(1, 100001))
    assert first.read_all().num_rows == 0
    assert result.fetchmany(5) == []
    with pytest.raises(trimorph.InterfaceError, match="were read"):
        result.fetchall()


@ways
def test_a_stream_outlives_everything(way):
    database = trimorph.Database(threads=2)
    database.generate_snb(0.003, 1)
    text = "MATCH (a:Person), (b:Person) RETURN a.firstName + b.lastName AS name"
    expected = database.connect().execute(text).arrow()
    stream = way(database.connect().execute(text))
    names = stream.read_next_batch()["name"].to_pylist()
    database.close()
    del database
    assert names + stream.read_all()["name"].to_pylist() == expected["name"].to_pylist()


@pytest.mark.parametrize(("text", "message"), [(BREAKS, "division by zero"), (CHANGES, 'column "y" began with INTEGER')])
def test_an_error_in_the_middle(conn, text, message):
    result = conn.execute(text)
    stream = result.fetch_record_batch()
    rows = 0
    with pytest.raises(trimorph.QueryError, match=message) as raised:
        for batch in stream:
            rows += batch.num_rows
    assert 0 < rows < 40000
    assert raised.value.phase == "runtime"
    result = conn.execute(text)
    stream = pa.RecordBatchReader.from_stream(result)
    with pytest.raises(pa.ArrowException, match=message):
        stream.read_all()
    for fetch in (result.fetchone, result.arrow, result.fetch_record_batch, lambda: pa.table(result)):
        with pytest.raises(trimorph.QueryError, match=message):
            fetch()


@ways
def test_an_early_error_is_raised_at_once(conn, way):
    for _ in range(2):
        with pytest.raises(trimorph.QueryError, match="division by zero"):
            way(conn.execute("UNWIND [1, 0] AS x RETURN 1 / x"))


def test_interrupt(network):
    conn = network.connect()
    text = "MATCH (a:Person), (b:Person), (c:Person), (d:Person) RETURN a.id AS x"
    result = conn.execute(text)
    for stream, error in [(result.fetch_record_batch(), trimorph.Cancelled), (protocol(conn.execute(text)), pa.ArrowException)]:
        start = time.perf_counter()
        with pytest.raises(error, match="cancelled"), while_at_work(conn.interrupt):
            for _ in stream:
                pass
        assert time.perf_counter() - start < 60
    with pytest.raises(trimorph.Cancelled), while_at_work(conn.interrupt):
        conn.execute(ENDLESS).fetch_record_batch()


@pytest.mark.skipif(os.name != "posix", reason="signals")
@ways
def test_ctrl_c(network, way):
    for text in (ENDLESS, "MATCH (a:Person), (b:Person), (c:Person), (d:Person) RETURN a.id AS x"):
        start = time.perf_counter()
        with pytest.raises(KeyboardInterrupt), while_at_work(press_ctrl_c):
            for _ in way(network.connect().execute(text)):
                pass
        assert time.perf_counter() - start < 60
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_run_meanwhile(conn):
    stream = protocol(conn.execute("UNWIND range(1, 300000) AS x RETURN x % 7 AS y"))
    total = []
    threads = [threading.Thread(target=lambda: total.extend(b.num_rows for b in stream)) for _ in range(2)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert sum(total) == 300000


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no statm")
def test_a_large_result_is_never_in_memory(network):
    def resident():
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    stream = network.connect().execute("MATCH (a:Person), (b:Person), (c:Person) RETURN a.id, b.id, c.id LIMIT 5000000").fetch_record_batch()
    stream.read_next_batch()
    before, rows = resident(), 0
    for batch in stream:
        rows += batch.num_rows
    assert rows > 1_000_000
    assert resident() - before < 20e6 < rows * 24


def test_df_and_pl_take_columns_that_change(conn):
    pytest.importorskip("pandas")
    assert conn.execute(CHANGES).df()["y"].iloc[-1] == "late"
    pytest.importorskip("polars")
    assert conn.execute(CHANGES).pl()["y"][-1] == "late"
    with pytest.raises(trimorph.QueryError, match="division by zero"):
        conn.execute(BREAKS).pl()


def test_few_rows_that_are_there_are_the_streams_too():
    conn = trimorph.Database().connect()
    for _ in range(3):
        # From the second time on the statement is kept, and done when `execute` returns.
        result = conn.execute("RETURN $x AS x", {"x": 7})
        batches = reader(result)
        with pytest.raises(trimorph.Error, match="Arrow stream"):
            result.fetchall()
        assert batches.read_all().column("x").to_pylist() == [7]
        assert conn.execute("RETURN $x AS x", {"x": "a"}).arrow().to_pylist() == [{"x": "a"}]
        result = conn.execute("RETURN $x AS x", {"x": 1})
        assert result.get_num_tuples() == 1 and result.fetchall() == [(1,)]
        with pytest.raises(trimorph.InterfaceError, match="all rows"):
            result.fetchall()
