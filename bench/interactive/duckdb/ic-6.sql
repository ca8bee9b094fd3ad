WITH friend AS (
  SELECT person2Id AS id FROM Knows WHERE person1Id = $personId
  UNION
  SELECT k.person2Id FROM Knows f JOIN Knows k ON k.person1Id = f.person2Id WHERE f.person1Id = $personId AND k.person2Id <> $personId)
SELECT t.name, count(*) AS posts
FROM Tag g JOIN MessageTag a ON a.tagId = g.id JOIN Post m ON m.id = a.messageId JOIN friend ON friend.id = m.creatorId
JOIN MessageTag b ON b.messageId = m.id AND b.tagId <> a.tagId JOIN Tag t ON t.id = b.tagId
WHERE g.name = $tagName
GROUP BY t.name ORDER BY posts DESC, t.name LIMIT 10
