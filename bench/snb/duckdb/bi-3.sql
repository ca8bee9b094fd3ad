SELECT f.id, f.title, f.creationDate, f.ModeratorPersonId, count(DISTINCT m.id) AS n
FROM TagClass c JOIN Tag t ON t.TypeTagClassId = c.id
JOIN Message_hasTag_Tag h ON h.TagId = t.id
JOIN Message m ON m.id = h.MessageId
JOIN Forum f ON f.id = m.forumId
JOIN PersonCountry p ON p.personId = f.ModeratorPersonId
WHERE c.name = $tagClass AND p.country = $country
GROUP BY ALL ORDER BY n DESC, f.id LIMIT 20
