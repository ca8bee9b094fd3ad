SELECT p.id, firstName, lastName, m.id, coalesce(content, imageFile), m.creationDate
FROM Knows JOIN Person p ON p.id = person2Id JOIN Message m ON m.creatorId = p.id
WHERE person1Id = $personId AND m.creationDate <= $maxDate
ORDER BY m.creationDate DESC, m.id LIMIT 20
