"""SPARQL on ours and on pyoxigraph (and a server over HTTP, where one runs), in turns: `python bench/rdf/run.py [SUITE] FILE.nt`.

The suites are `snb` (what people ask of a graph; `thirteen` is its first part), `explore` (of one that they do not know), `seldom` (in shapes that those leave out), `bsbm`, `sp2b` and `shapes` (stars over
subjects of many shapes); each has a program that writes its file (`suites/`). Time is
CPU time; that of a server is the CPU time of its process. Answers are compared by the number of rows and, of single rows, by
their values. A system that is not there is left out; what takes longer than `--limit` seconds is cut off.
"""

import argparse
import importlib
import importlib.util
import json
import os
import statistics
import time
import urllib.parse
import urllib.request


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


class Server:
    """A SPARQL endpoint that has the file already: `NAME=URL` or `NAME=URL@PROCESS`, whose CPU time is taken."""

    def __init__(self, text):
        self.name, _, place = text.partition("=")
        self.url, _, process = place.partition("@")
        self.process, self.count, self.bytes = process, None, None

    def cpu(self):
        """CPU seconds of the process so far; without one, of the clock."""
        if not self.process:
            return time.perf_counter()
        with open(f"/proc/{self.process}/stat") as file:
            own = file.read().rpartition(")")[2].split()
        return (int(own[11]) + int(own[12])) / os.sysconf("SC_CLK_TCK")

    def ask(self, text):
        form = urllib.parse.urlencode({"query": text}).encode()
        kinds = "application/sparql-results+json, application/n-triples;q=0.9"
        with urllib.request.urlopen(urllib.request.Request(self.url, form, {"Accept": kinds}), timeout=LIMIT) as answer:
            body = answer.read().decode()
        if not body.lstrip().startswith("{"):
            return [(line,) for line in body.splitlines() if line]
        found = json.loads(body)
        if "boolean" in found:
            return [(plain(found["boolean"]),)]
        names = found["head"]["vars"]
        return [tuple(row.get(name, {}).get("value", "") for name in names) for row in found["results"]["bindings"]]


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


# Seconds after which a system is not waited for; `--limit`.
LIMIT = 60.0


def timed(system, text, least=0.02):
    clock = getattr(system, "cpu", time.process_time)
    count, started = 0, clock()
    while True:
        answer = system.ask(text)
        count += 1
        spent = clock() - started
        if spent >= least or count >= 1000:
            return spent / count * 1000, answer


def main():
    global LIMIT
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", nargs="?", default="snb", choices=["snb", "thirteen", "explore", "seldom", "bsbm", "sp2b", "shapes"])
    parser.add_argument("file")
    parser.add_argument("-n", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--query", action="append")
    parser.add_argument("--disk", help="a new folder for Oxigraph's store on disk")
    parser.add_argument("--only-ours", action="store_true")
    parser.add_argument("--server", action="append", default=[], type=Server, help="NAME=URL[@PROCESS]")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds after which a system is not asked again")
    arguments = parser.parse_args()
    LIMIT = arguments.limit
    suite = importlib.import_module(f"suites.{arguments.suite}")
    queries = suite.queries(arguments.file)
    systems = [Ours(arguments.file, arguments.threads)]
    if not arguments.only_ours and importlib.util.find_spec("pyoxigraph"):
        systems.append(Oxigraph(arguments.file, arguments.disk))
    for system in systems:
        size = f", {system.bytes / system.count:.1f} bytes a statement" if system.bytes else ""
        rate = system.count / system.seconds
        print(f"{system.name}: {system.count} statements in {system.seconds:.2f} CPU s, {rate:,.0f} a second{size}", flush=True)
    systems += arguments.server
    ratios = {system.name: [] for system in systems[1:]}
    for name in arguments.query or queries:
        asked(systems, name, suite.PREFIXES + queries[name], arguments.n, ratios)
    for name, own in ratios.items():
        if own:
            print(f"to {name}: geometric mean {statistics.geometric_mean(own):.4f}, worst {max(own):.3f}")


def asked(systems, name, text, times, ratios):
    """Asks all systems in turns and prints a line; one that was too slow, or failed, is not asked again."""
    samples, answers, given_up = [[] for _ in systems], [None] * len(systems), [""] * len(systems)
    for _ in range(times):
        for at, system in enumerate(systems):
            if given_up[at] or (samples[at] and samples[at][-1] > 5000):
                continue
            try:
                milliseconds, answers[at] = timed(system, text)
                samples[at].append(milliseconds)
            except Exception as error:
                given_up[at] = f"{type(error).__name__}: {str(error)[:60]}"
    middle = [statistics.median(own) if own else None for own in samples]
    line = "  ".join(
        f"{system.name} {ms:10.3f} ms" if ms is not None else f"{system.name} {given_up[at]}"
        for at, (system, ms) in enumerate(zip(systems, middle))
    )
    for at, system in enumerate(systems):
        if at and middle[0] is not None and middle[at]:
            ratio = middle[0] / middle[at]
            right = "" if same(answers[0], answers[at]) else f"  WRONG: {len(answers[0])} rows {answers[0][:2]} / {len(answers[at])} rows {answers[at][:2]}"
            ratios[system.name].append(ratio)
            line += f"  ratio {ratio:.4f}{right}"
    print(f"{name:32}{line}", flush=True)


if __name__ == "__main__":
    main()
