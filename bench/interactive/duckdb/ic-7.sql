WITH latest AS (
  SELECT DISTINCT ON (l.personId) l.personId, l.creationDate AS likeTime, m.id, coalesce(content, imageFile) AS content, m.creationDate
  FROM Message m JOIN Likes l ON l.messageId = m.id WHERE m.creatorId = $personId
  ORDER BY l.personId, l.creationDate DESC, m.id)
SELECT p.id, firstName, lastName, likeTime, l.id, content, (epoch_ms(likeTime) - epoch_ms(l.creationDate)) // 60000,
       NOT EXISTS (FROM Knows WHERE person1Id = $personId AND person2Id = p.id)
FROM latest l JOIN Person p ON p.id = l.personId
ORDER BY likeTime DESC, p.id LIMIT 20
