"""Questions about a payments network, against DuckDB: floats, nulls, booleans, lists, properties of relationships, rings of transfers.

The questions are in `../payments/families/`, by family. Every answer is compared with DuckDB's before it is timed.
"""

from everyday import compare, summary
from payments import data, families

SYSTEMS = ["trimorph", "duckdb"]
DEFAULTS = {"repetitions": 3, "limit": 20.0, "enough": 4.0}


def run(race):
    wanted = [q for q in families.queries()
              if (not race.options.query or q.name in race.options.query)
              and (not race.options.family or q.family in race.options.family)]
    for scale in race.options.scale or [1.0]:
        names, results = ask_all(race, wanted, scale)
        summary.show(f"payments, scale {scale:g}", names, results)


def ask_all(race, wanted, scale):
    """The systems that are there, and query -> system -> fields, each line shown when it is known."""
    files = data.files(race.work, scale)
    systems = [race.built(name, f"payments-{scale:g}.{name}", "load_parquet", **files) for name in race.names(SYSTEMS)]
    systems = sorted((s for s in systems if s), key=lambda s: s.name != "duckdb")  # the first that answers is the reference
    names = [n for n in race.names(SYSTEMS) if any(s.name == n for s in systems)]
    drawn, results = data.Drawn(files), {}
    for query in wanted:
        asks, check = query.asks(drawn), None if query.count_only else compare.Agreement(query.ordered)
        results[query.name] = race.query(f"payments-{scale:g}", query.name, systems, asks, check, plain=True, fetch=query.fetch)
        if query.count_only:
            compare.counts(results[query.name])
        for fields in results[query.name].values():
            fields.pop("answer", None)
        summary.line(query.name, names, results[query.name])
    for system in systems:
        system.stop()
    return names, results
