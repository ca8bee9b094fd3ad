"""Questions that nobody thought of, on ours and on pyoxigraph: `python bench/rdf/ask_drawn.py FILE.nt --seed 1 --count 300`.

They are drawn (`drawn/`) from what is in the file, N-Triples or N-Quads. Answers are compared as bags of terms, numbers by value. CPU time
is taken of both, and what is slower with us is said. `--updates` draws updates instead; after each one all statements are compared.
`--parts` loads the file in parts, so that most of it is in the delta. `--number` asks one again, and shows it. pyoxigraph runs in a
process of its own for each question, which may take `--limit` CPU seconds.
"""

import argparse
import os
import pathlib
import pickle
import random
import resource
import signal
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "peers")]

import plain  # noqa: E402
import trimorph  # noqa: E402
from drawn import known, question, update  # noqa: E402
from everyday import compare  # noqa: E402

# Rows beyond which an answer is not compared row by row.
MOST_ROWS = 300_000


def rows_of(answer):
    """The rows of an answer of pyoxigraph's."""
    return [(bool(answer),)] if type(answer).__name__ == "QueryBoolean" else list(answer)


def in_own_process(work, limit):
    """What a function gives, computed by a process that may take so many CPU seconds; an error's text where it fails."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
            given = work()
        except Exception as error:
            given = f"{type(error).__name__}: {error}"
        with os.fdopen(write, "wb") as out:
            pickle.dump(given, out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        given = answer.read()
    _, status = os.waitpid(child, 0)
    return pickle.loads(given) if given and status == 0 else "too slow" if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else f"ended: {status}"


def plain_rows(rows):
    return [[plain.plain(value) for value in row] for row in rows]


def timed(work, clock=time.process_time, least=0.01):
    """CPU milliseconds, as the least of some runs (the first one plans), and the answer."""
    best, spent, count = None, 0.0, 0
    while spent < least or (count < 3 and spent < 0.5):
        started = clock()
        answer = work()
        once = clock() - started
        best, spent, count = min(best or once, once), spent + max(once, 1e-5), count + 1
    return best * 1000, answer


def theirs(store, text):
    # A limit of CPU seconds makes the clock of the process one of ticks; there is one thread.
    milliseconds, rows = timed(lambda: rows_of(store.query(text)), time.thread_time)
    return milliseconds, plain_rows(rows) if len(rows) <= MOST_ROWS else len(rows)


def loaded(path, parts, threads):
    database = trimorph.Database(threads=threads)
    connection = database.connect()
    if not parts:
        connection.load_rdf(path)
        return database, connection
    # Blank nodes are scoped to their file: what names them is in one part.
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines(keepends=True)
    blank = [line for line in lines if "_:" in line]
    rest = [line for line in lines if "_:" not in line]
    random.Random(1).shuffle(rest)
    with tempfile.TemporaryDirectory() as folder:
        for number, part in enumerate([blank, rest[::3], rest[1::3], rest[2::3]]):
            file = pathlib.Path(folder) / f"{number}.nq"
            file.write_text("".join(part), encoding="utf-8")
            connection.load_rdf(file)
    return database, connection


def peer(path):
    import pyoxigraph

    store = pyoxigraph.Store()
    with open(path, "rb") as file:
        store.bulk_load(file, format=pyoxigraph.RdfFormat.N_QUADS)
    return store


def ask(connection, store, text, limit):
    """What is wrong, or None, and the milliseconds of both, or None where one was too slow."""
    try:
        ours, rows = timed(lambda: connection.execute(text, lang="sparql", timeout=limit * 3).fetchall())
    except trimorph.Error as error:
        return f"ours: {type(error).__name__}: {str(error).splitlines()[0]}", None, None
    given = in_own_process(lambda: theirs(store, text), limit)
    if isinstance(given, str):
        return None if given == "too slow" else f"pyoxigraph: {given}", ours, None
    milliseconds, expected = given
    if isinstance(expected, int):
        return None if len(rows) == expected else f"{len(rows)} rows, expected {expected}", ours, milliseconds
    rows = plain_rows(rows)
    if "\nCONSTRUCT" in text:
        # pyoxigraph gives some statements more than once.
        rows, expected = (sorted(map(list, set(map(tuple, one))), key=str) for one in (rows, expected))
    return compare.difference(rows, expected, False), ours, milliseconds


def questions(arguments, data):
    connection = loaded(arguments.file, arguments.parts, arguments.threads)[1]
    store = peer(arguments.file)
    wrong, ratios, late = 0, [], 0
    for number in [arguments.number] if arguments.number else range(1, arguments.count + 1):
        text = question.question(random.Random(f"{arguments.seed}-{number}"), data)
        if arguments.number:
            print(text)
        problem, ours, other = ask(connection, store, text, arguments.limit)
        wrong += problem is not None
        late += other is None
        if ours and other:
            ratios.append(ours / other)
        slow = ours is not None and (ours > arguments.limit * 1000 if other is None else ours > other and ours > arguments.least)
        if problem or slow or arguments.number:
            line = "" if arguments.number else text.splitlines()[-1]
            times = f"{ours:.2f} ms" if ours else "failed", f"{other:.2f} ms" if other else "not in time"
            print(f"{arguments.seed}-{number} {'WRONG: ' + problem if problem else 'slower' if slow else 'right'}; {times[0]} / {times[1]}\n    {line}", flush=True)
    line = f"{len(ratios)} compared, {wrong} wrong, {late} not in time"
    if ratios:
        mean = statistics.geometric_mean(ratios)
        line += f"; to pyoxigraph: geometric mean {mean:.4f}, worst {max(ratios):.3f}, slower {sum(r > 1 for r in ratios)}"
    print(line)
    return wrong


ALL = "SELECT ?g ?s ?p ?o { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }"


def updates(arguments, data):
    """Each update begins with the file as it is, so that one that differs spoils no other; a few follow each other."""
    wrong, in_a_row = 0, 5
    for number in [arguments.number] if arguments.number else range(1, arguments.count + 1):
        draw = random.Random(f"{arguments.seed}-{number}")
        connection, store = loaded(arguments.file, arguments.parts or number % 2 == 0, arguments.threads)[1], peer(arguments.file)
        for step in range(in_a_row):
            text = update.update(draw, data)
            if arguments.number:
                print(text)
            problem = updated(connection, store, text)
            if problem:
                wrong += 1
                print(f"{arguments.seed}-{number} step {step} WRONG: {problem}\n    {text}", flush=True)
                break
    print(f"{wrong} wrong of {arguments.count} times {in_a_row} updates")
    return wrong


def updated(connection, store, text):
    failed = []
    for work in (lambda: connection.sparql(text), lambda: store.update(text)):
        try:
            work()
            failed.append(None)
        except Exception as error:
            failed.append(str(error).splitlines()[0])
    if failed[0] or failed[1]:
        return None if failed[0] and failed[1] else f"failed: {failed}"
    return compare.difference(plain_rows(connection.sparql(ALL).fetchall()), plain_rows(store.query(ALL)), False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--number", type=int, help="only this question of the seed, with its text")
    parser.add_argument("--updates", action="store_true")
    parser.add_argument("--parts", action="store_true", help="load the file in parts, most of which stay in the delta")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=float, default=10.0, help="CPU seconds that pyoxigraph may take for a question (10)")
    parser.add_argument("--least", type=float, default=1.0, help="milliseconds below which nothing is called slower (1)")
    arguments = parser.parse_args()
    data = known.Known(arguments.file)
    print(f"seed {arguments.seed}", flush=True)
    sys.exit(bool((updates if arguments.updates else questions)(arguments, data)))


if __name__ == "__main__":
    main()
