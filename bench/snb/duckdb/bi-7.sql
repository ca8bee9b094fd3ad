WITH tagged AS (SELECT h.MessageId AS id FROM Tag t JOIN Message_hasTag_Tag h ON h.TagId = t.id WHERE t.name = $tag)
SELECT r.name, count(*) AS n
FROM tagged p JOIN Message c ON c.parentId = p.id AND c.id NOT IN (SELECT id FROM tagged)
JOIN Message_hasTag_Tag h ON h.MessageId = c.id JOIN Tag r ON r.id = h.TagId
GROUP BY r.name ORDER BY n DESC, r.name LIMIT 100
