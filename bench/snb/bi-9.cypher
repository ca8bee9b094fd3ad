// BI 9, top thread initiators. Parameters: $startDate, $endDate.
// Both the post and the messages of its thread are in the interval, midnight of the last day included.
MATCH (person:Person)
OPTIONAL MATCH (person)<-[:HAS_CREATOR]-(post:Post)<-[:REPLY_OF*0..]-(message:Message)
WHERE post.creationDate >= datetime({date: $startDate}) AND post.creationDate <= datetime({date: $endDate})
  AND message.creationDate >= datetime({date: $startDate}) AND message.creationDate <= datetime({date: $endDate})
WITH person, post, count(message) AS messages
WITH person, count(post) AS threadCount, sum(messages) AS messageCount
RETURN person.id AS personId, person.firstName AS firstName, person.lastName AS lastName, threadCount, messageCount
ORDER BY messageCount DESC, personId
LIMIT 100
