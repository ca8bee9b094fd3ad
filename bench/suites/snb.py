"""The SNB database of each system, built once and shared by the suites that ask it."""

import answers
import ladybug_dialect
from check_peers import schema_sql


def files(race):
    """What each adapter's `load_snb` needs."""
    return {"snapshot": str(answers.SNAPSHOT), "schema_sql": schema_sql(),
            "parquet": str(ladybug_dialect.export(race.work / "snb-parquet"))}


def systems(race, among):
    """The systems of a suite with the data loaded."""
    if not answers.SNAPSHOT.exists():
        print(f"  skipped: no data at {answers.SNAPSHOT}")
        return []
    loaded = [race.built(name, f"snb.{name}", "load_snb", **files(race)) for name in race.names(among)]
    return [s for s in loaded if s]
