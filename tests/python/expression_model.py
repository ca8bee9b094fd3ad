"""Values and expressions of openCypher: a model that is written to be obviously right, and random expressions with their values.

Values are Python's: `None`, bool, int, float, str, list, dict. Of two values the model knows three relations: `equal` (`=`, with
null), `compared` (`<` and its like) and, for `ORDER BY`, `DISTINCT` and grouping, `ordered` and `alike`. `Expressions` makes an
expression in which places for values are `@0@`, `@1@`, …, so that the same one is asked of literals, parameters and properties,
and its value. `Wrong` is raised where openCypher asks for an error, `Unknown` where the model does not say.
"""

import math
import re

INT_MIN, INT_MAX = -(2**63), 2**63 - 1


class Wrong(Exception):
    """The expression has no value: a type or a number is wrong."""


class Unknown(Exception):
    """The model does not say."""


def kind(value):
    if value is None:
        return "null"
    names = {bool: "bool", int: "number", float: "number", str: "string", list: "list", dict: "map"}
    return names[type(value)]


def is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_nan(value):
    return isinstance(value, float) and math.isnan(value)


# Relations ------------------------------------------------------------------------------------------------------------------


def negated(truth):
    truth = truth_of(truth)
    return None if truth is None else not truth


def both(a, b):
    a, b = truth_of(a), truth_of(b)
    return False if a is False or b is False else None if a is None or b is None else True


def either(a, b):
    return negated(both(negated(a), negated(b)))


def one(a, b):
    a, b = truth_of(a), truth_of(b)
    return None if a is None or b is None else a != b


def truth_of(value):
    if value is None or isinstance(value, bool):
        return value
    raise Wrong


def all_of(truths):
    """False if one is, else null if one is."""
    truths = list(truths)
    return False if False in truths else None if None in truths else True


def equal(a, b):
    if a is None or b is None:
        return None
    if kind(a) != kind(b):
        return False
    if isinstance(a, list):
        return all_of(map(equal, a, b)) if len(a) == len(b) else False
    if isinstance(a, dict):
        return all_of(equal(a[key], b[key]) for key in a) if a.keys() == b.keys() else False
    return a == b


NO_ORDER = "NaN is compared: nothing holds"


def compared(a, b):
    """-1, 0, 1, `NO_ORDER`, or null."""
    if a is None or b is None or kind(a) != kind(b):
        return None
    if isinstance(a, list):
        return compared_one_by_one(a, b)
    if isinstance(a, dict):
        # A map with a null may be any.
        if None in a.values() or None in b.values():
            return None
        keys, others = (len(a), sorted(a)), (len(b), sorted(b))
        return compared_one_by_one([a[k] for k in sorted(a)], [b[k] for k in sorted(b)]) if keys == others else -1 if keys < others else 1
    if is_nan(a) or is_nan(b):
        return NO_ORDER
    return (a > b) - (a < b)


def compared_one_by_one(a, b):
    """The first pair that is not equal decides."""
    for x, y in zip(a, b, strict=False):
        same = equal(x, y)
        if same is not True:
            return None if same is None else compared(x, y)
    return (len(a) > len(b)) - (len(a) < len(b))


