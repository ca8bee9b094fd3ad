"""Nulls in every place: counted, averaged, as keys, in conditions, replaced, sorted; booleans with three values."""

from everyday.query import Query


def ask(name, cypher, sql, parameters=None):
    return Query(f"nulls/{name}", cypher, sql, None, parameters)


T = "MATCH ()-[t:TRANSFER]->() "

QUERIES = [
    ask("counts", T + "RETURN count(*) AS n, count(t.memo) AS m, count(t.fee) AS f, count(t.flagged) AS g, avg(t.fee) AS a",
        "SELECT count(*), count(memo), count(fee), count(flagged), avg(fee) FROM TRANSFER"),
    ask("boolean-key", T + "RETURN t.flagged AS f, count(*) AS n, sum(t.amount) AS s", "SELECT flagged, count(*), sum(amount) FROM TRANSFER GROUP BY ALL"),
    ask("country-key", "MATCH (a:Account) RETURN a.country AS c, count(*) AS n, count(a.email) AS e, avg(a.credit) AS k",
        "SELECT country, count(*), count(email), avg(credit) FROM Account GROUP BY ALL"),
    ask("missing-memo", T + "WHERE t.memo IS NULL AND t.amount > 500 RETURN count(*) AS n, sum(t.amount) AS s",
        "SELECT count(*), sum(amount) FROM TRANSFER WHERE memo IS NULL AND amount > 500"),
    ask("is-null-key", T + "RETURN t.memo IS NULL AS m, t.fee IS NULL AS f, count(*) AS n, avg(t.amount) AS a",
        "SELECT memo IS NULL, fee IS NULL, count(*), avg(amount) FROM TRANSFER GROUP BY ALL"),
    ask("coalesce-fee", T + "RETURN t.currency AS c, sum(coalesce(t.fee, 0)) AS s, sum(coalesce(t.fee, 0.5)) AS h, sum(t.amount - coalesce(t.fee, 0.0)) AS net",
        "SELECT currency, sum(coalesce(fee, 0)), sum(coalesce(fee, 0.5)), sum(amount - coalesce(fee, 0.0)) FROM TRANSFER GROUP BY ALL"),
    ask("coalesce-text", "MATCH (a:Account) RETURN coalesce(a.country, 'unknown') AS c, count(*) AS n, avg(coalesce(a.risk, 0.5)) AS r",
        "SELECT coalesce(country, 'unknown'), count(*), avg(coalesce(risk, 0.5)) FROM Account GROUP BY ALL"),
    ask("not-flagged", T + "WHERE NOT t.flagged RETURN count(*) AS n", "SELECT count(*) FROM TRANSFER WHERE NOT flagged"),
    ask("flagged-or-big", T + "WHERE t.flagged OR t.amount > 5000 RETURN count(*) AS n, sum(t.fee) AS s",
        "SELECT count(*), sum(fee) FROM TRANSFER WHERE flagged OR amount > 5000"),
    ask("flag-not-true", T + "WHERE coalesce(t.flagged, false) = false AND t.fee > 2 RETURN count(*) AS n",
        "SELECT count(*) FROM TRANSFER WHERE coalesce(flagged, false) = false AND fee > 2"),
    ask("and-three-values", T + "WHERE (t.flagged AND t.fee > 1) IS NULL RETURN count(*) AS n", "SELECT count(*) FROM TRANSFER WHERE (flagged AND fee > 1) IS NULL"),
    ask("fee-of-amount", T + "WHERE t.fee > t.amount * 0.05 RETURN count(*) AS n, avg(t.fee / t.amount) AS r",
        "SELECT count(*), avg(fee / amount) FROM TRANSFER WHERE fee > amount * 0.05"),
    ask("sorted-credit", "MATCH (a:Account) RETURN a.id AS id, a.credit AS c ORDER BY c DESC, id LIMIT 20",
        "SELECT id, credit FROM Account ORDER BY credit DESC NULLS FIRST, id LIMIT 20"),
    ask("sorted-risk", "MATCH (a:Account) WHERE a.isBusiness RETURN a.id AS id, a.risk AS r, a.email AS e ORDER BY r, e, id SKIP 1000 LIMIT 20",
        "SELECT id, risk, email FROM Account WHERE isBusiness ORDER BY risk NULLS LAST, email NULLS LAST, id LIMIT 20 OFFSET 1000"),
    ask("risk-times-balance", "MATCH (a:Account) RETURN a.country AS c, sum(a.risk * a.balance) AS e, max(a.balance - a.credit) AS x",
        "SELECT country, sum(risk * balance), max(balance - credit) FROM Account GROUP BY ALL"),
    ask("over-credit", "MATCH (a:Account) WHERE a.balance < 0 AND (a.credit IS NULL OR -a.balance > a.credit) RETURN count(*) AS n, min(a.balance) AS b",
        "SELECT count(*), min(balance) FROM Account WHERE balance < 0 AND (credit IS NULL OR -balance > credit)"),
    ask("case-nulls", "MATCH (a:Account) RETURN CASE WHEN a.risk IS NULL THEN 'none' WHEN a.risk < 0.1 THEN 'low' WHEN a.risk < 0.3 THEN 'middle' ELSE 'high' END AS k, count(*) AS n, avg(a.balance) AS b",
        "SELECT CASE WHEN risk IS NULL THEN 'none' WHEN risk < 0.1 THEN 'low' WHEN risk < 0.3 THEN 'middle' ELSE 'high' END, count(*), avg(balance) FROM Account GROUP BY ALL"),
    ask("nulls-of-two-ends", "MATCH (a:Account)-[t:TRANSFER]->(b:Account) WHERE a.email IS NULL AND b.email IS NULL RETURN count(*) AS n, sum(t.amount) AS s",
        "SELECT count(*), sum(t.amount) FROM TRANSFER t JOIN Account a ON a.id = t.source JOIN Account b ON b.id = t.target WHERE a.email IS NULL AND b.email IS NULL"),
    ask("country-differs", "MATCH (a:Account)-[t:TRANSFER]->(b:Account) WHERE a.country <> b.country RETURN count(*) AS n, sum(t.amount) AS s",
        "SELECT count(*), sum(t.amount) FROM TRANSFER t JOIN Account a ON a.id = t.source JOIN Account b ON b.id = t.target WHERE a.country <> b.country"),
    ask("distinct-with-null", "MATCH (a:Account) RETURN DISTINCT a.country AS c, a.isBusiness AS b", "SELECT DISTINCT country, isBusiness FROM Account"),
    ask("profile", "MATCH (a:Account) RETURN count(a.credit) * 1.0 / count(*) AS credit, count(a.email) * 1.0 / count(*) AS email, count(DISTINCT a.email) AS different, min(a.opened) AS first, max(a.opened) AS last",
        "SELECT count(credit) * 1.0 / count(*), count(email) * 1.0 / count(*), count(DISTINCT email), min(opened), max(opened) FROM Account"),
]
