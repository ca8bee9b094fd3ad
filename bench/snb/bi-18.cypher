// BI 18, friend recommendation. Parameter: $tag.
MATCH (tag:Tag {name: $tag})<-[:HAS_INTEREST]-(person1:Person)-[:KNOWS]-(mutual:Person)-[:KNOWS]-(person2:Person)-[:HAS_INTEREST]->(tag)
WHERE person1 <> person2
WITH person1, person2, count(mutual) AS mutualFriendCount
WHERE NOT (person1)-[:KNOWS]-(person2)
RETURN person1.id AS person1Id, person2.id AS person2Id, mutualFriendCount
ORDER BY mutualFriendCount DESC, person1Id, person2Id
LIMIT 20
