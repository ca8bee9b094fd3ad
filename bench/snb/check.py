"""Runs our BI texts against a Trimorph database of `snb-sf0.1` and compares with the shared answers.

    python bench/snb/check.py --db DIR [--load] [--query 5 --query 8] [--cases 3] [--explain]

Prints a line per variant: passed of run, median milliseconds, and the first difference. Exit code 1 if anything differs.
"""

import argparse
import pathlib
import statistics
import sys
import time

import answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--db", required=True, help="database directory, or :memory: with --load")
    parser.add_argument("--load", action="store_true", help="load the initial snapshot first (done by itself if DIR does not exist)")
    parser.add_argument("--query", action="append", help="only this query, without the variant letter; may repeat")
    parser.add_argument("--cases", type=int, help="at most this many parameter rows per variant")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--explain", action="store_true", help="print the plan of the first case of each query")
    options = parser.parse_args()
    import trimorph

    fresh = options.db == ":memory:" or not pathlib.Path(options.db).exists()
    database = trimorph.Database(options.db, threads=options.threads)
    if options.load or fresh:
        database.load(str(answers.SNAPSHOT), format="ldbc-snb")
    connection = database.connect()
    results, planned = {}, set()
    for variant, parameters, expected in answers.cases(options.query, options.cases):
        query = answers.query_of(variant)
        run, passed, times, first = results.setdefault(variant, [0, 0, [], None])
        started = time.perf_counter()
        try:
            result = connection.execute(answers.text(query), parameters)
            found = answers.difference(result.fetchall(), expected)
            if options.explain and query not in planned:
                planned.add(query)
                print(f"--- bi-{query}\n{result.plan}")
        except Exception as error:  # a checker reports every failure of the engine and goes on
            found = f"{type(error).__name__}: {error}"
        times.append((time.perf_counter() - started) * 1e3)
        if found and first is None:
            first = f"{found}\n       parameters {parameters!r}"
        results[variant] = [run + 1, passed + (found is None), times, first]
    failed = False
    for variant, (run, passed, times, first) in results.items():
        failed |= passed < run
        print(f"{'pass' if passed == run else 'FAIL'}  bi-{variant:<4} {passed:>2}/{run:<2} {statistics.median(times):9.2f} ms"
              + (f"  {first}" if first else ""))
    sys.exit(failed)


if __name__ == "__main__":
    main()
