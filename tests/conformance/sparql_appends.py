"""The transactions of the kit's `listappend.py` in SPARQL: its texts, and what is run in their place.

A list is a literal of numbers with blanks between them; a key is an IRI with a class and a number.
"""

PREFIX = "PREFIX : <http://append/> "
KEYS = "UNWIND $k AS k CREATE (:K {id: k, l: []})"
APPEND = "MATCH (n:K {id: $k}) SET n.l = n.l + [$v]"
READ = "MATCH (n:K {id: $k}) RETURN n.l AS l"
ALL = "MATCH (n:K) RETURN n.id AS k, n.l AS l"


def numbers(text):
    return [int(word) for word in text.split()]


def run(connection, text, given):
    """The rows that the kit wants, or None if the text is another one."""
    if text == KEYS:
        data = "".join(f":k{key} a :K ; :id {key} ; :l '' . " for key in given["k"])
        connection.sparql(f"{PREFIX} INSERT DATA {{ {data} }}")
        return []
    if text == APPEND:
        connection.sparql(
            PREFIX + "DELETE { ?n :l ?old } INSERT { ?n :l ?new } WHERE { ?n a :K ; :id ?k ; :l ?old BIND(CONCAT(?old, ' ', STR(?v)) AS ?new) }",
            {"k": given["k"], "v": given["v"]},
        )
        return []
    if text == READ:
        rows = connection.sparql(PREFIX + "SELECT ?l { ?n a :K ; :id ?k ; :l ?l }", {"k": given["k"]}).fetchall()
        return [{"l": numbers(text)} for (text,) in rows]
    if text == ALL:
        rows = connection.sparql(PREFIX + "SELECT ?k ?l { ?n a :K ; :id ?k ; :l ?l }").fetchall()
        return [{"k": key, "l": numbers(text)} for key, text in rows]
    return None
