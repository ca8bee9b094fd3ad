"""Engines that the W3C tests can drive. All take and give pyoxigraph's terms.

A driver is made anew for each test. It has

    load(text, format, base, graph)    statements of a file into a graph, or (None) into the graphs the file says
    query(text, base)                  Solutions, bool or a list of triples
    written(text, base, format)        the results as a text: "csv", "tsv", "json", "xml"
    update(text, base)
    dataset()                          all quads
    check_query(text, base), check_update(text, base)     raises what is wrong with a text; nothing is run
    parse(text, format, base)          quads of a text, for the tests of RDF's formats
    canonical(quads, format)           the quads as canonical N-Triples or N-Quads

and raises for what is wrong, whatever the exception.
"""

import dataclasses
import io

import pyoxigraph as ox


@dataclasses.dataclass
class Solutions:
    """What a SELECT query gives: rows are tuples with None where a variable is unbound."""

    variables: list
    rows: list


class Oxigraph:
    """pyoxigraph: shows that the runner itself is right."""

    def __init__(self):
        self.store = ox.Store()

    def load(self, text, format, base, graph):
        to_graph = {} if graph is None else {"to_graph": ox.NamedNode(graph)}
        self.store.load(text, format=format, base_iri=base, **to_graph)

    def query(self, text, base):
        found = self.store.query(text, base_iri=base)
        if isinstance(found, ox.QueryBoolean):
            return bool(found)
        if isinstance(found, ox.QueryTriples):
            return list(found)
        names = [variable.value for variable in found.variables]
        return Solutions(names, [tuple(row[name] for name in names) for row in found])

    def written(self, text, base, format):
        formats = {"csv": ox.QueryResultsFormat.CSV, "tsv": ox.QueryResultsFormat.TSV,
                   "json": ox.QueryResultsFormat.JSON, "xml": ox.QueryResultsFormat.XML}
        return self.store.query(text, base_iri=base).serialize(format=formats[format]).decode()

    def update(self, text, base):
        self.store.update(text, base_iri=base)

    def dataset(self):
        return list(self.store)

    def check_query(self, text, base):
        # pyoxigraph cannot only read a text: what goes wrong later does not count.
        try:
            ox.Store().query(text, base_iri=base)
        except RuntimeError:
            pass

    def check_update(self, text, base):
        try:
            ox.Store().update(text, base_iri=base)
        except (OSError, RuntimeError):
            pass  # LOAD of what is not there

    def parse(self, text, format, base):
        return list(ox.parse(text, format=format, base_iri=base))

    def canonical(self, quads, format):
        return ox.serialize(quads, format=format).decode()


class Trimorph:
    """This project's module."""

    def __init__(self):
        import trimorph

        self.connection = trimorph.Database().connect()

    def load(self, text, format, base, graph):
        data = text if isinstance(text, bytes) else text.encode()
        self.connection.load_rdf(data=data, format=format.file_extension, base=base, graph=graph)

    def query(self, text, base):
        result = self.connection.sparql(text, base=base)
        if result.form == "statements":
            return [quad.triple for quad in ox.parse(result.serialize("nt"), format=ox.RdfFormat.N_TRIPLES)]
        return read_results(result.serialize("json"), ox.QueryResultsFormat.JSON)

    def written(self, text, base, format):
        return self.connection.sparql(text, base=base).serialize(format).decode()

    def update(self, text, base):
        self.connection.sparql(text, base=base)

    def dataset(self):
        every = "SELECT ?s ?p ?o ?g { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }"
        found = read_results(self.connection.sparql(every).serialize("json"), ox.QueryResultsFormat.JSON)
        return [ox.Quad(s, p, o, g) if g is not None else ox.Quad(s, p, o) for s, p, o, g in found.rows]

    def check_query(self, text, base):
        self.connection.check_sparql(text, base=base)

    check_update = check_query

    def parse(self, text, format, base):
        driver = Trimorph()
        driver.load(text, format, base, None)
        return driver.dataset()

    def canonical(self, quads, format):
        # Written by the engine, graph by graph: CONSTRUCT gives triples.
        lines = []
        for graph in {quad.graph_name for quad in quads}:
            driver = Trimorph()
            triples = [quad.triple for quad in quads if quad.graph_name == graph]
            driver.load(ox.serialize(triples, format=ox.RdfFormat.N_TRIPLES), ox.RdfFormat.N_TRIPLES, None, None)
            text = driver.connection.sparql("CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }").serialize("nt").decode()
            end = "" if isinstance(graph, ox.DefaultGraph) else f" {graph}"
            lines += [f"{line.removesuffix(' .')}{end} ." for line in text.splitlines()]
        return "\n".join(lines)


def read_results(text, format):
    """Solutions or a bool of a text of results."""
    found = ox.parse_query_results(text, format=format)
    if isinstance(found, ox.QueryBoolean):
        return bool(found)
    names = [variable.value for variable in found.variables]
    return Solutions(names, [tuple(row[name] for name in names) for row in found])


DRIVERS = {"trimorph": Trimorph, "oxigraph": Oxigraph}


def serialized(quads):
    """Quads as N-Quads, for messages."""
    out = io.BytesIO()
    ox.serialize(quads, out, format=ox.RdfFormat.N_QUADS)
    return out.getvalue().decode()
