SELECT c.id, c.content, c.creationDate, p.id, firstName, lastName,
       EXISTS (FROM Knows WHERE person1Id = m.creatorId AND person2Id = p.id)
FROM Message m JOIN Comment c ON c.parentId = m.id JOIN Person p ON p.id = c.creatorId
WHERE m.id = $messageId ORDER BY c.creationDate DESC, p.id, c.id
