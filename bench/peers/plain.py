"""Values of every system in one plain form that JSON carries, so that answers of different systems can be compared.

Instants are text in UTC, with or without a zone before; whole decimals are integers, others floats; durations are seconds;
nodes and structures are maps of what is not null, without the names of a system's own fields. IRIs are in `<>`, blank
nodes all alike, literals of the types above their values and others texts with their language or type.
"""

import datetime as dt
import decimal
import re
import uuid


XSD = "http://www.w3.org/2001/XMLSchema#"
DURATION = re.compile(r"(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?")


def term(value):
    """A term of RDF, of ours or of Oxigraph's, which are classes of the same names but for IRIs."""
    kind = type(value).__name__
    if kind == "BlankNode":
        return "_:b"
    if kind == "Triple":
        return f"<<( {' '.join(map(str, value))} )>>"
    if kind in ("IRI", "NamedNode"):
        text = str(getattr(value, "value", value))
        return text if text.startswith("<") else f"<{text}>"
    return literal(value.lexical if hasattr(value, "lexical") else value.value, value.language, getattr(value.datatype, "value", value.datatype))


def literal(text, language, datatype):
    kind = str(datatype).removeprefix(XSD)
    if language:
        return f"{text}@{language.lower()}"
    if kind == "string":
        return text
    try:
        if kind in ("integer", "int", "long"):
            return int(text)
        if kind == "decimal":
            return plain(decimal.Decimal(text))
        if kind in ("double", "float"):
            return float(text)
        if kind == "dateTime":
            return plain(dt.datetime.fromisoformat(text))
        if kind == "date":
            return plain(dt.date.fromisoformat(text))
        if kind == "dayTimeDuration":
            sign, *parts = DURATION.fullmatch(text).groups(default="0")
            return (-1 if sign == "-" else 1) * sum(float(part) * unit for part, unit in zip(parts, (86400, 3600, 60, 1)))
    except (ValueError, AttributeError):
        pass  # not of that type's form
    return {"1": True, "true": True, "0": False, "false": False}[text] if kind == "boolean" else f"{text}^^{kind}"


def plain(value):
    if type(value).__name__ in ("IRI", "NamedNode", "BlankNode", "Literal", "Triple"):
        return term(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "to_native"):
        value = value.to_native()
    if isinstance(value, dt.datetime):
        return (value.astimezone(dt.timezone.utc).replace(tzinfo=None) if value.tzinfo else value).isoformat()
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    if isinstance(value, decimal.Decimal):
        return int(value) if value == int(value) else float(value)
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if hasattr(value, "properties"):
        value = value.properties
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if v is not None and not k.startswith("_")}
    return str(value) if isinstance(value, uuid.UUID) else repr(value)


def rows(result):
    """The rows of what a fetch gave: a list already, or a table of Arrow, pandas or Polars."""
    if isinstance(result, list):
        return result
    if hasattr(result, "itertuples"):
        result = result.astype(object).where(result.notna(), None)  # pandas has NaN and NaT where a value is missing
        return list(result.itertuples(index=False, name=None))
    columns = result.columns if hasattr(result, "num_rows") else result.get_columns()
    return list(zip(*(column.to_pylist() if hasattr(column, "to_pylist") else column.to_list() for column in columns)))
