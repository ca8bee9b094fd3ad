"""One question in the languages of the systems."""

import dataclasses

from . import dialect

LEFT_OUT = None


@dataclasses.dataclass
class Query:
    """`cypher` is ours, `sql` DuckDB's. `peers` is for Ladybug and Kuzu: empty if the rules of `dialect` make it from ours,
    a text of its own, or `LEFT_OUT` where they cannot express it.

    `parameters` is a map, or a function from `data.Drawn` to one. `fetch` says how Python takes the rows;
    with `count_only` any rows of that number are right, as LIMIT without ORDER BY has it.
    """

    name: str
    cypher: str
    sql: str | None
    peers: str | None = ""
    parameters: object = None
    fetch: str = "fetchall"
    count_only: bool = False

    @property
    def family(self):
        return self.name.split("/")[0]

    @property
    def ordered(self):
        """Whether the order of the rows is part of the answer. Every ORDER BY of ours decides the order completely."""
        return "ORDER BY" in self.cypher.rsplit("RETURN", 1)[-1]

    def asks(self, drawn):
        """System -> (text, parameters)."""
        given = self.parameters(drawn) if callable(self.parameters) else self.parameters or {}
        texts = {"trimorph": self.cypher, "duckdb": self.sql}
        if self.peers is not LEFT_OUT:
            texts["ladybug"] = texts["kuzu"] = self.peers or dialect.rewrite(self.cypher)
        return {name: (text, dialect.parameters(given, text, name)) for name, text in texts.items() if text}
