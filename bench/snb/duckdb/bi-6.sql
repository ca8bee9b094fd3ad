WITH pair AS (
  SELECT DISTINCT m.creatorId AS author, l.PersonId AS liker
  FROM Tag t JOIN Message_hasTag_Tag h ON h.TagId = t.id JOIN Message m ON m.id = h.MessageId
  LEFT JOIN Likes l ON l.MessageId = m.id WHERE t.name = $tag),
popularity AS (SELECT m.creatorId AS liker, count(*) AS n FROM Message m JOIN Likes l ON l.MessageId = m.id
               WHERE m.creatorId IN (SELECT liker FROM pair) GROUP BY m.creatorId)
SELECT author, coalesce(sum(n), 0)::BIGINT AS score FROM pair LEFT JOIN popularity USING (liker)
GROUP BY author ORDER BY score DESC, author LIMIT 100
