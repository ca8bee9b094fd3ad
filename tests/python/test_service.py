"""SERVICE and LOAD: other servers, which are threads of this process that answer as SPARQL's protocol says."""

import http.server
import threading
import time
import urllib.parse
from collections import Counter

import pytest

import trimorph

pyoxigraph = pytest.importorskip("pyoxigraph")

DATA = """@prefix : <http://e/> .
:a :name "Ann" ; :knows :b, :c ; :age 41 . :b :name "Bob" ; :age 7 . :c :name "Cid" . _:x :name "nobody" ."""


class Answers(http.server.BaseHTTPRequestHandler):
    """Queries by POST, documents by GET; `/bad` fails, `/slow` is slow, `/long` has much to say."""

    def log_message(self, *_):
        pass

    def reply(self, body, kind, status=200):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass

    def do_POST(self):
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.server.asked.append((self.path, form["query"][0]))
        if self.path == "/bad":
            return self.reply(b"no such thing", "text/plain", 500)
        if self.path == "/html":
            return self.reply(b"<html>", "text/html")
        if self.path == "/broken":
            return self.reply(b'{"head": {"vars": ["a"]}, "results": {"bindings": [{', "application/sparql-results+json")
        if self.path == "/slow":
            self.server.begun.set()
            self.server.over.wait(120)
        if self.path == "/long":
            rows = b",".join(b'{"s":{"type":"literal","value":"%s"}}' % (b"x" * 1000) for _ in range(30_000))
            body = b'{"head":{"vars":["s"]},"results":{"bindings":[%s]}}' % rows
            return self.reply(body, "application/sparql-results+json")
        formats = {"/xml": pyoxigraph.QueryResultsFormat.XML, "/tsv": pyoxigraph.QueryResultsFormat.TSV}
        form_ = formats.get(self.path, pyoxigraph.QueryResultsFormat.JSON)
        body = self.server.store.query(form["query"][0]).serialize(format=form_)
        self.reply(body, form_.media_type)

    def do_GET(self):
        if self.path == "/data":
            return self.reply(DATA.encode(), "text/turtle; charset=utf-8")
        if self.path.startswith("/data.nt"):
            return self.reply(b"<http://e/n> <http://e/p> <http://e/o> .\n", "application/octet-stream")
        if self.path == "/wrong":
            return self.reply(b"<http://e/n> <http://e/p>", "text/turtle")
        self.reply(b"not here", "text/plain", 404)


