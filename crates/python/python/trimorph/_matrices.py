"""Sparse matrices of SciPy in and out, data for PyTorch Geometric out."""

import warnings

from ._networkx import _free, in_rows
from ._present import without_collection
from ._trimorph import Database, Error


def _quoted(name):
    return "`" + name.replace("`", "``") + "`"


def from_scipy(matrix, label="Node", type="EDGE", weight="weight", key="id", database=None, progress=None):
    """Puts a square matrix into a database, a new one in memory unless told; gives the database.

    Row and column `i` are the node whose property `key` is `i`; an element that is stored is a relationship from its row to
    its column, with the element as the property `weight` (None keeps none).
    """
    import numpy
    import scipy.sparse

    if not scipy.sparse.issparse(matrix):
        raise TypeError(f"from_scipy takes a sparse matrix of SciPy, not {matrix.__class__.__name__}")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"the matrix of a graph is square, not {' by '.join(map(str, matrix.shape))}")
    cells = matrix.tocoo()
    source, target = _free("source", {weight}), _free("target", {weight})
    columns = {source: cells.row.astype(numpy.int64), target: cells.col.astype(numpy.int64)}
    if weight is not None:
        if cells.data.dtype.kind not in "biuf":
            raise TypeError(f"elements of the type {cells.data.dtype} are no properties; give weight=None to leave them out")
        columns[weight] = cells.data
    database = Database() if database is None else database
    database.load(
        nodes={label: _frame({key: numpy.arange(matrix.shape[0])})},
        edges={(label, type, label): _frame(columns)},
        key=key,
        source=source,
        target=target,
        progress=progress,
    )
    return database


def _frame(columns):
    """Arrays as a table of pyarrow, else as lists."""
    try:
        import pyarrow
    except ImportError:
        return {name: array.tolist() for name, array in columns.items()}
    return pyarrow.table(columns)


def _read(database, ask):
    """What `ask` makes of the results of queries, all at one moment; warns of names that nothing has."""
    connection = database.connect()
    results = []

    def execute(query):
        results.append(connection.execute(query))
        return results[-1]

    try:
        connection.begin(isolation="snapshot", read_only=True)
        read = ask(execute)
        connection.rollback()
    finally:
        connection.close()
    notices = [notice for result in results for notice in result.notices if notice.detail.startswith("Unknown")]
    for message, hint in dict.fromkeys((notice.message, notice.hint) for notice in notices):
        warnings.warn(f"{message} ({hint})" if hint else message, stacklevel=4)
    return read


def _columns(execute, query):
    """The columns of a result as arrays of numpy; as lists where one has values of several types, as numbers beside truth values."""
    try:
        import pyarrow
    except ImportError:
        table = None
    else:
        table, of = execute(query).arrow(), pyarrow.types
    if table is not None and all(of.is_integer(c.type) or of.is_floating(c.type) or of.is_boolean(c.type) for c in table.columns):
        return [column.to_numpy() for column in table.columns]
    result = execute(query)
    return list(zip(*result.fetchall(), strict=True)) or [()] * len(result.columns)


def to_scipy(database, type=None, weight=None, label=None, key=None):
    """A `scipy.sparse.csr_array`, and a list of the nodes' keys (`key`, or else their ids) by row.

    The element at row `a` and column `b` is the sum of `weight` over the relationships from `a` to `b`, or their number
    without it; a relationship without that property counts as 0. `type` and `label` choose relationships and nodes.
    """
    import numpy
    import scipy.sparse

    of_label = "" if label is None else f":{_quoted(label)}"
    of_type = "" if type is None else f":{_quoted(type)}"
    name = "id(n)" if key is None else f"n.{_quoted(key)}"
    value = "1" if weight is None else f"coalesce(r.{_quoted(weight)}, 0)"
    nodes, (starts, ends, values) = _read(
        database,
        lambda execute: (
            execute(f"MATCH (n{of_label}) RETURN id(n) AS id, {name} AS name").fetchall(),
            _columns(execute, f"MATCH (a{of_label})-[r{of_type}]->(b{of_label}) RETURN id(a) AS a, id(b) AS b, {value} AS value"),
        ),
    )
    try:
        values = numpy.asarray(values, dtype=None if len(values) else numpy.int64)
        if values.dtype.kind not in "biuf":
            raise TypeError
    except (TypeError, ValueError):
        raise Error(f'property "{weight}" has values that are no numbers, which no matrix holds') from None
    ids = numpy.array([id for id, _ in nodes], dtype=numpy.int64)
    order = numpy.argsort(ids)
    places = [order[numpy.searchsorted(ids, end, sorter=order)] for end in (starts, ends)]
    matrix = scipy.sparse.coo_array((values, places), shape=(len(nodes), len(nodes)))
    return matrix.tocsr(), [name for _, name in nodes]


