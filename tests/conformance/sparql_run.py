"""Runs one W3C test with a driver: gives None, or (category, text) of what is wrong."""

import csv
import decimal
import io
import re

import pyoxigraph as ox
import rdf_compare
from sparql_drivers import Solutions, read_results
from sparql_suite import format_of, path_of

RS = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"
RESULTS = {"srx": ox.QueryResultsFormat.XML, "srj": ox.QueryResultsFormat.JSON, "tsv": ox.QueryResultsFormat.TSV}
NUMERIC = {f"http://www.w3.org/2001/XMLSchema#{name}" for name in ("integer", "decimal", "double", "float")}
LENGTH_MAX = 600


def run(make_driver, test):
    """None if the test passes."""
    try:
        return checks(test.kind)(make_driver(), test)
    except rdf_compare.Undecided:
        return ("undecided", "too many blank nodes that look alike")


def checks(kind):
    """What a kind of test asks for."""
    if kind in CHECKS:
        return CHECKS[kind]
    if kind.startswith("TestN") and kind.endswith("C14N"):
        return canonical
    if kind.startswith("Test") and kind.endswith("Eval"):
        return text_evaluated
    if kind.startswith("Test") and kind.endswith("NegativeSyntax"):
        return refused(lambda driver, text, test: driver.parse(text, format_of(test.action), test.base))
    if kind.startswith("Test") and kind.endswith("PositiveSyntax"):
        return accepted(lambda driver, text, test: driver.parse(text, format_of(test.action), test.base))
    return lambda driver, test: ("kind", f"there is no way to run a {kind}")


def wrong(error):
    return f"{type(error).__name__}: {error}"[:LENGTH_MAX]


def accepted(check):
    def run(driver, test):
        try:
            check(driver, path_of(test.action).read_bytes(), test)
        except Exception as error:  # noqa: BLE001 - whatever the driver says
            return ("refused", wrong(error))
        return None

    return run


def refused(check):
    def run(driver, test):
        try:
            check(driver, path_of(test.action).read_bytes(), test)
        except Exception:  # noqa: BLE001 - whatever the driver says
            return None
        return ("accepted", f"{path_of(test.action).name} should be refused")

    return run


def loaded(driver, data):
    """The dataset of a test, loaded."""
    for file in data.default:
        driver.load(path_of(file).read_bytes(), format_of(file), file, None)
    for name, file in data.named:
        driver.load(path_of(file).read_bytes(), format_of(file), file, name)


def statements(iri, base=None):
    return list(ox.parse(path_of(iri).read_bytes(), format=format_of(iri), base_iri=base or iri))


def facts(quads):
    """Quads or triples as tuples, each once."""
    return list({(q.subject, q.predicate, q.object, getattr(q, "graph_name", None)): None for q in quads})


def query_evaluated(driver, test):
    text = path_of(test.action).read_text(encoding="utf-8")
    try:
        loaded(driver, test.data)
    except Exception as error:  # noqa: BLE001
        return ("load", wrong(error))
    extension = test.result.rsplit(".", 1)[-1]
    try:
        if extension == "csv":
            return csv_differs(driver.written(text, test.base, "csv"), path_of(test.result).read_text(encoding="utf-8"))
        found = driver.query(text, test.base)
    except Exception as error:  # noqa: BLE001
        return ("error", wrong(error))
    if extension in RESULTS:
        expected = read_results(path_of(test.result).read_bytes(), RESULTS[extension])
        verdict = differs(found, expected, test.lax)
        # TSV has numbers without quotes, which may be written in any way.
        by_value = test.by_value or extension == "tsv"
        if verdict and by_value and isinstance(expected, Solutions) and isinstance(found, Solutions):
            verdict = differs(rounded(found), rounded(expected), test.lax)
        return verdict
    graph = statements(test.result)
    if isinstance(found, list):
        return graphs_differ(found, [quad.triple for quad in graph])
    expected, ordered = result_set(graph)
    return differs(found, expected, test.lax, ordered)


def rounded(solutions):
    """Numbers in one way of writing them."""
    def one(term):
        if isinstance(term, ox.Literal) and term.datatype.value in NUMERIC:
            try:
                number = decimal.Decimal(term.value)
            except decimal.InvalidOperation:
                return term
            return ox.Literal(str(number.normalize() + 0), datatype=term.datatype)
        return term

    return Solutions(solutions.variables, [tuple(map(one, row)) for row in solutions.rows])


def graphs_differ(found, expected):
    if rdf_compare.same(facts(found), facts(expected)):
        return None
    return ("graph", f"expected {shown(expected)} found {shown(found)}"[:LENGTH_MAX])


def shown(items):
    return "\n  ".join(["", *sorted(map(str, items))])


