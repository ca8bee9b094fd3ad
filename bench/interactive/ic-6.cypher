// IC 6, tags beside a tag. Parameters: $personId, $tagName.
MATCH (person:Person {id: $personId})-[:KNOWS*1..2]-(friend:Person)
WHERE person <> friend
WITH DISTINCT friend
MATCH (friend)<-[:HAS_CREATOR]-(post:Post)-[:HAS_TAG]->(:Tag {name: $tagName}), (post)-[:HAS_TAG]->(tag:Tag)
WHERE tag.name <> $tagName
RETURN tag.name AS tagName, count(post) AS postCount
ORDER BY postCount DESC, tagName
LIMIT 10
