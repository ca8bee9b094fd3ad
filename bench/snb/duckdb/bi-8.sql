WITH part AS (
    SELECT i.PersonId AS id, 100 AS score FROM Tag t JOIN Person_hasInterest_Tag i ON i.TagId = t.id WHERE t.name = $tag
  UNION ALL
    SELECT m.creatorId, 1 FROM Tag t JOIN Message_hasTag_Tag h ON h.TagId = t.id JOIN Message m ON m.id = h.MessageId
    WHERE t.name = $tag AND m.creationDate > $startDate AND m.creationDate < $endDate),
score AS (SELECT id, sum(score)::BIGINT AS score FROM part GROUP BY id)
SELECT p.id, p.score, coalesce(sum(f.score), 0)::BIGINT AS friends
FROM score p LEFT JOIN Knows k ON k.Person1Id = p.id LEFT JOIN score f ON f.id = k.Person2Id
GROUP BY p.id, p.score ORDER BY p.score + friends DESC, p.id LIMIT 100