@pytest.fixture
def server():
    store = pyoxigraph.Store()
    store.load(DATA.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    own = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    own.store, own.asked, own.daemon_threads = store, [], True
    own.begun, own.over = threading.Event(), threading.Event()
    own.url = f"http://127.0.0.1:{own.server_port}"
    threading.Thread(target=own.serve_forever, daemon=True).start()
    yield own
    own.shutdown()
    own.server_close()


@pytest.fixture
def conn():
    conn = trimorph.Database(":memory:", network_access=True, network_timeout=20).connect()
    conn.sparql("PREFIX : <http://e/> INSERT DATA { :a :likes 'tea' . :b :likes 'milk' . :d :likes 'air' }")
    return conn


def rows(conn, text, **given):
    found = conn.sparql("PREFIX : <http://e/> " + text, given or None).fetchall()
    return Counter(tuple(None if term is None else str(getattr(term, "value", term)) for term in row) for row in found)


@pytest.mark.parametrize("path", ["/json", "/xml", "/tsv"])
def test_solutions_of_a_server(server, conn, path):
    url = f"<{server.url}{path}>"
    assert rows(conn, f"SELECT ?n {{ SERVICE {url} {{ ?s :name ?n FILTER(?n != 'nobody') }} }}") == Counter([("Ann",), ("Bob",), ("Cid",)])
    joined = f"SELECT ?s ?l ?n {{ ?s :likes ?l SERVICE {url} {{ ?s :name ?n }} }}"
    assert rows(conn, joined) == Counter([("http://e/a", "tea", "Ann"), ("http://e/b", "milk", "Bob")])
    # The other way round; what is unbound there agrees with everything.
    assert rows(conn, f"SELECT ?s ?l ?n {{ SERVICE {url} {{ ?s :name ?n }} ?s :likes ?l }}") == rows(conn, joined)
    outer = f"SELECT ?s ?l ?y {{ ?s :likes ?l OPTIONAL {{ SERVICE {url} {{ ?s :age ?y }} }} }}"
    assert rows(conn, outer) == Counter([("http://e/a", "tea", "41"), ("http://e/b", "milk", "7"), ("http://e/d", "air", None)])
    unbound = f"SELECT ?s ?y {{ SERVICE {url} {{ ?s :name ?n OPTIONAL {{ ?s :age ?y }} FILTER(isIRI(?s)) }} }}"
    assert rows(conn, unbound) == Counter([("http://e/a", "41"), ("http://e/b", "7"), ("http://e/c", None)])
    # Within other forms: one request each.
    before = len(server.asked)
    assert rows(conn, f"SELECT (COUNT(*) AS ?c) (MAX(?y) AS ?m) {{ SERVICE {url} {{ ?s :age ?y }} }}") == Counter([("2", "41")])
    assert conn.sparql(f"PREFIX : <http://e/> ASK {{ SERVICE {url} {{ :a :knows :c }} }}").fetchone() == (True,)
    assert rows(conn, f"SELECT ?n {{ {{ SERVICE {url} {{ :a :name ?n }} }} UNION {{ :a :likes ?n }} }}") == Counter([("Ann",), ("tea",)])
    assert len(server.asked) == before + 3
    conn.sparql(f"PREFIX : <http://e/> INSERT {{ ?s :age ?y }} WHERE {{ SERVICE {url} {{ ?s :age ?y }} }}")
    assert conn.execute("MATCH (n) WHERE n.`http://e/age` > 40 RETURN n.`@id`").fetchall() == [(trimorph.IRI("http://e/a"),)]
    assert "sparql.service" in str(conn.sparql(f"EXPLAIN SELECT * {{ SERVICE {url} {{ ?s ?p ?o }} }}"))


def test_blank_nodes_of_a_server_are_nobody_else(server, conn):
    conn.sparql("INSERT DATA { _:x <http://e/name> 'nobody' }")
    text = f"SELECT ?s {{ ?s :name 'nobody' SERVICE <{server.url}/json> {{ ?s :name 'nobody' }} }}"
    assert not rows(conn, text)


def test_servers_that_a_variable_names(server, conn):
    text = f"SELECT ?e ?s ?y {{ VALUES ?e {{ <{server.url}/json> <{server.url}/xml> <{server.url}/json> }} SERVICE ?e {{ ?s :age ?y }} }}"
    assert sum(rows(conn, text).values()) == 6
    assert sorted(path for path, _ in server.asked) == ["/json", "/xml"]
    with pytest.raises(trimorph.QueryError, match="nothing before SERVICE"):
        rows(conn, "SELECT * { SERVICE ?e { ?s ?p ?o } }")
    assert rows(conn, "SELECT ?y { SERVICE ?e { :a :age ?y } }", e=trimorph.IRI(f"{server.url}/json")) == Counter([("41",)])


@pytest.mark.parametrize(
    ("path", "words"),
    [("/bad", "answers 500: no such thing"), ("/html", "text/html"), ("/broken", "/broken")],
)
def test_servers_that_fail(server, conn, path, words):
    text = f"SELECT ?l ?n {{ :a :likes ?l SERVICE %s <{server.url}{path}> {{ ?s :name ?n }} }}"
    with pytest.raises(trimorph.Error, match=words):
        rows(conn, text % "")
    assert rows(conn, text % "SILENT") == Counter([("tea", None)])


def test_limits(server):
    url = server.url
    conn = trimorph.Database(":memory:", network_access=True, network_timeout=0.3).connect()
    with pytest.raises(trimorph.Error, match="timeout"):
        rows(conn, f"SELECT * {{ SERVICE <{url}/slow> {{ ?s ?p ?o }} }}")
    server.over.set()
    conn = trimorph.Database(":memory:", network_access=True, memory_limit="40MB").connect()
    with pytest.raises(trimorph.Error, match="more than|too much"):
        rows(conn, f"SELECT * {{ SERVICE <{url}/long> {{ ?s ?p ?o }} }}")
    for nobody in ("http://127.0.0.1:1/", "ftp://e/", "trimorph:x"):
        with pytest.raises(trimorph.Error, match="127.0.0.1:1|no address"):
            rows(conn, f"SELECT * {{ SERVICE <{nobody}> {{ ?s ?p ?o }} }}")
        assert sum(rows(conn, f"SELECT * {{ SERVICE SILENT <{nobody}> {{ ?s ?p ?o }} }}").values()) == 1


def test_a_server_that_is_waited_for_can_be_left(server, conn):
    # It answers once it was left, not before.
    thread = threading.Thread(target=lambda: (server.begun.wait(120), conn.interrupt()))
    thread.start()
    with pytest.raises(trimorph.Error, match="(?i)cancel|interrupt"):
        rows(conn, f"SELECT * {{ SERVICE SILENT <{server.url}/slow> {{ ?s ?p ?o }} }}")
    server.over.set()
    thread.join()


def test_the_network_is_asked_only_where_it_may_be(server):
    conn = trimorph.Database(":memory:").connect()
    for text in (f"SELECT * {{ SERVICE <{server.url}/json> {{ ?s ?p ?o }} }}", f"LOAD <{server.url}/data>"):
        with pytest.raises(trimorph.Error, match="network"):
            conn.sparql(text)
    assert sum(rows(conn, f"SELECT * {{ SERVICE SILENT <{server.url}/json> {{ ?s ?p ?o }} }}").values()) == 1
    conn.sparql(f"LOAD SILENT <{server.url}/data>")
    assert not server.asked and not rows(conn, "SELECT * { ?s ?p ?o }")


def test_load(server, conn, tmp_path):
    url = server.url
    conn.sparql(f"LOAD <{url}/data>")
    assert rows(conn, "SELECT ?n ?l { ?s :name ?n ; :likes ?l }") == Counter([("Ann", "tea"), ("Bob", "milk")])
    conn.sparql(f"LOAD <{url}/data.nt?x=1> INTO GRAPH <http://g>; LOAD <{url}/data> INTO GRAPH <http://h>")
    assert rows(conn, "SELECT ?s ?p ?o { GRAPH <http://g> { ?s ?p ?o } }") == Counter([("http://e/n", "http://e/p", "http://e/o")])
    assert sum(rows(conn, "SELECT * { GRAPH <http://h> { ?s ?p ?o } }").values()) == 8
    for place, words in (("/none", "404: not here"), ("/wrong", "line 1|end of file|unexpected")):
        with pytest.raises(trimorph.Error, match=words):
            conn.sparql(f"PREFIX : <http://e/> INSERT DATA {{ :x :gone 1 }} ; LOAD <{url}{place}>")
        assert not rows(conn, "SELECT * { ?s :gone ?o }")
        conn.sparql(f"PREFIX : <http://e/> LOAD SILENT <{url}{place}> ; INSERT DATA {{ :x :kept '{place}' }}")
    assert sum(rows(conn, "SELECT * { ?s :kept ?o }").values()) == 2
    path = tmp_path / "a file.ttl"
    path.write_text("<x> <http://e/of> 'file' .")
    conn.sparql(f"LOAD <{path.as_uri()}>")
    assert rows(conn, "SELECT ?s { ?s :of ?o }") == Counter([(path.as_uri().rsplit("/", 1)[0] + "/x",)])
    with pytest.raises(trimorph.Error, match="nothing.ttl"):
        conn.sparql("LOAD <file:///nothing.ttl>")
    with conn.transaction() as tx:
        tx.sparql(f"LOAD <{url}/data> INTO GRAPH <http://i>")
        assert tx.sparql("SELECT (COUNT(*) AS ?n) { GRAPH <http://i> { ?s ?p ?o } }").fetchall() == [(8,)]
        tx.rollback()
    assert not rows(conn, "SELECT * { GRAPH <http://i> { ?s ?p ?o } }")
