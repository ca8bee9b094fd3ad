"""What the tests share: a small generated network, and the benchmark's snapshot where it is at hand."""

import os
import pathlib

import pytest

trimorph = pytest.importorskip("trimorph", reason="the module is not built: pip install .") if os.environ.get("CI") != "true" else __import__("trimorph")

SNAPSHOT = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data" / "snb-sf0.1" / "composite-merged-fk"


@pytest.fixture
def conn():
    with trimorph.connect(threads=2) as connection:
        yield connection


@pytest.fixture(scope="session")
def network():
    """A generated network, shared: nothing can write to it."""
    database = trimorph.Database(threads=2)
    database.generate_snb(0.01, 7)
    return database


@pytest.fixture(scope="session")
def snapshot():
    """The directory of snb-sf0.1; the working tree may be a linked one elsewhere, so the usual place is looked at too."""
    for place in (SNAPSHOT, pathlib.Path(os.environ.get("TRIMORPH_SHARED", "/nowhere")) / "data/snb-sf0.1/composite-merged-fk"):
        if place.exists():
            return place
    why = f"snb-sf0.1 is not at {SNAPSHOT}"
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    print(f"skipped: {why}")
    pytest.skip(why)


@pytest.fixture(scope="session")
def snb(snapshot):
    database = trimorph.Database(threads=2)
    database.load(snapshot)
    return database
