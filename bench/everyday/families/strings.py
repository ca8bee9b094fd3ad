"""Functions of strings in filters, projections and grouping keys."""

from everyday.query import LEFT_OUT, Query

QUERIES = [
    Query("strings/upper-filter",
          "MATCH (p:Person) WHERE toUpper(p.firstName) = 'ANJALI' RETURN count(*) AS n",
          "SELECT count(*) FROM Person WHERE upper(firstName) = 'ANJALI'",
          "MATCH (p:Person) WHERE upper(p.firstName) = 'ANJALI' RETURN count(*) AS n"),
    Query("strings/length-filter",
          "MATCH (m:Comment) WHERE size(m.content) > 100 RETURN count(*) AS n",
          "SELECT count(*) FROM Comment WHERE length(content) > 100"),
    Query("strings/concatenate-projection",
          "MATCH (p:Person) RETURN p.id AS id, p.firstName + ' ' + p.lastName AS name",
          "SELECT id, firstName || ' ' || lastName FROM Person"),
    Query("strings/first-letter-key",
          "MATCH (p:Person) RETURN left(p.lastName, 1) AS letter, count(*) AS n ORDER BY n DESC, letter",
          "SELECT left(lastName, 1) AS letter, count(*) AS n FROM Person GROUP BY letter ORDER BY n DESC, letter"),
    Query("strings/split-domain-key",
          "MATCH (p:Person) UNWIND p.email AS mail RETURN split(mail, '@')[1] AS domain, count(*) AS n",
          "SELECT split_part(mail, '@', 2), count(*) FROM (SELECT unnest(email) AS mail FROM Person) GROUP BY 1",
          "MATCH (p:Person) UNWIND p.email AS mail RETURN string_split(mail, '@')[2] AS domain, count(*) AS n"),
    Query("strings/replace-projection",
          "MATCH (t:Tag) RETURN t.id AS id, replace(t.name, '_', ' ') AS name",
          "SELECT id, replace(name, '_', ' ') FROM Tag",
          "MATCH (t:Tag) RETURN t.id AS id, regexp_replace(t.name, '_', ' ', 'g') AS name"),
]
