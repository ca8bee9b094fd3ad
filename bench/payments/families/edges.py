"""Properties of relationships in filters, keys, sorts, top-k and per pair; parallel relationships."""

from everyday.query import Query

T = "MATCH (a:Account)-[t:TRANSFER]->(b:Account) "


def ask(name, cypher, sql, parameters=None):
    return Query(f"edges/{name}", cypher, sql, None, parameters)


QUERIES = [
    ask("top-amounts", T + "RETURN a.id AS a, b.id AS b, t.amount AS x, t.memo AS m ORDER BY x DESC, a, b LIMIT 20",
        "SELECT source a, target b, amount x, memo FROM TRANSFER ORDER BY x DESC, a, b LIMIT 20"),
    ask("top-by-fee-skip", T + "WHERE t.fee IS NOT NULL RETURN a.id AS a, t.fee AS f, t.booked AS booked ORDER BY f DESC, booked SKIP 5000 LIMIT 10",
        "SELECT source a, fee f, booked FROM TRANSFER WHERE fee IS NOT NULL ORDER BY f DESC, booked LIMIT 10 OFFSET 5000"),
    ask("latest", T + "RETURN a.id AS a, b.id AS b, t.booked AS booked ORDER BY booked DESC, a, b LIMIT 100", "SELECT source a, target b, booked FROM TRANSFER ORDER BY booked DESC, a, b LIMIT 100"),
    ask("between", "MATCH ()-[t:TRANSFER]->() WHERE 9000 <= t.amount AND t.amount < 10000 RETURN count(*) AS n, sum(t.amount) AS s",
        "SELECT count(*), sum(amount) FROM TRANSFER WHERE amount >= 9000 AND amount < 10000"),
    ask("below-limit-often", T + "WHERE t.amount >= 9000 AND t.amount < 10000 WITH a, count(*) AS n, sum(t.amount) AS s WHERE n >= 5 RETURN a.id AS id, n, s ORDER BY n DESC, id",
        "SELECT source id, count(*) n, sum(amount) FROM TRANSFER WHERE amount >= 9000 AND amount < 10000 GROUP BY source HAVING n >= 5 ORDER BY n DESC, id"),
    ask("filter-four", "MATCH ()-[t:TRANSFER]->() WHERE t.currency = 'GBP' AND t.channel IN [1, 3] AND t.amount > 250.5 AND t.flagged = false RETURN count(*) AS n, max(t.fee) AS f",
        "SELECT count(*), max(fee) FROM TRANSFER WHERE currency = 'GBP' AND channel IN (1, 3) AND amount > 250.5 AND flagged = false"),
    ask("currency-in", "MATCH ()-[t:TRANSFER]->() WHERE t.currency IN ['CHF', 'JPY'] RETURN t.currency AS c, avg(t.amount) AS a, count(DISTINCT t.channel) AS n",
        "SELECT currency, avg(amount), count(DISTINCT channel) FROM TRANSFER WHERE currency IN ('CHF', 'JPY') GROUP BY ALL"),
    ask("per-pair", T + "WITH a, b, count(*) AS n, sum(t.amount) AS s, min(t.booked) AS f WHERE n >= 10 RETURN a.id AS a, b.id AS b, n, s, f ORDER BY n DESC, a, b LIMIT 50",
        "SELECT source a, target b, count(*) n, sum(amount), min(booked) FROM TRANSFER GROUP BY a, b HAVING n >= 10 ORDER BY n DESC, a, b LIMIT 50"),
    ask("pairs-all", T + "WITH a, b, max(t.amount) AS x RETURN count(*) AS n, sum(x) AS s", "SELECT count(*), sum(x) FROM (SELECT max(amount) x FROM TRANSFER GROUP BY source, target)"),
    ask("min-max-per-pair", T + "WITH a, b, min(t.amount) AS lo, max(t.amount) AS hi, count(*) AS n WHERE n > 1 AND hi > lo * 1000 RETURN count(*) AS k, max(hi - lo) AS d",
        "SELECT count(*), max(hi - lo) FROM (SELECT min(amount) lo, max(amount) hi, count(*) n FROM TRANSFER GROUP BY source, target) WHERE n > 1 AND hi > lo * 1000"),
    ask("largest-of-each", "MATCH (a:Account)-[t:TRANSFER]->(b) WHERE a.country = 'LU' WITH a, t, b ORDER BY t.amount DESC, b.id WITH a, collect({x: t.amount, b: b.id})[0] AS top RETURN a.id AS id, top.x AS x, top.b AS b",
        "SELECT DISTINCT ON (t.source) t.source, t.amount, t.target FROM TRANSFER t JOIN Account a ON a.id = t.source WHERE a.country = 'LU' ORDER BY t.source, t.amount DESC, t.target"),
    ask("top-three-each", "MATCH (a:Account) WHERE a.country = 'KY' AND a.isBusiness CALL (a) { MATCH (a)-[t:TRANSFER]->() RETURN t.amount AS x ORDER BY x DESC LIMIT 3 } RETURN a.id AS id, sum(x) AS s",
        "SELECT source, sum(amount) FROM (SELECT t.source, t.amount, row_number() OVER (PARTITION BY t.source ORDER BY t.amount DESC) r FROM TRANSFER t JOIN Account a ON a.id = t.source WHERE a.country = 'KY' AND a.isBusiness) WHERE r <= 3 GROUP BY source"),
    ask("same-amount-back", "MATCH (a:Account)-[t:TRANSFER]->(b:Account)-[u:TRANSFER]->(a) WHERE t.amount = u.amount AND t.booked < u.booked RETURN count(*) AS n",
        "SELECT count(*) FROM TRANSFER t JOIN TRANSFER u ON u.source = t.target AND u.target = t.source WHERE t.amount = u.amount AND t.booked < u.booked"),
    ask("parallel-same-amount", "MATCH (a:Account)-[t:TRANSFER]->(b:Account)<-[u:TRANSFER]-(a) WHERE t.amount = u.amount AND t.booked < u.booked RETURN a.id AS a, b.id AS b, t.amount AS x",
        "SELECT t.source, t.target, t.amount FROM TRANSFER t JOIN TRANSFER u ON u.source = t.source AND u.target = t.target WHERE t.amount = u.amount AND t.booked < u.booked"),
    ask("self-transfers", "MATCH (a:Account)-[t:TRANSFER]->(a) RETURN count(*) AS n, sum(t.amount) AS s", "SELECT count(*), sum(amount) FROM TRANSFER WHERE source = target"),
    ask("account-statement", "MATCH (a:Account {id: $id})-[t:TRANSFER]-(b:Account) RETURN b.name AS n, t.amount AS x, t.booked AS booked, t.memo AS m ORDER BY booked DESC, x LIMIT 50",
        "SELECT b.name, x, booked, memo FROM (SELECT target o, amount x, booked, memo FROM TRANSFER WHERE source = $id UNION ALL SELECT source, amount, booked, memo FROM TRANSFER WHERE target = $id AND source <> target) JOIN Account b ON b.id = o ORDER BY booked DESC, x LIMIT 50",
        lambda drawn: {"id": drawn.median_account()}),
    ask("volume-of-list", "MATCH (a:Account)-[t:TRANSFER]->() WHERE a.id IN $ids RETURN a.id AS id, sum(t.amount) AS s, count(t.memo) AS m",
        "SELECT source, sum(amount), count(memo) FROM TRANSFER WHERE source IN (SELECT unnest($ids)) GROUP BY ALL",
        lambda drawn: {"ids": drawn.pick("Account", "id", 1000)}),
    ask("scenarios", "UNWIND $rows AS r MATCH (a:Account {id: r.id})-[t:TRANSFER]->() WHERE t.amount > r.limit RETURN r.id AS id, count(*) AS n, sum(t.amount) AS s",
        "SELECT r.id, count(*), sum(t.amount) FROM (SELECT unnest($rows) r) JOIN TRANSFER t ON t.source = r.id WHERE t.amount > r.limit GROUP BY r.id",
        lambda drawn: {"rows": [{"id": i, "limit": 100.0 + n} for n, i in enumerate(drawn.pick("Account", "id", 500))]}),
    ask("business-to-private", T + "WHERE a.isBusiness AND NOT b.isBusiness AND t.channel = 2 RETURN a.country AS c, count(*) AS n, sum(t.amount) AS s, avg(t.fee) AS f",
        "SELECT a.country, count(*), sum(t.amount), avg(t.fee) FROM TRANSFER t JOIN Account a ON a.id = t.source JOIN Account b ON b.id = t.target WHERE a.isBusiness AND NOT b.isBusiness AND t.channel = 2 GROUP BY ALL"),
    ask("risky-to-risky", T + "WHERE a.risk > 0.4 AND b.risk > 0.4 RETURN count(*) AS n, sum(t.amount) AS s, avg(a.risk + b.risk) AS r",
        "SELECT count(*), sum(t.amount), avg(a.risk + b.risk) FROM TRANSFER t JOIN Account a ON a.id = t.source JOIN Account b ON b.id = t.target WHERE a.risk > 0.4 AND b.risk > 0.4"),
    ask("more-than-balance", T + "WHERE t.amount > a.balance RETURN count(*) AS n, avg(t.amount - a.balance) AS d",
        "SELECT count(*), avg(t.amount - a.balance) FROM TRANSFER t JOIN Account a ON a.id = t.source WHERE t.amount > a.balance"),
    ask("owners-share", "MATCH (a:Account)-[o:OWNS]->(c:Company) WHERE o.share > 0.5 RETURN c.id AS id, count(*) AS n, sum(o.share) AS s ORDER BY s DESC, id LIMIT 20",
        "SELECT target id, count(*), sum(share) s FROM OWNS WHERE share > 0.5 GROUP BY target ORDER BY s DESC, id LIMIT 20"),
    ask("owners-transfers", "MATCH (c:Company)<-[o:OWNS]-(a:Account)-[t:TRANSFER]->(b:Account)-[p:OWNS]->(c) WHERE o.share > 0.2 RETURN count(*) AS n, sum(t.amount * o.share) AS s",
        "SELECT count(*), sum(t.amount * o.share) FROM TRANSFER t JOIN OWNS o ON o.source = t.source JOIN OWNS p ON p.source = t.target AND p.target = o.target AND p.rowid <> o.rowid WHERE o.share > 0.2"),
    ask("above-own-average", "MATCH (a:Account)-[t:TRANSFER]->() WITH a, avg(t.amount) AS m MATCH (a)-[u:TRANSFER]->() WHERE u.amount > m * 20 RETURN count(*) AS n, max(u.amount / m) AS x",
        "SELECT count(*), max(amount / m) FROM TRANSFER JOIN (SELECT source s, avg(amount) m FROM TRANSFER GROUP BY s) ON s = source WHERE amount > m * 20"),
]
