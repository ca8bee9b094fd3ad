"""SPARQL on ours and on pyoxigraph (and Virtuoso over HTTP, where one runs), in turns, CPU time: `python bench/rdf/run.py FILE.nt`.

Answers are compared by the number of rows and, of single rows, by their values. A system that is not there is left out.
"""

import argparse
import importlib.util
import statistics
import time

from queries import PREFIXES, QUERIES


class Ours:
    name = "trimorph"

    def __init__(self, path, threads):
        import trimorph

        self.database = trimorph.Database(threads=threads)
        self.connection = self.database.connect()
        started = time.process_time()
        self.count = self.connection.load_rdf(path)
        self.seconds = time.process_time() - started
        self.bytes = self.database.stats()["total_bytes"]

    def ask(self, text):
        result = self.connection.sparql(text)
        return [tuple("" if value is None else plain(value) for value in row) for row in result.fetchall()]


class Oxigraph:
    def __init__(self, path, folder=None):
        import pyoxigraph

        self.name = "oxigraph-disk" if folder else "oxigraph"
        self.store = pyoxigraph.Store(folder) if folder else pyoxigraph.Store()
        started = time.process_time()
        with open(path, "rb") as file:
            self.store.bulk_load(file, format=pyoxigraph.RdfFormat.N_TRIPLES)
        self.seconds = time.process_time() - started
        self.count, self.bytes = len(self.store), None

    def ask(self, text):
        result = self.store.query(text)
        if isinstance(result, (bool,)) or type(result).__name__ == "QueryBoolean":
            return [(plain(bool(result)),)]
        if type(result).__name__ == "QueryTriples":
            return [tuple(str(part) for part in triple) for triple in result]
        return [tuple("" if value is None else plain(value) for value in row) for row in result]


def plain(value):
    text = getattr(value, "value", value)
    return str(text).lower() if isinstance(value, bool) else str(text)


def same(a, b):
    if len(a) != len(b):
        return False
    def number(text):
        try:
            return round(float(text), 6)
        except ValueError:
            return text
    return len(a) != 1 or [number(x) for x in a[0]] == [number(x) for x in b[0]]


def timed(system, text, least=0.02):
    count, started = 0, time.process_time()
    while True:
        answer = system.ask(text)
        count += 1
        spent = time.process_time() - started
        if spent >= least:
            return spent / count * 1000, answer


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("-n", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--query", action="append")
    parser.add_argument("--disk", help="a new folder for Oxigraph's store on disk")
    parser.add_argument("--only-ours", action="store_true")
    arguments = parser.parse_args()
    systems = [Ours(arguments.file, arguments.threads)]
    if not arguments.only_ours and importlib.util.find_spec("pyoxigraph"):
        systems.append(Oxigraph(arguments.file, arguments.disk))
    for system in systems:
        size = f", {system.bytes / system.count:.1f} bytes a statement" if system.bytes else ""
        rate = system.count / system.seconds
        print(f"{system.name}: {system.count} statements in {system.seconds:.2f} CPU s, {rate:,.0f} a second{size}", flush=True)
    ratios = []
    for name in arguments.query or QUERIES:
        text = PREFIXES + QUERIES[name]
        samples, answers = [[] for _ in systems], [None] * len(systems)
        for _ in range(arguments.n):
            for at, system in enumerate(systems):
                if samples[at] and samples[at][-1] > 5000:
                    continue
                milliseconds, answers[at] = timed(system, text)
                samples[at].append(milliseconds)
        middle = [statistics.median(own) for own in samples]
        line = "  ".join(f"{system.name} {ms:10.3f} ms" for system, ms in zip(systems, middle))
        if len(systems) > 1:
            ratio = middle[0] / middle[1]
            right = "" if same(answers[0], answers[1]) else f"  WRONG: {answers[0][:2]} / {answers[1][:2]}"
            ratios.append(ratio)
            line += f"  ratio {ratio:.4f}{right}"
        print(f"{name:22}{line}", flush=True)
    if ratios:
        print(f"geometric mean {statistics.geometric_mean(ratios):.4f}, worst {max(ratios):.3f}")
