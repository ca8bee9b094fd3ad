"""Questions of several clauses drawn from a seed over the payments network, against DuckDB: what nobody thought of. See
`../payments/drawn_queries.py`."""

from everyday import summary
from payments import drawn_queries

from . import payments

SYSTEMS = payments.SYSTEMS
DEFAULTS = {"repetitions": 2, "limit": 15.0, "enough": 2.0}


def run(race):
    wanted = [q for q in drawn_queries.queries(race.options.seed, race.options.queries)
              if not race.options.query or q.name in race.options.query]
    for scale in race.options.scale or [1.0]:
        names, results = payments.ask_all(race, wanted, scale)
        summary.show(f"drawn, seed {race.options.seed}, payments {scale:g}", names, results)
        for query in wanted:
            ratio = summary.ratio_of(results[query.name])
            if race.options.query or (ratio is not None and ratio > 2) or any("error" in f for f in results[query.name].values()):
                print(f"\n{query.name}\n  {query.cypher}\n  {query.sql}")
