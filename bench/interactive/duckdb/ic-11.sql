WITH friend AS (
  SELECT person2Id AS id FROM Knows WHERE person1Id = $personId
  UNION
  SELECT k.person2Id FROM Knows f JOIN Knows k ON k.person1Id = f.person2Id WHERE f.person1Id = $personId AND k.person2Id <> $personId)
SELECT p.id, firstName, lastName, o.name, workFrom
FROM friend JOIN Person p ON p.id = friend.id JOIN WorkAt ON personId = p.id JOIN Company o ON o.id = companyId JOIN Country y ON y.id = o.countryId
WHERE y.name = $country AND workFrom < $workFromYear
ORDER BY workFrom, p.id, o.name DESC LIMIT 10
