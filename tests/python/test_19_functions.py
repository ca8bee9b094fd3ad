"""Functions of Python in queries."""

import faulthandler
import os
import signal
import threading
import time
from typing import Optional

import pytest

import trimorph


@pytest.fixture
def conn():
    conn = trimorph.Database(threads=2).connect()
    conn.execute("UNWIND range(1, 5000) AS i CREATE (:P {i: i, name: 'n' + (i % 7), f: i / 2.0, d: date('2020-01-01')})")
    conn.execute("CREATE (:P {i: 0})")
    return conn


def one(conn, text, params=None):
    return conn.execute(text, params).fetchone()[0]


def test_it_is_called_by_its_name_everywhere(conn):
    def twice(x: int) -> int:
        return 2 * x

    conn.create_function("twice", twice)
    assert one(conn, "RETURN twice(3)") == 6 and one(conn, "RETURN TWICE($x) + 1", {"x": 4}) == 9
    assert one(conn, "MATCH (p:P) WHERE twice(p.i) = 20 RETURN count(*)") == 1
    assert one(conn, "MATCH (p:P) RETURN sum(twice(p.i))") == 5000 * 5001
    assert one(conn, "RETURN [x IN [1, 2] | twice(x)]") == [2, 4]
    rows = conn.execute("MATCH (p:P) WITH twice(p.i) AS t ORDER BY t DESC LIMIT 2 RETURN t").fetchall()
    assert [row[0] for row in rows] == [10000, 9998]
    assert conn.execute("MATCH (p:P) RETURN twice(p.i) AS t").arrow()["t"].null_count == 0
    conn.execute("MATCH (p:P {i: 7}) SET p.t = twice(p.i)")
    assert one(conn, "MATCH (p:P {i: 7}) RETURN p.t") == 14
    with conn.transaction() as tx:
        assert [list(row) for row in tx.execute("RETURN twice(1)")] == [[2]]
    assert "twice(" in conn.execute("EXPLAIN MATCH (p:P) WHERE twice(p.i) = 2 RETURN p").plan


def test_of_other_connections_and_of_none(conn):
    conn.create_function("up", lambda text: text.upper(), ["STRING"], str)
    other = conn.database.connect()
    assert one(other, "RETURN up('a')") == "A"
    conn.create_function("up", lambda text: text + "!", [str], str)
    assert one(other, "RETURN up('a')") == "a!"
    conn.remove_function("UP")
    with pytest.raises(trimorph.QueryError, match='function "up" is not known'):
        other.execute("RETURN up('a')")
    with pytest.raises(KeyError):
        conn.remove_function("up")


def test_nulls(conn):
    seen = []

    def see(x):
        seen.append(x)
        return 0 if x is None else x

    conn.create_function("see", see)
    assert one(conn, "RETURN see(null)") is None and seen == []
    conn.create_function("see", see, null_handling="special")
    assert one(conn, "RETURN see(null)") == 0 and None in seen
    assert one(conn, "MATCH (p:P) WHERE p.f IS NULL RETURN see(p.f)") == 0
    conn.create_function("nothing", lambda x: None)
    assert one(conn, "RETURN nothing(1)") is None


def test_types(conn):
    def half(x: float) -> float:
        return x / 2

    conn.create_function("half", half)
    assert one(conn, "RETURN half(3)") == 1.5
    with pytest.raises(trimorph.QueryError, match='function "half": argument 1 is STRING, not FLOAT'):
        conn.execute("RETURN half('x')").fetchall()
    conn.create_function("liar", lambda x: "text", [int], int)
    with pytest.raises(trimorph.QueryError, match='function "liar": what it gave is STRING, not INTEGER'):
        conn.execute("RETURN liar(1)").fetchall()
    conn.create_function("pair", lambda a, b=2: [a, b])
    assert one(conn, "RETURN pair(1)") == [1, 2] and one(conn, "RETURN pair(1, {k: 3})") == [1, {"k": 3}]
    with pytest.raises(trimorph.QueryError, match=r'function "pair" takes 1 or 2 arguments, not 3'):
        conn.execute("RETURN pair(1, 2, 3)")
    conn.create_function("all_of", lambda *args: len(args))
    assert one(conn, "RETURN all_of(1, 'a', [2])") == 3

    def listed(xs: list[int], more: Optional[int]) -> list[int]:
        return [*xs, more]

    conn.create_function("listed", listed)
    assert one(conn, "RETURN listed([1, 2], 3)") == [1, 2, 3]
    conn.create_function("what", lambda x: object())
    with pytest.raises(trimorph.QueryError, match='function "what": it gave what is no value'):
        conn.execute("RETURN what(1)").fetchall()
    conn.create_function("node", lambda x: 1)
    with pytest.raises(trimorph.QueryError, match="give it their properties"):
        conn.execute("MATCH (p:P) RETURN node(p)").fetchall()


def test_what_is_wrong_says_so(conn):
    for name, says in [("abs", "is there already"), ("Sum", "is there already"), ("1x", "no name"), ("", "no name"), ("exists", "is there already")]:
        with pytest.raises(trimorph.QueryError, match=says):
            conn.create_function(name, lambda x: x)
    with pytest.raises(trimorph.QueryError, match='there is no type "QUUX"'):
        conn.create_function("f", lambda x: x, ["QUUX"])
    with pytest.raises(TypeError):
        conn.create_function("f", 3)
    with pytest.raises(TypeError, match="parameter 1 is a type"):
        conn.create_function("f", lambda x: x, [3])
    with pytest.raises(ValueError, match='type is "native" or "arrow"'):
        conn.create_function("f", lambda x: x, type="numpy")
    conn.create_function("ns.f", lambda x: x + 1)
    assert one(conn, "RETURN ns.f(1)") == 2
    with pytest.raises(trimorph.QueryError, match='did you mean "ns.f"'):
        conn.execute("RETURN ns.g(1)")


