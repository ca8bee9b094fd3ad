"""Relationships asked for in both directions, as who looks for any money between two writes them: few of which pass a condition, at all
accounts and at some, in EXISTS and COUNT, and all of them."""

from everyday.query import Query


def ask(name, cypher, sql):
    return Query(f"undirected/{name}", cypher, sql, None)


BOTH = "WITH u AS (SELECT source, target, amount FROM TRANSFER UNION ALL SELECT target, source, amount FROM TRANSFER WHERE source <> target) "

QUERIES = [
    ask("large-count", "MATCH (a:Account)-[t:TRANSFER]-(b:Account) WHERE t.amount > 50000 RETURN count(*) AS n",
        "SELECT sum(CASE WHEN source = target THEN 1 ELSE 2 END) FROM TRANSFER WHERE amount > 50000"),
    ask("largest-rows", "MATCH (a:Account)-[t:TRANSFER]-(b:Account) WHERE t.amount > 20000 RETURN a.id AS a, b.id AS b, t.amount AS x ORDER BY x DESC, a, b LIMIT 20",
        BOTH + "SELECT source a, target b, amount x FROM u WHERE x > 20000 ORDER BY x DESC, a, b LIMIT 20"),
    ask("large-by-account", "MATCH (a:Account)-[t:TRANSFER]-(b:Account) WHERE t.amount > 20000 RETURN a.id AS a, count(*) AS n, sum(t.amount) AS s ORDER BY s DESC, a LIMIT 20",
        BOTH + "SELECT source a, count(*), sum(amount) s FROM u WHERE amount > 20000 GROUP BY source ORDER BY s DESC, a LIMIT 20"),
    ask("all-by-account", "MATCH (a:Account)-[t:TRANSFER]-(b:Account) RETURN a.id AS a, count(*) AS n, sum(t.amount) AS s ORDER BY s DESC, a LIMIT 20",
        BOTH + "SELECT source a, count(*), sum(amount) s FROM u GROUP BY source ORDER BY s DESC, a LIMIT 20"),
    ask("of-a-country", "MATCH (a:Account)-[t:TRANSFER]-(b:Account) WHERE a.country = 'KY' AND t.amount > 1000 RETURN b.country AS c, count(*) AS n, max(t.amount) AS m",
        BOTH + "SELECT b.country, count(*), max(amount) FROM u JOIN Account a ON a.id = u.source JOIN Account b ON b.id = u.target WHERE a.country = 'KY' AND amount > 1000 GROUP BY ALL"),
    ask("counts-by-kind", "MATCH (a:Account) RETURN a.isBusiness AS k, sum(COUNT { (a)-[t:TRANSFER]-() WHERE t.amount > 1000 }) AS n",
        BOTH + "SELECT isBusiness, coalesce(sum(n), 0) FROM Account a LEFT JOIN (SELECT source, count(*) n FROM u WHERE amount > 1000 GROUP BY source) x ON x.source = a.id GROUP BY ALL"),
    ask("two-large", "MATCH (a:Account)-[t:TRANSFER]-(b:Account)-[u:TRANSFER]-(c:Account) WHERE t.amount > 20000 AND u.amount > 20000 RETURN count(*) AS n",
        "WITH u AS (SELECT rowid r, source, target, amount FROM TRANSFER WHERE amount > 20000 UNION ALL SELECT rowid, target, source, amount FROM TRANSFER WHERE source <> target AND amount > 20000) SELECT count(*) FROM u JOIN u v ON v.source = u.target AND v.r <> u.r"),
    ask("flagged-by-country", "MATCH (a:Account)-[t:TRANSFER]-(b:Account) WHERE t.flagged RETURN a.country AS c, count(DISTINCT b) AS n",
        "WITH u AS (SELECT source, target FROM TRANSFER WHERE flagged UNION ALL SELECT target, source FROM TRANSFER WHERE source <> target AND flagged) SELECT country, count(DISTINCT target) FROM u JOIN Account a ON a.id = u.source GROUP BY ALL"),
    ask("none-above", "MATCH (a:Account) WHERE NOT EXISTS { (a)-[t:TRANSFER]-() WHERE t.amount > 1000 } RETURN count(*) AS n",
        "SELECT count(*) FROM Account WHERE id NOT IN (SELECT source FROM TRANSFER WHERE amount > 1000 UNION SELECT target FROM TRANSFER WHERE amount > 1000)"),
    ask("ends-of-large", "MATCH (a:Account)-[t:TRANSFER]-(b:Account) WHERE t.amount > 20000 WITH DISTINCT b RETURN b.country AS c, avg(b.balance) AS x",
        "WITH u AS (SELECT target FROM TRANSFER WHERE amount > 20000 UNION SELECT source FROM TRANSFER WHERE amount > 20000) SELECT country, avg(balance) FROM u JOIN Account a ON a.id = u.target GROUP BY ALL"),
    ask("between-countries", "MATCH (a:Account)-[t:TRANSFER]-(b:Account) WHERE a.country <> b.country AND t.amount > 10000 RETURN a.country AS x, b.country AS y, count(*) AS n, avg(t.amount) AS m ORDER BY n DESC, x, y LIMIT 10",
        BOTH + "SELECT a.country x, b.country y, count(*) n, avg(amount) FROM u JOIN Account a ON a.id = u.source JOIN Account b ON b.id = u.target WHERE x <> y AND amount > 10000 GROUP BY ALL ORDER BY n DESC, x, y LIMIT 10"),
    ask("last-by-month", "MATCH (a:Account)-[t:TRANSFER]-(b:Account) WITH a, max(t.booked) AS last RETURN last.year AS y, last.month AS m, count(*) AS n ORDER BY y, m",
        "WITH u AS (SELECT source, booked FROM TRANSFER UNION ALL SELECT target, booked FROM TRANSFER WHERE source <> target) SELECT year(last), month(last), count(*) FROM (SELECT source, max(booked) AT TIME ZONE 'UTC' last FROM u GROUP BY source) GROUP BY 1, 2 ORDER BY 1, 2"),
    ask("risky-neighbours", "MATCH (a:Account)-[t:TRANSFER]-(b:Account) WHERE t.amount > 5000 AND b.risk > 0.5 WITH a, count(*) AS n, collect(b.id)[0..3] AS some WHERE n > 2 RETURN count(*) AS k",
        BOTH + "SELECT count(*) FROM (SELECT source, count(*) n, list(b.id)[1:3] FROM u JOIN Account b ON b.id = u.target WHERE amount > 5000 AND b.risk > 0.5 GROUP BY source HAVING n > 2)"),
]
