"""Dates and times at the ends of what the libraries hold: nothing is lost on any way out, and round trips give back what went in."""

import datetime as dt
import warnings
import zoneinfo

import pytest
import trimorph

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")

FAR = "localdatetime('2500-01-01T00:00:00.000001')"
FINE = "localdatetime('2020-01-01T00:00:00.000000001')"
NEAR = "localdatetime('2020-01-01T12:30')"
OLD = "localdatetime('-0044-03-15T12:00')"


def ask(conn, *items):
    return conn.execute(f"UNWIND [{', '.join(items)}] AS x RETURN x")


def test_far_instants_take_a_coarser_unit(conn):
    res = ask(conn, FAR, NEAR, "null")
    table = res.arrow()
    assert table.schema.field("x").type == pa.timestamp("us") and res.notices == []
    assert table["x"].to_pylist() == [dt.datetime(2500, 1, 1, 0, 0, 0, 1), dt.datetime(2020, 1, 1, 12, 30), None]
    assert ask(conn, "localdatetime('+300000-01-01T00:00:00.5')").arrow().schema.field("x").type == pa.timestamp("ms")
    zoned = ask(conn, "datetime('2500-01-01T01:00+01:00')").arrow()
    assert zoned.schema.field("x").type == pa.timestamp("us", "UTC")
    assert zoned["x"].to_pylist() == [dt.datetime(2500, 1, 1, tzinfo=dt.timezone.utc)]
    assert ask(conn, FINE, NEAR).arrow().schema.field("x").type == pa.timestamp("ns")


def test_far_and_fine_instants_are_text_and_say_so(conn):
    res = ask(conn, FAR, FINE)
    assert res.arrow()["x"].to_pylist() == ["2500-01-01T00:00:00.000001", "2020-01-01T00:00:00.000000001"]
    (notice,) = res.notices
    assert notice.detail == "ColumnAsText" and "column \"x\" is text" in notice.message and notice.line == 0
    assert ask(conn, "date('+9999999-01-01')").arrow()["x"].to_pylist() == ["+9999999-01-01"]


def test_streams_keep_the_unit_of_the_first(conn):
    text = "UNWIND range(1, 50000) AS i RETURN CASE WHEN i > 40000 THEN {} ELSE {} END AS x"
    assert conn.execute(text.format(NEAR, FAR)).fetch_record_batch().read_all()["x"].null_count == 0
    with pytest.raises(trimorph.Error, match='column "x" began with LOCAL DATETIME'):
        conn.execute(text.format(FAR, NEAR)).fetch_record_batch().read_all()
    assert conn.execute(text.format(FAR, NEAR)).arrow()["x"].null_count == 0


def objects(frame):
    return [None if x is None or x is pd.NaT else x for x in frame["x"]]


def test_pandas_has_every_value(conn):
    frame = ask(conn, FAR, NEAR).df()
    assert str(frame["x"].dtype) == "datetime64[us]" and frame["x"][0] == pd.Timestamp("2500-01-01T00:00:00.000001")
    for items in (
        [OLD, NEAR, "null"],
        ["datetime('-0044-03-15T12:00Z')", "datetime('2020-01-01T00:00Z')"],
        ["date('-0044-03-15')", "date('2020-02-29')", "null", "date('+123456-12-31')"],
        ["localtime('12:00:00.000000001')", "localtime('12:00:00.000001')", "null"],
    ):
        assert objects(ask(conn, *items).df()) == [row[0] for row in ask(conn, *items).fetchall()], items
    assert objects(ask(conn, "date('2020-02-29')", "null").df()) == [dt.date(2020, 2, 29), None]
    both = conn.execute("UNWIND [1, 2] AS a RETURN a, date('-0001-01-01') AS x, a * 2 AS b").df()
    assert list(both.columns) == ["a", "x", "b"] and both["b"].tolist() == [2, 4]


def test_polars_has_every_value(conn):
    pl = pytest.importorskip("polars")
    assert ask(conn, FAR, NEAR).pl()["x"].to_list() == [dt.datetime(2500, 1, 1, 0, 0, 0, 1), dt.datetime(2020, 1, 1, 12, 30)]
    assert ask(conn, OLD).pl()["x"].null_count() == 0
    assert str(ask(conn, "date('-0044-03-15')").pl()["x"].cast(pl.String)[0]) == "-0044-03-15"
    assert ask(conn, "localtime('12:00:00.000000001')").pl()["x"].null_count() == 0


def test_parquet_written_by_others_of_it_has_every_value(conn, tmp_path):
    import pyarrow.parquet as pq

    for items in ([FAR, NEAR], ["localdatetime('+300000-01-01')"], [FINE], [OLD]):
        table = ask(conn, *items).arrow()
        pq.write_table(table, tmp_path / "x.parquet")
        assert pq.read_table(tmp_path / "x.parquet")["x"].null_count == 0


ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca")


def changes(zone):
    """Local times around each change of the clocks in two years."""
    info, utc = zoneinfo.ZoneInfo(zone), dt.timezone.utc
    hour, at = dt.timedelta(hours=1), dt.datetime(2021, 1, 1, tzinfo=utc)
    while at < dt.datetime(2023, 1, 1, tzinfo=utc):
        if at.astimezone(info).utcoffset() != (at + hour).astimezone(info).utcoffset():
            yield at
        at += hour


@pytest.mark.parametrize("zone", ZONES)
def test_zones_round_trip_at_changes_of_the_clocks(conn, zone):
    info = zoneinfo.ZoneInfo(zone)
    seen = 0
    for change in changes(zone):
        local = change.astimezone(info).replace(tzinfo=None, fold=0)
        for minutes in range(-180, 181, 15):
            for fold in (0, 1):
                given = (local + dt.timedelta(minutes=minutes)).replace(tzinfo=info, fold=fold)
                (back,) = conn.execute("RETURN $x AS x", {"x": given}).fetchone()
                assert isinstance(back, trimorph.DateTime) and back.zone == zone, given
                # The instant is Python's, also in a gap, where both folds name instants that no clock shows so.
                assert back.epoch_seconds == given.timestamp(), (given, fold, back)
                native = back.to_native()
                assert native.timestamp() == given.timestamp() and native.tzinfo is info, given
                (again,) = conn.execute("RETURN $x AS x", {"x": native}).fetchone()
                assert again == back
                (same,) = conn.execute("RETURN $x = $y AS x", {"x": native, "y": back}).fetchone()
                assert same is True
                seen += native.fold != 0
    assert seen > 0


def test_offsets_and_plain_times_round_trip(conn):
    for given in (
        dt.datetime(2021, 3, 28, 2, 30, tzinfo=dt.timezone(dt.timedelta(hours=2))),
        dt.datetime(2021, 3, 28, 2, 30, tzinfo=dt.timezone(-dt.timedelta(hours=3, minutes=30))),
        dt.datetime(2021, 3, 28, 2, 30),
        dt.date(1, 1, 1),
        dt.time(23, 59, 59, 999999),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert conn.execute("RETURN $x AS x", {"x": given}).fetchone() == (given,)