def _numbers(entities):
    """Names of the properties that are numbers or truth values in all entities, and an array with a column for each. A list of as
    many numbers in all of them, such as an embedding, is as many columns: `e[0]`, `e[1]`."""
    import numpy

    names, columns = [], []
    for name in sorted(set().union(*(one.properties for one in entities))):
        cells = [one.properties.get(name) for one in entities]
        if _are_numbers(cells):
            names.append(name)
        elif _are_vectors(cells):
            names += [f"{name}[{at}]" for at in range(len(cells[0]))]
        else:
            continue
        # Of all integers, too, as floats: an integer may be too large for the others.
        columns.append(numpy.array(cells, dtype=numpy.float64).reshape(len(cells), -1))
    return names, numpy.hstack(columns) if columns else None


def _are_numbers(cells):
    return set(map(type, cells)) <= {bool, int, float}


def _are_vectors(cells):
    if set(map(type, cells)) != {list} or len(set(map(len, cells))) != 1:
        return False
    return all(map(_are_numbers, cells))


@without_collection
def to_torch_geometric(database):
    """A `torch_geometric.data.HeteroData` of all that is in the database, as `_hetero_data` makes it."""
    nodes, edges = _read(database, lambda execute: [execute(f"MATCH {of} RETURN x").fetchall() for of in ("(x)", "()-[x]->()")])
    return _hetero_data((node for (node,) in nodes), (edge for (edge,) in edges))


@without_collection
def torch_geometric_of_rows(result):
    """A `torch_geometric.data.HeteroData` of all nodes and relationships in the rows of a result."""
    nodes, edges = in_rows(result)
    for edge in edges.values():
        for end in (edge.start, edge.end):
            if end not in nodes:
                raise Error(f"the rows have relationship {edge.id}, and not its node {end}\n hint: return the nodes at its ends, too, or the path")
    return _hetero_data(nodes.values(), edges.values())


def _hetero_data(nodes, edges):
    """A node type is the labels joined by `_`; `x` has the properties that all of its nodes have as numbers or lists of so
    many numbers, `x_names` their names, `id` the nodes' ids. So have relationships `edge_index`, `edge_attr`, `edge_attr_names`.
    """
    import numpy
    import torch
    from torch_geometric.data import HeteroData

    by_type, places = {}, {}
    for node in nodes:
        name = "_".join(node.labels) or "_"
        places[node.id] = name, len(by_type.setdefault(name, []))
        by_type[name].append(node)
    data = HeteroData()
    for name, of in by_type.items():
        names, values = _numbers(of)
        data[name].num_nodes = len(of)
        data[name].id = torch.tensor(numpy.array([node.id for node in of], dtype=numpy.int64))
        if names:
            data[name].x, data[name].x_names = torch.tensor(values, dtype=torch.get_default_dtype()), names
    by_ends = {}
    for edge in edges:
        (start, _), (end, _) = places[edge.start], places[edge.end]
        by_ends.setdefault((start, edge.type, end), []).append(edge)
    for ends, of in by_ends.items():
        names, values = _numbers(of)
        index = [[places[edge.start][1] for edge in of], [places[edge.end][1] for edge in of]]
        data[ends].edge_index = torch.tensor(numpy.array(index, dtype=numpy.int64))
        if names:
            data[ends].edge_attr, data[ends].edge_attr_names = torch.tensor(values, dtype=torch.get_default_dtype()), names
    return data
