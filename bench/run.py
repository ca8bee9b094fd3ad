"""Benchmarks: ours and the peers in turns, medians and ratios. See README.md.

    python bench/run.py [khop] [snb-k] [snb-bi] [load] [latency]        all of them without an argument
"""

import argparse
import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "snb")]

import race  # noqa: E402

SUITES = {"khop": "khop", "snb-k": "snb_k", "snb-bi": "snb_bi", "load": "load", "latency": "latency"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=", ".join(SUITES))
    parser.add_argument("-n", "--repetitions", type=int, default=5, help="samples per query and system (5)")
    parser.add_argument("--threads", type=int, default=1, help="threads of every system (1)")
    parser.add_argument("--limit", type=float, default=40.0, help="seconds after which a query is cut off (40)")
    parser.add_argument("--system", dest="systems", action="append", help="only this system; may repeat")
    parser.add_argument("--scale", type=int, action="append", help="khop: scale of the graph; may repeat (14 and 17)")
    parser.add_argument("--query", action="append", help="snb-bi: only this query; may repeat")
    parser.add_argument("--cases", type=int, default=3, help="snb-bi: parameter rows per variant (3; all are 10)")
    parser.add_argument("--before", type=pathlib.Path, metavar="DIR",
                        help="also race an earlier build of ours: a folder made by `pip install --no-deps --target DIR PATH`")
    parser.add_argument("--rebuild", action="store_true", help="load the databases again; needed after a change of our storage")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/trimorph-bench"), help="databases and generated data")
    options = parser.parse_args()
    unknown = [s for s in options.suites if s not in SUITES]
    if unknown:
        parser.error(f"no suite {unknown[0]!r}; there are {', '.join(SUITES)}")
    options.work = options.work.resolve()
    options.before = options.before and options.before.resolve()
    one_race = race.Race(options)
    for suite in options.suites or SUITES:
        print(f"\n== {suite}", flush=True)
        importlib.import_module(f"suites.{SUITES[suite]}").run(one_race)
    print(f"\nsamples: {one_race.path}")


if __name__ == "__main__":
    main()
