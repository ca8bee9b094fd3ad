"""Questions about a payments network, against DuckDB: floats, nulls, booleans, lists, properties of relationships, rings of transfers.

The questions are in `../payments/families/`, by family. Every answer is compared with DuckDB's before it is timed.
"""

from everyday import asking, summary
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
    files, suite = data.files(race.work, scale), f"payments-{scale:g}"
    built = lambda name: race.built(name, f"{suite}.{name}", "load_parquet", **files)
    systems, names = asking.there(race, SYSTEMS, built, "duckdb")
    drawn = data.Drawn(files)
    return names, asking.all_of(race, suite, systems, names, wanted, lambda query: query.asks(drawn))
