"""Dates and instants: components, truncation, ranges, durations."""

from everyday.query import LEFT_OUT, Query

QUERIES = [
    Query("dates/year-key",
          "MATCH (m:Message) RETURN m.creationDate.year AS year, count(*) AS n ORDER BY year",
          "SELECT year(creationDate) AS y, count(*) FROM Message GROUP BY y ORDER BY y"),
    Query("dates/year-month-key",
          "MATCH (m:Message) RETURN m.creationDate.year AS year, m.creationDate.month AS month, count(*) AS n ORDER BY year, month",
          "SELECT year(creationDate) AS y, month(creationDate) AS m, count(*) FROM Message GROUP BY y, m ORDER BY y, m"),
    Query("dates/truncate-month-key",
          "MATCH (m:Comment) RETURN datetime.truncate('month', m.creationDate) AS month, count(*) AS n ORDER BY month",
          "SELECT date_trunc('month', creationDate) AS m, count(*) FROM Comment GROUP BY m ORDER BY m"),
    Query("dates/range",
          "MATCH (m:Message) WHERE m.creationDate >= datetime('2011-06-01T00:00:00Z') AND m.creationDate < datetime('2011-07-01T00:00:00Z') RETURN count(*) AS n",
          "SELECT count(*) FROM Message WHERE creationDate >= '2011-06-01' AND creationDate < '2011-07-01'"),
    Query("dates/birthday-month-filter",
          "MATCH (p:Person) WHERE p.birthday.month = 2 AND p.birthday.day = 29 RETURN p.id AS id, p.birthday AS birthday",
          "SELECT id, birthday FROM Person WHERE month(birthday) = 2 AND day(birthday) = 29"),
]
