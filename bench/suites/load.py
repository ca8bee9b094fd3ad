"""Bulk load of SNB 0.1: CPU, values per CPU second, bytes on disk, memory. A fresh process and database each time.

We and DuckDB read the zstd CSV files; Ladybug reads Parquet prepared beforehand with typed columns, which saves it the
decompression and the parsing. DuckDB's figure includes its derived message table. Values are the fields of the CSV rows.
"""

import statistics

import answers
import race as races

from . import snb

SYSTEMS = ["trimorph", "ladybug", "duckdb"]


def values():
    """Fields in the snapshot's CSV files: rows times columns."""
    import duckdb

    connection, total = duckdb.connect(), 0
    for directory in sorted(answers.SNAPSHOT.glob("*/*")):
        relation = f"read_csv('{directory}/*.csv.zst', delim='|', header=true, all_varchar=true)"
        rows = connection.execute(f"SELECT count(*) FROM {relation}").fetchone()[0]
        total += rows * len(connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall())
    return total


def run(race):
    if not answers.SNAPSHOT.exists():
        print(f"  skipped: no data at {answers.SNAPSHOT}")
        return
    files, fields = snb.files(race), values()
    samples = {}
    for _ in range(race.options.repetitions):
        for name in race.names(SYSTEMS):
            path = f"load.{name}"
            system = race.open(name, path, fresh=True)
            if not system:
                continue
            try:
                before = system.request("size")
                took = system.request("load_snb", files=files, seconds=1800)
                after = system.request("size")
                system.stop()
                sample = {**took, "disk": races.disk_bytes(race.work / path), "peak": after["peak"],
                          "resident": after["resident"] - before["resident"]}
                samples.setdefault(name, []).append(sample)
                race.record(suite="load", system=name, values=fields, **sample)
            except races.Failed as error:
                print(f"  {name}: {error}")
                race.record(suite="load", system=name, error=str(error))
                race.missing.add(name)
                system.stop()
    rows = []
    for name, found in samples.items():
        middle = {key: statistics.median(s[key] for s in found) for key in found[0]}
        rows.append([name, f"{middle['cpu']:.2f}", f"{middle['wall']:.2f}", f"{fields / middle['cpu'] / 1e6:.2f}",
                     *(f"{middle[key] / 1e6:.0f}" for key in ("disk", "resident", "peak"))])
    races.table(f"load, SNB 0.1: {fields:,} values", ["system", "CPU s", "wall s", "M values/CPU s", "disk MB", "RSS grown MB", "peak MB"], rows)
