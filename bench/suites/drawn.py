"""Queries drawn from a seed over generated SNB data, against DuckDB: what nobody thought of. See `../everyday/drawn_queries.py`."""

from everyday import drawn_queries, summary

from . import everyday

DEFAULTS = {"repetitions": 2, "limit": 20.0, "enough": 2.0}


def run(race):
    wanted = [q for q in drawn_queries.queries(race.options.seed, race.options.queries)
              if not race.options.query or q.name in race.options.query]
    for scale in race.options.scale or [1.0]:
        names, results = everyday.ask_all(race, f"drawn-{scale:g}", lambda _drawn: wanted, scale, ["trimorph", "duckdb"])
        summary.show(f"drawn, seed {race.options.seed}, generated SNB {scale:g}", names, results)
        for query in wanted:
            ratio = summary.ratio_of(results[query.name])
            if race.options.query or (ratio is not None and ratio > 2) or any("error" in f for f in results[query.name].values()):
                print(f"\n{query.name}\n  {query.cypher}\n  {query.sql}")
