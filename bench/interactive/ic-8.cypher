// IC 8, recent replies. Parameters: $personId.
MATCH (:Person {id: $personId})<-[:HAS_CREATOR]-(:Message)<-[:REPLY_OF]-(comment:Comment)-[:HAS_CREATOR]->(author:Person)
RETURN author.id AS authorId, author.firstName AS firstName, author.lastName AS lastName,
       comment.creationDate AS creationDate, comment.id AS commentId, comment.content AS content
ORDER BY creationDate DESC, commentId
LIMIT 20
