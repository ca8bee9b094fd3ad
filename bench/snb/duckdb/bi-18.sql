WITH fan AS (SELECT i.PersonId AS id FROM Tag t JOIN Person_hasInterest_Tag i ON i.TagId = t.id WHERE t.name = $tag)
SELECT a.id, b.id, count(*) AS mutual
FROM fan a JOIN Knows k ON k.Person1Id = a.id JOIN Knows l ON l.Person1Id = k.Person2Id JOIN fan b ON b.id = l.Person2Id
WHERE a.id <> b.id AND NOT EXISTS (SELECT 1 FROM Knows x WHERE x.Person1Id = a.id AND x.Person2Id = b.id)
GROUP BY a.id, b.id ORDER BY mutual DESC, a.id, b.id LIMIT 20
