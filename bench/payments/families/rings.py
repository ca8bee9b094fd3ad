"""Patterns of fraud: cycles, fans, shared devices, chains with conditions on every relationship, shortest paths."""

from everyday.query import Query

A = "MATCH (a:Account)-[t:TRANSFER]->(b:Account)"


def ask(name, cypher, sql, parameters=None):
    return Query(f"rings/{name}", cypher, sql, None, parameters)


def account(drawn):
    return {"id": drawn.median_account()}


CHAIN = ("WITH RECURSIVE p(x, n, used) AS (SELECT target, 1, [rowid] FROM TRANSFER WHERE source = $id AND amount > 1000 UNION ALL "
         "SELECT t.target, n + 1, list_append(used, t.rowid) FROM p JOIN TRANSFER t ON t.source = p.x WHERE n < 3 AND t.amount > 1000 "
         "AND NOT list_contains(used, t.rowid)) ")

QUERIES = [
    ask("cycle-2", A + "-[u:TRANSFER]->(a) WHERE t.amount > 1000 AND u.amount > t.amount * 0.9 AND u.amount < t.amount * 1.1 RETURN count(*) AS n",
        "SELECT count(*) FROM TRANSFER t JOIN TRANSFER u ON u.source = t.target AND u.target = t.source AND u.rowid <> t.rowid WHERE t.amount > 1000 AND u.amount > t.amount * 0.9 AND u.amount < t.amount * 1.1"),
    ask("cycle-3", A + "-[u:TRANSFER]->(c:Account)-[v:TRANSFER]->(a) WHERE t.amount > 1000 AND u.amount > 1000 AND v.amount > 1000 AND a.id < b.id AND a.id < c.id RETURN count(*) AS n, sum(t.amount + u.amount + v.amount) AS s",
        "SELECT count(*), sum(t.amount + u.amount + v.amount) FROM TRANSFER t JOIN TRANSFER u ON u.source = t.target JOIN TRANSFER v ON v.source = u.target AND v.target = t.source WHERE t.amount > 1000 AND u.amount > 1000 AND v.amount > 1000 AND t.source < t.target AND t.source < u.target AND t.rowid <> u.rowid AND u.rowid <> v.rowid AND t.rowid <> v.rowid"),
    ask("cycle-3-in-order", A + "-[u:TRANSFER]->(c:Account)-[v:TRANSFER]->(a) WHERE t.booked < u.booked AND u.booked < v.booked AND v.booked < t.booked + duration('P3D') AND t.amount > 500 RETURN count(*) AS n",
        "SELECT count(*) FROM TRANSFER t JOIN TRANSFER u ON u.source = t.target JOIN TRANSFER v ON v.source = u.target AND v.target = t.source WHERE t.booked < u.booked AND u.booked < v.booked AND v.booked < t.booked + INTERVAL 3 DAY AND t.amount > 500"),
    ask("cycle-4", A + "-[u:TRANSFER]->(c:Account)-[v:TRANSFER]->(d:Account)-[w:TRANSFER]->(a) WHERE t.amount > 3000 AND u.amount > 3000 AND v.amount > 3000 AND w.amount > 3000 AND a.id < b.id AND a.id < c.id AND a.id < d.id AND b <> d RETURN count(*) AS n",
        "WITH t AS (SELECT *, rowid r FROM TRANSFER WHERE amount > 3000) SELECT count(*) FROM t JOIN t u ON u.source = t.target JOIN t v ON v.source = u.target JOIN t w ON w.source = v.target AND w.target = t.source WHERE t.source < t.target AND t.source < u.target AND t.source < v.target AND t.target <> v.target AND len(list_distinct([t.r, u.r, v.r, w.r])) = 4"),
    ask("round-trip", "MATCH (a:Account {id: $id})-[t:TRANSFER]->(b)-[u:TRANSFER]->(c)-[v:TRANSFER]->(a) WHERE v.amount < t.amount RETURN b.id AS b, c.id AS c, t.amount AS x, v.amount AS y",
        "SELECT t.target, u.target, t.amount, v.amount FROM TRANSFER t JOIN TRANSFER u ON u.source = t.target JOIN TRANSFER v ON v.source = u.target AND v.target = $id WHERE t.source = $id AND v.amount < t.amount AND t.rowid <> u.rowid AND u.rowid <> v.rowid", account),
    ask("fan-in", "MATCH (a:Account)<-[t:TRANSFER]-(b:Account) WHERE t.amount < 200 WITH a, count(DISTINCT b) AS n, sum(t.amount) AS s WHERE n > 100 RETURN a.id AS id, n, s ORDER BY n DESC, id LIMIT 20",
        "SELECT target id, count(DISTINCT source) n, sum(amount) FROM TRANSFER WHERE amount < 200 GROUP BY target HAVING n > 100 ORDER BY n DESC, id LIMIT 20"),
    ask("fan-out-in", "MATCH (a:Account)-[t:TRANSFER]->(m:Account)-[u:TRANSFER]->(z:Account) WHERE t.amount > 8000 AND u.amount > 8000 AND a <> z WITH a, z, count(DISTINCT m) AS n WHERE n >= 3 RETURN a.id AS a, z.id AS z, n",
        "SELECT t.source, u.target, count(DISTINCT t.target) n FROM TRANSFER t JOIN TRANSFER u ON u.source = t.target WHERE t.amount > 8000 AND u.amount > 8000 AND t.source <> u.target GROUP BY ALL HAVING n >= 3"),
    ask("many-to-many", "MATCH (a:Account) WITH a, COUNT { (a)-[:TRANSFER]->() } AS o, COUNT { (a)<-[:TRANSFER]-() } AS i WHERE o > 200 AND i > 200 RETURN count(*) AS n, sum(o + i) AS s",
        "SELECT count(*), coalesce(sum(o + i), 0) FROM (SELECT source, count(*) o FROM TRANSFER GROUP BY source) JOIN (SELECT target, count(*) i FROM TRANSFER GROUP BY target) ON source = target WHERE o > 200 AND i > 200"),
    ask("shared-device", "MATCH (a:Account)-[:USED]->(d:Device)<-[:USED]-(b:Account) WHERE a.id < b.id AND d.kind = 'atm' RETURN count(*) AS n",
        "SELECT count(*) FROM USED u JOIN Device d ON d.id = u.target JOIN USED v ON v.target = u.target WHERE u.source < v.source AND d.kind = 'atm'"),
    ask("device-and-transfer", "MATCH (a:Account)-[:USED]->(d:Device)<-[:USED]-(b:Account), (a)-[t:TRANSFER]->(b) WHERE t.amount > 1000 RETURN count(*) AS n, sum(t.amount) AS s",
        "SELECT count(*), sum(t.amount) FROM TRANSFER t JOIN USED u ON u.source = t.source JOIN USED v ON v.source = t.target AND v.target = u.target AND v.rowid <> u.rowid WHERE t.amount > 1000"),
    ask("devices-of-many", "MATCH (d:Device)<-[:USED]-(a:Account) WITH d, count(DISTINCT a) AS n, avg(a.risk) AS r WHERE n > 50 RETURN d.id AS id, n, r ORDER BY r DESC, id LIMIT 20",
        "SELECT u.target id, count(DISTINCT u.source) n, avg(a.risk) r FROM USED u JOIN Account a ON a.id = u.source GROUP BY u.target HAVING n > 50 ORDER BY r DESC, id LIMIT 20"),
    ask("device-overlap", "MATCH (a:Account)-[u:USED]->(d:Device)<-[v:USED]-(b:Account) WHERE a.id < b.id AND d.trust < 0.01 AND u.first < v.last AND v.first < u.last RETURN count(*) AS n",
        "SELECT count(*) FROM USED u JOIN Device d ON d.id = u.target JOIN USED v ON v.target = u.target WHERE u.source < v.source AND d.trust < 0.01 AND u.first < v.last AND v.first < u.last"),
    ask("flagged-neighbours", "MATCH (a:Account) WHERE EXISTS { (a)-[t:TRANSFER]->() WHERE t.flagged } RETURN count(*) AS n, avg(a.balance) AS b",
        "SELECT count(*), avg(balance) FROM Account a WHERE EXISTS (SELECT 1 FROM TRANSFER t WHERE t.source = a.id AND t.flagged)"),
    ask("never-flagged", "MATCH (a:Account) WHERE a.risk > 0.3 AND NOT EXISTS { (a)-[t:TRANSFER]-() WHERE t.flagged } RETURN count(*) AS n",
        "SELECT count(*) FROM Account a WHERE risk > 0.3 AND NOT EXISTS (SELECT 1 FROM TRANSFER t WHERE t.source = a.id AND t.flagged) AND NOT EXISTS (SELECT 1 FROM TRANSFER t WHERE t.target = a.id AND t.flagged)"),
    ask("no-device", "MATCH (a:Account) WHERE NOT (a)-[:USED]->() AND (a)-[:TRANSFER]->() RETURN a.country AS c, count(*) AS n",
        "SELECT country, count(*) FROM Account a WHERE NOT EXISTS (FROM USED u WHERE u.source = a.id) AND EXISTS (FROM TRANSFER t WHERE t.source = a.id) GROUP BY ALL"),
    ask("count-big", "MATCH (a:Account) WHERE a.isBusiness RETURN a.id AS id, COUNT { (a)-[t:TRANSFER]->() WHERE t.amount > 5000 } AS n ORDER BY n DESC, id LIMIT 20",
        "SELECT a.id, count(t.source) n FROM Account a LEFT JOIN TRANSFER t ON t.source = a.id AND t.amount > 5000 WHERE a.isBusiness GROUP BY a.id ORDER BY n DESC, a.id LIMIT 20"),
    ask("chain-3", "MATCH p = (a:Account {id: $id})-[:TRANSFER*1..3]->(b:Account) WHERE all(r IN relationships(p) WHERE r.amount > 1000) RETURN length(p) AS n, count(*) AS k, count(DISTINCT b) AS d",
        CHAIN + "SELECT n, count(*), count(DISTINCT x) FROM p GROUP BY n", account),
    ask("reach-4", "MATCH (a:Account {id: $id})-[ts:TRANSFER*1..4]->(b:Account) WHERE all(t IN ts WHERE t.amount > 5000) RETURN count(DISTINCT b) AS n",
        "WITH RECURSIVE p(x, n) AS (SELECT target, 1 FROM TRANSFER WHERE source = $id AND amount > 5000 UNION SELECT t.target, n + 1 FROM p JOIN TRANSFER t ON t.source = p.x WHERE n < 4 AND t.amount > 5000) SELECT count(DISTINCT x) FROM p", account),
    ask("falling-chain", "MATCH p = (a:Account {id: $id})-[:TRANSFER*2..3]->(b:Account) WHERE all(i IN range(1, length(p) - 1) WHERE relationships(p)[i].booked > relationships(p)[i - 1].booked AND relationships(p)[i].amount < relationships(p)[i - 1].amount) RETURN length(p) AS n, count(*) AS k",
        "WITH RECURSIVE p(x, n, booked, amount) AS (SELECT target, 1, booked, amount FROM TRANSFER WHERE source = $id UNION ALL SELECT t.target, n + 1, t.booked, t.amount FROM p JOIN TRANSFER t ON t.source = p.x WHERE n < 3 AND t.booked > p.booked AND t.amount < p.amount) SELECT n, count(*) FROM p WHERE n > 1 GROUP BY n", account),
    ask("sum-of-chain", "MATCH p = (a:Account {id: $id})-[:TRANSFER*2]->(b:Account) WHERE reduce(s = 0.0, r IN relationships(p) | s + r.amount) > 5000 RETURN count(*) AS n, max(reduce(s = 0.0, r IN relationships(p) | s + r.amount)) AS x",
        "SELECT count(*), max(t.amount + u.amount) FROM TRANSFER t JOIN TRANSFER u ON u.source = t.target AND u.rowid <> t.rowid WHERE t.source = $id AND t.amount + u.amount > 5000", account),
    ask("shortest", "MATCH (a:Account {id: $id}), (b:Account {id: $other}), p = shortestPath((a)-[:TRANSFER*..6]->(b)) RETURN length(p) AS n",
        "WITH RECURSIVE p(x, n) USING KEY (x) AS (SELECT $id, 0 UNION SELECT t.target, p.n + 1 FROM p JOIN TRANSFER t ON t.source = p.x WHERE p.n < 6 AND NOT EXISTS (FROM recurring.p q WHERE q.x = t.target)) SELECT n FROM p WHERE x = $other",
        lambda drawn: {"id": drawn.median_account(), "other": drawn.median_account(1000)}),
    ask("hop-2-countries", "MATCH (a:Account {id: $id})-[t:TRANSFER]->()-[u:TRANSFER]->(c:Account) RETURN c.country AS k, count(*) AS n, sum(u.amount) AS s, avg(t.amount) AS m",
        "SELECT c.country, count(*), sum(u.amount), avg(t.amount) FROM TRANSFER t JOIN TRANSFER u ON u.source = t.target AND u.rowid <> t.rowid JOIN Account c ON c.id = u.target WHERE t.source = $id GROUP BY ALL", account),
    ask("two-hops-all", "MATCH (a:Account)-[t:TRANSFER]->(b:Account)-[u:TRANSFER]->(c:Account) WHERE a.country = 'KY' AND c.country = 'PA' RETURN count(*) AS n, sum(t.amount) AS s, sum(u.amount) AS v",
        "SELECT count(*), sum(t.amount), sum(u.amount) FROM TRANSFER t JOIN TRANSFER u ON u.source = t.target AND u.rowid <> t.rowid JOIN Account a ON a.id = t.source JOIN Account c ON c.id = u.target WHERE a.country = 'KY' AND c.country = 'PA'"),
    ask("reciprocal-volume", "MATCH (a:Account)-[t:TRANSFER]->(b:Account) WHERE a.id < b.id WITH a, b, sum(t.amount) AS there MATCH (b)-[u:TRANSFER]->(a) WITH a, b, there, sum(u.amount) AS back WHERE there > 10000 AND back > 10000 RETURN a.id AS a, b.id AS b, there, back",
        "SELECT x.source, x.target, x.s, y.s FROM (SELECT source, target, sum(amount) s FROM TRANSFER WHERE source < target GROUP BY ALL) x JOIN (SELECT source, target, sum(amount) s FROM TRANSFER GROUP BY ALL) y ON y.source = x.target AND y.target = x.source WHERE x.s > 10000 AND y.s > 10000"),
]
