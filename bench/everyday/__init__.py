"""Queries as an analyst, an application and a data cleaner write them, over generated SNB data. See ../README.md."""
