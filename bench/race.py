"""Systems in turns: starts a worker process per system, alternates them over each query, reports medians and ratios.

Ours and the peers run in the same call and alternate sample by sample, because the machine is shared: two figures of
different runs may not be compared. A sample repeats a fast query until it fills `SAMPLE_SECONDS`.
"""

import datetime as dt
import json
import math
import os
import pathlib
import selectors
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SAMPLE_SECONDS = 0.02
OURS = "trimorph"
BEFORE = "trimorph-before"  # an earlier build of ours, from the folder that --before names


class Failed(Exception):
    """A system said no; the text says why."""


class CutOff(Failed):
    """A system took longer than the limit and was stopped."""


def encode(value):
    """The JSON form of a temporal parameter, see `peers/worker.py`."""
    if isinstance(value, dt.datetime):
        return {"$instant": value.isoformat()}
    if isinstance(value, dt.date):
        return {"$date": value.isoformat()}
    if isinstance(value, dt.timedelta):
        return {"$seconds": value.total_seconds()}
    raise TypeError(f"a {type(value).__name__} cannot be a parameter")


def asked_as(name):
    """The system whose texts and adapter another one uses."""
    return OURS if name == BEFORE else name


class System:
    """A worker process and the database it has open."""

    def __init__(self, name, path, threads, limit, packages=None):
        self.name, self.path, self.threads, self.limit = name, str(path), threads, limit
        self.packages = packages  # a folder of packages that come before the installed ones
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "peers" / "worker.py"), asked_as(self.name)],
            env=os.environ | ({"PYTHONPATH": str(self.packages)} if self.packages else {}),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
        self.version = self.request("open", path=self.path, threads=self.threads, seconds=600)["version"]

    def request(self, verb, seconds=None, **fields):
        """One request and its answer. Past the limit the process is ended, and started again for the next request.

        The limit is in CPU seconds of the process, because the machine may be shared, with twenty times as much by the wall clock;
        `seconds` is by the wall clock.
        """
        line = json.dumps({"do": verb, **fields}, default=encode) + "\n"
        self.process.stdin.write(line.encode())
        ready = selectors.DefaultSelector()
        ready.register(self.process.stdout, selectors.EVENT_READ)
        wall, cpu, answer = time.monotonic() + (seconds or 20 * self.limit), self.cpu_seconds() + self.limit, b""
        while not answer.endswith(b"\n"):
            if not ready.select(0.2):
                if time.monotonic() < wall and (seconds or self.cpu_seconds() < cpu):
                    continue
                self.process.kill()
                self.process.wait()
                self.start()
                raise CutOff(f"> {seconds or self.limit:g} s")
            chunk = os.read(self.process.stdout.fileno(), 1 << 20)
            if not chunk:
                self.process.wait()
                if verb == "open":
                    raise Failed("worker died at start")
                self.start()
                raise Failed("worker died")
            answer += chunk
        answer = json.loads(answer)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer["ok"]

    def cpu_seconds(self):
        """User and system time of the process so far."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def ask(self, text, parameters=None, repeats=1, rows=0, **how):
        """`how` is passed on to the worker: `plain`, `fetch`."""
        return self.request("ask", text=text, parameters=parameters or {}, repeats=repeats, rows=rows, **how)

    def stop(self):
        """Closes the database and ends the process."""
        try:
            self.request("close", seconds=120)
        except Failed:
            pass
        self.process.stdin.close()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Race:
    """The results of one call: a file of JSON lines and a table at the end of each suite."""

    def __init__(self, options):
        self.options = options
        self.work = options.work
        self.work.mkdir(parents=True, exist_ok=True)
        out = HERE / "out"
        out.mkdir(exist_ok=True)
        self.path = out / f"{time.strftime('%Y%m%d-%H%M%S')}.jsonl"
        self.file = self.path.open("w", encoding="utf-8")
        self.missing = set()

    def names(self, among):
        """The systems of a suite that the caller wants, ours first."""
        if self.options.before:
            among = [n for name in among for n in ([OURS, BEFORE] if name == OURS else [name])]
        wanted = self.options.systems or among
        return [name for name in among if name in wanted and name not in self.missing]

    def record(self, **fields):
        fields = {"at": time.time(), "load": os.getloadavg()[0], "threads": self.options.threads, **fields}
        self.file.write(json.dumps(fields, default=str) + "\n")
        self.file.flush()

    def open(self, name, path, fresh=False):
        """A system, or None if it is not installed (said once)."""
        path = self.work / path
        if fresh:
            remove(path)
        try:
            packages = self.options.before if name == BEFORE else None
            return System(name, path, self.options.threads, self.options.limit, packages)
        except Failed as error:
            self.missing.add(name)
            print(f"  {name}: not available ({str(error)[:120]})", flush=True)
            self.record(suite="open", system=name, error=str(error))
            return None

    def built(self, name, path, load, **files):
        """A system with a database that holds the data: built now unless an earlier call left it there."""
        marker = self.work / f"{path}.ready"
        stale = self.options.rebuild or not marker.exists()
        system = self.open(name, path, fresh=stale)
        if system and stale:
            marker.unlink(missing_ok=True)
            try:
                system.request(load, files=files, seconds=1800)
            except Failed as error:
                print(f"  {name}: could not load ({str(error)[:200]})", flush=True)
                self.missing.add(name)
                system.stop()
                return None
            marker.touch()
            # Opened again, so that it is asked as it lies in its files, not as loading left it.
            system.stop()
            system = self.open(name, path)
        return system

    def query(self, suite, query, systems, asks, expected=None, **how):
        """One query on all systems, alternating. `asks` maps a system to (text, parameters); `expected` checks rows.
        `how` goes to the workers, see `System.ask`.

        Returns system -> {"cpu", "wall"} medians in seconds, or {"error"}.
        """
        samples, result, repeats = {}, {}, {}
        for system in systems:  # warm up, check the answer, find out how often a sample repeats
            if asked_as(system.name) not in asks:
                continue
            text, parameters = asks[asked_as(system.name)]
            try:
                first = system.ask(text, parameters, rows=1_000_000 if expected else 1, **how)
                wrong = expected(first["rows"]) if expected else None
                if wrong:
                    result[system.name] = {"error": f"wrong: {wrong}"}
                    continue
                slow = first["cpu"] > self.options.enough / 4
                # The first may have read from files what later ones find in memory.
                warm = first if slow else system.ask(text, parameters, **how)
                repeats[system.name] = max(1, min(1000, math.ceil(SAMPLE_SECONDS / max(warm["cpu"], 1e-6))))
                # One sample alone is not the one that reads from files.
                samples[system.name] = [first] if slow and self.options.repetitions > 1 else []
                result[system.name] = {"first": first["cpu"], "rows": first["count"], "answer": first.get("rows")}
            except Failed as error:
                result[system.name] = {"error": str(error)}
        for _ in range(self.options.repetitions):
            for system in systems:
                done = samples.get(system.name)
                if done is None or (done and sum(s["cpu"] for s in done) > self.options.enough):
                    continue
                try:
                    done.append(system.ask(*asks[asked_as(system.name)], repeats=repeats[system.name], **how))
                except Failed as error:
                    result[system.name] = {"error": str(error)}
                    del samples[system.name]
        for name, done in samples.items():
            for clock in ("cpu", "wall"):
                values = [s[clock] for s in done]
                result[name] |= {clock: statistics.median(values), f"{clock}_min": min(values), f"{clock}_max": max(values)}
            result[name] |= {"samples": len(done), "repeats": repeats[name]}
        for name, fields in result.items():
            self.record(suite=suite, query=query, system=name, **{k: v for k, v in fields.items() if k != "answer"})
        return result


def remove(path):
    """A database, be it a file with companions or a directory."""
    for old in path.parent.glob(path.name + "*"):
        shutil.rmtree(old) if old.is_dir() else old.unlink()


def disk_bytes(path):
    """Bytes of a database on disk."""
    return sum(f.stat().st_size for p in path.parent.glob(path.name + "*")
               for f in ([p] if p.is_file() else p.rglob("*")) if f.is_file())


def milliseconds(fields, clock="cpu"):
    if fields is None:
        return "-"
    if clock in fields:
        return f"{fields[clock] * 1e3:.3g}" if fields[clock] < 1 else f"{fields[clock] * 1e3:.0f}"
    error = fields.get("error", "-")
    return error if error.startswith(">") else "wrong" if error.startswith("wrong") else "failed"


def ratio(results, names):
    """Ours divided by the best of `names`, in CPU time."""
    others = [results[n]["cpu"] for n in names if "cpu" in results.get(n, {})]
    ours = results.get(OURS, {}).get("cpu")
    return f"{ours / min(others):.2f}" if ours and others else "-"


def table(title, header, rows):
    """Prints aligned columns."""
    rows = [header] + [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
    print(f"\n{title}")
    for row in rows:
        print("  " + "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))))
    sys.stdout.flush()


def query_table(title, names, results):
    """`results`: query -> system -> fields; CPU milliseconds, then ratios of ours; failures in words below."""
    peers = [n for n in names if n not in (OURS, BEFORE, "limit")]
    ratios = {"ours/best peer": peers} if peers else {}
    if BEFORE in names:
        ratios["ours/before"] = [BEFORE]
    table(title + " — CPU ms, median", ["query", *names, *ratios],
          [[query, *(milliseconds(fields.get(n)) for n in names), *(ratio(fields, among) for among in ratios.values())]
           for query, fields in results.items()])
    for query, fields in results.items():
        for name, found in fields.items():
            if "error" in found and not found["error"].startswith(">"):
                print(f"  {query} {name}: {found['error'][:200]}")
