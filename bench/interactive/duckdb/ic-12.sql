WITH RECURSIVE below(id) AS (
    SELECT id FROM TagClass WHERE name = $tagClass
  UNION ALL
    SELECT c.id FROM below JOIN TagClass c ON c.parentId = below.id)
SELECT p.id, firstName, lastName, list(DISTINCT t.name ORDER BY t.name), count(DISTINCT c.id) AS replies
FROM Knows JOIN Person p ON p.id = person2Id JOIN Comment c ON c.creatorId = p.id JOIN Post m ON m.id = c.parentId
JOIN MessageTag ON messageId = m.id JOIN Tag t ON t.id = tagId JOIN below ON below.id = t.classId
WHERE person1Id = $personId
GROUP BY p.id, firstName, lastName ORDER BY replies DESC, p.id LIMIT 20
