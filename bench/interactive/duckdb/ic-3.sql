WITH friend AS (
  SELECT person2Id AS id FROM Knows WHERE person1Id = $personId
  UNION
  SELECT k.person2Id FROM Knows f JOIN Knows k ON k.person1Id = f.person2Id WHERE f.person1Id = $personId AND k.person2Id <> $personId)
SELECT p.id, firstName, lastName, count(*) FILTER (y.name = $countryX) AS x, count(*) FILTER (y.name = $countryY) AS y, count(*) AS total
FROM friend JOIN Person p ON p.id = friend.id JOIN City c ON c.id = p.cityId JOIN Country h ON h.id = c.countryId
JOIN Message m ON m.creatorId = p.id JOIN Country y ON y.id = m.countryId
WHERE h.name NOT IN ($countryX, $countryY) AND y.name IN ($countryX, $countryY)
  AND m.creationDate >= $startDate AND m.creationDate < $endDate
GROUP BY p.id, firstName, lastName HAVING x > 0 AND y > 0
ORDER BY total DESC, p.id LIMIT 20
