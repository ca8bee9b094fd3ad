"""Time: windows, keys by hour, day, week and month, gaps between transfers, running totals by list functions."""

from everyday.query import Query

T = "MATCH ()-[t:TRANSFER]->() "
WEEK = {"from": "2024-05-01T00:00:00", "to": "2024-05-08T00:00:00"}


def ask(name, cypher, sql, parameters=None):
    return Query(f"windows/{name}", cypher, sql, None, parameters)


QUERIES = [
    ask("week", T + "WHERE t.booked >= localdatetime('2024-05-01T00:00:00') AND t.booked < localdatetime('2024-05-01T00:00:00') + duration('P7D') RETURN count(*) AS n, sum(t.amount) AS s",
        "SELECT count(*), sum(amount) FROM TRANSFER WHERE booked >= TIMESTAMP '2024-05-01' AND booked < TIMESTAMP '2024-05-01' + INTERVAL 7 DAY"),
    ask("by-month", T + "RETURN t.booked.year AS y, t.booked.month AS m, count(*) AS n, sum(t.amount) AS s",
        "SELECT year(booked), month(booked), count(*), sum(amount) FROM TRANSFER GROUP BY ALL"),
    ask("by-hour", T + "RETURN t.booked.hour AS h, count(*) AS n, avg(t.amount) AS a", "SELECT hour(booked), count(*), avg(amount) FROM TRANSFER GROUP BY ALL"),
    ask("by-weekday-hour", T + "RETURN t.booked.dayOfWeek AS d, t.booked.hour AS h, count(*) AS n, sum(t.fee) AS f",
        "SELECT isodow(booked), hour(booked), count(*), sum(fee) FROM TRANSFER GROUP BY ALL"),
    ask("by-day", T + "RETURN date(t.booked) AS d, count(*) AS n, sum(t.amount) AS s", "SELECT booked::DATE, count(*), sum(amount) FROM TRANSFER GROUP BY ALL"),
    ask("by-day-truncated", T + "RETURN date.truncate('day', t.booked) AS d, max(t.amount) AS x", "SELECT date_trunc('day', booked)::DATE, max(amount) FROM TRANSFER GROUP BY ALL"),
    ask("by-week", T + "RETURN date.truncate('week', t.booked) AS w, t.currency AS c, sum(t.amount) AS s",
        "SELECT date_trunc('week', booked)::DATE, currency, sum(amount) FROM TRANSFER GROUP BY ALL"),
    ask("by-hour-truncated", T + "RETURN localdatetime.truncate('hour', t.booked) AS h, count(*) AS n, sum(t.amount) AS s",
        "SELECT date_trunc('hour', booked), count(*), sum(amount) FROM TRANSFER GROUP BY ALL"),
    ask("account-day", "MATCH (a:Account)-[t:TRANSFER]->() WITH a, date(t.booked) AS d, sum(t.amount) AS s, count(*) AS n WHERE n >= 10 RETURN a.id AS id, d, s, n ORDER BY s DESC, id, d LIMIT 20",
        "SELECT source id, booked::DATE d, sum(amount) s, count(*) n FROM TRANSFER GROUP BY source, d HAVING n >= 10 ORDER BY s DESC, id, d LIMIT 20"),
    ask("accounts-month", "MATCH (a:Account)-[t:TRANSFER]->() RETURN t.booked.month AS m, count(DISTINCT a) AS n",
        "SELECT month(booked), count(DISTINCT source) FROM TRANSFER GROUP BY ALL"),
    ask("first-last", "MATCH (a:Account)-[t:TRANSFER]->() RETURN a.id AS id, min(t.booked) AS f, max(t.booked) AS l",
        "SELECT source, min(booked), max(booked) FROM TRANSFER GROUP BY ALL"),
    ask("active-span", "MATCH (a:Account)-[t:TRANSFER]->() WITH a, min(t.booked) AS f, max(t.booked) AS l RETURN count(*) AS n, avg(duration.inSeconds(f, l).seconds) AS s",
        "SELECT count(*), avg(trunc(epoch(l - f))) FROM (SELECT min(booked) f, max(booked) l FROM TRANSFER GROUP BY source)"),
    ask("night-big", T + "WHERE t.booked.hour < 5 AND t.amount > 10000 RETURN t.booked AS booked, t.amount AS x ORDER BY x DESC, booked LIMIT 25",
        "SELECT booked, amount x FROM TRANSFER WHERE hour(booked) < 5 AND amount > 10000 ORDER BY x DESC, booked LIMIT 25"),
    ask("gaps", "MATCH (a:Account)-[t:TRANSFER]->() WITH a, t ORDER BY t.booked WITH a, collect(t.booked) AS times WHERE size(times) > 20 "
        "RETURN a.id AS id, reduce(m = 1000000000, i IN range(1, size(times) - 1) | CASE WHEN duration.inSeconds(times[i - 1], times[i]).seconds < m THEN duration.inSeconds(times[i - 1], times[i]).seconds ELSE m END) AS shortest",
        "SELECT source, min(g) FROM (SELECT source, trunc(epoch(booked - lag(booked) OVER (PARTITION BY source ORDER BY booked)))::BIGINT g, count(*) OVER (PARTITION BY source) n FROM TRANSFER) WHERE n > 20 GROUP BY source"),
    ask("running-total", "MATCH (a:Account {id: $id})-[t:TRANSFER]->() WITH t ORDER BY t.booked WITH collect(t.amount) AS xs UNWIND range(0, size(xs) - 1) AS i RETURN i, reduce(s = 0.0, x IN xs[0..i + 1] | s + x) AS total",
        "SELECT row_number() OVER (ORDER BY booked) - 1, sum(amount) OVER (ORDER BY booked) FROM TRANSFER WHERE source = $id",
        lambda drawn: {"id": drawn.median_account()}),
    ask("follow-within-hour", "MATCH (a:Account)-[t:TRANSFER]->(b:Account)-[u:TRANSFER]->(c:Account) WHERE u.booked > t.booked AND u.booked < t.booked + duration('PT1H') AND t.amount > 2000 AND u.amount > 2000 RETURN count(*) AS n",
        "SELECT count(*) FROM TRANSFER t JOIN TRANSFER u ON u.source = t.target WHERE u.booked > t.booked AND u.booked < t.booked + INTERVAL 1 HOUR AND t.amount > 2000 AND u.amount > 2000"),
    ask("pass-through", "MATCH (a:Account)-[t:TRANSFER]->(b:Account)-[u:TRANSFER]->(c:Account) WHERE t.amount > 5000 AND u.booked >= t.booked AND u.booked <= t.booked + duration({days: 2}) AND u.amount >= t.amount * 0.9 AND u.amount <= t.amount RETURN a.id AS a, b.id AS b, c.id AS c, t.amount AS x, u.amount AS y ORDER BY x DESC, y, a, b, c LIMIT 50",
        "SELECT t.source a, t.target b, u.target c, t.amount x, u.amount y FROM TRANSFER t JOIN TRANSFER u ON u.source = t.target WHERE t.amount > 5000 AND u.booked >= t.booked AND u.booked <= t.booked + INTERVAL 2 DAY AND u.amount >= t.amount * 0.9 AND u.amount <= t.amount AND t.rowid <> u.rowid ORDER BY x DESC, y, a, b, c LIMIT 50"),
    ask("parameters", T + "WHERE t.booked >= localdatetime($from) AND t.booked < localdatetime($to) RETURN t.channel AS c, count(*) AS n, sum(t.amount) AS s",
        "SELECT channel, count(*), sum(amount) FROM TRANSFER WHERE booked >= $from::TIMESTAMP AND booked < $to::TIMESTAMP GROUP BY ALL", WEEK),
    ask("opened-year", "MATCH (a:Account) RETURN a.opened.year AS y, count(*) AS n, avg(a.balance) AS b", "SELECT year(opened), count(*), avg(balance) FROM Account GROUP BY ALL"),
    ask("age-days", "MATCH (a:Account)-[t:TRANSFER]->() WHERE date(t.booked) < a.opened + duration('P30D') AND date(t.booked) >= a.opened RETURN count(*) AS n, sum(t.amount) AS s",
        "SELECT count(*), coalesce(sum(t.amount), 0) FROM TRANSFER t JOIN Account a ON a.id = t.source WHERE t.booked::DATE < a.opened + INTERVAL 30 DAY AND t.booked::DATE >= a.opened"),
    ask("session-length", "MATCH ()-[u:USED]->(d:Device) RETURN d.kind AS k, count(u.last) AS n, avg(duration.inSeconds(u.first, u.last).seconds) AS s",
        "SELECT d.kind, count(u.last), avg(trunc(epoch(u.last - u.first))) FROM USED u JOIN Device d ON d.id = u.target GROUP BY ALL"),
    ask("used-month", "MATCH ()-[u:USED]->() RETURN u.first.year AS y, u.first.month AS m, count(*) AS n", "SELECT year(first), month(first), count(*) FROM USED GROUP BY ALL"),
]
