// IC 9, recent messages by friends and friends of friends. Parameters: $personId, $maxDate.
MATCH (person:Person {id: $personId})-[:KNOWS*1..2]-(friend:Person)
WHERE person <> friend
WITH DISTINCT friend
MATCH (friend)<-[:HAS_CREATOR]-(message:Message)
WHERE message.creationDate < $maxDate
RETURN friend.id AS friendId, friend.firstName AS firstName, friend.lastName AS lastName, message.id AS messageId,
       coalesce(message.content, message.imageFile) AS content, message.creationDate AS creationDate
ORDER BY creationDate DESC, messageId
LIMIT 20
