"""pytest's way into the TCK: one test per scenario, and tests of the harness that need no engine."""

import os

import pytest
import tck
import tck_value


def pytest_generate_tests(metafunc):
    if "scenario" in metafunc.fixturenames:
        metafunc.parametrize("scenario", list(tck.scenarios()) if tck.KIT.exists() else [])


@pytest.fixture(scope="session")
def verdicts():
    """Runs everything once, in worker processes; id -> None or (category, text)."""
    why = tck.absent()
    if why:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"TCK: {why}")
    return dict(tck.run_all(list(tck.scenarios()), os.cpu_count() or 1))


@pytest.fixture(scope="session")
def expected():
    return tck.expected_failures()


def test_scenario(scenario, verdicts, expected):
    wrong = verdicts[scenario]
    if wrong and scenario not in expected:
        pytest.fail(f"{wrong[0]}: {wrong[1]}", pytrace=False)
    if not wrong and scenario in expected:
        pytest.fail("passes now; take it off the list: python tests/conformance/tck.py --shrink", pytrace=False)
    if wrong:
        pytest.xfail(expected[scenario])


@pytest.mark.skipif(not tck.KIT.exists(), reason=f"the kit is not at {tck.KIT}")
def test_expected_failures_exist(expected):
    assert not expected.keys() - tck.scenarios().keys()


@pytest.mark.skipif(not tck.KIT.exists(), reason=f"the kit is not at {tck.KIT}")
def test_every_expected_value_can_be_read():
    scenarios = tck.scenarios()
    assert len(scenarios) == 2248
    for scenario in scenarios.values():
        for step in scenario.steps:
            if step.text.startswith("the result should be") and step.table:
                for row in step.table[1:]:
                    for cell in row:
                        tck_value.read(cell)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("1", "1", True),
        ("1", "1.0", False),
        ("1", "true", False),
        ("NaN", "NaN", True),
        ("0.0", "-0.0", True),
        ("{a: 1, b: 2}", "{b: 2, a: 1}", True),
        ("(:A:B {x: 1})", "(:B:A{x:1})", True),
        ("[1, 2]", "[2, 1]", False),
        ("<(:A)-[:T]->(:B)>", "<(:A)<-[:T]-(:B)>", False),
        ("'it\\'s'", "'it''s'", False),
        ("null", "'null'", False),
    ],
)
def test_values_compare(one, other, equal):
    try:
        assert (tck_value.read(one) == tck_value.read(other)) == equal
    except ValueError:
        assert not equal


def test_list_order_can_be_ignored():
    nested = [tck_value.unordered(tck_value.read(text)) for text in ("[[1, 2], ['a']]", "[['a'], [2, 1]]")]
    assert nested[0] == nested[1]
