WITH m AS MATERIALIZED (
  SELECT m.id, m.creationDate, m.creatorId, m.forumId, m.parentId
  FROM Message m JOIN Message_hasTag_Tag h ON h.MessageId = m.id JOIN Tag t ON t.id = h.TagId WHERE t.name = $tag),
forum AS (SELECT DISTINCT forumId FROM m),
member AS MATERIALIZED (SELECT ForumId AS forumId, PersonId AS personId FROM Forum_hasMember_Person WHERE ForumId IN (FROM forum)),
answered AS MATERIALIZED (
  SELECT DISTINCT m2.id, m2.creationDate, m2.forumId, m2.creatorId AS person3, c.creatorId AS person2
  FROM m m2 JOIN m c ON c.parentId = m2.id WHERE c.creatorId <> m2.creatorId)
SELECT m1.creatorId, count(DISTINCT a.id) AS n
FROM answered a
JOIN member h2 ON h2.personId = a.person2
JOIN member h3 ON h3.personId = a.person3 AND h3.forumId = h2.forumId
JOIN m m1 ON m1.forumId = h2.forumId
WHERE a.forumId <> m1.forumId AND a.creationDate > m1.creationDate + to_hours($delta)
  AND NOT EXISTS (FROM member h1 WHERE h1.forumId = a.forumId AND h1.personId = m1.creatorId)
GROUP BY m1.creatorId ORDER BY n DESC, m1.creatorId LIMIT 10
