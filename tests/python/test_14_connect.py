"""Ways to a database: `connect` and its modes, the default database, asyncio."""

import asyncio
import gc
import subprocess
import sys
import threading
import time

import pytest

import trimorph


def test_a_misspelt_path_makes_nothing(tmp_path):
    trimorph.Database(tmp_path / "social.tm").close()
    with pytest.raises(trimorph.StorageError) as raised:
        trimorph.connect(tmp_path / "socail.tm")
    text = str(raised.value)
    assert f'did you mean "{tmp_path}/social.tm"?' in text and 'mode="create"' in text
    with pytest.raises(trimorph.StorageError, match="there is no database"):
        trimorph.connect(tmp_path / "other", read_only=True)
    with pytest.raises(trimorph.StorageError, match="not a Trimorph database"):
        trimorph.connect(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["social.tm"]
    with trimorph.connect(tmp_path / "social.tm") as conn:
        conn.execute("CREATE (:A)")
    with trimorph.connect(tmp_path / "new.tm", mode="create") as conn:
        conn.execute("CREATE (:B)")
    with trimorph.connect(tmp_path / "new.tm", mode="read") as conn:
        assert conn.execute("MATCH (b:B) RETURN count(b)").fetchone() == (1,)
        with pytest.raises(trimorph.StorageError, match="read-only"):
            conn.execute("CREATE (:B)")
    for mode in ("open", "create", None):
        with trimorph.connect(mode=mode) as conn:
            conn.execute("CREATE (:A)")
    with pytest.raises(ValueError, match='mode is one of open, create, read, not "w"'):
        trimorph.connect(tmp_path / "x", mode="w")
    with pytest.raises(ValueError, match="read_only does not"):
        trimorph.connect(tmp_path / "x", mode="create", read_only=True)


def test_the_default_database():
    trimorph.cypher("CREATE (:Default {x: $x})", {"x": 1})
    assert trimorph.cypher("MATCH (d:Default) RETURN d.x").fetchall() == [(1,)]
    assert trimorph.sparql("SELECT (1 AS ?x) {}").fetchall() == [(1,)]
    trimorph.load(nodes={"Default": [{"x": 2}]})
    seen = []
    thread = threading.Thread(target=lambda: seen.extend(trimorph.cypher("MATCH (d:Default) RETURN count(d)").fetchall()))
    thread.start(), thread.join()
    assert seen == [(2,)]
    with pytest.raises(trimorph.NotSupportedError):
        trimorph.sql("SELECT 1")
    trimorph.default_database().close()
    assert trimorph.cypher("MATCH (d:Default) RETURN count(d)").fetchall() == [(0,)], "closed, so another one"


def test_import_brings_no_other_library():
    code = "import sys, trimorph; print([m for m in ('pandas', 'polars', 'pyarrow', 'numpy', 'networkx', 'asyncio', 'scipy') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert out.stdout.strip() == "[]"


def run(work):
    return asyncio.run(asyncio.wait_for(work, 60))


def test_asyncio():
    async def work():
        async with trimorph.AsyncConnection(trimorph.Database(threads=2), max_concurrent_queries=2) as conn:
            await conn.execute("UNWIND range(1, 3000) AS i CREATE (:N {i: i})")
            results = await asyncio.gather(*(conn.execute("MATCH (n:N) WHERE n.i <= $k RETURN n.i AS i", {"k": k}) for k in range(1, 9)))
            assert [len(await result.fetchall()) for result in results] == list(range(1, 9))
            rows = [row async for row in await conn.cypher("MATCH (n:N) RETURN n.i")]
            assert len(rows) == 3000
            result = await conn.execute("RETURN 1 AS x")
            assert (result.columns, await result.fetchone(), await result.fetchone()) == (["x"], (1,), None)
            assert await conn.run(lambda tx: tx.execute("MATCH (n:N) RETURN max(n.i)").fetchone()[0]) == 3000
            assert (await (await conn.sparql("SELECT (2 AS ?x) {}")).fetchall()) == [(2,)]
            assert (await conn.load(nodes={"M": [{"id": 1}]})).nodes == 1
            with pytest.raises(trimorph.QueryError):
                await conn.execute("RETRN 1")
            read = await conn.execute("RETURN 1")
            await read.fetchall()
            with pytest.raises(trimorph.InterfaceError):
                [row async for row in read]
        with pytest.raises(trimorph.InterfaceError, match="closed"):
            await conn.execute("RETURN 1")

    run(work())


LONG = "UNWIND range(1, 10000000000) AS i WITH i WHERE i < 0 RETURN count(i)"


def test_asyncio_does_not_hold_the_loop_up_and_is_cancelled():
    async def work():
        async with trimorph.AsyncConnection(trimorph.Database(threads=1)) as conn:
            async def ask():
                return await (await conn.execute(LONG)).fetchall()

            task = asyncio.create_task(ask())
            ticks = 0
            while ticks < 20:
                await asyncio.sleep(0.01)
                ticks += 1
            assert not task.done()
            began = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert time.monotonic() - began < 60
            assert await (await conn.execute("RETURN 1")).fetchall() == [(1,)]
            with pytest.raises(trimorph.Timeout):
                await (await conn.execute(LONG, timeout=0.1)).fetchall()

    run(work())


def test_asyncio_opens_and_closes(tmp_path):
    async def work():
        with pytest.raises(trimorph.StorageError):
            trimorph.AsyncConnection(tmp_path / "a.tm")
        async with trimorph.AsyncConnection(tmp_path / "a.tm", mode="create") as conn:
            await conn.execute("CREATE (:A)")
        async with trimorph.AsyncConnection(tmp_path / "a.tm") as conn:
            assert await (await conn.execute("MATCH (a:A) RETURN count(a)")).fetchall() == [(1,)]
        for wrong in (5, None):
            with pytest.raises(TypeError):
                trimorph.AsyncConnection(wrong)
        with pytest.raises(ValueError):
            trimorph.AsyncConnection(":memory:", max_concurrent_queries=0)

    run(work())


def test_asyncio_hears_nothing_of_a_query_whose_task_was_cancelled():
    heard = []

    async def main():
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: heard.append(context["message"]))
        async with trimorph.AsyncConnection(trimorph.Database(threads=1)) as conn:
            task = asyncio.create_task(conn.execute("UNWIND range(1, 1000000000) AS i CREATE (:Z {i: i})"))
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            gc.collect()
            await asyncio.sleep(0)
            assert await (await conn.execute("MATCH (z:Z) RETURN count(z)")).fetchall() == [(0,)]

    asyncio.run(main())
    gc.collect()
    assert not heard
