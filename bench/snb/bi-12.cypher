// BI 12, how many persons have a given number of messages. Parameters: $startDate, $lengthThreshold, $languages.
// The language is that of the thread's post.
MATCH (person:Person)
OPTIONAL MATCH (person)<-[:HAS_CREATOR]-(message:Message)-[:REPLY_OF*0..]->(post:Post)
WHERE message.content IS NOT NULL
  AND message.length < $lengthThreshold
  AND message.creationDate > datetime({date: $startDate})
  AND post.language IN $languages
WITH person, count(message) AS messageCount
RETURN messageCount, count(person) AS personCount
ORDER BY personCount DESC, messageCount DESC
