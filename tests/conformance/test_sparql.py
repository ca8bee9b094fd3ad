"""Tests of the runner of the W3C tests that need no engine of ours."""

import pytest

ox = pytest.importorskip("pyoxigraph")

import rdf_compare  # noqa: E402
import sparql  # noqa: E402
import sparql_run  # noqa: E402
from sparql_drivers import Solutions  # noqa: E402

needs_kits = pytest.mark.skipif(not all(kit.exists() for kit in sparql.KITS), reason="the kits are not beside this clone")


def facts(text):
    return sparql_run.facts(ox.parse(text if "{" in text else f"{text} .", format=ox.RdfFormat.TRIG))


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("<a:s> <a:p> _:x , _:y . _:x <a:q> _:y", "<a:s> <a:p> _:b , _:a . _:b <a:q> _:a", True),
        ("_:x <a:q> _:y . _:y <a:q> _:x", "_:x <a:q> _:x . _:y <a:q> _:y", False),
        ("_:x <a:p> 1", "_:x <a:p> 01", False),
        ("_:x <a:p> <<( _:x <a:q> _:y )>>", "_:y <a:p> <<( _:y <a:q> _:x )>>", True),
        ("_:x <a:p> <<( _:x <a:q> _:y )>>", "_:y <a:p> <<( _:x <a:q> _:y )>>", False),
        ("_:g { _:s <a:p> _:g }", "_:a { _:b <a:p> _:a }", True),
        ("_:g { _:s <a:p> _:g }", "_:a { _:b <a:p> _:b }", False),
        # Two triangles and a ring of six: what is said of each node is the same.
        ("_:a <a:p> _:b . _:b <a:p> _:c . _:c <a:p> _:a . _:d <a:p> _:e . _:e <a:p> _:f . _:f <a:p> _:d",
         "_:a <a:p> _:b . _:b <a:p> _:c . _:c <a:p> _:d . _:d <a:p> _:e . _:e <a:p> _:f . _:f <a:p> _:a", False),
        ("_:a <a:p> _:b . _:b <a:p> _:c . _:c <a:p> _:a", "_:x <a:p> _:z . _:z <a:p> _:y . _:y <a:p> _:x", True),
    ],
)
def test_graphs_compare(one, other, equal):
    assert rdf_compare.same(facts(one), facts(other)) == equal


def solutions(*rows):
    return Solutions(["a", "b"], [tuple(rows_term and ox.Literal(rows_term) for rows_term in row) for row in rows])


@pytest.mark.parametrize(
    ("found", "expected", "lax", "ordered", "passes"),
    [
        (solutions(("1", None)), solutions(("1", None)), False, False, True),
        (solutions(("1", None)), solutions((None, "1")), False, False, False),
        (solutions(("1", "2"), ("3", "4")), solutions(("3", "4"), ("1", "2")), False, False, True),
        (solutions(("1", "2"), ("3", "4")), solutions(("3", "4"), ("1", "2")), False, True, False),
        (solutions(("1", "2"), ("1", "2")), solutions(("1", "2")), False, False, False),
        (solutions(("1", "2")), solutions(("1", "2"), ("1", "2")), True, False, True),
        (solutions(("1", "2"), ("1", "2")), solutions(("1", "2")), True, False, False),
        (True, True, False, False, True),
        (False, True, False, False, False),
        (True, solutions(), False, False, False),
        ([], solutions(), False, False, False),
    ],
)
def test_results_compare(found, expected, lax, ordered, passes):
    assert (sparql_run.differs(found, expected, lax, ordered) is None) == passes


def test_numbers_in_any_writing():
    def written(lexical, datatype):
        literal = ox.Literal(lexical, datatype=ox.NamedNode(f"http://www.w3.org/2001/XMLSchema#{datatype}"))
        return sparql_run.rounded(Solutions(["a"], [(literal,)])).rows

    assert written("2", "decimal") == written("2.00", "decimal")
    assert written("1.0E2", "double") == written("100", "double")
    assert written("2", "decimal") != written("2", "integer")
    assert written("NaN", "double") == written("NaN", "double")
    assert written("01", "string") != written("1", "string")


@needs_kits
def test_every_entry_is_known():
    known = sparql.all_tests()
    assert len(known) == 844 + 820
    kinds = {test.kind for test in sparql.tests().values()}
    assert all(sparql_run.checks(kind).__name__ != "<lambda>" for kind in kinds), kinds


@needs_kits
def test_another_engine_passes():
    """All but what is known of it; wrong answers are wrong."""
    import sparql_drivers

    verdicts = {name: sparql_run.run(sparql_drivers.Oxigraph, test) for name, test in sparql.tests().items()
                if name.startswith(("sparql11/functions", "sparql11/add", "sparql11/json-res", "rdf12/rdf-turtle"))}
    assert [name for name, wrong in verdicts.items() if wrong] == ["sparql11/functions#bnode01"]

    class Silent(sparql_drivers.Oxigraph):
        def query(self, text, base):
            return Solutions([], [])

        def dataset(self):
            return []

        def parse(self, text, format, base):
            return []

    wrong = [name for name in verdicts if sparql_run.run(Silent, sparql.tests()[name])]
    assert len(wrong) > 0.8 * len(verdicts)
