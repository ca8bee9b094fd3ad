"""`AsyncConnection`: queries that do not hold the event loop up. They run on threads, each with a connection of its own."""

import asyncio
import concurrent.futures
import functools
import os

from ._trimorph import Database, InterfaceError


class AsyncConnection:
    """A database for asyncio: `await conn.execute(…)`, at most `max_concurrent_queries` at a time.

    `database` is a `Database`, or a path that is opened, and closed with this, as `trimorph.connect` opens it. Each query is
    committed by itself; `await conn.run(work)` runs a transaction. A task that is cancelled stops its query.
    """

    def __init__(self, database, max_concurrent_queries=4, **options):
        if max_concurrent_queries < 1:
            raise ValueError("max_concurrent_queries must be 1 or more")
        self._owned = None
        if isinstance(database, (str, os.PathLike)):
            from . import connect

            self._owned = connect(database, **options)
            database = self._owned.database
        elif not isinstance(database, Database):
            raise TypeError(f"AsyncConnection takes a Database or a path, not {type(database).__name__}")
        elif options:
            raise TypeError("options are for a path; this database is open already")
        self.database = database
        self._pool = concurrent.futures.ThreadPoolExecutor(max_concurrent_queries, "trimorph")
        self._free = []
        self._closed = False

    async def execute(self, text, params=None, lang="cypher", timeout=None, *, parameters=None):
        """Runs a query, `params` or `parameters` being the values of `$name`; gives an `AsyncResult`, whose rows are computed as they are asked for."""

        def start(connection):
            return connection.execute(text, params, lang, timeout, parameters=parameters)

        connection = self._take()
        try:
            return AsyncResult(self, connection, await self._on_thread(connection, start, connection))
        except BaseException:
            self._give(connection)
            raise

    async def cypher(self, text, params=None, timeout=None):
        """Runs an openCypher query."""
        return await self.execute(text, params, "cypher", timeout)

    async def sparql(self, text, params=None, timeout=None):
        """Runs a SPARQL query or update."""
        return await self.execute(text, params, "sparql", timeout)

    async def run(self, work, isolation=None, timeout=None):
        """Calls `work` with a transaction, on a thread, as `Database.run` does; gives what it returns."""
        return await self._on_thread(None, functools.partial(self.database.run, work, isolation, timeout))

    async def load(self, *paths, **options):
        """Loads files or frames, as `Database.load` does."""
        return await self._on_thread(None, functools.partial(self.database.load, *paths, **options))

    async def close(self):
        """Waits for what runs, and closes the database if it was opened by this."""
        if self._closed:
            return
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(None, self._pool.shutdown)
        for connection in self._free:
            connection.close()
        if self._owned is not None:
            await asyncio.get_running_loop().run_in_executor(None, self._owned.close)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exception):
        await self.close()

    def _take(self):
        if self._closed:
            raise InterfaceError("the connection is closed")
        return self._free.pop() if self._free else self.database.connect()

    def _give(self, connection):
        if self._closed:
            connection.close()
        else:
            self._free.append(connection)

    async def _on_thread(self, connection, call, *arguments):
        """What `call` gives, on a thread of the pool. Where the task is cancelled, what runs on the connection is stopped, and
        has ended when this ends."""
        if self._closed:
            raise InterfaceError("the connection is closed")
        future = self._pool.submit(call, *arguments)
        answer = asyncio.wrap_future(future)
        # Where nobody waits any more what it fails with is nobody's to hear: asyncio would print it.
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            return await asyncio.shield(answer)
        except asyncio.CancelledError:
            while not future.cancel() and not future.done():
                if connection is not None:
                    connection.interrupt()
                await asyncio.sleep(0.005)
            if not future.cancelled():
                future.exception()
            raise


class AsyncResult:
    """A result for asyncio. It can be read as a `QueryResult` can, with `await` before and `async for`."""

    def __init__(self, owner, connection, result):
        self._owner, self._connection, self._result = owner, connection, result
        self.columns = result.columns

    def __del__(self):
        self._release()

    def _release(self):
        connection, self._connection = self._connection, None
        if connection is not None:
            self._owner._give(connection)

    async def _call(self, name, *arguments):
        return await self._owner._on_thread(self._connection, getattr(self._result, name), *arguments)

    async def fetchone(self):
        return await self._call("fetchone")

    async def fetchmany(self, size=1):
        return await self._call("fetchmany", size)

    async def fetchall(self):
        return await self._call("fetchall")

    async def rows_as_dict(self):
        return await self._call("rows_as_dict")

    async def arrow(self):
        return await self._call("arrow")

    async def df(self):
        return await self._call("df")

    async def pl(self):
        return await self._call("pl")

    async def __aiter__(self):
        while await self._call("has_next"):
            for row in await self.fetchmany(1024):
                yield row
        await self.fetchall()  # raises where all rows were read before

    @property
    def types(self):
        return self._result.types

    @property
    def stats(self):
        return self._result.stats

    @property
    def notices(self):
        return self._result.notices

    def __repr__(self):
        return f"<trimorph.AsyncResult [{', '.join(self.columns)}]>"
