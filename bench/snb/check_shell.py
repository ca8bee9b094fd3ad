"""Runs our BI texts through the `trimorph` command, one process a case, and compares with the shared answers.

    python bench/snb/check_shell.py --binary target/release/trimorph [--query 5] [--cases 3]

The database is loaded by the command too, into a temporary directory. Exit code 1 if anything differs.
"""

import argparse
import datetime as dt
import json
import pathlib
import subprocess
import sys
import tempfile

import answers


def literal(value):
    """A parameter as the command reads it."""
    if isinstance(value, dt.datetime):
        return f"datetime('{value.isoformat()}')"
    if isinstance(value, dt.date):
        return f"date('{value.isoformat()}')"
    return json.dumps(value, ensure_ascii=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="trimorph", help="the command")
    parser.add_argument("--query", action="append", help="only this query, without the variant letter; may repeat")
    parser.add_argument("--cases", type=int, help="at most this many parameter rows per variant")
    options = parser.parse_args()
    results = {}
    with tempfile.TemporaryDirectory() as work:
        database = str(pathlib.Path(work) / "snb.tm")
        subprocess.run([options.binary, "load", database, str(answers.SNAPSHOT)], check=True, capture_output=True)
        for variant, parameters, expected in answers.cases(options.query, options.cases):
            text = answers.HERE / f"bi-{answers.query_of(variant)}.cypher"
            command = [options.binary, "query", database, "--file", str(text), "--format", "jsonl"]
            for name, value in parameters.items():
                command += ["--param", f"{name}={literal(value)}"]
            run = subprocess.run(command, capture_output=True, text=True)
            rows = [list(json.loads(line).values()) for line in run.stdout.splitlines()]
            found = run.stderr.strip() if run.returncode else answers.difference_in_json(rows, expected)
            count = results.setdefault(variant, [0, 0, None])
            count[0] += 1
            count[1] += found is None
            count[2] = count[2] or found
    for variant, (run, passed, first) in results.items():
        print(f"{'pass' if passed == run else 'FAIL'}  bi-{variant:<4} {passed:>2}/{run:<2}" + (f"  {first}" if first else ""))
    total, passed = sum(r[0] for r in results.values()), sum(r[1] for r in results.values())
    print(f"{passed} of {total} answers reproduced from the shell")
    sys.exit(passed < total)


if __name__ == "__main__":
    main()
