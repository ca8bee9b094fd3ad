// BI 2, tag evolution. Parameters: $date, $tagClass.
// Two windows of 100 days; tags of the class without messages count as 0.
MATCH (:TagClass {name: $tagClass})<-[:HAS_TYPE]-(tag:Tag)
OPTIONAL MATCH (tag)<-[:HAS_TAG]-(message:Message)
WHERE message.creationDate >= datetime({date: $date})
  AND message.creationDate < datetime({date: $date}) + duration({days: 200})
WITH tag,
     count(CASE WHEN message.creationDate < datetime({date: $date}) + duration({days: 100}) THEN 1 END) AS countWindow1,
     count(CASE WHEN message.creationDate >= datetime({date: $date}) + duration({days: 100}) THEN 1 END) AS countWindow2
RETURN tag.name AS tagName, countWindow1, countWindow2, abs(countWindow1 - countWindow2) AS diff
ORDER BY diff DESC, tagName
LIMIT 100
