"""Everyday queries over generated SNB data: functions, joins, grouping, sorting, text, dates, lists, patterns, fetches.

The queries are in `../everyday/families/`, by family. Every answer is compared with DuckDB's before it is timed, or with the
first system's that answers where DuckDB does not.
"""

from everyday import asking, data, families, summary

SYSTEMS = ["trimorph", "duckdb", "ladybug", "kuzu"]
DEFAULTS = {"repetitions": 3, "limit": 20.0, "enough": 4.0}  # so that slow queries do not fill the run


def run(race):
    wanted = [q for q in families.queries()
              if (not race.options.query or q.name in race.options.query)
              and (not race.options.family or q.family in race.options.family)]
    for scale in race.options.scale or [1.0]:
        names, results = ask_all(race, f"everyday-{scale:g}", lambda _drawn: wanted, scale, SYSTEMS)
        summary.show(f"everyday, generated SNB {scale:g}", names, results)


def ask_all(race, suite, queries_of, scale, among):
    """The systems that are there, and query -> system -> fields. `queries_of` gives the queries for the drawn values."""
    files = data.files(race.work, scale)
    built = lambda name: race.built(name, f"everyday-{scale:g}.{name}", "load_snb", **files)
    systems, names = asking.there(race, among, built, "duckdb")
    drawn = data.Drawn(files["parquet"])
    return names, asking.all_of(race, suite, systems, names, queries_of(drawn), lambda query: query.asks(drawn))
