"""Values of every system in one plain form that JSON carries, so that answers of different systems can be compared.

Instants are text in UTC, with or without a zone before; whole decimals are integers, others floats; durations are seconds;
nodes and structures are maps of what is not null, without the names of a system's own fields.
"""

import datetime as dt
import decimal
import uuid


def plain(value):
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
