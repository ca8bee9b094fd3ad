"""Joins on values, DISTINCT and ORDER BY over floats and tuples, UNION."""

from everyday.query import Query


def ask(name, cypher, sql, parameters=None):
    return Query(f"values/{name}", cypher, sql, None, parameters)


QUERIES = [
    ask("same-email", "MATCH (a:Account), (b:Account) WHERE a.email = b.email AND a.id < b.id RETURN count(*) AS n", "SELECT count(*) FROM Account a JOIN Account b ON a.email = b.email AND a.id < b.id"),
    ask("same-name-country-opened", "MATCH (a:Account), (b:Account) WHERE a.name = b.name AND a.country = b.country AND a.opened = b.opened AND a.id < b.id RETURN count(*) AS n, sum(a.balance) AS s",
        "SELECT count(*), coalesce(sum(a.balance), 0) FROM Account a JOIN Account b ON a.name = b.name AND a.country = b.country AND a.opened = b.opened AND a.id < b.id"),
    ask("same-balance", "MATCH (a:Account), (b:Account) WHERE a.balance = b.balance AND a.id < b.id RETURN count(*) AS n", "SELECT count(*) FROM Account a JOIN Account b ON a.balance = b.balance AND a.id < b.id"),
    ask("same-risk-float", "MATCH (a:Account), (b:Account) WHERE a.risk = b.risk AND a.id < b.id RETURN count(*) AS n", "SELECT count(*) FROM Account a JOIN Account b ON a.risk = b.risk AND a.id < b.id"),
    ask("credit-equals-amount", "MATCH (a:Account)-[t:TRANSFER]->(b:Account) WHERE t.amount = b.credit RETURN count(*) AS n", "SELECT count(*) FROM TRANSFER t JOIN Account b ON b.id = t.target WHERE t.amount = b.credit"),
    ask("amount-equals-balance", "MATCH ()-[t:TRANSFER]->() WHERE t.amount > 3000 MATCH (c:Account) WHERE c.balance = t.amount RETURN count(*) AS n", "SELECT count(*) FROM TRANSFER t JOIN Account c ON c.balance = t.amount WHERE t.amount > 3000"),
    ask("self-join-groups", "MATCH (a:Account) WHERE a.email IS NOT NULL WITH a.email AS e, collect(a.id) AS ids, sum(a.balance) AS s WHERE size(ids) > 1 RETURN count(*) AS n, max(size(ids)) AS m, sum(s) AS b",
        "SELECT count(*), max(k), sum(s) FROM (SELECT count(*) k, sum(balance) s FROM Account WHERE email IS NOT NULL GROUP BY email) WHERE k > 1"),
    ask("distinct-amount-currency", "MATCH ()-[t:TRANSFER]->() WITH DISTINCT t.amount AS x, t.currency AS c RETURN count(*) AS n, sum(x) AS s", "SELECT count(*), sum(x) FROM (SELECT DISTINCT amount x, currency FROM TRANSFER)"),
    ask("distinct-float", "MATCH (a:Account) RETURN DISTINCT a.credit AS c", "SELECT DISTINCT credit FROM Account"),
    ask("sort-floats", "MATCH (a:Account) RETURN a.balance AS b, a.id AS id ORDER BY b DESC, id", "SELECT balance b, id FROM Account ORDER BY b DESC, id"),
    ask("sort-three", "MATCH (a:Account) WHERE a.isBusiness RETURN a.country AS c, a.credit AS k, a.balance AS b, a.id AS id ORDER BY c, k DESC, b, id",
        "SELECT country c, credit k, balance b, id FROM Account WHERE isBusiness ORDER BY c NULLS LAST, k DESC NULLS FIRST, b, id"),
    ask("sort-edges-page", "MATCH (a:Account)-[t:TRANSFER]->(b:Account) RETURN t.currency AS c, t.amount AS x, t.booked AS booked ORDER BY c, x DESC, booked SKIP 100000 LIMIT 50",
        "SELECT currency c, amount x, booked FROM TRANSFER ORDER BY c, x DESC, booked LIMIT 50 OFFSET 100000"),
    ask("sort-expression", "MATCH (a:Account) RETURN a.id AS id, a.balance * coalesce(a.risk, 0.5) AS e ORDER BY e DESC, id LIMIT 25", "SELECT id, balance * coalesce(risk, 0.5) e FROM Account ORDER BY e DESC, id LIMIT 25"),
    ask("union", "MATCH (a:Account) WHERE a.risk > 0.5 RETURN a.id AS id, a.country AS c UNION MATCH (a:Account) WHERE a.balance > 50000 RETURN a.id AS id, a.country AS c",
        "SELECT id, country FROM Account WHERE risk > 0.5 UNION SELECT id, country FROM Account WHERE balance > 50000"),
    ask("union-all-sum", "CALL () { MATCH (a:Account)-[t:TRANSFER]->() RETURN a.id AS id, -t.amount AS x UNION ALL MATCH (a:Account)<-[t:TRANSFER]-() RETURN a.id AS id, t.amount AS x } RETURN id, sum(x) AS s",
        "SELECT id, sum(x) FROM (SELECT source id, -amount x FROM TRANSFER UNION ALL SELECT target, amount FROM TRANSFER) GROUP BY id"),
    ask("balance-between", "MATCH (c:Company) WHERE c.revenue < 5000 MATCH (a:Account) WHERE a.balance >= c.revenue AND a.balance < c.revenue + 1 RETURN count(*) AS n",
        "SELECT count(*) FROM Company c JOIN Account a ON a.balance >= c.revenue AND a.balance < c.revenue + 1 WHERE c.revenue < 5000"),
    ask("same-day-same-amount", "MATCH ()-[t:TRANSFER]->() WITH date(t.booked) AS d, t.amount AS x, t.currency AS c, count(*) AS n WHERE n > 5 RETURN d, x, c, n", "SELECT booked::DATE, amount, currency, count(*) n FROM TRANSFER GROUP BY ALL HAVING n > 5"),
    ask("company-of-name", "MATCH (a:Account), (c:Company) WHERE split(a.name, ' ')[1] = split(c.name, ' ')[0] AND a.country = c.country AND a.risk > 0.5 AND c.listed RETURN count(*) AS n",
        "SELECT count(*) FROM Account a JOIN Company c ON split_part(a.name, ' ', 2) = split_part(c.name, ' ', 1) AND a.country = c.country WHERE a.risk > 0.5 AND c.listed"),
]
