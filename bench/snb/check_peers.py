"""Checks the texts without our engine: DuckDB runs the SQL, Ladybug or Kuzu our Cypher rewritten by `ladybug_dialect`.

    python bench/snb/check_peers.py duckdb|ladybug|kuzu [--work DIR] [--query 5] [--cases 3]

One peer per process: Ladybug and Kuzu do not share one.
"""

import argparse
import importlib
import pathlib
import statistics
import sys
import time

import answers
import ladybug_dialect


def duckdb_asker(work):
    """A function (query, parameters) -> rows."""
    import duckdb

    path = work / "snb-check.duckdb"
    fresh = not path.exists()
    connection = duckdb.connect(str(path))
    connection.execute("SET TimeZone='UTC'; SET threads=2")
    if fresh:
        connection.execute(schema_sql())
    return lambda query, parameters: connection.execute(
        answers.sql(query), ladybug_dialect.parameters(parameters, answers.sql(query), hours=False)).fetchall()


def schema_sql():
    """DuckDB's schema with the data's directory filled in."""
    return (answers.HERE / "duckdb" / "schema.sql").read_text(encoding="utf-8").replace("${DIR}", str(answers.SNAPSHOT))


def ladybug_asker(work, name):
    """The same for Ladybug or Kuzu."""
    engine = importlib.import_module(name)
    parquet = ladybug_dialect.export(work / "snb-parquet")
    path = work / f"snb-check.{name}"
    fresh = not path.exists()
    connection = engine.Connection(engine.Database(str(path)), num_threads=2)
    if fresh:
        for statement in ladybug_dialect.statements(parquet):
            connection.execute(statement)
    connection.set_query_timeout(120_000)

    def ask(query, parameters):
        text = ladybug_dialect.rewrite(answers.text(query))
        return connection.execute(text, ladybug_dialect.parameters(parameters, text)).get_all()

    return ask


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=["duckdb", "ladybug", "kuzu"])
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/trimorph-bench"))
    parser.add_argument("--query", action="append")
    parser.add_argument("--cases", type=int)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    ask = duckdb_asker(options.work) if options.peer == "duckdb" else ladybug_asker(options.work, options.peer)
    results = {}
    for variant, parameters, expected in answers.cases(options.query, options.cases):
        run, passed, times, first = results.setdefault(variant, [0, 0, [], None])
        started = time.process_time()
        try:
            found = answers.difference(ask(answers.query_of(variant), parameters), expected)
        except Exception as error:  # the peer's limits are part of the report
            found = f"{type(error).__name__}: {error}"
        times.append((time.process_time() - started) * 1e3)
        results[variant] = [run + 1, passed + (found is None), times, first or (found and f"{found}; {parameters!r}")]
    for variant, (run, passed, times, first) in results.items():
        print(f"{'pass' if passed == run else 'FAIL'}  bi-{variant:<4} {passed:>2}/{run:<2} {statistics.median(times):9.2f} CPU ms"
              + (f"  {first[:600]}" if first else ""), flush=True)
    sys.exit(any(passed < run for run, passed, _, _ in results.values()))


if __name__ == "__main__":
    main()
