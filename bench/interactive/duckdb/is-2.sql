SELECT m.id, coalesce(m.content, m.imageFile), m.creationDate, r.id, p.id, firstName, lastName
FROM (FROM Message WHERE creatorId = $personId ORDER BY creationDate DESC, id DESC LIMIT 10) m
JOIN Message r ON r.id = m.rootId JOIN Person p ON p.id = r.creatorId
ORDER BY m.creationDate DESC, m.id DESC
