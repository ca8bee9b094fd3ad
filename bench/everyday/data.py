"""Generated SNB data for all systems: takes a scale, gives Parquet files for the peers and parameters drawn from them.

Our generator makes the same network for the same scale and seed, so ours generates its own database, and one in memory is
exported here table by table under the names that `../snb/ladybug_dialect.py` loads.
"""

import pathlib
import random

import ladybug_dialect

HERE = pathlib.Path(__file__).resolve().parent


def export(directory, scale):
    """Writes one Parquet file per node and edge table unless they are there."""
    if (directory / "done").exists():
        return directory
    import trimorph

    directory.mkdir(parents=True, exist_ok=True)
    database = trimorph.Database(":memory:", threads=1)
    database.generate_snb(scale)
    connection = database.connect()
    for table, columns in ladybug_dialect.NODES.items():
        names = [column.split()[0] for column in columns.split(", ")]
        write(connection, directory / f"{table}.parquet", f"MATCH (n:{table}) RETURN " + ", ".join(f"n.{n} AS {n}" for n in names))
    for kind, source, target, properties, _ in ladybug_dialect.EDGES:
        ends = "a.id AS source, b.id AS target" + (f", e.{properties.split()[0]} AS {properties.split()[0]}" if properties else "")
        write(connection, directory / f"{kind}_{source}_{target}.parquet", f"MATCH (a:{source})-[e:{kind}]->(b:{target}) RETURN {ends}")
    database.close()
    (directory / "done").touch()
    return directory


def write(connection, path, text):
    """The rows of a query as Parquet. Instants become plain timestamps in UTC, which all peers read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = connection.execute(text).arrow()
    for index, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            table = table.set_column(index, field.name, table.column(index).cast(pa.timestamp("us")))
        elif pa.types.is_null(field.type):  # a property that no node has at this scale
            table = table.set_column(index, field.name, table.column(index).cast(pa.string()))
    pq.write_table(table, path)


def files(work, scale):
    """What each adapter's `load_snb` needs."""
    directory = export(work / f"snb-generated-{scale:g}", scale)
    schema = (HERE / "schema.sql").read_text(encoding="utf-8").replace("${DIR}", str(directory))
    return {"scale": scale, "parquet": str(directory), "schema_sql": schema}


class Drawn:
    """Values drawn from the data with a fixed seed, for parameters."""

    def __init__(self, directory):
        self.directory = directory
        self.columns = {}

    def column(self, table, name):
        """All values of a column, sorted."""
        import pyarrow.parquet as pq

        if (table, name) not in self.columns:
            values = pq.read_table(f"{self.directory}/{table}.parquet", columns=[name])[name].to_pylist()
            self.columns[table, name] = sorted(v for v in values if v is not None)
        return self.columns[table, name]

    def pick(self, table, name, count, seed=7):
        """`count` values, each at most once; all of them where there are fewer."""
        values = self.column(table, name)
        return random.Random(seed).sample(values, min(count, len(values)))

    def most_known(self, rank=0):
        """The id of the person with the most friends, or the next ones."""
        import collections

        counts = collections.Counter(self.column("KNOWS_Person_Person", "source"))
        counts.update(self.column("KNOWS_Person_Person", "target"))
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[rank][0]

    def most_used_tag(self):
        """The name of the tag that most posts have."""
        import collections

        import pyarrow.parquet as pq

        tag, _ = collections.Counter(self.column("HAS_TAG_Post_Tag", "target")).most_common(1)[0]
        tags = pq.read_table(f"{self.directory}/Tag.parquet", columns=["id", "name"]).to_pylist()
        return next(row["name"] for row in tags if row["id"] == tag)