def test_what_it_raises_is_the_error_of_the_query(conn):
    def check(x):
        if x == 4000:
            raise ValueError(f"{x} is bad")
        return x

    conn.create_function("check", check)
    with pytest.raises(trimorph.QueryError, match='function "check": ValueError: 4000 is bad'):
        conn.execute("MATCH (p:P) RETURN check(p.i)").fetchall()
    assert one(conn, "RETURN check(1)") == 1
    conn.create_function("check", check, exception_handling="return_null")
    assert one(conn, "MATCH (p:P) RETURN count(check(p.i))") == 5000


def test_volatile_ones_are_called_for_each_row(conn):
    calls = []
    lock = threading.Lock()

    def count(*args):
        with lock:
            calls.append(1)
            return len(calls)

    conn.create_function("tick", count, side_effects=True)
    assert one(conn, "MATCH (p:P) RETURN count(DISTINCT tick())") == 5001
    assert one(conn, "MATCH (p:P) RETURN count(DISTINCT tick(1))") == 5001
    calls.clear()
    conn.create_function("tick", count)
    conn.execute("MATCH (p:P) RETURN tick(1)").fetchall()
    assert 1 <= len(calls) < 5001
    calls.clear()
    conn.execute("EXPLAIN RETURN tick(1)").fetchall()
    conn.prepare("RETURN tick(1)")
    assert calls == []


def test_over_arrays(conn):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.compute as pc

    sizes = []

    def plus(a, b):
        sizes.append(len(a))
        assert isinstance(a, pa.Array)
        return pc.add(a, b)

    conn.create_function("plus", plus, [int, float], float, type="arrow")
    assert one(conn, "MATCH (p:P) WHERE p.i > 0 RETURN sum(plus(p.i, p.f))") == pytest.approx(5000 * 5001 / 2 * 1.5)
    assert max(sizes) > 100
    assert one(conn, "MATCH (p:P {i: 0}) RETURN plus(p.i, p.f)") is None
    conn.create_function("lengths", lambda names: [len(n) for n in names.to_pylist()], [str], int, type="arrow")
    assert one(conn, "MATCH (p:P) RETURN sum(lengths(p.name))") == 10000
    conn.create_function("later", lambda d: pc.add(d, pa.scalar(86400, pa.duration("s"))), type="arrow")
    assert str(one(conn, "MATCH (p:P {i: 1}) RETURN later(p.d)"))[:10] == "2020-01-02"
    np = pytest.importorskip("numpy")
    conn.create_function("root", lambda x: np.sqrt(x.to_numpy(zero_copy_only=False)), [float], float, type="arrow")
    assert one(conn, "RETURN root(16)") == 4.0
    conn.create_function("short", lambda x: pa.array([1]), type="arrow")
    with pytest.raises(trimorph.QueryError, match="it returned 1 values for"):
        conn.execute("MATCH (p:P) RETURN short(p.i)").fetchall()
    conn.create_function("scalar", lambda x: 1, type="arrow")
    with pytest.raises(trimorph.QueryError, match="returns an array of"):
        conn.execute("MATCH (p:P) RETURN scalar(p.i)").fetchall()


def test_a_function_cannot_ask_the_database(conn):
    conn.create_function("ask", lambda x: conn.execute("RETURN 1").fetchone()[0])
    with conn.transaction() as tx, pytest.raises(trimorph.QueryError, match="cannot ask the database"):
        tx.execute("RETURN ask(1)").fetchall()


def test_many_threads_call_at_once(conn):
    conn.create_function("same", lambda x: x)
    sums = []

    def work():
        own = conn.database.connect()
        sums.append(one(own, "MATCH (p:P) RETURN sum(same(p.i))"))

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert sums == [12502500] * 4


def test_ctrl_c_ends_it(conn):
    def slow(x):
        time.sleep(0.01)
        return x

    conn.create_function("slow", slow)
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        conn.execute("MATCH (p:P) RETURN sum(slow(p.i))").fetchall()
    # All of them take 50 s.
    assert time.monotonic() - start < 30
    assert one(conn, "RETURN slow(1)") == 1


def test_who_asks_for_the_transaction_waits_without_the_interpreter(conn):
    """A statement of the transaction waits for its function, which waits for the interpreter."""
    faulthandler.dump_traceback_later(120, exit=True)
    try:
        # From now on ends of nothing are no errors.
        conn.cursor()
        begun = threading.Event()

        def slow(x):
            begun.set()
            time.sleep(0.05)
            return x

        conn.create_function("slow", slow, [int], int)
        for ask in (lambda: conn.in_transaction, conn.commit, conn.rollback):
            begun.clear()
            conn.begin()
            thread = threading.Thread(target=lambda: conn.execute("CREATE (:S {x: slow(1)})"))
            thread.start()
            assert begun.wait(60)
            ask()
            thread.join()
            conn.rollback()
    finally:
        faulthandler.cancel_dump_traceback_later()
