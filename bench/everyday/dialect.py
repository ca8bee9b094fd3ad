"""Our texts in the dialect of Ladybug and Kuzu: the rules of the BI texts and, before them, those below.

A query that these cannot express has a text of its own or is left out; see `query.Query`.
"""

import datetime as dt
import re

import ladybug_dialect

RULES = [
    (r"\bdate\.truncate\('(\w+)', ", r"date_trunc('\1', "),
    (r"\bdatetime\.truncate\('(\w+)', ", r"date_trunc('\1', "),
    (r"\bdatetime\('([0-9T:.-]+)Z'\)", r"timestamp('\1')"),
    (r"\b(\w+\.(?:creationDate|birthday))\.(\w+)\b", r"date_part('\2', \1)"),
    (r"\btoInteger\(", "to_int64("),
    (r"\bsplit\(", "string_split("),
    (r"\bstDev\(", "stddev_samp("),
]


def rewrite(text):
    """Our text by the rules, first these, then those of the BI texts."""
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text)
    return ladybug_dialect.rewrite(text)


def parameters(given, text, system):
    """Those that the text mentions; the peers store plain timestamps in UTC."""
    result = {}
    for name, value in given.items():
        if not re.search(rf"\${name}\b", text):
            continue
        if isinstance(value, dt.datetime):
            value = value.replace(tzinfo=dt.timezone.utc if system == "trimorph" else None)
        result[name] = value
    return result
