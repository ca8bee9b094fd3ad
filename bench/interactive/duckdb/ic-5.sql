WITH friend AS (
  SELECT person2Id AS id FROM Knows WHERE person1Id = $personId
  UNION
  SELECT k.person2Id FROM Knows f JOIN Knows k ON k.person1Id = f.person2Id WHERE f.person1Id = $personId AND k.person2Id <> $personId)
SELECT f.title, f.id, count(m.id) AS posts
FROM friend JOIN HasMember h ON h.personId = friend.id JOIN Forum f ON f.id = h.forumId
LEFT JOIN Post m ON m.creatorId = friend.id AND m.forumId = f.id
WHERE h.creationDate > $minDate
GROUP BY f.id, f.title ORDER BY posts DESC, f.id LIMIT 20
