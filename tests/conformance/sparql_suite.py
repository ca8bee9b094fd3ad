"""The W3C tests of SPARQL and RDF: manifests in, tests out.

Manifests are read with pyoxigraph. A test's id is the folder of its manifest and the end of its name:
`sparql11/functions#strdt01`, `rdf12/rdf-turtle/eval#turtle12-eval-1`. Files are their `file:` IRIs, which relative IRIs
resolve against; the tests of RDF's formats have a base of their own.
"""

import dataclasses
import functools
import pathlib
import re
import urllib.parse

import pyoxigraph as ox

MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
QT = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
UT = "http://www.w3.org/2009/sparql/tests/test-update#"
RDFT = "http://www.w3.org/ns/rdftest#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SD = "http://www.w3.org/ns/sparql-service-description#"

FORMATS = {"ttl": ox.RdfFormat.TURTLE, "rdf": ox.RdfFormat.RDF_XML, "nt": ox.RdfFormat.N_TRIPLES,
           "nq": ox.RdfFormat.N_QUADS, "trig": ox.RdfFormat.TRIG, "jsonld": ox.RdfFormat.JSON_LD}

NOT_RUN = {"ProtocolTest": "SPARQL protocol: there is no server",
           "GraphStoreProtocolTest": "graph store protocol: there is no server",
           "ServiceDescriptionTest": "service description: there is no server"}


@dataclasses.dataclass(frozen=True)
class Data:
    """A dataset in files: IRIs of files of the default graph, and (name, file) of named graphs."""

    default: tuple = ()
    named: tuple = ()


@dataclasses.dataclass(frozen=True)
class Test:
    """One entry of a manifest."""

    id: str
    kind: str
    action: str  # the IRI of the query, the update or the text
    data: Data = Data()
    result: str | None = None  # the IRI of the file
    result_data: Data = Data()
    base: str | None = None
    lax: bool = False
    by_value: bool = False  # whether numbers that the query computes may be written in any way
    not_run: str | None = None  # why


def path_of(iri):
    """The path of a `file:` IRI."""
    return pathlib.Path(urllib.parse.unquote(urllib.parse.urlsplit(iri).path))


def format_of(iri):
    """pyoxigraph's format of a file of statements."""
    return FORMATS[iri.rsplit(".", 1)[-1]]


class Manifest:
    """The statements of a manifest."""

    def __init__(self, path):
        self.folder, self.of = path.parent.as_uri() + "/", {}
        for quad in ox.parse(path.read_bytes(), format=ox.RdfFormat.TURTLE, base_iri=path.as_uri()):
            self.of.setdefault(quad.subject, {}).setdefault(quad.predicate.value, []).append(quad.object)

    def all(self, subject, predicate):
        return self.of.get(subject, {}).get(predicate, [])

    def one(self, subject, predicate):
        return next(iter(self.all(subject, predicate)), None)

    def list(self, head):
        while head is not None and head != ox.NamedNode(f"{RDF}nil"):
            yield self.one(head, f"{RDF}first")
            head = self.one(head, f"{RDF}rest")

    def entries(self):
        for subject, statements in self.of.items():
            if ox.NamedNode(f"{MF}Manifest") in statements.get(f"{RDF}type", []):
                for head in statements.get(f"{MF}entries", []):
                    yield from self.list(head)

    def data(self, node, space):
        """A dataset: `qt:data`, `qt:graphData` with files, or `ut:graphData` with names and files."""
        default = tuple(sorted(file.value for file in self.all(node, f"{space}data")))
        named = []
        for graph in self.all(node, f"{space}graphData"):
            file = self.one(graph, f"{space}graph")
            name = self.one(graph, f"{RDFS}label")
            named.append((name.value, file.value) if file else (graph.value, graph.value))
        return Data(default, tuple(sorted(named)))


def query_graphs(query, base):
    """Files that a query names in FROM and FROM NAMED, as named graphs."""
    found = re.findall(r"^\s*FROM\s+(?:NAMED\s+)?<([^>]*)>", query, re.IGNORECASE | re.MULTILINE)
    iris = {urllib.parse.urljoin(base, iri) for iri in found}
    return tuple(sorted((iri, iri) for iri in iris if iri.startswith("file:") and path_of(iri).exists()))


def test_of(manifest, entry, folder, base):
    """The test that an entry is."""
    kinds = [kind.value for kind in manifest.all(entry, f"{RDF}type")]
    kind = re.split("[#/]", kinds[0])[-1] if kinds else "none"
    end = re.split("[#/]", entry.value)[-1]
    action, result = manifest.one(entry, f"{MF}action"), manifest.one(entry, f"{MF}result")
    fields = {"id": f"{folder}#{end}", "kind": kind}
    if kind in NOT_RUN:
        return Test(action="", not_run=NOT_RUN[kind], **fields)
    if "entailment" in folder.split("/"):
        return Test(action="", not_run="entailment is no aim", **fields)
    if isinstance(action, ox.NamedNode):
        here = action.value
        if base and kinds[0].startswith(RDFT):
            here = base + action.value.removeprefix(manifest.folder)
        return Test(action=action.value, result=result.value if result else None, base=here, **fields)
    if manifest.all(action, f"{QT}serviceData"):
        return Test(action="", not_run="SERVICE: asks servers that do not exist", **fields)
    query = manifest.one(action, f"{QT}query")
    lax = manifest.one(entry, f"{MF}resultCardinality") == ox.NamedNode(f"{MF}LaxCardinality")
    if query is not None:
        data = manifest.data(action, QT)
        text = path_of(query.value).read_text(encoding="utf-8")
        data = Data(data.default, data.named + query_graphs(text, query.value))
        as_written = ox.NamedNode(f"{MF}NoCanonicalizationOfNumerics") in manifest.all(entry, f"{MF}requires")
        by_value = not as_written and re.search(r"\bAS\b", text, re.IGNORECASE) is not None
        return Test(action=query.value, data=data, result=result.value if result else None, base=query.value, lax=lax,
                    by_value=by_value, **fields)
    request = manifest.one(action, f"{UT}request")
    return Test(action=request.value, data=manifest.data(action, UT), result_data=manifest.data(result, UT),
                base=request.value, **fields)


@functools.cache
def tests(kit):
    """Id -> test, of all manifests below a folder."""
    found = {}
    for path in sorted(kit.rglob("manifest*.ttl")):
        manifest = Manifest(path)
        folder = path.parent.relative_to(kit).as_posix()
        # The kits are folders within folders of the same name.
        folder = re.sub(r"^(sparql|rdf)/", "", re.sub(r"^(sparql|rdf)/", "", folder))
        assumed = next((values[0].value for statements in manifest.of.values()
                        for predicate, values in statements.items() if predicate == f"{MF}assumedTestBase"), None)
        for entry in manifest.entries():
            if entry not in manifest.of:
                continue  # an entry of the part that is not here
            test = test_of(manifest, entry, folder, assumed)
            if test.id in found:
                raise ValueError(f"two tests have the id {test.id!r}")
            found[test.id] = test
    return found
