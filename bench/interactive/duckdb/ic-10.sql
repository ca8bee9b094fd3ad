WITH friend AS (
  SELECT DISTINCT p.* FROM Knows f JOIN Knows k ON k.person1Id = f.person2Id JOIN Person p ON p.id = k.person2Id
  WHERE f.person1Id = $personId AND p.id <> $personId AND p.id NOT IN (SELECT person2Id FROM Knows WHERE person1Id = $personId)
    AND ((month(birthday) = $month AND day(birthday) >= 21) OR (month(birthday) = $month % 12 + 1 AND day(birthday) < 22))),
liked AS (SELECT DISTINCT messageId FROM MessageTag JOIN Interest i USING (tagId) WHERE i.personId = $personId)
SELECT f.id, firstName, lastName, count(liked.messageId) - (count(m.id) - count(liked.messageId)) AS score, gender, c.name
FROM friend f JOIN City c ON c.id = cityId LEFT JOIN Post m ON m.creatorId = f.id LEFT JOIN liked ON liked.messageId = m.id
GROUP BY f.id, firstName, lastName, gender, c.name ORDER BY score DESC, f.id LIMIT 10
