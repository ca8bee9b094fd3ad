// BI 8, central person for a tag. Parameters: $tag, $startDate, $endDate.
// A person scores 100 for interest in the tag and 1 for each message with it in the interval. Each score is then given
// twice: to the person and to all friends; who has none of their own drops out.
MATCH (tag:Tag {name: $tag})
UNWIND [100, 1] AS points
OPTIONAL MATCH (tag)<-[:HAS_INTEREST]-(fan:Person)
WHERE points = 100
OPTIONAL MATCH (tag)<-[:HAS_TAG]-(message:Message)-[:HAS_CREATOR]->(author:Person)
WHERE points = 1
  AND message.creationDate > datetime({date: $startDate})
  AND message.creationDate < datetime({date: $endDate})
WITH points, coalesce(fan, author) AS person
WHERE person IS NOT NULL
WITH person, sum(points) AS score
UNWIND [true, false] AS own
OPTIONAL MATCH (person)-[:KNOWS]-(friend:Person)
WHERE NOT own
WITH CASE WHEN own THEN person ELSE friend END AS receiver,
     sum(CASE WHEN own THEN score ELSE 0 END) AS score,
     sum(CASE WHEN own THEN 0 ELSE score END) AS friendsScore
WHERE receiver IS NOT NULL AND score > 0
RETURN receiver.id AS personId, score, friendsScore
ORDER BY score + friendsScore DESC, personId
LIMIT 100
