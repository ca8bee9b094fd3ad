WITH root AS (SELECT id, creatorId FROM Message WHERE NOT isComment AND creationDate BETWEEN $startDate AND $endDate),
per AS (SELECT r.creatorId AS id, count(DISTINCT r.id) AS threads, count(*) AS messages
        FROM root r JOIN Message m ON m.rootId = r.id AND m.creationDate BETWEEN $startDate AND $endDate GROUP BY r.creatorId)
SELECT p.id, p.firstName, p.lastName, coalesce(threads, 0), coalesce(messages, 0) AS n
FROM Person p LEFT JOIN per USING (id) ORDER BY n DESC, p.id LIMIT 100
