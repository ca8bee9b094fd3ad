"""SNB BI: our openCypher, the same rewritten for Ladybug, and SQL on DuckDB, every answer checked.

DuckDB keeps each message's root post and forum precomputed (`snb/duckdb/schema.sql`), as the benchmark's SQL
implementations do; we and Ladybug walk REPLY_OF. A query's figure is the sum over its parameter rows.
"""

import math

import answers
import ladybug_dialect
import race as races

from . import snb

SYSTEMS = ["trimorph", "ladybug", "duckdb"]


def asks(variant, parameters):
    query = answers.query_of(variant)
    rewritten = ladybug_dialect.rewrite(answers.text(query))
    return {"trimorph": (answers.text(query), parameters),
            "ladybug": (rewritten, ladybug_dialect.parameters(parameters, rewritten)),
            "duckdb": (answers.sql(query), ladybug_dialect.parameters(parameters, answers.sql(query), hours=False))}


def run(race):
    systems = snb.systems(race, SYSTEMS)
    if not systems:
        return
    names = [s.name for s in systems]
    cases = {}
    for variant, parameters, expected in answers.cases(race.options.query, race.options.cases):
        cases.setdefault(variant, []).append((parameters, expected))
    results = {}
    for variant, rows in cases.items():
        total = {name: {"cpu": 0.0, "wall": 0.0} for name in names}
        for number, (parameters, expected) in enumerate(rows):
            found = race.query("snb-bi", f"{variant}#{number}",
                               [s for s in systems if "error" not in total[s.name]], asks(variant, parameters),
                               lambda got, expected=expected: answers.difference_in_json(got, expected))
            add(total, found, number)
        results[f"bi-{variant} x{len(rows)}"] = total
    for system in systems:
        system.stop()
    show("snb-bi, SNB 0.1", names, results)


def add(total, found, number):
    """Adds what a row of parameters took; an error of one is the query's."""
    for name, fields in found.items():
        if "error" in fields:
            total[name] = {"error": f"{fields['error']} (row {number})"}
        elif "cpu" in fields and "error" not in total[name]:
            total[name]["cpu"] += fields["cpu"]
            total[name]["wall"] += fields["wall"]


def show(title, names, results):
    """All queries, and how we compare with DuckDB."""
    races.query_table(title, names, results)
    both = [f for f in results.values() if all("cpu" in f.get(n, {}) for n in ("trimorph", "duckdb"))]
    if both:
        ratios = [f["trimorph"]["cpu"] / f["duckdb"]["cpu"] for f in both]
        print(f"  ours/duckdb over {len(both)} queries: sum {sum(f['trimorph']['cpu'] for f in both) / sum(f['duckdb']['cpu'] for f in both):.2f},"
              f" geometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}, worst {max(ratios):.2f}")
