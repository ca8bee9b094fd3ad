// BI 11, friend triangles. Parameters: $country, $startDate, $endDate.
// Clause by clause, because in one MATCH two persons of one city would need its IS_PART_OF relationship twice.
MATCH (country:Country {name: $country})<-[:IS_PART_OF]-(:City)<-[:IS_LOCATED_IN]-(a:Person)-[ab:KNOWS]-(b:Person)
WHERE a.id < b.id
  AND ab.creationDate >= datetime({date: $startDate}) AND ab.creationDate <= datetime({date: $endDate})
MATCH (b)-[:IS_LOCATED_IN]->(:City)-[:IS_PART_OF]->(country)
MATCH (b)-[bc:KNOWS]-(c:Person)
WHERE b.id < c.id
  AND bc.creationDate >= datetime({date: $startDate}) AND bc.creationDate <= datetime({date: $endDate})
MATCH (c)-[:IS_LOCATED_IN]->(:City)-[:IS_PART_OF]->(country)
MATCH (c)-[ca:KNOWS]-(a)
WHERE ca.creationDate >= datetime({date: $startDate}) AND ca.creationDate <= datetime({date: $endDate})
RETURN count(*) AS count
