"""Graphs of other libraries in and out: NetworkX, sparse matrices of SciPy, PyTorch Geometric."""

import sys
import types

import pytest

import trimorph


@pytest.fixture
def nx():
    return pytest.importorskip("networkx", reason="networkx is not installed")


def same(one, other):
    return one == other


def test_round_trips_are_isomorphic(nx):
    weighted = nx.gnm_random_graph(30, 80, seed=1, directed=True)
    for i, (a, b) in enumerate(weighted.edges):
        weighted.edges[a, b]["weight"] = i / 2
    for i, n in enumerate(weighted):
        weighted.nodes[n].update(size=i, name=f"n{i}")
    multi = nx.MultiDiGraph([(1, 2), (1, 2), (2, 2), (2, 1)])
    multi.edges[1, 2, 0]["x"] = 1
    texts = nx.DiGraph([("a", "b"), ("b", "ß")])
    grid = nx.grid_2d_graph(4, 5)
    mixed = nx.Graph([(1, "a"), ("a", (2, 3))])
    karate = nx.karate_club_graph()
    alone = nx.empty_graph(3)
    for graph in (weighted, multi, texts, grid, mixed, karate, alone, nx.DiGraph()):
        database = trimorph.from_networkx(graph)
        back = database.to_networkx(key="id", directed=graph.is_directed(), multigraph=graph.is_multigraph())
        assert set(back) == set(graph), "names are kept"
        for name, attributes in graph.nodes(data=True):
            kept = {k: v for k, v in back.nodes[name].items() if k not in ("id", "labels")}
            assert kept == attributes
        expected = graph.copy()
        for *_, attributes in expected.edges(data=True):
            attributes["type"] = "EDGE"
        assert nx.is_isomorphic(back, expected, edge_match=(same_edges if graph.is_multigraph() else same))
        again = trimorph.from_networkx(back).to_networkx(key="id", directed=graph.is_directed(), multigraph=graph.is_multigraph())
        assert nx.utils.graphs_equal(again, back)


def same_edges(one, other):
    return sorted(map(str, one.values())) == sorted(map(str, other.values()))


def test_no_property_is_overwritten(nx):
    with trimorph.connect() as conn:
        conn.execute("CREATE (a:A:B {id: 1, labels: ['mine'], _labels: 2})-[:R {type: 'mine', id: 5}]->(:C {id: 2})")
        graph = conn.database.to_networkx(key="id")
        assert (graph.graph["labels"], graph.graph["type"]) == ("__labels", "_type")
        assert graph.nodes[1] == {"id": 1, "labels": ["mine"], "_labels": 2, "__labels": ("A", "B")}
        assert [data for *_, data in graph.edges(data=True)] == [{"type": "mine", "id": 5, "_type": "R"}]
        rows = conn.execute("MATCH p = (:A)-->() RETURN p").networkx(key="id")
        assert nx.utils.graphs_equal(rows, graph)
        back = trimorph.from_networkx(graph).connect()
        assert back.execute("MATCH (a:A:B)-[r:R]->(c:C) RETURN a.labels, a._labels, r.type, r.id, c.id").fetchall() == [(["mine"], 2, "mine", 5, 2)]


def test_labels_and_types(nx):
    graph = nx.DiGraph()
    graph.add_node("ann", labels=["Person", "Actor"], age=30)
    graph.add_node("up", labels={"Film"})
    graph.add_node("odd", labels=5)
    graph.add_edge("ann", "up", type="ACTED_IN", role="lead", source="book")
    graph.add_edge("odd", "up", type=7)
    with trimorph.from_networkx(graph, key="name", label="Thing", type="REL").connect() as conn:
        assert conn.execute("MATCH (p:Person:Actor)-[r:ACTED_IN]->(f:Film) RETURN p.name, p.age, r.role, r.source, f.name").fetchall() == [("ann", 30, "lead", "book", "up")]
        assert conn.execute("MATCH (t:Thing)-[r:REL]->(f) RETURN t.name, t.labels, r.type").fetchall() == [("odd", 5, 7)]
    with trimorph.from_networkx(graph, key=None).connect() as conn:
        assert conn.execute("MATCH (p:Person) RETURN keys(p)").fetchall() == [(["age"],)]


