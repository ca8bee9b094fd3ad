"""A payments network as users have one: takes a scale and a seed, gives Arrow tables, and Parquet files of them.

What SNB data lack is here: floats that are skewed, many nulls, booleans with nulls, lists of texts, texts that are
mostly unique, and relationships that have all of these. Scale 1 is 300,000 accounts and 3,000,000 transfers.

1. Who pays and who is paid is skewed (a power of a uniform number, then shuffled), so a few accounts have thousands of transfers.
2. One transfer in six goes back to an account that paid its source, one in fifty closes a cycle of three, and one in thirty
   repeats a pair: without these a random network of this size has hardly any cycle or parallel relationship.
3. Amounts are lognormal, in cents, so that equal ones exist.
"""

import datetime as dt

WORDS = ("rent", "invoice", "salary", "refund", "gift", "loan", "consulting", "groceries", "deposit", "bonus", "insurance", "tax",
         "school", "holiday", "car", "repair", "thanks", "order", "subscription", "donation")
COUNTRIES = ("DE", "FR", "NL", "GB", "US", "PL", "ES", "IT", "CH", "AT", "SE", "NO", "BR", "IN", "CN", "JP", "KY", "PA", "CY", "LU")
TAGS = ("vip", "new", "dormant", "pep", "sanctioned", "student", "joint", "premium", "frozen", "staff", "merchant", "charity")
CURRENCIES = ("EUR", "USD", "GBP", "CHF", "JPY")
FIRST = ("Ada", "Ben", "Chiara", "Dmitri", "Élodie", "Farid", "Greta", "Hiro", "Inés", "Jan", "Kofi", "Lena", "Marek", "Noor", "Olga",
         "Paul", "Quentin", "Rosa", "Søren", "Tariq")
LAST = ("Abel", "Brandt", "Costa", "Dubois", "Eriksen", "Fischer", "García", "Hassan", "Ito", "Jansen", "Kowalski", "López", "Müller",
        "Novak", "Okafor", "Petrov", "Rossi", "Schmidt", "Tanaka", "Weber")
DOMAINS = ("mail.com", "example.org", "post.de", "inbox.fr", "corp.net", "uni.edu", "web.io", "shop.biz")
TRADES, FORMS = ("Trading", "Holding", "Labs", "Foods"), ("GmbH", "Ltd", "SA", "Inc")
NODES = ("Account", "Company", "Device")
EDGES = (("Account", "TRANSFER", "Account"), ("Account", "OWNS", "Company"), ("Account", "USED", "Device"))
START = dt.datetime(2024, 1, 1)
MICROSECONDS_OF_A_DAY = 86_400_000_000


def tables(scale, seed=42):
    """Name -> Arrow table; relationships have `source` and `target` first, in order of their time."""
    import numpy as np

    draw = np.random.default_rng(seed)
    sizes = {"accounts": int(300_000 * scale), "companies": int(20_000 * scale), "devices": int(50_000 * scale)}
    return {"Account": accounts(draw, sizes["accounts"]), "Company": companies(draw, sizes["companies"]),
            "Device": devices(draw, sizes["devices"]), "TRANSFER": transfers(draw, sizes["accounts"], int(3_000_000 * scale)),
            "OWNS": owns(draw, sizes), "USED": used(draw, sizes)}


def skewed(draw, count, among, power):
    """`count` numbers below `among`, some far more often than others."""
    return draw.permutation(among)[(among * draw.random(count) ** power).astype("int64")]


def chosen(draw, values, count, weights=None):
    import numpy as np

    return np.array(values, dtype=object)[draw.choice(len(values), count, p=weights)]


def with_nulls(draw, values, share, kind=None):
    """An Arrow column in which about `share` of the values are null."""
    import pyarrow as pa

    return pa.array(values, type=kind, mask=draw.random(len(values)) < share)


def instants(draw, count, since_days, span_days, zone=None):
    """Microseconds since 1970, `since_days` after 2024 began."""
    import pyarrow as pa

    first = int((START - dt.datetime(1970, 1, 1)).total_seconds() * 1e6) + since_days * MICROSECONDS_OF_A_DAY
    micros = first + (draw.random(count) * span_days * MICROSECONDS_OF_A_DAY).astype("int64")
    return micros, pa.timestamp("us", tz=zone)


