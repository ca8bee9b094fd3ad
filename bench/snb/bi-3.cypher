// BI 3, popular topics in a country. Parameters: $tagClass, $country.
MATCH (:Country {name: $country})<-[:IS_PART_OF]-(:City)<-[:IS_LOCATED_IN]-(person:Person)<-[:HAS_MODERATOR]-(forum:Forum)
MATCH (forum)-[:CONTAINER_OF]->(:Post)<-[:REPLY_OF*0..]-(message:Message)-[:HAS_TAG]->(:Tag)-[:HAS_TYPE]->(:TagClass {name: $tagClass})
WITH forum, person, count(DISTINCT message) AS messageCount
RETURN forum.id AS forumId, forum.title AS forumTitle, forum.creationDate AS forumCreationDate, person.id AS personId, messageCount
ORDER BY messageCount DESC, forumId
LIMIT 20
