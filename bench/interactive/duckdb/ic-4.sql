SELECT t.name, count(*) FILTER (m.creationDate >= $startDate) AS posts
FROM Knows JOIN Post m ON m.creatorId = person2Id JOIN MessageTag ON messageId = m.id JOIN Tag t ON t.id = tagId
WHERE person1Id = $personId AND m.creationDate < $endDate
GROUP BY t.id, t.name HAVING posts > 0 AND count(*) = posts
ORDER BY posts DESC, t.name LIMIT 10
