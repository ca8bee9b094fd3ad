"""Conditions and expressions: takes a variable and the kinds of its terms, gives SPARQL text that means something for them."""

import re

from .known import XSD, kind

NUMBERS = {"integer", "decimal", "double", "float", "long", "int", "number"}
TIMES = {"dateTime", "date"}
# Kinds that the standard compares by value; what `=` says of others, such as years, is open.
COMPARED = NUMBERS | TIMES | {"string", "boolean", "iri", "blank"}


class Thing:
    """A variable: its name, the kinds of its terms, some of them, the class if they are nodes, and whether it may be unbound."""

    def __init__(self, name, kinds, samples, of_class=None, maybe=False):
        self.name, self.kinds, self.samples, self.of_class, self.maybe = name, set(kinds), samples, of_class, maybe

    @property
    def node(self):
        return self.kinds <= {"iri", "blank"}

    @property
    def ordered(self):
        """Whether the standard says in which order its terms are."""
        return not self.maybe and (len(self.kinds) == 1 and self.kinds <= {"iri", "string", "dateTime", "boolean"} or self.kinds <= NUMBERS)


    @property
    def written(self):
        """Whether pyoxigraph gives its texts as they were written: of numbers it keeps the values."""
        odd = any(kind(term) == "integer" and lexical(term) != str(int(lexical(term))) for term in self.samples)
        return not self.kinds & (NUMBERS - {"integer"}) and not odd


def lexical(term):
    return term[1 : term.rindex('"')]


def word(draw, thing):
    """A piece of one of its texts, of letters only."""
    words = re.findall(r"[A-Za-z]{3,}", lexical(constant(draw, thing))) or ["the"]
    return draw.choice(words)[: draw.choice([2, 3, 5])]


def constant(draw, thing):
    literals = [term for term in thing.samples if term[0] == '"']
    return draw.choice(literals or ['"the"'])


def of_node(draw, thing):
    x, iris = thing.name, [term for term in thing.samples if term[0] == "<"] or ["<http://nothing>"]
    one, some = draw.choice(iris), ", ".join(draw.sample(iris, min(len(iris), 5)))
    return draw.choice([
        f"{x} = {one}", f"{x} != {one}", f"{x} IN ({some})", f"{x} NOT IN ({some})", f"isIRI({x})", f"!isBlank({x})", f"sameTerm({x}, {one})",
        f'STRENDS(STR({x}), "{draw.randrange(10)}")', f'CONTAINS(STR({x}), "{draw.randrange(100)}")', f'REGEX(STR({x}), "[13579]>?$")',
        f"STRLEN(STR({x})) > {draw.choice([30, 36, 40])}", f"STR({x}) < {text_of(one)}",
    ])


def text_of(iri):
    return f'"{iri[1:-1]}"'


def of_number(draw, thing):
    x, q = thing.name, constant(draw, thing)
    some = ", ".join(constant(draw, thing) for _ in range(4))
    return draw.choice([
        f"{x} > {q}", f"{x} <= {q}", f"{x} = {q}", f"{x} != {q}", f"{x} IN ({some})", f"{x} * 2 > {q}", f"{x} + 1 < {q}", f"{x} / 3 >= 20",
        f"ABS({x}) > {q}", f"FLOOR({x} / 10) = 3", f"ROUND({x}) = CEIL({x})", f"!({x} < {q})", f"{x} > 100 && {x} < {q}", f"{x} < 20 || {x} > {q}",
        f"xsd:integer({x}) > 50", f"isNumeric({x})", f"-{x} < -10", f"{x} - {q} > 0",
    ])


def of_text(draw, thing):
    x, q, piece = thing.name, constant(draw, thing), word(draw, thing)
    tags = sorted(k[1:] for k in thing.kinds if k.startswith("@")) or ["en"]
    tag, other = draw.choice(tags), constant(draw, thing)
    return draw.choice([
        f"{x} = {q}", f"{x} != {q}", f"{x} IN ({q}, {other})", f"STR({x}) > {plain(q)}", f"STR({x}) <= {plain(q)}", f'CONTAINS({x}, "{piece}")',
        f'STRSTARTS({x}, "{piece}")', f'STRENDS(STR({x}), "{piece}")', f'REGEX({x}, "{piece}")', f'REGEX(STR({x}), "{piece}", "i")',
        f'REGEX(STR({x}), "^[A-{piece[0].upper()}].*[a-m]$")', f'CONTAINS(LCASE(STR({x})), "{piece.lower()}")', f"STRLEN({x}) > {draw.choice([5, 10, 40])}",
        f'LANG({x}) = "{tag}"', f'LANGMATCHES(LANG({x}), "{tag[:2]}")', f'LANGMATCHES(LANG({x}), "*")', f'LANG({x}) = ""', f"SUBSTR({x}, 1, 1) > \"M\"",
        f'STRBEFORE(STR({x}), " ") != ""', f'UCASE({x}) = {q}', f"!({x} = {q})", f"DATATYPE({x}) = xsd:string", f"isLiteral({x})",
        f'REPLACE(STR({x}), "[aeiou]", "") < "M"', f'ENCODE_FOR_URI(STR({x})) != STR({x})',
    ])