def dates(draw, count, first, days):
    import numpy as np
    import pyarrow as pa

    base = (first - dt.date(1970, 1, 1)).days
    return pa.array((base + draw.integers(0, days, count)).astype(np.int32)).cast(pa.date32())


def accounts(draw, count):
    import numpy as np
    import pyarrow as pa

    ids = np.arange(count) * 7 + 1_000_003
    first, last = chosen(draw, FIRST, count), chosen(draw, LAST, count)
    number = draw.integers(0, count // 2, count)  # so that some share an address
    email = [f"{f.lower()}.{n}@{d}" for f, n, d in zip(first, number, chosen(draw, DOMAINS, count))]
    tag_counts = draw.choice(5, count, p=[0.35, 0.3, 0.2, 0.1, 0.05])
    picked = draw.integers(0, len(TAGS), (count, 4))
    tags = [[TAGS[t] for t in dict.fromkeys(row[:n].tolist())] for row, n in zip(picked, tag_counts)]
    limits = draw.integers(1, 400, count) * 50.0
    weights = np.array([1 / (rank + 2) for rank in range(len(COUNTRIES))])
    return pa.table({
        "id": ids,
        "name": pa.array([f"{f} {g}" for f, g in zip(first, last)]),
        "country": with_nulls(draw, chosen(draw, COUNTRIES, count, weights / weights.sum()), 0.02, pa.string()),
        "opened": dates(draw, count, dt.date(2010, 1, 1), 5000),
        "balance": np.round(draw.lognormal(7, 2, count) - 500, 2),
        "credit": with_nulls(draw, limits, 0.6),
        "risk": with_nulls(draw, draw.beta(1.5, 8, count), 0.1),
        "isBusiness": draw.random(count) < 0.15,
        "tags": pa.array(tags, type=pa.list_(pa.string())),
        "email": with_nulls(draw, np.array(email, dtype=object), 0.25, pa.string()),
    })


def companies(draw, count):
    import numpy as np
    import pyarrow as pa

    return pa.table({
        "id": np.arange(count) + 500,
        "name": pa.array([" ".join(parts) for parts in zip(chosen(draw, LAST, count), chosen(draw, TRADES, count), chosen(draw, FORMS, count))]),
        "country": with_nulls(draw, chosen(draw, COUNTRIES, count), 0.05, pa.string()),
        "revenue": with_nulls(draw, np.round(draw.lognormal(12, 2, count), 2), 0.2),
        "employees": with_nulls(draw, draw.integers(1, 5000, count), 0.3),
        "listed": with_nulls(draw, draw.random(count) < 0.05, 0.1),
    })


def devices(draw, count):
    import numpy as np
    import pyarrow as pa

    ip = draw.integers(1, 255, (count, 4))
    return pa.table({
        "id": np.arange(count) + 9_000_000,
        "kind": pa.array(chosen(draw, ("phone", "tablet", "desktop", "atm"), count, [0.6, 0.1, 0.25, 0.05]), type=pa.string()),
        "ip": pa.array([".".join(map(str, row)) for row in ip]),
        "trust": with_nulls(draw, np.round(draw.random(count), 3), 0.3),
    })


def transfers(draw, account_count, count):
    import numpy as np
    import pyarrow as pa

    source, target = skewed(draw, count, account_count, 2.0), skewed(draw, count, account_count, 1.6)
    kind = draw.random(count)
    earlier = draw.integers(0, np.maximum(1, np.arange(count)))  # a row above
    back, repeat, cycle = kind < 1 / 6, (kind > 0.2) & (kind < 0.233), (kind > 0.3) & (kind < 0.32)
    source[back], target[back] = target[earlier[back]], source[earlier[back]]
    source[repeat], target[repeat] = source[earlier[repeat]], target[earlier[repeat]]
    by_source = np.argsort(source, kind="stable")
    first_of = np.searchsorted(source[by_source], np.arange(account_count + 1))
    middle = target[earlier[cycle]]  # x -> middle -> target of middle, and back to x
    at = np.minimum(first_of[middle], count - 1)
    source[cycle], target[cycle] = target[by_source[at]], source[earlier[cycle]]
    micros, stamp = instants(draw, count, 0, 366)
    micros.sort()
    amount = np.round(draw.lognormal(5, 1.6, count), 2)
    words = np.array(WORDS, dtype=object)
    chosen_words, numbers = draw.integers(0, len(WORDS), (count, 2)), draw.integers(0, 10_000_000, count)
    memo = [f"{a} {n} {b}" for a, n, b in zip(words[chosen_words[:, 0]], numbers.tolist(), words[chosen_words[:, 1]])]
    flagged = (draw.random(count) < 0.01) | (amount > 20_000)
    return pa.table({
        "source": source * 7 + 1_000_003, "target": target * 7 + 1_000_003,
        "amount": amount,
        "fee": with_nulls(draw, np.round(amount * 0.002 + draw.random(count), 4), 0.05),
        "currency": pa.array(chosen(draw, CURRENCIES, count, [0.6, 0.2, 0.1, 0.06, 0.04]), type=pa.string()),
        "booked": pa.array(micros).cast(stamp),
        "memo": with_nulls(draw, np.array(memo, dtype=object), 0.4, pa.string()),
        "flagged": with_nulls(draw, flagged, 0.3),
        "channel": draw.choice(5, count, p=[0.5, 0.2, 0.15, 0.1, 0.05]),
    })


def owns(draw, sizes):
    import numpy as np
    import pyarrow as pa

    count = sizes["companies"] * 2
    return pa.table({
        "source": draw.integers(0, sizes["accounts"], count) * 7 + 1_000_003,
        "target": draw.integers(0, sizes["companies"], count) + 500,
        "share": with_nulls(draw, np.round(draw.random(count), 4), 0.1),
        "since": dates(draw, count, dt.date(2000, 1, 1), 9000),
    })


def used(draw, sizes):
    import pyarrow as pa

    count = sizes["accounts"] * 2
    first, stamp = instants(draw, count, -700, 1000, "UTC")
    last = first + (draw.random(count) * 60 * MICROSECONDS_OF_A_DAY).astype("int64")
    return pa.table({
        "source": draw.integers(0, sizes["accounts"], count) * 7 + 1_000_003,
        "target": skewed(draw, count, sizes["devices"], 1.5) + 9_000_000,
        "first": pa.array(first).cast(stamp),
        "last": with_nulls(draw, last, 0.2).cast(stamp),
    })


def files(work, scale):
    """Writes one Parquet file per table unless they are there; gives what each adapter's `load_parquet` needs."""
    import pyarrow.parquet as pq

    directory = work / f"payments-{scale:g}"
    if not (directory / "done").exists():
        directory.mkdir(parents=True, exist_ok=True)
        for name, table in tables(scale).items():
            pq.write_table(table, directory / f"{name}.parquet")
        (directory / "done").touch()
    return {"nodes": {label: str(directory / f"{label}.parquet") for label in NODES},
            "edges": [[*edge, str(directory / f"{edge[1]}.parquet")] for edge in EDGES]}


class Drawn:
    """Values drawn from the data with a fixed seed, for parameters."""

    def __init__(self, files):
        self.files = files

    def pick(self, table, name, count, seed=7):
        """`count` values of a column, each at most once."""
        import random

        import pyarrow.parquet as pq

        return random.Random(seed).sample(pq.read_table(self.files["nodes"][table], columns=[name])[name].to_pylist(), count)

    def median_account(self, rank=0):
        """An account with as many transfers as most transfers' sources have: busy, but no hub. `rank` gives the next ones."""
        import pyarrow.parquet as pq

        source = pq.read_table(self.files["edges"][0][3], columns=["source"])["source"]
        counts = sorted(((row["counts"], row["values"]) for row in source.value_counts().to_pylist()), reverse=True)
        return counts[len(counts) // 20 + rank][1]
