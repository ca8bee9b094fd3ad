"""Runs the W3C tests of SPARQL and of RDF's formats.

    python tests/conformance/sparql.py [FILTER…] [--show] [--jobs 2]  FILTER: part of a test's id
    python tests/conformance/sparql.py --shrink                       remove expected failures that pass now
    python tests/conformance/sparql.py --record                       first list of expected failures (only if there is none)
    python tests/conformance/sparql.py --driver oxigraph              the same tests with pyoxigraph, to see the runner run

A test's id is `sparql11/functions#strdt01`, `rdf12/rdf-turtle/eval#…`: the folder of its manifest, and its name there.
`sparql-expected-failures.txt` and the worker processes are as `harness.py` says. What needs a server and what is no aim
is not run and said at the end. Needs pyoxigraph, which reads manifests and expected results. Without the kits
(`../shared/conformance/sparql` and `rdf`) nothing is run, which is an error if CI=true.
"""

import collections
import functools
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import harness  # noqa: E402

KITS = [HERE.parents[1].parent / "shared" / "conformance" / name for name in ("sparql", "rdf")]
DRIVER = ["trimorph"]


@functools.cache
def all_tests():
    """Id -> test."""
    import sparql_suite

    return {name: test for kit in KITS for name, test in sparql_suite.tests(kit).items()}


@functools.cache
def tests():
    """Id -> test, of those that are run."""
    return {name: test for name, test in all_tests().items() if test.not_run is None}


def absent():
    """Why nothing can run, or None."""
    for kit in KITS:
        if not kit.exists():
            return f"the kit is not at {kit}"
    for module in {"pyoxigraph", "pyoxigraph" if DRIVER[0] == "oxigraph" else "trimorph"}:
        try:
            __import__(module)
        except ImportError as error:
            return f"{module} is not installed ({error})"
    return None


def runner():
    """What runs a test."""
    import sparql_drivers
    import sparql_run

    known, driver = tests(), sparql_drivers.DRIVERS[DRIVER[0]]
    return lambda name: sparql_run.run(driver, known[name])


SUITE = harness.Suite(
    script=HERE / "sparql.py",
    what="W3C tests",
    expected=HERE / "sparql-expected-failures.txt",
    known=tests,
    run=runner,
    absent=absent,
    folder=lambda name: name.split("#", 1)[0],
    header=["# W3C tests of SPARQL and RDF that are expected to fail, each with its reason: `id => reason`.",
            "# May only shrink: `python tests/conformance/sparql.py --shrink` removes what passes now."],
)


def main():
    parser = harness.command_line(__doc__)
    parser.add_argument("--driver", default="trimorph", choices=["trimorph", "oxigraph"])
    options = parser.parse_args()
    DRIVER[0] = options.driver
    SUITE.arguments = ["--driver", options.driver]
    if options.driver != "trimorph":
        SUITE.expected = HERE / f"sparql-expected-failures-{options.driver}.txt"
        if options.shrink or options.record:
            sys.exit("only failures of our own are recorded")
    if not options.worker and absent() is None:
        reasons = collections.Counter(test.not_run for test in all_tests().values() if test.not_run)
        for reason, count in sorted(reasons.items()):
            print(f"not run: {count} tests: {reason}")
    harness.main(SUITE, options)


if __name__ == "__main__":
    main()
