WITH m AS (
  SELECT m.id, m.creatorId FROM Tag t JOIN Message_hasTag_Tag h ON h.TagId = t.id JOIN Message m ON m.id = h.MessageId
  WHERE t.name = $tag),
replies AS (SELECT m.id, count(*) AS n FROM m JOIN Message r ON r.parentId = m.id GROUP BY m.id),
liked AS (SELECT m.id, count(*) AS n FROM m JOIN Likes l ON l.MessageId = m.id GROUP BY m.id)
SELECT m.creatorId, coalesce(sum(r.n), 0)::BIGINT AS replies, coalesce(sum(l.n), 0)::BIGINT AS likes, count(*) AS messages,
       messages + 2 * replies + 10 * likes AS score
FROM m LEFT JOIN replies r USING (id) LEFT JOIN liked l USING (id)
GROUP BY m.creatorId ORDER BY score DESC, m.creatorId LIMIT 100
