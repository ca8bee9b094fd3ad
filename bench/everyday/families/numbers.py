"""Functions of numbers and Booleans in filters, projections and grouping keys."""

from everyday.query import LEFT_OUT, Query

QUERIES = [
    Query("numbers/modulo-filter",
          "MATCH (m:Message) WHERE m.length % 7 = 3 RETURN count(*) AS n",
          "SELECT count(*) FROM Message WHERE length % 7 = 3"),
    Query("numbers/bucket-key",
          "MATCH (m:Message) RETURN m.length / 10 AS bucket, count(*) AS n ORDER BY bucket",
          "SELECT length // 10 AS bucket, count(*) FROM Message GROUP BY bucket ORDER BY bucket"),
    Query("numbers/float-projection",
          "MATCH (f:Forum) RETURN f.id AS id, sqrt(toFloat(f.id)) + 1.5 AS root",
          "SELECT id, sqrt(id::DOUBLE) + 1.5 FROM Forum"),
    Query("numbers/average-sum",
          "MATCH (m:Comment) RETURN m.browserUsed AS browser, avg(m.length) AS average, sum(m.length) AS total, min(m.length) AS least, max(m.length) AS most",
          "SELECT browserUsed, avg(length), sum(length), min(length), max(length) FROM Comment GROUP BY ALL"),
]
