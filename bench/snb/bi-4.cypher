// BI 4, top message creators. Parameter: $date.
// The 100 forums with the most members from one country; then everyone who is a member of one of them, with the messages
// they wrote in any of them. Members without messages count as 0 and authors that are no longer members do not count, so
// each forum gives two kinds of rows, memberships and messages, and persons are those with a membership.
MATCH (forum:Forum)-[:HAS_MEMBER]->(:Person)-[:IS_LOCATED_IN]->(:City)-[:IS_PART_OF]->(country:Country)
WHERE forum.creationDate > datetime({date: $date})
WITH forum, country, count(*) AS memberCount
WITH forum, max(memberCount) AS memberCountMax
ORDER BY memberCountMax DESC, forum.id
LIMIT 100
UNWIND ['membership', 'message'] AS kind
OPTIONAL MATCH (forum)-[:HAS_MEMBER]->(member:Person)
WHERE kind = 'membership'
OPTIONAL MATCH (forum)-[:CONTAINER_OF]->(:Post)<-[:REPLY_OF*0..]-(message:Message)-[:HAS_CREATOR]->(author:Person)
WHERE kind = 'message' AND message.creationDate > datetime({date: $date})
WITH coalesce(member, author) AS person, count(member) AS membershipCount, count(message) AS messageCount
WHERE membershipCount > 0
RETURN person.id AS personId, person.firstName AS firstName, person.lastName AS lastName, person.creationDate AS creationDate,
       messageCount
ORDER BY messageCount DESC, personId
LIMIT 100
