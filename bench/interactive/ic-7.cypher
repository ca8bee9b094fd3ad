// IC 7, recent likers. Parameters: $personId.
MATCH (person:Person {id: $personId})<-[:HAS_CREATOR]-(message:Message)<-[like:LIKES]-(liker:Person)
WITH person, liker, message, like.creationDate AS likeTime
ORDER BY likeTime DESC, message.id
WITH person, liker, head(collect({message: message, likeTime: likeTime})) AS latest
RETURN liker.id AS likerId, liker.firstName AS firstName, liker.lastName AS lastName, latest.likeTime AS likeTime,
       latest.message.id AS messageId, coalesce(latest.message.content, latest.message.imageFile) AS content,
       (latest.likeTime.epochMillis - latest.message.creationDate.epochMillis) / 60000 AS minutes,
       NOT EXISTS { MATCH (liker)-[:KNOWS]-(person) } AS isNew
ORDER BY likeTime DESC, likerId
LIMIT 20
