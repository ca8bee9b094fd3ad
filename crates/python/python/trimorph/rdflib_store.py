"""A database as a store of rdflib: `rdflib.Dataset(store="Trimorph")`, `Graph(store=TrimorphStore(conn))`.

Graphs whose name is a blank node, and rdflib's own name of the default graph, are the default graph. Queries and updates run in
the engine; where rdflib wants what SPARQL here does not have (one text over a named graph as its default graph, the union of all
graphs), they run in rdflib over `triples`.

Triple terms of RDF 1.2, and so what relationships say, are terms that rdflib does not have: `triples` leaves them out.
"""

import io
import json

import rdflib
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.query import Result
from rdflib.store import NO_STORE, VALID_STORE, Store

import trimorph

# Statements that are inserted at once.
_BATCH = 10_000


def _term(term):
    """A term of rdflib as ours."""
    if isinstance(term, rdflib.URIRef):
        return trimorph.IRI(str(term))
    if isinstance(term, rdflib.BNode):
        return trimorph.BlankNode(str(term))
    if isinstance(term, rdflib.Literal):
        if term.language:
            return trimorph.Literal(str(term), language=term.language)
        return trimorph.Literal(str(term), datatype=str(term.datatype or rdflib.XSD.string))
    raise TypeError(f"a {type(term).__name__} is no term that can be stored: use URIRef, BNode or Literal")


def _back(cell):
    """A term of a result in JSON as rdflib's; None for a triple term, which rdflib does not have."""
    kind, value = cell["type"], cell["value"]
    if kind == "uri":
        return rdflib.URIRef(value)
    if kind == "bnode":
        return rdflib.BNode(value)
    if kind == "triple":
        return None
    language, datatype = cell.get("xml:lang"), cell.get("datatype")
    if language:
        return rdflib.Literal(value, lang=language)
    return rdflib.Literal(value, datatype=rdflib.URIRef(datatype) if datatype else None)


def _is_default(graph):
    identifier = getattr(graph, "identifier", graph)
    return graph is None or identifier == DATASET_DEFAULT_GRAPH_ID or isinstance(identifier, rdflib.BNode)


