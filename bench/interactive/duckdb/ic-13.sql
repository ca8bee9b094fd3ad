WITH RECURSIVE reach(id, hops) USING KEY (id) AS (
    SELECT $person1Id::BIGINT, 0
  UNION
    SELECT k.person2Id, min(f.hops) + 1
    FROM reach f JOIN Knows k ON k.person1Id = f.id LEFT JOIN recurring.reach seen ON seen.id = k.person2Id
    WHERE seen.id IS NULL AND NOT EXISTS (FROM recurring.reach WHERE id = $person2Id)
    GROUP BY k.person2Id)
SELECT coalesce((SELECT hops FROM reach WHERE id = $person2Id), -1)
