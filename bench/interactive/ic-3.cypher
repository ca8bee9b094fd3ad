// IC 3, friends who were in two countries. Parameters: $personId, $countryX, $countryY, $startDate, $endDate.
MATCH (person:Person {id: $personId})-[:KNOWS*1..2]-(friend:Person)
WHERE person <> friend
WITH DISTINCT friend
MATCH (friend)-[:IS_LOCATED_IN]->(:City)-[:IS_PART_OF]->(home:Country)
WHERE home.name <> $countryX AND home.name <> $countryY
MATCH (friend)<-[:HAS_CREATOR]-(message:Message)-[:IS_LOCATED_IN]->(country:Country)
WHERE country.name IN [$countryX, $countryY] AND $startDate <= message.creationDate < $endDate
WITH friend,
     sum(CASE WHEN country.name = $countryX THEN 1 ELSE 0 END) AS xCount,
     sum(CASE WHEN country.name = $countryY THEN 1 ELSE 0 END) AS yCount
WHERE xCount > 0 AND yCount > 0
RETURN friend.id AS friendId, friend.firstName AS firstName, friend.lastName AS lastName, xCount, yCount, xCount + yCount AS total
ORDER BY total DESC, friendId
LIMIT 20
