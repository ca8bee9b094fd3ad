"""Everyday queries over generated SNB data: functions, joins, grouping, sorting, text, dates, lists, patterns, fetches.

The queries are in `../everyday/families/`, by family. Every answer is compared with DuckDB's before it is timed, or with the
first system's that answers where DuckDB does not.
"""

from everyday import compare, data, families, summary

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
    """The systems that are there, and query -> system -> fields, each line shown when it is known.

    `queries_of` gives the queries for the drawn values.
    """
    files = data.files(race.work, scale)
    systems = [race.built(name, f"everyday-{scale:g}.{name}", "load_snb", **files) for name in race.names(among)]
    systems = sorted((s for s in systems if s), key=lambda s: s.name != "duckdb")  # the first that answers is the reference
    names = [n for n in race.names(among) if any(s.name == n for s in systems)]
    drawn = data.Drawn(files["parquet"])
    results = {}
    for query in queries_of(drawn):
        check = None if query.count_only else compare.Agreement(query.ordered)
        results[query.name] = race.query(suite, query.name, systems, query.asks(drawn), check, plain=True, fetch=query.fetch)
        if query.count_only:
            compare.counts(results[query.name])
        for fields in results[query.name].values():
            fields.pop("answer", None)
        summary.line(query.name, names, results[query.name])
    for system in systems:
        system.stop()
    return names, results
