// IC 4, new topics. Parameters: $personId, $startDate, $endDate.
MATCH (:Person {id: $personId})-[:KNOWS]-(:Person)<-[:HAS_CREATOR]-(post:Post)-[:HAS_TAG]->(tag:Tag)
WHERE post.creationDate < $endDate
WITH tag,
     sum(CASE WHEN post.creationDate >= $startDate THEN 1 ELSE 0 END) AS postCount,
     sum(CASE WHEN post.creationDate < $startDate THEN 1 ELSE 0 END) AS before
WHERE postCount > 0 AND before = 0
RETURN tag.name AS tagName, postCount
ORDER BY postCount DESC, tagName
LIMIT 10
