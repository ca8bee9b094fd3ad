// IS 2, recent messages of a person. Parameters: $personId.
MATCH (:Person {id: $personId})<-[:HAS_CREATOR]-(message:Message)
WITH message
ORDER BY message.creationDate DESC, message.id DESC
LIMIT 10
MATCH (message)-[:REPLY_OF*0..]->(post:Post)-[:HAS_CREATOR]->(author:Person)
RETURN message.id AS messageId, coalesce(message.content, message.imageFile) AS content, message.creationDate AS creationDate,
       post.id AS postId, author.id AS authorId, author.firstName AS firstName, author.lastName AS lastName
ORDER BY creationDate DESC, messageId DESC