def plain(term):
    return f'"{lexical(term)}"'


def of_time(draw, thing):
    x, q = thing.name, constant(draw, thing)
    year = lexical(q)[:4]
    return draw.choice([
        f"{x} > {q}", f"{x} <= {q}", f"{x} = {q}", f"{x} != {q}", f"YEAR({x}) = {year}", f"MONTH({x}) IN (1, 6, 7)", f"DAY({x}) < 10", f"YEAR({x}) > {year}",
        f'STRSTARTS(STR({x}), "{year}")', f"DATATYPE({x}) = xsd:{kind(q)}", f"!({x} < {q})",
    ] + ([f"HOURS({x}) < 6", f"MINUTES({x}) = 30", f"SECONDS({x}) >= 30", f'TZ({x}) = "Z"', f"{x} < {q} && YEAR({x}) >= 2000"] if thing.kinds == {"dateTime"} else []))


def compares(thing):
    return all(k in COMPARED or k.startswith("@") for k in thing.kinds)


def of_any(draw, thing):
    x, q = thing.name, constant(draw, thing)
    types = sorted(k for k in thing.kinds if k[0].islower() and k.isalnum() and k not in ("iri", "blank", "triple")) or ["string"]
    by_value = [f"{x} = {q}", f"{x} != {q}", f"{x} > {q}"] if compares(thing) else []
    return draw.choice(by_value + [
        f"sameTerm({x}, {q})", f"isLiteral({x})", f"isIRI({x})", f"isNumeric({x})", f"DATATYPE({x}) = xsd:{draw.choice(types)}",
        f"!isBlank({x})",
    ] + ([f"STR({x}) = {plain(q)}", f"STRLEN(STR({x})) > 5", f'CONTAINS(STR({x}), "1")'] if thing.written else []))


def basic(draw, thing):
    if thing.maybe and draw.random() < 0.3:
        return draw.choice([f"BOUND({thing.name})", f"!BOUND({thing.name})"])
    if thing.node:
        return of_node(draw, thing)
    if thing.kinds <= NUMBERS:
        return of_number(draw, thing)
    if thing.kinds <= TIMES:
        return of_time(draw, thing)
    if thing.kinds == {"boolean"}:
        return draw.choice([thing.name, f"!{thing.name}", f"{thing.name} = true", f"{thing.name} != false"])
    if all(k == "string" or k.startswith("@") for k in thing.kinds):
        return of_text(draw, thing)
    return of_any(draw, thing)


def condition(draw, thing, others):
    """A condition on it; sometimes of two, with another variable of its kind, or within a function."""
    text, chance = basic(draw, thing), draw.random()
    alike = [other for other in others if other.name != thing.name and other.kinds & thing.kinds and compares(thing) and compares(other)]
    if alike and chance < 0.25:
        other, simple = draw.choice(alike), thing.kinds <= NUMBERS or thing.kinds == {"string"} or thing.kinds == {"dateTime"}
        return f"{thing.name} {draw.choice(['=', '!=', '<', '>'] if simple else ['=', '!='])} {other.name}"
    if chance < 0.35:
        return f"{text} {draw.choice(['&&', '||'])} {basic(draw, draw.choice(others))}"
    if chance < 0.4:
        return f"!({text})"
    if chance < 0.45:
        return f"COALESCE({text}, {draw.choice(['true', 'false'])})"
    return f"IF({text}, true, {basic(draw, thing)})" if chance < 0.48 else text


def expression(draw, thing):
    """An expression of it, and the kind of what it gives."""
    x = thing.name
    if thing.node:
        return draw.choice([(f"STR({x})", "string"), (f"STRLEN(STR({x}))", "integer"), (f'SUBSTR(STR({x}), STRLEN(STR({x})), 1)', "string"), (f"isIRI({x})", "boolean")])
    if thing.kinds <= NUMBERS:
        return draw.choice([(f"{x} + 1", "number"), (f"FLOOR({x} / 10)", "number"), (f"IF({x} > 50, 'large', 'small')", "string"), (f"{x} > 100", "boolean"), (f"ROUND({x} * 2) - 1", "number")])
    if thing.kinds <= TIMES:
        return draw.choice([(f"YEAR({x})", "integer"), (f"MONTH({x})", "integer"), (f"SUBSTR(STR({x}), 1, 7)", "string"), (f"DAY({x}) + 0", "integer")])
    if not thing.written:
        return draw.choice([(f"isNumeric({x})", "boolean"), (f"DATATYPE({x})", "iri"), (f"COALESCE({x} + 0, 7)", "number")])
    return draw.choice([(f"STRLEN(STR({x}))", "integer"), (f"UCASE(SUBSTR(STR({x}), 1, 1))", "string"), (f"LANG({x})", "string"), (f"LCASE(STR({x}))", "string"),
                        (f'CONCAT("<", STR({x}), ">")', "string"), (f'STRAFTER(STR({x}), " ")', "string"), (f"COALESCE({x} + 0, 7)", "number"),
                        (f'IF(CONTAINS(STR({x}), "a"), 1, 2)', "integer"), (f"STR(DATATYPE({x}))", "string")])