class TrimorphStore(Store):
    """A store over a connection, or over a database that `open` opens: a path, and what `trimorph.connect` takes.

    `commit` and `rollback` end a transaction that the first change begins; without them each change lasts by itself when
    `auto_commit` is true, which it is unless told.
    """

    context_aware = True
    formula_aware = False
    transaction_aware = True
    graph_aware = True

    def __init__(self, configuration=None, identifier=None, auto_commit=True):
        self._conn, self._database, self._auto = None, None, auto_commit
        self._prefixes, self._namespaces = {}, {}
        if isinstance(configuration, trimorph.Connection):
            self._conn, configuration = configuration, None
        super().__init__(configuration, identifier)

    @property
    def _connection(self):
        if self._conn is None:
            self._database = trimorph.Database(":memory:")
            self._conn = self._database.connect()
        return self._conn

    # Opening and closing

    def open(self, configuration=None, create=False):
        """Opens a database: its path, or a dict with `path` and options of `trimorph.Database`."""
        options = dict(configuration) if isinstance(configuration, dict) else {"path": configuration or ":memory:"}
        try:
            self._database = trimorph.Database(must_exist=not create and options["path"] != ":memory:", **options)
        except trimorph.Error:
            if create:
                raise
            return NO_STORE
        self._conn = self._database.connect()
        return VALID_STORE

    def close(self, commit_pending_transaction=False):
        """Closes what `open` has opened; a connection that was given stays."""
        if self._conn is not None:
            (self.commit if commit_pending_transaction else self.rollback)()
        if self._database is not None:
            self._conn.close()
            self._database.close()
            self._conn = self._database = None

    def commit(self):
        if self._connection.in_transaction:
            self._connection.commit()

    def rollback(self):
        if self._connection.in_transaction:
            self._connection.rollback()

    def _change(self, text, values=None):
        if not self._auto and not self._connection.in_transaction:
            self._connection.begin()
        self._connection.sparql(text, values)

    # Statements

    def add(self, triple, context, quoted=False):
        if quoted:
            raise ValueError("formulas cannot be stored")
        self._insert([(*triple, context)])

    def addN(self, quads):
        batch = []
        for quad in quads:
            batch.append(quad)
            if len(batch) == _BATCH:
                self._insert(batch)
                batch = []
        self._insert(batch)

    def _insert(self, quads):
        # One change, whatever it is made of.
        own = len(quads) > 1 and not self._connection.in_transaction
        if own:
            self._connection.begin()
        try:
            for s, p, o, graph in quads:
                values = {"s": _term(s), "p": _term(p), "o": _term(o)}
                if _is_default(graph):
                    self._change("INSERT { ?s ?p ?o } WHERE {}", values)
                else:
                    values["g"] = _term(graph.identifier)
                    self._change("INSERT { GRAPH ?g { ?s ?p ?o } } WHERE {}", values)
        except BaseException:
            if own:
                self._connection.rollback()
            raise
        if own and self._auto:
            self._connection.commit()

    def remove(self, triple, context=None):
        values = self._values(triple)
        if context is None or _is_default(context):
            self._change("DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }", values)
        if context is None:
            self._change("DELETE { GRAPH ?g { ?s ?p ?o } } WHERE { GRAPH ?g { ?s ?p ?o } }", values)
        elif not _is_default(context):
            values["g"] = _term(context.identifier)
            self._change("DELETE { GRAPH ?g { ?s ?p ?o } } WHERE { GRAPH ?g { ?s ?p ?o } }", values)

    @staticmethod
    def _values(triple):
        return {name: _term(term) for name, term in zip("spo", triple) if term is not None}

    def _rows(self, text, values):
        answer = json.loads(self._connection.sparql(text, values).serialize("json"))
        return answer["results"]["bindings"]

    def triples(self, triple, context=None):
        values = self._values(triple)
        if any(isinstance(term, rdflib.Literal) for term in triple[:2]):
            return
        if context is None:
            where = "{ ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } }"
        elif _is_default(context):
            where = "?s ?p ?o"
        else:
            where, values["g"] = "GRAPH ?g { ?s ?p ?o }", _term(context.identifier)
        found = {}
        for row in self._rows(f"SELECT DISTINCT ?s ?p ?o ?g {{ {where} }}", values):
            own = tuple(_back(row[name]) if name in row else term for name, term in zip("spo", triple))
            if None not in own:
                found.setdefault(own, []).append(_back(row["g"]) if "g" in row else None)
        for own, graphs in found.items():
            yield own, iter([self._graph(name) if context is None else context for name in graphs])

    def _graph(self, name):
        return rdflib.Graph(self, identifier=DATASET_DEFAULT_GRAPH_ID if name is None else name)

    def contexts(self, triple=None):
        pattern = triple or (None, None, None)
        values = self._values(pattern)
        for row in self._rows("SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }", values):
            yield self._graph(_back(row["g"]))
        if triple is None or next(iter(self.triples(pattern, DATASET_DEFAULT_GRAPH_ID)), None) is not None:
            yield self._graph(None)

    def __len__(self, context=None):
        if context is None:
            return sum(1 for _ in self.triples((None, None, None)))
        return sum(1 for _ in self.triples((None, None, None), context))

    def add_graph(self, graph):
        """A graph is there while it has statements."""

    def remove_graph(self, graph):
        self.remove((None, None, None), graph)

    # SPARQL

    @staticmethod
    def _text(text, namespaces, graph):
        if not isinstance(text, str) or graph == "__UNION__" or not _is_default(graph):
            raise NotImplementedError
        prefixes = "".join(f"PREFIX {name}: <{iri}> " for name, iri in namespaces.items())
        # In the same line, so that errors name the lines of the text.
        return prefixes + text

    @staticmethod
    def _given(text, bindings):
        given = {str(name).lstrip("?"): _term(value) for name, value in bindings.items()}
        return {name: value for name, value in given.items() if f"?{name}" in text or f"${name}" in text}

    def query(self, query, initNs, initBindings, queryGraph, **kwargs):
        text = self._text(query, initNs, queryGraph)
        answer = self._connection.sparql(text, self._given(query, initBindings))
        if answer.form == "statements":
            result = Result("CONSTRUCT")
            result.graph = rdflib.Graph().parse(data=answer.serialize("ntriples"), format="nt")
            return result
        return Result.parse(io.BytesIO(answer.serialize("json")), format="json")

    def update(self, update, initNs, initBindings, queryGraph, **kwargs):
        self._change(self._text(update, initNs, queryGraph), self._given(update, initBindings))

    # Prefixes, which rdflib keeps with the store

    def bind(self, prefix, namespace, override=True):
        known = self._prefixes.get(prefix)
        if override or (known is None and namespace not in self._namespaces):
            if known is not None:
                self._namespaces.pop(known, None)
            old = self._namespaces.pop(namespace, None)
            if old is not None:
                self._prefixes.pop(old, None)
            self._prefixes[prefix], self._namespaces[namespace] = namespace, prefix

    def namespace(self, prefix):
        return self._prefixes.get(prefix)

    def prefix(self, namespace):
        return self._namespaces.get(namespace)

    def namespaces(self):
        return iter(list(self._prefixes.items()))
