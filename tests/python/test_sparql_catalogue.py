"""The questions of `bench/catalogue` over a small catalogue, against pyoxigraph: mixed types in one predicate, languages, named graphs,
lists, triple terms. Asked of data that were loaded at once, that came in parts and are not merged, and after a merge and a new start.
"""

import pathlib
import re
import sys

import pytest
import trimorph

pyoxigraph = pytest.importorskip("pyoxigraph")

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path[:0] = [str(BENCH), str(BENCH / "peers")]

import plain  # noqa: E402
from catalogue import data, questions  # noqa: E402
from everyday import compare  # noqa: E402

# Constants are of the whole catalogue: of a small one there are the first twenty of each kind.
NUMBERED = re.compile(r"\b(object|person|place|organisation|material):(\d+)")


def small(question):
    return NUMBERED.sub(lambda found: f"{found[1]}:{int(found[2]) % 20}", question.text)


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """The file, and what pyoxigraph says to each question."""
    path = data.file(tmp_path_factory.mktemp("catalogue"), 0.004)
    store = pyoxigraph.Store()
    with path.open("rb") as file:
        store.bulk_load(file, format=pyoxigraph.RdfFormat.N_QUADS)
    found = {}
    for question in questions.read():
        result = store.query(small(question))
        rows = [(bool(result),)] if isinstance(result, pyoxigraph.QueryBoolean) else list(result)
        found[question.name] = [[plain.plain(value) for value in row] for row in rows]
    return path, found


def check(connection, expected):
    wrong = []
    for question in questions.read():
        rows = [[plain.plain(value) for value in row] for row in connection.sparql(small(question)).fetchall()]
        wanted = expected[question.name]
        if question.count_only:
            difference = None if len(rows) == len(wanted) else f"{len(rows)} rows, expected {len(wanted)}"
        else:
            difference = compare.difference(rows, wanted, question.ordered)
        if difference:
            wrong.append(f"{question.name}: {difference}")
    assert not wrong, "\n".join(wrong)


def test_loaded_at_once(answers):
    path, expected = answers
    connection = trimorph.Database().connect()
    connection.load_rdf(path)
    check(connection, expected)


def test_in_parts_merged_and_opened_again(answers, tmp_path):
    path, expected = answers
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    # Blank nodes are scoped to their file: what names them is in one part.
    parts = [[line for line in lines if "_:" in line], [line for line in lines if "_:" not in line]]
    parts[1:] = [parts[1][at::3] for at in range(3)]
    database = trimorph.Database(tmp_path / "catalogue.trimorph")
    connection = database.connect()
    for number, part in enumerate(parts):
        file = tmp_path / f"{number}.nq"
        file.write_text("".join(part), encoding="utf-8")
        connection.load_rdf(file)
    check(connection, expected)
    connection.execute("CHECKPOINT")
    check(connection, expected)
    database.close()
    with trimorph.Database(tmp_path / "catalogue.trimorph") as database:
        check(database.connect(), expected)


def test_values_and_lists_of_one_property_are_found_by_its_index(tmp_path):
    connection = trimorph.Database(tmp_path / "lists.trimorph").connect()
    connection.execute("CREATE INDEX FOR (n) ON (n.tags)")
    connection.execute("""UNWIND range(1, 200) AS i CREATE (:A {tags: [i, 'x' + i]}), (:A {tags: 'x' + i}), (:B {tags: i}), (:B {tags: i + 0.5}),
        (:B {tags: ['x' + i, 'x' + i]}), (:C {other: i})""")

    def count(term):
        return connection.sparql(f"SELECT (COUNT(*) AS ?n) {{ ?s ?p {term} }}").fetchall() + connection.sparql(
            f"SELECT (COUNT(*) AS ?n) {{ ?s :tags {term} }}").fetchall()

    for merged in (False, True):
        assert count("'x7'") == [(3,), (3,)]
        assert count("7") == [(3,), (2,)]
        assert count("7.5E0") == [(1,), (1,)]
        assert count("'x0'") == [(0,), (0,)]
        with connection.transaction() as transaction:
            transaction.execute("MATCH (n {tags: 7}) SET n.tags = ['x7', 9]")
            assert transaction.sparql("SELECT (COUNT(*) AS ?n) { ?s :tags 'x7' }").fetchall() == [(4,)]
            assert transaction.sparql("SELECT (COUNT(*) AS ?n) { ?s :tags 7 }").fetchall() == [(1,)]
            transaction.rollback()
        if not merged:
            connection.execute("CHECKPOINT")
