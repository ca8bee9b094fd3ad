"""Questions asked of systems one after the other, each line shown when it is known."""

from . import compare, summary


def there(race, wanted, built, reference):
    """The systems of `wanted` that are there, the reference first, and their names in order.

    `built` gives the system of a name, or none.
    """
    systems = [built(name) for name in race.names(wanted)]
    systems = sorted((s for s in systems if s), key=lambda s: s.name != reference)  # the first that answers is the reference
    return systems, [n for n in race.names(wanted) if any(s.name == n for s in systems)]


def all_of(race, suite, systems, names, queries, asks, **how):
    """Query -> system -> fields. `asks` gives what is asked of each system, and `how` is told to the race."""
    results = {}
    for query in queries:
        check = None if query.count_only else compare.Agreement(query.ordered)
        fetch = {"fetch": query.fetch} if hasattr(query, "fetch") else {}
        results[query.name] = race.query(suite, query.name, systems, asks(query), check, plain=True, **fetch, **how)
        if query.count_only:
            compare.counts(results[query.name])
        for fields in results[query.name].values():
            fields.pop("answer", None)
        summary.line(query.name, names, results[query.name])
    for system in systems:
        system.stop()
    return results
