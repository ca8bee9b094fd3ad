"""Runs the isolation suites (`../shared/conformance/acid`) in this process.

    python tests/conformance/isolation.py [--level LEVEL] [--rounds 1] [--seconds 2] [--seed N] [--path DB] [--half]

At each level: LDBC's tests and the directed schedules (`acid.py`), of which those must not be seen that the level forbids,
and of each of which some transactions must commit (`--half`: half of them, which depends on how threads meet); then random transactions of appends and reads, whose history is searched
for anomalies (`listappend.py`), in openCypher and, by `sparql_appends.py`, in SPARQL. Without the kit nothing is run, which is an error if CI=true.
"""

import argparse
import faulthandler
import os
import pathlib
import random
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KIT = HERE.parents[1].parent / "shared" / "conformance" / "acid"
LEVELS = ("serializable", "snapshot", "read committed")
# Of two transactions that cannot both commit one is all that can be asked for.
HALF_OF_PAIRS = {"D:LU", "D:WS", "D:PWS", "D:RO", "D:DEL", "D:UNIQ"}
# A test takes seconds: after as many as these transactions wait for each other, and where they stand is shown.
HANGS_AFTER = 300


def write_skew(acid, kit):
    """`acid.WS` with its last question asked of pairs only: it also counts a person with the next pair's first one."""
    _, counts = acid.WS(kit)
    query = """MATCH (p1:Person), (p2:Person {id: p1.id + 1}) WHERE p1.id % 2 = 1 AND p1.value + p2.value <= 0
               RETURN count(*) AS broken"""
    broken = kit.q(query)[0]["broken"]
    return broken > 0, {**counts, "broken_pairs": broken}


def acid_tests(acid, level, rounds, half):
    """Lines about the tests that failed."""
    kit, wrong = acid.T("", None, {"isolation": level}, 8), []
    forbidden = acid.FORBID[level.replace(" ", "-")]
    tests = {**acid.TESTS, "WS": lambda kit: write_skew(acid, kit)}
    for name, test in tests.items():
        seen, committed, aborted, notes = 0, 0, 0, {}
        for _ in range(rounds):
            faulthandler.dump_traceback_later(HANGS_AFTER, exit=True)
            kit.nuke()
            bad, counts = test(kit)
            seen += bool(bad)
            committed += counts.get("committed", 0)
            aborted += counts.get("aborted", 0)
            notes = {key: n for key, n in counts.items() if key not in ("committed", "aborted")}
        verdict = "PRESENT" if seen else "absent"
        print(f"  {name:<7} {verdict:<8} {committed:>4} committed {aborted:>4} aborted  {notes}", flush=True)
        if seen and name in forbidden:
            wrong.append(f"{level}: {name} was seen in {seen} of {rounds} rounds")
        if half and committed < aborted and name not in HALF_OF_PAIRS:
            wrong.append(f"{level}: {name}: {committed} transactions committed, {aborted} aborted")
        if committed == 0 and aborted > 0:
            wrong.append(f"{level}: {name}: no transaction committed")
    return wrong


def list_appends(listappend, level, seconds, seed, half):
    """Lines about the anomalies that the level forbids."""
    options = argparse.Namespace(uri="", user=None, password=None, seconds=seconds, threads=8, keys=8, ops=4,
                                 tx_metadata=f'{{"isolation": "{level}"}}', seed=seed)
    faulthandler.dump_traceback_later(HANGS_AFTER + seconds, exit=True)
    _, history = listappend.run(options)
    if len(history) < 2:
        return [f"{level}: no transactions were run"]
    found, examples = listappend.check(history, realtime=level == "serializable")
    ended = [entry["s"] for entry in history]
    print(f"  appends: {ended.count('ok')} committed, {ended.count('fail')} aborted, anomalies {dict(found) or 'none'}", flush=True)
    forbidden = listappend.FORBID[level.replace(" ", "-")] | {"garbage"}
    wrong = [f"{level}: {name}: {examples[name]}" for name in sorted(forbidden & set(found))]
    if half and ended.count("ok") < ended.count("fail"):
        wrong.append(f"{level}: more appending transactions were aborted than committed")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--level", choices=LEVELS, action="append")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--half", action="store_true", help="at least half of all transactions must commit")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--path", help="a database directory; in memory without it")
    options = parser.parse_args()
    if not KIT.exists():
        print(f"isolation suites skipped: the kit is not at {KIT}")
        return sys.exit(os.environ.get("CI") == "true")
    import neo4j_in_process
    import sparql_appends
    import trimorph

    print(f"seed {options.seed}")
    random.seed(options.seed)
    sys.path.insert(0, str(KIT))
    wrong = []
    for level in options.level or LEVELS:
        print(level, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "db" if options.path is None else options.path
            with trimorph.Database(":memory:" if options.path is None else str(path)) as database:
                for instead in (None, sparql_appends.run):
                    neo4j_in_process.install(trimorph, database, instead)
                    for name in ("acid", "listappend"):
                        sys.modules.pop(name, None)
                    import acid
                    import listappend

                    if instead is None:
                        wrong += acid_tests(acid, level, options.rounds, options.half)
                    else:
                        print("  in SPARQL:")
                    wrong += list_appends(listappend, level, options.seconds, options.seed, options.half)
    faulthandler.cancel_dump_traceback_later()
    for line in wrong:
        print("FAIL", line)
    print(f"{len(wrong)} findings")
    return sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