def related(symbol, a, b):
    if symbol in ("=", "<>"):
        return equal(a, b) if symbol == "=" else negated(equal(a, b))
    order = compared(a, b)
    if order is None or order is NO_ORDER:
        return None if order is None else False
    return {"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[symbol]


def contains(items, value):
    """`value IN items`"""
    if items is None:
        return None
    if not isinstance(items, list):
        raise Wrong
    return negated(all_of(negated(equal(value, item)) for item in items))


RANK = ["map", "list", "string", "bool", "number", "null"]


def ordered(a, b):
    """-1, 0 or 1, of any two values but maps."""
    if kind(a) != kind(b):
        return -1 if RANK.index(kind(a)) < RANK.index(kind(b)) else 1
    if a is None:
        return 0
    if isinstance(a, dict):
        raise Unknown
    if isinstance(a, list):
        first = next((order for order in map(ordered, a, b) if order), 0)
        return first or (len(a) > len(b)) - (len(a) < len(b))
    if is_nan(a) or is_nan(b):
        return is_nan(a) - is_nan(b)
    return (a > b) - (a < b)


def alike(a, b):
    """Whether `DISTINCT` takes one for the other: null is like null, NaN like NaN, 1 like 1.0."""
    if kind(a) != kind(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
    return a == b or (is_nan(a) and is_nan(b))


def identical(a, b):
    """Whether two answers are the same, 1 and 1.0 told apart."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(identical, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(identical(a[key], b[key]) for key in a)
    return type(a) is type(b) and (a == b or (is_nan(a) and is_nan(b)))


# Operators and functions ----------------------------------------------------------------------------------------------------


def within(value):
    if is_int(value) and not INT_MIN <= value <= INT_MAX:
        raise Wrong
    return value


def added(a, b):
    if a is None or b is None:
        return None
    if isinstance(a, list) or isinstance(b, list):
        return (a if isinstance(a, list) else [a]) + (b if isinstance(b, list) else [b])
    if isinstance(a, str) and isinstance(b, str):
        return a + b
    if isinstance(a, str) or isinstance(b, str):
        other = b if isinstance(a, str) else a
        if not is_int(other):
            raise Unknown if kind(other) == "number" else Wrong
        return f"{a}{b}"
    return arithmetic("+", a, b)


def arithmetic(symbol, a, b):
    if a is None or b is None:
        return None
    if kind(a) != "number" or kind(b) != "number":
        raise Wrong
    if is_int(a) and is_int(b):
        if symbol in "/%" and b == 0:
            raise Wrong
        whole = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if symbol in "/%" else None
        return within({"+": a + b, "-": a - b, "*": a * b, "/": whole, "%": whole is not None and a - b * whole}[symbol])
    a, b = float(a), float(b)
    if symbol == "/" and b == 0:
        return math.nan if a == 0 or is_nan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
    if symbol == "%":
        return math.nan if b == 0 or math.isinf(a) or is_nan(a) or is_nan(b) else math.fmod(a, b)
    return {"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else None}[symbol]


def minus(value):
    if value is not None and kind(value) != "number":
        raise Wrong
    return None if value is None else within(-value)


def element(base, at):
    if kind(base) not in ("null", "list", "map"):
        raise Wrong
    if base is None or at is None:
        return None
    if isinstance(base, dict):
        if not isinstance(at, str):
            raise Wrong
        return base.get(at)
    if not is_int(at):
        raise Wrong
    return base[at] if -len(base) <= at < len(base) else None


def slice_of(items, start, end):
    """`start` and `end` are lists of one value, or empty where the bound is not written."""
    if items is None:
        return None
    if not isinstance(items, list):
        raise Wrong
    if None in start or None in end:
        return None
    if not all(map(is_int, start + end)):
        raise Wrong
    start, end = (bound[0] if bound else default for bound, default in ((start, 0), (end, len(items))))
    start, end = (max(0, len(items) + bound) if bound < 0 else bound for bound in (start, end))
    return items[start:end]


def size(value):
    if kind(value) not in ("null", "list", "string"):
        raise Wrong
    return None if value is None else len(value)


def list_of(value):
    if value is not None and not isinstance(value, list):
        raise Wrong
    return value


def quantified(word, truths):
    holds, unknown = truths.count(True), None in truths
    if word == "all":
        return all_of(truths)
    if word in ("any", "none"):
        return negated(all_of(map(negated, truths))) if word == "any" else all_of(map(negated, truths))
    return False if holds > 1 else None if unknown else holds == 1


def of_texts(function, *types):
    """A function of texts and counts: null if one is, wrong for other types and negative counts."""

    def applied(*values):
        for value, wanted in zip(values, types, strict=True):
            if value is not None and not (isinstance(value, str) if wanted == "string" else is_int(value)):
                raise Wrong
        if None in values:
            return None
        if any(is_int(value) and value < 0 for value in values):
            raise Wrong
        return function(*values)

    return applied


def replaced(text, old, new):
    if not old:
        raise Unknown
    return text.replace(old, new)


TEXT_FUNCTIONS = [
    ("toUpper", str.upper, ["string"]),
    ("toLower", str.lower, ["string"]),
    ("trim", str.strip, ["string"]),
    ("left", lambda text, n: text[:n], ["string", "small"]),
    ("right", lambda text, n: text[max(0, len(text) - n):], ["string", "small"]),
    ("substring", lambda text, at: text[at:], ["string", "small"]),
    ("substring", lambda text, at, n: text[at:at + n], ["string", "small", "small"]),
    ("replace", replaced, ["string", "string", "string"]),
]


# What is random -------------------------------------------------------------------------------------------------------------

INTS = [0, 1, 2, -1, 3, INT_MAX, INT_MIN, 2**53 + 1]
FLOATS = [0.0, 1.0, -1.5, 2.0, 0.5, math.nan, math.inf, -math.inf, 1e300, 2.0**53, 2.0**63]
STRINGS = ["", "a", "b", "ab", "A", "1", "ä", "a.b", "🧐x"]


def some_value(random, wanted=None, depth=2):
    wanted = wanted or random.choice(["null", "bool", "int", "int", "float", "string", "string", "list", "list", "map"])
    if wanted == "null":
        return None
    if wanted == "bool":
        return random.choice([True, False])
    if wanted == "list":
        of = random.choice([None, None, "int", "string", "number", "bool", "list"]) if depth else "int"
        return [None if random.random() < 0.15 else some_value(random, of, depth - 1) for _ in range(random.randint(0, 3 if depth else 0))]
    if wanted == "map":
        return {random.choice("abc"): some_value(random, None if depth else "int", depth - 1) for _ in range(random.randint(0, 2))}
    return random.choice({"int": INTS, "float": FLOATS, "number": INTS + FLOATS, "string": STRINGS, "small": [0, 1, 2, 3, -1, -2, 5, None]}[wanted])


def literal(value):
    if isinstance(value, float) and not math.isfinite(value):
        return "(0.0 / 0.0)" if is_nan(value) else "(1.0 / 0.0)" if value > 0 else "(-1.0 / 0.0)"
    if kind(value) == "number":
        return f"({value!r})" if math.copysign(1, value) < 0 else repr(value)
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {literal(item)}" for key, item in value.items()) + "}"
    return {None: "null", True: "true", False: "false"}[value]


class Expressions:
    """Makes one expression. Each method gives (text, function from the values of local names to the expression's value)."""

    def __init__(self, random):
        self.random, self.values, self.locals, self.names = random, [], [], 0

    def expression(self, depth):
        return self.of("any", depth)

    def leaf(self, wanted):
        names = [name for name, of in self.locals if of == wanted or self.random.random() < 0.05]
        if names and self.random.random() < 0.6:
            name = self.random.choice(names)
            return name, lambda known: known[name]
        # Some are of another type than is asked for.
        free = wanted == "any" or self.random.random() < 0.07
        value = some_value(self.random, None if free else wanted)
        self.values.append(value)
        return f"@{len(self.values) - 1}@", lambda _: value

    def named(self, *kinds):
        """New local names, to be taken away by who asked."""
        names = []
        for of in kinds:
            self.names += 1
            names.append(f"x{self.names}")
            self.locals.append((names[-1], of))
        return names

    def of(self, wanted, depth):
        if wanted == "any":
            wanted = self.random.choice(["bool", "bool", "int", "number", "string", "list", "map"])
        if depth <= 0 or self.random.random() < 0.12 or (wanted == "small" and self.random.random() < 0.5):
            return self.leaf(wanted)
        if self.random.random() < 0.18:
            return self.of_any_type(wanted, depth - 1)
        make = {"bool": self.truth, "string": self.text, "list": self.items, "map": self.map}.get(wanted)
        return make(depth - 1) if make else self.number(wanted, depth - 1)

    def of_any_type(self, wanted, depth):
        (a, value), (b, other) = self.of(wanted, depth), self.of(wanted, depth)
        choice = self.random.randrange(4)
        if choice == 0:
            condition, holds = self.of("bool", depth)
            return f"CASE WHEN {condition} THEN {a} ELSE {b} END", lambda k: value(k) if truth_of(holds(k)) else other(k)
        if choice == 1:
            of = self.random.choice(["int", "string", "number", "list"])
            (subject, is_of), (arm, of_arm) = self.of(of, depth), self.of(of, depth)
            return f"CASE {subject} WHEN {arm} THEN {a} ELSE {b} END", lambda k: value(k) if equal(is_of(k), of_arm(k)) else other(k)
        if choice == 2:
            return f"coalesce({a}, {b})", lambda k: other(k) if value(k) is None else value(k)
        index, at = self.of("small", depth)
        return f"[{a}, {b}][{index}]", lambda k: element([value(k), other(k)], at(k))

    def truth(self, depth):
        choice = self.random.randrange(14)
        if choice < 4:
            return self.comparison(depth)
        if choice < 7:
            word, joined = self.random.choice([("AND", both), ("OR", either), ("XOR", one)])
            (a, left), (b, right) = self.of("bool", depth), self.of("bool", depth)
            return f"({a} {word} {b})", lambda k: joined(left(k), right(k))
        if choice == 7:
            a, truth = self.of("bool", depth)
            return f"(NOT {a})", lambda k: negated(truth(k))
        if choice == 8:
            (a, value), word = self.of("any", depth), self.random.choice(["IS NULL", "IS NOT NULL"])
            return f"({a} {word})", lambda k: (value(k) is None) == (word == "IS NULL")
        if choice < 11:
            (a, value), (b, items) = self.of("any", depth), self.of("list", depth)
            return f"({a} IN {b})", lambda k: contains(items(k), value(k))
        if choice == 11:
            (a, text), (b, part) = self.of(self.random.choice(["string", "string", "any"]), depth), self.of("string", depth)
            word, tells = self.random.choice([("STARTS WITH", str.startswith), ("ENDS WITH", str.endswith), ("CONTAINS", str.__contains__)])
            texts = lambda *both: tells(*both) if all(isinstance(x, str) for x in both) else None  # noqa: E731
            return f"({a} {word} {b})", lambda k: texts(text(k), part(k))
        (items, values), (name,) = self.of("list", depth), self.named("any")
        condition, holds = self.of("bool", depth)
        self.locals.pop()
        word = self.random.choice(["all", "any", "none", "single"])

        def told(known):
            found = list_of(values(known))
            return None if found is None else quantified(word, [truth_of(holds({**known, name: item})) for item in found])

        return f"{word}({name} IN {items} WHERE {condition})", told

    def comparison(self, depth):
        of = self.random.choice(["int", "number", "string", "bool", "list", "map", "any"])
        parts = [self.of(of, depth) for _ in range(3 if self.random.random() < 0.2 else 2)]
        symbols = [self.random.choice(["=", "<>", "<", "<=", ">", ">="]) for _ in parts[1:]]
        text = parts[0][0] + "".join(f" {symbol} {part}" for symbol, (part, _) in zip(symbols, parts[1:], strict=True))

        def told(known):
            values = [value(known) for _, value in parts]
            pairs = [related(symbol, values[i], values[i + 1]) for i, symbol in enumerate(symbols)]
            return all_of(pairs)

        return f"({text})", told

    def number(self, wanted, depth):
        of, choice = "number" if wanted == "number" else "int", self.random.randrange(8)
        if choice < 4:
            symbol, (a, left), (b, right) = self.random.choice("+-*/%"), self.of(of, depth), self.of(of, depth)
            if symbol == "+":
                return f"({a} + {b})", lambda k: added(left(k), right(k))
            return f"({a} {symbol} {b})", lambda k: arithmetic(symbol, left(k), right(k))
        if choice == 4:
            a, value = self.of(self.random.choice(["list", "string"]), depth)
            return f"size({a})", lambda k: size(value(k))
        if choice == 5:
            a, value = self.of(of, depth)
            return f"(-{a})", lambda k: minus(value(k))
        if choice == 6:
            (a, value), key = self.of("map", depth), self.random.choice("abc")
            return f"({a}).{key}", lambda k: element(value(k), key) if kind(value(k)) in ("map", "null") else element(0, key)
        (items, values), (first, start) = self.of("list", depth), self.of("int", depth)
        total, name = self.named("int", "int")
        body, step = self.of("int", depth)
        self.locals[-2:] = []

        def reduced(known):
            found, so_far = list_of(values(known)), start(known)
            for item in found or []:
                so_far = step({**known, total: so_far, name: item})
            return None if found is None else so_far

        return f"reduce({total} = {first}, {name} IN {items} | {body})", reduced

    def text(self, depth):
        if self.random.random() < 0.25:
            (a, left), (b, right) = self.of("string", depth), self.of("string", depth)
            return f"({a} + {b})", lambda k: added(left(k), right(k))
        name, function, types = self.random.choice(TEXT_FUNCTIONS)
        arguments, applied = [self.of(of, depth) for of in types], of_texts(function, *types)
        return f"{name}({', '.join(a for a, _ in arguments)})", lambda k: applied(*[value(k) for _, value in arguments])

    def items(self, depth):
        choice = self.random.randrange(7)
        if choice == 0:
            (a, left), (b, right) = self.of("list", depth), self.of(self.random.choice(["list", "int", "string"]), depth)
            return f"({a} + {b})", lambda k: added(left(k), right(k))
        if choice == 1:
            a, value = self.of("list", depth)
            bounds = [[self.of("small", depth)] if self.random.random() < 0.8 else [] for _ in range(2)]
            start, end = ("".join(text for text, _ in bound) for bound in bounds)
            return f"{a}[{start}..{end}]", lambda k: slice_of(value(k), *[[of(k) for _, of in bound] for bound in bounds])
        if choice == 2:
            parts = [self.of("any", depth) for _ in range(self.random.randint(0, 3))]
            return f"[{', '.join(text for text, _ in parts)}]", lambda k: [value(k) for _, value in parts]
        if choice == 3:
            (a, value), name = self.of("list", depth), self.random.choice(["tail", "reverse"])

            def part(known):
                found = value(known)
                if name == "reverse" and isinstance(found, str):
                    return found[::-1]
                return None if list_of(found) is None else found[1:] if name == "tail" else found[::-1]

            return f"{name}({a})", part
        if choice == 4:
            (a, first), (b, last), step = self.of("small", depth), self.of("small", depth), self.random.choice([1, 2, -1, -2])

            def counted(known):
                bounds = first(known), last(known)
                if not all(is_int(bound) and abs(bound) < 1000 for bound in bounds):
                    raise Unknown
                return list(range(bounds[0], bounds[1] + (1 if step > 0 else -1), step))

            return f"range({a}, {b}, {step})", counted
        return self.comprehension(depth)

    def comprehension(self, depth):
        (items, values), (name,) = self.of("list", depth), self.named("any")
        condition, holds = self.of("bool", depth) if self.random.random() < 0.6 else ("", lambda _: True)
        body, made = self.of("any", depth) if self.random.random() < 0.6 else ("", lambda known: known[name])
        self.locals.pop()

        def listed(known):
            found = list_of(values(known))
            inner = [{**known, name: item} for item in found or []]
            return None if found is None else [made(one) for one in inner if truth_of(holds(one))]

        return f"[{name} IN {items}{condition and ' WHERE ' + condition}{body and ' | ' + body}]", listed

    def map(self, depth):
        parts = {key: self.of("any", depth) for key in self.random.sample("abc", self.random.randint(0, 2))}
        entries = ", ".join(f"{key}: {text}" for key, (text, _) in parts.items())
        return f"{{{entries}}}", lambda k: {key: value(k) for key, (_, value) in parts.items()}


def written(text, value):
    """The text with `value(i)` at the place of each value."""
    return re.sub(r"@(\d+)@", lambda found: value(int(found.group(1))), text)


def is_storable(value):
    """Whether a property can hold it in every database: no map, no list with a list or a null."""
    return not isinstance(value, dict) and all(kind(item) not in ("list", "map", "null") for item in (value if isinstance(value, list) else []))
