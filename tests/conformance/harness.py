"""What suites of conformance tests have in common: worker processes, lists of expected failures, the command line.

A suite is a list of ids and a function that runs one of them and gives None or (category, text). The list of expected
failures holds `id => reason` lines; it may only shrink. A failure that is not listed, a listed one that passes, and a
listed one that does not exist all fail the run. Tests run in worker processes, so a crash or a hang costs one test.
"""

import argparse
import collections
import json
import os
import selectors
import subprocess
import sys
import time


class Suite:
    """A suite, described by whoever runs it."""

    def __init__(self, script, what, expected, known, run, absent, folder, header, seconds=120):
        self.script = script  # the path of the file that calls main()
        self.what = what  # such as "scenarios"
        self.expected = expected  # the path of the list of expected failures
        self.known = known  # () -> ids, in order
        self.run = run  # () -> function of an id that gives None or (category, text); called in a worker
        self.absent = absent  # () -> why nothing can run, or None
        self.folder = folder  # id -> the folder it is summed up in
        self.header = header  # the first lines of the list of expected failures
        self.seconds = seconds  # that a test may take
        self.arguments = []  # of a worker


def expected_failures(path):
    """Id -> reason."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    entries = (line.rsplit(" => ", 1) for line in lines if line.strip() and not line.startswith("#"))
    return {name: reason for name, reason in entries}


class Worker:
    """A process that runs tests by id."""

    def __init__(self, suite):
        self.suite, self.process, self.task, self.since, self.received = suite, None, None, 0.0, b""

    def give(self, name):
        if self.process is None:
            command = [sys.executable, str(self.suite.script), "--worker", *self.suite.arguments]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, bufsize=0)
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


def run_all(suite, names, jobs):
    """Yields (id, None or (category, text)) as tests end."""
    waiting = collections.deque(names)
    workers = [Worker(suite) for _ in range(max(1, min(jobs, len(waiting))))]
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
                if not answers and time.monotonic() - worker.since > suite.seconds:
                    worker.stop()
                    answers = [("timeout", f"no answer in {suite.seconds} s")]
                if answers:
                    done, worker.task = worker.task, None
                    if waiting:
                        worker.give(waiting.popleft())
                    yield done, answers[0]
    finally:
        for worker in workers:
            worker.stop()


def serve(suite):
    """The worker's side: ids in, verdicts out."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the engine prints must not mix with the answers
    run = suite.run()
    for line in sys.stdin:
        answers.write(json.dumps(run(json.loads(line))) + "\n")
        answers.flush()


def write_expected(suite, entries):
    """The file anew, sorted, with its header."""
    lines = suite.header + [f"{name} => {reason}" for name, reason in sorted(entries.items())]
    suite.expected.write_text("\n".join(lines) + "\n", encoding="utf-8")


def reason(wrong):
    """One line for the file of expected failures."""
    category, text = wrong
    return f"{category}: {text}".replace("\n", " ").replace(" => ", " -> ")[:160]


def summary(suite, results):
    """Counts by folder and by category."""
    folders, categories = {}, collections.Counter()
    for name, wrong in results.items():
        folder = suite.folder(name)
        passed, total = folders.get(folder, (0, 0))
        folders[folder] = (passed + (wrong is None), total + 1)
        if wrong:
            categories[wrong[0]] += 1
    for folder, (passed, total) in sorted(folders.items()):
        print(f"  {folder:<40} {passed:>5} of {total}")
    for category, count in categories.most_common():
        print(f"  failed, {category:<31} {count:>5}")


def command_line(description):
    """The options that every suite has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filters", nargs="*", metavar="FILTER")
    parser.add_argument("--show", action="store_true", help="print every failure, expected or not")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser


def main(suite, options):
    """Runs what the options choose; ends the program with 1 if something is not as expected."""
    if options.worker:
        return serve(suite)
    why = suite.absent()
    if why:
        print(f"{suite.what} skipped: {why}")
        return sys.exit(os.environ.get("CI") == "true")
    known, expected = suite.known(), expected_failures(suite.expected)
    if options.record and expected:
        sys.exit(f"{suite.expected.name} has entries already; it may only shrink")
    chosen = [n for n in known if not options.filters or any(f in n for f in options.filters)]
    results, started = {}, time.monotonic()
    for name, wrong in run_all(suite, chosen, options.jobs):
        results[name] = wrong
        if wrong and (options.show or (name not in expected and not options.record)):
            print(f"{'expected  ' if name in expected else 'FAIL      '}{name}\n          {wrong[0]}: {wrong[1]}", flush=True)
    passed = sum(wrong is None for wrong in results.values())
    new = [n for n in chosen if results[n] and n not in expected]
    fixed = [n for n in chosen if not results[n] and n in expected]
    unknown = [n for n in expected if n not in known]
    summary(suite, results)
    print(f"{passed} of {len(results)} {suite.what} pass in {time.monotonic() - started:.0f} s; {len(new)} unexpected failures,"
          f" {len(fixed)} unexpected passes, {len(unknown)} unknown entries")
    if options.record:
        write_expected(suite, {n: reason(results[n]) for n in chosen if results[n]})
        return None
    if options.shrink:
        write_expected(suite, {n: r for n, r in expected.items() if n not in fixed and n not in unknown})
        return sys.exit(bool(new))
    for name in fixed:
        print(f"passes now, take it off the list (--shrink): {name}")
    for name in unknown:
        print(f"no such entry: {name}")
    return sys.exit(bool(new or fixed or unknown))
