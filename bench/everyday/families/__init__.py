"""The queries by family; a module holds related families as `QUERIES`."""

import importlib

MODULES = ["strings", "numbers", "dates", "lists", "joins", "grouping", "sorting", "text", "patterns", "application", "fetches",
           "steps", "subqueries", "nested", "cleaning", "walks", "mixed", "questions", "groups", "pairs", "unasked", "windows"]


def queries():
    """All queries, in the order of the modules."""
    found = [query for module in MODULES for query in importlib.import_module(f"everyday.families.{module}").QUERIES]
    names = [query.name for query in found]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"two queries are called {sorted(twice)[0]}")
    return found
