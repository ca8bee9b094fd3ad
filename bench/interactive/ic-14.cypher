// IC 14 (first version), trusted connection paths. Parameters: $person1Id, $person2Id.
// Replies between neighbours of a path weigh 1 to a post and 0.5 to a comment. Equal weights are ordered by the ids.
MATCH path = allShortestPaths((:Person {id: $person1Id})-[:KNOWS*]-(:Person {id: $person2Id}))
UNWIND relationships(path) AS knows
WITH path, startNode(knows) AS one, endNode(knows) AS other
OPTIONAL MATCH (one)<-[:HAS_CREATOR]-(:Comment)-[:REPLY_OF]->(message:Message)-[:HAS_CREATOR]->(other)
WITH path, one, other, sum(CASE WHEN message:Post THEN 1.0 WHEN message:Comment THEN 0.5 ELSE 0.0 END) AS forth
OPTIONAL MATCH (other)<-[:HAS_CREATOR]-(:Comment)-[:REPLY_OF]->(message:Message)-[:HAS_CREATOR]->(one)
WITH path, one, other, forth, sum(CASE WHEN message:Post THEN 1.0 WHEN message:Comment THEN 0.5 ELSE 0.0 END) AS back
WITH [person IN nodes(path) | person.id] AS ids, sum(forth + back) AS weight
RETURN ids, weight
ORDER BY weight DESC, ids
