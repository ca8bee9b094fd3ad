// IC 12, expert search. Parameters: $personId, $tagClass. Names of tags are in order, so that answers can be compared.
MATCH (tag:Tag)-[:HAS_TYPE]->(:TagClass)-[:IS_SUBCLASS_OF*0..]->(:TagClass {name: $tagClass})
MATCH (:Person {id: $personId})-[:KNOWS]-(friend:Person)<-[:HAS_CREATOR]-(comment:Comment)-[:REPLY_OF]->(:Post)-[:HAS_TAG]->(tag)
WITH friend, comment, tag
ORDER BY tag.name
RETURN friend.id AS friendId, friend.firstName AS firstName, friend.lastName AS lastName,
       collect(DISTINCT tag.name) AS tagNames, count(DISTINCT comment) AS replyCount
ORDER BY replyCount DESC, friendId
LIMIT 20
