WITH mA AS (
  SELECT m.creatorId AS person, count(*) AS n FROM Tag t JOIN Message_hasTag_Tag h ON h.TagId = t.id JOIN Message m ON m.id = h.MessageId
  WHERE t.name = $tagA AND m.creationDate >= $dateA AND m.creationDate < $dateA + INTERVAL 1 DAY GROUP BY m.creatorId),
mB AS (
  SELECT m.creatorId AS person, count(*) AS n FROM Tag t JOIN Message_hasTag_Tag h ON h.TagId = t.id JOIN Message m ON m.id = h.MessageId
  WHERE t.name = $tagB AND m.creationDate >= $dateB AND m.creationDate < $dateB + INTERVAL 1 DAY GROUP BY m.creatorId),
a AS (SELECT p.person, p.n FROM mA p LEFT JOIN (Knows k JOIN mA q ON q.person = k.Person2Id) ON k.Person1Id = p.person
      GROUP BY p.person, p.n HAVING count(k.Person2Id) <= $maxKnowsLimit),
b AS (SELECT p.person, p.n FROM mB p LEFT JOIN (Knows k JOIN mB q ON q.person = k.Person2Id) ON k.Person1Id = p.person
      GROUP BY p.person, p.n HAVING count(k.Person2Id) <= $maxKnowsLimit)
SELECT person, a.n, b.n FROM a JOIN b USING (person) ORDER BY a.n + b.n DESC, person LIMIT 20
