// BI 14, international dialog. Parameters: $country1, $country2.
// Per city of the first country the pair with the highest score, the smallest ids among equals: the greatest list.
MATCH (:Country {name: $country1})<-[:IS_PART_OF]-(city:City)<-[:IS_LOCATED_IN]-(person1:Person)-[:KNOWS]-(person2:Person)
MATCH (person2)-[:IS_LOCATED_IN]->(:City)-[:IS_PART_OF]->(:Country {name: $country2})
OPTIONAL MATCH (person1)<-[:HAS_CREATOR]-(reply:Comment)-[:REPLY_OF]->(:Message)-[:HAS_CREATOR]->(person2)
WITH city, person1, person2, count(reply) AS replies1
OPTIONAL MATCH (person2)<-[:HAS_CREATOR]-(reply:Comment)-[:REPLY_OF]->(:Message)-[:HAS_CREATOR]->(person1)
WITH city, person1, person2, replies1, count(reply) AS replies2
OPTIONAL MATCH (person1)-[like:LIKES]->(:Message)-[:HAS_CREATOR]->(person2)
WITH city, person1, person2, replies1, replies2, count(like) AS likes1
OPTIONAL MATCH (person2)-[like:LIKES]->(:Message)-[:HAS_CREATOR]->(person1)
WITH city, person1, person2, replies1, replies2, likes1, count(like) AS likes2
WITH city, person1, person2,
     CASE WHEN replies1 > 0 THEN 4 ELSE 0 END + CASE WHEN replies2 > 0 THEN 1 ELSE 0 END
     + CASE WHEN likes1 > 0 THEN 10 ELSE 0 END + CASE WHEN likes2 > 0 THEN 1 ELSE 0 END AS score
WITH city, max([score, -person1.id, -person2.id]) AS top
RETURN -top[1] AS person1Id, -top[2] AS person2Id, city.name AS cityName, top[0] AS score
ORDER BY score DESC, person1Id, person2Id
LIMIT 100
