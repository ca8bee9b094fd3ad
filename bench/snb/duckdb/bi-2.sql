WITH counts AS (
  SELECT t.id AS tagId, count(m.id) FILTER (m.creationDate < $date + INTERVAL 100 DAY) AS n1,
         count(m.id) FILTER (m.creationDate >= $date + INTERVAL 100 DAY) AS n2
  FROM TagClass c JOIN Tag t ON t.TypeTagClassId = c.id
  JOIN Message_hasTag_Tag h ON h.TagId = t.id
  JOIN Message m ON m.id = h.MessageId AND m.creationDate >= $date AND m.creationDate < $date + INTERVAL 200 DAY
  WHERE c.name = $tagClass GROUP BY t.id)
SELECT t.name, coalesce(n1, 0) AS a, coalesce(n2, 0) AS b, abs(coalesce(n1, 0) - coalesce(n2, 0)) AS diff
FROM TagClass c JOIN Tag t ON t.TypeTagClassId = c.id LEFT JOIN counts ON counts.tagId = t.id
WHERE c.name = $tagClass ORDER BY diff DESC, t.name LIMIT 100
