"""Virtuoso's Table 1: the revenue of all parts below a size, by index, by hash join, by hash join that reads late.

`Part` has 100,000 rows a scale, `LineItem` thirty for each part, drawn at random and in random order, so that neighbours in
one table are strangers in the other. The size is a permutation of the parts, so `size < n` selects exactly n of them.

| form | ours | the paper's |
|---|---|---|
| edges | from the parts along their relationships | index |
| key | line items look their part up by its key, together, and its size is asked then | (the same join from the other side) |
| hash | hash join on equal numbers; the probe's key is computed, so nothing is known of it in the scan | vectored hash join |
| late | the same; the build side's keys are asked of the scanned column before anything else is read | invisible hash join |

DuckDB has one form, its own choice. All answers are compared. Amounts are integers: sums do not depend on the order.

Source: Erling, Virtuoso, a Hybrid RDBMS/Graph Column Store, IEEE Data Engineering Bulletin 2012, "Vectored Execution".
"""

import race as races

SYSTEMS = ["trimorph", "duckdb"]
PARTS, LINES = 100_000, 3_000_000
PERCENT = (0.01, 0.1, 1, 2, 4, 6, 8, 10, 12, 14, 30, 60, 100)
REVENUE = "RETURN sum(l.price * (100 - l.discount))"
OURS = {
    "edges": f"MATCH (p:Part)<-[:OF]-(l:LineItem) WHERE p.size < $size {REVENUE}",
    "key": f"MATCH (l:LineItem), (p:Part) WHERE p.id = l.part AND p.size < $size {REVENUE}",
    "hash": f"MATCH (l:LineItem), (p:Part) WHERE p.number = l.part + 0 AND p.size < $size {REVENUE}",
    "late": f"MATCH (l:LineItem), (p:Part) WHERE p.number = l.part AND p.size < $size {REVENUE}",
}
SQL = "SELECT sum(l.price * (100 - l.discount)) FROM LineItem l JOIN Part p ON p.number = l.part WHERE p.size < $size"


def files(work, scale):
    """Writes the tables unless they are there: CSV with neo4j-admin's headers for ours, Parquet for DuckDB."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    from . import rmat

    parts, lines = int(PARTS * scale), int(LINES * scale)
    directory = work / f"table1-{scale:g}"
    if not (directory / "done").exists():
        directory.mkdir(parents=True, exist_ok=True)
        draw = np.random.default_rng(1)
        ids = np.arange(parts)
        part = {"number": ids, "size": draw.permutation(parts)}
        line = {"part": draw.integers(0, parts, lines), "price": draw.integers(100, 1_000_000, lines),
                "discount": draw.integers(0, 11, lines)}
        for name, columns in (("part", part), ("line", line)):
            pq.write_table(pa.table(columns), directory / f"{name}.parquet")
        label = {"label": pa.array(["Part"] * parts)}
        rmat.write_csv(directory / "part.csv", "id:ID(Part){id-type:long},number:long,size:long,:LABEL", {"id": ids} | part | label)
        label = {"label": pa.array(["LineItem"] * lines)}
        rmat.write_csv(directory / "line.csv", "id:ID(Line){id-type:long},part:long,price:long,discount:long,:LABEL",
                       {"id": np.arange(lines)} | line | label)
        rmat.write_csv(directory / "of.csv", ":START_ID(Line),:END_ID(Part),:TYPE",
                       {"s": np.arange(lines), "t": line["part"], "type": pa.array(["OF"] * lines)})
        (directory / "done").touch()
    tables = (("Part", "part"), ("LineItem", "line"))
    schema = "".join(f"CREATE TABLE {table} AS FROM '{directory}/{name}.parquet';\n" for table, name in tables)
    return {"csv": [str(directory / f"{name}.csv") for name in ("part", "line", "of")], "schema_sql": schema}


def run(race):
    for scale in race.options.scale or [1.0]:
        given = files(race.work, scale)
        systems = [race.built(name, f"table1-{scale:g}.{name}", "load_tables", **given) for name in race.names(SYSTEMS)]
        systems = [s for s in systems if s]
        suite, rows = f"table1-{scale:g}", []
        for percent in PERCENT:
            size = {"size": round(PARTS * scale * percent / 100)}
            found, answers = {}, set()
            for form, text in OURS.items():
                asks = {"trimorph": (text, size)} | ({"duckdb": (SQL, size)} if form == "edges" else {})
                for name, fields in race.query(suite, f"{percent:g} % {form}", systems, asks).items():
                    found["duckdb" if name == "duckdb" else form if name == "trimorph" else f"{form} before"] = fields
                    answers.add(str(fields.get("answer", fields.get("error"))))
            if len(answers) > 1:
                print(f"  {percent:g} %: answers differ: {answers}", flush=True)
            names = sorted(found, key=[*OURS, "duckdb"].index) if not race.options.before else sorted(found)
            best = min((found[f]["cpu"] for f in OURS if "cpu" in found.get(f, {})), default=None)
            theirs = found.get("duckdb", {}).get("cpu")
            ratio = f"{best / theirs:.2f}" if best and theirs else "-"
            rows.append([f"{percent:g} %", *(races.milliseconds(found[n]) for n in names), ratio])
        for system in systems:
            system.stop()
        races.table(f"{suite}: {LINES * scale:,.0f} line items, {PARTS * scale:,.0f} parts — CPU ms, median",
                    ["parts selected", *names, "our best/duckdb"], rows)
