// IC 10, friend recommendation. Parameters: $personId, $month.
MATCH (person:Person {id: $personId})-[:KNOWS*2..2]-(friend:Person)-[:IS_LOCATED_IN]->(city:City)
WHERE person <> friend AND NOT EXISTS { MATCH (friend)-[:KNOWS]-(person) }
  AND ((friend.birthday.month = $month AND friend.birthday.day >= 21)
       OR (friend.birthday.month = $month % 12 + 1 AND friend.birthday.day < 22))
WITH DISTINCT person, friend, city
OPTIONAL MATCH (friend)<-[:HAS_CREATOR]-(post:Post)
WITH person, friend, city, post, EXISTS { MATCH (post)-[:HAS_TAG]->(:Tag)<-[:HAS_INTEREST]-(person) } AS common
WITH friend, city, count(post) AS postCount, sum(CASE WHEN common THEN 1 ELSE 0 END) AS commonCount
RETURN friend.id AS friendId, friend.firstName AS firstName, friend.lastName AS lastName,
       commonCount - (postCount - commonCount) AS score, friend.gender AS gender, city.name AS cityName
ORDER BY score DESC, friendId
LIMIT 10
