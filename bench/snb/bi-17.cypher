// BI 17, information propagation. Parameters: $tag, $delta.
// First the few answered messages (message2), then the forums both persons share, then the earlier messages there.
MATCH (tag:Tag {name: $tag})<-[:HAS_TAG]-(message2:Message)<-[:REPLY_OF]-(comment:Comment)-[:HAS_TAG]->(tag)
MATCH (message2)-[:HAS_CREATOR]->(person3:Person)
MATCH (comment)-[:HAS_CREATOR]->(person2:Person)
WHERE person2 <> person3
MATCH (message2)-[:REPLY_OF*0..]->(:Post)<-[:CONTAINER_OF]-(forum2:Forum)
WITH DISTINCT tag, message2, forum2, person2, person3
MATCH (person2)<-[:HAS_MEMBER]-(forum1:Forum)-[:HAS_MEMBER]->(person3)
WHERE forum1 <> forum2
WITH DISTINCT message2, forum2, forum1
MATCH (:Tag {name: $tag})<-[:HAS_TAG]-(message1:Message)-[:REPLY_OF*0..]->(:Post)<-[:CONTAINER_OF]-(forum1)
WHERE message2.creationDate > message1.creationDate + duration({hours: $delta})
MATCH (message1)-[:HAS_CREATOR]->(person1:Person)
WHERE NOT (forum2)-[:HAS_MEMBER]->(person1)
WITH person1, count(DISTINCT message2) AS messageCount
RETURN person1.id AS personId, messageCount
ORDER BY messageCount DESC, personId
LIMIT 10