def test_into_a_database_that_is_there(nx):
    database = trimorph.Database()
    assert trimorph.from_networkx(nx.path_graph(3), database=database) is database
    trimorph.from_networkx(nx.path_graph(3), label="Other", database=database)
    assert database.connect().execute("MATCH (n)-->(m) RETURN labels(n)[0] AS l, count(*) ORDER BY l").fetchall() == [("Node", 2), ("Other", 2)]


def test_what_networkx_cannot_say(nx):
    with pytest.raises(TypeError, match="takes a graph of NetworkX, not dict"):
        trimorph.from_networkx({})
    graph = nx.Graph()
    graph.add_node(1, id="other")
    with pytest.raises(trimorph.LoadError, match='node 1 has an attribute "id" of its own'):
        trimorph.from_networkx(graph)
    graph = nx.Graph()
    graph.add_node(1, **{"x": {"a": 1}})
    with pytest.raises(trimorph.LoadError, match=r"row 0: column \"x\": a property cannot hold a MAP"):
        trimorph.from_networkx(graph)
    graph = nx.Graph()
    graph.add_node(1)
    graph.nodes[1][2] = 3
    with pytest.raises(trimorph.LoadError, match="an attribute is named 2"):
        trimorph.from_networkx(graph)
    with trimorph.connect() as conn:
        conn.execute("CREATE (:A {id: 1}), (:B {id: 1}), (:C)")
        with pytest.raises(trimorph.Error, match='two nodes have "id" 1'):
            conn.execute("MATCH (n) WHERE n.id = 1 RETURN n").networkx(key="id")
        with pytest.raises(trimorph.Error, match='has no property "id"'):
            conn.execute("MATCH (n:C) RETURN n").networkx(key="id")
        assert len(conn.database.to_networkx()) == 3


def test_scipy_round_trip():
    sparse = pytest.importorskip("scipy.sparse", reason="scipy is not installed")
    import numpy as np

    matrix = sparse.random_array((40, 40), density=0.1, rng=np.random.default_rng(1), format="csr")
    for given in (matrix, matrix.tocsc(), sparse.coo_matrix(matrix), sparse.csr_array((0, 0)), (matrix * 10).astype(np.int32)):
        database = trimorph.from_scipy(given)
        back, keys = database.to_scipy(weight="weight", key="id")
        assert keys == list(range(given.shape[0]))
        assert back.shape == given.shape and (back != given.tocsr()).nnz == 0
    database = trimorph.from_scipy(sparse.eye_array(3).astype(bool), label="L", type="T", weight=None)
    count, keys = database.to_scipy("T", label="L")
    assert count.toarray().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    with pytest.warns(UserWarning, match='no relationship has the type "Other"'):
        assert database.to_scipy("Other")[0].nnz == 0
    for wrong, kind in ((np.eye(2), TypeError), (sparse.csr_array((2, 3)), ValueError), (sparse.csr_array(np.eye(2) * 1j), TypeError)):
        with pytest.raises(kind):
            trimorph.from_scipy(wrong)
    # Truth values beside numbers, integers beside floats, and none at all.
    database.connect().execute("MATCH (a)-[r]->() SET r.w = CASE a.id WHEN 0 THEN true WHEN 1 THEN 2 END")
    assert database.to_scipy(weight="w", key="id")[0].toarray().tolist() == [[1, 0, 0], [0, 2, 0], [0, 0, 0]]
    database.connect().execute("MATCH (a)-[r]->() SET r.w = CASE a.id WHEN 0 THEN 0.5 WHEN 1 THEN 2 END")
    assert database.to_scipy(weight="w", key="id")[0].toarray().tolist() == [[0.5, 0, 0], [0, 2, 0], [0, 0, 0]]
    database.connect().execute("MATCH ()-[r]->() SET r.w = 'x'")
    with pytest.raises(trimorph.Error, match='property "w" has values that are no numbers'):
        database.to_scipy(weight="w")


class Store(dict):
    """What `HeteroData` is to who fills it: a thing with attributes for each type."""

    def __missing__(self, key):
        return self.setdefault(key, types.SimpleNamespace())

    @property
    def node_types(self):
        return [key for key in self if isinstance(key, str)]

    @property
    def edge_types(self):
        return [key for key in self if isinstance(key, tuple)]


