"""The thirteen shapes of `snb.py` by themselves: star, hops, triangle, aggregates, filter, OPTIONAL, NOT EXISTS, paths, many literals."""

from suites import snb

PREFIXES = snb.PREFIXES
QUERIES = dict(list(snb.QUERIES.items())[:13])


def queries(_path):
    """The texts; they have no parameters."""
    return QUERIES
