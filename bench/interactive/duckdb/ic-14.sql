WITH RECURSIVE reach(id, hops) USING KEY (id) AS (
    SELECT $person1Id::BIGINT, 0
  UNION
    SELECT k.person2Id, min(f.hops) + 1
    FROM reach f JOIN Knows k ON k.person1Id = f.id LEFT JOIN recurring.reach seen ON seen.id = k.person2Id
    WHERE seen.id IS NULL AND NOT EXISTS (FROM recurring.reach WHERE id = $person2Id)
    GROUP BY k.person2Id),
paths(id, hops, ids) AS (
    SELECT id, hops, [id] FROM reach WHERE id = $person2Id
  UNION ALL
    SELECT r.id, r.hops, list_prepend(r.id, p.ids)
    FROM paths p JOIN Knows k ON k.person1Id = p.id JOIN reach r ON r.id = k.person2Id AND r.hops = p.hops - 1),
whole AS (SELECT ids FROM paths WHERE hops = 0),
pairs AS (SELECT ids, unnest(list_zip(ids[:-2], ids[2:])) AS pair FROM whole),
ends AS (SELECT ids, pair[1] AS a, pair[2] AS b FROM pairs),
bothways AS (SELECT a, b FROM ends UNION SELECT b, a FROM ends),
replies AS (
  SELECT a, b, sum(CASE WHEN m.isComment THEN 0.5 ELSE 1.0 END)::DOUBLE AS weight
  FROM bothways JOIN Comment c ON c.creatorId = a JOIN Message m ON m.id = c.parentId AND m.creatorId = b GROUP BY a, b)
SELECT ids, sum(coalesce(x.weight, 0) + coalesce(y.weight, 0)) AS weight
FROM ends e LEFT JOIN replies x ON x.a = e.a AND x.b = e.b LEFT JOIN replies y ON y.a = e.b AND y.b = e.a
GROUP BY ids ORDER BY weight DESC, ids
