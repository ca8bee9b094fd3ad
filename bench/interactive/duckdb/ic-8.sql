SELECT p.id, firstName, lastName, c.creationDate, c.id, c.content
FROM Message m JOIN Comment c ON c.parentId = m.id JOIN Person p ON p.id = c.creatorId
WHERE m.creatorId = $personId
ORDER BY c.creationDate DESC, c.id LIMIT 20
