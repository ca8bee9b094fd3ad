// IS 6, forum of a message. Parameters: $messageId.
MATCH (:Message {id: $messageId})-[:REPLY_OF*0..]->(:Post)<-[:CONTAINER_OF]-(forum:Forum)-[:HAS_MODERATOR]->(moderator:Person)
RETURN forum.id AS forumId, forum.title AS title, moderator.id AS moderatorId, moderator.firstName AS firstName, moderator.lastName AS lastName
