"""Values in the kit's text form: takes a table cell or a value of the engine, gives a form that compares with `==`.

| value | form |
|---|---|
| null, booleans, integers, strings | themselves, booleans and integers tagged so that `1` is not `true` and not `1.0` |
| floats | `("float", x)`, NaN equal to itself, both zeros equal |
| lists | `("list", (…))`, or a sorted one where element order does not count |
| maps | `("map", entries sorted by key)` |
| nodes | `("node", sorted labels, map)`; identity is not part of the text form |
| relationships | `("relationship", type, map)` |
| paths | `("path", first node, ((relationship, forward?, node), …))` |
| temporal values | their text, as strings: the kit writes them so |
"""

import datetime as dt
import math
import re

NUMBER = re.compile(r"[+-]?(?:\d+\.\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+)")
NAME = re.compile(r"`(?:[^`]|``)*`|[^\W\d]\w*")


class Reader:
    """Recursive descent over a cell. With `plain`, the result is Python values, for parameters."""

    def __init__(self, text, plain=False):
        self.text, self.at, self.plain = text, 0, plain

    def fail(self):
        raise ValueError(f"cannot read the value {self.text!r} at {self.at}")

    def peek(self, token):
        self.skip()
        return self.text.startswith(token, self.at)

    def skip(self):
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def take(self, token):
        if not self.peek(token):
            return False
        self.at += len(token)
        return True

    def need(self, token):
        if not self.take(token):
            self.fail()

    def all(self):
        value = self.value()
        self.skip()
        if self.at != len(self.text):
            self.fail()
        return value

    def name(self):
        self.skip()
        match = NAME.match(self.text, self.at)
        if not match:
            self.fail()
        self.at = match.end()
        found = match.group()
        return found[1:-1].replace("``", "`") if found.startswith("`") else found

    def value(self):
        self.skip()
        if self.peek("'"):
            return self.string()
        if self.peek("{"):
            return self.map()
        if self.peek("["):
            return self.relationship() if re.match(r"\[\s*:", self.text[self.at:]) else self.list()
        if self.peek("("):
            return self.node()
        if self.peek("<"):
            return self.path()
        for word, value in (("null", None), ("true", True), ("false", False), ("NaN", math.nan),
                            ("Infinity", math.inf), ("-Infinity", -math.inf), ("Inf", math.inf), ("-Inf", -math.inf)):
            if self.text.startswith(word, self.at) and not self.text[self.at + len(word):self.at + len(word) + 1].isalnum():
                self.at += len(word)
                return self.scalar(value)
        match = NUMBER.match(self.text, self.at)
        if not match:
            self.fail()
        self.at = match.end()
        number = match.group()
        return self.scalar(float(number) if re.search(r"[.eE]", number) else int(number))

    def scalar(self, value):
        return value if self.plain else form(value)

    def string(self):
        self.need("'")
        found = ""
        while self.at < len(self.text):
            character = self.text[self.at]
            self.at += 1
            if character == "'":
                return found
            if character == "\\" and self.text[self.at:self.at + 1] in ("'", "\\"):
                character = self.text[self.at]
                self.at += 1
            found += character
        self.fail()

    def sequence(self, open_token, close_token, item):
        self.need(open_token)
        items = []
        if not self.take(close_token):
            items.append(item())
            while self.take(","):
                items.append(item())
            self.need(close_token)
        return items

    def list(self):
        items = self.sequence("[", "]", self.value)
        return items if self.plain else ("list", tuple(items))

    def entry(self):
        key = self.string() if self.peek("'") else self.name()
        self.need(":")
        return key, self.value()

    def map(self):
        entries = self.sequence("{", "}", self.entry)
        return dict(entries) if self.plain else entries_form(entries)

    def properties(self):
        return self.map() if self.peek("{") else entries_form(())

    def node(self):
        self.need("(")
        labels = []
        while self.take(":"):
            labels.append(self.name())
        properties = self.properties()
        self.need(")")
        return "node", tuple(sorted(labels)), properties

    def relationship(self):
        self.need("[")
        self.need(":")
        kind = self.name()
        properties = self.properties()
        self.need("]")
        return "relationship", kind, properties

    def path(self):
        self.need("<")
        first, steps = self.node(), []
        while not self.take(">"):
            backward = self.take("<-")
            if not backward:
                self.need("-")
            relationship = self.relationship()
            self.need("-" if backward else "->")
            steps.append((relationship, not backward, self.node()))
        return "path", first, tuple(steps)


def entries_form(entries):
    """The form of a map."""
    return "map", tuple(sorted(entries, key=lambda entry: entry[0]))


def read(cell):
    """The form of a table cell."""
    return Reader(cell).all()


def read_plain(cell):
    """A parameter's value."""
    return Reader(cell, plain=True).all()


def form(value, engine=None):
    """The form of a value of the engine; `engine` is the module, needed for its own types."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, int):
        return "int", value
    if isinstance(value, float):
        return "float", "NaN" if math.isnan(value) else value + 0.0
    if isinstance(value, (list, tuple)):
        return "list", tuple(form(v, engine) for v in value)
    if isinstance(value, dict):
        return entries_form((k, form(v, engine)) for k, v in value.items())
    if isinstance(value, engine.Node):
        return "node", tuple(sorted(value.labels)), form(dict(value.properties), engine)
    if isinstance(value, engine.Relationship):
        return "relationship", value.type, form(dict(value.properties), engine)
    if isinstance(value, engine.Path):
        steps = tuple((form(r, engine), identity(r.start) == identity(before), form(after, engine))
                      for before, r, after in zip(value.nodes, value.relationships, value.nodes[1:], strict=False))
        return "path", form(value.nodes[0], engine), steps
    if isinstance(value, (dt.date, dt.time, dt.datetime, dt.timedelta)) or type(value).__module__.startswith(engine.__name__):
        return engine.format_value(value)
    raise TypeError(f"the engine returned a {type(value).__name__}, which the contract does not name")


def identity(end):
    """The id of a node that may be given as such or by its id."""
    return getattr(end, "id", end)


def unordered(value):
    """A form whose lists compare without regard to element order."""
    if isinstance(value, tuple) and value and value[0] == "list":
        return "list", tuple(sorted((unordered(v) for v in value[1]), key=repr))
    if isinstance(value, tuple):
        return tuple(unordered(v) for v in value)
    return value