@pytest.fixture
def geometric(monkeypatch):
    """PyTorch Geometric, or what stands for the two names of it that are used: it weighs gigabytes."""
    try:
        import torch_geometric.data  # noqa: F401
    except ImportError:
        numpy = pytest.importorskip("numpy")
        monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(tensor=numpy.array, get_default_dtype=lambda: numpy.float32))
        monkeypatch.setitem(sys.modules, "torch_geometric", types.ModuleType("torch_geometric"))
        monkeypatch.setitem(sys.modules, "torch_geometric.data", types.SimpleNamespace(HeteroData=Store))


def test_a_graph_for_pytorch_geometric(geometric):
    database = trimorph.Database()
    database.connect().execute("CREATE (a:A {x: 1, y: 2.5, name: 'a'}), (b:A {x: 2, y: null}), (c:B:C), (a)-[:R {w: 1}]->(c), (b)-[:R {w: 2}]->(c), (a)-[:S]->(b)")
    data = database.to_torch_geometric()
    assert (data["A"].num_nodes, data["A"].x_names, data["A"].x.tolist()) == (2, ["x"], [[1.0], [2.0]])
    assert data["B_C"].num_nodes == 1 and not hasattr(data["B_C"], "x")
    assert data["A", "R", "B_C"].edge_index.tolist() == [[0, 1], [0, 0]]
    assert (data["A", "R", "B_C"].edge_attr_names, data["A", "R", "B_C"].edge_attr.tolist()) == (["w"], [[1.0], [2.0]])
    assert data["A", "S", "A"].edge_index.tolist() == [[0], [1]]
    assert str(data["A"].x.dtype).endswith("float32") and str(data["A"].id.dtype).endswith("int64")


def test_vectors_are_columns_for_pytorch_geometric(geometric):
    database = trimorph.Database()
    database.connect().execute("CREATE (:A {e: [1, 2], f: [1.5, 2.5], n: 7, s: ['x', 'y']}), (:A {e: [3], f: [0.5, -1], n: 8, s: ['z', 'z']}), (:B {e: []})")
    data = database.to_torch_geometric()
    assert (data["A"].x_names, data["A"].x.tolist()) == (["f[0]", "f[1]", "n"], [[1.5, 2.5, 7.0], [0.5, -1.0, 8.0]])
    assert not hasattr(data["B"], "x")


def test_rows_for_pytorch_geometric(geometric, conn):
    conn.execute("CREATE (a:A {x: 1})-[:R {w: 1}]->(b:A {x: 2})-[:R {w: 2}]->(:B {x: 3})")
    data = conn.execute("MATCH p = (:A)-[:R]->(:A) RETURN p, 7 AS other").torch_geometric()
    assert (data.node_types, data.edge_types) == (["A"], [("A", "R", "A")]) and data["A"].x.tolist() == [[1.0], [2.0]]
    assert data["A", "R", "A"].edge_index.tolist() == [[0], [1]]
    assert conn.execute("MATCH (b:B) RETURN collect(b) AS all").get_as_torch_geometric()["B"].num_nodes == 1
    with pytest.raises(trimorph.Error, match=r"relationship \d+, and not its node \d+\n hint: return the nodes"):
        conn.execute("MATCH (a)-[r]->() RETURN a, r").torch_geometric()


def test_pytorch_geometric_itself_takes_it():
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("torch_geometric", reason="torch_geometric is not installed")
    with trimorph.connect() as conn:
        conn.execute("CREATE (a:P {x: 1, y: true, name: 'a'})-[:R {w: 0.5}]->(b:P {x: 2.5, y: false}), (b)-[:S]->(:Q)")
        data = conn.database.to_torch_geometric()
        assert data.node_types == ["P", "Q"] and data.edge_types == [("P", "R", "P"), ("P", "S", "Q")]
        assert data["P"].x.tolist() == [[1.0, 1.0], [2.5, 0.0]] and data["P"].x_names == ["x", "y"]
        assert data["P", "R", "P"].edge_index.tolist() == [[0], [1]] and data["P", "R", "P"].edge_attr.tolist() == [[0.5]]
        assert data["Q"].num_nodes == 1
        assert data.validate()
