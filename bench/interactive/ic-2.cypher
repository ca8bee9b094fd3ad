// IC 2, recent messages by friends. Parameters: $personId, $maxDate.
MATCH (:Person {id: $personId})-[:KNOWS]-(friend:Person)<-[:HAS_CREATOR]-(message:Message)
WHERE message.creationDate <= $maxDate
RETURN friend.id AS personId, friend.firstName AS firstName, friend.lastName AS lastName, message.id AS messageId,
       coalesce(message.content, message.imageFile) AS content, message.creationDate AS creationDate
ORDER BY creationDate DESC, messageId
LIMIT 20
