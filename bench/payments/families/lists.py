"""Lists of texts: contained, unwound, counted, intersected; texts: memos searched, addresses split."""

from everyday.query import Query


def ask(name, cypher, sql, parameters=None):
    return Query(f"lists/{name}", cypher, sql, None, parameters)


T = "MATCH ()-[t:TRANSFER]->() "

QUERIES = [
    ask("has-tag", "MATCH (a:Account) WHERE 'vip' IN a.tags RETURN count(*) AS n, avg(a.balance) AS b", "SELECT count(*), avg(balance) FROM Account WHERE list_contains(tags, 'vip')"),
    ask("has-any", "MATCH (a:Account) WHERE any(t IN a.tags WHERE t IN ['pep', 'sanctioned']) RETURN a.country AS c, count(*) AS n",
        "SELECT country, count(*) FROM Account WHERE list_has_any(tags, ['pep', 'sanctioned']) GROUP BY ALL"),
    ask("has-all", "MATCH (a:Account) WHERE all(t IN ['vip', 'new'] WHERE t IN a.tags) RETURN count(*) AS n", "SELECT count(*) FROM Account WHERE list_has_all(tags, ['vip', 'new'])"),
    ask("size", "MATCH (a:Account) RETURN size(a.tags) AS s, count(*) AS n, avg(a.risk) AS r", "SELECT len(tags), count(*), avg(risk) FROM Account GROUP BY ALL"),
    ask("unwind", "MATCH (a:Account) UNWIND a.tags AS t RETURN t, count(*) AS n, sum(a.balance) AS b", "SELECT t, count(*), sum(balance) FROM (SELECT unnest(tags) t, balance FROM Account) GROUP BY t"),
    ask("tag-pairs", "MATCH (a:Account) UNWIND a.tags AS x UNWIND a.tags AS y WITH x, y WHERE x < y RETURN x, y, count(*) AS n",
        "SELECT x, y, count(*) FROM (SELECT unnest(tags) x, tags FROM Account), unnest(tags) u(y) WHERE x < y GROUP BY ALL"),
    ask("intersection", "MATCH (a:Account)-[t:TRANSFER]->(b:Account) WHERE t.amount > 1000 AND size([x IN a.tags WHERE x IN b.tags]) >= 2 RETURN count(*) AS n, sum(t.amount) AS s",
        "SELECT count(*), sum(t.amount) FROM TRANSFER t JOIN Account a ON a.id = t.source JOIN Account b ON b.id = t.target WHERE t.amount > 1000 AND len(list_intersect(a.tags, b.tags)) >= 2"),
    ask("tags-key", "MATCH (a:Account) RETURN a.tags AS t, count(*) AS n ORDER BY n DESC, t LIMIT 10", "SELECT tags t, count(*) n FROM Account GROUP BY t ORDER BY n DESC, t LIMIT 10"),
    ask("first-tag", "MATCH (a:Account) RETURN a.tags[0] AS t, count(*) AS n", "SELECT tags[1], count(*) FROM Account GROUP BY ALL"),
    ask("tags-equal", "MATCH (a:Account) WHERE a.tags = ['vip'] RETURN count(*) AS n", "SELECT count(*) FROM Account WHERE tags = ['vip']"),
    ask("collect-currencies", "MATCH (a:Account)-[t:TRANSFER]->() WITH a, collect(DISTINCT t.currency) AS c WHERE size(c) = 5 RETURN count(*) AS n",
        "SELECT count(*) FROM (SELECT count(DISTINCT currency) c FROM TRANSFER GROUP BY source) WHERE c = 5"),
    ask("collect-amounts", "MATCH (a:Account)-[t:TRANSFER]->() WITH a, collect(t.amount) AS xs RETURN sum(size(xs)) AS n, max(reduce(s = 0.0, x IN xs | s + x)) AS m",
        "SELECT sum(len(xs)), max(list_sum(xs)) FROM (SELECT list(amount) xs FROM TRANSFER GROUP BY source)"),
    ask("big-of-collected", "MATCH (a:Account)-[t:TRANSFER]->() WITH a, [x IN collect(t.amount) WHERE x > 1000] AS xs WHERE size(xs) > 3 RETURN count(*) AS n, sum(size(xs)) AS s",
        "SELECT count(*), sum(len(xs)) FROM (SELECT list_filter(list(amount), lambda x: x > 1000) xs FROM TRANSFER GROUP BY source) WHERE len(xs) > 3"),
    ask("memo-contains", T + "WHERE t.memo CONTAINS 'consulting' RETURN count(*) AS n, sum(t.amount) AS s", "SELECT count(*), sum(amount) FROM TRANSFER WHERE contains(memo, 'consulting')"),
    ask("memo-starts", T + "WHERE t.memo STARTS WITH 'rent ' AND t.memo ENDS WITH 'car' RETURN count(*) AS n", "SELECT count(*) FROM TRANSFER WHERE starts_with(memo, 'rent ') AND ends_with(memo, 'car')"),
    ask("memo-or", T + "WHERE t.memo CONTAINS 'loan' OR t.memo CONTAINS '999' RETURN count(*) AS n", "SELECT count(*) FROM TRANSFER WHERE contains(memo, 'loan') OR contains(memo, '999')"),
    ask("memo-regex", T + "WHERE t.memo =~ '.*tax [0-9]*7 .*' RETURN count(*) AS n", "SELECT count(*) FROM TRANSFER WHERE regexp_full_match(memo, '.*tax [0-9]*7 .*')"),
    ask("memo-lower", T + "WHERE toUpper(t.memo) CONTAINS 'GIFT' RETURN count(*) AS n", "SELECT count(*) FROM TRANSFER WHERE contains(upper(memo), 'GIFT')"),
    ask("memo-first-word", T + "WHERE t.memo IS NOT NULL RETURN split(t.memo, ' ')[0] AS w, count(*) AS n, avg(t.amount) AS a", "SELECT split_part(memo, ' ', 1), count(*), avg(amount) FROM TRANSFER WHERE memo IS NOT NULL GROUP BY ALL"),
    ask("memo-number", T + "WHERE t.memo IS NOT NULL AND toInteger(split(t.memo, ' ')[1]) < 1000 RETURN count(*) AS n", "SELECT count(*) FROM TRANSFER WHERE memo IS NOT NULL AND split_part(memo, ' ', 2)::BIGINT < 1000"),
    ask("memo-length", T + "RETURN size(t.memo) AS l, count(*) AS n", "SELECT len(memo), count(*) FROM TRANSFER GROUP BY ALL"),
    ask("memo-distinct", T + "RETURN count(DISTINCT t.memo) AS n", "SELECT count(DISTINCT memo) FROM TRANSFER"),
    ask("memo-repeated", T + "WHERE t.memo IS NOT NULL WITH t.memo AS m, count(*) AS n WHERE n > 1 RETURN n, count(*) AS k", "SELECT n, count(*) FROM (SELECT count(*) n FROM TRANSFER WHERE memo IS NOT NULL GROUP BY memo) WHERE n > 1 GROUP BY n"),
    ask("domains", "MATCH (a:Account) WHERE a.email IS NOT NULL RETURN split(a.email, '@')[1] AS d, count(*) AS n, avg(a.balance) AS b", "SELECT split_part(email, '@', 2), count(*), avg(balance) FROM Account WHERE email IS NOT NULL GROUP BY ALL"),
    ask("domain-flows", "MATCH (a:Account)-[t:TRANSFER]->(b:Account) WHERE a.email IS NOT NULL AND b.email IS NOT NULL RETURN split(a.email, '@')[1] AS f, split(b.email, '@')[1] AS g, sum(t.amount) AS s",
        "SELECT split_part(a.email, '@', 2), split_part(b.email, '@', 2), sum(t.amount) FROM TRANSFER t JOIN Account a ON a.id = t.source JOIN Account b ON b.id = t.target WHERE a.email IS NOT NULL AND b.email IS NOT NULL GROUP BY ALL"),
    ask("last-names", "MATCH (a:Account) RETURN split(a.name, ' ')[-1] AS l, count(*) AS n", "SELECT split(name, ' ')[-1], count(*) FROM Account GROUP BY ALL"),
    ask("amount-as-text", T + "WHERE toString(t.amount) ENDS WITH '.99' RETURN count(*) AS n", "SELECT count(*) FROM TRANSFER WHERE ends_with(amount::VARCHAR, '.99')"),
]
