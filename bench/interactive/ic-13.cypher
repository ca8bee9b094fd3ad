// IC 13, length of a shortest path, -1 where there is none. Parameters: $person1Id, $person2Id.
MATCH (person1:Person {id: $person1Id}), (person2:Person {id: $person2Id})
OPTIONAL MATCH path = shortestPath((person1)-[:KNOWS*]-(person2))
RETURN CASE WHEN path IS NULL THEN -1 ELSE length(path) END AS hops