def differs(found, expected, lax=False, ordered=False):
    """What is wrong with solutions or a bool."""
    if isinstance(expected, bool) or isinstance(found, bool):
        return None if found is expected else ("boolean", f"expected {expected}, found {found}")
    if not isinstance(found, Solutions):
        return ("solutions", "expected solutions, found a graph")
    if set(found.variables) != set(expected.variables):
        return ("variables", f"expected {expected.variables}, found {found.variables}")
    order = [found.variables.index(name) for name in expected.variables]
    rows = [tuple(row[i] for i in order) for row in found.rows]
    if lax:
        same = rdf_compare.same_lax(rows, expected.rows)
    elif ordered:
        number = [ox.Literal(i) for i in range(max(len(rows), len(expected.rows)))]
        same = rdf_compare.same([(*row, number[i]) for i, row in enumerate(rows)],
                                [(*row, number[i]) for i, row in enumerate(expected.rows)])
    else:
        same = rdf_compare.same(rows, expected.rows)
    if same:
        return None
    return ("rows", f"expected {rows_shown(expected.rows)} found {rows_shown(rows)}"[:LENGTH_MAX])


def rows_shown(rows):
    return shown(" | ".join("-" if term is None else str(term) for term in row) for row in rows)


def result_set(graph):
    """Solutions or a bool written as RDF, and whether they are in order."""
    of = {}
    for quad in graph:
        of.setdefault(quad.subject, {}).setdefault(quad.predicate.value, []).append(quad.object)
    sets = [s for s, statements in of.items() if ox.NamedNode(f"{RS}ResultSet") in sum(statements.values(), [])]
    described = of[sets[0]]
    if f"{RS}boolean" in described:
        return described[f"{RS}boolean"][0].value == "true", False
    names = sorted(name.value for name in described.get(f"{RS}resultVariable", []))
    rows = []
    for solution in described.get(f"{RS}solution", []):
        bound = {}
        for binding in of.get(solution, {}).get(f"{RS}binding", []):
            bound[of[binding][f"{RS}variable"][0].value] = of[binding][f"{RS}value"][0]
        index = of.get(solution, {}).get(f"{RS}index", [None])[0]
        rows.append((index and int(index.value), tuple(bound.get(name) for name in names)))
    ordered = bool(rows) and all(index is not None for index, _ in rows)
    if ordered:
        rows.sort(key=lambda row: row[0])
    return Solutions(names, [row for _, row in rows]), ordered


def csv_differs(found, expected):
    """Rows of CSV, blank nodes by any name."""
    def rows(text):
        table = list(csv.reader(io.StringIO(text)))
        # `SELECT *` says nothing about the order of variables.
        order = sorted(range(len(table[0])), key=table[0].__getitem__)
        cells = [tuple(ox.BlankNode(row[i][2:]) if row[i].startswith("_:") else ox.Literal(row[i]) for i in order)
                 for row in table[1:]]
        return sorted(table[0]), cells

    if rows(found)[0] != rows(expected)[0]:
        return ("variables", f"expected {rows(expected)[0]}, found {rows(found)[0]}")
    if rdf_compare.same(rows(found)[1], rows(expected)[1]):
        return None
    return ("rows", f"expected {expected}, found {found}"[:LENGTH_MAX])


def update_evaluated(driver, test):
    try:
        loaded(driver, test.data)
    except Exception as error:  # noqa: BLE001
        return ("load", wrong(error))
    try:
        driver.update(path_of(test.action).read_text(encoding="utf-8"), test.base)
    except Exception as error:  # noqa: BLE001
        return ("error", wrong(error))
    expected = []
    for file in test.result_data.default:
        expected += statements(file)
    for name, file in test.result_data.named:
        expected += [ox.Quad(q.subject, q.predicate, q.object, ox.NamedNode(name)) for q in statements(file)]
    return graphs_differ(driver.dataset(), expected)


def text_evaluated(driver, test):
    try:
        found = driver.parse(path_of(test.action).read_bytes(), format_of(test.action), test.base)
    except Exception as error:  # noqa: BLE001
        return ("refused", wrong(error))
    return graphs_differ(found, statements(test.result))


def canonical(driver, test):
    try:
        quads = driver.parse(path_of(test.action).read_bytes(), format_of(test.action), test.base)
        found = driver.canonical(quads, format_of(test.action))
    except Exception as error:  # noqa: BLE001
        return ("refused", wrong(error))
    # Engines may rename blank nodes; no test has two in one graph that this would mix up.
    texts = [re.sub(r"_:\w+", "_:b", text) for text in (found, path_of(test.result).read_text(encoding="utf-8"))]
    lines = [sorted(text.strip().split("\n")) for text in texts]
    return None if lines[0] == lines[1] else ("text", f"expected {lines[1]}, found {lines[0]}"[:LENGTH_MAX])


def check_query(driver, text, test):
    driver.check_query(text.decode("utf-8"), test.base)


def check_update(driver, text, test):
    driver.check_update(text.decode("utf-8"), test.base)


CHECKS = {
    "QueryEvaluationTest": query_evaluated,
    "CSVResultFormatTest": query_evaluated,
    "UpdateEvaluationTest": update_evaluated,
    "PositiveSyntaxTest": accepted(check_query),
    "PositiveSyntaxTest11": accepted(check_query),
    "NegativeSyntaxTest": refused(check_query),
    "NegativeSyntaxTest11": refused(check_query),
    "PositiveUpdateSyntaxTest": accepted(check_update),
    "PositiveUpdateSyntaxTest11": accepted(check_update),
    "NegativeUpdateSyntaxTest": refused(check_update),
    "NegativeUpdateSyntaxTest11": refused(check_update),
}
