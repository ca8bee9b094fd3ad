"""Many rows into Python: floats, booleans, nulls, instants, lists and texts, as tuples and as frames.

There are more than are worth comparing here each time, so only their number is; a tenth of the same rows is compared.
"""

from everyday.query import Query


def ask(name, cypher, sql, parameters=None, fetch="fetchall", count_only=False):
    return Query(f"rows/{name}", cypher, sql, None, parameters, fetch, count_only)


M = "MATCH (a:Account)-[t:TRANSFER]->(b:Account) WHERE t.channel >= 1 "
WIDE = (M + "RETURN a.id AS a, b.id AS b, t.amount AS amount, t.fee AS fee, t.flagged AS flagged, t.booked AS booked",
        "SELECT source, target, amount, fee, flagged, booked FROM TRANSFER WHERE channel >= 1")
TEXTS = ("MATCH ()-[t:TRANSFER]->() WHERE t.channel >= 1 RETURN t.currency AS c, t.memo AS m, t.amount AS x",
         "SELECT currency, memo, amount FROM TRANSFER WHERE channel >= 1")
ACCOUNTS = ("MATCH (a:Account) RETURN a.id AS id, a.name AS name, a.balance AS b, a.credit AS c, a.isBusiness AS k, a.tags AS t, a.opened AS o",
            "SELECT id, name, balance, credit, isBusiness, tags, opened FROM Account")

QUERIES = [ask(f"{name}-{fetch}", *texts, fetch=fetch, count_only=True)
           for name, texts in (("transfers", WIDE), ("memos", TEXTS), ("accounts", ACCOUNTS))
           for fetch in ("fetchall", "arrow", "df", "pl")]
QUERIES += [ask(f"{name}-checked", *(text.replace("channel >= 1", "channel = 4").replace("Account)", "Account {country: 'GB'})").replace("FROM Account", "FROM Account WHERE country = 'GB'") for text in texts))
            for name, texts in (("memos", TEXTS), ("accounts", ACCOUNTS))]
QUERIES += [
    ask("transfers-checked", WIDE[0].replace("channel >= 1", "channel = 4"), WIDE[1].replace("channel >= 1", "channel = 4")),
    ask("instants", "MATCH ()-[u:USED]->() RETURN u.first AS f, u.last AS l", "SELECT first, last FROM USED", count_only=True),
    ask("floats", "MATCH (a:Account) RETURN a.balance AS b, a.risk AS r", "SELECT balance, risk FROM Account", count_only=True),
    ask("collected", "MATCH (a:Account)-[t:TRANSFER]->() WITH a, t ORDER BY t.booked RETURN a.id AS id, collect(t.amount) AS xs", "SELECT source, list(amount ORDER BY booked) FROM TRANSFER GROUP BY source"),
]
