"""Runs the openCypher TCK through `import trimorph`.

    python tests/conformance/tck.py [FILTER…] [--show] [--jobs 2]     FILTER: part of a scenario's id
    python tests/conformance/tck.py --shrink                          remove expected failures that pass now
    python tests/conformance/tck.py --record                          first list of expected failures (only if there is none)

A scenario's id is `clauses/match/Match5 [3] Handling … #2`: file, name, number of the example. `tck-expected-failures.txt`
and the worker processes are as `harness.py` says.
Without the kit (`../shared/conformance/tck`) nothing is run, which is an error if CI=true.
"""

import functools
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import gherkin  # noqa: E402
import harness  # noqa: E402
import tck_scenario  # noqa: E402

KIT = HERE.parents[1].parent / "shared" / "conformance" / "tck"
EXPECTED = HERE / "tck-expected-failures.txt"


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
    return harness.expected_failures(EXPECTED)


def absent():
    """Why nothing can run, or None."""
    if not KIT.exists():
        return f"the kit is not at {KIT}"
    try:
        import trimorph  # noqa: F401
    except ImportError as error:
        return f"trimorph is not installed ({error}); run `pip install .` at the project's root"
    return None


def runner():
    """What runs a scenario."""
    import trimorph

    known = scenarios()
    return lambda name: tck_scenario.run(trimorph, fixture, known[name])


SUITE = harness.Suite(
    script=HERE / "tck.py",
    what="scenarios",
    expected=EXPECTED,
    known=scenarios,
    run=runner,
    absent=absent,
    folder=lambda name: "/".join(name.split(" ", 1)[0].split("/")[:2]),
    header=["# Scenarios of the TCK that are expected to fail, each with its reason: `id => reason`.",
            "# May only shrink: `python tests/conformance/tck.py --shrink` removes what passes now."],
)


def run_all(names, jobs):
    """Yields (id, None or (category, text)) as scenarios end."""
    return harness.run_all(SUITE, names, jobs)


if __name__ == "__main__":
    harness.main(SUITE, harness.command_line(__doc__).parse_args())
