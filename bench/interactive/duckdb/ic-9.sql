WITH friend AS (
  SELECT person2Id AS id FROM Knows WHERE person1Id = $personId
  UNION
  SELECT k.person2Id FROM Knows f JOIN Knows k ON k.person1Id = f.person2Id WHERE f.person1Id = $personId AND k.person2Id <> $personId)
SELECT p.id, firstName, lastName, m.id, coalesce(content, imageFile), m.creationDate
FROM friend JOIN Person p ON p.id = friend.id JOIN Message m ON m.creatorId = p.id
WHERE m.creationDate < $maxDate
ORDER BY m.creationDate DESC, m.id LIMIT 20
