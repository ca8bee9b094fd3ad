"""Runs the openCypher TCK through `import trimorph`.

    python tests/conformance/tck.py [FILTER…] [--show] [--jobs 2]     FILTER: part of a scenario's id
    python tests/conformance/tck.py --shrink                          remove expected failures that pass now
    python tests/conformance/tck.py --record                          first list of expected failures (only if there is none)

A scenario's id is `clauses/match/Match5 [3] Handling … #2`: file, name, number of the example. `tck-expected-failures.txt`
holds `id => reason` lines; it may only shrink. A failure that is not listed, a listed one that passes, and a listed one
that does not exist all fail the run. Scenarios run in worker processes, so a crash or a hang costs one scenario.
Without the kit (`../shared/conformance/tck`) nothing is run, which is an error if CI=true.
"""

import argparse
import collections
import functools
import json
import os
import pathlib
import selectors
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import gherkin  # noqa: E402
import tck_scenario  # noqa: E402

KIT = HERE.parents[1].parent / "shared" / "conformance" / "tck"
EXPECTED = HERE / "tck-expected-failures.txt"
SECONDS = 30


@functools.cache
def scenarios():
    """Id -> scenario, in the order of the files."""
    found = {}
    for path in sorted((KIT / "features").rglob("*.feature")):
        prefix = path.relative_to(KIT / "features").with_suffix("").as_posix()
        for scenario in gherkin.scenarios(path.read_text(encoding="utf-8")):
            name = f"{prefix} {scenario.name}" + (f" #{scenario.example}" if scenario.example else "")
            if name in found:
                raise ValueError(f"two scenarios have the id {name!r}")
            found[name] = scenario
    return found


def fixture(name):
    """The statement that makes a named graph."""
    return (KIT / "graphs" / name / f"{name}.cypher").read_text(encoding="utf-8")


def expected_failures():
    """Id -> reason."""
    lines = EXPECTED.read_text(encoding="utf-8").splitlines() if EXPECTED.exists() else []
    entries = (line.rsplit(" => ", 1) for line in lines if line.strip() and not line.startswith("#"))
    return {name: reason for name, reason in entries}


def absent():
    """Why nothing can run, or None."""
    if not KIT.exists():
        return f"the kit is not at {KIT}"
    try:
        import trimorph  # noqa: F401
    except ImportError as error:
        return f"trimorph is not installed ({error}); run `pip install .` at the project's root"
    return None


class Worker:
    """A process that runs scenarios by id."""

    def __init__(self):
        self.process, self.task, self.since, self.received = None, None, 0.0, b""

    def give(self, name):
        if self.process is None:
            self.process = subprocess.Popen([sys.executable, str(HERE / "tck.py"), "--worker"], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
            self.received = b""
        self.task, self.since = name, time.monotonic()
        self.process.stdin.write((json.dumps(name) + "\n").encode())

    def take(self):
        """The answer as a list of one (category, text) or None; an empty list while it is not there."""
        chunk = os.read(self.process.stdout.fileno(), 1 << 20)
        if not chunk:
            status = self.process.wait()
            self.process = None
            return [("crash", f"the process ended with status {status}")]
        self.received += chunk
        if not self.received.endswith(b"\n"):
            return []
        answer, self.received = json.loads(self.received), b""
        return [tuple(answer) if answer else None]

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def run_all(names, jobs):
    """Yields (id, None or (category, text)) as scenarios end."""
    waiting = collections.deque(names)
    workers = [Worker() for _ in range(max(1, min(jobs, len(waiting))))]
    try:
        for worker in workers:
            if waiting:
                worker.give(waiting.popleft())
        while any(w.task for w in workers):
            busy = [w for w in workers if w.task]
            with selectors.DefaultSelector() as ready:
                for worker in busy:
                    ready.register(worker.process.stdout, selectors.EVENT_READ, worker)
                readable = [key.data for key, _ in ready.select(1.0)]
            for worker in busy:
                answers = worker.take() if worker in readable else []
                if not answers and time.monotonic() - worker.since > SECONDS:
                    worker.stop()
                    answers = [("timeout", f"no answer in {SECONDS} s")]
                if answers:
                    done, worker.task = worker.task, None
                    if waiting:
                        worker.give(waiting.popleft())
                    yield done, answers[0]
    finally:
        for worker in workers:
            worker.stop()


def serve():
    """The worker's side: ids in, verdicts out."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the engine prints must not mix with the answers
    import trimorph

    known = scenarios()
    for line in sys.stdin:
        answers.write(json.dumps(tck_scenario.run(trimorph, fixture, known[json.loads(line)])) + "\n")
        answers.flush()


def write_expected(entries):
    """The file anew, sorted, with its header."""
    header = ["# Scenarios of the TCK that are expected to fail, each with its reason: `id => reason`.",
              "# May only shrink: `python tests/conformance/tck.py --shrink` removes what passes now."]
    EXPECTED.write_text("\n".join(header + [f"{name} => {reason}" for name, reason in sorted(entries.items())]) + "\n",
                        encoding="utf-8")


def reason(wrong):
    """One line for the file of expected failures."""
    category, text = wrong
    return f"{category}: {text}".replace("\n", " ").replace(" => ", " -> ")[:160]


def summary(results):
    """Counts by folder and by category."""
    folders, categories = {}, collections.Counter()
    for name, wrong in results.items():
        folder = "/".join(name.split(" ", 1)[0].split("/")[:2])
        passed, total = folders.get(folder, (0, 0))
        folders[folder] = (passed + (wrong is None), total + 1)
        if wrong:
            categories[wrong[0]] += 1
    for folder, (passed, total) in sorted(folders.items()):
        print(f"  {folder:<40} {passed:>5} of {total}")
    for category, count in categories.most_common():
        print(f"  failed, {category:<31} {count:>5}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filters", nargs="*", metavar="FILTER")
    parser.add_argument("--show", action="store_true", help="print every failure, expected or not")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return serve()
    why = absent()
    if why:
        print(f"TCK skipped: {why}")
        return sys.exit(os.environ.get("CI") == "true")
    known, expected = scenarios(), expected_failures()
    if options.record and expected:
        sys.exit(f"{EXPECTED.name} has entries already; it may only shrink")
    chosen = [n for n in known if not options.filters or any(f in n for f in options.filters)]
    results, started = {}, time.monotonic()
    for name, wrong in run_all(chosen, options.jobs):
        results[name] = wrong
        if wrong and (options.show or (name not in expected and not options.record)):
            print(f"{'expected  ' if name in expected else 'FAIL      '}{name}\n          {wrong[0]}: {wrong[1]}", flush=True)
    passed = sum(wrong is None for wrong in results.values())
    new = [n for n in chosen if results[n] and n not in expected]
    fixed = [n for n in chosen if not results[n] and n in expected]
    unknown = [n for n in expected if n not in known]
    summary(results)
    print(f"{passed} of {len(results)} scenarios pass in {time.monotonic() - started:.0f} s; {len(new)} unexpected failures,"
          f" {len(fixed)} unexpected passes, {len(unknown)} unknown entries")
    if options.record:
        write_expected({n: reason(results[n]) for n in chosen if results[n]})
        return None
    if options.shrink:
        write_expected({n: r for n, r in expected.items() if n not in fixed and n not in unknown})
        return sys.exit(bool(new))
    for name in fixed:
        print(f"passes now, take it off the list (--shrink): {name}")
    for name in unknown:
        print(f"no such scenario: {name}")
    return sys.exit(bool(new or fixed or unknown))


if __name__ == "__main__":
    main()
