"""Graphs of NetworkX in and out.

No property is overwritten: the attribute for a node's labels is `labels`, the one for a relationship's type `type`, with
underscores in front while some property has that name. What they are called is in `graph.graph["labels"]` and
`graph.graph["type"]`, by which a graph that comes back is read.
"""

import itertools

from ._present import without_collection
from ._trimorph import Database, Error, LoadError, Node, Path, Relationship

_SPACE = "networkx"


def _free(name, taken):
    while name in taken:
        name = "_" + name
    return name


def _hashable(value):
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _built(nodes, relationships, key, directed=True, multigraph=True):
    """A graph of nodes and relationships by their ids."""
    import networkx as nx

    graph = (nx.MultiDiGraph if directed else nx.MultiGraph)() if multigraph else (nx.DiGraph if directed else nx.Graph)()
    labels = _free("labels", {name for node in nodes.values() for name in node.properties})
    kind = _free("type", {name for one in relationships.values() for name in one.properties})
    graph.graph.update(labels=labels, type=kind)
    names = {} if key is None else _names_by(key, nodes)
    graph.add_nodes_from((names.get(id, id), {**node.properties, labels: node.labels}) for id, node in nodes.items())
    for id, one in relationships.items():
        # An end that is not in the rows is there by its id.
        start, end = names.get(one.start, one.start), names.get(one.end, one.end)
        if multigraph:
            attributes = graph.get_edge_data(start, end, graph.add_edge(start, end, id if key is None else None))
        else:
            graph.add_edge(start, end)
            attributes = graph.get_edge_data(start, end)
        attributes.update(one.properties)
        attributes[kind] = one.type
    return graph


def _names_by(key, nodes):
    """The names of nodes by their ids: what each has as the property."""
    names, taken = {}, set()
    for id, node in nodes.items():
        if key not in node.properties:
            raise Error(f'node {id} has no property "{key}", which is to be its name\n hint: without key=, nodes are named by their ids')
        name = _hashable(node.properties[key])
        if name in taken:
            raise Error(f'two nodes have "{key}" {name!r}, which is to be their name\n hint: without key=, nodes are named by their ids')
        taken.add(name)
        names[id] = name
    return names


def in_rows(result):
    """All nodes and all relationships in the rows of a result, each by its id."""
    nodes, relationships = {}, {}

    def add(value):
        if isinstance(value, Node):
            nodes[value.id] = value
        elif isinstance(value, Relationship):
            relationships[value.id] = value
        elif isinstance(value, Path):
            for part in (*value.nodes, *value.relationships):
                add(part)
        elif isinstance(value, (list, tuple)):
            for part in value:
                add(part)
        elif isinstance(value, dict):
            for part in value.values():
                add(part)

    for row in result:
        add(row)
    return nodes, relationships


@without_collection
def of_rows(result, key=None):
    """A MultiDiGraph of all nodes and relationships in the rows of a result."""
    return _built(*in_rows(result), key)


@without_collection
def of_database(database, key=None, directed=True, multigraph=True):
    """A graph of all that is in the database, at one moment."""
    connection = database.connect()
    try:
        connection.begin(isolation="snapshot", read_only=True)
        nodes = {node.id: node for (node,) in connection.execute("MATCH (n) RETURN n")}
        relationships = {one.id: one for (one,) in connection.execute("MATCH ()-[r]->() RETURN r")}
        connection.rollback()
    finally:
        connection.close()
    return _built(nodes, relationships, key, directed, multigraph)


def _names(value):
    """Labels that an attribute says, or None."""
    if isinstance(value, (list, tuple, set, frozenset)) and all(isinstance(label, str) and label for label in value):
        return tuple(sorted(value)) if isinstance(value, (set, frozenset)) else tuple(value)
    return None


def from_networkx(graph, key="id", label="Node", type="EDGE", database=None, progress=None):
    """Puts a graph of NetworkX into a database, a new one in memory unless told; gives the database.

    `key` is the property that gets a node's name in the graph; None keeps no names. Labels are those of the attribute
    `labels` (a list of texts), else `label`; types are those of the attribute `type` (a text), else `type`. All other
    attributes are properties. An edge that has no direction becomes one relationship.
    """
    if not hasattr(graph, "is_multigraph"):
        raise TypeError(f"from_networkx takes a graph of NetworkX, not {graph.__class__.__name__}")
    labels_of, kind_of = graph.graph.get("labels", "labels"), graph.graph.get("type", "type")
    numbers = {name: number for number, name in enumerate(graph)}
    # Names that are all integers or all texts are keys; others are kept, and integers of the load's own stand for them.
    kinds = {name.__class__ for name in graph}
    as_keys = key is not None and kinds in ({int}, {str})
    hidden = _free("id", {name for _, attributes in graph.nodes(data=True) for name in attributes} | {key})
    tables, ends = {}, {}
    for name, attributes in graph.nodes(data=True):
        labels = _names(attributes.get(labels_of))
        row = {a: v for a, v in attributes.items() if a != labels_of or labels is None}
        if key is not None:
            if key in row and _hashable(row[key]) != name:
                raise LoadError(f'node {name!r} has an attribute "{key}" of its own\n hint: name another with key=, or keep no names: key=None')
            row[key] = list(name) if isinstance(name, (tuple, frozenset)) else name
        if not as_keys:
            row[hidden] = numbers[name]
        tables.setdefault((label,) if labels is None else labels, []).append(row)
    for start, end, attributes in graph.edges(data=True):
        kind = attributes.get(kind_of)
        is_type = isinstance(kind, str) and kind != ""
        row = {a: v for a, v in attributes.items() if a != kind_of or not is_type}
        source = _free("source", attributes)
        target = _free("target", attributes)
        row[source], row[target] = (start, end) if as_keys else (numbers[start], numbers[end])
        ends.setdefault((kind if is_type else type, source, target), []).append(row)
    nodes = [
        (f"nodes[{', '.join(map(repr, labels))}]", _columns(rows), None, list(labels), key if as_keys else hidden, not as_keys, _SPACE)
        for labels, rows in tables.items()
    ]
    edges = [
        (f"edges[{kind!r}]", _columns(rows), None, (_SPACE, kind, _SPACE), source, target)
        for (kind, source, target), rows in ends.items()
    ]
    database = Database() if database is None else database
    database._load_frames(nodes, edges, progress)
    return database


def _columns(rows):
    names = dict.fromkeys(itertools.chain.from_iterable(rows))
    for name in names:
        if not isinstance(name, str):
            raise LoadError(f"an attribute is named {name!r}, which is {name.__class__.__name__} and not str")
    return {name: [row.get(name) for row in rows] for name in names}
