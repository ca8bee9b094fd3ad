// IS 7, replies to a message. Parameters: $messageId.
MATCH (:Message {id: $messageId})<-[:REPLY_OF]-(comment:Comment)-[:HAS_CREATOR]->(author:Person),
      (message:Message {id: $messageId})-[:HAS_CREATOR]->(original:Person)
RETURN comment.id AS commentId, comment.content AS content, comment.creationDate AS creationDate, author.id AS authorId,
       author.firstName AS firstName, author.lastName AS lastName, EXISTS { MATCH (original)-[:KNOWS]-(author) } AS known
ORDER BY creationDate DESC, authorId, commentId
