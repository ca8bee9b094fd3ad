// BI 6, most authoritative users on a topic. Parameter: $tag.
// An author's score: over everyone who liked a message of theirs with the tag, the likes those persons have received.
MATCH (:Tag {name: $tag})<-[:HAS_TAG]-(message1:Message)-[:HAS_CREATOR]->(person1:Person)
OPTIONAL MATCH (message1)<-[:LIKES]-(person2:Person)
WITH DISTINCT person1, person2
OPTIONAL MATCH (person2)<-[:HAS_CREATOR]-(:Message)<-[like:LIKES]-(:Person)
WITH person1, count(like) AS authorityScore
RETURN person1.id AS personId, authorityScore
ORDER BY authorityScore DESC, personId
LIMIT 100
