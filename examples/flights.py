"""Flights: data frames in, journeys and frames out, in openCypher and in SPARQL.

    pip install 'trimorph[pandas]' && python examples/flights.py
"""

import pathlib

import pandas

import trimorph

here = pathlib.Path(__file__).parent / "flights"
airports = pandas.read_csv(here / "airports.csv")
flights = pandas.read_csv(here / "flights.csv")

db = trimorph.Database()
db.load(
    nodes={"Airport": airports},
    edges={("Airport", "FLIGHT", "Airport"): flights},
    key="code", source="from", target="to",
)  # fmt: skip
conn = db.connect()

print("The busiest airports")
busy = conn.execute("""
    MATCH (a:Airport)-[f:FLIGHT]-()
    RETURN a.code AS code, a.city AS city, count(f) AS flights ORDER BY flights DESC, code LIMIT 4
""").df()
print(busy.to_string(index=False), "\n")

print("From Tromso to Sydney with the fewest flights, then the cheapest")
conn.execute("""
    MATCH path = allShortestPaths((:Airport {code: 'TOS'})-[:FLIGHT*]->(:Airport {code: 'SYD'}))
    RETURN [a IN nodes(path) | a.code] AS journey,
           reduce(sum = 0.0, f IN relationships(path) | sum + f.price) AS price,
           reduce(sum = 0, f IN relationships(path) | sum + f.minutes) AS minutes
    ORDER BY price LIMIT 3
""").show()
print()

print("Where can one be, from Berlin, with at most two changes?")
(reached,) = conn.execute("""
    MATCH (:Airport {code: 'BER'})-[:FLIGHT*1..3]->(a:Airport)
    WHERE a.code <> 'BER'
    RETURN collect(DISTINCT a.code)
""").fetchone()
print(", ".join(sorted(reached)), "\n")

print("The same graph, asked in SPARQL: countries with two airports or more")
conn.sparql("""
    SELECT ?country (COUNT(?a) AS ?airports) { ?a a :Airport ; :country ?country }
    GROUP BY ?country HAVING (COUNT(?a) > 1) ORDER BY ?country
""").show()
print()
