"""SNB BI over generated data of any scale, ours against SQL on DuckDB, with parameters drawn from the data.

A query's figure is the sum over its parameter rows. Our database is that of the suite `everyday`; DuckDB's has the tables of `snb-bi`.
"""

import pathlib

import answers
import drawn as drawn_parameters

from everyday import asking, data
from everyday.query import LEFT_OUT, Query

from . import everyday, snb_bi

SCHEMA = pathlib.Path(answers.HERE) / "duckdb" / "generated.sql"
DEFAULTS = everyday.DEFAULTS


def run(race):
    for scale in race.options.scale or [1.0]:
        ask(race, scale)


def ask(race, scale):
    files = data.files(race.work, scale)
    schema = SCHEMA.read_text(encoding="utf-8").replace("${DIR}", files["parquet"])
    built = lambda name: (race.built(name, f"bi-{scale:g}.{name}", "load_snb", **(files | {"schema_sql": schema})) if name == "duckdb"
                          else race.built(name, f"everyday-{scale:g}.{name}", "load_snb", **files))
    systems, names = asking.there(race, ["trimorph", "duckdb"], built, "duckdb")
    values = data.Drawn(files["parquet"])
    queries, given = [], {}
    for query in (q for q in answers.QUERIES if not race.options.query or q in race.options.query):
        for number, row in enumerate(drawn_parameters.rows(query, values, race.options.cases)):
            name = f"bi-{query}#{number}"
            queries.append(Query(name, answers.text(query), answers.sql(query), LEFT_OUT))
            given[name] = snb_bi.asks(query, row)
    found = asking.all_of(race, f"bi-generated-{scale:g}", systems, names, queries, lambda query: given[query.name])
    results = {}
    for name, fields in found.items():
        query, number = name.split("#")
        snb_bi.add(results.setdefault(query, {n: {"cpu": 0.0, "wall": 0.0} for n in names}), fields, number)
    snb_bi.show(f"bi-generated, generated SNB {scale:g}, {race.options.cases} rows of parameters each", names, results)
