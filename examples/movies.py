"""Movies: files in, patterns, paths and a recommendation out.

    python examples/movies.py
"""

import pathlib

import trimorph

db = trimorph.Database()
report = db.load(*sorted((pathlib.Path(__file__).parent / "movies").glob("*.csv")))
print(f"{report.nodes} nodes and {report.relationships} relationships\n")
conn = db.connect()

print("Who directed a film and played in one?")
conn.execute("""
    MATCH (p:Person)-[:DIRECTED]->(d:Movie), (p)-[r:ACTED_IN]->(a:Movie)
    RETURN DISTINCT p.name AS name, r.role AS role, a.title AS film
""").show()
print()

print("Who played with Tom Hanks most often?")
conn.execute("""
    MATCH (:Person {name: $name})-[:ACTED_IN]->(m)<-[:ACTED_IN]-(other)
    RETURN other.name AS name, count(*) AS films, collect(m.title) AS titles
    ORDER BY films DESC, name LIMIT 3
""", {"name": "Tom Hanks"}).show()  # fmt: skip
print()

print("How far is Keanu Reeves from Kevin Bacon?")
(path,) = conn.execute("""
    MATCH path = shortestPath((:Person {name: 'Keanu Reeves'})-[:ACTED_IN*]-(:Person {name: 'Kevin Bacon'}))
    RETURN path
""").fetchone()
print(" - ".join(node.get("name") or node.get("title") for node in path.nodes), "\n")

print("What may somebody like who likes The Matrix? Films that share actors or genres.")
conn.execute("""
    MATCH (liked:Movie {title: 'The Matrix'})
    MATCH (m:Movie) WHERE m <> liked
    WITH liked, m, [g IN m.genres WHERE g IN liked.genres] AS genres
    OPTIONAL MATCH (liked)<-[:ACTED_IN]-(p)-[:ACTED_IN]->(m)
    WITH m, genres, collect(p.name) AS actors
    WITH m.title AS film, size(actors) + size(genres) AS score, actors, genres
    WHERE score > 0
    RETURN film, score, actors, genres ORDER BY score DESC, film LIMIT 4
""").show()
print()
