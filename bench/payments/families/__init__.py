"""The questions by family; a module holds related families as `QUERIES`."""

import importlib

MODULES = ["sums", "nulls", "windows", "edges", "conditions", "undirected", "rings", "lists", "values", "rows"]


def queries():
    """All questions, in the order of the modules."""
    found = [query for module in MODULES for query in importlib.import_module(f"payments.families.{module}").QUERIES]
    names = [query.name for query in found]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"two questions are called {sorted(twice)[0]}")
    return found
