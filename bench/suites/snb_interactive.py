"""SNB interactive: the complex reads IC 1–14 and the short reads IS 1–7 over generated data, ours against SQL on DuckDB.

A query's figure is the sum over its parameter rows. The database is that of the suite `everyday`.
"""

import pathlib

import race as races

from everyday import summary
from everyday.query import LEFT_OUT, Query
from interactive import parameters

from . import everyday

TEXTS = pathlib.Path(__file__).resolve().parent.parent / "interactive"
DEFAULTS = everyday.DEFAULTS


def queries(race, drawn):
    """One query per read and row of parameters."""
    for name in parameters.QUERIES:
        if race.options.query and name not in race.options.query:
            continue
        cypher = (TEXTS / f"{name}.cypher").read_text(encoding="utf-8")
        sql = (TEXTS / "duckdb" / f"{name}.sql").read_text(encoding="utf-8")
        for number, row in enumerate(parameters.rows(name, drawn, race.options.cases)):
            yield Query(f"{name}#{number}", cypher, sql, LEFT_OUT, row)


def summed(results, names):
    """The rows of a read added up; an error of one of them is the read's."""
    total = {}
    for query, fields in results.items():
        read = total.setdefault(query.split("#")[0], {name: {"cpu": 0.0, "wall": 0.0} for name in names})
        for name, found in fields.items():
            if "error" in found:
                read[name] = {"error": f"{found['error']} (row {query.split('#')[1]})"}
            elif "cpu" in read[name]:
                read[name] = {clock: read[name][clock] + found[clock] for clock in ("cpu", "wall")}
    return total


def run(race):
    for scale in race.options.scale or [1.0]:
        names, results = everyday.ask_all(race, f"snb-interactive-{scale:g}", lambda drawn: queries(race, drawn), scale, ["trimorph", "duckdb"])
        total = summed(results, names)
        races.query_table(f"snb-interactive, generated SNB {scale:g}, {race.options.cases} rows of parameters each", names, total)
        summary.show(f"snb-interactive, generated SNB {scale:g}", names, {f"{n.split('-')[0]}/{n}": f for n, f in total.items()})
