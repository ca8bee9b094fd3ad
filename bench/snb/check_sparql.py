"""Runs the BI texts in SPARQL (`sparql/bi-N.rq`) against a database that was loaded from CSV, and compares with the shared answers.

    python bench/snb/check_sparql.py [--query 5] [--cases 3] [--cypher]

SPARQL has no arithmetic of dates, so the bounds of intervals are parameters. `--cypher` asks the Cypher text, too, and prints the
ratio of CPU time. `tests/it/snb_bi_sparql.rs` asks the same texts through the Rust API.
"""

import argparse
import datetime as dt
import math
import pathlib
import statistics
import sys
import time

import answers

TEXTS = pathlib.Path(__file__).resolve().parent / "sparql"


def instant(date, days=0):
    return dt.datetime(date.year, date.month, date.day, tzinfo=answers.UTC) + dt.timedelta(days=days)


def given(query, own):
    """The variables that have values, and the text's list if it has one."""
    # `$tag` would be the same variable as `?tag`.
    names = {"tag": "tagName", "country": "countryName"}
    plain = {name: value for name, value in own.items() if not isinstance(value, (dt.date, list)) or isinstance(value, dt.datetime)}
    values = {names.get(name, name): value for name, value in plain.items()}
    match query:
        case "2":
            values |= {"from": instant(own["date"]), "middle": instant(own["date"], 100), "to": instant(own["date"], 200)}
        case "4":
            values["from"] = instant(own["date"])
        case "8" | "9" | "11":
            values |= {"from": instant(own["startDate"]), "to": instant(own["endDate"])}
        case "12":
            values["from"] = instant(own["startDate"])
        case "13":
            values["to"] = instant(own["endDate"])
        case "17":
            values["delta"] = dt.timedelta(hours=own["delta"])
        case "16":
            for which in "AB":
                values |= {f"from{which}": instant(own[f"date{which}"]), f"to{which}": instant(own[f"date{which}"], 1)}
    return values


def asked(query, own):
    text = (TEXTS / f"bi-{query}.rq").read_text()
    for name, value in own.items():
        if isinstance(value, list):
            text = text.replace(f"${name}", ", ".join(f'"{one}"' for one in value))
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--query", action="append")
    parser.add_argument("--cases", type=int)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cypher", action="store_true")
    options = parser.parse_args()
    import trimorph

    database = trimorph.Database(threads=options.threads)
    database.load(str(answers.SNAPSHOT), format="ldbc-snb")
    connection = database.connect()
    written = {path.stem.removeprefix("bi-") for path in TEXTS.glob("bi-*.rq")}
    results = {}
    for variant, own, expected in answers.cases(options.query, options.cases):
        query = answers.query_of(variant)
        if query not in written:
            continue
        entry = results.setdefault(variant, {"run": 0, "passed": 0, "sparql": [], "cypher": [], "first": None})
        started = time.process_time()
        try:
            rows = connection.sparql(asked(query, own), given(query, own)).fetchall()
            entry["sparql"].append((time.process_time() - started) * 1000)
            found = answers.difference(rows, expected)
        except Exception as error:  # every failure is reported
            found = f"{type(error).__name__}: {error}"
        if options.cypher:
            started = time.process_time()
            connection.execute(answers.text(query), own).fetchall()
            entry["cypher"].append((time.process_time() - started) * 1000)
        entry["run"] += 1
        entry["passed"] += found is None
        entry["first"] = entry["first"] or found
    sums = [0.0, 0.0]
    for variant, entry in results.items():
        middle = statistics.median(entry["sparql"] or [math.nan])
        line = f"{'pass' if entry['passed'] == entry['run'] else 'FAIL'}  bi-{variant:<4} {entry['passed']:>2}/{entry['run']:<2} {middle:9.2f} ms"
        if options.cypher:
            cypher = statistics.median(entry["cypher"])
            sums = [sums[0] + middle, sums[1] + cypher]
            line += f"  cypher {cypher:9.2f}  ratio {middle / cypher:6.2f}"
        print(line + (f"  {entry['first']}" if entry["first"] else ""), flush=True)
    if options.cypher and sums[1]:
        print(f"sum {sums[0]:.1f} ms, cypher {sums[1]:.1f} ms, ratio {sums[0] / sums[1]:.2f}")
    sys.exit(any(entry["passed"] < entry["run"] for entry in results.values()))


if __name__ == "__main__":
    main()
