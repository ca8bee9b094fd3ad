WITH RECURSIVE hop(id, depth) AS (
    SELECT $personId::BIGINT, 0
  UNION
    SELECT k.Person2Id, h.depth + 1 FROM hop h JOIN Knows k ON k.Person1Id = h.id WHERE h.depth < $maxPathDistance),
distance AS (SELECT id, min(depth) AS depth FROM hop GROUP BY id),
expert AS (SELECT d.id FROM distance d JOIN PersonCountry p ON p.personId = d.id
           WHERE d.depth BETWEEN $minPathDistance AND $maxPathDistance AND p.country = $country),
written AS (
  SELECT DISTINCT m.id, m.creatorId FROM expert e JOIN Message m ON m.creatorId = e.id
  JOIN Message_hasTag_Tag h ON h.MessageId = m.id JOIN Tag t ON t.id = h.TagId JOIN TagClass c ON c.id = t.TypeTagClassId
  WHERE c.name = $tagClass)
SELECT w.creatorId, t.name, count(*) AS n FROM written w JOIN Message_hasTag_Tag h ON h.MessageId = w.id JOIN Tag t ON t.id = h.TagId
GROUP BY ALL ORDER BY n DESC, t.name, w.creatorId LIMIT 100
