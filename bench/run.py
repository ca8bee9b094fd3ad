"""Benchmarks: ours and the peers in turns, medians and ratios. See README.md.

    python bench/run.py [khop] [snb-k] [snb-bi] [load] [latency]        all of these without an argument
    python bench/run.py everyday | cores | drawn | snb-interactive | bi-generated | table1 | payments | drawn-payments | catalogue
                                                                    only when named: they take longer
"""

import argparse
import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "snb")]

import race  # noqa: E402

SUITES = {"khop": "khop", "snb-k": "snb_k", "snb-bi": "snb_bi", "load": "load", "latency": "latency"}
LONG = {"everyday": "everyday", "cores": "cores", "drawn": "drawn", "snb-interactive": "snb_interactive", "bi-generated": "bi_generated", "table1": "table1", "payments": "payments",
        "drawn-payments": "drawn_payments", "catalogue": "catalogue"}
# A suite may have its own. After `enough` CPU seconds of samples no more are taken; a first run over a quarter of it is a sample.
DEFAULTS = {"repetitions": 5, "limit": 40.0, "enough": 40.0}


def with_defaults(options, module):
    """The options with what the caller left open filled in for a suite."""
    filled = {name: value for name, value in vars(options).items() if value is not None}
    return argparse.Namespace(**vars(options) | DEFAULTS | getattr(module, "DEFAULTS", {}) | filled)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=", ".join(SUITES | LONG))
    parser.add_argument("-n", "--repetitions", type=int, help="samples per query and system (5; everyday, payments, catalogue: 3)")
    parser.add_argument("--threads", type=int, default=1, help="threads of every system (1)")
    parser.add_argument("--limit", type=float, help="CPU seconds after which a query is cut off (40; everyday, payments, catalogue: 20)")
    parser.add_argument("--system", dest="systems", action="append", help="only this system; may repeat")
    parser.add_argument("--scale", type=float, action="append",
                        help="khop: scale of the graph; may repeat (14 and 17); everyday, cores, snb-interactive, bi-generated: scale of the network (1); table1: of the tables (1)")
    parser.add_argument("--query", action="append", help="snb-bi, everyday, cores, drawn, payments, drawn-payments, catalogue, snb-interactive, bi-generated: only this query; may repeat")
    parser.add_argument("--family", action="append", help="everyday, cores, payments, catalogue: only this family of queries; may repeat")
    parser.add_argument("--cases", type=int, default=3, help="snb-bi: parameter rows per variant (3; all are 10)")
    parser.add_argument("--seed", type=int, default=1, help="drawn, drawn-payments: other queries (1)")
    parser.add_argument("--queries", type=int, default=200, help="drawn, drawn-payments: how many (200)")
    parser.add_argument("--before", type=pathlib.Path, metavar="DIR",
                        help="also race an earlier build of ours: a folder made by `pip install --no-deps --target DIR PATH`")
    parser.add_argument("--rebuild", action="store_true", help="load the databases again; needed after a change of our storage")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/trimorph-bench"), help="databases and generated data")
    options = parser.parse_args()
    modules = SUITES | LONG
    unknown = [s for s in options.suites if s not in modules]
    if unknown:
        parser.error(f"no suite {unknown[0]!r}; there are {', '.join(modules)}")
    options.work = options.work.resolve()
    options.before = options.before and options.before.resolve()
    one_race = race.Race(options)
    for suite in options.suites or SUITES:
        print(f"\n== {suite}", flush=True)
        module = importlib.import_module(f"suites.{modules[suite]}")
        one_race.options = with_defaults(options, module)
        module.run(one_race)
    print(f"\nsamples: {one_race.path}")


if __name__ == "__main__":
    main()
