"""Graph500's generator in numpy: takes scale and edge factor, gives a symmetric simple graph as CSV, Parquet and CSR.

1. 2^scale · factor pairs, bit by bit with A=0.57, B=C=0.19, vertex numbers permuted.
2. Self loops out, both directions in, duplicates out, sorted by (source, target).
3. Each directed edge gets a timestamp: seconds, uniform over 2010–2020.

Shapes: offsets n+1, targets m and ts m, sorted within a vertex. Vertices without edges stay.
Source: Graph500 specification, section "Generating the Edge List".
"""

import json

import numpy as np


def rmat(scale, factor, seed):
    """Sources and targets, simple and symmetric, sorted."""
    random = np.random.default_rng(seed)
    pairs = factor << scale
    sources = np.zeros(pairs, np.int64)
    targets = np.zeros(pairs, np.int64)
    for _ in range(scale):
        draw = random.random(pairs)
        down = draw >= 0.57 + 0.19
        right = ((draw >= 0.57) & ~down) | (draw >= 0.57 + 0.19 + 0.19)
        sources = sources << 1 | down
        targets = targets << 1 | right
    names = random.permutation(1 << scale)
    sources, targets = names[sources], names[targets]
    apart = sources != targets
    sources, targets = sources[apart], targets[apart]
    keys = np.concatenate([sources << scale | targets, targets << scale | sources])
    keys = np.unique(keys)
    return keys >> scale, keys & ((1 << scale) - 1)


def files(work, scale, factor=16, seed=1):
    """Writes the graph unless it is there; returns its paths, sizes and the median timestamp."""
    directory = work / f"rmat{scale}-{factor}-{seed}"
    done = directory / "graph.json"
    if not done.exists():
        import pyarrow as pa
        import pyarrow.parquet as pq

        directory.mkdir(parents=True, exist_ok=True)
        sources, targets = rmat(scale, factor, seed)
        count = 1 << scale
        ts = np.random.default_rng(seed + 1).integers(1_262_304_000, 1_577_836_800, len(sources))
        ids = pa.array(np.arange(count))
        np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=count))]).astype(np.uint64).tofile(directory / "offsets.u64")
        targets.astype(np.uint32).tofile(directory / "targets.u32")
        ts.astype(np.int64).tofile(directory / "ts.i64")
        pq.write_table(pa.table({"id": ids}), directory / "nodes.parquet")
        pq.write_table(pa.table({"s": sources, "t": targets, "ts": ts}), directory / "edges.parquet")
        write_csv(directory / "nodes.csv", "id:ID(V),:LABEL", {"id": ids, "label": pa.array(["V"] * count)})
        write_csv(directory / "edges.csv", ":START_ID(V),:END_ID(V),:TYPE,ts:long",
                  {"s": pa.array(sources), "t": pa.array(targets), "type": pa.array(["E"] * len(sources)), "ts": pa.array(ts)})
        done.write_text(json.dumps({"nodes": count, "edges": len(sources), "median": int(np.median(ts))}))
    return {"directory": directory, **json.loads(done.read_text())}


def write_csv(path, header, columns):
    """neo4j-admin's header line, then rows without quotes."""
    import pyarrow as pa
    from pyarrow import csv as pacsv

    with path.open("wb") as out:
        out.write((header + "\n").encode())
        pacsv.write_csv(pa.table(columns), out, pacsv.WriteOptions(include_header=False, quoting_style="none"))
