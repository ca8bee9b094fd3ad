// BI 5, most active posters in a topic. Parameter: $tag.
MATCH (:Tag {name: $tag})<-[:HAS_TAG]-(message:Message)-[:HAS_CREATOR]->(person:Person)
OPTIONAL MATCH (message)<-[:LIKES]-(liker:Person)
WITH person, message, count(liker) AS likes
OPTIONAL MATCH (message)<-[:REPLY_OF]-(reply:Comment)
WITH person, message, likes, count(reply) AS replies
WITH person, count(message) AS messageCount, sum(likes) AS likeCount, sum(replies) AS replyCount
RETURN person.id AS personId, replyCount, likeCount, messageCount,
       messageCount + 2 * replyCount + 10 * likeCount AS score
ORDER BY score DESC, personId
LIMIT 100
