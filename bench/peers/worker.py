"""One system in one long-lived process: requests and answers are JSON lines over stdin and stdout.

    python worker.py trimorph|ladybug|kuzu|duckdb|sqlite|oxigraph

Request `{"do": verb, …}`, answer `{"ok": …}` or `{"error": text}`:

| verb | fields | answer |
|---|---|---|
| open | path, threads | version |
| setup | statements | cpu and wall seconds |
| load_snb, load_graph, load_tables, load_parquet, load_rdf | paths of the data, see the adapters | cpu and wall seconds |
| ask | text, parameters, repeats, rows (how many to send), plain (in the form of `plain.py`), fetch (`fetchall`, `arrow`, `df`, `pl`), lang (`sparql`) | cpu and wall seconds per execution, repeats, row count, rows |
| each | text, parameter_rows | wall seconds per call, total cpu, number of rows |
| size | | resident bytes, peak bytes |
| close | | |

CPU is `time.process_time()`: user and system time of all threads of this process, as `getrusage` but in nanoseconds.
Rows are always fetched completely; converting them to JSON is not timed.
"""

import datetime as dt
import importlib
import json
import os
import pathlib
import resource
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "snb"))
sys.path.insert(0, str(HERE))

import plain  # noqa: E402


def clocks():
    return time.process_time(), time.perf_counter()


def decode(value):
    """`{"$instant": "…"}`, `{"$date": "…"}` and `{"$seconds": …}` are how JSON carries temporal parameters."""
    if isinstance(value, dict):
        if "$instant" in value:
            return dt.datetime.fromisoformat(value["$instant"])
        if "$date" in value:
            return dt.date.fromisoformat(value["$date"])
        if "$seconds" in value:
            return dt.timedelta(seconds=value["$seconds"])
        return {key: decode(item) for key, item in value.items()}
    return [decode(item) for item in value] if isinstance(value, list) else value


def decoded(parameters):
    return {name: decode(value) for name, value in (parameters or {}).items()}


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Worker:
    def __init__(self, name):
        self.name = name
        # `peers/ladybug.py` would hide the package of that name, so adapters are called `ask_…`.
        module = {"kuzu": "ask_ladybug", "ladybug": "ask_ladybug"}.get(name, f"ask_{name}")
        self.adapter = importlib.import_module(module).Adapter(name)

    def timed(self, work):
        cpu, wall = clocks()
        work()
        cpu_end, wall_end = clocks()
        return {"cpu": cpu_end - cpu, "wall": wall_end - wall}

    def open(self, request):
        return {"version": self.adapter.open(request["path"], request.get("threads", 1))}

    def setup(self, request):
        return self.timed(lambda: [self.adapter.run(s) for s in request["statements"]])

    def load_snb(self, request):
        return self.timed(lambda: self.adapter.load_snb(**request["files"]))

    def load_graph(self, request):
        return self.timed(lambda: self.adapter.load_graph(**request["files"]))

    def load_tables(self, request):
        return self.timed(lambda: self.adapter.load_tables(**request["files"]))

    def load_parquet(self, request):
        return self.timed(lambda: self.adapter.load_parquet(**request["files"]))

    def load_rdf(self, request):
        return self.timed(lambda: self.adapter.load_rdf(**request["files"]))

    def ask(self, request):
        how = {name: request[name] for name in ("fetch", "lang") if name in request}
        ask = self.adapter.prepare(request["text"], decoded(request.get("parameters")), **how)
        repeats = request.get("repeats", 1)
        cpu, wall = clocks()
        for _ in range(repeats):
            rows = ask()
        cpu_end, wall_end = clocks()
        answer = {"cpu": (cpu_end - cpu) / repeats, "wall": (wall_end - wall) / repeats, "repeats": repeats, "count": len(rows)}
        if request.get("rows"):
            # Only what is sent: a million instants of Arrow are long in becoming Python's.
            wanted = request["rows"]
            found = plain.rows(rows.slice(0, wanted) if hasattr(rows, "slice") else rows[:wanted])
            answer["rows"] = [[plain.plain(v) for v in row] if request.get("plain") else list(row) for row in found]
        return answer

    def each(self, request):
        ask = self.adapter.prepare_with(request["text"])
        parameter_rows = [decoded(p) for p in request["parameter_rows"]]
        count, walls = 0, []
        cpu = time.process_time()
        for parameters in parameter_rows:
            started = time.perf_counter()
            count += len(ask(parameters))
            walls.append(time.perf_counter() - started)
        return {"walls": walls, "cpu": time.process_time() - cpu, "count": count}

    def size(self, _request):
        return {"resident": resident_bytes(), "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}

    def close(self, _request):
        self.adapter.close()
        return {}


def main():
    # What a library prints must not mix with the protocol.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    worker = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if worker is None:
                worker = Worker(sys.argv[1])
            answer = {"ok": getattr(worker, request["do"])(request)}
        except BaseException as error:  # the runner decides what a failure means
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer, default=str) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
