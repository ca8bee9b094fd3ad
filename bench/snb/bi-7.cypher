// BI 7, related topics. Parameter: $tag.
MATCH (tag:Tag {name: $tag})<-[:HAS_TAG]-(:Message)<-[:REPLY_OF]-(comment:Comment)
WHERE NOT (comment)-[:HAS_TAG]->(tag)
MATCH (comment)-[:HAS_TAG]->(related:Tag)
WITH related, count(*) AS commentCount
RETURN related.name AS relatedTagName, commentCount
ORDER BY commentCount DESC, relatedTagName
LIMIT 100
